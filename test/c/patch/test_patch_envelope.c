/* SPDX-License-Identifier: MIT */
#include "patch.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct patch patch;
static struct error error;

void tearDown(void) {
    patch_free(&patch);
}

static void parse_bytes(const char *text, size_t n) {
    patch_free(&patch);
    int code = patch_read(text, n, PATCH_AUTO, &patch, &error);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", code == AQFS_OK ? "" : error.message, text);
    TEST_ASSERT_EQUAL_INT(PATCH_ENVELOPE, patch.format);
}

static void parse(const char *text) {
    parse_bytes(text, strlen(text));
}

/* Checks that TEXT is refused because of LINE (0: no line), with WORDS in the message. */
static void refuse(const char *text, size_t line, const char *words) {
    char begin[60] = "";
    patch_free(&patch);
    int code = patch_read(text, strlen(text), PATCH_ENVELOPE, &patch, &error);
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_PATCH_PARSE, code, text);
    if (line > 0)
        (void)snprintf(begin, sizeof begin, "line %zu of the patch: ", line);
    TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(begin, error.message, strlen(begin), error.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, words), error.message);
    TEST_ASSERT_NULL(patch.files);
}

static void check_file(size_t i, enum patch_action action, const char *old_path,
                       const char *new_path) {
    TEST_ASSERT_LESS_THAN_UINT(patch.file_count, i);
    const struct patch_file *f = &patch.files[i];
    TEST_ASSERT_EQUAL_INT(action, f->action);
    TEST_ASSERT_EQUAL_STRING(old_path, f->old_path);
    TEST_ASSERT_EQUAL_STRING(new_path, f->new_path);
}

/* Shows hunk K of file I: its anchors, each in <>; then its lines, each as its operation, its text,
 * and `$`, or `%` for a line without newline; then `!` for the end of the file. */
static void check_hunk(size_t i, size_t k, const char *expected) {
    char out[2000];
    size_t len = 0, old_count = 0, new_count = 0;
    TEST_ASSERT_LESS_THAN_UINT(patch.file_count, i);
    TEST_ASSERT_LESS_THAN_UINT(patch.files[i].hunk_count, k);
    const struct patch_hunk *h = &patch.files[i].hunks[k];
    struct patch_line line;
    for (size_t a = 0; a < h->anchor_count; a++)
        len += (size_t)snprintf(out + len, sizeof out - len, "<%.*s>", (int)h->anchors[a].n,
                                h->anchors[a].text);
    for (const char *at = h->body; patch_next_line(h, &at, &line);) {
        len += (size_t)snprintf(out + len, sizeof out - len, "%c%.*s%c", line.op, (int)line.n,
                                line.text, line.no_newline ? '%' : '$');
        old_count += line.op != '+';
        new_count += line.op != '-';
    }
    (void)snprintf(out + len, sizeof out - len, "%s", h->end_of_file ? "!" : "");
    TEST_ASSERT_EQUAL_STRING(expected, out);
    TEST_ASSERT_EQUAL_UINT(old_count, h->old_count);
    TEST_ASSERT_EQUAL_UINT(new_count, h->new_count);
    TEST_ASSERT_EQUAL_UINT(0, h->old_start + h->new_start);
}

#define BEGIN "*** Begin Patch\n"
#define END "*** End Patch\n"
#define UPDATE BEGIN "*** Update File: x\n"

void test_patch_envelope__all_sections(void) {
    parse(BEGIN "*** Add File: new.txt\n+one\n++two\n+\n*** Update File: src/a.c\n"
                "*** Move to: src/b.c\n@@ int f(void)\n int a;\n-int b;\n+int c;\n@@\n-x\n+y\n"
                "*** Delete File: old.txt\n*** Update File: z\n-a\n+b\n*** Add File: empty\n" END);
    TEST_ASSERT_EQUAL_UINT(5, patch.file_count);
    check_file(0, PATCH_ADD, NULL, "new.txt");
    check_file(1, PATCH_RENAME, "src/a.c", "src/b.c");
    check_file(2, PATCH_DELETE, "old.txt", NULL);
    check_file(3, PATCH_MODIFY, "z", "z");
    check_file(4, PATCH_ADD, NULL, "empty");
    check_hunk(0, 0, "+one$++two$+$");
    check_hunk(1, 0, "<int f(void)> int a;$-int b;$+int c;$");
    check_hunk(1, 1, "-x$+y$");
    check_hunk(3, 0, "-a$+b$");
    TEST_ASSERT_EQUAL_UINT(0, patch.files[2].hunk_count);
    TEST_ASSERT_EQUAL_UINT(0, patch.files[4].hunk_count);
    TEST_ASSERT_EQUAL_UINT(6, patch.files[1].line);
    TEST_ASSERT_EQUAL_UINT(8, patch.files[1].hunks[0].line);
}

void test_patch_envelope__anchors(void) {
    parse(UPDATE "@@ class A\n@@ \t def f(self):  \n-a\n+b\n@@\n@@  def g\n+c\n@@ @@\n+d\n" END);
    check_hunk(0, 0, "<class A><def f(self):>-a$+b$");
    check_hunk(0, 1, "<def g>+c$");
    check_hunk(0, 2, "<@@>+d$");
    refuse(UPDATE "@@class A\n-a\n+b\n" END, 3, "a space is expected");
    refuse(UPDATE "@@ -1,2 +1,3 @@\n-a\n+b\n" END, 3, "no line numbers");
    refuse(UPDATE "@@ -1 @@\n-a\n+b\n" END, 3, "no line numbers");
    char anchors[5 * PATCH_ANCHORS_MAX + 1] = "", text[400];
    for (size_t i = 0; i + 1 < sizeof anchors; i++)
        anchors[i] = "@@ a\n"[i % 5];
    (void)snprintf(text, sizeof text, UPDATE "%s+a\n" END, anchors);
    parse(text);
    (void)snprintf(text, sizeof text, UPDATE "%s@@ a\n+a\n" END, anchors);
    refuse(text, 3 + PATCH_ANCHORS_MAX, "more than 16 anchors");
}

void test_patch_envelope__end_of_file(void) {
    parse(UPDATE "@@\n a\n-b\n*** End of File\n\n*** Add File: y\n+a\n" END);
    check_hunk(0, 0, " a$-b$!");
    parse(UPDATE "@@\n+b\n*** End of File  \n" END);
    check_hunk(0, 0, "+b$!");
    refuse(UPDATE "@@\n*** End of File\n" END, 3, "the hunk has no lines");
    refuse(UPDATE "@@\n+a\n*** End of File\n@@\n+b\n" END, 6, "nothing can follow");
    refuse(UPDATE "@@\n+a\n*** End of File\n+b\n" END, 6, "does not begin a section");
    refuse(UPDATE "@@\n+a\n*** End of File here\n" END, 5, "text after the marker");
    refuse(BEGIN "*** Add File: x\n+a\n*** End of File\n" END, 4, "does not begin a section");
    refuse(BEGIN "*** End of File\n" END, 2, "does not begin a section");
}

/* threat 106 */
void test_patch_envelope__padding_and_blank_lines(void) {
    parse("\n \n  *** Begin Patch \n\n  *** Add File:   x y  \n+a\n\n\t*** Update File: "
          "z\t\n\n@@\n-a\n"
          "+b\n\n\n@@\n\n-c\n+d\n\n*** Delete File:w\n\n  *** End Patch\n\n \n");
    check_file(0, PATCH_ADD, NULL, "x y");
    check_file(1, PATCH_MODIFY, "z", "z");
    check_file(2, PATCH_DELETE, "w", NULL);
    check_hunk(0, 0, "+a$");
    check_hunk(1, 0, "-a$+b$");
    check_hunk(1, 1, "-c$+d$");
    parse(UPDATE "\n*** Move to: y\n\n@@\n-a\n+b\n *** End Patch");
    check_file(0, PATCH_RENAME, "x", "y");
    check_hunk(0, 0, "-a$+b$");
}

/* A line that begins with a space is context wherever a hunk can go on. */
void test_patch_envelope__markers_as_context(void) {
    parse(UPDATE
          "@@\n *** Begin Patch\n-*** End Patch\n *** Update File: y\n+*** End of File\n" END);
    check_hunk(0, 0, " *** Begin Patch$-*** End Patch$ *** Update File: y$+*** End of File$");
    parse(UPDATE "@@\n *** End Patch\n+a\n" END);
    check_hunk(0, 0, " *** End Patch$+a$");
    parse(UPDATE " *** Move to: y\n+a\n" END);
    check_file(0, PATCH_MODIFY, "x", "x");
    parse(UPDATE "@@\n @@ a\n-@@\n+@@\n" END);
    check_hunk(0, 0, " @@ a$-@@$+@@$");
    parse(BEGIN "*** Add File: x\n+*** End Patch\n+@@\n" END);
    check_hunk(0, 0, "+*** End Patch$+@@$");
}

void test_patch_envelope__empty_lines_in_hunks(void) {
    parse(UPDATE "@@\n a\n\n-b\n \n+c\n\n" END);
    check_hunk(0, 0, " a$ $-b$ $+c$");
    parse(UPDATE "@@\n\n a\n+b\n" END);
    check_hunk(0, 0, " a$+b$");
    parse(UPDATE "@@ f\n \n+b\n" END);
    check_hunk(0, 0, "<f> $+b$");
    parse(UPDATE "@@ f\n+b\n\n" END);
    check_hunk(0, 0, "<f>+b$");
    parse(UPDATE "@@\n a\n+b\n\n*** End of File\n" END);
    check_hunk(0, 0, " a$+b$ $!");
    parse(UPDATE "@@\n-a\n\\ No newline\n\n*** End of File\n" END);
    check_hunk(0, 0, "-a%!");
    refuse(UPDATE "@@ f\n\n+b\n" END, 3, "only context is an empty line");
    refuse(UPDATE "@@ f\n+a\n\n+b\n" END, 3, "only context is an empty line");
    refuse(UPDATE "@@\n+b\n\n*** End of File\n" END, 3, "only context is an empty line");
    refuse(BEGIN "*** Add File: x\n+a\n\n+b\n" END, 5, "does not begin a section");
}

void test_patch_envelope__lines_without_newline(void) {
    parse(UPDATE "@@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n" END);
    check_hunk(0, 0, "-a%+b%");
    parse(BEGIN "*** Add File: x\n+a\n+b\n\\ No newline at end of file\n" END);
    check_hunk(0, 0, "+a$+b%");
    refuse(UPDATE "@@\n\\ No newline\n-a\n" END, 4, "\\ line may only follow");
    refuse(UPDATE "@@\n-a\n\\ No newline\n\\ No newline\n" END, 6, "\\ line may only follow");
    refuse(UPDATE "@@\n-a\n\n\\ No newline\n" END, 6, "\\ line may only follow");
    refuse(UPDATE "@@\n-a\n\\No newline\n" END, 5, "\\ line may only follow");
    refuse(UPDATE "@@\n-a\n\\ No newline\n-b\n" END, 6, "after one that has no newline");
    refuse(BEGIN "*** Add File: x\n+a\n\\ No newline\n+b\n" END, 5,
           "after one that has no newline");
    refuse(BEGIN "*** Add File: x\n\\ No newline\n" END, 3, "does not begin a section");
}

void test_patch_envelope__refuses_damage(void) {
    refuse("", 1, "*** Begin Patch is expected");
    refuse("words\n" BEGIN END, 1, "*** Begin Patch is expected");
    refuse("*** Begin Patches\n" END, 1, "*** Begin Patch is expected");
    refuse(BEGIN, 2, "*** End Patch is missing");
    refuse(BEGIN END, 0, "changes no file");
    refuse(UPDATE END, 2, "no hunk and changes nothing");
    refuse(UPDATE "@@\n" END, 3, "the hunk has no lines");
    refuse(UPDATE "@@\n\n" END, 3, "the hunk has no lines");
    refuse(UPDATE "@@\n a\n" END, 2, "no line that begins with - or + and changes nothing");
    refuse(UPDATE "@@\n a\n@@\n b\n" END, 2, "changes nothing");
    refuse(UPDATE "@@\n-a\n+b\n", 6, "*** End Patch is missing");
    refuse(UPDATE "@@\n-a\n+b\n+*** End Patch", 7, "*** End Patch is missing");
    refuse(UPDATE "@@\n-a\n+b\nlost\n" END, 6, "does not begin a section: \"lost\"");
    refuse(UPDATE "@@\n-a\n\tb\n" END, 5, "does not begin a section: \"\\tb\"");
    refuse(UPDATE "words\n" END, 3, "a hunk is expected: \"words\"");
    refuse(UPDATE "@@\n-a\n*** End of file\n" END, 5, "does not begin a section");
    refuse(UPDATE "@@\n-a\n*** Foo\n" END, 5, "does not begin a section");
    refuse(UPDATE "@@\n-a\n*** Move to: y\n" END, 5, "does not begin a section");
    refuse(BEGIN "*** Rename File: x\n" END, 2, "does not begin a section");
    refuse(BEGIN "*** Add File: x\na\n" END, 3, "does not begin a section");
    refuse(BEGIN "*** Add File: x\n +a\n" END, 3, "does not begin a section");
    refuse(BEGIN "*** Add File: x\n@@\n+a\n" END, 3, "does not begin a section");
    refuse(BEGIN "*** Delete File: x\n-a\n" END, 3, "does not begin a section");
    refuse(BEGIN "*** Delete File: x\n*** Move to: y\n" END, 3, "does not begin a section");
    refuse(BEGIN BEGIN "*** Delete File: x\n" END END, 2, "does not begin a section");
    refuse(BEGIN "*** Delete File: x\n" END "words\n", 3, "text after *** End Patch");
    refuse(BEGIN "*** Delete File: x\n" END END, 3, "text after *** End Patch");
    refuse(BEGIN "*** Delete File: x\n" END BEGIN "*** Delete File: y\n" END, 3, "text after");
    refuse(BEGIN "*** Delete File: x\n*** End Patch now\n", 3, "does not begin a section");
    refuse(BEGIN "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" END, 2, "does not begin a section");
    TEST_ASSERT_NOT_NULL(strstr(error.hint, "*** Update File: PATH"));
}

/* Threats 44 and 107: characters that a path may not contain.  Others judge where it may lead. */
void test_patch_envelope__paths(void) {
    parse(BEGIN "*** Delete File: a/x\n*** Delete File: b/x\n*** Delete File: \"q\\\"\\303\\251\"\n"
                "*** Delete File: /dev/null\n*** Delete File: ../x\n*** Delete File: ~/x\n"
                "*** Delete File: x \" y\n" END);
    check_file(0, PATCH_DELETE, "a/x", NULL);
    check_file(2, PATCH_DELETE, "q\"é", NULL);
    check_file(3, PATCH_DELETE, "/dev/null", NULL);
    check_file(4, PATCH_DELETE, "../x", NULL);
    check_file(5, PATCH_DELETE, "~/x", NULL);
    check_file(6, PATCH_DELETE, "x \" y", NULL);
    refuse(BEGIN "*** Delete File:\n" END, 2, "empty");
    refuse(BEGIN "*** Delete File: \"\"\n" END, 2, "empty");
    refuse(BEGIN "*** Delete File: \"a\\000\"\n" END, 2, "NUL");
    refuse(BEGIN "*** Delete File: \"a\\n\"\n" END, 2, "newline");
    refuse(BEGIN "*** Delete File: \"a\n" END, 2, "quoted form");
    refuse(BEGIN "*** Delete File: \"a\" b\n" END, 2, "quoted form");
    refuse(BEGIN "*** Delete File: a\tb\n" END, 2, "control character");
    refuse(UPDATE "*** Move to: \n@@\n+a\n" END, 3, "empty");
    refuse(UPDATE "*** Move to: x\n@@\n+a\n" END, 3, "its own name");
    parse(UPDATE "*** Move to: y\n" END);
    check_file(0, PATCH_RENAME, "x", "y");
}

/* A hunk of context alone leads to the next hunk. */
void test_patch_envelope__hunks_of_context(void) {
    parse(UPDATE "@@\n f() {\n@@\n-a\n+b\n@@\n }\n" END);
    check_hunk(0, 0, " f() {$");
    check_hunk(0, 1, "-a$+b$");
    check_hunk(0, 2, " }$");
    TEST_ASSERT_TRUE(patch.files[0].hunks[0].is_anchor);
    TEST_ASSERT_FALSE(patch.files[0].hunks[1].is_anchor);
    parse(UPDATE "*** Move to: y\n@@\n a\n" END);
    check_file(0, PATCH_RENAME, "x", "y");
}

void test_patch_envelope__several_sections_of_a_file(void) {
    parse(BEGIN "*** Update File: x\n@@\n-a\n*** Add File: n\n*** Update File: x\n@@\n-b\n@@\n-c\n"
                "*** Update File: a\n@@\n-d\n*** Update File: x\n-e\n" END);
    TEST_ASSERT_EQUAL_UINT(3, patch.file_count);
    check_file(0, PATCH_MODIFY, "x", "x");
    check_file(1, PATCH_ADD, NULL, "n");
    check_file(2, PATCH_MODIFY, "a", "a");
    TEST_ASSERT_EQUAL_UINT(4, patch.files[0].hunk_count);
    for (size_t i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_INT(i == 1 || i == 3, patch.files[0].hunks[i].begins_anew);
    check_hunk(0, 3, "-e$");
    refuse(UPDATE "@@\n-a\n*** Update File: x\n@@\n b\n" END, 5, "changes nothing");
}

/* threat 49 */
void test_patch_envelope__the_same_file_twice(void) {
    refuse(UPDATE "@@\n+a\n*** Delete File: x\n" END, 5, "second time, first at line 2");
    refuse(BEGIN "*** Delete File: x\n*** Add File: x\n+a\n" END, 3, "second time");
    refuse(BEGIN "*** Add File: x\n*** Add File: x\n" END, 3, "second time");
    refuse(UPDATE "*** Move to: y\n*** Delete File: y\n" END, 4, "second time");
    refuse(UPDATE "*** Move to: y\n*** Add File: y\n" END, 4, "second time");
    parse(UPDATE "*** Move to: y\n*** Update File: y\n*** Move to: x\n" END);
    parse(UPDATE "*** Move to: y\n*** Add File: x\n+a\n" END);
}

void test_patch_envelope__wrapped(void) {
    parse("<<'EOF'\n" BEGIN "*** Delete File: x\n" END "EOF\n");
    TEST_ASSERT_EQUAL_UINT(3, patch.files[0].line);
    parse("apply_patch <<\"EOF\"\n\n" BEGIN "*** Delete File: x\n" END "\nEOF");
    parse("```\n" BEGIN "*** Delete File: x\n" END "```\n");
    parse("```patch\n<<EOF\n" BEGIN "*** Delete File: x\n" END "EOF\n```\n");
    refuse("<<'EOF'\n" BEGIN "*** Delete File: x\n" END, 1, "not closed");
    refuse("<<'EOF'\n" BEGIN "*** Delete File: x\n" END "EOF\nrm x\n", 1, "not closed");
    refuse("rm x; apply_patch <<'EOF'\n" BEGIN END "EOF\n", 1, "Begin Patch is expected");
    refuse("<<'EOF' > y\n" BEGIN END "EOF\n", 1, "Begin Patch is expected");
}

void test_patch_envelope__crlf(void) {
    parse("*** Begin Patch\r\n*** Update File: x\r\n@@ f\r\n-a\r\n\r\n+b\r\r\n*** End Patch\r\n");
    check_hunk(0, 0, "<f>-a$ $+b\r$");
    parse("*** Begin Patch\r\n*** Add File: x\r\n+a\r\n*** End Patch");
    check_hunk(0, 0, "+a$");
    parse(BEGIN "*** Update File: x\r\n@@ f\r\n-a\r\n+b\n" END);
    check_hunk(0, 0, "<f>-a\r$+b$");
}

void test_patch_envelope__odd_bytes_are_content(void) {
    parse(UPDATE "@@\n a\fb\n-\r\r\n+x\342\200\250y\n \t\n+\377\n" END);
    check_hunk(0, 0, " a\fb$-\r\r$+x\342\200\250y$ \t$+\377$");
}

/* threat 106 */
void test_patch_envelope__many_hunks_and_files(void) {
    const size_t count = 100000;
    char *text = malloc(count * 40 + 100), *at = text;
    TEST_ASSERT_NOT_NULL(text);
    at += sprintf(at, UPDATE);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "@@ f%zu\n-a\n+c\n", i);
    at += sprintf(at, END);
    parse_bytes(text, (size_t)(at - text));
    TEST_ASSERT_EQUAL_UINT(count, patch.files[0].hunk_count);
    check_hunk(0, count - 1, "<f99999>-a$+c$");
    at = text + sprintf(text, BEGIN);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "*** Delete File: f%zu\n", i);
    at += sprintf(at, END);
    parse_bytes(text, (size_t)(at - text));
    check_file(count - 1, PATCH_DELETE, "f99999", NULL);
    free(text);
}

void test_patch_envelope__cut_anywhere_is_refused(void) {
    const char *text =
        UPDATE "@@ a\n b\n-c\n+d\n*** End of File\n*** Add File: y\n+a\n*** End Patch";
    for (size_t cut = 0; cut < strlen(text); cut++) {
        struct patch p;
        char *copy = malloc(cut + 1); /* so that ASan notices reads beyond its end */
        TEST_ASSERT_NOT_NULL(copy);
        memcpy(copy, text, cut);
        TEST_ASSERT_EQUAL_INT(AQFS_PATCH_PARSE, patch_read(copy, cut, PATCH_ENVELOPE, &p, &error));
        free(copy);
    }
    parse(text);
}

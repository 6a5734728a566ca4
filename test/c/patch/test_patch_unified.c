/* SPDX-License-Identifier: MIT */
#include "patch_check.h"

#include <stdlib.h>

void test_patch_unified__modifies(void) {
    parse("--- a/src/x.c\n+++ b/src/x.c\n@@ -1,3 +1,4 @@ int f(void)\n a\n-b\n+B\n+C\n d\n"
          "@@ -10 +11,0 @@\n-z\n");
    TEST_ASSERT_EQUAL_INT(PATCH_UNIFIED, patch.format);
    TEST_ASSERT_EQUAL_UINT(1, patch.file_count);
    check_file(0, PATCH_MODIFY, "src/x.c", "src/x.c");
    const struct patch_file *f = &patch.files[0];
    TEST_ASSERT_EQUAL_UINT(2, f->hunk_count);
    TEST_ASSERT_EQUAL_UINT(1, f->line);
    TEST_ASSERT_EQUAL_UINT(3, f->hunks[0].line);
    TEST_ASSERT_EQUAL_UINT(9, f->hunks[1].line);
    TEST_ASSERT_EQUAL_UINT(1, f->hunks[0].old_start);
    TEST_ASSERT_EQUAL_UINT(3, f->hunks[0].old_count);
    TEST_ASSERT_EQUAL_UINT(4, f->hunks[0].new_count);
    TEST_ASSERT_EQUAL_UINT(11, f->hunks[1].new_start);
    TEST_ASSERT_EQUAL_UINT(0, f->hunks[1].new_count);
    TEST_ASSERT_EQUAL_STRING(" a$-b$+B$+C$ d$", lines(0, 0));
    TEST_ASSERT_EQUAL_STRING("-z$", lines(0, 1));
    TEST_ASSERT_EQUAL_UINT(0, f->old_mode | f->new_mode);
}

void test_patch_unified__lines_without_newline(void) {
    parse(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
                "\\ No newline at end of file\n");
    TEST_ASSERT_EQUAL_STRING(" a$-b%+c%", lines(0, 0));
    parse(NAMES "@@ -1,2 +1 @@\n-a\n b\n\\ Kein Zeilenumbruch am Dateiende.\n");
    TEST_ASSERT_EQUAL_STRING("-a$ b%", lines(0, 0));
    parse(NAMES "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n"
                "--- y\n+++ y\n" HUNK);
    TEST_ASSERT_EQUAL_STRING("-a%+a$+b$", lines(0, 0));
    refuse(NAMES "@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n", 4,
           "\\ line may only follow");
    refuse(NAMES HUNK "\\ No newline\n\\ No newline\n", 7, "belongs to no hunk");
    refuse(NAMES "@@ -1 +1 @@\n-a\n\\ No newline\n\\ No newline\n+b\n", 6,
           "\\ line may only follow");
    refuse(NAMES "@@ -2 +1,0 @@\n-a\n\\No newline\n", 5, "\\ line may only follow");
    refuse(NAMES "@@ -1,2 +1 @@\n-a\n\\ No newline\n b\n", 6, "after one that has no newline");
    refuse(NAMES "@@ -1 +1,2 @@\n a\n\\ No newline\n+b\n", 6, "after one that has no newline");
    refuse(NAMES "@@ -1 +1,2 @@\n+b\n\\ No newline\n a\n", 6, "after one that has no newline");
}

void test_patch_unified__lines_that_look_like_headers(void) {
    parse(NAMES "@@ -1,4 +1,4 @@\n--- a/y\n+++ b/y\n-@@ -1 +1 @@\n+@@ -1 +1 @@\n \n+\n--- \n"
                "--- a/y\n+++ b/y\n" HUNK);
    TEST_ASSERT_EQUAL_STRING("--- a/y$+++ b/y$-@@ -1 +1 @@$+@@ -1 +1 @@$ $+$--- $", lines(0, 0));
    TEST_ASSERT_EQUAL_UINT(2, patch.file_count);
}

void test_patch_unified__an_empty_context_line_may_lose_its_space(void) {
    parse(NAMES "@@ -1,3 +1,3 @@\n\n-a\n+b\n\n");
    TEST_ASSERT_EQUAL_STRING(" $-a$+b$ $", lines(0, 0));
}

/* threat 48 */
void test_patch_unified__refuses_counts(void) {
    refuse(NAMES "@@ -1,2 +1 @@\n-a\n+b\n", 3, "says 2 old and 1 new lines, but has 1 and 1");
    refuse(NAMES "@@ -1 +1 @@\n-a\n-b\n", 3, "but has 2 and 0");
    refuse(NAMES "@@ -1 +1 @@\n-a\n+b\n-- c\n", 6, "belongs to no hunk");
    /* It is not certain that these lines belong to it. */
    refuse(NAMES "@@ -1 +1,3 @@\n-a\n+b\n\n" GIT "new mode 100755\n", 3, "but has 2 and 2");
    refuse(NAMES "@@ -1 +1 @@\n-a\n+b\n+c\n--\n", 3, "but has 2 and 2");
    refuse(NAMES "@@ -1 +1 @@\n-a\n+b\n+c\nend\n", 3, "but has 1 and 2");
    refuse(NAMES "@@ -1,2 +1 @@\n@@ -5 +5 @@\n-a\n+b\n", 3, "but has 0 and 0");
    refuse(NAMES "@@ -1 +1 @@\n", 3, "but has 0 and 0");
    refuse(NAMES "@@ -1 +1 @@\nx\n", 3, "but has 0 and 0");
    refuse(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n\tb\n", 3, "but has 2 and 1");
    refuse(NAMES "@@ -1,9999 +1 @@\n-a\n+b\n", 3, "says 9999 old");
}

static void check_counted(size_t hunk, size_t old_count, size_t new_count) {
    TEST_ASSERT_LESS_THAN_UINT(patch.files[0].hunk_count, hunk);
    TEST_ASSERT_EQUAL_UINT(old_count, patch.files[0].hunks[hunk].old_count);
    TEST_ASSERT_EQUAL_UINT(new_count, patch.files[0].hunks[hunk].new_count);
}

/* Models miscount.  Where the end of a hunk is certain, its lines count. */
void test_patch_unified__counts_again(void) {
    parse(NAMES "@@ -1,9 +1,9 @@\n-a\n+b\n@@ -3 +3,4 @@\n c\n+d\n@@ -5 +2 @@\n-e\n+f\n");
    check_counted(0, 1, 1);
    check_counted(1, 1, 2);
    check_counted(2, 1, 1);
    TEST_ASSERT_EQUAL_STRING(" c$+d$", lines(0, 1));
    parse(NAMES "@@ -1 +1,2 @@\n-a\n+b\n--- a/y\n+++ b/y\n" HUNK);
    check_counted(0, 1, 1);
    TEST_ASSERT_EQUAL_UINT(2, patch.file_count);
    parse(NAMES "@@ -1 +1 @@\n-a\n+b\n c\n");
    check_counted(0, 2, 2);
    parse(NAMES "@@ -1 +1 @@\n-a\n+b\n+c\n");
    check_counted(0, 1, 2);
    parse(NAMES "@@ -1 +1 @@\n-a\n+b\n-c\n");
    check_counted(0, 2, 1);
    parse(NAMES "@@ -1 +1,3 @@\n-a\n+b\n\\ No newline at end of file\n@@ -5 +5 @@\n-a\n+b\n");
    TEST_ASSERT_EQUAL_STRING("-a$+b%", lines(0, 0));
    /* The corrected hunks may still not overlap. */
    refuse(NAMES "@@ -1 +1 @@\n-a\n-b\n+c\n@@ -2 +2 @@\n-b\n+d\n", 7, "overlaps the one at line 3");
    refuse(NAMES "@@ -0,0 +1,2 @@\n-a\n+c\n@@ -2 +2 @@\n-b\n+d\n", 3, "lines are counted from 1");
    refuse(NAMES "@@ -1,3 +1,3 @@\n a\n@@ -3 +3 @@\n-b\n+d\n", 3, "the hunk changes nothing");
}

void test_patch_unified__refuses_numbers(void) {
    const char *begins = "a hunk begins with @@";
    refuse(NAMES "@@ -2147483648,9999999999 +1 @@\n-a\n+b\n", 3, "too large");
    refuse(NAMES "@@ -1,99999999999999999999999999 +1 @@\n-a\n+b\n", 3, "too large");
    refuse(NAMES "@@ -1 +18446744073709551617 @@\n-a\n+b\n", 3, "too large");
    refuse(NAMES "@@ -1 +1,2147483648 @@\n-a\n+b\n", 3, "too large");
    refuse(NAMES "@@ --1 +1 @@\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@ -1, +1 @@\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@ -1 1 @@\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@ - +1 @@\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@ -1 +1\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@ -0x1 +1 @@\n-a\n+b\n", 3, begins);
    refuse(NAMES "@@ -0 +1 @@\n-a\n+b\n", 3, "counted from 1");
    refuse(NAMES "@@ -1 +0,1 @@\n-a\n+b\n", 3, "counted from 1");
    refuse(NAMES "@@ -1,0 +1,0 @@\n", 3, "the hunk is empty");
    refuse(NAMES "@@ -1 +1 @@\n a\n", 3, "changes nothing");
    parse(NAMES "@@ -2147483647 +2147483647 @@\n-a\n+b\n");
}

void test_patch_unified__refuses_overlaps(void) {
    parse(NAMES "@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -3 +3 @@\n-a\n+b\n");
    refuse(NAMES "@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -2 +3 @@\n-a\n+b\n", 7, "the one at line 3");
    refuse(NAMES "@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -3 +2 @@\n-a\n+b\n", 7, "the one at line 3");
    refuse(NAMES "@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", 6, "out of order");
    refuse(NAMES HUNK HUNK, 6, "overlaps");
    refuse(NAMES "@@ -5,0 +6 @@\n+a\n@@ -5 +7 @@\n-a\n+b\n", 5, "overlaps");
}

void test_patch_unified__refuses_hunks_that_do_not_fit(void) {
    refuse(GIT "new file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n", 5,
           "a file that is added");
    refuse("--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+a\n@@ -0,0 +2 @@\n+b\n", 5, "added");
    refuse("--- x\n+++ /dev/null\n@@ -1,2 +1 @@\n-a\n b\n", 3, "a file that is deleted");
    refuse("--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n@@ -2 +0,0 @@\n-b\n", 5, "deleted");
    refuse(GIT, 1, "no hunk and changes nothing");
    refuse(GIT "index 1..2 100644\n", 1, "no hunk and changes nothing");
    refuse(NAMES, 3, "a hunk is expected");
    refuse(NAMES NAMES HUNK, 3, "a hunk is expected");
    parse(GIT HUNK);
}

void test_patch_unified__empty(void) {
    refuse("", 0, "changes no file");
    refuse("\n", 0, "changes no file");
    refuse("Some words.\n--- and more\n", 0, "changes no file");
    refuse("\xEF\xBB\xBF", 0, "changes no file");
}

void test_patch_unified__commentary(void) {
    parse("From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n words\n- an item\n+ another\n"
          "--- a line\n---\n x | 2 +-\n 1 file changed\n\n" GIT "index 1..2 100644\n" SECTION
          "-- \n2.39.5\n\nFrom 1234 Mon Sep 17 00:00:00 2001\n more\n"
          "--- y\n+++ y\n" HUNK "--\n2.39.5\n");
    TEST_ASSERT_EQUAL_UINT(2, patch.file_count);
    TEST_ASSERT_EQUAL_UINT(12, patch.files[0].line);
    parse("commit 1234\nAuthor: A\n\n    words\n\n" GIT SECTION "\ncommit 5678\n\n    words\n\n"
          "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n");
    TEST_ASSERT_EQUAL_UINT(2, patch.file_count);
    parse("Index: x\n=====\n" SECTION
          "Index: y\n=====\n--- y\t(revision 1)\n+++ y\t(working copy)\n" HUNK
          "diff -ru a/z b/z\n--- a/z\n+++ b/z\n" HUNK);
    TEST_ASSERT_EQUAL_UINT(3, patch.file_count);
    parse("\xEF\xBB\xBF" SECTION "\n \n\t\n");
}

void test_patch_unified__refuses_what_may_be_lost(void) {
    refuse("@@ -1 +1 @@\n-a\n+b\n", 1, "without the name of its file");
    refuse("--- a/x\n" HUNK, 2, "without the name of its file");
    refuse("--- a/x\n\n+++ b/x\n" HUNK, 4, "without the name of its file");
    refuse(SECTION "\n@@ -5 +5 @@\n-a\n+b\n", 7, "without the name of its file");
    refuse(SECTION "That was it.\n", 6, "belongs to no hunk");
    refuse(SECTION "\n+lost\n", 7, "belongs to no hunk");
    refuse(SECTION "Only in a: z\n", 6, "belongs to no hunk");
    /* This may be a removed line, `- `. */
    refuse(SECTION "-- \n-a\n", 6, "belongs to no hunk");
    refuse(SECTION "-- \n a\n", 6, "belongs to no hunk");
    refuse(GIT "new mode 100644\n\nold mode 100644\n", 1, "only half of a pair");
}

void test_patch_unified__without_final_newline(void) {
    parse(NAMES "@@ -1 +1 @@\n-a\n+b");
    TEST_ASSERT_EQUAL_STRING("-a$+b$", lines(0, 0));
    parse(GIT "old mode 100644\nnew mode 100755");
}

void test_patch_unified__crlf(void) {
    parse("--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\r\n\r\n");
    check_file(0, PATCH_MODIFY, "x", "x");
    TEST_ASSERT_EQUAL_STRING("-a$+b\r$ $", lines(0, 0));
    parse("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n\\ No newline\r\n+b\r");
    TEST_ASSERT_EQUAL_STRING("-a%+b$", lines(0, 0));
    /* When some lines end without CR, a CR is content. */
    parse(NAMES "@@ -1 +1 @@\n-a\r\n+b\n");
    TEST_ASSERT_EQUAL_STRING("-a\r$+b$", lines(0, 0));
    refuse(NAMES "@@ -1 +1 @@\n-a\r\n+b\r\n\r\n+c\r\n", 7, "belongs to no hunk");
}

void test_patch_unified__odd_bytes_are_content(void) {
    parse(NAMES "@@ -1,3 +1,3 @@\n a\fb\n-\r\r\n+x\342\200\250y\n \t\n");
    TEST_ASSERT_EQUAL_STRING(" a\fb$-\r\r$+x\342\200\250y$ \t$", lines(0, 0));
    parse(NAMES "@@ -1 +1 @@\n-\377\n+\n");
    TEST_ASSERT_EQUAL_STRING("-\377$+$", lines(0, 0));
}

/* For git and encoding.h, text may contain a NUL far from its beginning; a name may not. */
void test_patch_unified__nul(void) {
    static const char text[] = NAMES "@@ -1 +1 @@\n-a\n+\0b\n", name[] = "--- x\0\n+++ x\0\n" HUNK;
    parse_bytes(text, sizeof text - 1);
    struct patch_line line;
    const char *at = patch.files[0].hunks[0].body;
    while (patch_next_line(patch.files[0].hunks, &at, &line))
        TEST_ASSERT_EQUAL_UINT(line.op == '+' ? 2 : 1, line.n);
    patch_free(&patch);
    TEST_ASSERT_EQUAL_INT(AQFS_PATCH_PARSE,
                          patch_read(name, sizeof name - 1, PATCH_UNIFIED, &patch, &error));
    TEST_ASSERT_EQUAL_STRING("line 1 of the patch: the path contains a control character",
                             error.message);
}

/* threat 106 */
void test_patch_unified__many_hunks_and_files(void) {
    const size_t count = 100000;
    char *text = malloc(count * 60 + 100), *at = text;
    TEST_ASSERT_NOT_NULL(text);
    at += sprintf(at, NAMES);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "@@ -%zu,2 +%zu,2 @@\n a\n-b\n+c\n", 3 * i + 1, 3 * i + 1);
    parse_bytes(text, (size_t)(at - text));
    TEST_ASSERT_EQUAL_UINT(count, patch.files[0].hunk_count);
    TEST_ASSERT_EQUAL_UINT(4 * count - 1, patch.files[0].hunks[count - 1].line);
    at = text;
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "--- f%zu\n+++ f%zu\n" HUNK, i, i);
    parse_bytes(text, (size_t)(at - text));
    TEST_ASSERT_EQUAL_UINT(count, patch.file_count);
    check_file(count - 1, PATCH_MODIFY, "f99999", "f99999");
    free(text);
}

void test_patch_unified__long_line(void) {
    const size_t n = 10000000;
    char *text = malloc(n + 100);
    TEST_ASSERT_NOT_NULL(text);
    size_t begin = (size_t)sprintf(text, NAMES "@@ -1 +1 @@\n-a\n+");
    memset(text + begin, 'x', n);
    parse_bytes(text, begin + n);
    struct patch_line line;
    const struct patch_hunk *h = patch.files[0].hunks;
    const char *at = h->body;
    TEST_ASSERT_TRUE(patch_next_line(h, &at, &line));
    TEST_ASSERT_TRUE(patch_next_line(h, &at, &line));
    TEST_ASSERT_EQUAL_UINT(n, line.n);
    TEST_ASSERT_FALSE(patch_next_line(h, &at, &line));
    free(text);
}

/* A patch that is cut anywhere is refused, unless only its last line was cut. */
void test_patch_unified__cut_anywhere(void) {
    const char *text = GIT "index 1..2 100644\n" NAMES
                           "@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -5 +5 @@\n-long line\n+another line\n";
    size_t n = strlen(text), ok = 0;
    for (size_t cut = 0; cut < n; cut++) {
        struct patch p;
        char *copy = malloc(cut + 1); /* so that ASan notices reads beyond its end */
        TEST_ASSERT_NOT_NULL(copy);
        memcpy(copy, text, cut);
        ok += patch_read(copy, cut, PATCH_UNIFIED, &p, &error) == AQFS_OK;
        patch_free(&p);
        free(copy);
    }
    /* Cut within the last line of either hunk, or after it. */
    TEST_ASSERT_EQUAL_UINT(strlen("+c\n") + strlen("+another line"), ok);
}

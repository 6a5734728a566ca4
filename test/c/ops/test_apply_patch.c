/* Tests patches through the public call: large ones, odd ones, and files that change meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"

#include "buf.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    make_file(project_path("b.txt"), "one\ntwo\nthree\n");
    ws = open_project("");
}

/* The reply to apply_patch of TEXT; MEMBERS are further members of the request. */
static json_t *apply(const char *text, size_t n, const char *digest) {
    json_t *request = json_pack("{s:s, s:{s:s%}, s:s, s:s*}", "op", "apply_patch", "args", "patch",
                                text, n, "authority", "dangerous", "digest", digest);
    char *json = json_dumps(request, 0);
    json_t *reply = ask_raw(ws, json, strlen(json), NULL);
    free(json);
    json_decref(request);
    return reply;
}

static json_t *apply_text(const char *text) {
    return apply(text, strlen(text), NULL);
}

#define BOTH                                                                                       \
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"                          \
    "--- a/b.txt\n+++ b/b.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"

void test_apply_patch__all_files(void) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(apply_text(BOTH)));
    TEST_ASSERT_EQUAL_STRING("one\n2\nthree\n", text_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL_STRING("one\n2\nthree\n", text_of(project_path("b.txt")));
}

/* Threat 23. */
void test_apply_patch__stale_in_one_is_nothing_in_all(void) {
    json_t *args = json_pack("{s:s}", "patch", BOTH);
    char *json = json_dumps(args, 0);
    const json_t *shown = preview(ws, "apply_patch", json);
    TEST_ASSERT_EQUAL_STRING("a.txt b.txt", names_in(shown, "targets", "path"));
    make_file(project_path("b.txt"), "zero\none\ntwo\nthree\n");
    const json_t *reply = change_approved(ws, text_in(shown, "digest"), "apply_patch", json);
    free(json);
    json_decref(args);
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", code_of(reply)));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL_STRING("zero\none\ntwo\nthree\n", text_of(project_path("b.txt")));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

/* Threats 102, 106. */
void test_apply_patch__ten_megabytes(void) {
    struct buf patch = {0};
    buf_str(&patch, "diff --git a/new.txt b/new.txt\nnew file mode 100644\n");
    buf_printf(&patch, "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,%d @@\n", 200000);
    for (int i = 0; i < 200000; i++)
        buf_printf(&patch, "+line %06d, and so on until there is enough of it\n", i);
    TEST_ASSERT_TRUE(patch.len > 10000000);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(apply(patch.data, patch.len, NULL)));
    buf_free(&patch);
    struct stat s;
    TEST_ASSERT_EQUAL(0, stat(project_path("new.txt"), &s));
    TEST_ASSERT_TRUE(s.st_size > 9800000);
}

void test_apply_patch__files_swap_names(void) {
    make_file(project_path("b.txt"), "other\n");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(apply_text("diff --git a/a.txt b/b.txt\n"
                                                      "similarity index 100%\n"
                                                      "rename from a.txt\nrename to b.txt\n"
                                                      "diff --git a/b.txt b/a.txt\n"
                                                      "similarity index 100%\n"
                                                      "rename from b.txt\nrename to a.txt\n")));
    TEST_ASSERT_EQUAL_STRING("other\n", text_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("b.txt")));
}

#define NEW(name) "--- /dev/null\n+++ b/" name "\n@@ -0,0 +1 @@\n+new\n"
#define EDIT(name) "--- a/" name "\n+++ b/" name "\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"

/* The overlap is found too if other names sort between the two. */
void test_apply_patch__one_file_under_two_names(void) {
    make_link(project_path("z"), "a.txt");
    const json_t *reply = apply_text(EDIT("z") EDIT("b.txt") NEW("m") EDIT("a.txt"));
    TEST_ASSERT_EQUAL_STRING("patch-apply", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "'a.txt' is patched twice"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "hint"), "section for a.txt"));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("b.txt")));
}

/* The overlap is found too if a link hides it from a reader of the patch. */
void test_apply_patch__no_file_lies_in_a_file(void) {
    static const char *const patches[] = {
        EDIT("a.txt") NEW("l/n/x") NEW("d/n.y") NEW("d/n-") NEW("d/n"),
        EDIT("a.txt") NEW("l/n") NEW("d/n.y") NEW("d/n-") NEW("d/n/x"),
        EDIT("a.txt") NEW("l/n") NEW("d/n!") NEW("d/n/a") NEW("d/n/x/y"),
    };
    make_directory(project_path("d"));
    make_link(project_path("l"), "d");
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        const json_t *reply = apply_text(patches[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("patch-apply", code_of(reply), patches[i]);
        TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "both a file and a directory"));
        TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("a.txt")));
        TEST_ASSERT_EQUAL(0, rmdir(project_path("d")));
        make_directory(project_path("d"));
    }
    const json_t *reply =
        apply_text(EDIT("a.txt") NEW("l/n/x") NEW("d/n.y") NEW("d/n-") NEW("d/nn"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
}

void test_apply_patch__modes(void) {
    struct stat s;
    TEST_ASSERT_EQUAL_STRING("ok", code_of(apply_text("diff --git a/a.txt b/a.txt\n"
                                                      "old mode 100644\nnew mode 100755\n")));
    TEST_ASSERT_EQUAL(0, stat(project_path("a.txt"), &s));
    TEST_ASSERT_TRUE(s.st_mode & 0100);
}

/* Paths of a patch are plain bytes: `~` is not a home directory, and quotes quote nothing. */
void test_apply_patch__odd_names(void) {
    TEST_ASSERT_EQUAL_STRING("ok",
                             code_of(apply_text("diff --git a/~/x b/~/x\nnew file mode 100644\n"
                                                "--- /dev/null\n+++ b/~/x\n"
                                                "@@ -0,0 +1 @@\n+new\n")));
    TEST_ASSERT_EQUAL_STRING("new\n", text_of(project_path("~/x")));
    TEST_ASSERT_EQUAL_STRING("ok",
                             code_of(apply_text("diff --git \"a/\\\"q\\377\" \"b/\\\"q\\377\"\n"
                                                "new file mode 100644\n"
                                                "--- /dev/null\n+++ \"b/\\\"q\\377\"\n"
                                                "@@ -0,0 +1 @@\n+new\n")));
    TEST_ASSERT_EQUAL_STRING("new\n", text_of(project_path("\"q\377")));
}

void test_apply_patch__a_name_with_nul(void) {
    TEST_ASSERT_EQUAL_STRING("patch-parse", code_of(apply_text("--- /dev/null\n+++ \"b/a\\000b\"\n"
                                                               "@@ -0,0 +1 @@\n+new\n")));
    TEST_ASSERT_NOT_EQUAL(0, access(project_path("a"), F_OK));
}

void test_apply_patch__nul_in_a_line(void) {
    static const char patch[] = "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\0x\n";
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(apply(patch, sizeof patch - 1, NULL)));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("a.txt")));
}

/* Threat 108. */
void test_apply_patch__not_what_cannot_be_read(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root reads everything");
    TEST_ASSERT_EQUAL(0, chmod(project_path("b.txt"), 0));
    TEST_ASSERT_EQUAL_STRING("permission", code_of(apply_text(BOTH)));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("a.txt")));
}

void test_apply_patch__a_link_is_not_a_file(void) {
    make_link(project_path("link"), "a.txt");
    const json_t *reply = apply_text("diff --git a/link b/link\ndeleted file mode 100644\n"
                                     "--- a/link\n+++ /dev/null\n@@ -1,3 +0,0 @@\n"
                                     "-one\n-two\n-three\n");
    TEST_ASSERT_EQUAL_STRING("not-regular", code_of(reply));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("link")));
}

void test_apply_patch__the_same_file_twice(void) {
    make_link(project_path("link"), "a.txt");
    const json_t *reply = apply_text("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"
                                     "--- a/link\n+++ b/link\n@@ -3 +3 @@\n-three\n+3\n");
    TEST_ASSERT_EQUAL_STRING("patch-apply", code_of(reply));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", text_of(project_path("a.txt")));
}

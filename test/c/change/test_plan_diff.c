/* A preview shows a patch: given to apply_patch, it does the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"
#include "path.h"

#include "unity.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files with names and contents that a patch could get wrong. */
static const struct planted {
    const char *name, *content;
    mode_t mode;
} planted[] = {
    {"a.txt", "one\ntwo\nthree\n", 0644},
    {"a/a.txt", "one\n", 0644},
    {"b/a.txt", "two\n", 0644},
    {"sub/deep/c.txt", "charlie\n", 0644},
    {"run.sh", "#!/bin/sh\n", 0755},
    {"with a space", "one\n", 0644},
    {" at both ends ", "one\n", 0644},
    {"two  and \"quotes\"", "one\n", 0644},
    {"\"quoted\"", "one\n", 0644},
    {"back\\slash", "one\n", 0644},
    {"~/home.txt", "one\n", 0644},
    {"~tilde", "one\n", 0644},
    {"na\xC3\xAFve.txt", "\xC3\xA9t\xC3\xA9\n", 0644},
    {"caf\xE9.txt", "one\n", 0644},
    {"invisible\xE2\x80\x8B.txt", "one\n", 0644},
    {"tab\tbed", "one\n", 0644},
    {"dev/null", "one\n", 0644},
    {"-- a", "-- a\n++ b\n", 0644},
    {"a => b", "one\n", 0644},
    {"empty", "", 0644},
    {"no-newline", "one\ntwo", 0644},
    {"crlf", "one\r\ntwo\r\n", 0644},
    {"mixed", "one\r\ntwo\nthree\r", 0644},
    {"bom", "\xEF\xBB\xBFone\n", 0644},
    {"form\ffeed", "one\ftwo\n", 0644},
    {"latin-1", "caf\xE9 na\xEFve d\xE9j\xE0 vu\n", 0644},
};
#define PLANTED (sizeof planted / sizeof *planted)

static void plant(void) {
    remove_all(project_path(""));
    make_directory(project_path(""));
    for (size_t i = 0; i < PLANTED; i++) {
        make_file(project_path(planted[i].name), planted[i].content);
        TEST_ASSERT_EQUAL(0, chmod(project_path(planted[i].name), planted[i].mode));
    }
    aqfs_free(ws);
    ws = open_project("");
}

void setUp(void) {
    support_start();
    plant();
}

/* -- the tree as text -------------------------------------------------------------------------- */

static struct buf seen;
static size_t base_n;

static int see(const char *path, const struct stat *s, int type, struct FTW *where) {
    char bytes[4096];
    (void)where;
    if (type != FTW_F || !S_ISREG(s->st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof bytes);
    (void)close(fd);
    buf_printf(&seen, "%03o ", s->st_mode & 07777);
    path_show_safe(&seen, path + base_n, strlen(path) - base_n);
    buf_char(&seen, ' ');
    path_show_safe(&seen, bytes, (size_t)n);
    buf_char(&seen, '\n');
    return 0;
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One line a file, sorted: mode, name, content.  To be freed. */
static char *tree_text(void) {
    char *lines[256] = {0}, *rest = NULL;
    size_t n = 0;
    struct buf sorted = {0};
    buf_clear(&seen);
    base_n = strlen(project_path(""));
    (void)nftw(project_path(""), see, 16, FTW_PHYS);
    for (char *line = strtok_r(seen.data, "\n", &rest); line && n < 256;
         line = strtok_r(NULL, "\n", &rest))
        lines[n++] = line;
    qsort(lines, n, sizeof *lines, compare_lines);
    for (size_t i = 0; i < n; i++)
        buf_printf(&sorted, "%s\n", lines[i]);
    buf_free(&seen);
    return sorted.data;
}

/* -- the property ------------------------------------------------------------------------------ */

static char *json_text(json_t *object) {
    char *text = json_dumps(object, 0);
    json_decref(object);
    return text;
}

static const char *apply(const char *diff) {
    char *args = json_text(json_pack("{s:s}", "patch", diff));
    const json_t *reply = change(ws, "apply_patch", args);
    free(args);
    const char *code = code_of(reply);
    return strcmp(code, "ok") == 0 ? code : text_in(reply, "text");
}

/* OP with ARGS (taken) does what its own preview does as a patch. */
static void check(const char *op, json_t *args) {
    char *text = json_text(args);
    plant();
    const json_t *shown = preview(ws, op, text);
    const char *diff = text_in(shown, "diff");
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(shown), text);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(change(ws, op, text)), text);
    char *want = tree_text();
    plant();
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", apply(diff), diff);
    char *got = tree_text();
    TEST_ASSERT_EQUAL_STRING_MESSAGE(want, got, diff);
    free(want);
    free(got);
    free(text);
}

static const char *shown_name(const char *prefix, const char *name) {
    static char out[512];
    struct buf whole = {0}, shown = {0};
    buf_printf(&whole, "%s%s", prefix, name);
    path_show(&shown, whole.data, whole.len);
    (void)snprintf(out, sizeof out, "%s", shown.data);
    buf_free(&whole);
    buf_free(&shown);
    return out;
}

static json_t *source_and(const char *name, const char *destination, bool replace) {
    return json_pack("{s:s, s:s, s:b}", "source", shown_name("", name), "destination", destination,
                     "allow_overwrite", replace);
}

void test_plan_diff__delete(void) {
    for (size_t i = 0; i < PLANTED; i++)
        check("delete_file", json_pack("{s:s}", "path", shown_name("", planted[i].name)));
}

void test_plan_diff__insert(void) {
    for (size_t i = 0; i < PLANTED; i++)
        check("insert_at_line",
              json_pack("{s:s, s:i, s:s}", "path", shown_name("", planted[i].name), "line", 0,
                        "content", "new\n"));
}

void test_plan_diff__edit(void) {
    static const char *const names[] = {"a.txt", "crlf",       "mixed",
                                        "bom",   "no-newline", "caf\xE9.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check("edit_file", json_pack("{s:s, s:s, s:s}", "path", shown_name("", names[i]), "old_str",
                                     "one", "new_str", "1"));
}

void test_plan_diff__create(void) {
    for (size_t i = 0; i < PLANTED; i++)
        check("create_file", json_pack("{s:s, s:s}", "path", shown_name("new/", planted[i].name),
                                       "content", "a\nb"));
    check("create_file", json_pack("{s:s, s:s}", "path", "new", "content", ""));
    check("create_file", json_pack("{s:s, s:s}", "path", "new", "content", "a\r\nb\r\n"));
    check("create_file", json_pack("{s:s, s:s}", "path", "new", "content",
                                   "\xEF\xBB\xBF"
                                   "a\n"));
    check("write_bytes", json_pack("{s:s, s:s}", "path", "new", "content", "eA=="));
}

void test_plan_diff__overwrite(void) {
    for (size_t i = 0; i < PLANTED; i++)
        if (strcmp(planted[i].name, "latin-1") != 0)
            check("write_file", json_pack("{s:s, s:s}", "path", shown_name("", planted[i].name),
                                          "content", "new\n"));
    check("write_file", json_pack("{s:s, s:s}", "path", "a.txt", "content", ""));
    check("write_file",
          json_pack("{s:s, s:s, s:s}", "path", "no-newline", "content", "!", "mode", "append"));
    check("create_file", json_pack("{s:s, s:s, s:b}", "path", "run.sh", "content", "new\n",
                                   "allow_overwrite", true));
}

void test_plan_diff__move_and_copy(void) {
    static const char *const ops[] = {"move_file", "copy_file"};
    for (size_t op = 0; op < 2; op++) {
        for (size_t i = 0; i < PLANTED; i++) {
            char destination[512];
            (void)snprintf(destination, sizeof destination, "%s",
                           shown_name("new/", planted[i].name));
            check(ops[op], source_and(planted[i].name, destination, false));
        }
        check(ops[op], source_and("a.txt", "sub/deep/c.txt", true));
        check(ops[op], source_and("a.txt", "run.sh", true));
        check(ops[op], source_and("run.sh", "a.txt", true));
        check(ops[op], source_and("a.txt", "empty", true));
    }
}

static void check_patch(const char *patch) {
    check("apply_patch", json_pack("{s:s}", "patch", patch));
}

/* The preview of a patch is a patch again. */
void test_plan_diff__patches(void) {
    check_patch("*** Begin Patch\n*** Add File: new/x\n+x\n*** Delete File: crlf\n"
                "*** Update File: a.txt\n*** Move to: moved.txt\n@@\n-two\n+2\n*** End Patch\n");
    check_patch("diff --git a/a.txt b/copy\ncopy from a.txt\ncopy to copy\n");
    check_patch(
        "diff --git a/a.txt b/copy\ncopy from a.txt\ncopy to copy\n--- a/a.txt\n+++ b/copy\n"
        "@@ -1 +1 @@\n-one\n+1\n");
    check_patch("diff --git a/empty b/a.txt\nrename from empty\nrename to a.txt\n"
                "diff --git a/a.txt b/empty\nrename from a.txt\nrename to empty\n");
    check_patch("diff --git a/a.txt b/old\nrename from a.txt\nrename to old\n"
                "diff --git a/a.txt b/a.txt\nnew file mode 100755\n--- /dev/null\n+++ b/a.txt\n"
                "@@ -0,0 +1 @@\n+new\n");
    check_patch("diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n");
    check_patch("diff --git a/a.txt b/x\nold mode 100644\nnew mode 100755\nrename from a.txt\n"
                "rename to x\n");
}

/* -- what a patch cannot say ------------------------------------------------------------------- */

static const char *refused(const char *op, json_t *args) {
    char *text = json_text(args);
    const json_t *shown = preview(ws, op, text);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(shown), text);
    free(text);
    char *before = tree_text();
    TEST_ASSERT_TRUE_MESSAGE(strcmp("ok", apply(text_in(shown, "diff"))) != 0,
                             text_in(shown, "diff"));
    char *after = tree_text();
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(before);
    free(after);
    return text_in(shown, "diff");
}

static void check_has(const char *text, const char *part) {
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, part), text);
}

void test_plan_diff__binary_is_refused_by_name(void) {
    check_has(refused("write_bytes", json_pack("{s:s, s:s}", "path", "new", "content", "AP8=")),
              "Binary files /dev/null and b/new (2 bytes) differ\n");
    check_has(refused("write_bytes", json_pack("{s:s, s:s}", "path", "a.txt", "content", "AP8=")),
              "Binary files a/a.txt (14 bytes) and b/a.txt (2 bytes) differ\n");
    int fd = open(project_path("binary"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    TEST_ASSERT_EQUAL(4, write(fd, "\0\1\2\377", 4));
    close(fd);
    check_has(refused("delete_file", json_pack("{s:s}", "path", "binary")),
              "Binary files a/binary (4 bytes) and /dev/null differ\n");
}

void test_plan_diff__links_are_refused(void) {
    make_link(project_path("l"), "a.txt");
    check_has(refused("delete_file", json_pack("{s:s}", "path", "l")),
              "deleted file mode 120000\n");
    check_has(refused("move_file", source_and("l", "m", false)), "rename from l\nrename to m\n");
    check_has(refused("move_file", source_and("a.txt", "l", true)), "Special file l replaced\n");
}

void test_plan_diff__directories_are_refused(void) {
    check_has(refused("delete_file", json_pack("{s:s, s:b}", "path", "sub", "recursive", true)),
              "Directory sub deleted, with 2 entries below it\n");
    check_has(refused("move_file", source_and("sub", "new\nname", false)),
              "Directory sub renamed to \"new\\nname\"\n");
    check_has(refused("make_directory", json_pack("{s:s}", "path", "x/y")), "New directory x/y\n");
}

void test_plan_diff__a_fifo_is_refused(void) {
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("f"), 0600));
    check_has(refused("delete_file", json_pack("{s:s}", "path", "f")), "Special file f deleted\n");
}

/* A deletion that is too long to be shown says so, and what is shown of it is not applied. */
void test_plan_diff__what_is_cut_says_so(void) {
    make_file(project_path("long"), repeated("line\n", 5000));
    aqfs_free(ws);
    ws = open_project("\"limits\":{\"text_bytes\":4096}");
    check_has(refused("delete_file", json_pack("{s:s}", "path", "long")), "[diff truncated: ");
    aqfs_free(ws);
    ws = open_project("\"limits\":{\"read_bytes\":100}");
    check_has(refused("delete_file", json_pack("{s:s}", "path", "long")),
              "Files a/long (25000 bytes) and /dev/null differ\n");
    check_has(refused("copy_file", source_and("long", "a.txt", true)),
              "Files a/a.txt (14 bytes) and b/a.txt (25000 bytes) differ\n");
}

/* The bound is that of all files together. */
void test_plan_diff__all_that_is_shown_has_one_bound(void) {
    char patch[400] = "{\"patch\":\"*** Begin Patch\\n", name[20];
    for (int i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof name, "long%d", i);
        make_file(project_path(name), repeated("line\n", 400));
        (void)snprintf(patch + strlen(patch), sizeof patch - strlen(patch),
                       "*** Delete File: %s\\n", name);
    }
    (void)snprintf(patch + strlen(patch), sizeof patch - strlen(patch), "*** End Patch\"}");
    aqfs_free(ws);
    ws = open_project("\"limits\":{\"text_bytes\":4096}");
    json_t *shown = preview(ws, "apply_patch", patch);
    TEST_ASSERT_NOT_NULL(strstr(text_in(shown, "diff"), "diff --git a/long5 "));
    TEST_ASSERT_LESS_THAN(5000, strlen(text_in(shown, "diff")));
}

/* A file that cannot be read can be deleted, and is not shown. */
void test_plan_diff__unreadable(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root can read everything");
    TEST_ASSERT_EQUAL(0, chmod(project_path("a.txt"), 0));
    check_has(refused("delete_file", json_pack("{s:s}", "path", "a.txt")),
              "Files a/a.txt (14 bytes) and /dev/null differ\n");
}

/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "host.h"
#include "sandbox.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct buf said;

void setUp(void) {
    sandbox_open("{\"restricted_paths\": [\"secret\"]}");
}

void tearDown(void) {
    sandbox_close();
    buf_free(&said);
}

/* "PATH:LINE:START-END ..." of a reply's matches. */
static const char *matches(const json_t *reply) {
    const json_t *list = json_object_get(reply, "matches");
    buf_clear(&said);
    buf_str(&said, "");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        buf_printf(&said, "%s%s:%lld:%lld-%lld", i ? " " : "", reply_text(m, "path"),
                   reply_number(m, "line"), reply_number(m, "start"), reply_number(m, "end"));
    }
    TEST_ASSERT_TRUE_MESSAGE(json_is_array(list), "no matches member");
    return said.data;
}

static const json_t *grep(const char *pattern) {
    return sandbox_call("grep_files", "{s:s}", "pattern", pattern);
}

static const json_t *grep_with(const char *pattern, const char *key, const char *value) {
    return sandbox_call("grep_files", "{s:s,s:s}", "pattern", pattern, key, value);
}

static void check_text(const char *part, const json_t *reply) {
    const char *text = reply_text(reply, "text");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, part), text);
}

void test_grep_files__tells_file_line_and_place(void) {
    sandbox_mkdir("sub");
    sandbox_text("a.txt", "one\nxx two\n\ntwo two");
    sandbox_text("sub/b.txt", "no\ntwo\n");
    const json_t *reply = grep("two");
    TEST_ASSERT_EQUAL_STRING("a.txt:2:3-6 a.txt:4:0-3 sub/b.txt:2:0-3", matches(reply));
    TEST_ASSERT_EQUAL(3, reply_number(reply, "total"));
    TEST_ASSERT_EQUAL(2, reply_number(reply, "files"));
    TEST_ASSERT_EQUAL(2, reply_number(reply, "searched"));
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    const json_t *first = json_array_get(json_object_get(reply, "matches"), 0);
    TEST_ASSERT_EQUAL_STRING("xx two", reply_text(first, "text"));
    TEST_ASSERT_NULL(json_object_get(first, "before"));
    TEST_ASSERT_EQUAL_STRING("a.txt:2:xx two\na.txt:4:two two\nsub/b.txt:2:two\n",
                             reply_text(reply, "text"));
}

void test_grep_files__the_order_is_that_of_paths_as_bytes(void) {
    static const char *const names[] = {"b", "a/x", "a.c", "a0", "a/b/c", "B", "a/b.c", "\xC3\xA9"};
    sandbox_mkdir("a");
    sandbox_mkdir("a/b");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sandbox_text(names[i], "x\n");
    TEST_ASSERT_EQUAL_STRING("B:1:0-1 a.c:1:0-1 a/b.c:1:0-1 a/b/c:1:0-1 a/x:1:0-1 a0:1:0-1 "
                             "b:1:0-1 \xC3\xA9:1:0-1",
                             matches(grep("x")));
}

void test_grep_files__ignoring_case_and_literal_text(void) {
    sandbox_text("a", "Foo\nf.o\n");
    const json_t *reply =
        sandbox_call("grep_files", "{s:s,s:b}", "pattern", "FOO", "ignore_case", 1);
    TEST_ASSERT_EQUAL_STRING("a:1:0-3", matches(reply));
    reply = sandbox_call("grep_files", "{s:s,s:b}", "pattern", "f.o", "literal", 1);
    TEST_ASSERT_EQUAL_STRING("a:2:0-3", matches(reply));
}

void test_grep_files__include(void) {
    sandbox_mkdir("src");
    sandbox_mkdir("src/deep");
    sandbox_text("a.c", "x\n");
    sandbox_text("src/b.c", "x\n");
    sandbox_text("src/b.h", "x\n");
    sandbox_text("src/deep/c.c", "x\n");
    TEST_ASSERT_EQUAL_STRING("a.c:1:0-1 src/b.c:1:0-1 src/deep/c.c:1:0-1",
                             matches(grep_with("x", "include", "*.c")));
    TEST_ASSERT_EQUAL_STRING("src/b.c:1:0-1 src/b.h:1:0-1",
                             matches(grep_with("x", "include", "src/*")));
    TEST_ASSERT_EQUAL_STRING("src/b.c:1:0-1 src/deep/c.c:1:0-1",
                             matches(grep_with("x", "include", "src/**/*.c")));
    const json_t *reply = sandbox_call("grep_files", "{s:s,s:s,s:s}", "pattern", "x", "path", "src",
                                       "include", "deep/*");
    TEST_ASSERT_EQUAL_STRING("src/deep/c.c:1:0-1", matches(reply));
}

void test_grep_files__include_that_matches_nothing_says_so(void) {
    sandbox_text("a.c", "x\n");
    const json_t *reply = grep_with("x", "include", "*.h");
    TEST_ASSERT_EQUAL_STRING("", matches(reply));
    check_text("include matches no file", reply);
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "hint"), "no file"));
    reply = grep_with("x", "include", "*.{c,h}");
    check_text("{a,b}", reply);
}

void test_grep_files__git_is_left_out_unless_asked_for(void) {
    sandbox_mkdir(".git");
    sandbox_text(".git/config", "x\n");
    sandbox_text(".env", "x\n");
    TEST_ASSERT_EQUAL_STRING(".env:1:0-1", matches(grep("x")));
    const json_t *reply =
        sandbox_call("grep_files", "{s:s,s:[]}", "pattern", "x", "exclude_patterns");
    TEST_ASSERT_EQUAL_STRING(".env:1:0-1 .git/config:1:0-1", matches(reply));
    reply = sandbox_call("grep_files", "{s:s,s:[s]}", "pattern", "x", "exclude_patterns", "*");
    TEST_ASSERT_EQUAL_STRING("", matches(reply));
}

void test_grep_files__a_single_file(void) {
    sandbox_text("a.txt", "x\n");
    sandbox_text("b.txt", "x\n");
    sandbox_link("l", "b.txt");
    TEST_ASSERT_EQUAL_STRING("a.txt:1:0-1", matches(grep_with("x", "path", "a.txt")));
    TEST_ASSERT_EQUAL_STRING("b.txt:1:0-1", matches(grep_with("x", "path", "l")));
    check_error(grep_with("x", "path", "none"), "not-found", "none");
    check_error(grep_with("x", "path", "../x"), "outside-root", "../x");
    check_error(grep_with("x", "path", "secret"), "restricted", "secret");
}

void test_grep_files__only_regular_files_are_searched(void) {
    sandbox_text("a", "x\n");
    sandbox_link("b", "a");
    TEST_ASSERT_EQUAL(0, mkfifo(sandbox_path("p"), 0600));
    const json_t *reply = grep("x");
    TEST_ASSERT_EQUAL_STRING("a:1:0-1", matches(reply));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "searched"));
}

/* Threat 27: its directory listed a file, which is replaced by a device before it is opened. */
static struct backend lying;

static int open_lying(struct aqfs_workspace *w, const struct root *root, const char *path,
                      enum open_kind kind, struct node *out, struct error *e) {
    int code = host_backend.open(w, root, path, kind, out, e);
    if (!code)
        out->backend = &lying;
    return code;
}

static int open_below_lying(const struct node *dir, const char *name, enum open_kind kind,
                            struct node *out, struct error *e) {
    int code = host_backend.open_below(dir, name, kind, out, e);
    if (!code)
        out->backend = &lying;
    return code;
}

static int stat_as_device(const struct node *any, struct info *out, struct error *e) {
    (void)any, (void)e;
    *out = (struct info){.type = NODE_OTHER};
    return AQFS_OK;
}

void test_grep_files__what_became_a_device_shows_nothing(void) {
    sandbox_text("a", "x\n");
    sandbox_text("b", "y\n");
    lying = host_backend;
    lying.open = open_lying;
    lying.open_below = open_below_lying;
    lying.stat = stat_as_device;
    sandbox_workspace()->backend = &lying;
    const json_t *reply = grep("x");
    TEST_ASSERT_EQUAL_STRING("", matches(reply));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "unreadable"));
    TEST_ASSERT_NULL(strstr(reply_text(reply, "text"), "a:1"));
}

void test_grep_files__what_is_restricted_is_not_there(void) {
    sandbox_mkdir("secret");
    sandbox_text("secret/key", "x\n");
    sandbox_text("a", "x\n");
    TEST_ASSERT_EQUAL_STRING("a:1:0-1", matches(grep("x")));
}

void test_grep_files__what_cannot_be_read_is_counted(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root can read everything");
    sandbox_mkdir("d");
    sandbox_text("a", "x\n");
    sandbox_text("b", "x\n");
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("a"), 0));
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("d"), 0));
    const json_t *reply = grep("x");
    TEST_ASSERT_EQUAL_STRING("b:1:0-1", matches(reply));
    TEST_ASSERT_EQUAL(2, reply_number(reply, "unreadable"));
    check_text("[2 files or directories could not be read]", reply);
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("d"), 0700));
}

/* ---- Outputs */

void test_grep_files__files_only(void) {
    sandbox_text("a", "x\nx\n");
    sandbox_text("b", "y\n");
    sandbox_text("c", "x\n");
    const json_t *reply = grep_with("x", "output", "files");
    const json_t *paths = json_object_get(reply, "paths");
    TEST_ASSERT_EQUAL(2, json_array_size(paths));
    TEST_ASSERT_EQUAL_STRING("c", json_string_value(json_array_get(paths, 1)));
    TEST_ASSERT_EQUAL(2, reply_number(reply, "total"));
    TEST_ASSERT_EQUAL_STRING("a\nc\n", reply_text(reply, "text"));
}

void test_grep_files__counts(void) {
    sandbox_text("a", "x\nx\ny x\n");
    sandbox_text("b", "y\n");
    sandbox_text("c", "x");
    const json_t *reply =
        sandbox_call("grep_files", "{s:s,s:s,s:i}", "pattern", "x", "output", "count", "limit", 1);
    const json_t *counts = json_object_get(reply, "counts");
    TEST_ASSERT_EQUAL(1, json_array_size(counts));
    TEST_ASSERT_EQUAL_STRING("a", reply_text(json_array_get(counts, 0), "path"));
    TEST_ASSERT_EQUAL(3, reply_number(json_array_get(counts, 0), "count"));
    TEST_ASSERT_EQUAL(4, reply_number(reply, "total"));
    TEST_ASSERT_EQUAL(2, reply_number(reply, "files"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    check_text("a:3\n[truncated: the first 1 file shown;", reply);
}

void test_grep_files__a_limit_is_reached_or_not(void) {
    sandbox_text("a", "x\nx\n");
    sandbox_text("b", "x\nx\n");
    for (int limit = 1; limit <= 5; limit++) {
        const json_t *reply =
            sandbox_call("grep_files", "{s:s,s:i}", "pattern", "x", "limit", limit);
        TEST_ASSERT_EQUAL(limit < 4 ? limit : 4, reply_number(reply, "total"));
        TEST_ASSERT_EQUAL(limit < 3 ? 1 : 2, reply_number(reply, "files"));
        TEST_ASSERT_EQUAL(limit < 4, reply_flag(reply, "truncated"));
        TEST_ASSERT_EQUAL(limit < 4, strstr(reply_text(reply, "text"), "raise limit") != NULL);
    }
    const json_t *reply =
        sandbox_call("grep_files", "{s:s,s:i,s:s}", "pattern", "x", "limit", 1, "output", "files");
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
}

void test_grep_files__nothing_found_is_no_error(void) {
    sandbox_text("a", "x\n");
    const json_t *reply = grep("zebra");
    TEST_ASSERT_EQUAL_STRING("", matches(reply));
    TEST_ASSERT_EQUAL(0, reply_number(reply, "total"));
    TEST_ASSERT_EQUAL_STRING("No matches for zebra (1 file searched)\n", reply_text(reply, "text"));
    check_text("never spans lines", grep("x\\nx"));
    check_error(grep("x("), "invalid-argument", "missing closing parenthesis");
    check_error(grep("(*UTF)x"), "invalid-argument", "(*UTF)");
}

/* ---- Context */

static const json_t *grep_context(const char *pattern, int lines, int limit) {
    return sandbox_call("grep_files", "{s:s,s:i,s:i}", "pattern", pattern, "context", lines,
                        "limit", limit);
}

static const char *lines_of(const json_t *reply, size_t match, const char *key) {
    const json_t *m = json_array_get(json_object_get(reply, "matches"), match);
    const json_t *lines = json_object_get(m, key);
    TEST_ASSERT_TRUE(json_is_array(lines));
    buf_clear(&said);
    buf_str(&said, "");
    for (size_t i = 0; i < json_array_size(lines); i++)
        buf_printf(&said, "%s|", json_string_value(json_array_get(lines, i)));
    return said.data;
}

void test_grep_files__context_of_a_match(void) {
    sandbox_text("a", "1\n2\nx\n4\n5\n6\n7\n8\nx\n10");
    const json_t *reply = grep_context("x", 2, 200);
    TEST_ASSERT_EQUAL_STRING("1|2|", lines_of(reply, 0, "before"));
    TEST_ASSERT_EQUAL_STRING("4|5|", lines_of(reply, 0, "after"));
    TEST_ASSERT_EQUAL_STRING("7|8|", lines_of(reply, 1, "before"));
    TEST_ASSERT_EQUAL_STRING("10|", lines_of(reply, 1, "after"));
    TEST_ASSERT_EQUAL_STRING("a-1-1\na-2-2\na:3:x\na-4-4\na-5-5\n--\n"
                             "a-7-7\na-8-8\na:9:x\na-10-10\n",
                             reply_text(reply, "text"));
}

void test_grep_files__contexts_that_meet_are_one(void) {
    sandbox_text("a", "x\n2\nx\nx\n5\n");
    sandbox_text("b", "1\nx");
    const json_t *reply = grep_context("x", 1, 200);
    TEST_ASSERT_EQUAL_STRING("", lines_of(reply, 0, "before"));
    TEST_ASSERT_EQUAL_STRING("2|", lines_of(reply, 1, "before"));
    TEST_ASSERT_EQUAL_STRING("x|", lines_of(reply, 1, "after"));
    TEST_ASSERT_EQUAL_STRING("x|", lines_of(reply, 2, "before"));
    TEST_ASSERT_EQUAL_STRING("a:1:x\na-2-2\na:3:x\na:4:x\na-5-5\n--\nb-1-1\nb:2:x\n",
                             reply_text(reply, "text"));
}

void test_grep_files__the_last_match_shown_has_its_context(void) {
    sandbox_text("a", "1\nx\n3\nx\n5\nx\n7\n");
    const json_t *reply = grep_context("x", 2, 1);
    TEST_ASSERT_EQUAL_STRING("3|x|", lines_of(reply, 0, "after"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    check_text("a-1-1\na:2:x\na-3-3\n[truncated", reply);
}

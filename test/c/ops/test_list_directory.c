/* Tests of list_directory and list_dir beyond the conformance table: large directories, and
 * directories that change meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#include "host.h"
#include "listing.h"

#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    ws = open_project("");
}

static void make_many(int n) {
    char name[40];
    for (int i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "many/f%05d", i);
        make_file(project_path(name), "");
    }
}

/* -- sizes in words --------------------------------------------------------------------------- */

static void shows_size(int64_t size, const char *as) {
    AUTO(buf_free) struct buf out = {0};
    listing_text_size(&out, size);
    TEST_ASSERT_EQUAL_STRING(as, out.data);
}

void test_list_directory__sizes_take_four_characters(void) {
    shows_size(0, "0");
    shows_size(999, "999");
    shows_size(1000, "1.0K");
    shows_size(1024, "1.0K");
    shows_size(10137, "9.9K");
    shows_size(10200, "10K");
    shows_size(1023487, "999K");
    shows_size(1023488, "1.0M");
    shows_size(1048576, "1.0M");
    shows_size(INT64_C(5) << 30, "5.0G");
    shows_size(INT64_C(8) << 40, "8.0T");
    shows_size(INT64_C(900) << 50, "900P");
    shows_size(INT64_MAX, "8.0E");
}

/* -- many ------------------------------------------------------------------------------------- */

/* Threat 87: the pages make up the whole listing, with each entry once. */
void test_list_directory__pages_add_up_to_the_whole(void) {
    char args[120], expected[20];
    make_many(1000);
    int next = 0;
    for (int offset = 0; offset < 1000; offset += 300) {
        (void)snprintf(args, sizeof args, "{\"path\": \"many\", \"limit\": 300, \"offset\": %d}",
                       offset);
        const json_t *reply = ask(ws, "list_directory", args);
        const json_t *entries = json_object_get(reply, "entries");
        TEST_ASSERT_EQUAL(1000, number_in(reply, "total"));
        TEST_ASSERT_EQUAL(offset + 300 < 1000, json_is_true(json_object_get(reply, "truncated")));
        for (size_t i = 0; i < json_array_size(entries); i++) {
            (void)snprintf(expected, sizeof expected, "f%05d", next++);
            TEST_ASSERT_EQUAL_STRING(expected, text_in(json_array_get(entries, i), "name"));
        }
    }
    TEST_ASSERT_EQUAL(1000, next);
}

/* Sizes and times are read only of the entries that are shown. */
void test_list_directory__a_page_of_many_is_cheap(void) {
    make_many(3000);
    const json_t *reply = ask(ws, "list_directory", "{\"path\": \"many\", \"limit\": 2}");
    TEST_ASSERT_EQUAL(3000, number_in(reply, "total"));
    TEST_ASSERT_EQUAL_STRING("f00000 f00001", names_in(reply, "entries", "name"));
    TEST_ASSERT_TRUE(strlen(text_in(reply, "text")) < 300);
}

/* The data is cut when the reply is full, and the reply says where to go on. */
void test_list_directory__a_full_reply_says_how_to_go_on(void) {
    make_many(400);
    aqfs_free(ws);
    ws = open_project("\"limits\": {\"reply_bytes\": 4096}");
    const json_t *reply = ask(ws, "list_directory", "{\"path\": \"many\", \"limit\": 400}");
    size_t shown = json_array_size(json_object_get(reply, "entries"));
    char go_on[60];
    TEST_ASSERT_TRUE(shown > 10 && shown < 100);
    TEST_ASSERT_TRUE(json_is_true(json_object_get(reply, "truncated")));
    (void)snprintf(go_on, sizeof go_on, "%zu of 400 entries shown; continue with offset=%zu", shown,
                   shown);
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), go_on));
}

/* -- orders ----------------------------------------------------------------------------------- */

void test_list_directory__by_size_also_below(void) {
    make_file(project_path("a/small"), "1");
    make_file(project_path("a/large"), "1234567");
    make_file(project_path("middle"), "1234");
    make_file(project_path("b/middle"), "1234");
    const json_t *reply = ask(ws, "list_directory", "{\"sort_by\": \"size\", \"depth\": 2}");
    TEST_ASSERT_EQUAL_STRING("a/large middle b/middle a/small a b",
                             names_in(reply, "entries", "path"));
}

void test_list_directory__breadth_first_is_by_levels(void) {
    make_file(project_path("b/c/d/e"), "");
    make_file(project_path("a/x"), "");
    make_file(project_path("b/a"), "");
    const json_t *reply = ask(ws, "list_dir", "{\"depth\": 4}");
    TEST_ASSERT_EQUAL_STRING("a b a/x b/a b/c b/c/d b/c/d/e", names_in(reply, "entries", "path"));
}

/* -- what is shown can be given back (threat 56) ---------------------------------------------- */

void test_list_directory__every_name_shown_is_accepted_back(void) {
    static const char *const names[] = {
        "plain",       " lead",      "trail ",      "a\nb", "a\tb", "\x1b[2J",
        "\xff\xfe",    "\"quoted\"", "back\\slash", "-rf",  "~",    "a\xE2\x80\x8B",
        "caf\xC3\xA9", "\xC3",       "$HOME",       "%41",  "...",  "#x#",
        "'",           "\"",         "*?[]",        "\\377"};
    const size_t n = sizeof names / sizeof *names;
    for (size_t i = 0; i < n; i++)
        make_file(project_path(names[i]), names[i]);
    const json_t *reply = ask(ws, "list_directory", "{\"show_hidden\": true}");
    const json_t *entries = json_object_get(reply, "entries");
    TEST_ASSERT_EQUAL(n, json_array_size(entries));
    for (size_t i = 0; i < n; i++) {
        const char *shown = text_in(json_array_get(entries, i), "path");
        const json_t *info = ask_path(ws, "get_file_info", shown);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(info), shown);
        TEST_ASSERT_EQUAL_STRING(shown, text_in(info, "path"));
    }
}

/* The same holds for each line of the words: no path in them is ambiguous. */
void test_list_directory__every_line_is_accepted_back(void) {
    static const char *const names[] = {"a\nb", "\x1b[2J", "\xff", "\"q\"", "tr ", " le", "x\r"};
    const size_t n = sizeof names / sizeof *names;
    for (size_t i = 0; i < n; i++)
        make_file(project_path(names[i]), names[i]);
    char *text = strdup(text_in(ask(ws, "list_dir", "{}"), "text")), *rest = text;
    size_t lines = 0;
    for (const char *line; (line = strsep(&rest, "\n")) != NULL && rest; lines++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(ask_path(ws, "get_file_info", line)), line);
    TEST_ASSERT_EQUAL(n, lines);
    free(text);
}

/* -- links ------------------------------------------------------------------------------------ */

void test_list_directory__targets_are_shown_as_they_are_written(void) {
    make_link(project_path("a"), "../outside/none");
    make_link(project_path("b"), "/etc/passwd");
    make_link(project_path("c"), "a\xff");
    const json_t *reply = ask(ws, "list_directory", "{}");
    TEST_ASSERT_EQUAL_STRING("../outside/none /etc/passwd \"a\\377\"",
                             names_in(reply, "entries", "target"));
}

/* -- a directory that changes meanwhile ------------------------------------------------------- */

static struct backend backend;
static int opened, first_refused, last_refused;

/* The directory is replaced between two openings of it. */
static int open_sometimes(struct aqfs_workspace *w, const struct root *root, const char *path,
                          enum open_kind kind, struct node *out, struct error *e) {
    opened++;
    if (opened >= first_refused && opened <= last_refused)
        return fail_path(e, AQFS_RACED, FAULT_BY_CODE, "It changed while it was opened");
    return host_backend.open(w, root, path, kind, out, e);
}

static const json_t *list_while_refused(int first, int last) {
    opened = 0;
    first_refused = first;
    last_refused = last;
    return ask(ws, "list_directory", "{\"path\": \"d\"}");
}

/* Threat 21: a directory that could not be read is not shown as empty. */
void test_list_directory__a_directory_that_changes_before_it_is_walked(void) {
    make_file(project_path("d/f"), "");
    backend = host_backend;
    backend.open = open_sometimes;
    ws->backend = &backend;
    TEST_ASSERT_EQUAL_STRING("f", names_in(list_while_refused(0, 0), "entries", "name"));
    TEST_ASSERT_EQUAL_STRING("f", names_in(list_while_refused(2, 2), "entries", "name"));
    TEST_ASSERT_EQUAL_STRING("f", names_in(list_while_refused(1, 9), "entries", "name"));
    const json_t *reply = list_while_refused(2, 1000);
    TEST_ASSERT_EQUAL_STRING("raced", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "Path 'd' "));
}

/* One name, and then the disk answers no more. */
static int list_one(const struct node *dir, list_each each, void *data, struct error *e) {
    (void)dir;
    int code = each(data, "f", 1, NODE_FILE);
    return code ? code : fail(e, AQFS_IO, "The disk does not answer");
}

void test_list_directory__what_was_read_of_a_directory_is_shown(void) {
    make_file(project_path("d/f"), "");
    backend = host_backend;
    backend.open = open_sometimes;
    backend.list = list_one;
    ws->backend = &backend;
    TEST_ASSERT_EQUAL_STRING("f", names_in(list_while_refused(0, 0), "entries", "name"));
}

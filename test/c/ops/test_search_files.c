/* Tests of search_files beyond the conformance table: streamed, large, hostile.
 *
 * SPDX-License-Identifier: MIT
 */
#include "aqfs.h"

#include "clock.h"
#include "dispatch.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {
    support_start();
    ws = open_project("");
}

static json_t *search(const char *pattern, const char *more) {
    char *args = NULL;
    TEST_ASSERT_TRUE(asprintf(&args, "{\"pattern\": \"%s\"%s}", pattern, more) > 0);
    json_t *reply = ask(ws, "search_files", args);
    free(args);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return reply;
}

static void make_many(int n) {
    char name[60];
    for (int i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "d%d/a-rather-long-name-%04d.%c", i % 13, i, 'a' + i % 3);
        make_file(project_path(name), "");
    }
}

/* -- streaming -------------------------------------------------------------------------------- */

/* The streamed paths are those that the reply would have, in the same order; the reply has the
 * rest.
 */
void test_search_files__the_stream_is_the_list(void) {
    static const char request[] = "{\"op\": \"search_files\", \"args\": {\"pattern\": \"**/*.b\"}}";
    make_many(2000);
    json_t *items = json_array();
    const aqfs_context context = {.emit = gather_items, .data = items};
    const json_t *streamed = ask_raw(ws, request, sizeof request - 1, &context);
    const json_t *whole = ask_raw(ws, request, sizeof request - 1, NULL);
    TEST_ASSERT_EQUAL(667, json_array_size(items));
    TEST_ASSERT_TRUE(json_equal(items, json_object_get(whole, "paths")));
    TEST_ASSERT_EQUAL(0, json_array_size(json_object_get(streamed, "paths")));
    TEST_ASSERT_EQUAL(667, number_in(streamed, "total"));
    TEST_ASSERT_EQUAL_STRING(text_in(whole, "text"), text_in(streamed, "text"));
    json_decref(items);
}

/* -- order and limit -------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Threat 112: paths are sorted by their bytes, whichever thread was faster. */
void test_search_files__sorted_by_whole_paths(void) {
    static const char *const names[] = {"a/b", "a.b", "a-b",  "a/b-c", "a/bc/d", "a/b.c/d",
                                        "a0",  "A/z", "a/b0", "ab/c",  "a b/c",  "a\xC3\xA9/x"};
    const char *sorted[sizeof names / sizeof *names];
    const size_t n = sizeof names / sizeof *names;
    char expected[500] = "";
    size_t length = 0;
    memcpy(sorted, names, sizeof names);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++) {
        make_file(project_path(names[i]), "");
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%s%s",
                                   i ? " " : "", sorted[i]);
    }
    TEST_ASSERT_EQUAL_STRING(expected, names_in(search("**", ""), "paths", NULL));
}

void test_search_files__a_limit_shows_the_first(void) {
    make_many(500);
    const json_t *all = search("**/*.a", "");
    const json_t *some = search("**/*.a", ", \"limit\": 10");
    TEST_ASSERT_EQUAL(number_in(all, "total"), number_in(some, "total"));
    for (size_t i = 0; i < 10; i++)
        TEST_ASSERT_TRUE(json_equal(json_array_get(json_object_get(all, "paths"), i),
                                    json_array_get(json_object_get(some, "paths"), i)));
    TEST_ASSERT_EQUAL(10, json_array_size(json_object_get(some, "paths")));
}

/* -- links ------------------------------------------------------------------------------------ */

/* Threats 9, 10 and 79: a link counts as a file if it leads to a file that may be read. */
void test_search_files__links_count_by_where_they_lead(void) {
    make_file(project_path("f"), "");
    make_file(project_path("secret/k"), "");
    make_file(base_path("outside/f"), "");
    make_link(project_path("in"), "f");
    make_link(project_path("out"), "../outside/f");
    make_link(project_path("hidden"), "secret/k");
    make_link(project_path("dir"), "secret");
    make_link(project_path("\xff"), "f");
    aqfs_free(ws);
    ws = open_project("\"restricted_paths\": [\"secret\"]");
    TEST_ASSERT_EQUAL_STRING("f in \"\\377\"", names_in(search("*", ""), "paths", NULL));
}

/* -- hostile patterns ------------------------------------------------------------------------- */

/* Threat 51. */
void test_search_files__no_pattern_is_slow(void) {
    char pattern[4000], *name;
    make_file(project_path(repeated("a", 250)), "");
    name = strdup(repeated("a/", 100));
    make_directory(project_path(name));
    free(name);
    int64_t start = clock_now_ns();
    (void)snprintf(pattern, sizeof pattern, "%sb", repeated("*a", 30));
    TEST_ASSERT_EQUAL(0, number_in(search(pattern, ""), "total"));
    (void)snprintf(pattern, sizeof pattern, "%sb", repeated("**/a/", 13));
    TEST_ASSERT_EQUAL(0, number_in(search(pattern, ""), "total"));
    (void)snprintf(pattern, sizeof pattern, "%sb", repeated("**a*?", 700));
    TEST_ASSERT_EQUAL(0, number_in(search(pattern, ""), "total"));
    TEST_ASSERT_TRUE(clock_now_ns() - start < INT64_C(5000000000));
}

/* -- hints ------------------------------------------------------------------------------------ */

void test_search_files__the_hint_tells_how_many(void) {
    make_many(39);
    const json_t *reply = search("*.b", "");
    TEST_ASSERT_EQUAL(0, number_in(reply, "total"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "13 files match **/*.b"));
    reply = search("*.b", ", \"exclude_patterns\": [\"d*\"]");
    TEST_ASSERT_EQUAL_STRING("", text_in(reply, "hint"));
    reply = search("*.b", ", \"path\": \"d1\"");
    TEST_ASSERT_EQUAL_STRING("", text_in(reply, "hint"));
    TEST_ASSERT_TRUE(number_in(reply, "total") > 0);
}

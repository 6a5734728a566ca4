/* test_shown_text.c -- what files were like when a caller was shown them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shown_text.h"

#include "sandbox.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 2000
#define LINE 48

void setUp(void) {
    sandbox_open("{}");
}

void tearDown(void) {
    sandbox_close();
}

/* A file of 2,000 lines, of which number CHANGED says another thing. */
static void write_lines(int changed) {
    char *text = malloc((size_t)LINES * LINE), *end = text;
    for (int i = 1; i <= LINES; i++)
        end += snprintf(end, LINE, "line %d %s what it said\n", i,
                        i == changed ? "no longer says" : "still says just");
    sandbox_write("a.txt", text, (size_t)(end - text));
    free(text);
}

static const char *version_of(const json_t *reply) {
    static char version[HASH_HEX];
    (void)snprintf(version, sizeof version, "%s", reply_text(reply, "version"));
    return version;
}

static const char *shown_version(void) {
    return version_of(sandbox_call("read_file", "{s:s, s:b}", "path", "a.txt", "version", 1));
}

static json_t *read_since(const char *version) {
    return sandbox_call("read_file", "{s:s, s:s}", "path", "a.txt", "since", version);
}

void test_shown_text__unchanged_is_short(void) {
    write_lines(0);
    const json_t *reply = read_since(shown_version());
    TEST_ASSERT_TRUE(reply_flag(reply, "unchanged"));
    TEST_ASSERT_LESS_THAN(100, reply_length(reply, "text"));
}

void test_shown_text__one_changed_line_is_short(void) {
    write_lines(0);
    const char *version = shown_version();
    write_lines(1000);
    const json_t *reply = read_since(version);
    TEST_ASSERT_FALSE(reply_flag(reply, "unchanged"));
    TEST_ASSERT_LESS_THAN(400, reply_length(reply, "text"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"),
                                "\n-line 1000 still says just what it said\n"
                                "+line 1000 no longer says what it said\n"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), reply_text(reply, "version")));
    TEST_ASSERT_NULL(json_object_get(reply, "content"));
}

/* A reply that tells what has changed is itself something to go on from. */
void test_shown_text__one_change_after_the_other(void) {
    write_lines(0);
    const char *version = shown_version();
    for (int i = 1; i < 4; i++) {
        write_lines(i * 100);
        const json_t *reply = read_since(version);
        TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "diff"), "no longer says"));
        version = version_of(reply);
    }
    write_lines(0);
    TEST_ASSERT_NULL(strstr(reply_text(read_since(version), "diff"), "+line 300 no longer"));
}

void test_shown_text__nobody_is_told_of_what_was_not_shown(void) {
    write_lines(0);
    const json_t *unseen = sandbox_call("read_file", "{s:s}", "path", "a.txt");
    const char *version = version_of(unseen);
    write_lines(1000);
    const json_t *reply = read_since(version);
    TEST_ASSERT_NULL(json_object_get(reply, "diff"));
    TEST_ASSERT_EQUAL(LINES, reply_number(reply, "end_line"));
}

void test_shown_text__a_rewritten_file_is_shown(void) {
    sandbox_text("a.txt", "one\ntwo\nthree\n");
    const char *version = shown_version();
    sandbox_text("a.txt", "four\nfive\nsix\n");
    const json_t *reply = read_since(version);
    TEST_ASSERT_EQUAL_STRING("four\nfive\nsix\n", reply_text(reply, "content"));
}

/* Changes what line NUMBER says by an edit, and returns the version in the reply. */
static const char *edit_line(int number) {
    char request[300];
    (void)snprintf(request, sizeof request,
                   "{\"op\": \"edit_file\", \"authority\": \"dangerous\", \"args\": {\"path\": "
                   "\"a.txt\", \"old_str\": \"line %d still says just\", \"new_str\": "
                   "\"line %d no longer says\"}}",
                   number, number);
    return version_of(sandbox_request(request));
}

/* The version in the reply to an edit is one to go on from. */
void test_shown_text__an_edit_of_ones_own_is_known(void) {
    char first[HASH_HEX];
    write_lines(0);
    (void)snprintf(first, sizeof first, "%s", shown_version());
    TEST_ASSERT_TRUE(reply_flag(read_since(edit_line(1000)), "unchanged"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(read_since(first), "diff"), "+line 1000 no longer"));
}

/* A call after an edit is told alone, were it an edit, too. */
void test_shown_text__an_edit_and_the_next(void) {
    char version[HASH_HEX];
    write_lines(0);
    (void)shown_version();
    (void)edit_line(7);
    (void)snprintf(version, sizeof version, "%s", edit_line(1000));
    write_lines(1000); /* line 7 is as it was */
    const json_t *reply = read_since(version);
    TEST_ASSERT_FALSE(reply_flag(reply, "unchanged"));
    TEST_ASSERT_LESS_THAN(400, reply_length(reply, "text"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "diff"), "+line 7 still says"));
    TEST_ASSERT_NULL(strstr(reply_text(reply, "diff"), "line 1000"));
}

/* An edit shows its caller some lines, and not the rest of the text. */
void test_shown_text__an_edit_of_what_was_not_shown_is_not_known(void) {
    char version[HASH_HEX];
    write_lines(0);
    (void)snprintf(version, sizeof version, "%s", edit_line(1000));
    write_lines(7);
    TEST_ASSERT_NULL(json_object_get(read_since(version), "diff"));
}

/* Old texts make room for new ones, and one that is too long is not kept. */
void test_shown_text__is_bounded(void) {
    char versions[80][HASH_HEX];
    char *text = malloc(SHOWN_TEXT_MOST + 1);
    memset(text, 'x', SHOWN_TEXT_MOST + 1);
    for (size_t i = 0; i < 80; i++) {
        char number[8];
        (void)snprintf(number, sizeof number, "%06zu\n", i);
        memcpy(text, number, 7);
        sandbox_write("a.txt", text, 300000);
        (void)snprintf(versions[i], HASH_HEX, "%s", shown_version());
    }
    memcpy(text, "other.\n", 7);
    sandbox_write("a.txt", text, 300000);
    TEST_ASSERT_NULL(json_object_get(read_since(versions[0]), "diff"));
    TEST_ASSERT_NOT_NULL(json_object_get(read_since(versions[79]), "path"));
    sandbox_write("a.txt", text, SHOWN_TEXT_MOST + 1);
    const char *long_version = shown_version();
    TEST_ASSERT_TRUE(reply_flag(read_since(long_version), "unchanged"));
    text[0] = 'y';
    sandbox_write("a.txt", text, SHOWN_TEXT_MOST + 1);
    TEST_ASSERT_NULL(json_object_get(read_since(long_version), "diff"));
    free(text);
}

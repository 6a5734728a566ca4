/* SPDX-License-Identifier: MIT */
#include "replace.h"

#include "sample.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error error;

static struct text_ref ref(const char *s) {
    return (struct text_ref){s, strlen(s)};
}

static struct edit edit_of(const char *old_str, const char *new_str) {
    return (struct edit){.old_str = ref(old_str), .new_str = ref(new_str)};
}

/* -- finding ---------------------------------------------------------------------------------- */

static int find(const char *text, const char *old_str, size_t *at) {
    const struct edit edit = edit_of(old_str, "new");
    return replace_find(ref(text), &edit, at, &error);
}

static void check_found(size_t expected, const char *text, const char *old_str) {
    size_t at;
    TEST_ASSERT_EQUAL(AQFS_OK, find(text, old_str, &at));
    TEST_ASSERT_EQUAL_UINT64(expected, at);
}

void test_replace__the_only_match_is_found_wherever_it_is(void) {
    check_found(0, "abc", "a");
    check_found(2, "abc", "c");
    check_found(0, "abc", "abc");
    check_found(1, "a\nb\n", "\nb");
    check_found(3,
                "$& $& \\1"
                "x",
                "$& \\");
}

static void check_times(const char *message, const char *text, const char *old_str) {
    size_t at = 77;
    TEST_ASSERT_EQUAL(AQFS_MULTIPLE_MATCHES, find(text, old_str, &at));
    TEST_ASSERT_EQUAL_STRING(message, error.message);
    TEST_ASSERT_NOT_EQUAL('\0', error.hint[0]);
    TEST_ASSERT_EQUAL_UINT64(77, at);
}

void test_replace__several_matches_are_told_with_their_lines(void) {
    check_times("old_str occurs 2 times, on lines 1, 3", "x\ny\nx\n", "x");
    check_times("old_str occurs 3 times, on line 1", "x x x", "x");
    check_times("old_str occurs 2 times, on lines 2, 4", "\na\nb\na\nb", "a\nb");
    check_times("old_str occurs 11 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more",
                "x\nx\nx\nx\nx\nx\nx\nx\nx\nx\nx\n", "x");
}

void test_replace__overlapping_matches_are_several(void) {
    check_times("old_str occurs 2 times, on line 1", "aaa", "aa");
    check_times("old_str occurs 2 times, on lines 1, 2", "\n\n\n", "\n\n");
    check_times("old_str occurs 2 times, on line 1", "abababX", "abab");
    check_found(1, "Xaab", "aa");
}

void test_replace__what_makes_no_sense_is_refused(void) {
    size_t at;
    struct edit edit = edit_of("", "x");
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, replace_find(ref("abc"), &edit, &at, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "old_str is empty"));
    edit = edit_of("b", "b");
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, replace_find(ref("abc"), &edit, &at, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "the same"));
    TEST_ASSERT_EQUAL(AQFS_NO_MATCH, find("", "b", &at));
    edit = edit_of("b", "x");
    TEST_ASSERT_EQUAL(AQFS_NO_MATCH, replace_find((struct text_ref){NULL, 0}, &edit, &at, &error));
}

/* The number of times NEEDLE occurs in TEXT, by comparing at every place. */
static size_t count_slowly(struct text_ref text, struct text_ref needle) {
    size_t count = 0;
    for (size_t at = 0; at + needle.len <= text.len; at++)
        count += memcmp(text.data + at, needle.data, needle.len) == 0;
    return count;
}

void test_replace__counts_are_those_of_looking_everywhere(void) {
    enum { MOST = 60 };
    uint64_t state = 3;
    char text[MOST], needle[MOST];
    for (int round = 0; round < 20000; round++) {
        const size_t n = 1 + sample_below(&state, MOST), m = 1 + sample_below(&state, 6);
        for (size_t i = 0; i < n; i++)
            text[i] = "ab\n"[sample_below(&state, 3)];
        for (size_t i = 0; i < m; i++)
            needle[i] = "ab\n"[sample_below(&state, 3)];
        const struct edit edit = {.old_str = {needle, m}, .new_str = ref("new")};
        const size_t count = count_slowly((struct text_ref){text, n}, edit.old_str);
        size_t at;
        int code = replace_find((struct text_ref){text, n}, &edit, &at, &error);
        TEST_ASSERT_EQUAL(count == 0   ? AQFS_NO_MATCH
                          : count == 1 ? AQFS_OK
                                       : AQFS_MULTIPLE_MATCHES,
                          code);
        char times[40];
        (void)snprintf(times, sizeof times, "occurs %zu times", count);
        if (count == 1) {
            TEST_ASSERT_EQUAL_MEMORY(needle, text + at, m);
        } else if (count > 1) {
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, times), error.message);
        }
    }
}

void test_replace__a_long_needle_of_one_letter_takes_no_time(void) {
    enum { TEXT = 10 << 20, NEEDLE = 1 << 20 };
    char *text = malloc(TEXT);
    TEST_ASSERT_NOT_NULL(text);
    memset(text, 'a', TEXT);
    const struct edit edit = {.old_str = {text, NEEDLE}, .new_str = ref("new")};
    size_t at;
    TEST_ASSERT_EQUAL(AQFS_MULTIPLE_MATCHES,
                      replace_find((struct text_ref){text, TEXT}, &edit, &at, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "occurs 9437185 times, on line 1"));
    free(text);
}

/* -- several edits ---------------------------------------------------------------------------- */

static struct replaced made;
static size_t count_made;

static int apply(const char *text, const struct edit *edits, size_t n) {
    replaced_free(&made);
    int code = replace_apply(ref(text), edits, n, &made, &error);
    count_made = made.count;
    return code;
}

static void check_applied(const char *expected, const char *marked, const char *text,
                          const struct edit *edits, size_t n) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, apply(text, edits, n), error.message);
    TEST_ASSERT_EQUAL_STRING(expected, made.text.data);
    TEST_ASSERT_EQUAL_UINT64(strlen(expected), made.text.len);
    /* The spans, shown in the result. */
    char shown[200];
    size_t len = 0, at = 0;
    for (size_t i = 0; i < made.spans.n; i++) {
        len += (size_t)snprintf(shown + len, sizeof shown - len, "%.*s[%.*s]",
                                (int)(made.spans.all[i].at - at), made.text.data + at,
                                (int)made.spans.all[i].len, made.text.data + made.spans.all[i].at);
        at = made.spans.all[i].at + made.spans.all[i].len;
    }
    (void)snprintf(shown + len, sizeof shown - len, "%s", made.text.data + at);
    TEST_ASSERT_EQUAL_STRING(marked, shown);
    replaced_free(&made);
}
#define CHECK_APPLIED(expected, marked, text, ...)                                                 \
    do {                                                                                           \
        const struct edit edits[] = {__VA_ARGS__};                                                 \
        check_applied(expected, marked, text, edits, sizeof edits / sizeof *edits);                \
    } while (0)

void test_replace__one_edit_changes_what_it_names(void) {
    CHECK_APPLIED("axc", "a[x]c", "abc", edit_of("b", "x"));
    CHECK_APPLIED("ac", "a[]c", "abc", edit_of("b", ""));
    CHECK_APPLIED("", "[]", "abc", edit_of("abc", ""));
    CHECK_APPLIED("a$&\\1c", "a[$&\\1]c", "abc", edit_of("b", "$&\\1"));
}

void test_replace__edits_apply_to_what_those_before_them_left(void) {
    CHECK_APPLIED("xyz", "[xyz]", "abc", edit_of("a", "x"), edit_of("b", "y"), edit_of("c", "z"));
    CHECK_APPLIED("1-b-3", "[1]-b-[3]", "a-b-c", edit_of("c", "3"), edit_of("a", "1"));
    CHECK_APPLIED("long-b-3", "[long]-b-[3]", "a-b-c", edit_of("c", "3"), edit_of("a", "long"));
    CHECK_APPLIED("-b-3", "[]-b-[3]", "a-b-c", edit_of("c", "3"), edit_of("a", ""));
    CHECK_APPLIED("two", "[two]", "zero", edit_of("zero", "one"), edit_of("one", "two"));
}

void test_replace__spans_that_touch_are_one(void) {
    CHECK_APPLIED("<12>", "<[12]>", "<ab>", edit_of("a", "1"), edit_of("b", "2"));
    CHECK_APPLIED("<12>", "<[12]>", "<ab>", edit_of("b", "2"), edit_of("a", "1"));
    CHECK_APPLIED("1-3", "[1]-[3]", "a-c", edit_of("c", "3"), edit_of("a", "1"));
    CHECK_APPLIED("x", "[x]", "a-c", edit_of("c", "3"), edit_of("a", "1"), edit_of("1-3", "x"));
    CHECK_APPLIED("<1>3", "<[1>3]", "<a-b>c", edit_of("a", "1"), edit_of("c", "3"),
                  edit_of("-b>", ">"));
}

static void check_refused(enum code code, const char *part, const char *text,
                          const struct edit *edits, size_t n) {
    TEST_ASSERT_EQUAL(code, apply(text, edits, n));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, part), error.message);
    TEST_ASSERT_EQUAL_UINT64(0, made.text.len);
    replaced_free(&made);
}
#define CHECK_REFUSED(code, part, text, ...)                                                       \
    do {                                                                                           \
        const struct edit edits[] = {__VA_ARGS__};                                                 \
        check_refused(code, part, text, edits, sizeof edits / sizeof *edits);                      \
    } while (0)

void test_replace__one_edit_that_fails_undoes_all_and_is_named(void) {
    CHECK_REFUSED(AQFS_MULTIPLE_MATCHES,
                  "edit 2 of 2 (in the text that edit 1 leaves): old_str occurs 2 times", "abb",
                  edit_of("a", "x"), edit_of("b", "y"));
    CHECK_REFUSED(AQFS_NO_MATCH, "edit 1 of 2: old_str does not occur", "abb", edit_of("z", "x"),
                  edit_of("a", "y"));
    CHECK_REFUSED(AQFS_INVALID_ARGUMENT, "edit 3 of 3: old_str is empty", "abc", edit_of("a", "x"),
                  edit_of("b", "y"), edit_of("", "z"));
    check_refused(AQFS_INVALID_ARGUMENT, "edits is empty", "abc", NULL, 0);
}

void test_replace__what_an_edit_before_took_away_is_told(void) {
    CHECK_REFUSED(AQFS_NO_MATCH, "edit 2 of 2", "one two", edit_of("one", "1"),
                  edit_of("one", "2"));
    TEST_ASSERT_NOT_NULL(strstr(error.hint, "old_str occurred before the earlier edits"));
}

/* Random edits and their places, against a model that holds the text as an array of bytes, each
 * marked as old or new. */
void test_replace__random_edits_keep_spans_right(void) {
    enum { N = 40, EDITS = 6 };
    uint64_t state = 11;
    for (int round = 0; round < 3000; round++) {
        char text[N + 1] = "", olds[EDITS][4], news[EDITS][8];
        for (int i = 0; i < N; i++)
            text[i] = (char)('!' + i); /* each byte occurs once */
        struct edit edits[EDITS];
        char model[200];
        bool new[200] = {false};
        size_t len = N, n = 1 + sample_below(&state, EDITS);
        memcpy(model, text, N);
        for (size_t i = 0; i < n; i++) {
            size_t old_len = 1 + sample_below(&state, 3), new_len = sample_below(&state, 5);
            old_len = old_len < len ? old_len : len;
            const size_t at = sample_below(&state, (uint32_t)(len - old_len + 1));
            memcpy(olds[i], model + at, old_len);
            for (size_t k = 0; k < new_len; k++)
                news[i][k] = (char)(128 + 20 * i + k); /* these bytes also occur only once */
            edits[i] = (struct edit){.old_str = {olds[i], old_len}, .new_str = {news[i], new_len}};
            memmove(model + at + new_len, model + at + old_len, len - at - old_len);
            memmove(new + at + new_len, new + at + old_len, len - at - old_len);
            memcpy(model + at, news[i], new_len);
            memset(new + at, true, new_len);
            len += new_len - old_len;
            if (len == 0) {
                n = i + 1;
                break;
            }
        }
        TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, apply(text, edits, n), error.message);
        TEST_ASSERT_EQUAL_UINT64(len, made.text.len);
        TEST_ASSERT_EQUAL_MEMORY(model, made.text.data, len + (len == 0));
        bool in_span[200] = {false};
        for (size_t i = 0; i < made.spans.n; i++) {
            TEST_ASSERT_TRUE(i == 0 || made.spans.all[i].at >
                                           made.spans.all[i - 1].at + made.spans.all[i - 1].len);
            TEST_ASSERT_TRUE(made.spans.all[i].at + made.spans.all[i].len <= len);
            memset(in_span + made.spans.all[i].at, true, made.spans.all[i].len);
        }
        for (size_t k = 0; k < len; k++)
            TEST_ASSERT_TRUE(in_span[k] || !new[k]);
    }
    replaced_free(&made);
}

/* -- every occurrence ------------------------------------------------------------------------- */

static struct edit all_of(const char *old_str, const char *new_str, size_t expected) {
    return (struct edit){
        .old_str = ref(old_str), .new_str = ref(new_str), .all = true, .expected = expected};
}

void test_replace__every_occurrence(void) {
    CHECK_APPLIED("1-1-b", "[1]-[1]-b", "a-a-b", all_of("a", "1", 0));
    TEST_ASSERT_EQUAL_UINT64(2, count_made);
    CHECK_APPLIED("long-b-long", "[long]-b-[long]", "a-b-a", all_of("a", "long", 2));
    CHECK_APPLIED("xxx", "[xxx]", "aaa", all_of("a", "x", 3));
    CHECK_APPLIED("-b-", "[]-b-[]", "a-b-a", all_of("a", "", 2));
    CHECK_APPLIED("a-b", "a-[b]", "a-c", all_of("c", "b", 1));
    /* None overlaps another, and what was put in is not searched. */
    CHECK_APPLIED("xa", "[x]a", "aaa", all_of("aa", "x", 1));
    CHECK_APPLIED("aaaa", "[aaaa]", "aa", all_of("a", "aa", 2));
    CHECK_APPLIED("", "[]", "aa", all_of("a", "", 2));
}

void test_replace__every_occurrence_among_other_edits(void) {
    CHECK_APPLIED("<1>-<1>-c", "[<1>]-[<1>]-c", "a-b-c", edit_of("b", "a"), all_of("a", "<1>", 2));
    CHECK_APPLIED("x-x-z", "[x]-[x]-[z]", "a-a-c", all_of("a", "x", 0), edit_of("c", "z"));
    TEST_ASSERT_EQUAL_UINT64(3, count_made);
    CHECK_APPLIED("[-[-]", "[[]-[[]-[]]", "a-a-b", all_of("a", "[", 0), all_of("b", "]", 0));
    CHECK_REFUSED(AQFS_NO_MATCH, "edit 2 of 2 (in the text that edit 1 leaves)", "aab",
                  all_of("a", "x", 2), all_of("a", "y", 0));
}

void test_replace__another_number_of_occurrences_is_refused(void) {
    CHECK_REFUSED(AQFS_MULTIPLE_MATCHES,
                  "old_str occurs 3 times, on lines 1, 3, and expected_replacements is 2",
                  "a\nb\na a\n", all_of("a", "x", 2));
    TEST_ASSERT_NOT_NULL(strstr(error.hint, "give expected_replacements 3 if all of them"));
    CHECK_REFUSED(AQFS_MULTIPLE_MATCHES, "old_str occurs once, on line 2, and expected", "\na",
                  all_of("a", "x", 7));
    CHECK_REFUSED(AQFS_MULTIPLE_MATCHES,
                  "edit 2 of 2 (in the text that edit 1 leaves): old_str occurs 2", "ab",
                  edit_of("b", "a"), all_of("a", "x", 1));
    CHECK_REFUSED(AQFS_NO_MATCH, "old_str does not occur", "b", all_of("a", "x", 1));
    CHECK_REFUSED(AQFS_INVALID_ARGUMENT, "old_str is empty", "b", all_of("", "x", 0));
}

/* Layout decides where an edit is meant only for those that ask for it. */
void test_replace__nearly(void) {
    struct edit edits[] = {edit_of("a", "b"), edit_of("    c\n", "    d\n"), edit_of("d", "e")};
    check_refused(AQFS_NO_MATCH, "edit 2 of 3", "a\n  c\n", edits, 3);
    for (int i = 0; i < 3; i++)
        edits[i].nearly = true;
    check_applied("b\n  e\n", "[b]\n[  e\n]", "a\n  c\n", edits, 3);
}

void test_replace__the_nearest_lines_are_handed_over(void) {
    const struct edit edit = edit_of("    two\n", "x");
    TEST_ASSERT_EQUAL(AQFS_NO_MATCH, apply("one\n  two\n  three\n", &edit, 1));
    TEST_ASSERT_EQUAL_STRING("  two\n", made.nearest.data);
    replaced_free(&made);
}

/* Linear in the number of occurrences. */
void test_replace__a_million_occurrences(void) {
    const size_t n = 1000000;
    char *text = malloc(2 * n + 1);
    TEST_ASSERT_NOT_NULL(text);
    for (size_t i = 0; i < n; i++)
        memcpy(text + 2 * i, "a\n", 2);
    text[2 * n] = '\0';
    const struct edit edits[] = {all_of("a", "bb", n), all_of("b", "c", 2 * n)};
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, apply(text, edits, 2), error.message);
    TEST_ASSERT_EQUAL_UINT64(3 * n, made.text.len);
    TEST_ASSERT_EQUAL_UINT64(n, made.spans.n);
    replaced_free(&made);
    free(text);
}

/* -- inserting lines -------------------------------------------------------------------------- */

static void check_inserted(const char *expected, size_t at, size_t len, const char *text,
                           int64_t line, const char *content) {
    struct span span;
    struct buf result = {0};
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK,
                              replace_insert(ref(text), line, ref(content), &result, &span, &error),
                              error.message);
    TEST_ASSERT_EQUAL_STRING(expected, result.data);
    TEST_ASSERT_EQUAL_UINT64(at, span.at);
    TEST_ASSERT_EQUAL_UINT64(len, span.len);
    buf_free(&result);
}

void test_replace__lines_are_inserted_behind_the_line_named(void) {
    check_inserted("x\na\nb\n", 0, 2, "a\nb\n", 0, "x\n");
    check_inserted("a\nx\nb\n", 2, 2, "a\nb\n", 1, "x\n");
    check_inserted("a\nb\nx\n", 4, 2, "a\nb\n", 2, "x\n");
    check_inserted("a\nb\nx\n", 4, 2, "a\nb\n", -1, "x\n");
    check_inserted("a\n\nb\n", 2, 1, "a\nb\n", 1, "\n");
}

void test_replace__lines_stay_lines(void) {
    check_inserted("x\na\n", 0, 2, "a\n", 0, "x");
    check_inserted("x\na", 0, 2, "a", 0, "x");
    check_inserted("a\nx\nb", 2, 2, "a\nb", 1, "x");
    check_inserted("a\nx\ny\nb", 2, 4, "a\nb", 1, "x\ny");
}

void test_replace__the_end_is_kept_as_it_was(void) {
    check_inserted("a\nx\n", 2, 2, "a\n", -1, "x");
    check_inserted("a\nx", 2, 1, "a", -1, "x");
    check_inserted("a\nx", 2, 1, "a", 1, "x");
    check_inserted("a\nx\n", 2, 2, "a", -1, "x\n");
    check_inserted("x", 0, 1, "", 0, "x");
    check_inserted("x\n", 0, 2, "", -1, "x\n");
}

static void check_no_line(const char *part, const char *text, int64_t line) {
    struct span span = {7, 7};
    struct buf result = {0};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT,
                      replace_insert(ref(text), line, ref("x"), &result, &span, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, part), error.message);
    TEST_ASSERT_EQUAL_UINT64(0, result.len);
    TEST_ASSERT_EQUAL_UINT64(7, span.at);
    buf_free(&result);
}

void test_replace__a_line_that_is_not_there_is_refused(void) {
    check_no_line("which has 2 lines, not 3", "a\nb\n", 3);
    check_no_line("which has 1 line, not 2", "a", 2);
    check_no_line("which has 0 lines, not 1", "", 1);
    check_no_line("not -2", "a\n", -2);
    check_no_line("not -9223372036854775808", "a\n", INT64_MIN);
    check_no_line("not 9223372036854775807", "a\n", INT64_MAX);
}

void test_replace__nothing_is_no_line(void) {
    struct span span;
    struct buf result = {0};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT,
                      replace_insert(ref("a\n"), 0, ref(""), &result, &span, &error));
    buf_free(&result);
}

/* -- the budget -------------------------------------------------------------------------------- */

#define MANY (1 << 18)

struct asked {
    int times, most;
};

static bool may_ask_on(void *data) {
    struct asked *asked = data;
    return ++asked->times < asked->most;
}

/* Makes the N edits in a text of MANY newlines, until the budget was looked at MOST times.  Returns
 * how often it was. */
static int looks(struct edit *edits, size_t n, int most, int code) {
    struct asked asked = {0, most};
    struct watch watch = {may_ask_on, &asked};
    struct budget budget = {.watch = &watch, .watcher = pthread_self()};
    char *text = malloc(MANY);
    TEST_ASSERT_NOT_NULL(text);
    memset(text, '\n', MANY);
    memcpy(text, "TOK0", 4);
    for (size_t i = 0; i < n; i++)
        edits[i].budget = &budget;
    replaced_free(&made);
    TEST_ASSERT_EQUAL(code, replace_apply((struct text_ref){text, MANY}, edits, n, &made, &error));
    free(text);
    return asked.times;
}

/* The time that an edit takes grows with the text, and with the number of edits. */
void test_replace__the_budget_ends_a_search_for_what_is_near(void) {
    char *old = malloc(MANY);
    TEST_ASSERT_NOT_NULL(old);
    memset(old, '\n', MANY);
    old[MANY - 1] = 'x';
    struct edit edit = {.old_str = {old, MANY}, .new_str = ref("y"), .nearly = true};
    for (int most = 1; most < 8; most++)
        TEST_ASSERT_INT_WITHIN(1, most, looks(&edit, 1, most, AQFS_CANCELLED));
    TEST_ASSERT_TRUE(looks(&edit, 1, 1000000, AQFS_NO_MATCH) > 2 * MANY / 65536);
    free(old);
}

void test_replace__the_budget_ends_many_edits(void) {
    enum { EDITS = 64 };
    static char old[EDITS][8], new[EDITS][8];
    struct edit edits[EDITS];
    for (int i = 0; i < EDITS; i++) {
        (void)snprintf(old[i], sizeof old[i], "TOK%d\n", i);
        (void)snprintf(new[i], sizeof new[i], "TOK%d\n", i + 1);
        edits[i] = edit_of(old[i], new[i]);
    }
    TEST_ASSERT_TRUE(looks(edits, EDITS, 1000000, AQFS_OK) > EDITS);
    TEST_ASSERT_INT_WITHIN(1, 10, looks(edits, EDITS, 10, AQFS_CANCELLED));
    TEST_ASSERT_EQUAL_STRING("", made.text.data ? made.text.data : "");
}

/* SPDX-License-Identifier: MIT */
#include "regex_find.h"
#include "sample.h"
#include "sample_regex.h"

#include <stdio.h>
#include <stdlib.h>

/* No more than that: test/fuzz/fuzz_regex.c goes on where this ends. */
#define PAIRS 6000

struct tally {
    int pairs, undecided, found;
};

static void compare(const struct regex *quick, const struct regex *simple, const char *pattern,
                    const struct buf *text, struct tally *tally) {
    struct buf a = {0}, b = {0};
    buf_str(&a, "");
    buf_str(&b, "");
    int code = find(quick, text->data, text->len, 20000, &a);
    int code2 = find(simple, text->data, text->len, 20000, &b);
    tally->pairs++;
    if (code || code2) {
        tally->undecided++;
    } else {
        char message[512];
        snprintf(message, sizeof message, "pattern <%s> in <%.300s>", pattern, text->data);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(b.data, a.data, message);
        tally->found += b.len > 0;
    }
    buf_free(&a);
    buf_free(&b);
}

/* Longer than the text that is searched at once, with some long lines. */
static void sample_long_lines(uint64_t *state, const char *pattern, struct buf *out) {
    (void)pattern;
    while (out->len < 40000) {
        sample_lines(state, out);
        for (uint32_t i = sample_below(state, 200) == 0 ? 4000 : 0; i > 0; i--)
            buf_char(out, "ab k="[sample_below(state, 5)]);
    }
}

static void sample_short_lines(uint64_t *state, const char *pattern, struct buf *out) {
    (void)pattern;
    sample_lines(state, out);
}

struct samples {
    void (*pattern)(uint64_t *state, struct buf *out);
    void (*lines)(uint64_t *state, const char *pattern, struct buf *out);
};

/* The fast way and the simple way agree on random patterns and texts. */
static void compare_on_texts(uint64_t *state, const char *pattern, bool interpreted,
                             const struct samples *samples, struct tally *tally) {
    bool fold = sample_below(state, 4) == 0;
    struct regex_options options = {.ignore_case = fold}, plain = options;
    struct regex *quick = NULL, *simple = NULL;
    if (regex_compile(pattern, strlen(pattern), &options, &quick, &error))
        return;
    plain.simple = true;
    plain.interpreted = interpreted;
    TEST_ASSERT_EQUAL_INT(AQFS_OK,
                          regex_compile(pattern, strlen(pattern), &plain, &simple, &error));
    for (int i = 0; i < 4; i++) {
        struct buf text = {0};
        buf_str(&text, "");
        samples->lines(state, pattern, &text);
        compare(quick, simple, pattern, &text, tally);
        buf_free(&text);
    }
    regex_free(quick);
    regex_free(simple);
}

static struct tally compare_pairs(int pairs, const struct samples *samples) {
    const char *seed = getenv("AQFS_TEST_SEED");
    uint64_t state = seed ? strtoull(seed, NULL, 10) : 88172645463325252u;
    struct tally tally = {0};
    for (int i = 0; tally.pairs < pairs; i++) {
        struct buf pattern = {0};
        buf_str(&pattern, "");
        samples->pattern(&state, &pattern);
        compare_on_texts(&state, pattern.data, i % 2, samples, &tally);
        buf_free(&pattern);
    }
    return tally;
}

void test_regex_scan__quick_and_simple_agree(void) {
    static const struct samples samples = {sample_pattern, sample_short_lines};
    struct tally tally = compare_pairs(PAIRS, &samples);
    TEST_ASSERT_LESS_THAN_INT(tally.pairs / 100, tally.undecided);
    TEST_ASSERT_GREATER_THAN_INT(tally.pairs / 5, tally.found);
}

void test_regex_scan__quick_and_simple_agree_on_near_misses(void) {
    static const struct samples samples = {sample_near_pattern, sample_near_lines};
    struct tally tally = compare_pairs(PAIRS, &samples);
    TEST_ASSERT_LESS_THAN_INT(tally.pairs / 100, tally.undecided);
    TEST_ASSERT_GREATER_THAN_INT(tally.pairs / 5, tally.found);
}

void test_regex_scan__quick_and_simple_agree_on_long_texts(void) {
    static const struct samples samples = {sample_pattern, sample_long_lines};
    struct tally tally = compare_pairs(400, &samples);
    TEST_ASSERT_LESS_THAN_INT(tally.pairs / 3, tally.undecided);
    TEST_ASSERT_GREATER_THAN_INT(tally.pairs / 5, tally.found);
}

/* Each character on a line of its own, as far as scripts and symbols reach. */
static void put_all_characters(struct buf *out) {
    char bytes[4];
    for (uint32_t c = 0; c < 0x20000; c++) {
        if (c == '\n' || (c >= 0xD800 && c < 0xE000))
            continue;
        buf_add(out, bytes, sample_utf8(c, bytes));
        buf_str(out, "\n");
    }
}

/* The front end believes of Unicode what the tables of the library say. */
void test_regex_scan__quick_and_simple_agree_on_every_character(void) {
    static const char *const patterns[] = {
        "[\\s]", "\\s", "[^\\S]", "[\\w]", "\\w",  "\\d",           "\\h",          "\\v",
        "[\\v]", ".",   "[^x]",   "\\b",   "\\pZ", "[[:xdigit:]]+", "[[:space:]_]", "[[:alpha:]]",
    };
    struct buf text = {0};
    struct tally tally = {0};
    put_all_characters(&text);
    for (int i = 0; i < 26 + (int)(sizeof patterns / sizeof *patterns); i++) {
        char letter[2] = {(char)('a' + i), 0};
        const char *pattern = i < 26 ? letter : patterns[i - 26];
        struct regex_options options = {.ignore_case = true};
        struct regex *quick = compile(pattern, options);
        options.simple = true;
        struct regex *simple = compile(pattern, options);
        compare(quick, simple, pattern, &text, &tally);
        regex_free(quick);
        regex_free(simple);
    }
    TEST_ASSERT_EQUAL_INT(0, tally.undecided);
    buf_free(&text);
}

/* SPDX-License-Identifier: MIT */
#include "regex_find.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

/* The fast way and the simple way agree on random patterns and texts. */
#define DEPTH 3

struct maker {
    uint64_t state;
    struct buf out;
};

static uint32_t below(struct maker *m, uint32_t limit) {
    return sample_below(&m->state, limit);
}

static void put_one(struct maker *m, const char *const *words, size_t n) {
    buf_str(&m->out, words[below(m, (uint32_t)n)]);
}
#define PUT_ONE(m, words) put_one(m, words, sizeof words / sizeof *words)

static void put_alternatives(struct maker *m, int depth);

static void put_class(struct maker *m) {
    static const char *const members[] = {
        "a",          "b",
        "k",          "s-z",
        "a-c",        "\\d",
        "\\w",        "\\s",
        "\\S",        "\\W",
        "-",          "\\-",
        "[:alpha:]",  "[:space:]",
        "\xC3\xA9",   "\\n",
        "\\x20",      "]",
        "\\]",        "^",
        "\\h",        "\\v",
        "\\D",        "\\x00-\\x40",
        "[:^digit:]", "\xC3\xA0-\xC3\xBF",
        "\\p{Lu}",    "=",
        "\\t",        "[",
    };
    static const char *const openings[] = {"[", "[", "[^", "[^\"", "[]"};
    PUT_ONE(m, openings);
    for (uint32_t i = below(m, 3) + 1; i > 0; i--)
        PUT_ONE(m, members);
    buf_str(&m->out, "]");
}

static void put_group(struct maker *m, int depth) {
    static const char *const openings[] = {
        "(", "(", "(?:", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?|", "(?<n1>", "(?i:"};
    PUT_ONE(m, openings);
    put_alternatives(m, depth - 1);
    buf_str(&m->out, ")");
}

static void put_item(struct maker *m, int depth) {
    static const char *const plain[] = {
        "a",     "b",   "ab", "k",   "s",  "foo", "=", " ", "\xC3\xA9", "\xC3\x9F", "\xE5\x90\x8D",
        "1",     "-",   "\"", "\\.", "x{", "A",   "K", "S", "S",        "\xC5\xBF", "\xE2\x84\xAA",
        "\\x61", "\\t",
    };
    static const char *const special[] = {
        "\\d",    "\\w",     "\\s",      "\\S",  "\\W",   "\\D",  "\\h",   "\\H",
        "\\v",    "\\V",     "\\N",      "\\b",  "\\B",   "^",    "$",     "\\A",
        "\\z",    "\\Z",     "\\K",      "\\R",  "\\X",   "\\G",  "\\n",   "\\r",
        "(?i)",   "(?-i)",   "(?s)",     "(?m)", "(?-m)", "(?U)", "(?x)",  "\\p{L}",
        "\\P{L}", "\\x{e9}", "\\Q.*\\E", "\\Qa", "\\E",   "(?1)", "(?#c)", "\\012",
    };
    switch (below(m, 12)) {
    case 0:
    case 1:
        put_class(m);
        break;
    case 2:
    case 3:
        /* Not inside the group itself, where PCRE2 wrongly takes lines for too short. */
        if (depth == DEPTH && below(m, 4) == 0)
            buf_str(&m->out, "\\1");
        else if (depth > 0)
            put_group(m, depth);
        break;
    case 4:
    case 5:
        PUT_ONE(m, special);
        break;
    case 6:
    case 7:
        buf_str(&m->out, ".");
        break;
    default:
        PUT_ONE(m, plain);
    }
}

static void put_alternatives(struct maker *m, int depth) {
    static const char *const repeats[] = {"*",  "+",  "?",   "*?",    "+?",     "??",   "*+",
                                          "++", "?+", "{2}", "{1,2}", "{0,3}?", "{2,}", "{,2}"};
    for (uint32_t i = below(m, 5); i > 0; i--) {
        put_item(m, depth);
        if (below(m, 3) == 0)
            PUT_ONE(m, repeats);
        if (below(m, 12) == 0)
            buf_str(&m->out, "|");
    }
}

static void put_text(struct maker *m) {
    static const char *const pieces[] = {
        "a",
        "b",
        "ab",
        "aab",
        "k",
        "s",
        "foo",
        "=",
        " ",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "1",
        "-",
        "\"",
        ".",
        "x{",
        "A",
        "K",
        "S",
        "\xC3\xA9",
        "\xC3\x9F",
        "\xE5\x90\x8D",
        "\xC3\x89",
        "\xFF",
        "\xC3",
        "\xE5\x90",
        "\t",
        "\xC2\xA0",
        "\xE2\x80\xA8",
        "\xC2\x85",
        "foo ab",
        "bar",
        "\x0B",
        "\xE2\x84\xAA",
        "\xC5\xBF",
        "\"a\"",
        "aaaa",
    };
    bool ascii = below(m, 3) == 0;
    for (uint32_t i = below(m, 24); i > 0; i--) {
        size_t before = m->out.len;
        PUT_ONE(m, pieces);
        if (ascii && (unsigned char)m->out.data[m->out.len - 1] >= 0x80)
            m->out.len = before;
    }
}

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
static void put_long_text(struct maker *m) {
    while (m->out.len < 40000) {
        put_text(m);
        for (uint32_t i = below(m, 200) == 0 ? 4000 : 0; i > 0; i--)
            buf_char(&m->out, "ab k="[below(m, 5)]);
    }
}

static void compare_on_texts(struct maker *m, const char *pattern, bool interpreted,
                             void (*put)(struct maker *), struct tally *tally) {
    bool fold = below(m, 4) == 0;
    struct regex_options options = {.ignore_case = fold}, plain = options;
    struct regex *quick = NULL, *simple = NULL;
    if (regex_compile(pattern, strlen(pattern), &options, &quick, &error))
        return;
    plain.simple = true;
    plain.interpreted = interpreted;
    TEST_ASSERT_EQUAL_INT(AQFS_OK,
                          regex_compile(pattern, strlen(pattern), &plain, &simple, &error));
    for (int i = 0; i < 4; i++) {
        m->out.len = 0;
        put(m);
        compare(quick, simple, pattern, &m->out, tally);
    }
    regex_free(quick);
    regex_free(simple);
}

static struct tally compare_pairs(int pairs, void (*put)(struct maker *)) {
    const char *seed = getenv("AQFS_TEST_SEED");
    struct maker m = {.state = seed ? strtoull(seed, NULL, 10) : 88172645463325252u};
    struct tally tally = {0};
    for (int i = 0; tally.pairs < pairs; i++) {
        m.out.len = 0;
        buf_str(&m.out, "");
        put_alternatives(&m, DEPTH);
        char *pattern = strndup(m.out.data, m.out.len);
        compare_on_texts(&m, pattern, i % 2, put, &tally);
        free(pattern);
    }
    buf_free(&m.out);
    return tally;
}

void test_regex_scan__quick_and_simple_agree(void) {
    struct tally tally = compare_pairs(60000, put_text);
    TEST_ASSERT_LESS_THAN_INT(tally.pairs / 100, tally.undecided);
    TEST_ASSERT_GREATER_THAN_INT(tally.pairs / 5, tally.found);
}

void test_regex_scan__quick_and_simple_agree_on_long_texts(void) {
    struct tally tally = compare_pairs(400, put_long_text);
    TEST_ASSERT_LESS_THAN_INT(tally.pairs / 3, tally.undecided);
    TEST_ASSERT_GREATER_THAN_INT(tally.pairs / 5, tally.found);
}

/* sample_regex.c -- random regular expressions: see sample_regex.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sample_regex.h"

#include "sample.h"

#include <stdbool.h>
#include <string.h>

#define DEPTH 3

static void put_one(uint64_t *state, struct buf *out, const char *const *words, size_t n) {
    buf_str(out, words[sample_below(state, (uint32_t)n)]);
}
#define PUT_ONE(words) put_one(state, out, words, sizeof words / sizeof *words)

/* ---- Any syntax */

static void put_alternatives(uint64_t *state, struct buf *out, int depth);

/* clang-format off */
static const char *const members[] = {
    "a", "b", "k", "1", "=", "[", "]", "^", "-", "-", "s-z", "a-c", "0-9", "Z-a", "\\-", "\\]", "\\b",
    "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\h", "\\H", "\\v", "\\V", "\\n", "\\t", "\\E", "\\Q-z\\E",
    "\\x20", "\\xff", "\\x{ 61 }", "\\o{141}", "\\N{U+61}", "\\x00-\\x40", "\\x{100}-\\x{2000}",
    "\xC3\xA9", "\xC3\xA0-\xC3\xBF", "&&", "--", "~~", "||", "[a]",
    "\\p{Lu}", "\\p{Ll}", "\\p{L&}", "\\p{ L }", "\\p{^L}", "\\P{L}", "\\p{Z}", "\\p{Any}",
    "[:alnum:]", "[:alpha:]", "[:ascii:]", "[:blank:]", "[:cntrl:]", "[:digit:]", "[:graph:]",
    "[:lower:]", "[:print:]", "[:punct:]", "[:space:]", "[:upper:]", "[:word:]", "[:xdigit:]",
    "[:^digit:]", "[:^space:]", "[:^ascii:]", "[:^word:]", "[:a:]", "[:[:]",
};

/* Lookarounds by name, conditions and the like are read by PCRE2 alone. */
static const char *const groups[] = {
    "(", "(", "(", "(?:", "(?:", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<=", "(?<!", "(?|",
    "(?<n1>", "(?P<n1>", "(?'n1'", "(?i:", "(?-i:", "(?s-i:", "(?^:", "(?^i:", "(?r:", "(?ir:", "(?n:",
    "(?a:", "(?aD:", "(?aW:", "(?x:", "(?xx:", "(?*", "(?<*", "(*pla:", "(*plb:", "(*nla:", "(*nlb:",
    "(*napla:", "(*naplb:", "(*atomic:", "(*sr:", "(*asr:", "(*scs:(1)", "(*scan_substring:(1)",
    "(?(1)", "(?(?=a)", "(?(?<=a)", "(?(R)", "(?(<n1>)",
};

static const char *const plain[] = {
    "a", "b", "ab", "k", "s", "i", "A", "K", "S", "I", "foo", "1", "=", " ", "-", ",", "\"", "]", "{",
    "}", "x{", "{1", "{,2}", "{ 1}", "{,}", "{}", "\\.", "\\ ", "\\x61", "\\t", "\\e", "\xC3\xA9",
    "\\\xC3\xA9", "\xC3\x9F", "\xE5\x90\x8D", "\xC5\xBF", "\xE2\x84\xAA", "\xC4\xB0", "\xC4\xB1",
    "\xCF\x83", "\xCC\x81",
};

static const char *const special[] = {
    "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\h", "\\H", "\\v", "\\V", "\\N", "\\R", "\\X", "\\n", "\\r",
    "\\b", "\\B", "^", "$", "\\A", "\\z", "\\Z", "\\G", "\\K", "\\Q.*\\E", "\\Qa", "\\E", "(?#c)",
    "(?i)", "(?-i)", "(?s)", "(?m)", "(?-m)", "(?U)", "(?x)", "(?xx)", "(?n)", "(?J)", "(?^)", "(?^i)",
    "(?r)", "(?ir)", "(?a)", "(?aD)", "(?aW)", "(?aS)", "(?aT)", "(?aP)",
    "\\p{L}", "\\P{L}", "\\pL", "\\p{ ^L }", "\\p{ Lu }", "\\p{L&}", "\\P{^L}", "\\p{Lc}", "\\p{Ll}",
    "\\p{Lt}", "\\p{Z}", "\\p{Cc}", "\\p{Greek}", "\\p{Any}", "\\p{ASCII}", "\\p{Xsp}", "\\p{Xwd}",
    "\\012", "\\cA", "\\x{a}", "\\x{e9}", "\\x{ 61 }", "\\x{ e9}", "\\o{141}", "\\o{ 141 }", "\\N{U+61}",
    "\\N{ U+61 }", "\\N{2}", "\\N{ 1,2 }", "[[:<:]]", "[[:>:]]", "(?[ [a-z] - [b] ])",
    "(?[ \\w & [a-k] ])", "\\g{1}", "\\g{ 1 }", "\\g{-1}", "\\k{n1}", "\\k{ n1 }", "(?P=n1)", "(?1)",
    "(?P>n1)", "(?&n1)", "(?1(1))", "(?*a)", "(?<*a)", "(?C1)", "(?C{abc})", "(*ACCEPT)", "(*F)",
    "(*COMMIT)", "(*PRUNE)", "(*SKIP)", "(*THEN)",
};

static const char *const repeats[] = {
    "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1}?", "{3}+", "{0}", "{02}", "{1,2}",
    "{0,1}", "{0,3}?", "{1,}", "{2,}", "{,0}", "{,1}", "{,2}", "{,2}", "{,2}?", "{,2}+", "{ 2 }",
    "{\t2}", "{2\t}", "{\n2}", "{ ,2}", "{2, }", "{1 , 2}", "{ 1,2 }", "{,}", "{ }", "{-1}", "{1,a}",
    "{1,2,3}",
};

static const char *const pieces[] = {
    "a", "b", "ab", "aab", "aaaa", "k", "s", "i", "A", "K", "S", "I", "foo", "foo ab", "bar", "ab1", "1",
    "=", " ", "-", "\"", "\"a\"", ".", "[", "]", "&&", "{", "}", "x{", "{1", "{,2}", "x{,2}", "a{ 2 }",
    "{\t2}", "\n", "\n", "\n", "\n\n", "\r\n", "\t", "\x0B", "\x1A", "\xC3\xA9", "\xC3\x9F", "\xC3\x89",
    "\xE5\x90\x8D", "\xC2\xA0", "\xE2\x80\xA8", "\xC2\x85", "\xE2\x84\xAA", "\xC5\xBF", "\xC4\xB0",
    "\xC4\xB1", "\xCF\x83", "\xCF\x82", "\xCE\xA3", "\xCC\x81", "\xE2\x80\xBF", "\xEF\xBC\xA1",
    "\xEF\xBC\x91", "\xE1\xBA\x9E", "\xFF", "\xC3", "\xE5\x90",
};
/* clang-format on */

static void put_class(uint64_t *state, struct buf *out) {
    static const char *const openings[] = {"[", "[", "[^", "[^\"", "[]", "[^]"};
    PUT_ONE(openings);
    for (uint32_t i = sample_below(state, 4) + 1; i > 0; i--)
        PUT_ONE(members);
    buf_str(out, "]");
}

static void put_group(uint64_t *state, struct buf *out, int depth) {
    /* Not inside the group itself, where PCRE2 wrongly takes lines for too short. */
    if (depth == DEPTH && sample_below(state, 4) == 0) {
        buf_str(out, "\\1");
    } else if (depth > 0) {
        PUT_ONE(groups);
        put_alternatives(state, out, depth - 1);
        buf_str(out, ")");
    }
}

static void put_item(uint64_t *state, struct buf *out, int depth) {
    uint32_t kind = sample_below(state, 12);
    if (kind < 2)
        put_class(state, out);
    else if (kind < 4)
        put_group(state, out, depth);
    else if (kind < 7)
        PUT_ONE(special);
    else if (kind < 8)
        buf_str(out, ".");
    else
        PUT_ONE(plain);
}

static void put_alternatives(uint64_t *state, struct buf *out, int depth) {
    for (uint32_t i = sample_below(state, 5); i > 0; i--) {
        put_item(state, out, depth);
        if (sample_below(state, 3) == 0)
            PUT_ONE(repeats);
        if (sample_below(state, 12) == 0)
            buf_str(out, "|");
    }
}

void sample_pattern(uint64_t *state, struct buf *out) {
    put_alternatives(state, out, DEPTH);
}

void sample_lines(uint64_t *state, struct buf *out) {
    bool ascii = sample_below(state, 3) == 0;
    for (uint32_t i = sample_below(state, 24); i > 0; i--) {
        size_t before = out->len;
        PUT_ONE(pieces);
        if (ascii && (unsigned char)out->data[out->len - 1] >= 0x80)
            out->len = before;
    }
}

/* ---- Near misses */

static void put_near(uint64_t *state, struct buf *out, int depth) {
    static const char *const letters[] = {"x", "s",  "=",        "a",           "b",
                                          "1", "ab", "\xC3\xA9", "\xE5\x90\x8D"};
    static const char *const sets[] = {".",    "\\d",   "\\w",  "\\s",    "\\S",       "\\D",
                                       "\\W",  "\\h",   "\\V",  "\\N",    "\\p{L}",    "[ab]",
                                       "[^a]", "[0-9]", "[x=]", "[a-z1]", "[\xC3\xA9]"};
    static const char *const openings[] = {"(?:", "(", "(?i:", "(?>"};
    static const char *const counts[] = {"?",     "*",      "+",    "??",    "*?", "+?",
                                         "{2}",   "{3}",    "{9}",  "{0,2}", "?+", "*+",
                                         "{1,3}", "{0,2}?", "{2,}", "{2,4}", "?",  "?"};
    for (uint32_t i = sample_below(state, 6) + 1; i > 0; i--) {
        uint32_t kind = sample_below(state, 20);
        if (kind < 11) {
            PUT_ONE(letters);
        } else if (kind < 17 || depth == 0) {
            PUT_ONE(sets);
        } else {
            PUT_ONE(openings);
            put_near(state, out, depth - 1);
            buf_str(out, ")");
        }
        if (sample_below(state, 3) == 0)
            PUT_ONE(counts);
    }
    if (depth > 0 && sample_below(state, 4) == 0) {
        buf_str(out, "|");
        put_near(state, out, depth - 1);
    }
}

void sample_near_pattern(uint64_t *state, struct buf *out) {
    put_near(state, out, 2);
}

/* Copies most characters, and puts others for what looks like a set or a count. */
static void put_like(uint64_t *state, const char *pattern, struct buf *out) {
    static const char *const any[] = {"5", "a", "b", " ", "z", "-", "aa", "123", "\xC3\xA9", ""};
    for (const char *p = pattern; *p; p++) {
        if (*p == '|' && sample_below(state, 2))
            return;
        if (strchr(".]{\\", *p))
            PUT_ONE(any);
        else if ((*p & 0x80 || strchr("xs=ab1", *p)) && sample_below(state, 8))
            buf_add(out, p, 1);
    }
}

void sample_near_lines(uint64_t *state, const char *pattern, struct buf *out) {
    static const char *const junk[] = {"x", "s", "=", "a", "b", "1", "5", " ", "X", "\xC3\xA9"};
    for (uint32_t line = sample_below(state, 4) + 1; line > 0; line--) {
        for (uint32_t i = sample_below(state, 3) ? 0 : sample_below(state, 20); i > 0; i--)
            PUT_ONE(junk);
        put_like(state, pattern, out);
        for (uint32_t i = sample_below(state, 3) ? 0 : sample_below(state, 40); i > 0; i--)
            PUT_ONE(junk);
        buf_str(out, "\n");
    }
}

/* SPDX-License-Identifier: MIT */
#include "fold.h"

#include "sample.h"
#include "unity.h"

#include <stdio.h>
#include <string.h>

static struct text_ref ref(const char *s) {
    return (struct text_ref){s, strlen(s)};
}

static void check_folded(const char *expected, const char *text) {
    struct folded f;
    TEST_ASSERT_TRUE(fold_text(ref(text), &f));
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(strlen(expected), f.len, text);
    f.data[f.len] = '\0'; /* there is room, because folding never lengthens a text */
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, f.data, text);
    char out[200];
    TEST_ASSERT_EQUAL_UINT64(f.len, fold_into(ref(text), out, sizeof out));
    out[f.len] = '\0';
    TEST_ASSERT_EQUAL_STRING(f.data, out);
    folded_free(&f);
}

void test_fold__what_looks_alike_is_equal(void) {
    check_folded("", "");
    check_folded("", " \t\r\n\f\v");
    check_folded("ifx", "  If\tX\r\n");
    check_folded("ab", "a\u00A0\u3000\u2009b");
    check_folded("ab", "\uFEFFa\u200B\u00AD\u2060b");
    check_folded("'a'\"b\"", "\u2018a\u2019\u201Cb\u201D");
    check_folded("----", "-\u2013\u2014\u2212");
    check_folded("a...b", "a\u2026b");
    check_folded("f(x)=1", "\uFF26\uFF08x\uFF09\uFF1D1");
    check_folded("eeu", "\u00E9e\u0301\u00DC");
    check_folded("zlonc", "\u017B\u0142\u00F3\u0144\u0107");
}

void test_fold__letters_of_other_scripts_lose_their_case(void) {
    check_folded("\u043F\u0440\u0438\u0432\u0435\u0442\u0451",
                 "\u041F\u0420\u0418\u0412\u0415\u0442\u0401");
    check_folded("\u03B1\u03C9", "\u0391\u03A9");
    check_folded("\u65E5\u672C\u8A9E", "\u65E5\u672C \u8A9E");
    check_folded("\U0001F600", "\U0001F600");
}

void test_fold__other_characters_are_kept(void) {
    check_folded("a_1{}[]<>\\/#", "a_1{}[]<>\\/#");
    check_folded("\xff\x80z", "\xff\x80Z"); /* bytes that are not UTF-8 stay as they are */
}

/* Checks the origin of every byte against folding each character by itself. */
static void check_origins(struct text_ref text) {
    struct folded f;
    TEST_ASSERT_TRUE(fold_text(text, &f));
    TEST_ASSERT_TRUE(f.len <= text.len);
    size_t folded = 0;
    for (size_t at = 0; at < text.len;) {
        struct unit u = fold_unit(text.data + at, text.len - at);
        TEST_ASSERT_TRUE(folded + u.folded_len <= f.len);
        for (size_t i = 0; i < u.folded_len; i++, folded++) {
            TEST_ASSERT_EQUAL_HEX8(u.folded[i], f.data[folded]);
            if (folded % 61 == 0)
                TEST_ASSERT_EQUAL_UINT64(at, folded_origin(&f, folded));
        }
        at += u.len;
    }
    TEST_ASSERT_EQUAL_UINT64(f.len, folded);
    folded_free(&f);
}

void test_fold__each_byte_knows_where_it_came_from(void) {
    static const char *const pieces[] = {
        "word",     " ",      "\n",     "\t",           "\u00E9", "\u00A0", "\u2026",
        "Q",        "\u0416", "\u6F22", "\U0001F600",   "\u200B", "\u0301", "                     ",
        "\xE3\x80", "\xC3",   "\uFEFF", "\u1E9E\u0130", "\u3042",
    };
    enum { MOST = 20000 };
    static char text[MOST];
    uint64_t state = 7;
    for (int round = 0; round < 60; round++) {
        const size_t most = round % 3 ? 300 : MOST;
        size_t n = sample_text(&state, pieces, sizeof pieces / sizeof *pieces, text, most);
        check_origins((struct text_ref){text, n});
    }
}

/* SPDX-License-Identifier: MIT */
#include "unseen.h"

#include "unity.h"

#include <string.h>

void setUp(void) {
}
void tearDown(void) {
}

static struct unseen count(const char *line) {
    return unseen_count(line, strlen(line), false);
}

static void is_clean(const char *line) {
    TEST_ASSERT_EQUAL_MESSAGE(0, count(line).all, line);
}

static void holds(int64_t all, enum unseen_kind kind, const char *line) {
    const struct unseen found = count(line);
    TEST_ASSERT_EQUAL_MESSAGE(all, found.all, line);
    TEST_ASSERT_EQUAL_MESSAGE(all, found.of_kind[kind], line);
}

void test_unseen__each_kind(void) {
    holds(3, UNSEEN_TAGS,
          "a\U000E0041\U000E0042\U000E0043"
          "b");
    /* NOLINTNEXTLINE(misc-misleading-bidirectional): it is what is tested */
    holds(1, UNSEEN_BIDI, "a\u202Eb");
    holds(2, UNSEEN_BIDI, "\xE2\x81\xA6x\xE2\x81\xA9");
    holds(1, UNSEEN_ZERO_WIDTH, "a\u200Bb");
    holds(2, UNSEEN_ZERO_WIDTH, "\u2060\uFEFFx");
    holds(2, UNSEEN_ESCAPES, "\x1B[31mred\x1B[0m");
    holds(1, UNSEEN_ESCAPES,
          "a\xC2\x9B"
          "2J");
    holds(1, UNSEEN_SELECTORS, "a\uFE01");
    holds(1, UNSEEN_ZERO_WIDTH, "a\u3164");
}

/* Characters that people write are not noted. */
void test_unseen__what_writing_needs(void) {
    is_clean("plain text\twith a tab\r");
    is_clean("\u00E4\u00F6\u00FC \u6F22\u5B57 \u0440\u0443\u0441");
    is_clean(
        "\U0001F468\u200D\U0001F469\u200D\U0001F467 \u2764\uFE0F\u200D\U0001F525 1\uFE0F\u20E3");
    is_clean("\U0001F3F3\uFE0F\u200D\U0001F308 \U0001F469\U0001F3FD\u200D\U0001F680 \u00A9\uFE0F");
    is_clean("\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F");
    is_clean("\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645");
    is_clean("\u0915\u094D\u200D\u0937 \u0DC1\u0DCA\u200D\u0DBB\u0DD3");
    is_clean("\u845B\U000E0100 \u5203\uFE00");
    is_clean("\u0E2A\u0E27\u0E31\u0E2A\u200B\u0E14\u0E35");
    is_clean("\u05D0\u200F! (\u200E\u05D0)");
    is_clean("Donau\u00ADdampf");
    is_clean("next\xC2\x85line");
}

/* The same characters in a row, or where no writing has them, are noted. */
void test_unseen__runs_of_them(void) {
    holds(1, UNSEEN_SELECTORS, "\u2764\uFE0F\uFE0F");
    holds(3, UNSEEN_SELECTORS, "\U0001F600\uFE0F\U000E0101\U000E0102\U000E0103");
    holds(2, UNSEEN_ZERO_WIDTH, "\u0645\u200C\u200C\u200C");
    holds(1, UNSEEN_ZERO_WIDTH, "a\u200Db");
    holds(1, UNSEEN_ZERO_WIDTH, "\U0001F600\u200D");
    holds(4, UNSEEN_TAGS, "\U0001F3F4\U000E0078\U000E0079\U000E007A\U000E007F");
    holds(1, UNSEEN_BIDI, "a\u200Eb");
    holds(2, UNSEEN_ZERO_WIDTH, "\u00AD\u00AD");
}

void test_unseen__mark_of_a_file(void) {
    TEST_ASSERT_EQUAL(0, unseen_count("\uFEFFx", 4, true).all);
    TEST_ASSERT_EQUAL(1, unseen_count("\uFEFFx", 4, false).all);
    TEST_ASSERT_EQUAL(1, unseen_count("x\uFEFF", 4, true).all);
}

void test_unseen__bytes_that_are_no_text(void) {
    is_clean("\xFF\xF3\xA0\x81");
    is_clean("");
}

/* Escapes and bytes beyond ASCII at each place of the words that are looked at together, and behind
 * the last of them. */
void test_unseen__may_be_in(void) {
    char text[75];
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, 'x', sizeof text);
        TEST_ASSERT_FALSE(unseen_may_be_in(text, sizeof text));
        text[at] = 0x1B;
        TEST_ASSERT_TRUE(unseen_may_be_in(text, sizeof text));
        text[at] = (char)0xE2;
        TEST_ASSERT_TRUE(unseen_may_be_in(text, sizeof text));
    }
    memset(text, 0x1C, sizeof text);
    TEST_ASSERT_FALSE(unseen_may_be_in(text, sizeof text));
    TEST_ASSERT_FALSE(unseen_may_be_in(text, 0));
}

void test_unseen__many_lines_are_counted(void) {
    struct unseen_note note = {0};
    struct buf text = {0}, out = {0};
    for (int i = 0; i < 9; i++)
        buf_str(&text, "a\u200Bb\n");
    unseen_note_text(&note, NULL, 7, text.data, text.len);
    unseen_note_end(&note, &out);
    TEST_ASSERT_EQUAL_STRING("[line 7 holds 1 invisible character: zero-width; line 8 holds 1: "
                             "zero-width; line 9 holds 1: zero-width; line 10 holds 1: zero-width; "
                             "line 11 holds 1: zero-width; 4 further lines hold 4]\n",
                             out.data);
    buf_free(&text);
    buf_free(&out);
}

/* SPDX-License-Identifier: MIT */
#include "path.h"
#include "sample.h"
#include "utf8.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

/* In bytes, because compilers refuse \u for control characters. */
#define NEL "\302\205" /* U+0085, a line break */
#define CSI "\302\233" /* U+009B, begins a terminal's command */

static char out[PATH_BYTES_MAX + 1];
static size_t out_len;
static struct error error;

void setUp(void) {
    memset(out, 'u', sizeof out);
    out_len = 4711;
}

static int accept(const char *text, size_t n) {
    return path_accept(text, n, "/home/me", out, &out_len, &error);
}

static void check_accepted(const char *text, const char *expected) {
    TEST_ASSERT_EQUAL_INT(AQFS_OK, accept(text, strlen(text)));
    TEST_ASSERT_EQUAL_STRING(expected, out);
    TEST_ASSERT_EQUAL_UINT(strlen(expected), out_len);
}

static void check_refused(const char *text, size_t n, enum code code) {
    setUp();
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, accept(text, n), text);
    TEST_ASSERT_EQUAL_UINT(4711, out_len);
    TEST_ASSERT_EQUAL_INT('u', out[0]);
}

static void check_refused_text(const char *text, enum code code) {
    check_refused(text, strlen(text), code);
}

void test_path__accepts_bytes_as_they_are(void) {
    check_accepted("a/b.c", "a/b.c");
    check_accepted("..//./x/", "..//./x/");
    check_accepted(" \n\x7F", " \n\x7F");
    check_accepted("a\377b", "a\377b");
    check_accepted("a\\nb\"c", "a\\nb\"c");
}

void test_path__refuses_empty_and_nul(void) {
    check_refused("", 0, AQFS_INVALID_ARGUMENT);
    check_refused("a\0b", 3, AQFS_INVALID_ARGUMENT);
    check_refused("\0", 1, AQFS_INVALID_ARGUMENT);
    check_refused_text("\"\"", AQFS_INVALID_ARGUMENT);
    check_refused_text("\"a\\000b\"", AQFS_INVALID_ARGUMENT);
}

void test_path__lengths(void) {
    char text[2 * PATH_BYTES_MAX];
    memset(text, 'x', sizeof text);
    check_refused(text, NAME_BYTES_MAX + 1, AQFS_TOO_LONG);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, accept(text, NAME_BYTES_MAX));
    for (size_t i = 200; i < sizeof text; i += 200)
        text[i] = '/';
    TEST_ASSERT_EQUAL_INT(AQFS_OK, accept(text, PATH_BYTES_MAX));
    TEST_ASSERT_EQUAL_UINT(PATH_BYTES_MAX, out_len);
    TEST_ASSERT_EQUAL_INT('\0', out[PATH_BYTES_MAX]);
    check_refused(text, PATH_BYTES_MAX + 1, AQFS_TOO_LONG);
    check_refused(text, sizeof text, AQFS_TOO_LONG);
    text[0] = '~'; /* short enough until it is expanded */
    text[1] = '/';
    check_refused(text, PATH_BYTES_MAX, AQFS_TOO_LONG);
    const size_t longest = PATH_BYTES_MAX + 1 - strlen("/home/me"); /* the tilde goes */
    check_refused(text, longest + 1, AQFS_TOO_LONG);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, accept(text, longest));
    TEST_ASSERT_EQUAL_UINT(PATH_BYTES_MAX, out_len);
}

void test_path__lengths_of_quoted_forms(void) {
    struct buf text = {0};
    buf_char(&text, '"');
    for (int i = 0; i < NAME_BYTES_MAX; i++)
        buf_str(&text, "\\377");
    buf_char(&text, '"');
    TEST_ASSERT_EQUAL_INT(AQFS_OK, accept(text.data, text.len));
    TEST_ASSERT_EQUAL_UINT(NAME_BYTES_MAX, out_len);
    text.len--;
    for (int i = 0; i < PATH_BYTES_MAX; i++)
        buf_char(&text, '/');
    buf_char(&text, '"');
    check_refused(text.data, text.len, AQFS_TOO_LONG);
    text.len = 1;
    for (int i = 0; i < PATH_BYTES_MAX; i++)
        buf_char(&text, '/');
    buf_char(&text, '"');
    TEST_ASSERT_EQUAL_INT(AQFS_OK, accept(text.data, text.len));
    TEST_ASSERT_EQUAL_UINT(PATH_BYTES_MAX, out_len);
    text.data[text.len - 1] = '/';
    buf_char(&text, '"');
    check_refused(text.data, text.len, AQFS_TOO_LONG);
    buf_free(&text);
}

void test_path__home(void) {
    check_accepted("~/a", "/home/me/a");
    check_accepted("~/", "/home/me/");
    check_accepted("~", "~");
    check_accepted("~you/a", "~you/a");
    check_accepted("a/~/b", "a/~/b");
    check_accepted("\"~/a\"", "~/a");
}

void test_path__home_is_given_or_not(void) {
    TEST_ASSERT_EQUAL_INT(AQFS_OK, path_accept("~/a", 3, NULL, out, &out_len, &error));
    TEST_ASSERT_EQUAL_STRING("~/a", out);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, path_accept("~/a", 3, "/", out, &out_len, &error));
    TEST_ASSERT_EQUAL_STRING("/a", out);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, path_accept("~/a", 3, "/home/", out, &out_len, &error));
    TEST_ASSERT_EQUAL_STRING("/home/a", out);
}

void test_path__quoted(void) {
    check_accepted("\"a b\"", "a b");
    check_accepted("\"\\a\\b\\t\\n\\v\\f\\r\\\"\\\\\"", "\a\b\t\n\v\f\r\"\\");
    check_accepted("\"a\\377b\\101\"", "a\377bA");
    check_accepted("\"\\303\\251é\"", "éé");
    check_accepted("\"\\1011\"", "A1");
}

void test_path__quoted_wrongly(void) {
    const char *const texts[] = {
        "\"",       "\"a",       "\"a\"b\"",  "\"a\\\"",   "\"\\x41\"", "\"\\1\"",
        "\"\\12\"", "\"\\128\"", "\"\\400\"", "\"\\777\"", "\"\\\"",    "\"a\"b",
        "\"\\e\"",  "\"\\8\"",   "\"\\0\"",   "\"\\N\"",   "\"\"\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_refused_text(texts[i], AQFS_INVALID_ARGUMENT);
        TEST_ASSERT_NOT_NULL(strstr(error.message, "quoted form"));
        TEST_ASSERT_NOT_NULL(strstr(error.hint, "expected"));
    }
}

typedef void show_function(struct buf *, const char *, size_t);

static void check_shown_as(show_function *show, const char *bytes, const char *expected) {
    struct buf shown = {0};
    show(&shown, bytes, strlen(bytes));
    TEST_ASSERT_EQUAL_STRING(expected, shown.data);
    buf_free(&shown);
}

void test_path__shown_as_itself(void) {
    const char *const names[] = {"a", "a/b c", "é€😀", "a\"b", "a\\b", "a~/b", "~", "/abs", "."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_shown_as(path_show, names[i], names[i]);
        check_shown_as(path_show_safe, names[i], names[i]);
    }
}

void test_path__shown_quoted_where_it_must_be(void) {
    check_shown_as(path_show, "a\377b", "\"a\\377b\"");
    check_shown_as(path_show, "\"a\"", "\"\\\"a\\\"\"");
    check_shown_as(path_show, "~/a", "\"~/a\"");
    check_shown_as(path_show, "é\377\\\n\001", "\"é\\377\\\\\\n\\001\"");
    check_shown_as(path_show, "a\n\u200Fb", "a\n\u200Fb");
}

void test_path__shown_safely(void) {
    check_shown_as(path_show_safe, "a\nb", "\"a\\nb\"");
    check_shown_as(path_show_safe, "a\033[2Jb", "\"a\\033[2Jb\"");
    check_shown_as(path_show_safe, "a\177b", "\"a\\177b\"");
    check_shown_as(path_show_safe, "a" CSI "b", "\"a\\302\\233b\"");
    check_shown_as(path_show_safe, "é\u200Ftxt.exe", "\"é\\342\\200\\217txt.exe\"");
    check_shown_as(path_show_safe, "a\u200Bb\"c", "\"a\\342\\200\\213b\\\"c\"");
    check_shown_as(path_show_safe, "a\377b", "\"a\\377b\"");
}

void test_path__shows_spaces_that_hide(void) {
    check_shown_as(path_show_safe, " a", "\"\\040a\"");
    check_shown_as(path_show_safe, "a ", "\"a\\040\"");
    check_shown_as(path_show_safe, "a        b", "a        b");
    check_shown_as(path_show_safe, "a         b",
                   "\"a\\040\\040\\040\\040\\040\\040\\040\\040\\040b\"");
    check_shown_as(path_show_safe, "a\u00A0b", "\"a\\302\\240b\"");
    check_shown_as(path_show_safe, "a\u3000b", "\"a\\343\\200\\200b\"");
}

void test_path__shows_every_hidden_code_point(void) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x01, 0x06},     {0x0E, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x61C, 0x61C},
        {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x2064},   {0x2066, 0x2069},
        {0x3000, 0x3000}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        for (uint32_t c = hidden[i].first; c <= hidden[i].last; c++) {
            char name[8] = "a";
            const size_t n = 1 + sample_utf8(c, name + 1);
            struct buf shown = {0};
            path_show_safe(&shown, name, n);
            TEST_ASSERT_EQUAL_INT_MESSAGE('"', shown.data[0], "not quoted");
            TEST_ASSERT_EQUAL_INT('\\', shown.data[2]);
            buf_free(&shown);
        }
    }
}

void test_path__shows_letters_of_many_scripts(void) {
    const uint32_t visible[] = {0x21,  0x7E,  0xA1,   0xE9,   0x3B1,  0x416,   0x5D0,
                                0x627, 0x905, 0x4E2D, 0xAC00, 0xFFFD, 0x1F600, 0x20000};
    for (size_t i = 0; i < sizeof visible / sizeof *visible; i++) {
        char name[8] = {0};
        (void)sample_utf8(visible[i], name);
        check_shown_as(path_show_safe, name, name);
    }
}

/* For random bytes, both shown forms are valid UTF-8 and are accepted back as these bytes. */
static void check_round_trip(show_function *show, const char *bytes, size_t n) {
    struct buf shown = {0};
    show(&shown, bytes, n);
    TEST_ASSERT_TRUE(utf8_is_valid(shown.data, shown.len));
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_OK, accept(shown.data, shown.len), shown.data);
    TEST_ASSERT_EQUAL_UINT_MESSAGE(n, out_len, shown.data);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(bytes, out, n, shown.data);
    buf_free(&shown);
}

void test_path__shown_forms_are_accepted_back(void) {
    const char *const pieces[] = {"\"", "\\",   "~/", "\n",     "é",      "😀",          "x",
                                  " ",  "    ", "/",  "\u200F", "\u200B", "\u00A0\033", "7"};
    uint64_t state = 2;
    for (int i = 0; i < 100000; i++) {
        char bytes[40];
        size_t n = sample_text(&state, pieces, 14, bytes, sizeof bytes);
        if (n == 0 || memchr(bytes, '\0', n))
            continue;
        check_round_trip(path_show, bytes, n);
        check_round_trip(path_show_safe, bytes, n);
        bool plain = !path_needs_quotes(bytes, n);
        TEST_ASSERT_EQUAL_INT(plain, accept(bytes, n) == AQFS_OK && out_len == n &&
                                         memcmp(out, bytes, n) == 0 && utf8_is_valid(bytes, n));
    }
}

/* Any terminal shows the safe form of any path as it is. */
void test_path__safe_forms_are_safe(void) {
    const char *const pieces[] = {"\033", "a", "\u200F", " ", NEL, "\u2028", "é"};
    uint64_t state = 3;
    for (int i = 0; i < 20000; i++) {
        char bytes[40];
        struct buf shown = {0};
        size_t n = sample_text(&state, pieces, 7, bytes, sizeof bytes);
        path_show_safe(&shown, bytes, n);
        for (size_t at = 0; at < shown.len; at++)
            TEST_ASSERT_FALSE((unsigned char)shown.data[at] < 0x20 || shown.data[at] == 0x7F);
        TEST_ASSERT_NULL(strstr(shown.data, "\u200F"));
        TEST_ASSERT_NULL(strstr(shown.data, NEL));
        TEST_ASSERT_NULL(strstr(shown.data, "\u2028"));
        buf_free(&shown);
    }
}

void test_path__label(void) {
    char label[PATH_LABEL];
    TEST_ASSERT_EQUAL_STRING("a/b", path_label("a/b", 3, label));
    TEST_ASSERT_EQUAL_STRING("\"a\\nb\"", path_label("a\nb", 3, label));
    TEST_ASSERT_EQUAL_STRING("", path_label("", 0, label));
}

void test_path__label_is_bounded(void) {
    char label[PATH_LABEL], bytes[400], expected[PATH_LABEL];
    memset(bytes, 'x', sizeof bytes);
    TEST_ASSERT_EQUAL_UINT(300, strlen(path_label(bytes, 300, label)));
    (void)snprintf(expected, sizeof expected, "%.300s…", bytes);
    TEST_ASSERT_EQUAL_STRING(expected, path_label(bytes, 301, label));
    bytes[299] = '\303'; /* é, split by the cut */
    bytes[300] = '\251';
    (void)snprintf(expected, sizeof expected, "%.299s…", bytes);
    TEST_ASSERT_EQUAL_STRING(expected, path_label(bytes, sizeof bytes, label));
    memset(bytes, '\377', sizeof bytes); /* the longest form */
    TEST_ASSERT_EQUAL_UINT(4 * 300 + 2 + 3, strlen(path_label(bytes, sizeof bytes, label)));
}

static bool is_below(const char *path, const char *prefix) {
    return path_is_below(path, strlen(path), prefix, strlen(prefix));
}

void test_path__is_below(void) {
    TEST_ASSERT_TRUE(is_below("/a/b", "/a"));
    TEST_ASSERT_TRUE(is_below("/a", "/a"));
    TEST_ASSERT_TRUE(is_below("a/b/c", "a/b"));
    TEST_ASSERT_TRUE(is_below("/a", ""));
    TEST_ASSERT_TRUE(is_below("", ""));
    TEST_ASSERT_FALSE(is_below("/ab", "/a"));
    TEST_ASSERT_FALSE(is_below("/a", "/a/b"));
    TEST_ASSERT_FALSE(is_below("/a", "/b"));
    TEST_ASSERT_FALSE(is_below("", "a"));
}

void test_path__basename(void) {
    TEST_ASSERT_EQUAL_STRING("c", path_basename("/a/b/c"));
    TEST_ASSERT_EQUAL_STRING("a", path_basename("a"));
    TEST_ASSERT_EQUAL_STRING("", path_basename("a/"));
    TEST_ASSERT_EQUAL_STRING("", path_basename(""));
}

void test_path__has_dotdot(void) {
    static const char *const with[] = {"..", "../a", "a/..", "a/../b", "/..", "a//..", "../"};
    static const char *const without[] = {"",    "a",     "...",   "a..",
                                          "..a", "a/...", "./a/.", "a/..b/c"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        TEST_ASSERT_TRUE_MESSAGE(path_has_dotdot(with[i]), with[i]);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        TEST_ASSERT_FALSE_MESSAGE(path_has_dotdot(without[i]), without[i]);
}

/* Every byte at every place of names of up to three words. */
void test_path__plain_is_every_byte_by_itself(void) {
    char name[24];
    for (size_t n = 1; n <= sizeof name; n++) {
        for (size_t at = 0; at < n; at++) {
            for (int c = 0; c < 256; c++) {
                memset(name, c % 2 ? '!' : '}', sizeof name);
                name[at] = (char)c;
                const bool plain = c > ' ' && c < '~' && c != '"' && c != '\\';
                TEST_ASSERT_EQUAL(plain, path_is_plain(name, n));
            }
        }
    }
    TEST_ASSERT_TRUE(path_is_plain("", 0));
}

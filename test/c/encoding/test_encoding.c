/* SPDX-License-Identifier: MIT */
#include "encoding.h"

#include "filetype.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

static struct libraries libraries = {.magic_lock = PTHREAD_MUTEX_INITIALIZER};
static struct error error;

void setUp(void) {
    memset(&error, 0, sizeof error);
}

void tearDown(void) {
    filetype_free(libraries.magic);
    libraries.magic = NULL;
}

struct bytes {
    const char *data;
    size_t n;
};
#define BYTES(literal) ((struct bytes){literal, sizeof(literal) - 1})

static struct text_ref word(const char *s) {
    return (struct text_ref){s, strlen(s)};
}

static struct encoding detected(struct bytes b) {
    struct encoding encoding = {0};
    int code = encoding_detect(&libraries, "a", word(""), b.data, b.n, &encoding, &error);
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, code, error.message);
    return encoding;
}

/* BYTES, in the encoding NAME, decode to TEXT, and TEXT encodes to BYTES. */
static void check(const char *name, size_t mark, struct bytes b, const char *text) {
    struct encoding encoding = detected(b);
    struct buf decoded = {0}, encoded = {0};
    TEST_ASSERT_EQUAL_STRING(name, encoding.name);
    TEST_ASSERT_EQUAL_UINT64(mark, encoding.mark);
    TEST_ASSERT_EQUAL(AQFS_OK, encoding_decode(&encoding, b.data, b.n, &decoded, &error));
    TEST_ASSERT_EQUAL_STRING(text, decoded.data);
    int code = encoding_encode(&encoding, decoded.data, decoded.len, &encoded, &error);
    TEST_ASSERT_EQUAL(AQFS_OK, code);
    TEST_ASSERT_EQUAL_UINT64(b.n, encoded.len);
    TEST_ASSERT_EQUAL_MEMORY(b.data, encoded.data, b.n + 1);
    code = encoding_returns(&encoding, b.data, b.n, decoded.data, decoded.len, &error);
    TEST_ASSERT_EQUAL(AQFS_OK, code);
    buf_free(&decoded);
    buf_free(&encoded);
}

void test_encoding__text_is_utf8(void) {
    check("utf-8", 0, BYTES(""), "");
    check("utf-8", 0, BYTES("plain\n"), "plain\n");
    check("utf-8", 0, BYTES("caf\xC3\xA9 \xF0\x9F\x98\x80\n"), "caf\u00E9 \U0001F600\n");
    check("utf-8", 0, BYTES("\x1B[1m\x01\x7F"), "\x1B[1m\x01\x7F");
}

void test_encoding__utf8_needs_no_libmagic(void) {
    (void)detected(BYTES("caf\xC3\xA9"));
    TEST_ASSERT_NULL(libraries.magic);
}

void test_encoding__a_mark_tells(void) {
    check("utf-8", 3, BYTES("\xEF\xBB\xBF"), "");
    check("utf-8", 3,
          BYTES("\xEF\xBB\xBF"
                "a\r\n"),
          "a\r\n");
    check("utf-16le", 2,
          BYTES("\xFF\xFE"
                "a\0\xE9\0\n\0"),
          "a\u00E9\n");
    check("utf-16be", 2, BYTES("\xFE\xFF\0a\0\xE9\0\n"), "a\u00E9\n");
    check("utf-16be", 2, BYTES("\xFE\xFF\xD8\x3D\xDE\x00"), "\U0001F600");
    check("utf-32le", 4, BYTES("\xFF\xFE\0\0a\0\0\0"), "a");
    check("utf-32be", 4, BYTES("\0\0\xFE\xFF\0\0\0a"), "a");
}

void test_encoding__libmagic_tells_what_else_it_is(void) {
    check("iso-8859-1", 0, BYTES("un caf\xE9 au lait\n"), "un caf\u00E9 au lait\n");
    check("windows-1252", 0, BYTES("a \x93quoted\x94 word \x80\n"),
          "a \u201Cquoted\u201D word \u20AC\n");
}

static void check_failure(enum code expected, const char *part, struct bytes b) {
    struct encoding encoding = {0};
    struct buf decoded = {0};
    int code = encoding_detect(&libraries, "a.x", word(""), b.data, b.n, &encoding, &error);
    if (!code)
        code = encoding_decode(&encoding, b.data, b.n, &decoded, &error);
    TEST_ASSERT_EQUAL(expected, code);
    TEST_ASSERT_EQUAL_UINT64(0, decoded.len);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, part), error.message);
    buf_free(&decoded);
}

void test_encoding__binary_is_named_with_its_type(void) {
    check_failure(AQFS_BINARY, "Path 'a.x' is binary (application/octet-stream)", BYTES("a\0b"));
    check_failure(AQFS_BINARY, "(image/png)", BYTES("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"));
    check_failure(AQFS_BINARY, "(application/pdf)", BYTES("%PDF-1.4\n%\xE2\xE3\xCF\xD3\n\x01"));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "read_bytes"));
}

void test_encoding__what_cannot_be_decoded_names_the_byte(void) {
    check_failure(AQFS_ENCODING, "offset 2 is not valid windows-1252",
                  BYTES("a \x81\x8D word here\n"));
    check_failure(AQFS_ENCODING, "offset 4 is not valid utf-16le",
                  BYTES("\xFF\xFE"
                        "a\0b"));
    check_failure(AQFS_ENCODING, "offset 4 is not valid utf-16le",
                  BYTES("\xFF\xFE"
                        "a\0\0\xD8"
                        "b\0"));
    check_failure(AQFS_ENCODING, "offset 3 is not valid utf-8", BYTES("\xEF\xBB\xBF\xFF"));
}

/* N bytes of PIECE repeated, then END. */
static struct buf long_text(const char *piece, size_t n, const char *end) {
    struct buf b = {0};
    while (b.len < n)
        buf_str(&b, piece);
    buf_str(&b, end);
    return b;
}

void test_encoding__latin1_is_found_behind_much_ascii(void) {
    struct buf b = long_text("plain words\n", 3 * FILETYPE_SAMPLE, "caf\xE9 au lait\n");
    TEST_ASSERT_EQUAL_STRING("iso-8859-1", detected((struct bytes){b.data, b.len}).name);
    buf_free(&b);
}

void test_encoding__damaged_utf8_is_not_taken_for_latin1(void) {
    struct buf b = long_text("caf\xC3\xA9s\n", 7 * 20000, "bad \xE9 byte\n");
    check_failure(AQFS_ENCODING, "offset 140004 is not valid utf-8", (struct bytes){b.data, b.len});
    buf_free(&b);
}

static struct encoding named(const char *name, struct bytes b) {
    struct encoding encoding = {0};
    int code = encoding_of_name(word(name), b.data, b.n, &encoding, &error);
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, code, name);
    return encoding;
}

void test_encoding__the_callers_word_is_taken(void) {
    TEST_ASSERT_EQUAL_STRING("utf-8", named("UTF-8", BYTES("a")).name);
    TEST_ASSERT_EQUAL_STRING("utf-8", named("utf8", BYTES("a")).name);
    TEST_ASSERT_EQUAL_STRING("iso-8859-1", named("Latin-1", BYTES("a")).name);
    TEST_ASSERT_EQUAL_STRING("shift_jis", named("Shift_JIS", BYTES("a")).name);
    TEST_ASSERT_EQUAL_UINT64(3, named("utf-8", BYTES("\xEF\xBB\xBF")).mark);
    TEST_ASSERT_EQUAL_UINT64(0, named("latin1", BYTES("\xEF\xBB\xBF")).mark);
    TEST_ASSERT_EQUAL_STRING("utf-16be", named("utf-16", BYTES("\xFE\xFF\0a")).name);
    TEST_ASSERT_EQUAL_UINT64(2, named("utf-16", BYTES("\xFE\xFF\0a")).mark);
    TEST_ASSERT_EQUAL_STRING("utf-16le", named("utf-16", BYTES("a\0")).name);
    TEST_ASSERT_EQUAL_STRING("utf-32le", named("utf-32", BYTES("\xFE\xFF\0a")).name);
}

void test_encoding__a_word_that_is_no_charset_is_refused(void) {
    static const char *const words[] = {
        "",
        "klingon",
        "utf-8//IGNORE",
        "utf-8//TRANSLIT",
        "../../etc/passwd",
        "a b",
        "\xC3\xA9",
        "unknown-8bit",
        "utf-8-and-then-forty-more-characters-of-nothing",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct encoding encoding;
        int code = encoding_of_name(word(words[i]), "a", 1, &encoding, &error);
        TEST_ASSERT_EQUAL_MESSAGE(AQFS_INVALID_ARGUMENT, code, words[i]);
    }
    struct encoding encoding;
    struct text_ref with_nul = {"utf-8\0x", 7};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, encoding_of_name(with_nul, "a", 1, &encoding, &error));
}

void test_encoding__text_that_does_not_fit_is_refused(void) {
    struct encoding latin1 = named("iso-8859-1", BYTES(""));
    struct buf out = {0};
    const char text[] = "caf\u00E9\nfive \u20AC\n";
    int code = encoding_encode(&latin1, text, strlen(text), &out, &error);
    TEST_ASSERT_EQUAL(AQFS_ENCODING, code);
    TEST_ASSERT_EQUAL_STRING("U+20AC in line 2 cannot be written in iso-8859-1", error.message);
    buf_free(&out);
}

void test_encoding__two_spellings_of_one_text_do_not_return(void) {
    /* ISO-2022-JP may contain a switch to ASCII while it is in ASCII. */
    struct encoding jis = named("iso-2022-jp", BYTES(""));
    struct bytes b = BYTES("a\x1B(Bb");
    struct buf text = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, encoding_decode(&jis, b.data, b.n, &text, &error));
    TEST_ASSERT_EQUAL_STRING("ab", text.data);
    int code = encoding_returns(&jis, b.data, b.n, text.data, text.len, &error);
    TEST_ASSERT_EQUAL(AQFS_ENCODING, code);
    buf_free(&text);
}

/* Decodes B as NAME in pieces of N bytes, each joined with the rest of the one before. */
static struct buf in_pieces(const char *name, struct bytes b, size_t n) {
    struct encoding encoding = named(name, b);
    struct decoder d;
    struct buf whole = {0}, held = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, decoder_open(&d, &encoding, &error));
    for (size_t at = encoding.mark; at < b.n || held.len > 0;) {
        size_t piece = b.n - at < n ? b.n - at : n;
        struct text_ref text;
        size_t used;
        buf_add(&held, b.data + at, piece);
        at += piece;
        int code = decoder_run(&d, held.data, held.len, at == b.n, &text, &used, &error);
        TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, code, error.message);
        buf_add(&whole, text.data, text.len);
        held.len -= used;
        memmove(held.data, held.data + used, held.len);
    }
    TEST_ASSERT_EQUAL_INT64(b.n, d.at);
    decoder_close(&d);
    buf_free(&held);
    return whole;
}

static void check_pieces(const char *name, struct bytes b, const char *text) {
    for (size_t n = 1; n <= b.n; n++) {
        struct buf whole = in_pieces(name, b, n);
        TEST_ASSERT_EQUAL_STRING(text, whole.data);
        buf_free(&whole);
    }
}

void test_encoding__pieces_may_be_cut_anywhere(void) {
    const char *text = "a\u00E9\u20AC\U0001F600\n";
    check_pieces("utf-8", BYTES("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n"), text);
    check_pieces("utf-8",
                 BYTES("\xEF\xBB\xBF"
                       "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n"),
                 text);
    check_pieces("utf-16be", BYTES("\xFE\xFF\0a\0\xE9\x20\xAC\xD8\x3D\xDE\x00\0\n"), text);
    check_pieces("shift_jis", BYTES("\x83\x65\x83X\x83g\n"), "\u30C6\u30B9\u30C8\n");
    check_pieces("iso-2022-jp", BYTES("a\x1B$B%F%9%H\x1B(B\n"), "a\u30C6\u30B9\u30C8\n");
    /* TCVN holds a letter back until it is clear that no accent follows. */
    check_pieces("tcvn5712-1", BYTES("ab"), "ab");
}

void test_encoding__a_bad_byte_shows_what_came_before_it(void) {
    struct encoding encoding = named("utf-8", BYTES(""));
    struct decoder d;
    struct text_ref text;
    size_t used;
    TEST_ASSERT_EQUAL(AQFS_OK, decoder_open(&d, &encoding, &error));
    TEST_ASSERT_EQUAL(AQFS_ENCODING,
                      decoder_run(&d, "ok\xFF-and-more", 12, false, &text, &used, &error));
    TEST_ASSERT_EQUAL_UINT64(2, used);
    TEST_ASSERT_EQUAL_UINT64(2, text.len);
    TEST_ASSERT_EQUAL_INT64(2, d.at);
    decoder_close(&d);
}

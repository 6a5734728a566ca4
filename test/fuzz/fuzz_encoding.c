/* SPDX-License-Identifier: MIT */
/* fuzz_encoding.c -- what is decoded and said to return does return, byte for byte; what is decoded
 * piece by piece is what is decoded whole; and text that was encoded decodes to itself. */
#include "encoding.h"
#include "fuzz.h"
#include "libraries.h"
#include "lines.h"
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

static struct libraries libraries;

static void leave_nothing(void) {
    libraries_unload(&libraries);
    libraries_destroy(&libraries);
}

static void start(void) {
    libraries_init(&libraries);
    atexit(leave_nothing);
}

static void check_error(const struct error *e, int code) {
    PROMISE(e->code == (enum code)code && e->message[0]);
    PROMISE(utf8_is_valid(e->message, strlen(e->message)));
    PROMISE(utf8_is_valid(e->hint, strlen(e->hint)));
}

static bool same(const struct buf *b, const char *bytes, size_t n) {
    return b->len == n && (n == 0 || memcmp(b->data, bytes, n) == 0);
}

/* Piece by piece, in pieces of STEP new bytes. */
static int decode_pieces(const struct encoding *encoding, const char *bytes, size_t n, size_t step,
                         struct buf *out) {
    struct decoder d = {0};
    struct error e;
    size_t at = encoding->mark, seen = at;
    int code = decoder_open(&d, encoding, &e);
    PROMISE(!code);
    for (bool last = false; !code && !last;) {
        struct text_ref text;
        size_t used;
        seen = n - seen > step ? seen + step : n;
        last = seen == n;
        code = decoder_run(&d, bytes + at, seen - at, last, &text, &used, &e);
        PROMISE(used <= seen - at && (code || seen - at - used <= 15));
        PROMISE(utf8_is_valid(text.data, text.len));
        buf_add(out, text.data, text.len);
        at += used;
        PROMISE(d.at == (int64_t)at);
        PROMISE(code || !last || at == n);
    }
    decoder_close(&d);
    return code;
}

static void check_back(const struct encoding *encoding, const char *bytes, size_t n,
                       const struct buf *text) {
    struct buf back = {0};
    struct error e;
    const char *data = text->data ? text->data : "";
    int code = encoding_encode(encoding, data, text->len, &back, &e);
    int returns = encoding_returns(encoding, bytes, n, data, text->len, &e);
    PROMISE((returns == AQFS_OK) == (code == AQFS_OK && same(&back, bytes, n)));
    if (returns)
        check_error(&e, AQFS_ENCODING);
    buf_free(&back);
}

/* All that an edit does to a file with CRLF. */
static void check_crlf(const struct buf *text) {
    struct endings endings = {0};
    struct buf lf = {0}, crlf = {0};
    if (text->len > 0)
        endings_add(&endings, text->data, text->len);
    if (!endings_are_crlf(&endings))
        return;
    buf_add(&lf, text->data, text->len);
    lf.len = text_crlf_to_lf(lf.data, lf.len);
    text_add_crlf(&crlf, lf.data, lf.len);
    PROMISE(same(&crlf, text->data, text->len));
    buf_free(&lf);
    buf_free(&crlf);
}

static void check_file(struct text_ref name, const char *bytes, size_t n, size_t step) {
    struct encoding encoding;
    struct error e;
    struct buf text = {0}, pieces = {0};
    int code = encoding_detect(&libraries, "f", name, bytes, n, &encoding, &e);
    if (code) {
        check_error(&e, code);
        return;
    }
    PROMISE(encoding.mark <= 4 && encoding.mark <= n);
    code = encoding_decode(&encoding, bytes, n, &text, &e);
    int again = decode_pieces(&encoding, bytes, n, step, &pieces);
    if (code)
        check_error(&e, code);
    PROMISE(code == again || code == AQFS_BINARY);
    if (!code) {
        PROMISE(utf8_is_valid(text.data, text.len));
        PROMISE(same(&pieces, text.data, text.len));
        check_back(&encoding, bytes, n, &text);
        check_crlf(&text);
    }
    buf_free(&text);
    buf_free(&pieces);
}

/* An encoding reads all that it can write. */
static void check_text(struct text_ref name, const char *text, size_t n) {
    struct encoding encoding;
    struct error e;
    struct buf bytes = {0}, back = {0};
    if (!utf8_is_valid(text, n) || encoding_of_name(name, "", 0, &encoding, &e))
        return;
    int code = encoding_encode(&encoding, text, n, &bytes, &e);
    if (code)
        check_error(&e, code);
    else if (encoding_decode(&encoding, bytes.data ? bytes.data : "", bytes.len, &back, &e) == 0)
        PROMISE(same(&back, text, n));
    buf_free(&bytes);
    buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {
        "",         "",        "utf-8",      "utf-16",       "utf-16le",
        "utf-16be", "utf-32",  "iso-8859-1", "windows-1252", "shift_jis",
        "euc-jp",   "gb18030", "koi8-r",     "iso-8859-15",  "big5",
        "nonsense"};
    static bool started;
    if (!started)
        start();
    started = true;
    if (size < 2)
        return 0;
    const char *name = names[data[0] % (sizeof names / sizeof *names)];
    struct text_ref given = {name, strlen(name)};
    const char *bytes = (const char *)data + 2;
    check_file(given, bytes, size - 2, 1 + data[1] % 24);
    check_text(given, bytes, size - 2);
    return 0;
}

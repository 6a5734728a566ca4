/* encoding.c -- decoding a file's bytes to UTF-8, and encoding them again: see encoding.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "encoding.h"

#include "cleanup.h"
#include "filetype.h"
#include "utf8.h"

#include <errno.h>
#include <iconv.h>
#include <inttypes.h>
#include <string.h>

#define NO_ICONV ((iconv_t)-1)

static const struct encoding utf8 = {.name = "utf-8"};

/* Of two marks that begin alike, the longer one stands first. */
static const struct {
    const char *name;
    size_t n;
    char bytes[4];
} marks[] = {
    {"utf-8", 3, {'\xEF', '\xBB', '\xBF'}},  {"utf-32le", 4, {'\xFF', '\xFE', 0, 0}},
    {"utf-32be", 4, {0, 0, '\xFE', '\xFF'}}, {"utf-16le", 2, {'\xFF', '\xFE'}},
    {"utf-16be", 2, {'\xFE', '\xFF'}},
};

/* Spellings that people use and iconv does not know, and spellings of UTF-8 that encoding_is_utf8
 * would not recognise. */
static const struct {
    const char *spelling, *name;
} aliases[] = {
    {"utf8", "utf-8"},        {"utf_8", "utf-8"},        {"utf-8-sig", "utf-8"},
    {"latin1", "iso-8859-1"}, {"latin-1", "iso-8859-1"}, {"iso-latin-1", "iso-8859-1"},
    {"ascii", "us-ascii"},    {"utf-16-le", "utf-16le"}, {"utf-16-be", "utf-16be"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void set_name(struct encoding *encoding, const char *name) {
    size_t n = strlen(name);
    memcpy(encoding->name, name, n + 1);
    encoding->mark = 0;
}

bool encoding_is_utf8(const struct encoding *encoding) {
    return strcmp(encoding->name, utf8.name) == 0;
}

/* Nearly every text begins with a byte that no mark begins with. */
static bool begins_mark(const char *bytes, size_t n) {
    return n > 0 && (bytes[0] == '\0' || (unsigned char)bytes[0] >= 0xEF);
}

bool encoding_of_mark(const char *bytes, size_t n, struct encoding *out) {
    *out = utf8;
    if (!begins_mark(bytes, n))
        return false;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (n >= marks[i].n && memcmp(bytes, marks[i].bytes, marks[i].n) == 0) {
            set_name(out, marks[i].name);
            out->mark = marks[i].n;
            return true;
        }
    return false;
}

/* Takes a name that may be passed to iconv: not "//IGNORE", which would lose text, and not a path.
 */
static bool take_encoding_name(struct text_ref name, struct encoding *out) {
    if (name.len == 0 || name.len >= sizeof out->name)
        return false;
    *out = (struct encoding){0};
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!plain && (c == '\0' || !strchr("-_.:+()", c)))
            return false;
        out->name[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (strcmp(out->name, aliases[i].spelling) == 0)
            set_name(out, aliases[i].name);
    return true;
}

static bool iconv_knows(const char *name) {
    iconv_t cd = iconv_open("UTF-8", name);
    if (cd == NO_ICONV)
        return false;
    (void)iconv_close(cd);
    return true;
}

int encoding_of_name(struct text_ref name, const char *bytes, size_t n, struct encoding *out,
                     struct error *e) {
    struct encoding wanted, marked;
    if (!take_encoding_name(name, &wanted) ||
        !(encoding_is_utf8(&wanted) || iconv_knows(wanted.name)))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "encoding: expected the name of a charset, such as utf-8, utf-16le, "
                    "iso-8859-1, windows-1252 or shift_jis");
    bool has_mark = encoding_of_mark(bytes, n, &marked);
    bool by_mark = strcmp(wanted.name, "utf-16") == 0 || strcmp(wanted.name, "utf-32") == 0;
    if (by_mark && has_mark && strncmp(marked.name, wanted.name, strlen(wanted.name)) == 0)
        wanted = marked;
    else if (by_mark)
        memcpy(wanted.name + strlen(wanted.name), "le", sizeof "le");
    else if (has_mark && strcmp(marked.name, wanted.name) == 0)
        wanted.mark = marked.mark;
    *out = wanted;
    return AQFS_OK;
}

bool encoding_is_binary(const char *bytes, size_t n) {
    return n > 0 && memchr(bytes, '\0', n < ENCODING_SNIFF ? n : ENCODING_SNIFF);
}

static int fail_binary_type(const char *label, const char *type, struct error *e) {
    (void)fail(e, AQFS_BINARY, "Path '%s' is binary (%s): use read_bytes", label, type);
    error_hint(e, "If it is text, pass encoding to name its charset");
    return AQFS_BINARY;
}

int fail_binary(struct libraries *libraries, const char *label, const char *bytes, size_t n,
                struct error *e) {
    struct filetype type;
    bool known = filetype_of(libraries, bytes, n, &type, e) == AQFS_OK;
    return fail_binary_type(label, known ? type.mime : "application/octet-stream", e);
}

int encoding_guess(struct libraries *libraries, const char *label, const char *sample, size_t n,
                   struct encoding *out, struct error *e) {
    struct filetype type;
    int code = filetype_of(libraries, sample, n, &type, e);
    if (code)
        return code;
    if (strcmp(type.charset, "binary") == 0)
        return fail_binary_type(label, type.mime, e);
    /* windows-1252 is the likeliest.  Decoding fails for bytes that it leaves undefined. */
    bool unknown = strcmp(type.charset, "unknown-8bit") == 0;
    const char *charset = unknown ? "windows-1252" : type.charset;
    struct text_ref name = {charset, strlen(charset)};
    if (encoding_of_name(name, sample, n, out, e) != AQFS_OK) {
        (void)fail(e, AQFS_ENCODING, "Path '%s' is in %s, which cannot be decoded here", label,
                   charset);
        error_hint(e, "Pass encoding to name its charset, or use read_bytes");
        return AQFS_ENCODING;
    }
    return AQFS_OK;
}

int encoding_detect(struct libraries *libraries, const char *label, struct text_ref name,
                    const char *bytes, size_t n, struct encoding *out, struct error *e) {
    if (name.len > 0)
        return encoding_of_name(name, bytes, n, out, e);
    if (encoding_of_mark(bytes, n, out))
        return AQFS_OK;
    if (encoding_is_binary(bytes, n))
        return fail_binary(libraries, label, bytes, n, e);
    size_t valid = utf8_valid_prefix(bytes, n);
    size_t start = valid < FILETYPE_SAMPLE ? 0 : valid;
    if (valid == n || (start > 0 && utf8_count(bytes, valid) < valid))
        return AQFS_OK; /* decoding will name the invalid byte */
    return encoding_guess(libraries, label, bytes + start, n - start, out, e);
}

/* Runs iconv until its input is used up or it stops.  Returns 0 or an errno value.  With IN NULL it
 * ends the output of a stateful encoding. */
static int convert_by_iconv(iconv_t cd, const char **in, size_t *n, struct buf *out) {
    for (;;) {
        if (!buf_reserve(out, *n + *n / 2 + 64))
            return ENOMEM;
        char *to = out->data + out->len;
        size_t room = out->cap - out->len - 1;
        size_t changed = iconv(cd, (char **)in, n, &to, &room);
        int error = changed == (size_t)-1 ? errno : changed > 0 ? EILSEQ : 0;
        out->len = (size_t)(to - out->data);
        out->data[out->len] = '\0';
        if (error != E2BIG)
            return error;
    }
}

int encoding_decode(const struct encoding *encoding, const char *bytes, size_t n, struct buf *out,
                    struct error *e) {
    AUTO(decoder_close) struct decoder d = {0};
    struct text_ref text;
    size_t used;
    int code = decoder_open(&d, encoding, e);
    if (!code)
        code = decoder_run(&d, bytes + encoding->mark, n - encoding->mark, true, &text, &used, e);
    if (code)
        return code;
    buf_add(out, text.data, text.len);
    return out->failed ? fail_memory(e) : AQFS_OK;
}

static void add_mark(const struct encoding *encoding, struct buf *out) {
    for (size_t i = 0; encoding->mark > 0 && i < COUNT(marks); i++)
        if (strcmp(encoding->name, marks[i].name) == 0)
            buf_add(out, marks[i].bytes, marks[i].n);
}

/* Fails because ENCODING lacks the character at TEXT[AT]. */
static int fail_unwritable(const struct encoding *encoding, const char *text, size_t n, size_t at,
                           struct error *e) {
    int64_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    int32_t code_point = 0xFFFD;
    if (at < n)
        (void)utf8_decode(text + at, n - at, &code_point);
    (void)fail(e, AQFS_ENCODING, "U+%04" PRIX32 " in line %" PRId64 " cannot be written in %s",
               (uint32_t)code_point, line, encoding->name);
    error_hint(e, "The file stays in %s: use only characters that this charset has",
               encoding->name);
    return AQFS_ENCODING;
}

/* Encodes without checking that the bytes decode to TEXT again; see check_legible. */
static int encode_text(const struct encoding *encoding, const char *text, size_t n, struct buf *out,
                       struct error *e) {
    add_mark(encoding, out);
    if (encoding_is_utf8(encoding)) {
        buf_add(out, text, n);
        return out->failed ? fail_memory(e) : AQFS_OK;
    }
    iconv_t cd = iconv_open(encoding->name, "UTF-8");
    if (cd == NO_ICONV)
        return errno == ENOMEM
                   ? fail_memory(e)
                   : fail(e, AQFS_ENCODING, "Nothing can be written in %s here", encoding->name);
    const char *in = text;
    size_t left = n, none = 0;
    int error = convert_by_iconv(cd, &in, &left, out);
    if (!error)
        error = convert_by_iconv(cd, NULL, &none, out);
    (void)iconv_close(cd);
    if (error == ENOMEM)
        return fail_memory(e);
    return error ? fail_unwritable(encoding, text, n, (size_t)(in - text), e) : AQFS_OK;
}

/* Refuses text that would be read back as another text.  In some encodings two characters share
 * bytes: a backslash written in Shift_JIS comes back as a yen sign. */
static int check_legible(const struct encoding *encoding, const char *text, size_t n,
                         const char *bytes, size_t bytes_n, struct error *e) {
    AUTO(buf_free) struct buf back = {0};
    size_t same = 0;
    int code = encoding_decode(encoding, bytes, bytes_n, &back, e);
    if (code && code != AQFS_ENCODING)
        return code;
    while (same < n && same < back.len && text[same] == back.data[same])
        same++;
    if (!code && same == n && same == back.len)
        return AQFS_OK;
    return fail_unwritable(encoding, text, n, utf8_cut(text, n, same), e);
}

int encoding_encode(const struct encoding *encoding, const char *text, size_t n, struct buf *out,
                    struct error *e) {
    const size_t before = out->len;
    int code = encode_text(encoding, text, n, out, e);
    if (code || n == 0 || encoding_is_utf8(encoding))
        return code;
    return check_legible(encoding, text, n, out->data + before, out->len - before, e);
}

int encoding_returns(const struct encoding *encoding, const char *bytes, size_t n, const char *text,
                     size_t text_n, struct error *e) {
    AUTO(buf_free) struct buf again = {0};
    int code = encode_text(encoding, text, text_n, &again, e);
    bool same = again.len == n && (n == 0 || memcmp(again.data, bytes, n) == 0);
    if (!code && !same)
        code = fail(
            e, AQFS_ENCODING,
            "The file would not keep its bytes: it spells some %s characters in an unusual way",
            encoding->name);
    return code;
}

int decoder_open(struct decoder *d, const struct encoding *encoding, struct error *e) {
    *d = (struct decoder){.encoding = encoding, .at = (int64_t)encoding->mark};
    if (encoding_is_utf8(encoding))
        return AQFS_OK;
    iconv_t cd = iconv_open("UTF-8", encoding->name);
    if (cd == NO_ICONV)
        return fail_memory(e); /* iconv knew the name when it was taken, so only memory can lack */
    d->iconv = cd;
    return AQFS_OK;
}

/* Returns 0, EILSEQ when byte USED is invalid, or EINVAL when the bytes from USED on only begin a
 * character. */
static int run_utf8(const char *bytes, size_t n, struct text_ref *text, size_t *used) {
    *used = utf8_valid_prefix(bytes, n);
    *text = (struct text_ref){bytes, *used};
    if (*used == n)
        return 0;
    return n - *used < 4 ? EINVAL : EILSEQ;
}

static int run_iconv(struct decoder *d, const char *bytes, size_t n, bool last,
                     struct text_ref *text, size_t *used) {
    const char *in = bytes;
    size_t left = n, none = 0;
    buf_clear(&d->out);
    int error = convert_by_iconv(d->iconv, &in, &left, &d->out);
    if (!error && last)
        error = convert_by_iconv(d->iconv, NULL, &none, &d->out);
    *used = n - left;
    *text = (struct text_ref){d->out.data, d->out.len};
    return error;
}

int decoder_run(struct decoder *d, const char *bytes, size_t n, bool last, struct text_ref *text,
                size_t *used, struct error *e) {
    int error =
        d->iconv ? run_iconv(d, bytes, n, last, text, used) : run_utf8(bytes, n, text, used);
    d->at += (int64_t)*used;
    if (error == ENOMEM)
        return fail_memory(e);
    if (error == 0 || (error == EINVAL && !last))
        return AQFS_OK;
    (void)fail(e, AQFS_ENCODING, "The byte at offset %" PRId64 " is not valid %s", d->at,
               d->encoding->name);
    error_hint(e, "Pass encoding to read it in another charset, or use read_bytes");
    return AQFS_ENCODING;
}

void decoder_close(struct decoder *d) {
    if (d->iconv)
        (void)iconv_close(d->iconv);
    buf_free(&d->out);
    *d = (struct decoder){0};
}

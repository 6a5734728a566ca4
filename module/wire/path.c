/* path.c -- the spelling of paths: see path.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path.h"

#include "utf8.h"

#include <string.h>

/* Collects the bytes that a caller spelled otherwise, so that a failure leaves the caller's buffer
 * alone. */
struct path_bytes {
    size_t len;
    char data[PATH_BYTES_MAX + 1];
};

static bool add_path_bytes(struct path_bytes *b, const char *bytes, size_t n) {
    if (n > PATH_BYTES_MAX - b->len)
        return false;
    memcpy(b->data + b->len, bytes, n);
    b->len += n;
    return true;
}

static int fail_too_long(struct error *e) {
    return fail(e, AQFS_TOO_LONG, "the path is longer than %d bytes", PATH_BYTES_MAX);
}

/* The letters of one-letter escapes, and in the same order the characters they stand for. */
static const char escape_letters[] = "abtnvfr\"\\";
static const char escape_values[] = "\a\b\t\n\v\f\r\"\\";

static bool is_octal(char c, char most) {
    return c >= '0' && c <= most;
}

/* Decodes the escape whose backslash is in front of TEXT.  Returns its length, or 0. */
static size_t unescape(const char *text, size_t n, char *out) {
    if (n == 0)
        return 0;
    const char *letter = memchr(escape_letters, text[0], sizeof escape_letters - 1);
    if (letter) {
        *out = escape_values[letter - escape_letters];
        return 1;
    }
    if (n < 3 || !is_octal(text[0], '3') || !is_octal(text[1], '7') || !is_octal(text[2], '7'))
        return 0;
    *out = (char)((text[0] - '0') << 6 | (text[1] - '0') << 3 | (text[2] - '0'));
    return 3;
}

static int fail_quoting(struct error *e) {
    (void)fail(e, AQFS_INVALID_ARGUMENT, "the path begins with \" but is not in quoted form");
    error_hint(e,
               "expected \"...\" with the escapes \\a \\b \\t \\n \\v \\f \\r \\\" \\\\ and \\ooo "
               "(three octal digits)");
    return AQFS_INVALID_ARGUMENT;
}

static int unquote(const char *text, size_t n, struct path_bytes *out, struct error *e) {
    if (n < 2 || text[n - 1] != '"')
        return fail_quoting(e);
    const size_t end = n - 1;
    for (size_t at = 1; at < end;) {
        char c = text[at++];
        if (c == '"')
            return fail_quoting(e);
        if (c == '\\') {
            size_t length = unescape(text + at, end - at, &c);
            if (length == 0)
                return fail_quoting(e);
            at += length;
        }
        if (!add_path_bytes(out, &c, 1))
            return fail_too_long(e);
    }
    return AQFS_OK;
}

static bool is_in_home(const char *text, size_t n) {
    return n >= 2 && text[0] == '~' && text[1] == '/';
}

/* Writes TEXT, which begins with `~/`, with HOME for the tilde. */
static int expand(const char *text, size_t n, const char *home, struct path_bytes *out,
                  struct error *e) {
    size_t home_len = strlen(home);
    while (home_len > 0 && home[home_len - 1] == '/')
        home_len--;
    bool ok = add_path_bytes(out, home, home_len) && add_path_bytes(out, text + 1, n - 1);
    return ok ? AQFS_OK : fail_too_long(e);
}

int path_accept(const char *text, size_t n, const char *home, char *out, size_t *out_len,
                struct error *e) {
    struct path_bytes b;
    b.len = 0;
    const bool quoted = n > 0 && text[0] == '"', in_home = home && is_in_home(text, n);
    int code = AQFS_OK;
    if (quoted)
        code = unquote(text, n, &b, e);
    else if (in_home)
        code = expand(text, n, home, &b, e);
    const char *path = quoted || in_home ? b.data : text;
    const size_t len = quoted || in_home ? b.len : n;
    if (code)
        return code;
    if (len == 0)
        return fail(e, AQFS_INVALID_ARGUMENT, "the path is empty");
    if (len > PATH_BYTES_MAX)
        return fail_too_long(e);
    if (memchr(path, '\0', len))
        return fail(e, AQFS_INVALID_ARGUMENT, "the path contains a NUL byte");
    for (size_t i = 0, name = 0; i < len; i++) {
        name = path[i] == '/' ? 0 : name + 1;
        if (name > NAME_BYTES_MAX)
            return fail(e, AQFS_TOO_LONG, "a name in the path is longer than %d bytes",
                        NAME_BYTES_MAX);
    }
    memcpy(out, path, len);
    out[len] = '\0';
    *out_len = len;
    return AQFS_OK;
}

/* The characters of path_is_deceptive, sorted. */
static const struct {
    int32_t first, last;
} hidden[] = {
    {0x0000, 0x001F},   {0x007F, 0x00A0},   {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},
    {0x115F, 0x1160},   {0x1680, 0x1680},   {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F},
    {0x2028, 0x202F},   {0x205F, 0x206F},   {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool path_is_deceptive(int32_t code_point) {
    if (code_point >= 0x20 && code_point < 0x7F)
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (code_point <= hidden[i].last)
            return code_point >= hidden[i].first;
    }
    return false;
}

#define SPACES_SEEN 8 /* a longer run pushes the rest of a name out of sight */

/* The length of a piece of a path, which is a run of spaces or one character; ESCAPE is whether the
 * form for people must escape it. */
static size_t next_piece(const char *bytes, size_t n, size_t at, bool *escape) {
    size_t spaces = 0;
    while (at + spaces < n && bytes[at + spaces] == ' ')
        spaces++;
    if (spaces > 0) {
        *escape = at == 0 || at + spaces == n || spaces > SPACES_SEEN;
        return spaces;
    }
    int32_t code_point;
    size_t length = utf8_decode(bytes + at, n - at, &code_point);
    *escape = code_point < 0 || path_is_deceptive(code_point);
    return length;
}

static void escape_byte(struct buf *out, char c) {
    const char *value = memchr(escape_values, c, sizeof escape_values - 1);
    buf_char(out, '\\');
    if (value) {
        buf_char(out, escape_letters[value - escape_values]);
        return;
    }
    for (int shift = 6; shift >= 0; shift -= 3)
        buf_char(out, (char)('0' + ((unsigned char)c >> shift & 7)));
}

/* Writes the quoted form.  Quotes, backslashes, control characters and stray bytes are always
 * escaped; SAFE also escapes deceptive characters. */
static void quote(struct buf *out, const char *bytes, size_t n, bool safe) {
    buf_char(out, '"');
    for (size_t at = 0; at < n;) {
        bool escape;
        size_t length = next_piece(bytes, n, at, &escape);
        unsigned char c = (unsigned char)bytes[at];
        bool always = c == '"' || c == '\\' || c < 0x20 || c == 0x7F;
        bool stray = c >= 0x80 && length == 1;
        if (always || stray || (safe && escape)) {
            for (size_t i = 0; i < length; i++)
                escape_byte(out, bytes[at + i]);
        } else {
            buf_add(out, bytes + at, length);
        }
        at += length;
    }
    buf_char(out, '"');
}

/* Are eight bytes plain?  Each term sets the high bit of the bytes it looks for.  By a borrow or a
 * carry it may also set that of the byte above one, which only ends the run sooner. */
static bool is_plain_word(const char *bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    const uint64_t quotes = word ^ ones * '"', slashes = word ^ ones * '\\';
    const uint64_t found = word | (word - ones * ('\x20' + 1)) | (word + ones * (0x80 - '~')) |
                           (quotes - ones) | (slashes - ones);
    return (found & highs) == 0;
}

bool path_is_plain(const char *bytes, size_t n) {
    size_t i = 0;
    while (n - i >= 8 && is_plain_word(bytes + i))
        i += 8;
    if (n - i < 8) {
        char last[] = "--------";
        if (n >= 8)
            memcpy(last, bytes + n - 8, 8);
        else if (n > 0)
            memcpy(last, bytes, n);
        if (is_plain_word(last))
            return true;
    }
    bool plain = true;
    for (; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        plain &= c > ' ' && c < '~' && c != '"' && c != '\\';
    }
    return plain;
}

bool path_needs_quotes(const char *bytes, size_t n) {
    return (n > 0 && bytes[0] == '"') || is_in_home(bytes, n) || !utf8_is_valid(bytes, n);
}

static bool is_safe(const char *bytes, size_t n) {
    bool escape = false;
    for (size_t at = 0; at < n && !escape;)
        at += next_piece(bytes, n, at, &escape);
    return !escape;
}

void path_show(struct buf *out, const char *bytes, size_t n) {
    if (path_needs_quotes(bytes, n))
        quote(out, bytes, n, false);
    else
        buf_add(out, bytes, n);
}

void path_show_safe(struct buf *out, const char *bytes, size_t n) {
    if (!path_is_plain(bytes, n) && (path_needs_quotes(bytes, n) || !is_safe(bytes, n)))
        quote(out, bytes, n, true);
    else
        buf_add(out, bytes, n);
}

void path_show_git(struct buf *out, const char *bytes, size_t n) {
    bool quotes = n > 0 && (memchr(bytes, '"', n) || memchr(bytes, '\\', n));
    if (quotes || (!path_is_plain(bytes, n) && (path_needs_quotes(bytes, n) || !is_safe(bytes, n))))
        quote(out, bytes, n, true);
    else
        buf_add(out, bytes, n);
}

#define LABEL_BYTES 300

/* Four characters for each byte, two quotes, the ellipsis and a NUL fit, so the buffer that uses
 * LABEL as its memory never reallocates it. */
_Static_assert(4 * LABEL_BYTES + 2 + 3 + 1 <= PATH_LABEL, "a label must fit");

const char *path_label(const char *bytes, size_t n, char label[PATH_LABEL]) {
    struct buf b = {.data = label, .cap = PATH_LABEL};
    size_t shown = utf8_cut(bytes, n, LABEL_BYTES);
    path_show_safe(&b, bytes, shown);
    if (shown < n)
        buf_str(&b, "\u2026");
    return label;
}

bool path_is_below(const char *path, size_t n, const char *prefix, size_t prefix_n) {
    if (prefix_n == 0)
        return true;
    if (n < prefix_n || memcmp(path, prefix, prefix_n) != 0)
        return false;
    return n == prefix_n || path[prefix_n] == '/';
}

const char *path_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void path_add_names(struct buf *out, const char *path, bool up) {
    for (const char *name = path; *name;) {
        size_t n = strcspn(name, "/");
        bool dotdot = n == 2 && memcmp(name, "..", 2) == 0;
        if (dotdot && up) {
            const char *slash = out->len > 0 ? memrchr(out->data, '/', out->len) : NULL;
            out->len = slash ? (size_t)(slash - out->data) : 0;
        } else if (n > 0 && !(n == 1 && *name == '.')) {
            buf_char(out, '/');
            buf_add(out, name, n);
        }
        name += n + (name[n] == '/');
    }
}

bool path_ends_as_directory(const char *path, size_t n) {
    return path[n - 1] == '/' || (n >= 2 && memcmp(path + n - 2, "/.", 2) == 0);
}

bool path_has_dotdot(const char *path) {
    for (const char *name = path; *name;) {
        size_t n = strcspn(name, "/");
        if (n == 2 && memcmp(name, "..", 2) == 0)
            return true;
        name += n + (name[n] == '/');
    }
    return false;
}

bool path_is_dots(const char *name) {
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

bool path_is_canonical(const char *path) {
    for (const char *name = path;; name++) {
        size_t n = strcspn(name, "/");
        if (n == 0 || (n == 1 && name[0] == '.') || (n == 2 && strncmp(name, "..", 2) == 0))
            return false;
        name += n;
        if (!*name)
            return true;
    }
}

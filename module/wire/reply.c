/* reply.c -- writing a reply as data: see reply.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reply.h"

#include "aqfs.h"
#include "path.h"
#include "utf8.h"

#include <string.h>

static bool is_json(const struct reply *r) {
    return r->format == AQFS_JSON;
}

/* Begins a key or a value, with a separator if another value stands before it. */
static void begin_datum(struct reply *r) {
    if (r->separate)
        buf_str(&r->out, is_json(r) ? ", " : " ");
    r->separate = false;
}

/* Ends a value: whatever follows it in the same group needs a separator. */
static void end(struct reply *r) {
    r->separate = true;
}

/* A value that is written as one word in each format. */
static void constant(struct reply *r, const char *sexp, const char *json) {
    begin_datum(r);
    buf_str(&r->out, is_json(r) ? json : sexp);
    end(r);
}

static void open_bracket(struct reply *r, char json) {
    begin_datum(r);
    buf_char(&r->out, is_json(r) ? json : '(');
}

static void close_group(struct reply *r, char json) {
    buf_char(&r->out, is_json(r) ? json : ')');
    end(r);
}

void reply_map(struct reply *r) {
    open_bracket(r, '{');
}

void reply_end_map(struct reply *r) {
    close_group(r, '}');
}

void reply_list(struct reply *r) {
    open_bracket(r, '[');
}

void reply_end_list(struct reply *r) {
    close_group(r, ']');
}

void reply_key(struct reply *r, const char *key) {
    begin_datum(r);
    if (!is_json(r)) {
        buf_char(&r->out, ':');
        buf_str(&r->out, key);
        buf_char(&r->out, ' ');
        return;
    }
    buf_char(&r->out, '"');
    for (const char *c = key; *c; c++)
        buf_char(&r->out, *c == '-' ? '_' : *c);
    buf_str(&r->out, "\": ");
}

/* In a Lisp's string only these two characters need an escape.  JSON also forbids control
 * characters. */
static bool must_escape(unsigned char c, bool json) {
    return c == '"' || c == '\\' || (json && c < 0x20);
}

static void escape(struct buf *out, unsigned char c) {
    switch (c) {
    case '"':
        buf_str(out, "\\\"");
        break;
    case '\\':
        buf_str(out, "\\\\");
        break;
    case '\n':
        buf_str(out, "\\n");
        break;
    case '\r':
        buf_str(out, "\\r");
        break;
    case '\t':
        buf_str(out, "\\t");
        break;
    default:
        buf_printf(out, "\\u%04x", c);
    }
}

/* Are eight bytes ASCII with nothing to escape?  Each term sets the high bit of the bytes it looks
 * for.  By a borrow it may also set that of the byte above one, which only sends a plain byte the
 * slow way. */
static bool plain_word(const char *bytes, bool json) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    const uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t found = word | (quote - ones) | (backslash - ones);
    if (json)
        found |= word - ones * 0x20;
    return (found & highs) == 0;
}

/* The number of bytes that can be copied as they are: valid UTF-8 with nothing to escape. */
static size_t plain_run(const char *bytes, size_t n, bool json) {
    size_t at = 0;
    while (at < n) {
        if (n - at >= 8 && plain_word(bytes + at, json)) {
            at += 8;
            continue;
        }
        unsigned char c = (unsigned char)bytes[at];
        size_t length = 1;
        if (c >= 0x80) {
            int32_t code_point;
            length = utf8_decode(bytes + at, n - at, &code_point);
            if (code_point < 0)
                break;
        } else if (must_escape(c, json)) {
            break;
        }
        at += length;
    }
    return at;
}

void reply_string(struct reply *r, const char *bytes, size_t n) {
    begin_datum(r);
    buf_char(&r->out, '"');
    for (size_t at = 0; at < n;) {
        size_t run = plain_run(bytes + at, n - at, is_json(r));
        buf_add(&r->out, bytes + at, run);
        at += run;
        if (at == n)
            break;
        unsigned char c = (unsigned char)bytes[at++];
        if (c < 0x80)
            escape(&r->out, c);
        else
            buf_str(&r->out, "\xEF\xBF\xBD"); /* U+FFFD for each stray byte */
    }
    buf_char(&r->out, '"');
    end(r);
}

void reply_plain(struct reply *r, const char *bytes, size_t n) {
    begin_datum(r);
    buf_char(&r->out, '"');
    buf_add(&r->out, bytes, n);
    buf_char(&r->out, '"');
    end(r);
}

void reply_cstring(struct reply *r, const char *s) {
    if (s)
        reply_string(r, s, strlen(s));
    else
        reply_null(r);
}

void reply_path(struct reply *r, const char *bytes, size_t n) {
    if (!path_needs_quotes(bytes, n)) { /* nearly all paths, so no buffer for them */
        reply_string(r, bytes, n);
        return;
    }
    struct buf shown = {0};
    path_show(&shown, bytes, n);
    reply_string(r, shown.data, shown.len);
    r->out.failed |= shown.failed;
    buf_free(&shown);
}

void reply_int(struct reply *r, int64_t n) {
    begin_datum(r);
    buf_int(&r->out, n);
    end(r);
}

void reply_bool(struct reply *r, bool yes) {
    if (yes)
        constant(r, "t", "true");
    else
        constant(r, "nil", "false");
}

void reply_keyword(struct reply *r, const char *word) {
    begin_datum(r);
    buf_char(&r->out, is_json(r) ? '"' : ':');
    buf_str(&r->out, word);
    if (is_json(r))
        buf_char(&r->out, '"');
    end(r);
}

void reply_null(struct reply *r) {
    constant(r, "nil", "null");
}

void reply_raw(struct reply *r, const char *data, size_t n) {
    if (n == 0)
        return;
    begin_datum(r);
    buf_add(&r->out, data, n);
    end(r);
}

void reply_kv_string(struct reply *r, const char *key, const char *bytes, size_t n) {
    reply_key(r, key);
    reply_string(r, bytes, n);
}

void reply_kv_cstring(struct reply *r, const char *key, const char *s) {
    reply_key(r, key);
    reply_cstring(r, s);
}

void reply_kv_path(struct reply *r, const char *key, const char *bytes, size_t n) {
    reply_key(r, key);
    reply_path(r, bytes, n);
}

void reply_kv_int(struct reply *r, const char *key, int64_t n) {
    reply_key(r, key);
    reply_int(r, n);
}

void reply_kv_bool(struct reply *r, const char *key, bool yes) {
    reply_key(r, key);
    reply_bool(r, yes);
}

void reply_kv_keyword(struct reply *r, const char *key, const char *word) {
    reply_key(r, key);
    reply_keyword(r, word);
}

/* Days from 0001-01-01 to the first of January of YEAR. */
static int64_t days_before_year(int64_t year) {
    int64_t past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

struct date {
    int64_t year, month, day;
};

/* The date of a day that is counted from 0001-01-01.  Does not use gmtime_r, which takes the
 * process's time zone lock and reads its environment. */
static struct date date_of_day(int64_t day) {
    static const int64_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year = day * 400 / 146097 + 1; /* exact, or off by one */
    if (days_before_year(year) > day)
        year--;
    if (days_before_year(year + 1) <= day)
        year++;
    bool leap = days_before_year(year + 1) - days_before_year(year) == 366;
    day -= days_before_year(year);
    int month = 0;
    for (;; month++) {
        int64_t length = lengths[month] + (month == 1 && leap);
        if (day < length)
            break;
        day -= length;
    }
    return (struct date){.year = year, .month = month + 1, .day = day + 1};
}

/* Overwrites WIDTH characters of a template with the digits of VALUE. */
static void put_digits(char *at, int width, int64_t value) {
    for (int i = width - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

void time_show(int64_t ns, char out[TIME_SHOWN]) {
    const int64_t day_ms = 86400000, epoch_day = 719162;
    int64_t ms = floor_div(ns, 1000000);
    struct date date = date_of_day(floor_div(ms, day_ms) + epoch_day);
    ms -= floor_div(ms, day_ms) * day_ms;

    memcpy(out, "0000-00-00T00:00:00.000Z", TIME_SHOWN);
    put_digits(out, 4, date.year);
    put_digits(out + 5, 2, date.month);
    put_digits(out + 8, 2, date.day);
    put_digits(out + 11, 2, ms / 3600000);
    put_digits(out + 14, 2, ms / 60000 % 60);
    put_digits(out + 17, 2, ms / 1000 % 60);
    put_digits(out + 20, 3, ms % 1000);
}

void reply_kv_time(struct reply *r, const char *key, int64_t ns) {
    char text[TIME_SHOWN];
    reply_key(r, key);
    if (ns == INT64_MIN) { /* backend.h's TIME_UNKNOWN */
        reply_null(r);
        return;
    }
    time_show(ns, text);
    reply_string(r, text, TIME_SHOWN - 1);
}

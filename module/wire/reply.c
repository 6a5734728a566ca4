/* reply.c -- writing a reply as data: see reply.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reply.h"

#include "aqfs.h"
#include "path.h"
#include "utf8.h"

#include <string.h>

/* Begins a value, or a KEY that a value will follow, with a separator if another value stands
 * before it. */
static void begin_datum(struct reply *r, const char *key) {
    const bool json = r->format == AQFS_JSON;
    if (r->separate && json)
        buf_char(&r->out, ',');
    if (r->separate)
        buf_char(&r->out, ' ');
    r->separate = false; /* set again where a value ends */
    if (!key)
        return;
    if (!json) {
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

void reply_key(struct reply *r, const char *key) {
    begin_datum(r, key);
}

void reply_map(struct reply *r) {
    begin_datum(r, NULL);
    buf_char(&r->out, r->format == AQFS_JSON ? '{' : '(');
}

void reply_end_map(struct reply *r) {
    buf_char(&r->out, r->format == AQFS_JSON ? '}' : ')');
    r->separate = true;
}

void reply_list(struct reply *r) {
    begin_datum(r, NULL);
    buf_char(&r->out, r->format == AQFS_JSON ? '[' : '(');
}

void reply_end_list(struct reply *r) {
    buf_char(&r->out, r->format == AQFS_JSON ? ']' : ')');
    r->separate = true;
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

/* The number of bytes that can be copied as they are: valid UTF-8 with nothing to escape.  In a
 * Lisp's string only two characters need an escape.  JSON also forbids control characters. */
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
        } else if (c == '"' || c == '\\' || (json && c < 0x20)) {
            break;
        }
        at += length;
    }
    return at;
}

void reply_string(struct reply *r, const char *bytes, size_t n) {
    begin_datum(r, NULL);
    buf_char(&r->out, '"');
    for (size_t at = 0; at < n;) {
        size_t run = plain_run(bytes + at, n - at, r->format == AQFS_JSON);
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
    r->separate = true;
}

void reply_plain(struct reply *r, const char *bytes, size_t n) {
    begin_datum(r, NULL);
    buf_char(&r->out, '"');
    buf_add(&r->out, bytes, n);
    buf_char(&r->out, '"');
    r->separate = true;
}

void reply_path(struct reply *r, const char *bytes, size_t n) {
    /* Nearly all paths, so no buffer for them. */
    if (path_is_plain(bytes, n) || !path_needs_quotes(bytes, n)) {
        reply_string(r, bytes, n);
        return;
    }
    struct buf shown = {0};
    path_show(&shown, bytes, n);
    reply_string(r, shown.data, shown.len);
    r->out.failed |= shown.failed;
    buf_free(&shown);
}

void reply_null(struct reply *r) {
    begin_datum(r, NULL);
    buf_str(&r->out, r->format == AQFS_JSON ? "null" : "nil");
    r->separate = true;
}

void reply_raw(struct reply *r, const char *data, size_t n) {
    if (n == 0)
        return;
    begin_datum(r, NULL);
    buf_add(&r->out, data, n);
    r->separate = true;
}

void reply_kv_string(struct reply *r, const char *key, const char *bytes, size_t n) {
    begin_datum(r, key);
    reply_string(r, bytes, n);
}

void reply_kv_cstring(struct reply *r, const char *key, const char *s) {
    begin_datum(r, key);
    if (s)
        reply_string(r, s, strlen(s));
    else
        reply_null(r);
}

void reply_kv_path(struct reply *r, const char *key, const char *bytes, size_t n) {
    begin_datum(r, key);
    reply_path(r, bytes, n);
}

void reply_kv_int(struct reply *r, const char *key, int64_t n) {
    begin_datum(r, key);
    buf_int(&r->out, n);
    r->separate = true;
}

void reply_kv_bool(struct reply *r, const char *key, bool yes) {
    begin_datum(r, key);
    if (r->format == AQFS_JSON)
        buf_str(&r->out, yes ? "true" : "false");
    else
        buf_str(&r->out, yes ? "t" : "nil");
    r->separate = true;
}

void reply_kv_keyword(struct reply *r, const char *key, const char *word) {
    begin_datum(r, key);
    buf_char(&r->out, r->format == AQFS_JSON ? '"' : ':');
    buf_str(&r->out, word);
    if (r->format == AQFS_JSON)
        buf_char(&r->out, '"');
    r->separate = true;
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
    begin_datum(r, key);
    if (ns == INT64_MIN) { /* backend.h's TIME_UNKNOWN */
        reply_null(r);
        return;
    }
    time_show(ns, text);
    reply_string(r, text, TIME_SHOWN - 1);
}

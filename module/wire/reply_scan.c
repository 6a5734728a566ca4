/* reply_scan.c -- whether text has the form of a reply: see reply_scan.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reply_scan.h"

#include <stdbool.h>
#include <string.h>

#define WORD_MOST 20000 /* more digits than a number of Emacs may have */
#define PATH_MOST 65535

struct reply_scanning {
    const char *at, *end;
    size_t depth, most;
    bool plain;
    bool behind_text; /* the last thing was the word :text */
    bool escape;      /* there was one that no reply has */
};

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == ':';
}

/* A control character, of ASCII or U+0080 to U+009F, whose first byte is C2. */
static bool is_control_at(const char *at) {
    unsigned char c = (unsigned char)*at;
    return c < 0x20 || c == 0x7F || (c == 0xC2 && (unsigned char)at[1] < 0xA0);
}

/* The string whose first byte is at S->at; false if it does not end. */
static bool scan_string(struct reply_scanning *s) {
    const char *begin = s->at, *at = begin;
    bool plain = at < s->end && *at != '~' && *at != '"';
    for (; at < s->end && *at != '"'; at++) {
        if (*at == '\\') {
            at++;
            s->escape = at < s->end && *at != '"' && *at != '\\';
            if (at == s->end || s->escape)
                return false;
        } else if (*at == '.') {
            plain = plain && !(at + 1 < s->end && at[1] == '.');
        } else if (at + 1 < s->end && is_control_at(at)) {
            plain = false;
        }
    }
    if (at == s->end)
        return false;
    s->plain = s->plain && (s->behind_text || (plain && at - begin <= PATH_MOST));
    s->behind_text = false;
    s->at = at + 1;
    return true;
}

static bool scan_word(struct reply_scanning *s) {
    const char *begin = s->at;
    while (s->at < s->end && is_word_byte(*s->at))
        s->at++;
    size_t n = (size_t)(s->at - begin);
    s->behind_text = n == strlen(":text") && memcmp(begin, ":text", n) == 0;
    return n > 0 && n <= WORD_MOST;
}

/* The next thing in the list; false for what is none. */
static bool scan_next(struct reply_scanning *s) {
    switch (*s->at) {
    case ' ':
        s->at++;
        return true;
    case '(':
        s->at++;
        s->behind_text = false;
        return ++s->depth <= s->most;
    case ')':
        s->at++;
        s->behind_text = false;
        s->depth--;
        return true;
    case '"':
        s->at++;
        return scan_string(s);
    default:
        return scan_word(s);
    }
}

enum reply_form reply_scan(const char *text, size_t n, size_t most) {
    struct reply_scanning s = {.at = text, .end = text + n, .most = most, .plain = true};
    if (n == 0 || *text != '(')
        return REPLY_NONE;
    do {
        if (!scan_next(&s))
            return s.escape ? REPLY_ESCAPE : REPLY_NONE;
    } while (s.depth > 0 && s.at < s.end);
    while (s.at < s.end && *s.at == ' ')
        s.at++;
    if (s.depth > 0 || s.at < s.end)
        return s.depth > 0 ? REPLY_NONE : REPLY_SEVERAL;
    return s.plain ? REPLY_PLAIN : REPLY_DATA;
}

/* SPDX-License-Identifier: MIT */
/* fuzz_scan.c -- the near end of a connection hands nothing to the Lisp reader but one list of
 * lists, strings and words: whatever the far end sends, deflated or not. */
#include "deflated.h"
#include "fuzz.h"
#include "reply_scan.h"
#include "utf8.h"
#include "zip.h"

#include <string.h>

#define DEPTH 5
#define MOST 1000 /* the most bytes that a deflated answer may hold */

struct looked_at {
    size_t depth, deepest, lists;
    bool refused, paths;
};

/* The string that begins at AT, behind its quote, and where it ends; NULL if it does not. */
static const char *look_at_string(const char *at, const char *end, struct looked_at *seen,
                                  bool is_text) {
    const char *begin = at;
    for (; at < end && *at != '"'; at++) {
        if (*at == '\\' && ++at < end && *at != '"' && *at != '\\')
            seen->refused = true;
        if (at < end && !is_text && ((unsigned char)*at < 0x20 || *at == 0x7F))
            seen->paths = false;
    }
    const bool above = at <= end && memmem(begin, (size_t)(at - begin), "..", 2) != NULL;
    if (!is_text && (above || at == begin || *begin == '~'))
        seen->paths = false;
    return at < end ? at : NULL;
}

/* Looks at text as a reader would, which is not how reply_scan does. */
static struct looked_at look(const char *text, size_t n) {
    struct looked_at seen = {.paths = true};
    const char *at = text, *end = text + n;
    for (bool is_text = false; at && at < end && !seen.refused; at++) {
        const bool behind_text = is_text;
        is_text = is_text && *at == ' ';
        if (*at == '"') {
            at = look_at_string(at + 1, end, &seen, behind_text);
            seen.refused = seen.refused || !at || seen.depth == 0;
        } else if (*at == '(') {
            seen.lists += seen.depth++ == 0;
            seen.deepest = seen.depth > seen.deepest ? seen.depth : seen.deepest;
        } else if (*at == ')') {
            seen.refused = seen.depth == 0;
            seen.depth -= seen.depth > 0;
        } else if (*at != ' ') {
            size_t word = strspn(at, ":-abcdefghijklmnopqrstuvwxyz0123456789");
            seen.refused = word == 0 || seen.depth == 0;
            is_text = word == 5 && memcmp(at, ":text", 5) == 0;
            at += word > 0 ? word - 1 : 0;
        }
        if (!at)
            break;
    }
    seen.refused = seen.refused || seen.depth > 0 || seen.lists != 1;
    return seen;
}

static void check_scan(const char *text, size_t n) {
    if (!utf8_is_valid(text, n) || memchr(text, '\0', n))
        return; /* Emacs hands out neither */
    enum reply_form form = reply_scan(text, n, DEPTH);
    struct looked_at seen = look(text, n);
    if (form == REPLY_DATA || form == REPLY_PLAIN)
        PROMISE(!seen.refused && seen.deepest <= DEPTH);
    if (form == REPLY_PLAIN)
        PROMISE(seen.paths);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf text = {0}, small = {0};
    struct zip *d = zip_new();
    buf_add(&text, (const char *)data, size); /* with a NUL behind it, as Emacs has it */
    check_scan(text.data, text.len);
    zip_add_raw(d, text.data, text.len, &small);
    text.len = 0;
    PROMISE(inflate_all(small.data, small.len, size, &text));
    PROMISE(text.len == size && memcmp(text.data, data, size) == 0);
    text.len = 0;
    if (inflate_all((const char *)data, size, MOST, &text))
        check_scan(text.data ? text.data : "", text.len);
    PROMISE(text.len <= MOST);
    zip_free(d);
    buf_free(&text);
    buf_free(&small);
    return 0;
}

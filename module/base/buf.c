/* buf.c -- a byte buffer that grows: see buf.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_free(struct buf *b) {
    free(b->data);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b) {
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

bool buf_reserve(struct buf *b, size_t extra) {
    if (b->failed)
        return false;
    if (extra < b->cap - b->len)
        return true;

    /* No allocator gives half of the address space.  The limit keeps the sums below from wrapping.
     */
    const size_t most = SIZE_MAX / 2;
    if (extra >= most - b->len) {
        b->failed = true;
        return false;
    }
    size_t need = b->len + extra + 1;
    size_t cap = b->cap ? b->cap : 64;
    while (cap < need)
        cap *= 2;
    char *data = realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    data[b->len] = '\0';
    b->data = data;
    b->cap = cap;
    return true;
}

void buf_add(struct buf *b, const char *bytes, size_t n) {
    if ((b->failed || n >= b->cap - b->len) && !buf_reserve(b, n))
        return;
    if (n > 0)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void buf_str(struct buf *b, const char *s) {
    buf_add(b, s, strlen(s));
}

/* Not by vsnprintf, which would parse a format for each of a reply's many numbers. */
void buf_int(struct buf *b, int64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (n < 0)
        digits[--at] = '-';
    buf_add(b, digits + at, sizeof digits - at);
}

void buf_count(struct buf *b, int64_t n, const char *one, const char *many) {
    buf_int(b, n);
    buf_char(b, ' ');
    buf_str(b, n == 1 ? one : many);
}

/* Most texts fit into the room that is there, and are written once. */
void buf_printf(struct buf *b, const char *format, ...) {
    va_list args, again;
    const size_t room = b->failed ? 0 : b->cap - b->len;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(room > 0 ? b->data + b->len : NULL, room, format, args);
    va_end(args);
    const bool fits = n >= 0 && (size_t)n < room;
    if (!fits && room > 0)
        b->data[b->len] = '\0';
    b->failed = b->failed || n < 0;
    if (!fits && n >= 0 && buf_reserve(b, (size_t)n))
        (void)vsnprintf(b->data + b->len, (size_t)n + 1, format, again);
    if (!b->failed)
        b->len += (size_t)n;
    va_end(again);
}

/* buf.h -- a byte buffer that grows.
 *
 * Invariants: data[len] is NUL once anything was appended; len < cap.  Running
 * out of memory sets `failed`; from then on appending does nothing, so callers
 * check once, at the end.  A zeroed struct is an empty buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BUF_H
#define AQFS_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data;
    size_t len, cap;
    bool failed;
};

void buf_free(struct buf *b);
/* Empties the buffer and keeps its memory.  `failed` stays set until buf_free. */
void buf_clear(struct buf *b);
/* Makes room for EXTRA more bytes and a NUL at data + len; false when there is no memory. */
bool buf_reserve(struct buf *b, size_t extra);
void buf_add(struct buf *b, const char *bytes, size_t n);
void buf_str(struct buf *b, const char *s);
void buf_int(struct buf *b, int64_t n);
/* "1 file", "2 files". */
void buf_count(struct buf *b, int64_t n, const char *one, const char *many);
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *format, ...);

/* Inline because replies are written byte by byte. */
static inline void buf_char(struct buf *b, char c) {
    if ((b->failed || b->cap - b->len < 2) && !buf_reserve(b, 1))
        return;
    b->data[b->len++] = c;
    b->data[b->len] = '\0';
}

#endif

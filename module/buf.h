/* buf.h -- a growing run of bytes.
 *
 * Invariants: data[len] is NUL once anything was appended; len < cap.  Running
 * out of memory sets `failed`, after which appending does nothing: check once,
 * at the end.  A zeroed struct is an empty buffer.
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
/* Forgets the contents, keeps the memory.  A failure stays until buf_free. */
void buf_clear(struct buf *b);
/* Room for EXTRA more bytes and a NUL at data + len; false when there is no memory. */
bool buf_reserve(struct buf *b, size_t extra);
void buf_add(struct buf *b, const char *bytes, size_t n);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_int(struct buf *b, int64_t n);
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *format, ...);

#endif

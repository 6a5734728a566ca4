/* zip.c -- compression with libdeflate: see zip.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip.h"

#include <libdeflate.h>

/* Level 2 makes packs 2 % smaller and takes 40 % longer (doc/architecture.org); a list of paths
 * becomes a tenth by this one. */
#define LEVEL 1

/* libdeflate's type under our name, so that zip.h needs no header of libdeflate. */
static struct libdeflate_compressor *own(struct zip *z) {
    return (struct libdeflate_compressor *)(void *)z;
}

struct zip *zip_new(void) {
    return (struct zip *)(void *)libdeflate_alloc_compressor(LEVEL);
}

void zip_free(struct zip *z) {
    if (z)
        libdeflate_free_compressor(own(z));
}

/* Appends what COMPRESS, of whose output MOST is the bound, makes of the N bytes. */
static void add_stream(struct zip *z,
                       size_t (*compress)(struct libdeflate_compressor *, const void *, size_t,
                                          void *, size_t),
                       size_t most, const char *bytes, size_t n, struct buf *out) {
    /* A bound below N has wrapped around. */
    if (most < n || !buf_reserve(out, most)) {
        out->failed = true;
        return;
    }
    size_t written = compress(own(z), bytes, n, out->data + out->len, most);
    out->failed = written == 0; /* cannot happen with room for the bound */
    out->len += written;
    out->data[out->len] = '\0';
}

void zip_add(struct zip *z, const char *bytes, size_t n, struct buf *out) {
    add_stream(z, libdeflate_zlib_compress, libdeflate_zlib_compress_bound(own(z), n), bytes, n,
               out);
}

void zip_add_raw(struct zip *z, const char *bytes, size_t n, struct buf *out) {
    add_stream(z, libdeflate_deflate_compress, libdeflate_deflate_compress_bound(own(z), n), bytes,
               n, out);
}

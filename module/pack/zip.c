/* zip.c -- git's compression, with libdeflate: see zip.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip.h"

#include <libdeflate.h>

/* Level 2 makes packs 2 % smaller and takes 40 % longer (doc/architecture.org). */
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

void zip_add(struct zip *z, const char *bytes, size_t n, struct buf *out) {
    size_t most = libdeflate_zlib_compress_bound(own(z), n);
    /* A bound below N has wrapped around. */
    if (most < n || !buf_reserve(out, most)) {
        out->failed = true;
        return;
    }
    size_t written = libdeflate_zlib_compress(own(z), bytes, n, out->data + out->len, most);
    out->failed = written == 0; /* cannot happen with room for the bound */
    out->len += written;
    out->data[out->len] = '\0';
}

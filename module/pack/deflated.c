/* deflated.c -- text made smaller for a connection, with libdeflate: see deflated.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "deflated.h"

#include <libdeflate.h>

/* The level that costs least: 60,000 paths become a tenth, and higher levels save a hundredth more.
 */
#define LEVEL 1

/* libdeflate's type under our name, so that deflated.h needs no header of libdeflate. */
static struct libdeflate_compressor *compressor_of(struct deflater *d) {
    return (struct libdeflate_compressor *)(void *)d;
}

struct deflater *deflater_new(void) {
    return (struct deflater *)(void *)libdeflate_alloc_compressor(LEVEL);
}

void deflater_free(struct deflater *d) {
    if (d)
        libdeflate_free_compressor(compressor_of(d));
}

void deflater_add(struct deflater *d, const char *bytes, size_t n, struct buf *out) {
    size_t most = libdeflate_deflate_compress_bound(compressor_of(d), n);
    if (!buf_reserve(out, most))
        return;
    size_t written =
        libdeflate_deflate_compress(compressor_of(d), bytes, n, out->data + out->len, most);
    out->failed = written == 0; /* cannot happen with room for the bound */
    out->len += written;
    out->data[out->len] = '\0';
}

static bool inflate_each(struct libdeflate_decompressor *d, const char *bytes, size_t n,
                         size_t most, struct buf *out) {
    for (size_t at = 0, used = 0, made = 0; at < n; at += used) {
        if (!buf_reserve(out, DEFLATED_BLOCK))
            return false;
        if (libdeflate_deflate_decompress_ex(d, bytes + at, n - at, out->data + out->len,
                                             DEFLATED_BLOCK, &used, &made) != LIBDEFLATE_SUCCESS)
            return false;
        if (made > most)
            return false;
        most -= made;
        out->len += made;
        out->data[out->len] = '\0';
    }
    return true;
}

bool inflate_all(const char *bytes, size_t n, size_t most, struct buf *out) {
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!d)
        return false;
    bool whole = inflate_each(d, bytes, n, most, out);
    libdeflate_free_decompressor(d);
    return whole;
}

/* deflated.c -- text that came deflated, with libdeflate: see deflated.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "deflated.h"

#include <libdeflate.h>

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

/* base64.c -- base64: see base64.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct buf *out, const char *bytes, size_t n) {
    if (!buf_reserve(out, BASE64_LENGTH(n)))
        return;
    const unsigned char *in = (const unsigned char *)bytes;
    char *to = out->data + out->len;
    for (; n >= 3; n -= 3, in += 3) {
        uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        *to++ = alphabet[bits >> 18];
        *to++ = alphabet[bits >> 12 & 63];
        *to++ = alphabet[bits >> 6 & 63];
        *to++ = alphabet[bits & 63];
    }
    if (n > 0) {
        uint32_t bits = (uint32_t)in[0] << 16 | (n > 1 ? (uint32_t)in[1] << 8 : 0);
        *to++ = alphabet[bits >> 18];
        *to++ = alphabet[bits >> 12 & 63];
        *to++ = n > 1 ? alphabet[bits >> 6 & 63] : '=';
        *to++ = '=';
    }
    out->len = (size_t)(to - out->data);
    *to = '\0';
}

static bool is_base64_space(char c) {
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

/* The value of the base64 digit C, or -1. */
static int32_t value_of(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Appends the bytes of a group of four characters, of which PADS were padding.  False when the bits
 * that the padding leaves over are not zero. */
static bool add_group(struct buf *out, uint32_t bits, size_t pads) {
    const char bytes[] = {(char)(bits >> 16), (char)(bits >> 8 & 255), (char)(bits & 255)};
    uint32_t unused = pads == 2 ? 0xFFFF : pads == 1 ? 0xFF : 0;
    buf_add(out, bytes, 3 - pads);
    return (bits & unused) == 0;
}

int base64_decode(struct buf *out, const char *text, size_t n, struct error *e) {
    uint32_t bits = 0;
    size_t held = 0, pads = 0;
    if (!buf_reserve(out, BASE64_BYTES(n + 3)))
        return fail_memory(e);
    for (size_t i = 0; i < n; i++) {
        if (is_base64_space(text[i]))
            continue;
        int32_t value = value_of(text[i]);
        bool pad = text[i] == '=' && held >= 2;
        bool ended = pads > 0 && (held == 0 || !pad);
        if (ended || (value < 0 && !pad))
            return fail(e, AQFS_INVALID_ARGUMENT, "The base64 is wrong at character %zu", i + 1);
        pads += pad;
        bits = bits << 6 | (pad ? 0 : (uint32_t)value);
        if (++held < 4)
            continue;
        if (!add_group(out, bits, pads))
            return fail(e, AQFS_INVALID_ARGUMENT,
                        "The base64 ends with unused bits that are not zero");
        bits = 0;
        held = 0;
    }
    if (held > 0)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "The base64 ends within a group of four characters; it may have been cut");
    return out->failed ? fail_memory(e) : AQFS_OK;
}

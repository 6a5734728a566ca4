/* utf8.c -- validating, decoding, counting and cutting UTF-8: see utf8.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "utf8.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

size_t utf8_ascii_prefix(const char *bytes, size_t n) {
    uint64_t words[4], word;
    size_t at = 0;
    for (; n - at >= sizeof words; at += sizeof words) {
        memcpy(words, bytes + at, sizeof words);
        if ((words[0] | words[1] | words[2] | words[3]) & HIGH_BITS)
            break;
    }
    for (; n - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        if (word & HIGH_BITS)
            break;
    }
    while (at < n && (unsigned char)bytes[at] < 0x80)
        at++;
    return at;
}

size_t utf8_valid_prefix(const char *bytes, size_t n) {
    size_t at = utf8_ascii_prefix(bytes, n);
    while (at < n) {
        int32_t code_point;
        size_t length = utf8_decode(bytes + at, n - at, &code_point);
        if (code_point < 0)
            break;
        at += length;
        if (at < n && (unsigned char)bytes[at] < 0x80)
            at += utf8_ascii_prefix(bytes + at, n - at);
    }
    return at;
}

bool utf8_is_valid(const char *bytes, size_t n) {
    return utf8_valid_prefix(bytes, n) == n;
}

size_t utf8_decode(const char *bytes, size_t n, int32_t *code_point) {
    /* The least code point that needs a sequence of each length; a lower one would be overlong. */
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *in = (const unsigned char *)bytes;

    if (in[0] < 0x80) {
        *code_point = in[0];
        return 1;
    }
    *code_point = -1;
    size_t length = in[0] >= 0xF0 ? 4 : in[0] >= 0xE0 ? 3 : 2;
    if (in[0] < 0xC2 || in[0] > 0xF4 || length > n)
        return 1;
    int32_t value = in[0] & (0x7F >> length);
    for (size_t i = 1; i < length; i++) {
        if (!utf8_is_continuation(in[i]))
            return 1;
        value = value << 6 | (in[i] & 0x3F);
    }
    bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least[length] || value > 0x10FFFF || surrogate)
        return 1;
    *code_point = value;
    return length;
}

size_t utf8_count(const char *bytes, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !utf8_is_continuation((unsigned char)bytes[i]);
    return count;
}

size_t utf8_cut(const char *bytes, size_t n, size_t at) {
    if (at >= n)
        return n;
    size_t start = at;
    while (start > 0 && at - start < 3 && utf8_is_continuation((unsigned char)bytes[start]))
        start--;
    /* Only a sequence that is valid must not be split; stray continuation bytes may be. */
    int32_t code_point;
    size_t length = utf8_decode(bytes + start, n - start, &code_point);
    return start + length > at ? start : at;
}

bool utf8_is_ascii(const char *bytes, size_t n) {
    return utf8_ascii_prefix(bytes, n) == n;
}

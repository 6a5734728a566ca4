/* folded_name.c -- a name as a careless file system or reader may take it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "folded_name.h"

#include "utf8.h"

#include <stdbool.h>
#include <string.h>

/* Code points that are not displayed, and with which a name can look like another one. */
static bool is_ignorable(int32_t c) {
    return c == 0xAD || c == 0x34F || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE0FFF);
}

/* The letter that some file systems equate with C as they ignore case, or NUL. */
static char fold_beyond_ascii(int32_t c) {
    if (c == 0x212A) /* Kelvin sign */
        return 'k';
    if (c == 0x17F) /* long s */
        return 's';
    if (c == 0x131 || c == 0x130) /* dotless and dotted i */
        return 'i';
    return '\0';
}

static size_t fold_code_point(const char *name, size_t n, char *out, size_t *len) {
    int32_t c;
    size_t used = utf8_decode(name, n, &c);
    char letter = fold_beyond_ascii(c);
    if (letter)
        out[(*len)++] = letter;
    else if (!is_ignorable(c))
        memcpy(out + *len, name, used), *len += used;
    return used;
}

size_t fold_name(const char *name, size_t n, char out[FOLDED_NAME_MAX]) {
    const char *colon = memchr(name, ':', n);
    size_t end = colon ? (size_t)(colon - name) : n, len = 0;
    end = end > NAME_BYTES_MAX ? 0 : end;
    for (size_t at = 0; at < end;) {
        unsigned char c = (unsigned char)name[at];
        if (c >= 0x80) {
            at += fold_code_point(name + at, end - at, out, &len);
            continue;
        }
        out[len++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        at++;
    }
    while (len > 0 && (out[len - 1] == '.' || out[len - 1] == ' '))
        len--;
    out[len] = '\0';
    return len;
}

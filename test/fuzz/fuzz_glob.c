/* SPDX-License-Identifier: MIT */
/* fuzz_glob.c -- the matcher agrees with the definition of the language. */
#include "fuzz.h"
#include "glob.h"
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

/* Where the character at I ends; one behind N where there is none. */
static size_t behind(const char *s, size_t n, size_t i) {
    int32_t point;
    return i < n ? i + utf8_decode(s + i, n - i, &point) : n + 1;
}

/* The language as glob.h states it, tried every way there is.  Stars take whole characters, too: a
 * `?` behind one would else take what is left of one. */
static bool defined(const char *p, size_t pn, const char *s, size_t sn, bool at_start) {
    int32_t point;
    if (pn == 0)
        return sn == 0;
    if (pn >= 2 && p[0] == '*' && p[1] == '*') {
        while (pn > 2 && p[2] == '*')
            p++, pn--;
        if (at_start && pn > 2 && p[2] == '/' && defined(p + 3, pn - 3, s, sn, true))
            return true;
        for (size_t i = 0; i <= sn; i = behind(s, sn, i))
            if (defined(p + 2, pn - 2, s + i, sn - i, false))
                return true;
        return false;
    }
    if (p[0] == '*') {
        for (size_t i = 0; i <= sn && (i == 0 || s[i - 1] != '/'); i = behind(s, sn, i))
            if (defined(p + 1, pn - 1, s + i, sn - i, false))
                return true;
        return false;
    }
    if (sn == 0)
        return false;
    if (p[0] == '?') {
        size_t n = utf8_decode(s, sn, &point);
        return s[0] != '/' && defined(p + 1, pn - 1, s + n, sn - n, false);
    }
    return p[0] == s[0] && defined(p + 1, pn - 1, s + 1, sn - 1, p[0] == '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error e;
    size_t pn = size ? data[0] % 9 : 0;
    if (size < pn + 1 || size - pn > 14)
        return 0;
    const char *pattern = (const char *)data + 1, *path = pattern + pn;
    size_t n = size - 1 - pn;
    struct glob *g = glob_compile(pattern, pn, &e);
    if (!g) {
        PROMISE(pn == 0 || memchr(pattern, '\0', pn) || !utf8_is_valid(pattern, pn));
        return 0;
    }
    bool is = glob_matches(g, path, n);
    if (utf8_is_valid(path, n))
        PROMISE(is == defined(pattern, pn, path, n, true));
    const char *slash = memrchr(path, '/', n);
    const char *name = slash ? slash + 1 : path;
    if (glob_is_basename_only(g))
        PROMISE(is == glob_matches_basename(g, name, n - (size_t)(name - path)));
    (void)glob_mistaken_syntax(pattern, pn);
    glob_free(g);
    return 0;
}

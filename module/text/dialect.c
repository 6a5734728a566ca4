/* dialect.c -- which Lisp a text is written in: see dialect.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dialect.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct dialect_name {
    const char *name;
    enum dialect dialect;
};

#define X(constant, name) {name, DIALECT_##constant},
static const struct dialect_name words[] = {DIALECTS(X)};
#undef X

static const struct dialect_name endings[] = {
    {".lisp", DIALECT_COMMON_LISP}, {".lsp", DIALECT_COMMON_LISP},    {".cl", DIALECT_COMMON_LISP},
    {".asd", DIALECT_COMMON_LISP},  {".sbclrc", DIALECT_COMMON_LISP}, {".el", DIALECT_EMACS_LISP},
    {".emacs", DIALECT_EMACS_LISP}, {".eld", DIALECT_EMACS_LISP},     {".scm", DIALECT_SCHEME},
    {".ss", DIALECT_SCHEME},        {".sld", DIALECT_SCHEME},         {".sls", DIALECT_SCHEME},
    {".sps", DIALECT_SCHEME},       {".sch", DIALECT_SCHEME},         {".egg", DIALECT_SCHEME},
    {".guile", DIALECT_SCHEME},     {".clj", DIALECT_CLOJURE},        {".cljs", DIALECT_CLOJURE},
    {".cljc", DIALECT_CLOJURE},     {".edn", DIALECT_CLOJURE},        {".bb", DIALECT_CLOJURE},
};

/* The names that stand in a mode line. */
static const struct dialect_name modes[] = {
    {"lisp", DIALECT_COMMON_LISP},      {"common-lisp", DIALECT_COMMON_LISP},
    {"emacs-lisp", DIALECT_EMACS_LISP}, {"lisp-interaction", DIALECT_EMACS_LISP},
    {"lisp-data", DIALECT_EMACS_LISP},  {"scheme", DIALECT_SCHEME},
    {"clojure", DIALECT_CLOJURE},
};

/* The programs that a line `#!` names. */
static const struct dialect_name programs[] = {
    {"sbcl", DIALECT_COMMON_LISP}, {"ecl", DIALECT_COMMON_LISP}, {"clisp", DIALECT_COMMON_LISP},
    {"emacs", DIALECT_EMACS_LISP}, {"guile", DIALECT_SCHEME},    {"csi", DIALECT_SCHEME},
    {"gsi", DIALECT_SCHEME},       {"clojure", DIALECT_CLOJURE}, {"bb", DIALECT_CLOJURE},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static enum dialect find_name(const struct dialect_name *names, size_t count, const char *name,
                              size_t n) {
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i].name) == n && strncasecmp(names[i].name, name, n) == 0)
            return names[i].dialect;
    return DIALECT_NONE;
}

enum dialect dialect_by_word(const char *word, size_t n) {
    return find_name(words, COUNT(words), word, n);
}

const char *dialect_word(enum dialect dialect) {
    return words[dialect - DIALECT_COMMON_LISP].name;
}

/* The length of the word at TEXT, which ends at END: letters, digits and hyphens. */
static size_t name_length(const char *text, const char *end) {
    const char *at = text;
    while (at < end && (*at == '-' || (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
                        (*at >= 'A' && *at <= 'Z')))
        at++;
    return (size_t)(at - text);
}

/* The mode that LINE names: `-*- NAME -*-` or `-*- ...; mode: NAME; ... -*-`. */
static enum dialect mode_of_line(const char *line, const char *end) {
    const char *mode = memmem(line, (size_t)(end - line), "-*-", 3);
    if (!mode)
        return DIALECT_NONE;
    mode += 3;
    const char *close = memmem(mode, (size_t)(end - mode), "-*-", 3);
    if (!close)
        return DIALECT_NONE;
    for (const char *at = mode; at + 5 <= close; at++)
        if (strncasecmp(at, "mode:", 5) == 0)
            mode = at + 5;
    while (mode < close && *mode == ' ')
        mode++;
    size_t n = name_length(mode, close);
    return find_name(modes, COUNT(modes), mode, n);
}

static enum dialect program_of_line(const char *line, const char *end) {
    enum dialect found = DIALECT_NONE;
    if (end - line < 2 || line[0] != '#' || line[1] != '!')
        return found;
    for (const char *at = line + 2; at < end && !found; at++)
        if (at[-1] == '/' || at[-1] == ' ')
            found = find_name(programs, COUNT(programs), at, name_length(at, end));
    return found;
}

static enum dialect dialect_of_path(const char *path, size_t n) {
    size_t dot = n;
    while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/')
        dot--;
    if (dot == 0 || path[dot - 1] != '.')
        return DIALECT_NONE;
    return find_name(endings, COUNT(endings), path + dot - 1, n - dot + 1);
}

enum dialect dialect_of(const char *path, size_t path_len, const char *text, size_t len) {
    const char *end = text + len, *line = text;
    enum dialect found = DIALECT_NONE, program = DIALECT_NONE;
    for (int i = 0; i < 2 && line < end && !found; i++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        found = mode_of_line(line, stop);
        program = i == 0 ? program_of_line(line, stop) : program;
        line = stop < end ? stop + 1 : end;
    }
    found = found ? found : dialect_of_path(path, path_len);
    return found ? found : program;
}

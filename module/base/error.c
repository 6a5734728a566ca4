/* error.c -- error codes and messages: see error.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "error.h"

#include "aqfs.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define X(constant, name, doc) {name, doc},
static const struct { const char *name, *doc; } codes[CODE_COUNT] = {{"ok", ""}, ERROR_CODES(X)};
#undef X

static size_t row_of(enum code code) {
    return (size_t)code < CODE_COUNT ? (size_t)code : AQFS_IO;
}

const char *code_name(enum code code) {
    return codes[row_of(code)].name;
}

const char *code_doc(enum code code) {
    return codes[row_of(code)].doc;
}

/* Formats into TEXT, which has SIZE bytes.  A message that is too long is cut before the code point
 * that the cut would split.  vsnprintf has already dropped the rest of that code point, so an
 * incomplete one shows by not decoding. */
__attribute__((format(printf, 3, 0))) static void print(char *text, size_t size, const char *format,
                                                        va_list args) {
    int n = vsnprintf(text, size, format, args);
    if (n < 0)
        text[0] = '\0';
    if (n < 0 || (size_t)n < size)
        return;
    size_t len = size - 1;
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        unsigned char c = (unsigned char)text[len - back];
        if (utf8_is_continuation(c))
            continue;
        int32_t code_point;
        (void)utf8_decode(text + len - back, back, &code_point);
        if (code_point < 0)
            text[len - back] = '\0';
        return;
    }
}

int fail(struct error *e, enum code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(e->message, sizeof e->message, format, args);
    va_end(args);
    e->code = code;
    e->unnamed = FAULT_NONE;
    e->hint[0] = '\0';
    return (int)code;
}

void error_hint(struct error *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(e->hint, sizeof e->hint, format, args);
    va_end(args);
}

static enum code code_of_errno(int errnum) {
    switch (errnum) {
    case ENOENT:
        return AQFS_NOT_FOUND;
    case EACCES:
    case EPERM:
        return AQFS_PERMISSION;
    case ENOTDIR:
        return AQFS_NOT_A_DIRECTORY;
    case EISDIR:
        return AQFS_IS_DIRECTORY;
    case EEXIST:
        return AQFS_EXISTS;
    case ELOOP:
        return AQFS_LOOP;
    case ENAMETOOLONG:
        return AQFS_TOO_LONG;
    case ENOSPC:
    case EDQUOT:
        return AQFS_NO_SPACE;
    case EROFS:
        return AQFS_READ_ONLY;
    case EFBIG:
        return AQFS_TOO_LARGE;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return AQFS_LIMIT;
    default:
        return AQFS_IO;
    }
}

int fail_errno(struct error *e, int errnum, const char *what) {
    if (errnum == ENOMEM)
        return fail(e, AQFS_LIMIT, "%s: out of memory", what);
    enum code code = code_of_errno(errnum);
    /* strerror would translate: but models read English, and a translation need not be UTF-8. */
    const char *reason = strerrordesc_np(errnum);
    if (reason)
        return fail(e, code, "%s: %s", what, reason);
    return fail(e, code, "%s: error %d", what, errnum);
}

int fail_memory(struct error *e) {
    return fail(e, AQFS_LIMIT, "out of memory");
}

int fail_durability(struct error *e) {
    return fail(e, AQFS_DURABILITY_UNKNOWN,
                "It is written, but it is not known whether the disk has it");
}

int fail_newer_format(struct error *e, const char *what, int64_t format, int known) {
    return fail(e, AQFS_NEWER_FORMAT,
                "%s has the format %" PRId64 ", and this agent-q-fs, version " AQFS_VERSION
                ", knows formats up to %d: nothing was changed",
                what, format, known);
}

int fail_path(struct error *e, enum code code, enum path_fault fault, const char *message) {
    (void)fail(e, code, "%s", message);
    e->unnamed = fault;
    return (int)code;
}

int fail_path_errno(struct error *e, int errnum, const char *what) {
    int code = fail_errno(e, errnum, what);
    e->unnamed = FAULT_BY_CODE;
    return code;
}

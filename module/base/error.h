/* error.h -- what can go wrong, once.
 *
 * A function that can fail returns an `enum code` as int, AQFS_OK being zero,
 * and fills the error it was given.  The message is written where the fault is
 * found, for a model to act on; no higher layer overwrites it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ERROR_H
#define AQFS_ERROR_H

#include <stddef.h>

/* X(constant, the name both Lisps and JSON use) */
#define ERROR_CODES(X)                                                                             \
    X(OUTSIDE_ROOT, "outside-root")                                                                \
    X(RESTRICTED, "restricted")                                                                    \
    X(NOT_FOUND, "not-found")                                                                      \
    X(EXISTS, "exists")                                                                            \
    X(IS_DIRECTORY, "is-directory")                                                                \
    X(NOT_A_DIRECTORY, "not-a-directory")                                                          \
    X(NOT_REGULAR, "not-regular")                                                                  \
    X(PERMISSION, "permission")                                                                    \
    X(INVALID_ARGUMENT, "invalid-argument")                                                        \
    X(UNKNOWN_OPERATION, "unknown-operation")                                                      \
    X(NO_MATCH, "no-match")                                                                        \
    X(MULTIPLE_MATCHES, "multiple-matches")                                                        \
    X(STALE, "stale")                                                                              \
    X(BINARY, "binary")                                                                            \
    X(ENCODING, "encoding")                                                                        \
    X(PATCH_PARSE, "patch-parse")                                                                  \
    X(PATCH_APPLY, "patch-apply")                                                                  \
    X(TOO_LARGE, "too-large")                                                                      \
    X(TOO_LONG, "too-long")                                                                        \
    X(LIMIT, "limit")                                                                              \
    X(LOOP, "loop")                                                                                \
    X(RACED, "raced")                                                                              \
    X(APPROVAL_REQUIRED, "approval-required")                                                      \
    X(DENIED, "denied")                                                                            \
    X(READ_ONLY, "read-only")                                                                      \
    X(SNAPSHOT, "snapshot")                                                                        \
    X(SNAPSHOT_RESTORE, "snapshot-restore")                                                        \
    X(IO, "io")                                                                                    \
    X(NO_SPACE, "no-space")                                                                        \
    X(DURABILITY_UNKNOWN, "durability-unknown")                                                    \
    X(CANCELLED, "cancelled")                                                                      \
    X(TIMEOUT, "timeout")                                                                          \
    X(COMMAND_FAILED, "command-failed")                                                            \
    X(NOT_CONNECTED, "not-connected")

enum code {
    AQFS_OK = 0,
#define X(constant, name) AQFS_##constant,
    ERROR_CODES(X)
#undef X
};

struct error {
    enum code code;
    char message[1024]; /* UTF-8, without a final stop or newline */
    char hint[512];     /* "" or what to do about it */
};

const char *code_name(enum code code);

/* Sets E and returns CODE.  A message too long for E is cut between code points. */
__attribute__((format(printf, 3, 4))) int fail(struct error *e, enum code code, const char *format,
                                               ...);
__attribute__((format(printf, 2, 3))) void error_hint(struct error *e, const char *format, ...);

/* Sets E from an errno value: the code that fits, and "WHAT: reason". */
int fail_errno(struct error *e, int errnum, const char *what);

int fail_memory(struct error *e);

#endif

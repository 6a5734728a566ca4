/* error.h -- what can go wrong, once.
 *
 * A function that can fail returns an `enum code` as int, AQFS_OK being zero,
 * and fills the error it was given.  The message is written where the fault is
 * found, for a model to act on; no higher layer overwrites it.
 *
 * One kind of fault is found where its message cannot be written: a fault of a
 * path, below the one function that knows how the caller spelled that path.
 * fail_path leaves such an error `unnamed`.  That function (space/workspace.c)
 * gives unnamed errors, and no others, the message that names the path.
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

/* What an error says about a path that its message does not name. */
enum path_fault {
    FAULT_NONE,    /* nothing: the message is complete */
    FAULT_BY_CODE, /* what its code says */
    FAULT_MOUNT    /* OUTSIDE_ROOT: it is on a file system that is mounted inside the root */
};

struct error {
    enum code code;
    enum path_fault unnamed; /* FAULT_NONE unless fail_path set it */
    char message[1024];      /* UTF-8, without a final stop or newline */
    char hint[512];          /* "" or what to do about it */
};

/* The name of CODE, as both Lisps and JSON use it. */
const char *code_name(enum code code);

/* Sets E and returns CODE.  A message too long for E is cut between code points. */
__attribute__((format(printf, 3, 4))) int fail(struct error *e, enum code code, const char *format,
                                               ...);

/* Sets E's hint, after `fail`, which clears it.  It is cut like a message. */
__attribute__((format(printf, 2, 3))) void error_hint(struct error *e, const char *format, ...);

/* Sets E from an errno value: the code that fits, and "WHAT: reason". */
int fail_errno(struct error *e, int errnum, const char *what);

/* Sets E to "out of memory", and returns AQFS_LIMIT. */
int fail_memory(struct error *e);

/* Sets E to a fault of the path at hand, and returns CODE.  MESSAGE calls the path "it": it is
 * shown where nobody names the path. */
int fail_path(struct error *e, enum code code, enum path_fault fault, const char *message);

/* The same from an errno value, with the message of fail_errno. */
int fail_path_errno(struct error *e, int errnum, const char *what);

#endif

/* error.h -- error codes and messages, defined once.
 *
 * A function that can fail returns an `enum code` as int, of which AQFS_OK is
 * zero, and fills in the error it was given.  The message is written where the
 * fault is found, for a model to act on; no higher layer overwrites it.
 *
 * There is one exception.  The functions that find a fault of a path do not
 * know how the caller spelled that path.  They call fail_path, which marks the
 * error as `unnamed`.  The one function that knows the spelling
 * (space/workspace.c) gives unnamed errors, and no others, a message that names
 * the path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ERROR_H
#define AQFS_ERROR_H

#include <stddef.h>
#include <stdint.h>

/* X(constant, the name both Lisps and JSON use, a sentence that explains it) */
#define ERROR_CODES(X)                                                                             \
    X(OUTSIDE_ROOT, "outside-root", "The path leads out of the project root.")                     \
    X(RESTRICTED, "restricted", "The path lies under one of the restricted paths.")                \
    X(NOT_FOUND, "not-found", "There is nothing of that name.")                                    \
    X(EXISTS, "exists", "There is already something of that name.")                                \
    X(IS_DIRECTORY, "is-directory", "A file was expected, and the path is a directory.")           \
    X(NOT_A_DIRECTORY, "not-a-directory",                                                          \
      "A directory was expected, and the path is something else.")                                 \
    X(NOT_REGULAR, "not-regular",                                                                  \
      "The path is a device, a pipe or a socket: there is nothing to read or write.")              \
    X(PERMISSION, "permission", "The operating system forbids it.")                                \
    X(INVALID_ARGUMENT, "invalid-argument",                                                        \
      "An argument is missing, unknown, of the wrong type or out of range.")                       \
    X(UNKNOWN_OPERATION, "unknown-operation", "No operation has that name.")                       \
    X(NO_MATCH, "no-match", "The text to replace does not occur.")                                 \
    X(MULTIPLE_MATCHES, "multiple-matches", "The text to replace occurs several times.")           \
    X(UNBALANCED, "unbalanced", "The parentheses of a Lisp file would not balance any more.")      \
    X(STALE, "stale",                                                                              \
      "The file is not what it was when it was read, or the plan is not what was approved.")       \
    X(BINARY, "binary", "The file is not text.")                                                   \
    X(ENCODING, "encoding", "The text cannot be decoded, or not be written back as it was.")       \
    X(PATCH_PARSE, "patch-parse", "The patch is malformed.")                                       \
    X(PATCH_APPLY, "patch-apply", "The patch does not fit the files.")                             \
    X(TOO_LARGE, "too-large", "The file is larger than the limit.")                                \
    X(TOO_LONG, "too-long", "The path or argument is longer than the limit.")                      \
    X(LIMIT, "limit", "The call used up its time, its steps or the memory there is.")              \
    X(LOOP, "loop", "Too many symbolic links.")                                                    \
    X(RACED, "raced", "The tree kept changing while the call looked at it.")                       \
    X(APPROVAL_REQUIRED, "approval-required", "Somebody has to approve this call first.")          \
    X(DENIED, "denied", "The call was not approved.")                                              \
    X(READ_ONLY, "read-only", "The workspace is read-only.")                                       \
    X(NOT_LOGGED, "not-logged", "The call cannot be written down, so it was not made.")            \
    X(SNAPSHOT, "snapshot", "The snapshot could not be taken or read.")                            \
    X(SNAPSHOT_RESTORE, "snapshot-restore", "The snapshot could not be restored.")                 \
    X(IO, "io", "The operating system reported a failure of the device or of the call.")           \
    X(NO_SPACE, "no-space", "The disk is full.")                                                   \
    X(DURABILITY_UNKNOWN, "durability-unknown", "The write is done, but may not survive a crash.") \
    X(CANCELLED, "cancelled", "The call was cancelled.")                                           \
    X(TIMEOUT, "timeout", "The command took too long.")                                            \
    X(COMMAND_FAILED, "command-failed", "The command failed.")                                     \
    X(NOT_CONNECTED, "not-connected", "There is no connection to Emacs.")                          \
    X(DISCONNECTED, "disconnected", "There is no connection to the machine of the project.")       \
    X(NEWER_FORMAT, "newer-format",                                                                \
      "A newer agent-q-fs has stored it, in a format that this one does not know.")                \
    X(ROOT_MOVED, "root-moved",                                                                    \
      "The project root is not where it was when the workspace was opened: open it again.")

/* Messages that front ends give as well, when they refuse a call themselves.  The catalogue tells
 * them these words.  The first is of the path as it was given, and the root without a slash; the
 * second of the tier and the summary. */
#define OUTSIDE_ROOT_MESSAGE "Path '%s' is outside project root (%s/)"
#define APPROVAL_REQUIRED_MESSAGE "Approval is required (%s): %s"
#define STALE_PLAN_MESSAGE "What was approved is no longer what would be done: nothing was done"

#define X(constant, name, doc) AQFS_##constant,
enum code { AQFS_OK = 0, ERROR_CODES(X) CODE_COUNT };
#undef X

/* The fault of a path that the error's message does not name. */
enum path_fault {
    FAULT_NONE,    /* nothing: the message is complete */
    FAULT_BY_CODE, /* the sentence of its code */
    FAULT_MOUNT,   /* OUTSIDE_ROOT: it is on a file system that is mounted inside the root */
    FAULT_LINK,    /* OUTSIDE_ROOT: a link in it leads out */
    FAULT_NAMES    /* RESTRICTED: it has several names, and too much is restricted to know them */
};

struct error {
    enum code code;
    enum path_fault unnamed; /* FAULT_NONE unless fail_path set it */
    char message[1024];      /* UTF-8, without a final stop or newline */
    char hint[512];          /* advice, or "" */
};

/* The name of CODE, as both Lisps and JSON use it. */
const char *code_name(enum code code);

/* A sentence that explains CODE. */
const char *code_doc(enum code code);

/* Sets E and returns CODE.  A message too long for E is cut between code points. */
__attribute__((format(printf, 3, 4))) int fail(struct error *e, enum code code, const char *format,
                                               ...);

/* Sets E's hint, after `fail`, which clears it.  It is cut like a message. */
__attribute__((format(printf, 2, 3))) void error_hint(struct error *e, const char *format, ...);

/* Sets E from an errno value: the code that matches, and the message "WHAT: reason". */
int fail_errno(struct error *e, int errnum, const char *what);

/* Sets E to "out of memory", and returns AQFS_LIMIT. */
int fail_memory(struct error *e);

/* Sets E to: the change is made, but may not be on the disk.  Returns AQFS_DURABILITY_UNKNOWN. */
int fail_durability(struct error *e);

/* Sets E to: WHAT is stored in FORMAT, and this version knows formats up to KNOWN.  Returns
 * AQFS_NEWER_FORMAT. */
int fail_newer_format(struct error *e, const char *what, int64_t format, int known);

/* Sets E to a fault of the path at hand, and returns CODE.  MESSAGE calls the path "it", and is
 * shown if nothing names the path. */
int fail_path(struct error *e, enum code code, enum path_fault fault, const char *message);

/* Does the same for an errno value, with the message of fail_errno. */
int fail_path_errno(struct error *e, int errnum, const char *what);

#endif

/* aqfs.h -- the public C interface of agent-q-fs.
 *
 * A workspace is a directory that no path leads out of.  A call names an
 * operation and its arguments in one JSON request and answers with one reply,
 * an s-expression or JSON, which is either the operation's data or an error:
 *
 *     request   {"op": "read_file", "args": {"path": "a.c"}}
 *     reply     (:path "a.c" :content "..." ... :text "...")
 *     error     (:error :not-found :message "..." :path "b.c" :hint nil :text "Error: ...")
 *
 * An operation that changes something plans first, touching nothing, and then does what
 * it has planned, all of it or nothing.  Further members of the request say how far it goes.
 * A request with any other member is refused.
 *
 *     "verb": "call"       plan, and do the plan; if its tier is above the authority, the error
 *                          approval-required, which carries the plan.  This is the default
 *                          without a digest
 *     "verb": "plan"       answer with the plan: tier, summary, targets, diff, digest, and whether
 *                          the authority is enough (allowed).  No lock is taken, nothing is made
 *                          With the "digest" of a plan: the same plan if it still holds, else a
 *                          new one or an error; its diff is left out if only the words are wanted
 *     "verb": "commit"     do exactly what the plan that has the digest showed, after a look at
 *                          what may have moved; else the error `stale`.  Op and args are those
 *                          of the plan.  This is the default with a digest
 *     "digest"             that of a plan
 *     "authority"          safe (the default), cautious or dangerous: the highest tier that the
 *                          caller may do
 *     "origin"             person (the default: also a program), model or undo: for whom it is
 *                          done.  Snapshots of one make no room by forgetting another's
 *     "caller", "call"     strings of 200 bytes at most, by which the caller names itself and the
 *                          call.  They are kept with what the call replaces, and mean nothing
 *     "words": true        only :text is wanted: data that it shows as well, such as the content
 *                          of a file that is read, may be left out
 *
 * Every function may be called from any thread, several at once on the same
 * workspace, unless its contract says otherwise.  Nothing here logs, aborts,
 * exits, reads the environment or starts a process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_H
#define AQFS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AQFS_API __attribute__((visibility("default")))

/* Incremented when a caller compiled against an older header would misbehave. */
#define AQFS_ABI_VERSION 2
#define AQFS_VERSION "0.2.0"

typedef struct aqfs_workspace aqfs_workspace;
typedef struct aqfs_reply aqfs_reply;

enum { AQFS_SEXP = 0, AQFS_JSON = 1 };

/* A call's optional surroundings.  Zero the struct and set what is needed. */
typedef struct aqfs_context {
    int32_t format;           /* AQFS_SEXP or AQFS_JSON */
    const int32_t *cancelled; /* the call ends with `cancelled` soon after this is non-zero;
                                 stored by the caller from any thread, atomically or aligned */
    /* Where a streaming operation (search_files, grep_files) puts progress and
     * results as they come: each emit is one whole datum in FORMAT,
     * `(:progress N)` or `(:items (...))`.  The reply does not repeat what was
     * emitted.  It is called from one thread at a time, not always the
     * caller's.  A non-zero answer cancels the call. */
    int (*emit)(void *data, const char *datum, size_t length);
    void *data;
} aqfs_context;

/* The ABI version of the loaded object: compare with AQFS_ABI_VERSION before
 * anything else. */
AQFS_API int32_t aqfs_abi_version(void);

/* Versions of the core, the ABI and the libraries below it. */
AQFS_API aqfs_reply *aqfs_version(int32_t format);

/* All that is known, once: a map of version, abi, errors, options, limits, mounts, sets (of
 * tools), operations and replies.  An operation has name, tier, slow, doc, title, hints, sets,
 * params, reply (the members it has) and errors; replies are those of no one operation, such as
 * errors.  Everything has words, and each reply comes with the members told there. */
AQFS_API aqfs_reply *aqfs_catalogue(int32_t format);

/* The operations of the catalogue alone. */
AQFS_API aqfs_reply *aqfs_operations(int32_t format);

/* Opens a workspace from OPTIONS, a JSON object: doc/reference.org, "Options of a
 * workspace".
 * Always answers with a reply; *OUT is the workspace, or NULL when the reply is
 * an error. */
AQFS_API aqfs_reply *aqfs_open(const char *options, size_t length, int32_t format,
                               aqfs_workspace **out);

/* Runs one request.  CONTEXT may be NULL.  Never NULL but when there is no
 * memory for even an error. */
AQFS_API aqfs_reply *aqfs_call(aqfs_workspace *workspace, const char *request, size_t length,
                               const aqfs_context *context);

/* Puts a workspace in memory or a session back to what it was opened with: empty but for its
 * mounts.  An error for directories of this machine, and while a call is running. */
AQFS_API aqfs_reply *aqfs_reset(aqfs_workspace *workspace, int32_t format);

/* Ends a workspace: its descriptors are closed when the last running call has
 * ended, and every later call answers with an error.  May be repeated. */
AQFS_API void aqfs_close(aqfs_workspace *workspace);

/* Closes WORKSPACE and gives its memory back.  The pointer must not be used
 * again, and no call may be running.  NULL is allowed. */
AQFS_API void aqfs_free(aqfs_workspace *workspace);

/* The reply's text: LENGTH bytes of UTF-8, and a NUL behind them. */
AQFS_API const char *aqfs_reply_text(const aqfs_reply *reply, size_t *length);

/* NULL for data; for an error its code, such as "not-found". */
AQFS_API const char *aqfs_reply_error(const aqfs_reply *reply);

/* NULL is allowed. */
AQFS_API void aqfs_reply_free(aqfs_reply *reply);

#ifdef __cplusplus
}
#endif

#endif

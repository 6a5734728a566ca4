/* support.h -- a project with surroundings, and children that may spoil their process: for the
 * tests of the C ABI.
 *
 *     BASE/project     opened by open_project
 *     BASE/...         outside
 *
 * Call support_start in setUp and support_end in tearDown, which fails a test
 * that left a descriptor or a thread behind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "budget.h"
#include "calls.h"
#include "child.h"
#include "files.h"
#include "workspace.h"

#include <jansson.h>

void support_start(void);
void support_end(void);

/* Absolute paths; each is valid for the next seven calls. */
const char *base_path(const char *name);
const char *project_path(const char *name);

/* PIECE repeated TIMES times; valid until the next call. */
const char *repeated(const char *piece, size_t times);

/* Opens BASE/project with further options: MEMBERS of a JSON object ("" for none), in which `%s` is
 * BASE.  Uses the resolver that $AQFS_TEST_RESOLVER names. */
aqfs_workspace *open_project(const char *members);
/* The same without a root, for other backends. */
aqfs_workspace *open_elsewhere(const char *members);
/* The reply of aqfs_open to the whole object OPTIONS, which must be an error. */
json_t *fail_to_open(const char *options);

/* The reply to OP with ARGS, a JSON object.  It lives until support_end. */
json_t *ask(aqfs_workspace *ws, const char *op, const char *args);
json_t *ask_path(aqfs_workspace *ws, const char *op, const char *path);
/* The reply to a whole request. */
json_t *ask_raw(aqfs_workspace *ws, const char *request, size_t n, const aqfs_context *context);
/* An emit function for aqfs_context; adds the items to its data, a JSON array. */
int gather_items(void *array, const char *datum, size_t n);

/* The code of a reply, "ok" or an error's; and a member of it, "" when there is none. */
const char *code_of(const json_t *reply);
const char *text_in(const json_t *reply, const char *key);
long long number_in(const json_t *reply, const char *key);
/* The values of KEY in the maps of a list, or the list's strings when KEY is NULL: "a b c". */
const char *names_in(const json_t *reply, const char *list, const char *key);

void pause_ms(int ms);
/* The number of running threads, when it is at most BEFORE: the kernel may list one that was joined
 * for a while.  Threads that stay for a minute are counted, too. */
int settled_threads(int before);

/* Runs BODY in a child.  Fails the test if BODY fails; skips it with WHY if BODY returns
 * CHILD_SKIP. */
void run_child(int (*body)(void), const char *why);

/* Do workspaces use the fallback, because it is asked for or because there is no openat2? */
bool uses_fallback(void);

#endif

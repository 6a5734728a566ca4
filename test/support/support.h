/* support.h -- what the tests of the boundary share: a project and what is around it, and children
 * that may spoil their process.
 *
 *     BASE/project     opened by open_project
 *     BASE/...         outside
 *
 * support_start in setUp and support_end in tearDown, which also fails a test that left a
 * descriptor or a thread behind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "budget.h"
#include "child.h"
#include "files.h"
#include "workspace.h"

#include <jansson.h>

void support_start(void);
void support_end(void);

/* Absolute paths; each valid for the next seven. */
const char *base_path(const char *name);
const char *project_path(const char *name);

/* PIECE repeated TIMES times; valid until the next call. */
const char *repeated(const char *piece, size_t times);

/* Opens BASE/project with further options, the members of a JSON object ("" for none); a `%s` in
 * them is BASE.  With the resolver that $AQFS_TEST_RESOLVER names. */
aqfs_workspace *open_project(const char *members);
/* The same without a root: of another backend. */
aqfs_workspace *open_elsewhere(const char *members);
/* The reply of aqfs_open for the whole object OPTIONS, where that is an error. */
json_t *fail_to_open(const char *options);

/* The reply to OP with ARGS, a JSON object.  It lives until support_end. */
json_t *ask(aqfs_workspace *ws, const char *op, const char *args);
json_t *ask_path(aqfs_workspace *ws, const char *op, const char *path);
/* The reply to a request as it is. */
json_t *ask_raw(aqfs_workspace *ws, const char *request, size_t n, const aqfs_context *context);
/* An aqfs_context's emit, whose data is a JSON array: the items join it. */
int gather_items(void *array, const char *datum, size_t n);

/* "ok" or the error's code; a member of the reply, "" where it is none. */
const char *code_of(const json_t *reply);
const char *text_in(const json_t *reply, const char *key);
long long number_in(const json_t *reply, const char *key);
/* The values of KEY in the maps of a list, or its strings where KEY is NULL: "a b c". */
const char *names_in(const json_t *reply, const char *list, const char *key);

void pause_ms(int ms);

/* Fails or, where BODY answered CHILD_SKIP, skips the test with WHY. */
void run_child(int (*body)(void), const char *why);

/* There is openat2; valgrind, for one, has none. */
bool has_openat2(void);
/* Workspaces use the fallback, being told so or for want of openat2. */
bool uses_fallback(void);

#endif

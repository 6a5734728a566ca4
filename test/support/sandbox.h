/* sandbox.h -- a directory of its own for a test, open as a workspace.
 *
 *     sandbox_open("{}");                                 in setUp
 *     sandbox_write("a.txt", "one\n", 4);
 *     json_t *reply = sandbox_call("read_file", "{s:s}", "path", "a.txt");
 *     TEST_ASSERT_EQUAL_STRING("one\n", reply_text(reply, "content"));
 *     sandbox_close();                                    in tearDown
 *
 * The workspace uses the resolver that $AQFS_TEST_RESOLVER names.  A reply lives until the sandbox
 * is closed.  Any failure fails the test.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "aqfs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* OPTIONS is a JSON object, as aqfs_open takes it, without root and resolver. */
void sandbox_open(const char *options);

/* Closes the workspace and removes the directory. */
void sandbox_close(void);

aqfs_workspace *sandbox_workspace(void);

/* The absolute path of NAME; valid until the next call. */
const char *sandbox_path(const char *name);

void sandbox_write(const char *name, const void *bytes, size_t n);
void sandbox_text(const char *name, const char *text);
void sandbox_mkdir(const char *name);
void sandbox_link(const char *name, const char *target);

/* The reply to OP with the arguments that jansson's json_pack makes of FORMAT. */
json_t *sandbox_call(const char *op, const char *format, ...);

/* The same to a whole request, as aqfs.h has it. */
json_t *sandbox_request(const char *request);

/* Members of a reply; of another type than asked for, they fail the test. */
const char *reply_text(const json_t *reply, const char *key);
size_t reply_length(const json_t *reply, const char *key); /* of the same text, in bytes */
long long reply_number(const json_t *reply, const char *key);
bool reply_flag(const json_t *reply, const char *key); /* absent is false */
bool reply_is_null(const json_t *reply, const char *key);

/* Fails the test unless REPLY is the error CODE with PART in its message. */
void check_error(const json_t *reply, const char *code, const char *part);

#endif

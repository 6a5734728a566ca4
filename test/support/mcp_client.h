/* mcp_client.h -- the built program agent-q-fs, spoken to through pipes.
 *
 *     struct mcp *m = mcp_start((const char *const[]){"--root", "/x", NULL});
 *     json_t *answer = mcp_ask(m, "tools/list", NULL);
 *     int status = mcp_end(m);
 *
 * A failure of the pipes ends the program (die.h).  The caller gives back received messages by
 * json_decref.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include "buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* The way a request begins, or what stands in each. */
enum mcp_era { MCP_RAW, MCP_LEGACY, MCP_MODERN };

struct mcp {
    pid_t pid;
    int in, out;     /* the program's stdin and stdout; -1 once closed */
    struct buf read; /* what has come and was not taken */
    int next_id;
    enum mcp_era era;
    bool asks; /* in MCP_MODERN: each request says that a person can be asked */
};

/* $BUILD/agent-q-fs, from the directory in which this was called first. */
const char *mcp_program(void);

/* Starts `agent-q-fs mcp` with ARGS, which end with NULL.  Its stderr goes to ERRORS, or where ours
 * goes if that is negative. */
struct mcp *mcp_start(const char *const args[], int errors);
/* The same of `agent-q-fs COMMAND`.  With FAR in the environment, `serve` is that command for a
 * shell, which starts one elsewhere. */
struct mcp *program_start(const char *command, const char *const args[], int errors);

/* Says initialize for VERSION, with CAPABILITIES as JSON text, and returns the answer. */
json_t *mcp_initialize(struct mcp *m, const char *version, const char *capabilities);
/* From now on each request has its _meta. */
void mcp_be_modern(struct mcp *m, bool asks);

void mcp_send_bytes(struct mcp *m, const char *bytes, size_t n);
void mcp_send_line(struct mcp *m, const char *line);
/* The same of a message, which it takes over. */
void mcp_send(struct mcp *m, json_t *message);

/* The next message; NULL at the end of what the program writes. */
json_t *mcp_receive(struct mcp *m);

/* Sends a request, with PARAMS (taken over, may be NULL), and returns its id. */
int mcp_request(struct mcp *m, const char *method, json_t *params);
/* The answer to ID; what comes before is dropped. */
json_t *mcp_answer(struct mcp *m, int id);
/* Both. */
json_t *mcp_ask(struct mcp *m, const char *method, json_t *params);
/* tools/call of TOOL with ARGS (taken over). */
json_t *mcp_call(struct mcp *m, const char *tool, json_t *args);

/* Ends what it reads.  Waits for its end, drops what it still says, and returns its status as
 * waitpid gives it. */
int mcp_end(struct mcp *m);

#endif

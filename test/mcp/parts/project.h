/* project.h -- a project for each case, a server of it, and what the case found wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MCP_PROJECT_H
#define MCP_PROJECT_H

#include "mcp_client.h"

struct project {
    char *base;  /* everything of this case */
    char *root;  /* BASE/project: a.txt holds "one\ntwo\n" */
    char *state; /* BASE/state */
    int faults;
};

void project_make(struct project *p);
void project_remove(struct project *p);

/* The path of NAME in the project; valid until the next call. */
const char *project_file(const struct project *p, const char *name);

/* A server of the project with further options, which end with NULL; or without any, for NULL. */
struct mcp *serve(const struct project *p, const char *const more[]);
#define SERVE(p, ...) serve(p, (const char *const[]){__VA_ARGS__, NULL})
/* The same, after the handshake of 2025-11-25; ASKS: the client can ask a person. */
struct mcp *serve_legacy(const struct project *p, bool asks);
/* The same, each request with its own _meta. */
struct mcp *serve_modern(const struct project *p, bool asks);

/* Prints WHAT with the line, and counts it, unless OK.  Returns OK. */
bool expect_at(struct project *p, bool ok, int line, const char *what);
#define EXPECT(p, condition) expect_at(p, condition, __LINE__, #condition)
/* The same for two texts; either may be NULL. */
bool expect_text(struct project *p, const char *wanted, const char *got, int line);
#define EXPECT_TEXT(p, wanted, got) expect_text(p, wanted, got, __LINE__)
#define EXPECT_PART(p, part, got) expect_part(p, part, got, __LINE__)
bool expect_part(struct project *p, const char *part, const char *got, int line);

/* The member at the path "result.content.0.text" of V, or NULL. */
const json_t *at_path(const json_t *v, const char *path);
const char *text_at(const json_t *v, const char *path); /* NULL if it is no string */
long long number_at(const json_t *v, const char *path); /* 0 if it is no integer */
bool flag_at(const json_t *v, const char *path);

/* The words of the answer ANSWER to tools/call, and whether it is an error. */
const char *words_of(const json_t *answer);
bool is_error(const json_t *answer);

/* Ends the server, and expects that its status is 0. */
#define END(p, m) EXPECT(p, mcp_end(m) == 0)

#endif

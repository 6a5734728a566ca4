/* SPDX-License-Identifier: MIT */
/* mcp.c -- the rows whose peer is the MCP filesystem server: see mcp.h. */
#include "mcp.h"

#include "die.h"
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The MCP server: JSON-RPC -- */

server start_mcp(const char *directory) {
    const char *argv[] = {"node", settings.mcp, directory, NULL};
    server s = start_server(argv, directory);
    free_run(ask(&s, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                     "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
                     "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}"));
    say(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return s;
}

static char *mcp_request(const char *tool, json_t *arguments) {
    json_t *message =
        json_pack("{s:s, s:i, s:s, s:{s:s, s:o}}", "jsonrpc", "2.0", "id", 1, "method",
                  "tools/call", "params", "name", tool, "arguments", arguments);
    char *text = have(json_dumps(message, JSON_COMPACT));
    json_decref(message);
    return text;
}

/* The words of a tool's answer: the first piece of its content. */
static char *mcp_text(run r) {
    json_t *message = parse(r.out, r.out_length);
    json_t *content = json_object_get(json_object_get(message, "result"), "content");
    char *text = have(strdup(member(json_array_get(content, 0), "text")));
    json_decref(message);
    return text;
}

double mcp_answer_bytes(server *s, const char *tool, json_t *arguments) {
    char *request = mcp_request(tool, arguments);
    run r = ask(s, request);
    char *text = mcp_text(r);
    double n = (double)strlen(text);
    free(text);
    free_run(r);
    free(request);
    return n;
}

/* Paths come absolute; ours are relative. */
static answer mcp_search_answer(const side *s, run r) {
    answer a = {0};
    size_t prefix = strlen(s->directory) + 1;
    char *text = mcp_text(r), *rest = text;
    for (char *path; (path = strsep(&rest, "\n"));)
        if (strlen(path) > prefix && path[0] == '/') /* not "No matches found" */
            add(&a, have(strdup(path + prefix)));
    free(text);
    return sorted(a);
}

static answer mcp_tree_answer(const side *s, run r) {
    (void)s;
    answer a = {0};
    char *text = mcp_text(r);
    json_t *tree = parse(text, strlen(text));
    add_tree(&a, tree, "");
    json_decref(tree);
    free(text);
    return sorted(a);
}

/* -- Rows: the MCP server -- */

struct mcp_row {
    const char *name;
    const char *directory;
    char *ours; /* the requests; the row owns them */
    char *theirs;
    answer (*our_answer)(const json_t *);
    answer (*their_answer)(const side *, run);
};

static struct mcp_row mcp_find(const char *directory) {
    json_t *arguments = json_pack("{s:s, s:s}", "path", directory, "pattern", "**/*.d.ts");
    return (struct mcp_row){"find-d.ts-mcp",
                            directory,
                            search_request("**/*.d.ts", true),
                            mcp_request("search_files", arguments),
                            answer_of_search,
                            mcp_search_answer};
}

static struct mcp_row mcp_tree(const char *directory) {
    json_t *arguments = json_pack("{s:s}", "path", directory);
    return (struct mcp_row){"tree-mcp",     directory,
                            tree_request(), mcp_request("directory_tree", arguments),
                            answer_of_tree, mcp_tree_answer};
}

static void compare_mcp(const char *row, const struct mcp_row *m) {
    server mcp = start_mcp(m->directory);
    const struct rival rival = {.row = row,
                                .side = {.name = "mcp-server",
                                         .directory = m->directory,
                                         .server = &mcp,
                                         .request = m->theirs,
                                         .answer = m->their_answer}};
    compare_ours(m->ours, m->our_answer, &rival, 1, 0.6);
    stop_server(&mcp);
}

static void mcp_row(const char *label, struct mcp_row m) {
    char *row = path_of("%s/%s", label, m.name);
    if (wanted(row) && !settings.mcp)
        skip(row, "@modelcontextprotocol/server-filesystem is not installed");
    else if (wanted(row))
        compare_mcp(row, &m);
    free(row);
    free(m.ours);
    free(m.theirs);
}

void mcp_rows(const char *label, const char *directory) {
    mcp_row(label, mcp_find(directory));
    mcp_row(label, mcp_tree(directory));
}

/* tools.c -- calls of tools: what is on the disk, what the model reads, what is written down.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cases.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_and_edit(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    json_t *read = mcp_call(m, "read_file", json_pack("{s:s}", "path", "a.txt"));
    EXPECT_TEXT(p, "one\ntwo\n", words_of(read));
    EXPECT_TEXT(p, "one\ntwo\n", text_at(read, "result.structuredContent.content"));
    EXPECT(p, !at_path(read, "result.structuredContent.text"));
    EXPECT(p, at_path(read, "result.isError") && !is_error(read));
    json_t *edit =
        mcp_call(m, "edit_file",
                 json_pack("{s:s, s:s, s:s, s:s}", "path", "a.txt", "old_str", "one", "new_str",
                           "1", "version", text_at(read, "result.structuredContent.version")));
    EXPECT(p, !is_error(edit));
    EXPECT_TEXT(p, "1\ntwo\n", text_of(project_file(p, "a.txt")));
    json_decref(read);
    json_decref(edit);
    END(p, m);
}

static void errors_say_what_to_do(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    json_t *none = mcp_call(m, "read_file", json_pack("{s:s}", "path", "nope"));
    EXPECT(p, is_error(none) && !at_path(none, "result.structuredContent"));
    EXPECT_PART(p, "Error: ", words_of(none));
    EXPECT_TEXT(p, "not-found", text_at(none, "result._meta.aqfs/error.error"));
    json_t *typed = mcp_call(m, "read_file", json_pack("{s:i}", "path", 5));
    EXPECT_PART(p, "path: expected a string, got an integer", words_of(typed));
    json_t *outside = mcp_call(m, "read_file", json_pack("{s:s}", "path", "../state"));
    EXPECT_PART(p, "is outside project root", words_of(outside));
    json_t *bare = mcp_ask(m, "tools/call", json_pack("{s:s}", "name", "read_file"));
    EXPECT_PART(p, "path: this argument is required", words_of(bare));
    json_t *tool = mcp_call(m, "shell", json_object());
    EXPECT(p, number_at(tool, "error.code") == -32602);
    EXPECT_PART(p, "Unknown tool: shell.  There are read_file", text_at(tool, "error.message"));
    json_t *list =
        mcp_ask(m, "tools/call", json_pack("{s:s, s:[]}", "name", "read_file", "arguments"));
    EXPECT_PART(p, "arguments, an object", text_at(list, "error.message"));
    json_t *nameless = mcp_ask(m, "tools/call", json_object());
    EXPECT_PART(p, "name, a string", text_at(nameless, "error.message"));
    json_t *const all[] = {none, typed, outside, bare, tool, list, nameless};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_decref(all[i]);
    END(p, m);
}

/* Deletes a.txt by a server with the options A and B, and returns whether it was done. */
static bool deletes_with(struct project *p, const char *a, const char *b, const char *words) {
    make_file(project_file(p, "a.txt"), "one\ntwo\n");
    struct mcp *m = SERVE(p, "--tools", "all", a, b);
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_t *answer = mcp_call(m, "delete_file", json_pack("{s:s}", "path", "a.txt"));
    if (words)
        EXPECT_PART(p, words, words_of(answer));
    json_decref(answer);
    END(p, m);
    return access(project_file(p, "a.txt"), F_OK) != 0;
}

static void authority(struct project *p) {
    EXPECT(p, !deletes_with(p, "--authority", "safe", "Approval is required"));
    EXPECT(p, !deletes_with(p, "--authority=cautious", NULL, "Approval is required"));
    EXPECT(p, deletes_with(p, "--authority", "dangerous", NULL));
    EXPECT(p, !deletes_with(p, "--authority=dangerous", "--read-only", "read-only"));
    struct mcp *m = SERVE(p, "--authority", "safe");
    make_file(project_file(p, "a.txt"), "one\ntwo\n");
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_t *edit =
        mcp_call(m, "edit_file",
                 json_pack("{s:s, s:s, s:s}", "path", "a.txt", "old_str", "one", "new_str", "1"));
    EXPECT_PART(p, "Approval is required (cautious)", words_of(edit));
    EXPECT_PART(p, "\n-one\n+1\n", words_of(edit));
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
    json_decref(edit);
    END(p, m);
}

static void places(struct project *p) {
    char *outside = path_of("%s/other", p->base), *file = path_of("%s/b.txt", outside);
    make_file(file, "other\n");
    make_file(project_file(p, "private/c.txt"), "hidden\n");
    struct mcp *m = SERVE(p, "--allowed-path", outside, "--restricted-path", "private");
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_t *allowed = mcp_call(m, "read_file", json_pack("{s:s}", "path", file));
    EXPECT_TEXT(p, "other\n", words_of(allowed));
    json_t *hidden = mcp_call(m, "read_file", json_pack("{s:s}", "path", "private/c.txt"));
    EXPECT_TEXT(p, "restricted", text_at(hidden, "result._meta.aqfs/error.error"));
    json_t *found = mcp_call(m, "grep_files", json_pack("{s:s}", "pattern", "hidden"));
    EXPECT(p, words_of(found) && !strstr(words_of(found), "c.txt"));
    json_t *listed = mcp_ask(m, "resources/list", NULL);
    EXPECT(p, json_array_size(at_path(listed, "result.resources")) == 1);
    json_t *const all[] = {allowed, hidden, found, listed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_decref(all[i]);
    END(p, m);
    free(outside);
    free(file);
}

/* Neither the words, nor the data for programs, nor a resource have it. */
static void secrets_stay(struct project *p) {
    make_file(project_file(p, ".env"), "KEY=hunter2\n");
    struct mcp *m = serve_legacy(p, false);
    json_t *const all[] = {
        mcp_call(m, "read_file", json_pack("{s:s}", "path", ".env")),
        mcp_call(m, "grep_files", json_pack("{s:s}", "pattern", "KEY")),
        mcp_call(m, "edit_file",
                 json_pack("{s:s, s:s, s:s}", "path", ".env", "old_str", "KEY", "new_str", "K")),
        mcp_call(m, "delete_file", json_pack("{s:s}", "path", ".env")),
        mcp_ask(m, "resources/read",
                json_pack("{s:o}", "uri", json_sprintf("file://%s/.env", p->root)))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = json_dumps(all[i], 0);
        EXPECT(p, !strstr(text, "hunter2"));
        free(text);
        json_decref(all[i]);
    }
    END(p, m);
    EXPECT_TEXT(p, "KEY=hunter2\n", text_of(project_file(p, ".env")));
    /* A person who can be asked lets it be read. */
    m = serve_legacy(p, true);
    int call =
        mcp_request(m, "tools/call",
                    json_pack("{s:s, s:{s:s}}", "name", "read_file", "arguments", "path", ".env"));
    json_t *question = mcp_receive(m);
    EXPECT_PART(p, "secret: ", text_at(question, "params.message"));
    mcp_send(m, json_pack("{s:s, s:O, s:{s:s, s:{s:b}}}", "jsonrpc", "2.0", "id",
                          json_object_get(question, "id"), "result", "action", "accept", "content",
                          "approve", 1));
    json_t *answer = mcp_answer(m, call);
    EXPECT_TEXT(p, "KEY=hunter2\n", words_of(answer));
    json_decref(question);
    json_decref(answer);
    END(p, m);
}

static void sets_of_tools(struct project *p) {
    struct mcp *m = SERVE(p, "--tools", "read_bytes,gpt,read_bytes", "--text-only");
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_t *list = mcp_ask(m, "tools/list", NULL);
    EXPECT(p, json_array_size(at_path(list, "result.tools")) > 3);
    EXPECT_TEXT(p, "read_bytes", text_at(list, "result.tools.0.name"));
    EXPECT_TEXT(p, "apply_patch", text_at(list, "result.tools.1.name"));
    EXPECT(p, !at_path(list, "result.tools.0.outputSchema"));
    json_t *other = mcp_call(m, "delete_file", json_pack("{s:s}", "path", "a.txt"));
    EXPECT(p, number_at(other, "error.code") == -32602);
    json_t *read = mcp_call(m, "read_file", json_pack("{s:s}", "path", "a.txt"));
    EXPECT(p, words_of(read) && !at_path(read, "result.structuredContent"));
    json_decref(list);
    json_decref(other);
    json_decref(read);
    END(p, m);
}

/* -- what is written down ---------------------------------------------------------------------- */

static void written_down(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    json_decref(mcp_call(
        m, "edit_file",
        json_pack("{s:s, s:s, s:s}", "path", "a.txt", "old_str", "one", "new_str", "sesame")));
    json_decref(mcp_call(m, "delete_file", json_pack("{s:s}", "path", "a.txt")));
    END(p, m);
    char *log = path_of("%s/mcp-audit.jsonl", p->state);
    struct stat info;
    const char *text = text_of(log);
    EXPECT(p, stat(log, &info) == 0 && (info.st_mode & 0777) == 0600);
    EXPECT_PART(p, "{\"event\": \"start\", ", text);
    EXPECT_PART(p, "\"tool\": \"edit_file\", \"tier\": \"cautious\"", text);
    EXPECT_PART(p, "\"written\": 11, \"decision\": \"policy\"}", text);
    EXPECT_PART(p, "\"decision\": \"denied\", \"error\": \"approval-required\"}", text);
    EXPECT_PART(p, "\"client\": \"test\"", text);
    EXPECT(p, !strstr(text, "sesame"));
    free(log);
}

/* A model must not rewrite what was written of its calls. */
static void written_down_in_the_project(struct project *p) {
    char *log = strdup(project_file(p, "log.jsonl"));
    struct mcp *m = SERVE(p, "--audit", log, "--authority", "dangerous");
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_decref(
        mcp_call(m, "edit_file",
                 json_pack("{s:s, s:s, s:s}", "path", "a.txt", "old_str", "one", "new_str", "1")));
    static const char *const names[] = {"log.jsonl", "log.jsonl.1"};
    for (size_t i = 0; i < 2; i++) {
        json_t *edit = mcp_call(m, "edit_file",
                                json_pack("{s:s, s:s, s:s}", "path", names[i], "old_str",
                                          "\"start\"", "new_str", "forged"));
        EXPECT_TEXT(p, "restricted", text_at(edit, "result._meta.aqfs/error.error"));
        json_decref(edit);
    }
    END(p, m);
    EXPECT_PART(p, "\"tool\": \"edit_file\", \"tier\": \"cautious\"", text_of(log));
    EXPECT(p, !strstr(text_of(log), "forged"));
    free(log);
}

static void not_written_down(struct project *p) {
    char *directory = path_of("%s/log", p->base);
    make_directory(directory);
    struct mcp *m = SERVE(p, "--audit", directory);
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_t *edit =
        mcp_call(m, "edit_file",
                 json_pack("{s:s, s:s, s:s}", "path", "a.txt", "old_str", "one", "new_str", "1"));
    EXPECT_TEXT(p, "not-logged", text_at(edit, "result._meta.aqfs/error.error"));
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
    json_t *read = mcp_call(m, "read_file", json_pack("{s:s}", "path", "a.txt"));
    EXPECT_TEXT(p, "one\ntwo\n", words_of(read));
    json_decref(edit);
    json_decref(read);
    END(p, m);
    free(directory);
}

static void progress(struct project *p) {
    for (int i = 0; i < 300; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "d%d/f.txt", i);
        make_file(project_file(p, name), "x\n");
    }
    struct mcp *m = serve_legacy(p, false);
    int call =
        mcp_request(m, "tools/call",
                    json_pack("{s:s, s:{s:s, s:s}, s:{s:s}}", "name", "grep_files", "arguments",
                              "pattern", "x", "output", "count", "_meta", "progressToken", "tok"));
    long long last = 0;
    json_t *message;
    while ((message = mcp_receive(m)) != NULL && json_object_get(message, "method")) {
        EXPECT_TEXT(p, "tok", text_at(message, "params.progressToken"));
        EXPECT(p, number_at(message, "params.progress") > last);
        last = number_at(message, "params.progress");
        json_decref(message);
    }
    EXPECT(p, last > 0 && number_at(message, "id") == call);
    /* The answer has all that a listener would have been told. */
    EXPECT(p, json_array_size(at_path(message, "result.structuredContent.counts")) == 200);
    json_decref(message);
    END(p, m);
}

const struct mcp_case tool_cases[] = {{"tools/read-and-edit", read_and_edit},
                                      {"tools/errors-say-what-to-do", errors_say_what_to_do},
                                      {"tools/authority", authority},
                                      {"tools/places", places},
                                      {"tools/secrets-stay", secrets_stay},
                                      {"tools/sets-of-tools", sets_of_tools},
                                      {"tools/written-down", written_down},
                                      {"tools/not-written-down", not_written_down},
                                      {"tools/written-down-inside", written_down_in_the_project},
                                      {"tools/progress", progress},
                                      {NULL, NULL}};

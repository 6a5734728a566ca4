/* modern.c -- the era of 2026-07-28: each request speaks for itself, and a question is an answer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cases.h"
#include "files.h"

#include <unistd.h>

static void discover(struct project *p) {
    struct mcp *m = serve_modern(p, false);
    json_t *answer = mcp_ask(m, "server/discover", NULL);
    EXPECT_TEXT(p, "complete", text_at(answer, "result.resultType"));
    EXPECT_TEXT(p, "2026-07-28", text_at(answer, "result.supportedVersions.0"));
    EXPECT(p, number_at(answer, "result.ttlMs") > 0);
    EXPECT_TEXT(p, "private", text_at(answer, "result.cacheScope"));
    EXPECT(p, json_object_get(at_path(answer, "result._meta"),
                              "io.modelcontextprotocol/serverInfo") != NULL);
    json_decref(answer);
    END(p, m);
}

static void lists_say_how_long(struct project *p) {
    static const char *const methods[] = {"tools/list", "resources/list",
                                          "resources/templates/list"};
    struct mcp *m = serve_modern(p, false);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        json_t *answer = mcp_ask(m, methods[i], NULL);
        EXPECT_TEXT(p, "complete", text_at(answer, "result.resultType"));
        EXPECT(p, json_is_integer(at_path(answer, "result.ttlMs")));
        EXPECT_TEXT(p, "private", text_at(answer, "result.cacheScope"));
        json_decref(answer);
    }
    json_t *paged = mcp_ask(m, "tools/list", json_pack("{s:s}", "cursor", "7"));
    EXPECT(p, number_at(paged, "error.code") == -32602);
    json_decref(paged);
    END(p, m);
}

/* The code of the answer to METHOD with META, JSON text. */
static long long code_with_meta(struct mcp *m, const char *method, const char *meta) {
    json_t *answer = mcp_ask(m, method, json_pack("{s:o}", "_meta", json_loads(meta, 0, NULL)));
    long long code = number_at(answer, "error.code");
    json_decref(answer);
    return code;
}

static void each_request_says_all(struct project *p) {
    struct mcp *m = serve(p, NULL);
    EXPECT(p, code_with_meta(m, "tools/list",
                             "{\"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\"}") ==
                  -32602);
    EXPECT(p, code_with_meta(m, "tools/list",
                             "{\"io.modelcontextprotocol/protocolVersion\": 5, "
                             "\"io.modelcontextprotocol/clientCapabilities\": {}}") == -32602);
    EXPECT(p, code_with_meta(m, "server/discover", "{}") == -32602);
    m->era = MCP_MODERN;
    json_t *ping = mcp_ask(m, "ping", NULL), *hello = mcp_ask(m, "initialize", NULL);
    EXPECT(p, number_at(ping, "error.code") == -32601);
    EXPECT(p, number_at(hello, "error.code") == -32601);
    json_decref(ping);
    json_decref(hello);
    END(p, m);
}

static void unknown_version(struct project *p) {
    struct mcp *m = serve(p, NULL);
    json_t *answer =
        mcp_ask(m, "tools/list",
                json_pack("{s:{s:s, s:{}}}", "_meta", "io.modelcontextprotocol/protocolVersion",
                          "1900-01-01", "io.modelcontextprotocol/clientCapabilities"));
    EXPECT(p, number_at(answer, "error.code") == -32022);
    EXPECT_TEXT(p, "2026-07-28", text_at(answer, "error.data.supported.0"));
    EXPECT_TEXT(p, "1900-01-01", text_at(answer, "error.data.requested"));
    json_decref(answer);
    END(p, m);
}

/* Both eras in one process. */
static void beside_a_handshake(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    json_t *old = mcp_ask(m, "tools/list", NULL);
    m->era = MCP_MODERN;
    json_t *new = mcp_ask(m, "tools/list", NULL);
    EXPECT(p, !at_path(old, "result.resultType"));
    EXPECT_TEXT(p, "complete", text_at(new, "result.resultType"));
    EXPECT(p, json_equal(at_path(old, "result.tools"), at_path(new, "result.tools")));
    json_decref(old);
    json_decref(new);
    END(p, m);
}

/* -- asking ------------------------------------------------------------------------------------ */

static json_t *call_with(struct mcp *m, const char *path, const char *state, const char *answers) {
    json_t *params = json_pack("{s:s, s:{s:s}}", "name", "delete_file", "arguments", "path", path);
    if (state)
        json_object_set_new(params, "requestState", json_string(state));
    if (answers)
        json_object_set_new(params, "inputResponses", json_loads(answers, 0, NULL));
    return mcp_ask(m, "tools/call", params);
}

#define YES "{\"approval\": {\"action\": \"accept\", \"content\": {\"approve\": true}}}"
#define NO                                                                                         \
    "{\"approval\": {\"action\": \"accept\", \"content\": {\"approve\": false, \"reason\": "       \
    "\"no\"}}}"

/* The answer that asks for an approval of deleting a.txt. */
static json_t *required(struct project *p, struct mcp *m) {
    json_t *answer = call_with(m, "a.txt", NULL, NULL);
    EXPECT_TEXT(p, "input_required", text_at(answer, "result.resultType"));
    EXPECT_TEXT(p, "elicitation/create", text_at(answer, "result.inputRequests.approval.method"));
    EXPECT_PART(p, "-two", text_at(answer, "result.inputRequests.approval.params.message"));
    EXPECT(p, text_at(answer, "result.requestState") != NULL);
    EXPECT(p, !at_path(answer, "result.content") && !at_path(answer, "result.ttlMs"));
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
    return answer;
}

static void asked_and_approved_of(struct project *p) {
    struct mcp *m = serve_modern(p, true);
    json_t *question = required(p, m);
    json_t *answer = call_with(m, "a.txt", text_at(question, "result.requestState"), YES);
    EXPECT_TEXT(p, "complete", text_at(answer, "result.resultType"));
    EXPECT(p, !is_error(answer));
    EXPECT(p, access(project_file(p, "a.txt"), F_OK) != 0);
    json_decref(answer);
    /* Said once more, it is of what is not there. */
    answer = call_with(m, "a.txt", text_at(question, "result.requestState"), YES);
    EXPECT(p, is_error(answer));
    json_decref(answer);
    json_decref(question);
    END(p, m);
}

/* The server that asked need not be the one that is told. */
static void approved_of_at_another_server(struct project *p) {
    struct mcp *m = serve_modern(p, true);
    json_t *question = required(p, m);
    END(p, m);
    m = serve_modern(p, true);
    json_t *answer = call_with(m, "a.txt", text_at(question, "result.requestState"), YES);
    EXPECT(p, !is_error(answer));
    EXPECT(p, access(project_file(p, "a.txt"), F_OK) != 0);
    json_decref(answer);
    json_decref(question);
    END(p, m);
}

static void not_approved_of(struct project *p) {
    struct mcp *m = serve_modern(p, true);
    json_t *question = required(p, m);
    const char *state = text_at(question, "result.requestState");
    json_t *denied = call_with(m, "a.txt", state, NO);
    EXPECT_TEXT(p, "Error: The user denied delete_file: no", words_of(denied));
    json_t *cancelled = call_with(m, "a.txt", state, "{\"approval\": {\"action\": \"cancel\"}}");
    EXPECT_PART(p, "nobody has decided", words_of(cancelled));
    json_t *nothing = call_with(m, "a.txt", state, "{}");
    EXPECT_TEXT(p, "input_required", text_at(nothing, "result.resultType"));
    EXPECT_TEXT(p, state, text_at(nothing, "result.requestState"));
    json_t *bare = call_with(m, "a.txt", NULL, YES);
    EXPECT_TEXT(p, "input_required", text_at(bare, "result.resultType"));
    json_t *const all[] = {question, denied, cancelled, nothing, bare};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_decref(all[i]);
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
    END(p, m);
}

/* An approval is of those bytes and that call, and of nothing else. */
static void approval_is_of_those_bytes(struct project *p) {
    struct mcp *m = serve_modern(p, true);
    make_file(project_file(p, "b.txt"), "one\ntwo\n");
    json_t *question = required(p, m);
    const char *state = text_at(question, "result.requestState");
    json_t *other = call_with(m, "b.txt", state, YES);
    EXPECT_PART(p, "no longer what would be done", words_of(other));
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "b.txt")));
    json_t *forged = call_with(m, "a.txt", "0123456789abcdef0123456789abcdef", YES);
    EXPECT(p, is_error(forged));
    json_t *garbage = call_with(m, "a.txt", "{}", YES);
    EXPECT(p, number_at(garbage, "error.code") == -32602);
    make_file(project_file(p, "a.txt"), "mine\n");
    json_t *late = call_with(m, "a.txt", state, YES);
    EXPECT(p, is_error(late));
    EXPECT_TEXT(p, "mine\n", text_of(project_file(p, "a.txt")));
    json_t *const all[] = {question, other, forged, garbage, late};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_decref(all[i]);
    END(p, m);
}

/* A client that declares no elicitation is not asked. */
static void declared_nothing(struct project *p) {
    struct mcp *m = serve_modern(p, false);
    json_t *answer = call_with(m, "a.txt", NULL, NULL);
    EXPECT_TEXT(p, "complete", text_at(answer, "result.resultType"));
    EXPECT(p, is_error(answer));
    EXPECT(p, !at_path(answer, "result.inputRequests"));
    json_decref(answer);
    END(p, m);
}

const struct mcp_case modern_cases[] = {
    {"modern/discover", discover},
    {"modern/lists-say-how-long", lists_say_how_long},
    {"modern/each-request-says-all", each_request_says_all},
    {"modern/unknown-version", unknown_version},
    {"modern/beside-a-handshake", beside_a_handshake},
    {"modern/asked-and-approved-of", asked_and_approved_of},
    {"modern/approved-of-at-another-server", approved_of_at_another_server},
    {"modern/not-approved-of", not_approved_of},
    {"modern/approval-is-of-those-bytes", approval_is_of_those_bytes},
    {"modern/declared-nothing", declared_nothing},
    {NULL, NULL}};

/* handshake.c -- the era of initialize: versions, order, and questions that the server asks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cases.h"
#include "files.h"

#include <stdlib.h>
#include <unistd.h>

static void each_version(struct project *p) {
    static const char *const versions[][2] = {
        {"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"}, {"2025-03-26", "2025-03-26"},
        {"2024-11-05", "2024-11-05"}, {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct mcp *m = serve(p, NULL);
        json_t *answer = mcp_initialize(m, versions[i][0], "{}");
        EXPECT_TEXT(p, versions[i][1], text_at(answer, "result.protocolVersion"));
        EXPECT_TEXT(p, "agent-q-fs", text_at(answer, "result.serverInfo.name"));
        EXPECT(p, json_is_object(at_path(answer, "result.capabilities.tools")));
        EXPECT(p, !at_path(answer, "result.resultType"));
        json_decref(answer);
        END(p, m);
    }
}

static void in_order(struct project *p) {
    struct mcp *m = serve(p, NULL);
    json_t *early = mcp_ask(m, "tools/list", NULL), *ping = mcp_ask(m, "ping", NULL);
    EXPECT(p, number_at(early, "error.code") == -32600);
    EXPECT_PART(p, "Send initialize first", text_at(early, "error.message"));
    EXPECT(p, json_is_object(at_path(ping, "result")));
    json_t *bare = mcp_ask(m, "initialize", json_object());
    EXPECT_PART(p, "protocolVersion", text_at(bare, "error.message"));
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    json_t *again = mcp_ask(
        m, "initialize", json_pack("{s:s, s:{}}", "protocolVersion", "2025-11-25", "capabilities"));
    EXPECT(p, number_at(again, "error.code") == -32600);
    json_t *list = mcp_ask(m, "tools/list", NULL), *none = mcp_ask(m, "prompts/list", NULL);
    EXPECT(p, json_array_size(at_path(list, "result.tools")) > 5);
    EXPECT(p, number_at(none, "error.code") == -32601);
    json_t *const all[] = {early, ping, bare, again, list, none};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_decref(all[i]);
    END(p, m);
}

/* -- asking ------------------------------------------------------------------------------------ */

/* Asks for the deletion of a.txt; *CALL is the request.  Returns the question. */
static json_t *ask_to_delete(struct project *p, struct mcp *m, int *call) {
    *call = mcp_request(
        m, "tools/call",
        json_pack("{s:s, s:{s:s}}", "name", "delete_file", "arguments", "path", "a.txt"));
    json_t *question = mcp_receive(m);
    EXPECT_TEXT(p, "elicitation/create", text_at(question, "method"));
    EXPECT(p, access(project_file(p, "a.txt"), F_OK) == 0);
    return question;
}

/* Answers QUESTION with RESULT, JSON text of an object's members, and releases it. */
static void answer_question(struct mcp *m, json_t *question, const char *members) {
    char *text = path_of("{\"jsonrpc\": \"2.0\", %s}", members);
    json_t *answer = json_loads(text, 0, NULL);
    json_object_set(answer, "id", json_object_get(question, "id"));
    mcp_send(m, answer);
    json_decref(question);
    free(text);
}

static void asked_and_approved(struct project *p) {
    int call;
    struct mcp *m = serve_legacy(p, true);
    json_t *question = ask_to_delete(p, m, &call);
    EXPECT_PART(p, "delete a.txt", text_at(question, "params.message"));
    EXPECT_PART(p, "-two", text_at(question, "params.message"));
    EXPECT_TEXT(p, "boolean", text_at(question, "params.requestedSchema.properties.approve.type"));
    answer_question(m, question,
                    "\"result\": {\"action\": \"accept\", \"content\": {\"approve\": true}}");
    json_t *answer = mcp_answer(m, call);
    EXPECT(p, !is_error(answer));
    EXPECT(p, access(project_file(p, "a.txt"), F_OK) != 0);
    EXPECT_TEXT(p, "a.txt", text_at(answer, "result.structuredContent.path"));
    json_decref(answer);
    END(p, m);
}

/* A call that was not approved leaves the file, and the model is told WORDS. */
static void answered_with(struct project *p, const char *members, const char *words) {
    int call;
    struct mcp *m = serve_legacy(p, true);
    answer_question(m, ask_to_delete(p, m, &call), members);
    json_t *answer = mcp_answer(m, call);
    EXPECT(p, is_error(answer));
    EXPECT_TEXT(p, words, words_of(answer));
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
    json_decref(answer);
    END(p, m);
}

static void not_approved(struct project *p) {
    answered_with(p, "\"result\": {\"action\": \"decline\"}", "Error: The user denied delete_file");
    answered_with(p,
                  "\"result\": {\"action\": \"accept\", \"content\": {\"approve\": false, "
                  "\"reason\": \"keep it\"}}",
                  "Error: The user denied delete_file: keep it");
    answered_with(p, "\"result\": {\"action\": \"accept\"}", "Error: The user denied delete_file");
    answered_with(p, "\"result\": {\"action\": \"accept\", \"content\": {\"approve\": \"true\"}}",
                  "Error: The user denied delete_file");
    answered_with(p, "\"result\": {\"action\": \"cancel\"}",
                  "Error: delete_file was not done: nobody has decided");
    answered_with(p, "\"result\": {\"action\": \"perhaps\"}",
                  "Error: delete_file was not done: nobody has decided: the client's answer has no "
                  "action");
    answered_with(p, "\"error\": {\"code\": -1, \"message\": \"no window\"}",
                  "Error: delete_file was not done: nobody has decided: no window");
}

static void changed_while_asked(struct project *p) {
    int call;
    struct mcp *m = serve_legacy(p, true);
    json_t *question = ask_to_delete(p, m, &call);
    make_file(project_file(p, "a.txt"), "mine\n");
    answer_question(m, question,
                    "\"result\": {\"action\": \"accept\", \"content\": {\"approve\": true}}");
    json_t *answer = mcp_answer(m, call);
    EXPECT(p, is_error(answer));
    EXPECT_PART(p, "no longer what would be done", words_of(answer));
    EXPECT_TEXT(p, "mine\n", text_of(project_file(p, "a.txt")));
    json_decref(answer);
    END(p, m);
}

static void cancelled_while_asked(struct project *p) {
    int call;
    struct mcp *m = serve_legacy(p, true);
    json_t *question = ask_to_delete(p, m, &call);
    mcp_send(m, json_pack("{s:s, s:s, s:{s:i}}", "jsonrpc", "2.0", "method",
                          "notifications/cancelled", "params", "requestId", call));
    json_t *withdrawn = mcp_receive(m);
    EXPECT_TEXT(p, "notifications/cancelled", text_at(withdrawn, "method"));
    EXPECT_TEXT(p, text_at(question, "id"), text_at(withdrawn, "params.requestId"));
    /* An answer that comes too late does nothing, and nothing more is said of the request. */
    answer_question(m, question,
                    "\"result\": {\"action\": \"accept\", \"content\": {\"approve\": true}}");
    json_t *ping = mcp_receive((mcp_request(m, "ping", NULL), m));
    EXPECT(p, number_at(ping, "id") == m->next_id);
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
    json_decref(withdrawn);
    json_decref(ping);
    END(p, m);
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
}

/* Elicitation came with 2025-06-18; a client that can only open addresses shows no form. */
static void cannot_be_asked(struct project *p) {
    static const char *const clients[][2] = {{"2025-11-25", "{}"},
                                             {"2025-11-25", "{\"elicitation\": {\"url\": {}}}"},
                                             {"2025-03-26", "{\"elicitation\": {}}"}};
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        struct mcp *m = serve(p, NULL);
        json_decref(mcp_initialize(m, clients[i][0], clients[i][1]));
        json_t *answer = mcp_call(m, "delete_file", json_pack("{s:s}", "path", "a.txt"));
        EXPECT(p, is_error(answer));
        EXPECT_PART(p, "Error: Approval is required (dangerous): delete_file: a.txt",
                    words_of(answer));
        EXPECT_PART(p, "\n-one\n-two\n", words_of(answer));
        EXPECT_TEXT(p, "approval-required", text_at(answer, "result._meta.aqfs/error.error"));
        EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
        json_decref(answer);
        END(p, m);
    }
}

/* A question is there to be read: what has no look is shown by its number. */
static void question_hides_nothing(struct project *p) {
    struct mcp *m = serve_legacy(p, true);
    (void)mcp_request(m, "tools/call",
                      json_pack("{s:s, s:{s:s, s:s}}", "name", "create_file", "arguments", "path",
                                "b.txt", "content", "x\xE2\x80\xAEy\x1b[2Jz\xF3\xA0\x81\x81\n"));
    json_t *question = mcp_receive(m);
    EXPECT_PART(p, "+x<U+202E>y<U+001B>[2Jz<U+E0041>", text_at(question, "params.message"));
    json_decref(question);
    END(p, m);
    EXPECT(p, access(project_file(p, "b.txt"), F_OK) != 0);
}

const struct mcp_case handshake_cases[] = {
    {"legacy/each-version", each_version},
    {"legacy/in-order", in_order},
    {"legacy/asked-and-approved", asked_and_approved},
    {"legacy/not-approved", not_approved},
    {"legacy/changed-while-asked", changed_while_asked},
    {"legacy/cancelled-while-asked", cancelled_while_asked},
    {"legacy/cannot-be-asked", cannot_be_asked},
    {"legacy/question-hides-nothing", question_hides_nothing},
    {NULL, NULL}};

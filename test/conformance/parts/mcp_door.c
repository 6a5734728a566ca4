/* SPDX-License-Identifier: MIT */
/* mcp_door.c -- the conformance table through the program agent-q-fs: see mcp_door.h.
 *
 * Each case has a server of its own, which is given the case's options.  A call is made as the
 * protocol of 2026-07-28 has it; an approval is what the client's person answers.  The answer
 * becomes a reply again, and is judged as all replies are.
 */
#include "mcp_door.h"

#include "build.h"
#include "declared.h"
#include "files.h"
#include "manifest.h"
#include "mcp_client.h"
#include "perform.h"
#include "time_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- which cases ------------------------------------------------------------------------------- */

/* The protocol has calls of models alone: neither previews, nor persons, nor the opening itself. */
static bool can_be_asked(const struct ready *r) {
    const struct datum *origin = plist_get(r->how, 1, ":origin");
    const struct datum *root = plist_get(r->options, 1, ":root");
    const struct datum *backend = plist_get(r->options, 1, ":backend");
    const struct datum *tree = case_clause(r->c, "tree");
    bool secrets =
        strstr(r->c->name, "secret") || (tree && tree->n > 1 && is_word(tree->items[1], "secrets"));
    if (!r->call || plist_get(r->how, 1, ":preview") || (!root && !backend))
        return false;
    return origin ? strcmp(origin->text, "model") == 0 : !secrets;
}

/* -- a server ---------------------------------------------------------------------------------- */

struct words {
    const char *all[64];
    char *owned[64];
    size_t n, owned_n;
};

static void add_option(struct words *w, const char *name, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    char *option = w->owned[w->owned_n++] = path_of("%s=%s", name, text);
    w->all[w->n++] = "--option";
    w->all[w->n++] = option;
    free(text);
}

static struct mcp *start_for(const struct ready *r, const char *state) {
    struct words w = {{"--tools", "all", "--audit", "none", "--state-dir", state}, {NULL}, 6, 0};
    const struct datum *authority = plist_get(r->how, 1, ":authority");
    json_t *options = json_of_plist(r->options, 1), *value;
    const char *name;
    w.all[w.n++] = "--authority";
    /* A call that is to be approved must be asked about. */
    w.all[w.n++] = authority && !plist_get(r->how, 1, ":approved") ? authority->text : "safe";
    w.all[w.n++] = "--option";
    w.all[w.n++] = "home=null";
    json_object_foreach(options, name, value) {
        add_option(&w, name, value);
    }
    struct mcp *m = mcp_start(w.all, -1);
    mcp_be_modern(m, false);
    for (size_t i = 0; i < w.owned_n; i++)
        free(w.owned[i]);
    json_decref(options);
    return m;
}

/* -- a call ------------------------------------------------------------------------------------ */

#define YES "{\"approval\": {\"action\": \"accept\", \"content\": {\"approve\": true}}}"

static json_t *ask_tool(struct mcp *m, const struct datum *call, const char *state) {
    json_t *params =
        json_pack("{s:s, s:o}", "name", call->items[1]->text, "arguments", json_of_plist(call, 2));
    m->asks = state != NULL;
    if (state && *state) {
        json_object_set_new(params, "requestState", json_string(state));
        json_object_set_new(params, "inputResponses", json_loads(YES, 0, NULL));
    }
    return mcp_ask(m, "tools/call", params);
}

/* The state that the server asks its client to bring back; NULL if it asks nothing. */
static char *state_of(struct mcp *m, const struct ready *r) {
    json_t *answer = ask_tool(m, r->shown ? r->shown : r->call, "");
    const json_t *state = json_object_get(json_object_get(answer, "result"), "requestState");
    char *copy = json_is_string(state) ? strdup(json_string_value(state)) : NULL;
    json_decref(answer);
    return copy;
}

static json_t *call_through(struct mcp *m, const struct ready *r) {
    const struct datum *digest = plist_get(r->how, 1, ":digest");
    char *state = digest ? strdup(digest->text) : NULL;
    if (plist_get(r->how, 1, ":approved"))
        state = state_of(m, r);
    if (r->disturb)
        r->disturb(r->table, r->c, r->base, r->disturbed);
    else
        disturb_tree(r->table, r->c, r->base);
    json_t *answer = ask_tool(m, r->call, state);
    free(state);
    return answer;
}

/* ANSWER as a reply of the core: its data, and the words beside them. */
static json_t *reply_of(const json_t *answer) {
    const json_t *result = json_object_get(answer, "result");
    const json_t *error = json_object_get(json_object_get(answer, "error"), "message");
    json_t *data = json_object_get(result, "structuredContent");
    json_t *words = json_object_get(json_array_get(json_object_get(result, "content"), 0), "text");
    if (error)
        return json_pack("{s:s, s:O, s:n, s:n, s:O}", "error",
                         strncmp(json_string_value(error), "Unknown tool", 12) == 0
                             ? "unknown-operation"
                             : "invalid-argument",
                         "message", error, "path", "hint", "text", error);
    if (!data)
        data = json_object_get(json_object_get(result, "_meta"), "aqfs/error");
    json_t *reply = data ? json_copy(data) : json_object();
    json_object_set(reply, "text", words);
    return reply;
}

static void check_answer(struct ready *r, const json_t *answer, struct buf *faults) {
    json_t *reply = reply_of(answer), *request = json_object();
    char *text = json_dumps(reply, 0);
    json_object_set_new(request, "op", json_string(r->call->items[1]->text));
    char *asked = json_dumps(request, 0);
    declared_check(asked, strlen(asked), reply, faults);
    check_reply(r, text, strlen(text), AQFS_JSON, faults);
    if (faults->len > 0)
        report(r, "mcp", faults, text, strlen(text));
    free(asked);
    free(text);
    json_decref(request);
    json_decref(reply);
}

/* -- running ----------------------------------------------------------------------------------- */

static bool run_case(const struct table *t, const struct test_case *c, const char *directory,
                     struct ready *r) {
    char *twin = path_of("%s.twin", directory), *state = path_of("%s.state", directory);
    struct buf faults = {0};
    time_limit_begin("%s (mcp)", c->name);
    build_tree(t, c, directory, directory, false);
    struct manifest before = manifest_of(directory);
    struct mcp *m = start_for(r, state);
    json_t *answer = call_through(m, r);
    if (mcp_end(m) != 0)
        buf_str(&faults, "  the server's status is not 0\n");
    check_answer(r, answer, &faults);
    size_t shown = faults.len;
    check_tree(t, c, directory, &before, twin, &faults);
    if (faults.len > shown)
        report(r, "mcp", &faults, NULL, 0);
    bool good = faults.len == 0;
    json_decref(answer);
    manifest_free(&before);
    buf_free(&faults);
    remove_all(directory);
    remove_all(twin);
    remove_all(state);
    free(twin);
    free(state);
    return good;
}

int mcp_run_all(const struct table *t) {
    struct score score = {0};
    char *own = make_temporary_in(temporary_place(), "conformance");
    (void)mcp_program(); /* before the directory changes */
    for (size_t i = 0; i < t->n; i++) {
        const struct test_case *c = &t->cases[i];
        char *directory = path_of("%s/%s", own, c->name);
        if (is_wanted(c) && !is_form(c->form, "glob")) {
            struct ready r = ready_case(t, c, directory, "auto");
            if (!runs_here(c, "mcp") || !can_be_asked(&r))
                score.skipped++;
            else if (run_case(t, c, directory, &r))
                score.passed++;
            else
                score.failed++;
            arena_free(&r.arena);
        }
        free(directory);
    }
    time_limit_end();
    remove_all(own);
    free(own);
    printf("conformance-mcp: %d passed, %d failed, %d skipped\n", score.passed, score.failed,
           score.skipped);
    return score.failed > 0;
}

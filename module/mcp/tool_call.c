/* tool_call.c -- tools/call: the core's call, the question before it, and the answer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ask.h"
#include "dispatch.h"
#include "hash.h"
#include "path.h"
#include "serving.h"

#include <stdlib.h>
#include <string.h>

/* A reply of the core, and what is known of it. */
struct tool_outcome {
    aqfs_reply *reply;
    json_t *data; /* of an error or a change, else NULL */
    struct buf words;
};

static void outcome_free(struct tool_outcome *o) {
    aqfs_reply_free(o->reply);
    json_decref(o->data);
    buf_free(&o->words);
}

static const json_t *arguments_of(const struct flight *f) {
    return json_object_get(f->message.params, "arguments");
}

/* -- the core's call --------------------------------------------------------------------------- */

struct listener {
    struct server *s;
    struct flight *f;
};

static int tell_progress(void *data, const char *datum, size_t n) {
    struct listener *to = data;
    static const char begin[] = "{\"progress\": ";
    if (n > sizeof begin && memcmp(datum, begin, sizeof begin - 1) == 0)
        answer_progress(to->s, to->f, strtoll(datum + sizeof begin - 1, NULL, 10));
    return 0;
}

static json_t *request_for(const struct flight *f, enum tier authority, const char *digest) {
    /* The casts drop const to count references. */
    json_t *given = (json_t *)arguments_of(f);
    json_t *request = json_pack("{s:s, s:O, s:s, s:s, s:s}", "op", f->op->name, "args",
                                given ? given : json_object(), "authority", tier_name(authority),
                                "origin", "model", "call", f->audited.id);
    if (!given)
        json_decref(json_object_get(request, "args")); /* the request's own */
    if (digest)
        json_object_set_new(request, "digest", json_string(digest));
    if (f->by.client[0])
        json_object_set_new(request, "caller", json_string(f->by.client));
    return request;
}

/* The words of an error are in its data. */
static void read_outcome(const struct flight *f, struct tool_outcome *o) {
    size_t n = 0;
    const char *text = aqfs_reply_text(o->reply, &n);
    if (o->reply->code || f->op->plan)
        o->data = json_loadb(text, n, JSON_ALLOW_NUL, NULL);
    const json_t *inside = json_object_get(o->data, "text");
    if (json_is_string(inside))
        buf_add(&o->words, json_string_value(inside), json_string_length(inside));
    else if (o->reply->words.len > 0)
        buf_add(&o->words, o->reply->words.data, o->reply->words.len);
}

static void run_call(struct server *s, struct flight *f, json_t *request, struct tool_outcome *o) {
    struct listener listener = {.s = s, .f = f};
    aqfs_context context = {.format = AQFS_JSON,
                            .cancelled = &f->cancelled,
                            .emit = answer_progress_token(f) ? tell_progress : NULL,
                            .data = &listener};
    *o = (struct tool_outcome){0};
    o->reply = call_run(s->ws, request, &context, NULL, TEXT_APART_RESULTS_INSIDE);
    json_decref(request);
    if (o->reply)
        read_outcome(f, o);
}

/* O becomes the error E. */
static void set_error(const struct flight *f, const struct error *e, struct tool_outcome *o) {
    outcome_free(o);
    *o = (struct tool_outcome){.reply = reply_from_error(AQFS_JSON, e, NULL, 0)};
    if (o->reply)
        read_outcome(f, o);
}

/* -- answers ----------------------------------------------------------------------------------- */

/* The part of the error DATA that a program may know: not the diff of a secret, which a model may
 * read. */
static char *data_for_programs(const json_t *data) {
    json_t *copy = json_copy((json_t *)data); /* a new object with the same members */
    const json_t *targets = json_object_get(data, "targets"), *target;
    size_t at;
    json_object_del(copy, "text");
    json_array_foreach(targets, at, target) {
        if (json_object_get(target, "secret"))
            json_object_set_new(copy, "diff", json_string(""));
    }
    char *text = json_dumps(copy, JSON_COMPACT);
    json_decref(copy);
    return text;
}

static void send_outcome(struct server *s, const struct flight *f, const struct tool_outcome *o) {
    struct reply r;
    size_t n = 0;
    const char *text = aqfs_reply_text(o->reply, &n);
    bool failed = o->reply->code != AQFS_OK;
    char *data = failed ? data_for_programs(o->data) : NULL;
    answer_begin(&r, f->message.id, &f->by, "complete", data);
    answer_words(&r, o->words.data ? o->words.data : "", o->words.len, failed);
    if (!failed && !s->settings->text_only) {
        reply_key(&r, "structuredContent");
        reply_raw(&r, text, n);
    }
    answer_end(&r);
    server_send(s, &r);
    free(data);
}

/* Ends the call F with O, which is freed. */
static void finish_flight(struct server *s, struct flight *f, struct tool_outcome *o) {
    static const char truncated[] = "\"truncated\": true"; /* no string has such quotes */
    struct fault fault;
    size_t n = 0;
    if (!o->reply || o->words.failed) {
        fault_set(&fault, RPC_INTERNAL_ERROR, "There is no memory for an answer");
        server_refuse(s, f, &fault, NULL);
        outcome_free(o);
        return;
    }
    const char *text = aqfs_reply_text(o->reply, &n);
    audit_end(&s->audit, &f->audited, arguments_of(f), o->data,
              memmem(text, n, truncated, sizeof truncated - 1) != NULL,
              o->words.data ? o->words.data : "", o->words.len);
    if (!flight_is_cancelled(f))
        send_outcome(s, f, o);
    outcome_free(o);
}

static void finish_with_error(struct server *s, struct flight *f, const struct error *e) {
    struct tool_outcome o = {0};
    set_error(f, e, &o);
    finish_flight(s, f, &o);
}

/* -- what the authority does not allow --------------------------------------------------------- */

struct question {
    const char *tool;
    const json_t *refusal;
};

static void write_elicitation(struct reply *r, const char *id, const void *data) {
    const struct question *q = data;
    rpc_begin_method(r, "elicitation/create", id);
    ask_write_params(r, q->tool, q->refusal);
    rpc_end_method(r);
}

/* The answer that asks the client to ask, and to call again with what its person says. */
static void require_input(struct server *s, const struct flight *f, const json_t *refusal) {
    struct reply r;
    answer_begin(&r, f->message.id, &f->by, "input_required", NULL);
    reply_key(&r, "inputRequests");
    reply_map(&r);
    reply_key(&r, ASK_NAME);
    reply_map(&r);
    reply_kv_cstring(&r, "method", "elicitation/create");
    reply_key(&r, "params");
    reply_map(&r);
    ask_write_params(&r, f->op->name, refusal);
    reply_end_map(&r);
    reply_end_map(&r);
    reply_end_map(&r);
    reply_kv_cstring(&r, "requestState", f->digest);
    answer_end(&r);
    if (!flight_is_cancelled(f))
        server_send(s, &r);
}

/* The refusal O with its preview, in the core's words: those leave out what a model may not see. */
static void add_preview(struct server *s, struct flight *f, struct tool_outcome *o) {
    struct tool_outcome plan;
    json_t *request = request_for(f, s->settings->authority, f->digest);
    json_object_set_new(request, "verb", json_string("plan"));
    json_object_set_new(request, "words", json_true());
    run_call(s, f, request, &plan);
    /* The first line says again what the refusal says. */
    const char *diff = plan.words.data ? memchr(plan.words.data, '\n', plan.words.len) : NULL;
    buf_str(&o->words,
            "\nNothing was done, and the user cannot be asked here: say what you want to "
            "do and why.  The user can do it, or start the server with a higher "
            "--authority.\n");
    if (diff && plan.reply && plan.reply->code == AQFS_OK)
        buf_str(&o->words, diff + 1);
    outcome_free(&plan);
}

/* O is the core's refusal of F for want of authority.  False if F has been left to a question. */
static bool handle_refusal(struct server *s, struct flight *f, struct tool_outcome *o) {
    const struct question q = {f->op->name, o->data};
    const char *digest = json_string_value(json_object_get(o->data, "digest"));
    const char *tier = json_string_value(json_object_get(o->data, "tier"));
    (void)snprintf(f->digest, sizeof f->digest, "%s", digest ? digest : "");
    f->audited.decision = "denied"; /* until it is decided */
    f->audited.tier = tier && strcmp(tier, "cautious") == 0 ? TIER_CAUTIOUS : TIER_DANGEROUS;
    if (digest && f->by.can_ask && f->by.era == ERA_MODERN) {
        audit_end(&s->audit, &f->audited, arguments_of(f), o->data, false, "", 0);
        require_input(s, f, o->data);
        outcome_free(o);
        return true;
    }
    if (digest && f->by.can_ask && flight_ask(s, f, write_elicitation, &q)) {
        outcome_free(o);
        return false;
    }
    add_preview(s, f, o);
    finish_flight(s, f, o);
    return true;
}

/* Makes the call as far as the authority goes. */
static bool call_allowed(struct server *s, struct flight *f) {
    struct tool_outcome o;
    run_call(s, f, request_for(f, s->settings->authority, NULL), &o);
    if (o.reply && o.reply->code == AQFS_APPROVAL_REQUIRED && o.data)
        return handle_refusal(s, f, &o);
    finish_flight(s, f, &o);
    return true;
}

/* -- what a person has decided ----------------------------------------------------------------- */

static void call_decided(struct server *s, struct flight *f, enum answer answer,
                         const char *reason) {
    struct error e;
    struct tool_outcome o = {0};
    f->audited.decision = answer == ANSWER_APPROVED ? "approved" : "denied";
    if (answer == ANSWER_APPROVED && audit_decided(&s->audit, &f->audited, &e) == AQFS_OK) {
        run_call(s, f, request_for(f, TIER_DANGEROUS, f->digest), &o);
        finish_flight(s, f, &o);
        return;
    }
    const char *colon = reason[0] ? ": " : "";
    if (answer == ANSWER_DENIED)
        (void)fail(&e, AQFS_DENIED, "The user denied %s%s%s", f->op->name, colon, reason);
    else if (answer != ANSWER_APPROVED)
        (void)fail(&e, AQFS_CANCELLED, "%s was not done: nobody has decided%s%s", f->op->name,
                   colon, reason);
    finish_with_error(s, f, &e);
}

/* The client has answered the question of F, or says why it cannot. */
static void take_answer(struct server *s, struct flight *f) {
    char reason[512];
    const json_t *result = json_object_get(f->answer.all, "result");
    enum answer answer = ask_read(result, reason);
    const char *problem =
        json_string_value(json_object_get(json_object_get(f->answer.all, "error"), "message"));
    if (answer == ANSWER_NONE)
        (void)snprintf(reason, sizeof reason, "%.400s",
                       problem ? problem : "the client's answer has no action");
    call_decided(s, f, answer, reason);
}

/* A digest: all that a requestState of ours is. */
static bool is_state(const json_t *state) {
    const char *text = json_string_value(state);
    return text && strlen(text) == HASH_HEX - 1 && json_string_length(state) == HASH_HEX - 1 &&
           strspn(text, "0123456789abcdef") == HASH_HEX - 1;
}

/* The client calls again, with what its person says.  Without that, it is asked once more. */
static void call_again(struct server *s, struct flight *f, const json_t *state) {
    char reason[512];
    struct fault fault;
    const json_t *answers = json_object_get(f->message.params, "inputResponses");
    enum answer answer = ask_read(json_object_get(answers, ASK_NAME), reason);
    if (!is_state(state)) {
        fault_set(&fault, RPC_INVALID_PARAMS, "requestState: this is none of this server's");
        server_refuse(s, f, &fault, NULL);
        return;
    }
    (void)snprintf(f->digest, sizeof f->digest, "%s", json_string_value(state));
    if (answer == ANSWER_NONE)
        (void)call_allowed(s, f);
    else
        call_decided(s, f, answer, reason);
}

/* -- the request ------------------------------------------------------------------------------- */

static void refuse_tool(struct server *s, const struct flight *f, const json_t *name) {
    struct buf tools = {0};
    char label[PATH_LABEL];
    struct fault fault;
    toolbox_names(&s->box, &tools);
    fault_set(&fault, RPC_INVALID_PARAMS, "Unknown tool: %.200s.  There are %.300s",
              path_label(json_string_value(name), json_string_length(name), label),
              tools.data ? tools.data : "none");
    server_refuse(s, f, &fault, NULL);
    buf_free(&tools);
}

/* Finds the tool of F, or refuses the request. */
static bool find_tool(struct server *s, struct flight *f) {
    const json_t *name = json_object_get(f->message.params, "name");
    const json_t *args = arguments_of(f);
    struct fault fault;
    f->op = json_is_string(name) ? toolbox_find(&s->box, name) : NULL;
    if (f->op && (!args || json_is_object(args)))
        return true;
    if (json_is_string(name) && !f->op) {
        refuse_tool(s, f, name);
        return false;
    }
    fault_set(&fault, RPC_INVALID_PARAMS, "tools/call: expected %s",
              f->op ? "arguments, an object" : "name, a string");
    server_refuse(s, f, &fault, NULL);
    return false;
}

bool tool_call(struct server *s, struct flight *f) {
    struct error e;
    const json_t *state = json_object_get(f->message.params, "requestState");
    if (f->answer.all) {
        take_answer(s, f);
        return true;
    }
    if (!find_tool(s, f))
        return true;
    if (audit_start(&s->audit, &f->audited, f->op->name, f->op->tier,
                    f->by.client[0] ? f->by.client : NULL, &e) != AQFS_OK) {
        finish_with_error(s, f, &e);
        return true;
    }
    if (state && f->by.era == ERA_MODERN) {
        call_again(s, f, state);
        return true;
    }
    return call_allowed(s, f);
}

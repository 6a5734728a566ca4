/* call.c -- reading a request, and what a running operation asks of its call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"

#include "cleanup.h"
#include "clock.h"
#include "plan.h"
#include "utf8.h"

#include <string.h>

/* *AT becomes the index in WORDS of the member KEY; without such a member it stays. */
static int read_word(struct call *c, const char *key, const char *const words[3],
                     const char *expected, unsigned *at) {
    const json_t *member = json_object_get(c->request, key);
    const char *given = json_string_value(member);
    if (!member || json_is_null(member))
        return AQFS_OK;
    for (unsigned i = 0; given && i < 3; i++) {
        if (strcmp(given, words[i]) != 0)
            continue;
        *at = i;
        return AQFS_OK;
    }
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "%s: expected one of %s", key, expected);
}

/* A member that nobody reads is refused: its caller may have meant it to hold the call back. */
static int check_members(struct call *c) {
    static const char *const members[] = {"op",    "args",   "verb",   "digest", "authority",
                                          "words", "origin", "caller", "call"};
    const char *key;
    const json_t *member;
    /* The cast drops const for the iteration alone. */
    json_object_foreach((json_t *)c->request, key, member) {
        size_t i = 0;
        while (i < sizeof members / sizeof *members && strcmp(key, members[i]) != 0)
            i++;
        if (i == sizeof members / sizeof *members) {
            char label[PATH_LABEL];
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "A request has no member %s",
                        path_label(key, strlen(key), label));
        }
    }
    return AQFS_OK;
}

/* The most bytes by which a caller names itself or its call. */
#define CALLER_BYTES 200

/* The member KEY, by which a caller names itself or its call.  It is only kept. */
static int read_naming(struct call *c, const char *key, struct text_ref *out) {
    const json_t *member = json_object_get(c->request, key);
    if (!member || json_is_null(member))
        return AQFS_OK;
    if (!json_is_string(member) || json_string_length(member) > CALLER_BYTES)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "%s: expected a string of %d bytes at most", key, CALLER_BYTES);
    *out = (struct text_ref){json_string_value(member), json_string_length(member)};
    return AQFS_OK;
}

int call_read_request(struct call *c) {
    static const char *const verbs[] = {
        [VERB_CALL] = "call", [VERB_PLAN] = "plan", [VERB_COMMIT] = "commit"};
    const char *const tiers[] = {tier_name(TIER_SAFE), tier_name(TIER_CAUTIOUS),
                                 tier_name(TIER_DANGEROUS)};
    const json_t *digest = json_object_get(c->request, "digest");
    const json_t *words = json_object_get(c->request, "words");
    int code = check_members(c);
    if (code)
        return code;
    if (digest && !json_is_null(digest) && !json_is_string(digest))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "digest: expected a string");
    c->digest = (struct text_ref){json_string_value(digest), json_string_length(digest)};
    /* A digest alone commits. */
    unsigned verb = c->digest.data ? VERB_COMMIT : VERB_CALL, authority = TIER_SAFE;
    unsigned origin = ORIGIN_PERSON;
    code = read_word(c, "verb", verbs, "call, plan, commit", &verb);
    if (!code && verb == VERB_COMMIT && !c->digest.data)
        code = fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "digest: expected that of the plan to commit");
    code = code ? code : read_word(c, "authority", tiers, "safe, cautious, dangerous", &authority);
    code = code ? code : read_word(c, "origin", origin_names, "person, model, undo", &origin);
    if (!code && words && !json_is_null(words) && !json_is_boolean(words))
        code = fail(&c->work.error, AQFS_INVALID_ARGUMENT, "words: expected true or false");
    code = code ? code : read_naming(c, "caller", &c->work.caller);
    code = code ? code : read_naming(c, "call", &c->work.call);
    c->words = json_is_true(words);
    c->verb = (enum verb)verb;
    c->authority = (enum tier)authority;
    c->work.origin = (enum origin)origin;
    return code;
}

const struct value *call_arg(const struct call *c, const char *name) {
    /* The linker keeps one copy of equal names, so comparing them is seldom needed. */
    for (size_t i = 0; i < c->op->param_count; i++)
        if (c->op->params[i].name == name)
            return &c->values[i];
    for (size_t i = 0; i < c->op->param_count; i++)
        if (strcmp(c->op->params[i].name, name) == 0)
            return &c->values[i];
    return NULL;
}

int64_t call_int(const struct call *c, const char *name) {
    return call_arg(c, name)->integer;
}

bool call_bool(const struct call *c, const char *name) {
    return call_arg(c, name)->boolean;
}

struct text_ref call_text(const struct call *c, const char *name) {
    return call_arg(c, name)->text;
}

bool call_choice_is(const struct call *c, const char *name, const char *word) {
    struct text_ref t = call_text(c, name);
    return t.len == strlen(word) && memcmp(t.data, word, t.len) == 0;
}

static void move_bytes(struct buf *from, struct buf *to) {
    if (!from)
        return;
    if (to->len == 0) {
        buf_free(to);
        *to = *from;
        *from = (struct buf){0};
        return;
    }
    buf_add(to, from->data, from->len);
    buf_free(from);
}

void call_refuse_with(struct call *c, int code, struct buf *members, struct buf *words) {
    struct refusal *r = &c->refusal;
    if (r->code != code) {
        buf_free(&r->members);
        buf_free(&r->words);
        r->code = code;
    }
    move_bytes(members, &r->members);
    move_bytes(words, &r->words);
}

bool call_streams(const struct call *c) {
    return c->context && c->context->emit && !c->results_inside;
}

static void emit(struct call *c, const struct reply *r) {
    if (r->out.failed || c->context->emit(c->context->data, r->out.data, r->out.len) != 0)
        atomic_store(&c->work.budget.stop, true);
}

void call_emit_items(struct call *c, const struct buf *items) {
    if (!call_streams(c) || items->len == 0)
        return;
    struct reply r = {.format = c->reply.format};
    reply_map(&r);
    reply_key(&r, KEY_ITEMS);
    reply_list(&r);
    reply_raw(&r, items->data, items->len);
    reply_end_list(&r);
    reply_end_map(&r);
    emit(c, &r);
    buf_free(&r.out);
}

void call_emit_progress(struct call *c, int64_t done) {
    if (!c->context || !c->context->emit)
        return;
    if (done < c->progress_last) /* another stretch of the work: the number grows */
        c->progress_before += c->progress_last;
    c->progress_last = done;
    int64_t now = clock_now_ns();
    if (now - c->progress_ns < 100 * NS_PER_MS)
        return;
    c->progress_ns = now;
    struct reply r = {.format = c->reply.format};
    reply_map(&r);
    reply_kv_int(&r, KEY_PROGRESS, c->progress_before + done);
    reply_end_map(&r);
    emit(c, &r);
    buf_free(&r.out);
}

/* More versions than this are not worth their bytes to who reads them. */
#define VERSIONS_SAID 8

void say_version(struct call *c, struct change *change, size_t files) {
    const char *version = plan_will_hold(change);
    if (files <= VERSIONS_SAID && version[0])
        buf_printf(&c->text, ", version %s", version);
}

void report_links(struct call *c, const struct change *change) {
    if (change->seen.type != NODE_FILE || change->seen.links < 2)
        return;
    reply_kv_int(&c->reply, KEY_LINKS, change->seen.links);
    buf_str(&c->text, "[the old content stays under ");
    buf_count(&c->text, change->seen.links - 1, "other name (hard link)",
              "other names (hard links)");
    buf_str(&c->text, "]\n");
}

int call_finish(struct call *c) {
    /* The words have a limit of their own, far below that of the data: a model reads them all. */
    size_t most = (size_t)c->work.ws->limits.text_bytes;
    if (c->text.len > most) {
        size_t cut = utf8_cut(c->text.data, c->text.len, most);
        c->text.len = cut;
        buf_str(&c->text, "\n[truncated]");
    }
    if (c->text_apart && c->text.len > 0 && utf8_is_valid(c->text.data, c->text.len)) {
        c->answer->words = c->text;
        c->text = (struct buf){0};
    } else {
        reply_kv_string(&c->reply, KEY_TEXT, c->text.len ? c->text.data : "", c->text.len);
    }
    reply_end_map(&c->reply);
    if (c->reply.out.failed || c->text.failed || c->answer->words.failed)
        return fail_memory(&c->work.error);
    return AQFS_OK;
}

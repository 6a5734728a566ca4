/* planned.c -- running an operation that changes something.
 *
 *     plan     plan, show; touches nothing, and never waits
 *     commit   take the plan that was shown, look again, do it
 *     call     plan; do it, or refuse what is above the caller's authority
 *
 * SPDX-License-Identifier: MIT
 */
#include "planned.h"
#include "call.h"

#include "cleanup.h"
#include "commit.h"
#include "journal.h"
#include "pending_cleanup.h"
#include "plan_store.h"

#include <string.h>

static int read_authority(struct call *c, const json_t *word) {
    const char *given = json_string_value(word);
    if (!word || json_is_null(word)) {
        c->authority = TIER_SAFE;
        return AQFS_OK;
    }
    for (enum tier tier = TIER_SAFE; given && tier <= TIER_DANGEROUS; tier++) {
        if (strcmp(given, tier_name(tier)) == 0) {
            c->authority = tier;
            return AQFS_OK;
        }
    }
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                "authority: expected one of safe, cautious, dangerous");
}

static int read_digest(struct call *c, const json_t *digest) {
    if (digest && !json_is_null(digest) && !json_is_string(digest))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "digest: expected a string");
    c->digest = (struct text_ref){json_string_value(digest), json_string_length(digest)};
    return AQFS_OK;
}

static int read_verb(struct call *c, const json_t *verb) {
    static const char *const names[] = {
        [VERB_CALL] = "call", [VERB_PLAN] = "plan", [VERB_COMMIT] = "commit"};
    const char *given = json_string_value(verb);
    c->verb = c->digest.data ? VERB_COMMIT : VERB_CALL;
    if (!verb || json_is_null(verb))
        return AQFS_OK;
    for (size_t i = 0; given && i < sizeof names / sizeof *names; i++) {
        if (strcmp(given, names[i]) != 0)
            continue;
        c->verb = (enum verb)i;
        if (c->verb == VERB_COMMIT && !c->digest.data)
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "digest: expected that of the plan to commit");
        return AQFS_OK;
    }
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "verb: expected one of call, plan, commit");
}

static int read_preview(struct call *c, const json_t *preview) {
    if (preview && !json_is_null(preview) && !json_is_boolean(preview))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "preview: expected true or false");
    if (json_is_true(preview))
        c->verb = VERB_PLAN;
    return AQFS_OK;
}

int planned_read_request(struct call *c, const json_t *request) {
    int code = read_digest(c, json_object_get(request, "digest"));
    code = code ? code : read_verb(c, json_object_get(request, "verb"));
    code = code ? code : read_preview(c, json_object_get(request, "preview"));
    return code ? code : read_authority(c, json_object_get(request, "authority"));
}

static void show_plan(struct call *c, struct plan *p) {
    plan_describe(&c->work, p, &c->reply);
    reply_kv_bool(&c->reply, "allowed", p->tier <= c->authority);
    buf_add(&c->text, p->summary.data, p->summary.len);
    buf_char(&c->text, '\n');
    if (p->diff.len > 0)
        buf_add(&c->text, p->diff.data, p->diff.len);
}

/* The refusal carries the plan, so that a front end can ask and come back with the digest. */
static int refuse_unapproved(struct call *c, struct plan *p) {
    struct reply r = {.format = c->reply.format};
    plan_describe(&c->work, p, &r);
    c->refused_members = r.out;
    return fail(&c->work.error, AQFS_APPROVAL_REQUIRED, "Approval is required (%s): %s",
                tier_name(p->tier), p->summary.data);
}

static int authorise(struct call *c, struct plan *p) {
    if (p->tier > c->authority)
        return refuse_unapproved(c, p);
    if (!c->digest.data)
        return AQFS_OK;
    const char *digest = plan_digest(p);
    if (c->digest.len == strlen(digest) && memcmp(c->digest.data, digest, c->digest.len) == 0)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_STALE,
                "What was approved is no longer what would be done: nothing was done");
}

/* Errors that tell how the files are: what was approved could be done when it was shown, and they
 * were different then. */
static bool is_about_files(enum code code) {
    return code == AQFS_NOT_FOUND || code == AQFS_EXISTS || code == AQFS_IS_DIRECTORY ||
           code == AQFS_NOT_A_DIRECTORY || code == AQFS_NOT_REGULAR || code == AQFS_NO_MATCH ||
           code == AQFS_MULTIPLE_MATCHES || code == AQFS_BINARY || code == AQFS_ENCODING ||
           code == AQFS_PATCH_APPLY;
}

static int make_plan(struct call *c, struct plan *p) {
    p->begun_ns = clock_of_files();
    p->operation = c->op->name;
    p->least = c->op->tier;
    int code = c->op->plan(c, p);
    code = code ? code : plan_finish(&c->work, p);
    if (!c->digest.data || !is_about_files((enum code)code))
        return code;
    struct error why = c->work.error;
    return fail(&c->work.error, AQFS_STALE,
                "What was approved is no longer what would be done: nothing was done.  %s",
                why.message);
}

static int do_plan(struct call *c, struct plan *p) {
    int code = c->op->prepare ? c->op->prepare(c, p) : AQFS_OK;
    if (code)
        return code;
    /* What is done cannot fail for want of memory to tell it: it is told first. */
    c->op->report(c, p);
    code = call_finish(c);
    return code ? code : plan_commit(&c->work, p);
}

/* What changes no file is quickly planned anew, and has nothing to look at again. */
static void keep_plan(struct call *c, struct plan *p) {
    if (p->n > 0)
        plan_store_keep(c, p);
}

/* Looks and shows: no lock is taken, nothing is made, and no commit is waited for. */
static int run_verb_plan(struct call *c) {
    AUTO(plan_free) struct plan p = {0};
    int code = make_plan(c, &p);
    if (code)
        return code;
    show_plan(c, &p);
    keep_plan(c, &p);
    return call_finish(c);
}

/* Before anything is done, also by a plan of before, earlier commits are brought to an end. */
static void settle(struct aqfs_workspace *ws) {
    journal_settle(ws);
    pending_cleanup_settle(ws);
}

static int run_verb_call(struct call *c) {
    AUTO(plan_free) struct plan p = {0};
    int code = make_plan(c, &p);
    code = code ? code : authorise(c, &p);
    if (code == AQFS_APPROVAL_REQUIRED)
        keep_plan(c, &p);
    return code ? code : do_plan(c, &p);
}

/* A plan that is still kept needs no other plan, but a look at what may have moved. */
static int run_kept_plan(struct call *c, struct kept_plan *kept) {
    struct value *own = c->values;
    c->values = kept->values;
    int code = do_plan(c, &kept->plan);
    c->values = own;
    return code;
}

static int run_verb_commit(struct call *c) {
    struct kept_plan *kept = plan_store_take(c);
    if (kept && kept->plan.tier > c->authority) {
        int refused = refuse_unapproved(c, &kept->plan);
        plan_store_put(c->work.ws, kept);
        return refused;
    }
    bool holds = kept && plan_holds(&c->work, &kept->plan);
    c->work.error = (struct error){0}; /* why it does not hold shows when it is planned anew */
    int code = holds ? run_kept_plan(c, kept) : run_verb_call(c);
    kept_plan_free(kept);
    return code;
}

int planned_run(struct call *c) {
    if (c->work.ws->read_only)
        return fail(&c->work.error, AQFS_READ_ONLY, "This workspace is read-only");
    if (c->verb == VERB_PLAN)
        return run_verb_plan(c);
    settle(c->work.ws);
    return c->verb == VERB_COMMIT ? run_verb_commit(c) : run_verb_call(c);
}

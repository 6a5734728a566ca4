/* planned.c -- running an operation that changes something.
 *
 *     plan     plans and shows the plan; touches nothing, and never waits.  With the digest of a
 *              plan that was shown and still holds, shows that plan again
 *     commit   takes the plan that was shown, checks the files again, and does it
 *     call     plans; does it, or refuses it if it is above the caller's authority
 *
 * SPDX-License-Identifier: MIT
 */
#include "planned.h"
#include "call.h"
#include "clock.h"

#include "cleanup.h"
#include "commit.h"
#include "met_secrets.h"
#include "pending_cleanup.h"
#include "recover.h"
#include "shown_text.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

/* Of a change of more files, later reads are told of the whole texts again. */
#define FOLLOWED_MOST 64

/* -- plans that were shown ----------------------------------------------------------------------
 *
 * A front end keeps the request and the digest of what it shows to a person, for hours if need be;
 * that is enough to plan anew.  Keeping the plan too saves that: its commit checks only what may
 * have changed since.  The workspace's list is a cache, bounded by number and by bytes; the plan
 * used least recently goes first.
 *
 * ws->lock guards the list.  Nothing is freed under it: a plan may hold the bytes of many files. */

#define PLANS_MOST 32
#define BYTES_MOST ((size_t)128 << 20)

/* How many plans are kept that have data of their own: the plan of a restore holds the names and
 * times of the whole tree, which its size does not count, and keeps the snapshots open. */
#define HELD_MOST 4

/* For how long a check of a plan is as good as another one. */
#define HOLDS_NS INT64_C(1000000000)

struct kept_plan {
    struct kept_plan *next; /* the one kept or put back before this one */
    const struct op *op;
    json_t *request; /* the values and the plan point into it */
    struct value *values;
    struct plan plan;
    size_t size;
    int64_t seen_to_hold_ns; /* when it was last checked and found to hold, or 0 */
};

/* Frees KEPT and the plans behind it; NULL is allowed. */
static void free_kept_plans(struct kept_plan *kept) {
    while (kept) {
        struct kept_plan *next = kept->next;
        plan_free(&kept->plan);
        args_free(kept->values, kept->op->param_count);
        free(kept->values);
        json_decref(kept->request);
        free(kept);
        kept = next;
    }
}

/* Puts KEPT at the head of the list, and frees the plans that are then over the bounds. */
static void put_kept_plan(struct aqfs_workspace *ws, struct kept_plan *kept) {
    struct kept_plan *spent = NULL;
    size_t n = 0, held = 0, bytes = 0;
    pthread_mutex_lock(&ws->lock);
    ws->free_plans = free_kept_plans;
    kept->next = ws->plans;
    ws->plans = kept;
    for (struct kept_plan **at = &ws->plans; *at; at = &(*at)->next) {
        bytes += (*at)->size;
        held += (*at)->plan.held != NULL;
        if (++n > PLANS_MOST || held > HELD_MOST || bytes > BYTES_MOST) {
            spent = *at;
            *at = NULL;
            break;
        }
    }
    pthread_mutex_unlock(&ws->lock);
    if (spent)
        free_kept_plans(spent);
}

/* Moves the finished plan P of C, with C's values, to the workspace's list.  A plan that changes no
 * file is not kept: there is nothing to check again, and planning it anew is quick.  Without memory
 * nothing is kept either. */
static void keep_plan(struct call *c, struct plan *p) {
    struct kept_plan *kept = p->n > 0 ? calloc(1, sizeof *kept) : NULL;
    if (!kept)
        return;
    /* The cast drops const to count a reference; the request itself is never written to. */
    *kept = (struct kept_plan){.op = c->op,
                               .request = json_incref((json_t *)c->request),
                               .values = c->values,
                               .plan = *p,
                               .size = sizeof *kept + plan_size(p) +
                                       args_size(c->values, c->op->param_count)};
    c->values = NULL;
    *p = (struct plan){0};
    put_kept_plan(c->work.ws, kept);
}

static bool is_plan_of(const struct kept_plan *kept, const struct call *c) {
    const char *digest = kept->plan.digest;
    return kept->op == c->op && strlen(digest) == c->digest.len &&
           memcmp(digest, c->digest.data, c->digest.len) == 0 &&
           json_equal(json_object_get(kept->request, "args"), json_object_get(c->request, "args"));
}

/* Takes the plan with C's digest off the list, if it was made for the same arguments; else returns
 * NULL. */
static struct kept_plan *take_kept_plan(struct call *c) {
    struct aqfs_workspace *ws = c->work.ws;
    if (!c->digest.data)
        return NULL;
    pthread_mutex_lock(&ws->lock);
    struct kept_plan **at = &ws->plans;
    while (*at && !is_plan_of(*at, c))
        at = &(*at)->next;
    struct kept_plan *found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&ws->lock);
    if (found)
        found->next = NULL;
    return found;
}

/* -- steps that the verbs share ---------------------------------------------------------------- */

static int refuse_unapproved(struct call *c, struct plan *p) {
    struct reply r = {.format = c->reply.format};
    plan_describe(&c->work, p, true, &r);
    if (r.out.failed) { /* no half of a plan is shown */
        buf_free(&r.out);
        return fail_memory(&c->work.error);
    }
    call_refuse_with(c, AQFS_APPROVAL_REQUIRED, &r.out, NULL);
    return fail(&c->work.error, AQFS_APPROVAL_REQUIRED, APPROVAL_REQUIRED_MESSAGE,
                tier_name(p->tier), p->summary.data);
}

static int fail_outdated_plan(struct call *c, const char *why) {
    return fail(&c->work.error, AQFS_STALE, STALE_PLAN_MESSAGE "%s%s", why ? ".  " : "",
                why ? why : "");
}

int authorise(struct call *c, struct plan *p) {
    if (p->tier > c->authority)
        return refuse_unapproved(c, p);
    if (!c->digest.data)
        return AQFS_OK;
    const char *digest = plan_digest(p);
    if (c->digest.len == strlen(digest) && memcmp(c->digest.data, digest, c->digest.len) == 0)
        return AQFS_OK;
    return fail_outdated_plan(c, NULL);
}

/* Errors that follow from the state of the files.  The approved plan could be made when it was
 * shown, so planning it again fails with one of these only if the files have changed since. */
static bool is_about_files(enum code code) {
    return code == AQFS_NOT_FOUND || code == AQFS_EXISTS || code == AQFS_IS_DIRECTORY ||
           code == AQFS_NOT_A_DIRECTORY || code == AQFS_NOT_REGULAR || code == AQFS_NO_MATCH ||
           code == AQFS_MULTIPLE_MATCHES || code == AQFS_BINARY || code == AQFS_ENCODING ||
           code == AQFS_PATCH_APPLY;
}

/* Errors that tell nothing of what is in a file. */
static bool is_of_names(enum code code) {
    static const uint64_t names =
        ERROR_BIT(NOT_FOUND) | ERROR_BIT(EXISTS) | ERROR_BIT(IS_DIRECTORY) |
        ERROR_BIT(NOT_A_DIRECTORY) | ERROR_BIT(NOT_REGULAR) | ERROR_BIT(PERMISSION) |
        ERROR_BIT(RESTRICTED) | ERROR_BIT(OUTSIDE_ROOT) | ERROR_BIT(TOO_LONG) | ERROR_BIT(LOOP) |
        ERROR_BIT(RACED) | ERROR_BIT(LIMIT) | ERROR_BIT(CANCELLED) | ERROR_BIT(IO) |
        ERROR_BIT(SNAPSHOT) | ERROR_BIT(NEWER_FORMAT);
    return names >> code & 1;
}

/* Of a plan P that met secrets, made with CODE: gives it a summary that does not depend on CODE.
 * If CODE would tell what is in them, P becomes the plan of reading them.  Returns the code that is
 * left. */
static int guard_secrets(struct call *c, struct plan *p, int code) {
    struct met_secrets *met = c->work.met;
    if (code && is_of_names((enum code)code))
        return code;
    const struct error why = c->work.error;
    int failed = met_secrets_finish(&c->work, met, p->operation);
    if (failed)
        return failed;
    if (!code)
        return plan_summarise_secrets(&c->work, p, &met->reads);
    plan_free(p);
    *p = met->reads;
    met->reads = (struct plan){0};
    p->why_failed = why;
    return AQFS_OK;
}

static int make_plan(struct call *c, struct plan *p) {
    p->operation = c->op->name;
    p->least = c->op->tier;
    int code = c->op->plan(c, p);
    code = code ? code : plan_finish(&c->work, p);
    if (c->work.met && c->work.met->reads.n > 0)
        return guard_secrets(c, p, code);
    if (!c->digest.data || !is_about_files((enum code)code))
        return code;
    struct error why = c->work.error;
    return fail_outdated_plan(c, why.message);
}

/* A text as read_file shows it: its bytes, without a mark or carriage returns. */
static bool is_shown_as_it_is(const struct buf *bytes) {
    return bytes->data && bytes->len <= SHOWN_TEXT_MOST && bytes->len > 0 &&
           (unsigned char)bytes->data[0] != 0xEF && !memchr(bytes->data, '\r', bytes->len) &&
           utf8_is_valid(bytes->data, bytes->len);
}

/* Somebody who was shown a text and has edited it knows what came of that, too. */
static void keep_shown_edits(struct call *c, struct plan *p) {
    for (size_t i = 0; i < p->n && p->n <= FOLLOWED_MOST; i++) {
        struct change *change = p->changes[i];
        if (change->kind == CHANGE_WRITE && change->edits && !change->fetch && change->held[0] &&
            shown_text_has(c->work.ws, c->work.caller, &change->at, change->held) &&
            is_shown_as_it_is(&change->new_bytes))
            shown_text_keep(c->work.ws, c->work.caller, &change->at, plan_will_hold(change),
                            &change->new_bytes);
    }
}

/* Writes the reply first, then commits: once the files are changed the call can no longer fail for
 * want of memory to report it. */
static int do_plan(struct call *c, struct plan *p) {
    int code = p->n > 0 ? journal_check(c->work.ws, &c->work.error) : AQFS_OK;
    if (!code && c->op->prepare)
        code = c->op->prepare(c, p);
    if (code)
        return code;
    c->op->report(c, p);
    code = call_finish(c);
    code = code ? code : plan_commit(&c->work, p);
    if (!code)
        keep_shown_edits(c, p);
    return code;
}

/* -- the verbs --------------------------------------------------------------------------------- */

/* The words are a model's, and leave out the diff of a secret that it may not know. */
static bool may_tell_diff(const struct call *c, const struct plan *p) {
    bool secret = false;
    for (size_t i = 0; i < p->n; i++)
        secret = secret || (p->changes[i]->risks & RISK_SECRET);
    return !secret || p->tier <= c->authority;
}

static void show_plan(struct call *c, struct plan *p) {
    plan_describe(&c->work, p, !c->words, &c->reply); /* the words have the diff */
    reply_kv_bool(&c->reply, KEY_ALLOWED, p->tier <= c->authority);
    buf_add(&c->text, p->summary.data, p->summary.len);
    buf_str(&c->text, "\n");
    if (p->diff.len > 0 && may_tell_diff(c, p))
        buf_add(&c->text, p->diff.data, p->diff.len);
}

/* The error of a plan that failed, for one who may know it. */
static int take_error(struct call *c, const struct plan *p) {
    if (p->why_failed.code)
        c->work.error = p->why_failed;
    return (int)p->why_failed.code;
}

/* Takes no lock on the files, makes nothing, and waits for no commit.  With a digest, the plan that
 * is still kept and still holds is shown again: a front end asks so before it prepares a commit. */
static int run_verb_plan(struct call *c) {
    struct kept_plan *kept = take_kept_plan(c);
    if (kept && plan_holds(&c->work, &kept->plan)) {
        kept->seen_to_hold_ns = clock_now_ns();
        show_plan(c, &kept->plan);
        put_kept_plan(c->work.ws, kept);
        return call_finish(c);
    }
    free_kept_plans(kept);
    c->work.error = (struct error){0};
    AUTO(plan_free) struct plan p = {0};
    int code = make_plan(c, &p);
    if (!code && p.why_failed.code && p.tier <= c->authority) {
        code = authorise(c, &p);
        return code ? code : take_error(c, &p);
    }
    if (code)
        return code;
    show_plan(c, &p);
    if (!p.why_failed.code)
        keep_plan(c, &p);
    return call_finish(c);
}

static int run_verb_call(struct call *c) {
    AUTO(plan_free) struct plan p = {0};
    int code = make_plan(c, &p);
    code = code ? code : authorise(c, &p);
    if (code == AQFS_APPROVAL_REQUIRED && !p.why_failed.code)
        keep_plan(c, &p);
    code = code ? code : take_error(c, &p);
    return code ? code : do_plan(c, &p);
}

/* Whether the front end has asked this very moment, and the commit itself notices what has changed
 * since.  It notices that in a file that it edits, and not in a tree that it deletes, to which the
 * front end's listeners may have saved a buffer. */
static bool was_just_seen_to_hold(const struct kept_plan *kept) {
    return kept->seen_to_hold_ns && clock_now_ns() - kept->seen_to_hold_ns < HOLDS_NS &&
           plan_only_replaces_what_was_read(&kept->plan);
}

/* Does a plan that is still kept and still holds without planning it again; else plans anew. */
static int run_verb_commit(struct call *c) {
    struct kept_plan *kept = take_kept_plan(c);
    if (kept && kept->plan.tier > c->authority) {
        int refused = refuse_unapproved(c, &kept->plan);
        put_kept_plan(c->work.ws, kept);
        return refused;
    }
    int code;
    bool holds = kept && (was_just_seen_to_hold(kept) || plan_holds(&c->work, &kept->plan));
    /* If the plan does not hold, planning anew finds the reason again. */
    c->work.error = (struct error){0};
    if (holds) {
        struct value *own = c->values;
        c->values = kept->values; /* the report reads the values that the plan was made from */
        code = do_plan(c, &kept->plan);
        c->values = own;
    } else {
        code = run_verb_call(c);
    }
    free_kept_plans(kept);
    return code;
}

static int run_verb(struct call *c) {
    struct aqfs_workspace *ws = c->work.ws;
    if (ws->read_only)
        return fail(&c->work.error, AQFS_READ_ONLY, "This workspace is read-only");
    if (c->verb == VERB_PLAN)
        return run_verb_plan(c);
    /* Before files are looked at to be changed, earlier commits are brought to their end: what they
     * left behind must not be taken for the project's own files. */
    if (atomic_load(&ws->has_pending_cleanup))
        pending_cleanup_settle(ws);
    if (atomic_load(&ws->journal_left))
        journal_settle(ws);
    return c->verb == VERB_COMMIT ? run_verb_commit(c) : run_verb_call(c);
}

int planned_run(struct call *c) {
    if (c->work.origin != ORIGIN_MODEL)
        return run_verb(c);
    struct met_secrets met;
    met_secrets_open(&met);
    c->work.met = &met;
    int code = run_verb(c);
    c->work.met = NULL;
    met_secrets_close(&met);
    return code;
}

/* planned.c -- running an operation that changes something.
 *
 *     plan -> preview                       {"preview": true}: nothing is touched
 *     plan -> refuse                        above the caller's authority
 *     plan -> compare digests -> commit     {"digest": ...}: only what was shown
 *
 * SPDX-License-Identifier: MIT
 */
#include "planned.h"
#include "call.h"

#include "cleanup.h"
#include "commit.h"
#include "journal.h"
#include "pending_cleanup.h"

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

int planned_read_request(struct call *c, const json_t *request) {
    const json_t *digest = json_object_get(request, "digest");
    const json_t *preview = json_object_get(request, "preview");
    if (digest && !json_is_null(digest) && !json_is_string(digest))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "digest: expected a string");
    if (preview && !json_is_null(preview) && !json_is_boolean(preview))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "preview: expected true or false");
    c->digest = (struct text_ref){json_string_value(digest), json_string_length(digest)};
    c->preview = json_is_true(preview);
    return read_authority(c, json_object_get(request, "authority"));
}

static void show_plan(struct call *c, struct plan *p) {
    plan_describe(&c->work, p, &c->reply);
    buf_add(&c->text, p->summary.data, p->summary.len);
    buf_char(&c->text, '\n');
    if (p->diff.len > 0)
        buf_add(&c->text, p->diff.data, p->diff.len);
}

/* The refusal carries the preview, so that a front end can ask and come back with the digest. */
static int refuse_unapproved(struct call *c, struct plan *p) {
    struct reply r = {.format = c->reply.format};
    plan_describe(&c->work, p, &r);
    c->preview_members = r.out;
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

static int run_plan(struct call *c, struct plan *p) {
    int code = make_plan(c, p);
    if (code)
        return code;
    if (c->preview) {
        show_plan(c, p);
        return call_finish(c);
    }
    code = authorise(c, p);
    if (!code && c->op->prepare)
        code = c->op->prepare(c, p);
    if (code)
        return code;
    /* What is done cannot fail for want of memory to tell it: it is told first. */
    c->op->report(c, p);
    code = call_finish(c);
    return code ? code : plan_commit(&c->work, p);
}

int planned_run(struct call *c) {
    AUTO(plan_free) struct plan p = {0};
    if (c->work.ws->read_only)
        return fail(&c->work.error, AQFS_READ_ONLY, "This workspace is read-only");
    journal_settle(c->work.ws);
    pending_cleanup_settle(c->work.ws);
    return run_plan(c, &p);
}

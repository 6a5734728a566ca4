/* risk.c -- what of a change is dangerous, and why: see risk.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "risk.h"

#include "cleanup.h"
#include "ignored.h"
#include "protect.h"
#include "secret.h"

void risks_describe(const struct change *change, struct reply *r) {
#define X(constant, name) name,
    static const char *const names[] = {RISKS(X)};
#undef X
    reply_key(r, KEY_RISKS);
    reply_list(r);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (change->risks & 1U << i)
            reply_kv_keyword(r, NULL, names[i]);
    reply_end_list(r);
}

/* -- one change ---------------------------------------------------------------------------------
 */

#define EXECUTES 0111U
#define READS 0444U
#define PERMISSIONS 07777U

/* The permissions that a write makes of BEFORE. */
static uint32_t permissions_after(const struct change *change, uint32_t before) {
    switch (change->mode) {
    case MODE_EXECUTABLE:
        return before | (before & READS) >> 2;
    case MODE_PLAIN:
        return before & ~EXECUTES;
    case MODE_EXACT:
        return change->bits & PERMISSIONS;
    default:
        return before;
    }
}

/* Where a backend has no permissions, and of a new file, those are meant that a plain one has. */
static uint32_t permissions_before(const struct change *change) {
    const struct info *like = change->from.root ? &change->seen_from : &change->seen;
    return like->type == NODE_FILE && like->mode ? like->mode & PERMISSIONS : READS;
}

static unsigned risks_of_mode(const struct change *change) {
    if (change->mode == MODE_LINK)
        return RISK_LINK;
    bool is_new = change->seen.type == NODE_MISSING || change->from.root;
    uint32_t before = permissions_before(change), after = permissions_after(change, before);
    unsigned risks = after == before || is_new ? 0 : RISK_MODE;
    uint32_t executes = is_new ? EXECUTES : EXECUTES & ~before;
    return (after & executes) ? risks | RISK_EXECUTABLE : risks;
}

static unsigned risks_of_place(const struct change *change) {
    if (change->seen.type == NODE_MISSING)
        return RISK_CREATE;
    bool edits = change->edits && !change->is_new && !change->from.root;
    return edits ? 0 : RISK_REPLACE;
}

static unsigned risks_of_kind(const struct change *change) {
    bool moves = change->kind == CHANGE_WRITE && change->from.root && !change->is_copy;
    switch (change->kind) {
    case CHANGE_DELETE:
        return RISK_DELETE;
    case CHANGE_MOVE:
        return RISK_MOVE | (change->seen.type == NODE_MISSING ? 0 : (unsigned)RISK_REPLACE);
    case CHANGE_MAKE_DIRECTORY:
        return RISK_CREATE;
    case CHANGE_READ:
        return 0;
    default:
        return risks_of_place(change) | risks_of_mode(change) | (moves ? (unsigned)RISK_MOVE : 0);
    }
}

/* By its own name, or by one that the call's path had on the way? */
static bool is_protected(const struct work *work, const struct place *place) {
    return place->passed != PROTECT_NONE ||
           protect_level(work->ws, place->root, place->path) != PROTECT_NONE;
}

static bool touches_protected(const struct work *work, const struct change *change) {
    const struct place *at = &change->at, *from = &change->from;
    return change->protects || change->obeyed_by_git || is_protected(work, at) ||
           (change->kind == CHANGE_MOVE && is_protected(work, from));
}

/* Is what CHANGE takes away a secret, whoever makes the change?  Later, the name that said so may
 * be gone.  A change of a file with one name does not wait for a look at where links lead: the last
 * one tells, such as that before a model's reading. */
static bool takes_secret(struct work *work, const struct change *change) {
    if (!work->ws->secrets || change->seen.type == NODE_MISSING)
        return false;
    return change->kind == CHANGE_DELETE || change->seen.links > 1
               ? secret_of_place(work, &change->at, &change->seen) != NULL
               : secret_twins_lead_to(work->ws, &change->at);
}

/* Why a model's change is one of a secret, which a reply or a new name would show; or NULL. */
static const struct secret_group *secret_of_change(struct work *work, const struct change *change) {
    const struct secret_group *why = NULL;
    if (work->origin != ORIGIN_MODEL || !work->ws->secrets)
        return NULL;
    if (change->seen.type != NODE_MISSING)
        why = secret_of_place(work, &change->at, &change->seen);
    if (!why && change->from.root)
        why = secret_of_place(work, &change->from, &change->seen_from);
    return why ? why : change->below_secret;
}

/* -- the plan -----------------------------------------------------------------------------------
 */

/* Whether somebody might not be asked about CHANGE, if its target is not ignored. */
static bool depends_on_ignored(const struct change *change) {
    return (change->kind == CHANGE_WRITE || change->kind == CHANGE_COPY) &&
           (change->risks & ~(unsigned)RISK_CREATE) == 0;
}

static int judge_ignored(struct work *work, const struct plan *p) {
    AUTO_FREE struct change **asked = calloc(p->n + 1, sizeof(struct change *));
    size_t n = 0;
    if (!asked)
        return fail_memory(&work->error);
    for (size_t i = 0; i < p->n; i++)
        if (depends_on_ignored(p->changes[i]))
            asked[n++] = p->changes[i];
    return n > 0 ? mark_ignored(work, asked, n) : AQFS_OK;
}

int plan_judge(struct work *work, struct plan *p) {
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        change->was_secret = takes_secret(work, change);
        change->secret = secret_of_change(work, change);
        change->risks = risks_of_kind(change) |
                        (touches_protected(work, change) ? (unsigned)RISK_PROTECTED : 0) |
                        (change->secret ? (unsigned)RISK_SECRET : 0);
    }
    int code = judge_ignored(work, p);
    p->tier = p->least;
    for (size_t i = 0; i < p->n; i++)
        if (p->changes[i]->risks)
            p->tier = TIER_DANGEROUS;
    return code;
}

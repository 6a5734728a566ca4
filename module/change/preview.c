/* preview.c -- what a plan amounts to: its digest, and what is shown of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "node.h"
#include "plan.h"
#include "plan_diff.h"
#include "plan_repository.h"
#include "risk.h"
#include "secret.h"

#include <string.h>

/* How many bytes of names a summary has.  The targets behind them are only counted. */
#define SUMMARY_BYTES 200

/* -- digest ----------------------------------------------------------------------------------- */

static void hash_text(struct hash *h, const char *text) {
    hash_add(h, text, strlen(text) + 1);
}

const char *plan_digest(struct plan *p) {
    struct hash h;
    if (p->digest[0])
        return p->digest;
    hash_start(&h);
    hash_text(&h, p->operation);
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        hash_add(&h, &change->kind, sizeof change->kind);
        hash_add(&h, &change->mode, sizeof change->mode);
        hash_add(&h, &change->bits, sizeof change->bits);
        hash_add(&h, &change->risks, sizeof change->risks);
        const struct place *places[] = {&change->at, &change->from};
        for (size_t j = 0; j < 2; j++) {
            hash_text(&h, places[j]->root ? places[j]->root->path : "");
            hash_text(&h, places[j]->path);
        }
        const struct info *infos[] = {&change->seen, &change->seen_from, &change->above};
        for (size_t j = 0; j < 3; j++) {
            const struct info *info = infos[j];
            uint64_t facts[] = {(uint64_t)info->type, info->device, info->inode, info->mode};
            hash_add(&h, facts, sizeof facts);
        }
        hash_text(&h, plan_held(change));
        hash_text(&h, plan_will_hold(change));
    }
    /* A plan that changes no file, such as forgetting snapshots, is told apart by its words. */
    if (p->n == 0)
        hash_add(&h, p->diff.data, p->diff.len);
    hash_end(&h, p->digest);
    return p->digest;
}

/* -- the whole -------------------------------------------------------------------------------- */

static void name_place(const struct work *work, const struct place *place, struct buf *out) {
    AUTO(buf_free) struct buf path = {0};
    place_show(work->ws, place->root, place->path, place->len, &path);
    path_show_safe(out, path.data ? path.data : "", path.len);
    buf_str(out, " ");
    out->failed = out->failed || path.failed;
}

static void summarise(const struct work *work, struct plan *p) {
    size_t targets = 0;
    if (p->summary.len > 0)
        return; /* the operation has written a better one */
    buf_printf(&p->summary, "%s: ", p->operation);
    for (size_t i = 0; i < p->n; i++) {
        const struct change *change = p->changes[i];
        if (!plan_is_target(p, change))
            continue;
        targets++;
        if (p->summary.len >= SUMMARY_BYTES)
            continue;
        if (change->from.root) {
            name_place(work, &change->from, &p->summary);
            buf_str(&p->summary, "to ");
        }
        name_place(work, &change->at, &p->summary);
    }
    buf_printf(&p->summary, "(%zu %s)", targets, targets == 1 ? "target" : "targets");
}

int plan_summarise_secrets(struct work *work, struct plan *p, const struct plan *reads) {
    buf_clear(&p->summary);
    buf_printf(&p->summary, "%s: ", p->operation);
    for (size_t i = 0; i < reads->n && p->summary.len < SUMMARY_BYTES; i++)
        name_place(work, &reads->changes[i]->at, &p->summary);
    buf_printf(&p->summary, "(%zu %s)", reads->n, reads->n == 1 ? "secret" : "secrets");
    return p->summary.failed ? fail_memory(&work->error) : AQFS_OK;
}

int plan_finish(struct work *work, struct plan *p) {
    int refused = plan_check_repositories(work, p);
    if (refused)
        return refused;
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        int code = plan_diff(work, p, change);
        if (code)
            return code;
    }
    summarise(work, p);
    return p->diff.failed || p->summary.failed ? fail_memory(&work->error) : plan_judge(work, p);
}

static bool leads_to(const struct lookup *lookup, const struct place *place) {
    return place->root == lookup->root && strcmp(lookup->path, place->path) == 0;
}

/* Appends the names that LOOKUP's path had on the way, each with a NUL: passed.h.  Out of memory is
 * a failure of OUT: a denial may be of a name that is missing. */
static void add_passed(const struct work *work, const struct lookup *lookup, struct buf *out) {
    AUTO(buf_free) struct buf names = {0};
    struct place ignored;
    struct error e;
    struct text_ref given = {lookup->given, lookup->given_n};
    int code = workspace_locate_named(work->ws, given, lookup->flags, &ignored, &names, &e);
    if (!code)
        buf_add(out, names.data, names.len);
    out->failed = out->failed || names.failed || code == AQFS_LIMIT;
}

static void describe_passed(const struct work *work, const struct plan *p,
                            const struct change *change, struct reply *r) {
    AUTO(buf_free) struct buf names = {0};
    for (size_t i = 0; i < p->lookup_n; i++)
        if (leads_to(&p->lookups[i], &change->at) || leads_to(&p->lookups[i], &change->from))
            add_passed(work, &p->lookups[i], &names);
    r->out.failed = r->out.failed || names.failed;
    if (names.failed || names.len == 0)
        return;
    reply_key(r, KEY_PASSED);
    reply_list(r);
    for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1)
        reply_path(r, names.data + at, strlen(names.data + at));
    reply_end_list(r);
}

static void describe_secret(const struct change *change, struct reply *r) {
    AUTO(buf_free) struct buf why = {0};
    if (!change->secret)
        return;
    buf_printf(&why, "%s: %s", change->secret->title, change->secret->reason);
    r->out.failed = r->out.failed || why.failed;
    reply_kv_cstring(r, KEY_SECRET, why.data);
}

static void describe_target(const struct work *work, const struct plan *p,
                            const struct change *change, struct reply *r) {
    static const char *const actions[] = {
        [CHANGE_WRITE] = "write", [CHANGE_COPY] = "copy",     [CHANGE_MAKE_DIRECTORY] = "make",
        [CHANGE_MOVE] = "move",   [CHANGE_DELETE] = "delete", [CHANGE_READ] = "read",
    };
    AUTO(buf_free) struct buf path = {0}, from = {0};
    place_show(work->ws, change->at.root, change->at.path, change->at.len, &path);
    reply_map(r);
    reply_kv_path(r, KEY_PATH, path.data, path.len);
    if (change->given.data)
        reply_kv_string(r, KEY_GIVEN, change->given.data, change->given.len);
    reply_kv_keyword(r, KEY_ACTION, actions[change->kind]);
    reply_kv_keyword(r, KEY_TYPE, node_type_name(change->seen.type));
    reply_kv_bool(r, KEY_PROTECTED, change->risks & RISK_PROTECTED);
    risks_describe(change, r);
    describe_secret(change, r);
    if (change->from.root) {
        place_show(work->ws, change->from.root, change->from.path, change->from.len, &from);
        reply_kv_path(r, KEY_FROM, from.data, from.len);
    }
    describe_passed(work, p, change, r);
    if (change->seen.links > 1 && change->seen.type == NODE_FILE)
        reply_kv_int(r, KEY_LINKS, change->seen.links);
    reply_end_map(r);
    /* Nobody approves what has lost its name. */
    r->out.failed = r->out.failed || path.failed || from.failed;
}

void plan_describe(const struct work *work, struct plan *p, bool with_diff, struct reply *r) {
    const char *digest = plan_digest(p);
    reply_kv_keyword(r, KEY_TIER, tier_name(p->tier));
    reply_kv_string(r, KEY_SUMMARY, p->summary.data ? p->summary.data : "", p->summary.len);
    reply_key(r, KEY_TARGETS);
    reply_list(r);
    for (size_t i = 0; i < p->n; i++)
        describe_target(work, p, p->changes[i], r);
    reply_end_list(r);
    bool has_diff = with_diff && p->diff.data;
    reply_kv_string(r, KEY_DIFF, has_diff ? p->diff.data : "", has_diff ? p->diff.len : 0);
    reply_kv_string(r, KEY_DIGEST, digest, strlen(digest));
}

/* snapshot_git.c -- the keeper of snapshots for workspaces that are directories of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "clock.h"
#include "snapshot_cache.h"
#include "snapshot_compare.h"
#include "snapshot_prune.h"
#include "snapshot_record.h"
#include "snapshot_scan.h"
#include "snapshot_sweep.h"

#include <stdio.h>
#include <string.h>

/* The data that the items of a comparison point into. */
struct held {
    struct store store;
    struct arena arena;
    struct scan scan;
    bool scanned;
    struct snapshot_report report;
    char from[SNAPSHOT_ID], to[SNAPSHOT_ID]; /* the snapshots; `to` is "" for what is there now */
    json_t *secrets_from, *secrets_to;       /* their secrets: snapshot.h */
};

/* Reads the top directory of the snapshot ID, and its secrets. */
static int read_top(const struct store *s, const char *id, struct arena *arena, struct tree **out,
                    json_t **secrets, struct error *e) {
    struct snapshot record;
    struct oid tree;
    int code = record_find(s, id, &record, &tree, e);
    if (code)
        return code;
    *secrets = steal_pointer(&record.secrets);
    snapshot_free(&record);
    return store_tree(s, &tree, arena, out, e);
}

/* -- taking one ----------------------------------------------------------------------------------
 */

static int describe_snapshot(const struct work *work, const struct store *s, struct text_ref tag,
                             struct snapshot *out) {
    const struct root *root = &work->ws->roots[0];
    *out = (struct snapshot){.created_ms = clock_wall_ns() / NS_PER_MS, .origin = work->origin};
    out->root_path = strdup(root->len > 0 ? root->path : "/");
    out->git_dir = strdup(s->path);
    out->tag = tag.len > 0 ? strndup(tag.data, tag.len) : NULL;
    return out->root_path && out->git_dir && (out->tag || tag.len == 0) && snapshot_new_id(out->id)
               ? AQFS_OK
               : AQFS_LIMIT;
}

/* Writes the commit behind what the scan has added, and ends the pack. */
static int keep_commit(struct work *work, const struct store *s, struct pack *pack,
                       const struct oid *tree, struct snapshot *record) {
    AUTO(buf_free) struct buf commit = {0};
    struct oid oid;
    struct zip *zip = zip_new();
    int code = zip ? record_commit(record, tree, &commit, &work->error) : fail_memory(&work->error);
    code = code ? code : store_name(OBJECT_COMMIT, commit.data, commit.len, &oid, &work->error);
    code = code ? code
                : store_add(s, pack, zip,
                            &(struct object){OBJECT_COMMIT, commit.data, commit.len, oid},
                            &work->error);
    zip_free(zip);
    code = code ? code : pack_finish(pack, &work->error);
    if (!code)
        oid_hex(&oid, record->commit_ref);
    return code;
}

/* Scans, or goes by the scan of a comparison. */
static int scan_or_reuse(struct scan *scan, struct scan *compared) {
    return compared ? scan_keep(compared, scan->store, scan->pack) : scan_run(scan);
}

static int store_snapshot(struct work *work, struct store *s, struct scan *compared,
                          struct snapshot *record, struct snapshot_report *report) {
    struct pack pack;
    int code = pack_start(&pack, s->packs, &work->error);
    if (code)
        return code;
    struct scan own = {.work = work,
                       .store = s,
                       .pack = &pack,
                       .strict = work->ws->keeper->strict,
                       .report = report};
    code = scan_or_reuse(&own, compared);
    struct scan *scan = compared ? compared : &own;
    record->files = scan->report->files;
    code = code ? code : scan_secrets(scan, &record->secrets);
    code = code ? code : keep_commit(work, s, &pack, &scan->oid, record);
    code = code ? code : record_keep(s, record, &work->error);
    if (!code)
        scan_remember(scan, s, record->id);
    if (!compared)
        scan_free(&own);
    pack_end(&pack);
    return code;
}

static int git_take(struct work *work, struct text_ref tag, struct item_changes *compared,
                    struct snapshot *out, struct snapshot_report *report) {
    struct store s;
    struct held *held = compared ? compared->held : NULL;
    if (held)
        held->scan.work = work; /* the call that compared may have ended */
    int code = store_open(work, STORE_WRITE, &s);
    if (!code && describe_snapshot(work, &s, tag, out))
        code = fail_memory(&work->error);
    code = code ? code : store_snapshot(work, &s, held ? &held->scan : NULL, out, report);
    if (code)
        snapshot_free(out);
    store_close(&s);
    return code;
}

/* -- looking -------------------------------------------------------------------------------------
 */

static void keep_own(const struct work *work, struct snapshot_list *list) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (record_is_own(work, &list->all[i]))
            list->all[n++] = list->all[i];
        else
            snapshot_free(&list->all[i]);
    }
    list->n = n;
}

static int git_list(struct work *work, struct snapshot_list *out) {
    struct store s;
    int code = store_open(work, STORE_READ, &s);
    if (!code)
        code = record_list(&s, out, &work->error);
    else if (code == AQFS_NOT_FOUND) /* none was ever made */
        code = AQFS_OK;
    if (!code)
        keep_own(work, out);
    store_close(&s);
    return code;
}

static int git_measure(struct work *work, int64_t *bytes) {
    struct store s;
    size_t packs;
    int code = store_open(work, STORE_READ, &s);
    *bytes = 0;
    if (!code)
        sweep_measure(&s, &packs, bytes);
    store_close(&s);
    return code == AQFS_NOT_FOUND ? AQFS_OK : code;
}

static int fail_if_not_found(struct work *work, int code, const char *id) {
    return code == AQFS_NOT_FOUND ? fail(&work->error, AQFS_SNAPSHOT, "There is no snapshot %s", id)
                                  : code;
}

static int git_find(struct work *work, const char *id, struct snapshot *out) {
    struct store s;
    int code = store_open(work, STORE_READ, &s);
    code = code ? fail_if_not_found(work, code, id) : record_find(&s, id, out, NULL, &work->error);
    store_close(&s);
    return code;
}

/* -- comparing -----------------------------------------------------------------------------------
 */

static void drop_held(void *data) {
    struct held *h = data;
    if (h->scanned)
        scan_free(&h->scan);
    snapshot_report_free(&h->report);
    arena_free(&h->arena);
    store_close(&h->store);
    json_decref(h->secrets_from);
    json_decref(h->secrets_to);
    free(h);
}

static void mark_secrets(const struct held *h, struct item_changes *out) {
    for (size_t i = 0; (h->secrets_from || h->secrets_to) && i < out->n; i++) {
        struct item_change *change = &out->all[i];
        change->before.secret = change->before.kind == ITEM_FILE &&
                                was_secret(h->secrets_from, change->path, change->len);
        change->after.secret =
            change->after.kind == ITEM_FILE && was_secret(h->secrets_to, change->path, change->len);
    }
}

static int compare_stored(struct work *work, struct held *h, const char *from, const char *to,
                          struct item_changes *out) {
    struct tree *a = NULL, *b = NULL;
    int code = read_top(&h->store, from, &h->arena, &a, &h->secrets_from, &work->error);
    if (!code && to)
        code = read_top(&h->store, to, &h->arena, &b, &h->secrets_to, &work->error);
    if (code)
        return code;
    if (!to) {
        h->scan = (struct scan){.work = work,
                                .store = &h->store,
                                .around = a,
                                .strict = work->ws->keeper->strict,
                                .report = &h->report};
        h->scanned = true;
        code = scan_run(&h->scan);
        b = h->scan.top;
    }
    code = code ? code : compare_trees(work, &h->store, &h->arena, a, b, out);
    if (!code)
        mark_secrets(h, out);
    return code;
}

/* Nothing keeps another process from forgetting the snapshots while they are read.  If it has, that
 * is the error: objects that were missing may have made CODE another error, or none. */
static int check_not_forgotten(struct work *work, const struct held *h, int code) {
    struct error forgotten = {0};
    int gone = record_check(&h->store, h->from, &forgotten);
    if (!gone && h->to[0])
        gone = record_check(&h->store, h->to, &forgotten);
    if (!gone || (code && code != AQFS_SNAPSHOT))
        return code;
    work->error = forgotten;
    return gone;
}

static int git_compare(struct work *work, const char *from, const char *to,
                       struct item_changes *out) {
    struct held *h = calloc(1, sizeof *h);
    if (!h)
        return fail_memory(&work->error);
    out->held = h;
    out->drop = drop_held;
    (void)snprintf(h->from, sizeof h->from, "%s", from);
    (void)snprintf(h->to, sizeof h->to, "%s", to ? to : "");
    int code = store_open(work, STORE_READ, &h->store);
    if (code)
        return fail_if_not_found(work, code, from);
    code = compare_stored(work, h, from, to, out);
    return check_not_forgotten(work, h, code);
}

static int git_read(struct work *work, const struct item_changes *changes, const struct item *item,
                    struct buf *out) {
    const struct held *h = changes->held;
    int code = store_read(&h->store, &item->oid, OBJECT_BLOB, out, &work->error);
    return code ? check_not_forgotten(work, h, code) : AQFS_OK;
}

#define GIT_KEEPER                                                                                 \
    .name = "git", .take = git_take, .list = git_list, .measure = git_measure, .find = git_find,   \
    .compare = git_compare, .read = git_read, .prune = git_prune

const struct keeper git_keeper = {GIT_KEEPER};
const struct keeper strict_git_keeper = {GIT_KEEPER, .strict = true};

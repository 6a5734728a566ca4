/* snapshot_prune.c -- forgetting snapshots, and giving back the room that they took.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_prune.h"

#include "cleanup.h"
#include "snapshot_record.h"
#include "snapshot_sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pruning {
    struct work *work;
    const struct retention *keep;
    struct store store;
    struct snapshot_list list;   /* those that stay, the oldest first... */
    struct snapshot_list others; /* and those that are not ours to forget */
    size_t forgotten;
};

/* -- what is forgotten ---------------------------------------------------------------------------
 */

static size_t count_what_may_go(const struct pruning *p, const struct retention *keep) {
    size_t n = 0;
    for (size_t i = 0; i < p->list.n; i++)
        n += snapshot_may_go(keep, &p->list.all[i]);
    return n;
}

static void forget_snapshots(struct pruning *p, const struct retention *keep) {
    size_t n = p->list.n, kept = 0, later = count_what_may_go(p, keep);
    for (size_t i = 0; i < n; i++) {
        struct snapshot *s = &p->list.all[i];
        bool may_go = snapshot_may_go(keep, s);
        later -= may_go;
        if (!may_go || !snapshot_goes(keep, later, s)) {
            p->list.all[kept++] = *s;
            continue;
        }
        record_forget(&p->store, s->id);
        snapshot_free(s);
        p->forgotten++;
    }
    p->list.n = kept;
}

/* Before any of their objects go: a record that a loss of power brings back would be damaged. */
static int sync_forgotten(const struct pruning *p) {
    if (p->forgotten == 0 || fsync(p->store.refs) == 0 || errno == EINVAL)
        return AQFS_OK;
    return fail_errno(&p->work->error, errno, "state directory");
}

/* -- what is still held --------------------------------------------------------------------------
 */

static int mark(struct pruning *p, struct oid_set *live, const struct oid *oid, int depth) {
    struct work *work = p->work;
    AUTO(arena_free) struct arena arena = {0};
    struct tree *tree;
    if (oid_set_has(live, oid))
        return AQFS_OK;
    int code = budget_check(&work->budget);
    if (code)
        return fail_budget(&work->error, code);
    if (depth > work->ws->limits.walk_depth)
        return fail(&work->error, AQFS_SNAPSHOT, "A snapshot is damaged");
    code = store_tree(&p->store, oid, &arena, &tree, &work->error);
    for (size_t i = 0; !code && i < tree->n; i++) {
        const struct item *item = &tree->entries[i].item;
        if (item->kind == ITEM_DIRECTORY)
            code = mark(p, live, &item->oid, depth + 1);
        else if (!oid_set_add(live, &item->oid))
            code = fail_memory(&work->error);
    }
    if (!code && !oid_set_add(live, oid))
        code = fail_memory(&work->error);
    return code;
}

static int mark_list(struct pruning *p, const struct snapshot_list *list, struct oid_set *live) {
    struct error *e = &p->work->error;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < list->n; i++) {
        struct snapshot record;
        struct oid tree, commit;
        code = record_find(&p->store, list->all[i].id, &record, &tree, e);
        if (code)
            return code;
        if (!oid_read_hex(record.commit_ref, &commit) || !oid_set_add(live, &commit))
            code = fail_memory(e);
        snapshot_free(&record);
        code = code ? code : mark(p, live, &tree, 1);
    }
    return code;
}

/* -- the whole -----------------------------------------------------------------------------------
 */

static int sweep_unmarked(struct pruning *p) {
    AUTO(oid_set_free) struct oid_set live = {0};
    /* A snapshot that cannot be read may hold any object. */
    if (p->list.damaged > 0)
        return AQFS_OK;
    int code = sync_forgotten(p);
    code = code ? code : mark_list(p, &p->list, &live);
    code = code ? code : mark_list(p, &p->others, &live);
    return code ? code : sweep_packs(p->work, &p->store, &live);
}

static int list_own(struct pruning *p) {
    struct snapshot_list *list = &p->list, *others = &p->others;
    int code = record_list(&p->store, list, &p->work->error);
    others->all = calloc(list->n + 1, sizeof *others->all);
    if (code || !others->all)
        return code ? code : fail_memory(&p->work->error);
    size_t own = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (!p->keep->asked || record_is_own(p->work, &list->all[i]))
            list->all[own++] = list->all[i];
        else
            others->all[others->n++] = list->all[i];
    }
    list->n = own;
    return AQFS_OK;
}

/* Gives back room, and forgets what does not fit. */
static int prune_to_size(struct pruning *p) {
    size_t packs;
    int64_t size;
    int code = AQFS_OK;
    sweep_measure(&p->store, &packs, &size);
    if (p->forgotten > 0 || packs > SWEEP_PACKS || size > p->keep->bytes)
        code = sweep_unmarked(p);
    for (sweep_measure(&p->store, &packs, &size); !code && size > p->keep->bytes && p->list.n > 1;
         sweep_measure(&p->store, &packs, &size)) {
        size_t before = p->forgotten, n = count_what_may_go(p, p->keep);
        struct retention fewer = *p->keep;
        fewer.newest = n > 1 ? (int64_t)(n - (n + 3) / 4) : 1;
        fewer.since_ms = INT64_MIN;
        forget_snapshots(p, &fewer);
        if (p->forgotten == before)
            break;
        code = sweep_unmarked(p);
    }
    return code;
}

static int prune(struct pruning *p) {
    int code = list_own(p);
    if (code)
        return code;
    forget_snapshots(p, p->keep);
    return prune_to_size(p);
}

int git_prune(struct work *work, const struct retention *keep, size_t *forgotten) {
    struct pruning p = {.work = work, .keep = keep};
    int code = store_open(work, STORE_WRITE, &p.store);
    code = code ? code : prune(&p);
    *forgotten = p.forgotten;
    snapshot_list_free(&p.list);
    snapshot_list_free(&p.others);
    store_close(&p.store);
    return code;
}

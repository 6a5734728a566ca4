/* snapshot_prune.c -- forgetting snapshots, and giving back the room that they took. */
#include "snapshot_prune.h"

#include "cleanup.h"
#include "snapshot_record.h"
#include "snapshot_sweep.h"

#include <string.h>

struct pruning {
    struct call *call;
    struct store store;
    struct snapshot_list list; /* those that stay, the oldest first */
    const char *spared;
    size_t forgotten;
};

/* -- what is forgotten ---------------------------------------------------------------------------
 */

static bool is_spared(const struct pruning *p, const struct snapshot *s) {
    return p->spared && strcmp(s->id, p->spared) == 0;
}

/* Forgets all but the NEWEST, and those from before SINCE_MS. */
static void forget(struct pruning *p, int64_t newest, int64_t since_ms) {
    size_t kept = 0;
    for (size_t i = 0; i < p->list.n; i++) {
        struct snapshot *s = &p->list.all[i];
        size_t rank = p->list.n - 1 - i;
        if (!snapshot_goes(rank, s->created_ms, newest, since_ms) || is_spared(p, s)) {
            p->list.all[kept++] = *s;
            continue;
        }
        record_forget(&p->store, s->id);
        snapshot_free(s);
        p->forgotten++;
    }
    p->list.n = kept;
}

/* -- what is still held --------------------------------------------------------------------------
 */

static int mark(struct pruning *p, struct oid_set *live, const struct oid *oid, int depth) {
    struct call *c = p->call;
    AUTO(arena_free) struct arena arena = {0};
    struct tree *tree;
    if (oid_set_has(live, oid))
        return AQFS_OK;
    int code = budget_check(&c->budget);
    if (code)
        return fail_budget(&c->error, code);
    if (depth > c->ws->limits.walk_depth)
        return fail(&c->error, AQFS_SNAPSHOT, "A snapshot is damaged");
    code = store_tree(&p->store, oid, &arena, &tree, &c->error);
    for (size_t i = 0; !code && i < tree->n; i++) {
        const struct item *item = &tree->entries[i].item;
        if (item->kind == ITEM_DIRECTORY)
            code = mark(p, live, &item->oid, depth + 1);
        else if (!oid_set_add(live, &item->oid))
            code = fail_memory(&c->error);
    }
    if (!code && !oid_set_add(live, oid))
        code = fail_memory(&c->error);
    return code;
}

static int mark_all(struct pruning *p, struct oid_set *live) {
    struct error *e = &p->call->error;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < p->list.n; i++) {
        struct snapshot record;
        struct oid tree, commit;
        code = record_find(&p->store, p->list.all[i].id, &record, &tree, e);
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

static int sweep(struct pruning *p) {
    AUTO(oid_set_free) struct oid_set live = {0};
    /* What cannot be read may hold anything. */
    if (p->list.damaged > 0)
        return AQFS_OK;
    int code = mark_all(p, &live);
    return code ? code : sweep_packs(p->call, &p->store, &live);
}

static int prune(struct pruning *p, int64_t newest, int64_t since_ms, int64_t bytes) {
    size_t packs;
    int64_t size;
    int code = record_list(&p->store, &p->list, &p->call->error);
    if (code)
        return code;
    forget(p, newest, since_ms);
    sweep_measure(&p->store, &packs, &size);
    if (p->forgotten > 0 || packs > SWEEP_PACKS || size > bytes)
        code = sweep(p);
    for (sweep_measure(&p->store, &packs, &size); !code && size > bytes && p->list.n > 1;
         sweep_measure(&p->store, &packs, &size)) {
        size_t before = p->forgotten;
        forget(p, (int64_t)(p->list.n - (p->list.n + 3) / 4), INT64_MIN);
        if (p->forgotten == before)
            break;
        code = sweep(p);
    }
    return code;
}

int git_prune(struct call *c, int64_t newest, int64_t since_ms, int64_t bytes, const char *spared,
              size_t *forgotten) {
    struct pruning p = {.call = c, .spared = spared};
    int code = store_open(c, STORE_WRITE, &p.store);
    code = code ? code : prune(&p, newest, since_ms, bytes);
    *forgotten = p.forgotten;
    snapshot_list_free(&p.list);
    store_close(&p.store);
    return code;
}

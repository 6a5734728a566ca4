/* commit_sync.c -- what the disk must have before a commit goes on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

/* For so many new files their file system is synced as a whole, where that can be done: each alone
 * would have the disk empty its cache each time. */
#define MANY 16

/* How many new files there are; 0 where they have more than one root. */
static size_t count_new(const struct commit *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        if (change->at.root != m->steps[0].change->at.root)
            return 0;
        n += change->kind == CHANGE_WRITE || change->kind == CHANGE_COPY;
    }
    return n;
}

void sync_begin(struct commit *m) {
    struct error ignored;
    const struct root *root = m->steps[0].change->at.root;
    if (count_new(m) < MANY || !m->backend->settles_whole ||
        m->backend->open(m->ws, root, "", OPEN_DIRECTORY, &m->whole, &ignored))
        return;
    if (!m->backend->settles_whole(&m->whole))
        node_close(&m->whole);
}

/* Of a link there is nothing to put there but its name. */
int sync_open(struct commit *m, size_t from, size_t to) {
    const struct node *files[OPEN_AT_ONCE];
    size_t n = 0;
    if (!m->backend->settle || m->whole.backend)
        return AQFS_OK;
    for (size_t i = from; i < to; i++) {
        const struct node *staged = &m->steps[i].staged;
        if (staged->backend && staged->info.type == NODE_FILE)
            files[n++] = staged;
    }
    return m->backend->settle(files, n, m->e);
}

int sync_staged(struct commit *m) {
    return m->whole.backend ? m->backend->settle_whole(&m->whole, m->e) : AQFS_OK;
}

/* Each directory once, as long as changes come directory by directory. */
static int sync_directories(struct commit *m) {
    const struct place *synced = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        bool moves = change->kind == CHANGE_MOVE;
        /* The target's last: it is wanted once more, for what was replaced. */
        const struct place *places[] = {moves ? &change->from : NULL, &change->at};
        for (size_t j = 0; j < 2; j++) {
            struct parent p;
            if (!places[j] || (synced && parent_is_shared(synced, places[j])))
                continue;
            int code = commit_parent(m, places[j], &p, m->e);
            code = code ? code : m->backend->sync(&p.node, m->e);
            if (code)
                return code;
            synced = places[j];
        }
    }
    return AQFS_OK;
}

int sync_names(struct commit *m) {
    if (!m->backend->durable)
        return AQFS_OK;
    bool whole = m->whole.backend && m->backend->settles_whole(&m->whole); /* others write too */
    if ((whole ? sync_staged : sync_directories)(m) == AQFS_OK)
        return AQFS_OK;
    return fail(m->e, AQFS_DURABILITY_UNKNOWN,
                "It is written, but whether the disk has it could not be told");
}

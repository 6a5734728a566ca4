/* pending_cleanup.c -- what a commit could not put back or remove, when there is no journal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pending_cleanup.h"

#include "clock.h"
#include "journal.h"
#include "undo.h"

#include <stdlib.h>
#include <string.h>

/* How long settling waits for another commit. */
#define WAIT_NS INT64_C(2000000000)

struct pending_cleanup {
    struct pending_cleanup *next; /* an older commit's */
    bool done;
    size_t n;
    struct journal_step steps[]; /* own their texts, except `kind` */
};

static void forget_pending(struct pending_cleanup *pending) {
    for (size_t i = 0; i < pending->n; i++) {
        free((char *)pending->steps[i].path);
        free((char *)pending->steps[i].from);
        free((char *)pending->steps[i].temp);
    }
    free(pending);
}

void pending_cleanup_free(struct pending_cleanup *pending) {
    while (pending) {
        struct pending_cleanup *next = pending->next;
        forget_pending(pending);
        pending = next;
    }
}

/* False without memory; even then forget_pending can free TO. */
static bool copy_step(const struct journal_step *from, struct journal_step *to) {
    *to = *from;
    to->path = strdup(from->path);
    to->from = from->from ? strdup(from->from) : NULL;
    to->temp = strdup(from->temp);
    return to->path && to->temp && (to->from || !from->from);
}

bool pending_cleanup_keep(struct aqfs_workspace *ws, const struct journal_step *steps, size_t n,
                          bool done) {
    struct pending_cleanup *pending = calloc(1, sizeof *pending + n * sizeof *pending->steps);
    bool whole = pending != NULL;
    for (size_t i = 0; whole && i < n; i++) {
        whole = copy_step(&steps[i], &pending->steps[i]);
        pending->n++;
    }
    if (!whole) {
        pending_cleanup_free(pending);
        return false;
    }
    pending->done = done;
    pending->next = ws->pending_cleanup;
    ws->pending_cleanup = pending;
    atomic_store(&ws->has_pending_cleanup, true);
    return true;
}

/* Goes backwards, as recovery does: the last step first. */
static bool settle_pending(struct aqfs_workspace *ws, const struct pending_cleanup *pending) {
    bool whole = true;
    for (size_t i = pending->n; i-- > 0;)
        whole = (pending->done ? undo_finish : undo_step)(ws, &pending->steps[i]) && whole;
    return whole;
}

void pending_cleanup_settle(struct aqfs_workspace *ws) {
    struct budget budget = {.deadline_ns = clock_now_ns() + WAIT_NS};
    struct error ignored;
    if (!atomic_load(&ws->has_pending_cleanup) || commit_lock(ws, &budget, &ignored))
        return;
    for (struct pending_cleanup **at = &ws->pending_cleanup; *at;) {
        struct pending_cleanup *pending = *at;
        if (settle_pending(ws, pending)) {
            *at = pending->next;
            forget_pending(pending);
        } else {
            at = &pending->next;
        }
    }
    atomic_store(&ws->has_pending_cleanup, ws->pending_cleanup != NULL);
    if (!ws->pending_cleanup)
        journal_rest(ws, true);
    commit_unlock(ws);
}

void pending_cleanup_end(struct aqfs_workspace *ws) {
    if (!ws->backend->durable)
        return;
    pending_cleanup_settle(ws);
    if (atomic_load(&ws->has_pending_cleanup))
        journal_leave(ws);
}

/* owed.c -- what a commit could not put back or remove, where no journal says so. */
#include "owed.h"

#include "commit_lock.h"
#include "undo.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_NS INT64_C(2000000000) /* for another commit */

struct owed {
    struct owed *next; /* an older commit's */
    bool done;
    size_t n;
    struct journal_step steps[]; /* with texts of their own, but for `kind` */
};

static void forget(struct owed *owed) {
    for (size_t i = 0; i < owed->n; i++) {
        free((char *)owed->steps[i].path);
        free((char *)owed->steps[i].from);
        free((char *)owed->steps[i].temp);
    }
    free(owed);
}

void owed_free(struct owed *owed) {
    while (owed) {
        struct owed *next = owed->next;
        forget(owed);
        owed = next;
    }
}

/* False when there is no memory; TO can be forgotten all the same. */
static bool copy_step(const struct journal_step *from, struct journal_step *to) {
    *to = *from;
    to->path = strdup(from->path);
    to->from = from->from ? strdup(from->from) : NULL;
    to->temp = strdup(from->temp);
    return to->path && to->temp && (to->from || !from->from);
}

void owed_keep(struct aqfs_workspace *ws, const struct journal_step *steps, size_t n, bool done) {
    struct owed *owed = calloc(1, sizeof *owed + n * sizeof *owed->steps);
    bool whole = owed != NULL;
    for (size_t i = 0; whole && i < n; i++) {
        whole = copy_step(&steps[i], &owed->steps[i]);
        owed->n++;
    }
    if (!whole) {
        owed_free(owed);
        return;
    }
    owed->done = done;
    owed->next = ws->owed;
    ws->owed = owed;
}

/* In the order in which a crash would be recovered from: the last step first. */
static bool settle(struct aqfs_workspace *ws, const struct owed *owed) {
    bool whole = true;
    for (size_t i = owed->n; i-- > 0;)
        whole = (owed->done ? undo_finish : undo_step)(ws, &owed->steps[i]) && whole;
    return whole;
}

void owed_settle(struct aqfs_workspace *ws) {
    struct budget budget = {.deadline_ns = clock_now_ns() + WAIT_NS};
    struct error ignored;
    if (commit_lock(ws, &budget, &ignored))
        return;
    for (struct owed **at = &ws->owed; *at;) {
        struct owed *owed = *at;
        if (settle(ws, owed)) {
            *at = owed->next;
            forget(owed);
        } else {
            at = &owed->next;
        }
    }
    commit_unlock(ws);
}

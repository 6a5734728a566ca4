/* met_secrets.c -- the secrets that a model's plan has met: see met_secrets.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "met_secrets.h"

#include "secret.h"

#include <stdlib.h>
#include <string.h>

void met_secrets_open(struct met_secrets *met) {
    *met = (struct met_secrets){0};
    pthread_mutex_init(&met->lock, NULL);
}

void met_secrets_close(struct met_secrets *met) {
    plan_free(&met->reads);
    pthread_mutex_destroy(&met->lock);
}

int plan_secret_read(struct work *work, struct plan *p, const struct place *at,
                     const struct info *seen, const struct secret_group *why) {
    struct change *change;
    int code = plan_add_at(work, p, CHANGE_READ, at, seen, &change);
    if (code)
        return code;
    change->risks = RISK_SECRET;
    change->secret = why;
    return AQFS_OK;
}

int met_secrets_note(struct work *work, const struct place *at, struct text_ref given) {
    struct met_secrets *met = work->met;
    struct info seen;
    if (!met || !work->ws->secrets || at->type == NODE_MISSING)
        return AQFS_OK;
    int code = plan_look(work, at, &seen);
    const struct secret_group *why = code ? NULL : secret_of_place(work, at, &seen);
    if (!why)
        return code;
    pthread_mutex_lock(&met->lock);
    code = plan_secret_read(work, &met->reads, at, &seen, why);
    code = code ? code : plan_remember(work, &met->reads, given, 0, at);
    pthread_mutex_unlock(&met->lock);
    return code;
}

static int compare_reads(const void *a, const void *b) {
    const struct change *x = *(struct change *const *)a, *y = *(struct change *const *)b;
    if (x->at.root != y->at.root)
        return x->at.root < y->at.root ? -1 : 1;
    return strcmp(x->at.path, y->at.path);
}

int met_secrets_finish(struct work *work, struct met_secrets *met, const char *operation) {
    struct plan *p = &met->reads;
    size_t n = 0;
    if (p->n > 1)
        qsort(p->changes, p->n, sizeof(struct change *), compare_reads);
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        if (n > 0 && compare_reads(&p->changes[n - 1], &change) == 0)
            free(change);
        else
            p->changes[n++] = change;
    }
    p->n = n;
    p->operation = operation;
    p->least = p->tier = TIER_DANGEROUS;
    return plan_summarise_secrets(work, p, p);
}

/* plan_store.c -- plans that were shown, kept until they are committed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_store.h"

#include <stdlib.h>
#include <string.h>

#define PLANS_MOST 32
#define BYTES_MOST ((size_t)128 << 20)

struct plan_store {
    pthread_mutex_t lock;
    struct kept_plan *newest;
};

void kept_plan_free(struct kept_plan *kept) {
    if (!kept)
        return;
    plan_free(&kept->plan);
    call_drop_values(kept->op, kept->values);
    json_decref(kept->request);
    free(kept);
}

static void free_plans(struct kept_plan *kept) {
    while (kept) {
        struct kept_plan *next = kept->next;
        kept_plan_free(kept);
        kept = next;
    }
}

static void store_free(struct plan_store *store) {
    free_plans(store->newest);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

/* The workspace's store, made when the first plan is kept; NULL without memory. */
static struct plan_store *store_of(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    if (!ws->plans && (ws->plans = calloc(1, sizeof *ws->plans)) != NULL) {
        pthread_mutex_init(&ws->plans->lock, NULL);
        ws->free_plans = store_free;
    }
    pthread_mutex_unlock(&ws->lock);
    return ws->plans;
}

/* Takes off what is over the bounds: the oldest.  Those are the caller's to free. */
static struct kept_plan *trim_store(struct plan_store *store) {
    size_t n = 0, bytes = 0;
    for (struct kept_plan **at = &store->newest; *at; at = &(*at)->next) {
        bytes += (*at)->size;
        if (++n > PLANS_MOST || bytes > BYTES_MOST) {
            struct kept_plan *rest = *at;
            *at = NULL;
            return rest;
        }
    }
    return NULL;
}

void plan_store_put(struct aqfs_workspace *ws, struct kept_plan *kept) {
    struct plan_store *store = store_of(ws);
    if (!store) {
        kept_plan_free(kept);
        return;
    }
    pthread_mutex_lock(&store->lock);
    kept->next = store->newest;
    store->newest = kept;
    struct kept_plan *spent = trim_store(store);
    pthread_mutex_unlock(&store->lock);
    free_plans(spent);
}

void plan_store_keep(struct call *c, struct plan *p) {
    struct kept_plan *kept = calloc(1, sizeof *kept);
    if (!kept)
        return;
    /* A request is only read: by its caller until the call ends, by the store afterwards. */
    *kept = (struct kept_plan){.op = c->op,
                               .request = json_incref((json_t *)c->request),
                               .values = c->values,
                               .plan = *p,
                               .size = sizeof *kept + plan_size(p)};
    c->values = NULL;
    *p = (struct plan){0};
    plan_store_put(c->work.ws, kept);
}

static bool is_plan_of(const struct kept_plan *kept, const struct call *c) {
    const char *digest = kept->plan.digest;
    return kept->op == c->op && strlen(digest) == c->digest.len &&
           memcmp(digest, c->digest.data, c->digest.len) == 0 &&
           json_equal(json_object_get(kept->request, "args"), json_object_get(c->request, "args"));
}

struct kept_plan *plan_store_take(struct call *c) {
    struct plan_store *store = store_of(c->work.ws);
    struct kept_plan *found = NULL;
    if (!store)
        return NULL;
    pthread_mutex_lock(&store->lock);
    for (struct kept_plan **at = &store->newest; *at && !found; at = found ? at : &(*at)->next) {
        if (!is_plan_of(*at, c))
            continue;
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&store->lock);
    if (found)
        found->next = NULL;
    return found;
}

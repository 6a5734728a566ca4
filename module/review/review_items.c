/* review_items.c -- the items of a review, found by their places.
 *
 * Items of one place are in a chain, the newest first, since a call can move one
 * away and make another there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "array.h"
#include "intern.h"
#include "review_parts.h"

#include <string.h>

#define FEWEST_CHAINS 64

void review_item_free(struct review_item *item) {
    struct review_side *sides[] = {&item->base, &item->base_theirs, &item->last, &item->now};
    for (size_t i = 0; i < 4; i++)
        review_side_free(sides[i]);
    review_hunks_free(item);
    free(item->path);
    free(item->base_path);
    free(item);
}

void review_free(struct review *r) {
    for (size_t i = 0; i < r->n; i++)
        review_item_free(r->items[i]);
    free(r->items);
    free(r->chains);
    *r = (struct review){0};
}

/* -- chains ------------------------------------------------------------------------------------ */

/* The chains' address differs from run to run, so that nobody can prepare colliding names. */
static size_t *chain_of(const struct review *r, const char *path) {
    uint64_t hash = (uint64_t)(uintptr_t)r->chains;
    for (; *path; path++)
        hash = intern_hash_byte(hash, *path);
    return &r->chains[(hash ^ hash >> 32) & (r->chain_n - 1)];
}

static bool is_item_at(const struct review_item *item, const struct root *root, const char *path) {
    return item->root == root && strcmp(item->path, path) == 0;
}

static void chain_item(struct review *r, size_t i) {
    size_t *chain = chain_of(r, r->items[i]->path);
    r->items[i]->older = *chain;
    *chain = i + 1;
}

bool review_rechain(struct review *r) {
    size_t n = FEWEST_CHAINS;
    while (n < r->room)
        n *= 2;
    size_t *chains = calloc(n, sizeof *chains);
    if (!chains)
        return false;
    free(r->chains);
    r->chains = chains;
    r->chain_n = n;
    for (size_t i = 0; i < r->n; i++)
        chain_item(r, i);
    return true;
}

struct review_item *review_item_at(const struct review *r, const struct root *root,
                                   const char *path) {
    for (size_t i = r->chains ? *chain_of(r, path) : 0; i > 0; i = r->items[i - 1]->older)
        if (is_item_at(r->items[i - 1], root, path))
            return r->items[i - 1];
    return NULL;
}

bool review_is_covered(const struct review *r, size_t at) {
    const struct review_item *item = r->items[at], *next = NULL;
    if (item->last.type != NODE_MISSING)
        return false;
    for (size_t i = *chain_of(r, item->path); i > at + 1; i = r->items[i - 1]->older)
        if (is_item_at(r->items[i - 1], item->root, item->path))
            next = r->items[i - 1];
    return next && next->last.type != NODE_MISSING;
}

/* -- adding ------------------------------------------------------------------------------------ */

struct review_item *review_add_item(struct review *r, const struct root *root, const char *path) {
    size_t room = r->room;
    struct review_item **items = array_with_room(r->items, r->n, &r->room, sizeof(*items));
    if (!items)
        return NULL;
    r->items = items;
    if (r->room != room && !review_rechain(r))
        return NULL;
    struct review_item *item = calloc(1, sizeof *item);
    if (!item)
        return NULL;
    *item = (struct review_item){
        .root = root, .base_root = root, .path = strdup(path), .base_path = strdup(path)};
    if (!item->path || !item->base_path) {
        review_item_free(item);
        return NULL;
    }
    r->items[r->n++] = item;
    chain_item(r, r->n - 1);
    return item;
}

/* revisions.c -- counting the writes to each file of a session.
 *
 * SPDX-License-Identifier: MIT
 */
#include "session.h"

#include "memory_tree.h"

#include <pthread.h>
#include <stdlib.h>

/* The count of one file.  The kernel reuses inode numbers, so a file is known by its inode and time
 * of birth together. */
struct counted {
    struct counted *next;
    uint64_t inode, revision;
    uint64_t before; /* the inode of the file that it replaced, or 0 */
    int64_t born_ns, created_ns, modified_ns;
};

struct revisions {
    pthread_mutex_t lock;
    struct counted **buckets;
    size_t n, room; /* a power of two */
};

struct revisions *revisions_new(void) {
    struct revisions *r = calloc(1, sizeof *r);
    if (r)
        pthread_mutex_init(&r->lock, NULL);
    return r;
}

void revisions_free(struct revisions *r) {
    if (!r)
        return;
    for (size_t i = 0; i < r->room; i++) {
        for (struct counted *c = r->buckets[i], *next; c; c = next) {
            next = c->next;
            free(c);
        }
    }
    free(r->buckets);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* The link to the count of INODE, or the NULL at its end where one would be added. */
static struct counted **bucket_of_inode(const struct revisions *r, uint64_t inode) {
    struct counted **at = &r->buckets[inode * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (r->room - 1)];
    while (*at && (*at)->inode != inode)
        at = &(*at)->next;
    return at;
}

static bool grow_buckets(struct revisions *r) {
    struct revisions bigger = {.room = r->room ? 2 * r->room : 64};
    if (r->n < r->room)
        return true;
    bigger.buckets = calloc(bigger.room, sizeof *bigger.buckets);
    if (!bigger.buckets)
        return false;
    for (size_t i = 0; i < r->room; i++) {
        for (struct counted *c = r->buckets[i], *next; c; c = next) {
            next = c->next;
            c->next = NULL;
            *bucket_of_inode(&bigger, c->inode) = c;
        }
    }
    free(r->buckets);
    r->buckets = bigger.buckets;
    r->room = bigger.room;
    return true;
}

/* The count of the file of INFO, or NULL. */
static struct counted *find_counted(const struct revisions *r, const struct info *info) {
    struct counted *c = r->room ? *bucket_of_inode(r, info->inode) : NULL;
    return c && (c->born_ns == info->created_ns || c->created_ns == info->created_ns) ? c : NULL;
}

static void forget_inode(struct revisions *r, uint64_t inode) {
    struct counted **at = bucket_of_inode(r, inode), *c = *at;
    if (!c)
        return;
    *at = c->next;
    r->n--;
    free(c);
}

/* Starts a count for the file of INFO, and forgets one of an earlier file with its inode. */
static struct counted *begin_counting(struct revisions *r, const struct info *info) {
    struct counted *c = grow_buckets(r) ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    forget_inode(r, info->inode);
    *c = (struct counted){.inode = info->inode,
                          .revision = 1,
                          .born_ns = info->created_ns,
                          .created_ns = info->created_ns,
                          .modified_ns = info->modified_ns};
    *bucket_of_inode(r, info->inode) = c;
    r->n++;
    return c;
}

/* Counts a write of another program, if the file's time of change shows one. */
static void catch_up(struct counted *c, const struct info *info) {
    c->revision += c->modified_ns != info->modified_ns;
    c->modified_ns = info->modified_ns;
}

void revisions_look(struct revisions *r, struct info *info) {
    pthread_mutex_lock(&r->lock);
    struct counted *c = find_counted(r, info);
    if (!c)
        c = begin_counting(r, info);
    if (c) {
        catch_up(c, info);
        info->revision = c->revision;
        info->created_ns = c->created_ns;
    }
    pthread_mutex_unlock(&r->lock);
}

/* Continues the count of LIKE in C, the count of the file that replaces it.  The count of LIKE is
 * kept, since undoing the change brings that file back; the count of the file that LIKE itself had
 * replaced is forgotten. */
static void continue_revision(struct revisions *r, struct counted *c, const struct info *like) {
    struct counted *old = find_counted(r, like);
    if (!old) {
        c->revision = 2;
        return;
    }
    catch_up(old, like);
    c->revision = old->revision + 1;
    c->created_ns = old->created_ns;
    c->before = old->inode;
    if (old->before && old->before != c->inode)
        forget_inode(r, old->before);
    old->before = 0;
}

bool revisions_follow(struct revisions *r, const struct info *made, const struct info *like) {
    pthread_mutex_lock(&r->lock);
    struct counted *c = begin_counting(r, made);
    if (c && like)
        continue_revision(r, c, like);
    pthread_mutex_unlock(&r->lock);
    return c != NULL;
}

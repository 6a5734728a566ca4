/* walk_crew.h -- the threads of one walk, and one directory's reading.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WALK_CREW_H
#define AQFS_WALK_CREW_H

#include "buf.h"
#include "ignoring.h"
#include "walk.h"
#include "walk_sort.h"
#include "workers.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

/* Data that one thread writes often stand in other lines of the cache than data that all read. */
#define CACHE_LINE 64

/* Loops over names and entries look at the budget once in this many steps. */
#define WALK_CHECK_EVERY 1024

/* State that the workers share.  Directories to read wait on a stack: last in, first out, so the
 * stack holds no more than the siblings along one path down the tree. */
struct walk_crew {
    struct aqfs_workspace *ws;
    const struct place *place;
    const struct walk_options *options;
    struct budget *budget;
    struct walk *walk;
    int64_t max_depth;
    struct ignoring ignoring; /* in use with options.ignores */

    alignas(CACHE_LINE) pthread_mutex_t lock;
    pthread_cond_t changed;
    struct walk_dir **stack;
    size_t waiting, room;
    size_t unfinished; /* directories on the stack or with a worker */
    unsigned idle;     /* workers that wait for a directory */
    int code;          /* the error that stops all workers, or AQFS_OK */

    atomic_bool cut;

    alignas(CACHE_LINE) _Atomic int64_t entries;
};

/* A worker's own state: memory, and the entries of the directory that it is reading. */
struct walk_worker {
    struct walk_crew *crew;
    struct arena *arena;
    struct walk_dir *dir;
    struct walk_entry *entries;
    struct walk_key *keys; /* room for two for each entry: walk_sort needs spare ones */
    size_t n, room;
    size_t reported;   /* how many of `n` are in the crew's count */
    int64_t elsewhere; /* the crew's count of other workers' entries at that moment */
    size_t since_check;
    int64_t files, directories, others, unreadable; /* in all that this worker has read */
    int64_t ignored;
    unsigned rule_files; /* enum rule_files: in the directory that is being read */
    int64_t shown, shown_bytes;
    struct waiting waiting;
    struct buf link_text;          /* of the link that is being read */
    char full[PATH_BYTES_MAX + 1]; /* the directory's path, relative to the root */
};

/* Reads the directory W->dir: lists, filters, sorts and looks at its entries, and makes a walk_dir
 * for each of the *SUBDIRECTORIES that the walk is to enter.  AQFS_OK also where the directory
 * cannot be read, which is only counted: a code ends the whole walk. */
int walk_read_dir(struct walk_worker *w, size_t *subdirectories);

/* A directory NAME of PARENT, which is NULL at the walk's start; NULL without memory. */
struct walk_dir *walk_new_dir(struct arena *arena, struct walk_dir *parent, const char *name,
                              size_t n);

/* Fills ENTRY's size, time and mode by looking at it in the open directory NODE, and *KEEP, which
 * may be NULL, with all that is known of it.  Both stay unknown where the entry has gone. */
void walk_stat_entry(const struct node *node, struct walk_entry *entry, struct info *keep);

#endif

/* walk.h -- reading a tree, with several threads, into memory.
 *
 * Directories are opened by their canonical path from the root, links are
 * listed and never descended, mounts are listed and not entered, and what rules
 * hide is not there.  What cannot be read is counted and skipped.  The result
 * has a fixed order whatever the threads did.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WALK_H
#define AQFS_WALK_H

#include "arena.h"
#include "budget.h"
#include "glob.h"
#include "workspace.h"

enum walk_order {
    WALK_BY_NAME, /* bytewise by name */
    WALK_BY_PATH  /* so that depth-first order is bytewise order of whole paths */
};

struct walk_entry {
    const char *name;
    uint32_t name_len;
    enum node_type type;
    struct walk_dir *dir; /* what was read of a directory; NULL when it was not descended */
    int64_t size;         /* with options.stat, or after walk_stat: -1 where it is unknown */
    int64_t modified_ns;
    bool executable;
    bool plain;        /* path_is_plain of its name */
    bool shown;        /* as options.shows said; for the operation's own use */
    struct info *info; /* with options.info: all of it, or NULL where it is unknown */
};

struct walk_dir {
    struct walk_dir *parent; /* NULL at the start */
    const char *path;        /* relative to the walk's start, "" at the start; NUL-terminated */
    uint32_t path_len;
    uint32_t depth; /* 1 at the start */
    struct walk_entry *entries;
    size_t n;
    int error;  /* an enum code when it could not be read */
    void *user; /* for options.filter */
};

/* An entry and the directory it stands in. */
struct walk_ref {
    struct walk_dir *dir;
    struct walk_entry *entry;
};

struct walk_options {
    const struct glob_set *exclude; /* by basename, or NULL */
    bool hide_dotfiles;
    bool stat;         /* fill size and time of every entry */
    int64_t max_depth; /* 1 = the start alone, 0 = as deep as limits.walk_depth */
    enum walk_order order;
    /* Is an entry to be `shown`?  Asked by all threads at once; NULL: none is. */
    bool (*shows)(const void *data, struct walk_ref ref);
    const void *shows_data;
    bool info; /* with stat: keep all that it says */
    /* Takes entries that are not wanted out of a directory that was listed, before they are looked
     * at or entered: it moves the others together and sets dir->n.  Asked by all threads at once.
     * False ends the walk, for want of memory. */
    bool (*filter)(void *data, const struct node *node, struct walk_dir *dir);
    void *filter_data;
    void (*progress)(void *data, int64_t entries); /* or NULL; from one thread */
    void *progress_data;
};

struct walk {
    struct walk_dir *start;
    int64_t files, directories, others; /* the start itself not counted */
    int64_t unreadable;
    bool cut; /* a limit of entries or depth was reached: there is more */
    struct arena *arenas;
    unsigned arena_count;
};

/* Walks PLACE, a directory.  BUDGET ends it early with its code.  Call walk_free in either case. */
int walk_run(struct aqfs_workspace *ws, const struct place *place,
             const struct walk_options *options, struct budget *budget, struct walk *out,
             struct error *e);
void walk_free(struct walk *w);

/* The path of an entry relative to the walk's start, in a buffer of WALK_PATH_MAX. */
#define WALK_PATH_MAX (PATH_BYTES_MAX + NAME_BYTES_MAX + 2)
size_t walk_path(const struct walk_dir *dir, const struct walk_entry *entry, char *out);

/* Every entry, a directory's before what is below it, until EACH answers non-zero: that code.
 * With WALK_BY_PATH this is the bytewise order of whole paths. */
int walk_each(const struct walk *w, int (*each)(void *data, struct walk_ref ref), void *data);

/* Fills size, time and mode of these entries, for walks without options.stat.  BUDGET ends it early
 * with its code. */
int walk_stat(struct aqfs_workspace *ws, const struct place *place, const struct walk_ref *refs,
              size_t n, struct budget *budget, struct error *e);

/* The path of a directory of the walk as the backend's open wants it: false when too long. */
bool walk_full_path(const struct place *place, const struct walk_dir *dir,
                    char out[PATH_BYTES_MAX + 1]);

#endif

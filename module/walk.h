/* walk.h -- reading a tree, with several threads, into memory.
 *
 * Directories are opened by their canonical path from the root, links are
 * listed and never descended, and what rules hide is not there.  What cannot
 * be read is counted and skipped.  The result has a fixed order whatever the
 * threads did.
 */
#ifndef AQFS_WALK_H
#define AQFS_WALK_H

#include "budget.h"
#include "glob.h"
#include "workspace.h"

enum walk_order {
    WALK_BY_NAME, /* bytewise by name */
    WALK_BY_PATH  /* so that depth-first order is bytewise order of whole paths */
};

struct walk_dir;

struct walk_entry {
    const char *name;
    uint32_t name_len;
    enum node_type type;
    struct walk_dir *dir;  /* what was read of a directory; NULL when it was not descended */
    int64_t size;          /* with options.stat */
    int64_t modified_ns;
};

struct walk_dir {
    struct walk_dir *parent; /* NULL at the start */
    const char *path;        /* relative to the walk's start, "" at the start; NUL-terminated */
    uint32_t path_len;
    uint32_t depth;          /* 1 at the start */
    struct walk_entry *entries;
    size_t n;
    int error; /* an enum code when it could not be read */
};

struct walk_options {
    const struct glob_set *exclude; /* by basename, or NULL */
    bool hide_dotfiles;
    bool stat;           /* fill size and time */
    int64_t max_depth;   /* 1 = the start alone, 0 = limits.walk_depth */
    enum walk_order order;
};

struct walk {
    struct walk_dir *start;
    int64_t files, directories, others; /* the start itself not counted */
    int64_t unreadable;
    bool cut; /* a limit of entries or depth was reached: there is more */
    void *arenas;
};

/* Walks PLACE, a directory.  BUDGET ends it early with its code. */
int walk_run(struct aqfs_workspace *ws, const struct place *place,
             const struct walk_options *options, struct budget *budget, struct walk *out,
             struct error *e);
void walk_free(struct walk *w);

/* The path of an entry relative to the walk's start, in a buffer of PATH_BYTES_MAX + 1 + 256. */
size_t walk_path(const struct walk_dir *dir, const struct walk_entry *entry, char *out);

/* Every directory that was read, in the walk's order. */
int walk_each_dir(const struct walk *w, int (*each)(void *, const struct walk_dir *), void *data);

#endif

/* walk.h -- reading a tree, with several threads, into memory.
 *
 * Directories are opened by their canonical path from the root.  Links and
 * mounts are listed and not entered; entries that the rules hide are left out.
 * A directory that cannot be read is counted and skipped.  The order of the
 * result does not depend on the threads.
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
    WALK_BY_PATH  /* such that depth-first order is the bytewise order of whole paths */
};

struct walk_entry {
    const char *name;
    uint32_t name_len;
    enum node_type type;
    struct walk_dir *dir; /* the contents of a directory; NULL when the walk did not enter it */
    int64_t size;         /* SIZE_UNKNOWN (-1) before options.stat or walk_stat has filled it */
    int64_t modified_ns;
    bool executable;
    bool plain;        /* path_is_plain of its name, if it is shown */
    bool shown;        /* the answer of options.shows */
    bool has_text;     /* the text of the link stands behind the name and its NUL, with a NUL */
    struct info *info; /* with options.info; NULL where it is unknown */
};

struct walk_dir {
    struct walk_dir *parent; /* NULL at the start */
    const char *path;        /* relative to the walk's start, "" at the start; NUL-terminated */
    uint32_t path_len;
    uint32_t depth; /* 1 at the start */
    struct walk_entry *entries;
    size_t n;
    int error;                        /* why it could not be read, an enum code, or AQFS_OK */
    const struct ignore_level *rules; /* with options.ignores, during the walk */
    void *user;                       /* for options.filter */
};

/* An entry and the directory that it is in. */
struct walk_ref {
    struct walk_dir *dir;
    struct walk_entry *entry;
};

struct walk_options {
    const struct glob_set *exclude; /* leave out entries whose basename matches; or NULL */
    bool ignores;                   /* leave out what git ignores: internal/ignoring.h */
    bool hide_dotfiles;
    bool stat;         /* fill size and time of every entry */
    int64_t max_depth; /* levels: 1 is the start alone, 0 as many as limits.walk_depth */
    enum walk_order order;
    /* Sets `shown` of an entry.  Called by all threads at once; NULL: no entry is shown. */
    bool (*shows)(const void *data, struct walk_ref ref);
    const void *shows_data;
    /* Leaves out what is not shown: such files, links and others are only counted.  Not where a
     * link is shown, because it may lead to them. */
    bool shown_only;
    bool link_texts; /* read the text of each link that is shown: walk_leads_to needs it */
    bool info;       /* with `stat`: keep its whole result */
    /* Removes unwanted entries from DIR, which was listed, before any entry is looked at or
     * entered: it moves the others together and sets dir->n.  NODE is the open directory.  Called
     * by all threads at once.  False, for want of memory, ends the walk. */
    bool (*filter)(void *data, const struct node *node, struct walk_dir *dir);
    void *filter_data;
    void (*progress)(void *data, int64_t entries); /* called by one thread only; or NULL */
    void *progress_data;
};

struct walk {
    struct walk_dir *start;
    int64_t files, directories, others; /* without the start itself */
    int64_t unreadable;                 /* directories that could not be read */
    int64_t ignored;    /* entries left out by options.ignores; what is below them is not counted */
    bool rules_dropped; /* the rules took too much work: not all that they name was left out */
    int64_t shown, shown_bytes; /* entries that are shown, and the lengths of their paths in all */
    bool cut; /* limits.walk_entries or limits.walk_depth was reached: the tree has more */
    enum walk_order order;
    struct arena *arenas;
    unsigned arena_count;
};

/* Walks PLACE, a directory.  BUDGET ends it early with its code.  Call walk_free also after an
 * error. */
int walk_run(struct aqfs_workspace *ws, const struct place *place,
             const struct walk_options *options, struct budget *budget, struct walk *out,
             struct error *e);
void walk_free(struct walk *w);

/* Writes the path of ENTRY relative to the walk's start into OUT, which has WALK_PATH_MAX bytes,
 * and returns its length. */
#define WALK_PATH_MAX (PATH_BYTES_MAX + NAME_BYTES_MAX + 2)
size_t walk_path(const struct walk_dir *dir, const struct walk_entry *entry, char *out);

/* The entry of W at PATH, spelled as walk_path does; NULL where the walk did not reach it. */
const struct walk_entry *walk_find(const struct walk *w, const char *path);

/* The entry of W that LINK leads to, which is no link itself; NULL where the walk cannot say.  It
 * can say where a relative text, or a chain of them, leads from entry to entry of the tree as it
 * was read.  A file that the walk left out or did not reach is no entry, so nothing is told of what
 * is restricted. */
const struct walk_entry *walk_follow(const struct walk *w, struct walk_ref link);

/* The type of what LINK, of the walk W from START, leads to; NODE_MISSING where it leads to no
 * place that the caller may use.  The walk's options had link_texts.  Like a located place this is
 * advice: the tree may change at any time. */
enum node_type walk_leads_to(struct aqfs_workspace *ws, const struct place *start,
                             const struct walk *w, struct walk_ref link);

/* Calls EACH for every entry, for a directory before the entries below it.  A non-zero answer ends
 * this, and is returned.  With WALK_BY_PATH this is the bytewise order of whole paths. */
int walk_each(const struct walk *w, int (*each)(void *data, struct walk_ref ref), void *data);

/* Fills size, time and mode of the N entries REFS, for walks without options.stat.  It opens a
 * directory once for each run of entries that are in it.  BUDGET ends it early with its code. */
int walk_stat(struct aqfs_workspace *ws, const struct place *place, const struct walk_ref *refs,
              size_t n, struct budget *budget, struct error *e);

/* Writes the path of DIR relative to the root, for the backend's `open`; false when it is too long.
 */
bool walk_full_path(const struct place *place, const struct walk_dir *dir,
                    char out[PATH_BYTES_MAX + 1]);

#endif

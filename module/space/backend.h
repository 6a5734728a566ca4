/* backend.h -- where the bytes live.
 *
 * A backend is a struct of functions with these contracts; operations cannot
 * tell one from another.  All of them may be called from several threads at
 * once.  Each answers AQFS_OK or a code with E filled, and leaves its outputs
 * untouched on failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BACKEND_H
#define AQFS_BACKEND_H

#include "error.h"
#include "path.h"

#include <stdint.h>
#include <sys/types.h>

struct aqfs_workspace;
struct options;
struct root;

enum node_type { NODE_FILE, NODE_DIRECTORY, NODE_SYMLINK, NODE_OTHER, NODE_UNKNOWN, NODE_MISSING };

const char *node_type_name(enum node_type type);

#define TIME_UNKNOWN INT64_MIN
#define SIZE_UNKNOWN (-1)

struct info {
    enum node_type type;
    int64_t size;
    int64_t modified_ns, accessed_ns, changed_ns, created_ns; /* or TIME_UNKNOWN */
    uint64_t device, inode, mount;
    uint64_t revision;    /* how often it was written, where the backend counts; or 0 */
    uint32_t mode, links; /* 0 where there is no such thing */
    uint32_t owner, group;
};

/* A judged, canonical name: no link, no `..`, inside ROOT.  `path` is relative, "" being the root
 * itself. */
struct place {
    const struct root *root;
    enum node_type type; /* when it was located; NODE_MISSING where that was allowed */
    bool must_be_dir;    /* spelled with a trailing slash */
    size_t len;
    char path[PATH_BYTES_MAX + 1];
};

/* Something open. */
struct node {
    const struct backend *backend;
    int fd;                    /* of a file of this machine */
    const struct root *within; /* it has to be on the mount of this one; NULL where any will do */
    void *object;              /* of anything else */
    struct info info;
};

enum locate_flags {
    LOCATE_LINK = 1,   /* the last component itself, also when it is a link */
    LOCATE_MISSING = 2 /* the last components may be absent */
};

enum open_kind {
    OPEN_FILE,      /* for reading what was found to be a regular file, since opening a device has
                       effects; NOT_REGULAR, IS_DIRECTORY where it is none any more */
    OPEN_UNSEEN,    /* below a directory that called it a file: of its info nothing is known, and
                       what is read counts for nothing until `stat` says that it is a file */
    OPEN_DIRECTORY, /* for listing, once: NOT_A_DIRECTORY; of its info only the type is set */
    OPEN_ANY        /* to look at, not to read: whatever it is, a link too */
};

enum rename_kind {
    RENAME_FRESH, /* AQFS_EXISTS where there is something at the new name */
    RENAME_SWAP   /* both names exist, and exchange what they name */
};

enum guard_state {
    GUARD_NONE, /* it cannot be had here */
    GUARD_HELD, /* nobody writes to it, nor can begin to until it is closed */
    GUARD_BUSY  /* somebody has it open for writing */
};

enum source_mode {
    MODE_KEPT,
    MODE_PLAIN,
    MODE_EXECUTABLE,
    MODE_EXACT, /* the permission bits of the source */
    MODE_LINK   /* no file but a link with these bytes as its text; AQFS_NOT_REGULAR where there are
                   no links */
};

/* What a new file holds: bytes, or all that another open file holds. */
struct source {
    enum source_mode mode; /* who may read it may execute it, or nobody may */
    uint32_t bits;         /* with MODE_EXACT */
    const char *bytes;
    size_t n;
    const struct node *file; /* or NULL */
};

/* One name of a directory.  NAME is NUL-terminated, valid during the call; non-zero ends the
 * listing with that code. */
typedef int (*list_each)(void *data, const char *name, size_t n, enum node_type type);

struct backend {
    const char *name;

    /* What is written outlives the process: commits are journalled, so that another process can
     * undo them, and kept apart from those of other processes. */
    bool durable;

    /* -- the workspace.  Those marked so may be NULL. */

    /* Fills roots[0] and those of allowed_paths, their rules, and what else it takes to begin. */
    int (*open_roots)(struct aqfs_workspace *ws, const struct options *o, struct error *e);

    /* Appends what the longest part of a configured path that exists really leads to, and answers
     * how long that part is.  NULL: there are no links. */
    size_t (*canonical)(const char *absolute, struct buf *out);

    /* May a caller spell a path so?  It has passed path_accept.  NULL: any way. */
    int (*accept)(const struct aqfs_workspace *ws, const char *path, size_t n, struct error *e);

    /* May so many characters (of binary content: bytes) be written by one call?  NULL: any. */
    int (*accept_content)(const struct aqfs_workspace *ws, size_t characters, struct error *e);

    /* Before each call, with ws->lock held; ws->running others are under way.  NULL: nothing. */
    int (*begin)(struct aqfs_workspace *ws, struct error *e);

    /* All as it was when the workspace was opened; with ws->lock held, when no call is under way.
     * NULL: it cannot be. */
    int (*reset)(struct aqfs_workspace *ws, struct error *e);

    /* When the workspace ends: nothing is asked of it any more.  NULL: nothing. */
    void (*end)(struct aqfs_workspace *ws);

    /* Does the root's name lead elsewhere by now?  NULL: it cannot. */
    bool (*has_moved)(const struct aqfs_workspace *ws);

    /* -- places */

    /* From accepted bytes (path_accept) to a place; walks links, judges nothing. */
    int (*locate)(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                  struct place *out, struct error *e);

    /* Opens exactly ROOT/PATH, following no link.  AQFS_RACED when it is not what a place said. */
    int (*open)(struct aqfs_workspace *ws, const struct root *root, const char *path,
                enum open_kind kind, struct node *out, struct error *e);

    /* The same for the entry NAME of an open directory. */
    int (*open_below)(const struct node *dir, const char *name, enum open_kind kind,
                      struct node *out, struct error *e);

    /* Every name but "." and "..", in no order. */
    int (*list)(const struct node *dir, list_each each, void *data, struct error *e);

    /* The entry itself, never what a link points to. */
    int (*stat_below)(const struct node *dir, const char *name, struct info *out, struct error *e);

    /* A link's text, appended to OUT. */
    int (*readlink_below)(const struct node *dir, const char *name, struct buf *out,
                          struct error *e);

    /* Bytes read at OFFSET, 0 at the end, or -errno.  Short only at the end. */
    ssize_t (*read)(const struct node *file, char *out, size_t n, int64_t offset);

    /* What is open, as it is now: a reader compares it with node->info, to tell whether what it
     * read can be mixed.  AQFS_OUTSIDE_ROOT on a mount that is not to be entered. */
    int (*stat)(const struct node *any, struct info *out, struct error *e);

    /* Whether the workspace's user may read or write the place (after judging). */
    bool (*may)(const struct node *any, bool write);

    /* -- writing.  DIR was opened as OPEN_DIRECTORY; names are single components. */

    /* AQFS_EXISTS where there is something. */
    int (*make_directory)(const struct node *dir, const char *name, struct error *e);

    /* The permissions of the directory NAME, just made; NULL where there are none. */
    int (*set_mode)(const struct node *dir, const char *name, uint32_t bits, struct error *e);

    /* A file, link or empty directory; never what a link leads to. */
    int (*remove)(const struct node *dir, const char *name, bool directory, struct error *e);

    int (*rename)(const struct node *from, const char *name, const struct node *to,
                  const char *new_name, enum rename_kind kind, struct error *e);

    /* Makes the new file NAME: the bytes of SOURCE, and the mode, owner and attributes of LIKE, an
     * open file; where LIKE is NULL, those that a plain open would give.  MADE is the file, open:
     * it is not on disk until `settle` says so.  Nothing is left behind on failure. */
    int (*stage)(struct aqfs_workspace *ws, const struct node *dir, const char *name,
                 const struct node *like, const struct source *source, struct node *made,
                 struct error *e);

    /* Puts staged files on disk; NULL where there is none. */
    int (*settle)(const struct node *const *made, size_t n, struct error *e);

    /* Can all that is written below DIR, which stays open meanwhile, be put on disk at once,
     * without waiting long for what others write?  And doing that, names too.  Both may be NULL. */
    bool (*settles_whole)(const struct node *dir);
    int (*settle_whole)(const struct node *dir, struct error *e);

    /* Keeps writers away from an open file until it is closed, for a moment: they wait. */
    enum guard_state (*guard)(const struct node *file);
    /* Did nobody come meanwhile who now waits to write to it? */
    bool (*guard_holds)(const struct node *file);

    /* Puts the names of DIR on disk: AQFS_DURABILITY_UNKNOWN when that cannot be said. */
    int (*sync)(const struct node *dir, struct error *e);

    /* Leaves NODE safe to close again. */
    void (*close)(struct node *node);
};

/* Also of a zeroed node. */
void node_close(struct node *node);

#endif

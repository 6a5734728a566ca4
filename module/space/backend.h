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
struct git_reach;
struct hidden;
struct options;
struct root;
struct secret_group;

enum node_type { NODE_FILE, NODE_DIRECTORY, NODE_SYMLINK, NODE_OTHER, NODE_UNKNOWN, NODE_MISSING };

/* The word for TYPE in replies. */
const char *node_type_name(enum node_type type);

#define TIME_UNKNOWN INT64_MIN
#define SIZE_UNKNOWN (-1)

struct info {
    enum node_type type;
    int64_t size;
    int64_t modified_ns, accessed_ns, changed_ns, created_ns; /* or TIME_UNKNOWN */
    uint64_t device, inode, mount;
    uint64_t revision;    /* the number of writes so far, where the backend counts them, or 0 */
    uint32_t mode, links; /* 0 where the backend has none */
    uint32_t owner, group;
};

/* Are both on one mount?  A directory that is mounted from the same file system has its device, and
 * another number where the kernel tells mounts. */
static inline bool info_shares_mount(const struct info *a, const struct info *b) {
    return a->device == b->device && a->mount == b->mount;
}

enum protection {
    PROTECT_NONE,
    PROTECT_DANGEROUS, /* writing is dangerous */
    PROTECT_REFUSE     /* inside a repository's .git: never written */
};

/* A canonical name inside a root: no component is a link or `..`.  `path` is relative to the root;
 * "" is the root itself. */
struct place {
    const struct root *root;
    enum node_type type;    /* at the moment of locating; NODE_MISSING only with LOCATE_MISSING */
    bool must_be_dir;       /* the caller's spelling ended in a slash */
    enum protection passed; /* the strictest of the names that the caller's path had before its
                             * links were followed: passed.h */
    const struct secret_group *passed_secret; /* why one of those names is secret, or NULL */
    size_t len;
    char path[PATH_BYTES_MAX + 1];
};

/* An open file, directory or other entry. */
struct node {
    const struct backend *backend;
    int fd;                    /* where the backend uses descriptors */
    const struct root *within; /* it must be on this root's mount; NULL: on any */
    void *object;              /* where the backend uses no descriptors */
    struct hidden *hidden;     /* it must be none of these: host/hidden.h */
    struct info info;
};

enum locate_flags {
    LOCATE_LINK = 1,     /* do not follow a link that is the last component */
    LOCATE_MISSING = 2,  /* the last components need not exist */
    LOCATE_FROM_LINK = 4 /* the path is what a link says: that one counts among those followed */
};

enum open_kind {
    /* To read an entry that was located as a regular file: opening a device has effects.
     * AQFS_NOT_REGULAR, AQFS_IS_DIRECTORY when it is something else by now. */
    OPEN_FILE,
    /* To read an entry that its directory listed as a file, without looking at it.  Its info is
     * unknown, and bytes read from it must not be used until `stat` has said that it is a file. */
    OPEN_UNSEEN,
    /* To list once.  Only the type in its info is set.  AQFS_RACED when it is not a directory. */
    OPEN_DIRECTORY,
    /* To look at, not to read: anything, a link included. */
    OPEN_ANY
};

enum rename_kind {
    RENAME_FRESH, /* AQFS_EXISTS when the new name exists */
    RENAME_SWAP   /* both names exist, and their files are exchanged */
};

enum guard_state {
    GUARD_NONE, /* this file cannot be guarded */
    GUARD_HELD, /* nobody has it open for writing, and opening it so waits until we close it */
    GUARD_BUSY  /* another program has it open for writing */
};

/* The permissions of a new file. */
enum source_mode {
    MODE_KEPT,       /* those of the file that it is like */
    MODE_PLAIN,      /* the same, but nobody may execute it */
    MODE_EXECUTABLE, /* the same, and everybody who may read it may execute it */
    MODE_EXACT,      /* `bits` of the source */
    MODE_LINK        /* it is a link with these bytes as its text; not asked of memory */
};

/* The contents of a new file: bytes, or a copy of another open file. */
struct source {
    enum source_mode mode;
    uint32_t bits; /* permission bits, for MODE_EXACT */
    const char *bytes;
    size_t n;
    const struct node *file; /* the file to copy, or NULL for `bytes` */
};

/* Called for each name of a directory.  NAME is NUL-terminated and valid during the call.  A
 * non-zero answer ends the listing, which returns it as its code and leaves E alone. */
typedef int (*list_each)(void *data, const char *name, size_t n, enum node_type type);

struct backend {
    const char *name;

    /* Files outlive the process.  So commits are journalled, for another process to undo after a
     * crash, and exclude commits of other processes. */
    bool durable;

    /* -- the workspace.  A function may be NULL where its comment says what NULL means. */

    /* Fills roots[0], the roots of allowed_paths and their rules, and prepares the backend's own
     * state. */
    int (*open_roots)(struct aqfs_workspace *ws, const struct options *o, struct error *e);

    /* Appends the canonical form of the longest existing prefix of a configured path, and returns
     * the length of that prefix.  NULL: the backend has no links. */
    size_t (*canonical)(const char *absolute, struct buf *out);

    /* May the name ABSOLUTE, of a rule, be spelled in another letter case?  NULL: none may. */
    bool (*folds)(const char *absolute);

    /* Prepares for what is restricted under other names, when WS has all its rules.  NULL: a place
     * has one name. */
    int (*hide)(struct aqfs_workspace *ws, struct error *e);

    /* Corrects INFO, of the directory ABSOLUTE, so that it does not count what is restricted. NULL:
     * there is nothing to correct. */
    void (*uncount)(const struct aqfs_workspace *ws, const char *absolute, size_t n,
                    struct info *info);

    /* Refuses spellings that this backend does not allow, of a path that path_accept has accepted.
     * NULL: all are allowed. */
    int (*accept)(const struct aqfs_workspace *ws, const char *path, size_t n, struct error *e);

    /* Refuses contents of more CHARACTERS (of binary contents: bytes) than one call may write.
     * NULL: no limit. */
    int (*accept_content)(const struct aqfs_workspace *ws, size_t characters, struct error *e);

    /* Called before each call, with ws->lock held, while ws->running other calls are under way.
     * NULL: nothing to do. */
    int (*begin)(struct aqfs_workspace *ws, struct error *e);

    /* Puts all files back to what they were when the workspace was opened.  Called with ws->lock
     * held and no call under way.  NULL: not possible. */
    int (*reset)(struct aqfs_workspace *ws, struct error *e);

    /* Called once, when the workspace ends and no call will follow.  NULL: nothing to do. */
    void (*end)(struct aqfs_workspace *ws);

    /* Does the name of roots[0] lead to another directory than the one opened?  Then appends to
     * NOW, unless that is NULL, where that one is; nothing if it is gone or nobody tells.  NULL: it
     * cannot. */
    bool (*has_moved)(const struct aqfs_workspace *ws, struct buf *now);

    /* -- places */

    /* Turns bytes that path_accept accepted into a place, following links.  It applies no rules to
     * the result, but it does to each link that it follows: passed.h, which also says what is
     * appended to NAMES, unless that is NULL.  An error about the path is set by fail_path
     * (error.h), because only the caller of this function knows the path as it was given; so are
     * those of the functions that open. */
    int (*locate)(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                  struct place *out, struct buf *names, struct error *e);

    /* Opens exactly ROOT/PATH, following no link.  AQFS_RACED when the tree no longer is as
     * `locate` found it. */
    int (*open)(struct aqfs_workspace *ws, const struct root *root, const char *path,
                enum open_kind kind, struct node *out, struct error *e);

    /* Has the directory UP levels above the open directory DIR, as that lies now, an entry NAME, or
     * does nobody know? */
    bool (*has_above)(const struct node *dir, size_t up, const char *name);

    /* Does git obey ROOT/PATH although its name does not tell?  DIR is open: the nearest directory
     * above that exists, whose path is the first DIR_N bytes of PATH, DEPTH levels below ROOT; or
     * NULL if it was asked about before, with another PATH.  PROTECT_REFUSE if that is (in) a part
     * of a repository's directory under another name; PROTECT_DANGEROUS if a link in such a
     * directory or a line of its configuration leads to ROOT/PATH, above it or below it.  NULL:
     * there are neither links nor mounts. */
    enum protection (*git_reaches)(struct aqfs_workspace *ws, const struct root *root,
                                   const char *path, const struct node *dir, size_t dir_n,
                                   size_t depth);

    /* Opens the entry NAME of an open directory, in the same way. */
    int (*open_below)(const struct node *dir, const char *name, enum open_kind kind,
                      struct node *out, struct error *e);

    /* Calls EACH for every name but "." and "..", in no particular order. */
    int (*list)(const struct node *dir, list_each each, void *data, struct error *e);

    /* Looks at the entry NAME itself; a link is not followed. */
    int (*stat_below)(const struct node *dir, const char *name, struct info *out, struct error *e);

    /* Appends the text of the link NAME to OUT. */
    int (*readlink_below)(const struct node *dir, const char *name, struct buf *out,
                          struct error *e);

    /* Does a link of DIR lead where its text says?  On /proc some lead to open files instead. NULL:
     * there are no links. */
    bool (*links_are_texts)(const struct node *dir);

    /* Reads up to N bytes at OFFSET.  Returns their number, 0 at the end, or -errno.  Fewer than N
     * means that the file ends there. */
    ssize_t (*read)(const struct node *file, char *out, size_t n, int64_t offset);

    /* Looks at the open node as it is now.  A reader compares the result with node->info: where
     * they differ, the bytes it read may be of two versions.  AQFS_OUTSIDE_ROOT when the node is on
     * a mount that must not be entered. */
    int (*stat)(const struct node *any, struct info *out, struct error *e);

    /* Do the permissions allow this process to read, or WRITE, the node?  Rules are not considered.
     */
    bool (*may)(const struct node *any, bool write);

    /* -- writing.  DIR was opened as OPEN_DIRECTORY; names are single components. */

    /* Makes the directory NAME.  AQFS_EXISTS when the name is taken. */
    int (*make_directory)(const struct node *dir, const char *name, struct error *e);

    /* Sets the permissions of the directory NAME, which was just made.  NULL: there are none. */
    int (*set_mode)(const struct node *dir, const char *name, uint32_t bits, struct error *e);

    /* Removes a file, a link or an empty DIRECTORY; a link is not followed. */
    int (*remove)(const struct node *dir, const char *name, bool directory, struct error *e);

    /* Renames NAME of FROM to NEW_NAME of TO, as KIND says.  A link is renamed itself. */
    int (*rename)(const struct node *from, const char *name, const struct node *to,
                  const char *new_name, enum rename_kind kind, struct error *e);

    /* Makes the new file NAME with the contents of SOURCE and the mode, owner and attributes of
     * LIKE, an open file; where LIKE is NULL, it gets what a plain open would give it.  MADE is the
     * new file, open.  It is not on disk before `settle` returns.  Nothing is left behind on
     * failure. */
    int (*stage)(struct aqfs_workspace *ws, const struct node *dir, const char *name,
                 const struct node *like, const struct source *source, struct node *made,
                 struct error *e);

    /* Waits until the staged files MADE are on disk.  NULL: there is no disk. */
    int (*settle)(const struct node *const *made, size_t n, struct error *e);

    /* settles_whole: can everything written below DIR, which stays open meanwhile, be put on disk
     * in one go, without waiting long for what other programs have written?  settle_whole does
     * that, for names too.  NULL: no. */
    bool (*settles_whole)(const struct node *dir);
    int (*settle_whole)(const struct node *dir, struct error *e);

    /* Keeps other programs from opening the file for writing until we close it: they wait
     * meanwhile, so this must be short. */
    enum guard_state (*guard)(const struct node *file);
    /* Is the guard unbroken?  False when another program waits to open the file for writing. */
    bool (*guard_holds)(const struct node *file);

    /* Puts the names in DIR on disk.  AQFS_DURABILITY_UNKNOWN when the system cannot say that they
     * are. */
    int (*sync)(const struct node *dir, struct error *e);

    /* Closes NODE, and leaves it safe to close again. */
    void (*close)(struct node *node);
};

/* Closes NODE by its backend.  A zeroed node may be closed, too. */
void node_close(struct node *node);

#endif

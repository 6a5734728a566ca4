/* host.h -- the backend whose bytes are files of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HOST_H
#define AQFS_HOST_H

#include "workspace.h"

extern const struct backend host_backend;

/* Makes R the root whose directory is open as FD: fills all members but its path and alias.  On
 * success R owns FD. */
int host_open_root(struct root *r, int fd, struct error *e);

/* Parts of host_backend: host_roots.c, resolve.c, host.c, host_write.c.  Contracts
 * are in backend.h. */
int host_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e);
size_t host_canonical(const char *absolute, struct buf *out);
bool host_folds(const char *absolute);
int hidden_open(struct aqfs_workspace *ws, struct error *e);
void hidden_uncount(const struct aqfs_workspace *ws, const char *absolute, size_t n,
                    struct info *info);
bool host_has_moved(const struct aqfs_workspace *ws, struct buf *now);
int host_locate(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                struct place *out, struct buf *names, struct error *e);
int host_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
              enum open_kind kind, struct node *out, struct error *e);
bool host_has_above(const struct node *dir, size_t up, const char *name);
enum protection host_git_reaches(struct aqfs_workspace *ws, const struct root *root,
                                 const char *path, const struct node *dir, size_t dir_n,
                                 size_t depth);
int host_open_below(const struct node *dir, const char *name, enum open_kind kind, struct node *out,
                    struct error *e);
int host_list(const struct node *dir, list_each each, void *data, struct error *e);
int host_stat_below(const struct node *dir, const char *name, struct info *out, struct error *e);
int host_readlink_below(const struct node *dir, const char *name, struct buf *out, struct error *e);
bool host_links_are_texts(const struct node *dir);
ssize_t host_read(const struct node *file, char *out, size_t n, int64_t offset);
int host_stat(const struct node *any, struct info *out, struct error *e);
bool host_may(const struct node *any, bool write);
void host_close(struct node *node);
int host_make_directory(const struct node *dir, const char *name, struct error *e);
int host_set_mode(const struct node *dir, const char *name, uint32_t bits, struct error *e);
int host_remove(const struct node *dir, const char *name, bool directory, struct error *e);
int host_rename(const struct node *from, const char *name, const struct node *to,
                const char *new_name, enum rename_kind kind, struct error *e);
int host_stage(struct aqfs_workspace *ws, const struct node *dir, const char *name,
               const struct node *like, const struct source *source, struct node *made,
               struct error *e);
int host_settle(const struct node *const *made, size_t n, struct error *e);
bool host_settles_whole(const struct node *dir);
int host_settle_whole(const struct node *dir, struct error *e);
enum guard_state host_guard(const struct node *file);
bool host_guard_holds(const struct node *file);
int host_sync(const struct node *dir, struct error *e);

/* The members that host_backend and session_backend share.  Each adds its own after them. */
#define HOST_FILES                                                                                 \
    .folds = host_folds, .hide = hidden_open, .uncount = hidden_uncount,                           \
    .canonical = host_canonical, .has_moved = host_has_moved, .locate = host_locate,               \
    .has_above = host_has_above, .git_reaches = host_git_reaches, .open_below = host_open_below,   \
    .list = host_list, .stat_below = host_stat_below, .readlink_below = host_readlink_below,       \
    .links_are_texts = host_links_are_texts, .read = host_read, .stat = host_stat,                 \
    .may = host_may, .make_directory = host_make_directory, .set_mode = host_set_mode,             \
    .remove = host_remove, .rename = host_rename, .guard = host_guard,                             \
    .guard_holds = host_guard_holds, .close = host_close

#endif

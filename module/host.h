/* host.h -- the backend whose bytes are files of this machine. */
#ifndef AQFS_HOST_H
#define AQFS_HOST_H

#include "workspace.h"

/* Parts of host_backend: resolve.c, host_write.c.  Contracts are in backend.h. */
int host_locate(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                struct place *out, struct error *e);
int host_make_directory(const struct node *dir, const char *name, struct error *e);
int host_set_mode(const struct node *dir, const char *name, uint32_t bits, struct error *e);
int host_remove(const struct node *dir, const char *name, bool directory, struct error *e);
int host_rename(const struct node *from, const char *name, const struct node *to,
                const char *new_name, enum rename_kind kind, struct error *e);
int host_stage(const struct node *dir, const char *name, const struct node *like,
               const struct source *source, struct node *made, struct error *e);
void host_begin_settling(const struct node *made);
int host_settle(const struct node *made, struct error *e);
enum guard_state host_guard(const struct node *file);
bool host_guard_holds(const struct node *file);
int host_sync(const struct node *dir, struct error *e);

#endif

/* host.h -- the backend whose bytes are files of this machine. */
#ifndef AQFS_HOST_H
#define AQFS_HOST_H

#include "workspace.h"

/* host_backend's locate: resolve.c. */
int host_locate(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                struct place *out, struct error *e);

#endif

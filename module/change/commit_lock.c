/* commit_lock.c -- one commit at a time in a project.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_lock.h"

#include "cleanup.h"
#include "hash.h"
#include "journal.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

/* Never unlink the lock file: two processes could then lock different inodes of the same name. */
static int open_lock_file(const struct aqfs_workspace *ws) {
    char hex[HASH_HEX], name[HASH_HEX + sizeof ".lock"];
    struct hash h;
    hash_start(&h);
    hash_add(&h, ws->roots[0].path, ws->roots[0].len + 1);
    hash_end(&h, hex);
    (void)snprintf(name, sizeof name, "%s.lock", hex);
    AUTO(cleanup_close) int dir = journal_directory(ws, true);
    int fd = dir;
    while (dir >= 0) {
        fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EINTR)
            break;
    }
    return fd < 0 ? -errno : fd;
}

int commit_lock(struct aqfs_workspace *ws, struct budget *budget, struct error *e) {
    const bool shares_files = ws->state_dir && ws->backend->durable;
    int code = AQFS_OK;
    pthread_mutex_lock(&ws->commit_mutex);
    if (shares_files && ws->commit_file < 0)
        ws->commit_file = open_lock_file(ws);
    if (shares_files)
        code = ws->commit_file < 0 ? fail_errno(e, -ws->commit_file, "state directory")
                                   : lock_wait(ws->commit_file, budget, e);
    if (code)
        pthread_mutex_unlock(&ws->commit_mutex);
    return code;
}

void commit_unlock(struct aqfs_workspace *ws) {
    if (ws->commit_file >= 0 && flock(ws->commit_file, LOCK_UN) != 0)
        commit_lock_close(ws);
    pthread_mutex_unlock(&ws->commit_mutex);
}

void commit_lock_close(struct aqfs_workspace *ws) {
    if (ws->commit_file >= 0)
        cleanup_close(&ws->commit_file);
    ws->commit_file = -1;
}

/* session_fill.c -- writing the mounts' files into the directory of a session.
 *
 * SPDX-License-Identifier: MIT
 */
#include "session.h"

#include "cleanup.h"
#include "memory_tree.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int fill_file(int dir, const char *name, const struct memory_object *file, struct error *e) {
    mode_t mode = file->executable ? 0777 : 0666;
    AUTO(cleanup_close)
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    int error = fd < 0 ? errno : write_whole(fd, file->bytes->data, file->bytes->n, WRITE_ON);
    return error ? fail_errno(e, error, "copy a mounted file into the session") : AQFS_OK;
}

static int fill_directory(int dir, const char *name, const struct memory_object *directory,
                          struct error *e) {
    AUTO(cleanup_close) int fd = -1;
    if (mkdirat(dir, name, 0777) == 0)
        fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(e, errno, "make a mounted directory in the session");
    return session_fill(fd, directory, e);
}

/* Recursion is as deep as the tree, whose paths limits.session_depth bounds. */
int session_fill(int fd, const struct memory_object *directory, struct error *e) {
    struct memory_cursor cursor = {.map = directory->entries};
    int code = AQFS_OK;
    while (!code && memory_cursor_next(&cursor))
        code = cursor.object->is_directory ? fill_directory(fd, cursor.name, cursor.object, e)
                                           : fill_file(fd, cursor.name, cursor.object, e);
    return code;
}

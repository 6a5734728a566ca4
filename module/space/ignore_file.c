/* ignore_file.c -- reading files of ignore rules: see ignore_file.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignore_file.h"

#include "cleanup.h"
#include "ignore.h"
#include "node.h"

#include <string.h>

bool ignore_file_add(struct aqfs_workspace *ws, const struct root *root, const char *directory,
                     size_t n, const char *name, struct buf *out) {
    char path[PATH_BYTES_MAX + 1];
    size_t slash = n > 0, name_n = strlen(name);
    if (n + slash + name_n > PATH_BYTES_MAX)
        return true;
    memcpy(path, directory, n);
    path[n] = '/';
    memcpy(path + n + slash, name, name_n + 1);
    AUTO(node_close) struct node seen = {0}, file = {0};
    struct error ignored;
    if (workspace_hides(ws, root, path, strlen(path)) ||
        ws->backend->open(ws, root, path, OPEN_ANY, &seen, &ignored) ||
        seen.info.type != NODE_FILE ||
        ws->backend->open(ws, root, path, OPEN_FILE, &file, &ignored))
        return true;
    if (file.info.size > (int64_t)IGNORE_BYTES_MAX || !buf_reserve(out, (size_t)file.info.size + 2))
        return false;
    size_t from = out->len;
    ssize_t got = ws->backend->read(&file, out->data + out->len, (size_t)file.info.size, 0);
    out->len += got > 0 ? (size_t)got : 0;
    ignore_end_file(out, from);
    return true;
}

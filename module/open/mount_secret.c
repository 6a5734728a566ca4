/* mount_secret.c -- what is secret where it is copied from is secret in the copy, too.
 *
 * In the copy it may have another name, and nothing leads to it by a secret one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mount_parts.h"

#include "cleanup.h"
#include "secret.h"

#include <string.h>

/* With as many secrets, all of the mount is one: each is compared with every name that is asked
 * about. */
#define SECRETS_MOST 1000

static int add_copied_secret(const struct mount *m, const struct place *target, struct error *e) {
    AUTO(buf_free) struct buf absolute = {0};
    const struct secret_entry kind = {.is_path = true, .is_plain = true};
    buf_add(&absolute, target->root->path, target->root->len);
    buf_str(&absolute, target->len > 0 ? "/" : "");
    buf_add(&absolute, target->path, target->len);
    return absolute.failed ? fail_memory(e)
                           : secrets_add(m->ws->secrets, kind, absolute.data, absolute.len, e);
}

int mount_keep_secret(const struct mount *m, const struct place *from, const struct info *info,
                      const char *below, struct error *e) {
    AUTO(buf_free) struct buf path = {0};
    struct place target = {.root = &m->ws->roots[0]};
    struct work work = {.ws = m->source};
    const bool is_directory = info->type == NODE_DIRECTORY;
    if (!m->ws->secrets || !secret_of_place(&work, from, info))
        return AQFS_OK;
    bool is_whole = m->done->secrets >= SECRETS_MOST;
    int code = mount_target(m, is_whole ? "" : below, &path, e);
    if (code)
        return code;
    target.len = path.len;
    memcpy(target.path, path.data ? path.data : "", path.len + 1);
    if (secret_by_path(m->ws, target.root, target.path, is_directory || is_whole))
        return AQFS_OK;
    m->done->secrets++;
    return add_copied_secret(m, &target, e);
}

/* host_roots.c -- opening the roots of a workspace on this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "beneath.h"
#include "canonical.h"
#include "cleanup.h"
#include "detect.h"
#include "git_tree.h"
#include "host.h"
#include "kernel.h"
#include "mount_names.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int host_open_root(struct root *r, int fd, struct error *e) {
    struct info info;
    int error = kernel_stat(fd, &info);
    error = error ? error : kernel_mount(fd, &info, &r->mount);
    if (error)
        return fail_errno(e, -error, "root");
    r->fd = fd;
    r->device = info.device;
    r->inode = info.inode;
    r->created_ns = info.created_ns;
    r->is_well_known = beneath_is_well_known(fd);
    return AQFS_OK;
}

/* Keeps the caller's spelling SPELLED of a root where it differs from the canonical path. */
static int set_alias(struct root *r, const char *spelled, struct error *e) {
    AUTO(buf_free) struct buf alias = {0};
    buf_str(&alias, "");
    path_add_names(&alias, spelled, false);
    if (alias.failed)
        return fail_memory(e);
    if (alias.len != r->len || memcmp(alias.data, r->path, r->len) != 0) {
        r->alias_len = alias.len;
        r->alias = steal_pointer(&alias.data);
    }
    return AQFS_OK;
}

/* Is the root R what the name PATH leads to? */
static bool is_root(const struct root *r, const char *path) {
    struct info info;
    return kernel_stat_at(AT_FDCWD, path, &info) == 0 && info.inode == r->inode &&
           info.device == r->device;
}

/* Finds the names by which mounts show the root R as well, and judges it by them, too. */
static int set_other_names(struct root *r, struct error *e) {
    AUTO(buf_free) struct buf names = {0};
    mount_names_add(r->path, r->mount, &names);
    if (names.failed)
        return fail_memory(e);
    for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1)
        if (is_root(r, names.data + at))
            r->in_repository = r->in_repository || git_tree_in_repository(names.data + at);
    r->other_names_len = names.len;
    r->other_names = steal_pointer(&names.data);
    return AQFS_OK;
}

static int add_root(struct aqfs_workspace *ws, const char *canonical, const char *spelled,
                    struct error *e) {
    struct root *r = &ws->roots[ws->root_count];
    size_t n = strlen(canonical);
    while (n > 0 && canonical[n - 1] == '/')
        n--;
    AUTO(cleanup_close) int fd = open(canonical, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(e, errno, "root");
    *r = (struct root){.fd = -1, .path = strndup(canonical, n), .len = n};
    if (!r->path)
        return fail_memory(e);
    ws->root_count++; /* from here on workspace_release closes it */
    int code = host_open_root(r, fd, e);
    if (code)
        return code;
    (void)steal_fd(&fd);
    r->in_repository = git_tree_in_repository(r->path);
    code = set_other_names(r, e);
    code = code ? code : set_alias(r, spelled, e);
    return code || rules_add(&ws->rules, r->path, r->len, false) ? code : fail_memory(e);
}

static int add_project_root(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct root_sources sources = {
        .explicit_root = options_text(o, OPT_ROOT),
        .start = options_text(o, OPT_START),
        .asdf_root = options_text(o, OPT_ASDF_ROOT),
        .sly_directory = options_text(o, OPT_SLY_DIRECTORY),
        .cwd = options_text(o, OPT_CWD),
        .home = ws->home,
    };
    AUTO_FREE char *canonical = NULL;
    AUTO_FREE char *spelled = NULL;
    int code = detect_root(&sources, &canonical, &spelled, &ws->root_method, e);
    return code ? code : add_root(ws, canonical, spelled, e);
}

static int add_allowed(struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    AUTO(buf_free) struct buf absolute = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    if (code)
        return code;
    AUTO_FREE char *canonical = canonical_path(absolute.data);
    if (canonical && add_root(ws, canonical, absolute.data, e) == AQFS_OK)
        return AQFS_OK;
    char label[PATH_LABEL];
    return fail(e, AQFS_NOT_FOUND, "allowed_paths: %s is not a directory that can be opened",
                path_label(absolute.data, absolute.len, label));
}

int host_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *allowed = &o->values[OPT_ALLOWED_PATHS];
    if (o->mounts)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "mounts: nothing is copied into a directory that is there already: expected "
                    "the backend memory or session");
    int code = add_project_root(ws, o, e);
    for (size_t i = 0; !code && i < allowed->count; i++)
        code = add_allowed(ws, allowed->list[i], e);
    if (code || !ws->unrestricted)
        return code;
    code = add_root(ws, "/", "/", e);
    ws->roots[ws->root_count - 1].cross_mounts = true;
    return code;
}

size_t host_canonical(const char *absolute, struct buf *out) {
    AUTO_FREE char *prefix = strdup(absolute);
    out->failed = out->failed || !prefix;
    while (prefix && prefix[0]) {
        AUTO_FREE char *real = canonical_path(prefix);
        if (real) {
            buf_str(out, real);
            return strlen(prefix);
        }
        *strrchr(prefix, '/') = '\0';
    }
    return 0;
}

/* A root is held open, so its descriptor tells where it is.  The kernel adds a word to the name of
 * a directory that is gone. */
static void add_place_of(int descriptor, struct buf *out) {
    char link[64], path[PATH_BYTES_MAX + 1];
    struct info opened, there;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0 || path[0] != '/')
        return;
    path[n] = '\0';
    if (kernel_stat(descriptor, &opened) == 0 && kernel_stat_at(AT_FDCWD, path, &there) == 0 &&
        opened.device == there.device && opened.inode == there.inode)
        buf_add(out, path, (size_t)n);
}

bool host_has_moved(const struct aqfs_workspace *ws, struct buf *now) {
    const struct root *root = &ws->roots[0];
    struct info there;
    if (kernel_stat_at(AT_FDCWD, root->path, &there) == 0 && there.inode == root->inode &&
        there.device == root->device)
        return false;
    if (now)
        add_place_of(root->fd, now);
    return true;
}

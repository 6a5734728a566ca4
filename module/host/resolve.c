/* resolve.c -- from a caller's spelling to a canonical place on the host.
 *
 * doc/threats.org, "The boundary, step by step", 2 and 3.  The resulting place
 * is advice only: the links were read at one moment and may change later.
 * Safety rests on beneath_open, which opens the place and follows no link.
 * `symlink/..` is walked, not shortened.  Where `..` leads above a root, nothing
 * is opened: the text alone decides whether the path comes back into a root.
 *
 * SPDX-License-Identifier: MIT
 */
#include "beneath.h"
#include "cleanup.h"
#include "hidden.h"
#include "host.h"
#include "kernel.h"
#include "passed.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40 /* the kernel's own limit */
#define REST_MAX (2 * (PATH_BYTES_MAX + 1))

struct path_walker {
    struct aqfs_workspace *ws;
    unsigned flags;
    const struct root *root; /* NULL while above all roots; then `path` is absolute text */
    char path[PATH_BYTES_MAX + 1];
    size_t len;
    char rest[REST_MAX]; /* the part of the path that is not walked yet */
    size_t at, rest_len;
    int links;
    bool must_be_dir;
    struct passed passed;
    struct info info; /* of the file that `path` names */
};

static bool equal_names(const char *a, size_t a_n, const char *b, size_t b_n) {
    return a_n == b_n && memcmp(a, b, a_n) == 0;
}

/* The root that contains w->path, which is canonical text or the caller's spelling of a root.  *N
 * is the length of the part that names the root. */
static const struct root *root_of_text(const struct path_walker *w, size_t *n) {
    for (size_t i = 0; i < w->ws->root_count; i++) {
        const struct root *r = &w->ws->roots[i];
        bool aliased = r->alias && equal_names(r->alias, r->alias_len, w->path, w->len);
        *n = aliased ? r->alias_len : r->len;
        if (aliased || path_is_below(w->path, w->len, r->path, r->len))
            return r;
    }
    return NULL;
}

/* Is a root at or below the text w->path, so that further components may lead into it? */
static bool leads_to_a_root(const struct path_walker *w) {
    for (size_t i = 0; i < w->ws->root_count; i++) {
        const struct root *r = &w->ws->roots[i];
        if (path_is_below(r->path, r->len, w->path, w->len) ||
            (r->alias && path_is_below(r->alias, r->alias_len, w->path, w->len)))
            return true;
    }
    return false;
}

static int fail_outside(const struct path_walker *w, struct error *e) {
    return fail_path(e, AQFS_OUTSIDE_ROOT, w->links > 0 ? FAULT_LINK : FAULT_BY_CODE,
                     "It is outside the project root");
}

static int fail_path_raced(struct error *e) {
    return fail_path(e, AQFS_RACED, FAULT_BY_CODE, "It changed while it was looked at");
}

/* Refuses to walk through a restricted place: success and each kind of error would reveal what is
 * there. */
static int refuse_hidden(const struct path_walker *w, struct error *e) {
    if (w->root && workspace_hides(w->ws, w->root, w->path, w->len))
        return fail_path(e, AQFS_RESTRICTED, FAULT_BY_CODE, "It is restricted");
    return AQFS_OK;
}

static int fail_path_walk(const struct path_walker *w, struct error *e, int errnum) {
    if (refuse_hidden(w, e))
        return AQFS_RESTRICTED;
    if (errnum == EAGAIN) /* renames disturbed openat2 AGAIN_ROUNDS times */
        return fail_path_raced(e);
    if (errnum == EXDEV)
        return fail_path(e, AQFS_OUTSIDE_ROOT, FAULT_MOUNT,
                         "It is on another file system, mounted inside the project root");
    return fail_path_errno(e, errnum, "path");
}

/* Enters the root that contains the text w->path, if one does.  After `..` that may be another
 * root, which contains the one we came from. */
static int enter_root_if_there(struct path_walker *w, struct error *e) {
    size_t n;
    w->root = root_of_text(w, &n);
    if (!w->root)
        return leads_to_a_root(w) ? AQFS_OK : fail_outside(w, e);
    n += w->len > n; /* the slash */
    w->len -= n;
    memmove(w->path, w->path + n, w->len + 1);
    return kernel_stat(w->root->fd, &w->info) ? fail_errno(e, EIO, "project root") : AQFS_OK;
}

static void drop_last(struct path_walker *w) {
    while (w->len > 0 && w->path[w->len - 1] != '/')
        w->len--;
    if (w->len > 0)
        w->len--;
    w->path[w->len] = '\0';
}

static int go_to_parent(struct path_walker *w, struct error *e) {
    if (refuse_hidden(w, e))
        return AQFS_RESTRICTED;
    w->info.type = NODE_DIRECTORY;
    if (w->root && w->len > 0) {
        drop_last(w);
        return AQFS_OK;
    }
    if (w->root) { /* above a root: from here on `path` is text */
        memcpy(w->path, w->root->path, w->root->len + 1);
        w->len = w->root->len;
        w->root = NULL;
    }
    drop_last(w);
    return enter_root_if_there(w, e);
}

static int append_component(struct path_walker *w, const char *name, size_t n, struct error *e) {
    bool slash = w->len > 0 || !w->root;
    if (w->len + slash + n > PATH_BYTES_MAX)
        return fail_errno(e, ENAMETOOLONG, "path");
    if (slash)
        w->path[w->len++] = '/';
    memcpy(w->path + w->len, name, n);
    w->len += n;
    w->path[w->len] = '\0';
    return AQFS_OK;
}

/* More slashes may follow the one behind the last name: then must_be_dir is set already. */
static bool rest_is_empty(const struct path_walker *w) {
    return w->at == w->rest_len;
}

/* Puts TARGET, a link's text, before the rest of the walk. */
static int prepend(struct path_walker *w, const char *target, size_t n, struct error *e) {
    size_t left = w->rest_len - w->at;
    if (n + 1 + left >= REST_MAX)
        return fail_errno(e, ENAMETOOLONG, "path");
    memmove(w->rest + n + 1, w->rest + w->at, left + 1);
    memcpy(w->rest, target, n);
    w->rest[n] = '/';
    w->at = 0;
    w->rest_len = n + 1 + left;
    return AQFS_OK;
}

static int follow_link(struct path_walker *w, int link, struct error *e) {
    char target[PATH_BYTES_MAX + 1];
    if (refuse_hidden(w, e))
        return AQFS_RESTRICTED;
    if (++w->links > LINKS_MAX)
        return fail_path_walk(w, e, ELOOP);
    if (beneath_is_on_proc(link))
        return fail_outside(w, e);
    ssize_t n = readlinkat(link, "", target, sizeof target);
    if (n <= 0 || (size_t)n >= sizeof target)
        return fail_path_walk(w, e, n < 0 ? errno : ENAMETOOLONG);
    int code = passed_link(w->ws, w->root, w->path, w->rest + w->at, &w->passed, e);
    if (code)
        return code;
    w->must_be_dir |= rest_is_empty(w) && path_ends_as_directory(target, (size_t)n);
    code = prepend(w, target, (size_t)n, e);
    if (code)
        return code;
    drop_last(w);
    w->info = (struct info){.type = NODE_DIRECTORY};
    if (target[0] == '/') {
        w->root = NULL;
        w->len = 0;
        w->path[0] = '\0';
        return enter_root_if_there(w, e);
    }
    return AQFS_OK;
}

/* With LOCATE_MISSING the rest of a path that does not exist is taken as text. */
static int take_missing(struct path_walker *w, struct error *e) {
    if (!(w->flags & LOCATE_MISSING) || path_has_dotdot(w->rest + w->at))
        return fail_path_walk(w, e, ENOENT);
    w->info = (struct info){.type = NODE_MISSING};
    return AQFS_OK;
}

/* Is another root, inside this one, at or below `path`?  *INNER is the root that is exactly there,
 * or NULL. */
static bool leads_to_inner_root(const struct path_walker *w, const struct root **inner) {
    bool leads = false;
    *inner = NULL;
    for (size_t i = 0; i < w->ws->root_count; i++) {
        const struct root *r = &w->ws->roots[i];
        if (r->len <= w->root->len || !path_is_below(r->path, r->len, w->root->path, w->root->len))
            continue;
        const char *rest = r->path + w->root->len + 1;
        size_t n = r->len - w->root->len - 1;
        leads = leads || path_is_below(rest, n, w->path, w->len);
        *inner = equal_names(rest, n, w->path, w->len) ? r : *inner;
    }
    return leads;
}

/* Enters a root inside this one by its own descriptor, since it may be on another mount. */
static bool enter_inner_root(struct path_walker *w) {
    const struct root *inner;
    if (w->ws->root_count == 1 || !leads_to_inner_root(w, &inner) || !inner)
        return false;
    w->root = inner;
    w->len = 0;
    w->path[0] = '\0';
    w->info.type = NODE_DIRECTORY;
    return true;
}

/* Refuses a restricted place under a name that no rule is of.  By the name of a rule, the rules
 * decide about the whole path: some may allow what is below. */
static int refuse_other_name(const struct path_walker *w, struct error *e) {
    if (!w->ws->hidden || workspace_hides(w->ws, w->root, w->path, w->len))
        return AQFS_OK;
    return hidden_refuse(w->ws->hidden, &w->info, e);
}

static int look_at_component(struct path_walker *w, struct error *e) {
    const struct root *inner;
    if (enter_inner_root(w))
        return AQFS_OK;
    AUTO(cleanup_close) int fd = beneath_open(w->ws, w->root, w->path, O_PATH);
    int error = fd < 0 ? fd : kernel_stat(fd, &w->info);
    if (error == -EXDEV && leads_to_inner_root(w, &inner)) {
        w->info.type = NODE_DIRECTORY; /* the inner root's canonical path leads through it, so it is
                                          a directory */
        return AQFS_OK;
    }
    if (error == -ENOENT)
        return take_missing(w, e);
    if (error == -ENOTDIR || error == -ELOOP)
        return fail_path_raced(e); /* the directory above was a plain directory just now */
    if (error)
        return fail_path_walk(w, e, -error);
    if (refuse_other_name(w, e))
        return AQFS_RESTRICTED;
    if (w->info.type != NODE_SYMLINK)
        return AQFS_OK;
    if ((w->flags & LOCATE_LINK) && rest_is_empty(w) && !w->must_be_dir)
        return AQFS_OK;
    return follow_link(w, fd, e);
}

static int walk_component(struct path_walker *w, const char *name, size_t n, struct error *e) {
    if (w->root && w->info.type == NODE_MISSING)
        return append_component(w, name, n, e);
    if (w->root && w->info.type != NODE_DIRECTORY)
        return fail_path_walk(w, e, ENOTDIR);
    if (equal_names(name, n, "..", 2))
        return go_to_parent(w, e);
    int code = append_component(w, name, n, e);
    if (code)
        return code;
    return w->root ? look_at_component(w, e) : enter_root_if_there(w, e);
}

static int walk_rest(struct path_walker *w, struct error *e) {
    while (w->at < w->rest_len) {
        char name[NAME_BYTES_MAX + 1];
        const char *next = w->rest + w->at;
        size_t n = strcspn(next, "/");
        if (n > NAME_BYTES_MAX)
            return fail_path_walk(w, e, ENAMETOOLONG);
        memcpy(name, next, n);
        w->at += next[n] ? n + 1 : n;
        if (n == 0 || equal_names(name, n, ".", 1))
            continue;
        int code = walk_component(w, name, n, e);
        if (code)
            return code;
    }
    return w->root ? AQFS_OK : fail_outside(w, e);
}

/* The fast way: most paths have no link, and one open shows that.  Where something is restricted,
 * each directory on the way is compared with it. */
static bool walk_plain(struct path_walker *w) {
    if (w->ws->hidden || w->rest[0] == '/' || strstr(w->rest, "..") || strstr(w->rest, "./") ||
        strstr(w->rest, "//"))
        return false;
    size_t n = w->rest_len;
    while (n > 0 && w->rest[n - 1] == '/')
        n--;
    if (n == 0 || n > PATH_BYTES_MAX || (n == 1 && w->rest[0] == '.') ||
        (n >= 2 && memcmp(w->rest + n - 2, "/.", 2) == 0))
        return false;
    memcpy(w->path, w->rest, n);
    w->path[n] = '\0';
    int fd = beneath_open(w->ws, w->root, w->path, O_PATH);
    struct info info;
    const bool plain = fd >= 0 && kernel_stat(fd, &info) == 0 && info.type != NODE_SYMLINK;
    if (fd >= 0)
        (void)close(fd);
    if (plain) {
        w->len = n;
        w->info = info;
        return true;
    }
    w->path[0] = '\0';
    return false;
}

/* Names the place by the deepest root that contains it, however the walk reached it. */
static int settle_place(const struct path_walker *w, struct place *out, struct error *e) {
    char absolute[2 * (PATH_BYTES_MAX + 1)];
    memcpy(absolute, w->root->path, w->root->len);
    size_t n = w->root->len;
    if (w->len > 0) {
        absolute[n++] = '/';
        memcpy(absolute + n, w->path, w->len);
        n += w->len;
    }
    absolute[n] = '\0';
    const struct root *deepest = w->root;
    for (size_t i = 0; i < w->ws->root_count; i++) {
        const struct root *r = &w->ws->roots[i];
        if (r->len > deepest->len && path_is_below(absolute, n, r->path, r->len))
            deepest = r;
    }
    const char *relative = absolute + deepest->len + (n > deepest->len);
    size_t len = strlen(relative);
    if (len > PATH_BYTES_MAX)
        return fail_errno(e, ENAMETOOLONG, "path");
    out->root = deepest;
    out->type = w->info.type;
    out->must_be_dir = w->must_be_dir;
    out->passed = w->passed.level;
    out->passed_secret = w->passed.secret;
    out->len = len;
    memcpy(out->path, relative, len + 1);
    return AQFS_OK;
}

int host_locate(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                struct place *out, struct buf *names, struct error *e) {
    struct path_walker w; /* not zeroed as a whole: it holds three paths */
    w.ws = ws;
    w.flags = flags;
    w.root = &ws->roots[0];
    w.path[0] = '\0';
    w.len = w.at = 0;
    w.links = flags & LOCATE_FROM_LINK ? 1 : 0;
    memcpy(w.rest, path, n);
    w.rest[n] = '\0';
    w.rest_len = n;
    w.must_be_dir = path_ends_as_directory(path, n);
    w.info = (struct info){.type = NODE_DIRECTORY};
    w.passed = (struct passed){.names = names};
    hidden_refresh(ws->hidden);

    int code = AQFS_OK;
    if (!walk_plain(&w)) {
        if (path[0] == '/') {
            w.root = NULL;
            code = enter_root_if_there(&w, e);
        }
        if (!code)
            code = walk_rest(&w, e);
    }
    if (!code && w.must_be_dir && w.info.type != NODE_DIRECTORY && w.info.type != NODE_MISSING)
        code = fail_path_walk(&w, e, ENOTDIR);
    return code ? code : settle_place(&w, out, e);
}

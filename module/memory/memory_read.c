/* memory_read.c -- looking at a tree in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"

#include "path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct info memory_info(const struct memory_object *object) {
    return (struct info){
        .type = object->is_directory ? NODE_DIRECTORY : NODE_FILE,
        .size = object->bytes ? (int64_t)object->bytes->n : 0,
        .modified_ns = object->modified_ns,
        .changed_ns = object->modified_ns,
        .created_ns = object->created_ns,
        .accessed_ns = TIME_UNKNOWN,
        .inode = object->inode,
        .revision = object->revision,
    };
}

int memory_node(struct memory *memory, struct memory_object *object, const char *path,
                struct node *out, struct error *e) {
    size_t n = object->is_directory ? strlen(path) : 0;
    struct memory_handle *handle = malloc(sizeof *handle + n + 1);
    if (!handle)
        return fail_memory(e);
    handle->memory = memory;
    handle->object = memory_object_keep(object);
    memcpy(handle->path, path, n);
    handle->path[n] = '\0';
    *out = (struct node){
        .backend = &memory_backend, .fd = -1, .object = handle, .info = memory_info(object)};
    return AQFS_OK;
}

static void memory_close(struct node *node) {
    struct memory_handle *handle = node->object;
    if (handle)
        memory_object_drop(handle->object);
    free(handle);
    node->object = NULL;
}

/* -- from a spelling to a place ---------------------------------------------------------------
 *
 * The rules are those of resolve.c without links: `..` needs an existing directory before it, and
 * above the root the text alone decides whether the path comes back.
 */

struct memory_walker {
    const struct aqfs_workspace *ws;
    struct memory_object *top;
    struct memory_object *at; /* the object that `path` names, or NULL when there is none */
    bool above;               /* at the directory that the root is in */
    char path[PATH_BYTES_MAX + 1];
    size_t len;
};

static int fail_memory_hidden(struct error *e) {
    return fail_path(e, AQFS_RESTRICTED, FAULT_BY_CODE, "It is restricted");
}

static int fail_above_memory(struct error *e) {
    return fail_path(e, AQFS_OUTSIDE_ROOT, FAULT_BY_CODE, "It is outside the project root");
}

static int fail_memory_walk(const struct memory_walker *w, int errnum, struct error *e) {
    if (workspace_hides(w->ws, &w->ws->roots[0], w->path, w->len))
        return fail_memory_hidden(e);
    return fail_path_errno(e, errnum, "path");
}

static int go_up_in_memory(struct memory_walker *w, struct error *e) {
    if (workspace_hides(w->ws, &w->ws->roots[0], w->path, w->len))
        return fail_memory_hidden(e);
    w->above = w->above || w->len == 0;
    while (w->len > 0 && w->path[w->len - 1] != '/')
        w->len--;
    w->len -= w->len > 0;
    w->path[w->len] = '\0';
    w->at = memory_tree_find(w->top, w->path, NULL);
    return AQFS_OK;
}

static int go_down(struct memory_walker *w, const char *name, size_t n, const char *rest,
                   unsigned flags, struct error *e) {
    if (w->len + (w->len > 0) + n > PATH_BYTES_MAX)
        return fail_errno(e, ENAMETOOLONG, "path");
    if (w->len > 0)
        w->path[w->len++] = '/';
    memcpy(w->path + w->len, name, n);
    w->path[w->len += n] = '\0';
    if (!w->at)
        return AQFS_OK;
    w->at = memory_map_find(w->at->entries, name, n);
    if (!w->at && (!(flags & LOCATE_MISSING) || path_has_dotdot(rest)))
        return fail_memory_walk(w, ENOENT, e);
    return AQFS_OK;
}

static int walk_into_name(struct memory_walker *w, const char *name, size_t n, unsigned flags,
                          struct error *e) {
    const char *root = w->ws->roots[0].path + 1;
    bool up = n == 2 && memcmp(name, "..", 2) == 0;
    if (w->at && !w->at->is_directory)
        return fail_memory_walk(w, ENOTDIR, e);
    if (up)
        return go_up_in_memory(w, e);
    if (!w->above)
        return go_down(w, name, n, name + n, flags, e);
    if (n != strlen(root) || memcmp(name, root, n) != 0)
        return fail_above_memory(e);
    w->above = false;
    return AQFS_OK;
}

static int walk_spelling(struct memory_walker *w, const char *path, unsigned flags,
                         struct error *e) {
    w->above = *path == '/';
    while (*path) {
        size_t n = strcspn(path, "/");
        bool stays = n == 0 || (n == 1 && *path == '.');
        int code = stays ? AQFS_OK : walk_into_name(w, path, n, flags, e);
        if (code)
            return code;
        path += n + (path[n] == '/');
    }
    return w->above ? fail_above_memory(e) : AQFS_OK;
}

static int memory_locate(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                         struct place *out, struct buf *names, struct error *e) {
    (void)names; /* there are no links */
    struct memory_walker w = {.ws = ws, .top = memory_top(ws->memory)};
    w.at = w.top;
    int code = walk_spelling(&w, path, flags, e);
    bool must_be_dir = path_ends_as_directory(path, n);
    if (!code && must_be_dir && w.at && !w.at->is_directory)
        code = fail_memory_walk(&w, ENOTDIR, e);
    if (!code) {
        out->root = &ws->roots[0];
        out->type = !w.at ? NODE_MISSING : w.at->is_directory ? NODE_DIRECTORY : NODE_FILE;
        out->must_be_dir = must_be_dir;
        out->passed = PROTECT_NONE;
        out->passed_secret = NULL;
        out->len = w.len;
        memcpy(out->path, w.path, w.len + 1);
    }
    memory_object_drop(w.top);
    return code;
}

/* -- opening ---------------------------------------------------------------------------------- */

static int fail_memory_raced(struct error *e) {
    return fail_path(e, AQFS_RACED, FAULT_BY_CODE, "It changed while it was opened");
}

/* Opens OBJECT, which is at PATH; NULL says that nothing is there. */
static int open_object(struct memory *memory, struct memory_object *object, const char *path,
                       enum open_kind kind, struct node *out, struct error *e) {
    if (!object)
        return fail_path_errno(e, ENOENT, "open");
    if ((kind == OPEN_FILE || kind == OPEN_UNSEEN) && object->is_directory)
        return fail_path(e, AQFS_IS_DIRECTORY, FAULT_BY_CODE, "It is a directory");
    if (kind == OPEN_DIRECTORY && !object->is_directory)
        return fail_memory_raced(e);
    return memory_node(memory, object, path, out, e);
}

static int memory_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
                       enum open_kind kind, struct node *out, struct error *e) {
    (void)root; /* a workspace in memory has one root */
    bool through_file;
    struct memory_object *top = memory_top(ws->memory);
    struct memory_object *object = memory_tree_find(top, path, &through_file);
    int code =
        through_file ? fail_memory_raced(e) : open_object(ws->memory, object, path, kind, out, e);
    memory_object_drop(top);
    return code;
}

static bool memory_has_above(const struct node *dir, size_t up, const char *name) {
    const struct memory_handle *handle = dir->object;
    char path[PATH_BYTES_MAX + 1];
    (void)snprintf(path, sizeof path, "%s", handle->path);
    while (up-- > 0) {
        char *slash = strrchr(path, '/');
        *(slash ? slash : path) = '\0';
    }
    struct memory_object *top = memory_top(handle->memory);
    const struct memory_object *above = memory_tree_find(top, path, NULL);
    bool has = above && above->is_directory && memory_map_find(above->entries, name, strlen(name));
    memory_object_drop(top);
    return has;
}

struct memory_object *memory_directory_now(const struct memory_handle *handle,
                                           struct memory_object *top, struct error *e) {
    struct memory_object *now = memory_tree_find(top, handle->path, NULL);
    if (now && now->inode == handle->object->inode)
        return now;
    fail_errno(e, ENOENT, "directory");
    return NULL;
}

/* Sets *OUT to the entry NAME of an open directory, for the caller to drop, or NULL when there is
 * none. */
static int entry_of(const struct node *dir, const char *name, struct memory_object **out,
                    struct error *e) {
    const struct memory_handle *handle = dir->object;
    struct memory_object *top = memory_top(handle->memory);
    const struct memory_object *now = memory_directory_now(handle, top, e);
    if (now)
        *out = memory_object_keep(memory_map_find(now->entries, name, strlen(name)));
    int code = now ? AQFS_OK : (int)e->code;
    memory_object_drop(top);
    return code;
}

static int memory_open_below(const struct node *dir, const char *name, enum open_kind kind,
                             struct node *out, struct error *e) {
    const struct memory_handle *handle = dir->object;
    struct memory_object *object = NULL;
    int code = entry_of(dir, name, &object, e);
    if (code)
        return code;
    struct buf path = {0};
    buf_printf(&path, handle->path[0] ? "%s/%s" : "%s%s", handle->path, name);
    code =
        path.failed ? fail_memory(e) : open_object(handle->memory, object, path.data, kind, out, e);
    buf_free(&path);
    memory_object_drop(object);
    return code;
}

static int memory_list(const struct node *dir, list_each each, void *data, struct error *e) {
    const struct memory_handle *handle = dir->object;
    struct memory_object *top = memory_top(handle->memory);
    const struct memory_object *now = memory_directory_now(handle, top, e);
    int code = now ? AQFS_OK : (int)e->code;
    struct memory_cursor cursor = {.map = now ? now->entries : NULL};
    while (!code && memory_cursor_next(&cursor))
        code = each(data, cursor.name, cursor.n,
                    cursor.object->is_directory ? NODE_DIRECTORY : NODE_FILE);
    memory_object_drop(top);
    return code;
}

static int memory_stat_below(const struct node *dir, const char *name, struct info *out,
                             struct error *e) {
    struct memory_object *object = NULL;
    int code = entry_of(dir, name, &object, e);
    if (code)
        return code;
    if (!object)
        return fail_errno(e, ENOENT, "stat");
    *out = memory_info(object);
    memory_object_drop(object);
    return AQFS_OK;
}

static int memory_readlink_below(const struct node *dir, const char *name, struct buf *out,
                                 struct error *e) {
    (void)dir, (void)name, (void)out;
    return fail_errno(e, EINVAL, "read link");
}

static ssize_t memory_read(const struct node *file, char *out, size_t n, int64_t offset) {
    const struct memory_handle *handle = file->object;
    const struct memory_bytes *bytes = handle->object->bytes;
    if (!bytes)
        return -EISDIR;
    if (offset >= (int64_t)bytes->n)
        return 0;
    size_t left = bytes->n - (size_t)offset;
    n = n < left ? n : left;
    memcpy(out, bytes->data + offset, n);
    return (ssize_t)n;
}

/* An open object never changes: a write makes another one. */
static int memory_stat(const struct node *any, struct info *out, struct error *e) {
    (void)e;
    const struct memory_handle *handle = any->object;
    *out = memory_info(handle->object);
    return AQFS_OK;
}

static bool memory_may(const struct node *any, bool write) {
    (void)any, (void)write;
    return true;
}

/* -- no disk, no other programs --------------------------------------------------------------- */

static int memory_sync(const struct node *any, struct error *e) {
    (void)any, (void)e;
    return AQFS_OK;
}

/* Objects never change, so every file is guarded. */
static enum guard_state memory_guard(const struct node *file) {
    (void)file;
    return GUARD_HELD;
}

static bool memory_guard_holds(const struct node *file) {
    (void)file;
    return true;
}

const struct backend memory_backend = {
    .name = "memory",
    .open_roots = memory_open_roots,
    .reset = memory_start_anew,
    .locate = memory_locate,
    .open = memory_open,
    .open_below = memory_open_below,
    .list = memory_list,
    .has_above = memory_has_above,
    .stat_below = memory_stat_below,
    .readlink_below = memory_readlink_below,
    .read = memory_read,
    .stat = memory_stat,
    .may = memory_may,
    .make_directory = memory_make_directory,
    .remove = memory_remove,
    .rename = memory_rename,
    .stage = memory_stage,
    .guard = memory_guard,
    .guard_holds = memory_guard_holds,
    .sync = memory_sync,
    .close = memory_close,
};

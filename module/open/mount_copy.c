/* mount_copy.c -- copying a directory or file of this machine into memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mount_parts.h"

#include "cleanup.h"
#include "walk.h"

#include <string.h>

/* Tries to read a file that another program is writing to. */
#define READ_ROUNDS 16

/* Links to directories that may be followed one inside the other. */
#define NESTING 16

/* A directory that is being copied. */
struct source_directory {
    const struct source_directory *from; /* the directory with the link to this one, or NULL */
    const struct place *place;
    const char *below; /* its path below the mount's start, links included; "" is the start */
    int nesting;
};

struct copying {
    struct mount *mount;
    const struct source_directory *directory;
    struct error *e;
    char skipped[WALK_PATH_MAX]; /* the excluded directory that the walk is in, or "" */
};

/* -- putting into the tree -------------------------------------------------------------------- */

static int fail_mount_copy(const char *path, enum code code, const char *problem, struct error *e) {
    char label[PATH_LABEL];
    path_label(path, strlen(path), label);
    (void)fail(e, code, "'%.300s' %s", label, problem);
    error_hint(e, "Leave it out by exclude_glob, or mount less");
    return (int)code;
}

int mount_target(const struct mount *m, const char *below, struct buf *out, struct error *e) {
    buf_str(out, m->path);
    if (m->path[0] && below[0])
        buf_char(out, '/');
    buf_str(out, below);
    if (out->failed)
        return fail_memory(e);
    if (out->len > PATH_BYTES_MAX)
        return fail_mount_copy(below, AQFS_TOO_LONG, "would have too long a path", e);
    if (out->len == 0 || !m->ws->backend->accept)
        return AQFS_OK;
    struct error why;
    int code = m->ws->backend->accept(m->ws, out->data, out->len, &why);
    return code
               ? fail_mount_copy(below, (enum code)code, "has a path that a session cannot have", e)
               : AQFS_OK;
}

static int put_mounted(const struct mount *m, const char *below, struct memory_object *object,
                       struct error *e) {
    AUTO(buf_free) struct buf target = {0};
    int code = mount_target(m, below, &target, e);
    if (code)
        return code;
    struct memory *memory = m->ws->memory;
    if (target.len == 0 && !object->is_directory)
        return fail(e, AQFS_INVALID_ARGUMENT, "mount_path: a file cannot be the root");
    struct memory_object *top = memory_tree_put(memory->top, target.data, object);
    if (!top)
        return fail_memory(e);
    memory_object_drop(memory->top);
    memory->top = top;
    return AQFS_OK;
}

/* Makes a directory in the workspace.  An existing one stays with its contents. */
static int put_directory(const struct mount *m, const char *below, struct error *e) {
    AUTO(buf_free) struct buf target = {0};
    struct memory *memory = m->ws->memory;
    int code = mount_target(m, below, &target, e);
    const struct memory_object *there =
        code ? NULL : memory_tree_find(memory->top, target.data, NULL);
    if (code || (there && there->is_directory))
        return code;
    struct memory_object *made = memory_directory_new(memory->meter);
    code = made ? put_mounted(m, below, made, e) : fail_memory(e);
    memory_object_drop(made);
    return code;
}

/* -- files ------------------------------------------------------------------------------------ */

static int check_mount_room(const struct mount *m, const char *below, int64_t size,
                            struct error *e) {
    const struct mounted *done = m->done;
    const struct memory *memory = m->ws->memory;
    if (size > m->most - done->bytes)
        return fail_mount_copy(below, AQFS_LIMIT, "would make it more than max_bytes", e);
    if (size > m->left - done->bytes)
        return fail_mount_copy(below, AQFS_LIMIT,
                               "would make all mounts more than limits.mount_bytes", e);
    if (size > memory->most - atomic_load(&memory->meter->bytes) - MEMORY_OBJECT_BYTES)
        return fail_mount_copy(below, AQFS_LIMIT,
                               "would make the files more than limits.memory_bytes", e);
    return AQFS_OK;
}

/* Reads the bytes of an open file; AQFS_RACED when it changed meanwhile. */
static int read_source_file(const struct mount *m, const struct node *file,
                            struct memory_bytes **out, struct error *e) {
    size_t n = (size_t)file->info.size;
    struct info now = {0};
    struct memory_bytes *bytes = memory_bytes_new(m->ws->memory->meter, n);
    if (!bytes)
        return fail_memory(e);
    ssize_t got = n > 0 ? file->backend->read(file, bytes->data, n, 0) : 0;
    int code = got < 0 ? fail_errno(e, (int)-got, "read") : file->backend->stat(file, &now, e);
    if (!code && ((size_t)got != n || now.size != file->info.size ||
                  now.modified_ns != file->info.modified_ns))
        code = fail(e, AQFS_RACED, "It keeps changing while it is read");
    if (code)
        memory_bytes_drop(bytes);
    else
        *out = bytes;
    return code;
}

/* AQFS_LIMIT keeps its message: it is about memory or descriptors, not about the file. */
static int fail_unreadable(const char *below, int code, struct error *e) {
    return code == AQFS_LIMIT ? code : fail_mount_copy(below, (enum code)code, "cannot be read", e);
}

static int copy_open_file(const struct mount *m, const struct node *file, const char *below,
                          struct error *e) {
    struct memory_bytes *bytes = NULL;
    int code = check_mount_room(m, below, file->info.size, e);
    if (code)
        return code;
    code = read_source_file(m, file, &bytes, e);
    if (code)
        return fail_unreadable(below, code, e);
    struct memory_object *made = memory_file_new(m->ws->memory->meter, bytes, NULL);
    if (!made)
        return fail_memory(e);
    made->executable = file->info.mode & 0100;
    code = put_mounted(m, below, made, e);
    memory_object_drop(made);
    m->done->files++;
    m->done->bytes += file->info.size;
    return code;
}

static int copy_file(const struct mount *m, const struct root *root, const char *path,
                     const char *below, struct error *e) {
    struct place from = {.root = root, .type = NODE_FILE, .len = strlen(path)};
    int code = AQFS_RACED;
    memcpy(from.path, path, from.len + 1);
    for (int round = 0; code == AQFS_RACED && round < READ_ROUNDS; round++) {
        AUTO(node_close) struct node file = {0};
        code = m->source->backend->open(m->source, root, path, OPEN_FILE, &file, e);
        code = code ? fail_unreadable(below, code, e) : copy_open_file(m, &file, below, e);
        code = code ? code : mount_keep_secret(m, &from, &file.info, below, e);
    }
    return code;
}

/* -- directories ------------------------------------------------------------------------------ */

static int copy_directory(struct mount *m, const struct source_directory *d, struct error *e);

/* Is LINK, or a directory whose copying led to it, inside of PLACE, the target of LINK?  Then
 * copying PLACE would not end. */
static bool leads_in_circles(const struct source_directory *d, const struct place *link,
                             const struct place *place) {
    for (; d; link = d->place, d = d->from)
        if (path_is_below(link->path, link->len, place->path, place->len))
            return true;
    return false;
}

static bool matches_any_glob(const struct glob_set *set, const char *below) {
    for (size_t i = 0; i < set->n; i++)
        if (glob_matches(set->globs[i], below, strlen(below)))
            return true;
    return false;
}

/* PATH, which is below the source's root, as the globs see it: below the mount's start if it is. */
static const char *below_start(const struct mount *m, const char *path) {
    const struct place *start = &m->start;
    if (start->len > 0 && path_is_below(path, strlen(path), start->path, start->len))
        path += start->len + (path[start->len] == '/');
    return path;
}

/* Does an exclude_glob match PATH, where a link leads to, or a directory above it?  Whatever name
 * leads there, what is excluded is not brought. */
static bool excludes_target(const struct mount *m, const char *path) {
    char part[PATH_BYTES_MAX + 1];
    const char *below = below_start(m, path);
    for (size_t n = 0; below[n]; n++) {
        n += strcspn(below + n, "/");
        memcpy(part, below, n);
        part[n] = '\0';
        if (matches_any_glob(&m->exclude, part))
            return true;
        if (!below[n])
            break;
    }
    return false;
}

/* Is a file wanted that is called BELOW in the mount, and that lies at PATH? */
static bool includes(const struct mount *m, const char *below, const char *path) {
    return m->include.n == 0 || (matches_any_glob(&m->include, below) &&
                                 matches_any_glob(&m->include, below_start(m, path)));
}

static int copy_linked(struct copying *c, const struct place *link, const struct place *place,
                       const char *below) {
    const struct source_directory *d = c->directory;
    if (excludes_target(c->mount, place->path))
        return AQFS_OK;
    if (place->type == NODE_FILE)
        return includes(c->mount, below, place->path)
                   ? copy_file(c->mount, place->root, place->path, below, c->e)
                   : AQFS_OK;
    if (place->type != NODE_DIRECTORY) {
        c->mount->done->skipped++;
        return AQFS_OK;
    }
    if (d->nesting == NESTING || leads_in_circles(d, link, place))
        return fail_mount_copy(below, AQFS_LOOP, "is a link that leads back to where it is", c->e);
    struct source_directory next = {
        .from = d, .place = place, .below = below, .nesting = d->nesting + 1};
    return copy_directory(c->mount, &next, c->e);
}

/* Copies the target of a link.  It is located in the allowed root's workspace, whose boundary it
 * cannot cross. */
static int copy_link(struct copying *c, const char *full, const char *below) {
    AUTO(buf_free) struct buf spelled = {0};
    struct place link, place;
    struct error why;
    path_show(&spelled, full, strlen(full));
    if (spelled.failed)
        return fail_memory(c->e);
    struct text_ref text = {spelled.data, spelled.len};
    int code = workspace_locate(c->mount->source, text, LOCATE_LINK, &link, &why);
    if (!code)
        code = workspace_locate(c->mount->source, text, 0, &place, &why);
    if (code == AQFS_OUTSIDE_ROOT)
        return fail_mount_copy(below, AQFS_OUTSIDE_ROOT,
                               "is a link that leads out of the allowed_host_roots", c->e);
    if (code == AQFS_NOT_FOUND || code == AQFS_RESTRICTED) { /* its target is not there */
        c->mount->done->skipped++;
        return AQFS_OK;
    }
    return code ? fail_mount_copy(below, (enum code)code, "is a link that cannot be followed", c->e)
                : copy_linked(c, &link, &place, below);
}

static int copy_entry(struct copying *c, const struct walk_entry *entry, const char *full,
                      const char *below) {
    struct mount *m = c->mount;
    if (entry->type == NODE_DIRECTORY) {
        if (entry->dir && entry->dir->error && entry->dir->error != AQFS_OUTSIDE_ROOT)
            return fail_mount_copy(below, (enum code)entry->dir->error, "cannot be read", c->e);
        m->done->skipped += entry->dir && entry->dir->error; /* it is on another mount */
        return m->include.n == 0 ? put_directory(m, below, c->e) : AQFS_OK;
    }
    if (entry->type == NODE_SYMLINK && m->follows)
        return copy_link(c, full, below);
    if (entry->type != NODE_FILE) {
        m->done->skipped++;
        return AQFS_OK;
    }
    return includes(m, below, full) ? copy_file(m, c->directory->place->root, full, below, c->e)
                                    : AQFS_OK;
}

static int each_entry(void *data, struct walk_ref ref) {
    struct copying *c = data;
    const struct source_directory *d = c->directory;
    char path[WALK_PATH_MAX];
    size_t n = walk_path(ref.dir, ref.entry, path);
    AUTO(buf_free) struct buf full = {0}, below = {0};
    if (c->skipped[0] && path_is_below(path, n, c->skipped, strlen(c->skipped)))
        return AQFS_OK;
    buf_printf(&full, d->place->len ? "%s/%s" : "%s%s", d->place->path, path);
    buf_printf(&below, d->below[0] ? "%s/%s" : "%s%s", d->below, path);
    if (full.failed || below.failed)
        return fail_memory(c->e);
    if (full.len > PATH_BYTES_MAX)
        return fail_mount_copy(below.data, AQFS_TOO_LONG, "has too long a path", c->e);
    if (matches_any_glob(&c->mount->exclude, below.data) ||
        matches_any_glob(&c->mount->exclude, below_start(c->mount, full.data))) {
        if (ref.entry->type == NODE_DIRECTORY)
            memcpy(c->skipped, path, n + 1);
        return AQFS_OK;
    }
    return copy_entry(c, ref.entry, full.data, below.data);
}

static int copy_directory(struct mount *m, const struct source_directory *d, struct error *e) {
    AUTO(walk_free) struct walk walk = {0};
    struct copying c = {.mount = m, .directory = d, .e = e};
    struct walk_options options = {.order = WALK_BY_PATH};
    struct budget budget = {0};
    int code = walk_run(m->source, d->place, &options, &budget, &walk, e);
    if (!code && walk.cut)
        code = fail_mount_copy(d->below, AQFS_LIMIT,
                               "has more entries or levels than one call looks at", e);
    if (!code && walk.start->error)
        code = fail_mount_copy(d->below, (enum code)walk.start->error, "cannot be read", e);
    if (!code)
        code = put_directory(m, d->below, e);
    return code ? code : walk_each(&walk, each_entry, &c);
}

int mount_copy(struct mount *m, struct error *e) {
    struct source_directory start = {.place = &m->start, .below = ""};
    if (m->start.type == NODE_FILE)
        return copy_file(m, m->start.root, m->start.path, "", e);
    if (m->start.type != NODE_DIRECTORY)
        return fail(e, AQFS_NOT_REGULAR, "host_path: expected a directory or a file");
    const struct info directory = {.type = NODE_DIRECTORY};
    int code = mount_keep_secret(m, &m->start, &directory, "", e);
    return code ? code : copy_directory(m, &start, e);
}

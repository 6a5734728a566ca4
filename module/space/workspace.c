/* workspace.c -- a project and its boundary.
 *
 * SPDX-License-Identifier: MIT
 */
#include "workspace.h"

#include "cleanup.h"
#include "work.h"

#include <string.h>

/* Tries of locating and opening a path.  A tree that changes during each of them is being changed
 * on purpose. */
#define RACE_ROUNDS 64

const char *const origin_names[] = {
    [ORIGIN_PERSON] = "person",
    [ORIGIN_MODEL] = "model",
    [ORIGIN_UNDO] = "undo",
};

/* -- calls ---------------------------------------------------------------------------------------
 */

int workspace_enter(struct aqfs_workspace *ws, struct error *e) {
    pthread_mutex_lock(&ws->lock);
    int code = AQFS_OK;
    if (ws->closed)
        code = fail(e, AQFS_INVALID_ARGUMENT, "The workspace is closed");
    else if (ws->backend->begin)
        code = ws->backend->begin(ws, e);
    ws->running += !code;
    pthread_mutex_unlock(&ws->lock);
    return code;
}

void workspace_leave(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    if (--ws->running == 0 && ws->closed)
        ws->release(ws);
    pthread_mutex_unlock(&ws->lock);
}

/* -- paths ------------------------------------------------------------------------------------ */

static bool denies(const struct rules *rules, const struct root *root, const char *path, size_t n) {
    /* A walk asks about names in a directory whose own path already has the greatest length. */
    char absolute[2 * (PATH_BYTES_MAX + 1) + NAME_BYTES_MAX + 1];
    memcpy(absolute, root->path, root->len);
    size_t len = root->len;
    if (n > 0) {
        absolute[len++] = '/';
        memcpy(absolute + len, path, n);
        len += n;
    }
    return rules_deny(rules, absolute, len);
}

bool workspace_hides(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                     size_t n) {
    return ws->rules.any_deny && denies(&ws->rules, root, path, n);
}

bool workspace_protects(const struct aqfs_workspace *ws, const struct root *root,
                        const char *path) {
    return ws->protects.any_deny && denies(&ws->protects, root, path, strlen(path));
}

void place_show(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                size_t n, struct buf *out) {
    bool own = root == &ws->roots[0];
    if (!own) {
        buf_add(out, root->path, root->len);
        buf_char(out, '/');
    }
    if (n > 0)
        buf_add(out, path, n);
    else if (own)
        buf_char(out, '.');
    else if (root->len > 0)
        out->data[--out->len] = '\0'; /* without the slash added above: this is the root itself */
}

/* Writes the path as it was given, for messages.  A leading quote or tilde is syntax there, and
 * must not be escaped as path_label would escape it. */
static void label_given(struct text_ref given, char label[PATH_LABEL + 1]) {
    size_t lead = given.len > 0 && strchr("\"~", given.data[0]);
    label[0] = lead ? given.data[0] : '\0';
    path_label(given.data + lead, given.len - lead, label + lead);
}

/* Gives an unnamed error of the path GIVEN the message that names it as the caller spelled it. */
static int name_path(const struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    char label[PATH_LABEL + 1], root[PATH_LABEL];
    if (e->unnamed == FAULT_NONE)
        return (int)e->code;
    label_given(given, label);
    path_label(ws->roots[0].path, ws->roots[0].len, root);
    if (e->unnamed == FAULT_MOUNT)
        return fail(e, e->code,
                    "Path '%s' is on another file system, mounted inside the project root", label);
    if (e->unnamed == FAULT_NAMES)
        return fail(e, e->code,
                    "Path '%s' is restricted: it has several names, and the restricted directories "
                    "have too many files, or cannot be read, to tell whether one of them is there",
                    label);
    bool by_link = e->unnamed == FAULT_LINK;
    switch (e->code) {
    case AQFS_OUTSIDE_ROOT:
        (void)fail(e, AQFS_OUTSIDE_ROOT, OUTSIDE_ROOT_MESSAGE, label, root);
        if (by_link)
            error_hint(e, "A link in it leads out; get_file_info shows the link itself");
        return AQFS_OUTSIDE_ROOT;
    case AQFS_RESTRICTED:
        return fail(e, AQFS_RESTRICTED, "Path '%s' is restricted", label);
    case AQFS_NOT_FOUND:
        return fail(e, AQFS_NOT_FOUND, "Path '%s' does not exist", label);
    case AQFS_NOT_A_DIRECTORY:
        return fail(e, AQFS_NOT_A_DIRECTORY, "Path '%s' is not a directory", label);
    case AQFS_IS_DIRECTORY:
        return fail(e, AQFS_IS_DIRECTORY, "Path '%s' is a directory", label);
    case AQFS_NOT_REGULAR:
        return fail(e, AQFS_NOT_REGULAR,
                    "Path '%s' is not a regular file (a device, FIFO or socket)", label);
    case AQFS_PERMISSION:
        return fail(e, AQFS_PERMISSION, "No permission for path '%s'", label);
    case AQFS_LOOP:
        return fail(e, AQFS_LOOP, "Path '%s' leads through too many symbolic links", label);
    case AQFS_RACED:
        return fail(e, AQFS_RACED, "Path '%s' kept changing while it was looked at", label);
    default:
        return (int)e->code; /* the message fits any path, as "path: File name too long" does */
    }
}

static int locate_once(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                       struct place *place, struct buf *names, struct error *e) {
    struct place found;
    int code = ws->backend->locate(ws, path, n, flags | LOCATE_MISSING, &found, names, e);
    if (code)
        return code;
    /* Before asking whether it exists: the answer must not tell. */
    if (workspace_hides(ws, found.root, found.path, found.len))
        return fail_path(e, AQFS_RESTRICTED, FAULT_BY_CODE, "It is restricted");
    if (found.type == NODE_MISSING && !(flags & LOCATE_MISSING))
        return fail_path(e, AQFS_NOT_FOUND, FAULT_BY_CODE, "It does not exist");
    *place = found;
    return AQFS_OK;
}

static int accept(const struct aqfs_workspace *ws, struct text_ref given, char *path, size_t *n,
                  struct error *e) {
    int code = path_accept(given.data, given.len, ws->home, path, n, e);
    return code || !ws->backend->accept ? code : ws->backend->accept(ws, path, *n, e);
}

int workspace_locate(struct aqfs_workspace *ws, struct text_ref given, unsigned flags,
                     struct place *place, struct error *e) {
    return workspace_locate_named(ws, given, flags, place, NULL, e);
}

int workspace_locate_named(struct aqfs_workspace *ws, struct text_ref given, unsigned flags,
                           struct place *place, struct buf *names, struct error *e) {
    char path[PATH_BYTES_MAX + 1];
    size_t n;
    int code = accept(ws, given, path, &n, e);
    if (code)
        return code;
    code = AQFS_RACED;
    for (int round = 0; code == AQFS_RACED && round < RACE_ROUNDS; round++) {
        if (names)
            buf_clear(names);
        code = locate_once(ws, path, n, flags, place, names, e);
    }
    return code ? name_path(ws, given, e) : AQFS_OK;
}

/* Refuses a located place that cannot be opened as KIND. */
static int check_kind(enum node_type type, enum open_kind kind, struct error *e) {
    if (kind == OPEN_DIRECTORY && type != NODE_DIRECTORY)
        return fail_path(e, AQFS_NOT_A_DIRECTORY, FAULT_BY_CODE, "It is not a directory");
    if (kind == OPEN_FILE && type == NODE_DIRECTORY)
        return fail_path(e, AQFS_IS_DIRECTORY, FAULT_BY_CODE, "It is a directory");
    if (kind == OPEN_FILE && type != NODE_FILE)
        return fail_path(e, AQFS_NOT_REGULAR, FAULT_BY_CODE, "It is not a regular file");
    return AQFS_OK;
}

/* Does CODE of an `open` mean that the place has changed since it was located?  Then it is located
 * anew. */
static bool changed_since(int code) {
    return code == AQFS_RACED || code == AQFS_NOT_FOUND || code == AQFS_OUTSIDE_ROOT ||
           code == AQFS_IS_DIRECTORY || code == AQFS_NOT_REGULAR;
}

int workspace_open_path(struct aqfs_workspace *ws, struct text_ref given, enum open_kind kind,
                        struct place *place, struct node *node, struct error *e) {
    char path[PATH_BYTES_MAX + 1];
    size_t n;
    int code = accept(ws, given, path, &n, e);
    if (code)
        return code;
    bool again = true;
    for (int round = 0; again && round < RACE_ROUNDS; round++) {
        code = locate_once(ws, path, n, 0, place, NULL, e);
        again = code == AQFS_RACED;
        if (!code)
            code = check_kind(place->type, kind, e);
        if (code)
            continue;
        code = ws->backend->open(ws, place->root, place->path, kind, node, e);
        again = changed_since(code);
    }
    return code ? name_path(ws, given, e) : AQFS_OK;
}

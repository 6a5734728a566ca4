/* plan_repository.c -- a plan touches no repository's own directory, and makes none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_repository.h"

#include "cleanup.h"
#include "node.h"
#include "protect.h"
#include "repository.h"

#include <stdio.h>
#include <string.h>

/* A directory that the plan puts parts of a repository in. */
struct made_parts {
    const struct place *at; /* something below that directory */
    size_t len;             /* of the directory's path, which at->path begins with */
    unsigned parts;
};

struct repository_check {
    struct work *work;
    const struct place *clean; /* the directories above it were looked at */
    struct buf made;           /* of struct made_parts */
};

static int fail_repository(const struct work *work, const struct place *place, const char *why,
                           struct error *e) {
    AUTO(buf_free) struct buf path = {0};
    char label[PATH_LABEL];
    place_show(work->ws, place->root, place->path, place->len, &path);
    return fail(e, AQFS_RESTRICTED, "Path '%s' is restricted: %s",
                path_label(path.data ? path.data : "", path.len, label), why);
}

static bool open_directory_at(const struct work *work, const struct root *root, const char *path,
                              struct node *out) {
    struct error ignored;
    return work->ws->backend->open(work->ws, root, path, OPEN_ANY, out, &ignored) == AQFS_OK;
}

/* -- inside a repository? ---------------------------------------------------------------------- */

/* Is the directory PATH of ROOT a repository?  Hardly any has a HEAD, so one call answers. */
static bool is_repository_at(const struct work *work, const struct root *root, const char *path) {
    AUTO(node_close) struct node node = {0};
    char head[PATH_BYTES_MAX + sizeof "/HEAD"];
    (void)snprintf(head, sizeof head, "%s%sHEAD", path, *path ? "/" : "");
    return work->ws->backend->exists(work->ws, root, head) &&
           open_directory_at(work, root, path, &node) &&
           repository_is_whole(repository_parts(&node, ~0U));
}

/* Makes PATH the directory that it is in; false for "", a root. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    bool was_below = *path != '\0';
    *(slash ? slash : path) = '\0';
    return was_below;
}

/* Does a working tree begin above PLACE, and below TOP, a directory of the same root or NULL? */
static bool is_in_tree_below(const struct work *work, const struct place *place, const char *top) {
    char path[PATH_BYTES_MAX + 1];
    memcpy(path, place->path, place->len + 1);
    while (go_up(path) && (!top || strcmp(path, top) != 0)) {
        AUTO(node_close) struct node node = {0};
        if (open_directory_at(work, place->root, path, &node) && repository_begins_tree(&node))
            return true;
    }
    return false;
}

/* The length of the path of the deepest directory above both A and B, which are below one root. */
static size_t shared_directories(const struct place *a, const struct place *b) {
    size_t shared = 0;
    for (size_t i = 0; i < a->len && a->path[i] == b->path[i]; i++)
        if (a->path[i] == '/')
            shared = i;
    return shared;
}

static int fail_inside(struct work *work, const struct place *place) {
    return fail_repository(work, place,
                           "it is inside the directory of a git repository, where nothing is "
                           "written",
                           &work->error);
}

/* Looks at the directories above PLACE, the nearest first, up to those that were looked at for an
 * earlier change.  It takes no directory for clean that is clean only for what is in a working
 * tree. */
static int check_above(struct repository_check *c, const struct place *place) {
    bool same = c->clean && c->clean->root == place->root, all_clean = true;
    size_t known = same ? shared_directories(place, c->clean) : 0;
    char path[PATH_BYTES_MAX + 1];
    memcpy(path, place->path, place->len + 1);
    while (go_up(path) && (!same || strlen(path) > known)) {
        bool whole = is_repository_at(c->work, place->root, path);
        if (whole && !is_in_tree_below(c->work, place, path))
            return fail_inside(c->work, place);
        all_clean = all_clean && !whole;
    }
    if (place->root->in_repository && !is_in_tree_below(c->work, place, NULL))
        return fail_inside(c->work, place);
    if (all_clean)
        c->clean = place;
    return AQFS_OK;
}

/* -- one that is made -------------------------------------------------------------------------- */

/* Notes that the plan puts PART into the directory whose path is the first LEN bytes of AT's. */
static int note_part(struct repository_check *c, const struct place *at, size_t len,
                     unsigned part) {
    struct made_parts *all = (void *)c->made.data;
    for (size_t i = c->made.len / sizeof *all; i-- > 0;)
        if (all[i].len == len && all[i].at->root == at->root &&
            memcmp(all[i].at->path, at->path, len) == 0) {
            all[i].parts |= part;
            return AQFS_OK;
        }
    const struct made_parts made = {at, len, part};
    buf_add(&c->made, (const char *)&made, sizeof made);
    return c->made.failed ? fail_memory(&c->work->error) : AQFS_OK;
}

static int note_parts(struct repository_check *c, const struct place *at) {
    int code = AQFS_OK;
    for (size_t start = 0, n; !code && start < at->len; start += n + 1) {
        n = strcspn(at->path + start, "/");
        unsigned part = repository_part(at->path + start, n);
        if (part)
            code = note_part(c, at, start > 0 ? start - 1 : 0, part);
    }
    return code;
}

/* Would the directory of MADE be a repository, with what it has already? */
static int check_made(const struct repository_check *c, const struct made_parts *made) {
    struct place directory = {.root = made->at->root, .len = made->len};
    memcpy(directory.path, made->at->path, made->len);
    AUTO(node_close) struct node node = {0};
    unsigned parts = made->parts;
    if (open_directory_at(c->work, directory.root, directory.path, &node) &&
        node.info.type == NODE_DIRECTORY)
        parts |= repository_parts(&node, ~parts);
    if (!repository_is_whole(parts))
        return AQFS_OK;
    return fail_repository(c->work, &directory,
                           "with this change, git would take it for a repository, and run what is "
                           "configured there",
                           &c->work->error);
}

/* -- the whole --------------------------------------------------------------------------------- */

static int check_repository_change(struct repository_check *c, const struct change *change) {
    const struct place *at = &change->at;
    const char *name = path_basename(at->path);
    if (change->kind != CHANGE_DELETE && protect_is_repository(name, strlen(name)))
        return fail_repository(c->work, at, "a .git is not written or made", &c->work->error);
    int code = check_above(c, at);
    if (!code && change->kind == CHANGE_MOVE)
        code = check_above(c, &change->from);
    return code || change->kind == CHANGE_DELETE ? code : note_parts(c, at);
}

int plan_check_repositories(struct work *work, const struct plan *p) {
    struct repository_check c = {.work = work};
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < p->n; i++)
        code = check_repository_change(&c, p->changes[i]);
    const struct made_parts *made = (const void *)c.made.data;
    for (size_t i = 0; !code && i < c.made.len / sizeof *made; i++)
        code = check_made(&c, &made[i]);
    buf_free(&c.made);
    return code;
}

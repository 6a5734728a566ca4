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
    struct buf made; /* of struct made_parts */
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

/* Makes PATH the directory that it is in; false for "", a root. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    bool was_below = *path != '\0';
    *(slash ? slash : path) = '\0';
    return was_below;
}

static int fail_inside(struct work *work, const struct place *place) {
    return fail_repository(work, place,
                           "it is inside the directory of a git repository, where nothing is "
                           "written",
                           &work->error);
}

/* Is what is in DIRECTORY inside a repository, if what it lies in is, as INSIDE says? */
static bool holds_repository(const struct node *directory, bool inside) {
    if (inside && repository_begins_tree(directory))
        inside = false;
    return inside || ((repository_parts(directory, REPOSITORY_HEAD) & REPOSITORY_HEAD) &&
                      repository_is_whole(repository_parts(directory, ~0U)));
}

static int fail_exchanged(struct work *work) {
    return fail(&work->error, AQFS_RACED, "A directory was exchanged while it was looked at");
}

/* Goes down from the root of PLACE to its directory PATH, the one that was SEEN, each step from the
 * directory that is open. */
static int judge_from_above(struct work *work, const struct place *place, const char *path,
                            const struct info *seen) {
    const struct backend *backend = work->ws->backend;
    AUTO(node_close) struct node at = {0};
    bool inside = place->root->in_repository;
    if (!open_directory_at(work, place->root, "", &at))
        return fail_exchanged(work);
    for (size_t n; *path; path += n + (path[n] == '/')) {
        char name[NAME_BYTES_MAX + 1];
        struct node below;
        n = strcspn(path, "/");
        inside = holds_repository(&at, inside);
        (void)snprintf(name, sizeof name, "%.*s", (int)n, path);
        if (backend->open_below(&at, name, OPEN_ANY, &below, &work->error))
            return fail_exchanged(work);
        node_close(&at);
        at = below;
    }
    if (at.info.inode != seen->inode || at.info.device != seen->device)
        return fail_exchanged(work);
    return holds_repository(&at, inside) ? fail_inside(work, place) : AQFS_OK;
}

/* Refuses PLACE as a part of a repository under another name: the open directory NEAREST, whose
 * path is the first N bytes of PLACE's, or NULL if that was judged for another place in it.  Sets
 * OBEYED if a repository leads to PLACE. */
static int judge_reach(struct work *work, const struct place *place, const struct node *nearest,
                       size_t n, size_t depth, bool *obeyed) {
    const struct backend *backend = work->ws->backend;
    if (!backend->git_reaches)
        return AQFS_OK;
    enum protection level =
        backend->git_reaches(work->ws, place->root, place->path, nearest, n, depth);
    *obeyed = *obeyed || level == PROTECT_DANGEROUS;
    return level == PROTECT_REFUSE ? fail_inside(work, place) : AQFS_OK;
}

/* Sets ABOVE to the nearest directory above PLACE that exists, and refuses one inside a repository.
 * Sets OBEYED if a repository leads to PLACE.  The commit goes on only in that very directory.  So
 * what lies above is found from there: by their names one could meet others, that are exchanged for
 * a moment.  Hardly any directory has a HEAD.
 */
static int judge_above(struct work *work, const struct place *place, struct info *above,
                       bool *obeyed) {
    AUTO(node_close) struct node nearest = {0};
    char path[PATH_BYTES_MAX + 1];
    memcpy(path, place->path, place->len + 1);
    while (!nearest.backend && go_up(path))
        (void)open_directory_at(work, place->root, path, &nearest);
    if (!nearest.backend)
        return AQFS_OK; /* so nothing can be done there either */
    *above = nearest.info;
    bool suspect = place->root->in_repository || nearest.info.type != NODE_DIRECTORY;
    size_t depth = *path ? 1 : 0;
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
        depth++;
    for (size_t up = 0; !suspect && up <= depth; up++)
        suspect = nearest.backend->has_above(&nearest, up, "HEAD");
    int code = suspect ? judge_from_above(work, place, path, above) : AQFS_OK;
    return code ? code : judge_reach(work, place, &nearest, strlen(path), depth, obeyed);
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

/* BEFORE is the change before, or NULL. */
static int check_repository_change(struct repository_check *c, struct change *change,
                                   const struct change *before) {
    const struct place *at = &change->at;
    const char *name = path_basename(at->path);
    if (change->kind != CHANGE_DELETE && protect_is_repository(name, strlen(name)))
        return fail_repository(c->work, at, "a .git is not written or made", &c->work->error);
    int code = AQFS_OK;
    if (before && parent_is_shared(&before->at, at)) {
        change->above = before->above;
        size_t n = (size_t)(name - at->path);
        code = judge_reach(c->work, at, NULL, n - (n > 0), 0, &change->obeyed_by_git);
    } else {
        code = judge_above(c->work, at, &change->above, &change->obeyed_by_git);
    }
    if (!code && change->kind == CHANGE_MOVE)
        code = judge_above(c->work, &change->from, &change->above_from, &change->obeyed_by_git);
    return code || change->kind == CHANGE_DELETE ? code : note_parts(c, at);
}

/* Ends C with CODE, and else with whether the plan would make a repository of what it notes. */
static int finish_repository_check(struct repository_check *c, int code) {
    const struct made_parts *made = (const void *)c->made.data;
    for (size_t i = 0; !code && i < c->made.len / sizeof *made; i++)
        code = check_made(c, &made[i]);
    buf_free(&c->made);
    return code;
}

int plan_check_repositories(struct work *work, const struct plan *p) {
    struct repository_check c = {.work = work};
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < p->n; i++) {
        code = budget_check(&work->budget);
        code = code ? fail_budget(&work->error, code)
                    : check_repository_change(&c, p->changes[i], i > 0 ? p->changes[i - 1] : NULL);
    }
    return finish_repository_check(&c, code);
}

int plan_check_made_repositories(struct work *work, const struct plan *p) {
    struct repository_check c = {.work = work};
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < p->n; i++)
        if (p->changes[i]->kind != CHANGE_DELETE)
            code = note_parts(&c, &p->changes[i]->at);
    return finish_repository_check(&c, code);
}

/* commit_directory.c -- the directories that a commit works in: each is the one that was judged.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

void commit_forget_parent(struct commit *m) {
    parent_close(&m->kept);
    m->kept_for = NULL;
    m->kept_judged = 0;
}

int commit_parent(struct commit *m, const struct place *at, struct parent *out, struct error *e) {
    if (!m->kept_for || !parent_is_shared(m->kept_for, at)) {
        commit_forget_parent(m);
        int code = parent_open(m->ws, at->root, at->path, &m->kept, e);
        if (code)
            return code;
        m->kept_for = at;
    }
    *out = m->kept;
    out->name = path_basename(at->path);
    return AQFS_OK;
}

/* Has STEP made DIRECTORY? */
static bool has_made(const struct commit_step *step, const struct info *directory) {
    return step->change->kind == CHANGE_MAKE_DIRECTORY && directory->inode == step->made.inode &&
           directory->device == step->made.device;
}

/* Is DIRECTORY the one above the target of STEP that the plan was made for, or did this commit make
 * it?  That was mostly done by a step a little before this one. */
static bool is_directory_of_plan(const struct commit *m, const struct commit_step *step,
                                 const struct info *directory) {
    const struct info *above = &step->change->above;
    size_t at = (size_t)(step - m->steps);
    bool is = directory->inode == above->inode && directory->device == above->device;
    for (size_t back = 1; !is && m->makes_directories && back < m->n; back++)
        is = has_made(&m->steps[(at + m->n - back) % m->n], directory);
    return is;
}

int commit_target(struct commit *m, struct commit_step *step, struct parent *out) {
    const struct change *change = step->change;
    struct info now;
    int code = commit_parent(m, &change->at, out, m->e);
    if (!code && !m->kept_judged) {
        code = m->backend->stat(&out->node, &now, m->e);
        if (!code && !is_directory_of_plan(m, step, &now))
            code = fail_stale(m->ws, &change->at, m->e);
        if (code)
            commit_forget_parent(m);
        else
            m->kept_judged = now.inode;
    }
    if (!code)
        step->directory = m->kept_judged;
    return code;
}

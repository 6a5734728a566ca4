/* commit_stage.c -- new files under temporary names, and new directories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "cleanup.h"

/* -- files ------------------------------------------------------------------------------------- */

/* Opens the file whose permissions the new one takes: the file it comes from, or the one it
 * replaces, which is then kept open for the exchange. */
static int open_like(struct commit *m, struct commit_step *step, const struct parent *p,
                     struct node *like) {
    const struct change *change = step->change;
    if (change->kind == CHANGE_WRITE && change->from.root)
        return m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, like, m->e);
    if (change->seen.type != NODE_FILE)
        return AQFS_OK;
    return m->backend->open_below(&p->node, p->name, OPEN_FILE, like, m->e);
}

/* A change's fetch function writes its error to the call's work, not to this thread's error. */
static int fetch(struct commit *m, const struct change *change, struct buf *out) {
    pthread_mutex_lock(m->fetching);
    int code = change->fetch(m->work, change, SIDE_NEW, out);
    if (code && m->e != &m->work->error)
        *m->e = m->work->error;
    pthread_mutex_unlock(m->fetching);
    return code;
}

static int open_copied(struct commit *m, const struct change *change, struct node *from) {
    int code = m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, from, m->e);
    if (!code && !same_file(&from->info, &change->seen_from))
        return fail_stale(m->ws, &change->from, m->e);
    return code;
}

static int stage_file(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct change *change = step->change;
    AUTO(node_close) struct node like = {0}, from = {0};
    AUTO(buf_free) struct buf fetched = {0};
    struct source source = {.mode = change->mode, .bits = change->bits};
    int code = change->fetch ? fetch(m, change, &fetched) : AQFS_OK;
    const struct buf *bytes = change->fetch ? &fetched : &change->new_bytes;
    source.bytes = bytes->data;
    source.n = bytes->len;
    code = code ? code : open_like(m, step, p, &like);
    if (!code && change->kind == CHANGE_COPY) {
        code = open_copied(m, change, &from);
        source.file = &from;
    }
    if (code)
        return code;
    const struct node *model = like.backend ? &like : source.file;
    code = m->backend->stage(m->ws, &p->node, step->temp, model, &source, &step->staged, m->e);
    if (code == AQFS_EXISTS) /* another program made it, so undoing must not remove it */
        return fail(m->e, AQFS_RACED, "The temporary name '%s' is taken", step->temp);
    step->touched = true;
    if (code)
        return code;
    step->made = step->staged.info;
    if (!change->from.root && like.backend && step - m->steps < GUARDS) {
        step->guard = like;
        like = (struct node){0};
    }
    return AQFS_OK;
}

/* Has the disk take the open new files of some steps.  A new link has nothing but its name. */
static int sync_open(struct commit *m, size_t from, size_t to) {
    const struct node *files[OPEN_AT_ONCE];
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        const struct node *staged = &m->steps[i].staged;
        if (staged->backend && staged->info.type == NODE_FILE)
            files[n++] = staged;
    }
    return m->backend->settle(files, n, m->e);
}

int stage_files(struct commit *m, size_t from, size_t to) {
    const bool syncs = m->backend->settle && !m->whole.backend;
    int code = AQFS_OK;
    for (size_t at = from, end; !code && at < to; at = end) {
        end = to - at < OPEN_AT_ONCE ? to : at + OPEN_AT_ONCE;
        for (size_t i = at; !code && i < end; i++) {
            struct commit_step *step = &m->steps[i];
            struct parent p;
            if (step->change->kind != CHANGE_WRITE && step->change->kind != CHANGE_COPY)
                continue;
            code = commit_parent(m, &step->change->at, &p, m->e);
            code = code ? code : stage_file(m, step, &p);
        }
        if (!code && syncs)
            code = sync_open(m, at, end);
        for (size_t i = at; i < end; i++)
            node_close(&m->steps[i].staged);
    }
    return code;
}

/* -- directories ------------------------------------------------------------------------------- */

static int set_made_mode(struct commit *m, const struct parent *p, uint32_t bits) {
    if (!bits || !m->backend->set_mode)
        return AQFS_OK;
    return m->backend->set_mode(&p->node, p->name, bits, m->e);
}

/* Notes the new directory's inode, by which undoing knows it from another of the same name. */
static int stage_directory(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct place *at = &step->change->at;
    int code = commit_parent(m, at, &p, m->e);
    if (code)
        return code;
    code = m->backend->make_directory(&p.node, p.name, m->e);
    if (code == AQFS_EXISTS)
        return fail_stale(m->ws, at, m->e);
    if (code)
        return code;
    step->touched = true;
    /* Until the commit ends, we, its owner, must be able to do anything in it. */
    code = set_made_mode(m, &p, step->change->bits ? step->change->bits | 0700 : 0);
    return code ? code : m->backend->stat_below(&p.node, p.name, &step->made, m->e);
}

int finish_directories(struct commit *m) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++) {
        struct parent p;
        const struct change *change = m->steps[i].change;
        if (change->kind != CHANGE_MAKE_DIRECTORY || !change->bits || (change->bits & 0700) == 0700)
            continue;
        code = commit_parent(m, &change->at, &p, m->e);
        code = code ? code : set_made_mode(m, &p, change->bits);
    }
    return code;
}

/* Directories get their own names at once, because the files staged next may lie in them. */
int stage_directories(struct commit *m) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++)
        if (m->steps[i].change->kind == CHANGE_MAKE_DIRECTORY)
            code = stage_directory(m, &m->steps[i]);
    return code;
}

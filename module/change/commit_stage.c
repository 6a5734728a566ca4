/* commit_stage.c -- new files under names of their own, and new directories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "cleanup.h"

/* The file whose permissions a new one takes: the one it comes from, or the one it replaces, which
 * is kept open for the exchange. */
static int open_like(struct commit *m, struct commit_step *step, const struct parent *p,
                     struct node *like) {
    const struct change *change = step->change;
    if (change->kind == CHANGE_WRITE && change->from.root)
        return m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, like, m->e);
    if (change->seen.type != NODE_FILE)
        return AQFS_OK;
    return m->backend->open_below(&p->node, p->name, OPEN_FILE, like, m->e);
}

/* Whoever fetches tells the call of an error. */
static int fetch(struct commit *m, const struct change *change, struct buf *out) {
    pthread_mutex_lock(m->fetching);
    int code = change->fetch(m->work, change, SIDE_NEW, out);
    if (code && m->e != &m->work->error)
        *m->e = m->work->error;
    pthread_mutex_unlock(m->fetching);
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
        code =
            m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, &from, m->e);
        source.file = &from;
        if (!code && !same_file(&from.info, &change->seen_from))
            code = fail_stale(m, &change->from);
    }
    if (code)
        return code;
    const struct node *model = like.backend ? &like : source.file;
    code = m->backend->stage(m->ws, &p->node, step->temp, model, &source, &step->staged, m->e);
    if (code == AQFS_EXISTS) /* not by us, and not ours to remove */
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

static int stage_written(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct change *change = step->change;
    if (change->kind != CHANGE_WRITE && change->kind != CHANGE_COPY)
        return AQFS_OK;
    int code = commit_parent(m, &change->at, &p, m->e);
    return code ? code : stage_file(m, step, &p);
}

int stage_files(struct commit *m, size_t from, size_t to) {
    int code = AQFS_OK;
    for (size_t at = from, end; !code && at < to; at = end) {
        end = to - at < OPEN_AT_ONCE ? to : at + OPEN_AT_ONCE;
        for (size_t i = at; !code && i < end; i++)
            code = stage_written(m, &m->steps[i]);
        code = code ? code : sync_open(m, at, end);
        for (size_t i = at; i < end; i++)
            node_close(&m->steps[i].staged);
    }
    return code;
}

static int set_made_mode(struct commit *m, const struct parent *p, uint32_t bits) {
    if (!bits || !m->backend->set_mode)
        return AQFS_OK;
    return m->backend->set_mode(&p->node, p->name, bits, m->e);
}

/* Its inode tells it from another that somebody makes of the same name. */
static int stage_directory(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct place *at = &step->change->at;
    int code = commit_parent(m, at, &p, m->e);
    if (code)
        return code;
    code = m->backend->make_directory(&p.node, p.name, m->e);
    if (code == AQFS_EXISTS)
        return fail_stale(m, at);
    if (code)
        return code;
    step->touched = true;
    /* Until all is done its owner, who is us, can do anything in it. */
    code = set_made_mode(m, &p, step->change->bits ? step->change->bits | 0700 : 0);
    return code ? code : m->backend->stat_below(&p.node, p.name, &step->made, m->e);
}

int finish_directory(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct change *change = step->change;
    if (change->kind != CHANGE_MAKE_DIRECTORY || !change->bits || (change->bits & 0700) == 0700)
        return AQFS_OK;
    int code = commit_parent(m, &change->at, &p, m->e);
    return code ? code : set_made_mode(m, &p, change->bits);
}

/* They are made where they are to be: what is staged later may lie in them. */
int stage_directories(struct commit *m, bool *any) {
    int code = AQFS_OK;
    *any = false;
    for (size_t i = 0; !code && i < m->n; i++) {
        if (m->steps[i].change->kind != CHANGE_MAKE_DIRECTORY)
            continue;
        *any = true;
        code = stage_directory(m, &m->steps[i]);
    }
    return code;
}

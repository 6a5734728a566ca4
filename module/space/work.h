/* work.h -- one piece of work in a workspace: where, for how long, and what went wrong.
 *
 * Planning, committing and snapshots see no more of a call than this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORK_H
#define AQFS_WORK_H

#include "budget.h"
#include "workspace.h"

/* For whom it is done.  A snapshot remembers it, and goes by itself only to make room for one of
 * the same. */
enum origin { ORIGIN_PERSON, ORIGIN_MODEL, ORIGIN_UNDO, ORIGIN_COUNT };
extern const char *const origin_names[ORIGIN_COUNT];

struct met_secrets;

struct work {
    struct aqfs_workspace *ws;
    struct budget budget;
    struct error error;
    enum origin origin;
    struct text_ref caller, call; /* as the request names them, or empty: kept with a change */
    struct met_secrets *met;      /* where the secrets that a plan meets are noted, or NULL */
    void (*progress)(void *data, int64_t done); /* or NULL */
    void *progress_data;
};

/* Tells that DONE files of the present stretch of the work are done.  Cheap enough to call for each
 * of them, but by one thread at a time. */
static inline void work_progress(const struct work *work, int64_t done) {
    if (work->progress)
        work->progress(work->progress_data, done);
}

#endif

/* trial.h -- a deed that was done once and recorded, and what must be true wherever power is lost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_TRIAL_H
#define POWERCUT_TRIAL_H

#include "deeds.h"
#include "model.h"
#include "states.h"

struct trial {
    const struct deed *deed;
    struct log log;
    struct disk before[RULES_N];       /* the same twice: a model keeps its own */
    char *pictures[REQUESTS_MOST + 1]; /* of the project, before the first answer and behind each */
    size_t snapshots[REQUESTS_MOST + 1]; /* that were reported by then */
    /* The states that the project may be in when all has been answered. */
    const char *ends[2];
    size_t ends_n;
    bool unsure;    /* the last answer was that the disk may not have it: each file is old or new */
    char error[64]; /* the last answer's */
};

struct conditions {
    long fails; /* the sync with this number does: see fail_sync; 0: none */
    bool silently;
    bool slow; /* see record_into */
};

/* Does the deed.  If a sync fails, WHOLE is a trial in which none did.  False when there are not so
 * many syncs. */
bool trial_run(const struct deed *deed, const struct conditions *conditions,
               const struct trial *whole, struct trial *out);
/* Opens the workspace on what the disks held when a process was killed in the trial KILLED behind
 * the event POINT.  BEFORE holds that. */
void trial_recover(const struct trial *killed, const struct disk *before, size_t point,
                   struct trial *out);
void trial_free(struct trial *t);

/* Is what the disks held when power was lost, after recovery, what it must be?  If not, prints
 * what was found. */
bool trial_holds(const struct trial *t, const struct disk *disk, size_t point, bool tell);

#endif

/* met_secrets.h -- the secrets that a model's plan has met.
 *
 * An error of a plan may tell what is in a file: where a text that was to be replaced
 * nearly occurs, or only that it does not.  So when a plan fails that has met a
 * secret, somebody is asked first, as if it had not failed, and the words are the
 * same in both cases.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MET_SECRETS_H
#define AQFS_MET_SECRETS_H

#include "plan.h"

#include <pthread.h>

struct met_secrets {
    pthread_mutex_t lock; /* guards what follows: a patch is read by several threads */
    struct plan reads;    /* a CHANGE_READ for each */
};

void met_secrets_open(struct met_secrets *met);
void met_secrets_close(struct met_secrets *met);

/* Notes the place AT, which the caller spelled as GIVEN, in work->met, if it is a secret. */
int met_secrets_note(struct work *work, const struct place *at, struct text_ref given);

/* Puts the noted places into order, each once, and gives the plan of them tier and summary.
 * OPERATION is what would read them. */
int met_secrets_finish(struct work *work, struct met_secrets *met, const char *operation);

/* Adds to P the reading of the place, which is secret for WHY. */
int plan_secret_read(struct work *work, struct plan *p, const struct place *at,
                     const struct info *seen, const struct secret_group *why);

#endif

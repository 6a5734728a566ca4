/* subscription.h -- what a client wants to hear of: one resource, or the list of tools.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SUBSCRIPTION_H
#define AQFS_SUBSCRIPTION_H

#include "serving.h"

#define SEEN_BYTES 96 /* of what was seen of a file: its version, or a word */

/* Guarded by the server's lock. */
struct subscription {
    struct subscription *next;
    unsigned long number;
    struct speaker by;
    json_t *listen;         /* the id of subscriptions/listen; NULL after resources/subscribe */
    bool open;              /* the client knows that it is served */
    bool tools;             /* it is about the list of tools */
    char *uri, *path;       /* of a resource; NULL for the listening itself */
    char *real;             /* where links lead from PATH, or NULL */
    char state[SEEN_BYTES]; /* what was seen last */
    bool dirty;             /* it may be another one by now */
    bool looking;           /* a flight looks at it */
    int64_t look_at;        /* the time for the next look, in milliseconds; of a dirty one */
};

/* -- subscriptions.c: with the lock -- */

/* NULL if it has ended. */
struct subscription *subscription_numbered(struct server *s, unsigned long number);
/* Does PATH, or where links lead from there, lie in DIRECTORY, or is it that? */
bool subscription_is_below(const struct subscription *sub, const char *directory);
/* Tells the client of a change. */
void subscription_tell(struct server *s, const struct subscription *sub);

/* -- look.c -- */

/* Has the thread that waits for inotify run. */
int watching_start(struct server *s, struct error *e);
/* After the thread has ended, and all flights. */
void watching_close(struct server *s);
/* Looks at subscription NUMBER for F, and tells the client, if it knows that it is served, where it
 * sees another state than before.  An error if the client may not see it, or it cannot be watched;
 * it is then looked at again, in case it stays subscribed to. */
int look_at_subscription(struct server *s, struct flight *f, unsigned long number, struct error *e);

#endif

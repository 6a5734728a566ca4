/* outbox.h -- messages on their way out, written by a thread of their own.
 *
 * A reader that is slow, or stops, holds up nobody who answers: only that thread waits for it.
 * Threads that would make more of what is not read wait by outbox_wait.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OUTBOX_H
#define AQFS_OUTBOX_H

#include "buf.h"

#include <pthread.h>

struct outbox {
    int fd;
    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct buf waiting; /* whole messages, each with its newline; guarded by lock, as all below */
    size_t writing;     /* bytes that the thread is writing */
    bool closed;        /* nothing more comes */
    bool broken;        /* nobody reads any more, or there was no memory: nothing more is taken */
    void (*drained)(void *data); /* called, by the thread, when all is written or `broken` */
    void *data;
};

/* False without a thread. */
bool outbox_open(struct outbox *box, int fd, void (*drained)(void *data), void *data);

/* Takes over MESSAGE, which ends in a newline. */
void outbox_put(struct outbox *box, struct buf *message);

/* How many bytes wait for their reader. */
size_t outbox_size(struct outbox *box);
bool outbox_is_broken(struct outbox *box);

/* Waits until at most MOST bytes wait, or nobody reads any more. */
void outbox_wait(struct outbox *box, size_t most);

/* Waits SECONDS at most until all is written, and ends the thread if it is. */
void outbox_close(struct outbox *box, int seconds);

#endif

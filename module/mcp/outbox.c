/* outbox.c -- messages on their way out: see outbox.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "outbox.h"

#include "clock.h"
#include "own_file.h"

#include <stdlib.h>
#include <time.h>

/* Takes what waits; false when there will be nothing more. */
static bool take_waiting(struct outbox *box, struct buf *out) {
    pthread_mutex_lock(&box->lock);
    while (box->waiting.len == 0 && !box->closed && !box->broken)
        pthread_cond_wait(&box->changed, &box->lock);
    *out = box->waiting;
    box->waiting = (struct buf){0};
    box->writing = out->len;
    pthread_mutex_unlock(&box->lock);
    return out->len > 0;
}

static void note_written(struct outbox *box, bool broken) {
    pthread_mutex_lock(&box->lock);
    box->writing = 0;
    box->broken = box->broken || broken;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
    box->drained(box->data);
}

static void *write_out(void *data) {
    struct outbox *box = data;
    struct buf taken;
    while (take_waiting(box, &taken)) {
        int problem = write_whole(box->fd, taken.data, taken.len, WRITE_ON);
        buf_free(&taken);
        note_written(box, problem != 0);
        if (problem)
            break;
    }
    return NULL;
}

bool outbox_open(struct outbox *box, int fd, void (*drained)(void *data), void *data) {
    *box = (struct outbox){.fd = fd, .drained = drained, .data = data};
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->changed, NULL);
    return pthread_create(&box->writer, NULL, write_out, box) == 0;
}

void outbox_put(struct outbox *box, struct buf *message) {
    pthread_mutex_lock(&box->lock);
    bool had_none = box->waiting.len == 0;
    if (box->broken)
        buf_free(message);
    else if (had_none && !message->failed)
        box->waiting = *message;
    else {
        buf_add(&box->waiting, message->data ? message->data : "", message->len);
        box->broken = message->failed || box->waiting.failed;
        buf_free(message);
    }
    *message = (struct buf){0};
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

size_t outbox_size(struct outbox *box) {
    pthread_mutex_lock(&box->lock);
    size_t n = box->waiting.len + box->writing;
    pthread_mutex_unlock(&box->lock);
    return n;
}

bool outbox_is_broken(struct outbox *box) {
    pthread_mutex_lock(&box->lock);
    bool broken = box->broken;
    pthread_mutex_unlock(&box->lock);
    return broken;
}

void outbox_wait(struct outbox *box, size_t most) {
    pthread_mutex_lock(&box->lock);
    while (box->waiting.len + box->writing > most && !box->broken)
        pthread_cond_wait(&box->changed, &box->lock);
    pthread_mutex_unlock(&box->lock);
}

void outbox_close(struct outbox *box, int seconds) {
    const struct timespec until = clock_end_of_wait(seconds * NS_PER_S);
    int late = 0;
    pthread_mutex_lock(&box->lock);
    box->closed = true;
    pthread_cond_broadcast(&box->changed);
    while (box->waiting.len + box->writing > 0 && !box->broken && !late)
        late = pthread_cond_timedwait(&box->changed, &box->lock, &until);
    pthread_mutex_unlock(&box->lock);
    if (late) /* the thread hangs in write: it ends with the process */
        return;
    (void)pthread_join(box->writer, NULL);
    buf_free(&box->waiting);
    pthread_cond_destroy(&box->changed);
    pthread_mutex_destroy(&box->lock);
}

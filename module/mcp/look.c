/* look.c -- looking again at what is subscribed to, when inotify tells of it.
 *
 * One thread waits for inotify.  An event makes a subscription dirty; after a short while, in
 * which a change comes to its end, a flight looks.  The client is told if it sees another state.
 * Where nothing more can be watched, it looks once a second.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget.h"
#include "canonical.h"
#include "cleanup.h"
#include "clock.h"
#include "subscription.h"
#include "waking.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#define SETTLE_MS 20   /* from the first notice to the look */
#define BETWEEN_MS 100 /* from one look to the next */
#define LATER_MS 1000  /* where the look could not be made, or no notice will come */
#define MOST_LOOKS 2   /* at once: the client's own requests come first */
#define SECONDS_TO_STOP 2

static int64_t look_clock_ms(void) {
    return clock_now_ns() / NS_PER_MS;
}

/* -- what may have changed --------------------------------------------------------------------- */

static void soil_subscription(struct subscription *sub, int64_t in_ms) {
    int64_t at = look_clock_ms() + in_ms;
    if (!sub->path || (sub->dirty && sub->look_at <= at))
        return;
    sub->look_at = !sub->dirty && sub->look_at > at ? sub->look_at : at;
    sub->dirty = true;
}

/* Told of PATH by inotify; NULL is all. */
static void take_notice(void *server, const char *path) {
    struct server *s = server;
    pthread_mutex_lock(&s->lock);
    for (struct subscription *sub = s->heard.all; sub; sub = sub->next)
        if (!path || subscription_is_below(sub, path))
            soil_subscription(sub, SETTLE_MS);
    pthread_mutex_unlock(&s->lock);
}

/* The caller holds the lock. */
static void wake_watching(struct server *s) {
    if (s->heard.served)
        wake_poller(s->heard.wake);
}

void subscriptions_look_again(struct server *s) {
    for (struct subscription *sub = s->heard.all; sub; sub = sub->next)
        soil_subscription(sub, 0);
    wake_watching(s);
}

/* -- a look ------------------------------------------------------------------------------------ */

/* An error that says nothing about the file. */
static bool is_passing(int code) {
    return code == AQFS_NOT_CONNECTED || code == AQFS_CANCELLED;
}

/* Makes STATE what F sees at PATH, in a few characters; and returns the error of that. */
static int see_file(struct server *s, struct flight *f, const char *path, char state[SEEN_BYTES],
                    struct error *e) {
    json_t *args = json_pack("{s:s, s:i}", "path", path, "limit", 1);
    if (!args)
        return fail(e, AQFS_NOT_FOUND, "uri: this is not the name of a file, which is UTF-8");
    json_t *data = resource_call(s, f, args, "read_bytes", e);
    const char *version = json_string_value(json_object_get(data, "version"));
    /* A file without a version is so large that each notice counts. */
    if (data && version)
        (void)snprintf(state, SEEN_BYTES, "%s", version);
    else if (data)
        (void)snprintf(state, SEEN_BYTES, "at %lld", (long long)clock_now_ns());
    else
        (void)snprintf(state, SEEN_BYTES, "%s", code_name(e->code));
    json_decref(data);
    return data ? AQFS_OK : (int)e->code;
}

static void note_real(struct server *s, unsigned long number, const char *real) {
    AUTO_FREE char *copy = strdup(real);
    pthread_mutex_lock(&s->lock);
    struct subscription *sub = subscription_numbered(s, number);
    if (sub && copy) {
        free(sub->real);
        sub->real = steal_pointer(&copy);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Watches what leads to PATH, of subscription NUMBER, and to where links lead from there.  That is
 * noted first: a subscription that ends meanwhile takes away all that nobody is known to need. */
static int watch_all_ways(struct server *s, unsigned long number, const char *path,
                          struct error *e) {
    int code = watches_add(&s->heard.watches, s->root, path, e);
    AUTO_FREE char *real = code ? NULL : canonical_path(path);
    if (!real)
        return code;
    note_real(s, number, real);
    return strcmp(real, path) == 0 ? AQFS_OK : watches_add(&s->heard.watches, s->root, real, e);
}

/* The path of subscription NUMBER, to be freed; NULL if it has ended. */
static char *path_to_look_at(struct server *s, unsigned long number) {
    pthread_mutex_lock(&s->lock);
    const struct subscription *sub = subscription_numbered(s, number);
    char *path = sub ? strdup(sub->path) : NULL;
    pthread_mutex_unlock(&s->lock);
    return path;
}

/* Notes that STATE was seen, or nothing if it is NULL; AGAIN: no notice may come of the next one.
 */
static void note_look(struct server *s, unsigned long number, const char *state, bool again) {
    pthread_mutex_lock(&s->lock);
    struct subscription *sub = subscription_numbered(s, number);
    if (sub) {
        bool changed = state && strcmp(sub->state, state) != 0;
        sub->looking = false;
        if (again)
            soil_subscription(sub, LATER_MS);
        if (changed)
            (void)snprintf(sub->state, sizeof sub->state, "%s", state);
        if (changed && sub->open)
            subscription_tell(s, sub);
    }
    wake_watching(s);
    pthread_mutex_unlock(&s->lock);
}

/* The directories are watched before the file is seen, so no change is missed between the two. */
int look_at_subscription(struct server *s, struct flight *f, unsigned long number,
                         struct error *e) {
    AUTO_FREE char *path = path_to_look_at(s, number);
    char state[SEEN_BYTES] = "";
    struct error unwatched;
    int watched = AQFS_OK, code = AQFS_NOT_CONNECTED;
    if (!path)
        return fail(e, AQFS_CANCELLED, "The subscription has ended");
    if (far_wait(s, e)) {
        watched = watch_all_ways(s, number, path, &unwatched);
        code = see_file(s, f, path, state, e);
    }
    note_look(s, number, is_passing(code) ? NULL : state, is_passing(code) || watched);
    if (!code && watched)
        *e = unwatched;
    return code ? code : watched;
}

static bool subscription_look(struct server *s, struct flight *f) {
    struct error e;
    json_int_t number = json_integer_value(json_object_get(f->message.params, "number"));
    (void)look_at_subscription(s, f, (unsigned long)number, &e);
    pthread_mutex_lock(&s->lock);
    s->heard.looks--;
    wake_watching(s);
    pthread_mutex_unlock(&s->lock);
    return true;
}

/* -- the thread -------------------------------------------------------------------------------- */

/* A subscription whose time has come: its number, or 0; and the milliseconds until there is one,
 * negative for none. */
static unsigned long take_dirty(struct server *s, struct speaker *by, int *wait) {
    struct subscription *found = NULL;
    int64_t now = look_clock_ms();
    *wait = -1;
    pthread_mutex_lock(&s->lock);
    bool may = s->heard.looks < MOST_LOOKS && !(s->link && !link_is_up(s->link));
    for (struct subscription *sub = s->heard.all; sub; sub = sub->next) {
        if (!sub->dirty || sub->looking || !sub->open)
            continue;
        int64_t left = may ? sub->look_at - now : LATER_MS;
        if (left <= 0)
            found = sub;
        else if (*wait < 0 || left < *wait)
            *wait = (int)left;
    }
    unsigned long number = found ? found->number : 0;
    if (found) {
        found->dirty = false;
        found->looking = true;
        found->look_at = now + BETWEEN_MS;
        s->heard.looks++;
        *by = found->by;
        (void)snprintf(by->client, sizeof by->client, "%.60s, watching", found->by.client);
    }
    pthread_mutex_unlock(&s->lock);
    return number;
}

static void begin_looks(struct server *s, int *wait) {
    struct speaker by;
    unsigned long number;
    while ((number = take_dirty(s, &by, wait)) != 0) {
        json_t *all = json_pack("{s:I}", "number", (json_int_t)number);
        struct message look = {.kind = MESSAGE_NOTIFICATION, .all = all, .params = all};
        flight_begin(s, &look, &by, subscription_look, 0);
        message_free(&look);
    }
}

static void *watch_and_look(void *server) {
    struct server *s = server;
    for (;;) {
        int wait;
        uint64_t count;
        begin_looks(s, &wait);
        struct pollfd ready[] = {{.fd = s->heard.watches.notify, .events = POLLIN},
                                 {.fd = s->heard.wake, .events = POLLIN}};
        int n = poll(ready, 2, wait);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return NULL;
        if (n > 0 && ready[0].revents)
            watches_read(&s->heard.watches, take_notice, s);
        if (n > 0 && ready[1].revents && read(s->heard.wake, &count, sizeof count) > 0 &&
            __atomic_load_n(&s->heard.ending, __ATOMIC_SEQ_CST))
            return NULL;
    }
}

/* The caller holds the lock. */
static int start_thread(struct server *s, struct error *e) {
    if (s->heard.ending)
        return fail(e, AQFS_LIMIT, "Nothing can be subscribed to here");
    int code = watches_open(&s->heard.watches, e);
    if (code)
        return code;
    s->heard.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->heard.wake >= 0 && pthread_create(&s->heard.thread, NULL, watch_and_look, s) == 0) {
        s->heard.served = true;
        return AQFS_OK;
    }
    cleanup_close(&s->heard.wake);
    watches_close(&s->heard.watches);
    return fail(e, AQFS_LIMIT, "There is no thread, or no descriptor, to watch files with");
}

int watching_start(struct server *s, struct error *e) {
    pthread_mutex_lock(&s->lock);
    int code = s->heard.served ? AQFS_OK : start_thread(s, e);
    pthread_mutex_unlock(&s->lock);
    return code;
}

bool subscriptions_end(struct server *s) {
    const struct timespec until = clock_end_of_wait(SECONDS_TO_STOP * NS_PER_S);
    pthread_mutex_lock(&s->lock);
    bool served = s->heard.served;
    __atomic_store_n(&s->heard.ending, true, __ATOMIC_SEQ_CST);
    wake_watching(s);
    pthread_mutex_unlock(&s->lock);
    return !served || pthread_timedjoin_np(s->heard.thread, NULL, &until) == 0;
}

void watching_close(struct server *s) {
    if (!s->heard.served)
        return;
    cleanup_close(&s->heard.wake);
    watches_close(&s->heard.watches);
    s->heard.served = false;
}

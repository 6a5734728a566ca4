/* watches.c -- notices, by inotify, that files may have changed: see watches.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "watches.h"

#include "buf.h"
#include "path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define MOST_DIRECTORIES 8192
#define OF_NAMES                                                                                   \
    (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define OF_ITSELF (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)

/* Several names may lead to one directory: then they have the same number. */
struct watched_directory {
    int number; /* inotify's */
    char *path; /* "" for the root of the file system */
};

static int fail_watching(int problem, struct error *e) {
    return fail(e, AQFS_LIMIT,
                "This user watches too much (%s): end a subscription, or raise "
                "fs.inotify.max_user_watches or max_user_instances",
                strerror(problem));
}

int watches_open(struct watches *w, struct error *e) {
    int notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (notify < 0)
        return fail_watching(errno, e);
    *w = (struct watches){.notify = notify};
    pthread_mutex_init(&w->lock, NULL);
    return AQFS_OK;
}

void watches_close(struct watches *w) {
    for (size_t i = 0; i < w->count; i++)
        free(w->directories[i].path);
    free(w->directories);
    (void)close(w->notify);
    pthread_mutex_destroy(&w->lock);
}

/* -- which directories are watched ------------------------------------------------------------- */

/* Takes over PATH.  The caller holds the lock. */
static bool list_watched(struct watches *w, int number, char *path) {
    for (size_t i = 0; i < w->count; i++)
        if (w->directories[i].number == number && strcmp(w->directories[i].path, path) == 0) {
            free(path);
            return true;
        }
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : 16;
        struct watched_directory *more =
            room > MOST_DIRECTORIES ? NULL : realloc(w->directories, room * sizeof *more);
        if (!more) {
            free(path);
            return false;
        }
        w->directories = more;
        w->room = room;
    }
    w->directories[w->count++] = (struct watched_directory){number, path};
    return true;
}

/* Ends the watch NUMBER, unless a directory on the list has it.  The caller holds the lock. */
static void drop_unlisted(struct watches *w, int number) {
    for (size_t i = 0; i < w->count; i++)
        if (w->directories[i].number == number)
            return;
    (void)inotify_rm_watch(w->notify, number);
}

/* Watches the first N bytes of FILE, a directory.  0 or an errno value. */
static int watch_directory(struct watches *w, const char *file, size_t n) {
    char *path = strndup(file, n);
    if (!path)
        return ENOMEM;
    int number = inotify_add_watch(w->notify, n ? path : "/",
                                   OF_NAMES | OF_ITSELF | IN_ONLYDIR | IN_EXCL_UNLINK);
    if (number < 0) {
        int problem = errno;
        free(path);
        return problem;
    }
    if (list_watched(w, number, path))
        return 0;
    drop_unlisted(w, number);
    return ENOSPC;
}

/* The first in the order of the path: what is made below it afterwards is noticed.  *ANY says
 * whether there is a first one. */
static int watch_chain(struct watches *w, const char *root, const char *file, bool *any) {
    const char *last = strrchr(file, '/');
    bool inside = path_is_below(file, strlen(file), root, strlen(root));
    size_t at = inside ? strlen(root) : (size_t)(last - file);
    for (;;) {
        int problem = watch_directory(w, file, at);
        *any = *any || !problem;
        const char *next = strchr(file + at + 1, '/');
        if (problem || file + at >= last || !next)
            return problem;
        at = (size_t)(next - file);
    }
}

int watches_add(struct watches *w, const char *root, const char *file, struct error *e) {
    bool any = false;
    pthread_mutex_lock(&w->lock);
    int problem = watch_chain(w, root, file, &any);
    pthread_mutex_unlock(&w->lock);
    if (problem == ENOSPC || problem == ENOMEM)
        return fail_watching(problem, e);
    /* A file that is not there, or may not be watched, is noticed above it. */
    return any ? AQFS_OK
               : fail(e, AQFS_IO,
                      "Its changes would not be noticed here (%s), as those of files on another "
                      "machine are not",
                      strerror(problem));
}

/* Forgets the directory at I.  The caller holds the lock. */
static void drop_directory(struct watches *w, size_t i) {
    int number = w->directories[i].number;
    free(w->directories[i].path);
    w->directories[i] = w->directories[--w->count];
    drop_unlisted(w, number);
}

void watches_keep(struct watches *w, bool (*needed)(void *data, const char *directory),
                  void *data) {
    pthread_mutex_lock(&w->lock);
    for (size_t i = w->count; i-- > 0;)
        if (!needed(data, w->directories[i].path))
            drop_directory(w, i);
    pthread_mutex_unlock(&w->lock);
}

/* -- what has happened ------------------------------------------------------------------------- */

typedef void path_teller(void *data, const char *path);

static void tell_name(const struct watches *w, const struct inotify_event *event, path_teller *tell,
                      void *data) {
    for (size_t i = 0; i < w->count; i++) {
        struct buf path = {0};
        if (w->directories[i].number != event->wd)
            continue;
        buf_printf(&path, "%s/%s", w->directories[i].path, event->name);
        tell(data, path.failed ? NULL : path.data);
        buf_free(&path);
    }
}

/* The directory is not what its names lead to any more. */
static void tell_directory(struct watches *w, int number, path_teller *tell, void *data) {
    for (size_t i = w->count; i-- > 0;)
        if (w->directories[i].number == number) {
            tell(data, w->directories[i].path);
            drop_directory(w, i);
        }
}

static void tell_event(struct watches *w, const struct inotify_event *event, path_teller *tell,
                       void *data) {
    if (event->mask & IN_Q_OVERFLOW)
        tell(data, NULL);
    else if (event->mask & OF_ITSELF)
        tell_directory(w, event->wd, tell, data);
    else if (event->len > 0)
        tell_name(w, event, tell, data);
}

void watches_read(struct watches *w, path_teller *tell, void *data) {
    _Alignas(struct inotify_event) char bytes[4096];
    ssize_t n = read(w->notify, bytes, sizeof bytes);
    pthread_mutex_lock(&w->lock);
    for (ssize_t at = 0; at < n;) {
        const struct inotify_event *event =
            (const struct inotify_event *)(const void *)(bytes + at);
        tell_event(w, event, tell, data);
        at += (ssize_t)(sizeof *event + event->len);
    }
    pthread_mutex_unlock(&w->lock);
}

/* kept_store.c -- where the records of calls are: in the state directory, or in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "kept_parts.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* When the oldest records go, so many more go that this is not done again at once: an eighth. */
#define SPARE 8

struct kept_record {
    struct kept_record *next;
    char id[KEPT_ID];
    struct buf bytes;
};

struct kept_memory {
    struct kept_record *records; /* the latest first */
    /* Of the records wherever they are, as far as this workspace knows. */
    int64_t n, bytes;
    bool counted;
    int64_t last_ns; /* the time of the latest id */
};

/* The workspace's, made when it is first needed; NULL without memory. */
static struct kept_memory *kept_of(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    if (!ws->kept)
        ws->kept = calloc(1, sizeof *ws->kept);
    pthread_mutex_unlock(&ws->lock);
    return ws->kept;
}

/* -- ids --------------------------------------------------------------------------------------- */

/* Two calls of one moment keep their order. */
int kept_new_id(struct aqfs_workspace *ws, char out[KEPT_ID], struct error *e) {
    char random[TEMPORARY_NAME];
    struct kept_memory *kept = kept_of(ws);
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (!kept)
        return fail_memory(e);
    if (!temporary_name(random))
        return fail(e, AQFS_IO, "No random name could be made: getrandom failed");
    int64_t ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    kept->last_ns = ns > kept->last_ns ? ns : kept->last_ns + 1;
    (void)snprintf(out, KEPT_ID, "%0*llx-%.*s", ID_TIME, (unsigned long long)kept->last_ns, ID_REST,
                   strchr(random, '-') + 1);
    return AQFS_OK;
}

/* -- the directory ----------------------------------------------------------------------------- */

static bool is_on_disk(const struct aqfs_workspace *ws) {
    return ws->state_dir && ws->backend->durable;
}

/* The state directory is there: the journal is in it.  The disk need not have the names, as it need
 * not have the records.  chmod does not heed the umask, which denies us our own directory if
 * another thread of the host has set it so. */
static void make_kept(char *path) {
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (mkdir(path, 0700) == 0)
        (void)chmod(path, 0700);
    *slash = '/';
    if (mkdir(path, 0700) == 0)
        (void)chmod(path, 0700);
}

static int open_kept_directory(const char *path) {
    int fd;
    do {
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* Opens the directory of the project's records; with MAKE also makes it.  -1, with errno. */
static int open_kept(const struct aqfs_workspace *ws, bool make) {
    AUTO_FREE char *path = NULL;
    char hex[HASH_HEX];
    struct hash h;
    hash_start(&h);
    hash_add(&h, ws->roots[0].path, ws->roots[0].len + 1);
    hash_end(&h, hex);
    if (asprintf(&path, "%s/kept/%s", ws->state_dir, hex) < 0) {
        path = NULL;
        errno = ENOMEM;
        return -1;
    }
    int fd = open_kept_directory(path);
    if (fd >= 0 || errno != ENOENT || !make)
        return fd;
    make_kept(path);
    return open_kept_directory(path);
}

/* -1, with errno; ENOENT also for what is no file. */
static int open_record(int dir, const char *name, struct stat *s) {
    int fd, error;
    do {
        fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return fd;
    error = fstat(fd, s) != 0 ? errno : S_ISREG(s->st_mode) ? 0 : ENOENT;
    if (error) {
        cleanup_close(&fd);
        fd = -1;
        errno = error;
    }
    return fd;
}

/* Does it mean that there is nothing of ours under a name?  Otherwise it is not known. */
static bool means_none(int error) {
    return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/* -- listing ----------------------------------------------------------------------------------- */

static void add_listed(void *data, int dir, const char *name) {
    (void)dir;
    if (kept_is_id(name, strlen(name)))
        kept_ids_add(data, name);
}

static void list_memory(struct aqfs_workspace *ws, struct kept_ids *out) {
    pthread_mutex_lock(&ws->lock);
    for (const struct kept_record *r = ws->kept ? ws->kept->records : NULL; r; r = r->next)
        kept_ids_add(out, r->id);
    pthread_mutex_unlock(&ws->lock);
}

/* 0 or an errno. */
static int list_directory(const struct aqfs_workspace *ws, struct kept_ids *out) {
    AUTO(cleanup_close) int dir = open_kept(ws, false);
    if (dir < 0)
        return means_none(errno) ? 0 : errno;
    return state_each(dir, add_listed, out);
}

int kept_list(struct work *work, struct kept_ids *out) {
    int error = 0;
    *out = (struct kept_ids){0};
    if (is_on_disk(work->ws))
        error = list_directory(work->ws, out);
    else
        list_memory(work->ws, out);
    if (out->failed)
        return fail_memory(&work->error);
    if (error)
        return fail_errno(&work->error, error, "state directory");
    kept_ids_sort(out);
    return AQFS_OK;
}

/* -- reading ----------------------------------------------------------------------------------- */

static bool copy_kept(struct aqfs_workspace *ws, const char *id, struct buf *out) {
    const struct kept_record *found = NULL;
    pthread_mutex_lock(&ws->lock);
    for (const struct kept_record *r = ws->kept ? ws->kept->records : NULL; r && !found;
         r = r->next)
        found = strcmp(r->id, id) == 0 ? r : NULL;
    if (found)
        buf_add(out, found->bytes.data, found->bytes.len);
    pthread_mutex_unlock(&ws->lock);
    return found != NULL;
}

/* 0 or an errno. */
static int find_file(const struct aqfs_workspace *ws, const char *id, struct kept_call *out) {
    struct stat s;
    AUTO(cleanup_close) int dir = open_kept(ws, false);
    out->fd = dir < 0 ? -1 : open_record(dir, id, &s);
    if (out->fd < 0)
        return errno;
    out->size = s.st_size;
    return 0;
}

int kept_find(struct work *work, const char *id, struct kept_call *out) {
    int error = 0;
    if (is_on_disk(work->ws)) {
        error = find_file(work->ws, id, out);
    } else {
        error = copy_kept(work->ws, id, &out->copy) ? 0 : ENOENT;
        out->size = (int64_t)out->copy.len;
    }
    if (out->copy.failed)
        return fail_memory(&work->error);
    if (error && means_none(error))
        return fail(&work->error, AQFS_NOT_FOUND, "There is no record of a call %s (any more)", id);
    return error ? fail_errno(&work->error, error, "state directory") : AQFS_OK;
}

bool kept_bytes_at(const struct kept_call *call, size_t at, size_t n, char *out) {
    if (call->fd < 0) {
        if (at > call->copy.len || n > call->copy.len - at)
            return false;
        memcpy(out, call->copy.data + at, n);
        return true;
    }
    while (n > 0) {
        ssize_t got = pread(call->fd, out, n, (off_t)at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0) {
            out += got;
            at += (size_t)got;
            n -= (size_t)got;
        }
    }
    return true;
}

/* -- forgetting -------------------------------------------------------------------------------- */

static int64_t size_of(int dir, const char *name) {
    struct stat s;
    return fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW) == 0 ? (int64_t)s.st_size : 0;
}

static void forget_memory(struct aqfs_workspace *ws, const char *id) {
    struct kept_record *gone = NULL;
    pthread_mutex_lock(&ws->lock);
    for (struct kept_record **at = ws->kept ? &ws->kept->records : NULL; at && *at && !gone;)
        if (strcmp((*at)->id, id) == 0) {
            gone = *at;
            *at = gone->next;
            ws->kept->n--;
            ws->kept->bytes -= (int64_t)gone->bytes.len;
        } else {
            at = &(*at)->next;
        }
    pthread_mutex_unlock(&ws->lock);
    if (gone)
        buf_free(&gone->bytes);
    free(gone);
}

void kept_forget(struct aqfs_workspace *ws, const char *id) {
    if (!is_on_disk(ws)) {
        forget_memory(ws, id);
        return;
    }
    AUTO(cleanup_close) int dir = open_kept(ws, false);
    if (dir >= 0)
        (void)unlinkat(dir, id, 0);
}

void kept_memory_free(struct kept_memory *kept) {
    while (kept && kept->records) {
        struct kept_record *record = kept->records;
        kept->records = record->next;
        buf_free(&record->bytes);
        free(record);
    }
    free(kept);
}

/* -- keeping ----------------------------------------------------------------------------------- */

bool kept_wanted(const struct aqfs_workspace *ws) {
    return ws->limits.kept_calls > 0 && ws->limits.kept_bytes > 0;
}

static bool is_too_much(const struct limits *limits, int64_t n, int64_t bytes, int64_t spare) {
    return n > limits->kept_calls - limits->kept_calls / SPARE * spare ||
           bytes > limits->kept_bytes - limits->kept_bytes / SPARE * spare;
}

/* Counts what DIR has, which other processes may have added to, and forgets the oldest records, but
 * never the latest one. */
static void count_and_forget(struct aqfs_workspace *ws, int dir) {
    struct kept_memory *kept = ws->kept;
    AUTO(kept_ids_free) struct kept_ids ids = {0};
    state_sweep(dir);
    if (state_each(dir, add_listed, &ids) != 0 || ids.failed)
        return;
    kept->counted = true;
    kept->n = (int64_t)ids.n;
    kept->bytes = 0;
    for (size_t i = 0; i < ids.n; i++)
        kept->bytes += size_of(dir, ids.all[i]);
    if (ids.n == 0 || !is_too_much(&ws->limits, kept->n, kept->bytes, 0))
        return;
    kept_ids_sort(&ids);
    for (size_t i = 0; i + 1 < ids.n && is_too_much(&ws->limits, kept->n, kept->bytes, 1); i++) {
        int64_t size = size_of(dir, ids.all[i]);
        if (unlinkat(dir, ids.all[i], 0) != 0)
            continue;
        kept->n--;
        kept->bytes -= size;
    }
}

static int add_file(struct aqfs_workspace *ws, const char *id, const struct buf *header,
                    const struct buf *bytes, struct error *e) {
    char temp[TEMPORARY_NAME];
    AUTO(cleanup_close) int dir = open_kept(ws, true), fd = -1;
    if (dir < 0)
        return fail_errno(e, errno, "state directory");
    if (!temporary_name(temp))
        return fail(e, AQFS_IO, "No random name could be made: getrandom failed");
    do {
        fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return fail_errno(e, errno, "state directory");
    int error = write_whole(fd, header->data, header->len, WRITE_ON);
    if (!error && bytes->len > 0)
        error = write_whole(fd, bytes->data, bytes->len, WRITE_ON);
    if (!error && renameat(dir, temp, dir, id) != 0)
        error = errno;
    if (error) {
        (void)unlinkat(dir, temp, 0);
        return fail_errno(e, error, "state directory");
    }
    struct kept_memory *kept = ws->kept;
    kept->n++;
    kept->bytes += (int64_t)(header->len + bytes->len);
    if (!kept->counted || is_too_much(&ws->limits, kept->n, kept->bytes, 0))
        count_and_forget(ws, dir);
    return AQFS_OK;
}

/* The id of the oldest record, if there are more than the limits allow, and it is not the only one.
 */
static bool find_spent(struct aqfs_workspace *ws, char out[KEPT_ID]) {
    pthread_mutex_lock(&ws->lock);
    const struct kept_record *oldest = ws->kept->records;
    bool spent =
        oldest && oldest->next && is_too_much(&ws->limits, ws->kept->n, ws->kept->bytes, 0);
    while (spent && oldest->next)
        oldest = oldest->next;
    if (spent)
        memcpy(out, oldest->id, KEPT_ID);
    pthread_mutex_unlock(&ws->lock);
    return spent;
}

static void forget_oldest(struct aqfs_workspace *ws) {
    char id[KEPT_ID];
    while (find_spent(ws, id))
        forget_memory(ws, id);
}

static int add_to_memory(struct aqfs_workspace *ws, const char *id, const struct buf *header,
                         const struct buf *bytes, struct error *e) {
    struct kept_record *record = calloc(1, sizeof *record);
    if (!record)
        return fail_memory(e);
    memcpy(record->id, id, KEPT_ID);
    buf_add(&record->bytes, header->data, header->len);
    if (bytes->len > 0)
        buf_add(&record->bytes, bytes->data, bytes->len);
    if (record->bytes.failed) {
        buf_free(&record->bytes);
        free(record);
        return fail_memory(e);
    }
    struct kept_memory *kept = ws->kept;
    pthread_mutex_lock(&ws->lock);
    record->next = kept->records;
    kept->records = record;
    kept->n++;
    kept->bytes += (int64_t)record->bytes.len;
    pthread_mutex_unlock(&ws->lock);
    forget_oldest(ws);
    return AQFS_OK;
}

int kept_add(struct aqfs_workspace *ws, const char *id, const struct buf *header,
             const struct buf *bytes, struct error *e) {
    AUTO(buf_free) struct buf first = {0};
    buf_printf(&first, KEPT_WORDS "%d %zu\n", KEPT_FORMAT, header->len);
    buf_add(&first, header->data, header->len);
    if (header->failed || bytes->failed || first.failed)
        return fail_memory(e);
    if (!kept_of(ws))
        return fail_memory(e);
    return is_on_disk(ws) ? add_file(ws, id, &first, bytes, e)
                          : add_to_memory(ws, id, &first, bytes, e);
}

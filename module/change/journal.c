/* journal.c -- what a commit is about to do, for recovery after a crash.
 *
 * SPDX-License-Identifier: MIT
 */
#include "journal.h"

#include "aqfs.h"
#include "cleanup.h"
#include "hash.h"
#include "leftovers.h"
#include "own_file.h"
#include "reply.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define LOCK_ROUNDS 16

/* journal_rest empties the file when it has more bytes, or is about more directories. */
#define KEPT_BYTES (1 << 20)
#define KEPT_DIRECTORIES 64

struct journal {
    int fd; /* locked; the lock ends with the process */
    char *path;
    bool named;            /* its name is on disk */
    size_t size;           /* how many bytes were written to it */
    bool torn;             /* it may end within a line */
    struct leftovers left; /* directories that it tells of, on disk */
};

/* -- the file --------------------------------------------------------------------------------- */

void journal_prefix(const struct aqfs_workspace *ws, char out[JOURNAL_PREFIX]) {
    struct hash h;
    hash_start(&h);
    for (size_t i = 0; i < ws->root_count; i++)
        hash_add(&h, ws->roots[i].path, ws->roots[i].len + 1);
    char hex[HASH_HEX];
    hash_end(&h, hex);
    (void)snprintf(out, JOURNAL_PREFIX, "%s-", hex);
}

int journal_directory(const struct aqfs_workspace *ws, bool make) {
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/journal", ws->state_dir) < 0)
        return -1;
    int fd, error = make && access(path, F_OK) != 0 ? state_make_directories(path) : 0;
    if (error) {
        errno = error;
        return -1;
    }
    do {
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static int lock(int fd) {
    while (flock(fd, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* Another process running recovery may mistake our new, not yet locked journal for an abandoned one
 * and delete it.  Returns EAGAIN then. */
static int lock_new(int fd) {
    struct stat s;
    int error = lock(fd);
    if (!error && fstat(fd, &s) != 0)
        error = errno;
    return !error && s.st_nlink == 0 ? EAGAIN : error;
}

/* A new file at JOURNAL->path, locked, or -errno. */
static int make_journal_file(const struct aqfs_workspace *ws, int dir, struct journal *journal) {
    char prefix[JOURNAL_PREFIX], random[TEMPORARY_NAME];
    journal_prefix(ws, prefix);
    if (!temporary_name(random))
        return -EIO;
    if (asprintf(&journal->path, "%s/journal/%s%s", ws->state_dir, prefix, random) < 0) {
        journal->path = NULL;
        return -ENOMEM;
    }
    const char *name = strrchr(journal->path, '/') + 1;
    int fd;
    do {
        fd = openat(dir, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    int error = fd < 0 ? errno : lock_new(fd);
    if (!error)
        return fd;
    if (fd >= 0)
        (void)unlinkat(dir, name, 0);
    cleanup_close(&fd);
    free(journal->path);
    journal->path = NULL;
    return -error;
}

int journal_begin(struct aqfs_workspace *ws, struct error *e) {
    if (ws->journal || !ws->state_dir || !ws->backend->durable)
        return AQFS_OK;
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return fail_memory(e);
    AUTO(cleanup_close) int dir = journal_directory(ws, true);
    journal->fd = dir < 0 ? -errno : -EAGAIN;
    for (int round = 0; journal->fd == -EAGAIN && round < LOCK_ROUNDS; round++)
        journal->fd = make_journal_file(ws, dir, journal);
    if (journal->fd >= 0) {
        ws->journal = journal;
        return AQFS_OK;
    }
    int error = -journal->fd;
    free(journal);
    return fail_errno(e, error, "state directory");
}

/* -- temporary names -------------------------------------------------------------------------- */

bool journal_temporary(const struct aqfs_workspace *ws, char out[]) {
    if (!temporary_name(out))
        return false;
    if (ws->journal)
        temporary_share(out, journal_owner(ws->journal->path));
    return true;
}

const char *journal_owner(const char *path) {
    const char *slash = strrchr(path, '/');
    return (slash ? slash + 1 : path) + JOURNAL_PREFIX - 1;
}

bool journal_knows(const struct aqfs_workspace *ws, const struct journal_step *step) {
    return !ws->journal || leftovers_know(&ws->journal->left, step);
}

/* -- writing ---------------------------------------------------------------------------------- */

static const char *const state_names[] = {"staging", "applying", "undoing", "done"};

static void add_step(struct reply *r, const struct journal_step *s) {
    reply_map(r);
    reply_kv_cstring(r, "kind", s->kind);
    reply_kv_int(r, "root", (int64_t)s->root);
    reply_kv_path(r, "path", s->path, strlen(s->path));
    reply_kv_cstring(r, "temp", s->temp);
    if (s->directory)
        reply_kv_int(r, "directory", (int64_t)s->directory);
    if (s->from) {
        reply_kv_path(r, "from", s->from, strlen(s->from));
        reply_kv_int(r, "from_root", (int64_t)s->from_root);
        reply_kv_int(r, "moved", (int64_t)s->moved);
    }
    if (s->old.inode) {
        reply_kv_int(r, "old_inode", (int64_t)s->old.inode);
        reply_kv_int(r, "old_size", s->old.size);
        reply_kv_int(r, "old_modified", s->old.modified_ns);
    }
    if (s->made.inode) {
        reply_kv_int(r, "inode", (int64_t)s->made.inode);
        reply_kv_int(r, "size", s->made.size);
        reply_kv_int(r, "modified", s->made.modified_ns);
    }
    reply_end_map(r);
}

/* Adds the line {"format": 1, "state": ..., "steps": [...]} to OUT.  Without steps it has none. */
static void add_record(struct buf *out, enum journal_state state, const struct journal_step *steps,
                       size_t n) {
    struct reply r = {.format = AQFS_JSON, .out = *out};
    reply_map(&r);
    reply_kv_int(&r, "format", JOURNAL_FORMAT);
    reply_kv_cstring(&r, "state", state_names[state]);
    if (n > 0) {
        reply_key(&r, "steps");
        reply_list(&r);
        for (size_t i = 0; i < n; i++)
            add_step(&r, &steps[i]);
        reply_end_list(&r);
    }
    reply_end_map(&r);
    buf_str(&r.out, "\n");
    *out = r.out;
}

static int sync_journal(const struct aqfs_workspace *ws, struct journal *journal) {
    if (fdatasync(journal->fd) != 0)
        return errno;
    if (journal->named)
        return 0;
    AUTO(cleanup_close) int dir = journal_directory(ws, false);
    if (dir < 0 || (fsync(dir) != 0 && errno != EINVAL))
        return errno;
    journal->named = true;
    return 0;
}

int journal_write(struct aqfs_workspace *ws, enum journal_state state,
                  const struct journal_step *steps, size_t n, bool durable, struct error *e) {
    if (!ws->state_dir || !ws->backend->durable)
        return AQFS_OK;
    int code = journal_begin(ws, e);
    if (code)
        return code;
    /* Each state is a line, and the last whole line counts.  If the last one is torn, none of its
     * steps has been made yet.  "Done" without steps always follows the line that has them. */
    AUTO(buf_free) struct buf line = {0};
    if (ws->journal->torn)
        buf_str(&line, "\n");
    add_record(&line, state, steps, n);
    if (line.failed)
        return fail_memory(e);
    if (ws->journal->size + line.len > JOURNAL_BYTES_MAX)
        return fail(e, AQFS_LIMIT,
                    "These are too many changes for one call: its journal would have "
                    "more than %d MB",
                    JOURNAL_BYTES_MAX >> 20);
    ws->journal->size += line.len;
    int error = write_whole(ws->journal->fd, line.data, line.len, WRITE_ON);
    ws->journal->torn = error != 0;
    if (error)
        return fail_errno(e, error, "journal");
    error = durable ? sync_journal(ws, ws->journal) : 0;
    for (size_t i = 0; durable && !error && i < n; i++)
        leftovers_add(&ws->journal->left, &steps[i]);
    if (error && state == JOURNAL_DONE) /* written, so recovery without a reboot reads "done" */
        return fail_durability(e);
    return error ? fail_errno(e, error, "journal") : AQFS_OK;
}

static void journal_free(struct aqfs_workspace *ws) {
    leftovers_free(&ws->journal->left);
    cleanup_close(&ws->journal->fd);
    free(ws->journal->path);
    free(ws->journal);
    ws->journal = NULL;
}

void journal_leave(struct aqfs_workspace *ws) {
    if (!ws->journal)
        return;
    journal_free(ws);
    atomic_store(&ws->journal_left, true);
}

void journal_close(struct aqfs_workspace *ws) {
    if (!ws->journal)
        return;
    if (leftovers_sync(ws, &ws->journal->left))
        (void)unlink(ws->journal->path);
    journal_free(ws);
}

/* Only when the disk has what was done in the directories that the journal tells of. */
static bool empty_journal(struct aqfs_workspace *ws) {
    struct journal *journal = ws->journal;
    int failed;
    if (!leftovers_sync(ws, &journal->left))
        return false;
    do {
        failed = ftruncate(journal->fd, 0);
    } while (failed && errno == EINTR);
    leftovers_free(&journal->left);
    journal->size = 0;
    return !failed;
}

void journal_rest(struct aqfs_workspace *ws, bool undone) {
    static const char idle[] = "{\"state\": \"done\", \"steps\": []}\n";
    struct journal *journal = ws->journal;
    if (!journal)
        return;
    bool works = true;
    journal->size += undone ? strlen(idle) : 0;
    if (undone)
        works = write_whole(journal->fd, idle, strlen(idle), WRITE_ON) == 0;
    if (works && (journal->size > KEPT_BYTES || journal->left.n > KEPT_DIRECTORIES))
        works = empty_journal(ws);
    if (!works)
        journal_close(ws);
}

/* -- the lock of commits ---------------------------------------------------------------------- */

/* Never unlink the lock file: two processes could then lock different inodes of the same name. */
static int open_lock_file(const struct aqfs_workspace *ws) {
    char hex[HASH_HEX], name[HASH_HEX + sizeof ".lock"];
    struct hash h;
    hash_start(&h);
    hash_add(&h, ws->roots[0].path, ws->roots[0].len + 1);
    hash_end(&h, hex);
    (void)snprintf(name, sizeof name, "%s.lock", hex);
    AUTO(cleanup_close) int dir = journal_directory(ws, true);
    int fd = dir;
    while (dir >= 0) {
        fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EINTR)
            break;
    }
    return fd < 0 ? -errno : fd;
}

int commit_lock(struct aqfs_workspace *ws, struct budget *budget, struct error *e) {
    const bool shares_files = ws->state_dir && ws->backend->durable;
    int code = AQFS_OK;
    pthread_mutex_lock(&ws->commit_mutex);
    if (shares_files && ws->commit_file < 0)
        ws->commit_file = open_lock_file(ws);
    if (shares_files)
        code = ws->commit_file < 0 ? fail_errno(e, -ws->commit_file, "state directory")
                                   : lock_wait(ws->commit_file, budget, e);
    if (code)
        pthread_mutex_unlock(&ws->commit_mutex);
    return code;
}

void commit_unlock(struct aqfs_workspace *ws) {
    if (ws->commit_file >= 0 && flock(ws->commit_file, LOCK_UN) != 0)
        commit_lock_close(ws);
    pthread_mutex_unlock(&ws->commit_mutex);
}

void commit_lock_close(struct aqfs_workspace *ws) {
    if (ws->commit_file >= 0)
        cleanup_close(&ws->commit_file);
    ws->commit_file = -1;
}

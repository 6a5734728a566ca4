/* journal.c -- what a commit is about to do, for whoever comes after a crash. */
#include "journal.h"

#include "cleanup.h"
#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

struct journal {
    int fd; /* locked; the lock ends with the process */
    char *path;
};

/* -- the file --------------------------------------------------------------------------------- */

void journal_prefix(const struct aqfs_workspace *ws, char out[JOURNAL_PREFIX]) {
    struct hash h;
    hash_start(&h);
    for (size_t i = 0; i < ws->root_count; i++)
        hash_add(&h, ws->roots[i].path, ws->roots[i].len + 1);
    hash_end(&h, out);
    strcat(out, "-");
}

int journal_directory(const struct aqfs_workspace *ws, bool make) {
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/journal", ws->state_dir) < 0)
        return -1;
    if (make) {
        (void)mkdir(ws->state_dir, 0700);
        (void)mkdir(path, 0700);
    }
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_file(const struct aqfs_workspace *ws, struct journal *journal) {
    char prefix[JOURNAL_PREFIX], random[TEMPORARY_NAME];
    AUTO(cleanup_close) int dir = journal_directory(ws, true);
    journal_prefix(ws, prefix);
    if (dir < 0 || !temporary_name(random) ||
        asprintf(&journal->path, "%s/journal/%s%s", ws->state_dir, prefix, random) < 0)
        return -1;
    const char *name = strrchr(journal->path, '/') + 1;
    int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

static int journal_open(struct aqfs_workspace *ws, struct error *e) {
    if (ws->journal)
        return AQFS_OK;
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return fail_memory(e);
    journal->fd = make_file(ws, journal);
    if (journal->fd >= 0) {
        ws->journal = journal;
        return AQFS_OK;
    }
    int error = errno;
    free(journal->path);
    free(journal);
    return fail_errno(e, error, "state directory");
}

/* -- writing ---------------------------------------------------------------------------------- */

static const char *const state_names[] = {"staging", "applying", "done"};

static json_t *step_json(const struct journal_step *s) {
    char inode[32];
    snprintf(inode, sizeof inode, "%llu", (unsigned long long)s->inode);
    AUTO(buf_free) struct buf path = {0}, from = {0};
    path_show(&path, s->path, strlen(s->path));
    if (s->from)
        path_show(&from, s->from, strlen(s->from));
    return json_pack("{s:s, s:i, s:s%, s:s*, s:i, s:s, s:s}", "kind", s->kind, "root", (int)s->root,
                     "path", path.data ? path.data : "", path.len, "from", from.data, "from_root",
                     (int)s->from_root, "temp", s->temp, "inode", inode);
}

int journal_write(struct aqfs_workspace *ws, enum journal_state state,
                  const struct journal_step *steps, size_t n, bool durable, struct error *e) {
    if (!ws->state_dir)
        return AQFS_OK;
    int code = journal_open(ws, e);
    if (code)
        return code;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, step_json(&steps[i]));
    json_t *record = json_pack("{s:s, s:o}", "state", state_names[state], "steps", list);
    AUTO_FREE char *text = record ? json_dumps(record, JSON_COMPACT) : NULL;
    json_decref(record);
    size_t len = text ? strlen(text) : 0;
    if (!text)
        return fail_memory(e);
    /* One line a state.  The last whole one counts: of a torn line no step has been made yet. */
    text[len] = '\n';
    if (write(ws->journal->fd, text, len + 1) != (ssize_t)len + 1 ||
        (durable && fdatasync(ws->journal->fd) != 0))
        return fail_errno(e, errno ? errno : EIO, "journal");
    return AQFS_OK;
}

void journal_clear(struct aqfs_workspace *ws) {
    if (ws->journal && ftruncate(ws->journal->fd, 0) == 0)
        (void)lseek(ws->journal->fd, 0, SEEK_SET);
}

void journal_close(struct aqfs_workspace *ws) {
    struct journal *journal = ws->journal;
    if (!journal)
        return;
    (void)unlink(journal->path);
    cleanup_close(&journal->fd);
    free(journal->path);
    free(journal);
    ws->journal = NULL;
}

/* recover.c -- putting a tree back after a commit that was killed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "recover.h"

#include "cleanup.h"
#include "clock.h"
#include "journal.h"
#include "leftovers.h"
#include "own_file.h"
#include "undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

/* How long opening a workspace waits for another process that commits. */
#define RECOVER_NS INT64_C(2000000000)

/* One step of a journal, with room for its paths. */
struct journal_entry {
    struct journal_step step;
    char path[PATH_BYTES_MAX + 1], from[PATH_BYTES_MAX + 1];
};

static bool take_step_path(const json_t *step, const char *key, char out[PATH_BYTES_MAX + 1]) {
    const json_t *text = json_object_get(step, key);
    struct error ignored;
    size_t n;
    out[0] = '\0';
    if (!json_is_string(text))
        return false;
    bool taken = path_accept(json_string_value(text), json_string_length(text), NULL, out, &n,
                             &ignored) == AQFS_OK &&
                 path_is_canonical(out);
    if (!taken)
        out[0] = '\0';
    return taken;
}

static bool take_root(const struct aqfs_workspace *ws, const json_t *step, const char *key,
                      size_t *out) {
    json_int_t root = json_integer_value(json_object_get(step, key));
    *out = (size_t)root;
    return root >= 0 && (size_t)root < ws->root_count;
}

/* Journals of the first versions have numbers as text. */
static int64_t take_number(const json_t *step, const char *key) {
    const json_t *number = json_object_get(step, key);
    const char *text = json_string_value(number);
    return text ? (int64_t)strtoull(text, NULL, 10) : json_integer_value(number);
}

/* Reads a journal as if an enemy had written it: places are opened through the boundary, and only
 * temporary names of our form are accepted. */
static bool take_step(const struct aqfs_workspace *ws, const json_t *json,
                      struct journal_entry *out) {
    struct journal_step *step = &out->step;
    step->kind = json_string_value(json_object_get(json, "kind"));
    step->temp = json_string_value(json_object_get(json, "temp"));
    if (!step->kind || !step->temp || !is_temporary_name(step->temp) ||
        !take_root(ws, json, "root", &step->root) ||
        !take_root(ws, json, "from_root", &step->from_root) ||
        !take_step_path(json, "path", out->path))
        return false;
    (void)take_step_path(json, "from", out->from);
    step->path = out->path;
    step->from = out->from;
    step->moved = (uint64_t)take_number(json, "moved");
    step->directory = (uint64_t)take_number(json, "directory");
    step->made.inode = (uint64_t)take_number(json, "inode");
    step->made.size = take_number(json, "size");
    step->made.modified_ns = take_number(json, "modified");
    step->old.inode = (uint64_t)take_number(json, "old_inode");
    step->old.size = take_number(json, "old_size");
    step->old.modified_ns = take_number(json, "old_modified");
    return true;
}

/* Must this workspace not touch the places of STEP?  The journal is then kept for another workspace
 * of the project, which may. */
static bool is_denied(const struct aqfs_workspace *ws, const struct journal_step *step) {
    const struct root *root = &ws->roots[step->root], *from = &ws->roots[step->from_root];
    return workspace_hides(ws, root, step->path, strlen(step->path)) ||
           (step->from[0] && workspace_hides(ws, from, step->from, strlen(step->from)));
}

/* Undoes or ends the steps of RECORD, the last one first.  False if something failed that may
 * succeed later; if it WAITS, also where another directory has the name of a step's. */
static bool repair(struct aqfs_workspace *ws, const json_t *record, int64_t written_ns,
                   bool waits) {
    const int64_t began_ns = clock_read_ns(FILE_CLOCK);
    const json_t *steps = json_object_get(record, "steps");
    const char *state = json_string_value(json_object_get(record, "state"));
    bool done = state && strcmp(state, "done") == 0, whole = true;
    bool undoing = state && strcmp(state, "undoing") == 0;
    size_t n = json_array_size(steps);
    bool (*mend)(struct aqfs_workspace *, const struct journal_step *) = done ? undo_finish
                                                                         : n == 1 && !undoing
                                                                             ? undo_lone
                                                                             : undo_step;
    for (size_t i = n; i-- > 0;) {
        struct journal_entry entry = {.step = {.written_ns = written_ns, .began_ns = began_ns}};
        if (!take_step(ws, json_array_get(steps, i), &entry))
            continue;
        if (!waits)
            entry.step.directory = 0;
        whole = !is_denied(ws, &entry.step) && mend(ws, &entry.step) && whole;
    }
    return whole;
}

/* Reads the whole file, of N bytes.  NULL if that fails. */
static char *read_journal_bytes(int fd, size_t n) {
    char *text = malloc(n);
    for (size_t done = 0; text && done < n;) {
        ssize_t got = pread(fd, text + done, n - done, (off_t)done);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

/* Finds the last record in the first N bytes of TEXT, or NULL, and makes N the bytes before it.
 * Skips a line that is not JSON: it was torn, and none of its steps has been made yet.  False
 * without memory. */
static bool take_record(const char *text, size_t *n, json_t **out) {
    *out = NULL;
    while (!*out && *n > 0) {
        size_t end = *n;
        json_error_t why;
        const char *before = memrchr(text, '\n', end - 1);
        *n = before ? (size_t)(before + 1 - text) : 0;
        if (text[end - 1] != '\n')
            continue;
        *out = json_loadb(text + *n, end - *n, 0, &why);
        if (!*out && json_error_code(&why) == json_error_out_of_memory)
            return false;
    }
    return true;
}

/* Adds the steps of the record before it to RECORD, if that has none of its own. */
static bool take_steps(const char *text, size_t n, json_t *record) {
    json_t *before;
    if (!json_is_object(record) || json_object_get(record, "steps"))
        return true;
    if (!take_record(text, &n, &before))
        return false;
    json_t *steps = json_object_get(before, "steps");
    bool whole = !steps || json_object_set(record, "steps", steps) == 0;
    json_decref(before);
    return whole;
}

/* Reads the whole journal.  False if that is not possible. */
static bool read_journal(int fd, char **text, size_t *n) {
    struct stat s;
    *text = NULL;
    *n = 0;
    if (fstat(fd, &s) != 0 || s.st_size > JOURNAL_BYTES_MAX)
        return false;
    if (s.st_size == 0)
        return true;
    *n = (size_t)s.st_size;
    *text = read_journal_bytes(fd, *n);
    return *text != NULL;
}

/* Reads the last record, or NULL if there is none.  False without memory. */
static bool last_record(const char *text, size_t n, json_t **out) {
    *out = NULL;
    return n == 0 || (take_record(text, &n, out) && take_steps(text, n, *out));
}

/* Adds the directories that the lines of a journal tell of.  A line that was torn tells of none:
 * none of its steps was made. */
static bool gather_leftovers(struct aqfs_workspace *ws, const char *text, size_t n,
                             struct leftovers *out) {
    bool allowed = true;
    for (json_t *record; n > 0;) {
        if (!take_record(text, &n, &record))
            return false;
        const json_t *steps = json_object_get(record, "steps");
        for (size_t i = 0; i < json_array_size(steps); i++) {
            struct journal_entry entry = {0};
            if (!take_step(ws, json_array_get(steps, i), &entry))
                continue;
            allowed = allowed && !is_denied(ws, &entry.step);
            leftovers_add(out, &entry.step);
        }
        json_decref(record);
    }
    return allowed;
}

/* Removes the temporary names that a loss of power has brought back. */
static bool sweep_leftovers(struct aqfs_workspace *ws, const char *text, size_t n,
                            const char *journal) {
    AUTO(leftovers_free) struct leftovers left = {0};
    return gather_leftovers(ws, text, n, &left) &&
           leftovers_remove(ws, &left, journal_owner(journal));
}

/* Is the journal's process dead?  Also makes sure that it is still there: another process may have
 * recovered and removed it while we waited for the commit's lock. */
static bool is_orphan(int fd, int lock) {
    struct stat s;
    return flock(fd, lock | LOCK_NB) == 0 && fstat(fd, &s) == 0 && s.st_nlink > 0;
}

/* Returns the format of the journal if it is newer than ours, and leaves it alone then; else 0. */
static int64_t recover_file(struct aqfs_workspace *ws, int dir, const char *name, bool waits) {
    AUTO(cleanup_close) int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || !is_orphan(fd, LOCK_EX))
        return 0;
    AUTO_FREE char *text = NULL;
    json_t *record = NULL;
    struct stat s;
    size_t n;
    bool read = read_journal(fd, &text, &n) && last_record(text, n, &record);
    int64_t format = json_integer_value(json_object_get(record, "format"));
    if (read && format <= JOURNAL_FORMAT && fstat(fd, &s) == 0 &&
        repair(ws, record, s.st_mtim.tv_sec * INT64_C(1000000000) + s.st_mtim.tv_nsec, waits) &&
        sweep_leftovers(ws, text, n, name))
        (void)unlinkat(dir, name, 0);
    json_decref(record);
    return format <= JOURNAL_FORMAT ? 0 : format;
}

static void recover_all(struct aqfs_workspace *ws, int dir, DIR *stream, bool waits) {
    char prefix[JOURNAL_PREFIX];
    int64_t newer = 0;
    journal_prefix(ws, prefix);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        int64_t format = recover_file(ws, dir, entry->d_name, waits);
        newer = format > newer ? format : newer;
    }
    atomic_store(&ws->newer_journal, newer);
}

/* Is there a journal to recover at all?  Asked without the lock of commits, which another process
 * may hold for seconds: opening a workspace does not wait for a commit that has nothing to do with
 * it. */
static bool any_orphan(const struct aqfs_workspace *ws, int dir, DIR *stream) {
    char prefix[JOURNAL_PREFIX];
    bool found = false;
    journal_prefix(ws, prefix);
    for (const struct dirent *entry; !found && (entry = readdir(stream)) != NULL;) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        AUTO(cleanup_close)
        int fd = openat(dir, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        found = fd >= 0 && is_orphan(fd, LOCK_SH); /* others may look at the same time */
    }
    rewinddir(stream);
    return found;
}

static void recover(struct aqfs_workspace *ws, bool waits) {
    struct budget budget = {.deadline_ns = clock_now_ns() + RECOVER_NS};
    struct error ignored;
    AUTO(cleanup_close)
    int dir = ws->state_dir && ws->backend->durable ? journal_directory(ws, false) : -1;
    int listed = dir < 0 ? -1 : fcntl(dir, F_DUPFD_CLOEXEC, 0);
    DIR *stream = listed < 0 ? NULL : fdopendir(listed);
    if (!stream) {
        cleanup_close(&listed);
        return;
    }
    if (!any_orphan(ws, dir, stream)) {
        atomic_store(&ws->newer_journal, 0);
    } else if (commit_lock(ws, &budget, &ignored) == AQFS_OK) {
        recover_all(ws, dir, stream, waits);
        commit_unlock(ws);
    }
    closedir(stream);
}

void journal_recover(struct aqfs_workspace *ws) {
    recover(ws, false);
}

/* The directories may be exchanged for a moment.  When the workspace is opened again, they are
 * taken as they are by then. */
void journal_settle(struct aqfs_workspace *ws) {
    if (atomic_exchange(&ws->journal_left, false))
        recover(ws, true);
}

int journal_check(struct aqfs_workspace *ws, struct error *e) {
    int64_t format = atomic_load(&ws->newer_journal);
    if (!format)
        return AQFS_OK;
    atomic_store(&ws->journal_left, true);
    int code = fail_newer_format(e, "The journal of an interrupted change in this project", format,
                                 JOURNAL_FORMAT);
    error_hint(e,
               "Open the project with the agent-q-fs that was interrupted, which puts the files "
               "in order.  If there is none any more, look at the files, and then remove the "
               "project's journals from %s/journal",
               ws->state_dir);
    return code;
}

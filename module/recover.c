/* recover.c -- putting a tree back after a commit that was killed. */
#include "cleanup.h"
#include "journal.h"
#include "parent.h"
#include "temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define JOURNAL_BYTES_MAX (64 << 20)

/* One step of a journal, open. */
struct repair {
    struct aqfs_workspace *ws;
    const char *kind;
    const struct root *root, *from_root;
    char path[PATH_BYTES_MAX + 1], from[PATH_BYTES_MAX + 1];
    const char *temp;
    uint64_t inode;
    struct parent parent;
    struct error ignored;
};

static bool inode_of(struct repair *r, const struct node *dir, const char *name, uint64_t *inode) {
    struct info info;
    if (r->ws->backend->stat_below(dir, name, &info, &r->ignored))
        return false;
    *inode = info.inode;
    return true;
}

static void rename_in(struct repair *r, const char *from, const char *to, enum rename_kind kind) {
    const struct node *dir = &r->parent.node;
    (void)r->ws->backend->rename(dir, from, dir, to, kind, &r->ignored);
}

static void remove_in(struct repair *r, const char *name, bool directory) {
    (void)r->ws->backend->remove(&r->parent.node, name, directory, &r->ignored);
}

static void undo_write(struct repair *r, bool temp_exists, uint64_t temp_inode) {
    if (!temp_exists)
        return;
    if (temp_inode == r->inode)
        rename_in(r, r->temp, r->parent.name, RENAME_SWAP);
    remove_in(r, r->temp, false);
}

static void undo_create(struct repair *r, bool temp_exists) {
    uint64_t inode;
    if (temp_exists)
        remove_in(r, r->temp, false);
    else if (r->inode && inode_of(r, &r->parent.node, r->parent.name, &inode) && inode == r->inode)
        remove_in(r, r->parent.name, false);
}

static void undo_move(struct repair *r, bool temp_exists) {
    AUTO(parent_close) struct parent from = {0};
    uint64_t inode;
    if (inode_of(r, &r->parent.node, r->parent.name, &inode) && inode == r->inode &&
        parent_open(r->ws, r->from_root, r->from, &from, &r->ignored) == AQFS_OK)
        (void)r->ws->backend->rename(&r->parent.node, r->parent.name, &from.node, from.name,
                                     RENAME_FRESH, &r->ignored);
    if (temp_exists)
        rename_in(r, r->temp, r->parent.name, RENAME_FRESH);
}

static void undo_step(struct repair *r) {
    uint64_t inode = 0;
    bool temp_exists = inode_of(r, &r->parent.node, r->temp, &inode);
    if (strcmp(r->kind, "mkdir") == 0)
        remove_in(r, r->parent.name, true);
    else if (strcmp(r->kind, "write") == 0)
        undo_write(r, temp_exists, inode);
    else if (strcmp(r->kind, "create") == 0)
        undo_create(r, temp_exists);
    else if (strcmp(r->kind, "move") == 0)
        undo_move(r, temp_exists);
    else if (temp_exists) /* delete */
        rename_in(r, r->temp, r->parent.name, RENAME_FRESH);
}

/* All steps were made: what they replaced goes.  A directory that is not empty stays, under a name
 * that tells what it is. */
static void finish_step(struct repair *r) {
    remove_in(r, r->temp, false);
    remove_in(r, r->temp, true);
}

static bool take_path(const json_t *step, const char *key, char out[PATH_BYTES_MAX + 1]) {
    const json_t *text = json_object_get(step, key);
    struct error ignored;
    size_t n;
    out[0] = '\0';
    if (!json_is_string(text))
        return false;
    return path_accept(json_string_value(text), json_string_length(text), NULL, out, &n,
                       &ignored) == AQFS_OK;
}

/* A journal is read as if an enemy had written it: places are opened through the boundary, and
 * nothing is touched but through names of ours. */
static bool take_step(struct repair *r, const json_t *step) {
    const char *inode = json_string_value(json_object_get(step, "inode"));
    json_int_t root = json_integer_value(json_object_get(step, "root"));
    json_int_t from_root = json_integer_value(json_object_get(step, "from_root"));
    r->kind = json_string_value(json_object_get(step, "kind"));
    r->temp = json_string_value(json_object_get(step, "temp"));
    if (!r->kind || !r->temp || !inode || !is_temporary_name(r->temp) || root < 0 ||
        from_root < 0 || (size_t)root >= r->ws->root_count ||
        (size_t)from_root >= r->ws->root_count || !take_path(step, "path", r->path))
        return false;
    (void)take_path(step, "from", r->from);
    r->inode = strtoull(inode, NULL, 10);
    r->root = &r->ws->roots[root];
    r->from_root = &r->ws->roots[from_root];
    return parent_open(r->ws, r->root, r->path, &r->parent, &r->ignored) == AQFS_OK;
}

static void repair(struct aqfs_workspace *ws, const json_t *record) {
    const json_t *steps = json_object_get(record, "steps");
    const char *state = json_string_value(json_object_get(record, "state"));
    bool done = state && strcmp(state, "done") == 0;
    for (size_t i = json_array_size(steps); i-- > 0;) {
        struct repair r = {.ws = ws};
        if (take_step(&r, json_array_get(steps, i))) {
            if (done)
                finish_step(&r);
            else
                undo_step(&r);
        }
        parent_close(&r.parent);
    }
}

/* The last whole line of the journal. */
static json_t *last_record(int fd) {
    struct stat s;
    if (fstat(fd, &s) != 0 || s.st_size <= 0 || s.st_size > JOURNAL_BYTES_MAX)
        return NULL;
    AUTO_FREE char *text = malloc((size_t)s.st_size);
    ssize_t n = text ? pread(fd, text, (size_t)s.st_size, 0) : -1;
    while (n > 0 && text[n - 1] != '\n')
        n--;
    if (n <= 0)
        return NULL;
    const char *line = memrchr(text, '\n', (size_t)n - 1);
    line = line ? line + 1 : text;
    return json_loadb(line, (size_t)(text + n - line), 0, NULL);
}

static void recover_file(struct aqfs_workspace *ws, int dir, const char *name) {
    AUTO(cleanup_close) int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        return; /* its owner lives */
    json_t *record = last_record(fd);
    repair(ws, record);
    json_decref(record);
    (void)unlinkat(dir, name, 0);
}

void journal_recover(struct aqfs_workspace *ws) {
    char prefix[JOURNAL_PREFIX];
    AUTO(cleanup_close) int dir = ws->state_dir ? journal_directory(ws, false) : -1;
    int listed = dir < 0 ? -1 : fcntl(dir, F_DUPFD_CLOEXEC, 0);
    DIR *stream = listed < 0 ? NULL : fdopendir(listed);
    if (!stream) {
        cleanup_close(&listed);
        return;
    }
    journal_prefix(ws, prefix);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            recover_file(ws, dir, entry->d_name);
    closedir(stream);
}

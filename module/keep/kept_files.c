/* kept_files.c -- records as files of the state directory, with the large files that they link to.
 *
 * A large file that a call replaced is not copied: it gets a second name here, and
 * then loses the one it had in the project.  It is a part of the record, and has the
 * record's name with a dot and its number: ID.1, ID.2.  A part without a record is what a
 * crash has left.
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
#include <unistd.h>

/* When the oldest records go, so many more go that this is not done again at once: an eighth. */
#define SPARE 8

/* An id, a dot, the digits of a number, and a NUL. */
#define PART_NAME (KEPT_ID + 20)

/* -- the directory ----------------------------------------------------------------------------- */

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
        errno = error;
    }
    return fd;
}

bool kept_means_none(int error) {
    return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

int kept_files_read(int fd, size_t at, size_t n, char *out) {
    while (n > 0) {
        ssize_t got = pread(fd, out, n, (off_t)at);
        if (got == 0)
            return ENOENT;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got > 0) {
            out += got;
            at += (size_t)got;
            n -= (size_t)got;
        }
    }
    return 0;
}

/* -- listing and finding ----------------------------------------------------------------------- */

static void add_listed(void *data, int dir, const char *name) {
    (void)dir;
    if (kept_is_id(name, strlen(name)))
        kept_ids_add(data, name);
}

int kept_files_list(const struct aqfs_workspace *ws, struct kept_ids *out) {
    AUTO(cleanup_close) int dir = open_kept(ws, false);
    if (dir < 0)
        return kept_means_none(errno) ? 0 : errno;
    return state_each(dir, add_listed, out);
}

int kept_files_open(const struct aqfs_workspace *ws, const char *id, struct kept_call *out) {
    struct stat s;
    AUTO(cleanup_close) int dir = open_kept(ws, false);
    out->fd = dir < 0 ? -1 : open_record(dir, id, &s);
    if (out->fd < 0)
        return errno;
    out->size = s.st_size;
    return 0;
}

/* -- parts ------------------------------------------------------------------------------------- */

static void name_part(char out[PART_NAME], const char *id, size_t part) {
    (void)snprintf(out, PART_NAME, "%s.%zu", id, part);
}

/* Is NAME that of a part?  Then ID gets the name of its record. */
static bool is_kept_part(const char *name, char id[KEPT_ID]) {
    if (strlen(name) <= KEPT_ID || name[KEPT_ID - 1] != '.' || !kept_is_id(name, KEPT_ID - 1))
        return false;
    memcpy(id, name, KEPT_ID - 1);
    id[KEPT_ID - 1] = '\0';
    return true;
}

int kept_files_add_part(const struct kept_call *call, const struct kept_side *side,
                        struct buf *out) {
    char name[PART_NAME];
    struct stat s;
    AUTO(cleanup_close) int dir = open_kept(call->ws, false), fd = -1;
    name_part(name, call->id, side->part);
    fd = dir < 0 ? -1 : open_record(dir, name, &s);
    if (fd < 0)
        return errno;
    if ((size_t)s.st_size != side->len)
        return ENOENT;
    if (!buf_reserve(out, side->len + 1))
        return ENOMEM;
    int error = kept_files_read(fd, 0, side->len, out->data + out->len);
    if (error)
        return error;
    out->len += side->len;
    out->data[out->len] = '\0';
    return 0;
}

/* Is NAME, which was just linked, the file that INFO is of, and under no third name?  Then nobody
 * but us may read it from now on. */
static bool take_linked(int dir, const char *name, const struct info *info) {
    struct stat s;
    AUTO(cleanup_close) int fd = open_record(dir, name, &s);
    return fd >= 0 && s.st_ino == info->inode && s.st_size == info->size && s.st_nlink == 2 &&
           fchmod(fd, 0600) == 0;
}

bool kept_files_link(struct aqfs_workspace *ws, const char *id, size_t part,
                     const struct node *from, const char *name, const struct info *info) {
    char linked[PART_NAME];
    AUTO(cleanup_close) int dir = open_kept(ws, true);
    name_part(linked, id, part);
    if (dir < 0 || linkat(from->fd, name, dir, linked, 0) != 0)
        return false;
    if (!take_linked(dir, linked, info)) {
        (void)unlinkat(dir, linked, 0);
        return false;
    }
    ws->kept->bytes += info->size;
    return true;
}

/* -- forgetting -------------------------------------------------------------------------------- */

static int64_t size_of(int dir, const char *name) {
    struct stat s;
    return fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW) == 0 ? (int64_t)s.st_size : 0;
}

/* Returns how many bytes are gone with it. */
static int64_t remove_parts(int dir, const char *id) {
    int64_t gone = 0;
    for (size_t part = 1;; part++) {
        char name[PART_NAME];
        name_part(name, id, part);
        int64_t size = size_of(dir, name);
        if (unlinkat(dir, name, 0) != 0)
            return gone;
        gone += size;
    }
}

void kept_files_forget(const struct aqfs_workspace *ws, const char *id) {
    AUTO(cleanup_close) int dir = open_kept(ws, false);
    if (dir < 0)
        return;
    (void)unlinkat(dir, id, 0);
    (void)remove_parts(dir, id);
}

bool kept_is_too_much(const struct limits *limits, int64_t n, int64_t bytes, int64_t spare) {
    return n > limits->kept_calls - limits->kept_calls / SPARE * spare ||
           bytes > limits->kept_bytes - limits->kept_bytes / SPARE * spare;
}

struct counting {
    struct kept_ids ids;
    struct kept_shares shares;
    bool has_parts; /* some record has */
};

/* The bytes of a part count for its record's origin. */
static void count_one(void *data, int dir, const char *name) {
    struct counting *c = data;
    char id[KEPT_ID];
    bool part = is_kept_part(name, id);
    if (part && !state_has(dir, id))
        (void)unlinkat(dir, name, 0);
    else if (part) {
        c->has_parts = true;
        c->shares.bytes[kept_origin_of(id)] += size_of(dir, name);
    } else if (kept_is_id(name, strlen(name)))
        kept_share(&c->shares, name, size_of(dir, name));
    add_listed(&c->ids, dir, name);
}

static void counting_free(struct counting *c) {
    kept_ids_free(&c->ids);
}

static int64_t sum_of_origins(const int64_t of[ORIGIN_COUNT]) {
    int64_t sum = 0;
    for (int origin = 0; origin < ORIGIN_COUNT; origin++)
        sum += of[origin];
    return sum;
}

/* Forgets the oldest record of the origin MOST in IDS, from AT on; the latest one of all stays. The
 * index behind it. */
static size_t forget_oldest_of(struct counting *c, int dir, enum origin most, size_t at) {
    while (at + 1 < c->ids.n && kept_origin_of(c->ids.all[at]) != most)
        at++;
    if (at + 1 >= c->ids.n)
        return c->ids.n;
    int64_t size = size_of(dir, c->ids.all[at]);
    if (unlinkat(dir, c->ids.all[at], 0) == 0) {
        size += c->has_parts ? remove_parts(dir, c->ids.all[at]) : 0;
        kept_unshare(&c->shares, c->ids.all[at], size);
    }
    return at + 1;
}

static void forget_surplus(struct counting *c, int dir, const struct limits *limits) {
    size_t at[ORIGIN_COUNT] = {0};
    int64_t spare = 0;
    for (;; spare = 1) {
        int64_t n = sum_of_origins(c->shares.n), bytes = sum_of_origins(c->shares.bytes);
        bool by_count = n > limits->kept_calls - limits->kept_calls / SPARE * spare;
        enum origin most = kept_largest(&c->shares, by_count);
        if (!kept_is_too_much(limits, n, bytes, spare) || at[most] >= c->ids.n)
            return;
        at[most] = forget_oldest_of(c, dir, most, at[most]);
    }
}

/* Counts what DIR has, which other processes may have added to, and forgets what is too much, but
 * never the latest record. */
static void count_and_forget(struct aqfs_workspace *ws, int dir) {
    struct kept_memory *kept = ws->kept;
    AUTO(counting_free) struct counting c = {0};
    state_sweep(dir);
    if (state_each(dir, count_one, &c) != 0 || c.ids.failed)
        return;
    kept_ids_sort(&c.ids);
    forget_surplus(&c, dir, &ws->limits);
    kept->counted = true;
    kept->n = sum_of_origins(c.shares.n);
    kept->bytes = sum_of_origins(c.shares.bytes);
}

/* -- keeping ----------------------------------------------------------------------------------- */

/* The temporary name of the record ID, which is as random as the id is. */
static void name_unfinished(char out[TEMPORARY_NAME], const char *id) {
    (void)snprintf(out, TEMPORARY_NAME, ".aqfs-%.*s%.*s0000.tmp", ID_TIME, id, ID_REST,
                   id + ID_TIME + 1);
}

int kept_files_add(struct aqfs_workspace *ws, const char *id, const struct buf *header,
                   const struct buf *bytes, struct error *e) {
    char temp[TEMPORARY_NAME];
    AUTO(cleanup_close) int dir = open_kept(ws, true), fd = -1;
    if (dir < 0)
        return fail_errno(e, errno, "state directory");
    name_unfinished(temp, id);
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
    if (!kept->counted || kept_is_too_much(&ws->limits, kept->n, kept->bytes, 0))
        count_and_forget(ws, dir);
    return AQFS_OK;
}

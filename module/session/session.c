/* session.c -- the backend whose bytes are files in a directory of the session's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "session.h"

#include "beneath.h"
#include "canonical.h"
#include "cleanup.h"
#include "host.h"
#include "memory.h"
#include "options.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#define PREFIX "agent-q-fs-session-"

/* Tries to make the directory.  Another process that sweeps abandoned sessions may take ours for
 * one before we lock it, and remove it. */
#define ROUNDS 16
#define WAIT_NS 1000000

#define DIGITS 32 /* random digits, as in a name of own_file.h behind its prefix */

bool is_session_name(const char *name) {
    size_t n = sizeof PREFIX - 1;
    return strncmp(name, PREFIX, n) == 0 && strspn(name + n, "0123456789abcdef") == DIGITS &&
           name[n + DIGITS] == '\0';
}

/* -- opening ---------------------------------------------------------------------------------- */

static int check_options(const struct aqfs_workspace *ws, const struct options *o,
                         struct error *e) {
    const char *temp = options_text(o, OPT_TEMP_DIR);
    if (options_text(o, OPT_ROOT))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "root: a session has a directory of its own; mounts bring copies of others");
    if (ws->unrestricted)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "mode: a session is kept to its own directory: expected restricted");
    if (!temp || temp[0] != '/')
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "temp_dir: expected an absolute path, where the session's directory is made");
    return AQFS_OK;
}

/* Opens the temporary directory as *FD and returns its canonical path, for the caller to free;
 * NULL, and E set, when it cannot be opened. */
static char *open_temp(const struct options *o, int *fd, struct error *e) {
    char label[PATH_LABEL];
    const char *given = options_text(o, OPT_TEMP_DIR);
    AUTO_FREE char *path = canonical_path(given);
    *fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (*fd >= 0)
        return steal_pointer(&path);
    (void)fail(e, AQFS_NOT_FOUND, "temp_dir: %s is not a directory that can be opened",
               path_label(given, strlen(given), label));
    return NULL;
}

static int choose_path(struct aqfs_workspace *ws, const char *temp, struct error *e) {
    char random[TEMPORARY_NAME], *path = NULL;
    if (!temporary_name(random))
        return fail(e, AQFS_IO, "No random name could be made: getrandom failed");
    int n = asprintf(&path, "%s/" PREFIX "%.*s", strcmp(temp, "/") == 0 ? "" : temp, DIGITS,
                     random + strlen(".aqfs-"));
    if (n < 0)
        return fail_memory(e);
    ws->roots[0] = (struct root){.fd = -1, .path = path, .len = (size_t)n};
    ws->root_count = 1;
    ws->root_method = "session";
    ws->session->name = strdup(path_basename(path));
    return ws->session->name && rules_add(&ws->rules, path, (size_t)n, false) ? AQFS_OK
                                                                              : fail_memory(e);
}

int session_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    int code = check_options(ws, o, e);
    if (code)
        return code;
    ws->session = calloc(1, sizeof *ws->session);
    if (!ws->session)
        return fail_memory(e);
    ws->session->fd = ws->session->temp = -1;
    ws->memory = memory_new(INT64_MAX); /* unbounded here: limits.mount_bytes bounds the mounts */
    ws->session->revisions = revisions_new();
    if (!ws->session->revisions || !ws->memory)
        return fail_memory(e);
    AUTO_FREE char *temp = open_temp(o, &ws->session->temp, e);
    if (!temp)
        return (int)e->code;
    code = choose_path(ws, temp, e);
    if (code)
        return code;
    session_sweep(ws->session->temp);
    return workspace_allow_inside(ws, o, e);
}

/* -- the directory ---------------------------------------------------------------------------- */

/* The session's own directory, or -1. */
static int open_own(const struct session_state *s) {
    return openat(s->temp, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Locks the directory just made, and returns its descriptor or -errno.  -EAGAIN when a sweeping
 * process took it for an abandoned one: it holds the lock, or has removed the directory already. */
static int take_directory(const struct session_state *s) {
    struct stat now;
    AUTO(cleanup_close) int fd = open_own(s);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    if (fstat(fd, &now) != 0 || fchmod(fd, 0700) != 0)
        return -errno;
    return now.st_nlink == 0 ? -EAGAIN : steal_fd(&fd);
}

static int make_session_directory(const struct session_state *s) {
    if (mkdirat(s->temp, s->name, 0700) != 0)
        return -errno;
    int fd = take_directory(s);
    if (fd < 0 && fd != -EAGAIN)
        (void)unlinkat(s->temp, s->name, AT_REMOVEDIR);
    return fd;
}

/* Makes, locks and fills the session's directory.  -EEXIST after a first try means that a sweeping
 * process has not removed our directory yet. */
static int provision(struct aqfs_workspace *ws, struct error *e) {
    struct session_state *s = ws->session;
    int fd = -EAGAIN;
    for (int round = 0; (fd == -EAGAIN || (fd == -EEXIST && round > 0)) && round < ROUNDS;
         round++) {
        if (round > 0)
            (void)nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
        fd = make_session_directory(s);
    }
    if (fd < 0)
        return fail_errno(e, -fd, "make the session's directory");
    s->fd = fd;
    int root = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int code = root < 0 ? fail_errno(e, errno, "open the session's directory")
                        : host_open_root(&ws->roots[0], root, e);
    if (code && root >= 0)
        close(root);
    return code ? code : session_fill(fd, ws->memory->initial, e);
}

static void forget_root(struct aqfs_workspace *ws) {
    if (ws->root_count == 0)
        return;
    cleanup_close(&ws->roots[0].fd);
}

/* Closes and removes the session's directory. */
static void abandon(struct aqfs_workspace *ws) {
    struct session_state *s = ws->session;
    forget_root(ws);
    if (s->fd < 0)
        return;
    session_remove(s->temp, s->name);
    cleanup_close(&s->fd);
}

/* True also when fstat fails: making a new directory would leave the old one behind. */
static bool is_session_there(const struct session_state *s) {
    struct stat now;
    return s->fd >= 0 && (fstat(s->fd, &now) != 0 || now.st_nlink > 0);
}

int session_begin(struct aqfs_workspace *ws, struct error *e) {
    struct session_state *s = ws->session;
    if (is_session_there(s))
        return AQFS_OK;
    if (s->fd >= 0 && ws->running > 0)
        return fail(e, AQFS_RACED,
                    "The session's directory is gone: a new one is made when the "
                    "running calls have ended");
    cleanup_close(&s->fd);
    forget_root(ws);
    int code = provision(ws, e);
    if (code)
        abandon(ws);
    return code;
}

int session_reset(struct aqfs_workspace *ws, struct error *e) {
    (void)e;
    abandon(ws);
    return AQFS_OK;
}

void session_end(struct aqfs_workspace *ws) {
    struct session_state *s = ws->session;
    if (!s)
        return;
    abandon(ws);
    cleanup_close(&s->temp);
    revisions_free(s->revisions);
    free(s->name);
    free(s);
    ws->session = NULL;
}

/* -- what may be written ---------------------------------------------------------------------- */

static int fail_spelling(const char *path, enum code code, const char *rule, struct error *e) {
    char label[PATH_LABEL];
    return fail(e, code, "Path '%s' cannot be used in a session: %s",
                path_label(path, strlen(path), label), rule);
}

/* The reason why SEGMENT is refused, or NULL. */
static const char *fault_of(const char *segment, size_t n) {
    if (n == 0 || (n <= 2 && strspn(segment, ".") >= n))
        return "it has an empty segment, . or ..";
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)segment[i] >= 0x80)
            return "it is not ASCII";
    return NULL;
}

static int check_segments(const struct aqfs_workspace *ws, const char *path, size_t n,
                          struct error *e) {
    const struct limits *limits = &ws->limits;
    int64_t depth = 0;
    char rule[80];
    for (size_t at = 0, size; at <= n; at += size + 1) {
        const char *slash = memchr(path + at, '/', n - at);
        size = slash ? (size_t)(slash - path) - at : n - at;
        const char *fault = fault_of(path + at, size);
        if (fault)
            return fail_spelling(path, AQFS_INVALID_ARGUMENT, fault, e);
        (void)snprintf(rule, sizeof rule, "a segment has more than %lld characters",
                       (long long)limits->session_segment);
        if ((int64_t)size > limits->session_segment)
            return fail_spelling(path, AQFS_TOO_LONG, rule, e);
        (void)snprintf(rule, sizeof rule, "it has more than %lld segments",
                       (long long)limits->session_depth);
        if (++depth > limits->session_depth)
            return fail_spelling(path, AQFS_TOO_LONG, rule, e);
    }
    return AQFS_OK;
}

/* A slash at the end begins no segment: it says that the path is a directory. */
static int session_accept(const struct aqfs_workspace *ws, const char *path, size_t n,
                          struct error *e) {
    const struct root *root = &ws->roots[0];
    if (n == 1 && *path == '.')
        return AQFS_OK;
    if (*path == '/' && !path_is_below(path, n, root->path, root->len))
        return fail_spelling(path, AQFS_OUTSIDE_ROOT, "it is outside of its directory", e);
    if (*path == '/')
        return fail_spelling(path, AQFS_INVALID_ARGUMENT, "it is absolute", e);
    return check_segments(ws, path, n - (n > 1 && path[n - 1] == '/'), e);
}

static int session_accept_content(const struct aqfs_workspace *ws, size_t characters,
                                  struct error *e) {
    long long most = (long long)ws->limits.session_chars;
    if ((int64_t)characters <= ws->limits.session_chars)
        return AQFS_OK;
    (void)fail(e, AQFS_TOO_LARGE, "content: expected at most %lld characters, got %zu", most,
               characters);
    error_hint(e, "A session is for small files: write it in parts with mode=append");
    return AQFS_TOO_LARGE;
}

/* -- files: as on the host, and counted ------------------------------------------------------- */

static int session_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
                        enum open_kind kind, struct node *out, struct error *e) {
    int code = host_backend.open(ws, root, path, kind, out, e);
    if (!code && out->info.type == NODE_FILE)
        revisions_look(ws->session->revisions, &out->info);
    return code;
}

/* A copy starts a new revision history; it does not continue the history of its source. */
static int session_stage(struct aqfs_workspace *ws, const struct node *dir, const char *name,
                         const struct node *like, const struct source *source, struct node *made,
                         struct error *e) {
    int code = host_stage(ws, dir, name, like, source, made, e);
    const struct info *old = like && like != source->file ? &like->info : NULL;
    if (code || revisions_follow(ws->session->revisions, &made->info, old))
        return code;
    node_close(made);
    (void)host_remove(dir, name, false, e);
    return fail_memory(e);
}

/* The directory does not outlive the process, so nothing need be on disk. */
static int session_sync(const struct node *any, struct error *e) {
    (void)any, (void)e;
    return AQFS_OK;
}

const struct backend session_backend = {
    HOST_FILES,
    .name = "session",
    .open_roots = session_open_roots,
    .accept = session_accept,
    .accept_content = session_accept_content,
    .begin = session_begin,
    .reset = session_reset,
    .end = session_end,
    .open = session_open,
    .stage = session_stage,
    .sync = session_sync,
};

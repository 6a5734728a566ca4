/* audit.c -- the log of calls: see audit.h.
 *
 * The file is opened for each line, because another process may have begun a new one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "audit.h"

#include "cleanup.h"
#include "clock.h"
#include "lines.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES 10000000 /* then a new file is begun */
#define MOST_PATHS 100

/* -- the file ---------------------------------------------------------------------------------- */

static int open_log(const char *path) {
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    char directory[4096];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof directory)
        return -1;
    memcpy(directory, path, (size_t)(slash - path));
    directory[slash - path] = '\0';
    (void)state_make_directories(directory);
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
}

/* Makes PATH the first of the older files, unless another process does it. */
static void begin_new_log(const char *path, int fd) {
    char from[4200], to[4200];
    struct stat here, there;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &here) != 0 || stat(path, &there) != 0 ||
        here.st_ino != there.st_ino || here.st_dev != there.st_dev)
        return;
    for (int i = AUDIT_OLDER_FILES; i > 0; i--) {
        (void)snprintf(from, sizeof from, i > 1 ? "%s.%d" : "%s", path, i - 1);
        (void)snprintf(to, sizeof to, "%s.%d", path, i);
        (void)rename(from, to);
    }
}

/* Returns 0 or an errno value. */
static int append_line(const char *path, const struct buf *line) {
    AUTO_CLOSE int fd = open_log(path);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode)) /* a pipe could take for ever */
        return EINVAL;
    if (info.st_size > FILE_BYTES) {
        begin_new_log(path, fd);
        (void)close(fd);
        fd = open_log(path);
        if (fd < 0)
            return errno;
    }
    return line->failed ? ENOMEM : write_whole(fd, line->data, line->len, WRITE_ON);
}

static int write_event(struct audit *audit, struct reply *r) {
    reply_end_map(r);
    buf_char(&r->out, '\n');
    pthread_mutex_lock(&audit->lock);
    int problem = append_line(audit->path, &r->out);
    if (problem && !audit->broken)
        (void)fprintf(stderr, "agent-q-fs: calls cannot be written down in %s: %s\n", audit->path,
                      strerror(problem));
    audit->broken = problem != 0;
    pthread_mutex_unlock(&audit->lock);
    buf_free(&r->out);
    return problem;
}

/* -- lines ------------------------------------------------------------------------------------- */

static void begin_event(const struct audit *audit, const struct audited *call, const char *event,
                        struct reply *r) {
    char time[40];
    struct timespec now;
    struct tm parts;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &parts);
    size_t n = strftime(time, sizeof time, "%FT%T", &parts);
    (void)snprintf(time + n, sizeof time - n, ".%06ldZ", now.tv_nsec / 1000);
    *r = (struct reply){.format = AQFS_JSON};
    reply_map(r);
    reply_kv_cstring(r, "event", event);
    reply_kv_cstring(r, "id", call->id);
    reply_kv_cstring(r, "time", time);
    reply_kv_cstring(r, "door", "tool");
    if (call->client)
        reply_kv_cstring(r, "client", call->client);
    reply_kv_cstring(r, "tool", call->tool);
    reply_kv_cstring(r, "tier", tier_name(call->tier));
    reply_kv_cstring(r, "root", audit->root);
}

static int fail_not_logged(const struct audit *audit, int problem, struct error *e) {
    return fail(e, AQFS_NOT_LOGGED,
                "Nothing was done, because it cannot be written down in %s (%s).  Let that file be "
                "written, or start the server with another --audit",
                audit->path, strerror(problem));
}

void audit_open(struct audit *audit, const char *path, const char *root) {
    *audit = (struct audit){.path = path, .root = root};
    pthread_mutex_init(&audit->lock, NULL);
    (void)snprintf(audit->session, sizeof audit->session, "%llx-%lx",
                   (unsigned long long)time(NULL), (unsigned long)getpid());
}

void audit_close(struct audit *audit) {
    pthread_mutex_destroy(&audit->lock);
}

int audit_start(struct audit *audit, struct audited *call, const char *tool, enum tier tier,
                const char *client, struct error *e) {
    pthread_mutex_lock(&audit->lock);
    unsigned long number = ++audit->count;
    pthread_mutex_unlock(&audit->lock);
    *call = (struct audited){.tool = tool,
                             .client = client,
                             .tier = tier,
                             .began_ns = clock_now_ns(),
                             .decision = tier > TIER_SAFE ? "policy" : NULL};
    (void)snprintf(call->id, sizeof call->id, "%s-%lu", audit->session, number);
    if (!audit->path || tier == TIER_SAFE)
        return AQFS_OK;
    struct reply r;
    begin_event(audit, call, "start", &r);
    int problem = write_event(audit, &r);
    return problem ? fail_not_logged(audit, problem, e) : AQFS_OK;
}

int audit_decided(struct audit *audit, const struct audited *call, struct error *e) {
    if (!audit->path)
        return AQFS_OK;
    struct reply r;
    begin_event(audit, call, "decided", &r);
    reply_kv_cstring(&r, "decision", call->decision);
    int problem = write_event(audit, &r);
    return problem ? fail_not_logged(audit, problem, e) : AQFS_OK;
}

/* -- the end of a call ------------------------------------------------------------------------- */

static size_t add_path_at(struct reply *r, const json_t *map, const char *key) {
    const json_t *path = json_object_get(map, key);
    if (!json_is_string(path))
        return 0;
    size_t n = json_string_length(path);
    reply_string(r, json_string_value(path), n < 1000 ? n : 1000);
    return 1;
}

/* Those that the argument `paths` of ARGS lists. */
static void add_listed_paths(struct reply *r, const json_t *args) {
    const json_t *path;
    size_t at;
    json_array_foreach(json_object_get(args, "paths"), at, path) {
        if (at == MOST_PATHS)
            break;
        if (json_is_string(path))
            reply_string(r, json_string_value(path),
                         json_string_length(path) < 1000 ? json_string_length(path) : 1000);
    }
}

/* The canonical paths that REPLY lists or names, or else those that ARGS name. */
static void write_paths(struct reply *r, const json_t *reply, const json_t *args) {
    static const char *const keys[] = {"path", "source", "destination"};
    const json_t *files = json_object_get(reply, "targets"), *file;
    size_t at, n = 0;
    files = json_is_array(files) ? files : json_object_get(reply, "files");
    reply_key(r, "paths");
    reply_list(r);
    json_array_foreach(files, at, file) {
        if (at == MOST_PATHS)
            break;
        n += add_path_at(r, file, "from") + add_path_at(r, file, "path");
    }
    for (size_t i = 0; n == 0 && i < sizeof keys / sizeof *keys; i++)
        n += add_path_at(r, reply, keys[i]);
    for (size_t i = 0, named = n; named == 0 && i < sizeof keys / sizeof *keys; i++)
        n += add_path_at(r, args, keys[i]);
    if (n == 0)
        add_listed_paths(r, args);
    reply_end_list(r);
}

static void write_written(struct reply *r, const json_t *reply) {
    const json_t *own = json_object_get(reply, "bytes_written");
    const json_t *files = json_object_get(reply, "files"), *file;
    int64_t written = json_integer_value(own);
    bool known = json_is_integer(own);
    size_t at;
    json_array_foreach(files, at, file) {
        known = known || json_object_get(file, "bytes_written");
        written += json_integer_value(json_object_get(file, "bytes_written"));
    }
    if (known)
        reply_kv_int(r, "written", written);
}

void audit_end(struct audit *audit, const struct audited *call, const json_t *args,
               const json_t *reply, bool truncated, const char *text, size_t n) {
    const char *error = json_string_value(json_object_get(reply, "error"));
    struct reply r;
    if (!audit->path)
        return;
    begin_event(audit, call, "end", &r);
    write_paths(&r, reply, args);
    reply_kv_int(&r, "bytes", (int64_t)n);
    reply_kv_int(&r, "lines", (int64_t)linewise_count(text, n));
    reply_kv_bool(&r, "truncated", truncated);
    reply_kv_int(&r, "microseconds", (clock_now_ns() - call->began_ns) / 1000);
    if (!error)
        write_written(&r, reply);
    if (call->decision)
        reply_kv_cstring(&r, "decision", call->decision);
    if (error)
        reply_kv_cstring(&r, "error", error);
    (void)write_event(audit, &r);
}

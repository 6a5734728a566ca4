/* mark.c -- processes of a container, known by a mark: see mark.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mark.h"

#include "buf.h"
#include "cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRONMENT_MOST (1U << 20)

static void read_process_file(const char *pid, const char *name, struct buf *out) {
    char path[64];
    ssize_t n = 0;
    (void)snprintf(path, sizeof path, "/proc/%.20s/%.20s", pid, name);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    buf_clear(out);
    do {
        if (!buf_reserve(out, 4096))
            return;
        n = fd < 0 ? 0 : read(fd, out->data + out->len, 4096);
        out->len += n > 0 ? (size_t)n : 0;
        out->data[out->len] = '\0';
    } while (n > 0 && out->len < ENVIRONMENT_MOST);
}

static bool has_variable(const struct buf *environment, const char *value) {
    const size_t name = sizeof MARK_VARIABLE - 1;
    for (size_t at = 0; at < environment->len; at += strlen(environment->data + at) + 1) {
        const char *entry = environment->data + at;
        if (strncmp(entry, MARK_VARIABLE "=", name + 1) == 0 &&
            strcmp(entry + name + 1, value) == 0)
            return true;
    }
    return false;
}

static bool has_limit(const struct buf *limits, rlim_t limit) {
    static const char line[] = "Max resident set";
    const char *at = limits->len ? strstr(limits->data, line) : NULL;
    return at && strtoull(at + sizeof line - 1, NULL, 10) == limit;
}

static bool has_ended(const struct buf *stat) {
    const char *after = stat->len ? strrchr(stat->data, ')') : NULL;
    return !after || strncmp(after, ") Z", 3) == 0 || strncmp(after, ") X", 3) == 0;
}

static bool is_marked(const char *pid, const char *value, rlim_t limit, struct buf *text) {
    read_process_file(pid, "environ", text);
    if (!has_variable(text, value)) {
        read_process_file(pid, "limits", text);
        if (!has_limit(text, limit))
            return false;
    }
    read_process_file(pid, "stat", text);
    return !has_ended(text);
}

size_t mark_signal(const char *value, rlim_t limit, int signal, struct pids *found) {
    DIR *directory = opendir("/proc");
    AUTO(buf_free) struct buf text = {0};
    size_t count = 0;
    if (!directory)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || !is_marked(entry->d_name, value, limit, &text))
            continue;
        count++;
        (void)kill((pid_t)pid, signal);
        if (!pids_has(found, (pid_t)pid))
            (void)pids_add(found, (pid_t)pid);
    }
    (void)closedir(directory);
    return count;
}

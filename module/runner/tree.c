/* tree.c -- the processes that come from this one: see tree.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define END_ROUNDS 2000 /* of a millisecond */

void pids_free(struct pids *pids) {
    free(pids->at);
    *pids = (struct pids){0};
}

bool pids_has(const struct pids *pids, pid_t pid) {
    for (size_t i = 0; i < pids->n; i++)
        if (pids->at[i] == pid)
            return true;
    return false;
}

bool pids_add(struct pids *pids, pid_t pid) {
    if (pids->n == pids->cap) {
        size_t cap = pids->cap ? 2 * pids->cap : 64;
        pid_t *at = realloc(pids->at, cap * sizeof *at);
        if (!at)
            return false;
        pids->at = at;
        pids->cap = cap;
    }
    pids->at[pids->n++] = pid;
    return true;
}

bool tree_adopt(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0;
}

/* The state and the parent of the process NAME, a number; 0 where there is none. */
static pid_t parent_of(const char *name, char *state) {
    char path[64], text[512];
    long parent = 0;
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    /* The program's name is in parentheses, and may hold any character. */
    const char *after = strrchr(text, ')');
    if (!after || after[1] != ' ' || !after[2])
        return 0;
    *state = after[2];
    parent = strtol(after + 3, NULL, 10);
    return (pid_t)parent;
}

/* All processes that live, and their parents.  Returns false where there is no /proc. */
static bool scan_processes(struct pids *all, struct pids *parents) {
    DIR *directory = opendir("/proc");
    if (!directory)
        return false;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char state = 0;
        long pid = strtol(entry->d_name, NULL, 10);
        pid_t parent = pid > 0 ? parent_of(entry->d_name, &state) : 0;
        if (parent <= 0 || state == 'Z' || state == 'X')
            continue;
        if (pids_add(all, (pid_t)pid) && !pids_add(parents, parent))
            all->n--;
    }
    (void)closedir(directory);
    return true;
}

/* Adds to FOUND those whose parent is this process or, with DEEP, in FOUND. */
static void find_descendants(struct pids *found, bool deep) {
    struct pids all = {0}, parents = {0};
    pid_t own = getpid();
    (void)scan_processes(&all, &parents);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all.n; i++) {
            if (all.at[i] == 0 || !(parents.at[i] == own || pids_has(found, parents.at[i])))
                continue;
            more = pids_add(found, all.at[i]) && deep;
            all.at[i] = 0;
        }
        if (!deep)
            break;
    }
    pids_free(&all);
    pids_free(&parents);
}

void tree_signal(int signal) {
    struct pids found = {0};
    find_descendants(&found, true);
    for (size_t i = 0; i < found.n; i++)
        (void)kill(found.at[i], signal);
    pids_free(&found);
}

/* The children of this process as the kernel lists them: quicker than to look at all processes,
 * so that a chain of processes each of which starts the next one and ends does not get away. */
static bool list_children(struct pids *found) {
    char path[64], text[8192];
    size_t have = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (ssize_t n; (n = read(fd, text + have, sizeof text - 1 - have)) > 0;) {
        char *at = text, *end;
        have += (size_t)n;
        text[have] = '\0';
        for (char *space; (space = strchr(at, ' ')); at = space + 1) {
            long pid = strtol(at, &end, 10);
            if (end == space && pid > 0)
                (void)pids_add(found, (pid_t)pid);
        }
        have = (size_t)(text + have - at);
        memmove(text, at, have);
    }
    (void)close(fd);
    return true;
}

size_t tree_kill_children(struct pids *killed) {
    struct pids found = {0};
    if (!list_children(&found))
        find_descendants(&found, false);
    for (size_t i = 0; i < found.n; i++) {
        (void)kill(found.at[i], SIGKILL);
        if (killed && !pids_has(killed, found.at[i]))
            (void)pids_add(killed, found.at[i]);
    }
    size_t n = found.n;
    pids_free(&found);
    return n;
}

void tree_end(void) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int round = 0; round < END_ROUNDS; round++) {
        pid_t pid;
        (void)tree_kill_children(NULL);
        do
            pid = waitpid(-1, NULL, WNOHANG);
        while (pid > 0);
        if (pid < 0)
            return;
        (void)nanosleep(&moment, NULL);
    }
}

/* SPDX-License-Identifier: MIT */
/* crowd.c -- many editors of one file.
 *
 *     crowd short|full
 *
 * Eight threads and two processes each add lines of their own to one file, by
 * three operations, trying again when they are told it is stale.  Each line that
 * was reported as written is there once, and no other.  Meanwhile, in further
 * rounds, an editor that knows nothing of all this counts in the file's first
 * line, writing it in place or putting a new file in its stead: what it wrote
 * last must be there when it looks.
 */
#include "parts/world.h"

#include "select.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define PROCESSES 2
#define WORKERS (THREADS + PROCESSES)
#define EDITS 100
#define TRIES 100000
#define FILE_ROOM (1 << 20)
#define LOOKS 60000

/* The first line. */
#define HEAD "COUNT %08ld\n"
#define HEAD_SIZE 15
#define HEAD_ROOM 64

enum outcome { NOT_TRIED, DONE, REPORTED, BROKEN };

/* Seen by all processes. */
static struct shared {
    atomic_int outcomes[WORKERS][EDITS];
    atomic_long stale, foreign, early, lost;
    atomic_int running;
} * shared;

static aqfs_reply *ask(aqfs_workspace *ws, const char *request) {
    return aqfs_call(ws, request, strlen(request), NULL);
}

/* The line `WORKER-EDIT`, put in one of three ways. */
static aqfs_reply *add_line(aqfs_workspace *ws, int worker, int edit) {
    static const char *const requests[] = {
        "{\"op\":\"edit_file\",\"authority\":\"dangerous\",\"args\":{\"path\":\"f\","
        "\"old_str\":\"MIDDLE\\n\",\"new_str\":\"MIDDLE\\nline %d-%d.\\n\"}}",
        "{\"op\":\"insert_at_line\",\"authority\":\"dangerous\",\"args\":{\"path\":\"f\","
        "\"line\":1,\"content\":\"line %d-%d.\\n\"}}",
        "{\"op\":\"write_file\",\"authority\":\"dangerous\",\"args\":{\"path\":\"f\","
        "\"mode\":\"append\",\"content\":\"line %d-%d.\\n\"}}",
    };
    char request[512];
    switch (edit % 3) {
    case 0:
        snprintf(request, sizeof request, requests[0], worker, edit);
        break;
    case 1:
        snprintf(request, sizeof request, requests[1], worker, edit);
        break;
    default:
        snprintf(request, sizeof request, requests[2], worker, edit);
    }
    return ask(ws, request);
}

/* Is it what somebody gets who comes in between? */
static bool is_conflict(const char *error) {
    return strcmp(error, "stale") == 0 || strcmp(error, "raced") == 0;
}

static enum outcome one_edit(aqfs_workspace *ws, int worker, int edit) {
    for (int try = 0; try < TRIES; try++) {
        aqfs_reply *r = add_line(ws, worker, edit);
        const char *error = r ? aqfs_reply_error(r) : "no answer";
        bool conflict = error && is_conflict(error);
        if (error && !conflict)
            printf("  line %d-%d: %.200s\n", worker, edit, r ? aqfs_reply_text(r, NULL) : error);
        aqfs_reply_free(r);
        if (!error)
            return DONE;
        if (!conflict)
            return BROKEN;
        atomic_fetch_add(&shared->stale, 1);
    }
    return REPORTED;
}

static void work(aqfs_workspace *ws, int worker) {
    for (int edit = 0; edit < EDITS; edit++)
        atomic_store(&shared->outcomes[worker][edit], (int)one_edit(ws, worker, edit));
}

struct job {
    pthread_t thread;
    aqfs_workspace *ws;
    int worker;
};

static void *run_thread(void *data) {
    struct job *job = data;
    work(job->ws, job->worker);
    return NULL;
}

static pid_t start_process(int worker) {
    pid_t child = start_child();
    if (child > 0)
        return child;
    aqfs_workspace *ws = open_workspace("auto");
    work(ws, worker);
    aqfs_free(ws);
    fflush(stdout);
    _exit(0);
}

static void run_workers(void) {
    pid_t children[PROCESSES];
    struct job jobs[THREADS];
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start_process(THREADS + i);
    aqfs_workspace *ws = open_workspace("auto");
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.ws = ws, .worker = i};
        must(pthread_create(&jobs[i].thread, NULL, run_thread, &jobs[i]) == 0, "thread");
    }
    for (int i = 0; i < THREADS; i++)
        must(pthread_join(jobs[i].thread, NULL) == 0, "join");
    for (int i = 0; i < PROCESSES; i++)
        must(end_child(children[i]) == 0, "child");
    aqfs_free(ws);
}

/* -- the other editor ------------------------------------------------------------------------- */

static void rest(long microseconds) {
    (void)nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

/* Opens the file, which has what was written last.  Two names cannot be exchanged on condition that
 * one is still what it was: who puts a file there in that moment may see what is about to be taken
 * back, and looks again. */
static int open_head(int flags, long count) {
    char want[HEAD_ROOM], head[HEAD_ROOM] = "";
    snprintf(want, sizeof want, HEAD, count);
    for (int round = 0; round < LOOKS; round++) {
        int fd = open("root/f", flags | O_CLOEXEC);
        must(fd >= 0, "f");
        must(pread(fd, head, HEAD_SIZE, 0) == HEAD_SIZE, "head");
        if (strcmp(head, want) == 0)
            return fd;
        must(close(fd) == 0, "close");
        atomic_fetch_add(&shared->early, round == 0);
        rest(1000);
    }
    if (atomic_fetch_add(&shared->lost, 1) == 0)
        printf("  the other editor wrote %.14s and finds %.14s\n", want, head);
    return open("root/f", flags | O_CLOEXEC);
}

static void count_in_place(void) {
    char head[HEAD_ROOM];
    for (long count = 0; atomic_load(&shared->running);) {
        int fd = open_head(O_RDWR, count);
        snprintf(head, sizeof head, HEAD, ++count);
        must(pwrite(fd, head, HEAD_SIZE, 0) == HEAD_SIZE, "pwrite");
        close(fd);
        atomic_fetch_add(&shared->foreign, 1);
        rest(200);
    }
}

static void count_by_rename(void) {
    static char text[FILE_ROOM];
    char head[HEAD_ROOM];
    for (long count = 0; atomic_load(&shared->running);) {
        int fd = open_head(O_RDONLY, count);
        ssize_t n = pread(fd, text, sizeof text - 1, 0);
        must(n >= HEAD_SIZE, "f");
        close(fd);
        snprintf(head, sizeof head, HEAD, ++count);
        memcpy(text, head, HEAD_SIZE);
        text[n] = '\0';
        make_file("other", text);
        must(rename("other", "root/f") == 0, "rename");
        atomic_fetch_add(&shared->foreign, 1);
        rest(200);
    }
}

static pid_t start_editor(void (*count)(void)) {
    pid_t child = count ? start_child() : 0;
    if (child > 0 || !count)
        return child;
    count();
    fflush(stdout);
    _exit(0);
}

/* -- what came of it -------------------------------------------------------------------------- */

static void check_lines(bool exact, long counts[4]) {
    static char text[FILE_ROOM];
    int fd = open("root/f", O_RDONLY | O_CLOEXEC);
    must(fd >= 0, "f");
    ssize_t n = read(fd, text, sizeof text - 1);
    must(n > 0, "f");
    text[n] = '\0';
    close(fd);
    for (int worker = 0; worker < WORKERS; worker++) {
        for (int edit = 0; edit < EDITS; edit++) {
            char line[64];
            int found = 0, outcome = atomic_load(&shared->outcomes[worker][edit]);
            int size = snprintf(line, sizeof line, "line %d-%d.\n", worker, edit);
            for (const char *at = text; (at = strstr(at, line)) != NULL; at += size)
                found++;
            counts[outcome]++;
            if (outcome == BROKEN || (exact && found != (outcome == DONE)) || found > 1)
                counts[NOT_TRIED]++;
        }
    }
}

static bool leaves_nothing(void) {
    aqfs_free(open_workspace("auto"));
    char *now = picture_of("root", false, true);
    bool clean = !strstr(now, ".aqfs-");
    free(now);
    return clean;
}

static void run_round(const char *name, void (*count)(void), bool exact) {
    long counts[4] = {0};
    char head[HEAD_ROOM];
    if (!is_selected("crowd/%s", name))
        return;
    memset(shared, 0, sizeof *shared);
    atomic_store(&shared->running, 1);
    remove_all("root");
    snprintf(head, sizeof head, HEAD "MIDDLE\n", 0L);
    make_file("root/f", head);
    pid_t editor = start_editor(count);
    run_workers();
    atomic_store(&shared->running, 0);
    int status = count ? end_child(editor) : 0;
    check_lines(exact, counts);
    bool clean = leaves_nothing();
    bool ok = !counts[NOT_TRIED] && !atomic_load(&shared->lost) && !status && clean &&
              !(exact && atomic_load(&shared->early));
    printf("CROWD %-10s written %ld reported %ld wrong %ld; tries that were stale %ld; "
           "the other editor %ld times, looked early %ld, lost %ld%s %s\n",
           name, counts[DONE], counts[REPORTED], counts[NOT_TRIED], atomic_load(&shared->stale),
           atomic_load(&shared->foreign), atomic_load(&shared->early), atomic_load(&shared->lost),
           clean ? "" : "; a temporary name is left", ok ? "ok" : "FAILED");
    count_result(ok);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 && strcmp(argv[1], "full") == 0 ? 20 : 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED, "mmap");
    world_start();
    for (int i = 0; i < rounds; i++) {
        run_round("alone", NULL, true);
        run_round("in-place", count_in_place, true);
        run_round("by-rename", count_by_rename, false);
    }
    world_end();
    return report_score();
}

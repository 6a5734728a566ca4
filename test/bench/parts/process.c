/* SPDX-License-Identifier: MIT */
/* process.c -- programs that are run, and servers that are asked, each with what that took: see
 * process.h. */
#include "process.h"

#include "die.h"
#include "files.h"
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *have(void *allocated) {
    if (!allocated)
        die("out of memory");
    return allocated;
}

void free_run(run r) {
    free(r.out);
    free(r.err);
}

static int new_memory_file(void) {
    int fd = memfd_create("bench", MFD_CLOEXEC);
    if (fd < 0)
        die("memfd: %s", strerror(errno));
    return fd;
}

/* The bytes that were written to FD, and a NUL behind them.  Closes FD. */
static char *take_content(int fd, size_t *length) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        die("fstat: %s", strerror(errno));
    size_t size = (size_t)st.st_size;
    char *content = have(malloc(size + 1));
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, content + done, size - done, (off_t)done);
        if (n <= 0)
            die("pread: %s", strerror(errno));
        done += (size_t)n;
    }
    content[size] = '\0';
    if (length)
        *length = size;
    close(fd);
    return content;
}

static pid_t spawn(const char *const argv[], const char *directory, int in, int out, int err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    pid_t pid;
    int failure = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    if (failure)
        die("%s: %s", argv[0], strerror(failure));
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static double in_ms(struct timeval t) {
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

run run_process(const char *const argv[], const char *directory) {
    run r;
    int status;
    struct rusage used;
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = new_memory_file();
    int err = new_memory_file();
    double start = now_ms();
    pid_t pid = spawn(argv, directory, in, out, err);
    if (wait4(pid, &status, 0, &used) < 0)
        die("wait4: %s", strerror(errno));
    r.ms = now_ms() - start;
    r.cpu_ms = in_ms(used.ru_utime) + in_ms(used.ru_stime);
    close(in);
    r.out = take_content(out, &r.out_length);
    r.err = take_content(err, NULL);
    /* 1 is how rg and fd say that nothing matched. */
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1 || (WEXITSTATUS(status) == 1 && *r.err))
        die("%s in %s failed: %s", argv[0], directory, r.err);
    return r;
}

/* -- Servers: a request a line, an answer a line -- */

server start_server(const char *const argv[], const char *directory) {
    int request[2], reply[2];
    if (pipe2(request, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0)
        die("pipe: %s", strerror(errno));
    int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
    server s = {.pid = spawn(argv, directory, request[0], reply[1], silence)};
    close(silence);
    close(request[0]);
    close(reply[1]);
    s.to = have(fdopen(request[1], "w"));
    s.from = have(fdopen(reply[0], "r"));
    return s;
}

void stop_server(server *s) {
    fclose(s->to);
    fclose(s->from);
    waitpid(s->pid, NULL, 0);
}

void say(server *s, const char *message) {
    fprintf(s->to, "%s\n", message);
    fflush(s->to);
}

run ask(server *s, const char *message) {
    run r = {0};
    size_t room = 0;
    double start = now_ms();
    say(s, message);
    ssize_t n = getline(&r.out, &room, s->from);
    if (n < 0)
        die("a server went away");
    r.out_length = (size_t)n;
    r.ms = now_ms() - start;
    return r;
}

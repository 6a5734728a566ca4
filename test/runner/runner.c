/* SPDX-License-Identifier: MIT */
/* runner.c TRIES -- the program agent-q-fs-run, as its owner sees it.
 *
 * Each command of `escapes` tries in its own way to have a process outlive it.  Each is ended in
 * each of the ways, TRIES times, and has 2 seconds until no process is left.  The processes
 * have a number in their command lines that no other process has, and are found by it in /proc,
 * without what the runner knows.
 *
 * The runner has two processes, of which either ends what the other one leaves.  A command that
 * kills or stops the one is not tried with the death of the other: that is the end of both. */
#include "record.h"

#include "aqfs.h"
#include "die.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name, *script; /* N stands for the number */
    bool ends_its_parent;      /* soon after it has begun, which is perhaps not told any more */
} escapes[] = {
    {.name = "background", .script = "sleep N & sleep N & echo begun; wait"},
    {.name = "session", .script = "setsid sleep N & echo begun; sleep N"},
    {.name = "orphan", .script = "(setsid sh -c 'sleep N & sleep N' &); echo begun; sleep N"},
    {.name = "deaf",
     .script = "trap '' TERM HUP INT; (trap '' TERM HUP; setsid sleep N &); echo begun; sleep N; "
               "sleep N"},
    {.name = "no-environment",
     .script = "env -i /bin/sh -c 'setsid sleep N & sleep N &' ; echo begun; sleep N"},
    {.name = "closed",
     .script = "(setsid sleep N <&- >&- 2>&- &); echo begun; exec sleep N <&- >&- 2>&-"},
    {.name = "nohup",
     .script = "cd /; nohup setsid nohup sleep N >/dev/null 2>&1 & echo begun; sleep N"},
    {.name = "stopped", .script = "setsid sleep N & kill -STOP $!; echo begun; kill -STOP $$"},
    {.name = "chain",
     .script = "c='sleep 0.01; setsid sh -c \"$0\" \"$0\" N & exit'; sh -c \"$c\" \"$c\" N; echo "
               "begun; sleep N"},
    {.name = "crowd",
     .script =
         "for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5 6 7 8; do setsid sleep N & done); done; "
         "echo begun; sleep N"},
    {.name = "limits",
     .script = "ulimit -n 3; ulimit -t 100; setsid sleep N & echo begun; sleep N"},
    {.name = "kills-its-parent",
     .script = "setsid sleep N & echo begun; sleep 0.05; kill -9 $PPID; sleep N",
     .ends_its_parent = true},
    {.name = "stops-its-parent",
     .script = "setsid sleep N & echo begun; sleep 0.05; kill -STOP $PPID; sleep N",
     .ends_its_parent = true},
};
#define ESCAPES (sizeof escapes / sizeof *escapes)

enum way_to_end {
    BY_ASKING,
    BY_LEAVING,
    BY_KILLING_THE_GUARD,
    BY_KILLING_THE_LEADER,
    BY_STOPPING_BOTH, /* and killing the guard */
    WAYS
};
static const char *const way_names[] = {"asked", "left", "guard", "leader", "stopped"};

struct running {
    pid_t guard;
    int in, out;
    struct buf said;
};

static int failed, passed;

static void check(bool holds, const char *name, const char *what) {
    if (holds) {
        passed++;
        return;
    }
    failed++;
    printf("%s: FAILED: %s\n", name, what);
}

/* The 2 seconds are of a machine that is not busy. */
static long slowness(void) {
    const char *given = getenv("AQFS_TEST_SLOWNESS");
    long times = given ? strtol(given, NULL, 10) : 1;
    return times > 0 ? times : 1;
}

static void pause_for(long milliseconds) {
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

/* -- an owner ---------------------------------------------------------------------------------- */

static const char *runner_program(void) {
    static char path[4096];
    const char *build = getenv("BUILD");
    (void)snprintf(path, sizeof path, "%s/agent-q-fs-run", build ? build : "build");
    return path;
}

static struct running start_runner(void) {
    struct running r = {.guard = -1};
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die_of("pipe2");
    r.guard = fork();
    if (r.guard == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        (void)execl(runner_program(), "agent-q-fs-run", (char *)NULL);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    r.in = to[1];
    r.out = from[0];
    return r;
}

static void send_bytes(const struct running *r, const struct buf *b) {
    for (size_t at = 0; at < b->len;) {
        ssize_t n = write(r->in, b->data + at, b->len - at);
        if (n < 0)
            return;
        at += (size_t)n;
    }
}

static void add_word(struct buf *b, const char *word, const char *body) {
    record_add(b, word, body, strlen(body));
}

static void add_request(struct buf *b, const char *script, const char *more_word,
                        const char *more_body) {
    add_word(b, "version", AQFS_VERSION);
    add_word(b, "word", "/bin/bash");
    add_word(b, "word", "-c");
    add_word(b, "word", script);
    add_word(b, "variable", "PATH=/usr/local/bin:/usr/bin:/bin");
    add_word(b, "directory", "/usr");
    add_word(b, "window", "65536 16384");
    if (more_word)
        add_word(b, more_word, more_body);
    add_word(b, "start", "");
}

static struct running start_script(const char *script, const char *more_word,
                                   const char *more_body) {
    struct running r = start_runner();
    struct buf b = {0};
    add_request(&b, script, more_word, more_body);
    send_bytes(&r, &b);
    buf_free(&b);
    return r;
}

/* Reads until TEXT has come, or all that comes where it is NULL.  Returns whether it came. */
static bool read_until(struct running *r, const char *text) {
    for (;;) {
        if (text && r->said.len && memmem(r->said.data, r->said.len, text, strlen(text)))
            return true;
        char bytes[65536];
        ssize_t n = read(r->out, bytes, sizeof bytes);
        if (n <= 0)
            return !text;
        buf_add(&r->said, bytes, (size_t)n);
    }
}

static void leave(struct running *r) {
    if (r->in >= 0)
        (void)close(r->in);
    r->in = -1;
}

static void finish_runner(struct running *r) {
    leave(r);
    (void)read_until(r, NULL);
    (void)close(r->out);
    (void)waitpid(r->guard, NULL, 0);
    buf_free(&r->said);
}

/* The runner's records of a whole run. */
static void expect(const char *name, const char *script, const char *more_word,
                   const char *more_body, const char *wanted) {
    struct running r = start_script(script, more_word, more_body);
    (void)read_until(&r, NULL);
    check(r.said.len && memmem(r.said.data, r.said.len, wanted, strlen(wanted)) != NULL, name,
          r.said.len ? r.said.data : "it said nothing");
    finish_runner(&r);
}

/* -- escapes ----------------------------------------------------------------------------------- */

static size_t count_marked(const char *number, bool kill_them) {
    DIR *proc = opendir("/proc");
    size_t count = 0;
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        char path[300], text[8192];
        (void)snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        int fd = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
        if (fd >= 0)
            (void)close(fd);
        if (n <= 0 || !memmem(text, (size_t)n, number, strlen(number)))
            continue;
        count++;
        if (kill_them)
            (void)kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    }
    if (proc)
        (void)closedir(proc);
    return count;
}

static pid_t leader_of(pid_t guard) {
    char path[100], text[100] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)guard, (int)guard);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!read(fd, text, sizeof text - 1);
        (void)close(fd);
    }
    return (pid_t)strtol(text, NULL, 10);
}

static void end_by(struct running *r, enum way_to_end way) {
    pid_t leader = leader_of(r->guard);
    if (way == BY_ASKING)
        (void)kill(r->guard, SIGTERM);
    else if (way == BY_LEAVING)
        leave(r);
    else if (way == BY_KILLING_THE_GUARD)
        (void)kill(r->guard, SIGKILL);
    else if (leader > 0 && way == BY_KILLING_THE_LEADER)
        (void)kill(leader, SIGKILL);
    else if (leader > 0) {
        (void)kill(r->guard, SIGSTOP);
        (void)kill(leader, SIGSTOP);
        (void)kill(r->guard, SIGKILL);
    }
}

/* SCRIPT with the number in place of each N. */
static void write_script(const char *script, const char *number, char *out, size_t size) {
    size_t at = 0;
    for (; *script && at + 40 < size; script++)
        if (*script == 'N')
            at += (size_t)snprintf(out + at, size - at, "%s", number);
        else
            out[at++] = *script;
    out[at] = '\0';
}

static void try_escape(size_t escape, enum way_to_end way, long attempt) {
    char number[40], script[1000], name[100];
    (void)snprintf(number, sizeof number, "%d.%ld%zu%d", 70000 + (int)getpid(), attempt + 1, escape,
                   (int)way);
    (void)snprintf(name, sizeof name, "%s/%s", escapes[escape].name, way_names[way]);
    if (escapes[escape].ends_its_parent && way >= BY_KILLING_THE_GUARD)
        return;
    write_script(escapes[escape].script, number, script, sizeof script);
    struct running r = start_script(script, NULL, NULL);
    check(read_until(&r, "begun\n") || escapes[escape].ends_its_parent, name,
          "the command did not begin");
    end_by(&r, way);
    size_t left = 1;
    for (long waited = 0; left && waited < 2000 * slowness(); waited += 5) {
        left = count_marked(number, false);
        if (left)
            pause_for(5);
    }
    check(left == 0, name, "a process is left");
    (void)count_marked(number, true);
    finish_runner(&r);
}

/* -- the rest ---------------------------------------------------------------------------------- */

static void check_replies(void) {
    expect("exit", "echo out; echo err >&2; exit 3", NULL, NULL, "exit 3 0 ");
    expect("out", "echo out; echo err >&2", NULL, NULL, "out 4\nout\n");
    expect("err", "echo err >&2", NULL, NULL, "err 4\nerr\n");
    expect("signal", "kill -SEGV $$", NULL, NULL, "signal 11 0 ");
    expect("left-behind", "sleep 99999 & setsid sleep 99999 & exit 0", NULL, NULL, "exit 0 2 ");
    expect("terminal", "test -t 0 && test -t 1 && stty size; tty", "terminal", "7 9", "7 9\n");
    expect("no-terminal", "read x </dev/tty || echo none", NULL, NULL, "none\n");
    expect("input-is-empty", "cat; echo over", NULL, NULL, "over\n");
    expect("descriptors", "echo /proc/self/fd/*", NULL, NULL, "/proc/self/fd/2");
    expect("filter", "exec 5<&9 && echo there", "filter", "", "there\n");
    expect("flood", "head -c 10000000 /dev/zero; echo; echo LAST", NULL, NULL, "LAST\n");
    expect("limit", "ulimit -n", "limit", "files 40", "40\n");
    expect("limit-of-files", "cd /tmp && head -c 100000 /dev/zero >/dev/null && ulimit -f", "limit",
           "file 1024", "\n1\n");
    expect("no-core", "ulimit -c", NULL, NULL, "\n0\n");
    expect("wrong", "true", "limit", "nothing", "refused ");
    expect("wrong", "true", "mark", "id", "refused ");
    expect("wrong", "true", "mark", "id 0", "refused ");
    expect("wrong-word", "true", "sit", "", "request sit: there is no such record");
    expect("twice", "true", "directory", "/usr", "request directory: ");
    expect("missing-program", "exec /no/such/program", NULL, NULL, "exit 127 ");
}

static void check_broken(const char *name, const char *bytes, const char *wanted) {
    struct running r = start_runner();
    struct buf b = {0};
    buf_str(&b, bytes);
    send_bytes(&r, &b);
    leave(&r);
    (void)read_until(&r, NULL);
    check(!wanted || (r.said.len && strstr(r.said.data, wanted)), name,
          r.said.len ? r.said.data : "it said nothing");
    buf_free(&b);
    finish_runner(&r);
}

static void check_requests(void) {
    check_broken("no-request", "", NULL);
    check_broken("no-record", "GET / HTTP/1.1\n", "request these bytes are no record");
    check_broken("half-a-record", "version 5\n0.2", NULL);
    check_broken("other-version", "version 1\n9", "refused ");
    check_broken("no-version", "word 7\n/bin/sh", "the version comes first");
}

static void check_moved_directory(void) {
    struct running r = start_runner();
    struct buf b = {0};
    add_word(&b, "version", AQFS_VERSION);
    add_word(&b, "word", "/bin/echo");
    add_word(&b, "directory", "/proc/self/root/usr"); /* a link */
    add_word(&b, "window", "10 10");
    add_word(&b, "start", "");
    send_bytes(&r, &b);
    check(read_until(&r, "refused "), "moved-directory", "it was run");
    check(read_until(&r, "directory "), "moved-directory", "it was refused for something else");
    buf_free(&b);
    finish_runner(&r);
}

static void check_typing(void) {
    struct running r = start_script("echo begun; read x; echo \"<$x>\"; stty size; cat >/dev/null",
                                    "terminal", "24 80");
    struct buf b = {0};
    check(read_until(&r, "begun\n"), "typing", "it did not begin");
    add_word(&b, "size", "50 132");
    add_word(&b, "in", "a b\n");
    send_bytes(&r, &b);
    check(read_until(&r, "<a b>\n"), "typing", "it did not read");
    check(read_until(&r, "50 132\n"), "typing", "it has another size");
    check(read_until(&r, "typed 1\n4"), "typing", "it is not said what was typed");
    buf_clear(&b);
    add_word(&b, "in", "\004");
    send_bytes(&r, &b);
    check(read_until(&r, "exit 0 0 "), "typing", "it did not end");
    buf_free(&b);
    finish_runner(&r);
}

int main(int argc, char **argv) {
    long tries = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    (void)signal(SIGPIPE, SIG_IGN);
    check_replies();
    check_requests();
    check_moved_directory();
    check_typing();
    for (long attempt = 0; attempt < tries; attempt++)
        for (size_t escape = 0; escape < ESCAPES; escape++)
            for (int way = 0; way < WAYS; way++)
                try_escape(escape, (enum way_to_end)way, attempt);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

/* SPDX-License-Identifier: MIT */
/* escapes.c -- commands that try to have a process outlive them.
 *
 * Each command of `escapes` tries in its own way to have a process outlive it.  Each is ended in
 * each of the ways, and has 2 seconds until no process is left.  The processes have a number in
 * their command lines that no other process has, and are found by it in /proc, without what the
 * runner knows.
 *
 * The runner has two processes, of which either ends what the other one leaves.  A command that
 * kills or stops the one is not tried with the death of the other: that is the end of both. */
#include "owner.h"

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

const char *const way_names[] = {"asked", "left", "guard", "leader", "stopped"};

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

static void try_escape(size_t escape, enum way_to_end way, long attempt, bool fenced) {
    char number[40], script[1000], name[100];
    (void)snprintf(number, sizeof number, "%d.%ld%zu%d%d", 70000 + (int)getpid(), attempt + 1,
                   escape, (int)way, fenced);
    (void)snprintf(name, sizeof name, "%s/%s%s", escapes[escape].name, way_names[way],
                   fenced ? "/fenced" : "");
    if (escapes[escape].ends_its_parent && way >= BY_KILLING_THE_GUARD)
        return;
    write_script(escapes[escape].script, number, script, sizeof script);
    struct running r = start_script(script, fenced ? "fence" : NULL, "");
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

void try_escapes(long tries) {
    for (long attempt = 0; attempt < tries; attempt++)
        for (size_t escape = 0; escape < ESCAPES; escape++)
            for (int way = 0; way < WAYS; way++)
                for (int fenced = 0; fenced < 2; fenced++)
                    /* In short, a fence is tried with each escape and with each end. */
                    if (!fenced || tries > 1 || (size_t)way == escape % WAYS)
                        try_escape(escape, (enum way_to_end)way, attempt, fenced);
}

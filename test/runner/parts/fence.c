/* SPDX-License-Identifier: MIT */
/* fence.c -- what a command behind a fence can reach, by what is on the disk afterwards. */
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

/* A fence around a command that may write the directory F of its own, but its f/locked. */
static char fenced_directory[64];

void add_fence(struct buf *b) {
    static const char *const trees[] = {"/usr", "/bin", "/lib", "/lib64", "/etc", "/proc"};
    char hidden[80];
    (void)snprintf(hidden, sizeof hidden, "%s/hidden", fenced_directory);
    add_word(b, "fence", "");
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        add_word(b, "read", trees[i]);
    add_word(b, "write", fenced_directory);
    add_word(b, "guard", "locked");
    add_word(b, "guard", "deep/er/locked");
    add_word(b, "guard", "absent");
    add_word(b, "hide", hidden);
}

static bool make_fenced_directory(void) {
    (void)snprintf(fenced_directory, sizeof fenced_directory, "/var/tmp/aqfs-fenced-XXXXXX");
    return mkdtemp(fenced_directory) != NULL;
}

/* Runs SHELL, which sets the directory up or looks at it, outside of any fence. */
static bool outside(const char *shell) {
    char command[1000];
    (void)snprintf(command, sizeof command, "cd %s && %s", fenced_directory, shell);
    return system(command) == 0; /* NOLINT(cert-env33-c): the commands are those below */
}

static void fenced_script(char *out, size_t size, const char *script) {
    (void)snprintf(out, size, "cd %s && { %s; } 2>&1", fenced_directory, script);
}

static void expect_fenced(const char *name, const char *script, const char *wanted) {
    char whole[1000];
    fenced_script(whole, sizeof whole, script);
    expect(name, whole, "fence", "", wanted);
}

static void expect_refused(const char *script) {
    char whole[600];
    (void)snprintf(whole, sizeof whole, "if %s; then echo DONE; else echo REFUSED; fi", script);
    expect_fenced(script, whole, "REFUSED\n");
}

static void check_fence_of_files(void) {
    static const char *const refused[] = {"echo x >>locked/f",
                                          "echo x >locked/new",
                                          "rm locked/f",
                                          "mv locked other",
                                          "mv open/f locked/moved",
                                          "ln open/f locked/linked",
                                          "ln locked/f open/linked",
                                          "ln -s x locked/link",
                                          "mkdir locked/d",
                                          "mkdir absent",
                                          "echo x >absent",
                                          "mv open/f absent",
                                          "ln -s open absent",
                                          "echo x >top",
                                          "rm file",
                                          "mkdir deep/er/locked",
                                          "echo x >deep/er/locked",
                                          "mv deep d",
                                          "echo x >>/proc/self/cwd/locked/f",
                                          "echo x >>link/f",
                                          "cat hidden/f",
                                          "ls hidden",
                                          "cat /proc/self/root$PWD/hidden/f",
                                          "mv hidden seen",
                                          "ln hidden/f open/seen",
                                          "echo x >/var/tmp/aqfs-outside",
                                          "cat /root/.bashrc",
                                          "truncate -s 0 locked/f",
                                          "mount -t tmpfs x open",
                                          "unshare -r true",
                                          "echo x >/dev/tcp/127.0.0.1/1",
                                          "echo x >/dev/udp/127.0.0.1/1",
                                          "kill -0 $PPID",
                                          "cat /proc/$PPID/environ",
                                          "mknod open/null c 1 3"};
    check(outside("mkdir -p locked open deep/er hidden && echo GOOD | tee >/dev/null locked/f "
                  "open/f file "
                  "hidden/f && ln -s locked link") == true,
          "fence", "the directory could not be made");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_refused(refused[i]);
    expect_fenced("fence/write",
                  "echo x >open/f && echo y >open/n && mv open/n open/m && mkdir open/d && mv "
                  "open/m open/d && echo x >>file && cat locked/f && echo OVER",
                  "OVER\n");
    check(outside("test x = $(cat open/f) && test y = $(cat open/d/m) && grep -q x file"), "fence",
          "what may be written was not");
    check(outside("test GOOD = $(cat locked/f) && test GOOD = $(cat hidden/f) && ! test -e absent "
                  "-o -e top -o -e deep/er/locked -o -e locked/new -o -e other"),
          "fence", "something was changed");
}

static void check_scratch(void) {
    struct running r;
    char once[1000], whole[1100], wanted[] = "OVER\n";
    fenced_script(once, sizeof once,
                  "echo x >$HOME/f && mkdir -p $TMPDIR/a/b && cp $HOME/f $TMPDIR/a/b/g && chmod 0 "
                  "$TMPDIR/a; echo $TMPDIR >open/scratch; echo OVER");
    (void)snprintf(whole, sizeof whole, "%s; sleep 1000", once);
    for (int killed = 0; killed < 2; killed++) {
        r = start_script(killed ? whole : once, "fence", "");
        check(read_until(&r, wanted), "scratch", r.said.len ? r.said.data : "it said nothing");
        check(!killed || outside("test -d $(cat open/scratch)"), "scratch", "there is none");
        if (killed)
            end_by(&r, BY_KILLING_THE_LEADER);
        finish_runner(&r);
        check(outside("! test -e $(cat open/scratch)"), "scratch", "it is left");
    }
    /* Where both are killed, the next runner removes it. */
    r = start_script(whole, "fence", "");
    (void)read_until(&r, wanted);
    pid_t leader = leader_of(r.guard);
    (void)kill(r.guard, SIGSTOP);
    (void)kill(leader, SIGKILL);
    (void)kill(r.guard, SIGKILL);
    finish_runner(&r);
    check(outside("mv open/scratch open/old"), "scratch", "there was none");
    expect_fenced("scratch/next", "echo NEXT", "NEXT\n");
    check(outside("! test -e $(cat open/old)"), "scratch", "the next runner leaves it");
}

/* -- masks ------------------------------------------------------------------------------------- */

static struct running start_masked(char *mask, size_t size) {
    (void)snprintf(mask, size, "%s/.masked", fenced_directory);
    return start_script("echo begun; exec sleep 1000", "mask", mask);
}

static void check_masks(void) {
    static const enum way_to_end ways[] = {BY_LEAVING, BY_ASKING, BY_KILLING_THE_GUARD,
                                           BY_KILLING_THE_LEADER, BY_STOPPING_BOTH};
    char mask[100];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct running r = start_masked(mask, sizeof mask);
        check(read_until(&r, "begun\n") && outside("test -d .masked"), "mask", "there is none");
        end_by(&r, ways[i]);
        finish_runner(&r);
        check(
            outside("for i in 1 2 3 4 5 6 7 8 9 10; do test -e .masked || exit 0; sleep 0.2; done; "
                    "exit 1"),
            "mask", way_names[ways[i]]);
    }
    /* One that both processes of a runner have left is known by the next one. */
    check(outside("mkdir -m 1700 .masked"), "mask", "mkdir");
    expect("mask/left", "test -d ~+/.masked; echo $?", "mask", mask, "out 2\n");
    check(outside("! test -e .masked"), "mask", "the next runner leaves it");
    /* Two have it until the last one has ended. */
    struct running one = start_masked(mask, sizeof mask), two = start_masked(mask, sizeof mask);
    check(read_until(&one, "begun\n") && read_until(&two, "begun\n"), "mask", "two at once");
    finish_runner(&one);
    check(outside("test -d .masked"), "mask", "the other one has lost it");
    /* A file that somebody puts there is kept, and so is a directory of somebody's. */
    check(outside("touch .masked/theirs"), "mask", "nothing can be made there");
    finish_runner(&two);
    check(outside("test -f .masked/theirs && rm -r .masked && mkdir .masked"), "mask", "a loss");
    expect("mask/theirs", "echo begun", "mask", mask, "begun\n");
    check(outside("rmdir .masked && echo x >.masked"), "mask", "a directory is lost");
    expect("mask/file", "echo begun", "mask", mask, "begun\n");
    check(outside("grep -q x .masked && rm .masked"), "mask", "a file is lost");
    expect("mask/nowhere", "echo begun", "mask", "/no/such/directory/.git", "begun\n");
}

void check_fence(void) {
    check(make_fenced_directory(), "fence", "mkdtemp");
    check_masks();
    if (system("\"${BUILD:-build}\"/agent-q-fs-run --landlock | grep -qx 0") == 0) { /* NOLINT */
        printf("fence: skipped, because this kernel has no Landlock\n");
        (void)outside("rm -rf \"$PWD\"");
        return;
    }
    check_fence_of_files();
    check_scratch();
    expect("fence/path", "echo $PATH", "fence", "", "out 29\n/usr/local/bin:/usr/bin:/bin\n");
    expect("fence/terminal", "tty </dev/tty", "terminal", "24 80", "/dev/pts/");
    (void)outside("rm -rf \"$PWD\"");
}

/* SPDX-License-Identifier: MIT */
/* runner.c TRIES -- the program agent-q-fs-run, as its owner sees it. */
#include "parts/owner.h"

#include "aqfs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    expect("closes-its-terminal", "exec <&- >&- 2>&-; sleep 0.1; exit 5", "terminal", "24 80",
           "exit 5 0 ");
    expect("opens-its-terminal",
           "exec <&- >&- 2>&-; sleep 0.1; echo late >/dev/tty; exec sleep 0.1", "terminal", "24 80",
           "late\n");
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
    check_fence();
    try_escapes(tries);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

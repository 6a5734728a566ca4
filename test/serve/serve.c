/* serve.c -- agent-q-fs serve, the built program, through pipes: frames sent, frames that came, and
 * the files on the disk afterwards.
 *
 *     serve        T is a part of the names of the cases to run
 *
 * SPDX-License-Identifier: MIT
 */
#include "parts/served.h"

#include "files.h"
#include "select.h"
#include "time_limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const struct serve_case *const groups[] = {wrong_frame_cases, answer_cases, end_cases,
                                                  cut_cases, command_cases};

static int passed, failed;

static void run_serve_case(const struct serve_case *c) {
    if (!is_selected("serve/%s", c->name))
        return;
    time_limit_begin("serve/%s", c->name);
    struct served s = {.base = make_temporary("serve")};
    s.root = path_of("%s/project", s.base);
    make_file(served_file(&s, "a.txt"), "one\ntwo\n");
    (void)setenv("XDG_STATE_HOME", s.base, 1); /* where servers hold their clients' locks */
    int line = c->run(&s);
    if (line)
        printf("FAILED serve/%s: line %d\n", c->name, line);
    failed += line > 0;
    passed += line == 0;
    remove_all(s.base);
    free(s.base);
    free(s.root);
}

int main(void) {
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const struct serve_case *c = groups[i]; c->name; c++)
            run_serve_case(c);
    time_limit_end();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

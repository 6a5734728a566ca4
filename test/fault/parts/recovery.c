/* SPDX-License-Identifier: MIT */
/* recovery.c -- a project in which a process is killed: see recovery.h. */
#include "recovery.h"

#include "request.h"

#include <git2.h>
#include <stdio.h>
#include <string.h>

void count_case(const char *name, bool ok) {
    printf("RECOVER %-40s %s\n", name, ok ? "ok" : "FAILED");
    count_result(ok);
}

void start_over(void) {
    world_clear();
    make_directory("root/empty");
    make_link("root/out", "../outside");
    make_file("root/a", "one\ntwo\n");
    make_file("root/d/b", "b\n");
    make_file_as("root/restricted/" TEMP, "kept\n", 0600);
}

aqfs_workspace *open_again(void) {
    return open_with("auto", ",\"restricted_paths\":[\"restricted\"]");
}

const char *error_of(aqfs_workspace *ws, const char *op, const char *args) {
    static char error[64];
    aqfs_reply *r = ask_as(ws, op, args, AQFS_SEXP);
    must(r != NULL, "aqfs_call");
    snprintf(error, sizeof error, "%s", aqfs_reply_error(r) ? aqfs_reply_error(r) : "");
    aqfs_reply_free(r);
    return error;
}

bool edits(aqfs_workspace *ws) {
    return strcmp(error_of(ws, "edit_file", EDIT), "") == 0;
}

struct last {
    void (*act)(aqfs_workspace *);
    long at;
};

static void act_last(void *data) {
    const struct last *last = data;
    aqfs_workspace *ws = open_again();
    fault_arm((struct fault){.effect = EFFECT_KILL, .at = last->at});
    last->act(ws);
}

void die_in(void (*act)(aqfs_workspace *), long at) {
    (void)run_apart(act_last, &(struct last){act, at});
}

static void edit(aqfs_workspace *ws) {
    (void)edits(ws);
}

char *die_with_journal(void) {
    static long at = 1;
    for (;; at++) {
        start_over();
        die_in(edit, at);
        char *path = find_journal();
        if (path)
            return path;
    }
}

void start_recovery(void) {
    shim_start();
    must(git_libgit2_init() > 0, "libgit2");
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    make_file("outside/twin", "outside\n");
    make_file("outside/" TEMP, "outside\n");
}

int end_recovery(void) {
    world_end();
    return report_score();
}

/* SPDX-License-Identifier: MIT */
/* openings.c -- opening a workspace, while others exchange something between two of its calls.
 *
 *     openings short|full
 *
 * A file that is looked at by its name may be another when it is opened by that name: a link that
 * leads out, or a pipe that nobody writes to.  It is exchanged before each of the calls in turn.
 * The shim sees also that every descriptor is closed in what is started.
 */
#include "parts/shim.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"
#include "workspace.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMPLAINTS 6

/* -- what is opened --------------------------------------------------------------------------- */

static void make_temp(void) {
    remove_all("temp");
    remove_all("away");
    make_directory("temp");
}

static void lead_temp_out(void) {
    must(rename("temp", "away") == 0, "temp");
    make_link("temp", "outside");
}

static const char *use_session(aqfs_workspace *ws) {
    aqfs_reply_free(ask_as(ws, "create_file", "{\"path\":\"f\",\"content\":\"text\"}", AQFS_SEXP));
    return NULL;
}

static void make_root(void) {
    world_clear();
    remove_all("away");
    make_file("root/inside", "inside\n");
}

static void lead_root_out(void) {
    must(rename("root", "away") == 0, "root");
    make_link("root", "outside");
}

/* The directory opened under the name of the root is not one that a link there leads to. */
static const char *is_root_itself(aqfs_workspace *ws) {
    const struct root *root = &ws->roots[0];
    struct stat led;
    must(stat("outside", &led) == 0, "outside");
    bool named = strcmp(strrchr(root->path, '/'), "/root") == 0;
    return named && root->inode == led.st_ino ? "a link was followed in place of the root" : NULL;
}

/* A working tree whose .git is a file that leads nowhere, or, in the end, to a repository. */
static void make_tree(void) {
    world_clear();
    make_directory("root/a/b");
    make_file("root/a/.git", "gitdir: nowhere\n");
}

static void replace_pointer_by_link(void) {
    remove_all("root/a/.git");
    make_link("root/a/.git", "../../pointer");
}

static void replace_pointer_by_pipe(void) {
    remove_all("root/a/.git");
    must(mkfifo("root/a/.git", 0600) == 0, "mkfifo");
}

static void make_repository_tree(void) {
    world_clear();
    make_directory("root/a/b");
    make_repository("root/a/.git");
}

static void remove_repository(void) {
    remove_all("root/a/.git");
}

static const char *is_usable(aqfs_workspace *ws) {
    aqfs_reply *r = ask_as(ws, "list_directory", "{}", AQFS_SEXP);
    bool usable = !aqfs_reply_error(r);
    aqfs_reply_free(r);
    return usable ? NULL : "it cannot be used";
}

/* A link to a file makes no working tree, and neither does a pipe. */
static const char *is_no_tree(aqfs_workspace *ws) {
    aqfs_reply *r = ask_as(ws, "get_project_root", "{}", AQFS_JSON);
    bool found = strstr(aqfs_reply_text(r, NULL), "/root/a/\"") != NULL;
    aqfs_reply_free(r);
    return found ? "a project was found where there is none" : NULL;
}

#define SESSION "{\"backend\":\"session\",\"temp_dir\":\"%s/temp\"}"
#define ROOT "{\"root\":\"%s/root\"}"
#define START "{\"start\":\"%s/root/a/b\"}"

static const struct opening {
    const char *name, *options;
    void (*prepare)(void);
    void (*act)(void);
    const char *(*judge)(aqfs_workspace *ws);
} openings[] = {
    {"session/link", SESSION, make_temp, lead_temp_out, use_session},
    {"root/link", ROOT, make_root, lead_root_out, is_root_itself},
    {"repository/gone", START, make_repository_tree, remove_repository, is_usable},
    {"git-file/link", START, make_tree, replace_pointer_by_link, is_no_tree},
    {"git-file/pipe", START, make_tree, replace_pointer_by_pipe, is_no_tree},
};

/* -- one point -------------------------------------------------------------------------------- */

static struct {
    const struct opening *of;
    long at;
} exchange;

static void exchange_now(void) {
    if (fault.seen == exchange.at)
        exchange.of->act();
}

/* False when the opening has ended before its turn came. */
static bool try_point(const struct opening *o, long at, int *complaints) {
    o->prepare();
    exchange.of = o;
    exchange.at = at;
    char *options = path_of(o->options, base), *outside = picture_of("outside", true, true);
    aqfs_workspace *ws = NULL;
    fault_between = exchange_now;
    fault_arm((struct fault){.effect = EFFECT_BETWEEN});
    aqfs_reply *opened = aqfs_open(options, strlen(options), AQFS_SEXP, &ws);
    fault.armed = false;
    bool met = fault.seen >= at;
    const char *wrong = ws ? o->judge(ws) : NULL;
    char *now = picture_of("outside", true, true);
    if (strcmp(now, outside) != 0)
        wrong = "something was made outside";
    if (wrong && (*complaints)++ < COMPLAINTS)
        printf("  %s: call %ld: %s; answered %.200s\n", o->name, at, wrong,
               aqfs_reply_text(opened, NULL));
    free(options), free(outside), free(now);
    aqfs_reply_free(opened);
    aqfs_free(ws);
    return met;
}

static void run(const struct opening *o) {
    int complaints = 0;
    long at = 1;
    if (!is_selected("openings/%s", o->name))
        return;
    while (try_point(o, at, &complaints))
        at++;
    printf("OPENINGS %-22s %6ld points %s\n", o->name, at - 1, complaints ? "FAILED" : "ok");
    count_result(!complaints);
}

int main(void) {
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    make_file("outside/x", "outside\n");
    make_repository("root-of-another/.git");
    char *pointer = path_of("gitdir: %s/root-of-another/.git\n", base);
    make_file("pointer", pointer);
    free(pointer);
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        run(&openings[i]);
    world_end();
    return report_score();
}

/* SPDX-License-Identifier: MIT */
/* elsewhere.c -- allocations and system calls that fail, in memory and in a session.
 *
 *     elsewhere short|full
 *
 * Each change is made again and again, with the first call failing, then the
 * second, and so on until none is hit.  The tree is then as it was or as it was
 * to be, as the reply says; the workspace goes on working, and nothing of it is
 * left when it is closed.  So is opening it, with a mount.  The last line is
 * `3 passed, 0 failed`.
 */
#include "parts/shim.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"
#include "trees.h"
#include "workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct where {
    const char *name, *options;
    void (*tree)(struct buf *out, struct aqfs_workspace *ws);
};

static void tree_of_session(struct buf *out, struct aqfs_workspace *ws) {
    tree_of_directory(out, ws->roots[0].path, "");
}

static const struct where places[] = {
    {"memory", "\"backend\": \"memory\"", tree_of_memory},
    {"session", "\"backend\": \"session\", \"temp_dir\": \"%s\"", tree_of_session},
};

static const struct {
    const char *op, *args;
} changes[] = {
    {"write_file", "{\"path\": \"m/sub/b\", \"content\": \"new\"}"},
    {"create_file", "{\"path\": \"x/y/z\", \"content\": \"new\"}"},
    {"edit_file", "{\"path\": \"m/a\", \"old_str\": \"one\", \"new_str\": \"eins\"}"},
    {"move_file", "{\"source\": \"m/sub\", \"destination\": \"n/sub\"}"},
    {"copy_file", "{\"source\": \"m/a\", \"destination\": \"c\"}"},
    {"delete_file", "{\"path\": \"m\", \"recursive\": true}"},
    {"apply_patch", "{\"patch\": \"*** Begin Patch\\n*** Update File: m/a\\n*** Move to: d\\n"
                    "@@\\n-one\\n+1\\n*** Add File: e\\n+e\\n*** End Patch\\n\"}"},
};

static const struct {
    enum effect effect;
    int errnum;
    bool for_ever;
} effects[] = {{EFFECT_MEMORY, 0, false},
               {EFFECT_FAIL, EIO, false},
               {EFFECT_FAIL, ENOSPC, false},
               {EFFECT_FAIL, EACCES, false},
               {EFFECT_FAIL, EIO, true}};

/* -- what is done ----------------------------------------------------------------------------- */

static aqfs_reply *open_in(const struct where *where, aqfs_workspace **ws) {
    char options[512], place[128];
    (void)snprintf(place, sizeof place, where->options, base);
    int n = snprintf(options, sizeof options,
                     "{%s, \"mounts\": [{\"host_path\": \"m\"}], \"allowed_host_roots\": [\"%s\"]}",
                     place, base);
    *ws = NULL;
    return aqfs_open(options, (size_t)n, AQFS_JSON, ws);
}

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    return ask_as(ws, op, args, AQFS_JSON);
}

static aqfs_workspace *must_open(const struct where *where) {
    aqfs_workspace *ws;
    aqfs_reply *reply = open_in(where, &ws);
    if (!ws)
        die("%s: %s", where->name, aqfs_reply_text(reply, NULL));
    aqfs_reply_free(reply);
    aqfs_reply_free(ask(ws, "list_directory", "{}")); /* the session's directory is there */
    return ws;
}

/* Counts the files in our directory beside the mount and those that world_start made. */
static int left_behind(void) {
    struct names names = names_below(base);
    int n = (int)names.n - 3;
    free_names(&names);
    return n;
}

static void judge(bool good, const char *where, const char *what, const char *why) {
    count_result(good);
    if (!good)
        printf("FAILED %s, %s: %s when %ld was hit (%s, errno %d)\n", where, what, why, fault.at,
               fault.name ? fault.name : "nothing", fault.errnum);
}

static struct buf tree_in(const struct where *where, aqfs_workspace *ws) {
    struct buf tree = {0};
    buf_str(&tree, "");
    where->tree(&tree, ws);
    return tree;
}

/* -- changes ---------------------------------------------------------------------------------- */

/* False when the fault was not reached any more. */
static bool change_once(const struct where *where, size_t i, struct fault what,
                        const struct buf *before, const struct buf *after) {
    const char *op = changes[i].op;
    int descriptors = open_descriptors();
    aqfs_workspace *ws = must_open(where);
    fault_arm(what);
    aqfs_reply *reply = ask(ws, op, changes[i].args);
    if (what.for_ever) /* the first attempt to clean up fails, too */
        aqfs_reply_free(ask(ws, "write_file", "{\"path\": \"again\", \"content\": \"\"}"));
    fault.armed = false;
    bool hit = fault.name != NULL, granted = reply && !aqfs_reply_error(reply);
    /* A file that could not be put back or removed is, before the next change. */
    aqfs_reply *again = ask(ws, "write_file", "{\"path\": \"again\", \"content\": \"x\"}");
    judge(!aqfs_reply_error(again), where->name, op, "the workspace does not work any more");
    aqfs_reply_free(again);
    aqfs_reply_free(ask(ws, "delete_file", "{\"path\": \"again\"}"));
    struct buf now = tree_in(where, ws);
    const struct buf *want = granted ? after : before;
    judge(strcmp(now.data, want->data) == 0, where->name, op,
          granted ? "the tree is not as it was to be" : "the tree is not as it was");
    aqfs_reply_free(reply);
    aqfs_free(ws);
    judge(open_descriptors() == descriptors, where->name, op, "a descriptor was left");
    judge(left_behind() == 0, where->name, op, "a directory was left");
    buf_free(&now);
    return hit;
}

static void sweep_change(const struct where *where, size_t i, long step) {
    aqfs_workspace *ws = must_open(where);
    struct buf before = tree_in(where, ws);
    aqfs_reply_free(ask(ws, changes[i].op, changes[i].args));
    struct buf after = tree_in(where, ws);
    aqfs_free(ws);
    if (strcmp(before.data, after.data) == 0)
        die("%s, %s changes nothing", where->name, changes[i].op);
    for (size_t k = 0; k < sizeof effects / sizeof *effects; k++) {
        struct fault what = {.effect = effects[k].effect,
                             .errnum = effects[k].errnum,
                             .at = 1,
                             .for_ever = effects[k].for_ever};
        while (change_once(where, i, what, &before, &after))
            what.at += step;
    }
    buf_free(&before);
    buf_free(&after);
}

/* -- opening ---------------------------------------------------------------------------------- */

/* A workspace is opened with all of its mount, or not at all. */
static bool open_once(const struct where *where, struct fault what) {
    aqfs_workspace *ws;
    int descriptors = open_descriptors();
    fault_arm(what);
    aqfs_reply *reply = open_in(where, &ws);
    aqfs_reply *first = ws ? ask(ws, "list_directory", "{}") : NULL;
    fault.armed = false;
    bool hit = fault.name != NULL;
    aqfs_reply_free(first);
    if (ws) {
        first = ask(ws, "read_file", "{\"path\": \"m/sub/b\"}");
        judge(strstr(aqfs_reply_text(first, NULL), "two") != NULL, where->name, "opening",
              "the mount is not there");
        aqfs_reply_free(first);
    }
    aqfs_reply_free(reply);
    aqfs_free(ws);
    judge(open_descriptors() == descriptors, where->name, "opening", "a descriptor was left");
    judge(left_behind() == 0, where->name, "opening", "a directory was left");
    return hit;
}

static void sweep_opening(const struct where *where, long step) {
    for (size_t k = 0; k < sizeof effects / sizeof *effects; k++) {
        struct fault what = {.effect = effects[k].effect, .errnum = effects[k].errnum, .at = 1};
        while (open_once(where, what))
            what.at += step;
    }
}

/* -- all -------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
    bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    world_start();
    make_file("m/a", "one\n");
    make_file("m/sub/b", "two\n");
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        if (is_selected("elsewhere/%s/opening", places[p].name))
            sweep_opening(&places[p], full ? 1 : 5);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
            if (is_selected("elsewhere/%s/%s", places[p].name, changes[i].op))
                sweep_change(&places[p], i, full ? 1 : 5);
    }
    world_end();
    return report_score();
}

/* tree_remove.c -- removing a directory and all below it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tree_remove.h"

#include "arena.h"
#include "cleanup.h"

#include <string.h>

/* Rounds of listing and removing one directory: another program may add files meanwhile. */
#define ROUNDS 16

struct names {
    struct arena arena;
    struct error *e;
    struct name {
        struct name *next;
        enum node_type type;
        const char *text;
    } * first;
};

static void names_free(struct names *names) {
    arena_free(&names->arena);
}

static int take_child_name(void *data, const char *name, size_t n, enum node_type type) {
    struct names *names = data;
    struct name *taken = arena_take(&names->arena, sizeof *taken);
    const char *text = arena_string(&names->arena, name, n);
    if (!taken || !text)
        return fail_memory(names->e);
    *taken = (struct name){.next = names->first, .type = type, .text = text};
    names->first = taken;
    return AQFS_OK;
}

static int remove_below(const struct aqfs_workspace *ws, const struct node *dir, const char *name,
                        int depth, struct error *e);

/* Removes the entries that DIR has now.  *EMPTY says that it had none. */
static int remove_entries(const struct aqfs_workspace *ws, const struct node *dir, int depth,
                          bool *empty, struct error *e) {
    AUTO(names_free) struct names names = {.e = e};
    int code = dir->backend->list(dir, take_child_name, &names, e);
    *empty = names.first == NULL;
    for (const struct name *name = names.first; !code && name; name = name->next) {
        if (name->type == NODE_DIRECTORY)
            code = remove_below(ws, dir, name->text, depth, e);
        else
            code = dir->backend->remove(dir, name->text, false, e);
        if (code == AQFS_NOT_FOUND)
            code = AQFS_OK;
    }
    return code;
}

/* Removes the directory NAME of DIR.  Recursion is as deep as the tree, at most limits.walk_depth.
 */
static int remove_below(const struct aqfs_workspace *ws, const struct node *dir, const char *name,
                        int depth, struct error *e) {
    if (depth > ws->limits.walk_depth)
        return fail(e, AQFS_LIMIT, "The directories are nested too deeply");
    bool empty = false;
    int code = AQFS_OK;
    for (int round = 0; !code && !empty && round < ROUNDS; round++) {
        AUTO(node_close) struct node below = {0};
        code = dir->backend->open_below(dir, name, OPEN_DIRECTORY, &below, e);
        if (!code && !info_shares_mount(&below.info, &dir->info))
            code = fail(e, AQFS_IO, "Another file system is mounted inside");
        if (!code)
            code = remove_entries(ws, &below, depth + 1, &empty, e);
    }
    return code ? code : dir->backend->remove(dir, name, true, e);
}

int tree_remove(const struct aqfs_workspace *ws, const struct node *dir, const char *name,
                struct error *e) {
    struct node base = *dir;
    int code = dir->backend->stat(dir, &base.info, e);
    return code ? code : remove_below(ws, &base, name, 1, e);
}

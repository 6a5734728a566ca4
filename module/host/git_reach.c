/* git_reach.c -- what git obeys of a repository that does not lie in the repository's directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "git_reach.h"

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "git_parts.h"
#include "host.h"
#include "kernel.h"
#include "mount_names.h"
#include "protect.h"

#include <fcntl.h>
#include <string.h>

#define SHORTEST_USE_NS INT64_C(1000000000)
#define PART_OF_USE 20

/* Working trees that are remembered; with one more, only those above the last directory are. */
#define TREES_MOST 64

/* The findings about the working tree that begins at `path`. */
struct reached_tree {
    char *path;
    int64_t fresh_until_ns;
    struct git_parts parts;
};

/* The findings about the directory that was asked about last. */
struct asked_directory {
    char path[2 * (PATH_BYTES_MAX + 1)]; /* "": of none */
    uint64_t inode;
    int64_t fresh_until_ns;
    bool is_git_part; /* it is a part of a repository's directory, or in one */
    size_t *trees;    /* indexes of the trees that it is in */
    size_t n, room;
};

struct git_reach {
    pthread_mutex_t lock; /* guards what follows */
    struct reached_tree *trees;
    size_t n, room;
    struct asked_directory last;
};

static void free_tree(struct reached_tree *tree) {
    free(tree->path);
    git_parts_free(&tree->parts);
}

static bool is_above_last(const struct git_reach *r, size_t tree) {
    for (size_t i = 0; i < r->last.n; i++)
        if (r->last.trees[i] == tree)
            return true;
    return false;
}

/* Forgets all trees but those that the last directory is in: of many directories in one project,
 * each is in the tree of the whole. */
static void forget_other_trees(struct git_reach *r) {
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++)
        if (is_above_last(r, i))
            r->trees[kept++] = r->trees[i];
        else
            free_tree(&r->trees[i]);
    r->n = kept;
    r->last.n = 0;
    r->last.path[0] = '\0';
}

void git_reach_free(struct git_reach *reach) {
    if (!reach)
        return;
    for (size_t i = 0; i < reach->n; i++)
        free_tree(&reach->trees[i]);
    free(reach->trees);
    free(reach->last.trees);
    pthread_mutex_destroy(&reach->lock);
    free(reach);
}

/* The workspace's, made when it is first needed; NULL without memory. */
static struct git_reach *reach_of(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    if (!ws->git_reach && (ws->git_reach = calloc(1, sizeof *ws->git_reach)) != NULL)
        pthread_mutex_init(&ws->git_reach->lock, NULL);
    pthread_mutex_unlock(&ws->lock);
    return ws->git_reach;
}

/* -- the trees above a directory --------------------------------------------------------------- */

/* The index of the tree that begins at PATH, which is looked at unless that was done a moment ago;
 * r->n without memory. */
static size_t look_at_tree(struct git_reach *r, const char *path, const char *home) {
    size_t i = 0;
    while (i < r->n && strcmp(r->trees[i].path, path) != 0)
        i++;
    int64_t begun = clock_now_ns();
    if (i < r->n && begun < r->trees[i].fresh_until_ns)
        return i;
    if (i == r->n) {
        struct reached_tree *trees = array_with_room(r->trees, r->n, &r->room, sizeof *trees);
        char *copy = trees ? strdup(path) : NULL;
        r->trees = trees ? trees : r->trees;
        if (!copy)
            return r->n;
        r->trees[r->n++] = (struct reached_tree){.path = copy};
    }
    struct reached_tree *tree = &r->trees[i];
    git_parts_free(&tree->parts);
    git_parts_find(path, home, &tree->parts);
    int64_t ended = clock_now_ns(), lasts = (ended - begun) * PART_OF_USE;
    tree->fresh_until_ns = ended + (lasts > SHORTEST_USE_NS ? lasts : SHORTEST_USE_NS);
    return i;
}

static bool add_tree(struct git_reach *r, const char *path, const char *home) {
    struct asked_directory *d = &r->last;
    size_t *trees = array_with_room(d->trees, d->n, &d->room, sizeof *trees);
    if (!trees)
        return false;
    d->trees = trees;
    size_t tree = look_at_tree(r, path, home);
    if (tree < r->n)
        d->trees[d->n++] = tree;
    return tree < r->n;
}

/* Goes up from the directory PATH to /.  False without memory. */
static bool find_trees(struct git_reach *r, const char *path, const char *home) {
    char git[2 * (PATH_BYTES_MAX + 1) + 8];
    size_t n = strlen(path);
    struct info info;
    memcpy(git, path, n + 1);
    for (;;) {
        memcpy(git + n, "/.git", sizeof "/.git");
        if (kernel_stat_at(AT_FDCWD, git, &info) == 0) {
            git[n] = '\0';
            if (!add_tree(r, git, home))
                return false;
        }
        while (n > 0 && git[n - 1] != '/')
            n--;
        if (n == 0)
            return true;
        git[--n] = '\0';
    }
}

/* Is the directory with this identity a part of a repository that the last one asked about belongs
 * to? */
static bool is_git_part(const struct git_reach *r, const struct info *info) {
    for (size_t i = 0; i < r->last.n; i++)
        if (git_parts_have(&r->trees[r->last.trees[i]].parts, info))
            return true;
    return false;
}

/* Is the open directory DIR, or one of the DEPTH directories above it, such a part?  By `..`, since
 * the commit goes on in that very directory, whatever has its name meanwhile. */
static bool is_in_part(const struct git_reach *r, const struct node *dir, size_t depth) {
    char up[PATH_BYTES_MAX + 1] = "";
    struct info info = dir->info;
    for (size_t i = 0;; i++) {
        if (is_git_part(r, &info))
            return true;
        if (r->last.n == 0 || i == depth || 3 * (i + 2) > sizeof up)
            return false;
        memcpy(up + 3 * i, "../", sizeof "../");
        if (kernel_stat_at(dir->fd, up, &info) != 0)
            return false;
    }
}

/* Its names by which other mounts show the directory DIR, of a mount of its own inside ROOT. */
static bool is_mounted_part(const struct root *root, const struct node *dir, const char *path) {
    AUTO(buf_free) struct buf names = {0};
    uint64_t mount = 0;
    if (kernel_mount(dir->fd, &dir->info, &mount) != 0 || mount == root->mount)
        return false;
    mount_names_add(path, mount, &names);
    return names.failed || protect_level_of_paths(names.data, names.len) == PROTECT_REFUSE;
}

/* Makes `last` what is found of DIRECTORY.  False without memory. */
static bool ask_about(struct git_reach *r, const struct aqfs_workspace *ws, const struct root *root,
                      const char *directory, const struct node *dir, size_t depth) {
    struct asked_directory *d = &r->last;
    int64_t now = clock_now_ns();
    bool is_same = strcmp(d->path, directory) == 0 && (!dir || d->inode == dir->info.inode);
    if (is_same && now < d->fresh_until_ns)
        return true;
    if (r->n >= TREES_MOST)
        forget_other_trees(r);
    d->n = 0;
    d->path[0] = '\0';
    if (!find_trees(r, directory, ws->home))
        return false;
    d->is_git_part = dir && (is_in_part(r, dir, depth) || is_mounted_part(root, dir, directory));
    d->inode = dir ? dir->info.inode : 0;
    d->fresh_until_ns = now + SHORTEST_USE_NS;
    memcpy(d->path, directory, strlen(directory) + 1);
    return true;
}

/* -- asking ------------------------------------------------------------------------------------ */

static enum protection level_of_target(const struct git_reach *r, const char *path) {
    if (r->last.is_git_part)
        return PROTECT_REFUSE;
    for (size_t i = 0; i < r->last.n; i++)
        if (git_parts_lead_to(&r->trees[r->last.trees[i]].parts, path))
            return PROTECT_DANGEROUS;
    return PROTECT_NONE;
}

/* ROOT/PATH, of which only the first N bytes are taken, as an absolute path. */
static void join_path(const struct root *root, const char *path, size_t n, char *out) {
    memcpy(out, root->path, root->len);
    out[root->len] = '/';
    memcpy(out + root->len + (n > 0), path, n);
    out[root->len + (n > 0) + n] = '\0';
}

enum protection host_git_reaches(struct aqfs_workspace *ws, const struct root *root,
                                 const char *path, const struct node *dir, size_t dir_n,
                                 size_t depth) {
    char directory[2 * (PATH_BYTES_MAX + 1)], target[2 * (PATH_BYTES_MAX + 1)];
    struct git_reach *r = reach_of(ws);
    if (!r)
        return PROTECT_DANGEROUS;
    join_path(root, path, dir_n, directory);
    join_path(root, path, strlen(path), target);
    pthread_mutex_lock(&r->lock);
    enum protection level = ask_about(r, ws, root, directory, dir, depth)
                                ? level_of_target(r, target)
                                : PROTECT_DANGEROUS;
    pthread_mutex_unlock(&r->lock);
    return level;
}

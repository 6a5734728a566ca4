/* protect.c -- names that other programs obey: writing them is dangerous, or refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "protect.h"

#include "folded_name.h"
#include "path.h"
#include "protected_names.h"

#include <string.h>

/* A component of a path and the one above it, both folded. */
struct component {
    char name[FOLDED_NAME_MAX], above[FOLDED_NAME_MAX];
    bool first, last;
};

/* `git~1` is the short (8.3) name of `.git` on FAT and NTFS. */
static bool is_name_of_git(const char *name) {
    return strcmp(name, ".git") == 0 || strcmp(name, "git~1") == 0;
}

static enum protection level_of(const struct component *c) {
    if (is_name_of_git(c->name))
        return c->last ? PROTECT_DANGEROUS : PROTECT_REFUSE;
    return is_protected_name(c->name, c->above, c->first) ? PROTECT_DANGEROUS : PROTECT_NONE;
}

bool protect_is_repository(const char *name, size_t n) {
    char folded[FOLDED_NAME_MAX];
    /* A walk asks this of every name in a tree, and most names fail this cheap test. */
    if (n == 0 || (!strchr(".gG", name[0]) && (unsigned char)name[0] < 0x80))
        return false;
    (void)fold_name(name, n, folded);
    return is_name_of_git(folded);
}

bool protect_is_state(const struct aqfs_workspace *ws, const struct root *root, const char *path) {
    size_t n = ws->state_dir ? strlen(ws->state_dir) : 0;
    if (n <= root->len || memcmp(ws->state_dir, root->path, root->len) != 0 ||
        ws->state_dir[root->len] != '/')
        return false;
    const char *state = ws->state_dir + root->len + 1;
    for (n -= root->len + 1; n > 0 && state[n - 1] == '/';)
        n--;
    return path_is_below(path, strlen(path), state, n);
}

static enum protection stricter(enum protection a, enum protection b) {
    return a > b ? a : b;
}

/* The strictest level of the names in PATH, of which C becomes the last.  MORE: others follow. */
static enum protection level_of_names(struct component *c, const char *path, bool more) {
    enum protection level = PROTECT_NONE;
    for (size_t n; *path; path += n + (path[n] == '/')) {
        n = strcspn(path, "/");
        memcpy(c->above, c->name, sizeof c->above);
        (void)fold_name(path, n, c->name);
        c->last = path[n] == '\0' && !more;
        level = stricter(level, level_of(c));
        c->first = false;
    }
    return level;
}

enum protection protect_level_of_paths(const char *paths, size_t n) {
    enum protection level = PROTECT_NONE;
    for (size_t at = 0; at < n; at += strlen(paths + at) + 1) {
        struct component c = {0};
        level = stricter(level, level_of_names(&c, paths + at, true));
    }
    return level;
}

enum protection protect_level(const struct aqfs_workspace *ws, const struct root *root,
                              const char *path) {
    bool listed = workspace_protects(ws, root, path) || protect_is_state(ws, root, path);
    enum protection level = listed ? PROTECT_DANGEROUS : PROTECT_NONE;
    struct component c = {0};
    level = stricter(level, level_of_names(&c, root->path, *path != '\0'));
    if (root->other_names && *path)
        level = stricter(level, protect_level_of_paths(root->other_names, root->other_names_len));
    c.first = true;
    return stricter(level, level_of_names(&c, path, false));
}

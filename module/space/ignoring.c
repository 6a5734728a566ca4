/* ignoring.c -- which entries a walk leaves out because git ignores them: see ignoring.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignoring.h"

#include "cleanup.h"
#include "ignore.h"
#include "ignore_file.h"

#include <stdlib.h>
#include <string.h>

/* The most that all questions of one walk may cost, some seconds. */
#define WALK_MOST ((size_t)1 << 30)

struct ignore_level {
    struct ignore_level *next; /* in the list of all */
    const struct ignore_level *above;
    struct ignore *git, *own; /* of .gitignore and the exclude file; of .ignore; or NULL */
    size_t skip;              /* where the paths that its rules are about begin */
    bool any;                 /* it or one above it has rules that count */
    bool begins;              /* a repository: git's rules above do not count */
    bool is_ignored;          /* the directory is: nothing in it is left out */
};

static struct ignore_level *add_ignore_level(struct ignoring *i, const struct ignore_level *above,
                                             size_t path_len) {
    struct ignore_level *level = calloc(1, sizeof *level);
    if (!level)
        return NULL;
    level->above = above;
    level->any = above && above->any;
    level->is_ignored = above && above->is_ignored;
    level->skip = path_len > 0 ? path_len + 1 : 0;
    pthread_mutex_lock(&i->lock);
    level->next = i->all;
    i->all = level;
    pthread_mutex_unlock(&i->lock);
    return level;
}

void ignoring_close(struct ignoring *i) {
    while (i->all) {
        struct ignore_level *level = i->all;
        i->all = level->next;
        ignore_free(level->git);
        ignore_free(level->own);
        free(level);
    }
    pthread_mutex_destroy(&i->lock);
}

unsigned ignoring_notice(const char *name, size_t n, enum node_type type) {
    if (n == 4 && memcmp(name, ".git", 4) == 0)
        return type == NODE_FILE || type == NODE_DIRECTORY ? HAS_REPOSITORY : 0;
    if (n == 10 && memcmp(name, ".gitignore", 10) == 0)
        return HAS_GITIGNORE;
    return n == 7 && memcmp(name, ".ignore", 7) == 0 ? HAS_IGNORE : 0;
}

/* -- reading ------------------------------------------------------------------------------------
 */

/* Reads the rules of up to two files of the directory PATH; NULL if there are none.  A file that is
 * too large has none, and the exclude file that git makes is nothing but comments.  False without
 * memory. */
static bool read_rules(struct aqfs_workspace *ws, const struct root *root, const char *path,
                       const char *const names[2], struct ignore **out) {
    AUTO(buf_free) struct buf text = {0};
    for (int i = 0; i < 2; i++)
        if (names[i])
            (void)ignore_file_add(ws, root, path, strlen(path), names[i], &text);
    if (text.failed)
        return false;
    *out = text.len > 0 ? ignore_read(text.data, text.len) : NULL;
    if (!*out)
        return text.len == 0;
    if (ignore_is_empty(*out)) {
        ignore_free(*out);
        *out = NULL;
    }
    return true;
}

/* Of a repository's own file the rules come first, so that a .gitignore overrules them. */
static bool read_ignore_level(struct ignore_level *level, struct aqfs_workspace *ws,
                              const struct root *root, const char *path, unsigned has) {
    const char *const git[] = {has & HAS_REPOSITORY ? ".git/info/exclude" : NULL,
                               has & HAS_GITIGNORE ? ".gitignore" : NULL};
    const char *const own[] = {has & HAS_IGNORE ? ".ignore" : NULL, NULL};
    if (!read_rules(ws, root, path, git, &level->git) ||
        !read_rules(ws, root, path, own, &level->own))
        return false;
    level->any = level->any || level->git || level->own;
    return true;
}

bool ignoring_enter(struct ignoring *i, struct aqfs_workspace *ws, const struct root *root,
                    const char *path, unsigned has, const struct ignore_level *above,
                    const struct ignore_level **out) {
    bool begins = has & HAS_REPOSITORY;
    *out = above;
    if (!has || (above->is_ignored && !begins))
        return true;
    struct ignore_level *level = add_ignore_level(i, above, strlen(path));
    if (!level)
        return false;
    if (begins) {
        level->begins = true;
        level->is_ignored = false;
    }
    *out = level;
    return read_ignore_level(level, ws, root, path, has);
}

/* -- asking -------------------------------------------------------------------------------------
 */

bool ignoring_may(const struct ignore_level *level) {
    return level->any && !level->is_ignored;
}

bool ignoring_leaves_out(const struct ignore_level *level, const char *path, size_t n,
                         bool is_directory, size_t *left) {
    enum ignored says = IGNORE_UNSAID;
    const struct ignore_level *at;
    for (at = level; at && at->any && says == IGNORE_UNSAID; at = at->above)
        says = ignore_says(at->own, path + at->skip, n - at->skip, is_directory, left);
    for (at = level; at && at->any && says == IGNORE_UNSAID; at = at->begins ? NULL : at->above)
        says = ignore_says(at->git, path + at->skip, n - at->skip, is_directory, left);
    return says == IGNORE_IT && *left > 0;
}

void ignoring_spend(struct ignoring *i, size_t cost) {
    size_t left = atomic_load(&i->left), then;
    if (cost == 0)
        return;
    do
        then = cost < left ? left - cost : 0;
    while (!atomic_compare_exchange_weak(&i->left, &left, then));
}

/* -- above the walk -----------------------------------------------------------------------------
 */

static unsigned look_for_rule_files(struct aqfs_workspace *ws, const struct root *root,
                                    const char *path) {
    static const char *const names[] = {".git", ".gitignore", ".ignore"};
    struct node directory;
    struct error e;
    unsigned has = 0;
    if (ws->backend->open(ws, root, path, OPEN_DIRECTORY, &directory, &e))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct info info;
        if (!ws->backend->stat_below(&directory, names[i], &info, &e))
            has |= ignoring_notice(names[i], strlen(names[i]), info.type);
    }
    node_close(&directory);
    return has;
}

/* If the rules above leave out the directory PATH, sets *ABOVE to a level that leaves out nothing.
 * False without memory. */
static bool enter_ignored(struct ignoring *i, const char *path, size_t n,
                          const struct ignore_level **above) {
    size_t left = WALK_MOST;
    if (!ignoring_may(*above) || !ignoring_leaves_out(*above, path, n, true, &left))
        return true;
    struct ignore_level *level = add_ignore_level(i, *above, n);
    *above = level;
    if (level)
        level->is_ignored = true;
    return level;
}

int ignoring_open(struct aqfs_workspace *ws, const struct place *place, struct ignoring *i,
                  struct error *e) {
    char path[PATH_BYTES_MAX + 1] = "";
    *i = (struct ignoring){.left = WALK_MOST};
    pthread_mutex_init(&i->lock, NULL);
    const struct ignore_level *above = add_ignore_level(i, NULL, 0);
    bool memory = above;
    for (size_t n = 0; memory && n < place->len;) {
        unsigned has = look_for_rule_files(ws, place->root, path);
        memory = ignoring_enter(i, ws, place->root, path, has, above, &above);
        size_t from = n > 0 ? n + 1 : 0;
        const char *slash = memchr(place->path + from, '/', place->len - from);
        n = slash ? (size_t)(slash - place->path) : place->len;
        memcpy(path, place->path, n);
        path[n] = '\0';
        memory = memory && enter_ignored(i, path, n, &above);
    }
    i->above = above;
    return memory ? AQFS_OK : fail_memory(e);
}

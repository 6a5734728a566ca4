/* ignored.c -- which targets of a plan git ignores: see ignored.h.
 *
 * The targets are taken in the order of their paths.  So the rules of a directory
 * are read once, and only those of the directories above one target are held.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignored.h"

#include "array.h"
#include "cleanup.h"
#include "ignore.h"
#include "ignore_file.h"

#include <string.h>

/* The cost allowed to all questions of one plan (ignore.h); targets beyond it count as ignored. */
#define QUESTIONS_MOST ((size_t)1 << 28)

/* The rules of a directory above the target. */
struct rules_level {
    struct ignore *rules; /* or NULL */
    size_t path_len;      /* of the directory's path, relative to the root */
    bool ignored;         /* the directory is, or its rules cannot be told */
};

struct ignored_targets {
    struct work *work;
    struct rules_level *levels; /* the root's first */
    size_t n, room;
    const struct change *last; /* the target that they were read for */
    size_t left;               /* of what the questions may cost */
};

static void drop_levels(struct ignored_targets *g, size_t keep) {
    while (g->n > keep)
        ignore_free(g->levels[--g->n].rules);
}

static void ignored_targets_free(struct ignored_targets *g) {
    drop_levels(g, 0);
    free(g->levels);
}

/* -- reading rules ------------------------------------------------------------------------------
 */

/* Of a repository's own file the rules come first, so that a .gitignore overrules them. */
static int read_level(struct ignored_targets *g, const struct place *at,
                      struct rules_level *level) {
    static const char *const names[] = {".git/info/exclude", ".gitignore"};
    AUTO(buf_free) struct buf text = {0};
    for (size_t i = 0; i < 2; i++)
        if (!ignore_file_add(g->work->ws, at->root, at->path, level->path_len, names[i], &text))
            level->ignored = true;
    if (text.failed || (text.len > 0 && !(level->rules = ignore_read(text.data, text.len))))
        return fail_memory(&g->work->error);
    return AQFS_OK;
}

/* -- asking -------------------------------------------------------------------------------------
 */

/* Do the levels ignore the first N bytes of PATH? */
static bool levels_ignore(struct ignored_targets *g, const char *path, size_t n,
                          bool is_directory) {
    for (size_t i = g->n; i-- > 0;) {
        const struct rules_level *level = &g->levels[i];
        size_t skip = level->path_len ? level->path_len + 1 : 0;
        if (level->ignored)
            return true;
        enum ignored says =
            ignore_says(level->rules, path + skip, n - skip, is_directory, &g->left);
        if (g->left == 0)
            return true;
        if (says != IGNORE_UNSAID)
            return says == IGNORE_IT;
    }
    return false;
}

/* Adds the level of the directory that the first N bytes of AT name. */
static int add_level(struct ignored_targets *g, const struct place *at, size_t n) {
    struct rules_level *levels = array_with_room(g->levels, g->n, &g->room, sizeof *levels);
    if (!levels)
        return fail_memory(&g->work->error);
    g->levels = levels;
    /* In a directory that is ignored no rule says otherwise, so its own are not read. */
    struct rules_level level = {.path_len = n};
    level.ignored = levels_ignore(g, at->path, n, true);
    int code = level.ignored ? AQFS_OK : read_level(g, at, &level);
    if (!code)
        g->levels[g->n++] = level;
    return code;
}

/* How many levels of the last target are above AT, too. */
static size_t shared_levels(const struct ignored_targets *g, const struct place *at) {
    size_t n = 0;
    if (!g->last || g->last->at.root != at->root)
        return 0;
    for (size_t len; n < g->n; n++) {
        len = g->levels[n].path_len;
        if (len > 0 && (len >= at->len || at->path[len] != '/' ||
                        memcmp(at->path, g->last->at.path, len) != 0))
            break;
    }
    return n;
}

static int enter_levels(struct ignored_targets *g, const struct change *change) {
    const struct place *at = &change->at;
    const char *slash;
    size_t from = 0;
    int code = AQFS_OK;
    drop_levels(g, shared_levels(g, at));
    g->last = change;
    if (g->n == 0)
        code = add_level(g, at, 0);
    else if (g->levels[g->n - 1].path_len > 0)
        from = g->levels[g->n - 1].path_len + 1;
    while (!code && (slash = memchr(at->path + from, '/', at->len - from))) {
        from = (size_t)(slash - at->path) + 1;
        code = add_level(g, at, from - 1);
    }
    return code;
}

static int compare_changes_by_place(const void *a, const void *b) {
    const struct place *x = &(*(struct change *const *)a)->at;
    const struct place *y = &(*(struct change *const *)b)->at;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    return strcmp(x->path, y->path);
}

int mark_ignored(struct work *work, struct change **changes, size_t n) {
    AUTO(ignored_targets_free) struct ignored_targets g = {.work = work, .left = QUESTIONS_MOST};
    if (n > 1)
        qsort(changes, n, sizeof *changes, compare_changes_by_place);
    for (size_t i = 0; i < n; i++) {
        struct change *change = changes[i];
        int code = budget_check(&work->budget);
        if (code)
            return fail_budget(&work->error, code);
        code = enter_levels(&g, change);
        if (code)
            return code;
        if (levels_ignore(&g, change->at.path, change->at.len, false))
            change->risks |= RISK_IGNORED;
    }
    return AQFS_OK;
}

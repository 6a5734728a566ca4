/* protect.c -- names that other programs obey: writing them is dangerous, or refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "protect.h"

#include "path.h"
#include "protected_names.h"
#include "utf8.h"

#include <string.h>

/* Code points that are not displayed, and with which a name can look like another one. */
static bool is_ignorable(int32_t c) {
    return c == 0xAD || c == 0x34F || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE0FFF);
}

/* Folds letters that some file systems equate with ASCII ones, as they ignore case. */
static char fold_beyond_ascii(int32_t c) {
    if (c == 0x212A) /* Kelvin sign */
        return 'k';
    if (c == 0x17F) /* long s */
        return 's';
    if (c == 0x131 || c == 0x130) /* dotless and dotted i */
        return 'i';
    return '\x01';
}

#define FOLDED 64 /* more than the longest protected name */

/* Writes NAME as a careless file system or reader may take it: case folded, without invisible code
 * points, and without the trailing dots and spaces that some file systems drop.  Only the part
 * before a colon counts: on NTFS `.git::$INDEX_ALLOCATION` is a name of `.git`.  OUT is "" when the
 * name does not fit: no protected name is that long. */
static void fold_component(const char *name, size_t n, char out[FOLDED]) {
    const char *colon = memchr(name, ':', n);
    const size_t end = colon ? (size_t)(colon - name) : n;
    size_t len = 0;
    for (size_t at = 0; at < end;) {
        char folded = name[at];
        if (folded >= 'A' && folded <= 'Z')
            folded = (char)(folded + ('a' - 'A'));
        if ((unsigned char)folded < 0x80 && folded != '\0') {
            at++;
        } else {
            int32_t c;
            at += utf8_decode(name + at, end - at, &c);
            if (is_ignorable(c))
                continue;
            folded = fold_beyond_ascii(c);
        }
        if (len + 1 >= FOLDED) {
            out[0] = '\0';
            return;
        }
        out[len++] = folded;
    }
    while (len > 0 && (out[len - 1] == '.' || out[len - 1] == ' '))
        len--;
    out[len] = '\0';
}

/* A component of a path and the one above it, both folded. */
struct component {
    char name[FOLDED], above[FOLDED];
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
    char folded[FOLDED];
    /* A walk asks this of every name in a tree, and most names fail this cheap test. */
    if (n == 0 || (!strchr(".gG", name[0]) && (unsigned char)name[0] < 0x80))
        return false;
    fold_component(name, n, folded);
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
        fold_component(path, n, c->name);
        c->last = path[n] == '\0' && !more;
        level = stricter(level, level_of(c));
        c->first = false;
    }
    return level;
}

enum protection protect_level(const struct aqfs_workspace *ws, const struct root *root,
                              const char *path) {
    bool listed = workspace_protects(ws, root, path) || protect_is_state(ws, root, path);
    enum protection level = listed ? PROTECT_DANGEROUS : PROTECT_NONE;
    struct component c = {0};
    level = stricter(level, level_of_names(&c, root->path, *path != '\0'));
    c.first = true;
    return stricter(level, level_of_names(&c, path, false));
}

/* walk_link.c -- where the links of a tree that was walked lead to.
 *
 * A search asks this of each link that it shows, and a tree may have thousands.  Most lead to a
 * file beside them, which the walk has seen: that takes no system call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walk_sort.h"

#include "cleanup.h"

#include <string.h>

#define CHAIN_MAX 40 /* as many links as the kernel follows */

static const char *text_of(const struct walk_entry *link) {
    return link->name + link->name_len + 1;
}

/* The component at *TEXT without its slashes, of *N bytes; *TEXT moves behind it. */
static const char *take_component(const char **text, size_t *n) {
    const char *name = *text;
    *n = strcspn(name, "/");
    *text = name + *n + strspn(name + *n, "/");
    return name;
}

/* The entry that TEXT leads to from the directory DIR.  Its entry is NULL where the walk cannot
 * say: the text is absolute, ends in a slash or in dots, leads above the start or through a link,
 * or names something that is not in the tree. */
static struct walk_ref follow_text(const struct walk *w, struct walk_dir *dir, const char *text) {
    bool last = *text == '/' || *text == '\0';
    while (dir && !last) {
        size_t n;
        const char *name = take_component(&text, &n);
        last = *text == '\0';
        if (n <= 2 && memcmp(name, "..", n) == 0) {
            dir = n == 2 ? dir->parent : dir;
            continue;
        }
        struct walk_entry *entry = walk_sort_find(dir, name, n, w->order);
        if (last && name[n] == '\0')
            return (struct walk_ref){dir, entry};
        dir = entry ? entry->dir : NULL;
    }
    return (struct walk_ref){0};
}

const struct walk_entry *walk_find(const struct walk *w, const char *path) {
    return follow_text(w, w->start, path).entry;
}

const struct walk_entry *walk_follow(const struct walk *w, struct walk_ref link) {
    for (int links = 0; links < CHAIN_MAX && link.entry && link.entry->has_text; links++) {
        link = follow_text(w, link.dir, text_of(link.entry));
        if (link.entry && link.entry->type != NODE_SYMLINK)
            return link.entry;
    }
    return NULL;
}

/* Writes the path that REST spells from the directory DIR, as a caller would spell it; false
 * without memory or where a path cannot be so long. */
static bool spell_from(const struct aqfs_workspace *ws, const struct place *start,
                       const struct walk_dir *dir, const char *rest, struct buf *out) {
    char full[PATH_BYTES_MAX + 1];
    AUTO(buf_free) struct buf below = {0}, path = {0};
    if (*rest == '/') {
        buf_str(&path, rest);
    } else if (walk_full_path(start, dir, full)) {
        buf_str(&below, full);
        buf_str(&below, *full ? "/" : "");
        buf_str(&below, rest);
        place_show(ws, start->root, below.data, below.len, &path);
    }
    if (path.failed || below.failed || path.len == 0 || path.len > PATH_BYTES_MAX)
        return false;
    path_show(out, path.data, path.len);
    return !out->failed;
}

enum node_type walk_leads_to(struct aqfs_workspace *ws, const struct place *start,
                             const struct walk *w, struct walk_ref link) {
    const struct walk_entry *entry = link.entry, *target = walk_follow(w, link);
    if (target)
        return target->type;
    AUTO(buf_free) struct buf spelled = {0};
    struct place place;
    struct error e;
    bool by_text = entry->has_text && spell_from(ws, start, link.dir, text_of(entry), &spelled);
    if (!by_text && !spell_from(ws, start, link.dir, entry->name, &spelled))
        return NODE_MISSING;
    struct text_ref path = {spelled.data, spelled.len};
    unsigned flags = by_text ? LOCATE_FROM_LINK : 0;
    return workspace_locate(ws, path, flags, &place, &e) ? NODE_MISSING : place.type;
}

/* snapshot_tree.c -- one directory of a snapshot, as git writes it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_tree.h"

#include "protect.h"

#include <string.h>

#define MODE_DIRECTORY 040000
#define MODE_FILE 0100000
#define MODE_LINK 0120000
#define MODE_TYPES 0170000
#define USUAL_DIRECTORY 0755

int tree_order(const char *a, size_t a_n, bool a_dir, const char *b, size_t b_n, bool b_dir) {
    size_t n = a_n;
    if (b_n < n)
        n = b_n;
    int order = memcmp(a, b, n);
    if (order)
        return order;
    /* The byte behind the part that both share.  A directory's name ends in a slash there. */
    unsigned char x = a_dir ? '/' : 0, y = b_dir ? '/' : 0;
    if (n < a_n)
        x = (unsigned char)a[n];
    if (n < b_n)
        y = (unsigned char)b[n];
    return (x > y) - (x < y);
}

static bool is_directory_entry(const struct tree_entry *entry) {
    return entry->item.kind == ITEM_DIRECTORY;
}

struct tree_entry *tree_find(const struct tree *tree, const char *name, size_t n, bool directory) {
    size_t low = 0, high = tree ? tree->n : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct tree_entry *entry = &tree->entries[middle];
        int order =
            tree_order(entry->name, entry->len, is_directory_entry(entry), name, n, directory);
        if (order == 0)
            return entry;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* -- reading ----------------------------------------------------------------------------------- */

static int fail_tree(struct error *e, const char *what) {
    return fail(e, AQFS_SNAPSHOT, "The snapshot is damaged: %s", what);
}

static const char *read_entry_mode(const char *at, const char *end, uint32_t *out) {
    uint32_t mode = 0;
    const char *start = at;
    while (at < end && *at >= '0' && *at <= '7' && at - start < 7)
        mode = mode << 3 | (uint32_t)(*at++ - '0');
    *out = mode;
    return at < end && *at == ' ' && at > start ? at + 1 : NULL;
}

static bool take_kind(uint32_t mode, struct item *out) {
    uint32_t bits = mode & 07777;
    if ((mode & MODE_TYPES) == MODE_DIRECTORY)
        *out = (struct item){.kind = ITEM_DIRECTORY, .mode = bits ? bits : USUAL_DIRECTORY};
    else if ((mode & MODE_TYPES) == MODE_FILE)
        *out = (struct item){.kind = ITEM_FILE, .mode = bits};
    else if (mode == MODE_LINK)
        *out = (struct item){.kind = ITEM_LINK};
    else
        return false;
    return bits <= 0777;
}

static bool is_name(const char *name, size_t n) {
    if (n == 0 || n > NAME_BYTES_MAX || memchr(name, '/', n))
        return false;
    return !(name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.'))) &&
           !protect_is_repository(name, n);
}

/* One entry; NULL where it is none. */
static const char *read_entry(const char *at, const char *end, struct tree_entry *out) {
    uint32_t mode;
    at = read_entry_mode(at, end, &mode);
    const char *nul = at ? memchr(at, '\0', (size_t)(end - at)) : NULL;
    if (!nul || end - nul <= OID_BYTES || !take_kind(mode, &out->item))
        return NULL;
    out->name = at;
    out->len = (size_t)(nul - at);
    if (!is_name(out->name, out->len))
        return NULL;
    memcpy(out->item.oid.bytes, nul + 1, OID_BYTES);
    return nul + 1 + OID_BYTES;
}

static size_t count_entries(const char *at, const char *end) {
    size_t n = 0;
    for (struct tree_entry entry = {0}; at && at < end; n++)
        at = read_entry(at, end, &entry);
    return n;
}

/* In order, and no name twice, be it as a file and as a directory. */
static bool is_ordered(const struct tree *tree) {
    for (size_t i = 0; i < tree->n; i++) {
        const struct tree_entry *a = i > 0 ? &tree->entries[i - 1] : NULL, *b = &tree->entries[i];
        if (a && tree_order(a->name, a->len, is_directory_entry(a), b->name, b->len,
                            is_directory_entry(b)) >= 0)
            return false;
        if (is_directory_entry(b) && tree_find(tree, b->name, b->len, false))
            return false;
    }
    return true;
}

int tree_read(const char *bytes, size_t n, struct arena *arena, struct tree **out,
              struct error *e) {
    char *copy = arena_string(arena, bytes, n); /* names are in it, NUL and all */
    struct tree *tree = arena_take(arena, sizeof *tree);
    if (!copy || !tree)
        return fail_memory(e);
    const char *at = copy, *end = copy + n;
    *tree = (struct tree){.n = count_entries(at, end)};
    tree->entries = arena_take(arena, tree->n * sizeof *tree->entries + 1);
    if (!tree->entries)
        return fail_memory(e);
    for (size_t i = 0; i < tree->n; i++) {
        tree->entries[i] = (struct tree_entry){0};
        at = read_entry(at, end, &tree->entries[i]);
        if (!at)
            return fail_tree(e, "a directory in it has an entry that cannot be");
    }
    if (!is_ordered(tree))
        return fail_tree(e, "a directory in it is not in order, or names something twice");
    *out = tree;
    return AQFS_OK;
}

/* -- writing ----------------------------------------------------------------------------------- */

static uint32_t written_mode(const struct item *item) {
    if (item->kind == ITEM_LINK)
        return MODE_LINK;
    if (item->kind == ITEM_FILE)
        return MODE_FILE | item->mode;
    return MODE_DIRECTORY | (item->mode == USUAL_DIRECTORY ? 0 : item->mode);
}

void tree_write(const struct tree *tree, struct buf *out) {
    for (size_t i = 0; i < tree->n; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        buf_printf(out, "%o ", written_mode(&entry->item));
        buf_add(out, entry->name, entry->len);
        buf_char(out, '\0');
        buf_add(out, (const char *)entry->item.oid.bytes, OID_BYTES);
    }
}

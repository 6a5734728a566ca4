/* SPDX-License-Identifier: MIT */
/* model.h -- a tree in memory, what each operation ought to make of it, and whether a directory
 * is that tree.
 *
 * It is as simple as can be: a list of paths.  An operation on it answers false, and leaves
 * anything behind, where the real one must fail.
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "../fuzz.h"

#include <stdbool.h>
#include <stddef.h>

enum { ENTRIES_MOST = 96, PATH_MOST = 256, TEXT_MOST = 1024 };

struct entry {
    char path[PATH_MOST];
    bool is_directory;
    size_t n;
    char text[TEXT_MOST];
};

struct model {
    size_t count;
    struct entry entries[ENTRIES_MOST];
};

struct entry *find(struct model *m, const char *path);
struct entry *find_file(struct model *m, const char *path);
bool is_below(const char *path, const char *directory);
void remove_entry(struct model *m, struct entry *entry);

/* The directories above PATH are there, or can be made and are. */
bool make_above(struct model *m, const char *path, bool create);
bool model_write(struct model *m, const char *path, const char *text, size_t n, bool may_replace,
                 bool append, bool create_above);
bool model_edit(struct model *m, const char *path, const char *old, size_t old_n, const char *new,
                size_t new_n);

/* Behind LINE; -1 is behind the last. */
bool model_insert(struct model *m, const char *path, int line, const char *text, size_t n);
bool model_make_directory(struct model *m, const char *path, bool create_above, bool exist_ok);
bool model_delete(struct model *m, const char *path, bool recursive);
bool model_move(struct model *m, const char *from, const char *to, bool overwrite,
                bool create_above);
bool model_copy(struct model *m, const char *from, const char *to, bool overwrite,
                bool create_above);
void check_tree(struct model *m, int root);

#endif

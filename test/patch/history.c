/* SPDX-License-Identifier: MIT */
/* history.c -- history GIT-DIR N: the last N changes of a repository, as git diff-tree writes them,
 * applied to their parents' trees, give the same tree: every path, mode and blob.
 *
 * Changes that are not of text alone must be refused by name, and are not counted.
 */
#include "parts/stream.h"

#include "patch_apply.h"

#include <git2.h>
#include <limits.h>
#include <string.h>

struct entry {
    char *path;
    unsigned mode;
    git_oid id;
};

struct tree {
    struct entry *entries;
    size_t count, room;
};

static git_repository *repository;

/* Trees. */

static void add_entry(struct tree *t, const char *path, unsigned mode, const git_oid *id) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->entries = realloc(t->entries, t->room * sizeof *t->entries);
        if (!t->entries)
            abort();
    }
    t->entries[t->count++] = (struct entry){strdup(path), mode, *id};
}

static int collect(const char *root, const git_tree_entry *entry, void *payload) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s%s", root, git_tree_entry_name(entry));
    if (git_tree_entry_type(entry) != GIT_OBJECT_TREE)
        add_entry(payload, path, (unsigned)git_tree_entry_filemode(entry),
                  git_tree_entry_id(entry));
    return 0;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void sort_tree(struct tree *t) {
    if (t->count > 0)
        qsort(t->entries, t->count, sizeof *t->entries, compare);
}

/* The tree of a commit, or of its parent; empty where there is none. */
static void read_tree(const char *id, bool parent, struct tree *t) {
    char name[ID_LENGTH + 10];
    git_object *object = NULL;
    (void)snprintf(name, sizeof name, "%s%s^{tree}", id, parent ? "^" : "");
    if (git_revparse_single(&object, repository, name) == 0)
        git_tree_walk((git_tree *)object, GIT_TREEWALK_PRE, collect, t);
    git_object_free(object);
    sort_tree(t);
}

static void free_tree(struct tree *t) {
    for (size_t i = 0; i < t->count; i++)
        free(t->entries[i].path);
    free(t->entries);
    *t = (struct tree){0};
}

/* Patches. */

static int apply_file(const struct patch *patch, const struct patch_file *f,
                      const struct entry *from, git_oid *id, struct error *e) {
    git_blob *blob = NULL;
    struct patched out = {0};
    if (from && git_blob_lookup(&blob, repository, &from->id) != 0)
        return fail(e, AQFS_IO, "%s: its blob is missing", from->path);
    const char *text = blob ? git_blob_rawcontent(blob) : "";
    size_t n = blob ? (size_t)git_blob_rawsize(blob) : 0;
    int code = patch_apply(patch, f, text, n, &out, e);
    if (code == AQFS_OK)
        git_odb_hash(id, out.text.data, out.text.len, GIT_OBJECT_BLOB);
    patched_free(&out);
    git_blob_free(blob);
    return code;
}

/* Makes NEW of OLD; the files that a patch takes away lose their path first. */
static int apply_tree(const struct patch *patch, const struct tree *old, struct tree *new,
                      struct error *e) {
    bool *gone = calloc(old->count + 1, sizeof *gone);
    int code = AQFS_OK;
    for (size_t i = 0; i < patch->file_count && code == AQFS_OK; i++) {
        const struct patch_file *f = &patch->files[i];
        const struct entry key = {.path = (char *)f->old_path};
        const struct entry *from =
            f->old_path && old->count > 0
                ? bsearch(&key, old->entries, old->count, sizeof key, compare)
                : NULL;
        git_oid id;
        if (f->old_path && !from)
            code = fail(e, AQFS_NOT_FOUND, "%s is not there", f->old_path);
        if (code == AQFS_OK)
            code = apply_file(patch, f, from, &id, e);
        if (code == AQFS_OK && f->new_path)
            add_entry(new, f->new_path, f->new_mode || !from ? f->new_mode : from->mode, &id);
        if (from && f->action != PATCH_COPY)
            gone[from - old->entries] = true;
    }
    for (size_t i = 0; i < old->count; i++) {
        if (!gone[i])
            add_entry(new, old->entries[i].path, old->entries[i].mode, &old->entries[i].id);
    }
    sort_tree(new);
    free(gone);
    return code;
}

static bool same_trees(const struct tree *a, const struct tree *b, struct error *e) {
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const struct entry *x = &a->entries[i], *y = &b->entries[i];
        if (strcmp(x->path, y->path) != 0 || x->mode != y->mode || !git_oid_equal(&x->id, &y->id))
            return fail(e, AQFS_STALE, "%s differs", x->path) == AQFS_OK;
    }
    return a->count == b->count || fail(e, AQFS_STALE, "files are missing") == AQFS_OK;
}

enum outcome { PASSED, FAILED, REFUSED };

static bool is_refused_by_name(const struct error *e) {
    return strstr(e->message, "binary patches") || strstr(e->message, "symbolic links") ||
           strstr(e->message, "submodules");
}

static enum outcome check(const char *id, const struct buf *text, struct patch *patch) {
    struct tree old = {0}, new = {0}, made = {0};
    struct error e = {0};
    enum outcome outcome = FAILED;
    int code = patch_read(text->data, text->len, PATCH_UNIFIED, patch, &e);
    if (code != AQFS_OK && is_refused_by_name(&e))
        return REFUSED;
    read_tree(id, true, &old);
    read_tree(id, false, &new);
    if (code == AQFS_OK && apply_tree(patch, &old, &made, &e) == AQFS_OK &&
        same_trees(&made, &new, &e))
        outcome = PASSED;
    if (outcome == FAILED)
        printf("FAIL: %s: %s\n", id, e.message);
    free_tree(&old);
    free_tree(&new);
    free_tree(&made);
    return outcome;
}

int main(int argc, char **argv) {
    if (argc != 3 || git_libgit2_init() < 0 ||
        git_repository_open_bare(&repository, argv[1]) != 0) {
        fprintf(stderr, "usage: history GIT-DIR N\n");
        return 2;
    }
    size_t wanted = strtoul(argv[2], NULL, 10), counts[REFUSED + 1] = {0};
    size_t actions[PATCH_COPY + 1] = {0}, modes = 0;
    char command[2 * PATH_MAX], id[ID_LENGTH + 1];
    (void)snprintf(command, sizeof command,
                   "git --git-dir='%s' rev-list --no-merges -n 400 HEAD | git --git-dir='%s' "
                   "diff-tree --stdin --root -r -p -M -C --no-ext-diff --no-textconv",
                   argv[1], argv[1]);
    struct stream s;
    stream_open(&s, command);
    while (stream_next(&s, id)) {
        struct patch patch = {0};
        if (counts[PASSED] + counts[FAILED] < wanted)
            counts[check(id, &s.patch, &patch)]++;
        for (size_t i = 0; i < patch.file_count; i++) {
            const struct patch_file *f = &patch.files[i];
            actions[f->action]++;
            modes += f->old_path && f->new_mode != 0 && f->new_mode != f->old_mode;
        }
        patch_free(&patch);
    }
    stream_close(&s);
    git_repository_free(repository);
    printf("%s: %zu files added, %zu modified, %zu deleted, %zu renamed, %zu copied, %zu modes "
           "changed; %zu changes refused\n",
           argv[1], actions[PATCH_ADD], actions[PATCH_MODIFY], actions[PATCH_DELETE],
           actions[PATCH_RENAME], actions[PATCH_COPY], modes, counts[REFUSED]);
    printf("%zu passed, %zu failed\n", counts[PASSED], counts[FAILED]);
    return counts[FAILED] > 0 || counts[PASSED] == 0;
}

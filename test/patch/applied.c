/* SPDX-License-Identifier: MIT */
/* applied.c -- applied N: what git says is the difference of two random trees, given to
 * apply_patch, makes of a directory with the first the second, and reversed the first again. */
#include "parts/import.h"
#include "parts/operation.h"
#include "parts/stream.h"

#include "files.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- the directory --------------------------------------------------------------------------------
 */

static bool write_file(int root, const struct file *f) {
    char above[256];
    for (const char *slash = f->path; (slash = strchr(slash, '/')); slash++) {
        (void)snprintf(above, sizeof above, "%.*s", (int)(slash - f->path), f->path);
        (void)mkdirat(root, above, 0755);
    }
    int fd = openat(root, f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, f->mode & 0777);
    bool ok = fd >= 0 && write(fd, f->text.data, f->text.len) == (ssize_t)f->text.len;
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static bool is_file(int root, const struct file *f) {
    struct stat s;
    char *text = malloc(f->text.len + 1);
    int fd = openat(root, f->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = text && fd >= 0 && fstat(fd, &s) == 0 && (s.st_mode & 0777) == (f->mode & 0777) &&
              read(fd, text, f->text.len + 1) == (ssize_t)f->text.len &&
              memcmp(text, f->text.data, f->text.len) == 0;
    if (fd >= 0)
        (void)close(fd);
    free(text);
    return ok;
}

static size_t found;

static int count_file(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)path, (void)s, (void)where;
    found += type != FTW_D && type != FTW_DP;
    return 0;
}

/* Directories that a deletion empties stay: git knows of none. */
static bool is_tree(const struct operation *o, int root, const struct tree *t) {
    for (size_t i = 0; i < t->count; i++)
        if (!is_file(root, &t->files[i]))
            return false;
    found = 0;
    (void)nftw(o->project, count_file, 16, FTW_PHYS);
    return found == t->count;
}

/* -- patches --------------------------------------------------------------------------------------
 */

static void open_patches(struct stream *s, const char *git_dir, const char *options) {
    char command[800], id[ID_LENGTH + 1];
    (void)snprintf(command, sizeof command,
                   "git --git-dir=%s rev-list --reverse main | git --git-dir=%s diff-tree --stdin "
                   "--always -r -p %s",
                   git_dir, git_dir, options);
    stream_open(s, command);
    (void)stream_next(s, id); /* the first has no tree before it */
}

static bool apply(struct operation *o, int root, const struct buf *patch, const struct tree *new,
                  const char *what) {
    bool same = patch->len == 0 || operation_apply(o, patch);
    if (same && is_tree(o, root, new))
        return true;
    printf("FAIL: %s: %s\n%.*s\n", what, same ? "another tree" : o->message, (int)patch->len,
           patch->data);
    return false;
}

/* There, back and there again; what fails stops the rest, which starts from it. */
static size_t run(struct operation *o, const char *git_dir, const struct tree *trees,
                  size_t count) {
    struct stream there, back;
    char id[ID_LENGTH + 1];
    size_t i = 1;
    bool ok = true;
    int root = open(o->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t k = 0; k < trees[0].count; k++)
        ok = write_file(root, &trees[0].files[k]) && ok;
    open_patches(&there, git_dir, "-M -C");
    open_patches(&back, git_dir, "-R -M -U1");
    while (ok && i < count && stream_next(&there, id) && stream_next(&back, id)) {
        ok = apply(o, root, &there.patch, &trees[i], "there") &&
             apply(o, root, &back.patch, &trees[i - 1], "back") &&
             apply(o, root, &there.patch, &trees[i], "there again");
        i += ok;
    }
    while (stream_next(&there, id) || stream_next(&back, id))
        ;
    stream_close(&there);
    stream_close(&back);
    (void)close(root);
    return i - 1;
}

int main(int argc, char **argv) {
    size_t count = (argc > 1 ? strtoul(argv[1], NULL, 10) : 500) + 1;
    struct tree *trees = calloc(count, sizeof *trees);
    struct operation o = {0};
    char git_dir[220];
    (void)umask(022);
    if (!trees)
        return 2;
    operation_start(&o);
    only_utf8 = true;
    next_tree(&trees[0], &trees[0]);
    for (size_t i = 1; i < count; i++)
        next_tree(&trees[i - 1], &trees[i]);
    (void)snprintf(git_dir, sizeof git_dir, "%s/git", o.base);
    write_history(git_dir, trees, count);
    size_t passed = run(&o, git_dir, trees, count);
    printf("%zu differences through apply_patch: there, back and there again\n", passed);
    printf("%zu passed, %zu failed\n", passed, count - 1 - passed);
    for (size_t i = 0; i < count; i++)
        free_tree(&trees[i]);
    free(trees);
    operation_end(&o);
    return passed != count - 1;
}

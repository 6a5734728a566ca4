/* SPDX-License-Identifier: MIT */
/* model.c -- a tree in memory, what each operation ought to make of it, and whether a directory:
 * see model.h. */
#include "model.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- looking ---------------------------------------------------------------------------------- */

struct entry *find(struct model *m, const char *path) {
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->entries[i].path, path) == 0)
            return &m->entries[i];
    return NULL;
}

struct entry *find_file(struct model *m, const char *path) {
    struct entry *entry = find(m, path);
    return entry && !entry->is_directory ? entry : NULL;
}

bool is_below(const char *path, const char *directory) {
    size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && path[n] == '/';
}

/* -- changing --------------------------------------------------------------------------------- */

static struct entry *add(struct model *m, const char *path, bool is_directory) {
    PROMISE(m->count < ENTRIES_MOST && strlen(path) < PATH_MOST);
    struct entry *entry = &m->entries[m->count++];
    snprintf(entry->path, sizeof entry->path, "%s", path);
    entry->is_directory = is_directory;
    entry->n = 0;
    return entry;
}

static void set_text(struct entry *entry, const char *text, size_t n) {
    PROMISE(n <= TEXT_MOST);
    memcpy(entry->text, text, n);
    entry->n = n;
}

void remove_entry(struct model *m, struct entry *entry) {
    *entry = m->entries[--m->count];
}

static void remove_tree(struct model *m, const char *path) {
    for (size_t i = m->count; i-- > 0;)
        if (strcmp(m->entries[i].path, path) == 0 || is_below(m->entries[i].path, path))
            remove_entry(m, &m->entries[i]);
}

bool make_above(struct model *m, const char *path, bool create) {
    char above[PATH_MOST];
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        memcpy(above, path, (size_t)(slash - path));
        above[slash - path] = '\0';
        const struct entry *entry = find(m, above);
        if (entry ? !entry->is_directory : !create)
            return false;
        if (!entry)
            add(m, above, true);
    }
    return true;
}

bool model_write(struct model *m, const char *path, const char *text, size_t n, bool may_replace,
                 bool append, bool create_above) {
    struct entry *entry = find(m, path);
    if (entry && (entry->is_directory || !may_replace))
        return false;
    if (!entry && !make_above(m, path, create_above))
        return false;
    if (!entry)
        entry = add(m, path, false);
    if (!append)
        entry->n = 0;
    PROMISE(entry->n + n <= TEXT_MOST);
    memcpy(entry->text + entry->n, text, n);
    entry->n += n;
    return true;
}

bool model_edit(struct model *m, const char *path, const char *old, size_t old_n, const char *new,
                size_t new_n) {
    struct entry *entry = find_file(m, path);
    size_t matches = 0, at = 0;
    if (!entry || old_n == 0 || (old_n == new_n && memcmp(old, new, old_n) == 0))
        return false;
    for (size_t i = 0; i + old_n <= entry->n; i++) {
        if (memcmp(entry->text + i, old, old_n) != 0)
            continue;
        matches++;
        at = i;
    }
    if (matches != 1)
        return false;
    PROMISE(entry->n - old_n + new_n <= TEXT_MOST);
    memmove(entry->text + at + new_n, entry->text + at + old_n, entry->n - at - old_n);
    memcpy(entry->text + at, new, new_n);
    entry->n += new_n - old_n;
    return true;
}

bool model_insert(struct model *m, const char *path, int line, const char *text, size_t n) {
    struct entry *entry = find_file(m, path);
    char whole[2 * TEXT_MOST];
    size_t at = 0, len = 0;
    if (!entry || n == 0)
        return false;
    for (int i = 0; line == -1 ? at < entry->n : i < line; i++) {
        if (at == entry->n)
            return false;
        const char *newline = memchr(entry->text + at, '\n', entry->n - at);
        at = newline ? (size_t)(newline + 1 - entry->text) : entry->n;
    }
    bool joins = at > 0 && entry->text[at - 1] != '\n';
    memcpy(whole, entry->text, at);
    len = at;
    if (joins)
        whole[len++] = '\n';
    memcpy(whole + len, text, n);
    len += n;
    if (text[n - 1] != '\n' && entry->n > 0 && !joins)
        whole[len++] = '\n';
    memcpy(whole + len, entry->text + at, entry->n - at);
    set_text(entry, whole, len + entry->n - at);
    return true;
}

bool model_make_directory(struct model *m, const char *path, bool create_above, bool exist_ok) {
    const struct entry *entry = find(m, path);
    if (entry)
        return entry->is_directory && exist_ok;
    if (!make_above(m, path, create_above))
        return false;
    add(m, path, true);
    return true;
}

bool model_delete(struct model *m, const char *path, bool recursive) {
    const struct entry *entry = find(m, path);
    if (!entry || (entry->is_directory && !recursive))
        return false;
    remove_tree(m, path);
    return true;
}

/* Is the destination free, or may it be replaced?  Then the directories above it are made. */
static bool prepare_destination(struct model *m, const char *from, const char *to, bool overwrite,
                                bool create_above) {
    struct entry *entry = find(m, to);
    if (strcmp(from, to) == 0 || is_below(to, from) || (entry && entry->is_directory) ||
        (entry && !overwrite))
        return false;
    if (entry)
        remove_entry(m, entry);
    return make_above(m, to, create_above);
}

bool model_move(struct model *m, const char *from, const char *to, bool overwrite,
                bool create_above) {
    size_t from_n = strlen(from), to_n = strlen(to);
    if (!find(m, from) || !prepare_destination(m, from, to, overwrite, create_above))
        return false;
    for (size_t i = 0; i < m->count; i++) {
        char *path = m->entries[i].path;
        if (strcmp(path, from) != 0 && !is_below(path, from))
            continue;
        PROMISE(strlen(path) - from_n + to_n < PATH_MOST);
        memmove(path + to_n, path + from_n, strlen(path) - from_n + 1);
        memcpy(path, to, to_n);
    }
    return true;
}

bool model_copy(struct model *m, const char *from, const char *to, bool overwrite,
                bool create_above) {
    if (!find_file(m, from) || !prepare_destination(m, from, to, overwrite, create_above))
        return false;
    const struct entry *source = find_file(m, from);
    set_text(add(m, to, false), source->text, source->n);
    return true;
}

/* -- comparing -------------------------------------------------------------------------------- */

static void check_file(int dir, const char *name, const struct entry *entry) {
    char text[TEXT_MOST + 1];
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    PROMISE(fd >= 0);
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    PROMISE(n == (ssize_t)entry->n && memcmp(text, entry->text, entry->n) == 0);
}

/* How many entries there are below DIR, each of them as the model says.  A temporary file that was
 * left behind is one that the model does not have. */
static size_t check_directory(struct model *m, int dir, const char *prefix) {
    size_t count = 0;
    int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    PROMISE(stream);
    for (const struct dirent *d; (d = readdir(stream));) {
        char path[PATH_MOST + 256], inside[PATH_MOST + 257];
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s%s", prefix, d->d_name);
        const struct entry *entry = find(m, path);
        if (!entry)
            fprintf(stderr, "%s is not in the model\n", path);
        PROMISE(entry && (d->d_type == DT_DIR) == entry->is_directory);
        count++;
        if (!entry->is_directory) {
            check_file(dir, d->d_name, entry);
            continue;
        }
        int below = openat(dir, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        PROMISE(below >= 0);
        snprintf(inside, sizeof inside, "%s/", path);
        count += check_directory(m, below, inside);
        close(below);
    }
    closedir(stream);
    return count;
}

void check_tree(struct model *m, int root) {
    PROMISE(check_directory(m, root, "") == m->count);
}

/* files.c -- making files and directories for a test: see files.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "files.h"

#include "buf.h"
#include "die.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_of(const char *format, ...) {
    char *path = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&path, format, args);
    va_end(args);
    must(n >= 0, "memory");
    return path;
}

/* -- making ----------------------------------------------------------------------------------- */

void make_parents(const char *path) {
    char *copy = path_of("%s", path);
    for (char *slash = copy; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        (void)mkdir(copy, 0755);
    }
    free(copy);
}

void make_directory(const char *path) {
    make_parents(path);
    must(mkdir(path, 0755) == 0 || errno == EEXIST, path);
}

static void write_bytes(int fd, const char *path, const char *bytes, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t wrote = write(fd, bytes + done, n - done);
        must(wrote > 0, path);
        done += (size_t)wrote;
    }
    must(close(fd) == 0, path);
}

static int open_to_write(const char *path) {
    make_parents(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    must(fd >= 0, path);
    return fd;
}

void make_bytes(const char *path, const void *bytes, size_t n) {
    write_bytes(open_to_write(path), path, bytes, n);
}

void make_file(const char *path, const char *text) {
    make_bytes(path, text, strlen(text));
}

void make_file_as(const char *path, const char *text, mode_t mode) {
    int fd = open_to_write(path);
    must(fchmod(fd, mode) == 0, path);
    write_bytes(fd, path, text, strlen(text));
}

void make_link(const char *path, const char *target) {
    make_parents(path);
    must(symlink(target, path) == 0, path);
}

void make_second_name(const char *path, const char *other) {
    must(link(path, other) == 0, other);
}

void make_repository(const char *path) {
    char *head = path_of("%s/HEAD", path), *objects = path_of("%s/objects", path),
         *refs = path_of("%s/refs", path);
    make_file(head, "ref: refs/heads/main\n");
    make_directory(objects);
    make_directory(refs);
    free(head);
    free(objects);
    free(refs);
}

void make_worktree_store(const char *store) {
    char *head = path_of("%s/HEAD", store), *common = path_of("%s/commondir", store);
    make_file(head, "ref: refs/heads/w\n");
    make_file(common, "../..\n");
    free(head);
    free(common);
}

const char *temporary_place(void) {
    const char *given = getenv("TMPDIR");
    return given ? given : "/tmp";
}

char *make_temporary_in(const char *place, const char *prefix) {
    char *made = path_of("%s/%s-XXXXXX", place, prefix);
    char *real = mkdtemp(made) ? realpath(made, NULL) : NULL;
    must(real != NULL, made);
    free(made);
    return real;
}

char *make_temporary(const char *prefix) {
    bool memory = access("/dev/shm", W_OK | X_OK) == 0;
    return make_temporary_in(memory ? "/dev/shm" : temporary_place(), prefix);
}

/* -- removing and copying --------------------------------------------------------------------- */

/* Works with descriptors, so that a tree may be deeper than the longest path; holds one at a time.
 */
static void remove_below(int directory) {
    DIR *stream = fdopendir(directory);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream)) != NULL) { // cppcheck-suppress readdirCalled
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            unlinkat(dirfd(stream), name, 0) == 0)
            continue;
        if (unlinkat(dirfd(stream), name, AT_REMOVEDIR) == 0 ||
            fchmodat(dirfd(stream), name, 0700, 0) != 0)
            continue;
        int below = openat(dirfd(stream), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            remove_below(below);
        (void)unlinkat(dirfd(stream), name, AT_REMOVEDIR);
    }
    if (stream)
        closedir(stream);
}

void remove_all(const char *path) {
    if (unlink(path) == 0)
        return;
    (void)chmod(path, 0700);
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0)
        remove_below(directory);
    (void)rmdir(path);
}

void copy_tree(const char *from, const char *to) {
    char *command = path_of("cp -a '%s' '%s'", from, to);
    must(system(command) == 0, command); // NOLINT(cert-env33-c): a test, not the core
    free(command);
}

/* -- looking ---------------------------------------------------------------------------------- */

const char *text_of(const char *path) {
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (!file)
        return "(none)";
    (void)fclose(file);
    return text;
}

void read_whole(const char *path, struct buf *out) {
    FILE *file = fopen(path, "rb");
    must(file != NULL, path);
    for (size_t got = 1; got > 0; out->len += got) {
        must(buf_reserve(out, 65536), "memory");
        got = fread(out->data + out->len, 1, 65536, file);
    }
    (void)fclose(file);
}

static int bytewise(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_named(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

struct names names_below(const char *directory) {
    struct dirent **entries = NULL;
    int n = scandir(directory, &entries, is_named, bytewise);
    struct names found = {.n = n > 0 ? (size_t)n : 0};
    found.names = calloc(found.n + 1, sizeof *found.names);
    if (!found.names)
        die("no memory");
    for (size_t i = 0; i < found.n; i++) {
        found.names[i] = path_of("%s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return found;
}

void free_names(struct names *names) {
    for (size_t i = 0; i < names->n; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct names){0};
}

static int count_names(const char *directory) {
    struct names names = names_below(directory);
    int n = (int)names.n;
    free_names(&names);
    return n;
}

int open_descriptors(void) {
    return count_names("/proc/self/fd");
}

int running_threads(void) {
    return count_names("/proc/self/task");
}

/* picture.c -- everything below a path, as a text: see picture.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "picture.h"

#include "die.h"
#include "files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A picture is a C string: a NUL would hide all that comes behind it. */
static void add_bytes(FILE *out, const char *bytes, size_t n) {
    for (const char *nul; (nul = memchr(bytes, '\0', n)) != NULL;) {
        (void)fwrite(bytes, 1, (size_t)(nul - bytes), out);
        (void)fputs("\\0", out);
        n -= (size_t)(nul + 1 - bytes);
        bytes = nul + 1;
    }
    (void)fwrite(bytes, 1, n, out);
}

static void add_attributes(FILE *out, const char *path) {
    char names[512], value[512];
    ssize_t n = llistxattr(path, names, sizeof names);
    for (char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
        ssize_t size = lgetxattr(path, name, value, sizeof value);
        (void)fprintf(out, " %s=", name);
        if (size > 0)
            add_bytes(out, value, (size_t)size);
    }
}

static void add_content(FILE *out, const char *path, const struct stat *s) {
    char block[4096];
    if (S_ISLNK(s->st_mode)) {
        ssize_t n = readlink(path, block, sizeof block);
        must(n >= 0, path);
        add_bytes(out, block, (size_t)n);
    } else if (S_ISREG(s->st_mode)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        must(fd >= 0, path);
        for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
            add_bytes(out, block, (size_t)n);
        close(fd);
    }
}

static void add_tree(FILE *out, const char *path, bool times, bool temporaries) {
    struct stat s;
    must(lstat(path, &s) == 0, path);
    (void)fprintf(out, "%s %o %u:%u", path, s.st_mode, s.st_uid, s.st_gid);
    if (times)
        (void)fprintf(out, " %llu %lld.%09ld", (unsigned long long)s.st_ino,
                      (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    add_attributes(out, path);
    (void)fputc('\n', out);
    add_content(out, path, &s);
    (void)fputc('\n', out);
    struct names names = S_ISDIR(s.st_mode) ? names_below(path) : (struct names){0};
    for (size_t i = 0; i < names.n; i++) {
        char *below = path_of("%s/%s", path, names.names[i]);
        if (temporaries || strncmp(names.names[i], ".aqfs-", 6) != 0)
            add_tree(out, below, times, temporaries);
        free(below);
    }
    free_names(&names);
}

char *picture_of(const char *path, bool times, bool temporaries) {
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        die("no memory");
    add_tree(out, path, times, temporaries);
    must(fclose(out) == 0 && text, "memory");
    return text;
}

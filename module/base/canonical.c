/* canonical.c -- a path without links.
 *
 * SPDX-License-Identifier: MIT
 */
#include "canonical.h"

#include "buf.h"
#include "cleanup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_FOLLOWED 40 /* as many as the kernel follows */

struct canonical_walk {
    struct buf at;   /* canonical, and without a slash at the end: "" is the root */
    struct buf rest; /* what is to be walked from there */
    int links;
};

static void cut_walk(struct buf *at, size_t n) {
    at->len = n;
    at->data[n] = '\0';
}

static int error_of_memory(const struct buf *b) {
    return b->failed ? ENOMEM : 0;
}

/* 0 if a directory is at AT. */
static int error_of_directory(struct buf *at) {
    struct stat s;
    size_t n = at->len;
    buf_char(at, '/');
    if (at->failed)
        return ENOMEM;
    int error = stat(at->data, &s) == 0 ? 0 : errno;
    cut_walk(at, n);
    return error;
}

/* Puts TEXT, what the link at w->at holds, before the rest from its byte GONE on; the link itself
 * was added behind the first PARENT bytes. */
static int walk_into_link(struct canonical_walk *w, const char *text, size_t parent, size_t gone) {
    AUTO(buf_free) struct buf rest = {0};
    if (++w->links > LINKS_FOLLOWED)
        return ELOOP;
    buf_str(&rest, text);
    buf_str(&rest, w->rest.data + gone);
    buf_clear(&w->rest);
    buf_add(&w->rest, rest.data, rest.len);
    w->rest.failed = w->rest.failed || rest.failed;
    cut_walk(&w->at, text[0] == '/' ? 0 : parent);
    return error_of_memory(&w->rest);
}

/* Goes to the entry with the N bytes at NAME; *NEXT is where the rest goes on. */
static int walk_to_entry(struct canonical_walk *w, const char *name, size_t n, size_t *next) {
    char text[PATH_MAX];
    size_t parent = w->at.len, gone = (size_t)(name + n - w->rest.data);
    buf_str(&w->at, "/");
    buf_add(&w->at, name, n);
    if (w->at.failed)
        return ENOMEM;
    ssize_t got = readlink(w->at.data, text, sizeof text);
    if (got == (ssize_t)sizeof text)
        return ENAMETOOLONG;
    *next = gone;
    if (got < 0)
        return errno != EINVAL ? errno : w->rest.data[gone] ? error_of_directory(&w->at) : 0;
    text[got] = '\0';
    *next = 0;
    return walk_into_link(w, text, parent, gone);
}

/* All but a link was checked to be a directory when it was gone to. */
static int walk_all_names(struct canonical_walk *w) {
    int error = error_of_memory(&w->rest);
    for (size_t next = 0; !error;) {
        const char *name = w->rest.data + next + strspn(w->rest.data + next, "/");
        size_t n = strcspn(name, "/");
        next = (size_t)(name + n - w->rest.data);
        if (n == 0)
            return 0;
        if (n == 2 && memcmp(name, "..", 2) == 0)
            cut_walk(&w->at, w->at.len ? (size_t)(strrchr(w->at.data, '/') - w->at.data) : 0);
        else if (n != 1 || name[0] != '.')
            error = walk_to_entry(w, name, n, &next);
    }
    return error;
}

/* Begins at the current directory, whose path is canonical, or at the root. */
static int start_walk(struct canonical_walk *w, const char *path) {
    AUTO_FREE char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    buf_str(&w->rest, path);
    buf_str(&w->at, "");
    if (path[0] != '/' && !here)
        return errno;
    if (here && here[0] != '/')
        return ENOENT; /* the kernel tells of a directory that no path leads to */
    if (here && here[1])
        buf_str(&w->at, here);
    return error_of_memory(&w->at);
}

static char *walk_canonical(const char *path) {
    struct canonical_walk w = {0};
    int error = start_walk(&w, path);
    error = error ? error : walk_all_names(&w);
    if (!error && w.at.len == 0)
        buf_str(&w.at, "/");
    error = error ? error : error_of_memory(&w.at);
    buf_free(&w.rest);
    if (error)
        buf_free(&w.at);
    errno = error ? error : errno;
    return w.at.data;
}

char *canonical_path(const char *path) {
    char *real = realpath(path, NULL);
    return real || errno != EPERM ? real : walk_canonical(path);
}

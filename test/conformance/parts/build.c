/* SPDX-License-Identifier: MIT */
/* build.c -- the tree before a case, made from what the case says: see build.h. */
#include "build.h"

#include "die.h"
#include "files.h"
#include "hash.h"
#include "path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/* -- building, in the current directory ------------------------------------------------------- */

void must_build(const struct builder *b, bool done, const char *path) {
    if (!done)
        die("line %d: %.200s: %s", b->line, path, strerror(errno));
}

static void make_sparse(const struct builder *b, const char *path, long long size) {
    make_file(path, "");
    must_build(b, truncate(path, size) == 0, path);
}

static void make_socket(const struct builder *b, const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must_build(b, fd >= 0 && strlen(path) < sizeof name.sun_path, path);
    strcpy(name.sun_path, path); // NOLINT(clang-analyzer-security*): its length was just looked at
    must_build(b, bind(fd, (struct sockaddr *)&name, sizeof name) == 0, path);
    close(fd);
}

static void set_mtime(const struct builder *b, const char *path, long long seconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds}};
    must_build(b, utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0, path);
}

/* Removes what is at PATH: in the tree after, an entry takes the place of what was there. */
static void make_gone(const char *path) {
    if (unlink(path) != 0 && errno == EISDIR)
        (void)rmdir(path);
}

static void make_files(const struct builder *b, const struct datum *entry, const char *prefix) {
    struct buf content = {0}, name = {0};
    if (entry->n > 4)
        add_text(&content, entry->items[4], b->base);
    for (long i = atol(entry->items[2]->text); i <= atol(entry->items[3]->text); i++) {
        buf_clear(&name);
        buf_printf(&name, "%s%ld", prefix, i);
        make_bytes(name.data, content.data, content.len);
    }
    buf_free(&name);
    buf_free(&content);
}

/* PREFIX1 leads to PREFIX2, and so on; the last one to TARGET. */
static void make_chain(const struct builder *b, const char *prefix, long links,
                       const char *target) {
    const char *base = path_basename(prefix);
    struct buf from = {0}, to = {0};
    for (long i = 1; i <= links; i++) {
        buf_clear(&from);
        buf_clear(&to);
        buf_printf(&from, "%s%ld", prefix, i);
        buf_printf(&to, i < links ? "%s%ld" : "%s", i < links ? base : target, i + 1);
        must_build(b, symlink(to.data, from.data) == 0, from.data);
    }
    buf_free(&from);
    buf_free(&to);
}

static const char *entry_word(const struct datum *entry, size_t i) {
    return i < entry->n ? entry->items[i]->text : "";
}

static void make_named(const struct builder *b, const struct datum *e, const char *path) {
    struct buf text = {0};
    buf_str(&text, "");
    bool has_text =
        is_form(e, "file") || is_form(e, "link") || is_form(e, "hardlink") || is_form(e, "move");
    if (e->n > (is_form(e, "chain") ? 3 : 2) && (has_text || is_form(e, "chain")))
        add_text(&text, e->items[is_form(e, "chain") ? 3 : 2], b->base);
    if (is_form(e, "dir"))
        must_build(b, mkdir(path, 0755) == 0 || errno == EEXIST, path);
    else if (is_form(e, "file"))
        make_bytes(path, text.data, text.len);
    else if (is_form(e, "link"))
        must_build(b, symlink(text.data, path) == 0, path);
    else if (is_form(e, "move"))
        must_build(b, rename(path, text.data) == 0, path);
    else if (is_form(e, "hardlink"))
        must_build(b, link(text.data, path) == 0, path);
    else if (is_form(e, "fifo"))
        must_build(b, mkfifo(path, 0644) == 0, path);
    else if (is_form(e, "socket"))
        make_socket(b, path);
    else if (is_form(e, "device"))
        must_build(b, mknod(path, S_IFCHR | 0666, makedev(1, 3)) == 0, path);
    else if (is_form(e, "sparse"))
        make_sparse(b, path, atoll(entry_word(e, 2)));
    else if (is_form(e, "files"))
        make_files(b, e, path);
    else if (is_form(e, "chain"))
        make_chain(b, path, atol(entry_word(e, 2)), text.data);
    else if (is_form(e, "mode"))
        must_build(b, chmod(path, (mode_t)strtol(entry_word(e, 2), NULL, 8)) == 0, path);
    else if (is_form(e, "mtime"))
        set_mtime(b, path, atoll(entry_word(e, 2)));
    else if (!is_form(e, "gone") && !is_form(e, "free"))
        die("line %d: not an entry of a tree", e->line);
    buf_free(&text);
}

void build_entries(struct builder *b, const struct datum *list, size_t from, bool replace) {
    for (size_t i = from; list && i < list->n; i++) {
        const struct datum *e = list->items[i];
        if (e->kind == DATUM_WORD) {
            build_entries(b, table_definition(b->table, e), 2, replace);
            continue;
        }
        if (e->kind != DATUM_LIST || e->n < 2)
            die("line %d: not an entry of a tree", e->line);
        struct buf path = {0};
        b->line = e->line;
        add_text(&path, e->items[1], b->base);
        if (path.len == 0)
            die("line %d: an entry needs a path", e->line);
        make_parents(path.data);
        bool changes =
            is_form(e, "mode") || is_form(e, "mtime") || is_form(e, "move") || is_form(e, "free");
        if (is_form(e, "gone") || (replace && !changes))
            make_gone(path.data);
        make_named(b, e, path.data);
        buf_free(&path);
    }
}

void build_glob_files(const struct builder *b, const struct datum *form) {
    for (size_t list = 3; list <= 4 && list < form->n; list++) {
        for (size_t i = 0; i < form->items[list]->n; i++) {
            struct buf path = {0};
            add_text(&path, form->items[list]->items[i], b->base);
            make_file(path.data, "");
            buf_free(&path);
        }
    }
}

void build_tree(const struct table *t, const struct test_case *c, const char *directory,
                const char *base, bool after) {
    struct builder b = {.table = t, .base = base};
    must_build(&b, mkdir(directory, 0755) == 0 && chdir(directory) == 0, directory);
    must_build(&b, mkdir("project", 0755) == 0 && chdir("project") == 0, "project");
    if (is_form(c->form, "glob"))
        build_glob_files(&b, c->form);
    build_entries(&b, case_clause(c, "tree"), 1, false);
    if (after) {
        build_entries(&b, case_clause(c, "meanwhile"), 1, true);
        build_entries(&b, case_clause(c, "after"), 1, true);
    }
    must_build(&b, chdir("/") == 0, "/");
}

void disturb_tree(const struct table *t, const struct test_case *c, const char *directory) {
    struct builder b = {.table = t, .base = directory};
    char *project = path_of("%s/project", directory);
    must_build(&b, chdir(project) == 0, project);
    build_entries(&b, case_clause(c, "meanwhile"), 1, true);
    must_build(&b, chdir("/") == 0, "/");
    free(project);
}

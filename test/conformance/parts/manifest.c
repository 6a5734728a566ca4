/* SPDX-License-Identifier: MIT */
/* manifest.c -- what a tree is, as lines that can be compared, and whether it is the same
 * afterwards: see manifest.h. */
#include "manifest.h"

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

/* -- what a tree is --------------------------------------------------------------------------- */

#define HASHED_BYTES (4 << 20)

static void add_content(struct buf *out, const char *path) {
    static char bytes[HASHED_BYTES];
    char hex[HASH_HEX];
    struct hash h;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    hash_start(&h);
    hash_add(&h, bytes, n > 0 ? (size_t)n : 0);
    hash_end(&h, hex);
    buf_str(out, n < 0 ? "unreadable" : hex);
    if (fd >= 0)
        close(fd);
}

static void add_target(struct buf *out, const char *path) {
    char target[PATH_BYTES_MAX + 1];
    ssize_t n = readlink(path, target, sizeof target);
    path_show_safe(out, target, n > 0 ? (size_t)n : 0);
}

static void describe(struct buf *out, const char *shown, const char *path, const struct stat *s) {
    path_show_safe(out, shown, strlen(shown));
    buf_printf(out, "\t%06o %d:%d links %d ", s->st_mode, (int)s->st_uid, (int)s->st_gid,
               (int)s->st_nlink);
    if (S_ISREG(s->st_mode))
        buf_printf(out, "size %lld ", (long long)s->st_size);
    if (S_ISREG(s->st_mode))
        add_content(out, path);
    if (S_ISLNK(s->st_mode))
        add_target(out, path);
    buf_printf(out, "\t%lld.%09ld", (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec);
}

void manifest_take(struct manifest *m, char *line) {
    if ((m->n & (m->n - 1)) == 0)
        m->lines = realloc(m->lines, (m->n ? 2 * m->n : 1) * sizeof *m->lines);
    if (!m->lines || !line)
        die("out of memory");
    m->lines[m->n++] = line;
}

static void scan(struct manifest *m, const char *path, size_t base_n) {
    struct stat s;
    struct buf line = {0};
    if (lstat(path, &s) != 0)
        die("%.200s: %s", path, strerror(errno));
    mode_t open_mode = S_ISDIR(s.st_mode) ? 0700 : 0400;
    bool locked = !S_ISLNK(s.st_mode) && (s.st_mode & open_mode) != open_mode &&
                  chmod(path, s.st_mode | open_mode) == 0;
    describe(&line, path + base_n, path, &s);
    manifest_take(m, line.data);
    struct names names = S_ISDIR(s.st_mode) ? names_below(path) : (struct names){0};
    for (size_t i = 0; i < names.n; i++) {
        char *below = path_of("%s/%s", path, names.names[i]);
        scan(m, below, base_n);
        free(below);
    }
    free_names(&names);
    if (locked)
        (void)chmod(path, s.st_mode);
}

int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct manifest manifest_of(const char *directory) {
    struct manifest m = {0};
    scan(&m, directory, strlen(directory));
    qsort(m.lines, m.n, sizeof *m.lines, compare_lines);
    return m;
}

void manifest_free(struct manifest *m) {
    for (size_t i = 0; i < m->n; i++)
        free(m->lines[i]);
    free(m->lines);
    *m = (struct manifest){0};
}

void manifest_save(const struct manifest *m, const char *file) {
    FILE *f = fopen(file, "w");
    for (size_t i = 0; f && i < m->n; i++)
        (void)fprintf(f, "%s\n", m->lines[i]);
    if (!f || fclose(f) != 0)
        die("%s: %s", file, strerror(errno));
}

struct manifest manifest_load(const char *file) {
    struct manifest m = {0};
    struct buf text = {0};
    read_whole(file, &text);
    buf_str(&text, "");
    char *rest = text.data;
    for (const char *line; (line = strsep(&rest, "\n")) != NULL && rest;)
        manifest_take(&m, strdup(line));
    buf_free(&text);
    return m;
}

/* -- comparing -------------------------------------------------------------------------------- */

static bool is_named(const struct datum *entry, size_t i, const char *line, const char *base) {
    struct buf path = {0};
    buf_str(&path, "/project/");
    add_text(&path, entry->items[i], base);
    size_t n = strcspn(line, "\t");
    bool named = path_is_below(path.data, path.len, line, n) ||
                 (is_form(entry, "move") && path_is_below(line, n, path.data, path.len));
    buf_free(&path);
    return named;
}

static const char *const touching[] = {"meanwhile", "after"};

/* Is the entry of LINE, or something below it, named by what C says will change? */
static bool is_touched(const struct test_case *c, const char *line, const char *base) {
    bool touched = false;
    for (size_t k = 0; k < 2; k++) {
        const struct datum *clause = case_clause(c, touching[k]);
        for (size_t i = 1; clause && i < clause->n && !touched; i++) {
            const struct datum *entry = clause->items[i];
            bool has_other = is_form(entry, "move") || is_form(entry, "hardlink");
            touched =
                is_named(entry, 1, line, base) || (has_other && is_named(entry, 2, line, base));
        }
    }
    return touched;
}

/* Does C say that what is there, or below it, is nobody's concern: (after (free PATH))?  ANY
 * becomes true where it says so of some path. */
static bool is_free(const struct test_case *c, const char *line, const char *base, bool *any) {
    const struct datum *clause = case_clause(c, "after");
    for (size_t i = 1; clause && i < clause->n; i++) {
        struct buf path = {0};
        *any = *any || is_form(clause->items[i], "free");
        buf_str(&path, "/project/");
        add_text(&path, clause->items[i]->items[1], base);
        bool named = is_form(clause->items[i], "free") &&
                     path_is_below(line, strcspn(line, "\t"), path.data, path.len);
        buf_free(&path);
        if (named)
            return true;
    }
    return false;
}

struct manifest manifest_loosened(const struct manifest *m, const struct test_case *c,
                                  const char *base) {
    static const char count[] = " links ";
    bool any = false;
    struct manifest kept = {0};
    for (size_t i = 0; i < m->n; i++) {
        if (is_free(c, m->lines[i], base, &any))
            continue;
        char *line = strdup(m->lines[i]), *links = any ? strstr(line, count) : NULL;
        if (links)
            memset(links + sizeof count - 1, '-', strspn(links + sizeof count - 1, "0123456789"));
        manifest_take(&kept, line);
    }
    return kept;
}

static size_t compared_length(const char *line, bool times) {
    return times ? strlen(line) : (size_t)(strrchr(line, '\t') - line);
}

void manifest_diff(const struct manifest *want, const struct manifest *got, bool times,
                   const struct test_case *c, const char *base, struct buf *out) {
    for (size_t i = 0, k = 0; i < want->n || k < got->n;) {
        const char *w = i < want->n ? want->lines[i] : NULL;
        const char *g = k < got->n ? got->lines[k] : NULL;
        size_t w_path = w ? strcspn(w, "\t") : 0, g_path = g ? strcspn(g, "\t") : 0;
        int order = !w ? 1 : !g ? -1 : strncmp(w, g, w_path > g_path ? w_path : g_path);
        bool timed = w && times && !(c && is_touched(c, w, base));
        if (order < 0 && !(c && times))
            buf_printf(out, "  gone: %s\n", w);
        else if (order > 0 && !(c && times))
            buf_printf(out, "  new:  %s\n", g);
        else if (order == 0 && !(c && times && !timed) &&
                 (compared_length(w, timed) != compared_length(g, timed) ||
                  memcmp(w, g, compared_length(w, timed)) != 0))
            buf_printf(out, "  was:  %s\n  is:   %s\n", w, g);
        i += order <= 0;
        k += order >= 0;
    }
}

void compare_with_case(const struct table *t, const struct test_case *c, const char *directory,
                       const struct manifest *before, const struct manifest *now, const char *twin,
                       struct buf *out) {
    bool changes = case_clause(c, "after") || case_clause(c, "meanwhile");
    struct manifest was = manifest_loosened(before, c, directory),
                    is = manifest_loosened(now, c, directory);
    manifest_diff(&was, &is, true, changes ? c : NULL, directory, out);
    if (changes) {
        build_tree(t, c, twin, directory, true);
        struct manifest wanted = manifest_of(twin),
                        loose = manifest_loosened(&wanted, c, directory);
        manifest_diff(&loose, &is, false, NULL, directory, out);
        manifest_free(&loose);
        manifest_free(&wanted);
    }
    manifest_free(&was);
    manifest_free(&is);
}

void check_tree(const struct table *t, const struct test_case *c, const char *directory,
                const struct manifest *before, const char *twin, struct buf *out) {
    struct manifest now = manifest_of(directory);
    compare_with_case(t, c, directory, before, &now, twin, out);
    manifest_free(&now);
}

/* tree.h -- the tree before a case, and whether it is the same afterwards. */
#ifndef CONFORMANCE_TREE_H
#define CONFORMANCE_TREE_H

#include "hash.h"
#include "path.h"
#include "table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

/* "DIRECTORY/NAME", to be freed. */
__attribute__((format(printf, 1, 2))) static char *path_of(const char *format, ...) {
    char *path = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&path, format, args) < 0)
        die("out of memory");
    va_end(args);
    return path;
}

/* -- building, in the current directory ------------------------------------------------------- */

struct builder {
    const struct table *table;
    const char *base; /* what (base) and (root) mean, which need not be where it is built */
    int line;
};

static void must(const struct builder *b, bool done, const char *path) {
    if (!done)
        die("line %d: %.200s: %s", b->line, path, strerror(errno));
}

static void make_parents(const struct builder *b, const char *path) {
    char *copy = strdup(path);
    for (char *slash = copy; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        must(b, mkdir(copy, 0755) == 0 || errno == EEXIST, copy);
        *slash = '/';
    }
    free(copy);
}

static void make_file(const struct builder *b, const char *path, const struct buf *content) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    must(b, fd >= 0, path);
    for (size_t done = 0; done < content->len;) {
        ssize_t n = write(fd, content->data + done, content->len - done);
        must(b, n > 0, path);
        done += (size_t)n;
    }
    must(b, close(fd) == 0, path);
}

static void make_sparse(const struct builder *b, const char *path, long long size) {
    const struct buf nothing = {0};
    make_file(b, path, &nothing);
    must(b, truncate(path, size) == 0, path);
}

static void make_socket(const struct builder *b, const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(b, fd >= 0 && strlen(path) < sizeof name.sun_path, path);
    strcpy(name.sun_path, path); // NOLINT(clang-analyzer-security*): its length was just looked at
    must(b, bind(fd, (struct sockaddr *)&name, sizeof name) == 0, path);
    close(fd);
}

static void set_mtime(const struct builder *b, const char *path, long long seconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds}};
    must(b, utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0, path);
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
        make_file(b, name.data, &content);
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
        must(b, symlink(to.data, from.data) == 0, from.data);
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
        must(b, mkdir(path, 0755) == 0 || errno == EEXIST, path);
    else if (is_form(e, "file"))
        make_file(b, path, &text);
    else if (is_form(e, "link"))
        must(b, symlink(text.data, path) == 0, path);
    else if (is_form(e, "move"))
        must(b, rename(path, text.data) == 0, path);
    else if (is_form(e, "hardlink"))
        must(b, link(text.data, path) == 0, path);
    else if (is_form(e, "fifo"))
        must(b, mkfifo(path, 0644) == 0, path);
    else if (is_form(e, "socket"))
        make_socket(b, path);
    else if (is_form(e, "device"))
        must(b, mknod(path, S_IFCHR | 0666, makedev(1, 3)) == 0, path);
    else if (is_form(e, "sparse"))
        make_sparse(b, path, atoll(entry_word(e, 2)));
    else if (is_form(e, "files"))
        make_files(b, e, path);
    else if (is_form(e, "chain"))
        make_chain(b, path, atol(entry_word(e, 2)), text.data);
    else if (is_form(e, "mode"))
        must(b, chmod(path, (mode_t)strtol(entry_word(e, 2), NULL, 8)) == 0, path);
    else if (is_form(e, "mtime"))
        set_mtime(b, path, atoll(entry_word(e, 2)));
    else if (!is_form(e, "gone"))
        die("line %d: not an entry of a tree", e->line);
    buf_free(&text);
}

static void build_entries(struct builder *b, const struct datum *list, size_t from, bool replace) {
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
        make_parents(b, path.data);
        bool changes = is_form(e, "mode") || is_form(e, "mtime") || is_form(e, "move");
        if (is_form(e, "gone") || (replace && !changes))
            make_gone(path.data);
        make_named(b, e, path.data);
        buf_free(&path);
    }
}

/* The files that a (glob ...) speaks of. */
static void build_glob_files(const struct builder *b, const struct datum *form) {
    const struct buf nothing = {0};
    for (size_t list = 3; list <= 4 && list < form->n; list++) {
        for (size_t i = 0; i < form->items[list]->n; i++) {
            struct buf path = {0};
            add_text(&path, form->items[list]->items[i], b->base);
            make_parents(b, path.data);
            make_file(b, path.data, &nothing);
            buf_free(&path);
        }
    }
}

/* Makes DIRECTORY, and in it the tree of C; with AFTER, as it shall be afterwards. */
static void build_tree(const struct table *t, const struct test_case *c, const char *directory,
                       const char *base, bool after) {
    struct builder b = {.table = t, .base = base};
    must(&b, mkdir(directory, 0755) == 0 && chdir(directory) == 0, directory);
    must(&b, mkdir("project", 0755) == 0 && chdir("project") == 0, "project");
    if (is_form(c->form, "glob"))
        build_glob_files(&b, c->form);
    build_entries(&b, case_clause(c, "tree"), 1, false);
    if (after) {
        build_entries(&b, case_clause(c, "meanwhile"), 1, true);
        build_entries(&b, case_clause(c, "after"), 1, true);
    }
    must(&b, chdir("/") == 0, "/");
}

/* What somebody else does in DIRECTORY between the preview and the call. */
static void disturb_tree(const struct table *t, const struct test_case *c, const char *directory) {
    struct builder b = {.table = t, .base = directory};
    char *project = path_of("%s/project", directory);
    must(&b, chdir(project) == 0, project);
    build_entries(&b, case_clause(c, "meanwhile"), 1, true);
    must(&b, chdir("/") == 0, "/");
    free(project);
}

/* -- what a tree is --------------------------------------------------------------------------- */

/* One line an entry: its path, what it is, when it was modified; a tab between them. */
struct manifest {
    char **lines;
    size_t n;
};

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

static void manifest_take(struct manifest *m, char *line) {
    if ((m->n & (m->n - 1)) == 0)
        m->lines = realloc(m->lines, (m->n ? 2 * m->n : 1) * sizeof *m->lines);
    if (!m->lines || !line)
        die("out of memory");
    m->lines[m->n++] = line;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
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
    struct dirent **names = NULL;
    int n = S_ISDIR(s.st_mode) ? scandir(path, &names, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char *below = path_of("%s/%s", path, names[i]->d_name);
        if (!is_dots(names[i]->d_name))
            scan(m, below, base_n);
        free(below);
        free(names[i]);
    }
    free(names);
    if (locked)
        (void)chmod(path, s.st_mode);
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct manifest manifest_of(const char *directory) {
    struct manifest m = {0};
    scan(&m, directory, strlen(directory));
    qsort(m.lines, m.n, sizeof *m.lines, compare_lines);
    return m;
}

static void manifest_free(struct manifest *m) {
    for (size_t i = 0; i < m->n; i++)
        free(m->lines[i]);
    free(m->lines);
    *m = (struct manifest){0};
}

static void manifest_save(const struct manifest *m, const char *file) {
    FILE *f = fopen(file, "w");
    for (size_t i = 0; f && i < m->n; i++)
        (void)fprintf(f, "%s\n", m->lines[i]);
    if (!f || fclose(f) != 0)
        die("%s: %s", file, strerror(errno));
}

static struct manifest manifest_load(const char *file) {
    struct manifest m = {0};
    struct buf text = {0};
    read_file(file, &text);
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
        for (size_t i = 1; clause && i < clause->n && !touched; i++)
            touched =
                is_named(clause->items[i], 1, line, base) ||
                (is_form(clause->items[i], "move") && is_named(clause->items[i], 2, line, base));
    }
    return touched;
}

static size_t compared_length(const char *line, bool times) {
    return times ? strlen(line) : (size_t)(strrchr(line, '\t') - line);
}

/* Appends what GOT has otherwise than WANT; times count with TIMES.  Where C, which may be NULL,
 * says what will change, only the times of all else are compared. */
static void manifest_diff(const struct manifest *want, const struct manifest *got, bool times,
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

/* Appends what has changed between BEFORE and NOW though the case does not say so.  TWIN is where
 * the tree that is expected may be made. */
static void compare_trees(const struct table *t, const struct test_case *c, const char *directory,
                          const struct manifest *before, const struct manifest *now,
                          const char *twin, struct buf *out) {
    bool changes = case_clause(c, "after") || case_clause(c, "meanwhile");
    manifest_diff(before, now, true, changes ? c : NULL, directory, out);
    if (changes) {
        build_tree(t, c, twin, directory, true);
        struct manifest wanted = manifest_of(twin);
        manifest_diff(&wanted, now, false, NULL, directory, out);
        manifest_free(&wanted);
    }
}

/* The same below DIRECTORY, as it is now. */
static void check_tree(const struct table *t, const struct test_case *c, const char *directory,
                       const struct manifest *before, const char *twin, struct buf *out) {
    struct manifest now = manifest_of(directory);
    compare_trees(t, c, directory, before, &now, twin, out);
    manifest_free(&now);
}

#endif

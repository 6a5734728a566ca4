/* git_parts.c -- where the parts of a repository lie that git obeys: hooks, configuration, ...
 *
 * SPDX-License-Identifier: MIT
 */
#include "git_parts.h"

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "git_config.h"
#include "git_tree.h"
#include "host.h"
#include "kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#define ENTRIES_MOST 200000 /* some twelve thousand submodules */
#define LOOK_LONGEST_NS INT64_C(2000000000)
#define LEVELS_MOST 8
#define LINKS_MOST 40
#define CONFIG_MOST (1U << 20) /* bytes of a configuration that are read */

enum part_kind {
    PART_PLAIN,
    PART_LISTED, /* each of its entries is obeyed */
    PART_STORES, /* repositories lie in it, at any depth */
    PART_CONFIG
};

static const struct {
    const char *name;
    enum part_kind kind;
} parts_obeyed[] = {
    {"hooks", PART_LISTED},   {"info", PART_LISTED},
    {"config", PART_CONFIG},  {"config.worktree", PART_CONFIG},
    {"modules", PART_STORES}, {"worktrees", PART_STORES},
    {"HEAD", PART_PLAIN},     {"commondir", PART_PLAIN},
    {"objects", PART_PLAIN},  {"refs", PART_PLAIN},
    {"logs", PART_PLAIN},     {"index", PART_PLAIN},
    {"shallow", PART_PLAIN},  {"packed-refs", PART_PLAIN},
};

struct part_search {
    struct git_parts *out;
    const char *tree, *home; /* TREE: NULL for a store, which says itself where its tree is */
    const char *directory;   /* the repository's that is looked at */
    const char *config;      /* the configuration that is read, or NULL */
    struct buf *bases;       /* where git runs for the repository, each with a NUL */
    struct buf *named; /* what its configuration names as relative to these, each with a NUL */
    int level;
    int64_t deadline_ns;
};

void git_parts_free(struct git_parts *parts) {
    for (size_t i = 0; i < parts->path_n; i++)
        free(parts->paths[i]);
    free(parts->paths);
    free(parts->directories);
    *parts = (struct git_parts){0};
}

/* -- noting ------------------------------------------------------------------------------------ */

static void note_directory(struct git_parts *out, const struct info *info) {
    struct part_identity *all =
        array_with_room(out->directories, out->directory_n, &out->directory_room, sizeof *all);
    out->cut = out->cut || !all;
    if (!all)
        return;
    out->directories = all;
    all[out->directory_n++] = (struct part_identity){info->device, info->inode};
}

/* Notes the canonical form of PATH, as far as that exists. */
static void note_path(struct git_parts *out, const char *path) {
    AUTO(buf_free) struct buf real = {0}, clean = {0};
    char **all = array_with_room(out->paths, out->path_n, &out->path_room, sizeof *all);
    out->cut = out->cut || !all;
    if (!all)
        return;
    out->paths = all;
    buf_str(&real, path + host_canonical(path, &real));
    buf_str(&clean, "");
    if (!real.failed)
        path_add_names(&clean, real.data, true);
    out->cut = out->cut || real.failed || clean.failed;
    if (!out->cut)
        all[out->path_n++] = steal_pointer(&clean.data);
}

/* Makes OUT the path that TEXT means in the directory of the first N bytes of BASE.  A `..` stays,
 * since what is before it may be a link. */
static void join_text(const char *base, size_t n, const char *text, struct buf *out) {
    if (text[0] != '/')
        buf_add(out, base, n);
    path_add_names(out, text, false);
}

/* Notes where the link PATH leads, also if nothing is there (yet). */
static void note_link(struct git_parts *out, const char *path) {
    AUTO(buf_free) struct buf at = {0};
    buf_str(&at, path);
    for (int i = 0; i < LINKS_MOST && !at.failed; i++) {
        AUTO(buf_free) struct buf next = {0};
        char text[PATH_BYTES_MAX + 1];
        ssize_t n = readlink(at.data, text, sizeof text - 1);
        if (n <= 0)
            break;
        text[n] = '\0';
        join_text(at.data, (size_t)(strrchr(at.data, '/') - at.data), text, &next);
        buf_clear(&at);
        buf_add(&at, next.data, next.len);
        at.failed = at.failed || next.failed;
    }
    out->cut = out->cut || at.failed;
    if (!at.failed)
        note_path(out, at.data);
}

/* Counts one thing more that is looked at; false when there are too many, or it takes too long. */
static bool may_look_on(struct part_search *s) {
    s->out->cut = s->out->cut || ++s->out->looked > ENTRIES_MOST || clock_now_ns() > s->deadline_ns;
    return !s->out->cut;
}

/* -- the configuration ------------------------------------------------------------------------- */

static void read_config(struct part_search *s, const char *path);

/* Makes FULL what PATH, of a configuration, means in the directory of the first N bytes of BASE. */
static bool join_config_path(const struct part_search *s, const char *base, size_t n,
                             const char *path, struct buf *full) {
    if (path[0] == '~' && path[1] == '/' && s->home)
        join_text(s->home, strlen(s->home), path + 2, full);
    else
        join_text(base, n, path, full);
    s->out->cut = s->out->cut || full->failed;
    return !full->failed;
}

/* Adds the N bytes of TEXT, and a NUL, to OUT, which is a list of S. */
static void add_obeyed_path(const struct part_search *s, const char *text, size_t n,
                            struct buf *out) {
    buf_add(out, text, n);
    buf_char(out, '\0');
    s->out->cut = s->out->cut || out->failed;
}

/* A shell takes COMMAND apart, and each of its words may be a script. */
static void add_words(const struct part_search *s, const char *command) {
    static const char apart[] = " \t\"'!=;|&(){}<>`$";
    for (size_t n; *(command += strspn(command, apart)); command += n) {
        n = strcspn(command, apart);
        add_obeyed_path(s, command, n, s->named);
    }
}

static void read_included(struct part_search *s, const char *path) {
    AUTO(buf_free) struct buf full = {0};
    const char *slash = strrchr(s->config, '/');
    if (!join_config_path(s, s->config, (size_t)(slash - s->config), path, &full))
        return;
    note_link(s->out, full.data);
    read_config(s, full.data);
}

static int note_config_path(void *data, enum git_config_kind kind, const char *path) {
    struct part_search *s = data;
    AUTO(buf_free) struct buf full = {0};
    if (kind == GIT_CONFIG_INCLUDE)
        read_included(s, path);
    else if (kind != GIT_CONFIG_TREE)
        add_obeyed_path(s, path, strlen(path), s->named);
    else if (join_config_path(s, s->directory, strlen(s->directory), path, &full))
        add_obeyed_path(s, full.data, full.len, s->bases);
    if (kind == GIT_CONFIG_COMMAND)
        add_words(s, path);
    return s->out->cut;
}

/* Anything may have the name of a configuration, so opening it must not wait. */
static void read_config(struct part_search *s, const char *path) {
    struct part_search inner = *s;
    AUTO(buf_free) struct buf text = {0};
    AUTO(cleanup_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct info info;
    if (fd < 0 || kernel_stat(fd, &info) != 0 || info.type != NODE_FILE || info.size <= 0)
        return;
    size_t most = info.size < CONFIG_MOST ? (size_t)info.size : CONFIG_MOST;
    s->out->cut = s->out->cut || info.size > CONFIG_MOST || s->level >= LEVELS_MOST ||
                  !buf_reserve(&text, most);
    if (s->out->cut)
        return;
    ssize_t n = pread(fd, text.data, most, 0);
    inner.config = path;
    inner.level++;
    if (n > 0)
        (void)git_config_read(text.data, (size_t)n, note_config_path, &inner);
}

/* -- the directory ----------------------------------------------------------------------------- */

typedef void (*part_each)(struct part_search *s, const char *path, const struct info *info);

/* Calls EACH for the entries of the directory PATH. */
static void each_part(struct part_search *s, const char *path, part_each each) {
    DIR *stream = opendir(path);
    const struct dirent *entry;
    while (stream && !s->out->cut && (entry = readdir(stream)) != NULL) {
        AUTO(buf_free) struct buf full = {0};
        struct info info;
        if (path_is_dots(entry->d_name))
            continue;
        buf_printf(&full, "%s/%s", path, entry->d_name);
        s->out->cut = full.failed;
        if (may_look_on(s) && kernel_stat_at(AT_FDCWD, full.data, &info) == 0)
            each(s, full.data, &info);
    }
    if (stream)
        (void)closedir(stream);
}

static void note_part_link(struct part_search *s, const char *path, const struct info *info) {
    if (info->type == NODE_SYMLINK)
        note_link(s->out, path);
}

static void note_part_entry(struct part_search *s, const char *path, const struct info *info) {
    note_part_link(s, path, info);
    if (info->type == NODE_DIRECTORY)
        note_directory(s->out, info);
}

static void look_at_repository(const struct part_search *around, const char *path);

/* A directory among the stores is a repository, or has others in it: `modules/a/b`. */
static void look_at_store(struct part_search *s, const char *path, const struct info *info) {
    struct part_search inner = *s;
    note_part_entry(s, path, info);
    if (info->type != NODE_DIRECTORY)
        return;
    inner.level++;
    inner.tree = NULL;
    s->out->cut = s->out->cut || inner.level > LEVELS_MOST;
    if (s->out->cut)
        return;
    if (git_tree_is_repository(path))
        look_at_repository(&inner, path);
    else
        each_part(&inner, path, look_at_store);
}

static void add_worktree(struct part_search *s, const char *store, const struct info *info) {
    char tree[PATH_BYTES_MAX + 1];
    if (info->type == NODE_DIRECTORY && git_tree_of_store(store, tree))
        add_obeyed_path(s, tree, strlen(tree), s->bases);
}

/* Finds where git runs for the repository: at the top of its working trees, linked ones too, and
 * for some hooks in its own directory. */
static void find_bases(struct part_search *s) {
    const struct info store = {.type = NODE_DIRECTORY};
    AUTO(buf_free) struct buf linked = {0};
    if (s->tree)
        add_obeyed_path(s, s->tree, strlen(s->tree), s->bases);
    add_obeyed_path(s, s->directory, strlen(s->directory), s->bases);
    add_worktree(s, s->directory, &store);
    buf_printf(&linked, "%s/worktrees", s->directory);
    s->out->cut = s->out->cut || linked.failed;
    if (!s->out->cut)
        each_part(s, linked.data, add_worktree);
}

/* Notes what the configuration names, wherever git may run. */
static void note_named(struct part_search *s) {
    if (s->named->len == 0)
        return;
    find_bases(s);
    const char *named = s->named->data, *bases = s->bases->data;
    for (size_t i = 0; !s->out->cut && i < s->named->len; i += strlen(named + i) + 1)
        for (size_t j = 0; j < s->bases->len && may_look_on(s); j += strlen(bases + j) + 1) {
            AUTO(buf_free) struct buf full = {0};
            if (join_config_path(s, bases + j, strlen(bases + j), named + i, &full))
                note_link(s->out, full.data);
        }
}

static void look_at_repository(const struct part_search *around, const char *path) {
    AUTO(buf_free) struct buf bases = {0}, named = {0};
    struct part_search here = *around, *s = &here;
    s->directory = path;
    s->bases = &bases;
    s->named = &named;
    for (size_t i = 0; i < sizeof parts_obeyed / sizeof *parts_obeyed; i++) {
        AUTO(buf_free) struct buf full = {0};
        struct info info;
        buf_printf(&full, "%s/%s", path, parts_obeyed[i].name);
        s->out->cut = s->out->cut || full.failed;
        if (s->out->cut || kernel_stat_at(AT_FDCWD, full.data, &info) != 0)
            continue;
        note_part_entry(s, full.data, &info);
        if (parts_obeyed[i].kind == PART_LISTED)
            each_part(s, full.data, info.type == NODE_SYMLINK ? note_part_link : note_part_entry);
        else if (parts_obeyed[i].kind == PART_STORES)
            each_part(s, full.data, look_at_store);
        else if (parts_obeyed[i].kind == PART_CONFIG)
            read_config(s, full.data);
    }
    note_named(s);
}

void git_parts_find(const char *tree, const char *home, struct git_parts *out) {
    struct part_search s = {
        .out = out, .tree = tree, .home = home, .deadline_ns = clock_now_ns() + LOOK_LONGEST_NS};
    char directory[PATH_BYTES_MAX + 1], shared[PATH_BYTES_MAX + 1];
    if (!git_tree_directory(tree, directory, shared))
        return;
    look_at_repository(&s, directory);
    if (strcmp(directory, shared) != 0)
        look_at_repository(&s, shared);
}

/* -- asking ------------------------------------------------------------------------------------ */

bool git_parts_have(const struct git_parts *parts, const struct info *info) {
    for (size_t i = 0; i < parts->directory_n; i++)
        if (parts->directories[i].inode == info->inode &&
            parts->directories[i].device == info->device)
            return true;
    return false;
}

bool git_parts_lead_to(const struct git_parts *parts, const char *path) {
    bool leads = parts->cut;
    size_t n = strlen(path);
    for (size_t i = 0; !leads && i < parts->path_n; i++) {
        const char *part = parts->paths[i];
        leads = path_is_below(path, n, part, strlen(part)) ||
                path_is_below(part, strlen(part), path, n);
    }
    return leads;
}

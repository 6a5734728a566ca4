/* SPDX-License-Identifier: MIT */
/* ignore.c -- does a search leave out what git ignores?
 *
 *     ignore TREES [SEED]
 *
 * Each tree has random files, and random rules in .gitignore files at any level and
 * in .git/info/exclude; some trees have a repository inside.  The files that
 * search_files finds must be those that neither `git ls-files -o -i` nor `git
 * check-ignore` names.  A tree that differs is printed with its rules.  T=17 makes
 * the tree with the number 17 alone.
 */
#include "buf.h"
#include "die.h"
#include "files.h"
#include "request.h"
#include "sample.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define FILES_MOST 40
#define PATH_MOST 400

struct case_tree {
    uint64_t state; /* of the random numbers */
    const char *base;
    char project[200];
    char paths[FILES_MOST][PATH_MOST]; /* of files, relative to the project */
    size_t n;
    char nested[PATH_MOST]; /* a repository inside, or "" */
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint32_t below(struct case_tree *t, uint32_t limit) {
    return sample_below(&t->state, limit);
}

/* -- making a tree ---------------------------------------------------------------------------- */

static const char *const segments[] = {
    "a",   "b",     "ab",   "aab", "abc",  "a.o", "b.o",   "b.c",      "x y",  "a ",     " a",
    "#a",  "!b",    "a]",   "-",   "[a]",  "\\a", "A",     "\xC3\xA9", "a\tb", "a\rb",   "**",
    "*.o", "a?",    "a-c",  "z",   "a:",   "^",   "a\x0B", "b.o.o",    ".h",   "out",    "deep",
    "a\\", "[[:a]", "keep", "0",   "\xFF", "a.b", "lib",   "b.c~",     "x",    "build.d"};

/* Pieces of rules, beside the segments. */
static const char *const pieces[] = {
    "*",           "*",          "**",          "**/",          "/**",   "/**/",
    "?",           "/",          "/",           "[ab]",         "[!a]",  "[^b]",
    "[a-c]",       "[]a]",       "[]-a]",       "[a",           "[\\]]", "[!]]",
    "[[:alpha:]]", "[[:nope:]]", "[[:space:]]", "[^[:punct:]]", "[a-]",  "[--0]",
    "\\",          "\\*",        "\\/",         "*.",           ".o",    "[a-\\c]",
    "[[:a]",       "[/]",        "***",         "*/",           "/*",    "[c-a]",
    "\\ ",         " ",          "[!/]",        "[a-c-z]"};

static void add_piece(struct case_tree *t, struct buf *rule) {
    bool segment = below(t, 2);
    buf_str(rule, segment ? segments[below(t, COUNT(segments))] : pieces[below(t, COUNT(pieces))]);
}

/* A rule that names a file of the tree, or its ending, or a directory above it, more or less. */
static void add_near_rule(struct case_tree *t, struct buf *rule) {
    const char *path = t->paths[below(t, (uint32_t)t->n)], *slash = strrchr(path, '/');
    const char *from = path;
    for (uint32_t skip = below(t, 3); skip > 0 && strchr(from, '/'); skip--)
        from = strchr(from, '/') + 1;
    size_t n = strlen(from);
    if (slash && slash > from && below(t, 2))
        n = (size_t)(slash - from);
    for (size_t i = 0; i < n; i++) {
        uint32_t change = below(t, 16);
        if (change == 0)
            add_piece(t, rule);
        else if (change == 1)
            buf_str(rule, from[i] == '/' ? "/**/" : "*");
        else
            buf_char(rule, from[i]);
    }
}

static void add_rule(struct case_tree *t, struct buf *text) {
    static const char *const ends[] = {"\n",  "\n",  "\n",  "\n",   "\r\n",
                                       " \n", "/\n", "/\n", "\\ \n"};
    static const char *const heads[] = {"", "", "", "", "!", "!", "/", "**/", "#", "\\!", "!/"};
    buf_str(text, heads[below(t, COUNT(heads))]);
    if (below(t, 2)) {
        add_near_rule(t, text);
    } else {
        for (uint32_t i = below(t, 4) + 1; i > 0; i--)
            add_piece(t, text);
    }
    if (below(t, 60) == 0)
        buf_char(text, '\0');
    buf_str(text, ends[below(t, COUNT(ends))]);
}

/* Writes rules to NAME in the directory, relative to the project, that the first N bytes of PATH
 * name. */
static void write_rules(struct case_tree *t, const char *path, size_t n, const char *name) {
    struct buf text = {0};
    char *full = path_of("%s/%.*s%s%s", t->project, (int)n, path, n ? "/" : "", name);
    buf_str(&text, below(t, 20) ? "" : "\xEF\xBB\xBF");
    for (uint32_t i = below(t, 6) + 1; i > 0; i--)
        add_rule(t, &text);
    text.len -= below(t, 4) == 0; /* no newline at the end */
    make_bytes(full, text.data, text.len);
    free(full);
    buf_free(&text);
}

static void make_random_path(struct case_tree *t, char out[PATH_MOST]) {
    out[0] = '\0';
    if (t->n > 0 && below(t, 3)) { /* beside or below another one */
        const char *other = t->paths[below(t, (uint32_t)t->n)], *slash = strrchr(other, '/');
        if (slash)
            (void)snprintf(out, PATH_MOST, "%.*s/", (int)(slash - other), other);
    }
    for (uint32_t depth = below(t, 4) + 1; depth > 0 && strlen(out) < PATH_MOST - 40; depth--) {
        size_t n = strlen(out);
        (void)snprintf(out + n, PATH_MOST - n, "%s%s", segments[below(t, COUNT(segments))],
                       depth > 1 ? "/" : "");
    }
}

/* Makes a file with this path, unless something else stands in the way. */
static void add_file(struct case_tree *t, const char *path) {
    char *full = path_of("%s/%s", t->project, path);
    struct stat info;
    bool free_way = true;
    for (char *slash = full + strlen(t->project) + 1; free_way && (slash = strchr(slash, '/'));) {
        *slash = '\0';
        free_way = lstat(full, &info) != 0 || S_ISDIR(info.st_mode);
        *slash++ = '/';
    }
    if (free_way && lstat(full, &info) != 0) {
        if (t->n > 0 && below(t, 12) == 0)
            make_link(full, "/dev/null");
        else
            make_file(full, "");
        (void)lstat(full, &info);
        if (S_ISREG(info.st_mode))
            (void)snprintf(t->paths[t->n++], PATH_MOST, "%s", path);
    }
    free(full);
}

static void make_rules(struct case_tree *t) {
    write_rules(t, "", 0, ".gitignore");
    if (below(t, 2))
        write_rules(t, "", 0, ".git/info/exclude");
    for (uint32_t i = below(t, 4); i > 0; i--) {
        const char *path = t->paths[below(t, (uint32_t)t->n)], *slash = strrchr(path, '/');
        if (slash)
            write_rules(t, path, (size_t)(slash - path), ".gitignore");
    }
}

/* Makes a directory of the tree a repository of its own. */
static void nest_repository(struct case_tree *t) {
    const char *path = t->paths[below(t, (uint32_t)t->n)], *slash = strrchr(path, '/');
    if (!slash || below(t, 6))
        return;
    (void)snprintf(t->nested, sizeof t->nested, "%.*s/", (int)(slash - path), path);
    char *full = path_of("%s/%s.git", t->project, t->nested);
    make_repository(full);
    free(full);
    if (below(t, 2))
        write_rules(t, t->nested, strlen(t->nested) - 1, ".git/info/exclude");
}

static void make_case_tree(struct case_tree *t) {
    char path[PATH_MOST];
    struct names old = names_below(t->project);
    for (size_t i = 0; i < old.n; i++) {
        char *full = path_of("%s/%s", t->project, old.names[i]);
        if (strcmp(old.names[i], ".git") != 0)
            remove_all(full);
        free(full);
    }
    free_names(&old);
    char *exclude = path_of("%s/.git/info/exclude", t->project);
    make_file(exclude, "");
    free(exclude);
    t->n = 0;
    t->nested[0] = '\0';
    add_file(t, "first");
    for (uint32_t i = below(t, FILES_MOST - 5) + 1; i > 0; i--) {
        make_random_path(t, path);
        add_file(t, path);
    }
    make_rules(t);
    nest_repository(t);
}

/* -- asking ----------------------------------------------------------------------------------- */

static bool is_nested(const struct case_tree *t, const char *path) {
    return t->nested[0] && strncmp(path, t->nested, strlen(t->nested)) == 0;
}

/* Sets in NAMED, which has a flag for each file, those that COMMAND names.  PREFIX stands before
 * what it prints. */
static void ask_git(const struct case_tree *t, const char *command, const char *prefix,
                    bool *named) {
    struct buf out = {0};
    char block[4096];
    size_t n;
    FILE *file = popen(command, "r"); // NOLINT(cert-env33-c): a test, and git
    must(file != NULL, "popen");
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        buf_add(&out, block, n);
    int status = pclose(file);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        die("%s: status %d", command, status);
    for (const char *at = out.data, *end = at + out.len; at < end; at += strlen(at) + 1)
        for (size_t i = 0; i < t->n; i++)
            if (strncmp(t->paths[i], prefix, strlen(prefix)) == 0 &&
                strcmp(t->paths[i] + strlen(prefix), at) == 0)
                named[i] = true;
    buf_free(&out);
}

/* Asks git about the files of one repository: that at PREFIX. */
static void ask_repository(const struct case_tree *t, const char *prefix, bool *listed,
                           bool *checked) {
    struct buf list = {0};
    for (size_t i = 0; i < t->n; i++)
        if (prefix[0] ? is_nested(t, t->paths[i]) : !is_nested(t, t->paths[i]))
            buf_add(&list, t->paths[i] + strlen(prefix), strlen(t->paths[i]) - strlen(prefix) + 1);
    char *names = path_of("%s/names", t->base);
    make_bytes(names, list.data, list.len);
    char *work = path_of("%s/%s", t->project, prefix);
    setenv("IGNORE_WORK", work, 1);
    char *ls = path_of("cd \"$IGNORE_WORK\" && exec git ls-files -o -i --exclude-standard -z");
    char *check =
        path_of("cd \"$IGNORE_WORK\" && exec git check-ignore --no-index --stdin -z <'%s'", names);
    ask_git(t, ls, prefix, listed);
    if (list.len > 0)
        ask_git(t, check, prefix, checked);
    free(names), free(work), free(ls), free(check);
    buf_free(&list);
}

/* Is the repository inside ignored itself?  Then nothing in it is found. */
static bool is_nested_ignored(const struct case_tree *t) {
    char *name = path_of("%.*s", (int)strlen(t->nested) - 1, t->nested);
    setenv("IGNORE_WORK", t->project, 1);
    setenv("IGNORE_NAME", name, 1);
    int status = system("cd \"$IGNORE_WORK\" && exec git check-ignore -q --no-index -- " // NOLINT
                        "\"$IGNORE_NAME\"");
    free(name);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void find_shown(const struct case_tree *t, aqfs_workspace *ws, bool *shown) {
    aqfs_reply *reply =
        ask_as(ws, "search_files", "{\"pattern\": \"**\", \"limit\": 1000}", AQFS_JSON);
    size_t n = 0;
    const char *data = reply ? aqfs_reply_text(reply, &n) : "";
    json_t *parsed = json_loadb(data, n, 0, NULL);
    const json_t *paths = json_object_get(parsed, "paths"), *path;
    size_t i;
    if (!paths)
        die("search_files: %.*s", (int)n, data);
    json_array_foreach((json_t *)paths, i, path) {
        for (size_t k = 0; k < t->n; k++) {
            const char *bytes = json_string_value(path);
            if (bytes && strcmp(t->paths[k], bytes) == 0)
                shown[k] = true;
        }
    }
    json_decref(parsed);
    aqfs_reply_free(reply);
}

/* A path that is not UTF-8 comes in a form of its own, and is left out here. */
static bool is_comparable(const char *path) {
    return strstr(path, "\xFF") == NULL;
}

static void print_difference(const struct case_tree *t, uint64_t seed, size_t i, bool shown,
                             bool listed, bool checked) {
    char *command = path_of("cd '%s' && find . -name .gitignore -o -path '*info/exclude' | "
                            "while read -r f; do echo \"== $f\"; cat -A \"$f\"; done",
                            t->project);
    printf("FAILED tree %llu: %s is %s; ls-files %s, check-ignore %s\n", (unsigned long long)seed,
           t->paths[i], shown ? "found" : "left out", listed ? "names it" : "does not",
           checked ? "names it" : "does not");
    (void)fflush(stdout);
    must(system(command) == 0, "find"); // NOLINT(cert-env33-c): a test
    free(command);
}

static long left_out_in_all;

static bool try_tree(struct case_tree *t, uint64_t seed) {
    bool shown[FILES_MOST] = {0}, listed[FILES_MOST] = {0}, checked[FILES_MOST] = {0};
    make_case_tree(t);
    char *options = path_of("{\"root\": \"%s\"}", t->project);
    aqfs_workspace *ws = open_options(options);
    find_shown(t, ws, shown);
    aqfs_free(ws);
    free(options);
    ask_repository(t, "", listed, checked);
    bool hidden = t->nested[0] && is_nested_ignored(t), same = true;
    if (t->nested[0] && !hidden)
        ask_repository(t, t->nested, listed, checked);
    for (size_t i = 0; i < t->n && same; i++) {
        bool gone = hidden && is_nested(t, t->paths[i]);
        same = !is_comparable(t->paths[i]) ||
               (shown[i] == !(gone || listed[i]) && shown[i] == !(gone || checked[i]));
        left_out_in_all += !shown[i];
        if (!same)
            print_difference(t, seed, i, shown[i], listed[i], checked[i]);
    }
    return same;
}

int main(int argc, char **argv) {
    static struct case_tree t;
    long passed = 0, failed = 0, count = argc > 1 ? atol(argv[1]) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *only = getenv("T");
    if (only && *only) { /* one tree, by its number */
        seed = strtoull(only, NULL, 10);
        count = seed > 0;
    }
    char *base = make_temporary("ignore");
    t.base = base;
    (void)snprintf(t.project, sizeof t.project, "%s/project", base);
    char *repository = path_of("%s/.git", t.project);
    make_repository(repository);
    free(repository);
    for (long i = 0; i < count && failed < 10; i++) {
        t.state = (seed + (uint64_t)i) * UINT64_C(0x9E3779B97F4A7C15) + 1;
        if (try_tree(&t, seed + (uint64_t)i))
            passed++;
        else
            failed++;
    }
    remove_all(base);
    free(base);
    printf("%ld files were left out\n", left_out_in_all);
    if (count > 1 && left_out_in_all < count) /* all could agree that nothing is ignored */
        failed++;
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed > 0;
}

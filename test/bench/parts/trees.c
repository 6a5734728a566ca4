/* SPDX-License-Identifier: MIT */
/* trees.c -- the rows that walk and search a tree: see trees.h. */
#include "trees.h"

#include "files.h"
#include "side.h"

#include <stdlib.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* -- Walk and find against fd -- */

static void fd_row(const char *label, const char *name, const char *directory, const char *pattern,
                   bool every, const char *const argv[], double bound) {
    char *row = path_of("%s/%s", label, name), *request = search_request(pattern, every);
    const struct rival rival = {
        .row = row,
        .side = {.name = "fd", .directory = directory, .argv = argv, .answer = fd_answer}};
    if (wanted(row) && !tools.fd)
        skip(row, "fd is not installed");
    else if (wanted(row))
        compare_ours(request, answer_of_search, &rival, 1, bound);
    free(request);
    free(row);
}

static void walk_row(const char *label, const char *directory, double bound) {
    const char *all[] = {tools.fd, "-uu", "-t", "f", "--color=never", NULL};
    fd_row(label, "walk", directory, "**", true, all, bound);
}

void fd_rows(const char *label, const char *directory, const char *suffix) {
    char *name = path_of("find-%s", suffix), *glob = path_of("*.%s", suffix);
    char *pattern = path_of("**/%s", glob);
    const char *some[] = {tools.fd, "-uu", "-t", "f", "--color=never", "-g", glob, NULL};
    walk_row(label, directory, 0.6);
    fd_row(label, name, directory, pattern, true, some, 0.6);
    free(pattern);
    free(glob);
    free(name);
}

/* -- Grep against rg, ugrep and git grep -- */

struct grep_row {
    const char *name;
    const char *pattern;
    bool ignore_case;
};

static const struct grep_row grep_row[] = {
    {"grep-word", "deprecated", false},
    {"grep-frequent-word", "socket", false},
    {"grep-nothing", "no such words anywhere", false},
    {"grep-re-literal-prefix", "function\\s+\\w+\\(", false},
    {"grep-re-alternation", "deprecated|rollback|mutex", false},
    {"grep-re-class", "[A-Z][a-z]+Error", false},
    {"grep-re-gap", "import .* from", false},
    {"grep-re-ignore-case", "timeout", true},
    {"grep-re-non-ascii", "Größe", false},
    {"grep-re-word-boundary", "\\bmutex\\b", false},
};

/* A program that is compared with ours, and its options before the pattern and behind it. */
struct grep_peer {
    const char *suffix; /* of the row's name */
    const char *name, *missing;
    const char *program;
    const char *before[14];
    const char *behind[3];
};

/* Adds what is compared with ours in the row of G to RIVALS, unless it is not wanted or missing. */
static size_t add_rival(const struct grep_peer *p, const struct grep_row *g, const char *label,
                        const char *directory, const char *argv[], struct rival *rival) {
    char *row = path_of("%s/%s%s", label, g->name, p->suffix);
    size_t n = 0;
    if (!wanted(row) || !p->program) {
        if (wanted(row))
            skip(row, p->missing);
        free(row);
        return 0;
    }
    argv[n++] = p->program;
    for (size_t i = 0; p->before[i]; i++)
        argv[n++] = p->before[i];
    if (g->ignore_case)
        argv[n++] = "-i";
    argv[n++] = "-e";
    argv[n++] = g->pattern;
    for (size_t i = 0; p->behind[i]; i++)
        argv[n++] = p->behind[i];
    argv[n] = NULL;
    *rival = (struct rival){
        .row = row,
        .side = {.name = p->name, .directory = directory, .argv = argv, .answer = rg_answer}};
    return 1;
}

/* Each is asked in the way that is fastest here: git grep with -P. */
static void grep_one(const struct grep_row *g, const char *label, const char *directory,
                     size_t peers, double bound) {
    const struct grep_peer peer[] = {
        {.suffix = "",
         .name = "rg",
         .missing = "rg is not installed",
         .program = tools.rg,
         .before = {"-uuu", "--no-config", "--no-heading", "--null", "--line-number",
                    "--with-filename", "--color=never"},
         .behind = {"./"}},
        {.suffix = "-ugrep",
         .name = "ugrep",
         .missing = "ugrep is not installed",
         .program = tools.ugrep,
         .before = {"--no-config", "-r", "--hidden", "-a", "-n", "-H", "--null", "--color=never"},
         .behind = {"./"}},
        {.suffix = "-git",
         .name = "git-grep",
         .missing = "git is not installed",
         .program = tools.git,
         .before = {"grep", "--no-index", "--no-exclude-standard", "-P", "-I", "-n", "-H", "-z",
                    "--no-color"},
         .behind = {"--", "./"}},
    };
    const char *argv[LENGTH(peer)][24];
    struct rival rivals[LENGTH(peer)];
    char *request = grep_request(g->pattern, g->ignore_case, true);
    size_t n = 0;
    for (size_t i = 0; i < LENGTH(peer) && i < peers; i++)
        n += add_rival(&peer[i], g, label, directory, argv[i], &rivals[n]);
    if (n > 0)
        compare_ours(request, answer_of_grep, rivals, n, bound);
    for (size_t i = 0; i < n; i++)
        free((char *)rivals[i].row);
    free(request);
}

void grep_rows(const char *label, const char *directory, double bound) {
    for (size_t i = 0; i < LENGTH(grep_row); i++)
        grep_one(&grep_row[i], label, directory, 3, bound);
}

/* -- What git ignores is left out -- */

void ignoring_rows(const char *label, const char *directory) {
    const char *find[] = {tools.fd, "-t", "f", "--color=never", "-g", "*.d.ts", NULL};
    const char *grep[] = {tools.rg,
                          "--no-config",
                          "--no-heading",
                          "--null",
                          "--line-number",
                          "--with-filename",
                          "--color=never",
                          "-e",
                          grep_row[0].pattern,
                          "./",
                          NULL};
    char *row = path_of("%s/%s", label, grep_row[0].name);
    char *request = grep_request(grep_row[0].pattern, false, false);
    const struct rival rival = {
        .row = row,
        .side = {.name = "rg", .directory = directory, .argv = grep, .answer = rg_answer}};
    fd_row(label, "find-d.ts", directory, "**/*.d.ts", false, find, 0.6);
    if (wanted(row) && !tools.rg)
        skip(row, "rg is not installed");
    else if (wanted(row))
        compare_ours(request, answer_of_grep, &rival, 1, 0.75);
    free(request);
    free(row);
}

/* -- With nothing in the page cache -- */

void cold_rows(const char *label, const char *directory, double bound) {
    if (!drop_caches()) {
        skip("cold", "the page cache can be dropped by root only, where /proc/sys is writable");
        return;
    }
    tools.cold = true;
    walk_row(label, directory, bound);
    grep_one(&grep_row[0], label, directory, 1, bound);
    tools.cold = false;
}

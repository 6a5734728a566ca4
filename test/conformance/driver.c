/* SPDX-License-Identifier: MIT */
/* driver.c -- the conformance table, through the C door.
 *
 *     driver run TABLE...         runs all cases: each resolver, each format
 *     driver backends TABLE...    runs those that apply in memory and in a session
 *     driver folding TABLE...     runs those for directories that fold letter case, once
 *     driver mcp TABLE...         runs those that the program agent-q-fs can be asked
 *     driver serve TABLE...       runs them through agent-q-fs serve; QUICK=1: a fifth of them,
 * once driver setup DIR TABLE...   makes each case's tree in DIR, and prints the cases as plain
 * data, once with each resolver driver disturb DIR NAME TABLE... does to the tree DIR what case
 * NAME says is done meanwhile driver check DIR TABLE...   tells which of these trees are not as
 * they should be
 *
 * The last three are for the drivers in the Lisps, which make the calls between
 * them.  T in the environment is a part of the names of the cases wanted.
 */
#include "parts/backends.h"
#include "parts/build.h"
#include "parts/callee.h"
#include "parts/manifest.h"
#include "parts/mcp_door.h"
#include "parts/perform.h"
#include "parts/serve_door.h"

#include "calls.h"
#include "child.h"
#include "die.h"
#include "files.h"
#include "time_limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where there is no openat2, the first is what a person gets without asking. */
static const char *resolvers[] = {"openat2", "fallback"};

static bool quick; /* one resolver and one format are enough, of each fifth case */
#define QUICK_STEP 5

/* -- running ---------------------------------------------------------------------------------- */

static bool run_once(const struct table *t, const struct test_case *c, const char *directory,
                     const char *resolver, int format) {
    char *twin = path_of("%s.twin", directory), how[80];
    struct buf faults = {0};
    size_t n = 0;
    (void)snprintf(how, sizeof how, "%s, %s, %s", callee->name, resolver,
                   format == AQFS_JSON ? "json" : "s-expressions");
    time_limit_begin("%s (%s)", c->name, how);
    build_tree(t, c, directory, directory, false);
    struct manifest before = manifest_of(directory);
    struct ready r = ready_case(t, c, directory, resolver);

    int descriptors = callee->descriptors();
    aqfs_reply *reply = perform(&r, format);
    if (callee->descriptors() != descriptors)
        buf_str(&faults, "  a descriptor was left open\n");
    const char *text = aqfs_reply_text(reply, &n);
    check_reply(&r, text, n, format, &faults);
    if (is_form(c->form, "glob"))
        check_matcher(c, &faults);
    check_tree(t, c, directory, &before, twin, &faults);
    if (faults.len > 0)
        report(&r, how, &faults, text, n);

    bool good = faults.len == 0;
    aqfs_reply_free(reply);
    arena_free(&r.arena);
    manifest_free(&before);
    buf_free(&faults);
    remove_all(directory);
    remove_all(twin);
    free(twin);
    return good;
}

static void run(const struct table *t, const struct test_case *c, const char *directory,
                struct score *score) {
    for (size_t i = 0; i < (quick ? 1 : sizeof resolvers / sizeof *resolvers); i++) {
        for (int format = AQFS_SEXP; format <= (quick ? AQFS_SEXP : AQFS_JSON); format++) {
            if (!runs_here(c, "c"))
                score->skipped++;
            else if (run_once(t, c, directory, resolvers[i], format))
                score->passed++;
            else
                score->failed++;
        }
    }
}

static int run_in(const struct table *t, const char *own) {
    struct score score = {0};
    for (size_t i = 0; i < t->n; i++) {
        char *directory = path_of("%s/%s", own, t->cases[i].name);
        if (is_wanted(&t->cases[i]) && (!quick || i % QUICK_STEP == 0))
            run(t, &t->cases[i], directory, &score);
        free(directory);
    }
    time_limit_end();
    printf("conformance-%s: %d passed, %d failed, %d skipped\n", callee->name, score.passed,
           score.failed, score.skipped);
    return score.failed > 0;
}

static int run_all(const struct table *t) {
    char *own = make_temporary_in(temporary_place(), "conformance");
    int status = run_in(t, own);
    remove_all(own);
    free(own);
    return status;
}

static int run_served(const struct table *t) {
    const char *part = getenv("T");
    quick = getenv("QUICK") && !(part && *part);
    serve_door_begin();
    int status = run_all(t);
    return serve_door_end() ? status : 1;
}

/* For run_apart: the process gets mounts of its own. */
static void run_folding(void *data) {
    const struct table *t = data;
    case_folds = true;
    char *own = make_temporary_in(temporary_place(), "conformance");
    char *image = path_of("%s/image", own), *folding = path_of("%s/folding", own),
         *trees = path_of("%s/trees", own);
    make_directory(trees);
    bool folds = mount_folding(image, folding, trees);
    if (!folds)
        printf("SKIPPED letter case: no file system that folds it can be mounted here\n"
               "conformance-c: 0 passed, 0 failed, 1 skipped\n");
    int status = folds ? run_in(t, trees) : 0;
    /* The mounts end with the process; until then nothing can be removed there. */
    (void)umount2(trees, MNT_DETACH);
    (void)umount2(folding, MNT_DETACH);
    (void)umount2(folding, MNT_DETACH);
    remove_all(own);
    free(own);
    free(image);
    free(folding);
    free(trees);
    (void)fflush(stdout);
    _exit(status);
}

static int run_apart_folding(struct table *t) {
    int status = run_apart(run_folding, t);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* -- for the other drivers -------------------------------------------------------------------- */

static void print_plist(const char *key, const struct datum *clause, size_t from) {
    struct buf out = {0};
    for (size_t i = from; clause && i < clause->n; i++) {
        buf_char(&out, ' ');
        print_datum(&out, clause->items[i]);
    }
    printf(" %s (", key);
    (void)fwrite(out.len ? out.data : "", 1, out.len, stdout); /* NULs too */
    printf(")");
    buf_free(&out);
}

static void print_doors(const struct test_case *c) {
    static const char *const doors[] = {"emacs", "lisp"};
    printf(" :doors (");
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++)
        if (runs_here(c, doors[i]))
            printf("%s ", doors[i]);
    printf(")");
}

static int table_count;
static char **table_names;

/* The command that disturbs the tree of a case. */
static void print_meanwhile(struct ready *r) {
    if (!case_clause(r->c, "meanwhile"))
        return;
    char *program = realpath("/proc/self/exe", NULL);
    const char *const words[] = {program, "disturb", r->base, r->c->name};
    struct datum *command = datum_list(&r->arena);
    for (size_t i = 0; i < 4; i++)
        datum_push(&r->arena, command,
                   datum_new(&r->arena, DATUM_TEXT, words[i], strlen(words[i])));
    for (int i = 0; i < table_count; i++)
        datum_push(&r->arena, command,
                   datum_new(&r->arena, DATUM_TEXT, table_names[i], strlen(table_names[i])));
    print_plist(":meanwhile", command, 0);
    free(program);
}

static void set_up(const struct table *t, const struct test_case *c, const char *directory,
                   const char *resolver) {
    struct ready r = ready_case(t, c, directory, resolver);
    if (runs_here(c, "emacs") || runs_here(c, "lisp")) {
        char *file = path_of("%s.before", directory);
        build_tree(t, c, directory, directory, false);
        struct manifest before = manifest_of(directory);
        manifest_save(&before, file);
        manifest_free(&before);
        free(file);
    }
    printf("(:name \"%s\"", c->name);
    print_doors(c);
    print_plist(":options", r.options, 1);
    print_plist(":how", r.how, 1);
    print_plist(":shown", r.shown, 1);
    print_meanwhile(&r);
    print_plist(":call", r.call, 1);
    print_plist(":want", r.want, 0);
    print_plist(":never", r.never, 1);
    printf(")\n");
    arena_free(&r.arena);
}

static int check(const struct table *t, const struct test_case *c, const char *directory) {
    char *file = path_of("%s.before", directory), *twin = path_of("%s.twin", directory);
    struct buf faults = {0};
    if (access(file, F_OK) == 0) { /* it was set up */
        struct manifest before = manifest_load(file);
        check_tree(t, c, directory, &before, twin, &faults);
        manifest_free(&before);
    }
    int failed = faults.len > 0;
    if (failed)
        printf("FAILED %s: the tree afterwards\n%s", c->name, faults.data);
    buf_free(&faults);
    free(file);
    free(twin);
    return failed;
}

/* In DIRECTORY, the trees for one resolver. */
static int for_resolver(const struct table *t, const char *directory, const char *resolver,
                        bool setting_up) {
    int failed = 0;
    if (setting_up && mkdir(directory, 0755) != 0)
        die("%s: %s", directory, strerror(errno));
    for (size_t i = 0; i < t->n; i++) {
        char *tree = path_of("%s/%s", directory, t->cases[i].name);
        if (is_wanted(&t->cases[i]) && setting_up)
            set_up(t, &t->cases[i], tree, resolver);
        else if (is_wanted(&t->cases[i]))
            failed += check(t, &t->cases[i], tree);
        free(tree);
    }
    return failed;
}

static int for_others(const struct table *t, const char *given, bool setting_up) {
    int failed = 0;
    char *own = realpath(given, NULL);
    if (!own)
        die("%s: %s", given, strerror(errno));
    for (size_t i = 0; i < sizeof resolvers / sizeof *resolvers; i++) {
        char *directory = path_of("%s/%s", own, resolvers[i]);
        failed += for_resolver(t, directory, resolvers[i], setting_up);
        free(directory);
    }
    free(own);
    if (!setting_up)
        printf("%d trees are not as they should be\n", failed);
    return failed > 0;
}

static int disturb(const struct table *t, const char *directory, const char *name) {
    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->cases[i].name, name) == 0) {
            disturb_tree(t, &t->cases[i], directory);
            return 0;
        }
    }
    die("there is no case %s", name);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    bool running = strcmp(mode, "run") == 0 || strcmp(mode, "backends") == 0 ||
                   strcmp(mode, "folding") == 0 || strcmp(mode, "mcp") == 0 ||
                   strcmp(mode, "serve") == 0,
         disturbing = strcmp(mode, "disturb") == 0;
    int tables = running ? 2 : disturbing ? 4 : 3;
    bool known = running || disturbing || strcmp(mode, "setup") == 0 || strcmp(mode, "check") == 0;
    if (argc <= tables || !known)
        die("usage: driver run TABLE... | folding TABLE... | backends TABLE... | mcp TABLE... | "
            "serve TABLE... | setup DIR "
            "TABLE... | disturb DIR "
            "NAME TABLE... | "
            "check DIR TABLE...");
    struct table t = {0};
    table_count = argc - tables;
    table_names = argv + tables;
    for (int i = tables; i < argc; i++)
        table_add_file(&t, argv[i]);
    (void)umask(022);
    if (!has_openat2())
        resolvers[0] = "auto";
    int status = strcmp(mode, "backends") == 0  ? backends_run_all(&t)
                 : strcmp(mode, "folding") == 0 ? run_apart_folding(&t)
                 : strcmp(mode, "mcp") == 0     ? mcp_run_all(&t)
                 : strcmp(mode, "serve") == 0   ? run_served(&t)
                 : running                      ? run_all(&t)
                 : disturbing                   ? disturb(&t, argv[2], argv[3])
                              : for_others(&t, argv[2], strcmp(mode, "setup") == 0);
    table_free(&t);
    return status;
}

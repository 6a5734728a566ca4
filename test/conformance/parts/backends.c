/* SPDX-License-Identifier: MIT */
/* backends.c -- the conformance table in memory and in a session: see backends.h. */
#include "backends.h"

#include "applies.h"
#include "build.h"
#include "die.h"
#include "files.h"
#include "hash.h"
#include "manifest.h"
#include "memory.h"
#include "path.h"
#include "perform.h"
#include "time_limit.h"
#include "workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- opening ---------------------------------------------------------------------------------- */

static void add_text_option(struct ready *r, const char *key, const char *value) {
    struct arena *a = &r->arena;
    datum_push(a, r->options, new_word(a, key));
    datum_push(a, r->options, datum_new(a, DATUM_TEXT, value, strlen(value)));
}

static void add_list_option(struct ready *r, const char *key, struct datum *item) {
    struct datum *list = datum_list(&r->arena);
    datum_push(&r->arena, list, item);
    datum_push(&r->arena, r->options, new_word(&r->arena, key));
    datum_push(&r->arena, r->options, list);
}

/* The case's workspace, opened otherwise. */
static struct ready ready_elsewhere(const struct table *t, const struct test_case *c,
                                    const char *base) {
    struct ready r = ready_case(t, c, base, "auto");
    r.options = ready_clause(&r, "options");
    if (!r.options) {
        r.options = datum_list(&r.arena);
        datum_push(&r.arena, r.options, new_word(&r.arena, "options"));
    }
    return r;
}

static struct ready ready_in_memory(const struct table *t, const struct test_case *c,
                                    const char *base) {
    struct ready r = ready_elsewhere(t, c, base);
    char *project = path_of("%s/project", base);
    struct datum *mount = datum_list(&r.arena);
    const char *const plist[] = {":host_path", project, ":mount_path", "."};
    for (size_t i = 0; i < 4; i++)
        datum_push(
            &r.arena, mount,
            datum_new(&r.arena, i % 2 ? DATUM_TEXT : DATUM_WORD, plist[i], strlen(plist[i])));
    add_text_option(&r, ":backend", "memory");
    add_list_option(&r, ":mounts", mount);
    add_list_option(&r, ":allowed_host_roots", datum_new(&r.arena, DATUM_TEXT, base, strlen(base)));
    free(project);
    return r;
}

/* -- what is there afterwards ----------------------------------------------------------------- */

/* A line without what memory does not have: the path, whether it is a directory, what it holds. */
static char *plain_line(const char *line) {
    size_t n = strcspn(line, "\t");
    const char *mode = line + n + 1, *hash = strrchr(line, '\t');
    bool directory = strncmp(mode, "04", 2) == 0;
    while (hash > mode && hash[-1] != ' ')
        hash--;
    return path_of("%.*s\t%s %.*s\t", (int)n, line, directory ? "directory" : "file",
                   directory ? 0 : (int)strcspn(hash, "\t"), hash);
}

static struct manifest plain_manifest(const char *directory) {
    struct manifest all = manifest_of(directory), plain = {0};
    for (size_t i = 0; i < all.n; i++)
        if (strncmp(all.lines[i] + (all.lines[i][0] == '"'), "/project/", 9) == 0)
            manifest_take(&plain, plain_line(all.lines[i]));
    manifest_free(&all);
    return plain;
}

static void sort_lines(struct manifest *m) {
    if (m->n > 1)
        qsort(m->lines, m->n, sizeof *m->lines, compare_lines);
}

static void add_object(struct manifest *m, const char *path, const struct memory_object *object) {
    char hex[HASH_HEX] = "";
    struct buf shown = {0};
    struct hash h;
    path_show_safe(&shown, path, strlen(path));
    if (!object->is_directory) {
        hash_start(&h);
        hash_add(&h, object->bytes->data, object->bytes->n);
        hash_end(&h, hex);
    }
    manifest_take(
        m, path_of("%s\t%s %s\t", shown.data, object->is_directory ? "directory" : "file", hex));
    buf_free(&shown);
    struct memory_cursor cursor = {.map = object->entries};
    while (memory_cursor_next(&cursor)) {
        char *below = path_of("%s/%s", path, cursor.name);
        add_object(m, below, cursor.object);
        free(below);
    }
}

static struct manifest memory_manifest(struct aqfs_workspace *ws) {
    struct manifest m = {0};
    struct memory_object *top = memory_top(ws->memory);
    struct memory_cursor cursor = {.map = top->entries};
    while (memory_cursor_next(&cursor)) {
        char *path = path_of("/project/%s", cursor.name);
        add_object(&m, path, cursor.object);
        free(path);
    }
    memory_object_drop(top);
    sort_lines(&m);
    return m;
}

static void check_memory(const struct table *t, const struct test_case *c, const char *directory,
                         struct aqfs_workspace *ws, const char *twin, struct buf *faults) {
    build_tree(t, c, twin, directory, case_clause(c, "after") != NULL);
    struct manifest want = plain_manifest(twin), got = memory_manifest(ws);
    sort_lines(&want);
    struct manifest loose_want = manifest_loosened(&want, c, directory),
                    loose_got = manifest_loosened(&got, c, directory);
    manifest_diff(&loose_want, &loose_got, false, NULL, directory, faults);
    manifest_free(&loose_want);
    manifest_free(&loose_got);
    manifest_free(&want);
    manifest_free(&got);
}

/* -- one case --------------------------------------------------------------------------------- */

static void judge(struct ready *r, aqfs_reply *reply, int format, struct buf *faults) {
    size_t n = 0;
    const char *text = aqfs_reply_text(reply, &n);
    check_reply(r, text, n, format, faults);
    if (faults->len > 0)
        report(r, r->how_run, faults, text, n);
    aqfs_reply_free(reply);
}

/* Nothing on the disk changes, whatever the case says. */
static bool run_in_memory(const struct table *t, const struct test_case *c, const char *directory,
                          int format) {
    char *twin = path_of("%s.twin", directory);
    struct buf faults = {0};
    aqfs_workspace *ws = NULL;
    build_tree(t, c, directory, directory, false);
    struct manifest before = manifest_of(directory);
    struct ready r = ready_in_memory(t, c, directory);
    int descriptors = open_descriptors();
    aqfs_reply *reply = open_workspace(&r, format, &ws);
    if (ws && r.call) {
        aqfs_reply_free(reply);
        reply = call(&r, format, ws);
    }
    if (ws)
        check_memory(t, c, directory, ws, twin, &faults);
    aqfs_free(ws);
    if (open_descriptors() != descriptors)
        buf_str(&faults, "  a descriptor was left open\n");
    struct manifest now = manifest_of(directory);
    manifest_diff(&before, &now, true, NULL, directory, &faults);
    r.how_run = "c, memory";
    judge(&r, reply, format, &faults);
    bool good = faults.len == 0;
    arena_free(&r.arena);
    manifest_free(&before);
    manifest_free(&now);
    buf_free(&faults);
    remove_all(directory);
    remove_all(twin);
    free(twin);
    return good;
}

/* Would a session refuse how the call spells a path? */
static bool is_refused_in_session(aqfs_workspace *ws, const struct datum *call) {
    static const char *const keys[] = {":path", ":source", ":destination"};
    struct error ignored;
    bool refused = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct datum *value = call ? plist_get(call, 2, keys[i]) : NULL;
        char path[PATH_BYTES_MAX + 1];
        size_t n;
        if (value && value->kind == DATUM_TEXT &&
            path_accept(value->text, value->len, ws->home, path, &n, &ignored) == AQFS_OK)
            refused = refused || ws->backend->accept(ws, path, n, &ignored) != AQFS_OK;
    }
    return refused;
}

/* The session's directory called `project`, as the case calls it. */
static struct manifest session_manifest(const char *directory, const char *name) {
    struct manifest m = manifest_of(directory);
    size_t n = strlen(name);
    for (size_t i = 0; i < m.n; i++) {
        char *line = m.lines[i];
        if (line[0] != '/' || strncmp(line + 1, name, n) != 0)
            continue;
        m.lines[i] = path_of("/project%s", line + 1 + n);
        free(line);
    }
    sort_lines(&m);
    return m;
}

/* Makes the session's directory, and in it the tree of the case. */
static void build_in_session(const struct table *t, const struct test_case *c,
                             const char *directory, aqfs_workspace *ws) {
    struct builder b = {.table = t, .base = directory};
    aqfs_reply_free(ask(ws, json_pack("{s:s}", "op", "get_project_root"), AQFS_JSON));
    must_build(&b, chdir(ws->roots[0].path) == 0 && chmod(".", 0755) == 0, ws->roots[0].path);
    if (is_form(c->form, "glob"))
        build_glob_files(&b, c->form);
    build_entries(&b, case_clause(c, "tree"), 1, false);
    must_build(&b, chdir("/") == 0, "/");
}

static void disturb_session(const struct table *t, const struct test_case *c, const char *directory,
                            const char *root) {
    struct builder b = {.table = t, .base = directory};
    must_build(&b, chdir(root) == 0, root);
    build_entries(&b, case_clause(c, "meanwhile"), 1, true);
    must_build(&b, chdir("/") == 0, "/");
}

static bool run_in_session(const struct table *t, const struct test_case *c, const char *directory,
                           int format) {
    char *twin = path_of("%s.twin", directory);
    struct buf faults = {0};
    aqfs_workspace *ws = NULL;
    if (mkdir(directory, 0755) != 0)
        die("%s: %s", directory, strerror(errno));
    int descriptors = open_descriptors();
    struct ready first = ready_elsewhere(t, c, directory);
    add_text_option(&first, ":backend", "session");
    add_text_option(&first, ":temp_dir", directory);
    add_text_option(&first, ":resolver", format == AQFS_JSON ? "auto" : "fallback");
    aqfs_reply *reply = open_workspace(&first, format, &ws);
    struct ready r = first;
    char *root = strdup(ws ? ws->roots[0].path : directory), *name = strdup(path_basename(root));
    root_text = root;
    if (ws)
        build_in_session(t, c, directory, ws);
    struct manifest before = session_manifest(directory, name);
    if (ws && r.call) {
        aqfs_reply_free(reply);
        r = ready_elsewhere(t, c, directory);
        r.disturb = disturb_session;
        r.disturbed = root;
        reply = call(&r, format, ws);
    }
    struct manifest now = session_manifest(directory, name);
    bool refused = ws && r.call && is_refused_in_session(ws, r.call);
    if (refused) {
        const char *code = aqfs_reply_error(reply);
        manifest_diff(&before, &now, true, NULL, directory, &faults);
        if (!code || (strcmp(code, "invalid-argument") != 0 && strcmp(code, "too-long") != 0 &&
                      strcmp(code, "outside-root") != 0))
            buf_str(&faults, "  the path is not one of a session, and was taken\n");
    } else {
        compare_with_case(t, c, directory, &before, &now, twin, &faults);
    }
    r.how_run = "c, session";
    if (!refused || faults.len > 0)
        judge(&r, reply, format, &faults);
    else
        aqfs_reply_free(reply);
    aqfs_free(ws);
    root_text = NULL;
    if (open_descriptors() != descriptors)
        buf_str(&faults, "  a descriptor was left open\n");
    bool good = faults.len == 0;
    if (r.arena.blocks != first.arena.blocks)
        arena_free(&r.arena);
    arena_free(&first.arena);
    manifest_free(&before);
    manifest_free(&now);
    buf_free(&faults);
    remove_all(directory);
    remove_all(twin);
    free(name);
    free(root);
    free(twin);
    return good;
}

/* -- all cases -------------------------------------------------------------------------------- */

struct place_to_run {
    const char *name, *root;
    enum reason (*why_not)(const struct table *t, const struct test_case *c);
    bool (*run)(const struct table *t, const struct test_case *c, const char *directory,
                int format);
};

static void report_reasons(const struct place_to_run *place, const int *counts) {
    for (size_t i = 1; i < REASONS; i++)
        if (counts[i] > 0)
            printf("%s: %d cases do not apply: %s\n", place->name, counts[i], reasons[i]);
}

static void run_place(const struct table *t, const struct place_to_run *place, const char *own,
                      struct score *score) {
    int counts[REASONS] = {0};
    for (size_t i = 0; i < t->n; i++) {
        const struct test_case *c = &t->cases[i];
        enum reason why = reason_for_both(t, c);
        why = why ? why : place->why_not(t, c);
        if (!is_wanted(c))
            continue;
        if (!why && is_not_in(c, place->name))
            why = SAID_SO;
        counts[why]++;
        if (why && getenv("LIST"))
            printf("%s: %s does not apply: %s\n", place->name, c->name, reasons[why]);
        if (why)
            continue;
        char *directory = path_of("%s/%s", own, c->name);
        root_text = place->root;
        time_limit_begin("%s (%s)", c->name, place->name);
        if (!runs_here(c, "c"))
            score->skipped++;
        else if (place->run(t, c, directory, i % 2 ? AQFS_JSON : AQFS_SEXP))
            score->passed++;
        else
            score->failed++;
        time_limit_end();
        root_text = NULL;
        free(directory);
    }
    report_reasons(place, counts);
}

int backends_run_all(const struct table *t) {
    static const struct place_to_run places[] = {
        {"memory", MEMORY_ROOT, reason_in_memory, run_in_memory},
        {"session", NULL, reason_in_session, run_in_session},
    };
    struct score score = {0};
    char *own = make_temporary_in(temporary_place(), "conformance");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        run_place(t, &places[i], own, &score);
    remove_all(own);
    free(own);
    printf("conformance-backends: %d passed, %d failed, %d skipped\n", score.passed, score.failed,
           score.skipped);
    return score.failed > 0;
}

/* SPDX-License-Identifier: MIT */
/* agree.c -- do the backends give the same replies, and make the same trees?
 *
 *     agree SEQUENCES [SEED]
 *
 * Each sequence begins with an empty workspace on the host, in memory and in a
 * session, and does the same random operations in all of them: with the same
 * rules, previewed or done, permitted or not.  Replies are compared without
 * what a backend need not have (times, permissions, the root's own name), and
 * so are the trees in the end.  A difference is printed with the sequence that
 * led to it; the last line is `3 passed, 0 failed`.  T=17 does the sequence with
 * the number 17 alone.
 */
#include "parts/operations.h"

#include "die.h"
#include "files.h"
#include "request.h"
#include "trees.h"
#include "workspace.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of which the first ones make files. */
#define STEPS 14
#define FIRST 4

static const char *const names[] = {"host", "memory", "session"};
enum { HOST, MEMORY, SESSION, BACKENDS };

struct world {
    char *base; /* a directory of our own */
    aqfs_workspace *ws[BACKENDS];
    char *roots[BACKENDS];
    long done, refused; /* operations, counted once */
};

/* -- opening ---------------------------------------------------------------------------------- */

/* Further members of the options, so that rules are tried too. */
static const char *const rules[] = {
    "",
    ", \"restricted_paths\": [\"s\"]",
    ", \"restricted_paths\": [\"a/s\", \"later\"], \"protected_paths\": [\"b\"]",
    ", \"read_only\": true",
};

static void open_one(struct world *w, int i, const char *where, const char *more) {
    char *options = path_of("{%s%s}", where, more);
    w->ws[i] = open_options(options);
    free(options);
    w->roots[i] = w->ws[i]->roots[0].path;
}

static void open_all(struct world *w, const char *more) {
    char where[BACKENDS][256], host[80];
    (void)snprintf(host, sizeof host, "%s/host", w->base);
    make_directory(host);
    (void)snprintf(where[HOST], sizeof where[HOST], "\"root\": \"%s\"", host);
    (void)snprintf(where[MEMORY], sizeof where[MEMORY], "\"backend\": \"memory\"");
    (void)snprintf(where[SESSION], sizeof where[SESSION],
                   "\"backend\": \"session\", \"temp_dir\": \"%s\"", w->base);
    for (int i = 0; i < BACKENDS; i++)
        open_one(w, i, where[i], more);
}

static void close_all(struct world *w) {
    char host[80];
    (void)snprintf(host, sizeof host, "%s/host", w->base);
    for (int i = 0; i < BACKENDS; i++)
        aqfs_free(w->ws[i]);
    remove_all(host);
}

/* -- replies ---------------------------------------------------------------------------------- */

/* The members that need not be the same. */
static const char *const own[] = {"created",     "modified", "accessed", "absolute",
                                  "permissions", "mode",     "links",    "revision",
                                  "digest",      "root",     "method"};

/* A text in which the root's path is ROOT. */
static json_t *without_root(const json_t *string, const char *root) {
    struct buf out = {0};
    const char *at = json_string_value(string), *end = at + json_string_length(string);
    size_t n = strlen(root);
    buf_str(&out, "");
    while (at < end) {
        const char *found = memmem(at, (size_t)(end - at), root, n);
        buf_add(&out, at, (size_t)((found ? found : end) - at));
        if (found)
            buf_str(&out, "ROOT");
        at = found ? found + n : end;
    }
    json_t *made = json_stringn(out.data, out.len);
    buf_free(&out);
    return made;
}

static json_t *comparable(const json_t *value, const char *root) {
    const char *key;
    json_t *item, *made;
    size_t i;
    if (json_is_string(value))
        return without_root(value, root);
    if (json_is_array(value)) {
        made = json_array();
        json_array_foreach((json_t *)value, i, item) {
            json_array_append_new(made, comparable(item, root));
        }
        return made;
    }
    if (!json_is_object(value))
        return json_incref((json_t *)value);
    made = json_object();
    json_object_foreach((json_t *)value, key, item) {
        json_object_set_new(made, key, comparable(item, root));
    }
    for (i = 0; i < sizeof own / sizeof *own; i++)
        json_object_del(made, own[i]);
    const char *type = json_string_value(json_object_get(value, "type"));
    if (type && strcmp(type, "directory") == 0)
        json_object_del(made, "size");
    return made;
}

/* Their words tell times and sizes, or the root's own name. */
static bool tells_times(const char *op) {
    return strcmp(op, "get_file_info") == 0 || strcmp(op, "list_directory") == 0 ||
           strcmp(op, "directory_tree") == 0;
}

static char *perform(struct world *w, int i, const char *op, const char *request) {
    aqfs_context context = {.format = AQFS_JSON};
    aqfs_reply *reply = aqfs_call(w->ws[i], request, strlen(request), &context);
    size_t n;
    const char *text = aqfs_reply_text(reply, &n);
    w->done += i == HOST && !aqfs_reply_error(reply);
    w->refused += i == HOST && aqfs_reply_error(reply);
    json_t *json = json_loadb(text, n, JSON_ALLOW_NUL, NULL);
    json_t *told = json ? comparable(json, w->roots[i]) : NULL;
    if (told && tells_times(op) && !aqfs_reply_error(reply)) {
        json_object_del(told, "text");
        json_object_del(json_object_get(told, "tree"), "name");
    }
    char *printed = told ? json_dumps(told, JSON_SORT_KEYS | JSON_COMPACT) : strdup(text);
    json_decref(told);
    json_decref(json);
    aqfs_reply_free(reply);
    return printed;
}

/* -- sequences -------------------------------------------------------------------------------- */

static bool agree(const char *const said[BACKENDS], const char *what) {
    bool same = true;
    for (int i = 1; i < BACKENDS; i++)
        same = same && strcmp(said[i], said[0]) == 0;
    for (int i = 0; !same && i < BACKENDS; i++)
        printf("  %s, %s: %.2000s\n", what, names[i], said[i]);
    return same;
}

static bool do_step(struct world *w, struct dice *dice, bool building, struct buf *history) {
    struct operation operation = random_operation(dice, building);
    char *said[BACKENDS];
    buf_printf(history, "  %s\n", operation.request);
    for (int i = 0; i < BACKENDS; i++)
        said[i] = perform(w, i, operation.name, operation.request);
    bool same = agree((const char *const *)said, "replies");
    for (int i = 0; i < BACKENDS; i++)
        free(said[i]);
    operation_free(&operation);
    return same;
}

static bool trees_agree(struct world *w) {
    struct buf trees[BACKENDS] = {{0}};
    const char *said[BACKENDS];
    tree_of_directory(&trees[HOST], w->roots[HOST], "");
    tree_of_memory(&trees[MEMORY], w->ws[MEMORY]);
    tree_of_directory(&trees[SESSION], w->roots[SESSION], "");
    for (int i = 0; i < BACKENDS; i++)
        said[i] = trees[i].data ? trees[i].data : "";
    bool same = agree(said, "trees");
    for (int i = 0; i < BACKENDS; i++)
        buf_free(&trees[i]);
    return same;
}

static bool run_sequence(struct world *w, uint64_t seed) {
    struct dice dice = {seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    struct buf history = {0};
    bool same = true;
    open_all(w, roll(&dice, 3) ? rules[0] : rules[roll(&dice, sizeof rules / sizeof *rules)]);
    for (int step = 0; same && step < STEPS; step++)
        same = do_step(w, &dice, step < FIRST, &history);
    same = same && trees_agree(w);
    if (!same)
        printf("FAILED sequence %llu:\n%s", (unsigned long long)seed, history.data);
    close_all(w);
    buf_free(&history);
    return same;
}

int main(int argc, char **argv) {
    struct world w = {0};
    long passed = 0, failed = 0, count = argc > 1 ? atol(argv[1]) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *only = getenv("T");
    w.base = make_temporary("agree");
    (void)umask(022);
    if (only && *only) { /* one sequence, by its number */
        seed = strtoull(only, NULL, 10);
        count = seed > 0;
    }
    for (long i = 0; i < count && failed < 10; i++) {
        if (run_sequence(&w, seed + (uint64_t)i))
            passed++;
        else
            failed++;
    }
    remove_all(w.base);
    free(w.base);
    printf("%ld operations were done and %ld refused\n", w.done, w.refused);
    if (count > 1 && w.done * 4 < w.refused) /* all could agree in refusing */
        failed++;
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed > 0;
}

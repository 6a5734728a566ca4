/* workspace_open.c -- making a workspace from its options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "workspace_open.h"

#include "cleanup.h"
#include "clock.h"
#include "host.h"
#include "memory.h"
#include "mount.h"
#include "options.h"
#include "secret_paths.h"
#include "session.h"
#include "snapshot.h"

#include <string.h>

static bool deny(const struct aqfs_workspace *ws, struct rules *rules, const struct buf *path) {
    const char *name = path->len ? path->data : "";
    if (path->failed || !rules_add(rules, name, path->len, true))
        return false;
    rules->rules[rules->n - 1].folds = ws->backend->folds && ws->backend->folds(name);
    return true;
}

int canonical_of(const struct aqfs_workspace *ws, const char *path, struct buf *out,
                 struct error *e) {
    AUTO(buf_free) struct buf real = {0};
    buf_str(&real, "");
    size_t n = ws->backend->canonical ? ws->backend->canonical(path, &real) : 0;
    if (real.failed)
        return fail_memory(e);
    path_add_names(out, real.data, false);
    path_add_names(out, path + n, true);
    return out->failed ? fail_memory(e) : AQFS_OK;
}

/* Refuses what looks like a glob, or like somebody's home, and names nothing: as a rule it would
 * cover nothing, and nobody would notice. */
static int check_rule(const struct aqfs_workspace *ws, struct text_ref given,
                      const struct buf *absolute, struct error *e) {
    AUTO(buf_free) struct buf real = {0};
    const char *path = given.data;
    bool quoted = path[0] == '"';
    bool glob = memchr(path, '*', given.len) || memchr(path, '?', given.len);
    bool home = given.len > 1 && path[0] == '~' && path[1] != '/';
    if (quoted || !(glob || home) ||
        (ws->backend->canonical && ws->backend->canonical(absolute->data, &real) == absolute->len))
        return AQFS_OK;
    if (home)
        return fail(e, AQFS_INVALID_ARGUMENT, "only ~/ is a home directory, and it is yours");
    return fail(e, AQFS_INVALID_ARGUMENT,
                "* and ? are no patterns here, and there is no such file; a directory covers all "
                "that is in it, and a path in double quotes means itself");
}

/* Adds two rules that deny GIVEN: one for its spelling, one for the place that it leads to. */
static int add_rule(const struct aqfs_workspace *ws, struct rules *rules, struct text_ref given,
                    struct error *e) {
    AUTO(buf_free) struct buf absolute = {0}, spelled = {0}, canonical = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    code = code ? code : check_rule(ws, given, &absolute, e);
    if (!code)
        code = canonical_of(ws, absolute.data, &canonical, e);
    if (code)
        return code;
    path_add_names(&spelled, absolute.data, false);
    return deny(ws, rules, &spelled) && deny(ws, rules, &canonical) ? AQFS_OK : fail_memory(e);
}

static bool is_inside_a_root(const struct aqfs_workspace *ws, const struct buf *path) {
    bool inside = false;
    for (size_t i = 0; !inside && path->len > 0 && i < ws->root_count; i++) {
        const struct root *r = &ws->roots[i];
        inside = path->len > r->len && path_is_below(path->data, path->len, r->path, r->len);
    }
    return inside;
}

/* Denies the state directory where a root holds it: it keeps the bytes of what is restricted or
 * secret, and those of other projects, under names that tell nothing of that. */
static int deny_state(const struct aqfs_workspace *ws, struct rules *rules, struct error *e) {
    AUTO(buf_free) struct buf canonical = {0}, spelled = {0};
    if (!ws->state_dir || !ws->backend->durable)
        return AQFS_OK;
    path_add_names(&spelled, ws->state_dir, false);
    int code = canonical_of(ws, ws->state_dir, &canonical, e);
    const struct buf *names[] = {&spelled, &canonical};
    for (size_t i = 0; !code && i < sizeof names / sizeof *names; i++) {
        if (names[i]->failed)
            return fail_memory(e);
        if (!is_inside_a_root(ws, names[i]))
            continue;
        if (!deny(ws, rules, names[i]))
            return fail_memory(e);
        rules->rules[rules->n - 1].state = true;
    }
    return code;
}

/* Adds the rules of OPTION, whose elements are GIVEN. */
static int add_rules(const struct aqfs_workspace *ws, struct rules *rules, const char *option,
                     const struct value *given, struct error *e) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < given->count; i++) {
        const struct error before = *e;
        code = add_rule(ws, rules, given->list[i], e);
        if (code && code != AQFS_LIMIT)
            code = workspace_bad_element(option, i, given->list[i], "a path", &before, e);
    }
    return code;
}

/* Opens the roots, and adds the rules for restricted and protected paths. */
static int add_paths(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *restricted = &o->values[OPT_RESTRICTED_PATHS];
    const struct value *protected = &o->values[OPT_PROTECTED_PATHS];
    ws->roots = calloc(o->values[OPT_ALLOWED_PATHS].count + 2, sizeof *ws->roots);
    int code = ws->roots ? ws->backend->open_roots(ws, o, e) : fail_memory(e);
    code = code ? code : add_rules(ws, &ws->rules, "restricted_paths", restricted, e);
    code = code ? code : deny_state(ws, &ws->rules, e);
    code = code ? code : add_rules(ws, &ws->protects, "protected_paths", protected, e);
    code = code ? code : secret_paths_open(ws, o, e);
    return code || !ws->backend->hide ? code : ws->backend->hide(ws, e);
}

static bool text_is(const struct value *v, const char *word) {
    return v->text.len == strlen(word) && memcmp(v->text.data, word, v->text.len) == 0;
}

/* Sets *OUT to a copy of TEXT, which may be NULL; false without memory. */
static bool keep_option(char **out, const char *text) {
    *out = text ? strdup(text) : NULL;
    return !text || *out;
}

static int apply_options(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *resolver = &o->values[OPT_RESOLVER];
    ws->limits = o->limits;
    ws->read_only = o->values[OPT_READ_ONLY].boolean;
    ws->cross_mounts = o->values[OPT_CROSS_MOUNTS].boolean;
    ws->unrestricted = text_is(&o->values[OPT_MODE], "unrestricted");
    ws->resolver = text_is(resolver, "openat2")    ? RESOLVER_OPENAT2
                   : text_is(resolver, "fallback") ? RESOLVER_FALLBACK
                                                   : RESOLVER_AUTO;
    if (!keep_option(&ws->home, options_text(o, OPT_HOME)) ||
        !keep_option(&ws->state_dir, options_text(o, OPT_STATE_DIR)))
        return fail_memory(e);
    if (ws->state_dir && ws->state_dir[0] != '/')
        return fail(e, AQFS_INVALID_ARGUMENT, "state_dir: expected an absolute path");
    int code = add_paths(ws, o, e);
    return code ? code : mounts_copy(ws, o, e);
}

/* A kind of workspace, and the keeper of its snapshots. */
struct kind {
    const struct backend *backend;
    const struct keeper *keeper;
};

static const struct kind *named_kind(const struct value *word) {
    static const struct kind kinds[] = {
        {&host_backend, &git_keeper},
        {&memory_backend, &memory_keeper},
        {&session_backend, &strict_git_keeper},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_is(word, kinds[i].backend->name))
            return &kinds[i];
    return &kinds[0]; /* unreachable: options_decode has checked the word */
}

static struct aqfs_workspace *workspace_new(void) {
    struct aqfs_workspace *ws = calloc(1, sizeof *ws);
    if (!ws)
        return NULL;
    ws->backend = &host_backend;
    ws->release = workspace_release;
    ws->commit_file = -1;
    pthread_mutex_init(&ws->lock, NULL);
    pthread_mutex_init(&ws->commit_mutex, NULL);
    libraries_init(&ws->libraries);
    return ws;
}

/* Without randomness no two keys are alike, at least. */
static void make_review_key(struct aqfs_workspace *ws) {
    if (temporary_name(ws->review_key))
        return;
    int64_t key[] = {clock_now_ns(), (int64_t)(uintptr_t)ws};
    memcpy(ws->review_key, key, sizeof key);
}

int workspace_make(const json_t *options, struct aqfs_workspace **out, struct error *e) {
    struct options o;
    struct aqfs_workspace *ws = workspace_new();
    if (!ws)
        return fail_memory(e);
    int code = options_decode(options, &o, e);
    if (!code) {
        const struct kind *kind = named_kind(&o.values[OPT_BACKEND]);
        ws->backend = kind->backend;
        ws->keeper = kind->keeper;
        code = apply_options(ws, &o, e);
    }
    options_free(&o);
    if (code) {
        aqfs_free(ws);
        return code;
    }
    make_review_key(ws);
    *out = ws;
    return AQFS_OK;
}

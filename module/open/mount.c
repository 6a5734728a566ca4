/* mount.c -- which directories are copied into a workspace, and where.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mount_parts.h"

#include "cleanup.h"
#include "options.h"
#include "reply.h"
#include "utf8.h"
#include "workspace_open.h"

#include <stdio.h>
#include <string.h>

enum { HOST_PATH, MOUNT_PATH, INCLUDE_GLOB, EXCLUDE_GLOB, MAX_BYTES, FOLLOW_SYMLINKS };

const struct param mount_params[MOUNT_PARAM_COUNT] = {
    [HOST_PATH] = {.name = "host_path",
                   .type = PARAM_STRING,
                   .required = true,
                   .doc = "The directory or file to copy, within one of allowed_host_roots."},
    [MOUNT_PATH] = {.name = "mount_path",
                    .type = PARAM_STRING,
                    .doc = "Where the copy is in the workspace; without it, its root."},
    [INCLUDE_GLOB] = {.name = "include_glob",
                      .type = PARAM_STRINGS,
                      .standard = "[]",
                      .doc = "Globs of the files to copy; [] copies all."},
    [EXCLUDE_GLOB] = {.name = "exclude_glob",
                      .type = PARAM_STRINGS,
                      .standard = "[]",
                      .doc = "Globs of the files to leave out."},
    [MAX_BYTES] = {.name = "max_bytes",
                   .type = PARAM_INTEGER,
                   .most = INT64_MAX,
                   .doc = "The most bytes that it may bring."},
    [FOLLOW_SYMLINKS] = {.name = "follow_symlinks",
                         .type = PARAM_BOOLEAN,
                         .standard = "false",
                         .doc = "Copy what symbolic links lead to, where that is allowed."},
};

/* -- the roots that mounts may come from ------------------------------------------------------ */

struct sources {
    struct aqfs_workspace **roots; /* each allowed root, opened as a read-only workspace */
    size_t n;
};

static void sources_close(struct sources *s) {
    for (size_t i = 0; i < s->n; i++)
        aqfs_free(s->roots[i]);
    free(s->roots);
}

static const char *resolver_word(enum resolver resolver) {
    static const char *const words[] = {
        [RESOLVER_AUTO] = "auto", [RESOLVER_OPENAT2] = "openat2", [RESOLVER_FALLBACK] = "fallback"};
    return words[resolver];
}

/* A list of the options, as in the object that they were read from.  Of paths, those that name
 * places of this machine: absolute ones.  NULL without memory. */
static json_t *list_here(const struct aqfs_workspace *ws, const struct value *given,
                         bool absolute) {
    json_t *list = json_array();
    char path[PATH_BYTES_MAX + 1];
    size_t n;
    struct error ignored;
    for (size_t i = 0; list && i < given->count; i++) {
        struct text_ref text = given->list[i];
        AUTO(buf_free) struct buf shown = {0};
        if (!absolute)
            buf_add(&shown, text.data, text.len);
        else if (path_accept(text.data, text.len, ws->home, path, &n, &ignored) || path[0] != '/')
            continue;
        else
            path_show(&shown, path, n);
        if (shown.failed || json_array_append_new(list, json_stringn(shown.data, shown.len))) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* The options of the workspace that mounts from PATH are read through.  A copy must not bring what
 * the original's workspace would not show, nor make open what is secret there. */
static json_t *options_of_source(const struct aqfs_workspace *ws, const char *path, size_t n,
                                 const struct options *o) {
    const struct param *p = option_params;
    json_t *options = json_pack(
        "{s:s%, s:o, s:o, s:b, s:b, s:s}", p[OPT_ROOT].name, path, n, p[OPT_RESTRICTED_PATHS].name,
        list_here(ws, &o->values[OPT_RESTRICTED_PATHS], true), p[OPT_SECRET_PATHS].name,
        list_here(ws, &o->values[OPT_SECRET_PATHS], false), p[OPT_READ_ONLY].name, 1,
        p[OPT_CROSS_MOUNTS].name, (int)ws->cross_mounts, p[OPT_RESOLVER].name,
        resolver_word(ws->resolver));
    if (options && ws->state_dir &&
        json_object_set_new(options, p[OPT_STATE_DIR].name, json_string(ws->state_dir))) {
        json_decref(options);
        return NULL;
    }
    return options;
}

static int open_source(struct aqfs_workspace *ws, struct text_ref given, const struct options *o,
                       struct aqfs_workspace **out, struct error *e) {
    char path[PATH_BYTES_MAX + 1], label[PATH_LABEL];
    size_t n;
    int code = path_accept(given.data, given.len, ws->home, path, &n, e);
    if (code)
        return code;
    json_t *options = options_of_source(ws, path, n, o);
    code = options ? workspace_make(options, out, e) : AQFS_INVALID_ARGUMENT;
    json_decref(options);
    if (!code)
        return AQFS_OK;
    return fail(e, AQFS_INVALID_ARGUMENT,
                "allowed_host_roots: %s is not a directory that can be opened",
                path_label(path, n, label));
}

static int sources_open(struct aqfs_workspace *ws, const struct options *o, struct sources *s,
                        struct error *e) {
    const struct value *allowed = &o->values[OPT_ALLOWED_HOST_ROOTS];
    int code = AQFS_OK;
    s->roots = calloc(allowed->count + 1, sizeof *s->roots);
    if (!s->roots)
        return fail_memory(e);
    for (size_t i = 0; !code && i < allowed->count; i++) {
        code = open_source(ws, allowed->list[i], o, &s->roots[i], e);
        s->n += !code;
    }
    return code;
}

/* Finds the first allowed root that contains HOST_PATH, and locates it there.  The error is that of
 * the root that contains it, or AQFS_OUTSIDE_ROOT. */
static int find_source(const struct sources *s, struct text_ref host_path, struct mount *m,
                       struct error *e) {
    int code = fail(e, AQFS_OUTSIDE_ROOT, "host_path: it is not in any of allowed_host_roots");
    if (!utf8_is_ascii(host_path.data, host_path.len))
        return fail(e, AQFS_INVALID_ARGUMENT, "host_path: expected ASCII characters");
    for (size_t i = 0; i < s->n; i++) {
        struct error why;
        int now = workspace_locate(s->roots[i], host_path, 0, &m->start, &why);
        m->source = s->roots[i];
        if (!now)
            return AQFS_OK;
        if (now != AQFS_OUTSIDE_ROOT)
            code = fail(e, (enum code)now, "host_path: %.900s", why.message);
    }
    return code;
}

/* -- one mount -------------------------------------------------------------------------------- */

static int fail_mount_path(struct error *e) {
    return fail(e, AQFS_INVALID_ARGUMENT,
                "mount_path: expected a relative path without empty segments, . and ..");
}

/* Sets M->path, where the copy goes, canonical; "" is the root. */
static int take_mount_path(struct mount *m, const struct value *given, struct error *e) {
    size_t n = given->text.len;
    const char *path = given->text.data;
    if (!given->known) {
        memcpy(m->path, m->start.path, m->start.len + 1);
        return AQFS_OK;
    }
    while (n > 1 && path[n - 1] == '/' && path[n - 2] != '/')
        n--;
    if (n == 0 || (n == 1 && *path == '.'))
        return AQFS_OK;
    int code = path_accept(path, n, NULL, m->path, &n, e);
    for (const char *at = m->path; !code && at <= m->path + n; at += strcspn(at, "/") + 1) {
        size_t size = strcspn(at, "/");
        if (size == 0 || (size <= 2 && strspn(at, ".") == size))
            return fail_mount_path(e);
    }
    return code;
}

static int compile_globs(struct glob_set *set, const struct value *patterns, struct error *e) {
    set->globs = calloc(patterns->count + 1, sizeof(struct glob *));
    int code = AQFS_OK;
    if (!set->globs)
        return fail_memory(e);
    for (size_t i = 0; !code && i < patterns->count; i++) {
        struct text_ref p = patterns->list[i];
        AUTO(buf_free) struct buf pattern = {0};
        buf_str(&pattern, p.len > 0 && !memchr(p.data, '/', p.len) ? "**/" : "");
        buf_add(&pattern, p.data, p.len);
        set->globs[i] = pattern.failed ? NULL : glob_compile(pattern.data, pattern.len, e);
        code = pattern.failed ? fail_memory(e) : set->globs[i] ? AQFS_OK : (int)e->code;
        set->n += !code;
    }
    return code;
}

/* Fills M from the decoded VALUES of one mount. */
static int take_values(const struct sources *s, const struct value values[MOUNT_PARAM_COUNT],
                       struct mount *m, struct error *e) {
    int code = find_source(s, values[HOST_PATH].text, m, e);
    if (code)
        return code;
    code = take_mount_path(m, &values[MOUNT_PATH], e);
    if (code)
        return code;
    code = compile_globs(&m->include, &values[INCLUDE_GLOB], e);
    if (code)
        return code;
    m->most = values[MAX_BYTES].known ? values[MAX_BYTES].integer : INT64_MAX;
    m->follows = values[FOLLOW_SYMLINKS].boolean;
    return compile_globs(&m->exclude, &values[EXCLUDE_GLOB], e);
}

static int copy_one(const struct sources *s, const json_t *object, struct mount *m,
                    struct error *e) {
    struct value values[MOUNT_PARAM_COUNT];
    if (!json_is_object(object))
        return fail(e, AQFS_INVALID_ARGUMENT, "expected an object, got %s", json_type_word(object));
    int code = args_decode(mount_params, MOUNT_PARAM_COUNT, object, values, e);
    if (!code)
        code = take_values(s, values, m, e);
    if (!code)
        code = mount_copy(m, e);
    args_free(values, MOUNT_PARAM_COUNT);
    glob_set_free(&m->include);
    glob_set_free(&m->exclude);
    return code;
}

/* Puts the mount's index and host_path before the message of E. */
static int fail_in(const json_t *object, size_t i, struct error *e) {
    const struct error why = *e;
    char label[PATH_LABEL];
    const json_t *host_path = json_object_get(object, "host_path");
    const char *text = json_string_value(host_path);
    path_label(text ? text : "?", text ? json_string_length(host_path) : 1, label);
    (void)fail(e, why.code, "mounts[%zu] (%.300s): %.650s", i, label, why.message);
    if (why.hint[0])
        error_hint(e, "%s", why.hint);
    return (int)why.code;
}

static int copy_sources(struct aqfs_workspace *ws, const struct sources *s, const json_t *list,
                        struct error *e) {
    int64_t left = ws->limits.mount_bytes;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < json_array_size(list); i++) {
        struct mounted *done = &ws->mounted[ws->mounted_count];
        struct mount m = {.ws = ws, .done = done, .left = left};
        code = copy_one(s, json_array_get(list, i), &m, e);
        if (code)
            return fail_in(json_array_get(list, i), i, e);
        left -= done->bytes;
        done->path = strdup(m.path[0] ? m.path : ".");
        if (!done->path)
            return fail_memory(e);
        ws->mounted_count++;
    }
    return code;
}

int mounts_copy(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    AUTO(sources_close) struct sources s = {0};
    const struct value *allowed = &o->values[OPT_ALLOWED_HOST_ROOTS];
    if (!o->mounts)
        return AQFS_OK;
    if (allowed->count == 0)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "mounts: expected allowed_host_roots, the directories they may come from");
    ws->mounted = calloc(json_array_size(o->mounts), sizeof *ws->mounted);
    if (!ws->mounted)
        return fail_memory(e);
    int code = sources_open(ws, o, &s, e);
    if (!code)
        code = copy_sources(ws, &s, o->mounts, e);
    if (code)
        return code;
    memory_object_drop(ws->memory->initial);
    ws->memory->initial = memory_object_keep(ws->memory->top);
    return AQFS_OK;
}

void mounts_describe(const struct aqfs_workspace *ws, struct reply *r) {
    reply_key(r, KEY_MOUNTS);
    reply_list(r);
    for (size_t i = 0; i < ws->mounted_count; i++) {
        const struct mounted *m = &ws->mounted[i];
        reply_map(r);
        reply_kv_path(r, KEY_PATH, m->path, strlen(m->path));
        reply_kv_int(r, KEY_FILES, m->files);
        reply_kv_int(r, KEY_BYTES, m->bytes);
        reply_kv_int(r, KEY_SKIPPED, m->skipped);
        reply_end_map(r);
    }
    reply_end_list(r);
}

void mounted_free(struct aqfs_workspace *ws) {
    for (size_t i = 0; i < ws->mounted_count; i++)
        free(ws->mounted[i].path);
    free(ws->mounted);
}

/* secret.c -- places that hold secrets: see secret.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "secret.h"

#include "folded_name.h"
#include "path.h"
#include "secrets.h"

#include <stdlib.h>
#include <string.h>

static const struct secret_group named_by_person = {"Your own", "It is one of secret_paths."};
const struct secret_group secret_elsewhere = {"Another name",
                                              "A secret name leads to the same file."};
static const struct secret_group perhaps_secret = {
    "Several names", "The project has too many files to tell whether one of them is secret."};

/* -- entries ----------------------------------------------------------------------------------- */

struct secrets *secrets_new(void) {
    struct secrets *s = calloc(1, sizeof *s);
    if (s)
        pthread_mutex_init(&s->twins.lock, NULL);
    return s;
}

void secrets_free(struct secrets *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->own_n; i++) {
        free(s->own[i].text);
        glob_free(s->own[i].glob);
    }
    free(s->own);
    secret_twins_clear(&s->twins);
    pthread_mutex_destroy(&s->twins.lock);
    free(s);
}

void secrets_add_built_in(struct secrets *s) {
    s->built_in = true;
}

/* Folds the N bytes of PATH, name by name, into OUT, which has room for as many and a NUL. */
static size_t fold_path(const char *path, size_t n, char *out) {
    size_t len = 0;
    for (size_t at = 0; at < n;) {
        char folded[FOLDED_NAME_MAX];
        const char *slash = memchr(path + at, '/', n - at);
        size_t part = slash ? (size_t)(slash - path) - at : n - at;
        size_t folded_n = fold_name(path + at, part, folded);
        memcpy(out + len, folded, folded_n);
        len += folded_n;
        at += part;
        if (slash) {
            out[len++] = '/';
            at++;
        }
    }
    out[len] = '\0';
    return len;
}

int secrets_add(struct secrets *s, struct secret_entry kind, const char *text, size_t n,
                struct error *e) {
    struct own_secret *grown = realloc(s->own, (s->own_n + 1) * sizeof *grown);
    if (!grown)
        return fail_memory(e);
    s->own = grown;
    struct own_secret own = {.kind = kind, .text = malloc(n + 1)};
    if (!own.text)
        return fail_memory(e);
    size_t len = fold_path(text, n, own.text);
    own.glob = kind.is_plain ? NULL : glob_compile(own.text, len, e);
    if (!own.glob && !kind.is_plain) {
        free(own.text);
        return (int)e->code;
    }
    s->own[s->own_n++] = own;
    return AQFS_OK;
}

/* -- judging a path ---------------------------------------------------------------------------- */

/* A folded path up to one of its names. */
struct folded_path {
    const char *path;
    size_t len;       /* up to the end of the name */
    const char *name; /* in the path; not NUL-terminated */
    size_t name_n;
};

static bool own_matches(const struct own_secret *own, const struct folded_path *f) {
    const char *text = own->kind.is_path ? f->path : f->name;
    size_t n = own->kind.is_path ? f->len : f->name_n;
    if (own->glob)
        return glob_matches(own->glob, text, n);
    return strlen(own->text) == n && memcmp(own->text, text, n) == 0;
}

/* Does an entry say of the path, up to this name, that it is secret, or that it EXEMPTS it? */
static bool is_among_own(const struct secrets *s, const struct folded_path *f, bool exempts) {
    for (size_t i = 0; i < s->own_n; i++)
        if (s->own[i].kind.exempts == exempts && own_matches(&s->own[i], f))
            return true;
    return false;
}

/* The absolute path of ROOT/PATH, folded, without a trailing slash. */
static size_t fold_absolute(const struct root *root, const char *path, char *out) {
    size_t len = fold_path(root->path, root->len, out);
    if (*path) {
        out[len++] = '/';
        len += fold_path(path, strlen(path), out + len);
    }
    return len;
}

/* Is the file at the folded PATH a copy, by its NAME, of a file that is secret?  Copies of copies
 * are looked through.  ABOVE is the name of the directory. */
static const struct secret_group *judge_copy(const struct secrets *s,
                                             const struct folded_path *file, const char *above) {
    char path[2 * (PATH_BYTES_MAX + 1) + NAME_BYTES_MAX + 2];
    const struct secret_group *found = NULL;
    size_t before = (size_t)(file->name - file->path), n = file->name_n, at, len;
    memcpy(path, file->path, file->len);
    path[file->len] = '\0';
    while (!found && secret_name_copied(path + before, n, &at, &len)) {
        n = len;
        memmove(path + before, path + before + at, n);
        path[before + n] = '\0';
        const struct folded_path here = {path, before + n, path + before, n};
        if (is_among_own(s, &here, true))
            return NULL;
        if (is_among_own(s, &here, false))
            found = &named_by_person;
        else if (s->built_in)
            found = secret_of_name(path + before, above, true);
    }
    return found;
}

/* Why the folded PATH is secret.  Its names are judged from the first one on. */
static const struct secret_group *judge_names(const struct secrets *s, const char *path, size_t len,
                                              bool is_directory) {
    const struct secret_group *found = NULL;
    char above[FOLDED_NAME_MAX] = "", name[FOLDED_NAME_MAX] = "";
    for (size_t at = 0; at < len;) {
        at += path[at] == '/';
        const char *slash = memchr(path + at, '/', len - at);
        size_t end = slash ? (size_t)(slash - path) : len, n = end - at;
        bool is_file = end == len && !is_directory;
        memcpy(name, path + at, n);
        name[n] = '\0';
        const struct folded_path here = {path, end, path + at, n};
        if (is_among_own(s, &here, true))
            return NULL;
        if (!found && is_among_own(s, &here, false))
            found = &named_by_person;
        if (!found && s->built_in)
            found = secret_of_name(name, above, is_file);
        if (!found && is_file)
            found = judge_copy(s, &here, above);
        memcpy(above, name, n + 1);
        at = end;
    }
    return found;
}

const struct secret_group *secret_by_path(const struct aqfs_workspace *ws, const struct root *root,
                                          const char *path, bool is_directory) {
    /* A walk asks about names in a directory whose own path already has the greatest length. */
    char folded[2 * (PATH_BYTES_MAX + 1) + NAME_BYTES_MAX + 2];
    if (!ws->secrets)
        return NULL;
    size_t len = fold_absolute(root, path, folded);
    return judge_names(ws->secrets, folded, len, is_directory);
}

const struct secret_group *secret_of_place(struct work *work, const struct place *place,
                                           const struct info *info) {
    struct aqfs_workspace *ws = work->ws;
    bool is_directory = info->type == NODE_DIRECTORY;
    if (!ws->secrets)
        return NULL;
    if (place->passed_secret)
        return place->passed_secret;
    const struct secret_group *why = secret_by_path(ws, place->root, place->path, is_directory);
    if (why)
        return why;
    const struct error before = work->error;
    bool looked = secret_twins_look(work, info) == AQFS_OK;
    work->error = before;
    if (looked && (secret_twins_lead_to(ws, place) || secret_twins_have(ws, info)))
        return &secret_elsewhere;
    bool unknown = !looked || secret_twins_are_cut(ws);
    return unknown && info->links > 1 && !is_directory ? &perhaps_secret : NULL;
}

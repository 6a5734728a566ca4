/* secret_paths.c -- the option secret_paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "secret_paths.h"

#include "cleanup.h"
#include "secret.h"

#include <string.h>

#define BUILT_IN ":default"

/* Adds the path GIVEN, spelled as paths are, by its spelling and by the place that it leads to. */
static int add_secret_path(struct aqfs_workspace *ws, struct secret_entry kind,
                           struct text_ref given, struct error *e) {
    AUTO(buf_free) struct buf absolute = {0}, spelled = {0}, canonical = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    code = code ? code : canonical_of(ws, absolute.data, &canonical, e);
    if (code)
        return code;
    buf_str(&spelled, "");
    buf_str(&canonical, "");
    path_add_names(&spelled, absolute.data, true);
    if (spelled.failed || canonical.failed)
        return fail_memory(e);
    code = secrets_add(ws->secrets, kind, spelled.data, spelled.len, e);
    return code ? code : secrets_add(ws->secrets, kind, canonical.data, canonical.len, e);
}

static int add_secret_name(struct aqfs_workspace *ws, struct secret_entry kind,
                           struct text_ref given, struct error *e) {
    char name[PATH_BYTES_MAX + 1];
    size_t n;
    int code = path_accept(given.data, given.len, NULL, name, &n, e);
    while (!code && n > 1 && name[n - 1] == '/')
        n--;
    return code ? code : secrets_add(ws->secrets, kind, name, n, e);
}

/* A slash at the end says nothing of where a name stands. */
static bool has_inner_slash(struct text_ref t) {
    while (t.len > 1 && t.data[t.len - 1] == '/')
        t.len--;
    return memchr(t.data, '/', t.len) != NULL;
}

static int add_secret(struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    struct secret_entry kind = {.exempts = given.len > 0 && given.data[0] == '!'};
    if (given.len == strlen(BUILT_IN) && memcmp(given.data, BUILT_IN, given.len) == 0) {
        secrets_add_built_in(ws->secrets);
        return AQFS_OK;
    }
    given.data += kind.exempts;
    given.len -= kind.exempts;
    bool quoted = given.len > 0 && given.data[0] == '"';
    kind.is_path = has_inner_slash(given);
    kind.is_plain =
        quoted || !(memchr(given.data, '*', given.len) || memchr(given.data, '?', given.len));
    if (given.len > 0 && given.data[0] == ':')
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "the only word that begins with a colon is " BUILT_IN);
    return kind.is_path ? add_secret_path(ws, kind, given, e) : add_secret_name(ws, kind, given, e);
}

int secret_paths_open(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *given = &o->values[OPT_SECRET_PATHS];
    if (given->count == 0)
        return AQFS_OK;
    ws->secrets = secrets_new();
    if (!ws->secrets)
        return fail_memory(e);
    for (size_t i = 0; i < given->count; i++) {
        const struct error before = *e;
        int code = add_secret(ws, given->list[i], e);
        if (code == AQFS_LIMIT)
            return code;
        if (code)
            return workspace_bad_element("secret_paths", i, given->list[i],
                                         "a path or a glob, such as conf/keys.json or *.pem",
                                         &before, e);
    }
    return AQFS_OK;
}

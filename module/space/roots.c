/* roots.c -- the paths among a workspace's options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "workspace.h"

#include "cleanup.h"
#include "options.h"

int workspace_absolute(const struct aqfs_workspace *ws, struct text_ref given, struct buf *out,
                       struct error *e) {
    char accepted[PATH_BYTES_MAX + 1];
    size_t n;
    int code = path_accept(given.data, given.len, ws->home, accepted, &n, e);
    if (code)
        return code;
    if (accepted[0] != '/') {
        buf_add(out, ws->roots[0].path, ws->roots[0].len);
        buf_char(out, '/');
    }
    buf_add(out, accepted, n);
    while (out->len > 1 && out->data[out->len - 1] == '/')
        out->data[--out->len] = '\0';
    return out->failed ? fail_memory(e) : AQFS_OK;
}

int workspace_bad_element(const char *option, size_t i, struct text_ref given, const char *expected,
                          const struct error *before, struct error *e) {
    char label[PATH_LABEL];
    const struct error why = *e;
    *e = *before;
    return fail(e, AQFS_INVALID_ARGUMENT, "%s: element %zu, %s: expected %s: %.300s", option, i + 1,
                path_label(given.data, given.len, label), expected, why.message);
}

/* Adds a rule that allows GIVEN, which must be inside the workspace. */
static int allow_inside(struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    const struct root *root = &ws->roots[0];
    AUTO(buf_free) struct buf absolute = {0}, path = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    if (code)
        return code;
    buf_str(&path, "");
    path_add_names(&path, absolute.data, true);
    if (path.failed)
        return fail_memory(e);
    if (path_is_below(path.data, path.len, root->path, root->len))
        return rules_add(&ws->rules, path.data, path.len, false) ? AQFS_OK : fail_memory(e);
    char label[PATH_LABEL];
    return fail(e, AQFS_OUTSIDE_ROOT,
                "allowed_paths: %s is not in the workspace; mounts bring copies of files into it",
                path_label(absolute.data, absolute.len, label));
}

int workspace_allow_inside(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *allowed = &o->values[OPT_ALLOWED_PATHS];
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < allowed->count; i++)
        code = allow_inside(ws, allowed->list[i], e);
    return code;
}

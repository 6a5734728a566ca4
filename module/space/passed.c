/* passed.c -- the names by which a path leads through links.
 *
 * SPDX-License-Identifier: MIT
 */
#include "passed.h"

#include "cleanup.h"
#include "path.h"
#include "protect.h"
#include "secret.h"

#include <string.h>

/* The length of REST up to its first `..`. */
static size_t without_dotdot(const char *rest) {
    size_t at = 0;
    while (rest[at]) {
        size_t n = strcspn(rest + at, "/");
        if (n == 2 && memcmp(rest + at, "..", 2) == 0)
            break;
        at += n + (rest[at + n] == '/');
    }
    return at;
}

/* Appends LINK, and the names in REST, each behind a slash. */
static void add_name(struct buf *out, const char *link, const char *rest) {
    AUTO(buf_free) struct buf part = {0};
    buf_str(out, link);
    buf_add(&part, rest, without_dotdot(rest));
    buf_str(&part, "");
    out->failed = out->failed || part.failed;
    if (!out->failed)
        path_add_names(out, part.data, false);
}

int passed_link(const struct aqfs_workspace *ws, const struct root *root, const char *link,
                const char *rest, struct passed *passed, struct error *e) {
    AUTO(buf_free) struct buf name = {0};
    add_name(&name, link, rest);
    if (name.failed)
        return fail_memory(e);
    /* A path that is too long to be one is refused when the walk gets there. */
    if (name.len > PATH_BYTES_MAX)
        return AQFS_OK;
    if (workspace_hides(ws, root, name.data, name.len))
        return fail_path(e, AQFS_RESTRICTED, FAULT_BY_CODE, "It is restricted");
    if (passed->names) {
        place_show(ws, root, name.data, name.len, passed->names);
        buf_char(passed->names, '\0');
    }
    if (!passed->secret)
        passed->secret = secret_by_path(ws, root, name.data, false);
    /* The slash: the path goes on behind the link, to what the link leads to. */
    buf_char(&name, '/');
    if (name.failed)
        return fail_memory(e);
    enum protection here = protect_level(ws, root, name.data);
    passed->level = here > passed->level ? here : passed->level;
    return AQFS_OK;
}

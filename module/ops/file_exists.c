/* file_exists.c -- file_exists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "facts.h"
#include "ops.h"

/* Shows the path of something that is missing: as a place, or as it was given if it cannot be
 * located as one. */
static int show_missing(struct call *c, struct text_ref path, struct place *place,
                        struct buf *out) {
    char bytes[PATH_BYTES_MAX + 1];
    size_t n;
    struct error e;
    if (!workspace_locate(c->work.ws, path, LOCATE_LINK | LOCATE_MISSING, place, &e)) {
        place_show(c->work.ws, place->root, place->path, place->len, out);
        return AQFS_OK;
    }
    int code = path_accept(path.data, path.len, c->work.ws->home, bytes, &n, &c->work.error);
    if (!code)
        buf_add(out, bytes, n);
    return code;
}

int op_file_exists(struct call *c) {
    struct text_ref path = call_text(c, "path");
    struct place place = {.type = NODE_MISSING};
    AUTO(buf_free) struct buf shown = {0};
    int code = workspace_locate(c->work.ws, path, 0, &place, &c->work.error);
    bool exists = code == AQFS_OK;
    if (exists)
        place_show(c->work.ws, place.root, place.path, place.len, &shown);
    else if (code == AQFS_NOT_FOUND || code == AQFS_NOT_A_DIRECTORY || code == AQFS_LOOP)
        code = show_missing(c, path, &place, &shown);
    if (code || shown.failed)
        return code ? code : fail_memory(&c->work.error);
    fact_path(c, KEY_PATH, shown.data, shown.len);
    fact_flag(c, KEY_EXISTS, exists);
    if (place.type != NODE_MISSING) /* a link that leads to nothing has a type too */
        fact_type(c, place.type);
    else
        reply_kv_cstring(&c->reply, KEY_TYPE, NULL);
    return AQFS_OK;
}

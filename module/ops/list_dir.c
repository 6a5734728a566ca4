/* list_dir.c -- list_dir.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "listing.h"
#include "ops.h"
#include "slice.h"

static const char *marker(const struct walk_entry *entry) {
    if (entry->type == NODE_DIRECTORY)
        return "/";
    if (entry->type == NODE_SYMLINK)
        return "@";
    return entry->executable ? "*" : "";
}

int op_list_dir(struct call *c) {
    AUTO(listing_free) struct listing l = {0};
    struct walk_options options = {.max_depth = call_int(c, "depth")};
    int code = listing_open(c, &options, &l);
    code = code ? code : listing_order_broad(c, &l);
    if (code)
        return code;
    struct slice slice = slice_take(c, &l, (size_t)call_int(c, "limit"));
    code = slice_write(c, &l, &slice);
    if (code)
        return code;
    for (size_t i = slice.from; i < slice.to; i++) {
        slice_text_path(c, l.refs[i]);
        buf_printf(&c->text, "%s\n", marker(l.refs[i].entry));
    }
    slice_text_end(c, &l, slice);
    return AQFS_OK;
}

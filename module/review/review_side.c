/* review_side.c -- what was, is or would be at a place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "node.h"
#include "review_parts.h"
#include "scan.h"

#include <string.h>

struct text_ref review_text(const struct review_side *side) {
    return (struct text_ref){side->bytes.data ? side->bytes.data : "", side->bytes.len};
}

bool review_knows_file(const struct review_side *side) {
    return side->type == NODE_FILE && side->known;
}

void review_side_free(struct review_side *side) {
    buf_free(&side->bytes);
    *side = (struct review_side){0};
}

void review_side_hash(struct review_side *side) {
    struct hash h;
    struct text_ref text = review_text(side);
    hash_start(&h);
    hash_add(&h, text.data, text.len);
    hash_end(&h, side->hash);
}

int review_side_copy(struct review_side *to, const struct review_side *from, struct error *e) {
    review_side_free(to);
    *to = *from;
    to->bytes = (struct buf){0};
    buf_add(&to->bytes, review_text(from).data, from->bytes.len);
    return to->bytes.failed ? fail_memory(e) : AQFS_OK;
}

int review_side_of(struct work *work, const struct kept_call *call, const struct kept_step *step,
                   const struct kept_side *kept, struct review_side *out) {
    struct error before = work->error;
    review_side_free(out);
    out->type = kept->type;
    out->mode = kept->mode;
    out->secret = kept->secret;
    out->named = kept->names > 1;
    memcpy(out->hash, kept->hash, HASH_HEX);
    if (kept->type != NODE_FILE && kept->type != NODE_SYMLINK)
        return AQFS_OK;
    int code = kept == &step->is ? kept_read_new(call, step, &out->bytes, &work->error)
                                 : kept_read(call, kept, &out->bytes, &work->error);
    out->known = !code;
    if (code == AQFS_NOT_FOUND) {
        work->error = before;
        return AQFS_OK;
    }
    return code;
}

bool review_is_same(const struct review_side *a, const struct review_side *b) {
    if (a->type != b->type)
        return false;
    if (a->type != NODE_FILE && a->type != NODE_SYMLINK)
        return true;
    return a->hash[0] && strcmp(a->hash, b->hash) == 0;
}

int review_look(struct work *work, const struct root *root, const char *path,
                struct review_side *side, struct info *seen) {
    AUTO(parent_close) struct parent p = {0};
    AUTO(node_close) struct node file = {0};
    const struct backend *backend = work->ws->backend;
    struct error before = work->error;
    *seen = (struct info){.type = NODE_MISSING};
    review_side_free(side);
    side->type = NODE_MISSING;
    int code = parent_open(work->ws, root, path, &p, &work->error);
    code = code ? code : backend->stat_below(&p.node, p.name, seen, &work->error);
    if (code == AQFS_NOT_FOUND || code == AQFS_RACED || code == AQFS_NOT_A_DIRECTORY) {
        *seen = (struct info){.type = NODE_MISSING};
        work->error = before;
        return AQFS_OK;
    }
    if (code)
        return code;
    side->type = seen->type;
    side->mode = seen->mode & KEPT_MODES;
    if (seen->type == NODE_SYMLINK) {
        code = backend->readlink_below(&p.node, p.name, &side->bytes, &work->error);
    } else if (seen->type == NODE_FILE) {
        struct byte_scan scan = {.most = SIZE_MAX, .unversioned = true};
        code = backend->open(work->ws, root, path, OPEN_FILE, &file, &work->error);
        if (!code)
            *seen = file.info;
        code = code ? code : scan_bytes(work->ws, &file, &work->budget, &scan, &work->error);
        if (!code && scan.changed)
            code = fail(&work->error, AQFS_RACED, "A file changed while it was read");
        side->bytes = scan.bytes;
        scan.bytes = (struct buf){0};
        byte_scan_free(&scan);
    } else {
        return AQFS_OK;
    }
    side->known = !code;
    if (!code)
        review_side_hash(side);
    return code;
}

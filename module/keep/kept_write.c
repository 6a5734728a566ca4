/* kept_write.c -- writing the record of a call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "kept_write.h"

#include "clock.h"
#include "kept_parts.h"

#include <string.h>
#include <unistd.h>

/* No call takes more than this part of the room for all. */
#define PART_OF_ALL 4

/* A smaller file is copied, which costs less than a second file does. */
#define LINKED_LEAST 131072

static void write_ref(struct kept_writer *w, const char *key, struct text_ref text) {
    reply_kv_string(&w->header, key, text.data ? text.data : "", text.len);
}

void kept_write_start(struct kept_writer *w, const struct work *work, const char *operation,
                      struct text_ref summary) {
    const struct root *root = &work->ws->roots[0];
    *w = (struct kept_writer){.header.format = AQFS_JSON,
                              .origin = work->origin,
                              .most = (size_t)(work->ws->limits.kept_bytes / PART_OF_ALL)};
    reply_map(&w->header);
    reply_kv_int(&w->header, "time", clock_wall_ns() / NS_PER_MS);
    reply_kv_int(&w->header, KEPT_ROOT, (int64_t)root->inode);
    reply_kv_int(&w->header, KEPT_ROOT_MADE, root->created_ns);
    reply_kv_cstring(&w->header, "operation", operation);
    reply_kv_cstring(&w->header, "origin", origin_names[work->origin]);
    write_ref(w, "summary", summary);
    write_ref(w, "caller", work->caller);
    write_ref(w, "call", work->call);
    reply_key(&w->header, "steps");
    reply_list(&w->header);
}

int kept_write_end(struct kept_writer *w, struct aqfs_workspace *ws, char id[KEPT_ID],
                   struct error *e) {
    reply_end_list(&w->header);
    reply_end_map(&w->header);
    int code = w->id[0] ? AQFS_OK : kept_new_id(ws, w->origin, w->id, e);
    code = code ? code : kept_add(ws, w->id, &w->header.out, &w->bytes, e);
    if (code && w->parts > 0)
        kept_forget(ws, w->id);
    memcpy(id, w->id, KEPT_ID);
    buf_free(&w->header.out);
    buf_free(&w->bytes);
    return code;
}

void kept_write_place(struct kept_writer *w, const char *root_key, const char *key,
                      const struct root *root, const char *path) {
    reply_kv_path(&w->header, root_key, root->path, root->len);
    reply_kv_path(&w->header, key, path, strlen(path));
}

void kept_write_type(struct kept_writer *w, enum node_type type, uint32_t mode) {
    reply_kv_cstring(&w->header, "type", node_type_name(type));
    reply_kv_int(&w->header, "mode", (int64_t)(mode & KEPT_MODES));
}

void kept_write_names(struct kept_writer *w, const struct info *info, bool secret) {
    if (info->type == NODE_FILE && info->links > 1)
        reply_kv_int(&w->header, "names", (int64_t)info->links);
    if (secret)
        reply_kv_bool(&w->header, "secret", true);
}

void kept_write_known(struct kept_writer *w, enum node_type type, uint32_t mode,
                      struct text_ref bytes, const char *hex) {
    char made[HASH_HEX];
    if (!hex || !hex[0]) {
        struct hash h;
        hash_start(&h);
        hash_add(&h, bytes.data ? bytes.data : "", bytes.len);
        hash_end(&h, made);
        hex = made;
    }
    kept_write_type(w, type, mode);
    reply_kv_cstring(&w->header, "hash", hex);
    if (kept_has_room(w, bytes.len))
        kept_write_bytes(w, bytes.data ? bytes.data : "", bytes.len);
}

/* Its owner could write to it later, with a descriptor that is open. */
bool kept_links(const struct kept_writer *w, const struct aqfs_workspace *ws,
                const struct info *info) {
    return kept_is_on_disk(ws) && info->type == NODE_FILE && info->size >= LINKED_LEAST &&
           info->owner == geteuid() && kept_has_room(w, (size_t)info->size);
}

bool kept_write_linked(struct kept_writer *w, struct aqfs_workspace *ws, const struct node *dir,
                       const char *name, const struct info *info, const char *hex) {
    struct error ignored;
    if (!kept_links(w, ws, info) || (!w->id[0] && kept_new_id(ws, w->origin, w->id, &ignored)) ||
        !kept_files_link(ws, w->id, w->parts + 1, dir, name, info))
        return false;
    w->parts++;
    w->linked += (size_t)info->size;
    kept_write_type(w, info->type, info->mode);
    reply_kv_cstring(&w->header, "hash", hex);
    reply_kv_int(&w->header, "part", (int64_t)w->parts);
    reply_kv_int(&w->header, "len", info->size);
    return true;
}

bool kept_has_room(const struct kept_writer *w, size_t n) {
    return n <= w->most && w->bytes.len + w->linked <= w->most - n;
}

void kept_write_bytes(struct kept_writer *w, const char *bytes, size_t n) {
    reply_kv_int(&w->header, "at", (int64_t)w->bytes.len);
    reply_kv_int(&w->header, "len", (int64_t)n);
    buf_add(&w->bytes, bytes, n);
}

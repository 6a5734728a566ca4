/* delete_file.c -- delete_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "named_thing.h"
#include "ops.h"

int plan_delete_file(struct call *c, struct plan *p) {
    struct text_ref path = call_text(c, "path");
    struct change *change = plan_add(p, CHANGE_DELETE);
    if (!change)
        return fail_memory(&c->work.error);
    change->given = path;
    int code = locate_itself(c, p, path, &change->at, &change->seen);
    if (code)
        return code;
    if (change->seen.type == NODE_DIRECTORY && !call_bool(c, "recursive"))
        return fail_place(c, AQFS_IS_DIRECTORY, path, "is a directory: give recursive=true");
    if (change->seen.type == NODE_DIRECTORY)
        code = check_below(c, path, &change->at);
    return code ? code : hash_target(c, change, &change->at, &change->seen, change->held);
}

void report_delete(struct call *c, const struct plan *p) {
    const struct change *change = p->changes[0];
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_keyword(&c->reply, KEY_TYPE, node_type_name(change->seen.type));
    reply_kv_int(&c->reply, KEY_ENTRIES, change->entries);
    buf_printf(&c->text, "Deleted %s ", node_type_name(change->seen.type));
    path_show_safe(&c->text, path.data, path.len);
    if (change->is_tree) {
        buf_str(&c->text, " with ");
        buf_count(&c->text, change->entries, "entry below it", "entries below it");
    }
    if (change->seen.type == NODE_SYMLINK)
        buf_str(&c->text, "; what it leads to stays as it is");
    buf_char(&c->text, '\n');
}

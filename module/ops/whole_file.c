/* whole_file.c -- planning to write a whole file: create_file, write_file, write_bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "whole_file.h"

#include "balance.h"
#include "cleanup.h"
#include "named_thing.h"
#include "textfile.h"

#include <string.h>

/* A link exists too, also one that leads to nothing. */
static int check_fresh(struct call *c, struct text_ref path) {
    struct place itself;
    int code =
        workspace_locate(c->work.ws, path, LOCATE_LINK | LOCATE_MISSING, &itself, &c->work.error);
    if (code)
        return code;
    return itself.type == NODE_MISSING ? AQFS_OK
                                       : fail_place(c, AQFS_EXISTS, path, "exists already");
}

static int check_target(struct call *c, const struct whole_file *r, const struct change *change) {
    enum node_type type = change->seen.type;
    if (type == NODE_MISSING && change->at.must_be_dir)
        return fail_place(c, AQFS_INVALID_ARGUMENT, r->path, "names a directory: it ends in /");
    if (type != NODE_MISSING && type != NODE_FILE)
        return fail_not_file(c, r->path, type);
    if (type == NODE_FILE && !r->may_replace)
        return fail_place(c, AQFS_EXISTS, r->path, "exists already");
    return r->may_replace ? AQFS_OK : check_fresh(c, r->path);
}

/* A file that holds these bytes already is not written, and keeps its times. */
static void notice_same(struct change *change) {
    change->unchanged =
        change->seen.type == NODE_FILE && change->old_bytes.len == change->new_bytes.len &&
        (change->old_bytes.len == 0 ||
         memcmp(change->old_bytes.data, change->new_bytes.data, change->old_bytes.len) == 0);
}

/* Appends text in the encoding and with the line endings that the file has. */
static int append_text(struct call *c, struct change *change, const struct buf *added) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(buf_free) struct buf whole = {0}, tail = {0};
    int code = textfile_load(&c->work, change, &file);
    code = code ? code
                : textfile_accept(&c->work, &file,
                                  (struct text_ref){added->data ? added->data : "", added->len},
                                  &tail);
    if (code)
        return code;
    buf_add(&whole, file.text.data ? file.text.data : "", file.text.len);
    buf_add(&whole, tail.data ? tail.data : "", tail.len);
    return whole.failed ? fail_memory(&c->work.error)
                        : textfile_store(&c->work, &file, &whole, change);
}

static int set_content(struct call *c, const struct whole_file *r, struct change *change,
                       const struct buf *bytes) {
    AUTO(buf_free) struct buf whole = {0};
    if (r->append && r->is_text && change->old_bytes.len > 0)
        return append_text(c, change, bytes);
    if (r->append && change->old_bytes.len > 0)
        buf_add(&whole, change->old_bytes.data, change->old_bytes.len);
    buf_add(&whole, bytes->data ? bytes->data : "", bytes->len);
    return plan_set_bytes(&c->work, change, &whole);
}

int plan_whole_file(struct call *c, struct plan *p, const struct whole_file *r, struct buf *bytes) {
    struct place at;
    struct info seen;
    int code = plan_locate(&c->work, p, r->path, LOCATE_MISSING, &at, &seen);
    code = code ? code : plan_parents(&c->work, p, &at, call_bool(c, "create_parents"));
    struct change *change;
    code = code ? code : plan_add_at(&c->work, p, CHANGE_WRITE, &at, &seen, &change);
    if (code)
        return code;
    change->given = r->path;
    change->edits = r->append;
    code = check_target(c, r, change);
    if (!code && seen.type == NODE_FILE)
        code = plan_read(&c->work, change);
    if (code)
        return code;
    p->bytes = (int64_t)bytes->len;
    code = set_content(c, r, change, bytes);
    if (!code && call_arg(c, "allow_unbalanced")) /* it writes text */
        code = balance_check_bytes(c, change, p->n == 1);
    notice_same(change);
    return code;
}

int check_content_size(struct call *c, size_t n) {
    if ((int64_t)n <= c->work.ws->limits.write_bytes)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_TOO_LARGE, "content: expected at most %lld bytes, got %zu",
                (long long)c->work.ws->limits.write_bytes, n);
}

int take_content_text(struct call *c, struct buf *out) {
    struct text_ref content = call_text(c, "content");
    int code = check_content_size(c, content.len);
    code = code ? code : textfile_check(&c->work, content);
    if (!code)
        buf_add(out, content.data, content.len);
    return code ? code : out->failed ? fail_memory(&c->work.error) : AQFS_OK;
}

struct whole_file whole_file_by_mode(const struct call *c) {
    bool create = call_choice_is(c, "mode", "create");
    return (struct whole_file){.path = call_text(c, "path"),
                               .may_replace = !create,
                               .append = call_choice_is(c, "mode", "append")};
}

void report_write(struct call *c, const struct plan *p) {
    struct change *change = p->changes[p->n - 1];
    bool created = change->seen.type == NODE_MISSING;
    const struct value *mode = call_arg(c, "mode");
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    if (mode)
        reply_kv_string(&c->reply, KEY_MODE, mode->text.data, mode->text.len);
    else
        reply_kv_cstring(&c->reply, KEY_MODE, created ? "create" : "overwrite");
    reply_kv_int(&c->reply, KEY_BYTES_WRITTEN, p->bytes);
    reply_kv_cstring(&c->reply, KEY_VERSION, plan_will_hold(change));
    reply_kv_bool(&c->reply, KEY_CREATED, created);
    report_links(c, change);
    buf_printf(&c->text, "%s ", created ? "Created" : "Wrote");
    path_show_safe(&c->text, path.data, path.len);
    buf_str(&c->text, " (");
    buf_count(&c->text, p->bytes, "byte", "bytes");
    buf_str(&c->text, change->unchanged ? ", as it was)\n" : ")\n");
    buf_printf(&c->text, "[version %s]\n", plan_will_hold(change));
}

/* read_form.c -- read_form: one form of a Lisp file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "lisp_ops.h"
#include "lisp_text.h"
#include "secret_read.h"
#include "unseen.h"

#include <inttypes.h>

struct form_wish form_wish_of(const struct call *c) {
    const struct value *line = call_arg(c, "line");
    return (struct form_wish){
        .name = call_text(c, "name"),
        .kind = call_text(c, "kind"),
        .package = call_text(c, "package"),
        .qualifiers = call_text(c, "qualifiers"),
        .specializers = call_text(c, "specializers"),
        .line = line->known ? line->integer : 0,
    };
}

static void write_word(struct call *c, const struct lisp_text *lisp, const char *key,
                       struct span part) {
    if (part.len > 0)
        reply_kv_string(&c->reply, key, lisp->text.data + part.at, part.len);
    else
        reply_kv_cstring(&c->reply, key, NULL);
}

static void show_form(struct call *c, const struct lisp_text *lisp, const struct form *form) {
    AUTO(buf_free) struct buf path = {0};
    struct unseen_note unseen = {0};
    struct line_counter counter = {.text = lisp->text};
    struct definition d = definition_of(lisp->dialect, lisp->text.data, form);
    size_t start = comment_above(lisp, form), n = form->end - start;
    int64_t first = line_at(&counter, start), own = line_at(&counter, form->start);
    int64_t last = line_at(&counter, form->end - 1);
    size_t most = (size_t)c->work.ws->limits.reply_bytes;
    bool cut = n > most;
    place_show(c->work.ws, lisp->place.root, lisp->place.path, lisp->place.len, &path);
    c->reply.out.failed |= path.failed;
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    write_word(c, lisp, KEY_KIND, d.kind);
    write_word(c, lisp, KEY_NAME, d.name);
    reply_kv_int(&c->reply, KEY_START_LINE, first);
    reply_kv_int(&c->reply, KEY_LINE, own);
    reply_kv_int(&c->reply, KEY_END_LINE, last);
    reply_kv_string(&c->reply, KEY_CONTENT, lisp->text.data + start, cut ? most : n);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, cut);
    reply_kv_cstring(&c->reply, KEY_VERSION, lisp->scan.version[0] ? lisp->scan.version : NULL);
    buf_add(&c->text, lisp->text.data + start, n);
    unseen_note_text(&unseen, NULL, first, lisp->text.data + start, n);
    buf_char(&c->text, '\n');
    unseen_note_end(&unseen, &c->text);
}

int op_read_form(struct call *c) {
    AUTO(lisp_text_free) struct lisp_text lisp = {0};
    AUTO(node_close) struct node file = {0};
    struct text_ref path = call_text(c, "path");
    struct form_wish wish = form_wish_of(c);
    size_t number = 0;
    int code = workspace_open_path(c->work.ws, path, OPEN_FILE, &lisp.place, &file, &c->work.error);
    code = code ? code : call_may_read(c, &lisp.place, &file.info, path);
    code = code ? code : lisp_text_read(c, &file, path, &lisp);
    code = code ? code : choose_form(c, &lisp, &wish, &number);
    if (code)
        return code;
    show_form(c, &lisp, &lisp.forms.all[number]);
    return AQFS_OK;
}

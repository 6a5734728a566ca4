/* insert_at_line.c -- insert_at_line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "edit.h"
#include "ops.h"

int plan_insert_at_line(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(buf_free) struct buf text = {0}, content = {0};
    struct change *change = NULL;
    struct span span;
    int code = open_edit(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    if (!code && !text_has_cr(call_text(c, "content")) && !textfile_unify(&file))
        code = fail_memory(&c->work.error);
    code = code ? code : textfile_accept(&c->work, &file, call_text(c, "content"), &content);
    if (code)
        return code;
    struct text_ref before = {file.text.data ? file.text.data : "", file.text.len};
    struct text_ref added = {content.data ? content.data : "", content.len};
    code = replace_insert(before, call_int(c, "line"), added, &text, &span, &c->work.error);
    return code ? code : finish_edit(c, p, change, &file, &text, &span, 1);
}

/* insert_at_line.c -- insert_at_line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "edit.h"
#include "ops.h"

/* Does the line NUMBER, counted from 1, end in CRLF? */
static bool is_crlf_at(struct text_ref text, size_t number) {
    const size_t at = linewise_below(text.data, text.len, 0, number - 1);
    const char *line = text.data + at, *next = text_next_line(line, text.data + text.len);
    return next - line > 1 && next[-1] == '\n' && next[-2] == '\r';
}

/* Says in P how the lines that it inserts end, unless that is with LF, and the file does so, too.
 */
static void name_inserted_endings(struct plan *p, const struct change *change,
                                  const struct textfile *file) {
    const struct text_ref text = edit_bytes_written(change);
    const bool crlf = file->crlf || (file->mixed && is_crlf_at(text, (size_t)p->start_line));
    const bool ends = text.len == 0 || text.data[text.len - 1] == '\n';
    if (crlf || file->mixed || !ends)
        buf_str(&p->endings, crlf ? "CRLF" : "LF");
    edit_say_unfinished(&p->endings, text);
}

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
    code = code ? code : finish_edit(c, p, change, &file, &text, &span, 1);
    if (!code)
        name_inserted_endings(p, change, &file);
    return code || !p->endings.failed ? code : fail_memory(&c->work.error);
}

/* lisp_text.c -- a Lisp file as its forms: see lisp_text.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lisp_text.h"

#include "cleanup.h"
#include "path.h"

#include <inttypes.h>
#include <string.h>

int lisp_dialect(struct call *c, const struct place *place, struct text_ref given,
                 struct text_ref text, enum dialect *out) {
    struct text_ref word = call_text(c, "dialect");
    char label[PATH_LABEL];
    *out = word.len > 0 ? dialect_by_word(word.data, word.len)
                        : dialect_of(place->path, place->len, text.data, text.len);
    if (*out)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                "Path '%s' is not known to be a Lisp file: give dialect",
                path_label(given.data, given.len, label));
}

int lisp_forms(struct call *c, struct text_ref given, struct lisp_text *out) {
    int code = lisp_dialect(c, &out->place, given, out->text, &out->dialect);
    if (code)
        return code;
    return forms_read(out->dialect, out->text.data, out->text.len, &out->forms)
               ? AQFS_OK
               : fail_memory(&c->work.error);
}

static int fail_large(struct call *c, struct text_ref given, int64_t size) {
    char label[PATH_LABEL];
    (void)fail(&c->work.error, AQFS_TOO_LARGE,
               "Path '%s' has %" PRId64 " bytes; %" PRId64 " can be read as Lisp",
               path_label(given.data, given.len, label), size, c->work.ws->limits.read_bytes);
    error_hint(&c->work.error, "look for what you need with grep_files");
    return AQFS_TOO_LARGE;
}

int lisp_text_read(struct call *c, const struct node *file, struct text_ref given,
                   struct lisp_text *out) {
    char label[PATH_LABEL];
    out->scan = (struct text_scan){
        .label = path_label(given.data, given.len, label),
        .first = 1,
        .last = INT64_MAX,
        .most = (size_t)c->work.ws->limits.read_bytes,
        .brief = out->scan.brief,
    };
    if (file->info.size > c->work.ws->limits.read_bytes)
        return fail_large(c, given, file->info.size);
    int code = scan_text(c->work.ws, file, &c->work.budget, &out->scan, &c->work.error);
    if (code)
        return code;
    if (out->scan.cut || !out->scan.complete) /* it has grown, or its text is longer */
        return fail_large(c, given, file->info.size);
    out->text =
        (struct text_ref){out->scan.text.data ? out->scan.text.data : "", out->scan.text.len};
    return lisp_forms(c, given, out);
}

void lisp_text_free(struct lisp_text *lisp) {
    text_scan_free(&lisp->scan);
    forms_free(&lisp->forms);
}

int64_t line_at(struct line_counter *counter, size_t at) {
    if (at < counter->at || counter->lines == 0) {
        counter->at = 0;
        counter->lines = 1;
    }
    counter->lines += (int64_t)lines_count(counter->text.data + counter->at, at - counter->at);
    counter->at = at;
    return counter->lines;
}

struct span changed_span(struct text_ref before, struct text_ref after) {
    size_t most = before.len < after.len ? before.len : after.len;
    size_t head = common_head(before.data, after.data, most);
    size_t tail = common_tail(before.data + before.len, after.data + after.len, most - head);
    return (struct span){head, after.len - head - tail};
}

/* Is there nothing but white space in the line before AT? */
static bool begins_line(const char *text, size_t start, size_t at) {
    while (start < at && (text[start] == ' ' || text[start] == '\t'))
        start++;
    return start == at;
}

/* Does the line at START, of the text's first AT bytes, hold a comment and nothing else? */
static bool is_comment_line(const char *text, size_t start, size_t end) {
    while (start < end && (text[start] == ' ' || text[start] == '\t'))
        start++;
    return start < end && text[start] == ';';
}

/* A line that begins above this is no comment of FORM: it has the end of the form before, or of a
 * block comment, whose own lines may begin with a semicolon. */
static size_t comments_begin(const struct lisp_text *lisp, const struct form *form) {
    const char *text = lisp->text.data;
    size_t floor = form > lisp->forms.all ? form[-1].end : 0;
    for (size_t at = form->start; at >= floor + 2; at--)
        if (text[at - 2] == '|' && text[at - 1] == '#')
            return at;
    return floor;
}

size_t comment_above(const struct lisp_text *lisp, const struct form *form) {
    const char *text = lisp->text.data;
    size_t line = linewise_start(text, form->start), floor = comments_begin(lisp, form);
    if (!begins_line(text, line, form->start))
        return form->start;
    while (line > floor) {
        size_t above = linewise_start(text, line - 1);
        if (above < floor || !is_comment_line(text, above, line))
            break;
        line = above;
    }
    return line;
}

/* Of a longer part of a label, only so many bytes are shown. */
#define LABEL_PART 100

static void add_label_part(const struct lisp_text *lisp, struct span part, struct buf *out) {
    const char *at = lisp->text.data + part.at;
    size_t shown = 0;
    while (shown < part.len && shown < LABEL_PART && at[shown] != '\n')
        shown++;
    if (part.len == 0)
        return;
    if (out->len > 0)
        buf_char(out, ' ');
    buf_add(out, at, shown);
    if (shown < part.len)
        buf_str(out, "...");
}

void form_label(const struct lisp_text *lisp, const struct form *form, struct buf *out) {
    struct definition d = definition_of(lisp->dialect, lisp->text.data, form);
    AUTO(buf_free) struct buf label = {0};
    add_label_part(lisp, d.kind, &label);
    add_label_part(lisp, d.name, &label);
    add_label_part(lisp, d.qualifiers, &label);
    add_label_part(lisp, d.specializers, &label);
    buf_add(out, label.data ? label.data : "", label.len);
    out->failed |= label.failed;
}

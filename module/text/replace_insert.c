/* replace_insert.c -- inserting lines into a text: see replace.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"
#include "replace.h"

#include <inttypes.h>

/* Finds the offset at which the line after LINE begins. */
static int find_line(struct text_ref text, int64_t line, size_t *at, struct error *e) {
    const size_t lines = linewise_count(text.data, text.len);
    if (line < -1 || (line > 0 && (uint64_t)line > lines))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "line: expected 0 (the beginning), -1 (the end) or a line of the text, which "
                    "has %zu line%s, not %" PRId64,
                    lines, lines == 1 ? "" : "s", line);
    *at = line == -1 ? text.len : linewise_below(text.data, text.len, 0, (size_t)line);
    return AQFS_OK;
}

int replace_insert(struct text_ref text, int64_t line, struct text_ref content, struct buf *out,
                   struct span *span, struct error *e) {
    if (content.len == 0) {
        (void)fail(e, AQFS_INVALID_ARGUMENT, "content is empty: there is nothing to insert");
        error_hint(e, "an empty line is \"\\n\"");
        return AQFS_INVALID_ARGUMENT;
    }
    if (text.len == 0)
        text.data = ""; /* data may be NULL, to which no offset may be added */
    size_t at = 0;
    int code = find_line(text, line, &at, e);
    if (code)
        return code;
    const bool joins = at > 0 && text.data[at - 1] != '\n'; /* an unfinished last line */
    const bool finish = content.data[content.len - 1] != '\n' && text.len > 0 && !joins;
    buf_reserve(out, text.len + content.len + 2);
    buf_add(out, text.data, at);
    buf_str(out, joins ? "\n" : "");
    buf_add(out, content.data, content.len);
    buf_str(out, finish ? "\n" : "");
    buf_add(out, text.data + at, text.len - at);
    if (out->failed)
        return fail_memory(e);
    *span = (struct span){at + joins, content.len + finish};
    return AQFS_OK;
}

/* patch_wrap.c -- unwrapping patches, detecting their format, and showing their lines.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_read.h"

#include "buf.h"
#include "lines.h"
#include "path.h"
#include "utf8.h"

#include <string.h>

/* Finds the word that closes the here-document or fence that LINE opens.  Returns its length, or 0
 * when LINE opens none. */
static size_t closing_word(const char *line, size_t n, const char **word) {
    static const char *const commands[] = {"", "apply_patch", "applypatch", "git apply"};
    patch_trim(&line, &n);
    if (patch_begins(line, n, "```")) {
        *word = "```";
        return memchr(line + 3, '`', n - 3) ? 0 : 3;
    }
    const char *open = memmem(line, n, "<<", 2);
    if (!open)
        return 0;
    const char *command = line, *end = line + n;
    size_t length = (size_t)(open - line);
    patch_trim(&command, &length);
    bool known = false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        known =
            known || (length == strlen(commands[i]) && patch_begins(command, length, commands[i]));
    open += 2;
    if (end - open > 2 && (*open == '\'' || *open == '"') && end[-1] == *open) {
        open++;
        end--;
    }
    for (const char *c = open; c < end; c++)
        known = known && (*c == '_' || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'));
    *word = open;
    return known ? (size_t)(end - open) : 0;
}

/* The beginning of the last line at or after BEGIN that is not blank. */
static const char *last_written_line(const char *begin, const char *end) {
    while (end > begin && patch_is_space(end[-1]))
        end--;
    const char *newline = end > begin ? memrchr(begin, '\n', (size_t)(end - begin)) : NULL;
    return newline ? newline + 1 : begin;
}

int patch_unwrap(struct patch_reader *r) {
    struct patch_reader inside = *r;
    while (patch_at_blank(&inside))
        patch_skip(&inside);
    const char *word;
    size_t length = inside.done ? 0 : closing_word(inside.line, inside.n, &word);
    if (length == 0)
        return AQFS_OK;
    const char *last = last_written_line(inside.next, inside.end), *closing = last;
    size_t n = (size_t)(inside.end - last);
    patch_trim(&closing, &n);
    if (n != length || memcmp(closing, word, n) != 0)
        return patch_fail(r, inside.number,
                          "the fence or here-document that begins here is not closed at the end");
    inside.end = last;
    patch_skip(&inside);
    *r = inside;
    return AQFS_OK;
}

enum patch_format patch_detect(const char *text, size_t n) {
    static const char *const unified[] = {"diff --git ", "--- ", "+++ ", "@@ -", "Index: "};
    static const char *const envelope[] = {"*** Begin Patch",
                                           "*** Add File:", "*** Update File:", "*** Delete File:"};
    for (const char *at = text, *end = text + n; at < end; at = text_next_line(at, end)) {
        size_t left = (size_t)(text_next_line(at, end) - at);
        for (size_t i = 0; i < sizeof unified / sizeof *unified; i++) {
            if (patch_begins(at, left, unified[i]))
                return PATCH_UNIFIED;
        }
        const char *line = at;
        patch_trim(&line, &left);
        for (size_t i = 0; i < sizeof envelope / sizeof *envelope; i++) {
            if (patch_begins(line, left, envelope[i]))
                return PATCH_ENVELOPE;
        }
    }
    return PATCH_UNIFIED;
}

#define LABEL_BYTES 90

/* Four characters for each byte, two quotes, the ellipsis and a NUL fit, so the buffer that uses
 * LABEL as its memory never reallocates it. */
_Static_assert(4 * LABEL_BYTES + 2 + 3 + 1 <= PATCH_LABEL, "a label must fit");

const char *patch_label(const char *text, size_t n, char label[PATCH_LABEL]) {
    struct buf b = {.data = label, .cap = PATCH_LABEL};
    size_t shown = utf8_cut(text, n, LABEL_BYTES);
    buf_char(&b, '"');
    for (size_t at = 0, length; at < shown; at += length) {
        int32_t c;
        length = utf8_decode(text + at, shown - at, &c);
        if (c == '\t')
            buf_str(&b, "\\t");
        else if (c < 0x20 || c == 0x7F)
            buf_printf(&b, "\\x%02X", (unsigned char)text[at]);
        else if (path_is_deceptive(c))
            buf_printf(&b, "\\u{%X}", (unsigned)c);
        else
            buf_add(&b, text + at, length);
    }
    buf_str(&b, shown < n ? "…\"" : "\"");
    return label;
}

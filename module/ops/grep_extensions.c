/* grep_extensions.c -- matches counted by the extension of the file that they are in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep.h"

#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* The extension of PATH's last name, or "" if it has none that looks like one. */
static struct text_ref extension_of(struct text_ref path) {
    size_t at = path.len;
    while (at > 0 && path.data[at - 1] != '.' && path.data[at - 1] != '/')
        at--;
    const struct text_ref extension = {path.data + at, path.len - at};
    const bool named = at > 1 && path.data[at - 1] == '.' && path.data[at - 2] != '/';
    if (!named || extension.len >= GREP_EXTENSION_BYTES)
        return (struct text_ref){"", 0};
    for (size_t i = 0; i < extension.len; i++)
        if (!text_is_word(extension.data[i]))
            return (struct text_ref){"", 0};
    return extension;
}

void grep_extensions_add(struct grep_extensions *e, struct text_ref path, int64_t lines) {
    const struct text_ref name = extension_of(path);
    size_t i = 0;
    while (i < e->n &&
           (strlen(e->all[i].name) != name.len || memcmp(e->all[i].name, name.data, name.len) != 0))
        i++;
    if (i == GREP_EXTENSIONS_MOST)
        i = GREP_EXTENSIONS_MOST - 1; /* which stands for itself and all others */
    if (i == e->n) {
        e->n++;
        memcpy(e->all[i].name, name.data, name.len);
    }
    e->all[i].files++;
    e->all[i].lines += lines;
}

static int more_lines_first(const void *a, const void *b) {
    const struct grep_extension *x = a, *y = b;
    return x->lines == y->lines ? strcmp(x->name, y->name)
                                : (x->lines < y->lines) - (x->lines > y->lines);
}

void grep_extensions_say(struct grep_extensions *e, struct buf *out) {
    if (e->n < 2 || e->n == GREP_EXTENSIONS_MOST)
        return;
    qsort(e->all, e->n, sizeof *e->all, more_lines_first);
    buf_str(out, "[by extension: ");
    for (size_t i = 0; i < e->n; i++) {
        const struct grep_extension *x = &e->all[i];
        buf_printf(out, "%s%s%s %lld in ", i > 0 ? ", " : "", *x->name ? "." : "",
                   *x->name ? x->name : "none", (long long)x->lines);
        buf_count(out, x->files, "file", "files");
    }
    buf_str(out, "]\n");
}

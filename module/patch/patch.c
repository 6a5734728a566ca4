/* patch.c -- reading a patch as a whole: see patch.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"
#include "patch_mistake.h"
#include "patch_read.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* A path that a file of the patch has, before the patch or after it. */

struct claim {
    const char *path;
    size_t line;
};

static int compare_claims(const void *a, const void *b) {
    const struct claim *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int check_claims(struct patch_reader *r, struct claim *claims, size_t n) {
    char label[PATH_LABEL];
    if (n > 0) /* qsort's pointer must not be NULL */
        qsort(claims, n, sizeof *claims, compare_claims);
    for (size_t i = 1; i < n; i++) {
        const struct claim *claim = &claims[i];
        if (strcmp(claim[-1].path, claim->path) == 0)
            return patch_fail(r, claim->line, "%s is changed a second time, first at line %zu",
                              path_label(claim->path, strlen(claim->path), label), claim[-1].line);
    }
    return AQFS_OK;
}

/* Checks the paths before the patch and those after it separately, because renames may swap names.
 */
static int check_files(struct patch_reader *r) {
    const struct patch *p = r->patch;
    if (p->file_count == 0)
        return fail(r->error, AQFS_PATCH_PARSE, "the patch changes no file");
    struct claim *claims = malloc(p->file_count * sizeof *claims);
    if (!claims)
        return fail_memory(r->error);
    size_t n = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        const struct patch_file *f = &p->files[i];
        if (f->old_path && f->action != PATCH_COPY) /* a copy does not change its source */
            claims[n++] = (struct claim){.path = f->old_path, .line = f->line};
    }
    int code = check_claims(r, claims, n);
    if (code == AQFS_OK) {
        for (n = 0; n < p->file_count; n++)
            claims[n] = (struct claim){.path = patch_path(&p->files[n]), .line = p->files[n].line};
        code = check_claims(r, claims, n);
    }
    free(claims);
    return code;
}

static int read_patch_text(struct patch_reader *r, const char *text, size_t n) {
    struct endings endings = {0};
    endings_add(&endings, text, n);
    r->crlf = endings_are_crlf(&endings);
    r->next = patch_begins(text, n, BYTE_ORDER_MARK) ? text + strlen(BYTE_ORDER_MARK) : text;
    r->end = text + n;
    r->number = 1;
    patch_load_line(r);
    /* Twice, for a here-document inside a fence. */
    int code = AQFS_OK;
    for (int layer = 0; layer < 2 && code == AQFS_OK; layer++)
        code = patch_unwrap(r);
    if (code == AQFS_OK)
        code = r->patch->format == PATCH_UNIFIED ? patch_read_unified(r) : patch_read_envelope(r);
    if (code == AQFS_OK && r->patch->format == PATCH_ENVELOPE)
        code = patch_join_sections(r);
    return code == AQFS_OK ? check_files(r) : code;
}

int patch_read(const char *text, size_t n, enum patch_format format, struct patch *patch,
               struct error *e) {
    *patch = (struct patch){.format = format == PATCH_AUTO ? patch_detect(text, n) : format};
    struct patch_reader r = {.patch = patch, .error = e};
    int code = read_patch_text(&r, text, n);
    if (code == AQFS_PATCH_PARSE)
        patch_hint_reading(&r, text, n);
    if (code != AQFS_OK)
        patch_free(patch);
    return code;
}

void patch_free(struct patch *patch) {
    arena_free(&patch->arena);
    *patch = (struct patch){0};
}

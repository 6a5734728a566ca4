/* patch_join.c -- joining the sections of an envelope that update one file.
 *
 * Models write a section for each place that they change.  The hunks of the later
 * sections are appended to the first one, and each section begins anew at the top
 * of the file, as the sections before it leave the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_read.h"

#include <stdlib.h>
#include <string.h>

/* Orders sections by their file, and those of one file as they stand in the patch. */
static int compare_sections(const void *a, const void *b) {
    const struct patch_file *x = *(struct patch_file *const *)a,
                            *y = *(struct patch_file *const *)b;
    int order = strcmp(x->old_path, y->old_path);
    return order ? order : (x > y) - (x < y);
}

/* Appends the hunks of the N SECTIONS, which update one file, to the first; the others keep none.
 */
static int join_sections(struct patch_reader *r, struct patch_file **sections, size_t n) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        total += sections[i]->hunk_count;
    struct patch_hunk *hunks = arena_take(&r->patch->arena, total * sizeof *hunks);
    if (!hunks)
        return fail_memory(r->error);
    for (size_t i = 0; i < n; i++) {
        memcpy(hunks + at, sections[i]->hunks, sections[i]->hunk_count * sizeof *hunks);
        hunks[at].begins_anew = i > 0;
        at += sections[i]->hunk_count;
        sections[i]->hunk_count = 0;
    }
    sections[0]->hunks = hunks;
    sections[0]->hunk_count = total;
    return AQFS_OK;
}

static void drop_joined(struct patch *p) {
    size_t kept = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        if (p->files[i].action != PATCH_MODIFY || p->files[i].hunk_count > 0)
            p->files[kept++] = p->files[i];
    }
    p->file_count = kept;
}

int patch_join_sections(struct patch_reader *r) {
    struct patch *p = r->patch;
    struct patch_file **updates = malloc((p->file_count + 1) * sizeof *updates);
    if (!updates)
        return fail_memory(r->error);
    size_t n = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        if (p->files[i].action == PATCH_MODIFY)
            updates[n++] = &p->files[i];
    }
    if (n > 0)
        qsort(updates, n, sizeof *updates, compare_sections);
    int code = AQFS_OK;
    for (size_t from = 0, to; from < n && code == AQFS_OK; from = to) {
        for (to = from + 1; to < n && !strcmp(updates[from]->old_path, updates[to]->old_path);)
            to++;
        if (to - from > 1)
            code = join_sections(r, updates + from, to - from);
    }
    free(updates);
    drop_joined(p);
    return code;
}

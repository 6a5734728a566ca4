/* SPDX-License-Identifier: MIT */
/* roundtrip.c -- roundtrip N: what git says is the difference of two random trees makes of the
 * first the second, and reversed of the second the first.
 *
 * The same differences, written with CRLF or as an envelope, make the same texts, if any.
 */
#include "parts/import.h"
#include "parts/stream.h"

#include "files.h"
#include "lines.h"
#include "patch_apply.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From git, and back. */

static bool complain(const struct buf *patch, const char *what, const char *message) {
    printf("FAIL: %s: %s\n%.*s\n", what, message, (int)patch->len, patch->data);
    return false;
}

/* Makes of OLD what the patch says. */
static bool apply_tree(const struct patch *patch, const struct tree *old, struct tree *new,
                       struct error *e) {
    for (size_t i = 0; i < old->count; i++) {
        bool kept = true;
        for (size_t k = 0; k < patch->file_count && kept; k++) {
            const struct patch_file *f = &patch->files[k];
            kept = f->action == PATCH_COPY || !f->old_path ||
                   strcmp(f->old_path, old->files[i].path) != 0;
        }
        if (kept)
            add_file(new, old->files[i].path, old->files[i].mode, &old->files[i].text, false);
    }
    for (size_t k = 0; k < patch->file_count; k++) {
        const struct patch_file *f = &patch->files[k];
        const struct file *from = f->old_path ? find_file(old, f->old_path) : NULL;
        if (f->old_path && !from)
            return fail(e, AQFS_NOT_FOUND, "%s is not there", f->old_path) == AQFS_OK;
        if (f->old_mode && from && from->mode != f->old_mode)
            return fail(e, AQFS_STALE, "%s has another mode", f->old_path) == AQFS_OK;
        struct patched out;
        int code =
            patch_apply(patch, f, from ? from->text.data : "", from ? from->text.len : 0, &out, e);
        buf_str(&out.text, "");
        if (code == AQFS_OK && f->new_path)
            add_file(new, f->new_path,
                     f->new_mode ? f->new_mode
                     : from      ? from->mode
                                 : 0100644,
                     &out.text, false);
        patched_free(&out);
        if (code != AQFS_OK)
            return false;
    }
    return true;
}

static bool same_trees(const struct tree *a, const struct tree *b, bool modes) {
    for (size_t i = 0; i < a->count; i++) {
        const struct file *f = &a->files[i], *g = find_file(b, f->path);
        if (!g || (modes && f->mode != g->mode) || f->text.len != g->text.len ||
            memcmp(f->text.data, g->text.data, f->text.len) != 0)
            return false;
    }
    return a->count == b->count;
}

/* Does TEXT make NEW of OLD?  Or else, where it MAY, is it refused? */
static bool check(const struct buf *text, enum patch_format format, const struct tree *old,
                  const struct tree *new, const char *what, bool may, size_t *applied) {
    struct patch patch;
    struct tree made = {0};
    struct error e;
    if (patch_read(text->data, text->len, format, &patch, &e) != AQFS_OK)
        return complain(text, what, e.message);
    bool ok = apply_tree(&patch, old, &made, &e);
    *applied += ok;
    bool same = ok && same_trees(&made, new, format == PATCH_UNIFIED);
    free_tree(&made);
    patch_free(&patch);
    if (!ok)
        return may || complain(text, what, e.message);
    return same || complain(text, what, "another tree");
}

/* The same difference in other words. */

static void write_crlf(const struct buf *text, struct buf *out) {
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] == '\n')
            buf_char(out, '\r');
        buf_char(out, text->data[i]);
    }
}

static void write_path(struct buf *out, const char *marker, const char *path) {
    buf_str(out, marker);
    path_show_safe(out, path, strlen(path));
    buf_char(out, '\n');
}

static void write_hunk(const struct patch_hunk *h, struct buf *out) {
    struct patch_line line;
    for (const char *at = h->body; patch_next_line(h, &at, &line);) {
        buf_char(out, line.op);
        buf_add(out, line.text, line.n);
        buf_str(out, line.no_newline ? "\n\\ No newline at end of file\n" : "\n");
    }
}

/* The beginning of line NUMBER, from 1, of a text; its end where it has not so many. */
static const char *line_of(const struct buf *text, size_t number) {
    const char *at = text->data, *end = text->data + text->len;
    while (number-- > 1 && at < end)
        at = text_next_line(at, end);
    return at;
}

/* Do the hunk's old lines stand at AT, whatever the lines end in? */
static bool stands_at(const struct patch_hunk *h, const char *at, const char *end) {
    struct patch_line line;
    for (const char *body = h->body; patch_next_line(h, &body, &line);) {
        if (line.op == '+')
            continue;
        const char *next = at < end ? text_next_line(at, end) : end;
        size_t n = (size_t)(next - at), wanted = line.n;
        while (n > 0 && (at[n - 1] == '\n' || at[n - 1] == '\r'))
            n--;
        while (wanted > 0 && line.text[wanted - 1] == '\r')
            wanted--;
        if (at == end || n != wanted || memcmp(at, line.text, n) != 0)
            return false;
        at = next;
    }
    return true;
}

/* Behind another hunk the first place counts.  Is there one before the hunk's own? */
static bool stands_earlier(const struct patch_hunk *h, const struct patch_hunk *before,
                           const struct buf *text) {
    const char *end = text->data + text->len, *own = line_of(text, h->old_start);
    const char *at = line_of(text, before->old_start + before->old_count);
    while (at < own && !stands_at(h, at, end))
        at = text_next_line(at, end);
    return at < own;
}

/* False where an envelope cannot say it. */
static bool write_envelope(const struct patch *patch, const struct tree *old, struct buf *out) {
    buf_str(out, "*** Begin Patch\n");
    for (size_t i = 0; i < patch->file_count; i++) {
        const struct patch_file *f = &patch->files[i];
        bool update = f->action == PATCH_MODIFY || f->action == PATCH_RENAME;
        if (f->action == PATCH_COPY || (f->action == PATCH_MODIFY && f->hunk_count == 0))
            return false;
        write_path(out,
                   update                   ? "*** Update File: "
                   : f->action == PATCH_ADD ? "*** Add File: "
                                            : "*** Delete File: ",
                   f->old_path ? f->old_path : f->new_path);
        if (f->action == PATCH_RENAME)
            write_path(out, "*** Move to: ", f->new_path);
        for (size_t k = 0; k < f->hunk_count && f->action != PATCH_DELETE; k++) {
            if (k > 0 &&
                stands_earlier(&f->hunks[k], &f->hunks[k - 1], &find_file(old, f->old_path)->text))
                return false;
            buf_str(out, update ? "@@\n" : "");
            write_hunk(&f->hunks[k], out);
        }
    }
    buf_str(out, "*** End Patch\n");
    return true;
}

struct counts {
    size_t unified, crlf, envelopes, envelopes_said;
    size_t actions[PATCH_COPY + 1];
};

static bool check_other_words(const struct buf *text, const struct tree *old,
                              const struct tree *new, struct counts *counts) {
    struct buf other = {0};
    struct patch patch;
    struct error e;
    bool ok = true;
    if (!memchr(text->data, '\r', text->len)) {
        write_crlf(text, &other);
        ok = check(&other, PATCH_UNIFIED, old, new, "with CRLF", false, &counts->crlf);
    }
    buf_clear(&other);
    if (ok && patch_read(text->data, text->len, PATCH_UNIFIED, &patch, &e) == AQFS_OK) {
        for (size_t i = 0; i < patch.file_count; i++)
            counts->actions[patch.files[i].action]++;
        if (write_envelope(&patch, old, &other)) {
            counts->envelopes_said++;
            ok =
                check(&other, PATCH_ENVELOPE, old, new, "as an envelope", true, &counts->envelopes);
        }
        patch_free(&patch);
    }
    buf_free(&other);
    return ok;
}

/* Reads the differences of all neighbours, reversed or not; OK is cleared where one fails. */
static void run(const char *git_dir, const char *options, const struct tree *trees, size_t count,
                bool reversed, bool *ok, struct counts *counts) {
    char command[700], id[ID_LENGTH + 1];
    struct stream s;
    (void)snprintf(command, sizeof command,
                   "git --git-dir=%s rev-list --reverse main | git --git-dir=%s diff-tree --stdin "
                   "--always -r -p %s",
                   git_dir, git_dir, options);
    stream_open(&s, command);
    size_t i = 0;
    for (; stream_next(&s, id); i++) {
        if (i == 0) /* the first has no tree before it */
            continue;
        const struct tree *old = &trees[i - !reversed], *new = &trees[i - reversed];
        if (s.patch.len == 0)
            ok[i] = ok[i] && same_trees(old, new, true);
        else
            ok[i] = ok[i] &&
                    check(&s.patch, PATCH_UNIFIED, old, new, options, false, &counts->unified) &&
                    check_other_words(&s.patch, old, new, counts);
    }
    if (i != count) {
        printf("FAIL: %zu commits came back of %zu\n", i, count);
        ok[0] = false;
    }
    stream_close(&s);
}

int main(int argc, char **argv) {
    size_t count = (argc > 1 ? strtoul(argv[1], NULL, 10) : 500) + 1, passed = 0;
    struct tree *trees = calloc(count, sizeof *trees);
    bool *ok = calloc(count, sizeof *ok);
    char *directory = make_temporary_in(temporary_place(), "aqfs-roundtrip");
    struct counts counts = {0};
    if (!trees || !ok)
        return 2;
    next_tree(&trees[0], &trees[0]);
    for (size_t i = 1; i < count; i++)
        next_tree(&trees[i - 1], &trees[i]);
    memset(ok, true, count);
    write_history(directory, trees, count);
    run(directory, "-M", trees, count, false, ok, &counts);
    run(directory, "-R -C -U1", trees, count, true, ok, &counts);
    for (size_t i = 1; i < count; i++)
        passed += ok[i] && ok[0];
    printf("%zu diffs applied, %zu with CRLF, %zu of %zu as envelopes\n", counts.unified,
           counts.crlf, counts.envelopes, counts.envelopes_said);
    printf("%zu passed, %zu failed\n", passed, count - 1 - passed);
    for (size_t i = 0; i < count; i++)
        free_tree(&trees[i]);
    free(trees);
    free(ok);
    remove_all(directory);
    free(directory);
    return passed != count - 1;
}

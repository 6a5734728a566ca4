/* patch_section.c -- reading what the sections of a patch start from: see patch_section.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_section.h"
#include "call.h"

#include "cleanup.h"
#include "encoding.h"
#include "patch_apply.h"
#include "workers.h"

#include <stdatomic.h>
#include <string.h>

int patch_fail_path(struct call *c, enum code code, const char *path, const char *problem) {
    char label[PATH_LABEL];
    return fail(&c->work.error, code, "Path '%s' %s", path_label(path, strlen(path), label),
                problem);
}

int patch_locate_path(struct call *c, const char *path, unsigned flags, struct place *at,
                      struct info *seen) {
    AUTO(buf_free) struct buf shown = {0};
    path_show(&shown, path, strlen(path));
    if (shown.failed)
        return fail_memory(&c->work.error);
    return plan_find(&c->work, (struct text_ref){shown.data, shown.len}, flags, at, seen);
}

int patch_remember_path(struct call *c, struct plan *p, const char *path, unsigned flags,
                        const struct place *at) {
    AUTO(buf_free) struct buf shown = {0};
    path_show(&shown, path, strlen(path));
    if (shown.failed)
        return fail_memory(&c->work.error);
    return plan_remember(&c->work, p, (struct text_ref){shown.data, shown.len}, flags, at);
}

/* A deletion or rename concerns the name, which must then be the file's own. */
unsigned patch_old_flags(const struct patch_file *file) {
    bool keeps_name = file->action == PATCH_MODIFY || file->action == PATCH_COPY;
    return keeps_name ? 0 : LOCATE_LINK;
}

/* -- one section ------------------------------------------------------------------------------ */

static int locate_old(struct call *c, const struct patch_file *file, struct change *source) {
    int code = patch_locate_path(c, file->old_path, patch_old_flags(file), &source->at, NULL);
    if (code)
        return code;
    if (source->at.type == NODE_DIRECTORY)
        return patch_fail_path(c, AQFS_IS_DIRECTORY, file->old_path, "is a directory");
    if (source->at.type == NODE_SYMLINK)
        return patch_fail_path(c, AQFS_NOT_REGULAR, file->old_path,
                               "is a symbolic link: only what it leads to can be patched");
    if (source->at.type != NODE_FILE)
        return patch_fail_path(c, AQFS_NOT_REGULAR, file->old_path, "is not a regular file");
    return plan_read(&c->work, source);
}

static struct text_ref bytes_of(const struct buf *b) {
    return (struct text_ref){b->data ? b->data : "", b->len};
}

static bool has_ascii_hunks(const struct patch_file *file) {
    for (size_t i = 0; i < file->hunk_count; i++) {
        struct patch_line line;
        for (const char *body = file->hunks[i].body;
             patch_next_line(&file->hunks[i], &body, &line);)
            for (size_t k = 0; k < line.n; k++)
                if (line.text[k] & 0x80)
                    return false;
    }
    return true;
}

/* The text of SOURCE, which is no UTF-8; its bytes become the same again. */
static int decode_source(struct call *c, const char *label, struct text_ref bytes,
                         struct encoding *encoding, struct buf *text) {
    int code = encoding_detect(&c->work.ws->libraries, label, (struct text_ref){0}, bytes.data,
                               bytes.len, encoding, &c->work.error);
    if (code || encoding_is_utf8(encoding))
        return code;
    code = encoding_decode(encoding, bytes.data, bytes.len, text, &c->work.error);
    return code ? code
                : encoding_returns(encoding, bytes.data, bytes.len, bytes_of(text).data, text->len,
                                   &c->work.error);
}

/* The bytes of the source with the hunks applied, in its own encoding.  Where it is in none, as
 * test data of several encodings, lines of ASCII are still the same bytes. */
static int patch_bytes(struct call *c, const struct patch *patch, struct patch_section *section) {
    const struct patch_file *file = section->file;
    AUTO(patched_free) struct patched patched = {0};
    AUTO(buf_free) struct buf text = {0};
    struct encoding encoding;
    struct text_ref old = bytes_of(&section->source->old_bytes);
    const char *label = file->old_path ? file->old_path : file->new_path;
    int code = decode_source(c, label, old, &encoding, &text);
    bool plain = !code && encoding_is_utf8(&encoding);
    if (code == AQFS_ENCODING && has_ascii_hunks(file)) {
        c->work.error = (struct error){0};
        code = AQFS_OK;
        plain = true;
    }
    struct text_ref from = plain ? old : bytes_of(&text);
    code = code ? code : patch_apply(patch, file, from.data, from.len, &patched, &c->work.error);
    if (code)
        return code;
    section->added = patched.added;
    section->removed = patched.removed;
    if (!plain) {
        struct text_ref done = bytes_of(&patched.text);
        return encoding_encode(&encoding, done.data, done.len, &section->bytes, &c->work.error);
    }
    section->bytes = patched.text;
    patched.text = (struct buf){0}; // cppcheck-suppress unreadVariable ; freed when it ends
    return AQFS_OK;
}

static int patch_one_section(struct call *c, const struct patch *patch,
                             struct patch_section *section) {
    section->source = calloc(1, sizeof *section->source);
    if (!section->source)
        return fail_memory(&c->work.error);
    int code = budget_check(&c->work.budget);
    if (code)
        return fail_budget(&c->work.error, code);
    if (section->file->old_path)
        code = locate_old(c, section->file, section->source);
    code = code ? code : patch_bytes(c, patch, section);
    if (!code && !section->file->new_path) { /* its hash is all that is wanted any more */
        (void)plan_held(section->source);
        buf_free(&section->source->old_bytes);
    }
    return code;
}

void patch_section_free(struct patch_section *section) {
    if (section->source)
        buf_free(&section->source->old_bytes);
    free(section->source);
    section->source = NULL;
    buf_free(&section->bytes);
}

/* -- several at once -------------------------------------------------------------------------- */

/* What a thread takes of them at a time. */
#define TAKEN 16

struct batch {
    struct call *call;
    const struct patch *patch;
    struct patch_section *sections;
    size_t n;
    atomic_size_t next;
    atomic_bool failed;
};

static int read_one(struct batch *b, struct call *c, struct patch_section *section) {
    section->code = patch_one_section(c, b->patch, section);
    if (!section->code)
        return AQFS_OK;
    section->error = c->work.error;
    patch_section_free(section);
    b->failed = true;
    return section->code;
}

/* A worker has a call of its own, where errors go.  With the same limits, but who has asked the
 * door and was told to stop stops alone: the others have little left to do.  What somebody took
 * before an error is read, so that the first one is told. */
static void read_some(void *data, unsigned i) {
    struct batch *b = data;
    struct call mine = *b->call;
    size_t from;
    (void)i;
    int code = AQFS_OK;
    while (!b->failed && (from = atomic_fetch_add(&b->next, TAKEN)) < b->n)
        for (size_t k = from; !code && k < b->n && k < from + TAKEN; k++)
            code = read_one(b, &mine, &b->sections[k]);
}

void patch_read_sections(struct call *c, const struct patch *patch, struct patch_section *sections,
                         size_t n) {
    struct batch b = {.call = c, .patch = patch, .sections = sections, .n = n};
    size_t useful = (n + TAKEN - 1) / TAKEN;
    unsigned workers = workers_count((long)c->work.ws->limits.threads);
    workers_run(workers < useful ? workers : (unsigned)useful, read_some, &b);
}

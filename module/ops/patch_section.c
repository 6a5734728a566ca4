/* patch_section.c -- reading and patching the files of a patch's sections: see patch_section.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_section.h"
#include "call.h"
#include "edit.h"

#include "cleanup.h"
#include "encoding.h"
#include "named_thing.h"
#include "patch_apply.h"
#include "workers.h"

#include <stdatomic.h>
#include <string.h>

int patch_fail_path(struct call *c, enum code code, const char *path, const char *problem) {
    return fail_place(c, code, (struct text_ref){path, strlen(path)}, problem);
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

/* A deletion or a rename takes the name away, so a link there is not followed. */
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

/* Detects the ENCODING of a source.  If that is not UTF-8, decodes BYTES to TEXT.  AQFS_ENCODING
 * unless encoding TEXT again gives the same bytes. */
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

/* Applies the hunks to the source, in the source's own encoding.  A source that is in no encoding,
 * such as test data in several, is patched as bytes if the hunks are ASCII: ASCII lines are the
 * same bytes in every encoding that a patch can be applied to. */
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
    const char *path = section->file->old_path;
    if (path)
        code = locate_old(c, section->file, section->source);
    if (!code && path && call_arg(c, "version")->known)
        code = check_version(c, section->source, (struct text_ref){path, strlen(path)},
                             call_text(c, "version"));
    code = code ? code : patch_bytes(c, patch, section);
    if (!code && !section->file->new_path) { /* a deletion needs only the hash of the old bytes */
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

/* A thread takes this many sections at a time. */
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

/* The body of a worker.  It works with a copy of the call, so that workers do not share the error
 * and the budget.  So a worker that is told to stop stops alone; the others end soon, because few
 * sections are left to each.
 *
 * After an error no worker takes further sections, but the sections that were taken before are
 * still read: the patch's first error is among them, and that is the one to report. */
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

/* list_forms.c -- list_forms: what Lisp files, or those below directories, define.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "lisp_ops.h"
#include "lisp_text.h"
#include "listing.h"
#include "path_list.h"
#include "secret.h"
#include "secret_read.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

/* Of a longer documentation, and of longer names, only so many bytes are listed. */
#define DOC_MOST 80
#define NAME_MOST 100

struct form_list {
    struct call *call;
    const struct lisp_text *lisp; /* the file that is listed */
    const struct listing *below;  /* the directory that it is in, or NULL if it is named */
    bool several;                 /* it is one of many: each has its name told */
    struct line_counter counter;
    struct buf path; /* of the file, as it is shown */
    bool nested, path_is_told;
    int64_t offset, limit, total, shown, files, secret;
    int64_t unreadable, told; /* files; the reasons of some were told */
    int64_t unreadable_directories;
    bool cut;
    size_t reply_most, text_most;
};

/* -- one form -----------------------------------------------------------------------------------
 */

/* As much of PART as is listed: up to the end of its line. */
static struct text_ref listed_part(const struct form_list *l, struct span part, size_t most) {
    const char *at = l->lisp->text.data + part.at;
    const char *newline = part.len > 0 ? memchr(at, '\n', part.len) : NULL;
    size_t n = newline ? (size_t)(newline - at) : part.len;
    return (struct text_ref){at, n > most ? utf8_cut(at, n, most) : n};
}

static void write_part(struct form_list *l, const char *key, struct span part, size_t most) {
    struct text_ref text = listed_part(l, part, most);
    if (part.len > 0)
        reply_kv_string(&l->call->reply, key, text.data, text.len);
    else
        reply_kv_cstring(&l->call->reply, key, NULL);
}

static void write_method_part(struct form_list *l, const char *key, struct span part) {
    if (part.len > 0)
        write_part(l, key, part, NAME_MOST);
}

/* The members of a form or of what is nested in it, but for the end of the map. */
static void write_definition(struct form_list *l, const struct definition *d, int64_t first,
                             int64_t last) {
    struct reply *out = &l->call->reply;
    reply_map(out);
    write_part(l, KEY_KIND, d->kind, NAME_MOST);
    write_part(l, KEY_NAME, d->name, NAME_MOST);
    write_method_part(l, KEY_QUALIFIERS, d->qualifiers);
    write_method_part(l, KEY_SPECIALIZERS, d->specializers);
    reply_kv_int(out, KEY_START_LINE, first);
    reply_kv_int(out, KEY_END_LINE, last);
    write_part(l, KEY_DOC, d->doc, DOC_MOST);
}

static void say_part(struct form_list *l, struct span part, size_t most) {
    struct text_ref text = listed_part(l, part, most);
    if (text.len == 0)
        return;
    buf_char(&l->call->text, ' ');
    buf_add(&l->call->text, text.data, text.len);
    if (text.len < part.len)
        buf_str(&l->call->text, "...");
}

static void say_definition(struct form_list *l, const struct definition *d, unsigned depth,
                           int64_t first, int64_t last) {
    struct buf *text = &l->call->text;
    if (text->len > l->text_most)
        return;
    buf_printf(text, "%*s%" PRId64 "-%" PRId64, (int)(2 * depth), "", first, last);
    say_part(l, d->kind, NAME_MOST);
    say_part(l, d->name, NAME_MOST);
    say_part(l, d->qualifiers, NAME_MOST);
    say_part(l, d->specializers, NAME_MOST);
    if (d->doc.len > 0)
        buf_str(text, "  ;");
    say_part(l, d->doc, DOC_MOST);
    buf_char(text, '\n');
}

static bool list_nested(void *data, const struct form *form, const struct definition *d,
                        unsigned depth) {
    struct form_list *l = data;
    int64_t first = line_at(&l->counter, form->start);
    int64_t last = line_at(&l->counter, form->end - 1);
    write_definition(l, d, first, last);
    reply_kv_int(&l->call->reply, KEY_DEPTH, (int64_t)depth);
    reply_end_map(&l->call->reply);
    say_definition(l, d, depth, first, last);
    return l->call->reply.out.len < l->reply_most && !budget_check(&l->call->work.budget);
}

static void list_form_of(struct form_list *l, const struct form *form) {
    struct reply *out = &l->call->reply;
    struct definition d = definition_of(l->lisp->dialect, l->lisp->text.data, form);
    int64_t first = line_at(&l->counter, form->start);
    int64_t last = line_at(&l->counter, form->end - 1);
    write_definition(l, &d, first, last);
    if (l->several)
        reply_kv_path(out, KEY_PATH, l->path.data, l->path.len);
    say_definition(l, &d, 0, first, last);
    if (l->nested) {
        reply_key(out, KEY_CHILDREN);
        reply_list(out);
        (void)definition_nested(l->lisp->dialect, l->lisp->text.data, form, list_nested, l);
        reply_end_list(out);
    }
    reply_end_map(out);
    l->shown++;
}

/* -- one file -----------------------------------------------------------------------------------
 */

/* The name of the file, once, above its first form that is shown. */
static void tell_path(struct form_list *l) {
    if (l->path_is_told || !l->several)
        return;
    l->path_is_told = true;
    path_show_safe(&l->call->text, l->path.data, l->path.len);
    buf_str(&l->call->text, ":\n");
}

/* Says where the forms of a file cannot be told. */
static void say_faults(struct form_list *l) {
    const struct forms *forms = &l->lisp->forms;
    if (forms->fault.kind) {
        tell_path(l);
        buf_printf(&l->call->text,
                   "[the file is not balanced: the forms behind line %" PRId64 " are not listed]\n",
                   forms->n > 0 ? line_at(&l->counter, forms->all[forms->n - 1].start) : 1);
    }
    if (forms->unsure) {
        tell_path(l);
        buf_printf(&l->call->text, "[line %" PRId64 ": %s, so forms may be elsewhere]\n",
                   line_at(&l->counter, forms->unsure_at), forms->unsure);
    }
}

static int list_file(struct form_list *l, const struct lisp_text *lisp) {
    l->lisp = lisp;
    l->counter = (struct line_counter){.text = lisp->text};
    l->path_is_told = false;
    l->files++;
    buf_clear(&l->path);
    place_show(l->call->work.ws, lisp->place.root, lisp->place.path, lisp->place.len, &l->path);
    if (l->path.failed)
        return fail_memory(&l->call->work.error);
    for (size_t i = 0; i < lisp->forms.n; i++) {
        if (l->total++ < l->offset || l->shown >= l->limit ||
            l->call->reply.out.len >= l->reply_most)
            continue;
        tell_path(l);
        list_form_of(l, &lisp->forms.all[i]);
        int code = i % 64 == 0 ? budget_check(&l->call->work.budget) : AQFS_OK;
        if (code)
            return fail_budget(&l->call->work.error, code);
    }
    say_faults(l);
    return AQFS_OK;
}

static int open_and_list(struct form_list *l, struct text_ref given) {
    struct call *c = l->call;
    AUTO(lisp_text_free) struct lisp_text lisp = {.scan.brief = true};
    AUTO(node_close) struct node file = {0};
    int code =
        workspace_open_path(c->work.ws, given, OPEN_FILE, &lisp.place, &file, &c->work.error);
    if (code)
        return code;
    if (!l->several) {
        code = call_may_read(c, &lisp.place, &file.info, given);
    } else if (call_keeps_secrets(c) && secret_of_place(&c->work, &lisp.place, &file.info)) {
        l->secret++;
        return AQFS_OK;
    }
    code = code ? code : lisp_text_read(c, &file, given, &lisp);
    return code ? code : list_file(l, &lisp);
}

/* -- several files ------------------------------------------------------------------------------
 */

static int list_entry(void *data, struct walk_ref ref) {
    struct form_list *l = data;
    struct call *c = l->call;
    AUTO(buf_free) struct buf given = {0};
    if (ref.entry->type != NODE_FILE || !dialect_of(ref.entry->name, ref.entry->name_len, "", 0))
        return AQFS_OK;
    listing_show_path(c, l->below, ref, &given);
    if (given.failed)
        return fail_memory(&c->work.error);
    int code = open_and_list(l, (struct text_ref){given.data, given.len});
    if (!code || path_list_ends(code))
        return code;
    c->work.error = (struct error){0};
    l->unreadable++;
    return AQFS_OK;
}

static int list_forms_below(struct form_list *l, struct text_ref path) {
    AUTO(listing_free) struct listing listing = {0};
    struct walk_options options = {.order = WALK_BY_PATH};
    int code = listing_open_at(l->call, path, &options, &listing);
    l->below = &listing;
    l->several = true;
    code = code ? code : walk_each(&listing.walk, list_entry, l);
    l->below = NULL;
    l->unreadable_directories += listing.walk.unreadable;
    l->cut = l->cut || listing.walk.cut;
    return code;
}

static int list_named(struct form_list *l, struct text_ref path) {
    struct call *c = l->call;
    struct place place;
    int code = workspace_locate(c->work.ws, path, 0, &place, &c->work.error);
    if (code)
        return code;
    return place.type == NODE_DIRECTORY ? list_forms_below(l, path) : open_and_list(l, path);
}

/* Of one that cannot be listed, the reason is told in its place. */
static int list_each_named(struct form_list *l) {
    struct call *c = l->call;
    const struct value *paths = call_arg(c, "paths");
    int code = path_list_check(c);
    l->several = true;
    for (size_t i = 0; i < paths->count && !code; i++) {
        code = list_named(l, paths->list[i]);
        if (!code || path_list_ends(code))
            continue;
        buf_printf(&c->text, "[not listed: %s]\n", c->work.error.message);
        c->work.error = (struct error){0};
        l->unreadable++;
        l->told++;
        code = AQFS_OK;
    }
    return code;
}

/* -- the reply ----------------------------------------------------------------------------------
 */

static void write_form_gaps(struct form_list *l) {
    struct call *c = l->call;
    const struct walk gaps = {.unreadable = l->unreadable_directories, .cut = l->cut};
    if (l->unreadable > l->told)
        buf_printf(&c->text, "[%" PRId64 " files could not be read as Lisp]\n",
                   l->unreadable - l->told);
    listing_write_all_gaps(c, &gaps, l->unreadable);
}

static void write_totals(struct form_list *l) {
    struct call *c = l->call;
    bool more = l->offset + l->shown < l->total;
    reply_kv_int(&c->reply, KEY_TOTAL, l->total);
    reply_kv_int(&c->reply, KEY_FILES, l->files);
    reply_kv_int(&c->reply, KEY_OFFSET, l->offset);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, more);
    if (l->secret > 0) {
        reply_kv_int(&c->reply, KEY_SECRET, l->secret);
        buf_printf(&c->text, "[%" PRId64 " secret files were left out]\n", l->secret);
    }
    if (l->total == 0)
        buf_str(&c->text, "No forms\n");
    else if (more)
        buf_printf(&c->text,
                   "[%" PRId64 " of %" PRId64 " forms shown; go on with offset=%" PRId64 "]\n",
                   l->shown, l->total, l->offset + l->shown);
    write_form_gaps(l);
}

int op_list_forms(struct call *c) {
    struct form_list l = {.call = c,
                          .nested = call_bool(c, "nested"),
                          .offset = call_int(c, "offset"),
                          .limit = call_int(c, "limit"),
                          .reply_most = (size_t)c->work.ws->limits.reply_bytes,
                          .text_most = (size_t)c->work.ws->limits.text_bytes};
    reply_key(&c->reply, KEY_FORMS);
    reply_list(&c->reply);
    int code =
        call_arg(c, "paths")->known ? list_each_named(&l) : list_named(&l, call_text(c, "path"));
    reply_end_list(&c->reply);
    buf_free(&l.path);
    if (!code)
        write_totals(&l);
    return code;
}

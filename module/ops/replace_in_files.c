/* replace_in_files.c -- replace_in_files.
 *
 * The plan reads every file that may be changed, and replaces in memory; the commit writes all of
 * them or none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "balance.h"
#include "call.h"
#include "cleanup.h"
#include "listing.h"
#include "named_thing.h"
#include "ops.h"
#include "patch_section.h"
#include "replaced_file.h"
#include "secret.h"
#include "secret_read.h"
#include "workers.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* A thread takes this many files at a time. */
#define FILES_TAKEN 32

/* The most bytes that all files together may have, before and afterwards. */
#define PLANNED_BYTES_MOST ((int64_t)512 << 20)

/* How many files the error of another count than was expected names. */
#define FILES_NAMED 50

struct many {
    struct call *call;
    struct replacing what;
    struct place place;
    struct listing listing;
    struct glob **includes;
    size_t include_count;
    struct replaced_file *files; /* in the order of their paths */
    size_t n;
    int64_t passed_over[NOT_SEARCHED_COUNT];

    /* Shared by the threads. */
    atomic_size_t next;
    atomic_bool failed;
    _Atomic int64_t bytes;
    pthread_mutex_t lock; /* guards the error */
    struct error error;
    size_t error_at; /* the file that it is about */
};

static void free_source(struct change *source) {
    if (!source)
        return;
    buf_free(&source->old_bytes);
    buf_free(&source->new_bytes);
    buf_free(&source->old_text);
    buf_free(&source->new_text);
    free(source);
}

static void many_free(struct many *m) {
    for (size_t i = 0; i < m->n; i++)
        free_source(m->files[i].source);
    free(m->files);
    for (size_t i = 0; i < m->include_count; i++)
        glob_free(m->includes[i]);
    free(m->includes);
    replacing_free(&m->what);
    listing_free(&m->listing);
    pthread_mutex_destroy(&m->lock);
}

/* -- which files ------------------------------------------------------------------------------- */

static int compile_includes(struct many *m) {
    struct call *c = m->call;
    const struct value *list = call_arg(c, "include");
    m->includes = calloc(list->count + 1, sizeof(struct glob *));
    if (!m->includes)
        return fail_memory(&c->work.error);
    for (; m->include_count < list->count; m->include_count++) {
        const struct text_ref glob = list->list[m->include_count];
        m->includes[m->include_count] = glob_compile(glob.data, glob.len, &c->work.error);
        if (!m->includes[m->include_count])
            return (int)c->work.error.code;
    }
    return AQFS_OK;
}

static bool is_wanted(const struct many *m, struct walk_ref ref) {
    char path[WALK_PATH_MAX];
    const struct value *list = call_arg(m->call, "include");
    for (size_t i = 0; i < m->include_count; i++) {
        const struct text_ref glob = list->list[i];
        if (memchr(glob.data, '/', glob.len)
                ? glob_matches(m->includes[i], path, walk_path(ref.dir, ref.entry, path))
                : glob_matches(m->includes[i], ref.entry->name, ref.entry->name_len))
            return true;
    }
    return m->include_count == 0;
}

/* Adds a file of the listing.  Its change has the place, and nothing else yet. */
static int add_walked_file(void *data, struct walk_ref ref) {
    struct many *m = data;
    const struct place *top = &m->listing.place;
    char path[WALK_PATH_MAX];
    if (ref.entry->type != NODE_FILE || !is_wanted(m, ref))
        return AQFS_OK;
    const size_t n = walk_path(ref.dir, ref.entry, path);
    struct change *source = calloc(1, sizeof *source);
    if (!source)
        return AQFS_LIMIT;
    m->files[m->n++].source = source;
    source->kind = CHANGE_WRITE;
    source->at.root = top->root;
    source->at.type = NODE_FILE;
    if (top->len + 1 + n > PATH_BYTES_MAX) {
        m->files[m->n - 1].why = WAS_UNREADABLE;
        return AQFS_OK;
    }
    const size_t above = top->len > 0 ? top->len + 1 : 0;
    memcpy(source->at.path, top->path, top->len);
    if (above > 0)
        source->at.path[top->len] = '/';
    memcpy(source->at.path + above, path, n + 1);
    source->at.len = above + n;
    if (m->what.spares_secrets &&
        (secret_by_path(m->call->work.ws, source->at.root, source->at.path, false) ||
         secret_twins_lead_to(m->call->work.ws, &source->at)))
        m->files[m->n - 1].why = WAS_SECRET;
    return AQFS_OK;
}

static int name_unreadable(void *data, struct walk_ref ref) {
    struct many *m = data;
    if (!ref.entry->dir || !ref.entry->dir->error)
        return AQFS_OK;
    AUTO(buf_free) struct buf path = {0};
    listing_show_path(m->call, &m->listing, ref, &path);
    char label[PATH_LABEL];
    return fail(&m->call->work.error, (enum code)ref.entry->dir->error,
                "Directory '%s' cannot be read, so nothing was replaced",
                path_label(path.data ? path.data : "", path.len, label));
}

/* All files are changed or none: what cannot be looked at has to be left out by name. */
static int refuse_unreadable(struct many *m) {
    int code = walk_each(&m->listing.walk, name_unreadable, m);
    if (code)
        error_hint(&m->call->work.error, "leave it out with exclude_patterns");
    return code;
}

static int list_below(struct many *m) {
    struct call *c = m->call;
    struct walk_options options = {.order = WALK_BY_PATH};
    int code = listing_open(c, &options, &m->listing);
    if (code)
        return code;
    m->files = calloc((size_t)m->listing.walk.files + 1, sizeof *m->files);
    if (!m->files)
        return fail_memory(&c->work.error);
    if (m->what.spares_secrets) /* without it, the names that are known still count */
        (void)secret_twins_look(&c->work, NULL);
    c->work.error = (struct error){0};
    if (walk_each(&m->listing.walk, add_walked_file, m))
        return fail_memory(&c->work.error);
    if (m->listing.walk.cut)
        return fail(&c->work.error, AQFS_LIMIT,
                    "The tree is larger or deeper than one call may look at");
    return m->listing.walk.unreadable > 0 ? refuse_unreadable(m) : AQFS_OK;
}

static int list_single(struct many *m) {
    m->files = calloc(1, sizeof *m->files);
    struct change *source = m->files ? calloc(1, sizeof *source) : NULL;
    if (!source)
        return fail_memory(&m->call->work.error);
    source->kind = CHANGE_WRITE;
    source->at = m->place;
    m->files[m->n++].source = source;
    return AQFS_OK;
}

/* Lists what is to be searched.  The path itself is planned for, so that a model which may not read
 * it is asked about, whatever is in it. */
static int list_files(struct many *m) {
    struct call *c = m->call;
    const struct text_ref path = call_text(c, "path");
    const struct info info = {.type = NODE_DIRECTORY};
    int code = plan_find(&c->work, path, 0, &m->place, NULL);
    if (code)
        return code;
    if (m->place.type == NODE_FILE)
        return list_single(m);
    if (m->place.type != NODE_DIRECTORY)
        return fail_not_file(c, path, m->place.type);
    m->what.spares_secrets = call_keeps_secrets(c) && !secret_of_place(&c->work, &m->place, &info);
    return list_below(m);
}

/* -- reading them ------------------------------------------------------------------------------ */

/* The first error in the order of the files is the one that is told. */
static void keep_first_error(struct many *m, size_t at, const struct error *e) {
    pthread_mutex_lock(&m->lock);
    if (!m->failed || at < m->error_at) {
        m->error = *e;
        m->error_at = at;
    }
    m->failed = true;
    pthread_mutex_unlock(&m->lock);
}

static int replace_next(struct many *m, struct call *mine, size_t at) {
    struct replaced_file *file = &m->files[at];
    if (file->why != SEARCHED)
        return AQFS_OK;
    int code = replace_in_file(&mine->work, &m->what, file);
    const struct change *s = file->source;
    const int64_t held = (int64_t)(s->old_bytes.len + s->new_bytes.len + s->old_text.len);
    if (!code && file->count > 0 && atomic_fetch_add(&m->bytes, held) + held > PLANNED_BYTES_MOST)
        code = fail(&mine->work.error, AQFS_TOO_LARGE,
                    "All files with the pattern have more than %" PRId64 " MiB; narrow the path or "
                    "include",
                    PLANNED_BYTES_MOST >> 20);
    if (code)
        keep_first_error(m, at, &mine->work.error);
    return code;
}

/* The body of a worker; each works with a copy of the call, for its own error and budget. */
static void replace_some(void *data, unsigned i) {
    struct many *m = data;
    struct call mine = *m->call;
    size_t from;
    (void)i;
    int code = AQFS_OK;
    while (!m->failed && (from = atomic_fetch_add(&m->next, FILES_TAKEN)) < m->n)
        for (size_t k = from; !code && k < m->n && k < from + FILES_TAKEN; k++)
            code = replace_next(m, &mine, k);
}

static int replace_all_files(struct many *m) {
    struct call *c = m->call;
    const size_t useful = (m->n + FILES_TAKEN - 1) / FILES_TAKEN;
    const unsigned workers = workers_count((long)c->work.ws->limits.threads);
    workers_run(workers < useful ? workers : (unsigned)useful, replace_some, m);
    for (size_t i = 0; i < m->n; i++)
        m->passed_over[m->files[i].why]++;
    if (m->failed)
        c->work.error = m->error;
    return m->failed ? (int)m->error.code : AQFS_OK;
}

/* -- the plan ---------------------------------------------------------------------------------- */

static size_t count_places(const struct many *m, size_t *files) {
    size_t places = 0;
    *files = 0;
    for (size_t i = 0; i < m->n; i++) {
        places += m->files[i].count;
        *files += m->files[i].count > 0;
    }
    return places;
}

static void name_counts(const struct many *m) {
    AUTO(buf_free) struct buf words = {0};
    size_t named = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct place *at = &m->files[i].source->at;
        AUTO(buf_free) struct buf path = {0};
        if (m->files[i].count == 0)
            continue;
        if (named++ == FILES_NAMED) {
            buf_str(&words, "\n...");
            break;
        }
        place_show(m->call->work.ws, at->root, at->path, at->len, &path);
        buf_char(&words, '\n');
        path_show_safe(&words, path.data ? path.data : "", path.len);
        buf_printf(&words, ": %zu", m->files[i].count);
    }
    call_refuse_with(m->call, AQFS_MULTIPLE_MATCHES, NULL, &words);
}

/* Fails if nothing is to be replaced, or not as often as was expected. */
static int check_places(const struct many *m) {
    struct call *c = m->call;
    size_t files;
    const size_t places = count_places(m, &files);
    const struct value *expected = call_arg(c, "expected_replacements");
    if (places == 0) {
        (void)fail(&c->work.error, AQFS_NO_MATCH,
                   "pattern does not occur (%" PRId64 " %s searched)", m->passed_over[SEARCHED],
                   m->passed_over[SEARCHED] == 1 ? "file" : "files");
        error_hint(&c->work.error, "nothing was changed; look with grep_files what is there");
        return AQFS_NO_MATCH;
    }
    if (!expected->known || (uint64_t)expected->integer == places)
        return AQFS_OK;
    (void)fail(&c->work.error, AQFS_MULTIPLE_MATCHES,
               "pattern occurs %zu %s in %zu %s, and expected_replacements is %" PRId64, places,
               places == 1 ? "time" : "times", files, files == 1 ? "file" : "files",
               expected->integer);
    error_hint(&c->work.error,
               "nothing was changed; give expected_replacements %zu if all are "
               "meant, or narrow the pattern, path or include",
               places);
    name_counts(m);
    return AQFS_MULTIPLE_MATCHES;
}

/* Takes what is written from FILE into the plan, ALONE or beside others.  The place is located
 * again by its name, as that of any change is. */
static int plan_file(struct many *m, struct plan *p, struct replaced_file *file, bool alone) {
    struct work *work = &m->call->work;
    AUTO(buf_free) struct buf path = {0};
    struct place at = {0};
    place_show(work->ws, file->source->at.root, file->source->at.path, file->source->at.len, &path);
    if (path.failed)
        return fail_memory(&work->error);
    int code = patch_locate_path(m->call, path.data, 0, &at, NULL);
    code = code ? code : patch_remember_path(m->call, p, path.data, 0, &at);
    if (!code && (at.root != file->source->at.root || strcmp(at.path, file->source->at.path) != 0))
        code = patch_fail_path(m->call, AQFS_RACED, path.data, "changed while it was looked at");
    struct change *change = code ? NULL : plan_add(p, CHANGE_WRITE);
    if (!change)
        return code ? code : fail_memory(&work->error);
    *change = *file->source;
    change->at = at;
    change->edits = true;
    change->replacements = file->count;
    *file->source = (struct change){0};
    p->replacements += file->count;
    return balance_check_bytes(m->call, change, alone);
}

int plan_replace_in_files(struct call *c, struct plan *p) {
    AUTO(many_free) struct many m = {.call = c, .lock = PTHREAD_MUTEX_INITIALIZER};
    int code = replacing_open(&c->work, call_text(c, "pattern"), call_text(c, "replacement"),
                              call_bool(c, "regex"), &m.what);
    code = code ? code : compile_includes(&m);
    code = code ? code : list_files(&m);
    code = code ? code : replace_all_files(&m);
    code = code ? code : check_places(&m);
    size_t changed = 0;
    for (size_t i = 0; i < m.n; i++)
        changed += m.files[i].count > 0;
    for (size_t i = 0; i < m.n && !code; i++)
        if (m.files[i].count > 0)
            code = plan_file(&m, p, &m.files[i], changed == 1);
    p->skipped = m.passed_over[WAS_UNREADABLE] + m.passed_over[WAS_SECRET];
    return code;
}

/* -- the report -------------------------------------------------------------------------------- */

static void report_replaced_file(struct call *c, struct change *change, size_t files) {
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_map(&c->reply);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_int(&c->reply, KEY_REPLACEMENTS, (int64_t)change->replacements);
    reply_kv_int(&c->reply, KEY_ADDED, change->added);
    reply_kv_int(&c->reply, KEY_REMOVED, change->removed);
    reply_kv_cstring(&c->reply, KEY_VERSION, plan_will_hold(change));
    reply_kv_int(&c->reply, KEY_BYTES_WRITTEN, (int64_t)change->new_bytes.len);
    reply_end_map(&c->reply);
    path_show_safe(&c->text, path.data, path.len);
    buf_printf(&c->text, ": %zu", change->replacements);
    say_version(c, change, files);
    buf_char(&c->text, '\n');
}

void report_replaced(struct call *c, const struct plan *p) {
    buf_count(&c->text, (int64_t)p->replacements, "replacement in ", "replacements in ");
    buf_count(&c->text, (int64_t)p->n, "file:\n", "files:\n");
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; i < p->n; i++)
        report_replaced_file(c, p->changes[i], p->n);
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_REPLACEMENTS, (int64_t)p->replacements);
    reply_kv_int(&c->reply, KEY_SKIPPED, p->skipped);
    if (p->skipped > 0) {
        buf_char(&c->text, '[');
        buf_count(&c->text, p->skipped,
                  "file was not searched: too large, in no encoding, or secret]\n",
                  "files were not searched: too large, in no encoding, or secret]\n");
    }
    reply_kv_string(&c->reply, KEY_DIFF, p->diff.data ? p->diff.data : "", p->diff.len);
}

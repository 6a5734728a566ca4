/* grep_places.c -- the places that grep_files searches, and which of their files: see grep.h.
 *
 * Several places are searched in the order of their paths, as a search of all that
 * is above them would meet them.  A place that the search of another one has been
 * through is not searched again, so that no line comes twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep.h"

#include "cleanup.h"
#include "file_types.h"
#include "listing.h"
#include "path.h"
#include "path_list.h"
#include "secret.h"
#include "secret_read.h"

#include <stdlib.h>
#include <string.h>

/* A directory whose files are searched, or one file. */
struct grep_place {
    struct text_ref given; /* as the call spells it */
    struct place place;
    struct buf order; /* places are sorted by this: the path, with a slash behind a directory */
    struct listing listing; /* of the directory */
    struct walk_ref *files; /* those of the listing that are searched; NULL for one file */
    size_t file_count;      /* how many; 1 of one file */
    size_t first;           /* the number of its first file among those of all places */
    bool spares_secrets;    /* secret files are left out */
};

struct grep_places {
    struct grep_search *search;
    const struct value *types;      /* of files; none: all are searched */
    const struct glob_set *include; /* none: all files are searched */
    struct grep_place *all;
    size_t n;
    struct walk walks; /* the counts of all walks */
    int64_t files, secret;
    bool has_directory;
};

void grep_places_free(struct grep_places *g) {
    for (size_t i = 0; g && i < g->n; i++) {
        buf_free(&g->all[i].order);
        listing_free(&g->all[i].listing);
        free(g->all[i].files);
    }
    if (g)
        free(g->all);
    free(g);
}

int64_t grep_places_files(const struct grep_places *g) {
    return g->has_directory ? g->files : -1;
}

int64_t grep_places_secret(const struct grep_places *g) {
    return g->secret;
}

const struct walk *grep_places_walks(const struct grep_places *g) {
    return &g->walks;
}

/* ---- The files of a directory */

/* A glob without a slash is about the name, and another one about the path. */
static bool is_included(const struct grep_places *g, struct walk_ref ref) {
    char path[WALK_PATH_MAX];
    size_t n = 0;
    if (g->include->n == 0)
        return true;
    const struct value *include = call_arg(g->search->call, "include");
    for (size_t i = 0; i < g->include->n; i++) {
        const struct glob *glob = g->include->globs[i];
        if (!memchr(include->list[i].data, '/', include->list[i].len)) {
            if (glob_matches(glob, ref.entry->name, ref.entry->name_len))
                return true;
            continue;
        }
        n = n > 0 ? n : walk_path(ref.dir, ref.entry, path);
        if (glob_matches(glob, path, n))
            return true;
    }
    return false;
}

/* By its own name, or because a link of a secret name leads to it. */
static bool is_secret_entry(const struct grep_places *g, const struct listing *listing,
                            struct walk_ref ref) {
    const struct aqfs_workspace *ws = g->search->call->work.ws;
    struct place place = {.root = listing->place.root};
    char path[WALK_PATH_MAX];
    size_t top = listing->place.len, n = walk_path(ref.dir, ref.entry, path);
    if (top + 1 + n > PATH_BYTES_MAX)
        return true; /* it could not be opened, either */
    memcpy(place.path, listing->place.path, top);
    place.path[top] = '/';
    place.len = top > 0 ? top + 1 : 0;
    memcpy(place.path + place.len, path, n + 1);
    place.len += n;
    return secret_by_path(ws, place.root, place.path, false) || secret_twins_lead_to(ws, &place);
}

/* The files of one directory, being collected. */
struct collected_files {
    struct grep_places *places;
    struct grep_place *place;
};

static int collect_file(void *data, struct walk_ref ref) {
    const struct collected_files *collected = data;
    struct grep_places *g = collected->places;
    struct grep_place *p = collected->place;
    if (ref.entry->type != NODE_FILE || !is_included(g, ref) ||
        (g->types->count > 0 && !file_types_have(g->types, ref.entry->name, ref.entry->name_len)))
        return AQFS_OK;
    if (p->spares_secrets && is_secret_entry(g, &p->listing, ref))
        g->secret++;
    else
        p->files[p->file_count++] = ref;
    return AQFS_OK;
}

static void add_walk(struct walk *sum, const struct walk *one) {
    sum->unreadable += one->unreadable;
    sum->ignored += one->ignored;
    sum->cut = sum->cut || one->cut;
    sum->rules_dropped = sum->rules_dropped || one->rules_dropped;
}

static int search_directory(struct grep_places *g, struct grep_place *p) {
    struct grep_search *s = g->search;
    struct call *c = s->call;
    struct walk_options options = {.order = WALK_BY_PATH};
    int code = listing_open_at(c, p->given, &options, &p->listing);
    if (code)
        return code;
    p->files = calloc((size_t)p->listing.walk.files + 1, sizeof *p->files);
    if (!p->files)
        return fail_memory(&c->work.error);
    if (p->spares_secrets) /* without it, the names that are known still count */
        (void)secret_twins_look(&c->work, NULL);
    (void)walk_each(&p->listing.walk, collect_file, &(struct collected_files){g, p});
    c->work.error = (struct error){0};
    add_walk(&g->walks, &p->listing.walk);
    g->files += (int64_t)p->file_count;
    s->options.secrets = p->spares_secrets ? c->work.ws : NULL;
    s->place = &p->listing.place;
    s->files = p->files;
    s->file_count = p->file_count;
    grep_search_files(s);
    return AQFS_OK;
}

/* ---- Secrets */

/* A place that is secret itself is searched with all that is in it, where somebody approves.  Among
 * several it is refused, because one approval is of one place. */
static int ask_about_place(struct grep_places *g, const struct grep_place *p,
                           const struct info *info) {
    struct call *c = g->search->call;
    char label[PATH_LABEL];
    if (g->n == 1)
        return call_may_read(c, &p->place, info, p->given);
    if (!call_keeps_secrets(c) || !secret_of_place(&c->work, &p->place, info))
        return AQFS_OK;
    (void)fail(&c->work.error, AQFS_APPROVAL_REQUIRED, "Path '%s' is secret",
               path_label(p->given.data, p->given.len, label));
    error_hint(&c->work.error, "Search it alone, by path, so that somebody can approve of it");
    return AQFS_APPROVAL_REQUIRED;
}

/* In a directory that is not secret itself, what is secret is left out. */
static int ask_about_tree(struct grep_places *g, struct grep_place *p) {
    struct call *c = g->search->call;
    const struct info info = {.type = NODE_DIRECTORY};
    if (!call_keeps_secrets(c))
        return AQFS_OK;
    p->spares_secrets = !secret_of_place(&c->work, &p->place, &info);
    return p->spares_secrets ? AQFS_OK : ask_about_place(g, p, &info);
}

static int search_single(struct grep_places *g, struct grep_place *p) {
    struct call *c = g->search->call;
    struct node file;
    int code =
        workspace_open_path(c->work.ws, p->given, OPEN_FILE, &p->place, &file, &c->work.error);
    if (code)
        return code;
    code = ask_about_place(g, p, &file.info);
    p->file_count = 1;
    g->search->options.secrets = NULL;
    if (!code)
        grep_search_one(g->search, &file);
    node_close(&file);
    return code;
}

/* ---- All places */

/* Where P is in the directory that TOP is; NULL if it is elsewhere. */
static const char *path_below(const struct grep_place *top, const struct grep_place *p) {
    const struct place *above = &top->place, *place = &p->place;
    const size_t n = above->len;
    if (above->root != place->root || place->len <= n || memcmp(above->path, place->path, n) != 0)
        return NULL;
    return n == 0 ? place->path : place->path[n] == '/' ? place->path + n + 1 : NULL;
}

static bool is_same_place(const struct grep_place *a, const struct grep_place *b) {
    return a->place.root == b->place.root && strcmp(a->place.path, b->place.path) == 0;
}

/* Has the search of TOP been through P?  Not where TOP's rules left it out: it was named, and so it
 * is searched. */
static bool was_searched_with(const struct grep_place *top, const struct grep_place *p) {
    if (is_same_place(top, p))
        return true;
    const char *below = top->files ? path_below(top, p) : NULL;
    const struct walk_entry *entry = below ? walk_find(&top->listing.walk, below) : NULL;
    if (!entry)
        return false;
    if (p->place.type == NODE_DIRECTORY)
        return entry->dir && p->spares_secrets == top->spares_secrets;
    for (size_t i = 0; i < top->file_count; i++)
        if (top->files[i].entry == entry)
            return true;
    return false;
}

static bool was_searched(const struct grep_places *g, const struct grep_place *p) {
    for (const struct grep_place *top = g->all; top < p; top++)
        if (was_searched_with(top, p))
            return true;
    return false;
}

/* Whether no further place need be searched. */
static bool has_enough(const struct grep_search *s) {
    return s->enough || s->stopped || s->no_memory ||
           (s->sink.full && s->options.output != GREP_COUNT);
}

static int search_each(struct grep_places *g) {
    struct grep_search *s = g->search;
    int code = AQFS_OK;
    for (size_t i = 0; i < g->n && !code && !has_enough(s); i++) {
        struct grep_place *p = &g->all[i];
        p->first = s->first_file = i > 0 ? p[-1].first + p[-1].file_count : 0;
        if (!was_searched(g, p))
            code = p->place.type == NODE_DIRECTORY ? search_directory(g, p) : search_single(g, p);
    }
    return code;
}

static void show_path(const void *data, size_t index, struct buf *out) {
    const struct grep_places *g = data;
    const struct call *c = g->search->call;
    const struct grep_place *p = g->all;
    while (index >= p->first + p->file_count)
        p++;
    if (p->files)
        listing_show_path(c, &p->listing, p->files[index - p->first], out);
    else
        place_show(c->work.ws, p->place.root, p->place.path, p->place.len, out);
}

static int compare_places(const void *a, const void *b) {
    const struct buf *x = &((const struct grep_place *)a)->order;
    const struct buf *y = &((const struct grep_place *)b)->order;
    int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Finds a place that the call names, before anything is searched. */
static int locate_place(struct grep_places *g, struct grep_place *p) {
    struct call *c = g->search->call;
    int code = workspace_locate(c->work.ws, p->given, 0, &p->place, &c->work.error);
    if (code)
        return code;
    const bool directory = p->place.type == NODE_DIRECTORY;
    g->has_directory = g->has_directory || directory;
    if (directory)
        code = ask_about_tree(g, p);
    const bool top = p->place.len == 0 && p->place.root == &c->work.ws->roots[0];
    if (!top) /* that is before all others, which are in it */
        place_show(c->work.ws, p->place.root, p->place.path, p->place.len, &p->order);
    buf_str(&p->order, directory && !top ? "/" : "");
    return code ? code : p->order.failed ? fail_memory(&c->work.error) : AQFS_OK;
}

/* Takes the path, or the paths, of the call. */
static int take_places(struct grep_places *g) {
    struct call *c = g->search->call;
    const struct value *paths = call_arg(c, "paths");
    int code = paths->known ? path_list_check(c) : AQFS_OK;
    const struct text_ref path = call_text(c, "path");
    const size_t n = paths->known ? paths->count : 1;
    g->all = code ? NULL : calloc(n, sizeof *g->all);
    if (!g->all)
        return code ? code : fail_memory(&c->work.error);
    g->n = n;
    for (size_t i = 0; i < n && !code; i++) {
        g->all[i].given = paths->known ? paths->list[i] : path;
        code = locate_place(g, &g->all[i]);
    }
    if (!code)
        qsort(g->all, n, sizeof *g->all, compare_places);
    return code;
}

int grep_search_places(struct grep_search *s, const struct glob_set *include,
                       struct grep_places **out) {
    struct grep_places *g = *out = calloc(1, sizeof *g);
    if (!g)
        return fail_memory(&s->call->work.error);
    g->search = s;
    g->types = call_arg(s->call, "file_types");
    g->include = include;
    int code = take_places(g);
    if (code)
        return code;
    s->sink.call = s->call;
    s->sink.options = &s->options;
    s->sink.show_path = show_path;
    s->sink.files = g;
    grep_sink_open(&s->sink);
    return search_each(g);
}

/* grep_files.c -- grep_files: which files are searched, and what the reply says about the search.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "grep.h"
#include "ops.h"

#include "cleanup.h"
#include "file_types.h"
#include "listing.h"
#include "path.h"
#include "secret.h"
#include "secret_read.h"

#include <string.h>

struct grep {
    struct grep_search search;
    struct regex *regex;
    const struct value *types; /* of files; none: all are searched */
    struct glob_set include;   /* none: all files are searched */
    struct place place;
    struct listing listing; /* of the directory, if PLACE is one */
    struct walk_ref *files; /* the files of the listing that are searched */
    size_t file_count;
    bool spares_secrets; /* secret files are left out */
    int64_t secret;      /* how many were */
};

static void grep_free(struct grep *g) {
    grep_sink_free(&g->search.sink);
    regex_free(g->regex);
    glob_set_free(&g->include);
    listing_free(&g->listing);
    free(g->files);
}

/* ---- What to search */

/* A glob without a slash is about the name, and another one about the path. */
static bool is_included(const struct grep *g, struct walk_ref ref) {
    const struct value *include = call_arg(g->search.call, "include");
    char path[WALK_PATH_MAX];
    size_t n = 0;
    for (size_t i = 0; i < g->include.n; i++) {
        const struct glob *glob = g->include.globs[i];
        if (!memchr(include->list[i].data, '/', include->list[i].len)) {
            if (glob_matches(glob, ref.entry->name, ref.entry->name_len))
                return true;
            continue;
        }
        n = n > 0 ? n : walk_path(ref.dir, ref.entry, path);
        if (glob_matches(glob, path, n))
            return true;
    }
    return g->include.n == 0;
}

/* By its own name, or because a link of a secret name leads to it. */
static bool is_secret_entry(const struct grep *g, struct walk_ref ref) {
    const struct aqfs_workspace *ws = g->search.call->work.ws;
    struct place place = {.root = g->listing.place.root};
    char path[WALK_PATH_MAX];
    size_t top = g->listing.place.len, n = walk_path(ref.dir, ref.entry, path);
    if (top + 1 + n > PATH_BYTES_MAX)
        return true; /* it could not be opened, either */
    memcpy(place.path, g->listing.place.path, top);
    place.path[top] = '/';
    place.len = top > 0 ? top + 1 : 0;
    memcpy(place.path + place.len, path, n + 1);
    place.len += n;
    return secret_by_path(ws, place.root, place.path, false) || secret_twins_lead_to(ws, &place);
}

static int collect_file(void *data, struct walk_ref ref) {
    struct grep *g = data;
    const struct value *types = g->types;
    if (ref.entry->type != NODE_FILE || !is_included(g, ref) ||
        (types->count > 0 && !file_types_have(types, ref.entry->name, ref.entry->name_len)))
        return AQFS_OK;
    if (g->spares_secrets && is_secret_entry(g, ref))
        g->secret++;
    else
        g->files[g->file_count++] = ref;
    return AQFS_OK;
}

static void show_path(const void *data, size_t index, struct buf *out) {
    const struct grep *g = data;
    const struct call *c = g->search.call;
    if (g->files)
        listing_show_path(c, &g->listing, g->files[index], out);
    else
        place_show(c->work.ws, g->place.root, g->place.path, g->place.len, out);
}

static int open_sink(struct grep *g, size_t batches) {
    struct grep_sink *s = &g->search.sink;
    s->call = g->search.call;
    s->options = &g->search.options;
    s->show_path = show_path;
    s->files = g;
    s->batch_count = batches;
    s->batches = calloc(batches + 1, sizeof *s->batches);
    grep_sink_open(s);
    return s->batches ? AQFS_OK : fail_memory(&s->call->work.error);
}

static int search_tree(struct grep *g) {
    struct call *c = g->search.call;
    struct walk_options options = {.order = WALK_BY_PATH};
    int code = listing_open(c, &options, &g->listing);
    if (code)
        return code;
    g->files = calloc((size_t)g->listing.walk.files + 1, sizeof *g->files);
    if (!g->files)
        return fail_memory(&c->work.error);
    if (g->spares_secrets) /* without it, the names that are known still count */
        (void)secret_twins_look(&c->work, NULL);
    (void)walk_each(&g->listing.walk, collect_file, g);
    c->work.error = (struct error){0};
    g->search.place = &g->listing.place;
    g->search.files = g->files;
    g->search.file_count = g->file_count;
    code = open_sink(g, (g->file_count + GREP_BATCH_FILES - 1) / GREP_BATCH_FILES);
    if (!code)
        grep_search_files(&g->search);
    return code;
}

/* A directory that is secret itself is searched with all that is in it, where somebody approves; in
 * any other, what is secret is left out. */
static int ask_about_tree(struct grep *g) {
    struct call *c = g->search.call;
    const struct info info = {.type = NODE_DIRECTORY};
    if (!call_keeps_secrets(c))
        return AQFS_OK;
    g->spares_secrets = !secret_of_place(&c->work, &g->place, &info);
    g->search.options.secrets = g->spares_secrets ? c->work.ws : NULL;
    return g->spares_secrets ? AQFS_OK : call_may_read(c, &g->place, &info, call_text(c, "path"));
}

static int search_single(struct grep *g) {
    struct call *c = g->search.call;
    struct text_ref path = call_text(c, "path");
    struct node file;
    int code = workspace_open_path(c->work.ws, path, OPEN_FILE, &g->place, &file, &c->work.error);
    if (code)
        return code;
    code = call_may_read(c, &g->place, &file.info, path);
    code = code ? code : open_sink(g, 1);
    if (!code)
        grep_search_one(&g->search, &file);
    node_close(&file);
    return code;
}

/* ---- The reply, behind the entries */

static void say_truncated(const struct grep_search *g) {
    struct buf *out = &g->call->text;
    const struct grep_sink *s = &g->sink;
    bool lines = g->options.output == GREP_CONTENT;
    buf_str(out, "[truncated: the first ");
    buf_count(out, s->shown, lines ? "matching line" : "file", lines ? "matching lines" : "files");
    buf_str(out, " shown; ");
    if (s->shown < g->options.limit)
        buf_str(out, "there is no room for more: ");
    buf_str(out, "narrow the pattern, path or include");
    buf_str(out, s->shown < g->options.limit ? "]\n" : ", or raise limit]\n");
}

static void write_count_note(struct call *c, const char *key, int64_t n, const char *one,
                             const char *many) {
    if (n == 0)
        return;
    reply_kv_int(&c->reply, key, n);
    buf_char(&c->text, '[');
    buf_count(&c->text, n, one, many);
    buf_str(&c->text, "]\n");
}

/* A reason why nothing was found, or NULL. */
static const char *find_hint(const struct grep_search *g) {
    const struct value *include = call_arg(g->call, "include");
    if (include->count > 0 && g->files && g->file_count == 0) {
        const char *mistaken = NULL;
        for (size_t i = 0; i < include->count && !mistaken; i++)
            mistaken = glob_mistaken_syntax(include->list[i].data, include->list[i].len);
        return mistaken ? mistaken : "include matches no file below that path";
    }
    if (call_arg(g->call, "file_types")->count > 0 && g->files && g->file_count == 0)
        return "no file below that path is of these file_types";
    if (regex_wants_newline(g->regex) && !g->options.multiline)
        return "The pattern is matched against each line alone, so that it never spans lines: "
               "give multiline, or search for a part of one line, with context";
    return NULL;
}

static void say_no_matches(struct grep_search *g) {
    struct call *c = g->call;
    struct text_ref pattern = call_text(c, "pattern");
    const char *hint = find_hint(g);
    buf_str(&c->text, "No matches for ");
    path_show_safe(&c->text, pattern.data, pattern.len);
    buf_printf(&c->text, " (%lld %s searched)\n", (long long)g->searched,
               g->searched == 1 ? "file" : "files");
    if (g->binary > 0)
        buf_printf(&c->text, "[%lld binary %s not searched]\n", (long long)g->binary,
                   g->binary == 1 ? "file" : "files");
    if (hint) {
        reply_kv_cstring(&c->reply, KEY_HINT, hint);
        buf_printf(&c->text, "%s\n", hint);
    }
}

/* Fewer matches are counted at a glance. */
#define WORTH_COUNTING 10

/* "[41 matches in 6 files]" below what is shown whole. */
static void say_total(const struct grep_search *g) {
    const struct grep_sink *s = &g->sink;
    bool counts = g->options.output == GREP_COUNT;
    int64_t lines = counts ? s->lines_matched : s->shown;
    int64_t files = counts ? s->files_matched : s->files_shown;
    if (g->options.output == GREP_FILES || s->full || s->shown == 0 ||
        (counts ? files < 2 : lines < WORTH_COUNTING))
        return;
    buf_char(&g->call->text, '[');
    buf_count(&g->call->text, lines, "match", "matches");
    buf_str(&g->call->text, " in ");
    buf_count(&g->call->text, files, "file", "files");
    buf_str(&g->call->text, "]\n");
}

static void write_grep_results(struct grep_search *g, const struct walk *walk, int64_t secret) {
    struct call *c = g->call;
    const struct grep_sink *s = &g->sink;
    bool counts = g->options.output == GREP_COUNT;
    bool stopped = g->stopped && (counts || !s->full);
    bool cut = walk->cut;
    reply_kv_int(&c->reply, KEY_TOTAL, counts ? s->lines_matched : s->shown);
    reply_kv_int(&c->reply, KEY_FILES, counts ? s->files_matched : s->files_shown);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, s->full || stopped || cut || g->undecided > 0);
    if (!s->full || counts) { /* a full reply stops the threads anywhere: the counts would vary */
        reply_kv_int(&c->reply, KEY_SEARCHED, g->searched);
        reply_kv_int(&c->reply, KEY_BINARY, g->binary);
    }
    if (s->shown == 0)
        say_no_matches(g);
    say_total(g);
    if (s->full)
        say_truncated(g);
    if (stopped) {
        reply_kv_cstring(&c->reply, KEY_STOPPED, "limit");
        buf_str(&c->text, "[stopped: the search reached its limit of time or work; narrow the "
                          "pattern, path or include]\n");
    }
    write_count_note(c, KEY_UNREADABLE, g->unreadable + walk->unreadable,
                     "file or directory could not be read",
                     "files or directories could not be read");
    write_count_note(c, KEY_UNDECIDED, g->undecided,
                     "line was too long or too complex to be searched as a whole",
                     "lines were too long or too complex to be searched as a whole");
    write_count_note(c, KEY_SECRET, secret, "secret file was not searched",
                     "secret files were not searched");
    listing_write_ignored(c, walk, s->shown > 0);
    unseen_note_end(&g->sink.unseen, &c->text);
    if (cut)
        buf_str(&c->text, "[the tree is larger or deeper than one call may look at]\n");
}

/* ---- The operation */

static bool names_cr(struct text_ref pattern) {
    return memmem(pattern.data, pattern.len, "\\r", 2) ||
           memmem(pattern.data, pattern.len, "\\x", 2) || text_has_cr(pattern);
}

/* Does the pattern speak of the ends of lines, and not of the carriage returns before some? */
static bool wants_line_ends(struct text_ref pattern, bool literal) {
    return !literal && memchr(pattern.data, '$', pattern.len) && !names_cr(pattern);
}

static int64_t context_of(const struct call *c, const char *side) {
    const struct value *own = call_arg(c, side);
    return own->known ? own->integer : call_int(c, "context");
}

static void read_options(struct grep_search *g) {
    struct call *c = g->call;
    const struct limits *limits = &c->work.ws->limits;
    g->options = (struct grep_options){
        .output = call_choice_is(c, "output", "files")   ? GREP_FILES
                  : call_choice_is(c, "output", "count") ? GREP_COUNT
                                                         : GREP_CONTENT,
        .limit = call_int(c, "limit"),
        .before = context_of(c, "before"),
        .after = context_of(c, "after"),
        .most = (size_t)limits->reply_bytes,
        .multiline = call_bool(c, "multiline"),
        .by_count = call_choice_is(c, "sort_by", "count"),
        .ends_in_lf = call_bool(c, "multiline")
                          ? !names_cr(call_text(c, "pattern"))
                          : wants_line_ends(call_text(c, "pattern"), call_bool(c, "literal")),
    };
    if (!call_arg(c, "limit")->given && g->options.limit > limits->grep_matches)
        g->options.limit = limits->grep_matches;
}

static int compile_patterns(struct grep *g) {
    struct call *c = g->search.call;
    struct text_ref pattern = call_text(c, "pattern");
    const struct regex_options options = {.literal = call_bool(c, "literal"),
                                          .ignore_case = call_bool(c, "ignore_case"),
                                          .multiline = call_bool(c, "multiline")};
    if (g->search.options.by_count && g->search.options.output != GREP_COUNT)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "sort_by: expected path, because only output count can be sorted by count");
    int code = file_types_check(call_arg(c, "file_types"), &c->work.error);
    if (code)
        return code;
    code = listing_compile(c, call_arg(c, "include"), &g->include);
    code =
        code ? code : regex_compile(pattern.data, pattern.len, &options, &g->regex, &c->work.error);
    g->search.regex = g->regex;
    return code;
}

static int search_place(struct grep *g) {
    struct grep_search *s = &g->search;
    struct call *c = s->call;
    int code = workspace_locate(c->work.ws, call_text(c, "path"), 0, &g->place, &c->work.error);
    if (code)
        return code;
    code = g->place.type == NODE_DIRECTORY ? ask_about_tree(g) : AQFS_OK;
    if (code)
        return code;
    code = g->place.type == NODE_DIRECTORY ? search_tree(g) : search_single(g);
    if (code)
        return code;
    grep_sink_close(&s->sink);
    bool done = s->sink.full && s->options.output != GREP_COUNT;
    if (s->no_memory)
        return fail_memory(&c->work.error);
    if (!done && budget_check(&c->work.budget) == AQFS_CANCELLED)
        return fail_budget(&c->work.error, AQFS_CANCELLED);
    write_grep_results(s, &g->listing.walk, g->secret);
    return AQFS_OK;
}

int op_grep_files(struct call *c) {
    AUTO(grep_free)
    struct grep g = {.search = {.call = c}, .types = call_arg(c, "file_types")};
    read_options(&g.search);
    int code = compile_patterns(&g);
    return code ? code : search_place(&g);
}

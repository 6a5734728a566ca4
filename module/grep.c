/* grep.c -- grep_files: which files are searched, by whom, and what is said in the end. */
#include "grep.h"

#include "cleanup.h"
#include "listing.h"
#include "path.h"
#include "workers.h"

#include <string.h>

/* Files that one worker searches before it asks for more. */
#define BATCH_FILES 64
/* A worker for fewer would cost more than it saves. */
#define FILES_A_WORKER 16

/* One call, shared by its workers. */
struct grep {
    struct call *call;
    struct grep_options options;
    struct regex *regex;
    struct grep_sink sink;

    /* A tree: what to search of it. */
    struct listing listing;
    struct glob *include; /* or NULL */
    struct walk_ref *files;
    size_t file_count;

    /* Or a single file. */
    struct place place;

    atomic_size_t next;    /* the first batch that nobody has taken */
    _Atomic int64_t found; /* matches in all batches that were taken */
    atomic_bool enough;    /* no further batch can be shown */
    _Atomic int64_t searched, binary, unreadable, undecided;
    atomic_int stopped; /* why the budget ended it */
    atomic_bool no_memory;
};

static void grep_free(struct grep *g) {
    grep_sink_free(&g->sink);
    regex_free(g->regex);
    glob_free(g->include);
    listing_free(&g->listing);
    free(g->files);
}

/* ---- Batches */

/* Beyond these a match is only worth knowing of. */
static int64_t most_matches(const struct grep *g) {
    return g->options.output == GREP_COUNT ? INT64_MAX : g->options.limit;
}

/* Directories that a worker keeps open: the one in hand and some above it, which it comes back to.
 */
#define DIRS_OPEN 8

/* What a worker has to itself. */
struct worker {
    struct grep *grep;
    struct grep_reader *reader;
    struct grep_found *found; /* of the batch in hand */
    struct {
        const struct walk_dir *dir;
        struct node node; /* closed where it could not be opened */
    } open[DIRS_OPEN];
    size_t open_count;
    int64_t searched, binary, unreadable; /* files, of the batch in hand */
};

static void close_dirs(struct worker *w, size_t keep) {
    while (w->open_count > keep)
        node_close(&w->open[--w->open_count].node);
}

static bool is_above(const struct walk_dir *above, const struct walk_dir *dir) {
    while (dir->depth > above->depth)
        dir = dir->parent;
    return dir == above;
}

/* DIR, open; NULL when it cannot be. */
static const struct node *open_dir(struct worker *w, const struct walk_dir *dir) {
    struct aqfs_workspace *ws = w->grep->call->ws;
    const struct place *place = &w->grep->listing.place;
    char full[PATH_BYTES_MAX + 1];
    struct error e;
    while (w->open_count > 0 && !is_above(w->open[w->open_count - 1].dir, dir))
        close_dirs(w, w->open_count - 1);
    if (w->open_count == 0 || w->open[w->open_count - 1].dir != dir) {
        close_dirs(w, DIRS_OPEN - 1);
        struct node *node = &w->open[w->open_count].node;
        w->open[w->open_count++].dir = dir;
        *node = (struct node){0};
        if (walk_full_path(place, dir, full))
            (void)ws->backend->open(ws, place->root, full, OPEN_DIRECTORY, node, &e);
    }
    const struct node *node = &w->open[w->open_count - 1].node;
    return node->backend ? node : NULL;
}

/* Counts what became of a file; false when the search has to end. */
static bool judge(struct worker *w, int code) {
    switch (code) {
    case AQFS_OK:
        w->searched++;
        return true;
    case AQFS_BINARY:
        w->binary++;
        return true;
    case AQFS_LIMIT:
    case AQFS_CANCELLED:
        atomic_store(&w->grep->stopped, code);
        return false;
    default:
        w->unreadable++;
        return true;
    }
}

/* Adds what was counted to the call's counts. */
static void settle(struct worker *w) {
    w->grep->searched += w->searched;
    w->grep->binary += w->binary;
    w->grep->unreadable += w->unreadable;
    w->searched = w->binary = w->unreadable = 0;
}

static void close_worker(struct worker *w) {
    settle(w);
    close_dirs(w, 0);
    if (w->reader)
        w->grep->undecided += grep_reader_undecided(w->reader);
    grep_reader_free(w->reader);
}

static bool search_file(struct worker *w, size_t index) {
    struct walk_ref ref = w->grep->files[index];
    struct node file;
    struct error e;
    const struct node *dir = open_dir(w, ref.dir);
    if (!dir)
        return judge(w, AQFS_IO);
    int code = dir->backend->open_below(dir, ref.entry->name, OPEN_FILE, &file, &e);
    if (code)
        return judge(w, code == AQFS_LIMIT ? AQFS_IO : code);
    code = grep_reader_search(w->reader, &file, index, w->found);
    node_close(&file);
    return judge(w, code);
}

static bool may_go_on(struct grep *g) {
    int code = budget_check(&g->call->budget);
    if (code)
        atomic_store(&g->stopped, code);
    return !code;
}

/* Searches a batch's files, until it has more than can be shown. */
static void search_batch(struct worker *w, size_t batch) {
    struct grep *g = w->grep;
    size_t end = (batch + 1) * BATCH_FILES;
    end = end < g->file_count ? end : g->file_count;
    for (size_t i = batch * BATCH_FILES; i < end && may_go_on(g); i++)
        if (!search_file(w, i) || w->found->cut || w->found->matched > most_matches(g))
            break;
}

/* The batches before this one are taken, so what is found in them comes first: when that is enough
 * already, no further batch matters. */
static void finish_batch(struct worker *w, size_t batch) {
    struct grep *g = w->grep;
    struct grep_found *found = w->found;
    int64_t all = atomic_fetch_add(&g->found, found->matched) + found->matched;
    if (found->cut || all > most_matches(g))
        atomic_store(&g->enough, true);
    if (found->matched == 0) {
        grep_found_free(found);
        found = NULL;
    }
    settle(w);
    grep_sink_put(&g->sink, batch, found, g->searched);
}

static void run_worker(void *data, unsigned index) {
    struct grep *g = data;
    struct worker w = {.grep = g};
    (void)index;
    w.reader = grep_reader_new(&g->options, g->regex, &g->call->budget);
    bool memory = w.reader != NULL;
    while (memory && !atomic_load(&g->enough) && may_go_on(g)) {
        size_t batch = g->next++;
        if (batch >= g->sink.batch_count)
            break;
        w.found = calloc(1, sizeof *w.found);
        memory = w.found != NULL;
        if (memory) {
            search_batch(&w, batch);
            finish_batch(&w, batch);
        }
    }
    if (!memory)
        atomic_store(&g->no_memory, true);
    close_worker(&w);
}

/* ---- What to search */

static bool is_included(const struct grep *g, struct walk_ref ref) {
    struct text_ref include = call_text(g->call, "include");
    if (!g->include)
        return true;
    if (!memchr(include.data, '/', include.len))
        return glob_matches(g->include, ref.entry->name, ref.entry->name_len);
    char path[WALK_PATH_MAX];
    return glob_matches(g->include, path, walk_path(ref.dir, ref.entry, path));
}

static int take_file(void *data, struct walk_ref ref) {
    struct grep *g = data;
    if (ref.entry->type == NODE_FILE && is_included(g, ref))
        g->files[g->file_count++] = ref;
    return AQFS_OK;
}

static void show_path(const void *data, size_t index, struct buf *out) {
    const struct grep *g = data;
    if (g->files)
        listing_show_path(g->call, &g->listing, g->files[index], out);
    else
        place_show(g->call->ws, g->place.root, g->place.path, g->place.len, out);
}

static int open_sink(struct grep *g, size_t batches) {
    g->sink.call = g->call;
    g->sink.options = &g->options;
    g->sink.show_path = show_path;
    g->sink.files = g;
    g->sink.batch_count = batches;
    g->sink.batches = calloc(batches + 1, sizeof *g->sink.batches);
    grep_sink_open(&g->sink);
    return g->sink.batches ? AQFS_OK : fail_memory(&g->call->error);
}

static int search_tree(struct grep *g) {
    struct call *c = g->call;
    struct walk_options options = {.order = WALK_BY_PATH};
    int code = listing_open(c, &options, &g->listing);
    if (code)
        return code;
    g->files = calloc((size_t)g->listing.walk.files + 1, sizeof *g->files);
    if (!g->files)
        return fail_memory(&c->error);
    (void)walk_each(&g->listing.walk, take_file, g);
    code = open_sink(g, (g->file_count + BATCH_FILES - 1) / BATCH_FILES);
    if (code)
        return code;
    unsigned workers = workers_count((long)c->ws->limits.threads);
    if (workers > g->file_count / FILES_A_WORKER)
        workers = (unsigned)(g->file_count / FILES_A_WORKER) + 1;
    workers_run(workers, run_worker, g);
    return AQFS_OK;
}

static int search_single(struct grep *g) {
    struct call *c = g->call;
    struct node file;
    int code =
        workspace_open_path(c->ws, call_text(c, "path"), OPEN_FILE, &g->place, &file, &c->error);
    if (code)
        return code;
    code = open_sink(g, 1);
    struct worker w = {.grep = g, .found = calloc(1, sizeof *w.found)};
    w.reader = grep_reader_new(&g->options, g->regex, &c->budget);
    if (!code && w.found && w.reader) {
        (void)judge(&w, grep_reader_search(w.reader, &file, 0, w.found));
        finish_batch(&w, 0);
    } else {
        grep_found_free(w.found);
        g->no_memory = true;
    }
    close_worker(&w);
    node_close(&file);
    return code;
}

/* ---- What is said in the end */

static void say_truncated(struct grep *g) {
    struct buf *out = &g->call->text;
    const struct grep_sink *s = &g->sink;
    static const char *const what[] = {
        [GREP_CONTENT] = "matching lines", [GREP_FILES] = "files", [GREP_COUNT] = "files"};
    buf_printf(out, "[truncated: the first %lld %s shown; ", (long long)s->shown,
               what[g->options.output]);
    if (s->shown < g->options.limit)
        buf_str(out, "there is no room for more: ");
    buf_str(out, "narrow the pattern, path or include");
    buf_str(out, s->shown < g->options.limit ? "]\n" : ", or raise limit]\n");
}

static void write_number(struct call *c, const char *key, int64_t n, const char *words) {
    if (n == 0)
        return;
    reply_kv_int(&c->reply, key, n);
    buf_printf(&c->text, "[%lld %s]\n", (long long)n, words);
}

/* Why nothing was found, where that can be told. */
static const char *find_hint(const struct grep *g) {
    struct text_ref include = call_text(g->call, "include");
    if (g->include && g->file_count == 0) {
        const char *mistaken = glob_mistaken_syntax(include.data, include.len);
        return mistaken ? mistaken : "include matches no file below that path";
    }
    if (regex_wants_newline(g->regex))
        return "The pattern is matched against each line alone, so that it never spans lines: "
               "search for a part of one line, with context";
    return NULL;
}

static void say_nothing_found(struct grep *g) {
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
        reply_kv_cstring(&c->reply, "hint", hint);
        buf_printf(&c->text, "%s\n", hint);
    }
}

static void write_results(struct grep *g) {
    struct call *c = g->call;
    const struct grep_sink *s = &g->sink;
    bool counts = g->options.output == GREP_COUNT;
    bool stopped = g->stopped && (counts || !s->full);
    bool cut = g->listing.walk.cut;
    reply_kv_int(&c->reply, "total", counts ? s->lines_matched : s->shown);
    reply_kv_int(&c->reply, "files", counts ? s->files_matched : s->files_shown);
    reply_kv_bool(&c->reply, "truncated", s->full || stopped || cut || g->undecided > 0);
    if (!s->full || counts) { /* otherwise it depends on which thread was first */
        reply_kv_int(&c->reply, "searched", g->searched);
        reply_kv_int(&c->reply, "binary", g->binary);
    }
    if (s->shown == 0)
        say_nothing_found(g);
    if (s->full)
        say_truncated(g);
    if (stopped) {
        reply_kv_cstring(&c->reply, "stopped", "limit");
        buf_str(&c->text, "[stopped: the search reached its limit of time or work; narrow the "
                          "pattern, path or include]\n");
    }
    write_number(c, "unreadable", g->unreadable + g->listing.walk.unreadable,
                 "files or directories could not be read");
    write_number(c, "undecided", g->undecided,
                 "lines were too long or too complex to be searched as a whole");
    if (cut)
        buf_str(&c->text, "[the tree is larger or deeper than one call may look at]\n");
}

/* ---- The operation */

static void read_options(struct grep *g) {
    struct call *c = g->call;
    const struct limits *limits = &c->ws->limits;
    g->options = (struct grep_options){
        .output = call_choice_is(c, "output", "files")   ? GREP_FILES
                  : call_choice_is(c, "output", "count") ? GREP_COUNT
                                                         : GREP_CONTENT,
        .limit = call_int(c, "limit"),
        .context = call_int(c, "context"),
        .most = (size_t)limits->reply_bytes,
    };
    if (!call_arg(c, "limit")->given && g->options.limit > limits->grep_matches)
        g->options.limit = limits->grep_matches;
}

static int compile(struct grep *g) {
    struct call *c = g->call;
    struct text_ref pattern = call_text(c, "pattern"), include = call_text(c, "include");
    const struct regex_options options = {.literal = call_bool(c, "literal"),
                                          .ignore_case = call_bool(c, "ignore_case")};
    if (include.len > 0) {
        g->include = glob_compile(include.data, include.len, &c->error);
        if (!g->include)
            return (int)c->error.code;
    }
    return regex_compile(pattern.data, pattern.len, &options, &g->regex, &c->error);
}

static int search(struct grep *g) {
    struct call *c = g->call;
    int code = workspace_locate(c->ws, call_text(c, "path"), 0, &g->place, &c->error);
    if (code)
        return code;
    code = g->place.type == NODE_DIRECTORY ? search_tree(g) : search_single(g);
    if (code)
        return code;
    grep_sink_close(&g->sink);
    bool done = g->sink.full && g->options.output != GREP_COUNT;
    if (g->no_memory)
        return fail_memory(&c->error);
    if (g->stopped == AQFS_CANCELLED && !done)
        return fail_budget(&c->error, AQFS_CANCELLED);
    write_results(g);
    return AQFS_OK;
}

int op_grep_files(struct call *c) {
    AUTO(grep_free) struct grep g = {.call = c};
    read_options(&g);
    int code = compile(&g);
    return code ? code : search(&g);
}

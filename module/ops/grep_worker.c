/* grep_worker.c -- threads that search batches of files: see grep.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep.h"

#include "workers.h"

#include <stdlib.h>

/* Starting a thread for fewer files than this would take longer than searching them here. */
#define FILES_A_WORKER 16

/* As many matches as a reply shows.  One match more shows that there are others; the rest need not
 * be found. */
static int64_t most_matches(const struct grep_search *s) {
    return s->options.output == GREP_COUNT ? INT64_MAX : s->options.limit;
}

/* How many directories a worker keeps open: that of the current file and some above it.  Files come
 * in the order of their paths, so the worker soon needs those above again. */
#define DIRS_OPEN 8

/* The state of one thread. */
struct grep_worker {
    struct grep_search *search;
    struct grep_reader *reader;
    struct grep_found *found; /* of the current batch */
    struct {
        const struct walk_dir *dir;
        struct node node; /* closed if opening it failed */
    } open[DIRS_OPEN];
    size_t open_count;
    struct workers *all;
    struct waiting waiting;
    int64_t searched, binary, unreadable; /* numbers of files of the current batch */
};

static void close_dirs(struct grep_worker *w, size_t keep) {
    while (w->open_count > keep)
        node_close(&w->open[--w->open_count].node);
}

static bool is_above(const struct walk_dir *above, const struct walk_dir *dir) {
    while (dir->depth > above->depth)
        dir = dir->parent;
    return dir == above;
}

/* Opens DIR, or finds it open; NULL if it cannot be opened.  The list of open directories is a path
 * from the top: those that are not above DIR are closed first. */
static const struct node *open_search_dir(struct grep_worker *w, const struct walk_dir *dir) {
    struct aqfs_workspace *ws = w->search->call->work.ws;
    const struct place *place = w->search->place;
    while (w->open_count > 0 && !is_above(w->open[w->open_count - 1].dir, dir))
        close_dirs(w, w->open_count - 1);
    if (w->open_count == 0 || w->open[w->open_count - 1].dir != dir) {
        close_dirs(w, DIRS_OPEN - 1);
        char full[PATH_BYTES_MAX + 1];
        struct error e;
        struct node *node = &w->open[w->open_count].node;
        w->open[w->open_count++].dir = dir;
        *node = (struct node){0};
        if (walk_full_path(place, dir, full))
            (void)ws->backend->open(ws, place->root, full, OPEN_DIRECTORY, node, &e);
    }
    const struct node *node = &w->open[w->open_count - 1].node;
    return node->backend ? node : NULL;
}

/* Counts a file by CODE, the result of searching it; false when the search has to end. */
static bool count_outcome(struct grep_worker *w, int code) {
    switch (code) {
    case AQFS_OK:
    case AQFS_RESTRICTED: /* another name of a secret: as if it had no match */
        w->searched++;
        return true;
    case AQFS_BINARY:
        w->binary++;
        return true;
    case AQFS_LIMIT:
    case AQFS_CANCELLED:
        atomic_store(&w->search->stopped, code);
        return false;
    default:
        w->unreadable++;
        return true;
    }
}

/* Adds the worker's counts to those of the search, and begins them anew. */
static void add_up_counts(struct grep_worker *w) {
    w->search->searched += w->searched;
    w->search->binary += w->binary;
    w->search->unreadable += w->unreadable;
    w->searched = w->binary = w->unreadable = 0;
}

static void close_worker(struct grep_worker *w) {
    add_up_counts(w);
    close_dirs(w, 0);
    if (w->reader)
        w->search->undecided += grep_reader_undecided(w->reader);
    grep_reader_free(w->reader);
}

static bool search_file(struct grep_worker *w, size_t index) {
    struct walk_ref ref = w->search->files[index];
    struct node file;
    struct error e;
    const struct node *dir = open_search_dir(w, ref.dir);
    if (!dir)
        return count_outcome(w, AQFS_IO);
    int code = dir->backend->open_below(dir, ref.entry->name, OPEN_UNSEEN, &file, &e);
    if (code)
        return count_outcome(w, code == AQFS_LIMIT || code == AQFS_RESTRICTED ? AQFS_IO : code);
    code = grep_reader_search(w->reader, &file, w->search->first_file + index, w->found);
    node_close(&file);
    return count_outcome(w, code);
}

static bool may_search_on(struct grep_search *s) {
    int code = budget_check(&s->call->work.budget);
    if (code)
        atomic_store(&s->stopped, code);
    return !code;
}

/* Searches the files of a batch, until there are more matches than a reply shows. */
static void search_batch(struct grep_worker *w, size_t batch) {
    struct grep_search *s = w->search;
    size_t from = (batch - s->first_batch) * GREP_BATCH_FILES, end = from + GREP_BATCH_FILES;
    end = end < s->file_count ? end : s->file_count;
    for (size_t i = from; i < end && may_search_on(s); i++) {
        if (!search_file(w, i) || w->found->cut || w->found->matched > most_matches(s))
            break;
        workers_step(w->all, &w->waiting);
    }
}

/* Hands the results of BATCH to the sink.  All batches before BATCH were taken by some worker, and
 * theirs come first in the reply.  So once all finished batches together have more matches than the
 * reply shows, no batch that is not yet taken can appear in it. */
static void finish_batch(struct grep_worker *w, size_t batch) {
    struct grep_search *s = w->search;
    struct grep_found *found = w->found;
    int64_t all = atomic_fetch_add(&s->found, found->matched) + found->matched;
    if (found->cut || all > most_matches(s))
        atomic_store(&s->enough, true);
    if (found->matched == 0) {
        grep_found_free(found);
        found = NULL;
    }
    add_up_counts(w);
    grep_sink_put(&s->sink, batch, found, s->searched);
}

static void run_grep_worker(void *data, unsigned index, struct workers *all) {
    struct grep_search *s = data;
    struct grep_worker w = {.search = s, .all = all};
    (void)index;
    w.reader = grep_reader_new(&s->options, s->regex, &s->call->work.budget);
    bool memory = w.reader != NULL;
    while (memory && !atomic_load(&s->enough) && may_search_on(s)) {
        size_t batch = s->next++;
        if (batch >= s->sink.batch_count)
            break;
        w.found = calloc(1, sizeof *w.found);
        memory = w.found != NULL;
        if (memory) {
            search_batch(&w, batch);
            finish_batch(&w, batch);
        }
    }
    if (!memory)
        atomic_store(&s->no_memory, true);
    close_worker(&w);
}

/* Adds COUNT batches for the place that is searched now. */
static bool begin_batches(struct grep_search *s, size_t count) {
    s->first_batch = s->sink.batch_count;
    s->next = s->first_batch;
    if (grep_sink_add(&s->sink, count))
        return true;
    atomic_store(&s->no_memory, true);
    return false;
}

void grep_search_files(struct grep_search *s) {
    if (!begin_batches(s, (s->file_count + GREP_BATCH_FILES - 1) / GREP_BATCH_FILES))
        return;
    const long limit = (long)s->call->work.ws->limits.threads;
    const unsigned useful = (unsigned)(s->file_count / FILES_A_WORKER + 1);
    const unsigned count = workers_count(limit), most = workers_most(limit);
    workers_run_growing(count < useful ? count : useful, most < useful ? most : useful,
                        run_grep_worker, s);
}

void grep_search_one(struct grep_search *s, const struct node *file) {
    if (!begin_batches(s, 1))
        return;
    struct grep_worker w = {.search = s, .found = calloc(1, sizeof *w.found)};
    w.reader = grep_reader_new(&s->options, s->regex, &s->call->work.budget);
    if (w.found && w.reader) {
        (void)count_outcome(&w, grep_reader_search(w.reader, file, s->first_file, w.found));
        finish_batch(&w, s->first_batch);
    } else {
        grep_found_free(w.found);
        atomic_store(&s->no_memory, true);
    }
    close_worker(&w);
}

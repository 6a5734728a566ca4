/* grep_worker.c -- batches of files, to what is found in them: see grep.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep.h"

#include "workers.h"

#include <stdlib.h>

/* A worker for fewer files would cost more than it saves. */
#define FILES_A_WORKER 16

/* Beyond these a match is only worth knowing of. */
static int64_t most_matches(const struct grep_search *s) {
    return s->options.output == GREP_COUNT ? INT64_MAX : s->options.limit;
}

/* Directories kept open: the one in hand and some above it, which a worker comes back to. */
#define DIRS_OPEN 8

/* What a worker has to itself. */
struct grep_worker {
    struct grep_search *search;
    struct grep_reader *reader;
    struct grep_found *found; /* of the batch in hand */
    struct {
        const struct walk_dir *dir;
        struct node node; /* closed where it could not be opened */
    } open[DIRS_OPEN];
    size_t open_count;
    int64_t searched, binary, unreadable; /* files, of the batch in hand */
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

/* DIR, open; NULL when it cannot be. */
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

/* Counts what became of a file; false when the search has to end. */
static bool count_outcome(struct grep_worker *w, int code) {
    switch (code) {
    case AQFS_OK:
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

/* Adds what was counted to the call's counts. */
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
        return count_outcome(w, code == AQFS_LIMIT ? AQFS_IO : code);
    code = grep_reader_search(w->reader, &file, index, w->found);
    node_close(&file);
    return count_outcome(w, code);
}

static bool may_search_on(struct grep_search *s) {
    int code = budget_check(&s->call->work.budget);
    if (code)
        atomic_store(&s->stopped, code);
    return !code;
}

/* Searches a batch's files, until it has more than can be shown. */
static void search_batch(struct grep_worker *w, size_t batch) {
    struct grep_search *s = w->search;
    size_t end = (batch + 1) * GREP_BATCH_FILES;
    end = end < s->file_count ? end : s->file_count;
    for (size_t i = batch * GREP_BATCH_FILES; i < end && may_search_on(s); i++)
        if (!search_file(w, i) || w->found->cut || w->found->matched > most_matches(s))
            break;
}

/* The batches before this one are taken, so what is found in them comes first: when that is enough
 * already, no further batch matters. */
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

static void run_grep_worker(void *data, unsigned index) {
    struct grep_search *s = data;
    struct grep_worker w = {.search = s};
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

void grep_search_files(struct grep_search *s) {
    size_t useful = s->file_count / FILES_A_WORKER + 1;
    unsigned workers = workers_count((long)s->call->work.ws->limits.threads);
    workers_run(workers < useful ? workers : (unsigned)useful, run_grep_worker, s);
}

void grep_search_one(struct grep_search *s, const struct node *file) {
    struct grep_worker w = {.search = s, .found = calloc(1, sizeof *w.found)};
    w.reader = grep_reader_new(&s->options, s->regex, &s->call->work.budget);
    if (w.found && w.reader) {
        (void)count_outcome(&w, grep_reader_search(w.reader, file, 0, w.found));
        finish_batch(&w, 0);
    } else {
        grep_found_free(w.found);
        atomic_store(&s->no_memory, true);
    }
    close_worker(&w);
}

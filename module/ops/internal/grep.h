/* grep.h -- the parts of grep_files.
 *
 *     grep.c          the operation: which files to search, and what is said in the end
 *     grep_worker.c   batches of files, to what is found in them
 *     grep_file.c     one file, to the lines found in it
 *     grep_block.c    its text
 *     grep_sink.c     what was found, in order, to the reply
 *
 * A worker searches whole batches of files that follow each other.  What a
 * batch had is put in its place in the sink, and whoever comes by with the next
 * in order writes it out: so results stream, in the order of their paths, and
 * whatever the threads do the reply is the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GREP_H
#define AQFS_GREP_H

#include "call.h"
#include "regex.h"
#include "walk.h"

#include <pthread.h>
#include <stdatomic.h>

enum grep_output { GREP_CONTENT, GREP_FILES, GREP_COUNT };

struct grep_options {
    enum grep_output output;
    int64_t limit;   /* of matching lines, or of files */
    int64_t context; /* lines before and after a match */
    size_t most;     /* bytes of a reply */
};

/* A line that matches, or that stands near one. */
struct grep_line {
    int64_t number;
    bool matched;
    size_t start, end; /* the match in the line, in bytes */
    size_t text, len;  /* the line as it is shown, in the text of struct grep_found */
};

struct grep_file {
    size_t index;            /* of the files to search */
    int64_t count;           /* matching lines; only whether there are any with GREP_FILES */
    size_t line, line_count; /* with GREP_CONTENT */
};

/* What some files had, in their order. */
struct grep_found {
    struct buf files; /* of struct grep_file */
    struct buf lines; /* of struct grep_line */
    struct buf text;
    int64_t matched; /* lines, or with GREP_FILES files */
    bool cut;        /* there was more than a reply can hold */
};

void grep_found_free(struct grep_found *found);

/* ---- grep_file.c: for one thread */

struct grep_reader;

/* NULL when there is no memory. */
struct grep_reader *grep_reader_new(const struct grep_options *options, const struct regex *regex,
                                    struct budget *budget);
void grep_reader_free(struct grep_reader *reader);

/* Adds to FOUND what FILE has.  AQFS_OK; AQFS_BINARY: it is no text; AQFS_ENCODING: it is in an
 * encoding that cannot be read; AQFS_LIMIT, AQFS_CANCELLED: the budget ended it, with what was
 * found until then; others: it cannot be read, or there is no memory. */
int grep_reader_search(struct grep_reader *reader, const struct node *file, size_t index,
                       struct grep_found *found);

/* Lines, of all files, that were too complex to decide or too long to be searched whole. */
int64_t grep_reader_undecided(const struct grep_reader *reader);

/* ---- grep_sink.c: for all threads */

struct grep_batch {
    atomic_bool done;
    struct grep_found *found; /* NULL when there was nothing */
};

struct grep_sink {
    struct call *call;
    const struct grep_options *options;
    void (*show_path)(const void *files, size_t index, struct buf *out);
    const void *files;

    pthread_mutex_t lock; /* guards what follows, and the call's reply and text */
    struct grep_batch *batches;
    size_t batch_count, next;
    int64_t shown;                        /* entries of the reply */
    int64_t files_shown;                  /* that they are of */
    int64_t files_matched, lines_matched; /* all that there are, with GREP_COUNT */
    atomic_bool full;   /* the reply has all that it may hold, and there is more */
    struct reply piece; /* for a listener: the entries since it last heard */
    struct reply path;  /* of the file in hand, as data */
    struct buf label;   /* the same as words */
};

/* Opens the reply's list.  SINK has its call, options, files and batches, and is zeroed otherwise.
 * Call grep_sink_free in the end. */
void grep_sink_open(struct grep_sink *sink);

/* Batch I is searched: takes FOUND, which may be NULL, and writes what is complete from the
 * beginning.  SEARCHED files are the progress to report. */
void grep_sink_put(struct grep_sink *sink, size_t i, struct grep_found *found, int64_t searched);

/* Closes the reply's list.  All workers have ended. */
void grep_sink_close(struct grep_sink *sink);
void grep_sink_free(struct grep_sink *sink);

/* ---- grep_worker.c: all threads */

#define GREP_BATCH_FILES 64

struct grep_search {
    struct call *call;
    struct grep_options options;
    const struct regex *regex;
    struct grep_sink sink; /* open */

    const struct place *place;    /* where the walk began */
    const struct walk_ref *files; /* in the order of their paths */
    size_t file_count;

    atomic_size_t next;                           /* the first batch that nobody has taken */
    _Atomic int64_t found;                        /* matches in all batches that were taken */
    atomic_bool enough;                           /* no further batch can be shown */
    _Atomic int64_t searched, binary, unreadable; /* files */
    _Atomic int64_t undecided;                    /* lines */
    atomic_int stopped;                           /* why the budget ended it */
    atomic_bool no_memory;
};

void grep_search_files(struct grep_search *search);

/* One file instead, as batch 0. */
void grep_search_one(struct grep_search *search, const struct node *file);

#endif

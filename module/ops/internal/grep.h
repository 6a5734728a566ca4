/* grep.h -- the parts of grep_files.
 *
 *     grep_files.c    the operation: its arguments, and the end of the reply
 *     grep_places.c   the places to search, one behind the other, and their files
 *     grep_worker.c   threads that search batches of files
 *     grep_file.c     finds the lines of one file that match
 *     grep_block.c    reads a file's text, block by block
 *     grep_sink.c     writes what was found to the reply, in order
 *
 * The files of a place are sorted by path and cut into batches.  Each worker takes the next
 * batch, searches it and puts its results into the batch's place in the sink.  The
 * sink writes a batch out as soon as all batches before it are written.  So results
 * stream in the order of their paths, and the reply does not depend on which thread
 * was faster.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GREP_H
#define AQFS_GREP_H

#include "call.h"
#include "regex.h"
#include "unseen.h"
#include "walk.h"

#include <pthread.h>
#include <stdatomic.h>

enum grep_output { GREP_CONTENT, GREP_FILES, GREP_COUNT };

struct grep_options {
    enum grep_output output;
    int64_t limit;   /* of matching lines, or of files */
    int64_t before;  /* lines before a match */
    int64_t after;   /* lines after one */
    size_t most;     /* bytes of a reply */
    bool multiline;  /* matches may span lines */
    bool by_count;   /* with GREP_COUNT: most matches first */
    bool ends_in_lf; /* a CR before the end of a line is no part of it, in whatever file */
    const struct aqfs_workspace *secrets; /* whose secret_twins_may_have hides files; or NULL */
};

/* A line that matches, or that stands near one. */
struct grep_line {
    int64_t number, last; /* of the line; and of the last line of a match that spans several */
    bool matched;
    size_t start, end; /* the match in the line, in bytes */
    size_t text, len;  /* the line as it is shown: a part of the text of struct grep_found */
};

struct grep_file {
    size_t index;            /* of the files to search */
    int64_t count;           /* matching lines; with GREP_FILES 1 if there are any */
    size_t line, line_count; /* with GREP_CONTENT: its lines among those of struct grep_found */
};

/* The results of some files, in the order of the files. */
struct grep_found {
    struct buf files; /* of struct grep_file */
    struct buf lines; /* of struct grep_line */
    struct buf text;
    int64_t matched; /* lines, or with GREP_FILES files */
    bool cut;        /* the search stopped because a reply cannot hold more */
};

/* Frees FOUND; NULL is allowed. */
void grep_found_free(struct grep_found *found);

/* ---- grep_file.c: searching a file; each thread has a reader of its own */

struct grep_reader;

/* NULL without memory.  OPTIONS, REGEX and BUDGET must live as long as the reader. */
struct grep_reader *grep_reader_new(const struct grep_options *options, const struct regex *regex,
                                    struct budget *budget);
void grep_reader_free(struct grep_reader *reader);

/* Adds the matches of FILE, number INDEX of the files to search, to FOUND.  AQFS_BINARY when FILE
 * is not text, AQFS_ENCODING when its text cannot be decoded; AQFS_LIMIT or AQFS_CANCELLED when the
 * budget ended, with the matches until then in FOUND; another code when FILE cannot be read or
 * there is no memory. */
int grep_reader_search(struct grep_reader *reader, const struct node *file, size_t index,
                       struct grep_found *found);

/* How many lines, of all files, were too complex to decide or too long to be searched whole. */
int64_t grep_reader_undecided(const struct grep_reader *reader);

/* ---- grep_extensions.c: matches by the extension of their file */

/* A longer one is none, and where there are so many nothing is said of any. */
#define GREP_EXTENSION_BYTES 12
#define GREP_EXTENSIONS_MOST 24

struct grep_extensions {
    struct grep_extension {
        char name[GREP_EXTENSION_BYTES]; /* "" of files without one */
        int64_t files, lines;
    } all[GREP_EXTENSIONS_MOST];
    size_t n;
};

void grep_extensions_add(struct grep_extensions *e, struct text_ref path, int64_t lines);

/* Adds a line to OUT, the extension with most lines first, if there are two or more. */
void grep_extensions_say(struct grep_extensions *e, struct buf *out);

/* ---- grep_sink.c: writing the reply; all threads share one sink */

struct grep_batch {
    atomic_bool done;
    struct grep_found *found; /* NULL when nothing was found */
};

struct grep_sink {
    struct call *call;
    const struct grep_options *options;
    void (*show_path)(const void *files, size_t index, struct buf *out);
    const void *files;

    pthread_mutex_t lock; /* guards what follows, and the call's reply and text */
    struct grep_batch *batches;
    size_t batch_count, next;
    int64_t shown;                        /* entries in the reply */
    int64_t files_shown;                  /* files that have entries in the reply */
    int64_t files_matched, lines_matched; /* in all, with GREP_COUNT */
    struct grep_extensions extensions;    /* of the files that match, with GREP_COUNT */
    struct buf counts;                    /* with by_count: the struct grep_file that match */
    atomic_bool full;                     /* something was left out because the reply is full */
    struct reply piece;        /* for a listener: the entries that it has not been sent yet */
    struct reply path;         /* the path of the file that is being written, as data */
    struct buf label;          /* the same path as words */
    struct unseen_note unseen; /* of the lines in the words */
};

/* Opens the reply's list.  SINK has its call, options and files, and is zeroed otherwise.
 * The caller calls grep_sink_free in the end. */
void grep_sink_open(struct grep_sink *sink);

/* Adds N batches behind the others, while no thread searches.  False without memory. */
bool grep_sink_add(struct grep_sink *sink, size_t n);

/* Takes FOUND, the results of batch I, or NULL.  Then, unless another thread is writing, writes all
 * batches that are next in order and searched.  Reports SEARCHED files as progress. */
void grep_sink_put(struct grep_sink *sink, size_t i, struct grep_found *found, int64_t searched);

/* Writes the batches that are left, and closes the reply's list.  All workers have ended. */
void grep_sink_close(struct grep_sink *sink);
/* Frees what SINK holds. */
void grep_sink_free(struct grep_sink *sink);

/* ---- grep_worker.c: the threads */

#define GREP_BATCH_FILES 64

struct grep_search {
    struct call *call;
    struct grep_options options;
    const struct regex *regex;
    struct grep_sink sink; /* open */

    /* The place that is searched now. */
    const struct place *place;    /* where the walk began */
    const struct walk_ref *files; /* in the order of their paths */
    size_t file_count;
    size_t first_file, first_batch; /* their numbers among those of all places */

    atomic_size_t next;                           /* the first batch that no worker has taken */
    _Atomic int64_t found;                        /* matches in all batches that are searched */
    atomic_bool enough;                           /* the reply cannot show any further batch */
    _Atomic int64_t searched, binary, unreadable; /* numbers of files */
    _Atomic int64_t undecided;                    /* number of lines */
    atomic_int stopped;                           /* the code with which the budget ended, or 0 */
    atomic_bool no_memory;
};

/* Searches the files of SEARCH's place and puts the results into batches that it adds to its sink.
 * Sets `stopped` or `no_memory` if the search ended early. */
void grep_search_files(struct grep_search *search);

/* Searches FILE alone, as one batch, in the same way. */
void grep_search_one(struct grep_search *search, const struct node *file);

/* ---- grep_places.c: the places */

struct grep_places;

/* Searches the places that the call names, those files of a directory that INCLUDE matches.  *OUT
 * knows what was searched, and what was not; the caller frees it, also after an error. */
int grep_search_places(struct grep_search *search, const struct glob_set *include,
                       struct grep_places **out);
void grep_places_free(struct grep_places *g);

/* How many files of directories were searched; -1 if only files were named. */
int64_t grep_places_files(const struct grep_places *g);
/* How many files were left out because they are secret. */
int64_t grep_places_secret(const struct grep_places *g);
/* The counts of the walks of all directories, added up; it has no entries. */
const struct walk *grep_places_walks(const struct grep_places *g);

#endif

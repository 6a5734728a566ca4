/* reply.h -- writing a reply as data, with the same calls for both formats; the answer of a call.
 *
 * The same calls print an s-expression that both Lisps read, or JSON:
 *
 *     reply_map(r);                       (:path "a" :entries (1 t))
 *     reply_key(r, "path");               {"path": "a", "entries": [1, true]}
 *     reply_string(r, "a", 1); ...
 *
 * Keys are lower case with hyphens; JSON shows underscores.  False, null and
 * the empty list are all nil to a Lisp.  The output is valid UTF-8 whatever the
 * input: each stray byte becomes U+FFFD.  The caller must close groups and give
 * keys their values, which nothing checks.  It checks for lack of memory once,
 * at the end (out.failed).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLY_H
#define AQFS_REPLY_H

#include "aqfs.h"
#include "buf.h"
#include "error.h"
#include "key.h"

/* Hears of a long reply while it is written.  If the call fails later, what it was told is void. */
struct reply_listener {
    void (*take)(void *data, const char *bytes, size_t n);
    void *data;
    size_t block; /* how many bytes it is told at once */
    size_t told;  /* how many it was told */
};

struct reply {
    struct buf out;
    int format;                      /* AQFS_SEXP or AQFS_JSON */
    bool separate;                   /* the next item needs a separator before it */
    struct reply_listener *listener; /* or NULL */
};

/* Tells the listener what was written since: it will not change any more. */
void reply_tell(struct reply *r);

void reply_map(struct reply *r);
void reply_end_map(struct reply *r);
void reply_list(struct reply *r);
void reply_end_list(struct reply *r);
void reply_key(struct reply *r, const char *key);
void reply_string(struct reply *r, const char *bytes, size_t n);
/* A string that path_is_plain accepts: skips the search for characters to escape. */
void reply_plain(struct reply *r, const char *bytes, size_t n);
void reply_path(struct reply *r, const char *bytes, size_t n); /* as path_show writes it */
void reply_null(struct reply *r);
/* Inserts a printed datum of the same format, or several with separators between them. */
void reply_raw(struct reply *r, const char *data, size_t n);

/* A key and its value.  KEY is NULL for an element of a list, and after reply_key. */
void reply_kv_string(struct reply *r, const char *key, const char *bytes, size_t n);
void reply_kv_cstring(struct reply *r, const char *key, const char *s); /* NULL is null */
void reply_kv_path(struct reply *r, const char *key, const char *bytes, size_t n);
void reply_kv_int(struct reply *r, const char *key, int64_t n);
void reply_kv_bool(struct reply *r, const char *key, bool yes);
void reply_kv_keyword(struct reply *r, const char *key, const char *word); /* :word or "word" */
void reply_kv_time(struct reply *r, const char *key, int64_t ns); /* TIME_UNKNOWN is null */

/* How much a call may do without asking a person, and the words for it: "safe", "cautious",
 * "dangerous". */
/* X(constant, name) */
#define TIERS(X)                                                                                   \
    X(SAFE, "safe")                                                                                \
    X(CAUTIOUS, "cautious")                                                                        \
    X(DANGEROUS, "dangerous")

#define X(constant, name) TIER_##constant,
enum tier { TIERS(X) };
#undef X
const char *tier_name(enum tier tier);

/* The answer of a call: printed data, or an error. */
struct aqfs_reply {
    struct buf text;
    /* The words that are apart, valid UTF-8; without data where they are inside, as those of an
     * error are. */
    struct buf words;
    enum code code;
};

/* A reply from a finished writer, or from an error.  Used by every door. */
aqfs_reply *reply_finish(struct reply *r);
aqfs_reply *reply_from_error(int format, const struct error *e, const char *path, size_t path_n);
/* The same with further MEMBERS, printed in FORMAT, in its map, and WORDS at the end of its text;
 * either may be NULL. */
aqfs_reply *reply_from_error_with(int format, const struct error *e, const char *path,
                                  size_t path_n, const struct buf *members,
                                  const struct buf *words);

#endif

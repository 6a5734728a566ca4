/* regex_read.h -- the parts of the reader of regex_plan.h.
 *
 *     regex_plan.c    alternatives, sequences, repeats, groups
 *     regex_item.c    characters, escapes, what matches one character
 *     regex_class.c   [classes]
 *     regex_needle.c  literals that every match contains
 *
 * Each part reads at `at`, writes both forms of what it read, and leaves `at`
 * behind it.  reader_give_up may be called anywhere: everything then ends soon.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_READ_H
#define AQFS_REGEX_READ_H

#include "regex_plan.h"

struct pattern_reader {
    struct regex_plan *plan;
    const char *text;
    size_t n, at;
    bool literal;       /* the whole pattern is plain text */
    bool quoting;       /* between \Q and \E, or literal */
    bool lost;          /* gave up */
    unsigned depth;     /* of groups */
    unsigned wide_plus; /* how many `.+` and the like were read */
};

/* What is known of a part of the pattern. */
struct facts {
    uint32_t ways, repeats; /* as in struct regex_plan */
    bool wide_plus;         /* has a `.+` or the like */
    struct needles needles;
};

enum pattern_item_kind {
    ITEM_CHARACTER, /* stands for itself */
    ITEM_SET,       /* one of several characters */
    ITEM_WIDE,      /* any character but some ASCII ones: in bytes, also a part of one */
    ITEM_GROUP,
    ITEM_EMPTY, /* matches no characters and is not repeated: anchors, flags */
};

struct pattern_item {
    enum pattern_item_kind kind;
    unsigned len; /* of a character's bytes; 0 when it was given by a code point */
    char bytes[4];
    struct facts facts;
};

/* A run of characters that follow each other in the pattern. */
struct run {
    struct needle needle;
};

static inline void reader_give_up(struct pattern_reader *r) {
    r->lost = true;
}

static inline bool reader_more(const struct pattern_reader *r) {
    return !r->lost && r->at < r->n;
}

/* The byte AHEAD of the next, or NUL behind the end (no pattern has a NUL). */
static inline char reader_peek(const struct pattern_reader *r, size_t ahead) {
    return r->at + ahead < r->n ? r->text[r->at + ahead] : '\0';
}

/* Appends to both forms. */
void reader_write(struct pattern_reader *r, const char *s);

/* The item at `at`, which is neither the end, nor `|`, nor `)`, nor a group. */
void read_item(struct pattern_reader *r, struct pattern_item *item);

/* Passes \Q and \E, which stand for nothing themselves. */
void read_quotes(struct pattern_reader *r);

/* Is the next thing a repeat?  Its bounds are read into LEAST and MOST (UINT32_MAX: no bound), and
 * LENGTH is its length without the `?` or `+` that may follow. */
bool reader_at_repeat(struct pattern_reader *r, uint32_t *least, uint32_t *most, size_t *length);

/* The class whose `[` is at `at`. */
void read_class(struct pattern_reader *r, struct pattern_item *item);

/* \p{...} or \P{...} at `at`, which it passes: may it match a newline? */
bool read_property(struct pattern_reader *r);

/* \x41 or \x{41} at `at`: the code point, or -1 when it is spelled in an uncommon way. */
int32_t read_hex(struct pattern_reader *r);

/* Adds a character to a run; a run that is full is kept in BEST and begins anew. */
void run_add(const struct pattern_reader *r, struct run *run, const struct pattern_item *item,
             struct needles *best);
/* Ends a run: BEST keeps it when it tells more. */
void run_end(struct run *run, struct needles *best);
/* The better of two sets that both hold. */
void needles_both(struct needles *best, const struct needles *other);
/* The set that holds when either of two does. */
void needles_either(struct needles *set, const struct needles *other);

#endif

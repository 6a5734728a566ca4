/* regex_read.h -- the parts of the reader of regex_plan.h.
 *
 *     regex_plan.c    alternatives, sequences, repeats, groups
 *     regex_item.c    characters, escapes, items that match one character
 *     regex_class.c   [classes]
 *     regex_needle.c  literals that every match contains
 *
 * Each part reads at `at`, writes both forms of what it read, and moves `at`
 * after it.  reader_give_up may be called anywhere; the reader then soon ends.
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
    bool lost;          /* the reader gave up */
    unsigned depth;     /* of groups */
    unsigned wide_plus; /* the number of `.+` and the like so far */
};

/* Facts about a part of the pattern. */
struct facts {
    uint32_t ways, repeats; /* as in struct regex_plan */
    bool wide_plus;         /* contains a `.+` or the like */
    struct needles needles;
};

enum pattern_item_kind {
    ITEM_CHARACTER, /* stands for itself */
    ITEM_SET,       /* one of several characters */
    ITEM_WIDE,      /* any character but some ASCII ones; on bytes, also part of a character */
    ITEM_GROUP,
    ITEM_EMPTY, /* matches no characters and is not repeated: anchors, flags */
};

struct pattern_item {
    enum pattern_item_kind kind;
    unsigned len; /* of a character, in bytes; 0 when it was given as a code point */
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

/* The byte AHEAD bytes after the next one, or NUL after the end.  (No pattern contains a NUL.) */
static inline char reader_peek(const struct pattern_reader *r, size_t ahead) {
    return r->at + ahead < r->n ? r->text[r->at + ahead] : '\0';
}

static inline bool is_ascii_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Appends to both forms. */
void reader_write(struct pattern_reader *r, const char *s);

/* Reads the item at `at`, which is not the end, `|`, `)` or a group. */
void read_item(struct pattern_reader *r, struct pattern_item *item);

/* Passes \Q and \E, which match nothing themselves. */
void read_quotes(struct pattern_reader *r);

/* Is there a repeat at `at`?  LEAST and MOST are its bounds (UINT32_MAX: no bound), and LENGTH is
 * its length without the `?` or `+` that may follow. */
bool reader_at_repeat(struct pattern_reader *r, uint32_t *least, uint32_t *most, size_t *length);

/* Reads the class whose `[` is at `at`. */
void read_class(struct pattern_reader *r, struct pattern_item *item);

/* Passes \p{...} or \P{...} at `at`.  May it match a newline? */
bool read_property(struct pattern_reader *r);

/* Reads \x41 or \x{41} at `at`: the code point, or -1 when it is spelled in an uncommon way. */
int32_t read_hex(struct pattern_reader *r);

/* Adds a character to a run.  A full run is kept in BEST and starts anew. */
void run_add(const struct pattern_reader *r, struct run *run, const struct pattern_item *item,
             struct needles *best);
/* Ends a run.  BEST keeps the run if it is more selective. */
void run_end(struct run *run, struct needles *best);
/* Keeps in BEST the better of two sets that both hold. */
void needles_both(struct needles *best, const struct needles *other);
/* Makes SET hold when either of two sets does. */
void needles_either(struct needles *set, const struct needles *other);

#endif

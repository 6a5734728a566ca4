/* glob.c -- a small glob language: see glob.h.
 *
 * A pattern is a row of elements, with stars between them.  Each element takes
 * something from the path: a literal byte, any character (`?`), or the slash of
 * `**\/`.  State k means that the first k elements have taken the whole path so
 * far.  The bits of `now` are the states that hold.  A byte of the path keeps
 * the states whose next element takes it, and shifts them by one; a star keeps
 * its state where it is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "glob.h"

#include "utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_BYTES_MAX 4096
#define WORD_BITS 64
#define WORDS_MAX (PATTERN_BYTES_MAX / WORD_BITS + 1)

/* Most patterns need no states: plain text, `*` before text, and `**` alone. */
enum shape { SHAPE_TEXT, SHAPE_STAR_TEXT, SHAPE_ALL, SHAPE_STATES };

/* The rows of bits.  Rows 0 to 255 hold, for each byte, the states that it advances. */
enum row {
    ROW_ANY = 256,  /* states that any character but a slash advances */
    ROW_STAY,       /* states that stars keep on a byte other than a slash */
    ROW_STAY_SLASH, /* states that stars keep on a slash */
    ROW_SKIP,       /* states before `**\/`, which may also match nothing */
    ROWS
};

struct glob {
    bool basename_only;
    enum shape shape;
    size_t depth;
    size_t states, words; /* the last state accepts; WORDS make a row */
    const char *tail;     /* the literal text after the last wildcard; every match ends in it */
    size_t tail_len;
    uint64_t bits[]; /* the rows, then the bytes of `tail` */
};

static bool ends_with(const char *text, size_t n, const char *end, size_t end_len) {
    return n >= end_len && memcmp(text + n - end_len, end, end_len) == 0;
}

/* Copies a pattern, with `***` as `**` and each run of `**\/` as one, which matches the same paths.
 */
static size_t simplify(const char *pattern, size_t n, char *out) {
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (pattern[i] == '*' && ends_with(out, len, "**", 2))
            continue;
        if (pattern[i] == '/' && ends_with(out, len, "**/**", 5))
            len -= 2;
        else
            out[len++] = pattern[i];
    }
    return len;
}

enum element { LITERAL, ANY, STAR, GLOBSTAR, DIRECTORIES };

/* Takes one element off a simplified pattern.  `**\/` is one element only at the beginning of a
 * segment. */
static enum element next_element(const char *text, size_t n, size_t *at) {
    size_t from = (*at)++;
    if (text[from] == '?')
        return ANY;
    if (text[from] != '*')
        return LITERAL;
    if (*at == n || text[*at] != '*')
        return STAR;
    (*at)++;
    bool begins_segment = from == 0 || text[from - 1] == '/';
    if (!begins_segment || *at == n || text[*at] != '/')
        return GLOBSTAR;
    (*at)++;
    return DIRECTORIES;
}

static size_t count_states(const char *text, size_t n) {
    size_t states = 1;
    for (size_t at = 0; at < n;) {
        enum element element = next_element(text, n, &at);
        states += element != STAR && element != GLOBSTAR;
    }
    return states;
}

/* The offset of the text after the last wildcard. */
static size_t tail_start(const char *text, size_t n) {
    size_t tail = 0;
    for (size_t at = 0; at < n;) {
        if (next_element(text, n, &at) != LITERAL)
            tail = at;
    }
    return tail;
}

static enum shape shape_of(const char *text, size_t n) {
    size_t tail = tail_start(text, n);
    if (tail == 0)
        return SHAPE_TEXT;
    if (n == 2 && text[0] == '*' && text[1] == '*')
        return SHAPE_ALL;
    return tail == 1 && text[0] == '*' ? SHAPE_STAR_TEXT : SHAPE_STATES;
}

static void set(struct glob *g, size_t row, size_t state) {
    g->bits[row * g->words + state / WORD_BITS] |= UINT64_C(1) << state % WORD_BITS;
}

/* Enters each element into the rows: the bytes that take it, and what its stars keep.  Here `?`
 * takes ASCII only; advance_character lets it take longer characters. */
static void fill_transitions(struct glob *g, const char *text, size_t n) {
    size_t state = 0;
    for (size_t at = 0; at < n;) {
        unsigned char byte = (unsigned char)text[at];
        switch (next_element(text, n, &at)) {
        case LITERAL:
            set(g, byte, state++);
            break;
        case ANY:
            set(g, ROW_ANY, state);
            for (size_t c = 0; c < 0x80; c++) {
                if (c != '/')
                    set(g, c, state);
            }
            state++;
            break;
        case GLOBSTAR:
            set(g, ROW_STAY_SLASH, state);
            set(g, ROW_STAY, state);
            break;
        case STAR:
            set(g, ROW_STAY, state);
            break;
        case DIRECTORIES:
            set(g, ROW_STAY_SLASH, state);
            set(g, ROW_STAY, state);
            set(g, ROW_SKIP, state);
            set(g, '/', state++);
            break;
        }
    }
}

/* Compiles the functions below twice: for one word, which is most patterns, and for any number. */
#define BOTH_WIDTHS static inline __attribute__((always_inline))

/* Advances by one byte of the path.  False when no state is left, so nothing can match any more. */
BOTH_WIDTHS bool advance(const struct glob *g, uint64_t *now, unsigned char byte, size_t words) {
    const uint64_t *takes = g->bits + byte * words;
    const uint64_t *stays = g->bits + (byte == '/' ? ROW_STAY_SLASH : ROW_STAY) * words;
    const uint64_t *skips = g->bits + ROW_SKIP * words;
    uint64_t taken_carry = 0, skipped_carry = 0, left = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t taken = now[i] & takes[i];
        uint64_t reached = taken << 1 | taken_carry;
        uint64_t skipped = reached & skips[i];
        now[i] = reached | skipped << 1 | skipped_carry | (now[i] & stays[i]);
        taken_carry = taken >> (WORD_BITS - 1);
        skipped_carry = skipped >> (WORD_BITS - 1);
        left |= now[i];
    }
    return left != 0;
}

/* Advances by one character of several bytes, or by a stray byte.  Literal elements take its bytes
 * one by one; a `?` takes the whole character, so the states before a `?` are kept aside and added
 * at the end. */
BOTH_WIDTHS size_t advance_character(const struct glob *g, uint64_t *now, const char *bytes,
                                     size_t n, size_t words) {
    uint64_t any[WORDS_MAX];
    for (size_t i = 0; i < words; i++)
        any[i] = now[i] & g->bits[ROW_ANY * words + i];

    int32_t code_point;
    size_t length = utf8_decode(bytes, n, &code_point);
    for (size_t i = 0; i < length; i++)
        (void)advance(g, now, (unsigned char)bytes[i], words);

    uint64_t carry = 0;
    for (size_t i = 0; i < words; i++) {
        now[i] |= any[i] << 1 | carry;
        carry = any[i] >> (WORD_BITS - 1);
    }
    return length;
}

BOTH_WIDTHS bool run_states(const struct glob *g, const char *path, size_t n, size_t words) {
    uint64_t now[WORDS_MAX];
    for (size_t i = 0; i < words; i++)
        now[i] = 0;
    now[0] = 1 | (g->bits[ROW_SKIP * words] & 1) << 1;

    for (size_t at = 0; at < n;) {
        unsigned char byte = (unsigned char)path[at];
        if (byte >= 0x80)
            at += advance_character(g, now, path + at, n - at, words);
        else if (advance(g, now, byte, words))
            at++;
        else
            return false;
    }
    size_t last = g->states - 1;
    return now[last / WORD_BITS] >> last % WORD_BITS & 1;
}

static int check_glob_pattern(const char *pattern, size_t n, struct error *e) {
    if (n == 0)
        return fail(e, AQFS_INVALID_ARGUMENT, "the pattern is empty");
    if (n > PATTERN_BYTES_MAX)
        return fail(e, AQFS_TOO_LONG, "the pattern is longer than %d bytes", PATTERN_BYTES_MAX);
    if (memchr(pattern, '\0', n))
        return fail(e, AQFS_INVALID_ARGUMENT, "the pattern contains a NUL byte");
    if (!utf8_is_valid(pattern, n))
        return fail(e, AQFS_INVALID_ARGUMENT, "the pattern is not valid UTF-8");
    return AQFS_OK;
}

/* Is it `**\/` followed by text without a slash or `**`? */
static bool is_basename_only(const char *text, size_t n) {
    return n > 3 && memcmp(text, "**/", 3) == 0 && !memchr(text + 3, '/', n - 3) &&
           !memmem(text + 3, n - 3, "**", 2);
}

static size_t depth_of(const char *text, size_t n) {
    if (memmem(text, n, "**", 2))
        return 0;
    size_t depth = 1;
    for (size_t i = 0; i < n; i++)
        depth += text[i] == '/';
    return depth;
}

struct glob *glob_compile(const char *pattern, size_t n, struct error *e) {
    if (check_glob_pattern(pattern, n, e) != AQFS_OK)
        return NULL;
    char simple[PATTERN_BYTES_MAX] = {0};
    size_t len = simplify(pattern, n, simple);
    const size_t depth = depth_of(simple, len);
    const bool basename_only = is_basename_only(simple, len);
    const char *text = basename_only ? simple + 3 : simple;
    if (basename_only)
        len -= 3;

    enum shape shape = shape_of(text, len);
    size_t states = count_states(text, len);
    size_t words = shape == SHAPE_STATES ? (states - 1) / WORD_BITS + 1 : 0;
    size_t tail = tail_start(text, len);
    struct glob *g = calloc(1, sizeof *g + ROWS * words * sizeof *g->bits + len - tail);
    if (!g) {
        (void)fail_memory(e);
        return NULL;
    }
    char *copy = (char *)(g->bits + ROWS * words);
    memcpy(copy, text + tail, len - tail);
    *g = (struct glob){.basename_only = basename_only,
                       .shape = shape,
                       .depth = depth,
                       .states = states,
                       .words = words,
                       .tail = copy,
                       .tail_len = len - tail};
    if (shape == SHAPE_STATES)
        fill_transitions(g, text, len);
    return g;
}

void glob_free(struct glob *g) {
    free(g);
}

bool glob_matches_basename(const struct glob *g, const char *name, size_t n) {
    if (!ends_with(name, n, g->tail, g->tail_len))
        return false;
    switch (g->shape) {
    case SHAPE_TEXT:
        return n == g->tail_len;
    case SHAPE_STAR_TEXT:
        return !memchr(name, '/', n - g->tail_len);
    case SHAPE_ALL:
        return true;
    case SHAPE_STATES:
        break;
    }
    return g->words == 1 ? run_states(g, name, n, 1) : run_states(g, name, n, g->words);
}

bool glob_matches(const struct glob *g, const char *path, size_t n) {
    const char *slash = g->basename_only ? memrchr(path, '/', n) : NULL;
    const char *from = slash ? slash + 1 : path;
    return glob_matches_basename(g, from, (size_t)(path + n - from));
}

bool glob_matches_all(const struct glob *g) {
    return g->shape == SHAPE_ALL;
}

bool glob_is_basename_only(const struct glob *g) {
    return g->basename_only;
}

size_t glob_depth(const struct glob *g) {
    return g->depth;
}

/* Is there an OPEN with a CLOSE after it? */
static bool has_pair(const char *pattern, size_t n, char open, char close) {
    const char *at = memchr(pattern, open, n);
    return at && memchr(at, close, (size_t)(pattern + n - at));
}

const char *glob_mistaken_syntax(const char *pattern, size_t n) {
    if (has_pair(pattern, n, '{', '}'))
        return "`{a,b}` is not alternation here: give a list of globs";
    if (has_pair(pattern, n, '[', ']'))
        return "`[a-z]` is not a character class here";
    if (n > 0 && pattern[0] == '!')
        return "a leading `!` does not negate here";
    if (n > 0 && memchr(pattern, '\\', n))
        return "`\\` does not escape here";
    return NULL;
}

int glob_set_compile(struct glob_set *set, const char *const *patterns, const size_t *lengths,
                     size_t n, struct error *e) {
    struct glob_set made = {.globs = calloc(n ? n : 1, sizeof(struct glob *))};
    if (!made.globs)
        return fail_memory(e);
    for (; made.n < n; made.n++) {
        made.globs[made.n] = glob_compile(patterns[made.n], lengths[made.n], e);
        if (!made.globs[made.n]) {
            glob_set_free(&made);
            return (int)e->code;
        }
    }
    *set = made;
    return AQFS_OK;
}

void glob_set_free(struct glob_set *set) {
    for (size_t i = 0; i < set->n; i++)
        glob_free(set->globs[i]);
    free(set->globs);
    *set = (struct glob_set){0};
}

bool glob_set_matches(const struct glob_set *set, const char *name, size_t n) {
    for (size_t i = 0; i < set->n; i++) {
        if (glob_matches_basename(set->globs[i], name, n))
            return true;
    }
    return false;
}

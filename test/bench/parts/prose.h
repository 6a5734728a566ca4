/* SPDX-License-Identifier: MIT */
/* prose.h -- what the files of the corpus say: words, code, JSON, all by chance. */
#ifndef BENCH_PROSE_H
#define BENCH_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LENGTH(array) ((unsigned)(sizeof(array) / sizeof *(array)))

enum {
    PARTS = 8,
    PACKAGES = 84,      /* in node_modules of a part */
    RARE_WORDS = 32768, /* invented, each in a handful of files */
    WORDS = 4096,       /* in daily use; the frequencies are Zipf's */
    ZIPF_SLOTS = 65536,
    TOPICS = 48,
    IDIOMS = 7, /* templates used by one file: files differ in style as in subject */
    WORD_SIZE = 16,
    TEXT_SIZE = 8 << 20, /* no file is larger */
};

typedef struct {
    uint64_t state;
} chance;

typedef struct {
    char *bytes;
    size_t length;
} text;

/* How a file departs from plain ASCII with LF. */
typedef enum { ASCII, ACCENTED, UNICODE, LATIN1 } script;

typedef struct {
    const char *const *head; /* templates of a file's first lines */
    const char *const *body;
    unsigned heads;
    unsigned bodies;
} language;

typedef struct {
    chance shape;
    chance words;
    script script;
    const char *topic[TOPICS]; /* the words that the file is about */
    text text;
} part;

/* Languages that files are in. */
enum { JAVASCRIPT, TYPESCRIPT, MARKDOWN, C_CODE, LISP_CODE, LANGUAGES };
extern const language languages[LANGUAGES];

unsigned below(chance *c, unsigned n);
bool one_in(chance *c, unsigned n);

/* A size between LOW and 64 LOW or so, most of them near the geometric middle,
 * as the sizes of source files are. */
size_t some_size(chance *c, size_t low);
void invent_words(void);

/* Gives word K a share of the slots in proportion to 1 / (K + 4). */
void share_slots(void);
const char *any_word(chance *c);

/* Real files keep to their subject: a word is in few files, and often there. */
const char *some_word(part *p);
void put_code(part *p, language code, size_t size);
void put_json(part *p, size_t size);

/* One line, however long, as the compilers of JavaScript write it. */
void put_source_map(part *p, size_t size);
void put_minified(part *p, size_t size);

/* Bytes that begin like a PNG, with a NUL among the first, as every image has. */
void put_image(part *p, size_t size);

/* The accented letters used lie in U+00C0 ... U+00FF: two bytes of UTF-8, the
 * first of them C3. */
void to_latin1(text *t);
void to_crlf(text *t);

#endif

/* habits.c -- which words of a text stand first in lists: see habits.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "habits.h"

#include "lex.h"

#include <stdlib.h>

#define BYTES_COUNTED ((size_t)4 << 20)

/* No word is taken to be more certain than this. */
#define FAVOUR_MOST 16.0

static size_t bucket_of(const char *word, size_t n) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)word[i]) * 16777619u;
    return hash % HABIT_WORDS;
}

static void count_once(uint16_t *count) {
    *count = (uint16_t)(*count + (*count < UINT16_MAX));
}

struct habits *habits_read(enum dialect dialect, const char *text, size_t len) {
    struct habits *habits = calloc(1, sizeof *habits);
    struct lexer lx;
    struct token token;
    bool behind_open = false;
    if (!habits)
        return NULL;
    lex_begin(&lx, dialect, text, len < BYTES_COUNTED ? len : BYTES_COUNTED);
    for (lex_next(&lx, &token); token.kind != TOKEN_END && token.kind != TOKEN_BROKEN;
         lex_next(&lx, &token)) {
        size_t bucket = bucket_of(text + token.start, token.end - token.start);
        if (token.kind == TOKEN_ATOM)
            count_once(behind_open ? &habits->first[bucket] : &habits->later[bucket]);
        behind_open = token.kind == TOKEN_OPEN;
    }
    return habits;
}

double habits_favour(const struct habits *habits, const char *word, size_t n, int first) {
    size_t bucket = bucket_of(word, n);
    double is_first = habits->first[bucket], is_later = habits->later[bucket];
    if (first && is_first > 0)
        is_first--;
    if (!first && is_later > 0)
        is_later--;
    double favour = (is_first + 0.5) / (is_later + 0.5);
    return favour > FAVOUR_MOST ? FAVOUR_MOST : favour < 1 / FAVOUR_MOST ? 1 / FAVOUR_MOST : favour;
}

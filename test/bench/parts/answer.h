/* SPDX-License-Identifier: MIT */
/* answer.h -- what a side of a row has found, as a set of texts. */
#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#include <jansson.h>
#include <stddef.h>

typedef struct {
    char **item;
    size_t count;
    size_t room;
} answer;

void add(answer *a, char *item);
answer sorted(answer a);
void free_answer(answer a);

/* A path a line, as fd prints them. */
answer answer_of_paths(const char *text);

/* `path NUL line ":" text`, as rg prints it with --null, as `path:line`.  What
 * it says of binary files has no NUL and is left out: we skip those files. */
answer answer_of_rg(const char *text, size_t length);
const char *member(const json_t *object, const char *key);
json_t *parse(const char *text, size_t length);
answer answer_of_search(const json_t *reply);

/* Nested entries become paths; a directory's ends in a slash. */
void add_tree(answer *a, const json_t *entries, const char *parent);
answer answer_of_grep(const json_t *reply);
answer answer_of_tree(const json_t *reply);

#endif

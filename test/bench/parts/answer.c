/* SPDX-License-Identifier: MIT */
/* answer.c -- what a side of a row has found, as a set of texts: see answer.h. */
#include "answer.h"

#include "die.h"
#include "files.h"
#include "process.h"

#include <stdlib.h>
#include <string.h>

/* -- Answers: sets of strings -- */

void add(answer *a, char *item) {
    if (a->count == a->room) {
        a->room = a->room ? 2 * a->room : 1024;
        a->item = have(realloc(a->item, a->room * sizeof *a->item));
    }
    a->item[a->count++] = item;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

answer sorted(answer a) {
    if (a.count)
        qsort(a.item, a.count, sizeof *a.item, by_bytes);
    return a;
}

void free_answer(answer a) {
    for (size_t i = 0; i < a.count; i++)
        free(a.item[i]);
    free(a.item);
}

static const char *without_dot(const char *path) {
    return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

answer answer_of_paths(const char *text) {
    answer a = {0};
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *path = without_dot(text);
        add(&a, have(strndup(path, (size_t)(end - path))));
    }
    return sorted(a);
}

answer answer_of_rg(const char *text, size_t length) {
    answer a = {0};
    const char *all = text + length;
    for (const char *end; text < all && (end = memchr(text, '\n', (size_t)(all - text)));
         text = end + 1) {
        const char *nul = memchr(text, '\0', (size_t)(end - text));
        if (nul)
            add(&a, path_of("%s:%ld", without_dot(text), strtol(nul + 1, NULL, 10)));
    }
    return sorted(a);
}

const char *member(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        die("a reply lacks \"%s\"", key);
    return text;
}

json_t *parse(const char *text, size_t length) {
    json_error_t problem;
    json_t *v = json_loadb(text, length, JSON_ALLOW_NUL, &problem);
    if (!v)
        die("a reply is not JSON: %s at byte %d", problem.text, problem.position);
    return v;
}

answer answer_of_search(const json_t *reply) {
    answer a = {0};
    const json_t *paths = json_object_get(reply, "paths");
    for (size_t i = 0; i < json_array_size(paths); i++)
        add(&a, have(strdup(json_string_value(json_array_get(paths, i)))));
    return sorted(a);
}

answer answer_of_grep(const json_t *reply) {
    answer a = {0};
    const json_t *matches = json_object_get(reply, "matches");
    for (size_t i = 0; i < json_array_size(matches); i++) {
        const json_t *match = json_array_get(matches, i);
        json_int_t line = json_integer_value(json_object_get(match, "line"));
        add(&a, path_of("%s:%lld", member(match, "path"), (long long)line));
    }
    return sorted(a);
}

void add_tree(answer *a, const json_t *entries, const char *parent) {
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        bool directory = strcmp(member(entry, "type"), "directory") == 0;
        char *path = path_of("%s%s%s", parent, member(entry, "name"), directory ? "/" : "");
        add(a, path);
        add_tree(a, json_object_get(entry, "children"), path);
    }
}

answer answer_of_tree(const json_t *reply) {
    answer a = {0};
    add_tree(&a, json_object_get(json_object_get(reply, "tree"), "children"), "");
    return sorted(a);
}

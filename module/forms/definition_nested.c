/* definition_nested.c -- definitions inside of a form: see definition.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"

#include <string.h>
#include <strings.h>

/* How deeply lists are looked into.  Each list is read once for each level above it. */
#define LEVELS 24

struct nesting {
    enum dialect dialect;
    const char *text;
    each_nested *each;
    void *data;
};

/* A list whose parts are gone through. */
struct level {
    struct form_cursor cursor;
    unsigned depth;   /* of a definition that is found in it */
    bool of_bindings; /* each part is a definition: (name parameters body) */
};

static bool is_one_of(const char *text, const struct form *word, const char *const *words) {
    size_t n = word->end - word->start;
    for (; *words; words++)
        if (strlen(*words) == n && strncasecmp(*words, text + word->start, n) == 0)
            return true;
    return false;
}

static bool has_local_functions(const char *text, const struct form *word) {
    static const char *const words[] = {
        "labels",   "flet",  "macrolet",       "cl-labels", "cl-flet",         "cl-macrolet",
        "cl-flet*", "letfn", "generic-labels", "cl-letf",   "symbol-macrolet", NULL};
    return is_one_of(text, word, words);
}

static bool is_definition_word(const char *text, const struct form *word) {
    static const char *const words[] = {
        "define", "define*", "define-syntax", "define-values", "defn", "defn-", NULL};
    size_t n = word->end - word->start;
    bool def = n > 3 && strncasecmp(text + word->start, "def", 3) == 0;
    return is_one_of(text, word, words) || (def && n > 4);
}

/* Calls for the parts of LIST that are slots, from the FIRST on. */
static bool each_slot(const struct nesting *s, const struct form *list, size_t first) {
    struct form slot;
    struct form_cursor cursor = form_inside(s->dialect, s->text, list);
    for (size_t i = 0; form_next(&cursor, &slot); i++) {
        if (i < first || s->text[slot.start] == '"')
            continue;
        struct definition d = {.name = {slot.start, slot.end - slot.start}};
        struct form name;
        struct form_cursor inside = form_inside(s->dialect, s->text, &slot);
        if (slot.open < slot.end && form_next(&inside, &name))
            d.name = (struct span){name.start, name.end - name.start};
        if (!s->each(s->data, &slot, &d, 1))
            return false;
    }
    return true;
}

/* The slots of a class or a structure. */
static bool each_member(const struct nesting *s, const struct form *form) {
    static const char *const classes[] = {"defclass", "define-condition", "define-class", NULL};
    static const char *const structures[] = {"defstruct", "cl-defstruct", NULL};
    struct form part;
    struct form_cursor cursor = form_inside(s->dialect, s->text, form);
    if (!form_next(&cursor, &part))
        return true;
    if (is_one_of(s->text, &part, structures))
        return each_slot(s, form, 2);
    if (!is_one_of(s->text, &part, classes))
        return true;
    for (int i = 0; i < 3; i++)
        if (!form_next(&cursor, &part))
            return true;
    return part.open == part.end || each_slot(s, &part, 0);
}

/* The list PART is gone through next, and is a definition itself, if it is one. */
static bool enter_list(const struct nesting *s, const struct level *above, const struct form *part,
                       struct level *into) {
    struct form word;
    *into = (struct level){.cursor = form_inside(s->dialect, s->text, part), .depth = above->depth};
    struct form_cursor first = into->cursor;
    if (!form_next(&first, &word))
        return true;
    if (!above->of_bindings && !is_definition_word(s->text, &word))
        return true;
    struct definition d = definition_of(s->dialect, s->text, part);
    if (above->of_bindings)
        d = (struct definition){.name = {word.start, word.end - word.start}};
    into->depth++;
    return s->each(s->data, part, &d, above->depth);
}

/* Behind the word `labels`, the next list holds definitions. */
static bool enter_bindings(const struct nesting *s, struct level *level, struct level *into) {
    struct form part;
    struct form_cursor cursor = level->cursor;
    if (!form_next(&cursor, &part) || !has_local_functions(s->text, &part) ||
        !form_next(&cursor, &part) || part.open == part.end)
        return false;
    level->cursor = cursor;
    *into = (struct level){.cursor = form_inside(s->dialect, s->text, &part),
                           .depth = level->depth,
                           .of_bindings = true};
    return true;
}

bool definition_nested(enum dialect dialect, const char *text, const struct form *form,
                       each_nested *each, void *data) {
    const struct nesting s = {dialect, text, each, data};
    struct level levels[LEVELS + 2];
    size_t n = 1;
    levels[0] = (struct level){.cursor = form_inside(dialect, text, form), .depth = 1};
    if (!each_member(&s, form))
        return false;
    n += enter_bindings(&s, &levels[0], &levels[1]);
    while (n > 0) {
        struct form part;
        if (!form_next(&levels[n - 1].cursor, &part)) {
            n--;
        } else if (part.open < part.end && n < LEVELS) {
            if (!enter_list(&s, &levels[n - 1], &part, &levels[n]))
                return false;
            n++;
            if (n <= LEVELS)
                n += enter_bindings(&s, &levels[n - 1], &levels[n]);
        }
    }
    return true;
}

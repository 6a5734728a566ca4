/* SPDX-License-Identifier: MIT */
/* match.c -- whether a reply is the one that a case expects: see match.h. */
#include "match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct datum *datum_of_json(struct arena *a, const json_t *v) {
    struct datum *list = datum_list(a);
    const char *key;
    json_t *item;
    char *number;
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        json_object_foreach((json_t *)v, key, item) {
            char word[80];
            int n = snprintf(word, sizeof word, ":%s", key);
            for (int i = 0; i < n; i++)
                word[i] = (char)(word[i] == '_' ? '-' : word[i]);
            datum_push(a, list, datum_new(a, DATUM_WORD, word, (size_t)n));
            datum_push(a, list, datum_of_json(a, item));
        }
        return list;
    case JSON_ARRAY:
        for (size_t i = 0; i < json_array_size(v); i++)
            datum_push(a, list, datum_of_json(a, json_array_get(v, i)));
        return list;
    case JSON_STRING:
        return datum_new(a, DATUM_TEXT, json_string_value(v), json_string_length(v));
    case JSON_INTEGER:
    case JSON_REAL:
        number = json_dumps(v, JSON_ENCODE_ANY);
        list = datum_new(a, DATUM_NUMBER, number, strlen(number));
        free(number);
        return list;
    case JSON_TRUE:
        return datum_new(a, DATUM_WORD, "t", 1);
    default:
        return datum_new(a, DATUM_WORD, "nil", 3);
    }
}

static bool match(struct match *m, const struct datum *want, const struct datum *got);

/* Says where the difference is, from the inside out. */
static bool differs(struct match *m, const char *key, size_t index) {
    struct buf inner = m->where;
    m->where = (struct buf){0};
    if (key)
        buf_printf(&m->where, " %s", key);
    else
        buf_printf(&m->where, " %zu", index);
    if (inner.len)
        buf_add(&m->where, inner.data, inner.len);
    buf_free(&inner);
    return false;
}

/* Each key that is wanted is there and matches; others may be there too. */
static bool match_map(struct match *m, const struct datum *want, size_t from,
                      const struct datum *got) {
    for (size_t i = from; i + 1 < want->n; i += 2) {
        const struct datum *value =
            got->kind == DATUM_LIST ? plist_get(got, 0, want->items[i]->text) : NULL;
        bool same = value ? match(m, want->items[i + 1], value) : is_nil(want->items[i + 1]);
        if (!same)
            return differs(m, want->items[i]->text, 0);
    }
    return true;
}

static bool match_list(struct match *m, const struct datum *want, const struct datum *got) {
    if (got->kind != DATUM_LIST || got->n != want->n)
        return false;
    for (size_t i = 0; i < want->n; i++)
        if (!match(m, want->items[i], got->items[i]))
            return differs(m, NULL, i);
    return true;
}

static bool text_has(const struct datum *text, const struct datum *part) {
    return text->kind == DATUM_TEXT && memmem(text->text, text->len, part->text, part->len);
}

/* `?` is any character. */
static bool text_like(const struct datum *text, const struct datum *like) {
    if (text->kind != DATUM_TEXT || text->len != like->len)
        return false;
    for (size_t i = 0; i < like->len; i++)
        if (like->text[i] != '?' && like->text[i] != text->text[i])
            return false;
    return true;
}

static bool is_pattern(const struct datum *d) {
    return is_form(d, "any") || is_form(d, "contains") || is_form(d, "without") ||
           is_form(d, "like") || is_form(d, "has") || is_form(d, "lacks");
}

static bool has_match(const struct match *m, const struct datum *want, const struct datum *got) {
    bool found = false;
    for (size_t i = 0; got->kind == DATUM_LIST && i < got->n && !found; i++) {
        struct match one = {.json = m->json};
        found = match(&one, want, got->items[i]);
        buf_free(&one.where);
    }
    return found;
}

static bool match_pattern(const struct match *m, const struct datum *want,
                          const struct datum *got) {
    const char *word = want->items[0]->text;
    bool good = strcmp(word, "any") != 0 || !is_nil(got);
    for (size_t i = 1; i < want->n && good; i++) {
        if (strcmp(word, "contains") == 0)
            good = text_has(got, want->items[i]);
        else if (strcmp(word, "without") == 0)
            good = got->kind == DATUM_TEXT && !text_has(got, want->items[i]);
        else if (strcmp(word, "like") == 0)
            good = text_like(got, want->items[i]);
        else
            good = has_match(m, want->items[i], got) == (strcmp(word, "has") == 0);
    }
    return good;
}

static bool match_word(const struct match *m, const struct datum *want, const struct datum *got) {
    if (m->json && is_keyword(want) && got->kind == DATUM_TEXT)
        return strcmp(want->text + 1, got->text) == 0;
    return is_word(got, want->text);
}

static bool match(struct match *m, const struct datum *want, const struct datum *got) {
    if (is_nil(want))
        return is_nil(got);
    switch (want->kind) {
    case DATUM_TEXT:
    case DATUM_NUMBER:
        return got->kind == want->kind && got->len == want->len &&
               memcmp(got->text, want->text, want->len) == 0;
    case DATUM_WORD:
        return match_word(m, want, got);
    case DATUM_LIST:
        break;
    }
    if (is_pattern(want))
        return match_pattern(m, want, got);
    return is_keyword(want->items[0]) ? match_map(m, want, 0, got) : match_list(m, want, got);
}

/* Is CODE, of an error, among the words of WANT from its item 1 on? */
static bool is_among(const struct datum *want, const struct datum *code) {
    for (size_t i = 1; code && i < want->n; i++)
        if (strcmp(code->text + (code->text[0] == ':'), want->items[i]->text) == 0)
            return true;
    return false;
}

bool match_outcome(struct match *m, const struct datum *want, const struct datum *got) {
    const struct datum *code = plist_get(got, 0, ":error");
    if (is_form(want, "any"))
        return true;
    if (is_form(want, "refused"))
        return is_among(want, code) || differs(m, ":error", 0);
    if (is_form(want, "reply"))
        return code ? differs(m, "an error", 0) : match_map(m, want, 1, got);
    const struct datum *message = plist_get(got, 0, ":message");
    char keyword[80];
    (void)snprintf(keyword, sizeof keyword, ":%s", want->items[1]->text);
    if (!code || !message || (!is_word(code, keyword) && strcmp(code->text, keyword + 1) != 0))
        return differs(m, ":error", 0);
    size_t i = 2;
    for (; i < want->n && !is_keyword(want->items[i]); i++)
        if (!text_has(message, want->items[i]))
            return differs(m, ":message", 0);
    return match_map(m, want, i, got);
}

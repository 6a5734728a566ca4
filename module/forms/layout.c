/* layout.c -- does a form look as its structure says: see layout.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layout.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

/* Unusual layouts, and how unusual each is. */
enum {
    COST_OUTSIDE = 5, /* an indented line, or a second form in a line, outside of all lists */
    COST_LEFT = 6,    /* a line that is no further right than the list that it is in */
    COST_MOVED = 2,   /* a line that is not below the one before it in its list */
    COST_PLACE = 1,   /* a first line that is where few put it */
    COST_SPACE = 3    /* no space before an opening parenthesis, one behind it, and so on */
};

/* A list that is open. */
struct layout_nest {
    char close;
    bool has_line;         /* a line begins in it, in column `line` */
    size_t column;         /* of the parenthesis */
    size_t line, argument; /* columns; `argument` is that of the second part, or 0 */
    size_t parts;
};

/* -- items --------------------------------------------------------------------------------------
 */

void layout_read(struct layout_reader *reader, enum dialect dialect, const char *text, size_t len) {
    *reader = (struct layout_reader){0};
    lex_begin(&reader->lexer, dialect, text, len);
}

/* The column of the byte at AT, which is not before the one that was asked for last. */
static size_t count_columns(struct layout_reader *r, size_t at) {
    for (; r->seen < at; r->seen++) {
        char c = r->lexer.text[r->seen];
        if (c == '\n')
            r->column = 0;
        else if (c == '\t')
            r->column += 8 - r->column % 8;
        else if (((unsigned char)c & 0xc0) != 0x80)
            r->column++;
    }
    return r->column;
}

bool layout_next(struct layout_reader *r, struct layout_item *out) {
    struct token token;
    const char *text = r->lexer.text;
    lex_next(&r->lexer, &token);
    bool bracket = token.kind == TOKEN_OPEN || token.kind == TOKEN_CLOSE;
    bool more = token.kind != TOKEN_END && token.kind != TOKEN_BROKEN;
    *out = (struct layout_item){.kind = token.kind, .start = token.start, .end = token.end};
    if (!more)
        return false;
    const char *gap = text + r->last_end;
    out->bracket = bracket ? text[token.start] : '\0';
    out->last = text[token.end - 1];
    out->begins_line = r->last_end == 0 || memchr(gap, '\n', token.start - r->last_end);
    out->glued = r->last_end == token.start && r->last_end > 0;
    out->column = count_columns(r, token.start);
    r->last_end = token.end;
    return true;
}

/* -- judging ------------------------------------------------------------------------------------
 */

static void note_cost(struct layouter *l, unsigned cost, const struct layout_item *parting) {
    l->cost += cost;
    if (!parting || l->parts)
        return;
    l->parts = true;
    l->parts_at = parting->start;
}

static void judge_line(struct layouter *l, const struct layout_item *item) {
    if (l->depth == 0) {
        if (item->column > 0)
            note_cost(l, COST_OUTSIDE, item);
        return;
    }
    struct layout_nest *in = &l->nests[l->depth - 1];
    const size_t column = item->column, step = column - in->column;
    if (column <= in->column)
        note_cost(l, COST_LEFT, item);
    else if (in->has_line && in->line != column && column != in->argument)
        note_cost(l, COST_MOVED, step > 4 ? item : NULL);
    else if (!in->has_line && step > 2 && column != in->argument)
        note_cost(l, step == 4 ? COST_PLACE : COST_MOVED, step != 4 ? item : NULL);
    in->has_line = true;
    in->line = column;
}

/* Spaces before the item. */
static void judge_spaces(struct layouter *l, const struct layout_item *item) {
    if (item->begins_line || !l->any)
        return;
    bool space = !item->glued;
    bool behind_word = !space && (l->before == TOKEN_ATOM || l->before == TOKEN_STRING);
    if (item->kind == TOKEN_OPEN && behind_word && !strchr("'`,@#~^.?=*", l->last))
        note_cost(l, COST_SPACE, NULL);
    if (item->kind == TOKEN_CLOSE && space)
        note_cost(l, COST_SPACE, NULL);
    if (item->kind != TOKEN_CLOSE && l->before == TOKEN_CLOSE && !space)
        note_cost(l, COST_SPACE, NULL);
    if (l->before == TOKEN_OPEN && space)
        note_cost(l, COST_SPACE, NULL);
}

static char closer_of(char bracket) {
    return bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
}

static bool open_nest(struct layouter *l, const struct layout_item *item) {
    l->net++;
    if (l->depth >= LAYOUT_DEPTH) {
        l->mismatched = true;
        return true;
    }
    struct layout_nest *nests = array_with_room(l->nests, l->depth, &l->room, sizeof *nests);
    if (!nests)
        return false;
    l->nests = nests;
    l->nests[l->depth++] =
        (struct layout_nest){.close = closer_of(item->bracket), .column = item->column};
    return true;
}

static void close_nest(struct layouter *l, const struct layout_item *item) {
    l->net--;
    if (l->depth == 0 || l->nests[l->depth - 1].close != item->bracket)
        l->mismatched = true;
    if (l->depth > 0)
        l->depth--;
}

static void count_part(struct layouter *l, const struct layout_item *item) {
    if (l->depth == 0) {
        if (!item->begins_line && l->any)
            note_cost(l, COST_OUTSIDE, NULL);
        return;
    }
    struct layout_nest *in = &l->nests[l->depth - 1];
    if (++in->parts == 2 && !item->begins_line)
        in->argument = item->column;
}

/* Is ITEM of one form with the one before it: behind a quote, or the rest of a word? */
static bool goes_on(const struct layouter *l, const struct layout_item *item) {
    return l->before == TOKEN_PREFIX ||
           (item->glued && item->kind == TOKEN_ATOM && l->before == TOKEN_ATOM);
}

bool layout_step(struct layouter *l, const struct layout_item *item) {
    if (item->begins_line && item->kind != TOKEN_CLOSE)
        judge_line(l, item);
    judge_spaces(l, item);
    if (item->kind == TOKEN_CLOSE)
        close_nest(l, item);
    else if (!goes_on(l, item))
        count_part(l, item);
    l->before = item->kind;
    l->last = item->last;
    l->any = true;
    return item->kind != TOKEN_OPEN || open_nest(l, item);
}

bool layout_fork(struct layouter *to, const struct layouter *from) {
    struct layout_nest *nests = to->nests;
    size_t room = to->room;
    bool ok = true;
    while (ok && room < from->depth) {
        struct layout_nest *more = array_with_room(nests, room, &room, sizeof *nests);
        nests = more ? more : nests;
        ok = more;
    }
    if (ok && from->depth > 0)
        memcpy(nests, from->nests, from->depth * sizeof *nests);
    *to = *from;
    to->nests = nests;
    to->room = room;
    return ok;
}

bool layout_is_single(const struct layouter *l) {
    return l->depth > 0 && l->nests[l->depth - 1].parts == 1;
}

bool layout_look(enum dialect dialect, const char *text, size_t len, struct layout *out) {
    struct layouter l = {0};
    struct layout_reader reader;
    struct layout_item item;
    bool ok = true;
    layout_read(&reader, dialect, text, len);
    while (ok && layout_next(&reader, &item))
        ok = layout_step(&l, &item);
    *out = (struct layout){.balanced = ok && item.kind == TOKEN_END && layout_is_balanced(&l),
                           .cost = l.cost,
                           .parts_at = l.parts ? l.parts_at : len,
                           .net = l.net};
    free(l.nests);
    return ok;
}

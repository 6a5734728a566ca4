/* layout.c -- does a form look as its structure says: see layout.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layout.h"

#include "array.h"
#include "lex.h"
#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* What is unusual, and how much. */
enum {
    COST_OUTSIDE = 5, /* an indented line, or a second form in a line, outside of all lists */
    COST_LEFT = 6,    /* a line that is no further right than the list that it is in */
    COST_MOVED = 2,   /* a line that is not below the one before it in its list */
    COST_PLACE = 1,   /* a first line that is where few put it */
    COST_SPACE = 3    /* no space before an opening parenthesis, one behind it, and so on */
};

/* A list that is open. */
struct nest {
    char close;
    bool has_line;         /* a line begins in it, in column `line` */
    size_t column;         /* of the parenthesis */
    size_t line, argument; /* columns; `argument` is that of the second part, or 0 */
    size_t parts;
};

struct layouter {
    struct lexer lexer;
    struct nest *nests;
    size_t depth, room;
    size_t line, last_end; /* where the line of the last token begins; where that token ends */
    struct layout *out;
    bool mismatched;
};

static void note_cost(struct layouter *l, unsigned cost, bool parts) {
    l->out->cost += cost;
    if (parts && l->line < l->out->parts_at)
        l->out->parts_at = l->line;
}

static bool is_gap(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\0';
}

/* A line begins with a token in COLUMN. */
static void judge_line(struct layouter *l, size_t column) {
    if (l->depth == 0) {
        if (column > 0)
            note_cost(l, COST_OUTSIDE, true);
        return;
    }
    struct nest *in = &l->nests[l->depth - 1];
    size_t step = column - in->column;
    if (column <= in->column)
        note_cost(l, COST_LEFT, true);
    else if (in->has_line && in->line != column && column != in->argument)
        note_cost(l, COST_MOVED, step > 4);
    else if (!in->has_line && step > 2 && column != in->argument)
        note_cost(l, step == 4 ? COST_PLACE : COST_MOVED, step != 4);
    in->has_line = true;
    in->line = column;
}

/* Spaces beside the parenthesis C at AT. */
static void judge_spaces(struct layouter *l, const struct token *token, bool begins_line) {
    char before = token->start > 0 ? l->lexer.text[token->start - 1] : '\0';
    char behind = lex_byte(&l->lexer, token->end);
    if (token->kind == TOKEN_OPEN) {
        if (!is_gap(before) && !strchr("([{'`,@#~^.?=*", before) && token->start > l->last_end - 1)
            note_cost(l, COST_SPACE, false);
        if (behind == ' ' || behind == '\t')
            note_cost(l, COST_SPACE, false);
        return;
    }
    if (is_gap(before) && !begins_line)
        note_cost(l, COST_SPACE, false);
    if (!is_gap(behind) && !strchr(")]};", behind))
        note_cost(l, COST_SPACE, false);
}

static bool open_nest(struct layouter *l, const struct token *token, size_t column) {
    struct nest *nests = array_with_room(l->nests, l->depth, &l->room, sizeof *nests);
    if (!nests)
        return false;
    l->nests = nests;
    char c = l->lexer.text[token->start];
    l->nests[l->depth++] = (struct nest){.close = c == '('   ? ')'
                                                  : c == '[' ? ']'
                                                             : '}',
                                         .column = column};
    l->out->net++;
    return true;
}

static void close_nest(struct layouter *l, const struct token *token) {
    l->out->net--;
    if (l->depth == 0 || l->nests[l->depth - 1].close != l->lexer.text[token->start])
        l->mismatched = true;
    if (l->depth > 0)
        l->depth--;
}

static void count_part(struct layouter *l, size_t column, bool begins_line) {
    if (l->depth == 0) {
        if (!begins_line && l->last_end > 0)
            note_cost(l, COST_OUTSIDE, false);
        return;
    }
    struct nest *in = &l->nests[l->depth - 1];
    if (++in->parts == 2 && !begins_line)
        in->argument = column;
}

/* False without memory. */
static bool judge_token(struct layouter *l, const struct token *token, bool behind_prefix) {
    const char *text = l->lexer.text;
    size_t line = linewise_start(text, token->start);
    bool begins_line = line != l->line || l->last_end == 0;
    l->line = line;
    size_t column = text_indentation(text + line, token->start - line);
    column = token->start - line == 0 || begins_line ? column : token->start - line;
    if (begins_line && token->kind != TOKEN_CLOSE)
        judge_line(l, column);
    if (token->kind == TOKEN_OPEN || token->kind == TOKEN_CLOSE)
        judge_spaces(l, token, begins_line);
    if (token->kind == TOKEN_CLOSE)
        close_nest(l, token);
    else if (!behind_prefix)
        count_part(l, column, begins_line);
    l->last_end = token->end;
    return token->kind != TOKEN_OPEN || open_nest(l, token, column);
}

bool layout_look(enum dialect dialect, const char *text, size_t len, struct layout *out) {
    struct layouter l = {.out = out};
    struct token token = {0};
    bool ok = true, behind_prefix = false;
    *out = (struct layout){.parts_at = len};
    lex_begin(&l.lexer, dialect, text, len);
    for (lex_next(&l.lexer, &token); ok && token.kind != TOKEN_END && token.kind != TOKEN_BROKEN;
         lex_next(&l.lexer, &token)) {
        ok = judge_token(&l, &token, behind_prefix);
        behind_prefix = token.kind == TOKEN_PREFIX;
    }
    out->balanced = ok && token.kind == TOKEN_END && l.depth == 0 && !l.mismatched;
    free(l.nests);
    return ok;
}

/* pieces.c -- a text as what begins in its first column: see pieces.h.
 *
 * Some forms hold others that begin in the first column, as `(progn` around a whole file
 * does.  The first piece of such a form opens more than it closes, and a later one, or
 * parentheses that stand in the first column themselves, close more than they open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pieces.h"

#include "array.h"
#include "layout.h"
#include "lex.h"

#include <stdlib.h>
#include <string.h>

/* A text of more pieces is not looked at: it has none then. */
#define PIECES_MOST 1000000

struct splitter {
    struct lexer lexer;
    struct pieces *out;
    size_t start;    /* of the piece */
    size_t end;      /* where parentheses of earlier ones begin, or SIZE_MAX */
    int depth;       /* in the piece */
    int closes;      /* behind `end` */
    size_t hangs_at; /* where a parenthesis in the first column closes what the piece opens */
    unsigned wants;  /* forms that the prefixes of the piece are still to have */
    bool any, behind_prefix;
};

/* Looks at a piece from START to END. */
static bool measure(struct piece *piece, enum dialect dialect, const char *text, size_t end) {
    struct layout look;
    piece->at.len = end - piece->at.at;
    if (!layout_look(dialect, text + piece->at.at, piece->at.len, &look))
        return false;
    piece->net = look.net;
    piece->cost = look.cost;
    piece->balanced = look.balanced;
    return true;
}

static bool end_piece(struct splitter *s, size_t end) {
    if (!s->any)
        return true;
    struct pieces *out = s->out;
    struct piece *all = array_with_room(out->all, out->n, &out->room, sizeof *all);
    if (!all)
        return false;
    out->all = all;
    struct piece *piece = &all[out->n++];
    *piece = (struct piece){
        .at.at = s->start, .behind = end, .closes = s->closes, .hangs_at = s->hangs_at};
    return measure(piece, s->lexer.dialect, s->lexer.text, s->end < end ? s->end : end);
}

static bool begin_piece(struct splitter *s, size_t start) {
    bool ok = end_piece(s, start);
    s->any = true;
    s->start = start;
    s->end = s->hangs_at = SIZE_MAX;
    s->closes = s->depth = 0;
    s->wants = 1;
    return ok;
}

/* `)define` is what was `(define`, and nobody begins a form with `(  (`. */
static bool is_meant(const struct splitter *s, const struct token *token) {
    char behind = lex_byte(&s->lexer, token->end);
    if (token->kind == TOKEN_CLOSE)
        return s->depth <= 0 && !strchr(" \t\r\n)]};", behind);
    return token->kind != TOKEN_OPEN || !s->any || (behind != ' ' && behind != '\t');
}

static bool begins_piece(const struct splitter *s, const struct token *token) {
    bool first = token->start == 0 || s->lexer.text[token->start - 1] == '\n';
    if (!first || s->behind_prefix || token->kind == TOKEN_STRING)
        return false;
    if (s->any && s->depth == 0 && s->wants > 0)
        return false;
    return is_meant(s, token);
}

static void count_close(struct splitter *s, const struct token *token) {
    bool first = token->start == 0 || s->lexer.text[token->start - 1] == '\n';
    if (s->depth == 0 && first && s->end == SIZE_MAX)
        s->end = token->start;
    else if (first && s->depth > 0 && s->hangs_at == SIZE_MAX)
        s->hangs_at = token->start;
    if (s->end != SIZE_MAX)
        s->closes++;
    else
        s->depth--;
}

static void count_token(struct splitter *s, const struct token *token) {
    bool at_top = s->depth == 0;
    if (token->kind == TOKEN_CLOSE) {
        count_close(s, token);
    } else if (s->end != SIZE_MAX) { /* they belong to the piece after all */
        s->depth -= s->closes;
        s->closes = 0;
        s->end = SIZE_MAX;
    }
    s->depth += token->kind == TOKEN_OPEN;
    if (token->kind == TOKEN_PREFIX)
        s->wants += at_top ? token->forms - 1 : 0;
    else if (s->depth == 0 && s->wants > 0)
        s->wants--;
    s->behind_prefix = token->kind == TOKEN_PREFIX;
}

static int total_net(const struct pieces *pieces) {
    int net = 0;
    for (size_t i = 0; i < pieces->n; i++)
        net += pieces->all[i].net - pieces->all[i].closes;
    return net;
}

/* Parentheses behind a piece that close what nothing opens are its own. */
static bool settle_closes(struct pieces *pieces, enum dialect dialect, const char *text) {
    int level = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < pieces->n; i++) {
        struct piece *piece = &pieces->all[i];
        level += piece->net - piece->closes;
        if (level >= 0)
            continue;
        level = 0;
        if (piece->closes > 0)
            ok = measure(piece, dialect, text, piece->behind);
        piece->closes = 0;
    }
    return ok;
}

/* Definitions rarely hold what begins in the first column. */
static bool is_definition(const struct piece *piece, const char *text) {
    return piece->at.len > 4 && strncmp(text + piece->at.at, "(def", 4) == 0;
}

/* Where only what holds others seems to lack a parenthesis, an odd piece behind it has taken the
 * last one that hangs. */
static bool settle_hanging(struct pieces *pieces, enum dialect dialect, const char *text) {
    struct piece *taker = NULL;
    if (total_net(pieces) <= 0)
        return true;
    for (size_t i = 0; i < pieces->n; i++) {
        struct piece *piece = &pieces->all[i];
        if (!piece->balanced && (piece->cost > 0 || is_definition(piece, text)))
            return true;
        if (piece->balanced && piece->cost > 0 && piece->hangs_at != SIZE_MAX)
            taker = piece;
    }
    if (!taker)
        return true;
    int net = taker->net;
    bool ok = measure(taker, dialect, text, taker->hangs_at);
    taker->closes += taker->net - net;
    return ok;
}

bool pieces_read(enum dialect dialect, const char *text, size_t len, struct pieces *out) {
    struct splitter s = {.out = out, .end = SIZE_MAX};
    struct token token;
    bool ok = true;
    lex_begin(&s.lexer, dialect, text, len);
    for (lex_next(&s.lexer, &token); ok && token.kind != TOKEN_END && token.kind != TOKEN_BROKEN;
         lex_next(&s.lexer, &token)) {
        if (out->n == PIECES_MOST) {
            out->n = 0;
            return true;
        }
        if (!s.any || begins_piece(&s, &token))
            ok = begin_piece(&s, s.any || token.kind == TOKEN_CLOSE ? token.start : 0);
        count_token(&s, &token);
    }
    ok = ok && end_piece(&s, len) && settle_closes(out, dialect, text);
    return ok && settle_hanging(out, dialect, text);
}

void pieces_free(struct pieces *pieces) {
    free(pieces->all);
    *pieces = (struct pieces){0};
}

static bool touches(const struct piece *piece, struct span changed) {
    return changed.at <= piece->at.at + piece->at.len && piece->at.at <= changed.at + changed.len;
}

/* How much PIECE is to blame if the text opens NET more than it closes: first what is plain, then
 * what helps to choose. */
#define BLAME_PLAIN (7u << 29)
static unsigned blame(const struct piece *piece, const char *text, struct span changed, int net) {
    unsigned b = 0;
    b += touches(piece, changed) && !piece->balanced ? 1u << 31 : 0;
    b += !piece->balanced && piece->net == net ? 1u << 30 : 0;
    b += !piece->balanced ? 1u << 29 : 0;
    b += is_definition(piece, text) ? 1u << 28 : 0;
    return b + (piece->cost < 1u << 28 ? piece->cost : (1u << 28) - 1);
}

const struct piece *pieces_to_blame(const struct pieces *pieces, const char *text,
                                    struct span changed, bool *plain) {
    const struct piece *blamed = pieces->all;
    unsigned most = 0;
    int net = total_net(pieces);
    for (size_t i = 0; i < pieces->n; i++) {
        unsigned b = blame(&pieces->all[i], text, changed, net);
        if (i == 0 || (b & BLAME_PLAIN) != (most & BLAME_PLAIN))
            *plain = i == 0 || b > most ? true : *plain;
        else
            *plain = false;
        if (i > 0 && (b < most || (b == most && net < 0)))
            continue;
        most = b;
        blamed = &pieces->all[i];
    }
    return blamed;
}

size_t pieces_count_forms(const struct pieces *pieces, const struct piece *blamed) {
    size_t forms = 0;
    int level = 0;
    for (size_t i = 0; i < pieces->n && level >= 0; i++) {
        const struct piece *piece = &pieces->all[i];
        forms += level == 0;
        level += (piece == blamed ? 0 : piece->net) - piece->closes;
    }
    return level == 0 ? forms : 0;
}

/* repair.c -- where a text lost its balance, and how it gets it back: see repair.h.
 *
 * A top-level form begins in the first column.  Of such pieces of the text, one is
 * not balanced by itself.  In the lines before the one where its indentation and its
 * structure part, every parenthesis is taken out, and one is put in at every place,
 * to see what looks as it should.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repair.h"

#include "buf.h"
#include "layout.h"
#include "lex.h"

#include <string.h>

/* How many lines before the one where they part are tried, and how many bytes are read in all. */
#define LINES_TRIED 8
#define BYTES_TRIED ((size_t)16 << 20)

struct search {
    enum dialect dialect;
    const char *text; /* of the piece */
    size_t len;
    struct layout broken;
    struct buf tried; /* the piece with a correction */
    size_t bytes_left;
    unsigned best;
    size_t best_likelihood, all_likelihood;
    size_t pieces; /* of the whole text */
    struct span old;
    char new[2];
    bool no_memory;
};

/* -- the piece ----------------------------------------------------------------------------------
 */

/* Sets OUT to the only piece of TEXT that is not balanced by itself, or to the one with the fault
 * if there are several; *ALONE says which.  *PIECES is their number.  False without memory. */
static bool find_piece(enum dialect dialect, const char *text, size_t len, size_t fault,
                       struct span *out, size_t *pieces, bool *alone) {
    struct lexer lx;
    struct token token;
    size_t start = 0, broken = 0;
    bool ends = false, prefix = false;
    *out = (struct span){0, len};
    lex_begin(&lx, dialect, text, len);
    while (!ends) {
        lex_next(&lx, &token);
        ends = token.kind == TOKEN_END || token.kind == TOKEN_BROKEN;
        bool first = token.start == 0 || text[token.start - 1] == '\n';
        bool begins = first && !prefix && token.kind != TOKEN_CLOSE && token.kind != TOKEN_STRING;
        prefix = token.kind == TOKEN_PREFIX;
        *pieces += !ends && begins;
        if (!ends && (!begins || token.start == start))
            continue;
        size_t end = ends ? len : token.start;
        struct layout piece;
        if (!layout_look(dialect, text + start, end - start, &piece))
            return false;
        if (!piece.balanced && (broken++ == 0 || (start <= fault && fault <= end)))
            *out = (struct span){start, end - start};
        start = end;
    }
    *alone = broken == 1;
    return true;
}

/* -- trying -------------------------------------------------------------------------------------
 */

/* How likely a correction is beside others that look as good.  A parenthesis is missing in one of
 * the places of a row of them, and is the more likely to be missing there the longer the row is;
 * nobody opens too often. */
static size_t likelihood(const struct search *s, struct span old, char new) {
    if (old.len > 0)
        return s->broken.net == 1 && new == 0 ? 1 : 3;
    size_t from = old.at;
    size_t to = from;
    while (from > 0 && s->text[from - 1] == new)
        from--;
    while (to < s->len && s->text[to] == new)
        to++;
    return 3 * (to - from + 1);
}

/* What the piece looks like with NEW (or nothing, if that is 0) in place of OLD. */
static void try_correction(struct search *s, struct span old, char new) {
    struct layout look;
    if (s->bytes_left < s->len || s->no_memory)
        return;
    s->bytes_left -= s->len;
    buf_clear(&s->tried);
    buf_add(&s->tried, s->text, old.at);
    if (new)
        buf_char(&s->tried, new);
    buf_add(&s->tried, s->text + old.at + old.len, s->len - old.at - old.len);
    if (s->tried.failed || !layout_look(s->dialect, s->tried.data, s->tried.len, &look)) {
        s->no_memory = true;
        return;
    }
    if (!look.balanced || look.cost > s->best)
        return;
    if (look.cost < s->best)
        s->best_likelihood = s->all_likelihood = 0;
    size_t likely = likelihood(s, old, new);
    s->best = look.cost;
    s->all_likelihood += likely;
    if (likely <= s->best_likelihood)
        return;
    s->best_likelihood = likely;
    s->old = old;
    s->new[0] = new;
}

static const char *brackets(enum dialect dialect, bool closing) {
    switch (dialect) {
    case DIALECT_CLOJURE:
        return closing ? ")]}" : "([{";
    case DIALECT_COMMON_LISP:
        return closing ? ")" : "(";
    default:
        return closing ? ")]" : "([";
    }
}

static void try_inserting(struct search *s, size_t at, bool closing) {
    /* Beside its like, it is the same text as behind it. */
    for (const char *c = brackets(s->dialect, closing); *c; c++)
        if (at == 0 || s->text[at - 1] != *c || !closing)
            if (closing || at >= s->len || s->text[at] != *c)
                try_correction(s, (struct span){at, 0}, *c);
}

/* A bracket that is one of several alike is taken out as the last of them. */
static bool is_last_alike(const struct search *s, const struct token *token) {
    return token->end >= s->len || s->text[token->end] != s->text[token->start];
}

static void try_exchanging(struct search *s, const struct token *token) {
    for (int closing = 0; closing < 2; closing++)
        for (const char *c = brackets(s->dialect, closing); *c; c++)
            if (*c != s->text[token->start])
                try_correction(s, (struct span){token->start, 1}, *c);
}

static void try_token(struct search *s, const struct token *token) {
    bool bracket = token->kind == TOKEN_OPEN || token->kind == TOKEN_CLOSE;
    bool is_open = token->kind == TOKEN_OPEN;
    int net = s->broken.net;
    if (bracket && (net > 1 || net < -1 || net == 0))
        try_exchanging(s, token);
    if (net == 1 && !is_open && token->kind != TOKEN_PREFIX)
        try_inserting(s, token->end, true);
    if (net == -1 && token->kind != TOKEN_CLOSE)
        try_inserting(s, token->start, false);
    if (bracket && net == (is_open ? 1 : -1) && is_last_alike(s, token))
        try_correction(s, (struct span){token->start, 1}, '\0');
}

/* Tries what can be done in the lines before the one where the piece parts, and in that one. */
static void try_lines(struct search *s) {
    struct lexer lx;
    struct token token;
    size_t from = linewise_above(s->text, linewise_start(s->text, s->broken.parts_at), LINES_TRIED);
    size_t to = linewise_below(s->text, s->len, linewise_start(s->text, s->broken.parts_at), 1);
    lex_begin(&lx, s->dialect, s->text, s->len);
    for (lex_next(&lx, &token); token.kind != TOKEN_END && token.kind != TOKEN_BROKEN;
         lex_next(&lx, &token)) {
        if (token.start >= to)
            break;
        if (token.start >= from)
            try_token(s, &token);
    }
}

/* Puts the correction into TEXT.  It is none if the piece is not one form then, or the text not
 * balanced, or its forms do not begin where its pieces do: it would move code from one form to
 * another. */
static bool check_correction(struct search *s, struct span piece, struct span old, size_t len) {
    struct forms whole, own;
    const char *text = s->text - piece.at;
    size_t piece_len = piece.len - old.len + (s->new[0] != 0);
    buf_clear(&s->tried);
    buf_add(&s->tried, text, old.at);
    buf_str(&s->tried, s->new);
    buf_add(&s->tried, text + old.at + old.len, len - old.at - old.len);
    if (s->tried.failed || !forms_read(s->dialect, s->tried.data, s->tried.len, &whole))
        return false;
    bool good = whole.fault.kind == FAULT_BALANCED && whole.n == s->pieces;
    forms_free(&whole);
    if (!forms_read(s->dialect, s->tried.data + piece.at, piece_len, &own))
        return false;
    good = good && own.n == 1 && own.fault.kind == FAULT_BALANCED;
    forms_free(&own);
    return good;
}

bool repair_find(enum dialect dialect, const char *text, size_t len, struct repair *out) {
    struct forms forms;
    struct span piece;
    size_t pieces = 0;
    bool alone = false;
    if (!forms_read(dialect, text, len, &forms))
        return false;
    size_t fault = forms.fault.kind == FAULT_EXTRA ? forms.fault.at : forms.fault.open;
    bool broken = forms.fault.kind == FAULT_BROKEN;
    forms_free(&forms);
    *out = (struct repair){0};
    if (!find_piece(dialect, text, len, fault, &piece, &pieces, &alone))
        return false;
    struct search s = {.dialect = dialect,
                       .text = text + piece.at,
                       .len = piece.len,
                       .bytes_left = BYTES_TRIED,
                       .pieces = pieces,
                       .best = UINT32_MAX};
    if (!layout_look(dialect, s.text, s.len, &s.broken))
        return false;
    out->form = (struct form){piece.at, piece.at + piece.len, piece.at + piece.len};
    while (s.broken.parts_at > 0 && strchr("\n \t\r", s.text[s.broken.parts_at - 1]) &&
           s.broken.parts_at == s.len)
        s.len = --s.broken.parts_at;
    out->parts_at = piece.at + linewise_start(s.text, s.broken.parts_at);
    if (alone && !broken)
        try_lines(&s);
    out->known = s.best_likelihood > 0 && s.best_likelihood * 3 >= s.all_likelihood * 2;
    const struct span old = {piece.at + s.old.at, s.old.len};
    out->known = out->known && check_correction(&s, piece, old, len);
    buf_free(&s.tried);
    if (out->known) {
        out->old = old;
        out->new[0] = s.new[0];
        out->parts_at = linewise_start(text, out->old.at);
    }
    return !s.no_memory;
}

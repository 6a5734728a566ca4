/* lex.h -- Lisp text as tokens.
 *
 * Nothing is evaluated or interned, and nothing here recurses.  White space and
 * comments are skipped.  A lexer can begin at any place where a token begins.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LEX_H
#define AQFS_LEX_H

#include "dialect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_ATOM,
    TOKEN_STRING,
    TOKEN_PREFIX,  /* makes one form of itself and the next `forms` forms */
    TOKEN_DISCARD, /* leaves the next form out: #; of Scheme, #_ of Clojure */
    TOKEN_BROKEN   /* a string, comment or symbol that begins here and never ends */
};

struct token {
    enum token_kind kind;
    unsigned forms;     /* of a prefix */
    size_t start, end;  /* offsets in the text */
    const char *broken; /* what never ends: "string" */
};

struct lexer {
    const char *text;
    size_t len, at;
    const uint8_t *classes; /* of bytes, in this dialect */
    enum dialect dialect;
    const char *unsure; /* what was read first that a program may have given another meaning */
    size_t unsure_at;
};

void lex_begin(struct lexer *lx, enum dialect dialect, const char *text, size_t len);
void lex_next(struct lexer *lx, struct token *out);

/* The same inside of a list, without the tokens that are no matter to where it ends: OUT is OPEN,
 * CLOSE, BROKEN or END. */
void lex_next_inside(struct lexer *lx, struct token *out);

/* Notes that the text at AT may be read in another way; WHY is for people. */
void lex_note_unsure(struct lexer *lx, size_t at, const char *why);

/* Reads what follows the `#` at lx->at. */
void lex_hash(struct lexer *lx, struct token *out);

/* Moves behind the rest of a symbol or number that goes on at lx->at.  False if it never ends. */
bool lex_skip_atom(struct lexer *lx);

/* Sets OUT, which begins at its start, to what lex_skip_atom finds from AT on. */
void lex_take_atom(struct lexer *lx, struct token *out, size_t at);

/* Sets OUT to a prefix of that many forms, which ends at END. */
void lex_take_prefix(struct lexer *lx, struct token *out, size_t end, unsigned forms);

/* Moves behind a comment; lex_skip_line behind the end of the line. */
void lex_skip_line(struct lexer *lx);

/* A function that moves on over a comment sets OUT's kind to TOKEN_END if something else is to be
 * read then, or to TOKEN_BROKEN. */
void lex_again(struct token *out);

/* The byte at AT, or 0 behind the end. */
static inline char lex_byte(const struct lexer *lx, size_t at) {
    return at < lx->len ? lx->text[at] : '\0';
}

#endif

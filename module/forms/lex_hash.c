/* lex_hash.c -- what begins with `#`, in each dialect.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lex.h"

#include <string.h>

static bool hash_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool hash_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void hash_discard(struct lexer *lx, struct token *out) {
    out->kind = TOKEN_DISCARD;
    out->end = lx->at += 2;
}

static void hash_broken(struct lexer *lx, struct token *out, const char *what) {
    *out =
        (struct token){.kind = TOKEN_BROKEN, .start = out->start, .end = lx->len, .broken = what};
    lx->at = lx->len;
}

/* Takes text that a standard reader refuses: a program may have given it a meaning. */
static void hash_unknown(struct lexer *lx, struct token *out, size_t at) {
    lex_note_unsure(lx, lx->at, "a reader macro that the language does not have");
    lex_take_prefix(lx, out, at, 1);
}

/* `#| ... |#`, which nests. */
static void hash_block(struct lexer *lx, struct token *out) {
    size_t depth = 1, at = lx->at + 2;
    for (; at + 1 < lx->len && depth > 0; at++) {
        bool opens = lx->text[at] == '#' && lx->text[at + 1] == '|';
        bool closes = lx->text[at] == '|' && lx->text[at + 1] == '#';
        depth = opens ? depth + 1 : closes ? depth - 1 : depth;
        at += opens || closes;
    }
    if (depth > 0) {
        hash_broken(lx, out, "comment");
        return;
    }
    lx->at = at;
    lex_again(out);
}

/* `#\x`: one character of any kind, and letters behind it. */
static void hash_character(struct lexer *lx, struct token *out, size_t backslash) {
    lex_take_atom(lx, out, backslash + 2);
    /* MIT Scheme writes #\M-\( for a key. */
    bool modified = lx->dialect == DIALECT_SCHEME && lx->at > backslash + 3 &&
                    lx->text[lx->at - 1] == '\\' && lx->text[lx->at - 2] == '-';
    if (modified && out->kind == TOKEN_ATOM)
        lex_take_atom(lx, out, lx->at + 1);
}

/* Moves behind the first END from AT on.  False if there is none. */
static bool skip_behind(struct lexer *lx, size_t at, const char *end) {
    size_t n = strlen(end);
    const char *found = at < lx->len ? memmem(lx->text + at, lx->len - at, end, n) : NULL;
    if (found)
        lx->at = (size_t)(found - lx->text) + n;
    return found != NULL;
}

/* -- Common Lisp --------------------------------------------------------------------------------
 */

static void hash_common_lisp(struct lexer *lx, struct token *out) {
    size_t at = lx->at + 1;
    while (hash_is_digit(lex_byte(lx, at)))
        at++;
    char c = lex_byte(lx, at);
    if (c == '|')
        hash_block(lx, out);
    else if (c == '\\')
        hash_character(lx, out, at);
    else if (c == ':' || c == '*')
        lex_take_atom(lx, out, at + 1);
    else if (c == '#')
        lex_take_prefix(lx, out, at + 1, 0);
    else if (c == '+' || c == '-')
        lex_take_prefix(lx, out, at + 1, 2);
    else if (c == '(')
        lex_take_prefix(lx, out, at, 1);
    else if (c && strchr("'.=acsprboxACSPRBOX", c))
        lex_take_prefix(lx, out, at + 1, 1);
    else
        hash_unknown(lx, out, at + (at < lx->len));
}

/* -- Emacs Lisp ---------------------------------------------------------------------------------
 */

static void hash_emacs_lisp(struct lexer *lx, struct token *out) {
    size_t at = lx->at + 1;
    char c = lex_byte(lx, at);
    size_t behind = at + (c == '&');
    while (hash_is_digit(lex_byte(lx, behind)))
        behind++;
    char next = lex_byte(lx, behind);
    bool record = c == 's' && lex_byte(lx, at + 1) == '(';
    if (c == '\'' || c == '^' || record)
        lex_take_prefix(lx, out, at + 1, 1);
    else if (c == '(' || c == '[')
        lex_take_prefix(lx, out, at, 1);
    else if (c == '!') {
        lex_skip_line(lx);
        lex_again(out);
    } else if (c == '&' && next == '"')
        lex_take_prefix(lx, out, behind, 1);
    else if (hash_is_digit(c) && next == '=')
        lex_take_prefix(lx, out, behind + 1, 1);
    else if ((hash_is_digit(c) && next == '#') || c == '#')
        lex_take_prefix(lx, out, behind + 1, 0);
    else if (hash_is_letter(c) || hash_is_digit(c) || c == ':' || c == '_' || c == '$')
        lex_take_atom(lx, out, at + 1);
    else
        hash_unknown(lx, out, at);
}

/* -- Scheme -------------------------------------------------------------------------------------
 */

/* `#!optional` is an atom, and `#!fold-case` is nothing.  Else `#!` begins a comment: up to `!#`
 * for Guile, and to the end of the line for a Scheme that has no such thing. */
static void hash_bang(struct lexer *lx, struct token *out) {
    if (hash_is_letter(lex_byte(lx, lx->at + 2))) {
        size_t word = lx->at + 2;
        lex_take_atom(lx, out, word);
        size_t n = lx->at - word;
        if ((n == 9 && memcmp(lx->text + word, "fold-case", n) == 0) ||
            (n == 12 && memcmp(lx->text + word, "no-fold-case", n) == 0))
            lex_again(out);
        return;
    }
    if (!skip_behind(lx, lx->at + 2, "\n!#") && !skip_behind(lx, lx->at + 2, "!#"))
        lex_skip_line(lx);
    lex_again(out);
}

/* `#<<TAG`: the lines up to one that is TAG. */
static void hash_here_string(struct lexer *lx, struct token *out) {
    size_t tag = lx->at + 3, start = lx->at;
    lex_skip_line(lx);
    const char *end = lx->text + lx->at;
    size_t n = (size_t)(end - lx->text) - tag;
    n -= n > 0 && end[-1] == '\n';
    n -= n > 0 && lx->text[tag + n - 1] == '\r';
    while (lx->at < lx->len) {
        size_t line = lx->at;
        lex_skip_line(lx);
        size_t len = lx->at - line;
        while (len > 0 && (lx->text[line + len - 1] == '\n' || lx->text[line + len - 1] == '\r'))
            len--;
        if (len == n && memcmp(lx->text + line, lx->text + tag, n) == 0) {
            *out = (struct token){.kind = TOKEN_STRING, .start = start, .end = lx->at};
            return;
        }
    }
    hash_broken(lx, out, "here string");
}

/* `#true`, `#u8(...)`, `#1=...`, `#vu8(...)`: a prefix if a list or a string follows at once. */
static void hash_word(struct lexer *lx, struct token *out) {
    size_t start = lx->at;
    lex_take_atom(lx, out, lx->at + 1);
    char next = lex_byte(lx, lx->at), last = lx->text[lx->at - 1];
    bool boolean = lx->at == start + 2 && (last == 't' || last == 'f');
    bool label = hash_is_digit(lx->text[start + 1]) && last == '=';
    if (label || (!boolean && (next == '(' || next == '[' || next == '"')))
        lex_take_prefix(lx, out, lx->at, 1);
}

/* `#<`, of which Scheme's own reader knows no more than the here strings. */
static void hash_angle(struct lexer *lx, struct token *out) {
    char c = lex_byte(lx, lx->at + 2);
    if (c == '<' || c == '#')
        hash_here_string(lx, out);
    else
        hash_unknown(lx, out, lx->at + 2);
}

/* Takes a token that lasts from `#` and one character to END. */
static void hash_up_to(struct lexer *lx, struct token *out, const char *end, const char *what) {
    if (!skip_behind(lx, lx->at + 2, end)) {
        hash_broken(lx, out, what);
        return;
    }
    out->kind = TOKEN_ATOM;
    out->end = lx->at;
}

static void hash_scheme(struct lexer *lx, struct token *out) {
    char c = lex_byte(lx, lx->at + 1);
    bool twice = c && lex_byte(lx, lx->at + 2) == '@';
    if (c == '|')
        hash_block(lx, out);
    else if (c == ';')
        hash_discard(lx, out);
    else if (c == '\\')
        hash_character(lx, out, lx->at + 1);
    else if (c == '!')
        hash_bang(lx, out);
    else if (c == '(' || c == '[')
        lex_take_prefix(lx, out, lx->at + 1, 1);
    else if (c == '<')
        hash_angle(lx, out);
    else if (c == '{')
        hash_up_to(lx, out, "}#", "symbol in braces");
    else if (c == '>')
        hash_up_to(lx, out, "<#", "foreign code");
    else if (c == '+' || c == '-')
        lex_take_prefix(lx, out, lx->at + 2, 2);
    else if (c && strchr("'`.", c))
        lex_take_prefix(lx, out, lx->at + 2, 1);
    else if (c && strchr(",$~", c))
        lex_take_prefix(lx, out, lx->at + 2 + twice, 1);
    else if (hash_is_letter(c) || hash_is_digit(c) || (c && strchr("@:*%#&=_/", c)))
        hash_word(lx, out);
    else
        hash_unknown(lx, out, lx->at + 1);
}

/* -- Clojure ------------------------------------------------------------------------------------
 */

static void hash_clojure(struct lexer *lx, struct token *out) {
    char c = lex_byte(lx, lx->at + 1);
    bool splices = c == '?' && lex_byte(lx, lx->at + 2) == '@';
    if (c == '_')
        hash_discard(lx, out);
    else if (c == '(' || c == '{' || c == '"')
        lex_take_prefix(lx, out, lx->at + 1, 1);
    else if (c == '\'' || c == '=' || c == '?')
        lex_take_prefix(lx, out, lx->at + 2 + splices, 1);
    else if (c == '^')
        lex_take_prefix(lx, out, lx->at + 2, 2);
    else if (c == '#')
        lex_take_atom(lx, out, lx->at + 2);
    else if (c == '!') {
        lex_skip_line(lx);
        lex_again(out);
    } else if (hash_is_letter(c) || c == ':') {
        lex_take_atom(lx, out, lx->at + 2);
        lex_take_prefix(lx, out, lx->at, 1);
    } else
        hash_unknown(lx, out, lx->at + 1);
}

void lex_hash(struct lexer *lx, struct token *out) {
    switch (lx->dialect) {
    case DIALECT_EMACS_LISP:
        hash_emacs_lisp(lx, out);
        break;
    case DIALECT_SCHEME:
        hash_scheme(lx, out);
        break;
    case DIALECT_CLOJURE:
        hash_clojure(lx, out);
        break;
    default:
        hash_common_lisp(lx, out);
    }
}

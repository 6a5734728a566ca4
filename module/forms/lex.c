/* lex.c -- Lisp text as tokens: see lex.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lex.h"

#include "byte_class.h"

#include <string.h>

/* -- bytes --------------------------------------------------------------------------------------
 */

static inline uint8_t class_at(const struct lexer *lx, size_t at) {
    return lx->classes[(unsigned char)lx->text[at]];
}

static bool is_hard_space(const struct lexer *lx, size_t at) {
    return class_at(lx, at) & IS_LEAD && lex_byte(lx, at + 1) == '\xA0';
}

void lex_note_unsure(struct lexer *lx, size_t at, const char *why) {
    if (lx->unsure)
        return;
    lx->unsure = why;
    lx->unsure_at = at;
}

/* -- what a token is ----------------------------------------------------------------------------
 */

static void take_up_to(struct lexer *lx, struct token *out, enum token_kind kind, size_t end) {
    out->kind = kind;
    out->end = lx->at = end < lx->len ? end : lx->len;
}

void lex_take_prefix(struct lexer *lx, struct token *out, size_t end, unsigned forms) {
    out->forms = forms;
    take_up_to(lx, out, TOKEN_PREFIX, end);
}

static void take_broken(struct lexer *lx, struct token *out, const char *what) {
    out->broken = what;
    take_up_to(lx, out, TOKEN_BROKEN, lx->len);
}

void lex_again(struct token *out) {
    out->kind = TOKEN_END;
}

/* -- strings, comments, symbols -----------------------------------------------------------------
 */

/* Does a backslash between START and AT escape the byte at AT? */
static bool is_escaped(const struct lexer *lx, size_t start, size_t at) {
    size_t slashes = 0;
    while (at - slashes > start && lx->text[at - slashes - 1] == '\\')
        slashes++;
    return slashes % 2 == 1;
}

/* The offset of the first QUOTE from START on that no backslash escapes, or the text's length. */
static size_t find_quote(const struct lexer *lx, size_t start, char quote) {
    size_t at = start;
    while (at < lx->len) {
        const char *found = memchr(lx->text + at, quote, lx->len - at);
        if (!found)
            return lx->len;
        at = (size_t)(found - lx->text);
        if (!is_escaped(lx, start, at))
            return at;
        at++;
    }
    return lx->len;
}

static void take_string(struct lexer *lx, struct token *out) {
    size_t end = find_quote(lx, lx->at + 1, '"');
    if (end == lx->len)
        take_broken(lx, out, "string");
    else
        take_up_to(lx, out, TOKEN_STRING, end + 1);
}

void lex_skip_line(struct lexer *lx) {
    const char *end = memchr(lx->text + lx->at, '\n', lx->len - lx->at);
    lx->at = end ? (size_t)(end - lx->text) + 1 : lx->len;
}

/* Where the symbol goes on behind the bar at AT.  In Common Lisp the next bar closes; in Scheme
 * only one on the same line does, as for Guile a bar is a letter. */
static size_t skip_bar(struct lexer *lx, size_t at) {
    size_t close = find_quote(lx, at + 1, '|');
    if (lx->dialect == DIALECT_COMMON_LISP)
        return close < lx->len ? close + 1 : SIZE_MAX;
    size_t n = (close < lx->len ? close : lx->len) - at;
    if (close == lx->len || memchr(lx->text + at, '\n', n))
        return at + 1;
    if (memchr(lx->text + at, '(', n) || memchr(lx->text + at, ')', n))
        lex_note_unsure(lx, at, "a bar is a letter in some Schemes and a quote in others");
    return close + 1;
}

bool lex_skip_atom(struct lexer *lx) {
    size_t at = lx->at;
    while (at < lx->len) {
        uint8_t class = class_at(lx, at);
        if (class & ENDS_ATOM || is_hard_space(lx, at))
            break;
        if ((class & (IS_ESCAPE | IS_BAR)) == 0)
            at++;
        else if (class & IS_ESCAPE)
            at += 2;
        else
            at = skip_bar(lx, at);
        if (at == SIZE_MAX)
            return false;
    }
    lx->at = at < lx->len ? at : lx->len;
    return true;
}

void lex_take_atom(struct lexer *lx, struct token *out, size_t at) {
    lx->at = at < lx->len ? at : lx->len;
    if (lex_skip_atom(lx))
        take_up_to(lx, out, TOKEN_ATOM, lx->at);
    else
        take_broken(lx, out, "symbol between bars");
}

/* -- characters of Emacs Lisp -------------------------------------------------------------------
 */

static size_t skip_digits(const struct lexer *lx, size_t at, size_t most, bool hexadecimal) {
    size_t end = lx->len - at < most ? lx->len : at + most;
    while (at < end) {
        char c = lx->text[at], letter = (char)(c | 0x20);
        bool digit = c >= '0' && c <= '9';
        if (!digit && !(hexadecimal && letter >= 'a' && letter <= 'f'))
            break;
        at++;
    }
    return at;
}

/* Behind the UTF-8 sequence at AT. */
static size_t skip_character(const struct lexer *lx, size_t at) {
    for (at++; at < lx->len && ((unsigned char)lx->text[at] & 0xC0) == 0x80;)
        at++;
    return at < lx->len ? at : lx->len;
}

/* Behind the name of a character, {...}, at AT. */
static size_t skip_braces(const struct lexer *lx, size_t at) {
    const char *end = lex_byte(lx, at) == '{' ? memchr(lx->text + at, '}', lx->len - at) : NULL;
    return end ? (size_t)(end - lx->text) + 1 : at;
}

/* Behind the modifiers `\C-`, `\M-` and `\^` at AT. */
static size_t skip_modifiers(const struct lexer *lx, size_t at) {
    while (lex_byte(lx, at) == '\\') {
        char c = lex_byte(lx, at + 1);
        if (c == '^')
            at += 2;
        else if (c && strchr("CMSHAs", c) && lex_byte(lx, at + 2) == '-')
            at += 3;
        else
            break;
    }
    return at;
}

/* Behind the character that begins with the `?` at AT. */
static size_t skip_elisp_character(const struct lexer *lx, size_t at) {
    at = skip_modifiers(lx, at + 1);
    if (lex_byte(lx, at) != '\\')
        return skip_character(lx, at);
    char c = lex_byte(lx, ++at);
    if (c >= '0' && c <= '7')
        return skip_digits(lx, at, 3, false);
    switch (c) {
    case 'x':
        return skip_digits(lx, at + 1, SIZE_MAX / 2, true);
    case 'u':
        return skip_digits(lx, at + 1, 4, true);
    case 'U':
        return skip_digits(lx, at + 1, 8, true);
    case 'N':
        return skip_braces(lx, at + 1);
    default:
        return skip_character(lx, at);
    }
}

/* -- tokens -------------------------------------------------------------------------------------
 */

static void take_bracket(struct lexer *lx, struct token *out, char c) {
    bool opens = c == '(' || c == '[' || c == '{';
    take_up_to(lx, out, opens ? TOKEN_OPEN : TOKEN_CLOSE, lx->at + 1);
}

/* `,` and `~` may be followed by @, and the first by a dot. */
static void take_unquote(struct lexer *lx, struct token *out) {
    char c = lex_byte(lx, lx->at + 1);
    bool longer = c == '@' || (c == '.' && lx->dialect == DIALECT_COMMON_LISP);
    lex_take_prefix(lx, out, lx->at + 1 + longer, 1);
}

/* A character of Clojure: one byte of any kind, and letters behind it. */
static void take_clojure_character(struct lexer *lx, struct token *out) {
    lex_take_atom(lx, out, skip_character(lx, lx->at + 1));
}

/* A dot before a character of Emacs Lisp stands alone. */
static void take_dot(struct lexer *lx, struct token *out) {
    if (lx->dialect == DIALECT_EMACS_LISP && lex_byte(lx, lx->at + 1) == '?')
        take_up_to(lx, out, TOKEN_ATOM, lx->at + 1);
    else
        lex_take_atom(lx, out, lx->at);
}

/* Takes a token that begins with a C of a meaning of its own in Clojure alone. */
static void take_of_clojure(struct lexer *lx, struct token *out, char c) {
    if (lx->dialect != DIALECT_CLOJURE)
        lex_take_atom(lx, out, lx->at);
    else if (c == '~')
        take_unquote(lx, out);
    else if (c == '\\')
        take_clojure_character(lx, out);
    else
        lex_take_prefix(lx, out, lx->at + 1, c == '^' ? 2 : 1);
}

static void take_token(struct lexer *lx, struct token *out, char c) {
    switch (c) {
    case '"':
        take_string(lx, out);
        break;
    case '\'':
    case '`':
        lex_take_prefix(lx, out, lx->at + 1, 1);
        break;
    case ',':
        take_unquote(lx, out);
        break;
    case '#':
        lex_hash(lx, out);
        break;
    case '?':
        if (lx->dialect == DIALECT_EMACS_LISP)
            take_up_to(lx, out, TOKEN_ATOM, skip_elisp_character(lx, lx->at));
        else
            lex_take_atom(lx, out, lx->at);
        break;
    case '.':
        take_dot(lx, out);
        break;
    case '~':
    case '@':
    case '^':
    case '\\':
        take_of_clojure(lx, out, c);
        break;
    default:
        lex_take_atom(lx, out, lx->at);
    }
}

/* Moves to what is neither white space nor a comment that lasts to the end of its line. */
static void skip_blanks(struct lexer *lx) {
    while (lx->at < lx->len) {
        if (class_at(lx, lx->at) & IS_SPACE)
            lx->at++;
        else if (lx->text[lx->at] == ';')
            lex_skip_line(lx);
        else if (is_hard_space(lx, lx->at))
            lx->at += 2;
        else
            break;
    }
}

void lex_next(struct lexer *lx, struct token *out) {
    do {
        skip_blanks(lx);
        *out = (struct token){.start = lx->at, .end = lx->at};
        if (lx->at == lx->len)
            return;
        char c = lx->text[lx->at];
        if (class_at(lx, lx->at) & IS_BRACKET)
            take_bracket(lx, out, c);
        else
            take_token(lx, out, c);
    } while (out->kind == TOKEN_END);
}

/* The next byte from AT on that is a stop, or the text's length. */
static size_t find_stop(const struct lexer *lx, size_t at) {
    const unsigned char *byte = (const unsigned char *)lx->text + at;
    const unsigned char *end = (const unsigned char *)lx->text + lx->len;
    const uint8_t *class = lx->classes;
    while (byte < end && !(class[*byte] & IS_STOP))
        byte++;
    return lx->len - (size_t)(end - byte);
}

/* Moves to the beginning of the symbol, if any, that the byte at AT is part of.  No stop is between
 * lx->at, where a token begins or white space is, and AT. */
static void go_to_atom(struct lexer *lx, size_t at) {
    size_t start = at;
    if (!(class_at(lx, at) & ENDS_ATOM))
        while (start > lx->at && !(class_at(lx, start - 1) & ENDS_ATOM))
            start--;
    lx->at = start;
}

/* Reads what the stop AT is part of.  Behind a comment, that may be any token. */
static void take_stop(struct lexer *lx, struct token *out, size_t at) {
    if (class_at(lx, at) & IS_BRACKET) {
        lx->at = at;
        *out = (struct token){.start = at};
        take_bracket(lx, out, lx->text[at]);
    } else if (lx->text[at] == ';') {
        lx->at = at;
        lex_skip_line(lx);
        out->kind = TOKEN_ATOM;
    } else {
        go_to_atom(lx, at);
        lex_next(lx, out);
    }
}

static bool is_of_structure(enum token_kind kind) {
    return kind == TOKEN_OPEN || kind == TOKEN_CLOSE || kind == TOKEN_BROKEN || kind == TOKEN_END;
}

void lex_next_inside(struct lexer *lx, struct token *out) {
    do {
        size_t at = find_stop(lx, lx->at);
        if (at == lx->len) {
            lx->at = at;
            *out = (struct token){.start = at, .end = at};
            return;
        }
        take_stop(lx, out, at);
    } while (!is_of_structure(out->kind));
}

void lex_begin(struct lexer *lx, enum dialect dialect, const char *text, size_t len) {
    *lx = (struct lexer){
        .text = text, .len = len, .dialect = dialect, .classes = byte_classes[dialect]};
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        lx->at = 3;
    if (lex_byte(lx, lx->at) != '#' || lex_byte(lx, lx->at + 1) != '!')
        return;
    /* Only Scheme has other meanings of `#!`, which its reader of `#` knows. */
    if (dialect != DIALECT_SCHEME)
        lex_skip_line(lx);
}

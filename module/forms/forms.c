/* forms.c -- where the forms of a Lisp text begin and end: see forms.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "forms.h"

#include "array.h"
#include "lex.h"

#include <stdlib.h>
#include <string.h>

/* Lists nested more deeply than this are not told from each other. */
#define DEPTH_MAX 1000000

struct open_list {
    size_t at;
    char close;
};

/* A form being read: `pending` forms make it whole, and before it begins, `skipping` forms are left
 * out. */
struct partial {
    struct form form;
    size_t pending, skipping;
    bool begun;
};

struct reader {
    struct lexer lexer;
    struct open_list *stack;
    size_t depth, room;
    struct partial now;
    bool no_memory;
};

/* -- one form -----------------------------------------------------------------------------------
 */

static void begin_form(struct partial *now, const struct token *token) {
    if (now->begun || now->skipping)
        return;
    now->begun = true;
    now->pending = 1;
    now->form = (struct form){.start = token->start};
}

/* A token of kind ATOM, STRING or a closed list ends at END: true if that completes the form. */
static bool form_part_ends(struct partial *now, size_t end) {
    if (now->skipping) {
        now->skipping--;
        return false;
    }
    now->form.end = end;
    return --now->pending == 0;
}

/* True if the form is complete: `##` is a prefix of no form. */
static bool add_prefix(struct partial *now, const struct token *token) {
    begin_form(now, token);
    if (token->forms == 0)
        return form_part_ends(now, token->end);
    if (now->skipping)
        now->skipping += token->forms - 1;
    else
        now->pending += token->forms - 1;
    return false;
}

static void add_discard(struct partial *now) {
    if (now->begun)
        now->pending++;
    else
        now->skipping++;
}

/* At the end of a form, says whether it is a list: its last part is then. */
static void note_list(struct partial *now, size_t open) {
    if (!now->skipping && now->pending == 1)
        now->form.open = open;
}

/* -- the stack ----------------------------------------------------------------------------------
 */

static char closing(char open) {
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

static bool push(struct reader *r, const struct token *token) {
    struct open_list *stack = array_with_room(r->stack, r->depth, &r->room, sizeof *stack);
    r->no_memory = !stack;
    if (!stack)
        return false;
    r->stack = stack;
    r->stack[r->depth++] = (struct open_list){token->start, closing(r->lexer.text[token->start])};
    return true;
}

/* -- a text -------------------------------------------------------------------------------------
 */

static bool add_form(struct forms *out, const struct form *form) {
    struct form *all = array_with_room(out->all, out->n, &out->room, sizeof *all);
    if (!all)
        return false;
    out->all = all;
    out->all[out->n] = *form;
    if (form->open == 0)
        out->all[out->n].open = form->end;
    out->n++;
    return true;
}

/* The form is complete, and the next one begins. */
static void end_form(struct reader *r, struct forms *out) {
    r->no_memory = r->no_memory || !add_form(out, &r->now.form);
    r->now = (struct partial){0};
}

static void stop_at_fault(struct reader *r, struct forms *out, struct forms_fault fault) {
    out->fault = fault;
    if (!r->now.begun)
        return;
    if (r->depth > 0 && r->now.form.open == 0 && r->now.pending == 1)
        r->now.form.open = r->stack[0].at + 1;
    r->now.form.end = fault.at;
    end_form(r, out);
}

/* At the end of the text. */
static void finish_reading(struct reader *r, struct forms *out) {
    struct forms_fault fault = {.at = r->lexer.len};
    if (r->depth > 0) {
        fault.kind = FAULT_UNCLOSED;
        fault.open = r->stack[r->depth - 1].at;
    } else if (r->now.begun || r->now.skipping) {
        fault.kind = FAULT_UNFINISHED;
        fault.open = r->now.form.start;
    }
    if (fault.kind)
        stop_at_fault(r, out, fault);
}

/* False at a fault. */
static bool take_close(struct reader *r, struct forms *out, const struct token *token) {
    struct forms_fault fault = {.kind = FAULT_EXTRA, .at = token->start};
    if (r->depth > 0) {
        const struct open_list *top = &r->stack[--r->depth];
        if (top->close == r->lexer.text[token->start]) {
            if (r->depth > 0)
                return true;
            note_list(&r->now, top->at + 1);
            if (form_part_ends(&r->now, token->end))
                end_form(r, out);
            return true;
        }
        fault.kind = FAULT_MISMATCH;
        fault.open = top->at;
        r->depth++;
    }
    stop_at_fault(r, out, fault);
    return false;
}

/* False at a fault, without memory, or where lists are too deep to be told. */
static bool take_open(struct reader *r, struct forms *out, const struct token *token) {
    if (r->depth == 0)
        begin_form(&r->now, token);
    if (r->depth >= DEPTH_MAX) {
        lex_note_unsure(&r->lexer, token->start, "lists are nested too deeply to be followed");
        stop_at_fault(
            r, out,
            (struct forms_fault){.kind = FAULT_UNCLOSED, .at = r->lexer.len, .open = token->start});
        return false;
    }
    return push(r, token);
}

/* A token outside of all lists that is no parenthesis. */
static void take_outside(struct reader *r, struct forms *out, const struct token *token) {
    bool whole = false;
    if (token->kind == TOKEN_DISCARD) {
        add_discard(&r->now);
    } else if (token->kind == TOKEN_PREFIX) {
        whole = add_prefix(&r->now, token);
    } else {
        begin_form(&r->now, token);
        whole = form_part_ends(&r->now, token->end);
    }
    if (whole)
        end_form(r, out);
}

/* False if nothing more is to be read. */
static bool take_next(struct reader *r, struct forms *out) {
    struct token token;
    if (r->depth > 0)
        lex_next_inside(&r->lexer, &token);
    else
        lex_next(&r->lexer, &token);
    switch (token.kind) {
    case TOKEN_END:
        finish_reading(r, out);
        return false;
    case TOKEN_BROKEN:
        stop_at_fault(r, out,
                      (struct forms_fault){.kind = FAULT_BROKEN,
                                           .at = r->lexer.len,
                                           .open = token.start,
                                           .what = token.broken});
        return false;
    case TOKEN_OPEN:
        return take_open(r, out, &token);
    case TOKEN_CLOSE:
        return take_close(r, out, &token);
    default:
        take_outside(r, out, &token);
        return true;
    }
}

/* -- what changes the reader --------------------------------------------------------------------
 */

static const char *const reader_changes[DIALECT_COUNT][10] = {
    [DIALECT_COMMON_LISP] = {"in-readtable", "IN-READTABLE", "set-macro-character",
                             "SET-MACRO-CHARACTER", "set-dispatch-macro-character",
                             "SET-DISPATCH-MACRO-CHARACTER", "set-syntax-from-char", "(enable-",
                             "setf *readtable*", "setq *readtable*"},
    [DIALECT_SCHEME] = {"set-read-syntax", "set-sharp-read-syntax", "read-hash-extend", "readtable",
                        "set-parameterized-read-syntax"},
};

/* The first place where the text speaks of changing how Lisp is read. */
static void look_for_changes(struct lexer *lx) {
    const char *const *words = reader_changes[lx->dialect];
    for (size_t i = 0; i < 10 && words[i]; i++) {
        const char *at = memmem(lx->text, lx->len, words[i], strlen(words[i]));
        if (at)
            lex_note_unsure(lx, (size_t)(at - lx->text), "the file may change the reader");
    }
}

bool forms_read(enum dialect dialect, const char *text, size_t len, struct forms *out) {
    struct reader r = {0};
    *out = (struct forms){0};
    lex_begin(&r.lexer, dialect, text, len);
    while (take_next(&r, out) && !r.no_memory)
        ;
    look_for_changes(&r.lexer);
    out->unsure = r.lexer.unsure;
    out->unsure_at = r.lexer.unsure_at;
    free(r.stack);
    if (r.no_memory)
        forms_free(out);
    return !r.no_memory;
}

void forms_free(struct forms *forms) {
    free(forms->all);
    *forms = (struct forms){0};
}

/* -- inside of a list ---------------------------------------------------------------------------
 */

struct form_cursor form_inside(enum dialect dialect, const char *text, const struct form *list) {
    size_t start = list->open < list->end ? list->open : list->end;
    return (struct form_cursor){.dialect = dialect, .text = text, .at = start, .end = list->end};
}

/* Reads a token on the level that depth counts; true if that completes the form. */
static bool take_inside(struct partial *now, const struct token *token, size_t *depth,
                        size_t *open) {
    switch (token->kind) {
    case TOKEN_OPEN:
        if ((*depth)++ > 0)
            return false;
        begin_form(now, token);
        *open = token->end;
        return false;
    case TOKEN_CLOSE:
        if (--*depth > 0)
            return false;
        note_list(now, *open);
        return form_part_ends(now, token->end);
    case TOKEN_DISCARD:
        if (*depth == 0)
            add_discard(now);
        return false;
    case TOKEN_PREFIX:
        return *depth == 0 && add_prefix(now, token);
    default:
        if (*depth > 0)
            return false;
        begin_form(now, token);
        return form_part_ends(now, token->end);
    }
}

bool form_next(struct form_cursor *cursor, struct form *out) {
    struct lexer lx;
    struct partial now = {0};
    struct token token;
    size_t depth = 0, open = 0;
    lex_begin(&lx, cursor->dialect, cursor->text, cursor->end);
    lx.at = cursor->at;
    do {
        lex_next(&lx, &token);
        bool ends = token.kind == TOKEN_END || token.kind == TOKEN_BROKEN;
        if (ends || (token.kind == TOKEN_CLOSE && depth == 0)) {
            cursor->at = cursor->end;
            return false;
        }
    } while (!take_inside(&now, &token, &depth, &open));
    cursor->at = token.end;
    *out = now.form;
    if (out->open == 0)
        out->open = out->end;
    return true;
}

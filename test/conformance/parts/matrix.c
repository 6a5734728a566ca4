/* SPDX-License-Identifier: MIT */
/* matrix.c -- cases for every operation of the table, whatever it takes a path by: see matrix.h.
 *
 * Operations, their parameters and errors are those of the core's own table, so a new operation
 * is tried with all spellings of all places as soon as it has a row.
 */
#include "matrix.h"

#include "die.h"
#include "op.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* From module/table/table.h, whose name is that of our own table.h. */
const struct op *op_at(size_t at);

/* A way of leading to the file F in the directory D.  %d and %f stand for these, %D and %F for
 * them in capitals, %q for D with its first byte as an escape. */
struct spelling {
    const char *name;
    const char *kind, *entry, *target; /* what is made in the tree for it, or NULL */
    const char *path;
};

static const struct spelling spellings[] = {
    {"plain", NULL, NULL, NULL, "%d/%f"},
    {"link", "link", "l", "%d/%f", "l"},
    {"link-in-the-middle", "link", "m", "%d", "m/%f"},
    {"pointer-file", "file", "p/.git", "gitdir: ../%d\n", "p/.git/%f"},
    {"hard-link", "hardlink", "h", "%d/%f", "h"},
    {"quoted", NULL, NULL, NULL, "\"%q/%f\""},
    {"other-case", NULL, NULL, NULL, "%D/%F"},
};

/* The things that are in the place of a patch. */
static const struct {
    const char *name, *text;
} patches[] = {
    {"update", "*** Begin Patch\n*** Update File: %s\n@@\n-TOPSECRET\n+x\n*** End Patch\n"},
    {"add", "*** Begin Patch\n*** Add File: %s\n+x\n*** End Patch\n"},
    {"delete", "*** Begin Patch\n*** Delete File: %s\n*** End Patch\n"},
    {"onto", "*** Begin Patch\n*** Update File: a.txt\n*** Move to: %s\n@@\n-alpha\n+x\n"
             "*** End Patch\n"},
    {"unified", "--- a/%1$s\n+++ b/%1$s\n@@ -1 +1 @@\n-TOPSECRET\n+x\n"},
};

/* One cell: an operation that is given the place by one parameter. */
struct cell {
    struct table *t;
    const struct datum *form;
    const struct spelling *spelling; /* NULL: no path is given */
    const struct op *op;
    const char *param; /* the parameter, or for a patch its kind */
    const char *value; /* what it is given */
};

static struct datum *new_text(struct table *t, const char *text) {
    return datum_new(&t->arena, DATUM_TEXT, text, strlen(text));
}

static struct datum *new_name(struct table *t, const char *text) {
    return datum_new(&t->arena, DATUM_WORD, text, strlen(text));
}

static struct datum *new_form(struct table *t, const char *word, ...) {
    struct datum *list = datum_list(&t->arena);
    datum_push(&t->arena, list, new_name(t, word));
    va_list texts;
    va_start(texts, word);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        datum_push(&t->arena, list, new_text(t, text));
    va_end(texts);
    return list;
}

static const struct datum *clause_of(const struct datum *form, const char *word) {
    for (size_t i = 2; i < form->n; i++)
        if (is_form(form->items[i], word))
            return form->items[i];
    return NULL;
}

static bool names(const struct datum *clause, const char *word) {
    for (size_t i = 1; clause && i < clause->n; i++)
        if (is_word(clause->items[i], word))
            return true;
    return false;
}

/* -- what a spelling is in the place of the form ---------------------------------------------- */

static void add_capitals(struct buf *out, const char *text) {
    for (; *text; text++)
        buf_char(out, (char)toupper((unsigned char)*text));
}

static const char *spelled(struct table *t, const struct datum *form, const char *pattern) {
    const struct datum *place = clause_of(form, "place");
    const char *d = place->items[1]->text, *f = place->items[2]->text;
    struct buf out = {0};
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            buf_char(&out, *pattern);
            continue;
        }
        switch (*++pattern) {
        case 'd':
            buf_str(&out, d);
            break;
        case 'f':
            buf_str(&out, f);
            break;
        case 'D':
            add_capitals(&out, d);
            break;
        case 'F':
            add_capitals(&out, f);
            break;
        default:
            buf_printf(&out, "\\%03o%s", (unsigned)(unsigned char)d[0], d + 1);
        }
    }
    const char *kept = arena_string(&t->arena, out.data, out.len);
    buf_free(&out);
    return kept;
}

static struct datum *tree_of(const struct cell *c) {
    const struct datum *given = clause_of(c->form, "tree");
    struct datum *tree = datum_list(&c->t->arena);
    for (size_t i = 0; given && i < given->n; i++)
        datum_push(&c->t->arena, tree, given->items[i]);
    const struct spelling *s = c->spelling;
    if (s && s->kind)
        datum_push(&c->t->arena, tree,
                   new_form(c->t, s->kind, s->entry, spelled(c->t, c->form, s->target), NULL));
    return tree;
}

/* -- the call --------------------------------------------------------------------------------- */

static const struct datum *argument_entry(struct table *t, const char *name) {
    struct datum *word = new_name(t, "matrix-arguments");
    const struct datum *all = table_definition(t, word);
    for (size_t i = 2; i < all->n; i++)
        if (is_form(all->items[i], name))
            return all->items[i];
    return NULL;
}

/* The value that an argument has where another one is the path: (NAME VALUE), or for one operation
 * (OPERATION.NAME VALUE), or (OPERATION.NAME) for none. */
static struct datum *usual_value(struct table *t, const struct op *op, const char *name) {
    char own[96];
    (void)snprintf(own, sizeof own, "%s.%s", op->name, name);
    const struct datum *entry = argument_entry(t, own);
    if (!entry)
        entry = argument_entry(t, name);
    return entry && entry->n > 1 ? entry->items[1] : NULL;
}

static struct datum *call_of(const struct cell *c) {
    struct datum *call = new_form(c->t, "call", NULL);
    datum_push(&c->t->arena, call, new_name(c->t, c->op->name));
    for (size_t i = 0; i < c->op->param_count; i++) {
        const struct param *p = &c->op->params[i];
        bool is_place = c->value && (strcmp(p->name, c->param) == 0 ||
                                     (p->type == PARAM_STRING && strcmp(p->name, "patch") == 0));
        struct datum *value =
            is_place ? new_text(c->t, c->value) : usual_value(c->t, c->op, p->name);
        if (!value && p->required)
            die("line %d: matrix-arguments has no value for %s of %s", c->form->line, p->name,
                c->op->name);
        if (!value || (!c->value && p->type == PARAM_PATH))
            continue;
        char key[80];
        (void)snprintf(key, sizeof key, ":%s", p->name);
        datum_push(&c->t->arena, call, new_name(c->t, key));
        datum_push(&c->t->arena, call, value);
    }
    return call;
}

/* -- what is expected ------------------------------------------------------------------------- */

/* Is C one that (CLAUSE WORD...) names: OPERATION-PARAMETER, or a spelling? */
static bool is_listed(const struct cell *c, const char *clause) {
    char word[96];
    (void)snprintf(word, sizeof word, "%s-%s", c->op->name, c->param);
    return names(clause_of(c->form, clause), word) ||
           names(clause_of(c->form, clause), c->spelling->name);
}

/* A last link is deleted, moved and replaced itself. */
static bool is_link_itself(const struct cell *c) {
    return strcmp(c->spelling->name, "link") == 0 &&
           (strcmp(c->op->name, "delete_file") == 0 || strcmp(c->op->name, "move_file") == 0);
}

/* (refused WHICH CODE PART...): all operations, those that change something, or those that declare
 * that they need approval.  No pointer is a directory. */
static bool is_refused(const struct cell *c, const struct datum *refused) {
    if (!c->spelling || is_listed(c, "apart") || is_link_itself(c) ||
        strcmp(c->spelling->name, "pointer-file") == 0)
        return false;
    if (is_word(refused->items[1], "changes"))
        return c->op->tier != TIER_SAFE;
    if (is_word(refused->items[1], "declares"))
        return c->op->tier != TIER_SAFE || c->op->errors & ERROR_BIT(APPROVAL_REQUIRED);
    return true;
}

/* With any answer, nothing has changed but these names, which are not the place. */
static void expect_anything(const struct cell *c, struct datum *made) {
    static const char *const others[] = {"h", "l", "made", "a.txt"};
    datum_push(&c->t->arena, made, new_form(c->t, "any", NULL));
    if (c->op->tier == TIER_SAFE || !c->spelling)
        return;
    struct datum *after = new_form(c->t, "after", NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        datum_push(&c->t->arena, after, new_form(c->t, "free", others[i], NULL));
    datum_push(&c->t->arena, made, after);
}

static void expect(const struct cell *c, struct datum *made) {
    /* A change may find these first: a patch of another form, a name that is taken, a link. */
    static const char *const others[] = {"patch-parse", "exists", "not-regular", "not-found"};
    const struct datum *refused = clause_of(c->form, "refused");
    if (!is_refused(c, refused)) {
        expect_anything(c, made);
        return;
    }
    bool changes = c->op->tier != TIER_SAFE;
    struct datum *error = new_form(c->t, changes ? "refused" : "error", NULL);
    for (size_t i = 2; i < (changes ? 3 : refused->n); i++)
        datum_push(&c->t->arena, error, refused->items[i]);
    for (size_t i = 0; changes && i < sizeof others / sizeof *others; i++)
        datum_push(&c->t->arena, error, new_name(c->t, others[i]));
    datum_push(&c->t->arena, made, error);
}

/* An answer that asks for approval has the diff, for the person. */
static bool is_kept(const struct cell *c, const char *clause) {
    return clause_of(c->form, clause) &&
           (strcmp(clause, "never") != 0 || c->op->tier == TIER_SAFE ||
            is_word(clause_of(c->form, "refused")->items[2], "restricted"));
}

static void add_cell(const struct cell *c, void (*add)(struct table *t, const struct datum *form)) {
    static const char *const kept[] = {"threats", "not-in", "options", "how", "never"};
    struct buf name = {0};
    buf_printf(&name, "%s%s%s.%s-%s", c->op->name, c->param[0] ? "-" : "", c->param,
               c->form->items[1]->text, c->spelling ? c->spelling->name : "whole");
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] == '_')
            name.data[i] = '-';
    struct datum *made = new_form(c->t, "case", NULL);
    made->line = c->form->line;
    datum_push(&c->t->arena, made, datum_new(&c->t->arena, DATUM_WORD, name.data, name.len));
    buf_free(&name);
    datum_push(&c->t->arena, made, tree_of(c));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (is_kept(c, kept[i]))
            datum_push(&c->t->arena, made, (struct datum *)clause_of(c->form, kept[i]));
    if (c->spelling && strcmp(c->spelling->name, "other-case") == 0)
        datum_push(&c->t->arena, made, new_form(c->t, "folding", NULL));
    datum_push(&c->t->arena, made, call_of(c));
    expect(c, made);
    add(c->t, made);
}

/* -- all cells -------------------------------------------------------------------------------- */

static void add_patches(struct cell c, const char *path,
                        void (*add)(struct table *t, const struct datum *form)) {
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        struct buf text = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        buf_printf(&text, patches[i].text, path);
#pragma GCC diagnostic pop
        c.param = patches[i].name;
        c.value = arena_string(&c.t->arena, text.data, text.len);
        buf_free(&text);
        add_cell(&c, add);
    }
}

void matrix_cases(struct table *t, const struct datum *form,
                  void (*add)(struct table *t, const struct datum *form)) {
    const struct op *op;
    for (size_t i = 0; (op = op_at(i)) != NULL; i++) {
        bool needs_path = false;
        for (size_t s = 0; s < sizeof spellings / sizeof *spellings; s++) {
            const char *path = spelled(t, form, spellings[s].path);
            for (size_t p = 0; p < op->param_count; p++) {
                const struct param *param = &op->params[p];
                struct cell c = {t, form, &spellings[s], op, param->name, path};
                bool is_patch = strcmp(param->name, "patch") == 0;
                needs_path |= is_patch || (param->type == PARAM_PATH && param->required);
                if (is_patch)
                    add_patches(c, path, add);
                else if (param->type == PARAM_PATH)
                    add_cell(&c, add);
            }
        }
        if (!needs_path)
            add_cell(&(struct cell){t, form, NULL, op, "", NULL}, add);
    }
}

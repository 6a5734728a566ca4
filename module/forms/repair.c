/* repair.c -- where a text lost its balance, and how it gets it back: see repair.h.
 *
 * Of the pieces of the text, one is to blame.  In it every parenthesis is taken out, and one
 * is put in at every place, to see what looks as it should.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repair.h"

#include "array.h"
#include "buf.h"
#include "habits.h"
#include "layout.h"
#include "pieces.h"

#include <stdlib.h>
#include <string.h>

/* How many lines about the one where they part are tried first, how many items are judged in all,
 * and the most bytes of a piece that is searched. */
#define LINES_FIRST 8
#define STEPS_MOST ((size_t)8 << 20)
#define PIECE_MOST ((size_t)4 << 20)

/* The weights that make one of several corrections, which look equally good, likelier than the
 * others, and the share of all likelihood that it must have.  `make forms` measures it. */
#define AT_END_OF_LINE 8.0
#define BEHIND_FIRST_WORD 0.1
#define OPENS_TOO_OFTEN 0.25
#define LIST_IN_FRONT 0.05
#define STRING_IN_FRONT 0.1
#define INSIDE_OF_CHANGE 4.0
#define SHARE 0.7

struct items {
    struct layout_item *all;
    size_t n, room;
    bool whole; /* no string or comment is broken */
};

/* A correction: items[at] is taken out, or exchanged, or NEW is put in before it or behind it. */
struct trial {
    enum { TRIAL_DELETE, TRIAL_EXCHANGE, TRIAL_BEFORE, TRIAL_BEHIND } how;
    size_t at;
    char new;
};

struct search {
    enum dialect dialect;
    const char *text; /* of the piece */
    size_t len;
    struct items items;
    int net;
    struct span changed;         /* in the piece */
    struct layouter so_far, try; /* up to where a correction is tried, and with it */
    size_t steps_left;
    unsigned best;
    double best_likelihood, all_likelihood;
    struct habits *habits;
    bool alone;   /* the bracket that is tried closes a list of one part */
    size_t forms; /* of the whole text, once it is corrected */
    struct span old;
    char new[2];
    bool no_memory;
};

/* -- trying -------------------------------------------------------------------------------------
 */

/* How many brackets there are alike in a row, if BRACKET is put in at AT or is what is there. */
static size_t count_alike(const struct search *s, size_t at, char bracket, bool is_there) {
    size_t from = at, to = at;
    while (from > 0 && s->text[from - 1] == bracket)
        from--;
    while (to < s->len && s->text[to] == bracket)
        to++;
    return to - from + !is_there;
}

/* By how much it is favoured that the item at I begins a list. */
static double favour_first(const struct search *s, size_t i, bool is_first) {
    const struct layout_item *item = &s->items.all[i];
    if (i >= s->items.n || item->kind == TOKEN_CLOSE || item->kind == TOKEN_PREFIX)
        return 1;
    if (item->kind == TOKEN_OPEN ||
        (!is_first && i > 0 && item->glued && item[-1].kind == TOKEN_OPEN))
        return LIST_IN_FRONT;
    if (item->kind == TOKEN_STRING)
        return STRING_IN_FRONT;
    return habits_favour(s->habits, s->text + item->start, item->end - item->start, is_first);
}

/* Is the item at I the last one of its line? */
static bool ends_line(const struct search *s, size_t i) {
    return i + 1 >= s->items.n || s->items.all[i + 1].begins_line;
}

/* How likely a correction is beside others that look as good.  A bracket is missing or too many in
 * one of the places of a row of them, and the more likely there the longer the row is.  Rows stand
 * at the ends of lines.  Some words stand first in lists, and a list rarely ends behind its first
 * word.  Nobody opens too often.  The fault is rather in what was changed than elsewhere. */
static double likelihood(const struct search *s, const struct trial *t, struct span old) {
    const struct layout_item *item = &s->items.all[t->at];
    char bracket = t->how == TRIAL_DELETE ? item->bracket : t->new;
    double likely = (double)count_alike(s, old.at, bracket, t->how == TRIAL_DELETE);
    switch (t->how) {
    case TRIAL_BEHIND:
        likely *= (ends_line(s, t->at) ? AT_END_OF_LINE : 1) * (s->alone ? BEHIND_FIRST_WORD : 1);
        break;
    case TRIAL_BEFORE:
        likely *= favour_first(s, t->at, false);
        break;
    case TRIAL_DELETE:
        if (item->kind == TOKEN_OPEN)
            likely *= OPENS_TOO_OFTEN / favour_first(s, t->at + 1, true);
        break;
    default:
        break;
    }
    bool inside = s->changed.at <= old.at && old.at <= s->changed.at + s->changed.len;
    return inside ? INSIDE_OF_CHANGE * likely : likely;
}

static void note_trial(struct search *s, const struct trial *t) {
    const struct layout_item *item = &s->items.all[t->at];
    struct span old = {item->start, t->how == TRIAL_DELETE || t->how == TRIAL_EXCHANGE};
    if (t->how == TRIAL_BEHIND)
        old.at = item->end;
    if (s->try.cost < s->best)
        s->best_likelihood = s->all_likelihood = 0;
    double likely = likelihood(s, t, old);
    s->best = s->try.cost;
    s->all_likelihood += likely;
    if (likely <= s->best_likelihood)
        return;
    s->best_likelihood = likely;
    s->old = old;
    s->new[0] = t->new;
}

static void step(struct search *s, const struct layout_item *item) {
    s->no_memory = s->no_memory || !layout_step(&s->try, item);
    s->steps_left -= s->steps_left > 0;
}

static bool is_closing(char bracket) {
    return strchr(")]}", bracket);
}

/* The item that NEW is, in the place of ITEM. */
static struct layout_item bracket_item(const struct layout_item *item, char new) {
    struct layout_item bracket = *item;
    bracket.kind = is_closing(new) ? TOKEN_CLOSE : TOKEN_OPEN;
    bracket.bracket = bracket.last = new;
    return bracket;
}

/* Judges what the correction is made of, and leaves in *NEXT what the item behind it is then.
 * Returns by how much the rest of the line is moved. */
static int step_correction(struct search *s, const struct trial *t, struct layout_item *next) {
    const struct layout_item *item = &s->items.all[t->at];
    struct layout_item bracket = bracket_item(item, t->new);
    switch (t->how) {
    case TRIAL_DELETE:
        next->begins_line = next->begins_line || item->begins_line;
        next->glued = next->glued && item->glued;
        return -1;
    case TRIAL_EXCHANGE:
        step(s, &bracket);
        return 0;
    case TRIAL_BEFORE:
        step(s, &bracket);
        bracket = *item;
        bracket.begins_line = false;
        bracket.glued = true;
        bracket.column++;
        step(s, &bracket);
        return 1;
    default:
        step(s, item);
        s->alone = layout_is_single(&s->try);
        bracket.begins_line = false;
        bracket.glued = true;
        step(s, &bracket);
        return 1;
    }
}

/* Judges the layout of the piece with the correction. */
static void try_correction(struct search *s, const struct trial *t) {
    const struct items *items = &s->items;
    if (s->steps_left == 0 || s->no_memory)
        return;
    if (!layout_fork(&s->try, &s->so_far)) {
        s->no_memory = true;
        return;
    }
    s->steps_left -= s->steps_left < s->so_far.depth ? s->steps_left : s->so_far.depth;
    struct layout_item item = {0};
    size_t i = t->at + 1;
    if (i < items->n)
        item = items->all[i];
    bool same_line = !item.begins_line;
    int moved = step_correction(s, t, &item);
    for (; i < items->n && s->try.cost <= s->best && !s->no_memory; i++) {
        if (i > t->at + 1)
            item = items->all[i];
        same_line = same_line && !items->all[i].begins_line;
        item.column += same_line ? (size_t)moved : 0;
        step(s, &item);
    }
    if (i == items->n && layout_is_balanced(&s->try) && s->try.cost <= s->best)
        note_trial(s, t);
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

static void try_inserting(struct search *s, size_t i, bool closing) {
    const struct layout_item *item = &s->items.all[i];
    const struct layout_item *next = i + 1 < s->items.n ? item + 1 : NULL;
    /* Before its like, it is the same text as behind it. */
    for (const char *c = brackets(s->dialect, closing); *c; c++)
        if (closing ? !(next && next->glued && next->bracket == *c) : item->bracket != *c)
            try_correction(s, &(struct trial){closing ? TRIAL_BEHIND : TRIAL_BEFORE, i, *c});
}

/* A bracket that is one of several alike is taken out as the last of them. */
static bool is_last_alike(const struct search *s, size_t i) {
    const struct layout_item *item = &s->items.all[i], *next = item + 1;
    return i + 1 >= s->items.n || !next->glued || next->bracket != item->bracket;
}

static void try_exchanging(struct search *s, size_t i) {
    for (int closing = 0; closing < 2; closing++)
        for (const char *c = brackets(s->dialect, closing); *c; c++)
            if (*c != s->items.all[i].bracket)
                try_correction(s, &(struct trial){TRIAL_EXCHANGE, i, *c});
}

static void try_item(struct search *s, size_t i) {
    const struct layout_item *item = &s->items.all[i];
    bool is_open = item->kind == TOKEN_OPEN;
    if (item->bracket && (s->net > 1 || s->net < -1 || s->net == 0))
        try_exchanging(s, i);
    if (s->net == 1 && item->kind != TOKEN_PREFIX && !is_open)
        try_inserting(s, i, true);
    if (s->net == -1 && item->kind != TOKEN_CLOSE)
        try_inserting(s, i, false);
    if (item->bracket && s->net == (is_open ? 1 : -1) && is_last_alike(s, i))
        try_correction(s, &(struct trial){TRIAL_DELETE, i, '\0'});
}

/* Tries what can be done between the offsets FROM and TO if INSIDE, or else outside of them.  No
 * correction comes too late for a cost that there is before it. */
static void try_between(struct search *s, size_t from, size_t to, bool inside) {
    struct layouter *l = &s->so_far;
    struct layout_nest *nests = l->nests;
    *l = (struct layouter){.nests = nests, .room = l->room};
    for (size_t i = 0; i < s->items.n && l->cost <= s->best && !s->no_memory; i++) {
        const struct layout_item *item = &s->items.all[i];
        if ((from <= item->start && item->start < to) == inside)
            try_item(s, i);
        s->no_memory = s->no_memory || !layout_step(l, item);
    }
}

/* Tries what can be done in the lines about the one where the piece parts, and then elsewhere. */
static void try_lines(struct search *s, size_t parts_at) {
    size_t line = linewise_start(s->text, parts_at);
    size_t from = linewise_above(s->text, line, LINES_FIRST);
    size_t to = linewise_below(s->text, s->len, line, 1);
    try_between(s, from, to, true);
    try_between(s, from, to, false);
}

/* -- the piece ----------------------------------------------------------------------------------
 */

/* Finds what is to blame, and sets S up for it.  False without memory. */
static bool find_piece(struct search *s, const char *text, size_t len, struct span changed,
                       struct span *piece) {
    struct pieces pieces = {0};
    bool ok = pieces_read(s->dialect, text, len, &pieces);
    if (ok && pieces.n > 0) {
        bool plain = false;
        const struct piece *blamed = pieces_to_blame(&pieces, text, changed, &plain);
        *piece = blamed->at;
        s->forms = plain ? pieces_count_forms(&pieces, blamed) : 0;
    }
    pieces_free(&pieces);
    s->text = text + piece->at;
    s->len = piece->len;
    return ok;
}

static bool read_items(struct search *s) {
    struct layout_reader reader;
    struct items *items = &s->items;
    struct layout_item item;
    layout_read(&reader, s->dialect, s->text, s->len);
    while (layout_next(&reader, &item)) {
        struct layout_item *all = array_with_room(items->all, items->n, &items->room, sizeof *all);
        if (!all)
            return false;
        items->all = all;
        items->all[items->n++] = item;
    }
    items->whole = item.kind == TOKEN_END;
    return true;
}

/* Puts the correction into TEXT.  It is none if the piece is not one form then, or the text not
 * balanced, or its forms do not begin where its pieces do: it would move code from one form to
 * another. */
static bool check_correction(const struct search *s, struct span piece, struct span old,
                             size_t len) {
    struct forms whole, own;
    struct buf corrected = {0};
    const char *text = s->text - piece.at;
    size_t piece_len = piece.len - old.len + (s->new[0] != 0);
    buf_add(&corrected, text, old.at);
    buf_str(&corrected, s->new);
    buf_add(&corrected, text + old.at + old.len, len - old.at - old.len);
    bool good = !corrected.failed && forms_read(s->dialect, corrected.data, corrected.len, &whole);
    if (good) {
        good = whole.fault.kind == FAULT_BALANCED && whole.n == s->forms;
        forms_free(&whole);
    }
    if (good && forms_read(s->dialect, corrected.data + piece.at, piece_len, &own)) {
        good = own.n == 1 && own.fault.kind == FAULT_BALANCED;
        forms_free(&own);
    }
    buf_free(&corrected);
    return good;
}

/* Searches the piece, which begins at PIECE_AT of a text of LEN bytes and parts at PARTS_AT.  False
 * without memory. */
static bool search_piece(struct search *s, size_t piece_at, size_t len, size_t parts_at) {
    s->habits = habits_read(s->dialect, s->text - piece_at, len);
    bool ok = s->habits && read_items(s);
    if (ok && s->items.whole) {
        try_lines(s, parts_at);
        ok = !s->no_memory;
    }
    free(s->items.all);
    free(s->habits);
    free(s->so_far.nests);
    free(s->try.nests);
    return ok;
}

bool repair_find(enum dialect dialect, const char *text, size_t len, struct span changed,
                 struct repair *out) {
    struct search s = {.dialect = dialect, .steps_left = STEPS_MOST, .best = UINT32_MAX};
    struct span piece = {0, len};
    struct layout look;
    *out = (struct repair){0};
    if (!find_piece(&s, text, len, changed, &piece) || !layout_look(dialect, s.text, s.len, &look))
        return false;
    s.net = look.net;
    s.changed = (struct span){changed.at > piece.at ? changed.at - piece.at : 0, changed.len};
    out->form = (struct form){piece.at, piece.at + piece.len, piece.at + piece.len};
    if (look.parts_at == s.len) {
        while (s.len > 0 && strchr("\n \t\r", s.text[s.len - 1]))
            s.len--;
        look.parts_at = s.len;
    }
    out->parts_at = piece.at + linewise_start(s.text, look.parts_at);
    if (s.forms > 0 && s.len <= PIECE_MOST && !search_piece(&s, piece.at, len, look.parts_at))
        return false;
    const struct span old = {piece.at + s.old.at, s.old.len};
    out->known = s.best_likelihood > 0 && s.best_likelihood >= s.all_likelihood * SHARE &&
                 check_correction(&s, piece, old, len);
    if (out->known) {
        out->old = old;
        out->new[0] = s.new[0];
        out->parts_at = linewise_start(text, old.at);
    }
    return true;
}

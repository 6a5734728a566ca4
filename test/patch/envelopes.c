/* SPDX-License-Identifier: MIT */
/* envelopes.c -- envelopes N: envelopes as models write them do what was meant, or are refused.
 *
 * Random texts of few different lines are changed at some places, so the result is known.  The
 * changes are written in the shapes that are recorded of models: a bare @@ and some lines of
 * context, hunks of context alone that lead to the next one, *** End of File.  A model gives as
 * much context as makes the place the first one behind the hunk before, as the clients do that
 * models were trained with; it gives too little for the first hunk now and then, which must then be
 * refused.
 */
#include "patch_apply.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 80, CHANGES_MOST = 4, WORDS = 9 };

struct text {
    const char *lines[2 * LINES_MOST];
    size_t n;
    bool crlf, unfinished;
};

static const char *const words[WORDS] = {
    "{", "}", "", "  x = 1;", "  return x;", "def f():", "\tcall(a, b)", "# note", "end"};
static const char *const added[] = {"  y = 2;", "# new", "", "  return y;", "}", "\tcall(c)"};

/* A change: COUNT lines from AT on become NEWS. */
struct replacing_lines {
    size_t at, count, new_count;
    const char *news[3];
};

static uint64_t state;

static uint32_t below(uint32_t limit) {
    return sample_below(&state, limit);
}

static void make_text(struct text *t) {
    static char unique[LINES_MOST][24];
    *t = (struct text){
        .n = 3 + below(LINES_MOST - 3), .crlf = below(6) == 0, .unfinished = below(6) == 0};
    for (size_t i = 0; i < t->n; i++) {
        (void)snprintf(unique[i], sizeof unique[i], "  line_%zu();", i);
        /* The last line says something, as lines at the ends of files do. */
        t->lines[i] = i + 1 < t->n && below(3) ? words[below(WORDS)] : unique[i];
    }
}

static const char *line_of(const struct text *t, size_t i) {
    return t->lines[i] ? t->lines[i] : "";
}

static void write_text(const struct text *t, struct buf *out) {
    for (size_t i = 0; i < t->n; i++) {
        buf_str(out, line_of(t, i));
        if (i + 1 < t->n || !t->unfinished)
            buf_str(out, t->crlf ? "\r\n" : "\n");
    }
    buf_str(out, "");
}

/* Places in order with at least a line between them.  Returns how many. */
static size_t choose_changes(const struct text *t, struct replacing_lines *changes) {
    size_t n = 0, from = 0;
    const size_t wanted = 1 + below(CHANGES_MOST);
    while (n < wanted && from < t->n) {
        struct replacing_lines *c = &changes[n++];
        *c = (struct replacing_lines){.at = from + below((uint32_t)(t->n - from))};
        c->count = below(3);
        if (c->count > t->n - c->at)
            c->count = t->n - c->at;
        c->new_count = c->count == 0 ? 1 + below(3) : below(4);
        for (size_t i = 0; i < c->new_count; i++)
            c->news[i] = added[below(sizeof added / sizeof *added)];
        from = c->at + c->count + 1;
    }
    return n;
}

static void change_text(const struct text *old, const struct replacing_lines *changes, size_t n,
                        struct text *new) {
    size_t from = 0;
    *new = (struct text){.crlf = old->crlf, .unfinished = old->unfinished};
    for (size_t i = 0; i <= n; i++) {
        const size_t to = i < n ? changes[i].at : old->n;
        for (; from < to; from++)
            new->lines[new->n++] = old->lines[from];
        for (size_t k = 0; i < n && k < changes[i].new_count; k++)
            new->lines[new->n++] = changes[i].news[k];
        from += i < n ? changes[i].count : 0;
    }
    /* A line that is not changed keeps its bytes, also when it becomes the last one. */
    const struct replacing_lines *last = &changes[n - 1];
    if (last->at + last->count == old->n && last->count > 0 && last->new_count == 0)
        new->unfinished = false;
}

/* -- writing ----------------------------------------------------------------------------------- */

/* The first place at or after FROM where the lines of T from AT to END stand. */
static size_t first_place(const struct text *t, size_t from, size_t at, size_t end) {
    for (size_t i = from; i < at; i++) {
        size_t k = 0;
        while (k < end - at && strcmp(line_of(t, i + k), line_of(t, at + k)) == 0)
            k++;
        if (k == end - at)
            return i;
    }
    return at;
}

static void write_lines(const struct text *t, size_t from, size_t to, char op, struct buf *out) {
    for (size_t i = from; i < to; i++)
        buf_printf(out, "%c%s\n", op, line_of(t, i));
}

/* Writes a hunk for C, with lines from *CURSOR on as context, and moves *CURSOR behind it.  SURE:
 * it has as much context as makes its place the first one, else it has what it has. */
static bool write_hunk_of(const struct text *t, const struct replacing_lines *c, size_t limit,
                          bool sure, size_t *cursor, struct buf *out) {
    size_t before = below(4), after = below(4), from, to;
    for (;; before++) {
        const size_t room = c->at - *cursor;
        from = c->at - (before < room ? before : room);
        to = c->at + c->count + after;
        to = to < limit ? to : limit;
        const bool found = to > from && first_place(t, *cursor, from, to) == from;
        if (!sure || found)
            break;
        if (before > room && to == limit)
            return false;
        after += before > room;
    }
    if (to == from)
        return false;
    buf_str(out, "@@\n");
    write_lines(t, from, c->at, ' ', out);
    write_lines(t, c->at, c->at + c->count, '-', out);
    for (size_t i = 0; i < c->new_count; i++)
        buf_printf(out, "+%s\n", c->news[i]);
    write_lines(t, c->at + c->count, to, ' ', out);
    if (to == t->n && below(3) == 0)
        buf_str(out, "*** End of File\n");
    *cursor = to;
    return true;
}

/* A hunk of context alone on the way to C. */
static void write_lead(const struct text *t, const struct replacing_lines *c, size_t *cursor,
                       struct buf *out) {
    if (c->at < *cursor + 2)
        return;
    const size_t at = *cursor + below((uint32_t)(c->at - *cursor - 1));
    if (line_of(t, at)[0] == '\0' || first_place(t, *cursor, at, at + 1) != at)
        return;
    buf_printf(out, "@@\n %s\n", line_of(t, at));
    *cursor = at + 1;
}

static bool write_envelope(const struct text *t, const struct replacing_lines *changes, size_t n,
                           struct buf *out) {
    size_t cursor = 0;
    buf_str(out, "*** Begin Patch\n*** Update File: f\n");
    for (size_t i = 0; i < n; i++) {
        const bool leads = below(3) == 0, sure = i > 0 || leads || below(4) > 0;
        if (leads)
            write_lead(t, &changes[i], &cursor, out);
        const size_t limit = i + 1 < n ? changes[i + 1].at : t->n;
        if (!write_hunk_of(t, &changes[i], limit, sure, &cursor, out))
            return false;
    }
    buf_str(out, "*** End Patch\n");
    return !out->failed;
}

/* -- applying ---------------------------------------------------------------------------------- */

static struct { size_t right, refused, wrong, unwritten; } tally;

static void try_envelope(const struct buf *patch_text, const struct buf *before,
                         const struct buf *expected) {
    struct patch patch = {0};
    struct patched out = {0};
    struct error e = {0};
    int code = patch_read(patch_text->data, patch_text->len, PATCH_AUTO, &patch, &e);
    code = code ? code : patch_apply(&patch, &patch.files[0], before->data, before->len, &out, &e);
    const bool same =
        !code && out.text.len == expected->len &&
        memcmp(out.text.data ? out.text.data : "", expected->data, expected->len) == 0;
    tally.right += same;
    tally.refused += code != AQFS_OK;
    tally.wrong += !code && !same;
    if (!code && !same)
        printf("FAIL: another text than was meant\n%s-- of\n%s-- becomes\n%s-- and not\n%s",
               patch_text->data, before->data, out.text.data, expected->data);
    patched_free(&out);
    patch_free(&patch);
}

static void one_round(void) {
    struct text old, new;
    struct replacing_lines changes[CHANGES_MOST] = {0};
    struct buf before = {0}, expected = {0}, patch = {0};
    make_text(&old);
    const size_t n = choose_changes(&old, changes);
    change_text(&old, changes, n, &new);
    write_text(&old, &before);
    write_text(&new, &expected);
    if (new.n > 0 && write_envelope(&old, changes, n, &patch))
        try_envelope(&patch, &before, &expected);
    else
        tally.unwritten++;
    buf_free(&before);
    buf_free(&expected);
    buf_free(&patch);
}

int main(int argc, char **argv) {
    const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
    state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    while (tally.right + tally.refused + tally.wrong < rounds)
        one_round();
    printf("envelopes: %zu right, %zu refused, %zu wrong\n", tally.right, tally.refused,
           tally.wrong);
    if (tally.right < rounds / 2)
        printf("FAIL: fewer than half are right\n");
    printf("%zu passed, %zu failed\n", tally.right + tally.refused,
           tally.wrong + (tally.right < rounds / 2));
    return tally.wrong > 0 || tally.right < rounds / 2;
}

/* correction_merged.c -- the edit of a text that has a few lines otherwise than old_str: see
 * correction_kinds.h.
 *
 * Two changes are made into one: that from old_str to the text, and that from
 * old_str to new_str.  Lines that only the text has otherwise stay as they are;
 * where both change something, they must do it in different words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction_kinds.h"

#include "cleanup.h"
#include "merging.h"

#include <stdlib.h>

/* -- lines ------------------------------------------------------------------------------------- */

static struct text_ref indent_at(const struct reduced *r, size_t line) {
    const struct bare_line *l = &r->lines[line];
    return (struct text_ref){r->text.data + l->at, l->inner.at - l->at};
}

static struct text_ref inner_of(const struct reduced *r, size_t line) {
    return (struct text_ref){r->text.data + r->lines[line].inner.at, r->lines[line].inner.len};
}

static bool has_newline(const struct reduced *r, size_t line) {
    return r->text.data[r->lines[line].end - 1] == '\n';
}

static bool find_pairs(struct merging *g) {
    const size_t n = g->m->lines.old.n;
    g->pairs = calloc(n + 1, sizeof *g->pairs);
    if (!g->pairs)
        return false;
    size_t at = g->place->from, b = 0;
    for (size_t i = 0; i < n;) {
        const struct merge_block *block = b < g->place->count ? &g->place->blocks[b] : NULL;
        if (!block || block->old_at > i) {
            g->pairs[i++] = at++;
            continue;
        }
        for (size_t end = i + block->old_n; i < end; i++)
            g->pairs[i] = NO_LINE;
        at += block->text_n;
        b++;
    }
    const bool is_open = g->pairs[0] != NO_LINE && indent_at(g->m->old, 0).len == 0;
    g->bare_start =
        is_open && merge_old_line(g, 0).len > 0 && indent_at(g->m->text, g->pairs[0]).len > 0;
    return true;
}

/* -- indentation ------------------------------------------------------------------------------- */

static bool see_shift(const struct merging *g, size_t old, struct reindent *shift) {
    if (g->pairs[old] == NO_LINE || merge_old_line(g, old).len == 0 || (old == 0 && g->bare_start))
        return false;
    reindent_see(shift, indent_at(g->m->old, old), indent_at(g->m->text, g->pairs[old]));
    return true;
}

/* How the indentation of lines FROM to TO of old_str differs: as that of all lines does; or if that
 * is not one way, as that of these and the lines beside them. */
static bool find_shift_at(const struct merging *g, size_t from, size_t to, struct reindent *shift) {
    *shift = g->shift;
    if (shift->any && reindent_is_known(shift))
        return true;
    reindent_start(shift);
    size_t before = from, after = to;
    while (before > 0 && !see_shift(g, before - 1, shift))
        before--;
    for (size_t i = from; i < to; i++)
        (void)see_shift(g, i, shift);
    while (after < g->m->lines.old.n && !see_shift(g, after, shift))
        after++;
    return shift->any && reindent_is_known(shift);
}

/* -- writing ----------------------------------------------------------------------------------- */

static void keep_place_lines(struct merging *g, size_t n) {
    const struct reduced *text = g->m->text;
    for (size_t end = g->at + n; g->at < end; g->at++) {
        const struct bare_line *line = &text->lines[g->at];
        buf_add(g->out, text->text.data + line->at, line->end - line->at);
        if (!has_newline(text, g->at))
            buf_char(g->out, '\n');
    }
}

/* Ends a new line as the text ends the line that is there. */
static void end_new_line(struct merging *g) {
    const struct reduced *text = g->m->text;
    const size_t at = g->at > g->place->from ? g->at - 1 : g->at;
    const struct bare_line *line = &text->lines[at < text->n ? at : text->n - 1];
    const bool cr = line->end - line->at >= 2 && text->text.data[line->end - 2] == '\r';
    buf_str(g->out, cr && has_newline(text, at < text->n ? at : text->n - 1) ? "\r\n" : "\n");
}

/* Writes the indentation of the next line of new_str, as SHIFT has it. */
static bool indent_new(struct merging *g, const struct reindent *shift) {
    const struct text_ref indent = indent_at(g->m->new, g->next);
    if (g->next == 0 && g->bare_start) {
        const struct text_ref there = indent_at(g->m->text, g->pairs[0]);
        buf_add(g->out, there.data, there.len);
        return indent.len == 0;
    }
    if (inner_of(g->m->new, g->next).len > 0)
        return shift && reindent_add(shift, indent, g->out);
    buf_add(g->out, indent.data, indent.len);
    return true;
}

/* Writes the next line of new_str for line OLD of old_str, which the text has as line AT. */
static bool write_changed(struct merging *g, const struct reindent *shift, size_t old, size_t at) {
    const struct text_ref was = inner_of(g->m->old, old), is = inner_of(g->m->text, at);
    const struct text_ref wanted = inner_of(g->m->new, g->next);
    if (!indent_new(g, shift))
        return false;
    if (text_ref_equal(was, is))
        buf_add(g->out, wanted.data, wanted.len);
    else if (text_ref_equal(was, wanted))
        buf_add(g->out, is.data, is.len);
    else if (!word_merge(was, is, wanted, g->out))
        return false;
    g->next++;
    end_new_line(g);
    return true;
}

/* Writes N lines of old_str that the edit repeats: those of the text, in the indentation that the
 * edit gives them. */
static bool write_repeated(struct merging *g) {
    const size_t old = g->old, at = g->pairs[old];
    const struct reduced *was = g->m->old, *new = g->m->new;
    const struct text_ref indent = indent_at(new, g->next);
    const bool shifted = !text_ref_equal(indent_at(was, old), indent);
    const bool whole = g->m->bare.all[at].len == merge_old_line(g, old).len;
    struct reindent shift;
    g->old++;
    if (!shifted && text_ref_equal(inner_of(was, old), inner_of(new, g->next))) {
        keep_place_lines(g, 1);
        g->next++;
        return true;
    }
    if (!whole || (shifted && text_ref_equal(indent, indent_at(g->m->text, at))))
        return false; /* a part of a line; or it is where the edit moves it */
    g->at++;
    return write_changed(g, find_shift_at(g, old, old + 1, &shift) ? &shift : NULL, old, at);
}

/* The blocks that hunk H changes, from BLOCK on: how many, and how many lines they have. */
struct met_blocks {
    size_t count, old_n, text_n;
    bool comments, pairs;
};

static struct met_blocks blocks_in(const struct merging *g, const struct edit_hunk *h,
                                   size_t block) {
    struct met_blocks met = {.comments = true, .pairs = h->old_n == h->new_n};
    for (size_t i = block; i < g->place->count; i++) {
        const struct merge_block *b = &g->place->blocks[i];
        const bool behind = b->old_at >= h->old_at + h->old_n;
        if (behind || b->old_at < h->old_at || (b->old_n == 0 && b->old_at == h->old_at))
            break;
        met.count++;
        met.old_n += b->old_n;
        met.text_n += b->text_n;
        met.comments = met.comments && b->kind < MERGE_WORDS && b->kind != MERGE_MADE;
        met.pairs = met.pairs && b->old_n == b->text_n;
    }
    return met;
}

/* Are the replaced lines of H that are there the very same, but for white space around them? */
static bool is_exact(const struct merging *g, const struct edit_hunk *h) {
    for (size_t i = h->old_at; i < h->old_at + h->old_n; i++)
        if (g->pairs[i] != NO_LINE &&
            !text_ref_equal(inner_of(g->m->old, i), inner_of(g->m->text, g->pairs[i])))
            return false;
    return true;
}

static bool write_edit_hunk(struct merging *g, const struct edit_hunk *h, size_t *block) {
    const struct met_blocks met = blocks_in(g, h, *block);
    const bool exact = is_exact(g, h) || h->new_n == 0;
    const bool replaces = (met.count == 0 || met.comments) && exact;
    struct reindent local;
    const struct reindent *shift =
        find_shift_at(g, h->old_at, h->old_at + h->old_n, &local) ? &local : NULL;
    const size_t at = g->at, text_n = h->old_n - met.old_n + met.text_n;
    if (!replaces && !met.pairs)
        return false;
    *block += met.count;
    g->old += h->old_n;
    g->at += text_n;
    for (size_t i = 0; i < h->new_n; i++) {
        if (!replaces && !write_changed(g, shift, h->old_at + i, at + i))
            return false;
        if (!replaces)
            continue;
        const struct text_ref line = inner_of(g->m->new, g->next);
        if (!indent_new(g, shift))
            return false;
        buf_add(g->out, line.data, line.len);
        g->next++;
        end_new_line(g);
    }
    return true;
}

/* Are the N lines of old_str from here on in new_str as they are? */
static bool repeats_exactly(const struct merging *g, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!text_ref_equal(indent_at(g->m->old, g->old + i), indent_at(g->m->new, g->next + i)) ||
            !text_ref_equal(inner_of(g->m->old, g->old + i), inner_of(g->m->new, g->next + i)))
            return false;
    return true;
}

static bool write_block(struct merging *g, const struct merge_block *b, const struct edit_hunk *h) {
    if (b->kind != MERGE_MADE && !repeats_exactly(g, b->old_n))
        return false;
    keep_place_lines(g, b->text_n);
    g->old += b->old_n;
    g->next += b->kind != MERGE_MADE ? b->old_n : h ? h->new_n : 0;
    return true;
}

static bool write_merged_lines(struct merging *g) {
    const struct edit_lines *lines = &g->m->lines;
    for (size_t i = 0, k = 0;;) {
        const struct edit_hunk *h = i < lines->n ? &lines->hunks[i] : NULL;
        const struct merge_block *b = k < g->place->count ? &g->place->blocks[k] : NULL;
        const bool hunk = h && h->old_at == g->old, block = b && b->old_at == g->old;
        bool ok = true;
        if (block && (b->kind == MERGE_MADE || !hunk || b->old_n == 0)) {
            ok = write_block(g, b, h);
            i += b->kind == MERGE_MADE;
            k++;
        } else if (hunk) {
            ok = write_edit_hunk(g, h, &k);
            i++;
        } else if (g->old < lines->old.n) {
            ok = write_repeated(g);
        } else {
            return true;
        }
        if (!ok)
            return false;
    }
}

/* Finds what is replaced.  The last newline is a part of it if old_str ends in one, and the text
 * has it; it follows new_str, or the end of the text. */
static bool set_place(struct merging *g, struct text_ref new_str, struct correction *out) {
    const struct reduced *text = g->m->text, *old = g->m->old;
    const size_t last = g->place->from + g->place->n - 1, at = text->lines[g->place->from].at;
    const bool finished = has_newline(old, old->n - 1), unfinished = !has_newline(text, last);
    const bool cr = text->lines[last].end - at >= 2 && !finished && !unfinished &&
                    text->text.data[text->lines[last].end - 2] == '\r';
    const size_t end = text->lines[last].end - (!finished && !unfinished) - cr;
    out->place = (struct span){at, end - at};
    const bool drops =
        new_str.len == 0 || new_str.data[new_str.len - 1] != '\n' || (finished && unfinished);
    if (drops && out->text.len > 0 && out->text.data[out->text.len - 1] == '\n')
        out->text.data[--out->text.len] = '\0';
    if (drops && out->text.len > 0 && out->text.data[out->text.len - 1] == '\r')
        out->text.data[--out->text.len] = '\0';
    return !text_ref_equal((struct text_ref){text->text.data + at, out->place.len},
                           (struct text_ref){out->text.data ? out->text.data : "", out->text.len});
}

static bool write_merged(struct merging *g, struct text_ref new_str, struct correction *out) {
    if (!find_pairs(g) || g->place->n == 0 || !merge_is_certain(g))
        return false;
    reindent_start(&g->shift);
    for (size_t i = 0; i < g->m->lines.old.n; i++)
        (void)see_shift(g, i, &g->shift);
    g->at = g->place->from;
    return write_merged_lines(g) && set_place(g, new_str, out);
}

/* -- the whole --------------------------------------------------------------------------------- */

struct merged_edit {
    struct reduced text, old, new;
    struct merge_sides lines;
    struct merging merging;
};

static void free_merged_edit(struct merged_edit *e) {
    merge_sides_free(&e->lines);
    free_reduced(&e->text);
    free_reduced(&e->old);
    free_reduced(&e->new);
    free(e->merging.pairs);
}

int correction_merged(struct text_ref text, const struct edit *edit, struct correction *out) {
    AUTO(free_merged_edit) struct merged_edit e = {0};
    struct merge_place place = {0};
    const struct text_ref new = {edit->new_str.len ? edit->new_str.data : "", edit->new_str.len};
    if (!reduce_text(text, true, edit->budget, &e.text) ||
        !reduce_text(edit->old_str, true, edit->budget, &e.old) ||
        !reduce_text(new, true, edit->budget, &e.new) ||
        !merge_sides_find(&e.text, &e.old, &e.new, &e.lines))
        return AQFS_LIMIT;
    if (!merge_place_find(&e.lines, &place))
        return AQFS_NO_MATCH;
    e.merging = (struct merging){.m = &e.lines, .place = &place, .out = &out->text};
    const bool written = write_merged(&e.merging, new, out);
    if (out->text.failed || !e.merging.pairs)
        return AQFS_LIMIT;
    return written ? AQFS_OK : AQFS_NO_MATCH;
}

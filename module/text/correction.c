/* correction.c -- the edit that was meant, where old_str nearly is at one place: see correction.h.
 *
 * Both texts are reduced to what layout leaves: lines without the white space
 * around them, with the quotes of a keyboard.  Where the reduced old_str occurs
 * once, the lines of both are compared again to see how the indentation differs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction.h"

#include "cleanup.h"
#include "correction_kinds.h"
#include "indentation.h"
#include "reduced.h"

#include <stdlib.h>
#include <string.h>

/* -- for all kinds ------------------------------------------------------------------------------
 */

size_t correction_places(struct text_ref text, struct text_ref needle, size_t *at) {
    const char *found = needle.len ? memmem(text.data, text.len, needle.data, needle.len) : NULL;
    if (!found)
        return 0;
    *at = (size_t)(found - text.data);
    return memmem(found + 1, text.len - *at - 1, needle.data, needle.len) ? 2 : 1;
}

size_t correction_letters(struct text_ref text) {
    size_t letters = 0;
    for (size_t i = 0; i < text.len; i++)
        letters += text_is_word(text.data[i]);
    return letters;
}

/* -- the only place ---------------------------------------------------------------------------- */

/* The span of old_str in the reduced text; of its last line the newline only if it has one. */
struct occurrence {
    size_t at, len;
    size_t line; /* the first one */
    bool starts; /* at the beginning of that line */
    bool breaks; /* ends behind a newline */
};

static bool joins_words(char before, char after) {
    return text_is_word(before) && text_is_word(after);
}

static bool may_be_meant(const struct reduced *text, const struct reduced *old,
                         const struct occurrence *o) {
    const char *bytes = text->bytes.data;
    const size_t end = o->at + o->len;
    const bool indented = indentation_length(old->text.data, old->text.len) > 0;
    if (!o->starts && (indented || joins_words(bytes[o->at - 1], bytes[o->at])))
        return false;
    return o->breaks || !joins_words(bytes[end - 1], bytes[end]);
}

/* Finds the first place where OLD, reduced, occurs in TEXT.  Returns how many there are, 2 for
 * more.
 */
static size_t find_occurrences(const struct reduced *text, const struct reduced *old,
                               struct occurrence *out) {
    const bool breaks = old->text.data[old->text.len - 1] == '\n';
    const size_t len = old->bytes.len - !breaks;
    const char *start = text->bytes.data, *end = start + text->bytes.len, *at = start;
    size_t found = 0;
    while (found < 2 && len > 0 && (at = memmem(at, (size_t)(end - at), old->bytes.data, len))) {
        struct occurrence o = {.at = (size_t)(at - start), .len = len, .breaks = breaks};
        o.line = line_of_reduced(text, o.at);
        o.starts = o.at == text->lines[o.line].reduced_at;
        if (may_be_meant(text, old, &o)) {
            if (found == 0)
                *out = o;
            found++;
        }
        at++;
    }
    return found;
}

/* -- how the indentation differs --------------------------------------------------------------- */

/* One correction, being made. */
struct correcting {
    const struct reduced *text, *old;
    struct occurrence where;
    struct reindent shift;
    bool bare_start;        /* the first line begins behind its indentation, which stays as it is */
    bool adds_cr, drops_cr; /* lines of the place end in CRLF and those of old_str do not, or so */
};

static struct text_ref indentation_of(const struct reduced *r, size_t line) {
    const struct bare_line *l = &r->lines[line];
    return (struct text_ref){r->text.data + l->at, l->inner.at - l->at};
}

/* Lines of old_str that say something, from FROM on, tell how the indentation differs. */
static bool find_shift(struct correcting *c, size_t from) {
    reindent_start(&c->shift);
    for (size_t i = from; i < c->old->n; i++)
        if (c->old->lines[i].inner.len > 0)
            reindent_see(&c->shift, indentation_of(c->old, i),
                         indentation_of(c->text, c->where.line + i));
    return reindent_is_known(&c->shift);
}

static bool is_told_by_others(const struct correcting *c) {
    for (size_t i = 1; i < c->old->n; i++)
        if (c->old->lines[i].inner.len > 0)
            return true;
    return false;
}

/* The first line of old_str may begin without its indentation, within a line or as models write it.
 * Then the other lines tell, and where that line agrees with them its indentation is a part of the
 * place. */
static bool understand(struct correcting *c) {
    const bool claims = indentation_of(c->old, 0).len > 0 || c->old->lines[0].inner.len == 0;
    const bool alone = !is_told_by_others(c);
    const bool bare = alone && !claims && indentation_of(c->text, c->where.line).len > 0;
    c->bare_start = !c->where.starts || bare;
    reindent_start(&c->shift);
    if (c->bare_start && alone)
        return true;
    if (!c->bare_start && find_shift(c, 0))
        return true;
    if (c->where.starts && claims)
        return false;
    c->bare_start = true;
    return find_shift(c, 1);
}

static bool ends_in(struct text_ref text, const struct bare_line *line, const char *ending) {
    const size_t n = strlen(ending);
    return line->end - line->at >= n && memcmp(text.data + line->end - n, ending, n) == 0;
}

/* Sets what is done with the CR of new lines.  False if lines of the place differ in that. */
static bool understand_endings(struct correcting *c) {
    bool adds = true, drops = true, keeps = true;
    for (size_t i = 0; i < c->old->n; i++) {
        const struct bare_line *was = &c->old->lines[i], *is = &c->text->lines[c->where.line + i];
        if (!ends_in(c->old->text, was, "\n") || !ends_in(c->text->text, is, "\n"))
            continue;
        const bool was_cr = ends_in(c->old->text, was, "\r\n");
        const bool is_cr = ends_in(c->text->text, is, "\r\n");
        adds = adds && !was_cr && is_cr;
        drops = drops && was_cr && !is_cr;
        keeps = keeps && was_cr == is_cr;
    }
    c->adds_cr = adds && !keeps;
    c->drops_cr = drops && !keeps;
    return adds || drops || keeps;
}

/* -- the text for the place -------------------------------------------------------------------- */

/* The part of the text that belongs to line I of old_str. */
static struct text_ref segment_of(const struct correcting *c, size_t i) {
    const struct reduced *t = c->text;
    const struct bare_line *line = &t->lines[c->where.line + i];
    size_t start = line->at, end = line->end;
    if (i == 0 && c->bare_start) {
        start = place_in_line(t, line, c->where.at - line->reduced_at);
        if (c->old->lines[0].inner.len == 0) /* old_str begins with a newline */
            start = end - (end > start && t->text.data[end - 1] == '\n');
    }
    if (i + 1 == c->old->n && !c->where.breaks)
        end = place_in_line(t, line, c->where.at + c->where.len - line->reduced_at);
    return (struct text_ref){t->text.data + start, end > start ? end - start : 0};
}

static bool same_line(const struct reduced *a, size_t i, const struct reduced *b, size_t k) {
    const struct bare_line *x = &a->lines[i], *y = &b->lines[k];
    return text_ref_equal((struct text_ref){a->text.data + x->at, x->end - x->at},
                          (struct text_ref){b->text.data + y->at, y->end - y->at});
}

/* How many lines OLD and NEW have in common at the beginning and at the end. */
static void count_shared(const struct reduced *old, const struct reduced *new, size_t *head,
                         size_t *tail) {
    const size_t most = old->n < new->n ? old->n : new->n;
    *head = *tail = 0;
    while (*head < most && same_line(old, *head, new, *head))
        ++*head;
    while (*head + *tail < most && same_line(old, old->n - 1 - *tail, new, new->n - 1 - *tail))
        ++*tail;
}

/* Lines that are replaced must have the bytes that old_str has, but for white space around them:
 * else it is not known which quotes or columns the new ones should have. */
static bool has_same_quotes(const struct correcting *c, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const struct span own = c->old->lines[i].inner;
        const struct text_ref there = segment_of(c, i);
        if (!memmem(there.data, there.len, c->old->text.data + own.at, own.len))
            return false;
    }
    return true;
}

static bool add_new_line(const struct correcting *c, const struct reduced *new, size_t i,
                         struct buf *out) {
    const struct bare_line *line = &new->lines[i];
    const struct text_ref indent = indentation_of(new, i);
    const bool as_it_is = line->inner.len == 0 || (i == 0 && c->bare_start);
    if (i == 0 && c->bare_start && indent.len > 0 && line->inner.len > 0)
        return false; /* it cannot be told where this indentation should begin */
    if (as_it_is)
        buf_add(out, indent.data, indent.len);
    else if (!reindent_add(&c->shift, indent, out))
        return false;
    const bool broken = ends_in(new->text, line, "\n"), cr = ends_in(new->text, line, "\r\n");
    const bool with_cr = !c->drops_cr && (cr || (broken && c->adds_cr));
    buf_add(out, new->text.data + line->inner.at, line->end - line->inner.at - broken - cr);
    buf_str(out, with_cr ? "\r\n" : broken ? "\n" : "");
    return true;
}

/* An unfinished line of the text that is now followed by another one gets its newline. */
static void add_segment(const struct correcting *c, size_t i, bool last, struct buf *out) {
    const struct text_ref segment = segment_of(c, i);
    buf_add(out, segment.data, segment.len);
    const bool broken = c->old->text.data[c->old->lines[i].end - 1] == '\n';
    if (!last && broken && (segment.len == 0 || segment.data[segment.len - 1] != '\n'))
        buf_char(out, '\n');
}

static bool write_correction(const struct correcting *c, const struct reduced *new,
                             struct correction *out) {
    size_t head, tail;
    count_shared(c->old, new, &head, &tail);
    if (!has_same_quotes(c, head, c->old->n - tail) || (!c->shift.any && new->n > 1))
        return false;
    for (size_t i = 0; i < head; i++)
        add_segment(c, i, i + 1 == new->n, &out->text);
    for (size_t i = head; i < new->n - tail; i++)
        if (!add_new_line(c, new, i, &out->text))
            return false;
    for (size_t i = c->old->n - tail; i < c->old->n; i++)
        add_segment(c, i, i + 1 == c->old->n, &out->text);
    const struct text_ref first = segment_of(c, 0), last = segment_of(c, c->old->n - 1);
    const char *end = last.data + last.len;
    out->place =
        (struct span){(size_t)(first.data - c->text->text.data), (size_t)(end - first.data)};
    /* The final newline follows the file. */
    const bool lacks = c->where.breaks && (last.len == 0 || end[-1] != '\n');
    if (lacks && out->text.len > 0 && out->text.data[out->text.len - 1] == '\n')
        out->text.data[--out->text.len] = '\0';
    const struct text_ref there = {first.data, out->place.len};
    return !text_ref_equal(there, new->text) && /* else it was made already */
           !text_ref_equal(there,
                           (struct text_ref){out->text.data ? out->text.data : "", out->text.len});
}

/* -- the whole --------------------------------------------------------------------------------- */

/* Whether OLD says something, and its last line is not an indentation that could end anywhere. */
static bool says_enough(const struct reduced *old) {
    const struct bare_line *last = &old->lines[old->n - 1];
    bool says = false;
    for (size_t i = 0; i < old->n && !says; i++)
        says = old->lines[i].inner.len > 0;
    return says && (last->inner.len > 0 || ends_in(old->text, last, "\n"));
}

/* The three texts of a correction, reduced in one way. */
struct reduced_edit {
    struct reduced text, old, new;
};

static void free_reduced_edit(struct reduced_edit *r) {
    free_reduced(&r->text);
    free_reduced(&r->old);
    free_reduced(&r->new);
}

static bool reduce_edit(struct text_ref text, const struct edit *edit, bool loose,
                        struct reduced_edit *out) {
    const struct text_ref added = {edit->new_str.len ? edit->new_str.data : "", edit->new_str.len};
    return reduce_text(text, loose, edit->budget, &out->text) &&
           reduce_text(edit->old_str, loose, edit->budget, &out->old) &&
           reduce_text(added, loose, edit->budget, &out->new);
}

static bool correct(const struct reduced_edit *r, struct correcting *c, struct correction *out) {
    return understand(c) && understand_endings(c) && write_correction(c, &r->new, out);
}

/* *FOUND becomes the number of places, whether or not the edit can be corrected there. */
static int correct_reduced(struct text_ref text, const struct edit *edit, bool loose, size_t *found,
                           struct correction *out) {
    AUTO(free_reduced_edit) struct reduced_edit r = {0};
    if (!reduce_edit(text, edit, loose, &r))
        return AQFS_LIMIT;
    struct correcting c = {.text = &r.text, .old = &r.old};
    *found = says_enough(&r.old) ? find_occurrences(&r.text, &r.old, &c.where) : 0;
    const bool corrected = *found == 1 && correct(&r, &c, out);
    if (out->text.failed)
        return AQFS_LIMIT;
    return corrected ? AQFS_OK : AQFS_NO_MATCH;
}

static int correct_layout(struct text_ref text, const struct edit *edit, size_t *found,
                          struct correction *out) {
    int code = correct_reduced(text, edit, false, found, out);
    if (code == AQFS_NO_MATCH && *found == 0)
        code = correct_reduced(text, edit, true, found, out);
    return code;
}

int correction_of_layout(struct text_ref text, const struct edit *edit, struct correction *out) {
    size_t found = 0;
    return correct_layout(text, edit, &found, out);
}

/* A kind of corrections; and where the layout does not settle it, at how many places that differ in
 * layout alone it is tried, at most. */
struct correction_kind {
    int (*find)(struct text_ref text, const struct edit *edit, struct correction *out);
    size_t places;
};

int correction_find(struct text_ref text, const struct edit *edit, struct correction *out) {
    static const struct correction_kind others[] = {{correction_decoded, 0},
                                                    {correction_merged, 1}};
    *out = (struct correction){0};
    if (text.len == 0 || edit->old_str.len == 0)
        return AQFS_NO_MATCH;
    size_t found = 0;
    int code = correct_layout(text, edit, &found, out);
    for (size_t i = 0; i < sizeof others / sizeof *others && code == AQFS_NO_MATCH; i++) {
        if (found > others[i].places)
            continue;
        buf_clear(&out->text);
        out->place = (struct span){0};
        bool ended = edit->budget && budget_check(edit->budget) != AQFS_OK;
        code = ended ? AQFS_LIMIT : others[i].find(text, edit, out);
    }
    return code;
}

void correction_free(struct correction *c) {
    buf_free(&c->text);
}

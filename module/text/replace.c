/* replace.c -- exact edits of a text in memory: see replace.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replace.h"

#include "cleanup.h"
#include "correction.h"
#include "lines.h"
#include "nearmiss.h"
#include "replace_batch.h"

#include <stdlib.h>
#include <string.h>

/* -- which edit it was ------------------------------------------------------------------------ */

/* Which of N edits it is, and how many were made to the text before it. */
struct edit_number {
    size_t index, n, applied;
};

/* The beginning of messages about one of several edits; empty when there is only one. */
struct label {
    char text[128];
};

static struct label label_of(const struct edit_number *number) {
    struct label label = {""};
    if (number->n < 2)
        return label;
    char about[64] = "";
    if (number->applied == 1)
        (void)snprintf(about, sizeof about, " (in the text that edit 1 leaves)");
    else if (number->applied > 1)
        (void)snprintf(about, sizeof about, " (in the text that edits 1-%zu leave)",
                       number->applied);
    (void)snprintf(label.text, sizeof label.text, "edit %zu of %zu%s: ", number->index + 1,
                   number->n, about);
    return label;
}

static int check(const struct edit *edit, const struct edit_number *number, struct error *e) {
    if (edit->old_str.len == 0) {
        (void)fail(e, AQFS_INVALID_ARGUMENT,
                   "%sold_str is empty: expected the exact text to replace", label_of(number).text);
        error_hint(e, "to add lines use insert_at_line");
        return AQFS_INVALID_ARGUMENT;
    }
    if (text_ref_equal(edit->old_str, edit->new_str))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "%sold_str and new_str are the same: there is nothing to change",
                    label_of(number).text);
    return AQFS_OK;
}

/* -- several matches -------------------------------------------------------------------------- */

#define LINES_LISTED 10

struct matches {
    size_t count;
    size_t lines[LINES_LISTED]; /* the first ones, each line once */
    size_t listed;
    bool more;
};

static void add_match(struct matches *m, size_t line) {
    m->count++;
    if (m->listed > 0 && m->lines[m->listed - 1] == line)
        return;
    if (m->listed < LINES_LISTED)
        m->lines[m->listed++] = line;
    else
        m->more = true;
}

/* BORDERS[i] is the length of the longest proper prefix of NEEDLE that is also a suffix of its
 * first i + 1 bytes.  That much of a match remains when the next byte does not fit. */
static void find_borders(struct text_ref needle, size_t *borders) {
    borders[0] = 0;
    for (size_t i = 1, border = 0; i < needle.len; i++) {
        while (border > 0 && needle.data[i] != needle.data[border])
            border = borders[border - 1];
        border += needle.data[i] == needle.data[border];
        borders[i] = border;
    }
}

/* Counts the matches from offset START on, including overlapping ones, with the algorithm of Knuth,
 * Morris and Pratt.  A new search after each match would take time N * M for a long needle of equal
 * bytes. */
static void count_matches(struct text_ref text, size_t start, struct text_ref needle,
                          const size_t *borders, struct matches *m) {
    const size_t needle_lines = lines_count(needle.data, needle.len);
    size_t line = 1 + lines_count(text.data, start), matched = 0;
    for (size_t i = start; i < text.len; i++) {
        const char c = text.data[i];
        line += c == '\n';
        while (matched > 0 && c != needle.data[matched])
            matched = borders[matched - 1];
        matched += c == needle.data[matched];
        if (matched == needle.len) {
            add_match(m, line - needle_lines);
            matched = borders[matched - 1];
        }
    }
}

/* Writes "3 times, on lines 1, 2, 5". */
static bool say_matches(struct buf *out, const struct matches *m) {
    if (m->count == 1)
        buf_str(out, "once");
    else
        buf_printf(out, "%zu times", m->count);
    for (size_t i = 0; i < m->listed; i++)
        buf_printf(out, "%s%zu",
                   i > 0           ? ", "
                   : m->listed > 1 ? ", on lines "
                                   : ", on line ",
                   m->lines[i]);
    if (m->more)
        buf_str(out, " and more");
    return !out->failed;
}

static int fail_multiple(struct text_ref text, size_t first, struct text_ref needle,
                         const struct edit_number *number, struct error *e) {
    AUTO_FREE size_t *borders = malloc(needle.len * sizeof *borders);
    if (!borders)
        return fail_memory(e);
    find_borders(needle, borders);
    struct matches m = {0};
    count_matches(text, first, needle, borders, &m);
    AUTO(buf_free) struct buf times = {0};
    if (!say_matches(&times, &m))
        return fail_memory(e);
    (void)fail(e, AQFS_MULTIPLE_MATCHES, "%sold_str occurs %s", label_of(number).text, times.data);
    error_hint(e,
               "extend old_str with text around the intended place, until it occurs only once; or "
               "give replace_all");
    return AQFS_MULTIPLE_MATCHES;
}

/* Fails because the occurrences FOUND are not as many as EDIT expects. */
static int fail_count(struct text_ref text, const struct edit *edit, const struct spans *found,
                      const struct edit_number *number, struct error *e) {
    struct matches m = {0};
    size_t line = 1, counted = 0;
    for (size_t i = 0; i < found->n; i++) {
        line += lines_count(text.data + counted, found->all[i].at - counted);
        counted = found->all[i].at;
        add_match(&m, line);
    }
    AUTO(buf_free) struct buf times = {0};
    if (!say_matches(&times, &m))
        return fail_memory(e);
    (void)fail(e, AQFS_MULTIPLE_MATCHES, "%sold_str occurs %s, and expected_replacements is %zu",
               label_of(number).text, times.data, edit->expected);
    error_hint(e,
               "look at these lines; give expected_replacements %zu if all of them are meant, or "
               "extend old_str",
               m.count);
    return AQFS_MULTIPLE_MATCHES;
}

/* -- the budget ------------------------------------------------------------------------------- */

static int check_edit_budget(const struct edit *edit, struct error *e) {
    int code = edit->budget ? budget_check(edit->budget) : AQFS_OK;
    return code ? fail_budget(e, code) : AQFS_OK;
}

/* The error of EDIT, whose old_str does not occur. */
static int fail_absent(struct text_ref text, const struct edit *edit,
                       const struct edit_number *number, struct buf *nearest, struct error *e) {
    int code = check_edit_budget(edit, e);
    return code ? code
                : nearmiss_fail(text, edit->old_str, edit->new_str, label_of(number).text, nearest,
                                e);
}

/* -- one match -------------------------------------------------------------------------------- */

static int find_only(struct text_ref text, const struct edit *edit,
                     const struct edit_number *number, size_t *at, struct buf *nearest,
                     struct error *e) {
    const struct text_ref needle = edit->old_str;
    const char *first =
        needle.len <= text.len ? memmem(text.data, text.len, needle.data, needle.len) : NULL;
    if (!first)
        return fail_absent(text, edit, number, nearest, e);
    size_t start = (size_t)(first - text.data);
    if (memmem(first + 1, text.len - start - 1, needle.data, needle.len))
        return fail_multiple(text, start, needle, number, e);
    *at = start;
    return AQFS_OK;
}

int replace_find(struct text_ref text, const struct edit *edit, size_t *at, struct error *e) {
    const struct edit_number only = {.n = 1};
    int code = check(edit, &only, e);
    return code ? code : find_only(text, edit, &only, at, NULL, e);
}

/* -- several edits ---------------------------------------------------------------------------- */

/* Replaces the range OLD with TEXT. */
static bool splice(struct buf *b, struct span old, struct text_ref text) {
    if (text.len > old.len && !buf_reserve(b, text.len - old.len))
        return false;
    char *place = b->data + old.at;
    memmove(place + text.len, place + old.len,
            b->len - old.at - old.len + 1); /* including the NUL */
    if (text.len > 0)
        memcpy(place, text.data, text.len);
    b->len += text.len - old.len;
    return true;
}

/* Finds all places that EDIT replaces. */
static int find_all(struct text_ref text, const struct edit *edit, const struct edit_number *number,
                    struct spans *places, struct buf *nearest, struct error *e) {
    const struct text_ref needle = edit->old_str;
    size_t at = 0;
    const char *found;
    while (text.len - at >= needle.len &&
           (found = memmem(text.data + at, text.len - at, needle.data, needle.len))) {
        at = (size_t)(found - text.data);
        if (!spans_add(places, (struct span){at, needle.len}))
            return fail_memory(e);
        at += needle.len;
    }
    if (places->n == 0)
        return fail_absent(text, edit, number, nearest, e);
    return edit->expected > 0 && edit->expected != places->n
               ? fail_count(text, edit, places, number, e)
               : AQFS_OK;
}

/* One edit, while it is made. */
struct making {
    const struct edit *edit;
    struct edit_number number;
    struct edit exact; /* what is done at `places`: old_str occurs there */
    struct spans places;
    struct correction correction;
};

static void making_free(struct making *m) {
    spans_free(&m->places);
    correction_free(&m->correction);
}

/* If the edit is to be made nearly, corrects it.  AQFS_NO_MATCH, without a message, if it cannot
 * be. */
static int find_near(struct text_ref text, struct making *m, struct error *e) {
    int code = correction_find(text, m->edit, &m->correction);
    if (code == AQFS_LIMIT) {
        int ended = check_edit_budget(m->edit, e);
        return ended ? ended : fail_memory(e);
    }
    if (code)
        return code;
    const struct span place = m->correction.place;
    const struct buf *new = &m->correction.text;
    m->exact = (struct edit){.old_str = {text.data + place.at, place.len},
                             .new_str = {new->data ? new->data : "", new->len}};
    return spans_add(&m->places, place) ? AQFS_OK : fail_memory(e);
}

/* Finds the places that the edit replaces, and what it puts there. */
static int find_places(struct text_ref text, struct making *m, struct buf *nearest,
                       struct error *e) {
    size_t at = 0;
    m->exact = *m->edit;
    int code = m->edit->all ? find_all(text, m->edit, &m->number, &m->places, nearest, e)
                            : find_only(text, m->edit, &m->number, &at, nearest, e);
    if (!code && !m->edit->all && !spans_add(&m->places, (struct span){at, m->edit->old_str.len}))
        return fail_memory(e);
    if (code != AQFS_NO_MATCH || !m->edit->nearly || m->edit->all)
        return code;
    int near = find_near(text, m, e);
    return near == AQFS_NO_MATCH ? code : near;
}

/* Writes TEXT to OUT with NEWS[i * STEP] at place i of PLACES. */
static bool write_replaced(struct text_ref text, const struct spans *places,
                           const struct text_ref *news, size_t step, struct buf *out) {
    size_t kept = 0;
    for (size_t i = 0; i < places->n; i++) {
        buf_add(out, text.data + kept, places->all[i].at - kept);
        buf_add(out, news[i * step].data, news[i * step].len);
        kept = places->all[i].at + places->all[i].len;
    }
    buf_add(out, text.data + kept, text.len - kept);
    return !out->failed;
}

/* Puts NEWS[i * STEP] at place i of PLACES.  The first change copies TEXT, later ones change what
 * OUT holds. */
static int change_places(struct text_ref text, bool first, const struct spans *places,
                         const struct text_ref *news, size_t step, struct replaced *out,
                         struct error *e) {
    bool ok = true;
    if (!first && places->n == 1) {
        ok = splice(&out->text, places->all[0], news[0]);
    } else {
        struct buf changed = {0};
        buf_reserve(&changed, text.len + 1);
        ok = write_replaced(text, places, news, step, &changed);
        buf_free(ok ? &out->text : &changed);
        if (ok)
            out->text = changed;
    }
    out->count += places->n;
    return ok && spans_record(&out->spans, places, news, step) ? AQFS_OK : fail_memory(e);
}

/* The text before edit INDEX. */
static struct text_ref text_before(struct text_ref text, size_t index, const struct replaced *out) {
    return index == 0 ? text : (struct text_ref){out->text.data, out->text.len};
}

static int make_edit(struct text_ref text, struct making *m, struct replaced *out,
                     struct error *e) {
    const bool first = m->number.index == 0;
    const struct text_ref now = text_before(text, m->number.index, out);
    const struct text_ref old = m->edit->old_str;
    int code = find_places(now, m, &out->nearest, e);
    if (code == AQFS_NO_MATCH && !first && memmem(text.data, text.len, old.data, old.len))
        error_hint(e,
                   "old_str occurred before the earlier edits: each edit must match the text that "
                   "the edits before it leave");
    return code ? code : change_places(now, first, &m->places, &m->exact.new_str, 0, out, e);
}

static int check_all(const struct edit *edits, size_t n, struct error *e) {
    int code = n > 0 ? AQFS_OK
                     : fail(e, AQFS_INVALID_ARGUMENT, "edits is empty: expected at least one edit");
    for (size_t i = 0; i < n && !code; i++) {
        const struct edit_number number = {.index = i, .n = n};
        code = check(&edits[i], &number, e);
    }
    return code;
}

/* When edits are made together: it is not tried again at once where it has served few of them. */
struct batching {
    size_t next, pause;
};

/* Makes some of the edits from number *INDEX on, and moves it behind them; none of them if it is
 * not certain that this is the same as one after the other. */
static int make_batch(struct text_ref text, const struct edit *edits, size_t n, size_t *index,
                      struct batching *b, struct replaced *out, struct error *e) {
    if (n - *index < BATCH_LEAST || *index < b->next)
        return AQFS_OK;
    AUTO(batch_free) struct edit_batch batch = {0};
    const struct text_ref now = text_before(text, *index, out);
    batch_find(now, edits + *index, n - *index, &batch);
    const size_t made = batch.places.n;
    b->pause = made < BATCH_LEAST ? 2 * b->pause + BATCH_LEAST : 0;
    b->next = *index + made + b->pause;
    if (made == 0)
        return AQFS_OK;
    int code = change_places(now, *index == 0, &batch.places, batch.news, 1, out, e);
    *index += made;
    return code;
}

int replace_apply(struct text_ref text, const struct edit *edits, size_t n, struct replaced *out,
                  struct error *e) {
    struct batching batching = {0};
    int code = check_all(edits, n, e);
    for (size_t i = 0; i < n && !code; i++) {
        code = check_edit_budget(&edits[i], e);
        code = code ? code : make_batch(text, edits, n, &i, &batching, out, e);
        if (code || i == n)
            break;
        AUTO(making_free)
        struct making m = {.edit = &edits[i], .number = {.index = i, .n = n, .applied = i}};
        code = make_edit(text, &m, out, e);
    }
    if (code) {
        buf_clear(&out->text);
        spans_free(&out->spans);
    }
    return code;
}

void replaced_free(struct replaced *r) {
    buf_free(&r->text);
    buf_free(&r->nearest);
    spans_free(&r->spans);
    *r = (struct replaced){0};
}

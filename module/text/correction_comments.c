/* correction_comments.c -- the edit of a text whose comments old_str has in other words: see
 * correction_kinds.h.
 *
 * Lines at the beginning of old_str are those of the text, and so are lines at
 * its end; between them, or before or behind all, stand comments or blank lines
 * that are others in the text, or are lacking on one side.  The edit repeats them
 * unchanged, so what is in the text stays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction_kinds.h"

#include "cleanup.h"
#include "edit_lines.h"

#include <string.h>

/* As many lines may differ, on each side. */
#define DIFFERING_MOST 3

/* As many lines that say something must be the same. */
#define TELLING_LEAST 4
#define TELLING_WORD 4 /* letters, to say something */

/* The work that is done in proportion to the lines of the text, against texts of repeated lines. */
#define COMPARISONS_A_LINE 16

/* -- comments ---------------------------------------------------------------------------------- */

static bool is_blank_byte(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* LINE without the white space around it. */
static struct text_ref bare(struct text_ref line) {
    while (line.len > 0 && is_blank_byte(line.data[line.len - 1]))
        line.len--;
    while (line.len > 0 && is_blank_byte(*line.data)) {
        line.data++;
        line.len--;
    }
    return line;
}

/* Is the LINE blank, or a comment in whatever language?  A heading of Markdown, which begins with
 * ##, is none. */
static bool is_comment(struct text_ref line) {
    static const char *const marks[] = {"//", "# ", ";", "-- ", "/*", "* ", "%", "<!--"};
    line = bare(line);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t n = strlen(marks[i]);
        if (line.len >= n && memcmp(line.data, marks[i], n) == 0)
            return true;
    }
    return line.len == 0 || (line.len == 1 && (*line.data == '#' || *line.data == '*'));
}

static bool are_comments(const struct text_ref *lines, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_comment(lines[i]))
            return false;
    return true;
}

/* Do two comments have a third of their bytes in common, at their ends? */
static bool are_alike(struct text_ref a, struct text_ref b) {
    a = bare(a);
    b = bare(b);
    const size_t less = a.len < b.len ? a.len : b.len, more = a.len < b.len ? b.len : a.len;
    if (less == 0)
        return more == 0;
    const size_t head = common_head(a.data, b.data, less);
    const size_t tail = common_tail(a.data + a.len, b.data + b.len, less - head);
    return 3 * (head + tail) >= more;
}

/* -- the only place ---------------------------------------------------------------------------- */

/* Where old_str is in the text, but for lines that differ. */
struct near_place {
    size_t from, n;       /* lines of the text */
    size_t head;          /* as many lines of old_str are the same before those that differ... */
    size_t old_n, text_n; /* ...which are so many of old_str, and so many of the text */
};

struct comment_search {
    const struct line_list *text;
    const struct edit_lines *edit;
    size_t steps; /* comparisons that may still be made */
    struct near_place place;
    size_t places; /* 2 for more */
};

static bool is_same(struct comment_search *s, size_t line, size_t old) {
    if (s->steps == 0)
        return false;
    s->steps--;
    return text_ref_equal(s->text->all[line], s->edit->old.all[old]);
}

static bool says_something(struct text_ref line) {
    return correction_letters(line) >= TELLING_WORD && !is_comment(line);
}

/* Only comments differ, and enough of the rest says something. */
static bool is_certain(const struct comment_search *s, const struct near_place *p) {
    const struct text_ref *old = s->edit->old.all, *text = s->text->all + p->from;
    size_t telling = 0;
    for (size_t i = 0; i < s->edit->old.n; i++)
        telling += (i < p->head || i >= p->head + p->old_n) && says_something(old[i]);
    return telling >= TELLING_LEAST && are_comments(old + p->head, p->old_n) &&
           are_comments(text + p->head, p->text_n);
}

static void take_near_place(struct comment_search *s, struct near_place p) {
    if (p.old_n + p.text_n == 0 || !is_certain(s, &p))
        return;
    if (s->places == 0)
        s->place = p;
    s->places += s->places < 2;
}

/* Looks for the end of old_str behind its first HEAD lines, which begin at FROM. */
static void find_rest(struct comment_search *s, size_t from, size_t head) {
    const size_t n = s->edit->old.n, lines = s->text->n;
    for (size_t old_n = 0; old_n <= DIFFERING_MOST && head + old_n <= n; old_n++)
        for (size_t text_n = 0; text_n <= DIFFERING_MOST; text_n++) {
            const size_t tail = n - head - old_n, begin = from + head + text_n;
            size_t same = 0;
            if (begin + tail > lines || (tail == 0 && text_n != old_n))
                continue;
            while (same < tail && is_same(s, begin + same, head + old_n + same))
                same++;
            if (same < tail)
                continue;
            take_near_place(s,
                            (struct near_place){from, head + text_n + tail, head, old_n, text_n});
            return;
        }
}

/* Looks for lines of old_str whose first lines differ, as many of the text. */
static void find_behind_beginning(struct comment_search *s, size_t from) {
    const size_t n = s->edit->old.n;
    for (size_t skip = 1; skip <= DIFFERING_MOST && skip < n && from >= skip; skip++) {
        size_t same = 0;
        if (is_same(s, from - 1, skip - 1))
            continue;
        while (skip + same < n && from + same < s->text->n && is_same(s, from + same, skip + same))
            same++;
        if (skip + same < n)
            continue;
        take_near_place(s, (struct near_place){from - skip, n, 0, skip, skip});
        return;
    }
}

static void find_near_places(struct comment_search *s) {
    for (size_t from = 0; from < s->text->n && s->places < 2 && s->steps > 0; from++) {
        size_t head = 0;
        while (head < s->edit->old.n && from + head < s->text->n && is_same(s, from + head, head))
            head++;
        if (head > 0)
            find_rest(s, from, head);
        else
            find_behind_beginning(s, from);
    }
}

/* -- the edit there ---------------------------------------------------------------------------- */

/* Does a hunk change one of the lines from FROM to TO, or stand right beside them? */
static void meet_hunks(const struct edit_lines *e, size_t from, size_t to, bool *changes,
                       bool *touches) {
    for (size_t i = 0; i < e->n; i++) {
        const struct edit_hunk *h = &e->hunks[i];
        const size_t end = h->old_at + h->old_n;
        *touches = *touches || (h->old_at <= to && end >= from);
        *changes = *changes || (h->old_at < to && end > from);
    }
}

/* Does the edit repeat the lines that differ?  Beside a line that it changes they must be alike,
 * each to each, so that it is known on which side of them the change is. */
static bool repeats(const struct comment_search *s) {
    const struct near_place *p = &s->place;
    bool changes = false, touches = false;
    meet_hunks(s->edit, p->head, p->head + p->old_n, &changes, &touches);
    if (changes || !touches)
        return !changes;
    for (size_t i = 0; i < p->old_n && p->old_n == p->text_n; i++)
        if (!are_alike(s->edit->old.all[p->head + i], s->text->all[p->from + p->head + i]))
            return false;
    return p->old_n == p->text_n;
}

/* Is a comment that differs elsewhere in the text?  Then that place may be meant. */
static bool stands_elsewhere(const struct comment_search *s) {
    const struct near_place *p = &s->place;
    for (size_t i = p->head; i < p->head + p->old_n; i++) {
        const struct text_ref line = bare(s->edit->old.all[i]);
        for (size_t k = 0; k < s->text->n && line.len > 0; k++)
            if (text_ref_equal(line, bare(s->text->all[k])))
                return true;
    }
    return false;
}

/* Where the first of the lines that differ is in new_str. */
static size_t new_place(const struct comment_search *s) {
    size_t at = s->place.head;
    for (size_t i = 0; i < s->edit->n; i++) {
        const struct edit_hunk *h = &s->edit->hunks[i];
        if (h->old_at + h->old_n <= s->place.head)
            at = at - h->old_n + h->new_n;
    }
    return at;
}

static void add_joined(const struct text_ref *lines, size_t n, struct buf *out) {
    for (size_t i = 0; i < n; i++) {
        buf_add(out, lines[i].data, lines[i].len);
        buf_char(out, '\n');
    }
}

static bool is_finished(struct text_ref text) {
    return text.len > 0 && text.data[text.len - 1] == '\n';
}

/* Writes new_str with the lines of the text that differ, and finds the place that it replaces.
 * False where the newline at the end is not known. */
static bool write_repeated(const struct comment_search *s, struct text_ref text,
                           const struct edit *edit, struct correction *out) {
    const struct near_place *p = &s->place;
    const struct line_list *new = &s->edit->new;
    const size_t at = new_place(s), behind = at + p->old_n;
    add_joined(new->all, at, &out->text);
    add_joined(s->text->all + p->from + p->head, p->text_n, &out->text);
    add_joined(new->all + behind, new->n - behind, &out->text);
    if (!is_finished(edit->new_str) && out->text.len > 0)
        out->text.data[--out->text.len] = '\0';
    const struct text_ref first = s->text->all[p->from], last = s->text->all[p->from + p->n - 1];
    const size_t from = (size_t)(first.data - text.data);
    const size_t end = (size_t)(last.data + last.len - text.data);
    if (is_finished(edit->old_str) && end == text.len)
        return false;
    out->place = (struct span){from, end - from + is_finished(edit->old_str)};
    return true;
}

int correction_comments(struct text_ref text, const struct edit *edit, struct correction *out) {
    AUTO(edit_lines_free) struct edit_lines lines = {0};
    AUTO(line_list_free) struct line_list list = {0};
    if (!edit_lines_find(edit->old_str, edit->new_str, &lines) || !line_list_of(text, &list))
        return AQFS_LIMIT;
    struct comment_search s = {
        .text = &list, .edit = &lines, .steps = COMPARISONS_A_LINE * (list.n + lines.old.n)};
    if (lines.old.n == 0)
        return AQFS_NO_MATCH;
    find_near_places(&s);
    if (s.places != 1 || s.steps == 0 || !repeats(&s) || stands_elsewhere(&s) ||
        !write_repeated(&s, text, edit, out))
        return AQFS_NO_MATCH;
    return out->text.failed ? AQFS_LIMIT : AQFS_OK;
}

/* read_words.c -- what a model reads of a file: see read_lines.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "read_lines.h"

#include "unseen.h"

#include <inttypes.h>

/* Room in the words for the last lines, which say what was left out and how lines end. */
#define MARK_BYTES 512

struct prefix {
    bool number, indentation;
};

/* Bytes of a prefix: two numbers of up to 20 digits and what follows them. */
#define PREFIX_MOST 44

static void show_prefixed_line(struct buf *out, struct prefix prefix, int64_t number,
                               const char *line, size_t n) {
    if (prefix.number)
        buf_printf(out, "%6" PRId64 "\t", number);
    if (prefix.indentation)
        buf_printf(out, "%3zu| ", text_indentation(line, n));
    text_add_line(out, line, n);
}

/* Where no line is shown other than it is, and all fit, they are shown as one. */
static bool show_as_it_is(struct buf *out, struct prefix prefix, const struct text_scan *s,
                          size_t most) {
    if (prefix.number || prefix.indentation || out->len + s->text.len > most ||
        !text_lines_are_short(s->text.data, s->text.len))
        return false;
    buf_add(out, s->text.data, s->text.len);
    return true;
}

/* Shows the lines that fit, and the first one in any case.  Returns how many were shown. */
static int64_t show_lines(struct call *c, const struct read_ranges *ranges,
                          const struct read_range *r, const struct text_scan *s) {
    size_t most = (size_t)c->work.ws->limits.text_bytes - MARK_BYTES;
    if (ranges->words_most > 0 && c->text.len + ranges->words_most < most)
        most = c->text.len + ranges->words_most;
    size_t longest = s->text.len + (size_t)s->kept * PREFIX_MOST + UNSEEN_NOTE_BYTES;
    if (c->text.len + longest > most && most > 2 * UNSEEN_NOTE_BYTES &&
        unseen_may_be_in(s->text.data, s->text.len))
        most -= UNSEEN_NOTE_BYTES;
    const struct prefix prefix = {call_bool(c, "line_numbers"),
                                  call_choice_is(c, "mode", "indentation")};
    const char *line = s->text.data, *end = line + s->text.len;
    buf_reserve(&c->text, s->text.len < most ? s->text.len : most);
    if (show_as_it_is(&c->text, prefix, s, most))
        return s->kept;
    for (int64_t shown = 0; shown < s->kept; shown++) {
        const char *next = text_next_line(line, end);
        bool ended = next > line && next[-1] == '\n';
        size_t before = c->text.len;
        show_prefixed_line(&c->text, prefix, r->first + shown, line, (size_t)(next - line) - ended);
        if (ended)
            buf_char(&c->text, '\n');
        if (c->text.len > most && shown > 0) {
            c->text.data[c->text.len = before] = '\0';
            return shown;
        }
        line = next;
    }
    return s->kept;
}

/* Appends "lines 2-4 of 5". */
static void add_place(struct buf *out, int64_t first, int64_t last, const struct text_scan *s) {
    buf_printf(out, last > first ? "lines %" PRId64 : "line %" PRId64, first);
    if (last > first)
        buf_printf(out, "-%" PRId64, last);
    if (s->complete)
        buf_printf(out, " of %" PRId64, endings_lines(&s->endings));
}

static void show_rest(struct call *c, const struct read_range *r, const struct text_scan *s,
                      int64_t shown) {
    int64_t next = r->first + shown;
    buf_str(&c->text, "[truncated: ");
    add_place(&c->text, r->first, next - 1, s);
    if (s->cut)
        buf_printf(&c->text, "; line %" PRId64 " is too long to be read whole", r->first);
    if (r->by_offset)
        buf_printf(&c->text, "; continue with offset=%" PRId64 "]\n", next - 1);
    else
        buf_printf(&c->text, "; continue with start_line=%" PRId64 "]\n", next);
}

/* -- how lines end ------------------------------------------------------------------------------
 */

/* Of a longer list only the beginning is shown. */
#define RUNS_LISTED 8

static bool ends_in_crlf(const char *line, const char *next) {
    return next - line > 1 && next[-1] == '\n' && next[-2] == '\r';
}

/* Lists the numbers of the lines, counted from FIRST, that end in CR LF, or do not. */
static void list_endings(struct buf *out, const char *text, const char *end, int64_t first,
                         bool crlf) {
    int64_t number = first, begin = 0;
    int runs = 0;
    for (const char *line = text; line < end || begin > 0; number++) {
        const char *next = text_next_line(line, end);
        bool is_one = line < end && next[-1] == '\n' && ends_in_crlf(line, next) == crlf;
        if (is_one && begin == 0)
            begin = number;
        if (!is_one && begin > 0) {
            if (runs == RUNS_LISTED) {
                buf_str(out, " and others");
                return;
            }
            buf_printf(out, "%s%" PRId64, runs++ > 0 ? ", " : " ", begin);
            if (number - 1 > begin)
                buf_printf(out, "-%" PRId64, number - 1);
            begin = 0;
        }
        line = next;
    }
}

/* How many lines of TEXT there are, *LINES, and how many of them end in CR LF. */
static int64_t count_crlf(const char *text, const char *end, int64_t *lines) {
    int64_t crlf = 0;
    *lines = 0;
    for (const char *next; text < end; text = next, ++*lines) {
        next = text_next_line(text, end);
        crlf += ends_in_crlf(text, next);
    }
    return crlf;
}

/* Names the fewer of the lines, of which CRLF of LINES end in CR LF and the rest otherwise. */
static void say_fewer(struct buf *out, const char *text, const char *end, int64_t first,
                      int64_t crlf, int64_t lines) {
    bool few_are_crlf = 2 * crlf <= lines;
    buf_str(out, few_are_crlf ? "CR LF in" : "LF in");
    list_endings(out, text, end, first, few_are_crlf);
    buf_str(out, few_are_crlf ? ", LF in the others" : ", CR LF in the others");
}

/* Says which of the lines shown, of a file of mixed endings, end how. */
static void say_mixed(struct buf *out, const struct read_range *r, const struct text_scan *s,
                      int64_t shown) {
    const char *text = s->text.data;
    const size_t n = linewise_below(text, s->text.len, 0, (size_t)shown);
    int64_t lines;
    const int64_t crlf = count_crlf(text, text + n, &lines);
    buf_str(out, "mixed line endings: ");
    if (crlf == 0 || crlf == lines) {
        buf_str(out, crlf > 0 ? "CR LF in these lines, LF" : "LF in these lines, CR LF");
        buf_str(out, " in others");
        return;
    }
    say_fewer(out, text, text + n, r->first, crlf, lines);
}

void read_say_endings(struct buf *out, struct text_ref lines, int64_t first) {
    /* An unfinished last line has no ending. */
    const size_t n = linewise_start(lines.data, lines.len);
    int64_t all;
    const int64_t crlf = count_crlf(lines.data, lines.data + n, &all);
    if (all > 0 && (crlf == 0 || crlf == all))
        buf_str(out, crlf > 0 ? "CRLF" : "LF");
    else if (all > 0)
        say_fewer(out, lines.data, lines.data + n, first, crlf, all);
}

static bool is_mixed(const struct endings *e) {
    return e->crlf > 0 && e->crlf < e->newlines;
}

/* Does the file end inside its last line, which was shown? */
static bool ends_unfinished(const struct read_range *r, const struct text_scan *s, int64_t shown) {
    return s->complete && s->kept > 0 && shown == s->kept && !s->cut &&
           r->first + s->kept - 1 == endings_lines(&s->endings) && s->endings.last != '\n';
}

static void say_endings(struct call *c, const struct read_range *r, const struct text_scan *s,
                        int64_t shown) {
    bool mixed = is_mixed(&s->endings) && shown > 0, unfinished = ends_unfinished(r, s, shown);
    if (!mixed && !unfinished)
        return;
    buf_char(&c->text, '[');
    if (mixed)
        say_mixed(&c->text, r, s, shown);
    if (unfinished)
        buf_str(&c->text, mixed ? "; no newline at the end" : "no newline at the end");
    buf_str(&c->text, "]\n");
}

/* -- the whole ----------------------------------------------------------------------------------
 */

bool read_is_truncated(const struct read_range *r, const struct text_scan *s) {
    int64_t end = r->first + s->kept - 1;
    if (!s->complete || s->cut)
        return true;
    return end < endings_lines(&s->endings) && !(r->named_end && end == r->last);
}

static bool is_part(const struct read_range *r, const struct text_scan *s) {
    return r->explicit && s->complete &&
           (r->first > 1 || r->first + s->kept - 1 < endings_lines(&s->endings));
}

/* Says where the lines are, unless they are the whole file. */
static void say_place(struct call *c, const struct read_range *r, const struct text_scan *s) {
    buf_char(&c->text, '[');
    add_place(&c->text, r->first, r->first + s->kept - 1, s);
    buf_str(&c->text, "]\n");
}

static void end_shown_line(struct buf *text) {
    if (text->len > 0 && text->data[text->len - 1] != '\n')
        buf_char(text, '\n');
}

void read_show(struct call *c, const struct read_ranges *ranges, const struct read_range *r,
               const struct text_scan *s) {
    size_t from;
    if (s->kept == 0)
        buf_str(&c->text, "[the file is empty]\n");
    if (ranges->listed && s->kept > 0)
        say_place(c, r, s);
    from = c->text.len;
    int64_t shown = s->kept > 0 ? show_lines(c, ranges, r, s) : 0;
    struct unseen_note unseen = {0};
    unseen_note_text(&unseen, NULL, r->first, c->text.len > from ? c->text.data + from : "",
                     c->text.len - from);
    bool more = read_is_truncated(r, s) || shown < s->kept;
    if (more || s->changed || unseen.listed > 0 || ranges->listed || is_part(r, s) ||
        ends_unfinished(r, s, shown))
        end_shown_line(&c->text);
    if (more)
        show_rest(c, r, s, shown);
    else if (!ranges->listed && s->kept > 0 && is_part(r, s))
        say_place(c, r, s);
    if (s->changed)
        buf_str(&c->text, "[the file changed while it was read: read it again]\n");
    say_endings(c, r, s, shown);
    unseen_note_end(&unseen, &c->text);
}

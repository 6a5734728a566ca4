/* regex_scan.c -- finding the lines that match: see regex.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex.h"

#include "cleanup.h"
#include "regex_code.h"
#include "utf8.h"

#include <string.h>

/* PCRE2's JIT code backtracks on this stack and gives up when it is full. */
#define STACK_LEAST (32u << 10)
#define STACK_MOST (1u << 20)
#define HEAP_KIB_MOST (32u << 10) /* for the interpreter, which is asked then */

/* Steps per character of a metered line that are free, because a harmless pattern needs them. */
#define FREE_STEPS 32u
#define STEPS_BETWEEN_CHECKS 1000u
/* Characters skipped that cost one step. */
#define CHARACTERS_A_STEP 64u

#define SPANS_BETWEEN_CHECKS 16u

#define VECTOR_BYTES 64

struct meter {
    struct budget *budget;
    uint64_t steps, check_at, spent_to;
    size_t position;
    int code; /* the answer of the budget */
};

struct regex_scan {
    const struct regex *regex;
    const char *text;
    size_t n, at;
    unsigned edges;
    size_t careful;              /* lines before this offset are searched one by one, metered */
    size_t hits[NEEDLES_MOST];   /* the next place of each needle; n when there is none */
    size_t ascii_from, ascii_to; /* a range known to be ASCII that ends at a byte that is not */
    size_t valid_from, valid_to; /* likewise for valid UTF-8 */
    struct buf line;             /* a copy of a line, made valid UTF-8 */
    struct meter meter;
    unsigned spans;
    int64_t undecided;
    int code;
    pcre2_match_data *data;
    pcre2_match_context *plain, *metered;
    pcre2_jit_stack *stack;
};

/* Whole lines that are matched at once.  END is before the last newline. */
struct scan_span {
    size_t start, end;
    size_t
        from; /* the place in the span from which on a match is looked for; 0 but for multiline */
    int kind;
    bool careful; /* a single line, because the plain code gave up */
    bool metered;
};

enum outcome { NO_MATCH, MATCH, TOO_MUCH, STOPPED };

/* ---- The meter */

static int check_meter(struct meter *m) {
    uint64_t spend = m->steps > m->spent_to ? m->steps - m->spent_to : 0;
    m->spent_to += spend;
    m->check_at = m->steps + STEPS_BETWEEN_CHECKS;
    m->code = budget_spend(m->budget, (int64_t)spend);
    return m->code ? PCRE2_ERROR_CALLOUT : 0;
}

static int count_step(pcre2_callout_block *block, void *data) {
    struct meter *m = data;
    size_t now = block->current_position;
    size_t moved = now > m->position ? now - m->position : m->position - now;
    m->position = now;
    m->steps += 1 + moved / CHARACTERS_A_STEP;
    return m->steps < m->check_at ? 0 : check_meter(m);
}

static void start_meter(struct meter *m, size_t length) {
    m->steps = m->position = 0;
    m->check_at = STEPS_BETWEEN_CHECKS;
    m->spent_to = (uint64_t)FREE_STEPS * (length + FREE_STEPS);
    m->code = AQFS_OK;
}

/* ---- Making and starting */

static bool make_contexts(struct regex_scan *s) {
    s->data = pcre2_match_data_create(1, NULL);
    s->plain = pcre2_match_context_create(NULL);
    s->metered = pcre2_match_context_create(NULL);
    if (!s->data || !s->plain || !s->metered)
        return false;
    /* If there is no memory for a stack, PCRE2 uses 32 KiB of the thread's own. */
    s->stack = pcre2_jit_stack_create(STACK_LEAST, STACK_MOST, NULL);
    pcre2_jit_stack_assign(s->plain, NULL, s->stack);
    pcre2_jit_stack_assign(s->metered, NULL, s->stack);
    (void)pcre2_set_match_limit(s->plain, s->regex->backtracks);
    (void)pcre2_set_match_limit(s->metered, UINT32_MAX);
    (void)pcre2_set_depth_limit(s->metered, UINT32_MAX);
    (void)pcre2_set_heap_limit(s->plain, HEAP_KIB_MOST);
    (void)pcre2_set_heap_limit(s->metered, HEAP_KIB_MOST);
    (void)pcre2_set_callout(s->metered, count_step, &s->meter);
    return true;
}

struct regex_scan *regex_scan_new(const struct regex *regex, struct budget *budget) {
    struct regex_scan *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->regex = regex;
    s->meter.budget = budget;
    if (!make_contexts(s)) {
        regex_scan_free(s);
        return NULL;
    }
    return s;
}

void regex_scan_free(struct regex_scan *scan) {
    if (!scan)
        return;
    pcre2_match_data_free(scan->data);
    pcre2_match_context_free(scan->plain);
    pcre2_match_context_free(scan->metered);
    pcre2_jit_stack_free(scan->stack);
    buf_free(&scan->line);
    free(scan);
}

void regex_scan_start(struct regex_scan *scan, const char *text, size_t n, unsigned edges) {
    scan->text = text;
    scan->n = n;
    scan->edges = edges;
    scan->at = scan->careful = 0;
    scan->ascii_from = scan->valid_from = SIZE_MAX;
    scan->ascii_to = scan->valid_to = 0;
    for (unsigned i = 0; i < scan->regex->needle_count; i++)
        scan->hits[i] = SIZE_MAX; /* not searched for yet */
}

int regex_scan_code(const struct regex_scan *scan) {
    return scan->code;
}

int64_t regex_scan_undecided(const struct regex_scan *scan) {
    return scan->undecided;
}

/* ---- Lines */

static size_t scan_line_end(const struct regex_scan *s, size_t at) {
    const char *newline = memchr(s->text + at, '\n', s->n - at);
    return newline ? (size_t)(newline - s->text) : s->n;
}

/* The start of the line that holds AT; never before FLOOR. */
static size_t line_start(const struct regex_scan *s, size_t floor, size_t at) {
    const char *newline = memrchr(s->text + floor, '\n', at - floor);
    return newline ? (size_t)(newline - s->text) + 1 : floor;
}

/* The end of the last line that ends within a chunk from START; or else the end of the first line.
 */
static size_t chunk_end(const struct regex_scan *s, size_t start) {
    size_t most = s->regex->chunk;
    size_t left = s->n - start;
    if (left <= most)
        return left > 0 && s->text[s->n - 1] == '\n' ? s->n - 1 : s->n;
    const char *newline = memrchr(s->text + start, '\n', most);
    return newline ? (size_t)(newline - s->text) : scan_line_end(s, start);
}

/* ---- Bytes or characters */

/* The end of the ASCII, or of the valid UTF-8, that begins at START.  Each byte is looked at once,
 * because START only grows. */
static size_t ascii_end(struct regex_scan *s, size_t start) {
    if (start < s->ascii_from || start > s->ascii_to)
        s->ascii_to = start + utf8_ascii_prefix(s->text + start, s->n - start);
    s->ascii_from = start;
    return s->ascii_to;
}

static size_t valid_end(struct regex_scan *s, size_t start) {
    if (start < s->valid_from || start > s->valid_to)
        s->valid_to = start + utf8_valid_prefix(s->text + start, s->n - start);
    s->valid_from = start;
    return s->valid_to;
}

/* Decides whether the lines of SPAN are matched as bytes or as characters, and shortens SPAN to
 * lines of one kind. */
static void choose_kind(struct regex_scan *s, struct scan_span *span) {
    span->kind = TEXT_BYTES;
    if (s->regex->any_text)
        return;
    if (!s->regex->utf_only) {
        size_t wide = ascii_end(s, span->start);
        if (wide >= span->end)
            return;
        size_t line = line_start(s, span->start, wide);
        if (line > span->start) {
            span->end = line - 1;
            return;
        }
        span->end = scan_line_end(s, span->start);
    }
    span->kind = TEXT_UTF;
    if (valid_end(s, span->start) < span->end)
        span->end = scan_line_end(s, span->start);
}

/* The text of SPAN, with bytes that are not UTF-8 replaced.  NULL when there is no memory. */
static const char *subject(struct regex_scan *s, const struct scan_span *span) {
    const char *text = s->text + span->start;
    size_t n = span->end - span->start;
    if (span->kind == TEXT_BYTES || valid_end(s, span->start) >= span->end)
        return text;
    buf_clear(&s->line);
    buf_add(&s->line, text, n);
    if (!buf_reserve(&s->line, VECTOR_BYTES))
        return NULL;
    /* PCRE2's JIT code loads whole vectors, also beyond the end: see block_init. */
    memset(s->line.data + n, 0, VECTOR_BYTES);
    for (size_t at = utf8_valid_prefix(text, n); at < n;) {
        s->line.data[at++] = REGEX_SUBSTITUTE;
        at += utf8_valid_prefix(text + at, n - at);
    }
    return s->line.data;
}

/* ---- Spans */

/* Finds the line that has the next needle.  False when there is none. */
static bool find_needle(struct regex_scan *s, size_t *line) {
    size_t first = s->n;
    for (unsigned i = 0; i < s->regex->needle_count; i++) {
        if (s->hits[i] == SIZE_MAX || s->hits[i] < s->at) {
            const char *text = s->text + s->at;
            s->hits[i] = s->at + regex_literal_find(&s->regex->needles[i], text, s->n - s->at);
        }
        first = s->hits[i] < first ? s->hits[i] : first;
    }
    if (first == s->n)
        return false;
    *line = line_start(s, s->at, first);
    return true;
}

/* Takes all of the text, which is searched from `at` on.  The text before may be looked at. */
static bool whole_span(const struct regex_scan *s, struct scan_span *span) {
    *span = (struct scan_span){.end = s->n, .from = s->at, .kind = TEXT_UTF, .metered = true};
    return true;
}

/* Takes a single line if an item of the pattern could cross a newline, a needle picked the line, or
 * the plain code gave up or must not run; otherwise a chunk of lines. */
static bool next_span(struct regex_scan *s, struct scan_span *span) {
    const struct regex *regex = s->regex;
    span->start = s->at;
    span->from = 0;
    if (s->at >= s->n || (regex->needle_count > 0 && !find_needle(s, &span->start)))
        return false;
    if (regex->multiline)
        return whole_span(s, span);
    span->careful = span->start < s->careful;
    bool single = span->careful || regex->by_line || regex->needle_count > 0 || regex->chunk == 0;
    span->end = single ? scan_line_end(s, span->start) : chunk_end(s, span->start);
    choose_kind(s, span);
    bool too_long = span->end - span->start > regex->chunk && !regex->any_length;
    bool doubtful = span->careful || too_long || regex->chunk == 0;
    span->metered = doubtful && regex->metered[span->kind];
    return true;
}

/* ---- Matching */

/* An error of the plain code means that it had too much to do, so its lines are tried again with
 * the metered code.  An error of the metered code leaves its line undecided. */
static enum outcome judge_match(struct regex_scan *s, const struct scan_span *span, int rc) {
    switch (rc) {
    case PCRE2_ERROR_NOMATCH:
        return NO_MATCH;
    case PCRE2_ERROR_CALLOUT:
        s->code = s->meter.code;
        return STOPPED;
    case PCRE2_ERROR_NOMEMORY:
        s->code = AQFS_IO;
        return STOPPED;
    default:
        if (rc >= 0)
            return MATCH;
        if (!span->metered && !span->careful)
            return TOO_MUCH;
        s->undecided++;
        return NO_MATCH;
    }
}

/* Keeps ^ and $ from matching where a line was cut. */
static uint32_t match_options(const struct regex_scan *s, const struct scan_span *span) {
    bool inside = (s->edges & REGEX_BEGINS_INSIDE) && span->start == 0;
    bool goes_on = (s->edges & REGEX_ENDS_INSIDE) && span->end == s->n;
    return PCRE2_NO_UTF_CHECK | (inside ? PCRE2_NOTBOL : 0) | (goes_on ? PCRE2_NOTEOL : 0);
}

/* When the JIT's stack is too small for a metered line, the interpreter tries it, which may use
 * more memory. */
static enum outcome match_span(struct regex_scan *s, const struct scan_span *span) {
    const struct regex *regex = s->regex;
    const pcre2_code *code = span->metered ? regex->metered[span->kind] : regex->plain[span->kind];
    PCRE2_SPTR text = (PCRE2_SPTR)subject(s, span);
    size_t n = span->end - span->start;
    if (!text) {
        s->code = AQFS_IO;
        return STOPPED;
    }
    uint32_t options = match_options(s, span); /* subject has replaced what is not UTF-8 */
    if (!span->metered)
        return judge_match(s, span, pcre2_match(code, text, n, 0, options, s->data, s->plain));
    start_meter(&s->meter, span->from == 0 ? n : 0);
    int rc = pcre2_match(code, text, n, span->from, options, s->data, s->metered);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(code, text, n, span->from, options | PCRE2_NO_JIT, s->data, s->metered);
    return judge_match(s, span, rc);
}

static void take_match(struct regex_scan *s, const struct scan_span *span,
                       struct regex_match *out) {
    const size_t *found = pcre2_get_ovector_pointer(s->data);
    /* \K may set the start after the end. */
    size_t low = found[0] < found[1] ? found[0] : found[1];
    size_t high = found[0] < found[1] ? found[1] : found[0];
    low = low > span->from ? low : span->from; /* \K in a lookbehind may go back */
    high = high > low ? high : low;
    out->start = span->start + low;
    out->end = span->start + high;
    out->line = line_start(s, span->start + span->from, out->start);
    /* Only a match of several lines can end behind a newline: the line there is no part of it. */
    bool ended = out->end > out->start && s->text[out->end - 1] == '\n';
    out->line_end = scan_line_end(s, out->end - ended);
    s->at = out->line_end + 1;
}

/* Is the match the empty line behind the last newline, which is none? */
static bool is_behind_text(const struct regex_scan *s, const struct regex_match *m) {
    return s->regex->multiline && m->start == s->n && s->text[s->n - 1] == '\n';
}

static bool may_scan_on(struct regex_scan *s) {
    if (!s->code && ++s->spans % SPANS_BETWEEN_CHECKS == 0)
        s->code = budget_check(s->meter.budget);
    return !s->code;
}

bool regex_scan_next(struct regex_scan *s, struct regex_match *out) {
    struct scan_span span;
    while (may_scan_on(s) && next_span(s, &span)) {
        switch (match_span(s, &span)) {
        case NO_MATCH:
            s->at = span.end + 1;
            break;
        case MATCH:
            take_match(s, &span, out);
            return !is_behind_text(s, out);
        case TOO_MUCH:
            s->careful = span.end + 1;
            break;
        case STOPPED:
            break;
        }
    }
    return false;
}

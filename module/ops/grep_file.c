/* grep_file.c -- finding the lines of one file that match: see grep.h.
 *
 * A block is searched up to its last newline.  Then the unfinished line behind
 * that newline, and the lines before it that may be shown as context, move to the
 * front of the block, and more of the file is read behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep.h"

#include "grep_block.h"
#include "lines.h"
#include "secret.h"

#include <string.h>

/* Of a long line, the part around the match is shown: it begins this many characters before. */
#define LEAD_CHARACTERS 80

struct grep_reader {
    const struct grep_options *options;
    struct budget *budget;
    struct regex_scan *scan;
    struct block block;
    struct grep_found *found;
    int64_t long_lines;

    /* The current file.  Sizes are offsets in the block unless they say otherwise. */
    struct grep_file file;
    struct node node;    /* a copy; the caller closes the file */
    size_t fresh;        /* the text before this is searched */
    size_t counted;      /* the newlines before this are counted */
    int64_t number;      /* the number of the line at `counted` */
    size_t recorded;     /* the lines before this are recorded, or need not be */
    int64_t after;       /* how many lines from `recorded` on are context of the last match */
    int64_t shown_to;    /* the last line number that can be shown, once the limit is reached */
    size_t inside;       /* how many bytes of the line at `fresh` were searched in earlier blocks */
    bool inside_matched; /* whether that part of the line had a match */
};

void grep_found_free(struct grep_found *found) {
    if (!found)
        return;
    buf_free(&found->files);
    buf_free(&found->lines);
    buf_free(&found->text);
    free(found);
}

struct grep_reader *grep_reader_new(const struct grep_options *options, const struct regex *regex,
                                    struct budget *budget) {
    struct grep_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->options = options;
    r->budget = budget;
    r->scan = regex_scan_new(regex, budget);
    bool memory = block_init(&r->block);
    r->block.ends_in_lf = options->ends_in_lf;
    if (!memory || !r->scan) {
        grep_reader_free(r);
        return NULL;
    }
    return r;
}

void grep_reader_free(struct grep_reader *reader) {
    if (!reader)
        return;
    regex_scan_free(reader->scan);
    block_free(&reader->block);
    free(reader);
}

int64_t grep_reader_undecided(const struct grep_reader *reader) {
    return reader->long_lines + regex_scan_undecided(reader->scan);
}

/* ---- Lines */

static size_t block_line_end(const struct grep_reader *r, size_t at, size_t limit) {
    const char *newline = memchr(r->block.data + at, '\n', limit - at);
    return newline ? (size_t)(newline - r->block.data) : limit;
}

/* Where the line N lines before AT begins; FLOOR if that is before FLOOR. */
static size_t lines_back(const struct grep_reader *r, size_t floor, size_t at, int64_t n) {
    while (n-- > 0 && at > floor) {
        const char *newline = memrchr(r->block.data + floor, '\n', at - 1 - floor);
        at = newline ? (size_t)(newline - r->block.data) + 1 : floor;
    }
    return at;
}

/* The number of the line at AT.  Counts the newlines since the last call; AT must not go back. */
static int64_t number_of(struct grep_reader *r, size_t at) {
    r->number += (int64_t)lines_count(r->block.data + r->counted, at - r->counted);
    r->counted = at;
    return r->number;
}

/* ---- Recording */

/* Where N characters before AT begin. */
static size_t step_back(const char *text, size_t at, size_t n) {
    for (; at > 0 && n > 0; n--)
        do
            at--;
        while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80);
    return at;
}

/* Appends the line as it is shown: all of it, or of a long one the part around the match. */
static void add_text(struct buf *out, const char *line, size_t n, size_t start, size_t end) {
    size_t from = 0;
    if (n > TEXT_LINE_MAX && end > TEXT_LINE_MAX)
        from = step_back(line, start, LEAD_CHARACTERS);
    if (from > 0)
        buf_str(out, "[truncated line] …");
    text_add_line(out, line + from, n - from);
}

/* Of a match that spans more lines, the first ones are shown. */
#define SPAN_LINES 100

/* Appends the lines of the match M as they are shown.  Returns how many further lines it has. */
static int64_t add_span(struct grep_reader *r, const struct regex_match *m, struct buf *out) {
    int64_t further = 0;
    for (size_t at = m->line; at <= m->line_end; further++) {
        size_t end = block_line_end(r, at, m->line_end);
        if (further < SPAN_LINES) {
            if (further > 0)
                buf_char(out, '\n');
            text_add_line(out, r->block.data + at, end - at);
        }
        at = end + 1;
    }
    return further - 1;
}

static void record(struct grep_reader *r, const struct regex_match *m, bool matched) {
    struct grep_found *found = r->found;
    size_t before = m->line == r->fresh ? r->inside : 0;
    struct grep_line entry = {
        .number = number_of(r, m->line),
        .matched = matched,
        .start = m->start - m->line + before,
        .end = m->end - m->line + before,
        .text = found->text.len,
    };
    entry.last = entry.number;
    if (matched && r->options->multiline)
        entry.last += add_span(r, m, &found->text);
    else
        add_text(&found->text, r->block.data + m->line, m->line_end - m->line, m->start - m->line,
                 m->end - m->line);
    entry.len = found->text.len - entry.text;
    buf_add(&found->lines, (const char *)&entry, sizeof entry);
    r->file.line_count++;
    r->recorded = m->line_end + 1;
}

/* Records lines from `recorded` on as context: at most *N, which is counted down, and only those
 * before LIMIT, which is the beginning of a line. */
static void record_context(struct grep_reader *r, int64_t *n, size_t limit) {
    for (; *n > 0 && r->recorded < limit; --*n) {
        size_t line = r->recorded;
        record(r, &(struct regex_match){line, block_line_end(r, line, limit), line, line}, false);
    }
}

static void record_match(struct grep_reader *r, const struct regex_match *m) {
    int64_t context = r->options->before;
    record_context(r, &r->after, m->line);
    if (context > 0 && r->recorded < m->line)
        r->recorded = lines_back(r, r->recorded, m->line, context);
    record_context(r, &context, m->line);
    record(r, m, true);
    r->after = r->options->after;
}

static bool fits_reply(const struct grep_reader *r) {
    return r->found->text.len + r->found->lines.len <= r->options->most;
}

/* Takes a match; false when no more of the file need be searched. */
static bool accept_match(struct grep_reader *r, const struct regex_match *m) {
    struct grep_found *found = r->found;
    if (r->inside_matched && m->line == r->fresh)
        return true;
    r->file.count++;
    found->matched++;
    if (r->options->output != GREP_CONTENT)
        return r->options->output == GREP_COUNT;
    record_match(r, m);
    if (found->matched == r->options->limit)
        r->shown_to = r->number + r->options->after;
    if (found->matched > r->options->limit && r->number > r->shown_to)
        return false;
    found->cut = !fits_reply(r);
    return !found->cut;
}

/* ---- Searching */

enum { ENOUGH = -1 };

/* Checks that the file is a regular file in the root: the directory entry said so, but another
 * program may have replaced it before it was opened.  Files are opened without that check
 * (OPEN_UNSEEN), because it takes a system call and most files have no match.  It is made before
 * the first match is taken, and before a second block is read. */
static int see(struct grep_reader *r) {
    struct error e;
    struct info *info = &r->node.info;
    if (info->size != SIZE_UNKNOWN)
        return AQFS_OK;
    int code = r->node.backend->stat(&r->node, info, &e);
    if (code)
        return AQFS_IO; /* not CODE: AQFS_LIMIT for want of memory would end the whole search */
    if (r->options->secrets && secret_twins_may_have(r->options->secrets, info))
        return AQFS_RESTRICTED;
    return info->type == NODE_FILE ? AQFS_OK : AQFS_NOT_REGULAR;
}

/* Searches the text from `fresh` to END, which is inside a line if CUT, else behind one. */
static int search_lines(struct grep_reader *r, size_t end, bool cut) {
    struct regex_match m;
    size_t base = r->fresh;
    int64_t before = r->file.count;
    unsigned edges = (r->inside > 0 ? REGEX_BEGINS_INSIDE : 0U) | (cut ? REGEX_ENDS_INSIDE : 0U);
    regex_scan_start(r->scan, r->block.data + base, end - base, edges);
    while (regex_scan_next(r->scan, &m)) {
        int code = see(r);
        if (code)
            return code;
        m = (struct regex_match){m.line + base, m.line_end + base, m.start + base, m.end + base};
        if (!accept_match(r, &m))
            return ENOUGH;
    }
    r->long_lines += cut && r->inside == 0;
    r->inside_matched = cut && (r->inside_matched || r->file.count > before);
    r->inside = cut ? r->inside + end - base : 0;
    r->fresh = end;
    if (!cut)
        record_context(r, &r->after, end);
    return regex_scan_code(r->scan);
}

/* Reads the next part of the file.  Keeps the lines that may be shown as context before a match
 * there, unless they fill more than half of the block. */
static int read_on(struct grep_reader *r) {
    size_t floor = r->recorded < r->fresh ? r->recorded : r->fresh;
    size_t keep = lines_back(r, floor, r->fresh, r->inside ? 0 : r->options->before);
    if (r->block.len - keep > r->block.size / 2)
        keep = r->fresh;
    if (r->options->output == GREP_CONTENT)
        (void)number_of(r, keep);
    r->fresh -= keep;
    r->counted = 0;
    r->recorded = r->recorded > keep ? r->recorded - keep : 0;
    return block_next(&r->block, keep);
}

/* Where the last whole line ends; `fresh` if there is no whole line behind it. */
static size_t whole_lines(const struct grep_reader *r) {
    const struct block *b = &r->block;
    const char *newline = memrchr(b->data + r->fresh, '\n', b->len - r->fresh);
    return newline ? (size_t)(newline - b->data) + 1 : r->fresh;
}

static int search_blocks(struct grep_reader *r) {
    for (;;) {
        size_t end = r->block.more ? whole_lines(r) : r->block.len;
        bool cut = r->block.more && end == r->fresh;
        int code = AQFS_OK;
        bool all = r->options->multiline && r->block.more; /* the file is wanted whole */
        bool grown = (cut || all) && block_grow(&r->block);
        r->long_lines += all && !cut && !grown;
        if (!grown)
            code = search_lines(r, cut ? r->block.len : end, cut);
        if (code || !r->block.more)
            return code;
        code = budget_check(r->budget);
        code = code ? code : see(r);
        code = code ? code : read_on(r);
        if (code)
            return code;
    }
}

int grep_reader_search(struct grep_reader *r, const struct node *file, size_t index,
                       struct grep_found *found) {
    r->found = found;
    r->node = *file;
    r->file =
        (struct grep_file){.index = index, .line = found->lines.len / sizeof(struct grep_line)};
    r->fresh = r->counted = r->recorded = r->inside = 0;
    r->after = r->shown_to = 0;
    r->inside_matched = false;
    r->number = 1;
    int code = block_begin(&r->block, &r->node);
    code = code ? code : search_blocks(r);
    if (r->file.count > 0)
        buf_add(&found->files, (const char *)&r->file, sizeof r->file);
    if (found->files.failed || found->lines.failed || found->text.failed)
        return AQFS_IO;
    return code == ENOUGH ? AQFS_OK : code;
}

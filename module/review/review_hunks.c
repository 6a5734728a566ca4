/* review_hunks.c -- the differences of one item, each with an id and as a diff shows it.
 *
 * Each change is a hunk of its own, however near the next one is, so that it can
 * be accepted or taken back alone: hunks share the lines between them as context.
 * The id covers the place, all old lines and all new ones.  So an id that is still
 * found means exactly what was shown under it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "review.h"

#include "diff_changes.h"
#include "heading.h"

#include <string.h>

#define CONTEXT_LINES 3
/* Git looks so far for a NUL. */
#define LOOKED_AT 8000

static void hash_ref(struct hash *h, struct text_ref text) {
    hash_add(h, &text.len, sizeof text.len);
    hash_add(h, text.data, text.len);
}

static struct text_ref part_of_side(const struct review_side *side, struct span span) {
    return (struct text_ref){review_text(side).data + span.at, span.len};
}

/* Nobody can guess what is in a file from an id: it covers a key that nobody knows.  So an id means
 * something in this workspace only. */
static void start_id(const struct work *work, struct hash *h) {
    hash_start(h);
    hash_add(h, work->ws->review_key, sizeof work->ws->review_key);
}

static void name_item(const struct work *work, struct review_item *item) {
    struct hash h;
    const struct review_side *sides[] = {&item->base, &item->now};
    start_id(work, &h);
    hash_add(&h, item->path, strlen(item->path) + 1);
    hash_add(&h, item->base_path, strlen(item->base_path) + 1);
    hash_add(&h, item->root->path, item->root->len + 1);
    for (size_t i = 0; i < 2; i++) {
        uint64_t facts[] = {(uint64_t)sides[i]->type, sides[i]->mode, sides[i]->bytes.len};
        hash_add(&h, facts, sizeof facts);
        hash_add(&h, sides[i]->hash, HASH_HEX);
    }
    hash_end(&h, item->id);
}

static void name_hunk(const struct work *work, const struct review_item *item,
                      struct review_hunk *hunk) {
    struct hash h;
    start_id(work, &h);
    hash_add(&h, item->path, strlen(item->path) + 1);
    hash_add(&h, item->root->path, item->root->len + 1);
    hash_add(&h, &hunk->new.at, sizeof hunk->new.at);
    hash_ref(&h, part_of_side(&item->base, hunk->old));
    hash_ref(&h, part_of_side(&item->now, hunk->new));
    hash_end(&h, hunk->id);
}

/* -- as a diff --------------------------------------------------------------------------------- */

static void add_signed(struct buf *out, char sign, struct text_ref text, size_t at, size_t end) {
    const char *line = text.data + at;
    while (line < text.data + end) {
        const char *next = text_next_line(line, text.data + end);
        buf_char(out, sign);
        buf_add(out, line, (size_t)(next - line));
        if (next[-1] != '\n')
            buf_str(out, "\n\\ No newline at end of file\n");
        line = next;
    }
}

static void add_side_range(struct buf *out, char sign, size_t line, size_t count) {
    buf_printf(out, "%c%zu", sign, count > 0 ? line + 1 : line);
    if (count != 1)
        buf_printf(out, ",%zu", count);
}

/* Prints change I of CHANGES, with the context that it does not share with its neighbours. */
static void print_change(const struct review_item *item, const struct changes *changes, size_t i,
                         struct headings *headings, struct buf *out) {
    struct text_ref old = review_text(&item->base), new = review_text(&item->now);
    const struct line_change *it = &changes->list[i];
    const struct line_change *next = i + 1 < changes->n ? it + 1 : NULL;
    size_t gap = it->old.line - (i > 0 ? it[-1].old.line + it[-1].old.count : 0);
    size_t above = i > 0 ? gap - gap / 2 : gap, behind = it->old.at + it->old.len;
    above = above < CONTEXT_LINES ? above : CONTEXT_LINES;
    size_t last = it->old.line + it->old.count, below = CONTEXT_LINES;
    if (next && (next->old.line - last) / 2 < below)
        below = (next->old.line - last) / 2;
    size_t from = linewise_above(old.data, it->old.at, above);
    size_t to = linewise_below(old.data, old.len, behind, below);
    below = linewise_count(old.data + behind, to - behind);
    buf_str(out, "@@ ");
    add_side_range(out, '-', it->old.line - above, above + it->old.count + below);
    buf_char(out, ' ');
    add_side_range(out, '+', it->new.line - above, above + it->new.count + below);
    buf_str(out, " @@");
    struct span heading = heading_find(headings, it->old.at, it->old.count, above);
    if (heading.len > 0) {
        buf_char(out, ' ');
        buf_add(out, old.data + heading.at, heading.len);
    }
    buf_char(out, '\n');
    add_signed(out, ' ', old, from, it->old.at);
    add_signed(out, '-', old, it->old.at, behind);
    add_signed(out, '+', new, it->new.at, it->new.at + it->new.len);
    add_signed(out, ' ', old, behind, to);
}

/* -- mixed ------------------------------------------------------------------------------------- */

/* Does the other base differ from the present in exactly this place, by the same lines? */
static bool is_in_both(const struct review_item *item, const struct line_change *change,
                       const struct changes *others, size_t *at) {
    while (*at < others->n && others->list[*at].new.at < change->new.at)
        (*at)++;
    for (size_t i = *at; i < others->n && others->list[i].new.at == change->new.at; i++) {
        const struct line_change *other = &others->list[i];
        if (other->new.len == change->new.len &&
            text_ref_equal(
                part_of_side(&item->base, (struct span){change->old.at, change->old.len}),
                part_of_side(&item->base_theirs, (struct span){other->old.at, other->old.len})))
            return true;
    }
    return false;
}

/* -- the whole --------------------------------------------------------------------------------- */

void review_hunks_free(struct review_item *item) {
    for (size_t i = 0; i < item->hunk_n; i++)
        buf_free(&item->hunks[i].text);
    free(item->hunks);
    item->hunks = NULL;
    item->hunk_n = 0;
}

static bool has_text(const struct review_side *side) {
    return side->type == NODE_MISSING || review_knows_file(side);
}

static bool looks_binary(const struct review_side *side) {
    struct text_ref text = review_text(side);
    return memchr(text.data, '\0', text.len < LOOKED_AT ? text.len : LOOKED_AT) != NULL;
}

static int take_hunks(struct work *work, struct review_item *item, const struct changes *changes,
                      const struct changes *others) {
    struct headings headings = {
        .text = review_text(&item->base),
        .lisp = heading_is_lisp((struct text_ref){item->path, strlen(item->path)})};
    size_t at = 0;
    item->hunks = calloc(changes->n + 1, sizeof *item->hunks);
    if (!item->hunks)
        return fail_memory(&work->error);
    for (size_t i = 0; i < changes->n; i++) {
        const struct line_change *change = &changes->list[i];
        struct review_hunk *hunk = &item->hunks[item->hunk_n++];
        hunk->old = (struct span){change->old.at, change->old.len};
        hunk->new = (struct span){change->new.at, change->new.len};
        hunk->line = change->new.line + 1;
        hunk->count = hunk->added = change->new.count;
        hunk->removed = change->old.count;
        hunk->mixed = item->mixed || !is_in_both(item, change, others, &at);
        name_hunk(work, item, hunk);
        print_change(item, changes, i, &headings, &hunk->text);
        if (hunk->text.failed)
            return fail_memory(&work->error);
    }
    return AQFS_OK;
}

int review_hunks(struct work *work, struct review_item *item) {
    struct changes changes = {0}, others = {0};
    name_item(work, item);
    item->binary = looks_binary(&item->base) || looks_binary(&item->now);
    if (item->unread || item->binary || !has_text(&item->base) || !has_text(&item->now))
        return AQFS_OK;
    struct libraries *libraries = &work->ws->libraries;
    struct text_ref now = review_text(&item->now);
    int code = changes_find(libraries, review_text(&item->base), now, &changes, &work->error);
    code =
        code ? code
             : changes_find(libraries, review_text(&item->base_theirs), now, &others, &work->error);
    code = code ? code : take_hunks(work, item, &changes, &others);
    changes_free(&changes);
    changes_free(&others);
    return code;
}

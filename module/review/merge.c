/* merge.c -- doing to one text what was done to another, line by line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge.h"

#include "cleanup.h"
#include "diff_changes.h"

/* The changes that one side made to the base, and how far they were gone through. */
struct merge_edits {
    struct text_ref text;
    struct changes changes;
    size_t next;
    size_t grown, shrunk; /* bytes that the changes before `next` added and removed */
};

struct merge {
    struct text_ref base;
    struct merge_edits mine, theirs;
    struct buf *out;
    size_t clashes;
};

/* Lines of the base that at least one side has changed. */
struct both_changed {
    size_t line, line_end; /* lines */
    size_t at, end;        /* bytes */
};

static const struct line_change *next_change(const struct merge_edits *edits) {
    return edits->next < edits->changes.n ? &edits->changes.list[edits->next] : NULL;
}

/* The offset in the text of EDITS that offset AT of the base, which lies between changes, has. */
static size_t offset_now(const struct merge_edits *edits, size_t at) {
    return at + edits->grown - edits->shrunk;
}

/* Takes the next change of EDITS into REGION if it touches that. */
static bool take_touching(struct merge_edits *edits, struct both_changed *region) {
    const struct line_change *change = next_change(edits);
    if (!change || change->old.line > region->line_end)
        return false;
    size_t line_end = change->old.line + change->old.count, end = change->old.at + change->old.len;
    if (line_end > region->line_end) {
        region->line_end = line_end;
        region->end = end;
    }
    edits->grown += change->new.len;
    edits->shrunk += change->old.len;
    edits->next++;
    return true;
}

/* The region that begins with the nearest change of both. */
static struct both_changed first_region(const struct merge *m) {
    const struct line_change *a = next_change(&m->mine), *b = next_change(&m->theirs);
    const struct line_span *from = !b || (a && a->old.line <= b->old.line) ? &a->old : &b->old;
    return (struct both_changed){from->line, from->line, from->at, from->at};
}

static struct text_ref part_of(const struct merge_edits *edits, size_t from, size_t to) {
    return (struct text_ref){edits->text.data + from, to - from};
}

static void merge_region(struct merge *m, size_t done, enum merge_side preferred, size_t *end) {
    struct both_changed region = first_region(m);
    size_t mine_at = offset_now(&m->mine, region.at), theirs_at = offset_now(&m->theirs, region.at);
    bool by_me = false, by_them = false, more = true;
    while (more) {
        bool a = take_touching(&m->mine, &region), b = take_touching(&m->theirs, &region);
        by_me = by_me || a;
        by_them = by_them || b;
        more = a || b;
    }
    struct text_ref mine = part_of(&m->mine, mine_at, offset_now(&m->mine, region.end));
    struct text_ref theirs = part_of(&m->theirs, theirs_at, offset_now(&m->theirs, region.end));
    bool clash = by_me && by_them && !text_ref_equal(mine, theirs);
    bool takes_mine = clash ? preferred == MERGE_MINE : by_me;
    m->clashes += clash;
    buf_add(m->out, m->base.data + done, region.at - done);
    buf_add(m->out, takes_mine ? mine.data : theirs.data, takes_mine ? mine.len : theirs.len);
    *end = region.end;
}

int merge_both(struct libraries *libraries, const struct merge_texts *texts, struct buf *out,
               size_t *clashes, struct error *e) {
    struct text_ref base = texts->base;
    struct merge m = {
        .base = base, .mine.text = texts->mine, .theirs.text = texts->theirs, .out = out};
    size_t done = 0;
    int code = changes_find(libraries, base, texts->mine, &m.mine.changes, e);
    code = code ? code : changes_find(libraries, base, texts->theirs, &m.theirs.changes, e);
    while (!code && (next_change(&m.mine) || next_change(&m.theirs)))
        merge_region(&m, done, texts->preferred, &done);
    if (!code)
        buf_add(out, base.data + done, base.len - done);
    changes_free(&m.mine.changes);
    changes_free(&m.theirs.changes);
    *clashes += m.clashes;
    return !code && out->failed ? fail_memory(e) : code;
}

/* Does CHANGE touch one of OTHERS?  Those before *NEXT end before it. */
static bool touches_any(const struct line_change *change, const struct changes *others,
                        size_t *next) {
    const struct line_span *old = &change->old;
    for (; *next < others->n; ++*next) {
        const struct line_span *other = &others->list[*next].old;
        if (other->line + other->count >= old->line)
            return other->line <= old->line + old->count;
    }
    return false;
}

int merge_touching(struct libraries *libraries, const struct merge_texts *texts, bool apart,
                   struct buf *out, struct error *e) {
    struct changes mine = {0}, theirs = {0};
    struct text_ref base = texts->base;
    size_t done = 0, next = 0;
    int code = changes_find(libraries, base, texts->mine, &mine, e);
    code = code ? code : changes_find(libraries, base, texts->theirs, &theirs, e);
    for (size_t i = 0; !code && i < mine.n; i++) {
        const struct line_change *change = &mine.list[i];
        if (touches_any(change, &theirs, &next) == apart)
            continue;
        buf_add(out, base.data + done, change->old.at - done);
        buf_add(out, texts->mine.data + change->new.at, change->new.len);
        done = change->old.at + change->old.len;
    }
    if (!code)
        buf_add(out, base.data + done, base.len - done);
    changes_free(&mine);
    changes_free(&theirs);
    return !code && out->failed ? fail_memory(e) : code;
}

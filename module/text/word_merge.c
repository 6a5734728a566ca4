/* word_merge.c -- two changes of one line made into one, by words: see merging.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merging.h"

#include "cleanup.h"
#include "edit_lines.h"
#include "lines.h"
#include "utf8.h"

/* Does a word, or a character that is in none, end before the byte NEXT? */
static bool ends_before(char byte, char next) {
    return !utf8_is_continuation((unsigned char)next) &&
           !(text_is_word(byte) && text_is_word(next));
}

/* Appends the words of LINE to OUT, each on a line, as is each character that is in none. */
static void add_split_words(struct text_ref line, struct buf *out) {
    for (size_t i = 0; i < line.len; i++) {
        buf_char(out, line.data[i]);
        if (i + 1 == line.len || ends_before(line.data[i], line.data[i + 1]))
            buf_char(out, '\n');
    }
}

/* A line, and how its words change. */
struct word_change {
    struct buf from, to;
    struct edit_lines words;
    size_t at; /* the hunk that comes next */
};

static void word_change_free(struct word_change *c) {
    edit_lines_free(&c->words);
    buf_free(&c->from);
    buf_free(&c->to);
}

static bool find_word_change(struct text_ref from, struct text_ref to, struct word_change *out) {
    add_split_words(from, &out->from);
    add_split_words(to, &out->to);
    const struct text_ref was = {out->from.data ? out->from.data : "", out->from.len};
    const struct text_ref is = {out->to.data ? out->to.data : "", out->to.len};
    return edit_lines_find(was, is, &out->words) && !out->from.failed && !out->to.failed;
}

static const struct edit_hunk *next_hunk(const struct word_change *c) {
    return c->at < c->words.n ? &c->words.hunks[c->at] : NULL;
}

static void add_hunk_words(const struct word_change *c, const struct edit_hunk *h,
                           struct buf *out) {
    for (size_t i = 0; i < h->new_n; i++)
        buf_add(out, c->words.new.all[h->new_at + i].data, c->words.new.all[h->new_at + i].len);
}

static bool same_hunk(const struct word_change *a, const struct edit_hunk *x,
                      const struct word_change *b, const struct edit_hunk *y) {
    if (x->old_at != y->old_at || x->old_n != y->old_n || x->new_n != y->new_n)
        return false;
    for (size_t i = 0; i < x->new_n; i++)
        if (!text_ref_equal(a->words.new.all[x->new_at + i], b->words.new.all[y->new_at + i]))
            return false;
    return true;
}

static bool are_apart(const struct edit_hunk *x, const struct edit_hunk *y) {
    return x->old_at + x->old_n < y->old_at || y->old_at + y->old_n < x->old_at;
}

static bool merge_words(struct word_change *a, struct word_change *b, struct buf *out) {
    for (size_t i = 0;;) {
        const struct edit_hunk *x = next_hunk(a), *y = next_hunk(b);
        const bool both = x && y && same_hunk(a, x, b, y);
        if (x && y && !both && !are_apart(x, y))
            return false;
        const bool first = x && (!y || both || x->old_at < y->old_at);
        struct word_change *c = first ? a : b;
        const struct edit_hunk *h = first ? x : y;
        for (const size_t end = h ? h->old_at : a->words.old.n; i < end; i++)
            buf_add(out, a->words.old.all[i].data, a->words.old.all[i].len);
        if (!h)
            return !out->failed;
        add_hunk_words(c, h, out);
        i += h->old_n;
        c->at++;
        b->at += both;
    }
}

bool word_merge(struct text_ref was, struct text_ref is, struct text_ref wanted, struct buf *out) {
    AUTO(word_change_free) struct word_change there = {0}, edit = {0};
    return find_word_change(was, is, &there) && find_word_change(was, wanted, &edit) &&
           merge_words(&there, &edit, out);
}

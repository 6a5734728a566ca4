/* SPDX-License-Identifier: MIT */
/* test_replace_batch.c -- edits that are made at once do what they do one after the other. */
#include "replace.h"
#include "replace_batch.h"

#include "sample.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITS = 64, PIECE_MOST = 64, RANDOM_EDITS = 100, ROUNDS = 60 };

static struct text_ref ref_of(const struct buf *b) {
    return (struct text_ref){b->data ? b->data : "", b->len};
}

static struct text_ref part_of(struct text_ref text, size_t at, size_t len) {
    at = at < text.len ? at : text.len;
    return (struct text_ref){text.data + at, len < text.len - at ? len : text.len - at};
}

/* Makes the edits of a call as calls of one edit each. */
static int make_singly(struct text_ref text, const struct edit *edits, size_t n, struct buf *out) {
    int code = AQFS_OK;
    buf_add(out, text.data, text.len);
    for (size_t i = 0; i < n && !code; i++) {
        struct replaced one = {0};
        struct error e;
        code = replace_apply(ref_of(out), &edits[i], 1, &one, &e);
        if (!code) {
            buf_clear(out);
            buf_add(out, one.text.data ? one.text.data : "", one.text.len);
        }
        replaced_free(&one);
    }
    return code;
}

/* All bytes outside of the spans are old ones in order, so they are as many as they should be. */
static void check_spans_lie_apart(const struct replaced *made) {
    for (size_t i = 0; i < made->spans.n; i++) {
        const struct span s = made->spans.all[i];
        TEST_ASSERT_TRUE(s.at + s.len <= made->text.len);
        TEST_ASSERT_TRUE(i == 0 || s.at > made->spans.all[i - 1].at + made->spans.all[i - 1].len);
    }
}

/* Returns the code that both ways had. */
static int check_same(struct text_ref text, const struct edit *edits, size_t n) {
    struct replaced made = {0};
    struct buf expected = {0};
    struct error e;
    int code = replace_apply(text, edits, n, &made, &e);
    TEST_ASSERT_EQUAL(make_singly(text, edits, n, &expected), code);
    if (!code) {
        TEST_ASSERT_EQUAL_UINT64(n, made.count);
        TEST_ASSERT_EQUAL_UINT64(expected.len, made.text.len);
        TEST_ASSERT_EQUAL_MEMORY(expected.data, made.text.data, expected.len);
        check_spans_lie_apart(&made);
    }
    replaced_free(&made);
    buf_free(&expected);
    return code;
}

/* How many edits are made at once. */
static size_t batched(struct text_ref text, const struct edit *edits, size_t n) {
    struct edit_batch batch = {0};
    batch_find(text, edits, n, &batch);
    const size_t made = batch.places.n;
    batch_free(&batch);
    return made;
}

/* -- lines, each of which is edited ------------------------------------------------------------ */

struct lines_and_edits {
    struct buf text;
    char old[EDITS][PIECE_MOST], new[EDITS][PIECE_MOST];
    struct edit edits[EDITS];
};

static void make_lines(struct lines_and_edits *l) {
    *l = (struct lines_and_edits){0};
    for (size_t i = 0; i < EDITS; i++) {
        buf_printf(&l->text, "the line %zu of the text\n", i);
        (void)snprintf(l->old[i], PIECE_MOST, "line %zu of", i);
        (void)snprintf(l->new[i], PIECE_MOST, "row %zu in", i);
    }
}

static void use_pieces(struct lines_and_edits *l) {
    for (size_t i = 0; i < EDITS; i++)
        l->edits[i] = (struct edit){.old_str = {l->old[i], strlen(l->old[i])},
                                    .new_str = {l->new[i], strlen(l->new[i])}};
}

void test_replace_batch__edits_apart_from_each_other_are_made_at_once(void) {
    struct lines_and_edits l;
    make_lines(&l);
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(EDITS, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_OK, check_same(ref_of(&l.text), l.edits, EDITS));
    buf_free(&l.text);
}

/* Fails or stops where one after the other would: an edit makes what a later one looks for. */
void test_replace_batch__what_an_edit_makes_is_seen_by_later_ones(void) {
    struct lines_and_edits l;
    make_lines(&l);
    (void)snprintf(l.new[3], PIECE_MOST, "a second line 40 of");
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(40, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_MULTIPLE_MATCHES, check_same(ref_of(&l.text), l.edits, EDITS));

    (void)snprintf(l.new[3], PIECE_MOST, "row 3 in");
    (void)snprintf(l.old[50], PIECE_MOST, "row 20 in the text\nthe row 21 in");
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(50, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_OK, check_same(ref_of(&l.text), l.edits, EDITS));
    buf_free(&l.text);
}

/* An edit's text joins the text before and behind its place, and with it the text that its
 * neighbours have put there. */
void test_replace_batch__what_edits_make_together_is_seen(void) {
    struct lines_and_edits l;
    make_lines(&l);
    buf_str(&l.text, "<aaaaaaaa><bbbbbbbb><cccccccc>|unique-word|");
    (void)snprintf(l.old[0], PIECE_MOST, "<aaaaaaaa>");
    (void)snprintf(l.new[0], PIECE_MOST, "|uniq");
    (void)snprintf(l.old[1], PIECE_MOST, "<cccccccc>");
    (void)snprintf(l.new[1], PIECE_MOST, "-word|");
    (void)snprintf(l.old[2], PIECE_MOST, "<bbbbbbbb>");
    (void)snprintf(l.new[2], PIECE_MOST, "ue");
    (void)snprintf(l.old[3], PIECE_MOST, "|unique-word|");
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(3, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_MULTIPLE_MATCHES, check_same(ref_of(&l.text), l.edits, EDITS));
    buf_free(&l.text);
}

/* ... and what its neighbours have not put there yet. */
void test_replace_batch__what_edits_make_beside_old_text_is_seen(void) {
    struct lines_and_edits l;
    make_lines(&l);
    buf_str(&l.text, "<bbbbbbbb><aaaaaaaa><bbbbccbb> |uniq<bbb bbb>|uniq");
    (void)snprintf(l.old[0], PIECE_MOST, "<aaaaaaaa>");
    (void)snprintf(l.new[0], PIECE_MOST, "|uniq");
    (void)snprintf(l.old[1], PIECE_MOST, "|uniq<bbb");
    (void)snprintf(l.old[2], PIECE_MOST, "<bbbbccbb>");
    (void)snprintf(l.new[2], PIECE_MOST, "right");
    (void)snprintf(l.old[3], PIECE_MOST, "<bbbbbbbb>");
    (void)snprintf(l.new[3], PIECE_MOST, "left");
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(1, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_MULTIPLE_MATCHES, check_same(ref_of(&l.text), l.edits, EDITS));
    (void)snprintf(l.old[1], PIECE_MOST, "bbb>|uniq");
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(1, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_MULTIPLE_MATCHES, check_same(ref_of(&l.text), l.edits, EDITS));
    buf_free(&l.text);
}

void test_replace_batch__overlapping_places_are_made_one_after_the_other(void) {
    struct lines_and_edits l;
    make_lines(&l);
    (void)snprintf(l.old[9], PIECE_MOST, "4 of the text\nthe line 5");
    use_pieces(&l);
    TEST_ASSERT_EQUAL_UINT64(9, batched(ref_of(&l.text), l.edits, EDITS));
    TEST_ASSERT_EQUAL(AQFS_NO_MATCH, check_same(ref_of(&l.text), l.edits, EDITS));
    buf_free(&l.text);
}

/* -- random ------------------------------------------------------------------------------------ */

/* Few different words, so that edits often make what others look for. */
static void add_random_words(uint64_t *s, size_t n, struct buf *out) {
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%x%c", sample_below(s, 400), sample_below(s, 4) ? ' ' : '\n');
}

/* Edits that occur in TEXT with edits 0 to I made, most of them. */
static void make_random_edits(uint64_t *s, struct text_ref text, struct buf *pool,
                              struct edit *edits, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const size_t len = 4 + sample_below(s, 40), new_len = sample_below(s, 30);
        const bool reuses = sample_below(s, 8) == 0;
        const size_t at = sample_below(s, (uint32_t)pool->len);
        edits[i] =
            (struct edit){.old_str = part_of(text, sample_below(s, (uint32_t)text.len - 4), len),
                          .new_str = part_of(reuses ? text : ref_of(pool), at, new_len),
                          .all = sample_below(s, 200) == 0};
        if (text_ref_equal(edits[i].old_str, edits[i].new_str))
            edits[i].new_str.len = 0; /* which would be refused before all others */
    }
}

/* The edits are those that fit: others would end every call early. */
static size_t keep_fitting(struct text_ref text, struct edit *edits, size_t n) {
    struct buf now = {0};
    size_t kept = 0;
    buf_add(&now, text.data, text.len);
    for (size_t i = 0; i < n; i++) {
        struct replaced one = {0};
        struct error e;
        if (!edits[i].all && !replace_apply(ref_of(&now), &edits[i], 1, &one, &e)) {
            edits[kept++] = edits[i];
            buf_clear(&now);
            buf_add(&now, one.text.data ? one.text.data : "", one.text.len);
        }
        replaced_free(&one);
    }
    buf_free(&now);
    return kept;
}

void test_replace_batch__random_edits_do_what_they_do_singly(void) {
    static struct edit edits[RANDOM_EDITS];
    uint64_t s = 7;
    size_t together = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct buf text = {0}, pool = {0};
        add_random_words(&s, 200 + 20 * round, &text);
        add_random_words(&s, 400, &pool);
        make_random_edits(&s, ref_of(&text), &pool, edits, RANDOM_EDITS);
        const size_t n = keep_fitting(ref_of(&text), edits, RANDOM_EDITS);
        if (n > 0) {
            together += batched(ref_of(&text), edits, n);
            TEST_ASSERT_EQUAL(AQFS_OK, check_same(ref_of(&text), edits, n));
        }
        make_random_edits(&s, ref_of(&text), &pool, edits + n / 2, RANDOM_EDITS - n / 2);
        (void)check_same(ref_of(&text), edits, RANDOM_EDITS);
        buf_free(&text);
        buf_free(&pool);
    }
    TEST_ASSERT_TRUE(together > (size_t)10 * ROUNDS);
}

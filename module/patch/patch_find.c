/* patch_find.c -- finding the lines of hunks in a text: see patch_find.h.
 *
 * Lines become numbers, and a hunk is searched for at the places of its rarest
 * line.  This takes linear time, except in a text of few different lines, where
 * a limit ends it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_find.h"

#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* The most comparisons of two numbers: a fraction of a second. */
#define STEPS_MAX UINT64_C(200000000)

int lined_open(struct lined *l, const char *text, size_t n, bool crlf, struct error *e) {
    *l = (struct lined){.text = text, .crlf = crlf};
    if (n >= UINT32_MAX)
        return fail(e, AQFS_TOO_LARGE, "a text of 4 GiB or more cannot be patched");
    const char *end = text + n;
    for (const char *at = text; at < end; at = text_next_line(at, end))
        l->count++;
    l->starts = malloc((l->count + 1) * sizeof *l->starts);
    if (!l->starts)
        return fail_memory(e);
    size_t line = 0;
    for (const char *at = text; at < end; at = text_next_line(at, end))
        l->starts[line++] = (size_t)(at - text);
    l->starts[line] = n;
    l->no_newline = n > 0 && end[-1] != '\n';
    return AQFS_OK;
}

void lined_close(struct lined *l) {
    free(l->starts);
    *l = (struct lined){0};
}

const char *lined_bytes(const struct lined *l, size_t line, size_t *n) {
    *n = l->starts[line + 1] - l->starts[line];
    return l->text + l->starts[line];
}

const char *lined_content(const struct lined *l, size_t line, size_t *n) {
    const char *text = lined_bytes(l, line, n);
    if (text[*n - 1] == '\n') {
        --*n;
        if (l->crlf && *n > 0 && text[*n - 1] == '\r')
            --*n;
    }
    return text;
}

bool lined_equals(const struct lined *l, size_t line, const struct patch_line *other) {
    size_t n;
    const char *text = lined_content(l, line, &n);
    return n == other->n && memcmp(text, other->text, n) == 0;
}

bool places_group(struct places *p, const uint32_t *numbers, size_t count, uint32_t distinct) {
    uint32_t *first = calloc((size_t)distinct + 2, sizeof *first);
    if (!first)
        return false;
    /* Counts are kept two indexes further on.  Filling in the lines moves each start up by one
     * index, so that all end in their places. */
    uint32_t *next = first + 1;
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != INTERN_NONE) {
            first[numbers[i] + 2]++;
            total++;
        }
    }
    for (uint32_t i = 2; i < distinct + 2; i++)
        first[i] += first[i - 1];
    uint32_t *lines = malloc((total + 1) * sizeof *lines);
    if (!lines) {
        free(first);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != INTERN_NONE)
            lines[next[numbers[i]]++] = (uint32_t)i;
    }
    *p = (struct places){first, lines};
    return true;
}

void places_free(struct places *p) {
    free(p->first);
    free(p->lines);
    *p = (struct places){0};
}

size_t places_from(const struct places *p, uint32_t number, size_t line) {
    size_t low = p->first[number], high = p->first[number + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->lines[middle] < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void number_hunks(struct finder *f, const struct patch_hunk *hunks, size_t hunk_count) {
    size_t at = 0;
    for (size_t i = 0; i < hunk_count; i++) {
        struct patch_line line;
        for (const char *body = hunks[i].body; patch_next_line(&hunks[i], &body, &line);) {
            if (line.op != '+')
                f->wanted[at++] = intern_add(&f->strings, line.text, line.n);
        }
    }
}

int finder_open(struct finder *f, const struct lined *text, const struct patch_hunk *hunks,
                size_t hunk_count, struct error *e) {
    size_t wanted = 0;
    for (size_t i = 0; i < hunk_count; i++)
        wanted += hunks[i].old_count;
    *f = (struct finder){.count = text->count};
    f->wanted = malloc((wanted + 1) * sizeof *f->wanted);
    f->numbers = malloc((text->count + 1) * sizeof *f->numbers);
    if (!f->wanted || !f->numbers || !intern_open(&f->strings, wanted))
        return fail_memory(e);
    number_hunks(f, hunks, hunk_count);
    for (size_t i = 0; i < text->count; i++) {
        size_t n;
        const char *content = lined_content(text, i, &n);
        f->numbers[i] = intern_find(&f->strings, content, n);
    }
    return places_group(&f->places, f->numbers, text->count, f->strings.count) ? AQFS_OK
                                                                               : fail_memory(e);
}

void finder_close(struct finder *f) {
    intern_close(&f->strings);
    places_free(&f->places);
    free(f->wanted);
    free(f->numbers);
    *f = (struct finder){0};
}

bool finder_is_at(const struct finder *f, size_t wanted, size_t count, size_t at) {
    return at <= f->count && count <= f->count - at &&
           memcmp(f->wanted + wanted, f->numbers + at, count * sizeof *f->wanted) == 0;
}

/* The one of the lines that stands at the fewest places. */
static size_t rarest(const struct finder *f, const uint32_t *wanted, size_t count) {
    size_t best = 0;
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = wanted[i];
        uint32_t places = f->places.first[number + 1] - f->places.first[number];
        if (places < fewest) {
            fewest = places;
            best = i;
        }
    }
    return best;
}

int finder_find(struct finder *f, size_t wanted, size_t count, size_t from, size_t found[2],
                size_t *n, struct error *e) {
    const uint32_t *lines = f->wanted + wanted;
    size_t rare = rarest(f, lines, count);
    size_t end = f->places.first[lines[rare] + 1];
    *n = 0;
    for (size_t i = places_from(&f->places, lines[rare], from + rare); i < end && *n < 2; i++) {
        size_t at = f->places.lines[i] - rare, same = 0;
        if (at + count > f->count)
            break;
        while (same < count && f->numbers[at + same] == lines[same])
            same++;
        if (same == count)
            found[(*n)++] = at;
        f->steps += same + 1;
        if (f->steps > STEPS_MAX)
            return fail(e, AQFS_LIMIT,
                        "too many lines are alike: finding the hunks takes too long");
    }
    return AQFS_OK;
}

/* A hash of everything but white space; 0 when there is nothing else. */
static uint64_t loose_hash(const char *text, size_t n) {
    uint64_t hash = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\f')
            hash = intern_hash_byte(hash + 1, text[i]);
    }
    return hash;
}

bool lined_resembles(const struct lined *l, const struct patch_hunk *hunk, size_t at) {
    struct patch_line line;
    for (const char *body = hunk->body; patch_next_line(hunk, &body, &line);) {
        if (line.op == '+')
            continue;
        size_t n = 0;
        const char *content = at < l->count ? lined_content(l, at, &n) : "";
        if (at++ >= l->count || loose_hash(content, n) != loose_hash(line.text, line.n))
            return false;
    }
    return true;
}

struct loose {
    uint64_t hash;
    size_t line; /* among the hunk's old lines */
};

static int compare_loose(const void *a, const void *b) {
    const struct loose *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static size_t gather_loose(const struct patch_hunk *hunk, struct loose *out) {
    size_t count = 0, old = 0;
    struct patch_line line;
    for (const char *at = hunk->body; patch_next_line(hunk, &at, &line);) {
        uint64_t hash = loose_hash(line.text, line.n);
        if (line.op != '+' && hash != 0)
            out[count++] = (struct loose){hash, old};
        old += line.op != '+';
    }
    qsort(out, count, sizeof *out, compare_loose);
    return count;
}

/* Of equal lines in a hunk only this many vote, because they say little. */
#define SAME_LINES_MAX 4

/* Each line of the hunk that equals the text's line AT votes for the place at which the hunk would
 * begin. */
static void vote(const struct loose *lines, size_t count, uint64_t hash, size_t at,
                 uint32_t *votes) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < count && i < low + SAME_LINES_MAX && lines[i].hash == hash; i++) {
        if (lines[i].line <= at)
            votes[at - lines[i].line]++;
    }
}

size_t lined_nearest(const struct lined *l, const struct patch_hunk *hunk, size_t from,
                     size_t *at) {
    struct loose *lines = malloc((hunk->old_count + 1) * sizeof *lines);
    uint32_t *votes = calloc(l->count + 1, sizeof *votes);
    size_t agreeing = 0;
    if (lines && votes) {
        size_t count = gather_loose(hunk, lines), best = 0;
        for (size_t i = 0; i < l->count; i++) {
            size_t n;
            const char *content = lined_content(l, i, &n);
            uint64_t hash = loose_hash(content, n);
            if (hash != 0)
                vote(lines, count, hash, i, votes);
        }
        for (size_t i = 1; i < l->count; i++) {
            bool further = best < from && i >= from && votes[i] == votes[best];
            if (votes[i] > votes[best] || further)
                best = i;
        }
        *at = best;
        agreeing = votes[best];
    }
    free(lines);
    free(votes);
    return agreeing;
}

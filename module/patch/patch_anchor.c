/* patch_anchor.c -- the lines to which the anchors of an envelope limit a hunk: see
 * patch_anchor.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_anchor.h"

#include "lines.h"
#include "patch_read.h"

#include <stdlib.h>
#include <string.h>

/* The most lines that may be read to find the ends of regions; long lines count more than once. */
#define STEPS_MAX UINT64_C(20000000)
#define STEP_BYTES 64

/* How far a region was searched, so that no line is read twice for one anchor. */
struct reach {
    uint32_t seen; /* the lines before this one are in the region... */
    bool ends;     /* ...and this one ends it */
};

/* The content of a line without surrounding white space. */
static const char *trimmed(const struct lined *l, size_t line, size_t *n) {
    const char *text = lined_content(l, line, n);
    patch_trim(&text, n);
    return text;
}

/* The length of the word at the beginning of TEXT: up to white space or to a parenthesis inside it.
 */
static size_t word_length(const char *text, size_t n) {
    size_t length = 1;
    while (length < n && !patch_is_space(text[length]) && text[length] != '(')
        length++;
    return length;
}

/* Does LINE end the region of the anchor at ANCHOR? */
static bool is_sibling(const struct lined *l, size_t anchor, size_t line) {
    size_t n, m, a_n, b_n;
    const char *a = trimmed(l, anchor, &n), *b = trimmed(l, line, &m);
    if (m == 0)
        return false;
    size_t word = word_length(a, n);
    if (word != word_length(b, m) || memcmp(a, b, word) != 0)
        return false;
    const char *a_line = lined_content(l, anchor, &a_n), *b_line = lined_content(l, line, &b_n);
    return text_indentation(b_line, b_n) <= text_indentation(a_line, a_n);
}

/* The places of all anchors, found in one pass. */

struct found_anchors {
    uint32_t *anchors, *lines;
    size_t count, room;
};

static bool add_found(struct found_anchors *f, uint32_t anchor, uint32_t line) {
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        uint32_t *anchors = realloc(f->anchors, room * sizeof *anchors);
        if (anchors)
            f->anchors = anchors;
        uint32_t *lines = realloc(f->lines, room * sizeof *lines);
        if (lines)
            f->lines = lines;
        if (!anchors || !lines)
            return false;
        f->room = room;
    }
    f->anchors[f->count] = anchor;
    f->lines[f->count++] = line;
    return true;
}

/* Finds the anchors with which LINE begins.  LENGTHS has a bit for the length, modulo 64, of each
 * anchor, so that most prefixes need no lookup. */
static bool find_in_line(const struct anchors *a, uint64_t lengths, size_t line,
                         struct found_anchors *found) {
    size_t n;
    const char *text = trimmed(a->text, line, &n);
    uint64_t hash = a->strings.seed;
    for (size_t i = 1; i <= n; i++) {
        hash = intern_hash_byte(hash, text[i - 1]);
        bool inside = i < n && text_is_word(text[i - 1]) && text_is_word(text[i]);
        if (inside || !(lengths >> i % 64 & 1))
            continue;
        uint32_t anchor = intern_find_hashed(&a->strings, hash, text, i);
        if (anchor != INTERN_NONE && !add_found(found, anchor, (uint32_t)line))
            return false;
    }
    return true;
}

/* Groups the found places by anchor.  places_group gives indexes into FOUND; replaces them by
 * lines. */
static bool group(struct anchors *a, const struct found_anchors *found) {
    if (!places_group(&a->places, found->anchors, found->count, a->strings.count))
        return false;
    for (size_t i = 0; i < found->count; i++)
        a->places.lines[i] = found->lines[a->places.lines[i]];
    a->reaches = malloc((found->count + 1) * sizeof *a->reaches);
    for (size_t i = 0; a->reaches && i < found->count; i++)
        a->reaches[i] = (struct reach){.seen = a->places.lines[i] + 1};
    return a->reaches != NULL;
}

int anchors_open(struct anchors *a, const struct lined *text, const struct patch_hunk *hunks,
                 size_t hunk_count, struct error *e) {
    size_t count = 0;
    for (size_t i = 0; i < hunk_count; i++)
        count += hunks[i].anchor_count;
    *a = (struct anchors){.text = text};
    if (!intern_open(&a->strings, count))
        return fail_memory(e);
    uint64_t lengths = 0;
    for (size_t i = 0; i < hunk_count; i++) {
        for (size_t k = 0; k < hunks[i].anchor_count; k++) {
            const struct patch_anchor *anchor = &hunks[i].anchors[k];
            (void)intern_add(&a->strings, anchor->text, anchor->n);
            lengths |= UINT64_C(1) << anchor->n % 64;
        }
    }
    struct found_anchors found = {0};
    bool ok = true;
    for (size_t line = 0; lengths != 0 && line < text->count && ok; line++)
        ok = find_in_line(a, lengths, line, &found);
    ok = ok && group(a, &found);
    free(found.anchors);
    free(found.lines);
    return ok ? AQFS_OK : fail_memory(e);
}

void anchors_close(struct anchors *a) {
    intern_close(&a->strings);
    places_free(&a->places);
    free(a->reaches);
    *a = (struct anchors){0};
}

/* Is LINE in the region of the anchor at PLACE?  Extends the searched part of the region up to
 * LINE. */
static bool holds(struct anchors *a, size_t place, size_t line) {
    struct reach *reach = &a->reaches[place];
    size_t anchor = a->places.lines[place];
    while (reach->seen <= line && !reach->ends && !a->exhausted) {
        size_t n;
        (void)lined_bytes(a->text, reach->seen, &n);
        a->steps += 1 + n / STEP_BYTES;
        a->exhausted = a->steps > STEPS_MAX;
        if (is_sibling(a->text, anchor, reach->seen))
            reach->ends = true;
        else
            reach->seen++;
    }
    return line < reach->seen;
}

bool anchors_hold(struct anchors *a, const struct region *region, size_t line) {
    for (size_t i = 0; i < region->held_count; i++) {
        if (!holds(a, region->held[i], line))
            return false;
    }
    return true;
}

bool anchors_narrow(struct anchors *a, const struct patch_hunk *hunk, size_t from,
                    struct region *region, size_t *found) {
    *region = (struct region){0};
    size_t next = from; /* the first line at which the next anchor may stand */
    for (*found = 0; *found < hunk->anchor_count; ++*found) {
        const struct patch_anchor *anchor = &hunk->anchors[*found];
        uint32_t number = intern_find(&a->strings, anchor->text, anchor->n);
        size_t end = a->places.first[number + 1];
        size_t place = places_from(&a->places, number, next);
        if (place == end || !anchors_hold(a, region, a->places.lines[place]))
            return false;
        region->from = a->places.lines[place];
        region->exact = place + 1 == end || !anchors_hold(a, region, a->places.lines[place + 1]);
        if (region->exact)
            region->held[region->held_count++] = place;
        else
            region->other = a->places.lines[place + 1];
        next = region->from + 1;
    }
    return true;
}

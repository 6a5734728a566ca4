/* unseen.c -- characters of a text that are not seen: see unseen.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unseen.h"

#include "lines.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

#define ESCAPE 0x1B
#define JOINER 0x200D
#define NON_JOINER 0x200C
#define EMOJI_SELECTOR 0xFE0F
#define BLACK_FLAG 0x1F3F4
#define CANCEL_TAG 0xE007F

struct code_points {
    int32_t first, last;
};

static bool is_among(const struct code_points *ranges, size_t n, int32_t c) {
    for (size_t i = 0; i < n; i++)
        if (c <= ranges[i].last)
            return c >= ranges[i].first;
    return false;
}

#define IS_AMONG(ranges, c) is_among(ranges, sizeof(ranges) / sizeof *(ranges), c)

/* All tables are sorted. */
static const struct code_points without_sight[] = {
    {ESCAPE, ESCAPE},   {0x80, 0x84},     {0x86, 0xA0},     {0xAD, 0xAD},       {0x34F, 0x34F},
    {0x61C, 0x61C},     {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x2007, 0x2007},
    {0x200B, 0x200F},   {0x202A, 0x202F}, {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
};

static const struct code_points directions[] = {
    {0x61C, 0x61C}, {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}};
static const struct code_points selectors[] = {
    {0x180B, 0x180D}, {0x180F, 0x180F}, {0xFE00, 0xFE0F}, {0xE0100, 0xE01EF}};

static const struct code_points pictographs[] = {
    {0xA9, 0xA9},     {0xAE, 0xAE},     {0x2190, 0x2BFF},  {0x3030, 0x3030},
    {0x303D, 0x303D}, {0x3297, 0x3299}, {0x1F000, 0x1FAFF}};
/* Scripts whose letters join, or do not, by these characters. */
static const struct code_points joining[] = {
    {0x600, 0xDFF},   {0xF00, 0x109F},  {0x1780, 0x18AF},   {0x1900, 0x1CFF},  {0xA800, 0xABFF},
    {0xFB50, 0xFDFF}, {0xFE70, 0xFEFE}, {0x10A00, 0x11FFF}, {0x1E900, 0x1E95F}};
static const struct code_points right_to_left[] = {
    {0x590, 0x8FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFC}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF}};
/* Scripts that have no spaces between words. */
static const struct code_points unspaced[] = {{0xE00, 0xEFF}, {0x1000, 0x109F}, {0x1780, 0x17FF}};

static enum unseen_kind unseen_kind_of(int32_t c) {
    if (c == 0xA0 || c == 0x2007 || c == 0x202F)
        return UNSEEN_SPACES;
    if (c == ESCAPE || (c >= 0x80 && c <= 0x9F))
        return UNSEEN_ESCAPES;
    if (IS_AMONG(directions, c))
        return UNSEEN_BIDI;
    if (IS_AMONG(selectors, c))
        return UNSEEN_SELECTORS;
    return c >= 0xE0000 ? UNSEEN_TAGS : UNSEEN_ZERO_WIDTH;
}

/* -- what writing needs ------------------------------------------------------------------------ */

/* A character, and those beside it; -1 where there is none. */
struct around {
    int32_t before; /* the last one that is seen */
    int32_t last;   /* the one directly before */
    int32_t next;
};

static bool is_ascii_letter(int32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_of_words(int32_t c) {
    return is_ascii_letter(c) || c >= 0xC0;
}

static bool writing_selects(int32_t c, const struct around *a) {
    if (c >= 0xE0100)
        return a->before >= 0x3400;
    if (c < 0xFE00)
        return a->before >= 0x1800 && a->before <= 0x18AF;
    return a->before > ' ' && !is_ascii_letter(a->before);
}

static bool writing_joins(int32_t c, const struct around *a) {
    if (IS_AMONG(joining, a->before))
        return true;
    return c == JOINER && IS_AMONG(pictographs, a->before) && IS_AMONG(pictographs, a->next);
}

/* Does writing need C there?  It does not need two of these in a row, but for a selector and a
 * joiner in an emoji. */
static bool is_needed(int32_t c, const struct around *a) {
    bool alone = a->last == a->before || (c == JOINER && a->last == EMOJI_SELECTOR);
    if (!alone || a->before < 0)
        return false;
    if (IS_AMONG(selectors, c))
        return writing_selects(c, a);
    switch (c) {
    case JOINER:
    case NON_JOINER:
        return writing_joins(c, a);
    case 0xAD:
        return is_of_words(a->before) && is_of_words(a->next);
    case 0x34F:
    case 0x61C:
    case 0x200E:
    case 0x200F:
        return IS_AMONG(right_to_left, a->before) || IS_AMONG(right_to_left, a->next);
    case 0x200B:
        return IS_AMONG(unspaced, a->before);
    case 0x115F:
    case 0x1160:
        return a->before >= 0x1100 && a->before <= 0x11FF;
    case 0x17B4:
    case 0x17B5:
        return a->before >= 0x1780 && a->before <= 0x17FF;
    case 0x180E:
        return a->before >= 0x1800 && a->before <= 0x18AF;
    default:
        return false;
    }
}

/* The bytes of the tags that make the flag of England, Scotland or Wales of a black flag, at TEXT;
 * or 0. */
static size_t flag_tags(const char *text, size_t n) {
    static const char *const regions[] = {"gbeng", "gbsct", "gbwls"};
    char region[6];
    size_t at = 0, len = 0;
    int32_t c = -1;
    while (at < n && len < sizeof region) {
        at += utf8_decode(text + at, n - at, &c);
        if (c < 0xE0061 || c > 0xE007A)
            break;
        region[len++] = (char)(c - 0xE0000);
    }
    for (size_t i = 0; c == CANCEL_TAG && i < sizeof regions / sizeof *regions; i++)
        if (len == 5 && memcmp(region, regions[i], 5) == 0)
            return at;
    return 0;
}

/* -- counting ---------------------------------------------------------------------------------- */

struct unseen unseen_count(const char *line, size_t n, bool is_first) {
    struct unseen found = {0};
    struct around a = {-1, -1, -1};
    for (size_t at = 0; at < n;) {
        int32_t c;
        size_t start = at;
        at += utf8_decode(line + at, n - at, &c);
        if (!IS_AMONG(without_sight, c)) {
            a.before = a.last = c;
            continue;
        }
        size_t flag = a.last == BLACK_FLAG ? flag_tags(line + start, n - start) : 0;
        a.next = -1;
        if (at < n)
            (void)utf8_decode(line + at, n - at, &a.next);
        if (flag > 0) {
            at = start + flag;
        } else if (!is_needed(c, &a) && !(c == 0xFEFF && is_first && start == 0)) {
            found.all++;
            found.of_kind[unseen_kind_of(c)]++;
        }
        a.last = c;
    }
    return found;
}

bool unseen_may_be_in(const char *text, size_t n) {
    return !utf8_is_ascii(text, n) || (n > 0 && memchr(text, ESCAPE, n) != NULL);
}

/* -- saying so --------------------------------------------------------------------------------- */

#define LINES_LISTED 5
#define WHERE_BYTES 100 /* of the name of a file */

static void list_line(struct unseen_note *note, const char *where, int64_t number,
                      const struct unseen *found) {
#define X(constant, words) words,
    static const char *const names[] = {UNSEEN_KINDS(X)};
#undef X
    struct buf *out = &note->words;
    buf_str(out, note->listed > 0 ? "; " : "[");
    buf_printf(out, "line %" PRId64, number);
    if (where) {
        buf_str(out, " of ");
        buf_add(out, where, utf8_cut(where, strlen(where), WHERE_BYTES));
    }
    buf_printf(out, " holds %" PRId64, found->all);
    if (note->listed == 0)
        buf_str(out, found->all == 1 ? " invisible character" : " invisible characters");
    const char *before = ": ";
    for (size_t i = 0; i < UNSEEN_KIND_COUNT; i++) {
        if (found->of_kind[i] == 0)
            continue;
        buf_str(out, before);
        buf_str(out, names[i]);
        before = ", ";
    }
    note->listed++;
}

void unseen_note_line(struct unseen_note *note, const char *where, int64_t number, const char *line,
                      size_t n) {
    if (!unseen_may_be_in(line, n))
        return;
    const struct unseen found = unseen_count(line, n, number == 1);
    if (found.all == 0)
        return;
    if (note->listed < LINES_LISTED) {
        list_line(note, where, number, &found);
    } else {
        note->further_lines++;
        note->further += found.all;
    }
}

void unseen_note_text(struct unseen_note *note, const char *where, int64_t first, const char *text,
                      size_t n) {
    const char *end = text + n;
    if (!unseen_may_be_in(text, n))
        return;
    for (const char *line = text; line < end; first++) {
        const char *next = text_next_line(line, end);
        unseen_note_line(note, where, first, line, (size_t)(next - line));
        line = next;
    }
}

void unseen_note_end(struct unseen_note *note, struct buf *out) {
    if (note->further_lines > 0) {
        buf_str(&note->words, "; ");
        buf_count(&note->words, note->further_lines, "further line holds ", "further lines hold ");
        buf_int(&note->words, note->further);
    }
    if (note->listed > 0) {
        buf_str(&note->words, "]\n");
        buf_add(out, note->words.data, note->words.len);
        out->failed = out->failed || note->words.failed;
    }
    buf_free(&note->words);
}

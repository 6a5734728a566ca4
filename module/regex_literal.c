/* regex_literal.c -- finding a literal in text: see regex_literal.h. */
#include "regex_literal.h"

#include <string.h>

/* A vector of bytes, from any address, and the same as words. */
#define LANES 16
typedef unsigned char bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef uint64_t words __attribute__((vector_size(LANES), aligned(1), may_alias));
#define WORD sizeof(uint64_t)

/* So many places are looked at in one round. */
#define STRIDE ((size_t)4 * LANES)

/* From frequent to rare, over many source trees; what is not here is rarer. */
static const char frequent[] = " etsriano\nldcfup'mh,._()g\"-:b=y0ExwATv#k1ICS;$NLR>2";

static size_t rarity(char c) {
    const char *found = c ? strchr(frequent, c) : NULL;
    return found ? (size_t)(found - frequent) : sizeof frequent;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Neighbours often come together, as `ck` does: where there is a choice, others are better. */
static void choose_places(struct regex_literal *l) {
    size_t apart = l->len > 3 ? 2 : 1, best = 0;
    for (size_t i = 1; i < l->len; i++)
        if (rarity(l->text[i]) > rarity(l->text[l->first]))
            l->first = i;
    for (size_t i = 0; i < l->len; i++) {
        size_t distance = i < l->first ? l->first - i : i - l->first;
        if (distance >= apart && rarity(l->text[i]) + 1 > best) {
            best = rarity(l->text[i]) + 1;
            l->second = i;
        }
    }
}

void regex_literal_init(struct regex_literal *l, const struct needle *needle, bool ignore_case) {
    *l = (struct regex_literal){.len = needle->len};
    for (size_t i = 0; i < l->len; i++) {
        l->fold[i] = ignore_case && is_letter(needle->text[i]) ? 0x20 : 0;
        l->text[i] = (char)(needle->text[i] | l->fold[i]);
    }
    choose_places(l);
}

static bool is_at(const struct regex_literal *l, const char *text) {
    for (size_t i = 0; i < l->len; i++)
        if ((text[i] | l->fold[i]) != l->text[i])
            return false;
    return true;
}

/* The two bytes, in all lanes. */
struct pair {
    bytes first, second, first_fold, second_fold;
};

static inline bytes load(const char *text) {
    return *(const bytes *)(const void *)text;
}

/* 0xFF in each lane where both bytes are. */
static inline bytes compare(const struct pair *p, const char *first, const char *second) {
    bytes a = load(first) | p->first_fold, b = load(second) | p->second_fold;
    return (bytes)(a == p->first) & (bytes)(b == p->second);
}

static inline uint64_t any(bytes lanes) {
    words w = (words)lanes;
    return w[0] | w[1];
}

/* The first of LANES places from TEXT on where the literal is; LANES when it is at none. */
static size_t verify(const struct regex_literal *l, const char *text, bytes lanes) {
    words w = (words)lanes;
    for (size_t word = 0; word < LANES / WORD; word++)
        for (size_t i = word * WORD; w[word] && i < (word + 1) * WORD; i++)
            if (lanes[i] && is_at(l, text + i))
                return i;
    return LANES;
}

size_t regex_literal_find(const struct regex_literal *l, const char *text, size_t n) {
    struct pair p;
    size_t at = 0;
    memset(&p.first, l->text[l->first], LANES);
    memset(&p.second, l->text[l->second], LANES);
    memset(&p.first_fold, l->fold[l->first], LANES);
    memset(&p.second_fold, l->fold[l->second], LANES);
    for (; n - at >= STRIDE + l->len; at += STRIDE) {
        const char *first = text + at + l->first, *second = text + at + l->second;
        bytes a = compare(&p, first, second);
        bytes b = compare(&p, first + LANES, second + LANES);
        bytes c = compare(&p, first + 2 * LANES, second + 2 * LANES);
        bytes d = compare(&p, first + 3 * LANES, second + 3 * LANES);
        if (!any(a | b | c | d))
            continue;
        for (size_t i = 0; i < STRIDE; i += LANES) {
            bytes lanes = compare(&p, first + i, second + i);
            size_t found = verify(l, text + at + i, lanes);
            if (found < LANES)
                return at + i + found;
        }
    }
    for (; n - at >= l->len; at++)
        if (is_at(l, text + at))
            return at;
    return n;
}

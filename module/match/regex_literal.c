/* regex_literal.c -- finding a literal in text: see regex_literal.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_literal.h"

#include <endian.h>
#include <limits.h>
#include <string.h>

/* A vector of bytes at any address, and the same vector as words.  The compiler makes two of it
 * when the processor's vectors are half as wide. */
#define LANES 32
typedef unsigned char byte_vector __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef uint64_t words __attribute__((vector_size(LANES), aligned(1), may_alias));
#define WORD sizeof(uint64_t)

/* The number of places that one round compares. */
#define STRIDE ((size_t)4 * LANES)

/* An inlined function is compiled for the vectors of the function that it is in. */
#define INLINE inline __attribute__((always_inline))

/* Characters of many source trees from frequent to rare; characters that are not listed are rarer.
 */
static const char frequent[] = " etsriano\nldcfup'mh,._()g\"-:b=y0ExwATv#k1ICS;$NLR>2";

static size_t rarity(char c) {
    const char *found = c ? strchr(frequent, c) : NULL;
    return found ? (size_t)(found - frequent) : sizeof frequent;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Chooses the two rarest bytes.  Prefers bytes that are not neighbours, because neighbours such as
 * `ck` often occur together. */
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

static bool is_at(const struct regex_literal *l, const char *text) {
    for (size_t i = 0; i < l->len; i++)
        if ((text[i] | l->fold[i]) != l->text[i])
            return false;
    return true;
}

/* The two bytes, each repeated in all lanes. */
struct pair {
    byte_vector first, second, first_fold, second_fold;
};

/* Sets 0xFF in each lane at which both bytes occur. */
static INLINE void compare_lanes(const struct pair *p, const char *first, const char *second,
                                 byte_vector *out) {
    const byte_vector *a = (const void *)first, *b = (const void *)second;
    *out = (byte_vector)((*a | p->first_fold) == p->first) &
           (byte_vector)((*b | p->second_fold) == p->second);
}

static INLINE bool any(const byte_vector *lanes) {
    words w = (words)*lanes;
    return (w[0] | w[1] | w[2] | w[3]) != 0;
}

/* The first of the LANES places from TEXT at which the whole literal occurs; LANES when there is
 * none. */
static INLINE size_t verify(const struct regex_literal *l, const char *text,
                            const byte_vector *lanes) {
    words w = (words)*lanes;
    for (size_t i = 0; i < LANES / WORD; i++) {
        for (uint64_t left = le64toh(w[i]); left;) {
            unsigned bit = (unsigned)__builtin_ctzll(left);
            if (is_at(l, text + i * WORD + bit / CHAR_BIT))
                return i * WORD + bit / CHAR_BIT;
            left &= ~(UINT64_C(0xFF) << bit);
        }
    }
    return LANES;
}

/* Does the same for STRIDE places. */
static INLINE size_t find_in_stride(const struct regex_literal *l, const struct pair *p,
                                    const char *text) {
    const char *first = text + l->first, *second = text + l->second;
    byte_vector some, lanes;
    compare_lanes(p, first, second, &some);
    for (size_t i = LANES; i < STRIDE; i += LANES) {
        compare_lanes(p, first + i, second + i, &lanes);
        some |= lanes;
    }
    for (size_t i = 0; any(&some) && i < STRIDE; i += LANES) {
        compare_lanes(p, first + i, second + i, &lanes);
        size_t found = verify(l, text + i, &lanes);
        if (found < LANES)
            return i + found;
    }
    return STRIDE;
}

static INLINE size_t find_literal(const struct regex_literal *l, const char *text, size_t n) {
    struct pair p;
    size_t at = 0, places = n < l->len ? 0 : n - l->len + 1;
    memset(&p.first, l->text[l->first], LANES);
    memset(&p.second, l->text[l->second], LANES);
    memset(&p.first_fold, l->fold[l->first], LANES);
    memset(&p.second_fold, l->fold[l->second], LANES);
    while (places >= STRIDE && at < places) {
        /* The last stride overlaps places already known not to match. */
        at = at < places - STRIDE ? at : places - STRIDE;
        size_t found = find_in_stride(l, &p, text + at);
        if (found < STRIDE)
            return at + found;
        at += STRIDE;
    }
    for (; at < places; at++)
        if (is_at(l, text + at))
            return at;
    return n;
}

/* The same, for processors whose vectors are twice as wide. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static size_t find_wide(const struct regex_literal *l,
                                                        const char *text, size_t n) {
    return find_literal(l, text, n);
}

static bool has_wide(void) {
    return __builtin_cpu_supports("avx2");
}
#else
#define find_wide find_literal
static bool has_wide(void) {
    return false;
}
#endif

void regex_literal_init(struct regex_literal *l, const struct needle *needle, bool ignore_case) {
    *l = (struct regex_literal){.len = needle->len, .wide = has_wide()};
    for (size_t i = 0; i < l->len; i++) {
        l->fold[i] = ignore_case && is_letter(needle->text[i]) ? 0x20 : 0;
        l->text[i] = (char)(needle->text[i] | l->fold[i]);
    }
    choose_places(l);
}

size_t regex_literal_find(const struct regex_literal *l, const char *text, size_t n) {
    return l->wide ? find_wide(l, text, n) : find_literal(l, text, n);
}

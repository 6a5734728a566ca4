/* regex_plan.c -- reading a regular expression before PCRE2 does: see regex_plan.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_plan.h"

#include "regex_read.h"

#include <string.h>

/* PCRE2 itself allows 250. */
#define DEPTH_MOST 200

/* A bounded repeat with a wider range costs like an unbounded one. */
#define SPREAD_MOST 16

struct repeat {
    bool given, lazy;
    uint32_t least, most;
};

static const struct facts nothing = {.ways = 1};

static uint32_t add_capped(uint32_t a, uint32_t b) {
    return a + b < REGEX_MANY ? a + b : REGEX_MANY;
}

static uint32_t multiply(uint32_t a, uint32_t b) {
    uint64_t product = (uint64_t)a * b;
    return product < REGEX_MANY ? (uint32_t)product : REGEX_MANY;
}

static uint32_t power(uint32_t base, uint32_t exponent) {
    uint32_t product = 1;
    for (uint32_t i = 0; i < exponent && base > 1 && product < REGEX_MANY; i++)
        product = multiply(product, base);
    return product;
}

void reader_write(struct pattern_reader *r, const char *s) {
    buf_str(&r->plan->bytes, s);
    buf_str(&r->plan->utf, s);
}

static void write_range(struct pattern_reader *r, size_t length) {
    buf_add(&r->plan->bytes, r->text + r->at, length);
    buf_add(&r->plan->utf, r->text + r->at, length);
    r->at += length;
}

static void read_repeat(struct pattern_reader *r, struct repeat *out) {
    size_t length;
    *out = (struct repeat){.least = 1, .most = 1};
    if (!reader_at_repeat(r, &out->least, &out->most, &length))
        return;
    out->given = true;
    r->plan->counted |= length > 1;
    write_range(r, length);
    char how = reader_peek(r, 0);
    out->lazy = how == '?';
    r->plan->any_text &= how != '+'; /* like (?>, see the openings */
    if (how == '?' || how == '+')
        write_range(r, 1);
    uint32_t least, most;
    if (reader_at_repeat(r, &least, &most, &length))
        reader_give_up(r);
}

/* Finds out whether text may still be taken as bytes.  There, `.` can match a part of a character,
 * so `.x` and `.{3}` need characters.  `.*` does not: whatever follows it begins and ends where
 * characters do.  Neither does one greedy `.+`; but two of them could share one character. */
static void judge_wide(struct pattern_reader *r, const struct repeat *repeat, struct facts *f) {
    bool unbounded = repeat->most == UINT32_MAX;
    if (unbounded && repeat->least == 0)
        return;
    f->wide_plus = true;
    r->wide_plus++;
    if (!unbounded || repeat->least > 1 || repeat->lazy || r->wide_plus > 1)
        r->plan->any_text = false;
}

/* A repeat of an item with one way and no repeat inside costs one unbounded repeat.  A repeat of
 * anything else is nested, which can take exponential time. */
static void judge_cost(const struct repeat *repeat, struct facts *f) {
    uint32_t spread = repeat->most - repeat->least;
    bool simple = f->ways == 1 && f->repeats == 0;
    if (repeat->most == UINT32_MAX || (spread > SPREAD_MOST && simple)) {
        f->repeats = simple ? 1 : REGEX_MANY;
        return;
    }
    f->repeats = multiply(f->repeats, repeat->most);
    f->ways = multiply(power(f->ways, repeat->most), add_capped(spread, 1));
}

static void apply_repeat(struct pattern_reader *r, struct pattern_item *item,
                         const struct repeat *repeat) {
    if (item->kind == ITEM_EMPTY) {
        if (repeat->given)
            reader_give_up(r);
        return;
    }
    if (item->kind == ITEM_WIDE)
        judge_wide(r, repeat, &item->facts);
    else if (item->facts.wide_plus && repeat->most > 1)
        r->plan->any_text = false;
    if (repeat->least == 0)
        item->facts.needles.n = 0;
    if (repeat->given)
        judge_cost(repeat, &item->facts);
}

/* Continues RUN with this item, or ends it. */
static void continue_run(const struct pattern_reader *r, struct run *run,
                         const struct pattern_item *item, const struct repeat *repeat,
                         struct needles *best) {
    if (item->kind == ITEM_EMPTY)
        return;
    if (item->kind != ITEM_CHARACTER || repeat->least == 0) {
        run_end(run, best);
        return;
    }
    run_add(r, run, item, best);
    if (repeat->most > 1) { /* the last repetition begins what follows */
        run_end(run, best);
        run_add(r, run, item, best);
    }
}

static void read_group(struct pattern_reader *r, struct pattern_item *item);

/* Reads items up to `|`, `)` or the end.  In a sequence ways multiply and unbounded repeats add up.
 */
static void read_sequence(struct pattern_reader *r, struct facts *all) {
    struct run run = {0};
    *all = nothing;
    for (;;) {
        read_quotes(r);
        char next = reader_peek(r, 0);
        if (!reader_more(r) || (!r->quoting && (next == '|' || next == ')')))
            break;
        struct pattern_item item;
        struct repeat repeat;
        if (next == '(' && !r->quoting)
            read_group(r, &item);
        else
            read_item(r, &item);
        read_repeat(r, &repeat);
        continue_run(r, &run, &item, &repeat, &all->needles);
        apply_repeat(r, &item, &repeat);
        all->ways = multiply(all->ways, item.facts.ways);
        all->repeats = add_capped(all->repeats, item.facts.repeats);
        all->wide_plus |= item.facts.wide_plus;
        needles_both(&all->needles, &item.facts.needles);
    }
    run_end(&run, &all->needles);
}

/* Ways of alternatives add up, but only the worst repeats count.  A needle of one alternative need
 * not be in the others, so the needles of all are kept. */
static void read_alternatives(struct pattern_reader *r, struct facts *all) {
    read_sequence(r, all);
    while (reader_more(r) && reader_peek(r, 0) == '|') {
        struct facts branch;
        write_range(r, 1);
        read_sequence(r, &branch);
        all->ways = add_capped(all->ways, branch.ways);
        all->repeats = all->repeats > branch.repeats ? all->repeats : branch.repeats;
        all->wide_plus |= branch.wide_plus;
        needles_either(&all->needles, &branch.needles);
    }
}

/* Reads (?i) or (?s-i:...  The flags s and m are dropped: `.` is written as \N, and ^ and $ always
 * match at lines.  The flag x would change how everything is read. */
static bool read_flags(struct pattern_reader *r) {
    struct {
        char text[8];
        size_t n;
    } kept = {{0}, 0};
    size_t at = r->at + 2;
    for (; at < r->n && strchr("imsnJU-", r->text[at]); at++) {
        char flag = r->text[at];
        r->plan->newline |= flag == 's';
        r->plan->any_text &= flag != 'U'; /* U makes `.+` lazy */
        if (flag == 'm' || flag == 's')
            continue;
        if (kept.n == sizeof kept.text - 1) {
            reader_give_up(r);
            return false;
        }
        kept.text[kept.n++] = flag;
    }
    bool group = at < r->n && r->text[at] == ':';
    if (!group && (at == r->n || r->text[at] != ')'))
        reader_give_up(r);
    r->at = at + 1;
    reader_write(r, "(?");
    reader_write(r, kept.text);
    reader_write(r, group ? ":" : ")");
    return group;
}

/* Lookaround and atomic groups need characters: with bytes, a match could begin in the middle of a
 * character that such a group must match as a whole. */
struct opening {
    const char *text;
    bool any_text, negative;
};

static const struct opening openings[] = {
    {"(?:", true, false}, {"(?|", true, false},   {"(?>", false, false}, {"(?=", false, false},
    {"(?!", false, true}, {"(?<=", false, false}, {"(?<!", false, true},
};

static const struct opening *find_opening(const struct pattern_reader *r) {
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        size_t n = strlen(openings[i].text);
        if (r->n - r->at >= n && memcmp(r->text + r->at, openings[i].text, n) == 0)
            return &openings[i];
    }
    return NULL;
}

/* The length of (?<name>, (?P<name> or (?'name' at `at`; 0 when it is none of these. */
static size_t named_opening(const struct pattern_reader *r) {
    size_t length = reader_peek(r, 2) == 'P' ? 3 : 2;
    char open = reader_peek(r, length++), close = open == '<' ? '>' : open;
    if (open != '<' && (open != '\'' || length == 4))
        return 0;
    size_t name = length;
    while (is_ascii_word(reader_peek(r, length)))
        length++;
    return length > name && reader_peek(r, length) == close ? length + 1 : 0;
}

/* Passes the opening of a group.  False when that was the whole group, as in (?i). */
static bool read_group_start(struct pattern_reader *r, const struct opening **look) {
    static const struct opening plain = {"(", true, false};
    const struct opening *known = find_opening(r);
    *look = known ? known : &plain;
    size_t length = known ? strlen(known->text) : reader_peek(r, 1) == '?' ? named_opening(r) : 1;
    if (reader_peek(r, 1) == '*') {
        reader_give_up(r);
        return false;
    }
    if (length == 0)
        return read_flags(r);
    write_range(r, length);
    return true;
}

static void read_group(struct pattern_reader *r, struct pattern_item *item) {
    *item = (struct pattern_item){.kind = ITEM_EMPTY, .facts = nothing};
    const struct opening *opening;
    if (!read_group_start(r, &opening) || r->lost)
        return;
    item->kind = ITEM_GROUP;
    if (++r->depth > DEPTH_MOST) {
        reader_give_up(r);
        return;
    }
    read_alternatives(r, &item->facts);
    r->depth--;
    if (reader_peek(r, 0) != ')' || r->lost) {
        reader_give_up(r);
        return;
    }
    write_range(r, 1);
    if (opening->negative)
        item->facts.needles.n = 0;
    r->plan->any_text &= opening->any_text;
}

/* Is there a (?i) anywhere?  It may come after what it does not apply to, but that costs only
 * speed. */
static bool has_case_flag(const char *text, size_t n) {
    for (size_t i = 0; i + 2 < n; i++)
        if (text[i] == '(' && text[i + 1] == '?')
            for (size_t j = i + 2; j < n && strchr("imsxnJUa-^", text[j]); j++)
                if (text[j] == 'i')
                    return true;
    return false;
}

void regex_plan_distrust(struct regex_plan *plan, const char *pattern, size_t n) {
    buf_clear(&plan->utf);
    buf_add(&plan->utf, pattern, n);
    plan->understood = plan->any_text = false;
    plan->by_line = plan->utf_only = true;
    plan->ways = plan->repeats = REGEX_MANY;
    plan->needles.n = 0;
}

/* PCRE2 10.42's JIT code remembers where a repeat was tried in vain, so as not to try it there
 * again.  It errs after a group that has alternatives or is atomic: (?:foo:|foo)\w*:bar misses
 * "foo:bar".  It remembers this for at most four levels of groups, so five more groups around the
 * pattern prevent the error.  The metered form is not affected, because callouts switch the
 * optimisation off. */
#define FORGETTING "(?:(?:(?:(?:(?:"
#define FORGETTING_END ")))))"

static bool may_mislead(const char *pattern, size_t n) {
    bool group = false, alternative = false;
    for (size_t i = 0; i < n; i++) {
        group |= pattern[i] == '(';
        alternative |= pattern[i] == '|';
        if (i > 0 && pattern[i] == '+' &&
            strchr("*+?}", pattern[i - 1])) /* possessive, so atomic */
            return true;
        if (i > 1 && memcmp(pattern + i - 2, "(?>", 3) == 0)
            return true;
    }
    return group && alternative;
}

bool regex_plan_read(struct regex_plan *plan, const char *pattern, size_t n, bool ignore_case,
                     bool literal) {
    *plan = (struct regex_plan){
        .understood = true,
        .any_text = true,
        .ignore_case = ignore_case || (!literal && has_case_flag(pattern, n)),
    };
    struct pattern_reader r = {
        .plan = plan, .text = pattern, .n = n, .literal = literal, .quoting = literal};
    struct facts facts;
    bool mislead = may_mislead(pattern, n);
    reader_write(&r, mislead ? FORGETTING : "");
    read_alternatives(&r, &facts);
    reader_write(&r, mislead ? FORGETTING_END : "");
    plan->ways = facts.ways;
    plan->repeats = facts.repeats;
    plan->needles = facts.needles;
    plan->any_text &= !plan->utf_only;
    if (r.lost || r.at < r.n)
        regex_plan_distrust(plan, pattern, n);
    return !plan->bytes.failed && !plan->utf.failed;
}

void regex_plan_free(struct regex_plan *plan) {
    buf_free(&plan->bytes);
    buf_free(&plan->utf);
}

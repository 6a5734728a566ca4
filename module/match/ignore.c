/* ignore.c -- the rules of a .gitignore: see ignore.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignore.h"

#include "array.h"
#include "ignore_match.h"
#include "intern.h"

#include <stdlib.h>
#include <string.h>

/* How a rule is found. */
enum rule_way {
    BY_NAME,   /* the name is its pattern */
    BY_PATH,   /* the path is its pattern */
    BY_ENDING, /* the name ends in its pattern, which stood behind a star */
    RULE_WAYS,
    BY_TRYING = RULE_WAYS
};

struct ignore_rule {
    const char *pattern;
    size_t n;
    size_t head; /* it begins with as many bytes that match only themselves */
    enum rule_way way;
    bool keeps;       /* it began with `!` */
    bool directories; /* it ended with a slash: matches directories only */
    bool anchored;    /* it has a slash: matches whole paths, not names at any depth */
};

/* The rules that are found in one way, by what they have as pattern. */
struct rules_by_pattern {
    struct intern patterns;
    uint32_t (*last)[2]; /* the number + 1 of the last such rule: for all, for directories */
};

/* No name is longer. */
#define ENDING_MOST 255

struct ignore {
    char *text;
    struct ignore_rule *rules;
    size_t n, room;
    struct rules_by_pattern by[RULE_WAYS];
    bool has_ending[ENDING_MOST + 1]; /* of so many bytes */
    size_t longest_ending;
    uint32_t *tried; /* the numbers of rules that are tried one by one */
    size_t tried_count;
};

void ignore_free(struct ignore *rules) {
    if (!rules)
        return;
    for (int way = 0; way < RULE_WAYS; way++) {
        intern_close(&rules->by[way].patterns);
        free(rules->by[way].last);
    }
    free(rules->text);
    free(rules->rules);
    free(rules->tried);
    free(rules);
}

/* -- reading ------------------------------------------------------------------------------------
 */

/* Cuts spaces off the end, unless the last one is escaped. */
static size_t trim(const char *line, size_t n) {
    while (n > 0 && line[n - 1] == ' ') {
        size_t slashes = 0;
        while (slashes < n - 1 && line[n - 2 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 1)
            break;
        n--;
    }
    return n;
}

static bool add_ignore_rule(struct ignore *rules, struct ignore_rule rule) {
    if (rule.way == BY_TRYING && ++rules->tried_count > IGNORE_TRIED_MAX) {
        rules->tried_count--;
        return true;
    }
    struct ignore_rule *grown =
        array_with_room(rules->rules, rules->n, &rules->room, sizeof *grown);
    if (!grown)
        return false;
    rules->rules = grown;
    rules->rules[rules->n++] = rule;
    return true;
}

/* A rule of the pattern that is left of a line without what stands around it. */
static struct ignore_rule rule_of_pattern(struct ignore_rule rule) {
    /* A pattern for any depth is one for a name. */
    if (rule.anchored && rule.n > 3 && memcmp(rule.pattern, "**/", 3) == 0 &&
        !memchr(rule.pattern + 3, '/', rule.n - 3)) {
        rule.pattern += 3, rule.n -= 3;
        rule.anchored = false;
    }
    rule.head = ignore_literal_head(rule.pattern, rule.n);
    rule.way = BY_TRYING;
    if (rule.head == rule.n) {
        rule.way = rule.anchored ? BY_PATH : BY_NAME;
    } else if (!rule.anchored && rule.pattern[0] == '*' && rule.n - 1 <= ENDING_MOST &&
               ignore_literal_head(rule.pattern + 1, rule.n - 1) == rule.n - 1) {
        rule.way = BY_ENDING;
        rule.pattern++, rule.n--;
    }
    return rule;
}

/* False without memory.  A comment or an empty line adds no rule. */
static bool read_ignore_line(struct ignore *rules, const char *line, size_t n) {
    struct ignore_rule rule = {0};
    if (n > 0 && line[n - 1] == '\r')
        n--;
    n = strnlen(line, n); /* to git, a line ends at a NUL */
    if (n == 0 || line[0] == '#')
        return true;
    n = trim(line, n);
    if (n > 0 && line[0] == '!') {
        rule.keeps = true;
        line++, n--;
    }
    if (n > 0 && line[n - 1] == '/') {
        rule.directories = true;
        n--;
    }
    rule.anchored = memchr(line, '/', n) != NULL;
    if (n > 0 && line[0] == '/')
        line++, n--;
    rule.pattern = line;
    rule.n = n;
    return n == 0 || n > IGNORE_PATTERN_MAX || add_ignore_rule(rules, rule_of_pattern(rule));
}

static bool open_ways(struct ignore *rules) {
    size_t count[RULE_WAYS + 1] = {0};
    for (size_t i = 0; i < rules->n; i++)
        count[rules->rules[i].way]++;
    for (int way = 0; way < RULE_WAYS; way++) {
        struct rules_by_pattern *by = &rules->by[way];
        if (count[way] == 0)
            continue;
        by->last = calloc(count[way], sizeof *by->last);
        if (!by->last || !intern_open(&by->patterns, count[way]))
            return false;
    }
    rules->tried = calloc(count[BY_TRYING] + 1, sizeof *rules->tried);
    rules->tried_count = 0;
    return rules->tried != NULL;
}

/* Puts each rule where ignore_says looks for it; false without memory. */
static bool order_rules(struct ignore *rules) {
    if (!open_ways(rules))
        return false;
    for (uint32_t i = 0; i < rules->n; i++) {
        const struct ignore_rule *rule = &rules->rules[i];
        if (rule->way == BY_TRYING) {
            rules->tried[rules->tried_count++] = i;
            continue;
        }
        struct rules_by_pattern *by = &rules->by[rule->way];
        by->last[intern_add(&by->patterns, rule->pattern, rule->n)][rule->directories] = i + 1;
        if (rule->way == BY_ENDING)
            rules->has_ending[rule->n] = true;
        if (rule->way == BY_ENDING && rule->n > rules->longest_ending)
            rules->longest_ending = rule->n;
    }
    return true;
}

#define MARK 3 /* bytes */

static bool begins_with_mark(const char *text, size_t n) {
    return n >= MARK && memcmp(text, "\xEF\xBB\xBF", MARK) == 0;
}

void ignore_end_file(struct buf *out, size_t from) {
    if (!out->failed && out->len > from && begins_with_mark(out->data + from, out->len - from)) {
        out->len -= MARK;
        memmove(out->data + from, out->data + from + MARK, out->len - from);
    }
    buf_char(out, '\n');
}

struct ignore *ignore_read(const char *text, size_t n) {
    struct ignore *rules = calloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    if (begins_with_mark(text, n))
        text += MARK, n -= MARK;
    rules->text = malloc(n + 1);
    bool whole = rules->text != NULL;
    if (whole)
        memcpy(rules->text, text, n);
    for (size_t at = 0; whole && at < n;) {
        const char *line = rules->text + at;
        const char *end = memchr(line, '\n', n - at);
        size_t length = end ? (size_t)(end - line) : n - at;
        whole = read_ignore_line(rules, line, length);
        at += length + 1;
    }
    if (whole && order_rules(rules))
        return rules;
    ignore_free(rules);
    return NULL;
}

/* -- asking -------------------------------------------------------------------------------------
 */

/* The number + 1 of the last rule with this pattern, or 0. */
static uint32_t last_by(const struct rules_by_pattern *by, const char *pattern, size_t n,
                        bool is_directory) {
    uint32_t at = by->last ? intern_find(&by->patterns, pattern, n) : INTERN_NONE;
    if (at == INTERN_NONE)
        return 0;
    const uint32_t *last = by->last[at];
    return is_directory && last[1] > last[0] ? last[1] : last[0];
}

static uint32_t last_by_ending(const struct ignore *rules, const char *name, size_t n,
                               bool is_directory, uint32_t last) {
    for (size_t i = 0; rules->by[BY_ENDING].last && i <= rules->longest_ending && i <= n; i++) {
        if (!rules->has_ending[i])
            continue;
        uint32_t found = last_by(&rules->by[BY_ENDING], name + n - i, i, is_directory);
        last = found > last ? found : last;
    }
    return last;
}

static bool matches_rule(const struct ignore_rule *rule, const char *what, size_t n, size_t *left) {
    --*left;
    if (n < rule->head || memcmp(rule->pattern, what, rule->head) != 0)
        return false;
    return ignore_matches(rule->pattern + rule->head, rule->n - rule->head, what + rule->head,
                          n - rule->head, rule->anchored, left);
}

bool ignore_is_empty(const struct ignore *rules) {
    return rules->n == 0;
}

enum ignored ignore_says(const struct ignore *rules, const char *path, size_t n, bool is_directory,
                         size_t *left) {
    if (!rules || ignore_is_empty(rules))
        return IGNORE_UNSAID;
    const char *slash = memrchr(path, '/', n);
    const char *name = slash ? slash + 1 : path;
    size_t name_n = n - (size_t)(name - path);
    uint32_t last = last_by(&rules->by[BY_NAME], name, name_n, is_directory);
    uint32_t by_path = last_by(&rules->by[BY_PATH], path, n, is_directory);
    last = last_by_ending(rules, name, name_n, is_directory, by_path > last ? by_path : last);
    for (size_t i = rules->tried_count; i-- > 0 && rules->tried[i] >= last && *left > 0;) {
        const struct ignore_rule *rule = &rules->rules[rules->tried[i]];
        if (rule->directories && !is_directory)
            continue;
        if (rule->anchored ? matches_rule(rule, path, n, left)
                           : matches_rule(rule, name, name_n, left)) {
            last = rules->tried[i] + 1;
            break;
        }
    }
    if (last == 0)
        return IGNORE_UNSAID;
    return rules->rules[last - 1].keeps ? IGNORE_KEEP : IGNORE_IT;
}

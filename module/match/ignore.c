/* ignore.c -- the rules of a .gitignore: see ignore.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignore.h"

#include "array.h"
#include "ignore_match.h"

#include <stdlib.h>
#include <string.h>

struct ignore_rule {
    const char *pattern;
    size_t n;
    bool keeps;       /* it began with `!` */
    bool directories; /* it ended with a slash: matches directories only */
    bool anchored;    /* it has a slash: matches whole paths, not names at any depth */
    bool literal;     /* it has no special characters */
};

struct ignore {
    char *text;
    struct ignore_rule *rules;
    size_t n, room;
};

void ignore_free(struct ignore *rules) {
    if (!rules)
        return;
    free(rules->text);
    free(rules->rules);
    free(rules);
}

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
    struct ignore_rule *grown =
        array_with_room(rules->rules, rules->n, &rules->room, sizeof *grown);
    if (!grown)
        return false;
    rules->rules = grown;
    rules->rules[rules->n++] = rule;
    return true;
}

/* False without memory.  A comment or an empty line adds no rule. */
static bool read_ignore_line(struct ignore *rules, const char *line, size_t n) {
    struct ignore_rule rule = {0};
    if (n > 0 && line[n - 1] == '\r')
        n--;
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
    if (n == 0)
        return true;
    rule.anchored = memchr(line, '/', n) != NULL;
    if (line[0] == '/')
        line++, n--;
    rule.pattern = line;
    rule.n = n;
    rule.literal = ignore_is_literal(line, n);
    return n == 0 || add_ignore_rule(rules, rule);
}

struct ignore *ignore_read(const char *text, size_t n) {
    struct ignore *rules = calloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3, n -= 3;
    rules->text = malloc(n + 1);
    bool whole = rules->text != NULL;
    if (whole)
        memcpy(rules->text, text, n);
    for (size_t at = 0; whole && at < n && rules->n < IGNORE_RULES_MAX;) {
        const char *line = rules->text + at;
        const char *end = memchr(line, '\n', n - at);
        size_t length = end ? (size_t)(end - line) : n - at;
        whole = read_ignore_line(rules, line, length);
        at += length + 1;
    }
    if (whole)
        return rules;
    ignore_free(rules);
    return NULL;
}

size_t ignore_count(const struct ignore *rules) {
    return rules ? rules->n : 0;
}

static bool matches_rule(const struct ignore_rule *rule, const char *path, size_t n,
                         const char *name, size_t name_n) {
    const char *what = rule->anchored ? path : name;
    size_t what_n = rule->anchored ? n : name_n;
    if (rule->literal)
        return rule->n == what_n && memcmp(rule->pattern, what, what_n) == 0;
    return ignore_matches(rule->pattern, rule->n, what, what_n);
}

enum ignored ignore_says(const struct ignore *rules, const char *path, size_t n,
                         bool is_directory) {
    if (!rules || rules->n == 0)
        return IGNORE_UNSAID;
    const char *slash = memrchr(path, '/', n);
    const char *name = slash ? slash + 1 : path;
    size_t name_n = n - (size_t)(name - path);
    for (size_t i = rules->n; i-- > 0;) {
        const struct ignore_rule *rule = &rules->rules[i];
        if ((is_directory || !rule->directories) && matches_rule(rule, path, n, name, name_n))
            return rule->keeps ? IGNORE_KEEP : IGNORE_IT;
    }
    return IGNORE_UNSAID;
}

/* ignore_match.c -- matching one pattern of a .gitignore with one path: see ignore_match.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignore_match.h"

#include <string.h>

struct set_cursor {
    const char *at, *end;
};

size_t ignore_literal_head(const char *pattern, size_t n) {
    size_t i = 0;
    while (i < n && !strchr("*?[\\", pattern[i]))
        i++;
    return i;
}

/* -- sets: [a-z_[:digit:]] ----------------------------------------------------------------------
 */

static bool in_range(unsigned char c, unsigned char from, unsigned char to) {
    return c >= from && c <= to;
}

enum class_answer { CLASS_LACKS, CLASS_HAS, CLASS_UNKNOWN };

/* isalpha and its like would ask the locale.  To git, a form feed is no space. */
static enum class_answer ask_class(const char *name, size_t n, unsigned char c) {
    bool upper = in_range(c, 'A', 'Z'), lower = in_range(c, 'a', 'z'),
         digit = in_range(c, '0', '9');
    bool visible = in_range(c, '!', '~');
    bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    const struct {
        const char *name;
        bool has;
    } classes[] = {
        {"alnum", upper || lower || digit},
        {"alpha", upper || lower},
        {"blank", c == ' ' || c == '\t'},
        {"cntrl", c < ' ' || c == 0x7F},
        {"digit", digit},
        {"graph", visible},
        {"lower", lower},
        {"print", visible || c == ' '},
        {"punct", visible && !upper && !lower && !digit},
        {"space", space},
        {"upper", upper},
        {"xdigit", digit || in_range(c, 'a', 'f') || in_range(c, 'A', 'F')},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == n && memcmp(classes[i].name, name, n) == 0)
            return classes[i].has ? CLASS_HAS : CLASS_LACKS;
    return CLASS_UNKNOWN;
}

/* Takes `[:name:]`, of which P is at the opening bracket, and moves P to the closing one.  Where it
 * is no class, that bracket is a member like others.  False where nothing can match. */
static bool take_class(struct set_cursor *p, unsigned char c, bool *found, unsigned char *last) {
    const char *name = p->at + 2;
    const char *close = memchr(name, ']', (size_t)(p->end - name));
    if (!close)
        return false;
    if (close == name || close[-1] != ':') {
        *found = *found || c == '[';
        *last = '[';
        return true;
    }
    enum class_answer answer = ask_class(name, (size_t)(close - 1 - name), c);
    *found = *found || answer == CLASS_HAS;
    *last = 0;
    p->at = close;
    return answer != CLASS_UNKNOWN;
}

static bool begins_range(struct set_cursor p, unsigned char last) {
    return *p.at == '-' && last && p.end - p.at > 1 && p.at[1] != ']';
}

static bool skip_backslash(struct set_cursor *p) {
    if (*p->at == '\\')
        p->at++;
    return p->at < p->end;
}

/* Takes one member of a set: P moves to its last byte, and *LAST is what a range could begin with.
 * False where nothing can match. */
static bool take_member(struct set_cursor *p, unsigned char c, bool *found, unsigned char *last) {
    if (begins_range(*p, *last)) {
        p->at++;
        if (!skip_backslash(p))
            return false;
        *found = *found || in_range(c, *last, (unsigned char)*p->at);
        *last = 0;
        return true;
    }
    if (p->end - p->at > 1 && p->at[0] == '[' && p->at[1] == ':')
        return take_class(p, c, found, last);
    if (!skip_backslash(p))
        return false;
    *last = (unsigned char)*p->at;
    *found = *found || c == *last;
    return true;
}

/* Does the set contain C?  P is behind the opening bracket and is moved behind the closing one. */
static bool take_set(struct set_cursor *p, unsigned char c) {
    bool inverted = p->at < p->end && (*p->at == '!' || *p->at == '^'), found = false;
    unsigned char last = 0;
    p->at += inverted;
    do {
        if (p->at == p->end || !take_member(p, c, &found, &last))
            return false;
        p->at++;
    } while (p->at == p->end || *p->at != ']');
    p->at++;
    return found != inverted;
}

/* -- the whole ----------------------------------------------------------------------------------
 */

/* Matches the next part of the pattern, which is not a star, with one byte. */
static bool take_one(struct set_cursor *p, char c, bool in_path) {
    switch (*p->at) {
    case '?':
        p->at++;
        return !in_path || c != '/';
    case '[':
        p->at++;
        return take_set(p, (unsigned char)c) && (!in_path || c != '/');
    case '\\':
        if (!skip_backslash(p))
            return false;
        break;
    default:
        break;
    }
    return *p->at++ == c;
}

enum star_kind {
    STAR_NONE,
    STAR_NAME, /* no slash, in a path */
    STAR_ANY,  /* anything */
    STAR_DIRS  /* nothing, or what ends in a slash */
};

/* Stars, and how much of the text they have matched so far. */
struct star {
    enum star_kind kind;
    struct set_cursor behind, rest;
};

/* Takes the stars at P, of a pattern that begins at BEGIN. */
static enum star_kind take_stars(struct set_cursor *p, const char *begin, bool in_path) {
    const char *first = p->at;
    while (p->at < p->end && *p->at == '*')
        p->at++;
    if (!in_path || p->at - first < 2 || (first > begin && first[-1] != '/'))
        return STAR_NAME;
    if (p->at == p->end || (p->end - p->at > 1 && p->at[0] == '\\' && p->at[1] == '/'))
        return STAR_ANY;
    if (*p->at != '/')
        return STAR_NAME;
    p->at++;
    return STAR_DIRS;
}

/* Lets the stars match more of the text; false where they cannot. */
static bool extend_star(struct star *star, bool in_path) {
    struct set_cursor *rest = &star->rest;
    if (star->kind == STAR_NONE || rest->at == rest->end ||
        (star->kind == STAR_NAME && in_path && *rest->at == '/'))
        return false;
    const char *slash = rest->at;
    if (star->kind == STAR_DIRS)
        slash = memchr(rest->at, '/', (size_t)(rest->end - rest->at));
    if (slash)
        rest->at = slash + 1;
    return slash != NULL;
}

/* Goes back to the last star, and if it cannot match more, to the last one that matches slashes.
 * The part before that one has matched as early as it can, so giving it more would not help. */
static bool go_back(struct star *name, struct star *deep, bool in_path, struct set_cursor *p,
                    struct set_cursor *s) {
    struct star *star = name;
    if (!extend_star(star, in_path)) {
        name->kind = STAR_NONE;
        star = deep;
        if (!extend_star(star, in_path))
            return false;
    }
    *p = star->behind;
    *s = star->rest;
    return true;
}

bool ignore_matches(const char *pattern, size_t n, const char *text, size_t text_n, bool in_path,
                    size_t *left) {
    struct set_cursor p = {pattern, pattern + n}, s = {text, text + text_n};
    struct star name = {0}, deep = {0};
    for (; *left > 0; --*left) {
        if (p.at < p.end && *p.at == '*') {
            struct star star = {.kind = take_stars(&p, pattern, in_path)};
            star.behind = p;
            star.rest = s;
            name = star.kind == STAR_NAME ? star : (struct star){0};
            deep = star.kind == STAR_NAME ? deep : star;
            continue;
        }
        if (p.at == p.end && s.at == s.end)
            return true;
        if (p.at < p.end && s.at < s.end && take_one(&p, *s.at, in_path))
            s.at++;
        else if (!go_back(&name, &deep, in_path, &p, &s))
            return false;
    }
    return false;
}

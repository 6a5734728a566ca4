/* ignore_match.c -- matching one pattern of a .gitignore with one path: see ignore_match.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignore_match.h"

#include <string.h>

bool ignore_is_literal(const char *pattern, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strchr("*?[\\", pattern[i]))
            return false;
    return true;
}

/* -- sets: [a-z_[:digit:]] ----------------------------------------------------------------------
 */

struct set_cursor {
    const char *at, *end;
};

static bool in_range(unsigned char c, char from, char to) {
    return c >= (unsigned char)from && c <= (unsigned char)to;
}

/* isalpha and its like would ask the locale. */
static bool in_class(const char *name, size_t n, unsigned char c) {
    bool upper = in_range(c, 'A', 'Z'), lower = in_range(c, 'a', 'z'),
         digit = in_range(c, '0', '9');
    bool visible = in_range(c, '!', '~'), space = c == ' ' || in_range(c, '\t', '\r');
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
            return classes[i].has;
    return false;
}

/* The end of `[:name:]`, or NULL when there is none.  HAS is whether the class contains C. */
static const char *take_class(struct set_cursor p, unsigned char c, bool *has) {
    if (p.end - p.at < 4 || p.at[0] != '[' || p.at[1] != ':')
        return NULL;
    const char *close = memchr(p.at, ']', (size_t)(p.end - p.at));
    if (!close || close[-1] != ':' || close - p.at < 3)
        return NULL;
    *has = in_class(p.at + 2, (size_t)(close - 1 - (p.at + 2)), c);
    return close + 1;
}

/* Takes one member of a set and unescapes it.  False at the end of the pattern. */
static bool take_member(struct set_cursor *p, char *out) {
    if (p->at < p->end && *p->at == '\\')
        p->at++;
    if (p->at == p->end)
        return false;
    *out = *p->at++;
    return true;
}

/* Does the set contain C?  P is after the opening bracket and is moved after the closing one. False
 * also when the set is not closed. */
static bool take_set(struct set_cursor *p, unsigned char c) {
    bool inverted = p->at < p->end && (*p->at == '!' || *p->at == '^'), found = false;
    p->at += inverted;
    for (bool first = true; p->at < p->end; first = false) {
        bool has = false;
        if (*p->at == ']' && !first) {
            p->at++;
            return found != inverted;
        }
        const char *behind = take_class(*p, c, &has);
        if (behind) {
            p->at = behind;
            found = found || has;
            continue;
        }
        char from = 0, to;
        if (!take_member(p, &from))
            return false;
        to = from;
        if (p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            if (!take_member(p, &to))
                return false;
        }
        found = found || in_range(c, from, to);
    }
    p->at = p->end;
    return false;
}

/* -- one segment --------------------------------------------------------------------------------
 */

/* Matches the next part of the pattern, which is not a star, with one byte. */
static bool take_one(struct set_cursor *p, char c) {
    switch (*p->at) {
    case '?':
        p->at++;
        return true;
    case '[':
        p->at++;
        return take_set(p, (unsigned char)c);
    case '\\':
        if (p->end - p->at > 1)
            p->at++;
        break;
    default:
        break;
    }
    return *p->at++ == c;
}

/* Backtracks only to the last star.  Everything before that star has matched as early as it can, so
 * giving it more would not help. */
static bool segment_matches(struct set_cursor p, struct set_cursor s) {
    struct set_cursor star = {0}, from = {0};
    for (;;) {
        if (p.at < p.end && *p.at == '*') {
            p.at++;
            star = p;
            from = s;
            continue;
        }
        if (p.at == p.end && s.at == s.end)
            return true;
        if (p.at < p.end && s.at < s.end && take_one(&p, *s.at)) {
            s.at++;
            continue;
        }
        if (!star.at || from.at == from.end)
            return false;
        from.at++;
        p = star;
        s = from;
    }
}

/* -- whole paths --------------------------------------------------------------------------------
 */

/* Takes the next segment and moves REST after its slash. */
static struct set_cursor take_segment(struct set_cursor *rest) {
    const char *slash = memchr(rest->at, '/', (size_t)(rest->end - rest->at));
    struct set_cursor segment = {rest->at, slash ? slash : rest->end};
    rest->at = slash ? slash + 1 : rest->end;
    return segment;
}

static bool is_any(struct set_cursor segment) {
    return segment.end - segment.at == 2 && memcmp(segment.at, "**", 2) == 0;
}

/* The same loop as in segment_matches, with segments for bytes and `**` for the star. */
bool ignore_matches(const char *pattern, size_t n, const char *path, size_t path_n) {
    struct set_cursor p = {pattern, pattern + n}, s = {path, path + path_n}, any = {0}, from = {0};
    for (;;) {
        struct set_cursor next_p = p, next_s = s;
        struct set_cursor wanted = take_segment(&next_p);
        if (p.at < p.end && is_any(wanted)) {
            if (next_p.at == next_p.end)
                return s.at <
                       s.end; /* everything below the directory, but not the directory itself */
            any = p = next_p;
            from = s;
            continue;
        }
        if (p.at == p.end && s.at == s.end)
            return true;
        if (p.at < p.end && s.at < s.end && segment_matches(wanted, take_segment(&next_s))) {
            p = next_p;
            s = next_s;
            continue;
        }
        if (!any.at || from.at == from.end)
            return false;
        (void)take_segment(&from);
        p = any;
        s = from;
    }
}

/* patch_names.c -- deciding which file the names in a section's header mean.
 *
 *     diff --git a/old b/new           names that may carry prefixes
 *     rename from old                  names as they are
 *     --- a/old <tab> a date           the names again, or /dev/null
 *     +++ b/new
 *
 * Names that are given twice must agree.  Git writes a/ and b/ before names
 * unless told otherwise, and both are also valid directories; so a prefix
 * counts as one only if the other name proves it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_header.h"

#include "path.h"

#include <string.h>

struct unsure {
    struct unsure *next;
    size_t file; /* the file's only path begins with a/ or b/ */
};

/* Git's a/ and b/, the pairs of diff.mnemonicPrefix, and each pair reversed. */
static bool is_pair(char left, char right) {
    static const char pairs[] = "abba"
                                "iwwi"
                                "ciic"
                                "cwwc"
                                "owwo"
                                "1221";
    for (const char *p = pairs; *p; p += 2) {
        if (p[0] == left && p[1] == right)
            return true;
    }
    return false;
}

static bool has_prefixes(const char *left, const char *right) {
    return is_pair(left[0], right[0]) && left[1] == '/' && right[1] == '/' && left[2] && right[2];
}

/* The name that both sides give, without prefixes; NULL when they differ. */
static const char *common_name(const char *left, const char *right,
                               struct patch_prefixes *prefixes) {
    if (strcmp(left, right) == 0) {
        prefixes->missed = true;
        return left;
    }
    if (!has_prefixes(left, right) || strcmp(left + 2, right + 2) != 0)
        return NULL;
    prefixes->seen = true;
    return left + 2;
}

static int fail_names(struct patch_reader *r, const struct patch_names *h) {
    return patch_fail(r, h->line,
                      "the names of the file do not agree; where it is renamed, \"rename from\" "
                      "and \"rename to\" must say so");
}

/* The length of the first of the two names after "diff --git ".  Git does not quote names with
 * spaces.  Then both names have the same length, or the lines of a rename give their lengths. */
static size_t split_git(const struct patch_names *h) {
    size_t quoted = patch_quoted_length(h->git, h->git_n);
    if (quoted > 0)
        return quoted;
    const char *second =
        h->git_n > 0 && h->git[h->git_n - 1] == '"' ? memmem(h->git, h->git_n, " \"", 2) : NULL;
    if (second)
        return (size_t)(second - h->git);
    if (!h->from)
        return h->git_n / 2;
    size_t names = strlen(h->from) + strlen(h->to) + 1;
    return strlen(h->from) + (h->git_n == names + 4 ? 2 : 0);
}

static int git_names(struct patch_reader *r, const struct patch_names *h, const char **left,
                     const char **right) {
    size_t split = split_git(h);
    if (split >= h->git_n || h->git[split] != ' ')
        return fail_names(r, h);
    int code = patch_read_path(r, h->line, h->git, split, left);
    if (code)
        return code;
    return patch_read_path(r, h->line, h->git + split + 1, h->git_n - split - 1, right);
}

/* Decides a section that begins with `diff --git`. */
static int decide_git(struct patch_reader *r, const struct patch_names *h, struct patch_file *f,
                      struct patch_prefixes *prefixes) {
    const char *left = "", *right = "";
    int code = git_names(r, h, &left, &right);
    if (code != AQFS_OK)
        return code;
    if (h->has_pair && ((h->minus == NULL) != h->adds || (h->plus == NULL) != h->deletes))
        return patch_fail(r, h->line, "the header contradicts itself");
    if ((h->minus && strcmp(h->minus, left) != 0) || (h->plus && strcmp(h->plus, right) != 0))
        return fail_names(r, h);
    if (h->from) {
        bool bare = strcmp(h->from, left) == 0 && strcmp(h->to, right) == 0;
        bool prefixed = has_prefixes(left, right) && strcmp(h->from, left + 2) == 0 &&
                        strcmp(h->to, right + 2) == 0;
        if ((!bare && !prefixed) || h->adds || h->deletes || strcmp(h->from, h->to) == 0)
            return fail_names(r, h);
        prefixes->seen = prefixes->seen || prefixed;
        prefixes->missed = prefixes->missed || bare;
        f->action = h->copies ? PATCH_COPY : PATCH_RENAME;
        f->old_path = h->from;
        f->new_path = h->to;
        return AQFS_OK;
    }
    const char *name = common_name(left, right, prefixes);
    if (!name)
        return fail_names(r, h);
    f->action = h->adds ? PATCH_ADD : h->deletes ? PATCH_DELETE : PATCH_MODIFY;
    f->old_path = h->adds ? NULL : name;
    f->new_path = h->deletes ? NULL : name;
    return AQFS_OK;
}

/* Decides a section that has only the two names. */
static int decide_plain(struct patch_reader *r, const struct patch_names *h, struct patch_file *f,
                        struct patch_prefixes *prefixes) {
    f->action = !h->minus ? PATCH_ADD : !h->plus ? PATCH_DELETE : PATCH_MODIFY;
    f->old_path = h->minus;
    f->new_path = h->plus;
    if (f->action == PATCH_MODIFY) {
        f->old_path = f->new_path = common_name(h->minus, h->plus, prefixes);
        return f->old_path ? AQFS_OK : fail_names(r, h);
    }
    const char *name = patch_path(f);
    if ((name[0] != 'a' && name[0] != 'b') || name[1] != '/' || !name[2])
        return AQFS_OK;
    struct unsure *unsure = arena_take(&r->patch->arena, sizeof *unsure);
    if (!unsure)
        return fail_memory(r->error);
    *unsure = (struct unsure){prefixes->unsure, r->patch->file_count - 1};
    prefixes->unsure = unsure;
    return AQFS_OK;
}

int patch_settle_prefixes(struct patch_reader *r, const struct patch_prefixes *prefixes) {
    for (struct unsure *u = prefixes->unsure; u; u = u->next) {
        struct patch_file *f = &r->patch->files[u->file];
        if (prefixes->seen == prefixes->missed) {
            char label[PATH_LABEL];
            const char *name = patch_path(f);
            (void)patch_fail(r, f->line, "%s: it is unclear whether %.2s is git's prefix",
                             path_label(name, strlen(name), label), name);
            error_hint(r->error, "write \"diff --git a/%s b/%s\" before the two names",
                       path_label(name + 2, strlen(name + 2), label), label);
            return AQFS_PATCH_PARSE;
        }
        if (prefixes->seen) {
            f->old_path = f->old_path ? f->old_path + 2 : NULL;
            f->new_path = f->new_path ? f->new_path + 2 : NULL;
        }
    }
    return AQFS_OK;
}

int patch_decide_names(struct patch_reader *r, const struct patch_names *names,
                       struct patch_file *file, struct patch_prefixes *prefixes) {
    return names->git ? decide_git(r, names, file, prefixes)
                      : decide_plain(r, names, file, prefixes);
}

/* patch_header.h -- reading the header of a section of a unified diff: which file it concerns, and
 * what happens to the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_HEADER_H
#define AQFS_PATCH_HEADER_H

#include "patch_read.h"

/* `b/x` may be a file in a directory `b`, or git's name for `x`.  When one section alone does not
 * show which, the other sections decide. */
struct patch_prefixes {
    bool seen, missed;     /* some section certainly has git's prefixes, or certainly lacks them */
    struct unsure *unsure; /* sections that are still undecided */
};

/* Does a section begin at the reader's line? */
bool patch_at_header(const struct patch_reader *r);

/* Reads the header up to the first line after it, and sets all of FILE but its hunks. */
int patch_read_header(struct patch_reader *r, struct patch_file *file,
                      struct patch_prefixes *prefixes);

/* Decides the sections that were left; call it after the last section. */
int patch_settle_prefixes(struct patch_reader *r, const struct patch_prefixes *prefixes);

/* The names in a header, as written but without quotes. */
struct patch_names {
    size_t line;     /* of the header */
    const char *git; /* the text after "diff --git ", or NULL */
    size_t git_n;
    const char *from, *to;    /* of a rename or a copy, or NULL */
    bool has_pair;            /* it has the two lines before the hunks, which give... */
    const char *minus, *plus; /* ...these names; NULL for /dev/null */
    bool adds, deletes, copies;
};

/* Sets the action and the paths of FILE. */
int patch_decide_names(struct patch_reader *r, const struct patch_names *names,
                       struct patch_file *file, struct patch_prefixes *prefixes);

/* AQFS_PATCH_PARSE when the line begins something other than a unified diff of text, such as a
 * binary patch. */
int patch_refuse_foreign(struct patch_reader *r);

#endif

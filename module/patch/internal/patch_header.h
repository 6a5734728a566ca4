/* patch_header.h -- the header of a section of a unified diff: which file it is about, and what
 * becomes of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_HEADER_H
#define AQFS_PATCH_HEADER_H

#include "patch_read.h"

/* What tells whether `b/x` is a file in a directory `b` or git's name for `x`, where one section
 * alone cannot: the other sections. */
struct patch_prefixes {
    bool seen, missed;     /* sections that certainly have git's prefixes, or certainly not */
    struct unsure *unsure; /* the sections to be settled */
};

/* Does a section begin here? */
bool patch_at_header(const struct patch_reader *r);

/* Reads from there to the first line behind the header, and sets all of FILE but its hunks. */
int patch_read_header(struct patch_reader *r, struct patch_file *file,
                      struct patch_prefixes *prefixes);

/* Behind the last section. */
int patch_settle_prefixes(struct patch_reader *r, const struct patch_prefixes *prefixes);

/* The names in a header, as they stand there but for quotes. */
struct patch_names {
    size_t line;     /* of the header */
    const char *git; /* what stands behind "diff --git ", or NULL */
    size_t git_n;
    const char *from, *to;    /* of a rename or a copy, or NULL */
    bool has_pair;            /* the two lines before the hunks, which say... */
    const char *minus, *plus; /* NULL for /dev/null */
    bool adds, deletes, copies;
};

/* Sets the action and the paths of FILE. */
int patch_decide_names(struct patch_reader *r, const struct patch_names *names,
                       struct patch_file *file, struct patch_prefixes *prefixes);

/* AQFS_PATCH_PARSE where the line begins something that is no unified diff of text, such as a
 * binary patch. */
int patch_refuse_foreign(struct patch_reader *r);

#endif

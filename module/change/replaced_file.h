/* replaced_file.h -- one file of replace_in_files: read, searched, and replaced in memory.
 *
 * Several threads do this, each with files of its own, so nothing here adds to the plan.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLACED_FILE_H
#define AQFS_REPLACED_FILE_H

#include "plan.h"
#include "regex.h"
#include "regex_replace.h"

/* The replacement: the same for all files. */
struct replacing {
    struct text_ref pattern, with;
    struct regex *regex; /* NULL for an exact text */
    struct regex_replacement *replacement;
    bool unifies;        /* neither text says how lines end */
    bool spares_secrets; /* a file that has a secret name as well is left alone */
};

/* Prepares to replace PATTERN, an exact text or with REGEX an expression, by WITH.
 * AQFS_INVALID_ARGUMENT for texts that make no sense.  Call replacing_free in any case. */
int replacing_open(struct work *work, struct text_ref pattern, struct text_ref with, bool regex,
                   struct replacing *out);
void replacing_free(struct replacing *r);

/* Why a file was not searched. */
enum not_searched { SEARCHED, WAS_BINARY, WAS_UNREADABLE, WAS_SECRET, NOT_SEARCHED_COUNT };

struct replaced_file {
    struct change
        *source;  /* with the place, set by the caller; what was read and is to be written */
    size_t count; /* how many places it has; if none, the source holds no bytes */
    enum not_searched why;
};

/* Replaces in one file.  An error is one of the whole call. */
int replace_in_file(struct work *work, const struct replacing *r, struct replaced_file *file);

#endif

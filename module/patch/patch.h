/* patch.h -- patches as data.
 *
 * A unified diff and an envelope (`*** Begin Patch`) become the same thing: files with hunks.
 * What a patch says about itself is checked when it is read; whether it is true of a file, when
 * it is applied (patch_apply.h).  Paths are bytes, and are judged elsewhere: `~/x` is a directory
 * called `~` here, and `path_show` makes the text that opens them.
 *
 * Nothing of the patch's text is copied but paths: it must outlive what is read from it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_H
#define AQFS_PATCH_H

#include "arena.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>

enum patch_format { PATCH_AUTO, PATCH_UNIFIED, PATCH_ENVELOPE };

enum patch_action { PATCH_ADD, PATCH_MODIFY, PATCH_DELETE, PATCH_RENAME, PATCH_COPY };

/* A line of a hunk, without its operation and its ending. */
struct patch_line {
    char op;         /* ' ' is in both texts, '-' in the old one, '+' in the new one */
    bool no_newline; /* `\ No newline at end of file` stands behind it */
    const char *text;
    size_t n;
};

/* `@@ class A` in an envelope: the hunk lies behind a line that begins thus. */
struct patch_anchor {
    const char *text; /* without white space around it */
    size_t n;
};

#define PATCH_ANCHORS_MAX 16 /* of one hunk */

struct patch_hunk {
    size_t line;                 /* of the patch, from 1: where the hunk begins */
    size_t old_start, new_start; /* as the diff says, from 1; 0 in an envelope */
    size_t old_count, new_count; /* lines; they agree with the body */
    struct patch_anchor *anchors;
    size_t anchor_count;
    bool end_of_file; /* `*** End of File`: its old lines are the file's last ones */
    bool crlf;        /* of the patch's text, see patch_next_line */
    const char *body, *end;
};

struct patch_file {
    size_t line; /* of the patch, from 1: where the file's section begins */
    enum patch_action action;
    const char *old_path; /* NULL where a file is added */
    const char *new_path; /* NULL where it is deleted; the same as old_path where it is modified */
    unsigned old_mode;    /* 0100644 or 0100755, or 0 where the patch says nothing */
    unsigned new_mode;    /* the file's mode changes where this is neither 0 nor old_mode */
    struct patch_hunk *hunks;
    size_t hunk_count;
};

struct patch {
    enum patch_format format; /* never PATCH_AUTO */
    struct patch_file *files; /* at least one */
    size_t file_count;
    struct arena arena; /* holds all of the above */
};

/* Reads TEXT as FORMAT.  All files of a patch tell of the state before it and the state after it:
 * no path occurs twice in either, but renames may swap names.  AQFS_PATCH_PARSE, with the line of
 * the patch, where anything is missing, contradictory or could be misread; then PATCH is empty. */
int patch_read(const char *text, size_t n, enum patch_format format, struct patch *patch,
               struct error *e);
void patch_free(struct patch *patch);

/* The format of what looks like a patch: by its first line that only one of them can have. */
enum patch_format patch_detect(const char *text, size_t n);

/* The lines of a hunk: AT begins as HUNK->body; false at the end.
 *
 *     const char *at = hunk->body;
 *     while (patch_next_line(hunk, &at, &line)) ...
 */
bool patch_next_line(const struct patch_hunk *hunk, const char **at, struct patch_line *line);

/* The path of the file after the patch, or before it where it is deleted. */
const char *patch_path(const struct patch_file *file);

#endif

/* patch.h -- patches as data.
 *
 * A unified diff and an envelope (`*** Begin Patch`) are read into the same
 * data: files with hunks.  Reading checks that a patch agrees with itself;
 * applying checks that it agrees with a file (patch_apply.h).  Paths are bytes
 * and are judged elsewhere: here `~/x` is a directory called `~`, and
 * `path_show` makes the text that opens it.
 *
 * An envelope may have several sections that update one file.  Their hunks are
 * read into the first of them.
 *
 * Only paths are copied.  The patch's text must outlive what was read from it.
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
    bool no_newline; /* `\ No newline at end of file` follows it */
    const char *text;
    size_t n;
};

/* `@@ class A` in an envelope: the hunk comes after a line that begins like this. */
struct patch_anchor {
    const char *text; /* without surrounding white space */
    size_t n;
};

#define PATCH_ANCHORS_MAX 16 /* of one hunk */

struct patch_hunk {
    size_t line;                 /* of the patch, from 1: where the hunk begins */
    size_t old_start, new_start; /* as the diff states them, from 1; 0 in an envelope */
    size_t old_count, new_count; /* lines; they agree with the body */
    struct patch_anchor *anchors;
    size_t anchor_count;
    bool end_of_file; /* `*** End of File`: its old lines are the last ones of the file */
    bool is_anchor;   /* it has context lines only: the next hunk comes after them */
    bool recounted;   /* it has other counts than its header, or a hunk of the file before it */
    bool begins_anew; /* it begins another section of its file: see patch_apply.h */
    bool crlf;        /* of the patch's text: see patch_next_line */
    const char *body, *end;
};

struct patch_file {
    size_t line; /* of the patch, from 1: where the file's section begins */
    enum patch_action action;
    const char *old_path; /* NULL for an added file */
    const char *new_path; /* NULL for a deleted file; the same as old_path for a modified one */
    unsigned old_mode;    /* 0100644 or 0100755; 0 when the patch does not say */
    unsigned new_mode;    /* the mode changes when this is neither 0 nor old_mode */
    struct patch_hunk *hunks;
    size_t hunk_count;
};

struct patch {
    enum patch_format format; /* never PATCH_AUTO */
    struct patch_file *files; /* at least one */
    size_t file_count;
    bool placed; /* set by a caller whose text is the one that the patch was made for: a hunk of a
                    unified diff without old lines belongs where its header says */
    struct arena arena; /* holds all of the above */
};

/* Reads TEXT as FORMAT.  All files of a patch describe the state before it and the state after it:
 * no path occurs twice in either, but renames may swap names.  AQFS_PATCH_PARSE, with a line of the
 * patch, when something is missing, contradictory or ambiguous; PATCH is then empty. */
int patch_read(const char *text, size_t n, enum patch_format format, struct patch *patch,
               struct error *e);
void patch_free(struct patch *patch);

/* The format of a text that looks like a patch, by the first line that only one format can have. */
enum patch_format patch_detect(const char *text, size_t n);

/* Reads the lines of a hunk.  AT begins as HUNK->body; false at the end.
 *
 * ~    const char *at = hunk->body;
 * ~    while (patch_next_line(hunk, &at, &line)) ... */
bool patch_next_line(const struct patch_hunk *hunk, const char **at, struct patch_line *line);

/* The path of the file after the patch; of a deleted file, its path before the patch. */
const char *patch_path(const struct patch_file *file);

#endif

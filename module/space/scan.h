/* scan.h -- one pass over a file, in constant memory.
 *
 * scan_text finds what a file is as text and keeps the lines that are wanted;
 * scan_bytes keeps bytes.  Both tell the version of what they passed over, and
 * whether the file changed meanwhile: then the bytes may be of two versions,
 * and no version is told.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SCAN_H
#define AQFS_SCAN_H

#include "budget.h"
#include "encoding.h"
#include "hash.h"
#include "text.h"
#include "workspace.h"

struct text_scan {
    /* Asked for. */
    const char *label;       /* the file's name in messages */
    struct text_ref charset; /* the caller's word for the encoding, or empty */
    int64_t first, last;     /* the lines to keep, counted from 1; none when last < first */
    size_t most;             /* the bytes to keep */
    bool brief;              /* the pass ends with the last line to keep, and tells no version */

    /* Found, to where the pass ended. */
    struct encoding encoding;
    struct endings endings;
    struct buf text; /* the kept lines, with LF where all endings are CRLF */
    int64_t kept;    /* how many, a cut one included */
    bool cut;        /* the only line kept has more than `most` bytes */
    bool complete;   /* the pass came to the end of the file */
    bool changed;
    char version[HASH_HEX]; /* "" when not known */
};

/* AQFS_BINARY, AQFS_ENCODING: the kept lines are not text.  AQFS_TOO_LARGE: a pass that is not
 * brief came to more than limits.read_bytes.  Call text_scan_free in any case. */
int scan_text(struct aqfs_workspace *ws, const struct node *file, struct budget *budget,
              struct text_scan *scan, struct error *e);
void text_scan_free(struct text_scan *scan);

struct byte_scan {
    /* Asked for. */
    int64_t offset;
    size_t most;      /* the bytes to keep from there on; may be 0 */
    bool unversioned; /* nobody asks for the version: hashing takes longer than reading */

    /* Found. */
    struct buf bytes;
    bool changed;
    char version[HASH_HEX]; /* "" when not known: also of files over limits.read_bytes */
};

int scan_bytes(struct aqfs_workspace *ws, const struct node *file, struct budget *budget,
               struct byte_scan *scan, struct error *e);
void byte_scan_free(struct byte_scan *scan);

#endif

/* scan.h -- one pass over a file, in constant memory.
 *
 * scan_text finds a file's encoding and line endings, and keeps the lines asked
 * for; scan_bytes keeps bytes.  Both compute the version (hash) of a file that
 * they read whole, and notice when the file changed meanwhile: then the kept
 * bytes may be of two versions, and the version stays "".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SCAN_H
#define AQFS_SCAN_H

#include "budget.h"
#include "encoding.h"
#include "hash.h"
#include "lines.h"
#include "workspace.h"

struct text_scan {
    /* Asked for. */
    const char *label;       /* the file's name in messages */
    struct text_ref charset; /* the caller's word for the encoding, or empty */
    int64_t first, last;     /* the lines to keep, counted from 1; none when last < first */
    size_t most;             /* the bytes to keep */
    bool brief;              /* stop at the last line to keep, and compute no version */

    /* Found, up to where the pass ended. */
    struct encoding encoding;
    struct endings endings;
    struct buf text; /* the kept lines, with LF where all endings are CRLF */
    int64_t kept;    /* the number of kept lines, a cut one included */
    bool cut;        /* one line is kept, and only its beginning: it has more than `most` bytes */
    bool complete;   /* the pass reached the end of the file */
    bool changed;    /* the file was written to during the pass */
    char version[HASH_HEX]; /* "" when it is not known */
};

/* Scans the open FILE.  AQFS_BINARY, AQFS_ENCODING: the lines asked for are not text.
 * AQFS_TOO_LARGE: the file has more than limits.read_bytes, and the pass is not brief.  Call
 * text_scan_free also after an error. */
int scan_text(struct aqfs_workspace *ws, const struct node *file, struct budget *budget,
              struct text_scan *scan, struct error *e);
void text_scan_free(struct text_scan *scan);

struct byte_scan {
    /* Asked for. */
    int64_t offset;
    size_t most;      /* the number of bytes to keep from there on; may be 0 */
    bool unversioned; /* compute no version: hashing takes longer than reading */

    /* Found. */
    struct buf bytes;
    bool changed;           /* the file was written to meanwhile */
    char version[HASH_HEX]; /* "" when it is not known, as of files over limits.read_bytes */
};

/* Scans the open FILE.  Call byte_scan_free also after an error. */
int scan_bytes(struct aqfs_workspace *ws, const struct node *file, struct budget *budget,
               struct byte_scan *scan, struct error *e);
void byte_scan_free(struct byte_scan *scan);

#endif

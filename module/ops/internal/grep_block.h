/* grep_block.h -- reading a file's text, block by block.
 *
 * The text is the file's bytes, valid UTF-8 or not.  If a byte order mark names
 * another encoding, the text is decoded to UTF-8.  The mark itself is left out.  If
 * all lines of the first block end in CR LF, each CR LF becomes LF.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GREP_BLOCK_H
#define AQFS_GREP_BLOCK_H

#include "backend.h"
#include "encoding.h"

#define BLOCK_RAW 8192

struct block {
    char *data; /* the current text */
    size_t len, size;
    bool more; /* the file goes on behind the current text */

    const struct node *file;
    int64_t offset; /* bytes read */
    bool crlf;
    bool ends_in_lf; /* set by the caller: each CR LF becomes LF, whatever other lines end in */
    struct encoding encoding;
    struct decoder decoder; /* in use when it has an encoding */
    size_t raw_len;         /* bytes still to be decoded */
    char raw[BLOCK_RAW];
};

/* False without memory. */
bool block_init(struct block *b);
/* Frees what B holds. */
void block_free(struct block *b);

/* Reads the beginning of FILE, which must stay open.  AQFS_BINARY when it is not text,
 * AQFS_ENCODING when it is not in the encoding that its mark names, another code when it cannot be
 * read. */
int block_begin(struct block *b, const struct node *file);

/* Drops the text before offset KEEP, moves the rest to the front and reads on behind it.  Answers
 * like block_begin. */
int block_next(struct block *b, size_t keep);

/* Doubles the room for text; false when the block is as large as it may be, or without memory. */
bool block_grow(struct block *b);

#endif

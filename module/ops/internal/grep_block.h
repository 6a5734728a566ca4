/* grep_block.h -- a file's text, block by block.
 *
 * The text is UTF-8 without a byte order mark; of a file that begins with CR LF
 * lines only, with LF instead.  It is whatever the file holds, valid or not,
 * unless a mark says that it is in another encoding: then it is decoded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GREP_BLOCK_H
#define AQFS_GREP_BLOCK_H

#include "backend.h"
#include "encoding.h"

#define BLOCK_RAW 8192

struct block {
    char *data; /* the text in hand */
    size_t len, size;
    bool more; /* the file goes on */

    const struct node *file;
    int64_t offset; /* bytes read */
    bool crlf;
    struct encoding encoding;
    struct decoder decoder; /* in use when it has an encoding */
    size_t raw_len;         /* bytes still to be decoded */
    char raw[BLOCK_RAW];
};

/* False when there is no memory. */
bool block_init(struct block *b);
void block_free(struct block *b);

/* The beginning of FILE.  AQFS_BINARY: no text; AQFS_ENCODING: not what its mark says; others: it
 * cannot be read. */
int block_begin(struct block *b, const struct node *file);

/* Drops the first KEEP bytes and reads on behind the others. */
int block_next(struct block *b, size_t keep);

/* Makes room for more text; false when there is enough room for anything reasonable. */
bool block_grow(struct block *b);

#endif

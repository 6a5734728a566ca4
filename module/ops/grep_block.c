/* grep_block.c -- reading a file's text, block by block: see grep_block.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep_block.h"

#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that fit into the processor's cache are read and searched fastest. */
#define BLOCK_BYTES ((size_t)256 << 10)
#define BLOCK_MOST ((size_t)16 << 20)

/* UTF-8 takes at most 3 bytes for 2 of any other encoding that has a mark. */
#define UTF8_GROWTH 2

/* The memory is zeroed for valgrind's sake.  PCRE2's machine code loads whole vectors, with bytes
 * behind the end of the text that it then ignores; valgrind reports these if they were never set.
 */
bool block_init(struct block *b) {
    *b = (struct block){.size = BLOCK_BYTES};
    b->data = calloc(1, b->size);
    return b->data;
}

void block_free(struct block *b) {
    decoder_close(&b->decoder);
    free(b->data);
    b->data = NULL;
}

bool block_grow(struct block *b) {
    if (b->size >= BLOCK_MOST)
        return false;
    char *grown = realloc(b->data, b->size * 2);
    if (!grown)
        return false;
    memset(grown + b->size, 0, b->size);
    b->data = grown;
    b->size *= 2;
    return true;
}

/* Reads up to N bytes; fewer only at the end. */
static int read_block_bytes(struct block *b, char *out, size_t n, size_t *got) {
    ssize_t count = b->file->backend->read(b->file, out, n, b->offset);
    if (count < 0)
        return AQFS_IO;
    *got = (size_t)count;
    b->offset += count;
    b->more = *got == n;
    return AQFS_OK;
}

static int fill_plain(struct block *b) {
    size_t got = 0;
    int code = read_block_bytes(b, b->data + b->len, b->size - b->len, &got);
    b->len += got;
    return code;
}

static int fill_decoded(struct block *b) {
    struct text_ref text;
    struct error e;
    size_t got, used;
    while (b->more && (b->size - b->len) / UTF8_GROWTH >= BLOCK_RAW) {
        int code = read_block_bytes(b, b->raw + b->raw_len, BLOCK_RAW - b->raw_len, &got);
        if (code)
            return code;
        b->raw_len += got;
        code = decoder_run(&b->decoder, b->raw, b->raw_len, !b->more, &text, &used, &e);
        if (text.len > 0)
            memcpy(b->data + b->len, text.data, text.len);
        b->len += text.len;
        b->raw_len -= used;
        memmove(b->raw, b->raw + used, b->raw_len);
        if (code)
            return code;
    }
    return AQFS_OK;
}

/* Reads behind the current text.  The last byte of that text may be a CR whose LF is read only now:
 * so it is looked at again. */
static int fill_block(struct block *b) {
    size_t from = b->len > 0 ? b->len - 1 : 0;
    int code = b->decoder.encoding ? fill_decoded(b) : fill_plain(b);
    if (b->crlf)
        b->len = from + text_crlf_to_lf(b->data + from, b->len - from);
    return code;
}

int block_next(struct block *b, size_t keep) {
    memmove(b->data, b->data + keep, b->len - keep);
    b->len -= keep;
    return fill_block(b);
}

/* Does every line of TEXT end in CR LF?  In most files the first line shows that it does not. */
static bool is_crlf(const char *text, size_t n) {
    const char *newline = n > 0 ? memchr(text, '\n', n) : NULL;
    struct endings endings = {0};
    if (!newline || newline == text || newline[-1] != '\r')
        return false;
    endings_add(&endings, text, n);
    return endings_are_crlf(&endings);
}

static int begin_decoded(struct block *b) {
    struct error e;
    int code = decoder_open(&b->decoder, &b->encoding, &e);
    if (code)
        return code;
    b->offset = (int64_t)b->encoding.mark;
    b->len = 0;
    b->more = true;
    return fill_block(b);
}

int block_begin(struct block *b, const struct node *file) {
    decoder_close(&b->decoder);
    b->file = file;
    b->len = b->raw_len = 0;
    b->offset = 0;
    b->crlf = false;
    int code = fill_block(b);
    if (code || b->len == 0)
        return code;
    if (!encoding_of_mark(b->data, b->len, &b->encoding)) {
        if (encoding_is_binary(b->data, b->len))
            return AQFS_BINARY;
    } else if (encoding_is_utf8(&b->encoding)) {
        b->len -= b->encoding.mark;
        memmove(b->data, b->data + b->encoding.mark, b->len);
    } else {
        code = begin_decoded(b);
    }
    b->crlf = b->ends_in_lf || is_crlf(b->data, b->len);
    if (b->crlf)
        b->len = text_crlf_to_lf(b->data, b->len);
    return code;
}

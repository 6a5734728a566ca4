/* encoding.h -- from a file's bytes to UTF-8 and back.
 *
 * A file is UTF-8 unless its byte order mark, its caller or libmagic says
 * otherwise.  Nothing is ever replaced or left out: bytes that are no text in
 * their encoding, and text that an encoding has no bytes for, are errors.
 *
 *     encoding_detect   which encoding a whole file is in
 *     encoding_decode   its text
 *     encoding_encode   a text's bytes
 *     encoding_returns  whether a file's own text encodes to its bytes again
 *     decoder_...       decoding piece by piece
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ENCODING_H
#define AQFS_ENCODING_H

#include "args.h"
#include "buf.h"
#include "error.h"

struct libraries;

#define ENCODING_NAME 40

struct encoding {
    char name[ENCODING_NAME]; /* lower case: "utf-8", "utf-16le", "iso-8859-1" */
    size_t mark;              /* bytes of the byte order mark, which is no part of the text */
};

bool encoding_is_utf8(const struct encoding *encoding);

/* By the byte order mark of a file that begins with BYTES: true where there is one, else UTF-8. */
bool encoding_of_mark(const char *bytes, size_t n, struct encoding *out);

/* By the caller's word for it; AQFS_INVALID_ARGUMENT for a word that iconv does not know.
 * "utf-16" and "utf-32" are what the mark says, and little-endian without one. */
int encoding_of_name(struct text_ref name, const char *bytes, size_t n, struct encoding *out,
                     struct error *e);

/* By libmagic's word on a SAMPLE that is not UTF-8; AQFS_BINARY, naming the type, where it is no
 * text, AQFS_ENCODING where iconv cannot decode what it is.  LABEL is the file's name. */
int encoding_guess(struct libraries *libraries, const char *label, const char *sample, size_t n,
                   struct encoding *out, struct error *e);

/* All of the above for a whole file in memory; NAME may be empty. */
int encoding_detect(struct libraries *libraries, const char *label, struct text_ref name,
                    const char *bytes, size_t n, struct encoding *out, struct error *e);

/* The bytes in which a NUL makes a file binary. */
#define ENCODING_SNIFF 8192

/* Is that the beginning of a file that is no text in any encoding with single-byte NULs? */
bool encoding_is_binary(const char *bytes, size_t n);

/* AQFS_BINARY, with libmagic's type of BYTES. */
int fail_binary(struct libraries *libraries, const char *label, const char *bytes, size_t n,
                struct error *e);

/* Appends the text of a whole file, without its mark. */
int encoding_decode(const struct encoding *encoding, const char *bytes, size_t n, struct buf *out,
                    struct error *e);

/* Appends the bytes of a whole file: the mark that the encoding has, and TEXT.  AQFS_ENCODING,
 * naming the first line and character, where it cannot be written. */
int encoding_encode(const struct encoding *encoding, const char *text, size_t n, struct buf *out,
                    struct error *e);

/* AQFS_OK when TEXT, decoded from BYTES, encodes to BYTES again; else AQFS_ENCODING: a file that
 * spells the same text in more than one way must not be written back. */
int encoding_returns(const struct encoding *encoding, const char *bytes, size_t n, const char *text,
                     size_t text_n, struct error *e);

struct decoder {
    const struct encoding *encoding;
    void *iconv; /* NULL for UTF-8 */
    int64_t at;  /* bytes of the file that were decoded or skipped, its mark among them */
    struct buf out;
};

/* ENCODING must outlive the decoder. */
int decoder_open(struct decoder *d, const struct encoding *encoding, struct error *e);

/* Decodes BYTES, which follow d->at.  TEXT is valid until the next call, and always whole
 * characters; USED tells how many bytes it stands for: the rest, at most 15, begins a character
 * and is to come again with what follows it.  With LAST nothing follows.
 *
 * Where byte USED is no text: AQFS_ENCODING, with TEXT and USED set to what came before it. */
int decoder_run(struct decoder *d, const char *bytes, size_t n, bool last, struct text_ref *text,
                size_t *used, struct error *e);

void decoder_close(struct decoder *d); /* also of a zeroed decoder */

#endif

/* encoding.h -- decoding a file's bytes to UTF-8, and encoding them again.
 *
 * A file is UTF-8 unless its byte order mark, its caller or libmagic says
 * otherwise.  Nothing is ever replaced or left out: bytes that are invalid in
 * their encoding, and characters that an encoding lacks, are errors.
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
    size_t mark;              /* length of the byte order mark, which does not belong to the text */
};

bool encoding_is_utf8(const struct encoding *encoding);

/* Sets OUT by the byte order mark of a file that begins with BYTES.  Without a mark it sets UTF-8
 * and returns false. */
bool encoding_of_mark(const char *bytes, size_t n, struct encoding *out);

/* Sets OUT by the caller's NAME; AQFS_INVALID_ARGUMENT for a name that iconv does not know.
 * "utf-16" and "utf-32" take their byte order from the mark; without one they are little-endian. */
int encoding_of_name(struct text_ref name, const char *bytes, size_t n, struct encoding *out,
                     struct error *e);

/* Sets OUT by libmagic's answer for a SAMPLE that is not UTF-8.  AQFS_BINARY, with the type, when
 * the sample is not text; AQFS_ENCODING when iconv cannot decode its charset.  LABEL is the file's
 * name. */
int encoding_guess(struct libraries *libraries, const char *label, const char *sample, size_t n,
                   struct encoding *out, struct error *e);

/* All of the above, for a whole file in memory.  NAME may be empty. */
int encoding_detect(struct libraries *libraries, const char *label, struct text_ref name,
                    const char *bytes, size_t n, struct encoding *out, struct error *e);

/* A NUL within this many bytes makes a file binary. */
#define ENCODING_SNIFF 8192

/* Do BYTES begin a file with NULs, which no encoding without a byte order mark explains? */
bool encoding_is_binary(const char *bytes, size_t n);

/* Fails with AQFS_BINARY and libmagic's type of BYTES. */
int fail_binary(struct libraries *libraries, const char *label, const char *bytes, size_t n,
                struct error *e);

/* Appends the text of a whole file, without its mark. */
int encoding_decode(const struct encoding *encoding, const char *bytes, size_t n, struct buf *out,
                    struct error *e);

/* Appends the bytes of a whole file: the byte order mark, if the encoding has one, and TEXT.
 * AQFS_ENCODING, with the line and the first character that the encoding lacks. */
int encoding_encode(const struct encoding *encoding, const char *text, size_t n, struct buf *out,
                    struct error *e);

/* AQFS_OK when TEXT, which was decoded from BYTES, encodes to BYTES again.  Otherwise
 * AQFS_ENCODING: the file spells the same text in more than one way, so writing it back would
 * change it. */
int encoding_returns(const struct encoding *encoding, const char *bytes, size_t n, const char *text,
                     size_t text_n, struct error *e);

struct decoder {
    const struct encoding *encoding;
    void *iconv; /* NULL for UTF-8 */
    int64_t at;  /* bytes of the file that were decoded or skipped, including its mark */
    struct buf out;
};

/* ENCODING must outlive the decoder. */
int decoder_open(struct decoder *d, const struct encoding *encoding, struct error *e);

/* Decodes BYTES, which follow d->at.  TEXT is valid until the next call and holds whole characters
 * only.  USED is the number of bytes decoded to it.  The rest, at most 15 bytes, begins a
 * character; pass it again together with the bytes that follow it.  With LAST no bytes follow.
 *
 * AQFS_ENCODING when byte USED is invalid; TEXT and USED then cover what comes before it. */
int decoder_run(struct decoder *d, const char *bytes, size_t n, bool last, struct text_ref *text,
                size_t *used, struct error *e);

void decoder_close(struct decoder *d); /* also of a zeroed decoder */

#endif

/* record.h -- a stream of records: a word, the length of a body, and the body.
 *
 *     WORD LENGTH<newline>BYTES
 *
 * The word has lower-case letters, the length is decimal.  Both directions between the runner
 * and its owner are such streams, so no byte of a command, of a name or of output needs quoting.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_RECORD_H
#define AQFS_RECORD_H

#include "buf.h"

#include <stdbool.h>
#include <sys/types.h>

#define RECORD_WORD_MOST 16
#define RECORD_BODY_MOST (4U << 20)

struct record {
    char word[RECORD_WORD_MOST + 1];
    const char *body; /* inside the bytes that were read; no NUL follows */
    size_t length;
};

/* Reads the record at the beginning of the N BYTES.  Returns how many bytes it has, 0 when some
 * are missing, or -1 when no record begins like this. */
ssize_t record_read(const char *bytes, size_t n, struct record *out);

bool record_is(const struct record *record, const char *word);

/* Reads COUNT numbers with one space between them, which are the whole body. */
bool record_numbers(const struct record *record, size_t count, uint64_t *numbers);

void record_add(struct buf *to, const char *word, const char *body, size_t length);
__attribute__((format(printf, 3, 4))) void record_print(struct buf *to, const char *word,
                                                        const char *format, ...);

#endif

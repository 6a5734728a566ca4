/* filetype.h -- libmagic's answer for the type of a file's bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FILETYPE_H
#define AQFS_FILETYPE_H

#include "error.h"
#include "libraries.h"

/* filetype_of looks at no more bytes than this. */
#define FILETYPE_SAMPLE 65536

struct filetype {
    char mime[128];   /* "text/x-lisp" */
    char charset[64]; /* "utf-8", "iso-8859-1", "unknown-8bit", "binary" */
};

/* The type of a file that begins with BYTES.  Takes about half a millisecond; the first call also
 * loads libmagic's database.  Safe from any thread.  AQFS_IO when there is no database. */
int filetype_of(struct libraries *libraries, const char *bytes, size_t n, struct filetype *out,
                struct error *e);

/* Frees the handle in libraries->magic; NULL is allowed. */
void filetype_free(void *magic);

#endif

/* textfile.h -- a file's bytes as text to edit, and back again.
 *
 * The text is UTF-8, without the byte order mark, and with LF where every line
 * of the file ends CRLF.  Going back restores all three, so that only the bytes
 * of an edit change.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TEXTFILE_H
#define AQFS_TEXTFILE_H

#include "encoding.h"
#include "plan.h"

struct textfile {
    struct encoding encoding;
    bool crlf;
    struct buf text;
    bool borrowed; /* the text is the change's old bytes: nothing had to be decoded */
};

/* From CHANGE's old bytes.  AQFS_BINARY; AQFS_ENCODING also where the text could not be written
 * back as the same bytes. */
int textfile_load(struct work *work, const struct change *change, struct textfile *out);

/* AQFS_INVALID_ARGUMENT for what would make a text file binary, and what the backend says of so
 * many characters from a caller. */
int textfile_check(struct work *work, struct text_ref given);

/* Text from a caller, checked, which may have CRLF where this file's text has LF. */
int textfile_accept(struct work *work, const struct textfile *file, struct text_ref given,
                    struct buf *out);

/* Sets what CHANGE will hold to TEXT as this file's bytes. */
int textfile_store(struct work *work, const struct textfile *file, struct buf *text,
                   struct change *change);

void textfile_free(struct textfile *file);

#endif

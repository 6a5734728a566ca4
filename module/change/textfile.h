/* textfile.h -- a file's bytes as text to edit, and back again.
 *
 * The text is UTF-8 without the byte order mark.  If every line of the file ends
 * in CRLF, the text has LF instead.  Storing the text restores all three, so that
 * only the bytes of an edit change.
 *
 * Where only some lines end in CRLF, the text has both, so that an edit can say
 * which it means.  An edit that does not say so unifies the text: it has LF, and
 * storing gives each line its own ending back.  A new line gets that of the line
 * that it replaces, or else of the line before it.
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
    bool mixed;     /* some of its lines end in CRLF, and some in LF */
    bool unified;   /* it is mixed, and the text has LF alone */
    struct buf raw; /* of a unified text: with its own endings */
    struct buf text;
    bool borrowed; /* the text is the change's old bytes: nothing had to be decoded */
};

/* Decodes CHANGE's old bytes.  AQFS_BINARY; AQFS_ENCODING, also if the text could not be written
 * back as the same bytes. */
int textfile_load(struct work *work, const struct change *change, struct textfile *out);

/* The same of the bytes that CHANGE will write. */
int textfile_load_new(struct work *work, const struct change *change, struct textfile *out);

/* Have both the same encoding and ends of lines, so that each text can be stored as the other is?
 */
bool textfile_is_like(const struct textfile *a, const struct textfile *b);

/* Unifies the endings of a mixed text; another one stays as it is.  False without memory. */
bool textfile_unify(struct textfile *file);

/* Checks a text from a caller.  AQFS_INVALID_ARGUMENT if it would make a text file binary; also the
 * backend's error if the text has more characters than it accepts. */
int textfile_check(struct work *work, struct text_ref given);

/* Checks a text from a caller, and adds it to OUT with the ends of lines that this file's text has.
 */
int textfile_accept(struct work *work, const struct textfile *file, struct text_ref given,
                    struct buf *out);

/* Makes CHANGE write TEXT, encoded as this file is. */
int textfile_store(struct work *work, const struct textfile *file, struct buf *text,
                   struct change *change);

/* Frees the text, but not a borrowed one. */
void textfile_free(struct textfile *file);

#endif

/* shown_text.h -- what files were like when a caller was shown them.
 *
 * Some texts of a workspace are kept in memory, the latest ones, so that a caller
 * who knows the version of one can be told what has changed since.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SHOWN_TEXT_H
#define AQFS_SHOWN_TEXT_H

#include "buf.h"
#include "hash.h"
#include "workspace.h"

/* A longer text is not kept. */
#define SHOWN_TEXT_MOST ((size_t)1 << 20)

/* Keeps TEXT, which CALLER was shown as VERSION of PLACE.  Without memory it keeps nothing. */
void shown_text_keep(struct aqfs_workspace *ws, struct text_ref caller, const struct place *place,
                     const char version[HASH_HEX], const struct buf *text);

/* Whether the text that CALLER was shown as VERSION of PLACE is kept. */
bool shown_text_has(struct aqfs_workspace *ws, struct text_ref caller, const struct place *place,
                    const char version[HASH_HEX]);

/* Appends the text that CALLER was shown as VERSION of PLACE to OUT; false where none is kept. */
bool shown_text_find(struct aqfs_workspace *ws, struct text_ref caller, const struct place *place,
                     struct text_ref version, struct buf *out);

#endif

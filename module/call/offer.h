/* offer.h -- a refused edit or patch, as it could be made: a caller may accept the offer.
 *
 * The error of the refused call gets the member `accept`, a digest of the path,
 * the file's version and the text that it would have, and the diff that would be
 * made.  A later call with that argument `accept` makes this change and no other.
 * The workspace keeps the offers, bounded by number and by bytes; the oldest goes
 * first.  An operation that gets its own arguments beside `accept` can make the
 * offer again instead, and compare digests: that works in another process, too.
 *
 * The offer of a patch keeps the patch, which is read again and corrected again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OFFER_H
#define AQFS_OFFER_H

#include "call.h"
#include "plan.h"
#include "replace.h"
#include "textfile.h"

/* Offers that FILE, the text of CHANGE's file, become that of EDITED.  REFUSED is the code that the
 * call is about to fail with; without an error of that code nobody sees the offer.  AQFS_OK, and
 * AQFS_LIMIT without memory. */
int offer_make(struct call *c, int refused, struct change *change, const struct textfile *file,
               const struct replaced *edited);

/* Finds the offer that the call's argument `accept` names, and sets OUT, which must be zeroed, to
 * what it makes of the file.  FILE receives the form of text that the offer is for.  AQFS_STALE if
 * the offer is not kept, is for another file, or if the file has changed. */
int offer_take(struct call *c, struct change *change, struct textfile *file, struct replaced *out);

/* AQFS_STALE unless `accept` is the digest of the offer that EDITED would be. */
int offer_check(struct call *c, struct change *change, const struct textfile *file,
                const struct replaced *edited);

/* A patch as it was given, and how it is read. */
struct offered_patch {
    struct text_ref text;
    int format;  /* an enum patch_format */
    bool placed; /* its author has read the version of the file that it changes */
};

/* Offers that P, what PATCH does once its texts are corrected, be done.  If that is an edit of one
 * file, edit_file takes the offer as well. */
int offer_make_patch(struct call *c, int refused, struct plan *p,
                     const struct offered_patch *patch);

/* Finds the patch whose offer the argument `accept` names; its text is copied to KEPT.  AQFS_STALE
 * if none is kept. */
int offer_take_patch(struct call *c, struct buf *kept, struct offered_patch *out);

/* AQFS_STALE unless `accept` is the digest of the offer that P would be. */
int offer_check_patch(struct call *c, struct plan *p);

#endif

/* offer.h -- a refused edit, as it could be made: offered to the caller, who may accept it.
 *
 * The error of the refused call gets the member `accept`, a digest of the path,
 * the file's version and the text that it would have, and the diff that would be
 * made.  A later call with that argument `accept` makes this change and no other.
 * The workspace keeps the offers, bounded by number and by bytes; the oldest goes
 * first.  An operation that gets its own arguments beside `accept` can make the
 * offer again instead, and compare digests: that works in another process, too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OFFER_H
#define AQFS_OFFER_H

#include "call.h"
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

#endif

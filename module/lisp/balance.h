/* balance.h -- no change takes the balance of a Lisp file unnoticed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BALANCE_H
#define AQFS_BALANCE_H

#include "call.h"
#include "plan.h"
#include "replace.h"
#include "textfile.h"

/* AQFS_UNBALANCED if AFTER, which CHANGE's file will hold, is Lisp and not balanced, and BEFORE was
 * balanced, or the file is new: BEFORE is of no data then.  AQFS_OK also where we cannot be sure,
 * and with the argument `allow_unbalanced`.
 *
 * The error names the form and the line, and shows the likely correction.  If FILE, the file as it
 * is, is not NULL, the correction is offered to be accepted: CHANGE is then all that the call does.
 */
int balance_check(struct call *c, struct change *change, const struct textfile *file,
                  struct text_ref before, struct text_ref after);

/* AQFS_OK if the argument `accept` names the offer of EDITED, or that of EDITED with the correction
 * that its balance needs, which EDITED then is.  AQFS_STALE if it names neither. */
int balance_accept(struct call *c, struct change *change, const struct textfile *file,
                   struct replaced *edited);

/* The same as balance_check of the bytes that CHANGE, which has read its file, will write.  A
 * correction is offered if CHANGE is ALONE in what the call does. */
int balance_check_bytes(struct call *c, struct change *change, bool alone);

/* The same for one file of a patch, ALONE in it or beside others.  Nothing is offered; if the
 * correction is known, CHANGE will write the corrected text, and *CORRECTED becomes true.  FROM has
 * what the file held if it had another name, or is NULL. */
int balance_correct(struct call *c, struct change *change, const struct buf *from, bool alone,
                    bool *corrected);

#endif

/* secret_read.h -- what a model may read of secrets.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SECRET_READ_H
#define AQFS_SECRET_READ_H

#include "call.h"

/* Is the call a model's, so that it must not be told what is in a secret unless somebody approves?
 */
bool call_keeps_secrets(const struct call *c);

/* Is the call a model's that nobody has approved of? */
bool call_spares_secrets(const struct call *c);

/* May C read the place, which INFO describes and the caller spelled as GIVEN?  AQFS_OK if it is no
 * secret, or the caller has the authority.  Otherwise AQFS_APPROVAL_REQUIRED with the members of a
 * plan, whose digest, given with the authority, lets exactly this be read; AQFS_STALE if the digest
 * is of something else. */
int call_may_read(struct call *c, const struct place *place, const struct info *info,
                  struct text_ref given);

/* Must a reply of C, which compares files, leave out what is in the file AT, because it is a secret
 * now or by its name? */
bool call_hides_contents(struct call *c, const struct place *at);

/* Must it leave out what was in the file AT, because that is not there any more?  It might have
 * been a secret by another name, and nothing tells that now. */
bool call_hides_lost(struct call *c, const struct place *at);

#endif

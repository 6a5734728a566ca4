/* replies.h -- the replies that belong to no single operation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLIES_H
#define AQFS_REPLIES_H

#include "member.h"

#include <stddef.h>

/* The member that the reply of every operation has. */
extern const struct member text_member;

/* Those replies: of errors, plans, opening, and so on. */
extern const struct known_reply known_replies[];
extern const size_t known_reply_count;

#endif

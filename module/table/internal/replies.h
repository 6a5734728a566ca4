/* replies.h -- the replies that are no one operation's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLIES_H
#define AQFS_REPLIES_H

#include "member.h"

#include <stddef.h>

/* What the reply of every operation has. */
extern const struct member text_member;

extern const struct known_reply known_replies[];
extern const size_t known_reply_count;

#endif

/* tier.h -- the tiers: how much a call may do without asking a person.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TIER_H
#define AQFS_TIER_H

enum tier { TIER_SAFE, TIER_CAUTIOUS, TIER_DANGEROUS };

/* "safe", "cautious", "dangerous". */
const char *tier_name(enum tier tier);

#endif

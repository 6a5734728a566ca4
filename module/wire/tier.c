/* tier.c -- the names of the tiers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tier.h"

const char *tier_name(enum tier tier) {
    static const char *const names[] = {
        [TIER_SAFE] = "safe",
        [TIER_CAUTIOUS] = "cautious",
        [TIER_DANGEROUS] = "dangerous",
    };
    return names[tier];
}

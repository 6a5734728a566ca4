/* member.c -- declaring the members of replies: see member.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "member.h"

const char *member_type_name(enum member_type type) {
#define X(constant, name) name,
    static const char *const names[MEMBER_TYPE_COUNT] = {MEMBER_TYPES(X)};
#undef X
    return names[type];
}

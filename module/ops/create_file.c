/* create_file.c -- create_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "ops.h"
#include "whole_file.h"

int plan_create_file(struct call *c, struct plan *p) {
    AUTO(buf_free) struct buf bytes = {0};
    struct whole_file r = {.path = call_text(c, "path"),
                           .may_replace = call_bool(c, "allow_overwrite")};
    int code = take_content_text(c, &bytes);
    return code ? code : plan_whole_file(c, p, &r, &bytes);
}

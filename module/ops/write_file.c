/* write_file.c -- write_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "ops.h"
#include "whole_file.h"

int plan_write_file(struct call *c, struct plan *p) {
    AUTO(buf_free) struct buf bytes = {0};
    struct whole_file r = whole_file_by_mode(c);
    r.is_text = true;
    int code = take_content_text(c, &bytes);
    return code ? code : plan_whole_file(c, p, &r, &bytes);
}

/* write_bytes.c -- write_bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base64.h"
#include "cleanup.h"
#include "ops.h"
#include "whole_file.h"

static int take_content_bytes(struct call *c, struct buf *out) {
    struct text_ref content = call_text(c, "content");
    int code = check_content_size(c, content.len / 4 * 3);
    code = code ? code : base64_decode(out, content.data, content.len, &c->work.error);
    if (code || !c->work.ws->backend->accept_content)
        return code;
    return c->work.ws->backend->accept_content(c->work.ws, out->len, &c->work.error);
}

int plan_write_bytes(struct call *c, struct plan *p) {
    AUTO(buf_free) struct buf bytes = {0};
    struct whole_file r = whole_file_by_mode(c);
    int code = take_content_bytes(c, &bytes);
    return code ? code : plan_whole_file(c, p, &r, &bytes);
}

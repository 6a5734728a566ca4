/* report.c -- what several operations that change something report alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report.h"
#include "call.h"

void report_links(struct call *c, const struct change *change) {
    if (change->seen.type != NODE_FILE || change->seen.links < 2)
        return;
    reply_kv_int(&c->reply, "links", change->seen.links);
    buf_printf(&c->text, "[it had %u hard links: the others keep the old content]\n",
               change->seen.links - 1);
}

/* snapshot_list.c -- snapshot_list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "history_ops.h"
#include "snapshot_shown.h"

int op_snapshot_list(struct call *c) {
    AUTO(snapshot_list_free) struct snapshot_list list = {0};
    int code = snapshot_keeper(c)->list(&c->work, &list);
    if (code)
        return code;
    reply_key(&c->reply, KEY_SNAPSHOTS);
    reply_list(&c->reply);
    for (size_t i = list.n; i-- > 0;) { /* the newest first */
        reply_map(&c->reply);
        snapshot_reply(c, &list.all[i]);
        if (list.all[i].files >= 0)
            reply_kv_int(&c->reply, KEY_FILES, list.all[i].files);
        else
            reply_kv_cstring(&c->reply, KEY_FILES, NULL);
        reply_end_map(&c->reply);
        add_snapshot_line(&c->text, &list.all[i]);
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_TOTAL, (int64_t)list.n);
    reply_kv_int(&c->reply, KEY_DAMAGED, (int64_t)list.damaged);
    if (list.n == 0)
        buf_str(&c->text, "There are no snapshots\n");
    if (list.damaged > 0)
        buf_printf(&c->text, "[%zu more cannot be read]\n", list.damaged);
    return AQFS_OK;
}

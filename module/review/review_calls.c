/* review_calls.c -- which calls are reviewed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "review_parts.h"

#include <string.h>

static bool is_named_call(const struct value *calls, const char *id) {
    for (size_t i = 0; i < calls->count; i++)
        if (calls->list[i].len == KEPT_ID - 1 && memcmp(calls->list[i].data, id, KEPT_ID - 1) == 0)
            return true;
    return false;
}

static int check_ids(struct call *c, const struct value *calls, const struct value *since) {
    for (size_t i = 0; i < calls->count; i++)
        if (!kept_is_id(calls->list[i].data, calls->list[i].len))
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "calls: expected ids as changes_list shows them");
    if (since->known && !kept_is_id(since->text.data, since->text.len))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "since: expected an id as changes_list shows it");
    return AQFS_OK;
}

static bool is_asked_for(const struct kept_call *call, const struct value *calls,
                         const struct value *since) {
    if (strcmp(call->operation, ACCEPT_OPERATION) == 0)
        return false;
    if (calls->known)
        return is_named_call(calls, call->id);
    if (since->known && memcmp(call->id, since->text.data, since->text.len) < 0)
        return false;
    return call->origin == ORIGIN_MODEL;
}

int review_gather(struct review *r, const struct kept_ids *ids) {
    struct call *c = r->call_of;
    const struct value *calls = call_arg(c, "calls"), *since = call_arg(c, "since");
    int code = check_ids(c, calls, since);
    size_t found = 0;
    for (size_t i = 0; !code && i < ids->n; i++) {
        AUTO(kept_close) struct kept_call call;
        struct error before = c->work.error;
        code = kept_open(&c->work, ids->all[i], &call);
        if (code == AQFS_NOT_FOUND) {
            c->work.error = before;
            code = AQFS_OK;
            continue;
        }
        bool asked = !code && is_asked_for(&call, calls, since);
        found += asked;
        code = code ? code : review_call(r, &call, asked);
        code = code ? code : review_check_budget(c);
    }
    r->lost = calls->known && calls->count > found ? calls->count - found : 0;
    return code;
}

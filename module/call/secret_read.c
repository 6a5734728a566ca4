/* secret_read.c -- what a model may read of secrets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "secret_read.h"

#include "cleanup.h"
#include "met_secrets.h"
#include "planned.h"
#include "secret.h"

bool call_keeps_secrets(const struct call *c) {
    return c->work.origin == ORIGIN_MODEL && c->work.ws->secrets;
}

bool call_spares_secrets(const struct call *c) {
    return call_keeps_secrets(c) && c->authority != TIER_DANGEROUS;
}

int call_may_read(struct call *c, const struct place *place, const struct info *info,
                  struct text_ref given) {
    AUTO(plan_free)
    struct plan p = {.operation = c->op->name, .least = TIER_DANGEROUS, .tier = TIER_DANGEROUS};
    const struct secret_group *why =
        call_keeps_secrets(c) ? secret_of_place(&c->work, place, info) : NULL;
    if (!why)
        return AQFS_OK;
    int code = plan_secret_read(&c->work, &p, place, info, why);
    code = code ? code : plan_remember(&c->work, &p, given, 0, place);
    code = code ? code : plan_summarise_secrets(&c->work, &p, &p);
    return code ? code : authorise(c, &p);
}

bool call_hides_contents(struct call *c, const struct place *at) {
    struct place now = *at;
    struct info info = {.type = NODE_FILE};
    if (!call_spares_secrets(c))
        return false;
    const struct error before = c->work.error;
    now.type = NODE_UNKNOWN;
    (void)plan_look(&c->work, &now, &info);
    c->work.error = before;
    return secret_of_place(&c->work, at, &info) != NULL;
}

bool call_hides_lost(struct call *c, const struct place *at) {
    struct place now = *at;
    struct info info = {.type = NODE_MISSING};
    if (!call_spares_secrets(c))
        return false;
    const struct error before = c->work.error;
    now.type = NODE_UNKNOWN;
    int code = plan_look(&c->work, &now, &info);
    c->work.error = before;
    return code || info.type != NODE_FILE;
}

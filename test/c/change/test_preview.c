/* Every fact of a plan is in its digest: what is approved is that plan and no other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan.h"

#include "backend.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {
}

void tearDown(void) {
}

/* A plan of one change, of which VARY makes another. */
static void digest_of(void (*vary)(struct plan *, struct change *), char out[HASH_HEX]) {
    static char path[] = "/project";
    static const struct root root = {.path = path, .len = sizeof path - 1};
    struct change change = {
        .kind = CHANGE_WRITE,
        .at = {.root = &root, .path = "a.txt", .len = 5},
        .from = {.root = &root, .path = "b.txt", .len = 5},
        .held = "held",
        .will_hold = "will hold",
    };
    struct change *changes[] = {&change};
    struct plan plan = {.operation = "create_file", .changes = changes, .n = 1};
    vary(&plan, &change);
    memcpy(out, plan_digest(&plan), HASH_HEX);
}

#define VARY(name, statement)                                                                      \
    static void name(struct plan *p, struct change *c) {                                           \
        (void)p, (void)c;                                                                          \
        statement;                                                                                 \
    }

static void nothing(struct plan *p, struct change *c) {
    (void)p, (void)c;
}

VARY(operation, p->operation = "write_file")
VARY(kind, c->kind = CHANGE_COPY)
VARY(mode, c->mode++)
VARY(bits, c->bits = 0755)
VARY(risks, c->risks = RISK_EXECUTABLE)
VARY(target, c->at.path[0] = 'c')
VARY(source, c->from.path[0] = 'c')
VARY(no_source, c->from = (struct place){0})
VARY(seen_type, c->seen.type++)
VARY(seen_device, c->seen.device++)
VARY(seen_inode, c->seen.inode++)
VARY(seen_mode, c->seen.mode++)
VARY(source_inode, c->seen_from.inode++)
VARY(directory_inode, c->above.inode++)
VARY(held, c->held[0] = 'H')
VARY(will_hold, c->will_hold[0] = 'W')
VARY(no_change, p->n = 0)

void test_preview__each_fact_is_in_the_digest(void) {
    static void (*const variants[])(struct plan *, struct change *) = {
        nothing,   operation, kind,      mode,      bits,         risks,
        target,    source,    no_source, seen_type, seen_device,  seen_inode,
        seen_mode, held,      will_hold, no_change, source_inode, directory_inode,
    };
    enum { N = sizeof variants / sizeof *variants };
    char digests[N][HASH_HEX], message[64];
    for (size_t i = 0; i < N; i++) {
        digest_of(variants[i], digests[i]);
        for (size_t j = 0; j < i; j++) {
            (void)snprintf(message, sizeof message, "the plans %zu and %zu", j, i);
            TEST_ASSERT_TRUE_MESSAGE(strcmp(digests[i], digests[j]) != 0, message);
        }
    }
    char again[HASH_HEX];
    digest_of(nothing, again);
    TEST_ASSERT_EQUAL_STRING(digests[0], again);
}

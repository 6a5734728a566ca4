/* memory_roots.c -- the root of a workspace in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"
#include "options.h"

#include <string.h>

int memory_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    struct root *root = &ws->roots[0];
    if (options_text(o, OPT_ROOT))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "root: files in memory have no directory; mounts bring copies of files");
    if (ws->unrestricted)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "mode: there is nothing outside of a workspace in memory: expected restricted");
    ws->memory = memory_new(o->limits.memory_bytes);
    *root = (struct root){.fd = -1, .path = strdup(MEMORY_ROOT), .len = strlen(MEMORY_ROOT)};
    if (!ws->memory || !root->path || !rules_add(&ws->rules, root->path, root->len, false))
        return fail_memory(e);
    ws->root_count = 1;
    ws->root_method = "memory";
    return workspace_allow_inside(ws, o, e);
}

int memory_start_anew(struct aqfs_workspace *ws, struct error *e) {
    struct memory *memory = ws->memory;
    (void)e;
    pthread_mutex_lock(&memory->lock);
    struct memory_object *old = memory->top;
    memory->top = memory_object_keep(memory->initial);
    pthread_mutex_unlock(&memory->lock);
    memory_object_drop(old);
    return AQFS_OK;
}

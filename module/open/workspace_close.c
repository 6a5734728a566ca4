/* workspace_close.c -- closing and freeing a workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "workspace_open.h"

#include "cleanup.h"
#include "git_reach.h"
#include "hidden.h"
#include "journal.h"
#include "kept.h"
#include "memory.h"
#include "mount.h"
#include "pending_cleanup.h"
#include "secret.h"

static void drop_plans(struct aqfs_workspace *ws) {
    if (ws->plans)
        ws->free_plans(ws->plans);
    ws->plans = NULL;
    if (ws->offers)
        ws->free_offers(ws->offers);
    ws->offers = NULL;
    if (ws->shown)
        ws->free_shown(ws->shown);
    ws->shown = NULL;
}

void workspace_release(struct aqfs_workspace *ws) {
    drop_plans(ws);
    pending_cleanup_end(ws);
    journal_close(ws);
    if (ws->backend->end)
        ws->backend->end(ws);
    for (size_t i = 0; i < ws->root_count; i++)
        cleanup_close(&ws->roots[i].fd);
    commit_lock_close(ws);
    libraries_unload(&ws->libraries);
}

static int start_anew(struct aqfs_workspace *ws, struct error *e) {
    if (ws->closed)
        return fail(e, AQFS_INVALID_ARGUMENT, "The workspace is closed");
    if (!ws->backend->reset)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "Only memory and sessions can be reset: here, delete the files instead");
    if (ws->running > 0)
        return fail(e, AQFS_RACED, "A call is under way: reset the workspace when it has ended");
    drop_plans(ws); /* of places that are about to go */
    kept_memory_free(ws->kept);
    ws->kept = NULL;
    return ws->backend->reset(ws, e);
}

int workspace_reset(struct aqfs_workspace *ws, struct error *e) {
    pthread_mutex_lock(&ws->lock);
    int code = start_anew(ws, e);
    pthread_mutex_unlock(&ws->lock);
    return code;
}

void aqfs_close(aqfs_workspace *ws) {
    if (!ws)
        return;
    pthread_mutex_lock(&ws->lock);
    if (!ws->closed && ws->running == 0)
        workspace_release(ws);
    ws->closed = true;
    pthread_mutex_unlock(&ws->lock);
}

void aqfs_free(aqfs_workspace *ws) {
    if (!ws)
        return;
    aqfs_close(ws);
    for (size_t i = 0; i < ws->root_count; i++) {
        free(ws->roots[i].path);
        free(ws->roots[i].alias);
        free(ws->roots[i].other_names);
    }
    free(ws->roots);
    mounted_free(ws);
    memory_free(ws->memory);
    pending_cleanup_free(ws->pending_cleanup);
    kept_memory_free(ws->kept);
    hidden_free(ws->hidden);
    git_reach_free(ws->git_reach);
    secrets_free(ws->secrets);
    rules_free(&ws->rules);
    rules_free(&ws->protects);
    free(ws->state_dir);
    free(ws->home);
    libraries_destroy(&ws->libraries);
    pthread_mutex_destroy(&ws->lock);
    pthread_mutex_destroy(&ws->commit_mutex);
    free(ws);
}

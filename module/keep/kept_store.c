/* kept_store.c -- where the records of calls are: in the state directory, or in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "clock.h"
#include "kept_parts.h"
#include "own_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct kept_record {
    struct kept_record *next;
    char id[KEPT_ID];
    struct buf bytes;
};

struct kept_memory *kept_of(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    if (!ws->kept)
        ws->kept = calloc(1, sizeof *ws->kept);
    pthread_mutex_unlock(&ws->lock);
    return ws->kept;
}

/* -- ids --------------------------------------------------------------------------------------- */

/* Two calls of one moment keep their order. */
int kept_new_id(struct aqfs_workspace *ws, enum origin origin, char out[KEPT_ID], struct error *e) {
    char random[TEMPORARY_NAME];
    struct kept_memory *kept = kept_of(ws);
    if (!kept)
        return fail_memory(e);
    if (!temporary_name(random))
        return fail(e, AQFS_IO, "No random name could be made: getrandom failed");
    int64_t ns = clock_wall_ns();
    kept->last_ns = ns > kept->last_ns ? ns : kept->last_ns + 1;
    (void)snprintf(out, KEPT_ID, "%0*llx-%c%.*s", ID_TIME, (unsigned long long)kept->last_ns,
                   kept_origin_digit(origin), ID_REST - 1, strchr(random, '-') + 1);
    return AQFS_OK;
}

/* -- listing ----------------------------------------------------------------------------------- */

static void list_memory(struct aqfs_workspace *ws, struct kept_ids *out) {
    pthread_mutex_lock(&ws->lock);
    for (const struct kept_record *r = ws->kept ? ws->kept->records : NULL; r; r = r->next)
        kept_ids_add(out, r->id);
    pthread_mutex_unlock(&ws->lock);
}

int kept_list(struct work *work, struct kept_ids *out) {
    int error = 0;
    *out = (struct kept_ids){0};
    if (kept_is_on_disk(work->ws))
        error = kept_files_list(work->ws, out);
    else
        list_memory(work->ws, out);
    if (out->failed)
        return fail_memory(&work->error);
    if (error)
        return fail_errno(&work->error, error, "state directory");
    kept_ids_sort(out);
    return AQFS_OK;
}

/* -- reading ----------------------------------------------------------------------------------- */

static bool copy_kept(struct aqfs_workspace *ws, const char *id, struct buf *out) {
    const struct kept_record *found = NULL;
    pthread_mutex_lock(&ws->lock);
    for (const struct kept_record *r = ws->kept ? ws->kept->records : NULL; r && !found;
         r = r->next)
        found = strcmp(r->id, id) == 0 ? r : NULL;
    if (found)
        buf_add(out, found->bytes.data, found->bytes.len);
    pthread_mutex_unlock(&ws->lock);
    return found != NULL;
}

int kept_find(struct work *work, const char *id, struct kept_call *out) {
    int error = 0;
    if (kept_is_on_disk(work->ws)) {
        error = kept_files_open(work->ws, id, out);
    } else {
        error = copy_kept(work->ws, id, &out->copy) ? 0 : ENOENT;
        out->size = (int64_t)out->copy.len;
    }
    if (out->copy.failed)
        return fail_memory(&work->error);
    if (error && kept_means_none(error))
        return fail(&work->error, AQFS_NOT_FOUND, "There is no record of a call %s (any more)", id);
    return error ? fail_errno(&work->error, error, "state directory") : AQFS_OK;
}

int kept_bytes_at(const struct kept_call *call, size_t at, size_t n, char *out) {
    if (call->fd < 0) {
        if (at > call->copy.len || n > call->copy.len - at)
            return ENOENT;
        memcpy(out, call->copy.data + at, n);
        return 0;
    }
    return kept_files_read(call->fd, at, n, out);
}

/* -- forgetting -------------------------------------------------------------------------------- */

static void forget_memory(struct aqfs_workspace *ws, const char *id) {
    struct kept_record *gone = NULL;
    pthread_mutex_lock(&ws->lock);
    for (struct kept_record **at = ws->kept ? &ws->kept->records : NULL; at && *at && !gone;)
        if (strcmp((*at)->id, id) == 0) {
            gone = *at;
            *at = gone->next;
            ws->kept->n--;
            ws->kept->bytes -= (int64_t)gone->bytes.len;
        } else {
            at = &(*at)->next;
        }
    pthread_mutex_unlock(&ws->lock);
    if (gone)
        buf_free(&gone->bytes);
    free(gone);
}

void kept_forget(struct aqfs_workspace *ws, const char *id) {
    if (!kept_is_on_disk(ws)) {
        forget_memory(ws, id);
        return;
    }
    kept_files_forget(ws, id);
}

void kept_memory_free(struct kept_memory *kept) {
    while (kept && kept->records) {
        struct kept_record *record = kept->records;
        kept->records = record->next;
        buf_free(&record->bytes);
        free(record);
    }
    free(kept);
}

/* -- keeping ----------------------------------------------------------------------------------- */

bool kept_is_on_disk(const struct aqfs_workspace *ws) {
    return ws->state_dir && ws->backend->durable;
}

bool kept_wanted(const struct aqfs_workspace *ws) {
    return ws->limits.kept_calls > 0 && ws->limits.kept_bytes > 0;
}

/* The id of the oldest record of the origin that has the most, if there are more than the limits
 * allow, and it is not the latest one. */
static bool find_spent(struct aqfs_workspace *ws, char out[KEPT_ID]) {
    struct kept_shares shares = {0};
    pthread_mutex_lock(&ws->lock);
    const struct kept_record *latest = ws->kept->records, *oldest = NULL, *record;
    bool spent = kept_is_too_much(&ws->limits, ws->kept->n, ws->kept->bytes, 0);
    for (record = spent ? latest->next : NULL; record; record = record->next)
        kept_share(&shares, record->id, (int64_t)record->bytes.len);
    enum origin most = kept_largest(&shares, ws->kept->n > ws->limits.kept_calls);
    for (record = spent ? latest->next : NULL; record; record = record->next)
        oldest = kept_origin_of(record->id) == most ? record : oldest;
    if (oldest)
        memcpy(out, oldest->id, KEPT_ID);
    pthread_mutex_unlock(&ws->lock);
    return oldest != NULL;
}

static void forget_oldest(struct aqfs_workspace *ws) {
    char id[KEPT_ID];
    while (find_spent(ws, id))
        forget_memory(ws, id);
}

static int add_to_memory(struct aqfs_workspace *ws, const char *id, const struct buf *header,
                         const struct buf *bytes, struct error *e) {
    struct kept_record *record = calloc(1, sizeof *record);
    if (!record)
        return fail_memory(e);
    memcpy(record->id, id, KEPT_ID);
    buf_add(&record->bytes, header->data, header->len);
    if (bytes->len > 0)
        buf_add(&record->bytes, bytes->data, bytes->len);
    if (record->bytes.failed) {
        buf_free(&record->bytes);
        free(record);
        return fail_memory(e);
    }
    struct kept_memory *kept = ws->kept;
    pthread_mutex_lock(&ws->lock);
    record->next = kept->records;
    kept->records = record;
    kept->n++;
    kept->bytes += (int64_t)record->bytes.len;
    pthread_mutex_unlock(&ws->lock);
    forget_oldest(ws);
    return AQFS_OK;
}

/* Fewer bytes are copied behind the header, which takes less time than writing them by themselves.
 */
#define JOINED_MOST 65536

int kept_add(struct aqfs_workspace *ws, const char *id, const struct buf *header,
             const struct buf *bytes, struct error *e) {
    AUTO(buf_free) struct buf first = {0};
    buf_printf(&first, KEPT_WORDS "%d %zu\n", KEPT_FORMAT, header->len);
    buf_add(&first, header->data, header->len);
    const struct buf none = {0};
    if (bytes->len > 0 && bytes->len <= JOINED_MOST && !bytes->failed) {
        buf_add(&first, bytes->data, bytes->len);
        bytes = &none;
    }
    if (header->failed || bytes->failed || first.failed)
        return fail_memory(e);
    if (!kept_of(ws))
        return fail_memory(e);
    return kept_is_on_disk(ws) ? kept_files_add(ws, id, &first, bytes, e)
                               : add_to_memory(ws, id, &first, bytes, e);
}

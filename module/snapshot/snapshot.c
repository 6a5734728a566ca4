/* snapshot.c -- the functions that all keepers of snapshots share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot.h"
#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool snapshot_new_id(char out[SNAPSHOT_ID]) {
    unsigned char r[16];
    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
        return false;
    r[6] = (unsigned char)((r[6] & 0x0F) | 0x40); /* version 4, RFC 4122 */
    r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
    (void)snprintf(out, SNAPSHOT_ID,
                   "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0],
                   r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13],
                   r[14], r[15]);
    return true;
}

bool snapshot_is_id(const char *text, size_t n) {
    if (n != SNAPSHOT_ID - 1)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !text[i] || !strchr("0123456789abcdef", text[i]))
            return false;
    }
    return true;
}

void snapshot_free(struct snapshot *s) {
    free(s->root_path);
    free(s->git_dir);
    free(s->tag);
    json_decref(s->secrets);
    *s = (struct snapshot){0};
}

void snapshot_list_free(struct snapshot_list *list) {
    for (size_t i = 0; i < list->n; i++)
        snapshot_free(&list->all[i]);
    free(list->all);
    *list = (struct snapshot_list){0};
}

bool snapshot_may_go(const struct retention *keep, const struct snapshot *s) {
    bool is_spared = keep->spared && strcmp(s->id, keep->spared) == 0;
    bool is_own = s->origin == keep->origin && (s->origin != ORIGIN_PERSON || !s->tag);
    return !is_spared && (keep->asked || is_own);
}

bool snapshot_goes(const struct retention *keep, size_t rank, const struct snapshot *s) {
    bool is_latest = rank == 0 && !(keep->asked && keep->newest == 0);
    return !is_latest && snapshot_may_go(keep, s) &&
           ((int64_t)rank >= keep->newest || s->created_ms < keep->since_ms);
}

void item_changes_free(struct item_changes *changes) {
    if (changes->drop)
        changes->drop(changes->held);
    free(changes->all);
    arena_free(&changes->arena);
    *changes = (struct item_changes){0};
}

bool item_changes_add(struct item_changes *changes, const char *path, size_t n,
                      const struct item *before, const struct item *after) {
    struct item_change *all =
        array_with_room(changes->all, changes->n, &changes->room, sizeof *all);
    if (!all)
        return false;
    changes->all = all;
    const char *copy = arena_string(&changes->arena, path, n);
    if (!copy)
        return false;
    changes->all[changes->n++] =
        (struct item_change){.path = copy, .len = n, .before = *before, .after = *after};
    return true;
}

void snapshot_report_free(struct snapshot_report *report) {
    for (size_t i = 0; i < report->left_out_n && i < LEFT_OUT_SHOWN; i++)
        free(report->left_out[i].path);
}

/* plan.c -- what a call would do, known before it is done.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan.h"

#include "array.h"
#include "cleanup.h"
#include "met_secrets.h"
#include "node.h"
#include "protect.h"
#include "scan.h"

#include <string.h>

/* -- changes ---------------------------------------------------------------------------------- */

struct change *plan_add(struct plan *p, enum change_kind kind) {
    struct change **changes = array_with_room(p->changes, p->n, &p->room, sizeof *changes);
    if (!changes)
        return NULL;
    p->changes = changes;
    struct change *change = calloc(1, sizeof *change);
    if (change) {
        change->kind = kind;
        p->changes[p->n++] = change;
    }
    return change;
}

int plan_add_at(struct work *work, struct plan *p, enum change_kind kind, const struct place *at,
                const struct info *seen, struct change **out) {
    struct change *change = *out = plan_add(p, kind);
    if (!change)
        return fail_memory(&work->error);
    change->at = *at;
    change->seen = *seen;
    return AQFS_OK;
}

bool plan_is_target(const struct plan *p, const struct change *change) {
    return change->kind != CHANGE_MAKE_DIRECTORY || change == p->changes[p->n - 1];
}

static void change_free(struct change *change) {
    buf_free(&change->old_bytes);
    buf_free(&change->new_bytes);
    buf_free(&change->old_text);
    buf_free(&change->new_text);
    free(change);
}

void plan_drop_last(struct plan *p) {
    change_free(p->changes[--p->n]);
}

void plan_free(struct plan *p) {
    for (size_t i = 0; i < p->n; i++)
        change_free(p->changes[i]);
    free(p->changes);
    for (size_t i = 0; i < p->lookup_n; i++) {
        free(p->lookups[i].given);
        free(p->lookups[i].path);
    }
    free(p->lookups);
    if (p->drop)
        p->drop(p->held);
    buf_free(&p->summary);
    buf_free(&p->diff);
    buf_free(&p->snippet);
    buf_free(&p->endings);
    *p = (struct plan){0};
}

size_t plan_size(const struct plan *p) {
    size_t size = p->summary.len + p->diff.len + p->snippet.len;
    for (size_t i = 0; i < p->n; i++) {
        const struct change *change = p->changes[i];
        size += sizeof *change + change->old_bytes.len + change->new_bytes.len +
                change->old_text.len + change->new_text.len;
    }
    return size;
}

/* -- looking ---------------------------------------------------------------------------------- */

static int fail_protected(struct text_ref given, struct error *e) {
    char label[PATH_LABEL];
    return fail(e, AQFS_RESTRICTED, "Path '%s' is restricted: nothing is written inside .git",
                path_label(given.data, given.len, label));
}

int plan_look(struct work *work, const struct place *at, struct info *seen) {
    struct node node;
    if (at->type == NODE_MISSING) {
        *seen = (struct info){.type = NODE_MISSING};
        return AQFS_OK;
    }
    int code = work->ws->backend->open(work->ws, at->root, at->path, OPEN_ANY, &node, &work->error);
    if (code)
        return code;
    *seen = node.info;
    node_close(&node);
    return AQFS_OK;
}

static bool note_lookup(struct plan *p, struct text_ref path, unsigned flags,
                        const struct place *at) {
    struct lookup *lookups =
        array_with_room(p->lookups, p->lookup_n, &p->lookup_room, sizeof *lookups);
    if (!lookups)
        return false;
    p->lookups = lookups;
    struct lookup *lookup = &p->lookups[p->lookup_n];
    *lookup = (struct lookup){.given = malloc(path.len + 1),
                              .given_n = path.len,
                              .flags = flags,
                              .root = at->root,
                              .path = strdup(at->path)};
    if (!lookup->given || !lookup->path) {
        free(lookup->given);
        free(lookup->path);
        return false;
    }
    memcpy(lookup->given, path.data, path.len);
    p->lookup_n++;
    return true;
}

int plan_find(struct work *work, struct text_ref path, unsigned flags, struct place *at,
              struct info *seen) {
    int code = workspace_locate(work->ws, path, flags, at, &work->error);
    if (code)
        return code;
    if (at->passed == PROTECT_REFUSE ||
        protect_level(work->ws, at->root, at->path) == PROTECT_REFUSE)
        return fail_protected(path, &work->error);
    code = seen ? plan_look(work, at, seen) : AQFS_OK;
    return code ? code : met_secrets_note(work, at, path);
}

int plan_remember(struct work *work, struct plan *p, struct text_ref path, unsigned flags,
                  const struct place *at) {
    bool is_plain = at->root == &work->ws->roots[0] && path.len == at->len &&
                    memcmp(path.data, at->path, path.len) == 0;
    return is_plain || note_lookup(p, path, flags, at) ? AQFS_OK : fail_memory(&work->error);
}

int plan_locate(struct work *work, struct plan *p, struct text_ref path, unsigned flags,
                struct place *at, struct info *seen) {
    int code = plan_find(work, path, flags, at, seen);
    return code ? code : plan_remember(work, p, path, flags, at);
}

/* The directory of what is planned next was mostly planned a short while ago. */
struct change *plan_made(const struct plan *p, const struct root *root, const char *path) {
    for (size_t i = p->n; i-- > 0;) {
        struct change *change = p->changes[i];
        if (change->kind == CHANGE_MAKE_DIRECTORY && change->at.root == root &&
            strcmp(change->at.path, path) == 0)
            return change;
    }
    return NULL;
}

static int plan_directory(struct work *work, struct plan *p, const struct root *root,
                          const char *path) {
    struct change *change = plan_add(p, CHANGE_MAKE_DIRECTORY);
    if (!change)
        return fail_memory(&work->error);
    change->at.root = root;
    change->at.type = change->seen.type = NODE_MISSING;
    change->at.len = strlen(path);
    memcpy(change->at.path, path, change->at.len + 1);
    return AQFS_OK;
}

/* Is there a directory at PATH, or will the plan make one?  AQFS_NOT_FOUND if nothing is there. */
static int check_directory(struct work *work, const struct plan *p, const struct root *root,
                           const char *path) {
    char label[PATH_LABEL];
    struct node node;
    if (plan_made(p, root, path))
        return AQFS_OK;
    int code = work->ws->backend->open(work->ws, root, path, OPEN_DIRECTORY, &node, &work->error);
    if (!code)
        node_close(&node);
    path_label(path, strlen(path), label);
    if (code == AQFS_RACED)
        return fail(&work->error, AQFS_NOT_A_DIRECTORY, "Path '%s' is not a directory", label);
    if (code == AQFS_NOT_FOUND)
        return fail(&work->error, AQFS_NOT_FOUND, "Directory '%s' does not exist", label);
    return code;
}

/* Goes up to the nearest directory that exists, and plans those below it on the way down again. */
int plan_parents(struct work *work, struct plan *p, const struct place *at, bool create) {
    char path[PATH_BYTES_MAX + 1];
    if (!parent_path(at->path, path))
        return AQFS_OK;
    size_t n = strlen(path);
    int code = check_directory(work, p, at->root, path);
    while (code == AQFS_NOT_FOUND && create && path[0]) {
        char *slash = strrchr(path, '/');
        *(slash ? slash : path) = '\0';
        code = check_directory(work, p, at->root, path);
    }
    for (size_t known = strlen(path); !code && known < n; known = strlen(path)) {
        memcpy(path + known, at->path + known, n - known);
        path[n] = '\0';
        path[known + 1 + strcspn(path + known + 1, "/")] = '\0';
        code = plan_directory(work, p, at->root, path);
    }
    return code;
}

int plan_read(struct work *work, struct change *change) {
    struct node node;
    const struct place *at = &change->at;
    int code =
        work->ws->backend->open(work->ws, at->root, at->path, OPEN_FILE, &node, &work->error);
    if (code)
        return code;
    struct byte_scan scan = {.most = SIZE_MAX, .unversioned = true};
    change->was_read = true;
    if (node.info.size > work->ws->limits.read_bytes)
        code = fail(&work->error, AQFS_TOO_LARGE, "It has %lld bytes; %lld can be edited",
                    (long long)node.info.size, (long long)work->ws->limits.read_bytes);
    code = code ? code : scan_bytes(work->ws, &node, &work->budget, &scan, &work->error);
    if (!code && scan.changed)
        code = fail(&work->error, AQFS_RACED, "It changed while it was read");
    if (!code) {
        change->seen = node.info;
        change->old_bytes = scan.bytes;
        change->held[0] = '\0';
        scan.bytes = (struct buf){0};
    }
    byte_scan_free(&scan);
    node_close(&node);
    return code;
}

int plan_hash_file(struct work *work, const struct node *file, char hex[HASH_HEX]) {
    struct byte_scan scan = {0};
    int code = scan_bytes(work->ws, file, &work->budget, &scan, &work->error);
    if (!code && !scan.version[0])
        code = fail(&work->error, AQFS_TOO_LARGE, "It is too large, or changed while it was read");
    memcpy(hex, scan.version, HASH_HEX);
    byte_scan_free(&scan);
    return code;
}

static void hash_bytes(const struct buf *bytes, char hex[HASH_HEX]) {
    struct hash h;
    hash_start(&h);
    hash_add(&h, bytes->data ? bytes->data : "", bytes->len);
    hash_end(&h, hex);
}

int plan_hash_link(struct work *work, const struct place *at, char hex[HASH_HEX]) {
    AUTO(parent_close) struct parent p = {0};
    AUTO(buf_free) struct buf text = {0};
    int code = parent_open(work->ws, at->root, at->path, &p, &work->error);
    code = code ? code : p.node.backend->readlink_below(&p.node, p.name, &text, &work->error);
    if (!code)
        hash_bytes(&text, hex);
    return code;
}

int plan_set_bytes(struct work *work, struct change *change, struct buf *bytes) {
    if (bytes->failed)
        return fail_memory(&work->error);
    change->new_bytes = *bytes;
    *bytes = (struct buf){0};
    change->will_hold[0] = '\0';
    return AQFS_OK;
}

const char *plan_held(struct change *change) {
    if (!change->held[0] && change->was_read)
        hash_bytes(&change->old_bytes, change->held);
    return change->held;
}

const char *plan_will_hold(struct change *change) {
    if (!change->will_hold[0] && change->kind == CHANGE_WRITE)
        hash_bytes(&change->new_bytes, change->will_hold);
    return change->will_hold;
}

/* snapshot_record.c -- the records of snapshots: a ref and a commit each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_record.h"

#include "array.h"
#include "cleanup.h"
#include "own_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REF_BYTES 64
#define TREE_LINE 5 /* "tree " */

/* -- commits ------------------------------------------------------------------------------------
 */

/* Paths and tags may be any bytes; JSON wants UTF-8. */
static json_t *shown(const char *text) {
    AUTO(buf_free) struct buf out = {0};
    if (!text)
        return json_null();
    buf_str(&out, "");
    path_show(&out, text, strlen(text));
    return out.failed ? NULL : json_stringn(out.data, out.len);
}

static char *take_fact(const json_t *facts, const char *key) {
    const json_t *text = json_object_get(facts, key);
    char path[PATH_BYTES_MAX + 1];
    struct error ignored;
    size_t n;
    if (!json_is_string(text) ||
        path_accept(json_string_value(text), json_string_length(text), NULL, path, &n, &ignored))
        return NULL;
    return strdup(path);
}

static bool take_facts(const json_t *facts, struct snapshot *out) {
    const char *id = json_string_value(json_object_get(facts, "id"));
    const char *created = json_string_value(json_object_get(facts, "created_ms"));
    if (!id || !snapshot_is_id(id, strlen(id)) || !created)
        return false;
    memcpy(out->id, id, SNAPSHOT_ID);
    out->created_ms = strtoll(created, NULL, 10);
    out->root_path = take_fact(facts, "root_path");
    const json_t *secrets = json_object_get(facts, "secrets");
    out->secrets = secrets ? json_incref((json_t *)secrets) : NULL; /* to count the reference */
    out->tag = take_fact(facts, "tag");
    const json_t *files = json_object_get(facts, "files");
    out->files = json_is_integer(files) && json_integer_value(files) >= 0
                     ? (int64_t)json_integer_value(files)
                     : -1;
    /* Records of 0.1.0 do not say for whom: those are kept as a person's. */
    const char *origin = json_string_value(json_object_get(facts, "origin"));
    for (unsigned i = 0; origin && i < ORIGIN_COUNT; i++)
        if (strcmp(origin, origin_names[i]) == 0)
            out->origin = (enum origin)i;
    if (!out->root_path)
        out->root_path = strdup("/"); /* a workspace of the whole file system */
    return out->root_path != NULL;
}

/* A commit that is not one of ours is damaged. */
static bool take_commit(const struct buf *commit, struct snapshot *out, struct oid *tree) {
    struct oid ignored;
    const char *body = strstr(commit->data, "\n\n");
    if (commit->len < TREE_LINE + OID_HEX || memcmp(commit->data, "tree ", TREE_LINE) != 0 ||
        !oid_read_hex(commit->data + TREE_LINE, tree ? tree : &ignored) || !body)
        return false;
    json_t *facts = json_loadb(body, commit->len - (size_t)(body - commit->data), 0, NULL);
    bool whole = take_facts(facts, out);
    json_decref(facts);
    return whole;
}

int record_commit(const struct snapshot *record, const struct oid *tree, struct buf *out,
                  struct error *e) {
    char hex[OID_HEX], created[32];
    oid_hex(tree, hex);
    (void)snprintf(created, sizeof created, "%lld", (long long)record->created_ms);
    json_t *facts =
        json_pack("{s:s, s:s, s:o, s:o, s:s, s:I}", "id", record->id, "created_ms", created,
                  "root_path", shown(record->root_path), "tag", shown(record->tag), "origin",
                  origin_names[record->origin], "files", (json_int_t)record->files);
    bool told = !record->secrets || json_object_set(facts, "secrets", record->secrets) == 0;
    char *text = facts && told ? json_dumps(facts, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(facts);
    if (!text)
        return fail_memory(e);
    long long seconds = (long long)(record->created_ms / 1000);
    buf_printf(out, "tree %s\n", hex);
    buf_printf(out, "author agent-q-fs <agent-q-fs> %lld +0000\n", seconds);
    buf_printf(out, "committer agent-q-fs <agent-q-fs> %lld +0000\n\n", seconds);
    buf_printf(out, "%s\n", text);
    free(text);
    /* Without memory jansson may have left something out.  Then the commit cannot be read back. */
    struct snapshot same = {0};
    bool whole = !out->failed && take_commit(out, &same, NULL) && strcmp(same.id, record->id) == 0;
    snapshot_free(&same);
    return whole ? AQFS_OK : fail_memory(e);
}

/* -- refs ---------------------------------------------------------------------------------------
 */

static int fail_missing(struct error *e, const char *id) {
    return fail(e, AQFS_SNAPSHOT, "There is no snapshot %s: snapshot_list tells which there are",
                id);
}

static int fail_damaged(struct error *e, const char *id) {
    return fail(e, AQFS_SNAPSHOT, "The snapshot %s is damaged: it cannot be read", id);
}

int record_check(const struct store *s, const char *id, struct error *e) {
    return state_has(s->refs, id) ? AQFS_OK : fail_missing(e, id);
}

int record_keep(const struct store *s, const struct snapshot *record, struct error *e) {
    char line[OID_HEX + 1];
    (void)snprintf(line, sizeof line, "%s\n", record->commit_ref);
    return state_replace(s->refs, record->id, line, strlen(line), true, e);
}

bool record_is_own(const struct work *work, const struct snapshot *record) {
    const struct root *root = &work->ws->roots[0];
    return !work->ws->keeper->strict ||
           strcmp(record->root_path, root->len > 0 ? root->path : "/") == 0;
}

void record_forget(const struct store *s, const char *id) {
    (void)unlinkat(s->refs, id, 0);
}

int record_find(const struct store *s, const char *id, struct snapshot *out, struct oid *tree,
                struct error *e) {
    AUTO(buf_free) struct buf ref = {0}, commit = {0};
    struct oid oid;
    *out = (struct snapshot){0};
    if (!snapshot_is_id(id, strlen(id)))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "id: expected the id of a snapshot, as snapshot_list shows it");
    int code = state_read(s->refs, id, REF_BYTES, &ref, e);
    if (code == AQFS_NOT_FOUND)
        return fail_missing(e, id);
    if (code || ref.len < OID_HEX - 1 || !oid_read_hex(ref.data, &oid) ||
        store_read(s, &oid, OBJECT_COMMIT, &commit, e) || !take_commit(&commit, out, tree) ||
        strcmp(out->id, id) != 0) {
        snapshot_free(out);
        /* A prune may have forgotten it after we read its ref. */
        code = record_check(s, id, e);
        return code ? code : fail_damaged(e, id);
    }
    oid_hex(&oid, out->commit_ref);
    out->git_dir = strdup(s->path);
    return AQFS_OK;
}

struct record_listing {
    const struct store *store;
    struct snapshot_list *list;
    bool failed; /* for want of memory */
};

static bool make_list_room(struct snapshot_list *list) {
    struct snapshot *all = array_with_room(list->all, list->n, &list->room, sizeof *all);
    if (all)
        list->all = all;
    return all;
}

static void list_record(void *data, int dir, const char *name) {
    struct record_listing *l = data;
    struct error ignored;
    (void)dir;
    if (!snapshot_is_id(name, strlen(name)))
        return;
    if (!make_list_room(l->list))
        l->failed = true;
    else if (record_find(l->store, name, &l->list->all[l->list->n], NULL, &ignored) == AQFS_OK)
        l->list->n++;
    else if (record_check(l->store, name, &ignored) == AQFS_OK)
        l->list->damaged++; /* not just forgotten by another process */
}

static int compare_snapshots_by_time(const void *a, const void *b) {
    const struct snapshot *x = a, *y = b;
    int order = (x->created_ms > y->created_ms) - (x->created_ms < y->created_ms);
    return order ? order : strcmp(x->id, y->id);
}

int record_list(const struct store *s, struct snapshot_list *out, struct error *e) {
    struct record_listing l = {s, out, false};
    int error = state_each(s->refs, list_record, &l);
    if (l.failed)
        return fail_memory(e);
    /* A snapshot that is missing here would lose its objects in a prune. */
    if (error)
        return fail_errno(e, error, "state directory");
    if (out->n > 0)
        qsort(out->all, out->n, sizeof *out->all, compare_snapshots_by_time);
    return AQFS_OK;
}

/* plan.c -- what a call would do, known before it is done. */
#include "plan.h"

#include "cleanup.h"
#include "diff.h"
#include "parent.h"
#include "protect.h"
#include "scan.h"
#include "utf8.h"

#include <string.h>
#include <time.h>

#define SUMMARY_BYTES 200 /* of names; more targets are only counted */

/* -- changes ---------------------------------------------------------------------------------- */

struct change *plan_add(struct plan *p, enum change_kind kind) {
    if (p->n == p->room) {
        size_t room = p->room ? p->room * 2 : 4;
        struct change **grown = realloc(p->changes, room * sizeof *grown);
        if (!grown)
            return NULL;
        p->changes = grown;
        p->room = room;
    }
    struct change *change = calloc(1, sizeof *change);
    if (change) {
        change->kind = kind;
        p->changes[p->n++] = change;
    }
    return change;
}

static void change_free(struct change *change) {
    buf_free(&change->old_bytes);
    buf_free(&change->new_bytes);
    buf_free(&change->old_text);
    buf_free(&change->new_text);
    free(change);
}

void plan_free(struct plan *p) {
    for (size_t i = 0; i < p->n; i++)
        change_free(p->changes[i]);
    free(p->changes);
    buf_free(&p->summary);
    buf_free(&p->diff);
    buf_free(&p->snippet);
    *p = (struct plan){0};
}

/* -- looking ---------------------------------------------------------------------------------- */

static int fail_protected(struct text_ref given, struct error *e) {
    char label[PATH_LABEL];
    return fail(e, AQFS_RESTRICTED, "Path '%s' is restricted: nothing is written inside .git",
                path_label(given.data, given.len, label));
}

/* The info of a place that exists; the place itself when it has gone meanwhile. */
static int look(struct call *c, const struct place *at, struct info *seen) {
    struct node node;
    if (at->type == NODE_MISSING) {
        *seen = (struct info){.type = NODE_MISSING};
        return AQFS_OK;
    }
    int code = c->ws->backend->open(c->ws, at->root, at->path, OPEN_ANY, &node, &c->error);
    if (code)
        return code;
    *seen = node.info;
    node_close(&node);
    return AQFS_OK;
}

int plan_locate(struct call *c, struct text_ref path, unsigned flags, struct place *at,
                struct info *seen) {
    int code = workspace_locate(c->ws, path, flags, at, &c->error);
    if (code)
        return code;
    if (protect_level(c->ws, at->root, at->path) == PROTECT_REFUSE)
        return fail_protected(path, &c->error);
    return look(c, at, seen);
}

static bool is_planned(const struct plan *p, const struct root *root, const char *path) {
    for (size_t i = 0; i < p->n; i++) {
        const struct change *change = p->changes[i];
        if (change->kind == CHANGE_MAKE_DIRECTORY && change->at.root == root &&
            strcmp(change->at.path, path) == 0)
            return true;
    }
    return false;
}

static int plan_directory(struct call *c, struct plan *p, const struct root *root,
                          const char *path) {
    struct change *change = plan_add(p, CHANGE_MAKE_DIRECTORY);
    if (!change)
        return fail_memory(&c->error);
    change->at.root = root;
    change->at.type = change->seen.type = NODE_MISSING;
    change->at.len = strlen(path);
    memcpy(change->at.path, path, change->at.len + 1);
    return AQFS_OK;
}

/* Recursion is as deep as a path has components. */
static int make_missing(struct call *c, struct plan *p, const struct root *root, const char *path,
                        bool create) {
    char above[PATH_BYTES_MAX + 1], label[PATH_LABEL];
    struct node node;
    if (is_planned(p, root, path))
        return AQFS_OK;
    int code = c->ws->backend->open(c->ws, root, path, OPEN_DIRECTORY, &node, &c->error);
    if (!code) {
        node_close(&node);
        return AQFS_OK;
    }
    path_label(path, strlen(path), label);
    if (code == AQFS_RACED)
        return fail(&c->error, AQFS_NOT_A_DIRECTORY, "Path '%s' is not a directory", label);
    if (code != AQFS_NOT_FOUND)
        return code;
    if (!create)
        return fail(&c->error, AQFS_NOT_FOUND, "Directory '%s' does not exist", label);
    code = parent_path(path, above) ? make_missing(c, p, root, above, create) : AQFS_OK;
    return code ? code : plan_directory(c, p, root, path);
}

int plan_parents(struct call *c, struct plan *p, const struct place *at, bool create) {
    char above[PATH_BYTES_MAX + 1];
    return parent_path(at->path, above) ? make_missing(c, p, at->root, above, create) : AQFS_OK;
}

static int64_t clock_of_files(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int plan_read(struct call *c, struct change *change) {
    struct node node;
    const struct place *at = &change->at;
    int code = c->ws->backend->open(c->ws, at->root, at->path, OPEN_FILE, &node, &c->error);
    if (code)
        return code;
    struct byte_scan scan = {.most = SIZE_MAX, .unversioned = true};
    change->read_ns = clock_of_files();
    if (node.info.size > c->ws->limits.read_bytes)
        code = fail(&c->error, AQFS_TOO_LARGE, "It has %lld bytes; %lld can be edited",
                    (long long)node.info.size, (long long)c->ws->limits.read_bytes);
    code = code ? code : scan_bytes(c->ws, &node, &c->budget, &scan, &c->error);
    if (!code && scan.changed)
        code = fail(&c->error, AQFS_RACED, "It changed while it was read");
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

int plan_hash_file(struct call *c, const struct node *file, char hex[HASH_HEX]) {
    struct byte_scan scan = {0};
    int code = scan_bytes(c->ws, file, &c->budget, &scan, &c->error);
    if (!code && !scan.version[0])
        code = fail(&c->error, AQFS_TOO_LARGE, "It is too large, or changed while it was read");
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

int plan_set_bytes(struct call *c, struct change *change, struct buf *bytes) {
    if (bytes->failed)
        return fail_memory(&c->error);
    change->new_bytes = *bytes;
    *bytes = (struct buf){0};
    change->will_hold[0] = '\0';
    return AQFS_OK;
}

const char *plan_held(struct change *change) {
    if (!change->held[0] && change->read_ns)
        hash_bytes(&change->old_bytes, change->held);
    return change->held;
}

const char *plan_will_hold(struct change *change) {
    if (!change->will_hold[0] && change->kind == CHANGE_WRITE)
        hash_bytes(&change->new_bytes, change->will_hold);
    return change->will_hold;
}

/* -- tier ------------------------------------------------------------------------------------- */

static bool is_protected(const struct call *c, const struct place *place) {
    return place->root && protect_level(c->ws, place->root, place->path) != PROTECT_NONE;
}

static bool is_dangerous(const struct call *c, const struct change *change) {
    bool replaces = change->kind != CHANGE_DELETE && change->seen.type != NODE_MISSING;
    return change->kind == CHANGE_DELETE || (replaces && !change->edits) ||
           is_protected(c, &change->at) || is_protected(c, &change->from);
}

static enum tier tier_of(const struct call *c, const struct plan *p) {
    enum tier tier = c->op->tier;
    for (size_t i = 0; i < p->n && tier != TIER_DANGEROUS; i++)
        if (is_dangerous(c, p->changes[i]))
            tier = TIER_DANGEROUS;
    return tier;
}

/* -- digest ----------------------------------------------------------------------------------- */

static void hash_text(struct hash *h, const char *text) {
    hash_add(h, text, strlen(text) + 1);
}

static void hash_place(struct hash *h, const struct place *place) {
    hash_text(h, place->root ? place->root->path : "");
    hash_text(h, place->path);
}

static void hash_info(struct hash *h, const struct info *info) {
    uint64_t facts[] = {(uint64_t)info->type, info->device, info->inode, info->mode};
    hash_add(h, facts, sizeof facts);
}

const char *plan_digest(const struct call *c, struct plan *p) {
    struct hash h;
    if (p->digest[0])
        return p->digest;
    hash_start(&h);
    hash_text(&h, c->op->name);
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        hash_add(&h, &change->kind, sizeof change->kind);
        hash_place(&h, &change->at);
        hash_place(&h, &change->from);
        hash_info(&h, &change->seen);
        hash_info(&h, &change->seen_from);
        hash_info(&h, &change->above);
        hash_text(&h, plan_held(change));
        hash_text(&h, plan_will_hold(change));
    }
    hash_end(&h, p->digest);
    return p->digest;
}

/* -- diff ------------------------------------------------------------------------------------- */

static struct text_ref shown(const struct buf *text, const struct buf *bytes) {
    const struct buf *b = text->data ? text : bytes;
    return (struct text_ref){b->data ? b->data : "", b->len};
}

static void show_place(const struct call *c, const struct place *place, struct buf *out) {
    place_show(c->ws, place->root, place->path, place->len, out);
}

static void show_headers(struct plan *p, const struct change *change, const struct buf *path,
                         const struct buf *from) {
    if (from->len)
        buf_printf(&p->diff, "rename from %s\nrename to %s\n", from->data, path->data);
    if (change->mode != MODE_KEPT)
        buf_printf(&p->diff, "new mode %s %s\n",
                   change->mode == MODE_EXECUTABLE ? "100755" : "100644", path->data);
}

static int diff_write(struct call *c, struct plan *p, struct change *change, struct buf *path,
                      struct buf *from) {
    show_headers(p, change, path, from);
    struct text_ref old = shown(&change->old_text, &change->old_bytes);
    struct text_ref new = shown(&change->new_text, &change->new_bytes);
    bool fresh = change->seen.type == NODE_MISSING;
    if (memchr(old.data, '\0', old.len) || memchr(new.data, '\0', new.len) ||
        !utf8_is_valid(old.data, old.len) || !utf8_is_valid(new.data, new.len)) {
        buf_printf(&p->diff, "Binary file %s: %zu bytes, now %zu\n", path->data, old.len, new.len);
        return AQFS_OK;
    }
    struct text_ref name = {path->data, path->len};
    struct text_ref old_name = {from->data, from->len};
    struct diff_side before = {old, from->len ? old_name : fresh ? (struct text_ref){0} : name};
    struct diff_side after = {new, name};
    struct diff_stats stats = {0};
    size_t most = (size_t)c->ws->limits.text_bytes;
    size_t left = p->diff.len < most ? most - p->diff.len : 0;
    workspace_hold_git(c->ws);
    int code = diff_unified(&before, &after, left, &p->diff, &stats, &c->error);
    change->added = (int64_t)stats.added;
    change->removed = (int64_t)stats.removed;
    return code;
}

static int diff_change(struct call *c, struct plan *p, struct change *change) {
    AUTO(buf_free) struct buf path = {0}, from = {0};
    show_place(c, &change->at, &path);
    if (change->from.root)
        show_place(c, &change->from, &from);
    if (path.failed || from.failed)
        return fail_memory(&c->error);
    switch (change->kind) {
    case CHANGE_WRITE:
        return diff_write(c, p, change, &path, &from);
    case CHANGE_COPY:
        buf_printf(&p->diff, "copy from %s\ncopy to %s\n", from.data, path.data);
        break;
    case CHANGE_MOVE:
        buf_printf(&p->diff, "rename from %s\nrename to %s\n", from.data, path.data);
        break;
    case CHANGE_MAKE_DIRECTORY:
        buf_printf(&p->diff, "new directory %s\n", path.data);
        break;
    case CHANGE_DELETE:
        if (change->is_half)
            break;
        buf_printf(&p->diff, "deleted %s %s\n", change->is_tree ? "directory" : "file", path.data);
        break;
    }
    return AQFS_OK;
}

/* -- the whole -------------------------------------------------------------------------------- */

static void look_above(struct call *c, struct change *change) {
    char above[PATH_BYTES_MAX + 1];
    const char *path = change->at.path;
    struct node node;
    struct error ignored;
    while (parent_path(path, above)) {
        if (!c->ws->backend->open(c->ws, change->at.root, above, OPEN_ANY, &node, &ignored)) {
            change->above = node.info;
            node_close(&node);
            return;
        }
        path = above;
    }
}

/* Directories that are made on the way to something are not what the call is about. */
static bool is_target(const struct plan *p, const struct change *change) {
    return change->kind != CHANGE_MAKE_DIRECTORY || change == p->changes[p->n - 1];
}

static void summarise(const struct call *c, struct plan *p) {
    size_t targets = 0;
    buf_printf(&p->summary, "%s: ", c->op->name);
    for (size_t i = 0; i < p->n; i++) {
        AUTO(buf_free) struct buf path = {0};
        if (!is_target(p, p->changes[i]))
            continue;
        targets++;
        if (p->summary.len >= SUMMARY_BYTES)
            continue;
        show_place(c, &p->changes[i]->at, &path);
        path_show_safe(&p->summary, path.data ? path.data : "", path.len);
        buf_char(&p->summary, ' ');
    }
    buf_printf(&p->summary, "(%zu %s)", targets, targets == 1 ? "target" : "targets");
}

int plan_finish(struct call *c, struct plan *p) {
    for (size_t i = 0; i < p->n; i++) {
        look_above(c, p->changes[i]);
        int code = diff_change(c, p, p->changes[i]);
        if (code)
            return code;
    }
    p->tier = tier_of(c, p);
    summarise(c, p);
    return p->diff.failed || p->summary.failed ? fail_memory(&c->error) : AQFS_OK;
}

void plan_report_links(struct call *c, const struct change *change) {
    if (change->seen.type != NODE_FILE || change->seen.links < 2)
        return;
    reply_kv_int(&c->reply, "links", change->seen.links);
    buf_printf(&c->text, "[it had %u hard links: the others keep the old content]\n",
               change->seen.links - 1);
}

static const char *action_name(const struct change *change) {
    static const char *const names[] = {
        [CHANGE_WRITE] = "write", [CHANGE_COPY] = "copy",     [CHANGE_MAKE_DIRECTORY] = "make",
        [CHANGE_MOVE] = "move",   [CHANGE_DELETE] = "delete",
    };
    return names[change->kind];
}

static void describe_target(const struct call *c, const struct change *change, struct reply *r) {
    AUTO(buf_free) struct buf path = {0}, from = {0};
    show_place(c, &change->at, &path);
    reply_map(r);
    reply_kv_path(r, "path", path.data, path.len);
    if (change->given.data)
        reply_kv_string(r, "given", change->given.data, change->given.len);
    reply_kv_keyword(r, "action", action_name(change));
    reply_kv_keyword(r, "type", node_type_name(change->seen.type));
    reply_kv_bool(r, "protected", is_protected(c, &change->at));
    if (change->from.root) {
        show_place(c, &change->from, &from);
        reply_kv_path(r, "from", from.data, from.len);
    }
    if (change->seen.links > 1 && change->seen.type == NODE_FILE)
        reply_kv_int(r, "links", change->seen.links);
    reply_end_map(r);
}

void plan_describe(const struct call *c, struct plan *p, struct reply *r) {
    const char *digest = plan_digest(c, p);
    reply_kv_keyword(r, "tier", tier_name(p->tier));
    reply_kv_string(r, "summary", p->summary.data ? p->summary.data : "", p->summary.len);
    reply_key(r, "targets");
    reply_list(r);
    for (size_t i = 0; i < p->n; i++)
        describe_target(c, p->changes[i], r);
    reply_end_list(r);
    reply_kv_string(r, "diff", p->diff.data ? p->diff.data : "", p->diff.len);
    reply_kv_string(r, "digest", digest, strlen(digest));
}

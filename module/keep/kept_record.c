/* kept_record.c -- understanding a record, as if an enemy had written it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "kept_parts.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define FIRST_BYTES 64 /* enough for the first line */
#define HEADER_MOST ((size_t)256 << 20)

#define X(constant, name) name,
static const char *const action_names[] = {KEPT_ACTIONS(X)};
#undef X

const char *kept_action_name(enum kept_action action) {
    return action_names[action];
}

struct record_reading {
    struct work *work;
    struct kept_call *call;
    bool damaged, no_memory;
};

static void *take(struct record_reading *r, size_t size) {
    void *memory = arena_take(&r->call->arena, size + 1);
    r->no_memory = r->no_memory || !memory;
    if (memory)
        memset(memory, 0, size);
    return memory;
}

/* -- members ----------------------------------------------------------------------------------- */

static const char *take_text(struct record_reading *r, const json_t *from, const char *key) {
    const json_t *text = json_object_get(from, key);
    char *copy = arena_string(&r->call->arena, json_is_string(text) ? json_string_value(text) : "",
                              json_string_length(text));
    r->no_memory = r->no_memory || !copy;
    return copy ? copy : "";
}

/* The index in NAMES of the word KEY; the record is damaged if it is none of them. */
static unsigned take_word(struct record_reading *r, const json_t *from, const char *key,
                          const char *const *names, unsigned n) {
    const char *word = json_string_value(json_object_get(from, key));
    for (unsigned i = 0; word && i < n; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    r->damaged = true;
    return 0;
}

/* A path below a root, or NULL. */
static const char *take_path(struct record_reading *r, const json_t *from, const char *key) {
    const json_t *text = json_object_get(from, key);
    char path[PATH_BYTES_MAX + 1];
    struct error ignored;
    size_t n;
    if (!json_is_string(text) ||
        path_accept(json_string_value(text), json_string_length(text), NULL, path, &n, &ignored) ||
        !path_is_canonical(path))
        return NULL;
    char *copy = arena_string(&r->call->arena, path, n);
    r->no_memory = r->no_memory || !copy;
    return copy;
}

/* Roots are known by their paths: workspaces of one project may have different ones. */
static const struct root *take_known_root(struct record_reading *r, const json_t *from,
                                          const char *key) {
    const json_t *text = json_object_get(from, key);
    const struct aqfs_workspace *ws = r->work->ws;
    char path[PATH_BYTES_MAX + 1];
    struct error ignored;
    size_t n;
    if (!json_is_string(text))
        return &ws->roots[0];
    if (path_accept(json_string_value(text), json_string_length(text), NULL, path, &n, &ignored))
        return NULL;
    for (size_t i = 0; i < ws->root_count; i++)
        if (ws->roots[i].len == n && memcmp(ws->roots[i].path, path, n) == 0)
            return &ws->roots[i];
    return NULL;
}

static size_t take_size(struct record_reading *r, const json_t *from, const char *key) {
    json_int_t n = json_integer_value(json_object_get(from, key));
    r->damaged = r->damaged || n < 0;
    return n < 0 ? 0 : (size_t)n;
}

static struct kept_side take_side(struct record_reading *r, const json_t *from) {
    static const char *const types[] = {"file", "directory", "symlink", "missing"};
    static const enum node_type nodes[] = {NODE_FILE, NODE_DIRECTORY, NODE_SYMLINK, NODE_MISSING};
    struct kept_side side = {.type = NODE_MISSING};
    if (!from)
        return side;
    const json_t *hash = json_object_get(from, "hash");
    side.type = nodes[take_word(r, from, "type", types, 4)];
    side.mode = (uint32_t)take_size(r, from, "mode") & KEPT_MODES;
    side.names = take_size(r, from, "names");
    side.secret = json_is_true(json_object_get(from, "secret"));
    side.has_bytes = json_object_get(from, "len") != NULL;
    side.at = take_size(r, from, "at");
    side.len = take_size(r, from, "len");
    side.head = take_size(r, from, "head");
    side.tail = take_size(r, from, "tail");
    side.part = take_size(r, from, "part");
    if (json_string_length(hash) == HASH_HEX - 1)
        memcpy(side.hash, json_string_value(hash), HASH_HEX);
    return side;
}

static void take_entries(struct record_reading *r, const json_t *list, struct kept_step *step) {
    step->entry_n = json_array_size(list);
    step->entries = take(r, step->entry_n * sizeof *step->entries);
    for (size_t i = 0; !r->no_memory && i < step->entry_n; i++) {
        const json_t *entry = json_array_get(list, i);
        step->entries[i].path = take_path(r, entry, "path");
        step->entries[i].was = take_side(r, entry);
        r->damaged = r->damaged || !step->entries[i].path;
    }
}

static void take_kept_step(struct record_reading *r, const json_t *from, struct kept_step *step) {
    step->action = (enum kept_action)take_word(r, from, "action", action_names, KEPT_ACTION_COUNT);
    step->root = take_known_root(r, from, "root");
    step->from_root = take_known_root(r, from, "from_root");
    step->path = take_path(r, from, "path");
    step->from = take_path(r, from, "from");
    step->was = take_side(r, json_object_get(from, "was"));
    step->is = take_side(r, json_object_get(from, "is"));
    step->partial = json_is_true(json_object_get(from, "partial"));
    r->damaged = r->damaged || !step->path || (step->action == KEPT_MOVE && !step->from);
    take_entries(r, json_object_get(from, "entries"), step);
}

/* Is the record of the directory that is the root now, and not of one that had its name?  The
 * system may not tell when a directory was made. */
static bool is_of_this_root(const struct root *root, const json_t *header) {
    const json_t *inode = json_object_get(header, KEPT_ROOT);
    int64_t made = json_integer_value(json_object_get(header, KEPT_ROOT_MADE));
    if (!json_is_integer(inode))
        return true;
    bool differs = made > 0 && root->created_ns > 0 && made != root->created_ns;
    return json_integer_value(inode) == (json_int_t)root->inode && !differs;
}

static void take_header(struct record_reading *r, const json_t *header) {
    struct kept_call *call = r->call;
    const json_t *steps = json_object_get(header, "steps");
    call->time_ms = json_integer_value(json_object_get(header, "time"));
    r->damaged = !is_of_this_root(&r->work->ws->roots[0], header);
    call->operation = take_text(r, header, "operation");
    call->summary = take_text(r, header, "summary");
    call->caller = take_text(r, header, "caller");
    call->call = take_text(r, header, "call");
    call->origin = (enum origin)take_word(r, header, "origin", origin_names, ORIGIN_COUNT);
    call->n = json_array_size(steps);
    call->steps = take(r, call->n * sizeof *call->steps);
    for (size_t i = 0; !r->no_memory && i < call->n; i++)
        take_kept_step(r, json_array_get(steps, i), &call->steps[i]);
}

/* -- the record -------------------------------------------------------------------------------- */

static int fail_damaged_record(struct error *e, const char *id) {
    return fail(e, AQFS_NOT_FOUND,
                "The record of the call %s cannot be read: it is damaged, or another project's",
                id);
}

/* ERROR is of reading it: of ENOENT, it is not what it should be. */
static int fail_unread_record(struct error *e, const char *id, int error) {
    return kept_means_none(error) ? fail_damaged_record(e, id)
                                  : fail_errno(e, error, "state directory");
}

/* The length of the header and where it begins, from the first line: 0, or an errno, ENOENT if that
 * is none. */
static int read_first_line(struct kept_call *call, size_t *at, size_t *n) {
    char line[FIRST_BYTES + 1] = "";
    size_t most = call->size < FIRST_BYTES ? (size_t)call->size : FIRST_BYTES;
    const size_t words = strlen(KEPT_WORDS);
    int error = kept_bytes_at(call, 0, most, line);
    if (error || strncmp(line, KEPT_WORDS, words) != 0)
        return error ? error : ENOENT;
    char *end;
    unsigned long long format = strtoull(line + words, &end, 10);
    if (format != KEPT_FORMAT || *end != ' ')
        return ENOENT;
    unsigned long long length = strtoull(end + 1, &end, 10);
    if (*end != '\n' || length > HEADER_MOST)
        return ENOENT;
    *at = (size_t)(end + 1 - line);
    *n = (size_t)length;
    return (int64_t)(*at + *n) <= call->size ? 0 : ENOENT;
}

int kept_open(struct work *work, const char *id, struct kept_call *out) {
    *out = (struct kept_call){.ws = work->ws, .fd = -1};
    memcpy(out->id, id, KEPT_ID);
    int code = kept_find(work, id, out);
    size_t at, n;
    if (code)
        return code;
    int error = read_first_line(out, &at, &n);
    if (error)
        return fail_unread_record(&work->error, id, error);
    AUTO_FREE char *text = malloc(n + 1);
    if (!text)
        return fail_memory(&work->error);
    error = kept_bytes_at(out, at, n, text);
    if (error)
        return fail_unread_record(&work->error, id, error);
    json_error_t fault = {0};
    json_t *header = json_loadb(text, n, 0, &fault);
    if (!header && json_error_code(&fault) == json_error_out_of_memory)
        return fail_memory(&work->error);
    if (!json_is_object(header)) {
        json_decref(header);
        return fail_damaged_record(&work->error, id);
    }
    struct record_reading r = {.work = work, .call = out};
    out->base = at + n;
    take_header(&r, header);
    json_decref(header);
    if (r.no_memory)
        return fail_memory(&work->error);
    return r.damaged ? fail_damaged_record(&work->error, id) : AQFS_OK;
}

void kept_close(struct kept_call *call) {
    cleanup_close(&call->fd);
    buf_free(&call->copy);
    arena_free(&call->arena);
    *call = (struct kept_call){.fd = -1};
}

/* -- bytes ------------------------------------------------------------------------------------- */

static int fail_gone(struct error *e) {
    return fail(e, AQFS_NOT_FOUND, "What was there before is not kept (any more)");
}

static bool has_hash(const struct buf *out, size_t from, const char *hex) {
    char now[HASH_HEX];
    struct hash h;
    hash_start(&h);
    hash_add(&h, out->data + from, out->len - from);
    hash_end(&h, now);
    return strcmp(now, hex) == 0;
}

/* Adds what is kept of SIDE to OUT: 0, or an errno, of which ENOENT means that it is not there. */
static int add_kept(const struct kept_call *call, const struct kept_side *side, struct buf *out) {
    if (side->has_bytes && side->part > 0)
        return call->fd < 0 ? ENOENT : kept_files_add_part(call, side, out);
    if (!side->has_bytes || side->at > (size_t)call->size || side->len > (size_t)call->size)
        return ENOENT;
    if (!buf_reserve(out, side->len + 1))
        return ENOMEM;
    int error = kept_bytes_at(call, call->base + side->at, side->len, out->data + out->len);
    if (error)
        return error;
    out->len += side->len;
    out->data[out->len] = '\0';
    return 0;
}

/* Ends reading what was added to OUT behind the first BEFORE bytes: they must have the hash of
 * SIDE.  ERROR is as add_kept answers. */
static int end_reading(const struct kept_side *side, int error, size_t before, struct buf *out,
                       struct error *e) {
    if (!error && !out->failed && has_hash(out, before, side->hash))
        return AQFS_OK;
    out->len = before;
    if (out->failed)
        return fail_memory(e);
    return error && !kept_means_none(error) ? fail_errno(e, error, "state directory")
                                            : fail_gone(e);
}

int kept_read(const struct kept_call *call, const struct kept_side *side, struct buf *out,
              struct error *e) {
    size_t before = out->len;
    return end_reading(side, add_kept(call, side, out), before, out, e);
}

int kept_read_new(const struct kept_call *call, const struct kept_step *step, struct buf *out,
                  struct error *e) {
    AUTO(buf_free) struct buf was = {0};
    const struct kept_side *is = &step->is;
    size_t before = out->len;
    int code = AQFS_OK;
    if (is->head > 0 || is->tail > 0)
        code = kept_read(call, &step->was, &was, e);
    if (code)
        return code;
    if (is->head > was.len || is->tail > was.len - is->head)
        return fail_gone(e);
    buf_add(out, was.data ? was.data : "", is->head);
    int error = add_kept(call, is, out);
    buf_add(out, was.data ? was.data + was.len - is->tail : "", is->tail);
    return end_reading(is, error, before, out, e);
}

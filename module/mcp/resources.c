/* resources.c -- the files of the project as resources: file: URIs, their list, their contents.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base64.h"
#include "dispatch.h"
#include "path.h"
#include "serving.h"
#include "utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 500 /* resources of one page of the list */

/* -- URIs -------------------------------------------------------------------------------------- */

static int hex_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* Appends what the N bytes of a URI's path stand for; false if they are malformed. */
static bool decode_percents(const char *text, size_t n, struct buf *out) {
    for (size_t at = 0; at < n; at++) {
        if (text[at] != '%') {
            buf_char(out, text[at]);
            continue;
        }
        int high = n - at < 3 ? -1 : hex_value(text[at + 1]);
        int low = high < 0 ? -1 : hex_value(text[at + 2]);
        if (low < 0)
            return false;
        buf_char(out, (char)(high * 16 + low));
        at += 2;
    }
    return !memchr(out->data ? out->data : "", '\0', out->len);
}

int resource_path(const json_t *uri, struct buf *path, struct error *e) {
    static const char scheme[] = "file://", host[] = "localhost";
    const char *text = json_is_string(uri) ? json_string_value(uri) : "";
    size_t n = json_string_length(uri), skip = sizeof scheme - 1;
    bool fits = n > skip && strncmp(text, scheme, skip) == 0 && !memchr(text, '?', n) &&
                !memchr(text, '#', n);
    if (fits && strncmp(text + skip, host, sizeof host - 1) == 0)
        skip += sizeof host - 1;
    if (!fits || text[skip] != '/' || !decode_percents(text + skip, n - skip, path))
        return fail(
            e, AQFS_INVALID_ARGUMENT,
            "uri: expected one such as file:///directory/file, its other characters as %%XX");
    return path->failed ? fail_memory(e) : AQFS_OK;
}

static void add_uri(struct buf *out, const char *path, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (isalnum((unsigned char)path[i]) || strchr("-._~/", path[i]))
            buf_char(out, path[i]);
        else
            buf_printf(out, "%%%02X", (unsigned char)path[i]);
    }
}

/* Writes the URI of PATH, as a reply shows it, below the root. */
static void write_uri(struct reply *r, const struct server *s, const char *path, size_t n) {
    char name[PATH_BYTES_MAX + 1];
    struct buf uri = {0};
    struct error e;
    size_t length = 0;
    buf_str(&uri, "file://");
    if (path_accept(path, n, NULL, name, &length, &e) == AQFS_OK && name[0] != '/') {
        add_uri(&uri, s->root, strlen(s->root));
        buf_char(&uri, '/');
    }
    add_uri(&uri, name, length);
    reply_kv_string(r, "uri", uri.data ? uri.data : "", uri.len);
    r->out.failed = r->out.failed || uri.failed;
    buf_free(&uri);
}

/* -- calls ------------------------------------------------------------------------------------- */

static enum code code_called(const char *name) {
    enum code code = AQFS_OK + 1;
    while (code < CODE_COUNT && (!name || strcmp(code_name(code), name) != 0))
        code++;
    return code < CODE_COUNT ? code : AQFS_NOT_CONNECTED;
}

/* The data of a call that Emacs makes, or NULL and *E. */
static json_t *far_data(struct server *s, struct flight *f, json_t *args, const char *op,
                        struct error *e) {
    json_t *answer = far_call(s, f, op, args, e);
    const char *error = json_string_value(json_object_get(answer, "error"));
    const char *words = json_string_value(json_object_get(answer, "text"));
    json_t *data = error ? NULL : json_incref(json_object_get(answer, "data"));
    if (answer && !data)
        (void)fail(e, code_called(error), "%s", words ? words : "Emacs has answered nothing");
    json_decref(answer);
    json_decref(args);
    return data;
}

json_t *resource_call(struct server *s, struct flight *f, json_t *args, const char *op,
                      struct error *e) {
    if (s->link)
        return far_data(s, f, args, op, e);
    struct audited audited;
    json_t *request = json_pack("{s:s, s:O, s:s, s:s}", "op", op, "args", args, "authority",
                                tier_name(s->settings->authority), "origin", "model");
    aqfs_context context = {.format = AQFS_JSON, .cancelled = &f->cancelled};
    size_t n = 0;
    bool asked = f->message.id != NULL; /* what the client has not asked for is not its call */
    if (asked)
        (void)audit_start(&s->audit, &audited, op, TIER_SAFE, f->by.client[0] ? f->by.client : NULL,
                          e);
    aqfs_reply *reply = call_run(s->ws, request, &context, NULL, TEXT_APART);
    const char *text = reply ? aqfs_reply_text(reply, &n) : "";
    json_t *data = reply ? json_loadb(text, n, JSON_ALLOW_NUL, NULL) : NULL;
    if (asked)
        audit_end(&s->audit, &audited, args, data, false, "", 0);
    (void)fail_memory(e);
    if (data && reply && reply->code) {
        const char *words = json_string_value(json_object_get(data, "message"));
        (void)fail(e, reply->code, "%s", words ? words : "");
        json_decref(data);
        data = NULL;
    }
    aqfs_reply_free(reply);
    json_decref(request);
    json_decref(args);
    return data;
}

void resource_refuse(struct server *s, const struct flight *f, const struct error *e) {
    struct fault fault;
    struct reply data = {.format = AQFS_JSON};
    const json_t *uri = json_object_get(f->message.params, "uri");
    bool missing = e->code == AQFS_NOT_FOUND && f->by.era == ERA_LEGACY;
    bool own = e->code == AQFS_LIMIT || e->code == AQFS_IO || e->code == AQFS_NOT_CONNECTED;
    fault_set(&fault,
              missing ? RPC_RESOURCE_NOT_FOUND
              : own   ? RPC_INTERNAL_ERROR
                      : RPC_INVALID_PARAMS,
              "%.500s%s", e->message,
              e->code == AQFS_APPROVAL_REQUIRED
                  ? ".  Read it with the tool read_file, which can ask"
                  : "");
    reply_map(&data);
    reply_kv_cstring(&data, "error", code_name(e->code));
    if (json_is_string(uri))
        reply_kv_string(&data, "uri", json_string_value(uri), json_string_length(uri));
    reply_end_map(&data);
    server_refuse(s, f, &fault, data.out.failed ? NULL : data.out.data);
    buf_free(&data.out);
}

/* -- reading ----------------------------------------------------------------------------------- */

static void write_resource(struct reply *r, const json_t *uri, const json_t *data,
                           const struct buf *bytes) {
    const json_t *encoded = json_object_get(data, "content");
    bool text = utf8_is_valid(bytes->data ? bytes->data : "", bytes->len) &&
                !memchr(bytes->data ? bytes->data : "", '\0', bytes->len);
    reply_key(r, "contents");
    reply_list(r);
    reply_map(r);
    reply_kv_string(r, "uri", json_string_value(uri), json_string_length(uri));
    reply_kv_cstring(r, "mimeType", text ? "text/plain" : "application/octet-stream");
    if (text)
        reply_kv_string(r, "text", bytes->data ? bytes->data : "", bytes->len);
    else
        reply_kv_string(r, "blob", json_string_value(encoded), json_string_length(encoded));
    reply_end_map(r);
    reply_end_list(r);
}

static void send_contents(struct server *s, const struct flight *f, const json_t *data,
                          const struct buf *bytes) {
    struct reply r;
    answer_begin(&r, f->message.id, &f->by, "complete", NULL);
    write_resource(&r, json_object_get(f->message.params, "uri"), data, bytes);
    answer_cache_hints(&r, &f->by, 0, "private");
    answer_end(&r);
    send_unless_cancelled(s, f, &r);
}

bool resource_read(struct server *s, struct flight *f) {
    struct error e;
    struct buf path = {0}, bytes = {0};
    json_t *data = NULL;
    int code = resource_path(json_object_get(f->message.params, "uri"), &path, &e);
    if (!code) {
        json_t *args = json_object();
        json_object_set_new(args, "path", json_stringn(path.data, path.len));
        if (json_object_get(args, "path"))
            data = resource_call(s, f, args, "read_bytes", &e);
        else { /* jansson takes no other bytes */
            json_decref(args);
            (void)fail(&e, AQFS_NOT_FOUND, "uri: this is not the name of a file, which is UTF-8");
        }
    }
    const json_t *encoded = json_object_get(data, "content");
    if (data && json_is_true(json_object_get(data, "truncated"))) {
        code = fail(&e, AQFS_TOO_LARGE,
                    "The file is too large for a resource: read it in parts "
                    "with the tools read_file or read_bytes");
    } else if (data && json_is_string(encoded)) {
        code = base64_decode(&bytes, json_string_value(encoded), json_string_length(encoded), &e);
    }
    if (!data || code || bytes.failed)
        resource_refuse(s, f, &e);
    else
        send_contents(s, f, data, &bytes);
    json_decref(data);
    buf_free(&bytes);
    buf_free(&path);
    return true;
}

/* -- the list ---------------------------------------------------------------------------------- */

/* The number of the first resource of the page CURSOR; negative for none of ours. */
static int64_t page_start(const json_t *cursor) {
    char *end = NULL;
    const char *text = json_string_value(cursor);
    if (!cursor)
        return 0;
    if (!text || !isdigit((unsigned char)text[0]) || strlen(text) > 9)
        return -1;
    long long start = strtoll(text, &end, 10);
    return *end ? -1 : start;
}

static void write_resources(struct reply *r, const struct server *s, const json_t *paths,
                            size_t from) {
    reply_key(r, "resources");
    reply_list(r);
    for (size_t at = from; at < json_array_size(paths) && at < from + PAGE; at++) {
        const json_t *path = json_array_get(paths, at);
        reply_map(r);
        write_uri(r, s, json_string_value(path), json_string_length(path));
        reply_kv_string(r, "name", json_string_value(path), json_string_length(path));
        reply_end_map(r);
    }
    reply_end_list(r);
}

bool resource_list(struct server *s, struct flight *f) {
    struct error e;
    struct reply r;
    int64_t from = page_start(json_object_get(f->message.params, "cursor"));
    if (from < 0) {
        (void)fail(&e, AQFS_INVALID_ARGUMENT, "cursor: this is none of this server's");
        resource_refuse(s, f, &e);
        return true;
    }
    json_t *args = json_pack("{s:s, s:I}", "pattern", "**", "limit", (json_int_t)(from + PAGE));
    json_t *data = resource_call(s, f, args, "search_files", &e);
    if (!data) {
        resource_refuse(s, f, &e);
        return true;
    }
    answer_begin(&r, f->message.id, &f->by, "complete", NULL);
    write_resources(&r, s, json_object_get(data, "paths"), (size_t)from);
    int64_t shown = (int64_t)json_array_size(json_object_get(data, "paths"));
    if (shown == from + PAGE && shown < json_integer_value(json_object_get(data, "total"))) {
        char next[24];
        (void)snprintf(next, sizeof next, "%lld", (long long)shown);
        reply_kv_cstring(&r, "nextCursor", next);
    }
    answer_cache_hints(&r, &f->by, 0, "private");
    answer_end(&r);
    send_unless_cancelled(s, f, &r);
    json_decref(data);
    return true;
}

void resource_templates(struct server *s, const json_t *id, const struct speaker *by) {
    struct reply r;
    struct buf uri = {0};
    buf_str(&uri, "file://");
    add_uri(&uri, s->root, strlen(s->root));
    buf_str(&uri, "/{+path}");
    answer_begin(&r, id, by, "complete", NULL);
    reply_key(&r, "resourceTemplates");
    reply_list(&r);
    reply_map(&r);
    reply_kv_string(&r, "uriTemplate", uri.data ? uri.data : "", uri.len);
    reply_kv_cstring(&r, "name", "file");
    reply_kv_cstring(&r, "title", "A file of the project");
    reply_kv_cstring(&r, "description",
                     "The whole contents of the file with this path, which is "
                     "relative to the project's root.");
    reply_end_map(&r);
    reply_end_list(&r);
    answer_cache_hints(&r, by, 3600000, "private");
    answer_end(&r);
    r.out.failed = r.out.failed || uri.failed;
    buf_free(&uri);
    server_send(s, &r);
}

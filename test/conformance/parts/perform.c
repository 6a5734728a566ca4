/* SPDX-License-Identifier: MIT */
/* perform.c -- making the call of a case, and judging what it answers: see perform.h. */
#include "perform.h"

#include "build.h"
#include "callee.h"
#include "declared.h"
#include "die.h"
#include "glob.h"
#include "match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- requests --------------------------------------------------------------------------------- */

static json_t *json_of_datum(const struct datum *d);

json_t *json_of_plist(const struct datum *d, size_t from) {
    json_t *object = json_object();
    for (size_t i = from; i + 1 < d->n; i += 2)
        json_object_set_new(object, d->items[i]->text + 1, json_of_datum(d->items[i + 1]));
    return object;
}

static json_t *json_of_list(const struct datum *d) {
    json_t *array = json_array();
    for (size_t i = 0; i < d->n; i++)
        json_array_append_new(array, json_of_datum(d->items[i]));
    return array;
}

static json_t *json_of_datum(const struct datum *d) {
    if (d->kind == DATUM_TEXT)
        return json_stringn(d->text, d->len);
    if (d->kind == DATUM_NUMBER)
        return json_loads(d->text, JSON_DECODE_ANY, NULL);
    if (is_nil(d))
        return json_array();
    if (is_word(d, "t") || is_word(d, "false"))
        return json_boolean(is_word(d, "t"));
    if (d->kind == DATUM_LIST)
        return is_keyword(d->items[0]) ? json_of_plist(d, 0) : json_of_list(d);
    if (!is_word(d, "null"))
        die("%s is not an argument's value", d->text);
    return json_null();
}

/* -- the C door ------------------------------------------------------------------------------- */

/* The differences of replies from the catalogue, since check_reply was called last. */
static struct buf undeclared;

/* An s-expression comes from the same calls of the writer: the drivers of the Lisps look at it. */
static void check_declared(const char *request, const aqfs_reply *reply, int format) {
    size_t n;
    const char *text = aqfs_reply_text(reply, &n);
    json_t *json = format == AQFS_JSON ? json_loadb(text, n, JSON_ALLOW_NUL, NULL) : NULL;
    if (json)
        declared_check(request, request ? strlen(request) : 0, json, &undeclared);
    json_decref(json);
}

aqfs_reply *open_workspace(const struct ready *r, int format, aqfs_workspace **ws) {
    json_t *options = json_of_plist(r->options, 1);
    char *text = json_dumps(options, 0);
    aqfs_reply *reply = callee_open(text, strlen(text), format, ws);
    check_declared(NULL, reply, format);
    free(text);
    json_decref(options);
    return reply;
}

static json_t *request_of(const struct datum *call) {
    json_t *request = json_object();
    json_object_set_new(request, "op", json_string(call->items[1]->text));
    json_object_set_new(request, "args", json_of_plist(call, 2));
    return request;
}

aqfs_reply *ask(aqfs_workspace *ws, json_t *request, int format) {
    char *text = json_dumps(request, 0);
    aqfs_context context = {.format = format};
    aqfs_reply *reply = callee_call(ws, text, strlen(text), &context);
    check_declared(text, reply, format);
    free(text);
    json_decref(request);
    return reply;
}

static void set_origin(const struct ready *r, json_t *request) {
    const struct datum *origin = plist_get(r->how, 1, ":origin");
    if (origin)
        json_object_set_new(request, "origin", json_string(origin->text));
}

static struct datum *parse_reply(struct arena *a, const char *text, size_t n, int format) {
    if (format == AQFS_JSON) {
        json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        struct datum *d = json ? datum_of_json(a, json) : NULL;
        json_decref(json);
        return d;
    }
    struct reader reader = {.arena = a, .at = text, .end = text + n};
    struct datum *d = read_datum(&reader);
    return reader.at == reader.end ? d : NULL;
}

/* The digest of the preview that is made, or of its refusal; NULL where it gets none. */
static json_t *digest_of(aqfs_workspace *ws, const struct ready *r, int format) {
    json_t *request = request_of(r->shown ? r->shown : r->call);
    json_object_set_new(request, "verb", json_string("plan"));
    set_origin(r, request);
    struct arena arena = {0};
    size_t n;
    aqfs_reply *reply = ask(ws, request, format);
    const char *text = aqfs_reply_text(reply, &n);
    const struct datum *shown = parse_reply(&arena, text, n, format);
    const struct datum *found = shown ? plist_get(shown, 0, ":digest") : NULL;
    json_t *digest =
        found && found->kind == DATUM_TEXT ? json_stringn(found->text, found->len) : NULL;
    arena_free(&arena);
    aqfs_reply_free(reply);
    return digest;
}

aqfs_reply *call(const struct ready *r, int format, aqfs_workspace *ws) {
    const struct datum *authority = plist_get(r->how, 1, ":authority");
    const struct datum *digest = plist_get(r->how, 1, ":digest");
    bool approved = plist_get(r->how, 1, ":approved") != NULL;
    json_t *request = request_of(r->call);
    if (authority || approved || digest)
        json_object_set_new(request, "authority",
                            json_string(authority ? authority->text : "dangerous"));
    set_origin(r, request);
    if (plist_get(r->how, 1, ":preview"))
        json_object_set_new(request, "verb", json_string("plan"));
    if (digest)
        json_object_set_new(request, "digest", json_string(digest->text));
    if (approved)
        json_object_set_new(request, "digest",
                            digest_of(ws, r, format)); /* none: the call tells why */
    if (r->disturb)
        r->disturb(r->table, r->c, r->base, r->disturbed);
    else
        disturb_tree(r->table, r->c, r->base);
    return ask(ws, request, format);
}

aqfs_reply *perform(const struct ready *r, int format) {
    aqfs_workspace *ws = NULL;
    aqfs_reply *reply = open_workspace(r, format, &ws);
    if (ws && r->call) {
        aqfs_reply_free(reply);
        reply = call(r, format, ws);
    }
    callee->free(ws);
    return reply;
}

void check_reply(struct ready *r, const char *text, size_t n, int format, struct buf *faults) {
    struct match m = {.json = format == AQFS_JSON};
    const struct datum *got = parse_reply(&r->arena, text, n, format);
    if (!got) {
        buf_str(faults, "  the reply cannot be read\n");
    } else if (!match_outcome(&m, r->want, got)) {
        buf_printf(faults, "  differs at%s\n", m.where.len ? m.where.data : " its beginning");
    }
    for (size_t i = 1; r->never && i < r->never->n; i++)
        if (memmem(text, n, r->never->items[i]->text, r->never->items[i]->len))
            buf_printf(faults, "  the reply tells \"%s\"\n", r->never->items[i]->text);
    buf_add(faults, undeclared.data ? undeclared.data : "", undeclared.len);
    buf_free(&undeclared);
    buf_free(&m.where);
}

void check_matcher(const struct test_case *c, struct buf *faults) {
    struct error e;
    const struct datum *form = c->form;
    struct buf pattern = {0};
    add_text(&pattern, form->items[2], "");
    struct glob *glob = glob_compile(pattern.data, pattern.len, &e);
    buf_free(&pattern);
    for (size_t list = 3; list <= 4 && list < form->n; list++) {
        for (size_t i = 0; glob && i < form->items[list]->n; i++) {
            struct buf path = {0};
            add_text(&path, form->items[list]->items[i], "");
            if (glob_matches(glob, path.data, path.len) != (list == 3))
                buf_printf(faults, "  the matcher is wrong about %s\n", path.data);
            buf_free(&path);
        }
    }
    if (!glob)
        buf_printf(faults, "  %s\n", e.message);
    glob_free(glob);
}

#define SHOWN_BYTES 3000

void report(const struct ready *r, const char *how, const struct buf *faults, const char *got,
            size_t got_n) {
    struct buf want = {0};
    print_datum(&want, r->want);
    printf("FAILED %s (%s)\n  expected: %.*s\n", r->c->name, how, SHOWN_BYTES, want.data);
    if (got)
        printf("  came:     %.*s\n", (int)(got_n < SHOWN_BYTES ? got_n : SHOWN_BYTES), got);
    printf("%s", faults->data);
    buf_free(&want);
}

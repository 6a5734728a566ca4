/* ffi.c -- the C door: JSON text in, replies out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ffi.h"

#include "catalogue.h"
#include "dispatch.h"
#include "early.h"
#include "recover.h"
#include "workspace_open.h"

#include <git2.h>
#include <magic.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

int32_t aqfs_abi_version(void) {
    return AQFS_ABI_VERSION;
}

/* FORMAT, or s-expressions for an unknown format. */
static int checked_format(int32_t format) {
    return format == AQFS_JSON ? AQFS_JSON : AQFS_SEXP;
}

aqfs_reply *aqfs_version(int32_t format) {
    struct reply r = {.format = checked_format(format)};
    char pcre2[64] = "";
    int major, minor, patch;
    pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
    git_libgit2_version(&major, &minor, &patch);
    char git[64], magic[64];
    snprintf(git, sizeof git, "%d.%d.%d", major, minor, patch);
    snprintf(magic, sizeof magic, "%d.%02d", magic_version() / 100, magic_version() % 100);
    reply_map(&r);
    reply_kv_cstring(&r, KEY_VERSION, AQFS_VERSION);
    reply_kv_int(&r, KEY_ABI, AQFS_ABI_VERSION);
    reply_kv_cstring(&r, KEY_PCRE2, pcre2);
    reply_kv_cstring(&r, KEY_LIBMAGIC, magic);
    reply_kv_cstring(&r, KEY_LIBGIT2, git);
    reply_kv_cstring(&r, KEY_JANSSON, jansson_version_str());
    reply_end_map(&r);
    return reply_finish(&r);
}

aqfs_reply *aqfs_operations(int32_t format) {
    struct reply r = {.format = checked_format(format)};
    catalogue_describe_operations(&r);
    return reply_finish(&r);
}

aqfs_reply *aqfs_catalogue(int32_t format) {
    struct reply r = {.format = checked_format(format)};
    catalogue_describe(&r);
    return reply_finish(&r);
}

/* The JSON object TEXT, LENGTH bytes; NULL and E when TEXT is NULL or anything else.  WHAT names
 * TEXT in the message. */
static json_t *parse_object(const char *what, const char *text, size_t length, struct error *e) {
    json_error_t problem;
    json_t *v = NULL;
    if (text)
        v = json_loadb(text, length, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &problem);
    if (v && json_is_object(v))
        return v;
    if (v || !text)
        fail(e, AQFS_INVALID_ARGUMENT, "%s: expected a JSON object", what);
    else if (json_error_code(&problem) == json_error_out_of_memory)
        fail_memory(e);
    else
        fail(e, AQFS_INVALID_ARGUMENT, "%s: expected a JSON object, but at byte %d: %s", what,
             problem.position, problem.text);
    json_decref(v);
    return NULL;
}

static aqfs_reply *describe_opened(const struct aqfs_workspace *ws, int format) {
    struct reply r = {.format = format};
    reply_map(&r);
    workspace_describe_opened(ws, &r);
    reply_end_map(&r);
    return reply_finish(&r);
}

aqfs_reply *door_open(const json_t *options, int format, struct aqfs_workspace **out) {
    struct error e;
    struct aqfs_workspace *ws = NULL;
    (void)workspace_make(options, &ws, &e);
    if (!ws)
        return reply_from_error(format, &e, NULL, 0);
    journal_recover(ws);
    *out = ws;
    return describe_opened(ws, format);
}

aqfs_reply *aqfs_reset(aqfs_workspace *ws, int32_t format) {
    struct error e;
    if (workspace_reset(ws, &e) != AQFS_OK)
        return reply_from_error(checked_format(format), &e, NULL, 0);
    return describe_opened(ws, checked_format(format));
}

aqfs_reply *aqfs_open(const char *options, size_t length, int32_t format, aqfs_workspace **out) {
    struct error e;
    *out = NULL;
    json_t *parsed = parse_object("options", options, length, &e);
    if (!parsed)
        return reply_from_error(checked_format(format), &e, NULL, 0);
    aqfs_reply *reply = door_open(parsed, checked_format(format), out);
    json_decref(parsed);
    return reply;
}

aqfs_reply *door_call(aqfs_workspace *workspace, const char *request, size_t length,
                      const aqfs_context *context, struct reply_listener *listener) {
    aqfs_context own = context ? *context : (aqfs_context){0};
    struct error e;
    own.format = checked_format(own.format);
    if (!workspace) {
        fail(&e, AQFS_INVALID_ARGUMENT, "workspace: expected an open workspace, got NULL");
        return reply_from_error(own.format, &e, NULL, 0);
    }
    json_t *parsed = parse_object("request", request, length, &e);
    if (!parsed)
        return reply_from_error(own.format, &e, NULL, 0);
    aqfs_reply *reply = call_run_early(workspace, parsed, &own, listener);
    json_decref(parsed);
    return reply;
}

aqfs_reply *aqfs_call(aqfs_workspace *workspace, const char *request, size_t length,
                      const aqfs_context *context) {
    return door_call(workspace, request, length, context, NULL);
}

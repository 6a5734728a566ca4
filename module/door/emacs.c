/* emacs.c -- the Emacs door: the functions that Lisp calls.
 *
 * Each function converts its arguments, makes one call of the core and converts
 * the reply.  A reply goes to Lisp as one printed string, and Lisp reads it: that
 * is three times faster than building the lists through the env.  The words for a
 * model go beside that string and unprinted: the Lisp reader would take longer
 * over them than the core took to make them.  If a call cannot be made, its
 * function returns an error reply like that of a call that failed: so errors have
 * one form, and one place in Lisp signals them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "deflated.h"
#include "dispatch.h"
#include "emacs_args.h"
#include "emacs_env.h"
#include "emacs_job.h"
#include "emacs_peer.h"
#include "ffi.h"
#include "reply_scan.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int plugin_is_GPL_compatible;

/* Emacs Lisp looks for these bytes in the file before it loads it: a module cannot be unloaded. */
#define TEXT_OF(number) #number
#define IDENTITY(abi) "agent-q-fs-module " AQFS_VERSION ", ABI " TEXT_OF(abi)
EXPORT const char aqfs_module_identity[] = IDENTITY(AQFS_ABI_VERSION);

/* The results of emacs_module_init; Emacs shows the number. */
enum { INIT_OK, INIT_RUNTIME_TOO_OLD, INIT_EMACS_TOO_OLD, INIT_FAILED };

/* The garbage collector calls these.  They also mark our pointers: lisp_pointer compares them. */
static void workspace_finalize(void *door) {
    door_unref(door);
}

static void job_finalize(void *job) {
    job_abandon(job);
}

/* REPLY as a string, or as (STRING . WORDS) if it has words beside its data.  Frees REPLY; NULL
 * becomes an error reply that says that there is no memory. */
static emacs_value reply_value(emacs_env *env, aqfs_reply *reply) {
    static const char no_memory[] = "(:error :io :message \"Out of memory\" :path nil :hint nil "
                                    ":text \"Error: Out of memory\")";
    if (!reply)
        return lisp_make_string(env, no_memory, sizeof no_memory - 1);
    emacs_value value = lisp_make_string(env, reply->text.data, reply->text.len);
    const struct buf *words = &reply->words;
    if (words->data && !lisp_exiting(env))
        value = lisp_cons(env, value, lisp_make_string(env, words->data, words->len));
    aqfs_reply_free(reply);
    return value;
}

static emacs_value error_value(emacs_env *env, const struct error *e) {
    if (lisp_exiting(env))
        return NULL;
    return reply_value(env, reply_from_error(AQFS_SEXP, e, NULL, 0));
}

/* Takes the workspace from ARGS[0].  If REQUEST is not NULL, takes a call too: the operation, its
 * arguments and the further members from ARGS[1] to ARGS[3].  Answers like args_request. */
static int take_arguments(emacs_env *env, emacs_value *args, struct door **door, json_t **request,
                          bool *slow, struct error *e) {
    *door = lisp_pointer(env, args[0], workspace_finalize);
    if (!*door)
        return fail(e, AQFS_INVALID_ARGUMENT, "workspace: expected what `open' returned");
    return request ? args_request(env, args[1], args[2], args[3], request, slow, e) : AQFS_OK;
}

static emacs_value mod_version(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)args, (void)data;
    return reply_value(env, aqfs_version(AQFS_SEXP));
}

static emacs_value mod_operations(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)args, (void)data;
    return reply_value(env, aqfs_operations(AQFS_SEXP));
}

static emacs_value mod_catalogue(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)args, (void)data;
    return reply_value(env, aqfs_catalogue(AQFS_SEXP));
}

/* JSON as text.  An error's reply begins with a parenthesis, and this does not. */
static emacs_value json_value(emacs_env *env, const json_t *json) {
    AUTO_FREE char *text = json_dumps(json, JSON_COMPACT);
    return text ? lisp_make_string(env, text, strlen(text)) : reply_value(env, NULL);
}

static emacs_value mod_request(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    bool slow = false;
    AUTO(cleanup_json) json_t *request = NULL;
    if (args_request(env, args[0], args[1], args[2], &request, &slow, &e) != AQFS_OK)
        return error_value(env, &e);
    return json_value(env, request);
}

static emacs_value mod_options(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    AUTO(cleanup_json) json_t *options = NULL;
    if (args_options(env, args[0], &options, &e) != AQFS_OK)
        return error_value(env, &e);
    return json_value(env, options);
}

static emacs_value mod_check(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct reply r = {.format = AQFS_SEXP};
    int code = args_check(env, args[0], args[1], &r, &e);
    if (!code)
        return reply_value(env, reply_finish(&r));
    buf_free(&r.out);
    return error_value(env, &e);
}

static emacs_value mod_open(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    AUTO(cleanup_json) json_t *options = NULL;
    if (args_options(env, args[0], &options, &e) != AQFS_OK)
        return error_value(env, &e);
    aqfs_workspace *ws = NULL;
    emacs_value reply = reply_value(env, door_open(options, AQFS_SEXP, &ws));
    if (!ws)
        return reply;
    struct door *door = door_new(ws);
    if (!door)
        return reply_value(env, NULL);
    emacs_value pointer = lisp_make_pointer(env, workspace_finalize, door);
    if (lisp_exiting(env))
        workspace_finalize(door);
    return lisp_cons(env, pointer, reply);
}

static emacs_value mod_close(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    if (take_arguments(env, args, &door, NULL, NULL, &e) != AQFS_OK)
        return error_value(env, &e);
    door_close(door);
    return lisp_symbol(LISP_NIL);
}

static emacs_value mod_reset(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    if (take_arguments(env, args, &door, NULL, NULL, &e) != AQFS_OK)
        return error_value(env, &e);
    return reply_value(env, aqfs_reset(door->ws, AQFS_SEXP));
}

static emacs_value mod_call(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    bool slow = false;
    AUTO(cleanup_json) json_t *request = NULL;
    if (take_arguments(env, args, &door, &request, &slow, &e) != AQFS_OK)
        return error_value(env, &e);
    /* A quick call runs here.  Its budget looks at Emacs' input now and then, so C-g ends it. */
    const struct watch watch = {.may_go_on = lisp_may_go_on, .data = env};
    if (!slow)
        return reply_value(env, call_run(door->ws, request, NULL, &watch, TEXT_APART));
    return reply_value(env, job_run_watched(door->ws, request, lisp_may_go_on, env));
}

static emacs_value mod_start(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    bool slow;
    AUTO(cleanup_json) json_t *request = NULL;
    if (take_arguments(env, args, &door, &request, &slow, &e) != AQFS_OK)
        return error_value(env, &e);
    int fd = lisp_open_channel(env, args[4]);
    if (fd < 0) {
        fail(&e, AQFS_INVALID_ARGUMENT, "pipe: expected a live pipe process");
        return error_value(env, &e);
    }
    enum job_frames frames = lisp_is(env, args[5], LISP_NIL)        ? JOB_REPLY_ALONE
                             : lisp_is(env, args[5], LISP_PROGRESS) ? JOB_PROGRESS
                                                                    : JOB_STREAM;
    struct job *job = job_start(door, steal_pointer(&request), fd, frames, &e);
    if (!job)
        return error_value(env, &e);
    emacs_value pointer = lisp_make_pointer(env, job_finalize, job);
    if (lisp_exiting(env))
        job_abandon(job);
    return pointer;
}

static emacs_value mod_cancel(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct job *job = lisp_pointer(env, args[0], job_finalize);
    if (!job) {
        fail(&e, AQFS_INVALID_ARGUMENT, "job: expected what `start' returned");
        return error_value(env, &e);
    }
    job_cancel(job);
    return lisp_symbol(LISP_NIL);
}

static emacs_value mod_own_peers(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    AUTO_FREE char *path = NULL;
    size_t length = 0;
    int code = lisp_text(env, args[0], &path, &length, &e);
    if (code)
        return code == LISP_EXIT ? NULL : error_value(env, &e);
    return lisp_symbol(peers_are_own(path) ? LISP_T : LISP_NIL);
}

/* Deeper than any reply: in that of a tree, each of 256 levels at most is a list in a list. */
#define SCANNED_DEPTH 800

static emacs_value mod_scan_reply(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    static const enum lisp_symbol answers[] = {[REPLY_NONE] = LISP_NIL,
                                               [REPLY_ESCAPE] = LISP_ESCAPE,
                                               [REPLY_SEVERAL] = LISP_SEVERAL,
                                               [REPLY_DATA] = LISP_T,
                                               [REPLY_PLAIN] = LISP_PLAIN};
    struct error e;
    AUTO_FREE char *text = NULL;
    size_t length = 0;
    int code = lisp_text(env, args[0], &text, &length, &e);
    if (code == LISP_EXIT)
        return NULL;
    return lisp_symbol(code ? LISP_NIL : answers[reply_scan(text, length, SCANNED_DEPTH)]);
}

static emacs_value mod_inflate(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    AUTO_FREE char *bytes = NULL;
    AUTO(buf_free) struct buf whole = {0};
    size_t length = 0;
    int64_t most = 0;
    int code = lisp_bytes(env, args[0], &bytes, &length, &e);
    if (code == LISP_EXIT || lisp_exiting(env))
        return NULL;
    if (code || !lisp_integer(env, args[1], &most) || most < 0 ||
        !inflate_all(bytes, length, (size_t)most, &whole))
        return lisp_symbol(LISP_NIL);
    return lisp_make_bytes(env, whole.data ? whole.data : "", whole.len);
}

static void define_functions(emacs_env *env) {
    lisp_define(env, "agent-q-fs--mod-version", 0, mod_version,
                "Return the printed versions of the core and its libraries.");
    lisp_define(env, "agent-q-fs--mod-operations", 0, mod_operations,
                "Return the printed table of operations.");
    lisp_define(env, "agent-q-fs--mod-catalogue", 0, mod_catalogue,
                "Return, printed, all that is known of operations, errors and options.");
    lisp_define(env, "agent-q-fs--mod-check", 2, mod_check,
                "Check the property list ARGUMENTS by PARAMS, parameters as the catalogue has "
                "them.\nReturn the printed arguments as they are with their defaults, or a "
                "printed error.\n\n(fn PARAMS ARGUMENTS)");
    lisp_define(env, "agent-q-fs--mod-request", 3, mod_request,
                "Return as JSON the request that calls OPERATION with the property list\n"
                "ARGUMENTS as HOW says, or a printed error.\n\n(fn OPERATION ARGUMENTS HOW)");
    lisp_define(env, "agent-q-fs--mod-options", 1, mod_options,
                "Return the property list OPTIONS, of a workspace, as JSON, or a printed error.\n\n"
                "(fn OPTIONS)");
    lisp_define(env, "agent-q-fs--mod-open", 1, mod_open,
                "Open a workspace from the property list OPTIONS.\n"
                "Return (POINTER . PRINTED-REPLY), or a printed error.\n\n(fn OPTIONS)");
    lisp_define(env, "agent-q-fs--mod-close", 1, mod_close,
                "Close WORKSPACE.  Return nil, or a printed error.\n\n(fn WORKSPACE)");
    lisp_define(env, "agent-q-fs--mod-reset", 1, mod_reset,
                "Put WORKSPACE back to what it was opened with.\n"
                "Return the printed reply.\n\n(fn WORKSPACE)");
    lisp_define(env, "agent-q-fs--mod-call", 4, mod_call,
                "Run OPERATION with the property list ARGUMENTS in WORKSPACE.\n"
                "HOW is a property list of :verb, :authority and so on: see aqfs.h.\n"
                "Return (REPLY . TEXT), the printed reply and its text, or a printed error.\n\n"
                "(fn WORKSPACE OPERATION ARGUMENTS HOW)");
    lisp_define(env, "agent-q-fs--mod-start", 6, mod_start,
                "Like `agent-q-fs--mod-call', but write the reply to the process PIPE.\n"
                "With STREAM, results come as they are found, before it.\n"
                "Return a job, or a printed error.\n\n"
                "(fn WORKSPACE OPERATION ARGUMENTS HOW PIPE STREAM)");
    lisp_define(env, "agent-q-fs--mod-cancel", 1, mod_cancel,
                "End JOB soon.  Return nil, or a printed error.\n\n(fn JOB)");
    lisp_define(env, "agent-q-fs--mod-own-peers", 1, mod_own_peers,
                "Return t if all processes connected to the socket SOCKET, on which this Emacs\n"
                "listens, belong to its user, and there is one.\n\n(fn SOCKET)");
    lisp_define(env, "agent-q-fs--mod-scan-reply", 1, mod_scan_reply,
                "Return t if TEXT has the form of a printed reply, so that it can be read;\n"
                "`plain' if all its strings could be paths, too, but for that of :text.\n"
                "Else return nil, `escape' for an escape that no reply has, or `several'\n"
                "if more follows the reply.\n\n(fn TEXT)");
    lisp_define(env, "agent-q-fs--mod-inflate", 2, mod_inflate,
                "Return the bytes that BYTES, which a server has deflated, hold; nil if they hold\n"
                "more than MOST, or were not deflated.\n\n(fn BYTES MOST)");
}

EXPORT int emacs_module_init(struct emacs_runtime *runtime) {
    if ((size_t)runtime->size < sizeof *runtime)
        return INIT_RUNTIME_TOO_OLD;
    emacs_env *env = runtime->get_environment(runtime);
    if ((size_t)env->size < sizeof(struct emacs_env_28))
        return INIT_EMACS_TOO_OLD;
    if (!lisp_setup(env))
        return INIT_FAILED;
    define_functions(env);
    return lisp_exiting(env) ? INIT_FAILED : INIT_OK;
}

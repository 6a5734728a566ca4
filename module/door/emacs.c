/* emacs.c -- the Emacs door: what Lisp sees.
 *
 * Each function converts, makes one call of the core and converts back.
 * Replies go to Lisp as one printed string, to be read there: that is three
 * times faster than building the lists through the env.  A text that is all
 * that is wanted goes beside it, as it is: reading it would take longer than
 * making it.  A call that cannot be
 * made answers with an error reply like one that failed, so that errors have
 * one form and Lisp one place that signals them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "dispatch.h"
#include "emacs_args.h"
#include "emacs_env.h"
#include "emacs_job.h"
#include "ffi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int plugin_is_GPL_compatible;

/* What emacs_module_init answers; Emacs shows the number. */
enum { INIT_OK, INIT_RUNTIME_TOO_OLD, INIT_EMACS_TOO_OLD, INIT_FAILED };

/* Collected by Lisp.  These two are also what tells our pointers from others'. */
static void workspace_finalize(void *door) {
    door_unref(door);
}

static void job_finalize(void *job) {
    job_abandon(job);
}

/* Takes REPLY over: a printed one, or (PRINTED . WORDS). */
static emacs_value reply_value(emacs_env *env, aqfs_reply *reply) {
    static const char no_memory[] = "(:error :io :message \"Out of memory\" :path nil :hint nil "
                                    ":text \"Error: Out of memory\")";
    size_t n = sizeof no_memory - 1;
    const char *text = reply ? aqfs_reply_text(reply, &n) : no_memory;
    emacs_value value = lisp_make_string(env, text, n);
    const char *words = reply ? reply_words(reply, &n) : NULL;
    if (words && !lisp_exiting(env))
        value = lisp_cons(env, value, lisp_make_string(env, words, n));
    aqfs_reply_free(reply);
    return value;
}

static emacs_value error_value(emacs_env *env, const struct error *e) {
    if (lisp_exiting(env))
        return NULL;
    return reply_value(env, reply_from_error(AQFS_SEXP, e, NULL, 0));
}

static int get_workspace(emacs_env *env, emacs_value v, struct door **out, struct error *e) {
    *out = lisp_pointer(env, v, workspace_finalize);
    if (!*out)
        return fail(e, AQFS_INVALID_ARGUMENT, "workspace: expected what `open' returned");
    return AQFS_OK;
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
    if (get_workspace(env, args[0], &door, &e) != AQFS_OK)
        return error_value(env, &e);
    door_close(door);
    return lisp_symbol(LISP_NIL);
}

static emacs_value mod_reset(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    if (get_workspace(env, args[0], &door, &e) != AQFS_OK)
        return error_value(env, &e);
    return reply_value(env, aqfs_reset(door_workspace(door), AQFS_SEXP));
}

static bool pause_for_input(void *env) {
    return lisp_may_go_on(env);
}

static emacs_value mod_call(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    AUTO(cleanup_json) json_t *request = NULL;
    if (get_workspace(env, args[0], &door, &e) != AQFS_OK ||
        args_request(env, args[1], args[2], args[3], &request, &e) != AQFS_OK)
        return error_value(env, &e);
    aqfs_workspace *ws = door_workspace(door);
    const struct watch watch = {.may_go_on = pause_for_input, .data = env};
    if (!args_is_slow(request))
        return reply_value(env, call_run(ws, request, NULL, &watch, WORDS_APART));
    return reply_value(env, job_run_watched(ws, request, pause_for_input, env));
}

static emacs_value mod_start(emacs_env *env, ptrdiff_t n, emacs_value *args, void *data) {
    (void)n, (void)data;
    struct error e;
    struct door *door = NULL;
    AUTO(cleanup_json) json_t *request = NULL;
    if (get_workspace(env, args[0], &door, &e) != AQFS_OK ||
        args_request(env, args[1], args[2], args[3], &request, &e) != AQFS_OK)
        return error_value(env, &e);
    int fd = lisp_open_channel(env, args[4]);
    if (fd < 0) {
        fail(&e, AQFS_INVALID_ARGUMENT, "pipe: expected a live pipe process");
        return error_value(env, &e);
    }
    bool stream = !lisp_is(env, args[5], LISP_NIL);
    struct job *job = job_start(door, steal_pointer(&request), fd, stream, &e);
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
                "HOW is a property list of :verb, :authority, :digest and :words: see aqfs.h.\n"
                "Return the printed reply; with :words, (REPLY . TEXT) unless it is an error.\n\n"
                "(fn WORKSPACE OPERATION ARGUMENTS HOW)");
    lisp_define(env, "agent-q-fs--mod-start", 6, mod_start,
                "Like `agent-q-fs--mod-call', but write the reply to the process PIPE.\n"
                "With STREAM, results come as they are found, before it.\n"
                "Return a job, or a printed error.\n\n"
                "(fn WORKSPACE OPERATION ARGUMENTS HOW PIPE STREAM)");
    lisp_define(env, "agent-q-fs--mod-cancel", 1, mod_cancel,
                "End JOB soon.  Return nil, or a printed error.\n\n(fn JOB)");
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

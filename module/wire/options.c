/* options.c -- the options with which a workspace is opened: see options.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <string.h>

#define PATH(option, word, about) [option] = {.name = word, .type = PARAM_PATH, .doc = about}
#define PATHS(option, word, about)                                                                 \
    [option] = {.name = word, .type = PARAM_STRINGS, .standard = "[]", .doc = about}
#define FLAG(option, word, about)                                                                  \
    [option] = {.name = word, .type = PARAM_BOOLEAN, .standard = "false", .doc = about}

const struct param option_params[OPT_COUNT] = {
    PATH(OPT_ROOT, "root", "The project root, an absolute path."),
    PATH(OPT_START, "start", "Where the search for the root of a git repository begins."),
    PATH(OPT_ASDF_ROOT, "asdf_root", "The directory of the ASDF system in use."),
    PATH(OPT_SLY_DIRECTORY, "sly_directory", "The default directory of the SLY connection."),
    PATH(OPT_CWD, "cwd", "The caller's current directory."),
    PATH(OPT_HOME, "home", "The directory that ~ stands for."),
    [OPT_BACKEND] = {.name = "backend",
                     .type = PARAM_CHOICE,
                     .standard = "\"host\"",
                     .choices = "host|memory|session",
                     .doc = "Where the files are: a directory, memory, or a directory of its own."},
    PATH(OPT_TEMP_DIR, "temp_dir", "Where a session's directory is made, an absolute path."),
    PATHS(OPT_ALLOWED_HOST_ROOTS, "allowed_host_roots", "Directories that mounts may come from."),
    [OPT_MODE] = {.name = "mode",
                  .type = PARAM_CHOICE,
                  .standard = "\"restricted\"",
                  .choices = "restricted|unrestricted",
                  .doc = "unrestricted allows any absolute path."},
    PATHS(OPT_ALLOWED_PATHS, "allowed_paths", "Further directories that may be used."),
    PATHS(OPT_RESTRICTED_PATHS, "restricted_paths", "Paths inside that may not be used or seen."),
    PATHS(OPT_PROTECTED_PATHS, "protected_paths",
          "Further protected paths: every write to them is dangerous."),
    [OPT_SECRET_PATHS] = {.name = "secret_paths",
                          .type = PARAM_STRINGS,
                          .standard = "[\":default\"]",
                          .doc = "Files that a model reads only if somebody approves. :default "
                                 "stands for the built-in list; * and ? match, ! exempts, and a "
                                 "name without a slash counts anywhere."},
    PATH(OPT_STATE_DIR, "state_dir", "Where journals are kept, an absolute path."),
    FLAG(OPT_READ_ONLY, "read_only", "Refuse everything that writes."),
    FLAG(OPT_CROSS_MOUNTS, "cross_mounts", "Enter file systems mounted inside the root."),
    [OPT_RESOLVER] = {.name = "resolver",
                      .type = PARAM_CHOICE,
                      .standard = "\"auto\"",
                      .choices = "auto|openat2|fallback",
                      .doc = "How the kernel is asked to contain paths; for tests."},
    [OPT_LIMITS] = {.name = "limits",
                    .type = PARAM_OBJECT,
                    .doc = "How much of everything: an object with members of the table of "
                           "limits."},
    [OPT_MOUNTS] = {.name = "mounts",
                    .type = PARAM_OBJECTS,
                    .doc = "Directories that are copied into memory or a session when it is "
                           "opened."},
};

#define X(field, value, from, to, words)                                                           \
    {.name = #field,                                                                               \
     .type = PARAM_INTEGER,                                                                        \
     .standard = #value,                                                                           \
     .least = from,                                                                                \
     .most = to,                                                                                   \
     .doc = words},
const struct param limit_params[LIMIT_COUNT] = {LIMITS(X)};
#undef X

static int decode_limits(const json_t *object, struct limits *out, struct error *e) {
    struct value values[LIMIT_COUNT];
    int code = args_decode(limit_params, LIMIT_COUNT, object, values, e);
#define X(field, value, least, most, doc) out->field = values[LIMIT_##field].integer;
    LIMITS(X)
#undef X
    args_free(values, LIMIT_COUNT);
    return code;
}

/* Options become C strings, in which a NUL would hide the rest. */
static int refuse_nul(const struct options *o, struct error *e) {
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct value *v = &o->values[i];
        bool bad = v->text.data && memchr(v->text.data, '\0', v->text.len);
        for (size_t j = 0; j < v->count; j++)
            bad = bad || memchr(v->list[j].data, '\0', v->list[j].len);
        if (bad)
            return fail(e, AQFS_INVALID_ARGUMENT, "%s: expected a path without NUL",
                        option_params[i].name);
    }
    return AQFS_OK;
}

int options_decode(const json_t *object, struct options *out, struct error *e) {
    int code = args_decode(option_params, OPT_COUNT, object, out->values, e);
    if (code)
        return code;
    const json_t *mounts = out->values[OPT_MOUNTS].json;
    out->mounts = json_array_size(mounts) > 0 ? mounts : NULL;
    code = decode_limits(out->values[OPT_LIMITS].json, &out->limits, e);
    return code ? code : refuse_nul(out, e);
}

void options_free(struct options *o) {
    args_free(o->values, OPT_COUNT);
}

const char *options_text(const struct options *o, enum option which) {
    return o->values[which].known ? o->values[which].text.data : NULL;
}

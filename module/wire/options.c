/* options.c -- what a workspace is opened with, checked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <string.h>

#define TEXT(option, word, about) [option] = {.name = word, .type = PARAM_STRING, .doc = about}
#define FLAG(option, word, about)                                                                  \
    [option] = {.name = word, .type = PARAM_BOOLEAN, .standard = "false", .doc = about}

static const struct param params[OPT_COUNT] = {
    TEXT(OPT_ROOT, "root", "The project root; absolute."),
    TEXT(OPT_START, "start", "Where the search for a git root begins."),
    TEXT(OPT_ASDF_ROOT, "asdf_root", "The directory of the ASDF system in use."),
    TEXT(OPT_SLY_DIRECTORY, "sly_directory", "The default directory of the SLY connection."),
    TEXT(OPT_CWD, "cwd", "The caller's current directory."),
    TEXT(OPT_HOME, "home", "What ~ stands for."),
    [OPT_BACKEND] = {.name = "backend",
                     .type = PARAM_CHOICE,
                     .standard = "\"host\"",
                     .choices = "host|memory|session",
                     .doc = "Where the files are: a directory, memory, or a directory of its own."},
    TEXT(OPT_TEMP_DIR, "temp_dir", "Where a session's directory is made; absolute."),
    [OPT_ALLOWED_HOST_ROOTS] = {.name = "allowed_host_roots",
                                .type = PARAM_STRINGS,
                                .standard = "[]",
                                .doc = "Directories that mounts may come from."},
    [OPT_MODE] = {.name = "mode",
                  .type = PARAM_CHOICE,
                  .standard = "\"restricted\"",
                  .choices = "restricted|unrestricted",
                  .doc = "unrestricted allows any absolute path."},
    [OPT_ALLOWED_PATHS] = {.name = "allowed_paths",
                           .type = PARAM_STRINGS,
                           .standard = "[]",
                           .doc = "Further directories that may be used."},
    [OPT_RESTRICTED_PATHS] = {.name = "restricted_paths",
                              .type = PARAM_STRINGS,
                              .standard = "[]",
                              .doc = "Paths inside that may not be used or seen."},
    [OPT_PROTECTED_PATHS] = {.name = "protected_paths",
                             .type = PARAM_STRINGS,
                             .standard = "[]",
                             .doc = "Further paths that are not written without being asked."},
    TEXT(OPT_STATE_DIR, "state_dir", "Where journals are kept; absolute."),
    FLAG(OPT_READ_ONLY, "read_only", "Refuse everything that writes."),
    FLAG(OPT_CROSS_MOUNTS, "cross_mounts", "Enter file systems mounted inside the root."),
    [OPT_RESOLVER] = {.name = "resolver",
                      .type = PARAM_CHOICE,
                      .standard = "\"auto\"",
                      .choices = "auto|openat2|fallback",
                      .doc = "How the kernel is asked to contain paths; for tests."},
};

static const struct param limit_params[] = {
#define X(field, value, from, to)                                                                  \
    {.name = #field, .type = PARAM_INTEGER, .standard = #value, .least = from, .most = to},
    LIMITS(X)
#undef X
};

#define LIMIT_COUNT (sizeof limit_params / sizeof *limit_params)

static int decode_limits(const json_t *object, struct limits *out, struct error *e) {
    struct value values[LIMIT_COUNT];
    if (object && !json_is_object(object) && !json_is_null(object))
        return fail(e, AQFS_INVALID_ARGUMENT, "limits: expected an object, got %s",
                    json_type_word(object));
    int code = args_decode(limit_params, LIMIT_COUNT, object, values, e);
    size_t i = 0;
#define X(field, value, least, most) out->field = values[i++].integer;
    LIMITS(X)
#undef X
    args_free(values, LIMIT_COUNT);
    return code;
}

/* These become C strings, where a NUL would hide the rest. */
static int refuse_nul(const struct options *o, struct error *e) {
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct value *v = &o->values[i];
        bool bad = v->text.data && memchr(v->text.data, '\0', v->text.len);
        for (size_t j = 0; j < v->count; j++)
            bad = bad || memchr(v->list[j].data, '\0', v->list[j].len);
        if (bad)
            return fail(e, AQFS_INVALID_ARGUMENT, "%s: expected a path without NUL",
                        params[i].name);
    }
    return AQFS_OK;
}

/* A list, null, or absent; what is in it mount.c checks. */
static int take_mounts(const json_t *list, struct options *out, struct error *e) {
    if (list && !json_is_array(list) && !json_is_null(list))
        return fail(e, AQFS_INVALID_ARGUMENT, "mounts: expected a list of objects, got %s",
                    json_type_word(list));
    out->mounts = json_array_size(list) > 0 ? list : NULL;
    return AQFS_OK;
}

int options_decode(const json_t *object, struct options *out, struct error *e) {
    memset(out, 0, sizeof *out);
    json_t *rest = json_copy((json_t *)object);
    if (!rest)
        return fail_memory(e);
    int code = decode_limits(json_object_get(object, "limits"), &out->limits, e);
    code = code ? code : take_mounts(json_object_get(object, "mounts"), out, e);
    json_object_del(rest, "limits");
    json_object_del(rest, "mounts");
    code = code ? code : args_decode(params, OPT_COUNT, rest, out->values, e);
    code = code ? code : refuse_nul(out, e);
    json_decref(rest); /* the values' strings belong to OBJECT, which has them too */
    return code;
}

void options_free(struct options *o) {
    args_free(o->values, OPT_COUNT);
}

const char *options_text(const struct options *o, enum option which) {
    return o->values[which].known ? o->values[which].text.data : NULL;
}

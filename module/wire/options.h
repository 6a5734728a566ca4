/* options.h -- the options with which a workspace is opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OPTIONS_H
#define AQFS_OPTIONS_H

#include "args.h"
#include "limit.h"

enum option {
    OPT_ROOT,
    OPT_START,
    OPT_ASDF_ROOT,
    OPT_SLY_DIRECTORY,
    OPT_CWD,
    OPT_HOME,
    OPT_BACKEND,
    OPT_TEMP_DIR,
    OPT_ALLOWED_HOST_ROOTS,
    OPT_MODE,
    OPT_ALLOWED_PATHS,
    OPT_RESTRICTED_PATHS,
    OPT_PROTECTED_PATHS,
    OPT_SECRET_PATHS,
    OPT_STATE_DIR,
    OPT_READ_ONLY,
    OPT_CROSS_MOUNTS,
    OPT_RESOLVER,
    OPT_LIMITS,
    OPT_MOUNTS,
    OPT_COUNT
};

/* The members of `limits`. */
#define X(field, value, least, most, doc) LIMIT_##field,
enum { LIMITS(X) LIMIT_COUNT };
#undef X

extern const struct param option_params[OPT_COUNT];
extern const struct param limit_params[LIMIT_COUNT];

struct options {
    struct value values[OPT_COUNT];
    struct limits limits;
    const json_t *mounts; /* the array in the decoded object, or NULL: see mount.h */
};

/* Decodes and checks a JSON object.  Call options_free in either case. */
int options_decode(const json_t *object, struct options *out, struct error *e);
void options_free(struct options *o);

/* The text of a string option, which contains no NUL; NULL when it was not given. */
const char *options_text(const struct options *o, enum option which);

#endif

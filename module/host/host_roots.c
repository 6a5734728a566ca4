/* host_roots.c -- the directories of this machine that a workspace is of. */
#include "cleanup.h"
#include "detect.h"
#include "host.h"
#include "options.h"

#include <string.h>
#include <sys/stat.h>

static int add_project_root(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct root_sources sources = {
        .explicit_root = options_text(o, OPT_ROOT),
        .start = options_text(o, OPT_START),
        .asdf_root = options_text(o, OPT_ASDF_ROOT),
        .sly_directory = options_text(o, OPT_SLY_DIRECTORY),
        .cwd = options_text(o, OPT_CWD),
        .home = ws->home,
    };
    AUTO_FREE char *canonical = NULL;
    AUTO_FREE char *spelled = NULL;
    int code = detect_root(&sources, &canonical, &spelled, &ws->root_method, e);
    return code ? code : workspace_add_root(ws, canonical, spelled, e);
}

static int add_allowed(struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    AUTO(buf_free) struct buf absolute = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    if (code)
        return code;
    AUTO_FREE char *canonical = realpath(absolute.data, NULL);
    if (canonical && workspace_add_root(ws, canonical, absolute.data, e) == AQFS_OK)
        return AQFS_OK;
    char label[PATH_LABEL];
    return fail(e, AQFS_NOT_FOUND, "allowed_paths: %s is not a directory that can be opened",
                path_label(absolute.data, absolute.len, label));
}

int host_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *allowed = &o->values[OPT_ALLOWED_PATHS];
    if (o->mounts)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "mounts: nothing is copied into a directory that is there already: expected "
                    "the backend memory or session");
    int code = add_project_root(ws, o, e);
    for (size_t i = 0; !code && i < allowed->count; i++)
        code = add_allowed(ws, allowed->list[i], e);
    if (code || !ws->unrestricted)
        return code;
    code = workspace_add_root(ws, "/", "/", e);
    ws->roots[ws->root_count - 1].cross_mounts = true;
    return code;
}

size_t host_canonical(const char *absolute, struct buf *out) {
    AUTO_FREE char *prefix = strdup(absolute);
    out->failed = out->failed || !prefix;
    while (prefix && prefix[0]) {
        AUTO_FREE char *real = realpath(prefix, NULL);
        if (real) {
            buf_str(out, real);
            return strlen(prefix);
        }
        *strrchr(prefix, '/') = '\0';
    }
    return 0;
}

/* The root is held open; its name may meanwhile lead elsewhere. */
bool host_has_moved(const struct aqfs_workspace *ws) {
    const struct root *root = &ws->roots[0];
    struct stat s;
    return stat(root->path, &s) != 0 || s.st_ino != root->inode;
}

/* workspace_open.c -- from checked options to a workspace. */
#include "workspace.h"

#include "beneath.h"
#include "call.h"
#include "cleanup.h"
#include "journal.h"
#include "memory.h"
#include "mount.h"
#include "options.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Appends the names of PATH, without empty ones and `.`; with UP, `..` takes the last one off. */
static void add_names(struct buf *out, const char *path, bool up) {
    for (const char *name = path; *name;) {
        size_t n = strcspn(name, "/");
        bool dotdot = n == 2 && memcmp(name, "..", 2) == 0;
        if (dotdot && up) {
            const char *slash = out->len > 0 ? memrchr(out->data, '/', out->len) : NULL;
            out->len = slash ? (size_t)(slash - out->data) : 0;
        } else if (n > 0 && !(n == 1 && *name == '.')) {
            buf_char(out, '/');
            buf_add(out, name, n);
        }
        name += n + (name[n] == '/');
    }
}

int root_open(struct root *r, int fd, struct error *e) {
    struct info info;
    int error = beneath_stat(fd, &info);
    if (error)
        return fail_errno(e, -error, "root");
    r->fd = fd;
    r->device = info.device;
    r->inode = info.inode;
    r->mount = info.mount;
    r->is_well_known = beneath_is_well_known(fd);
    return AQFS_OK;
}

/* The caller's SPELLED name of a root where it differs from its path. */
static int set_alias(struct root *r, const char *spelled, struct error *e) {
    AUTO(buf_free) struct buf alias = {0};
    buf_str(&alias, "");
    add_names(&alias, spelled, false);
    if (alias.failed)
        return fail_memory(e);
    if (alias.len != r->len || memcmp(alias.data, r->path, r->len) != 0) {
        r->alias_len = alias.len;
        r->alias = steal_pointer(&alias.data);
    }
    return AQFS_OK;
}

int workspace_add_root(struct aqfs_workspace *ws, const char *canonical, const char *spelled,
                       struct error *e) {
    struct root *r = &ws->roots[ws->root_count];
    size_t n = strlen(canonical);
    while (n > 0 && canonical[n - 1] == '/')
        n--;
    AUTO(cleanup_close) int fd = open(canonical, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(e, errno, "root");
    *r = (struct root){.fd = -1, .path = strndup(canonical, n), .len = n};
    if (!r->path)
        return fail_memory(e);
    ws->root_count++; /* from here on workspace_release undoes it */
    int code = root_open(r, fd, e);
    if (code)
        return code;
    (void)steal_fd(&fd);
    code = set_alias(r, spelled, e);
    return code || rules_add(&ws->rules, r->path, r->len, false) ? code : fail_memory(e);
}

int workspace_absolute(const struct aqfs_workspace *ws, struct text_ref given, struct buf *out,
                       struct error *e) {
    char accepted[PATH_BYTES_MAX + 1];
    size_t n;
    int code = path_accept(given.data, given.len, ws->home, accepted, &n, e);
    if (code)
        return code;
    if (accepted[0] != '/') {
        buf_add(out, ws->roots[0].path, ws->roots[0].len);
        buf_char(out, '/');
    }
    buf_add(out, accepted, n);
    while (out->len > 1 && out->data[out->len - 1] == '/')
        out->data[--out->len] = '\0';
    return out->failed ? fail_memory(e) : AQFS_OK;
}

static bool deny(struct rules *rules, const struct buf *path) {
    return !path->failed && rules_add(rules, path->len ? path->data : "", path->len, true);
}

/* PATH without links as far as it exists.  In the rest, which may be made later, there is none: it
 * is shortened as text. */
static int canonical_of(const struct aqfs_workspace *ws, const char *path, struct buf *out,
                        struct error *e) {
    AUTO(buf_free) struct buf real = {0};
    buf_str(&real, "");
    size_t n = ws->backend->canonical ? ws->backend->canonical(path, &real) : 0;
    if (real.failed)
        return fail_memory(e);
    add_names(out, real.data, false);
    add_names(out, path + n, true);
    return out->failed ? fail_memory(e) : AQFS_OK;
}

/* Adds GIVEN to RULES: as it is spelled, and as what that leads to. */
static int add_rule(const struct aqfs_workspace *ws, struct rules *rules, struct text_ref given,
                    struct error *e) {
    AUTO(buf_free) struct buf absolute = {0}, spelled = {0}, canonical = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    code = code ? code : canonical_of(ws, absolute.data, &canonical, e);
    if (code)
        return code;
    add_names(&spelled, absolute.data, false);
    return deny(rules, &spelled) && deny(rules, &canonical) ? AQFS_OK : fail_memory(e);
}

/* Adds GIVEN, which must lie in the workspace, as a rule that allows. */
static int allow_inside(struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    const struct root *root = &ws->roots[0];
    AUTO(buf_free) struct buf absolute = {0}, path = {0};
    int code = workspace_absolute(ws, given, &absolute, e);
    if (code)
        return code;
    buf_str(&path, "");
    add_names(&path, absolute.data, true);
    if (path.failed)
        return fail_memory(e);
    if (path_is_below(path.data, path.len, root->path, root->len))
        return rules_add(&ws->rules, path.data, path.len, false) ? AQFS_OK : fail_memory(e);
    char label[PATH_LABEL];
    return fail(e, AQFS_OUTSIDE_ROOT,
                "allowed_paths: %s is not in the workspace, to which mounts bring files",
                path_label(absolute.data, absolute.len, label));
}

int workspace_allow_inside(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *allowed = &o->values[OPT_ALLOWED_PATHS];
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < allowed->count; i++)
        code = allow_inside(ws, allowed->list[i], e);
    return code;
}

/* Adds the roots and what rules say of them. */
static int add_paths(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *restricted = &o->values[OPT_RESTRICTED_PATHS];
    const struct value *protected = &o->values[OPT_PROTECTED_PATHS];
    ws->roots = calloc(o->values[OPT_ALLOWED_PATHS].count + 2, sizeof *ws->roots);
    int code = ws->roots ? ws->backend->open_roots(ws, o, e) : fail_memory(e);
    for (size_t i = 0; !code && i < restricted->count; i++)
        code = add_rule(ws, &ws->rules, restricted->list[i], e);
    for (size_t i = 0; !code && i < protected->count; i++)
        code = add_rule(ws, &ws->protects, protected->list[i], e);
    return code;
}

static bool text_is(const struct value *v, const char *word) {
    return v->text.len == strlen(word) && memcmp(v->text.data, word, v->text.len) == 0;
}

/* A copy of TEXT, which may be NULL; false when there is no memory. */
static bool keep(char **out, const char *text) {
    *out = text ? strdup(text) : NULL;
    return !text || *out;
}

static int apply_options(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *resolver = &o->values[OPT_RESOLVER];
    ws->limits = o->limits;
    ws->read_only = o->values[OPT_READ_ONLY].boolean;
    ws->cross_mounts = o->values[OPT_CROSS_MOUNTS].boolean;
    ws->unrestricted = text_is(&o->values[OPT_MODE], "unrestricted");
    ws->resolver = text_is(resolver, "openat2")    ? RESOLVER_OPENAT2
                   : text_is(resolver, "fallback") ? RESOLVER_FALLBACK
                                                   : RESOLVER_AUTO;
    if (!keep(&ws->home, options_text(o, OPT_HOME)) ||
        !keep(&ws->state_dir, options_text(o, OPT_STATE_DIR)))
        return fail_memory(e);
    if (ws->state_dir && ws->state_dir[0] != '/')
        return fail(e, AQFS_INVALID_ARGUMENT, "state_dir: expected an absolute path");
    int code = add_paths(ws, o, e);
    return code ? code : mounts_copy(ws, o, e);
}

static const struct backend *backend_of(const struct value *word) {
    static const struct backend *const backends[] = {&host_backend, &memory_backend,
                                                     &session_backend};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (text_is(word, backends[i]->name))
            return backends[i];
    return &host_backend; /* unreachable: options_decode has checked the word */
}

static struct aqfs_workspace *workspace_new(void) {
    struct aqfs_workspace *ws = calloc(1, sizeof *ws);
    if (!ws)
        return NULL;
    ws->backend = &host_backend;
    ws->commit_file = -1;
    pthread_mutex_init(&ws->lock, NULL);
    pthread_mutex_init(&ws->commit_mutex, NULL);
    pthread_mutex_init(&ws->magic_lock, NULL);
    return ws;
}

int workspace_make(const json_t *options, struct aqfs_workspace **out, struct error *e) {
    struct options o;
    struct aqfs_workspace *ws = workspace_new();
    if (!ws)
        return fail_memory(e);
    int code = options_decode(options, &o, e);
    if (!code) {
        ws->backend = backend_of(&o.values[OPT_BACKEND]);
        code = apply_options(ws, &o, e);
    }
    options_free(&o);
    if (code)
        aqfs_free(ws);
    else
        *out = ws;
    return code;
}

aqfs_reply *workspace_open(const json_t *options, int format, struct aqfs_workspace **out) {
    struct error e;
    struct aqfs_workspace *ws = NULL;
    (void)workspace_make(options, &ws, &e);
    if (!ws)
        return reply_from_error(format, &e, NULL, 0);
    journal_recover(ws);
    struct reply r = {.format = format};
    reply_map(&r);
    workspace_describe_opened(ws, &r);
    reply_end_map(&r);
    *out = ws;
    return reply_finish(&r);
}

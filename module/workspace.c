/* workspace.c -- a project, its boundary and its options. */
#include "workspace.h"

#include "beneath.h"
#include "call.h"
#include "cleanup.h"
#include "commit_lock.h"
#include "detect.h"
#include "filetype.h"
#include "journal.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <string.h>

/* A tree that changes under every one of so many tries is being changed on purpose. */
#define RACE_ROUNDS 64

/* -- opening ---------------------------------------------------------------------------------- */

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

static int add_root(struct aqfs_workspace *ws, const char *canonical, const char *spelled,
                    struct error *e) {
    struct root *r = &ws->roots[ws->root_count];
    size_t n = strlen(canonical);
    while (n > 0 && canonical[n - 1] == '/')
        n--;
    AUTO(buf_free) struct buf alias = {0};
    buf_str(&alias, "");
    add_names(&alias, spelled, false);
    if (alias.failed)
        return fail_memory(e);
    *r = (struct root){.fd = open(canonical, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (r->fd < 0)
        return fail_errno(e, errno, "root");
    ws->root_count++; /* from here on workspace_release undoes it */
    struct info info;
    r->path = strndup(canonical, n);
    r->len = n;
    if (alias.len != n || memcmp(alias.data, canonical, n) != 0) {
        r->alias_len = alias.len;
        r->alias = steal_pointer(&alias.data);
    }
    if (!r->path || beneath_stat(r->fd, &info) != 0 ||
        !rules_add(&ws->rules, r->path, r->len, false))
        return fail_memory(e);
    r->device = info.device;
    r->inode = info.inode;
    r->mount = info.mount;
    return AQFS_OK;
}

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
    return code ? code : add_root(ws, canonical, spelled, e);
}

/* The path as configured, made absolute: `~/` is home, a relative path lies in the project. */
static int absolute_path(const struct aqfs_workspace *ws, struct text_ref given, struct buf *out,
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

/* Appends PATH with the longest part of it that exists made canonical.  In the rest, which may be
 * made later, there is no link: it is shortened as text. */
static int add_canonical(struct buf *out, const char *path, struct error *e) {
    AUTO_FREE char *prefix = strdup(path);
    while (prefix && prefix[0]) {
        AUTO_FREE char *real = realpath(prefix, NULL);
        if (real) {
            add_names(out, real, false);
            break;
        }
        *strrchr(prefix, '/') = '\0';
    }
    if (prefix)
        add_names(out, path + strlen(prefix), true);
    return prefix && !out->failed ? AQFS_OK : fail_memory(e);
}

static bool deny(struct rules *rules, const struct buf *path) {
    return !path->failed && rules_add(rules, path->len ? path->data : "", path->len, true);
}

/* Adds GIVEN to RULES: as it is spelled, and as what that leads to. */
static int add_rule(const struct aqfs_workspace *ws, struct rules *rules, struct text_ref given,
                    struct error *e) {
    AUTO(buf_free) struct buf absolute = {0}, spelled = {0}, canonical = {0};
    int code = absolute_path(ws, given, &absolute, e);
    code = code ? code : add_canonical(&canonical, absolute.data, e);
    if (code)
        return code;
    add_names(&spelled, absolute.data, false);
    return deny(rules, &spelled) && deny(rules, &canonical) ? AQFS_OK : fail_memory(e);
}

static int add_allowed(struct aqfs_workspace *ws, struct text_ref given, struct error *e) {
    AUTO(buf_free) struct buf absolute = {0};
    int code = absolute_path(ws, given, &absolute, e);
    if (code)
        return code;
    AUTO_FREE char *canonical = realpath(absolute.data, NULL);
    if (canonical && add_root(ws, canonical, absolute.data, e) == AQFS_OK)
        return AQFS_OK;
    char label[PATH_LABEL];
    return fail(e, AQFS_NOT_FOUND, "allowed_paths: %s is not a directory that can be opened",
                path_label(absolute.data, absolute.len, label));
}

static int add_paths(struct aqfs_workspace *ws, const struct options *o, struct error *e) {
    const struct value *allowed = &o->values[OPT_ALLOWED_PATHS];
    const struct value *restricted = &o->values[OPT_RESTRICTED_PATHS];
    const struct value *protected = &o->values[OPT_PROTECTED_PATHS];
    ws->roots = calloc(allowed->count + 2, sizeof *ws->roots);
    if (!ws->roots)
        return fail_memory(e);
    int code = add_project_root(ws, o, e);
    for (size_t i = 0; !code && i < allowed->count; i++)
        code = add_allowed(ws, allowed->list[i], e);
    for (size_t i = 0; !code && i < restricted->count; i++)
        code = add_rule(ws, &ws->rules, restricted->list[i], e);
    for (size_t i = 0; !code && i < protected->count; i++)
        code = add_rule(ws, &ws->protects, protected->list[i], e);
    if (!code && ws->unrestricted) {
        code = add_root(ws, "/", "/", e);
        ws->roots[ws->root_count - 1].cross_mounts = true;
    }
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
    return add_paths(ws, o, e);
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

aqfs_reply *workspace_open(const json_t *options, int format, struct aqfs_workspace **out) {
    struct error e;
    struct options o;
    struct aqfs_workspace *ws = workspace_new();
    int code = ws ? options_decode(options, &o, &e) : fail_memory(&e);
    if (ws) {
        code = code ? code : apply_options(ws, &o, &e);
        options_free(&o);
    }
    if (code) {
        aqfs_free(ws);
        return reply_from_error(format, &e, NULL, 0);
    }
    journal_recover(ws);
    struct reply r = {.format = format};
    reply_map(&r);
    workspace_describe(ws, &r);
    reply_end_map(&r);
    *out = ws;
    return reply_finish(&r);
}

/* -- ending ----------------------------------------------------------------------------------- */

/* Descriptors and libmagic's tables; the struct itself stays, to answer "closed". */
static void release(struct aqfs_workspace *ws) {
    for (size_t i = 0; i < ws->root_count; i++)
        cleanup_close(&ws->roots[i].fd), ws->roots[i].fd = -1;
    journal_close(ws);
    commit_lock_close(ws);
    if (atomic_exchange(&ws->holds_git, false))
        git_libgit2_shutdown();
    filetype_free(ws->magic);
    ws->magic = NULL;
}

void workspace_hold_git(struct aqfs_workspace *ws) {
    if (!atomic_load(&ws->holds_git) && git_libgit2_init() > 0 &&
        atomic_exchange(&ws->holds_git, true))
        git_libgit2_shutdown(); /* another thread was first */
}

bool workspace_enter(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    bool open = !ws->closed;
    ws->running += open;
    pthread_mutex_unlock(&ws->lock);
    return open;
}

void workspace_leave(struct aqfs_workspace *ws) {
    pthread_mutex_lock(&ws->lock);
    if (--ws->running == 0 && ws->closed)
        release(ws);
    pthread_mutex_unlock(&ws->lock);
}

void aqfs_close(aqfs_workspace *ws) {
    if (!ws)
        return;
    pthread_mutex_lock(&ws->lock);
    if (!ws->closed && ws->running == 0)
        release(ws);
    ws->closed = true;
    pthread_mutex_unlock(&ws->lock);
}

void aqfs_free(aqfs_workspace *ws) {
    if (!ws)
        return;
    aqfs_close(ws);
    for (size_t i = 0; i < ws->root_count; i++) {
        free(ws->roots[i].path);
        free(ws->roots[i].alias);
    }
    free(ws->roots);
    rules_free(&ws->rules);
    rules_free(&ws->protects);
    free(ws->state_dir);
    free(ws->home);
    pthread_mutex_destroy(&ws->lock);
    pthread_mutex_destroy(&ws->commit_mutex);
    pthread_mutex_destroy(&ws->magic_lock);
    free(ws);
}

/* -- paths ------------------------------------------------------------------------------------ */

static bool denies(const struct rules *rules, const struct root *root, const char *path, size_t n) {
    if (!rules->any_deny)
        return false;
    /* A walk asks about the names in a directory whose path is as long as a path may be. */
    char absolute[2 * (PATH_BYTES_MAX + 1) + NAME_BYTES_MAX + 1];
    memcpy(absolute, root->path, root->len);
    size_t len = root->len;
    if (n > 0) {
        absolute[len++] = '/';
        memcpy(absolute + len, path, n);
        len += n;
    }
    return rules_deny(rules, absolute, len);
}

bool workspace_hides(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                     size_t n) {
    return denies(&ws->rules, root, path, n);
}

bool workspace_protects(const struct aqfs_workspace *ws, const struct root *root,
                        const char *path) {
    return denies(&ws->protects, root, path, strlen(path));
}

void place_show(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                size_t n, struct buf *out) {
    bool own = root == &ws->roots[0];
    if (!own) {
        buf_add(out, root->path, root->len);
        buf_char(out, '/');
    }
    if (n > 0)
        buf_add(out, path, n);
    else if (own)
        buf_char(out, '.');
    else if (root->len > 0)
        out->data[--out->len] = '\0'; /* an allowed root itself ends without slash */
}

/* The text that was given for a path, for messages: its first quote or tilde means what it means
 * there. */
static void label_given(struct text_ref given, char label[PATH_LABEL + 1]) {
    size_t lead = given.len > 0 && strchr("\"~", given.data[0]);
    label[0] = lead ? given.data[0] : '\0';
    path_label(given.data + lead, given.len - lead, label + lead);
}

/* The message of an error about a path names the path as it was given. */
static int reword(const struct aqfs_workspace *ws, struct text_ref given, int code,
                  struct error *e) {
    char label[PATH_LABEL + 1], root[PATH_LABEL];
    label_given(given, label);
    path_label(ws->roots[0].path, ws->roots[0].len, root);
    switch (code) {
    case AQFS_OUTSIDE_ROOT:
        if (strcmp(e->message, "mount") == 0)
            return fail(e, AQFS_OUTSIDE_ROOT,
                        "Path '%s' is on another file system, mounted inside the project root",
                        label);
        return fail(e, AQFS_OUTSIDE_ROOT, "Path '%s' is outside project root (%s/)", label, root);
    case AQFS_RESTRICTED:
        return fail(e, AQFS_RESTRICTED, "Path '%s' is restricted", label);
    case AQFS_NOT_FOUND:
        return fail(e, AQFS_NOT_FOUND, "Path '%s' does not exist", label);
    case AQFS_NOT_A_DIRECTORY:
        return fail(e, AQFS_NOT_A_DIRECTORY, "Path '%s' is not a directory", label);
    case AQFS_IS_DIRECTORY:
        return fail(e, AQFS_IS_DIRECTORY, "Path '%s' is a directory", label);
    case AQFS_NOT_REGULAR:
        return fail(e, AQFS_NOT_REGULAR,
                    "Path '%s' is not a regular file (a device, FIFO or socket)", label);
    case AQFS_PERMISSION:
        return fail(e, AQFS_PERMISSION, "No permission for path '%s'", label);
    case AQFS_LOOP:
        return fail(e, AQFS_LOOP, "Path '%s' leads through too many symbolic links", label);
    case AQFS_RACED:
        return fail(e, AQFS_RACED, "Path '%s' kept changing while it was looked at", label);
    default:
        return code;
    }
}

static int locate_once(struct aqfs_workspace *ws, const char *path, size_t n, unsigned flags,
                       struct place *place, struct error *e) {
    struct place found;
    int code = ws->backend->locate(ws, path, n, flags | LOCATE_MISSING, &found, e);
    if (code)
        return code;
    if (workspace_hides(ws, found.root, found.path, found.len))
        return fail(e, AQFS_RESTRICTED, "restricted"); /* also where there is nothing */
    if (found.type == NODE_MISSING && !(flags & LOCATE_MISSING))
        return fail(e, AQFS_NOT_FOUND, "missing");
    *place = found;
    return AQFS_OK;
}

int workspace_locate(struct aqfs_workspace *ws, struct text_ref given, unsigned flags,
                     struct place *place, struct error *e) {
    char path[PATH_BYTES_MAX + 1];
    size_t n;
    int code = path_accept(given.data, given.len, ws->home, path, &n, e);
    if (code)
        return code;
    code = AQFS_RACED;
    for (int round = 0; code == AQFS_RACED && round < RACE_ROUNDS; round++)
        code = locate_once(ws, path, n, flags, place, e);
    return code ? reword(ws, given, code, e) : AQFS_OK;
}

/* Whether what was located can be opened as KIND. */
static int check_kind(enum node_type type, enum open_kind kind, struct error *e) {
    if (kind == OPEN_DIRECTORY && type != NODE_DIRECTORY)
        return fail(e, AQFS_NOT_A_DIRECTORY, "kind");
    if (kind == OPEN_FILE && type == NODE_DIRECTORY)
        return fail(e, AQFS_IS_DIRECTORY, "kind");
    if (kind == OPEN_FILE && type != NODE_FILE)
        return fail(e, AQFS_NOT_REGULAR, "kind");
    return AQFS_OK;
}

/* What the place was found to be has changed since: to be located anew. */
static bool changed_since(int code) {
    return code == AQFS_RACED || code == AQFS_NOT_FOUND || code == AQFS_OUTSIDE_ROOT ||
           code == AQFS_IS_DIRECTORY || code == AQFS_NOT_REGULAR;
}

int workspace_open_path(struct aqfs_workspace *ws, struct text_ref given, enum open_kind kind,
                        struct place *place, struct node *node, struct error *e) {
    char path[PATH_BYTES_MAX + 1];
    size_t n;
    int code = path_accept(given.data, given.len, ws->home, path, &n, e);
    if (code)
        return code;
    bool again = true;
    for (int round = 0; again && round < RACE_ROUNDS; round++) {
        code = locate_once(ws, path, n, 0, place, e);
        again = code == AQFS_RACED;
        code = code ? code : check_kind(place->type, kind, e);
        if (code)
            continue;
        code = ws->backend->open(ws, place->root, place->path, kind, node, e);
        again = changed_since(code);
    }
    return code ? reword(ws, given, code, e) : AQFS_OK;
}

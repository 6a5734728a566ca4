/* snapshot_store.c -- the repository of our own that snapshots are kept in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_store.h"

#include "cleanup.h"
#include "hash.h"
#include "own_file.h"
#include "snapshot_tree.h"
#include "zip.h"

#include <errno.h>
#include <fcntl.h>
#include <git2/sys/odb_backend.h>
#include <stdio.h>
#include <string.h>

static const char config[] = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
static const char head[] = "ref: refs/heads/none\n";

/* The layout of a store.  That of 0.1.0, which has no such file, is the first.  Raise the number
 * when an older version would misread or damage a store. */
#define FORMAT 1
#define FORMAT_FILE "format"
#define FORMAT_WORDS "agent-q-fs snapshots "
#define FORMAT_BYTES 64

static int fail_git(struct error *e, const char *what) {
    return fail(e, AQFS_SNAPSHOT, "The snapshots cannot be used: %s", what);
}

/* -- its directory ----------------------------------------------------------------------------- */

/* A project has one store; workspaces that are made for a session share one, for later ones. */
static int name_store(const struct work *work, struct store *s) {
    const struct root *root = &work->ws->roots[0];
    char hex[HASH_HEX];
    struct hash h;
    hash_start(&h);
    hash_add(&h, root->path, root->len + 1);
    hash_end(&h, hex);
    const char *name = work->ws->keeper->strict ? "session" : hex;
    if (asprintf(&s->path, "%s/snapshots/%s.git", work->ws->state_dir, name) < 0) {
        s->path = NULL;
        return AQFS_LIMIT;
    }
    return AQFS_OK;
}

static int open_store_directory(int above, const char *path) {
    int fd;
    do {
        fd = openat(above, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static int make_store_file(int dir, const char *name, const char *text, struct error *e) {
    int code = state_make(dir, name, text, strlen(text), e);
    return code == AQFS_EXISTS ? AQFS_OK : code;
}

static int make_directories(const struct store *s, struct error *e) {
    static const char *const below[] = {"/objects/pack", "/objects/info", "/refs/snapshots"};
    int error = 0;
    for (size_t i = 0; !error && i < sizeof below / sizeof *below; i++) {
        AUTO_FREE char *path = NULL;
        if (asprintf(&path, "%s%s", s->path, below[i]) < 0) {
            path = NULL;
            return fail_memory(e);
        }
        error = state_make_directories(path);
    }
    return error ? fail_errno(e, error, "state directory") : AQFS_OK;
}

/* The number in the bytes of the file, or 0. */
static int64_t read_format(const struct buf *bytes) {
    const size_t words = strlen(FORMAT_WORDS);
    if (bytes->len <= words || memcmp(bytes->data, FORMAT_WORDS, words) != 0)
        return 0;
    char *end;
    long long format = strtoll(bytes->data + words, &end, 10);
    return strcmp(end, "\n") == 0 && format > 0 ? format : 0;
}

/* AQFS_NEWER_FORMAT if the store is of a newer version.  *SAYS: has it a number at all? */
static int check_format(const struct store *s, bool *says, struct error *e) {
    AUTO(buf_free) struct buf bytes = {0};
    int code = state_read(s->dir, FORMAT_FILE, FORMAT_BYTES, &bytes, e);
    *says = code != AQFS_NOT_FOUND;
    if (code)
        return *says ? code : AQFS_OK;
    int64_t format = read_format(&bytes);
    if (!format)
        return fail_git(e, "their file \"" FORMAT_FILE "\" holds no number of a format");
    if (format <= FORMAT)
        return AQFS_OK;
    code = fail_newer_format(e, "The store of this project's snapshots", format, FORMAT);
    error_hint(e,
               "Use the agent-q-fs that wrote them, or move %s away: new snapshots then begin in "
               "a new store",
               s->path);
    return code;
}

/* For a writer that has the lock. */
static int mark_format(const struct store *s, struct error *e) {
    char line[FORMAT_BYTES];
    bool says;
    int code = check_format(s, &says, e);
    if (code || says)
        return code;
    (void)snprintf(line, sizeof line, FORMAT_WORDS "%d\n", FORMAT);
    return state_replace(s->dir, FORMAT_FILE, line, strlen(line), true, e);
}

static int fail_no_store(struct error *e) {
    return fail(e, AQFS_NOT_FOUND, "There are no snapshots yet");
}

/* Before anything is made in it. */
static int open_store_top(struct store *s, enum store_use use, struct error *e) {
    bool ignored;
    s->dir = open_store_directory(AT_FDCWD, s->path);
    if (s->dir >= 0) {
        int code = check_format(s, &ignored, e);
        if (code)
            return code;
    }
    int made = use == STORE_WRITE ? make_directories(s, e) : AQFS_OK;
    if (made)
        return made;
    if (s->dir < 0)
        s->dir = open_store_directory(AT_FDCWD, s->path);
    if (s->dir < 0)
        return errno == ENOENT ? fail_no_store(e) : fail_errno(e, errno, "state directory");
    return AQFS_OK;
}

static int open_directories(struct store *s, enum store_use use, struct error *e) {
    int code = open_store_top(s, use, e);
    if (code)
        return code;
    s->refs = openat(s->dir, "refs/snapshots", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    s->packs = openat(s->dir, "objects/pack", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->refs < 0 || s->packs < 0) {
        /* A writer makes HEAD last.  Before that it is still making the store. */
        if (use == STORE_READ && !state_has(s->dir, "HEAD"))
            return fail_no_store(e);
        return fail_git(e, "their directory lacks refs/snapshots or objects/pack");
    }
    code = use == STORE_WRITE ? make_store_file(s->dir, "config", config, e) : AQFS_OK;
    return !code && use == STORE_WRITE ? make_store_file(s->dir, "HEAD", head, e) : code;
}

/* Other writers wait until the store is closed.  Readers do not: see store_read. */
static int take_lock(struct work *work, struct store *s) {
    do {
        s->lock =
            openat(s->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    } while (s->lock < 0 && errno == EINTR);
    if (s->lock < 0 && (errno == ELOOP || errno == EISDIR))
        return fail_git(&work->error, "the name of their file \"lock\" is taken by something else");
    if (s->lock < 0)
        return fail_errno(&work->error, errno, "state directory");
    return lock_wait(s->lock, &work->budget, &work->error);
}

/* -- its objects ------------------------------------------------------------------------------- */

/* Opens the packs alone: a default database would also look for loose objects and alternates. */
static int open_objects(struct store *s, struct error *e) {
    AUTO_FREE char *path = NULL;
    git_odb_backend *packs = NULL;
    if (asprintf(&path, "%s/objects", s->path) < 0) {
        path = NULL;
        return fail_memory(e);
    }
    if (git_odb_new(&s->odb) != 0)
        return fail_git(e, "libgit2 has no memory");
    if (git_odb_backend_pack(&packs, path) != 0 || git_odb_add_backend(s->odb, packs, 1) != 0)
        return fail_git(e, "their packs cannot be opened");
    return AQFS_OK;
}

int store_open(struct work *work, enum store_use use, struct store *out) {
    *out = (struct store){.dir = -1, .refs = -1, .packs = -1, .lock = -1};
    if (!work->ws->state_dir)
        return fail(&work->error, AQFS_SNAPSHOT,
                    "Snapshots need a state directory: open the workspace with state_dir");
    libraries_hold_git(&work->ws->libraries);
    if (name_store(work, out))
        return fail_memory(&work->error);
    int code = open_directories(out, use, &work->error);
    if (!code && use == STORE_WRITE)
        code = take_lock(work, out);
    if (!code && use == STORE_WRITE) {
        pack_sweep(out->packs);
        state_sweep(out->refs);
        state_sweep(out->dir);
        code = mark_format(out, &work->error);
    }
    return code ? code : open_objects(out, &work->error);
}

void store_close(struct store *s) {
    git_odb_free(s->odb);
    cleanup_close(&s->lock);
    cleanup_close(&s->packs);
    cleanup_close(&s->refs);
    cleanup_close(&s->dir);
    free(s->path);
    *s = (struct store){.dir = -1, .refs = -1, .packs = -1, .lock = -1};
}

static git_oid git_name(const struct oid *oid) {
    git_oid name = {{0}};
    memcpy(name.id, oid->bytes, OID_BYTES);
    return name;
}

/* A reader holds no lock, so a prune may remove the pack that the reader has found, after writing
 * what is live into another pack.  libgit2 looks through the directory again when it does not find
 * an object.  If a second prune ran during that, our own second attempt looks once more.  An object
 * that is still missing was forgotten or is damaged, and looking any further would not help. */
static int read_object(git_odb *odb, const git_oid *name, git_odb_object **out) {
    int failed = git_odb_read(out, odb, name);
    if (failed && git_odb_refresh(odb) == 0)
        failed = git_odb_read(out, odb, name);
    return failed;
}

int store_read(const struct store *s, const struct oid *oid, enum object_type type, struct buf *out,
               struct error *e) {
    git_oid name = git_name(oid);
    git_odb_object *object = NULL;
    if (read_object(s->odb, &name, &object) != 0) {
        char hex[OID_HEX];
        oid_hex(oid, hex);
        return fail(e, AQFS_SNAPSHOT, "The snapshot is damaged: %s cannot be read", hex);
    }
    bool right = (int)git_odb_object_type(object) == (int)type;
    if (right)
        buf_add(out, git_odb_object_data(object), git_odb_object_size(object));
    git_odb_object_free(object);
    if (!right)
        return fail(e, AQFS_SNAPSHOT, "The snapshot is damaged: an object is of another type");
    return out->failed ? fail_memory(e) : AQFS_OK;
}

bool store_has(const struct store *s, const struct oid *oid) {
    git_oid name = git_name(oid);
    return git_odb_exists_ext(s->odb, &name, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
}

int store_name(enum object_type type, const char *bytes, size_t n, struct oid *out,
               struct error *e) {
    git_oid name;
    if (git_odb_hash(&name, bytes, n, (git_object_t)type) != 0)
        return fail_git(e, "libgit2 cannot hash");
    memcpy(out->bytes, name.id, OID_BYTES);
    return AQFS_OK;
}

int store_add(const struct store *s, struct pack *pack, struct zip *zip,
              const struct object *object, struct error *e) {
    AUTO(buf_free) struct buf zipped = {0};
    if (pack_has(pack, &object->oid) || store_has(s, &object->oid))
        return AQFS_OK;
    zip_add(zip, object->bytes, object->n, &zipped);
    return pack_add(pack, &object->oid, object->type, object->n, &zipped, e);
}

int store_tree(const struct store *s, const struct oid *oid, struct arena *arena, struct tree **out,
               struct error *e) {
    AUTO(buf_free) struct buf bytes = {0};
    buf_str(&bytes, "");
    int code = store_read(s, oid, OBJECT_TREE, &bytes, e);
    return code ? code : tree_read(bytes.data, bytes.len, arena, out, e);
}

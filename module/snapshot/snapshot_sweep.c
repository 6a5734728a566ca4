/* snapshot_sweep.c -- giving back the room of what no snapshot holds any more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_sweep.h"

#include "array.h"
#include "cleanup.h"
#include "own_file.h"

#include <fcntl.h>
#include <git2/sys/odb_backend.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SMALL_OBJECTS 1000

/* -- the packs there are -------------------------------------------------------------------------
 */

#define STEM_BYTES 64 /* "pack-" and 40 digits */

struct found_packs {
    char (*stems)[STEM_BYTES];
    size_t n, room;
    int64_t bytes;
    bool failed;
};

static void take_pack_name(void *data, int dir, const char *name) {
    struct found_packs *f = data;
    struct stat s;
    size_t n = strlen(name);
    if (strncmp(name, "pack-", 5) != 0 || n < 6 || n - 5 >= STEM_BYTES ||
        strcmp(name + n - 5, ".pack") != 0 || fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    void *stems = array_with_room(f->stems, f->n, &f->room, sizeof *f->stems);
    f->failed = f->failed || !stems;
    if (!stems)
        return;
    f->stems = stems;
    (void)snprintf(f->stems[f->n++], STEM_BYTES, "%.*s", (int)(n - 5), name);
    f->bytes += s.st_size;
}

void sweep_measure(const struct store *s, size_t *packs, int64_t *bytes) {
    struct found_packs f = {0};
    (void)state_each(s->packs, take_pack_name, &f);
    *packs = f.n;
    *bytes = f.bytes;
    free(f.stems);
}

/* -- one pack ------------------------------------------------------------------------------------
 */

struct reading {
    struct work *work;
    const struct store *store;
    const struct oid_set *live;
    struct pack *pack; /* what is live goes there; NULL: it is only counted */
    struct zip *zip;
    size_t all, alive;
    int code;
};

static int copy(struct reading *r, const git_oid *name, const struct oid *oid) {
    git_odb_object *object = NULL;
    struct error *e = &r->work->error;
    int code = budget_check(&r->work->budget);
    if (code)
        return fail_budget(e, code);
    if (git_odb_read(&object, r->store->odb, name) != 0)
        return fail(e, AQFS_SNAPSHOT, "A snapshot is damaged: nothing was thrown away");
    AUTO(buf_free) struct buf zipped = {0};
    size_t size = git_odb_object_size(object);
    zip_add(r->zip, git_odb_object_data(object), size, &zipped);
    code = pack_add(r->pack, oid, (enum object_type)git_odb_object_type(object), size, &zipped, e);
    git_odb_object_free(object);
    return code;
}

static int take_object(const git_oid *name, void *data) {
    struct reading *r = data;
    struct oid oid;
    memcpy(oid.bytes, name->id, OID_BYTES);
    bool alive = oid_set_has(r->live, &oid);
    r->all++;
    r->alive += alive;
    if (alive && r->pack)
        r->code = copy(r, name, &oid);
    return r->code;
}

static int read_pack(struct reading *r, const char *stem) {
    AUTO_FREE char *path = NULL;
    git_odb_backend *backend = NULL;
    r->all = r->alive = 0;
    if (asprintf(&path, "%s/objects/pack/%s.idx", r->store->path, stem) < 0) {
        path = NULL;
        return fail_memory(&r->work->error);
    }
    if (git_odb_backend_one_pack(&backend, path) != 0)
        return fail(&r->work->error, AQFS_SNAPSHOT, "A pack cannot be read");
    int failed = backend->foreach (backend, take_object, r);
    backend->free(backend);
    if (failed && !r->code)
        return fail(&r->work->error, AQFS_SNAPSHOT, "A pack cannot be read");
    return r->code;
}

/* -- the whole -----------------------------------------------------------------------------------
 */

static bool is_to_go(const struct reading *r, bool many) {
    return r->alive * 2 < r->all || (many && r->all < SMALL_OBJECTS);
}

/* Moves the names of packs that are to go to the front; how many. */
static int choose(struct reading *r, struct found_packs *f, size_t *chosen) {
    bool many = f->n > SWEEP_PACKS;
    *chosen = 0;
    for (size_t i = 0; i < f->n; i++) {
        char stem[STEM_BYTES];
        int code = read_pack(r, f->stems[i]);
        if (code)
            return code;
        if (!is_to_go(r, many))
            continue;
        memcpy(stem, f->stems[i], STEM_BYTES);
        memcpy(f->stems[i], f->stems[*chosen], STEM_BYTES);
        memcpy(f->stems[(*chosen)++], stem, STEM_BYTES);
    }
    return AQFS_OK;
}

static int copy_live(struct reading *r, const struct found_packs *f, size_t chosen,
                     struct pack *pack) {
    int code = AQFS_OK;
    r->pack = pack;
    for (size_t i = 0; !code && i < chosen; i++)
        code = read_pack(r, f->stems[i]);
    return code ? code : pack_finish(pack, &r->work->error);
}

/* The index first: without it a pack is not looked at. */
static void remove_pack(const struct store *s, const char *stem) {
    static const char *const ends[] = {".idx", ".pack"};
    char name[STEM_BYTES + 8];
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(name, sizeof name, "%s%s", stem, ends[i]);
        (void)unlinkat(s->packs, name, 0);
    }
}

static int rewrite_packs(struct reading *r, struct found_packs *f) {
    struct pack pack;
    size_t chosen;
    int code = choose(r, f, &chosen);
    if (code || chosen == 0)
        return code;
    code = pack_start(&pack, r->store->packs, &r->work->error);
    if (code)
        return code;
    code = copy_live(r, f, chosen, &pack);
    r->pack = NULL;
    bool kept = pack.n > 0;
    char name[STEM_BYTES];
    (void)snprintf(name, sizeof name, "%s", pack.name);
    pack_end(&pack);
    /* The same objects in the same order would have the same name. */
    for (size_t i = 0; !code && i < chosen; i++)
        if (!kept || strcmp(f->stems[i], name) != 0)
            remove_pack(r->store, f->stems[i]);
    return code;
}

int sweep_packs(struct work *work, const struct store *s, const struct oid_set *live) {
    struct found_packs f = {0};
    struct reading r = {.work = work, .store = s, .live = live, .zip = zip_new()};
    (void)state_each(s->packs, take_pack_name, &f);
    int code = f.failed || !r.zip ? fail_memory(&work->error) : rewrite_packs(&r, &f);
    zip_free(r.zip);
    free(f.stems);
    return code;
}

/* snapshot_cache.c -- what files held when they were kept last: see snapshot_cache.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_cache.h"

#include "hash.h"
#include "own_file.h"
#include "snapshot_record.h"

#include <string.h>
#include <unistd.h>

#define CACHE_BYTES_MAX ((size_t)1 << 30)
#define MAGIC "aqfs cache 1\n"

/* The clock of file times advances in ticks: a change within this time of looking at a file may not
 * show in its times. */
#define RACY_NS INT64_C(100000000)

/* The head of the file says what the cache belongs to.  The file ends in the hash of all before. */
struct cache_head {
    char magic[16], id[SNAPSHOT_ID + 3];
    uint64_t device, inode; /* of the root */
};

/* A path of path_len bytes follows. */
struct cache_line {
    int64_t size, modified_ns, changed_ns;
    uint64_t inode;
    uint16_t path_len;
    uint16_t type;
    struct oid oid;
};

static struct cache_head make_cache_head(const struct work *work, const char *id) {
    const struct root *root = &work->ws->roots[0];
    struct cache_head head = {.magic = MAGIC, .device = root->device, .inode = root->inode};
    memcpy(head.id, id, SNAPSHOT_ID);
    return head;
}

static void hash_cache_bytes(const struct buf *bytes, size_t n, char out[HASH_HEX]) {
    struct hash h;
    hash_start(&h);
    hash_add(&h, bytes->data, n);
    hash_end(&h, out);
}

bool cache_holds(const struct store *s, const char *id) {
    struct error ignored;
    return !id[0] || record_check(s, id, &ignored) == AQFS_OK;
}

static bool is_cache_whole(const struct work *work, const struct store *s,
                           const struct buf *bytes) {
    struct cache_head head, wanted;
    char hex[HASH_HEX];
    if (bytes->len < sizeof head + HASH_HEX)
        return false;
    memcpy(&head, bytes->data, sizeof head);
    head.id[SNAPSHOT_ID - 1] = '\0';
    wanted = make_cache_head(work, head.id);
    if (memcmp(&head, &wanted, sizeof head) != 0 || !snapshot_is_id(head.id, strlen(head.id)) ||
        !cache_holds(s, head.id))
        return false;
    hash_cache_bytes(bytes, bytes->len - HASH_HEX, hex);
    return memcmp(hex, bytes->data + bytes->len - HASH_HEX, HASH_HEX) == 0;
}

void cache_load(const struct work *work, const struct store *s, struct cache *out) {
    struct error ignored;
    *out = (struct cache){0};
    if (state_read(s->dir, "cache", CACHE_BYTES_MAX, &out->bytes, &ignored) == AQFS_OK &&
        is_cache_whole(work, s, &out->bytes)) {
        const struct cache_head *head = (const void *)out->bytes.data;
        memcpy(out->id, head->id, SNAPSHOT_ID);
        out->at = sizeof(struct cache_head);
        out->end = out->bytes.len - HASH_HEX;
    }
}

void cache_free(struct cache *cache) {
    buf_free(&cache->bytes);
}

static bool is_line_current(const struct cache_line *line, const struct info *info) {
    return line->size == info->size && line->modified_ns == info->modified_ns &&
           line->changed_ns == info->changed_ns && line->inode == info->inode &&
           line->type == (uint16_t)info->type;
}

static int order_paths(const char *a, size_t a_n, const char *b, size_t b_n) {
    int difference = memcmp(a, b, a_n < b_n ? a_n : b_n);
    return difference ? difference : (a_n > b_n) - (a_n < b_n);
}

bool cache_find(struct cache *cache, const char *path, const struct info *info, struct oid *out) {
    size_t n = strlen(path);
    struct cache_line line;
    while (cache->end - cache->at >= sizeof line) {
        memcpy(&line, cache->bytes.data + cache->at, sizeof line);
        const char *name = cache->bytes.data + cache->at + sizeof line;
        if (line.path_len > cache->end - cache->at - sizeof line)
            return false;
        int which = order_paths(name, line.path_len, path, n);
        if (which > 0)
            return false;
        cache->at += sizeof line + line.path_len;
        if (which == 0) {
            *out = line.oid;
            return is_line_current(&line, info);
        }
    }
    return false;
}

void cache_begin(struct buf *out) {
    struct cache_head room = {0};
    buf_add(out, (const char *)&room, sizeof room);
}

void cache_add(struct buf *out, const char *path, const struct info *info, const struct oid *oid,
               int64_t since_ns) {
    int64_t last = info->modified_ns > info->changed_ns ? info->modified_ns : info->changed_ns;
    if (last > since_ns - RACY_NS)
        return;
    size_t n = strlen(path);
    struct cache_line line;
    memset(&line, 0, sizeof line);
    line.size = info->size;
    line.modified_ns = info->modified_ns;
    line.changed_ns = info->changed_ns;
    line.inode = info->inode;
    line.path_len = (uint16_t)n;
    line.type = (uint16_t)info->type;
    line.oid = *oid;
    buf_add(out, (const char *)&line, sizeof line);
    buf_add(out, path, n);
}

void cache_save(const struct work *work, const struct store *s, const char *id, struct buf *bytes) {
    struct error ignored;
    char hex[HASH_HEX];
    if (bytes->failed)
        return;
    struct cache_head head = make_cache_head(work, id);
    memcpy(bytes->data, &head, sizeof head);
    hash_cache_bytes(bytes, bytes->len, hex);
    buf_add(bytes, hex, sizeof hex);
    if (bytes->failed)
        return;
    /* Unlink first: when a rename replaces a file, ext4 writes the new one to the disk at once, and
     * the next fsync would wait for those megabytes. */
    (void)unlinkat(s->dir, "cache", 0);
    (void)state_replace(s->dir, "cache", bytes->data, bytes->len, false, &ignored);
}

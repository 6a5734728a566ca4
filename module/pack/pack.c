/* pack.c -- many git objects written as one file: see pack.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pack.h"

#include "array.h"
#include "checksum.h"
#include "cleanup.h"
#include "own_file.h"
#include "pack_index.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PENDING_BYTES ((size_t)1 << 20)
#define HEADER_BYTES 12
#define TEMP_PREFIX "tmp_pack_"

/* -- names of objects -------------------------------------------------------------------------- */

void oid_hex(const struct oid *oid, char out[OID_HEX]) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < OID_BYTES; i++) {
        out[2 * i] = digits[oid->bytes[i] >> 4];
        out[2 * i + 1] = digits[oid->bytes[i] & 15];
    }
    out[OID_HEX - 1] = '\0';
}

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool oid_read_hex(const char *hex, struct oid *out) {
    for (size_t i = 0; i < OID_BYTES; i++) {
        int high = digit(hex[2 * i]), low = high < 0 ? -1 : digit(hex[2 * i + 1]);
        if (low < 0)
            return false;
        out->bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* -- which objects there are ------------------------------------------------------------------- */

static bool is_same_object(const void *entries, uint32_t number, const void *wanted) {
    return oid_equal(&((const struct pack_entry *)entries)[number].oid, wanted);
}

static uint64_t hash_object(const void *entries, uint32_t number) {
    return oid_hash(&((const struct pack_entry *)entries)[number].oid);
}

bool pack_has(struct pack *p, const struct oid *oid) {
    pthread_mutex_lock(&p->lock);
    bool found = hash_table_find(&p->table, oid_hash(oid), is_same_object, p->entries, oid) !=
                 HASH_TABLE_NONE;
    pthread_mutex_unlock(&p->lock);
    return found;
}

static bool grow_pack(struct pack *p) {
    struct pack_entry *entries = array_with_room(p->entries, p->n, &p->room, sizeof *entries);
    if (entries)
        p->entries = entries;
    return entries;
}

/* Makes room for one more object, and returns the slot where its number belongs; NULL without
 * memory. */
static uint32_t *take_slot(struct pack *p, const struct oid *oid) {
    if (p->n >= HASH_TABLE_NONE || !grow_pack(p) ||
        !hash_table_grow(&p->table, p->n, hash_object, p->entries))
        return NULL;
    return hash_table_slot(&p->table, oid_hash(oid), is_same_object, p->entries, oid);
}

/* -- writing ----------------------------------------------------------------------------------- */

static int flush(struct pack *p, struct error *e) {
    off_t at = (off_t)(p->size - p->pending.len);
    int error = write_whole(p->fd, p->pending.data, p->pending.len, at);
    buf_clear(&p->pending);
    return error ? fail_errno(e, error, "snapshot") : AQFS_OK;
}

static int open_pack_file(struct pack *p, struct error *e) {
    char random[TEMPORARY_NAME];
    if (!temporary_name(random))
        return fail(e, AQFS_IO, "No random name could be made: getrandom failed");
    (void)snprintf(p->temp, sizeof p->temp, TEMP_PREFIX "%s", random + 6);
    do {
        p->fd = openat(p->dir, p->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
    } while (p->fd < 0 && errno == EINTR);
    if (p->fd < 0)
        return fail_errno(e, errno, "snapshot");
    static const char header[HEADER_BYTES] = "PACK\0\0\0\2"; /* complete adds the count */
    buf_add(&p->pending, header, HEADER_BYTES);
    p->size = HEADER_BYTES;
    return AQFS_OK;
}

int pack_start(struct pack *p, int dir, struct error *e) {
    *p = (struct pack){.dir = dir, .fd = -1};
    return pthread_mutex_init(&p->lock, NULL) == 0 ? AQFS_OK : fail_memory(e);
}

void pack_end(struct pack *p) {
    if (p->fd >= 0) {
        cleanup_close(&p->fd);
        (void)unlinkat(p->dir, p->temp, 0);
    }
    buf_free(&p->pending);
    free(p->entries);
    hash_table_close(&p->table);
    pthread_mutex_destroy(&p->lock);
}

/* Writes git's header of an entry: the type and the size, seven bits at a time, but four in the
 * first byte. */
static size_t entry_header(enum object_type type, size_t size, char out[16]) {
    size_t n = 0;
    unsigned char byte = (unsigned char)((unsigned)type << 4 | (size & 15));
    for (size >>= 4; size; size >>= 7) {
        out[n++] = (char)(byte | 0x80);
        byte = size & 0x7F;
    }
    out[n++] = (char)byte;
    return n;
}

/* Call with the lock held. */
static int append_object(struct pack *p, const struct pack_entry *entry, const char *header,
                         size_t n, const struct buf *zipped, struct error *e) {
    uint32_t *slot = take_slot(p, &entry->oid);
    if (!slot)
        return fail_memory(e);
    if (*slot)
        return AQFS_OK;
    int code = p->fd < 0 ? open_pack_file(p, e) : AQFS_OK;
    if (code)
        return code;
    p->entries[p->n] = *entry;
    p->entries[p->n++].offset = p->size;
    *slot = (uint32_t)p->n;
    buf_add(&p->pending, header, n);
    buf_add(&p->pending, zipped->data, zipped->len);
    if (p->pending.failed)
        return fail_memory(e);
    p->size += n + zipped->len;
    return p->pending.len >= PENDING_BYTES ? flush(p, e) : AQFS_OK;
}

int pack_add(struct pack *p, const struct oid *oid, enum object_type type, size_t size,
             const struct buf *zipped, struct error *e) {
    char header[16];
    size_t n = entry_header(type, size, header);
    if (zipped->failed)
        return fail_memory(e);
    uint32_t crc = libdeflate_crc32(0, header, n);
    struct pack_entry entry = {.oid = *oid,
                               .crc = libdeflate_crc32(crc, zipped->data, zipped->len)};
    pthread_mutex_lock(&p->lock);
    int code = append_object(p, &entry, header, n, zipped, e);
    pthread_mutex_unlock(&p->lock);
    return code;
}

/* -- finishing --------------------------------------------------------------------------------- */

static int sum_file(const struct pack *p, unsigned char out[OID_BYTES], struct error *e) {
    AUTO_FREE char *block = malloc(PENDING_BYTES);
    SHA_CTX sum;
    if (!block)
        return fail_memory(e);
    (void)SHA1_Init(&sum);
    for (uint64_t at = 0; at < p->size;) {
        ssize_t n = pread(p->fd, block, PENDING_BYTES, (off_t)at);
        if (n == 0 || (n < 0 && errno != EINTR))
            return fail_errno(e, n ? errno : EIO, "snapshot");
        if (n > 0) {
            (void)SHA1_Update(&sum, block, (size_t)n);
            at += (uint64_t)n;
        }
    }
    (void)SHA1_Final(out, &sum);
    return AQFS_OK;
}

/* Writes the number of objects into the header and the checksum at the end, and syncs the file. */
static int complete(struct pack *p, struct oid *sum, struct error *e) {
    unsigned char count[4];
    int code = flush(p, e);
    if (code)
        return code;
    for (int i = 0; i < 4; i++)
        count[i] = (unsigned char)(p->n >> (24 - 8 * i));
    int error = write_whole(p->fd, (const char *)count, sizeof count, 8);
    if (error)
        return fail_errno(e, error, "snapshot");
    code = sum_file(p, sum->bytes, e);
    if (code)
        return code;
    error = write_whole(p->fd, (const char *)sum->bytes, OID_BYTES, (off_t)p->size);
    if (!error && fsync(p->fd) != 0)
        error = errno;
    return error ? fail_errno(e, error, "snapshot") : AQFS_OK;
}

/* Names the index last: without it, git ignores the pack. */
static int name_it(struct pack *p, const struct oid *sum, struct error *e) {
    char hex[OID_HEX], name[OID_HEX + 16];
    oid_hex(sum, hex);
    int code = pack_index_write(p->dir, p->temp, p->entries, p->n, sum, e);
    if (code)
        return code;
    (void)snprintf(p->name, sizeof p->name, "pack-%s", hex);
    (void)snprintf(name, sizeof name, "%s.pack", p->name);
    int error = renameat(p->dir, p->temp, p->dir, name) == 0 ? 0 : errno;
    if (!error)
        cleanup_close(&p->fd);
    return error ? fail_errno(e, error, "snapshot") : pack_index_name(p->dir, p->temp, hex, e);
}

int pack_finish(struct pack *p, struct error *e) {
    struct oid sum;
    if (p->fd < 0)
        return AQFS_OK;
    int code = complete(p, &sum, e);
    return code ? code : name_it(p, &sum, e);
}

static void remove_temporary_pack(void *data, int dir, const char *name) {
    (void)data;
    if (strncmp(name, TEMP_PREFIX, strlen(TEMP_PREFIX)) == 0)
        (void)unlinkat(dir, name, 0);
}

void pack_sweep(int dir) {
    (void)state_each(dir, remove_temporary_pack, NULL);
}

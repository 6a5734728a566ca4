/* pack_index.c -- the index of a pack: see pack_index.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pack_index.h"

#include "checksum.h"
#include "cleanup.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Offsets from here on stand in a table of their own, of eight bytes each. */
#define LARGE UINT64_C(0x80000000)

static void add_number(struct buf *out, uint64_t number, int bytes) {
    for (int i = bytes - 1; i >= 0; i--)
        buf_char(out, (char)(number >> (8 * i) & 0xFF));
}

static int by_oid(const void *a, const void *b) {
    const struct pack_entry *x = a, *y = b;
    return memcmp(x->oid.bytes, y->oid.bytes, OID_BYTES);
}

/* For each byte, the number of objects whose names begin with that byte or a lower one. */
static void add_fanout(struct buf *out, const struct pack_entry *entries, size_t n) {
    size_t at = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        while (at < n && entries[at].oid.bytes[0] <= byte)
            at++;
        add_number(out, at, 4);
    }
}

static void add_offsets(struct buf *out, const struct pack_entry *entries, size_t n) {
    uint64_t large = 0;
    for (size_t i = 0; i < n; i++)
        add_number(out, entries[i].offset < LARGE ? entries[i].offset : LARGE | large++, 4);
    for (size_t i = 0; i < n; i++)
        if (entries[i].offset >= LARGE)
            add_number(out, entries[i].offset, 8);
}

static void add_index(struct buf *out, struct pack_entry *entries, size_t n,
                      const struct oid *pack_sum) {
    SHA_CTX sum;
    unsigned char end[OID_BYTES];
    if (n > 0)
        qsort(entries, n, sizeof *entries, by_oid);
    buf_add(out, "\377tOc\0\0\0\2", 8);
    add_fanout(out, entries, n);
    for (size_t i = 0; i < n; i++)
        buf_add(out, (const char *)entries[i].oid.bytes, OID_BYTES);
    for (size_t i = 0; i < n; i++)
        add_number(out, entries[i].crc, 4);
    add_offsets(out, entries, n);
    buf_add(out, (const char *)pack_sum->bytes, OID_BYTES);
    (void)SHA1_Init(&sum);
    (void)SHA1_Update(&sum, out->data, out->len);
    (void)SHA1_Final(end, &sum);
    buf_add(out, (const char *)end, sizeof end);
}

static void index_name(const char *temp, char out[80]) {
    (void)snprintf(out, 80, "%s.idx", temp);
}

int pack_index_write(int dir, const char *temp, struct pack_entry *entries, size_t n,
                     const struct oid *pack_sum, struct error *e) {
    AUTO(buf_free) struct buf index = {0};
    char name[80];
    index_name(temp, name);
    add_index(&index, entries, n, pack_sum);
    return index.failed ? fail_memory(e) : state_make(dir, name, index.data, index.len, e);
}

int pack_index_name(int dir, const char *temp, const char *hex, struct error *e) {
    char old[80], name[OID_HEX + 16];
    index_name(temp, old);
    (void)snprintf(name, sizeof name, "pack-%s.idx", hex);
    if (renameat(dir, old, dir, name) != 0 || fsync(dir) != 0)
        return fail_errno(e, errno, "snapshot");
    return AQFS_OK;
}

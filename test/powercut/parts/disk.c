/* disk.c -- what is on the disks: see disk.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "disk.h"

#include "buf.h"
#include "die.h"
#include "files.h"
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static void *grown(void *array, size_t n, size_t size) {
    /* Doubled at powers of two. */
    if (n & (n - 1))
        return array;
    void *out = realloc(array, (n ? 2 * n : 1) * size);
    if (!out)
        die("no memory");
    return out;
}

static const char *hold(struct disk *d, char *bytes) {
    d->held = grown(d->held, d->held_n, sizeof *d->held);
    d->held[d->held_n++] = bytes;
    return bytes;
}

/* -- numbers ------------------------------------------------------------------------------------
 */

static size_t add_file(struct disk *d, uint64_t inode) {
    d->files = grown(d->files, d->files_n, sizeof *d->files);
    d->files[d->files_n] = (struct file){.inode = inode, .bytes = ""};
    return d->files_n++;
}

size_t disk_file(struct disk *d, uint64_t inode) {
    if (!inode)
        return NOTHING;
    for (size_t i = TOP; i < d->files_n; i++)
        if (d->files[i].inode == inode)
            return i;
    return add_file(d, inode);
}

size_t disk_slot(struct disk *d, size_t directory, const char *name) {
    for (size_t i = 0; i < d->slots_n; i++)
        if (d->slots[i].directory == directory && strcmp(d->slots[i].name, name) == 0)
            return i;
    d->slots = grown(d->slots, d->slots_n, sizeof *d->slots);
    const char *kept = hold(d, path_of("%s", name));
    d->slots[d->slots_n] = (struct slot){.directory = directory, .name = kept};
    return d->slots_n++;
}

/* -- what is there ------------------------------------------------------------------------------
 */

static void scan_content(struct disk *d, struct file *f, const char *path) {
    struct buf bytes = {0};
    if (S_ISLNK(f->mode)) {
        must(buf_reserve(&bytes, 4096), "memory");
        ssize_t n = readlink(path, bytes.data, 4096);
        must(n >= 0, path);
        bytes.data[n] = '\0';
        bytes.len = (size_t)n;
    } else if (S_ISREG(f->mode)) {
        read_whole(path, &bytes);
    }
    if (bytes.len > 0) {
        f->bytes = hold(d, bytes.data);
        f->n = bytes.len;
    } else {
        buf_free(&bytes);
    }
}

static void scan_attributes(struct disk *d, struct file *f, const char *path) {
    char names[512], value[512];
    ssize_t n = llistxattr(path, names, sizeof names);
    for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
        ssize_t size = lgetxattr(path, name, value, sizeof value);
        char *copy = size > 0 ? malloc((size_t)size) : NULL;
        if (!copy)
            continue;
        memcpy(copy, value, (size_t)size);
        disk_attribute(f, hold(d, path_of("%s", name)), hold(d, copy), (size_t)size);
    }
}

static void scan_entry(struct disk *d, size_t directory, const char *name, const char *path) {
    struct stat s;
    if (lstat(path, &s) != 0)
        return;
    size_t number = disk_file(d, shown_inode(s.st_ino));
    size_t slot = disk_slot(d, directory, name);
    d->slots[slot].file = number;
    struct file *f = &d->files[number];
    f->mode = s.st_mode;
    f->owner = s.st_uid;
    f->group = s.st_gid;
    f->modified_ns = s.st_mtim.tv_sec * INT64_C(1000000000) + s.st_mtim.tv_nsec;
    scan_content(d, f, path);
    scan_attributes(d, f, path);
    struct names names = S_ISDIR(s.st_mode) ? names_below(path) : (struct names){0};
    for (size_t i = 0; i < names.n; i++) {
        char *below = path_of("%s/%s", path, names.names[i]);
        scan_entry(d, number, names.names[i], below);
        free(below);
    }
    free_names(&names);
}

void disk_scan(struct disk *out) {
    struct stat s;
    *out = (struct disk){0};
    must(stat(".", &s) == 0, "stat");
    (void)add_file(out, 0);
    size_t top = add_file(out, shown_inode(s.st_ino));
    out->files[top].mode = S_IFDIR | 0700;
    scan_entry(out, TOP, "root", "root");
    scan_entry(out, TOP, "state", "state");
}

void disk_free(struct disk *d) {
    for (size_t i = 0; i < d->held_n; i++)
        free(d->held[i]);
    free(d->held);
    free(d->files);
    free(d->slots);
    *d = (struct disk){0};
}

/* -- changing it --------------------------------------------------------------------------------
 */

void disk_copy(const struct disk *from, struct disk *out) {
    *out = (struct disk){.files_n = from->files_n, .slots_n = from->slots_n};
    out->files = malloc(from->files_n * sizeof *out->files);
    out->slots = malloc(from->slots_n * sizeof *out->slots);
    if (!out->files || !out->slots)
        die("no memory");
    memcpy(out->files, from->files, from->files_n * sizeof *out->files);
    memcpy(out->slots, from->slots, from->slots_n * sizeof *out->slots);
}

void disk_end_copy(struct disk *d) {
    for (size_t i = 0; i < d->files_n; i++)
        free(d->files[i].own);
    free(d->files);
    free(d->slots);
    *d = (struct disk){0};
}

void disk_resize(struct file *f, size_t size) {
    char *own = realloc(f->own, size + 1);
    if (!own)
        die("no memory");
    if (!f->own)
        memcpy(own, f->bytes, f->n < size ? f->n : size);
    if (size > f->n)
        memset(own + f->n, 0, size - f->n);
    f->bytes = f->own = own;
    f->n = size;
}

void disk_write(struct file *f, size_t offset, const char *bytes, size_t n) {
    disk_resize(f, offset + n > f->n ? offset + n : f->n);
    memcpy(f->own + offset, bytes, n);
}

void disk_attribute(struct file *f, const char *name, const char *value, size_t n) {
    size_t i = 0;
    while (i < f->attributes_n && strcmp(f->attributes[i].name, name) != 0)
        i++;
    if (i == ATTRIBUTES_MOST)
        die("more than %d attributes", ATTRIBUTES_MOST);
    f->attributes[i] = (struct attribute){name, value, n};
    f->attributes_n = i == f->attributes_n ? i + 1 : f->attributes_n;
}

/* -- comparing and showing it -------------------------------------------------------------------
 */

static uint64_t mix(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number) {
    return (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
}

static uint64_t hash_file(uint64_t hash, const struct file *f) {
    const uint64_t facts[] = {f->mode, f->owner, f->group, (uint64_t)f->modified_ns, f->n};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        hash = mix_number(hash, facts[i]);
    for (size_t i = 0; i < f->attributes_n; i++) {
        hash = mix(hash, f->attributes[i].name, strlen(f->attributes[i].name));
        hash = mix(hash, f->attributes[i].value, f->attributes[i].n);
    }
    return mix(hash, f->bytes, f->n);
}

static bool reach(const struct disk *d, bool *reached) {
    bool more = false;
    for (size_t i = 0; i < d->slots_n; i++) {
        const struct slot *slot = &d->slots[i];
        if (slot->file && reached[slot->directory] && !reached[slot->file])
            more = reached[slot->file] = true;
    }
    return more;
}

uint64_t disk_hash(const struct disk *d) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    bool *reached = calloc(d->files_n, sizeof *reached);
    if (!reached)
        die("no memory");
    reached[TOP] = true;
    while (reach(d, reached))
        ;
    for (size_t i = 0; i < d->slots_n; i++)
        if (reached[d->slots[i].directory])
            hash = mix_number(hash, d->slots[i].file);
    for (size_t i = TOP + 1; i < d->files_n; i++)
        if (reached[i])
            hash = hash_file(mix_number(hash, i), &d->files[i]);
    free(reached);
    return hash;
}

char *disk_path(const struct disk *d, size_t slot) {
    const struct slot *s = &d->slots[slot];
    if (s->directory == TOP)
        return path_of("%s", s->name);
    for (size_t i = 0; i < d->slots_n; i++)
        if (d->slots[i].file == s->directory) {
            char *above = disk_path(d, i), *path = path_of("%s/%s", above, s->name);
            free(above);
            return path;
        }
    return path_of("(lost)/%s", s->name);
}

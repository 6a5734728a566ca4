/* SPDX-License-Identifier: MIT */
/* disk.c -- a file as it is on disk: its bytes, mode, owner and extended attributes: see disk.h. */
#include "disk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

void disk_free(struct on_disk *s) {
    buf_free(&s->bytes);
    buf_free(&s->attributes);
}

bool read_fd(int fd, struct buf *out, size_t most) {
    char block[65536];
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) > 0 && out->len + (size_t)n <= most)
        buf_add(out, block, (size_t)n);
    return n == 0;
}

static void read_attributes(int fd, struct on_disk *s) {
    char names[4096], value[4096];
    ssize_t n = flistxattr(fd, names, sizeof names);
    for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
        ssize_t len = fgetxattr(fd, name, value, sizeof value);
        if (len < 0)
            continue;
        buf_printf(&s->attributes, "%s %zd ", name, len);
        buf_add(&s->attributes, value, (size_t)len);
        s->attribute_count++;
    }
}

bool disk_take(const char *path, struct on_disk *s) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &s->stat) == 0 && read_fd(fd, &s->bytes, (size_t)1 << 30);
    if (ok)
        read_attributes(fd, s);
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

bool same_bytes(const struct buf *a, const struct buf *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

const char *disk_difference(const struct on_disk *a, const struct on_disk *b, bool bytes_too) {
    if (bytes_too && !same_bytes(&a->bytes, &b->bytes))
        return "its bytes differ";
    if (a->stat.st_mode != b->stat.st_mode)
        return "its mode differs";
    if (a->stat.st_uid != b->stat.st_uid || a->stat.st_gid != b->stat.st_gid)
        return "its owner differs";
    return same_bytes(&a->attributes, &b->attributes) ? NULL : "its attributes differ";
}

/* user::rw-, user:1:r--, group::r--, mask::rw-, other::---: as the kernel takes it. */
static const unsigned char acl[] = {2,    0, 0, 0,                         //
                                    0x01, 0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    0x02, 0, 4, 0, 1,    0,    0,    0,    //
                                    0x04, 0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    0x10, 0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    0x20, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};

static void set_acl(int fd) {
    (void)fsetxattr(fd, "system.posix_acl_access", acl, sizeof acl, 0);
}

bool dress(int fd, size_t number) {
    static const mode_t modes[] = {0644, 0600, 0755, 0664, 0640, 0711, 0444};
    bool ok = true;
    if (geteuid() == 0)
        ok = fchown(fd, (uid_t)(number % 5), (gid_t)(number % 7)) == 0;
    if (number % 3 == 0)
        (void)fsetxattr(fd, "user.origin", &number, sizeof number, 0);
    if (number % 4 == 0)
        (void)fsetxattr(fd, "user.empty", "", 0, 0);
    ok = fchmod(fd, modes[number % (sizeof modes / sizeof *modes)]) == 0 && ok;
    if (number % 5 == 0)
        set_acl(fd);
    return ok;
}

/* fence.c -- a fence around a command: see fence.h.
 *
 * The kernel says how far its Landlock goes, and each level is used as far as that: 2 has moves
 * between directories, 3 truncation, 4 TCP, 5 ioctls of devices, 6 abstract sockets and signals.
 * The numbers are those of the kernel's interface; the header of an old system does not have all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fence.h"

#include "buf.h"
#include "cleanup.h"
#include "filter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define ASK_FOR_LEVEL 1U
#define RULE_OF_A_PATH 1

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_MAKE_CHAR = 1 << 6,
    FS_MAKE_BLOCK = 1 << 11,
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_IOCTL_DEV = 1 << 15,
    FS_FIRST_LEVEL = FS_REFER - 1,
    TCP_BIND = 1 << 0,
    TCP_CONNECT = 1 << 1,
    SCOPE_ABSTRACT_SOCKETS = 1 << 0,
    SCOPE_SIGNALS = 1 << 1,
};

#define OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define TO_READ (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define TO_WRITE                                                                                   \
    ((FS_FIRST_LEVEL | FS_REFER | FS_TRUNCATE) & ~(unsigned)(FS_MAKE_CHAR | FS_MAKE_BLOCK))

struct fence_attributes {
    uint64_t files, net, scoped;
};

struct fence_path {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

struct fence {
    const struct reach_rules *rules;
    uint64_t handled;
    int fd;
};

int fence_level(void) {
    long level = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_FOR_LEVEL);
    return level < 0 ? 0 : (int)level;
}

static struct fence_attributes attributes_of_level(int level) {
    struct fence_attributes all = {.files = FS_FIRST_LEVEL};
    if (level >= 2)
        all.files |= FS_REFER;
    if (level >= 3)
        all.files |= FS_TRUNCATE;
    if (level >= 4)
        all.net = TCP_BIND | TCP_CONNECT;
    if (level >= 5)
        all.files |= FS_IOCTL_DEV;
    if (level >= 6)
        all.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
    return all;
}

static size_t size_of_level(int level) {
    return level < 4   ? offsetof(struct fence_attributes, net)
           : level < 6 ? offsetof(struct fence_attributes, scoped)
                       : sizeof(struct fence_attributes);
}

/* -- rules ------------------------------------------------------------------------------------- */

static bool fence_allow(const struct fence *f, int fd, bool directory, unsigned rights) {
    const struct fence_path rule = {
        .allowed = (directory ? rights : rights & OF_FILES) & f->handled, .parent = fd};
    return !rule.allowed || syscall(SYS_landlock_add_rule, f->fd, RULE_OF_A_PATH, &rule, 0U) == 0;
}

static unsigned rights_of(enum reachable reach) {
    return reach == REACH_WRITING ? TO_WRITE : reach == REACH_READING ? TO_READ : 0;
}

static bool fence_tree(const struct fence *f, int fd, struct buf *path, enum reachable reach);

/* Links are left out, because they may lead elsewhere soon; their targets have rules of their own.
 */
static bool fence_entry(const struct fence *f, int directory, const char *name, struct buf *path,
                        enum reachable reach) {
    const struct reach_rule *own = reach_rule_at(f->rules, path->data, path->len);
    struct stat info;
    if (own)
        reach = own->reach;
    AUTO_CLOSE int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || S_ISLNK(info.st_mode))
        return true;
    return fence_tree(f, fd, path, reach);
}

static bool fence_entries(const struct fence *f, int fd, struct buf *path, enum reachable reach) {
    size_t length = path->len;
    int listing = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = listing < 0 ? NULL : fdopendir(listing);
    bool good = true;
    if (!directory) {
        cleanup_close(&listing);
        return true; /* the command cannot list it either */
    }
    for (struct dirent *entry; good && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        buf_printf(path, "%s%s", length > 1 ? "/" : "", entry->d_name);
        good = !path->failed && fence_entry(f, fd, entry->d_name, path, reach);
        path->len = length;
    }
    (void)closedir(directory);
    return good;
}

static bool fence_tree(const struct fence *f, int fd, struct buf *path, enum reachable reach) {
    struct stat info;
    bool directory = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    struct reach_below below = reach_below_of(f->rules, path->data, path->len);
    if (!directory || !below.any)
        return fence_allow(f, fd, directory, rights_of(reach));
    unsigned rights = reach == REACH_NOTHING    ? 0
                      : !below.hidden           ? TO_READ
                      : !below.hidden_directory ? FS_READ_DIR
                                                : 0;
    return fence_allow(f, fd, true, rights) && fence_entries(f, fd, path, reach);
}

/* A tree that may be written is named by its true name; a link there was put in its place. */
static int open_reached(const struct reach_rule *rule) {
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                                 .resolve = rule->reach == REACH_WRITING ? RESOLVE_NO_SYMLINKS : 0};
    return (int)syscall(SYS_openat2, AT_FDCWD, rule->path, &how, sizeof how);
}

static bool fence_rule(const struct fence *f, const struct reach_rule *rule) {
    AUTO(buf_free) struct buf path = {0};
    AUTO_CLOSE int fd = open_reached(rule);
    if (fd < 0)
        return errno != ELOOP && errno != ENOSYS;
    buf_str(&path, rule->path);
    return !path.failed && fence_tree(f, fd, &path, rule->reach);
}

static bool fence_device(const struct fence *f, const char *name) {
    AUTO_CLOSE int fd = open(name, O_PATH | O_CLOEXEC);
    return fd < 0 || fence_allow(f, fd, false, FS_READ_FILE | FS_WRITE_FILE | FS_IOCTL_DEV);
}

static bool fence_devices(const struct fence *f, const char *terminal) {
    static const char *const devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                          "/dev/random", "/dev/urandom", "/dev/tty"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (!fence_device(f, devices[i]))
            return false;
    return !terminal[0] || fence_device(f, terminal);
}

int fence_build(const struct reach_rules *rules, const char *terminal) {
    int level = fence_level();
    const struct fence_attributes attributes = attributes_of_level(level);
    if (level == 0)
        return -1;
    struct fence f = {.rules = rules, .handled = attributes.files};
    f.fd = (int)syscall(SYS_landlock_create_ruleset, &attributes, size_of_level(level), 0U);
    if (f.fd < 0)
        return -1;
    bool good = fence_devices(&f, terminal);
    for (size_t i = 0; good && i < rules->n; i++)
        good = reach_is_inner(rules, &rules->at[i]) || fence_rule(&f, &rules->at[i]);
    if (good)
        return f.fd;
    int errnum = errno;
    (void)close(f.fd);
    errno = errnum;
    return -1;
}

/* -- behind it --------------------------------------------------------------------------------- */

static bool drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    for (unsigned long each = 0; each <= CAP_LAST_CAP; each++)
        (void)prctl(PR_CAPBSET_DROP, each, 0UL, 0UL, 0UL); /* only root may, and needs it */
    return syscall(SYS_capset, &header, none) == 0;
}

bool fence_enter(int fd) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 && drop_capabilities() &&
           syscall(SYS_landlock_restrict_self, fd, 0U) == 0 && filter_enter(fence_level());
}

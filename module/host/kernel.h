/* kernel.h -- the system calls that not every Linux has, and that sandboxes forbid.
 *
 * No other file of the core asks for them.  A call may be unknown to the headers that we are
 * compiled with, and unknown to the kernel that we run on (ENOSYS): an old one, gVisor, a processor
 * that is emulated.  The filters of containers answer EPERM to a call that is newer than they are.
 * All of this has one answer here: what is said below, or -ENOSYS.  Callers then do without the
 * call; doc/threats.org, "A kernel that lacks something", says how, and which promises are weaker
 * then.
 *
 * AQFS_WITHOUT_OPENAT2, _STATX, _MOUNT_ID, _GETDENTS64, _RENAMEAT2, _LEASES, _SYNCFS,
 * _COPY_FILE_RANGE, _SYNC_FILE_RANGE and _FACCESSAT2 compile as if the headers did not know it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_KERNEL_H
#define AQFS_KERNEL_H

#include "backend.h"

/* openat2: a descriptor for PATH below DIR, no component of which is a link (or on another mount,
 * unless CROSS_MOUNTS); or -errno.  -ENOSYS: the caller must walk.  FLAGS as for open. */
int kernel_open_beneath(int dir, const char *path, int flags, bool cross_mounts);

/* statx, or else fstatat: looks at the entry NAME of DIRECTORY itself, never at a link's target, or
 * at DIRECTORY when NAME is NULL.  -errno on failure.  Where the kernel does not tell
 * everything, created_ns is TIME_UNKNOWN and mount is 0: ask kernel_mount. */
int kernel_stat_at(int directory, const char *name, struct info *out);
int kernel_stat(int descriptor, struct info *out);

/* The mount that DESCRIPTOR is on: 0, or -errno; INFO is what kernel_stat told of it.  Where
 * neither statx nor /proc tells, its file system, so that two mounts of one file system seem to be
 * the same. Where /proc tells but cannot be read now, an error, which no caller takes for another
 * mount. */
int kernel_mount(int descriptor, const struct info *info, uint64_t *out);

/* getdents64: bytes, 0 at the end, or -errno. */
long kernel_list(int dir, void *block, size_t n);

/* renameat2: 0, or an errno value.  ENOSYS: the kernel cannot, or not on this file system. */
int kernel_rename(int from, const char *name, int to, const char *new_name, enum rename_kind kind);

/* Leases: host_guard and host_guard_holds. */
enum guard_state kernel_lease(int file);
bool kernel_lease_holds(int file);

/* syncfs, where it is allowed and reports what went wrong. */
bool kernel_has_syncfs(void);
/* 0, or an errno value. */
int kernel_syncfs(int descriptor);

/* copy_file_range: the bytes that were copied from *OFFSET of FROM, which moves on, 0 at the end,
 * or -errno.  -ENOSYS: the kernel cannot, or not between these two. */
ssize_t kernel_copy(int from, off_t *offset, int to);

/* sync_file_range: begins to write the file to disk, and does not wait. */
void kernel_start_writing(int file);

/* faccessat2: may the process read, or write to, what DESCRIPTOR is open on? */
bool kernel_may(int descriptor, bool write);

#endif

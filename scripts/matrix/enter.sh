#!/bin/sh
# SPDX-License-Identifier: MIT
# enter.sh SYSTEM USER COMMAND -- has USER log in to the Debian system in the directory SYSTEM and
# run COMMAND, a line of shell, as if that machine had just been started for it.
#
# Processes and mounts are of the system's own and end with the command.  $ARCHIVES is a directory
# in which packages that were downloaded are kept.  Only root can do this.
set -eu

if [ "${INSIDE:-}" != yes ]; then
    INSIDE=yes exec unshare --mount --pid --ipc --fork --kill-child --mount-proc="$1/proc" \
        sh "$0" "$@"
fi
system=$1 user=$2 command=$3

# This machine's devices, but terminals and shared memory of the system's own.
mount -t tmpfs -o mode=755 tmpfs "$system/dev"
for device in null zero full random urandom tty fuse; do
    [ -c "/dev/$device" ] || continue
    : >"$system/dev/$device"
    mount --bind "/dev/$device" "$system/dev/$device"
done
mkdir "$system/dev/pts" "$system/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$system/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm"
ln -s pts/ptmx "$system/dev/ptmx"
ln -s /proc/self/fd "$system/dev/fd"
for stream in in:0 out:1 err:2; do
    ln -s "fd/${stream#*:}" "$system/dev/std${stream%:*}"
done
mount --rbind /sys "$system/sys"
mount -t tmpfs -o mode=755 tmpfs "$system/run"
mkdir -m 1777 "$system/run/lock"

# Temporary files do not outlive a start; since Debian 13 they are in memory.
find "$system/tmp" -mindepth 1 -delete
case $(cat "$system/etc/debian_version") in
12*) ;;
*) mount -t tmpfs -o mode=1777 tmpfs "$system/tmp" ;;
esac

if [ -n "${ARCHIVES:-}" ]; then
    mount --bind "$ARCHIVES" "$system/var/cache/apt/archives"
fi

# In a chroot nobody may make a user namespace; the root of a mount namespace is no chroot.
mount --rbind "$system" "$system"
cd "$system"
pivot_root . mnt
umount --lazy /mnt
mount --make-rshared / # as systemd does, and as podman wants it

# Not `exec': the first process of a system has orphans to bury, and a shell does.
cd /
env -i PATH="$PATH" su - "$user" -c "$command" </dev/null

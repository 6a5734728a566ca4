#!/bin/sh
# SPDX-License-Identifier: MIT
# base.sh 12|13|testing -- prints the directory of a minimal Debian system with git and make.
#
# It is made with debootstrap from the mirror that this machine's apt uses ($MIRROR is another), and
# kept below $CACHE.  One that is older than a day is brought up to date first.  Where no such
# system can be had, it says why on standard error, and the exit status is 3.
set -eu

case $1 in
12) suite=bookworm ;;
13) suite=trixie ;;
*) suite=$1 ;;
esac
base=$CACHE/$1
export ARCHIVES="$CACHE/$1.archives"
here=$(dirname "$0")

cannot() {
    echo "matrix: cannot make a Debian $system: $*" >&2
    exit 3
}
system=$1

[ "$(id -u)" -eq 0 ] || cannot "only root can"
sh scripts/deps.sh matrix >&2 || cannot "debootstrap is not to be had"
unshare --mount --pid --ipc --fork true 2>"$CACHE/unshare.log" ||
    cannot "this machine allows no mounts: $(cat "$CACHE/unshare.log")"

bootstrap() {
    mirror=${MIRROR:-$(sh scripts/mirror.sh | cut -d ' ' -f 1)}
    [ -n "$mirror" ] || cannot "apt names no mirror of Debian here; say MIRROR=..."
    rm -rf "$base.new"
    debootstrap --variant=minbase --include=git,make "$suite" "$base.new" "$mirror" >"$base.log" 2>&1 ||
        cannot "debootstrap failed: $(tail -n 1 "$base.log")"
    cp /etc/resolv.conf "$base.new/etc/"
    echo "127.0.0.1 localhost" >"$base.new/etc/hosts" # as every installer does
    # Packages come the way they come to this machine.
    apt-config dump | grep -E '^Acquire::(.*Proxy|Check-Valid-Until) ' >"$base.new/etc/apt/apt.conf.d/here" || :
    mv "$base.new" "$base"
}

update() {
    sh "$here/enter.sh" "$base" root 'export DEBIAN_FRONTEND=noninteractive
        apt-get -qq -o APT::Update::Error-Mode=any update &&
        apt-get -qq --yes dist-upgrade' >"$base.log" 2>&1 ||
        cannot "it could not be brought up to date: $(tail -n 1 "$base.log")"
    touch "$base.updated"
}

mkdir -p "$ARCHIVES"
exec 9>"$base.lock"
flock 9
[ -d "$base" ] || bootstrap
find "$base.updated" -mtime -1 2>/dev/null | grep -q . || update
echo "$base"

#!/bin/sh
# SPDX-License-Identifier: MIT
# arch.sh ARCH bundle -- makes the bundle for machines of another architecture of Debian, such as arm64,
# and has it say its version.
# arch.sh ARCH -- runs the C tests, and the campaigns that follow, on another architecture of Debian,
# emulated by qemu: arm64, whose characters are unsigned; s390x, whose numbers begin with their
# highest byte.
#
# Needs no root, and changes nothing on this machine: the architecture's libraries are unpacked into
# $BUILD/arch/ARCH/root, and the programs are linked to name them there.  Programs that the tests
# start (git, sh) are those of this machine.  T is a part of the names of the tests to run.
#
# Not run are Emacs, Lisp, the tests as nobody, fuzzers, and the campaigns of faults and races.
# The tests find out what qemu cannot do, and skip it with that reason: seccomp filters and strace.
# Without openat2 in qemu both resolvers are the fallback.
set -eu

campaigns="test/conformance test/agree test/exact test/hints test/patch"

arch=$1
own=$BUILD/arch/$arch
root=$PWD/$own/root

gnu() { dpkg-architecture -a"$arch" -q"DEB_HOST_$1" 2>/dev/null; }
triplet=$(gnu MULTIARCH)
cpu=$(gnu GNU_CPU)

# ---- The libraries

# The packages that building the module needs, and what these need, of this machine's release.
unpack() {
    packages=$(awk -F'[|]' '/^(header|library)/ && !/emacs-module/ { print $2 }' module/packages)
    where=$(sh scripts/mirror.sh)
    [ -n "$where" ] || { echo "arch: apt names no mirror for this release" >&2 && exit 1; }
    work=$(mktemp -d "${TMPDIR:-/tmp}/arch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    chmod 755 "$work" # for the user _apt
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/empty"
    : >"$work/status"
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f "$keyring" ] && signed="signed-by=$keyring" || signed=
    echo "deb [arch=$arch $signed] $where main" >"$work/sources.list"
    apt() {
        apt-get -qq -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" \
            -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
            -o Dir::State="$work" -o Dir::State::status="$work/status" -o Dir::Cache="$work" \
            -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
            -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
    }
    apt update
    # shellcheck disable=SC2086 # words
    apt --yes --download-only --no-install-recommends install libgcc-s1 $packages >&2
    rm -rf "$root.new"
    mkdir -p "$root.new/usr/lib"
    ln -s usr/lib "$root.new/lib"
    for package in "$work"/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -xf - -C "$root.new" --keep-directory-symlink --no-same-owner
    done
    mv "$root.new" "$root"
}

[ -d "$root" ] || { echo "  GET  $arch" && unpack; }

# ---- The programs

make_for_arch() { # LDFLAGS TARGET...
    flags=$1
    shift
    PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig \
        $MAKE BUILD="$own" CC="$triplet-gcc --sysroot=$root" AR="$triplet-ar" \
        EMACS_INCLUDE="$own/include" T= LDFLAGS="$flags" "$@"
}

# The one header of Emacs, without those of this machine beside it.
emacs=$(dirname "$(readlink -f "$(command -v "$EMACS")")")
mkdir -p "$own/include"
cp "$emacs/../include/emacs-module.h" "$own/include"

for loader in "$root"/lib/ld*.so.[0-9]; do :; done
libraries=$root/lib/$triplet:$root/usr/lib/$triplet
qemu=qemu-$cpu-static

# A program that is to run elsewhere names no directory of this machine.
if [ "${2:-}" = bundle ]; then
    make_for_arch "-Wl,-rpath-link,$libraries" program
    to=$BUILD/bundle/$cpu
    SYSROOT=$root MACHINE=$cpu STRIP=$triplet-strip LIST="$qemu $loader --library-path $libraries --list" \
        sh module/bundle.sh "$own/agent-q-fs" "$to.tree" "$to"
    said=$($qemu "$to.tree/lib/loader" --library-path "$to.tree/lib" "$to.tree/lib/agent-q-fs" --version)
    echo "  $said for $cpu: $to"
    exit
fi

tests=$(find test/c -name 'test_*.c' | sort)
# shellcheck disable=SC2086 # words
[ -z "${T:-}" ] || tests=$(sh scripts/c-tests.sh "$T" $tests)
programs() { # SOURCE...
    for source; do
        echo "$own/${source%.c}"
    done
}
# shellcheck disable=SC2046,SC2086 # words
make_for_arch "-Wl,--disable-new-dtags,--dynamic-linker=$loader,-rpath,$libraries" \
    "$own/agent-q-fs-module.so" $(programs $tests $(find $campaigns -maxdepth 1 -name '*.c'))

# ---- The tests

# The instruction by which glibc makes UTF-16 refuses U+0800 to U+0FFF in qemu 7.2.
[ "$arch" != s390x ] || export QEMU_CPU=qemu,etf3eh=off
export AQFS_TEST_SLOWNESS=20 BUILD="$own" WRAP="$qemu -E GCONV_PATH=$root/usr/lib/$triplet/gconv"
rm -f "$own"/test/*.count
[ -z "${T:-}" ] || export SOME_PART_HAS_IT=1
# shellcheck disable=SC2046,SC2086 # words
sh scripts/run-part.sh "c-$arch" sh scripts/test-c.sh $(programs $tests) || :
for campaign in $campaigns; do
    sh scripts/run-part.sh "${campaign#test/}-$arch" sh "$campaign/run" short || :
done
cat "$own"/test/*.count | awk -v arch="$arch" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "== %s: %d passed, %d failed, %d skipped\n", arch, passed, failed, skipped
        exit failed || !passed
    }'

#!/bin/sh
# SPDX-License-Identifier: MIT
# get-unity.sh DIR -- puts Unity's sources into DIR/src.
#
# From $UNITY_DIR where that is set.  Otherwise from Debian's source package
# cjson, which carries Unity: Debian has no package of Unity itself.  The
# download uses apt's own mirror, proxy and keys but none of its state, so it
# needs no root, no deb-src line in /etc/apt and leaves nothing there.
set -eu

dest=$1
# Since cjson 1.7.19, a word of a comment in unity.c is spelled otherwise.
sums='a89aaeeaebb8a9f8b9379493592c1a8a135ece211d48128752d2c4c49724690a  src/unity.c
b9dc88ba266f4140ade6cb8b6b74869d9d0927fdc1bf791ef51ae306d4c8f965  src/unity.c
2d356dcffe0f8d887ece0ad8d5cd0d388aeef5482800a7b8fea6d415be8bcf1f  src/unity.h
874c2af0bcebead08d0f609f77e2306a735ba55205b7776d937120cb616d4304  src/unity_internals.h
c3d7d8f48c9dfb38a4cbaabc2d30a0a5335d2bdd8b454fd70326876e90133299  examples/unity_config.h'

fail() {
    echo "get-unity: $*" >&2
    echo "get-unity: the C tests need Unity: set UNITY_DIR to a directory that has unity.c and unity.h" >&2
    exit 1
}

work=$(mktemp -d "${TMPDIR:-/tmp}/unity.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

put() { # FROM: unity.c last, because make looks at that one
    mkdir -p "$dest/src"
    for file in unity_internals.h unity.h unity.c; do
        cp "$1/$file" "$dest/src/$file.new" || fail "no $file in $1"
        mv "$dest/src/$file.new" "$dest/src/$file"
    done
}

if [ -n "${UNITY_DIR:-}" ]; then
    for from in "$UNITY_DIR/src" "$UNITY_DIR"; do
        [ -f "$from/unity.c" ] && put "$from" && exit 0
    done
    fail "UNITY_DIR=$UNITY_DIR has no unity.c"
fi

command -v apt-get >/dev/null || fail "no apt-get on this machine"

# The _apt user, whom apt downloads as when root runs it, must get in.
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/source"
apt() {
    apt-get -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" \
        -o Dir::State::lists="$work/lists" -o Dir::Cache="$work" \
        -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

source=$(sh "$(dirname "$0")/mirror.sh")
mirror=${source% *} suite=${source#* }
[ -n "$mirror" ] || fail "apt names no mirror for this release"

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keyring" ] && signed="[signed-by=$keyring]" || signed=
echo "deb-src $signed $mirror $suite main" >"$work/sources.list"
private="-o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=-"
# shellcheck disable=SC2086 # options, to be split
{
    apt -qq $private update >&2 || fail "cannot read $mirror"
    (cd "$work/source" && apt -qq $private source --download-only cjson >&2) || fail "cannot download cjson"
}
tar -xzf "$work"/source/cjson_*.orig.tar.gz -C "$work/source" --strip-components=1
unity=$work/source/tests/unity
unknown=$(cd "$unity" && sha256sum src/unity*.[ch] examples/unity_config.h | grep -vxF "$sums" || :)
[ -z "$unknown" ] || fail "Unity in $mirror is not the one this project was written with: $unknown"
# cjson's copy is changed to include its configuration from there.
mkdir -p "$dest/examples"
cp "$unity/examples/unity_config.h" "$dest/examples"
put "$unity/src"

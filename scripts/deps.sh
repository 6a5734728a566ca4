#!/bin/sh
# SPDX-License-Identifier: MIT
# deps.sh GROUP... -- sees to it that the Debian packages of these groups are there.
#
# Root: installs what is missing.  Anyone else: prints the command that would,
# and fails.  Silent and quick when nothing is missing.
set -eu

packages() {
    case $1 in
    # Emacs brings its header.
    build) awk -F'[|]' '/^(program|header|library)/ && !/emacs-module/ { print $2 }' module/packages && any_emacs ;;
    # clang and its runtime for the fuzzers; dpkg-dev to fetch Unity;
    # ca-certificates where the mirror is reached by https.
    test) packages lisp && echo "ecl cl-fiveam slime cl-swank git dpkg-dev ca-certificates tmux strace" \
        "bubblewrap podman uidmap runc busybox-static procps clang libclang-rt-dev" ;;
    lisp) echo "sbcl cl-cffi" ;;
    lint) echo "clang clang-tidy clang-format cppcheck elpa-package-lint" ;;
    far) echo "openssh-server openssh-client iproute2" ;;
    valgrind) echo "valgrind libc6-dbg" ;;
    arch) echo "qemu-user-static dpkg-dev $(for arch in ${ARCHS:-arm64 s390x}; do
        dpkg-architecture -a"$arch" -qDEB_HOST_GNU_TYPE 2>/dev/null | sed 's/^/gcc-/; s/_/-/g'
    done)" ;;
    # An Emacs with windows conflicts with emacs-nox: graphical-emacs.sh unpacks one, which needs libraries.
    screenshots) echo "xvfb xauth imagemagick fonts-dejavu-core xaw3dg libotf1 libm17n-0" ;;
    bench) echo "ripgrep fd-find ugrep patchelf gnuplot-nox fonts-dejavu-core hyperfine zlib1g-dev" ;;
    soak) echo "stress" ;;
    doc) echo "texinfo" ;;
    matrix) echo "debootstrap" ;;
    abcl) echo "abcl libjna-java cl-bordeaux-threads cl-trivial-garbage" ;;
    debian) echo "build-essential debhelper dh-elpa dpkg-dev lintian fakeroot pkgconf" ;;
    *) echo "deps: no group $1" >&2 && exit 2 ;;
    esac
}

# Any Emacs since 28 will do, packaged or not.
any_emacs() {
    for flavour in emacs-nox emacs-gtk emacs-lucid emacs-pgtk; do
        installed "$flavour" | grep -q . && return
    done
    version=$(${EMACS:-emacs} --version 2>/dev/null | sed -n '1s/^GNU Emacs \([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 28 ] || echo emacs-nox
}

installed() {
    # dpkg-query fails for names it has never heard of: they are not installed.
    dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
        sed -n 's/^installed //p' | sort -u
}

wanted=$(for group in "$@"; do packages "$group" || exit; done)
wanted=$(echo "$wanted" | tr -s ' \n' '\n\n' | sort -u)

if ! command -v dpkg-query >/dev/null; then
    echo "deps: not a Debian system; see to it that you have what these Debian packages hold:" $wanted >&2
    exit 0
fi

# shellcheck disable=SC2086 # one word a package
have=$(installed $wanted)
missing=$(for package in $wanted; do
    echo "$have" | grep -qxF "$package" || printf ' %s' "$package"
done)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Packages are missing.  Install them with:"
    echo
    echo "    sudo apt-get install --no-install-recommends$missing"
    echo
    exit 1
fi

echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt="apt-get -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0"
$apt update
# shellcheck disable=SC2086
$apt install --yes --no-install-recommends $missing

#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh INFO TARBALL -- the package as package-install-file takes it.
#
# A directory that is named after the version, with the Emacs Lisp, module/, lisp/, the manual
# INFO and what Emacs asks of a package.  The same sources give the same bytes.
set -eu

info=$1 tarball=$2
version=$(sed -n 's/^;; Version: //p' elisp/agent-q-fs.el)
case $tarball in *"-$version.tar") ;; *) echo "dist: $tarball is not named after the version, $version" >&2 && exit 1 ;; esac
name=agent-q-fs-$version
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
package=$own/$name

mkdir "$package"
cp elisp/*.el LICENSE NEWS.org "$info" "$package"
# Without what an editor or a patch left there.
find module -type f \( -name '*.[ch]' -o -name '*.mk' -o -name packages -o -name bundle.sh \) ! -name '.*' | while read -r file; do
    mkdir -p "$package/${file%/*}"
    cp "$file" "$package/$file"
done
find lisp -type f \( -name '*.asd' -o -name '*.lisp' \) ! -name '.*' | while read -r file; do
    mkdir -p "$package/${file%/*}"
    cp "$file" "$package/$file"
done
install-info --info-dir="$package" "$package/${info##*/}"
"${EMACS:-emacs}" -Q --batch -l scripts/describe.el -f describe-package-alone "$package"

# The time of the commit, where that is known: another time would be another tarball.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
mkdir -p "${tarball%/*}"
tar -C "$own" --format=ustar --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX -cf "$tarball.new" "$name"
mv "$tarball.new" "$tarball"

#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh -- makes the release of the commit that is checked out: `make release`.
#
# Nothing is made unless all of this holds, and what does not hold is said at once:
#
#     the tree is clean, and on the branch $RELEASE_BRANCH (main)
#     the version is the same everywhere (scripts/versions.sh)
#     NEWS.org and debian/changelog have the date of the release
#     there is no tag of this version yet
#
# Then every system of the matrix must pass, and the tarballs are built from the commit, in
# build/release/: the package for Emacs, the sources, and the sums of both.  The tag comes
# last.  Nothing is sent anywhere: the last words say how to do that.
set -eu
cd "$(dirname "$0")/.."

branch=${RELEASE_BRANCH:-main}
place=build/release
faults=0

fault() {
    echo "release: $*" >&2
    faults=$((faults + 1))
}

version=$(sh scripts/versions.sh) || faults=$((faults + 1))
tag=v$version
news=$(sed -n '/^\* / {p; q;}' NEWS.org)

[ -z "$(git status --porcelain)" ] || fault "there are changes that are not committed: git status shows them"
[ "$(git symbolic-ref --quiet --short HEAD)" = "$branch" ] || fault "this is not the branch $branch"
echo "$news" | grep -qE '^\* [^ ]+ \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$' ||
    fault "NEWS.org: the heading \"$news\" has no date: expected * $version (YEAR-MONTH-DAY)"
! sed 1q debian/changelog | grep -q UNRELEASED ||
    fault "debian/changelog: the first entry is UNRELEASED: dch --release gives it a distribution and a date"
! git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null || fault "the tag $tag is there already"
[ "$faults" -eq 0 ] || exit 1

"${MAKE:-make}" matrix || { fault "make matrix fails: nothing was tagged"; exit 1; }
# The released tree is the one that passed.
[ -z "$(git status --porcelain)" ] || { fault "make matrix has changed the tree"; exit 1; }

mkdir -p "$place"
rm -f "$place"/agent-q-fs-*
"${MAKE:-make}" dist
cp "build/agent-q-fs-$version.tar" "$place"
git archive --prefix="agent-q-fs-$version/" HEAD | gzip -9n >"$place/agent-q-fs-$version-source.tar.gz"
(cd "$place" && sha256sum agent-q-fs-"$version"* >agent-q-fs-"$version".sha256)

git tag --annotate --message "agent-q-fs $version" "$tag"
echo "Tagged $tag; these files belong to it:"
ls -l "$place"
echo "To publish: git push origin $branch $tag, and put the files beside the tag."

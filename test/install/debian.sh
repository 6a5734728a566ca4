#!/bin/bash
# SPDX-License-Identifier: MIT
# groups: debian doc
# as: root
#
# The Debian packages: built as dpkg-buildpackage does it, faultless by lintian's measure, and
# installed; then calls from Emacs, Common Lisp and C; and purging leaves nothing.
set -u
. "${0%/*}/parts/calls.bash"

# dpkg-buildpackage writes beside the tree, which is HOME's and TMPDIR's directory, too.
mkdir "$TMPDIR/build"
git archive --prefix=agent-q-fs/ HEAD | tar -x -C "$TMPDIR/build"
needed() { (cd "$TMPDIR/build/agent-q-fs" && DEBIAN_FRONTEND=noninteractive apt-get build-dep --quiet --yes ./); }
check "apt-get build-dep" needed
build() { (cd "$TMPDIR/build/agent-q-fs" && dpkg-buildpackage --no-sign --jobs=2); }
check "dpkg-buildpackage" build || finish

# Not asked: what holds for uploads to Debian; whether this system's lintian is as old as the
# Standards-Version; and what only the dpkg and the debhelper of Debian 12 need.
faultless() {
    local output
    output=$(cd "$TMPDIR/build" && lintian -EviIL +pedantic --allow-root --suppress-tags unreleased-changes \
        --suppress-tags initial-upload-closes-no-bugs,bad-distribution-in-changes-file \
        --suppress-tags newer-standards-version,out-of-date-standards-version ./*.changes 2>&1)
    ! echo "$output" | grep -E '^[EWIPX]: ' |
        grep -vE ': redundant-(priority-optional|rules-requires-root-no)-field' |
        grep -v ': package-uses-old-debhelper-compat-version 13'
}
check "lintian" faultless

files() { find / -xdev \( -path "$HOME" -o -path "$TMPDIR" -o -path "$PWD" -o -path /proc -o -path /sys \
    -o -path /dev -o -path /tmp -o -path /var/log -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune \
    -o -printf '%y %m %p %l\n' | sort; }
files >"$TMPDIR/before"
installed() { dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort; }
installed >"$TMPDIR/installed"
put() { DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends "$TMPDIR"/build/*.deb; }
check "apt install" put || finish
check "a tool works in Emacs" call_from_emacs "/site-lisp/elpa/agent-q-fs-"
check "a tool works in Common Lisp" call_from_lisp
check "a tool works in C" call_from_c
purge() { # also what came along
    installed | comm -13 "$TMPDIR/installed" - |
        DEBIAN_FRONTEND=noninteractive xargs apt-get purge --quiet --yes
}
check "apt purge" purge
files >"$TMPDIR/after"
check "nothing is left" same "$TMPDIR/before" "$TMPDIR/after"
finish

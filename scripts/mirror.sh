#!/bin/sh
# SPDX-License-Identifier: MIT
# mirror.sh -- prints where apt fetches this Debian from: the mirror and the suite, or nothing.
#
# apt itself tells, however its sources are written.  They may name the release (trixie) or what it
# is now (stable, testing); a suite with a dash has updates of another one.
set -eu

codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
apt-get update --print-uris -o Debug::NoLocking=1 2>/dev/null |
    sed -n "s|^'\(.*\)/dists/\([a-z]*\)/InRelease'.*|\1 \2|p" |
    awk -v codename="$codename" '
        !any { any = $0 }
        $2 == codename { print; found = 1; exit }
        END { if (!found && any) print any }'

#!/bin/sh
# SPDX-License-Identifier: MIT
# steps.sh SYSTEM USER STEP... -- what a person does who has a minimal Debian SYSTEM with git and
# make: clones this commit, and runs the commands of the README.
#
# USER is root, or `user` for an ordinary user, for whom root types the commands that deps.sh
# prints.  A step is run (make run), test (make test) or install (make test-install).  Each adds a
# line to $WORK/results, `SYSTEM USER STEP PASSED FAILED SKIPPED SECONDS WORD`, and leaves a log in
# $WORK/log.  The WORD is ok, failed, or cannot where a download failed, which nobody here can help.
set -u

here=$(dirname "$0")
name=$1 user=$2
shift 2
export ARCHIVES="$CACHE/$name.archives"
system=$WORK/$name-$user
log=

remove() { rm -rf --one-file-system "$system"; }
trap '[ -n "${KEEP:-}" ] || remove' EXIT
trap 'exit 1' HUP INT TERM

as() { # USER COMMAND
    timeout --kill-after=10 "${STEP_TIMEOUT:-3600}" sh "$here/enter.sh" "$system" "$1" "$2"
}

result() { # STEP PASSED FAILED SKIPPED SECONDS WORD
    echo "$name $user $*" >>"$WORK/results"
    printf '%-8s %-5s %-8s %s passed, %s failed, %s skipped (%s s) %s\n' "$name" "$user" "$@"
}

prepare() {
    base=$(sh "$here/base.sh" "$name") || exit
    remove
    cp -a --reflink=auto "$base" "$system"
    home=/root
    if [ "$user" != root ]; then
        as root "useradd --create-home --shell /bin/bash $user"
        home=/home/$user
    fi
    git clone --quiet --no-hardlinks . "$system$home/agent-q-fs"
    as root "chown -R $user: $home/agent-q-fs"
}

# The packages that the step asks for.  A user other than root cannot install them: the step must
# have said so, and how.
packages_asked_for() { # the printed command, or nothing
    sed -n 's/^ *sudo \(apt-get install .*\)/\1/p' "$log" | tail -n 1
}

downloads_failed() {
    grep -qE '^(E|W): (Failed to fetch|Unable to fetch|Some index files failed)|^get-unity: cannot (read|download)' "$log"
}

attempt() { # COMMAND -- as a person would: what is missing is installed, and then it is tried again
    as "$user" "cd agent-q-fs && $1" >"$log" 2>&1 && return
    [ "$user" != root ] || return
    command=$(packages_asked_for)
    [ -n "$command" ] || return
    told=1
    mv "$log" "${log%.log}-told.log"
    as root "DEBIAN_FRONTEND=noninteractive $command --yes" >"$log" 2>&1 || return
    mv "$log" "${log%.log}-packages.log"
    as "$user" "cd agent-q-fs && $1" >"$log" 2>&1
}

counts() { # of the log's last line of that form
    grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1 | sed 's/[^0-9 ]//g'
}

step() { # STEP COMMAND
    log=$WORK/log/$name-$user-$1.log told=0 status=0
    started=$(date +%s)
    attempt "$2" || status=$?
    seconds=$(($(date +%s) - started))
    if [ "$1" = run ]; then
        # shellcheck disable=SC2046 # numbers
        [ $status -eq 0 ] && sum="1 0" || sum="0 1"
    else
        sum=$(counts)
    fi
    # shellcheck disable=SC2086 # numbers
    set -- "$1" ${sum:-0 1} 0
    passed=$2 failed=$3 skipped=$4
    passed=$((passed + told))
    if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
    word=ok
    if [ "$failed" -gt 0 ]; then
        downloads_failed && word=cannot || word=failed
    fi
    result "$1" $passed $failed $skipped $seconds $word
}

prepare || exit
for step; do
    case $step in
    run) step run 'make run' ;;
    test) step test 'make test' ;;
    install) step install 'AQFS_THROWAWAY=yes make test-install' ;;
    *) echo "matrix: no step $step" >&2 && exit 2 ;;
    esac
done

# emacs.bash -- what the scripts share that install in Emacs.
#
#     . "${0%/*}/parts/emacs.bash"
#
# Each Emacs here is a new one in $HOME: it knows what an earlier one has installed, and
# nothing else.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

. "${BASH_SOURCE[0]%/*}/count.bash"

elpa=$HOME/.emacs.d/elpa

# Emacs without windows; its packages are activated as at the start of any session.
batch() { # FORM...
    local arguments=() form
    for form; do arguments+=(--eval "$form"); done
    timeout 600 "$EMACS" -Q --batch --eval "(progn (require 'package) (package-activate-all))" "${arguments[@]}"
}

has() { # PACKAGE-FUNCTION -- does this Emacs have it?
    batch "(kill-emacs (if (progn (require 'package-vc nil t) (fboundp '$1)) 0 1))" >/dev/null 2>&1
}

# After installing: M-x agent-q-fs is there before anything is loaded, all is compiled, and
# nothing was built yet.
installed() { # DIRECTORY
    batch "(unless (commandp 'agent-q-fs) (error \"There is no M-x agent-q-fs\"))" \
        "(when (featurep 'agent-q-fs) (error \"It is loaded already\"))" || return
    ! find "$1/" -follow -name 'agent-q-fs-module*.so' | grep . || return
    local file
    for file in "$1"/agent-q-fs-*.el; do
        case $file in *-autoloads.el | *-pkg.el) continue ;; esac
        [ -e "${file}c" ] || { echo "$file is not compiled" && return 1; }
    done
}

# Two calls, one of which changes something and one that runs a command: they build where they have
# to, and the files are there.
called() { # [DIRECTORY-OF-THE-LISP]
    rm -rf "$HOME/project"
    mkdir -p "$HOME/project"
    batch "(require 'agent-q-fs)" \
        "(princ (locate-library \"agent-q-fs-load\"))" \
        "(let ((agent-q-fs-policy 'never)
               (ws (agent-q-fs-open :root \"~/project/\")))
           (princ (agent-q-fs-call-tool \"create_file\" '(:path \"made.txt\" :content \"made\\n\") ws))
           (require 'agent-q-fs-exec)
           (princ (agent-q-fs-call-tool \"shell\" '(:command \"cp made.txt copied.txt\") ws)))" \
        >"$TMPDIR/said" 2>&1
    cat "$TMPDIR/said"
    [ "$(cat "$HOME/project/made.txt")" = made ] && [ "$(cat "$HOME/project/copied.txt")" = made ] && grep -qF "${1-}" "$TMPDIR/said"
}

# The first block of the README which has the words $1, with the clone's directory for the repository.
readme() {
    awk -v words="$1" '
        /^#\+begin_src/ { block = ""; inside = 1; next }
        /^#\+end_src/ { if (index(block, words)) { print block; exit }; inside = 0 }
        inside { block = block $0 "\n" }' README.org |
        sed "s|https://github.com/agent-q/agent-q-fs|file://$PWD|; s|/path/to/agent-q-fs|$PWD|" | grep .
}

# Another version of the sources in the clone, committed.
next_version() { # VERSION
    local old
    old=$(sed -n 's/^#define AQFS_VERSION "\(.*\)"/\1/p' module/include/aqfs.h)
    sed -i "s/\"$old\"/\"$1\"/; s/^;; Version: .*/;; Version: $1/" module/include/aqfs.h \
        elisp/agent-q-fs-ops.el elisp/agent-q-fs.el agent-q-fs.el
    git -c user.name=n -c user.email=n@example.org commit --quiet --all -m "$1"
}

is_version() { # VERSION -- what answers?
    batch "(princ (agent-q-fs-version))" >"$TMPDIR/said" 2>&1
    cat "$TMPDIR/said"
    grep -q "^agent-q-fs $1 " "$TMPDIR/said"
}

# ---- A person at a terminal

who= # a name for the Emacs in a terminal
person() { # -- an Emacs in a terminal, as somebody starts it
    terminal -f /dev/null new-session -d -x 100 -y 30 "TERM=screen-256color $EMACS -nw"
    shows '\*scratch\*\|GNU Emacs'
}

terminal() { tmux -S "$TMPDIR/tmux-$who" "$@"; }
keys() { terminal send-keys "$@"; }

# An error throws away the keys that wait: the prompt says that none do, and hides what was said before.
gives() { # NAME
    keys M-x && shows '^M-x' && keys "$1" Enter
}

shows() { # REGEXP -- wait until the terminal shows it
    local _
    for _ in $(seq 600); do
        terminal capture-pane -p >"$TMPDIR/screen" 2>/dev/null
        grep -q "$1" "$TMPDIR/screen" && return
        sleep 0.2
    done
    cat "$TMPDIR/screen"
    return 1
}

leaves() { terminal kill-server; }

# calls.bash -- one real tool call from Emacs, Common Lisp and C, for the scripts that install all of
# agent-q-fs.
#
#     . "${0%/*}/parts/calls.bash"
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

. "${BASH_SOURCE[0]%/*}/count.bash"

# Everything below the directories: types, permissions, names, and where links lead.
tree() { find "$@" -printf '%y %m %p %l\n' | sort; }
same() { diff "$1" "$2"; }

mkdir "$HOME/project"
echo "hello from the project" >"$HOME/project/a.txt"
greets() { cat "$TMPDIR/said" && grep -q "hello from the project" "$TMPDIR/said"; }

# A call from an Emacs that has just started in a terminal, with the init file of $HOME: its command
# is there, nothing is loaded yet, and the Lisp comes from below the directory $1.
call_from_emacs() {
    cat >"$TMPDIR/call.el" <<'LISP'
(let ((file (expand-file-name "said" (getenv "TMPDIR"))))
  (unless (and (commandp 'agent-q-fs) (not (featurep 'agent-q-fs)))
    (write-region "M-x agent-q-fs is not an autoloaded command" nil file)
    (kill-emacs 1))
  (setq default-directory (expand-file-name "~/project/"))
  (require 'agent-q-fs-tools)
  (require 'agent-q-fs-exec)
  (setq agent-q-fs-policy 'never)
  (let ((ws (agent-q-fs-open :root default-directory)))
    (write-region (concat (agent-q-fs-call-tool "read_file" '(:path "a.txt") ws)
                          (agent-q-fs-call-tool "shell" '(:command "echo ran by $PPID") ws)
                          (locate-library "agent-q-fs-load"))
                  nil file))
  (kill-emacs 0))
LISP
    echo "Emacs said nothing" >"$TMPDIR/said"
    TERM=xterm timeout 120 script -qec "$EMACS -nw -l $TMPDIR/call.el" /dev/null >/dev/null 2>&1 </dev/null
    greets && grep -q "ran by [0-9]" "$TMPDIR/said" && grep -qF "$1" "$TMPDIR/said"
}

call_from_lisp() {
    "$SBCL" --non-interactive --no-userinit --eval '(require "asdf")' \
        --eval '(asdf:load-system "agent-q-fs/ffi")' --eval "(princ
          (agent-q-fs:with-workspace (ws :root #p\"$HOME/project/\" :transport :ffi)
            (agent-q-fs:call-tool \"read_file\" '(:path \"a.txt\") :workspace ws)))" >"$TMPDIR/said" 2>&1
    greets
}

call_from_c() {
    local flags
    cat >"$TMPDIR/call.c" <<'C'
#include <aqfs.h>
#include <stdio.h>
#include <string.h>
int main(int n, char **argument) {
    char options[4096];
    const char *call = "{\"op\":\"read_file\",\"args\":{\"path\":\"a.txt\"}}";
    aqfs_workspace *ws = NULL;
    size_t length;
    snprintf(options, sizeof options, "{\"root\":\"%s\"}", n > 1 ? argument[1] : "");
    aqfs_reply_free(aqfs_open(options, strlen(options), AQFS_JSON, &ws));
    aqfs_reply *reply = aqfs_call(ws, call, strlen(call), NULL);
    puts(aqfs_reply_text(reply, &length));
    aqfs_reply_free(reply);
    aqfs_free(ws);
    return aqfs_abi_version() != AQFS_ABI_VERSION;
}
C
    flags=$(pkg-config --cflags --libs aqfs) || return
    # shellcheck disable=SC2086 # several options
    cc -Wall -Werror -o "$TMPDIR/call" "$TMPDIR/call.c" $flags || return
    "$TMPDIR/call" "$HOME/project" >"$TMPDIR/said" || return
    greets
}

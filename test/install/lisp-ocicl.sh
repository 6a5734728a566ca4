#!/bin/bash
# SPDX-License-Identifier: MIT
#
# With ocicl: a clone in a tree of local projects, and a project whose ocicl.csv names one.
#
# OCICL_RUNTIME is the file ocicl-runtime.lisp, of github.com/ocicl/ocicl.  The program ocicl, which
# fetches from its registry, is not there; it would write the line of ocicl.csv that is written here.
set -u
. "${0%/*}/parts/lisp.bash"

if [ ! -f "${OCICL_RUNTIME:-}" ]; then
    skip ocicl "OCICL_RUNTIME does not name its ocicl-runtime.lisp"
    finish
fi

# The init file as `ocicl setup' prints it, but for what it adds to the registry.
init() { # REGISTRY
    mkdir -p "$HOME/.local/share/ocicl"
    cp "$OCICL_RUNTIME" "$HOME/.local/share/ocicl/"
    cat >"$HOME/.sbclrc" <<END
#-ocicl
(load (merge-pathnames ".local/share/ocicl/ocicl-runtime.lisp" (user-homedir-pathname)))
(asdf:initialize-source-registry
  (list :source-registry $1 :inherit-configuration))
END
}

projects=$HOME/local-projects
git clone --quiet . "$projects/agent-q-fs" || exit 1
init "(list :tree \"$projects/\")"
works "a local project, building" sbcl '(asdf:load-system "agent-q-fs/ffi")'
check "it was asked" has "ASKED: The shared object was not found as $projects/"

mkdir -p "$HOME/project/ocicl"
mv "$projects/agent-q-fs" "$HOME/project/ocicl/agent-q-fs-0"
echo "agent-q-fs, local, agent-q-fs-0/lisp/agent-q-fs.asd" >"$HOME/project/ocicl.csv"
init "(list :directory (uiop:getcwd))"
cd "$HOME/project" || exit 1
works "a system of a project" sbcl '(asdf:load-system "agent-q-fs/ffi")' \
    '(format t "IN ~A~%" (asdf:system-source-directory "agent-q-fs"))'
check "where it is" has "IN $HOME/project/ocicl/agent-q-fs-0/lisp/"

finish

#!/bin/sh
# one-home.sh -- shows that a name has one home: what is renamed there alone is renamed everywhere.
#
# SPDX-License-Identifier: MIT
#
# In a copy of the tree a member of a reply, an error and an option get other names, each
# in the one file where it stands.  The core is built and the generated files are
# written anew; the differences are printed.  Fails where one of them keeps an old name
# or lacks a new one: in Emacs Lisp, Common Lisp, the schemas or the reference.
# And a real reply must have the new name, or the table would only say so.
set -eu

EMACS=${EMACS:-emacs}
own=$(mktemp -d "${TMPDIR:-/tmp}/one-home.XXXXXX")
trap 'rm -rf "$own"' EXIT
trap 'exit 1' HUP INT TERM

copy() { # DIRECTORY -- what git knows of this tree, as it is now
    mkdir "$own/$1"
    # shellcheck disable=SC2016 # for the inner shell
    git ls-files -z --cached --others --exclude-standard |
        xargs -0 sh -c 'for file; do [ -e "$file" ] && printf "%s\0" "$file"; done' sh |
        tar -cf - --null -T - | tar -xf - -C "$own/$1"
}

# Writes the generated files, and the words of the programs of DIRECTORY.
write_all() ( # DIRECTORY
    cd "$own/$1"
    env -u MAKEFLAGS make -s -j2 BUILD=build CFLAGS=-O0 build/agent-q-fs-module.so functions \
        reference >"$own/log" 2>&1 || { tail -n 20 "$own/log" >&2; exit 1; }
    mkdir -p said "$own/$1/project"
    printf 'one\ntwo\n' >project/a.txt
    "$EMACS" -Q --batch -L elisp \
        --eval "(setq agent-q-fs-module-file \"$own/$1/build/agent-q-fs-module.so\"
                      agent-q-fs-state-directory \"$own/state/\")" \
        -l agent-q-fs-spec --eval "
(let ((workspace (agent-q-fs-open :root \"$own/$1/project/\"))
      (print-length nil))
  (with-temp-file \"said/schemas.json\"
    (insert (agent-q-fs-tool-specs-json 'mcp '(\"edit_file\")))
    (json-pretty-print-buffer))
  (with-temp-file \"said/reply\"
    (dolist (key (agent-q-fs-call workspace 'edit_file :path \"a.txt\"
                                  :old_str \"one\" :new_str \"1\"))
      (when (keywordp key) (insert (format \"%s\\n\" key))))))" >"$own/log" 2>&1 ||
        { cat "$own/log" >&2; exit 1; }
)

rename() { # FILE OLD NEW
    [ "$(grep -c "\"$2\"" "$own/after/$1")" -eq 1 ] || { echo "$2 does not stand once in $1" >&2; exit 1; }
    sed -i "s/\"$2\"/\"$3\"/" "$own/after/$1"
}

bad=0
reached() { # NEW OLD FILE...
    new=$1 old=$2
    shift 2
    for file; do
        grep -q -e "$new" "$own/after/$file" || { echo "$new is not in $file" >&2; bad=1; }
        ! grep -q -e "$old" "$own/after/$file" || { echo "$old is still in $file" >&2; bad=1; }
    done
}

copy before
copy after
rename module/wire/key.h snippet excerpt
rename module/base/error.h too-long over-long
rename module/wire/options.c cross_mounts enter_mounts
write_all before
write_all after

reached ':excerpt' ':snippet' lisp/wire/catalogue.lisp doc/reference.org said/reply
reached '"excerpt"' '"snippet"' said/schemas.json
reached 'over-long' 'too-long' elisp/agent-q-fs-ops.el lisp/wire/catalogue.lisp doc/reference.org
reached 'enter_mounts' 'cross_mounts' lisp/wire/catalogue.lisp doc/reference.org

cd "$own"
for file in elisp/agent-q-fs-ops.el lisp/wire/catalogue.lisp doc/reference.org said/schemas.json said/reply; do
    diff -U0 "before/$file" "after/$file" | grep -v '^@@' || true
done
[ "$bad" -eq 0 ] && echo "a member, an error and an option: renamed in one place each"
exit "$bad"

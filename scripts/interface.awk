# interface.awk FILE.el -- what files that require FILE.el are compiled with.
#
# SPDX-License-Identifier: MIT
#
# Prints names and argument lists of functions, names of variables, and all other forms
# (macros, structs, inline functions) whole.  When a function's body changes, this does not,
# and the Makefile compiles only the file itself.

/^\(/ {
    form = $1
    if (form ~ /^\((defun|cl-defun|cl-defmethod)$/)
        part = "arguments"
    else if (form ~ /^\((defvar|defvar-local|defconst|defcustom|defface|defgroup)$/)
        part = "name"
    else
        part = "all"
    if (part == "name") {
        print $1, $2
        next
    }
}
# A line that begins in the first column with anything else belongs to no form,
# or continues a string.
part == "arguments" && /^  "/ { part = "" }
part == "arguments" || part == "all" { if (!/^;/ && !/^$/) print }

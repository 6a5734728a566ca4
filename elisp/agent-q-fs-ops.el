;;; agent-q-fs-ops.el --- What the core's catalogue says  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Written by scripts/agent-q-fs-generate.el from the tables in module/, where
;; changes belong: the versions, the errors, and a function for each operation.

;;; Code:

(declare-function agent-q-fs--decode-content "agent-q-fs" (reply))
(declare-function agent-q-fs-call "agent-q-fs" (workspace operation &rest arguments))

(defconst agent-q-fs-module-version "0.2.0"
  "The version of the core that this Emacs Lisp was written for.")

(defconst agent-q-fs-module-abi 2
  "The version of the core's interface that this Emacs Lisp was written for.")

(define-error 'agent-q-fs-error "File tool failed")

(dolist (code
         '(outside-root
           restricted
           not-found
           exists
           is-directory
           not-a-directory
           not-regular
           permission
           invalid-argument
           unknown-operation
           no-match
           multiple-matches
           unbalanced
           stale
           binary
           encoding
           patch-parse
           patch-apply
           too-large
           too-long
           limit
           loop
           raced
           approval-required
           denied
           read-only
           not-logged
           snapshot
           snapshot-restore
           io
           no-space
           durability-unknown
           cancelled
           timeout
           command-failed
           not-connected
           disconnected
           newer-format
           root-moved))
  (define-error (intern (format "agent-q-fs-%s" code))
    (format "File tool failed (%s)" code)
    'agent-q-fs-error))

(defconst agent-q-fs-operation-names
  '("get_project_root"
    "list_directory"
    "list_dir"
    "directory_tree"
    "get_file_info"
    "file_exists"
    "read_file"
    "read_bytes"
    "search_files"
    "grep_files"
    "list_forms"
    "read_form"
    "edit_form"
    "edit_file"
    "insert_at_line"
    "replace_in_files"
    "apply_patch"
    "apply_patch_json"
    "apply_patch_freeform"
    "create_file"
    "write_file"
    "write_bytes"
    "make_directory"
    "move_file"
    "copy_file"
    "delete_file"
    "snapshot_create"
    "snapshot_list"
    "snapshot_diff"
    "snapshot_restore"
    "snapshot_prune"
    "changes_list"
    "changes_diff"
    "changes_undo"
    "changes_accept"
    "changes_forget")
  "The names of the core's operations, known before the core is loaded.")

;;;###autoload
(defun agent-q-fs-get-project-root (workspace)
  "Get the project root.
Names the project root: the directory that every path is relative to and
that no call leaves.  Use it first when you do not know where you work, and
after an outside-root error.  It answers the absolute path, how the root was
found, whether the workspace is read-only, and whether the directory was
moved or replaced since it was opened.  It takes no arguments and looks at
no file.

WORKSPACE may be nil for the current one."
  (agent-q-fs-call workspace 'get_project_root))

;;;###autoload
(defun agent-q-fs-list-directory (workspace &rest options)
  "List a directory.
Lists the entries of one directory with type, size and time of each, one a
line, directories with a slash.  Use it to see what is in a directory, what
is largest or what changed last, and with a greater depth what is below it.
A long listing is cut at limit entries and says with which offset to go on.
It refuses a path that is not a directory.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:path (path, default \".\"): The directory, relative to the project root.
:depth (integer, default 1): Levels to list: 1 is the directory itself.
:offset (integer, default 0): Entries to skip before the first one
    shown.
:limit (integer, default 200): The most entries to show.
:show_hidden (boolean, default true): Show names that begin with a dot.
:sort_by (name | size | modified, default \"name\"): By name, largest
    first, or newest first.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing."
  (apply #'agent-q-fs-call workspace 'list_directory options))

;;;###autoload
(defun agent-q-fs-list-dir (workspace &rest options)
  "List a directory by name.
Lists a directory breadth first, one path a line, marked / for a directory,
@ for a link and * for an executable file.  Use it for a quick look at two
or three levels where sizes and times do not matter; list_directory has
those.  Hidden names are shown, .git is not.  A long listing is cut at limit
entries and says with which offset to go on.  It refuses a path that is not
a directory.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:path (path, default \".\"): The directory, relative to the project root.
:depth (integer, default 2): Levels to list: 1 is the directory itself.
:offset (integer, default 0): Entries to skip before the first one
    shown.
:limit (integer, default 200): The most entries to show."
  (apply #'agent-q-fs-call workspace 'list_dir options))

;;;###autoload
(defun agent-q-fs-directory-tree (workspace &rest options)
  "Show a directory tree.
Shows a directory and everything below it as an indented tree with the sizes
of files, and counts both; what git ignores is left out.  Use it for an
overview of a project or a part of it.  Where there are more entries than
limit, the upper levels are shown and each directory that was cut says how
many more it has: then name a directory below, or give max_depth.  It
refuses a path that is not a directory.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:path (path, default \".\"): The directory, relative to the project root.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:ignored (boolean, default false): Look also at what .gitignore or
    .ignore leaves out.
:max_depth (integer, default 0): Levels to show; 0 shows all.
:limit (integer, default 2000): The most entries to show; 0 shows all."
  (apply #'agent-q-fs-call workspace 'directory_tree options))

;;;###autoload
(defun agent-q-fs-get-file-info (workspace path)
  "Get facts about a file.
Gives information about one file or directory without showing its contents:
type, size, times, permissions, whether it can be read and written, MIME
type, encoding, line endings, the target of a link, and the version that a
later edit can be checked against.  Of a link to nothing, or out of the
project root, it describes the link.  Use it before you read a file that may
be large or binary.  It answers not-found where there is nothing, which
tells whether a path exists, too.

WORKSPACE may be nil for the current one.

PATH (path): The file or directory to look at."
  (agent-q-fs-call workspace 'get_file_info :path path))

;;;###autoload
(defun agent-q-fs-file-exists (workspace path)
  "Ask whether a path exists.
Tells whether a path exists, and whether it is a file, a directory, a
symbolic link to nothing or something else.  Use it before you create or
move a file where you are not sure.  If there is nothing, that is an answer
and not an error; a path outside the project root or under a restricted path
is refused.

WORKSPACE may be nil for the current one.

PATH (path): The file or directory to look at."
  (agent-q-fs-call workspace 'file_exists :path path))

;;;###autoload
(defun agent-q-fs-read-file (workspace path &rest options)
  "Read a file.
Shows a text file, or some lines of it, decoded to UTF-8.  Use it before you
edit a file: what an edit replaces must be copied from here, without line
numbers.  Without a range it shows the first 2000 lines, and says with which
start_line to go on.  With paths it shows several files, each under its
name, or its own error.  An edit that is given the version fails when the
file has changed since; a read that is given it as since answers only what
has changed.  It refuses directories, devices, binary files, and a start
behind the end of the file.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The text file to look at.
:paths (strings): Several files, instead of path and lines.
:start_line (integer): The first line, from 1; -20 shows the last 20.
:end_line (integer): The last line; -1 is the end.
:offset (integer): Lines to skip, instead of start_line.
:limit (integer): The most lines, instead of end_line.
:mode (slice | indentation, default \"slice\"): indentation shows each
    line\\='s indentation in columns before it.
:line_numbers (boolean, default false): Show line numbers in the text.
:ranges (strings): Several ranges: [\"1-40\", \"200-\", \"-20\"].
:version (boolean, default false): Show the version, for an edit or a
    later since.
:since (string): A version you were shown: the reply is what changed
    since.
:encoding (string): The charset, where detection would err."
  (apply #'agent-q-fs-call workspace 'read_file :path path options))

;;;###autoload
(defun agent-q-fs-read-bytes (workspace path &rest options)
  "Read bytes of a file.
Shows bytes of any file as base64.  Use it for images, archives and other
files that read_file refuses as binary, or to see the exact bytes of a text.
A long file comes in pieces: the reply says with which offset to go on.  It
refuses directories, devices, and an offset behind the end of the file.
The content comes decoded, as a unibyte string.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to look at.
:offset (integer, default 0): Bytes to skip before the first one read.
:limit (integer): The most bytes to read."
  (agent-q-fs--decode-content
   (apply #'agent-q-fs-call workspace 'read_bytes :path path options)))

;;;###autoload
(defun agent-q-fs-search-files (workspace pattern &rest options)
  "Find files by name.
Finds files whose path below a directory matches a glob, and answers their
paths, sorted, relative to the project root.  Use it when you know a part of
the name: **/*.lisp finds at any depth, *.lisp in the directory itself only,
src/**/test-* below src.  Where three or more files of one directory follow
each other, their names stand below its own, behind a space.  It finds files
and links to files, not directories, and leaves out what git ignores unless
you give ignored.  To search the contents of files use grep_files.  If
nothing matches, it answers an empty list and a hint, and not an error.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATTERN (string): A glob: * within a name, ** across directories, ? one
    character.
:path (path, default \".\"): The directory to search, relative to the
    project root.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:ignored (boolean, default false): Look also at what .gitignore or
    .ignore leaves out.
:limit (integer, default 1000): The most paths to show."
  (apply #'agent-q-fs-call workspace 'search_files :pattern pattern options))

;;;###autoload
(defun agent-q-fs-grep-files (workspace pattern &rest options)
  "Search the contents of files.
Searches the text files below a directory, or one file, for a regular
expression, and answers each matching line with path and line number.  Use
it to find where a name is defined or used, before you read whole files; ^
with output files lists names.  Each line is matched alone unless multiline
is given.  Binary files and what git ignores are left out and counted.  It
refuses a pattern that is not a regular expression.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATTERN (string): A regular expression (PCRE).
:path (path, default \".\"): The directory or file to search.
:paths (strings): Several of them, instead of path.
:include (strings): Only files matching one of these globs; without a
    slash, by name.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:ignored (boolean, default false): Look also at what .gitignore or
    .ignore leaves out.
:limit (integer, default 200): The most lines (or files) to show.
:ignore_case (boolean, default false): Ignore case.
:literal (boolean, default false): The pattern is plain text.
:context (integer, default 0): Lines to show around each match.
:before (integer): Lines before, instead of context.
:after (integer): Lines after, instead of context.
:multiline (boolean, default false): Let matches span lines; (?s) lets
    . match \\\\n.
:file_types (strings): Only files of these types: c, py, js, elisp, md
    ...
:output (content | files | count, default \"content\"): Matching lines,
    files, or counts by file and extension.
:sort_by (path | count, default \"path\"): With output count: most first."
  (apply #'agent-q-fs-call workspace 'grep_files :pattern pattern options))

;;;###autoload
(defun agent-q-fs-list-forms (workspace path &rest options)
  "List the forms of Lisp files.
Lists the top-level forms of a Lisp file in order: what each defines, its
lines and the first line of its documentation.  Use it, for a tenth of the
file\\='s size, before read_form.  Of a directory it lists all Lisp files
below.  It reads Common Lisp, Emacs Lisp, Scheme and Clojure, evaluates
nothing, and says where a file is not balanced or may change the reader.  It
refuses a file that is not known as Lisp unless you give dialect.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): A Lisp file, or a directory.
:paths (strings): Several of them, instead of path.
:nested (boolean, default false): Also list what is defined inside:
    local functions, slots.
:dialect (common-lisp | emacs-lisp | scheme | clojure): The Lisp, where
    neither mode line nor file name tells.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:offset (integer, default 0): Forms to skip before the first one shown.
:limit (integer, default 500): The most forms to show."
  (apply #'agent-q-fs-call workspace 'list_forms :path path options))

;;;###autoload
(defun agent-q-fs-read-form (workspace path &rest options)
  "Read a form of a Lisp file.
Shows one top-level form of a Lisp file, exactly, with the comment directly
above it.  Use it before you change a definition.  Name what the form
defines; if several have that name, add kind, package, or a method\\='s
qualifiers and specializers, or give a line inside it.  It answers the text,
its lines and the file\\='s version.  It refuses a name that nothing has,
with names like it, and one that several forms have, with the lines of each.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The Lisp file.
:name (string): What the form defines, such as parse-line or (setf
    color).
:kind (string): The word it begins with, such as defun.
:package (string): The package that in-package has named before the
    form.
:qualifiers (string): Of a method, such as :around; \"\" is none.
:specializers (string): Of a method: its classes, such as \"square t\".
:line (integer): A line inside the form or its comment, beside a name or
    alone.
:dialect (common-lisp | emacs-lisp | scheme | clojure): The Lisp, where
    neither mode line nor file name tells."
  (apply #'agent-q-fs-call workspace 'read_form :path path options))

;;;###autoload
(defun agent-q-fs-edit-form (workspace path &rest options)
  "Edit a form of a Lisp file.
Changes one top-level form of a Lisp file, found as by read_form.  Give
content to replace it, content and an action insert_before or insert_after
to put a new one beside it, new_name to rename the definition, old_str and
new_str to replace a text inside it, or the action delete.  Use it rather
than edit_file for Lisp: nothing of the form has to be repeated, and all
outside of it stays as it is.  A comment directly above stays unless content
begins with a comment or the form is deleted.  It refuses a name that
nothing or several forms have, and a text with which the parentheses would
not balance (unbalanced, with the likely correction).

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The Lisp file to edit.
:name (string): What the form defines, such as parse-line or (setf
    color).
:kind (string): The word it begins with, such as defun.
:package (string): The package that in-package has named before the
    form.
:qualifiers (string): Of a method, such as :around; \"\" is none.
:specializers (string): Of a method: its classes, such as \"square t\".
:line (integer): A line inside the form or its comment, beside a name or
    alone.
:action (replace | insert_before | insert_after | delete | rename |
    replace_within): Without it, as the other arguments say.
:content (string): The new form, or the one to insert.
:new_name (string): The name that the definition gets; its callers keep
    theirs.
:old_str (string): A text that is once in the form, to be replaced.
:new_str (string): The text to put in its place.
:edits (edits): Instead, several edits, made one after the other; all or
    none.
:accept (string): Alone beside path: does what a refusal has offered
    under this digest.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:dialect (common-lisp | emacs-lisp | scheme | clojure): The Lisp, where
    neither mode line nor file name tells.
:description (string): What this is for, in a few words, for the person
    who approves it.
:version (string): The version that was read: if the file has changed
    since, nothing is written."
  (apply #'agent-q-fs-call workspace 'edit_form :path path options))

;;;###autoload
(defun agent-q-fs-edit-file (workspace path &rest options)
  "Edit a file.
Exact replacement of a text, which must occur once, in a text file.  Use it
for changes to a file that you have read: copy old_str from there with all
its white space and without line numbers, with lines around it until it is
the only place.  For every occurrence give replace_all (in many files use
replace_in_files), for several changes to one file edits, a list that is
done as a whole or not at all.  It answers the changed lines with their
numbers, and the new version; encoding and line endings stay as they are.
It refuses a text that does not occur (no-match, with the text of the
nearest place and, where that differs in little, an edit to accept) or
occurs several times (multiple-matches), binary files, and a file that is no
longer of the version given (stale).

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The text file to edit.
:old_str (string): The exact text to replace; it must occur exactly
    once.
:new_str (string): The text to put in its place.
:replace_all (boolean, default false): Replace every occurrence of
    old_str.
:expected_replacements (integer): Replace every occurrence of old_str if
    there are this many, else none.
:edits (edits): Instead, several edits, each made in what the one before
    it left; all or none.
:accept (string): Alone beside path: does what a refusal has offered
    under this digest.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:description (string): What this is for, in a few words, for the person
    who approves it.
:version (string): The version that was read: if the file has changed
    since, nothing is written."
  (apply #'agent-q-fs-call workspace 'edit_file :path path options))

;;;###autoload
(defun agent-q-fs-insert-at-line (workspace path content line &rest options)
  "Insert lines into a file.
Inserts lines into a text file behind the line of that number; 0 is the
beginning, -1 the end.  Use it to add text where nothing is to be replaced.
Line numbers move with each insertion: give the version you have read, so
that it is refused (stale) where the file has changed since.  It answers the
new lines with their numbers, a diff and the new version.  It refuses binary
files and a line behind the end of the file.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The text file to insert into.
CONTENT (string): The lines to insert.
LINE (integer): Insert behind this line; 0 is the beginning of the file,
    -1 its end.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:version (string): The version that was read: if the file has changed
    since, nothing is written."
  (apply #'agent-q-fs-call workspace 'insert_at_line :path path :content content :line line options))

;;;###autoload
(defun agent-q-fs-replace-in-files (workspace pattern replacement &rest options)
  "Replace in many files.
Replaces every occurrence of a text in all files below a directory, in all
of them or in none.  Use it to rename something throughout a project: look
with grep_files what is there, and give the count of occurrences, not lines,
as expected_replacements; another count changes nothing and is told by file.
For one place edit that file.  It answers a line for each file with its
count.  Files that git ignores, binary files, links and secrets are left
alone.  It refuses a text that does not occur (no-match) and another
count (multiple-matches).

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATTERN (string): The exact text to replace, or with regex an
    expression (PCRE).
REPLACEMENT (string): The text to put in its place; with regex, $1 is
    the first group and $$ a dollar.
:regex (boolean, default false): Take the pattern as an expression,
    matched against each line alone.
:path (path, default \".\"): The directory or file to change, relative to
    the project root.
:include (strings, default []): Only files that match one of these
    globs; without a slash, by basename.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:ignored (boolean, default false): Look also at what .gitignore or
    .ignore leaves out.
:expected_replacements (integer): Replace only if there are this many
    places in all.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'replace_in_files :pattern pattern :replacement replacement options))

;;;###autoload
(defun agent-q-fs-apply-patch (workspace patch &rest options)
  "Apply a patch.
Applies a patch to one or many files, exactly, and all or none: a unified
diff, or an envelope that begins with *** Begin Patch.  Use it for a change
of several files, or where you have a diff.  Files may be added, deleted,
moved and copied.  Lines that the patch only shows and those that it removes
must be in the file as they are in the patch; only the counts in a hunk\\='s
header may be wrong.  It answers what was done to each file.  It refuses a
text that is not a patch (patch-parse) and one that does not
fit (patch-apply), with the place and what stands there.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATCH (string): The text of the patch.
:format (auto | unified | envelope, default \"auto\"): A unified diff, or
    an envelope that begins with *** Begin Patch.
:accept (string): Alone: does what a refusal has offered under this
    digest.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:version (string): Of the one file that it changes, as read: else
    nothing is written, and a hunk that only adds goes where its header
    says."
  (apply #'agent-q-fs-call workspace 'apply_patch :patch patch options))

;;;###autoload
(defun agent-q-fs-apply-patch-json (workspace patch &rest options)
  "Apply a unified diff.
Applies a unified diff, as diff -u and git diff print it, to one or many
files, exactly, and all or none.  Use it where you have a diff; for one
small change edit_file is simpler.  It answers what was done to each file.
It refuses a text that is not a unified diff (patch-parse) and one that does
not fit the files (patch-apply), with the place and what stands there.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATCH (string): The text of the patch.
:accept (string): Alone: does what a refusal has offered under this
    digest.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:version (string): Of the one file that it changes, as read: else
    nothing is written, and a hunk that only adds goes where its header
    says."
  (apply #'agent-q-fs-call workspace 'apply_patch_json :patch patch options))

;;;###autoload
(defun agent-q-fs-apply-patch-freeform (workspace patch &rest options)
  "Apply a patch envelope.
Applies a *** Begin Patch envelope to one or many files, exactly, and all or
none.  Use it to change, add, delete and move files in one call, without
line numbers: the lines around a change say where it belongs.  It answers
what was done to each file.  It refuses a text that is not an
envelope (patch-parse) and one that does not fit the files (patch-apply),
with the place and what stands there.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATCH (string): The text of the patch.
:accept (string): Alone: does what a refusal has offered under this
    digest.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:version (string): Of the one file that it changes, as read: else
    nothing is written, and a hunk that only adds goes where its header
    says."
  (apply #'agent-q-fs-call workspace 'apply_patch_freeform :patch patch options))

;;;###autoload
(defun agent-q-fs-create-file (workspace path content &rest options)
  "Create a file.
Creates a text file with the content given, written as UTF-8, and the
directories above it that are missing.  Use it for a new file; to change one
that exists use edit_file.  It answers the number of bytes and the version
of the file.  It refuses a path where there is something already (exists),
unless allow_overwrite is true.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to create.
CONTENT (string): What it holds.
:allow_overwrite (boolean, default false): Replace a file that exists.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:create_parents (boolean, default true): Make the directories above it
    that are missing.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'create_file :path path :content content options))

;;;###autoload
(defun agent-q-fs-write-file (workspace path content &rest options)
  "Write a file.
Writes a whole text file as UTF-8: a new one, or in the place of one that
exists, or with mode append at its end.  Use it to replace a file altogether
or to add to a log; for a change within a file edit_file is safer, because
it checks what it replaces.  It answers the number of bytes, whether the
file is new, and its version.  It refuses directories and devices, with mode
create a file that exists, and with mode append a binary file.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to write.
CONTENT (string): The text, written as UTF-8.
:mode (create | overwrite | append, default \"overwrite\"): create refuses
    a file that exists; append adds to its end.
:allow_unbalanced (boolean, default false): Write a Lisp file even if
    its parentheses do not balance then.
:create_parents (boolean, default true): Make the directories above it
    that are missing."
  (apply #'agent-q-fs-call workspace 'write_file :path path :content content options))

;;;###autoload
(defun agent-q-fs-write-bytes (workspace path content &rest options)
  "Write bytes to a file.
Writes a whole file of bytes, given as base64: a new one, or in the place of
one that exists, or with mode append at its end.  Use it for images and
other files that are not text.  It answers the number of bytes, whether the
file is new, and its version.  It refuses content that is not base64,
directories and devices, and with mode create a file that exists.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to write.
CONTENT (string): The bytes, as base64.
:mode (create | overwrite | append, default \"overwrite\"): create refuses
    a file that exists; append adds to its end.
:create_parents (boolean, default true): Make the directories above it
    that are missing."
  (apply #'agent-q-fs-call workspace 'write_bytes :path path :content content options))

;;;###autoload
(defun agent-q-fs-make-directory (workspace path &rest options)
  "Make a directory.
Makes a directory and the ones above it that are missing.  Use it where an
empty directory is wanted: create_file and the other tools that write make
the directories they need.  It answers how many directories it made; one
that exists is fine unless exist_ok is false.  It refuses a path where there
is a file.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The directory to make.
:parents (boolean, default true): Make the directories above it that are
    missing.
:exist_ok (boolean, default true): Be content with a directory that
    exists."
  (apply #'agent-q-fs-call workspace 'make_directory :path path options))

;;;###autoload
(defun agent-q-fs-move-file (workspace source destination &rest options)
  "Move or rename a file.
Moves or renames a file, a link or a directory with all that is in it.  The
destination is the new path itself, not the directory to put it into.  Use
it instead of copying and deleting.  It answers both paths and whether a
file was replaced.  It refuses a destination where there is something
already (exists), unless allow_overwrite is true and it is a file, and a
directory moved into itself.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

SOURCE (path): What to take.
DESTINATION (path): Its new path.
:allow_overwrite (boolean, default false): Replace a file that exists
    there.
:create_parents (boolean, default true): Make the directories above it
    that are missing.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'move_file :source source :destination destination options))

;;;###autoload
(defun agent-q-fs-copy-file (workspace source destination &rest options)
  "Copy a file.
Copies a file with its permissions.  The destination is the new path itself,
not the directory to put it into.  Use it to begin a file from one that
exists.  It answers both paths and whether a file was replaced.  It refuses
directories, and a destination where there is something already (exists),
unless allow_overwrite is true and it is a file.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

SOURCE (path): What to take.
DESTINATION (path): Its new path.
:allow_overwrite (boolean, default false): Replace a file that exists
    there.
:create_parents (boolean, default true): Make the directories above it
    that are missing.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'copy_file :source source :destination destination options))

;;;###autoload
(defun agent-q-fs-delete-file (workspace path &rest options)
  "Delete a file.
Deletes a file or a link, or with recursive a directory and everything below
it.  Of a link, the link is deleted and not the file it points to.  Warning:
use it only for files that are no longer wanted; only a person can take it
back afterwards, or a snapshot that was taken before.  It answers what was
deleted, and how many entries were below it.  It refuses a directory without
recursive (is-directory), the project root, and what is not there.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): What to delete; of a link, the link.
:recursive (boolean, default false): Delete a directory with everything
    below it.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'delete_file :path path options))

;;;###autoload
(defun agent-q-fs-snapshot-create (workspace &rest options)
  "Take a snapshot.
Keeps the project as it is now, to compare with or to go back to.  Use it
before a change of many files.  Files that git ignores are left out and
counted, and so is what cannot be kept.  No file of the project is changed:
snapshots are kept in a place of their own, apart from the repository of the
project.  It answers the id that snapshot_diff and snapshot_restore take.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:tag (string): A word to know it by."
  (apply #'agent-q-fs-call workspace 'snapshot_create options))

;;;###autoload
(defun agent-q-fs-snapshot-list (workspace)
  "List the snapshots.
Lists the snapshots of the project, the latest first, with id, time and tag
of each.  Use it to find the id of one to compare with or to go back to.  It
takes no arguments; an empty list is an answer and not an error.

WORKSPACE may be nil for the current one."
  (agent-q-fs-call workspace 'snapshot_list))

;;;###autoload
(defun agent-q-fs-snapshot-diff (workspace id &rest options)
  "Compare with a snapshot.
Shows what has changed since a snapshot was taken, or between two snapshots:
the files that differ, and a unified diff of the texts.  Use it to review
your own work, or to see what a restore would take back.  It changes
nothing.  It refuses an id that names no snapshot of this project.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

ID (string): The snapshot to compare.
:other (string): The snapshot to compare it with; without it, what is
    there now."
  (apply #'agent-q-fs-call workspace 'snapshot_diff :id id options))

;;;###autoload
(defun agent-q-fs-snapshot-restore (workspace id)
  "Go back to a snapshot.
Puts the files of the project back as they were in a snapshot, or with
ID..OTHER takes back only what differs between two.  Use it to undo a change
that went wrong; look at snapshot_diff first.  The state before is kept as a
snapshot too, whose id it answers, so that a restore can be taken back.
Files that git ignores stay as they are.  It refuses an id that names no
snapshot of this project.

WORKSPACE may be nil for the current one.

ID (string): The snapshot to go back to; or ID..OTHER, to take back only
    what differs between the two."
  (agent-q-fs-call workspace 'snapshot_restore :id id))

;;;###autoload
(defun agent-q-fs-snapshot-prune (workspace &rest options)
  "Forget old snapshots.
Forgets old snapshots and gives back the room that they took: those beyond
keep in number, beyond days in age, and the oldest while all take more than
bytes.  Use it only when somebody asks for it: old snapshots are forgotten
without it, too, and a forgotten one cannot be had back.  The latest
snapshot stays unless keep is 0.  It answers how many were forgotten.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:keep (integer, default 100): Forget all but this many of the latest
    snapshots.
:days (integer, default 36500): Forget those that are older.
:bytes (integer, default 1000000000000): Forget the oldest while all
    take more room than this."
  (apply #'agent-q-fs-call workspace 'snapshot_prune options))

;;;###autoload
(defun agent-q-fs-changes-list (workspace &rest options)
  "List what calls have changed.
Lists the latest calls that changed something in this project, by whomever
they were made: id, time, operation and files of each.  The replaced content
is kept, until it is the oldest of too many or of too much.  Use it to find
the ids that changes_diff takes.  An empty list is an answer and not an
error.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:limit (integer, default 100): The most calls to show."
  (apply #'agent-q-fs-call workspace 'changes_list options))

;;;###autoload
(defun agent-q-fs-changes-diff (workspace &rest options)
  "Show what calls have changed.
Shows what some calls have changed and what of that is still there: each
file with its hunks, as unified diffs of the present text.  The changes of
others in the same files are left out; lines that both have changed are
marked as mixed.  Use it to review your own work.  It changes nothing, and
refuses what is no id.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:calls (strings): The ids of calls, as changes_list shows them.
:since (string): Without calls: those of models from this id on; without
    either, all of models."
  (apply #'agent-q-fs-call workspace 'changes_diff options))

;;;###autoload
(defun agent-q-fs-changes-undo (workspace &rest options)
  "Take changes back.
Takes back what calls have changed, or some hunks of that, exactly: lines,
files, permissions, names.  Give the ids of calls, of hunks as changes_diff
shows them, or both.  The changes of others in the same files stay.  Where
they have changed the same lines, or what was there before is not kept any
more, nothing is done, and the error says why.  It can itself be taken back.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:calls (strings): The ids of calls, as changes_list shows them.
:since (string): Without calls: those of models from this id on; without
    either, all of models.
:hunks (strings): The ids of hunks or files, as changes_diff shows them,
    to take back; without it, all."
  (apply #'agent-q-fs-call workspace 'changes_undo options))

;;;###autoload
(defun agent-q-fs-changes-accept (workspace &rest options)
  "Accept changes.
Says for a person that what calls have changed, or some hunks of that, is
accepted: changes_diff shows it no more.  No file of the project is changed.
Use it only when the person asks for it: whoever accepts has looked.  It
answers the id of a record; changes_forget with that id takes the acceptance
back.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:calls (strings): The ids of calls, as changes_list shows them.
:since (string): Without calls: those of models from this id on; without
    either, all of models.
:hunks (strings): The ids of hunks or files, as changes_diff shows them,
    to accept; without it, all."
  (apply #'agent-q-fs-call workspace 'changes_accept options))

;;;###autoload
(defun agent-q-fs-changes-forget (workspace &rest options)
  "Forget what was replaced.
Forgets what calls have replaced: those that are named, or all but the
latest.  The bytes are gone then, and these calls can neither be reviewed
nor taken back.  No file of the project is changed.  Use it only when
somebody asks for it: the oldest are forgotten without it, too.  It answers
how many records were forgotten.

WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:calls (strings): The ids of calls, as changes_list shows them.
:keep (integer, default 0): Without calls: forget all but this many of
    the latest."
  (apply #'agent-q-fs-call workspace 'changes_forget options))

(provide 'agent-q-fs-ops)
;;; agent-q-fs-ops.el ends here

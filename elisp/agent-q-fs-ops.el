;;; agent-q-fs-ops.el --- A function for each operation  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Written by agent-q-fs-generate.el from the table in module/ops/table.c, where
;; changes belong.

;;; Code:

(declare-function agent-q-fs--decode-content "agent-q-fs" (reply))
(declare-function agent-q-fs-call "agent-q-fs" (workspace operation &rest arguments))

;;;###autoload
(defun agent-q-fs-get-project-root (workspace)
  "Names the directory that all paths stay in, and how it was found.
WORKSPACE may be nil for the current one."
  (agent-q-fs-call workspace 'get_project_root))

;;;###autoload
(defun agent-q-fs-list-directory (workspace &rest options)
  "Lists a directory with type, size and time of each entry.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:path (path, default \".\"): The directory, relative to the project root.
:depth (integer, default 1): Levels to list: 1 is the directory itself.
:offset (integer, default 0): Entries to skip before the first one
    shown.
:limit (integer, default 200): The most entries to show.
:show_hidden (boolean, default false): Show names that begin with a dot.
:sort_by (name | size | modified, default \"name\"): By name, largest
    first, or newest first.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing."
  (apply #'agent-q-fs-call workspace 'list_directory options))

;;;###autoload
(defun agent-q-fs-list-dir (workspace &rest options)
  "Call the operation `list_dir'.
Lists a directory breadth first, one name a line, marked / directory, @
link, * executable.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:path (path, default \".\"): The directory, relative to the project root.
:depth (integer, default 2): Levels to list: 1 is the directory itself.
:offset (integer, default 0): Entries to skip before the first one
    shown.
:limit (integer, default 200): The most entries to show."
  (apply #'agent-q-fs-call workspace 'list_dir options))

;;;###autoload
(defun agent-q-fs-directory-tree (workspace &rest options)
  "Shows a directory and everything below it as a tree.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:path (path, default \".\"): The directory, relative to the project root.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:max_depth (integer, default 0): Levels to show; 0 shows all.
:limit (integer, default 2000): The most entries to show; 0 shows all."
  (apply #'agent-q-fs-call workspace 'directory_tree options))

;;;###autoload
(defun agent-q-fs-get-file-info (workspace path)
  "Tells a file\\='s type, size, times, permissions, MIME type and encoding.
WORKSPACE may be nil for the current one.

PATH (path): The file or directory to look at."
  (agent-q-fs-call workspace 'get_file_info :path path))

;;;###autoload
(defun agent-q-fs-file-exists (workspace path)
  "Tells whether a path exists, and what it is.
WORKSPACE may be nil for the current one.

PATH (path): The file or directory to look at."
  (agent-q-fs-call workspace 'file_exists :path path))

;;;###autoload
(defun agent-q-fs-read-file (workspace path &rest options)
  "Reads lines of a text file.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The text file to look at.
:start_line (integer): The first line to show, counted from 1.
:end_line (integer): The last line to show; -1 is the end of the file.
:offset (integer): Lines to skip, instead of start_line.
:limit (integer): The most lines to show, instead of end_line.
:mode (slice | indentation, default \"slice\"): indentation shows each
    line\\='s indentation in columns before it.
:line_numbers (boolean, default false): Show line numbers in the text.
:encoding (string): The charset to decode from, where detection would
    err."
  (apply #'agent-q-fs-call workspace 'read_file :path path options))

;;;###autoload
(defun agent-q-fs-read-bytes (workspace path &rest options)
  "Reads bytes of any file, as base64.
The content comes decoded, as a unibyte string.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to look at.
:offset (integer, default 0): Bytes to skip before the first one read.
:limit (integer): The most bytes to read."
  (agent-q-fs--decode-content
   (apply #'agent-q-fs-call workspace 'read_bytes :path path options)))

;;;###autoload
(defun agent-q-fs-search-files (workspace pattern &rest options)
  "Finds files whose path matches a glob.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATTERN (string): A glob: * within a name, ** across directories, ? one
    character.
:path (path, default \".\"): The directory to search, relative to the
    project root.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:limit (integer, default 1000): The most paths to show."
  (apply #'agent-q-fs-call workspace 'search_files :pattern pattern options))

;;;###autoload
(defun agent-q-fs-grep-files (workspace pattern &rest options)
  "Searches the contents of files for a regular expression.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATTERN (string): A regular expression (PCRE), matched line by line.
:path (path, default \".\"): The directory or file to search, relative to
    the project root.
:include (string): Search only files matching this glob; without a
    slash, by basename at any depth.
:exclude_patterns (strings, default [\".git\"]): Globs of basenames to
    leave out; [] leaves out nothing.
:limit (integer, default 200): The most matching lines (or files) to
    show.
:ignore_case (boolean, default false): Let letters match in either case.
:literal (boolean, default false): Take the pattern as plain text.
:context (integer, default 0): Lines to show before and after each
    match.
:output (content | files | count, default \"content\"): Matching lines,
    the files that have any, or their number in each file."
  (apply #'agent-q-fs-call workspace 'grep_files :pattern pattern options))

;;;###autoload
(defun agent-q-fs-edit-file (workspace path &rest options)
  "Replaces an exact text, which must occur once, in a file.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The text file to edit.
:old_str (string): The exact text to replace; it must occur exactly
    once.
:new_str (string): What to put in its place.
:edits (edits): Instead, several edits, each made in what the one before
    it left; all or none.
:description (string): What this is for, in a few words, for the person
    who approves it.
:version (string): The version that was read: if the file is another by
    now, nothing is changed."
  (apply #'agent-q-fs-call workspace 'edit_file :path path options))

;;;###autoload
(defun agent-q-fs-insert-at-line (workspace path content line &rest options)
  "Inserts lines into a text file.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The text file to insert into.
CONTENT (string): The lines to insert.
LINE (integer): Insert behind this line; 0 is the beginning of the file,
    -1 its end.
:version (string): The version that was read: if the file is another by
    now, nothing is changed."
  (apply #'agent-q-fs-call workspace 'insert_at_line :path path :content content :line line options))

;;;###autoload
(defun agent-q-fs-apply-patch (workspace patch &rest options)
  "Applies a patch to several files, exactly and all or none.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATCH (string): The text of the patch.
:format (auto | unified | envelope, default \"auto\"): A unified diff, or
    an envelope that begins with *** Begin Patch."
  (apply #'agent-q-fs-call workspace 'apply_patch :patch patch options))

;;;###autoload
(defun agent-q-fs-apply-patch-json (workspace patch)
  "Applies a unified diff to several files, exactly and all or none.
WORKSPACE may be nil for the current one.

PATCH (string): The text of the patch."
  (agent-q-fs-call workspace 'apply_patch_json :patch patch))

;;;###autoload
(defun agent-q-fs-apply-patch-freeform (workspace patch)
  "Call the operation `apply_patch_freeform'.
Applies a *** Begin Patch envelope to several files, exactly and all or
none.
WORKSPACE may be nil for the current one.

PATCH (string): The text of the patch."
  (agent-q-fs-call workspace 'apply_patch_freeform :patch patch))

;;;###autoload
(defun agent-q-fs-create-file (workspace path content &rest options)
  "Creates a text file.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to create.
CONTENT (string): What it holds.
:allow_overwrite (boolean, default false): Replace a file that exists.
:create_parents (boolean, default true): Make the directories above it
    that are missing.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'create_file :path path :content content options))

;;;###autoload
(defun agent-q-fs-write-file (workspace path content &rest options)
  "Writes a whole text file, or adds to its end.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The file to write.
CONTENT (string): The text, written as UTF-8.
:mode (create | overwrite | append, default \"overwrite\"): create refuses
    a file that exists; append adds to its end.
:create_parents (boolean, default true): Make the directories above it
    that are missing."
  (apply #'agent-q-fs-call workspace 'write_file :path path :content content options))

;;;###autoload
(defun agent-q-fs-write-bytes (workspace path content &rest options)
  "Writes a whole file of bytes, or adds to its end.
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
  "Makes a directory.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): The directory to make.
:parents (boolean, default true): Make the directories above it that are
    missing.
:exist_ok (boolean, default true): Be content with a directory that
    exists."
  (apply #'agent-q-fs-call workspace 'make_directory :path path options))

;;;###autoload
(defun agent-q-fs-move-file (workspace source destination &rest options)
  "Moves or renames a file or directory.
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
  "Copies a file, with its permissions.
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
  "Deletes a file, a link, or with recursive a directory.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

PATH (path): What to delete; of a link, the link.
:recursive (boolean, default false): Delete a directory with everything
    below it.
:description (string): What this is for, in a few words, for the person
    who approves it."
  (apply #'agent-q-fs-call workspace 'delete_file :path path options))

;;;###autoload
(defun agent-q-fs-snapshot-create (workspace &rest options)
  "Keeps the project as it is now, to look at or to go back to.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:tag (string): A word to know it by."
  (apply #'agent-q-fs-call workspace 'snapshot_create options))

;;;###autoload
(defun agent-q-fs-snapshot-list (workspace)
  "Lists the snapshots of the project, the latest first.
WORKSPACE may be nil for the current one."
  (agent-q-fs-call workspace 'snapshot_list))

;;;###autoload
(defun agent-q-fs-snapshot-diff (workspace id &rest options)
  "Shows what has changed since a snapshot, or between two.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

ID (string): The snapshot to compare.
:other (string): The snapshot to compare it with; without it, what is
    there now."
  (apply #'agent-q-fs-call workspace 'snapshot_diff :id id options))

;;;###autoload
(defun agent-q-fs-snapshot-restore (workspace id)
  "Puts the project back as it was; what was there before is a snapshot, too.
WORKSPACE may be nil for the current one.

ID (string): The snapshot to go back to; or ID..OTHER, to take back only
    what differs between the two."
  (agent-q-fs-call workspace 'snapshot_restore :id id))

;;;###autoload
(defun agent-q-fs-snapshot-prune (workspace &rest options)
  "Forgets old snapshots, and gives back the room that they took.
WORKSPACE may be nil for the current one.  OPTIONS is a property list.

:keep (integer, default 100): Forget all but so many of the latest
    snapshots.
:days (integer, default 36500): Forget those that are older.
:bytes (integer, default 1000000000000): Forget the oldest while all
    take more room than this."
  (apply #'agent-q-fs-call workspace 'snapshot_prune options))

(provide 'agent-q-fs-ops)
;;; agent-q-fs-ops.el ends here

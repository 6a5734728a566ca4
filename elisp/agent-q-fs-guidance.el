;;; agent-q-fs-guidance.el --- What a model is told of a workspace  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-guidance' returns a text for the system prompt: the few rules for the
;; workspace at hand.  It is made of what the workspace says of itself, the
;; policy and the tools that the model is given, so that it never speaks of what
;; is not there.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-approve)
(eval-when-compile (require 'cl-lib))

(defun agent-q-fs-guidance--has-p (names &rest wanted)
  "Return the first of WANTED that is among NAMES, in quotes, or nil."
  (let ((found (cl-find-if (lambda (name) (member name names)) wanted)))
    (and found (format "`%s`" found))))

(defun agent-q-fs-guidance--place (facts)
  "Return sentences about where the files of a workspace with FACTS are."
  (pcase (plist-get facts :backend)
    (:memory
     "The files are in memory, apart from the user's own: nothing you do here changes anything \
on the user's machine.  They are gone when the session ends.  There are no links and no \
permissions.")
    (:session
     (format "The files are in a directory of this session's own, %s, apart from the user's own \
files.  It is removed when the session ends."
             (plist-get facts :root)))
    (_ (format "The files are the user's own project, in %s.%s"
               (plist-get facts :root)
               (if (eq :unrestricted (plist-get facts :mode))
                   "  Absolute paths outside of it can be used as well."
                 "")))))

(defun agent-q-fs-guidance--mounts (facts names)
  "Return sentences about what was copied into a workspace with FACTS, or nil.
NAMES are those of the tools."
  (unless (eq :host (plist-get facts :backend))
    (let ((mounts (plist-get facts :mounts))
          (write (agent-q-fs-guidance--has-p names "create_file" "write_file")))
      (if (not mounts)
          (if (and write (not (plist-get facts :read-only)))
              (format "It starts empty: write the files that you need with %s." write)
            "It starts empty.")
        (format "It starts with copies of files, in %s.  No more can be brought in during the \
session."
                (mapconcat (lambda (mount)
                             (let ((files (plist-get mount :files)))
                               (format "`%s` (%d file%s)" (plist-get mount :path)
                                       files (if (= files 1) "" "s"))))
                           mounts ", "))))))

(defun agent-q-fs-guidance--paths (facts)
  "Return sentences about paths in a workspace with FACTS."
  (let ((limits (plist-get facts :limits)))
    (pcase (plist-get facts :backend)
      (:session
       (format "Paths are relative to that directory, ASCII, without `.`, `..` and empty \
segments; %d segments of %d characters at most."
               (plist-get limits :session-depth) (plist-get limits :session-segment)))
      (_ "Paths are relative to the root, such as `src/main.lisp`."))))

(defun agent-q-fs-guidance--limits (facts names)
  "Return sentences about the limits of a workspace with FACTS.
NAMES are those of the tools."
  (let ((limits (plist-get facts :limits))
        (session (eq :session (plist-get facts :backend)))
        (read (agent-q-fs-guidance--has-p names "read_file")))
    (delq nil
          (list
           (and read
                (format "%s shows %d lines at most; ask for others by start_line and end_line."
                        read (plist-get limits :read-lines)))
           (and session
                (not (plist-get facts :read-only))
                (format "One write has %d characters at most."
                        (plist-get limits :session-chars)))
           "What was cut is marked [truncated], with how to get the rest."))))

(defun agent-q-fs-guidance--policy (names read-only)
  "Return sentences about what happens to calls of the tools NAMES.
READ-ONLY is non-nil where nothing may be written."
  (let ((tiers (cl-loop for tool in (agent-q-fs-all-tools)
                        when (member (agent-q-fs-tool-name tool) names)
                        collect (agent-q-fs-tool-tier tool))))
    (cond
     ((or read-only (eq agent-q-fs-policy 'read-only)) "Nothing can be changed here: only read.")
     ((cl-every (lambda (tier) (eq tier 'safe)) tiers) nil)
     (t (pcase agent-q-fs-policy
          ('never "Changes are done at once, without anybody being asked, and are logged.")
          ('always "The user is asked before each change.  If one is denied, do not try it in \
another way: ask what is wanted.")
          (_ "Edits are done at once.  Before a file is replaced, deleted, moved or newly \
created, and before a protected file is written, the user is asked.  If that is denied, do not \
try it in another way: ask what is wanted."))))))

(defun agent-q-fs-guidance--habits (names read-only)
  "Return sentences about how to use the tools NAMES.
READ-ONLY is non-nil where nothing may be written."
  (let ((look (agent-q-fs-guidance--has-p names "list_directory" "list_dir" "directory_tree"))
        (find (agent-q-fs-guidance--has-p names "grep_files" "search_files"))
        (read (agent-q-fs-guidance--has-p names "read_file"))
        (edit (agent-q-fs-guidance--has-p names "edit_file" "apply_patch"
                                          "apply_patch_freeform"))
        (write (agent-q-fs-guidance--has-p names "write_file" "create_file"))
        (delete (agent-q-fs-guidance--has-p names "delete_file")))
    (delq nil
          (list
           (and look (format "Look with %s%s before you read or write, and keep it narrow."
                             look (if find (format ", and search with %s," find) "")))
           (and read edit (not read-only)
                (format "Read a file with %s before you change it, and give the version you got \
to %s: if the file has changed since, nothing is done and you are told."
                        read edit))
           (and edit write (not read-only)
                (format "Change what is there with %s; use %s for new files and whole contents."
                        edit write))
           (and delete (not read-only)
                (format "Remove what is no longer needed with %s." delete))))))

;;;###autoload
(defun agent-q-fs-guidance (&optional workspace set)
  "Return the rules for WORKSPACE, a text for a model's prompt.
WORKSPACE is the current one by default.  SET is the tools that the model
is given, as `agent-q-fs-tool-specs' takes it; by default all."
  (let* ((workspace (or workspace (agent-q-fs-current-workspace)))
         (facts (agent-q-fs-workspace-facts workspace))
         (names (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools set)))
         (read-only (plist-get facts :read-only)))
    (concat
     "# Files\n\n"
     (mapconcat
      (lambda (rule) (concat "- " rule "\n"))
      (delq nil
            (append (list (agent-q-fs-guidance--place facts)
                          (agent-q-fs-guidance--mounts facts names)
                          (agent-q-fs-guidance--paths facts))
                    (agent-q-fs-guidance--habits names read-only)
                    (list (agent-q-fs-guidance--policy names read-only))
                    (agent-q-fs-guidance--limits facts names)
                    (list (format "Tools: %s." (mapconcat #'identity names ", ")))))
      ""))))

(provide 'agent-q-fs-guidance)

;;; agent-q-fs-guidance.el ends here

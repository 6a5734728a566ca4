;;; agent-q-fs-menu.el --- A menu of all commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `M-x agent-q-fs' is a menu of the commands for people.  For those who use
;; project.el, (agent-q-fs-project-setup) adds it to the menu of
;; `project-switch-project' and to `project-prefix-map'; nothing else does.

;;; Code:

(require 'agent-q-fs-ui)
(require 'project)
(require 'transient)

(declare-function agent-q-fs-apply-patch-here "agent-q-fs-change" (start end))
(declare-function agent-q-fs-create "agent-q-fs-change" (path content))
(declare-function agent-q-fs-delete "agent-q-fs-change" (path))
(declare-function agent-q-fs-find "agent-q-fs-find" (&optional directory))
(declare-function agent-q-fs-grep "agent-q-fs-grep" (pattern &optional path include))
(declare-function agent-q-fs-insert "agent-q-fs-change" (path line text))
(declare-function agent-q-fs-mode-line-mode "agent-q-fs-mode-line" (&optional arg))
(declare-function agent-q-fs-move "agent-q-fs-change" (source destination))
(declare-function agent-q-fs-sessions "agent-q-fs-exec-ui" ())
(declare-function agent-q-fs-snapshots "agent-q-fs-snapshots" ())
(declare-function agent-q-fs-str-replace "agent-q-fs-change" (path old new))
(declare-function agent-q-fs-tree "agent-q-fs-tree" (&optional path))
(declare-function agent-q-fs-undo "agent-q-fs-undo" ())
(declare-function agent-q-fs-view "agent-q-fs-view" (path &optional start end))

(defcustom agent-q-fs-project-key "a"
  "The key of the menu in `project-prefix-map', for `agent-q-fs-project-setup'."
  :type 'string
  :group 'agent-q-fs-ui)

(defun agent-q-fs-menu--title ()
  "Return what is said above the menu."
  (let ((workspace (or agent-q-fs-ui--workspace agent-q-fs-workspace)))
    (concat (propertize "Files of " 'face 'transient-heading)
            (if workspace
                (propertize (agent-q-fs-show-visible (agent-q-fs-workspace-root workspace) t)
                            'face 'transient-value)
              (propertize "the project around here" 'face 'transient-heading))
            "\n")))

;;;###autoload (autoload 'agent-q-fs "agent-q-fs-menu" nil t)
(transient-define-prefix agent-q-fs ()
  "A menu of the commands of agent-q-fs."
  [:description agent-q-fs-menu--title
   ["Look"
    ("t" "tree" agent-q-fs-tree)
    ("f" "find a file" agent-q-fs-find)
    ("g" "grep" agent-q-fs-grep)
    ("v" "view lines" agent-q-fs-view)]
   ["Change"
    ("r" "replace a text" agent-q-fs-str-replace)
    ("i" "insert lines" agent-q-fs-insert)
    ("c" "create a file" agent-q-fs-create)
    ("m" "move or rename" agent-q-fs-move)
    ("d" "delete" agent-q-fs-delete)
    ("p" "apply the patch here" agent-q-fs-apply-patch-here)]
   ["Project"
    ("=" "show the root" agent-q-fs-show-root)
    ("s" "set the root" agent-q-fs-set-root)
    ("S" "snapshots" agent-q-fs-snapshots)
    ("u" "undo the last call" agent-q-fs-undo)]
   ["Agents"
    ("l" "log of calls" agent-q-fs-log)
    ("a" "remembered approvals" agent-q-fs-approvals)
    ("x" "commands that run" agent-q-fs-sessions)
    ("w" "running calls in mode line" agent-q-fs-mode-line-mode)]])

;;;###autoload
(defun agent-q-fs-project ()
  "Make the current project of project.el the root, and open the menu."
  (interactive)
  (let ((root (expand-file-name (project-root (project-current t)))))
    (unless (and agent-q-fs-workspace
                 (file-equal-p root (agent-q-fs-workspace-root agent-q-fs-workspace)))
      (agent-q-fs-set-root root)))
  (call-interactively #'agent-q-fs))

;;;###autoload
(defun agent-q-fs-project-setup (&optional remove)
  "Add the menu to `project-switch-commands' and to `project-prefix-map'.
With REMOVE, the prefix argument, remove it from there."
  (interactive "P")
  (let ((others (if (listp project-switch-commands)
                    (assq-delete-all 'agent-q-fs-project
                                     (copy-sequence project-switch-commands))
                  project-switch-commands)))
    (when (listp others)
      (setq project-switch-commands
            (if remove others
              (append others
                      (list (list 'agent-q-fs-project "Agent files"
                                  (aref agent-q-fs-project-key 0)))))))
    (define-key project-prefix-map agent-q-fs-project-key
      (unless remove #'agent-q-fs-project))))

(provide 'agent-q-fs-menu)
;;; agent-q-fs-menu.el ends here

;;; agent-q-fs-ui.el --- The menu, and common code of commands for people  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The tools by hand.  `M-x agent-q-fs' is a menu of all commands; they are in
;;
;;     agent-q-fs-tree.el       the project as a tree
;;     agent-q-fs-grep.el       lines that match
;;     agent-q-fs-find.el       names of files in the minibuffer; lines of one file
;;     agent-q-fs-change.el     replace, insert, create, move, delete, patch
;;     agent-q-fs-undo.el       taking a call back; snapshots
;;     agent-q-fs-review.el     what agents changed, hunk by hunk
;;     agent-q-fs-log.el        the latest calls
;;     agent-q-fs-requests.el   what agents ask, and wait for
;;     agent-q-fs-tour.el       a tour
;;
;; and this file has the menu, and the code that all share: which workspace is meant,
;; errors in words, buffers that list files, and jobs that fill them.
;;
;; A buffer that lists files belongs to the workspace it was made for.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-job)
(require 'agent-q-fs-show)
(require 'project)
(require 'subr-x)
(require 'transient)

(declare-function agent-q-fs-apply-patch-here "agent-q-fs-change" (start end))
(declare-function agent-q-fs-copy "agent-q-fs-change" (source destination))
(declare-function agent-q-fs-create "agent-q-fs-change" (path &optional content then))
(declare-function agent-q-fs-delete "agent-q-fs-change" (paths))
(declare-function agent-q-fs-find "agent-q-fs-find" (&optional directory))
(declare-function agent-q-fs-grep "agent-q-fs-grep" (pattern &optional path include))
(declare-function agent-q-fs-insert "agent-q-fs-change" (path line &optional text))
(declare-function agent-q-fs-mode-line-mode "agent-q-fs-log" (&optional arg))
(declare-function agent-q-fs-mkdir "agent-q-fs-change" (path))
(declare-function agent-q-fs-move "agent-q-fs-change" (source destination))
(declare-function agent-q-fs-requests "agent-q-fs-requests" (&optional list))
(declare-function agent-q-fs-sessions "agent-q-fs-exec-session" ())
(declare-function agent-q-fs-snapshots "agent-q-fs-undo" ())
(declare-function agent-q-fs-str-replace "agent-q-fs-change" (path old &optional new))
(declare-function agent-q-fs-tour "agent-q-fs-tour" ())
(declare-function agent-q-fs-tree "agent-q-fs-tree" (&optional path here))
(declare-function agent-q-fs-review "agent-q-fs-review" (&optional scope))
(declare-function agent-q-fs-undo "agent-q-fs-undo" (&optional choose))
(declare-function agent-q-fs-view "agent-q-fs-find" (path &optional start end))
(declare-function dired-get-filename "dired" (&optional localp no-error-if-not-filep))
(declare-function dired-jump "dired" (&optional other-window file-name))

(defgroup agent-q-fs-ui nil
  "The file tools by hand."
  :group 'agent-q-fs)

(defface agent-q-fs-ui-path '((t :inherit font-lock-function-name-face))
  "Face for the name of a file."
  :group 'agent-q-fs-ui)

(defface agent-q-fs-ui-directory '((t :inherit font-lock-keyword-face :weight bold))
  "Face for the name of a directory."
  :group 'agent-q-fs-ui)

(defface agent-q-fs-ui-note '((t :inherit shadow))
  "Face for sizes, line numbers and other notes beside names."
  :group 'agent-q-fs-ui)


;;;; Visible text

(defun agent-q-fs-ui-visible (text &optional name)
  "Return TEXT as `agent-q-fs-show-visible' does, with NAME as a name.
Quickly where there is nothing to make visible, as in most of many lines."
  (if (let ((case-fold-search nil))
        (if name
            (string-match-p "\\`[!-~]*\\'" text)
          (and (<= (length text) 40) (string-match-p "\\`[ -~]*\\'" text))))
      text
    (agent-q-fs-show-visible text name)))


;;;; Errors

(defconst agent-q-fs-ui--rewordings
  '(("\\`Path '\\(.*\\)' is binary (\\(.*\\)): use read_bytes$"
     . "\\1 is a binary file (\\2): it has no text to show or change")
    ("^If it is text, pass encoding to name its charset$" . "")
    ("\\`old_str does not occur" . "That text does not occur")
    ("; read the file again: it may .*" . "")
    ("\\`old_str occurs" . "That text occurs")
    ("^extend old_str with text around .*" . "Give more of what is around it, until it occurs once")
    ("\\`old_str and new_str are the same" . "Both texts are the same")
    ("\\`the patch changes no file\\(?:\nexpected a unified diff .*\\)?\\'" . "There is no patch here")
    ("\\`line: expected 0 .* which has \\([0-9]+ lines?\\), not \\(.*\\)"
     . "There is no line \\2: the file has \\1")
    ("\\`content is empty" . "The text is empty")
    ("^an empty line is \"\\\\n\"$" . ""))
  "The core's words for models, as regexps, and those for people instead.")

(defun agent-q-fs-ui-words (problem)
  "Return PROBLEM, a reply that is an error, in words for a person."
  (let* ((hint (plist-get problem :hint))
         (words (concat (plist-get problem :message) (and hint (concat "\n" hint))))
         (case-fold-search nil))
    (pcase-dolist (`(,regexp . ,instead) agent-q-fs-ui--rewordings)
      (setq words (replace-regexp-in-string regexp instead words t)))
    (agent-q-fs-show-visible (string-trim-right words "\n+"))))

(defmacro agent-q-fs-ui-with-words (&rest body)
  "Run BODY; an `agent-q-fs-error' in it becomes a `user-error' in words."
  (declare (indent 0) (debug (body)))
  `(condition-case problem
       (progn ,@body)
     (agent-q-fs-error (user-error "%s" (agent-q-fs-ui-words (cdr problem))))))


(defun agent-q-fs-ui-without (plist key)
  "Return PLIST without KEY."
  (let (left)
    (while plist
      (unless (eq key (car plist))
        (setq left (nconc left (list (car plist) (cadr plist)))))
      (setq plist (cddr plist)))
    left))


;;;; Workspaces

(defvar-local agent-q-fs-ui--workspace nil
  "The workspace that this buffer is about; nil for the current one.")

(defun agent-q-fs-ui--chosen-workspace ()
  "Return the workspace that the menu was opened for, if its command runs."
  (and (bound-and-true-p transient-current-prefix)
       (eq 'agent-q-fs (oref transient-current-prefix command))
       (oref transient-current-prefix scope)))

(defun agent-q-fs-ui--found-workspace ()
  "Return the current workspace.
If it is opened now, and is not of this directory, say of which it is."
  (let* ((known (or agent-q-fs-workspace (agent-q-fs-found-workspace)))
         (workspace (agent-q-fs-current-workspace))
         (root (agent-q-fs-workspace-root workspace)))
    (unless (or (eq known workspace)
                (equal root (file-name-as-directory (expand-file-name default-directory))))
      (message "The project is %s (%s)" (agent-q-fs-show-visible root)
               (substring (symbol-name (plist-get (agent-q-fs-workspace-facts workspace) :method))
                          1)))
    workspace))

(defun agent-q-fs-ui-workspace ()
  "Return the workspace that is meant here.
Where no project is around, ask for its root."
  (or agent-q-fs-ui--workspace
      (agent-q-fs-ui--chosen-workspace)
      (agent-q-fs-ui-with-words
        (condition-case problem
            (agent-q-fs-ui--found-workspace)
          (agent-q-fs-invalid-argument
           (when noninteractive
             (signal (car problem) (cdr problem)))
           (agent-q-fs-found-workspace
            (agent-q-fs-open
             :root (expand-file-name
                    (read-directory-name "No project is around here.  Project root: "
                                         nil nil t)))))))))

(defun agent-q-fs-ui-root ()
  "Return the directory of the workspace that is meant here."
  (agent-q-fs-workspace-root (agent-q-fs-ui-workspace)))

(defun agent-q-fs-ui-file (path)
  "Return the name of the file that the workspace here calls PATH."
  (let ((file-name-handler-alist nil))
    (directory-file-name
     (cond ((file-name-absolute-p path)
            (concat (agent-q-fs-workspace-prefix (agent-q-fs-ui-workspace)) path))
           ((equal path ".") (agent-q-fs-ui-root))
           (t (concat (agent-q-fs-ui-root) path))))))

(defun agent-q-fs-ui-path (file)
  "Return the path of FILE in the workspace here, or nil if it is not inside."
  (let ((root (agent-q-fs-ui-root)))
    (and file
         (cond ((string-prefix-p root file) (string-remove-prefix root file))
               ((file-remote-p file) nil)
               ((string-prefix-p root (file-truename file))
                (string-remove-prefix root (file-truename file)))))))

(defun agent-q-fs-ui-path-here ()
  "Return the path that point is about, or nil."
  (or (get-text-property (point) 'agent-q-fs-path)
      (and (derived-mode-p 'dired-mode) (fboundp 'dired-get-filename)
           (agent-q-fs-ui-path (dired-get-filename nil t)))
      (agent-q-fs-ui-path buffer-file-name)))

(defvar-local agent-q-fs-ui-marked-function nil
  "A function that returns the paths that are marked in this buffer, or nil.")

(defun agent-q-fs-ui-marked ()
  "Return the paths of the files that are marked here, or nil.
In Dired these are files of the workspace; others are an error."
  (cond
   (agent-q-fs-ui-marked-function (funcall agent-q-fs-ui-marked-function))
   ((and (derived-mode-p 'dired-mode) (fboundp 'dired-get-marked-files))
    (mapcar (lambda (file)
              (or (agent-q-fs-ui-path file)
                  (user-error "%s is not in %s" (agent-q-fs-show-visible file t)
                              (agent-q-fs-show-visible (agent-q-fs-ui-root) t))))
            (dired-get-marked-files nil nil nil t)))))

;;;###autoload
(defun agent-q-fs-show-root ()
  "Show the directory that paths are in, and how it was found."
  (interactive)
  (let ((facts (agent-q-fs-ui-with-words
                 (agent-q-fs-get-project-root (agent-q-fs-ui-workspace)))))
    (message "Paths are in %s, %s" (agent-q-fs-show-visible (plist-get facts :root) t)
             (if (eq :explicit (plist-get facts :method)) "as it was set"
               (format "which was found by %s"
                       (substring (symbol-name (plist-get facts :method)) 1))))))

;;;###autoload
(defun agent-q-fs-set-root (directory)
  "Make DIRECTORY the project of all calls that name no workspace.
With an empty name, each call goes to the project that it comes from again."
  (interactive
   (list (let ((name (read-directory-name "Root for all calls (empty: each its own project): "
                                          nil "" nil "")))
           (unless (equal name "") name))))
  (agent-q-fs-ui--pin
   (unless (member directory '(nil ""))
     (agent-q-fs-ui-with-words
       (agent-q-fs-open :root (expand-file-name directory)))))
  (let ((listing agent-q-fs-ui--workspace)
        (agent-q-fs-ui--workspace nil))
    (if listing
        (agent-q-fs-tree)               ; this buffer lists another project
      (agent-q-fs-show-root))))

;;;###autoload
(defun agent-q-fs-pin (&optional release)
  "Have the calls of all buffers and chats go to the project of this buffer.
The mode line shows it.  A connected Lisp and agents outside Emacs keep
their own project.  With RELEASE, the prefix argument, or where this
project is pinned already, each call goes to its own project again."
  (interactive "P")
  (let ((here (unless release
                (let ((agent-q-fs-workspace nil)) (agent-q-fs-ui-workspace)))))
    (agent-q-fs-ui--pin
     (unless (and here agent-q-fs-workspace
                  (equal (agent-q-fs-workspace-root agent-q-fs-workspace)
                         (agent-q-fs-workspace-root here)))
       here)))
  (message (if agent-q-fs-workspace
               "Calls of all buffers and chats go to %s now; C-u M-x agent-q-fs-pin ends that"
             "Each call goes to its own project now")
           (and agent-q-fs-workspace
                (agent-q-fs-show-visible (agent-q-fs-workspace-root agent-q-fs-workspace) t))))

(defun agent-q-fs-ui--pin (workspace)
  "Have all calls that name no workspace go to WORKSPACE; nil: to their own."
  (setq agent-q-fs-workspace workspace)
  (add-to-list 'mode-line-misc-info
               '(agent-q-fs-workspace (:eval (agent-q-fs-ui--pinned-text))))
  (force-mode-line-update t))

(defun agent-q-fs-ui--pinned-text ()
  "Return the words of the mode line about the pinned project."
  (let ((root (directory-file-name (agent-q-fs-workspace-root agent-q-fs-workspace))))
    (propertize (format "[files: %s] "
                        (agent-q-fs-show-visible (file-name-nondirectory root) t))
                'face 'warning
                'help-echo "Calls of all buffers and chats go to this project; \
C-u M-x agent-q-fs-pin ends that")))


;;;; Buffers that list files

(defvar-local agent-q-fs-ui-place-function #'agent-q-fs-ui--line-place
  "A function that returns the place that point is about.
That is (PATH LINE COLUMN), the latter two nil for a whole file, or nil.")

(defvar agent-q-fs-ui-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "\C-m" #'agent-q-fs-ui-open)
    (define-key map "o" #'agent-q-fs-ui-open-other-window)
    (define-key map "\C-o" #'agent-q-fs-ui-display)
    (define-key map [mouse-2] #'agent-q-fs-ui-open-at-mouse)
    (define-key map [follow-link] 'mouse-face)
    (define-key map "v" #'agent-q-fs-ui-view)
    (define-key map "w" #'agent-q-fs-ui-copy-path)
    (define-key map "\C-x\C-j" #'agent-q-fs-ui-dired)
    (define-key map "\C-c\C-k" #'agent-q-fs-ui-end-job)
    map)
  "Keys in buffers that list files.")

(define-derived-mode agent-q-fs-ui-mode special-mode "Files"
  "A buffer that lists files of a project.
\\{agent-q-fs-ui-mode-map}"
  (setq-local truncate-lines t
              bidi-paragraph-direction 'left-to-right
              bidi-display-reordering nil
              buffer-undo-list t)
  (add-hook 'context-menu-functions #'agent-q-fs-ui--context-menu nil t))

(defun agent-q-fs-ui-belong (workspace)
  "Make the current buffer one about WORKSPACE."
  (setq agent-q-fs-ui--workspace workspace
        default-directory (agent-q-fs-workspace-root workspace)))

(defun agent-q-fs-ui--line-place ()
  "Return the place of the file that the line at point is about, or nil."
  (let ((path (get-text-property (line-beginning-position) 'agent-q-fs-path)))
    (and path (list path nil nil))))

(defun agent-q-fs-ui--place ()
  "Return the place that point is about, or fail."
  (or (funcall agent-q-fs-ui-place-function)
      (user-error "There is no file here")))

(defun agent-q-fs-ui-open (&optional other)
  "Visit what this line is about, with OTHER in another window."
  (interactive nil agent-q-fs-ui-mode)
  (pcase-let ((`(,path ,line ,column) (agent-q-fs-ui--place)))
    (agent-q-fs-ui-visit (agent-q-fs-ui-file path) line column other)))

(defun agent-q-fs-ui-open-other-window ()
  "Visit what this line is about in another window."
  (interactive nil agent-q-fs-ui-mode)
  (agent-q-fs-ui-open t))

(defun agent-q-fs-ui-display ()
  "Show what this line is about in another window, and stay here."
  (interactive nil agent-q-fs-ui-mode)
  (save-selected-window (agent-q-fs-ui-open t)))

(defun agent-q-fs-ui-open-at-mouse (event)
  "Visit what the line is about that EVENT, a click, is on."
  (interactive "e" agent-q-fs-ui-mode)
  (mouse-set-point event)
  (call-interactively (or (command-remapping #'agent-q-fs-ui-open) #'agent-q-fs-ui-open)))

(defun agent-q-fs-ui-view ()
  "Show lines of the file of this line, without visiting it."
  (interactive nil agent-q-fs-ui-mode)
  (pcase-let ((`(,path ,line ,_) (agent-q-fs-ui--place)))
    (agent-q-fs-view path (or line 1))))

(defun agent-q-fs-ui-copy-path ()
  "Put the path of the file of this line into the kill ring."
  (interactive nil agent-q-fs-ui-mode)
  (let ((path (car (agent-q-fs-ui--place))))
    (kill-new path)
    (message "%s" (agent-q-fs-show-visible path t))))

(defun agent-q-fs-ui-dired ()
  "Show the file of this line in Dired."
  (interactive nil agent-q-fs-ui-mode)
  (dired-jump t (agent-q-fs-ui-file (car (agent-q-fs-ui--place)))))

(defun agent-q-fs-ui-end-job ()
  "End the job that fills this buffer."
  (interactive nil agent-q-fs-ui-mode)
  (unless (agent-q-fs-ui-stop)
    (user-error "Nothing runs here")))

(defun agent-q-fs-ui--context-menu (menu click)
  "Add to MENU what can be done with the file that CLICK is on."
  (save-excursion
    (mouse-set-point click)
    (when (ignore-errors (funcall agent-q-fs-ui-place-function))
      (define-key menu [agent-q-fs-separator] menu-bar-separator)
      (agent-q-fs-ui--add-items menu '((agent-q-fs-ui-copy-path . "Copy Path")
                                       (agent-q-fs-ui-dired . "Show in Dired")
                                       (agent-q-fs-ui-view . "View Lines")
                                       (agent-q-fs-ui-open-other-window . "Visit Beside")
                                       (agent-q-fs-ui-open . "Visit")))))
  menu)

(defun agent-q-fs-ui--add-items (menu items)
  "Add ITEMS, a list of (COMMAND . WORDS), the last one first, to MENU; return it."
  (pcase-dolist (`(,command . ,words) items menu)
    (define-key menu (vector command) (list 'menu-item words command))))


;;;; Jobs that belong to a buffer

(defvar-local agent-q-fs-ui--job nil
  "The job that fills this buffer, while it runs.")

(defun agent-q-fs-ui-running-p ()
  "Return non-nil while a job fills this buffer."
  (and agent-q-fs-ui--job
       (eq 'running (agent-q-fs-job-state agent-q-fs-ui--job))))

(defun agent-q-fs-ui-stop ()
  "Stop the job that fills this buffer; return non-nil if there was one."
  (when (agent-q-fs-ui-running-p)
    (agent-q-fs-job-cancel agent-q-fs-ui--job)
    t))

(defun agent-q-fs-ui-reporter (words)
  "Return a function that reports progress as WORDS, where nobody is typing."
  (let ((reporter nil) (start (float-time)))
    (lambda (n)
      (unless (or (active-minibuffer-window) noninteractive)
        (cond
         ((eq n 'done)
          (when reporter (progress-reporter-done reporter)))
         (reporter
          (progress-reporter-update reporter nil (format "%d" n)))
         ((< 0.3 (- (float-time) start)) ; what is fast needs no words
          (setq reporter (make-progress-reporter words))))))))

(defun agent-q-fs-ui-start (operation arguments words on-items end)
  "Have OPERATION with ARGUMENTS fill the current buffer, and return at once.
A job that filled it before stops, and its functions are not called any
more.  WORDS tell the person what goes on.  ON-ITEMS is called with
results as they come and END
with the reply, or with the error as (SYMBOL . DATA); both in this buffer,
if it still lives."
  (let ((old (and (agent-q-fs-ui-running-p) agent-q-fs-ui--job)))
    (setq agent-q-fs-ui--job nil)
    (when old (agent-q-fs-job-cancel old)))
  (let* ((buffer (current-buffer))
         (report (agent-q-fs-ui-reporter words))
         (job nil)
         (here (lambda (function value)
                 (when (and function (buffer-live-p buffer))
                   (with-current-buffer buffer
                     (when (eq job agent-q-fs-ui--job)
                       (funcall function value))))))
         (ended (lambda (value)
                  (funcall report 'done)
                  (when (buffer-live-p buffer)
                    (with-current-buffer buffer (setq mode-line-process nil)))
                  (funcall here end value)
                  (force-mode-line-update t))))
    (add-hook 'kill-buffer-hook #'agent-q-fs-ui-stop nil t)
    (condition-case problem
        (setq job (agent-q-fs-call-async
                   (agent-q-fs-ui-workspace) operation arguments
                   :on-items (lambda (items) (funcall here on-items items))
                   :on-progress report :on-done ended :on-error ended)
              agent-q-fs-ui--job job
              mode-line-process '(:propertize ":run" face warning))
      (agent-q-fs-error (funcall ended problem)))
    (force-mode-line-update)))

(defun agent-q-fs-ui-call (words workspace operation arguments &rest how)
  "Return the reply of OPERATION with ARGUMENTS in WORKSPACE, and wait for it.
WORDS say what goes on where that takes longer than a second, and for how
long it has.  Quitting ends the call.  HOW is for `agent-q-fs-call-async'."
  (let* ((far nil) reply problem
         (job (apply #'agent-q-fs-call-async workspace operation arguments
                     :on-progress (lambda (n) (setq far n))
                     :on-done (lambda (answer) (setq reply answer))
                     :on-error (lambda (answer) (setq problem answer))
                     how)))
    (unwind-protect
        (agent-q-fs-job-watch words (lambda () (eq 'running (agent-q-fs-job-state job)))
                            (lambda () far))
      (agent-q-fs-job-cancel job))
    (when problem (signal (car problem) (cdr problem)))
    reply))

(defun agent-q-fs-ui-fails-p (reply)
  "Return words for a person if REPLY, which a job ended with, is an error."
  (when (get (car-safe reply) 'error-conditions)
    (if (eq 'agent-q-fs-cancelled (car reply))
        "stopped"
      (agent-q-fs-ui-words (cdr reply)))))

(defun agent-q-fs-ui-visit (file &optional line column other)
  "Visit FILE at LINE and COLUMN, counted from 1 and 0, in an OTHER window maybe.
A file of a workspace in memory is shown by `agent-q-fs-view'."
  (if (eq :memory (plist-get (agent-q-fs-workspace-facts (agent-q-fs-ui-workspace)) :backend))
      (agent-q-fs-view (agent-q-fs-ui-path file) (or line 1))
    (unless (file-exists-p file)
      (user-error "It is not there any more: %s" (agent-q-fs-show-visible file t)))
    (if other (find-file-other-window file) (find-file file))
    (when line
      (agent-q-fs-ui-goto line column))))

(defun agent-q-fs-ui-goto (line column)
  "Go to LINE and COLUMN, counted from 1 and 0, of the current buffer."
  (push-mark nil t)
  (let ((place (save-restriction
                 (widen)
                 (goto-char (point-min))
                 (forward-line (1- line))
                 (min (line-end-position) (+ (point) (or column 0))))))
    (unless (<= (point-min) place (point-max))
      (widen))
    (goto-char place)))


;;;; The menu

;; `M-x agent-q-fs' is a menu of the commands for people.  For those who use
;; project.el, (agent-q-fs-project-setup) adds it to the menu of
;; `project-switch-project' and to `project-prefix-map'; nothing else does.

(defcustom agent-q-fs-project-key "a"
  "The key of the menu in `project-prefix-map', for `agent-q-fs-project-setup'."
  :type 'string
  :group 'agent-q-fs-ui)

(defun agent-q-fs-menu--title ()
  "Return the header above the menu."
  (let ((workspace (or agent-q-fs-ui--workspace
                       (oref transient--prefix scope)
                       agent-q-fs-workspace
                       (ignore-error agent-q-fs-error (agent-q-fs-found-workspace)))))
    (concat (propertize "Files of " 'face 'transient-heading)
            (if workspace
                (propertize (agent-q-fs-show-visible (agent-q-fs-workspace-root workspace) t)
                            'face 'transient-value)
              (propertize "the project around here" 'face 'transient-heading))
            (let ((marked (and workspace (ignore-errors (agent-q-fs-ui-marked)))))
              (if marked (format ", %d chosen here" (length marked)) ""))
            "\n")))

(defun agent-q-fs-menu--policy ()
  "Return the words of the menu about the policy."
  (concat "policy: " (propertize (format "%s" (default-value 'agent-q-fs-policy))
                                 'face 'transient-value)))

;;;###autoload (autoload 'agent-q-fs "agent-q-fs-ui" nil t)
(transient-define-prefix agent-q-fs (&optional workspace)
  "A menu of the commands of agent-q-fs, in WORKSPACE or in the project here."
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
    ("C" "copy" agent-q-fs-copy)
    ("+" "make a directory" agent-q-fs-mkdir)
    ("d" "delete" agent-q-fs-delete)
    ("p" "apply the patch here" agent-q-fs-apply-patch-here)]
   ["Project"
    ("=" "show the root" agent-q-fs-show-root)
    ("P" "pin this project" agent-q-fs-pin)
    ("s" "set the root" agent-q-fs-set-root)
    ("S" "snapshots" agent-q-fs-snapshots)
    ("R" "review changes" agent-q-fs-review)
    ("u" "undo the last call" agent-q-fs-undo)]
   ["Agents"
    ("q" "requests that wait" agent-q-fs-requests)
    ("l" "log of calls" agent-q-fs-log)
    ("y" agent-q-fs-policy :description agent-q-fs-menu--policy)
    ("a" "remembered approvals" agent-q-fs-approvals)
    ("x" "commands that run" agent-q-fs-sessions)
    ("w" "running calls in mode line" agent-q-fs-mode-line-mode)
    ("T" "a tour" agent-q-fs-tour)
    ("M" "the manual" agent-q-fs-manual)]]
  (interactive)
  (transient-setup 'agent-q-fs nil nil :scope workspace))

;;;###autoload
(defun agent-q-fs-project ()
  "Open the menu for the current project of project.el."
  (interactive)
  (agent-q-fs (agent-q-fs-ui-with-words
                (let ((default-directory (expand-file-name (project-root (project-current t))))
                      (agent-q-fs-workspace nil))
                  (agent-q-fs-current-workspace)))))

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
                                  (aref (default-value 'agent-q-fs-project-key) 0)))))))
    (define-key project-prefix-map (default-value 'agent-q-fs-project-key)
      (unless remove #'agent-q-fs-project))))

(provide 'agent-q-fs-ui)
;;; agent-q-fs-ui.el ends here

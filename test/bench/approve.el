;;; approve.el --- what being asked costs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L build/elisp -L build/test/bench -l bench -l approve \
;;           -f bench-approve-main SCRATCH
;;
;; Rows for changes that need an approval, as bench.el prints them:
;;
;;     approve/patch-2000        a patch of 2,000 files through the dispatcher, approved,
;;                               against one call of the core that commits it
;;     approve/preview-locked    a preview while another process holds the commit's
;;                               lock, against the same while nobody does
;;     approve/preview-unmade    a preview where the state directory cannot be made,
;;                               against the same where it can
;;
;; A run changes a fresh tree; the two sides take turns.  SCRATCH is best in memory: on
;; a busy disk what the commit waits for hides what comes before it.

;;; Code:

(require 'bench)
(require 'agent-q-fs)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-approve)

(defconst bench-approve-files 2000 "How many files a patch changes.")

(defun bench-approve-name (i)
  "The name of file I."
  (format "d%02d/f%04d.txt" (% i 40) i))

(defun bench-approve-tree (directory)
  "Make DIRECTORY anew, with the files that the patch is for."
  (delete-directory directory t)
  (dotimes (d 40)
    (make-directory (expand-file-name (format "d%02d" d) directory) t))
  (let ((write-region-inhibit-fsync t)
        (text (concat "one\ntwo\nthree\n" (make-string 500 ?x) "\n")))
    (dotimes (i bench-approve-files)
      (write-region text nil (expand-file-name (bench-approve-name i) directory) nil 0))))

(defun bench-approve-patch ()
  "The patch."
  (with-temp-buffer
    (dotimes (i bench-approve-files)
      (let ((name (bench-approve-name i)))
        (insert (format "--- a/%s\n+++ b/%s\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
                        name name))))
    (buffer-string)))

(defun bench-approve-open (directory &optional state)
  "Open DIRECTORY/root, with the state directory STATE or a new one."
  (agent-q-fs-open :root (expand-file-name "root" directory)
                   :state_dir (or state (expand-file-name "state" directory))))

(defun bench-approve-check (directory)
  "Fail unless the patch was applied below DIRECTORY."
  (dolist (i (list 0 (1- bench-approve-files)))
    (with-temp-buffer
      (insert-file-contents (expand-file-name (bench-approve-name i) directory))
      (unless (string-prefix-p "one\n2\nthree\n" (buffer-string))
        (error "The patch was not applied")))))

(defun bench-approve-run (directory change)
  "Milliseconds that CHANGE, a function of a workspace, takes in a fresh DIRECTORY."
  (let ((root (expand-file-name "root" directory)))
    (delete-directory directory t)
    (bench-approve-tree root)
    (call-process "sync" nil nil nil "-f" directory)
    (let* ((ws (bench-approve-open directory))
           (ms (bench-time 1 (lambda () (funcall change ws)))))
      (agent-q-fs-close ws)
      (bench-approve-check root)
      ms)))

(defun bench-approve-row (row bound name ours peer)
  "Print ROW: OURS and PEER, called NAME, each answer milliseconds; at most BOUND."
  (when (string-match-p (wildcard-to-regexp bench-rows) row)
    (let (ours-ms peer-ms)
      (dotimes (_ bench-runs)
        (push (funcall ours) ours-ms)
        (push (funcall peer) peer-ms))
      (bench-print row (bench-median ours-ms) name (bench-median peer-ms) bound t))))

(defun bench-approve-patch-row (directory)
  "The row of a large patch, in DIRECTORY."
  (let ((patch (bench-approve-patch))
        (agent-q-fs-policy 'always)
        (agent-q-fs-unattended-function (lambda (_request) '(:decision approved))))
    (bench-approve-row
     "approve/patch-2000" 1.25 "its-commit"
     (lambda ()
       (bench-approve-run directory
                          (lambda (ws) (agent-q-fs-call-tool "apply_patch" `(:patch ,patch) ws))))
     (lambda ()
       (bench-approve-run directory
                          (lambda (ws)
                            (agent-q-fs--mod-call (agent-q-fs-workspace-handle ws) "apply_patch"
                                                  `(:patch ,patch) '(:authority dangerous))))))))

(defun bench-approve-hold (lock)
  "Start a process that holds LOCK, a file, and return it when it does."
  (let ((process (make-process :name "lock" :command `("flock" ,lock "sh" "-c" "echo held; cat")
                               :connection-type 'pipe :noquery t)))
    (while (not (accept-process-output process 10))
      (error "The lock is not to be had"))
    process))

(defun bench-approve-preview (ws)
  "Preview an edit in WS."
  (agent-q-fs-preview ws 'edit_file :path "d00/f0000.txt" :old_str "two" :new_str "2"))

(defun bench-approve-preview-rows (directory)
  "The rows of previews, in DIRECTORY."
  (delete-directory directory t)
  (bench-approve-tree (expand-file-name "root" directory))
  (let* ((ws (bench-approve-open directory))
         (unmade (bench-approve-open directory "/proc/self/none"))
         (free (lambda () (bench-time 20 (lambda () (bench-approve-preview ws))))))
    ;; A commit makes the lock's file.
    (let ((agent-q-fs-authority 'dangerous))
      (agent-q-fs-call ws 'write_file :path "new" :content "x"))
    (let ((lock (car (directory-files-recursively (expand-file-name "state" directory)
                                                  "\\.lock\\'"))))
      (bench-approve-row
       "approve/preview-locked" 1.25 "unlocked"
       (lambda ()
         (let ((holder (bench-approve-hold lock)))
           (unwind-protect (bench-time 1 (lambda () (bench-approve-preview ws)))
             (delete-process holder))))
       free))
    (bench-approve-row
     "approve/preview-unmade" 1.25 "made"
     (lambda () (bench-time 20 (lambda () (bench-approve-preview unmade))))
     free)))

(defun bench-approve-main ()
  "Run the rows; the command line is SCRATCH."
  (let ((directory (file-truename (pop command-line-args-left))))
    (bench-approve-patch-row directory)
    (bench-approve-preview-rows directory)
    (delete-directory directory t)))

(provide 'approve)
;;; approve.el ends here

;;; bench.el --- the rows that are measured inside Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L build/elisp -l build/test/bench/bench.elc -f bench-main LABEL DIR SCRATCH
;;
;; Sets calls of the module against what Emacs Lisp does alone, in this one
;; Emacs and in turns, and prints `BENCH' lines as bench.c does.  The answers are
;; compared first.  Exits with 1 when one differed.

;;; Code:

(require 'subr-x)
(require 'agent-q-fs)
(require 'agent-q-fs-exec)
(require 'agent-q-fs-refresh)
(require 'agent-q-fs-tools)

(defvar bench-runs (string-to-number (or (getenv "BENCH_RUNS") "9")))
(defvar bench-rows (or (getenv "BENCH_ROWS") "*"))
(defvar bench-differed nil "Whether an answer differed.")

(defun bench-median (numbers)
  "The middle one of NUMBERS."
  (nth (/ (length numbers) 2) (sort (copy-sequence numbers) #'<)))

(defun bench-time (times function)
  "Milliseconds that FUNCTION takes, the mean of TIMES calls.
Garbage of earlier runs is not counted against this one; its own is."
  (garbage-collect)
  (let ((start (float-time)))
    (dotimes (_ times) (funcall function))
    (/ (* 1000 (- (float-time) start)) times)))

(defun bench-print (row ours name peer bound same)
  "Print the line of ROW: OURS and PEER, called NAME, in milliseconds."
  (let ((ratio (/ ours peer)))
    (princ (format "BENCH %s %.3f %s %.3f %.3f %.2f %s\n" row ours name peer ratio bound
                   (cond ((not same) "DIFFERS") ((<= ratio bound) "ok") ("SHORT"))))))

(defun bench-compare (row bound times ours name peer &optional difference)
  "Measure OURS against PEER, functions that answer the same.
ROW, BOUND and NAME are for the printed line; TIMES calls make one run.
DIFFERENCE, given both answers, says how they differ or nil; without it
they are to be `equal'."
  (when (string-match-p (wildcard-to-regexp bench-rows) row)
    (let ((different (funcall (or difference #'bench-difference) (funcall ours) (funcall peer)))
          ours-ms peer-ms)
      (when different
        (setq bench-differed t)
        (message "  %s: %s" row different))
      (dotimes (_ bench-runs)
        (push (bench-time times ours) ours-ms)
        (push (bench-time times peer) peer-ms))
      (bench-print row (bench-median ours-ms) name (bench-median peer-ms) bound (not different)))))

(defun bench-difference (a b)
  "How A and B differ, nil if they do not."
  (unless (equal a b)
    (format "ours %.80S, the peer's %.80S" a b)))

;;; The tree

(defun bench-elisp-tree (directory name)
  "The tree below DIRECTORY, called NAME, as an Emacs Lisp programmer writes it."
  (list :name name :type :directory
        :children
        (mapcar (pcase-lambda (`(,file . ,attributes))
                  (pcase (file-attribute-type attributes)
                    ('t (bench-elisp-tree (concat directory "/" file) file))
                    ('nil (list :name file :type :file
                                :size (file-attribute-size attributes)))
                    (_ (list :name file :type :symlink))))
                (directory-files-and-attributes
                 directory nil directory-files-no-dot-files-regexp))))

(defun bench-canonical (node)
  "The parts of the tree NODE that both sides tell, sorted by name."
  (append (list (plist-get node :name) (plist-get node :type))
          (when (eq (plist-get node :type) :file)
            (list (plist-get node :size)))
          (sort (mapcar #'bench-canonical (plist-get node :children))
                (lambda (a b) (string< (car a) (car b))))))

(defun bench-tree-difference (ours peer)
  "How the trees OURS and PEER differ; the roots' own names are nobody's business."
  (let ((a (cddr (bench-canonical ours)))
        (b (cddr (bench-canonical peer))))
    (unless (equal a b)
      (bench-first-difference a b "."))))

(defun bench-first-difference (a b path)
  "Where below PATH the sorted children A and B differ first."
  (while (and a b (equal (car a) (car b)))
    (pop a)
    (pop b))
  (pcase-let ((`(,name ,type . ,rest) (car a))
              (`(,name-b ,type-b . ,rest-b) (car b)))
    (if (and (equal name name-b) (eq type :directory) (eq type-b :directory))
        (bench-first-difference rest rest-b (concat path "/" name))
      (format "in %s ours has %S, elisp %S" path
              (list name type (unless (consp (car rest)) (car rest)))
              (list name-b type-b (unless (consp (car rest-b)) (car rest-b)))))))

(defun bench-tree (label directory)
  "The row of the tree of DIRECTORY, with sizes; LABEL begins its name."
  (let ((ws (agent-q-fs-open :root directory :limits '(:reply_bytes 1073741824))))
    (bench-compare (concat label "/tree-emacs") 0.3 1
                   (lambda ()
                     (plist-get
                      (agent-q-fs-call ws 'directory_tree :limit 0 :exclude_patterns [])
                      :tree))
                   "elisp" (lambda () (bench-elisp-tree directory "."))
                   #'bench-tree-difference)))

;;; Small calls

(defun bench-insert-file (file)
  "The text of FILE by way of a buffer."
  (with-temp-buffer
    (insert-file-contents file)
    (buffer-string)))

(defun bench-small-file (directory)
  "Write a file of 4 KB into DIRECTORY and return its name."
  (let ((file (expand-file-name "four-kilobytes.txt" directory)))
    (make-directory directory t)
    (with-temp-file file
      (dotimes (i 64) (insert (format "%-63d\n" i))))
    file))

(defun bench-small-calls (directory)
  "The rows of reading a file of 4 KB, in DIRECTORY."
  (let* ((file (bench-small-file directory))
         (name (file-name-nondirectory file))
         (ws (agent-q-fs-open :root directory))
         (peer (lambda () (bench-insert-file file))))
    (bench-compare "small/read-file-4k-call" 3.0 200
                   (lambda () (plist-get (agent-q-fs-call ws 'read_file :path name) :content))
                   "insert-file-contents" peer)
    (if (fboundp 'agent-q-fs-call-tool)
        (bench-compare "small/read-file-4k-tool" 3.0 200
                       (lambda () (agent-q-fs-call-tool "read_file" `(:path ,name) ws))
                       "insert-file-contents" peer
                       ;; The words that a model is shown may say more than the file.
                       (lambda (shown text)
                         (unless (string-search text shown)
                           (bench-difference shown text))))
      (princ "SKIP small/read-file-4k-tool agent-q-fs-call-tool does not exist\n"))))

;;; Buffers

(defun bench-changed-buffer (directory)
  "The row of a large buffer that is made like its file, in DIRECTORY, again."
  (let* ((file (expand-file-name "big.txt" directory))
         (buffer (progn (with-temp-file file
                          (dotimes (_ 30000) (insert "some line, with words\n")))
                        (find-file-noselect file))))
    (bench-compare "buffer/refresh" 20.0 1
                   (lambda ()
                     (with-current-buffer buffer
                       (let ((buffer-file-name nil) (inhibit-modification-hooks t))
                         (goto-char (point-max))
                         (insert "stale\n"))
                       (restore-buffer-modified-p nil)
                       (agent-q-fs-refresh buffer)
                       (buffer-string)))
                   "insert-file-contents" (lambda () (bench-insert-file file)))
    (kill-buffer buffer)))

(defun bench-many-buffers (directory)
  "The row of a write while 300 files of DIRECTORY are visited."
  (let* ((root (expand-file-name "visited/" directory))
         (ws (progn (make-directory root t) (agent-q-fs-open :root root)))
         (agent-q-fs-authority 'dangerous)
         (buffers nil)
         (n 0))
    (dotimes (i 300)
      (let ((file (expand-file-name (format "d%d/f%d" (% i 20) i) root)))
        (make-directory (file-name-directory file) t)
        (write-region "x\n" nil file nil 'quiet)
        (push (find-file-noselect file) buffers)))
    (bench-compare "buffer/write-among-300" 1.0 20
                   (lambda ()
                     (agent-q-fs-write-file ws "a.txt" (format "%d\n" (setq n (1+ n))))
                     t)
                   "file-truename" (lambda ()
                                     (dolist (buffer buffers t)
                                       (file-truename (buffer-file-name buffer)))))
    (mapc #'kill-buffer buffers)))

;;; Commands

(defun bench-command (row bound isolation directory words)
  "The ROW, with its BOUND, of a command that does nothing, against WORDS.
It runs in ISOLATION, in DIRECTORY."
  (let ((ws (agent-q-fs-open :root directory :isolation isolation))
        (agent-q-fs-policy 'never)
        (agent-q-fs-audit-file nil))
    (bench-compare row bound 20
                   (lambda () (agent-q-fs-call-tool "shell" '(:command "true") ws))
                   "call-process" (lambda () (apply #'call-process (car words) nil nil nil (cdr words)))
                   (lambda (said status)
                     (unless (string-prefix-p (format "Exit status %d " status) said)
                       (bench-difference said status))))
    (agent-q-fs-close ws)))

(defun bench-commands (directory)
  "The rows of a command that does nothing, in DIRECTORY and in each isolation."
  (let ((plain (list (agent-q-fs-exec-shell) "-c" "true")))
    (bench-command "command/shell-true" 1.5 'none directory plain)
    (when (< 0 (agent-q-fs-exec-landlock-level))
      (bench-command "command/shell-true-landlock" 2.0 'landlock directory plain))
    (when (agent-q-fs-exec-program "bwrap")
      (bench-command "command/shell-true-bubblewrap" 1.5 'bubblewrap directory
                     `("bwrap" "--unshare-all" "--ro-bind" "/" "/" "--proc" "/proc" "--dev" "/dev"
                       "--tmpfs" "/tmp" "--" ,@plain)))))

;;; Hostile text

(defun bench-hostile-text ()
  "The rows of text that slows careless code: half of it takes half the time."
  (pcase-dolist (`(,name . ,bytes)
                 `(("unfinished" . ,(apply #'concat (make-list 20000 "\e]")))
                   ("endless" . ,(concat "\e]" (make-string 65000 ?x)))
                   ("backspaces" . ,(make-string 65000 ?\b))))
    (bench-compare (concat "hostile/clean-" name) 3.0 5
                   (lambda () (agent-q-fs-exec-output-clean bytes) t)
                   "half-of-it" (lambda ()
                                  (agent-q-fs-exec-output-clean
                                   (substring bytes 0 (/ (length bytes) 2)))
                                  t)))
  (let ((ws (agent-q-fs-open :root temporary-file-directory))
        (json (concat "{\"path\":\"" (make-string 10000000 ?x) "\"}")))
    (bench-compare "hostile/json-10-mb" 30.0 1
                   (lambda () (string-prefix-p "Error: " (agent-q-fs-call-tool "read_file" json ws)))
                   "json-parse-string" (lambda () (hash-table-p (json-parse-string json))))))

(defun bench-main ()
  "Run the rows for the command line LABEL DIR SCRATCH."
  (pcase-let ((`(,label ,directory ,scratch) command-line-args-left))
    (setq command-line-args-left nil)
    (bench-tree label (directory-file-name (file-truename directory)))
    (unless (string-empty-p scratch)
      (bench-small-calls (file-truename scratch))
      (bench-changed-buffer (file-truename scratch))
      (bench-many-buffers (file-truename scratch))
      (bench-commands (file-truename scratch))
      (bench-hostile-text))
    (kill-emacs (if bench-differed 1 0))))

(provide 'bench)
;;; bench.el ends here

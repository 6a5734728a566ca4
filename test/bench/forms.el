;;; forms.el --- the rows of Lisp files as forms  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L build/elisp -L build/test/bench -l build/test/bench/forms.elc -f bench-forms-main SCRATCH
;;
;; Lists the forms of all Emacs Lisp that this Emacs brings, of which SCRATCH gets copies, and
;; sets that against Emacs' own imenu over these files, and against reading their bytes.
;; Edits a file of 4 KB as Lisp and as a text, to see what looking for its balance costs.

;;; Code:

(require 'bench)
(require 'cl-lib)
(require 'imenu)

(defun bench-forms--sources ()
  "The names of the files of Emacs Lisp that this Emacs brings, packed or not."
  (directory-files-recursively (file-name-directory (locate-library "simple"))
                               "\\.el\\(\\.gz\\)?\\'"))

(defun bench-forms--copies (directory)
  "The names of copies in DIRECTORY, unpacked, made unless they are there."
  (unless (file-directory-p directory)
    (make-directory directory t)
    (with-auto-compression-mode
      (dolist (file (bench-forms--sources))
        (let ((name (replace-regexp-in-string "/" "!" (string-remove-suffix ".gz" file)))
              (coding-system-for-write 'utf-8-unix)
              (inhibit-message t))
          (with-temp-file (expand-file-name name directory)
            (insert-file-contents file))))))
  (directory-files directory t "\\.el\\'"))

(defun bench-forms--by-imenu (files)
  "The names of the functions that imenu finds in FILES, in order."
  (let (names)
    (with-temp-buffer
      (delay-mode-hooks (emacs-lisp-mode))
      (dolist (file files (nreverse names))
        (insert-file-contents file nil nil nil t)
        (setq imenu--index-alist nil)
        (dolist (entry (imenu--make-index-alist t))
          (unless (or (imenu--subalist-p entry) (equal (car entry) (car imenu--rescan-item)))
            (push (car entry) names)))))))

(defun bench-forms--read (files)
  "Read the bytes of FILES, and answer how many there are."
  (let ((bytes 0))
    (with-temp-buffer
      (dolist (file files bytes)
        (erase-buffer)
        (insert-file-contents-literally file)
        (cl-incf bytes (buffer-size))))))

(defun bench-forms--difference (ours peer)
  "How far OURS, a reply, lacks names that the PEER has found.
Some stand in strings or inside of forms, where a regexp finds them, too."
  (let ((names (make-hash-table :test #'equal)) (absent 0))
    (dolist (form (append (plist-get ours :forms) nil))
      (puthash (plist-get form :name) t names))
    (dolist (name peer)
      (unless (gethash name names) (cl-incf absent)))
    (when (> (* 20 absent) (length peer))
      (format "%d of the %d names that imenu finds are absent" absent (length peer)))))

(defun bench-forms-listing (scratch)
  "The rows of listing all of Emacs' Lisp, with copies in SCRATCH."
  (let* ((files (bench-forms--copies scratch))
         (ws (agent-q-fs-open :root scratch :limits '(:reply_bytes 1073741824)))
         (list-all (lambda () (agent-q-fs-call ws 'list_forms :path "." :limit 1000000)))
         (bench-runs (min bench-runs 3)))
    (bench-compare "forms/list-imenu" 0.2 1 list-all
                   "imenu" (lambda () (bench-forms--by-imenu files)) #'bench-forms--difference)
    (bench-compare "forms/list-bytes" 2.0 1
                   (lambda () (agent-q-fs-call ws 'list_forms :path "."))
                   "reading" (lambda () (bench-forms--read files)) #'ignore)))

(defun bench-forms--file (directory name)
  "Write 4 KB of Lisp to NAME in DIRECTORY."
  (with-temp-file (expand-file-name name directory)
    (insert "(defvar edited 1)\n")
    (dotimes (i 80) (insert (format "(defun f-%02d (x)\n  (list x \"%02d\" '(a b c) ?\\)))\n\n" i i)))))

(defun bench-forms-edit (directory)
  "The row of an edit in DIRECTORY, of a file that is Lisp and of one that is not."
  (make-directory directory t)
  (let ((ws (agent-q-fs-open :root directory)))
    (cl-flet ((editor (name)
                (bench-forms--file directory name)
                (let ((n 1))
                  (lambda ()
                    (agent-q-fs-edit-file ws name :old_str (format "edited %d)" n)
                                          :new_str (format "edited %d)" (cl-incf n)))
                    n))))
      (bench-compare "forms/edit-4k" 1.03 50 (editor "a.el") "a-text" (editor "a.txt") #'ignore))))

(defun bench-forms-main ()
  "Print the rows; the directory for files is the first argument."
  (let ((scratch (pop command-line-args-left)))
    (bench-forms-listing (expand-file-name "emacs-lisp" scratch))
    (bench-forms-edit (expand-file-name "edit" scratch)))
  (kill-emacs (if bench-differed 1 0)))

(provide 'forms)
;;; forms.el ends here

;;;; boundary.lisp -- paths that are refused before anything is sent.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The core judges every path where the files are.  A path that leads out of the project by its
;;;; spelling alone is refused here already, without a message to Emacs.

(in-package #:agent-q-fs)

(defun path-parts (path)
  "Returns the parts of PATH between slashes, without the empty ones and `.`."
  (remove-if (lambda (part) (member part '("" ".") :test #'string=))
             (uiop:split-string path :separator '(#\/))))

(defun settled-parts (parts)
  "Returns PARTS, of an absolute path, after each `..` has removed the part before it."
  (let ((settled '()))
    (dolist (part parts (nreverse settled))
      (if (string= part "..")
          (pop settled)
          (push part settled)))))

(defun below-p (parts root)
  "Returns true if PARTS begin with those of the path ROOT."
  (let* ((above (settled-parts (path-parts root)))
         (difference (mismatch above parts :test #'string=)))
    (or (null difference) (= difference (length above)))))

(defun full-parts (path root home)
  "Returns the parts of PATH, made absolute.  If HOME is nil, `~/` means the file system's root,
which is outside of any project."
  (let ((home-p (and (> (length path) 1) (string= "~/" path :end2 2))))
    (settled-parts
     (cond ((and (plusp (length path)) (char= #\/ (char path 0))) (path-parts path))
           (home-p (append (path-parts (or home "")) (path-parts (subseq path 2))))
           (t (append (path-parts root) (path-parts path)))))))

(defun plain-path-p (path)
  "Returns true if errors show PATH as it is.  A path in double quotes is decoded by the core."
  (and (plusp (length path))
       (char/= #\" (char path 0))
       (loop for character across path
             always (and (graphic-char-p character)
                         (not (surrogate-p (char-code character)))))))

(defun outside-p (path root roots home)
  "Returns true if the spelling of PATH leads out of ROOT and of all ROOTS."
  (let ((parts (full-parts path root home)))
    (notany (lambda (above) (below-p parts above)) (cons root roots))))

(defun fill-in (words values)
  "Returns WORDS, of the catalogue, with VALUES in place of each %s."
  (with-output-to-string (out)
    (loop with start = 0
          for value in values
          for place = (search "%s" words :start2 start)
          do (write-string words out :start start :end place)
             (write-string value out)
             (setf start (+ place 2))
          finally (write-string words out :start start))))

(defun outside-reply (path root)
  "Returns the reply that refuses PATH, in the core's words."
  (make-error-plist :outside-root
                    (fill-in agent-q-fs/catalogue:*outside*
                             (list path (string-right-trim "/" root)))
                    path nil))

(defun first-path-outside (entries parameters root roots home)
  "Returns the first path among ENTRIES that leads out, or nil."
  (loop for (name . value) in entries
        for path = (and (eq :path (type-of-argument name parameters)) (given-path value))
        when (and path (plain-path-p path) (outside-p path root roots home))
          return path))

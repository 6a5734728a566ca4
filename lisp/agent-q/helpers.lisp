;;;; helpers.lisp -- functions that Agent-Q's users know, by the same names.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Each function answers as Agent-Q's vocabulary says, also where Agent-Q's own function
;;;; answers otherwise; the manual lists the differences.

(in-package #:agent-q-fs/agent-q)

;;;; Patterns
;;;
;;; All positions of the pattern that can be reached are followed at once, so the time that a
;;; pattern takes is at most its length times the length of the name.

(defun globstar-p (pattern i)
  "Is there a `**` at I in PATTERN?"
  (and (< (1+ i) (length pattern))
       (char= #\* (char pattern i) (char pattern (1+ i)))))

(defun reach (pattern i reached)
  "Marks in REACHED position I of PATTERN, and the positions that follow without a character."
  (when (zerop (sbit reached i))
    (setf (sbit reached i) 1)
    (cond ((= i (length pattern)))
          ((globstar-p pattern i)
           (reach pattern (+ i 2) reached)
           ;; `**/` as a whole part of the path also matches the empty text.
           (when (and (or (zerop i) (char= #\/ (char pattern (1- i))))
                      (< (+ i 2) (length pattern))
                      (char= #\/ (char pattern (+ i 2))))
             (reach pattern (+ i 3) reached)))
          ((char= #\* (char pattern i)) (reach pattern (1+ i) reached)))))

(defun follow (pattern i character next)
  "Marks in NEXT the positions that CHARACTER leads to from position I of PATTERN."
  (when (< i (length pattern))
    (let ((expected (char pattern i)))
      (cond ((globstar-p pattern i)
             (setf (sbit next i) 1)
             (reach pattern (+ i 2) next))
            ((char= expected #\*) (unless (char= character #\/) (reach pattern i next)))
            ((char= expected #\?) (unless (char= character #\/) (reach pattern (1+ i) next)))
            ((char= expected character) (reach pattern (1+ i) next))))))

(defun glob-matches-p (pattern filename)
  "Does the glob PATTERN match FILENAME, a relative path?  `*` matches within a name, `**`
across directories, `?` one character; everything else is itself."
  (let* ((size (1+ (length pattern)))
         (reached (make-array size :element-type 'bit :initial-element 0)))
    (reach pattern 0 reached)
    (loop for character across filename
          do (let ((next (make-array size :element-type 'bit :initial-element 0)))
               (dotimes (i size)
                 (when (= 1 (sbit reached i))
                   (follow pattern i character next)))
               (setf reached next)))
    (= 1 (sbit reached (1- size)))))

(defun matches-exclusion-p (name exclusions)
  "Does one of EXCLUSIONS, globs, match NAME, the last part of a path?"
  (and (some (lambda (pattern) (glob-matches-p pattern name)) exclusions) t))

;;;; The project

(defun marked-p (directory)
  "Is there a `.git` in DIRECTORY, a directory or a worktree's file?"
  (or (uiop:probe-file* (merge-pathnames ".git/" directory))
      (uiop:probe-file* (merge-pathnames ".git" directory))))

(defun find-git-root (start)
  "The directory above START, or START itself, that has a `.git`; nil if none has."
  (let ((directory (and start (uiop:probe-file* (uiop:ensure-directory-pathname start)
                                                :truename t))))
    (loop while directory
          when (marked-p directory) return directory
          do (let ((above (uiop:pathname-parent-directory-pathname directory)))
               (setf directory (if (equal above directory) nil above))))))

(defun unfit-p (directory)
  "True of a directory that is a project only if a person says so: the root, the home."
  (or (null directory)
      (equal directory #p"/")
      (equal directory (uiop:probe-file* (user-homedir-pathname) :truename t))))

(defun detect-project-root ()
  "Finds the project's directory, a pathname, and ignores what is set.  It is that of the Git
project, of an ASDF system, of the connection, or the current one, in this order."
  (let ((here (agent-q-fs::default-directory)))
    (find-if-not #'unfit-p
                 (list (find-git-root here)
                       (agent-q-fs::asdf-root)
                       (agent-q-fs::sly-directory)
                       here))))

(defun ensure-project-root ()
  "Returns the directory that the tools stay in, a pathname: the one that is set, or else the
one that DETECT-PROJECT-ROOT finds."
  (let ((root (agent-q-fs::explicit-root)))
    (cond (root (let ((directory (if (stringp root)
                                     (agent-q-fs::native-directory root)
                                     (uiop:ensure-directory-pathname root))))
                  (or (uiop:probe-file* directory :truename t) directory)))
          ((detect-project-root))
          (t (agent-q-fs::invalid-argument
              "There is no project here; set agent-q-fs:*project-root*")))))

(defun full-pathname (path directory-p)
  "Returns the pathname of PATH, which is spelled as in replies."
  (let ((name (cond ((string= path ".") "")
                    ((char= #\" (char path 0)) (return-from full-pathname nil))
                    (t path))))
    (merge-pathnames (uiop:parse-native-namestring
                      (if (and directory-p (plusp (length name)))
                          (concatenate 'string (string-right-trim "/" name) "/")
                          name)
                      :ensure-directory nil)
                     (uiop:parse-native-namestring (agent-q-fs:workspace-root nil)))))

(defun resolve-project-path (path)
  "Returns the canonical pathname of PATH, a string or a pathname, or nil where PATH leads out
of the project or cannot be a path.  Links are followed.  A file that does not exist yet has a
canonical pathname as well."
  (handler-case
      (let ((reply (agent-q-fs:call :file-exists :path (if (equal path "") "." path))))
        (full-pathname (getf reply :path) (eq :directory (getf reply :type))))
    ((or agent-q-fs:agent-q-fs-not-connected agent-q-fs:agent-q-fs-timeout
         agent-q-fs:agent-q-fs-library-error)
        (condition)
      (error condition))
    (agent-q-fs:agent-q-fs-error () nil)))

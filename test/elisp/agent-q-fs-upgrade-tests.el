;;; agent-q-fs-upgrade-tests.el --- Tests of what older versions left on the disk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; test/upgrade/*.tar.gz are state directories and projects of older versions, some of them
;; killed in the middle of a change; test/upgrade/keep makes them, and says what is in them.
;;
;; Files in the state directory are named after the project's root, and journals name files
;; by their inodes.  So a copy somewhere else is given names and inodes of its own; no other
;; byte is touched.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)

(defconst agent-q-fs-upgrade-tests--archives
  (directory-files (expand-file-name "../upgrade/" (file-name-directory
                                                    (or load-file-name buffer-file-name)))
                   t "\\.tar\\.gz\\'")
  "The kept state of older versions.")

(defun agent-q-fs-upgrade-tests--inodes (directory)
  "Return an alist of the inodes in the archive that is unpacked in DIRECTORY, and here."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "inodes" directory))
    (let (inodes)
      (while (re-search-forward "^\\([0-9]+\\) \\(.+\\)$" nil t)
        (push (cons (match-string 1)
                    (number-to-string
                     (file-attribute-inode-number
                      (file-attributes (expand-file-name (concat "projects/" (match-string 2))
                                                         directory)))))
              inodes))
      inodes)))

(defun agent-q-fs-upgrade-tests--with-inodes (journal inodes)
  "Replace in the file JOURNAL the inodes that are the keys of the alist INODES."
  (with-temp-buffer
    (insert-file-contents-literally journal)
    (while (re-search-forward "inode\": \"?\\([0-9]+\\)" nil t)
      (replace-match (or (cdr (assoc (match-string 1) inodes)) "1") t t nil 1))
    (let ((coding-system-for-write 'no-conversion))
      (write-region nil nil journal nil 'quiet))))

(defun agent-q-fs-upgrade-tests--name (project directory)
  "Return the name that the state directory has for PROJECT, a root, in DIRECTORY."
  (let* ((agent-q-fs-state-directory (expand-file-name "elsewhere/" directory))
         (ws (agent-q-fs-open :root project)))
    (unwind-protect
        (file-name-base (plist-get (agent-q-fs-snapshot-create ws) :git-dir))
      (agent-q-fs-close ws))))

(defun agent-q-fs-upgrade-tests--journals (state)
  "Return the journals in the directory STATE, without their locks."
  (directory-files (expand-file-name "journal" state) t "\\.tmp\\'"))

(defun agent-q-fs-upgrade-tests--old-name (project state)
  "Return the name that the directory STATE has for PROJECT, a root.
A journal is of a project if it names a temporary file there; the one
that names none is of the project that has snapshots."
  (let ((temporary (directory-files project nil "\\`\\.aqfs-.*\\.tmp\\'")))
    (if (not temporary)
        (file-name-base (car (directory-files (expand-file-name "snapshots" state) t "\\.git\\'")))
      (car (split-string
            (file-name-nondirectory
             (seq-find (lambda (journal)
                         (with-temp-buffer
                           (insert-file-contents journal)
                           (search-forward (car temporary) nil t)))
                       (agent-q-fs-upgrade-tests--journals state)))
            "-")))))

(defun agent-q-fs-upgrade-tests--unpack (archive directory)
  "Unpack ARCHIVE in DIRECTORY, as if it had been made there."
  (should (eql 0 (call-process "tar" nil nil nil "-xzf" archive "-C" directory
                               "--strip-components=1" "--no-same-owner")))
  (let ((state (expand-file-name "state/" directory))
        (inodes (agent-q-fs-upgrade-tests--inodes directory)))
    (dolist (journal (agent-q-fs-upgrade-tests--journals state))
      (agent-q-fs-upgrade-tests--with-inodes journal inodes))
    (dolist (project (directory-files (expand-file-name "projects" directory) t "\\`[^.]"))
      (let ((old (agent-q-fs-upgrade-tests--old-name project state))
            (new (agent-q-fs-upgrade-tests--name project directory)))
        (dolist (file (directory-files-recursively state old t))
          (let ((name (file-name-nondirectory file)))
            (when (string-prefix-p old name)
              (rename-file file (expand-file-name (concat new (substring name (length old)))
                                                  (file-name-directory file))))))))))

(defmacro agent-q-fs-upgrade-tests--with (ws project &rest body)
  "For each archive, run BODY with its PROJECT as the workspace WS.
`default-directory' is the project."
  (declare (indent 2) (debug (symbolp form body)))
  `(progn
     (should agent-q-fs-upgrade-tests--archives)
     (dolist (archive agent-q-fs-upgrade-tests--archives)
       (let* ((directory (file-name-as-directory (make-temp-file "aqfs-upgrade-" t)))
              (agent-q-fs-state-directory (expand-file-name "state/" directory))
              (default-directory directory)
              (,ws nil))
         (unwind-protect
             (ert-info ((file-name-base archive) :prefix "Archive: ")
               (agent-q-fs-upgrade-tests--unpack archive directory)
               (setq default-directory (expand-file-name (concat "projects/" ,project "/"))
                     ,ws (agent-q-fs-open :root default-directory))
               ,@body)
           (when ,ws (agent-q-fs-close ,ws))
           (delete-directory directory t))))))

(defun agent-q-fs-upgrade-tests--text (file)
  "Return the text of FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (buffer-string)))

(defun agent-q-fs-upgrade-tests--check-project (a b)
  "Fail unless the project has the texts A and B, and nothing temporary is left."
  (should (equal a (agent-q-fs-upgrade-tests--text "a.txt")))
  (should (equal b (agent-q-fs-upgrade-tests--text "sub/b.txt")))
  (should-not (directory-files-recursively default-directory "\\.aqfs-")))

(ert-deftest agent-q-fs-upgrade/a-patch-is-taken-back ()
  "The journal of a change that was killed half-way is recovered."
  (agent-q-fs-upgrade-tests--with ws "undone"
    (agent-q-fs-upgrade-tests--check-project "one\ntwo\n" "bee\n")
    (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1")
    (agent-q-fs-upgrade-tests--check-project "1\ntwo\n" "bee\n")))

(ert-deftest agent-q-fs-upgrade/a-patch-is-finished ()
  "The journal of a change that was done is brought to its end."
  (agent-q-fs-upgrade-tests--with ws "finished"
    (agent-q-fs-upgrade-tests--check-project "ONE\ntwo\n" "BEE\n")))

(ert-deftest agent-q-fs-upgrade/an-edit-is-taken-back ()
  "The journal of a change of one file is recovered."
  (agent-q-fs-upgrade-tests--with ws "lone"
    (agent-q-fs-upgrade-tests--check-project "one\ntwo\n" "bee\n")))

(ert-deftest agent-q-fs-upgrade/snapshots ()
  "Snapshots are listed, compared, taken, restored and forgotten."
  (agent-q-fs-upgrade-tests--with ws "kept"
    (let* ((agent-q-fs-authority 'dangerous)
           (listed (plist-get (agent-q-fs-snapshot-list ws) :snapshots))
           (first (plist-get (cadr listed) :id))
           (second (plist-get (car listed) :id)))
      (should (equal '("the second" "the first")
                     (mapcar (lambda (snapshot) (plist-get snapshot :tag)) listed)))
      ;; Its records do not say how many files a snapshot holds.
      (should-not (delq nil (mapcar (lambda (snapshot) (plist-get snapshot :files)) listed)))
      (should (equal '("a.txt")
                     (mapcar (lambda (file) (plist-get file :path))
                             (plist-get (agent-q-fs-snapshot-diff ws first :other second)
                                        :files))))
      (agent-q-fs-snapshot-restore ws first)
      (agent-q-fs-upgrade-tests--check-project "one\ntwo\n" "bee\n")
      (should (eql #o640 (file-modes "a.txt")))
      (should (equal "sub/b.txt" (file-symlink-p "link")))
      (agent-q-fs-snapshot-restore ws second)
      (agent-q-fs-upgrade-tests--check-project "1\ntwo\n" "bee\n")
      (should (eql #o755 (file-modes "a.txt")))
      (agent-q-fs-snapshot-prune ws :keep 1)
      (should (equal 1 (plist-get (agent-q-fs-snapshot-list ws) :total))))))

(ert-deftest agent-q-fs-upgrade/the-log-goes-on ()
  "Calls are appended to the log, whose lines stay."
  (agent-q-fs-upgrade-tests--with ws "kept"
    (let ((before (agent-q-fs-upgrade-tests--text (agent-q-fs-audit-file-name))))
      (agent-q-fs-edit-file ws "a.txt" :old_str "lost" :new_str "found")
      (let ((after (agent-q-fs-upgrade-tests--text (agent-q-fs-audit-file-name))))
        (should (string-prefix-p before after))
        (dolist (line (split-string after "\n" t))
          (should (gethash "tool" (agent-q-fs--json-parse line))))))))

(provide 'agent-q-fs-upgrade-tests)
;;; agent-q-fs-upgrade-tests.el ends here

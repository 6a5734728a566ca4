;;; corpus.el --- Calls recorded from real models, made again  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs --batch -l corpus.el DIRECTORY
;;
;; SCENARIOS, in the environment, may name the directory of the scenarios that codex has for
;; its apply_patch.
;;
;; DIRECTORY holds files of recorded calls (JSON Lines, compressed), which are other people's
;; and never kept in the project.  Each call is made on the file that it was made on, and the
;; outcome is compared with what its client did.  Each figure has the share that must be
;; reached; the last line counts those that are and those that are not.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defvar corpus-workspace nil
  "The workspace in which calls are made.")

(defvar corpus-passed 0 "How many figures are as they must be.")
(defvar corpus-failed 0 "How many are not.")

(defun corpus-rows (file function)
  "Call FUNCTION with each row of FILE, a property list."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents file))
    (goto-char (point-min))
    (while (not (eobp))
      (unless (eolp)
        (funcall function (json-parse-string (buffer-substring (point) (line-end-position))
                                             :object-type 'plist :null-object nil
                                             :false-object nil)))
      (forward-line))))

(defun corpus-put (text)
  "Make TEXT the content of the file f of the workspace."
  (let ((coding-system-for-write 'utf-8-unix) (write-region-inhibit-fsync t))
    (write-region text nil (expand-file-name "f" default-directory) nil 'quiet)))

(defun corpus-get ()
  "Return the content of the file f."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents "f"))
    (buffer-string)))

(defun corpus-edit (row)
  "Make the edit of ROW, and return the reply, or the data of the error."
  (corpus-put (plist-get row :content))
  (condition-case problem
      (agent-q-fs-call corpus-workspace 'edit_file :path "f" :old_str (plist-get row :old_str)
                       :new_str (plist-get row :new_str)
                       :replace_all (if (plist-get row :replace_all) t :false))
    (agent-q-fs-error (cdr problem))))

(defun corpus-replaced (row)
  "Return what the client of ROW made of the file."
  (string-replace (plist-get row :old_str) (plist-get row :new_str) (plist-get row :content)))

(defun corpus-figure (name part whole least)
  "Print PART of WHOLE as the figure NAME, whose share must be LEAST percent or more."
  (let ((share (if (= 0 whole) 0.0 (/ (* 100.0 part) whole))))
    (princ (format "%-58s %5d of %5d  %6.2f %%  (at least %s)\n" name part whole share least))
    (if (and (< 0 whole) (<= least share)) (cl-incf corpus-passed) (cl-incf corpus-failed))))


;;;; Edits

(defun corpus-edits (file)
  "Make the edits of FILE, all of which their clients made."
  (let ((right 0) (all 0))
    (corpus-rows file
                 (lambda (row)
                   (cl-incf all)
                   (let ((reply (corpus-edit row)))
                     (if (and (not (plist-get reply :error))
                              (equal (corpus-get) (corpus-replaced row)))
                         (cl-incf right)
                       (princ (format "-- %s: %s\n" (plist-get row :name)
                                      (plist-get reply :message)))))))
    (corpus-figure "edits that clients made, made with the same result" right all 99.9)))

(defun corpus-lines-of (text content)
  "Return the numbers of the first and last line of TEXT in CONTENT, or nil unless it is once."
  (let ((at (string-search text content)))
    (when (and at (< 0 (length text)) (not (string-search text content (1+ at))))
      (let ((first (1+ (cl-count ?\n content :end at))))
        (cons first (+ first (cl-count ?\n (string-trim-right text "\n"))))))))

(defun corpus-told-lines (reply)
  "Return the numbers of the lines that REPLY, the data of an error, speaks of."
  (let ((text (concat (plist-get reply :message) "\n" (plist-get reply :hint)))
        (start 0) lines)
    (while (string-match "\\blines? \\([0-9]+\\)\\(?:\\(?:-\\|, \\)[0-9]+\\)*" text start)
      (setq start (match-end 0))
      (dolist (number (split-string (match-string 0 text) "[^0-9]+" t))
        (push (string-to-number number) lines)))
    lines))

(defun corpus-lines (text)
  "Return the lines of TEXT that say something, without surrounding white space."
  (seq-filter (lambda (line) (< 9 (length line)))
              (mapcar #'string-trim (split-string text "\n"))))

(defun corpus-proves-p (row)
  "Return non-nil if the second try of ROW's model shows which place the first one meant.
Otherwise it may have gone on to something else.  Most lines of the first
must be among those of the second, which must occur once."
  (let* ((retry (plist-get row :retry_old))
         (lines (corpus-lines (plist-get row :old_str)))
         (again (and retry (corpus-lines retry))))
    (and retry lines
         (corpus-lines-of retry (plist-get row :content))
         (<= (length lines)
             (* 2 (cl-count-if (lambda (line) (member line again)) lines))))))

(defun corpus-names-p (reply row)
  "Return non-nil if REPLY names lines of the place that ROW's model meant."
  (pcase (corpus-lines-of (plist-get row :retry_old) (plist-get row :content))
    (`(,first . ,last)
     (let ((told (corpus-told-lines reply)))
       (and told
            (<= first (apply #'max told))
            (>= (+ last (cl-count ?\n (plist-get row :old_str))) (apply #'min told)))))))

(defun corpus-bare (text)
  "Return the lines of TEXT without the white space around them, joined again.
White space within a line is one space."
  (mapconcat (lambda (line) (replace-regexp-in-string "[ \t]+" " " (string-trim line)))
             (split-string (string-trim text "\n+" "\n+") "\n") "\n"))

(defun corpus-layout-p (row)
  "Return non-nil if ROW's old_str is at one place of the file but for layout."
  (let* ((old (concat "\n" (corpus-bare (plist-get row :old_str)) "\n"))
         (text (concat "\n" (corpus-bare (plist-get row :content)) "\n"))
         (at (string-search old text)))
    (and at (not (string-search old text (1+ at))))))

(defun corpus-wrong-p (reply row)
  "Return non-nil if what REPLY to ROW offered, now in the file, was not what its model wanted.
It is known where the model's next try was the same edit, or proves the place."
  (let* ((content (plist-get row :content))
         (retry (plist-get row :retry_old))
         (meant (and retry (corpus-lines-of retry content)
                     (string-replace retry (plist-get row :retry_new) content))))
    (if (and meant (equal (corpus-bare retry) (corpus-bare (plist-get row :old_str)))
             (equal (corpus-bare (plist-get row :retry_new)) (corpus-bare (plist-get row :new_str))))
        (not (equal meant (corpus-get)))
      (and (corpus-proves-p row) (not (corpus-names-p reply row))))))

(defun corpus-accept (reply row)
  "Do what REPLY to ROW offers; return nil if it offers nothing, else `right' or `wrong'."
  (when (plist-get reply :accept)
    (agent-q-fs-call corpus-workspace 'edit_file :path "f" :accept (plist-get reply :accept))
    (if (not (corpus-wrong-p reply row))
        'right
      (princ (format "-- %s: another edit was offered than the model made then:\n%s"
                     (plist-get row :name) (plist-get reply :diff)))
      'wrong)))

(defun corpus-made-p (row)
  "Return non-nil if the file of ROW is already as the edit would make it."
  (and (not (string-empty-p (string-trim (plist-get row :new_str))))
       (string-search (corpus-bare (plist-get row :new_str))
                      (corpus-bare (plist-get row :content)))))

(defun corpus-failures (file)
  "Make the edits of FILE, which their clients refused, and look at what is said of them."
  (let ((refused 0) (all 0) (named 0) (known 0) (missed 0) (made 0) (alike 0) (laid-out 0) (others 0)
        (wrong 0))
    (corpus-rows file
                 (lambda (row)
                   (cl-incf all)
                   (let ((reply (corpus-edit row)))
                     (when (plist-get reply :error)
                       (cl-incf refused))
                     (when (eq :no-match (plist-get reply :error))
                       (cl-incf missed)
                       (when (and (corpus-made-p row) (not (corpus-layout-p row)))
                         (cl-incf made))
                       (when (corpus-layout-p row)
                         (cl-incf alike)
                         (unless (plist-get reply :accept)
                           (princ (format "-- %s: nothing to accept: %s\n" (plist-get row :name)
                                          (plist-get reply :message)))))
                       (pcase (corpus-accept reply row)
                         ('nil)
                         (outcome
                          (when (eq outcome 'wrong) (cl-incf wrong))
                          (if (corpus-layout-p row) (cl-incf laid-out) (cl-incf others)))))
                     (when (and (plist-get reply :error) (corpus-proves-p row))
                       (cl-incf known)
                       (if (corpus-names-p reply row)
                           (cl-incf named)
                         (princ (format "-- %s: %s\n" (plist-get row :name)
                                        (plist-get reply :message))))))))
    (corpus-figure "edits that clients refused, refused" refused all 100)
    (corpus-figure "of those with a known place, errors that name it" named known 95)
    (princ (format "   (%d texts do not occur; %d of them are at one place but for layout; \
%d are made already)\n"
                   missed alike made))
    (corpus-figure "of those at one place but for layout, with an edit to accept" laid-out alike 90)
    (corpus-figure "of all that do not occur, with an edit to accept" (+ laid-out others) missed 45)
    (corpus-figure "of those edits, none at a place that was not meant"
                   (- (+ laid-out others) wrong) (+ laid-out others) 100)))


;;;; Corrections

(defun corpus-without-place (row)
  "Return the file of ROW without the lines that its edit is in; nil if they are not all it is in."
  (let* ((content (plist-get row :content)) (old (plist-get row :old_str))
         (at (string-search old content))
         (start (and at (1+ (or (cl-position ?\n content :end at :from-end t) -1))))
         (end (and at (cl-position ?\n content :start (max at (+ at (length old) -1)))))
         (rest (and at (concat (substring content 0 start)
                               (if end (substring content (1+ end)) "")))))
    (and rest (not (string-search old rest)) rest)))

(defun corpus-reword (line)
  "Return LINE in other words if it is a comment."
  (replace-regexp-in-string "\\`[ \t]*\\(?://\\|#\\|;+\\) " "\\&in other words: " line))

(defun corpus-reworded (row)
  "Return ROW with a comment that its edit repeats in other words, or nil if it repeats none."
  (let* ((old (split-string (plist-get row :old_str) "\n"))
         (new (split-string (plist-get row :new_str) "\n"))
         (comment (seq-find (lambda (line)
                              (and (not (equal line (corpus-reword line)))
                                   (= 1 (cl-count line old :test #'equal))
                                   (= 1 (cl-count line new :test #'equal))))
                            old))
         (say (lambda (lines)
                (mapconcat (lambda (line) (if (equal line comment) (corpus-reword line) line))
                           lines "\n"))))
    (and comment (not (plist-get row :replace_all))
         (list :name (plist-get row :name) :content (plist-get row :content)
               :old_str (funcall say old) :new_str (funcall say new)))))

(defun corpus-corrections (file)
  "Make the edits of FILE where their place is not, and with comments in other words."
  (let ((absent 0) (elsewhere 0) (offered 0) (right 0))
    (corpus-rows
     file
     (lambda (row)
       (when-let* ((content (and (not (plist-get row :replace_all)) (corpus-without-place row))))
         (cl-incf absent)
         (when (plist-get (corpus-edit (append (list :content content) row)) :accept)
           (cl-incf elsewhere)))
       (when-let* ((reworded (corpus-reworded row))
                   (accept (plist-get (corpus-edit reworded) :accept)))
         (cl-incf offered)
         (agent-q-fs-call corpus-workspace 'edit_file :path "f" :accept accept)
         (if (equal (corpus-get) (corpus-replaced row))
             (cl-incf right)
           (princ (format "-- %s: a comment was reworded\n" (plist-get row :name)))))))
    (corpus-figure "edits of a place that is not there, not offered elsewhere"
                   (- absent elsewhere) absent 99.5)
    (corpus-figure "edits beside a reworded comment, offered and right" right offered 100)))


;;;; Edits of another moment

(defun corpus-merged (row content)
  "Return CONTENT with the edit of ROW, as git merges both; nil where it does not know."
  (let ((texts (list content (plist-get row :content) (corpus-replaced row))))
    (with-temp-buffer
      (let ((files (mapcar (lambda (text) (make-temp-file "merge-" nil nil text)) texts))
            (coding-system-for-read 'utf-8-unix))
        (unwind-protect
            (when (= 0 (apply #'call-process "git" nil '(t nil) nil "merge-file" "-p" files))
              (buffer-string))
          (mapc #'delete-file files))))))

(defun corpus-stale (row content)
  "Make the edit of ROW in CONTENT, which its file held at another time.
Return `right' or `wrong', or nil if nothing is offered that git can merge."
  (when-let* ((accept (plist-get (corpus-edit (append (list :content content) row)) :accept))
              (merged (corpus-merged row content)))
    (agent-q-fs-call corpus-workspace 'edit_file :path "f" :accept accept)
    (if (equal merged (corpus-get))
        'right
      (princ (format "-- %s: a file of another time is not as git merges it\n"
                     (plist-get row :name)))
      'wrong)))

(defun corpus-times (file)
  "Make the edits of FILE in what the same file held a little earlier or later."
  (let ((times (make-hash-table :test #'equal)) (known 0) (right 0))
    (corpus-rows file (lambda (row) (push row (gethash (plist-get row :name) times))))
    (dolist (rows (hash-table-values times))
      (while rows
        (let ((row (pop rows)))
          (dolist (other (seq-take rows 4))
            (pcase-dolist (`(,edit . ,at) (list (cons row other) (cons other row)))
              (let ((content (plist-get at :content)))
                (unless (or (plist-get edit :replace_all)
                            (string-search (plist-get edit :old_str) content))
                  (pcase (corpus-stale edit content)
                    ('right (cl-incf right) (cl-incf known))
                    ('wrong (cl-incf known))))))))))
    (corpus-figure "edits of a file of another time, offered as git merges" right known 100)))


;;;; Patches

(defun corpus-patches (file)
  "Read the envelopes of FILE; the files that they are for are not there."
  (let ((read 0) (all 0))
    (corpus-rows file
                 (lambda (row)
                   (when (string-match-p "Success" (plist-get row :result))
                     (cl-incf all)
                     (pcase (condition-case problem
                                (agent-q-fs-preview corpus-workspace 'apply_patch
                                                    :patch (plist-get row :patch))
                              (agent-q-fs-error (cdr problem)))
                       ((and (map :error :message) (guard (eq error :patch-parse)))
                        (princ (format "-- %s\n" message)))
                       (_ (cl-incf read))))))
    (corpus-figure "envelopes that the client took, taken by the reader" read all 100)))


;;;; Codex's own scenarios

(defconst corpus-differences
  '("010_move_overwrites_existing_destination" "011_add_overwrites_existing_file"
    "014_update_file_appends_trailing_newline"
    "015_failure_after_partial_success_leaves_changes" "016_pure_addition_update_chunk"
    "024_preserves_mixed_line_endings")
  "The scenarios whose outcome differs; the manual, \"What is tolerated\", has the reasons.")

(defun corpus-tree (directory)
  "Return the files below DIRECTORY with their bytes, sorted by name."
  (when (file-directory-p directory)
    (mapcar (lambda (file)
              (cons (file-relative-name file directory)
                    (with-temp-buffer
                      (set-buffer-multibyte nil)
                      (insert-file-contents-literally file)
                      (buffer-string))))
            (sort (directory-files-recursively directory "") #'string<))))

(defun corpus-scenario-p (scenario)
  "Return non-nil if the patch of SCENARIO, a directory, does what is expected there."
  (let* ((base (make-temp-file "aqfs-scenario-" t))
         (root (expand-file-name "root" base))
         (input (expand-file-name "input" scenario)))
    (unwind-protect
        (progn
          (if (file-directory-p input)
              (copy-directory input root)
            (make-directory root))
          (ignore-errors
            (agent-q-fs-call (agent-q-fs-open :root root) 'apply_patch
                             :patch (with-temp-buffer
                                      (insert-file-contents (expand-file-name "patch.txt" scenario))
                                      (buffer-string))))
          (equal (corpus-tree root) (corpus-tree (expand-file-name "expected" scenario))))
      (delete-directory base t))))

(defun corpus-scenarios (directory)
  "Apply the patches of the scenarios in DIRECTORY."
  (let* ((agent-q-fs-authority 'dangerous)
         (all (seq-filter #'file-directory-p (directory-files directory t "\\`[0-9]")))
         (differing (seq-remove #'corpus-scenario-p all))
         (surprising (seq-difference (mapcar #'file-name-nondirectory differing)
                                     corpus-differences)))
    (dolist (name surprising)
      (princ (format "-- %s: another outcome\n" name)))
    (corpus-figure "scenarios of codex, as expected or with a reason"
                   (- (length all) (length surprising)) (length all) 100)))


;;;; All

(defconst corpus-files
  '(("edits.jsonl.gz" . corpus-edits)
    ("edits.jsonl.gz" . corpus-corrections)
    ("edits.jsonl.gz" . corpus-times)
    ("failed-edits.jsonl.gz" . corpus-failures)
    ("patches-without-files.jsonl.gz" . corpus-patches))
  "The files of a directory of calls, and the functions that make the calls of each.")

(defun corpus-run (directory)
  "Make all calls of the files in DIRECTORY."
  (let ((default-directory (file-name-as-directory (make-temp-file "aqfs-corpus-" t))))
    (unwind-protect
        (progn
          (setq corpus-workspace (agent-q-fs-open :root default-directory))
          (pcase-dolist (`(,name . ,function) corpus-files)
            (let ((file (expand-file-name name directory)))
              (if (file-readable-p file)
                  (funcall function file)
                (princ (format "-- there is no %s\n" file))
                (cl-incf corpus-failed)))))
      (delete-directory default-directory t))))

(setq agent-q-fs-authority 'cautious)
(corpus-run (pop command-line-args-left))
(when (getenv "SCENARIOS")
  (corpus-scenarios (getenv "SCENARIOS")))
(princ (format "%d passed, %d failed\n" corpus-passed corpus-failed))
(kill-emacs (if (and (= 0 corpus-failed) (< 0 corpus-passed)) 0 1))

;;; corpus.el ends here

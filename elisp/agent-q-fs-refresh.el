;;; agent-q-fs-refresh.el --- Bring a buffer up to date with its file  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `revert-buffer' forgets undo, asks, and sets up the buffer anew by what the
;; file says.  `agent-q-fs-refresh' changes only what differs: point, markers,
;; overlays, narrowing and undo are kept, and nothing that the file holds is
;; obeyed: no local variables, no modes, no formats, no decompression.
;;
;; Change hooks are not run, because they may indent or rewrite the new text.
;; Language servers and checkers must know that the text has changed: they are
;; told by `before-revert-hook' and `after-revert-hook', and changes that these
;; hooks make are undone.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defvar revert-buffer-in-progress-p)
(defvar revert-buffer-preserve-modes)
(declare-function org-element-cache-reset "org-element" t)

(defconst agent-q-fs-refresh--seconds 0.2
  "How long two texts are compared to find out how little differs.")

(defconst agent-q-fs-refresh--characters 1000000
  "Parts that differ and have more characters than this are not compared further.")


;;;; The file of a buffer

(defun agent-q-fs-refresh-plain-name (buffer)
  "Return the name of the file that BUFFER visits, without quoting.
No character is special in it: use it with `file-name-handler-alist'
bound to nil."
  (let ((name (buffer-local-value 'buffer-file-name buffer)))
    (if (string-prefix-p "/:" name) (substring name 2) name)))

(defconst agent-q-fs-refresh--users '("sudo" "sudoedit" "su" "doas" "sg" "ksu" "run0" "please")
  "Methods of Tramp by which another user visits files of the same machine.")

(defconst agent-q-fs-refresh--containers
  '("docker" "dockercp" "podman" "podmancp" "kubernetes" "toolbox" "distrobox" "flatpak"
    "apptainer" "nspawn" "lxc" "lxd" "incus")
  "Methods of Tramp by which files in a container are visited.")

(defun agent-q-fs-refresh--here-p (host)
  "Return non-nil if HOST, a name or nil, is this machine."
  (or (member host '(nil "" "localhost" "localhost.localdomain" "ip6-localhost" "::1" "[::1]"))
      (string-match-p "\\`127\\.[0-9.]+\\'" host)
      (member (downcase host)
              (list (downcase (system-name))
                    (downcase (car (split-string (system-name) "\\.")))))))

(defun agent-q-fs-refresh--hops (file)
  "Return the machines on the way to FILE, a remote name, as (METHOD . HOST)."
  (append (mapcar (lambda (hop)
                    (string-match "\\`\\([^:]*\\):\\(?:[^@]*@\\)?\\(.*\\)\\'" hop)
                    (cons (match-string 1 hop) (match-string 2 hop)))
                  (split-string (or (file-remote-p file 'hop) "") "|" t))
          (list (cons (file-remote-p file 'method) (file-remote-p file 'host)))))

(defun agent-q-fs-refresh--outer-name (file root)
  "Return the name on this machine of FILE, which is a name in a container, or nil.
ROOT is the directory that may be mounted there, anywhere: what it has
under the longest end of the name is the file."
  (let ((parts (split-string file "/" t)) found)
    (if (and (string-prefix-p root file) (file-exists-p file))
        file
      (while (and parts (not found))
        (let ((name (concat root (string-join parts "/"))))
          (when (file-exists-p name) (setq found name)))
        (pop parts))
      found)))

(defun agent-q-fs-refresh--remote (file root)
  "Return (NAME . WAY) if FILE, a remote name, is a file of this machine, or nil.
ROOT is the directory that a container may have mounted."
  (let* ((file-name-handler-alist (default-toplevel-value 'file-name-handler-alist))
         (hops (ignore-errors (agent-q-fs-refresh--hops file)))
         (name (and hops (file-remote-p file 'localname)))
         (way (mapconcat #'car hops ", "))
         (file-name-handler-alist nil))
    (cond
     ((or (null name) (not (file-name-absolute-p name))) nil)
     ((seq-some (lambda (hop) (member (car hop) agent-q-fs-refresh--containers)) hops)
      (let ((outer (and root
                        (seq-every-p (lambda (hop)
                                       (or (member (car hop) agent-q-fs-refresh--containers)
                                           (member (car hop) agent-q-fs-refresh--users)
                                           (agent-q-fs-refresh--here-p (cdr hop))))
                                     hops)
                        (agent-q-fs-refresh--outer-name name root))))
        (and outer (cons outer way))))
     ((seq-every-p (lambda (hop) (agent-q-fs-refresh--here-p (cdr hop))) hops)
      (cons name way)))))

(defun agent-q-fs-refresh--archive (buffer)
  "Return the buffer of the archive that BUFFER has a member of, or nil."
  (let (archive)
    (dolist (variable '(tar-superior-buffer archive-superior-buffer) archive)
      (when (boundp variable)           ; else there is no such buffer
        (let ((value (buffer-local-value variable buffer)))
          (when (and (buffer-live-p value) (not (eq value buffer)))
            (setq archive value)))))))

(defun agent-q-fs-refresh-file (buffer &optional root)
  "Return (NAME . WAY) of the file of this machine that BUFFER visits, or nil.
WAY is nil, or words about a way that is not by the file's own name.
ROOT is as for `agent-q-fs-refresh--remote'."
  (let ((archive (agent-q-fs-refresh--archive buffer))
        (file (buffer-local-value 'buffer-file-name buffer)))
    (cond
     (archive (let ((found (agent-q-fs-refresh-file archive root)))
                (and found (cons (car found) "archive"))))
     ((null file) nil)
     ((agent-q-fs-refresh--machine root)
      (agent-q-fs-refresh--far (agent-q-fs-refresh-plain-name buffer) root))
     ((agent-q-fs-refresh--machine file) (agent-q-fs-refresh--remote file root))
     ((file-name-directory file) (list (agent-q-fs-refresh-plain-name buffer))))))


;; A buffer's file may be on another machine, and so may be ROOT, that of a project.

(defconst agent-q-fs-refresh--machine "\\`/[^/:|]+:[^/]*:"
  "A regexp for what remote names begin with.")

(defun agent-q-fs-refresh--machine (name)
  "Return what the remote NAME begins with, or nil if it is of this machine."
  (and name (string-match agent-q-fs-refresh--machine name) (match-string 0 name)))

(defun agent-q-fs-refresh--host (prefix)
  "Return the host of remote names that begin with PREFIX, without its port."
  (car (split-string (or (file-remote-p prefix 'host) "") "#")))

(defun agent-q-fs-refresh--on-this-machine-p (prefix)
  "Return non-nil if names that begin with PREFIX, or nil, are of files here."
  (or (null prefix)
      (seq-every-p (lambda (hop) (agent-q-fs-refresh--here-p (cdr hop)))
                   (agent-q-fs-refresh--hops prefix))))

(defun agent-q-fs-refresh--far (file root)
  "Return (NAME . WAY) if FILE is on the machine of ROOT, a remote name, or nil.
NAME begins as ROOT does."
  (let* ((file-name-handler-alist (default-toplevel-value 'file-name-handler-alist))
         (prefix (agent-q-fs-refresh--machine root))
         (other (agent-q-fs-refresh--machine file)))
    (cond
     ((equal prefix other) (list file))
     ((or (and other (equal (agent-q-fs-refresh--host prefix) (agent-q-fs-refresh--host other)))
          (and (agent-q-fs-refresh--on-this-machine-p prefix)
               (agent-q-fs-refresh--on-this-machine-p other)))
      (cons (concat prefix (substring file (length other)))
            (if other (mapconcat #'car (agent-q-fs-refresh--hops other) ", ")
              "this machine"))))))

(defun agent-q-fs-refresh-far-true-name (buffer name)
  "Return the name without links of the file of BUFFER, on the machine of NAME.
Nil if that is this machine, or another one."
  (let* ((prefix (agent-q-fs-refresh--machine name))
         (true (and prefix (buffer-local-value 'buffer-file-truename buffer)))
         (file-name-handler-alist (default-toplevel-value 'file-name-handler-alist))
         (non-essential t))
    (and true (string-prefix-p prefix true)
         (ignore-errors (expand-file-name true)))))


;;;; Bringing it up to date

(defun agent-q-fs-refresh--literal-p ()
  "Non-nil when this buffer shows its file byte by byte."
  (and (boundp 'find-file-literally) (symbol-value 'find-file-literally)))

(defun agent-q-fs-refresh-possible-p (buffer)
  "Non-nil when BUFFER shows the very text of its file.
Compressed and encrypted files, archives and documents are shown by
programs, which must not be run on files that somebody else has written."
  (with-current-buffer buffer
    (and (not buffer-file-format)
         (or (not (local-variable-p 'revert-buffer-function))
             (memq revert-buffer-function '(nil revert-buffer--default)))
         (or (not (local-variable-p 'revert-buffer-insert-file-contents-function))
             (memq revert-buffer-insert-file-contents-function
                   '(nil revert-buffer-insert-file-contents--default-function)))
         (or (agent-q-fs-refresh--literal-p)
             (memq (find-file-name-handler buffer-file-name 'insert-file-contents)
                   '(nil file-name-non-special
                         tramp-file-name-handler tramp-autoload-file-name-handler))))))


;;;; Reading

(defun agent-q-fs-refresh--insert (file buffer)
  "Insert FILE here, decoded as for BUFFER, and return the coding system."
  (let* ((multibyte (buffer-local-value 'enable-multibyte-characters buffer))
         (format-alist nil)
         (after-insert-file-functions nil)
         (coding-system-for-read
          (if (with-current-buffer buffer
                (or (not multibyte) (agent-q-fs-refresh--literal-p)))
              'no-conversion
            (car (buffer-local-value 'buffer-file-coding-system-explicit buffer)))))
    (set-buffer-multibyte multibyte)
    (insert-file-contents file)
    last-coding-system-used))

(defun agent-q-fs-refresh--read (file buffer)
  "Insert FILE into this buffer, decoded as for BUFFER.
Return (CODING . ATTRIBUTES) with the attributes of the text that was
read, or nil if FILE is not a regular file or keeps changing."
  (let ((file-name-handler-alist nil)
        (tries 5)
        before coding after)
    (while (and (not after)
                (> tries 0)
                (setq before (file-attributes (file-truename file)))
                ;; Opening a FIFO would wait for ever.
                (eq ?- (aref (file-attribute-modes before) 0)))
      (setq tries (1- tries))
      (erase-buffer)
      (setq coding (agent-q-fs-refresh--insert file buffer)
            after (file-attributes (file-truename file)))
      (unless (equal (nthcdr 5 before) (nthcdr 5 after))
        (setq after nil)))
    (and after (cons coding after))))

(defun agent-q-fs-refresh--read-bytes (file buffer bytes time)
  "Insert BYTES, of FILE as of TIME, into this buffer, decoded as for BUFFER.
Return what `agent-q-fs-refresh--read' does."
  (let ((copy (make-temp-file "agent-q-fs-" nil
                              (let ((extension (file-name-extension file t)))
                                (and extension (string-match-p "\\`[.][a-zA-Z0-9]+\\'" extension)
                                     extension))))
        (file-name-handler-alist nil))
    (unwind-protect
        (progn
          (let ((coding-system-for-write 'no-conversion))
            (write-region bytes nil copy nil 'quiet))
          (cons (agent-q-fs-refresh--insert copy buffer)
                (list nil 1 0 0 nil time nil nil nil nil nil nil)))
      (delete-file copy))))

(defun agent-q-fs-refresh--coding (detected old)
  "Return the coding system for saving text that was read with DETECTED.
OLD is the buffer's coding system before; text that is plain ASCII keeps
it."
  (cond ((not detected) old)
        ((and old (eq (coding-system-type detected) 'undecided))
         (let ((eol (coding-system-eol-type detected)))
           (if (integerp eol) (coding-system-change-eol-conversion old eol) old)))
        (t detected)))


;;;; Replacing as little as possible

(defun agent-q-fs-refresh--same-p (source)
  "Non-nil when this buffer holds the text of the buffer SOURCE."
  (save-restriction
    (widen)
    (let ((case-fold-search nil))
      (and (= (buffer-size) (buffer-size source))
           (zerop (compare-buffer-substrings nil nil nil source nil nil))))))

(defun agent-q-fs-refresh--prefix (source)
  "Return how many characters this buffer and SOURCE have in common at the start."
  (let* ((case-fold-search nil)
         (difference (compare-buffer-substrings nil nil nil source nil nil)))
    (if (zerop difference) (- (point-max) (point-min)) (1- (abs difference)))))

(defun agent-q-fs-refresh--suffix (source most)
  "Return how many characters, MOST at most, SOURCE ends in as this buffer does."
  (let ((case-fold-search nil)
        (here (point-max))
        (there (with-current-buffer source (point-max)))
        (least 0))
    (while (< least most)
      (let ((try (- most (/ (- most least) 2))))
        (if (zerop (compare-buffer-substrings nil (- here try) here
                                              source (- there try) there))
            (setq least try)
          (setq most (1- try)))))
    least))

(defun agent-q-fs-refresh--place (position)
  "Return the line and column of POSITION."
  (save-excursion
    (goto-char position)
    (list (line-number-at-pos nil t) (- (point) (line-beginning-position)))))

(defun agent-q-fs-refresh--position (place)
  "Return the present position of PLACE."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- (car place)))
    (min (+ (point) (cadr place)) (line-end-position))))

(defun agent-q-fs-refresh--all-places ()
  "Return where point, mark and the windows of this buffer are, by line and column.
The value is a list of (FUNCTION . PLACE): FUNCTION goes to a position."
  (let ((places (list (cons #'goto-char (agent-q-fs-refresh--place (point))))))
    (when (mark t)
      (push (cons (lambda (position) (set-marker (mark-marker) position))
                  (agent-q-fs-refresh--place (mark t)))
            places))
    (dolist (window (get-buffer-window-list nil t t) places)
      (push (cons (lambda (position) (set-window-start window position t))
                  (agent-q-fs-refresh--place (window-start window)))
            places)
      (push (cons (lambda (position) (set-window-point window position))
                  (agent-q-fs-refresh--place (window-point window)))
            places))))

(defun agent-q-fs-refresh--lines (buffer)
  "Return a hash table of the lines in the accessible part of BUFFER.
It has where a line starts, or nil where it is there several times."
  (let ((lines (make-hash-table :test 'equal)))
    (with-current-buffer buffer
      (save-excursion
        (goto-char (point-min))
        (while (not (eobp))
          (let ((start (point)))
            (forward-line 1)
            (let ((line (buffer-substring-no-properties start (point))))
              (puthash line (and (eq 'none (gethash line lines 'none)) start) lines))))))
    lines))

(defun agent-q-fs-refresh--rising (pairs)
  "Return the longest list of PAIRS, latest first, whose second numbers rise."
  (let ((tails (make-vector (length pairs) nil))
        (count 0))
    (dolist (pair pairs)
      (let ((low 0) (high count))
        (while (< low high)
          (let ((middle (/ (+ low high) 2)))
            (if (< (cdr (car (aref tails middle))) (cdr pair))
                (setq low (1+ middle))
              (setq high middle))))
        (aset tails low (cons pair (and (> low 0) (aref tails (1- low)))))
        (when (= low count) (setq count (1+ count)))))
    (and (> count 0) (aref tails (1- count)))))

(defun agent-q-fs-refresh--anchors (source)
  "Return where lines start that are in this buffer and in SOURCE, once in each.
These are pairs of positions here and there, latest first.  Characters
alone would match lines that look alike."
  (let ((there (agent-q-fs-refresh--lines source))
        pairs)
    (maphash (lambda (line start)
               (let ((other (and start (gethash line there))))
                 (when other (push (cons start other) pairs))))
             (agent-q-fs-refresh--lines (current-buffer)))
    (agent-q-fs-refresh--rising (sort pairs #'car-less-than-car))))

(defun agent-q-fs-refresh--replace-part (source start end from to)
  "Replace the text from START to END by that of SOURCE from FROM to TO.
Return nil if markers and overlays in it could not be kept in place."
  (save-restriction
    (narrow-to-region start end)
    (with-current-buffer source (narrow-to-region from to))
    (let* ((prefix (agent-q-fs-refresh--prefix source))
           (suffix (agent-q-fs-refresh--suffix
                    source (- (min (- end start) (- to from)) prefix))))
      (narrow-to-region (+ start prefix) (- end suffix))
      (with-current-buffer source (narrow-to-region (+ from prefix) (- to suffix)))
      (prog1
          (cond
           ((= (+ from prefix) (- to suffix)) (delete-region (point-min) (point-max)) t)
           ((= (point-min) (point-max)) (insert-buffer-substring source) t)
           ((> (+ (- end start) (- to from)) agent-q-fs-refresh--characters)
            (delete-region (point-min) (point-max))
            (insert-buffer-substring source)
            nil)
           (t (replace-buffer-contents source agent-q-fs-refresh--seconds)))
        (with-current-buffer source (widen))))))

(defun agent-q-fs-refresh--replace-parts (source)
  "Replace the accessible text by that of SOURCE, a part between anchors at a time.
Return nil if markers and overlays in it could not be kept in place."
  (let ((end (point-max))
        (to (with-current-buffer source (point-max)))
        (from (with-current-buffer source (point-min)))
        (anchors (agent-q-fs-refresh--anchors source))
        (kept t))
    ;; From the end, so that positions before stay right.
    (dolist (anchor (append anchors (list (cons (point-min) from))))
      (unless (agent-q-fs-refresh--replace-part source (car anchor) end (cdr anchor) to)
        (setq kept nil))
      (setq end (car anchor)
            to (cdr anchor)))
    kept))

(defun agent-q-fs-refresh--differing (source)
  "Return where this buffer and SOURCE differ, in whole lines.
The value is (START END FROM TO), the latter two being in SOURCE."
  (let* ((prefix (agent-q-fs-refresh--prefix source))
         (suffix (agent-q-fs-refresh--suffix
                  source (- (min (buffer-size) (buffer-size source)) prefix))))
    (goto-char (+ (point-min) prefix))
    (setq prefix (- (line-beginning-position) (point-min)))
    (goto-char (- (point-max) suffix))
    (unless (and (bolp) (with-current-buffer source
                          (goto-char (- (point-max) suffix))
                          (bolp)))
      (forward-line 1)
      (setq suffix (- (point-max) (point))))
    (list (+ (point-min) prefix) (- (point-max) suffix)
          (1+ prefix) (- (1+ (buffer-size source)) suffix))))

(defun agent-q-fs-refresh--replace-in (source)
  "Replace the text of this buffer, which is widened, by that of SOURCE.
Return nil if markers and overlays in it could not be kept in place."
  (save-excursion
    (pcase-let ((`(,start ,end ,from ,to) (agent-q-fs-refresh--differing source)))
      (save-restriction
        (narrow-to-region start end)
        (with-current-buffer source
          (widen)
          (narrow-to-region from to))
        (unwind-protect
            (agent-q-fs-refresh--replace-parts source)
          (with-current-buffer source (widen))
          (agent-q-fs-refresh--invalidate (point-min) (point-max)))))))

(defun agent-q-fs-refresh--invalidate (start end)
  "Make known that the text from START to END is new: no change hooks were run."
  (syntax-ppss-flush-cache start)
  (when (bound-and-true-p font-lock-mode)
    (save-restriction
      (widen)
      (font-lock-flush start end)))
  (when (and (derived-mode-p 'org-mode) (fboundp 'org-element-cache-reset))
    (org-element-cache-reset)))

(defun agent-q-fs-refresh--forget-saved-states ()
  "Make undo mark this buffer as modified, whatever state it returns to.
Undo compares the file's time to decide that, and the time may be the same."
  (when (listp buffer-undo-list)
    (dolist (entry buffer-undo-list)
      (when (eq t (car-safe entry))
        (setcdr entry 0)))))

(defun agent-q-fs-refresh--replace (source)
  "Replace the text of this buffer by that of SOURCE, in one step of undo.
The buffer is unmodified, and stays it."
  (let ((inhibit-modification-hooks t)
        (inhibit-read-only t)
        (inhibit-quit t)
        (deactivate-mark nil)
        ;; A buffer without a file is not locked, and nobody asked about that.
        (buffer-file-name nil)
        (buffer-file-truename nil)
        (places (save-restriction (widen) (agent-q-fs-refresh--all-places))))
    (undo-boundary)
    (let ((group (prepare-change-group)))
      (save-restriction
        (widen)
        (unless (agent-q-fs-refresh--replace-in source)
          (pcase-dolist (`(,function . ,place) places)
            (funcall function (agent-q-fs-refresh--position place)))))
      (undo-amalgamate-change-group group))
    (undo-boundary)
    (agent-q-fs-refresh--forget-saved-states))
  (restore-buffer-modified-p nil))


;;;; The whole

(defun agent-q-fs-refresh--tell (hook)
  "Run HOOK, one of a revert, so that it obeys nothing in the file."
  (let ((enable-local-variables nil)
        (enable-local-eval nil)
        (enable-dir-local-variables nil)
        (revert-buffer-in-progress-p t)
        (revert-buffer-preserve-modes t))
    (with-demoted-errors "agent-q-fs: error in a hook: %S"
      (save-current-buffer
        (run-hooks hook)))))

(defun agent-q-fs-refresh--show (source)
  "Show the text of SOURCE in this buffer, and run the hooks for that."
  (agent-q-fs-refresh--tell 'before-revert-hook)
  (agent-q-fs-refresh--replace source)
  (agent-q-fs-refresh--tell 'after-revert-hook)
  (unless (agent-q-fs-refresh--same-p source)
    (agent-q-fs-refresh--replace source))
  (unless (< buffer-saved-size 0)
    (setq buffer-saved-size (buffer-size)))
  (set-buffer-modified-p nil))

(defun agent-q-fs-refresh--visited (coding attributes)
  "Note that this buffer shows its file, read with CODING, as of ATTRIBUTES."
  (setq buffer-file-coding-system
        (agent-q-fs-refresh--coding coding buffer-file-coding-system)
        buffer-file-number (and (file-attribute-inode-number attributes)
                                (list (file-attribute-inode-number attributes)
                                      (file-attribute-device-number attributes))))
  (set-visited-file-modtime (file-attribute-modification-time attributes)))

(defun agent-q-fs-refresh (buffer &optional bytes time)
  "Make BUFFER show the present text of its file, and stay unmodified.
Return non-nil if it does.  A buffer with unsaved changes is left alone,
and so is one that shows a program's rendering of its file.  The text is
BYTES as of TIME for a file that this Emacs cannot read itself."
  (when (and (buffer-live-p buffer)
             (not (buffer-modified-p buffer))
             (agent-q-fs-refresh-possible-p buffer))
    (with-temp-buffer
      (let* ((source (current-buffer))
             (file (agent-q-fs-refresh-plain-name buffer))
             (read (if bytes (agent-q-fs-refresh--read-bytes file buffer bytes time)
                     (agent-q-fs-refresh--read file buffer))))
        (when read
          (with-current-buffer buffer
            ;; First of all, so that a hook that changes something asks nothing.
            (agent-q-fs-refresh--visited (car read) (cdr read))
            (unless (agent-q-fs-refresh--same-p source)
              (agent-q-fs-refresh--show source)))
          t)))))


;;;; By the workspace that has the file

(cl-defgeneric agent-q-fs--transport-there-p (_workspace file)
  "Return non-nil if FILE, a name of WORKSPACE's, or a link of this name is there."
  (let ((file-name-handler-alist nil))
    (file-attributes file)))

(cl-defgeneric agent-q-fs--transport-refresh (_workspace buffer)
  "Have BUFFER show what its file, of WORKSPACE, has now."
  (agent-q-fs-refresh buffer))

(provide 'agent-q-fs-refresh)
;;; agent-q-fs-refresh.el ends here

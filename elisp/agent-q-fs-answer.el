;;; agent-q-fs-answer.el --- What a person may answer to a request  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A person who is asked about a call may approve of it, deny it, or decide for all calls
;; that are like it.  They may also have another call made in its place: some of its hunks,
;; as a patch, or the same tool with arguments that they have changed in a buffer.  Both
;; ways of asking, in agent-q-fs-prompt.el and agent-q-fs-requests.el, lead here.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-arguments)
(require 'agent-q-fs-buffers)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-prompt-decide "agent-q-fs-prompt" (request &rest decision))
(declare-function agent-q-fs-prompt-get "agent-q-fs-prompt" (request key))
(declare-function agent-q-fs-prompt-put "agent-q-fs-prompt" (request &rest plist))
(declare-function agent-q-fs-prompt-reexamine "agent-q-fs-prompt" ())
(declare-function agent-q-fs-show-mode-of "agent-q-fs-show" (name))
(declare-function ediff-buffers "ediff" (buffer-a buffer-b &optional startup-hooks job-name))


;;;; Some of the hunks

(defconst agent-q-fs-hunks--header
  "\\`@@ -\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? \\+\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? @@"
  "A regexp for a hunk's first line.")

(defun agent-q-fs-hunks--skip-body (old new)
  "Go behind the body of a hunk of OLD and NEW lines, and return (ADDED REMOVED)."
  (let ((added 0) (removed 0))
    (while (and (not (eobp)) (or (> old 0) (> new 0)))
      (pcase (char-after)
        (?- (setq old (1- old) removed (1+ removed)))
        (?+ (setq new (1- new) added (1+ added)))
        (?\\ nil)                       ; "No newline", also within a hunk
        (_ (setq old (1- old) new (1- new))))
      (forward-line 1))
    (while (eq ?\\ (char-after))
      (forward-line 1))
    (list added removed)))

(defun agent-q-fs-hunks--part-here ()
  "Return the part of a diff that begins at point, and go behind it."
  (let* ((start (point))
         (header (buffer-substring-no-properties start (line-end-position)))
         (hunk (string-match agent-q-fs-hunks--header header))
         (numbers (and hunk (mapcar (lambda (n) (match-string n header)) '(1 2 3 4))))
         (old (string-to-number (or (nth 1 numbers) "1")))
         (new (string-to-number (or (nth 3 numbers) "1"))))
    (forward-line 1)
    (let* ((lines (and hunk (agent-q-fs-hunks--skip-body old new)))
           (text (buffer-substring-no-properties start (point))))
      (if hunk
          (list 'hunk text
                :old (list (string-to-number (nth 0 numbers)) old)
                :new (list (string-to-number (nth 2 numbers)) new)
                :lines lines)
        (list 'other text)))))

(defun agent-q-fs-hunks-parse (diff)
  "Return DIFF as a list of parts in their order.
A part is (other TEXT), or (hunk TEXT :old (START COUNT) :new (START
COUNT) :lines (ADDED REMOVED)), where TEXT has whole lines.  The counts in
a hunk's header decide which lines belong to it, not the lines' looks."
  (with-temp-buffer
    (let ((inhibit-field-text-motion t) parts)
      (insert diff)
      (unless (bolp) (insert "\n"))
      (goto-char (point-min))
      (while (not (eobp))
        (push (agent-q-fs-hunks--part-here) parts))
      (nreverse parts))))

(defun agent-q-fs-hunks-parts (request)
  "Return the parts of REQUEST's diff, which are found once."
  (let ((state (agent-q-fs-request-state request)))
    (unless (plist-member state :parts)
      (setq state (plist-put state :parts
                             (agent-q-fs-hunks-parse (or (agent-q-fs-request-diff request) ""))))
      (setf (agent-q-fs-request-state request) state))
    (plist-get state :parts)))

(defun agent-q-fs-hunks (request &optional all)
  "Return the hunks of REQUEST's diff, or nil if it cannot be taken in parts.
With ALL, return those of a diff that cannot, too.  Each is (HEADERS .
PART), where HEADERS is the text before the first hunk of the same file."
  (let ((headers "") (previous 'hunk) hunks plain)
    (setq plain (agent-q-fs-request-digest request))
    (dolist (target (agent-q-fs-request-targets request))
      (unless (eq :write (plist-get target :action))
        (setq plain nil)))
    (dolist (part (agent-q-fs-hunks-parts request))
      (if (eq 'hunk (car part))
          (push (cons headers part) hunks)
        (unless (string-match-p "\\`\\(?:diff --git\\|---\\|\\+\\+\\+\\) " (cadr part))
          (setq plain nil))
        (setq headers (if (eq previous 'hunk) (cadr part) (concat headers (cadr part)))))
      (setq previous (car part)))
    (and (or all plain) (nreverse hunks))))

(defun agent-q-fs-hunks--moved (part shift)
  "Return the text of the hunk PART, its new lines SHIFT lines further down."
  (let ((text (cadr part))
        (start (car (plist-get part :new))))
    (string-match agent-q-fs-hunks--header text)
    (replace-match (number-to-string (+ start shift)) t t text 3)))

(defun agent-q-fs-hunks--patch (hunks taken)
  "Return a unified diff of those of HUNKS whose indices are in TAKEN."
  (let ((file nil) (shift 0) (i 0) (out nil) (written nil)
        (taken (let ((table (make-hash-table)))
                 (dolist (i taken table) (puthash i t table)))))
    (pcase-dolist (`(,headers . ,part) hunks)
      (unless (eq file headers)
        (setq file headers shift 0 written nil))
      (if (not (gethash i taken))
          (setq shift (+ shift (- (cadr (plist-get part :old))
                                  (cadr (plist-get part :new)))))
        (unless written (push headers out))
        (setq written t)
        (push (agent-q-fs-hunks--moved part shift) out))
      (setq i (1+ i)))
    (apply #'concat (nreverse out))))

(defun agent-q-fs-hunks--bodies (hunks)
  "Return the bodies of HUNKS, without the lines that number them."
  (mapcar (lambda (hunk) (replace-regexp-in-string "\\`[^\n]*\n" "" (caddr hunk))) hunks))

(defun agent-q-fs-hunks--same-p (seen planned)
  "Return non-nil if the bodies of hunks SEEN are those PLANNED.
The diff of an edit shows the lines of a CRLF file without their CR, that
of a patch with it."
  (or (equal seen planned)
      (and (not (seq-some (lambda (body) (string-search "\r" body)) seen))
           (equal seen (mapcar (lambda (body) (string-replace "\r\n" "\n" body)) planned)))))

(defconst agent-q-fs-hunks--stale "The files have changed since this was shown"
  "Why no hunk of it can be taken.")

(defun agent-q-fs-hunks-some (request hunks taken)
  "Return a request to do only those HUNKS of REQUEST whose indices are in TAKEN.
Signal an error if that request would change anything else, or if REQUEST, as it
was shown, would do something else by now."
  (let ((part (funcall (agent-q-fs-request-remake request) "apply_patch"
                       (list :patch (agent-q-fs-hunks--patch hunks taken)
                             :format "unified"))))
    (unless (agent-q-fs-hunks--same-p
             (agent-q-fs-hunks--bodies (let ((all (vconcat hunks)))
                                        (mapcar (lambda (i) (aref all i)) taken)))
             (agent-q-fs-hunks--bodies (agent-q-fs-hunks part)))
      (agent-q-fs--fail :patch-apply "Those hunks alone would do something else"))
    ;; Only now: what has not changed by the end had not when the part was planned.
    (when (agent-q-fs-prompt-stale-p request)
      (agent-q-fs--fail :stale "%s" agent-q-fs-hunks--stale))
    part))

(defun agent-q-fs-hunks--apply (lines hunks)
  "Return LINES, a list, as HUNKS make it; nil if they do not fit."
  (let ((at 1) (out nil) (fits t))
    (dolist (part hunks)
      (pcase-let ((`(,start ,count) (plist-get part :old)))
        (when (= 0 count) (setq start (1+ start)))
        (while (and lines (< at start))
          (push (pop lines) out)
          (setq at (1+ at)))
        (dolist (line (cdr (split-string (string-remove-suffix "\n" (cadr part)) "\n")))
          (let ((text (if (equal line "") "" (substring line 1))))
            (pcase (if (equal line "") ?\s (aref line 0))
              (?+ (push text out))
              (?\\ nil)
              (sign
               (setq fits (and fits lines (equal text (string-remove-suffix "\r" (car lines))))
                     at (1+ at))
               (if (eq sign ?-) (pop lines) (push (pop lines) out))))))))
    (and fits (append (nreverse out) lines))))

(defun agent-q-fs-hunks-sides (request path)
  "Return the text of the file PATH before and after REQUEST, as (BEFORE . AFTER)."
  (let* ((there (seq-find (lambda (target)
                            (and (equal path (plist-get target :path))
                                 (eq :file (plist-get target :type))))
                          (agent-q-fs-request-targets request)))
         (agent-q-fs--told t)
         (before (if there
                     (plist-get (agent-q-fs-call (agent-q-fs-request-workspace request)
                                                 'read_file :path path :end_line 10000000)
                                :content)
                   ""))
         (hunks (delq nil (mapcar (lambda (hunk)
                                    (and (string-match-p
                                          (concat "^\\(?:---\\|\\+\\+\\+\\) \"?[ab]/"
                                                  (regexp-quote path) "\\(?:[\"\t].*\\)?$")
                                          (car hunk))
                                         (cdr hunk)))
                                  (agent-q-fs-hunks request t))))
         (after (agent-q-fs-hunks--apply (split-string before "\n") hunks)))
    (unless (and hunks after)
      (user-error "The diff shows no text of %s as it is now" path))
    (cons before (string-join after "\n"))))

(defun agent-q-fs-hunks-side-buffer (name text)
  "Return a buffer called NAME with TEXT, in the mode of a file of that name."
  (let ((buffer (generate-new-buffer (format "*%s*" (agent-q-fs-show-visible name t))))
        (mode (agent-q-fs-show-mode-of name)))
    (with-current-buffer buffer
      (when mode
        (delay-mode-hooks (funcall mode))
        (font-lock-mode 1))
      (setq-local bidi-display-reordering nil
                  enable-local-variables nil
                  glyphless-char-display (agent-q-fs-edit--glyphs))
      (insert text)
      (goto-char (point-min))
      (set-buffer-modified-p nil)
      (setq buffer-read-only t))
    buffer))

(defun agent-q-fs-hunks-ediff (a b)
  "Compare the buffers A and B by ediff, then show the windows of now again.
Buffers that visit no file were made for this, so they go with it."
  (let* ((windows (current-window-configuration))
         (end (lambda ()
                (set-window-configuration windows)
                (dolist (buffer (list a b))
                  (when (and (buffer-live-p buffer) (not (buffer-file-name buffer)))
                    (kill-buffer buffer))))))
    (ediff-buffers a b (list (lambda () (add-hook 'ediff-after-quit-hook-internal end nil t))))))


;;;; Decisions

(defun agent-q-fs-prompt-shown (request)
  "Return the request that is shown for REQUEST: itself, or what became of it."
  (or (agent-q-fs-prompt-get request :instead) request))

(defun agent-q-fs-prompt-stale-p (request)
  "Return non-nil if what REQUEST would do is not what was planned any more."
  (let* ((shown (agent-q-fs-prompt-shown request))
         (digest (agent-q-fs-request-digest shown))
         (how (list :verb 'plan :authority 'safe :origin 'model :words t))
         (agent-q-fs--told how))
    (and digest
         (condition-case nil
             (not (equal digest
                         (plist-get (condition-case refusal
                                        (agent-q-fs--call (agent-q-fs-request-workspace shown)
                                                          (agent-q-fs-request-tool shown)
                                                          (agent-q-fs-request-arguments shown) how)
                                      (agent-q-fs-approval-required (cdr refusal)))
                                    :digest)))
           (agent-q-fs-error t)))))

(defun agent-q-fs-prompt-unsaved (request)
  "Return the buffers whose unsaved text would have REQUEST, as shown, refused."
  (let ((shown (agent-q-fs-prompt-shown request)))
    (agent-q-fs-buffers-in-the-way (agent-q-fs-approve--workspace shown)
                                   (agent-q-fs-request-targets shown))))

(defun agent-q-fs-prompt-unsaved-words (buffers)
  "Return words about BUFFERS, which have unsaved text, for the person."
  (format "The buffer %s has changes that are not saved, so this would be refused.  \
s saves %s, and shows what would be done then"
          (mapconcat #'agent-q-fs-buffers--label buffers ", ") (if (cdr buffers) "all" "it")))

(defun agent-q-fs-prompt--held-p (request)
  "Return non-nil, and have the person told, if unsaved text is in REQUEST's way.
It goes on waiting: an approval would only use it up."
  (let ((buffers (agent-q-fs-prompt-unsaved request)))
    (when buffers
      (agent-q-fs-prompt-put request :say (agent-q-fs-prompt-unsaved-words buffers))
      t)))

(defun agent-q-fs-prompt-approve (request)
  "Let REQUEST be done, or what the person has made of it."
  (let ((shown (agent-q-fs-prompt-shown request)))
    (unless (agent-q-fs-prompt--held-p request)
      (agent-q-fs-prompt-decide
       request :decision (if (agent-q-fs-prompt-get request :edited) 'edited 'approved)
       :commit (unless (eq shown request) shown)))))

(defun agent-q-fs-prompt-renew (request)
  "Have REQUEST show what it would do now, if that is something else than it was."
  (let ((shown (agent-q-fs-prompt-shown request)))
    (when (agent-q-fs-prompt-stale-p request)
      (agent-q-fs-prompt-put request :instead
                             (funcall (agent-q-fs-request-remake shown)
                                      (agent-q-fs-request-tool shown)
                                      (agent-q-fs-request-arguments shown))))))

(defun agent-q-fs-prompt-save (request)
  "Save the unsaved text that is in the way of REQUEST, and look at it again."
  (let ((shown (agent-q-fs-prompt-shown request)))
    (condition-case problem
        (if (null (agent-q-fs-prompt-unsaved request))
            (agent-q-fs-prompt-put request :say "No unsaved text is in the way of this")
          (agent-q-fs-buffers-save (agent-q-fs-approve--workspace shown)
                                   (agent-q-fs-request-targets shown))
          (agent-q-fs-prompt-renew request))
      (agent-q-fs-error
       (agent-q-fs-prompt-put request :say (plist-get (cdr problem) :message))))))

(defun agent-q-fs-prompt-quit (request)
  "Deny REQUEST."
  (agent-q-fs-prompt-decide request :decision 'denied))

(defun agent-q-fs-prompt-refuse (request reason &optional stop)
  "Deny REQUEST for REASON, a text that may be empty.
With STOP, also tell the model to end what it is doing."
  (agent-q-fs-prompt-decide request :decision 'denied :stop stop
                            :reason (unless (string-blank-p reason) reason)))

(defun agent-q-fs-prompt--remember (request answer &optional directory like)
  "Remember ANSWER, `approve' or `deny', for calls like what REQUEST shows.
DIRECTORY and LIKE are as for `agent-q-fs-approve-remember'."
  (unless (and (eq 'approve answer) (agent-q-fs-prompt--held-p request))
    (agent-q-fs-approve-remember answer (agent-q-fs-prompt-shown request) directory like)
    (if (eq 'deny answer) (agent-q-fs-prompt-quit request)
      (agent-q-fs-prompt-approve request))
    (agent-q-fs-prompt-reexamine)))

(defun agent-q-fs-prompt--directory (request)
  "Return the directory that holds all that REQUEST shows."
  (agent-q-fs-approve-directory (agent-q-fs-prompt-shown request)))

(defun agent-q-fs-prompt--always (request &optional directory)
  "Let REQUEST and all calls of its tool, in DIRECTORY if any, be done.
Not where only some calls may be approved of together."
  (let ((shown (agent-q-fs-prompt-shown request)))
    (cond
     ((agent-q-fs-request-likes shown)
      (agent-q-fs-prompt-put request :say "Not all calls of this tool can be approved of"))
     ((eq 'safe (agent-q-fs-request-tier shown))
      (agent-q-fs-prompt-put request :say "Calls like this are never asked about"))
     ((and directory (not (agent-q-fs-approve-directory-p shown directory)))
      (agent-q-fs-prompt-put request :say "No directory smaller than what holds the project \
has all of these files"))
     (t (agent-q-fs-prompt--remember request 'approve directory)))))

(defun agent-q-fs-prompt-always-tool (request)
  "Let REQUEST and all calls of its tool be done."
  (agent-q-fs-prompt--always request))

(defun agent-q-fs-prompt-always-directory (request)
  "Let REQUEST and all calls of its tool under the same directory be done."
  (agent-q-fs-prompt--always request (agent-q-fs-prompt--directory request)))

(defun agent-q-fs-prompt--always-like (request name)
  "Let REQUEST and all calls that are like it, as NAME says, be done."
  (let ((like (assq name (agent-q-fs-request-likes (agent-q-fs-prompt-shown request)))))
    (if like (agent-q-fs-prompt--remember request 'approve nil like)
      (agent-q-fs-prompt-put request :say "This cannot be approved of in that way"))))

(defun agent-q-fs-prompt-always-command (request)
  "Let REQUEST and all calls with the same command be done."
  (agent-q-fs-prompt--always-like request 'exact))

(defun agent-q-fs-prompt-always-word (request)
  "Let REQUEST and all calls whose command begins with the same word be done."
  (agent-q-fs-prompt--always-like request 'word))

(defun agent-q-fs-prompt-never-tool (request)
  "Deny REQUEST and all calls of its tool."
  (agent-q-fs-prompt--remember request 'deny))

(defun agent-q-fs-prompt-never-directory (request)
  "Deny REQUEST and all calls of its tool under the same directory."
  (agent-q-fs-prompt--remember request 'deny (agent-q-fs-prompt--directory request)))

(defun agent-q-fs-show-keys-leave ()
  "Leave the list of keys, for the buffer that it is about.
The key has no effect there: it might decide what is seen only now."
  (interactive)
  (quit-window)
  (message "The list of keys is gone; type %s here for what it does"
           (single-key-description last-command-event)))

(defvar agent-q-fs-show-keys-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "?" #'quit-window)
    (dolist (key '([remap self-insert-command] "g" "h" "\r"))
      (define-key map key #'agent-q-fs-show-keys-leave))
    map)
  "Keys in a list of keys, which are those of another buffer.")

(defun agent-q-fs-show-keys ()
  "Show what the keys of this buffer do: the documentation of its mode alone."
  (interactive)
  (let ((help-window-select t)          ; so q leaves it, and not this buffer
        (words (substitute-command-keys (documentation major-mode))))
    (with-help-window "*agent-q-fs keys*"
      ;; `define-derived-mode' adds words about hooks.
      (princ (replace-regexp-in-string "\n+In addition to any hooks\\(?:.\\|\n\\)*\\'" "" words)))
    (with-current-buffer "*agent-q-fs keys*"
      (use-local-map agent-q-fs-show-keys-map))))

(defun agent-q-fs-prompt--under (request)
  "Return words for the directory of REQUEST, or nil where that is the project."
  (let ((directory (agent-q-fs-approve-directory-words request)))
    (unless (equal "." directory)
      (format "under %s/" (agent-q-fs-show-visible directory t)))))

(defun agent-q-fs-prompt-always-words (request)
  "Return words for the keys that decide about REQUEST, as shown, and its like."
  (setq request (agent-q-fs-prompt-shown request))
  (let ((tool (agent-q-fs-show-visible (agent-q-fs-request-tool request) t))
        (likes (agent-q-fs-request-likes request))
        (under (agent-q-fs-prompt--under request)))
    (concat
     (if likes
         (mapconcat (lambda (like)
                      (concat (if (eq 'word (car like)) "w " "c ") (nth 1 like)))
                    likes ", ")
       (concat "t " tool " in this project" (and under (concat ", d " under))))
     "; never: T" (and likes (concat " all of " tool))
     (and under ", D") (and under likes (concat " " under))
     (and (agent-q-fs-request-protected-p request)
          " (protected files are asked about all the same)"))))


(defun agent-q-fs-prompt-hunks (request)
  "Begin to go through the hunks of REQUEST, to take some of them.
Return nil, and say so, if it has none that can be taken alone."
  (let ((hunks (agent-q-fs-hunks (agent-q-fs-prompt-shown request))))
    (cond
     ((null hunks)
      (ignore (agent-q-fs-prompt-put request :say "This cannot be taken in parts: y does all of it")))
     ((agent-q-fs-prompt-stale-p request)
      (ignore (agent-q-fs-prompt-put request :stale t :say agent-q-fs-hunks--stale)))
     (t (agent-q-fs-prompt-put request :mode 'hunks :hunks hunks :hunk 0 :taken nil)
        t))))

(defun agent-q-fs-prompt-take-hunk (request)
  "Take the hunk of REQUEST that is asked about."
  (agent-q-fs-prompt-put request :taken (cons (agent-q-fs-prompt-get request :hunk)
                                              (agent-q-fs-prompt-get request :taken)))
  (agent-q-fs-prompt-leave-hunk request))

(defun agent-q-fs-prompt-leave-hunk (request)
  "Go on to the next hunk of REQUEST; after the last one, do the taken hunks."
  (let ((next (1+ (agent-q-fs-prompt-get request :hunk))))
    (if (= next (length (agent-q-fs-prompt-get request :hunks)))
        (agent-q-fs-prompt--do-hunks request)
      (agent-q-fs-prompt-put request :hunk next))))

(defun agent-q-fs-prompt-hunk-before (request)
  "Go back to the hunk of REQUEST before the one that is asked about."
  (let ((before (max 0 (1- (agent-q-fs-prompt-get request :hunk)))))
    (agent-q-fs-prompt-put request :hunk before
                           :taken (delq before (agent-q-fs-prompt-get request :taken)))))

(defun agent-q-fs-prompt-take-rest (request)
  "Take the hunk of REQUEST that is asked about and all after it."
  (while (eq 'hunks (agent-q-fs-prompt-get request :mode))
    (agent-q-fs-prompt-take-hunk request)))

(defun agent-q-fs-prompt--hunk-words (hunks taken)
  "Return words about which of HUNKS were TAKEN, for the model."
  (let ((all (vconcat hunks)))
    (mapconcat (lambda (i)
                 (pcase-let ((`(,start ,count) (plist-get (cdr (aref all i)) :old)))
                   (format "%d (old lines %d to %d)" (1+ i) start (+ start (max 0 (1- count))))))
               (seq-take taken 50) ", ")))

(defun agent-q-fs-prompt--do-hunks (request)
  "Let the hunks of REQUEST be done that were taken."
  (let* ((hunks (agent-q-fs-prompt-get request :hunks))
         (taken (sort (copy-sequence (agent-q-fs-prompt-get request :taken)) #'<)))
    (agent-q-fs-prompt-put request :mode 'main)
    (cond
     ((null taken)
      (agent-q-fs-prompt-decide request :decision 'denied :reason "no hunk was wanted"))
     ((= (length taken) (length hunks)) (agent-q-fs-prompt-approve request))
     ((agent-q-fs-prompt--held-p request))
     (t
      (condition-case problem
          (agent-q-fs-prompt-decide
           request :decision 'hunks
           :taken (length taken) :of (length hunks)
           :which (agent-q-fs-prompt--hunk-words hunks taken)
           :commit (agent-q-fs-hunks-some (agent-q-fs-prompt-shown request) hunks taken))
        (agent-q-fs-error
         (let ((stale (agent-q-fs-prompt-stale-p request)))
           (agent-q-fs-prompt-put request :stale stale
                                  :say (if stale agent-q-fs-hunks--stale
                                         (plist-get (cdr problem) :message))))))))))

(provide 'agent-q-fs-answer)
;;; agent-q-fs-answer.el ends here

;;; agent-q-fs-show.el --- Show what a call would do, and change it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-show-buffer' makes a buffer that shows everything about a request: tool,
;; tier, every target, the size of the change, and the change as a diff.
;;
;; A model can send text that misleads: text that runs from right to left,
;; characters without width or ink, a screenful of blanks before what matters,
;; letters that look like others.  `agent-q-fs-show-visible' makes such text
;; visible.  Only the display is changed; hunks are taken from the diff itself.
;;
;; `agent-q-fs-edit-start' shows the arguments of a request, to be changed before
;; the call is made.

;;; Code:

(require 'agent-q-fs-approve)
(require 'diff-mode)
(require 'json)

(declare-function agent-q-fs-prompt--wake "agent-q-fs-prompt" ())
(declare-function agent-q-fs-prompt-decide "agent-q-fs-prompt" (request &rest members))
(declare-function agent-q-fs-prompt-get "agent-q-fs-prompt" (request key))
(declare-function agent-q-fs-prompt-put "agent-q-fs-prompt" (request &rest members))

(defface agent-q-fs-show-escaped '((t :inherit (escape-glyph) :inverse-video t))
  "Face for characters that would be invisible or misleading as they are."
  :group 'agent-q-fs-approve)

(defface agent-q-fs-show-danger '((t :inherit error))
  "Face for warnings."
  :group 'agent-q-fs-approve)

(defface agent-q-fs-show-hunk '((t :inherit highlight :extend t))
  "Face for the hunk that is asked about."
  :group 'agent-q-fs-approve)


;;;; Visible text

(defconst agent-q-fs-show--invisible
  (concat
   "\0-\u0008\u000b-\u001f\u007f-\u00a0\u00ad" ; controls, no-break space, soft hyphen
   "\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
   "\u2000-\u200f\u2028-\u202f\u205f-\u206f" ; spaces, zero width, directions
   "\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
   "\x1d173-\x1d17a\xe0000-\xe0fff"     ; musical formatting, tags
   "\x3fff80-\x3fffff")                 ; raw bytes
  "Characters that have no ink, or change what is around them.")

(defconst agent-q-fs-show--misleading
  (concat "[" agent-q-fs-show--invisible "]\\| \\{41,\\}\\|\t\\{11,\\}\\|\n\\{11,\\}")
  "A regexp for text that is shown in another form.")

(defconst agent-q-fs-show--misleading-name
  (concat "[\n\t" agent-q-fs-show--invisible "]\\| \\{3,\\}\\|\\` \\| \\'")
  "The same for a name or another text that belongs on one line.")

(defun agent-q-fs-show--escape (text)
  "Return the visible form of TEXT, which is misleading."
  (let ((character (aref text 0))
        (length (length text)))
    (propertize
     (cond
      ((> length 1)
       (format "<%d %s>" length (pcase character (?\s "spaces") (?\t "tabs") (_ "newlines"))))
      ((eq character ?\s) "<space>")
      ((< character 32) (format "^%c" (+ character 64)))
      ((= character 127) "^?")
      ((eq (char-charset character) 'eight-bit)
       (format "\\%03o" (multibyte-char-to-unibyte character)))
      (t (format "<U+%04X>" character)))
     'face 'agent-q-fs-show-escaped
     'font-lock-face 'agent-q-fs-show-escaped
     'help-echo (or (get-char-code-property character 'name) "a control character"))))

(defun agent-q-fs-show--scripts (text)
  "Return the scripts among Latin, Greek, Cyrillic and Armenian that TEXT has."
  (delete-dups
   (seq-filter (lambda (script) (memq script '(latin greek cyrillic armenian)))
               (mapcar (lambda (character) (aref char-script-table character))
                       (append text nil)))))

(defun agent-q-fs-show-visible (text &optional name)
  "Return TEXT so that all of it can be seen.
With NAME it is a name, which belongs on one line and is in one alphabet."
  (let* ((case-fold-search nil)
         (text (string-to-multibyte (substring-no-properties text)))
         (shown (replace-regexp-in-string
                 (if name agent-q-fs-show--misleading-name agent-q-fs-show--misleading)
                 #'agent-q-fs-show--escape text t t)))
    (if (and name (cdr (agent-q-fs-show--scripts text)))
        (concat shown (propertize
                       (format " <letters of %s>"
                               (mapconcat #'symbol-name (agent-q-fs-show--scripts text) " and "))
                       'face 'agent-q-fs-show-escaped
                       'font-lock-face 'agent-q-fs-show-escaped))
      shown)))


;;;; Hunks

(defun agent-q-fs-show--count (text)
  "Return the number TEXT of lines in a hunk's header; nil stands for 1."
  (if text (string-to-number text) 1))

(defun agent-q-fs-show--body-end (lines old new)
  "Return the rest of LINES behind a hunk's body of OLD and NEW lines."
  (while (and lines (or (> old 0) (> new 0)))
    (pcase (and (> (length (car lines)) 0) (aref (car lines) 0))
      (?- (setq old (1- old)))
      (?+ (setq new (1- new)))
      (?\\ nil)                         ; "No newline", also within a hunk
      (_ (setq old (1- old) new (1- new))))
    (setq lines (cdr lines)))
  (while (and lines (string-prefix-p "\\" (car lines)))
    (setq lines (cdr lines)))
  lines)

(defconst agent-q-fs-show--hunk-header
  "\\`@@ -\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? \\+\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? @@"
  "A regexp for a hunk's first line.")

(defun agent-q-fs-show-parse (diff)
  "Return DIFF as a list of parts in their order.
A part is (other TEXT), or (hunk TEXT :old (START COUNT) :new (START
COUNT)), where TEXT has whole lines.  The counts in a hunk's header decide
which lines belong to it, not the lines' looks."
  (let ((lines (split-string diff "\n"))
        parts)
    (unless (cdr (last lines)) (setq lines (if (equal "" (car (last lines)))
                                               (butlast lines)
                                             lines)))
    (while lines
      (if (not (string-match agent-q-fs-show--hunk-header (car lines)))
          (push (list 'other (concat (pop lines) "\n")) parts)
        (let* ((header (car lines))
               (numbers (mapcar (lambda (n) (match-string n header)) '(1 2 3 4)))
               (old (agent-q-fs-show--count (nth 1 numbers)))
               (new (agent-q-fs-show--count (nth 3 numbers)))
               (rest (agent-q-fs-show--body-end (cdr lines) old new)))
          (push (list 'hunk
                      (mapconcat (lambda (line) (concat line "\n"))
                                 (butlast lines (length rest)) "")
                      :old (list (string-to-number (nth 0 numbers)) old)
                      :new (list (string-to-number (nth 2 numbers)) new))
                parts)
          (setq lines rest))))
    (nreverse parts)))

(defun agent-q-fs-show-hunks (request)
  "Return the hunks of REQUEST's diff, or nil if it cannot be taken in parts.
Each is (HEADERS . PART), where HEADERS is the text before the first hunk
of the same file."
  (let ((headers "") (previous 'hunk) hunks plain)
    (setq plain (agent-q-fs-request-digest request))
    (dolist (target (agent-q-fs-request-targets request))
      (unless (eq :write (plist-get target :action))
        (setq plain nil)))
    (dolist (part (agent-q-fs-show-parse (or (agent-q-fs-request-diff request) "")))
      (if (eq 'hunk (car part))
          (push (cons headers part) hunks)
        (unless (string-match-p "\\`\\(?:diff --git\\|---\\|\\+\\+\\+\\) " (cadr part))
          (setq plain nil))
        (setq headers (if (eq previous 'hunk) (cadr part) (concat headers (cadr part)))))
      (setq previous (car part)))
    (and plain (nreverse hunks))))

(defun agent-q-fs-show--moved (part shift)
  "Return the text of the hunk PART, its new lines SHIFT lines further down."
  (let ((text (cadr part))
        (start (car (plist-get part :new))))
    (string-match agent-q-fs-show--hunk-header text)
    (replace-match (number-to-string (+ start shift)) t t text 3)))

(defun agent-q-fs-show--patch (hunks taken)
  "Return a unified diff of those of HUNKS whose indices are in TAKEN."
  (let ((file nil) (shift 0) (i 0) (out nil) (written nil))
    (pcase-dolist (`(,headers . ,part) hunks)
      (unless (eq file headers)
        (setq file headers shift 0 written nil))
      (if (not (memq i taken))
          (setq shift (+ shift (- (cadr (plist-get part :old))
                                  (cadr (plist-get part :new)))))
        (unless written (push headers out))
        (setq written t)
        (push (agent-q-fs-show--moved part shift) out))
      (setq i (1+ i)))
    (apply #'concat (nreverse out))))

(defun agent-q-fs-show--bodies (hunks)
  "Return the bodies of HUNKS, without the lines that number them."
  (mapcar (lambda (hunk) (replace-regexp-in-string "\\`[^\n]*\n" "" (caddr hunk))) hunks))

(defun agent-q-fs-show--same-p (seen planned)
  "Return non-nil if the bodies of hunks SEEN are those PLANNED.
The diff of an edit shows the lines of a CRLF file without their CR, that
of a patch with it."
  (or (equal seen planned)
      (and (not (seq-some (lambda (body) (string-search "\r" body)) seen))
           (equal seen (mapcar (lambda (body) (string-replace "\r\n" "\n" body)) planned)))))

(defun agent-q-fs-show-some-hunks (request hunks taken)
  "Return a request to do only those HUNKS of REQUEST whose indices are in TAKEN.
Signal an error if that request would change anything else."
  (let ((part (funcall (agent-q-fs-request-remake request) "apply_patch"
                       (list :patch (agent-q-fs-show--patch hunks taken)
                             :format "unified"))))
    (unless (agent-q-fs-show--same-p
             (agent-q-fs-show--bodies (mapcar (lambda (i) (nth i hunks)) taken))
             (agent-q-fs-show--bodies (agent-q-fs-show-hunks part)))
      (agent-q-fs--fail :patch-apply "Those hunks alone would do something else"))
    part))


;;;; The buffer

(defvar-local agent-q-fs-show--places nil
  "Where the hunks are, as a list of (START . END).")

(defun agent-q-fs-show--size (request)
  "Return the size of REQUEST's change in words."
  (let ((added 0) (removed 0) (case-fold-search nil))
    (dolist (part (agent-q-fs-show-parse (or (agent-q-fs-request-diff request) "")))
      (when (eq 'hunk (car part))
        (dolist (line (cdr (split-string (cadr part) "\n")))
          (cond ((string-prefix-p "+" line) (setq added (1+ added)))
                ((string-prefix-p "-" line) (setq removed (1+ removed)))))))
    (let ((targets (length (agent-q-fs-request-targets request))))
      (concat (format "%d target%s, +%d -%d lines" targets (if (= 1 targets) "" "s")
                      added removed)
              (if (string-match-p "^\\[diff truncated" (or (agent-q-fs-request-diff request) ""))
                  (propertize ", only some of them shown below"
                              'font-lock-face 'agent-q-fs-show-danger)
                "")))))

(defun agent-q-fs-show--field (name value)
  "Insert a line with VALUE under NAME."
  (insert (propertize (format "%-9s" (concat name ":")) 'font-lock-face 'bold) value "\n"))

(defun agent-q-fs-show--target (target)
  "Return the words for TARGET."
  (let ((path (plist-get target :path))
        (given (plist-get target :given))
        (from (plist-get target :from)))
    (concat
     (substring (symbol-name (or (plist-get target :action) :use)) 1) " "
     (pcase (plist-get target :type)
       ((or 'nil :missing :file) "")
       (type (concat (substring (symbol-name type) 1) " ")))
     (when from (concat (agent-q-fs-show-visible from t) " to "))
     (agent-q-fs-show-visible path t)
     (when (and given (not (equal given path)))
       (concat "   (written as " (agent-q-fs-show-visible given t) ")"))
     (mapconcat (lambda (risk)
                  (if (memq (car risk) (plist-get target :risks))
                      (propertize (concat "   " (cdr risk)) 'font-lock-face 'agent-q-fs-show-danger)
                    ""))
                '((:protected . "PROTECTED: other programs obey this file")
                  (:ignored . "IGNORED: git does not show this file")
                  (:executable . "EXECUTABLE"))
                ""))))

(defun agent-q-fs-show--arguments (request)
  "Insert the arguments of REQUEST that its diff does not show."
  (let ((arguments (agent-q-fs-request-arguments request))
        (diff (agent-q-fs-request-diff request)))
    (while arguments
      (let ((name (string-remove-prefix ":" (format "%s" (car arguments))))
            (value (cadr arguments)))
        (cond
         ((equal name "description")
          (when (stringp value)
            (agent-q-fs-show--field "Why" (agent-q-fs-show-visible value t))))
         ((not diff)
          (agent-q-fs-show--field
           (agent-q-fs-show-visible name t)
           (agent-q-fs-show-visible (if (stringp value) value (prin1-to-string value)))))))
      (setq arguments (cddr arguments)))))

(defun agent-q-fs-show--diff (request)
  "Insert the diff of REQUEST, and note where its hunks are."
  (dolist (part (agent-q-fs-show-parse (or (agent-q-fs-request-diff request) "")))
    (let ((start (point)))
      (insert (agent-q-fs-show-visible (cadr part)))
      (when (eq 'hunk (car part))
        (push (cons start (point)) agent-q-fs-show--places))))
  (setq agent-q-fs-show--places (nreverse agent-q-fs-show--places)))

(defun agent-q-fs-show--mode ()
  "Make the current buffer show a diff, and do nothing else.
`diff-mode' would look at files and start programs to make it prettier."
  (let ((diff-mode-hook nil))
    (delay-mode-hooks (diff-mode)))
  (setq-local diff-font-lock-syntax nil
              diff-font-lock-prettify nil
              diff-refine nil
              bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right
              truncate-lines nil
              word-wrap nil
              show-trailing-whitespace nil
              enable-local-variables nil
              buffer-read-only t)
  (font-lock-mode 1))

(defun agent-q-fs-show-buffer (request)
  "Return a new buffer that shows REQUEST."
  (let ((buffer (generate-new-buffer "*agent-q-fs approval*")))
    (with-current-buffer buffer
      (agent-q-fs-show--mode)
      (let ((inhibit-read-only t))
        (agent-q-fs-show--field
         "Tool" (format "%s (%s)" (agent-q-fs-request-tool request)
                        (if (eq 'dangerous (agent-q-fs-request-tier request))
                            (propertize "dangerous" 'font-lock-face 'agent-q-fs-show-danger)
                          (agent-q-fs-request-tier request))))
        (agent-q-fs-show--field
         "Project" (agent-q-fs-show-visible (agent-q-fs-request-root request) t))
        (dolist (target (agent-q-fs-request-targets request))
          (agent-q-fs-show--field "Target" (agent-q-fs-show--target target)))
        (pcase-dolist (`(,name . ,text) (agent-q-fs-request-facts request))
          (agent-q-fs-show--field name (agent-q-fs-show-visible text)))
        (when (agent-q-fs-request-diff request)
          (agent-q-fs-show--field "Size" (agent-q-fs-show--size request)))
        (agent-q-fs-show--arguments request)
        (insert "\n")
        (agent-q-fs-show--diff request))
      (goto-char (point-min))
      (set-buffer-modified-p nil))
    buffer))

(defun agent-q-fs-show-more-p (window)
  "Return non-nil if WINDOW does not show the end of its buffer."
  (and window
       (with-current-buffer (window-buffer window)
         (not (pos-visible-in-window-p (max (point-min) (1- (point-max))) window)))))

(defun agent-q-fs-show-hunk (request n)
  "Show hunk N of REQUEST as the one that is asked about; nil for none."
  (let ((buffer (plist-get (agent-q-fs-request-state request) :buffer)))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (remove-overlays nil nil 'agent-q-fs-hunk t)
        (let ((place (and n (nth n agent-q-fs-show--places)))
              (window (get-buffer-window buffer t)))
          (when place
            (let ((overlay (make-overlay (car place) (cdr place))))
              (overlay-put overlay 'agent-q-fs-hunk t)
              (overlay-put overlay 'face 'agent-q-fs-show-hunk))
            (when window
              (set-window-point window (car place))
              (set-window-start window (car place)))))))))


;;;; Editing the arguments

;; The arguments of a request in a buffer: each under a line with its name.
;; Strings stand as they are, other values as JSON.  C-c C-c makes the call that the
;; buffer then describes, without asking again; C-c C-k goes back to the question.

(defvar-local agent-q-fs-edit--request nil
  "The request whose arguments are in this buffer.")

(defvar-local agent-q-fs-edit--fields nil
  "The arguments, as a list of (KEY TEXT-P START END), the last two markers.")

(defvar agent-q-fs-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "\C-c\C-c" #'agent-q-fs-edit-accept)
    (define-key map "\C-c\C-k" #'agent-q-fs-edit-cancel)
    map)
  "Keys while the arguments of a call are edited.")

(define-derived-mode agent-q-fs-edit-mode fundamental-mode "Edit call"
  "Change the arguments of a model's call.
\\{agent-q-fs-edit-mode-map}"
  (setq-local bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right
              glyphless-char-display (agent-q-fs-edit--glyphs)
              header-line-format
              (substitute-command-keys
               "\\<agent-q-fs-edit-mode-map>\\[agent-q-fs-edit-accept] does this, \
\\[agent-q-fs-edit-cancel] goes back")))

(defun agent-q-fs-edit--glyphs ()
  "Return a table that shows invisible characters as numbers in boxes."
  (let ((table (copy-sequence glyphless-char-display)))
    (dolist (range '((#x80 . #x9f) (#xad . #xad) (#x34f . #x34f) (#x61c . #x61c)
                     (#x115f . #x1160) (#x17b4 . #x17b5) (#x180b . #x180f)
                     (#x200b . #x200f) (#x2028 . #x202e) (#x2060 . #x206f)
                     (#x2800 . #x2800) (#x3164 . #x3164) (#xfe00 . #xfe0f)
                     (#xfeff . #xfeff) (#xffa0 . #xffa0) (#xfff0 . #xfffb)
                     (#xe0000 . #xe0fff)))
      (set-char-table-range table range 'hex-code))
    table))

(defun agent-q-fs-edit--label (key)
  "Insert the line above the argument KEY."
  (insert (propertize (format "%s──── %s ────\n" (if (bobp) "" "\n")
                              (string-remove-prefix ":" (format "%s" key)))
                      'face 'bold 'read-only t 'rear-nonsticky t)))

(defun agent-q-fs-edit--json (value)
  "Return VALUE, an argument, as JSON."
  (let ((json-false :false) (json-null :null))
    (if (null value) "false" (json-encode value))))

(defun agent-q-fs-edit--fill (arguments)
  "Insert ARGUMENTS, a property list."
  (let (fields)
    (while arguments
      (let* ((key (pop arguments)) (value (pop arguments)) start)
        (agent-q-fs-edit--label key)
        (setq start (point))
        (insert (if (stringp value)
                    (substring-no-properties value)
                  (agent-q-fs-edit--json value)))
        (push (list key (stringp value) start (point)) fields)))
    (insert (propertize "\n──── end ────\n" 'face 'shadow 'read-only t
                        'rear-nonsticky t))
    ;; Markers only now: nothing is inserted before them any more but by the person.
    (setq agent-q-fs-edit--fields
          (mapcar (lambda (field)
                    (list (nth 0 field) (nth 1 field)
                          (copy-marker (nth 2 field)) (copy-marker (nth 3 field) t)))
                  (nreverse fields)))))

(defun agent-q-fs-edit--arguments ()
  "Return the arguments that the buffer says."
  (mapcan (pcase-lambda (`(,key ,text-p ,start ,end))
            (let ((text (buffer-substring-no-properties start end)))
              (list key
                    (if text-p
                        text
                      (let ((json-object-type 'plist) (json-array-type 'vector)
                            (json-false :false) (json-null :null))
                        (condition-case nil
                            (json-read-from-string text)
                          (error (user-error "%s: this is no JSON: %s" key text))))))))
          agent-q-fs-edit--fields))

(defun agent-q-fs-edit-start (request)
  "Show the arguments of REQUEST, to be edited."
  (let ((buffer (generate-new-buffer "*agent-q-fs edit*")))
    (with-current-buffer buffer
      (agent-q-fs-edit-mode)
      (setq agent-q-fs-edit--request request)
      (agent-q-fs-edit--fill (agent-q-fs-request-arguments request))
      (set-buffer-modified-p nil)
      (setq buffer-undo-list nil)
      (goto-char (nth 2 (or (car (last agent-q-fs-edit--fields)) (list nil nil (point-min)))))
      (add-hook 'kill-buffer-hook #'agent-q-fs-edit--killed nil t))
    (agent-q-fs-prompt-put request :edit buffer)
    (let ((window (get-buffer-window (agent-q-fs-prompt-get request :buffer) t)))
      (when window
        (select-frame-set-input-focus (window-frame window))
        (select-window window))
      (if (window-minibuffer-p)
          (pop-to-buffer buffer)
        (switch-to-buffer buffer t t)))))

(defun agent-q-fs-edit--killed ()
  "Go back to the question, because the buffer is being killed."
  (let ((request agent-q-fs-edit--request))
    (when (eq 'edit (agent-q-fs-prompt-get request :mode))
      (agent-q-fs-prompt-put request :mode 'main :edit nil)
      (agent-q-fs-prompt--wake))))

(defun agent-q-fs-edit-abandon (request)
  "Leave nothing of the buffer in which REQUEST was edited."
  (let ((buffer (agent-q-fs-prompt-get request :edit)))
    (agent-q-fs-prompt-put request :edit nil :mode 'main)
    (when (buffer-live-p buffer)
      (dolist (window (get-buffer-window-list buffer nil t))
        (when (buffer-live-p (agent-q-fs-prompt-get request :buffer))
          (set-window-buffer window (agent-q-fs-prompt-get request :buffer))))
      (with-current-buffer buffer
        (set-buffer-modified-p nil))
      (kill-buffer buffer))))

(defun agent-q-fs-edit--same-p (request arguments)
  "Return non-nil if ARGUMENTS are those of REQUEST."
  (equal (agent-q-fs-edit--printed arguments)
         (agent-q-fs-edit--printed (agent-q-fs-request-arguments request))))

(defun agent-q-fs-edit--printed (arguments)
  "Return ARGUMENTS as text, so that equal arguments give equal text."
  (let (values)
    (while arguments
      (push (format "%s" (pop arguments)) values)
      (push (let ((value (pop arguments)))
              (if (stringp value)
                  (substring-no-properties value)
                (agent-q-fs-edit--json value)))
            values))
    values))

(defun agent-q-fs-edit-accept ()
  "Do the call as it is in the buffer by now."
  (interactive nil agent-q-fs-edit-mode)
  (let* ((request agent-q-fs-edit--request)
         (arguments (agent-q-fs-edit--arguments)))
    (if (agent-q-fs-edit--same-p request arguments)
        (agent-q-fs-prompt-decide request :decision 'approved)
      (condition-case problem
          (agent-q-fs-prompt-decide
           request :decision 'edited
           :commit (funcall (agent-q-fs-request-remake request)
                            (agent-q-fs-request-tool request) arguments))
        (agent-q-fs-error
         (user-error "%s" (plist-get (cdr problem) :message)))))
    (exit-recursive-edit)))

(defun agent-q-fs-edit-cancel ()
  "Go back to the question whether to do the call as it was made."
  (interactive nil agent-q-fs-edit-mode)
  (agent-q-fs-prompt-put agent-q-fs-edit--request :mode 'main)
  (exit-recursive-edit))

(provide 'agent-q-fs-show)
;;; agent-q-fs-show.el ends here

;;; agent-q-fs-show.el --- Show what a call would do  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-show-sentence' says in a sentence what a request would do, and
;; `agent-q-fs-show-fill' shows all about it in a buffer: that sentence, the targets, those
;; first that want a second look, and the change as a diff.  `agent-q-fs-show-buffer' makes
;; such a buffer.
;;
;; A model can send text that misleads: text that runs from right to left,
;; characters without width or ink, a screenful of blanks before what matters,
;; letters that look like others.  `agent-q-fs-show-visible' makes such text
;; visible.  Only the display is changed; hunks are taken from the diff itself.
;;
;; The diff is coloured while it is displayed: by its lines' signs, by the words that
;; differ, and by the mode of its file.  Neither a file nor its text decides about more
;; than colours: the mode is chosen by the file's name, is called in an empty buffer, and
;; runs no hooks.

;;; Code:

(require 'agent-q-fs-answer)
(require 'agent-q-fs-approve)
(require 'cl-lib)
(require 'diff-mode)
(require 'seq)

(defface agent-q-fs-show-escaped '((t :inherit (escape-glyph) :inverse-video t))
  "Face for characters that would be invisible or misleading as they are."
  :group 'agent-q-fs-approve)

(defface agent-q-fs-show-calm '((t :inherit success))
  "Face for what edits files or makes plain ones."
  :group 'agent-q-fs-approve)

(defface agent-q-fs-show-notable '((t :inherit warning))
  "Face for what replaces, moves or deletes a file, or runs a command."
  :group 'agent-q-fs-approve)

(defface agent-q-fs-show-danger '((t :inherit error))
  "Face for what touches protected files or deletes many, and for warnings."
  :group 'agent-q-fs-approve)

(defface agent-q-fs-show-hunk '((t :inherit highlight :extend t))
  "Face for the hunk that is asked about."
  :group 'agent-q-fs-approve)


;;;; Visible text

(defconst agent-q-fs-show-inkless
  '((0 . 8) (11 . 31) (127 . #xa0) (#xad . #xad) (#x34f . #x34f) (#x600 . #x605) (#x61c . #x61c)
    (#x6dd . #x6dd) (#x70f . #x70f) (#x890 . #x891) (#x8e2 . #x8e2) (#x115f . #x1160)
    (#x1680 . #x1680) (#x17b4 . #x17b5) (#x180b . #x180f) (#x2000 . #x200f) (#x2028 . #x202f)
    (#x205f . #x206f) (#x2800 . #x2800) (#x3000 . #x3000) (#x3164 . #x3164) (#xfe00 . #xfe0f)
    (#xfeff . #xfeff) (#xffa0 . #xffa0) (#xfff0 . #xfffc) (#x110bd . #x110bd) (#x110cd . #x110cd)
    (#x13430 . #x1345f) (#x1bca0 . #x1bca3) (#x1d159 . #x1d159) (#x1d173 . #x1d17a)
    (#xe0000 . #xe0fff) (#x3fff80 . #x3fffff))
  "Ranges of characters that have no ink in Emacs, or change what is around them.")

(defconst agent-q-fs-show--invisible
  (mapconcat (lambda (range) (string (car range) ?- (cdr range))) agent-q-fs-show-inkless "")
  "These characters, for a regexp.")

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
         (regexp (if name agent-q-fs-show--misleading-name agent-q-fs-show--misleading))
         (shown (if (string-match-p regexp text)
                    (replace-regexp-in-string regexp #'agent-q-fs-show--escape text t t)
                  text)))
    (if (and name (cdr (agent-q-fs-show--scripts text)))
        (concat shown (propertize
                       (format " <letters of %s>"
                               (mapconcat #'symbol-name (agent-q-fs-show--scripts text) " and "))
                       'face 'agent-q-fs-show-escaped
                       'font-lock-face 'agent-q-fs-show-escaped))
      shown)))


;;;; A request in a sentence

(defun agent-q-fs-show-lines (request)
  "Return how many lines REQUEST adds and removes, as (ADDED . REMOVED)."
  (let ((added 0) (removed 0))
    (dolist (part (agent-q-fs-hunks-parts request))
      (pcase-let ((`(,more ,less) (plist-get (cddr part) :lines)))
        (setq added (+ added (or more 0)) removed (+ removed (or less 0)))))
    (cons added removed)))

(defun agent-q-fs-show-cut-p (request)
  "Return non-nil if the core has cut REQUEST's diff."
  (seq-some (lambda (part)
              (and (eq 'other (car part)) (string-prefix-p "[diff truncated" (cadr part))))
            (agent-q-fs-hunks-parts request)))

(defun agent-q-fs-show--changes (request)
  "Return REQUEST's targets without the directories that are made for others."
  (let ((targets (agent-q-fs-request-targets request)))
    (or (seq-remove (lambda (target) (eq :make (plist-get target :action))) targets)
        (last targets))))

(defun agent-q-fs-show--verb (target)
  "Return the word for what is done to TARGET."
  (let ((there (not (memq (plist-get target :type) '(nil :missing))))
        (risks (plist-get target :risks)))
    (pcase (plist-get target :action)
      (:delete "delete")
      (:move "move")
      (:make "make")
      (:copy (if there "replace" "copy"))
      (:write (cond ((not there) "create")
                    ((memq :replace risks) "replace")
                    ((memq :mode risks) "change the mode of")
                    (t "edit")))
      ((and :read (guard (plist-get target :secret))) "read")
      (_ "use"))))

(defun agent-q-fs-show--name (target)
  "Return the name of TARGET, as a person reads it."
  (let ((path (agent-q-fs-show-visible (plist-get target :path) t)))
    (concat (when (plist-get target :from)
              (concat (agent-q-fs-show-visible (plist-get target :from) t) " to "))
            path
            (if (or (eq :directory (plist-get target :type)) (eq :make (plist-get target :action)))
                "/"
              ""))))

(defun agent-q-fs-show--count-words (number word)
  "Return NUMBER and WORD, in the plural where that is due."
  (format "%d %s" number (cond ((= 1 number) word)
                               ((equal word "entry") "entries")
                               (t (concat word "s")))))

(defun agent-q-fs-show--below (request)
  "Return how many entries there are in the directory that REQUEST deletes, or nil."
  (let ((text (or (agent-q-fs-request-diff request) "")))
    (and (string-match "\\`Directory [^\n]* deleted, with \\([0-9]+\\) entr[^\n]*\n?\\'" text)
         (string-to-number (match-string 1 text)))))

(defun agent-q-fs-show--extent (request verb)
  "Return words in parentheses about the size of REQUEST, which does VERB; or none."
  (pcase-let ((`(,added . ,removed) (agent-q-fs-show-lines request)))
    (cond
     ((and (= 0 added) (= 0 removed)) "")
     ((and (equal verb "create") (= 0 removed))
      (format " (%s)" (agent-q-fs-show--count-words added "line")))
     ((and (equal verb "delete") (= 0 added))
      (format " (%s)" (agent-q-fs-show--count-words removed "line")))
     (t (format " (+%d -%d)" added removed)))))

(defun agent-q-fs-show--one (request target)
  "Return the sentence about REQUEST, which changes TARGET alone."
  (let* ((verb (agent-q-fs-show--verb target))
         (below (and (equal verb "delete") (agent-q-fs-show--below request))))
    (concat (capitalize (substring verb 0 1)) (substring verb 1) " "
            (pcase verb ("make" "the directory ") ("read" "the secret ") (_ ""))
            (agent-q-fs-show--name target)
            (if below
                (format " and %s in it" (agent-q-fs-show--count-words below "entry"))
              (agent-q-fs-show--extent request verb)))))

(defun agent-q-fs-show--many (request targets)
  "Return the sentence about REQUEST, which changes TARGETS."
  (let* ((verbs (mapcar #'agent-q-fs-show--verb targets))
         (parts (delq nil
                      (mapcar (lambda (verb)
                                (let ((count (seq-count (lambda (other) (equal verb other)) verbs)))
                                  (unless (= 0 count)
                                    (format "%s %d" verb count))))
                              '("delete" "replace" "move" "change the mode of" "make" "create"
                                "copy" "edit" "use" "read"))))
         (words (concat (string-join (butlast parts) ", ") (if (cdr parts) " and " "")
                        (car (last parts)) " files"
                        (agent-q-fs-show--extent request "change"))))
    (concat (capitalize (substring words 0 1)) (substring words 1))))

(defun agent-q-fs-show--argument (request &rest names)
  "Return the first of REQUEST's arguments NAMES, keywords, that is a text."
  (seq-some (lambda (name)
              (let ((value (plist-get (agent-q-fs-request-arguments request) name)))
                (and (stringp value) value)))
            names))

(defun agent-q-fs-show--short (text)
  "Return TEXT on one line, visible and not long."
  (agent-q-fs-show-visible (truncate-string-to-width text 160 nil nil "…") t))

(defun agent-q-fs-show-sentence (request)
  "Return a sentence about what REQUEST would do, without a full stop."
  (let ((changes (agent-q-fs-show--changes request))
        (command (agent-q-fs-show--argument request :command :cmd))
        (chars (agent-q-fs-show--argument request :chars)))
    (cond
     ((and command (eq :run-in (plist-get (car changes) :action)))
      (concat "Run: " (agent-q-fs-show--short command)))
     ((and chars (eq :run-in (plist-get (car changes) :action)))
      (format "Type into session %s: %s"
              (plist-get (agent-q-fs-request-arguments request) :session_id)
              (agent-q-fs-show--short chars)))
     ((or (null changes) (equal "use" (agent-q-fs-show--verb (car changes))))
      (agent-q-fs-show--short (or (agent-q-fs-request-summary request)
                                  (agent-q-fs-request-tool request))))
     ((cdr changes) (agent-q-fs-show--many request changes))
     (t (agent-q-fs-show--one request (car changes))))))

(defun agent-q-fs-show-stake (request)
  "Return how much is at stake with REQUEST: `calm', `notable' or `danger'."
  (let* ((targets (agent-q-fs-request-targets request))
         (deleted (seq-filter (lambda (target) (eq :delete (plist-get target :action))) targets)))
    (cond
     ((or (seq-some (lambda (target)
                      (or (plist-get target :protected)
                          (seq-intersection '(:protected :ignored :executable)
                                            (plist-get target :risks))))
                    targets)
          (seq-some (lambda (target) (eq :directory (plist-get target :type))) deleted)
          (nthcdr 9 deleted))
      'danger)
     ((or (eq 'cautious (agent-q-fs-request-tier request))
          (agent-q-fs-request-plain-p request))
      'calm)
     (t 'notable))))

(defun agent-q-fs-show-face (request)
  "Return the face for what is at stake with REQUEST."
  (pcase (agent-q-fs-show-stake request)
    ('danger 'agent-q-fs-show-danger)
    ('calm 'agent-q-fs-show-calm)
    (_ 'agent-q-fs-show-notable)))


;;;; The buffer

(defvar-local agent-q-fs-show--places nil
  "Where the hunks are, as a list of (START . END).")

(defun agent-q-fs-show--size (request)
  "Return the size of REQUEST's change in words."
  (pcase-let ((`(,added . ,removed) (agent-q-fs-show-lines request)))
    (concat (agent-q-fs-show--count-words (length (agent-q-fs-request-targets request)) "target")
            (format ", +%d -%d lines" added removed)
            (if (agent-q-fs-show-cut-p request)
                (propertize ", more than the diff below has; what it was made of is at the end"
                            'face 'agent-q-fs-show-danger)
              ""))))

(defun agent-q-fs-show--field (name value)
  "Insert a line with VALUE under NAME; its further lines are indented."
  (insert (propertize (format "%-8s " (concat name ":")) 'face 'bold)
          (replace-regexp-in-string "\n\\(.\\|\n\\)" "\n         \\1" value)
          "\n"))

(defconst agent-q-fs-show--risks
  '((:protected . "PROTECTED: other programs obey this file")
    (:ignored . "IGNORED: git does not show this file")
    (:executable . "EXECUTABLE"))
  "Words about risks that a person should not miss.")

(defun agent-q-fs-show--target (target)
  "Return the words for TARGET."
  (let ((path (plist-get target :path))
        (given (plist-get target :given))
        (from (plist-get target :from)))
    (concat
     (string-replace "-" " " (substring (symbol-name (or (plist-get target :action) :use)) 1)) " "
     (pcase (plist-get target :type)
       ((or 'nil :missing :file) "")
       (type (concat (substring (symbol-name type) 1) " ")))
     (when from (concat (agent-q-fs-show-visible from t) " to "))
     (agent-q-fs-show-visible path t)
     (when (and given (not (equal given path)))
       (concat "   (written as " (agent-q-fs-show-visible given t) ")"))
     (mapconcat (lambda (risk)
                  (if (memq (car risk) (plist-get target :risks))
                      (propertize (concat "   " (cdr risk)) 'face 'agent-q-fs-show-danger)
                    ""))
                agent-q-fs-show--risks "")
     (when (plist-get target :secret)
       (propertize (concat "   SECRET.  " (agent-q-fs-show-visible (plist-get target :secret) t))
                   'face 'agent-q-fs-show-danger)))))

(defun agent-q-fs-show--rank (target)
  "Return a number that is the smaller the sooner a person should see TARGET."
  (cond ((or (plist-get target :secret) (plist-get target :protected)
             (memq :protected (plist-get target :risks)))
         0)
        ((eq :delete (plist-get target :action)) 1)
        ((seq-intersection '(:ignored :executable :replace) (plist-get target :risks)) 2)
        (t 3)))

(defun agent-q-fs-show--arguments (request all)
  "Insert the arguments of REQUEST, but those that its diff shows only if ALL."
  (cl-loop for (key value) on (agent-q-fs-request-arguments request) by #'cddr
           for name = (string-remove-prefix ":" (format "%s" key))
           unless (or (equal name "description")
                      ;; The fact Isolated tells that; beside "no" it would seem a promise.
                      (and (equal name "access") (equal value "project"))
                      (and (agent-q-fs-request-diff request) (not all)))
           do (agent-q-fs-show--field
               (agent-q-fs-show-visible name t)
               (agent-q-fs-show-visible (if (stringp value) value (prin1-to-string value))))))

(defun agent-q-fs-show--file-of (header file)
  "Return the name of the file that the lines after HEADER, of a diff, are of.
FILE is the name that was known before."
  (if (string-match "\\`\\(?:---\\|\\+\\+\\+\\) \"?[ab]/\\([^\n\"\t]+\\)" header)
      (match-string 1 header)
    file))

(defun agent-q-fs-show--diff (request)
  "Insert the diff of REQUEST, and note where its hunks are."
  (let (file places)
    (dolist (part (agent-q-fs-hunks-parts request))
      (let ((start (point)) (hunk (eq 'hunk (car part))))
        (unless hunk
          (setq file (agent-q-fs-show--file-of (cadr part) file)))
        (insert (agent-q-fs-show-visible (cadr part)))
        (put-text-property start (point) 'agent-q-fs-part (list (if hunk 'hunk 'other) file))
        (when hunk
          (push (cons start (point)) places))))
    (setq agent-q-fs-show--places (nreverse places))))

(defun agent-q-fs-show-fill (request)
  "Insert all about REQUEST into the current buffer."
  (let ((why (agent-q-fs-show--argument request :description))
        (caller (agent-q-fs-request-caller request)))
    (insert (propertize (agent-q-fs-show-sentence request)
                        'face (list 'bold (agent-q-fs-show-face request)))
            (if (eq 'danger (agent-q-fs-show-stake request))
                (propertize "   DANGEROUS" 'face '(bold agent-q-fs-show-danger))
              "")
            "\n\n")
    (when why
      (agent-q-fs-show--field "Why" (agent-q-fs-show-visible why t)))
    (agent-q-fs-show--field "Tool" (format "%s (%s risk)" (agent-q-fs-request-tool request)
                                           (pcase (agent-q-fs-show-stake request)
                                             ('calm "low") ('notable "some") (_ "high"))))
    (when (and caller (agent-q-fs-caller-name caller))
      (agent-q-fs-show--field "For" (agent-q-fs-show-visible (agent-q-fs-caller-name caller) t)))
    (agent-q-fs-show--field "Project"
                            (agent-q-fs-show-visible (agent-q-fs-request-root request) t))
    (when (or (cdr (agent-q-fs-show--changes request)) (agent-q-fs-show-cut-p request))
      (agent-q-fs-show--field "Size" (agent-q-fs-show--size request)))
    (dolist (target (seq-sort-by #'agent-q-fs-show--rank #'<
                                 (agent-q-fs-request-targets request)))
      (agent-q-fs-show--field "Target" (agent-q-fs-show--target target)))
    (agent-q-fs-show--arguments request nil)
    (pcase-dolist (`(,name . ,text) (agent-q-fs-request-facts request))
      (agent-q-fs-show--field name (agent-q-fs-show-visible text)))
    (insert "\n")
    (agent-q-fs-show--diff request)
    (when (agent-q-fs-show-cut-p request)
      (insert "\n")
      (agent-q-fs-show--arguments request t))))

(define-derived-mode agent-q-fs-show-mode special-mode "Call"
  "Show what a call would do."
  :interactive nil
  (buffer-disable-undo)
  (setq-local bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right
              truncate-lines nil
              truncate-partial-width-windows nil ; nor where the window is narrow
              word-wrap nil
              show-trailing-whitespace nil
              imenu-generic-expression '((nil "^@@ [-+0-9, ]+ @@ \\(.+\\)$" 1))
              enable-local-variables nil)
  (add-hook 'kill-buffer-hook #'agent-q-fs-show--drop-texts nil t)
  (jit-lock-register #'agent-q-fs-show--paint))

(defun agent-q-fs-show-buffer (request)
  "Return a new buffer that shows REQUEST."
  (let ((buffer (generate-new-buffer "*agent-q-fs approval*")))
    (with-current-buffer buffer
      (delay-mode-hooks (agent-q-fs-show-mode))
      (let ((inhibit-read-only t))
        (agent-q-fs-show-fill request))
      (goto-char (point-min))
      (set-buffer-modified-p nil))
    buffer))

(defun agent-q-fs-show-more-p (window)
  "Return non-nil if WINDOW does not show the end of its buffer."
  (and window
       (with-current-buffer (window-buffer window)
         (not (pos-visible-in-window-p (max (point-min) (1- (point-max))) window)))))

(defun agent-q-fs-show-hunk (buffer n)
  "Show hunk N of BUFFER as the one that is asked about; nil for none."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (remove-overlays nil nil 'agent-q-fs-hunk t)
      (let ((place (and n (nth n agent-q-fs-show--places)))
            (window (get-buffer-window buffer t)))
        (when place
          (let ((overlay (make-overlay (car place) (cdr place))))
            (overlay-put overlay 'agent-q-fs-hunk t)
            (overlay-put overlay 'face 'agent-q-fs-show-hunk))
          (goto-char (car place))
          (when window
            (set-window-point window (car place))
            (set-window-start window (car place))))))))


;;;; Colours

(defconst agent-q-fs-show--paint-most 20000
  "Characters of the longest hunk that has more colours than those of signs.")

(defvar-local agent-q-fs-show--texts nil
  "Buffers in which text gets the colours of modes, as (MODE . BUFFER).")

(defun agent-q-fs-show--drop-texts ()
  "Kill the buffers in which text got colours."
  (mapc (lambda (entry) (kill-buffer (cdr entry))) agent-q-fs-show--texts)
  (setq agent-q-fs-show--texts nil))

(defun agent-q-fs-show-mode-of (name)
  "Return the major mode for text in files called NAME, or nil if none is known.
Only modes for programs and texts are, whatever else the name may ask for."
  (let* ((case-fold-search nil)
         (mode (and name (assoc-default name auto-mode-alist #'string-match))))
    (when (and mode (symbolp mode) (fboundp mode))
      (with-demoted-errors "agent-q-fs: %S"
        (autoload-do-load (symbol-function mode) mode)
        (and (seq-some (lambda (parent) (provided-mode-derived-p mode parent))
                       '(prog-mode text-mode conf-mode))
             mode)))))

(defun agent-q-fs-show--text-buffer (mode)
  "Return a buffer in MODE, which was called when it was empty, without hooks."
  (or (cdr (assq mode agent-q-fs-show--texts))
      (let ((buffer (generate-new-buffer " *agent-q-fs text*")))
        (push (cons mode buffer) agent-q-fs-show--texts)
        (with-current-buffer buffer
          (buffer-disable-undo)
          (delay-mode-hooks (funcall mode)))
        buffer)))

(defvar org-src-fontify-natively)

(defun agent-q-fs-show--in-colour (text mode)
  "Return TEXT with the faces of MODE."
  (let ((delay-mode-hooks t) (enable-local-variables nil) (org-src-fontify-natively nil)
        (inhibit-message t))
    (with-current-buffer (agent-q-fs-show--text-buffer mode)
      (let ((inhibit-modification-hooks t) (inhibit-read-only t))
        (erase-buffer)
        (insert text))
      (font-lock-ensure)
      (buffer-string))))

(defun agent-q-fs-show--paint-syntax (lines mode)
  "Give LINES, a list of (START . END), the faces of MODE."
  (let* ((shown (mapconcat (lambda (line) (buffer-substring-no-properties (car line) (cdr line)))
                           lines "\n"))
         (text (agent-q-fs-show--in-colour shown mode))
         (from 0))
    (when (= (length text) (length shown))
      (dolist (line lines)
        (let ((at from) (end (+ from (- (cdr line) (car line)))))
          (while (< at end)
            (let ((next (or (next-single-property-change at 'face text end) end))
                  (face (get-text-property at 'face text)))
              (when face
                (add-face-text-property (+ (car line) (- at from)) (+ (car line) (- next from))
                                        face t))
              (setq at next)))
          (setq from (1+ end)))))))

(defun agent-q-fs-show--refine (old new)
  "Highlight what differs between the lines OLD and NEW, each (START . END).
That is what stands between their common beginning and their common end,
in whole words; nothing where they have next to nothing in common."
  (let* ((a (buffer-substring-no-properties (car old) (cdr old)))
         (b (buffer-substring-no-properties (car new) (cdr new)))
         (most (min (length a) (length b)))
         (head (1- (abs (let ((order (compare-strings a nil nil b nil nil)))
                          (if (eq t order) (1+ most) order)))))
         (tail 0)
         (word (lambda (text i)
                 (and (< 0 i (length text))
                      (string-match-p "\\`[[:alnum:]_][[:alnum:]_]" (substring text (1- i)))))))
    (while (or (funcall word a head) (funcall word b head))
      (setq head (1- head)))
    (while (and (< tail (- most head))
                (eq (aref a (- (length a) tail 1)) (aref b (- (length b) tail 1))))
      (setq tail (1+ tail)))
    (while (and (< 0 tail) (or (funcall word a (- (length a) tail))
                               (funcall word b (- (length b) tail))))
      (setq tail (1- tail)))
    (when (< most (* 4 (+ head tail)))
      (add-face-text-property (+ (car old) head) (- (cdr old) tail) 'diff-refine-removed t)
      (add-face-text-property (+ (car new) head) (- (cdr new) tail) 'diff-refine-added t))))

(defun agent-q-fs-show--hunk-lines (start end)
  "Return the lines between START and END as (SIGN FROM . TO), without the signs."
  (let (lines)
    (save-excursion
      (goto-char start)
      (while (< (point) end)
        (unless (eolp)
          (push (cons (char-after) (cons (1+ (point)) (line-end-position))) lines))
        (forward-line 1)))
    (nreverse lines)))

(defun agent-q-fs-show--refine-lines (lines)
  "Highlight what differs in LINES, where as many replace as are replaced."
  (while lines
    (let (old new)
      (while (eq ?- (caar lines)) (push (cdr (pop lines)) old))
      (while (eq ?+ (caar lines)) (push (cdr (pop lines)) new))
      (if (= (length old) (length new))
          (cl-mapc #'agent-q-fs-show--refine old new))
      (unless (or old new) (pop lines)))))

(defun agent-q-fs-show--paint-hunk (start end file)
  "Paint the hunk of FILE between START and END."
  (let ((lines (agent-q-fs-show--hunk-lines
                (save-excursion (goto-char start) (line-beginning-position 2)) end))
        (whole (< (- end start) agent-q-fs-show--paint-most))
        mode)
    (when whole
      (agent-q-fs-show--refine-lines lines)
      (setq mode (agent-q-fs-show-mode-of file)))
    (pcase-dolist (`(,sign ,from . ,to) lines)
      (let ((face (pcase sign (?+ 'diff-added) (?- 'diff-removed) (_ nil))))
        (when face
          (add-face-text-property (1- from) (min (1+ to) (point-max)) face t))))
    (when mode
      (dolist (other '(?+ ?-))
        (agent-q-fs-show--paint-syntax
         (delq nil (mapcar (lambda (line)
                             (and (memq (car line) (list ?\s other)) (cdr line)))
                           lines))
         mode)))
    (add-face-text-property start (save-excursion (goto-char start) (line-end-position))
                            'diff-hunk-header t)))

(defun agent-q-fs-show--paint (start end)
  "Paint the parts of the diff that are between START and END, for `jit-lock-mode'."
  (with-silent-modifications
    (save-match-data
      (let ((at start))
        (while (< at end)
          (let* ((part (get-text-property at 'agent-q-fs-part))
                 (to (next-single-property-change at 'agent-q-fs-part nil (point-max)))
                 (from (if (and part (< (point-min) at))
                           (previous-single-property-change (1+ at) 'agent-q-fs-part nil
                                                            (point-min))
                         at)))
            (when (and part (not (get-text-property from 'agent-q-fs-painted)))
              (if (eq 'hunk (car part))
                  (with-demoted-errors "agent-q-fs: %S"
                    (agent-q-fs-show--paint-hunk from to (cadr part)))
                (add-face-text-property from to 'diff-header t))
              (put-text-property from (1+ from) 'agent-q-fs-painted t))
            (setq at to)))))))

(provide 'agent-q-fs-show)
;;; agent-q-fs-show.el ends here

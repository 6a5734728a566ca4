;;; agent-q-fs-change.el --- Change files by hand  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands that replace, insert, create, move, copy, delete and patch.  Each shows
;; what it would do, as a model's call is shown.  The person's `y' does exactly
;; that, through the dispatcher of all tools; if the files have changed since,
;; nothing is done.  A text that goes into a file is written in a buffer.
;;
;; In a list of lines that match, `agent-q-fs-grep-edit' lets the lines be edited, with
;; the keys of wgrep.  All edits become one patch.

;;; Code:

(require 'agent-q-fs-find)
(require 'agent-q-fs-grep)
(require 'agent-q-fs-show)
(require 'agent-q-fs-tools)
(require 'seq)
(require 'text-property-search)

(defcustom agent-q-fs-change-confirm t
  "Whether commands that change files show what they would do, and ask.
With nil they do it at once, unless a file is moved, deleted, replaced
or protected."
  :type 'boolean
  :group 'agent-q-fs-ui)

(defun agent-q-fs-change--request (tool arguments workspace)
  "Return what TOOL with ARGUMENTS would do in WORKSPACE, as a request."
  (let ((preview (let ((agent-q-fs--told t))
                   (agent-q-fs-ui-call "Looking at what that changes..." workspace tool
                                       arguments :authority 'dangerous :preview t))))
    (agent-q-fs-request--make
     :tool tool :arguments arguments :workspace workspace
     :tier (intern (substring (symbol-name (plist-get preview :tier)) 1))
     :summary (plist-get preview :summary) :targets (plist-get preview :targets)
     :diff (plist-get preview :diff) :digest (plist-get preview :digest))))

(defun agent-q-fs-change--needless-p (request)
  "Return non-nil if REQUEST is done without asking."
  (and (not (default-value 'agent-q-fs-change-confirm))
       (not (agent-q-fs-request-protected-p request))
       (or (eq 'cautious (agent-q-fs-request-tier request))
           (seq-every-p (lambda (target)
                          (and (null (plist-get target :from))
                               (memq (plist-get target :type) '(nil :missing))))
                        (agent-q-fs-request-targets request)))))


;;;; Questions and messages

(defconst agent-q-fs-change--help
  "y does what is shown   n does nothing   SPC, DEL scroll   = shows it alone   C-g leaves"
  "The meaning of the keys while a change by hand is asked about.")

(defun agent-q-fs-change--read (window question)
  "Return non-nil if the person answers QUESTION with yes; WINDOW scrolls."
  (let ((answer 'none) (help nil))
    (while (eq answer 'none)
      (redisplay)      ; a mode that paints the text may send messages, which wipe a question
      (let ((key (let ((inhibit-quit nil) (cursor-in-echo-area t))
                   (read-key (concat (and help (concat agent-q-fs-change--help "\n"))
                                     (propertize question 'face 'minibuffer-prompt)
                                     " (y, n, SPC and DEL scroll, ? helps) ")))))
        (setq help (memq key '(?? ?h help f1)))
        (pcase key
          ((or ?y ?Y) (setq answer t))
          ((or ?n ?N ?q 13 27 'return 'escape) (setq answer nil))
          (?\C-g (signal 'quit nil))
          (?= (when (window-live-p window) (delete-other-windows window)))
          ((or ?\s 'next ?\C-v)
           (when window (with-selected-window window (ignore-errors (scroll-up)))))
          ((or 127 'backspace 'prior)
           (when window (with-selected-window window (ignore-errors (scroll-down))))))))
    (message nil)
    answer))

(defun agent-q-fs-change--show (requests)
  "Return a new buffer that shows all of REQUESTS."
  (let ((buffer (agent-q-fs-show-buffer (car requests))))
    (dolist (request (cdr requests) buffer)
      (let ((other (agent-q-fs-show-buffer request)))
        (with-current-buffer buffer
          (let ((inhibit-read-only t))
            (save-excursion
              (goto-char (point-max))
              (insert "\n\n")
              (insert-buffer-substring other))))
        (kill-buffer other)))))

(defun agent-q-fs-change--ask (requests)
  "Show REQUESTS and return non-nil if the person wants all of them.
Windows and buffers are afterwards as they were."
  (let ((windows (current-window-configuration))
        (buffer (agent-q-fs-change--show requests)))
    (unwind-protect
        (agent-q-fs-change--read
         (display-buffer buffer '((display-buffer-reuse-window display-buffer-pop-up-window
                                                               display-buffer-use-some-window)))
         (concat (agent-q-fs-show-sentence (car requests))
                 (and (cdr requests) (format " and do %d more" (length (cdr requests))))
                 "?"))
      (set-window-configuration windows)
      (kill-buffer buffer))))

(defun agent-q-fs-change--reply (request)
  "Do REQUEST, and return the reply.  A long one shows how far it is."
  (let* ((reply nil) (far nil)
         (slow (agent-q-fs-tool-slow (agent-q-fs-find-tool (agent-q-fs-request-tool request))))
         (caller (agent-q-fs-caller-new :listener (lambda (n) (setq far n)))))
    (agent-q-fs-tools--begin (agent-q-fs-request-tool request)
                             (agent-q-fs-request-arguments request)
                             (agent-q-fs-request-workspace request)
                             (lambda (answer) (setq reply answer))
                             :wait (not slow) :person t :caller (and slow caller)
                             :digest (agent-q-fs-request-digest request))
    (unwind-protect
        (agent-q-fs-job-watch "Making that change..." (lambda () (not reply)) (lambda () far))
      (unless reply (agent-q-fs-caller-leave caller)))
    reply))

(defun agent-q-fs-change--do (request)
  "Do REQUEST, and tell the person what was done."
  (let ((reply (agent-q-fs-change--reply request)))
    (when (plist-get reply :error)
      (user-error "%s" (agent-q-fs-ui-words reply)))
    (message "Done: %s" (agent-q-fs-show-sentence request))
    reply))

(defun agent-q-fs-change--decide (&rest requests)
  "Do REQUESTS once the person, who is shown what they do, agrees."
  (if (or (seq-every-p #'agent-q-fs-change--needless-p requests)
          (agent-q-fs-change--ask requests))
      (let ((done 0) reply)
        (dolist (request requests reply)
          (condition-case problem
              (setq reply (agent-q-fs-change--do request))
            (user-error
             (if (zerop done) (signal (car problem) (cdr problem))
               (user-error "%s\n%d of %d were done before that" (cadr problem)
                           done (length requests)))))
          (setq done (1+ done))))
    (user-error "Nothing was changed")))

(defun agent-q-fs-change (tool &rest arguments)
  "Call TOOL with ARGUMENTS once the person, who is shown what it does, agrees."
  (agent-q-fs-change-all (list (cons tool arguments))))

(defun agent-q-fs-change-all (calls)
  "Do CALLS, each (TOOL ARGUMENTS...), once the person, who is shown them, agrees.
Each is planned before anything is asked.  Where one fails, those after
it are not done."
  (agent-q-fs-ui-with-words
    (apply #'agent-q-fs-change--decide
           (mapcar (lambda (call)
                     (agent-q-fs-change--request (car call) (cdr call)
                                                 (agent-q-fs-ui-workspace)))
                   calls))))

(defun agent-q-fs-change--region ()
  "Return the text of the region, or nil if there is none."
  (and (use-region-p)
       (buffer-substring-no-properties (region-beginning) (region-end))))


;;;; A text that is written

(defvar-local agent-q-fs-change--then nil
  "A function that is called with the text of this buffer.")

(defvar-local agent-q-fs-change--windows nil
  "The windows as they were before this buffer was shown.")

(defvar agent-q-fs-change-write-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "\C-c\C-c" #'agent-q-fs-change-write-finish)
    (define-key map "\C-c\C-k" #'agent-q-fs-change-write-abort)
    map)
  "Keys in a buffer in which a text for a file is written.")

(define-minor-mode agent-q-fs-change-write-mode
  "Non-nil in a buffer in which a text for a file is written."
  :lighter " Write"
  :interactive nil)

(defun agent-q-fs-change--major-mode (path)
  "Use the major mode for files like PATH, without its hooks."
  (let ((mode (assoc-default path auto-mode-alist #'string-match-p)))
    (when (and (symbolp mode) (fboundp mode))
      (with-demoted-errors "agent-q-fs: no major mode: %S"
        (let ((enable-local-variables nil))
          (delay-mode-hooks (funcall mode)))))))

(defun agent-q-fs-change--write (title path initial then)
  "Let the person write a text for PATH in a buffer, and call THEN with it.
TITLE says what for, and INITIAL is there at first."
  (let ((workspace (agent-q-fs-ui-workspace))
        (windows (current-window-configuration))
        (buffer (generate-new-buffer (format "*agent-q-fs %s*"
                                             (file-name-nondirectory path)))))
    (with-current-buffer buffer
      (insert initial)
      (goto-char (point-min))
      (set-buffer-modified-p nil)
      (agent-q-fs-change--major-mode path)
      (agent-q-fs-change-write-mode 1)
      (agent-q-fs-ui-belong workspace)
      (setq agent-q-fs-change--then then
            agent-q-fs-change--windows windows
            header-line-format
            (string-replace
             "%" "%%"
             (concat " " (agent-q-fs-show-visible title t)
                     (substitute-command-keys
                      "   \\<agent-q-fs-change-write-mode-map>\
\\[agent-q-fs-change-write-finish] goes on, \\[agent-q-fs-change-write-abort] leaves")))))
    (pop-to-buffer buffer)))

(defun agent-q-fs-change-write-finish ()
  "Go on with the text of this buffer; it stays until that was done."
  (interactive nil)
  (let ((buffer (current-buffer))
        (windows agent-q-fs-change--windows))
    (funcall agent-q-fs-change--then
             (buffer-substring-no-properties (point-min) (point-max)))
    (agent-q-fs-change--leave buffer windows)))

(defun agent-q-fs-change--leave (buffer windows)
  "Kill BUFFER, and make the windows those that WINDOWS has."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer (set-buffer-modified-p nil))
    (kill-buffer buffer))
  (when (frame-live-p (window-configuration-frame windows))
    (set-window-configuration windows)))

(defun agent-q-fs-change-write-abort ()
  "Forget the text of this buffer, and change nothing."
  (interactive nil)
  (when (or (not (buffer-modified-p))
            (yes-or-no-p "Forget what is written here? "))
    (agent-q-fs-change--leave (current-buffer) agent-q-fs-change--windows)
    (message "Nothing was changed")))


;;;; Commands

(defun agent-q-fs-change--whole-lines (text)
  "Return TEXT, ended by a newline unless it is empty."
  (if (or (equal text "") (string-suffix-p "\n" text)) text (concat text "\n")))

;;;###autoload
(defun agent-q-fs-str-replace (path old &optional new)
  "In the file PATH, replace the text OLD, which must occur once, with NEW.
Without NEW, let it be written in a buffer.  The region, if there is one,
is what is replaced.  Where OLD does not occur, the error tells what is
nearest to it, and what differs."
  (interactive
   (let ((region (agent-q-fs-change--region)))
     (list (agent-q-fs-find-read-path "Replace in file" (agent-q-fs-ui-path-here))
           (or region (read-string "Text to replace: ")))))
  (cl-flet ((replace (new)
              (agent-q-fs-change "edit_file" :path path :old_str old :new_str new)))
    (if new
        (replace new)
      (agent-q-fs-change--write (format "What replaces this in %s" path) path old #'replace))))

;;;###autoload
(defun agent-q-fs-insert (path line &optional text)
  "Insert TEXT into the file PATH after LINE; 0 is the beginning, -1 the end.
Without TEXT, which is the region by default, let it be written in a buffer."
  (interactive
   (list (agent-q-fs-find-read-path "Insert into file" (agent-q-fs-ui-path-here))
         (read-number "After line (0 is the beginning, -1 the end): "
                      (if buffer-file-name (line-number-at-pos nil t) -1))
         (agent-q-fs-change--region)))
  (cl-flet ((insert-it (text)
              (agent-q-fs-change "insert_at_line" :path path :line line
                                 :content (agent-q-fs-change--whole-lines text))))
    (if text
        (insert-it text)
      (agent-q-fs-change--write (format "Lines to insert in %s" path) path "" #'insert-it))))

;;;###autoload
(defun agent-q-fs-create (path &optional content then)
  "Create the file PATH with CONTENT.
Without CONTENT, which is the region by default, let it be written in a
buffer.  Directories that are missing are made.  THEN, if that is
non-nil, is called without arguments once the file is there."
  (interactive (list (agent-q-fs-find-read-path "Create file") (agent-q-fs-change--region)))
  (cl-flet ((create (content)
              (prog1 (agent-q-fs-change "create_file" :path path
                                        :content (agent-q-fs-change--whole-lines content))
                (when then (funcall then)))))
    (if content
        (create content)
      (agent-q-fs-change--write (format "The text of %s" path) path "" #'create))))

;;;###autoload
(defun agent-q-fs-mkdir (path)
  "Make the directory PATH, and those above it that are missing."
  (interactive (list (agent-q-fs-find-read-path "Make directory")))
  (agent-q-fs-change "make_directory" :path path))

(defun agent-q-fs-change--destinations (verb paths)
  "Read where to VERB each of PATHS; return a list of (FROM . TO)."
  (if (cdr paths)
      (let ((directory (agent-q-fs-find-read-path
                        (format "%s %d files to directory" verb (length paths)))))
        (mapcar (lambda (path)
                  (cons path (concat (file-name-as-directory directory)
                                     (file-name-nondirectory path))))
                paths))
    (list (cons (car paths)
                (agent-q-fs-find-read-path
                 (format "%s %s to" verb (agent-q-fs-show-visible (car paths) t))
                 nil (car paths))))))

(defun agent-q-fs-change--sources (verb)
  "Return the paths to VERB: those that are marked here, or one that is read."
  (or (agent-q-fs-ui-marked)
      (list (agent-q-fs-find-read-path verb (agent-q-fs-ui-path-here)))))

;;;###autoload
(defun agent-q-fs-move (source destination)
  "Move or rename SOURCE, a file or directory, to DESTINATION.
SOURCE can be a list of (FROM . TO): then each is moved, and DESTINATION
does not count.  These are the files that are marked, if any are."
  (interactive
   (list (agent-q-fs-change--destinations "Move" (agent-q-fs-change--sources "Move")) nil))
  (agent-q-fs-change--pairs "move_file" source destination))

;;;###autoload
(defun agent-q-fs-copy (source destination)
  "Copy the file SOURCE to DESTINATION.
SOURCE can be a list of (FROM . TO), as for `agent-q-fs-move'."
  (interactive
   (list (agent-q-fs-change--destinations "Copy" (agent-q-fs-change--sources "Copy")) nil))
  (agent-q-fs-change--pairs "copy_file" source destination))

(defun agent-q-fs-change--pairs (tool source destination)
  "Call TOOL with SOURCE and DESTINATION, or with each pair that SOURCE has."
  (agent-q-fs-change-all
   (mapcar (lambda (pair) (list tool :source (car pair) :destination (cdr pair)))
           (if (stringp source) (list (cons source destination)) source))))

(defun agent-q-fs-change--delete (path)
  "Return the call that deletes PATH."
  (if (eq :directory (let ((agent-q-fs--told t))
                       (plist-get (agent-q-fs-file-exists (agent-q-fs-ui-workspace) path)
                                  :type)))
      (list "delete_file" :path path :recursive t)
    (list "delete_file" :path path)))

;;;###autoload
(defun agent-q-fs-delete (paths)
  "Delete PATHS, one or a list: files, links, directories with all in them.
By default these are the files that are marked."
  (interactive (list (agent-q-fs-change--sources "Delete")))
  (agent-q-fs-change-all
   (agent-q-fs-ui-with-words
     (mapcar #'agent-q-fs-change--delete (ensure-list paths)))))

;;;###autoload
(defun agent-q-fs-apply-patch-here (start end)
  "Apply the patch between START and END: the region, or the whole buffer.
It is a unified diff, or an envelope that begins with *** Begin Patch."
  (interactive (if (use-region-p)
                   (list (region-beginning) (region-end))
                 (list (point-min) (point-max))))
  (agent-q-fs-change "apply_patch" :patch (buffer-substring-no-properties start end)))


;;;; Editing the lines that a search has listed

;; A line is what its file has, or nothing is done: each is compared with the file
;; before the patch is made.  A line that is shown otherwise than it is, because
;; it has characters without ink, cannot be edited.

(defface agent-q-fs-grep-changed '((t :inherit warning))
  "Face for the numbers of lines that were edited."
  :group 'agent-q-fs-ui)

(defface agent-q-fs-grep-deleted '((t :inherit error :strike-through t))
  "Face for the numbers of lines that are to be deleted."
  :group 'agent-q-fs-ui)

(defvar agent-q-fs-grep-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "\C-c\C-c" #'agent-q-fs-grep-edit-finish)
    (define-key map "\C-c\C-e" #'agent-q-fs-grep-edit-finish)
    (define-key map "\C-x\C-s" #'agent-q-fs-grep-edit-finish)
    (define-key map "\C-x\C-q" #'agent-q-fs-grep-edit-finish)
    (define-key map "\C-c\C-d" #'agent-q-fs-grep-edit-delete)
    (define-key map "\C-c\C-k" #'agent-q-fs-grep-edit-abort)
    map)
  "Keys while the lines are edited; those of wgrep.")

(put 'agent-q-fs-grep-edit-finish :advertised-binding "\C-c\C-c")

(define-minor-mode agent-q-fs-grep-edit-mode
  "Non-nil while the lines of a list are edited."
  :lighter " Edit"
  :interactive nil
  (use-local-map (if agent-q-fs-grep-edit-mode (make-sparse-keymap) agent-q-fs-grep-mode-map))
  (setq buffer-read-only (not agent-q-fs-grep-edit-mode)
        buffer-undo-list (not agent-q-fs-grep-edit-mode)
        cursor-type t)
  (if agent-q-fs-grep-edit-mode
      (add-hook 'after-change-functions #'agent-q-fs-grep--edited nil t)
    (remove-hook 'after-change-functions #'agent-q-fs-grep--edited t)))

(defun agent-q-fs-grep--protect ()
  "Let the texts of lines be edited, and nothing else; return how many may not be.
These are shown otherwise than they are."
  (let ((left 0))
    (with-silent-modifications
      (add-text-properties (point-min) (point-max) '(read-only "This is no text of a file"))
      (put-text-property (point-min) (1+ (point-min)) 'front-sticky '(read-only))
      (save-excursion
        (goto-char (point-min))
        (while (not (eobp))
          (let ((text (get-text-property (point) 'agent-q-fs-text))
                (start (min (+ (point) 8) (line-end-position))))
            (cond
             ((not text))
             ((equal text (buffer-substring-no-properties start (line-end-position)))
              (put-text-property (point) start 'agent-q-fs-numbered t)
              (put-text-property (1- start) start 'rear-nonsticky t)
              (remove-text-properties start (line-end-position) '(read-only nil)))
             (t (setq left (1+ left)))))
          (forward-line))))
    left))

(defun agent-q-fs-grep--edited (start _end _length)
  "Show that the line at START was changed."
  (save-excursion
    (save-match-data
      (goto-char start)
      (unless (get-text-property (line-beginning-position) 'agent-q-fs-numbered)
        (text-property-search-backward 'agent-q-fs-numbered))
      (let ((from (line-beginning-position)))
        (when (get-text-property from 'agent-q-fs-numbered)
          (with-silent-modifications
            (put-text-property from (+ from 7) 'face 'agent-q-fs-grep-changed)))))))

;;;###autoload
(defun agent-q-fs-grep-edit ()
  "Edit the lines in this list, to change the files.
\\<agent-q-fs-grep-edit-mode-map>\\[agent-q-fs-grep-edit-finish] \
shows what that changes, and does it when you agree;
\\[agent-q-fs-grep-edit-delete] deletes a line, \\[agent-q-fs-grep-edit-abort] \
forgets all edits."
  (interactive nil agent-q-fs-grep-mode)
  (when (agent-q-fs-ui-running-p)
    (user-error "The search has not ended"))
  (let ((left (agent-q-fs-grep--protect)))
    (agent-q-fs-grep-edit-mode 1)
    (message "%s" (substitute-command-keys
                   (concat "\\<agent-q-fs-grep-edit-mode-map>\\[agent-q-fs-grep-edit-finish] \
changes the files, \\[agent-q-fs-grep-edit-abort] forgets the edits"
                           (if (zerop left) ""
                             (format "; %d lines with hidden characters stay as they are"
                                     left)))))))

(defun agent-q-fs-grep-edit-delete ()
  "Delete this line of the file, or do not."
  (interactive nil agent-q-fs-grep-mode)
  (let ((from (line-beginning-position)))
    (unless (get-text-property from 'agent-q-fs-numbered)
      (user-error "There is no line of a file here"))
    (with-silent-modifications
      (let ((delete (not (get-text-property from 'agent-q-fs-deleted))))
        (put-text-property from (+ from 7) 'agent-q-fs-deleted delete)
        (put-text-property from (+ from 7) 'face
                           (if delete 'agent-q-fs-grep-deleted 'agent-q-fs-ui-note))))))

(defun agent-q-fs-grep--changes ()
  "Return the edits, as a list of (PATH LINE OLD NEW), in their order.
NEW is nil for a line that is to be deleted, and may be several lines."
  (save-excursion
    (goto-char (point-min))
    (let (changes number)
      (while (setq number (text-property-search-forward 'agent-q-fs-numbered))
        (let* ((from (prop-match-beginning number))
               (place (get-text-property from 'agent-q-fs-place))
               (old (get-text-property from 'agent-q-fs-text))
               (new (unless (get-text-property from 'agent-q-fs-deleted)
                      (buffer-substring-no-properties
                       (point) (if (get-text-property (point) 'read-only)
                                   (point) ; the line is empty
                                 (next-single-property-change (point) 'read-only nil
                                                              (point-max)))))))
          (unless (equal old new)
            (push (list (nth 0 place) (nth 1 place) old new) changes))))
      (nreverse changes))))

(defun agent-q-fs-grep--hunk (change shift)
  "Return CHANGE as a hunk whose new lines are SHIFT lines further down.
Fail if the file has another line there now."
  (pcase-let* ((`(,path ,line ,old ,new) change)
               (now (plist-get (agent-q-fs-read-file (agent-q-fs-ui-workspace) path
                                                     :start_line line :end_line line)
                               :content))
               (new (and new (split-string new "\n")))
               (end (if (string-suffix-p "\n" now) "\n" "\n\\ No newline at end of file\n")))
    (unless (equal old (string-trim-right now "\r?\n"))
      (user-error "Line %d of %s has changed since the search: search again" line
                  (agent-q-fs-show-visible path t)))
    (concat (format "@@ -%d +%d,%d @@\n-%s%s" line
                    (if new (+ line shift) (+ line shift -1)) (length new) old end)
            (and new (concat "+" (string-join new "\n+") end)))))

(defun agent-q-fs-grep--patch (changes)
  "Return CHANGES as a unified diff."
  (let ((file nil) (shift 0))
    (mapconcat
     (lambda (change)
       (let ((path (car change)) (headers ""))
         (unless (equal path file)
           (setq file path
                 shift 0
                 headers (if (string-match-p "[\"\\[:cntrl:]]" path)
                             (user-error "A patch cannot name %s"
                                         (agent-q-fs-show-visible path t))
                           (format "--- a/%s\n+++ b/%s\n" path path))))
         (prog1 (concat headers (agent-q-fs-grep--hunk change shift))
           (setq shift (+ shift -1 (if (nth 3 change)
                                       (length (split-string (nth 3 change) "\n"))
                                     0))))))
     changes "")))

(defun agent-q-fs-grep-edit-finish ()
  "Change the files as the lines were edited: all of it, or nothing.
The change is shown first."
  (interactive nil agent-q-fs-grep-mode)
  (let ((changes (agent-q-fs-grep--changes)))
    (when changes
      (agent-q-fs-change "apply_patch" :format "unified"
                         :patch (agent-q-fs-ui-with-words (agent-q-fs-grep--patch changes))))
    (agent-q-fs-grep-edit-mode -1)
    (if changes
        (agent-q-fs-grep--run)
      (agent-q-fs-grep--unprotect)
      (message "Nothing was edited"))))

(defun agent-q-fs-grep--unprotect ()
  "Take all properties away that lines have only while they are edited."
  (with-silent-modifications
    (remove-text-properties (point-min) (point-max)
                            '(read-only nil agent-q-fs-numbered nil agent-q-fs-deleted nil
                                        rear-nonsticky nil front-sticky nil))
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (when (get-text-property (point) 'agent-q-fs-place)
          (put-text-property (point) (+ (point) 7) 'face 'agent-q-fs-ui-note))
        (forward-line)))))

(defun agent-q-fs-grep-edit-abort ()
  "Forget all edits of the lines."
  (interactive nil agent-q-fs-grep-mode)
  (let ((point (point))
        (inhibit-read-only t))
    (primitive-undo (length buffer-undo-list) (delq nil buffer-undo-list))
    (set-buffer-modified-p nil)
    (agent-q-fs-grep-edit-mode -1)
    (agent-q-fs-grep--unprotect)
    (goto-char (min point (point-max))))
  (message "The edits are forgotten"))

(provide 'agent-q-fs-change)
;;; agent-q-fs-change.el ends here

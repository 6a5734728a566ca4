;;; agent-q-fs-change.el --- Change files by hand  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands that replace, insert, create, move, delete and patch.  Each shows
;; what it would do, as a model's call is shown.  The person's `y' does exactly
;; that, through the dispatcher of all tools; if the files have changed since,
;; nothing is done.

;;; Code:

(require 'agent-q-fs-tools)
(require 'agent-q-fs-ui)

(defcustom agent-q-fs-change-confirm t
  "Whether commands that change files show what they would do, and ask.
With nil they do it at once, unless a file is moved, deleted, replaced
or protected."
  :type 'boolean
  :group 'agent-q-fs-ui)

(defun agent-q-fs-change--request (tool arguments workspace)
  "Return what TOOL with ARGUMENTS would do in WORKSPACE, as a request."
  (let* ((how (list :verb 'plan :authority 'dangerous))
         (preview (let ((agent-q-fs--told how))
                    (agent-q-fs--call workspace tool arguments how))))
    (agent-q-fs-request--make
     :tool tool :arguments arguments :workspace workspace
     :tier (intern (substring (symbol-name (plist-get preview :tier)) 1))
     :summary (plist-get preview :summary) :targets (plist-get preview :targets)
     :diff (plist-get preview :diff) :digest (plist-get preview :digest))))

(defun agent-q-fs-change--needless-p (request)
  "Return non-nil if REQUEST is done without asking."
  (and (not agent-q-fs-change-confirm)
       (not (agent-q-fs-request-protected-p request))
       (or (eq 'cautious (agent-q-fs-request-tier request))
           (seq-every-p (lambda (target)
                          (and (null (plist-get target :from))
                               (memq (plist-get target :type) '(nil :missing))))
                        (agent-q-fs-request-targets request)))))

(defun agent-q-fs-change--read (window question)
  "Return non-nil if the person answers QUESTION with yes; WINDOW scrolls."
  (let ((answer 'none))
    (while (eq answer 'none)
      (let ((key (let ((inhibit-quit nil) (cursor-in-echo-area t))
                   (read-key (concat (propertize question 'face 'minibuffer-prompt)
                                     " (y, n, SPC and DEL scroll) ")))))
        (pcase key
          ((or ?y ?Y) (setq answer t))
          ((or ?n ?N ?q 13 27 'return 'escape) (setq answer nil))
          (?\C-g (signal 'quit nil))
          ((or ?\s 'next ?\C-v)
           (when window (with-selected-window window (ignore-errors (scroll-up)))))
          ((or 127 'backspace 'prior)
           (when window (with-selected-window window (ignore-errors (scroll-down))))))))
    (message nil)
    answer))

(defun agent-q-fs-change--ask (request)
  "Show REQUEST and return non-nil if the person wants it.
Windows and buffers are afterwards as they were."
  (let ((windows (current-window-configuration))
        (buffer (agent-q-fs-show-buffer request)))
    (unwind-protect
        (agent-q-fs-change--read
         (display-buffer buffer '((display-buffer-reuse-window display-buffer-pop-up-window
                                                               display-buffer-use-some-window)))
         (format "%s?" (agent-q-fs-show-visible (agent-q-fs-request-summary request) t)))
      (set-window-configuration windows)
      (kill-buffer buffer))))

(defun agent-q-fs-change--do (request)
  "Do REQUEST, and tell the person what was done."
  (let (reply)
    (agent-q-fs-tools--begin (agent-q-fs-request-tool request)
                             (agent-q-fs-request-arguments request)
                             (agent-q-fs-request-workspace request)
                             (lambda (answer) (setq reply answer))
                             :wait t :person t :digest (agent-q-fs-request-digest request))
    (when (plist-get reply :error)
      (user-error "%s" (agent-q-fs-ui-words reply)))
    (message "Done: %s" (agent-q-fs-show-visible (agent-q-fs-request-summary request) t))
    reply))

(defun agent-q-fs-change--decide (request)
  "Do REQUEST once the person, who is shown what it does, agrees."
  (if (or (agent-q-fs-change--needless-p request)
          (agent-q-fs-change--ask request))
      (agent-q-fs-change--do request)
    (user-error "Nothing was changed")))

(defun agent-q-fs-change (tool &rest arguments)
  "Call TOOL with ARGUMENTS once the person, who is shown what it does, agrees."
  (agent-q-fs-ui-with-words
    (agent-q-fs-change--decide
     (agent-q-fs-change--request tool arguments (agent-q-fs-ui-workspace)))))

(defun agent-q-fs-change--region ()
  "Return the text of the region, or nil if there is none."
  (and (use-region-p)
       (buffer-substring-no-properties (region-beginning) (region-end))))


;;;; Commands

;;;###autoload
(defun agent-q-fs-str-replace (path old new)
  "In the file PATH, replace the text OLD, which must occur once, with NEW.
The region, if there is one, is what is replaced.  Where OLD does not
occur, the error tells what is nearest to it, and what differs."
  (interactive
   (let* ((region (agent-q-fs-change--region))
          (path (agent-q-fs-ui-read-path "Replace in file" (agent-q-fs-ui-path-here)))
          (old (or region (agent-q-fs-ui-read-text "Replace"))))
     (list path old (agent-q-fs-ui-read-text "Replace with" old))))
  (agent-q-fs-change "edit_file" :path path :old_str old :new_str new))

;;;###autoload
(defun agent-q-fs-insert (path line text)
  "Insert TEXT into the file PATH behind LINE; 0 is the beginning, -1 the end."
  (interactive
   (list (agent-q-fs-ui-read-path "Insert into file" (agent-q-fs-ui-path-here))
         (read-number "Behind line (0 is the beginning, -1 the end): "
                      (if buffer-file-name (line-number-at-pos nil t) -1))
         (or (agent-q-fs-change--region) (agent-q-fs-ui-read-text "Insert"))))
  (agent-q-fs-change "insert_at_line" :path path :line line
                     :content (if (string-suffix-p "\n" text) text (concat text "\n"))))

;;;###autoload
(defun agent-q-fs-create (path content)
  "Create the file PATH with CONTENT, by default the region.
Directories that are missing are made."
  (interactive
   (list (agent-q-fs-ui-read-path "Create file")
         (or (agent-q-fs-change--region) (agent-q-fs-ui-read-text "Content"))))
  (agent-q-fs-change "create_file" :path path
                     :content (if (or (equal content "") (string-suffix-p "\n" content))
                                  content
                                (concat content "\n"))))

;;;###autoload
(defun agent-q-fs-move (source destination)
  "Move or rename SOURCE, a file or directory, to DESTINATION."
  (interactive
   (let ((source (agent-q-fs-ui-read-path "Move" (agent-q-fs-ui-path-here))))
     (list source (agent-q-fs-ui-read-path (format "Move %s to" source) nil source))))
  (agent-q-fs-change "move_file" :source source :destination destination))

;;;###autoload
(defun agent-q-fs-delete (path)
  "Delete PATH: a file, a link, or a directory with all that is in it."
  (interactive (list (agent-q-fs-ui-read-path "Delete" (agent-q-fs-ui-path-here))))
  (let ((type (agent-q-fs-ui-with-words
                (let ((agent-q-fs--told t))
                  (plist-get (agent-q-fs-file-exists (agent-q-fs-ui-workspace) path) :type)))))
    (if (eq type :directory)
        (agent-q-fs-change "delete_file" :path path :recursive t)
      (agent-q-fs-change "delete_file" :path path))))

;;;###autoload
(defun agent-q-fs-apply-patch-here (start end)
  "Apply the patch between START and END: the region, or the whole buffer.
It is a unified diff, or an envelope that begins with *** Begin Patch."
  (interactive (if (use-region-p)
                   (list (region-beginning) (region-end))
                 (list (point-min) (point-max))))
  (agent-q-fs-change "apply_patch" :patch (buffer-substring-no-properties start end)))

(provide 'agent-q-fs-change)
;;; agent-q-fs-change.el ends here

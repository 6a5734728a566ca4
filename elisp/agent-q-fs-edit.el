;;; agent-q-fs-edit.el --- Change a model's call before it is done  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The arguments of a request in a buffer: each under a line with its name.
;; What is text stands as it is, other values as JSON.  C-c C-c does what the
;; buffer says by then, without asking again; C-c C-k goes back to the question.

;;; Code:

(require 'agent-q-fs-prompt)
(require 'json)

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
  "Return a table that shows what would be invisible as a number in a box."
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
  "Return ARGUMENTS as text that is the same for the same arguments."
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

(provide 'agent-q-fs-edit)
;;; agent-q-fs-edit.el ends here

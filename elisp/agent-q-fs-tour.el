;;; agent-q-fs-tour.el --- A tour of agent-q-fs, and its manual  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; M-x agent-q-fs-tour shows what it is to work with an agent.  The agent is a
;; script, a list of pages; the tools, the questions, the log and undoing are those
;; of everyday work.  They are used in a directory that is made for the tour, and
;; removed when its buffer is killed or Emacs ends.
;;
;; The calls of the tour are made with the policy and options that its words speak of
;; (`agent-q-fs-tour--with-options'), whatever the person's own are; those are not
;; changed.  The calls are in the person's log and its file, as all calls are.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-undo)
(require 'agent-q-fs-show)
(require 'agent-q-fs-ui)
(require 'cl-lib)
(require 'subr-x)

(declare-function Info-find-file "info" (filename &optional noerror no-pop-to-dir))
(declare-function agent-q-fs-log "agent-q-fs-log" ())

(defconst agent-q-fs-tour--files
  '(("greet.sh" . "#!/bin/sh\n# Greets somebody.\necho \"Helo, ${1:-you}!\"\n")
    ("ideas.txt" . "Greet in other languages, too.\n"))
  "The files of the tour's project, as (NAME . CONTENT).")

(defconst agent-q-fs-tour--pages
  '((:title "An agent in your Emacs"
     :text "An agent is a program that lets a language model work for you.  \
agent-q-fs gives it tools for files and commands.  The tools stay inside one \
project, and you decide about what matters.

This tour shows that in a few minutes.  The agent is played by a script.  All else \
is real: the tools, the questions, the log.  They work in a project that was made \
for the tour, in

    %s

Your own files are left alone.")
    (:title "It reads"
     :text "The agent is to mend a greeting.  First it reads the program.  Reading is \
safe: you are not asked."
     :call ("read_file" :path "greet.sh")
     :then "This is what the agent was given.")
    (:title "It stays in the project"
     :text "Now it tries to read a file elsewhere.  No path leads out of a project: not \
with .. and not through a symbolic link."
     :call ("read_file" :path "../../../etc/passwd")
     :then "The agent reads this answer, and can do better.")
    (:title "It edits a file"
     :text "Edits are made without a question, as long as the policy is `tiered', the \
default.  The window below shows the file, as if you had it open.  Watch it."
     :beside agent-q-fs-tour--visit
     :call ("edit_file" :path "greet.sh" :old_str "Helo" :new_str "Hello")
     :then "The file is written, and its buffer shows the new text.  Had you changed the \
buffer and not saved it, the edit would have been refused.")
    (:title "It wants to create a file"
     :text "You are asked before a file is created, moved or deleted.  The agent waits, and \
you do not: the mode line says [1 to approve], and you open that when you like, by a click \
there, by M-x agent-q-fs-requests, or here by SPC.  It shows the whole change.

    y  lets the agent do it        n  does not, and tells it why
    q  leaves it waiting           ?  lists the other keys

Afterwards it goes when you have typed nothing for two seconds, or by q."
     :call ("create_file" :path "test.sh"
            :content "#!/bin/sh\n# Fails unless greet.sh greets.\n\
test \"$(sh greet.sh Ada)\" = \"Hello, Ada!\"\n")
     :then "What was shown is what was written, to the byte."
     :refused "Nothing was written, and the agent was told so.")
    (:title "It wants to delete a file"
     :text "Now it wants to delete your ideas.  Type n this time, then a reason, \
such as \"I need them\", and RET."
     :call ("delete_file" :path "ideas.txt")
     :then "The file is gone.  The last page but one can bring it back."
     :refused "The file is there still.  The agent knows your reason, and can go on.")
    (:title "It wants to run a command"
     :text "You are asked about each command.  The request says where it would run, and \
what it could reach."
     :call ("shell" :command "sh greet.sh Ada")
     :then "This is what the agent was given of the command."
     :refused "The command was not run.")
    (:title "What it did"
     :text "The log, below, lists the calls of agents: when, which tool, and who \
decided.  There, RET shows all that is known of one.  Here, SPC goes on."
     :beside agent-q-fs-tour--show-log)
    (:title "Taking it back"
     :text "A call that has changed files can be taken back: agent-q-fs keeps what was \
there.  You will see what that would do to the last one.  Type y to do it, or n."
     :undo t)
    (:title "The end of the tour"
     :text "In a project of yours:

    M-x agent-q-fs                a menu of all this, and of the tools, for you
    M-x agent-q-fs-gptel-setup    gives them to models in gptel
    M-x agent-q-fs-sly-setup      gives them to Common Lisp in SLY or SLIME,
                                  and agent-q-fs-sly-load to a Lisp that runs already
    M-x agent-q-fs-mcp-setup      gives them to agents outside Emacs
    M-x agent-q-fs-policy         chooses what you are asked about
    M-x agent-q-fs-review         shows by hunk all that agents have changed

M-x agent-q-fs-manual says more.  When you leave, the tour's project is removed."))
  "The pages of the tour, property lists.
:title, :text  what stands on it; a %s is the project's directory
:call          the call that is made on it, (TOOL . ARGUMENTS)
:then          words for after the call
:refused       words for after a call that the person did not want
:undo          non-nil where the last call is taken back
:beside        a function that returns a buffer to show below")

(defvar agent-q-fs-tour-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map " " #'agent-q-fs-tour-next)
    (define-key map "n" #'agent-q-fs-tour-next)
    (define-key map (kbd "RET") #'agent-q-fs-tour-next)
    (define-key map "y" #'agent-q-fs-tour-not-here)
    (define-key map "q" #'agent-q-fs-tour-leave)
    map)
  "Keys in the tour.")

(define-derived-mode agent-q-fs-tour-mode special-mode "Tour"
  "A tour of agent-q-fs.
\\<agent-q-fs-tour-mode-map>\\[agent-q-fs-tour-next] goes on, \
\\[agent-q-fs-tour-leave] leaves and removes the tour's project."
  :interactive nil
  (setq header-line-format '(:eval (agent-q-fs-tour--header)))
  (setq-local cursor-type nil)
  (visual-line-mode)
  (add-hook 'kill-buffer-hook #'agent-q-fs-tour--clean-up nil t)
  (add-hook 'kill-emacs-hook #'agent-q-fs-tour--clean-up-all))

(defconst agent-q-fs-tour--buffer "*agent-q-fs tour*"
  "The name of the tour's buffer.")

(defvar-local agent-q-fs-tour--directory nil
  "The directory that the tour has made: its project and its state.")

(defvar-local agent-q-fs-tour--caller nil
  "The agent of the tour, as the caller of its latest call.")

(defvar-local agent-q-fs-tour--windows nil
  "The windows that there were before the tour.")

(defvar-local agent-q-fs-tour--page 0
  "The number of the page, from 0.")

(defvar-local agent-q-fs-tour--stage nil
  "How far the page is: nil, `waiting' for the call, or `done'.")


;;;; The project

(defun agent-q-fs-tour--make-project ()
  "Make the tour's directory, and return it."
  (let* ((file-name-handler-alist nil)
         (directory (file-name-as-directory (file-truename (make-temp-file "agent-q-fs-tour-" t)))))
    (make-directory (concat directory "greeter"))
    (pcase-dolist (`(,name . ,content) agent-q-fs-tour--files)
      (write-region content nil (concat directory "greeter/" name) nil 'quiet))
    directory))

(defun agent-q-fs-tour--open (directory)
  "Return a workspace for the project in DIRECTORY."
  (let ((agent-q-fs-open-options nil)
        (agent-q-fs-state-directory (concat directory "state/")))
    (agent-q-fs-open :root (concat directory "greeter/"))))

(defun agent-q-fs-tour--clean-up ()
  "Remove what belongs to the tour of this buffer."
  (let ((directory agent-q-fs-tour--directory)
        (file-name-handler-alist nil))
    (remove-hook 'kill-emacs-hook #'agent-q-fs-tour--clean-up-all)
    (when agent-q-fs-tour--caller
      (agent-q-fs-caller-leave agent-q-fs-tour--caller))
    (when directory
      (setq agent-q-fs-tour--directory nil)
      (ignore-errors (agent-q-fs-close agent-q-fs-ui--workspace))
      (dolist (buffer (buffer-list))
        (when (and (buffer-file-name buffer)
                   (string-prefix-p directory (buffer-file-name buffer)))
          (with-current-buffer buffer (set-buffer-modified-p nil))
          (kill-buffer buffer)))
      (delete-directory directory t))))

(defun agent-q-fs-tour--clean-up-all ()
  "Remove what belongs to the tour, if there is one: for `kill-emacs-hook'."
  (let ((buffer (get-buffer agent-q-fs-tour--buffer)))
    (when buffer
      (with-current-buffer buffer
        (agent-q-fs-tour--clean-up)))))


;;;; Calls

(defmacro agent-q-fs-tour--with-options (&rest body)
  "Run BODY with the options that the words of the tour are about."
  (declare (indent 0) (debug t))
  `(let ((agent-q-fs-policy 'tiered)
         (agent-q-fs-authority 'cautious)
         (agent-q-fs-denied nil)
         (agent-q-fs-change-confirm t))
     ,@body))

(defun agent-q-fs-tour--call (call then)
  "Make CALL, (TOOL . ARGUMENTS), as an agent does, and call THEN with the answer.
THEN is called in this buffer, if it still is this tour's."
  (let* ((buffer (current-buffer))
         (directory agent-q-fs-tour--directory)
         (caller (setq agent-q-fs-tour--caller (agent-q-fs-caller-new :name "the tour")))
         (ask (default-value 'agent-q-fs-approval-function))
         (agent-q-fs-approval-function
          (lambda (request callback)
            ;; The call goes on when the person has decided, later than this returns.
            (funcall ask request (lambda (decision)
                                   (agent-q-fs-tour--with-options
                                     (funcall callback decision)))))))
    (agent-q-fs-tour--with-options
      (agent-q-fs-call-tool-async
       (car call) (cdr call)
       (lambda (answer)
         (when (buffer-live-p buffer)
           (with-current-buffer buffer
             (when (equal directory agent-q-fs-tour--directory)
               (funcall then answer)))))
       agent-q-fs-ui--workspace caller))))

(defun agent-q-fs-tour--undo ()
  "Let the person take back the last call, and return words about it."
  (condition-case problem
      (progn (agent-q-fs-tour--with-options (agent-q-fs-undo))
             "It is as it was before that call.")
    (user-error (concat (error-message-string problem) "."))
    (quit "Nothing was changed.")))


;;;; Pages

(defun agent-q-fs-tour--current ()
  "Return the current page."
  (nth agent-q-fs-tour--page agent-q-fs-tour--pages))

(defun agent-q-fs-tour--last-p ()
  "Return non-nil on the last page."
  (= (1+ agent-q-fs-tour--page) (length agent-q-fs-tour--pages)))

(defun agent-q-fs-tour--asked ()
  "Return non-nil while an agent waits for the person."
  (agent-q-fs-prompt-waiting))

(defun agent-q-fs-tour--hint ()
  "Return words that say what the next key does."
  (cond ((eq agent-q-fs-tour--stage 'waiting)
         (if (agent-q-fs-tour--asked) "The agent waits for you: SPC opens its request"
           "The agent is at work"))
        ((agent-q-fs-tour--last-p) "SPC or q leaves the tour")
        ((eq agent-q-fs-tour--stage 'done) "SPC goes on")
        ((plist-get (agent-q-fs-tour--current) :call) "SPC lets the agent make this call")
        ((plist-get (agent-q-fs-tour--current) :undo) "SPC shows what taking it back would do")
        (t "SPC goes on")))

(defun agent-q-fs-tour--header ()
  "Return the header line."
  (format " Tour, page %d of %d     %s%s"
          (1+ agent-q-fs-tour--page) (length agent-q-fs-tour--pages)
          (agent-q-fs-tour--hint)
          (if (or (agent-q-fs-tour--last-p) (eq agent-q-fs-tour--stage 'waiting))
              ""
            "     q leaves")))

(defun agent-q-fs-tour--value (value)
  "Return VALUE, that of an argument, as a short text."
  (let ((lines (split-string (format "%s" value) "\n" t)))
    (if (cdr lines)
        (format "(%d lines)" (length lines))
      (format "%S" value))))

(defun agent-q-fs-tour--insert-call (call)
  "Insert CALL, (TOOL . ARGUMENTS), as it stands in a model's answer."
  (insert "\n    " (propertize (car call) 'font-lock-face 'font-lock-function-name-face))
  (cl-loop for (name value) on (cdr call) by #'cddr
           do (insert (format "  %s: %s" (substring (symbol-name name) 1)
                              (agent-q-fs-tour--value value))))
  (insert "\n"))

(defun agent-q-fs-tour--insert-answer (answer)
  "Insert ANSWER, a tool's text."
  (insert "\n"
          (propertize (replace-regexp-in-string
                       "^" "    | " (agent-q-fs-show-visible (string-trim-right answer)))
                      'wrap-prefix "    | ")
          "\n"))

(defun agent-q-fs-tour--draw (&optional answer words)
  "Write the current page, with ANSWER of its call and WORDS about it, if any."
  (let* ((inhibit-read-only t)
         (page (agent-q-fs-tour--current))
         (call (plist-get page :call)))
    (erase-buffer)
    (insert (propertize (plist-get page :title) 'font-lock-face '(:weight bold :height 1.2))
            "\n\n"
            (format (plist-get page :text) (agent-q-fs-workspace-root agent-q-fs-ui--workspace))
            "\n")
    (when call (agent-q-fs-tour--insert-call call))
    (when answer (agent-q-fs-tour--insert-answer answer))
    (when words (insert "\n" words "\n"))
    (insert "\n")
    (insert-text-button (agent-q-fs-tour--hint) 'action (lambda (_) (agent-q-fs-tour-next))
                        'follow-link t)
    (insert ".\n")
    (set-buffer-modified-p nil)
    (force-mode-line-update)
    (agent-q-fs-tour--scroll)))

(defun agent-q-fs-tour--scroll ()
  "Show the end of the page, and all of it where there is room."
  (goto-char (point-max))
  (let ((window (get-buffer-window nil t)))
    (when window
      (set-window-point window (point-max))
      (with-selected-window window
        (set-window-start nil (point-min))
        (unless (pos-visible-in-window-p (1- (point-max)))
          (recenter -1))))))

(defun agent-q-fs-tour--arrange ()
  "Show this buffer alone, or with what the current page wants below it."
  (let ((beside (plist-get (agent-q-fs-tour--current) :beside))
        (buffer (current-buffer)))
    (pop-to-buffer-same-window buffer)
    (delete-other-windows)
    (when beside
      (display-buffer (save-window-excursion (funcall beside))
                      '(display-buffer-below-selected
                        (window-height . 0.4) (inhibit-same-window . t))))))

(defun agent-q-fs-tour--visit ()
  "Visit the program of the tour's project, and return its buffer."
  (find-file-noselect (concat (agent-q-fs-workspace-root agent-q-fs-ui--workspace) "greet.sh")))

(defun agent-q-fs-tour--show-log ()
  "Return the buffer that lists the calls."
  (agent-q-fs-log)
  (current-buffer))

(defun agent-q-fs-tour--go-to (number)
  "Show the page NUMBER, from 0."
  (setq agent-q-fs-tour--page number
        agent-q-fs-tour--stage nil)
  (agent-q-fs-tour--arrange)
  (agent-q-fs-tour--draw))

(defun agent-q-fs-tour--done (answer words)
  "Show the page after its call, with ANSWER, if any, and WORDS about it."
  (setq agent-q-fs-tour--stage 'done)
  (agent-q-fs-tour--draw answer words))

(defun agent-q-fs-tour--make-call (page)
  "Let the agent make the call of PAGE, and show what comes of it."
  (setq agent-q-fs-tour--stage 'waiting)
  (agent-q-fs-tour--draw)
  (agent-q-fs-tour--call
   (plist-get page :call)
   (lambda (answer)
     (agent-q-fs-tour--done
      answer
      (or (and (string-prefix-p "Error: " answer) (plist-get page :refused))
          (plist-get page :then)))))
  (when (eq agent-q-fs-tour--stage 'waiting)
    (agent-q-fs-tour--draw)))

(defun agent-q-fs-tour-next ()
  "Go on in the tour."
  (interactive nil agent-q-fs-tour-mode)
  (let ((page (agent-q-fs-tour--current)))
    (cond
     ((eq agent-q-fs-tour--stage 'waiting)
      (agent-q-fs-requests))
     ((agent-q-fs-tour--last-p)
      (agent-q-fs-tour-leave))
     ((or (eq agent-q-fs-tour--stage 'done)
          (not (or (plist-get page :call) (plist-get page :undo))))
      (agent-q-fs-tour--go-to (1+ agent-q-fs-tour--page)))
     ((plist-get page :undo)
      (agent-q-fs-tour--done nil (agent-q-fs-tour--undo)))
     (t (agent-q-fs-tour--make-call page)))))

(defun agent-q-fs-tour-not-here ()
  "Say that this key answers a request only where the request is shown."
  (interactive nil agent-q-fs-tour-mode)
  (user-error "%s" (if (agent-q-fs-tour--asked)
                       "y counts only in the request; SPC opens it"
                     "Nothing is asked here; SPC goes on")))

(defun agent-q-fs-tour-leave ()
  "Leave the tour, and remove its project."
  (interactive nil agent-q-fs-tour-mode)
  (let ((windows agent-q-fs-tour--windows))
    (kill-buffer)
    (when (and windows (frame-live-p (window-configuration-frame windows)))
      (set-window-configuration windows))
    (message "The tour's project is removed.  M-x agent-q-fs is the menu; C-x C-c ends Emacs")))

;;;###autoload
(defun agent-q-fs-tour ()
  "Show what it is to work with an agent, in a project made for that.
Your own files are left alone."
  (interactive)
  (if (get-buffer agent-q-fs-tour--buffer)
      (pop-to-buffer-same-window agent-q-fs-tour--buffer)
    (agent-q-fs-module-load)            ; if that fails, before anything is made
    (let ((windows (current-window-configuration)))
      (with-current-buffer (get-buffer-create agent-q-fs-tour--buffer)
        (agent-q-fs-tour-mode)
        (setq agent-q-fs-tour--windows windows
              agent-q-fs-tour--directory (agent-q-fs-tour--make-project)
              agent-q-fs-ui--workspace (agent-q-fs-tour--open agent-q-fs-tour--directory)
              default-directory (agent-q-fs-workspace-root agent-q-fs-ui--workspace))
        (agent-q-fs-tour--go-to 0)))))

;;;###autoload
(defun agent-q-fs-manual ()
  "Show the manual: in Info, or as its source where nobody has made it."
  (interactive)
  (require 'info)
  (let* ((source (agent-q-fs-module--source))
         (built (and source (expand-file-name "build/agent-q-fs.info" source))))
    (cond ((Info-find-file "agent-q-fs" t) (info "(agent-q-fs)"))
          ((and built (file-readable-p built)) (info (format "(%s)" built)))
          (source (find-file-read-only (expand-file-name "doc/manual.org" source)))
          (t (user-error "The manual is not installed; `make install' and the packages of \
Emacs and of Debian bring it")))))

(provide 'agent-q-fs-tour)
;;; agent-q-fs-tour.el ends here

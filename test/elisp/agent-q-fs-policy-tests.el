;;; agent-q-fs-policy-tests.el --- Tests of the policy in sight  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-log)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-ui)

(defmacro agent-q-fs-policy-tests--with (&rest body)
  "Run BODY and put the policy back as it was."
  (declare (indent 0) (debug (body)))
  `(let ((before (default-value 'agent-q-fs-policy))
         (mode-line-misc-info mode-line-misc-info)
         (agent-q-fs-policy--roots nil))
     (unwind-protect (progn ,@body)
       (set-default 'agent-q-fs-policy before)
       (dolist (property '(customized-value saved-value theme-value))
         (put 'agent-q-fs-policy property nil)))))

(ert-deftest agent-q-fs-policy/is-switched ()
  "A switch counts for the next call, and is told to those that wait."
  (agent-q-fs-policy-tests--with
    (agent-q-fs-test-with-tree (ws)
      (let* ((told nil)
             (agent-q-fs-rules-changed-hook (list (lambda () (setq told t))))
             (make (lambda (name)
                     (agent-q-fs-call-tool "create_file" (list :path name :content "x") ws))))
        (should (string-prefix-p "Error: Approval is required" (funcall make "a")))
        (should (string-prefix-p "The policy is \u2018edits\u2019 now: it asks before "
                                 (let ((text-quoting-style 'curve)) (agent-q-fs-policy 'edits))))
        (should (string-prefix-p "Created a" (funcall make "a")))
        (agent-q-fs-policy 'read-only)
        (should (string-prefix-p "Error: The policy is read-only" (funcall make "b")))
        (agent-q-fs-test-until told)
        ;; However it is set, but not for a buffer.
        (let ((changes 0))
          (cl-letf (((symbol-function 'agent-q-fs-approve--changed)
                     (lambda () (setq changes (1+ changes)))))
            (with-temp-buffer (setq-local agent-q-fs-policy 'never)))
          (should (= 0 changes)))
        (setq told nil)
        (setq-default agent-q-fs-policy 'always)
        (agent-q-fs-test-until told)
        (setq told nil)
        (customize-set-variable 'agent-q-fs-policy 'tiered)
        (agent-q-fs-test-until told)
        (should-error (agent-q-fs-policy 'nonsense) :type 'user-error)
        (should (eq 'tiered (default-value 'agent-q-fs-policy)))))))

(ert-deftest agent-q-fs-policy/each-is-explained ()
  "Completion has all policies of the option, each with what it means."
  (agent-q-fs-policy-tests--with
    (let (table)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt collection &rest _) (setq table collection) "always")))
        (call-interactively #'agent-q-fs-policy))
      (should (eq 'always (default-value 'agent-q-fs-policy)))
      (let* ((names (all-completions "" table))
             (annotate (completion-metadata-get (completion-metadata "" table nil)
                                                'annotation-function)))
        (should (equal (sort (copy-sequence names) #'string<)
                       (sort (mapcar (lambda (choice) (symbol-name (car (last choice))))
                                     (cdr (get 'agent-q-fs-policy 'custom-type)))
                             #'string<)))
        (dolist (name names)
          (should (< 10 (length (funcall annotate name)))))))))

(ert-deftest agent-q-fs-policy/in-sight ()
  "The mode line of a project's buffers shows it once a model has called a tool; so does the menu."
  (agent-q-fs-policy-tests--with
    (agent-q-fs-test-with-tree (ws '("d/a" "one\n"))
      (let ((root default-directory)
            (line (lambda (directory)
                    (with-temp-buffer
                      (setq default-directory directory)
                      (mapconcat (lambda (part) (or (and (eq :eval (car-safe part))
                                                         (eval (cadr part) t))
                                                    ""))
                                 mode-line-misc-info "")))))
        (should (equal "" (funcall line root)))
        (let ((noninteractive nil))
          (agent-q-fs-call-tool "read_file" '(:path "d/a") ws))
        (should (equal "[agents: tiered] " (funcall line (concat root "d/"))))
        (should (equal "" (funcall line "/")))
        (should (equal "" (funcall line "/ssh:nowhere:/")))
        (make-symbolic-link (concat root "d") (concat root "link"))
        (should (equal "[agents: tiered] " (funcall line (concat root "link/"))))
        (agent-q-fs-policy 'never)
        (let ((words (funcall line root)))
          (should (equal "[agents: never] " words))
          (should (eq 'warning (get-text-property 0 'face words)))
          (should (string-search "ASKS NOTHING" (get-text-property 0 'help-echo words)))
          (should (eq #'agent-q-fs-policy
                      (lookup-key (get-text-property 0 'local-map words) [mode-line mouse-1]))))
        (should (equal "policy: never" (agent-q-fs-menu--policy)))))))

(ert-deftest agent-q-fs-policy/commands-reach-what-is-outside ()
  "The docstring says so: the tools for files stay inside, and a command does not."
  (agent-q-fs-test-with-tree (ws '("in/a" "one\n"))
    (let ((inner (agent-q-fs-open :root (expand-file-name "in")))
          (agent-q-fs-policy 'never))
      (unwind-protect
          (progn
            (should (string-search "outside" (agent-q-fs-call-tool
                                              "create_file" '(:path "../file" :content "x") inner)))
            (should-not (file-exists-p "file"))
            (agent-q-fs-call-tool "shell" '(:command "touch ../command") inner)
            (should (file-exists-p "command")))
        (agent-q-fs-close inner)))
    (ignore ws)
    (should (string-match-p "command that a model runs can touch whatever you\ncan"
                            (documentation-property 'agent-q-fs-policy 'variable-documentation)))))

(ert-deftest agent-q-fs-policy/all-options-are-in-one-group ()
  "In a fresh Emacs, the group agent-q-fs leads to every option, and C-h v knows each."
  (let* ((options (agent-q-fs-policy-tests--options))
         (missing
          (agent-q-fs-test-in-emacs
           `(let ((known nil) (queue '(agent-q-fs)) (seen nil) (undocumented nil))
              (dolist (option ',options)
                (unless (and (boundp option)
                             (documentation-property option 'variable-documentation))
                  (push option undocumented)))
              (while queue
                (let ((group (pop queue)))
                  (unless (memq group seen)
                    (push group seen)
                    (custom-load-symbol group)
                    (dolist (member (get group 'custom-group))
                      (if (eq 'custom-group (nth 1 member))
                          (push (car member) queue)
                        (push (car member) known))))))
              (list undocumented (seq-difference ',options known))))))
    (should (< 40 (length options)))
    (should (equal '(nil nil) missing))))

(defun agent-q-fs-policy-tests--options ()
  "Return the options that the sources define."
  (let (options)
    (dolist (file (directory-files (file-name-directory (locate-library "agent-q-fs.el")) t
                                   "\\`agent-q-fs[a-z-]*\\.el\\'")
                  options)
      (with-temp-buffer
        (insert-file-contents file)
        (while (re-search-forward "^(defcustom \\([^ \n]+\\)" nil t)
          (push (intern (match-string 1)) options))))))

(provide 'agent-q-fs-policy-tests)
;;; agent-q-fs-policy-tests.el ends here

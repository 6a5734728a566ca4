;;; agent-q-fs-backend-tests.el --- Tests of memory and sessions in Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-buffers)
(require 'agent-q-fs-ui)
(require 'agent-q-fs-find)

(defmacro agent-q-fs-backend-test--with (spec &rest body)
  "Run BODY with a workspace that is closed afterwards.
SPEC is (VARIABLE OPTION...), the options of `agent-q-fs-open'."
  (declare (indent 1))
  `(let* ((agent-q-fs-open-options nil)
          (agent-q-fs-authority 'dangerous)
          (,(car spec) (agent-q-fs-open ,@(cdr spec))))
     (unwind-protect (progn ,@body)
       (agent-q-fs-close ,(car spec)))))

(ert-deftest agent-q-fs-backend/reset ()
  (dolist (backend '(memory session))
    (agent-q-fs-backend-test--with (ws :backend backend)
      (agent-q-fs-call ws 'write_file :path "a" :content "x")
      (should (eq ws (agent-q-fs-reset ws)))
      (should-not (plist-get (agent-q-fs-call ws 'file_exists :path "a") :exists))))
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (should-error (agent-q-fs-reset ws) :type 'agent-q-fs-invalid-argument)
    (should (file-exists-p "a"))))

(ert-deftest agent-q-fs-backend/session-is-gone-when-closed ()
  (let (root)
    (agent-q-fs-backend-test--with (ws :backend 'session)
      (setq root (agent-q-fs-workspace-root ws))
      (should-not (file-exists-p root))
      (agent-q-fs-call ws 'write_file :path "a/b" :content "x")
      (should (equal #o700 (file-modes root)))
      (should (file-exists-p (concat root "a/b"))))
    (should-not (file-exists-p root))))

;; Emacs runs no finalizers when it ends.
(ert-deftest agent-q-fs-backend/session-is-gone-with-emacs ()
  (let* ((library (locate-library "agent-q-fs"))
         (root (with-temp-buffer
                 (should (equal 0 (call-process
                                   (expand-file-name invocation-name invocation-directory)
                                   nil '(t nil) nil "-Q" "--batch"
                                   "-L" (file-name-directory library) "-l" library
                                   "--eval" (format "(setq agent-q-fs-module-file %S)"
                                                    (bound-and-true-p agent-q-fs-module-file))
                                   "--eval" "(let ((ws (agent-q-fs-open :backend 'session)))
 (agent-q-fs-call ws 'list_directory)
 (princ (and (file-exists-p (agent-q-fs-workspace-root ws)) (agent-q-fs-workspace-root ws))))")))
                 (buffer-string))))
    (should (string-search "agent-q-fs-session-" root))
    (should-not (file-exists-p root))))

;; A file of this machine may have the name that a file in memory has.
(ert-deftest agent-q-fs-backend/memory-knows-no-buffers ()
  (agent-q-fs-backend-test--with (ws :backend 'memory)
    (with-temp-buffer
      (setq buffer-file-name "/memory/a" buffer-file-truename "/memory/a")
      (insert "typed")
      (unwind-protect
          (progn
            (agent-q-fs-call-tool "create_file" '(:path "a" :content "x") ws)
            (agent-q-fs-call ws 'write_file :path "a" :content "y")
            (should (string-prefix-p "y" (agent-q-fs-call-tool "read_file" '(:path "a") ws)))
            (should (equal "typed" (buffer-string)))
            (should (buffer-modified-p)))
        (set-buffer-modified-p nil)
        (setq buffer-file-name nil)))))

(ert-deftest agent-q-fs-backend/side-by-side ()
  (agent-q-fs-test-with-tree (host '("a" "host"))
    (agent-q-fs-backend-test--with (memory :backend 'memory :mounts '((:host-path "."))
                                           :allowed-host-roots (list default-directory))
      (agent-q-fs-backend-test--with (session :backend 'session :mounts '((:host-path "."))
                                              :allowed-host-roots (list default-directory))
        (agent-q-fs-call memory 'write_file :path "a" :content "memory")
        (agent-q-fs-call session 'write_file :path "a" :content "session")
        (should (equal '("host" "memory" "session")
                       (mapcar (lambda (ws)
                                 (plist-get (agent-q-fs-call ws 'read_file :path "a") :content))
                               (list host memory session))))))))

;; A file of this machine may have that name, too: it is none of this workspace.
(ert-deftest agent-q-fs-backend/what-is-in-memory-is-shown ()
  (agent-q-fs-backend-test--with (ws :backend 'memory)
    (agent-q-fs-call ws 'write_file :path "a" :content "in memory\n")
    (let ((agent-q-fs-workspace ws) (before (buffer-list)))
      (save-window-excursion
        (agent-q-fs-ui-visit "/memory/a" 1)
        (unwind-protect
            (progn
              (should (string-search "in memory" (buffer-string)))
              (should-not buffer-file-name))
          (unless (memq (current-buffer) before) (kill-buffer)))))))

(ert-deftest agent-q-fs-open/what-is-no-directory ()
  "Names that cannot be of a directory here are wrong arguments, with a reason."
  (pcase-dolist (`(,root . ,words)
                 '((5 . "expected a directory's name") ("a\0b" . "expected a directory's name")))
    (let ((problem (should-error (agent-q-fs-open :root root) :type 'agent-q-fs-invalid-argument)))
      (should (eq :invalid-argument (plist-get (cdr problem) :error)))
      (should (string-search words (plist-get (cdr problem) :message))))))

(ert-deftest agent-q-fs-open/isolations ()
  "Each isolation may be a symbol, a keyword or a string, alone or with options."
  (dolist (kind '(none landlock bubblewrap podman))
    (dolist (spelled (list kind (intern (format ":%s" kind)) (symbol-name kind)))
      (agent-q-fs-test-with-tree (ws)
        (pcase-dolist (`(,isolation . ,options) `((,spelled) ((,spelled)) ((,spelled :network t) :network t)))
          (let ((other (agent-q-fs-open :root default-directory :isolation isolation)))
            (unwind-protect
                (should (equal (cons kind options) (agent-q-fs--isolation-of other)))
              (agent-q-fs-close other)))))))
  (agent-q-fs-test-with-tree (ws)
    (dolist (wrong '(docker "" 5 (none . 5) (nothing)))
      (should-error (agent-q-fs-open :root default-directory :isolation wrong)
                    :type 'agent-q-fs-invalid-argument))))

(ert-deftest agent-q-fs-open/sessions-end-with-emacs ()
  "They alone do: what is left of them is removed."
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let* ((agent-q-fs--sessions (make-hash-table :test #'eq :weakness 'key))
           (session (agent-q-fs-open :backend 'session)))
      (should (plist-get (agent-q-fs-list-directory session) :text))
      (let ((host (agent-q-fs-open :root default-directory)))
        (unwind-protect
            (progn
              (agent-q-fs--close-sessions)
              (should-error (agent-q-fs-list-directory session)
                            :type 'agent-q-fs-invalid-argument)
              (should (equal "x" (plist-get (agent-q-fs-read-file host "a") :content))))
          (agent-q-fs-close host))))))

(ert-deftest agent-q-fs-open/where-the-directory-counts ()
  "It does for a project on the host that no option names."
  (pcase-dolist (`(,counts . ,options)
                 '((t) (t :backend nil) (t :backend host) (t :backend :host) (t :backend "host")
                   (nil :backend memory) (nil :backend :memory) (nil :backend "session")
                   (nil :root "/") (nil :root "/" :backend host)))
    (let ((before (default-value 'agent-q-fs-open-options)))
      (unwind-protect
          (progn
            (setq-default agent-q-fs-open-options options)
            (should (equal (list options counts)
                           (list (car (agent-q-fs--found-from))
                                 (and (cadr (agent-q-fs--found-from)) t)))))
        (setq-default agent-q-fs-open-options before)))))

(ert-deftest agent-q-fs-open/places-of-paths ()
  "A path is of the workspace, whatever directory Emacs is in; home is only a caller's."
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((root default-directory) (default-directory "/"))
      (pcase-dolist (`(,path ,given . ,name)
                     `(("a" nil . ,(concat root "a")) ("a" t . ,(concat root "a"))
                       ("." t . ,(directory-file-name root)) ("/x/y" nil . "/x/y") ("/x/y" t . "/x/y")
                       ("~/a" t . ,(expand-file-name "~/a")) ("~/a" nil . ,(concat root "~/a"))))
        (should (equal (list path given (encode-coding-string name 'utf-8-unix))
                       (list path given (agent-q-fs--place ws path given))))))))

(ert-deftest agent-q-fs-open/scopes ()
  "Where a workspace keeps its state is no rule; which paths it restricts is one."
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((scope (agent-q-fs--scope ws)) (elsewhere (make-temp-file "aqfs-state-" t)))
      (pcase-dolist (`(,same . ,options)
                     `((t :state_dir ,elsewhere) (t :temp-dir ,elsewhere) (t :home ,elsewhere)
                       (t :start "/") (t :cwd "/") (nil :restricted_paths ("a")) (nil :mode unrestricted)))
        (let ((other (apply #'agent-q-fs-open :root default-directory options)))
          (unwind-protect
              (should (equal (list options same)
                             (list options (equal scope (agent-q-fs--scope other)))))
            (agent-q-fs-close other))))
      (agent-q-fs-test-remove elsewhere))))

;;; agent-q-fs-backend-tests.el ends here

;;; agent-q-fs-sly-tests.el --- Tests of loading Lisp's side of the tools  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; With a stand-in for SLY.  test/e2e has the real SLY and SLIME.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-rpc)
(require 'agent-q-fs-sly)

(defmacro agent-q-fs-sly-tests-with (&rest body)
  "Run BODY as if SLY were connected, and return (SENT SAID).
SENT are the forms that Lisp was to evaluate, latest first, and SAID is the last message."
  (declare (indent 0) (debug t))
  `(let ((sent nil) (said nil))
     (cl-letf (((symbol-function 'agent-q-fs-sly--client) (lambda () 'sly))
               ((symbol-function 'sly-eval-async) (lambda (form &rest _) (push form sent)))
               ((symbol-function 'agent-q-fs-rpc-answer) #'ignore)
               ((symbol-function 'message)
                (lambda (format &rest arguments)
                  (setq said (apply #'format-message format arguments)))))
       ,@body)
     (list sent said)))

(ert-deftest agent-q-fs-sly/a-hook-asks-nobody ()
  "In `sly-connected-hook', while the core is not built, a person is told, and not asked."
  (cl-letf (((symbol-function 'agent-q-fs-module-at-hand-p) #'ignore)
            ((symbol-function 'agent-q-fs-module-load) (lambda () (ert-fail "loaded")))
            ((symbol-function 'y-or-n-p) (lambda (_) (ert-fail "asked"))))
    (let* ((warned nil) (timers (copy-sequence timer-list))
           (done (let ((this-command nil) (noninteractive nil))
                   (agent-q-fs-sly-tests-with (agent-q-fs-sly-load))))
           (timer (car (seq-difference timer-list timers #'eq))))
      ;; A message of now would be wiped by the one with which SLY greets.
      (should (equal '(nil nil) done))
      (cl-letf (((symbol-function 'display-warning) (lambda (_ words &rest _) (setq warned words))))
        (timer-event-handler timer))
      (should (string-search "M-x agent-q-fs-module-build" warned)))))

(ert-deftest agent-q-fs-sly/a-command-has-the-core-first ()
  "A person who gives the command is asked before Lisp begins, and not while they type on."
  (cl-letf (((symbol-function 'agent-q-fs-module-at-hand-p) #'ignore)
            ((symbol-function 'agent-q-fs-module-load) (lambda () (error "Not built"))))
    (let ((this-command 'agent-q-fs-sly-load) (noninteractive nil))
      (agent-q-fs-sly-tests-with
        (should-error (agent-q-fs-sly-load))
        (should-not sent)
        (cl-letf (((symbol-function 'agent-q-fs-module-load) #'ignore))
          (agent-q-fs-sly-load))
        (should (= 1 (length sent)))
        (should (string-search "Lisp is loading" said))))))

(ert-deftest agent-q-fs-sly/the-lisp-of-a-package ()
  "The systems of a package are found beside its files, and those of the sources above them."
  (let ((root (file-name-as-directory (make-temp-file "aqfs-sly-" t))))
    (unwind-protect
        (let ((found (lambda (name) (agent-q-fs-sly--find-source (expand-file-name name root))))
              (put (lambda (name)
                     (make-directory (file-name-directory (expand-file-name name root)) t)
                     (write-region "" nil (expand-file-name name root) nil 'quiet)
                     (expand-file-name name root))))
          (should-not (funcall found "clone/elisp/"))
          (let ((asd (funcall put "clone/lisp/agent-q-fs.asd")))
            (should (equal asd (funcall found "clone/elisp/")))
            (should (equal asd (funcall found "clone/build/elisp/"))))
          (let ((asd (funcall put "agent-q-fs-0.2.0/lisp/agent-q-fs.asd")))
            (should (equal asd (funcall found "agent-q-fs-0.2.0/")))))
      (delete-directory root t)))
  (should (file-exists-p agent-q-fs-sly--source)))

(ert-deftest agent-q-fs-sly/what-lisp-says ()
  "A Lisp that does not find the system is no riddle: the message says what to do."
  (pcase-dolist (`(,result . ,words) '((nil . "put a clone of it into ~/common-lisp/")
                                       ((0) . "agent-q-fs:call-tool")
                                       ((27) . "27 tools")
                                       (("No memory") . "No memory")))
    (pcase-let ((`(,_ ,said) (agent-q-fs-sly-tests-with (agent-q-fs-sly--loaded result))))
      (should (string-search words said)))))

(ert-deftest agent-q-fs-sly/a-lisp-that-is-gone-compiles-nothing ()
  "An answer that cannot be sent to a Lisp is told in words, and its files are removed."
  (let* ((temporary-file-directory (file-name-as-directory (make-temp-file "aqfs-sly-" t)))
         (form (list :start-line 1 :end-line 1 :kind "defun"))
         (said nil)
         (stop (agent-q-fs-sly-compile
                (list "SLY" "slynk" (lambda (&rest _) (error "Not connected")))
                "(defun f ())" (list form) (list form) 1 (lambda (found) (setq said found)))))
    (should (equal "Not connected" said))
    (funcall stop)
    (should (directory-empty-p temporary-file-directory))
    (delete-directory temporary-file-directory)))

(ert-deftest agent-q-fs-sly/nobody-connected ()
  (cl-letf (((symbol-function 'agent-q-fs-sly--client) #'ignore)
            ((symbol-function 'agent-q-fs-rpc-answer) #'ignore))
    (should (string-search "No Lisp is connected"
                           (cadr (should-error (agent-q-fs-sly-load) :type 'user-error))))))

(ert-deftest agent-q-fs-sly/no-other-machine ()
  "No word of a connected Lisp has Emacs connect to another machine, or become another user."
  (let* ((buffer (generate-new-buffer " *connection*"))
         (connection (make-process :name "lisp" :buffer buffer :command '("cat") :noquery t))
         (answers nil))
    (cl-letf (((symbol-function 'agent-q-fs-remote-open) (lambda (&rest _) (ert-fail "opened"))))
      (unwind-protect
          (dolist (root '(":root \"/ssh:x:/\"" ":root \"/sudo::/\"" "\"root\" \"/ssh:a|sudo:b:/p\""))
            (agent-q-fs-rpc--serve (format "(agent-q-fs-rpc :open '(%s) '(:call 1))" root)
                                   connection (lambda (value) (push value answers)))
            (should (string-search "is on another machine" (format "%s" (pop answers)))))
        (delete-process connection)
        (kill-buffer buffer)))))

(ert-deftest agent-q-fs-sly/wide-options-in-any-spelling ()
  "A connected Lisp is asked about before its paths lead out, however it spells the option.
A word is the same to the core as a string or as a keyword."
  (agent-q-fs-test-with-tree (ws '("in/a" "x\n") '("out" "outside\n"))
    (ignore ws)
    (let* ((agent-q-fs-sly-directories (list default-directory))
           (agent-q-fs-audit-file nil)
           (root (expand-file-name "in/"))
           (buffer (generate-new-buffer " *connection*"))
           (connection (make-process :name "lisp" :buffer buffer :command '("cat") :noquery t))
           (agent-q-fs-rpc--entries nil)
           (agent-q-fs-sly--decisions nil)
           (answers nil)
           (serve (lambda (form)
                    (agent-q-fs-rpc--serve form connection (lambda (value) (push value answers))))))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (unwind-protect
            (dolist (option '(":mode \"unrestricted\"" ":mode :unrestricted" "\"mode\" :unrestricted"
                              ":allowed-paths (\"..\")" "\"allowed_paths\" (\"..\")"
                              ":secret_paths (\"x\")" ":isolation \"none\""))
              (funcall serve (format "(agent-q-fs-rpc :open '(:root %S %s) '(:call 1))" root option))
              (should (equal (list option 1 nil)
                             (list option (length (agent-q-fs-prompt-waiting)) answers)))
              (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
              (setq agent-q-fs-sly--decisions nil)
              (should (string-search ":denied" (format "%s" (pop answers))))
              (should-not agent-q-fs-rpc--entries))
          (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
          (agent-q-fs-rpc--connection-closed connection)
          (delete-process connection)
          (kill-buffer buffer)))
      ;; An option that does not lead out is not asked about.
      (should-not (agent-q-fs-sly--option ws "mode" :restricted)))))

(provide 'agent-q-fs-sly-tests)
;;; agent-q-fs-sly-tests.el ends here

;;;; restart-tests.lisp -- another Lisp, which Emacs starts, loses and starts again.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun client ()
  "Returns the prefix of the Emacs client's names."
  (if (string= *server* "SLYNK") "sly" "slime"))

(defun client-elisp (control &rest arguments)
  "Has Emacs evaluate CONTROL with ARGUMENTS, strings, where CLIENT- begins a name of SLY or SLIME."
  (emacs-value (agent-q-fs/test::replaced (apply #'in-elisp control arguments)
                                          "CLIENT-" (format nil "~A-" (client)))))

(defun load-in-each-lisp ()
  "Has Emacs load agent-q-fs in each Lisp that connects from now on, as an init file has it, while
a buffer is current that belongs to a thread of another Lisp, as those of the debugger do."
  (client-elisp "(progn (setq e2e-loaded nil)
                        (advice-add 'agent-q-fs-sly--loaded :after
                                    (lambda (result) (setq e2e-loaded (format \"%S\" result))))
                        (add-hook 'CLIENT-connected-hook
                                  (lambda ()
                                    (with-current-buffer (get-buffer-create \"*e2e-debugger*\")
                                      (setq CLIENT-current-thread 1000000)
                                      (agent-q-fs-sly-load))))
                        t)"))

(defun run-inferior-lisp ()
  "Has Emacs start a Lisp, and does not wait for it."
  (client-elisp "(progn (setq e2e-loaded nil)
                        (run-with-timer 0 nil (lambda ()
                          (CLIENT-start :program \"sbcl\" :buffer \"*e2e-lisp*\"
                                        :program-args (list \"--noinform\" \"--no-sysinit\"
                                                            \"--no-userinit\" \"--load\" ~A))))
                        t)"
                (source-file "../test/lisp/setup.lisp")))

(defun start-inferior-lisp ()
  "Has Emacs start a Lisp, and returns the number of tools that it has then."
  (run-inferior-lisp)
  (parse-integer (wait-until (lambda () (emacs-value "e2e-loaded")) :what "Lisp to load the tools")
                 :start 1 :junk-allowed t))

(defun kill-inferior-lisp ()
  "Kills the Lisp that Emacs has started, and waits until Emacs has noticed."
  (client-elisp "(progn (signal-process
                          (seq-some #'CLIENT-inferior-process CLIENT-net-processes) 9)
                        t)")
  (wait-until (lambda () (client-elisp "(= 1 (length CLIENT-net-processes))"))
              :what "Emacs to lose the connection"))

(defun value-in-inferior-lisp (form)
  "Returns the value of FORM, a text, in the other Lisp, a string or an integer; Emacs has it
evaluated as it has any form of a person."
  (client-elisp "(progn (setq e2e-answer nil)
                        (run-with-timer 0 nil (lambda ()
                          (let ((CLIENT-current-thread t)
                                (CLIENT-dispatching-connection
                                 (seq-find #'CLIENT-inferior-process CLIENT-net-processes)))
                            (CLIENT-eval-async (list 'cl:eval (list 'cl:read-from-string ~A))
                              (lambda (value) (setq e2e-answer value))
                              \"COMMON-LISP-USER\"))))
                        t)"
                form)
  (wait-until (lambda () (emacs-value "e2e-answer")) :what "the other Lisp to answer"))

(defun call-in-inferior-lisp (root name arguments)
  "Returns what a model is told that has the registry of the other Lisp call the tool NAME, in the
project at ROOT or, for nil, in the one that calls there are for."
  (value-in-inferior-lisp
   (with-standard-io-syntax
     (format nil "(let (~@[(agent-q-fs:*project-root* ~S)~]
                        (registry (cl-llm-provider.tools:ensure-registry)))
                    (cl-llm-provider.tools:execute-tool
                     (cl-llm-provider.tools:find-tool registry ~S)
                     (make-instance 'cl-llm-provider:tool-call
                                    :name ~:*~S :arguments '~S)
                     :registry registry))"
             root name arguments))))

(test restart.the-tools-are-there-again
  "With agent-q-fs-sly-load in the hook, a Lisp that was killed and started again has its tools:
one writes a file, and the workspaces of the killed one are closed."
  (with-project (root ("f" "one"))
    (said-by-read)
    (unwind-protect
         (flet ((edit (old new)
                  (call-in-inferior-lisp root "edit_file"
                                         (list "path" "f" "old_str" old "new_str" new)))
                (entries () (emacs-value "(length agent-q-fs-rpc--entries)")))
           (load-in-each-lisp)
           (let ((before (entries))
                 (count (start-inferior-lisp)))
             (is (< 10 count))
             (is (search "Edited f" (edit "one" "two")))
             (is (equal "two" (contents root "f")))
             (is (< before (entries)))
             (kill-inferior-lisp)
             (is (= before (entries)))
             (is (= count (start-inferior-lisp)))
             (is (search "Edited f" (edit "two" "three")))
             (is (equal "three" (contents root "f")))
             (is (equal "three" (said-by-read)) "this Lisp's tools are there throughout")))
      (fresh-emacs))))

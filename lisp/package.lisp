;;;; package.lisp -- what agent-q-fs offers, by concept.
;;;;
;;;; SPDX-License-Identifier: MIT

(defpackage #:agent-q-fs
  (:documentation
   "File tools that an agent can be trusted with.

    (agent-q-fs:open-workspace :root #p\"…\")       → a workspace
    (agent-q-fs:call :read-file :path \"a.lisp\")   → a property list, or a condition
    (agent-q-fs:call-tool \"read_file\" arguments)  → the text that a model is shown")
  (:use #:common-lisp)

  ;; Workspaces
  (:export #:workspace #:workspace-p
           #:open-workspace #:close-workspace #:reset-workspace #:with-workspace
           #:workspace-root #:workspace-properties #:workspace-open-p
           #:*workspace* #:current-workspace #:*transport* #:*emacs-timeout*
           #:*project-root* #:*project-system*)

  ;; Calls
  (:export #:call #:call* #:read-bytes
           #:preview #:commit #:*authority*
           #:retry #:use-path #:supply-version)

  ;; The names of tools that agent-q-fs/agent-q registers
  (:export #:*tool-names*)

  ;; Calls of models
  (:export #:call-tool #:*approval-handler* #:*approval-preview* #:*tool-execution-hooks*)

  ;; A workspace with prepared replies, for tests
  (:export #:open-mock #:mock-calls #:mock-arguments #:mock-forget)

  ;; The table of operations
  (:export #:operations #:find-operation
           #:operation #:operation-name #:operation-tier #:operation-slow-p #:operation-sets
           #:operation-documentation #:operation-parameters
           #:parameter #:parameter-name #:parameter-type #:parameter-required-p #:parameter-unless
           #:parameter-default #:parameter-least #:parameter-most
           #:parameter-choices #:parameter-members #:parameter-documentation)

  ;; The shared object, once agent-q-fs/ffi is loaded
  (:export #:*library-path* #:load-library #:build-library #:build #:versions)

  ;; Conditions: the root and its readers; one child for each error of the catalogue;
  ;; and two that no reply carries
  (:export #:agent-q-fs-error
           #:agent-q-fs-error-code #:agent-q-fs-error-message #:agent-q-fs-error-path
           #:agent-q-fs-error-hint #:agent-q-fs-error-plist
           . #.(loop for (code) in agent-q-fs/catalogue:*errors*
                     collect (concatenate 'string "AGENT-Q-FS-" (string-upcase code))))
  (:export #:agent-q-fs-library-error #:agent-q-fs-malformed-reply))

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

  ;; Calls of models
  (:export #:call-tool #:*approval-handler* #:*approval-preview* #:*tool-execution-hooks*)

  ;; A workspace that only pretends, for tests
  (:export #:open-mock #:mock-calls #:mock-arguments #:mock-forget)

  ;; The table of operations
  (:export #:operations #:find-operation
           #:operation #:operation-name #:operation-tier #:operation-slow-p
           #:operation-documentation #:operation-parameters
           #:parameter #:parameter-name #:parameter-type #:parameter-required-p
           #:parameter-default #:parameter-least #:parameter-most
           #:parameter-choices #:parameter-documentation)

  ;; The shared object, once agent-q-fs/ffi is loaded
  (:export #:*library-path* #:load-library #:versions)

  ;; Conditions: the root, its readers, and one child for each error code
  (:export #:agent-q-fs-error
           #:agent-q-fs-error-code #:agent-q-fs-error-message #:agent-q-fs-error-path
           #:agent-q-fs-error-hint #:agent-q-fs-error-plist
           #:agent-q-fs-outside-root #:agent-q-fs-restricted
           #:agent-q-fs-not-found #:agent-q-fs-exists #:agent-q-fs-is-directory
           #:agent-q-fs-not-a-directory #:agent-q-fs-not-regular #:agent-q-fs-permission
           #:agent-q-fs-invalid-argument #:agent-q-fs-unknown-operation
           #:agent-q-fs-no-match #:agent-q-fs-multiple-matches #:agent-q-fs-stale
           #:agent-q-fs-binary #:agent-q-fs-encoding
           #:agent-q-fs-patch-parse #:agent-q-fs-patch-apply
           #:agent-q-fs-too-large #:agent-q-fs-too-long #:agent-q-fs-limit
           #:agent-q-fs-loop #:agent-q-fs-raced
           #:agent-q-fs-approval-required #:agent-q-fs-denied #:agent-q-fs-read-only
           #:agent-q-fs-snapshot #:agent-q-fs-snapshot-restore
           #:agent-q-fs-io #:agent-q-fs-no-space #:agent-q-fs-durability-unknown
           #:agent-q-fs-cancelled #:agent-q-fs-timeout #:agent-q-fs-command-failed
           #:agent-q-fs-not-connected
           ;; and two that no reply carries
           #:agent-q-fs-library-error #:agent-q-fs-malformed-reply))

;;;; register-now.lisp -- registers the tools when the system agent-q-fs/agent-q is loaded.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/agent-q)

(handler-case (register-tools)
  (agent-q-fs:agent-q-fs-error (condition)
    (warn "The tools are not registered: ~A~%Call (agent-q-fs/agent-q:register-tools) when ~
           that is corrected."
          condition)))

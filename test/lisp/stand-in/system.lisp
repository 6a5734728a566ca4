;;;; system.lisp -- defines a stand-in for cl-llm-provider, for tests where the library is not.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; This is no .asd file: Quicklisp and ASDF search whole trees for those, and would find the
;;;; stand-in in a person's copy of agent-q-fs, in place of the library.
;;;;
;;;; It has what that library's documentation says of tools, registries, approval and
;;;; execution, and nothing that talks to a model.

(asdf:defsystem "cl-llm-provider"
  :description "A stand-in for tests: tools, registries, approval, execution."
  :license "MIT"
  :components ((:file "stand-in")))

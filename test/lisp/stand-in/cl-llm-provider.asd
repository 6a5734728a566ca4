;;;; cl-llm-provider.asd -- a stand-in, for tests where the library is not.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; It has what that library's documentation says of tools, registries, approval and
;;;; execution, and nothing that talks to a model.

(defsystem "cl-llm-provider"
  :description "A stand-in for tests: tools, registries, approval, execution."
  :license "MIT"
  :components ((:file "stand-in")))

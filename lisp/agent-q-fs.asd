;;;; agent-q-fs.asd -- file tools for AI agents, from Common Lisp.
;;;;
;;;; SPDX-License-Identifier: MIT

;; The version is that of the core.
(defsystem "agent-q-fs"
  :description "File tools for AI agents, through the Emacs that SLY or SLIME is connected to."
  :long-description "File tools that an agent can be trusted with: reading, searching, exact edits,
patches, moving, deleting, snapshots, and commands.  No path leads out of a workspace, a change is
planned first and shown as a diff, and what was approved is what is written.

agent-q-fs calls the tools in the Emacs that SLY or SLIME is connected to.  agent-q-fs/ffi loads the
shared object into this Lisp, for programs without Emacs.  agent-q-fs/agent-q puts the tools into the
registry of Agent-Q or of cl-llm-provider."
  :version (:read-file-form "wire/catalogue.lisp" :at (2 2))
  :author "The agent-q-fs authors"
  :license "MIT"
  :homepage "https://github.com/agent-q/agent-q-fs"
  :source-control (:git "https://github.com/agent-q/agent-q-fs")
  :depends-on ((:feature (:not (:or :sbcl :ecl :clisp)) "bordeaux-threads")
               (:feature (:not (:or :sbcl :ecl)) "trivial-garbage"))
  :serial t
  ;; Each file uses only those before it; make lint-lisp sees to that.
  :components ((:file "wire/catalogue")
               (:file "package")
               (:module "base" :serial t
                :components ((:file "implementation")
                             (:file "conditions")))
               (:module "wire" :serial t
                :components ((:file "utf8")
                             (:file "reader")
                             (:file "base64")
                             (:file "json")))
               (:module "call" :serial t
                :components ((:file "operations")
                             (:file "arguments")
                             (:file "roots")
                             (:file "workspace")
                             (:file "call")
                             (:file "tools")
                             (:file "mock")))
               (:module "emacs" :serial t
                :components ((:file "data")
                             (:file "boundary")
                             (:file "server")
                             (:file "workspace"))))
  :in-order-to ((test-op (test-op "agent-q-fs/test"))))

(defsystem "agent-q-fs/ffi"
  :description "The transport :ffi, which calls the shared object in this very process."
  :version (:read-file-form "wire/catalogue.lisp" :at (2 2))
  :license "MIT"
  :depends-on ("agent-q-fs" "cffi")
  :pathname "ffi/"
  :serial t
  :components ((:file "library")
               (:file "native")
               (:file "workspace"))
  :in-order-to ((test-op (test-op "agent-q-fs/test"))))

;; Agent-Q is loaded first where there is one.  :WEAKLY-DEPENDS-ON would search for it whenever this
;; file is read, for whichever system; where ocicl searches, that is an attempt to fetch it, and
;; its failure is an error.
(defclass agent-q-fs-system-for-agent-q (system) ())

(defmethod component-depends-on ((operation prepare-op) (system agent-q-fs-system-for-agent-q))
  (let ((agent-q (ignore-errors (find-system "agent-q" nil))))
    (append (and agent-q (list (list 'load-op agent-q)))
            (call-next-method))))

(defsystem "agent-q-fs/agent-q"
  :class agent-q-fs-system-for-agent-q
  :description "The tools in Agent-Q's registry, or in that of cl-llm-provider alone."
  :version (:read-file-form "wire/catalogue.lisp" :at (2 2))
  :license "MIT"
  :depends-on ("agent-q-fs/ffi" "cl-llm-provider")
  :pathname "agent-q/"
  :serial t
  :components ((:file "registry")
               (:file "helpers")
               (:file "register-now"))
  :in-order-to ((test-op (test-op "agent-q-fs/test"))))

(defsystem "agent-q-fs/test"
  :description "The tests of agent-q-fs, agent-q-fs/ffi and agent-q-fs/agent-q."
  :license "MIT"
  :depends-on ("agent-q-fs" "agent-q-fs/ffi" "agent-q-fs/agent-q" "fiveam")
  :pathname "../test/lisp/"
  :serial t
  :components ((:file "package")
               (:file "support")
               (:module "base" :components ((:file "conditions-tests")))
               (:module "wire" :serial t
                :components ((:file "utf8-tests")
                             (:file "reader-tests")
                             (:file "json-tests")))
               (:module "call" :serial t
                :components ((:file "arguments-tests")
                             (:file "operations-tests")
                             (:file "workspace-tests")
                             (:file "call-tests")
                             (:file "mock-tests")
                             (:file "approval-tests")
                             (:file "restarts-tests")
                             (:file "tools-tests")
                             (:file "roots-tests")
                             (:file "roundtrip-tests")
                             (:file "names-tests")))
               (:module "emacs" :serial t
                :components ((:file "data-tests")
                             (:file "boundary-tests")
                             (:file "server-tests")))
               (:module "ffi" :serial t
                :components ((:file "library-tests")
                             (:file "catalogue-tests")
                             (:file "replies-tests")
                             (:file "threads-tests")))
               (:module "agent-q" :serial t
                :components ((:file "registry-tests")
                             (:file "helpers-tests")))
               (:file "manual-tests"))
  :perform (test-op (operation component)
             (declare (ignore operation component))
             (multiple-value-bind (passed failed) (symbol-call '#:agent-q-fs/test '#:run-tests)
               (unless (and (plusp passed) (zerop failed))
                 (error "~D tests of agent-q-fs failed." failed)))))

(defsystem "agent-q-fs/e2e"
  :description "The tests of agent-q-fs with a real Emacs; test/e2e/run loads the server."
  :license "MIT"
  :depends-on ("agent-q-fs/test")
  :pathname "../test/e2e/"
  :serial t
  :components ((:file "package")
               (:file "emacs")
               (:file "life-tests")
               (:file "wire-tests")
               (:file "registry-tests")
               (:file "trouble-tests")
               (:file "door-tests")
               (:file "restart-tests")
               (:file "several-tests")
               (:file "agent-q-tests")
               (:file "manual-tests")))

;;;; agent-q-fs.asd -- file tools for AI agents, from Common Lisp.

(defsystem "agent-q-fs"
  :description "File tools for AI agents: operations, conditions, replies and arguments."
  :version "0.1.0"
  :license "MIT"
  :serial t
  :components ((:file "package")
               (:file "implementation")
               (:file "conditions")
               (:file "utf8")
               (:file "keywords")
               (:file "reader")
               (:file "json")
               (:file "operations")
               (:file "arguments")
               (:file "base64")
               (:file "workspace")
               (:file "call")
               (:file "mock"))
  :in-order-to ((test-op (test-op "agent-q-fs/test"))))

(defsystem "agent-q-fs/ffi"
  :description "The transport :ffi, which calls the shared object in this very process."
  :version "0.1.0"
  :license "MIT"
  :depends-on ("agent-q-fs" "cffi")
  :serial t
  :components ((:file "ffi-library")
               (:file "ffi-native")
               (:file "ffi-workspace"))
  :in-order-to ((test-op (test-op "agent-q-fs/test"))))

(defsystem "agent-q-fs/test"
  :description "The tests of agent-q-fs and agent-q-fs/ffi."
  :license "MIT"
  :depends-on ("agent-q-fs" "agent-q-fs/ffi" "fiveam")
  :pathname "../test/lisp/"
  :serial t
  :components ((:file "package")
               (:file "support")
               (:file "conditions-tests")
               (:file "utf8-tests")
               (:file "reader-tests")
               (:file "json-tests")
               (:file "arguments-tests")
               (:file "operations-tests")
               (:file "workspace-tests")
               (:file "call-tests")
               (:file "mock-tests")
               (:file "approval-tests")
               (:file "roundtrip-tests")
               (:file "names-tests")
               (:file "ffi-library-tests")
               (:file "ffi-threads-tests")
               (:file "manual-tests"))
  :perform (test-op (operation component)
             (declare (ignore operation component))
             (multiple-value-bind (passed failed) (symbol-call '#:agent-q-fs/test '#:run-tests)
               (unless (and (plusp passed) (zerop failed))
                 (error "~D tests of agent-q-fs failed." failed)))))

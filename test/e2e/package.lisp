;;;; package.lisp -- the end-to-end tests' package.
;;;;
;;;; SPDX-License-Identifier: MIT

(defpackage #:agent-q-fs/e2e
  (:use #:common-lisp #:agent-q-fs)
  (:import-from #:fiveam #:test #:is #:is-true #:is-false #:pass #:fail #:skip
                #:def-suite #:in-suite)
  (:import-from #:agent-q-fs/test
                #:call-with-tree #:with-tree #:put #:put-tree #:in-root #:contents #:random-text
                #:*random* #:condition-of #:with-hostile-bindings #:start-thread #:join
                #:descriptors #:collect-garbage #:new-directory #:to-octets #:encode-utf8
                #:run-package
                #:libc-symlink)
  (:import-from #:agent-q-fs #:octets #:make-octets #:decode-base64)
  (:export #:run-tests))

(in-package #:agent-q-fs/e2e)

(def-suite e2e :description "Lisp and Emacs together.")

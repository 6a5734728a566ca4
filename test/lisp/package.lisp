;;;; package.lisp -- the tests' package.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; A test is named FILE.CASE after the file that it tests: glob.double-star.

(defpackage #:agent-q-fs/test
  (:use #:common-lisp #:agent-q-fs)
  (:import-from #:fiveam #:test #:is #:is-true #:is-false #:signals #:finishes #:pass #:fail
                #:skip #:def-suite #:in-suite)
  (:import-from #:agent-q-fs
                #:octets #:make-octets #:decode-utf8 #:decode-base64
                #:read-reply #:argument-entries #:encode-request #:encode-options #:write-json #:make-output
                #:output-result #:native-namestring #:parse-operation
                #:agent-q-fs-malformed-reply)
  (:export #:run-tests))

(in-package #:agent-q-fs/test)

(def-suite agent-q-fs :description "Everything.")

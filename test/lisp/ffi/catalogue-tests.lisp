;;;; catalogue-tests.lisp -- wire/catalogue.lisp against the catalogue of the core.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun core-catalogue ()
  "Returns the catalogue of the shared object, as data."
  (load-library)
  (read-reply (agent-q-fs::take-reply
               (agent-q-fs::%catalogue agent-q-fs::+sexp+))))

(defun names-in (rows &rest members)
  "Returns for each of ROWS, property lists, a list of its :NAME and its MEMBERS."
  (loop for row in rows
        collect (loop for member in (cons :name members) collect (getf row member))))

(test catalogue.is-the-cores
  (let ((catalogue (core-catalogue)))
    (is (equal agent-q-fs/catalogue:*version* (getf catalogue :version)))
    (is (equal agent-q-fs/catalogue:*abi* (getf catalogue :abi)))
    (is (equal agent-q-fs/catalogue:*errors* (names-in (getf catalogue :errors) :doc)))
    (is (equal agent-q-fs/catalogue:*options* (names-in (getf catalogue :options) :type :doc)))
    (is (equal agent-q-fs/catalogue:*limits*
               (mapcar #'first (names-in (getf catalogue :limits)))))))

(defun member-keywords (members)
  "Returns the keywords that replies with MEMBERS, of the catalogue, can have."
  (flet ((keyword (name)
           (intern (string-upcase (substitute #\- #\_ name)) '#:keyword)))
    (loop for member in members
          when (getf member :name) collect (keyword (getf member :name))
          append (mapcar #'keyword (getf member :choices))
          append (member-keywords (getf member :members))
          append (member-keywords (and (getf member :of) (list (getf member :of)))))))

(test catalogue.has-every-keyword-of-a-reply
  (let* ((catalogue (core-catalogue))
         (members (append (loop for operation in (getf catalogue :operations)
                                append (getf operation :reply))
                          (loop for reply in (getf catalogue :replies)
                                append (getf reply :members))))
         (keywords (member-keywords members)))
    (is (< 100 (length keywords)))
    (is (null (set-difference keywords agent-q-fs/catalogue:*keywords*)))))

;;;; Cases that are wrong, each in one way: a driver that passes one of them could
;;;; not have noticed that mistake anywhere.  See self-check.
;;;;
;;;; SPDX-License-Identifier: MIT

(define wrong-tree
  (file "a" "one") (file "b" "two"))

(case wrong.text
  (tree wrong-tree) (call read_file :path "a") (reply :content "two"))
(case wrong.text-beginning
  (tree wrong-tree) (call read_file :path "a") (reply :content "on"))
(case wrong.number
  (tree wrong-tree) (call list_directory) (reply :total 3))
(case wrong.number-for-text
  (tree wrong-tree) (call read_file :path "a") (reply :total-lines "1"))
(case wrong.keyword
  (tree wrong-tree) (call file_exists :path "a") (reply :type :directory))
(case wrong.missing-key
  (tree wrong-tree) (call file_exists :path "a") (reply :no-such-key (any)))
(case wrong.nil
  (tree wrong-tree) (call file_exists :path "a") (reply :exists nil))
(case wrong.not-nil
  (tree wrong-tree) (call file_exists :path "c") (reply :exists t))
(case wrong.any
  (tree wrong-tree) (call file_exists :path "c") (reply :type (any)))
(case wrong.item
  (tree wrong-tree) (call list_directory) (reply :entries ((:name "a") (:name "c"))))
(case wrong.order
  (tree wrong-tree) (call list_directory) (reply :entries ((:name "b") (:name "a"))))
(case wrong.too-few
  (tree wrong-tree) (call list_directory) (reply :entries ((:name "a"))))
(case wrong.too-many
  (tree wrong-tree) (call list_directory) (reply :entries ((:name "a") (:name "b") (:name "c"))))
(case wrong.not-empty
  (tree wrong-tree) (call list_directory) (reply :entries ()))
(case wrong.contains
  (tree wrong-tree) (call read_file :path "a") (reply :text (contains "on" "x")))
(case wrong.without
  (tree wrong-tree) (call read_file :path "a") (reply :text (without "x" "on")))
(case wrong.like
  (tree wrong-tree) (call read_file :path "a") (reply :text (like "x??")))
(case wrong.like-shorter
  (tree wrong-tree) (call read_file :path "a") (reply :text (like "??")))
(case wrong.has
  (tree wrong-tree) (call list_directory) (reply :entries (has (:name "a") (:name "c"))))
(case wrong.lacks
  (tree wrong-tree) (call list_directory) (reply :entries (lacks (:name "c") (:name "b"))))
(case wrong.code
  (tree wrong-tree) (call read_file :path "c") (error permission "does not exist"))
(case wrong.message
  (tree wrong-tree) (call read_file :path "c") (error not-found "does exist"))
(case wrong.error-member
  (tree wrong-tree) (call read_file :path "c") (error not-found :path "d"))
(case wrong.error-for-a-reply
  (tree wrong-tree) (call read_file :path "c") (reply :path nil))
(case wrong.reply-for-an-error
  (tree wrong-tree) (call read_file :path "a") (error not-found))
(case wrong.never
  (tree wrong-tree) (call read_file :path "a") (reply :path "a") (never "one"))
(case wrong.never-in-an-error
  (tree wrong-tree) (call read_file :path "c") (error not-found) (never "does not exist"))
(case wrong.opening
  (tree wrong-tree) (options :root (cat (root) "/a")) (call read_file :path "a") (reply :path "a"))
(case wrong.refused-otherwise (tree (file "a" "x")) (call read_file :path "b")
  (refused restricted approval-required))
(case wrong.not-refused (tree (file "a" "x")) (call read_file :path "a") (refused restricted))

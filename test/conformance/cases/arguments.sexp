;;;; A request must make sense; the error of one that does not names the part.
;;;;
;;;; SPDX-License-Identifier: MIT

(case call.unknown-operation
  (call frobnicate :path "a")
  (error unknown-operation "frobnicate"))
(case call.operation-of-another-kind
  (call shell :command "id")
  (error unknown-operation "shell"))
(case call.almost-an-operation
  (tree plain)
  (call read_files :path "a.txt")
  (error unknown-operation "read_files"))

(each path-operations
  (case *.unknown-argument (tree plain)
    (call * :path "." :colour "red") (error invalid-argument "colour: unknown argument; expected path"))
  (case *.path-not-a-string (tree plain)
    (call * :path 5) (error invalid-argument "path: expected a string, got an integer"))
  (case *.path-a-list (tree plain)
    (call * :path ("a.txt")) (error invalid-argument "path: expected a string, got a list"))
  (case *.path-a-boolean (tree plain)
    (call * :path t) (error invalid-argument "path: expected a string, got a boolean")))

(define needs-path get_file_info file_exists read_file read_bytes)

(each needs-path
  (case *.no-path (tree plain)
    (call *) (error invalid-argument "path: this argument is required"))
  (case *.null-path (tree plain)
    (call * :path null) (error invalid-argument "path: this argument is required")))

(define needs-pattern search_files grep_files)

(each needs-pattern
  (case *.no-pattern (tree plain)
    (call *) (error invalid-argument "pattern: this argument is required"))
  (case *.pattern-not-a-string (tree plain)
    (call * :pattern 5) (error invalid-argument "pattern: expected a string, got an integer"))
  (case *.unknown-argument (tree plain)
    (call * :pattern "x" :glob "*") (error invalid-argument "glob: unknown argument; expected pattern"))
  (case *.limit-zero (tree plain)
    (call * :pattern "x" :limit 0) (error invalid-argument "limit: expected an integer from 1 to"))
  (case *.exclusions-not-a-list (tree plain)
    (call * :pattern "x" :exclude_patterns "*.o")
    (error invalid-argument "exclude_patterns: expected a list of strings, got a string"))
  (case *.exclusions-not-strings (tree plain)
    (call * :pattern "x" :exclude_patterns ("a" 5))
    (error invalid-argument "exclude_patterns: expected a list of strings, but element 2 is an integer")))

(case get-project-root.takes-nothing
  (call get_project_root :path ".")
  (error invalid-argument "path: unknown argument; expected none"))

;;; -- integers

(case list-directory.integral-float
  (tree (files "f" 1 5 ""))
  (call list_directory :limit 2.0)
  (reply :entries ((:name "f1") (:name "f2"))))
(case list-directory.float-with-a-fraction
  (call list_directory :limit 2.5)
  (error invalid-argument "limit: expected an integer, got a number with a fraction"))
(case list-directory.integer-as-a-string
  (call list_directory :limit "2")
  (error invalid-argument "limit: expected an integer, got a string"))
(case list-directory.limit-zero
  (call list_directory :limit 0)
  (error invalid-argument "limit: expected an integer from 1 to" "got 0"))
(case list-directory.offset-negative
  (call list_directory :offset -1)
  (error invalid-argument "offset: expected an integer from 0 to" "got -1"))
(case list-directory.depth-zero
  (call list_directory :depth 0)
  (error invalid-argument "depth: expected an integer from 1 to 256, got 0"))
(case directory-tree.all-of-it (tree plain)
  (call directory_tree :limit 0 :max_depth 0) (reply :truncated nil))
(case directory-tree.as-deep-as-possible (tree plain)
  (call directory_tree :max_depth 256) (reply :truncated nil))
(case grep-files.much-context (tree plain)
  (call grep_files :pattern "alpha" :context 100) (reply :truncated nil))
(case grep-files.too-much-context (tree plain)
  (call grep_files :pattern "alpha" :context 101)
  (error invalid-argument "context: expected an integer from 0 to 100, got 101"))
(case list-directory.depth-257
  (call list_directory :depth 257)
  (error invalid-argument "depth: expected an integer from 1 to 256, got 257"))
(case list-directory.limit-too-large
  (threats 134)
  (call list_directory :limit 9223372036854775807)
  (error invalid-argument "limit: expected an integer from 1 to 1000000000000"))
(case list-directory.limit-a-trillion
  (tree plain)
  (call list_directory :limit 1000000000000)
  (reply :total 2 :truncated nil))
(case directory-tree.negative-limit
  (call directory_tree :limit -1)
  (error invalid-argument "limit: expected an integer from 0"))
(case directory-tree.max-depth-too-large
  (call directory_tree :max_depth 257)
  (error invalid-argument "max_depth: expected an integer from 0 to 256"))
(case read-file.limit-zero
  (tree plain)
  (call read_file :path "a.txt" :limit 0)
  (error invalid-argument "limit: expected an integer from 1"))
(case read-file.line-not-a-number
  (tree plain)
  (call read_file :path "a.txt" :start_line "one")
  (error invalid-argument "start_line: expected an integer, got a string"))
(case read-bytes.offset-negative
  (tree plain)
  (call read_bytes :path "a.txt" :offset -1)
  (error invalid-argument "offset: expected an integer from 0"))

;;; -- words, booleans, lists

(case list-directory.unknown-order
  (call list_directory :sort_by "colour")
  (error invalid-argument "sort_by: expected one of name|size|modified"))
(case list-directory.order-not-a-word
  (call list_directory :sort_by 1)
  (error invalid-argument "sort_by: expected one of name|size|modified, got an integer"))
(case list-directory.order-with-nul
  (threats 5)
  (call list_directory :sort_by (cat "name" 0))
  (error invalid-argument "sort_by: expected one of name|size|modified"))
(case read-file.unknown-mode
  (tree plain)
  (call read_file :path "a.txt" :mode "upside-down")
  (error invalid-argument "mode: expected one of slice|indentation"))
(case grep-files.unknown-output
  (tree plain)
  (call grep_files :pattern "x" :output "pictures")
  (error invalid-argument "output: expected one of content|files|count"))
(case list-directory.boolean-as-a-string
  (call list_directory :show_hidden "true")
  (error invalid-argument "show_hidden: expected true or false, got a string"))
(case list-directory.boolean-as-a-number
  (call list_directory :show_hidden 1)
  (error invalid-argument "show_hidden: expected true or false, got an integer"))
(case list-directory.false
  (tree dotted)
  (call list_directory :show_hidden false)
  (reply :entries ((:path "a") (:path "a.o") (:path "node_modules") (:path "sub"))))
(case list-directory.list-in-a-bad-string
  (call list_directory :exclude_patterns "[\"a\"")
  (error invalid-argument "exclude_patterns: expected a list of strings, got a string"))
(case list-directory.list-in-a-string-of-numbers
  (call list_directory :exclude_patterns "[1]")
  (error invalid-argument "exclude_patterns: expected a list of strings, but element 1 is an integer"))
(case list-directory.empty-list-in-a-string
  (tree dotted)
  (call list_directory :exclude_patterns "[]" :show_hidden t)
  (reply :entries (has (:name ".git"))))
(case list-directory.object-for-a-list
  (call list_directory :exclude_patterns (:a 1))
  (error invalid-argument "exclude_patterns: expected a list of strings, got an object"))
(case list-directory.nested-string-array
  (threats 134)
  (call list_directory :exclude_patterns (cat (repeat "[" 3000) (repeat "]" 3000)))
  (error invalid-argument "exclude_patterns: expected a list of strings"))

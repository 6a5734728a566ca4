;;;; The conformance table: what every door to the core must do, case by case.
;;;;
;;;; These files are data that Emacs, Common Lisp and a hundred lines of C read
;;;; alike.  Three drivers run them: driver.c (which also makes and checks the
;;;; trees for the others), driver.el and driver.lisp; each case with openat2 and
;;;; with the fallback, in C with replies of both formats.
;;;;
;;;; Syntax: lists, words, :keywords, numbers, and texts in which \" and \\ are the
;;;; only escapes.  nil and () are the same.  Lower case.
;;;;
;;;;   (case NAME CLAUSE...)      NAME is `group.case`, as in group.double-star:
;;;;                              agent-q-fs-group/double-star, test_group__double_star
;;;;   (each OPS CASE...)         the cases once for each operation of the definition OPS:
;;;;                              `*` stands for it in names and calls
;;;;   (matrix NAME CLAUSE...)    the clauses once for each operation of the core's table, each of its
;;;;                              parameters that takes a path or a patch, and each spelling of
;;;;                              (place DIRECTORY FILE): parts/matrix.c has the spellings.  Other
;;;;                              arguments have the values of the definition matrix-arguments.
;;;;                              (refused WHICH CODE PART...) is what `all` operations answer, those
;;;;                              that `changes` something, or what each `declares` that may need
;;;;                              approval; (apart WORD...) names spellings and parameters, as
;;;;                              copy_file-source, that only must leave the place as it is
;;;;   (glob NAME PATTERN (PATH...) (PATH...))
;;;;                              PATTERN matches the first paths and not the others,
;;;;                              asked of search_files and of the matcher itself
;;;;   (define NAME THING...)     entries of trees, or operations with arguments of their own
;;;;
;;;; Clauses:
;;;;
;;;;   (threats N...)             which of the catalogue's threats this is
;;;;   (only root) (only nobody)  skipped for others, and counted as skipped
;;;;   (folding)                  only in a directory that folds letter case, through the C door
;;;;   (doors c emacs lisp)       only at these doors of c, mcp, emacs and lisp, where not all
;;;;                              can say it
;;;;   (not-in (BACKEND REASON)...)
;;;;                              not in memory, or in a session; see also backends.h
;;;;   (tree ENTRY...)            what there is before; see below
;;;;   (options :KEY VALUE...)    what the workspace is opened with beside :root, which
;;;;                              is (root) unless given
;;;;   (call OPERATION :ARGUMENT VALUE...)
;;;;                              without it the case is about opening
;;;;   (how :authority WORD)      how the call is made: with this authority (safe otherwise);
;;;;   (how :origin WORD)         for a person (so otherwise), or for a model;
;;;;   (how :preview t)           as a preview;
;;;;   (how :digest TEXT)         approved, with this digest;
;;;;   (how :approved t)          previewed, and then committed with the digest of that
;;;;   (preview OPERATION :ARGUMENT VALUE...)
;;;;                              what is previewed, where that is not the call itself
;;;;   (meanwhile ENTRY...)       what somebody else does between the preview and the call,
;;;;                              and what is there afterwards too
;;;;   (reply :KEY VALUE...)      these members, compared as below; others may be there.
;;;;                              nil: false, empty or absent
;;;;   (error CODE PART... :KEY VALUE...)
;;;;                              the parts occur in the message
;;;;   (refused CODE...)          an error with one of these codes
;;;;   (any)                      any outcome: the case is about what is there afterwards
;;;;   (never TEXT...)            nowhere in the reply, whatever its outcome
;;;;   (after ENTRY...)           what is there afterwards instead of before, or (gone PATH);
;;;;                              at (free PATH) may be anything, and links are not counted.
;;;;                              All else is as it was: bytes, modes, targets, times;
;;;;                              without this clause that is everything, inside and outside
;;;;
;;;; Arguments: texts, numbers, t, false, null, lists of them, (:key value) for an object.
;;;;
;;;; Texts: "abc", or
;;;;   (cat PART...)              parts one after another; a number is a byte
;;;;   (lines TEXT...)            each with a newline behind it
;;;;   (repeat TEXT N)   (char N) N times; the character with code point N
;;;;   (root)   (base)            the directory opened; the one it is in
;;;;
;;;; Expected values: a list of keywords and values is a map, of which the keys given
;;;; are compared; other lists are compared item by item; or
;;;;   (any)                      anything but nil
;;;;   (contains TEXT...)         a text with all of these, (without TEXT...) with none
;;;;   (like TEXT)                a text in which each ? is any character
;;;;   (has VALUE...)             a list with such items among others, (lacks VALUE...) without
;;;;
;;;; Entries, relative to (root), made with their parents and in this order:
;;;;   (file PATH TEXT) (dir PATH) (link PATH TARGET) (hardlink PATH OLD) (fifo PATH)
;;;;   (socket PATH) (device PATH) (sparse PATH SIZE) (files PREFIX FROM TO TEXT)
;;;;   (chain PREFIX N TARGET)    N links, PREFIX1 to PREFIX2 and so on to TARGET
;;;;   (mode PATH "0640") (mtime PATH SECONDS)
;;;;   (move PATH NEW)            what is there gets another name
;;;;   NAME                       the entries of a definition
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- operations

;; Operations that take any path.  grep_files looks for words that only files outside have.
(define every-operation
  list_directory list_dir directory_tree get_file_info file_exists read_file read_bytes
  (search_files :pattern "**") (grep_files :pattern "TOPSECRET")
  (list_forms :dialect "scheme") (read_form :dialect "scheme" :line 1))

;; Operations that go where a link leads, and not one step less: get_file_info describes a link that leads out.
(define link-followers
  list_directory list_dir directory_tree file_exists read_file read_bytes
  (search_files :pattern "**") (grep_files :pattern "TOPSECRET")
  (list_forms :dialect "scheme") (read_form :dialect "scheme" :line 1))

;; Operations that open the named file.  The other two also tell about files that cannot be opened.
(define openers
  list_directory list_dir directory_tree read_file read_bytes
  (search_files :pattern "**") (grep_files :pattern "TOPSECRET")
  (list_forms :dialect "scheme") (read_form :dialect "scheme" :line 1))

;; Operations that take a directory, and nothing else.
(define directory-operations
  list_directory list_dir directory_tree (search_files :pattern "**"))

;; Operations that name the directory in their reply.
(define listings list_directory list_dir directory_tree)

;; Operations that take a file and name it in their reply.
(define file-operations get_file_info file_exists read_file read_bytes)

(define readers read_file read_bytes)

;; Operations that take a path, and have no other parameter without a default.
(define path-operations
  list_directory list_dir directory_tree get_file_info file_exists read_file read_bytes list_forms
  read_form)

;; Operations that have a source and a destination.
(define movers move_file copy_file)

;;; -- trees

(define plain
  (file "a.txt" (lines "alpha" "beta" "gamma"))
  (file "sub/b.txt" (lines "bravo"))
  (file "sub/deep/c.txt" (lines "charlie")))

;; Files that nobody may reach, and files that must not change.
(define outside
  (file "../outside/secret.txt" (lines "TOPSECRET"))
  (file "../outside/dir/more.txt" (lines "TOPSECRET"))
  (file "../project-evil/secret.txt" (lines "TOPSECRET"))
  (mode "../outside/secret.txt" "0604"))

;; Files that git takes for a repository, and programs for their settings.
(define repository
  (file ".git/HEAD" (lines "ref: refs/heads/main")) (file ".git/config" (lines "TOP"))
  (dir ".git/objects") (dir ".git/refs"))

;; The same under a name of its own.
(define store
  (file "store/HEAD" (lines "ref: refs/heads/main")) (file "store/config" (lines "TOP"))
  (file "store/hooks/old" (lines "TOP")) (dir "store/objects") (dir "store/refs"))

;; A project with a part that is off limits: (options :restricted_paths ("secret")).
(define secret
  plain
  (file "secret/key.txt" (lines "TOPSECRET"))
  (file "secret/deep/key.txt" (lines "TOPSECRET"))
  (link "ls" "secret")
  (link "lk" "secret/key.txt")
  (link "secret/back" "../a.txt"))

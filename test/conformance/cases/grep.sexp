;;;; grep_files.
;;;;
;;;; SPDX-License-Identifier: MIT

(define words
  (file "a.txt" (lines "alpha beta" "gamma" "beta beta"))
  (file "b.c" (lines "int beta;" "Beta"))
  (file "d/c.txt" (lines "no such word"))
  (file "d/e.c" (lines "beta")))

;;; -- what comes

(case grep-files.matches
  (tree words)
  (call grep_files :pattern "beta")
  (reply :matches ((:path "a.txt" :line 1 :text "alpha beta" :start 6 :end 10)
                   (:path "a.txt" :line 3 :text "beta beta" :start 0 :end 4)
                   (:path "b.c" :line 1 :text "int beta;" :start 4 :end 8)
                   (:path "d/e.c" :line 1 :text "beta" :start 0 :end 4))
         :total 4 :files 3 :truncated nil
         :text (lines "a.txt:1:alpha beta" "a.txt:3:beta beta" "b.c:1:int beta;" "d/e.c:1:beta")))
(case grep-files.in-a-directory
  (tree words)
  (call grep_files :pattern "beta" :path "d")
  (reply :matches ((:path "d/e.c" :line 1)) :total 1))
(case grep-files.in-a-file
  (tree words)
  (call grep_files :pattern "beta" :path "a.txt")
  (reply :matches ((:path "a.txt" :line 1) (:path "a.txt" :line 3)) :total 2 :files 1))
(case grep-files.sorted-by-path
  (threats 112)
  (tree (file "b/x" "w") (file "b.x" "w") (file "b-x" "w") (file "a" "w") (file "B" "w"))
  (call grep_files :pattern "w")
  (reply :matches ((:path "B") (:path "a") (:path "b-x") (:path "b.x") (:path "b/x"))))
(case grep-files.files
  (tree words)
  (call grep_files :pattern "beta" :output "files")
  (reply :paths ("a.txt" "b.c" "d/e.c") :total 3 :files 3 :truncated nil
         :text (lines "a.txt" "b.c" "d/e.c")))
(case grep-files.count
  (tree words)
  (call grep_files :pattern "beta" :output "count")
  (reply :counts ((:path "a.txt" :count 2) (:path "b.c" :count 1) (:path "d/e.c" :count 1))
         :total 4 :files 3 :text (lines "a.txt:2" "b.c:1" "d/e.c:1" "[4 matching lines in 3 files]")))
(case grep-files.nothing
  (tree words)
  (call grep_files :pattern "delta")
  (reply :matches () :total 0 :files 0 :truncated nil :text (contains "No matches for delta")))
(case grep-files.limit
  (threats 112)
  (tree words)
  (call grep_files :pattern "beta" :limit 2)
  (reply :matches ((:path "a.txt" :line 1) (:path "a.txt" :line 3)) :total 2 :truncated t
         :text (contains "[truncated")))
(case grep-files.limit-of-exactly-all
  (tree words)
  (call grep_files :pattern "beta" :limit 4)
  (reply :total 4 :truncated nil))
(case grep-files.limit-of-files
  (tree words)
  (call grep_files :pattern "beta" :output "files" :limit 1)
  (reply :paths ("a.txt") :truncated t))
(case grep-files.200-by-default
  (tree (file "f" (repeat (cat "x" 10) 300)))
  (call grep_files :pattern "x")
  (reply :total 200 :truncated t))
(case grep-files.limit-is-an-option
  (tree words)
  (options :limits (:grep_matches 2))
  (call grep_files :pattern "beta")
  (reply :total 2 :truncated t))
(case grep-files.reply-is-bounded
  (tree (file "f" (repeat (cat (repeat "x" 100) 10) 300)))
  (options :limits (:reply_bytes 4096))
  (call grep_files :pattern "x" :limit 1000)
  (reply :truncated t :text (contains "[truncated")))

;;; -- several places

(case grep-files.paths
  (tree words (file "d-x" (lines "beta")))
  (call grep_files :pattern "beta" :paths ("d" "b.c" "d-x"))
  (reply :matches ((:path "b.c" :line 1) (:path "d-x" :line 1) (:path "d/e.c" :line 1))
         :total 3 :files 3 :searched 4 :truncated nil
         :text (lines "b.c:1:int beta;" "d-x:1:beta" "d/e.c:1:beta")))
(case grep-files.paths-of-one
  (tree words)
  (call grep_files :pattern "beta" :paths "d")
  (reply :matches ((:path "d/e.c" :line 1)) :total 1))
(case grep-files.paths-each-once
  (tree words)
  (call grep_files :pattern "beta" :paths ("a.txt" "d/e.c" "d" "." "d" "a.txt"))
  (reply :matches ((:path "a.txt" :line 1) (:path "a.txt" :line 3) (:path "b.c" :line 1)
                   (:path "d/e.c" :line 1))
         :total 4 :searched 4))
(case grep-files.paths-of-one-file-twice
  (tree words (link "l" "a.txt"))
  (call grep_files :pattern "alpha" :paths ("a.txt" "l" "a.txt"))
  (reply :matches ((:path "a.txt" :line 1)) :total 1 :searched 1))
;; A place that the search of a directory leaves out is searched where it is named itself.
(case grep-files.paths-below-each-other-that-were-left-out
  (tree (file ".gitignore" (lines "out/" "*.o")) (file "out/a" (lines "x")) (file "b.o" (lines "x"))
        (file "c" (lines "x")) (file "out/deep/d" (lines "x")))
  (call grep_files :pattern "x" :paths ("." "out" "out/deep" "b.o"))
  (reply :matches ((:path "c") (:path "b.o") (:path "out/a") (:path "out/deep/d"))
         :total 4 :searched 5 :ignored 2))
(case grep-files.paths-and-include
  (tree words)
  (call grep_files :pattern "beta" :paths ("." "b.c" "a.txt") :include "*.txt")
  (reply :matches ((:path "a.txt" :line 1) (:path "a.txt" :line 3) (:path "b.c" :line 1)) :total 3))
(case grep-files.paths-by-count
  (tree words)
  (call grep_files :pattern "beta" :paths ("d" "b.c" "a.txt") :output "count" :sort_by "count")
  (reply :counts ((:path "a.txt" :count 2) (:path "b.c" :count 1) (:path "d/e.c" :count 1)) :total 4))
(case grep-files.paths-and-their-files
  (tree words)
  (call grep_files :pattern "beta" :paths ("d" "b.c") :output "files")
  (reply :paths ("b.c" "d/e.c") :text (lines "b.c" "d/e.c")))
(case grep-files.paths-and-limit
  (threats 112)
  (tree words)
  (call grep_files :pattern "beta" :paths ("d" "b.c" "a.txt") :limit 2)
  (reply :matches ((:path "a.txt" :line 1) (:path "a.txt" :line 3)) :total 2 :truncated t
         :text (contains "[truncated")))
(case grep-files.paths-and-exactly-all
  (tree words)
  (call grep_files :pattern "beta" :paths ("d" "b.c") :limit 2)
  (reply :matches ((:path "b.c") (:path "d/e.c")) :total 2 :truncated nil))
(case grep-files.paths-of-many-files
  (tree (file "a/f" (repeat (cat "x" 10) 3)) (dir "b") (file "c/f" (lines "x")))
  (call grep_files :pattern "x" :paths ("c" "b" "a") :output "count")
  (reply :counts ((:path "a/f" :count 3) (:path "c/f" :count 1)) :total 4))
(case grep-files.paths-and-none-matches
  (tree words)
  (call grep_files :pattern "zeta" :paths ("d" "b.c"))
  (reply :matches () :searched 3 :text (contains "No matches for zeta (3 files searched)")))
(case grep-files.paths-and-include-that-matches-none
  (tree words)
  (call grep_files :pattern "beta" :paths ("d" ".") :include "*.zip")
  (reply :matches () :hint (contains "include matches no file")))
;; Nothing is searched where one of them is wrong.
(case grep-files.paths-one-of-which-is-missing
  (tree words)
  (call grep_files :pattern "beta" :paths ("a.txt" "none"))
  (error not-found "Path 'none' does not exist"))
(case grep-files.paths-one-of-which-leads-out
  (threats 10)
  (tree outside words (link "lo" "../outside"))
  (call grep_files :pattern "TOP" :paths ("d" "lo"))
  (error outside-root) (never "TOPSECRET"))
(case grep-files.paths-one-of-which-is-restricted
  (tree secret)
  (options :restricted_paths ("secret"))
  (call grep_files :pattern "TOP" :paths ("." "secret"))
  (error restricted) (never "TOPSECRET"))
(case grep-files.paths-and-restricted
  (tree secret)
  (options :restricted_paths ("secret"))
  (call grep_files :pattern "TOP" :paths ("." "a.txt"))
  (reply :total 0) (never "TOPSECRET"))
(case grep-files.paths-and-a-secret
  (threats 152)
  (tree (file ".env" "TOPSECRET") (file "a" (lines "TOP")) (file ".aws/credentials" "TOPSECRET"))
  (how :origin model) (how :authority dangerous)
  (call grep_files :pattern "TOP" :paths ("." ".env"))
  (error approval-required "Path '.env' is secret") (never "TOPSECRET"))
(case grep-files.paths-and-a-secret-directory
  (threats 152)
  (tree (file "a" (lines "TOP")) (file ".aws/credentials" "TOPSECRET"))
  (how :origin model) (how :authority dangerous)
  (call grep_files :pattern "TOP" :paths ("." ".aws"))
  (error approval-required "Path '.aws' is secret") (never "TOPSECRET"))
(case grep-files.paths-leave-secrets-out
  (threats 152)
  (tree (file ".env" "TOPSECRET") (file "a" (lines "TOP")) (file "d/.env" "TOPSECRET"))
  (how :origin model)
  (call grep_files :pattern "TOP" :paths ("d" "." "a"))
  (reply :matches ((:path "a")) :secret 2) (never "TOPSECRET"))
(case grep-files.paths-and-path
  (tree words)
  (call grep_files :pattern "beta" :path "d" :paths ("a.txt"))
  (error invalid-argument "Give either path or paths, not both"))
(case grep-files.no-paths
  (tree words)
  (call grep_files :pattern "beta" :paths ())
  (error invalid-argument "paths: expected from 1 to 50"))
(case grep-files.paths-that-are-none
  (tree words)
  (call grep_files :pattern "beta" :paths ("a.txt" ""))
  (error invalid-argument))
(case grep-files.paths-null
  (tree words)
  (call grep_files :pattern "gamma" :paths null)
  (reply :total 1))

;;; -- lines around, each side for itself

(define numbers (file "n" (lines "1" "2" "3 x" "4" "5" "6" "7 x" "8")))
(case grep-files.before
  (tree numbers)
  (call grep_files :pattern "x" :before 1)
  (reply :matches ((:line 3 :before ("2") :after ()) (:line 7 :before ("6") :after ()))
         :text (lines "n-2-2" "n:3:3 x" "--" "n-6-6" "n:7:7 x")))
(case grep-files.after
  (tree numbers)
  (call grep_files :pattern "x" :after 2)
  (reply :matches ((:line 3 :before () :after ("4" "5")) (:line 7 :after ("8")))
         :text (lines "n:3:3 x" "n-4-4" "n-5-5" "--" "n:7:7 x" "n-8-8")))
(case grep-files.before-instead-of-context
  (tree numbers)
  (call grep_files :pattern "7" :context 1 :before 0)
  (reply :text (lines "n:7:7 x" "n-8-8")))
(case grep-files.before-out-of-range
  (tree numbers)
  (call grep_files :pattern "7" :before 101)
  (error invalid-argument "before: expected an integer from 0 to 100"))

;;; -- matches of several lines

(define functions
  (file "a.c" (lines "int f(" "    int x)" "{" "}" "" "int g(int y)" "{" "}")))
(case grep-files.multiline
  (tree functions)
  (call grep_files :pattern "\\w+\\([^)]*\\)\\n\\{" :multiline t)
  (reply :matches ((:path "a.c" :line 1 :end-line 3 :text (cat "int f(" 10 "    int x)" 10 "{")
                    :start 4 :end 19)
                   (:path "a.c" :line 6 :end-line 7 :text (cat "int g(int y)" 10 "{")))
         :total 2 :files 1
         :text (lines "a.c:1:int f(" "a.c:2:    int x)" "a.c:3:{" "a.c:6:int g(int y)" "a.c:7:{")))
(case grep-files.multiline-with-lines-around
  (tree functions)
  (call grep_files :pattern "f\\(\\n.*x" :multiline t :after 1)
  (reply :matches ((:line 1 :end-line 2 :before () :after ("{")))
         :text (lines "a.c:1:int f(" "a.c:2:    int x)" "a.c-3-{")))
(case grep-files.multiline-dot-is-no-newline
  (tree functions)
  (call grep_files :pattern "f.*g" :multiline t)
  (reply :total 0))
(case grep-files.multiline-dot-all
  (tree functions)
  (call grep_files :pattern "(?s)f.*?g" :multiline t :output "count")
  (reply :counts ((:path "a.c" :count 1))))
(case grep-files.multiline-literal
  (tree functions)
  (call grep_files :pattern (cat ")" 10 "{") :multiline t :literal t)
  (reply :matches ((:line 2 :end-line 3) (:line 6 :end-line 7))))
(case grep-files.multiline-and-crlf
  (tree (file "a" (cat "one" 13 10 "two" 13 10 "three" 10)))
  (call grep_files :pattern "one\\ntwo$" :multiline t)
  (reply :matches ((:line 1 :end-line 2 :text (cat "one" 10 "two")))))
(case grep-files.multiline-ends-with-its-newline
  (tree (file "a" (lines "one" "two")))
  (call grep_files :pattern "one\\n" :multiline t)
  (reply :matches ((:line 1 :end-line 1 :text "one")) :text (lines "a:1:one")))
(case grep-files.multiline-lines-are-lines
  (tree (file "a" (lines "one" "two" "")))
  (call grep_files :pattern "^$" :multiline t)
  (reply :matches ((:line 3 :end-line 3 :text ""))))
(case grep-files.multiline-looks-back
  (tree (file "a" (lines "x" "x" "x")))
  (call grep_files :pattern "(?<=x\\n)x" :multiline t)
  (reply :matches ((:line 2) (:line 3))))
(case grep-files.multiline-of-many-lines-is-cut
  (tree (file "a" (repeat (lines "x") 300)))
  (call grep_files :pattern "(?s).*" :multiline t)
  (reply :matches ((:line 1 :end-line 300))
         :text (contains "a:100:x" "[the match goes on to line 300]")))
(case grep-files.multiline-not-utf-8
  (tree (file "a" (cat "a" 255 10 "b" 10)))
  (call grep_files :pattern "a.\\nb" :multiline t)
  (reply :matches ((:line 1 :end-line 2))))
(case grep-files.multiline-hostile
  (threats 110)
  (tree (file "a" (repeat "a" 20000)))
  (options :limits (:regex_steps 100000 :time_ms 5000))
  (call grep_files :pattern "(a+)+\\n!" :multiline t)
  (any))

;;; -- kinds of files, and most first

(case grep-files.file-types
  (tree (file "a.c" "x") (file "a.py" "x") (file "Makefile" "x") (file "b.H" "x") (file "c.h" "x"))
  (call grep_files :pattern "x" :file_types ("c" "make") :output "files")
  (reply :paths ("Makefile" "a.c" "c.h")))
(case grep-files.file-types-and-include
  (tree (file "a.c" "x") (file "b.c" "x"))
  (call grep_files :pattern "x" :file_types "c" :include "b*" :output "files")
  (reply :paths ("b.c")))
(case grep-files.file-types-of-none
  (tree (file "a.c" "x"))
  (call grep_files :pattern "x" :file_types ("rust"))
  (reply :total 0 :hint (contains "no file below that path is of these file_types")))
(case grep-files.file-type-unknown
  (tree words)
  (call grep_files :pattern "x" :file_types ("cobol"))
  (error invalid-argument "file_types: expected some of asm, c, clojure" "not cobol"
         :hint (contains "include")))
(case grep-files.most-first
  (tree (file "a" (lines "x")) (file "b" (lines "x" "x" "x")) (file "c" (lines "x")))
  (call grep_files :pattern "x" :output "count" :sort_by "count")
  (reply :counts ((:path "b" :count 3) (:path "a" :count 1) (:path "c" :count 1)) :total 5 :files 3
         :text (lines "b:3" "a:1" "c:1" "[5 matching lines in 3 files]")))
(case grep-files.most-first-and-no-more
  (tree (file "a" (lines "x")) (file "b" (lines "x" "x" "x")) (file "c" (lines "x" "x")))
  (call grep_files :pattern "x" :output "count" :sort_by "count" :limit 2)
  (reply :counts ((:path "b") (:path "c")) :total 6 :files 3 :truncated t))
(define kinds-of-files
  (file "a.c" (lines "x" "x" "x")) (file "b.c" (lines "x")) (file "c.c" (lines "x"))
        (file "d.c" (lines "x")) (file "e.c" (lines "x")) (file "d.d/f" (lines "x"))
        (file ".g" (lines "x")) (file "h.md" (lines "x" "x")) (file "i.tar.md" (lines "x"))
        (file "j.no ext" (lines "x")))
(case grep-files.by-extension
  (tree kinds-of-files) (call grep_files :pattern "x" :output "count")
  (reply :total 13 :files 10
         :text (contains "[13 matching lines in 10 files]"
                         "[by extension: .c 7 in 5 files, none 3 in 3 files, .md 3 in 2 files]")))
(case grep-files.by-extension-beyond-the-limit
  (tree kinds-of-files) (call grep_files :pattern "x" :output "count" :limit 2)
  (reply :truncated t :text (contains "[by extension: .c 7 in 5 files, none 3 in 3 files")))
(case grep-files.of-one-extension-nothing-is-said
  (tree kinds-of-files) (call grep_files :pattern "x" :output "count" :include ("*.c"))
  (reply :files 5 :text (lines "a.c:3" "b.c:1" "c.c:1" "d.c:1" "e.c:1" "[7 matching lines in 5 files]")))
(case grep-files.most-first-of-lines
  (tree words)
  (call grep_files :pattern "x" :sort_by "count")
  (error invalid-argument "sort_by: expected path"))

;;; -- which files

(case grep-files.include-basename
  (tree words)
  (call grep_files :pattern "beta" :include "*.c")
  (reply :matches ((:path "b.c") (:path "d/e.c"))))
(case grep-files.include-path
  (tree words)
  (call grep_files :pattern "beta" :include "d/*")
  (reply :matches ((:path "d/e.c"))))
(case grep-files.include-path-is-relative-to-the-directory
  (tree (file "x/d/f" "w") (file "d/f" "w"))
  (call grep_files :pattern "w" :path "x" :include "d/*")
  (reply :matches ((:path "x/d/f"))))
(case grep-files.include-deep
  (tree words)
  (call grep_files :pattern "beta" :include "**/*.c")
  (reply :matches ((:path "b.c") (:path "d/e.c"))))
(case grep-files.include-nothing
  (tree words)
  (call grep_files :pattern "beta" :include "*.lisp")
  (reply :matches () :hint (contains "include")))
(case grep-files.include-with-braces
  (threats 52)
  (tree words)
  (call grep_files :pattern "beta" :include "*.{c,h}")
  (reply :matches () :hint (contains "is not alternation here")))
(case grep-files.include-several
  (tree (file "a.c" "beta") (file "d/b.h" "beta") (file "c.el" "beta") (file "e/f" "beta"))
  (call grep_files :pattern "beta" :include ("*.c" "*.h" "e/*"))
  (reply :matches ((:path "a.c") (:path "d/b.h") (:path "e/f"))))
(case grep-files.include-several-in-a-string
  (tree (file "a.c" "beta") (file "b.h" "beta") (file "c.el" "beta"))
  (call grep_files :pattern "beta" :include "[\"*.c\", \"*.h\"]")
  (reply :matches ((:path "a.c") (:path "b.h"))))
(case grep-files.include-an-empty-list
  (tree (file "a.c" "beta"))
  (call grep_files :pattern "beta" :include ())
  (reply :matches ((:path "a.c"))))
(case grep-files.include-an-empty-string
  (tree (file "a.c" "beta"))
  (call grep_files :pattern "beta" :include "")
  (reply :matches ((:path "a.c"))))
(case grep-files.include-of-numbers
  (tree (file "a.c" "beta"))
  (call grep_files :pattern "beta" :include (1))
  (error invalid-argument "include: expected a list of strings" "element 1 is an integer"))
(case grep-files.include-with-braces-says-what-to-do
  (tree (file "a.c" "beta"))
  (call grep_files :pattern "beta" :include ("*.el" "*.{c,h}"))
  (reply :matches () :hint (contains "give a list")))
(case grep-files.the-end-of-a-line-whatever-its-ending
  (tree (file "f" (cat "both endings" 13 10 "x" 10 "both endings" 10 "both endings!" 13 10)))
  (call grep_files :pattern "^both endings$")
  (reply :matches ((:line 1 :text "both endings") (:line 3 :text "both endings"))))
(case grep-files.the-end-of-a-line-after-others-in-lf
  (tree (file "f" (cat "a" 10 "b" 10 "gamma" 13 10)))
  (call grep_files :pattern "gamma$" :output "count")
  (reply :counts ((:path "f" :count 1))))
(case grep-files.a-carriage-return-can-still-be-sought
  (tree (file "f" (cat "a" 13 10 "b" 10)))
  (call grep_files :pattern "\\r$")
  (reply :matches ((:line 1))))
(case grep-files.many-matches-are-counted
  (tree (file "a" (repeat (cat "beta" 10) 9)) (file "b" "beta"))
  (call grep_files :pattern "beta")
  (reply :total 10 :files 2 :text (contains "b:1:beta" "[10 matching lines in 2 files]")))
(case grep-files.few-matches-are-not-counted
  (tree (file "a" (repeat (cat "beta" 10) 9)))
  (call grep_files :pattern "beta")
  (reply :total 9 :text (without "lines in")))
(case grep-files.counts-are-added-up
  (tree (file "a" (lines "beta" "beta")) (file "b" "beta"))
  (call grep_files :pattern "beta" :output "count")
  (reply :text (lines "a:2" "b:1" "[3 matching lines in 2 files]")))
(case grep-files.include-with-nul
  (threats 5)
  (tree words)
  (call grep_files :pattern "beta" :include (cat "a" 0))
  (error invalid-argument "NUL"))
(case grep-files.excludes-git
  (tree (file ".git/config" "beta") (file "a" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path "a"))))
(case grep-files.excludes-by-basename
  (tree words)
  (call grep_files :pattern "beta" :exclude_patterns ("*.c"))
  (reply :matches ((:path "a.txt") (:path "a.txt"))))
(case grep-files.excludes-nothing
  (tree (file ".git/config" "beta") (file "a" "beta"))
  (call grep_files :pattern "beta" :exclude_patterns ())
  (reply :matches ((:path ".git/config") (:path "a"))))
(case grep-files.dotfiles-are-searched
  (tree (file ".hidden" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path ".hidden"))))
(case grep-files.ignored
  (threats 110)
  (tree (file ".gitignore" (lines "a" "!b" "/c" (cat 255 254))) (file "a" "beta") (file "b" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path "b")) :ignored 1 :text (lines "b:1:beta" "[1 ignored entry left out]")))
(case grep-files.ignored-nothing-else
  (tree (file ".gitignore" (lines "a")) (file "a" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches () :ignored 1
         :text (lines "No matches for beta (1 file searched)"
                      "[1 ignored entry left out; ignored=true looks at them, too]")))
(case grep-files.ignored-on-request
  (tree (file ".gitignore" (lines "a")) (file "a" "beta") (file "b" "beta"))
  (call grep_files :pattern "beta" :ignored t)
  (reply :matches ((:path "a") (:path "b")) :ignored nil))
(case grep-files.ignored-file-that-is-named
  (tree (file ".gitignore" (lines "a")) (file "a" "beta"))
  (call grep_files :pattern "beta" :path "a")
  (reply :matches ((:path "a")) :ignored nil))
(case grep-files.ignored-directory-that-is-named
  (tree (file ".gitignore" (lines "/out/" "*.o")) (file "out/a.o" "beta") (file "out/d/b" "beta"))
  (call grep_files :pattern "beta" :path "out/d")
  (reply :matches ((:path "out/d/b"))))
(case grep-files.binary-files-are-skipped
  (tree (file "a" (cat "beta" 0 "x")) (file "b" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path "b")) :binary 1))
(case grep-files.links-are-not-followed
  (threats 10 14)
  (tree outside (link "lo" "../outside") (link "lf" "../outside/secret.txt") (link "up" ".")
        (file "a" "x"))
  (call grep_files :pattern "TOPSECRET")
  (reply :matches () :total 0))
(case grep-files.fifos-and-sockets-are-skipped
  (threats 26 27)
  (tree (fifo "p") (socket "s") (file "a" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path "a"))))
(case grep-files.sparse-file-is-bounded
  (threats 28)
  (tree (sparse "f" 1099511627776) (file "a" "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path "a"))))
(case grep-files.unreadable-files-are-counted
  (threats 89)
  (only nobody)
  (tree (file "a" "beta") (file "b" "beta") (mode "b" "0000") (file "d/c" "beta") (mode "d" "0000"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path "a")) :unreadable 2))
(case grep-files.strange-names
  (threats 56)
  (tree (file (cat "a" 10 "b") "beta") (file (cat 255 "q") "beta"))
  (call grep_files :pattern "beta")
  (reply :matches ((:path (cat "a" 10 "b")) (:path "\"\\377q\""))
         :text (lines "\"a\\nb\":1:beta" "\"\\377q\":1:beta")))

;;; -- patterns

(case grep-files.regexp
  (tree words)
  (call grep_files :pattern "^(int|no)\\s+\\w+")
  (reply :matches ((:path "b.c" :start 0 :end 8) (:path "d/c.txt" :start 0 :end 7))))
(case grep-files.ignore-case
  (tree words)
  (call grep_files :pattern "BETA" :ignore_case t :path "b.c")
  (reply :matches ((:line 1) (:line 2))))
(case grep-files.ignore-case-of-unicode
  (tree (file "f" (lines (cat (char 201) "t" (char 201)))))
  (call grep_files :pattern (cat (char 233) "T" (char 233)) :ignore_case t)
  (reply :matches ((:start 0 :end 5))))
(case grep-files.literal
  (tree (file "f" (lines "a.b" "axb" "(x)" "[" "a*")))
  (call grep_files :pattern "a.b" :literal t)
  (reply :matches ((:line 1))))
(case grep-files.literal-of-everything-special
  (tree (file "f" (lines "\\E.*+?()[]{}|^$\\Q")))
  (call grep_files :pattern "\\E.*+?()[]{}|^$\\Q" :literal t)
  (reply :matches ((:line 1 :start 0))))
(case grep-files.offsets-are-bytes
  (threats 55)
  (tree (file "f" (lines (cat (char 233) (char 128512) "x"))))
  (call grep_files :pattern "x")
  (reply :matches ((:start 6 :end 7))))
(case grep-files.anchors-are-of-lines
  (tree (file "f" (lines "ab" "b" "cb")))
  (call grep_files :pattern "^b$")
  (reply :matches ((:line 2))))
(case grep-files.last-line-without-newline
  (tree (file "f" (cat "a" 10 "b")))
  (call grep_files :pattern "b$")
  (reply :matches ((:line 2 :text "b"))))
(case grep-files.crlf
  (tree (file "f" (cat "ab" 13 10 "cb" 13 10)))
  (call grep_files :pattern "b$")
  (reply :matches ((:line 1 :text "ab" :start 1 :end 2) (:line 2 :text "cb"))))
(case grep-files.empty-file
  (tree (file "f" ""))
  (call grep_files :pattern "")
  (reply :matches ()))
(case grep-files.empty-pattern
  (threats 111)
  (tree (file "f" (lines "a" "" "b")))
  (call grep_files :pattern "")
  (reply :matches ((:line 1) (:line 2) (:line 3))))
(case grep-files.empty-matches-end
  (threats 111)
  (tree (file "f" (lines "aaa")))
  (call grep_files :pattern "x*")
  (reply :matches ((:line 1 :start 0 :end 0)) :total 1))
(case grep-files.lookaround
  (threats 111)
  (tree (file "f" (lines "foobar" "foobaz")))
  (call grep_files :pattern "foo(?=baz)")
  (reply :matches ((:line 2 :start 0 :end 3))))
(case grep-files.lookbehind
  (threats 111)
  (tree (file "f" (lines "foobar" "xbar")))
  (call grep_files :pattern "(?<!foo)bar")
  (reply :matches ((:line 2))))
(case grep-files.backreference
  (threats 111)
  (tree (file "f" (lines "abab" "abba")))
  (call grep_files :pattern "^(ab)\\1$")
  (reply :matches ((:line 1))))
(case grep-files.pattern-with-newline-spans-no-lines
  (threats 111)
  (tree (file "f" (lines "a" "b")))
  (call grep_files :pattern "a\\nb")
  (reply :matches () :hint (any)))
(case grep-files.no-class-crosses-a-line
  (threats 111)
  (tree (file "f" (lines "a" "b")))
  (call grep_files :pattern "a[^x]b|a\\sb|a\\Wb|(?s)a.b")
  (reply :matches ()))
(case grep-files.reset-start
  (threats 111)
  (tree (file "f" (lines "foobar")))
  (call grep_files :pattern "foo\\Kbar")
  (reply :matches ((:line 1 :start 3 :end 6))))
(case grep-files.unicode-classes
  (tree (file "f" (lines (cat (char 955) "x"))))
  (call grep_files :pattern "^\\w\\w$")
  (reply :matches ((:start 0 :end 3))))
(case grep-files.bytes-that-are-no-utf-8
  (threats 55)
  (tree (file "f" (cat "un caf" 233 " au lait" 10)))
  (call grep_files :pattern "caf. au")
  (reply :matches ((:text (cat "un caf" (char 65533) " au lait") :start 3 :end 10))))

;;; -- context

(case grep-files.context
  (tree (file "f" (lines "1" "2" "x" "4" "5" "6" "7" "8" "x")))
  (call grep_files :pattern "x" :context 1)
  (reply :matches ((:line 3 :before ("2") :after ("4")) (:line 9 :before ("8") :after ()))
         :text (lines "f-2-2" "f:3:x" "f-4-4" "--" "f-8-8" "f:9:x")))
(case grep-files.context-at-the-ends
  (threats 111)
  (tree (file "f" (lines "x" "y")))
  (call grep_files :pattern "x" :context 100)
  (reply :matches ((:line 1 :before () :after ("y"))) :text (lines "f:1:x" "f-2-y")))
(case grep-files.context-that-overlaps
  (threats 111)
  (tree (file "f" (lines "x" "y" "x")))
  (call grep_files :pattern "x" :context 2)
  (reply :text (lines "f:1:x" "f-2-y" "f:3:x")))
(case grep-files.context-too-large
  (tree words)
  (call grep_files :pattern "x" :context 101)
  (error invalid-argument "context: expected an integer from 0 to 100, got 101"))

;;; -- patterns that mean harm

(case grep-files.bad-pattern
  (tree words)
  (call grep_files :pattern "a(b")
  (error invalid-argument "pattern"))
(case grep-files.bad-range
  (threats 52)
  (tree words)
  (call grep_files :pattern "[z-a]")
  (error invalid-argument "pattern"))
(case grep-files.bad-class
  (threats 52)
  (tree words)
  (call grep_files :pattern "[[:bogus:]]")
  (error invalid-argument "pattern"))
(case grep-files.nested-quantifiers
  (threats 53)
  (tree (file "f" (repeat (cat (repeat "a" 40) 10) 1000)))
  (options :limits (:time_ms 60000))
  (call grep_files :pattern "(a+)+$b")
  (reply :matches ()))
(case grep-files.catastrophic
  (threats 53)
  (tree (file "f" (repeat (cat (repeat "a" 40) "b" 10) 2000)))
  (options :limits (:regex_steps 1000))
  (call grep_files :pattern "^(a|a)*[cd]$")
  (reply :matches () :truncated t :stopped "limit" :text (contains "[stopped: ")))
(case grep-files.limits-in-the-pattern
  (threats 54)
  (tree words)
  (call grep_files :pattern "(*LIMIT_MATCH=4000000000)beta")
  (error invalid-argument "pattern"))
(case grep-files.utf-in-the-pattern
  (threats 54)
  (tree words)
  (call grep_files :pattern "(*UTF)beta")
  (error invalid-argument "pattern"))
(case grep-files.no-jit-in-the-pattern
  (threats 54)
  (tree words)
  (call grep_files :pattern "(*NO_JIT)beta")
  (error invalid-argument "pattern"))
(case grep-files.single-bytes
  (threats 54)
  (tree words)
  (call grep_files :pattern "\\C")
  (error invalid-argument "pattern"))
(case grep-files.callout
  (threats 54)
  (tree words)
  (call grep_files :pattern "(?C1)beta(?C2)" :path "d")
  (reply :matches ((:path "d/e.c"))))
(case grep-files.parentheses
  (threats 54)
  (tree words)
  (call grep_files :pattern (cat (repeat "(" 4000) (repeat ")" 4000)))
  (error invalid-argument "pattern"))
(case grep-files.pattern-too-long
  (threats 54)
  (tree words)
  (call grep_files :pattern (repeat "a" 100000))
  (error invalid-argument "pattern" "100000 bytes"))
(case grep-files.nul-in-the-pattern
  (threats 5)
  (tree words)
  (call grep_files :pattern (cat "a" 0 "b"))
  (error invalid-argument "pattern" "NUL"))
(case grep-files.long-line-is-cut
  (threats 55)
  (tree (file "f" (cat (repeat "x" 500) "needle" (repeat "y" 500))))
  (call grep_files :pattern "needle")
  (reply :matches ((:line 1 :start 500 :end 506)) :text (contains "[truncated line]")))
(case grep-files.invalid-utf-8
  (threats 55)
  (tree (file "f" (cat "abc " 240 159 " needle" 10)))
  (call grep_files :pattern "needle")
  (reply :total 1))

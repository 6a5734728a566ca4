;;;; search_files, and the glob language.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- the language: (glob NAME PATTERN (MATCHING... sorted) (OTHER...))

(glob glob.star "*.c" ("a.c" "b.c") ("a.h" "d/a.c" "a.cc"))
(glob glob.star-alone "*" (".b" "a") ("d/e"))
(glob glob.star-in-the-middle "a*z" ("a.z" "a.z.z" "az") ("a/z" "b.z" "za"))
(glob glob.star-matches-nothing "a*" ("a" "ab") ("b"))
(glob glob.star-is-not-a-slash "d/*/e" ("d/x/e") ("d/e" "d/x/y/e"))
(glob glob.two-stars-in-a-segment "*a*" ("a" "bab" "xa") ("b"))
(glob glob.question-mark "a?c" ("abc" "axc") ("ac" "abbc" "a/c"))
(glob glob.question-mark-is-a-code-point "a?c"
  ((cat "a" (char 233) "c") (cat "a" (char 128512) "c")) ("ac"))
(glob glob.question-mark-is-no-slash "a?b" ("a.b") ("a/b"))
(glob glob.non-ascii (cat "*." (char 233)) ((cat "x." (char 233))) ((cat "x." (char 232)) "x.e"))
(glob glob.question-marks "???" ("abc" (cat (char 233) (char 233) (char 233))) ("ab" "abcd"))
(glob glob.double-star "**" (".x/y" "a" "b/c" "b/d/e") ())
(glob glob.double-star-slash "**/a" ("a" "b/a" "b/c/a") ("ab" "b/xa"))
(glob glob.double-star-extension "**/*.c" ("a.c" "d/b.c" "d/e/f.c") ("a.h" "d/b.h"))
(glob glob.double-star-in-the-middle "a/**/z" ("a/b/c/z" "a/b/z" "a/z") ("z" "a/b/zz"))
(glob glob.double-star-at-the-end "a/**" ("a/b" "a/c/d") ("b" "ab/c"))
(glob glob.double-star-beside-text "a**z" ("a/b/z" "abz" "az") ("b/z"))
(glob glob.double-star-and-text "**.c" ("a.c" "d/b.c") ("a.h"))
(glob glob.three-stars "***/a" ("a" "b/a" "b/c/a") ("ab"))
(glob glob.double-star-twice "**/**/a" ("a" "b/a" "b/c/a") ("b/ab"))
(glob glob.double-star-around "**/b/**" ("a/b/c" "b/d") ("a/c" "bb/d"))
(glob glob.brackets-are-literal "[ab]" ("[ab]") ("a" "b"))
(glob glob.braces-are-literal "{a,b}" ("{a,b}") ("a" "b"))
(glob glob.exclamation-mark-is-literal "!a" ("!a") ("a" "b"))
(glob glob.backslash-is-literal "\\*" ("\\" "\\x") ("*"))
(glob glob.dot-is-literal "a.c" ("a.c") ("abc"))
(glob glob.case-matters "A*" ("Ab") ("ab"))
(glob glob.dotfiles-match "*" (".hidden" "a") ())
(glob glob.literal-path "d/e/f" ("d/e/f") ("d/e/g" "f" "e/f"))
(glob glob.backslash-at-the-end "*.caf\\" ("x.caf\\") ("x.caf"))
(glob glob.many-stars (repeat "*a" 30) ((repeat "a" 40)) ((cat (repeat "a" 60) "b")))
(glob glob.many-double-stars (cat (repeat "**/a/" 8) "z")
  ((cat (repeat "a/" 20) "z")) ((cat (repeat "a/" 30) "y")))

;;; -- search_files

(case search-files.pattern-is-relative-to-the-directory
  (tree plain)
  (call search_files :path "sub" :pattern "*.txt")
  (reply :paths ("sub/b.txt") :total 1 :truncated nil :text (lines "sub/b.txt")))
(case search-files.sorted-by-path
  (tree (file "b/x" "") (file "b.x" "") (file "b-x" "") (file "a/z" "") (file "B" ""))
  (call search_files :pattern "**")
  (reply :paths ("B" "a/z" "b-x" "b.x" "b/x")))
(case search-files.files-only
  (tree plain (dir "x.txt") (fifo "p.txt"))
  (call search_files :pattern "*.txt")
  (reply :paths ("a.txt")))
(case search-files.links-count-as-what-they-lead-to
  (threats 9 10 14)
  (tree plain outside (link "in" "a.txt") (link "out" "../outside/secret.txt") (link "dir" "sub")
        (link "dangling" "none") (link "loop" "loop"))
  (call search_files :pattern "*")
  (reply :paths ("a.txt" "in") :total 2))
(case search-files.links-are-not-descended
  (threats 14)
  (tree plain (link "dir" "sub") (link "sub/up" ".."))
  (call search_files :pattern "**/*.txt")
  (reply :paths ("a.txt" "sub/b.txt" "sub/deep/c.txt")))
(case search-files.excludes-git
  (tree dotted)
  (call search_files :pattern "**")
  (reply :paths (".hidden" "a" "a.o" "node_modules/x" "sub/.hidden" "sub/b.o")))
(case search-files.excludes-by-basename
  (tree dotted)
  (call search_files :pattern "**" :exclude_patterns ("*.o" ".*" "node_modules"))
  (reply :paths ("a")))
(case search-files.excludes-nothing
  (tree dotted)
  (call search_files :pattern "**/config" :exclude_patterns ())
  (reply :paths (".git/config")))

;;; -- what git ignores

(define ignoring
  (file ".gitignore" (lines "*.o" "/out/" "!keep.o" "# *.c")) (file "a.c" "") (file "a.o" "")
  (file "keep.o" "") (file "out/b.c" "") (file "out/keep.o" "") (file "src/out/c.c" "")
  (file "src/c.o" ""))
(case search-files.ignored-is-left-out
  (tree ignoring)
  (call search_files :pattern "**/*.?")
  (reply :paths ("a.c" "keep.o" "src/out/c.c") :ignored 3
         :text (lines "a.c" "keep.o" "src/out/c.c" "[3 ignored entries left out]")))
(case search-files.ignored-on-request
  (tree ignoring)
  (call search_files :pattern "**/*.?" :ignored t)
  (reply :paths ("a.c" "a.o" "keep.o" "out/b.c" "out/keep.o" "src/c.o" "src/out/c.c") :ignored nil))
(case search-files.no-exclusion-of-any-kind
  (tree ignoring)
  (call search_files :pattern "**/*.?" :exclude_patterns ())
  (reply :total 7 :ignored nil))
(case search-files.ignored-with-other-exclusions
  (tree ignoring)
  (call search_files :pattern "**/*.?" :exclude_patterns ("keep.*"))
  (reply :paths ("a.c" "src/out/c.c") :ignored 3))
(case search-files.rules-in-a-left-out-file-count
  (tree ignoring)
  (call search_files :pattern "**/*.?" :exclude_patterns (".*"))
  (reply :paths ("a.c" "keep.o" "src/out/c.c") :ignored 3))
(case search-files.ignored-directory-that-is-named
  (tree ignoring)
  (call search_files :pattern "**" :path "out")
  (reply :paths ("out/b.c" "out/keep.o") :ignored nil))
(case search-files.rules-of-the-directories-above
  (tree ignoring)
  (call search_files :pattern "**" :path "src")
  (reply :paths ("src/out/c.c") :ignored 1))
(case search-files.deeper-rules-decide
  (tree (file ".gitignore" (lines "*.o" "d/x")) (file "d/.gitignore" (lines "!*.o" "!x" "y"))
        (file "d/a.o" "") (file "d/x" "") (file "d/y" "") (file "d/e/b.o" ""))
  (call search_files :pattern "d/**")
  (reply :paths ("d/.gitignore" "d/a.o" "d/e/b.o" "d/x") :ignored 1))
(case search-files.nothing-in-an-ignored-directory-is-kept
  (tree (file ".gitignore" (lines "d" "!d/a")) (file "d/a" "") (file "d/.gitignore" (lines "!a")))
  (call search_files :pattern "d/**")
  (reply :paths () :ignored 1))
(case search-files.rules-of-a-repository
  (tree (file ".git/HEAD" "") (file ".git/info/exclude" (lines "a" "b")) (file "a" "") (file "b" "")
        (file ".gitignore" (lines "!b")) (file "d/a" ""))
  (call search_files :pattern "**")
  (reply :paths (".gitignore" "b") :ignored 2))
(case search-files.rules-of-a-repository-inside
  (tree (file ".gitignore" (lines "*.o")) (file "sub/.git/info/exclude" (lines "x"))
        (file "sub/a.o" "") (file "sub/x" "") (file "sub/d/b.o" ""))
  (call search_files :pattern "**")
  (reply :paths (".gitignore" "sub/a.o" "sub/d/b.o") :ignored 1))
(case search-files.repository-in-an-ignored-directory
  (tree (file ".gitignore" (lines "vendor")) (file "vendor/v/.git/HEAD" "")
        (file "vendor/v/.gitignore" (lines "*.o")) (file "vendor/v/a.o" "") (file "vendor/v/a.c" "")
        (file "vendor/w/a.o" ""))
  (call search_files :pattern "**/a.?" :path "vendor")
  (reply :paths ("vendor/v/a.c" "vendor/w/a.o") :ignored 1))
(case search-files.dot-ignore
  (tree (file ".gitignore" (lines "a" "!b")) (file ".ignore" (lines "!a" "b" "c")) (file "a" "")
        (file "b" "") (file "d/.gitignore" (lines "!c")) (file "d/c" "")
        (file "e/.ignore" (lines "!c")) (file "e/c" ""))
  (call search_files :pattern "**/?")
  (reply :paths ("a" "e/c") :ignored 2))
(case search-files.rules-are-a-link
  (threats 144)
  (tree (link ".gitignore" "r") (file "r" (lines "a")) (file "a" ""))
  (call search_files :pattern "a") (reply :paths ("a")))
(case search-files.rules-are-no-file
  (threats 26)
  (tree (fifo ".gitignore") (dir ".ignore") (file "a" ""))
  (call search_files :pattern "a") (reply :paths ("a")))
(case search-files.rules-are-restricted
  (tree (file ".gitignore" (lines "a")) (file "a" ""))
  (options :restricted_paths (".gitignore"))
  (call search_files :pattern "a") (reply :paths ("a")))
(case search-files.rules-are-too-large
  (threats 110)
  (tree (sparse ".gitignore" 16777217) (file "a" ""))
  (call search_files :pattern "a") (reply :paths ("a")))
(case search-files.rules-are-no-text
  (threats 110)
  (tree (file ".gitignore" (cat "a" 0 "b" (char 10) 255 (char 10) "c")) (file "a" "") (file "c" "")
        (file "b" ""))
  (call search_files :pattern "?") (reply :paths ("b") :ignored 2))
(case directory-tree.ignored
  (tree ignoring)
  (call directory_tree :exclude_patterns (".git*"))
  (reply :files 3 :directories 2 :ignored 3))
(case directory-tree.ignored-on-request
  (tree ignoring)
  (call directory_tree :ignored t)
  (reply :files 8 :directories 3 :ignored nil))
(case list-directory.ignored-is-listed
  (tree ignoring)
  (call list_directory)
  (reply :total 6))
(case list-dir.ignored-is-listed
  (tree ignoring)
  (call list_dir :depth 1)
  (reply :total 6))

(case search-files.limit
  (tree (files "f" 1 9 ""))
  (call search_files :pattern "*" :limit 2)
  (reply :paths ("f1" "f2") :total 9 :truncated t :text (contains "[truncated" "2 of 9")))
(case search-files.1000-by-default
  (threats 87)
  (tree (files "f" 1 1100 ""))
  (call search_files :pattern "*")
  (reply :total 1100 :truncated t :text (contains "1000 of 1100")))
(case search-files.reply-is-bounded
  (tree (files "name-of-a-file-" 1 500 ""))
  (options :limits (:reply_bytes 4096))
  (call search_files :pattern "*")
  (reply :total 500 :truncated t :text (contains "[truncated")))
(case search-files.strange-names
  (threats 56)
  (tree (file (cat "a" 10 "b") "") (file (cat 255 "q") "") (file "~/x" ""))
  (call search_files :pattern "**")
  (reply :paths ((cat "a" 10 "b") "\"~/x\"" "\"\\377q\"")
         :text (lines "\"a\\nb\"" "\"~/x\"" "\"\\377q\"")))
;; One directory's name stands once above three files and more.
(case search-files.groups-of-a-directory
  (tree (files "src/deep/f" 1 3 "") (file "src/deep/sub/a" "") (file "src/deep/z" "")
        (file "src/two" "") (file "src/one" ""))
  (call search_files :pattern "src/**")
  (reply :paths ("src/deep/f1" "src/deep/f2" "src/deep/f3" "src/deep/sub/a" "src/deep/z"
                 "src/one" "src/two")
         :text (lines "src/deep/" " f1" " f2" " f3" "src/deep/sub/a" "src/deep/z"
                      "src/one" "src/two")))
(case search-files.groups-and-odd-names
  (tree (files "d/f" 1 4 "") (file "d/g g" "") (file " x" "") (files "d/h" 1 3 "") (files "r" 1 3 ""))
  (call search_files :pattern "**")
  (reply :text (lines "\"\\040x\"" "d/" " f1" " f2" " f3" " f4" "d/g g" "d/" " h1" " h2" " h3"
                      "r1" "r2" "r3")))

(case search-files.nothing-found
  (tree plain)
  (call search_files :pattern "*.lisp")
  (reply :paths () :total 0 :truncated nil :hint nil :text (contains "No files found that match *.lisp")))
(case search-files.hint-deeper
  (tree plain)
  (call search_files :pattern "c.txt")
  (reply :paths () :hint (contains "**/c.txt") :text (contains "**/c.txt" "1 file")))
(case search-files.hint-braces
  (tree plain)
  (call search_files :pattern "*.{txt,c}")
  (reply :paths () :hint (contains "`{a,b}` is not alternation here")
         :text (contains "`{a,b}` is not alternation here")))
(case search-files.hint-brackets
  (tree plain)
  (call search_files :pattern "[a-z].txt")
  (reply :paths () :hint (contains "is not a character class here")))
(case search-files.hint-negation
  (tree plain)
  (call search_files :pattern "!a.txt")
  (reply :paths () :hint (contains "does not negate here")))
(case search-files.no-hint-when-found
  (tree (file "{a,b}" "") (file "d/{a,b}" ""))
  (call search_files :pattern "{a,b}")
  (reply :paths ("{a,b}") :hint nil))
(case search-files.hostile-pattern
  (threats 51)
  (tree (file (repeat "a" 250) "") (file (cat (repeat "a/" 100) "b") ""))
  (options :limits (:time_ms 60000))
  (call search_files :pattern (cat (repeat "**/*a*" 300) "z"))
  (reply :paths ()))
(case search-files.many-braces
  (threats 52)
  (tree plain)
  (call search_files :pattern (repeat "{a,b}" 30))
  (reply :paths () :hint (any)))
(case search-files.unclosed-brackets
  (threats 52)
  (tree (file "[z" ""))
  (call search_files :pattern "[z")
  (reply :paths ("[z")))
(case search-files.empty-pattern
  (tree plain)
  (call search_files :pattern "")
  (error invalid-argument "the pattern is empty"))
(case search-files.nul-in-pattern
  (threats 5)
  (tree plain)
  (call search_files :pattern (cat "a" 0))
  (error invalid-argument "the pattern contains a NUL byte"))
(case search-files.pattern-too-long
  (threats 51)
  (tree plain)
  (call search_files :pattern (repeat "a" 4097))
  (error too-long "the pattern is longer than 4096 bytes"))
(case search-files.dotdot-in-pattern
  (threats 1)
  (tree plain outside)
  (call search_files :pattern "../outside/*")
  (reply :paths ())
  (never "secret.txt"))
(case search-files.absolute-pattern
  (threats 1)
  (tree plain)
  (call search_files :pattern "/etc/*")
  (reply :paths ()))
(case search-files.unreadable-below
  (threats 89)
  (only nobody)
  (tree plain (mode "sub" "0000"))
  (call search_files :pattern "**/*.txt")
  (reply :paths ("a.txt") :unreadable 1))
(case search-files.deeper-than-it-looks
  (threats 30)
  (tree (file "1/2/3/f" "") (file "f" ""))
  (options :limits (:walk_depth 2))
  (call search_files :pattern "**/f")
  (reply :paths ("f") :truncated t :cut t))

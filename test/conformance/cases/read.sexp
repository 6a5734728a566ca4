;;;; read_file and read_bytes.
;;;;
;;;; SPDX-License-Identifier: MIT

(define story
  (file "f" (lines "one" "two" "three" "four" "five")))

;;; -- read_file: ranges

(case read-file.whole
  (tree story)
  (call read_file :path "f")
  (reply :path "f" :content (lines "one" "two" "three" "four" "five") :start-line 1 :end-line 5
         :total-lines 5 :offset 0 :truncated nil :encoding "utf-8" :line-endings "lf" :bom nil
         :version (like "????????????????????????????????")
         :text (lines "one" "two" "three" "four" "five")))
(case read-file.range
  (tree story)
  (call read_file :path "f" :start_line 2 :end_line 4)
  (reply :content (lines "two" "three" "four") :start-line 2 :end-line 4 :total-lines 5
         :truncated nil :text (lines "two" "three" "four" "[lines 2-4 of 5]")))
(case read-file.one-line
  (tree story)
  (call read_file :path "f" :start_line 3 :end_line 3)
  (reply :content (lines "three") :start-line 3 :end-line 3))
(case read-file.from-a-line
  (tree story)
  (call read_file :path "f" :start_line 4)
  (reply :content (lines "four" "five") :start-line 4 :end-line 5 :truncated nil))
(case read-file.to-a-line
  (tree story)
  (call read_file :path "f" :end_line 2)
  (reply :content (lines "one" "two") :end-line 2 :total-lines 5))
(case read-file.to-the-end
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 5 :end_line -1)
  (reply :content (lines "five") :end-line 5))
(case read-file.end-past-the-end
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 4 :end_line 900)
  (reply :content (lines "four" "five") :start-line 4 :end-line 5 :truncated nil))
(case read-file.start-past-the-end
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 6)
  (error invalid-argument "start_line" "5 lines" "6"))
(case read-file.start-zero
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 0)
  (error invalid-argument "start_line" "1"))
(case read-file.the-last-line
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line -1)
  (reply :content (lines "five") :start-line 5 :end-line 5 :total-lines 5 :truncated nil
         :text (lines "five" "[line 5 of 5]")))
(case read-file.the-last-lines
  (tree story)
  (call read_file :path "f" :start_line -2 :end_line -1)
  (reply :content (lines "four" "five") :start-line 4 :end-line 5 :offset 3))
(case read-file.more-last-lines-than-there-are
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line -9223372036854775808)
  (reply :content (lines "one" "two" "three" "four" "five") :start-line 1 :truncated nil))
(case read-file.the-last-lines-of-nothing
  (threats 99)
  (tree (file "f" ""))
  (call read_file :path "f" :start_line -3)
  (reply :content "" :total-lines 0 :text (contains "empty")))
(case read-file.the-last-lines-without-a-newline
  (tree (file "f" (cat "a" 10 "b" 10 "c")))
  (call read_file :path "f" :start_line -2)
  (reply :content (cat "b" 10 "c") :start-line 2 :end-line 3))
(case read-file.the-last-lines-up-to-one
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line -2 :end_line 4)
  (error invalid-argument "end_line" "-1"))
(case read-file.the-last-lines-are-bounded
  (tree story)
  (options :limits (:read_lines 2))
  (call read_file :path "f" :start_line -4)
  (reply :content (lines "two" "three") :truncated t :text (contains "lines 2-3 of 5" "start_line=4")))
(case read-file.the-last-lines-of-what-is-over-the-read-limit
  (threats 28)
  (tree (file "f" (repeat (cat "x" 10) 100)))
  (options :limits (:read_bytes 50))
  (call read_file :path "f" :start_line -2)
  (error too-large "f"))

;;; -- read_file: several ranges

(case read-file.ranges
  (tree story)
  (call read_file :path "f" :ranges ("1-2" "4" "5-"))
  (reply :ranges ((:content (lines "one" "two") :start-line 1 :end-line 2)
                  (:content (lines "four") :start-line 4 :end-line 4)
                  (:content (lines "five") :start-line 5 :end-line 5))
         :content nil :start-line 1 :end-line 5 :total-lines 5 :truncated nil
         :text (lines "[lines 1-2 of 5]" "one" "two" "[line 4 of 5]" "four" "[line 5 of 5]" "five")))
(case read-file.ranges-from-the-end
  (tree story)
  (call read_file :path "f" :ranges ("-2" "1"))
  (reply :ranges ((:start-line 4 :end-line 5) (:start-line 1 :end-line 1))))
(case read-file.ranges-in-a-string
  (tree story)
  (call read_file :path "f" :ranges "[\"2-3\"]")
  (reply :ranges ((:content (lines "two" "three")))))
(case read-file.ranges-past-the-end
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ("1-2" "6-7"))
  (error invalid-argument "ranges" "5 lines" "6"))
(case read-file.ranges-with-numbers
  (tree story)
  (call read_file :path "f" :ranges ("2" "4") :line_numbers t)
  (reply :text (contains (cat "     2" 9 "two") (cat "     4" 9 "four"))))
(case read-file.no-ranges
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ())
  (error invalid-argument "ranges" "1 to 20"))
(case read-file.ranges-that-are-none
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ("1-2" "4:5"))
  (error invalid-argument "ranges" "10-20" "4:5"))
(case read-file.range-backwards
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ("4-2"))
  (error invalid-argument "ranges" "4-2"))
(case read-file.range-of-line-0
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ("0-2"))
  (error invalid-argument "ranges"))
(case read-file.range-of-huge-numbers
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ("99999999999999999999-"))
  (error invalid-argument "ranges"))
(case read-file.ranges-and-lines
  (threats 99)
  (tree story)
  (call read_file :path "f" :ranges ("1") :start_line 2)
  (error invalid-argument "ranges"))

;;; -- read_file: versions, and what has changed since

(case read-file.version-on-request
  (tree (file "f" "abc"))
  (call read_file :path "f" :version t)
  (reply :text (lines "abc" "[no newline at the end]" "[version cf4ab791c62b8d2b2109c90275287816]")))
(case read-file.unchanged-since
  (tree (file "f" "abc"))
  (call read_file :path "f" :since "cf4ab791c62b8d2b2109c90275287816")
  (reply :unchanged t :content nil :version "cf4ab791c62b8d2b2109c90275287816" :total-lines 1
         :text (lines "[unchanged]")))
(case read-file.since-a-version-that-is-not-known
  (tree (file "f" (lines "abc")))
  (call read_file :path "f" :since "cf4ab791c62b8d2b2109c90275287816")
  (reply :unchanged nil :content (lines "abc") :text (contains "abc" "[version ")))
(case read-file.since-with-lines
  (threats 99)
  (tree story)
  (call read_file :path "f" :since "cf4ab791c62b8d2b2109c90275287816" :start_line 2)
  (error invalid-argument "since"))

;;; -- read_file: several files

(case read-file.paths
  (tree (file "a" (lines "one" "two")) (file "d/b" "three"))
  (call read_file :paths ("a" "d/b"))
  (reply :files ((:path "a" :content (lines "one" "two") :start-line 1 :end-line 2 :total-lines 2
                  :truncated nil :error nil :version (any))
                 (:path "d/b" :content "three" :total-lines 1))
         :truncated nil :path nil :content nil
         :text (lines "==> a <==" "one" "two" "==> d/b <==" "three" "[no newline at the end]")))
(case read-file.paths-each-with-its-version
  (tree (file "a" "abc") (file "b" "abc"))
  (call read_file :paths ("a" "b") :version t)
  (reply :text (lines "==> a <==" "abc" "[no newline at the end]"
                      "[version cf4ab791c62b8d2b2109c90275287816]"
                      "==> b <==" "abc" "[no newline at the end]"
                      "[version cf4ab791c62b8d2b2109c90275287816]")))
(case read-file.paths-each-with-its-error
  (threats 10)
  (tree plain outside (link "lo" "../outside/secret.txt") (file "bin" (cat 0 1 2)) (fifo "p"))
  (call read_file :paths ("none" "sub" "lo" "bin" "p" "" "a.txt"))
  (reply :files ((:path "none" :error "not-found" :message "Path 'none' does not exist" :content nil)
                 (:path "sub" :error "is-directory") (:path "lo" :error "outside-root" :hint (any))
                 (:path "bin" :error "binary")
                 (:path "p" :error "not-regular") (:path "" :error "invalid-argument")
                 (:path "a.txt" :error nil :content (lines "alpha" "beta" "gamma")))
         :text (contains "==> none <==" "Error: Path 'none' does not exist" "==> a.txt <==" "gamma"))
  (never "TOPSECRET"))
(case read-file.paths-that-are-restricted
  (tree secret)
  (options :restricted_paths ("secret"))
  (call read_file :paths ("secret/key.txt" "lk" "a.txt"))
  (reply :files ((:error "restricted") (:error "restricted") (:content (lines "alpha" "beta" "gamma"))))
  (never "TOPSECRET"))
(case read-file.paths-and-a-secret
  (tree (file ".env" "TOPSECRET") (file "a" (lines "one")) (link "l" ".env"))
  (how :origin model)
  (call read_file :paths (".env" "l" "a"))
  (reply :files ((:path ".env" :error "approval-required" :hint (contains "Read it alone"))
                 (:path "l" :error "approval-required") (:path "a" :content (lines "one"))))
  (never "TOPSECRET"))
(case read-file.paths-and-a-secret-with-authority
  (tree (file ".env" "TOPSECRET") (file "a" (lines "one")))
  (how :origin model) (how :authority dangerous)
  (call read_file :paths (".env" "a"))
  (reply :files ((:error "approval-required") (:content (lines "one"))))
  (never "TOPSECRET"))
;; A large file leaves room for those behind it.
(case read-file.paths-share-the-room
  (tree (file "large" (repeat (cat "0123456789" 10) 1000)) (file "small" (lines "here")))
  (options :limits (:text_bytes 8192))
  (call read_file :paths ("large" "small"))
  (reply :files ((:path "large") (:path "small" :content (lines "here") :truncated nil))
         :text (contains "continue with start_line=" "==> small <==" "here")))
(case read-file.paths-share-the-reply
  (tree (file "large" (repeat (cat "0123456789" 10) 3000)) (file "small" (lines "here")))
  (options :limits (:reply_bytes 16384))
  (call read_file :paths ("large" "small"))
  (reply :truncated t :files ((:path "large" :truncated t) (:path "small" :truncated nil))))
(case read-file.paths-of-one-file-twice
  (tree (file "a" (lines "one")))
  (call read_file :paths ("a" "a"))
  (reply :files ((:path "a" :content (lines "one")) (:path "a" :content (lines "one")))))
(case read-file.paths-and-path
  (tree plain)
  (call read_file :path "a.txt" :paths ("a.txt"))
  (error invalid-argument "Give either path or paths, not both"))
(case read-file.paths-and-lines
  (tree plain)
  (call read_file :paths ("a.txt") :start_line 2)
  (error invalid-argument "paths: expected no lines"))
(case read-file.paths-and-since
  (tree plain)
  (call read_file :paths ("a.txt") :since "cf4ab791c62b8d2b2109c90275287816")
  (error invalid-argument "paths: expected no lines and no since"))
(case read-file.no-paths
  (tree plain)
  (call read_file :paths ())
  (error invalid-argument "paths: expected from 1 to 50"))
(case read-file.paths-that-are-none
  (tree plain)
  (call read_file :paths ("a.txt" 5))
  (error invalid-argument "paths: expected a list of strings, but element 2 is an integer"))
(case read-file.neither-path-nor-paths
  (tree plain)
  (call read_file :paths null)
  (error invalid-argument "path: this argument is required"))

;;; -- read_file: how lines end

(case read-file.mixed-endings-are-told
  (tree (file "f" (cat "a" 13 10 "b" 10 "c" 10 "d" 13 10 "e" 13 10 "f" 10 "g" 10)))
  (call read_file :path "f")
  (reply :text (contains "[mixed line endings: CR LF in 1, 4-5, LF in the others]")))
(case read-file.mixed-endings-of-the-lines-shown
  (tree (file "f" (cat "a" 13 10 "b" 10 "c" 10)))
  (call read_file :path "f" :start_line 2)
  (reply :text (contains "[mixed line endings: LF in these lines, CR LF in others]")))
(case read-file.mixed-endings-and-no-newline
  (tree (file "f" (cat "a" 13 10 "b" 13 10 "c" 10 "d")))
  (call read_file :path "f")
  (reply :text (contains "[mixed line endings: CR LF in 1-2, LF in the others; no newline at the end]")))
(case read-file.mixed-endings-are-not-told-for-ever
  (tree (file "f" (repeat (cat "a" 13 10 "b" 10 "c" 10) 40)))
  (call read_file :path "f")
  (reply :text (contains "CR LF in 1, 4, 7, 10, 13, 16, 19, 22 and others, LF in the others]")))
(case read-file.no-newline-is-told
  (tree (file "f" (cat "a" 10 "b")))
  (call read_file :path "f")
  (reply :text (lines "a" "b" "[no newline at the end]")))
(case read-file.no-newline-is-told-of-the-end-alone
  (tree (file "f" (cat "a" 10 "b")))
  (call read_file :path "f" :end_line 1)
  (reply :text (lines "a" "[line 1 of 2]")))

(case read-file.end-zero
  (threats 99)
  (tree story)
  (call read_file :path "f" :end_line 0)
  (error invalid-argument "end_line"))
(case read-file.end-minus-two
  (threats 99)
  (tree story)
  (call read_file :path "f" :end_line -2)
  (error invalid-argument "end_line" "-1"))
(case read-file.end-before-start
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 4 :end_line 3)
  (error invalid-argument "end_line" "start_line"))
(case read-file.huge-line-numbers
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 1 :end_line 9223372036854775807)
  (reply :end-line 5 :truncated nil))
(case read-file.huge-start
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 9223372036854775807)
  (error invalid-argument "start_line" "5 lines"))
(case read-file.offset-and-limit
  (tree story)
  (call read_file :path "f" :offset 1 :limit 2)
  (reply :content (lines "two" "three") :start-line 2 :end-line 3 :offset 1 :limit 2
         :total-lines 5 :truncated t :text (contains "offset=3")))
(case read-file.offset-alone
  (tree story)
  (call read_file :path "f" :offset 3)
  (reply :content (lines "four" "five") :truncated nil))
(case read-file.limit-alone
  (tree story)
  (call read_file :path "f" :limit 1)
  (reply :content (lines "one") :truncated t))
(case read-file.offset-past-the-end
  (threats 99)
  (tree story)
  (call read_file :path "f" :offset 5)
  (error invalid-argument "offset: expected" "5 lines, not 5"))
(case read-file.start-line-past-the-end
  (threats 99)
  (tree story)
  (call read_file :path "f" :start_line 6)
  (error invalid-argument "start_line: expected" "5 lines, not 6"))
(case read-file.both-ways-of-asking
  (tree story)
  (call read_file :path "f" :start_line 1 :limit 2)
  (error invalid-argument "start_line" "limit"))

;;; -- read_file: what a line is

(case read-file.empty
  (threats 99)
  (tree (file "f" ""))
  (call read_file :path "f")
  (reply :content "" :total-lines 0 :truncated nil :line-endings "none" :text (contains "empty")))
(case read-file.empty-from-line-2
  (threats 99)
  (tree (file "f" ""))
  (call read_file :path "f" :start_line 2)
  (error invalid-argument "start_line" "0 lines"))
(case read-file.no-newline-at-the-end
  (threats 99)
  (tree (file "f" (cat "a" 10 "b")))
  (call read_file :path "f")
  (reply :content (cat "a" 10 "b") :total-lines 2 :end-line 2))
(case read-file.only-a-newline
  (threats 99)
  (tree (file "f" (cat 10)))
  (call read_file :path "f")
  (reply :content (cat 10) :total-lines 1))
(case read-file.other-separators
  (threats 50)
  (tree (file "f" (cat "a" 12 "b" (char 8232) "c" (char 133) "d" 11 "e" 10)))
  (call read_file :path "f")
  (reply :content (cat "a" 12 "b" (char 8232) "c" (char 133) "d" 11 "e" 10) :total-lines 1))
(case read-file.lone-cr
  (threats 99)
  (tree (file "f" (cat "a" 13 "b" 13)))
  (call read_file :path "f")
  (reply :content (cat "a" 13 "b" 13) :total-lines 1 :line-endings "cr"))
(case read-file.crlf-is-shown-as-lf
  (threats 99)
  (tree (file "f" (cat "a" 13 10 "b" 13 10)))
  (call read_file :path "f")
  (reply :content (lines "a" "b") :total-lines 2 :line-endings "crlf" :text (lines "a" "b")))
(case read-file.crlf-range
  (threats 99)
  (tree (file "f" (cat "a" 13 10 "b" 13 10 "c" 13 10)))
  (call read_file :path "f" :start_line 2 :end_line 2)
  (reply :content (lines "b") :total-lines 3 :line-endings "crlf"))
(case read-file.mixed-endings-are-left
  (threats 99)
  (tree (file "f" (cat "a" 13 10 "b" 10)))
  (call read_file :path "f")
  (reply :content (cat "a" 13 10 "b" 10) :line-endings "mixed"))
(case read-file.control-characters
  (threats 59)
  (tree (file "f" (cat "a" 27 "[8mb" 7 10)))
  (call read_file :path "f")
  (reply :content (cat "a" 27 "[8mb" 7 10)))

;;; -- read_file: encodings

(case read-file.utf-8
  (tree (file "f" (lines (cat "na" (char 239) "ve " (char 128512)))))
  (call read_file :path "f")
  (reply :content (lines (cat "na" (char 239) "ve " (char 128512))) :encoding "utf-8"))
(case read-file.bom-is-told
  (threats 50)
  (tree (file "f" (cat 239 187 191 "abc" 10)))
  (call read_file :path "f")
  (reply :content (lines "abc") :bom t :encoding "utf-8"))
(case read-file.latin-1
  (tree (file "f" (cat "un caf" 233 " au lait" 10)))
  (call read_file :path "f")
  (reply :content (lines (cat "un caf" (char 233) " au lait")) :encoding "iso-8859-1"))
(case read-file.named-encoding
  (tree (file "f" (cat "caf" 233 " " 164 10)))
  (call read_file :path "f" :encoding "iso-8859-15")
  (reply :content (lines (cat "caf" (char 233) " " (char 8364))) :encoding "iso-8859-15"))
(case read-file.utf-16-by-its-mark
  (tree (file "f" (cat 255 254 "a" 0 233 0 10 0)))
  (call read_file :path "f")
  (reply :content (lines (cat "a" (char 233))) :bom t :encoding "utf-16le"))
(case read-file.unknown-encoding
  (tree story)
  (call read_file :path "f" :encoding "klingon")
  (error invalid-argument "encoding"))
(case read-file.not-in-that-encoding
  (tree (file "f" (cat "caf" 233 10)))
  (call read_file :path "f" :encoding "utf-8")
  (error encoding))
(case read-file.binary
  (tree (file "f" (cat "a" 0 "b" 10)))
  (call read_file :path "f")
  (error binary "f"))
(case read-file.png
  (tree (file "f" (cat 137 "PNG" 13 10 26 10 0 0 0 13 "IHDR" 0 0 0 1 0 0 0 1 8 6 0 0 0)))
  (call read_file :path "f")
  (error binary "image/png"))

;;; -- read_file: how it is shown

(case read-file.line-numbers
  (tree story)
  (call read_file :path "f" :start_line 4 :line_numbers t)
  (reply :content (lines "four" "five") :text (lines (cat "     4" 9 "four") (cat "     5" 9 "five") "[lines 4-5 of 5]")))
(case read-file.indentation
  (tree (file "f" (lines "a" "    b" (cat 9 "c"))))
  (call read_file :path "f" :mode "indentation")
  (reply :content (lines "a" "    b" (cat 9 "c")) :text (contains "  0| a" "  4|     b" "  8| ")))
(case read-file.long-line-is-cut-in-the-text-only
  (threats 55)
  (tree (file "f" (lines (repeat "x" 500) "y")))
  (call read_file :path "f")
  (reply :content (lines (repeat "x" 500) "y") :truncated nil
         :text (lines (cat (repeat "x" 400) (char 8230) " [truncated line]") "y")))
(case read-file.line-of-400-is-whole
  (threats 55)
  (tree (file "f" (lines (repeat (char 233) 400))))
  (call read_file :path "f")
  (reply :text (lines (repeat (char 233) 400))))
(case read-file.2000-lines-by-default
  (tree (file "f" (repeat (cat "x" 10) 2100)))
  (call read_file :path "f")
  (reply :content (repeat (cat "x" 10) 2000) :end-line 2000 :total-lines 2100 :truncated t
         :text (contains "[truncated" "of 2100" "start_line=2001")))
(case read-file.lines-by-default-are-an-option
  (tree story)
  (options :limits (:read_lines 2))
  (call read_file :path "f")
  (reply :content (lines "one" "two") :total-lines 5 :truncated t))
(case read-file.reply-is-bounded
  (threats 98)
  (tree (file "f" (repeat (cat (char 233) (char 233) 10) 4000)))
  (options :limits (:reply_bytes 4096))
  (call read_file :path "f")
  (reply :truncated t :text (contains "[truncated")))

;;; -- read_file: large, linked, sparse

(case read-file.over-the-read-limit
  (threats 28)
  (tree (file "f" (repeat (cat "x" 10) 100)))
  (options :limits (:read_bytes 50))
  (call read_file :path "f")
  (error too-large "f"))
(case read-file.lines-of-what-is-over-the-read-limit
  (threats 28)
  (tree (file "f" (repeat (cat "x" 10) 100)))
  (options :limits (:read_bytes 50))
  (call read_file :path "f" :start_line 2 :end_line 3)
  (reply :content (lines "x" "x") :start-line 2 :end-line 3 :version nil))
(case read-file.sparse
  (threats 28)
  (tree (sparse "f" 8796093022208))
  (call read_file :path "f")
  (error too-large "f"))
(case read-file.hard-link
  (threats 31)
  (tree story (hardlink "g" "f"))
  (call read_file :path "g")
  (reply :path "g" :links 2))
(case read-file.same-version-as-info
  (tree (file "f" "abc"))
  (call read_file :path "f")
  (reply :version "cf4ab791c62b8d2b2109c90275287816"))

;;; -- read_bytes

(case read-bytes.whole
  (tree (file "f" (cat 0 1 2 253 254 255)))
  (call read_bytes :path "f")
  (reply :path "f" :content "AAEC/f7/" :size 6 :offset 0 :truncated nil
         :version (like "????????????????????????????????")))
(case read-bytes.offset-and-limit
  (tree (file "f" "abcdef"))
  (call read_bytes :path "f" :offset 1 :limit 3)
  (reply :content "YmNk" :size 6 :offset 1 :limit 3 :truncated t))
(case read-bytes.to-the-end
  (tree (file "f" "abcdef"))
  (call read_bytes :path "f" :offset 4 :limit 2)
  (reply :content "ZWY=" :truncated nil))
(case read-bytes.limit-past-the-end
  (tree (file "f" "abcdef"))
  (call read_bytes :path "f" :offset 4 :limit 900)
  (reply :content "ZWY=" :truncated nil))
(case read-bytes.at-the-end
  (tree (file "f" "abcdef"))
  (call read_bytes :path "f" :offset 6)
  (reply :content "" :size 6 :offset 6 :truncated nil))
(case read-bytes.past-the-end
  (tree (file "f" "abcdef"))
  (call read_bytes :path "f" :offset 7)
  (error invalid-argument "offset" "6 bytes"))
(case read-bytes.empty
  (tree (file "f" ""))
  (call read_bytes :path "f")
  (reply :content "" :size 0 :truncated nil))
(case read-bytes.text-is-not-decoded
  (tree (file "f" (cat 239 187 191 "a" 13 10)))
  (call read_bytes :path "f")
  (reply :content "77u/YQ0K"))
(case read-bytes.sparse
  (threats 28)
  (tree (sparse "f" 8796093022208))
  (call read_bytes :path "f" :offset 8796093022200 :limit 4)
  (reply :content "AAAAAA==" :size 8796093022208 :truncated t))
(case read-bytes.no-more-than-a-reply-holds
  (threats 28)
  (tree (file "f" (repeat "abc" 4000)))
  (options :limits (:reply_bytes 4096))
  (call read_bytes :path "f")
  (reply :size 12000 :limit 3072 :truncated t :text (contains "[truncated")))

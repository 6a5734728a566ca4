;;;; Where paths lead: the boundary, the same for every operation.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- out of the project, by the path's text

(each every-operation
  (case *.dotdot (threats 1) (tree plain outside)
    (call * :path "../outside/secret.txt")
    (error outside-root "Path '../outside/secret.txt' is outside project root" (root)
           :path "../outside/secret.txt"
           :text (contains "Error: Path '../outside/secret.txt' is outside project root ("))
    (never "TOPSECRET"))
  (case *.dotdot-after-descent (threats 1) (tree plain outside)
    (call * :path "sub/../../outside/secret.txt")
    (error outside-root "is outside project root") (never "TOPSECRET"))
  (case *.dotdot-missing-outside (threats 1) (tree plain outside)
    (call * :path "../outside/none.txt")
    (error outside-root "Path '../outside/none.txt' is outside project root"))
  (case *.parent (threats 1) (tree plain outside)
    (call * :path "..") (error outside-root "is outside project root") (never "TOPSECRET"))
  (case *.parent-slash (threats 1) (tree plain outside)
    (call * :path "../") (error outside-root "is outside project root"))
  (case *.absolute-outside (threats 1) (tree plain outside)
    (call * :path (cat (base) "/outside/secret.txt"))
    (error outside-root "is outside project root") (never "TOPSECRET"))
  (case *.etc-passwd (threats 1) (tree plain)
    (call * :path "/etc/passwd") (error outside-root "Path '/etc/passwd' is outside"))
  (case *.slash (threats 1) (tree plain)
    (call * :path "/") (error outside-root "Path '/' is outside"))
  (case *.sibling-prefix (threats 2) (tree plain outside)
    (call * :path (cat (root) "-evil/secret.txt"))
    (error outside-root "is outside project root") (never "TOPSECRET"))
  (case *.sibling-prefix-relative (threats 2) (tree plain outside)
    (call * :path "../project-evil/secret.txt")
    (error outside-root "is outside project root") (never "TOPSECRET"))
  (case *.home (threats 8) (tree plain outside) (options :home (cat (base) "/outside"))
    (call * :path "~/secret.txt")
    (error outside-root "Path '~/secret.txt' is outside project root") (never "TOPSECRET"))
  (case *.tramp-name (threats 8) (tree plain)
    (call * :path "/ssh:h:/etc/passwd") (error outside-root "is outside project root")))

;;; -- out of the project, by links

(each every-operation
  (case *.below-link-out (threats 10) (tree plain outside (link "lo" "../outside"))
    (call * :path "lo/secret.txt")
    (error outside-root "Path 'lo/secret.txt' is outside") (never "TOPSECRET"))
  (case *.link-out-slash (threats 13) (tree plain outside (link "lo" "../outside"))
    (call * :path "lo/") (error outside-root "Path 'lo/' is outside") (never "TOPSECRET"))
  (case *.link-out-dot (threats 13) (tree plain outside (link "lo" "../outside"))
    (call * :path "lo/.") (error outside-root "Path 'lo/.' is outside") (never "TOPSECRET"))
  (case *.link-out-slashes (threats 13) (tree plain outside (link "lo" "../outside"))
    (call * :path "lo//") (error outside-root "Path 'lo//' is outside") (never "TOPSECRET"))
  (case *.link-to-root-of-all (threats 10) (tree plain (link "lo" "/"))
    (call * :path "lo/etc/passwd") (error outside-root "is outside"))
  (case *.link-to-sibling-prefix (threats 2) (tree plain outside (link "lo" "../project-evil"))
    (call * :path "lo/secret.txt") (error outside-root "is outside") (never "TOPSECRET"))
  (case *.link-to-proc-root (threats 16) (tree plain (link "lo" "/proc/self/root"))
    (call * :path "lo/etc/passwd") (error outside-root "is outside")))

(each link-followers
  (case *.link-out (threats 10) (tree plain outside (link "lo" "../outside/secret.txt"))
    (call * :path "lo")
    (error outside-root "Path 'lo' is outside project root") (never "TOPSECRET" "secret.txt"))
  (case *.link-out-absolute (threats 10)
    (tree plain outside (link "lo" (cat (base) "/outside/secret.txt")))
    (call * :path "lo")
    (error outside-root "Path 'lo' is outside project root") (never "TOPSECRET" "secret.txt"))
  (case *.link-out-three-hops (threats 10)
    (tree plain outside (chain "hop" 3 "../outside/secret.txt"))
    (call * :path "hop1")
    (error outside-root "Path 'hop1' is outside project root") (never "TOPSECRET"))
  (case *.link-out-directory (threats 10) (tree plain outside (link "lo" "../outside"))
    (call * :path "lo") (error outside-root "Path 'lo' is outside") (never "TOPSECRET"))
  (case *.link-to-proc-fd (threats 16) (tree plain (link "lo" "/proc/self/fd/0"))
    (call * :path "lo") (error outside-root "is outside"))
  (case *.link-to-proc-cwd (threats 16) (tree plain (link "lo" "/proc/self/cwd"))
    (call * :path "lo") (error outside-root "is outside"))
  (case *.link-to-stdin (threats 16) (tree plain (link "lo" "/dev/stdin"))
    (call * :path "lo") (error outside-root "is outside"))
  (case *.link-to-device (threats 27) (tree plain (link "lo" "/dev/null"))
    (call * :path "lo") (error outside-root "is outside")))

;; The link is in the project, and what it says may be seen there; what is behind it may not.
(case get-file-info.link-out (threats 10)
  (tree plain outside (link "lo" "../outside/secret.txt"))
  (call get_file_info :path "lo")
  (reply :path "lo" :type :symlink :readable nil :writable nil :encoding nil :version nil
         :mime-type "inode/symlink")
  (never "TOPSECRET"))
(case get-file-info.link-out-absolute (threats 10)
  (tree plain outside (link "lo" (cat (base) "/outside/secret.txt")))
  (call get_file_info :path "lo")
  (reply :path "lo" :type :symlink :readable nil :writable nil :encoding nil :version nil
         :mime-type "inode/symlink")
  (never "TOPSECRET"))
(case get-file-info.link-out-three-hops (threats 10)
  (tree plain outside (chain "hop" 3 "../outside/secret.txt"))
  (call get_file_info :path "hop1")
  (reply :path "hop1" :type :symlink :readable nil :writable nil :encoding nil :version nil
         :mime-type "inode/symlink")
  (never "TOPSECRET"))
(case get-file-info.link-out-directory (threats 10)
  (tree plain outside (link "lo" "../outside"))
  (call get_file_info :path "lo")
  (reply :path "lo" :type :symlink :readable nil :writable nil :encoding nil :version nil
         :mime-type "inode/symlink")
  (never "TOPSECRET"))
(case get-file-info.link-to-proc-fd (threats 16)
  (tree plain (link "lo" "/proc/self/fd/0"))
  (call get_file_info :path "lo")
  (reply :path "lo" :type :symlink :readable nil :writable nil :encoding nil :version nil
         :mime-type "inode/symlink")
  (never "TOPSECRET"))
(case get-file-info.link-to-device (threats 27)
  (tree plain (link "lo" "/dev/null"))
  (call get_file_info :path "lo")
  (reply :path "lo" :type :symlink :readable nil :writable nil :encoding nil :version nil
         :mime-type "inode/symlink")
  (never "TOPSECRET"))

;; No oracle: whether there is something outside is not told.  Each pair has the same message.
(each link-followers
  (case *.link-to-what-is-there (threats 10 133) (tree outside (link "x" "../outside/secret.txt"))
    (call * :path "x")
    (error outside-root :message (cat "Path 'x' is outside project root (" (root) "/)")
           :path "x" :hint "A link in it leads out; get_file_info shows the link itself"
           :text (cat "Error: Path 'x' is outside project root (" (root) "/)" 10
                      "A link in it leads out; get_file_info shows the link itself")))
  (case *.link-to-what-is-not-there (threats 11 133) (tree outside (link "x" "../outside/none.txt"))
    (call * :path "x")
    (error outside-root :message (cat "Path 'x' is outside project root (" (root) "/)")
           :path "x" :hint "A link in it leads out; get_file_info shows the link itself"
           :text (cat "Error: Path 'x' is outside project root (" (root) "/)" 10
                      "A link in it leads out; get_file_info shows the link itself"))))

(each every-operation
  (case *.through-what-is-there (threats 133) (tree plain outside)
    (call * :path "../outside/../project/a.txt") (error outside-root "is outside"))
  (case *.through-what-is-not-there (threats 133) (tree plain outside)
    (call * :path "../none/../project/a.txt") (error outside-root "is outside")))

(case read-file.unreadable-outside (threats 133) (only nobody)
  (tree outside (link "x" "../outside/locked/y") (file "../outside/locked/y" "TOPSECRET")
        (mode "../outside/locked" "0000"))
  (call read_file :path "x")
  (error outside-root :message (cat "Path 'x' is outside project root (" (root) "/)")))

;;; -- links that stay inside

(each file-operations
  (case *.plain (tree plain) (call * :path "a.txt") (reply :path "a.txt"))
  (case *.link-in (threats 9) (tree plain (link "l" "a.txt"))
    (call * :path "l") (reply :path "a.txt"))
  (case *.link-in-absolute (threats 9) (tree plain (link "l" (cat (root) "/a.txt")))
    (call * :path "l") (reply :path "a.txt"))
  (case *.link-in-three-hops (threats 9) (tree plain (chain "hop" 3 "sub/b.txt"))
    (call * :path "hop1") (reply :path "sub/b.txt"))
  (case *.link-out-and-back (not-in (session "the root has another name")) (threats 9) (tree plain (link "l" "../project/sub/b.txt"))
    (call * :path "l") (reply :path "sub/b.txt"))
  (case *.link-through-directories (threats 9)
    (tree plain (link "sub/up" "..") (link "l" "sub/up/sub/deep"))
    (call * :path "l/c.txt") (reply :path "sub/deep/c.txt"))
  (case *.dotdot-after-link (threats 7)
    (tree (file "a/b/f" "right") (file "b/f" "wrong") (link "dirl" "a/b"))
    (call * :path "dirl/../b/f") (reply :path "a/b/f"))
  (case *.chain-of-40 (threats 14) (tree plain (chain "c" 40 "a.txt"))
    (call * :path "c1") (reply :path "a.txt")))

(each listings
  (case *.plain (tree plain) (call * :path "sub") (reply :path "sub"))
  (case *.link-in (threats 9) (tree plain (link "l" "sub"))
    (call * :path "l") (reply :path "sub"))
  (case *.link-in-absolute (threats 9) (tree plain (link "l" (cat (root) "/sub")))
    (call * :path "l") (reply :path "sub"))
  (case *.link-out-and-back (not-in (session "the root has another name")) (threats 9) (tree plain (link "l" "../project/sub"))
    (call * :path "l/deep") (reply :path "sub/deep"))
  (case *.link-to-the-root (threats 9) (tree plain (link "sub/up" ".."))
    (call * :path "sub/up") (reply :path ".")))

(case search-files.link-in (threats 9) (tree plain (link "l" "sub"))
  (call search_files :path "l" :pattern "*")
  (reply :paths ("sub/b.txt")))
(case search-files.link-out-and-back (not-in (session "the root has another name")) (threats 9) (tree plain (link "l" "../project/sub"))
  (call search_files :path "l" :pattern "*")
  (reply :paths ("sub/b.txt")))
(case grep-files.link-in (threats 9) (tree plain (link "l" "a.txt"))
  (call grep_files :path "l" :pattern "beta")
  (reply :matches ((:path "a.txt" :line 2)) :total 1))
(case grep-files.link-in-directory (threats 9) (tree plain (link "l" "sub"))
  (call grep_files :path "l" :pattern "bravo")
  (reply :matches ((:path "sub/b.txt" :line 1)) :total 1))

;;; -- links that lead nowhere

(each openers
  (case *.missing (tree plain)
    (call * :path "none") (error not-found "Path 'none' does not exist" :path "none"))
  (case *.missing-below-missing (tree plain)
    (call * :path "none/x/y") (error not-found "Path 'none/x/y' does not exist"))
  (case *.dangling-in (threats 12) (tree plain (link "d" "none"))
    (call * :path "d") (error not-found "Path 'd' does not exist"))
  (case *.loop (threats 14) (tree (link "x" "x"))
    (call * :path "x") (error loop "Path 'x' leads through too many symbolic links"))
  (case *.loop-of-two (threats 14) (tree (link "x" "y") (link "y" "x"))
    (call * :path "x/z") (error loop "too many symbolic links"))
  (case *.chain-of-41 (threats 14) (tree plain (chain "c" 41 "a.txt"))
    (call * :path "c1") (error loop "too many symbolic links"))
  (case *.dotdot-after-missing (threats 7) (tree plain)
    (call * :path "none/../a.txt") (error not-found "does not exist"))
  (case *.dotdot-after-dangling (threats 7) (tree plain (link "dang" "none"))
    (call * :path "dang/../a.txt") (error not-found "does not exist")))

(each link-followers
  (case *.dangling-out (threats 11) (tree plain outside (link "d" "../outside/none"))
    (call * :path "d") (error outside-root "Path 'd' is outside")))

;;; -- files that are no directories

(each every-operation
  (case *.locked (threats 89) (only nobody) (tree (file "d/x" "x") (mode "d" "0000"))
    (call * :path "d/x") (error permission "No permission for path 'd/x'")))

(define not-quite-existing
  list_directory list_dir directory_tree get_file_info read_file read_bytes
  (search_files :pattern "**") (grep_files :pattern "x"))

(each not-quite-existing
  (case *.below-a-file (tree plain)
    (call * :path "a.txt/x") (error not-a-directory "Path 'a.txt/x' is not a directory"))
  (case *.dotdot-after-file (tree plain)
    (call * :path "a.txt/../a.txt") (error not-a-directory "is not a directory"))
  (case *.file-with-slash (tree plain)
    (call * :path "a.txt/") (error not-a-directory "Path 'a.txt/' is not a directory"))
  (case *.file-with-dot (tree plain)
    (call * :path "a.txt/.") (error not-a-directory "Path 'a.txt/.' is not a directory"))
  (case *.link-to-file-with-slash (tree plain (link "l" "a.txt"))
    (call * :path "l/") (error not-a-directory "Path 'l/' is not a directory"))
  (case *.link-with-slash-to-file (tree plain (link "l" "a.txt/"))
    (call * :path "l") (error not-a-directory "Path 'l' is not a directory")))

(each directory-operations
  (case *.of-a-file (tree plain)
    (call * :path "a.txt") (error not-a-directory "Path 'a.txt' is not a directory"))
  (case *.of-a-fifo (threats 26) (tree (fifo "p"))
    (call * :path "p") (error not-a-directory "Path 'p' is not a directory"))
  (case *.of-a-locked-directory (threats 89) (only nobody)
    (tree (file "d/x" "x") (mode "d" "0111"))
    (call * :path "d") (error permission "No permission for path 'd'")))

(each readers
  (case *.of-a-directory (tree plain)
    (call * :path "sub") (error is-directory "Path 'sub' is a directory"))
  (case *.of-a-directory-with-slash (tree plain)
    (call * :path "sub/") (error is-directory "Path 'sub/' is a directory"))
  (case *.of-the-root (tree plain)
    (call * :path ".") (error is-directory "Path '.' is a directory"))
  (case *.of-a-link-to-a-directory (tree plain (link "l" "sub"))
    (call * :path "l") (error is-directory "Path 'l' is a directory"))
  (case *.of-a-fifo (threats 26) (tree (fifo "p"))
    (call * :path "p") (error not-regular "Path 'p' is not a regular file"))
  (case *.of-a-link-to-a-fifo (threats 26) (tree (fifo "p") (link "l" "p"))
    (call * :path "l") (error not-regular "Path 'l' is not a regular file"))
  (case *.of-a-socket (threats 27) (tree (socket "s"))
    (call * :path "s") (error not-regular "Path 's' is not a regular file"))
  (case *.of-a-device (threats 27) (only root) (tree (device "null"))
    (call * :path "null") (error not-regular "Path 'null' is not a regular file"))
  (case *.of-an-unreadable-file (threats 89) (only nobody) (tree (file "f" "x") (mode "f" "0000"))
    (call * :path "f") (error permission "No permission for path 'f'"))
  (case *.of-an-unreadable-file-as-root (threats 90) (only root)
    (tree (file "f" (lines "x")) (mode "f" "0000"))
    (call * :path "f") (reply :path "f"))
  (case *.in-a-directory-that-is-only-searched (threats 89) (only nobody)
    (tree (file "d/f" (lines "x")) (mode "d" "0111"))
    (call * :path "d/f") (reply :path "d/f")))

(case grep-files.of-a-fifo (threats 26) (tree (fifo "p"))
  (call grep_files :path "p" :pattern "x") (error not-regular "Path 'p' is not a regular file"))
(case grep-files.of-an-unreadable-file (threats 89) (only nobody)
  (tree (file "f" "x") (mode "f" "0000"))
  (call grep_files :path "f" :pattern "x") (error permission "No permission for path 'f'"))

;;; -- what is no path at all

(each every-operation
  (case *.empty-path (threats 4) (tree plain)
    (call * :path "") (error invalid-argument "the path is empty" :path ""))
  (case *.nul (threats 5) (tree plain outside)
    (call * :path (cat "a.txt" 0 "/../../outside/secret.txt"))
    (error invalid-argument "the path contains a NUL byte"))
  (case *.nul-at-the-end (threats 5) (tree plain)
    (call * :path (cat "a.txt" 0)) (error invalid-argument "NUL"))
  (case *.quoted-nul (threats 5) (tree plain)
    (call * :path "\"a.txt\\000\"") (error invalid-argument "NUL"))
  (case *.bad-quoting (tree plain)
    (call * :path "\"a.txt") (error invalid-argument "quoted form"))
  (case *.quoted-escape (threats 1) (tree plain outside)
    (call * :path "\"\\056\\056/outside/secret.txt\"")
    (error outside-root "is outside project root") (never "TOPSECRET"))
  (case *.path-of-4096-bytes (threats 6) (tree plain)
    (call * :path (cat (repeat "d/" 2047) "xx"))
    (error too-long "the path is longer than 4095 bytes"))
  (case *.name-of-256-bytes (threats 6) (tree plain)
    (call * :path (cat "sub/" (repeat "n" 256)))
    (error too-long "a name in the path is longer than 255 bytes")))

(each openers
  (case *.path-of-4095-bytes (threats 6) (tree plain)
    (call * :path (cat (repeat "d/" 2047) "x")) (error not-found "does not exist"))
  ;; Shells' and editors' abbreviations are plain names here.
  (case *.home-of-another (threats 8) (tree plain)
    (call * :path "~root/x") (error not-found "Path '~root/x' does not exist"))
  (case *.environment-variable (threats 8) (tree plain) (options :home (base))
    (call * :path "$HOME/project/a.txt") (error not-found "Path '$HOME/project/a.txt' does not"))
  (case *.percent-encoding (threats 8) (tree plain outside)
    (call * :path "%2e%2e/outside/secret.txt") (error not-found "does not exist"))
  (case *.drive-letter (threats 8) (tree plain)
    (call * :path "C:\\x") (error not-found "does not exist"))
  (case *.backslashes (threats 8) (tree plain outside)
    (call * :path "..\\outside\\secret.txt") (error not-found "does not exist")))

;;; -- spellings of what is inside

(each file-operations
  (case *.dot (threats 79) (tree plain) (call * :path "./a.txt") (reply :path "a.txt"))
  (case *.dots (tree plain) (call * :path "sub/./../a.txt") (reply :path "a.txt"))
  (case *.slashes (tree plain) (call * :path "sub//deep///c.txt") (reply :path "sub/deep/c.txt"))
  (case *.absolute-inside (tree plain) (call * :path (cat (root) "/a.txt")) (reply :path "a.txt"))
  (case *.absolute-with-dots (tree plain)
    (call * :path (cat "/." (root) "/sub/../a.txt")) (reply :path "a.txt"))
  (case *.absolute-with-slashes (tree plain)
    (call * :path (cat "/" (root) "//a.txt")) (reply :path "a.txt"))
  (case *.out-and-back (not-in (memory "the root has another name")) (tree plain) (call * :path "../project/a.txt") (reply :path "a.txt"))
  (case *.home-inside (threats 8) (tree plain) (options :home (base))
    (call * :path "~/project/a.txt") (reply :path "a.txt"))
  (case *.quoted (tree plain) (call * :path "\"a.txt\"") (reply :path "a.txt"))
  (case *.name-of-255-bytes (threats 6) (tree (file (repeat "n" 255) (lines "x")))
    (call * :path (repeat "n" 255)) (reply :path (repeat "n" 255)))
  (case *.backslash-is-a-name (threats 8) (tree (file "a\\..\\b" (lines "x")))
    (call * :path "a\\..\\b") (reply :path "a\\..\\b"))
  (case *.dollar-is-a-name (threats 8) (tree (file "$HOME/x" (lines "x"))) (options :home (base))
    (call * :path "$HOME/x") (reply :path "$HOME/x"))
  (case *.name-with-bytes (threats 56) (tree (file (cat "a" 255 "b") (lines "x")))
    (call * :path "\"a\\377b\"") (reply :path "\"a\\377b\""))
  (case *.name-with-quote (threats 56) (tree (file "\"q\"" (lines "x")))
    (call * :path "\"\\\"q\\\"\"") (reply :path "\"\\\"q\\\"\""))
  (case *.name-like-home (threats 8 56) (tree (file "~/x" (lines "x"))) (options :home (base))
    (call * :path "\"~/x\"") (reply :path "\"~/x\""))
  (case *.name-with-newline (threats 56) (tree (file (cat "a" 10 "b") (lines "x")))
    (call * :path (cat "a" 10 "b")) (reply :path (cat "a" 10 "b")))
  (case *.name-with-leading-dash (threats 56) (tree (file "-rf" (lines "x")))
    (call * :path "-rf") (reply :path "-rf"))
  (case *.name-with-spaces (threats 56) (tree (file " a " (lines "x")))
    (call * :path " a ") (reply :path " a ")))

(each directory-operations
  (case *.spelled-with-slash (tree plain) (call * :path "sub/") (reply :truncated nil))
  (case *.spelled-with-dots (tree plain) (call * :path "sub/../sub/.") (reply :truncated nil))
  (case *.absolute-inside (tree plain) (call * :path (cat (root) "/sub")) (reply :truncated nil))
  (case *.absolute-root (tree plain) (call * :path (root)) (reply :truncated nil))
  (case *.absolute-root-slash (tree plain) (call * :path (cat (root) "/")) (reply :truncated nil)))

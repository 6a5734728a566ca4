;;;; list_directory, list_dir and directory_tree.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- list_directory: entries

(case list-directory.entries
  (tree (file "b.txt" "12345") (dir "a") (link "c" "b.txt") (fifo "d"))
  (call list_directory)
  (reply :path "." :total 4 :truncated nil
         :entries ((:name "a" :path "a" :type :directory :size nil
                    :modified (like "????-??-??T??:??:??.???Z"))
                   (:name "b.txt" :path "b.txt" :type :file :size 5
                    :modified (like "????-??-??T??:??:??.???Z"))
                   (:name "c" :path "c" :type :symlink :size nil :target "b.txt")
                   (:name "d" :path "d" :type :other :size nil))
         :text (contains "a/" "b.txt" "c" "d")))
(case list-directory.paths-are-relative-to-the-root
  (tree plain)
  (call list_directory :path "sub")
  (reply :path "sub" :entries ((:name "b.txt" :path "sub/b.txt") (:name "deep" :path "sub/deep"))))
(case list-directory.empty
  (tree (dir "d"))
  (call list_directory :path "d")
  (reply :path "d" :entries () :total 0 :truncated nil :text (contains "empty")))
(case list-directory.times
  (tree (file "f" "x") (mtime "f" 1700000000) (dir "g") (mtime "g" -1))
  (call list_directory)
  (reply :entries ((:name "f" :modified "2023-11-14T22:13:20.000Z")
                   (:name "g" :modified "1969-12-31T23:59:59.000Z"))
         :text (contains "2023-11-14 22:13")))
(case list-directory.times-far-away
  (tree (file "f" "x") (mtime "f" 4102444800) (file "g" "x") (mtime "g" -86400))
  (call list_directory)
  (reply :entries ((:modified "2100-01-01T00:00:00.000Z") (:modified "1969-12-31T00:00:00.000Z"))))
(case list-directory.links-are-not-followed
  (threats 22)
  (tree outside (link "file" "../outside/secret.txt") (link "dir" "../outside")
        (link "dangling" "none") (link "loop" "loop"))
  (call list_directory :depth 9)
  (reply :total 4
         :entries ((:name "dangling" :type :symlink :target "none")
                   (:name "dir" :type :symlink :target "../outside")
                   (:name "file" :type :symlink :target "../outside/secret.txt")
                   (:name "loop" :type :symlink :target "loop"))
         :text (contains "  dangling@ -> none" "  dir@ -> ../outside" "  loop@ -> loop"))
  (never "TOPSECRET" "more.txt"))
(case list-directory.empty-file-and-large
  (threats 28)
  (tree (file "empty" "") (sparse "large" 8796093022208))
  (call list_directory)
  (reply :entries ((:size 0) (:size 8796093022208)) :text (contains "8.0T  large")))
(case list-directory.sizes-in-words
  (tree (file "a" (repeat "x" 999)) (file "b" (repeat "x" 1000)) (sparse "c" 1234567))
  (call list_directory)
  (reply :text (contains "   999  a" "  1.0K  b" "  1.2M  c")))

;;; -- list_directory: order

(define unsorted
  (file "b" "1") (file "B" "22") (file "a" "333") (file "_" "") (file "a.b" "4444")
  (file (cat (char 233)) "55555") (dir "a-dir"))

(case list-directory.by-name-is-bytewise
  (tree unsorted)
  (call list_directory)
  (reply :entries ((:name "B") (:name "_") (:name "a") (:name "a-dir") (:name "a.b") (:name "b")
                   (:name (cat (char 233))))))
(case list-directory.by-size-an-empty-file-before-directories
  (tree (dir "a") (file "b" "") (file "c" "x"))
  (call list_directory :sort_by "size")
  (reply :entries ((:name "c") (:name "b") (:name "a"))))
(case list-directory.by-size
  (tree unsorted)
  (call list_directory :sort_by "size")
  (reply :entries ((:name (cat (char 233))) (:name "a.b") (:name "a") (:name "B") (:name "b")
                   (:name "_") (:name "a-dir"))))
(case list-directory.empty-files-before-directories
  (tree (dir "a") (file "b" "") (file "c" "1"))
  (call list_directory :sort_by "size")
  (reply :entries ((:name "c") (:name "b") (:name "a"))))
(case list-directory.by-time
  (tree (file "old" "") (mtime "old" 1000) (file "new" "") (mtime "new" 3000)
        (file "mid" "") (mtime "mid" 2000) (file "also-mid" "") (mtime "also-mid" 2000))
  (call list_directory :sort_by "modified")
  (reply :entries ((:name "new") (:name "also-mid") (:name "mid") (:name "old"))))
(case list-directory.depth-first
  (tree plain (file "sub.txt" "") (file "sub-x" ""))
  (call list_directory :depth 2)
  (reply :entries ((:path "a.txt") (:path "sub") (:path "sub/b.txt") (:path "sub/deep")
                   (:path "sub-x") (:path "sub.txt"))))
(case list-directory.depth-first-all
  (tree plain)
  (call list_directory :depth 256)
  (reply :entries ((:path "a.txt") (:path "sub") (:path "sub/b.txt") (:path "sub/deep")
                   (:path "sub/deep/c.txt"))))

;;; -- list_directory: offset and limit

(case list-directory.limit
  (tree (files "f" 1 9 ""))
  (call list_directory :limit 3)
  (reply :entries ((:name "f1") (:name "f2") (:name "f3")) :total 9 :truncated t
         :text (contains "[truncated" "3 of 9" "offset=3")))
(case list-directory.offset
  (tree (files "f" 1 9 ""))
  (call list_directory :offset 7 :limit 5)
  (reply :entries ((:name "f8") (:name "f9")) :total 9 :truncated nil :text (without "truncated")))
(case list-directory.offset-in-the-middle
  (tree (files "f" 1 9 ""))
  (call list_directory :offset 3 :limit 2)
  (reply :entries ((:name "f4") (:name "f5")) :total 9 :truncated t :text (contains "offset=5")))
(case list-directory.offset-past-the-end
  (tree (files "f" 1 9 ""))
  (call list_directory :offset 100)
  (reply :entries () :total 9 :truncated nil :text (contains "9")))
(case list-directory.limit-of-exactly-all
  (tree (files "f" 1 9 ""))
  (call list_directory :limit 9)
  (reply :total 9 :truncated nil :text (without "truncated")))
(case list-directory.200-by-default
  (threats 87)
  (tree (files "f" 1 250 ""))
  (call list_directory)
  (reply :total 250 :truncated t :text (contains "200 of 250" "offset=200")))
(case list-directory.default-is-an-option
  (tree (files "f" 1 9 ""))
  (options :limits (:list_entries 2))
  (call list_directory)
  (reply :entries ((:name "f1") (:name "f2")) :total 9 :truncated t))
(case list-directory.limit-beats-the-option
  (tree (files "f" 1 9 ""))
  (options :limits (:list_entries 2))
  (call list_directory :limit 5)
  (reply :entries ((:name "f1") (:name "f2") (:name "f3") (:name "f4") (:name "f5"))))
(case list-directory.no-more-entries-than-the-workspace-looks-at
  (threats 87)
  (tree (files "f" 1 9 ""))
  (options :limits (:walk_entries 4))
  (call list_directory)
  (reply :total 4 :truncated t :cut t :text (contains "larger or deeper than one call")))
(case list-directory.no-deeper-than-the-workspace-looks
  (threats 30)
  (tree (file "1/2/3/4/f" ""))
  (options :limits (:walk_depth 2))
  (call list_directory :depth 5)
  (reply :entries ((:path "1") (:path "1/2")) :truncated t :cut t
         :text (contains "larger or deeper than one call")))
(case list-directory.depth-asked-for-is-no-cut
  (tree (file "1/2/3/4/f" ""))
  (call list_directory :depth 2)
  (reply :entries ((:path "1") (:path "1/2")) :truncated nil :cut nil))
(case list-directory.reply-is-bounded
  (threats 87)
  (tree (files "name-of-a-file-" 1 100 ""))
  (options :limits (:reply_bytes 4096))
  (call list_directory)
  (reply :total 100 :truncated t :entries (has (:name "name-of-a-file-1"))
         :text (contains "[truncated" "of 100")))

;;; -- list_directory: hidden and excluded names

(define dotted
  (file ".hidden" "") (file ".git/config" "") (file "sub/.hidden" "") (file "sub/.git" "")
  (file "a" "") (file "a.o" "") (file "sub/b.o" "") (file "node_modules/x" ""))

(case list-directory.hides-dotfiles-on-request
  (tree dotted)
  (call list_directory :depth 2 :show_hidden false)
  (reply :entries ((:path "a") (:path "a.o") (:path "node_modules") (:path "node_modules/x")
                   (:path "sub") (:path "sub/b.o"))))
(case list-directory.shows-dotfiles-but-git
  (tree dotted)
  (call list_directory :depth 2)
  (reply :entries ((:path ".hidden") (:path "a") (:path "a.o") (:path "node_modules")
                   (:path "node_modules/x") (:path "sub") (:path "sub/.hidden")
                   (:path "sub/b.o"))))
(case list-directory.excludes-nothing
  (tree dotted)
  (call list_directory :show_hidden t :exclude_patterns ())
  (reply :entries ((:path ".git") (:path ".hidden") (:path "a") (:path "a.o")
                   (:path "node_modules") (:path "sub"))))
(case list-directory.excludes-by-basename
  (tree dotted)
  (call list_directory :depth 2 :exclude_patterns (".*" "*.o" "node_modules"))
  (reply :entries ((:path "a") (:path "sub"))))
(case list-directory.excludes-everything
  (tree dotted)
  (call list_directory :exclude_patterns ("*"))
  (reply :entries () :total 0))
(case list-directory.excludes-not-by-path
  (tree dotted)
  (call list_directory :depth 2 :exclude_patterns ("sub/b.o" ".*"))
  (reply :entries ((:path "a") (:path "a.o") (:path "node_modules") (:path "node_modules/x")
                   (:path "sub") (:path "sub/b.o"))))
(case list-directory.does-not-descend-into-excluded
  (tree (file "skip/keep" "") (file "b" ""))
  (call list_directory :depth 9 :exclude_patterns ("skip"))
  (reply :entries ((:path "b"))))
(case list-directory.excluded-name-may-be-named
  (tree dotted)
  (call list_directory :path ".git")
  (reply :entries ((:path ".git/config"))))
(case list-directory.exclusions-as-a-json-string
  (tree dotted)
  (call list_directory :exclude_patterns "[\"*.o\", \"node_modules\"]")
  (reply :entries ((:path ".git") (:path ".hidden") (:path "a") (:path "sub"))))
(case list-directory.null-is-not-given
  (tree dotted)
  (call list_directory :exclude_patterns null :show_hidden null :path null :sort_by null)
  (reply :entries ((:path ".hidden") (:path "a") (:path "a.o") (:path "node_modules") (:path "sub"))))
(case list-directory.bad-exclusion
  (tree dotted)
  (call list_directory :exclude_patterns ("a" ""))
  (error invalid-argument "pattern is empty"))

;;; -- list_directory: names as they are

(case list-directory.strange-names
  (threats 56)
  (tree (file (cat "a" 10 "b") "") (file (cat 27 "]0;x") "") (file (cat 255 "q") "")
        (file "-rf" "") (file "t " "") (file "\"q" ""))
  (call list_directory)
  (reply :entries ((:name (cat 27 "]0;x"))
                   (:name "\"\\\"q\"")
                   (:name "-rf")
                   (:name (cat "a" 10 "b"))
                   (:name "t ")
                   (:name "\"\\377q\""))
         :text (contains "\"\\033]0;x\"" "\"a\\nb\"" "-rf" "\"t\\040\"" "\"\\377q\"")))
(case list-directory.bidi-in-a-name
  (threats 57)
  (tree (file (cat "a" (char 8238) "b") ""))
  (call list_directory)
  (reply :entries ((:name (cat "a" (char 8238) "b")))
         :text (contains "\"a\\342\\200\\256b\"")))
(case list-directory.tilde-name
  (threats 8 56)
  (tree (file "~/x" ""))
  (call list_directory :depth 2)
  (reply :entries ((:name "~" :path "~") (:name "x" :path "\"~/x\""))))
(case list-directory.long-name
  (threats 6)
  (tree (file (repeat "n" 255) ""))
  (call list_directory)
  (reply :entries ((:name (repeat "n" 255)))))

;;; -- list_directory: what cannot be read

(case list-directory.unreadable-below
  (threats 89)
  (only nobody)
  (tree (file "a/x" "") (file "b/y" "") (mode "a" "0000") (file "c/z" "") (mode "c" "0111"))
  (call list_directory :depth 2)
  (reply :entries ((:path "a") (:path "b") (:path "b/y") (:path "c")) :unreadable 2
         :text (contains "2 directories could not be read")))
(case list-directory.readable-but-not-searchable
  (threats 89)
  (only nobody)
  (tree (file "d/x" "") (mode "d" "0444"))
  (call list_directory :path "d")
  (reply :entries ((:name "x" :size nil :modified nil))))

;;; -- list_dir

(case list-dir.markers
  (tree plain (link "l" "a.txt") (file "run" "") (mode "run" "0755") (fifo "p"))
  (call list_dir)
  (reply :path "." :total 7 :truncated nil
         :text (lines "a.txt" "l@" "p" "run*" "sub/" "sub/b.txt" "sub/deep/")))
(case list-dir.breadth-first
  (tree (file "b/c/d" "") (file "b/e" "") (file "a/f" "") (file "z" ""))
  (call list_dir :depth 3)
  (reply :text (lines "a/" "b/" "z" "a/f" "b/c/" "b/e" "b/c/d")
         :entries ((:path "a") (:path "b") (:path "z") (:path "a/f") (:path "b/c") (:path "b/e")
                   (:path "b/c/d"))))
(case list-dir.two-levels-by-default
  (tree (file "1/2/3/f" ""))
  (call list_dir)
  (reply :text (lines "1/" "1/2/")))
(case list-dir.one-level
  (tree plain)
  (call list_dir :depth 1)
  (reply :text (lines "a.txt" "sub/")))
(case list-dir.of-a-directory
  (tree plain)
  (call list_dir :path "sub")
  (reply :path "sub" :text (lines "b.txt" "deep/" "deep/c.txt")
         :entries ((:path "sub/b.txt") (:path "sub/deep") (:path "sub/deep/c.txt"))))
(case list-dir.offset-and-limit
  (tree (files "f" 1 9 ""))
  (call list_dir :offset 2 :limit 3)
  (reply :entries ((:name "f3") (:name "f4") (:name "f5")) :total 9 :truncated t
         :text (contains "f3" "f5" "[truncated" "offset=5")))
(case list-dir.shows-dotfiles
  (tree (file ".hidden" "") (file "a" ""))
  (call list_dir)
  (reply :text (lines ".hidden" "a")))
(case list-dir.knows-no-exclusions
  (tree plain)
  (call list_dir :exclude_patterns ("a"))
  (error invalid-argument "exclude_patterns: unknown argument" "path, depth, offset, limit"))
(case list-dir.strange-names
  (threats 56)
  (tree (file (cat "a" 10 "b/@") "") (file "a@" ""))
  (call list_dir)
  (reply :text (lines "\"a\\nb\"/" "a@" "\"a\\nb/@\"")))

;;; -- directory_tree

(case directory-tree.nests (not-in (session "the root has another name"))
  (tree plain (link "l" "sub") (fifo "p"))
  (call directory_tree)
  (reply :path "." :files 5 :directories 2 :truncated nil
         :tree (:name "project" :type :directory
                :children ((:name "a.txt" :type :file :children nil)
                           (:name "l" :type :symlink :children nil)
                           (:name "p" :type :other)
                           (:name "sub" :type :directory
                            :children ((:name "b.txt" :type :file)
                                       (:name "deep" :type :directory
                                        :children ((:name "c.txt")))))))
         :text (lines "project/" "  a.txt  17" "  l@" "  p" "  sub/" "    b.txt  6" "    deep/"
                      "      c.txt  8" "5 files, 2 directories")))
(case directory-tree.of-a-directory
  (tree plain)
  (call directory_tree :path "sub")
  (reply :path "sub" :files 2 :directories 1 :tree (:name "sub" :children ((:name "b.txt") (any)))))
(case directory-tree.empty
  (tree (dir "d"))
  (call directory_tree :path "d")
  (reply :tree (:name "d" :type :directory :children ()) :files 0 :directories 0))
(case directory-tree.max-depth
  (tree plain)
  (call directory_tree :max_depth 1)
  (reply :tree (:children ((:name "a.txt") (:name "sub" :type :directory :children nil)))
         :truncated nil))
(case directory-tree.max-depth-two
  (tree plain)
  (call directory_tree :max_depth 2)
  (reply :tree (:children ((:name "a.txt")
                           (:name "sub" :children ((:name "b.txt") (:name "deep" :children nil)))))
         :files 2 :directories 2))
(case directory-tree.excludes-git
  (tree dotted)
  (call directory_tree)
  (reply :tree (:children ((:name ".hidden") (:name "a") (:name "a.o")
                           (:name "node_modules" :children ((:name "x")))
                           (:name "sub" :children ((:name ".hidden") (:name "b.o")))))
         :files 6 :directories 2))
(case directory-tree.excludes-nothing
  (tree dotted)
  (call directory_tree :exclude_patterns ())
  (reply :tree (:children (has (:name ".git" :type :directory :children ((:name "config")))))
         :files 8 :directories 3))
(case directory-tree.excludes-by-basename
  (tree dotted)
  (call directory_tree :exclude_patterns ("*.o" ".*" "node_modules"))
  (reply :tree (:children ((:name "a") (:name "sub" :children ()))) :files 1 :directories 1))
(case directory-tree.excludes-with-question-mark
  (tree (file "ab" "") (file "abc" "") (file (cat "a" (char 233)) ""))
  (call directory_tree :exclude_patterns ("a?"))
  (reply :tree (:children ((:name "abc"))) :files 1))
(case directory-tree.excludes-everything (not-in (memory "the root has another name") (session "the root has another name"))
  (tree plain)
  (call directory_tree :exclude_patterns ("*"))
  (reply :tree (:name "project" :children ()) :files 0 :directories 0))
(case directory-tree.limit-shows-the-top
  (tree (file "a/1/x" "") (file "a/2" "") (file "b/3" "") (file "c" ""))
  (call directory_tree :limit 3)
  (reply :tree (:children ((:name "a" :children () :more 2) (:name "b" :children () :more 1)
                           (:name "c")))
         :files 4 :directories 3 :truncated t :text (contains "[truncated" "[2 more]")))
(case directory-tree.limit-zero-shows-all
  (tree (files "f" 1 2100 ""))
  (call directory_tree :limit 0)
  (reply :files 2100 :truncated nil))
(case directory-tree.2000-by-default
  (tree (files "f" 1 2100 ""))
  (call directory_tree)
  (reply :files 2100 :truncated t :tree (:more 100)))
(case directory-tree.sorted-bytewise
  (tree unsorted)
  (call directory_tree)
  (reply :tree (:children ((:name "B") (:name "_") (:name "a") (:name "a-dir") (:name "a.b")
                           (:name "b") (:name (cat (char 233)))))))
(case directory-tree.links-are-not-followed
  (threats 14 22)
  (tree outside (link "out" "../outside") (link "up" ".") (link "d/up" "..") (link "l" "l"))
  (call directory_tree)
  (reply :tree (:children ((:name "d" :children ((:name "up" :type :symlink :children nil)))
                           (:name "l" :type :symlink) (:name "out" :type :symlink :children nil)
                           (:name "up" :type :symlink :children nil)))
         :files 4 :directories 1)
  (never "secret.txt" "TOPSECRET"))
(case directory-tree.deeper-than-it-looks (not-in (memory "a mount does not bring what a walk does not see"))
  (threats 30)
  (tree (dir (cat (repeat "d/" 300) "d")))
  (call directory_tree)
  (reply :directories 256 :truncated t :cut t))
(case directory-tree.strange-names
  (threats 56)
  (tree (file (cat "a" 10 "b") "") (file (cat 255 "q") ""))
  (call directory_tree)
  (reply :tree (:children ((:name (cat "a" 10 "b")) (:name "\"\\377q\"")))
         :text (contains "  \"a\\nb\"" "  \"\\377q\"")))
(case directory-tree.unreadable-below
  (threats 89)
  (only nobody)
  (tree plain (mode "sub" "0000"))
  (call directory_tree)
  (reply :tree (:children ((:name "a.txt") (:name "sub" :children ()))) :unreadable 1
         :text (contains "1 directory could not be read")))
(case directory-tree.reply-is-bounded
  (tree (files "name-of-a-file-" 1 200 ""))
  (options :limits (:reply_bytes 4096))
  (call directory_tree)
  (reply :files 200 :truncated t :tree (:more (any)) :text (contains "[truncated")))

;;;; get_project_root, get_file_info and file_exists.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- get_project_root, and opening

(case get-project-root.explicit (not-in (memory "it has no directory to be named") (session "it has no directory to be named"))
  (call get_project_root)
  (reply :root (cat (root) "/") :method :explicit :mode :restricted :backend :host :read-only nil
         :moved nil :text (contains (root))))
(case get-project-root.through-a-link
  (threats 3)
  (tree plain (link "../link" "project"))
  (options :root (cat (base) "/link"))
  (call get_project_root)
  (reply :root (cat (root) "/")))
(case get-project-root.with-slashes
  (tree plain)
  (options :root (cat (base) "//project/./"))
  (call get_project_root)
  (reply :root (cat (root) "/")))
(case get-project-root.unrestricted-read-only
  (options :mode "unrestricted" :read_only t)
  (call get_project_root)
  (reply :mode :unrestricted :read-only t))
(case get-project-root.home-when-explicit
  (tree plain)
  (options :home (root))
  (call get_project_root)
  (reply :root (cat (root) "/") :method :explicit))
(case get-project-root.git
  (tree repository (dir "a/b"))
  (options :root null :start (cat (root) "/a/b"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/") :method :git))
(case get-project-root.git-file
  (tree (file ".git" (lines "gitdir: store")) store (dir "a/b"))
  (options :root null :start (cat (root) "/a/b"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/") :method :git))
(case get-project-root.git-link
  (tree (link ".git" "store") store (dir "a/b"))
  (options :root null :start (cat (root) "/a/b"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/") :method :git))
(case get-project-root.git-that-is-no-repository
  (tree (dir ".git") (file "a/.git" "") (file "a/b/.git" (lines "gitdir: ../none"))
        (link "a/b/c/.git" ".git") (fifo "a/b/c/d/.git") (sparse "a/b/c/d/e/.git" 4398046511104)
        (dir "a/b/c/d/e/f"))
  (options :root null :start (cat (root) "/a/b/c/d/e/f") :cwd (cat (root) "/a/b/c/d/e/f"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/a/b/c/d/e/f/") :method :cwd))
(case get-project-root.inner-git
  (tree repository (file "a/.git" (lines "gitdir: ../.git")) (dir "a/b"))
  (options :root null :start (cat (root) "/a/b"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/a/") :method :git))
(case get-project-root.git-through-a-link
  (threats 3)
  (tree repository (file "a/f" (lines "x")) (link "../link" "project"))
  (options :root null :start (cat (base) "/link/a"))
  (doors c)
  (call read_file :path (cat (base) "/link/a/f"))
  (reply :path "a/f"))
(case get-project-root.asdf
  (tree (dir "asdf"))
  (options :root null :start (root) :asdf_root (cat (root) "/asdf") :cwd (root))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/asdf/") :method :asdf))
(case get-project-root.sly
  (tree (dir "sly"))
  (options :root null :asdf_root (cat (root) "/none") :sly_directory (cat (root) "/sly")
           :cwd (root))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/sly/") :method :sly))
(case get-project-root.cwd
  (tree (dir "cwd"))
  (options :root null :cwd (cat (root) "/cwd"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/cwd/") :method :cwd))
(case get-project-root.never-home-by-itself
  (tree repository (dir "a"))
  (options :root null :start (cat (root) "/a") :cwd (cat (root) "/a") :home (root))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/a/") :method :cwd))
(case get-project-root.home-by-another-name
  (tree repository (dir "a") (link "../home" "project"))
  (options :root null :start (cat (root) "/a") :cwd (cat (root) "/a") :home (cat (base) "/home"))
  (doors c)
  (call get_project_root)
  (reply :root (cat (root) "/a/") :method :cwd))
(case open.no-source
  (options :root null :cwd "/")
  (doors c)
  (error invalid-argument "No project root was found"))
(case open.root-slash
  (threats 83)
  (options :root "/")
  (error invalid-argument "root: / is never a project root"))
(case open.root-slash-by-another-name
  (threats 83)
  (tree (link "l" "/"))
  (options :root (cat (root) "/l"))
  (error invalid-argument "/ is never a project root"))
(case open.root-missing
  (options :root (cat (root) "/none"))
  (error not-found "root:" "/none" "is not a directory that can be opened"))
(case open.root-is-a-file
  (tree plain)
  (options :root (cat (root) "/a.txt"))
  (error not-found "root:" "a.txt" "is not a directory"))
(case open.root-relative
  (options :root "project")
  (doors c lisp)
  (error invalid-argument "root: expected an absolute path, got project"))
(case open.root-with-nul
  (threats 5)
  (tree plain)
  (options :root (cat (root) 0 "x"))
  (doors c lisp) ; Emacs has words of its own for what is no directory's name
  (error invalid-argument "root" "NUL"))
(case open.root-locked
  (only nobody)
  (tree (dir "d/e") (mode "d" "0000"))
  (options :root (cat (root) "/d/e"))
  (error permission "root:" "/d/e" "is not a directory that can be opened"))
(case open.unknown-option
  (options :colour "red")
  (error invalid-argument "colour: unknown argument; expected root,"))
(case open.bad-mode
  (options :mode "free")
  (error invalid-argument "mode: expected one of restricted|unrestricted"))
(case open.bad-limit
  (options :limits (:read_lines 0))
  (error invalid-argument "read_lines: expected an integer from 1"))
(case open.unknown-limit
  (options :limits (:patience 1))
  (error invalid-argument "patience: unknown argument"))
(case open.limits-not-a-map
  (options :limits 5)
  (error invalid-argument "limits: expected an object, got an integer"))
(case open.restricted-not-a-list
  (options :restricted_paths "secret")
  (error invalid-argument "restricted_paths: expected a list of strings, got a string"))
(case open.restricted-with-nul
  (threats 5)
  (options :restricted_paths ((cat "a" 0)))
  (error invalid-argument "restricted_paths" "NUL"))
(case open.restricted-empty
  (options :restricted_paths (""))
  (error invalid-argument "the path is empty"))
(case open.read-only-not-a-boolean
  (options :read_only "yes")
  (error invalid-argument "read_only: expected true or false, got a string"))

;;; -- spellings of the root

(each file-operations
  (case *.by-the-link-to-the-root (threats 3) (tree plain (link "../link" "project"))
    (options :root (cat (base) "/link"))
    (call * :path (cat (base) "/link/a.txt")) (reply :path "a.txt"))
  (case *.by-the-real-root (threats 3) (tree plain (link "../link" "project"))
    (options :root (cat (base) "/link"))
    (call * :path (cat (root) "/a.txt")) (reply :path "a.txt"))
  (case *.by-a-link-to-the-root-spelled-oddly (threats 3) (tree plain (link "../link" "project"))
    (options :root (cat (base) "//./link/"))
    (call * :path (cat (base) "/link/a.txt")) (reply :path "a.txt"))
  (case *.by-another-link-to-the-root (threats 3) (tree plain (link "../link" "project"))
    (call * :path (cat (base) "/link/a.txt"))
    (error outside-root "is outside project root")))

;;; -- get_file_info

(case get-file-info.of-a-file
  (tree (file "f.txt" (lines "one" "two")) (mode "f.txt" "0640") (mtime "f.txt" 1700000000))
  (call get_file_info :path "f.txt")
  (reply :path "f.txt" :absolute (cat (root) "/f.txt") :type :file :size 8
         :modified "2023-11-14T22:13:20.000Z" :accessed (like "????-??-??T??:??:??.???Z")
         :permissions "rw-r-----" :readable t :writable t :mime-type "text/plain"
         :encoding "utf-8" :line-endings "lf" :links 1
         :version (like "????????????????????????????????")
         :text (contains "f.txt" "rw-r-----")))
(case get-file-info.of-a-directory
  (tree plain)
  (call get_file_info :path "sub")
  (reply :path "sub" :absolute (cat (root) "/sub") :type :directory :permissions "rwxr-xr-x"
         :mime-type "inode/directory" :version nil))
(case get-file-info.of-the-root
  (call get_file_info :path ".")
  (reply :path "." :absolute (root) :type :directory))
(case get-file-info.of-a-link
  (tree plain (link "l" "a.txt"))
  (call get_file_info :path "l")
  (reply :path "a.txt" :absolute (cat (root) "/a.txt") :type :file :size 17 :target "a.txt"))
(case get-file-info.of-a-dangling-link
  (threats 12)
  (tree (link "l" "none"))
  (call get_file_info :path "l")
  (reply :path "l" :type :symlink :target "none" :readable nil :writable nil :version nil))
(case get-file-info.of-a-loop
  (threats 14)
  (tree (link "l" "l"))
  (call get_file_info :path "l")
  (reply :path "l" :type :symlink :target "l"))
(case get-file-info.of-a-missing-file
  (tree plain)
  (call get_file_info :path "none")
  (error not-found "Path 'none' does not exist" :path "none"))
(case get-file-info.of-a-fifo
  (threats 26)
  (tree (fifo "p"))
  (call get_file_info :path "p")
  (reply :path "p" :type :other :version nil))
(case get-file-info.of-a-socket
  (threats 27)
  (tree (socket "s"))
  (call get_file_info :path "s")
  (reply :path "s" :type :other :version nil))
(case get-file-info.of-a-device
  (threats 27)
  (only root)
  (tree (device "null"))
  (call get_file_info :path "null")
  (reply :path "null" :type :other :version nil))
(case get-file-info.of-an-empty-file
  (tree (file "f" ""))
  (call get_file_info :path "f")
  (reply :size 0 :line-endings "none" :version (any)))
(case get-file-info.of-a-binary-file
  (tree (file "f" (cat "a" 0 "b" 255)))
  (call get_file_info :path "f")
  (reply :size 4 :encoding "binary" :mime-type (contains "application/") :version (any)))
(case get-file-info.crlf
  (tree (file "f" (cat "a" 13 10 "b" 13 10)))
  (call get_file_info :path "f")
  (reply :line-endings "crlf"))
(case get-file-info.mixed-endings
  (tree (file "f" (cat "a" 13 10 "b" 10)))
  (call get_file_info :path "f")
  (reply :line-endings "mixed"))
(case get-file-info.latin-1
  (tree (file "f" (cat "un caf" 233 " au lait" 10)))
  (call get_file_info :path "f")
  (reply :encoding "iso-8859-1" :mime-type "text/plain"))
(case get-file-info.script
  (tree (file "f" (lines "#!/bin/sh" "echo")) (mode "f" "0755"))
  (call get_file_info :path "f")
  (reply :mime-type "text/x-shellscript" :permissions "rwxr-xr-x"))
(case get-file-info.special-bits
  (tree (file "f" "x") (mode "f" "4755") (file "g" "x") (mode "g" "2644") (dir "t")
        (mode "t" "1777"))
  (call get_file_info :path "t")
  (reply :permissions "rwxrwxrwt"))
(case get-file-info.hard-link
  (threats 31)
  (tree outside (hardlink "h" "../outside/secret.txt"))
  (call get_file_info :path "h")
  (reply :path "h" :type :file :links 2))
(case get-file-info.sparse
  (threats 28)
  (tree (sparse "f" 8796093022208))
  (call get_file_info :path "f")
  (reply :size 8796093022208 :version nil))
(case get-file-info.over-the-read-limit
  (tree (file "f" (repeat "x" 100)))
  (options :limits (:read_bytes 50))
  (call get_file_info :path "f")
  (reply :size 100 :version nil))
(case get-file-info.read-only-workspace
  (tree plain)
  (options :read_only t)
  (call get_file_info :path "a.txt")
  (reply :readable t :writable nil))
(case get-file-info.unreadable
  (threats 89)
  (only nobody)
  (tree (file "f" "x") (mode "f" "0000"))
  (call get_file_info :path "f")
  (reply :type :file :size 1 :permissions "---------" :readable nil :writable nil :version nil))
(case get-file-info.read-only-file
  (only nobody)
  (tree (file "f" "x") (mode "f" "0444"))
  (call get_file_info :path "f")
  (reply :readable t :writable nil :version (any)))
(case get-file-info.same-bytes-same-version
  (tree (file "f" "abc"))
  (call get_file_info :path "f")
  (reply :version "cf4ab791c62b8d2b2109c90275287816"))

;;; -- file_exists

(case file-exists.file
  (tree plain) (call file_exists :path "a.txt") (reply :path "a.txt" :exists t :type :file))
(case file-exists.directory
  (tree plain) (call file_exists :path "sub/") (reply :path "sub" :exists t :type :directory))
(case file-exists.root
  (call file_exists :path ".") (reply :path "." :exists t :type :directory))
(case file-exists.fifo
  (tree (fifo "p")) (call file_exists :path "p") (reply :exists t :type :other))
(case file-exists.missing
  (tree plain) (call file_exists :path "none") (reply :path "none" :exists nil :type nil))
(case file-exists.missing-below-missing
  (tree plain) (call file_exists :path "none/./x") (reply :path "none/x" :exists nil))
(case file-exists.below-a-file
  (tree plain) (call file_exists :path "a.txt/x") (reply :exists nil :type nil))
(case file-exists.file-with-slash
  (tree plain) (call file_exists :path "a.txt/") (reply :exists nil))
;; A link that leads out is described itself, and nothing of where it leads.
(case get-file-info.of-a-link-out
  (threats 11)
  (tree outside (link "l" "../outside/secret.txt"))
  (call get_file_info :path "l")
  (reply :path "l" :type :symlink :target "../outside/secret.txt" :size 21 :version nil
         :text (contains "type: symlink" "target: ../outside/secret.txt"
                         "[the link leads out of the project root: what is there is not looked at]")))
(case get-file-info.of-a-link-to-nothing-outside
  (threats 11)
  (tree outside (link "l" "../outside/nothing_at"))
  (call get_file_info :path "l")
  (reply :path "l" :type :symlink :target "../outside/nothing_at" :size 21 :version nil
         :text (contains "[the link leads out of the project root: what is there is not looked at]")))
(case read-file.no-hint-of-a-link-where-there-is-none
  (tree outside)
  (call read_file :path "../outside/secret.txt")
  (error outside-root "is outside project root" :hint nil))

(case file-exists.link
  (tree plain (link "l" "a.txt")) (call file_exists :path "l")
  (reply :path "a.txt" :exists t :type :file))
(case file-exists.dangling-link
  (threats 12)
  (tree (link "l" "none")) (call file_exists :path "l")
  (reply :path "l" :exists nil :type :symlink))
(case file-exists.loop
  (threats 14)
  (tree (link "l" "l")) (call file_exists :path "l") (reply :path "l" :exists nil :type :symlink))
(case file-exists.unreadable-file
  (threats 89)
  (only nobody)
  (tree (file "f" "x") (mode "f" "0000")) (call file_exists :path "f")
  (reply :exists t :type :file))
(case file-exists.case-matters
  (threats 84)
  (tree (file "A" "")) (call file_exists :path "a") (reply :exists nil))

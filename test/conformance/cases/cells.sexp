;;;; Every operation that changes something, on everything that can have a name.
;;;;
;;;;                  new  existing  directory  link in  link out  dangling  special
;;;;   edit, insert    -      C          C         C        C        here      C
;;;;   create, write   C      C          C         C        C       C, here    C
;;;;   make_directory  C      C        C, here    here     C, here   here     here
;;;;   move, copy:
;;;;     source        C      C         C,here    C,here   here      here     here
;;;;     destination   C      C          C        here     here      here     here
;;;;   delete_file     C      C          C         C        C         C        C
;;;;   patches        here   here       here      here     here      here     here
;;;;
;;;; (C: changes.sexp.)  Restricted, protected, read-only and unwritable: here for
;;;; make_directory, both ends of move and copy, and patches; else there.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- what changes in one place

(case insert-at-line.missing (tree plain) (how :authority dangerous)
  (call insert_at_line :path "none" :content "x" :line 0) (error not-found))
(case insert-at-line.link-in (threats 9) (tree plain (link "l" "a.txt")) (how :approved t)
  (call insert_at_line :path "l" :content (lines "x") :line 1) (reply :path "a.txt")
  (after (file "a.txt" (lines "alpha" "x" "beta" "gamma"))))
(case edit-file.dangling-in (threats 12) (tree plain (link "l" "none")) (how :authority dangerous)
  (call edit_file :path "l" :old_str "a" :new_str "b") (error not-found))
(case insert-at-line.dangling-in (threats 12) (tree plain (link "l" "none"))
  (how :authority dangerous)
  (call insert_at_line :path "l" :content "x" :line 0) (error not-found))
(case write-bytes.dangling-in (threats 12) (tree plain (link "l" "none")) (how :approved t)
  (call write_bytes :path "l" :content "eA==") (reply :path "none" :created t)
  (after (file "none" "x")))

(case make-directory.dangling-in (threats 12) (tree plain (link "l" "none")) (how :approved t)
  (call make_directory :path "l") (reply :path "none" :created t) (after (dir "none")))
(case make-directory.below-a-link-in (threats 9) (tree plain (link "ld" "sub")) (how :approved t)
  (call make_directory :path "ld/new") (reply :path "sub/new") (after (dir "sub/new")))
(case make-directory.below-a-file (tree plain) (how :authority dangerous)
  (call make_directory :path "a.txt/new") (error not-a-directory))
(case make-directory.a-fifo (tree plain (fifo "f")) (how :authority dangerous)
  (call make_directory :path "f") (error exists))
(case make-directory.root (threats 4) (tree plain) (how :approved t)
  (call make_directory :path ".") (reply :created nil))
(case make-directory.slash (threats 4) (tree plain) (how :approved t)
  (call make_directory :path "d/") (reply :path "d") (after (dir "d")))
(case make-directory.restricted (threats 80) (tree plain) (options :restricted_paths ("secret"))
  (how :authority dangerous) (call make_directory :path "secret") (error restricted))
(case make-directory.below-restricted (threats 80) (tree secret)
  (options :restricted_paths ("secret"))
  (how :authority dangerous) (call make_directory :path "secret/new") (error restricted))
(case make-directory.inside-git (threats 71) (tree plain (dir ".git")) (how :authority dangerous)
  (call make_directory :path ".git/hooks") (error restricted))
(case make-directory.protected (threats 71) (tree plain) (how :preview t)
  (call make_directory :path ".emacs.d/lisp")
  (reply :tier :dangerous :targets (has (:path ".emacs.d/lisp" :protected t))))
(case make-directory.read-only (tree plain) (options :read_only t) (how :authority dangerous)
  (call make_directory :path "new") (error read-only))
(case make-directory.unwritable-directory (only nobody) (tree plain (mode "sub" "0555"))
  (how :authority dangerous) (call make_directory :path "sub/new") (error permission))
(case make-directory.needs-approval (tree plain) (how :authority cautious)
  (call make_directory :path "new") (error approval-required))

;;; -- what is moved or deleted along with a directory

(case delete-file.protected-below (threats 71) (tree plain (file "sub/deep/.ENVRC" ""))
  (how :preview t) (call delete_file :path "sub" :recursive t)
  (reply :tier :dangerous :targets ((:path "sub" :protected t))))
(case move-file.protected-below (threats 71) (tree plain (file "sub/deep/.dir-locals.el" ""))
  (how :preview t) (call move_file :source "sub" :destination "new")
  (reply :tier :dangerous :summary "move_file: sub to new (1 target)"
         :targets ((:path "new" :from "sub" :protected t))))
(case move-file.protected-by-option-below (threats 71) (tree plain)
  (options :protected_paths ("sub/deep/c.txt"))
  (how :preview t) (call move_file :source "sub" :destination "new")
  (reply :tier :dangerous :targets ((:path "new" :from "sub" :protected t))))
(case move-file.nothing-protected-below (tree plain)
  (how :preview t) (call move_file :source "sub" :destination "new")
  (reply :tier :dangerous :targets ((:path "new" :from "sub" :protected nil))))

;;; -- move_file and copy_file: the destination

(each movers
  (case *.to-dangling-out (threats 11) (tree plain outside (link "lo" "../outside/new"))
    (how :authority dangerous)
    (call * :source "a.txt" :destination "lo/new") (error outside-root))
  (case *.to-a-directory-slash (threats 4) (tree plain) (how :authority dangerous)
    (call * :source "a.txt" :destination "new/") (error not-a-directory))
  (case *.to-below-a-file (tree plain) (how :authority dangerous)
    (call * :source "a.txt" :destination "sub/b.txt/new") (error not-a-directory))
  (case *.to-root (threats 4) (tree plain) (how :authority dangerous)
    (call * :source "a.txt" :destination ".") (error exists))
  (case *.to-a-restricted-name (threats 80) (tree plain) (options :restricted_paths ("secret"))
    (how :authority dangerous)
    (call * :source "a.txt" :destination "secret") (error restricted))
  (case *.to-a-protected-name (threats 71) (tree plain) (how :preview t)
    (call * :source "a.txt" :destination ".envrc")
    (reply :tier :dangerous :targets ((:path ".envrc" :protected t))))
  (case *.without-parents (tree plain) (how :authority dangerous)
    (call * :source "a.txt" :destination "d/new" :create_parents false) (error not-found))
  (case *.needs-approval (tree plain) (how :authority cautious)
    (call * :source "a.txt" :destination "new") (error approval-required)))

(case copy-file.to-below-a-link-in (threats 9) (tree plain (link "ld" "sub/deep")) (how :approved t)
  (call copy_file :source "sub/b.txt" :destination "ld/new") (reply :destination "sub/deep/new")
  (after (file "sub/deep/new" (lines "bravo"))))
(case move-file.to-below-a-link-in (threats 9) (tree plain (link "ld" "sub/deep")) (how :approved t)
  (call move_file :source "sub/b.txt" :destination "ld/new") (reply :destination "sub/deep/new")
  (after (gone "sub/b.txt") (file "sub/deep/new" (lines "bravo"))))
(case copy-file.to-a-link-in (threats 9) (tree plain (link "l" "a.txt")) (how :approved t)
  (call copy_file :source "sub/b.txt" :destination "l" :allow_overwrite t)
  (reply :destination "a.txt") (after (file "a.txt" (lines "bravo"))))
(case copy-file.to-a-link-out (threats 10) (tree plain outside (link "lo" "../outside/secret.txt"))
  (how :authority dangerous)
  (call copy_file :source "a.txt" :destination "lo" :allow_overwrite t) (error outside-root))
(case copy-file.to-dangling-itself-out (threats 11) (tree plain outside (link "lo" "../outside/x"))
  (how :authority dangerous)
  (call copy_file :source "a.txt" :destination "lo" :allow_overwrite t) (error outside-root))
(case copy-file.to-a-fifo (threats 26) (tree plain (fifo "f")) (how :authority dangerous)
  (call copy_file :source "a.txt" :destination "f" :allow_overwrite t) (error not-regular))
(case move-file.to-a-link-out (threats 10 15)
  (tree plain outside (link "lo" "../outside/secret.txt")) (how :approved t)
  (call move_file :source "a.txt" :destination "lo" :allow_overwrite t) (reply :destination "lo")
  (after (gone "a.txt") (file "lo" (lines "alpha" "beta" "gamma"))))
(case move-file.to-a-link-exists (tree plain (link "l" "sub/b.txt")) (how :authority dangerous)
  (call move_file :source "a.txt" :destination "l") (error exists))
(case move-file.to-a-dangling-link-exists (threats 12) (tree plain (link "l" "none"))
  (how :authority dangerous)
  (call move_file :source "a.txt" :destination "l") (error exists))

;;; -- the source

(each movers
  (case *.from-outside-by-link (threats 10) (tree plain outside (link "lo" "../outside"))
    (how :authority dangerous)
    (call * :source "lo/secret.txt" :destination "new") (error outside-root) (never "TOPSECRET"))
  (case *.from-restricted-by-link (threats 79) (tree secret) (options :restricted_paths ("secret"))
    (how :authority dangerous)
    (call * :source "ls/key.txt" :destination "new") (error restricted) (never "TOPSECRET"))
  (case *.from-git (threats 71) (tree plain (file ".git/config" "x")) (how :authority dangerous)
    (call * :source ".git/config" :destination "new") (error restricted))
  (case *.from-a-protected-name (threats 71) (tree plain (file ".envrc" "x")) (how :preview t)
    (call * :source ".envrc" :destination "new") (reply :tier :dangerous)))

(case copy-file.from-a-link-in (threats 9) (tree plain (link "l" "a.txt")) (how :approved t)
  (call copy_file :source "l" :destination "new") (reply :source "a.txt" :destination "new")
  (after (file "new" (lines "alpha" "beta" "gamma"))))
(case copy-file.from-a-link-out (threats 10)
  (tree plain outside (link "lo" "../outside/secret.txt")) (how :authority dangerous)
  (call copy_file :source "lo" :destination "new") (error outside-root) (never "TOPSECRET"))
(case copy-file.from-dangling (threats 12) (tree plain (link "l" "none")) (how :authority dangerous)
  (call copy_file :source "l" :destination "new") (error not-found))
(case copy-file.from-unreadable (only nobody) (tree plain (mode "a.txt" "0000"))
  (how :authority dangerous)
  (call copy_file :source "a.txt" :destination "new") (error permission))
(case move-file.from-dangling (threats 15) (tree plain (link "l" "none")) (how :approved t)
  (call move_file :source "l" :destination "m") (reply :destination "m")
  (after (gone "l") (link "m" "none")))
(case move-file.fifo (threats 26) (tree plain (fifo "f")) (how :approved t)
  (call move_file :source "f" :destination "g") (reply :destination "g")
  (after (gone "f") (fifo "g")))
(case move-file.out-of-an-unwritable-directory (only nobody) (tree plain (mode "sub" "0555"))
  (how :authority dangerous)
  (call move_file :source "sub/b.txt" :destination "new") (error permission))

;;; -- patches

(define patch-updates
  (apply_patch :patch (lines "*** Begin Patch" "*** Update File: sub/t" "@@" "-TOP" "+x"
                             "*** End Patch"))
  (apply_patch_freeform :patch (lines "*** Begin Patch" "*** Update File: sub/t" "@@" "-TOP" "+x"
                                      "*** End Patch"))
  (apply_patch_json :patch (lines "--- a/sub/t" "+++ b/sub/t" "@@ -1 +1 @@" "-TOP" "+x")))
(define patch-additions
  (apply_patch :patch (lines "*** Begin Patch" "*** Add File: sub/t" "+x" "*** End Patch"))
  (apply_patch_freeform :patch (lines "*** Begin Patch" "*** Add File: sub/t" "+x" "*** End Patch"))
  (apply_patch_json :patch (lines "--- /dev/null" "+++ sub/t" "@@ -0,0 +1 @@" "+x")))
(define patch-deletions
  (apply_patch :patch (lines "*** Begin Patch" "*** Delete File: sub/t" "*** End Patch"))
  (apply_patch_freeform :patch (lines "*** Begin Patch" "*** Delete File: sub/t" "*** End Patch"))
  (apply_patch_json :patch (lines "--- sub/t" "+++ /dev/null" "@@ -1 +0,0 @@" "-TOP")))
(define patch-moves
  (apply_patch :patch (lines "*** Begin Patch" "*** Update File: sub/t" "*** Move to: d/new" "@@"
                             "-TOP" "+x" "*** End Patch"))
  (apply_patch_freeform :patch (lines "*** Begin Patch" "*** Update File: sub/t"
                                      "*** Move to: d/new" "@@" "-TOP" "+x" "*** End Patch"))
  (apply_patch_json :patch (lines "diff --git a/sub/t b/d/new" "rename from sub/t"
                                  "rename to d/new" "--- a/sub/t" "+++ b/d/new" "@@ -1 +1 @@"
                                  "-TOP" "+x")))
(define target (file "sub/t" (lines "TOP")))

(each patch-updates
  (case *.update-existing (tree target) (how :approved t)
    (call *) (reply :files ((:path "sub/t" :action :modified :added 1 :removed 1)))
    (after (file "sub/t" (lines "x"))))
  (case *.update-missing (tree plain) (how :authority dangerous) (call *) (error not-found))
  (case *.update-link-in (threats 46) (tree (file "u" (lines "TOP")) (link "sub/t" "../u"))
    (how :approved t)
    (call *) (reply :files ((:path "u" :action :modified))) (after (file "u" (lines "x")))))
(each patch-additions
  (case *.add-new (tree plain) (how :approved t)
    (call *) (reply :files ((:path "sub/t" :action :added))) (after (file "sub/t" (lines "x"))))
  (case *.add-existing (tree target) (how :authority dangerous) (call *) (error exists))
  (case *.add-dangling-link (threats 12 46) (tree (link "sub/t" "none")) (how :authority dangerous)
    (call *) (error exists))
  (case *.add-link-out (threats 11 46) (tree outside (link "sub/t" "../../outside/new"))
    (how :authority dangerous) (call *) (error exists))
  (case *.add-restricted (threats 80) (tree plain) (options :restricted_paths ("sub/t"))
    (how :authority dangerous) (call *) (error restricted)))
(each patch-deletions
  (case *.delete-existing (tree plain target) (how :approved t)
    (call *) (reply :files ((:path "sub/t" :action :deleted :removed 1))) (after (gone "sub/t")))
  (case *.delete-missing (tree plain) (how :authority dangerous) (call *) (error not-found))
  (case *.delete-link (threats 46) (tree (file "u" (lines "TOP")) (link "sub/t" "../u"))
    (how :authority dangerous) (call *) (error not-regular "symbolic link"))
  (case *.delete-link-out (threats 46) (tree outside (link "sub/t" "../../outside/secret.txt"))
    (how :authority dangerous) (call *) (error not-regular) (never "TOPSECRET"))
  (case *.delete-restricted (threats 79) (tree target) (options :restricted_paths ("sub"))
    (how :authority dangerous) (call *) (error restricted))
  (case *.delete-needs-approval (tree target) (how :authority cautious)
    (call *) (error approval-required :tier :dangerous)))
(each patch-moves
  (case *.move-existing (tree plain target) (how :approved t)
    (call *) (reply :files ((:path "d/new" :action :moved :from "sub/t")))
    (after (gone "sub/t") (file "d/new" (lines "x"))))
  (case *.move-onto-existing (tree target (file "d/new" "x")) (how :authority dangerous)
    (call *) (error exists))
  (case *.move-link (threats 46) (tree (file "u" (lines "TOP")) (link "sub/t" "../u"))
    (how :authority dangerous) (call *) (error not-regular))
  (case *.move-out (threats 46) (tree target outside (link "d" "../outside"))
    (how :authority dangerous) (call *) (error outside-root))
  (case *.move-into-restricted (threats 80) (tree target) (options :restricted_paths ("d"))
    (how :authority dangerous) (call *) (error restricted)))

;; A file to be patched must be a text file, inside, and not off limits.
(each patch-updates
  (case *.update-directory (tree (dir "sub/t")) (how :authority dangerous)
    (call *) (error is-directory))
  (case *.update-link-out (threats 10 46) (tree outside (link "sub/t" "../../outside/secret.txt"))
    (how :authority dangerous) (call *) (error outside-root) (never "TOPSECRET"))
  (case *.update-below-link-out (threats 10 46) (tree outside (link "sub" "../outside"))
    (how :authority dangerous) (call *) (error outside-root) (never "TOPSECRET"))
  (case *.update-dangling (threats 12) (tree (link "sub/t" "none")) (how :authority dangerous)
    (call *) (error not-found))
  (case *.update-dangling-out (threats 11) (tree outside (link "sub/t" "../../outside/new"))
    (how :authority dangerous) (call *) (error outside-root))
  (case *.update-restricted (threats 79) (tree target) (options :restricted_paths ("sub/t"))
    (how :authority dangerous) (call *) (error restricted))
  (case *.update-protected (threats 71) (tree target) (options :protected_paths ("sub"))
    (how :authority cautious) (call *) (error approval-required :tier :dangerous))
  (case *.update-read-only (tree target) (options :read_only t) (how :authority dangerous)
    (call *) (error read-only))
  (case *.update-unwritable (only nobody) (tree target (mode "sub" "0555"))
    (how :authority dangerous) (call *) (error permission))
  (case *.update-unreadable (only nobody) (tree target (mode "sub/t" "0000"))
    (how :authority dangerous) (call *) (error permission))
  (case *.update-fifo (threats 26) (tree (fifo "sub/t")) (how :authority dangerous)
    (call *) (error not-regular))
  (case *.update-device (threats 27) (only root) (tree (device "sub/t")) (how :authority dangerous)
    (call *) (error not-regular))
  (case *.update-binary (threats 108) (tree (file "sub/t" (cat "TOP" 10 0 1 2)))
    (how :authority dangerous) (call *) (error binary)))

;; Paths that lead out, whichever line says them.
(case apply-patch.names-that-lead-out (not-in (session "a session refuses .. as a spelling")) (threats 44) (tree outside (file "sub/t" (lines "TOP")))
  (how :authority dangerous)
  (call apply_patch_json :patch (lines "--- a/../outside/secret.txt" "+++ b/../outside/secret.txt"
                                       "@@ -1 +1 @@" "-TOPSECRET" "+x"))
  (error outside-root))
(case apply-patch.quoted-dots (not-in (session "a session refuses .. as a spelling")) (threats 44) (tree outside) (how :authority dangerous)
  (call apply_patch :patch (lines "--- /dev/null" "+++ \"\\056\\056/outside/new\"" "@@ -0,0 +1 @@"
                                  "+x"))
  (error outside-root))
(case apply-patch.absolute (threats 44) (tree outside) (how :authority dangerous)
  (call apply_patch :patch (lines "*** Begin Patch"
                                  (cat "*** Add File: " (base) "/outside/new") "+x"
                                  "*** End Patch"))
  (error outside-root))
(case apply-patch.moved-out (not-in (session "a session refuses .. as a spelling")) (threats 44) (tree outside target) (how :authority dangerous)
  (call apply_patch :patch (lines "*** Begin Patch" "*** Update File: sub/t"
                                  "*** Move to: ../outside/new" "@@" "-TOP" "+x" "*** End Patch"))
  (error outside-root))
(case apply-patch.makes-no-links (threats 45) (tree plain) (how :authority dangerous)
  (call apply_patch :patch (lines "diff --git a/l b/l" "new file mode 120000" "--- /dev/null"
                                  "+++ b/l" "@@ -0,0 +1 @@" "+/etc"))
  (error patch-parse "symbolic links"))
(case apply-patch.makes-nothing-suid (threats 45) (tree plain) (how :authority dangerous)
  (call apply_patch :patch (lines "diff --git a/l b/l" "new file mode 104755" "--- /dev/null"
                                  "+++ b/l" "@@ -0,0 +1 @@" "+x"))
  (error patch-parse "104755"))
(case apply-patch.one-file-twice (threats 49) (tree target) (how :authority dangerous)
  (call apply_patch :patch (lines "*** Begin Patch" "*** Update File: sub/t" "@@" "-TOP" "+x"
                                  "*** Delete File: sub/t" "*** End Patch"))
  (error patch-parse "second time"))
(case apply-patch.swap (threats 49) (tree (file "a" (lines "1")) (file "b" (lines "2")))
  (how :approved t)
  (call apply_patch :patch (lines "diff --git a/a b/b" "rename from a" "rename to b"
                                  "diff --git a/b b/a" "rename from b" "rename to a"))
  (reply :files (has (:path "b" :from "a") (:path "a" :from "b")))
  (after (file "a" (lines "2")) (file "b" (lines "1"))))
(case apply-patch.huge-numbers (threats 48) (tree target) (how :authority dangerous)
  (call apply_patch :patch (lines "--- a/sub/t" "+++ b/sub/t" "@@ -2147483648,9999999999 +1 @@"
                                  "-TOP"))
  (error patch-parse "too large"))
(case apply-patch.empty (tree plain) (how :authority dangerous)
  (call apply_patch :patch "") (error patch-parse))
(case apply-patch.no-patch (tree plain) (how :authority dangerous)
  (call apply_patch :patch "please add a line") (error patch-parse))
(case apply-patch.last-file-fails (threats 47) (tree plain) (how :authority dangerous)
  (call apply_patch :patch (lines "*** Begin Patch" "*** Add File: new/x" "+x"
                                  "*** Delete File: sub/b.txt" "*** Update File: a.txt" "@@"
                                  "-none" "+x" "*** End Patch"))
  (error patch-apply))

;;; -- content over its limit

(define contents-of-eleven-bytes
  (create_file :content "12345678901") (write_file :content "12345678901")
  (write_bytes :content "MTIzNDU2Nzg5MDExMjM0"))
(each contents-of-eleven-bytes
  (case *.over-the-limit (threats 102) (tree plain) (options :limits (:write_bytes 10))
    (how :authority dangerous) (call * :path "new") (error too-large "content: expected at most")))
(case insert-at-line.over-the-limit (threats 101) (tree plain) (options :limits (:write_bytes 20))
  (how :authority dangerous)
  (call insert_at_line :path "a.txt" :line 0 :content (repeat "b" 20)) (error too-large))
(case edit-file.over-the-reading-limit (threats 101) (tree plain) (options :limits (:read_bytes 10))
  (how :authority dangerous)
  (call edit_file :path "a.txt" :old_str "beta" :new_str "x") (error too-large))

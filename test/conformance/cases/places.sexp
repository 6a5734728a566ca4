;;;; Every name by which a path leads to a place counts, and a repository is one by what is in it.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- a repository that is not called .git

;; Operations that open an existing file to write to it, or take it away.
(define changers-of-a-file
  (edit_file :old_str "TOP" :new_str "x") (insert_at_line :content "x" :line 0)
  (create_file :content "x" :allow_overwrite t) (write_file :content "x")
  (write_bytes :content "eA==") delete_file)

;; Operations that make something new, with the directories above it.
(define makers
  (create_file :content "x") (write_file :content "x") (write_bytes :content "eA=="))

(each changers-of-a-file
  (case *.git-that-is-a-link (threats 139) (tree plain (link ".git" "store") store)
    (how :authority dangerous)
    (call * :path ".git/config") (error restricted "nothing is written inside .git"))
  (case *.where-a-git-link-leads (threats 139) (tree plain (link ".git" "store") store)
    (how :authority dangerous)
    (call * :path "store/config") (error restricted "inside the directory of a git repository"))
  (case *.where-a-pointer-leads (threats 139)
    (tree plain (file ".git" (lines "gitdir: ./store")) store) (how :authority dangerous)
    (call * :path "store/config") (error restricted "inside the directory of a git repository"))
  (case *.in-the-store-of-a-worktree (threats 139)
    (tree plain (file "wt/HEAD" "x") (file "wt/commondir" (lines "../elsewhere"))
          (file "wt/config.worktree" (lines "TOP")))
    (how :authority dangerous)
    (call * :path "wt/config.worktree") (error restricted "inside the directory of a git"))
  (case *.deep-in-a-bare-repository (threats 139) (tree plain store) (how :authority dangerous)
    (call * :path "store/hooks/old") (error restricted "inside the directory of a git repository"))
  (case *.in-a-working-tree-beside-its-repository (threats 139)
    (tree plain store (file "store/main/.git" (lines "gitdir: ../worktrees/main"))
          (file "store/main/f" (lines "TOP")))
    (how :preview t) (call * :path "store/main/f") (reply :targets ((:path "store/main/f"))))
  (case *.beside-half-a-repository (threats 139)
    (tree plain (file "d/HEAD" "x") (dir "d/refs") (file "d/f" (lines "TOP")))
    (how :preview t) (call * :path "d/f") (reply :targets ((:path "d/f" :protected nil)))))

;; A link that is deleted is not followed.
(define editors-of-a-file
  (edit_file :old_str "TOP" :new_str "x") (insert_at_line :content "x" :line 0)
  (create_file :content "x" :allow_overwrite t) (write_file :content "x")
  (write_bytes :content "eA=="))

(each editors-of-a-file
  (case *.bare-repository-by-a-link (threats 139) (tree plain store (link "l" "store/hooks/old"))
    (how :authority dangerous)
    (call * :path "l") (error restricted "inside the directory of a git repository"))
  (case *.the-pointer-file-itself (threats 139)
    (tree plain (file "sub/.git" (lines "gitdir: TOP"))) (how :authority dangerous)
    (call * :path "sub/.git") (error restricted "a .git is not written or made"))
  (case *.through-a-link-called-git (threats 139)
    (tree plain (link "sub/.git" "pointer") (file "sub/pointer" (lines "gitdir: TOP")))
    (how :authority dangerous)
    (call * :path "sub/.git") (error restricted "nothing is written inside .git"))
  (case *.protected-by-the-name-of-a-link (threats 140)
    (tree plain (link ".envrc" "shared/envrc") (file "shared/envrc" (lines "TOP")))
    (how :authority cautious)
    (call * :path ".envrc") (error approval-required "dangerous" :tier :dangerous
                              :targets (has (:path "shared/envrc" :protected t
                                             :passed (".envrc")))))
  (case *.protected-by-a-link-of-links (threats 140)
    (tree plain (link "a" ".envrc") (link ".envrc" "b") (link "b" "shared/envrc")
          (file "shared/envrc" (lines "TOP")))
    (how :authority cautious)
    (call * :path "sub/../a") (error approval-required "dangerous"
                                :targets (has (:path "shared/envrc" :protected t
                                               :passed ("a" ".envrc" "b")))))
  (case *.protected-by-a-link-in-the-middle (threats 140)
    (tree plain (link ".vscode" "shared/vs") (file "shared/vs/tasks.json" (lines "TOP")))
    (how :authority cautious)
    (call * :path ".vscode/tasks.json")
    (error approval-required "dangerous" :targets (has (:path "shared/vs/tasks.json" :protected t
                                                        :passed (".vscode/tasks.json")))))
  (case *.protected-path-by-a-later-link (threats 140)
    (tree plain (link "ci" "shared") (file "shared/deploy" (lines "TOP")))
    (options :protected_paths ("ci/deploy")) (how :authority cautious)
    (call * :path "ci/deploy") (error approval-required "dangerous"))
  (case *.link-that-is-not-protected (threats 140)
    (tree plain (link "l" "shared/f") (file "shared/f" (lines "TOP")))
    (how :preview t)
    (call * :path "l") (reply :targets ((:path "shared/f" :protected nil :passed ("l"))))))

(each makers
  (case *.new-in-a-bare-repository (threats 139) (tree plain store) (how :authority dangerous)
    (call * :path "store/hooks/new") (error restricted "inside the directory of a git repository"))
  (case *.new-in-git-that-is-a-link (threats 139) (tree plain (link ".git" "store") store)
    (how :authority dangerous)
    (call * :path ".git/hooks/new") (error restricted "nothing is written inside .git"))
  (case *.git-itself (threats 139) (tree plain) (how :authority dangerous)
    (call * :path ".git") (error restricted "a .git is not written or made"))
  (case *.that-makes-a-repository (threats 139) (tree plain (file "d/HEAD" "x") (dir "d/refs"))
    (how :authority dangerous)
    (call * :path "d/objects/info/x" :create_parents t)
    (error restricted "would take it for a repository")))

(case make-directory.that-makes-a-repository (threats 139)
  (tree plain (file "d/HEAD" "x") (dir "d/refs")) (how :authority dangerous)
  (call make_directory :path "d/objects") (error restricted "would take it for a repository"))
(case make-directory.git (threats 139) (tree plain) (how :authority dangerous)
  (call make_directory :path "sub/.git") (error restricted "a .git is not written or made"))

(each movers
  (case *.into-a-bare-repository (threats 139) (tree plain store) (how :authority dangerous)
    (call * :source "a.txt" :destination "store/hooks/new")
    (error restricted "inside the directory of a git repository"))
  (case *.that-makes-a-repository (threats 139) (tree plain (dir "d/objects") (dir "d/refs"))
    (how :authority dangerous)
    (call * :source "a.txt" :destination "d/HEAD") (error restricted "would take it for"))
  (case *.to-git-itself (threats 139) (tree plain) (how :authority dangerous)
    (call * :source "a.txt" :destination "sub/.git") (error restricted "is not written or made"))
  (case *.onto-a-protected-link (threats 140)
    (tree plain (link ".vscode" "shared") (file "shared/f" (lines "x"))) (how :authority cautious)
    (call * :source "a.txt" :destination ".vscode/new")
    (error approval-required :targets (has (:path "shared/new" :protected t)))))
(case move-file.out-of-a-bare-repository (threats 139) (tree plain store) (how :authority dangerous)
  (call move_file :source "store/config" :destination "new") (error restricted))
(case move-file.a-directory-that-makes-a-repository (threats 139)
  (tree plain (file "d/HEAD" "x") (dir "d/refs") (dir "o")) (how :authority dangerous)
  (call move_file :source "o" :destination "d/objects") (error restricted "would take it for"))
(case move-file.a-repository (threats 139) (tree plain store) (how :authority cautious)
  (call move_file :source "store" :destination "other")
  (error approval-required :targets (has (:path "other" :protected t))))

(case apply-patch.that-makes-a-repository (threats 139) (tree plain) (how :authority dangerous)
  (call apply_patch :patch
    (lines "*** Begin Patch" "*** Add File: docs/HEAD" "+ref: refs/heads/main"
           "*** Add File: docs/config" "+x" "*** Add File: docs/objects/info/x" "+x"
           "*** Add File: docs/refs/heads/x" "+x" "*** End Patch"))
  (error restricted "Path 'docs' is restricted" "would take it for a repository"))
(case apply-patch.that-makes-a-worktree (threats 139) (tree plain) (how :authority dangerous)
  (call apply_patch :patch
    (lines "*** Begin Patch" "*** Add File: HEAD" "+ref: refs/heads/main"
           "*** Add File: commondir" "+x" "*** End Patch"))
  (error restricted "Path '.' is restricted" "would take it for a repository"))
(case apply-patch.that-renames-into-a-repository (threats 139)
  (tree plain (file "d/head.txt" (lines "x")) (dir "d/objects") (dir "d/refs"))
  (how :authority dangerous)
  (call apply_patch :patch
    (lines "*** Begin Patch" "*** Update File: d/head.txt" "*** Move to: d/HEAD" "@@" "-x" "+y"
           "*** End Patch"))
  (error restricted "would take it for a repository"))
(case apply-patch.in-a-bare-repository (threats 139) (tree plain store) (how :authority dangerous)
  (call apply_patch :patch
    (lines "*** Begin Patch" "*** Update File: a.txt" "@@" "-alpha" "+x"
           "*** Add File: store/hooks/post-checkout" "+x" "*** End Patch"))
  (error restricted "inside the directory of a git repository"))
(case apply-patch.in-a-bare-repository-beside-what-is-none (threats 139)
  (tree plain (file "x/f" (lines "alpha")) (file "y/HEAD" (lines "ref: refs/heads/main"))
        (file "y/config" (lines "alpha")) (dir "y/objects") (dir "y/refs"))
  (how :authority dangerous)
  (call apply_patch :patch
    (lines "*** Begin Patch" "*** Update File: x/f" "@@" "-alpha" "+x"
           "*** Update File: y/config" "@@" "-alpha" "+x" "*** End Patch"))
  (error restricted "inside the directory of a git repository"))
(case apply-patch.protected-by-the-name-of-a-link (threats 140)
  (tree plain (link ".envrc" "shared/envrc") (file "shared/envrc" (lines "TOP")))
  (how :authority cautious)
  (call apply_patch :patch
    (lines "*** Begin Patch" "*** Update File: .envrc" "@@" "-TOP" "+x" "*** End Patch"))
  (error approval-required :targets (has (:path "shared/envrc" :protected t :passed (".envrc")))))

;;; -- restricted under the name of a link

(each every-operation
  (case *.restricted-below-a-later-link (threats 79 140)
    (tree plain (link "ci" "shared") (file "shared/key" (lines "TOPSECRET")))
    (options :restricted_paths ("ci/key"))
    (call * :path "ci/key") (error restricted "is restricted") (never "TOPSECRET")))

;;; -- restricted under a second name

(each every-operation
  (case *.hard-link-of-restricted (threats 142)
    (tree plain (file ".env" "TOPSECRET") (hardlink "hl" ".env")) (options :restricted_paths (".env"))
    (call * :path "hl") (error restricted "Path 'hl' is restricted") (never "TOPSECRET"))
  (case *.hard-link-of-a-file-below-restricted (threats 142)
    (tree secret (hardlink "sub/hl" "secret/deep/key.txt")) (options :restricted_paths ("secret"))
    (call * :path "sub/hl") (error restricted "is restricted") (never "TOPSECRET"))
  (case *.hard-link-to-restricted-by-a-link (threats 142)
    (tree secret (hardlink "sub/hl" "secret/key.txt") (link "l" "sub/hl"))
    (options :restricted_paths ("secret"))
    (call * :path "l") (error restricted "is restricted") (never "TOPSECRET")))
(each changers-of-a-file
  (case *.hard-link-of-restricted (threats 142)
    (tree plain (file "secret" "TOP") (hardlink "hl" "secret")) (options :restricted_paths ("secret"))
    (how :authority dangerous)
    (call * :path "hl") (error restricted)))
(case grep-files.hard-link-of-restricted-in-the-tree (threats 142)
  (tree secret (hardlink "sub/hl" "secret/key.txt")) (options :restricted_paths ("secret"))
  (call grep_files :pattern "TOPSEC" :path "sub") (reply :total 0) (never "TOPSECRET"))

;;; -- a .git that is none, or an odd one: a clear answer, and no waiting

(define at-a-file
  (edit_file :old_str "alpha" :new_str "x") (write_file :content "x")
  (create_file :content "x" :allow_overwrite t))

(each at-a-file
  (case *.beside-a-git-that-is-a-fifo (threats 139) (tree plain (fifo ".git"))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil))))
  (case *.beside-a-huge-git (threats 139) (tree plain (sparse ".git" "4398046511104"))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil))))
  (case *.beside-a-pointer-to-itself (threats 139) (tree plain (file ".git" (lines "gitdir: .git")))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil))))
  (case *.beside-a-link-to-itself (threats 139) (tree plain (link ".git" ".git"))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil))))
  (case *.beside-a-pointer-to-outside (threats 139)
    (tree plain outside (file ".git" (lines "gitdir: ../outside/dir")))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil))))
  (case *.beside-a-pointer-without-end (threats 139)
    (tree plain (file ".git" (cat "gitdir: " (repeat "d/" 4000))))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil))))
  (case *.beside-a-socket-called-git (threats 139) (tree plain (socket ".git"))
    (how :preview t) (call * :path "a.txt") (reply :targets ((:path "a.txt" :protected nil)))))

(each editors-of-a-file
  (case *.repository-behind-40-links (threats 139)
    (tree plain store (chain "c" 40 "store") (link ".git" "c1")) (how :authority dangerous)
    (call * :path "store/config") (error restricted "inside the directory of a git repository"))
  (case *.repository-behind-pointers (threats 139)
    (tree plain store (file ".git" (lines "gitdir: sub/.git")) (file "sub/.git" (lines "gitdir: ../store")))
    (how :authority dangerous)
    (call * :path "store/config") (error restricted "inside the directory of a git repository"))
  (case *.hooks-by-a-link-inside (threats 139)
    (tree plain repository (link ".git/hooks" "../hooks") (file "hooks/post-checkout" (lines "TOP")))
    (how :authority dangerous)
    (call * :path ".git/hooks/post-checkout") (error restricted "inside .git")))

;; A file made by the first of two calls does not let the second complete a repository.
(each makers
  (case *.repository-over-two-calls (threats 139)
    (tree plain (dir "d/objects") (file "d/HEAD" (lines "ref: refs/heads/main")))
    (how :authority dangerous)
    (call * :path "d/refs/x" :create_parents t) (error restricted "would take it for a repository"))
  (case *.head-of-a-repository-last (threats 139) (tree plain (dir "d/objects") (dir "d/refs"))
    (how :authority dangerous)
    (call * :path "d/HEAD") (error restricted "would take it for a repository"))
  (case *.repository-meanwhile (threats 139) (tree plain (dir "d/objects"))
    (how :authority dangerous :approved t) (meanwhile (dir "d/refs"))
    (call * :path "d/HEAD") (error restricted)))

(each every-operation
  (case *.name-of-4-kilobytes (tree plain)
    (call * :path (repeat "n" 4096)) (error too-long "longer than 4095 bytes")))

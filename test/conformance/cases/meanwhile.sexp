;;;; Between the preview and the call somebody else changes something: what was
;;;; approved is no longer what would be done, and what they did survives.
;;;;
;;;; SPDX-License-Identifier: MIT

;; Each does something with sub/b.txt.
(define changes-of-b
  (edit_file :path "sub/b.txt" :old_str "bravo" :new_str "x")
  (insert_at_line :path "sub/b.txt" :content "x" :line 0)
  (create_file :path "sub/b.txt" :content "x" :allow_overwrite t)
  (write_file :path "sub/b.txt" :content "x") (write_bytes :path "sub/b.txt" :content "eA==")
  (delete_file :path "sub/b.txt") (move_file :source "sub/b.txt" :destination "new")
  (copy_file :source "sub/b.txt" :destination "new")
  (apply_patch :patch (lines "*** Begin Patch" "*** Update File: sub/b.txt" "@@" "-bravo" "+x"
                             "*** End Patch"))
  (apply_patch_freeform :patch (lines "*** Begin Patch" "*** Update File: sub/b.txt" "@@" "-bravo"
                                      "+x" "*** End Patch"))
  (apply_patch_json :patch (lines "--- a/sub/b.txt" "+++ b/sub/b.txt" "@@ -1 +1 @@" "-bravo"
                                  "+x")))

(each changes-of-b
  (case *.meanwhile-content (threats 23 25) (tree plain) (how :approved t)
    (meanwhile (file "sub/b.txt" (lines "bravo" "theirs")))
    (call *) (error stale))
  (case *.meanwhile-other-content (threats 25) (tree plain) (how :approved t)
    (meanwhile (file "sub/b.txt" (lines "theirs")))
    (call *) (error stale "no longer what would be done"))
  (case *.meanwhile-binary (threats 25) (tree plain) (how :approved t)
    (meanwhile (file "sub/b.txt" (cat 0 255 0 255)))
    (call *) (error stale))
  (case *.meanwhile-gone (threats 25) (tree plain) (how :approved t)
    (meanwhile (move "sub/b.txt" "old"))
    (call *) (error stale))
  (case *.meanwhile-a-directory-there (threats 25) (tree plain) (how :approved t)
    (meanwhile (move "sub/b.txt" "old") (dir "sub/b.txt"))
    (call *) (error stale))
  (case *.meanwhile-another-file (threats 25) (tree plain) (how :approved t)
    (meanwhile (move "sub/b.txt" "old") (file "sub/b.txt" (lines "bravo")))
    (call *) (error stale))
  (case *.meanwhile-link (threats 25) (tree plain (file "twin" (lines "bravo"))) (how :approved t)
    (meanwhile (link "sub/b.txt" "../twin"))
    (call *) (error stale))
  (case *.meanwhile-directory (threats 25) (tree plain (file "other/b.txt" (lines "bravo")))
    (how :approved t)
    (meanwhile (move "sub" "old") (move "other" "sub"))
    (call *) (error stale))
  (case *.meanwhile-directory-link (threats 25) (tree plain (file "other/b.txt" (lines "bravo")))
    (how :approved t)
    (meanwhile (move "sub" "old") (link "sub" "other"))
    (call *) (error stale))
  (case *.meanwhile-directory-link-out (threats 17) (tree plain (file "../outside/b.txt" (lines "bravo")))
    (how :approved t)
    (meanwhile (move "sub" "old") (link "sub" "../outside"))
    (call *) (error outside-root))
  (case *.meanwhile-mode (threats 25) (tree plain) (how :approved t)
    (meanwhile (mode "sub/b.txt" "0600"))
    (call *) (error stale))
  (case *.meanwhile-another-argument (threats 70) (tree plain) (how :approved t)
    (preview delete_file :path "a.txt")
    (call *) (error stale)))

;; An approval for a new name does not hold for a file that has got it since.
(define changes-of-new
  (write_file :path "new" :content "x") (write_bytes :path "new" :content "eA=="))
(each changes-of-new
  (case *.meanwhile-made (threats 40) (tree plain) (how :approved t)
    (meanwhile (file "new" "theirs"))
    (call *) (error stale))
  (case *.meanwhile-linked (threats 11) (tree plain outside) (how :approved t)
    (meanwhile (link "new" "../outside/new"))
    (call *) (error outside-root))
  (case *.meanwhile-linked-in (threats 12) (tree plain) (how :approved t)
    (meanwhile (link "new" "sub/new"))
    (call *) (error stale)))

(define changes-onto-new
  (create_file :path "new" :content "x") (move_file :source "a.txt" :destination "new")
  (copy_file :source "a.txt" :destination "new")
  (apply_patch :patch (lines "*** Begin Patch" "*** Add File: new" "+x" "*** End Patch")))
(each changes-onto-new
  (case *.meanwhile-made (threats 40) (tree plain) (how :approved t)
    (meanwhile (file "new" "theirs"))
    (call *) (error stale)))

;; Moves and patches act on the link that is in their way, others on what it leads to.
(define changes-onto-a-link
  (move_file :source "a.txt" :destination "new")
  (apply_patch :patch (lines "*** Begin Patch" "*** Add File: new" "+x" "*** End Patch")))
(define changes-through-a-link
  (create_file :path "new" :content "x") (copy_file :source "a.txt" :destination "new"))
(each changes-onto-a-link
  (case *.meanwhile-linked (threats 11) (tree plain outside) (how :approved t)
    (meanwhile (link "new" "../outside/secret.txt"))
    (call *) (error stale) (never "TOPSECRET")))
(each changes-through-a-link
  (case *.meanwhile-linked (threats 11) (tree plain outside) (how :approved t)
    (meanwhile (link "new" "../outside/secret.txt"))
    (call *) (error outside-root) (never "TOPSECRET")))

(case make-directory.meanwhile-made (tree plain) (how :approved t)
  (meanwhile (dir "new")) (call make_directory :path "new") (error stale))
(case make-directory.meanwhile-its-parent (tree plain) (how :approved t)
  (meanwhile (dir "d")) (call make_directory :path "d/new") (error stale))
(case make-directory.meanwhile-a-file (tree plain) (how :approved t)
  (meanwhile (file "new" "theirs")) (call make_directory :path "new") (error stale))
(case delete-file.meanwhile-more (threats 25) (tree plain) (how :approved t)
  (meanwhile (file "sub/deep/theirs" "x"))
  (call delete_file :path "sub" :recursive t) (error stale))
(case move-file.meanwhile-more (threats 25) (tree plain) (how :approved t)
  (meanwhile (file "sub/deep/theirs" "x"))
  (call move_file :source "sub" :destination "new") (error stale))
(case move-file.meanwhile-onto-another (threats 25) (tree plain (file "t" "x")) (how :approved t)
  (meanwhile (file "t" "theirs"))
  (call move_file :source "a.txt" :destination "t" :allow_overwrite t) (error stale))
(case copy-file.meanwhile-onto-another (threats 25) (tree plain (file "t" "x")) (how :approved t)
  (meanwhile (file "t" "theirs"))
  (call copy_file :source "a.txt" :destination "t" :allow_overwrite t) (error stale))
(case apply-patch.meanwhile-another-of-its-files (threats 23) (tree plain) (how :approved t)
  (meanwhile (file "sub/b.txt" (lines "bravo" "theirs")))
  (call apply_patch :patch (lines "*** Begin Patch" "*** Update File: a.txt" "@@" "-beta" "+x"
                                  "*** Delete File: sub/b.txt" "*** End Patch"))
  (error stale))

;; A change elsewhere does not stop the approved one.
(case edit-file.meanwhile-elsewhere (tree plain) (how :approved t)
  (meanwhile (file "theirs" "x"))
  (call edit_file :path "a.txt" :old_str "beta" :new_str "x") (reply :path "a.txt")
  (after (file "a.txt" (lines "alpha" "x" "gamma"))))

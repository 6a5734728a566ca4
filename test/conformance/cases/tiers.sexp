;;;; The tier of a change follows from what it does: see "Syntax" in common.sexp.
;;;;
;;;; Changing the bytes of a file that is there is cautious.  All else is dangerous,
;;;; whatever operation does it, and the targets say why.
;;;;
;;;; SPDX-License-Identifier: MIT

;;; -- what is cautious

(define edits-of-a-file
  (edit_file :path "sub/t" :old_str "TOP" :new_str "x")
  (insert_at_line :path "sub/t" :line 0 :content "x")
  (apply_patch :patch (lines "*** Begin Patch" "*** Update File: sub/t" "@@" "-TOP" "+x"
                             "*** End Patch"))
  (apply_patch_freeform :patch (lines "*** Begin Patch" "*** Update File: sub/t" "@@" "-TOP" "+x"
                                      "*** End Patch"))
  (apply_patch_json :patch (lines "--- a/sub/t" "+++ b/sub/t" "@@ -1 +1 @@" "-TOP" "+x")))

(each edits-of-a-file
  (case *.edit-is-cautious (threats 124) (tree target) (how :preview t)
    (call *) (reply :tier :cautious :targets ((:path "sub/t" :risks nil))))
  (case *.edit-beside-rules-is-cautious (threats 144)
    (tree target (file ".gitignore" (lines "*.o" "/t" "other/" "sub/*" "!sub/t"))
          (file "sub/.gitignore" (lines "u")))
    (how :preview t)
    (call *) (reply :tier :cautious :targets ((:path "sub/t" :risks nil))))
  (case *.edit-needs-more-than-safe (tree target) (how :authority safe)
    (call *) (error approval-required :tier :cautious))

  ;; An ignored file shows in no `git status`.
  (case *.ignored-by-name (threats 144) (tree target (file ".gitignore" (lines "t")))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:risks (:ignored)))))
  (case *.ignored-by-directory (threats 144) (tree target (file ".gitignore" (lines "/su?/")))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:risks (:ignored)))))
  (case *.ignored-from-beside (threats 144) (tree target (file "sub/.gitignore" (lines "*")))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:risks (:ignored)))))
  (case *.ignored-by-exclude (threats 144) (tree target (file ".git/info/exclude" (lines "sub/t")))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:risks (:ignored)))))
  (case *.not-kept-in-an-ignored-directory (threats 144)
    (tree target (file ".gitignore" (lines "sub")) (file "sub/.gitignore" (lines "!t")))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:risks (:ignored)))))
  (case *.rules-too-large-to-read (threats 144) (tree target (sparse ".gitignore" 16777217))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:risks (:ignored)))))
  (case *.rules-are-a-fifo (threats 26 144) (tree target (fifo ".gitignore"))
    (how :preview t) (call *) (reply :tier :cautious))
  (case *.rules-are-a-directory (tree target (dir ".gitignore"))
    (how :preview t) (call *) (reply :tier :cautious))
  (case *.rules-are-a-link (threats 144) (tree target (link ".gitignore" "r") (file "r" (lines "t")))
    (how :preview t) (call *) (reply :tier :cautious)))

;; Rules decide what is asked, so they are not changed without asking either.
(case edit-file.ignore-rules (threats 144) (tree (file ".gitignore" (lines "*.elc")))
  (how :authority cautious)
  (call edit_file :path ".gitignore" :old_str "*.elc" :new_str "x")
  (error approval-required :tier :dangerous :targets ((:protected t :risks (:protected)))))

;;; -- what is dangerous in a patch

(each patch-additions
  (case *.add-needs-approval (threats 124) (tree plain) (how :authority cautious)
    (call *) (error approval-required :tier :dangerous :targets ((:path "sub/t" :risks (:create)))))
  (case *.add-below-needs-approval (threats 124) (how :authority cautious)
    (call *) (error approval-required :tier :dangerous
                    :targets ((:path "sub" :action :make :risks (:create))
                              (:path "sub/t" :risks (:create)))))
  (case *.add-ignored (threats 144) (tree plain (file ".gitignore" (lines "/sub/t")))
    (how :authority cautious)
    (call *) (error approval-required :tier :dangerous
                    :targets ((:path "sub/t" :risks (has :create :ignored))))))

(each patch-moves
  (case *.move-needs-approval (threats 124) (tree plain target) (how :authority cautious)
    (call *) (error approval-required :tier :dangerous
                    :targets ((:path "d" :risks (:create)) (:path "d/new" :risks (has :create :move))
                              (:path "sub/t" :risks (:delete))))))

(case apply-patch.add-executable (threats 124)
  (not-in (memory "no file in memory can be executed")) (how :authority cautious)
  (call apply_patch :patch (lines "diff --git a/run b/run" "new file mode 100755" "--- /dev/null"
                                  "+++ b/run" "@@ -0,0 +1 @@" "+x"))
  (error approval-required :tier :dangerous :targets ((:path "run" :risks (has :create :executable)))))
(case apply-patch.make-executable (threats 124)
  (not-in (memory "no file in memory can be executed")) (tree target (mode "sub/t" "0644"))
  (how :authority cautious)
  (call apply_patch :patch (lines "diff --git a/sub/t b/sub/t" "old mode 100644" "new mode 100755"))
  (error approval-required :tier :dangerous
         :targets ((:path "sub/t" :risks (has :mode :executable)))))
(case apply-patch.make-not-executable (threats 124) (not-in (memory "it has no permissions"))
  (tree target (mode "sub/t" "0755"))
  (how :authority cautious)
  (call apply_patch :patch (lines "diff --git a/sub/t b/sub/t" "old mode 100755" "new mode 100644"))
  (error approval-required :tier :dangerous :targets ((:path "sub/t" :risks (:mode)))))
(case apply-patch.copy-executable (threats 124) (not-in (memory "it has no permissions"))
  (tree target (mode "sub/t" "0755"))
  (how :authority cautious)
  (call apply_patch :patch (lines "diff --git a/sub/t b/new" "copy from sub/t" "copy to new"))
  (error approval-required :tier :dangerous :targets ((:path "new" :risks (has :create :executable)))))
(case apply-patch.one-of-many (threats 144)
  (tree target (file "a" (lines "a")) (file ".gitignore" (lines "build/")) (file "build/o" (lines "o")))
  (how :authority cautious)
  (call apply_patch :patch (lines "*** Begin Patch" "*** Update File: a" "@@" "-a" "+x"
                                  "*** Update File: build/o" "@@" "-o" "+x"
                                  "*** Update File: sub/t" "@@" "-TOP" "+x" "*** End Patch"))
  (error approval-required :tier :dangerous
         :targets ((:path "a" :risks nil) (:path "build/o" :risks (:ignored))
                   (:path "sub/t" :risks nil))))

;;; -- why the others are dangerous

(case create-file.risks (tree plain) (how :preview t) (call create_file :path "new" :content "x")
  (reply :tier :dangerous :targets ((:risks (:create)))))
(case write-file.risks (tree target) (how :preview t)
  (call write_file :path "sub/t" :content "x")
  (reply :tier :dangerous :targets ((:risks (:replace)))))
(case write-file.append-risks (tree target) (how :preview t)
  (call write_file :path "sub/t" :content "x" :mode "append")
  (reply :tier :dangerous :targets ((:risks nil))))
(case copy-file.risks (tree target) (how :preview t)
  (call copy_file :source "sub/t" :destination "new")
  (reply :tier :dangerous :targets ((:risks (:create)))))
(case copy-file.executable-risks (not-in (memory "it has no permissions"))
  (tree target (mode "sub/t" "0755"))
  (how :preview t) (call copy_file :source "sub/t" :destination "new")
  (reply :tier :dangerous :targets ((:risks (has :create :executable)))))
(case move-file.risks (tree target (file "a" "x")) (how :preview t)
  (call move_file :source "sub/t" :destination "a" :allow_overwrite t)
  (reply :tier :dangerous :targets ((:risks (has :replace :move)))))
(case delete-file.risks (tree target) (how :preview t) (call delete_file :path "sub/t")
  (reply :tier :dangerous :targets ((:risks (:delete)))))
(case make-directory.risks (how :preview t) (call make_directory :path "new")
  (reply :tier :dangerous :targets ((:risks (:create)))))

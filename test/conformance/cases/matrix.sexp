;;;; Every operation of the table, given a place that is off limits by every name that leads to it.
;;;;
;;;; The cases are made of the table (parts/matrix.c); a row that is new is tried as well.
;;;;
;;;; SPDX-License-Identifier: MIT

;; The arguments beside the path; OPERATION.ARGUMENT is for one operation.
(define matrix-arguments
  (pattern "[a-zT]*") (replacement "x") (content "eA==") (line 1) (old_str "TOPSECRET") (new_str "x")
  (source "a.txt") (destination "made") (allow_overwrite t) (create_parents t) (recursive t)
  (parents t) (exist_ok t)
  (dialect "common-lisp") (action "replace_within") (edit_form.content) (replace_in_files.pattern "TOPSECRET")
  (id "0000000000000000000000000000000000000000"))

(matrix restricted (threats 79) (place "vault" "key.txt")
  (tree plain (file "vault/key.txt" (lines "TOPSECRET")))
  (options :restricted_paths ("vault")) (how :authority dangerous)
  (never "TOPSECRET") (refused all restricted "is restricted"))

(matrix protected (threats 140) (place ".vscode" "tasks.json")
  (tree plain (file ".vscode/tasks.json" (lines "TOPSECRET")))
  (how :authority cautious)
  (apart hard-link) (refused changes approval-required))

(matrix secret (threats 152) (place ".aws" "credentials")
  (tree plain (file ".aws/credentials" (lines "TOPSECRET")))
  (how :origin model :authority cautious)
  (never "TOPSECRET") (refused declares approval-required))

(matrix git (threats 139) (place ".git" "config")
  (tree plain repository (file ".git/config" (lines "TOPSECRET")))
  (how :authority dangerous)
  (apart hard-link copy_file-source) (refused changes restricted))

(matrix git-elsewhere (threats 139) (place "store" "config")
  (tree plain store (file "store/config" (lines "TOPSECRET")) (file ".git" (lines "gitdir: ./store")))
  (how :authority dangerous)
  (apart hard-link copy_file-source) (refused changes restricted))

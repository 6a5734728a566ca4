;;;; Changes of calls: listing, showing, taking back, accepting and forgetting
;;;; them.  Here nothing was changed before; histories are in test/c/review
;;;; and test/review.
;;;;
;;;; SPDX-License-Identifier: MIT

(case changes-list.nothing (tree plain) (call changes_list)
  (reply :calls () :total 0 :bytes 0 :text (contains "No change is kept")))
(case changes-list.limit (tree plain) (call changes_list :limit 0)
  (error invalid-argument "limit"))

(case changes-diff.nothing (tree plain) (call changes_diff)
  (reply :files () :total 0 :hunks-total 0 :calls 0 :lost 0 :text (contains "Nothing differs")))
(case changes-diff.lost (tree plain)
  (call changes_diff :calls ("0000000000000001-000000000000"))
  (reply :files () :lost 1))
(case changes-diff.no-id (tree plain) (call changes_diff :calls ("../../etc/passwd"))
  (error invalid-argument "calls: expected ids"))
(case changes-diff.no-since (tree plain) (call changes_diff :since "yesterday")
  (error invalid-argument "since: expected an id"))

(case changes-undo.nothing-named (tree plain) (how :authority dangerous) (call changes_undo)
  (error invalid-argument "Give calls"))
(case changes-undo.gone (tree plain) (how :authority dangerous)
  (call changes_undo :calls ("0000000000000001-000000000000"))
  (error not-found "no record (any more)"))
(case changes-undo.no-hunk (tree plain) (how :authority dangerous)
  (call changes_undo :hunks ("00000000000000000000000000000000"))
  (error stale "1 of 1 hunks are not there any more"))
(case changes-undo.no-id (tree plain) (how :authority dangerous)
  (call changes_undo :calls ("0000000000000001/000000000000"))
  (error invalid-argument "calls: expected ids"))
(case changes-undo.nothing (tree plain) (how :authority cautious)
  (call changes_undo :hunks ()) (reply :files () :text (contains "nothing was done")))

(case changes-accept.nothing (tree plain) (how :authority dangerous)
  (call changes_accept) (reply :id nil :total 0))
(case changes-accept.approved (threats 70) (tree plain) (how :authority cautious)
  (call changes_accept) (error approval-required "dangerous"))
(case changes-accept.no-hunk (tree plain) (how :authority dangerous)
  (call changes_accept :hunks ("00000000000000000000000000000000"))
  (error stale "nothing was accepted"))

(case changes-forget.nothing (tree plain) (how :approved t) (call changes_forget)
  (reply :forgotten 0))
(case changes-forget.approved (threats 70) (tree plain) (how :authority cautious)
  (call changes_forget) (error approval-required "dangerous"))
(case changes-forget.no-id (tree plain) (how :authority dangerous)
  (call changes_forget :calls ("..")) (error invalid-argument "calls: expected ids"))

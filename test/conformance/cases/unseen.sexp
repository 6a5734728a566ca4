;;;; A model is told what it does not see of a text, and the text stays as it is.
;;;;
;;;; SPDX-License-Identifier: MIT

(define tagged (file "a.txt" (lines "one" (cat "two" (repeat (char 917569) 12) "!") "three")))
(define needed
  (file "a.txt" (cat (char 65279) (char 128104) (char 8205) (char 128105) 10
                     (char 1605) (char 8204) (char 1582) 10)))

(case read-file.tells-what-is-unseen (threats 153) (tree tagged)
  (call read_file :path "a.txt")
  (reply :content (lines "one" (cat "two" (repeat (char 917569) 12) "!") "three")
         :text (cat (lines "one" (cat "two" (repeat (char 917569) 12) "!") "three")
                    (lines "[line 2 holds 12 invisible characters: tag characters]"))))
(case read-file.tells-of-the-lines-shown (threats 153) (tree tagged)
  (call read_file :path "a.txt" :start_line 2 :end_line 2)
  (reply :text (contains "[line 2 holds 12 invisible characters: tag characters]")))
(case read-file.tells-of-no-other-lines (tree tagged)
  (call read_file :path "a.txt" :start_line 3)
  (reply :text (lines "three" "[line 3 of 3]")))
(case read-file.tells-of-no-break-spaces
  (tree (file "a.txt" (lines "one" (cat "a" (char 160) "b" (char 8239) "c"))))
  (call read_file :path "a.txt")
  (reply :text (contains "[line 2 holds 2 invisible characters: no-break spaces]")))
(case read-file.tells-behind-an-unfinished-line (threats 153)
  (tree (file "a.txt" (cat 27 "[2K" "x" (char 8238))))
  (call read_file :path "a.txt")
  (reply :text (cat 27 "[2K" "x" (char 8238) 10
                    (lines "[no newline at the end]"
                           "[line 1 holds 2 invisible characters: bidirectional controls, escape sequences]"))))
(case read-file.says-nothing-of-what-writing-needs (tree needed)
  (call read_file :path "a.txt") (reply :text (without "invisible")))
(case grep-files.tells-what-is-unseen (threats 153) (tree tagged (file "b.txt" (lines "two")))
  (call grep_files :pattern "two")
  (reply :total 2
         :text (contains "[line 2 of a.txt holds 12 invisible characters: tag characters]")))
(case grep-files.says-nothing-of-other-lines (tree tagged)
  (call grep_files :pattern "three") (reply :text (lines "a.txt:3:three")))
(case edit-file.tells-what-is-unseen (threats 153) (tree tagged) (how :authority cautious)
  (call edit_file :path "a.txt" :old_str "one" :new_str "1")
  (reply :text (contains "[line 2 holds 12 invisible characters: tag characters]"))
  (after (file "a.txt" (lines "1" (cat "two" (repeat (char 917569) 12) "!") "three"))))
(case edit-file.takes-what-is-unseen (threats 153) (tree tagged) (how :authority cautious)
  (call edit_file :path "a.txt" :old_str (cat "two" (repeat (char 917569) 12) "!") :new_str "2")
  (reply :text (without "invisible")) (after (file "a.txt" (lines "one" "2" "three"))))
(case insert-at-line.tells-what-is-unseen (threats 153) (tree tagged) (how :authority cautious)
  (call insert_at_line :path "a.txt" :line 1 :content "x")
  (reply :text (contains "[line 3 holds 12 invisible characters: tag characters]"))
  (after (file "a.txt" (lines "one" "x" (cat "two" (repeat (char 917569) 12) "!") "three"))))

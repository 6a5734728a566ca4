;;; agent-q-fs-exec-process-tests.el --- Tests of caps and cleaning  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-exec-process)

(defun agent-q-fs-exec-output-tests--take (chunks &optional bytes lines more)
  "Return the text taken of CHUNKS, with caps of BYTES and LINES; MORE may come."
  (let ((output (agent-q-fs-exec-output-make)))
    (dolist (chunk chunks)
      (agent-q-fs-exec-output-add output (encode-coding-string chunk 'utf-8)))
    (agent-q-fs-exec-output-take output (or bytes 8192) (or lines 200) (not more))))

(defun agent-q-fs-exec-output-tests--clean (text)
  "Return TEXT, cleaned."
  (agent-q-fs-exec-output-clean (encode-coding-string text 'utf-8)))

(ert-deftest agent-q-fs-exec-output/small ()
  (should (equal '("" . nil) (agent-q-fs-exec-output-tests--take nil)))
  (should (equal '("a\nbé" . nil) (agent-q-fs-exec-output-tests--take '("a\n" "b" "é")))))

(ert-deftest agent-q-fs-exec-output/caps ()
  "Head and tail are kept, within the caps, and it is said how much is missing."
  (pcase-dolist (`(,text ,bytes ,lines)
                 `((,(make-string 8192 ?x) 8192 200) (,(make-string 8193 ?x) 8192 200)
                   (,(make-string 9000 ?é) 8192 200) (,(make-string 50000 ?€) 8192 200)
                   (,(make-string 200000 ?𝄞) 8192 200)
                   (,(apply #'concat (make-list 200 "l\n")) 8192 200)
                   (,(apply #'concat (make-list 201 "l\n")) 8192 200)
                   (,(apply #'concat (make-list 90000 "l\n")) 8192 200)
                   (,(make-string 500 ?x) 100 200) (,(make-string 500 ?\n) 8192 3)))
    (pcase-let ((`(,shown . ,truncated)
                 (agent-q-fs-exec-output-tests--take (list text) bytes lines))
                (fits (and (<= (string-bytes text) bytes)
                           (<= (length (split-string text "\n" t)) lines)
                           (not (string-prefix-p "\n" text)))))
      (should (eq truncated (not fits)))
      (should (<= (string-bytes shown) bytes))
      (should (<= (agent-q-fs-audit--lines shown) (1+ lines)))
      (if fits
          (should (equal shown text))
        (should (string-match "\\[truncated\\] \\([0-9,]+\\) bytes left out\n" shown))
        (should (string-prefix-p (substring text 0 1) shown))
        (should (string-suffix-p (substring text -1) shown))
        (should (= (string-bytes text)
                   (+ (string-to-number (string-replace "," "" (match-string 1 shown)))
                      (string-bytes (string-remove-suffix
                                     "\n" (substring shown 0 (match-beginning 0))))
                      (if (and (> (match-beginning 0) 1)
                               (string-prefix-p "l" text))
                          1 (if (eq ?\n (aref text 0)) 1 0))
                      (string-bytes (substring shown (match-end 0))))))))))

(ert-deftest agent-q-fs-exec-output/middle-is-dropped ()
  "Of 20 MB in pieces the first and last lines are shown, and little is kept."
  (let ((output (agent-q-fs-exec-output-make)))
    (agent-q-fs-exec-output-add output "first\n")
    (dotimes (_ 5000) (agent-q-fs-exec-output-add output (make-string 4096 ?x)))
    (agent-q-fs-exec-output-add output "\nlast\n")
    (should (< (+ (agent-q-fs-exec-output-head-size output)
                  (agent-q-fs-exec-output-tail-size output))
               (* 4 agent-q-fs-exec-output--keep)))
    (pcase-let ((`(,text . ,truncated) (agent-q-fs-exec-output-take output 8192 200 t)))
      (should truncated)
      (should (string-prefix-p "first\n" text))
      (should (string-suffix-p "x\nlast\n" text))
      (should (string-match "20,47[0-9],[0-9]\\{3\\} bytes" text)))
    (should (equal '("" . nil) (agent-q-fs-exec-output-take output 8192 200 t)))))

(ert-deftest agent-q-fs-exec-output/taken-in-parts ()
  "Threat 114: a character or escape sequence between two polls is not torn apart."
  (let* ((text "é€𝄞\e[31mred\e[0m\e]0;title\ax\r\ny\e(B.")
         (bytes (encode-coding-string text 'utf-8))
         (whole (agent-q-fs-exec-output-tests--clean text)))
    (should (equal "é€𝄞redx\ny." whole))
    (dotimes (i (length bytes))
      (let ((output (agent-q-fs-exec-output-make)) parts)
        (agent-q-fs-exec-output-add output (substring bytes 0 i))
        (push (car (agent-q-fs-exec-output-take output 8192 200 nil)) parts)
        (agent-q-fs-exec-output-add output (substring bytes i))
        (push (car (agent-q-fs-exec-output-take output 8192 200 t)) parts)
        (should (equal whole (apply #'concat (reverse parts))))))))

(ert-deftest agent-q-fs-exec-output/unfinished-for-ever ()
  "An escape sequence that never ends is shown when the output ends."
  (should (equal "" (car (agent-q-fs-exec-output-tests--take '("\e]0;no end") nil nil t))))
  (should (equal "0;no end" (string-remove-prefix
                             "^[" (car (agent-q-fs-exec-output-tests--take '("\e]0;no end"))))))
  (should (string-search "xxx" (car (agent-q-fs-exec-output-tests--take
                                     (list "\e]0;" (make-string 3000 ?x)) nil nil t)))))

(ert-deftest agent-q-fs-exec-output/escapes ()
  "Threat 59: nothing that a terminal or Emacs would obey is left."
  (pcase-dolist (`(,text ,clean)
                 '(("a\e[1;31mb\e[0mc" "abc") ("a\e[?25lb" "ab") ("\e[2J\e[Hx" "x")
                   ("\e]8;;http://evil/\e\\link\e]8;;\e\\" "link")
                   ("\e]52;c;ZXZpbA==\ax" "x") ("\eP1;2qdata\e\\x" "x") ("\e_apc\e\\x" "x")
                   ("\ec" "") ("\e7x\e8" "x") ("\e(0x" "x") ("\u009b31mx" "x")
                   ("\u009d0;t\u009cx" "x") ("a\bb" "b") ("N\bNA\bAM\bM" "NAM") ("_\bx" "x")
                   ("a\r\nb\r\r\nc" "a\nb\nc") ("10%\r20%\n" "10%\n20%\n")
                   ("a\0b\x01\x7f" "a^@b^A^?") ("bell\a" "bell") ("\e" "^[")
                   ("a\tb\n" "a\tb\n") ("\u0085" "<U+0085>")))
    (should (equal clean (agent-q-fs-exec-output-tests--clean text))))
  (should (equal "a\\377\\376b" (agent-q-fs-exec-output-clean "a\377\376b")))
  (should-not (text-properties-at 0 (agent-q-fs-exec-output-clean "x"))))

(ert-deftest agent-q-fs-exec-output/random-bytes ()
  "For all bytes, the text is plain; `make bench' measures how long the worst take."
  (progn
    (dotimes (i 60)
      (let* ((size (random 3000))
             (bytes (apply #'unibyte-string
                           (cl-loop repeat size
                                    collect (if (zerop (% i 2))
                                                (random 256)
                                              (aref "\e[];m\a\\\r\n\b0\304\200x" (random 14))))))
             (text (agent-q-fs-exec-output-clean bytes)))
        (should-not (string-match-p "[\u0000-\u0008\u000b-\u001f\u007f-\u009f]" text))
        (should (equal text (agent-q-fs-audit-plain text)))))
    (dolist (bytes (list (apply #'concat (make-list 20000 "\e]"))
                         (concat "\e]" (make-string 65000 ?x))
                         (make-string 65000 ?\b)))
      (should-not (string-match-p "[\e\b]" (agent-q-fs-exec-output-clean bytes))))))

(provide 'agent-q-fs-exec-process-tests)
;;; agent-q-fs-exec-process-tests.el ends here

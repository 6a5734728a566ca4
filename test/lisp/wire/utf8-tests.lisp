;;;; utf8-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test utf8.every-character
  (loop for start from 0 below char-code-limit by 4096
        for text = (let ((codes (loop for code from start below (+ start 4096)
                                      unless (<= #xD800 code #xDFFF) collect code)))
                     (map 'string #'code-char codes))
        unless (equal text (decode-utf8 (encode-utf8 text)))
          do (fail "not itself from ~X on" start)
        finally (pass)))

(test utf8.known-bytes
  (is (equal (map 'string #'code-char '(#xE9 #x20AC #x1F600))
             (decode-utf8 (to-octets #(#xC3 #xA9 #xE2 #x82 #xAC #xF0 #x9F #x98 #x80)))))
  (is (equal "plain" (decode-utf8 (to-octets #(112 108 97 105 110)))))
  (is (equal "" (decode-utf8 (to-octets #())))))

(test utf8.invalid-is-refused
  (dolist (bytes '((#x80) (#xC3) (#xC3 #x28) (#xE2 #x82) (#xF0 #x9F #x98)
                   (#xC0 #x80) (#xC1 #xBF) (#xE0 #x80 #x80) (#xF0 #x80 #x80 #x80) ; overlong
                   (#xED #xA0 #x80) (#xED #xBF #xBF)                             ; surrogates
                   (#xF4 #x90 #x80 #x80) (#xF5 #x80 #x80 #x80) (#xFF) (#xFE)
                   (65 #xBF 65) (#xE2 #x28 #xA1)))
    (signals agent-q-fs-malformed-reply (decode-utf8 (to-octets bytes)))))

;;; SPDX-License-Identifier: MIT
;;; ask.scm -- what Guile's reader says of the files whose names it is given: where forms end.
;;;
;;; Names come one a line on standard input; a line for each goes to standard output, as agree.c
;;; expects it.  Guile does not tell where a form begins behind comments.
(use-modules (ice-9 rdelim))

(define (ends port)
  (let loop ((found '()))
    (if (eof-object? (read port))
        (reverse found)
        (loop (cons (ftell port) found)))))

(define (ask path)
  (let ((ends (catch #t
                (lambda () (call-with-input-file path ends #:encoding "ISO-8859-1"))
                (lambda _ #f))))
    (display path)
    (display (if ends "\tok" "\trefused"))
    (for-each (lambda (end) (display "\t-1\t") (display end)) (or ends '()))
    (newline)))

(let loop ((path (read-line)))
  (unless (eof-object? path)
    (ask path)
    (loop (read-line))))

;;;; reader.lisp -- from the s-expression that the core prints to data.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; CL:READ is not used: it can run code, it interns symbols, and the caller can bind its
;;;; variables to anything.  The language is:
;;;;
;;;;     datum    list | string | integer | keyword | t | nil
;;;;     list     ( datum* )             nested 2,000 deep at most
;;;;     string   \" ... \"                with \\\" and \\\\ as the only escapes
;;;;     keyword  :[a-z0-9-]+
;;;;
;;;; Anything else is agent-q-fs-malformed-reply.
;;;;
;;;; The reader reads text.  Emacs sends text; the bytes of the shared object are decoded
;;;; first, which takes less time than to decode each string by itself.

(in-package #:agent-q-fs)

(defconstant +most-depth+ 2000
  "Lists in lists.  The deepest tree of directories needs about 520.")

(defconstant +most-digits+ 40
  "Digits of an integer.  The core's have 19.")

;;;; Keywords
;;;
;;; A reply must be the same data whenever it is read, whatever other code has interned by
;;; then.  So the reader never asks whether a symbol exists.  The catalogue names the keywords
;;; that the core prints.  A newer core, or Emacs, may print a few more: the reader interns
;;; those as well, up to a number, since symbols are never collected.  Names beyond
;;; that stay strings, also when they come again.

(defconstant +most-new-keywords+ 500
  "Keywords that replies may add to those of the catalogue.")

(defconstant +longest-keyword+ 60
  "Characters of a keyword that replies may add.")

(deftype bucket-index () '(unsigned-byte 10))

(declaim (inline hash-text))
(defun hash-text (text start end)
  "Returns a small number for the characters from START to END."
  (declare (type text text) (type index start end))
  (let ((hash 5381))
    (declare (type (unsigned-byte 32) hash))
    (loop for i of-type index from start below end
          do (setf hash (logand #xFFFFFFF (+ (* 33 (logand hash #xFFFFFF))
                                             (char-code (schar text i))))))
    (ldb (byte 10 0) (logxor hash (ash hash -10)))))

(defun make-keyword-table (keywords)
  "Returns a vector of buckets of (SPELLING . KEYWORD), which is never changed."
  (let ((table (make-array 1024 :initial-element '())))
    (dolist (keyword keywords table)
      (let ((spelling (coerce (string-downcase (symbol-name keyword)) 'text)))
        (push (cons spelling keyword)
              (svref table (hash-text spelling 0 (length spelling))))))))

(declaim (type simple-vector *keyword-table*))
(defparameter *keyword-table* (make-keyword-table agent-q-fs/catalogue:*keywords*)
  "The keywords of the catalogue.")

(defvar *new-keywords* (make-hash-table :test #'equal)
  "The keywords that replies have added, by their spellings.")

(defvar *new-keywords-lock* (make-lock "agent-q-fs keywords"))

(defun new-keyword (spelling)
  "Returns the keyword for SPELLING, which the catalogue does not have; or SPELLING itself if it
is too long, or if the table was full when it first came."
  (if (> (length spelling) +longest-keyword+)
      spelling
      (with-lock (*new-keywords-lock*)
        (cond ((gethash spelling *new-keywords*))
              ((< (hash-table-count *new-keywords*) +most-new-keywords+)
               (setf (gethash spelling *new-keywords*)
                     (intern (string-upcase spelling) '#:keyword)))
              (t spelling)))))

(declaim (inline spelled-p))
(defun spelled-p (spelling text start end)
  "Returns true if the characters from START to END are those of SPELLING."
  (declare (type text spelling text) (type index start end))
  (and (= (length spelling) (- end start))
       (loop for i of-type index from start below end
             for j of-type index from 0
             always (char= (schar text i) (schar spelling j)))))

(defun keyword-at (text start end)
  "Returns the keyword that is spelled from START to END, or its spelling."
  (declare (type text text) (type index start end))
  (loop for (spelling . keyword) in (svref *keyword-table* (hash-text text start end))
        when (spelled-p spelling text start end)
          do (return-from keyword-at keyword))
  (new-keyword (subseq text start end)))

;;;; The source

(defstruct (source (:constructor make-source (text position end)) (:copier nil))
  "A text, and the position that the reader has reached in it."
  (text (make-string 0) :type text)
  (position 0 :type index)
  (end 0 :type index))

(defun unexpected (source)
  "Signals that the character at SOURCE's position may not stand there."
  (let ((position (source-position source)))
    (if (< position (source-end source))
        (malformed "unexpected character U+~4,'0X at ~D"
                   (char-code (schar (source-text source) position)) position)
        (malformed "it ends early, after ~D characters" position))))

(declaim (inline peek))
(defun peek (source)
  "Returns the code of the character at SOURCE's position, or -1 at the end."
  (declare (type source source))
  (if (< (source-position source) (source-end source))
      (char-code (schar (source-text source) (source-position source)))
      -1))

(declaim (inline blank-p ends-atom-p))
(defun blank-p (code)
  (member code '(32 10 9 13)))

(defun ends-atom-p (code)
  (member code '(-1 32 10 9 13 34 40 41)))

(defun skip-blanks (source)
  "Moves to the next character that is not white space, and returns its code."
  (declare (type source source))
  (loop for code fixnum = (peek source)
        while (blank-p code)
        do (incf (source-position source))
        finally (return code)))

;;;; Strings

(defun string-end (source)
  "Returns the position of the closing quote, and the number of escapes before it."
  (declare (type source source))
  (let ((text (source-text source))
        (end (source-end source))
        (position (source-position source))
        (escapes 0))
    (declare (type index end position escapes))
    (loop
      (when (>= position end)
        (setf (source-position source) end)
        (unexpected source))
      (case (schar text position)
        (#\" (return (values position escapes)))
        (#\\ (incf escapes) (incf position 2))
        (t (incf position))))))

(defun unescape (text start end escapes)
  "Returns the characters from START to END without the backslashes of ESCAPES escapes."
  (declare (type text text) (type index start end escapes))
  (let ((result (make-string (- end start escapes)))
        (i 0))
    (declare (type text result) (type index i))
    (loop with position of-type index = start
          while (< position end)
          do (when (char= (schar text position) #\\)
               (incf position)
               (unless (member (schar text position) '(#\" #\\))
                 (malformed "unknown escape at character ~D" position)))
             (setf (schar result i) (schar text position))
             (incf i)
             (incf position))
    result))

(defun read-text (source)
  "Reads a string.  SOURCE is at its opening quote."
  (declare (type source source))
  (let ((start (incf (source-position source))))
    (declare (type index start))
    (multiple-value-bind (end escapes) (string-end source)
      (declare (type index end escapes))
      (setf (source-position source) (1+ end))
      (if (zerop escapes)
          (subseq (source-text source) start end)
          (unescape (source-text source) start end escapes)))))

;;;; Atoms

(defun atom-end (source)
  "Returns the end of the atom at SOURCE's position."
  (declare (type source source))
  (loop for position of-type index from (source-position source) below (source-end source)
        when (ends-atom-p (char-code (schar (source-text source) position)))
          do (return position)
        finally (return (source-end source))))

(defun read-digits (source)
  "Reads an integer."
  (declare (type source source))
  (let* ((text (source-text source))
         (start (source-position source))
         (end (atom-end source))
         (negative (char= (schar text start) #\-))
         (value 0))
    (declare (type index start end))
    (when negative (incf start))
    (unless (<= 1 (- end start) +most-digits+)
      (unexpected source))
    (loop for position of-type index from start below end
          do (let ((digit (- (char-code (schar text position)) 48)))
               (unless (<= 0 digit 9) (unexpected source))
               (setf value (+ (* 10 value) digit))))
    (setf (source-position source) end)
    (if negative (- value) value)))

(declaim (inline keyword-code-p))
(defun keyword-code-p (code)
  (or (<= 97 code 122) (<= 48 code 57) (= code 45)))

(defun read-keyword (source)
  "Reads a keyword.  SOURCE is at its colon."
  (declare (type source source))
  (let ((start (1+ (source-position source)))
        (end (atom-end source))
        (text (source-text source)))
    (declare (type index start end))
    (unless (and (< start end)
                 (loop for position of-type index from start below end
                       always (keyword-code-p (char-code (schar text position)))))
      (unexpected source))
    (setf (source-position source) end)
    (keyword-at text start end)))

(defun read-word (source)
  "Reads t or nil."
  (let ((end (atom-end source))
        (text (source-text source))
        (start (source-position source)))
    (flet ((word-p (word)
             (spelled-p (coerce word 'text) text start end)))
      (prog1 (cond ((word-p "nil") nil)
                   ((word-p "t") t)
                   (t (unexpected source)))
        (setf (source-position source) end)))))

(defun read-atom (source code)
  "Reads an atom, which begins with the character CODE."
  (cond ((= code 34) (read-text source))
        ((= code 58) (read-keyword source))
        ((or (<= 48 code 57) (= code 45)) (read-digits source))
        (t (read-word source))))

;;;; Lists

(defun read-datum (source)
  "Reads one datum.  The unfinished lists are kept in a list and not on the stack, because the
sender chooses how deep a reply is."
  (declare (type source source))
  (let ((items '())
        (outer '())
        (depth 0))
    (declare (type fixnum depth))
    (loop
      (let ((code (skip-blanks source))
            (datum nil))
        (declare (type fixnum code))
        (cond ((= code 40)
               (when (> (incf depth) +most-depth+)
                 (malformed "lists are nested more than ~D deep" +most-depth+))
               (incf (source-position source))
               (push items outer)
               (setf items '()))
              (t
               (cond ((/= code 41) (setf datum (read-atom source code)))
                     ((zerop depth) (unexpected source))
                     (t (incf (source-position source))
                        (decf depth)
                        (setf datum (nreverse items)
                              items (pop outer))))
               (when (zerop depth)
                 (return datum))
               (push datum items)))))))

(defun reply-as-text (reply)
  "Returns REPLY, a string or octets, as a text."
  (etypecase reply
    (text reply)
    (octets (decode-utf8 reply))
    (string (coerce reply 'text))))

(defun read-reply (reply)
  "Returns the one datum in REPLY, a string or octets."
  (let* ((text (reply-as-text reply))
         (source (make-source text 0 (length text)))
         (datum (read-datum source)))
    (skip-blanks source)
    (when (< (source-position source) (source-end source))
      (unexpected source))
    datum))

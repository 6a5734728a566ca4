;;;; reader.lisp -- from the s-expression that the core prints to data.
;;;;
;;;; Not CL:READ, which can run code, intern symbols and be bound to anything by
;;;; the caller.  The language is:
;;;;
;;;;     datum    list | string | integer | keyword | t | nil
;;;;     list     ( datum* )             nested 2,000 deep at most
;;;;     string   \" ... \"                with \\\" and \\\\ as the only escapes
;;;;     keyword  :[a-z0-9-]+            looked up, never interned
;;;;
;;;; Anything else is agent-q-fs-malformed-reply.

(in-package #:agent-q-fs)

(defconstant +most-depth+ 2000
  "Lists in lists.  The deepest tree of directories needs about 520.")

(defconstant +most-digits+ 40
  "Digits of an integer.  The core's have 19.")

(defstruct (source (:constructor make-source (octets position end)) (:copier nil))
  "What is being read."
  (octets (make-octets 0) :type octets)
  (position 0 :type index)
  (end 0 :type index))

(defun unexpected (source)
  "Signals that the byte at SOURCE's position has no business there."
  (let ((position (source-position source)))
    (if (< position (source-end source))
        (malformed "unexpected byte ~D at ~D" (aref (source-octets source) position) position)
        (malformed "it ends early, after ~D bytes" position))))

(declaim (inline peek))
(defun peek (source)
  "The byte at SOURCE's position, or -1 at the end."
  (declare (type source source))
  (if (< (source-position source) (source-end source))
      (aref (source-octets source) (source-position source))
      -1))

(declaim (inline blank-p ends-atom-p))
(defun blank-p (byte)
  (member byte '(32 10 9 13)))

(defun ends-atom-p (byte)
  (member byte '(-1 32 10 9 13 34 40 41)))

(defun skip-blanks (source)
  "Moves to the next byte that is not white space, and returns it."
  (declare (type source source))
  (loop for byte fixnum = (peek source)
        while (blank-p byte)
        do (incf (source-position source))
        finally (return byte)))

;;;; Strings

(defun string-end (source)
  "Where the closing quote is, and how many escapes come before it."
  (declare (type source source))
  (let ((octets (source-octets source))
        (end (source-end source))
        (position (source-position source))
        (escapes 0))
    (declare (type index end position escapes))
    (loop
      (when (>= position end)
        (setf (source-position source) end)
        (unexpected source))
      (case (aref octets position)
        (34 (return (values position escapes)))
        (92 (incf escapes) (incf position 2))
        (t (incf position))))))

(defun unescape (octets start end escapes)
  "The bytes from START to END without the backslashes of ESCAPES escapes."
  (declare (type octets octets) (type index start end escapes))
  (let ((result (make-octets (- end start escapes)))
        (i 0))
    (declare (type index i))
    (loop with position of-type index = start
          while (< position end)
          do (when (= (aref octets position) 92)
               (incf position)
               (unless (member (aref octets position) '(34 92))
                 (malformed "unknown escape at byte ~D" position)))
             (setf (aref result i) (aref octets position))
             (incf i)
             (incf position))
    result))

(defun read-text (source)
  "Reads a string.  SOURCE is at its opening quote."
  (declare (type source source))
  (let ((octets (source-octets source))
        (start (incf (source-position source))))
    (multiple-value-bind (end escapes) (string-end source)
      (setf (source-position source) (1+ end))
      (if (zerop escapes)
          (decode-utf8 octets :start start :end end)
          (decode-utf8 (unescape octets start end escapes))))))

;;;; Atoms

(defun atom-end (source)
  "Where the atom at SOURCE's position ends."
  (declare (type source source))
  (loop for position of-type index from (source-position source) below (source-end source)
        when (ends-atom-p (aref (source-octets source) position))
          do (return position)
        finally (return (source-end source))))

(defun read-digits (source)
  "Reads an integer."
  (declare (type source source))
  (let* ((octets (source-octets source))
         (start (source-position source))
         (end (atom-end source))
         (negative (= (aref octets start) 45))
         (value 0))
    (declare (type index start end))
    (when negative (incf start))
    (unless (<= 1 (- end start) +most-digits+)
      (unexpected source))
    (loop for position of-type index from start below end
          do (let ((digit (- (aref octets position) 48)))
               (unless (<= 0 digit 9) (unexpected source))
               (setf value (+ (* 10 value) digit))))
    (setf (source-position source) end)
    (if negative (- value) value)))

(defun keyword-byte-p (byte)
  (or (<= 97 byte 122) (<= 48 byte 57) (= byte 45)))

(defun read-keyword (source)
  "Reads a keyword.  SOURCE is at its colon."
  (declare (type source source))
  (let ((start (1+ (source-position source)))
        (end (atom-end source))
        (octets (source-octets source)))
    (declare (type index start end))
    (unless (and (< start end)
                 (loop for position of-type index from start below end
                       always (keyword-byte-p (aref octets position))))
      (unexpected source))
    (setf (source-position source) end)
    (keyword-at octets start end)))

(defun read-word (source)
  "Reads t or nil."
  (let ((end (atom-end source))
        (octets (source-octets source))
        (start (source-position source)))
    (flet ((is (word)
             (octets-equal word octets start end)))
      (prog1 (cond ((is (load-time-value (encode-utf8 "nil"))) nil)
                   ((is (load-time-value (encode-utf8 "t"))) t)
                   (t (unexpected source)))
        (setf (source-position source) end)))))

(defun read-atom (source byte)
  "Reads what begins with BYTE and is not a list."
  (cond ((= byte 34) (read-text source))
        ((= byte 58) (read-keyword source))
        ((or (<= 48 byte 57) (= byte 45)) (read-digits source))
        (t (read-word source))))

;;;; Lists

(defun read-datum (source)
  "Reads one datum.  Keeps the unfinished lists in a list of its own, because the
depth of a reply is not for the sender to choose."
  (declare (type source source))
  (let ((items '())
        (outer '())
        (depth 0))
    (declare (type fixnum depth))
    (loop
      (let ((byte (skip-blanks source))
            (datum nil))
        (declare (type fixnum byte))
        (cond ((= byte 40)
               (when (> (incf depth) +most-depth+)
                 (malformed "lists are nested more than ~D deep" +most-depth+))
               (incf (source-position source))
               (push items outer)
               (setf items '()))
              (t
               (cond ((/= byte 41) (setf datum (read-atom source byte)))
                     ((zerop depth) (unexpected source))
                     (t (incf (source-position source))
                        (decf depth)
                        (setf datum (nreverse items)
                              items (pop outer))))
               (when (zerop depth)
                 (return datum))
               (push datum items)))))))

(defun read-reply (octets)
  "The one datum in OCTETS, which are a whole reply."
  (let* ((source (make-source octets 0 (length octets)))
         (datum (read-datum source)))
    (skip-blanks source)
    (when (< (source-position source) (source-end source))
      (unexpected source))
    datum))

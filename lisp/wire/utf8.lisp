;;;; utf8.lisp -- text as bytes, independently of the image's default external format.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

(deftype octets ()
  "The bytes that are exchanged with the core."
  '(simple-array (unsigned-byte 8) (*)))

(deftype index ()
  '(integer 0 #.(1- array-dimension-limit)))

(deftype text ()
  "The type of every string that this library makes."
  '(simple-array character (*)))

(declaim (inline make-octets))
(defun make-octets (length)
  (make-array length :element-type '(unsigned-byte 8)))

(declaim (inline surrogate-p))
(defun surrogate-p (code)
  "Returns true if CODE is half of a UTF-16 pair, which has a char-code but is no text."
  (<= #xD800 code #xDFFF))

(defmacro with-typed-string ((variable) &body body)
  "Runs BODY with VARIABLE, bound to any string, as a simple string of a type that is known."
  `(let ((,variable (if (simple-string-p ,variable)
                        ,variable
                        (coerce ,variable 'simple-string))))
     (etypecase ,variable
       ,@(loop for type in '(text simple-base-string simple-string)
               collect `(,type (let ((,variable ,variable))
                                 (declare (type ,type ,variable)
                                          ;; No base-char is above 127, so branches go there.
                                          #+sbcl (sb-ext:muffle-conditions
                                                  sb-ext:code-deletion-note))
                                 ,@body))))))

;;;; Decoding

(defun malformed (control &rest arguments)
  "Signals agent-q-fs-malformed-reply."
  (fail 'agent-q-fs-malformed-reply :malformed-reply
        (concatenate 'string "The reply cannot be read: " (format-message control arguments))))

(defun count-characters (octets)
  "Returns the number of characters in OCTETS, if these are valid UTF-8, and true as a second
value if all of them are ASCII."
  (declare (type octets octets))
  (let ((count 0)
        (bits 0))
    (declare (type index count) (type (unsigned-byte 8) bits))
    (loop for octet across octets
          do (setf bits (logior bits octet))
             (unless (= (logand octet #xC0) #x80)
               (incf count)))
    (values count (< bits #x80))))

(declaim (inline continuation))
(defun continuation (octets position end)
  "Returns the six bits of the continuation byte at POSITION."
  (declare (type octets octets) (type index position end))
  (let ((byte (if (< position end) (aref octets position) 0)))
    (unless (= (logand byte #xC0) #x80)
      (malformed "invalid UTF-8 at byte ~D" position))
    (logand byte #x3F)))

(defun decode-sequence (octets position end)
  "Returns the code point of the two to four bytes at POSITION, and their end."
  (declare (type octets octets) (type index position end))
  (let ((lead (aref octets position)))
    (flet ((next (offset) (continuation octets (+ position offset) end)))
      (multiple-value-bind (code length least)
          (cond ((= (logand lead #xE0) #xC0)
                 (values (logior (ash (logand lead #x1F) 6) (next 1)) 2 #x80))
                ((= (logand lead #xF0) #xE0)
                 (values (logior (ash (logand lead #x0F) 12) (ash (next 1) 6) (next 2))
                         3 #x800))
                ((= (logand lead #xF8) #xF0)
                 (values (logior (ash (logand lead #x07) 18) (ash (next 1) 12)
                                 (ash (next 2) 6) (next 3))
                         4 #x10000))
                (t (values 0 1 1)))
        ;; An overlong form would be a second spelling of the same string.
        (when (or (< code least) (> code #x10FFFF) (surrogate-p code))
          (malformed "invalid UTF-8 at byte ~D" position))
        (values code (+ position length))))))

(defun decode-ascii (octets)
  "Returns the text of OCTETS, all of which are ASCII."
  (declare (type octets octets))
  (let ((text (make-string (length octets))))
    (dotimes (i (length octets) text)
      (setf (schar text i) (code-char (aref octets i))))))

(defun decode-mixed (octets count)
  "Returns the text of COUNT characters that the UTF-8 in OCTETS encodes."
  (declare (type octets octets) (type index count))
  (let ((text (make-string count))
        (end (length octets))
        (position 0)
        (i 0))
    (declare (type text text) (type index end position i))
    (loop while (< position end)
          do (let ((byte (aref octets position)))
               (when (>= i (length text))
                 (malformed "invalid UTF-8 at byte ~D" position))
               (if (< byte #x80)
                   (setf (schar text i) (code-char byte)
                         position (1+ position))
                   (multiple-value-bind (code next) (decode-sequence octets position end)
                     (when (>= code char-code-limit)
                       (malformed "this Lisp has no character U+~X" code))
                     (setf (schar text i) (code-char code)
                           position next)))
               (incf i)))
    text))

(defun decode-utf8 (octets)
  "Returns the text that the UTF-8 in OCTETS encodes."
  (multiple-value-bind (count ascii) (count-characters octets)
    (if ascii
        (decode-ascii octets)
        (decode-mixed octets count))))

;;;; Encoding, into a buffer that grows

(defstruct (output (:constructor make-output ()) (:copier nil))
  "A buffer with the bytes that are written so far."
  (octets (make-octets 256) :type octets)
  (length 0 :type index))

(defun reserve (output count)
  "Makes room for COUNT more bytes."
  (declare (type output output) (type index count))
  (let ((needed (+ (output-length output) count))
        (old (output-octets output)))
    (when (> needed (length old))
      (setf (output-octets output)
            (replace (make-octets (max needed (* 2 (length old)))) old
                     :end2 (output-length output))))))

(declaim (inline write-octet))
(defun write-octet (octet output)
  "Appends OCTET."
  (declare (type (unsigned-byte 8) octet) (type output output))
  (when (= (output-length output) (length (output-octets output)))
    (reserve output 1))
  (setf (aref (output-octets output) (output-length output)) octet)
  (incf (output-length output))
  nil)

(defun write-code (code output)
  "Appends the UTF-8 of the code point CODE."
  (declare (type (integer 0 #x10FFFF) code) (type output output))
  (flet ((tail (shift) (write-octet (logior #x80 (ldb (byte 6 shift) code)) output)))
    (cond ((< code #x80) (write-octet code output))
          ((< code #x800)
           (write-octet (logior #xC0 (ash code -6)) output) (tail 0))
          ((< code #x10000)
           (write-octet (logior #xE0 (ash code -12)) output) (tail 6) (tail 0))
          (t
           (write-octet (logior #xF0 (ash code -18)) output) (tail 12) (tail 6) (tail 0)))
    nil))

(defun output-result (output)
  "Returns the bytes that are written to OUTPUT."
  (subseq (output-octets output) 0 (output-length output)))

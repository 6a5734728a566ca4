;;;; keywords.lisp -- the keywords of replies, without interning anything.

(in-package #:agent-q-fs)

;;; Reading this list interns every keyword that the core of this version prints,
;;; so that a reply never has to.  A keyword of a newer core is found by
;;; FIND-SYMBOL when some program can name it, and is a string otherwise.

(defparameter *reply-keywords*
  '(;; errors
    :error :message :hint :text
    ;; the workspace, versions, the table
    :root :method :mode :home :resolver :allowed-paths :restricted-paths :read-only :backend
    :version :abi :pcre2 :libmagic :libgit2 :jansson
    :name :tier :slow :doc :params :type :required :default :least :most :choices
    :safe :cautious :dangerous
    :string :path :integer :boolean :strings :choice
    ;; how a root was found, and what a workspace is
    :explicit :git :asdf :sly :cwd :moved
    :host :memory :session :mounts :bytes :skipped :limits
    :read-lines :read-bytes :write-bytes :patch-bytes :list-entries :grep-matches :reply-bytes
    :text-bytes :walk-entries :walk-depth :threads :time-ms :regex-steps :memory-bytes
    :mount-bytes :session-chars :session-depth :session-segment
    ;; listings, trees, info
    :entries :total :truncated :offset :limit :size :modified :target :depth
    :file :directory :symlink :other :unknown :missing
    :tree :children :files :directories :unreadable :more
    :absolute :created :accessed :changed :permissions :readable :writable
    :mime-type :encoding :line-endings :links :revision :exists
    :lf :crlf :mixed :none :cr
    ;; text, bytes, searches
    :content :start-line :end-line :total-lines :bom
    :paths :matches :match :context :line :lines :start :end :count :counts :before :after
    ;; writing
    :snippet :diff :bytes-written :source :destination :replaced
    :action :from :added :removed :deleted :moved
    :create :overwrite :append :slice :indentation
    :id :created-at :commit-ref :root-path :git-dir :tag :snapshots
    :summary :targets :digest
    ;; streams
    :progress :items)
  "Every keyword that is known before a reply comes, with those of *ERROR-CODES*.")

(deftype bucket-index () '(unsigned-byte 10))

(declaim (inline hash-octets))
(defun hash-octets (octets start end)
  "A small number for the bytes from START to END."
  (declare (type octets octets) (type index start end))
  (let ((hash 5381))
    (declare (type (unsigned-byte 32) hash))
    (loop for i of-type index from start below end
          do (setf hash (logand #xFFFFFFF (+ (* 33 (logand hash #xFFFFFF)) (aref octets i)))))
    (ldb (byte 10 0) (logxor hash (ash hash -10)))))

(defun make-keyword-table (keywords)
  "Buckets of (SPELLING . KEYWORD): a table read from many threads and never changed."
  (let ((table (make-array 1024 :initial-element '())))
    (dolist (keyword keywords table)
      (let ((spelling (encode-utf8 (string-downcase (symbol-name keyword)))))
        (push (cons spelling keyword)
              (svref table (hash-octets spelling 0 (length spelling))))))))

(defparameter *keyword-table*
  (make-keyword-table (append (mapcar #'second *error-codes*) *reply-keywords*)))

(declaim (inline octets-equal))
(defun octets-equal (spelling octets start end)
  "Are the bytes from START to END those of SPELLING?"
  (declare (type octets spelling octets) (type index start end))
  (and (= (length spelling) (- end start))
       (loop for i of-type index from start below end
             for j of-type index from 0
             always (= (aref octets i) (aref spelling j)))))

(defun keyword-at (octets start end)
  "The keyword spelled from START to END; its spelling when nobody has interned it."
  (declare (type octets octets) (type index start end))
  (let ((bucket (svref *keyword-table* (hash-octets octets start end))))
    (loop for entry in bucket
          when (octets-equal (car entry) octets start end)
            do (return-from keyword-at (cdr entry))))
  (let ((name (decode-utf8 octets :start start :end end)))
    (multiple-value-bind (keyword found) (find-symbol (string-upcase name) '#:keyword)
      (if found keyword name))))

;;;; catalogue.lisp -- the core's catalogue, as far as Common Lisp needs it.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Written by scripts/agent-q-fs-generate.el from the catalogue in module/, where changes belong.

(defpackage #:agent-q-fs/catalogue
  (:use #:common-lisp)
  (:export #:*version* #:*abi* #:*errors* #:*outside* #:*options* #:*limits* #:*keywords*))

(in-package #:agent-q-fs/catalogue)

(defparameter *version*
  "0.2.0"
  "The version of the core.")

(defparameter *abi*
  2
  "The version of the core's interface.")

(defparameter *errors*
  '(("outside-root" "The path leads out of the project root.")
    ("restricted" "The path lies under one of the restricted paths.")
    ("not-found" "There is nothing of that name.")
    ("exists" "There is already something of that name.")
    ("is-directory" "A file was expected, and the path is a directory.")
    ("not-a-directory" "A directory was expected, and the path is something else.")
    ("not-regular" "The path is a device, a pipe or a socket: there is nothing to read or write.")
    ("permission" "The operating system forbids it.")
    ("invalid-argument" "An argument is missing, unknown, of the wrong type or out of range.")
    ("unknown-operation" "No operation has that name.")
    ("no-match" "The text to replace does not occur.")
    ("multiple-matches" "The text to replace occurs several times.")
    ("unbalanced" "The parentheses of a Lisp file would not balance any more.")
    ("stale" "The file is not what it was when it was read, or the plan is not what was approved.")
    ("binary" "The file is not text.")
    ("encoding" "The text cannot be decoded, or not be written back as it was.")
    ("patch-parse" "The patch is malformed.")
    ("patch-apply" "The patch does not fit the files.")
    ("too-large" "The file is larger than the limit.")
    ("too-long" "The path or argument is longer than the limit.")
    ("limit" "The call used up its time, its steps or the memory there is.")
    ("loop" "Too many symbolic links.")
    ("raced" "The tree kept changing while the call looked at it.")
    ("approval-required" "Somebody has to approve this call first.")
    ("denied" "The call was not approved.")
    ("read-only" "The workspace is read-only.")
    ("not-logged" "The call cannot be written down, so it was not made.")
    ("snapshot" "The snapshot could not be taken or read.")
    ("snapshot-restore" "The snapshot could not be restored.")
    ("io" "The operating system reported a failure of the device or of the call.")
    ("no-space" "The disk is full.")
    ("durability-unknown" "The write is done, but may not survive a crash.")
    ("cancelled" "The call was cancelled.")
    ("timeout" "The command took too long.")
    ("command-failed" "The command failed.")
    ("not-connected" "There is no connection to Emacs.")
    ("disconnected" "There is no connection to the machine of the project.")
    ("newer-format" "A newer agent-q-fs has stored it, in a format that this one does not know.")
    ("root-moved" "The project root is not where it was when the workspace was opened: open it again."))
  "Each error code with what it says, in the core's order.")

(defparameter *outside*
  "Path '%s' is outside project root (%s/)"
  "The message of outside-root: of the path as given, and the root without a slash.")

(defparameter *options*
  '(("root" :path "The project root, an absolute path.")
    ("start" :path "Where the search for the root of a git repository begins.")
    ("asdf_root" :path "The directory of the ASDF system in use.")
    ("sly_directory" :path "The default directory of the SLY connection.")
    ("cwd" :path "The caller's current directory.")
    ("home" :path "The directory that ~ stands for.")
    ("backend" :choice "Where the files are: a directory, memory, or a directory of its own.")
    ("temp_dir" :path "Where a session's directory is made, an absolute path.")
    ("allowed_host_roots" :strings "Directories that mounts may come from.")
    ("mode" :choice "unrestricted allows any absolute path.")
    ("allowed_paths" :strings "Further directories that may be used.")
    ("restricted_paths" :strings "Paths inside that may not be used or seen.")
    ("protected_paths" :strings "Further protected paths: every write to them is dangerous.")
    ("secret_paths" :strings "Files that a model reads only if somebody approves. :default stands for the built-in list; * and ? match, ! exempts, and a name without a slash counts anywhere.")
    ("state_dir" :path "Where journals are kept, an absolute path.")
    ("read_only" :boolean "Refuse everything that writes.")
    ("cross_mounts" :boolean "Enter file systems mounted inside the root.")
    ("resolver" :choice "How the kernel is asked to contain paths; for tests.")
    ("limits" :object "How much of everything: an object with members of the table of limits.")
    ("mounts" :objects "Directories that are copied into memory or a session when it is opened."))
  "Each option of a workspace with the type of its value, and what it is.")

(defparameter *limits*
  '("read_lines"
    "read_bytes"
    "write_bytes"
    "patch_bytes"
    "list_entries"
    "grep_matches"
    "reply_bytes"
    "text_bytes"
    "walk_entries"
    "walk_depth"
    "snapshots"
    "snapshot_days"
    "snapshot_bytes"
    "kept_calls"
    "kept_bytes"
    "threads"
    "time_ms"
    "regex_steps"
    "memory_bytes"
    "mount_bytes"
    "session_chars"
    "session_depth"
    "session_segment")
  "The names that the option limits may have.")

(defparameter *keywords*
  '(:abi
    :absolute
    :accept
    :accessed
    :action
    :added
    :after
    :agent-q
    :all
    :allow-overwrite
    :allow-unbalanced
    :allowed
    :allowed-host-roots
    :allowed-paths
    :any
    :append
    :apply-patch
    :apply-patch-freeform
    :apply-patch-json
    :approval-required
    :asdf
    :asdf-root
    :auto
    :backend
    :before
    :binary
    :bom
    :boolean
    :bytes
    :bytes-written
    :call
    :caller
    :calls
    :cancelled
    :catalogue
    :cautious
    :changed
    :changes-accept
    :changes-diff
    :changes-forget
    :changes-list
    :changes-undo
    :changing
    :children
    :choice
    :choices
    :clojure
    :coding
    :command-failed
    :commit-ref
    :common
    :common-lisp
    :content
    :context
    :copied
    :copy
    :copy-file
    :count
    :counts
    :cr
    :create
    :create-file
    :create-parents
    :created
    :created-at
    :crlf
    :cross-mounts
    :cut
    :cwd
    :damaged
    :dangerous
    :days
    :default
    :delete
    :delete-file
    :deleted
    :denied
    :depth
    :description
    :destination
    :destructive
    :dialect
    :diff
    :digest
    :directories
    :directory
    :directory-tree
    :disconnected
    :doc
    :durability-unknown
    :edit-file
    :edit-form
    :edits
    :emacs-lisp
    :encoding
    :end
    :end-line
    :entries
    :envelope
    :error
    :errors
    :exclude-glob
    :exclude-patterns
    :executable
    :exist-ok
    :exists
    :expected-replacements
    :explicit
    :fallback
    :file
    :file-exists
    :file-types
    :files
    :follow-symlinks
    :forgotten
    :format
    :forms
    :from
    :get-file-info
    :get-project-root
    :git
    :git-dir
    :given
    :gpt
    :grep-files
    :grep-matches
    :hint
    :hints
    :home
    :host
    :host-path
    :hunks
    :hunks-total
    :id
    :idempotent
    :ignore-case
    :ignored
    :include
    :include-glob
    :indentation
    :insert-after
    :insert-at-line
    :insert-before
    :integer
    :invalid-argument
    :io
    :is-directory
    :items
    :jansson
    :keep
    :kept-bytes
    :kept-calls
    :keyword
    :kind
    :least
    :left-out
    :left-out-total
    :lf
    :libgit2
    :libmagic
    :like
    :limit
    :limits
    :line
    :line-endings
    :line-numbers
    :lines
    :link
    :links
    :lisp
    :list
    :list-dir
    :list-directory
    :list-entries
    :list-forms
    :literal
    :loop
    :lost
    :make
    :make-directory
    :map
    :matches
    :max-bytes
    :max-depth
    :member
    :members
    :memory
    :memory-bytes
    :message
    :method
    :mime-type
    :missing
    :mixed
    :mode
    :model
    :modified
    :more
    :most
    :mount
    :mount-bytes
    :mount-path
    :mounts
    :move
    :move-file
    :moved
    :multiline
    :multiple-matches
    :name
    :names
    :nested
    :new-name
    :new-str
    :newer-format
    :no-match
    :no-space
    :none
    :not-a-directory
    :not-connected
    :not-found
    :not-logged
    :not-regular
    :nullable
    :object
    :objects
    :of
    :offset
    :old-str
    :open
    :open-world
    :openat2
    :operation
    :operations
    :optional
    :options
    :origin
    :other
    :output
    :outside-root
    :overwrite
    :package
    :parameter
    :params
    :parents
    :passed
    :patch
    :patch-apply
    :patch-bytes
    :patch-parse
    :path
    :paths
    :pattern
    :pcre2
    :permission
    :permissions
    :person
    :plan
    :progress
    :protected
    :protected-paths
    :qualifiers
    :raced
    :ranges
    :read
    :read-bytes
    :read-file
    :read-form
    :read-lines
    :read-only
    :readable
    :recursive
    :regex
    :regex-steps
    :removed
    :rename
    :replace
    :replace-all
    :replace-in-files
    :replace-within
    :replaced
    :replacement
    :replacements
    :replies
    :reply
    :reply-bytes
    :required
    :resolver
    :restricted
    :restricted-paths
    :revision
    :risks
    :root
    :root-moved
    :root-path
    :safe
    :safety
    :scheme
    :search-files
    :searched
    :secret
    :secret-paths
    :secrets
    :session
    :session-chars
    :session-depth
    :session-segment
    :sets
    :show-hidden
    :since
    :size
    :skipped
    :slice
    :slow
    :sly
    :sly-directory
    :snapshot
    :snapshot-bytes
    :snapshot-create
    :snapshot-days
    :snapshot-diff
    :snapshot-list
    :snapshot-prune
    :snapshot-restore
    :snapshots
    :snippet
    :sort-by
    :source
    :special
    :specializers
    :stale
    :start
    :start-line
    :state-dir
    :stopped
    :string
    :strings
    :summary
    :symlink
    :tag
    :target
    :targets
    :temp-dir
    :text
    :text-bytes
    :threads
    :tier
    :time
    :time-ms
    :timeout
    :title
    :too-large
    :too-long
    :tools
    :total
    :total-lines
    :tree
    :tree-node
    :truncated
    :type
    :unbalanced
    :unchanged
    :undecided
    :undo
    :unified
    :unknown-operation
    :unless
    :unreadable
    :unrestricted
    :version
    :walk-depth
    :walk-entries
    :whole
    :why
    :writable
    :write
    :write-bytes
    :write-file)
  "Every keyword that a reply can have.")

;;; agent-q-fs-audit-tests.el --- Tests of events, their file and the log  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-log)
(require 'agent-q-fs-job)
(require 'agent-q-fs-rpc)

(defun agent-q-fs-audit-tests--get (event &rest keys)
  "Return the values of KEYS in EVENT."
  (mapcar (lambda (key) (plist-get event key)) keys))

(defmacro agent-q-fs-audit-tests--with (ws &rest body)
  "Run BODY with WS over a small tree and a state directory of its own."
  (declare (indent 1) (debug (symbolp body)))
  `(let ((agent-q-fs-state-directory (file-name-as-directory (make-temp-file "aqfs-state-" t)))
         (agent-q-fs-audit--waiting nil))
     (unwind-protect
         (agent-q-fs-test-with-tree (,ws '("a" "secret one\nsecret two\n"))
           ,@body)
       (delete-directory agent-q-fs-state-directory t))))

(ert-deftest agent-q-fs-audit/every-door ()
  "Programs, jobs, models and people: a start and an end for each call."
  (agent-q-fs-audit-tests--with ws
    (agent-q-fs-test-with-events events
      (agent-q-fs-read-file ws "a")
      (agent-q-fs-preview ws 'edit_file :path "a" :old_str "one" :new_str "1")
      (ignore-errors (agent-q-fs-read-file ws "nope"))
      (ignore-errors (agent-q-fs-delete-file ws "a"))
      (dolist (pattern '("one" 5))
        (agent-q-fs-job-wait (agent-q-fs-call-async ws 'grep_files (list :pattern pattern))
                             agent-q-fs-test-patience))
      (agent-q-fs-call-tool "read_file" '(:path "a" :end_line 1) ws)
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "1") ws)
      (agent-q-fs-call-tool "delete_file" '(:path "a") ws)
      (agent-q-fs-call-tool "nope" nil ws)
      (agent-q-fs-call-tool-as-person "create_file" '(:path "b" :content "x") ws)
      (should (file-exists-p "b"))
      (let ((events (reverse events)))
        (should (equal (mapcar (lambda (event) (plist-get event :id)) events)
                       (mapcan (lambda (event)
                                 (when (eq 'start (plist-get event :event))
                                   (list (plist-get event :id) (plist-get event :id))))
                               events)))
        (should (equal
                 '((call "read_file" safe authority ("a") nil 2 22 nil)
                   (call "edit_file" cautious preview ("a") nil)
                   (call "read_file" safe authority ("nope") not-found)
                   (call "delete_file" dangerous authority ("a") approval-required)
                   (job "grep_files" safe authority nil nil)
                   (job "grep_files" safe authority nil invalid-argument)
                   (tool "read_file" safe nil ("a") nil 2 25 nil)
                   (tool "edit_file" cautious policy ("a") nil)
                   (tool "delete_file" dangerous denied ("a") approval-required)
                   (tool "nope" safe nil nil unknown-operation)
                   (person "create_file" dangerous person ("b") nil))
                 (mapcar (lambda (event)
                           (append
                            (agent-q-fs-audit-tests--get event :door :tool :tier :decision :paths
                                                         :error)
                            (when (and (equal "read_file" (plist-get event :tool))
                                       (not (plist-get event :error)))
                              (agent-q-fs-audit-tests--get event :lines :bytes :truncated))))
                         (seq-filter (lambda (event) (eq 'end (plist-get event :event)))
                                     events))))
        (should-not (string-match-p "secret" (format "%S" events)))))))

(ert-deftest agent-q-fs-audit/bad-listeners ()
  "A function that listens cannot break a call, and gets events of nested calls too."
  (agent-q-fs-audit-tests--with ws
    (let* ((heard nil)
           (agent-q-fs-event-functions
            (list (lambda (_event) (error "No"))
                  (lambda (event)
                    (push (plist-get event :tool) heard)
                    (when (equal "read_file" (plist-get event :tool))
                      (agent-q-fs-file-exists ws "a")))))
           (inhibit-message t))
      (should (equal "secret one\nsecret two\n" (agent-q-fs-call-tool "read_file" '(:path "a") ws)))
      (should (= 2 (seq-count (lambda (tool) (equal tool "read_file")) heard)))
      (should (= 4 (seq-count (lambda (tool) (equal tool "file_exists")) heard))))))

(ert-deftest agent-q-fs-audit/quit ()
  "A call that is interrupted has its end, and the quit goes on."
  (agent-q-fs-audit-tests--with ws
    (agent-q-fs-test-with-events events
      (unwind-protect
          (progn
            (agent-q-fs-define-tool "test_quit" :tier 'safe
                                    :handler (lambda (&rest _) (signal 'quit nil)))
            (should (eq 'quit (condition-case nil (agent-q-fs-call-tool "test_quit" nil ws)
                                (quit 'quit)))))
        (agent-q-fs-undefine-tool "test_quit"))
      (should (equal '(end cancelled)
                     (agent-q-fs-audit-tests--get (car events) :event :error))))))

(defun agent-q-fs-audit-tests--lines (&optional suffix)
  "Return the objects in the file of events, whose name ends in SUFFIX."
  (agent-q-fs-audit-flush)
  (with-temp-buffer
    (insert-file-contents (concat (agent-q-fs-audit-file-name) suffix))
    (mapcar (lambda (line) (json-parse-string line :object-type 'plist))
            (split-string (buffer-string) "\n" t))))

(ert-deftest agent-q-fs-audit/file ()
  "Calls that may change something are in the file at once, reads a moment later."
  (agent-q-fs-audit-tests--with ws
    (let ((file (agent-q-fs-audit-file-name)))
      (agent-q-fs-call-tool "read_file" '(:path "a") ws)
      (should-not (file-exists-p file))
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "1") ws)
      (should (file-exists-p file))
      (should (= #o600 (file-modes file)))
      (let ((agent-q-fs-audit-file nil))
        (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "1" :new_str "one") ws))
      (agent-q-fs-call-tool "read_file" (list (cons 'path "x\"\\\n\377\u202e")) ws)
      (let ((lines (agent-q-fs-audit-tests--lines)))
        (should (equal '("end" "start" "end" "end")
                       (mapcar (lambda (line) (plist-get line :event)) lines)))
        (let ((line (nth 2 lines)))
          (should (equal '("tool" "edit_file" "cautious" ["a"] "policy" :false)
                         (agent-q-fs-audit-tests--get line :door :tool :tier :paths :decision
                                                      :truncated)))
          (should (string-match-p "\\`[0-9T:.-]+Z\\'" (plist-get line :time)))
          (should (natnump (plist-get line :microseconds)))
          (should (= 20 (plist-get line :written)))))
      (with-temp-buffer
        (insert-file-contents file)
        (should-not (search-forward "secret" nil t))))))

(ert-deftest agent-q-fs-audit/rotation ()
  (agent-q-fs-audit-tests--with ws
    (let ((agent-q-fs-audit-size 2000) (agent-q-fs-audit-keep 2))
      (dotimes (_ 40)
        (agent-q-fs-call-tool "read_file" '(:path "a") ws)
        (agent-q-fs-audit-flush))
      (let ((directory (file-name-directory (agent-q-fs-audit-file-name))))
        (should (equal '("audit.jsonl" "audit.jsonl.1" "audit.jsonl.2")
                       (directory-files directory nil "audit")))
        (dolist (file (directory-files directory t "audit"))
          (should (< (file-attribute-size (file-attributes file)) 3000))))
      (should (agent-q-fs-audit-tests--lines ".2")))))

(ert-deftest agent-q-fs-audit/no-call-changes-its-file ()
  "A file of events that lies in a project is not edited, moved or deleted by calls."
  (agent-q-fs-audit-tests--with ws
    (let* ((agent-q-fs-policy 'never)
           (agent-q-fs-audit-file (expand-file-name "log/audit.jsonl"))
           (refused (lambda (tool &rest arguments)
                      (should (string-match-p "\\`Error: .* has the log of calls"
                                              (agent-q-fs-call-tool tool arguments ws)))
                      (should (file-exists-p "log/audit.jsonl")))))
      (should (string-prefix-p "Edited a" (agent-q-fs-call-tool
                                           "edit_file" '(:path "a" :old_str "one" :new_str "1") ws)))
      (make-symbolic-link "log/audit.jsonl" "link")
      (write-region "earlier\n" nil "log/audit.jsonl.1" nil 'quiet)
      (funcall refused "edit_file" :path "log/audit.jsonl" :old_str "edit_file"
               :new_str "read_file" :replace_all t)
      (funcall refused "insert_at_line" :path "link" :line 0 :content "forged\n")
      (funcall refused "edit_file" :path "log/audit.jsonl.1" :old_str "earlier" :new_str "later")
      (funcall refused "delete_file" :path "log" :recursive t)
      (funcall refused "move_file" :source "log" :destination "other")
      (funcall refused "write_file" :path "log/audit.jsonl" :content "")
      (should-not (string-search "forged" (with-temp-buffer
                                            (insert-file-contents "log/audit.jsonl")
                                            (buffer-string))))
      (dolist (call '(("create_file" :path "log/audit.txt" :content "x\n")
                      ("delete_file" :path "link")))
        (should-not (string-prefix-p "Error" (agent-q-fs-call-tool (car call) (cdr call) ws)))))))

(ert-deftest agent-q-fs-audit/file-that-cannot-be-written ()
  "There is one warning, and calls go on."
  (agent-q-fs-audit-tests--with ws
    (let ((agent-q-fs-audit-file (expand-file-name "a/file")) (warnings 0))
      (cl-letf (((symbol-function 'display-warning)
                 (lambda (&rest _) (setq warnings (1+ warnings)))))
        (dotimes (_ 3)
          (agent-q-fs-call-tool "read_file" '(:path "a") ws)
          (agent-q-fs-audit-flush)))
      (should (= 1 warnings)))))

;;; A file that cannot be written.  Each trouble is (NAME MAKE END): what makes it of FILE, or
;;; returns the reason why it cannot be had here, and what ends it.

(defun agent-q-fs-audit-tests--mount (directory options)
  "Mount a small file system with OPTIONS on DIRECTORY; return nil, or why not."
  (make-directory directory t)
  (cond ((/= 0 (user-uid)) "only root can mount")
        ((/= 0 (call-process "mount" nil nil nil "-t" "tmpfs" "-o" options "tmpfs" directory))
         "mount is forbidden here")))

(defun agent-q-fs-audit-tests--unmount (directory)
  "Unmount what is mounted on DIRECTORY."
  (call-process "umount" nil nil nil "-l" directory))

(defun agent-q-fs-audit-tests--fill (file)
  "Fill the disk that FILE is on."
  (ignore-errors (write-region (make-string 200000 ?x) nil (concat file ".filler") nil 'quiet)))

(defun agent-q-fs-audit-tests--troubles (file)
  "Return the troubles that FILE, which does not exist, can have."
  (let ((directory (file-name-directory file)))
    `(("a directory" ,(lambda () (make-directory file t)) ,(lambda () (delete-directory file)))
      ("a pipe"
       ,(lambda ()
          (make-directory directory t)
          (unless (= 0 (call-process "mkfifo" nil nil nil file)) "there is no mkfifo"))
       ,(lambda () (delete-file file)))
      ("a link to a pipe"
       ,(lambda ()
          (make-directory directory t)
          (call-process "mkfifo" nil nil nil (concat file ".fifo"))
          (make-symbolic-link (concat file ".fifo") file))
       ,(lambda () (delete-file file)))
      ("links in a circle"
       ,(lambda () (make-directory directory t) (make-symbolic-link file file))
       ,(lambda () (delete-file file)))
      ("a device"
       ,(lambda () (make-directory directory t) (make-symbolic-link "/dev/full" file))
       ,(lambda () (delete-file file)))
      ("a directory that is a file"
       ,(lambda ()
          (write-region "" nil (directory-file-name directory) nil 'quiet))
       ,(lambda () (delete-file (directory-file-name directory))))
      ("no permission"
       ,(lambda ()
          (make-directory directory t)
          (write-region "" nil file nil 'quiet)
          (set-file-modes file #o400)
          (when (= 0 (user-uid)) "root may write all files"))
       ,(lambda () (set-file-modes file #o600)))
      ("no permission for its directory"
       ,(lambda ()
          (make-directory directory t)
          (set-file-modes directory #o500)
          (when (= 0 (user-uid)) "root may write all directories"))
       ,(lambda () (set-file-modes directory #o700)))
      ("a full disk"
       ,(lambda ()
          (or (agent-q-fs-audit-tests--mount directory "size=32k")
              (ignore (agent-q-fs-audit-tests--fill file))))
       ,(lambda () (delete-file (concat file ".filler"))))
      ("a disk that can only be read"
       ,(lambda () (agent-q-fs-audit-tests--mount directory "ro"))
       ,(lambda ()
          (call-process "mount" nil nil nil "-o" "remount,rw" directory))))))

(defmacro agent-q-fs-audit-tests--in-trouble (spec &rest body)
  "Run BODY for each trouble, with the variables in SPEC bound, (WS FILE END).
END ends the trouble.  Return how many troubles could be had."
  (declare (indent 1) (debug (sexp body)))
  `(let ((had 0))
     (dolist (name (mapcar #'car (agent-q-fs-audit-tests--troubles "/x/y")))
       (agent-q-fs-audit-tests--with ,(car spec)
         (let* ((,(nth 1 spec) (expand-file-name "log/audit.jsonl" agent-q-fs-state-directory))
                (agent-q-fs-audit-file ,(nth 1 spec))
                (agent-q-fs-audit--broken nil)
                (agent-q-fs-event-functions '(agent-q-fs-audit-record))
                (agent-q-fs-policy 'never)
                (warning-minimum-level :emergency)
                (inhibit-message t)
                (trouble (assoc name (agent-q-fs-audit-tests--troubles ,(nth 1 spec))))
                (,(nth 2 spec) (nth 2 trouble)))
           (ert-info (name :prefix "trouble: ")
             (unwind-protect
                 (unless (stringp (funcall (nth 1 trouble)))
                   (setq had (1+ had))
                   ,@body)
               (agent-q-fs-audit-tests--unmount (file-name-directory ,(nth 1 spec)))
               (ignore-errors (set-file-modes (file-name-directory ,(nth 1 spec)) #o700)))))))
     had))

(defun agent-q-fs-audit-tests--words (call)
  "Return the words of the error that the function CALL signals or returns."
  (condition-case problem
      (let ((answer (funcall call)))
        (if (consp answer) (format "%s" answer) answer))
    (agent-q-fs-error (plist-get (cdr problem) :message))
    (error (error-message-string problem))))

(defun agent-q-fs-audit-tests--job (workspace operation arguments)
  "Return the words with which a job of OPERATION in WORKSPACE with ARGUMENTS fails."
  (agent-q-fs-audit-tests--words
   (lambda ()
     (let* (words
            (job (agent-q-fs-call-async workspace operation arguments :authority 'dangerous
                                        :on-done (lambda (reply) (setq words (format "%s" reply)))
                                        :on-error (lambda (problem)
                                                    (setq words (plist-get (cdr problem)
                                                                           :message))))))
       (agent-q-fs-job-wait job agent-q-fs-test-patience)
       words))))

(defun agent-q-fs-audit-tests--rpc (ws arguments how)
  "Return what a connected Lisp is answered that edits in WS, with ARGUMENTS and HOW."
  (let ((agent-q-fs-workspace ws)
        (lisp (make-pipe-process :name "lisp" :noquery t))
        answer)
    (unwind-protect
        (agent-q-fs-rpc--serve (format "%S" `(agent-q-fs-rpc "edit_file" ',arguments ',how))
                               lisp (lambda (value) (setq answer (cadr value))))
      (delete-process lisp))
    answer))

(defun agent-q-fs-audit-tests--changes (ws)
  "Return functions that change something in WS, one for each door and kind of call."
  (let ((edit '(:path "a" :old_str "one" :new_str "1"))
        (agent-q-fs-authority 'dangerous))
    (list (lambda () (agent-q-fs-call-tool "edit_file" edit ws))
          (lambda () (agent-q-fs-call-tool "create_file" '(:path "new" :content "x") ws))
          (lambda () (agent-q-fs-call-tool "apply_patch_freeform"
                                           "*** Begin Patch\n*** Add File: new\n+x\n*** End Patch" ws))
          (lambda () (agent-q-fs-call-tool "delete_file" '(:path "a") ws))
          (lambda () (agent-q-fs-call-tool "shell" '(:command "echo x > new") ws))
          (lambda () (agent-q-fs-call-tool "exec_command" '(:cmd "echo x > new") ws))
          (lambda () (agent-q-fs-call-tool "snapshot_create" '(:tag "new") ws))
          (lambda () (agent-q-fs-call-tool-as-person "edit_file" edit ws))
          (lambda () (agent-q-fs-call-tool-as-person "snapshot_create" '(:tag "new") ws))
          (lambda () (let ((agent-q-fs-authority 'dangerous)) (agent-q-fs-delete-file ws "a")))
          (lambda () (agent-q-fs-edit-file ws "a" "one" "1"))
          (lambda () (let ((plan (agent-q-fs-preview ws 'edit_file :path "a" :old_str "one"
                                                     :new_str "1")))
                       (agent-q-fs-commit ws (plist-get plan :digest) 'edit_file :path "a"
                                          :old_str "one" :new_str "1")))
          (lambda () (agent-q-fs-audit-tests--job ws 'edit_file edit))
          (lambda () (agent-q-fs-audit-tests--job ws 'snapshot_create '(:tag "new")))
          ;; From Common Lisp: a model's call and a program's.
          (lambda () (agent-q-fs-audit-tests--rpc ws edit nil))
          (lambda () (agent-q-fs-audit-tests--rpc ws edit '(:data t :authority "dangerous"))))))

(defun agent-q-fs-audit-tests--nothing-done (ws)
  "Check that nothing was changed in WS."
  (should (equal '("a") (directory-files default-directory nil "\\`[^.]")))
  (should (equal "secret one\nsecret two\n" (plist-get (agent-q-fs-read-file ws "a") :content)))
  (should-not (plist-get (agent-q-fs-snapshot-list ws) :snapshots)))

(ert-deftest agent-q-fs-audit/no-change-without-its-event ()
  "Threat 155: what cannot be written down is refused through every door, and reads go on."
  (let ((had (agent-q-fs-audit-tests--in-trouble (ws file _end)
               (dolist (change (agent-q-fs-audit-tests--changes ws))
                 (let ((words (agent-q-fs-audit-tests--words change)))
                   (ert-info ((format "%s" words))
                     (should (string-match-p "Nothing was done, because it cannot be written down"
                                             words))
                     (should (string-search (abbreviate-file-name file) words))
                     (should (string-search "agent-q-fs-audit-required" words))))
                 (agent-q-fs-audit-tests--nothing-done ws))
               (should (equal "secret one\n[line 1 of 2]\n"
                              (agent-q-fs-call-tool "read_file" '(:path "a" :end_line 1) ws)))
               (should (plist-get (agent-q-fs-preview ws 'delete_file :path "a") :digest)))))
    (should (<= 6 had))))

(ert-deftest agent-q-fs-audit/no-change-without-its-event-unless-allowed ()
  "An option lets changes be made all the same, and no file need not be written."
  (agent-q-fs-audit-tests--in-trouble (ws _file _end)
    (let ((agent-q-fs-audit-required nil))
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "1") ws))
    (let ((agent-q-fs-audit-file nil))
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "two" :new_str "2") ws))
    (should (equal "secret 1\nsecret 2\n" (plist-get (agent-q-fs-read-file ws "a") :content)))))

(ert-deftest agent-q-fs-audit/writes-again-when-the-trouble-ends ()
  "The next change is made, and what had to wait is in the file, once, every line whole."
  (agent-q-fs-audit-tests--in-trouble (ws _file end)
    (let ((edit (lambda (old new)
                  (agent-q-fs-call-tool "edit_file" (list :path "a" :old_str old :new_str new) ws))))
      (dotimes (_ 3) (should (string-prefix-p "Error: " (funcall edit "one" "1"))))
      (funcall end)
      (should (string-prefix-p "Edited" (funcall edit "one" "1")))
      (let ((lines (agent-q-fs-audit-tests--lines)))
        (should (equal '(("start" nil) ("end" "not-logged") ("start" nil) ("end" "not-logged")
                         ("start" nil) ("end" "not-logged") ("start" nil) ("end" nil))
                       (mapcar (lambda (line) (agent-q-fs-audit-tests--get line :event :error))
                               lines)))
        (should (= 4 (length (delete-dups
                              (mapcar (lambda (line) (plist-get line :id)) lines)))))))))

(ert-deftest agent-q-fs-audit/trouble-while-somebody-decides ()
  "An approved call is not made when that cannot be written down any more."
  (agent-q-fs-audit-tests--in-trouble (ws file end)
    (funcall end)
    (let* ((again (nth 1 (assoc name (agent-q-fs-audit-tests--troubles file))))
           (agent-q-fs-policy 'always)
           (asked 0)
           (agent-q-fs-unattended-function
            (lambda (_request)
              (setq asked (1+ asked))
              (agent-q-fs-audit-flush)
              (agent-q-fs-audit-tests--unmount (file-name-directory file))
              (delete-directory (file-name-directory file) t)
              (funcall again)
              '(:decision approved))))
      (dolist (call '(("edit_file" (:path "a" :old_str "one" :new_str "1"))
                      ("shell" (:command "echo x > new"))))
        (let ((words (apply #'agent-q-fs-call-tool (append call (list ws)))))
          (ert-info (words)
            (should (string-match-p "Nothing was done, because it cannot be written down" words))))
        (ignore-errors (funcall end)))
      (should (= 2 asked))
      (agent-q-fs-audit-tests--nothing-done ws))))

(ert-deftest agent-q-fs-audit/decisions-are-written-before-they-are-obeyed ()
  "A call that somebody was asked about has a third line, and listeners get two events."
  (agent-q-fs-audit-tests--with ws
    (let* ((heard nil)
           (agent-q-fs-event-functions
            (list #'agent-q-fs-audit-record (lambda (event) (push (plist-get event :event) heard))))
           (agent-q-fs-policy 'always)
           (agent-q-fs-unattended-function (lambda (_request) '(:decision approved))))
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "1") ws)
      (let ((lines (agent-q-fs-audit-tests--lines)))
        (should (equal '("start" "decided" "end")
                       (mapcar (lambda (line) (plist-get line :event)) lines)))
        (should (equal "approved" (plist-get (nth 1 lines) :decision)))
        (should (= 1 (length (delete-dups
                              (mapcar (lambda (line) (plist-get line :id)) lines))))))
      (should (equal '(end start) heard)))))

(ert-deftest agent-q-fs-audit/a-line-that-was-half-written ()
  "A part of a line is ended, and the whole one comes after it."
  (agent-q-fs-audit-tests--with ws
    (let* ((file (agent-q-fs-audit-file-name))
           (agent-q-fs-event-functions '(agent-q-fs-audit-record))
           (agent-q-fs-audit--broken (cons (expand-file-name file) "No space left on device")))
      (write-region "{\"event\":\"start\",\"id" nil file nil 'quiet)
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "1") ws)
      (with-temp-buffer
        (insert-file-contents file)
        (should (= 3 (count-lines (point-min) (point-max))))
        (should (looking-at-p "{\"event\":\"start\",\"id\n{\"event\":\"start\""))))))

(ert-deftest agent-q-fs-audit/remembered-calls-are-bounded ()
  (agent-q-fs-audit-tests--with ws
    (let ((agent-q-fs-audit-remember 10) (agent-q-fs-audit-file nil)
          (agent-q-fs-audit--calls nil) (agent-q-fs-audit--length 0))
      (dotimes (_ 300) (agent-q-fs-call-tool "file_exists" '(:path "a") ws))
      (should (<= 10 (length (agent-q-fs-audit-calls)) 110))
      (should (eq 'end (plist-get (car (agent-q-fs-audit-calls)) :event))))))

(ert-deftest agent-q-fs-log/rows ()
  "A row has the time when the call began, by which the list is in order, and its command."
  (pcase-dolist (`(,what . ,plist)
                 '(("a b" :paths ("a" "b")) ("make x" :paths (".") :command "make x")
                   ("make x  (in d)" :paths ("d") :command "make x") ("")))
    (let ((row (cadr (agent-q-fs-log--row
                      (append (list :event 'end :tool "t" :time 1000000 :microseconds 60000000
                                    :bytes 1)
                              plist)))))
      (should (equal (format-time-string "%T" (- 1000000 60)) (aref row 0)))
      (should (equal what (aref row 7)))
      (should (equal '("60000.0" "") (list (aref row 4) (aref row 5))))))
  (let ((row (cadr (agent-q-fs-log--row '( :event end :tool "t" :time 1 :microseconds 7500000
                                           :waited 7000000 :bytes 1)))))
    (should (equal '("500.0" "7.0") (list (aref row 4) (aref row 5))))))

(ert-deftest agent-q-fs-log/lists-and-filters ()
  (agent-q-fs-audit-tests--with ws
    (let ((agent-q-fs-audit--calls nil) (agent-q-fs-audit--length 0)
          (agent-q-fs-event-functions '(agent-q-fs-audit-record)))
      (save-window-excursion
        (unwind-protect
            (progn
              (agent-q-fs-call-tool "read_file" '(:path "a") ws)
              (agent-q-fs-log)
              (should (string-match-p "read_file +safe +done .* a$" (buffer-string)))
              (agent-q-fs-call-tool "delete_file" '(:path "a") ws)
              (agent-q-fs-call-tool "file_exists" '(:path "x\u202ey") ws)
              (agent-q-fs-test-until (string-search "U+202E" (buffer-string)))
              (should (string-match-p "delete_file +dangerous +approval-required" (buffer-string)))
              (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "dangerous")))
                (agent-q-fs-log-filter-tier))
              (should (= 1 (count-lines (point-min) (point-max))))
              (goto-char (point-min))
              (agent-q-fs-log-describe)
              (with-current-buffer "*agent-q-fs call*"
                (should (string-match-p "^tier +dangerous\n" (buffer-string)))
                (should (string-match-p "^paths +a\n" (buffer-string))))
              (agent-q-fs-log-visit)
              (should (equal "secret one\nsecret two\n" (buffer-string)))
              (kill-buffer)
              (with-current-buffer agent-q-fs-log--buffer
                (agent-q-fs-log-show-all)
                (should (= 3 (count-lines (point-min) (point-max))))))
          (kill-buffer agent-q-fs-log--buffer)
          (when (get-buffer "*agent-q-fs call*") (kill-buffer "*agent-q-fs call*"))))
      (should-not (memq 'agent-q-fs-log--event agent-q-fs-event-functions))
      (should-not agent-q-fs-log--timer))))

(provide 'agent-q-fs-audit-tests)
;;; agent-q-fs-audit-tests.el ends here

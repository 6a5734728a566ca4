;;; agent-q-fs-audit-tests.el --- Tests of events, their file and the log  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-log)

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
                   (tool "read_file" safe nil ("a") nil 1 11 nil)
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

(ert-deftest agent-q-fs-audit/remembered-calls-are-bounded ()
  (agent-q-fs-audit-tests--with ws
    (let ((agent-q-fs-audit-remember 10) (agent-q-fs-audit-file nil)
          (agent-q-fs-audit--calls nil) (agent-q-fs-audit--length 0))
      (dotimes (_ 300) (agent-q-fs-call-tool "file_exists" '(:path "a") ws))
      (should (<= 10 (length (agent-q-fs-audit-calls)) 110))
      (should (eq 'end (plist-get (car (agent-q-fs-audit-calls)) :event))))))

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

;;; agent-q-fs-mcp-tests.el --- Tests of agents outside Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; This Emacs serves, and the built program `agent-q-fs mcp --emacs' is spoken to through
;; its pipes, as an agent does.  Where Emacs is to die, or a person to type, it is another
;; one.  The bytes of a wrong program are sent to the socket itself.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-prompt-tests)
(require 'agent-q-fs-gptel-tests)
(require 'agent-q-fs-mcp)

(defconst agent-q-fs-mcp-tests--program
  (expand-file-name (concat (or (getenv "BUILD") "build") "/agent-q-fs")
                    (expand-file-name "../.." (file-name-directory load-file-name)))
  "The program that is tested.")

(defvar agent-q-fs-mcp-tests--asked nil
  "The requests that were made, as (REQUEST . CALLBACK), the latest first.")

(defun agent-q-fs-mcp-tests--serving (files function)
  "With FILES in a project, have this Emacs serve, and call FUNCTION."
  (let* ((base (file-name-as-directory (file-truename (make-temp-file "aqfs-mcp-" t))))
         (default-directory (file-name-as-directory (expand-file-name "p" base)))
         (process-environment (cons (concat "XDG_RUNTIME_DIR=" base) process-environment))
         (agent-q-fs-workspace nil)
         (agent-q-fs-open-options nil)
         (agent-q-fs-state-directory (expand-file-name "state" base))
         (agent-q-fs-audit-file nil)
         (agent-q-fs-mcp--decisions nil)
         (agent-q-fs-mcp-directories (list default-directory))
         (agent-q-fs-mcp-tests--asked nil)
         (agent-q-fs-approval-function
          (lambda (request callback)
            (push (cons request callback) agent-q-fs-mcp-tests--asked)))
         (processes (process-list)))
    (make-directory default-directory)
    (unwind-protect
        (progn
          (pcase-dolist (`(,name ,content) files)
            (agent-q-fs-test--write name content))
          (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
            (agent-q-fs-mcp-mode 1)
            (funcall function)))
      (agent-q-fs-mcp-mode -1)
      (mapc #'delete-process (seq-difference (process-list) processes))
      (agent-q-fs-test-remove base))))

(defmacro agent-q-fs-mcp-tests--with (files &rest body)
  "With FILES in `default-directory', have this Emacs serve during BODY."
  (declare (indent 1) (debug (form body)))
  `(agent-q-fs-mcp-tests--serving ,files (lambda () ,@body)))

(defun agent-q-fs-mcp-tests--decide (&rest decision)
  "Answer the oldest request that waits with DECISION."
  (let ((asked (car (last (agent-q-fs-test-until agent-q-fs-mcp-tests--asked)))))
    (setq agent-q-fs-mcp-tests--asked (delq asked agent-q-fs-mcp-tests--asked))
    (funcall (cdr asked) decision)))

(defun agent-q-fs-mcp-tests--text (file)
  "Return what FILE holds, or nil."
  (and (file-exists-p file)
       (let ((coding-system-for-read 'utf-8))
         (with-temp-buffer (insert-file-contents file) (buffer-string)))))


;;;; A client

(defun agent-q-fs-mcp-tests--filter (process text)
  "Keep the messages in TEXT, from PROCESS."
  (process-put process 'rest (cons text (process-get process 'rest)))
  (when (string-search "\n" text)
    (let ((lines (split-string (apply #'concat (reverse (process-get process 'rest))) "\n")))
      (process-put process 'rest (last lines))
      (dolist (line (butlast lines))
        (process-put process 'messages
                     (append (process-get process 'messages)
                             (list (json-parse-string line :object-type 'plist
                                                      :false-object :false))))))))

(defun agent-q-fs-mcp-tests--write (process message)
  "Send MESSAGE, a property list, to PROCESS."
  (process-send-string process (concat (json-serialize message) "\n")))

(defun agent-q-fs-mcp-tests--start (&rest arguments)
  "Start the program with ARGUMENTS, and shake hands with it."
  (let ((process (make-process :name "agent-q-fs" :noquery t :connection-type 'pipe
                               :coding 'utf-8-unix :stderr (get-buffer-create " *mcp errors*")
                               :filter #'agent-q-fs-mcp-tests--filter
                               :command `(,agent-q-fs-mcp-tests--program "mcp" ,@arguments))))
    (process-put process 'id 0)
    (agent-q-fs-mcp-tests--ask process "initialize"
                               '( :protocolVersion "2025-11-25"
                                  :clientInfo (:name "Tester" :version "1")
                                  :capabilities (:elicitation nil)))
    process))

(defun agent-q-fs-mcp-tests--client (&rest arguments)
  "Start a client of this Emacs with ARGUMENTS."
  (apply #'agent-q-fs-mcp-tests--start "--emacs" arguments))

(defun agent-q-fs-mcp-tests--request (process method params)
  "Have PROCESS serve METHOD with PARAMS; return the id."
  (let ((id (1+ (process-get process 'id))))
    (process-put process 'id id)
    (agent-q-fs-mcp-tests--write
     process `(:jsonrpc "2.0" :id ,id :method ,method ,@(and params (list :params params))))
    id))

(defun agent-q-fs-mcp-tests--answered (process id)
  "Return the answer of PROCESS to ID, or nil so far."
  (seq-find (lambda (message) (and (equal id (plist-get message :id))
                                   (not (plist-get message :method))))
            (process-get process 'messages)))

(defun agent-q-fs-mcp-tests--answer (process id)
  "Wait for the answer of PROCESS to ID."
  (agent-q-fs-test-until (agent-q-fs-mcp-tests--answered process id)
                         (process-get process 'messages)))

(defun agent-q-fs-mcp-tests--ask (process method &optional params)
  "Return the answer of PROCESS to METHOD with PARAMS."
  (agent-q-fs-mcp-tests--answer process (agent-q-fs-mcp-tests--request process method params)))

(defun agent-q-fs-mcp-tests--begin (process tool &rest arguments)
  "Have PROCESS call TOOL with ARGUMENTS; return the id."
  (agent-q-fs-mcp-tests--request process "tools/call"
                                 `(:name ,tool ,@(and arguments (list :arguments arguments)))))

(defun agent-q-fs-mcp-tests--call (process tool &rest arguments)
  "Return the result of PROCESS for TOOL with ARGUMENTS."
  (plist-get (agent-q-fs-mcp-tests--answer
              process (apply #'agent-q-fs-mcp-tests--begin process tool arguments))
             :result))

(defun agent-q-fs-mcp-tests--words (result)
  "Return the words of RESULT, of a call or an answer."
  (plist-get (aref (plist-get (or (plist-get result :result) result) :content) 0) :text))

(defun agent-q-fs-mcp-tests--error (result)
  "Return the code of RESULT, of a call that failed."
  (should (eq t (plist-get result :isError)))
  (plist-get (plist-get (plist-get result :_meta) :aqfs/error) :error))


;;;; Calls

(ert-deftest agent-q-fs-mcp/reads-and-edits ()
  "A call comes through the dispatcher: the file, its buffer and the log know of it."
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\ntwo\n"))
    (agent-q-fs-test-with-events events
      (let ((buffer (find-file-noselect "a.txt"))
            (client (agent-q-fs-mcp-tests--client)))
        (unwind-protect
            (progn
              (let ((result (agent-q-fs-mcp-tests--call client "read_file" :path "a.txt")))
                (should (equal "one\ntwo\n" (agent-q-fs-mcp-tests--words result)))
                (should (equal "one\ntwo\n" (plist-get (plist-get result :structuredContent)
                                                       :content))))
              (agent-q-fs-mcp-tests--call client "edit_file" :path "a.txt" :old_str "one" :new_str "1")
              (should (equal "1\ntwo\n" (agent-q-fs-mcp-tests--text "a.txt")))
              (agent-q-fs-test-until (equal "1\ntwo\n" (with-current-buffer buffer (buffer-string))))
              (should (equal '(start end)
                             (cl-loop for event in (reverse events)
                                      when (equal "edit_file" (plist-get event :tool))
                                      collect (plist-get event :event))))
              (should (equal '("a.txt") (plist-get (car events) :paths)))
              (with-current-buffer buffer (insert "unsaved "))
              (agent-q-fs-mcp-tests--call client "edit_file" :path "a.txt" :old_str "two" :new_str "2")
              (should (equal "1\ntwo\n" (agent-q-fs-mcp-tests--text "a.txt"))))
          (with-current-buffer buffer (set-buffer-modified-p nil))
          (kill-buffer buffer))))))

(ert-deftest agent-q-fs-mcp/commands ()
  "A client runs a command, is denied one, and keeps a session over its calls."
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\n"))
    (let* ((client (agent-q-fs-mcp-tests--client "--tools" "commands"))
           (decided (lambda (decision tool &rest arguments)
                      (let ((id (apply #'agent-q-fs-mcp-tests--begin client tool arguments)))
                        (agent-q-fs-mcp-tests--decide :decision decision)
                        (plist-get (agent-q-fs-mcp-tests--answer client id) :result))))
           (result (funcall decided 'approved "shell" :command "cat a.txt; touch made")))
      (should (string-match-p "\\`Exit status 0 .*\nstdout:\none\n"
                              (agent-q-fs-mcp-tests--words result)))
      (should (file-exists-p "made"))
      (should (equal "denied" (agent-q-fs-mcp-tests--error
                               (funcall decided 'denied "shell" :command "touch denied"))))
      (should-not (file-exists-p "denied"))
      (let ((words (agent-q-fs-mcp-tests--words
                    (funcall decided 'approved "exec_command" :cmd "cat" :yield_time_ms 0))))
        (should (string-match "Session \\([0-9]+\\) is running" words))
        (let ((session (string-to-number (match-string 1 words))))
          (should (string-match-p (format "\\`%d  cat  (running" session)
                                  (agent-q-fs-mcp-tests--words
                                   (agent-q-fs-mcp-tests--call client "list_sessions"))))
          (should (string-match-p "\\`Exit status 0 .*\noutput:\nhello\n"
                                  (agent-q-fs-mcp-tests--words
                                   (funcall decided 'approved "write_stdin" :session_id session
                                            :chars "hello\n\4" :yield_time_ms 300000)))))))))

(ert-deftest agent-q-fs-mcp/answers-as-the-core-does ()
  "Words, data and the list of tools are those of the program alone."
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\ntwo\n") ("d/b.c" "int two;\n") ("d/é \".x" ""))
    (let ((by-emacs (agent-q-fs-mcp-tests--client "--root" "." "--tools" "all"))
          (alone (agent-q-fs-mcp-tests--start "--root" "." "--tools" "all" "--audit" "none")))
      (dolist (call '(("read_file" :path "a.txt") ("read_file" :path "none")
                      ("read_file" :path "a.txt" :start_line 2)
                      ("read_file" :path 7) ("read_file" :path "../x") ("read_file" :no "x")
                      ("list_directory" :path ".") ("list_directory" :path "d")
                      ("directory_tree" :path ".") ("grep_files" :pattern "two")
                      ("grep_files" :pattern "nothing") ("search_files" :pattern "**/*.c")
                      ("get_file_info" :path "a.txt") ("get_project_root") ("read_bytes" :path "a.txt")
                      ("snapshot_list")))
        (let ((got (apply #'agent-q-fs-mcp-tests--call by-emacs call))
              (wanted (apply #'agent-q-fs-mcp-tests--call alone call)))
          (should (equal (list call t t) (list call (and got t) (and wanted t))))
          (should (equal (list call (agent-q-fs-mcp-tests--words wanted) (plist-get wanted :isError))
                         (list call (agent-q-fs-mcp-tests--words got) (plist-get got :isError))))
          (unless (agent-q-fs-mcp-tests--same-data (plist-get wanted :structuredContent)
                                                   (plist-get got :structuredContent))
            (should (equal (cons call (plist-get wanted :structuredContent))
                           (cons call (plist-get got :structuredContent)))))))
      (let ((tools (lambda (client)
                     (plist-get (plist-get (agent-q-fs-mcp-tests--ask client "tools/list") :result)
                                :tools))))
        (should (agent-q-fs-mcp-tests--same-data
                 (funcall tools alone)
                 (seq-take (funcall tools by-emacs) (length (funcall tools alone)))))))))

(defun agent-q-fs-mcp-tests--same-data (a b)
  "Return non-nil if A and B are the same JSON, members in any order."
  (cond ((and (consp a) (consp b))
         (and (= (length a) (length b))
              (cl-loop for (key value) on a by #'cddr
                       always (and (plist-member b key)
                                   (agent-q-fs-mcp-tests--same-data value (plist-get b key))))))
        ((and (vectorp a) (vectorp b))
         (and (= (length a) (length b)) (cl-every #'agent-q-fs-mcp-tests--same-data a b)))
        (t (equal a b))))

(ert-deftest agent-q-fs-mcp/asks-beside-other-calls ()
  "A question keeps nothing waiting; what was approved is done, a denial is told."
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\n"))
    (let* ((client (agent-q-fs-mcp-tests--client))
           (created (agent-q-fs-mcp-tests--begin client "create_file" :path "new" :content "x"))
           ;; Two calls at once come in any order.
           (_ (agent-q-fs-test-until agent-q-fs-mcp-tests--asked))
           (deleted (agent-q-fs-mcp-tests--begin client "delete_file" :path "a.txt")))
      (agent-q-fs-test-until (= 2 (length agent-q-fs-mcp-tests--asked)))
      (should (equal "Tester (MCP)" (agent-q-fs-caller-name
                                     (agent-q-fs-request-caller
                                      (caar agent-q-fs-mcp-tests--asked)))))
      (should (equal "one\n" (agent-q-fs-mcp-tests--words
                              (agent-q-fs-mcp-tests--call client "read_file" :path "a.txt"))))
      (should-not (agent-q-fs-mcp-tests--answered client created))
      (agent-q-fs-mcp-tests--decide :decision 'approved)
      (should (eq :false (plist-get (plist-get (agent-q-fs-mcp-tests--answer client created) :result)
                                    :isError)))
      (should (equal "x" (agent-q-fs-mcp-tests--text "new")))
      (agent-q-fs-mcp-tests--decide :decision 'denied :reason "I need it")
      (let ((result (plist-get (agent-q-fs-mcp-tests--answer client deleted) :result)))
        (should (equal "denied" (agent-q-fs-mcp-tests--error result)))
        (should (string-search "I need it" (agent-q-fs-mcp-tests--words result))))
      (should (file-exists-p "a.txt")))))

(ert-deftest agent-q-fs-mcp/cancelled ()
  "The request of a cancelled call goes, and a late approval does nothing."
  (agent-q-fs-mcp-tests--with nil
    (let* ((client (agent-q-fs-mcp-tests--client))
           (id (agent-q-fs-mcp-tests--begin client "create_file" :path "new" :content "x"))
           (asked (car (agent-q-fs-test-until agent-q-fs-mcp-tests--asked)))
           (caller (agent-q-fs-request-caller (car asked))))
      (agent-q-fs-mcp-tests--write client `( :jsonrpc "2.0" :method "notifications/cancelled"
                                             :params (:requestId ,id)))
      (agent-q-fs-test-until (agent-q-fs-caller-gone caller))
      (agent-q-fs-mcp-tests--decide :decision 'approved)
      (agent-q-fs-mcp-tests--ask client "ping")
      (should-not (agent-q-fs-mcp-tests--answered client id))
      (should-not (file-exists-p "new")))))

(ert-deftest agent-q-fs-mcp/stopped-by-the-person ()
  "A denial that stops the agent ends its other calls."
  (agent-q-fs-mcp-tests--with nil
    (let* ((client (agent-q-fs-mcp-tests--client))
           (first (agent-q-fs-mcp-tests--begin client "create_file" :path "a" :content "x"))
           (_ (agent-q-fs-test-until agent-q-fs-mcp-tests--asked))
           (second (agent-q-fs-mcp-tests--begin client "create_file" :path "b" :content "x")))
      (agent-q-fs-test-until (= 2 (length agent-q-fs-mcp-tests--asked)))
      (agent-q-fs-mcp-tests--decide :decision 'denied :stop t)
      (let ((result (plist-get (agent-q-fs-mcp-tests--answer client first) :result)))
        (should (string-search "wants you to stop" (agent-q-fs-mcp-tests--words result))))
      (should (equal "cancelled" (agent-q-fs-mcp-tests--error
                                  (plist-get (agent-q-fs-mcp-tests--answer client second) :result))))
      (agent-q-fs-mcp-tests--decide :decision 'approved)
      (should-not (file-exists-p "b")))))

(ert-deftest agent-q-fs-mcp/client-dies ()
  "With a client that is killed go its questions and its workspace."
  (agent-q-fs-mcp-tests--with nil
    (let ((client (agent-q-fs-mcp-tests--client)))
      (agent-q-fs-mcp-tests--begin client "create_file" :path "new" :content "x")
      (let ((caller (agent-q-fs-request-caller
                     (caar (agent-q-fs-test-until agent-q-fs-mcp-tests--asked)))))
        (signal-process client 'KILL)
        (agent-q-fs-test-until (agent-q-fs-caller-gone caller))
        (should-not agent-q-fs-mcp--clients)))))

(ert-deftest agent-q-fs-mcp/tools-of-emacs ()
  "Tools that are declared in Emacs Lisp are offered, and others refused."
  (agent-q-fs-mcp-tests--with nil
    (agent-q-fs-define-tool "mcp_greet"
      :doc "Greets." :tier 'safe :params '((:name "who" :type :string :required t :doc "Whom."))
      :handler (lambda (_workspace arguments) (concat "Hello, " (plist-get arguments :who))))
    (unwind-protect
        (let ((client (agent-q-fs-mcp-tests--client "--tools" "read_file,mcp_greet")))
          (should (equal '("read_file" "mcp_greet")
                         (mapcar (lambda (tool) (plist-get tool :name))
                                 (plist-get (plist-get (agent-q-fs-mcp-tests--ask client "tools/list")
                                                       :result)
                                            :tools))))
          (should (equal "Hello, é" (agent-q-fs-mcp-tests--words
                                     (agent-q-fs-mcp-tests--call client "mcp_greet" :who "é"))))
          (should (equal "invalid-argument" (agent-q-fs-mcp-tests--error
                                             (agent-q-fs-mcp-tests--call client "mcp_greet"))))
          (let ((answer (agent-q-fs-mcp-tests--answer
                         client (agent-q-fs-mcp-tests--begin client "delete_file" :path "x"))))
            (should (equal -32602 (plist-get (plist-get answer :error) :code)))
            (should (string-search "There are read_file, mcp_greet"
                                   (plist-get (plist-get answer :error) :message)))))
      (agent-q-fs-undefine-tool "mcp_greet"))))

(ert-deftest agent-q-fs-mcp/resources ()
  "Files are resources; a secret is not read, and nobody is asked about it."
  (agent-q-fs-mcp-tests--with '(("a b.txt" "one\n") (".env" "KEY=1\n"))
    (let* ((client (agent-q-fs-mcp-tests--client "--text-only")) ; which is about tools alone
           (uri (concat "file://" default-directory))
           (list (plist-get (agent-q-fs-mcp-tests--ask client "resources/list") :result))
           (read (lambda (name)
                   (agent-q-fs-mcp-tests--ask client "resources/read"
                                              (list :uri (concat uri name))))))
      (should (member (concat uri "a%20b.txt")
                      (mapcar (lambda (resource) (plist-get resource :uri))
                              (plist-get list :resources))))
      (should (equal "one\n" (plist-get (aref (plist-get (plist-get (funcall read "a%20b.txt") :result)
                                                         :contents)
                                              0)
                                        :text)))
      (should (string-search "which can ask"
                             (plist-get (plist-get (funcall read ".env") :error) :message)))
      (should (equal -32002 (plist-get (plist-get (funcall read "none") :error) :code)))
      (should-not agent-q-fs-mcp-tests--asked))))


(ert-deftest agent-q-fs-mcp/progress ()
  "A client that wants to know hears how far a call is, by numbers that grow.
The answer has all results all the same, and a client that gave no token hears nothing."
  (agent-q-fs-mcp-tests--with nil
    (dotimes (i 200)
      (let ((name (format "d%d/f" i)))
        (make-directory (file-name-directory name))
        (write-region "x\n" nil name nil 'quiet)))
    (let* ((client (agent-q-fs-mcp-tests--client "--tools" "all"))
           (told (lambda (token)
                   (mapcar (lambda (message) (plist-get (plist-get message :params) :progress))
                           (agent-q-fs-mcp-tests--told
                            client "notifications/progress"
                            (lambda (params) (equal token (plist-get params :progressToken)))))))
           (call (lambda (token tool &rest arguments)
                   (let ((id (agent-q-fs-mcp-tests--request
                              client "tools/call"
                              `( :name ,tool :arguments ,arguments
                                 ,@(and token `(:_meta (:progressToken ,token)))))))
                     (when (equal tool "snapshot_restore")
                       (agent-q-fs-mcp-tests--decide :decision 'approved))
                     (plist-get (agent-q-fs-mcp-tests--answer client id) :result))))
           snapshot)
      (pcase-dolist (`(,token . ,arguments)
                     '(("find" "search_files" :pattern "**/f")
                       ("grep" "grep_files" :pattern "x" :output "files")
                       ("tree" "directory_tree")
                       ("snapshot" "snapshot_create" :tag "one")
                       ("restore" "snapshot_restore")))
        (when (equal token "restore")
          (delete-directory "d7" t)
          (setq arguments (list (car arguments) :id snapshot)))
        (let ((result (apply call token arguments)) (numbers (funcall told token)))
          (setq snapshot (plist-get (plist-get result :structuredContent) :id))
          (should-not (and (eq t (plist-get result :isError))
                           (agent-q-fs-mcp-tests--words result)))
          (should numbers)
          (should (equal numbers (seq-uniq (sort (copy-sequence numbers) #'<))))
          (when (member token '("find" "grep"))
            (should (= 200 (length (plist-get (plist-get result :structuredContent) :paths)))))))
      (let ((before (length (process-get client 'messages))))
        (funcall call nil "grep_files" :pattern "x")
        (should (= (1+ before) (length (process-get client 'messages))))))))

(ert-deftest agent-q-fs-mcp/subscriptions ()
  "A client hears of files that change, by whomever; of none that it may not read.
When Emacs was away, it hears of what happened meanwhile."
  (agent-q-fs-mcp-tests--with '(("a" "one\n") (".env" "KEY=1\n") ("hidden/b" "1\n"))
    (let* ((client (agent-q-fs-mcp-tests--client "--restricted-path" "hidden"))
           (uri (concat "file://" default-directory))
           (subscribe (lambda (name)
                        (plist-get (plist-get (agent-q-fs-mcp-tests--ask
                                               client "resources/subscribe"
                                               (list :uri (concat uri name)))
                                              :error)
                                   :code)))
           (told (lambda ()
                   (mapcar (lambda (message)
                             (string-remove-prefix
                              uri (plist-get (plist-get message :params) :uri)))
                           (agent-q-fs-mcp-tests--told client
                                                       "notifications/resources/updated"))))
           (await (lambda (change)
                    (let ((before (length (funcall told))))
                      (funcall change)
                      (agent-q-fs-test-until (< before (length (funcall told)))
                                             (process-get client 'messages))))))
      (should-not (funcall subscribe "a"))
      (should (equal '(-32602 -32602 -32002) (mapcar subscribe '(".env" "hidden/b" "none"))))
      (should-not agent-q-fs-mcp-tests--asked)
      (funcall await
               (lambda ()
                 (with-current-buffer (find-file-noselect "a")
                   (unwind-protect
                       (progn (insert "typed\n")
                              (let ((inhibit-message t)) (save-buffer)))
                     (kill-buffer)))))
      (funcall await
               (lambda ()
                 (agent-q-fs-mcp-tests--call client "edit_file"
                                             :path "a" :old_str "typed" :new_str "edited")))
      (funcall await
               (lambda ()
                 (agent-q-fs-mcp-mode -1)
                 (write-region "" nil ".env" nil 'quiet)
                 (write-region "meanwhile\n" nil "a" nil 'quiet)
                 (agent-q-fs-mcp-mode 1)))
      (should (equal '("a") (delete-dups (funcall told)))))))


;;;; Projects

(ert-deftest agent-q-fs-mcp/another-project-is-asked-about ()
  "Elsewhere than in the allowed directories a person is asked, once."
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\n"))
    (let* ((agent-q-fs-mcp-directories nil)
           (client (agent-q-fs-mcp-tests--client))
           (first (agent-q-fs-mcp-tests--begin client "read_file" :path "a.txt"))
           (second (agent-q-fs-mcp-tests--begin client "read_file" :path "a.txt")))
      (agent-q-fs-test-until agent-q-fs-mcp-tests--asked)
      (should (string-match-p "wait\\|asked" (plist-get (plist-get (agent-q-fs-mcp-tests--ask
                                                              client "resources/list")
                                                             :error)
                                                  :message)))
      (should (= 1 (length agent-q-fs-mcp-tests--asked)))
      (should (equal "open" (agent-q-fs-request-tool (caar agent-q-fs-mcp-tests--asked))))
      (agent-q-fs-mcp-tests--decide :decision 'denied :reason "not this one")
      (dolist (id (list first second))
        (let ((result (plist-get (agent-q-fs-mcp-tests--answer client id) :result)))
          (should (equal "denied" (agent-q-fs-mcp-tests--error result)))
          (should (string-search "not this one" (agent-q-fs-mcp-tests--words result)))))
      (let* ((other (agent-q-fs-mcp-tests--client))
             (id (agent-q-fs-mcp-tests--begin other "read_file" :path "a.txt")))
        (agent-q-fs-mcp-tests--decide :decision 'approved)
        (should (equal "one\n" (agent-q-fs-mcp-tests--words
                                (agent-q-fs-mcp-tests--answer other id)))))
      (should (equal "one\n" (agent-q-fs-mcp-tests--words
                              (agent-q-fs-mcp-tests--call (agent-q-fs-mcp-tests--client)
                                                          "read_file" :path "a.txt")))))))

(ert-deftest agent-q-fs-mcp/a-project-that-is-visited-here ()
  "Nobody is asked about a project of which a file is visited."
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\n"))
    (let ((agent-q-fs-mcp-directories nil)
          (buffer (find-file-noselect "a.txt")))
      (unwind-protect
          (should (equal "one\n" (agent-q-fs-mcp-tests--words
                                  (agent-q-fs-mcp-tests--call (agent-q-fs-mcp-tests--client)
                                                              "read_file" :path "a.txt"))))
        (kill-buffer buffer)))))

(ert-deftest agent-q-fs-mcp/a-directory-above-the-home-directory ()
  "A file that is visited makes no project of all directories above it."
  (agent-q-fs-mcp-tests--with '(("home/me/p/f" "one\n"))
    (let ((agent-q-fs-mcp-directories nil)
          (abbreviated-home-dir nil)
          (process-environment (cons (concat "HOME=" (expand-file-name "home/me"))
                                     process-environment))
          (buffer (find-file-noselect "home/me/p/f")))
      (unwind-protect
          (dolist (root '("home" "home/me" "."))
            (let ((call (agent-q-fs-mcp-tests--begin (agent-q-fs-mcp-tests--client "--root" root)
                                                     "list_directory")))
              (ignore call)
              (agent-q-fs-mcp-tests--decide :decision 'denied)))
        (kill-buffer buffer)))))

(ert-deftest agent-q-fs-mcp/each-its-project ()
  "Two clients in two projects each have their own, whatever is pinned here."
  (agent-q-fs-mcp-tests--with '(("p/d/a" "of p\n") ("q/a" "of q\n"))
    (call-process "git" nil nil nil "init" "-q" "p")
    (let* ((agent-q-fs-workspace (agent-q-fs-open :root default-directory))
           (p (let ((default-directory (expand-file-name "p/d/"))) (agent-q-fs-mcp-tests--client)))
           (q (agent-q-fs-mcp-tests--client "--root" "q")))
      (should (equal "of p\n" (agent-q-fs-mcp-tests--words
                               (agent-q-fs-mcp-tests--call p "read_file" :path "d/a"))))
      (should (equal "of q\n" (agent-q-fs-mcp-tests--words
                               (agent-q-fs-mcp-tests--call q "read_file" :path "a"))))
      (should (equal "outside-root" (agent-q-fs-mcp-tests--error
                                     (agent-q-fs-mcp-tests--call q "read_file" :path "../p/d/a"))))
      (agent-q-fs-close agent-q-fs-workspace))))

(ert-deftest agent-q-fs-mcp/rules-of-both ()
  "A client can be held closer than Emacs says, and never wider."
  (agent-q-fs-mcp-tests--with '(("a" "one\n") ("b" "two\n") ("c" "three\n"))
    (let* ((agent-q-fs-open-options '(:restricted-paths ("a")))
           (client (agent-q-fs-mcp-tests--client "--restricted-path" "b" "--read-only")))
      (dolist (file '("a" "b"))
        (should (equal "restricted" (agent-q-fs-mcp-tests--error
                                     (agent-q-fs-mcp-tests--call client "read_file" :path file)))))
      (should (equal "read-only" (agent-q-fs-mcp-tests--error
                                  (agent-q-fs-mcp-tests--call client "edit_file" :path "c"
                                                              :old_str "three" :new_str "3"))))
      (should (equal "three\n" (agent-q-fs-mcp-tests--text "c"))))
    (dolist (option '(("--allowed-path" "/") ("--authority" "dangerous") ("--option" "mode=1")
                      ("--audit" "none") ("--secret-path" "x")))
      (with-temp-buffer
        (should (equal 2 (apply #'call-process agent-q-fs-mcp-tests--program nil t nil
                                "mcp" "--emacs" option)))
        (should (string-search "option of Emacs" (buffer-string)))))))


;;;; Wrong programs

;; An Emacs in batch mode does not ignore SIGPIPE, as others do: nothing is written to a
;; connection that this Emacs may have closed at its other end.

(defun agent-q-fs-mcp-tests--frame (bytes)
  "Return (FRAME . LENGTH) of the frame with which BYTES begin, or nil.
The words behind it are its :text."
  (let* ((newline (string-search "\n" bytes))
         (frame (and newline
                     (json-parse-string (decode-coding-string (substring bytes 0 newline) 'utf-8)
                                        :object-type 'plist :false-object :false)))
         (end (and newline (+ 1 newline (or (plist-get frame :words) 0)))))
    (when (and newline (<= end (length bytes)))
      (cons (append frame
                    (and (plist-get frame :words)
                         (list :text (decode-coding-string (substring bytes (1+ newline) end)
                                                           'utf-8))))
            end))))

(defun agent-q-fs-mcp-tests--frames (raw bytes)
  "Keep the frames in BYTES, from RAW."
  (let ((bytes (concat (process-get raw 'rest) bytes)) next)
    (while (setq next (agent-q-fs-mcp-tests--frame bytes))
      (process-put raw 'messages (append (process-get raw 'messages) (list (car next))))
      (setq bytes (substring bytes (cdr next))))
    (process-put raw 'rest bytes)))

(defun agent-q-fs-mcp-tests--raw ()
  "Return a connection to the socket of this Emacs."
  (make-network-process :name "raw" :family 'local :service (agent-q-fs-mcp-socket)
                        :noquery t :coding '(binary . utf-8-unix)
                        :filter #'agent-q-fs-mcp-tests--frames))

(defun agent-q-fs-mcp-tests--confirm (raw bytes)
  "Keep the frames in BYTES, from RAW, and confirm them."
  (agent-q-fs-mcp-tests--frames raw bytes)
  (process-put raw 'confirmed (+ (length bytes) (or (process-get raw 'confirmed) 0)))
  (process-send-string raw (format "{\"got\": %d}\n" (length bytes))))

(defun agent-q-fs-mcp-tests--hello (&rest members)
  "Return a first frame, in which MEMBERS are other than usual."
  (append members (list :hello 2 :version "1" :directory (directory-file-name default-directory)
                        :options (make-hash-table) :tools "read_file,read_bytes" :data t)))

(ert-deftest agent-q-fs-mcp/read-only-stays ()
  "A connection cannot write where the person's own options say read-only."
  (agent-q-fs-mcp-tests--with '(("a" "one\n"))
    (dolist (agent-q-fs-open-options '((:read-only t) (:read_only t)))
      (let ((raw (agent-q-fs-mcp-tests--raw))
            (options (make-hash-table :test #'equal)))
        (puthash "read_only" :false options)
        (dolist (frame (list (agent-q-fs-mcp-tests--hello :options options :tools "edit_file")
                             '( :call 1 :tool "edit_file" :client "x"
                                :arguments (:path "a" :old_str "one" :new_str "two"))))
          (agent-q-fs-mcp-tests--write raw frame))
        (let ((end (agent-q-fs-test-until
                    (seq-find (lambda (message) (equal 1 (plist-get message :end)))
                              (process-get raw 'messages)))))
          (should (equal "read-only" (plist-get end :error))))
        (delete-process raw)))
    (should (equal "one\n" (agent-q-fs-mcp-tests--text "a")))))

(ert-deftest agent-q-fs-mcp/frames-that-are-none ()
  "A program that sends anything is told what is wrong, and nobody else notices."
  (agent-q-fs-mcp-tests--with '(("a" "one\n"))
    (let ((client (agent-q-fs-mcp-tests--client))
          (hello (json-serialize (agent-q-fs-mcp-tests--hello))))
      (pcase-dolist (`(,text . ,words)
                     `(("nonsense" . "no frame") ("[1]" . "no frame") ("" . "no frame")
                       (,(make-string 20000 ?\[) . "no frame") ("\xff\xfe{" . "no frame")
                       ("{}" . "restart it") ("{\"call\": 1}" . "restart it")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :hello 1)) . "restart it")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :directory "x")) . "directory")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :directory 7)) . "directory")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :directory "/none/here")) . ".")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :directory "/ssh:x:/"))
                        . "another machine")
                       (,(json-serialize
                          (agent-q-fs-mcp-tests--hello
                           :options (let ((options (make-hash-table :test #'equal)))
                                      (puthash "root" "/sudo::/" options)
                                      options)))
                        . "another machine")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :tools "nothing")) . "no set")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :tools 1)) . "tools")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello
                                          :options '(:allowed_paths ["/"])))
                        . "option of Emacs")
                       (,(json-serialize (agent-q-fs-mcp-tests--hello :options '(:read_only "x"))) . ".")
                       (,(concat hello "\n{\"call\": -1}") . "call")
                       (,(concat hello "\n{\"call\": 1, \"tool\": 1, \"client\": \"\"}") . "call")
                       (,(concat hello "\n{\"call\": 1, \"tool\": \"read_file\", \"client\": \"\", \
\"arguments\": []}") . "call")
                       (,(concat hello "\n" hello) . "not known")
                       (,(concat hello "\n{\"got\": -5}") . "not known")))
        (let ((raw (agent-q-fs-mcp-tests--raw)))
          (process-send-string raw (concat text "\n"))
          (agent-q-fs-test-until (not (process-live-p raw)) (list text words))
          (let ((last (car (last (process-get raw 'messages)))))
            (should (equal (list text words t)
                           (list text words
                                 (and (string-match-p words (or (plist-get last :refused) "")) t)))))))
      (should (equal "one\n" (agent-q-fs-mcp-tests--words
                              (agent-q-fs-mcp-tests--call client "read_file" :path "a"))))
      (should (= 1 (length agent-q-fs-mcp--clients))))))

(ert-deftest agent-q-fs-mcp/too-long-a-frame ()
  (agent-q-fs-mcp-tests--with nil
    (cl-letf ((agent-q-fs-mcp--longest 20000))
      (let ((raw (agent-q-fs-mcp-tests--raw)))
        (process-send-string raw (make-string 30000 ?x)) ; the socket takes it at once
        (agent-q-fs-test-until (not (process-live-p raw)))
        (should-not agent-q-fs-mcp--clients)))))

(ert-deftest agent-q-fs-mcp/a-program-that-stops-reading ()
  "Emacs sends what the socket takes, goes on, and sends the rest when it is asked for."
  (agent-q-fs-mcp-tests--with `(("long" ,(make-string 300000 ?x)))
    (let ((raw (agent-q-fs-mcp-tests--raw))
          (read-process-output-max 65536) (gc-cons-threshold 67108864)) ; the test's own end
      (stop-process raw)
      (process-send-string
       raw (concat (json-serialize (agent-q-fs-mcp-tests--hello)) "\n"
                   (mapconcat (lambda (n)
                                (json-serialize `( :call ,n :tool "read_bytes" :client ""
                                                   :arguments (:path "long"))))
                              (number-sequence 1 30) "\n")
                   "\n"))
      (agent-q-fs-test-until (car agent-q-fs-mcp--clients))
      (let ((client (car agent-q-fs-mcp--clients)))
        (agent-q-fs-test-until (and (agent-q-fs-mcp--client-workspace client)
                                    (null (agent-q-fs-mcp--client-frames client))
                                    (null (agent-q-fs-mcp--client-calls client)))
                               (list client raw (process-get raw 'messages)))
        (should (<= (agent-q-fs-mcp--client-unconfirmed client)
                    (+ agent-q-fs-mcp--window agent-q-fs-mcp--piece)))
        (should (< agent-q-fs-mcp--untaken (agent-q-fs-mcp--unsent client)
                   (* 2 agent-q-fs-mcp--untaken)))
        (should (agent-q-fs-mcp--client-held client))
        (set-process-filter raw #'agent-q-fs-mcp-tests--confirm)
        (continue-process raw)
        (agent-q-fs-test-until (= 31 (length (process-get raw 'messages))))
        (should (< 16000000 (process-get raw 'confirmed)))))))

;; The first version printed words as JSON and cut them up: every other call waited for the
;; garbage collector, and took ten times as long.

(ert-deftest agent-q-fs-mcp/an-answer-waits-for-no-garbage ()
  "Garbage is collected between calls, and a long answer makes little of it."
  (agent-q-fs-mcp-tests--with `(("long" ,(string-join (make-list 1000 (make-string 99 ?x)) "\n")))
    (let* ((client (agent-q-fs-mcp-tests--client "--text-only"))
           (strings (lambda () (nth 4 (memory-use-counts))))
           (gc-cons-threshold 800000)
           collected made
           (measure (lambda (take client text)
                      (let ((before gcs-done) (bytes (funcall strings)))
                        (funcall take client text)
                        (when (string-search "\"tool\"" text)
                          (push (- gcs-done before) collected)
                          (push (- (funcall strings) bytes) made))))))
      (agent-q-fs-mcp-tests--call client "read_file" :path "long")
      (unwind-protect
          (progn
            (advice-add 'agent-q-fs-mcp--take :around measure)
            (dotimes (_ 20)
              (agent-q-fs-mcp-tests--call client "read_file" :path "long")))
        (advice-remove 'agent-q-fs-mcp--take measure))
      (should (equal (make-list 20 0) collected))
      (should (< (apply #'max made) 350000)))))

(ert-deftest agent-q-fs-mcp/words-are-sent-as-they-are ()
  "Words with anything in them come to the client, and characters that are none end one call."
  (agent-q-fs-mcp-tests--with nil
    (let ((words (list "" "{\"end\": 1}\n" "ä€😀\n\n" (make-string 200000 ?€)))
          client said)
      (unwind-protect
          (progn
            (agent-q-fs-define-tool "say_words" :tier 'safe
                                    :handler (lambda (_workspace _arguments) said))
            (setq client (agent-q-fs-mcp-tests--client "--tools" "all"))
            (dolist (text words)
              (setq said text)
              (should (equal text (agent-q-fs-mcp-tests--words
                                   (agent-q-fs-mcp-tests--call client "say_words")))))
            (setq said (string ?a #xd800 ?b))
            (should (equal "encoding" (agent-q-fs-mcp-tests--error
                                       (agent-q-fs-mcp-tests--call client "say_words"))))
            (setq said "again")
            (should (equal "again" (agent-q-fs-mcp-tests--words
                                    (agent-q-fs-mcp-tests--call client "say_words")))))
        (agent-q-fs-undefine-tool "say_words")))))

(ert-deftest agent-q-fs-mcp/many-calls-leave-nothing ()
  "A flood is answered whole, and leaves no descriptor, no thread and no caller behind."
  (agent-q-fs-mcp-tests--with '(("a" "one\n"))
    (let* ((client (agent-q-fs-mcp-tests--client))
           (held (lambda ()
                   (mapcar (lambda (kind)
                             (length (directory-files (format "/proc/%d/%s" (process-id client) kind)
                                                      nil "[0-9]" t)))
                           '("fd" "task"))))
           (_ (agent-q-fs-mcp-tests--call client "read_file" :path "a"))
           (before (list (funcall held) (agent-q-fs-test-held)))
           (lines "") (first (1+ (process-get client 'id))))
      (dotimes (i 1000)
        (setq lines (concat lines (format "{\"jsonrpc\": \"2.0\", \"id\": %d, \"method\": \
\"tools/call\", \"params\": {\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}}\n" (+ first i)))))
      (process-send-string client lines)
      (agent-q-fs-test-until (<= 1002 (length (process-get client 'messages))))
      (should (agent-q-fs-mcp-tests--answered client (+ first 999)))
      (should-not (agent-q-fs-mcp--client-calls (car agent-q-fs-mcp--clients)))
      (should (equal before (list (funcall held) (agent-q-fs-test-held)))))))


;;;; Users

(defun agent-q-fs-mcp-tests--as-nobody (&rest command)
  "Return (STATUS . OUTPUT) of COMMAND as another user."
  (with-temp-buffer
    (cons (apply #'call-process "setpriv" nil t nil "--reuid=65534" "--regid=65534"
                 "--clear-groups" command)
          (buffer-string))))

(defconst agent-q-fs-mcp-tests--connecting
  "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die \"$!\\n\";
print $s \"{}\\n\"; $s->flush; print \"open: \", <$s> // \"nothing\", \"\\n\";"
  "A program in Perl that connects to a socket, writes, and prints what comes.")

(ert-deftest agent-q-fs-mcp/another-user ()
  "Threat 135: another user cannot connect, and is refused where modes allow it."
  (unless (and (zerop (user-uid)) (executable-find "setpriv") (executable-find "perl"))
    (ert-skip "Only root can become another user, with setpriv and perl"))
  (agent-q-fs-mcp-tests--with '(("a" "one\n"))
    (let* ((socket (agent-q-fs-mcp-socket))
           (directory (file-name-directory socket))
           (base (file-name-directory (directory-file-name directory)))
           (program (expand-file-name "program" base))
           (connect (lambda () (agent-q-fs-mcp-tests--as-nobody
                                "perl" "-e" agent-q-fs-mcp-tests--connecting socket))))
      (should (equal "drwx------" (file-attribute-modes (file-attributes directory))))
      (should (equal "srw-------" (file-attribute-modes (file-attributes socket))))
      (copy-file agent-q-fs-mcp-tests--program program)
      (set-file-modes base #o755)
      (should (string-search "Permission denied" (cdr (funcall connect))))
      (set-file-modes directory #o755)
      (should (string-search "Permission denied" (cdr (funcall connect))))
      (set-file-modes socket #o666)
      ;; The other end waits for Emacs, which `call-process' keeps from accepting.
      (let ((process (make-process :name "nobody" :buffer (generate-new-buffer " *nobody*") :noquery t
                                   :command (list "setpriv" "--reuid=65534" "--regid=65534"
                                                  "--clear-groups" "perl" "-e"
                                                  agent-q-fs-mcp-tests--connecting socket))))
        (agent-q-fs-test-until (not (process-live-p process)))
        (with-current-buffer (process-buffer process)
          (should-not (string-search "{" (buffer-string)))
          (kill-buffer)))
      (should-not agent-q-fs-mcp--clients)
      (should (string-search "belongs to another user"
                             (cdr (agent-q-fs-mcp-tests--as-nobody
                                   "sh" "-c" "echo \"$1\" | \"$0\" mcp --emacs \"$2\"" program
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
{\"name\":\"read_file\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
                                   socket))))
      (should (equal "one\n" (agent-q-fs-mcp-tests--words
                              (agent-q-fs-mcp-tests--call (agent-q-fs-mcp-tests--client)
                                                          "read_file" :path "a")))))))

(ert-deftest agent-q-fs-mcp/a-directory-of-another ()
  "A place that others prepared is not used."
  (agent-q-fs-mcp-tests--with nil
    (agent-q-fs-mcp-mode -1)
    (let* ((base (getenv "XDG_RUNTIME_DIR"))
           (directory (expand-file-name "agent-q-fs" base)))
      (set-file-modes directory #o755)
      (should-error (agent-q-fs-mcp-mode 1) :type 'user-error)
      (should-not agent-q-fs-mcp-mode)
      (delete-directory directory)
      (make-symbolic-link base directory)
      (should-error (agent-q-fs-mcp-mode 1) :type 'user-error)
      (delete-file directory)
      (agent-q-fs-mcp-mode 1)
      (should (file-exists-p (agent-q-fs-mcp-socket))))))


;;;; Emacs that comes and goes

(defun agent-q-fs-mcp-tests--emacs ()
  "Start another Emacs that serves `default-directory', and wait until it does."
  (let ((process
         (make-process
          :name "emacs" :noquery t :connection-type 'pipe :buffer (generate-new-buffer " *mcp emacs*")
          :command (agent-q-fs-test-emacs-command
                    "--batch" "-l" "agent-q-fs-mcp" "--eval"
                    (format "%S" `(progn
                                    (setq agent-q-fs-mcp-directories '(,default-directory)
                                          agent-q-fs-state-directory ,agent-q-fs-state-directory
                                          agent-q-fs-approval-function #'ignore)
                                    (defalias 'agent-q-fs-approve-unattended-p #'ignore)
                                    (agent-q-fs-mcp-mode 1)
                                    (message "serving %s" (agent-q-fs-mcp-socket))
                                    (while t (accept-process-output nil 10))))))))
    (agent-q-fs-test-until (with-current-buffer (process-buffer process)
                             (string-search "serving" (buffer-string))))
    process))

(ert-deftest agent-q-fs-mcp/emacs-dies-and-comes-back ()
  "Open calls are answered when Emacs dies; the next Emacs serves the same client."
  (agent-q-fs-mcp-tests--with '(("a" "one\n"))
    (agent-q-fs-mcp-mode -1)
    (let* ((client (agent-q-fs-mcp-tests--client))
           (_ (should (equal "not-connected"
                             (agent-q-fs-mcp-tests--error
                              (agent-q-fs-mcp-tests--call client "read_file" :path "a")))))
           (emacs (agent-q-fs-mcp-tests--emacs))
           (_ (should (equal "one\n" (agent-q-fs-mcp-tests--words
                                      (agent-q-fs-mcp-tests--call client "read_file" :path "a")))))
           (open (list (agent-q-fs-mcp-tests--begin client "create_file" :path "new" :content "x")
                       (agent-q-fs-mcp-tests--begin client "delete_file" :path "a"))))
      (agent-q-fs-mcp-tests--call client "read_file" :path "a")
      (signal-process emacs 'KILL)
      (dolist (id open)
        (let ((result (plist-get (agent-q-fs-mcp-tests--answer client id) :result)))
          (should (equal "not-connected" (agent-q-fs-mcp-tests--error result)))
          (should (string-search "not known" (agent-q-fs-mcp-tests--words result)))))
      (let ((next (agent-q-fs-mcp-tests--emacs)))
        (should (equal "one\n" (agent-q-fs-mcp-tests--words
                                (agent-q-fs-mcp-tests--call client "read_file" :path "a"))))
        (delete-process next)))))

(defun agent-q-fs-mcp-tests--told (process method &optional predicate)
  "Return the notifications METHOD of PROCESS whose params satisfy PREDICATE."
  (seq-filter (lambda (message)
                (and (equal method (plist-get message :method))
                     (or (null predicate) (funcall predicate (plist-get message :params)))))
              (process-get process 'messages)))

(defun agent-q-fs-mcp-tests--modern (&rest params)
  "Return PARAMS for a request of 2026-07-28."
  (append params
          '(:_meta ( :io.modelcontextprotocol/protocolVersion "2026-07-28"
                     :io.modelcontextprotocol/clientCapabilities nil))))

(ert-deftest agent-q-fs-mcp/another-list-of-tools ()
  "A client that has seen a list, or listens, is told when Emacs comes and has another one."
  (agent-q-fs-mcp-tests--with nil
    (agent-q-fs-mcp-mode -1)
    (let* ((client (agent-q-fs-mcp-tests--client "--tools" "all"))
           (count (lambda ()
                    (length (plist-get (plist-get (agent-q-fs-mcp-tests--ask client "tools/list")
                                                  :result)
                                       :tools))))
           (before (funcall count))
           (discovered (agent-q-fs-mcp-tests--ask client "server/discover"
                                                  (agent-q-fs-mcp-tests--modern)))
           (id (agent-q-fs-mcp-tests--request
                client "subscriptions/listen"
                (agent-q-fs-mcp-tests--modern :notifications '(:toolsListChanged t))))
           (ours (lambda (params)
                   (equal id (plist-get (plist-get params :_meta)
                                        :io.modelcontextprotocol/subscriptionId)))))
      (should (= before (length (agent-q-fs-operations))))
      (should (eq t (plist-get (plist-get (plist-get (plist-get discovered :result)
                                                     :capabilities)
                                          :tools)
                               :listChanged)))
      (agent-q-fs-test-until
       (agent-q-fs-mcp-tests--told client "notifications/subscriptions/acknowledged" ours))
      (agent-q-fs-mcp-mode 1)
      (dolist (whose (list #'null ours))
        (agent-q-fs-test-until
         (agent-q-fs-mcp-tests--told client "notifications/tools/list_changed" whose)))
      (should (< before (funcall count))))))

(ert-deftest agent-q-fs-mcp/two-emacsen ()
  "A second Emacs has a socket of its own, and is found when the first has gone."
  (agent-q-fs-mcp-tests--with '(("a" "one\n"))
    (let* ((other (agent-q-fs-mcp-tests--emacs))
           (socket (expand-file-name (format "agent-q-fs/emacs-%d" (process-id other))
                                     (getenv "XDG_RUNTIME_DIR"))))
      (should (file-exists-p socket))
      (should (equal "emacs" (file-name-nondirectory (agent-q-fs-mcp-socket))))
      (should (equal "one\n" (agent-q-fs-mcp-tests--words
                              (agent-q-fs-mcp-tests--call (agent-q-fs-mcp-tests--client socket)
                                                          "read_file" :path "a"))))
      (should-not agent-q-fs-mcp--clients)
      (agent-q-fs-mcp-mode -1)
      (should (equal "one\n" (agent-q-fs-mcp-tests--words
                              (agent-q-fs-mcp-tests--call (agent-q-fs-mcp-tests--client)
                                                          "read_file" :path "a"))))
      (delete-process other))))


;;;; The configuration of agents

(require 'agent-q-fs-mcp-setup)

(defun agent-q-fs-mcp-tests--set-up (agent &rest answers)
  "Set AGENT up, and answer questions with ANSWERS."
  (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) (pop answers)))
            ((symbol-function 'agent-q-fs-mcp-setup-program) (lambda () "/opt/agent-q-fs")))
    (agent-q-fs-mcp-setup agent)))

(defmacro agent-q-fs-mcp-tests--at-home (&rest body)
  "Run BODY in a project, with an empty home."
  (declare (indent 0) (debug (body)))
  `(agent-q-fs-test-with-tree (agent-q-fs-workspace)
     (let* ((home (expand-file-name "home" default-directory))
            (process-environment (cons (concat "HOME=" home) process-environment))
            (make-backup-files nil))
       (make-directory home)
       ,@body)))

(defun agent-q-fs-mcp-tests--json (file)
  "Return the JSON of FILE as a property list."
  (json-parse-string (agent-q-fs-mcp-tests--text file) :object-type 'plist))

(ert-deftest agent-q-fs-mcp/setup-writes ()
  "The agent reads the written entry, beside those that its file had."
  (agent-q-fs-mcp-tests--at-home
    (pcase-dolist (`(,agent ,file ,path)
                   '(("Claude Code" ".mcp.json" (:mcpServers :agent-q-fs))
                     ("opencode" "~/.config/opencode/opencode.json" (:mcp :agent-q-fs))
                     ("Zed" "~/.config/zed/settings.json" (:context_servers :agent-q-fs))
                     ("ECA" "~/.config/eca/config.json" (:mcpServers :agent-q-fs))))
      (make-directory (file-name-directory (expand-file-name file)) t)
      (let ((coding-system-for-write 'utf-8))
        (write-region "{\"é\": {}, \"list\": [], \"no\": false, \"none\": null, \"n\": 1.5}"
                      nil file nil 'quiet))
      (dotimes (_ 2)                    ; again is the same
        (agent-q-fs-mcp-tests--set-up agent t t))
      (let* ((json (agent-q-fs-mcp-tests--json file))
             (entry (plist-get (plist-get json (car path)) (cadr path)))
             (command (plist-get entry :command)))
        (should (equal '(nil [] :false :null 1.5)
                       (mapcar (lambda (key) (plist-get json key)) '(:é :list :no :none :n))))
        (should (string-search "\"é\": {}" (agent-q-fs-mcp-tests--text file)))
        (should (equal '("/opt/agent-q-fs" "mcp" "--emacs" "--text-only")
                       (if (vectorp command)
                           (append command nil)
                         (cons command (append (plist-get entry :args) nil)))))))
    (should (equal "deny" (plist-get (plist-get (agent-q-fs-mcp-tests--json
                                                 "~/.config/opencode/opencode.json")
                                                :permission)
                                     :edit)))
    (should (seq-contains-p (plist-get (agent-q-fs-mcp-tests--json "~/.config/eca/config.json")
                                       :disabledTools)
                            "eca__write_file"))
    (let ((deny (plist-get (plist-get (agent-q-fs-mcp-tests--json ".claude/settings.json")
                                      :permissions)
                           :deny)))
      (should (equal ["Read" "Edit" "Write" "NotebookEdit" "Glob" "Grep"] deny)))))

(ert-deftest agent-q-fs-mcp/setup-says-where-and-what-next ()
  "The questions have the files' full names; the last word says what is left to do."
  (agent-q-fs-mcp-tests--at-home
    (let (asked said)
      (cl-letf (((symbol-function 'y-or-n-p) (lambda (question) (push question asked) t))
                ((symbol-function 'agent-q-fs-mcp-setup-program) (lambda () "/opt/agent-q-fs"))
                ((symbol-function 'message)
                 (lambda (words &rest values) (when words (setq said (apply #'format words values))))))
        (agent-q-fs-mcp-setup "Claude Code"))
      (should (equal (mapcar (lambda (file) (abbreviate-file-name (expand-file-name file)))
                             '(".claude/settings.json" ".mcp.json"))
                     (mapcar (lambda (question)
                               (replace-regexp-in-string ".* in\\(?:to\\)? \\(.*\\)\\? \\'" "\\1"
                                                         question))
                             asked)))
      (should (string-match-p "settings\\.json\\.  Restart Claude Code; M-x agent-q-fs-mcp-mode " said)))))

(ert-deftest agent-q-fs-mcp/setup-leaves-alone ()
  "Without a yes nothing is written; what would be lost or doubled is refused."
  (agent-q-fs-mcp-tests--at-home
    (agent-q-fs-mcp-tests--set-up "Claude Code" nil nil)
    (should-not (file-exists-p ".mcp.json"))
    (dolist (text '("{\"a\": 1, // why\n}" "[1]" "{\"a\": 1" "{} x"))
      (write-region text nil ".mcp.json" nil 'quiet)
      (should-error (agent-q-fs-mcp-tests--set-up "Claude Code" t nil) :type 'user-error)
      (should (equal text (agent-q-fs-mcp-tests--text ".mcp.json"))))
    (let ((file (expand-file-name "~/.codex/config.toml")))
      (agent-q-fs-mcp-tests--set-up "codex" t)
      (should (equal "[mcp_servers.agent-q-fs]\ncommand = \"/opt/agent-q-fs\"\n\
args = [\"mcp\", \"--emacs\", \"--text-only\"]\n\
env_vars = [\"XDG_RUNTIME_DIR\"]\ndefault_tools_approval_mode = \"approve\"\n"
                     (agent-q-fs-mcp-tests--text file)))
      (should-error (agent-q-fs-mcp-tests--set-up "codex" t) :type 'user-error)
      (with-temp-file file (insert "model = \"x\""))
      (agent-q-fs-mcp-tests--set-up "codex" t)
      (should (string-prefix-p "model = \"x\"\n\n[mcp_servers.agent-q-fs]\n"
                               (agent-q-fs-mcp-tests--text file)))
      (let ((buffer (find-file-noselect file)))
        (with-current-buffer buffer (insert "unsaved"))
        (should-error (agent-q-fs-mcp-tests--set-up "codex" t) :type 'user-error)
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer)))
    (should-error (agent-q-fs-mcp-tests--set-up "mcp.el" t) :type 'user-error)
    (should-error (agent-q-fs-mcp-tests--set-up "another" t) :type 'user-error)))

(ert-deftest agent-q-fs-mcp/setup-of-emacs ()
  "An entry for another package of Emacs is a form that does what it says."
  (agent-q-fs-mcp-tests--at-home
    (defvar mcp-hub-servers)
    (let ((mcp-hub-servers nil))
      (eval (read (agent-q-fs-mcp-setup-entry "mcp.el" "x")) t)
      (should (equal '(("agent-q-fs" :command "x" :args ("mcp" "--emacs" "--text-only")))
                     mcp-hub-servers)))
    (defvar agent-shell-mcp-servers)
    (let ((agent-shell-mcp-servers nil))
      (eval (read (agent-q-fs-mcp-setup-entry "agent-shell" "x")) t)
      (should (equal "x" (alist-get 'command (car agent-shell-mcp-servers)))))))

(ert-deftest agent-q-fs-mcp/manual-has-the-entries ()
  "The manual's page of each agent has what is written, and what switches tools off."
  (let ((manual (with-temp-buffer
                  (insert-file-contents
                   (expand-file-name "../../doc/manual.org"
                                     (file-name-directory (locate-library "agent-q-fs-mcp-tests"))))
                  (replace-regexp-in-string "[ \n]+" " " (buffer-string)))))
    (pcase-dolist (`(,agent . ,_) agent-q-fs-mcp-setup--agents)
      (dolist (text (list (agent-q-fs-mcp-setup-entry agent "agent-q-fs")
                          (or (agent-q-fs-mcp-setup-off agent) "")))
        (should (equal (list agent text t)
                       (list agent text
                             (and (string-search (replace-regexp-in-string "[ \n]+" " " text)
                                                 manual)
                                  t))))))))


;;;; With real keys

(defun agent-q-fs-mcp-tests--page (agent)
  "Return the first example of the manual's page about AGENT, a form."
  (with-temp-buffer
    (insert-file-contents
     (expand-file-name "../../doc/manual.org"
                       (file-name-directory (locate-library "agent-q-fs-mcp-tests"))))
    (re-search-forward (format "^\\*\\*\\* %s$" (regexp-quote agent)))
    (search-forward "#+begin_src elisp")
    (forward-line 1)
    (read (current-buffer))))

(defun agent-q-fs-mcp-tests--chat (port)
  "Return a form for an Emacs that has a chat of gptel with the model at PORT.
It has the tools by mcp.el, as the manual says, and writes the chat to the file chat."
  `(let ((load-path (append ',(split-string (concat (getenv "GPTEL_DIR") path-separator
                                                    (getenv "MCP_EL_DIR"))
                                            path-separator t)
                            load-path)))
     (require 'gptel)
     (require 'gptel-openai)
     (require 'gptel-integrations)
     (require 'mcp-hub)
     ,(agent-q-fs-mcp-tests--page "mcp.el")
     (setq gptel-backend (gptel-make-openai "scripted" :protocol "http" :key "none" :models '(m)
                                            :host ,(format "127.0.0.1:%d" port))
           gptel-model 'm gptel-stream nil gptel-use-tools t gptel-confirm-tool-calls nil)
     (defalias 'run-with-idle-timer #'run-with-timer) ; an Emacs in batch mode never idles
     (gptel-mcp-connect)
     (while (null gptel-tools) (accept-process-output nil 0.1))
     (with-current-buffer (generate-new-buffer "chat")
       (text-mode)
       (insert "Do it.")
       (gptel-send)
       (while (not (string-search "That was all." (buffer-string)))
         (accept-process-output nil 0.1))
       (write-region nil nil "../chat" nil 'quiet))
     (kill-emacs)))

(ert-deftest agent-q-fs-mcp/mcp-el-in-another-emacs ()
  "gptel in a second Emacs, with mcp.el, uses the tools of this one, whose person decides.
Both packages are taken from GPTEL_DIR and MCP_EL_DIR; the latter wants Emacs 30."
  (agent-q-fs-gptel-tests--need)
  (unless (getenv "MCP_EL_DIR")
    (ert-skip "There is no mcp.el: MCP_EL_DIR names no directory"))
  (agent-q-fs-mcp-tests--with '(("a.txt" "one\n") ("kept" "1\n"))
    (let* ((results nil)
           (model (agent-q-fs-gptel-tests--serve
                   (lambda (body)
                     (if (setq results (agent-q-fs-gptel-tests--results body))
                         (agent-q-fs-gptel-tests--message
                          '(:role "assistant" :content "That was all."))
                       (agent-q-fs-gptel-tests--calls
                        '("c1" "edit_file" (:path "a.txt" :old_str "one" :new_str "two"))
                        '("c2" "read_file" (:path "../outside"))
                        '("c3" "delete_file" (:path "kept")))))))
           (process-environment
            (cons (format "PATH=%s:%s" (file-name-directory agent-q-fs-mcp-tests--program)
                          (getenv "PATH"))
                  process-environment))
           (other (make-process
                   :name "emacs" :noquery t :connection-type 'pipe
                   :buffer (generate-new-buffer " *mcp.el*")
                   :command (agent-q-fs-test-emacs-command
                             "--batch" "--eval"
                             (format "%S" (agent-q-fs-mcp-tests--chat
                                           (process-contact model :service)))))))
      (agent-q-fs-test-until (or agent-q-fs-mcp-tests--asked (not (process-live-p other)))
                             (with-current-buffer (process-buffer other) (buffer-string)))
      (agent-q-fs-mcp-tests--decide :decision 'denied :reason "I need it")
      (agent-q-fs-test-until (file-exists-p "../chat")
                             (with-current-buffer (process-buffer other) (buffer-string)))
      (should (equal "two\n" (agent-q-fs-mcp-tests--text "a.txt")))
      (should (equal "1\n" (agent-q-fs-mcp-tests--text "kept")))
      (should (string-search "Edited a.txt" (alist-get "c1" results nil nil #'equal)))
      (should (string-search "outside" (alist-get "c2" results nil nil #'equal)))
      (should (string-search "I need it" (alist-get "c3" results nil nil #'equal))))))

(ert-deftest agent-q-fs-mcp/asks-a-person ()
  "An agent's call is approved and another one denied by keys on a terminal."
  (agent-q-fs-prompt-tests--with '(("a.txt" "one\n"))
      `(progn
         (require 'agent-q-fs-mcp)
         (setenv "XDG_RUNTIME_DIR" (expand-file-name ".."))
         (setq agent-q-fs-mcp-directories nil)
         (agent-q-fs-mcp-mode 1)
         (let ((agent (make-process
                       :name "agent" :noquery t :connection-type 'pipe :coding 'utf-8-unix
                       :filter (lambda (process text)
                                 (process-put process 'text
                                              (concat (process-get process 'text) text)))
                       :command '(,agent-q-fs-mcp-tests--program "mcp" "--emacs" "--text-only"))))
           (process-send-string agent ,(concat "\
{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\
\"capabilities\":{},\"clientInfo\":{\"name\":\"Robot\",\"version\":\"1\"}}}\n\
{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"create_file\",\
\"arguments\":{\"path\":\"new\",\"content\":\"x\"}}}\n"))
           (setq agent-q-fs-prompt-child-later
                 (lambda ()
                   (let ((text (or (process-get agent 'text) "")))
                     (when (and (string-search "\"id\": 2" text) (not (process-get agent 'again)))
                       (process-put agent 'again t)
                       (process-send-string agent ,(concat "\
{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"delete_file\",\
\"arguments\":{\"path\":\"a.txt\"}}}\n")))
                     (when (string-search "\"id\": 3" text)
                       (agent-q-fs-mcp-mode -1)
                       text))))))
    (agent-q-fs-prompt-tests--see "1 request of an agent waits\\|to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--see "Let Robot (MCP) use the tools in")
    (sleep-for 1)
    (agent-q-fs-prompt-tests--type "y")
    (agent-q-fs-prompt-tests--see "^Create new (1 line)")
    (should-not (file-exists-p "new"))
    (sleep-for 1)
    (agent-q-fs-prompt-tests--type "y")
    (agent-q-fs-test-until (equal "x" (agent-q-fs-mcp-tests--text "new")))
    (agent-q-fs-prompt-tests--see "asks: Delete a.txt")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--see "^Delete a.txt (1 line)")
    (sleep-for 1)
    (agent-q-fs-prompt-tests--type "n")
    (agent-q-fs-prompt-tests--answer "Why not" "keep it" "Enter")
    (let ((text (plist-get (agent-q-fs-prompt-tests--result) :value)))
      (should (string-search "keep it" text))
      (should (file-exists-p "a.txt")))))

(provide 'agent-q-fs-mcp-tests)
;;; agent-q-fs-mcp-tests.el ends here

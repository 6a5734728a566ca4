;;; agent-q-fs-gptel-tests.el --- The tools in the real gptel  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; gptel is taken from GPTEL_DIR or the load path; without it, most of these tests are
;; skipped.  GPTEL_DIR is a list of directories, as PATH is: it may also name one with the
;; compat that this gptel wants.  Its requests go to a server of this Emacs, which answers what the test says
;; and keeps what it was sent.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-prompt-tests)
(require 'agent-q-fs-gptel)
(require 'agent-q-fs-job)
(require 'agent-q-fs-exec-run)
(require 'agent-q-fs-undo)
(require 'flymake)

(declare-function gptel--json-encode "ext:gptel-request" (object) t)
(declare-function gptel-abort "ext:gptel-request" (buf))
(declare-function gptel--apply-preset "ext:gptel" (preset &optional setter))
(declare-function gptel-backend-models "ext:gptel-request" (backend) t)
(declare-function gptel-fsm-info "ext:gptel-request" (machine) t)
(declare-function gptel-fsm-state "ext:gptel-request" (machine) t)
(declare-function gptel-make-openai "ext:gptel-openai" (name &rest options))
(declare-function gptel-request "ext:gptel-request" (&optional prompt &rest options))
(declare-function gptel-send "ext:gptel" (&optional arg))
(declare-function gptel-tool-async "ext:gptel-request" (tool))
(declare-function gptel-tool-function "ext:gptel-request" (tool))
(declare-function gptel-tool-name "ext:gptel-request" (tool))
(defvar gptel-backend)
(defvar gptel-confirm-tool-calls)
(defvar gptel-model)
(defvar gptel-stream)
(defvar gptel-tools)
(defvar gptel-use-tools)

(defun agent-q-fs-gptel-tests--need ()
  "Load gptel, or skip the test."
  (dolist (directory (reverse (split-string (or (getenv "GPTEL_DIR") "") path-separator t)))
    (add-to-list 'load-path directory))
  (unless (locate-library "gptel")
    (ert-skip "There is no gptel"))
  (unless (ignore-errors (and (require 'gptel nil t) (require 'gptel-openai)))
    (ert-skip "This gptel cannot be loaded here")))

(ert-deftest agent-q-fs-gptel/no-gptel ()
  (if (fboundp 'gptel-make-tool)
      (ert-skip "There is a gptel")
    (let ((load-path nil))
      (should-error (agent-q-fs-gptel-setup "all") :type 'user-error))))

(defun agent-q-fs-gptel-tests--named-types (schema)
  "Return SCHEMA with the names of types as strings, as gptel sends them."
  (cl-loop for (key value) on schema by #'cddr
           append (list key (pcase key
                              (:type (symbol-name value))
                              (:items (agent-q-fs-gptel-tests--named-types value))
                              (_ value)))))

(ert-deftest agent-q-fs-gptel/json ()
  "The arguments as gptel has them can be sent: its false is :json-false."
  (dolist (spec (agent-q-fs-tool-specs 'gptel))
    (dolist (argument (plist-get spec :args))
      (should (json-serialize (agent-q-fs-gptel-tests--named-types argument)
                              :null-object :null :false-object :json-false)))))

(ert-deftest agent-q-fs-gptel/tools-work ()
  "The real gptel takes the tools, and calls them."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (ws '("a" "one\ntwo\n"))
    (let* ((agent-q-fs-workspace ws)
           (tools (agent-q-fs-gptel-setup "agent-q"))
           (find (lambda (name)
                   (seq-find (lambda (tool) (equal name (gptel-tool-name tool))) tools))))
      (should (equal (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools "agent-q"))
                     (mapcar #'gptel-tool-name tools)))
      (should-not (gptel-tool-async (funcall find "get_file_info")))
      (should (string-search "size: 8" (funcall (gptel-tool-function (funcall find "get_file_info"))
                                                "a")))
      ;; A tool that reads may have to ask, because the file may be a secret.
      (dolist (name '("read_file" "grep_files" "edit_file" "create_file"))
        (should (gptel-tool-async (funcall find name))))
      (let ((answer nil))
        (funcall (gptel-tool-function (funcall find "grep_files"))
                 (lambda (text) (setq answer text)) "two")
        (agent-q-fs-test-until answer)
        (should (string-search "two" answer))
        (funcall (gptel-tool-function (funcall find "create_file"))
                 (lambda (text) (setq answer text)) "b" "x" :json-false)
        (should (string-prefix-p "Error: Approval is required" answer))))))

;; Those of Kagi and PrivateGPT take no tools.
(defconst agent-q-fs-gptel-tests--backends
  '((gptel-openai gptel-make-openai "o" :models (m))
    (gptel-openai gptel-make-azure "az" :models (m) :host "h" :endpoint "/e")
    (gptel-openai-responses gptel-make-openai-responses "or" :models (m))
    (gptel-anthropic gptel-make-anthropic "a" :models (m))
    (gptel-gemini gptel-make-gemini "g" :models (m))
    (gptel-ollama gptel-make-ollama "l" :models (m))
    (gptel-bedrock gptel-make-bedrock "b" :region "r" :aws-bearer-token "t"
                   :models (claude-sonnet-4-20250514))
    (gptel-gh gptel-make-gh-copilot "gh")
    (gptel-openai-extras gptel-make-perplexity "px")
    (gptel-openai-extras gptel-make-deepseek "d")
    (gptel-openai-extras gptel-make-xai "x"))
  "How one backend of each kind is made: (FILE FUNCTION ARGUMENT...).")

(defun agent-q-fs-gptel-tests--sent ()
  "Return what gptel would send to the backend now, as JSON text."
  (gptel--json-encode (plist-get (gptel-fsm-info (gptel-request "Do it." :dry-run t)) :data)))

(ert-deftest agent-q-fs-gptel/every-backend-sends-every-set ()
  "Every tool of the set is sent, in no more bytes than the catalogue says."
  (agent-q-fs-gptel-tests--need)
  (pcase-dolist (`(,file ,make . ,arguments) agent-q-fs-gptel-tests--backends)
    (require file)
    (let* ((gptel-backend (apply make arguments))
           (gptel-model (car (gptel-backend-models gptel-backend)))
           (gptel-use-tools t))
      (dolist (set (agent-q-fs-tool-set-names))
        (let* ((gptel-tools (agent-q-fs-gptel-setup set))
               (sent (agent-q-fs-gptel-tests--sent))
               (most (plist-get (agent-q-fs-spec--core-set set) :bytes)))
          (ert-info ((format "%s %s" make set))
            (dolist (tool (agent-q-fs-tools set))
              (should (string-search (format "\"%s\"" (agent-q-fs-tool-name tool)) sent)))
            (let ((gptel-tools nil))
              (should (<= (- (string-bytes sent) (string-bytes (agent-q-fs-gptel-tests--sent)))
                          (or most most-positive-fixnum))))))))))


;;;; Whole conversations

(defun agent-q-fs-gptel-tests--body (text)
  "Return the body of TEXT, an HTTP request, or nil if it has not come whole."
  (when (string-match "\r\n\r\n" text)
    (let ((body (substring text (match-end 0))))
      (when (and (string-match "^[Cc]ontent-[Ll]ength: \\([0-9]+\\)" text)
                 (<= (string-to-number (match-string 1 text)) (string-bytes body)))
        body))))

(defun agent-q-fs-gptel-tests--message (message)
  "Return the response of OpenAI's interface that has MESSAGE."
  (json-serialize `(:choices [(:index 0 :message ,message :finish_reason "stop")])))

(defun agent-q-fs-gptel-tests--calls (&rest calls)
  "Return a response that asks for CALLS, lists (ID NAME ARGUMENTS)."
  (agent-q-fs-gptel-tests--message
   `( :role "assistant" :content :null
      :tool_calls ,(vconcat
                    (mapcar (pcase-lambda (`(,id ,name ,arguments))
                              `( :id ,id :type "function"
                                 :function (:name ,name
                                            :arguments ,(json-serialize arguments))))
                            calls)))))

(defun agent-q-fs-gptel-tests--serve (answer)
  "Return a server that answers each request by what ANSWER returns for its body."
  (make-network-process
   :name "scripted model" :server t :host 'local :service t :family 'ipv4 :coding 'binary
   :filter (lambda (client text)
             (process-put client 'text (concat (process-get client 'text) text))
             (let ((body (agent-q-fs-gptel-tests--body (process-get client 'text))))
               (when body
                 (let ((bytes (encode-coding-string
                               (funcall answer (json-parse-string body :object-type 'alist))
                               'utf-8)))
                   (process-send-string
                    client (format "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
Content-Length: %d\r\nConnection: close\r\n\r\n%s" (length bytes) bytes))
                   (process-send-eof client)))))))

(defun agent-q-fs-gptel-tests--results (body)
  "Return what the tools answered, as BODY, a request, tells it: an alist by id."
  (cl-loop for message across (alist-get 'messages body)
           when (equal "tool" (alist-get 'role message))
           collect (cons (alist-get 'tool_call_id message) (alist-get 'content message))))

(defmacro agent-q-fs-gptel-tests--with-model (answer &rest body)
  "Run BODY while a model, the function ANSWER, answers gptel's requests."
  (declare (indent 1) (debug t))
  `(let ((server (agent-q-fs-gptel-tests--serve ,answer)))
     (unwind-protect
         (let ((gptel-backend
                (gptel-make-openai "scripted" :protocol "http" :key "none" :models '(m)
                                   :host (format "127.0.0.1:%d"
                                                 (process-contact server :service))))
               (gptel-model 'm) (gptel-stream nil) (gptel-use-tools t)
               (gptel-confirm-tool-calls 'auto)
               (gptel-tools (agent-q-fs-gptel-setup "agent-q")))
           ,@body)
       (delete-process server))))

(defmacro agent-q-fs-gptel-tests--with-chat (chat &rest body)
  "Run BODY with CHAT bound to a new buffer that is current; kill it afterwards."
  (declare (indent 1) (debug t))
  `(let ((,chat (generate-new-buffer "chat")))
     (unwind-protect
         (with-current-buffer ,chat
           (text-mode)
           ,@body)
       (when (buffer-live-p ,chat) (kill-buffer ,chat)))))

(defun agent-q-fs-gptel-tests--send ()
  "Ask the model to do something, in the chat here."
  (goto-char (point-max))
  (insert "Do it.")
  (gptel-send))

(defun agent-q-fs-gptel-tests--script (&rest answers)
  "Return a function that gives ANSWERS, one after the other, and what it was sent.
The value is (FUNCTION . BODIES), where BODIES is a function that returns a list."
  (let ((bodies nil))
    (cons (lambda (body)
            (push body bodies)
            (or (pop answers)
                (agent-q-fs-gptel-tests--message '(:role "assistant" :content "That was all."))))
          (lambda () (reverse bodies)))))

(defmacro agent-q-fs-gptel-tests--asking (asked &rest body)
  "Run BODY while requests are put into ASKED, as (REQUEST . CALLBACK), latest first."
  (declare (indent 1) (debug t))
  `(let* ((,asked nil)
          (agent-q-fs-approval-function (lambda (request callback)
                                          (push (cons request callback) ,asked))))
     (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
       ,@body)))

(ert-deftest agent-q-fs-gptel/two-chats-in-two-projects ()
  "Each chat reads and edits the project that it is in; the model sees the text."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("A/.git/HEAD" "ref: refs/heads/m\n") '("A/.git/objects/" "")
                                  '("A/.git/refs/" "") '("A/who" "I am A\n")
                                  '("B/.git/HEAD" "ref: refs/heads/m\n") '("B/.git/objects/" "")
                                  '("B/.git/refs/" "") '("B/who" "I am B\n"))
    (let (results)
      (agent-q-fs-gptel-tests--with-model
          (lambda (body)
            (let ((told (agent-q-fs-gptel-tests--results body)))
              (if (not told)
                  (agent-q-fs-gptel-tests--calls
                   '("c1" "get_project_root" (:dummy :null)) '("c2" "grep_files" (:pattern "^I "))
                   '("c3" "edit_file" (:path "who" :old_str "am" :new_str "was")))
                (push told results)
                (agent-q-fs-gptel-tests--message '(:role "assistant" :content "That was all.")))))
        (let ((chats (mapcar (lambda (name)
                               (let ((buffer (generate-new-buffer (concat "chat in " name))))
                                 (with-current-buffer buffer
                                   (setq default-directory
                                         (expand-file-name (file-name-as-directory name)))
                                   (text-mode)
                                   (insert "Do it.")
                                   (gptel-send))
                                 buffer))
                             '("A" "B"))))
          (dolist (chat chats)
            (agent-q-fs-test-until
             (with-current-buffer chat (string-search "That was all." (buffer-string)))
             (with-current-buffer chat (buffer-string)))
            (kill-buffer chat))))
      (should (= 2 (length results)))
      (dolist (name '("A" "B"))
        (should (equal (format "I was %s\n" name)
                       (with-temp-buffer
                         (insert-file-contents (concat name "/who"))
                         (buffer-string))))
        (should (seq-some (lambda (told)
                            (and (string-search (concat "/" name "/")
                                                (cdr (assoc "c1" told)))
                                 ;; It runs beside the edit.
                                 (string-match-p (format "I \\(am\\|was\\) %s" name)
                                                 (cdr (assoc "c2" told)))
                                 (string-search "Edited who" (cdr (assoc "c3" told)))))
                          results))))))

(ert-deftest agent-q-fs-gptel/the-model-is-told-what-it-broke ()
  "Flymake's new diagnostics are in the bytes that gptel sends back to the model."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '(".git/HEAD" "ref: refs/heads/m\n") '(".git/objects/" "")
                                  '(".git/refs/" "") '("a.txt" "good\nline\n"))
    (let* ((file (find-file-noselect "a.txt")) (said nil))
      (unwind-protect
          (agent-q-fs-gptel-tests--with-model
              (lambda (body)
                (let ((told (agent-q-fs-gptel-tests--results body)))
                  (if (not told)
                      (agent-q-fs-gptel-tests--calls
                       '("c1" "edit_file" (:path "a.txt" :old_str "good" :new_str "bad")))
                    (setq said (cdr (assoc "c1" told)))
                    (agent-q-fs-gptel-tests--message '(:role "assistant" :content "Oh.")))))
            (with-current-buffer file
              (setq-local flymake-diagnostic-functions
                          (list (lambda (report &rest _)
                                  (goto-char (point-min))
                                  (let ((bad (search-forward "bad" nil t)) (here (current-buffer)))
                                    (run-with-timer
                                     0.05 nil report
                                     (and bad (list (flymake-make-diagnostic
                                                     here 1 bad :error "This is bad"))))))))
              (flymake-mode)
              (flymake-start)
              (agent-q-fs-test-until (flymake-reporting-backends)))
            (agent-q-fs-gptel-tests--with-chat chat
              (insert "Do it.")
              (gptel-send)
              (agent-q-fs-test-until (string-search "Oh." (buffer-string)) (buffer-string)))
            (should (string-search "\nNew diagnostics (flymake):\na.txt:1: error: This is bad\n"
                                   said)))
        (kill-buffer file)))))

(ert-deftest agent-q-fs-gptel/the-directory-is-that-of-the-request ()
  "A chat that goes elsewhere while the model thinks still means where it was."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("A/who" "I am A\n") '("B/who" "I am B\n"))
    (let ((script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls '("c1" "read_file" (:path "who"))
                                                  '("c2" "grep_files" (:pattern "I am"))))))
      (agent-q-fs-gptel-tests--with-model (car script)
        (agent-q-fs-gptel-tests--with-chat chat
          (setq default-directory (expand-file-name "A/"))
          (agent-q-fs-gptel-tests--send)
          (setq default-directory (expand-file-name "../B/"))
          (agent-q-fs-test-until (string-search "That was all." (buffer-string)))))
      (pcase-dolist (`(,_ . ,text) (agent-q-fs-gptel-tests--results
                                    (nth 1 (funcall (cdr script)))))
        (should (string-search "I am A" text))))))

(ert-deftest agent-q-fs-gptel/a-tool-that-is-not-there ()
  "A model that calls a tool it was not given is told so, and the chat goes on.
It may know the tool from earlier in the chat, where it had another set."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (dolist (confirm '(auto t))
      (let ((script (agent-q-fs-gptel-tests--script
                     (agent-q-fs-gptel-tests--calls '("c1" "Bash" (:command "ls"))
                                                    '("c2" "Bash" (:command "id"))
                                                    '("c3" "edit_file" (:path "b"))))))
        (agent-q-fs-gptel-tests--with-model (car script)
          (let ((gptel-confirm-tool-calls confirm)
                (gptel-tools (agent-q-fs-gptel-setup "read-only")))
            (agent-q-fs-gptel-tests--with-chat chat
              (agent-q-fs-gptel-tests--send)
              (agent-q-fs-test-until (string-search "That was all." (buffer-string))))
            (should-not (member "Bash" (mapcar #'gptel-tool-name gptel-tools)))))
        (let* ((bodies (funcall (cdr script)))
               (told (agent-q-fs-gptel-tests--results (nth 1 bodies))))
          (dolist (call '(("c1" . "Bash") ("c2" . "Bash") ("c3" . "edit_file")))
            (should (string-match-p
                     (format "\\`Error: There is no tool %s here; there are [a-z_, ]+\\'"
                             (cdr call))
                     (cdr (assoc (car call) told)))))
          (should (equal (alist-get 'tools (car bodies)) (alist-get 'tools (nth 1 bodies)))))))))

(ert-deftest agent-q-fs-gptel/parallel-calls ()
  "Calls of one answer have each its own result, also if a person decides in between."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n") '("b" "two\n"))
    (let ((script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls
                    '("c1" "create_file" (:path "new" :content "n\n"))
                    '("c2" "grep_files" (:pattern "two"))
                    '("c3" "delete_file" (:path "b"))
                    '("c4" "edit_file" (:path "a" :old_str "one" :new_str "1"))))))
      (agent-q-fs-gptel-tests--asking asked
        (agent-q-fs-gptel-tests--with-model (car script)
          (agent-q-fs-gptel-tests--with-chat chat
            (agent-q-fs-gptel-tests--send)
            (agent-q-fs-test-until (= 2 (length asked)))
            (funcall (cdar asked) '(:decision denied :reason "I need it"))
            (funcall (cdadr asked) '(:decision approved))
            (agent-q-fs-test-until (string-search "That was all." (buffer-string))))))
      (let ((told (agent-q-fs-gptel-tests--results (nth 1 (funcall (cdr script))))))
        (should (string-search "Created new" (cdr (assoc "c1" told))))
        (should (string-search "b:1:two" (cdr (assoc "c2" told))))
        (should (string-search "denied delete_file: I need it" (cdr (assoc "c3" told))))
        (should (string-search "Edited a" (cdr (assoc "c4" told)))))
      (should (file-exists-p "new"))
      (should (file-exists-p "b"))
      (should-not agent-q-fs-gptel--calls))))

(ert-deftest agent-q-fs-gptel/commands ()
  "A chat runs a command, is denied one, and keeps a session over its calls."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (let* ((told nil) (session nil)
           (say (lambda (id) (cdr (assoc id told))))
           (answer
            (lambda (body)
              (setq told (agent-q-fs-gptel-tests--results body))
              (cond
               ((null told)
                (agent-q-fs-gptel-tests--calls
                 '("c1" "shell" (:command "cat a; touch made"))
                 '("c2" "shell" (:command "touch denied"))
                 '("c3" "exec_command" (:cmd "cat" :yield_time_ms 0))))
               ((null (funcall say "c4"))
                (string-match "Session \\([0-9]+\\) is running" (funcall say "c3"))
                (setq session (string-to-number (match-string 1 (funcall say "c3"))))
                (agent-q-fs-gptel-tests--calls
                 `("c4" "write_stdin" (:session_id ,session :chars "hello\n\4" :yield_time_ms 300000))))
               (t (agent-q-fs-gptel-tests--message '(:role "assistant" :content "That was all."))))))
           (agent-q-fs-approval-function
            (lambda (request callback)
              (funcall callback
                       (if (equal "touch denied"
                                  (plist-get (agent-q-fs-request-arguments request) :command))
                           '(:decision denied :reason "Not this")
                         '(:decision approved))))))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (agent-q-fs-gptel-tests--with-model answer
          (setq gptel-tools (append (agent-q-fs-gptel-setup "commands") gptel-tools))
          (agent-q-fs-gptel-tests--with-chat chat
            (agent-q-fs-gptel-tests--send)
            (agent-q-fs-test-until (string-search "That was all." (buffer-string))))))
      (should (string-match-p "\\`Exit status 0 .*\nstdout:\none\n" (funcall say "c1")))
      (should (equal "Error: The user denied shell: Not this" (funcall say "c2")))
      (should (string-match-p "\\`Exit status 0 .*\noutput:\nhello\n" (funcall say "c4")))
      (should (file-exists-p "made"))
      (should-not (file-exists-p "denied"))
      (should-not agent-q-fs-exec-run--all))))

(defun agent-q-fs-gptel-tests--given-up (give-up)
  "Have the chat here ask to create a file, search and run a command, and GIVE-UP, a function.
Check that nothing is left of that."
  (let* ((script (agent-q-fs-gptel-tests--script
                  (agent-q-fs-gptel-tests--calls
                   '("c1" "create_file" (:path "new" :content "n"))
                   '("c2" "shell" (:command "touch began; sleep 1000; touch ended")))))
         (tools nil) (said nil))
    (agent-q-fs-gptel-tests--asking asked
      (agent-q-fs-gptel-tests--with-model (car script)
        (setq gptel-tools (append (agent-q-fs-gptel-setup "commands") gptel-tools))
        (agent-q-fs-gptel-tests--with-chat chat
          (agent-q-fs-gptel-tests--send)
          (agent-q-fs-test-until (= 2 (length asked)))
          (funcall (cdr (seq-find (lambda (entry)
                                    (equal "shell" (agent-q-fs-request-tool (car entry))))
                                  asked))
                   '(:decision approved))
          (agent-q-fs-test-until (file-exists-p "began"))
          (setq tools agent-q-fs-gptel--calls)
          (should (= 2 (length tools)))
          (cl-letf (((symbol-function 'message)
                     (lambda (&rest words) (push (apply #'format-message words) said))))
            (funcall give-up chat)
            (should-not agent-q-fs-gptel--calls)
            ;; The person says yes, too late.
            (funcall (cdr (seq-find (lambda (entry)
                                      (equal "create_file" (agent-q-fs-request-tool (car entry))))
                                    asked))
                     '(:decision approved))
            (agent-q-fs-test-until (not (seq-remove #'agent-q-fs-exec-run-ended
                                                    agent-q-fs-exec-run--all))))))
      (should-not (file-exists-p "new"))
      (should-not (file-exists-p "ended"))
      (should-not (seq-find (lambda (words) (string-search "error in" words)) said))
      ;; The model is told nothing more.
      (should (= 1 (length (funcall (cdr script))))))
    (nth 1 (car tools))))

(ert-deftest agent-q-fs-gptel/abort ()
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (let ((machine (agent-q-fs-gptel-tests--given-up #'gptel-abort)))
      (should (eq 'ABRT (gptel-fsm-state machine))))))

(ert-deftest agent-q-fs-gptel/the-chat-is-killed ()
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (agent-q-fs-gptel-tests--given-up #'kill-buffer)))

(ert-deftest agent-q-fs-gptel/a-search-ends-with-its-chat ()
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (agent-q-fs-test-long-grep 200 7)
    (let ((script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls
                    '("c1" "grep_files" (:pattern "(x+x+)+y|needle$" :max_results 1)))))
          (job nil))
      (agent-q-fs-gptel-tests--with-model (car script)
        (agent-q-fs-gptel-tests--with-chat chat
          (cl-letf* ((begin (symbol-function 'agent-q-fs-call-async))
                     ((symbol-function 'agent-q-fs-call-async)
                      (lambda (&rest arguments)
                        (setq job (apply begin arguments))
                        (gptel-abort chat)
                        job)))
            (agent-q-fs-gptel-tests--send)
            (agent-q-fs-test-until job)))
        (agent-q-fs-test-until (not (eq 'running (agent-q-fs-job-state job)))))
      (should (= 1 (length (funcall (cdr script))))))))

(ert-deftest agent-q-fs-gptel/deny-and-stop ()
  "The request ends: no other call is made, and the model is told nothing."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (let ((script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls
                    '("c1" "create_file" (:path "new" :content "n"))
                    '("c2" "delete_file" (:path "a")))))
          (events nil))
      (agent-q-fs-gptel-tests--asking asked
        (agent-q-fs-gptel-tests--with-model (car script)
          (agent-q-fs-gptel-tests--with-chat chat
            (agent-q-fs-gptel-tests--send)
            (agent-q-fs-test-until (= 2 (length asked)))
            (let ((machine (nth 1 (car agent-q-fs-gptel--calls)))
                  (agent-q-fs-event-functions (list (lambda (event) (push event events)))))
              (funcall (cdar asked) '(:decision denied :stop t))
              (should (eq 'ABRT (gptel-fsm-state machine)))
              (funcall (cdadr asked) '(:decision approved)))
            (should-not agent-q-fs-gptel--calls))))
      (should (equal '(denied denied)
                     (mapcar (lambda (event) (plist-get event :decision)) events)))
      (should (= 1 (length (funcall (cdr script)))))
      (should (file-exists-p "a"))
      (should-not (file-exists-p "new")))))

(ert-deftest agent-q-fs-gptel/one-question-a-call ()
  "Where gptel confirms all calls, it asks about those that we do not, and we about the others."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (dolist (policy '(tiered never))
      (let ((agent-q-fs-policy policy)
            (script (agent-q-fs-gptel-tests--script
                     (agent-q-fs-gptel-tests--calls
                      '("c1" "read_file" (:path "a"))
                      '("c2" "edit_file" (:path "a" :old_str "one" :new_str "1"))
                      '("c3" "create_file" (:path "new" :content "n"))))))
        (agent-q-fs-gptel-tests--asking asked
          (agent-q-fs-gptel-tests--with-model (car script)
            (let ((confirmed nil))
              (setq gptel-confirm-tool-calls t)
              (agent-q-fs-gptel-tests--with-chat chat
                (cl-letf (((symbol-function 'gptel--display-tool-calls)
                           (lambda (calls &rest _)
                             (pcase-dolist (`(,tool ,_ ,done) calls)
                               (push (gptel-tool-name tool) confirmed)
                               (funcall done (funcall (gptel-tool-function tool) "a"))))))
                  (agent-q-fs-gptel-tests--send)
                  (agent-q-fs-test-until (and confirmed (= 2 (length asked))))
                  (dolist (entry asked)
                    (funcall (cdr entry) '(:decision denied)))
                  (agent-q-fs-test-until (string-search "That was all." (buffer-string)))))
              (should (equal '("read_file") confirmed))
              (should (equal '("create_file" "edit_file")
                             (mapcar (lambda (entry) (agent-q-fs-request-tool (car entry)))
                                     asked))))))
        (should-not (file-exists-p "new"))))))

(ert-deftest agent-q-fs-gptel/the-preset ()
  "The preset chooses the tools, and its system prompt is about the project of the chat."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("A/a" "one\n"))
    (let ((script (agent-q-fs-gptel-tests--script)))
      (agent-q-fs-gptel-tests--with-model (car script)
        (agent-q-fs-gptel-setup "read-only")
        (agent-q-fs-gptel-tests--with-chat chat
          (setq default-directory (expand-file-name "A/"))
          (gptel--apply-preset 'agent-q-fs
                               (lambda (variable value)
                                 (set (make-local-variable variable) value)))
          (agent-q-fs-gptel-tests--send)
          (agent-q-fs-test-until (string-search "That was all." (buffer-string)))))
      (let* ((body (car (funcall (cdr script))))
             (system (alist-get 'content (aref (alist-get 'messages body) 0))))
        (should (string-search (format "in %s" (expand-file-name "A/")) system))
        (should (string-search "# Files" system))
        (should (equal (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools "read-only"))
                       (mapcar (lambda (tool) (alist-get 'name (alist-get 'function tool)))
                               (alist-get 'tools body))))))))

(ert-deftest agent-q-fs-gptel/sets-that-are-asked-for ()
  "The command asks for one set or several, has a default, and says which sets gptel got."
  (agent-q-fs-gptel-tests--need)
  (let* ((gptel-model "gpt-5.1-codex") (asked nil) (chosen nil)
         (setup (lambda (answer)
                  (cl-letf (((symbol-function 'completing-read-multiple)
                             (lambda (prompt &rest _) (setq asked prompt) answer))
                            ((symbol-function 'message)
                             (lambda (words &rest values)
                               (setq chosen (apply #'format words values)))))
                    (mapcar #'gptel-tool-name
                            (call-interactively #'agent-q-fs-gptel-setup))))))
    (should (member "shell" (funcall setup '("coding" "commands"))))
    (should (string-search "(default gpt)" asked))
    (should (string-match-p "\\`gptel has the [0-9]+ tools of coding and commands: " chosen))
    (should (equal (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools "coding"))
                   (funcall setup '("coding"))))
    (should (string-search " 8 tools of coding: " chosen))))

(ert-deftest agent-q-fs-gptel/the-first-prompt-has-the-tools ()
  "Set up in an init file while the core was not built, nothing fails and no prompt is lost.
The preset makes the tools when the first prompt names it."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("A/a" "one\n"))
    (let ((script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls '("c1" "read_file" (:path "a")))))
          made)
      (agent-q-fs-gptel-tests--with-model (car script)
        (setq gptel-tools nil)
        (cl-letf (((symbol-function 'agent-q-fs-module-at-hand-p) #'ignore)
                  ((symbol-function 'agent-q-fs-tool-specs)
                   (lambda (&rest _) (error "The core is not built"))))
          (let ((this-command nil) (noninteractive nil))
            (should-not (agent-q-fs-gptel-setup "read-only"))))
        (advice-add 'agent-q-fs-gptel--make-tools :before (lambda (set) (push set made))
                    '((name . count)))
        (unwind-protect
            (agent-q-fs-gptel-tests--with-chat chat
              (setq default-directory (expand-file-name "A/"))
              (insert "@agent-q-fs ")
              (agent-q-fs-gptel-tests--send)
              (agent-q-fs-test-until (string-search "That was all." (buffer-string))))
          (advice-remove 'agent-q-fs-gptel--make-tools 'count))
        (should (equal '("read-only") made)))
      (let ((bodies (funcall (cdr script))))
        (should (equal (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools "read-only"))
                       (mapcar (lambda (tool) (alist-get 'name (alist-get 'function tool)))
                               (alist-get 'tools (car bodies)))))
        (should (string-search "one" (cdr (assoc "c1" (agent-q-fs-gptel-tests--results
                                                       (nth 1 bodies))))))))))

(ert-deftest agent-q-fs-gptel/a-root-that-was-replaced ()
  "The calls of a chat go to the directory that is there now."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (_ws '("A/who" "I am A\n"))
    (let ((script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls '("c1" "read_file" (:path "who")))
                   (agent-q-fs-gptel-tests--message '(:role "assistant" :content "First."))
                   (agent-q-fs-gptel-tests--calls '("c2" "read_file" (:path "who"))))))
      (agent-q-fs-gptel-tests--with-model (car script)
        (agent-q-fs-gptel-tests--with-chat chat
          (setq default-directory (expand-file-name "A/"))
          (agent-q-fs-gptel-tests--send)
          (agent-q-fs-test-until (string-search "First." (buffer-string)))
          (rename-file "../A" "../old")
          (make-directory (expand-file-name "../A"))
          (write-region "I am new\n" nil "../A/who" nil 'quiet)
          (agent-q-fs-gptel-tests--send)
          (agent-q-fs-test-until (string-search "That was all." (buffer-string)))))
      (let ((told (agent-q-fs-gptel-tests--results (nth 3 (funcall (cdr script))))))
        (should (string-search "I am new" (cdr (assoc "c2" told))))))))

(ert-deftest agent-q-fs-gptel/a-killed-chat-shows-nothing ()
  "The request of a chat goes with the chat."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (ws '("a" "one\n"))
    (let ((agent-q-fs-workspace ws) (agent-q-fs-prompt-notice nil)
          (script (agent-q-fs-gptel-tests--script
                   (agent-q-fs-gptel-tests--calls '("c1" "delete_file" (:path "a"))
                                                  '("c2" "create_file" (:path "b" :content "x"))))))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (agent-q-fs-gptel-tests--with-model (car script)
          (agent-q-fs-gptel-tests--with-chat chat
            (agent-q-fs-gptel-tests--send)
            (agent-q-fs-test-until (cdr (agent-q-fs-prompt-waiting)))
            (let ((text (overlay-get (nth 1 agent-q-fs-gptel--preview) 'after-string)))
              (should (string-search "Delete a (1 line)" text))
              (should (string-search "[1 more]" text)))
            (should-not (string-search "Delete" (buffer-string)))
            (kill-buffer chat)
            (should-not (agent-q-fs-prompt-waiting))
            (should-not agent-q-fs-gptel--previewing))))
      (should (file-exists-p "a"))
      (should-not (file-exists-p "b")))))

(ert-deftest agent-q-fs-gptel/the-key-works-where-gptel-leaves-point ()
  "The words in the chat name a key: it opens the request from the end of the prompt on.
Before that, the key is the mode's own."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-test-with-tree (ws '("a" "one\n"))
    (let* ((agent-q-fs-workspace ws) (agent-q-fs-prompt-notice nil)
           (call (json-parse-string
                  (agent-q-fs-gptel-tests--calls '("c1" "delete_file" (:path "a")))
                  :object-type 'plist))
           (script (agent-q-fs-gptel-tests--script
                    (progn
                      (plist-put (plist-get (aref (plist-get call :choices) 0) :message)
                                 :content "First I say much.\n\nThen more.\n")
                      (json-serialize call))))
           (command (lambda () (key-binding (kbd "C-c C-c")))))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (agent-q-fs-gptel-tests--with-model (car script)
          (agent-q-fs-gptel-tests--with-chat chat
            (insert "Something from before.\n\n")
            (save-window-excursion
              (switch-to-buffer chat)
              (agent-q-fs-gptel-tests--send)
              (let ((end (point)))
                (agent-q-fs-test-until (agent-q-fs-prompt-waiting))
                (should (string-search "Then more." (buffer-string)))
                (should (= end (point)))
                (should (eq 'agent-q-fs-gptel-open (funcall command)))
                (goto-char (point-max))
                (should (eq 'agent-q-fs-gptel-open (funcall command)))
                (goto-char (point-min))
                (should-not (eq 'agent-q-fs-gptel-open (funcall command)))))))))))

(ert-deftest agent-q-fs-gptel/a-prompt-is-a-turn ()
  "The review has a turn for each prompt of each chat, also of calls that were asked about."
  (agent-q-fs-gptel-tests--need)
  (let ((agent-q-fs-state-directory (make-temp-file "aqfs-state-" t)))
    (agent-q-fs-test-with-tree (ws '("a" "one\n"))
      (let ((agent-q-fs-workspace ws)
            (script (agent-q-fs-gptel-tests--script
                     (agent-q-fs-gptel-tests--calls
                      '("c1" "edit_file" (:path "a" :old_str "one" :new_str "1"))
                      '("c2" "create_file" (:path "b" :content "b\n")))
                     (agent-q-fs-gptel-tests--message '(:role "assistant" :content "First."))
                     (agent-q-fs-gptel-tests--calls
                      '("c3" "create_file" (:path "c" :content "c\n"))))))
        (agent-q-fs-gptel-tests--asking asked
          (agent-q-fs-gptel-tests--with-model (car script)
            (agent-q-fs-gptel-tests--with-chat chat
              (dolist (end '("First." "That was all."))
                (agent-q-fs-gptel-tests--send)
                (agent-q-fs-test-until asked)
                (funcall (cdr (pop asked)) '(:decision approved))
                (agent-q-fs-test-until (string-search end (buffer-string)))))))
        (should (equal '(1 2)
                       (mapcar #'length
                               (agent-q-fs-kept--turns
                                (agent-q-fs-kept--agents (agent-q-fs-kept--calls ws))))))))
    (delete-directory agent-q-fs-state-directory t)))

(ert-deftest agent-q-fs-gptel/a-request-in-its-chat ()
  "A request is shown in its chat, where a key opens it and none decides."
  (agent-q-fs-gptel-tests--need)
  (agent-q-fs-prompt-tests--with '(("ideas" "one idea\n"))
      '(progn
         (require 'agent-q-fs-gptel-tests)
         (agent-q-fs-gptel-tests--need)
         (setq agent-q-fs-prompt-delay 1 agent-q-fs-prompt-stay 0)
         (let* ((script (agent-q-fs-gptel-tests--script
                         (agent-q-fs-gptel-tests--calls
                          '("c1" "create_file" (:path "new" :content "first line\n"))
                          '("c2" "delete_file" (:path "ideas")))
                         (agent-q-fs-gptel-tests--calls
                          `("c3" "create_file"
                            (:path "long" :content ,(mapconcat #'number-to-string
                                                               (number-sequence 1 60) "\n"))))))
                (server (agent-q-fs-gptel-tests--serve (car script))))
           (switch-to-buffer "chat")
           (text-mode)
           (setq default-directory (agent-q-fs-workspace-root ws)
                 gptel-backend (gptel-make-openai
                                "scripted" :protocol "http" :key "none" :models '(m)
                                :host (format "127.0.0.1:%d" (process-contact server :service)))
                 gptel-model 'm gptel-stream nil gptel-use-tools t gptel-confirm-tool-calls 'auto
                 gptel-tools (agent-q-fs-gptel-setup "agent-q")
                 agent-q-fs-prompt-child-later
                 (lambda ()
                   (when (with-current-buffer "chat" (string-search "That was all." (buffer-string)))
                     (set-buffer-modified-p nil)
                     (list (agent-q-fs-gptel-tests--results (car (last (funcall (cdr script)))))
                           (with-current-buffer "chat" (buffer-string))))))
           (agent-q-fs-gptel-tests--send)))
    (agent-q-fs-prompt-tests--see "^C-c C-c opens this request.*1 more")
    (agent-q-fs-prompt-tests--see "^Create new (1 line)[^$]*\\+first line")
    (agent-q-fs-prompt-tests--type "m" "y")
    (agent-q-fs-prompt-tests--see "^my")
    (agent-q-fs-prompt-tests--type "C-c" "C-c")
    (agent-q-fs-prompt-tests--see "y do it")
    (should-not (file-exists-p "new"))
    (agent-q-fs-prompt-tests--answer "y do it.*\nCreate new" "y")
    (agent-q-fs-prompt-tests--answer "y do it.*\nDelete ideas (1 line)" "n")
    (agent-q-fs-prompt-tests--answer "Why not" "I need them" "Enter")
    (should (equal "first line\n" (agent-q-fs-prompt-tests--text "new")))
    ;; The chat shows the beginning of what is long.
    (agent-q-fs-prompt-tests--see "^C-c C-c opens this request$")
    (agent-q-fs-prompt-tests--type "C-c" "C-c")
    (agent-q-fs-prompt-tests--answer "y do it.*\nCreate long" "y")
    (pcase-let ((`(,results ,text) (plist-get (agent-q-fs-prompt-tests--result) :value)))
      (should (string-prefix-p "Created new" (cdr (assoc "c1" results))))
      (should (equal "Error: The user denied delete_file: I need them" (cdr (assoc "c2" results))))
      (should (string-prefix-p "Created long" (cdr (assoc "c3" results))))
      (should (equal "one idea\n" (agent-q-fs-prompt-tests--text "ideas")))
      (should (string-search "my" text))
      (should-not (string-match-p "risk)\\|opens this" text)))))

(provide 'agent-q-fs-gptel-tests)
;;; agent-q-fs-gptel-tests.el ends here

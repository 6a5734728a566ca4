;;; agent-q-fs-gptel-tests.el --- The tools in the real gptel  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; gptel is taken from GPTEL_DIR or the load path; without it, most of these tests are
;; skipped.  Its requests go to a server of this Emacs, which answers what the test says
;; and keeps what it was sent.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-spec)

(declare-function gptel--json-encode "ext:gptel-request" (object) t)
(declare-function gptel--parse-tools "ext:gptel-request" (backend tools))
(declare-function gptel-make-anthropic "ext:gptel-anthropic" (name &rest options))
(declare-function gptel-make-gemini "ext:gptel-gemini" (name &rest options))
(declare-function gptel-make-ollama "ext:gptel-ollama" (name &rest options))
(declare-function gptel-make-openai "ext:gptel-openai" (name &rest options))
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
  (when (getenv "GPTEL_DIR")
    (add-to-list 'load-path (getenv "GPTEL_DIR")))
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
  "What gptel is told of the arguments can be sent: its false is :json-false."
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
      (should-not (gptel-tool-async (funcall find "read_file")))
      (should (equal "two\n" (funcall (gptel-tool-function (funcall find "read_file"))
                                      "a" 2 nil nil nil nil nil nil)))
      (dolist (name '("grep_files" "edit_file" "create_file"))
        (should (gptel-tool-async (funcall find name))))
      (let ((answer nil))
        (funcall (gptel-tool-function (funcall find "grep_files"))
                 (lambda (text) (setq answer text)) "two")
        (agent-q-fs-test-until answer)
        (should (string-search "two" answer))
        (funcall (gptel-tool-function (funcall find "create_file"))
                 (lambda (text) (setq answer text)) "b" "x" :json-false)
        (should (string-prefix-p "Error: Approval is required" answer))))))

(ert-deftest agent-q-fs-gptel/every-backend-sends-every-set ()
  (agent-q-fs-gptel-tests--need)
  (require 'gptel-anthropic)
  (require 'gptel-gemini)
  (require 'gptel-ollama)
  (dolist (backend (list (gptel-make-openai "o" :models '(m)) (gptel-make-anthropic "a" :models '(m))
                         (gptel-make-gemini "g" :models '(m)) (gptel-make-ollama "l" :models '(m))))
    (dolist (set (agent-q-fs-tool-set-names))
      (let* ((tools (agent-q-fs-gptel-setup set))
             (sent (gptel--json-encode (list :tools (gptel--parse-tools backend tools)))))
        (dolist (tool (agent-q-fs-tools set))
          (should (string-search (format "\"%s\"" (agent-q-fs-tool-name tool)) sent)))))))


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
                   '("c1" "get_project_root" (:dummy :null)) '("c2" "grep_files" (:pattern "I am"))
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
                                 (string-search (concat "I am " name) (cdr (assoc "c2" told)))
                                 (string-search "Edited who" (cdr (assoc "c3" told)))))
                          results))))))

(provide 'agent-q-fs-gptel-tests)
;;; agent-q-fs-gptel-tests.el ends here

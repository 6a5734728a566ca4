;;; agent-q-fs-tools-tests.el --- Tests of calls by models  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'json)

(defmacro agent-q-fs-tools-tests-each-parser (spec &rest body)
  "Run BODY with VARIABLE bound to TEXT, as each of Emacs' JSON parsers reads it.
SPEC is (VARIABLE TEXT)."
  (declare (indent 1) (debug ((symbolp form) body)))
  (let ((parse (make-symbol "parse")) (text (make-symbol "text")))
    `(let ((,text ,(cadr spec)))
       (dolist (,parse agent-q-fs-tools-tests--parsers)
         (let ((,(car spec) (funcall ,parse ,text)))
           ,@body)))))

(defconst agent-q-fs-tools-tests--parsers
  (append
   (list (lambda (text) (json-read-from-string text))
         (lambda (text) (let ((json-object-type 'plist)) (json-read-from-string text)))
         (lambda (text) (let ((json-object-type 'hash-table) (json-array-type 'list)
                              (json-key-type 'string))
                          (json-read-from-string text)))
         (lambda (text) (let ((json-object-type 'hash-table) (json-key-type 'keyword))
                          (json-read-from-string text)))
         (lambda (text) (let ((json-key-type 'string) (json-false :false))
                          (json-read-from-string text))))
   (and (fboundp 'json-parse-string)
        (list (lambda (text) (json-parse-string text))
              (lambda (text) (json-parse-string text :object-type 'alist))
              (lambda (text) (json-parse-string text :object-type 'plist :array-type 'list
                                                :false-object nil :null-object nil)))))
  "Functions that parse JSON text in all the ways that Emacs packages do.")

(ert-deftest agent-q-fs-tools/every-parser ()
  (agent-q-fs-test-with-tree (ws '("a" "one\ntwo\n") '("b" "") '(".c" ""))
    (agent-q-fs-tools-tests-each-parser (arguments "{\"path\": \"a\", \"start_line\": 2,
                                  \"line_numbers\": false, \"encoding\": null}")
      (should (string-search "two" (agent-q-fs-call-tool "read_file" arguments ws))))
    (agent-q-fs-tools-tests-each-parser (arguments "{\"exclude_patterns\": [\"a\"],
                                                     \"show_hidden\": true}")
      (let ((text (agent-q-fs-call-tool "list_directory" arguments ws)))
        (should (string-search ".c" text))
        (should-not (string-match-p " a\n" text))))
    (agent-q-fs-tools-tests-each-parser (arguments "{}")
      (should (string-search default-directory
                             (agent-q-fs-call-tool 'get_project_root arguments ws))))))

(ert-deftest agent-q-fs-tools/failures-are-text ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (dolist (call `(("read_file" (:path "nope")) ("read_file" (:path "../a"))
                    ("read_file" nil) ("read_file" (:path "a" :bogus 1))
                    ("read_file" ((path . "a") (path . "b")))
                    ("read_file" (:path)) ("read_file" (path . "a"))
                    ("read_file" 5) ("read_file" "path") ("read_file" [path "a"])
                    ("read_file" (5 6)) ("read_file" ((nil . 5)))
                    ("read_file" ((path . ,(current-buffer))))
                    ("read_file" ((path . "\377"))) ("read_file" (("\377" . "a")))
                    ("read_file" ((path (x . 5)))) ("read_file" ((path (,(make-string 99 ?A) . 5))))
                    ("no_such_tool" nil) (5 nil) (nil nil) ("" nil) ("read_file\0" (:path "a"))))
      (let ((text (agent-q-fs-call-tool (car call) (cadr call) ws)))
        (should (string-prefix-p "Error: " text))
        (should-not (text-properties-at 0 text))))
    (should (string-prefix-p "Error: " (agent-q-fs-call-tool "read_file" '(:path "a") 5)))
    (should (string-prefix-p "x" (agent-q-fs-call-tool "read_file" '(:path "a") ws)))))

(ert-deftest agent-q-fs-tools/circular-arguments ()
  (agent-q-fs-test-with-tree (ws)
    (let ((list (list 'path "a")) (vector (vector nil)) (alist (list '(path . "a"))))
      (setcdr (cdr list) list)
      (aset vector 0 vector)
      (setcdr alist alist)
      (dolist (arguments (list list alist `(:path ,vector) `((exclude_patterns . ,list))))
        (should (string-prefix-p "Error: "
                                 (agent-q-fs-call-tool "list_directory" arguments ws)))))))

(ert-deftest agent-q-fs-tools/ten-megabytes ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (should (string-prefix-p
             "Error: "
             (agent-q-fs-call-tool "read_file" `((path . ,(make-string 10000000 ?é))) ws)))))

(ert-deftest agent-q-fs-tools/no-names-are-kept ()
  "Names that a model makes up do not stay in Emacs."
  (agent-q-fs-test-with-tree (ws)
    (let ((arguments (make-hash-table :test #'equal))
          (name (concat "made_up_" "name_qzx")))
      (puthash name 1 arguments)
      (should (string-search name (agent-q-fs-call-tool "read_file" arguments ws)))
      (should-not (intern-soft name))
      (should-not (intern-soft (concat ":" name))))))

(ert-deftest agent-q-fs-tools/nested-objects ()
  "Objects inside arguments become property lists, with every parser."
  (agent-q-fs-tools-tests-each-parser
      (arguments "{\"edits\": [{\"old_str\": \"a\", \"n\": [1, 2]}, {\"old_str\": \"b\"}]}")
    (let ((plist (agent-q-fs-arguments-plist arguments)))
      (should (equal (append (cadr plist) nil)
                     (if (vectorp (plist-get (elt (cadr plist) 0) :n))
                         '((:old_str "a" :n [1 2]) (:old_str "b"))
                       '((:old_str "a" :n (1 2)) (:old_str "b"))))))))

(ert-deftest agent-q-fs-tools/text-is-plain ()
  "Text for a model has no properties and no raw bytes."
  (should (equal-including-properties (agent-q-fs-audit-plain (propertize "a" 'face 'bold)) "a"))
  (should (equal (agent-q-fs-audit-plain "a\377é") "a\\377é"))
  (should (equal (agent-q-fs-audit-plain (unibyte-string 97 255)) "a\\377")))

(ert-deftest agent-q-fs-tools/arguments-as-text ()
  "JSON text is an object too; a tool that takes only text takes it plain."
  (agent-q-fs-test-with-tree (ws '("a" "one\ntwo\n"))
    (should (string-prefix-p "two\n" (agent-q-fs-call-tool "read_file" "{\"path\":\"a\",\"start_line\":2.0}" ws)))
    (should (equal "Error: arguments: expected an object"
                   (agent-q-fs-call-tool "read_file" "{\"path\":" ws)))
    (should (string-match-p "\\`modified a (\\+1 -1), version [0-9a-f]+\n\\'"
                   (agent-q-fs-call-tool "apply_patch_freeform" "*** Begin Patch
*** Update File: a
@@
-one
+1
*** End Patch
" ws)))
    (should (equal "1\ntwo\n" (agent-q-fs-call-tool "read_file" "  {\"path\": \"a\"}" ws)))))

(ert-deftest agent-q-fs-tools/hostile-json ()
  "Threat 134: long, deep, broken and odd JSON text is refused in words."
  (agent-q-fs-test-with-tree (ws)
    (dolist (text (list (concat "{\"path\":\"" (make-string 10000000 ?x) "\"}")
                        (concat "{\"path\":" (make-string 100000 ?\[))
                        (concat "{\"path\":" (make-string 100000 ?\[) (make-string 100000 ?\]) "}")
                        (make-string 10000000 ?x) "{\"path\":\"a\\ud800\"}" "{}" "null" "[]" ""
                        "{\"path\":null}" "{\"path\":\"a\"}x" "{\"path\":1e999}"))
      (should (string-prefix-p "Error: " (agent-q-fs-call-tool "read_file" text ws))))))

(defmacro agent-q-fs-tools-tests-with-tool (spec &rest body)
  "Run BODY with a tool declared by SPEC, arguments of `agent-q-fs-define-tool'."
  (declare (indent 1) (debug (form body)))
  `(unwind-protect
       (progn (agent-q-fs-define-tool ,@spec)
              ,@body)
     (agent-q-fs-undefine-tool ,(car spec))))

(defconst agent-q-fs-tools-tests--params
  '((:name "word" :type :string :required t :doc "A word.")
    (:name "times" :type :integer :default "2" :least 1 :most 9 :doc "How often.")
    (:name "loud" :type :boolean :doc "In capitals.")
    (:name "kind" :type :choice :choices ("a" "b") :doc "A kind.")
    (:name "more" :type :strings :default "[\"x\"]" :doc "More words."))
  "Parameters of each type.")

(ert-deftest agent-q-fs-tools/events-name-the-project ()
  "Each event of a call says in which project it was, also where the caller names none."
  (agent-q-fs-test-with-tree (ws '("a" "one\n"))
    (let* ((agent-q-fs-workspace nil) (seen nil)
           (agent-q-fs-event-functions
            (list (lambda (event)
                    (push (list (plist-get event :event) (plist-get event :root)) seen))))
           (root (agent-q-fs-workspace-root ws)))
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "two"))
      (agent-q-fs-call-tool "read_file" '(:path 5))
      (should (equal `((start ,root) (end ,root) (start ,root) (end ,root)) (nreverse seen))))))

(ert-deftest agent-q-fs-tools/an-empty-list-is-named ()
  "A model that sends an empty list is not told that a list was expected and a list came."
  (agent-q-fs-test-with-tree (ws '("a" "one\n"))
    (should (equal "Error: edits: expected a list of at least one edit, got an empty list"
                   (agent-q-fs-call-tool "edit_file" "{\"path\": \"a\", \"edits\": []}" ws)))))

(ert-deftest agent-q-fs-tools/declared ()
  "A declared tool is called with checked arguments, in every spelling."
  (agent-q-fs-test-with-tree (ws)
    (agent-q-fs-tools-tests-with-tool
        ("test_say" :doc "Says." :tier 'safe :params agent-q-fs-tools-tests--params
         :handler (lambda (workspace arguments)
                    (should (agent-q-fs-workspace-p workspace))
                    (format "%S" arguments)))
      (dolist (case '(((:word "w") "(:word \"w\" :times 2 :more (\"x\"))")
                      (((word . "w") (times . 3.0) (loud . :false)) 
                       "(:word \"w\" :times 3 :loud nil :more (\"x\"))")
                      ("{\"word\":\"w\",\"loud\":true,\"kind\":null,\"more\":\"[\\\"p\\\",\\\"q\\\"]\"}"
                       "(:word \"w\" :times 2 :loud t :more (\"p\" \"q\"))")
                      ((:word "w" :more ["p"] :kind "b")
                       "(:word \"w\" :times 2 :kind \"b\" :more (\"p\"))")
                      ((:word "w" :more nil :loud :json-false)
                       "(:word \"w\" :times 2 :loud nil :more nil)")
                      (nil "Error: word: this argument is required")
                      ((:word :null) "Error: word: this argument is required")
                      ((:word 5) "Error: word: expected a string, got an integer")
                      ((:word "w" :times 2.5)
                       "Error: times: expected an integer, got a number with a fraction")
                      ((:word "w" :times 0) "Error: times: expected an integer from 1 to 9, got 0")
                      ((:word "w" :loud 1) "Error: loud: expected true or false, got an integer")
                      ((:word "w" :kind "c") "Error: kind: expected one of a|b, got another word")
                      ((:word "w" :more "p") "Error: more: expected a list of strings, got a string")
                      ((:word "w" :more [5]) "Error: more: expected a list of strings, but element 1 is an integer")
                      ((:word "w" :more "[oops")
                       "Error: more: expected a list of strings, got a string")
                      ((:word "w" :word "v") "Error: word: given twice")
                      ((:word "w" :bogus 1)
                       "Error: bogus: unknown argument; expected word, times, loud, kind, more")))
        (should (equal (cadr case) (agent-q-fs-call-tool "test_say" (car case) ws)))))
    (should (equal "Error: There is no tool test_say" (agent-q-fs-call-tool "test_say" nil ws)))))

(ert-deftest agent-q-fs-tools/arguments-are-checked-as-the-core-checks ()
  "A tool in Emacs Lisp refuses arguments in the words of an operation."
  (agent-q-fs-test-with-tree (ws)
    (dolist (name '("list_directory" "read_file" "edit_file"))
      (agent-q-fs-tools-tests-with-tool
          ("test_same" :tier 'safe :params (plist-get (agent-q-fs--operation name) :params)
           :handler (lambda (&rest _) "done"))
        (dolist (arguments '((:path 5) (:path nil) (:path (:a 1)) (:path ["a"]) (:path "a" :path "b")
                             (:exclude_patterns "[oops") (:exclude_patterns "oops")
                             (:exclude_patterns ["a" 5]) (:exclude_patterns [nil])
                             (:depth 2.5) (:depth "2") (:depth -1) (:depth 100000000000000000000)
                             (:show_hidden "yes") (:show_hidden 0) (:sort_by "size ") (:sort_by 1)
                             (:start_line "x") (:bogus t) ("" 1) ("a b" 1)
                             (:old_str "a" :new_str 5) (:edits "[{]") (:edits [(:old_str "a")])))
          (let ((own (agent-q-fs-call-tool "test_same" arguments ws))
                (core (agent-q-fs-call-tool name arguments ws)))
            (unless (equal own "done")
              (should (equal core own)))))))))

(ert-deftest agent-q-fs-tools/hostile-handlers ()
  "There is text and an event, also for handlers that fail."
  (agent-q-fs-test-with-tree (ws)
    (pcase-dolist (`(,handler ,text)
                   `((,(lambda (&rest _) (error "It %s" (propertize "broke" 'face 'bold)))
                      "Error: It broke")
                     (,(lambda (&rest _) (agent-q-fs--fail :not-found "No such thing"))
                      "Error: No such thing")
                     (,(lambda (&rest _) (signal 'wrong-type-argument '(a b))) "Error: ")
                     (,(lambda (&rest _) (car 5)) "Error: ")
                     (,(lambda () nil) "Error: ")
                     (,(lambda (&rest _) nil) "Error: The tool answered nothing")
                     (,(lambda (&rest _) 'symbol) "Error: The tool answered nothing")
                     (,(lambda (&rest _) (list :text 5)) "Error: The tool answered nothing")
                     (,(lambda (&rest _) '(file-error "x" "y")) "Error: x: y")
                     (,(lambda (&rest _) (let ((f nil)) (setq f (lambda () (1+ (funcall f))))
                                              (funcall f)))
                      "Error: ")
                     (,(lambda (&rest _) (set-buffer (get-buffer-create "*Messages*")) "fine")
                      "fine")
                     (,(lambda (&rest _) (propertize "a\377" 'face 'bold)) "a\\377")))
      (agent-q-fs-tools-tests-with-tool ("test_hostile" :doc "." :tier 'safe :handler handler)
        (agent-q-fs-test-with-events events
          (let* ((buffer (current-buffer))
                 (answer (agent-q-fs-call-tool "test_hostile" nil ws)))
            (should (eq buffer (current-buffer)))
            (should (string-prefix-p text answer))
            (should-not (text-properties-at 0 answer))
            (should (equal '(end start) (mapcar (lambda (e) (plist-get e :event)) events)))
            (should (eq (string-prefix-p "Error" answer)
                        (and (plist-get (car events) :error) t)))))))))

(ert-deftest agent-q-fs-tools/declaring ()
  (dolist (bad '(("Bad" :handler ignore) ("x y" :handler ignore) (sym :handler ignore)
                 ("read_file" :handler ignore) ("test_x") ("test_x" :handler 5)
                 ("test_x" :handler ignore :tier nil)))
    (should-error (apply #'agent-q-fs-define-tool bad)))
  (should-not (agent-q-fs-find-tool "test_x"))
  (agent-q-fs-tools-tests-with-tool ("test_x" :handler #'ignore)
    (agent-q-fs-define-tool "test_x" :handler #'car)
    (should (eq #'car (agent-q-fs-tool-handler (agent-q-fs-find-tool "test_x"))))
    (should (= 1 (length (seq-filter (lambda (tool) (equal "test_x" (agent-q-fs-tool-name tool)))
                                     (agent-q-fs-tools)))))))

(ert-deftest agent-q-fs-tools/sets-of-declared-tools ()
  (dolist (tier '(safe cautious dangerous))
    (agent-q-fs-tools-tests-with-tool ("test_x" :handler #'ignore :tier tier :sets '("mine"))
      (let ((agent-q-fs-tool-sets '(("own-safe" . safe) ("own-all" . t) ("own" "test_x") ("other" "read_file"))))
        (cl-flet ((in-p (set) (and (member "test_x" (mapcar #'agent-q-fs-tool-name
                                                            (agent-q-fs-tools set)))
                                   t)))
          (dolist (set '(nil "all" all "mine" "own-all" "own" ("test_x" "read_file")))
            (should (equal (list set t) (list set (in-p set)))))
          (dolist (set '("read-only" "own-safe"))
            (should (equal (list set (eq tier 'safe)) (list set (in-p set)))))
          (dolist (set '("other" "commands" ("read_file")))
            (should-not (in-p set)))
          (should-error (agent-q-fs-tools "no-such-set"))))))
  (should-not (agent-q-fs-find-tool "test_x")))

(ert-deftest agent-q-fs-tools/long-names-are-cut ()
  (agent-q-fs-test-with-tree (ws)
    (dolist (length '(59 60 61 600))
      (should (equal (concat "Error: There is no tool " (make-string (min length 60) ?x))
                     (agent-q-fs-call-tool (make-string length ?x) nil ws))))))

(ert-deftest agent-q-fs-tools/denials-say-why ()
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (pcase-dolist (`(,code ,reason ,error . ,text)
                   '((nil nil :denied . "The user denied delete_file")
                     (nil "no" :denied . "The user denied delete_file: no")
                     (nil (no words) :denied . "The user denied delete_file")
                     (:cancelled nil :cancelled . "delete_file was not done")
                     (:cancelled "gone" :cancelled . "delete_file was not done: gone")
                     (:read-only "x" :read-only . "The policy is read-only: delete_file was not done")))
      (let ((agent-q-fs-unattended-function
             (lambda (_) (list :decision 'denied :code code :reason reason)))
            reply)
        (agent-q-fs-tools--begin "delete_file" '(:path "f") ws (lambda (answer) (setq reply answer)))
        (should (eq error (plist-get reply :error)))
        (should (equal text (plist-get reply :message)))))
    (dolist (reason '(nil "not at night"))
      (let ((agent-q-fs-unattended-function
             (lambda (_) (list :decision 'denied :code :approval-required :reason reason))))
        (should (string-suffix-p (if reason "; not at night" "f (1 target)")
                                 (agent-q-fs-call-tool "delete_file" '(:path "f") ws)))))
    (should (file-exists-p "f"))))

(ert-deftest agent-q-fs-tools/a-name-without-a-value ()
  (agent-q-fs-test-with-tree (ws)
    (dolist (arguments '((:path) (:path "a" :offset) ("path")))
      (let (reply)
        (agent-q-fs-tools--begin "read_file" arguments ws (lambda (answer) (setq reply answer)))
        (should (equal '(:invalid-argument "arguments: the last name has no value")
                       (list (plist-get reply :error) (plist-get reply :message))))))))

(ert-deftest agent-q-fs-tools/stale-is-a-code ()
  (agent-q-fs-test-with-tree (ws)
    (let* ((facts 0) reply
           (agent-q-fs-unattended-function (lambda (_) '(:decision approved))))
      (agent-q-fs-tools-tests-with-tool
          ("test_x" :tier 'dangerous :handler (lambda (&rest _) (ert-fail "It was run"))
           :preview (lambda (&rest _) (list :summary "x" :facts (list (cons "n" (cl-incf facts))))))
        (agent-q-fs-tools--begin "test_x" nil ws (lambda (answer) (setq reply answer)))
        (should (eq :stale (plist-get reply :error)))))))

(ert-deftest agent-q-fs-tools/tier-of-the-arguments ()
  "Threat 124: arguments can raise a tool's tier; the person sees its preview."
  (agent-q-fs-test-with-tree (ws)
    (let* ((ran nil) (shown nil)
           (agent-q-fs-unattended-function
            (lambda (request)
              (push (list (agent-q-fs-request-tier request) (agent-q-fs-request-summary request))
                    shown)
              '(:decision approved))))
      (agent-q-fs-tools-tests-with-tool
          ("test_tier" :params '((:name "n" :type :integer :doc "."))
           :tier (lambda (arguments) (if (> (or (plist-get arguments :n) 0) 5) 'dangerous 'cautious))
           :preview (lambda (_workspace arguments)
                      (list :summary (format "n is %d" (plist-get arguments :n))))
           :handler (lambda (_workspace arguments) (push (plist-get arguments :n) ran) "done"))
        (should (equal "done" (agent-q-fs-call-tool "test_tier" '(:n 5) ws)))
        (should-not shown)
        (should (equal "done" (agent-q-fs-call-tool "test_tier" '(:n 6) ws)))
        (should (equal '((dangerous "n is 6")) shown))
        (setq agent-q-fs-unattended-function nil)
        (should (string-prefix-p "Error: Approval is required (dangerous): n is 7"
                                 (agent-q-fs-call-tool "test_tier" '(:n 7) ws)))
        (should (equal '(6 5) ran))))))

(ert-deftest agent-q-fs-tools/asynchronous ()
  "Calls that do not wait answer once, whatever the tool."
  (agent-q-fs-test-with-tree (ws '("a" "needle\n"))
    (let* ((texts nil)
           (later nil)
           (running agent-q-fs-job--running)
           (call (lambda (name arguments)
                   (setq texts nil)
                   (agent-q-fs-call-tool-async name arguments (lambda (text) (push text texts)) ws)
                   (agent-q-fs-test-until texts)
                   ;; A second answer would come from one of these.
                   (agent-q-fs-test-until (= running agent-q-fs-job--running))
                   (agent-q-fs-test-until (not (memq later timer-list)))
                   (should (= 1 (length texts)))
                   (car texts))))
      (should (equal "needle\n" (funcall call "read_file" '(:path "a"))))
      (should (string-search "needle" (funcall call "grep_files" '(:pattern "needle"))))
      (should (string-prefix-p "Error: " (funcall call "grep_files" '(:pattern "("))))
      (should (string-prefix-p "Error: " (funcall call "grep_files" '(:pattern 5))))
      (should (string-prefix-p "Error: " (funcall call "nope" nil)))
      (should (string-prefix-p "Error: Approval" (funcall call "delete_file" '(:path "a"))))
      (agent-q-fs-tools-tests-with-tool
          ("test_later" :tier 'safe
           :start (lambda (_workspace _arguments done)
                    (run-with-timer 0.05 nil done "later")
                    (setq later (run-with-timer 0.06 nil done "again"))))
        (should (equal "later" (funcall call "test_later" nil)))
        (should (equal "later" (agent-q-fs-call-tool "test_later" nil ws)))))))

(ert-deftest agent-q-fs-tools/workspace-of-the-call ()
  "A call that is decided later is made in the workspace that was current then."
  (agent-q-fs-test-with-tree (ws)
    (let* ((answer nil) (decide nil)
           (agent-q-fs-unattended-function nil)
           (here default-directory)
           (agent-q-fs-approval-function (lambda (_request callback) (setq decide callback))))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (let ((agent-q-fs-workspace ws))
          (agent-q-fs-call-tool-async "create_file" '(:path "new" :content "x")
                                      (lambda (text) (setq answer text))))
        (agent-q-fs-test-with-tree (other)
          (let ((agent-q-fs-workspace other))
            (should-not answer)
            (funcall decide '(:decision approved))
            (should-not (file-exists-p "new")))))
      (should (file-exists-p (expand-file-name "new" here)))
      (should-not (string-prefix-p "Error" answer)))))

(ert-deftest agent-q-fs-tools/thousand-calls ()
  "A thousand calls leave no buffers, timers, processes or descriptors."
  (agent-q-fs-test-with-tree (ws '("a" "one\n"))
    (let* ((state (lambda ()
                    (agent-q-fs-audit-flush)
                    (list (length (buffer-list)) (length timer-list) (length timer-idle-list)
                          (length (process-list)))))
           (all (lambda (n)
                  (dotimes (i n)
                    (pcase (% i 5)
                      (0 (agent-q-fs-call-tool "read_file" '(:path "a") ws))
                      (1 (agent-q-fs-call-tool "grep_files" '(:pattern "one") ws))
                      (2 (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "no" :new_str "x") ws))
                      (3 (agent-q-fs-call-tool "delete_file" '(:path "a") ws))
                      (4 (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one"
                                                                   :new_str "one") ws))))))
           before held)
      (funcall all 5)
      (setq before (funcall state) held (agent-q-fs-test-held))
      (funcall all 1000)
      (should (equal before (funcall state)))
      (garbage-collect)
      (should (equal held (agent-q-fs-test-held-again held))))))

(provide 'agent-q-fs-tools-tests)
;;; agent-q-fs-tools-tests.el ends here

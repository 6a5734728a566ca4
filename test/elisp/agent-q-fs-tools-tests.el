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
    (should (equal "x" (agent-q-fs-call-tool "read_file" '(:path "a") ws)))))

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
    (let ((start (float-time)))
      (should (string-prefix-p
               "Error: "
               (agent-q-fs-call-tool "read_file" `((path . ,(make-string 10000000 ?é))) ws)))
      (should (< (- (float-time) start) 5)))))

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
  "Objects inside arguments become property lists, whatever the parser."
  (agent-q-fs-tools-tests-each-parser
      (arguments "{\"edits\": [{\"old_str\": \"a\", \"n\": [1, 2]}, {\"old_str\": \"b\"}]}")
    (let ((plist (agent-q-fs-arguments-plist arguments)))
      (should (equal (append (cadr plist) nil)
                     (if (vectorp (plist-get (elt (cadr plist) 0) :n))
                         '((:old_str "a" :n [1 2]) (:old_str "b"))
                       '((:old_str "a" :n (1 2)) (:old_str "b"))))))))

(ert-deftest agent-q-fs-tools/text-is-plain ()
  "What a model is shown has no properties and no raw bytes."
  (should (equal-including-properties (agent-q-fs-audit-plain (propertize "a" 'face 'bold)) "a"))
  (should (equal (agent-q-fs-audit-plain "a\377é") "a\\377é"))
  (should (equal (agent-q-fs-audit-plain (unibyte-string 97 255)) "a\\377")))

(provide 'agent-q-fs-tools-tests)
;;; agent-q-fs-tools-tests.el ends here

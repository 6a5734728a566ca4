;;; agent-q-fs-ops-tests.el --- The functions agree with the table  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-generate)

(ert-deftest agent-q-fs-ops/files-are-what-the-catalogue-says ()
  "What is written from the catalogue is what it would give now."
  (unless (locate-dominating-file default-directory "module/include/aqfs.h")
    (ert-skip "The sources are not here"))
  (let ((texts (agent-q-fs-generate-texts)))
    (should (= 3 (length texts)))
    (pcase-dolist (`(,file . ,text) texts)
      (unless (agent-q-fs-generate-holds-p file text)
        (ert-fail (format "%s is not what the catalogue says: run make functions" file))))))

(ert-deftest agent-q-fs-ops/versions-have-one-home ()
  "A version that changes in the core reaches every file that must show it."
  (unless (locate-dominating-file default-directory "module/include/aqfs.h")
    (ert-skip "The sources are not here"))
  (let ((texts (agent-q-fs-generate-texts
                (append '(:version "7.8.9") (agent-q-fs-generate-catalogue)))))
    (pcase-dolist (`(,_ . ,text) texts)
      (should (string-search "7.8.9" text))
      (should-not (string-search (concat "\"" agent-q-fs-module-version "\"") text)))))

(ert-deftest agent-q-fs-ops/every-operation-has-a-function ()
  (dolist (op (agent-q-fs-operations))
    (let* ((name (string-replace "_" "-" (plist-get op :name)))
           (function (intern (concat "agent-q-fs-" name)))
           (required (seq-filter (lambda (param) (plist-get param :required))
                                 (plist-get op :params))))
      (should (fboundp function))
      (should (documentation function))
      (should (= (1+ (length required)) (car (func-arity function))))
      (dolist (param (plist-get op :params))
        (should (string-search (plist-get param :name)
                               (string-replace "-" "_" (downcase (documentation function)))))))))

(ert-deftest agent-q-fs-ops/strange-rows ()
  "Rows that are not there today make functions that read well too."
  (let ((text (agent-q-fs-generate--function
               '(:name "edit_it" :title "Edit it" :tier :cautious :slow nil
                 :doc "Edits the file's text: \"quotes\" and \\ and `ticks' and more words than a line has room for."
                 :params ((:name "old_str" :type :string :required t :default nil
                           :doc "What's there.")
                          (:name "new_str" :type :string :required t :default nil
                           :doc "What will be."))))))
    (let ((form (read text)))
      (should (equal (nth 2 form) '(workspace old-str new-str)))
      (should (string-search "OLD-STR (string): What\\='s there." (nth 3 form)))
      (should (equal (nth 4 form) '(agent-q-fs-call workspace 'edit_it
                                                    :old_str old-str :new_str new-str)))
      (dolist (line (split-string (nth 3 form) "\n"))
        (should (< (length line) 81))))))

(ert-deftest agent-q-fs-ops/read-bytes-is-decoded ()
  (agent-q-fs-test-with-tree (ws '("a" "\0\377é"))
    (let ((content (plist-get (agent-q-fs-read-bytes ws "a") :content)))
      (should-not (multibyte-string-p content))
      (should (equal content (encode-coding-string "\0\377é" 'utf-8))))
    (should (equal "" (plist-get (agent-q-fs-read-bytes ws "a" :offset 4) :content)))))

(provide 'agent-q-fs-ops-tests)
;;; agent-q-fs-ops-tests.el ends here

;;; agent-q-fs-ops-tests.el --- The functions agree with the table  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-generate (expand-file-name "scripts/agent-q-fs-generate.el"))

(declare-function loaddefs-text "scripts/loaddefs" ())
(declare-function agent-q-fs--mod-check "ext:agent-q-fs-module.so" (params arguments))

(ert-deftest agent-q-fs-ops/files-are-what-the-catalogue-says ()
  "The file written from the catalogue is the one that it would give now."
  (unless (locate-dominating-file default-directory "module/include/aqfs.h")
    (ert-skip "The sources are not here"))
  (let ((texts (agent-q-fs-generate-texts)))
    (should (= 4 (length texts)))
    (pcase-dolist (`(,file . ,text) texts)
      (unless (agent-q-fs-generate-holds-p file text)
        (ert-fail (format "%s is not what the catalogue says: run make functions" file))))))

(ert-deftest agent-q-fs-ops/loaddefs-are-what-the-files-offer ()
  "The file of autoloads and options is what it would be if it were written now."
  (let ((script (locate-dominating-file default-directory "scripts/loaddefs.el")))
    (unless script (ert-skip "The sources are not here"))
    (load (expand-file-name "scripts/loaddefs.el" script) nil t)
    (with-temp-buffer
      (insert-file-contents (expand-file-name "elisp/agent-q-fs-loaddefs.el" script))
      (unless (equal (buffer-string) (loaddefs-text))
        (ert-fail "elisp/agent-q-fs-loaddefs.el is not what the files offer: run make functions")))))

(ert-deftest agent-q-fs-ops/both-main-files-have-one-header ()
  "The file that leads into elisp/ has the header of the one that is there."
  (let ((source (locate-dominating-file default-directory "module/include/aqfs.h")))
    (unless source (ert-skip "The sources are not here"))
    (cl-flet ((header (file)
                (with-temp-buffer
                  (insert-file-contents (expand-file-name file source))
                  (buffer-substring (point-min) (search-forward ";;; Commentary:")))))
      (should (equal (header "agent-q-fs.el") (header "elisp/agent-q-fs.el"))))))

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

(ert-deftest agent-q-fs-ops/arguments-of-declared-tools ()
  "Emacs has the arguments of its own tools checked as the core checks its own."
  (let ((params '((:name "path" :type :path :required t :doc "A file.")
                  (:name "how_many" :type :integer :default "3" :least 1 :most 9)
                  (:name "names" :type :strings)
                  (:name "loud" :type :boolean)
                  (:name "sort" :type :choice :choices ("up" "down")))))
    (agent-q-fs-module-load)
    (cl-flet ((check (&rest arguments)
                (read (agent-q-fs--mod-check params arguments))))
      (should (equal (check :path "a") '(:path "a" :how_many 3)))
      (should (equal (check "path" "a" :how-many 4.0 :names ["x" "y"] :loud t :sort 'down)
                     '(:path "a" :how_many 4 :names ("x" "y") :loud t :sort "down")))
      (should (equal (check :path "a" :names nil :loud nil)
                     '(:path "a" :how_many 3 :names nil :loud nil)))
      (pcase-dolist (`(,message . ,arguments)
                     '(("path: this argument is required")
                       ("path: expected a value, got a symbol" :path a)
                       ("path: given twice" :path "a" "path" "b")
                       ("how_many: expected an integer from 1 to 9, got 10" :path "a" :how_many 10)
                       ("names: expected a list of strings, got a string" :path "a" :names "[oops")
                       ("colour: unknown argument; expected path, how_many, names, loud, sort"
                        :path "a" :colour "red")
                       ("arguments: the last keyword has no value" :path)))
        (let ((reply (apply #'check arguments)))
          (should (eq :invalid-argument (plist-get reply :error)))
          (should (equal message (plist-get reply :message))))))))

(ert-deftest agent-q-fs-ops/no-name-of-an-operation ()
  "A word that names no operation is an error that says which do."
  (let ((ws (agent-q-fs-open :backend 'memory)))
    (unwind-protect
        (dolist (name '(42 (list-directory) "list\0directory" [a] 1.5))
          (should (equal "operation: expected a symbol or a string"
                         (plist-get (cdr (should-error (agent-q-fs-call ws name)
                                                       :type 'agent-q-fs-invalid-argument))
                                    :message))))
      (agent-q-fs-close ws))))

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

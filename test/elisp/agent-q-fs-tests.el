;;; agent-q-fs-tests.el --- Tests of calls  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs)
(require 'agent-q-fs-tools)

(declare-function agent-q-fs--mod-call "ext:agent-q-fs-module.so" (workspace op arguments how))
(declare-function agent-q-fs--mod-cancel "ext:agent-q-fs-module.so" (job))
(declare-function agent-q-fs--mod-close "ext:agent-q-fs-module.so" (workspace))
(declare-function agent-q-fs--mod-open "ext:agent-q-fs-module.so" (options))
(declare-function agent-q-fs--mod-start "ext:agent-q-fs-module.so" (workspace op arguments how pipe stream))

;;;; Opening and closing

(ert-deftest agent-q-fs-open/facts ()
  (agent-q-fs-test-with-tree (ws)
    (should (equal (agent-q-fs-workspace-root ws) default-directory))
    (should (eq (plist-get (agent-q-fs-workspace-facts ws) :method) :explicit))
    (should (equal (agent-q-fs-workspace-root ws)
                   (plist-get (agent-q-fs-get-project-root ws) :root)))))

(ert-deftest agent-q-fs-open/documented-options ()
  "The documentation has the options of the catalogue, also their choices."
  (let ((text (documentation 'agent-q-fs-open)))
    (should (string-prefix-p "Open a workspace" text))
    (dolist (option (plist-get (agent-q-fs-catalogue) :options))
      (should (string-search (format "\n:%s (" (plist-get option :name)) text))
      (should (string-search (plist-get option :doc) text)))
    (should (string-search ":backend (host | memory | session, default" text)))
  (let ((agent-q-fs--catalogue nil))
    (cl-letf (((symbol-function 'agent-q-fs-module-load) (lambda () (error "Not built"))))
      (should (string-search "once the core is built" (documentation 'agent-q-fs-open))))))

(ert-deftest agent-q-fs-open/git-root-of-default-directory ()
  (agent-q-fs-test-with-tree (_ws '(".git/HEAD" "ref: refs/heads/main\n") '(".git/objects/" nil)
                                '(".git/refs/" nil) '("a/b/" nil))
    (let* ((root default-directory)
           (default-directory (expand-file-name "a/b/"))
           (ws (agent-q-fs-open)))
      (should (equal (agent-q-fs-workspace-root ws) root))
      (should (eq (plist-get (agent-q-fs-workspace-facts ws) :method) :git))
      (agent-q-fs-close ws))))

(ert-deftest agent-q-fs-open/a-root-that-is-replaced ()
  "A call that names no workspace finds the project again; another one is told."
  (agent-q-fs-test-with-tree (_ws '("p/f" "old\n"))
    (let* ((agent-q-fs-workspace nil)
           (default-directory (expand-file-name "p/"))
           (named (agent-q-fs-open :root default-directory))
           (found (agent-q-fs-current-workspace)))
      (rename-file "../p" "../away")
      (make-directory default-directory)
      (write-region "new\n" nil "f" nil 'quiet)
      (let ((problem (should-error (agent-q-fs-read-file named "f")
                                   :type 'agent-q-fs-root-moved)))
        (should (string-search (expand-file-name "../away")
                               (plist-get (cdr problem) :message))))
      (should (plist-get (agent-q-fs-get-project-root named) :moved))
      (should (equal "new\n" (plist-get (agent-q-fs-read-file nil "f") :content)))
      (should-not (eq found (agent-q-fs-current-workspace)))
      (should (eq (agent-q-fs-current-workspace) (agent-q-fs-current-workspace))))))

(ert-deftest agent-q-fs-open/reopen ()
  (agent-q-fs-test-with-tree (_ws '("p/f" "old\n") '("p/secret" "x"))
    (let* ((root (expand-file-name "p/"))
           (agent-q-fs-workspace (agent-q-fs-open :root root :restricted_paths '("secret")
                                                  :isolation 'none))
           (old agent-q-fs-workspace))
      (rename-file "p" "away")
      (make-directory root)
      (write-region "new\n" nil "p/f" nil 'quiet)
      (should-error (agent-q-fs-read-file nil "f") :type 'agent-q-fs-root-moved)
      (should (eq (agent-q-fs-reopen) agent-q-fs-workspace))
      (should-not (eq old agent-q-fs-workspace))
      (should (equal "new\n" (plist-get (agent-q-fs-read-file nil "f") :content)))
      (should-error (agent-q-fs-read-file nil "secret") :type 'agent-q-fs-restricted)
      (should (equal '(none) (agent-q-fs-workspace-isolation agent-q-fs-workspace)))
      (should-error (agent-q-fs-read-file old "f"))
      (delete-directory root t)
      (should-error (agent-q-fs-reopen) :type 'agent-q-fs-not-found)
      (should-error (agent-q-fs-reopen (agent-q-fs-open :backend 'memory))
                    :type 'agent-q-fs-invalid-argument))))

(ert-deftest agent-q-fs-open/reopen-what-was-found ()
  "A workspace that a caller has found is found anew, and the pinned one stays."
  (agent-q-fs-test-with-tree (ws '("p/f" "old\n") '("q/f" "other\n"))
    (let* ((agent-q-fs-workspace nil)
           (default-directory (expand-file-name "p/"))
           (found (agent-q-fs-found-workspace (agent-q-fs-open :root default-directory)))
           (new (agent-q-fs-reopen))
           (other (agent-q-fs-open :root (expand-file-name "../q/"))))
      (should-not (eq found new))
      (should (eq new (agent-q-fs-found-workspace)))
      (should (eq new (agent-q-fs-current-workspace)))
      (should-not agent-q-fs-workspace)
      ;; Another one is opened again, and neither is the pinned one nor the found one that.
      (let* ((agent-q-fs-workspace ws)
             (again (agent-q-fs-reopen other)))
        (should (equal (agent-q-fs-workspace-root other) (agent-q-fs-workspace-root again)))
        (should (equal "other\n" (plist-get (agent-q-fs-read-file again "f") :content)))
        (should-error (agent-q-fs-read-file other "f"))
        (should (eq ws agent-q-fs-workspace))
        (should (eq new (agent-q-fs-found-workspace)))
        (agent-q-fs-close again))
      (let ((agent-q-fs-workspace new) (told nil))
        (cl-letf (((symbol-function 'message)
                   (lambda (format &rest values) (setq told (apply #'format format values)))))
          (call-interactively #'agent-q-fs-reopen))
        (should (equal (concat "Opened again: " (agent-q-fs-workspace-root new)) told))
        (agent-q-fs-close agent-q-fs-workspace)))))

(ert-deftest agent-q-fs-place/holds ()
  "A file is found below a directory by its identity, and what is too much to look at holds all."
  (agent-q-fs-test-with-tree (_ws '("d/e/f" "x") '("d/g" "y") '("h" "z"))
    (make-symbolic-link "../h" "d/link")
    (let ((identity (lambda (name) (list (agent-q-fs--place-identity
                                          (agent-q-fs--file-bytes (expand-file-name name))))))
          (d (agent-q-fs--file-bytes (expand-file-name "d"))))
      (should (agent-q-fs--place-holds-p d (funcall identity "d/e/f")))
      (should (agent-q-fs--place-holds-p d (funcall identity "d/g")))
      (should (agent-q-fs--place-holds-p d (append (funcall identity "h") (funcall identity "d/e/f"))))
      (should-not (agent-q-fs--place-holds-p d (funcall identity "h")))
      (should-not (agent-q-fs--place-holds-p d nil))
      (should-not (agent-q-fs--place-holds-p (agent-q-fs--file-bytes (expand-file-name "none"))
                                             (funcall identity "h")))
      (dolist (many '((100000 . nil) (100001 . t)))
        (cl-letf* ((facts (file-attributes "h"))
                   ((symbol-function 'directory-files-and-attributes)
                    (lambda (&rest _) (make-list (car many) (cons "x" facts)))))
          (should (eq (cdr many) (agent-q-fs--place-holds-p d (funcall identity "d/g")))))))))

(ert-deftest agent-q-fs-open/current-directory-is-the-last-resort ()
  (agent-q-fs-test-with-tree (_ws)
    (let ((ws (agent-q-fs-open)))
      (should (equal (agent-q-fs-workspace-root ws) default-directory))
      (agent-q-fs-close ws))))

(ert-deftest agent-q-fs-open/options-spelled-either-way ()
  (agent-q-fs-test-with-tree (_ws '("in/secret" "s") '("in/open" "o"))
    (dolist (options '((:restricted_paths ("in/secret") :limits (:read_lines 5))
                       (:restricted-paths ["in/secret"] :limits (:read-lines 5))))
      (let ((ws (apply #'agent-q-fs-open :root default-directory options)))
        (should (plist-get (agent-q-fs-read-file ws "in/open") :content))
        (should-error (agent-q-fs-read-file ws "in/secret") :type 'agent-q-fs-restricted)
        (agent-q-fs-close ws)))))

(ert-deftest agent-q-fs-open/defaults-come-after-options ()
  (agent-q-fs-test-with-tree (_ws '("a" "x"))
    (let* ((agent-q-fs-open-options '(:restricted-paths ("a") :read-only t))
           (free (agent-q-fs-open :root default-directory :restricted_paths []))
           (bound (agent-q-fs-open :root default-directory)))
      (should (agent-q-fs-read-file free "a"))
      (should-error (agent-q-fs-read-file bound "a") :type 'agent-q-fs-restricted)
      (mapc #'agent-q-fs-close (list free bound)))))

(ert-deftest agent-q-fs-open/bad-options ()
  (agent-q-fs-test-with-tree (_ws)
    (pcase-dolist (`(,options ,word)
                   '(((:root 5) "root") ((:root "/nowhere/at/all") "root")
                     ((:rootx "/tmp") "rootx") ((:mode 'lenient) "mode")
                     ((:limits (:read_lines "x")) "read_lines")
                     ((:limits (:bogus 1)) "bogus")
                     ((:root "/tmp\0/x") "root") ((:mode) "keyword")))
      (should (string-search word (agent-q-fs-test-message
                                    (apply #'agent-q-fs-open options)))))))

(ert-deftest agent-q-fs-open/local-root-from-a-remote-buffer ()
  (agent-q-fs-test-with-tree (_ws)
    (let* ((root default-directory)
           (default-directory "/ssh:nowhere:/here/")
           (ws (agent-q-fs-open :root root)))
      (should (equal (agent-q-fs-workspace-root ws) root))
      (agent-q-fs-close ws))))

(ert-deftest agent-q-fs-open/lisp-connection-directory ()
  "The default directory of a connection's buffer is where the project may be."
  (agent-q-fs-test-with-tree (_ws '("lisp/" nil))
    (let ((buffer (generate-new-buffer " connection"))
          (here default-directory))
      (unwind-protect
          (let ((process (make-pipe-process :name "sly" :buffer buffer :noquery t)))
            (with-current-buffer buffer
              (setq default-directory (expand-file-name "lisp/" here)))
            (cl-letf (((symbol-value 'features) (cons 'sly features))
                      ((symbol-function 'sly-current-connection) (lambda () process)))
              (should (equal (agent-q-fs--lisp-directory) (expand-file-name "lisp/" here))))
            (delete-process process)
            (cl-letf (((symbol-value 'features) (cons 'sly features))
                      ((symbol-function 'sly-current-connection) #'ignore))
              (should-not (agent-q-fs--lisp-directory))))
        (kill-buffer buffer)))))

(ert-deftest agent-q-fs-open/close-ends-it ()
  (agent-q-fs-test-with-tree (_ws '("a" "x"))
    (let ((ws (agent-q-fs-open :root default-directory)))
      (agent-q-fs-close ws)
      (agent-q-fs-close ws)
      (should (string-search "closed" (agent-q-fs-test-message (agent-q-fs-read-file ws "a"))))
      (should (string-search "closed" (agent-q-fs-test-message
                                        (agent-q-fs-grep-files ws "x")))))))

(ert-deftest agent-q-fs-open/current-workspace ()
  (agent-q-fs-test-with-tree (_ws '("a" "x"))
    (should-not agent-q-fs-workspace)
    (should (equal "x" (plist-get (agent-q-fs-read-file nil "a") :content)))
    (let ((first (agent-q-fs-current-workspace)))
      (should (eq first (agent-q-fs-current-workspace)))
      (agent-q-fs-close first)
      (should-not agent-q-fs-workspace)
      (should-not (eq first (agent-q-fs-current-workspace)))
      (agent-q-fs-close (agent-q-fs-current-workspace)))))

(defmacro agent-q-fs-open-test--with-projects (&rest body)
  "Run BODY in a directory with the git projects A and B, each with a file `who'."
  (declare (indent 0) (debug t))
  `(agent-q-fs-test-with-tree
       (_ws '("A/.git/HEAD" "ref: refs/heads/m\n") '("A/.git/objects/" "") '("A/.git/refs/" "")
            '("A/who" "A") '("A/deep/x" "")
            '("B/.git/HEAD" "ref: refs/heads/m\n") '("B/.git/objects/" "") '("B/.git/refs/" "")
            '("B/who" "B"))
     ,@body))

(defmacro agent-q-fs-open-test--in (directory &rest body)
  "Run BODY in a buffer of DIRECTORY."
  (declare (indent 1) (debug t))
  `(let ((directory (file-name-as-directory (expand-file-name ,directory))))
     (with-temp-buffer
       (setq default-directory directory)
       ,@body)))

(ert-deftest agent-q-fs-open/each-call-in-its-own-project ()
  "Calls that name no workspace go to the project of their buffer, now and later."
  (agent-q-fs-open-test--with-projects
    (let ((agent-q-fs-policy 'never) answer)
      (dotimes (_ 2)
        (dolist (name '("A" "B" "A/deep"))
          (agent-q-fs-open-test--in name
            (should (equal (substring name 0 1)
                           (plist-get (agent-q-fs-read-file nil "who") :content))))))
      (should (eq (agent-q-fs-open-test--in "A" (agent-q-fs-current-workspace))
                  (agent-q-fs-open-test--in "A/deep" (agent-q-fs-current-workspace))))
      ;; The buffer is another one when the work is done.
      (agent-q-fs-open-test--in "B"
        (agent-q-fs-call-tool-async "grep_files" '(:pattern "[AB]" :path "who")
                                    (lambda (text) (setq answer text))))
      (agent-q-fs-open-test--in "A" (agent-q-fs-test-until answer))
      (should (string-search "who:1:B" answer))
      (agent-q-fs-open-test--in "B"
        (agent-q-fs-call-tool "create_file" '(:path "new" :content "")))
      (should (file-exists-p "B/new"))
      (should-not (file-exists-p "A/new")))))

(ert-deftest agent-q-fs-open/closed-and-found-again ()
  "A project whose workspace was closed is opened again by the next call."
  (agent-q-fs-open-test--with-projects
    (agent-q-fs-open-test--in "A"
      (let ((first (agent-q-fs-current-workspace)))
        (agent-q-fs-close first)
        (should-not (eq first (agent-q-fs-current-workspace)))
        (should (equal "A" (plist-get (agent-q-fs-read-file nil "who") :content)))))))

(ert-deftest agent-q-fs-open/first-use-loads-the-core ()
  "Also where it is a call without a workspace."
  (agent-q-fs-test-with-tree (_ws '("a" "x\n"))
    (should (equal "x\n" (agent-q-fs-test-in-emacs
                          '(plist-get (agent-q-fs-read-file nil "a") :content))))
    (should (equal "x\n" (agent-q-fs-test-in-emacs
                          '(agent-q-fs-call-tool "read_file" '(:path "a")))))
    (should (equal "done" (agent-q-fs-test-in-emacs
                           '(symbol-name
                             (agent-q-fs-job-wait
                              (agent-q-fs-call-async nil 'read_file '(:path "a")) 10)))))))

(ert-deftest agent-q-fs-open/thousand-times ()
  "Closed or left to the garbage collector, workspaces leave nothing behind."
  (agent-q-fs-test-with-tree (_ws '("a" "x"))
    (let ((before (agent-q-fs-test-held)))
      (dotimes (i 1000)
        (let ((ws (agent-q-fs-open :root default-directory)))
          (when (zerop (% i 10)) (agent-q-fs-read-file ws "a"))
          (unless (zerop (% i 3)) (agent-q-fs-close ws)))
        (when (zerop (% i 250)) (garbage-collect)))
      (garbage-collect)
      (garbage-collect)
      (should (<= (- (car (agent-q-fs-test-held-again before)) (car before)) 2)))))


;;;; Handles

(ert-deftest agent-q-fs-handle/foreign-values ()
  "Values that are not workspaces are refused, of all types."
  (agent-q-fs-test-with-tree (ws)
    (let ((pipe (make-pipe-process :name "pipe" :buffer (current-buffer) :noquery t)))
      (unwind-protect
          (let ((job (agent-q-fs--mod-start (agent-q-fs-workspace-handle ws)
                                            'get_project_root nil nil pipe nil)))
            (should (user-ptrp job))
            (dolist (value (list nil 5 "x" 'x [1] (current-buffer) job ws))
              (should (string-search ":invalid-argument"
                                     (agent-q-fs--mod-call value 'read_file '(:path "a") nil)))
              (should (string-search ":invalid-argument" (agent-q-fs--mod-close value))))
            (dolist (value (list nil 5 (agent-q-fs-workspace-handle ws) ws))
              (should (string-search ":invalid-argument" (agent-q-fs--mod-cancel value)))))
        (delete-process pipe)))
    (dolist (value (list 5 "x" [1] (current-buffer)))
      (should (string-search "workspace" (agent-q-fs-test-message
                                           (agent-q-fs-get-project-root value)))))))

(ert-deftest agent-q-fs-handle/pipes ()
  "Jobs write to live pipes only."
  (agent-q-fs-test-with-tree (ws)
    (let ((handle (agent-q-fs-workspace-handle ws))
          (dead (make-pipe-process :name "pipe" :buffer (current-buffer) :noquery t))
          (child (start-process "cat" nil "cat")))
      (delete-process dead)
      (unwind-protect
          (dolist (value (list nil 5 "pipe" dead child))
            (should (string-search ":message \"pipe:"
                                   (agent-q-fs--mod-start handle 'get_project_root nil nil
                                                          value nil))))
        (delete-process child)))))


;;;; Arguments

(defun agent-q-fs-test--refusal (ws operation &rest arguments)
  "Return the message with which OPERATION in WS refuses ARGUMENTS."
  (agent-q-fs-test-message (apply #'agent-q-fs-call ws operation arguments)))

(ert-deftest agent-q-fs-arguments/spellings ()
  (agent-q-fs-test-with-tree (ws '("a" "one\ntwo\nthree\n"))
    (dolist (arguments '((:path "a" :start_line 2) (:path "a" :start-line 2)
                         ("path" "a" "start_line" 2) (:path "a" :start-line 2.0)
                         (:path "a" :start-line 2 :encoding :null :limit nil)
                         (:path "a" :start-line 2 :line_numbers nil)
                         (:path "a" :start-line 2 :line-numbers :false)
                         (:path "a" :start-line 2 :line-numbers :json-false)
                         (:path "a" :start-line 2 :mode slice)
                         (:path "a" :start-line 2 :mode :slice)))
      (should (equal "two\nthree\n"
                     (plist-get (apply #'agent-q-fs-call ws 'read_file arguments) :content))))
    (dolist (operation '(read_file read-file :read_file "read_file" "read-file"))
      (should (agent-q-fs-call ws operation :path "a")))))

(ert-deftest agent-q-fs-arguments/booleans-and-lists ()
  (agent-q-fs-test-with-tree (ws '("a" "") '("b" "") '(".h" ""))
    (cl-flet ((names (&rest arguments)
                (mapcar (lambda (entry) (plist-get entry :name))
                        (plist-get (apply #'agent-q-fs-list-directory ws arguments) :entries))))
      (should (equal (names) '(".h" "a" "b")))
      (should (equal (names :show_hidden t) '(".h" "a" "b")))
      (should (equal (names :show_hidden nil) '("a" "b")))
      (should (equal (names :exclude_patterns '("a")) '(".h" "b")))
      (should (equal (names :exclude_patterns ["a" "b"]) '(".h")))
      (should (equal (names :exclude_patterns nil) '(".h" "a" "b")))
      (should (equal (names :exclude_patterns []) '(".h" "a" "b")))
      (should (equal (names :exclude_patterns "[\"b\"]") '(".h" "a"))))))

(ert-deftest agent-q-fs-arguments/bad-values-name-their-key ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((circular (list "a"))
          (vector (vector nil)))
      (setcdr circular circular)
      (aset vector 0 vector)
      (pcase-dolist (`(,operation . ,arguments)
                     `((read_file :path symbol) (read_file :path t)
                       (read_file :path 5) (read_file :path nil)
                       (read_file :path ,(current-buffer))
                       (read_file :path ,(make-hash-table))
                       (read_file :path ,(symbol-function 'car))
                       (read_file :path ,(make-bool-vector 3 t))
                       (read_file :path ("a")) (read_file :path (:a "b"))
                       (read_file :start_line ,(expt 2 64) :path "a")
                       (read_file :start_line 1.5 :path "a")
                       (read_file :start_line 0.0e+NaN :path "a")
                       (read_file :start_line 1.0e+INF :path "a")
                       (read_file :start_line "1;" :path "a")
                       (read_file :line_numbers 1 :path "a")
                       (read_file :mode other :path "a")
                       (list_directory :exclude_patterns ,circular)
                       (list_directory :exclude_patterns ,vector)
                       (list_directory :exclude_patterns ("a" . "b"))
                       (list_directory :exclude_patterns ("a" 5))
                       (list_directory :exclude_patterns (:a "b"))
                       (list_directory :exclude_patterns a)
                       (list_directory :depth 0) (list_directory :depth -5)))
        (let ((key (substring (symbol-name (car arguments)) 1)))
          (should (string-prefix-p (concat key ":")
                                   (apply #'agent-q-fs-test--refusal
                                          ws operation arguments))))))))

(ert-deftest agent-q-fs-arguments/bad-keys ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (should (string-search "bogus" (agent-q-fs-test--refusal ws 'read_file :path "a" :bogus 1)))
    (should (string-search "bogus" (agent-q-fs-test--refusal ws 'read_file :path "a" :bogus nil)))
    (should (string-search "bogus" (agent-q-fs-test--refusal ws 'read_file :path "a"
                                                             :bogus :null)))
    (should (string-search "path" (agent-q-fs-test--refusal ws 'read_file)))
    (should (string-search "twice" (agent-q-fs-test--refusal ws 'read_file :path "a" :path "b")))
    (should (string-search "twice" (agent-q-fs-test--refusal ws 'list_directory :show_hidden t
                                                             :show-hidden t)))
    (dolist (arguments '((path "a") (5 "a") (:path) (nil nil) ("pa\0th" "a") (:path "a" "b")))
      (should (string-search "keyword" (apply #'agent-q-fs-test--refusal
                                              ws 'read_file arguments))))))

(ert-deftest agent-q-fs-arguments/bad-plists ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((handle (agent-q-fs-workspace-handle ws))
          (circular (list :path "a")))
      (setcdr (cdr circular) circular)
      (dolist (arguments (list circular '(:path . "a") '(:path "a" . 5) 5 "path" [:path "a"]))
        (should (string-search "property list"
                               (agent-q-fs--mod-call handle 'read_file arguments nil)))))))

(ert-deftest agent-q-fs-arguments/bad-operations ()
  (agent-q-fs-test-with-tree (ws)
    (dolist (operation '(nope "nope" "read_file\0" "" nil "\u202e"))
      (should-error (agent-q-fs-call ws operation) :type 'agent-q-fs-error))
    (should-error (agent-q-fs-call ws 'nope) :type 'agent-q-fs-unknown-operation)
    (should (string-search "operation" (agent-q-fs-test--refusal ws 5)))
    (should (string-search "operation" (agent-q-fs-test--refusal ws '(read_file))))))

(ert-deftest agent-q-fs-arguments/nul ()
  "Threat 5: a NUL ends no path and no pattern early."
  (agent-q-fs-test-with-tree (ws '("ok.txt" "x"))
    (dolist (operation '(read_file read_bytes get_file_info file_exists list_directory
                                   list_dir directory_tree))
      (should-error (agent-q-fs-call ws operation :path "ok.txt\0/../../etc/passwd")
                    :type 'agent-q-fs-invalid-argument))
    (should-error (agent-q-fs-search-files ws "ok.txt\0*") :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-search-files ws "*" :path "a\0") :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-search-files ws "*" :exclude_patterns '("a\0"))
                  :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-grep-files ws "x" :path "ok.txt\0")
                  :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-grep-files ws "x" :include "*\0")
                  :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-open :root (concat default-directory "\0x"))
                  :type 'agent-q-fs-error)))

(ert-deftest agent-q-fs-arguments/only-text-is-text ()
  "Bytes, surrogates and characters beyond Unicode are refused, not converted."
  (agent-q-fs-test-with-tree (ws '("é" "x"))
    (should (agent-q-fs-read-file ws "é"))
    (should (agent-q-fs-read-file ws (propertize "é" 'face 'bold 'display "z")))
    (dolist (path (list "\303\251" (string-to-multibyte "\303\251") "\377"
                        (string-to-multibyte "a\377") "\303" (encode-coding-string "é" 'utf-8)
                        (string #xd800) (string #xdfff) (string #xd83d #xde00)
                        (string #x110000) (string #x1fffff) (string #x3fff7f)
                        (concat "é" (string-to-multibyte "\251"))))
      (let ((problem (should-error (agent-q-fs-read-file ws path) :type 'agent-q-fs-encoding)))
        (should (string-search "decode" (downcase (plist-get (cdr problem) :hint))))
        (should (string-prefix-p "path:" (plist-get (cdr problem) :message))))
      (should-error (agent-q-fs-list-directory ws :exclude_patterns (list path))
                    :type 'agent-q-fs-encoding)
      (should-error (agent-q-fs-call ws path) :type 'agent-q-fs-encoding)
      (should-error (agent-q-fs-call ws 'read_file path "x") :type 'agent-q-fs-encoding))))

(ert-deftest agent-q-fs-arguments/depth-and-size-are-bounded ()
  "Threat 134: huge nesting, and structure that shares its parts."
  (agent-q-fs-test-with-tree (ws)
    (let ((deep nil))
      (dotimes (_ 100000) (setq deep (list deep)))
      (should (string-search "nested" (agent-q-fs-test--refusal ws 'list_directory
                                                                :exclude_patterns deep)))
      ;; Emacs' assertions look at every value again for every value.
      (should (string-search
               "large"
               (agent-q-fs-test-in-emacs
                '(let ((shared (list "a")))
                   (dotimes (_ 30) (setq shared (list shared shared)))
                   (condition-case problem
                       (agent-q-fs-list-directory nil :exclude_patterns shared)
                     (agent-q-fs-error (plist-get (cdr problem) :message))))))))))

(ert-deftest agent-q-fs-arguments/long-string ()
  (agent-q-fs-test-with-tree (ws)
    (should-error (agent-q-fs-read-file ws (make-string 10000000 ?a)) :type 'agent-q-fs-error)
    (should-error (agent-q-fs-read-file ws (make-string 5000000 ?é)) :type 'agent-q-fs-error)))


;;;; Replies and errors

(ert-deftest agent-q-fs-error/every-code-is-a-condition ()
  "Every error of the catalogue can be caught by its name."
  (let ((errors (plist-get (agent-q-fs-catalogue) :errors)))
    (should (> (length errors) 30))
    (dolist (row errors)
      (should (memq 'agent-q-fs-error
                    (get (intern (concat "agent-q-fs-" (plist-get row :name)))
                         'error-conditions))))))

(ert-deftest agent-q-fs-error/data ()
  (agent-q-fs-test-with-tree (ws)
    (pcase-let ((`(,symbol . ,data) (should-error (agent-q-fs-read-file ws "nope"))))
      (should (eq symbol 'agent-q-fs-not-found))
      (should (eq (plist-get data :error) :not-found))
      (should (equal (plist-get data :path) "nope"))
      (should (equal (plist-get data :text)
                     (concat "Error: " (plist-get data :message)))))))

(ert-deftest agent-q-fs-reply/reads-alike-everywhere ()
  "Threat 61: no reader or printer variable changes a reply."
  (agent-q-fs-test-with-tree (ws '("a" "x\n"))
    (let ((plain (agent-q-fs-read-file ws "a")))
      (let ((print-length 1) (print-level 1) (print-circle t) (case-fold-search nil)
            (print-escape-newlines t) (read-circle nil) (standard-input #'ignore)
            (read-symbol-shorthands '((":" . "x") ("n" . "y"))))
        (should (equal plain (agent-q-fs-read-file ws "a")))))))

(ert-deftest agent-q-fs-reply/hostile-text-is-text ()
  "Threat 60: the content of a file is a plain string, even if it looks like Lisp."
  (let ((texts '("#.(delete-file \"a\")" "#[(x) \"\\300\" [x] 1]"
                 "#(\"x\" 0 1 (display (when (evil) . \"y\") keymap m))"
                 "#1=(#1# . #1#)" "\") (evil) (\"" "\\" "\\\"" "\"" "#@10" "#$" "?a" ";x"
                 "%s%n" "~/cl:delete-file/" "\\x41\\ " "a\\
b" "\\N{BULLET}" "\\^?" "\\C-a" "\\u0041")))
    (agent-q-fs-test-with-tree (ws)
      (dolist (text texts)
        (agent-q-fs-test--write "f" text)
        (let ((read (plist-get (agent-q-fs-read-file ws "f") :content)))
          (should (equal-including-properties read text))
          (should-not (text-properties-at 0 read)))
        (let ((problem (should-error (agent-q-fs-read-file ws (concat "no/" text)))))
          (should (equal (plist-get (cdr problem) :path) (concat "no/" text))))))))

(ert-deftest agent-q-fs-reply/little-garbage ()
  "A reply of ASCII takes memory for what is printed, read and shown, and no more."
  (agent-q-fs-test-with-tree (ws (list "a" (string-join (make-list 64 (make-string 63 ?x)) "\n")))
    (let ((bytes (lambda () (nth 4 (memory-use-counts))))
          (agent-q-fs-event-functions nil))
      (should (= 4095 (length (plist-get (agent-q-fs-read-file ws "a") :content))))
      (let ((before (funcall bytes)))
        (agent-q-fs-read-file ws "a")
        (should (< (- (funcall bytes) before) (* 4 4096)))))))

(ert-deftest agent-q-fs-reply/every-byte ()
  "Bytes 0-255 come back, through base64 and, where they are text, as text."
  (agent-q-fs-test-with-tree (ws)
    (let ((bytes (apply #'unibyte-string (number-sequence 0 255))))
      (agent-q-fs-test--write "f" bytes)
      (let ((read (plist-get (agent-q-fs-read-bytes ws "f") :content)))
        (should-not (multibyte-string-p read))
        (should (equal read bytes))))
    (dotimes (byte 256)
      (agent-q-fs-test--write "f" (unibyte-string byte))
      (should (equal (unibyte-string byte)
                     (plist-get (agent-q-fs-read-bytes ws "f") :content))))
    (dolist (byte (number-sequence 1 127))
      (let ((text (format "a%cb%cc\n" byte byte)))
        (agent-q-fs-test--write "f" text)
        (should (equal text (condition-case nil
                                (plist-get (agent-q-fs-read-file ws "f") :content)
                              (agent-q-fs-binary text))))))))

(defun agent-q-fs-test--random-text ()
  "Return a random string of characters from everywhere in Unicode."
  (let ((text (make-string (random 60) ?a t)))
    (dotimes (i (length text))
      (aset text i (pcase (random 6)
                     (0 (+ 32 (random 95)))
                     (1 (aref "\"\\\n\t;#()?'`,@" (random 13)))
                     (2 (+ #xa0 (random #x700)))
                     (3 (+ #x2000 (random #x100)))
                     (4 (+ #xe000 (random #x1f00)))
                     (_ (+ #x10000 (random #x100000))))))
    text))

(ert-deftest agent-q-fs-reply/random-strings ()
  "Ten thousand random strings come back as they were, in replies and in error replies."
  (agent-q-fs-test-with-tree (ws)
    (random "agent-q-fs")
    (let ((differences 0))
      (dotimes (i 10000)
        (let ((text (agent-q-fs-test--random-text)))
          (if (zerop (% i 10))
              (progn
                (agent-q-fs-test--write "f" text)
                (unless (equal text (plist-get (agent-q-fs-read-file ws "f") :content))
                  (cl-incf differences)))
            ;; A missing file and a name that is too long give different errors, with the name.
            (let ((path (concat "no/" (string-replace "/" "_" text))))
              (unless (equal path (condition-case problem
                                      (progn (agent-q-fs-read-file ws path) nil)
                                    (agent-q-fs-error (plist-get (cdr problem) :path))))
                (cl-incf differences))))))
      (should (zerop differences)))))

(ert-deftest agent-q-fs-reply/large ()
  "A long reply is read, and the garbage collector's threshold stays the same."
  (agent-q-fs-test-with-tree (ws)
    (let ((text (apply #'concat (make-list 1500 (concat (make-string 99 ?é) "\n"))))
          (limit gc-cons-threshold))
      (agent-q-fs-test--write "f" text)
      (should (equal text (plist-get (agent-q-fs-read-file ws "f") :content)))
      (should (= limit gc-cons-threshold)))))

(ert-deftest agent-q-fs-names/strange-names-work-when-passed-back ()
  "Threat 56: every listed name names its file."
  (agent-q-fs-test-with-tree (ws)
    (let ((names (list "new\nline" "esc\e]0;x\a" "\377\376" "a\303" "-rf" "trailing " " leading"
                       "\"quoted\"" "back\\slash" "~" "~root" "$HOME" "%s" "*" "?" "[a]" "é"
                       "\u202e" "#x#" ".#x" "a:b" "t" "nil" ":key" "\\377" "\"\\377\"")))
      (dolist (name names)
        (agent-q-fs-test--write name (format "%S" (string-to-list name))))
      (let* ((reply (agent-q-fs-list-directory ws :show_hidden t :limit 1000))
             (paths (mapcar (lambda (entry) (plist-get entry :path)) (plist-get reply :entries)))
             (contents (mapcar (lambda (path)
                                 (plist-get (agent-q-fs-read-file ws path) :content))
                               paths)))
        (should (= (length paths) (length names)))
        (should (equal (sort contents #'string<)
                       (sort (mapcar (lambda (name) (format "%S" (string-to-list name))) names)
                             #'string<)))
        (should-not (string-match-p "[\e\a\u202e]" (plist-get reply :text)))
        (should (= (1+ (length names)) (length (split-string (plist-get reply :text) "\n"))))))))

(ert-deftest agent-q-fs-names/no-expansion ()
  "Threat 8: names that look remote, escaped or foreign are plain names."
  (agent-q-fs-test-with-tree (ws '("~root/x" "1") '("$HOME/x" "2") '("a%2e%2e/x" "3")
                                 '("C:\\x" "4") '("a\\..\\b" "5") '("ssh:h:/x" "6"))
    (cl-loop for path in '("~root/x" "$HOME/x" "a%2e%2e/x" "C:\\x" "a\\..\\b" "ssh:h:/x")
             for content in '("1" "2" "3" "4" "5" "6")
             do (should (equal content (plist-get (agent-q-fs-read-file ws path) :content))))
    (should-error (agent-q-fs-read-file ws "/ssh:h:/x") :type 'agent-q-fs-outside-root)
    (should-error (agent-q-fs-read-file ws "/sudo::/etc/passwd") :type 'agent-q-fs-outside-root)))

(ert-deftest agent-q-fs-version/names-them-all ()
  (let ((words (agent-q-fs-version)))
    (dolist (word (list "agent-q-fs 0" "ABI" "pcre2" "libmagic" "libgit2" "jansson"
                        emacs-version))
      (should (string-search word words)))
    (with-temp-buffer
      (agent-q-fs-version t)
      (should (equal words (buffer-string)))
      (agent-q-fs-version)
      (should (equal words (buffer-string))))))

(ert-deftest agent-q-fs/text-of-words-alone ()
  "The text is the same whether or not the data are wanted."
  (agent-q-fs-test-with-tree (ws '("f" "a \"b\" \\ é 😀\n") '("empty" "") '("d/g" "é\n"))
    (pcase-dolist (`(,op . ,arguments)
                   '((read_file :path "f") (read_file :path "empty") (list_directory)
                     (grep_files :pattern "é") (directory_tree)))
      (let ((whole (agent-q-fs--call ws op arguments nil))
            (words (agent-q-fs--call ws op arguments '(:words t))))
        (should (equal (plist-get whole :text) (plist-get words :text)))
        (should-not (text-properties-at 0 (plist-get words :text)))))
    (should (equal "Error: Path 'none' does not exist"
                   (condition-case problem
                       (agent-q-fs--call ws 'read_file '(:path "none") '(:words t))
                     (agent-q-fs-not-found (plist-get (cdr problem) :text)))))))


;;;; JSON

(ert-deftest agent-q-fs-json/same-without-json-in-c ()
  "An Emacs that was built without functions for JSON in C prints and parses the same."
  (let* ((value (list :a "\u00e9\n" :b 1 :c t :d :false :e :null :f ["x" (:g 2)]))
         (text (agent-q-fs--json-print value)))
    (should (equal text "{\"a\":\"\u00e9\\n\",\"b\":1,\"c\":true,\"d\":false,\"e\":null,\"f\":[\"x\",{\"g\":2}]}"))
    (cl-letf (((symbol-function 'json-serialize) nil)
              ((symbol-function 'json-parse-string) nil))
      (should (equal text (agent-q-fs--json-print value)))
      (should (equal 2 (gethash "g" (aref (gethash "f" (agent-q-fs--json-parse text)) 1))))
      (should (eq :false (gethash "d" (agent-q-fs--json-parse text))))
      (should (eq :null (gethash "e" (agent-q-fs--json-parse text)))))
    (should (equal 2 (gethash "g" (aref (gethash "f" (agent-q-fs--json-parse text)) 1))))
    (should (string-prefix-p "{\"a\":\"" (agent-q-fs--json-print (list :a (string #xd800)))))))


;;;; Callers that give up

(defun agent-q-fs-caller-test--leave (caller &optional file)
  "Have CALLER be gone soon, or once there is FILE."
  (let (timer)
    (setq timer (run-with-timer 0.05 0.05
                                (lambda ()
                                  (when (or (not file) (file-exists-p file))
                                    (cancel-timer timer)
                                    (setf (agent-q-fs-caller-gone caller) t)))))))

(defun agent-q-fs-caller-test--call (workspace caller tool &rest arguments)
  "Return the reply to CALLER's call of TOOL with ARGUMENTS in WORKSPACE, or `quit'."
  (let (reply)
    (condition-case nil
        (progn (agent-q-fs-tools--begin tool arguments workspace
                                        (lambda (it) (setq reply it))
                                        :wait t :caller caller)
               reply)
      (quit 'quit))))

(ert-deftest agent-q-fs-caller/waits ()
  (let ((agent-q-fs-caller (agent-q-fs-caller-new)) (done nil))
    (run-with-timer 0.1 nil (lambda () (setq done t)))
    (agent-q-fs-caller-wait (lambda () done))
    (should done)))

(ert-deftest agent-q-fs-caller/what-is-done-is-answered ()
  (let ((agent-q-fs-caller (agent-q-fs-caller-new)))
    (setf (agent-q-fs-caller-gone agent-q-fs-caller) t)
    (agent-q-fs-caller-wait #'always)))

(ert-deftest agent-q-fs-caller/quits-once-gone ()
  (let ((agent-q-fs-caller (agent-q-fs-caller-new)))
    (agent-q-fs-caller-test--leave agent-q-fs-caller)
    (should (eq 'gone (condition-case nil
                          (agent-q-fs-caller-wait #'ignore)
                        (quit 'gone))))))

(ert-deftest agent-q-fs-caller/what-it-waits-for-ends-at-once ()
  "It ends when the caller goes, because the wait itself may have to go on."
  (let* ((caller (agent-q-fs-caller-new)) (agent-q-fs-caller caller) (ended 0) at-once)
    (should (eq 'gone (condition-case nil
                          (agent-q-fs-caller-wait
                           (lambda ()
                             (agent-q-fs-caller-leave caller)
                             (setq at-once ended)
                             nil)
                           (lambda () (cl-incf ended)))
                        (quit 'gone))))
    (should (= 1 at-once))
    (agent-q-fs-caller-leave caller)
    (should (= 1 ended))))

(ert-deftest agent-q-fs-caller/ends-its-command ()
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (let ((agent-q-fs-policy 'never) (caller (agent-q-fs-caller-new)))
      (agent-q-fs-caller-test--leave caller (expand-file-name "begun"))
      (should (eq 'quit (agent-q-fs-caller-test--call
                         ws caller "shell" :timeout_ms 3600000
                         :command "echo $$ >pid; touch begun; while :; do sleep 1; done")))
      (should (file-exists-p "begun"))
      (let ((pid (with-temp-buffer (insert-file-contents "pid") (read (current-buffer)))))
        (agent-q-fs-test-until (not (eql 0 (signal-process pid 0))))))))

(ert-deftest agent-q-fs-caller/ends-no-call-inside-of-its-own ()
  "A call that comes while it waits has another caller, or none."
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (let ((agent-q-fs-policy 'never) (caller (agent-q-fs-caller-new)) inside)
      (setf (agent-q-fs-caller-gone caller) nil)
      (run-with-timer 0.2 nil
                      (lambda ()
                        (setf (agent-q-fs-caller-gone caller) t)
                        (setq inside (agent-q-fs-call-tool
                                      "shell" '(:command "sleep 0.3; echo inside") ws))))
      (should (eq 'quit (agent-q-fs-caller-test--call ws caller "shell" :timeout_ms 3600000
                                                      :command "while :; do sleep 1; done")))
      (should (string-search "inside" inside)))))

(ert-deftest agent-q-fs-caller/approval-of-ones-own-is-not-waited-for ()
  "The call ends when its caller goes, though the person never answers."
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (let ((caller (agent-q-fs-caller-new))
          (agent-q-fs-approval-function #'ignore))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (agent-q-fs-caller-test--leave caller)
        (should (eq 'quit (agent-q-fs-caller-test--call ws caller "delete_file" :path "f"))))
      (should (file-exists-p "f")))))
;;; agent-q-fs-tests.el ends here

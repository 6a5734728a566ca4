;;; agent-q-fs-symbols-tests.el --- Tests of definitions, uses and lists of names  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Eglot is taken from EGLOT_DIR or the load path, with clangd as its server; SLIME from
;; Debian, and SLY from SLY_DIR, with a real SBCL.  Absent ones are skipped.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-symbols)
(require 'agent-q-fs-symbols-source)
(require 'cl-lib)

(declare-function eglot--guess-contact "ext:eglot" (&optional interactive))
(declare-function eglot-current-server "ext:eglot" ())
(declare-function eglot-shutdown "ext:eglot" (server &rest more))
(declare-function slime-eval-async "ext:slime" (sexp &optional cont package))
(declare-function sly-eval-async "ext:sly" (sexp &optional cont package env))
(declare-function slime-connect "ext:slime" (host port &rest more))
(declare-function slime-disconnect-all "ext:slime" ())
(declare-function slime-connected-p "ext:slime" ())
(declare-function sly-connect "ext:sly" (host port &rest more))
(declare-function sly-disconnect-all "ext:sly" ())
(declare-function sly-connected-p "ext:sly" ())

(defun agent-q-fs-symbols-tests--call (ws name &rest arguments)
  "Return the text of the tool NAME with ARGUMENTS in WS, called without waiting."
  (let (answer)
    (agent-q-fs-call-tool-async name arguments (lambda (text) (setq answer text)) ws)
    (agent-q-fs-test-until answer)))


;;;; Emacs Lisp

(ert-deftest agent-q-fs-symbols/emacs-lisp ()
  "Emacs knows definitions of what it has loaded: functions, variables and macros."
  (agent-q-fs-test-with-tree
      (ws '("lisp/aqfs-sample.el" ";;; -*- lexical-binding: t; -*-\n
(defvar aqfs-sample-count 0)\n
(defun aqfs-sample-add (n)\n  (setq aqfs-sample-count (+ n aqfs-sample-count)))\n
(defmacro aqfs-sample-twice (form)\n  `(progn ,form ,form))\n
(defun aqfs-sample-added (n)\n  (aqfs-sample-twice (aqfs-sample-add n)))\n
(provide 'aqfs-sample)\n"))
    (load (expand-file-name "lisp/aqfs-sample.el") nil t t)
    (dolist (case '(("aqfs-sample-add" "lisp/aqfs-sample.el:5: (defun aqfs-sample-add (n)\n")
                    ("aqfs-sample-count" "lisp/aqfs-sample.el:3: (defvar aqfs-sample-count 0)\n")
                    ("aqfs-sample-twice" "lisp/aqfs-sample.el:8: (defmacro aqfs-sample-twice")))
      (should (string-prefix-p (nth 1 case)
                               (agent-q-fs-symbols-tests--call ws "find_definition"
                                                               :name (car case))))
      (should-not (get-file-buffer "lisp/aqfs-sample.el")))
    ;; Its uses are found as text, where they are no parts of longer names.
    (let ((text (agent-q-fs-symbols-tests--call ws "find_references" :name "aqfs-sample-add"
                                                :path "lisp/aqfs-sample.el")))
      (should (string-search "lisp/aqfs-sample.el:12:" text))
      (should-not (string-search "sample-added" text))
      (should (string-search "[found as text" text)))
    ;; Outside of the root, a place is named and not shown.
    (let ((text (agent-q-fs-symbols-tests--call ws "find_definition" :name "find-file-noselect")))
      (should (string-match-p "files\\.el\\(\\.gz\\)?: outside of the project root, not shown\n"
                              text))
      (should-not (string-search "defun find-file" text)))
    (should (string-search "No definition of aqfs-sample-none is known to Emacs"
                           (agent-q-fs-symbols-tests--call
                            ws "find_definition" :name "aqfs-sample-none")))))

;;;; A Lisp that runs

(defvar agent-q-fs-symbols-tests--asked nil
  "The requests that were made, the latest first.")

(defun agent-q-fs-symbols-tests--approved (answer function)
  "Call FUNCTION while each request is answered ANSWER; return the text that it returns."
  (setq agent-q-fs-symbols-tests--asked nil)
  (let ((agent-q-fs-policy 'tiered)
        (agent-q-fs-unattended-function
         (lambda (request)
           (push request agent-q-fs-symbols-tests--asked)
           (list :decision answer))))
    (funcall function)))

(defmacro agent-q-fs-symbols-tests--approving (&rest body)
  "Run BODY while each request is approved of."
  `(agent-q-fs-symbols-tests--approved 'approved (lambda () ,@body)))

(ert-deftest agent-q-fs-symbols/describes-emacs-lisp ()
  "Parameters and documentation are told; values are not, and nothing is loaded for it."
  (agent-q-fs-test-with-tree
      (ws '("a.el" ";;; -*- lexical-binding: t; -*-\n
(defvar aqfs-told-secret \"hunter2\" \"A word that is known.\")\n
(defun aqfs-told-add (one &optional two)\n  \"Add ONE to TWO.\"\n  (+ one (or two 0)))\n
(autoload 'aqfs-told-later \"aqfs-not-there\" \"Comes later.\")\n"))
    (load (expand-file-name "a.el") nil t t)
    (let ((text (agent-q-fs-symbols-tests--call ws "describe_symbol" :name "aqfs-told-add")))
      (should (string-prefix-p "aqfs-told-add: function\n(aqfs-told-add one &optional two)\n\
Add ONE to TWO.\n" text))
      (should (string-suffix-p "[by Emacs]\n" text)))
    (let ((text (agent-q-fs-symbols-tests--call ws "describe_symbol" :name "aqfs-told-secret"
                                                :path "a.el")))
      (should (string-search "A word that is known." text))
      (should-not (string-search "hunter2" text)))
    (should (string-search "autoloaded from aqfs-not-there\n"
                           (agent-q-fs-symbols-tests--call
                            ws "describe_symbol" :name "aqfs-told-later")))
    (should (string-search "aqfs-told-none is not known to Emacs"
                           (agent-q-fs-symbols-tests--call
                            ws "describe_symbol" :name "aqfs-told-none" :path "a.el")))
    (should-not (intern-soft "aqfs-told-none"))))

(ert-deftest agent-q-fs-symbols/expands-emacs-lisp ()
  "The person is asked before a macro is run, and about this very form."
  (agent-q-fs-test-with-tree
      (ws '("a.el" ";;; -*- lexical-binding: t; -*-\n
(defvar aqfs-run nil)\n
(defmacro aqfs-run-twice (form)\n  (setq aqfs-run t)\n  `(progn ,form ,form))\n")
          '("b.c" "int x;\n"))
    (load (expand-file-name "a.el") nil t t)
    (let ((expand (lambda (&rest arguments)
                    (apply #'agent-q-fs-symbols-tests--call ws "macroexpand_form"
                           :path "a.el" arguments))))
      (set 'aqfs-run nil)
      (should (string-prefix-p "Error: The user denied macroexpand_form"
                               (agent-q-fs-symbols-tests--approved
                                'denied (lambda () (funcall expand :form "(aqfs-run-twice (f))")))))
      (should-not (symbol-value 'aqfs-run))
      (let ((request (car agent-q-fs-symbols-tests--asked)))
        (should (eq 'dangerous (agent-q-fs-request-tier request)))
        (should (string-search "(aqfs-run-twice (f))" (agent-q-fs-request-summary request)))
        (should (equal '(("By" . "Emacs")) (agent-q-fs-request-facts request)))
        (should (eq 'exact (car (car (agent-q-fs-request-likes request))))))
      (agent-q-fs-symbols-tests--approving
       ;; Emacs 30 keeps short forms on one line.
       (should (equal '(progn (f) (f)) (read (funcall expand :form "(aqfs-run-twice (f))"))))
       (should (symbol-value 'aqfs-run))
       (should (string-search "(aqfs-run-twice 1)"
                              (funcall expand :form "(aqfs-run-twice (aqfs-run-twice 1))")))
       (should-not (string-search "twice"
                                  (funcall expand :form "(aqfs-run-twice (aqfs-run-twice 1))" :all t)))
       (pcase-dolist (`(,form . ,words)
                      '(("" . "expected one form") ("  " . "expected one form")
                        ("(a" . "End of file") ("(a) (b)" . "text follows it")
                        ("a)" . "text follows it") ("(pcase-let)" . "Wrong number of arguments")))
         (let ((text (funcall expand :form form)))
           (should (string-prefix-p "Error: " text))
           (should (string-search words text))))
       (should (string-search "expected a file of Common Lisp or Emacs Lisp"
                              (agent-q-fs-symbols-tests--call
                               ws "macroexpand_form" :form "(x)" :path "b.c")))
       (should (string-prefix-p "Error: " (agent-q-fs-symbols-tests--call
                                           ws "macroexpand_form" :form "(x)" :path "../a.el")))))))

(ert-deftest agent-q-fs-symbols/hidden-places-leave-nothing ()
  "Restricted and secret files are not shown, named or counted."
  (let ((source (lambda (name)
                  (list name (format "(defvar aqfs-hidden-%s 'told)\n" (file-name-base name))))))
    (agent-q-fs-test-with-tree (_ws (funcall source "open.el") (funcall source "no/shut.el")
                                    (funcall source ".ssh/key.el"))
      (let ((ws (agent-q-fs-open :root default-directory :restricted_paths '("no"))))
        (unwind-protect
            (progn
              (dolist (file '("open.el" "no/shut.el" ".ssh/key.el"))
                (load (expand-file-name file) nil t t))
              (should (string-search "open.el:1:" (agent-q-fs-symbols-tests--call
                                                   ws "find_definition" :name "aqfs-hidden-open")))
              (dolist (name '("aqfs-hidden-shut" "aqfs-hidden-key"))
                (dolist (tool '("find_definition" "find_references"))
                  (let ((text (agent-q-fs-symbols-tests--call ws tool :name name)))
                    (should-not (string-search "told" text))
                    (should-not (string-search ".el" text)))))
              (should (string-prefix-p "Error: " (agent-q-fs-symbols-tests--call
                                                  ws "list_symbols" :path "no/shut.el")))
              (should (string-prefix-p "Error: " (agent-q-fs-symbols-tests--call
                                                  ws "list_symbols" :path ".ssh/key.el"))))
          (agent-q-fs-close ws))))))


;;;; Lists

(ert-deftest agent-q-fs-symbols/lists ()
  (agent-q-fs-test-with-tree
      (ws '("a.el" "(defvar one 1)\n\n(defun two ()\n  one)\n")
          '("b.py" "class A:\n    def f(self):\n        pass\n\ndef g():\n    pass\n")
          '("c.lisp" "(in-package :cl-user)\n\n(defun three (x) x)\n(defmethod four ((x t)) x)\n")
          '("d.c" "int x;\n\nstatic int five(int y) {\n    return y;\n}\n")
          '("e.txt" "nothing\n") '("f.nope" "nothing\n"))
    (pcase-dolist (`(,path . ,lines)
                   '(("a.el" "1: one  \\[Variables\\]" "3: two")
                     ("b.py" "1: A (class)\\|1: .*class" "5: g (def)")
                     ("c.lisp" "3: three" "4: four")
                     ("d.c" "3: five")
                     ("e.txt" "Imenu finds no symbols")
                     ("f.nope" "no mode")))
      (let ((text (agent-q-fs-symbols-tests--call ws "list_symbols" :path path)))
        (dolist (line lines)
          (should (string-match-p line text)))))
    (should (equal "3: two\n" (agent-q-fs-symbols-tests--call
                               ws "list_symbols" :path "a.el" :pattern "TW")))
    (should (string-prefix-p "Error: " (agent-q-fs-symbols-tests--call
                                        ws "list_symbols" :path "../etc")))
    (should (equal '((:line 1 :name "one" :kind "Variables") (:line 3 :name "two" :kind nil))
                   (plist-get (agent-q-fs-symbols--list ws '(:path "a.el")) :symbols)))))

(ert-deftest agent-q-fs-symbols/names-are-names ()
  (agent-q-fs-test-with-tree (ws '("a.el" "1\n"))
    (dolist (name '("" "a b" "a\nb" "(f x)"))
      (if (equal name "(f x)")
          (should (string-search "expected one name" (agent-q-fs-symbols-tests--call
                                                      ws "find_definition" :name name)))
        (should (string-prefix-p "Error: name" (agent-q-fs-symbols-tests--call
                                                ws "find_references" :name name)))))
    (should (string-prefix-p "Error: " (agent-q-fs-symbols-tests--call
                                        ws "find_definition" :name "x" :path "none.el")))))

(ert-deftest agent-q-fs-symbols/nothing-knows ()
  "It is said what to do."
  (agent-q-fs-test-with-tree (ws '("a.lisp" "(f)\n") '("b.c" "f();\n"))
    (cl-letf (((symbol-function 'sly-connected-p) #'ignore)
              ((symbol-function 'slime-connected-p) #'ignore))
      (should (string-search "M-x sly" (agent-q-fs-symbols-tests--call
                                        ws "find_definition" :name "f" :path "a.lisp")))
      (should (string-search "M-x sly" (agent-q-fs-symbols-tests--call
                                        ws "describe_symbol" :name "f" :path "a.lisp")))
      (agent-q-fs-symbols-tests--approving
       (let ((text (agent-q-fs-symbols-tests--call
                    ws "macroexpand_form" :form "(f)" :path "a.lisp")))
         (should (string-prefix-p "Error: " text))
         (should (string-search "M-x sly" text))))
      (should-not agent-q-fs-symbols-tests--asked)
      (should (string-search "M-x eglot" (agent-q-fs-symbols-tests--call
                                          ws "find_definition" :name "f" :path "b.c")))
      (should (string-search "b.c:1:f();" (agent-q-fs-symbols-tests--call
                                           ws "find_references" :name "f" :path "b.c")))))
  (let ((ws (agent-q-fs-open :backend 'memory)))
    (unwind-protect
        (should (string-search "not on this machine's disk" (agent-q-fs-symbols-tests--call
                                                             ws "find_definition" :name "f")))
      (agent-q-fs-close ws))))


;;;; TAGS

(ert-deftest agent-q-fs-symbols/tags ()
  "A real TAGS file, also one that is older than the sources."
  (unless (executable-find "etags")
    (ert-skip "There is no etags"))
  (agent-q-fs-test-with-tree
      (ws '("src/a.c" "int zero;\n\nint parse_line(char *s)\n{\n    return 0;\n}\n")
          '("src/b.c" "extern int parse_line(char *s);\nint main(void)\n{\n    return 1;\n}\n"))
    (call-process "etags" nil nil nil "-o" "TAGS" "src/a.c" "src/b.c")
    (should (string-prefix-p "src/a.c:3: int parse_line(char *s)\n1 definition of parse_line, by"
                             (agent-q-fs-symbols-tests--call
                              ws "find_definition" :name "parse_line" :path "src/b.c")))
    (agent-q-fs-test--write "src/a.c" "/* new */\nint zero;\n\nint parse_line(char *s)\n{\n}\n")
    (should (string-prefix-p "src/a.c:4: int parse_line(char *s)\n"
                             (agent-q-fs-symbols-tests--call
                              ws "find_definition" :name "parse_line" :path "src/b.c")))
    (should (string-search "No definition of line is known to TAGS"
                           (agent-q-fs-symbols-tests--call
                            ws "find_definition" :name "line" :path "src/b.c")))))


;;;; Sources that are late, or fail

(ert-deftest agent-q-fs-symbols/late-and-failing-sources ()
  (agent-q-fs-test-with-tree (ws '("a.c" "int f;\n"))
    (let ((place (list :file (expand-file-name "a.c") :line 1))
          (agent-q-fs-symbols-seconds 0.2)
          later)
      (cl-letf (((symbol-function 'agent-q-fs-symbols-source-all)
                 (lambda (_query)
                   `(("never" . ,(lambda (done) (setq later done)))
                     ("broken" . ,(lambda (_done) (error "Broken")))
                     ("good" . ,(lambda (done)
                                  (run-at-time 0.01 nil done (list place place))))))))
        (let ((text (agent-q-fs-symbols-tests--call ws "find_definition" :name "f")))
          (should (string-prefix-p "a.c:1: int f;\n1 definition of f" text))
          (should (string-search "from never]" text))
          (funcall later (list place))  ; too late: nothing happens
          (should (functionp later)))))))


(ert-deftest agent-q-fs-symbols/many-places ()
  "Places are counted in long files without looking through them again for each."
  (agent-q-fs-test-with-tree
      (ws (list "a.c" (mapconcat (lambda (i) (format "f(%d); /* ü */" i))
                                 (number-sequence 1 20000) "\n")))
    (let* ((file (expand-file-name "a.c"))
           (text (plist-get (agent-q-fs-symbols-read ws file) :content))
           (at (lambda (words) (1+ (string-search words text))))
           (places (append (list (list :file file :position 1)
                                 (list :file file :position (funcall at "\nf(2);"))
                                 (list :file file :position (funcall at "f(3);"))
                                 (list :file file :position (length text))
                                 (list :file file :position (* 2 (length text)))
                                 (list :file file :line 30000)
                                 (list :file file :line 90 :snippet "f(77); /*\nmore"))
                           (mapcar (lambda (i) (list :file file :position (* 10 i)))
                                   (number-sequence 1 5000)))))
      (should (equal '(1 3 77 20000)
                     (mapcar (lambda (place) (plist-get place :line))
                             (agent-q-fs-symbols--all-judged ws (seq-take places 7)))))
      (should (< 2000 (length (agent-q-fs-symbols--all-judged ws places)))))))


;;;; Language servers

(defmacro agent-q-fs-symbols-tests--with-clangd (spec &rest body)
  "Run BODY with clangd in a project; SPEC is as for `agent-q-fs-test-with-tree'.
Its first file is open in a buffer, and managed by Eglot."
  (declare (indent 1))
  `(progn
     (dolist (directory (split-string (or (getenv "EGLOT_DIR") "") path-separator t))
       (add-to-list 'load-path directory))
     (unless (and (executable-find "clangd") (require 'eglot nil t))
       (ert-skip "There is no Eglot (EGLOT_DIR), or no clangd"))
     (agent-q-fs-test-with-tree ,spec
       (agent-q-fs-symbols-tests--call-with-clangd ,(car (cadr (cadr spec)))
                                                   (lambda () ,@body)))))

(defvar eglot-autoshutdown)
(defvar eglot-sync-connect)
(defvar eglot-server-programs)

(defun agent-q-fs-symbols-tests--call-with-clangd (file function)
  "Open FILE, have Eglot manage it with clangd, and call FUNCTION."
  (call-process "git" nil nil nil "init" "-q")
  (let* ((eglot-sync-connect 10)
         (eglot-server-programs '((c-mode . ("clangd" "--background-index=false"))))
         (enable-local-variables nil)
         (buffer (find-file-noselect file)))
    (unwind-protect
        (progn
          (with-current-buffer buffer
            (apply 'eglot (eglot--guess-contact))
            (agent-q-fs-test-until (eglot-current-server)))
          (funcall function))
      (with-current-buffer buffer
        (set-buffer-modified-p nil)
        (when (eglot-current-server)
          (ignore-errors (eglot-shutdown (eglot-current-server))))
        (kill-buffer buffer)))))

(ert-deftest agent-q-fs-symbols/eglot ()
  (agent-q-fs-symbols-tests--with-clangd
      (ws '("a.c" "#include \"a.h\"\nint add(int x)\n{\n    return x + 1;\n}\n")
          '("a.h" "int add(int x);\n")
          '("b.c" "#include \"a.h\"\n\nint main(void)\n{\n    /* ü😀 */ return add(add(1));\n}\n"))
    ;; From a file that no buffer visits.
    (let ((text (agent-q-fs-symbols-tests--call ws "find_definition" :name "add" :path "b.c")))
      (should (string-match-p "\\`a\\.\\(c:2: int add(int x)\\|h:1: int add(int x);\\)\n" text))
      (should (string-search "by Eglot's server" text)))
    (should-not (get-file-buffer "b.c"))
    (should (string-match-p "^b\\.c:5: .*\n1 reference of add, by Eglot's server\n\\'"
                            (agent-q-fs-symbols-tests--call
                             ws "find_references" :name "add" :path "b.c" :line 5)))
    ;; From the open file, with an unsaved change above.
    (with-current-buffer "a.c"
      (goto-char (point-min))
      (insert "/* new */\n"))
    (let ((text (agent-q-fs-symbols-tests--call ws "find_definition" :name "x" :path "a.c")))
      (should (string-search "a.c:3: " text))
      (should (string-search "has unsaved changes" text)))
    ;; By its name alone.
    (should (string-search "add" (agent-q-fs-symbols-tests--call
                                  ws "find_definition" :name "add")))))


;;;; Connected Lisps

(defun agent-q-fs-symbols-tests--lisp (server loader)
  "Start SBCL with SERVER, swank or slynk, by the file LOADER; return (PROCESS . PORT)."
  (let* ((buffer (generate-new-buffer " *lisp*"))
         (process
          (make-process
           :name "lisp" :buffer buffer :noquery t :connection-type 'pipe
           :command (append
                     '("sbcl" "--noinform" "--no-userinit" "--no-sysinit" "--disable-debugger")
                     (mapcan (lambda (form) (list "--eval" form))
                             (list (format "(load %S)" loader)
                                   (format "(%s-loader:init)" server)
                                   (format "(format t \"~&PORT ~D~%%\" \
(%s:create-server :port 0 :dont-close t))" server)
                                   "(finish-output)" "(loop (sleep 60))"))))))
    (cons process
          (agent-q-fs-test-until
           (with-current-buffer buffer
             (goto-char (point-min))
             (and (re-search-forward "^PORT \\([0-9]+\\)$" nil t)
                  (string-to-number (match-string 1))))
           (with-current-buffer buffer (buffer-string))))))

(defun agent-q-fs-symbols-tests--check-live-lisp (ws)
  "Check in WS what the connected Lisp says of names and macros of src/sample.lisp."
  (let ((describe (lambda (name)
                    (agent-q-fs-symbols-tests--call ws "describe_symbol" :name name
                                                    :path "src/sample.lisp")))
        (expand (lambda (form &rest more)
                  (apply #'agent-q-fs-symbols-tests--call ws "macroexpand_form" :form form
                         :path "src/sample.lisp" more))))
    (let ((text (funcall describe "sample::add")))
      (should (string-prefix-p "SAMPLE::ADD: function\n" text))
      (should (string-search "Lambda-list: (X)" text)))
    (let ((text (funcall describe "*key*")))
      (should (string-search "What opens the door." text))
      (should (string-search "its value is not shown" text))
      (should-not (string-search "hunter2" text)))
    (should (string-search "Has a side." (funcall describe "box")))
    (should (string-search "is not known to S" (funcall describe "nobody-has-this")))
    (dolist (name '("#.(error)" "add\")(error)\"" "::" "|a"))
      (should (stringp (funcall describe name))))
    (agent-q-fs-symbols-tests--approving
     (should (equal "(PROGN (F) (F))\n" (upcase (replace-regexp-in-string
                                               "[ \n]+\\([^\0]\\)" " \\1"
                                               (funcall expand "(twice (f))")))))
     (let ((request (car agent-q-fs-symbols-tests--asked)))
       (should (string-match-p "\\`SL\\(?:Y\\|IME\\), in package SAMPLE\\'"
                               (cdr (assoc "By" (agent-q-fs-request-facts request))))))
     (should-not (string-match-p "twice" (downcase (funcall expand "(twice (twice 1))" :all t))))
     ;; A form that fails, or does not end, is told: no debugger opens.
     (dolist (form '("#.(cl:error \"run\")" "(twice" ")" "(cl:macrolet ((m () (cl:break))) (m))"))
       (should (string-prefix-p "Error: " (funcall expand form :all t))))
     (let ((agent-q-fs-symbols-seconds 1))
       (should (string-match-p "\\`Error: SL.* \\(did not end\\|has not expanded\\|was stopped\\)"
                               (funcall expand "(endless)")))))))

(defun agent-q-fs-symbols-tests--check-lisp (ws evaluate)
  "Check the tools in WS, where EVALUATE sends forms to the connected Lisp."
  (agent-q-fs-test--write
   "src/sample.lisp" "(defpackage :sample (:use :cl))\n(in-package :sample)\n
(defun add (x)\n  (+ x 1))\n
(defmacro twice (form)\n  `(progn ,form ,form))\n
(defun caller (y)\n  (twice (add y)))\n
(defvar *key* \"hunter2\" \"What opens the door.\")\n
(defclass box () ((side :initarg :side)) (:documentation \"Has a side.\"))\n
(defmacro endless ()\n  (loop (sleep 0.01)))\n")
  (let (loaded)
    (funcall evaluate `(cl:progn (cl:load (cl:compile-file ,(expand-file-name "src/sample.lisp")))
                                 cl:t)
             (lambda (value) (setq loaded value)))
    (agent-q-fs-test-until loaded))
  (dolist (name '("add" "sample::add" "SAMPLE::ADD"))
    (should (string-prefix-p "src/sample.lisp:4: (defun add (x)\n"
                             (agent-q-fs-symbols-tests--call
                              ws "find_definition" :name name :path "src/sample.lisp"))))
  (let ((text (agent-q-fs-symbols-tests--call ws "find_references" :name "add")))
    (should (string-match-p "^src/sample.lisp:1[01]: " text))
    (should-not (string-search "[found as text" text)))
  (should (string-match-p "^src/sample.lisp:1[01]: "
                          (agent-q-fs-symbols-tests--call ws "find_references" :name "twice")))
  ;; A question is data: nothing of it is evaluated, and the debugger does not open.
  (dolist (name '("#.(error)" "add\")(error)\"" "nobody:knows" ":" "::" "|a"))
    (should (stringp (agent-q-fs-symbols-tests--call ws "find_definition" :name name
                                                     :path "src/sample.lisp"))))
  (should-not (seq-find (lambda (buffer) (string-match-p "\\*\\(sly-db\\|sldb\\)" (buffer-name buffer)))
                        (buffer-list)))
  (agent-q-fs-symbols-tests--check-live-lisp ws)
  ;; The definitions of SBCL are not in the root.
  (should-not (string-search "defun mapcar" (agent-q-fs-symbols-tests--call
                                             ws "find_definition" :name "mapcar"
                                             :path "src/sample.lisp"))))

;; The compiler's words about an edit are tested here, where there is a connected Lisp.

(defun agent-q-fs-symbols-tests--edit (ws &rest arguments)
  "Return the text of edit_form with ARGUMENTS in WS, called without waiting."
  (apply #'agent-q-fs-symbols-tests--call ws "edit_form" :path "src/notes.lisp" arguments))

(defun agent-q-fs-symbols-tests--check-notes (ws evaluate)
  "Check in WS what is said of edits; EVALUATE sends forms to the connected Lisp."
  (agent-q-fs-test--write
   "src/notes.lisp" "(in-package :sample)\n
(defstruct pile (höhe 1))\n
(defun area (side)\n  (* side side))\n
(defmacro doubled (x)\n  `(* 2 ,x))\n
(defun half (x)\n  (/ x 2))\n")
  (let* ((agent-q-fs-lisp-notes t) (agent-q-fs-policy 'tiered)
         (agent-q-fs-approve--once nil) (agent-q-fs-approve--rules nil)
         (agent-q-fs-diagnostics--seconds 60)
         (temporary-file-directory (file-name-as-directory (make-temp-file "aqfs-notes-" t)))
         (requests nil)
         (agent-q-fs-approval-function (lambda (request done) (push (cons request done) requests)))
         (edit (lambda (name content)
                 (agent-q-fs-symbols-tests--edit ws :name name :content content)))
         (value (lambda (form)
                  (let (got)
                    (funcall evaluate form (lambda (value) (setq got (list value))))
                    (car (agent-q-fs-test-until got)))))
         (wrong "(defun area (side)\n  (let ((n side))\n    (* n (car 1 2) (lost side))))"))
    (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
      ;; Nobody waits for the person, who is asked once.
      (should (string-search "[src/notes.lisp: not compiled: the user is asked"
                             (funcall edit "area" wrong)))
      (should (string-search "the user is asked" (funcall edit "half" "(defun half (x) (/ x 3))")))
      (should (= 1 (length requests)))
      (should (eq 'dangerous (agent-q-fs-request-tier (caar requests))))
      (funcall (cdar requests) '(:decision denied))
      (should (string-search "the user does not let it be compiled"
                             (funcall edit "half" "(defun half (x) (/ x 4))")))
      (setq agent-q-fs-approve--once nil)
      (funcall edit "half" "(defun half (x) (/ x 5))")
      (funcall (cdar requests) '(:decision approved))
      ;; Another function has the faults now, and only the changed one is told of.
      (let ((text (funcall edit "half" "(defun half (x)\n  (lost-too (/ x 2) (pile-höhe x) (area 1)))")))
        (should (string-match-p "^Notes of the compiler (SL[A-Z]+):\n\
src/notes\\.lisp:13: warning: undefined function: \\(?:SAMPLE::\\)?LOST-TOO\n\\'" text)))
      (let ((text (funcall edit "area" (string-replace "lost" "lost-one" wrong))))
        (should (string-match-p "^src/notes\\.lisp:7: warning: .*CAR.*two arguments" text))
        (should-not (string-search "LOST-TOO" text)))
      (should (string-match-p "\\[SL[A-Z]+ compiles what is new in src/notes\\.lisp without a warning\\]"
                              (funcall edit "area" "(defun area (side)\n  (* side side side))")))
      ;; Nothing was loaded, and no macro was defined by compiling it.
      (funcall edit "doubled" "(defmacro doubled (x)\n  `(* 3 ,x))")
      (should-not (funcall value '(cl:and (cl:or (cl:fboundp (cl:intern "AREA" "SAMPLE"))
                                                 (cl:macro-function (cl:intern "DOUBLED" "SAMPLE")))
                                          t)))
      (should (equal '("notes.lisp" "sample.fasl" "sample.lisp")
                     (directory-files "src" nil "\\`[^.]")))
      ;; A form that does not end is stopped, one that fails is told, and no debugger opens.
      (should (string-match-p "^src/notes\\.lisp:[0-9]+: error: "
                              (funcall edit "half" "(defun half (x)\n  (macrolet ((m () (error \"no\"))) (m)))")))
      (let ((agent-q-fs-diagnostics--seconds 0.5))
        (should (string-match-p "\\[SL[A-Z]+ has not compiled src/notes\\.lisp in 0 s\\]"
                                (funcall edit "half" "(defun half (x)\n  (macrolet ((m () (loop (sleep 0.01)))) (m)))"))))
      (should-not (seq-find (lambda (buffer) (string-match-p "\\*\\(sly-db\\|sldb\\)" (buffer-name buffer)))
                            (buffer-list)))
      (should (directory-empty-p temporary-file-directory))
      (delete-directory temporary-file-directory))))

(ert-deftest agent-q-fs-symbols/slime ()
  (let ((directory (car (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/slime-[0-9]*")))
        (loader "/usr/share/common-lisp/source/slime/swank-loader.lisp"))
    (unless (and directory (file-exists-p loader) (executable-find "sbcl"))
      (ert-skip "Debian's packages slime and sbcl are not installed"))
    (add-to-list 'load-path directory)
    (require 'slime)
    (agent-q-fs-test-with-tree (ws '("README" "x"))
      (pcase-let ((`(,process . ,port) (agent-q-fs-symbols-tests--lisp "swank" loader))
                  (inhibit-message t))
        (unwind-protect
            (progn
              (slime-connect "localhost" port)
              (agent-q-fs-test-until (slime-connected-p))
              (agent-q-fs-symbols-tests--check-lisp ws #'slime-eval-async)
              (agent-q-fs-symbols-tests--check-notes ws #'slime-eval-async))
          (slime-disconnect-all)
          (delete-process process))))))

(ert-deftest agent-q-fs-symbols/sly ()
  (let* ((directory (getenv "SLY_DIR"))
         (loader (and directory (expand-file-name "slynk/slynk-loader.lisp" directory))))
    (unless (and loader (executable-find "sbcl"))
      (ert-skip "SLY_DIR does not name the directory of SLY, or there is no SBCL"))
    (add-to-list 'load-path directory)
    (require 'sly)
    (agent-q-fs-test-with-tree (ws '("README" "x"))
      (pcase-let ((`(,process . ,port) (agent-q-fs-symbols-tests--lisp "slynk" loader))
                  (inhibit-message t))
        (unwind-protect
            (progn
              (sly-connect "localhost" port)
              (agent-q-fs-test-until (sly-connected-p))
              (agent-q-fs-symbols-tests--check-lisp ws #'sly-eval-async)
              (agent-q-fs-symbols-tests--check-notes ws #'sly-eval-async))
          (sly-disconnect-all)
          (delete-process process))))))

;;; agent-q-fs-symbols-tests.el ends here

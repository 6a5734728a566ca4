;;;; library-tests.lisp -- finding, loading and refusing the shared object.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test library.versions
  (let ((versions (versions)))
    (is (equal agent-q-fs/catalogue:*abi* (getf versions :abi)))
    (is (equal agent-q-fs/catalogue:*version* (getf versions :version)))
    (dolist (name '("agent-q-fs" "agent-q-fs/ffi" "agent-q-fs/agent-q"))
      (is (equal agent-q-fs/catalogue:*version*
                 (asdf:component-version (asdf:find-system name)))))))

(test library.metadata
  (let ((system (asdf:find-system "agent-q-fs")))
    (dolist (reader '(asdf:system-author asdf:system-license asdf:system-homepage
                      asdf:system-description asdf:system-long-description))
      (is (plusp (length (funcall reader system))) "~A answers nothing" reader))
    (is (equal (list :git (asdf:system-homepage system)) (asdf:system-source-control system)))))

(test library.candidates-are-absolute
  (dolist (candidate (agent-q-fs::library-candidates))
    (is (eq :absolute (first (pathname-directory candidate))))))

(test library.candidates-are-tried-once
  ;; The directory of the sources is also one of those that are always tried.
  (let* ((*library-path* nil)
         (directory #p"/usr/share/common-lisp/source/agent-q-fs/")
         (agent-q-fs::*source-directory* directory)
         (candidates (agent-q-fs::library-candidates)))
    (is (equal directory (uiop:pathname-directory-pathname (second candidates))))
    (is (= (length candidates) (length (remove-duplicates candidates :test #'equal))))))

#+sbcl
(test library.looked-for-beside-the-image
  (is (equal (loop for file in (list sb-ext:*core-pathname* sb-ext:*runtime-pathname*)
                   collect (uiop:pathname-directory-pathname (truename file)))
             (agent-q-fs::image-directories))))

(test library.loaded-for-the-table
  (let ((agent-q-fs::*natives* nil) (agent-q-fs::*ffi-operations* nil))
    (is (plusp (length (operations :ffi))))
    (is-true agent-q-fs::*natives*)))

(test library.asked-for
  (dolist (ask '(agent-q-fs::read-library-path agent-q-fs::ask-for))
    (let* ((shown (make-string-output-stream))
           (*query-io* (make-two-way-stream (make-string-input-stream (format nil "/x/y~%z")) shown)))
      (is (equal '("/x/y") (if (eq ask 'agent-q-fs::ask-for)
                               (funcall ask "Path")
                               (funcall ask))))
      (is (search "Path" (get-output-stream-string shown))))))

(test library.missing
  (let ((agent-q-fs::*natives* nil)
        (*library-path* "/no/such/agent-q-fs-module.so"))
    (let ((condition (condition-of (load-library))))
      (is (typep condition 'agent-q-fs-library-error))
      (is (search "/no/such/" (agent-q-fs-error-message condition)))
      (is (search "make all" (agent-q-fs-error-hint condition))))
    (signals agent-q-fs-library-error (call-tool "read_file" '(:path "a")
                                                 :workspace nil))))

(test library.restarts
  (let* ((right (agent-q-fs::find-library))
         (agent-q-fs::*natives* nil)
         (*library-path* "/no/such/agent-q-fs-module.so")
         (tried '()))
    (handler-bind ((agent-q-fs-library-error
                     (lambda (condition)
                       (declare (ignore condition))
                       (push t tried)
                       (if (rest tried)
                           (invoke-restart 'use-path right)
                           (invoke-restart 'retry)))))
      (is (vectorp (load-library))))
    (is (= 2 (length tried)))))

;;;; Building

(defun write-tree (root recipe)
  "Makes a source tree in ROOT as far as it is looked at, with RECIPE for the shared object.
Returns the directory of its system."
  (ensure-directories-exist (concatenate 'string root "lisp/"))
  (put (concatenate 'string root "module/build.mk")
       (format nil ".PHONY: module~%module:~%~C@~A~%" #\Tab recipe))
  (uiop:parse-native-namestring (concatenate 'string root "lisp/")))

(defmacro with-source-tree ((root recipe) &body body)
  "Runs BODY as if this system stood in a source tree of its own in ROOT, where make does RECIPE,
and had loaded no shared object."
  `(with-tree (,root ("module/"))
     (let ((agent-q-fs::*source-directory* (write-tree ,root ,recipe))
           (agent-q-fs::*natives* nil)
           (*library-path* nil))
       ,@body)))

(defun offered-restarts ()
  "Returns the names of our restarts where the shared object cannot be loaded."
  (block nil
    (handler-bind ((agent-q-fs-library-error
                     (lambda (condition)
                       (return (intersection '(agent-q-fs:build retry use-path)
                                             (mapcar #'restart-name
                                                     (compute-restarts condition)))))))
      (load-library))))

(defun load-building ()
  "Loads the shared object with the restart BUILD, again after each failure but the second.
Returns the errors, and what was printed."
  (let* ((errors '())
         (printed (with-output-to-string (*standard-output*)
                    (block nil
                      (handler-bind ((agent-q-fs-library-error
                                       (lambda (condition)
                                         (push condition errors)
                                         (when (rest errors) (return))
                                         (invoke-restart 'agent-q-fs:build))))
                        (load-library))))))
    (values (reverse errors) printed)))

(defun shared-object ()
  (native-namestring (agent-q-fs::find-library)))

(test library.build
  (let ((right (shared-object)))
    ;; No candidate outside the tree is to be found before it is built.
    (with-source-tree (root (format nil "echo compiling; mkdir -p build; cp ~A build/" right))
      (setf *library-path* "/no/such/agent-q-fs-module.so")
      (multiple-value-bind (errors printed) (load-building)
        (is (= 1 (length errors)))
        (is (search "was not found" (agent-q-fs-error-message (first errors))))
        (is (search (format nil "Building agent-q-fs in ~A" root) printed))
        (is (search "compiling" printed))
        (is (vectorp agent-q-fs::*natives*))
        (is (equal (concatenate 'string root "build/agent-q-fs-module.so") (shared-object)))))))

(test library.build-fails
  (with-source-tree (root "echo what is wrong >&2; exit 3")
    (setf *library-path* "/no/such/agent-q-fs-module.so")
    (multiple-value-bind (errors printed) (load-building)
      (is (= 2 (length errors)))
      (is (search "what is wrong" printed))
      (is (search "Building failed" (agent-q-fs-error-message (second errors))))
      (is (search (format nil "~Amodule/packages" root) (agent-q-fs-error-hint (second errors))))
      (is (null agent-q-fs::*natives*)))))

(test library.build-is-offered-with-the-sources-only
  (with-source-tree (root "exit 1")
    (setf *library-path* "/no/such/agent-q-fs-module.so")
    (is (= 3 (length (offered-restarts))))
    (dolist (directory (list (uiop:parse-native-namestring root) nil))
      (setf agent-q-fs::*source-directory* directory)
      (is (null (set-exclusive-or '(retry use-path) (offered-restarts))))
      (signals agent-q-fs-library-error (agent-q-fs:build-library)))))

(test library.not-a-shared-object
  (with-tree (root ("agent-q-fs-module.so" "text"))
    (let ((agent-q-fs::*natives* nil)
          (*library-path* (concatenate 'string root "agent-q-fs-module.so")))
      (let ((condition (condition-of (load-library))))
        (is (typep condition 'agent-q-fs-library-error))
        (is (search "cannot be loaded" (agent-q-fs-error-message condition)))))))

(test library.loaded-twice
  ;; SBCL closes and reopens what it has loaded; open workspaces must still work.
  (with-tree (root ("a" "x"))
    (loop repeat 3
          do (cffi:load-foreign-library (agent-q-fs::find-library))
             (is (equal "x" (getf (call :read-file :path "a") :content))))))

;;;; In another Lisp, because in this one the right symbols are loaded already

(defun fasl-directory ()
  "Returns the directory of our compiled files; nil if the tests were loaded without setup.lisp."
  (let ((symbol (and (find-package '#:agent-q-fs/setup)
                     (find-symbol "*FASLS*" '#:agent-q-fs/setup))))
    (and symbol (namestring (symbol-value symbol)))))

(defun setup-form ()
  "Returns the forms that a new Lisp has to load, as text."
  (with-standard-io-syntax
    (format nil "(defvar cl-user::*agent-q-fs-fasls* ~S)~%(load ~S)~%~
                 (agent-q-fs/setup:load-systems '(\"agent-q-fs/ffi\") '(\"cffi\") nil)~%~
                 (in-package #:agent-q-fs)~%"
            (fasl-directory)
            (namestring (asdf:system-relative-pathname "agent-q-fs"
                                                       "../test/lisp/setup.lisp")))))

(defun lisp-command (file)
  "Returns the command that loads FILE in a new Lisp of this kind."
  #+sbcl (list sb-ext:*runtime-pathname* "--noinform" "--non-interactive" "--no-sysinit"
               "--no-userinit" "--load" file)
  #+ecl (list "ecl" "--norc" "--load" file "--eval" "(ext:quit 0)")
  #-(or sbcl ecl) (error "It is not known here how ~A is started with ~A"
                         (lisp-implementation-type) file))

(defun fresh-lisp (form)
  "Evaluates FORM, a text, in a new Lisp with our systems, and returns the output."
  (let ((directory (new-directory)))
    (unwind-protect
         (let ((file (concatenate 'string directory "form.lisp")))
           (put file (concatenate 'string (setup-form) form))
           (uiop:run-program (lisp-command file)
                             :output :string :error-output :output
                             :ignore-error-status t))
      (uiop:run-program (list "rm" "-rf" directory)))))

(defun stand-in (directory source)
  "Makes a shared object from SOURCE, and returns its name, or nil without a compiler."
  (let ((c (concatenate 'string directory "stand-in.c"))
        (so (concatenate 'string directory "stand-in.so")))
    (put c source)
    (and (zerop (nth-value 2 (uiop:run-program (list "cc" "-shared" "-fPIC" "-o" so c)
                                               :ignore-error-status t)))
         so)))

(defun refusal-of-stand-in (source)
  "Returns the output of a new Lisp that loads SOURCE, and then the right shared object."
  (with-tree (root)
    (let ((so (stand-in root source)))
      (and so
           (fresh-lisp
            (format nil "(let ((right (find-library)) (*library-path* ~S))
                           (handler-bind ((agent-q-fs-library-error
                                            (lambda (c)
                                              (format t \"~~&REFUSED ~~A~~%\" c)
                                              (invoke-restart 'use-path right))))
                             (load-library)
                             (format t \"~~&THEN ABI ~~D~~%\" (getf (versions) :abi))))"
                    so))))))

(defun ends-with-our-abi-p (said)
  "Was our shared object loaded after the stand-in had been refused?"
  (search (format nil "THEN ABI ~D" agent-q-fs/catalogue:*abi*) said))

(test library.another-abi-version
  (let ((said (refusal-of-stand-in "int aqfs_abi_version(void) { return 1000; }")))
    (if said
        (is (and (search (format nil "has ABI version 1000, but this code needs ~D"
                                 agent-q-fs/catalogue:*abi*)
                         said)
                 (not (find #\~ said))
                 (ends-with-our-abi-p said))
            "It said ~A" said)
        (skip "no C compiler"))))

(test library.another-library
  (let ((said (refusal-of-stand-in "int something_else(void) { return 1; }")))
    (if said
        (is (and (search "is not the shared object of agent-q-fs" said)
                 (ends-with-our-abi-p said))
            "It said ~A" said)
        (skip "no C compiler"))))

#+sbcl
(test library.saved-image
  ;; A workspace that was open when the image was saved is closed when the image starts.
  (with-tree (root ("a" "text"))
    (let ((image (concatenate 'string root "image")))
      (fresh-lisp (format nil "(setf *transport* :ffi
                                     *workspace* (open-workspace :root ~S))
                               (call :read-file :path \"a\")
                               (sb-ext:save-lisp-and-die ~S)" root image))
      (let ((said (uiop:run-program
                   (list sb-ext:*runtime-pathname* "--core" image "--noinform"
                         "--non-interactive" "--no-sysinit" "--no-userinit" "--eval"
                         (format nil "(progn (format t \"~~A~~%\" (agent-q-fs:call-tool
                                        \"read_file\" '(:path \"a\")))
                                      (agent-q-fs:with-workspace (:root ~S)
                                        (format t \"THEN ~~A\" (getf (agent-q-fs:call :read-file
                                                                 :path \"a\") :content))))"
                                 root))
                   :output :string :error-output :output :ignore-error-status t)))
        (is (and (search "Error: The workspace is closed" said) (search "THEN text" said))
            "It said ~A" said)))))

#+sbcl
(test library.saved-image-in-another-place
  ;; There is nothing where the shared object was when the image was saved; it lies beside.
  (with-tree (root ("a" "text"))
    (let ((image (concatenate 'string root "image"))
          (other (concatenate 'string root "other.so")))
      (uiop:copy-file (agent-q-fs::find-library) other)
      (fresh-lisp (format nil "(setf *library-path* ~S)
                               (load-library)
                               (delete-file ~S)
                               (setf *library-path* nil *source-directory* nil)
                               (sb-ext:save-lisp-and-die ~S)" other other image))
      (uiop:copy-file (agent-q-fs::find-library) (concatenate 'string root "agent-q-fs-module.so"))
      (let ((said (uiop:run-program
                   (list sb-ext:*runtime-pathname* "--core" image "--noinform"
                         "--non-interactive" "--no-sysinit" "--no-userinit" "--eval"
                         (format nil "(agent-q-fs:with-workspace (:root ~S :transport :ffi)
                                        (format t \"THEN ~~A ~~A\"
                                                (agent-q-fs::native-namestring
                                                  (agent-q-fs::find-library))
                                                (getf (agent-q-fs:call :read-file :path \"a\")
                                                      :content)))"
                                 root))
                   :output :string :error-output :output :ignore-error-status t)))
        (is (search (format nil "THEN ~Aagent-q-fs-module.so text" root) said)
            "It said ~A" said)))))

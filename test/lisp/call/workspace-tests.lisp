;;;; workspace-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test workspace.open-and-close
  (with-tree (root ("a" "x"))
    (let ((workspace (open-workspace :root root)))
      (is (workspace-p workspace))
      (is (equal root (workspace-root workspace)))
      (is (eq :explicit (getf (workspace-properties workspace) :method)))
      (is-true (workspace-open-p workspace))
      (is (search root (princ-to-string workspace)))
      (is (search "workspace " (princ-to-string workspace) :test #'char-equal) "the type is shown")
      (close-workspace workspace)
      (close-workspace workspace)
      (is-false (workspace-open-p workspace)))))

(test workspace.freed-after-the-last-call
  (with-tree (root)
    (dolist (calls '(0 1 2))
      (let* ((workspace (open-workspace :root root))
             (handle (agent-q-fs::ffi-workspace-handle workspace)))
        ;; These have ended when it is closed.
        (call :list-directory :workspace workspace)
        (signals agent-q-fs-invalid-argument (reset-workspace workspace))
        (loop repeat calls do (agent-q-fs::enter-handle handle))
        (close-workspace workspace)
        (loop repeat calls
              do (is-true (agent-q-fs::handle-pointer handle) "a call uses it")
                 (agent-q-fs::leave-handle handle))
        (is (null (agent-q-fs::handle-pointer handle)))
        (agent-q-fs::free-handle handle)))))

(test workspace.state-directory
  (let ((before (uiop:getenv "XDG_STATE_HOME")))
    (unwind-protect
         (flet ((state (value)
                  (setf (uiop:getenv "XDG_STATE_HOME") value)
                  (namestring (agent-q-fs::state-directory))))
           (is (equal "/x/state/agent-q-fs/" (state "/x/state")))
           (is (equal "/x/state/agent-q-fs/" (state "/x/state/")))
           (is (equal (namestring (merge-pathnames ".local/state/agent-q-fs/"
                                                   (user-homedir-pathname)))
                      (state ""))))
      (setf (uiop:getenv "XDG_STATE_HOME") (or before "")))))

(test workspace.no-memory-for-a-reply
  (is (typep (condition-of (agent-q-fs::take-reply (cffi:null-pointer))) 'agent-q-fs-io)))

(test workspace.of-another-image-is-not-freed
  ;; Its address means nothing here.
  (let ((handle (agent-q-fs::make-handle (cffi:make-pointer 8))))
    (setf (agent-q-fs::handle-image handle) -1)
    (agent-q-fs::free-handle handle)
    (is (null (agent-q-fs::handle-pointer handle)))
    (is-false (agent-q-fs::handle-open handle))))

(test workspace.closed-is-a-clear-condition
  (with-tree (root ("a" "x"))
    (let ((workspace (open-workspace :root root)))
      (close-workspace workspace)
      (let ((condition (condition-of (call :read-file :path "a" :workspace workspace))))
        (is (typep condition 'agent-q-fs-invalid-argument))
        (is (equal "The workspace is closed" (agent-q-fs-error-message condition))))
      (is (equal "Error: The workspace is closed"
                 (call-tool "read_file" '(:path "a") :workspace workspace))))))

(test workspace.wrong-type-is-a-clear-condition
  (dolist (value (list 42 "x" :x (cffi:null-pointer)))
    (signals agent-q-fs-invalid-argument (call :read-file :path "a" :workspace value))
    (signals agent-q-fs-invalid-argument (close-workspace value))
    (is (eql 0 (search "Error: workspace: " (call-tool "read_file" '(:path "a")
                                                       :workspace value))))))

(test workspace.argument-wins-over-special
  (with-tree (root ("d/a" "inner") ("a" "outer"))
    (let ((inner (open-workspace :root (concatenate 'string root "d"))))
      (unwind-protect
           (progn
             (is (equal "outer" (getf (call :read-file :path "a") :content)))
             (is (equal "inner" (getf (call :read-file :path "a" :workspace inner) :content)))
             (is (equal "inner" (getf (call :read-file :workspace inner :path "a") :content)))
             (is (equal "inner" (getf (call* :read-file '(:path "a") :workspace inner)
                                      :content)))
             (let ((*workspace* inner))
               (is (equal "inner" (getf (call :read-file :path "a") :content)))))
        (close-workspace inner)))))

(test workspace.with-workspace-closes
  (with-tree (root ("a" "x"))
    (let ((seen nil))
      (ignore-errors (with-workspace (:root root)
                       (setf seen *workspace*)
                       (error "out")))
      (is-false (workspace-open-p seen)))))

(test workspace.with-workspace-binds
  (with-tree (root ("a" "x"))
    (let ((outer *workspace*))
      (with-workspace (ws :root root)
        (is (eq ws *workspace*))
        (is-false (eq ws outer))
        (is (equal "x" (getf (call :read-file :workspace ws :path "a") :content)))
        (setf *workspace* outer))
      (is (eq outer *workspace*))
      (is-true (workspace-open-p outer)))))

(test workspace.root-as-a-pathname
  (with-tree (root ("d/a" "x"))
    (let ((*default-pathname-defaults* (pathname (concatenate 'string root "file.type"))))
      (with-workspace (:root #p"d/")
        (is (equal (concatenate 'string root "d/") (workspace-root *workspace*)))))
    (with-workspace (:root (pathname root))
      (is (equal root (workspace-root *workspace*))))))

(test workspace.root-with-odd-characters
  (with-tree (root ("d[1]*?/a" "x"))
    (let ((name (concatenate 'string root "d[1]*?/")))
      (with-workspace (:root name)
        (is (equal name (workspace-root *workspace*))))
      (with-workspace (:root (make-pathname :directory (append (pathname-directory root)
                                                               '("d[1]*?"))))
        (is (equal name (workspace-root *workspace*)))))))

(test workspace.root-is-detected
  (with-tree (root ("p/.git/HEAD" "x") ("p/.git/objects/x" "x") ("p/.git/refs/x" "x")
                   ("p/src/a" "x") ("q/b" "x"))
    (let ((*default-pathname-defaults* (pathname (concatenate 'string root "p/src/"))))
      (with-workspace ()
        (is (equal (concatenate 'string root "p/") (workspace-root *workspace*)))
        (is (eq :git (getf (workspace-properties *workspace*) :method)))))
    (let ((*default-pathname-defaults* (pathname (concatenate 'string root "q/"))))
      (with-workspace (:root nil)
        (is (equal (concatenate 'string root "q/") (workspace-root *workspace*)))
        (is (eq :cwd (getf (workspace-properties *workspace*) :method)))))))

(test workspace.current-one-is-opened-at-first-use
  (with-tree (root ("p/.git/HEAD" "x"))
    (let ((*workspace* nil)
          (agent-q-fs::*opened* nil)
          (*default-pathname-defaults* (pathname (concatenate 'string root "p/"))))
      (let ((first (current-workspace)))
        (is (eq first (current-workspace)))
        (is (equal (concatenate 'string root "p/") (getf (call :get-project-root) :root)))
        (close-workspace first)
        (is-false (eq first (current-workspace)))
        (close-workspace (current-workspace))))))

(test workspace.refused-roots
  (dolist (root '("/" "relative" "/no/such/directory" "" 42))
    (is (typep (condition-of (open-workspace :root root)) 'agent-q-fs-error))))

(test workspace.refused-options
  (with-tree (root ("a" "x"))
    (dolist (options '((:no-such-option 1) (:mode :loose) (:read-only "no") (:limits 3)
                       (:limits (:read-lines 0)) (:limits (:no-such-limit 1))
                       (:allowed-paths "x") (:transport :pigeon) (:transport 42)))
      (is (typep (condition-of (apply #'open-workspace :root root options))
                 'agent-q-fs-invalid-argument)
          "~S was accepted" options))))

(test workspace.options-arrive
  (with-tree (root ("a" (format nil "1~%2~%3~%")) ("secret/b" "x") ("other/c" "y"))
    (let ((inside (concatenate 'string root "other")))
      (with-workspace (:root root :restricted-paths (list #p"secret/") :read-only t
                       :limits '(:read-lines 2))
        (is (eq t (getf (call :read-file :path "a") :truncated)))
        (signals agent-q-fs-restricted (call :read-file :path "secret/b")))
      (with-workspace (:root (concatenate 'string root "secret")
                       :allowed-paths (list (pathname (concatenate 'string inside "/"))))
        (is (equal "y" (getf (call :read-file :path (concatenate 'string inside "/c"))
                             :content)))))))

(test workspace.outside-is-refused
  (with-tree (root ("a" "x"))
    (dolist (path (list "../a" "/etc/passwd" #p"/etc/passwd" #p"../a"))
      (signals agent-q-fs-outside-root (call :read-file :path path)))
    (is (equal (format nil "Error: Path '../x' is outside project root (~A)" root)
               (call-tool "read_file" '(:path "../x"))))))

(test workspace.descriptors-stay-flat
  (with-tree (root ("a" "x"))
    (let ((before (descriptors)))
      (dotimes (i 1000)
        (with-workspace (:root root)
          (when (zerop (mod i 100)) (call :read-file :path "a"))))
      (is (>= before (descriptors))))))

(defun descriptors-of (directory)
  "Returns the number of open file descriptors of DIRECTORY, a name."
  (length (uiop:run-program (list "find" (format nil "/proc/~D/fd"
                                                 (cffi:foreign-funcall "getpid" :int))
                                  "-lname" (string-right-trim "/" directory))
                            :output :lines
                            ;; FIND also minds what is closed while it looks.
                            :ignore-error-status t)))

(defun abandon (root count)
  "Opens COUNT workspaces, returns how many descriptors of ROOT they have, and forgets them."
  (let* ((workspaces (loop repeat count collect (open-workspace :root root)))
         (descriptors (descriptors-of root)))
    (mapc #'workspace-root workspaces) ; they are in use until here
    descriptors))

(test workspace.forgotten-ones-are-closed
  (with-tree (root ("a" "x"))
    (let ((before (descriptors-of root))
          (open 0))
      (join (start-thread (lambda () (setf open (abandon root 100)))))
      (is (<= (+ before 100) open))
      ;; Finalizers run in a thread of their own, some time after a collection.
      (loop repeat 2000
            until (< (descriptors-of root) (+ before 10))
            do (collect-garbage)
               (sleep 0.05))
      (is (< (descriptors-of root) (+ before 10))))))

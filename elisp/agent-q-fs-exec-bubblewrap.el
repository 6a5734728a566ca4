;;; agent-q-fs-exec-bubblewrap.el --- Commands in a sandbox of bubblewrap  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each command has a sandbox of its own: the workspace, the system's programs and
;; settings to be read, an empty home and /tmp, its own processes and devices, and no
;; network unless it was asked for.  When its first process ends, the kernel ends
;; all others.
;;
;; A terminal is asked to act on input that nobody typed by an ioctl.  A filter for
;; system calls, which is written here, refuses it.

;;; Code:

(require 'agent-q-fs-exec-isolate)

(defcustom agent-q-fs-exec-bubblewrap-read
  '("/usr" "/bin" "/sbin" "/lib" "/lib32" "/lib64" "/libx32" "/etc" "/opt" "/nix/store"
    "/gnu/store" "/run/current-system")
  "What of the system a command in a sandbox can read, where it exists."
  :group 'agent-q-fs-exec
  :type '(repeat directory))


;;;; The filter

(defconst agent-q-fs-exec-bubblewrap--machines
  ;; name        its id      ioctl  its 32-bit id  ioctl
  '(("x86_64"  #xc000003e 16     #x40000003     54)
    ("aarch64" #xc00000b7 29     #x40000028     54)
    ("riscv64" #xc00000f3 29     #x400000f3     29))
  "Numbers that the kernel has for machines, from linux/audit.h and asm/unistd.h.")

(defconst agent-q-fs-exec-bubblewrap--refused '(#x5412 #x541c)
  "The ioctls TIOCSTI, which types, and TIOCLINUX, which pastes.")

(defun agent-q-fs-exec-bubblewrap--program (machine)
  "Return the filter for MACHINE as instructions (CODE IF-TRUE IF-FALSE OPERAND).
They are those of linux/filter.h: #x20 loads, #x54 is a bitwise and,
#x15 compares and skips, #x06 returns."
  (pcase-let ((`(,_ ,arch ,ioctl ,arch32 ,ioctl32) machine)
              (`(,types ,pastes) agent-q-fs-exec-bubblewrap--refused))
    `((#x20 0 0 4)                      ;  0 the machine
      (#x15 0 4 ,arch)                  ;  1 else to 6
      (#x20 0 0 0)                      ;  2 the system call
      (#x54 0 0 #xbfffffff)             ;  3 x32 has a bit of its own,
      (#x15 4 0 ,ioctl)                 ;  4 to 9
      (#x15 3 6 514)                    ;  5 and a number of its own: to 9, else to 12
      (#x15 0 6 ,arch32)                ;  6 of a strange machine nothing is allowed: to 13
      (#x20 0 0 0)                      ;  7
      (#x15 0 3 ,ioctl32)               ;  8 else to 12
      (#x20 0 0 24)                     ;  9 what ioctl
      (#x15 2 0 ,types)                 ; 10 to 13
      (#x15 1 0 ,pastes)                ; 11 to 13
      (#x06 0 0 #x7fff0000)             ; 12 allowed
      (#x06 0 0 #x00050001))))          ; 13 EPERM

(defun agent-q-fs-exec-bubblewrap--bytes (program)
  "Return PROGRAM as the kernel of a little-endian machine takes it."
  (mapconcat (pcase-lambda (`(,code ,true ,false ,operand))
               (unibyte-string (logand code 255) (ash code -8) true false
                               (logand operand 255) (logand (ash operand -8) 255)
                               (logand (ash operand -16) 255) (ash operand -24)))
             program ""))

(defvar agent-q-fs-exec-bubblewrap--filter nil
  "The file that holds the filter, once it was needed.")

(defun agent-q-fs-exec-bubblewrap--forget ()
  "Delete the file of the filter, because Emacs ends."
  (when agent-q-fs-exec-bubblewrap--filter
    (ignore-errors (delete-file agent-q-fs-exec-bubblewrap--filter))))

(defun agent-q-fs-exec-bubblewrap--filter ()
  "Return a file that holds the filter for this machine, or signal an error."
  (let ((machine (assoc (car (split-string system-configuration "-"))
                        agent-q-fs-exec-bubblewrap--machines))
        (file-name-handler-alist nil))
    (unless machine
      (agent-q-fs--fail :command-failed "There is no filter of system calls for %s"
                        system-configuration))
    (unless (and agent-q-fs-exec-bubblewrap--filter
                 (file-exists-p agent-q-fs-exec-bubblewrap--filter))
      (let ((coding-system-for-write 'no-conversion))
        (setq agent-q-fs-exec-bubblewrap--filter
              (make-temp-file "agent-q-fs-filter-" nil nil
                              (agent-q-fs-exec-bubblewrap--bytes
                               (agent-q-fs-exec-bubblewrap--program machine)))))
      (add-hook 'kill-emacs-hook #'agent-q-fs-exec-bubblewrap--forget))
    agent-q-fs-exec-bubblewrap--filter))


;;;; The sandbox

(defun agent-q-fs-exec-bubblewrap--rules (workspace)
  "Return the options that show and hide what WORKSPACE does."
  (let ((bind (if (plist-get (agent-q-fs-workspace-facts workspace) :read-only)
                  "--ro-bind"
                "--bind"))
        words locks)
    (pcase-dolist (`(,name . ,action) (agent-q-fs-exec-isolate-rules workspace))
      (let ((name (agent-q-fs-exec-file-bytes name)))
        (setq words
              (append words
                      (cond ((memq action '(show pin)) (list bind name name))
                            ((file-directory-p name)
                             (setq locks (append locks (list "--remount-ro" name)))
                             (list "--tmpfs" name))
                            ;; A device where there are none: it cannot be opened.
                            (t (list "--ro-bind" "/dev/null" name)))))))
    (append words locks)))

(defun agent-q-fs-exec-bubblewrap--sandbox (workspace)
  "Return the words that run a command in a sandbox for WORKSPACE."
  (let ((network (agent-q-fs-exec-isolation-option workspace :network)))
    (append
     (list (agent-q-fs-exec-program "bwrap") "--unshare-all" "--die-with-parent"
           "--cap-drop" "ALL" "--hostname" "sandbox")
     (when network (list "--share-net"))
     (mapcan (lambda (directory) (list "--ro-bind-try" directory directory))
             (append agent-q-fs-exec-bubblewrap-read
                     (when network '("/run/systemd/resolve"))))
     (list "--proc" "/proc" "--dev" "/dev" "--tmpfs" "/tmp" "--tmpfs" "/dev/shm")
     (let ((home (expand-file-name "~")))
       (unless (equal home "/") (list "--tmpfs" (agent-q-fs-exec-file-bytes home))))
     (list "--setenv" "TMPDIR" "/tmp")
     (agent-q-fs-exec-bubblewrap--rules workspace))))

(defvar agent-q-fs-exec-bubblewrap--good nil
  "The latest sandbox that was tried and worked.")

(defun agent-q-fs-exec-bubblewrap-prepare (workspace then)
  "See whether a sandbox for WORKSPACE works, and call THEN with nil or an error."
  (funcall
   then
   (condition-case problem
       (if (not (agent-q-fs-exec-program "bwrap"))
           (agent-q-fs-exec-isolate-failure
            'bubblewrap "there is no program bwrap (of the package bubblewrap)")
         (let ((sandbox (append (agent-q-fs-exec-bubblewrap--sandbox workspace)
                                (list "--" "env" "--default-signal=INT"
                                      (agent-q-fs-exec-shell) "-c" "exit 0"))))
           (agent-q-fs-exec-bubblewrap--filter)
           (unless (equal sandbox agent-q-fs-exec-bubblewrap--good)
             (pcase-let ((`(,status . ,words) (agent-q-fs-exec-isolate-try sandbox)))
               (if (eql 0 status)
                   (progn (setq agent-q-fs-exec-bubblewrap--good sandbox) nil)
                 (agent-q-fs-exec-isolate-failure
                  'bubblewrap (if (equal words "") (format "it ended with %s" status) words)))))))
     (agent-q-fs-error (cdr problem)))))

(defun agent-q-fs-exec-bubblewrap-command (workspace directory tty words)
  "Return how to run WORDS in DIRECTORY of WORKSPACE, (WORDS . PRELUDE).
With TTY there is a terminal.  Its signals reach all processes around the
command; those of bubblewrap must not end by them."
  (cons (append (agent-q-fs-exec-bubblewrap--sandbox workspace)
                (list "--chdir" (agent-q-fs-exec-file-bytes directory) "--seccomp" "9" "--")
                (when tty (list "env" "--default-signal=INT,QUIT,TSTP"))
                words)
        (concat (when tty "trap '' INT QUIT TSTP; ")
                "exec 9<" (shell-quote-argument (agent-q-fs-exec-bubblewrap--filter)) "; ")))

(provide 'agent-q-fs-exec-bubblewrap)
;;; agent-q-fs-exec-bubblewrap.el ends here

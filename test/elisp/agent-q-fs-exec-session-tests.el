;;; agent-q-fs-exec-session-tests.el --- Tests of sessions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)
(require 'agent-q-fs-exec-session)
(require 'agent-q-fs-prompt-tests)

(defun agent-q-fs-exec-session-tests--type (ws session chars pattern)
  "Type CHARS into SESSION of WS, and return its output when it has PATTERN."
  (agent-q-fs-exec-help-until ws session pattern chars))

(agent-q-fs-exec-deftest "shell-in-terminal" (ws) t
  "A shell in a terminal, over several calls."
  ;; Where its terminal is from another namespace, dash complains when it ends.
  (let* ((shell (if (eq 'bubblewrap agent-q-fs-exec-help-isolation) "bash --norc -i" "sh -i"))
         (session (agent-q-fs-exec-help-begun ws (concat "PS1='ready ' " shell) "ready")))
    (agent-q-fs-exec-session-tests--type ws session "x=5; test -t 0 && echo ter''minal\n"
                                         "terminal")
    (agent-q-fs-exec-session-tests--type ws session "echo $((x*2+1))\n" "11")
    (agent-q-fs-exec-session-tests--type ws session "stty size\n" "24 80")
    (agent-q-fs-exec-session-tests--type
     ws session (agent-q-fs-exec-help-own "sleep 81.1\n") "")
    (agent-q-fs-exec-help-sleeping "sleep 81.1" 1)
    (agent-q-fs-exec-session-tests--type ws session "\003" "ready")
    (agent-q-fs-exec-session-tests--type ws session "echo st''ill\n" "still")
    (agent-q-fs-exec-session-tests--type ws session "exit 7\n" "\\[over\\]")
    (should (string-search "Exit status 7" (agent-q-fs-exec-help-call
                                            ws "write_stdin" :session_id session)))
    (should-not (agent-q-fs-exec-help-gone))))

(agent-q-fs-exec-deftest "python" (ws) (none landlock bubblewrap)
  (unless (or (file-executable-p "/usr/bin/python3") (eq 'none agent-q-fs-exec-help-isolation))
    (ert-skip "There is no /usr/bin/python3"))
  (unless (executable-find "python3") (ert-skip "There is no python3"))
  (let ((session (agent-q-fs-exec-help-begun ws "python3 -q")))
    (agent-q-fs-exec-session-tests--type ws session "print(6*7)\n" "42")
    (agent-q-fs-exec-session-tests--type ws session "import time; time.sleep(99)\n" "")
    (agent-q-fs-exec-session-tests--type ws session "\003" "KeyboardInterrupt")
    (agent-q-fs-exec-session-tests--type ws session "\004" "\\[over\\]")))

(agent-q-fs-exec-deftest "sbcl" (ws) (none landlock bubblewrap)
  (unless (executable-find "sbcl") (ert-skip "There is no sbcl"))
  (let ((session (agent-q-fs-exec-help-begun
                  ws "sbcl --noinform --no-sysinit --no-userinit")))
    (agent-q-fs-exec-session-tests--type ws session "(* 6 7)\n" "42")
    (agent-q-fs-exec-session-tests--type ws session "(defvar *x* 1)\n" "\\*X\\*")
    (agent-q-fs-exec-session-tests--type ws session "(list *x* \"é\")\n" "(1 \"é\")")
    (agent-q-fs-exec-session-tests--type ws session "(loop)\n" "")
    (agent-q-fs-exec-session-tests--type ws session "\003" "Interactive interrupt")
    (should (string-search "Ended by a call" (agent-q-fs-exec-help-call
                                              ws "kill_session" :session_id session)))
    (should-not (agent-q-fs-exec-help-gone))))

(agent-q-fs-exec-deftest "control-characters" (ws) (none landlock bubblewrap)
  "Threat 114: ^C ^\\ ^Z ^D, and a terminal without a size."
  (pcase-dolist (`(,chars ,pattern) '(("\003" "Killed by SIGINT\\|status 130")
                                      ("\034" "Killed by SIGQUIT\\|status 131")
                                      ("\004" "Exit status 0")
                                      ("abc\004\004" "abc")))
    (let ((session (agent-q-fs-exec-help-begun ws "cat"))
          (text ""))
      (agent-q-fs-exec-session-tests--type ws session "read\n" "read") ; by cat, not by its shell
      ;; The answer may come with the reply to this call already.
      (setq text (agent-q-fs-exec-help-call ws "write_stdin" :session_id session :chars chars
                                            :yield_time_ms 0))
      (agent-q-fs-test-until
       (string-match-p pattern
                       (setq text (concat text (agent-q-fs-exec-help-call
                                                ws "write_stdin" :session_id session
                                                :yield_time_ms 50))))
       text)))
  (let ((agent-q-fs-exec-size '(0 . 0)))
    (should (string-prefix-p "Exit status 0"
                             (agent-q-fs-exec-help-call ws "exec_command" :yield_time_ms 300000
                                                        :cmd "stty size; ls /usr")))))

(agent-q-fs-exec-deftest "window-size" (ws) (none landlock bubblewrap)
  (let ((session (agent-q-fs-exec-help-begun
                  ws "trap 'stty size' WINCH; echo begun; while :; do sleep 0.05; done" "begun")))
    (agent-q-fs-exec-session-resize (agent-q-fs-exec-session-find ws session) 50 132)
    (agent-q-fs-exec-session-tests--type ws session "" "50 132")))

(agent-q-fs-exec-deftest "incremental" (ws) t
  "Each poll returns the new output, and nothing twice."
  (let ((session (agent-q-fs-exec-help-session ws "echo one; read x; echo two; read x")))
    (should (equal "one\n" (agent-q-fs-exec-session-tests--type ws session "" "one\n")))
    (let ((reply (agent-q-fs-exec-help-reply ws "write_stdin" :session_id session
                                             :yield_time_ms 0)))
      (should (plist-get reply :running))
      (should (equal "" (plist-get reply :stdout))))
    (should (equal "two\n" (agent-q-fs-exec-session-tests--type ws session "\n" "two\n")))
    (should-not (plist-get (agent-q-fs-exec-help-reply ws "kill_session" :session_id session)
                           :running))
    (should (string-match-p "\\`Error: There is no session"
                            (agent-q-fs-exec-help-call ws "write_stdin" :session_id session)))))

(agent-q-fs-exec-deftest "quick" (ws) t
  "A command that ends within the time is answered like by shell, without a session."
  (let ((reply (agent-q-fs-exec-help-reply ws "exec_command" :cmd "echo done; exit 4"
                                           :yield_time_ms 300000)))
    (should (equal 4 (plist-get reply :exit-code)))
    (should (equal "done\n" (plist-get reply :stdout)))
    (should-not (plist-get reply :running))
    (should (< (plist-get reply :milliseconds) 300000))
    (should (equal "There are no sessions" (agent-q-fs-exec-help-call ws "list_sessions")))))

(agent-q-fs-exec-deftest "output-is-called-by-its-name" (ws) t
  "A terminal has one output; without one, there are two."
  (let ((text (lambda (tty)
                (agent-q-fs-exec-help-call ws "exec_command" :cmd "echo shown; echo err >&2" :tty tty
                                           :yield_time_ms 300000))))
    (should (string-match-p "^output:\nshown\r?\nerr\r?\n" (funcall text t)))
    (should-not (string-match-p "^std\\(out\\|err\\):" (funcall text t)))
    (should (string-match-p "^stdout:\nshown\nstderr:\nerr\n" (funcall text :false)))
    (should-not (string-match-p "^output:" (funcall text :false)))))

(agent-q-fs-exec-deftest "without-terminal" (ws) t
  (let ((session (agent-q-fs-exec-help-session
                  ws (agent-q-fs-exec-help-own
                      "cat; test -t 0 || echo none; echo err >&2; sleep 80.1")
                  :tty :false :yield_time_ms 0))
        (printed (list "" "")))
    (agent-q-fs-test-until
     (let ((reply (agent-q-fs-exec-help-reply ws "write_stdin" :session_id session
                                              :yield_time_ms 50)))
       (setq printed (cl-mapcar #'concat printed (list (plist-get reply :stdout)
                                                       (plist-get reply :stderr))))
       (equal '("none\n" "err\n") printed))
     printed)
    (should (equal (format "Error: The stdin of session %d is closed: it was started with tty false"
                           session)
                   (agent-q-fs-exec-help-call ws "write_stdin" :session_id session :chars "x\n")))
    (should (string-search "running" (agent-q-fs-exec-help-call ws "write_stdin"
                                                                :session_id session)))
    (agent-q-fs-exec-help-call ws "kill_session" :session_id session)))

(agent-q-fs-exec-deftest "reads-from-terminal" (ws) t
  "A program that reads /dev/tty reads the input of its own terminal."
  (let ((session (agent-q-fs-exec-help-begun
                  ws "read x </dev/tty; echo \"got <$x>\"; read x")))
    (should (string-search "got <a b>" (agent-q-fs-exec-session-tests--type
                                        ws session "a b\n" "got")))))

(agent-q-fs-exec-deftest "long-lines" (ws) t
  "Threat 115: a line that a terminal would cut is refused, and a shorter one arrives."
  (let ((session (agent-q-fs-exec-help-begun ws "while read x; do echo ${#x}; done")))
    (agent-q-fs-exec-session-tests--type ws session (concat (make-string 4094 ?x) "\n") "4094")
    (dolist (chars (list (concat (make-string 4095 ?x) "\n") (make-string 100000 ?x)
                         (concat "a\n" (make-string 5000 ?x) "\nb\n")))
      (should (string-match-p "\\`Error: chars: a line of [0-9]+ bytes would be cut"
                              (agent-q-fs-exec-help-call ws "write_stdin" :session_id session
                                                         :chars chars))))
    (agent-q-fs-exec-help-call ws "write_stdin" :session_id session :chars (make-string 3000 ?y)
                               :yield_time_ms 0)
    (should (string-match-p "\\`Error: chars: a line of 6000 bytes"
                            (agent-q-fs-exec-help-call ws "write_stdin" :session_id session
                                                       :chars (make-string 3000 ?y))))
    (should (string-match-p "\\`3001\n\\'" (agent-q-fs-exec-session-tests--type
                                            ws session "z\n" "[0-9]+\n")))))

(agent-q-fs-exec-deftest "long-lines-raw" (ws) (none landlock bubblewrap)
  "A program that reads characters is given lines of any length."
  (let ((session (agent-q-fs-exec-help-begun
                  ws "stty -icanon; echo go; head -c 20001 | wc -c" "go")))
    (should (string-search "20001" (agent-q-fs-exec-session-tests--type
                                    ws session (concat (make-string 20000 ?x) "\n")
                                    "20001")))))

(agent-q-fs-exec-deftest "nobody-reads" (ws) (none)
  "A program that does not read keeps nobody waiting."
  (let ((session (agent-q-fs-exec-help-begun
                  ws (agent-q-fs-exec-help-own "stty -icanon; echo begun; sleep 80.2") "begun")))
    (should (string-match-p "\\`Error: The program in session [0-9]+ does not read"
                            (agent-q-fs-exec-help-call ws "write_stdin" :session_id session
                                                       :chars (make-string 1000000 ?x))))))

(agent-q-fs-exec-deftest "max-output" (ws) (none)
  (let ((reply (agent-q-fs-exec-help-reply ws "exec_command" :cmd "seq 1 1000"
                                           :yield_time_ms 300000 :max_output_tokens 50)))
    (should (plist-get reply :truncated))
    (should (<= (string-bytes (plist-get reply :stdout)) 200))
    (should (string-suffix-p "1000\n" (plist-get reply :stdout)))))

(ert-deftest agent-q-fs-exec-session/arguments ()
  (agent-q-fs-exec-help-with (ws)
    (dolist (call '(("exec_command") ("exec_command" :cmd "") ("exec_command" :cmd "a\0")
                    ("exec_command" :cmd "x" :tty "yes") ("exec_command" :cmd "x" :yield_time_ms -1)
                    ("exec_command" :cmd "x" :max_output_tokens 0) ("write_stdin")
                    ("write_stdin" :session_id 999999) ("write_stdin" :session_id "1")
                    ("write_stdin" :session_id 0) ("kill_session" :session_id 999999)
                    ("write_stdin" :session_id 999999 :chars "x") ("list_sessions" :x 1)))
      (should (string-prefix-p "Error: " (apply #'agent-q-fs-exec-help-call ws call))))))

(ert-deftest agent-q-fs-exec-session/other-workspace ()
  "A session belongs to its workspace."
  (agent-q-fs-exec-help-with (ws)
    (let ((session (agent-q-fs-exec-help-session ws "cat"))
          (other (agent-q-fs-open :root default-directory)))
      (unwind-protect
          (progn
            (should (equal "There are no sessions"
                           (agent-q-fs-exec-help-call other "list_sessions")))
            (dolist (tool '("write_stdin" "kill_session"))
              (should (string-prefix-p "Error: There is no session"
                                       (agent-q-fs-exec-help-call other tool
                                                                  :session_id session)))))
        (agent-q-fs-close other))
      (should (string-search "cat" (agent-q-fs-exec-help-call ws "list_sessions"))))))

(ert-deftest agent-q-fs-exec-session/cap ()
  "Those that have ended make room, the least recently used first; no other does."
  (agent-q-fs-exec-help-with (ws)
    (let* ((agent-q-fs-exec-sessions 3)
           (first (agent-q-fs-exec-help-session ws "read x"))
           (second (agent-q-fs-exec-help-session ws "read x"))
           (third (agent-q-fs-exec-help-session ws (agent-q-fs-exec-help-own "sleep 82.1"))))
      (should (string-match-p "\\`Error: There are 3 sessions already"
                              (agent-q-fs-exec-help-call ws "exec_command" :cmd "echo x")))
      (agent-q-fs-exec-session-tests--type ws second "\n" "over")
      (agent-q-fs-exec-session-tests--type ws first "\n" "over")
      (let ((fourth (agent-q-fs-exec-help-session ws (agent-q-fs-exec-help-own "sleep 82.2"))))
        (should (equal (list first third fourth)
                       (mapcar #'agent-q-fs-exec-session-number
                               (agent-q-fs-exec-session-list ws))))))))

(ert-deftest agent-q-fs-exec-session/idle ()
  (agent-q-fs-exec-help-with (ws)
    (let* ((agent-q-fs-exec-idle 1000)
           (command (agent-q-fs-exec-help-own "setsid sleep 83.1 & sleep 83.2"))
           (session (agent-q-fs-exec-help-session ws command))
           (timers (lambda () (seq-filter (lambda (timer)
                                            (eq #'agent-q-fs-exec-session-end
                                                (timer--function timer)))
                                          timer-list)))
           (first (car (funcall timers)))
           (used (float-time)))
      (agent-q-fs-exec-help-sleeping "sleep 83" 2)
      (agent-q-fs-exec-help-call ws "write_stdin" :session_id session :yield_time_ms 0)
      ;; Each use puts the end off.
      (should (= 1 (length (funcall timers))))
      (should-not (memq first timer-list))
      (should (<= (+ used 1000) (float-time (timer--time (car (funcall timers))))))
      (should (= 2 (length (agent-q-fs-exec-help-marked "sleep 83" t))))
      (agent-q-fs-exec-help-fire (car (funcall timers)))
      (should-not (agent-q-fs-exec-help-gone "sleep 83"))
      (agent-q-fs-test-until
       (string-match-p "\\`Ended because nobody used it"
                       (agent-q-fs-exec-help-call ws "write_stdin" :session_id session))))))

(ert-deftest agent-q-fs-exec-session/idle-in-time ()
  "A session that nobody uses ends by itself, and not before its time."
  (agent-q-fs-exec-help-with (ws)
    (let* ((agent-q-fs-exec-idle 0.4)
           (start (float-time))
           (ended nil)
           (agent-q-fs-exec-session-functions
            (list (lambda (_session what) (when (eq 'ended what) (setq ended (float-time)))))))
      (agent-q-fs-exec-help-session ws (agent-q-fs-exec-help-own "sleep 83.3"))
      (agent-q-fs-test-until ended)
      (should (<= 0.4 (- ended start)))
      (should-not (agent-q-fs-exec-help-gone "sleep 83")))))

(agent-q-fs-exec-deftest "kill" (ws) t
  (let ((session (agent-q-fs-exec-help-begun
                  ws (agent-q-fs-exec-help-own
                      "trap '' TERM HUP; setsid sleep 84.1 & echo up; sleep 84.2; sleep 84.3")
                  "up")))
    (agent-q-fs-exec-help-sleeping "sleep 84." 2)
    (should (string-search "Ended by a call" (agent-q-fs-exec-help-call
                                              ws "kill_session" :session_id session)))
    (should-not (agent-q-fs-exec-help-gone "sleep 84"))
    (should-not (agent-q-fs-exec-help-gone))))

(ert-deftest agent-q-fs-exec-session/quit-ends-what-nobody-knows ()
  (agent-q-fs-exec-help-with (ws)
    (agent-q-fs-exec-help-quit-when "sleep 85")
    (should (eq 'quit (condition-case nil
                          (agent-q-fs-exec-help-call
                           ws "exec_command" :cmd (agent-q-fs-exec-help-own "sleep 85.1")
                           :yield_time_ms 300000)
                        (quit 'quit))))
    (should-not (agent-q-fs-exec-help-gone "sleep 85"))))


;;;; Sessions, for people

(defun agent-q-fs-exec-ui-tests--shows (session pattern)
  "Wait until the buffer of SESSION shows PATTERN."
  (with-current-buffer (agent-q-fs-exec-session-buffer session)
    (agent-q-fs-test-until (string-match-p pattern (buffer-string)) (buffer-string))))

(defmacro agent-q-fs-exec-ui-tests--with (spec &rest body)
  "Run BODY in the buffer of a session.  SPEC is (SESSION COMMAND)."
  (declare (indent 1))
  `(agent-q-fs-exec-help-with (ws)
     (let ((,(car spec) (agent-q-fs-exec-session-find
                         ws (agent-q-fs-exec-help-session ws ,(cadr spec)))))
       (with-current-buffer (agent-q-fs-exec-session-buffer ,(car spec))
         ,@body))))

(ert-deftest agent-q-fs-exec-ui/an-empty-list-says-so ()
  "Somebody who looks for commands where none runs is told so."
  (let (said)
    (cl-letf (((symbol-function 'agent-q-fs-exec-session-list) #'ignore)
              ((symbol-function 'agent-q-fs-exec-run-list) #'ignore)
              ((symbol-function 'message)
               (lambda (words &rest values) (setq said (apply #'format words values)))))
      (save-window-excursion (agent-q-fs-sessions))
      (kill-buffer "*agent-q-fs sessions*"))
    (should (equal "No command of a model runs" said))))

(ert-deftest agent-q-fs-exec-ui/a-command-that-a-call-waits-for ()
  "A person sees what the tool shell runs at this moment, and ends it, by keys."
  (agent-q-fs-prompt-tests--with nil
      '(let ((agent-q-fs-policy 'never) texts)
         (setq agent-q-fs-prompt-child-later
               (lambda ()
                 (when (and texts (null (tabulated-list-get-id)))
                   (prog1 texts
                     (quit-windows-on "*agent-q-fs sessions*" t)))))
         (agent-q-fs-sessions)
         (agent-q-fs-call-tool-async
          "shell" '(:command "echo $$ >pid; echo it has begun; exec sleep 1000")
          (lambda (text) (push text texts)) ws))
    (agent-q-fs-prompt-tests--see "running since [0-9:]+ +\\. .*echo \\$\\$ >pid")
    (agent-q-fs-test-until (string-suffix-p "\n" (or (agent-q-fs-prompt-tests--text "pid") "")))
    (let ((pid (string-to-number (agent-q-fs-prompt-tests--text "pid"))))
      (should (process-attributes pid))
      (agent-q-fs-prompt-tests--type "M-<" "Enter")
      ;; This shows what Emacs has of the output by then.
      (agent-q-fs-test-until
       (or (string-match-p "^it has begun"
                           (agent-q-fs-prompt-tests--see "isolation none\\.  A call waits for its end\\."))
           (ignore (agent-q-fs-prompt-tests--type "q" "Enter"))))
      (agent-q-fs-prompt-tests--type "q" "k")
      (should (string-match-p "Ended by a call or a person\\(?:.\\|\n\\)*it has begun"
                              (car (plist-get (agent-q-fs-prompt-tests--result) :value))))
      (agent-q-fs-test-until (null (process-attributes pid))))))

(ert-deftest agent-q-fs-exec-ui/watch-and-type ()
  "The person sees the output for everybody's input, and types too."
  (agent-q-fs-exec-ui-tests--with (session "echo hello; while read x; do echo \"<$x>\"; done")
    (agent-q-fs-exec-ui-tests--shows session "^\\$ echo hello.*\nhello\n")
    (goto-char (point-max))
    (insert "from me")
    (agent-q-fs-exec-ui-send)
    (agent-q-fs-exec-ui-tests--shows session "from me\n<from me>\n\\'")
    (insert "half ")
    (agent-q-fs-exec-help-call (agent-q-fs-exec-run-workspace (agent-q-fs-exec-session-run session))
                               "write_stdin" :chars "from it\n"
                               :session_id (agent-q-fs-exec-session-number session))
    ;; Text that is half typed stays behind the output.
    (agent-q-fs-exec-ui-tests--shows session "from it\n<from it>\nhalf \\'")
    (insert "mine")
    (agent-q-fs-exec-ui-send)
    (agent-q-fs-exec-ui-tests--shows session "<half mine>")
    (agent-q-fs-exec-ui-end-of-input)
    (agent-q-fs-exec-ui-tests--shows session "\\[exit status [01]\\]")
    (should-error (agent-q-fs-exec-ui-send) :type 'user-error)
    (should-error (progn (goto-char (point-min)) (insert "x")) :type 'text-read-only)))

(ert-deftest agent-q-fs-exec-ui/interrupt-and-kill ()
  (agent-q-fs-exec-ui-tests--with
      (session "trap 'echo caught' INT; echo begun; while :; do sleep 0.1; done")
    (agent-q-fs-exec-ui-tests--shows session "^begun")
    (agent-q-fs-exec-ui-interrupt)
    (agent-q-fs-exec-ui-tests--shows session "caught")
    (agent-q-fs-exec-ui-kill)
    (agent-q-fs-exec-ui-tests--shows session "\\[killed by sig[a-z]+\\]")
    (should-not (agent-q-fs-exec-help-gone))))

(ert-deftest agent-q-fs-exec-ui/killing-the-buffer ()
  (agent-q-fs-exec-ui-tests--with
      (session (agent-q-fs-exec-help-own "setsid sleep 87.1 & sleep 87.2"))
    (agent-q-fs-exec-help-sleeping "sleep 87." 2)
    (kill-buffer)
    (should-not (agent-q-fs-exec-help-gone "sleep 87"))
    (agent-q-fs-test-until (agent-q-fs-exec-session-ended-p session))))

(ert-deftest agent-q-fs-exec-ui/inert ()
  "Threat 59: output is plain text, without escapes, properties, links or local variables."
  (agent-q-fs-exec-ui-tests--with
      (session (concat "printf '\\033[31mred\\033[0m \\033]8;;http://x/\\033\\\\link \\033]52;c;eA==\\007 \
\\033[8mhidden \\001 \\360\\237'; echo; echo '# Local " "Variables:'; \
echo '# eval: (kill-emacs)'; echo '# End:'; cat"))
    (agent-q-fs-exec-ui-tests--shows session "^red link  hidden \\^A ")
    (should-not (string-match-p "[\e\u0001]" (buffer-string)))
    (goto-char (point-min))
    (search-forward "\nred link")
    (should-not (get-text-property (1- (point)) 'face))
    (should-not (get-text-property (1- (point)) 'keymap))
    (should (eq major-mode 'agent-q-fs-exec-session-mode))))

(ert-deftest agent-q-fs-exec-ui/bounded ()
  "A command that prints for ever does not fill the buffer."
  (agent-q-fs-exec-ui-tests--with (session "yes $(printf '%01000d' 7)")
    (let* ((agent-q-fs-exec-ui--size 20000)
           (printed 0)
           (agent-q-fs-exec-session-functions
            (cons (lambda (_session what) (when (eq 'printed what) (cl-incf printed)))
                  agent-q-fs-exec-session-functions)))
      (agent-q-fs-exec-ui-tests--shows session "\\[truncated\\] [0-9,]+ bytes left out")
      (setq printed 0)
      (agent-q-fs-test-until (< 200 printed))
      (agent-q-fs-exec-ui-tests--shows session "\\[truncated\\] [0-9,]+ bytes left out")
      (should (< (buffer-size) 40000)))))

(ert-deftest agent-q-fs-exec-ui/list ()
  (agent-q-fs-exec-ui-tests--with (session (agent-q-fs-exec-help-own "sleep 88.1 # \e[8m\nx"))
    (save-window-excursion
      (agent-q-fs-sessions)
      (unwind-protect
          (progn
            (goto-char (point-min))
            (should (search-forward "running" nil t))
            (should (search-forward (agent-q-fs-exec-help-own "sleep 88.1") nil t))
            (should (eq session (tabulated-list-get-id)))
            (agent-q-fs-exec-ui-kill)
            (should-not (agent-q-fs-exec-help-gone "sleep 88"))
            (goto-char (point-min))
            (search-forward (agent-q-fs-exec-help-own "sleep 88.1"))
            (agent-q-fs-exec-ui-visit)
            (should (eq (current-buffer) (agent-q-fs-exec-session-buffer session))))
        (kill-buffer "*agent-q-fs sessions*")))))

(ert-deftest agent-q-fs-exec-ui/forgotten ()
  "Buffers do not pile up: they go with their sessions."
  (let ((buffers (length (buffer-list))))
    (agent-q-fs-exec-help-with (ws)
      (dotimes (_ 3)
        (agent-q-fs-exec-help-call ws "kill_session" :session_id
                                   (agent-q-fs-exec-help-session ws "cat")))
      (agent-q-fs-exec-help-session ws "cat")
      (should (= (1+ buffers) (length (buffer-list)))))
    (should (= buffers (length (buffer-list))))))
;;; agent-q-fs-exec-session-tests.el ends here

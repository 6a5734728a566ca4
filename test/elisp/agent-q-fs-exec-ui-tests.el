;;; agent-q-fs-exec-ui-tests.el --- Tests of sessions for people  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)
(require 'agent-q-fs-exec-ui)

(defun agent-q-fs-exec-ui-tests--shows (session pattern)
  "Wait until the buffer of SESSION shows PATTERN; fail after five seconds."
  (let ((buffer (agent-q-fs-exec-session-buffer session))
        (deadline (+ (float-time) 5)))
    (with-current-buffer buffer
      (while (and (not (string-match-p pattern (buffer-string))) (< (float-time) deadline))
        (accept-process-output nil 0.05))
      (unless (string-match-p pattern (buffer-string))
        (ert-fail (list "The buffer does not show" pattern (buffer-string)))))))

(defmacro agent-q-fs-exec-ui-tests--with (spec &rest body)
  "Run BODY in the buffer of a session.  SPEC is (SESSION COMMAND)."
  (declare (indent 1))
  `(agent-q-fs-exec-help-with (ws)
     (let ((,(car spec) (agent-q-fs-exec-session-find
                         ws (agent-q-fs-exec-help-session ws ,(cadr spec)
                                                          :yield_time_ms 400))))
       (with-current-buffer (agent-q-fs-exec-session-buffer ,(car spec))
         ,@body))))

(ert-deftest agent-q-fs-exec-ui/watch-and-type ()
  "The person sees what is printed, whoever typed, and types along."
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
    ;; What is half typed stays behind what is printed.
    (agent-q-fs-exec-ui-tests--shows session "from it\n<from it>\nhalf \\'")
    (insert "mine")
    (agent-q-fs-exec-ui-send)
    (agent-q-fs-exec-ui-tests--shows session "<half mine>")
    (agent-q-fs-exec-ui-end-of-input)
    (agent-q-fs-exec-ui-tests--shows session "\\[exit status [01]\\]")
    (should-error (agent-q-fs-exec-ui-send) :type 'user-error)
    (should-error (progn (goto-char (point-min)) (insert "x")) :type 'text-read-only)))

(ert-deftest agent-q-fs-exec-ui/interrupt-and-kill ()
  (agent-q-fs-exec-ui-tests--with (session "trap 'echo caught' INT; while :; do sleep 0.1; done")
    (agent-q-fs-exec-ui-interrupt)
    (agent-q-fs-exec-ui-tests--shows session "caught")
    (agent-q-fs-exec-ui-kill)
    (agent-q-fs-exec-ui-tests--shows session "\\[killed by sig[a-z]+\\]")
    (should-not (agent-q-fs-exec-help-gone))))

(ert-deftest agent-q-fs-exec-ui/killing-the-buffer ()
  (agent-q-fs-exec-ui-tests--with (session "setsid sleep 87.1 & sleep 87.2")
    (kill-buffer)
    (should-not (agent-q-fs-exec-help-gone "sleep 87"))
    (with-timeout (3)
      (while (not (agent-q-fs-exec-session-ended-p session))
        (accept-process-output nil 0.05)))
    (should (agent-q-fs-exec-session-ended-p session))))

(ert-deftest agent-q-fs-exec-ui/inert ()
  "Threat 59: what is printed is text: no escape, property, link or local variable."
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
    (let ((agent-q-fs-exec-ui--size 20000)
          (end (+ (float-time) 1.5)))
      (while (< (float-time) end) (accept-process-output nil 0.05))
      (agent-q-fs-exec-ui-tests--shows session "\\[truncated\\] [0-9,]+ bytes left out")
      (should (< (buffer-size) 40000)))))

(ert-deftest agent-q-fs-exec-ui/list ()
  (agent-q-fs-exec-ui-tests--with (session "sleep 88.1 # \e[8m\nx")
    (save-window-excursion
      (agent-q-fs-sessions)
      (unwind-protect
          (progn
            (goto-char (point-min))
            (should (search-forward "running" nil t))
            (should (search-forward "sleep 88.1" nil t))
            (should (eq session (tabulated-list-get-id)))
            (agent-q-fs-exec-ui-kill)
            (should-not (agent-q-fs-exec-help-gone "sleep 88"))
            (goto-char (point-min))
            (search-forward "sleep 88.1")
            (agent-q-fs-exec-ui-visit)
            (should (eq (current-buffer) (agent-q-fs-exec-session-buffer session))))
        (kill-buffer "*agent-q-fs sessions*")))))

(ert-deftest agent-q-fs-exec-ui/forgotten ()
  "Buffers do not pile up: they go with their sessions."
  (let ((buffers (length (buffer-list))))
    (agent-q-fs-exec-help-with (ws)
      (dotimes (_ 3)
        (agent-q-fs-exec-help-call ws "kill_session" :session_id
                                   (agent-q-fs-exec-help-session ws "cat" :yield_time_ms 100)))
      (agent-q-fs-exec-help-session ws "cat" :yield_time_ms 100)
      (should (= (1+ buffers) (length (buffer-list)))))
    (should (= buffers (length (buffer-list))))))

(provide 'agent-q-fs-exec-ui-tests)
;;; agent-q-fs-exec-ui-tests.el ends here

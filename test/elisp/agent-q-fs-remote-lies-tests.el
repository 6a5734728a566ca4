;;; agent-q-fs-remote-lies-tests.el --- Another machine that lies  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The server is a shell script.  It says hello, answers what it is asked as a server would, and
;; then lies, once, about what the test has it lie about.  TRAMP is left out, for speed.
;; Threat 162.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-remote)

(defconst agent-q-fs-remote-lies--server "\
hello() { printf 'hello 0 0 %s\\n%s\\n' ${#1} \"$1\"; }
say() { printf '%s %s %s %s\\n' \"$1\" \"$2\" \"$3\" ${#4}; printf '%s\\n' \"$4\"; }
LC_ALL=C
lie() {
    id=$1
    LIE
}
HELLO
while read -r kind id argument length; do
    read -r payload
    case $kind:$payload in
    open:*) say reply $id 1 \"$OPEN\" ;;
    call:*get_file_info*) say reply $id 1 \"$INFO\" ;;
    call:* | stream:*) lie $id ;;
    ping:*) say pong $id 0 '' ;;
    close:*) say reply $id 1 '' ;;
    esac
done
"
  "The server.  HELLO and LIE are what it says of itself, and when it is asked.")

(defconst agent-q-fs-remote-lies--hello
  "hello '{\"name\":\"agent-q-fs\",\"protocol\":1,\"version\":\"%s\",\"abi\":%s,\"home\":\"/home/x\"}'"
  "The honest hello.")

(defun agent-q-fs-remote-lies--value (member)
  "Return as text a value for MEMBER, of the catalogue."
  (pcase (plist-get member :type)
    (:integer "1")
    (:boolean "nil")
    (:keyword (concat ":" (car (plist-get member :choices))))
    (:time "\"2026-01-01T00:00:00Z\"")
    (:digest "\"abcdef\"")
    (:list "()")
    (:map (agent-q-fs-remote-lies--map (plist-get member :members)))
    (:path (if (equal "root" (plist-get member :name)) "\"/far/project/\"" "\"a\""))
    (_ (format "%S" (or (car (plist-get member :choices)) "words")))))

(defun agent-q-fs-remote-lies--map (members &optional instead)
  "Return as text a map with all of MEMBERS that must be there.
INSTEAD is an alist of values by name, or of nil for a member to leave out."
  (format "(%s)"
          (mapconcat (lambda (member)
                       (let* ((name (plist-get member :name)) (other (assoc name instead)))
                         (cond ((and other (null (cdr other))) "")
                               ((or other (not (plist-get member :optional)))
                                (format ":%s %s" (string-replace "_" "-" name)
                                        (or (cdr other) (agent-q-fs-remote-lies--value member))))
                               (t ""))))
                     members " ")))

(defun agent-q-fs-remote-lies--reply (operation &rest instead)
  "Return as text the reply to OPERATION, with members as INSTEAD says."
  (agent-q-fs-remote-lies--map (agent-q-fs-remote-data-members operation) instead))

(defun agent-q-fs-remote-lies--said (text)
  "Return a command that answers with TEXT."
  (format "say reply $id 1 %s" (shell-quote-argument text)))

(defun agent-q-fs-remote-lies--script (lie hello)
  "Return the script of a server that tells LIE, and says HELLO."
  (let ((facts (agent-q-fs-catalogue)))
    (concat (format "OPEN=%s\nINFO=%s\n"
                    (shell-quote-argument (agent-q-fs-remote-lies--map
                                           (agent-q-fs-remote-data-known "open")))
                    (shell-quote-argument (agent-q-fs-remote-lies--reply 'get_file_info)))
            (string-replace
             "LIE" lie
             (string-replace "HELLO" (or hello (format agent-q-fs-remote-lies--hello
                                                       (plist-get facts :version)
                                                       (plist-get facts :abi)))
                             agent-q-fs-remote-lies--server)))))

(defun agent-q-fs-remote-lies--process (script)
  "Return a new process that runs SCRIPT."
  (make-process :name "liar" :command (list "sh" "-c" script) :coding 'binary
                :connection-type 'pipe :noquery t
                :filter #'agent-q-fs-link--filter :sentinel #'agent-q-fs-link--sentinel))

(defun agent-q-fs-remote-lies--call (lie hello function)
  "Call FUNCTION with a function that opens a workspace.
Its server tells LIE, a shell command, and says HELLO, or what is honest."
  (let ((agent-q-fs-open-options nil)
        (script (agent-q-fs-remote-lies--script lie hello))
        (agent-q-fs-audit-file nil))
    (cl-letf (((symbol-function 'agent-q-fs-link--make-process)
               (lambda (_link) (agent-q-fs-remote-lies--process script))))
      (unwind-protect
          (funcall function (lambda () (agent-q-fs-open :root "/ssh:liar:/far/project/")))
        (mapc #'agent-q-fs-link-close agent-q-fs-link--all)))))

(defun agent-q-fs-remote-lies--plain-p (words)
  "Return non-nil if WORDS can be shown to a person."
  (and (< (length words) 2000) (not (string-match-p "[^\n[:print:]]" words))))

(defun agent-q-fs-remote-lies--words (lie operation arguments)
  "Return the error of a call of OPERATION with ARGUMENTS, to which LIE is the answer.
Fail unless it is one, the connection has ended and is not tried again."
  (agent-q-fs-remote-lies--call
   lie nil
   (lambda (open)
     (let* ((ws (funcall open))
            (link (agent-q-fs-remote-link ws))
            (problem (should-error (apply #'agent-q-fs-call ws operation arguments)
                                   :type 'agent-q-fs-disconnected)))
       (should (eq 'down (agent-q-fs-link-state link)))
       (should-not (agent-q-fs-link-again link))
       (should (agent-q-fs-remote-lies--plain-p (plist-get (cdr problem) :message)))
       (plist-get (cdr problem) :message)))))

(defmacro agent-q-fs-remote-lies--deftest (name lie words &optional operation &rest arguments)
  "Define the test NAME: LIE, a shell command, ends the connection with WORDS.
The call is that of OPERATION, by default read_file, with ARGUMENTS."
  (declare (indent 1))
  `(ert-deftest ,(intern (format "agent-q-fs-remote-lies/%s" name)) ()
     (should (string-match-p ,words
                             (agent-q-fs-remote-lies--words
                              ,lie ',(or operation 'read_file) ',(or arguments '(:path "a")))))))

(defun agent-q-fs-remote-lies--read-file (&rest instead)
  "Return a command that answers read_file, with members as INSTEAD says."
  (agent-q-fs-remote-lies--said (apply #'agent-q-fs-remote-lies--reply 'read_file instead)))

(ert-deftest agent-q-fs-remote-lies/honest ()
  "An honest server is believed: the other tests show lies, and not this script."
  (agent-q-fs-remote-lies--call
   (agent-q-fs-remote-lies--read-file '("path" . "\"a\"") '("content" . "\"x\\\\y\\\"z\"")) nil
   (lambda (open)
     (let ((reply (agent-q-fs-read-file (funcall open) "a")))
       (should (equal "x\\y\"z" (plist-get reply :content)))
       (should (equal "words" (plist-get reply :text)))))))

(defun agent-q-fs-remote-lies--deflated (text &optional behind)
  "Return a command that answers with TEXT deflated, and the bytes BEHIND it."
  (let ((bytes (with-temp-buffer
                 (set-buffer-multibyte nil)
                 (insert (encode-coding-string text 'utf-8-unix))
                 (let ((coding-system-for-read 'binary) (coding-system-for-write 'binary))
                   (call-process-region (point-min) (point-max) "gzip" t t nil "-n1"))
                 ;; Between the head of gzip and its sums.
                 (concat (buffer-substring (+ 10 (point-min)) (- (point-max) 8)) behind))))
    (format "printf 'reply %%s 2 %d\\n' $id; printf '%s\\n'" (length bytes)
            (mapconcat (lambda (byte) (format "\\%03o" byte)) bytes ""))))

(ert-deftest agent-q-fs-remote-lies/honest-and-deflated ()
  "An answer that came deflated is the same."
  (agent-q-fs-remote-lies--call
   (agent-q-fs-remote-lies--deflated
    (agent-q-fs-remote-lies--reply 'read_file (cons "content" (format "\"%s\"" (make-string 9999 ?é)))))
   nil
   (lambda (open)
     (should (equal (make-string 9999 ?é)
                    (plist-get (agent-q-fs-read-file (funcall open) "a") :content))))))

(ert-deftest agent-q-fs-remote-lies/honest-and-void ()
  "The pieces of a reply that came before its call failed count no more."
  (agent-q-fs-remote-lies--call
   (format "say reply $id 0 '(:path \"b\" '; say reply $id 3 '(:total'; %s"
           (agent-q-fs-remote-lies--read-file '("content" . "\"x\"")))
   nil
   (lambda (open)
     (should (equal "x" (plist-get (agent-q-fs-read-file (funcall open) "a") :content))))))

(ert-deftest agent-q-fs-remote-lies/honest-and-deep ()
  "A tree with as many levels as there can be is read."
  (let ((tree "(:name \"f\" :type :file)") (levels 0))
    (dotimes (_ 255)
      (setq tree (format "(:name \"d\" :type :directory :children (%s))" tree)))
    (agent-q-fs-remote-lies--call
     (agent-q-fs-remote-lies--said
      (agent-q-fs-remote-lies--reply 'directory_tree (cons "tree" tree))) nil
     (lambda (open)
       (let ((node (plist-get (agent-q-fs-directory-tree (funcall open) ".") :tree)))
         (while node
           (setq levels (1+ levels)
                 node (car (plist-get node :children)))))))
    (should (= 256 levels))))

(ert-deftest agent-q-fs-remote-lies/answers-that-fail-here ()
  "An answer at which this Emacs itself fails ends the connection: nobody waits for ever."
  (agent-q-fs-remote-lies--call
   (agent-q-fs-remote-lies--read-file) nil
   (lambda (open)
     (let ((ws (funcall open)))
       (cl-letf (((symbol-function 'agent-q-fs-remote-data-reply)
                  (lambda (&rest _) (error "No memory\e is left"))))
         (let ((words (agent-q-fs-test-message (agent-q-fs-read-file ws "a"))))
           (should (string-search "cannot be read (No memory" words))
           (should (agent-q-fs-remote-lies--plain-p words))))
       (should (eq 'down (agent-q-fs-link-state (agent-q-fs-remote-link ws))))))))

(ert-deftest agent-q-fs-remote-lies/honest-while-we-send ()
  "An item that comes while Emacs writes, which reads meanwhile, is another one, in its place."
  (let* ((link (agent-q-fs-link--make "/ssh:x:" "client")) (nested nil) (items nil)
         (ask (agent-q-fs-link-ask--make
               :id 1 :link link :room 100 :members (agent-q-fs-remote-data-members 'search_files)
               :on-item (lambda (item) (push item items)))))
    (setf (agent-q-fs-link-state link) 'up)
    (cl-letf (((symbol-function 'agent-q-fs-link--send)
               (lambda (&rest _)
                 (unless nested
                   (setq nested t)
                   (agent-q-fs-link--take-piece ask "item" 1 "(:items (\"b\"))")))))
      (agent-q-fs-link--take-piece ask "item" 1 "(:items (\"a\"))"))
    (should nested)
    (should (equal '((:items ("a")) (:items ("b"))) (nreverse items)))))

;;; Frames

(agent-q-fs-remote-lies--deftest wrong-id
  "say reply 77 1 '(:text \"x\")'" "nobody asked for")
(agent-q-fs-remote-lies--deftest answered-twice
  (let ((reply (agent-q-fs-remote-lies--reply 'get_project_root)))
    (format "say reply 1 1 %s" (shell-quote-argument reply)))
  "nobody asked for")
(agent-q-fs-remote-lies--deftest giant-length
  "printf 'reply %s 1 99999\\n' $id; head -c 99999 /dev/zero" "too long")
(agent-q-fs-remote-lies--deftest longer-than-any-number
  "printf 'reply %s 1 99999999999999999999\\n' $id" "no frame")
(agent-q-fs-remote-lies--deftest negative-length "printf 'reply %s 1 -5\\n' $id" "no frame")
(agent-q-fs-remote-lies--deftest no-frames
  "head -c 200 /dev/zero" "no frame")
(agent-q-fs-remote-lies--deftest payload-too-long
  "printf 'reply %s 1 2\\n(:a)\\n' $id" "does not end")
(agent-q-fs-remote-lies--deftest another-hello "hello '{}'" "kind hello")
(agent-q-fs-remote-lies--deftest unknown-kind "say eval $id 0 '(delete-file)'" "kind eval")
(agent-q-fs-remote-lies--deftest pong-without-ping "say pong 9 0 ''" "pong")
(agent-q-fs-remote-lies--deftest item-of-a-plain-call
  "say item $id 1 '(:items (\"a\"))'" "before the reply")
(agent-q-fs-remote-lies--deftest more-than-the-room
  "x=$(head -c 16000 /dev/zero | tr '\\0' x); while say reply $id 0 $x; do :; done"
  "room\\|too long")
(agent-q-fs-remote-lies--deftest error-of-the-connection
  "say error 0 0 '{\"error\":\"x\",\"message\":\"\\u001b[31mred\\u202e\"}'" "server says: .*red")
(agent-q-fs-remote-lies--deftest error-that-is-no-json "say error $id 0 '#.(f)'" "no JSON")

(agent-q-fs-remote-lies--deftest another-end-of-a-piece "say reply $id 4 '()'" "neither the last")
(agent-q-fs-remote-lies--deftest an-item-that-is-void "say item $id 3 '()'" "neither the last")
(agent-q-fs-remote-lies--deftest deflated-and-none "say reply $id 2 '(:text \"x\")'" "none, or too long")
(agent-q-fs-remote-lies--deftest deflated-and-behind-it-more
  (agent-q-fs-remote-lies--deflated "(:text \"x\")" "\377")
  "none, or too long")
(agent-q-fs-remote-lies--deftest deflated-and-more-than-a-block-holds
  (agent-q-fs-remote-lies--deflated (make-string 1000000 ?\()) "none, or too long")
(agent-q-fs-remote-lies--deftest deflated-code
  (agent-q-fs-remote-lies--deflated "(:text #.(kill-emacs))") "no list")

;;; Text

(agent-q-fs-remote-lies--deftest read-time-evaluation
  (agent-q-fs-remote-lies--read-file '("content" . "#.(kill-emacs)")) "no list")
(agent-q-fs-remote-lies--deftest records
  (agent-q-fs-remote-lies--read-file '("content" . "#s(hash-table)")) "no list")
(agent-q-fs-remote-lies--deftest circles
  (agent-q-fs-remote-lies--said "#1=(:text . #1#)") "no list")
(agent-q-fs-remote-lies--deftest dotted
  (agent-q-fs-remote-lies--said "(:text . \"x\")") "no list")
(agent-q-fs-remote-lies--deftest an-escape-of-the-reader
  (agent-q-fs-remote-lies--read-file '("content" . "\"\\^\" #s(hash-table) \"\"")) "escape")
(agent-q-fs-remote-lies--deftest two-lists
  (agent-q-fs-remote-lies--said "(:text \"x\") (:text \"y\")") "more than one")
(agent-q-fs-remote-lies--deftest deep-nesting
  (agent-q-fs-remote-lies--said (concat (make-string 5000 ?\() (make-string 5000 ?\)))) "no list")
(agent-q-fs-remote-lies--deftest long-number
  (agent-q-fs-remote-lies--read-file (cons "total_lines" (make-string 5000 ?9))) "no number")
(agent-q-fs-remote-lies--deftest no-member-of-it
  (agent-q-fs-remote-lies--read-file '("content" . "\"\" :digest \"abc\"")) "does not have")

(ert-deftest agent-q-fs-remote-lies/no-symbol-is-made ()
  "Words that nobody knows are refused, and are no symbols of Emacs afterwards."
  (dolist (word '("never-seen-word" ":never-seen-keyword"))
    (should (string-search "a word that no reply has"
                           (agent-q-fs-remote-lies--words
                            (agent-q-fs-remote-lies--read-file (cons "content" word))
                            'read_file '(:path "a")))))
  (should-not (intern-soft (concat "never-seen" "-word")))
  (should-not (intern-soft (concat ":never-seen" "-keyword"))))

;;; Members

(agent-q-fs-remote-lies--deftest wrong-type
  (agent-q-fs-remote-lies--read-file '("content" . "5")) "no string")
(agent-q-fs-remote-lies--deftest missing-member
  (agent-q-fs-remote-lies--read-file '("text")) "without text")
(agent-q-fs-remote-lies--deftest list-for-a-path
  (agent-q-fs-remote-lies--read-file '("path" . "(\"a\")")) "a path that is none")
(agent-q-fs-remote-lies--deftest control-characters-in-a-path
  (agent-q-fs-remote-lies--read-file (cons "path" "\"a\e]0;title\a\"")) "a path that is none")
(agent-q-fs-remote-lies--deftest path-above
  (agent-q-fs-remote-lies--read-file '("path" . "\"d/../../../etc/passwd\"")) "a path that is none")
(agent-q-fs-remote-lies--deftest path-at-home
  (agent-q-fs-remote-lies--read-file '("path" . "\"~/.ssh/id_rsa\"")) "a path that is none")
(agent-q-fs-remote-lies--deftest unknown-error
  (agent-q-fs-remote-lies--said "(:error :evil :message \"x\" :path nil :hint nil :text \"x\")")
  "a word that no reply has\\|another word")
(agent-q-fs-remote-lies--deftest time-that-is-none
  (agent-q-fs-remote-lies--said
   (agent-q-fs-remote-lies--reply
    'list_directory '("entries" . "((:name \"a\" :path \"a\" :type :file :size 8 :modified \"now\"))")))
  "another form" list_directory)

;;; Plain data all the same

(ert-deftest agent-q-fs-remote-lies/names-stay-there ()
  "A path in a reply never names a file of this machine, or of a third one."
  (pcase-dolist (`(,path . ,name)
                 '(("/etc/passwd" . "/ssh:liar:/etc/passwd")
                   ("/ssh:other:/x" . "/ssh:liar:/ssh:other:/x")
                   ("ssh:x" . "/ssh:liar:/far/project/ssh:x")
                   ("$HOME/x" . "/ssh:liar:/far/project/$HOME/x")))
    (agent-q-fs-remote-lies--call
     (agent-q-fs-remote-lies--read-file (cons "path" (format "%S" path))) nil
     (lambda (open)
       (let* ((ws (funcall open)) (reply (agent-q-fs-read-file ws "a")))
         (should (equal name (agent-q-fs-path-name ws (plist-get reply :path))))
         (should (equal name (agent-q-fs--place ws (plist-get reply :path)))))))))

(ert-deftest agent-q-fs-remote-lies/words-are-shown-plainly ()
  "The words of an error are made visible."
  (agent-q-fs-remote-lies--call
   (agent-q-fs-remote-lies--said "(:error :io :message \"\e[2Jgone\u202e\" :path nil :hint \"\a\" :text \"x\")")
   nil
   (lambda (open)
     (let ((problem (should-error (agent-q-fs-read-file (funcall open) "a") :type 'agent-q-fs-io)))
       (should (agent-q-fs-remote-lies--plain-p (plist-get (cdr problem) :message)))
       (should (agent-q-fs-remote-lies--plain-p (plist-get (cdr problem) :hint)))
       (should (string-search "gone" (plist-get (cdr problem) :message)))))))

(ert-deftest agent-q-fs-remote-lies/tiers-are-ours ()
  "A plan that makes itself harmless is not believed."
  (agent-q-fs-remote-lies--call
   (agent-q-fs-remote-lies--said
    (agent-q-fs-remote-lies--map (agent-q-fs-remote-data-known "plan")
                                 '(("tier" . ":safe") ("allowed" . "t"))))
   nil
   (lambda (open)
     (should (string-search "tier" (plist-get (cdr (should-error
                                                    (agent-q-fs-delete-file (funcall open) "a")
                                                    :type 'agent-q-fs-disconnected))
                                              :message))))))

;;; Hello

(ert-deftest agent-q-fs-remote-lies/hello ()
  "A machine on which no such server answers is told in words that can be shown."
  (let ((agent-q-fs-remote-seconds 5))
    (pcase-dolist
        (`(,hello . ,words)
         `((,(format agent-q-fs-remote-lies--hello "9.9.9" 2) . "agent-q-fs 9.9.9 is there")
           (,(format agent-q-fs-remote-lies--hello (plist-get (agent-q-fs-catalogue) :version) 99)
            . "is there, and this is")
           (,(string-replace "\"protocol\":1" "\"protocol\":2"
                             (format agent-q-fs-remote-lies--hello
                                     (plist-get (agent-q-fs-catalogue) :version)
                                     (plist-get (agent-q-fs-catalogue) :abi)))
            . "is there, and this is")
           ("printf '\\033[31mno such program\\007\\n'; exit 3" . "did not start there: no such program")
           ("say reply 1 1 \"$OPEN\"; exit 0" . "did not start there")
           ("echo hello 0 0 5; yes" . "prints without end")))
      (agent-q-fs-remote-lies--call
       ":" hello
       (lambda (open)
         (let ((message (plist-get (cdr (should-error (funcall open) :type 'agent-q-fs-disconnected))
                                   :message)))
           (should (string-search words message))
           (should (agent-q-fs-remote-lies--plain-p message))
           (should-not agent-q-fs-link--all)))))))

(ert-deftest agent-q-fs-remote-lies/silence ()
  "A machine that says nothing is given up after a while."
  (let ((agent-q-fs-remote-seconds 1))
    (agent-q-fs-remote-lies--call
     ":" "sleep 300"
     (lambda (open)
       (should (string-search "did not answer in 1 seconds"
                              (agent-q-fs-test-message (funcall open))))))
    (agent-q-fs-remote-lies--call
     "sleep 300" nil
     (lambda (open)
       (should (string-search "no sign of life"
                              (agent-q-fs-test-message (agent-q-fs-read-file (funcall open) "a"))))))))

(ert-deftest agent-q-fs-remote-lies/chatter ()
  "The output of a shell before the hello is no answer, whatever it looks like."
  (agent-q-fs-remote-lies--call
   (agent-q-fs-remote-lies--read-file '("content" . "\"x\""))
   (concat "echo Welcome to hello 0 0 5; printf 'hello 0 0 2\\n{}\\nhello 0 0 x\\n\\033[1mMOTD'; "
           "say reply 1 1 \"$OPEN\"; "
           (format agent-q-fs-remote-lies--hello (plist-get (agent-q-fs-catalogue) :version)
                   (plist-get (agent-q-fs-catalogue) :abi)))
   (lambda (open)
     (should (equal "x" (plist-get (agent-q-fs-read-file (funcall open) "a") :content))))))

;;; agent-q-fs-remote-lies-tests.el ends here

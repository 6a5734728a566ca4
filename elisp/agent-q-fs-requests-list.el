;;; agent-q-fs-requests-list.el --- All requests that wait, in a list  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-requests-list' lists what agents want to do, a line each.  All of it can be
;; denied there at once, and what its line says whole can be done at once.

;;; Code:

(require 'agent-q-fs-prompt)
(require 'agent-q-fs-requests)
(require 'agent-q-fs-show)
(require 'tabulated-list)

(defvar agent-q-fs-requests-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'agent-q-fs-requests-open)
    (define-key map [mouse-2] #'agent-q-fs-requests-open)
    (define-key map "A" #'agent-q-fs-requests-approve-all)
    (define-key map "D" #'agent-q-fs-requests-deny-all)
    map)
  "Keys in the list of requests.")

(defconst agent-q-fs-requests--columns
  [("Waits" 7 nil) ("What" 56 t) ("Tool" 14 t) ("Project" 0 t)]
  "The columns of the list.")

(define-derived-mode agent-q-fs-requests-mode tabulated-list-mode "Requests"
  "The requests of agents that wait for you.
\\{agent-q-fs-requests-mode-map}"
  :interactive nil
  (setq tabulated-list-format agent-q-fs-requests--columns
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-requests--rows)
  (setq-local bidi-display-reordering nil)
  (tabulated-list-init-header))

(defun agent-q-fs-requests--rows ()
  "Return the rows of the list."
  (mapcar (lambda (request)
            (let ((shown (agent-q-fs-prompt-shown request)))
              (list request
                    (vector (format-seconds "%mm %ss%z" (- (float-time) (agent-q-fs-prompt-get
                                                                         request :begun)))
                            (propertize (agent-q-fs-show-sentence shown)
                                        'face (agent-q-fs-show-face shown))
                            (agent-q-fs-request-tool shown)
                            (agent-q-fs-show-visible (agent-q-fs-request-root shown) t)))))
          (agent-q-fs-prompt-waiting)))

(defun agent-q-fs-requests-list ()
  "List the requests of agents that wait for you."
  (interactive)
  (with-current-buffer (get-buffer-create "*agent-q-fs requests*")
    (agent-q-fs-requests-mode)
    (tabulated-list-print)
    (goto-char (point-min))
    (pop-to-buffer (current-buffer) '((display-buffer-reuse-window display-buffer-same-window)))))

(defun agent-q-fs-requests-open ()
  "Show the request of this line."
  (interactive nil agent-q-fs-requests-mode)
  (let ((request (or (tabulated-list-get-id) (user-error "There is no request here"))))
    (if (agent-q-fs-request-decision request)
        (user-error "This request is over; g lists those that wait")
      (agent-q-fs-request--show request))))

(defun agent-q-fs-requests--totals (requests)
  "Return words about what REQUESTS would do together."
  (let ((danger 0) (added 0) (removed 0))
    (dolist (request requests)
      (let* ((shown (agent-q-fs-prompt-shown request)) (lines (agent-q-fs-show-lines shown)))
        (when (eq 'danger (agent-q-fs-show-stake shown)) (setq danger (1+ danger)))
        (setq added (+ added (car lines)) removed (+ removed (cdr lines)))))
    (concat (format "%d" (length requests))
            (if (< 0 danger) (format ", %d of them DANGEROUS" danger) "")
            (format ", +%d -%d lines" added removed))))

(defun agent-q-fs-requests--told-p (request)
  "Return non-nil if the list says all of what REQUEST, as shown, would do.
It does not of commands, nor where its line is cut or names no file: of
several files it says how many, and of what touches none not even that."
  (let* ((shown (agent-q-fs-prompt-shown request))
         (changes (agent-q-fs-show--changes shown)))
    (and (agent-q-fs-request-digest shown)
         changes
         (null (cdr changes))
         (<= (string-width (agent-q-fs-show-sentence shown))
             (cadr (assoc "What" (append agent-q-fs-requests--columns nil)))))))

(defun agent-q-fs-requests--all (question requests)
  "List what waits; return REQUESTS if the answer to QUESTION is yes.
Requests that come meanwhile are not among them."
  (when executing-kbd-macro
    (user-error "A keyboard macro cannot decide"))
  (let ((use-short-answers nil))
    (unless (agent-q-fs-prompt-waiting) (user-error "Nothing waits"))
    (agent-q-fs-requests-list)
    (unless requests (user-error "What no line says whole is to be opened one by one, with RET"))
    (when (yes-or-no-p (format question (agent-q-fs-requests--totals requests)))
      requests)))

(defun agent-q-fs-requests--each (requests function)
  "Call FUNCTION with each of REQUESTS that still waits, and count them."
  (let ((count 0))
    (dolist (request requests)
      (unless (agent-q-fs-request-decision request)
        (setq count (1+ count))
        (funcall function request)))
    (when (derived-mode-p 'agent-q-fs-requests-mode)
      (tabulated-list-print t))
    (message "%d decided, %d wait" count (length (agent-q-fs-prompt-waiting)))))

(defun agent-q-fs-requests-approve-all ()
  "Let all be done that waits, after listing it.
Commands are left, and what is too long for the list or about several
files: see each of them."
  (interactive)
  (let* ((waiting (agent-q-fs-prompt-waiting))
         (requests (seq-filter #'agent-q-fs-requests--told-p waiting))
         (left (- (length waiting) (length requests))))
    (agent-q-fs-requests--each
     (agent-q-fs-requests--all
      (concat (if (< 0 left)
                  (format "%d to be opened one by one (commands, several files) left out.  " left)
                "")
              "Do all of these (%s)? ")
      requests)
     #'agent-q-fs-prompt-approve)))

(defun agent-q-fs-requests-deny-all ()
  "Deny all that waits, after listing it."
  (interactive)
  (let ((requests (agent-q-fs-requests--all "Deny all of these (%s)? "
                                              (agent-q-fs-prompt-waiting))))
    (when requests
      (let ((reason (read-string "Why not? (the models are told; RET alone gives no reason) ")))
        (agent-q-fs-requests--each
         requests (lambda (request) (agent-q-fs-prompt-refuse request reason)))))))

(provide 'agent-q-fs-requests-list)
;;; agent-q-fs-requests-list.el ends here

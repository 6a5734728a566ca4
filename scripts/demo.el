;;; demo.el --- Walks through every tool and shows what comes back  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `make run' without a terminal.  Nothing here is prepared: the calls are made
;; on this project, through the same function that an agent's calls go through.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-tools)

(defconst demo-calls
  '(("get_project_root")
    ("list_directory" :path ".")
    ("list_dir" :path "module" :depth 1 :limit 5)
    ("directory_tree" :path "doc")
    ("get_file_info" :path "README.org")
    ("file_exists" :path "module/aqfs.h")
    ("read_file" :path "module/aqfs.h" :start_line 1 :end_line 8 :line_numbers t)
    ("read_bytes" :path "LICENSE" :limit 12)
    ("search_files" :pattern "**/aqfs*.h")
    ("search_files" :pattern "*.{c,h}")
    ("grep_files" :pattern "^int beneath_open" :path "module" :context 1)
    ("read_file" :path "../outside")
    ("read_file" :path "/etc/passwd")
    ("read_file" :path "README.org" :start_line 100000)
    ("grep_files" :pattern "(" :path "module")
    ("read_file" :file "README.org"))
  "Every tool at least once, and what happens to calls that go wrong.")

(defun demo-say (format &rest arguments)
  "Print FORMAT with ARGUMENTS and a newline."
  (princ (concat (apply #'format format arguments) "\n")))

(defun demo-call (call)
  "Make CALL, (TOOL . ARGUMENTS), and print what a model would be shown."
  (demo-say "\n>>> %s %s" (car call)
            (if (cdr call) (substring (prin1-to-string (cdr call)) 1 -1) ""))
  (demo-say "%s" (string-trim-right (agent-q-fs-call-tool (car call) (cdr call)))))

(defun demo-check-complete ()
  "Fail when the table has a tool that is not shown."
  (dolist (operation (agent-q-fs-operations))
    (unless (assoc (plist-get operation :name) demo-calls)
      (error "The demo does not show %s" (plist-get operation :name)))))

(demo-say "%s" (agent-q-fs-version))
(mapc #'demo-call demo-calls)
(demo-check-complete)

;;; demo.el ends here

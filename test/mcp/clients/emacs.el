;;; emacs.el --- An Emacs for clients from npm  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Serves the directory in which it is started, with two tools that the suite wants.

;;; Code:

(require 'agent-q-fs-mcp)

(setq agent-q-fs-mcp-directories (list default-directory)
      agent-q-fs-state-directory (expand-file-name "../state" default-directory))

(agent-q-fs-define-tool "test_simple_text"
  :doc "Answers a sentence." :tier 'safe :sets '("coding")
  :handler (lambda (_workspace _arguments) "This is a simple text response for testing."))

(agent-q-fs-define-tool "test_error_handling"
  :doc "Fails." :tier 'safe :sets '("coding")
  :handler (lambda (_workspace _arguments)
             (error "This tool intentionally returns an error for testing")))

(agent-q-fs-mcp-mode 1)
(write-region "" nil "../serving" nil 'quiet)
(while t (accept-process-output nil 10))

;;; emacs.el ends here

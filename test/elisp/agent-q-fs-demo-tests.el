;;; agent-q-fs-demo-tests.el --- Tests of the demo of `make run'  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)

(ert-deftest agent-q-fs-demo/shows-every-tool ()
  "The demo fails if a tool is missing from it, or gives a wrong answer."
  (let ((default-directory (locate-dominating-file default-directory "module/include/aqfs.h")))
    (with-temp-buffer
      (let ((status (call-process (expand-file-name invocation-name invocation-directory)
                                  nil t nil "-Q" "--batch" "-L" "elisp" "-l" "scripts/demo.el")))
        (should (equal (list 0 (buffer-string)) (list status (buffer-string)))))
      (dolist (shown '("Error: Path '../outside' is outside project root"
                       "Error: Path 'way-out' is outside project root"
                       "nothing was done"
                       "Processes that it left behind were ended: 1"
                       "Hello, you"))
        (goto-char (point-min))
        (should (equal (cons shown t) (cons shown (and (search-forward shown nil t) t))))))))

(provide 'agent-q-fs-demo-tests)
;;; agent-q-fs-demo-tests.el ends here

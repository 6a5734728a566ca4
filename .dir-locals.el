;;; Directory Local Variables
((c-mode . ((indent-tabs-mode . nil) (c-basic-offset . 4) (fill-column . 100)))
 (emacs-lisp-mode . ((indent-tabs-mode . nil) (fill-column . 80)))
 (lisp-mode . ((indent-tabs-mode . nil) (fill-column . 90))))

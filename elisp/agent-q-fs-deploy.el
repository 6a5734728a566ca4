;;; agent-q-fs-deploy.el --- Have the program on other machines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A project on another machine is served by the program agent-q-fs there.
;; `agent-q-fs-deploy-program' returns its name, and gets it there if need be.  In this order:
;;
;;     1. the program that `agent-q-fs-deploy-programs' names
;;     2. the one that is installed there, if its version is ours
;;     3. the one that was copied or built there: in a directory that is named after its
;;        hash, where each file still has its own
;;     4. a copy of what `make bundle' has made here, after the person was asked, once a
;;        machine; or one that is built there, if they say so
;;
;; The scripts that do this over there need a POSIX shell and the usual small tools, those of
;; busybox too.  Their answers are data: it is compared, shown to a person, or used
;; as a name over there.

;;; Code:

(require 'agent-q-fs-load)
(require 'agent-q-fs-remote-shell)
(require 'agent-q-fs-rules)
(require 'agent-q-fs-workspace)
(require 'seq)
(require 'subr-x)

(defgroup agent-q-fs-deploy nil
  "How the program gets to other machines."
  :group 'agent-q-fs)

(defcustom agent-q-fs-deploy-programs nil
  "Where the program agent-q-fs is on machines on which you put it yourself.
Each element is (REGEXP . PROGRAM).  REGEXP is searched in the beginning of
a remote name, such as /ssh:me@host:, and PROGRAM is the program's absolute
name there.  The first element that matches counts, and nothing is copied
to that machine."
  :type '(alist :key-type regexp :value-type string))

(defcustom agent-q-fs-deploy-copy 'ask
  "Whether the program may be copied to another machine where it is missing.
With `ask' you are asked once for each machine."
  :type '(choice (const :tag "Ask once a machine" ask) (const :tag "Copy" t)
                 (const :tag "Never" nil)))

(defcustom agent-q-fs-deploy-directory nil
  "The directory with what is copied to other machines.
It has a directory for each kind of processor, as `make bundle' writes them
into build/bundle of the sources.  With nil it is looked for beside the
module, and what this kind of processor needs is made there when it is needed."
  :type '(choice (const :tag "Find it" nil) directory))


;;;; The files to copy

(defun agent-q-fs-deploy--hash (file)
  "Return the SHA-256 of FILE."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally file)
    (secure-hash 'sha256 (current-buffer))))

(defun agent-q-fs-deploy--read-bundle (file)
  "Return the bundle whose facts `make bundle' has written into FILE, or nil.
It is a property list: the :directory, the :hash that names it, the
:machine that it is for, its :kilobytes, and words about what was
:left-out.  One of another version, or older than its sources, is none."
  (let ((facts (with-temp-buffer
                 (insert-file-contents file)
                 (ignore-errors (read (current-buffer))))))
    (and (equal agent-q-fs-module-version (plist-get facts :version))
         (not (agent-q-fs-module--newer-source file))
         (append (list :directory (file-name-directory file)
                       :hash (agent-q-fs-deploy--hash (expand-file-name "../SUMS" file)))
                 facts))))

(defun agent-q-fs-deploy--bundles ()
  "Return the bundles that are here."
  (let ((given (default-value 'agent-q-fs-deploy-directory)))
    (delq nil (mapcar #'agent-q-fs-deploy--read-bundle
                      (seq-mapcat (lambda (place)
                                    (file-expand-wildcards (expand-file-name "*/facts" place)))
                                  (if given (list given)
                                    (mapcar (lambda (place) (expand-file-name "bundle" place))
                                            (agent-q-fs-module-places))))))))

(defun agent-q-fs-deploy--own-machine ()
  "Return the kind of this machine's processor."
  (string-trim (or (agent-q-fs-module--output "uname" "" "-m") "")))

(defun agent-q-fs-deploy--bundle (machine where &optional made)
  "Return the bundle for WHERE, whose processors are of the kind MACHINE.
Make it if it is missing and can be made here, unless it was MADE just now."
  (cond
   ((seq-find (lambda (bundle) (equal machine (plist-get bundle :machine)))
              (agent-q-fs-deploy--bundles)))
   ((or made (default-value 'agent-q-fs-deploy-directory) (not (agent-q-fs-module--source))
        (not (equal machine (agent-q-fs-deploy--own-machine))))
    (agent-q-fs--fail
     :not-found "%s has %s processors, and no program for these is here.  Install agent-q-fs %s \
there; or in its sources, run `make bundle' on a machine of that kind, or `make \
bundle-arm64', and name the directory build/bundle in `agent-q-fs-deploy-directory'"
     where machine agent-q-fs-module-version))
   (t (condition-case problem
          (agent-q-fs-module-build-file (format "bundle/%s/facts" machine) nil "bundle")
        (error (agent-q-fs--fail :io "%s" (error-message-string problem))))
      (agent-q-fs-deploy--bundle machine where t))))


;;;; The scripts for over there

;; The arguments of a script are the word for its answers, the version, and its own.

(defconst agent-q-fs-deploy--common "\
set -uf
old_mask=$(umask) old_path=$PATH old_locale=${LC_ALL-none}
umask 077; LC_ALL=C; export LC_ALL
word=$1 version=$2; shift 2
PATH=$PATH:/usr/local/bin:${HOME:-/nowhere}/.local/bin
uid=$(id -u)

say() { printf '\\n%s %s %s\\n' \"$word\" \"$1\" \"$2\"; }
finish() { say end ''; exit 0; }
stop() { say \"$1\" \"$2\"; finish; }
says() { \"$1\" --version </dev/null 2>&1 | head -n 3 | tr '\\n' ' '; }

# The place of programs.  A relative XDG_CACHE_HOME does not count.
case ${XDG_CACHE_HOME:-} in
/*) cache=$XDG_CACHE_HOME ;;
*) case ${HOME:-} in /*) cache=$HOME/.cache ;; *) cache= ;; esac ;;
esac
if [ -d \"$cache\" ]; then cache=$(cd \"$cache\" && pwd -P); fi
bin=$cache/agent-q-fs/bin

# A directory of this user's, which is shut to all others?
private() {
    set -- $(ls -ldn \"$1\" 2>/dev/null)
    case ${1:-} in drwx------*) [ \"$3\" = \"$uid\" ] ;; *) false ;; esac
}

# Nobody but this user and root may put something else in a directory's place, or that of one
# that it is in.  Else $open is the one.
safe() {
    open=$1
    while :; do
        set -- $(ls -ldn \"$open/\" 2>/dev/null)
        case ${3:-} in \"$uid\" | 0) ;; *) return 1 ;; esac
        case $1 in
        ????????w[!tT]*) return 1 ;;
        ?????w???[!tT]*) [ \"$4\" = \"$(id -g)\" ] || [ \"$4\" = 0 ] || return 1 ;;
        esac
        [ -n \"$open\" ] || return 0
        open=${open%/*}
    done
}

for hasher in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r' ''; do
    ! command -v \"${hasher%% *}\" >/dev/null 2>&1 || break
done
hash_of() { set -- $($hasher <\"$1\"); echo \"${1:-}\"; }
sums() {
    (cd \"$1\" && find . ! -type d ! -path ./SUMS | sort | xargs $hasher | sed 's/ \\*/  /')
}

# Is the program in a directory the one with this hash?
good() {
    [ -n \"$hasher\" ] && private \"$1\" && [ \"$(hash_of \"$1/SUMS\")\" = \"$2\" ] &&
        [ \"$(sums \"$1\")\" = \"$(cat \"$1/SUMS\")\" ]
}

# How many kilobytes are free for $new, if that can be told.
free() {
    set -- $(df -Pk \"$new\" | tail -n 1)
    case ${4:-} in '' | *[!0-9]*) ;; *) echo \"$4\" ;; esac
}

# Removes what nobody has used for a day: other programs, and what interrupted copies left.
sweep() {
    old=$(find \"$bin/.\" ! -path \"$bin/.\" -prune -mtime +0 2>/dev/null)
    [ -n \"$old\" ] || return 0
    set +f
    running=$(ls -l /proc/[0-9]*/exe 2>/dev/null)
    set -f
    for name in $(printf '%s\\n' \"$old\" | sed 's|.*/||'); do
        case $running in *\" $bin/$name/\"*) ;; *) rm -rf \"$bin/$name\" ;; esac
    done
}

# Puts the program in $new/tree, with this hash, where programs are kept.
place() {
    said=$(says \"$new/tree/agent-q-fs\")
    [ \"$said\" = \"agent-q-fs $version \" ] || give_up cannot-run \"$said\"
    if [ -e \"$bin/$1\" ] && ! good \"$bin/$1\" \"$1\"; then mv \"$bin/$1\" \"$new/old\"; fi
    mv -T \"$new/tree\" \"$bin/$1\" 2>/dev/null || [ -d \"$bin/$1\" ] || mv \"$new/tree\" \"$bin/$1\"
    [ -z \"$hasher\" ] || good \"$bin/$1\" \"$1\" || give_up damaged ''
    rm -rf \"$new\"
    say hash \"$1\"
    stop ready \"$bin/$1/agent-q-fs\"
}
give_up() { rm -rf \"$new\"; stop \"$1\" \"$2\"; }
"
  "How each script begins.")

(defconst agent-q-fs-deploy--look "\
serve=$1 named=$2; shift 2
say machine \"$(uname -s) $(uname -m)\"

# Tells of the program, and becomes its server if that is wanted.
ready() {
    say ready \"$1\"
    [ -n \"$serve\" ] || finish
    say end ''
    umask \"$old_mask\"
    PATH=$old_path
    if [ \"$old_locale\" = none ]; then unset LC_ALL; else LC_ALL=$old_locale; fi
    exec \"$1\" serve 2>&1
}

if [ -n \"$named\" ]; then
    said=$(says \"$named\")
    [ \"$said\" != \"agent-q-fs $version \" ] || ready \"$named\"
    stop named \"$said\"
fi
installed=$(command -v agent-q-fs)
case $installed in
/*) said=$(says \"$installed\")
    [ \"$said\" != \"agent-q-fs $version \" ] || ready \"$installed\"
    say other \"$installed: $said\" ;;
esac
say bin \"$bin\"
[ -n \"$cache\" ] && private \"$bin\" && safe \"$bin\" || finish
for hash; do
    [ -d \"$bin/$hash\" ] || continue
    if good \"$bin/$hash\" \"$hash\"; then
        touch \"$bin/$hash\"
        sweep
        said=$(says \"$bin/$hash/agent-q-fs\")
        [ \"$said\" = \"agent-q-fs $version \" ] || stop cannot-run \"$said\"
        ready \"$bin/$hash/agent-q-fs\"
    fi
done
finish
"
  "Looks for the program: the one that is named, if any, or one with these hashes.")

(defconst agent-q-fs-deploy--prepare "\
needed=$1; shift
[ -n \"$cache\" ] || stop no-home ''
for tool; do command -v \"$tool\" >/dev/null || stop no-tool \"$tool\"; done
near=$bin
while [ ! -d \"$near/\" ]; do near=${near%/*}; done
near=$(cd \"$near/\" && pwd -P)
safe \"${near%/}\" || stop open \"$(ls -ldn \"${open:-/}\")\"
said=$(mkdir -p \"$bin\" 2>&1) || stop no-directory \"$said\"
cache=$(cd \"$cache\" && pwd -P)
bin=$cache/agent-q-fs/bin
case $(ls -ldn \"$bin\") in d*) chmod 700 \"$bin\" ;; esac
private \"$bin\" && safe \"$bin\" || stop open \"$(ls -ldn \"$bin\")\"
sweep
new=$bin/new.$word
said=$(mkdir \"$new\" 2>&1) || stop no-directory \"$said\"
free=$(free)
[ \"${free:-$needed}\" -ge \"$needed\" ] || { rmdir \"$new\"; stop no-space \"$free\"; }
printf '#!/bin/sh\\nexit 0\\n' >\"$new/try\" && chmod 700 \"$new/try\"
said=$(\"$new/try\" 2>&1) || { rm -rf \"$new\"; stop no-exec \"$said\"; }
rm \"$new/try\"
stop new \"$new\"
"
  "Makes a directory for a program that needs so many kilobytes, by these tools.")

(defconst agent-q-fs-deploy--unpack "\
new=$bin/new.$1 hash=$2 packed=$3
if [ -n \"$hasher\" ]; then [ \"$(hash_of \"$new/pack\")\" = \"$packed\" ]; else gzip -t \"$new/pack\"; fi ||
    give_up damaged \"$(free) kilobytes are free\"
mkdir \"$new/tree\"
said=$({ gzip -dc \"$new/pack\" | tar -xf - -C \"$new/tree\"; } 2>&1) || give_up damaged \"$said\"
chmod 700 \"$new/tree\"
[ -z \"$hasher\" ] || good \"$new/tree\" \"$hash\" || give_up damaged \"$said\"
place \"$hash\"
"
  "Unpacks what was copied and checks it.")

(defun agent-q-fs-deploy--run (where word script &rest arguments)
  "Return what SCRIPT, one of the above, answers on the machine WHERE.
WORD begins its answers, and ARGUMENTS are strings for it."
  (apply #'agent-q-fs-shell-run where word (concat agent-q-fs-deploy--common script)
         agent-q-fs-module-version arguments))


;;;; Faults over there

(defconst agent-q-fs-deploy--faults
  '((no-home :not-found "neither HOME nor XDG_CACHE_HOME is a directory there.  Set one of them")
    (no-tool :not-found "the program `%s' is missing there.  Install it")
    (no-directory :permission "%s.  Make that directory yours, or have XDG_CACHE_HOME name \
one that is")
    (open :permission "others than you and root could change what is there (%s).  Make that \
directory yours alone, or have XDG_CACHE_HOME name one that is")
    (no-space :no-space "%s kilobytes are free, and %d are needed.  Make room")
    (no-exec :permission "nothing can be started there (%s), as where a file system is \
mounted noexec.  Have XDG_CACHE_HOME name a directory where that is allowed")
    (damaged :io "what was copied arrived damaged (%s).  See that there is room, and try again")
    (cannot-run :io "the program does not run there; it says: %s.  See that its system is a \
Linux for that kind of processor")
    (build :command-failed "building it there failed; the buffer %s says why.  Install what \
is missing there"))
  "The faults that a machine may have: (ANSWER CODE WORDS).")

(defun agent-q-fs-deploy--check (where answers &optional needed)
  "Return ANSWERS of the machine WHERE, or signal the error among them.
NEEDED is how many kilobytes a program takes."
  (dolist (answer answers answers)
    (pcase-let ((`(,code ,words) (alist-get (car answer) agent-q-fs-deploy--faults)))
      (when code
        (agent-q-fs--fail code "agent-q-fs cannot be put on %s: %s, or install agent-q-fs %s there"
                          where
                          (format words (agent-q-fs-shell-shown (cdr answer)) (or needed 0))
                          agent-q-fs-module-version)))))

(defun agent-q-fs-deploy--ready (where answers)
  "Return the program that ANSWERS of the machine WHERE name, or nil."
  (let ((ready (alist-get 'ready (agent-q-fs-deploy--check where answers))))
    (and ready (agent-q-fs-shell-name ready where))))

(defun agent-q-fs-deploy--machine (where answers)
  "Return the kind of processor of the machine WHERE, according to its ANSWERS."
  (pcase (split-string (alist-get 'machine answers ""))
    (`("Linux" ,machine) machine)
    (_ (agent-q-fs--fail :invalid-argument "%s is no Linux, but %s, where agent-q-fs does not run"
                         where (agent-q-fs-shell-shown (alist-get 'machine answers ""))))))


;;;; The person's answers

(defun agent-q-fs-deploy--file ()
  "Return the name of the file of machines."
  (expand-file-name "machines.eld" (default-value 'agent-q-fs-state-directory)))

(defun agent-q-fs-deploy--machines ()
  "Return what is remembered of machines, property lists.
A file that somebody else may have written counts as none: then the
person is asked once more."
  (let* ((good (lambda (datum)
                 (and (proper-list-p datum)
                      (stringp (plist-get datum :machine))
                      (memq (plist-get datum :answer) '(copy build))
                      (string-match-p "\\`[0-9a-f]*\\'" (format "%s" (plist-get datum :hash)))
                      datum)))
         (file (agent-q-fs-deploy--file))
         (read (and (file-exists-p file) (not (agent-q-fs-rules-fault file))
                    (agent-q-fs-rules-read-data file good))))
    (and (listp read) read)))

(defun agent-q-fs-deploy--remembered (where)
  "Return what is remembered of the machine WHERE, or nil."
  (seq-find (lambda (datum) (equal where (plist-get datum :machine)))
            (agent-q-fs-deploy--machines)))

(defun agent-q-fs-deploy--remember (where &rest facts)
  "Remember FACTS, a property list, of the machine WHERE; without any, forget it."
  (agent-q-fs-rules-write-data
   (agent-q-fs-deploy--file) "\
;; -*- mode: lisp-data; coding: utf-8-unix -*-
;; Machines to which agent-q-fs may copy its program, one a list.  Remove one to be asked again.
"
   (append (seq-remove (lambda (datum) (equal where (plist-get datum :machine)))
                       (agent-q-fs-deploy--machines))
           (and facts (list (append (list :machine where) facts))))))

(defconst agent-q-fs-deploy--command "make -f module/build.mk program"
  "The command that builds the program.")

(defun agent-q-fs-deploy--person-p ()
  "Return non-nil if somebody waits for what they have asked for."
  (and this-command (not noninteractive)))

(defun agent-q-fs-deploy--ask (where answers)
  "Return how the program gets to the machine WHERE: `copy' or `build'.
It is what the person says, now or earlier.  WHERE gave ANSWERS."
  (let* ((known (plist-get (agent-q-fs-deploy--remembered where) :answer))
         (may (default-value 'agent-q-fs-deploy-copy))
         (other (alist-get 'other answers))
         (is-not (format "agent-q-fs %s is not on %s%s" agent-q-fs-module-version where
                         (if other (format " (but %s)" (agent-q-fs-shell-shown other)) ""))))
    (cond
     ((null may)
      (agent-q-fs--fail :denied "%s, and `agent-q-fs-deploy-copy' forbids to copy it.  Install it \
there, and name it in `agent-q-fs-deploy-programs' if it is not found" is-not))
     (known)
     ((eq may t) 'copy)
     ((not (agent-q-fs-deploy--person-p))
      (agent-q-fs--fail :approval-required "%s, and nobody can be asked now.  The person calls \
M-x agent-q-fs-deploy once, or sets `agent-q-fs-deploy-copy'" is-not))
     (t (discard-input)
        (pcase (car (read-multiple-choice
                     (format "%s.  Have it in %s there? " is-not
                             (agent-q-fs-shell-shown (alist-get 'bin answers "")))
                     `((?c "copy it" "Copy the program and its libraries, some megabytes")
                       (?b "build it there" ,(concat "Copy the sources, and run there: "
                                                     agent-q-fs-deploy--command))
                       (?n "no" "Leave that machine as it is"))))
          (?c 'copy)
          (?b 'build)
          (_ (agent-q-fs--fail :denied "%s, and you did not want it there" is-not)))))))


;;;; Copying it there

(defconst agent-q-fs-deploy--tools '("tar" "gzip" "find" "sort" "xargs" "sed" "head" "tail" "tr")
  "The programs that unpacking and checking need.")

(defun agent-q-fs-deploy--discard (where word)
  "Remove what was begun under WORD on WHERE.
Return how many kilobytes were free before that, as a string."
  (alist-get 'free (agent-q-fs-deploy--run where (agent-q-fs-shell-word) "\
new=$bin/new.$1
free=$(free)
rm -rf \"$new\"
stop free \"$free\"
" word)))

(defun agent-q-fs-deploy--give-up (where word needed problem)
  "Discard what was begun under WORD on WHERE, and signal PROBLEM.
With less than NEEDED kilobytes there, say that instead."
  (let ((free (and (file-remote-p (concat where "/") nil t)
                   (ignore-errors (agent-q-fs-deploy--discard where word)))))
    (if (and free (string-match-p "\\`[0-9]+\\'" free) (< (string-to-number free) 1024))
        (agent-q-fs-deploy--check where (list (cons 'no-space free)) needed)
      (agent-q-fs--fail :io "agent-q-fs cannot be copied to %s: %s" where
                        (agent-q-fs-shell-shown (error-message-string problem))))))

(defun agent-q-fs-deploy--send (where word file needed tools)
  "Copy FILE to WHERE, into a new directory for a program.
WORD is in its name.  There must be NEEDED kilobytes, and TOOLS."
  (let* ((answers (apply #'agent-q-fs-deploy--run where word agent-q-fs-deploy--prepare
                         (number-to-string needed) tools))
         (new (alist-get 'new (agent-q-fs-deploy--check where answers needed))))
    (unless (and new (string-suffix-p (concat "/agent-q-fs/bin/new." word) new))
      (agent-q-fs--fail :io "%s answers what it was not asked for" where))
    (condition-case problem
        (let ((create-lockfiles nil)
              (to (concat (agent-q-fs-shell-name new where) "/pack")))
          (or (ignore-errors (agent-q-fs-shell-send where file to))
              (copy-file file (concat where to) t)))
      ((file-error remote-file-error)
       (agent-q-fs-deploy--give-up where word needed problem)))
    new))

(defun agent-q-fs-deploy--copy (where machine)
  "Copy the program to WHERE, and return the answers of that machine.
Its processors are of the kind MACHINE."
  (let* ((bundle (agent-q-fs-deploy--bundle machine where))
         (pack (expand-file-name "agent-q-fs.tar.gz" (plist-get bundle :directory)))
         (size (file-attribute-size (file-attributes pack)))
         (word (agent-q-fs-shell-word))
         (left-out (plist-get bundle :left-out)))
    (message "Copying agent-q-fs to %s (%s)..." where (file-size-human-readable size))
    (agent-q-fs-deploy--send where word pack (+ (plist-get bundle :kilobytes) (/ size 1024) 1024)
                             agent-q-fs-deploy--tools)
    (prog1 (agent-q-fs-deploy--run where word agent-q-fs-deploy--unpack word
                                   (plist-get bundle :hash) (agent-q-fs-deploy--hash pack))
      (message "Copying agent-q-fs to %s...done%s" where
               (if (member left-out '(nil "")) "" (concat "; left out: " left-out))))))


;;;; Building it there

(defconst agent-q-fs-deploy--built "\
new=$bin/new.$1
[ -n \"$hasher\" ] || give_up no-tool sha256sum
mkdir \"$new/tree\" && mv \"$new/build/agent-q-fs\" \"$new/build/agent-q-fs-run\" \"$new/tree\" ||
    give_up damaged ''
chmod 700 \"$new/tree\"
sums \"$new/tree\" >\"$new/SUMS\" && mv \"$new/SUMS\" \"$new/tree\"
place \"$(hash_of \"$new/tree/SUMS\")\"
"
  "Has what was built where programs are kept.")

(defun agent-q-fs-deploy--build (where)
  "Build the program on WHERE, and return its answers."
  (let ((pack (make-temp-file "agent-q-fs-"))
        (source (agent-q-fs-module--source))
        (log (format "*agent-q-fs build %s*" where))
        (word (agent-q-fs-shell-word)))
    (unwind-protect
        (progn
          (unless (and source
                       (eq 0 (call-process "tar" nil nil nil "-C" (expand-file-name source)
                                           "-czf" pack "module")))
            (agent-q-fs--fail :not-found "%s" (agent-q-fs-module--no-source)))
          (let ((new (agent-q-fs-deploy--send where word pack 65536
                                              (append '("make" "cc" "pkg-config")
                                                      agent-q-fs-deploy--tools))))
            (unless (agent-q-fs-shell-watch
                     where log (format "cd %s && gzip -dc pack | tar -xf - && %s"
                                       (shell-quote-argument new) agent-q-fs-deploy--command))
              (agent-q-fs-deploy--discard where word)
              (agent-q-fs-deploy--check where (list (cons 'build log))))
            (agent-q-fs-deploy--run where word agent-q-fs-deploy--built word)))
      (delete-file pack))))


;;;; Finding it, or getting it there

(defun agent-q-fs-deploy--get (where answers)
  "Have the program on WHERE, which gave ANSWERS, and return its name there."
  (let* ((machine (agent-q-fs-deploy--machine where answers))
         (how (agent-q-fs-deploy--ask where answers))
         (got (if (eq how 'build) (agent-q-fs-deploy--build where)
                (agent-q-fs-deploy--copy where machine)))
         (program (agent-q-fs-deploy--ready where got)))
    (agent-q-fs-deploy--remember where :answer how :version agent-q-fs-module-version
                                 :hash (alist-get 'hash got))
    program))

(defun agent-q-fs-deploy--hashes (where)
  "Return the hashes that the program may have on WHERE.
A program built there, or copied from one that is gone here, is remembered."
  (let ((known (agent-q-fs-deploy--remembered where)))
    (delete-dups
     (append (unless (eq 'build (plist-get known :answer))
               (mapcar (lambda (bundle) (plist-get bundle :hash)) (agent-q-fs-deploy--bundles)))
             (and (equal agent-q-fs-module-version (plist-get known :version))
                  (list (plist-get known :hash)))))))

(defun agent-q-fs-deploy--named (where)
  "Return the program that the person has named for the machine WHERE, or nil."
  (let ((named (cdr (seq-find (lambda (row) (string-match-p (car row) where))
                              (default-value 'agent-q-fs-deploy-programs)))))
    (or (null named) (string-prefix-p "/" named)
        (agent-q-fs--fail :invalid-argument "`agent-q-fs-deploy-programs' names %s for %s: \
expected an absolute name there" named where))
    named))

(defun agent-q-fs-deploy--fail-named (where named said)
  "Signal that NAMED on the machine WHERE is not our program: see what it SAID."
  (agent-q-fs--fail :not-found "`agent-q-fs-deploy-programs' names %s on %s, which says: %s.  \
Expected agent-q-fs %s: install that, or change the option"
                    named where (agent-q-fs-shell-shown said) agent-q-fs-module-version))

(defun agent-q-fs-deploy--arguments (where &optional serve)
  "Return the arguments of the script that looks for the program on WHERE.
With SERVE it becomes a server."
  (let ((named (agent-q-fs-deploy--named where)))
    (append (list (if serve "serve" "") (or named ""))
            (unless named (agent-q-fs-deploy--hashes where)))))

(defun agent-q-fs-deploy-program (directory)
  "Return the local name of the program agent-q-fs on the machine of DIRECTORY.
It is ready to be started, as PROGRAM serve.  Where it is missing, it is
copied or built there, if the person wants that."
  (let* ((where (or (file-remote-p directory)
                    (agent-q-fs--fail :invalid-argument "%s is on this machine: expected a \
directory on another one, such as /ssh:host:/project/" directory)))
         (answers (apply #'agent-q-fs-deploy--run where (agent-q-fs-shell-word)
                         agent-q-fs-deploy--look (agent-q-fs-deploy--arguments where)))
         (said (alist-get 'named answers)))
    (cond ((agent-q-fs-deploy--ready where answers))
          (said (agent-q-fs-deploy--fail-named where (agent-q-fs-deploy--named where) said))
          (t (agent-q-fs-deploy--get where answers)))))

(defun agent-q-fs-deploy-serve (where &rest arguments)
  "Start a server on the machine WHERE, as `make-process' with ARGUMENTS does.
Where it can, the script that looks for the program becomes its server,
which saves two round trips.  The server's words so far are a
property of the process, `agent-q-fs-shell-rest'."
  (agent-q-fs-shell-connect where)
  (let* ((word (agent-q-fs-shell-word))
         (begun (agent-q-fs-shell-begin
                 where word (apply #'agent-q-fs-shell-command word
                                   (concat agent-q-fs-deploy--common agent-q-fs-deploy--look)
                                   agent-q-fs-module-version
                                   (agent-q-fs-deploy--arguments where t))
                 arguments)))
    (if (assq 'ready (cdr begun)) (car begun)
      (when begun (delete-process (car begun)))
      (let ((program (agent-q-fs-deploy-program (concat where "/"))))
        ;; The three arguments keep TRAMP from making a here-document of the command.
        (apply #'agent-q-fs-shell-start where
               :command (list "/bin/sh" "-c" "exec \"$0\" serve 2>&1" program) arguments)))))

;;;###autoload
(defun agent-q-fs-deploy (directory)
  "Have the program agent-q-fs on the machine of DIRECTORY, and say where.
That happens by itself where a project there is opened."
  (interactive (list (read-directory-name "Put agent-q-fs on the machine of: ")))
  (message "agent-q-fs is ready: %s%s" (file-remote-p directory)
           (agent-q-fs-deploy-program directory)))

;;;###autoload
(defun agent-q-fs-deploy-forget (directory)
  "Forget that the program may be copied to the machine of DIRECTORY."
  (interactive (list (read-directory-name "Forget the machine of: ")))
  (agent-q-fs-deploy--remember (file-remote-p directory)))

(provide 'agent-q-fs-deploy)
;;; agent-q-fs-deploy.el ends here

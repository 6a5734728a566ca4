# SPDX-License-Identifier: MIT
# agent-q-fs: build, test, install.  `make help` lists the targets.
#
# A recipe longer than a line or two is a script in scripts/.  Nothing is
# asked of the machine while this file is read, so `make deps` works where there
# is nothing yet but git and make.

# To be overridden: make CC=clang, make V=1, make test-c T=double_star
PREFIX = /usr/local
EMACS  ?= emacs
SBCL   ?= sbcl
ECL    ?= ecl
T      ?=

# A warning is an error for those who work on agent-q-fs, not for those who only build it.
WERROR ?= $(if $(filter-out all functions module program bundle run install uninstall dist info html deps clean,\
  $(MAKECMDGOALS)),-Werror)

.DEFAULT_GOAL = help
include module/build.mk#     the shared object; what an installed package has of this

export BUILD CC EMACS SBCL ECL T V WERROR

CORE  = $(filter-out $(DOOR) $(OUTSIDE) $(RUNNING),$(SOURCES))
LIB   = $(BUILD)/libaqfs.a#                the core, for C tests to see its insides
SERVER = $(BUILD)/libserver.a#             what the programs have beside their mains and the core
ELISP = $(wildcard elisp/*.el)
ELC   = $(ELISP:%.el=$(BUILD)/%.elc)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

.PHONY: deps
deps: ## install the Debian packages that building and testing need (or say which are missing)
	@sh scripts/deps.sh build test

.PHONY: all
all: $(MODULE) $(PROGRAM) $(RUNNER) functions ## build the shared object and the program, byte-compile the Emacs Lisp
	@$(MAKE) -s $(ELC)

# A function for each row of the table, and autoloads; a file that is right already is left alone.
.PHONY: functions
functions: $(MODULE) | $(BUILD)/elisp/agent-q-fs-module.so
	$(Q)$(EMACS) -Q --batch -L elisp \
	  --eval '(setq agent-q-fs-module-file "$(abspath $(MODULE))")' \
	  -l scripts/agent-q-fs-generate.el -f agent-q-fs-generate-file \
	  -l scripts/loaddefs.el -f loaddefs-write

# For machines of another architecture, with Debian's cross compiler.
.PHONY: bundle-arm64
bundle-arm64: ## the same for arm64
	@ARCHS=arm64 sh scripts/deps.sh build arch
	@MAKE='$(MAKE)' sh scripts/arch.sh arm64 bundle

.PHONY: compdb
compdb: ## write compile_commands.json, for clangd and its like
	@$(MAKE) -nB V=1 T= $(SOURCES:%.c=$(OBJ)/%.o) \
	  $(patsubst %.c,$(OBJ)/%.o,$(wildcard test/*/*.c test/*/*/*.c)) | sh scripts/compdb.sh >$@.new
	@mv $@.new compile_commands.json

.PHONY: run
run: ## take the tour in Emacs; without a terminal, walk through every tool
	@MAKE='$(MAKE)' sh scripts/run.sh

# ar adds to what is there: start anew, or a removed source would live on.
$(LIB): $(CORE:%.c=$(OBJ)/%.o)
$(SERVER): $(patsubst %.c,$(OBJ)/%.o,$(filter-out %/main.c,$(OUTSIDE) $(RUNNING)))
$(LIB) $(SERVER):
	$(call say,AR   $@)rm -f $@ && $(AR) rcs $@ $^

# One Emacs a file: what a file forgot to require must not come from another.  compile.el
# writes down which files were loaded; of these only the interface matters, which is not
# written anew where it is the same.
$(BUILD)/elisp/%.elc: elisp/%.el scripts/compile.el | $(ELISP:%.el=$(BUILD)/%.interface)
	$(call say,ELC  $<)$(EMACS) -Q --batch -L elisp -l scripts/compile.el $< $@

$(BUILD)/elisp/%.interface: $(BUILD)/elisp/%.looked
	@:

$(BUILD)/elisp/%.looked: elisp/%.el scripts/interface.awk
	$(Q)mkdir -p $(@D) && awk -f scripts/interface.awk $< >$@ && \
	{ cmp -s $@ $(@:looked=interface) || cp $@ $(@:looked=interface); }

# The compiled files look for the shared object next to themselves.
$(BUILD)/elisp/agent-q-fs-module.so:
	$(Q)mkdir -p $(@D) && ln -sf ../agent-q-fs-module.so $@

# ---- Test programs in C
#
# test/c/ROOM/test_x.c is one program of Unity tests, `void test_x__case(void)`; its
# main is generated.  test/DIR/x.c is a program with a main of its own, and
# test/fuzz/fuzz_x.c a libFuzzer target, $(BUILD)/fuzz/test/fuzz/fuzz_x.  The parts
# of the programs in DIR are test/DIR/parts/*.c, and those of all of them
# test/support/*.c; a program is linked with what it uses of both.

UNITY      = build/unity/src
C_TESTS    = $(wildcard test/c/*/test_*.c)
SUITES     = $(patsubst %.c,$(BUILD)/%,$(if $(T),$(C_WANTED),$(C_TESTS)))
C_WANTED   = $(call once,C_WANTED,sh scripts/c-tests.sh '$T' $(C_TESTS))
FUZZERS    = $(patsubst %.c,$(BUILD)/%,$(wildcard test/fuzz/fuzz_*.c))
SUPPORT    = $(BUILD)/test/support.a
programs   = $(patsubst %.c,$(BUILD)/%,$(wildcard test/$1/*.c))
objects    = $(patsubst %.c,$(OBJ)/%.o,$(wildcard $1/*.c))
parts      = $(if $(wildcard test/$1/parts/*.c),$(BUILD)/test/$1/parts.a)

$(UNITY)/unity.c:
	$(call say,GET  Unity)sh scripts/get-unity.sh build/unity

$(OBJ)/unity.o: $(UNITY)/unity.c
	$(Q)mkdir -p $(@D)
	$(call say,CC   $<)$(CC) $(CFLAGS) -DUNITY_INCLUDE_SETUP_STUBS -w -c -o $@ $<

$(OBJ)/test/%.o: INCLUDES += -Itest/support -isystem $(UNITY)
$(C_TESTS:%.c=$(OBJ)/%.o) $(C_TESTS:%.c=$(OBJ)/%.main.o) $(call objects,test/support): | $(UNITY)/unity.c

$(OBJ)/test/c/%.main.c: test/c/%.c scripts/unity-main.sh
	$(Q)mkdir -p $(@D) && sh scripts/unity-main.sh $< >$@

$(OBJ)/test/c/%.main.o: $(OBJ)/test/c/%.main.c
	$(Q)$(CC_OBJ) -Itest/support -isystem $(UNITY) -o $@ $<

# Objects that stand in for those of the same name in the library; test-without has one.
INSTEAD =

# The parts and the core use each other: a wrapped system call of the core is a part.
LINK_TEST = $(call say,LINK $@)$(LINK) -o $@ $(filter %.o,$^) \
  -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS)
ARCHIVE   = $(call say,AR   $@)rm -f $@ && $(AR) rcs $@ $^

.SECONDEXPANSION:
$(SUPPORT): $(call objects,test/support)
	$(Q)mkdir -p $(@D)
	$(ARCHIVE)

$(BUILD)/test/%/parts.a: $$(call objects,test/$$*/parts)
	$(Q)mkdir -p $(@D)
	$(ARCHIVE)

$(BUILD)/test/c/%: $(OBJ)/test/c/%.o $(OBJ)/test/c/%.main.o $(OBJ)/unity.o $(INSTEAD) $(SUPPORT) $(SERVER) $(LIB)
	$(Q)mkdir -p $(@D)
	$(LINK_TEST)

$(BUILD)/test/%: $(OBJ)/test/%.o $$(call parts,$$(*D)) $(SUPPORT) $(SERVER) $(LIB)
	$(Q)mkdir -p $(@D)
	$(LINK_TEST)

$(addprefix $(BUILD)/test/fault/,fault between openings journals recover refused pairs locks elsewhere snapshot): LDFLAGS += @test/fault/wrap.flags

# Its own shim stands before that of the others, whose project it uses.
$(BUILD)/test/powercut/powercut: LDFLAGS += @test/powercut/wrap.flags
$(BUILD)/test/powercut/powercut: $(BUILD)/test/fault/parts.a

$(BUILD)/test/bench/libraries: LIBS += -lz

# kernel.c as if the headers did not know the system calls that LACKS names.
$(BUILD)/kernel.o: module/host/kernel.c $(HEADERS) Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC_OBJ) $(LACKS:%=-DAQFS_WITHOUT_%) -o $@ $<

$(FUZZERS): LDFLAGS += -fsanitize=fuzzer

.PHONY: fuzzers
fuzzers: $(FUZZERS) ;

.SECONDARY:
-include $(wildcard $(BUILD)/elisp/*.d $(OBJ)/test/*.d $(OBJ)/test/*/*.d $(OBJ)/test/*/*/*.d)

# ---- Tests
#
# A part ends with its counts, `3 passed, 0 failed`; run-part.sh records them
# and test.sh adds them up.  `--twice`: once more as nobody when root runs it,
# because root does not notice a missing permission.

PART = sh scripts/run-part.sh

.PHONY: test
test: ## run all tests; the last line is their count
	@MAKE='$(MAKE)' sh scripts/test.sh doc parts rooms c without conformance mcp serve runner agree ignore review fuzz fault powercut patch exact hints forms mutants -- elisp lisp -- e2e -- race

.PHONY: test-doc test-parts test-rooms test-c test-without test-elisp test-lisp test-conformance test-agree test-ignore test-review test-e2e test-patch test-exact \
  test-hints test-mcp test-serve test-runner test-forms test-fault test-powercut test-race test-fuzz test-mutants
test-doc: $(MODULE) $(call programs,conformance) $(BUILD)/test/c/table/test_table ## what sources, tests and pages refer to is there, and CONTRIBUTING's example works
	@$(PART) doc sh test/doc/run

test-parts: $(call programs,parts) $(BUILD)/test/c/base/test_workers ## a part that fails hides no other; a hang and a leak are noticed
	@$(PART) parts sh test/parts/run

test-rooms: $(MODULE) $(PROGRAM) ## the walls between the rooms of the core stand, and a breach is noticed
	@$(PART) rooms sh test/rooms/run

test-c: $(SUITES) $(MODULE) ## the core's unit tests, with openat2 and with the fallback (T=part of a name)
	@$(PART) --twice c sh scripts/test-c.sh $(SUITES)

# The tests are linked anew, from objects that are there by then.
test-without: $(SUITES) $(MODULE) $(call programs,without) ## some of these where no system call is there that not every Linux has
	@MAKE='$(MAKE)' $(PART) without sh test/without/run short

test-elisp: all bundle ## the Emacs Lisp tests (T=regexp)
	@$(PART) --twice elisp sh scripts/test-elisp.sh

test-lisp: lisp-ran ## the Common Lisp tests, on SBCL and on ECL
	@exit "$$(cat $(BUILD)/test/lisp.status)"

# A caller that waits for these tests waits for their end, however they end.
LISP_TESTS = sh scripts/watch-tests.sh 400 sh scripts/lisp.sh
.PHONY: lisp-ran
lisp-ran: all
	@ok=0; $(PART) lisp-sbcl $(LISP_TESTS) sbcl test/lisp/run.lisp || ok=1; \
	$(PART) lisp-ecl $(LISP_TESTS) ecl test/lisp/run.lisp || ok=1; echo $$ok >$(BUILD)/test/lisp.status

test-conformance: all $(call programs,conformance) ## the case table through the C ABI, MCP, serve, Emacs and Lisp
	@$(PART) --twice conformance sh test/conformance/run

.PHONY: test-abcl
test-abcl: all $(call programs,conformance) ## the case table through ABCL
	@sh scripts/deps.sh build test abcl
	@LISPS=abcl PART_TIMEOUT=1d $(PART) conformance-abcl sh test/conformance/run

test-mcp: $(PROGRAM) $(call programs,mcp) ## the program agent-q-fs, as a client of the Model Context Protocol sees it
	@$(PART) mcp sh test/mcp/run

.PHONY: mcp-clients
mcp-clients: all ## the protocol's own conformance suite, SDK, inspector, codex and opencode from npm, with and without Emacs
	@PART_TIMEOUT=1d $(PART) mcp-clients sh test/mcp/clients/run

test-serve: $(PROGRAM) $(RUNNER) $(call programs,serve) ## the far end of a connection, as the near end sees it
	@$(PART) serve sh test/serve/run

test-runner: $(RUNNER) $(call programs,runner) ## what a command started is ended, however it tries to get away
	@$(PART) --twice runner sh test/runner/run short

test-review: $(call programs,review) ## what agents did is told apart from what a person did, and taken back, as git would
	@$(PART) review sh test/review/run short

test-agree: $(call programs,agree) ## random operations on the host, in memory and in a session
	@$(PART) agree sh test/agree/run short

test-ignore: $(call programs,ignore) ## ignore rules of random trees, against git
	@$(PART) ignore sh test/ignore/run short

# Where both are asked for: the Lisp tests compile anew what these load.
test-e2e: | $(if $(filter test-lisp,$(MAKECMDGOALS)),lisp-ran)
test-e2e: all $(call programs,e2e) ## real sessions, Emacs and Lisp together
	@$(PART) e2e sh test/e2e/run

test-patch: all $(call programs,patch) ## patches of random trees, and of repositories' histories
	@$(PART) patch sh test/patch/run short

test-exact: all $(call programs,exact) ## edits of 2,000 real files and back
	@$(PART) exact sh test/exact/run short

test-hints: all $(call programs,hints) ## what is said of a text that does not quite occur
	@$(PART) hints sh test/hints/run short

test-forms: all $(call programs,forms) ## the forms of Lisp files are where their own readers find them
	@$(PART) forms sh test/forms/run short

test-fault: all $(call programs,fault) ## system calls and allocations that fail, some of each
	@$(PART) fault sh test/fault/run short

test-powercut: all $(call programs,powercut) ## power is lost in the middle of every change, at some points of each
	@$(PART) powercut sh test/powercut/run short

test-race: all $(call programs,race) ## the race tests, a short while each
	@$(PART) race sh test/race/run short

test-fuzz: all build-fuzzers ## the fuzzers, a short while each
	@$(PART) fuzz sh test/fuzz/run short

test-mutants: ## the lists of mutants fit the sources
	@ok=0; $(PART) mutants sh test/mutants/run short || ok=1; \
	$(PART) mutants-lisp sh test/mutants/lisp/run short || ok=1; exit $$ok

.PHONY: test-install
test-install: ## every way of installing, in a fresh home each (T=part of a name)
	@$(PART) install sh test/install/run

.PHONY: matrix
matrix: ## the README's commands in minimal systems of each Debian (SYSTEMS="12 13 testing" USERS="root user")
	@sh scripts/matrix.sh

CORPORA ?= ../shared/corpora

.PHONY: without serve agree ignore review commands patch exact hints forms fault powercut race fuzz mutants mutants-elisp mutants-lisp soak bench build-fuzzers
without: all $(SUITES) $(call programs,without) $(call programs,fault) $(call programs,conformance) ## the C tests without each of these system calls
	@MAKE='$(MAKE)' PART_TIMEOUT=1d $(PART) without sh test/without/run full

serve: all bundle $(call programs,serve conformance) ## the whole case table through agent-q-fs serve, also over ssh, a terminal, podman and in an empty system; 1,000 connections that are cut
	@sh scripts/deps.sh far
	@T=serve/deploy $(PART) serve-deploy sh test/serve/run
	@AQFS_TEST_REMOTE=/ssh:far: T=agent-q-fs-remote/ $(PART) serve-emacs sh test/serve/over ssh sh scripts/test-elisp.sh
	@CUTS=1000 AQFS_TEST_SLOWNESS=10 T=agent-q-fs-remote/cuts PART_TIMEOUT=1d $(PART) serve-emacs-cuts sh scripts/test-elisp.sh
	@CUTS=1000 T=serve/cuts PART_TIMEOUT=1d $(PART) serve sh test/serve/run
	@CONFORMANCE_SERVE=whole PART_TIMEOUT=1d $(PART) --twice serve-conformance sh test/conformance/run

.PHONY: serve-arm64
ARM64 = $(BUILD)/bundle/aarch64.tree
serve-arm64: bundle-arm64 $(call programs,serve) ## the far end from the bundle for arm64, emulated
	@AQFS_TEST_SLOWNESS=20 FAR='exec env GCONV_PATH=$(ARM64)/gconv MAGIC=$(ARM64)/magic.mgc qemu-aarch64-static \
	  $(ARM64)/lib/loader --library-path $(ARM64)/lib $(ARM64)/lib/agent-q-fs serve' \
	  $(PART) serve-arm64 $(BUILD)/test/serve/serve

review: $(call programs,review) ## 500 histories of an agent and a person, reviewed, with git as the oracle
	@PART_TIMEOUT=1d $(PART) review sh test/review/run full

agree: $(call programs,agree) ## 20,000 sequences of random operations on every backend
	@PART_TIMEOUT=1d $(PART) agree sh test/agree/run full

ignore: $(call programs,ignore) ## ignore rules of 20,000 random trees, against git
	@PART_TIMEOUT=1d $(PART) ignore sh test/ignore/run full

commands: all $(call programs,runner) ## the tests of commands at full length, with podman also as nobody, and each escape 500 times
	@AQFS_LONG=1 AQFS_TEST_SLOWNESS=10 T=agent-q-fs-exec PART_TIMEOUT=1d $(PART) --twice elisp-commands sh scripts/test-elisp.sh
	@AQFS_TEST_SLOWNESS=10 PART_TIMEOUT=1d $(PART) --twice runner sh test/runner/run full

patch: all $(call programs,patch) ## patches of 10,000 random trees, and of repositories' histories
	@PART_TIMEOUT=1d $(PART) patch sh test/patch/run full

exact: all $(call programs,exact) ## edits of 20,000 real files and back
	@PART_TIMEOUT=1d $(PART) exact sh test/exact/run full

hints: all $(call programs,hints) ## hints for 20,000 spoiled texts of each kind
	@PART_TIMEOUT=1d $(PART) hints sh test/hints/run full

forms: all $(call programs,forms) ## all Lisp files of this machine and of FORMS_DIRS, and what the languages' readers say
	@PART_TIMEOUT=1d $(PART) forms sh test/forms/run full

fault: all $(call programs,fault) ## every call and allocation of every change, with every error
	@PART_TIMEOUT=1d $(PART) fault sh test/fault/run full

powercut: all $(call programs,powercut) ## power is lost behind every call of every change
	@PART_TIMEOUT=1d $(PART) powercut sh test/powercut/run full

race: all $(call programs,race) ## the race tests, 400,000 rounds each
	@PART_TIMEOUT=1d $(PART) race sh test/race/run full

fuzz: all build-fuzzers ## the fuzzers, 1,000,000 runs each
	@PART_TIMEOUT=1d $(PART) fuzz sh test/fuzz/run full

mutants: ## do the tests notice a core that is wrong?  300 mutants and the named ones, an hour (N=300 SEED=1 T=module/host)
	@PART_TIMEOUT=1d $(PART) mutants sh test/mutants/run full

mutants-elisp: all ## the same of the decisions in Emacs Lisp: 100 mutants (N=200 SEED=2 T=approve AGAIN=yes)
	@PART_TIMEOUT=1d $(PART) mutants-elisp sh test/mutants/lisp/run elisp

mutants-lisp: all ## the same of those in Common Lisp
	@PART_TIMEOUT=1d $(PART) mutants-lisp sh test/mutants/lisp/run lisp

.PHONY: corpus
corpus: all $(call programs,bench) ## make calls again that were recorded from real models (CORPORA=directory, SCENARIOS=codex's)
	@CORPORA='$(CORPORA)' PART_TIMEOUT=1d $(PART) corpus sh test/corpus/run

N = 100
soak: all ## the tests of terminals, commands and connections, N times beside a load of 4
	@sh scripts/deps.sh soak
	@MAKE='$(MAKE)' sh scripts/soak.sh $(N)

build-fuzzers:
	@$(MAKE) BUILD=$(BUILD)/fuzz CC=clang WERROR= fuzzers \
	  CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'

bench: all $(call programs,bench) ## measure against rg, fd and others (CORPUS=directory for a tree of yours)
	@sh scripts/deps.sh build bench
	sh test/bench/run $(CORPUS)

.PHONY: bench-plot
bench-plot: ## draw the last run of make bench: doc/images/speed.png
	@sh scripts/deps.sh bench
	@sh scripts/bench-plot.sh

.PHONY: crossed
crossed: all ## count the plans, functions and files that one approved edit_file crosses
	@sh scripts/crossed.sh

.PHONY: screenshots
screenshots: all ## make doc/images anew, under Xvfb (sh scripts/deps.sh screenshots installs what that needs)
	@sh scripts/screenshots.sh

# ---- Checks

# Tests take so many times longer there; the limits of time of each are as many times longer.
SAN = AQFS_TEST_SLOWNESS=10 TEST_TIMEOUT=1800 $(MAKE) WERROR= test-c

.PHONY: asan tsan valgrind
asan: ## the C tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SAN) BUILD=build/asan \
	  CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'

ARCHS = arm64 s390x

.PHONY: arch $(ARCHS:%=arch-%)
arch: $(ARCHS:%=arch-%) ## the C tests, the cases and short campaigns on other architectures, emulated (ARCHS=arm64)
$(ARCHS:%=arch-%): $(UNITY)/unity.c
	@ARCHS='$(ARCHS)' sh scripts/deps.sh build arch
	@MAKE='$(MAKE) WERROR=$(WERROR)' sh scripts/arch.sh $(@:arch-%=%)

# ThreadSanitizer of gcc 12 cannot live with the address randomisation of newer kernels.
tsan: ## the C tests under ThreadSanitizer
	@WRAP="$$(setarch -R true 2>/dev/null && echo setarch -R)" TSAN_OPTIONS=halt_on_error=1 \
	$(SAN) BUILD=build/tsan CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=thread'

# The valgrind of Debian 12 has no openat2: both runs use the fallback.
valgrind: $(SUITES) $(MODULE) ## the C tests under valgrind: no error, no leak, no open descriptor
	@sh scripts/deps.sh build valgrind
	@WRAP='sh scripts/valgrind.sh' AQFS_TEST_SLOWNESS=50 TEST_TIMEOUT=3600 $(PART) c-valgrind sh scripts/test-c.sh $(SUITES)

.PHONY: rooms lint-rooms
rooms: $(MODULE) $(PROGRAM) ## check the walls of the core: edges upward, cycles, libraries, doubled names, sizes
lint-rooms: $(MODULE) $(PROGRAM) ## the same without the figures
rooms lint-rooms:
	@sh scripts/rooms.sh $(if $(filter lint-rooms,$@),-q) $(OBJ)/module
	@sh scripts/names.sh
	@sh scripts/sizes.sh $(if $(filter lint-rooms,$@),-q)

.PHONY: lint lint-deps lint-doc lint-c lint-elisp lint-lisp
lint: lint-deps ## every linter; silent when there is nothing to say
	@$(MAKE) -k lint-rooms lint-doc lint-c lint-elisp lint-lisp

lint-deps:
	@sh scripts/deps.sh build test lint

lint-doc: ## what sources, tests and pages refer to is there, and each source has a test
	$(Q)sh scripts/references.sh
	$(Q)sh scripts/covered.sh
	$(Q)sh scripts/versions.sh >/dev/null
	$(Q)sh scripts/spdx.sh

LINT_C  = $(SOURCES) $(wildcard test/*/*.c test/*/*/*.c)
LINT_CC = -std=c17 -D_GNU_SOURCE $(WARN) $(INCLUDES) -I$(EMACS_INCLUDE) -Itest/support -isystem $(UNITY)

lint-c: lint-deps $(UNITY)/unity.c $(LINT_C:%.c=$(BUILD)/lint/%.ok) ## gcc, clang, clang-format, clang-tidy and cppcheck
	$(Q)$(if $(LINT_C),clang-format --dry-run -Werror $(LINT_C) $(HEADERS) $(wildcard test/*/*.h test/*/*/*.h))
	$(Q)$(if $(LINT_C),sh scripts/cppcheck.sh $(LINT_C))

# One file, judged once: clang-tidy takes seconds for each.
$(BUILD)/lint/%.ok: %.c $(HEADERS) $(wildcard test/*/*.h test/*/*/*.h) .clang-tidy | lint-deps $(UNITY)/unity.c
	$(Q)mkdir -p $(@D)
	$(Q)gcc -fsyntax-only -Werror $(LINT_CC) $<
	$(Q)clang -fsyntax-only -Werror $(LINT_CC) $<
	$(Q)sh scripts/clang-tidy.sh $< -- $(LINT_CC)
	$(Q)touch $@

lint-elisp: lint-deps $(ELC) ## byte-compiler, checkdoc, check-declare and package-lint
	$(Q)sh scripts/lint-elisp.sh $(ELISP) scripts/agent-q-fs-generate.el

lint-lisp: lint-deps $(MODULE) ## the Common Lisp systems compile without a warning
	$(Q)sh scripts/lint-lisp.sh

# ---- The manual

INFO = $(BUILD)/agent-q-fs.info
HTML = $(BUILD)/agent-q-fs.html
TEXI = $(BUILD)/doc/agent-q-fs.texi
MAN  = $(BUILD)/agent-q-fs.1

.PHONY: info html reference doc-deps
info: $(INFO) ## the manual, build/agent-q-fs.info

html: $(HTML) ## the manual, build/agent-q-fs.html

reference: $(MODULE) ## write doc/reference.org, doc/protected.org and doc/secrets.org anew from the sources
	$(Q)$(EMACS) -Q --batch -L elisp --eval '(setq agent-q-fs-module-file "$(abspath $(MODULE))")' \
	  -l scripts/manual-reference.el -f manual-reference-write

doc-deps:
	@sh scripts/deps.sh build doc

$(INFO): $(TEXI)
	$(call say,INFO $@)makeinfo --no-split -o $@ $<

$(HTML): $(TEXI)
	$(call say,HTML $@)makeinfo --html --no-split -o $@ $<

# The page of the program is its help.
$(MAN): $(PROGRAM) scripts/man-page.awk
	$(call say,MAN $@)$(PROGRAM) --help >$@.help && \
	  awk -v version=$(VERSION) -f scripts/man-page.awk $@.help >$@.new && rm $@.help && mv $@.new $@

# The reference is of the sources as they are.
$(TEXI): doc/manual.org doc/reference.org scripts/texinfo.el | doc-deps
	$(Q)mkdir -p $(@D)
	$(call say,TEXI $@)$(EMACS) -Q --batch -l scripts/texinfo.el doc/manual.org $@

# ---- A package of Emacs

DIST = $(BUILD)/agent-q-fs-$(VERSION).tar

.PHONY: dist
dist: $(INFO) ## the package that M-x package-install-file takes, in build/
	$(call say,DIST $(DIST))sh scripts/dist.sh $(INFO) $(DIST)

# ---- Installation
#
# scripts/install.sh says what goes where.  The C library's soname has the number of the ABI.

LIBDIR  = $(PREFIX)/lib
SHARED  = $(BUILD)/libaqfs.so
VERSION = $(call once,VERSION,sed -n 's/^.define AQFS_VERSION "\(.*\)"/\1/p' module/include/aqfs.h)
ABI     = $(call once,ABI,sed -n 's/^.define AQFS_ABI_VERSION //p' module/include/aqfs.h)
PLACE   = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' VERSION=$(VERSION) ABI=$(ABI) \
  sh scripts/install.sh

.PHONY: install uninstall clean
install: all info $(MAN) $(SHARED) ## install below PREFIX (/usr/local), and DESTDIR for packagers
	$(Q)$(PLACE)

uninstall: ## remove what install put there
	$(Q)$(PLACE) remove

.PHONY: release
release: ## tag this version and build its files, if all is ready and `make matrix` passes
	@MAKE='$(MAKE)' sh scripts/release.sh

$(SHARED): $(CORE:%.c=$(OBJ)/%.o)
	$(call say,LINK $@)$(LINK) -shared -Wl,--no-undefined -Wl,-soname,libaqfs.so.$(ABI) -o $@.new $^ $(LIBS) \
	  && mv $@.new $@

clean: ## remove everything that was built
	rm -rf build

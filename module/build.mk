# SPDX-License-Identifier: MIT
# build.mk -- the shared object, from the sources in this folder.
#
# An installed package has this folder and no other makefile.  Where it is used for the
# first time, Emacs runs this in the folder above:
#
#     make -f module/build.mk EMACS=emacs
#
# The Makefile of the repository includes this file.

# To be overridden: make CC=clang, make V=1
BUILD  = build
CFLAGS ?= -O2 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2
EMACS  ?= emacs
V      ?=

MAKEFLAGS += --no-print-directory
Q    = $(if $(V),,@)
say  = $(if $(V),,@echo "  $1";)
once = $(eval $1 := $(shell $2))$($1)#     X = $(call once,X,command): asked when first used

include module/rooms.mk#     which rooms there are, and which each may use

HEADERS = $(wildcard module/*/*.h module/*/internal/*.h)
SOURCES = $(foreach room,$(ROOMS),$(wildcard module/$(room)/*.c))
DOOR    = $(wildcard module/door/emacs*.c)#     the only sources that know of Emacs
OUTSIDE = $(foreach room,$(PROGRAM_ROOMS),$(wildcard module/$(room)/*.c))#     the program's own
RUNNING = $(wildcard module/$(RUNNER_ROOM)/*.c)#     that which runs commands
OBJ     = $(BUILD)/obj
MODULE  = $(BUILD)/agent-q-fs-module.so
PROGRAM = $(BUILD)/agent-q-fs
RUNNER  = $(BUILD)/agent-q-fs-run
MACHINE = $(call once,MACHINE,uname -m)#  the kind of processor that the programs are for
BUNDLE  = $(BUILD)/bundle/$(MACHINE)

PKGS       = $(call once,PKGS,sed -n 's/^library *\([^ ]*\).*/\1/p' module/packages)
PKG_CFLAGS = $(call once,PKG_CFLAGS,pkg-config --cflags $(PKGS))
PKG_LIBS   = $(call once,PKG_LIBS,pkg-config --libs $(PKGS))
# emacs-module.h is in the include directory next to Emacs' bin directory, or beside an
# Emacs that was built and not installed.
EMACS_BIN     = $(call once,EMACS_BIN,dirname "$$(readlink -f "$$(command -v $(EMACS))")")
EMACS_INCLUDE = $(EMACS_BIN)/../include -I$(EMACS_BIN)

# A newer compiler may warn of what it alone knows: only those who change the code stop there.
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
WERROR  ?=
# A source may include these: the public interface, its own room and those that this one uses.
# Tests see all rooms, and their insides.
room_of  = $(if $(filter module/%,$1),$(word 2,$(subst /, ,$1)))
paths_of = $(if $(call room_of,$1),\
  $(addprefix -Imodule/,include $(call room_of,$1)/internal $(call room_of,$1) $(USES_$(call room_of,$1))),\
  $(addprefix -Imodule/,include $(ROOMS) $(addsuffix /internal,$(ROOMS))))
INCLUDES = $(call paths_of,$<) $(PKG_CFLAGS)
LIBS     = $(PKG_LIBS) -lmagic -lpthread -lm
COMPILE  = -std=c17 -D_GNU_SOURCE -fPIC -fvisibility=hidden $(WARN) $(INCLUDES)
CC_OBJ   = $(CC) $(COMPILE) $(WERROR) $(CFLAGS) -MMD -MP -c
LINK     = $(CC) $(CFLAGS) -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,--as-needed $(LDFLAGS)

.PHONY: module
module: $(MODULE) $(RUNNER) $(PROGRAM) ## build the shared object and the programs beside it, and nothing else

$(MODULE): $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(OUTSIDE) $(RUNNING),$(SOURCES)))
	$(call say,LINK $@)$(LINK) -shared -Wl,--no-undefined -o $@.new $^ $(LIBS) && mv $@.new $@

$(PROGRAM): $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(DOOR) $(RUNNING),$(SOURCES)))
	$(call say,LINK $@)$(LINK) -pie -o $@.new $^ $(LIBS) && mv $@.new $@

# The files for another machine.  The tree is there to be looked at; Emacs takes the packed one.
.PHONY: program bundle
program: $(PROGRAM) $(RUNNER) ## build the two programs, and nothing else
bundle: $(BUNDLE)/facts ## the programs with all libraries that they need, for a machine that has none of them, in build/bundle

$(BUNDLE)/facts: $(PROGRAM) $(RUNNER) module/bundle.sh
	$(call say,PACK $(BUNDLE))sh module/bundle.sh $(PROGRAM) $(BUNDLE).tree $(BUNDLE)

# It begins once for each command, so it is linked with the C library alone.
$(RUNNER): $(patsubst %.c,$(OBJ)/%.o,$(RUNNING) module/base/buf.c module/base/clock.c)
	$(call say,LINK $@)$(LINK) -pie -o $@.new $^ && mv $@.new $@

$(DOOR:%.c=$(OBJ)/%.o): INCLUDES += -I$(EMACS_INCLUDE)

$(OBJ)/%.o: %.c module/build.mk
	$(Q)mkdir -p $(@D)
	$(call say,CC   $<)$(CC_OBJ) -o $@ $<

-include $(wildcard $(OBJ)/module/*/*.d)

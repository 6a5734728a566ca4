# SPDX-License-Identifier: MIT
# rooms.mk -- the rooms of the core, the lowest first, and the rooms that each may use.
#
# A room may use only rooms below it: they stand to the left of it in ROOMS.  Its
# sources are compiled with its own include path and those of the rooms in its USES_
# line, so a forbidden include does not compile.  Headers in module/ROOM/internal/
# are visible to their own room only.  `make rooms` (scripts/rooms.sh) reads this
# file, too, and checks what the objects really call.
#
# LIBRARIES_x lists prefixes of functions in outside libraries.  Room x may call
# the functions whose names begin with one of them.  Other rooms may not, unless
# they list the same prefix.

ROOMS = base wire encoding text match patch forms pack space keep host memory session change snapshot open call review lisp history ops table door mcp serve program runner

USES_base     =
USES_wire     = base
USES_encoding = base wire
USES_text     = base wire encoding
USES_match    = base
USES_patch    = base wire encoding text
USES_forms    = base text
USES_pack     = base
USES_space    = base wire encoding text match
USES_keep     = base wire encoding text space
USES_host     = base wire encoding text space
USES_memory   = base wire encoding text space
USES_session  = base wire encoding text space host memory
USES_change   = base wire encoding text match space keep
USES_snapshot = base wire encoding text match pack space memory change
USES_open     = base wire encoding text match pack space keep host memory session change snapshot
USES_call     = base wire encoding text match space change
USES_review   = base wire encoding text match space keep change call
USES_lisp     = base wire encoding text match forms space change call
USES_history  = base wire encoding text match pack space change snapshot open call
USES_ops      = base wire encoding text match patch forms pack space change open call lisp
USES_table    = base wire encoding text match pack space keep change snapshot open call review lisp history ops
USES_door     = base wire encoding text match pack space keep change open call review ops table
USES_mcp      = base wire encoding text match space open call table door
USES_serve    = base wire pack open door
USES_program  = base wire mcp serve
USES_runner   = base

# The rooms that only the program agent-q-fs has, and no shared object.
PROGRAM_ROOMS = mcp serve program

# The room that is a program of its own, agent-q-fs-run: nothing else starts a process.
RUNNER_ROOM = runner

LIBRARIES_encoding = iconv magic_ git_libgit2_
LIBRARIES_text     = git_
LIBRARIES_match    = pcre2_
LIBRARIES_snapshot = git_
LIBRARIES_door     = git_libgit2_version jansson_version magic_version pcre2_config
LIBRARIES_pack     = libdeflate_ SHA1_

# rooms.mk -- the rooms of the core, from below, and the rooms that each may use.
#
# A source of a room is compiled with the include paths of these rooms alone, so
# a forbidden include does not compile.  Headers in module/ROOM/internal/ are
# visible to their own room only.  `make rooms` (scripts/rooms.sh) reads this
# file, too, and checks what the objects really call.
#
# LIBRARIES_x: the beginnings of the names of the outside functions that the
# room may call; nobody else may call them.

ROOMS = base wire text match patch pack space host memory session change snapshot open ops door

USES_base     =
USES_wire     = base
USES_text     = base wire
USES_match    = base
USES_patch    = base text
USES_pack     = base
USES_space    = base wire text match
USES_host     = base wire text space
USES_memory   = base wire space
USES_session  = base wire space host memory
USES_change   = base wire text match space
USES_snapshot = base wire text match pack space memory change
USES_open     = base wire text match space host memory session change snapshot
USES_ops      = base wire text match patch space change snapshot open
USES_door     = base wire space open ops

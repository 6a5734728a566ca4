/* SPDX-License-Identifier: MIT */
/* meddled.c -- the changes of pairs.c, and their project: see meddled.h. */
#include "meddled.h"

#include "world.h"

#include <stdlib.h>

/* -- the project ------------------------------------------------------------------------------ */

/* Each file has a line that no other has. */
const char *const meddled_files[MEDDLED_FILES] = {"d/f", "d/g", "d/sub/x", "d/sub/y", "e"};

void start_meddled(void) {
    world_clear();
    for (size_t i = 0; i < MEDDLED_FILES; i++) {
        char *path = path_of("root/%s", meddled_files[i]),
             *text = path_of("IS %s\none\ntwo\n", meddled_files[i]);
        make_file(path, text);
        free(path), free(text);
    }
}

/* -- the changes ------------------------------------------------------------------------------ */

#define MOVE(from, to)                                                                             \
    "{\"source\":\"" from "\",\"destination\":\"" to "\",\"allow_overwrite\":true}"
#define PATCH(first, rest)                                                                         \
    "{\"patch\":\"*** Begin Patch\\n" first rest "*** Update File: e\\n@@\\n-one\\n+1\\n"          \
    "*** End Patch\\n\"}"
#define EDIT_F "*** Update File: d/f\\n@@\\n-one\\n+1\\n"
#define ADD_N "*** Add File: d/p/n\\n+new\\n"
#define DELETE_G "*** Delete File: d/g\\n"
#define MOVE_X "*** Update File: d/sub/x\\n*** Move to: d/z\\n@@\\n-one\\n+1\\n"

const struct meddled meddled[] = {
    {"edit_file",
     "edit_file",
     "{\"path\":\"d/f\",\"old_str\":\"two\",\"new_str\":\"2\"}",
     "d/f",
     true,
     false,
     {0}},
    {"create_file",
     "create_file",
     "{\"path\":\"d/p/n\",\"content\":\"new\\n\"}",
     "d/p/n",
     true,
     true,
     {0}},
    {"create_file-overwrite",
     "create_file",
     "{\"path\":\"d/f\",\"content\":\"new\\n\",\"allow_overwrite\":true}",
     "d/f",
     true,
     false,
     {"d/f"}},
    {"delete_file", "delete_file", "{\"path\":\"d/f\"}", "d/f", true, true, {"d/f"}},
    {"delete_file-tree",
     "delete_file",
     "{\"path\":\"d/sub\",\"recursive\":true}",
     "d/sub",
     false,
     true,
     {"d/sub/x", "d/sub/y"}},
    {"move_file", "move_file", MOVE("d/f", "h"), "d/f", true, true, {0}},
    {"move_file-there", "move_file", MOVE("d/f", "h"), "h", true, true, {0}},
    {"move_file-over", "move_file", MOVE("d/f", "d/g"), "d/g", true, true, {"d/g"}},
    {"move_file-tree", "move_file", MOVE("d/sub", "d/s"), "d/sub", false, true, {0}},
    {"apply_patch-edit",
     "apply_patch",
     PATCH(EDIT_F ADD_N, DELETE_G MOVE_X),
     "d/f",
     true,
     false,
     {"d/g"}},
    {"apply_patch-add",
     "apply_patch",
     PATCH(EDIT_F ADD_N, DELETE_G MOVE_X),
     "d/p/n",
     true,
     true,
     {"d/g"}},
    {"apply_patch-delete",
     "apply_patch",
     PATCH(EDIT_F ADD_N, DELETE_G MOVE_X),
     "d/g",
     true,
     true,
     {"d/g"}},
    {"apply_patch-two", "apply_patch", PATCH(EDIT_F, ADD_N), "d/f", true, false, {0}},
    {"apply_patch-new", "apply_patch", PATCH(ADD_N, EDIT_F), "d/p/n", true, true, {0}},
};

const size_t meddled_count = sizeof meddled / sizeof *meddled;

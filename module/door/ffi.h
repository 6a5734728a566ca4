/* ffi.h -- opening a workspace, for the C door and the Emacs door.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FFI_H
#define AQFS_FFI_H

#include "workspace.h"

/* Does what aqfs_open does, for options that are parsed already.  OPTIONS stay the caller's; *OUT
 * is left as it is on failure. */
aqfs_reply *door_open(const json_t *options, int format, struct aqfs_workspace **out);

#endif

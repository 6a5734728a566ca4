/* ffi.h -- what the doors share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FFI_H
#define AQFS_FFI_H

#include "workspace.h"

/* aqfs_open for options that are parsed already. */
aqfs_reply *door_open(const json_t *options, int format, struct aqfs_workspace **out);

#endif

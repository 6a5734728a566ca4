/* request.h -- asking a workspace for an operation, for programs without Unity.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_REQUEST_H
#define TEST_REQUEST_H

#include "aqfs.h"

/* Opens a workspace with OPTIONS, a JSON object.  Dies with the reply if that is an error. */
aqfs_workspace *open_options(const char *options);
/* The reply to OP with ARGS, a JSON object, and full authority; NULL when there is no memory. */
aqfs_reply *ask_as(aqfs_workspace *ws, const char *op, const char *args, int format);

#endif

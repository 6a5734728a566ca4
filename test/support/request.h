/* SPDX-License-Identifier: MIT */
/* request.h -- asking a workspace for an operation, for programs without Unity. */
#ifndef TEST_REQUEST_H
#define TEST_REQUEST_H

#include "aqfs.h"

/* Opens what OPTIONS, a JSON object, says.  Dies with the reply where that is an error. */
aqfs_workspace *open_options(const char *options);
/* The reply to OP with ARGS, a JSON object, and all authority; NULL where there is no memory. */
aqfs_reply *ask_as(aqfs_workspace *ws, const char *op, const char *args, int format);

#endif

/* SPDX-License-Identifier: MIT */
/* callee.c -- what makes the calls of a case: see callee.h. */
#include "callee.h"

#include "files.h"

static const struct callee c_door = {"c", aqfs_open, aqfs_call, aqfs_free, open_descriptors};
const struct callee *callee = &c_door;

aqfs_reply *callee_open(const char *options, size_t length, int32_t format, aqfs_workspace **out) {
    return callee->open(options, length, format, out);
}

aqfs_reply *callee_call(aqfs_workspace *ws, const char *request, size_t length,
                        const aqfs_context *context) {
    return callee->call(ws, request, length, context);
}

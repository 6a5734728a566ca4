/* SPDX-License-Identifier: MIT */
/* callee.h -- what makes the calls of a case: the C door of this process, or a server. */
#ifndef CONFORMANCE_CALLEE_H
#define CONFORMANCE_CALLEE_H

#include "aqfs.h"

/* Each does what the function of aqfs.h does. */
struct callee {
    const char *name;
    aqfs_reply *(*open)(const char *options, size_t length, int32_t format, aqfs_workspace **out);
    aqfs_reply *(*call)(aqfs_workspace *ws, const char *request, size_t length,
                        const aqfs_context *context);
    void (*free)(aqfs_workspace *ws);
    int (*descriptors)(void); /* that are open where the calls are made */
};

/* The C door, unless a driver says otherwise. */
extern const struct callee *callee;

/* The same, of the one that counts. */
aqfs_reply *callee_open(const char *options, size_t length, int32_t format, aqfs_workspace **out);
aqfs_reply *callee_call(aqfs_workspace *ws, const char *request, size_t length,
                        const aqfs_context *context);

#endif

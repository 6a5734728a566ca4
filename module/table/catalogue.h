/* catalogue.h -- all that is known, as data: operations, errors, options, replies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CATALOGUE_H
#define AQFS_CATALOGUE_H

struct reply;

void catalogue_describe(struct reply *r);

/* The operations alone: a list. */
void catalogue_describe_operations(struct reply *r);

#endif

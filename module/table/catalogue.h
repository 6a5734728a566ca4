/* catalogue.h -- the table as data: operations, errors, options, replies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CATALOGUE_H
#define AQFS_CATALOGUE_H

struct reply;

/* Writes all of it: a map, whose members replies.c declares as the reply `catalogue`. */
void catalogue_describe(struct reply *r);

/* Writes the operations alone: a list. */
void catalogue_describe_operations(struct reply *r);

#endif

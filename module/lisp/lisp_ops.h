/* lisp_ops.h -- the functions of the operations in this room, for the rows of the table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LISP_OPS_H
#define AQFS_LISP_OPS_H

struct call;

int op_list_forms(struct call *c);
int op_read_form(struct call *c);

#endif

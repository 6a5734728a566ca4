/* SPDX-License-Identifier: MIT */
/* matrix.h -- cases for every operation of the table, whatever it takes a path by. */
#ifndef CONFORMANCE_MATRIX_H
#define CONFORMANCE_MATRIX_H

#include "table.h"

/* Calls ADD with each case of FORM, a (matrix ...) as cases/common.sexp explains it. */
void matrix_cases(struct table *t, const struct datum *form,
                  void (*add)(struct table *t, const struct datum *form));

#endif

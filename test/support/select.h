/* SPDX-License-Identifier: MIT */
/* select.h -- the cases that T in the environment asks for. */
#ifndef TEST_SELECT_H
#define TEST_SELECT_H

#include <stdbool.h>

/* Is $T a part of what FORMAT makes, the name of a case?  Without $T every case is wanted. */
bool is_selected(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* byte_class.h -- the parts that a byte can have in Lisp text, in each dialect.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BYTE_CLASS_H
#define AQFS_BYTE_CLASS_H

#include "dialect.h"

#include <stdint.h>

enum {
    ENDS_ATOM = 1,   /* a symbol or number ends before it */
    IS_SPACE = 2,    /* and it separates tokens */
    IS_ESCAPE = 4,   /* the next byte is part of the symbol, whatever it is */
    IS_BAR = 8,      /* all bytes up to the next one are part of the symbol */
    IS_BRACKET = 16, /* opens or closes */
    IS_LEAD = 32,    /* the first byte of U+00A0, which is a space in Emacs Lisp */
    IS_STOP = 64     /* inside of a list, it may matter to where that ends */
};

extern const uint8_t byte_classes[DIALECT_COUNT][256];

#endif

/* byte_class.c -- the parts that a byte can have in Lisp text, in each dialect: see byte_class.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "byte_class.h"

#define BLANK (ENDS_ATOM | IS_SPACE)
#define BRACKET (ENDS_ATOM | IS_BRACKET | IS_STOP)
#define ESCAPE (IS_ESCAPE | IS_STOP)
#define BAR (IS_BAR | IS_STOP)
#define LEAD (IS_LEAD | IS_STOP)
#define UNQUOTE (ENDS_ATOM | IS_STOP) /* as `,@` is one token */
#define BLANKS                                                                                     \
    [' '] = BLANK, ['\t'] = BLANK, ['\n'] = BLANK, ['\r'] = BLANK, ['\f'] = BLANK, ['\v'] = BLANK
/* All others that are below the space. */
#define CONTROLS                                                                                   \
    [0] = BLANK, [1] = BLANK, [2] = BLANK, [3] = BLANK, [4] = BLANK, [5] = BLANK, [6] = BLANK,     \
    [7] = BLANK, [8] = BLANK, [14] = BLANK, [15] = BLANK, [16] = BLANK, [17] = BLANK,              \
    [18] = BLANK, [19] = BLANK, [20] = BLANK, [21] = BLANK, [22] = BLANK, [23] = BLANK,            \
    [24] = BLANK, [25] = BLANK, [26] = BLANK, [27] = BLANK, [28] = BLANK, [29] = BLANK,            \
    [30] = BLANK, [31] = BLANK
#define QUOTES ['"'] = ENDS_ATOM | IS_STOP, [';'] = ENDS_ATOM | IS_STOP, ['`'] = ENDS_ATOM
#define PARENTHESES ['('] = BRACKET, [')'] = BRACKET
#define SQUARES ['['] = BRACKET, [']'] = BRACKET

const uint8_t byte_classes[DIALECT_COUNT][256] = {
    [DIALECT_COMMON_LISP] = {BLANKS, QUOTES, PARENTHESES, ['\''] = ENDS_ATOM, [','] = UNQUOTE,
                             ['\\'] = ESCAPE, ['|'] = BAR, ['#'] = IS_STOP},
    [DIALECT_EMACS_LISP] = {[0xC2] = LEAD,
                            BLANKS,
                            CONTROLS,
                            QUOTES,
                            PARENTHESES,
                            SQUARES,
                            ['\''] = ENDS_ATOM,
                            [','] = UNQUOTE,
                            ['#'] = ENDS_ATOM | IS_STOP,
                            ['\\'] = ESCAPE,
                            ['?'] = IS_STOP},
    [DIALECT_SCHEME] = {BLANKS, QUOTES, PARENTHESES,
                        SQUARES, ['\''] = ENDS_ATOM, [','] = UNQUOTE, ['|'] = BAR, ['#'] = IS_STOP},
    [DIALECT_CLOJURE] =
        {BLANKS, QUOTES, PARENTHESES,
         SQUARES, ['{'] = BRACKET, ['}'] = BRACKET, [','] = BLANK, ['@'] = ENDS_ATOM,
         ['^'] = ENDS_ATOM, ['~'] = ENDS_ATOM, ['\\'] = ENDS_ATOM | IS_STOP, ['#'] = IS_STOP},
};

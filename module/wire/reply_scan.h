/* reply_scan.h -- whether text has the form of a reply as s-expressions, before anything reads it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLY_SCAN_H
#define AQFS_REPLY_SCAN_H

#include <stddef.h>

enum reply_form {
    REPLY_NONE,    /* a reader might obey something in it, or find no end */
    REPLY_ESCAPE,  /* a string has another escape than \" and \\ */
    REPLY_SEVERAL, /* something follows the list */
    REPLY_DATA,    /* one list of lists, strings, and words of a-z, 0-9, - and : */
    REPLY_PLAIN,   /* the same; and each string but the one behind the word :text could be a path
                      without .. that names no home directory and has no control character */
};

/* Scans the N bytes of TEXT, which are UTF-8.  Lists may be nested MOST deep. */
enum reply_form reply_scan(const char *text, size_t n, size_t most);

#endif

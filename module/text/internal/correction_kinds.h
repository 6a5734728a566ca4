/* correction_kinds.h -- corrections of what is not layout.
 *
 * Each is as correction_find is: AQFS_NO_MATCH, without a message, where there is
 * none, or more than one, or where it is not certain; AQFS_LIMIT as there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CORRECTION_KINDS_H
#define AQFS_CORRECTION_KINDS_H

#include "correction.h"

/* Where only layout differs. */
int correction_of_layout(struct text_ref text, const struct edit *edit, struct correction *out);

/* Both texts of the edit have numbers or the marks of a diff in front of their lines, or escapes of
 * JSON or HTML, that the text does not have. */
int correction_decoded(struct text_ref text, const struct edit *edit, struct correction *out);

/* A few lines are others in the text: comments or blank lines that the edit repeats, words of a
 * line in which the edit changes other words, or what the edit would have made of them. */
int correction_merged(struct text_ref text, const struct edit *edit, struct correction *out);

/* How often NEEDLE is in TEXT, 2 for more, and 0 if it is empty; *AT is where it is first. */
size_t correction_places(struct text_ref text, struct text_ref needle, size_t *at);

/* How many bytes of TEXT are in words: with few, it says too little to be certain. */
size_t correction_letters(struct text_ref text);

#endif

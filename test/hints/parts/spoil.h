/* SPDX-License-Identifier: MIT */
/* spoil.h -- ways in which models and people spoil a string that they mean to repeat.
 *
 * Each appends TEXT, spoiled in one place or throughout, and answers the offset
 * in TEXT of the first byte that it changed, or CANNOT.
 */
#ifndef HINTS_SPOIL_H
#define HINTS_SPOIL_H

#include "args.h"
#include "buf.h"

#include <stddef.h>
#include <stdint.h>

#define CANNOT SIZE_MAX

/* The only source of chance. */
extern uint64_t spoil_state;

size_t below(size_t limit);

/* Bytes that are not white space. */
size_t ink(struct text_ref text);
size_t tabs(struct text_ref text, struct buf *out);
size_t indentation(struct text_ref text, struct buf *out);
size_t trailing(struct text_ref text, struct buf *out);
size_t inner_spaces(struct text_ref text, struct buf *out);
size_t nbsp(struct text_ref text, struct buf *out);
size_t crlf(struct text_ref text, struct buf *out);
size_t look_alike(struct text_ref text, struct buf *out);
size_t letter_case(struct text_ref text, struct buf *out);
size_t word(struct text_ref text, struct buf *out);
size_t dropped_line(struct text_ref text, struct buf *out);
size_t added_line(struct text_ref text, struct buf *out);

/* Every third word of one line is another, or is not there, or has one more in front. */
size_t old_version(struct text_ref text, struct buf *out);
size_t numbers(struct text_ref text, struct buf *out);
size_t escapes(struct text_ref text, struct buf *out);

#endif

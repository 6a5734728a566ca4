/* facts.h -- facts about a file, as data and in words.
 *
 * Each function writes the member KEY of the reply, and adds the line "KEY: VALUE" to
 * the words.  Without a value the member is null, and the words have no such line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FACTS_H
#define AQFS_FACTS_H

#include "call.h"

/* NULL and "" mean that there is no value. */
void fact_word(struct call *c, const char *key, const char *word);
/* The path BYTES, N bytes. */
void fact_path(struct call *c, const char *key, const char *bytes, size_t n);
/* NUMBER, also 0. */
void fact_number(struct call *c, const char *key, int64_t number);
/* 0 means that there is no value. */
void fact_count(struct call *c, const char *key, int64_t number);
/* True or false; "yes" or "no" in the words. */
void fact_flag(struct call *c, const char *key, bool yes);
/* The member `type`. */
void fact_type(struct call *c, enum node_type type);
/* TIME_UNKNOWN means that there is no value. */
void fact_time(struct call *c, const char *key, int64_t ns);

#endif

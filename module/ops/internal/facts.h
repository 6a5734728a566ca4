/* facts.h -- what is known of a file, as data and in words.
 *
 * Each function writes the member KEY of the reply, and the line "KEY: VALUE"
 * of the words unless there is no value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FACTS_H
#define AQFS_FACTS_H

#include "call.h"

/* NULL or "" is no value. */
void fact_word(struct call *c, const char *key, const char *word);
void fact_path(struct call *c, const char *key, const char *bytes, size_t n);
void fact_number(struct call *c, const char *key, int64_t number);
/* 0 is no value. */
void fact_count(struct call *c, const char *key, int64_t number);
void fact_flag(struct call *c, const char *key, bool yes);
/* The member type. */
void fact_type(struct call *c, enum node_type type);
/* TIME_UNKNOWN is no value. */
void fact_time(struct call *c, const char *key, int64_t ns);

#endif

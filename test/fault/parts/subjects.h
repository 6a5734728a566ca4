/* SPDX-License-Identifier: MIT */
/* subjects.h -- the operations that fault.c sweeps, and the project they change. */
#ifndef FAULT_SUBJECTS_H
#define FAULT_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>

struct subject {
    const char *name;
    const char *op;
    const char *args;  /* as with_records takes them */
    const char *again; /* arguments with which it works once more after it has worked, or NULL */
    bool plain;        /* in the short form also where a rename knows no flags */
};

extern const struct subject subjects[];
extern const size_t subject_count;

/* Makes what is outside, the project, and the patches among the subjects. */
void start_subjects(void);
/* Makes the project anew. */
void reset(void);
/* The same, and does without faults what is done before the subject of that name. */
void reset_for(const char *subject);
/* What ARGS, of a subject, stand for since then; valid until the next call. */
const char *arguments(const char *args);

/* How many calls lie between two that are tried: of the many that many files take not all are, for
 * they do the same again and again. */
long step_of(const struct subject *subject);

#endif

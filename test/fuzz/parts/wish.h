/* SPDX-License-Identifier: MIT */
/* wish.h -- an operation that an input of fuzz_commit.c asks for, and what it ought to do. */
#ifndef FUZZ_WISH_H
#define FUZZ_WISH_H

#include "model.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { PIECES_MOST = 5, SECTIONS_MOST = 3 };

extern const uint8_t *input, *input_end;

unsigned take(unsigned limit);
const char *take_path(void);

struct text {
    char data[64];
    size_t n;
};

enum must { MUST_FAIL, MAY_FAIL, MUST_DO };

struct wish {
    const char *op;
    json_t *args;
    bool dangerous; /* whatever the state is */
    enum must must;
    const char *touched[2 * SECTIONS_MOST]; /* paths it reads or writes */
    size_t count;
};

void wish_create(struct wish *w, struct model *m);
void wish_write(struct wish *w, struct model *m);
void wish_edit(struct wish *w, struct model *m);

/* All or none, each in what the one before left. */
void wish_edits(struct wish *w, struct model *m);
void wish_insert(struct wish *w, struct model *m);
void wish_directory(struct wish *w, struct model *m);
void wish_move(struct wish *w, struct model *m);
void wish_delete(struct wish *w, struct model *m);

/* One directory that a section needs may be a file that another takes away: that is refused, or is
 * done right. */
void wish_patch(struct wish *w, struct model *m);

#endif

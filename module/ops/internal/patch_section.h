/* patch_section.h -- what the sections of a patch start from, and what they make of it.
 *
 * Nothing is planned yet, and no section knows of another: they are read by several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_SECTION_H
#define AQFS_PATCH_SECTION_H

#include "call.h"
#include "patch.h"
#include "plan.h"

struct patch_section {
    const struct patch_file *file; /* set by who asks */
    struct change *source;         /* what it starts from; nothing where the file is added */
    struct buf bytes;
    size_t added, removed; /* lines */
    int code;
    struct error error; /* where there is a code */
};

/* Reads the files of N sections of PATCH and applies their hunks, each with a code of its own. */
void patch_read_sections(struct call *c, const struct patch *patch, struct patch_section *sections,
                         size_t n);
void patch_section_free(struct patch_section *section);

/* As plan_find.  Paths of a patch are bytes: in the form that is shown, no `~/` or quote means
 * anything else. */
int patch_locate_path(struct call *c, const char *path, unsigned flags, struct place *at,
                      struct info *seen);
/* As plan_remember, likewise. */
int patch_remember_path(struct call *c, struct plan *p, const char *path, unsigned flags,
                        const struct place *at);
/* How the old path of a section is located. */
unsigned patch_old_flags(const struct patch_file *file);
/* "Path '...' PROBLEM". */
int patch_fail_path(struct call *c, enum code code, const char *path, const char *problem);

#endif

/* patch_section.h -- reading and patching the files of a patch's sections.
 *
 * Several threads do this, each with sections of its own.  So no function here adds to the plan or
 * looks at another section, except for patch_remember_path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_SECTION_H
#define AQFS_PATCH_SECTION_H

#include "call.h"
#include "patch.h"
#include "plan.h"

struct patch_section {
    const struct patch_file *file; /* set by the caller */
    struct change *source;         /* the old file; its place is empty if the file is added */
    struct buf bytes;              /* the new bytes */
    size_t added, removed;         /* numbers of lines */
    int code;
    struct error error; /* set if there is a code */
};

/* Reads the files of N sections of PATCH and applies their hunks.  Each section gets a code of its
 * own; sections behind one with an error may be left as they were. */
void patch_read_sections(struct call *c, const struct patch *patch, struct patch_section *sections,
                         size_t n);
/* Frees what SECTION holds. */
void patch_section_free(struct patch_section *section);

/* Does what plan_find does, for a path of a patch.  Such a path is plain bytes; it is first spelled
 * as paths are shown, so that `~/` and quotes in it mean themselves. */
int patch_locate_path(struct call *c, const char *path, unsigned flags, struct place *at,
                      struct info *seen);
/* Does what plan_remember does, for such a path. */
int patch_remember_path(struct call *c, struct plan *p, const char *path, unsigned flags,
                        const struct place *at);
/* The flags with which the old path of a section is located. */
unsigned patch_old_flags(const struct patch_file *file);
/* Fails with CODE and the message "Path '...' PROBLEM". */
int patch_fail_path(struct call *c, enum code code, const char *path, const char *problem);

#endif

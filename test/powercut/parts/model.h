/* model.h -- what a disk may hold when power is lost between two calls.
 *
 * A log is taken apart into effects: a name that changes, a sector of a file, a size, permissions.
 * Behind a call, the effects of all calls up to it may be on the disk or not, but
 *
 *   - those that a sync has covered are;
 *   - an effect is there only with those that it needs.
 *
 * Two kinds of disks differ in what a sync covers and in what needs what:
 *
 * EXT4     with data=ordered.  All but bytes goes through a journal: it is on the disk up to a
 *          point, in order.  A sync of a file that has something to write takes with it all that
 *          came before in the journal.  A file grows on the disk only as its bytes get there, from
 *          front to back, and a rename over another file brings the bytes along.  The project and
 *          the state directory are on two such disks, which know nothing of each other.
 *
 * LETTERS  of POSIX, and no more: every effect is for itself.  fsync of a file covers what it holds
 *          and its attributes, and not its name; fsync of a directory its names, and not itself.  A
 *          size may be there without the bytes, which are zero then, and sectors in any order.
 *          What still holds: the changes of one name happen in their order; a rename in a directory
 *          happens or does not; a file that is moved to another directory is lost to neither.
 *
 * Bytes that a failed sync was to cover are never covered by a later one: the kernel forgets them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_MODEL_H
#define POWERCUT_MODEL_H

#include "disk.h"
#include "log.h"

enum rules { RULES_EXT4, RULES_LETTERS, RULES_N };
extern const char *const rules_names[RULES_N];

#define SECTOR 512
#define NEEDS_MOST 6
#define NEVER SIZE_MAX

enum effect_kind {
    EFFECT_NAMES,
    EFFECT_BYTES,
    EFFECT_SIZE,
    EFFECT_MODE,
    EFFECT_OWNER,
    EFFECT_ATTRIBUTE,
};

struct effect {
    enum effect_kind kind;
    size_t event;    /* that it is of */
    int disk;        /* 0: the project's; 1: the state directory's */
    size_t file;     /* that it is about; of names: that gets one */
    size_t slots[2]; /* of names */
    size_t becomes[2];
    size_t slots_n;
    size_t offset, n; /* of bytes; EFFECT_SIZE: the size in `offset` */
    const char *bytes;
    bool grows;               /* bytes: the file becomes as long as they need */
    size_t needs[NEEDS_MOST]; /* other effects */
    size_t needs_n;
    size_t safe_from;  /* the event from which on it is on the disk, or NEVER */
    bool is_forgotten; /* by a sync that failed */
};

struct model {
    enum rules rules;
    const struct log *log;
    struct disk before; /* with a number for everything */
    int *disks;         /* of each file */
    struct effect *effects;
    size_t n;
};

/* BEFORE becomes the model's. */
void model_make(enum rules rules, struct disk *before, const struct log *log, struct model *out);
void model_free(struct model *m);

/* Drops from KEPT whatever needs what is not kept.  Effects behind the event POINT do not count. */
void model_close(const struct model *m, size_t point, bool *kept);
/* The content of the disks with the effects KEPT; disk_end_copy frees it. */
void model_apply(const struct model *m, const bool *kept, struct disk *out);
/* Prints what was lost. */
void model_tell(const struct model *m, size_t point, const bool *kept);

#endif

/* model.c -- what a disk may hold when power is lost between two calls: see model.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model.h"

#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const rules_names[RULES_N] = {"ext4", "letters"};

#define NONE SIZE_MAX

/* While the effects are listed: the last of each kind so far, or NONE. */
struct latest {
    size_t *of_slot;    /* that changed a name */
    size_t *made;       /* that made a file */
    size_t *grew, *cut; /* bytes at the end of a file; a size that was set */
    size_t in_journal[2];
};

struct listing {
    struct model *m;
    struct latest last;
    size_t room;
};

static struct effect *effect_add(struct listing *l, enum effect_kind kind, size_t event) {
    struct model *m = l->m;
    if (m->n == l->room) {
        l->room = l->room ? l->room * 2 : 128;
        m->effects = realloc(m->effects, l->room * sizeof *m->effects);
        if (!m->effects)
            die("no memory");
    }
    m->effects[m->n] = (struct effect){.kind = kind, .event = event, .safe_from = NEVER};
    return &m->effects[m->n++];
}

static void need(struct effect *effect, size_t other) {
    if (other == NONE)
        return;
    if (effect->needs_n == NEEDS_MOST)
        die("an effect needs more than %d others", NEEDS_MOST);
    effect->needs[effect->needs_n++] = other;
}

/* On a disk with a journal all but bytes keeps its order. */
static void take_its_turn(struct listing *l, struct effect *effect) {
    if (l->m->rules != RULES_EXT4)
        return;
    need(effect, l->last.in_journal[effect->disk]);
    l->last.in_journal[effect->disk] = (size_t)(effect - l->m->effects);
}

static size_t file_of(struct listing *l, uint64_t inode) {
    return disk_file(&l->m->before, inode);
}

/* -- names --------------------------------------------------------------------------------------
 */

static void set_name(struct listing *l, struct effect *effect, const struct naming *naming) {
    size_t directory = file_of(l, naming->directory), i = effect->slots_n++;
    effect->slots[i] = disk_slot(&l->m->before, directory, naming->name);
    effect->becomes[i] = file_of(l, naming->inode);
    effect->disk = l->m->disks[directory];
    need(effect, l->m->rules == RULES_LETTERS ? l->last.of_slot[effect->slots[i]] : NONE);
}

static void end_names(struct listing *l, struct effect *effect, const struct event *event) {
    size_t number = (size_t)(effect - l->m->effects);
    effect->file = file_of(l, event->inode);
    if (effect->file && !event->makes)
        need(effect, l->last.made[effect->file]);
    if (event->replaces && l->m->rules == RULES_EXT4)
        need(effect, l->last.grew[effect->file]);
    take_its_turn(l, effect);
    for (size_t i = 0; i < effect->slots_n; i++)
        l->last.of_slot[effect->slots[i]] = number;
    if (event->makes) {
        l->last.made[effect->file] = number;
        l->m->disks[effect->file] = effect->disk;
    }
}

static bool is_directory(const struct listing *l, uint64_t inode) {
    return S_ISDIR(l->m->before.files[disk_file(&l->m->before, inode)].mode);
}

static void list_names(struct listing *l, size_t at, const struct event *event) {
    struct effect *effect = effect_add(l, EFFECT_NAMES, at);
    bool halves = l->m->rules == RULES_LETTERS && event->names_n == 2 && !event->exchanges &&
                  event->names[0].directory != event->names[1].directory &&
                  !is_directory(l, event->inode);
    for (size_t i = halves ? 1 : 0; i < event->names_n; i++)
        set_name(l, effect, &event->names[i]);
    end_names(l, effect, event);
    if (!halves)
        return;
    size_t first = l->m->n - 1;
    effect = effect_add(l, EFFECT_NAMES, at);
    set_name(l, effect, &event->names[0]);
    need(effect, first);
    l->last.of_slot[effect->slots[0]] = first + 1;
}

/* -- bytes --------------------------------------------------------------------------------------
 */

/* The last effect on this sector of the file before the effect BEFORE. */
static size_t find_sector(const struct model *m, size_t file, size_t sector, size_t before) {
    for (size_t i = before; i-- > 0;) {
        const struct effect *effect = &m->effects[i];
        if (effect->kind == EFFECT_BYTES && effect->file == file &&
            effect->offset / SECTOR == sector)
            return i;
    }
    return NONE;
}

/* A part of a write that lies in one sector. */
static void list_sector(struct listing *l, size_t at, const struct event *event, size_t offset,
                        size_t n, bool grows) {
    struct effect *effect = effect_add(l, EFFECT_BYTES, at);
    size_t number = l->m->n - 1;
    effect->file = file_of(l, event->inode);
    effect->disk = l->m->disks[effect->file];
    effect->offset = offset;
    effect->n = n;
    effect->bytes = event->bytes + (offset - (size_t)event->offset);
    effect->grows = grows && l->m->rules == RULES_EXT4;
    need(effect, find_sector(l->m, effect->file, offset / SECTOR, number));
    if (l->m->rules == RULES_EXT4)
        need(effect, l->last.cut[effect->file]);
    if (!effect->grows)
        return;
    need(effect, l->last.grew[effect->file]);
    l->last.grew[effect->file] = number;
}

static void list_size(struct listing *l, size_t at, const struct event *event, size_t size) {
    struct effect *effect = effect_add(l, EFFECT_SIZE, at);
    effect->file = file_of(l, event->inode);
    effect->disk = l->m->disks[effect->file];
    effect->offset = size;
}

/* SIZES has how long each file is when the call is made. */
static void list_write(struct listing *l, size_t at, const struct event *event, size_t *sizes) {
    size_t file = file_of(l, event->inode), offset = (size_t)event->offset;
    size_t end = offset + event->n, size = sizes[file];
    if (end > size && l->m->rules == RULES_LETTERS)
        list_size(l, at, event, end);
    for (size_t next; offset < end; offset = next) {
        next = (offset / SECTOR + 1) * SECTOR;
        next = next < end ? next : end;
        list_sector(l, at, event, offset, next - offset, next > size);
    }
    sizes[file] = end > size ? end : size;
}

static void list_cut(struct listing *l, size_t at, const struct event *event, size_t *sizes) {
    list_size(l, at, event, (size_t)event->offset);
    struct effect *effect = &l->m->effects[l->m->n - 1];
    take_its_turn(l, effect);
    l->last.cut[effect->file] = l->m->n - 1;
    l->last.grew[effect->file] = NONE;
    sizes[effect->file] = (size_t)event->offset;
}

/* -- permissions and the like -------------------------------------------------------------------
 */

static void list_attribute(struct listing *l, size_t at, const struct event *event) {
    enum effect_kind kind = event->kind == EVENT_MODE    ? EFFECT_MODE
                            : event->kind == EVENT_OWNER ? EFFECT_OWNER
                                                         : EFFECT_ATTRIBUTE;
    struct effect *effect = effect_add(l, kind, at);
    effect->file = file_of(l, event->inode);
    effect->disk = l->m->disks[effect->file];
    take_its_turn(l, effect);
}

/* -- what a sync covers -------------------------------------------------------------------------
 */

static void make_safe(struct model *m, size_t i, size_t from) {
    struct effect *effect = &m->effects[i];
    if (effect->safe_from != NEVER || effect->is_forgotten)
        return;
    effect->safe_from = from;
    for (size_t j = 0; j < effect->needs_n; j++)
        make_safe(m, effect->needs[j], from);
}

static bool is_of_bytes(const struct effect *effect) {
    return effect->kind == EFFECT_BYTES || effect->kind == EFFECT_SIZE;
}

/* Is it about the file, or about a name in this directory? */
static bool is_about(const struct model *m, const struct effect *effect, size_t file) {
    if (effect->kind != EFFECT_NAMES)
        return effect->file == file;
    for (size_t i = 0; i < effect->slots_n; i++)
        if (m->before.slots[effect->slots[i]].directory == file)
            return true;
    return false;
}

static void forget(struct model *m, int disk, size_t file) {
    for (size_t i = 0; i < m->n; i++) {
        struct effect *effect = &m->effects[i];
        if (effect->safe_from == NEVER && effect->kind == EFFECT_BYTES && effect->disk == disk &&
            (!file || effect->file == file))
            effect->is_forgotten = true;
    }
}

/* In the journal of ext4: all on the disk up to the last that is about the file, or up to now if
 * the file has bytes to be written. */
static void sync_in_order(struct model *m, size_t file, bool bytes_only, size_t at) {
    bool all = false;
    for (size_t i = m->n; i-- > 0;) {
        const struct effect *effect = &m->effects[i];
        if (effect->safe_from != NEVER || effect->disk != m->disks[file])
            continue;
        bool own = is_about(m, effect, file);
        all = all || (own && is_of_bytes(effect));
        if (own && (!bytes_only || is_of_bytes(effect)))
            make_safe(m, i, at);
    }
    for (size_t i = 0; all && i < m->n; i++)
        if (m->effects[i].disk == m->disks[file] && m->effects[i].kind != EFFECT_BYTES)
            make_safe(m, i, at);
}

static void list_sync(struct listing *l, size_t at, const struct event *event) {
    struct model *m = l->m;
    size_t file = file_of(l, event->inode);
    bool bytes_only = event->kind == EVENT_DATA_SYNC, whole = event->kind == EVENT_SYNC_ALL;
    if (event->failed) {
        forget(m, m->disks[file], whole ? 0 : file);
        return;
    }
    if (m->rules == RULES_EXT4 && !whole) {
        sync_in_order(m, file, bytes_only, at);
        return;
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct effect *effect = &m->effects[i];
        if (whole ? effect->disk == m->disks[file]
                  : is_about(m, effect, file) && (!bytes_only || is_of_bytes(effect)))
            make_safe(m, i, at);
    }
}

/* -- the whole ----------------------------------------------------------------------------------
 */

static void list_event(struct listing *l, size_t at, const struct event *event, size_t *sizes) {
    switch (event->kind) {
    case EVENT_NAMES:
        list_names(l, at, event);
        break;
    case EVENT_WRITE:
        list_write(l, at, event, sizes);
        break;
    case EVENT_SIZE:
        list_cut(l, at, event, sizes);
        break;
    case EVENT_MODE:
    case EVENT_OWNER:
    case EVENT_ATTRIBUTE:
        list_attribute(l, at, event);
        break;
    case EVENT_SYNC:
    case EVENT_DATA_SYNC:
    case EVENT_SYNC_ALL:
        list_sync(l, at, event);
        break;
    case EVENT_ANSWER:
        break;
    }
}

/* Gives a number to every file and name that the log is about. */
static void number_all(struct disk *d, const struct log *log) {
    for (size_t i = 0; i < log->n; i++) {
        const struct event *event = &log->events[i];
        size_t file = disk_file(d, event->inode);
        if (event->makes)
            d->files[file].mode = event->mode & S_IFMT;
        for (size_t j = 0; j < event->names_n; j++) {
            const struct naming *naming = &event->names[j];
            (void)disk_file(d, naming->inode);
            (void)disk_slot(d, disk_file(d, naming->directory), naming->name);
        }
    }
}

/* Which disk each file is on that is there in the beginning; the others are noted when made. */
static void divide(struct model *m) {
    m->disks = calloc(m->before.files_n, sizeof *m->disks);
    if (!m->disks)
        die("no memory");
    for (size_t i = 0; i < m->before.files_n; i++)
        m->disks[i] = 1;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < m->before.slots_n; i++) {
            const struct slot *slot = &m->before.slots[i];
            bool on_first = slot->directory == TOP ? strcmp(slot->name, "root") == 0
                                                   : !m->disks[slot->directory];
            if (slot->file && on_first && m->disks[slot->file]) {
                m->disks[slot->file] = 0;
                more = true;
            }
        }
    }
}

static size_t *none_yet(size_t n) {
    size_t *out = malloc(n * sizeof *out);
    if (!out)
        die("no memory");
    for (size_t i = 0; i < n; i++)
        out[i] = NONE;
    return out;
}

void model_make(enum rules rules, struct disk *before, const struct log *log, struct model *out) {
    *out = (struct model){.rules = rules, .log = log, .before = *before};
    number_all(&out->before, log);
    divide(out);
    size_t files = out->before.files_n;
    struct listing l = {.m = out,
                        .last = {.of_slot = none_yet(out->before.slots_n + 1),
                                 .made = none_yet(files),
                                 .grew = none_yet(files),
                                 .cut = none_yet(files),
                                 .in_journal = {NONE, NONE}}};
    size_t *sizes = none_yet(files);
    for (size_t i = 0; i < files; i++)
        sizes[i] = out->before.files[i].n;
    for (size_t i = 0; i < log->n; i++)
        list_event(&l, i, &log->events[i], sizes);
    free(sizes);
    free(l.last.of_slot);
    free(l.last.made);
    free(l.last.grew);
    free(l.last.cut);
}

void model_free(struct model *m) {
    disk_free(&m->before);
    free(m->disks);
    free(m->effects);
    *m = (struct model){0};
}

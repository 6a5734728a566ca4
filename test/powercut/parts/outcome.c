/* outcome.c -- what is on the disks when some effects are and others are not: see model.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define TOLD_MOST 10

void model_close(const struct model *m, size_t point, bool *kept) {
    for (size_t i = 0; i < m->n; i++) {
        const struct effect *effect = &m->effects[i];
        kept[i] = effect->event <= point && (kept[i] || effect->safe_from <= point);
        for (size_t j = 0; kept[i] && j < effect->needs_n; j++)
            kept[i] = kept[effect->needs[j]];
    }
}

static void apply_names(const struct effect *effect, const struct event *event, struct disk *d) {
    for (size_t i = 0; i < effect->slots_n; i++) {
        struct slot *slot = &d->slots[effect->slots[i]];
        slot->file = effect->becomes[i];
        for (size_t j = 0; j < event->names_n; j++)
            if (event->names[j].directory == d->files[slot->directory].inode)
                d->files[slot->directory].modified_ns = event->names[j].modified_ns;
    }
    if (!event->makes)
        return;
    struct file *f = &d->files[effect->file];
    free(f->own);
    *f = (struct file){.inode = f->inode,
                       .mode = event->mode,
                       .owner = event->owner,
                       .group = event->group,
                       .modified_ns = event->modified_ns,
                       .bytes = event->bytes ? event->bytes : "",
                       .n = event->n};
}

/* Bytes behind the end of a file are not seen. */
static void apply_bytes(const struct effect *effect, struct file *f) {
    size_t end = effect->offset + effect->n;
    size_t seen = effect->grows || end <= f->n ? end : f->n;
    if (seen > effect->offset)
        disk_write(f, effect->offset, effect->bytes, seen - effect->offset);
}

static void apply_effect(const struct effect *effect, const struct event *event, struct disk *d) {
    struct file *f = &d->files[effect->file];
    if (effect->kind != EFFECT_NAMES)
        f->modified_ns = event->modified_ns;
    switch (effect->kind) {
    case EFFECT_NAMES:
        apply_names(effect, event, d);
        break;
    case EFFECT_BYTES:
        apply_bytes(effect, f);
        break;
    case EFFECT_SIZE:
        disk_resize(f, effect->offset);
        break;
    case EFFECT_MODE:
        f->mode = event->mode;
        break;
    case EFFECT_OWNER:
        f->owner = event->owner;
        f->group = event->group;
        break;
    case EFFECT_ATTRIBUTE:
        disk_attribute(f, event->attribute, event->bytes, event->n);
        break;
    }
}

void model_apply(const struct model *m, const bool *kept, struct disk *out) {
    disk_copy(&m->before, out);
    for (size_t i = 0; i < m->n; i++)
        if (kept[i])
            apply_effect(&m->effects[i], &m->log->events[m->effects[i].event], out);
}

/* -- telling ------------------------------------------------------------------------------------
 */

/* A name that the file has in D, or had. */
static char *name_of(const struct model *m, const struct disk *d, size_t file) {
    for (size_t i = 0; i < d->slots_n; i++)
        if (d->slots[i].file == file)
            return disk_path(d, i);
    for (size_t i = 0; i < m->n; i++)
        if (m->effects[i].kind == EFFECT_NAMES && m->effects[i].file == file)
            return disk_path(d, m->effects[i].slots[0]);
    return NULL;
}

static void tell_effect(const struct model *m, const struct disk *d, const struct effect *effect) {
    const char *call = m->log->events[effect->event].call;
    size_t file = effect->file;
    char *name = effect->kind == EFFECT_NAMES ? disk_path(d, effect->slots[effect->slots_n - 1])
                                              : name_of(m, d, file);
    printf("    lost: call %zu, %s %s", effect->event + 1, call, name ? name : "-");
    if (effect->kind == EFFECT_BYTES)
        printf(" (%zu bytes at %zu)", effect->n, effect->offset);
    printf("\n");
    free(name);
}

void model_tell(const struct model *m, size_t point, const bool *kept) {
    struct disk d;
    size_t told = 0, lost = 0;
    model_apply(m, kept, &d);
    for (size_t i = 0; i < m->n; i++) {
        bool is_lost = m->effects[i].event <= point && !kept[i];
        lost += is_lost;
        if (is_lost && told++ < TOLD_MOST)
            tell_effect(m, &d, &m->effects[i]);
    }
    if (lost > TOLD_MOST)
        printf("    lost: %zu more\n", lost - TOLD_MOST);
    if (lost == 0)
        printf("    nothing was lost\n");
    disk_end_copy(&d);
}

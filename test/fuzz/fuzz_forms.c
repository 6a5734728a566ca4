/* SPDX-License-Identifier: MIT */
/* fuzz_forms.c -- of any bytes, the forms stand in order inside of the text, so does what they
 * define, and what is balanced stays so when it is read form by form. */
#include "definition.h"
#include "forms.h"
#include "fuzz.h"
#include "repair.h"

#include <string.h>

static void check_inside(enum dialect dialect, const char *text, const struct form *list) {
    struct form_cursor cursor = form_inside(dialect, text, list);
    struct form child;
    size_t last = list->open;
    while (form_next(&cursor, &child)) {
        PROMISE(last <= child.start && child.start < child.end && child.end <= list->end);
        PROMISE(child.start < child.open && child.open <= child.end);
        last = child.end;
    }
}

/* A form by itself is the same form. */
static void check_alone(enum dialect dialect, const char *text, const struct form *form) {
    struct forms alone;
    size_t n = form->end - form->start;
    PROMISE(forms_read(dialect, text + form->start, n, &alone));
    const char *start = text + form->start; /* at the beginning of a text, two things are skipped */
    bool begins_otherwise = (n >= 2 && memcmp(start, "#!", 2) == 0) ||
                            (n >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0);
    if (!begins_otherwise)
        PROMISE(!alone.fault.kind && alone.n == 1 && alone.all[0].start == 0 &&
                alone.all[0].end == n);
    forms_free(&alone);
}

static void check_part(struct span part, const struct form *form) {
    if (part.len > 0)
        PROMISE(form->start <= part.at && part.at + part.len <= form->end);
}

static void check_parts(const struct definition *d, const struct form *form) {
    check_part(d->kind, form);
    check_part(d->name, form);
    check_part(d->qualifiers, form);
    check_part(d->specializers, form);
    check_part(d->doc, form);
}

struct nested_forms {
    const struct form *outer;
    unsigned depth;
};

static bool check_nested(void *data, const struct form *form, const struct definition *d,
                         unsigned depth) {
    struct nested_forms *nested = data;
    PROMISE(nested->outer->start <= form->start && form->start < form->end &&
            form->end <= nested->outer->end);
    PROMISE(depth >= 1 && depth <= nested->depth + 1);
    nested->depth = depth;
    check_parts(d, form);
    return true;
}

static void check_definition(enum dialect dialect, const char *text, const struct form *form) {
    struct definition d = definition_of(dialect, text, form);
    struct nested_forms nested = {.outer = form};
    check_parts(&d, form);
    (void)definition_is_named(dialect, text, &d, "f", 1);
    PROMISE(definition_nested(dialect, text, form, check_nested, &nested));
}

/* A correction balances the text, whatever was changed in it. */
static void check_repair(enum dialect dialect, const char *text, size_t n) {
    struct repair repair;
    struct forms forms;
    struct buf corrected = {0};
    PROMISE(repair_find(dialect, text, n, (struct span){n / 3, n / 3}, &repair));
    PROMISE(repair.form.start <= repair.form.end && repair.form.end <= n && repair.parts_at <= n);
    if (!repair.known)
        return;
    buf_add(&corrected, text, repair.old.at);
    buf_str(&corrected, repair.new);
    buf_add(&corrected, text + repair.old.at + repair.old.len, n - repair.old.at - repair.old.len);
    PROMISE(forms_read(dialect, corrected.data, corrected.len, &forms) && !forms.fault.kind);
    forms_free(&forms);
    buf_free(&corrected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    enum dialect dialect = (enum dialect)(1 + data[0] % (DIALECT_COUNT - 1));
    struct forms forms;
    size_t last = 0;
    PROMISE(forms_read(dialect, text, size - 1, &forms));
    for (size_t i = 0; i < forms.n; i++) {
        const struct form *form = &forms.all[i];
        PROMISE(last <= form->start && form->start < form->end && form->end <= size - 1);
        last = form->end;
        if (forms.fault.kind && i + 1 == forms.n)
            break;
        check_inside(dialect, text, form);
        check_alone(dialect, text, form);
        check_definition(dialect, text, form);
    }
    if (forms.fault.kind)
        check_repair(dialect, text, size - 1);
    forms_free(&forms);
    return 0;
}

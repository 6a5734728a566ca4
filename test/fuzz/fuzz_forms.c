/* SPDX-License-Identifier: MIT */
/* fuzz_forms.c -- of any bytes, the forms stand in order inside of the text, and what is balanced
 * stays so when it is read form by form. */
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
    }
    if (forms.fault.kind)
        check_repair(dialect, text, size - 1);
    forms_free(&forms);
    return 0;
}

/* correction_decoded.c -- the edit without what a model added to what it read: see
 * correction_kinds.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction_kinds.h"

#include "cleanup.h"
#include "decoded.h"

#include <string.h>

/* The edit with both texts decoded. */
struct decoded_edit {
    struct buf old, new;
};

static void decoded_edit_free(struct decoded_edit *d) {
    buf_free(&d->old);
    buf_free(&d->new);
}

static void keep_text(struct text_ref text, struct buf *out) {
    buf_clear(out);
    buf_add(out, text.len > 0 ? text.data : "", text.len);
}

static bool begins_with_number(struct text_ref text) {
    size_t i = 0;
    while (i < text.len && text.data[i] == ' ')
        i++;
    return i < text.len && text.data[i] >= '0' && text.data[i] <= '9';
}

/* The lines of new_str have numbers, or none of them has; and else it is not certain. */
static bool drop_numbers(const struct edit *edit, struct decoded_edit *d) {
    if (!text_without_numbers(edit->old_str, &d->old))
        return false;
    if (edit->new_str.len > 0 && text_without_numbers(edit->new_str, &d->new))
        return true;
    keep_text(edit->new_str, &d->new);
    for (size_t i = 0; i < edit->new_str.len; i++)
        if ((i == 0 || edit->new_str.data[i - 1] == '\n') &&
            begins_with_number((struct text_ref){edit->new_str.data + i, edit->new_str.len - i}))
            return false;
    return true;
}

/* An escape in new_str alone may be meant as it stands. */
static bool drop_escapes(const struct edit *edit, struct decoded_edit *d) {
    const unsigned old = text_without_escapes(edit->old_str, &d->old);
    const unsigned new = text_without_escapes(edit->new_str, &d->new);
    return old != 0 && (new & ~old) == 0;
}

/* Fewer letters may be anywhere. */
#define LETTERS_LEAST 4

static bool says_enough_decoded(struct text_ref old) {
    size_t letters = 0;
    for (size_t i = 0; i < old.len; i++)
        letters += text_is_word(old.data[i]);
    return letters >= LETTERS_LEAST;
}

/* Corrects the decoded edit, whose old_str is at one place, or nearly so. */
static int correct_decoded(struct text_ref text, const struct decoded_edit *d,
                           struct budget *budget, struct correction *out) {
    const struct edit edit = {.old_str = {d->old.data, d->old.len},
                              .new_str = {d->new.data ? d->new.data : "", d->new.len},
                              .budget = budget};
    if (d->old.failed || d->new.failed)
        return AQFS_LIMIT;
    if (!says_enough_decoded(edit.old_str) || text_ref_equal(edit.old_str, edit.new_str))
        return AQFS_NO_MATCH;
    const char *at = memmem(text.data, text.len, edit.old_str.data, edit.old_str.len);
    if (!at)
        return correction_of_layout(text, &edit, out);
    const size_t offset = (size_t)(at - text.data);
    if (memmem(at + 1, text.len - offset - 1, edit.old_str.data, edit.old_str.len))
        return AQFS_NO_MATCH;
    out->place = (struct span){offset, edit.old_str.len};
    buf_add(&out->text, edit.new_str.data, edit.new_str.len);
    return out->text.failed ? AQFS_LIMIT : AQFS_OK;
}

int correction_decoded(struct text_ref text, const struct edit *edit, struct correction *out) {
    AUTO(decoded_edit_free) struct decoded_edit d = {0};
    if (drop_numbers(edit, &d))
        return correct_decoded(text, &d, edit->budget, out);
    buf_clear(&d.old);
    buf_clear(&d.new);
    return drop_escapes(edit, &d) ? correct_decoded(text, &d, edit->budget, out) : AQFS_NO_MATCH;
}

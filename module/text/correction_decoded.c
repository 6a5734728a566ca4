/* correction_decoded.c -- the edit without what a model added to what it read: see
 * correction_kinds.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction_kinds.h"

#include "cleanup.h"
#include "decoded.h"

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

/* Both texts are a side of a diff. */
static bool drop_marks(const struct edit *edit, struct decoded_edit *d) {
    return edit->new_str.len > 0 && text_without_marks(edit->old_str, '-', &d->old) &&
           text_without_marks(edit->new_str, '+', &d->new);
}

/* An escape in new_str alone may be meant as it stands. */
static bool drop_escapes(const struct edit *edit, struct decoded_edit *d) {
    const unsigned old = text_without_escapes(edit->old_str, &d->old);
    const unsigned new = text_without_escapes(edit->new_str, &d->new);
    return old != 0 && (new & ~old) == 0;
}

/* Fewer letters may be anywhere. */
#define LETTERS_LEAST 4

/* Corrects the decoded edit, whose old_str is at one place, or nearly so. */
static int correct_decoded(struct text_ref text, const struct decoded_edit *d,
                           struct budget *budget, struct correction *out) {
    const struct edit edit = {.old_str = {d->old.data, d->old.len},
                              .new_str = {d->new.data ? d->new.data : "", d->new.len},
                              .budget = budget};
    if (d->old.failed || d->new.failed)
        return AQFS_LIMIT;
    if (correction_letters(edit.old_str) < LETTERS_LEAST ||
        text_ref_equal(edit.old_str, edit.new_str))
        return AQFS_NO_MATCH;
    size_t at, places = correction_places(text, edit.old_str, &at);
    if (places == 0)
        return correction_of_layout(text, &edit, out);
    if (places > 1)
        return AQFS_NO_MATCH;
    out->place = (struct span){at, edit.old_str.len};
    buf_add(&out->text, edit.new_str.data, edit.new_str.len);
    return out->text.failed ? AQFS_LIMIT : AQFS_OK;
}

int correction_decoded(struct text_ref text, const struct edit *edit, struct correction *out) {
    AUTO(decoded_edit_free) struct decoded_edit d = {0};
    static bool (*const drops[])(const struct edit *edit,
                                 struct decoded_edit *d) = {drop_numbers, drop_marks, drop_escapes};
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        buf_clear(&d.old);
        buf_clear(&d.new);
        if (drops[i](edit, &d))
            return correct_decoded(text, &d, edit->budget, out);
    }
    return AQFS_NO_MATCH;
}

/* SPDX-License-Identifier: MIT */
/* damage.c -- damage COUNT [SEED] <list-of-files: is a parenthesis too many or too few noticed?
 *
 * In each of COUNT texts of the files, one parenthesis is taken out, put in, or turned round.  It
 * must be noticed, in the form that was damaged, and where a correction is offered, it must give
 * the text back. */
#include "forms.h"
#include "parts/text_file.h"
#include "repair.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 100000, TEXT_MOST = 400000, TRIES = 400 };

static char *names[FILES_MOST];
static size_t name_count;
static uint64_t state = 1;
static struct { size_t damaged, noticed, named, offered, restored, elsewhere, unusual; } tally;

static struct buf show;

/* The forms that begin in the first column, as many as there are forms. */
static bool looks_usual(const struct buf *text, const struct forms *forms) {
    for (size_t i = 0; i < forms->n; i++)
        if (forms->all[i].start > 0 && text->data[forms->all[i].start - 1] != '\n')
            return false;
    return true;
}

/* Is the byte at AT code and not in a string or comment?  Exchanging it changes the balance then.
 */
static bool damages(enum dialect dialect, const struct buf *text, struct forms *out) {
    return forms_read(dialect, text->data, text->len, out) && out->fault.kind && !out->unsure;
}

static void spoil(const struct buf *text, size_t at, int kind, struct buf *out) {
    char c = text->data[at];
    buf_clear(out);
    buf_add(out, text->data, at);
    if (kind == 1)
        buf_char(out, sample_below(&state, 2) ? '(' : ')');
    else if (kind == 2)
        buf_char(out, c == '(' ? ')' : '(');
    size_t behind = at + (kind != 1);
    buf_add(out, text->data + behind, text->len - behind);
}

static size_t form_at(const struct forms *forms, size_t at) {
    for (size_t i = 0; i < forms->n; i++)
        if (at < forms->all[i].end)
            return i;
    return forms->n;
}

static void check_repair(const char *path, enum dialect dialect, const struct buf *text,
                         const struct buf *spoiled, const struct forms *forms, size_t at) {
    struct repair repair;
    size_t number = form_at(forms, at);
    bool usual = looks_usual(text, forms);
    tally.unusual += !usual;
    if (!repair_find(dialect, spoiled->data, spoiled->len, &repair))
        return;
    /* What is named is the form that the damage is in. */
    bool named = repair.form.start <= at && at <= repair.form.end;
    tally.named += named;
    if (!named && getenv("SHOW"))
        printf("NAMED %s at %zu, form %zu, said %zu\n", path, at, number, repair.form.start);
    if (!repair.known || !usual)
        return;
    tally.offered++;
    buf_clear(&show);
    buf_add(&show, spoiled->data, repair.old.at);
    buf_str(&show, repair.new);
    size_t behind = repair.old.at + repair.old.len;
    buf_add(&show, spoiled->data + behind, spoiled->len - behind);
    bool same = show.len == text->len && memcmp(show.data, text->data, text->len) == 0;
    tally.restored += same;
    struct forms now;
    if (!same && forms_read(dialect, show.data, show.len, &now)) {
        bool moved = now.fault.kind || now.n != forms->n;
        tally.elsewhere += moved;
        if (getenv("SHOW"))
            printf("%s %s at %zu: %zu %zu '%s'\n", moved ? "MOVED" : "OTHER", path, at,
                   repair.old.at, repair.old.len, repair.new);
        forms_free(&now);
    }
}

/* Damages the text of the file once; false if that is not possible. */
static bool damage_file(const char *path) {
    struct buf text = {0}, spoiled = {0};
    struct forms forms = {0}, broken = {0};
    bool done = false;
    if (!text_file_read(path, &text) || text.len == 0 || text.len > TEXT_MOST)
        goto end;
    enum dialect dialect = dialect_of(path, strlen(path), text.data, text.len);
    if (!dialect || !forms_read(dialect, text.data, text.len, &forms) || forms.fault.kind ||
        forms.unsure || forms.n < 2)
        goto end;
    for (int i = 0; i < TRIES && !done; i++) {
        size_t at = sample_number(&state) % text.len;
        int kind = (int)sample_below(&state, 3);
        if (kind != 1 && text.data[at] != '(' && text.data[at] != ')')
            continue;
        spoil(&text, at, kind, &spoiled);
        forms_free(&broken);
        if (!damages(dialect, &spoiled, &broken) || broken.fault.kind == FAULT_BROKEN)
            continue; /* in a string or a comment, or what it was in was one */
        done = true;
        tally.damaged++;
        tally.noticed += broken.fault.kind != FAULT_BALANCED;
        check_repair(path, dialect, &text, &spoiled, &forms, at);
    }
end:
    forms_free(&forms);
    forms_free(&broken);
    buf_free(&text);
    buf_free(&spoiled);
    return done;
}

int main(int argc, char **argv) {
    size_t wanted = argc > 1 ? (size_t)atol(argv[1]) : 1000, tries = 0;
    state = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while (name_count < FILES_MOST && (n = getline(&line, &room, stdin)) > 0) {
        line[n - 1] = '\0';
        names[name_count++] = strdup(line);
    }
    while (name_count > 0 && tally.damaged < wanted && tries++ < 4 * wanted)
        (void)damage_file(names[sample_number(&state) % name_count]);
    printf("DAMAGE %zu texts: noticed %zu, the form named %zu, %zu with forms that begin elsewhere "
           "than usual; of the others a correction offered for %zu, right %zu, moving forms %zu\n",
           tally.damaged, tally.noticed, tally.named, tally.unusual, tally.offered, tally.restored,
           tally.elsewhere);
    bool good = tally.damaged > 0 && tally.named * 100 >= tally.damaged * 99 &&
                tally.restored * 10 >= tally.offered * 9;
    printf("%d passed, %d failed\n", good, !good);
    for (size_t i = 0; i < name_count; i++)
        free(names[i]);
    free(line);
    buf_free(&show);
    return !good;
}

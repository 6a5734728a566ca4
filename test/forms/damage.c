/* SPDX-License-Identifier: MIT */
/* damage.c -- damage COUNT [SEED] <list-of-files: is a parenthesis too many or too few noticed?
 *
 * In each of COUNT texts of the files, one parenthesis or bracket is taken out, put in, or turned
 * round, as often each as the text has it.  It must be noticed, in the form that was damaged, and
 * where a correction is offered, it must give the text back. */
#include "forms.h"
#include "parts/text_file.h"
#include "repair.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 400000, TRIES = 400 };

/* For so many of a hundred texts there must be a correction; so many of a thousand may make other
 * forms of the text, which the message says. */
enum { OFFERED_LEAST = 75, MOVING_MOST = 2 };

static uint64_t state = 1;
static size_t damaged, noticed, unusual;

/* Of what was said, without the text that was there before and with it. */
static struct tally { size_t named, offered, restored, elsewhere; } new_file, changed_file;

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

struct sample {
    const char *path;
    enum dialect dialect;
    struct buf text, spoiled;
    struct forms forms;
    size_t at; /* where it was spoiled */
};

/* Brackets of lists, each beside its opposite. */
static const char *delimiters_of(enum dialect dialect) {
    return dialect == DIALECT_CLOJURE ? "()[]{}" : dialect == DIALECT_COMMON_LISP ? "()" : "()[]";
}

/* The delimiter at AT is taken out (KIND 0) or turned round (2), or BY is put in there (1). */
static void spoil(const struct sample *s, char by, int kind, struct buf *out) {
    const struct buf *text = &s->text;
    const size_t at = s->at;
    const char *all = delimiters_of(s->dialect), *own = strchr(all, text->data[at]);
    buf_clear(out);
    buf_add(out, text->data, at);
    if (kind == 1)
        buf_char(out, by);
    else if (kind == 2)
        buf_char(out, all[(own - all) ^ 1]);
    size_t behind = at + (kind != 1);
    buf_add(out, text->data + behind, text->len - behind);
}

/* Does the correction give the text back?  If not, does it make other forms of it? */
static bool check_correction(const struct sample *s, const struct repair *repair,
                             struct tally *tally) {
    const struct buf *text = &s->text, *spoiled = &s->spoiled;
    struct forms now;
    tally->offered++;
    buf_clear(&show);
    buf_add(&show, spoiled->data, repair->old.at);
    buf_str(&show, repair->new);
    size_t behind = repair->old.at + repair->old.len;
    buf_add(&show, spoiled->data + behind, spoiled->len - behind);
    bool same = show.len == text->len && memcmp(show.data, text->data, text->len) == 0;
    tally->restored += same;
    if (!same && forms_read(s->dialect, show.data, show.len, &now)) {
        tally->elsewhere += now.fault.kind || now.n != s->forms.n;
        forms_free(&now);
    }
    return same;
}

static void check_repair(const struct sample *s, struct span changed, struct tally *tally) {
    struct repair repair;
    if (!repair_find(s->dialect, s->spoiled.data, s->spoiled.len, changed, &repair))
        return;
    /* The named form is the damaged one. */
    bool named = repair.form.start <= s->at && s->at <= repair.form.end, right = true;
    tally->named += named;
    if (repair.known && looks_usual(&s->text, &s->forms))
        right = check_correction(s, &repair, tally);
    if (getenv("SHOW") && (!named || !right))
        printf("%s %s at %zu: %zu, %zu '%s'\n", named ? "OTHER" : "NAMED", s->path, s->at,
               repair.form.start, repair.old.at, repair.new);
}

/* Some lines about the one with the damage are new, if a change has brought it. */
static struct span lines_about(const struct buf *text, size_t at) {
    size_t line = linewise_start(text->data, at < text->len ? at : text->len);
    size_t from = linewise_above(text->data, line, (size_t)sample_below(&state, 6));
    size_t to = linewise_below(text->data, text->len, line, 1 + (size_t)sample_below(&state, 6));
    return (struct span){from, to - from};
}

/* Damages the text once in a way that KIND says; false if that is not possible. */
static bool damage_text(struct sample *s, int kind) {
    for (int i = 0; i < TRIES; i++) {
        struct forms broken = {0};
        s->at = sample_number(&state) % s->text.len;
        const char c = s->text.data[s->at];
        if (!c || !strchr(delimiters_of(s->dialect), c))
            continue;
        if (kind == 1)
            s->at = sample_number(&state) % s->text.len;
        spoil(s, c, kind, &s->spoiled);
        /* It may be in a string or a comment, or what it was in was one. */
        bool does = damages(s->dialect, &s->spoiled, &broken) && broken.fault.kind != FAULT_BROKEN;
        forms_free(&broken);
        if (does)
            return true;
    }
    return false;
}

/* Damages the text of the file, and looks at what is said of it. */
static void damage_file(const char *path) {
    struct sample s = {.path = path};
    bool ok = text_file_read(path, &s.text) && s.text.len > 0 && s.text.len <= TEXT_MOST;
    s.dialect = ok ? dialect_of(path, strlen(path), s.text.data, s.text.len) : DIALECT_NONE;
    ok = s.dialect && forms_read(s.dialect, s.text.data, s.text.len, &s.forms) &&
         !s.forms.fault.kind && !s.forms.unsure && s.forms.n >= 2;
    if (ok && damage_text(&s, (int)sample_below(&state, 3))) {
        struct forms broken = {0};
        damaged++;
        noticed += forms_read(s.dialect, s.spoiled.data, s.spoiled.len, &broken) &&
                   broken.fault.kind != FAULT_BALANCED;
        forms_free(&broken);
        unusual += !looks_usual(&s.text, &s.forms);
        check_repair(&s, (struct span){0, s.spoiled.len}, &new_file);
        check_repair(&s, lines_about(&s.spoiled, s.at), &changed_file);
    }
    forms_free(&s.forms);
    buf_free(&s.text);
    buf_free(&s.spoiled);
}

/* Prints what TALLY counts of texts that are as WHAT says, and answers whether it is enough. */
static bool judge(const char *what, const struct tally *tally) {
    printf("DAMAGE in %s: the form named in %zu; a correction offered for %zu, right %zu, moving "
           "forms %zu\n",
           what, tally->named, tally->offered, tally->restored, tally->elsewhere);
    return tally->named * 100 >= damaged * 99 && tally->restored * 10 >= tally->offered * 9 &&
           tally->offered * 100 >= (damaged - unusual) * OFFERED_LEAST &&
           tally->elsewhere * 1000 <= tally->offered * MOVING_MOST;
}

int main(int argc, char **argv) {
    size_t wanted = argc > 1 ? (size_t)atol(argv[1]) : 1000, tries = 0;
    state = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
    struct file_list list = file_list_read(stdin);
    while (list.n > 0 && damaged < wanted && tries++ < 4 * wanted)
        damage_file(list.names[sample_number(&state) % list.n]);
    printf(
        "DAMAGE %zu texts: noticed %zu; in %zu forms begin elsewhere than usual, and corrections "
        "of these do not count\n",
        damaged, noticed, unusual);
    bool good = damaged > 0 && noticed == damaged;
    good = judge("new files", &new_file) && good;
    good = judge("changed files", &changed_file) && good;
    printf("%d passed, %d failed\n", good, !good);
    file_list_free(&list);
    buf_free(&show);
    return !good;
}

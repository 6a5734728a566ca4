/* SPDX-License-Identifier: MIT */
/* agree.c -- agree WORD <lines: do we read Lisp files as their own readers do?
 *
 * A line is what a reader said of a file: its path, "ok" or "refused", and where each form begins
 * and ends, as offsets in bytes, with tabs between all of them.  A begin of -1 is one that the
 * reader does not tell.  Counts, and lists, the files that the reader takes and that are not
 * balanced for us, and those whose forms are elsewhere.  "any" in place of "ok" says that the file
 * is in use, so that it must be balanced, and that there is no reader to ask where its forms are.
 */
#include "dialect.h"
#include "forms.h"
#include "parts/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    size_t files, taken, refused, unsure, alarms, refusing, elsewhere, unread;
    size_t noticed; /* of the refused */
    size_t forms;
} tally;

static size_t line_of(const struct buf *text, size_t at) {
    size_t line = 1;
    for (size_t i = 0; i < at && i < text->len; i++)
        line += text->data[i] == '\n';
    return line;
}

/* Compares one offset of the reader's, at *SAID, with ours; false if there is none. */
static bool same_offset(char **said, size_t ours, bool *same) {
    char *word = strsep(said, "\t");
    if (!word || !*word)
        return false;
    long long offset = strtoll(word, NULL, 10);
    *same = offset < 0 || (size_t)offset == ours;
    return true;
}

/* The number of the first form that differs, or SIZE_MAX. */
static size_t first_elsewhere(const struct forms *forms, char *said) {
    for (size_t i = 0; i < forms->n; i++) {
        bool start = true, end = true;
        if (!same_offset(&said, forms->all[i].start, &start) ||
            !same_offset(&said, forms->all[i].end, &end) || !start || !end)
            return i;
    }
    return said && *said ? forms->n : SIZE_MAX;
}

static void compare_places(const char *path, const struct buf *text, const struct forms *forms,
                           char *said) {
    size_t differs = first_elsewhere(forms, said);
    tally.forms += forms->n;
    if (differs == SIZE_MAX)
        return;
    tally.elsewhere++;
    size_t at = differs < forms->n ? forms->all[differs].start : text->len;
    printf("ELSEWHERE %s:%zu form %zu of %zu%s%s\n", path, line_of(text, at), differs + 1, forms->n,
           forms->unsure ? ": " : "", forms->unsure ? forms->unsure : "");
}

static void compare(const char *path, const char *verdict, char *said) {
    struct buf text = {0};
    struct forms forms;
    if (!text_file_read(path, &text) || !text.data) {
        tally.unread++;
        buf_free(&text);
        return;
    }
    enum dialect dialect = dialect_of(path, strlen(path), text.data, text.len);
    if (dialect == DIALECT_NONE || !forms_read(dialect, text.data, text.len, &forms)) {
        tally.unread++;
        buf_free(&text);
        return;
    }
    tally.files++;
    tally.unsure += forms.unsure != NULL;
    if (strcmp(verdict, "refused") == 0) {
        tally.refused++;
        tally.noticed += forms.fault.kind || forms.unsure;
    } else if (forms.fault.kind) {
        tally.taken++;
        tally.alarms++;
        tally.refusing += !forms.unsure;
        printf("ALARM %s:%zu fault %d%s%s\n", path, line_of(&text, forms.fault.at),
               (int)forms.fault.kind, forms.unsure ? ": " : "", forms.unsure ? forms.unsure : "");
    } else {
        tally.taken++;
        if (strcmp(verdict, "ok") == 0)
            compare_places(path, &text, &forms, said);
    }
    forms_free(&forms);
    buf_free(&text);
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = '\0';
        char *said = line, *path = strsep(&said, "\t"), *verdict = strsep(&said, "\t");
        if (path && verdict)
            compare(path, verdict, said);
    }
    free(line);
    const char *word = argc > 1 ? argv[1] : "";
    printf("AGREE %s: %zu files; their reader takes %zu, with %zu forms; it refuses %zu, as do we "
           "or are not sure in %zu; %zu not to be compared\n",
           word, tally.files, tally.taken, tally.forms, tally.refused, tally.noticed, tally.unread);
    printf("AGREE %s: %zu false alarms, of which %zu refuse an edit; forms elsewhere in %zu files; "
           "not sure of %zu files\n",
           word, tally.alarms, tally.refusing, tally.elsewhere, tally.unsure);
    size_t differ = tally.refusing + tally.elsewhere;
    printf("%zu passed, %zu failed\n", tally.taken - tally.alarms - tally.elsewhere, differ);
    return differ > 0;
}

/* served.c -- a project, and a server that has opened it: see served.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "served.h"

#include "die.h"
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *options_of(const struct served *s) {
    return path_of("{\"root\": \"%s\", \"state_dir\": \"%s/state\"}", s->root, s->base);
}

void serve_project(struct served *s, const char *more) {
    s->far = far_greet("sexp", more);
    char *options = options_of(s);
    struct buf opened =
        far_answer(s->far, far_ask(s->far, FRAME_OPEN, 1, options, strlen(options)));
    if (!strstr(opened.data, ":root"))
        die("opening %s: %s", s->root, opened.data);
    buf_free(&opened);
    free(options);
}

uint64_t ask_far(struct served *s, enum frame_kind kind, const char *request) {
    char *text = strdup(request);
    if (!text)
        die_of("strdup");
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    uint64_t id = far_ask(s->far, kind, 1, text, strlen(text));
    free(text);
    return id;
}

bool answers(struct served *s, uint64_t id, const char *part) {
    struct buf answer = far_answer(s->far, id);
    bool has = strstr(answer.data ? answer.data : "", part) != NULL;
    if (!has)
        printf("  expected an answer with: %s\n           came: %.500s\n", part,
               answer.data ? answer.data : "");
    buf_free(&answer);
    return has;
}

const char *served_file(const struct served *s, const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", s->root, name);
    return path;
}

void make_needles(const struct served *s, int files, int lines) {
    struct buf text = {0};
    for (int i = 0; i < lines; i++)
        buf_printf(&text, "needle %d in a line that is long enough to fill a window soon\n", i);
    for (int i = 0; i < files; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "needles/%d.txt", i);
        make_file(served_file(s, name), text.data);
    }
    buf_free(&text);
}

bool ends_well(struct served *s) {
    int status = far_end(s->far);
    s->far = NULL;
    return status == 0;
}

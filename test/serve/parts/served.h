/* served.h -- a project, and a server that has opened it as workspace 1.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SERVE_SERVED_H
#define SERVE_SERVED_H

#include "far.h"

struct served {
    char *base; /* everything of this case */
    char *root; /* BASE/project: a.txt holds "one\ntwo\n" */
    struct far *far;
};

/* A case: 0, or the line of a CHILD_CHECK that failed. */
struct serve_case {
    const char *name; /* NULL ends a group */
    int (*run)(struct served *s);
};
extern const struct serve_case wrong_frame_cases[], answer_cases[], end_cases[], cut_cases[],
    command_cases[];

/* Says hello with MORE (far_greet) and opens the project. */
void serve_project(struct served *s, const char *more);
/* The options that open it. */
char *options_of(const struct served *s);
/* Asks workspace 1 for REQUEST, JSON with ' for ". */
uint64_t ask_far(struct served *s, enum frame_kind kind, const char *request);
/* Is PART in the answer to ID? */
bool answers(struct served *s, uint64_t id, const char *part);
/* The path of NAME in the project; valid until the next call. */
const char *served_file(const struct served *s, const char *name);
/* Makes files with LINES lines of "needle" each. */
void make_needles(const struct served *s, int files, int lines);
/* Ends the server; was its status 0? */
bool ends_well(struct served *s);

#endif

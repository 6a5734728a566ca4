/* SPDX-License-Identifier: MIT */
/* side.h -- the two sides of a row: asked, compared and timed. */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include "answer.h"
#include "process.h"
#include "rows.h"

#include <stdbool.h>

/* The programs that a row may be measured with. */
extern struct tools {
    const char *aqfs_call; /* the program that stands next to this one */
    const char *fd;        /* fd is called fdfind by Debian; NULL where there is none */
    const char *rg, *ugrep, *git;
    bool process; /* our side is a process a run, as rg and fd are */
    bool cold;    /* each run begins with nothing in the page cache */
} tools;

typedef struct side side;

struct side {
    const char *name;
    const char *directory;
    const char *const *argv; /* a process a run; or NULL: */
    server *server;          /* this one is asked */
    const char *request;
    answer (*answer)(const side *, run);
    answer (*of_reply)(const json_t *);
};

/* A row, and the side that ours is compared with in it. */
struct rival {
    const char *row;
    side side;
};

/* Timed runs print s-expressions, as for Emacs.  To read an answer here the
 * request is put once more, with a reply in JSON. */
json_t *our_reply(const char *directory, const char *request);
answer fd_answer(const side *s, run r);
/* Also of what ugrep prints, and git grep. */
answer rg_answer(const side *s, run r);

/* With ALL, also what is excluded by default, such as what git ignores. */
char *search_request(const char *pattern, bool all);
char *tree_request(void);
char *grep_request(const char *pattern, bool ignore_case, bool all);
/* Compares our answer to REQUEST with those of N rivals, which all look at the same directory, and
 * times them all in turns. */
void compare_ours(const char *request, answer (*of_reply)(const json_t *),
                  const struct rival *rivals, size_t n, double bound);
/* Empties the page cache; false where that is not permitted. */
bool drop_caches(void);

#endif

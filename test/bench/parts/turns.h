/* SPDX-License-Identifier: MIT */
/* turns.h -- two directories that are changed in turns, by us and by a peer. */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include "aqfs.h"
#include "rows.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { NAME = 4200 };

extern const char marker[];

extern const char changed[];

/* The trees that are changed in turns. */
extern struct sides {
    char ours[NAME], theirs[NAME]; /* directories */
    aqfs_workspace *ws;
} sides;

struct bytes {
    char *data;
    size_t n;
};

const char *in(const char *directory, const char *name);
struct bytes load(const char *path);
void write_all(int fd, const char *data, size_t n);

/* Lines of many kinds; the marker in the middle. */
void make_source(const char *directory, const char *name, size_t size);
void sync_path(const char *path);
void plain_edit(const char *directory, const char *name, bool back);
char *request_of(const char *op, json_t *args);
char *edit_request(const char *name, const char *from, const char *to);

/* WANTED is the error's code, or NULL for none. */
void call(const char *request, const char *wanted);

struct row {
    const char *name, *peer, *file;
    double bound;
    void (*ours)(const struct row *, bool back);
    void (*theirs)(const struct row *, bool back);
    char *there, *back; /* our requests */
};

bool same_on_both(const char *name);
void compare(const struct row *row);
void ours_by_request(const struct row *row, bool back);
void free_row(struct row *row);

#endif

/* SPDX-License-Identifier: MIT */
/* turns.c -- two directories that are changed in turns, by us and by a peer: see turns.h. */
#include "turns.h"

#include "die.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char marker[] = "the line to change is this one: 1\n";

const char changed[] = "the line to change is that one, which is longer: 2\n";

struct sides sides;

/* -- files ----------------------------------------------------------------------------------------
 */

const char *in(const char *directory, const char *name) {
    static char path[2][NAME + 64];
    static int turn;
    turn = !turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

struct bytes load(const char *path) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0)
        die_of(path);
    struct bytes b = {malloc((size_t)s.st_size + 1), (size_t)s.st_size};
    if (!b.data || read(fd, b.data, b.n) != (ssize_t)b.n)
        die_of(path);
    (void)close(fd);
    return b;
}

void write_all(int fd, const char *data, size_t n) {
    while (n > 0) {
        ssize_t wrote = write(fd, data, n);
        if (wrote <= 0)
            die_of("write");
        data += wrote;
        n -= (size_t)wrote;
    }
}

void make_source(const char *directory, const char *name, size_t size) {
    int fd = open(in(directory, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        die_of(name);
    bool marked = false;
    for (size_t n = 0, line = 0; n < size; line++) {
        if (!marked && n >= size / 2) {
            n += (size_t)fprintf(out, "%s", marker);
            marked = true;
        }
        n += (size_t)fprintf(out, "%*sstatic int value_%zu = %zu; /* of %s */\n",
                             (int)(line % 5) * 2, "", line, line * line % 977, name);
    }
    if (fflush(out) != 0 || fsync(fd) != 0 || fclose(out) != 0)
        die_of(name);
}

void sync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        die_of(path);
    (void)close(fd);
}

/* -- the plain way --------------------------------------------------------------------------------
 */

static struct bytes replaced(struct bytes old, const char *from, const char *to) {
    const char *at = memmem(old.data, old.n, from, strlen(from));
    if (!at)
        die_of("nothing to change");
    size_t before = (size_t)(at - old.data), from_n = strlen(from), to_n = strlen(to);
    struct bytes new = {malloc(old.n - from_n + to_n + 1), old.n - from_n + to_n};
    if (!new.data)
        die_of("memory");
    memcpy(new.data, old.data, before);
    memcpy(new.data + before, to, to_n);
    memcpy(new.data + before + to_n, at + from_n, old.n - before - from_n);
    return new;
}

void plain_edit(const char *directory, const char *name, bool back) {
    struct bytes old = load(in(directory, name));
    struct bytes new = replaced(old, back ? changed : marker, back ? marker : changed);
    const char *temp = in(directory, ".new");
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        die_of(temp);
    write_all(fd, new.data, new.n);
    if (fsync(fd) != 0 || close(fd) != 0 || rename(temp, in(directory, name)) != 0)
        die_of(temp);
    sync_path(directory);
    free(old.data);
    free(new.data);
}

/* -- our way --------------------------------------------------------------------------------------
 */

char *request_of(const char *op, json_t *args) {
    json_t *request =
        json_pack("{s:s, s:o, s:s}", "op", op, "args", args, "authority", "dangerous");
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!text)
        die_of("request");
    return text;
}

char *edit_request(const char *name, const char *from, const char *to) {
    return request_of("edit_file",
                      json_pack("{s:s, s:s, s:s}", "path", name, "old_str", from, "new_str", to));
}

void call(const char *request, const char *wanted) {
    aqfs_reply *reply = aqfs_call(sides.ws, request, strlen(request), NULL);
    const char *error = aqfs_reply_error(reply);
    if (wanted ? !error || strcmp(error, wanted) != 0 : error != NULL) {
        fprintf(stderr, "writes: %.2000s\n", aqfs_reply_text(reply, NULL));
        exit(2);
    }
    aqfs_reply_free(reply);
}

/* -- rows -----------------------------------------------------------------------------------------
 */

bool same_on_both(const char *name) {
    struct bytes a = load(in(sides.ours, name)), b = load(in(sides.theirs, name));
    bool same = a.n == b.n && memcmp(a.data, b.data, a.n) == 0;
    free(a.data);
    free(b.data);
    return same;
}

static double timed(void (*change)(const struct row *, bool), const struct row *row, bool back) {
    double start = now_ms();
    change(row, back);
    return now_ms() - start;
}

void compare(const struct row *row) {
    double ours[MOST_RUNS], theirs[MOST_RUNS];
    if (!wanted(row->name))
        return;
    row->ours(row, false);
    row->theirs(row, false);
    bool same = same_on_both(row->file);
    row->ours(row, true);
    row->theirs(row, true);
    same = same_on_both(row->file) && same;
    int runs = settings.runs + settings.runs % 2; /* as often there as back */
    for (int i = 0; i < runs; i++) {
        ours[i] = timed(row->ours, row, i % 2);
        theirs[i] = timed(row->theirs, row, i % 2);
    }
    print_row(row->name, median(ours, runs), row->peer, median(theirs, runs), row->bound, same);
}

void ours_by_request(const struct row *row, bool back) {
    call(back ? row->back : row->there, NULL);
}

void free_row(struct row *row) {
    free(row->there);
    free(row->back);
}

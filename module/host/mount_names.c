/* mount_names.c -- the names that a directory has beside its path, because something is mounted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mount_names.h"

#include "cleanup.h"
#include "path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOUNTS "/proc/self/mountinfo"

/* A line of it.  The texts are NUL-terminated, without trailing slash, "" for /. */
struct mount_line {
    uint64_t id;
    char device[32];
    char shown[PATH_BYTES_MAX + 1]; /* the directory of the file system that is the mount's root */
    char point[PATH_BYTES_MAX + 1]; /* where it is mounted */
};

static bool begins_with_octal(const char *text) {
    return strspn(text, "01234567") >= 3;
}

/* Puts the next word of *TEXT, in which a space is \040, into OUT; false if it has no room. */
static bool take_mount_word(char **text, char *out, size_t room) {
    size_t n = 0;
    char *at = *text + strspn(*text, " ");
    while (*at && *at != ' ' && *at != '\n' && n < room) {
        if (*at == '\\' && begins_with_octal(at + 1)) {
            out[n++] = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 4;
        } else {
            out[n++] = *at++;
        }
    }
    *text = at;
    out[n < room ? n : 0] = '\0';
    return n < room;
}

static void drop_slash(char *path) {
    size_t n = strlen(path);
    if (n > 0 && path[n - 1] == '/')
        path[n - 1] = '\0';
}

/* The line is `ID PARENT MAJOR:MINOR ROOT POINT ...`. */
static bool read_mount_line(char *text, struct mount_line *out) {
    char number[32];
    if (!take_mount_word(&text, number, sizeof number))
        return false;
    out->id = strtoull(number, NULL, 10);
    if (!take_mount_word(&text, number, sizeof number) ||
        !take_mount_word(&text, out->device, sizeof out->device) ||
        !take_mount_word(&text, out->shown, sizeof out->shown) ||
        !take_mount_word(&text, out->point, sizeof out->point) || out->point[0] != '/')
        return false;
    drop_slash(out->shown);
    drop_slash(out->point);
    return true;
}

/* Calls EACH for the mounts until it answers true. */
static void each_mount(bool (*each)(void *data, const struct mount_line *line), void *data) {
    AUTO_FREE char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(MOUNTS, "re");
    struct mount_line line;
    bool done = !file;
    while (!done && getline(&text, &room, file) > 0)
        done = read_mount_line(text, &line) && each(data, &line);
    if (file)
        (void)fclose(file);
}

struct mount_search {
    const char *path;
    uint64_t mount;
    bool found;
    struct mount_line own;
    char inner[2 * PATH_BYTES_MAX + 1]; /* the name inside the file system */
    struct buf *out;
};

static bool take_own_mount(void *data, const struct mount_line *line) {
    struct mount_search *s = data;
    size_t n = strlen(line->point);
    s->found = line->id == s->mount && path_is_below(s->path, strlen(s->path), line->point, n);
    if (s->found) {
        s->own = *line;
        (void)snprintf(s->inner, sizeof s->inner, "%s%s", line->shown, s->path + n);
    }
    return s->found;
}

static bool add_through_mount(void *data, const struct mount_line *line) {
    struct mount_search *s = data;
    size_t n = strlen(line->shown), before = s->out->len;
    if (strcmp(line->device, s->own.device) != 0 ||
        !path_is_below(s->inner, strlen(s->inner), line->shown, n))
        return false;
    buf_printf(s->out, "%s%s", line->point, s->inner + n);
    if (!s->out->failed && strcmp(s->out->data + before, s->path) == 0)
        s->out->len = before;
    else
        buf_char(s->out, '\0');
    return false;
}

void mount_names_add(const char *path, uint64_t mount, struct buf *out) {
    struct mount_search s = {.path = path, .mount = mount, .out = out};
    each_mount(take_own_mount, &s);
    if (!s.found)
        return;
    if (s.own.shown[0]) {
        buf_str(out, s.inner);
        buf_char(out, '\0');
    }
    each_mount(add_through_mount, &s);
}

/* path.h -- the spelling of paths: what is accepted, and how they are shown.
 *
 * A path is bytes.  It is shown as itself where it is valid UTF-8.  Otherwise,
 * or where it begins with a double quote or with ~/ and so would be taken for
 * something else, it is shown in git's quoted form, "a\377b".  The words for a
 * model (`:text`) and messages quote control and invisible characters too.
 * Every shown form is accepted back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATH_H
#define AQFS_PATH_H

#include "buf.h"
#include "error.h"

#define PATH_BYTES_MAX 4095
#define NAME_BYTES_MAX 255

/* The bytes a caller's TEXT stands for: quoted form undone, or else `~/` made HOME (may be NULL),
 * and the text gate passed: not empty, no NUL, within the length limits.  OUT has room for
 * PATH_BYTES_MAX + 1 and is NUL-terminated. */
int path_accept(const char *text, size_t n, const char *home, char *out, size_t *out_len,
                struct error *e);

/* Nothing but visible ASCII, no quote, backslash or tilde: what every form shows as it is.  A path
 * is plain when its parts are. */
bool path_is_plain(const char *bytes, size_t n);

/* The form for data: quoted only where it must be, to be accepted back as the same bytes. */
bool path_needs_quotes(const char *bytes, size_t n);
void path_show(struct buf *out, const char *bytes, size_t n);

/* The form for people and models: nothing invisible, nothing that acts on a terminal. */
void path_show_safe(struct buf *out, const char *bytes, size_t n);

/* The same as git writes it in a patch: quoted also where a quote or backslash is anywhere in it.
 */
void path_show_git(struct buf *out, const char *bytes, size_t n);

/* path_show_safe of at most 300 bytes, for messages, in a buffer of the caller's. */
#define PATH_LABEL 1300
const char *path_label(const char *bytes, size_t n, char label[PATH_LABEL]);

/* True when PATH is PREFIX or lies below it, component by component.  Both absolute or both
 * relative, without trailing slash; all is below "". */
bool path_is_below(const char *path, size_t n, const char *prefix, size_t prefix_n);

/* The part behind the last slash. */
const char *path_basename(const char *path);

/* Appends the names of PATH, without empty ones and `.`; with UP, `..` takes the last one off. */
void path_add_names(struct buf *out, const char *path, bool up);

/* Does PATH, of N >= 1 bytes, end in a way that only a directory can have: in `/` or in `/.`? */
bool path_ends_as_directory(const char *path, size_t n);

/* Is NAME `.` or `..`? */
bool path_is_dots(const char *name);

#endif

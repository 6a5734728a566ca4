/* path.h -- the spelling of paths: which are accepted, and how they are shown.
 *
 * A path is bytes.  A path of valid UTF-8 is shown as it is.  A path of other
 * bytes, or one that begins with a double quote or ~/ and would be read as
 * something else, is shown in git's quoted form, "a\377b".  The words for a
 * model (`:text`) and messages also quote control and invisible characters.
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

/* Decodes the path that a caller wrote as TEXT: undoes the quoted form, or else replaces the ~ of
 * `~/` with HOME (which may be NULL).  Refuses an empty path, a NUL, and a path or name that is too
 * long.  OUT has room for PATH_BYTES_MAX + 1 and is NUL-terminated. */
int path_accept(const char *text, size_t n, const char *home, char *out, size_t *out_len,
                struct error *e);

/* Is it all visible ASCII without quote, backslash and tilde, which every form shows as it is?  A
 * path is plain when its parts are. */
bool path_is_plain(const char *bytes, size_t n);

/* The form for data: quoted only where path_accept would otherwise read other bytes. */
bool path_needs_quotes(const char *bytes, size_t n);
void path_show(struct buf *out, const char *bytes, size_t n);

/* Is the character invisible, or does it move others: a control, any space but U+0020, a bidi
 * control, a joiner, a filler, a selector or a tag? */
bool path_is_deceptive(int32_t code_point);

/* The form for people and models: escapes what is invisible and what acts on a terminal. */
void path_show_safe(struct buf *out, const char *bytes, size_t n);

/* The form that git writes in a patch: path_show_safe, but quoted also when a quote or backslash
 * stands anywhere in the path. */
void path_show_git(struct buf *out, const char *bytes, size_t n);

/* path_show_safe of the first 300 bytes, for messages, in the caller's buffer LABEL. */
#define PATH_LABEL 1300
const char *path_label(const char *bytes, size_t n, char label[PATH_LABEL]);

/* Is PATH equal to PREFIX or below it, component by component?  Both are absolute or both relative,
 * without a trailing slash.  Every path is below "". */
bool path_is_below(const char *path, size_t n, const char *prefix, size_t prefix_n);

/* The part after the last slash. */
const char *path_basename(const char *path);

/* Appends "/NAME" for each component of PATH except empty ones and `.`.  With UP, `..` removes the
 * last name from OUT. */
void path_add_names(struct buf *out, const char *path, bool up);

/* Does PATH (N >= 1 bytes) end in `/` or `/.`, as only the path of a directory can? */
bool path_ends_as_directory(const char *path, size_t n);

/* Is `..` among the components of PATH? */
bool path_has_dotdot(const char *path);

/* Is NAME `.` or `..`? */
bool path_is_dots(const char *name);

/* Is PATH, which is relative, of names alone, none of them empty, `.` or `..`?  What we wrote to
 * the state directory is, and rules expect nothing else. */
bool path_is_canonical(const char *path);

#endif

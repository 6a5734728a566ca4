/* secret.h -- places that hold secrets: a model's reading of one is asked about.
 *
 * A place is secret by its own name and those of the directories above it, by any
 * name that the caller's path had on the way (passed.h), and because a secret
 * name leads to it: as another name of the same file, or as a link.  Names are
 * compared folded (folded_name.h).  A workspace has the built-in list
 * (secret_names.h) unless the option secret_paths replaces it.
 *
 * A program's own reading of a secret is not asked about, and nothing is hidden:
 * listings name secrets.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SECRET_H
#define AQFS_SECRET_H

#include "secret_names.h"
#include "work.h"

/* The secrets of a workspace, which has them as ws->secrets: NULL if there are none. */
struct secrets;

struct secrets *secrets_new(void); /* NULL without memory */
void secrets_free(struct secrets *s);

/* Adds the built-in list. */
void secrets_add_built_in(struct secrets *s);

/* An entry of secret_paths. */
struct secret_entry {
    bool exempts;  /* what it names is not secret, whatever other entries say */
    bool is_path;  /* it is an absolute path, and not a name */
    bool is_plain; /* the characters * and ? in it mean themselves */
};

/* Adds the entry KIND with TEXT: the file or directory, with all below it.  The errors of
 * glob_compile, which do not name the entry. */
int secrets_add(struct secrets *s, struct secret_entry kind, const char *text, size_t n,
                struct error *e);

/* Why ROOT/PATH is secret by its name, or NULL. */
const struct secret_group *secret_by_path(const struct aqfs_workspace *ws, const struct root *root,
                                          const char *path, bool is_directory);

/* The reason that a secret name leads to the same file. */
extern const struct secret_group secret_elsewhere;

/* Why the place is secret, which INFO describes, or NULL. */
const struct secret_group *secret_of_place(struct work *work, const struct place *place,
                                           const struct info *info);

/* -- what has a secret name as well: secret_twins.c ------------------------------------------- */

/* Looks where the secret names in the roots lead, unless that was done a moment ago, and INFO,
 * which may be NULL, has got no name since.  The errors of walk_run. */
int secret_twins_look(struct work *work, const struct info *info);

/* Answers by the last look: is the place one that a link of a secret name leads to, or below
 * it; has the file INFO such a name? */
bool secret_twins_lead_to(const struct aqfs_workspace *ws, const struct place *place);
bool secret_twins_have(const struct aqfs_workspace *ws, const struct info *info);

/* The same of INFO, and true where the last look cannot tell: it left something out, or INFO may
 * have got a name since. */
bool secret_twins_may_have(const struct aqfs_workspace *ws, const struct info *info);

/* Did the last look leave out a part of the roots, so that a name may be unknown? */
bool secret_twins_are_cut(const struct aqfs_workspace *ws);

#endif

/* protected_names.h -- the names that programs obey, with the reasons.
 *
 * This is the one list of them: doc/protected.org is written from it, by way of
 * the catalogue.  It names what a program obeys without being told to, such as
 * when a directory is entered, a file visited, or a shell started.  Files that are run
 * because somebody asks for a build or a test (Makefile, package.json, *.asd,
 * conftest.py) are not in it: they are a project's own text, and edited all day.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PROTECTED_NAMES_H
#define AQFS_PROTECTED_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum protected_group_number {
    OF_SHELLS,
    OF_ENVIRONMENTS,
    OF_EMACS,
    OF_COMPILED,
    OF_LISPS,
    OF_EDITORS,
    OF_DEBUGGERS,
    OF_AGENTS,
    OF_VERSIONS,
    OF_SERVERS,
    OF_PACKAGES,
    OF_TOOLS,
    PROTECTED_GROUP_COUNT
};

struct protected_group {
    const char *program, *reason;
};
extern const struct protected_group protected_groups[PROTECTED_GROUP_COUNT];

/* Instead of the directory above: the name counts at the top of a root. */
#define PROTECTED_ON_TOP "/"

struct protected_name {
    const char *name;  /* in lower case; of a directory, it protects all below it */
    const char *above; /* the name of the directory in which it counts; NULL: any */
    enum protected_group_number group;
};
extern const struct protected_name protected_names[], protected_endings[];
extern const size_t protected_name_count, protected_ending_count;

/* Is NAME protected in a directory called ABOVE?  Both are folded (protect.c).  IS_TOP: it is the
 * first name below a root. */
bool is_protected_name(const char *name, const char *above, bool is_top);

#endif

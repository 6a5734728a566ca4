/* git_reach.h -- what git obeys of a repository that does not lie in the repository's directory.
 *
 * `.git/hooks` may be a link to a directory of the project, or have one mounted on it, and the
 * configuration may say where hooks are.  Then a file of the project is run by git, and its own
 * name does not tell.  So the repositories are looked at that a target belongs to: those
 * whose working tree begins in a directory above it, up to /.
 *
 * The findings are used for a second, or for twenty times as long as it took to find them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GIT_REACH_H
#define AQFS_GIT_REACH_H

struct git_reach;
void git_reach_free(struct git_reach *reach); /* NULL is allowed */

/* host_git_reaches, of host.h, asks. */

#endif

/* server.h -- the Model Context Protocol on two descriptors, for one workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SERVER_H
#define AQFS_SERVER_H

#include "settings.h"

/* Serves until IN ends or nobody reads OUT any more; SIGTERM, SIGINT and SIGHUP end it, too.  Says
 * on stderr what goes wrong.  Returns the status for exit: 0, or 2 if it could not begin. */
int server_run(const struct settings *settings, int in, int out);

#endif

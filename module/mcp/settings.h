/* settings.h -- what the command line says about a server.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SETTINGS_H
#define AQFS_SETTINGS_H

#include "reply.h"

#include <jansson.h>
#include <stdbool.h>

struct settings {
    json_t *options;     /* of the workspace, as aqfs_open takes them */
    enum tier authority; /* what is above is asked about, or refused */
    const char *tools;   /* names of sets and tools, with commas between */
    bool text_only;      /* no structured content */
    const char *audit;   /* the file that calls are written to; NULL for none */
    bool emacs;          /* a running Emacs makes the calls; authority and audit are its own */
    const char *socket;  /* on which it serves; NULL where it is to be found */
};

#endif

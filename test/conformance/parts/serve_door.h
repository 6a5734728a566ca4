/* SPDX-License-Identifier: MIT */
/* serve_door.h -- the conformance table through `agent-q-fs serve`, over a pipe. */
#ifndef CONFORMANCE_SERVE_DOOR_H
#define CONFORMANCE_SERVE_DOOR_H

#include <stdbool.h>

/* From now on, the calls of perform.h are made by a server of each format. */
void serve_door_begin(void);
/* Ends them; false, with a word, if one of them did not end well. */
bool serve_door_end(void);

#endif

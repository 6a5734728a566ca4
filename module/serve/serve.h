/* serve.h -- the core at the far end of a connection: `agent-q-fs serve`.
 *
 * Both ends speak in frames (frame_reader.h).  The server says `hello` first, so whatever a shell
 * prints before it can be told apart; the client answers with its own.  Then it asks.  ID is a
 * number of the client's for what it asks, and WORKSPACE another one, for a workspace:
 *
 *     hello 0 0        {"protocol": 1, "format": "sexp" or "json" (for replies), "window": bytes,
 *                      "keep_alive": seconds of silence after which the server ends; 0: never,
 *                      "client": 32 hexadecimal digits, the same when it connects again: then
 *                      nothing is opened before the server that it had has ended.
 *                      That one is told to end if it does not by itself,
 *                      "deflate": true if it takes answers that are deflated}
 *     version ID 0     aqfs_version; catalogue ID 0: aqfs_catalogue
 *     open ID WORKSPACE     options; what is asked of WORKSPACE meanwhile waits for it
 *     call ID WORKSPACE     a request of aqfs.h; stream: the same, with an emit
 *     reset, close ID WORKSPACE
 *     run ID N         a command, by agent-q-fs-run, which lies beside this program.
 *                      The payload begins with N bytes of names of variables, a line
 *                      each, that it has as they are here; NAME* stands for many.
 *                      Then come records for that program, behind its version.  Its own
 *                      records come as items, cut anywhere, and then an empty reply
 *     input ID 0       more records for it; none: no more come, and it is killed
 *     input ID 1       the command is asked to end, and killed a moment later
 *     cancel ID 0      the call ends soon, and the rest of its answer may come at once
 *     more ID N        N more bytes of the answer to ID may come; the hello's window is the first N
 *     ping ID 0        answered at once by pong ID 0
 *     bye 0 0          no more is asked: answered by bye when all is done, and the server ends
 *
 * Many may be under way at once.  Answers come in pieces, and the pieces of many in turns, so a
 * long answer is never in the way of a short one:
 *
 *     item ID LAST     a piece of a datum that a stream emits; LAST is 1 for its last piece, and 2
 *                      if the pieces together are the datum deflated (deflated.h)
 *     reply ID LAST    a piece of the reply.  With the last one, ID may be used again.  A long
 *                      reply is sent while it is written; if the call fails then, LAST is 3: what
 *                      came of the reply is void, and that of an error comes
 *     error ID 0       {"error": NAME, "message": words}: what was asked by ID is not done.  With
 *                      ID 0, the connection ends
 *
 * When the connection ends, or this server, commands are killed, with all that they have started.
 * When the connection ends, calls are cancelled: what a commit has begun is finished or undone.  A
 * client that names its calls ("call" in the request), and connects again under its own name, finds
 * by changes_list which of them were done; the others were not, and will not be.  Where the server
 * itself was killed, all listed calls were done, and one that is not listed may have been.  It was
 * not if a plan of the same call has the digest that was committed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SERVE_H
#define AQFS_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#define SERVE_PROTOCOL 1

#define SERVE_FRAME_BYTES ((size_t)64 << 20) /* the most bytes of a frame to the server */
#define SERVE_PIECE_BYTES ((size_t)16 << 10) /* the most bytes of a frame of an answer */
#define SERVE_WINDOW ((size_t)1 << 20)       /* where the client says nothing else */
#define SERVE_MOST_JOBS 64                   /* under way at once */
#define SERVE_MOST_BYTES ((size_t)256 << 20) /* of all requests under way */
#define SERVE_MOST_WORKSPACES 64

/* LAST, of a piece of an answer. */
enum piece_end { PIECE_GOES_ON, PIECE_ENDS, PIECE_ENDS_DEFLATED, PIECE_VOID };

static inline bool piece_is_last(enum piece_end end) {
    return end == PIECE_ENDS || end == PIECE_ENDS_DEFLATED;
}

/* The client is told this of the person whose process it is; either may be NULL. */
struct serve_place {
    const char *home, *state_dir;
};

/* Serves until the connection ends.  Returns the status for exit: 0, or 2 after saying on stderr
 * what is wrong. */
int serve_run(const struct serve_place *place, int in, int out);

#endif

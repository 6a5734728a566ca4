/* far.h -- the built program `agent-q-fs serve`, spoken to in frames through pipes.
 *
 * A failure of the pipes ends the program (die.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_FAR_H
#define TEST_FAR_H

#include "frame_reader.h"
#include "mcp_client.h"

struct far_frame {
    struct far_frame *next;
    struct frame_head head;
    struct buf payload;
};

struct far {
    struct mcp *pipes;
    struct frame_reader reader;
    struct far_frame *come, *held; /* what has come; what far_answer left for others, in order */
    struct buf chatter;            /* what a login printed before the server spoke */
    bool heard;                    /* the server has spoken */
    bool has_room;                 /* the window takes all: no more is given */
    bool says_bye;                 /* far_end ends it so */
    uint64_t next_id;
    bool ended; /* the server writes no more */
};

/* Starts a server, without a word to it. */
struct far *far_start(void);
/* The same, and says hello with MORE, such as ", \"window\": 5", or "". */
struct far *far_greet(const char *format, const char *more);

void far_send(struct far *f, enum frame_kind kind, uint64_t id, uint64_t argument,
              const char *payload);
void far_send_bytes(struct far *f, enum frame_kind kind, uint64_t id, uint64_t argument,
                    const char *payload, size_t n);

/* The next frame, for far_frame_free; NULL at the end of what the server writes. */
struct far_frame *far_receive(struct far *f);
void far_frame_free(struct far_frame *frame);

/* Asks, and returns its id. */
uint64_t far_ask(struct far *f, enum frame_kind kind, uint64_t workspace, const char *payload,
                 size_t n);
/* The next frame for ID; what comes for others meanwhile is kept for them. */
struct far_frame *far_frame_for(struct far *f, uint64_t id);
/* The reply to ID, whose pieces it has come as they like; of an error frame, its payload. */
struct buf far_answer(struct far *f, uint64_t id);

/* Ends what the server reads, drops what it still says, and returns its status as waitpid has it.
 */
int far_end(struct far *f);

#endif

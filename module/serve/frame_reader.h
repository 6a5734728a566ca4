/* frame_reader.h -- frames: how the two ends of `agent-q-fs serve` speak, read from a stream of
 * bytes.
 *
 *     KIND ID ARGUMENT LENGTH\n      KIND of lower-case letters, three decimal numbers
 *     LENGTH bytes\n
 *
 * A frame may come in any number of pieces, and one piece may hold many frames.  Bytes that are no
 * frame end the connection: behind them, nobody knows where the next one begins.  serve.h says what
 * the kinds mean.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FRAME_READER_H
#define AQFS_FRAME_READER_H

#include "buf.h"

/* X(constant, name) */
#define FRAME_KINDS(X)                                                                             \
    X(HELLO, "hello")                                                                              \
    X(VERSION, "version")                                                                          \
    X(CATALOGUE, "catalogue")                                                                      \
    X(OPEN, "open")                                                                                \
    X(CALL, "call")                                                                                \
    X(STREAM, "stream")                                                                            \
    X(RESET, "reset")                                                                              \
    X(CLOSE, "close")                                                                              \
    X(CANCEL, "cancel")                                                                            \
    X(MORE, "more")                                                                                \
    X(PING, "ping")                                                                                \
    X(BYE, "bye")                                                                                  \
    X(RUN, "run")                                                                                  \
    X(INPUT, "input")                                                                              \
    X(ITEM, "item")                                                                                \
    X(REPLY, "reply")                                                                              \
    X(PONG, "pong")                                                                                \
    X(ERROR, "error")

#define X(constant, name) FRAME_##constant,
enum frame_kind { FRAME_KINDS(X) FRAME_UNKNOWN };
#undef X

#define FRAME_HEAD_BYTES 64 /* the most bytes of KIND ID ARGUMENT LENGTH */
#define FRAME_DIGITS 15     /* the most digits of a number: it is exact in any language */

struct frame_head {
    enum frame_kind kind;
    uint64_t id, argument;
    size_t length;
};

struct frame_reader {
    size_t most; /* the most bytes of a payload */
    char text[FRAME_HEAD_BYTES];
    size_t text_n;
    struct frame_head head;
    bool in_payload;
    struct buf payload;
    const char *fault; /* the name of what is wrong with the stream, or NULL */
};

/* Takes a frame.  PAYLOAD has a NUL behind it where it is not empty; what is left in it is freed.
 */
typedef void frame_handler(void *data, const struct frame_head *head, struct buf *payload);

/* False from the first fault on: then nothing more is taken. */
bool frame_reader_feed(struct frame_reader *r, const char *bytes, size_t n, frame_handler *handle,
                       void *data);
void frame_reader_free(struct frame_reader *r);

/* Does the stream end between two frames? */
bool frame_reader_is_between(const struct frame_reader *r);

/* Appends a frame. */
void frame_print(struct buf *out, enum frame_kind kind, uint64_t id, uint64_t argument,
                 const char *payload, size_t n);

#endif

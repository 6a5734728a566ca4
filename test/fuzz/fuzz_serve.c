/* SPDX-License-Identifier: MIT */
/* fuzz_serve.c -- any bytes from a client: the server ends, and nothing is left of them.  Commands
 * are run by a program that says again what it is told: see run. */
#include "fuzz.h"

#include "connection.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MOST 200 /* the most bytes of a payload */

/* The connection takes the bytes as its threads do, and is ended as one whose client is gone. */
static void serve_bytes(const char *bytes, size_t n, bool greeted, bool deflates) {
    static const char options[] = "{\"backend\": \"memory\", \"limits\": {\"threads\": 1}}";
    static const struct serve_place place = {NULL, NULL};
    struct connection c;
    static int null = -1;
    null = null < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : null;
    connection_begin(&c, &place, null);
    c.reader.most = MOST;
    c.deflates = deflates;
    PROMISE(sending_begin(&c));
    if (greeted) {
        struct buf payload = {0};
        struct frame_head head = {.kind = FRAME_OPEN, .id = 1, .argument = 1};
        c.greeted = true;
        buf_add(&payload, options, sizeof options - 1);
        connection_take(&c, &head, &payload);
        buf_free(&payload);
    }
    (void)frame_reader_feed(&c.reader, bytes, n, connection_take, &c);
    PROMISE(jobs_end(&c, false, 60));
    PROMISE(sending_end(&c, 60));
    PROMISE(c.job_count == 0 || c.leaving || c.unsent_bytes == 0);
    connection_free(&c);
    PROMISE(c.job_count == 0 && c.request_bytes == 0 && c.unsent_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    serve_bytes((const char *)data + 1, size - 1, data[0] & 1, data[0] & 2);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* fuzz_serve.c -- any bytes from a client: frames are read alike in whatever pieces they come, what
 * is printed is read back, and the server ends with nothing left of them. */
#include "fuzz.h"

#include "connection.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MOST 200 /* the most bytes of a payload */

/* Appends each frame as it would be printed. */
static void print_again(void *out, const struct frame_head *head, struct buf *payload) {
    PROMISE(payload->len == head->length && head->length <= MOST);
    PROMISE(head->id < 1000000000000000 && head->argument < 1000000000000000);
    if (head->kind == FRAME_UNKNOWN)
        buf_str(out, "(unknown)\n");
    else
        frame_print(out, head->kind, head->id, head->argument, payload->data, payload->len);
}

static struct buf read_in_pieces(const char *bytes, size_t n, size_t piece) {
    struct frame_reader r = {.most = MOST};
    struct buf out = {0};
    bool good = true;
    for (size_t at = 0; at < n && good; at += piece) {
        size_t part = n - at < piece ? n - at : piece;
        good = frame_reader_feed(&r, bytes + at, part, print_again, &out);
    }
    PROMISE(good == !r.fault);
    buf_str(&out, r.fault ? r.fault : frame_reader_is_between(&r) ? "between" : "within");
    frame_reader_free(&r);
    return out;
}

/* What was printed for frames is read as the same again; behind them stands no frame. */
static void check_read_back(const struct buf *printed) {
    struct frame_reader r = {.most = MOST};
    struct buf again = {0};
    (void)frame_reader_feed(&r, printed->data, printed->len, print_again, &again);
    PROMISE(!again.len || memcmp(again.data, printed->data, again.len) == 0);
    buf_free(&again);
    frame_reader_free(&r);
}

/* The connection takes the bytes as its threads do, and is ended as one whose client is gone. */
static void serve_bytes(const char *bytes, size_t n, bool greeted) {
    static const char options[] = "{\"backend\": \"memory\", \"limits\": {\"threads\": 1}}";
    static const struct serve_place place = {NULL, NULL};
    struct connection c;
    static int null = -1;
    null = null < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : null;
    connection_begin(&c, &place, null);
    c.reader.most = MOST;
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
    const char *bytes = (const char *)data + 2;
    size_t n = size - 2;
    struct buf whole = read_in_pieces(bytes, n, n + 1);
    struct buf pieces = read_in_pieces(bytes, n, 1 + data[0] % 16);
    PROMISE(whole.len == pieces.len && memcmp(whole.data, pieces.data, whole.len) == 0);
    check_read_back(&whole);
    buf_free(&whole);
    buf_free(&pieces);
    serve_bytes(bytes, n, data[1] & 1);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* fuzz_frame.c -- frames are read alike in whatever pieces they come, and what is printed for them
 * is read as the same again. */
#include "fuzz.h"

#include "frame_reader.h"

#include <string.h>

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

/* Printed frames are read as the same again; behind them stands no frame. */
static void check_read_back(const struct buf *printed) {
    struct frame_reader r = {.most = MOST};
    struct buf again = {0};
    (void)frame_reader_feed(&r, printed->data, printed->len, print_again, &again);
    PROMISE(!again.len || memcmp(again.data, printed->data, again.len) == 0);
    buf_free(&again);
    frame_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    const char *bytes = (const char *)data + 1;
    size_t n = size - 1;
    struct buf whole = read_in_pieces(bytes, n, n + 1);
    struct buf pieces = read_in_pieces(bytes, n, 1 + data[0] % 16);
    PROMISE(whole.len == pieces.len && memcmp(whole.data, pieces.data, whole.len) == 0);
    check_read_back(&whole);
    buf_free(&whole);
    buf_free(&pieces);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* fuzz_runner.c -- no request makes the runner of commands do what it should not, and a record
 * that was read is the one that was written. */
#include "command.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *bytes = (const char *)data;
    struct command command = {.understood = size > 0 && bytes[0] != 'v'};
    struct buf again = {0};
    ssize_t n;
    for (struct record r; size > 0 && (n = record_read(bytes, size, &r)) > 0;) {
        PROMISE((size_t)n <= size && r.body + r.length == bytes + n);
        uint64_t numbers[2];
        (void)record_numbers(&r, 2, numbers);
        buf_clear(&again);
        record_add(&again, r.word, r.body, r.length);
        struct record same;
        PROMISE(record_read(again.data, again.len, &same) == (ssize_t)again.len);
        PROMISE(same.length == r.length && memcmp(same.body, r.body, r.length) == 0);
        (void)command_take(&command, &r);
        PROMISE(!command.ready || (command.words.at[0][0] == '/' && command.directory[0] == '/'));
        PROMISE(!command.ready || command.keep > 0);
        bytes += n;
        size -= (size_t)n;
    }
    buf_free(&again);
    command_free(&command);
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include "output.h"

#include "unity.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct stream stream;
static struct buf records;
static int writer;

void setUp(void) {
    int ends[2];
    TEST_ASSERT_EQUAL_INT(0, pipe2(ends, O_CLOEXEC | O_NONBLOCK));
    writer = ends[1];
    stream = (struct stream){.fd = ends[0], .word = "out", .credit = 10, .keep = 8};
    records = (struct buf){0};
}

void tearDown(void) {
    (void)close(writer);
    stream_close(&stream);
    buf_free(&records);
}

static void comes(const char *text) {
    TEST_ASSERT_EQUAL_INT(strlen(text), write(writer, text, strlen(text)));
    TEST_ASSERT_TRUE(stream_read(&stream, &records));
}

static void told(const char *text) {
    TEST_ASSERT_EQUAL_STRING(text, records.len ? records.data : "");
    buf_clear(&records);
}

void test_output__passes_what_the_owner_takes(void) {
    comes("12345");
    told("out 5\n12345");
    comes("6789012345");
    told("out 5\n67890");
    stream_flush(&stream, &records, false);
    told("");
    stream.credit += 100;
    stream_flush(&stream, &records, false);
    told("out 5\n12345");
    TEST_ASSERT_EQUAL_UINT64(95, stream.credit);
}

void test_output__keeps_the_end_and_counts_the_rest(void) {
    comes("0123456789abcdef");
    told("out 10\n0123456789");
    comes("gh");
    comes("ij");
    told("");
    stream_flush(&stream, &records, true);
    told("lost 5\nout 2out 8\ncdefghij");
    comes("0123456789012345678901");
    stream_flush(&stream, &records, true);
    told("lost 6\nout 14out 8\n45678901");
}

/* Later output never overtakes kept output. */
void test_output__keeps_the_order(void) {
    comes("0123456789ab");
    told("out 10\n0123456789");
    stream.credit = 100;
    comes("cd");
    told("");
    stream_flush(&stream, &records, false);
    told("out 4\nabcd");
}

void test_output__ends(void) {
    TEST_ASSERT_FALSE(stream_read(&stream, &records));
    TEST_ASSERT_TRUE(stream.fd >= 0);
    (void)close(writer);
    TEST_ASSERT_FALSE(stream_read(&stream, &records));
    TEST_ASSERT_EQUAL_INT(-1, stream.fd);
    TEST_ASSERT_FALSE(stream_read(&stream, &records));
    stream_flush(&stream, &records, true);
    told("");
    writer = -1;
}

/* SPDX-License-Identifier: MIT */
#include "waking.h"

#include "unity.h"

#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

void setUp(void) {
}

void tearDown(void) {
}

static int polled(int fd) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    return poll(&ready, 1, 0);
}

/* Also one that is full, without waiting for somebody to read it. */
void test_waking__makes_it_readable(void) {
    const uint64_t almost = UINT64_MAX - 1;
    uint64_t count = 0;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    TEST_ASSERT_EQUAL_INT(0, polled(fd));
    wake_poller(fd);
    wake_poller(fd);
    TEST_ASSERT_EQUAL_INT(1, polled(fd));
    TEST_ASSERT_EQUAL_INT(sizeof count, read(fd, &count, sizeof count));
    TEST_ASSERT_EQUAL_UINT64(2, count);
    TEST_ASSERT_EQUAL_INT(sizeof almost, write(fd, &almost, sizeof almost));
    wake_poller(fd);
    TEST_ASSERT_EQUAL_INT(1, polled(fd));
    (void)close(fd);
}

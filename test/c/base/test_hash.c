/* SPDX-License-Identifier: MIT */
#include "hash.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 1000000

/* Byte i is (i * 7 + 3) mod 251, so that no two blocks are alike.  Known answers:
 *
 * ~     python3 -c 'import sys; n = int(sys.argv[1])
 * ~     sys.stdout.buffer.write(bytes((i * 7 + 3) % 251 for i in range(n)))' N | b2sum -l 128 */
static const struct {
    size_t n;
    const char *hex;
} known[] = {
    {0, "cae66941d9efbd404e4d88758ea67670"},       {1, "71b186b851e866e71be237342976049a"},
    {127, "617dce9b2c7c19b5f6c550ff584a92ca"},     {128, "120af2bd1ed97928449907294e27fbf5"},
    {129, "88f87d5ece4a9173c174a8d9941e9cc7"},     {255, "68301462a1d5e7ebf6a9470ef1e58e1b"},
    {256, "1c828fcda994e89832ba3faf8c2f3ed2"},     {257, "569e7e913553b1337d699c2ebf30a5a7"},
    {1000000, "b83fb0beddd940cf3f8013de0673db53"},
};

static unsigned char *bytes;

void setUp(void) {
    bytes = malloc(LONGEST);
    TEST_ASSERT_NOT_NULL(bytes);
    for (size_t i = 0; i < LONGEST; i++)
        bytes[i] = (unsigned char)((i * 7 + 3) % 251);
}

void tearDown(void) {
    free(bytes);
}

static void check_in_chunks(size_t n, size_t chunk, const char *expected) {
    struct hash h;
    char hex[HASH_HEX];
    hash_start(&h);
    for (size_t at = 0; at < n; at += chunk)
        hash_add(&h, bytes + at, chunk < n - at ? chunk : n - at);
    hash_end(&h, hex);
    TEST_ASSERT_EQUAL_STRING(expected, hex);
}

void test_hash__known_answers(void) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        check_in_chunks(known[i].n, LONGEST, known[i].hex);
}

void test_hash__split_in_chunks(void) {
    const size_t chunks[] = {1, 3, 64, 127, 128, 129, 255, 256, 257, 4099, 65536};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (size_t j = 0; j < sizeof chunks / sizeof *chunks; j++)
            check_in_chunks(known[i].n, chunks[j], known[i].hex);
    }
}

void test_hash__split_anywhere(void) {
    const size_t n = 300;
    struct hash h;
    char whole[HASH_HEX], parts[HASH_HEX];
    hash_start(&h);
    hash_add(&h, bytes, n);
    hash_end(&h, whole);
    for (size_t cut = 0; cut <= n; cut++) {
        hash_start(&h);
        hash_add(&h, bytes, cut);
        hash_add(&h, "", 0);
        hash_add(&h, bytes + cut, n - cut);
        hash_end(&h, parts);
        TEST_ASSERT_EQUAL_STRING(whole, parts);
    }
}

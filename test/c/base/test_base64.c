/* SPDX-License-Identifier: MIT */
#include "base64.h"

#include "unity.h"

#include <string.h>

static void check(const char *bytes, const char *text) {
    struct buf encoded = {0}, decoded = {0};
    struct error e;
    base64_encode(&encoded, bytes, strlen(bytes));
    TEST_ASSERT_EQUAL_UINT64(strlen(text), encoded.len);
    TEST_ASSERT_EQUAL_STRING(text, encoded.data);
    TEST_ASSERT_EQUAL_UINT64(strlen(text), BASE64_LENGTH(strlen(bytes)));

    TEST_ASSERT_EQUAL(AQFS_OK, base64_decode(&decoded, text, strlen(text), &e));
    TEST_ASSERT_EQUAL_UINT64(strlen(bytes), decoded.len);
    TEST_ASSERT_EQUAL_MEMORY(bytes, decoded.data, decoded.len + 1);
    buf_free(&encoded);
    buf_free(&decoded);
}

void test_base64__vectors_of_rfc_4648(void) {
    check("", "");
    check("f", "Zg==");
    check("fo", "Zm8=");
    check("foo", "Zm9v");
    check("foob", "Zm9vYg==");
    check("fooba", "Zm9vYmE=");
    check("foobar", "Zm9vYmFy");
}

void test_base64__every_byte_comes_back(void) {
    char bytes[256 * 3];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 256);
    struct buf encoded = {0}, decoded = {0};
    struct error e;
    for (size_t n = sizeof bytes - 3; n <= sizeof bytes; n++) {
        buf_clear(&encoded);
        buf_clear(&decoded);
        base64_encode(&encoded, bytes, n);
        TEST_ASSERT_EQUAL(AQFS_OK, base64_decode(&decoded, encoded.data, encoded.len, &e));
        TEST_ASSERT_EQUAL_UINT64(n, decoded.len);
        TEST_ASSERT_EQUAL_MEMORY(bytes, decoded.data, n);
    }
    buf_free(&encoded);
    buf_free(&decoded);
}

void test_base64__appends(void) {
    struct buf out = {0};
    struct error e;
    buf_str(&out, "> ");
    base64_encode(&out, "fo", 2);
    TEST_ASSERT_EQUAL_STRING("> Zm8=", out.data);
    TEST_ASSERT_EQUAL(AQFS_OK, base64_decode(&out, "Zm8=", 4, &e));
    TEST_ASSERT_EQUAL_STRING("> Zm8=fo", out.data);
    buf_free(&out);
}

void test_base64__line_breaks_and_spaces_are_passed_over(void) {
    struct buf out = {0};
    struct error e;
    const char text[] = "Zm9v\r\nYm\n Fy\t\n";
    TEST_ASSERT_EQUAL(AQFS_OK, base64_decode(&out, text, strlen(text), &e));
    TEST_ASSERT_EQUAL_STRING("foobar", out.data);
    buf_free(&out);
}

void test_base64__what_no_encoder_writes_is_refused(void) {
    static const char *const wrong[] = {
        "Z",     "Zg",    "Zg=",   "Zm8",  "====",  "=",    "Z===", "Zg=a",       "Zg==Zg==",
        "Zg===", "Zm9v=", "Zm9vY", "Zm-_", "Zm9v!", "Zh==", "Zm9=", "Zm\xC3\xA9", "Zg==\nA",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct buf out = {0};
        struct error e = {0};
        int code = base64_decode(&out, wrong[i], strlen(wrong[i]), &e);
        TEST_ASSERT_EQUAL_MESSAGE(AQFS_INVALID_ARGUMENT, code, wrong[i]);
        TEST_ASSERT_TRUE(e.message[0]);
        buf_free(&out);
    }
    struct buf out = {0};
    struct error e;
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, base64_decode(&out, "Zm\0v", 4, &e));
    buf_free(&out);
}

/* The file in these tests is generated while it is read: of any size, changing, failing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scan.h"

#include "filetype.h"
#include "utf8.h"

#include "unity.h"

#include <errno.h>
#include <string.h>

static struct aqfs_workspace ws;
static struct budget budget;
static struct error error;

/* The generated file: BYTES, repeated up to SIZE. */
static struct {
    const char *bytes;
    size_t n;
    int64_t size;
    int64_t fails_at; /* reads from this offset on answer EIO, if not negative */
    int64_t grows_at; /* a read at this offset changes the file's version */
    struct info now;
    int reads;
} source;

static ssize_t fake_read(const struct node *file, char *out, size_t n, int64_t offset) {
    (void)file;
    source.reads++;
    if (source.fails_at >= 0 && offset + (int64_t)n > source.fails_at)
        return -EIO;
    if (source.grows_at >= 0 && offset >= source.grows_at)
        source.now.modified_ns++;
    size_t i = 0;
    for (; i < n && offset + (int64_t)i < source.size; i++)
        out[i] = source.bytes[(size_t)(offset + (int64_t)i) % source.n];
    return (ssize_t)i;
}

static int fake_stat(const struct node *any, struct info *out, struct error *e) {
    (void)any, (void)e;
    *out = source.now;
    return AQFS_OK;
}

static const struct backend fake = {.name = "fake", .read = fake_read, .stat = fake_stat};

static struct node file_of(const char *bytes, size_t n, int64_t size) {
    source.bytes = bytes;
    source.n = n;
    source.size = size;
    source.now = (struct info){.type = NODE_FILE, .size = size, .modified_ns = 1};
    return (struct node){.backend = &fake, .info = source.now};
}

void setUp(void) {
    ws = (struct aqfs_workspace){.libraries.magic_lock = PTHREAD_MUTEX_INITIALIZER};
    ws.limits.read_bytes = 64 << 20;
    memset(&budget, 0, sizeof budget);
    atomic_store(&budget.steps_left, 1);
    memset(&error, 0, sizeof error);
    memset(&source, 0, sizeof source);
    source.fails_at = source.grows_at = -1;
}

void tearDown(void) {
    filetype_free(ws.libraries.magic);
}

#define KEEP (1 << 20)

static struct text_scan scan_lines(const struct node *file, int64_t first, int64_t last) {
    struct text_scan scan = {.label = "a", .first = first, .last = last, .most = KEEP};
    int code = scan_text(&ws, file, &budget, &scan, &error);
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, code, error.message);
    return scan;
}

static void check_text(struct text_scan *scan, const char *text) {
    TEST_ASSERT_EQUAL_UINT64(strlen(text), scan->text.len);
    TEST_ASSERT_EQUAL_MEMORY(text, scan->text.data, strlen(text) + 1);
    text_scan_free(scan);
}

static void check_lines(const char *bytes, int64_t first, int64_t last, int64_t kept,
                        const char *text) {
    struct node file = file_of(bytes, strlen(bytes), (int64_t)strlen(bytes));
    struct text_scan scan = scan_lines(&file, first, last);
    TEST_ASSERT_EQUAL_INT64(kept, scan.kept);
    TEST_ASSERT_TRUE(scan.complete);
    if (text[0])
        check_text(&scan, text);
    else
        TEST_ASSERT_EQUAL_UINT64(0, scan.text.len);
    text_scan_free(&scan);
}

void test_scan__keeps_the_lines_asked_for(void) {
    check_lines("one\ntwo\nthree\n", 1, 3, 3, "one\ntwo\nthree\n");
    check_lines("one\ntwo\nthree\n", 2, 2, 1, "two\n");
    check_lines("one\ntwo\nthree\n", 3, INT64_MAX, 1, "three\n");
    check_lines("one\ntwo\nthree", 2, 9, 2, "two\nthree");
    check_lines("one\ntwo\nthree", 3, 3, 1, "three");
    check_lines("\n\n\n", 2, 3, 2, "\n\n");
    check_lines("one\n", 2, 2, 0, "");
    check_lines("one\n", INT64_MAX, INT64_MAX, 0, "");
    check_lines("one\n", 1, 0, 0, "");
    check_lines("", 1, 5, 0, "");
}

void test_scan__one_read_for_a_small_file(void) {
    check_lines("one\ntwo\n", 1, 2, 2, "one\ntwo\n");
    TEST_ASSERT_EQUAL(1, source.reads);
}

void test_scan__crlf_becomes_lf_where_all_endings_are_crlf(void) {
    check_lines("one\r\ntwo\r\n", 1, 2, 2, "one\ntwo\n");
    check_lines("one\r\ntwo\n", 1, 2, 2, "one\r\ntwo\n");
    check_lines("one\r\ntwo\n", 1, 1, 1, "one\r\n"); /* judged by the file, not by the lines */
}

/* Characters of all lengths, in lines of a length that moves through the blocks. */
static const char across[] = "\u00E9\u20AC\U0001F600a\u20AC\n";

void test_scan__lines_across_blocks_are_whole(void) {
    const int64_t length = sizeof across - 1, block = 256 * 1024;
    struct node file = file_of(across, sizeof across - 1, length * 100000);
    for (int64_t edge = block; edge < 5 * block; edge += block)
        for (int64_t first = edge / length - 2; first < edge / length + 4; first++) {
            struct text_scan scan = scan_lines(&file, first, first);
            TEST_ASSERT_EQUAL_INT64(100000, endings_lines(&scan.endings));
            check_text(&scan, across);
        }
    struct text_scan scan = {.label = "a", .first = 1, .last = 100000, .most = 2 * KEEP};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL_UINT64(length * 100000, scan.text.len);
    for (int64_t i = 0; i < 100000; i++)
        TEST_ASSERT_EQUAL_MEMORY(across, scan.text.data + i * length, (size_t)length);
    text_scan_free(&scan);
}

void test_scan__the_version_is_of_the_whole_file(void) {
    struct node file = file_of("0123456789abcdefghijklmnopqrstu\n", 32, 1 << 20);
    struct text_scan a = scan_lines(&file, 1, 1), b = scan_lines(&file, 9, 10000);
    struct byte_scan bytes = {.offset = 7, .most = 3};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_bytes(&ws, &file, &budget, &bytes, &error));
    TEST_ASSERT_EQUAL(HASH_HEX - 1, strlen(a.version));
    TEST_ASSERT_EQUAL_STRING(a.version, b.version);
    TEST_ASSERT_EQUAL_STRING(a.version, bytes.version);
    TEST_ASSERT_EQUAL_STRING_LEN("789", bytes.bytes.data, 3);
    text_scan_free(&a);
    text_scan_free(&b);
    byte_scan_free(&bytes);

    struct node longer = file_of(source.bytes, source.n, (1 << 20) + 1);
    struct text_scan c = scan_lines(&longer, 1, 1);
    TEST_ASSERT_NOT_EQUAL(0, strcmp(a.version, c.version));
    text_scan_free(&c);
}

void test_scan__a_brief_pass_ends_with_its_lines(void) {
    struct node file = file_of("seven.\n", 7, INT64_C(5) << 30);
    struct text_scan scan = {.label = "a", .first = 10, .last = 11, .most = KEEP, .brief = true};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL(1, source.reads);
    TEST_ASSERT_FALSE(scan.complete);
    TEST_ASSERT_EQUAL_STRING("", scan.version);
    check_text(&scan, "seven.\nseven.\n");
}

void test_scan__threat_28_a_hole_behind_the_lines_does_not_count(void) {
    static char bytes[1 << 20] = "one\ntwo\nthree\n";
    struct node file = file_of(bytes, sizeof bytes, sizeof bytes);
    struct text_scan scan = {.label = "a", .first = 1, .last = 3, .most = KEEP, .brief = true};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
    check_text(&scan, "one\ntwo\nthree\n");
    struct text_scan more = {.label = "a", .first = 3, .last = 4, .most = KEEP, .brief = true};
    TEST_ASSERT_EQUAL(AQFS_BINARY, scan_text(&ws, &file, &budget, &more, &error));
    text_scan_free(&more);
}

void test_scan__a_large_file_needs_a_brief_pass(void) {
    struct node file = file_of("seven.\n", 7, ws.limits.read_bytes + 1);
    struct text_scan scan = {.label = "big.log", .first = 1, .last = 2, .most = KEEP};
    TEST_ASSERT_EQUAL(AQFS_TOO_LARGE, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "big.log"));
    TEST_ASSERT_NOT_NULL(strstr(error.hint, "start_line"));
    TEST_ASSERT_EQUAL(0, source.reads);
    text_scan_free(&scan);
}

void test_scan__threat_29_a_file_that_grows_without_end_is_bounded(void) {
    struct node file = file_of("seven.\n", 7, 100);
    source.size = INT64_C(1) << 40;
    struct text_scan scan = {.label = "a", .first = 1, .last = 2, .most = KEEP};
    ws.limits.read_bytes = 1 << 20;
    TEST_ASSERT_EQUAL(AQFS_TOO_LARGE, scan_text(&ws, &file, &budget, &scan, &error));
    text_scan_free(&scan);
    struct byte_scan bytes = {.offset = 0, .most = 10};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_bytes(&ws, &file, &budget, &bytes, &error));
    TEST_ASSERT_EQUAL_UINT64(10, bytes.bytes.len);
    TEST_ASSERT_EQUAL_STRING("", bytes.version);
    byte_scan_free(&bytes);
}

void test_scan__threat_29_a_change_while_reading_leaves_no_version(void) {
    struct node file = file_of("seven.\n", 7, 1 << 20);
    source.grows_at = 1 << 19;
    struct text_scan scan = scan_lines(&file, 1, 1);
    TEST_ASSERT_TRUE(scan.changed);
    TEST_ASSERT_EQUAL_STRING("", scan.version);
    text_scan_free(&scan);
    struct byte_scan bytes = {.most = 10};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_bytes(&ws, &file, &budget, &bytes, &error));
    TEST_ASSERT_TRUE(bytes.changed);
    TEST_ASSERT_EQUAL_STRING("", bytes.version);
    byte_scan_free(&bytes);
}

void test_scan__lines_that_do_not_fit_are_left_out_whole(void) {
    struct node file = file_of("0123456\n", 8, 800);
    struct text_scan scan = {.label = "a", .first = 2, .last = 50, .most = 31};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL_INT64(3, scan.kept);
    TEST_ASSERT_FALSE(scan.cut);
    TEST_ASSERT_EQUAL_INT64(100, endings_lines(&scan.endings));
    check_text(&scan, "0123456\n0123456\n0123456\n");
}

void test_scan__threat_98_a_line_that_does_not_fit_is_cut_between_characters(void) {
    for (size_t most = 1; most < 30; most++) {
        struct node file = file_of("\U0001F600\u20AC\u00E9", 9, INT64_C(1) << 21);
        struct text_scan scan = {.label = "a", .first = 1, .last = 9, .most = most};
        TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
        TEST_ASSERT_TRUE(scan.cut);
        TEST_ASSERT_EQUAL_INT64(1, scan.kept);
        TEST_ASSERT_TRUE(scan.text.len <= most && scan.text.len + 4 > most);
        TEST_ASSERT_TRUE(utf8_is_valid(scan.text.data, scan.text.len));
        text_scan_free(&scan);
    }
}

void test_scan__threat_55_one_endless_line_is_bounded(void) {
    struct node file = file_of("x", 1, INT64_C(1) << 30);
    struct text_scan scan = {.label = "a", .first = 1, .last = 1, .most = 1000, .brief = true};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL_UINT64(1000, scan.text.len);
    TEST_ASSERT_TRUE(scan.text.cap < 5000);
    TEST_ASSERT_EQUAL(1, source.reads);
    text_scan_free(&scan);
}

void test_scan__a_failing_read_is_an_error(void) {
    struct node file = file_of("seven.\n", 7, 1 << 20);
    source.fails_at = 1 << 19;
    struct text_scan scan = {.label = "a", .first = 1, .last = 1, .most = KEEP};
    TEST_ASSERT_EQUAL(AQFS_IO, scan_text(&ws, &file, &budget, &scan, &error));
    text_scan_free(&scan);
    struct byte_scan bytes = {.most = 10};
    TEST_ASSERT_EQUAL(AQFS_IO, scan_bytes(&ws, &file, &budget, &bytes, &error));
    byte_scan_free(&bytes);
}

void test_scan__a_cancelled_call_reads_nothing(void) {
    struct node file = file_of("seven.\n", 7, 1 << 20);
    const int32_t cancelled = 1;
    budget.cancelled = &cancelled;
    struct text_scan scan = {.label = "a", .first = 1, .last = 1, .most = KEEP};
    TEST_ASSERT_EQUAL(AQFS_CANCELLED, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL(0, source.reads);
    text_scan_free(&scan);
}

void test_scan__nul_in_the_lines_is_binary_wherever_they_are(void) {
    static char bytes[100000];
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 99; i < sizeof bytes; i += 100)
        bytes[i] = '\n';
    bytes[50050] = '\0'; /* in line 501 */
    struct node file = file_of(bytes, sizeof bytes, sizeof bytes);
    struct text_scan scan = scan_lines(&file, 1, 500);
    text_scan_free(&scan);
    scan = (struct text_scan){.label = "a", .first = 400, .last = 501, .most = KEEP};
    TEST_ASSERT_EQUAL(AQFS_BINARY, scan_text(&ws, &file, &budget, &scan, &error));
    text_scan_free(&scan);
}

void test_scan__latin1_behind_a_first_block_of_ascii(void) {
    static char bytes[400000];
    memset(bytes, 'x', sizeof bytes);
    static const char end[] = "\nun caf\xE9 au lait!\n";
    memcpy(bytes + sizeof bytes - (sizeof end - 1), end, sizeof end - 1);
    struct node file = file_of(bytes, sizeof bytes, sizeof bytes);
    struct text_scan scan = scan_lines(&file, 2, 2);
    TEST_ASSERT_EQUAL_STRING("iso-8859-1", scan.encoding.name);
    TEST_ASSERT_EQUAL_UINT64(HASH_HEX - 1, strlen(scan.version));
    check_text(&scan, "un caf\u00E9 au lait!\n");
}

/* Lines of UTF-8, one of them damaged, far behind the beginning. */
static struct node damaged(void) {
    static char bytes[9 * 20000];
    for (size_t i = 0; i < sizeof bytes; i += 9)
        memcpy(bytes + i, "caf\xC3\xA9s..\n", 9);
    memcpy(bytes + 9 * 15000, "ca\xE9\xFF\xFE\xC3.x\n", 9);
    return file_of(bytes, sizeof bytes, sizeof bytes);
}

void test_scan__damaged_utf8_is_read_but_for_the_damage(void) {
    struct node file = damaged();
    for (int64_t first = 14998; first < 15004; first++) {
        struct text_scan scan = {.label = "a", .first = first, .last = first, .most = KEEP};
        int code = scan_text(&ws, &file, &budget, &scan, &error);
        TEST_ASSERT_EQUAL(first == 15001 ? AQFS_ENCODING : AQFS_OK, code);
        if (!code) {
            TEST_ASSERT_EQUAL_STRING("utf-8", scan.encoding.name);
            TEST_ASSERT_EQUAL_INT64(20000, endings_lines(&scan.endings));
            check_text(&scan, "caf\u00E9s..\n");
        }
        text_scan_free(&scan);
    }
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "offset 135002"), error.message);
}

void test_scan__the_callers_encoding_is_used(void) {
    struct node file = damaged();
    struct text_scan scan = {
        .label = "a", .charset = {"latin1", 6}, .first = 15001, .last = 15001, .most = KEEP};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_text(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL_STRING("iso-8859-1", scan.encoding.name);
    check_text(&scan, "ca\u00E9\u00FF\u00FE\u00C3.x\n");
}

void test_scan__utf16_across_blocks(void) {
    static char bytes[2 + 600000];
    bytes[0] = '\xFF', bytes[1] = '\xFE';
    for (size_t i = 0; i < 100000; i++)
        memcpy(bytes + 2 + 6 * i, "\x3D\xD8\x00\xDE\n", 6);
    struct node file = file_of(bytes, sizeof bytes, sizeof bytes);
    struct text_scan scan = scan_lines(&file, 1, 100000);
    TEST_ASSERT_EQUAL_INT64(100000, scan.kept);
    TEST_ASSERT_EQUAL_UINT64(500000, scan.text.len);
    TEST_ASSERT_EQUAL_STRING("utf-16le", scan.encoding.name);
    for (size_t i = 0; i < scan.text.len; i += 5)
        TEST_ASSERT_EQUAL_MEMORY("\U0001F600\n", scan.text.data + i, 5);
    text_scan_free(&scan);
}

static void check_bytes(int64_t size, int64_t offset, size_t most, size_t kept) {
    struct node file = file_of("0123456789", 10, size);
    struct byte_scan scan = {.offset = offset, .most = most};
    TEST_ASSERT_EQUAL(AQFS_OK, scan_bytes(&ws, &file, &budget, &scan, &error));
    TEST_ASSERT_EQUAL_UINT64(kept, scan.bytes.len);
    for (size_t i = 0; i < kept; i++)
        TEST_ASSERT_EQUAL('0' + (offset + (int64_t)i) % 10, scan.bytes.data[i]);
    TEST_ASSERT_EQUAL(size <= ws.limits.read_bytes, scan.version[0] != '\0');
    byte_scan_free(&scan);
}

void test_scan__keeps_the_bytes_asked_for(void) {
    check_bytes(0, 0, 10, 0);
    check_bytes(10, 0, 0, 0);
    check_bytes(10, 0, 10, 10);
    check_bytes(10, 3, 100, 7);
    check_bytes(10, 10, 100, 0);
    check_bytes(1000000, 262140, 10, 10);
    check_bytes(1000000, 100, 600000, 600000);
    check_bytes(1000000, 999999, 10, 1);
    check_bytes(INT64_C(1) << 43, (INT64_C(1) << 43) - 5, 10, 5);
    check_bytes(INT64_C(1) << 43, INT64_C(1) << 42, 300000, 300000);
}

/* SPDX-License-Identifier: MIT */
#include "sandbox.h"

#include "unity.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void setUp(void) {
    sandbox_open("{}");
}

void tearDown(void) {
    sandbox_close();
}

/* Opens the sandbox anew with LIMITS. */
static void limit(const char *limits) {
    char options[200];
    (void)snprintf(options, sizeof options, "{\"limits\": {%s}}", limits);
    sandbox_close();
    sandbox_open(options);
}

static json_t *read_all(const char *path) {
    return sandbox_call("read_file", "{s:s}", "path", path);
}

static json_t *read_lines(const char *path, json_int_t start, json_int_t end) {
    return sandbox_call("read_file", "{s:s, s:I, s:I}", "path", path, "start_line", start,
                        "end_line", end);
}

static json_t *read_from(const char *path, json_int_t start) {
    return sandbox_call("read_file", "{s:s, s:I}", "path", path, "start_line", start);
}

static json_t *read_page(const char *path, json_int_t offset, json_int_t limit) {
    return sandbox_call("read_file", "{s:s, s:I, s:I}", "path", path, "offset", offset, "limit",
                        limit);
}

/* COUNT lines, "line 1" and so on. */
static void write_lines(const char *name, int count) {
    FILE *file = fopen(sandbox_path(name), "w");
    TEST_ASSERT_NOT_NULL(file);
    for (int i = 1; i <= count; i++)
        (void)fprintf(file, "line %d\n", i);
    TEST_ASSERT_EQUAL(0, fclose(file));
}

static void check(const json_t *reply, const char *content, int start, int end, int total) {
    TEST_ASSERT_EQUAL_STRING(content, reply_text(reply, "content"));
    TEST_ASSERT_EQUAL(start, reply_number(reply, "start_line"));
    TEST_ASSERT_EQUAL(end, reply_number(reply, "end_line"));
    TEST_ASSERT_EQUAL(total, reply_number(reply, "total_lines"));
    TEST_ASSERT_EQUAL(start - 1, reply_number(reply, "offset"));
}

void test_read_file__whole_file(void) {
    sandbox_text("a.txt", "one\ntwo\nthree\n");
    const json_t *reply = read_all("a.txt");
    check(reply, "one\ntwo\nthree\n", 1, 3, 3);
    TEST_ASSERT_EQUAL_STRING("a.txt", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", reply_text(reply, "text"));
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING("utf-8", reply_text(reply, "encoding"));
    TEST_ASSERT_EQUAL_STRING("lf", reply_text(reply, "line_endings"));
    TEST_ASSERT_FALSE(reply_flag(reply, "bom"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "links"));
    TEST_ASSERT_EQUAL(32, strlen(reply_text(reply, "version")));
}

void test_read_file__the_version_follows_the_bytes(void) {
    sandbox_text("a", "one\n");
    sandbox_text("b", "one\n");
    sandbox_text("c", "One\n");
    const char *a = reply_text(read_all("a"), "version");
    TEST_ASSERT_EQUAL_STRING(a, reply_text(read_all("b"), "version"));
    TEST_ASSERT_NOT_EQUAL(0, strcmp(a, reply_text(read_all("c"), "version")));
    TEST_ASSERT_EQUAL_STRING(a, reply_text(read_lines("a", 1, 1), "version"));
}

void test_read_file__threat_99_ranges(void) {
    sandbox_text("a", "one\ntwo\nthree\n");
    check(read_lines("a", 1, 1), "one\n", 1, 1, 3);
    check(read_lines("a", 2, 3), "two\nthree\n", 2, 3, 3);
    check(read_lines("a", 2, -1), "two\nthree\n", 2, 3, 3);
    check(read_lines("a", 3, 3), "three\n", 3, 3, 3);
    check(read_lines("a", 3, INT64_MAX), "three\n", 3, 3, 3);
    check(read_from("a", 2), "two\nthree\n", 2, 3, 3);
    check(sandbox_call("read_file", "{s:s, s:i}", "path", "a", "end_line", 2), "one\ntwo\n", 1, 2,
          3);
}

void test_read_file__threat_99_ranges_that_are_none(void) {
    sandbox_text("a", "one\ntwo\nthree\n");
    check_error(read_lines("a", 0, 2), "invalid-argument", "start_line: expected at least 1");
    check_error(read_lines("a", -1, 2), "invalid-argument", "start_line");
    check_error(read_lines("a", 1, 0), "invalid-argument", "end_line");
    check_error(read_lines("a", 1, -2), "invalid-argument", "end_line");
    check_error(read_lines("a", 3, 2), "invalid-argument",
                "end_line: expected at least start_line");
    check_error(read_from("a", 4), "invalid-argument", "3 lines");
    check_error(read_from("a", INT64_MAX), "invalid-argument", "3 lines");
    check_error(read_lines("a", INT64_MAX, INT64_MAX), "invalid-argument", "3 lines");
    check_error(read_page("a", 3, 1), "invalid-argument", "offset");
    check_error(
        sandbox_call("read_file", "{s:s, s:i, s:i}", "path", "a", "start_line", 1, "limit", 2),
        "invalid-argument", "not both");
    check_error(read_page("a", -1, 1), "invalid-argument", "offset");
    check_error(read_page("a", 0, 0), "invalid-argument", "limit");
}

void test_read_file__pages_by_offset_and_limit(void) {
    write_lines("a", 5);
    const json_t *reply = read_page("a", 1, 2);
    check(reply, "line 2\nline 3\n", 2, 3, 5);
    TEST_ASSERT_EQUAL(2, reply_number(reply, "limit"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING("line 2\nline 3\n"
                             "[truncated: lines 2-3 of 5; continue with offset=3]\n",
                             reply_text(reply, "text"));
    reply = read_page("a", 3, 2);
    check(reply, "line 4\nline 5\n", 4, 5, 5);
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    check(sandbox_call("read_file", "{s:s, s:i}", "path", "a", "limit", 1), "line 1\n", 1, 1, 5);
}

void test_read_file__an_end_that_was_asked_for_is_no_truncation(void) {
    write_lines("a", 5);
    const json_t *reply = read_lines("a", 2, 3);
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING("line 2\nline 3\n[lines 2-3 of 5]\n", reply_text(reply, "text"));
}

void test_read_file__empty_files_have_no_lines(void) {
    sandbox_text("empty", "");
    sandbox_text("mark", "\xEF\xBB\xBF");
    const json_t *reply = read_all("empty");
    check(reply, "", 1, 0, 0);
    TEST_ASSERT_EQUAL_STRING("none", reply_text(reply, "line_endings"));
    TEST_ASSERT_EQUAL_STRING("[the file is empty]\n", reply_text(reply, "text"));
    check(read_all("mark"), "", 1, 0, 0);
    check(read_page("empty", 0, 10), "", 1, 0, 0);
    check_error(read_from("empty", 2), "invalid-argument", "0 lines");
}

void test_read_file__the_last_line_may_lack_its_newline(void) {
    sandbox_text("a", "one\ntwo");
    check(read_all("a"), "one\ntwo", 1, 2, 2);
    check(read_lines("a", 2, 2), "two", 2, 2, 2);
    sandbox_text("b", "\n");
    check(read_all("b"), "\n", 1, 1, 1);
}

void test_read_file__lines_end_at_newlines_alone(void) {
    sandbox_text("a", "a\rb\fc\xE2\x80\xA8"
                      "d\xC2\x85"
                      "e\n");
    check(read_all("a"),
          "a\rb\fc\u2028d\xC2\x85"
          "e\n",
          1, 1, 1);
}

static void check_endings(const char *bytes, const char *name, const char *content) {
    sandbox_text("a", bytes);
    const json_t *reply = read_all("a");
    TEST_ASSERT_EQUAL_STRING(content, reply_text(reply, "content"));
    TEST_ASSERT_EQUAL_STRING_LEN(content, reply_text(reply, "text"), strlen(content));
    TEST_ASSERT_EQUAL_STRING(name, reply_text(reply, "line_endings"));
}

void test_read_file__uniform_crlf_is_shown_as_lf(void) {
    check_endings("one\r\ntwo\r\n", "crlf", "one\ntwo\n");
    check_endings("one\r\ntwo\n", "mixed", "one\r\ntwo\n");
    check_endings("one\rtwo\r", "cr", "one\rtwo\r");
    check_endings("one", "none", "one");
}

void test_read_file__a_byte_order_mark_is_told_and_not_shown(void) {
    sandbox_text("a", "\xEF\xBB\xBFone\n");
    const json_t *reply = read_all("a");
    check(reply, "one\n", 1, 1, 1);
    TEST_ASSERT_TRUE(reply_flag(reply, "bom"));
    TEST_ASSERT_EQUAL_STRING("utf-8", reply_text(reply, "encoding"));
    static const char utf16[] = "\xFE\xFF\0o\0n\0e\0\r\0\n";
    sandbox_write("b", utf16, sizeof utf16 - 1);
    reply = read_all("b");
    check(reply, "one\n", 1, 1, 1);
    TEST_ASSERT_TRUE(reply_flag(reply, "bom"));
    TEST_ASSERT_EQUAL_STRING("utf-16be", reply_text(reply, "encoding"));
    TEST_ASSERT_EQUAL_STRING("crlf", reply_text(reply, "line_endings"));
}

void test_read_file__other_charsets_are_decoded(void) {
    sandbox_text("a", "un caf\xE9 au lait\n");
    const json_t *reply = read_all("a");
    check(reply, "un caf\u00E9 au lait\n", 1, 1, 1);
    TEST_ASSERT_EQUAL_STRING("iso-8859-1", reply_text(reply, "encoding"));
    reply = sandbox_call("read_file", "{s:s, s:s}", "path", "a", "encoding", "CP437");
    check(reply, "un caf\u0398 au lait\n", 1, 1, 1);
    TEST_ASSERT_EQUAL_STRING("cp437", reply_text(reply, "encoding"));
    check_error(sandbox_call("read_file", "{s:s, s:s}", "path", "a", "encoding", "utf-8"),
                "encoding", "offset 6");
    check_error(sandbox_call("read_file", "{s:s, s:s}", "path", "a", "encoding", "klingon"),
                "invalid-argument", "encoding: expected the name of a charset");
}

void test_read_file__binary_is_refused_by_its_type(void) {
    sandbox_write("a.bin",
                  "\x7F"
                  "ELF\2\1\1\0\0",
                  9);
    const json_t *reply = read_all("a.bin");
    check_error(reply, "binary", "read_bytes");
    check_error(reply, "binary", "'a.bin'");
    sandbox_write("a.png", "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0", 29);
    check_error(read_all("a.png"), "binary", "image/png");
}

void test_read_file__line_numbers(void) {
    sandbox_text("a", "one\n\nthree");
    const json_t *reply = sandbox_call("read_file", "{s:s, s:b}", "path", "a", "line_numbers", 1);
    TEST_ASSERT_EQUAL_STRING("     1\tone\n     2\t\n     3\tthree\n[no newline at the end]\n",
                             reply_text(reply, "text"));
    TEST_ASSERT_EQUAL_STRING("one\n\nthree", reply_text(reply, "content"));
    reply = sandbox_call("read_file", "{s:s, s:b, s:i}", "path", "a", "line_numbers", 1,
                         "start_line", 3);
    TEST_ASSERT_EQUAL_STRING("     3\tthree\n[line 3 of 3]\n[no newline at the end]\n",
                             reply_text(reply, "text"));
}

void test_read_file__indentation(void) {
    sandbox_text("a", "def f():\n    if x:\n\t  return\n");
    const json_t *reply =
        sandbox_call("read_file", "{s:s, s:s}", "path", "a", "mode", "indentation");
    TEST_ASSERT_EQUAL_STRING("  0| def f():\n  4|     if x:\n 10| \t  return\n",
                             reply_text(reply, "text"));
    reply = sandbox_call("read_file", "{s:s, s:s, s:b}", "path", "a", "mode", "indentation",
                         "line_numbers", 1);
    TEST_ASSERT_EQUAL_STRING("     1\t  0| def f():\n     2\t  4|     if x:\n"
                             "     3\t 10| \t  return\n",
                             reply_text(reply, "text"));
    check_error(sandbox_call("read_file", "{s:s, s:s}", "path", "a", "mode", "sideways"),
                "invalid-argument", "mode");
}

void test_read_file__long_lines_are_cut_in_the_text_alone(void) {
    char line[1001];
    memset(line, 'x', 1000);
    line[1000] = '\0';
    char bytes[1100];
    (void)snprintf(bytes, sizeof bytes, "%s\nend\n", line);
    sandbox_text("a", bytes);
    const json_t *reply = read_all("a");
    TEST_ASSERT_EQUAL_STRING(bytes, reply_text(reply, "content"));
    char shown[500];
    (void)snprintf(shown, sizeof shown, "%.400s\u2026 [truncated line]\nend\n", line);
    TEST_ASSERT_EQUAL_STRING(shown, reply_text(reply, "text"));
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
}

void test_read_file__without_an_end_so_many_lines_as_the_limit(void) {
    limit("\"read_lines\": 3");
    write_lines("a", 5);
    const json_t *reply = read_all("a");
    check(reply, "line 1\nline 2\nline 3\n", 1, 3, 5);
    TEST_ASSERT_EQUAL(3, reply_number(reply, "limit"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING("line 1\nline 2\nline 3\n"
                             "[truncated: lines 1-3 of 5; continue with start_line=4]\n",
                             reply_text(reply, "text"));
    check(read_from("a", 4), "line 4\nline 5\n", 4, 5, 5);
    check(read_lines("a", 1, 5), "line 1\nline 2\nline 3\nline 4\nline 5\n", 1, 5, 5);
    TEST_ASSERT_TRUE(reply_flag(read_lines("a", 2, -1), "truncated"));
}

void test_read_file__the_default_is_2000_lines(void) {
    write_lines("a", 2001);
    const json_t *reply = read_all("a");
    TEST_ASSERT_EQUAL(2000, reply_number(reply, "end_line"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
}

void test_read_file__content_is_cut_at_a_line(void) {
    limit("\"reply_bytes\": 4096");
    write_lines("a", 1000);
    const json_t *reply = read_lines("a", 1, 1000);
    const char *content = reply_text(reply, "content");
    size_t n = strlen(content);
    TEST_ASSERT_TRUE(n <= 4096 && n > 4000);
    TEST_ASSERT_EQUAL('\n', content[n - 1]);
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    long long end = reply_number(reply, "end_line");
    char next[40];
    (void)snprintf(next, sizeof next, "line %lld\n", end + 1);
    TEST_ASSERT_EQUAL_STRING_LEN(next, reply_text(read_from("a", (json_int_t)end + 1), "content"),
                                 strlen(next));
}

void test_read_file__a_text_cut_for_itself_says_where_to_continue(void) {
    limit("\"text_bytes\": 1024");
    write_lines("a", 200);
    const json_t *reply = read_all("a");
    TEST_ASSERT_EQUAL(200, reply_number(reply, "end_line"));
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    const char *text = reply_text(reply, "text");
    TEST_ASSERT_TRUE(strlen(text) <= 1024);
    const char *mark = strstr(text, "[truncated: lines 1-");
    TEST_ASSERT_NOT_NULL(mark);
    int last = 0, total = 0, next = 0;
    TEST_ASSERT_EQUAL(3, sscanf(mark, "[truncated: lines 1-%d of %d; continue with start_line=%d]",
                                &last, &total, &next));
    TEST_ASSERT_EQUAL(200, total);
    TEST_ASSERT_EQUAL(last + 1, next);
    char line[40];
    (void)snprintf(line, sizeof line, "line %d\n[", last);
    TEST_ASSERT_NOT_NULL(strstr(text, line));
}

void test_read_file__threat_55_one_line_longer_than_a_reply(void) {
    limit("\"reply_bytes\": 4096");
    char *line = malloc(100001);
    TEST_ASSERT_NOT_NULL(line);
    memset(line, 'x', 100000);
    line[99999] = '\n';
    sandbox_write("a", line, 100000);
    free(line);
    const json_t *reply = read_all("a");
    TEST_ASSERT_EQUAL(4096, reply_length(reply, "content"));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "end_line"));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "total_lines"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    const char *text = reply_text(reply, "text");
    TEST_ASSERT_NOT_NULL(strstr(text, "\u2026 [truncated line]\n"));
    TEST_ASSERT_NOT_NULL(strstr(text, "line 1 is too long"));
}

void test_read_file__large_files_are_shown_by_ranges(void) {
    limit("\"read_bytes\": 1000");
    write_lines("a", 1000);
    check_error(read_all("a"), "too-large", "1000 bytes");
    check_error(read_lines("a", 1, -1), "too-large", "1000 bytes");
    TEST_ASSERT_NOT_NULL(strstr(reply_text(read_all("a"), "hint"), "start_line"));
    const json_t *reply = read_lines("a", 10, 11);
    TEST_ASSERT_EQUAL_STRING("line 10\nline 11\n", reply_text(reply, "content"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "total_lines"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "version"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING("line 10\nline 11\n"
                             "[truncated: lines 10-11; continue with start_line=12]\n",
                             reply_text(reply, "text"));
    check(read_lines("a", 1000, 1001), "line 1000\n", 1000, 1000, 1000);
    check_error(read_from("a", 1001), "invalid-argument", "1000 lines");
    check(read_page("a", 998, 5), "line 999\nline 1000\n", 999, 1000, 1000);
}

static long resident_kb(void) {
    struct rusage usage;
    TEST_ASSERT_EQUAL(0, getrusage(RUSAGE_SELF, &usage));
    return usage.ru_maxrss;
}

void test_read_file__threat_28_a_sparse_file_of_8_tib(void) {
    write_lines("a", 10);
    if (truncate(sandbox_path("a"), (off_t)1 << 43) != 0 &&
        truncate(sandbox_path("a"), (off_t)1 << 42) != 0)
        TEST_IGNORE_MESSAGE("no such file size here");
    long before = resident_kb();
    check_error(read_all("a"), "too-large", "bytes");
    const json_t *reply = read_lines("a", 1, 10);
    TEST_ASSERT_EQUAL(10, reply_number(reply, "end_line"));
    TEST_ASSERT_EQUAL_STRING_LEN("line 1\n", reply_text(reply, "content"), 7);
    check_error(read_lines("a", 10, 12), "binary", "'a'");
    check_error(read_from("a", 1000000), "binary", "'a'");
    TEST_ASSERT_TRUE(resident_kb() - before < 32 * 1024);
}

void test_read_file__what_is_no_regular_file_is_refused_at_once(void) {
    sandbox_mkdir("d");
    TEST_ASSERT_EQUAL(0, mkfifo(sandbox_path("fifo"), 0644));
    check_error(read_all("d"), "is-directory", "'d'");
    check_error(read_all("."), "is-directory", "'.'");
    check_error(read_all("fifo"), "not-regular", "'fifo'");
    check_error(read_all("missing"), "not-found", "'missing'");
    check_error(read_all("d/missing"), "not-found", "'d/missing'");
    check_error(read_all("../x"), "outside-root", "'../x'");
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", sandbox_path("socket"));
    TEST_ASSERT_EQUAL(0, bind(fd, (struct sockaddr *)&address, sizeof address));
    check_error(read_all("socket"), "not-regular", "'socket'");
    (void)close(fd);
}

void test_read_file__threat_89_an_unreadable_file(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root reads everything");
    sandbox_text("a", "one\n");
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("a"), 0));
    check_error(read_all("a"), "permission", "'a'");
}

void test_read_file__a_link_shows_what_it_leads_to(void) {
    sandbox_mkdir("d");
    sandbox_text("d/a", "one\n");
    sandbox_link("link", "d/a");
    const json_t *reply = read_all("link");
    TEST_ASSERT_EQUAL_STRING("d/a", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL_STRING("one\n", reply_text(reply, "content"));
}

void test_read_file__hard_links_are_told(void) {
    sandbox_text("a", "one\n");
    char other[200];
    (void)snprintf(other, sizeof other, "%s", sandbox_path("b"));
    TEST_ASSERT_EQUAL(0, link(sandbox_path("a"), other));
    TEST_ASSERT_EQUAL(2, reply_number(read_all("a"), "links"));
}

void test_read_file__threat_59_escape_sequences_are_only_text(void) {
    static const char text[] = "\x1B]52;c;Zm9v\a \x1B[8m\x1B]8;;http://x\x1B\\ \x9B";
    sandbox_write("a", text, sizeof text - 2); /* without the C1 byte, which is not UTF-8 */
    TEST_ASSERT_EQUAL_STRING_LEN(text, reply_text(read_all("a"), "content"), sizeof text - 2);
}

static long open_descriptors(void) {
    long n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

void test_read_file__threat_130_no_call_leaves_a_descriptor(void) {
    sandbox_text("a", "one\n");
    sandbox_write("b", "a\0b", 3);
    sandbox_mkdir("d");
    (void)read_all("b"); /* libmagic's database is loaded */
    long before = open_descriptors();
    static const char *const paths[] = {"a", "b", "d", "missing", "../x", "a/b"};
    for (int i = 0; i < 60; i++) {
        const char *path = paths[i % 6];
        (void)read_all(path);
        (void)read_from(path, 9);
        (void)sandbox_call("read_bytes", "{s:s}", "path", path);
        (void)sandbox_call("get_file_info", "{s:s}", "path", path);
        (void)sandbox_call("file_exists", "{s:s}", "path", path);
    }
    TEST_ASSERT_EQUAL(before, open_descriptors());
}

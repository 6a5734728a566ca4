/* Tests of what is kept of calls, and of a state directory that somebody has spoiled.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "cleanup.h"
#include "fixture.h"
#include "own_file.h"
#include "snapshots.h"

#include "unity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The calls that fail, until the next test. */
static struct {
    bool project_syncs; /* a sync of the project's directory */
    int part_opens;     /* opening a part of a record, with this errno */
    bool done_lines;    /* writing the second half of the journal's line that all is done */
    bool writes;        /* writing */
    bool reads;         /* reading a file of this inode */
    ino_t read;
} failing;

int fsync(int fd) {
    struct stat s, root;
    if (failing.project_syncs && fstat(fd, &s) == 0 && stat(project_path(""), &root) == 0 &&
        s.st_ino == root.st_ino && s.st_dev == root.st_dev) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): as below
ssize_t write(int fd, const void *bytes, size_t n) {
    if (failing.writes) {
        failing.writes = false;
        errno = ENOSPC;
        return -1;
    }
    failing.writes = failing.done_lines && memmem(bytes, n, "\"done\"", 6);
    return (ssize_t)syscall(SYS_write, fd, bytes, failing.writes ? n / 2 : n);
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): as below
ssize_t pread(int fd, void *out, size_t n, off_t at) {
    struct stat s;
    if (failing.reads && fstat(fd, &s) == 0 && s.st_ino == failing.read) {
        errno = EIO;
        return -1;
    }
    return (ssize_t)syscall(SYS_pread64, fd, out, n, at);
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's name is reserved
int openat(int dir, const char *path, int flags, ...) {
    const size_t n = strlen(path);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (failing.part_opens && n > 2 && strcmp(path + n - 2, ".1") == 0) {
        errno = failing.part_opens;
        return -1;
    }
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

void setUp(void) {
    support_start();
    memset(&failing, 0, sizeof failing);
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    ws = open_project(STATE);
}

/* The directory of the project's records. */
static const char *kept_path(const char *name) {
    struct names projects = names_below(base_path("state/kept"));
    TEST_ASSERT_EQUAL(1, projects.n);
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s/%s", base_path("state/kept"), projects.names[0], name);
    free_names(&projects);
    return path;
}

static size_t kept_count(void) {
    struct names records = names_below(kept_path(""));
    size_t n = records.n;
    free_names(&records);
    return n;
}

static json_t *try_edit(const char *old, const char *new) {
    char args[256];
    (void)snprintf(args, sizeof args, "{\"path\":\"a.txt\",\"old_str\":\"%s\",\"new_str\":\"%s\"}",
                   old, new);
    return change(ws, "edit_file", args);
}

static json_t *edit(const char *old, const char *new) {
    json_t *reply = try_edit(old, new);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    return reply;
}

/* The id of the latest call. */
static const char *latest(void) {
    const json_t *calls = json_object_get(ask(ws, "changes_list", "{}"), "calls");
    const json_t *call = json_array_get(calls, 0);
    return call ? text_in(call, "id") : "";
}

static json_t *undo(const char *id) {
    char args[128];
    (void)snprintf(args, sizeof args, "{\"calls\":[\"%s\"]}", id);
    return change(ws, "changes_undo", args);
}

void test_kept_store__a_record_is_private(void) {
    struct stat s;
    edit("two", "2");
    TEST_ASSERT_EQUAL(0, stat(base_path("state/kept"), &s));
    TEST_ASSERT_EQUAL_HEX(0700, s.st_mode & 07777);
    TEST_ASSERT_EQUAL(0, stat(kept_path(""), &s));
    TEST_ASSERT_EQUAL_HEX(0700, s.st_mode & 07777);
    TEST_ASSERT_EQUAL(0, stat(kept_path(latest()), &s));
    TEST_ASSERT_EQUAL_HEX(0600, s.st_mode & 07777);
    TEST_ASSERT_EQUAL(1, kept_count());
}

void test_kept_store__a_later_process_takes_it_back(void) {
    edit("two", "2");
    reopen(STATE);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_text("a.txt", "one\ntwo\nthree\n");
}

void test_kept_store__a_changed_byte_is_noticed(void) {
    edit("two", "2");
    char *record = strdup(kept_path(latest()));
    struct buf bytes = {0};
    read_whole(record, &bytes);
    char *at = memmem(bytes.data, bytes.len, "one\ntwo", 7);
    TEST_ASSERT_NOT_NULL(at);
    *at = 'O';
    make_bytes(record, bytes.data, bytes.len);
    const json_t *reply = undo(latest());
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "is not kept (any more)"));
    check_text("a.txt", "one\n2\nthree\n");
    buf_free(&bytes);
    free(record);
}

void test_kept_store__a_torn_record_is_none(void) {
    edit("two", "2");
    char *id = strdup(latest());
    for (int n = 0; n < 300; n += 7) {
        struct buf bytes = {0};
        read_whole(kept_path(id), &bytes);
        if (bytes.len > (size_t)(300 - n))
            make_bytes(kept_path(id), bytes.data, (size_t)(300 - n));
        buf_free(&bytes);
        TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_diff", "{}"), "total"));
        TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(id)));
    }
    free(id);
}

/* A record of an enemy, with one step. */
static const char *plant(const char *step) {
    static const char id[] = "0000000000000001-000000000000";
    char header[2000], record[2200];
    edit("two", "2");
    int n = snprintf(header, sizeof header,
                     "{\"time\":1,\"operation\":\"x\",\"origin\":\"model\",\"summary\":\"s\","
                     "\"steps\":[%s]}",
                     step);
    (void)snprintf(record, sizeof record, "agent-q-fs kept 1 %d\n%s", n, header);
    make_file(kept_path(id), record);
    return id;
}

void test_kept_store__a_planted_record_leads_nowhere(void) {
    static const char *const steps[] = {
        "{\"action\":\"write\",\"path\":\"../outside\",\"was\":{\"type\":\"missing\"},"
        "\"is\":{\"type\":\"file\"}}",
        "{\"action\":\"write\",\"path\":\"/etc/passwd\",\"was\":{\"type\":\"missing\"},"
        "\"is\":{\"type\":\"file\"}}",
        "{\"action\":\"delete\",\"path\":\"d\",\"was\":{\"type\":\"directory\"},"
        "\"is\":{\"type\":\"missing\"},\"entries\":[{\"path\":\"../../x\",\"type\":\"file\"}]}",
        "{\"action\":\"move\",\"path\":\"b\",\"from\":\"../x\",\"was\":{\"type\":\"missing\"},"
        "\"is\":{\"type\":\"file\"}}",
        "{\"action\":\"write\",\"path\":\"a.txt\",\"was\":{\"type\":\"file\",\"at\":-1,\"len\":9},"
        "\"is\":{\"type\":\"file\"}}",
        "{\"action\":\"write\",\"path\":\"a.txt\",\"was\":{\"type\":\"file\",\"at\":0,"
        "\"len\":9223372036854775807},\"is\":{\"type\":\"file\"}}",
        "{\"action\":\"fly\",\"path\":\"a.txt\"}",
        "7",
        "{\"action\":\"write\",\"path\":\".git/config\",\"was\":{\"type\":\"missing\"},"
        "\"is\":{\"type\":\"file\"}}",
    };
    make_file(base_path("outside"), "outside\n");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const char *id = plant(steps[i]);
        const json_t *reply = undo(id);
        if (strcmp(code_of(reply), "ok") == 0) /* what it is about is not there: nothing is done */
            TEST_ASSERT_EQUAL(0, json_array_size(json_object_get(reply, "files")));
        TEST_ASSERT_EQUAL_STRING("ok", code_of(ask(ws, "changes_diff", "{}")));
        TEST_ASSERT_EQUAL_STRING("ok", code_of(ask(ws, "changes_list", "{}")));
        check_text("a.txt", "one\n2\nthree\n");
        make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    }
    TEST_ASSERT_EQUAL_STRING("outside\n", text_of(base_path("outside")));
}

void test_kept_store__a_link_or_directory_is_no_record(void) {
    edit("two", "2");
    make_file(base_path("elsewhere"), "agent-q-fs kept 1 2\n{}");
    make_link(kept_path("0000000000000001-000000000000"), base_path("elsewhere"));
    make_directory(kept_path("0000000000000002-000000000000"));
    make_file(kept_path("not-an-id"), "x");
    TEST_ASSERT_EQUAL(1, json_array_size(json_object_get(ask(ws, "changes_list", "{}"), "calls")));
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo("0000000000000001-000000000000")));
}

void test_kept_store__the_oldest_are_forgotten(void) {
    reopen(STATE ",\"limits\":{\"kept_calls\":8}");
    for (int i = 0; i < 20; i++)
        edit(i % 2 ? "2" : "two", i % 2 ? "two" : "2");
    TEST_ASSERT_LESS_OR_EQUAL(8, kept_count());
    TEST_ASSERT_GREATER_OR_EQUAL(6, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_text("a.txt", "one\n2\nthree\n");
}

static void call_of(const char *origin, const char *op, const char *arguments) {
    char request[500];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"%s\",\"origin\":\"%s\",\"authority\":\"dangerous\",\"args\":%s}",
                     op, origin, arguments);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_raw(ws, request, (size_t)n, NULL)));
}

static void edit_as(const char *origin, const char *old, const char *new) {
    char arguments[200];
    (void)snprintf(arguments, sizeof arguments,
                   "{\"path\":\"a.txt\",\"old_str\":\"%s\",\"new_str\":\"%s\"}", old, new);
    call_of(origin, "edit_file", arguments);
}

/* How many of the records are a person's. */
static int of_a_person(void) {
    const json_t *calls = json_object_get(ask(ws, "changes_list", "{}"), "calls"), *call;
    int n = 0;
    size_t i;
    json_array_foreach(calls, i, call) n += strcmp(text_in(call, "origin"), "person") == 0;
    return n;
}

/* Two edits of a person, and then many of a model; then the other way round. */
static void a_model_pushes_nobody_out(void) {
    edit_as("person", "one", "1");
    edit_as("person", "three", "3");
    char *first = strdup(latest());
    for (int i = 0; i < 40; i++)
        edit_as("model", i % 2 ? "2" : "two", i % 2 ? "two" : "2");
    TEST_ASSERT_EQUAL(2, of_a_person());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(first)));
    free(first);
    check_text("a.txt", "1\ntwo\nthree\n");
    for (int i = 0; i < 40; i++)
        edit_as("person", i % 2 ? "2" : "two", i % 2 ? "two" : "2");
    long long total = number_in(ask(ws, "changes_list", "{}"), "total");
    TEST_ASSERT_LESS_OR_EQUAL(8, total);
    TEST_ASSERT_GREATER_THAN(of_a_person() + 2, total);
}

/* Threat 157. */
void test_kept_store__a_model_pushes_out_no_call_of_a_person(void) {
    reopen(STATE ",\"limits\":{\"kept_calls\":8}");
    a_model_pushes_nobody_out();
}

void test_kept_store__nor_does_it_in_memory(void) {
    reopen("\"limits\":{\"kept_calls\":8}");
    a_model_pushes_nobody_out();
}

/* Large replaced files of a model, by bytes. */
void test_kept_store__nor_does_it_by_bytes(void) {
    reopen(STATE ",\"limits\":{\"kept_bytes\":20000}");
    edit_as("person", "one", "1");
    for (int i = 0; i < 30; i++) {
        make_file(project_path("a.txt"), repeated("0123456789abcde\n", 200));
        call_of("model", "write_file", "{\"path\":\"a.txt\",\"content\":\"x\"}");
    }
    TEST_ASSERT_EQUAL(1, of_a_person());
    TEST_ASSERT_LESS_OR_EQUAL(7, kept_count());
}

/* -- whose records they are -------------------------------------------------------------------- */

/* Threat 157: another directory has the project's name by now. */
void test_kept_store__another_project_of_the_name_sees_nothing(void) {
    edit("two", "2");
    char *id = strdup(latest());
    TEST_ASSERT_EQUAL(0, rename(project_path(""), base_path("moved")));
    make_file(project_path("a.txt"), "one\n2\nthree\n");
    reopen(STATE);
    TEST_ASSERT_EQUAL_STRING("", latest());
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_diff", "{}"), "total"));
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(id)));
    check_text("a.txt", "one\n2\nthree\n");
    edit("one", "1");
    TEST_ASSERT_EQUAL(1, json_array_size(json_object_get(ask(ws, "changes_list", "{}"), "calls")));
    remove_all(project_path(""));
    TEST_ASSERT_EQUAL(0, rename(base_path("moved"), project_path("")));
    reopen(STATE);
    TEST_ASSERT_EQUAL_STRING(id, latest());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(id)));
    free(id);
    check_text("a.txt", "one\ntwo\nthree\n");
}

/* Forgetting removes them from the disk all the same. */
void test_kept_store__what_another_project_left_can_be_forgotten(void) {
    edit("two", "2");
    TEST_ASSERT_EQUAL(0, rename(project_path(""), base_path("moved")));
    make_file(project_path("a.txt"), "x\n");
    reopen(STATE);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_forget", "{}")));
    TEST_ASSERT_EQUAL(0, kept_count());
}

void test_kept_store__the_bytes_are_bounded(void) {
    reopen(STATE ",\"limits\":{\"kept_bytes\":20000}");
    for (int i = 0; i < 30; i++) {
        make_file(project_path("a.txt"), repeated("0123456789abcde\n", 200));
        TEST_ASSERT_EQUAL_STRING(
            "ok", code_of(change(ws, "write_file", "{\"path\":\"a.txt\",\"content\":\"x\"}")));
    }
    TEST_ASSERT_LESS_OR_EQUAL(6, kept_count());
}

void test_kept_store__what_is_too_large_is_said_to_be_gone(void) {
    reopen(STATE ",\"limits\":{\"kept_bytes\":20000}");
    make_file(project_path("a.txt"), repeated("0123456789abcde\n", 2000));
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "write_file", "{\"path\":\"a.txt\",\"content\":\"x\"}")));
    const json_t *reply = undo(latest());
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(reply));
    check_text("a.txt", "x");
}

void test_kept_store__nothing_is_kept_where_nobody_wants_it(void) {
    reopen(STATE ",\"limits\":{\"kept_calls\":0}");
    edit("two", "2");
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_list", "{}"), "total"));
}

void test_kept_store__without_a_state_directory_memory_keeps_it(void) {
    reopen("");
    edit("two", "2");
    edit("three", "3");
    TEST_ASSERT_EQUAL(2, number_in(ask(ws, "changes_list", "{}"), "total"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_text("a.txt", "one\n2\nthree\n");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_forget", "{}")));
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_list", "{}"), "total"));
}

void test_kept_store__what_is_forgotten_is_gone_from_the_disk(void) {
    edit("two", "2");
    edit("three", "3");
    TEST_ASSERT_EQUAL(2, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_forget", "{\"keep\":1}")));
    TEST_ASSERT_EQUAL(1, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_forget", "{}")));
    TEST_ASSERT_EQUAL(0, kept_count());
}

/* A state directory that cannot be written to costs the record, and not the change. */
void test_kept_store__a_change_is_made_without_its_record(void) {
    make_file(base_path("state/kept"), "in the way");
    edit("two", "2");
    check_text("a.txt", "one\n2\nthree\n");
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_list", "{}"), "total"));
}

/* -- large files, which are linked --------------------------------------------------------------
 */

/* A text that is large enough, with NUMBER in it. */
static const char *large(const char *number) {
    static char text[300000];
    size_t n = (size_t)snprintf(text, sizeof text, "one\n%s\n", number);
    for (int i = 0; i < 9000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "line %c%c of a large file\n",
                              'a' + i % 26, 'A' + i / 26 % 26);
    return text;
}

static void check_large(const char *number) {
    AUTO(buf_free) struct buf now = {0};
    read_whole(project_path("a.txt"), &now);
    TEST_ASSERT_TRUE(now.len == strlen(large(number)) &&
                     memcmp(now.data, large(number), now.len) == 0);
}

static void make_large(void) {
    make_file(project_path("a.txt"), large("two"));
}

static const char *part_path(void) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s.1", latest());
    return kept_path(name);
}

static struct stat look_at(const char *path) {
    struct stat s;
    TEST_ASSERT_EQUAL(0, stat(path, &s));
    return s;
}

void test_kept_store__a_large_file_is_linked_and_not_copied(void) {
    make_large();
    (void)chmod(project_path("a.txt"), 0755);
    const struct stat before = look_at(project_path("a.txt"));
    edit("two", "2");
    const struct stat part = look_at(part_path());
    TEST_ASSERT_EQUAL(before.st_ino, part.st_ino);
    TEST_ASSERT_EQUAL(1, part.st_nlink);
    TEST_ASSERT_EQUAL_HEX(0600, part.st_mode & 07777);
    TEST_ASSERT_LESS_THAN(2000, look_at(kept_path(latest())).st_size);
    TEST_ASSERT_EQUAL(0, temporary_files());
    reopen(STATE);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("two");
    TEST_ASSERT_EQUAL_HEX(0755, look_at(project_path("a.txt")).st_mode & 07777);
}

/* Through its other name somebody could write to it later. */
void test_kept_store__a_large_file_with_two_names_is_copied(void) {
    make_large();
    make_second_name(project_path("a.txt"), base_path("other"));
    edit("two", "2");
    make_file(base_path("other"), "spoiled");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("two");
}

/* If power is lost then, the project may have the old file again: its permissions, and its only
 * name, must be as they were. */
void test_kept_store__a_large_file_that_the_disk_may_still_have_is_copied(void) {
    make_large();
    (void)chmod(project_path("a.txt"), 0644);
    AUTO(cleanup_close) int old = open(project_path("a.txt"), O_RDONLY | O_CLOEXEC);
    failing.project_syncs = true;
    TEST_ASSERT_EQUAL_STRING("durability-unknown", code_of(try_edit("two", "2")));
    failing.project_syncs = false;
    struct stat s;
    TEST_ASSERT_EQUAL(0, fstat(old, &s));
    TEST_ASSERT_EQUAL_HEX(0644, s.st_mode & 07777);
    TEST_ASSERT_EQUAL(0, s.st_nlink);
    TEST_ASSERT_EQUAL(1, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("two");
}

/* Its owner could write to it later, with a descriptor that is open. */
void test_kept_store__a_large_file_of_another_user_is_copied(void) {
    make_large();
    if (chown(project_path("a.txt"), 1234, 1234) != 0)
        TEST_IGNORE_MESSAGE("only root can give files away");
    edit("two", "2");
    TEST_ASSERT_EQUAL(1, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("two");
}

void test_kept_store__a_changed_part_is_noticed(void) {
    make_large();
    edit("two", "2");
    char *part = strdup(part_path());
    make_file(part, large("twO"));
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(latest())));
    make_file(part, "shorter");
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(latest())));
    TEST_ASSERT_EQUAL(0, unlink(part));
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(latest())));
    make_file(base_path("elsewhere"), large("two"));
    make_link(part, base_path("elsewhere"));
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(latest())));
    check_large("2");
    free(part);
}

/* That it cannot be looked at now does not mean that it is gone. */
void test_kept_store__a_part_that_cannot_be_opened_is_not_said_to_be_gone(void) {
    make_large();
    edit("two", "2");
    char *id = strdup(latest());
    failing.part_opens = EMFILE;
    TEST_ASSERT_EQUAL_STRING("limit", code_of(undo(id)));
    failing.part_opens = EIO;
    TEST_ASSERT_EQUAL_STRING("io", code_of(undo(id)));
    check_large("2");
    failing.part_opens = 0;
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(id)));
    check_large("two");
    free(id);
}

static const char *journal_lines(void) {
    struct names files = names_below(base_path("state/journal"));
    static char path[512];
    for (size_t i = 0; i < files.n; i++)
        if (!strstr(files.names[i], ".lock"))
            (void)snprintf(path, sizeof path, "%s/%s", base_path("state/journal"), files.names[i]);
    free_names(&files);
    return text_of(path);
}

/* Recovery would give the linked file its name back.  And the line that was torn takes no other
 * line with it. */
void test_kept_store__a_large_file_that_the_journal_cannot_say_is_replaced_is_copied(void) {
    make_large();
    failing.done_lines = true;
    edit("two", "2");
    TEST_ASSERT_EQUAL(1, kept_count());
    const char *torn = journal_lines();
    TEST_ASSERT_NOT_EQUAL('\n', torn[strlen(torn) - 1]);
    failing.done_lines = false;
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("two");
    TEST_ASSERT_EQUAL(3, kept_count());
    const char *lines = journal_lines();
    for (const char *at = lines; (at = strstr(at, "{\"format\"")) != NULL; at++)
        TEST_ASSERT_TRUE(at == lines || at[-1] == '\n');
}

static void check_unread(const char *path, const char *id) {
    failing.read = look_at(path).st_ino;
    failing.reads = true;
    TEST_ASSERT_EQUAL_STRING("io", code_of(undo(id)));
    failing.reads = false;
    check_large("2");
}

/* A disk that does not answer has not lost what is on it. */
void test_kept_store__a_file_that_cannot_be_read_is_not_said_to_be_gone(void) {
    make_large();
    edit("two", "2");
    char *id = strdup(latest());
    check_unread(part_path(), id);
    check_unread(kept_path(id), id);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(id)));
    check_large("two");
    free(id);
}

void test_kept_store__parts_are_forgotten_with_their_record(void) {
    make_large();
    edit("two", "2");
    edit("2", "two");
    TEST_ASSERT_EQUAL(4, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_forget", "{\"keep\":1}")));
    TEST_ASSERT_EQUAL(2, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("2");
}

/* Four of them have room, beside what undoing would need. */
void test_kept_store__parts_count_among_the_bytes(void) {
    make_large();
    reopen(STATE ",\"limits\":{\"kept_bytes\":1100000}");
    for (int i = 0; i < 12; i++)
        edit(i % 2 ? "2" : "two", i % 2 ? "two" : "2");
    TEST_ASSERT_LESS_OR_EQUAL(8, kept_count());
    TEST_ASSERT_GREATER_OR_EQUAL(4, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    reopen(STATE ",\"limits\":{\"kept_bytes\":800000}"); /* a quarter has no room for one */
    edit("2", "two");
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(undo(latest())));
}

/* As when power was lost before the record was there. */
void test_kept_store__a_part_without_a_record_is_removed(void) {
    make_large();
    edit("two", "2");
    char *part = strdup(kept_path("0000000000000001-000000000000.1"));
    make_file(part, "of no call");
    reopen(STATE);
    edit("2", "two");
    TEST_ASSERT_EQUAL(-1, access(part, F_OK));
    TEST_ASSERT_EQUAL(4, kept_count());
    free(part);
}

void test_kept_store__on_another_file_system_it_is_copied(void) {
    char *other = make_temporary_in(temporary_place(), "agent-q-fs-kept");
    make_large();
    const bool same = look_at(other).st_dev == look_at(project_path("a.txt")).st_dev;
    make_link(base_path("state/kept"), other);
    edit("two", "2");
    TEST_ASSERT_EQUAL(same ? 2 : 1, kept_count());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo(latest())));
    check_large("two");
    remove_all(other);
    free(other);
}

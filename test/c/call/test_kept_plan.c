/* Tests of plans that planned.c keeps: each is done as it was shown, after a check of what may have
 * changed since.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EDIT "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}"

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    ws = open_project("\"state_dir\":\"%s/state\"");
}

/* Waits until the clock of the file system has moved on since PATH was written, so that a later
 * write gets another time. */
static void let_times_tell(const char *path) {
    struct stat s;
    struct timespec now;
    TEST_ASSERT_EQUAL(0, stat(path, &s));
    do {
        TEST_ASSERT_EQUAL(0, clock_gettime(CLOCK_REALTIME, &now));
    } while ((now.tv_sec - s.st_ctim.tv_sec) * 1000 + (now.tv_nsec - s.st_ctim.tv_nsec) / 1000000 <
             110);
}

static json_t *asked(const char *request) {
    return ask_raw(ws, request, strlen(request), &(aqfs_context){.format = AQFS_JSON});
}

static const char *commit_edit(const char *digest) {
    return code_of(change_approved(ws, digest, "edit_file", EDIT));
}

/* -- planning touches nothing ------------------------------------------------------------------ */

void test_kept_plan__planning_makes_no_state(void) {
    TEST_ASSERT_EQUAL_STRING("cautious", text_in(preview(ws, "edit_file", EDIT), "tier"));
    TEST_ASSERT_EQUAL(-1, access(base_path("state"), F_OK));
}

void test_kept_plan__planning_needs_no_writable_state(void) {
    make_directory(base_path("state"));
    TEST_ASSERT_EQUAL(0, chmod(base_path("state"), 0500));
    TEST_ASSERT_EQUAL_STRING("cautious", text_in(preview(ws, "edit_file", EDIT), "tier"));
    TEST_ASSERT_EQUAL(0, chmod(base_path("state"), 0700));
}

void test_kept_plan__says_whether_the_authority_is_enough(void) {
    static const char request[] =
        "{\"op\":\"edit_file\",\"verb\":\"plan\",\"authority\":\"%s\",\"args\":" EDIT "}";
    static const char *const words[] = {"safe", "cautious", "dangerous"};
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, request, words[i]);
        json_t *shown = asked(text);
        TEST_ASSERT_EQUAL_MESSAGE(i > 0, json_is_true(json_object_get(shown, "allowed")), words[i]);
    }
    check_text("a.txt", "one\ntwo\nthree\n");
}

void test_kept_plan__verbs_are_checked(void) {
    TEST_ASSERT_EQUAL_STRING(
        "invalid-argument",
        code_of(asked("{\"op\":\"edit_file\",\"verb\":\"do\",\"args\":" EDIT "}")));
    TEST_ASSERT_EQUAL_STRING(
        "invalid-argument",
        code_of(asked("{\"op\":\"edit_file\",\"verb\":\"commit\",\"args\":" EDIT "}")));
    TEST_ASSERT_EQUAL_STRING("invalid-argument",
                             code_of(asked("{\"op\":\"edit_file\",\"verb\":1,\"args\":" EDIT "}")));
    static const char *const words[] = {"1", "\"\"", "[]", "{}"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "{\"op\":\"edit_file\",\"verb\":\"plan\",\"words\":%s,\"args\":" EDIT "}",
                       words[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("invalid-argument", code_of(asked(text)), words[i]);
    }
    check_text("a.txt", "one\ntwo\nthree\n");
}

/* -- committing what was kept ------------------------------------------------------------------ */

static int opens_of(int watch) {
    char events[4096] __attribute__((aligned(8)));
    int n = 0;
    for (ssize_t got; (got = read(watch, events, sizeof events)) > 0;)
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *event = (const void *)(events + at);
            n += (event->mask & IN_OPEN) != 0;
            at += (ssize_t)(sizeof *event + event->len);
        }
    return n;
}

/* The file is opened once, to compare it while nobody can write to it. */
void test_kept_plan__what_was_planned_is_not_planned_again(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    TEST_ASSERT_GREATER_OR_EQUAL(0, watch);
    TEST_ASSERT_GREATER_OR_EQUAL(
        0, inotify_add_watch(watch, project_path("a.txt"), IN_OPEN | IN_ACCESS | IN_CLOSE));
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(shown, "digest")));
    TEST_ASSERT_EQUAL(1, opens_of(watch));
    close(watch);
    check_text("a.txt", "one\n2\nthree\n");
}

/* The text before a patch's first file is part of no plan; it is kept with the request. */
void test_kept_plan__the_arguments_count_for_the_bound_in_bytes(void) {
    static const char form[] =
        "{\"op\":\"apply_patch\",\"verb\":\"plan\",\"args\":{\"patch\":\"%*d\\n"
        "--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-one\\n+%d\\n\"}}";
    if (uses_fallback() && has_openat2())
        return; /* it takes seconds, and places make no difference */
    reopen("\"limits\": {\"time_ms\": 3600000}"); /* valgrind takes minutes over 15 MB */
    json_t *shown = preview(ws, "edit_file", EDIT);
    for (int i = 0; i < 9; i++) {
        AUTO_FREE char *text = NULL;
        TEST_ASSERT_GREATER_THAN(0, asprintf(&text, form, 15 << 20, 0, i));
        TEST_ASSERT_EQUAL_STRING("ok", code_of(asked(text)));
    }
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    TEST_ASSERT_GREATER_OR_EQUAL(0, watch);
    TEST_ASSERT_GREATER_OR_EQUAL(
        0, inotify_add_watch(watch, project_path("a.txt"), IN_OPEN | IN_ACCESS | IN_CLOSE));
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(shown, "digest")));
    TEST_ASSERT_GREATER_THAN(1, opens_of(watch)); /* it was planned again */
    close(watch);
}

static json_t *plan_again(const char *digest, const char *args) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "{\"op\":\"edit_file\",\"verb\":\"plan\",\"authority\":\"cautious\","
                   "\"digest\":\"%s\",\"args\":%s}",
                   digest, args);
    return asked(text);
}

void test_kept_plan__is_shown_again_without_opening_the_file(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    const char *digest = text_in(shown, "digest");
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    TEST_ASSERT_GREATER_OR_EQUAL(0, watch);
    TEST_ASSERT_GREATER_OR_EQUAL(0, inotify_add_watch(watch, project_path("a.txt"), IN_OPEN));
    json_t *again = plan_again(digest, EDIT);
    static const char *const members[] = {"digest", "tier", "summary", "diff", "text"};
    for (size_t i = 0; i < 5; i++)
        TEST_ASSERT_EQUAL_STRING(text_in(shown, members[i]), text_in(again, members[i]));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(again, "allowed")));
    TEST_ASSERT_EQUAL(0, opens_of(watch));
    close(watch);
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(digest));
    check_text("a.txt", "one\n2\nthree\n");
}

void test_kept_plan__another_plan_is_shown_where_it_holds_no_more(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    const char *digest = text_in(shown, "digest");
    make_file(project_path("a.txt"), "zero\none\ntwo\n");
    TEST_ASSERT_TRUE(strcmp(digest, text_in(plan_again(digest, EDIT), "digest")) != 0);
    make_file(project_path("a.txt"), "zero\n");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(plan_again(digest, EDIT)));
    check_text("a.txt", "zero\n");
}

void test_kept_plan__shows_no_diff_where_only_words_are_wanted(void) {
    json_t *shown =
        asked("{\"op\":\"edit_file\",\"verb\":\"plan\",\"words\":true,\"args\":" EDIT "}");
    TEST_ASSERT_EQUAL_STRING("", text_in(shown, "diff"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(shown, "text"), "-two\n+2\n"));
}

/* A digest is for the arguments that were planned. */
void test_kept_plan__is_not_shown_for_other_arguments(void) {
    static const char other[] = "{\"path\":\"a.txt\",\"old_str\":\"one\",\"new_str\":\"1\"}";
    json_t *shown = preview(ws, "edit_file", EDIT);
    const char *digest = text_in(shown, "digest");
    TEST_ASSERT_TRUE(strcmp(digest, text_in(plan_again(digest, other), "digest")) != 0);
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(digest));
}

/* A plan for the same arguments is kept, and would hold; but it is not the one with that digest. */
void test_kept_plan__is_not_done_for_another_digest(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    char digest[64];
    (void)snprintf(digest, sizeof digest, "%s", text_in(shown, "digest"));
    digest[0] = digest[0] == '0' ? '1' : '0';
    TEST_ASSERT_EQUAL_STRING("stale", commit_edit(digest));
    digest[strlen(digest) - 1] = '\0';
    TEST_ASSERT_TRUE(strcmp("ok", commit_edit(digest)) != 0);
    check_text("a.txt", "one\ntwo\nthree\n");
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(shown, "digest")));
}

void test_kept_plan__a_plan_that_is_kept_no_more_is_made_again(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    for (int i = 0; i < 100; i++) {
        char args[128];
        (void)snprintf(args, sizeof args, "{\"path\":\"new%d\",\"content\":\"x\"}", i);
        (void)preview(ws, "create_file", args);
    }
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(shown, "digest")));
    check_text("a.txt", "one\n2\nthree\n");
}

void test_kept_plan__a_plan_of_another_workspace_is_as_good(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    aqfs_workspace *other = open_project("\"state_dir\":\"%s/state\"");
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change_approved(other, text_in(shown, "digest"), "edit_file", EDIT)));
    aqfs_free(other);
    check_text("a.txt", "one\n2\nthree\n");
}

void test_kept_plan__a_refused_plan_is_kept(void) {
    json_t *refused = change_as(ws, "safe", "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING("approval-required", code_of(refused));
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(refused, "digest")));
    check_text("a.txt", "one\n2\nthree\n");
}

void test_kept_plan__a_commit_below_the_tier_is_refused_and_may_be_approved(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    char text[512];
    (void)snprintf(text, sizeof text,
                   "{\"op\":\"edit_file\",\"verb\":\"commit\",\"digest\":\"%s\",\"args\":" EDIT "}",
                   text_in(shown, "digest"));
    json_t *refused = asked(text);
    TEST_ASSERT_EQUAL_STRING("approval-required", code_of(refused));
    TEST_ASSERT_EQUAL_STRING(text_in(shown, "digest"), text_in(refused, "digest"));
    check_text("a.txt", "one\ntwo\nthree\n");
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(shown, "digest")));
    check_text("a.txt", "one\n2\nthree\n");
}

/* -- what may have changed since --------------------------------------------------------------- */

void test_kept_plan__a_touched_file_of_the_same_bytes_is_edited(void) {
    let_times_tell(project_path("a.txt"));
    json_t *shown = preview(ws, "edit_file", EDIT);
    TEST_ASSERT_EQUAL(0, utimensat(AT_FDCWD, project_path("a.txt"), NULL, 0));
    TEST_ASSERT_EQUAL_STRING("ok", commit_edit(text_in(shown, "digest")));
    check_text("a.txt", "one\n2\nthree\n");
}

void test_kept_plan__stale_where_a_link_leads_elsewhere_by_now(void) {
    static const char through[] = "{\"path\":\"link/b.txt\",\"old_str\":\"b\",\"new_str\":\"c\"}";
    make_file(project_path("d1/b.txt"), "b\n");
    make_file(project_path("d2/b.txt"), "b\n");
    make_link(project_path("link"), "d1");
    json_t *shown = preview(ws, "edit_file", through);
    TEST_ASSERT_EQUAL(0, unlink(project_path("link")));
    make_link(project_path("link"), "d2");
    TEST_ASSERT_EQUAL_STRING(
        "stale", code_of(change_approved(ws, text_in(shown, "digest"), "edit_file", through)));
    check_text("d1/b.txt", "b\n");
    check_text("d2/b.txt", "b\n");
}

/* Writes TEXT through a mapping, which shows in no time of the file once its page is writable. */
static void write_unseen(char *mapped, const char *text) {
    struct stat before, after;
    TEST_ASSERT_EQUAL(0, stat(project_path("a.txt"), &before));
    memcpy(mapped, text, strlen(text));
    TEST_ASSERT_EQUAL(0, munmap(mapped, 4096));
    TEST_ASSERT_EQUAL(0, stat(project_path("a.txt"), &after));
    if (before.st_ctim.tv_sec != after.st_ctim.tv_sec ||
        before.st_ctim.tv_nsec != after.st_ctim.tv_nsec)
        TEST_IGNORE_MESSAGE("this file system tells of it");
}

static char *map_writable(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    TEST_ASSERT_GREATER_OR_EQUAL(0, fd);
    char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    TEST_ASSERT_TRUE(mapped != MAP_FAILED);
    close(fd);
    mapped[0] = 'o'; /* as it was */
    return mapped;
}

static void check_unseen_write_stays(const char *op, const char *args) {
    char *mapped = map_writable(project_path("a.txt"));
    let_times_tell(project_path("a.txt"));
    json_t *shown = preview(ws, op, args);
    write_unseen(mapped, "ONE");
    TEST_ASSERT_EQUAL_STRING("stale",
                             code_of(change_approved(ws, text_in(shown, "digest"), op, args)));
    check_text("a.txt", "ONE\ntwo\nthree\n");
    TEST_ASSERT_EQUAL(0, temporary_files());
}

void test_kept_plan__an_edit_of_what_was_written_through_a_mapping(void) {
    check_unseen_write_stays("edit_file", EDIT);
}

void test_kept_plan__an_overwriting_of_what_was_written_through_a_mapping(void) {
    check_unseen_write_stays("write_file", "{\"path\":\"a.txt\",\"content\":\"x\"}");
}

void test_kept_plan__a_deletion_of_what_was_written_through_a_mapping(void) {
    check_unseen_write_stays("delete_file", "{\"path\":\"a.txt\"}");
}

void test_kept_plan__a_patch_that_deletes_what_was_written_through_a_mapping(void) {
    check_unseen_write_stays(
        "apply_patch", "{\"patch\":\"*** Begin Patch\\n*** Delete File: a.txt\\n*** End Patch\"}");
}

void test_kept_plan__a_copy_over_what_was_written_through_a_mapping(void) {
    make_file(project_path("b.txt"), "b\n");
    check_unseen_write_stays("copy_file", "{\"source\":\"b.txt\",\"destination\":\"a.txt\","
                                          "\"allow_overwrite\":true}");
}

void test_kept_plan__a_move_over_what_was_written_through_a_mapping(void) {
    make_file(project_path("b.txt"), "b\n");
    check_unseen_write_stays("move_file", "{\"source\":\"b.txt\",\"destination\":\"a.txt\","
                                          "\"allow_overwrite\":true}");
}

/* A restore keeps what it replaces, so it must be what was there when it was shown. */
void test_kept_plan__a_restore_over_what_was_written_through_a_mapping(void) {
    make_file(project_path("a.txt"), "TWO\ntwo\nthree\n");
    json_t *taken = change(ws, "snapshot_create", "{}");
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    char args[128];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", text_in(taken, "id"));
    check_unseen_write_stays("snapshot_restore", args);
}

/* The file is written through its other name, and its old times are put back. */
void test_kept_plan__stale_bytes_of_a_file_with_two_names(void) {
    struct stat s;
    make_second_name(project_path("a.txt"), project_path("other"));
    let_times_tell(project_path("a.txt"));
    json_t *shown = preview(ws, "edit_file", EDIT);
    TEST_ASSERT_EQUAL(0, stat(project_path("other"), &s));
    make_file(project_path("other"), "ONE\ntwo\nthree\n");
    const struct timespec times[2] = {s.st_atim, s.st_mtim};
    TEST_ASSERT_EQUAL(0, utimensat(AT_FDCWD, project_path("other"), times, 0));
    TEST_ASSERT_EQUAL_STRING("stale", commit_edit(text_in(shown, "digest")));
    check_text("a.txt", "ONE\ntwo\nthree\n");
}

void test_kept_plan__a_patch_that_deletes_and_adds_one_name(void) {
    static const char patch[] =
        "{\"patch\":\"*** Begin Patch\\n*** Delete File: a.txt\\n*** Add File: b/a.txt\\n+x\\n"
        "*** End Patch\"}";
    json_t *shown = preview(ws, "apply_patch", patch);
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change_approved(ws, text_in(shown, "digest"), "apply_patch", patch)));
    check_text("b/a.txt", "x\n");
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("a.txt")));
}

void test_kept_plan__what_appears_where_something_is_to_be_made(void) {
    static const char create[] = "{\"path\":\"new.txt\",\"content\":\"x\"}";
    json_t *shown = preview(ws, "create_file", create);
    make_file(project_path("new.txt"), "theirs");
    TEST_ASSERT_EQUAL_STRING(
        "stale", code_of(change_approved(ws, text_in(shown, "digest"), "create_file", create)));
    check_text("new.txt", "theirs");
}

/* -- restores ---------------------------------------------------------------------------------- */

static const char *restore_args(const char *id) {
    static char args[128];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", id);
    return args;
}

void test_kept_plan__a_restore_is_done_as_it_was_shown(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    const char *args = restore_args(text_in(taken, "id"));
    make_file(project_path("a.txt"), "mine\n");
    let_times_tell(project_path("a.txt"));
    json_t *shown = preview(ws, "snapshot_restore", args);
    make_file(project_path("later.txt"), "not shown\n");
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change_approved(ws, text_in(shown, "digest"), "snapshot_restore", args)));
    check_text("a.txt", "one\ntwo\nthree\n");
    check_text("later.txt", "not shown\n");
}

void test_kept_plan__a_stale_restore_does_nothing(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    const char *args = restore_args(text_in(taken, "id"));
    make_file(project_path("a.txt"), "mine\n");
    json_t *shown = preview(ws, "snapshot_restore", args);
    make_file(project_path("a.txt"), "theirs\n");
    TEST_ASSERT_EQUAL_STRING(
        "stale", code_of(change_approved(ws, text_in(shown, "digest"), "snapshot_restore", args)));
    check_text("a.txt", "theirs\n");
}

/* The plan of a restore keeps what it found in the whole tree, and the snapshots open. */
void test_kept_plan__few_restores_are_kept(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    const char *args = restore_args(text_in(taken, "id"));
    int before = open_descriptors();
    for (int i = 0; i < 20; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "version %d\n", i);
        make_file(project_path("a.txt"), text);
        TEST_ASSERT_EQUAL_STRING("ok", code_of(preview(ws, "snapshot_restore", args)));
    }
    TEST_ASSERT_LESS_OR_EQUAL(before + 20, open_descriptors());
}

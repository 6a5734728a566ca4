/* Tests that a commit writes exactly what was approved: doc/design.org, "Planning, approval and
 * commit".
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EDIT "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}"

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    make_file(base_path("outside/a.txt"), "one\ntwo\nthree\n");
    ws = open_project("");
}

void test_planned__preview_touches_nothing(void) {
    json_t *reply = preview(ws, "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING("cautious", text_in(reply, "tier"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "diff"), "-two\n+2\n"));
    TEST_ASSERT_EQUAL(32, strlen(text_in(reply, "digest")));
    TEST_ASSERT_EQUAL_STRING("a.txt", names_in(reply, "targets", "path"));
    check_text("a.txt", "one\ntwo\nthree\n");
    TEST_ASSERT_EQUAL(0, temporary_files());
}

void test_planned__approved_is_written(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change_approved(ws, text_in(shown, "digest"), "edit_file", EDIT)));
    check_text("a.txt", "one\n2\nthree\n");
}

void test_planned__refusal_carries_the_preview(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    json_t *reply = change_as(ws, "safe", "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING("approval-required", code_of(reply));
    TEST_ASSERT_EQUAL_STRING(text_in(shown, "digest"), text_in(reply, "digest"));
    TEST_ASSERT_EQUAL_STRING(text_in(shown, "diff"), text_in(reply, "diff"));
    check_text("a.txt", "one\ntwo\nthree\n");
}

/* Its caller may have meant it to hold the call back. */
void test_planned__an_unknown_member_is_refused(void) {
    static const char *const requests[] = {
        "{\"op\":\"edit_file\",\"args\":" EDIT ",\"authority\":\"dangerous\",\"preview\":true}",
        "{\"op\":\"edit_file\",\"args\":" EDIT ",\"authority\":\"dangerous\",\"\":null}"};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        aqfs_reply *reply = aqfs_call(ws, requests[i], strlen(requests[i]), NULL);
        TEST_ASSERT_EQUAL_STRING("invalid-argument", aqfs_reply_error(reply));
        aqfs_reply_free(reply);
    }
    check_text("a.txt", "one\ntwo\nthree\n");
}

void test_planned__without_authority_is_safe(void) {
    TEST_ASSERT_EQUAL_STRING("approval-required", code_of(ask(ws, "edit_file", EDIT)));
    check_text("a.txt", "one\ntwo\nthree\n");
}

void test_planned__cautious_may_edit_and_no_more(void) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change_as(ws, "cautious", "edit_file", EDIT)));
    check_text("a.txt", "one\n2\nthree\n");
    static const char *const others[][2] = {
        {"create_file", "{\"path\":\"new\",\"content\":\"\"}"},
        {"delete_file", "{\"path\":\"a.txt\"}"},
        {"move_file", "{\"source\":\"a.txt\",\"destination\":\"b.txt\"}"},
        {"make_directory", "{\"path\":\"d\"}"},
        {"apply_patch", "{\"patch\":\"*** Begin Patch\\n*** Delete File: a.txt\\n*** End Patch\"}"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            "approval-required", code_of(change_as(ws, "cautious", others[i][0], others[i][1])),
            others[i][0]);
    check_text("a.txt", "one\n2\nthree\n");
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("new")));
}

/* -- everything that may change between preview and commit ------------------------------------- */

/* Previews EDIT, lets DISTURB happen, and commits: stale, and what DISTURB did stays. */
static void check_stale(void (*disturb)(void), const char *expected) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING("cautious", text_in(shown, "tier"));
    disturb();
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    check_text("a.txt", expected);
    TEST_ASSERT_EQUAL(0, temporary_files());
}

static void change_content(void) {
    make_file(project_path("a.txt"), "one\ntwo\nfour\n");
}

void test_planned__stale_content(void) {
    check_stale(change_content, "one\ntwo\nfour\n");
}

static void change_same_size_and_time(void) {
    struct stat s;
    TEST_ASSERT_EQUAL(0, stat(project_path("a.txt"), &s));
    make_file(project_path("a.txt"), "ONE\ntwo\nthree\n");
    const struct timespec times[2] = {s.st_atim, s.st_mtim};
    TEST_ASSERT_EQUAL(0, utimensat(AT_FDCWD, project_path("a.txt"), times, 0));
}

/* Threat 96. */
void test_planned__stale_content_of_the_same_size_and_time(void) {
    check_stale(change_same_size_and_time, "ONE\ntwo\nthree\n");
}

static void change_mode(void) {
    TEST_ASSERT_EQUAL(0, chmod(project_path("a.txt"), 0600));
}

void test_planned__stale_mode(void) {
    check_stale(change_mode, "one\ntwo\nthree\n");
}

static void replace_file(void) {
    make_file(project_path("b.txt"), "one\ntwo\nthree\n");
    TEST_ASSERT_EQUAL(0, rename(project_path("b.txt"), project_path("a.txt")));
}

void test_planned__stale_other_file_with_the_same_bytes(void) {
    check_stale(replace_file, "one\ntwo\nthree\n");
}

static void replace_by_link(void) {
    make_file(project_path("b.txt"), "one\ntwo\nthree\n");
    TEST_ASSERT_EQUAL(0, unlink(project_path("a.txt")));
    make_link(project_path("a.txt"), "b.txt");
}

/* Threat 25. */
void test_planned__stale_link(void) {
    check_stale(replace_by_link, "one\ntwo\nthree\n");
    check_text("b.txt", "one\ntwo\nthree\n");
}

static void edit_once_more(void) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "edit_file",
                                                  "{\"path\":\"a.txt\",\"old_str\":\"one\","
                                                  "\"new_str\":\"1\"}")));
}

void test_planned__stale_second_edit(void) {
    check_stale(edit_once_more, "1\ntwo\nthree\n");
}

/* Threat 70. */
void test_planned__stale_argument(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "edit_file",
                                    "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"3\"}");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    check_text("a.txt", "one\ntwo\nthree\n");
}

/* Whether a new file can be executed is part of what is approved. */
void test_planned__stale_mode_of_a_new_file(void) {
#define NEW_FILE(mode)                                                                             \
    "{\"patch\":\"diff --git a/run b/run\\nnew file mode " mode                                    \
    "\\n--- /dev/null\\n+++ b/run\\n@@ -0,0 +1 @@\\n+true\\n\"}"
    json_t *shown = preview(ws, "apply_patch", NEW_FILE("100644"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(shown));
    TEST_ASSERT_EQUAL_STRING("stale", code_of(change_approved(ws, text_in(shown, "digest"),
                                                              "apply_patch", NEW_FILE("100755"))));
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("run")));
#undef NEW_FILE
}

void test_planned__stale_replay(void) {
    json_t *shown = preview(ws, "edit_file", EDIT);
    const char *digest = text_in(shown, "digest");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change_approved(ws, digest, "edit_file", EDIT)));
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(change_approved(ws, digest, "edit_file", EDIT)));
    check_text("a.txt", "one\ntwo\nthree\n");
}

void test_planned__stale_directory(void) {
    static const char create[] = "{\"path\":\"d/new.txt\",\"content\":\"x\"}";
    make_directory(project_path("d"));
    json_t *shown = preview(ws, "create_file", create);
    TEST_ASSERT_EQUAL(0, rename(project_path("d"), project_path("moved")));
    make_directory(project_path("d"));
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "create_file", create);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("d/new.txt")));
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("moved/new.txt")));
}

void test_planned__stale_link_out(void) {
    static const char create[] = "{\"path\":\"d/new.txt\",\"content\":\"x\"}";
    make_directory(project_path("d"));
    json_t *shown = preview(ws, "create_file", create);
    TEST_ASSERT_EQUAL(0, rmdir(project_path("d")));
    make_link(project_path("d"), base_path("outside"));
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "create_file", create);
    TEST_ASSERT_EQUAL_STRING("outside-root", code_of(reply));
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(base_path("outside/new.txt")));
}

void test_planned__stale_target_appears(void) {
    static const char create[] =
        "{\"path\":\"new.txt\",\"content\":\"x\",\"allow_overwrite\":true}";
    json_t *shown = preview(ws, "create_file", create);
    make_file(project_path("new.txt"), "theirs");
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "create_file", create);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    check_text("new.txt", "theirs");
}

void test_planned__stale_deleted_tree_has_changed(void) {
    static const char delete[] = "{\"path\":\"d\",\"recursive\":true}";
    make_file(project_path("d/a"), "x");
    json_t *shown = preview(ws, "delete_file", delete);
    make_file(project_path("d/b"), "theirs");
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "delete_file", delete);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    check_text("d/b", "theirs");
}

/* -- tiers, and changes that are refused ------------------------------------------------------- */

static void check_tier(const char *tier, const char *op, const char *args) {
    TEST_ASSERT_EQUAL_STRING_MESSAGE(tier, text_in(preview(ws, op, args), "tier"), args);
}

/* Threats 58, 71. */
void test_planned__protected_names_raise_the_tier(void) {
    static const char *const names[] = {".envrc",     ".ENVRC",        "d/.dir-locals.el",
                                        ".emacs.d/x", ".e\\u200cnvrc", "init.el",
                                        ".envrc.",    ".sbclrc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char args[128];
        (void)snprintf(args, sizeof args, "{\"path\":\"%s\",\"content\":\"x\"}", names[i]);
        check_tier("dangerous", "create_file", args);
    }
    make_file(project_path(".envrc"), "a");
    check_tier("dangerous", "edit_file",
               "{\"path\":\".envrc\",\"old_str\":\"a\",\"new_str\":\"b\"}");
    make_link(project_path("link"), ".envrc");
    check_tier("dangerous", "edit_file", "{\"path\":\"link\",\"old_str\":\"a\",\"new_str\":\"b\"}");
}

void test_planned__nothing_is_written_inside_git(void) {
    static const char *const names[] = {
        ".git/config",   ".GIT/config", ".git/hooks/x", "git~1/x",
        ".g\\u200cit/x", "sub/.git/x",  ".git./x",      ".git::$INDEX_ALLOCATION/x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char args[128];
        (void)snprintf(args, sizeof args, "{\"path\":\"%s\",\"content\":\"x\"}", names[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("restricted", code_of(change(ws, "create_file", args)),
                                         names[i]);
    }
}

void test_planned__read_only_refuses_all(void) {
    aqfs_workspace *other = open_project("\"read_only\":true");
    TEST_ASSERT_EQUAL_STRING("read-only", code_of(change(other, "edit_file", EDIT)));
    TEST_ASSERT_EQUAL_STRING("read-only", code_of(preview(other, "edit_file", EDIT)));
    aqfs_free(other);
    check_text("a.txt", "one\ntwo\nthree\n");
}

void test_planned__bad_requests(void) {
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(change_as(ws, "root", "edit_file", EDIT)));
    TEST_ASSERT_EQUAL_STRING("stale", code_of(change_approved(ws, "no", "edit_file", EDIT)));
    check_text("a.txt", "one\ntwo\nthree\n");
}

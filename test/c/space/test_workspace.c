/* SPDX-License-Identifier: MIT */
#include "host.h"
#include "workspace.h"

#include "buf.h"
#include "changes.h"
#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error e;

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "mine\n");
    make_file(project_path("sub/b.txt"), "mine\n");
    make_file(base_path("outside/f"), "theirs\n");
    ws = NULL;
}

/* -- opening and closing ---------------------------------------------------------------------- */

void test_workspace__holds_one_descriptor_a_root(void) {
    make_directory(base_path("lib"));
    int before = open_descriptors();
    ws = open_project("\"allowed_paths\": [\"%s/lib\", \"sub\"]");
    TEST_ASSERT_EQUAL(before + 3, open_descriptors());
    TEST_ASSERT_EQUAL_STRING("mine\n", content_of(ws, "a.txt"));
    TEST_ASSERT_EQUAL(before + 3, open_descriptors());
    aqfs_close(ws);
    TEST_ASSERT_EQUAL(before, open_descriptors());
}

/* Opening fails at each of its stages, and no descriptor stays open. */
void test_workspace__a_failed_opening_leaves_nothing(void) {
    char options[600];
    static const char *const rest[] = {
        "\"allowed_paths\": [\"sub\", \"none\"]",
        "\"allowed_paths\": [\"sub\", \"a.txt\"]",
        "\"allowed_paths\": [\"\"]",
        "\"restricted_paths\": [\"sub\", \"\"]",
        "\"restricted_paths\": [\"\\\"unquoted\"]",
        "\"mode\": \"unrestricted\", \"restricted_paths\": [\"a\\u0000\"]",
        "\"limits\": {\"threads\": -1}",
    };
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        (void)snprintf(options, sizeof options, "{\"root\": \"%s\", %s}", project_path(""),
                       rest[i]);
        (void)fail_to_open(options);
        TEST_ASSERT_EQUAL_MESSAGE(before, open_descriptors(), rest[i]);
    }
    (void)fail_to_open("{\"root\": \"/\"}");
    (void)fail_to_open("{\"root\": \"/nowhere/at/all\"}");
    TEST_ASSERT_EQUAL(before, open_descriptors());
}

void test_workspace__opened_a_thousand_times(void) {
    int before = open_descriptors();
    for (int i = 0; i < 1000; i++) {
        ws = open_project("\"restricted_paths\": [\"sub\"], \"allowed_paths\": [\"%s/outside\"]");
        aqfs_free(ws);
    }
    ws = NULL;
    TEST_ASSERT_EQUAL(before, open_descriptors());
}

void test_workspace__several_side_by_side(void) {
    ws = open_project("");
    aqfs_workspace *other = open_project("\"restricted_paths\": [\"a.txt\"]");
    TEST_ASSERT_EQUAL_STRING("mine\n", content_of(ws, "a.txt"));
    TEST_ASSERT_EQUAL_STRING("restricted", code_of(ask_path(other, "read_file", "a.txt")));
    aqfs_free(other);
    TEST_ASSERT_EQUAL_STRING("mine\n", content_of(ws, "a.txt"));
}

/* -- a root that does not stay (threat 82) ---------------------------------------------------- */

static void plant_impostor(void) {
    make_file(project_path("a.txt"), "impostor\n");
    make_file(project_path("planted"), "impostor\n");
}

/* The error of reading a.txt, which must be that the root was moved, names BASE/NOW, where it is.
 */
static void says_moved(const char *path, const char *now) {
    const json_t *reply = ask_path(ws, "read_file", path);
    TEST_ASSERT_EQUAL_STRING("root-moved", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), project_path("")));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), now));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "hint"), "agent-q-fs-reopen"));
}

/* Threat 82. */
void test_workspace__a_root_that_is_moved(void) {
    ws = open_project("");
    TEST_ASSERT_FALSE(json_is_true(json_object_get(ask(ws, "get_project_root", "{}"), "moved")));
    TEST_ASSERT_EQUAL_STRING("mine\n", content_of(ws, "a.txt"));
    TEST_ASSERT_EQUAL(0, rename(project_path(""), base_path("moved")));
    says_moved("a.txt", base_path("moved"));
    says_moved(project_path("a.txt"), base_path("moved"));
    says_moved(base_path("moved/a.txt"), base_path("moved"));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(ask(ws, "get_project_root", "{}"), "moved")));
    TEST_ASSERT_EQUAL(0, rename(base_path("moved"), project_path("")));
    TEST_ASSERT_EQUAL_STRING("mine\n", content_of(ws, "a.txt"));
}

void test_workspace__a_root_that_is_replaced(void) {
    ws = open_project("");
    TEST_ASSERT_EQUAL(0, rename(project_path(""), base_path("moved")));
    plant_impostor();
    static const char *const spellings[] = {"a.txt", "sub/../a.txt", "../project/a.txt", "planted"};
    for (size_t i = 0; i < 4; i++)
        says_moved(spellings[i], base_path("moved"));
    static const char *const others[] = {"list_directory", "snapshot_list", "directory_tree"};
    for (size_t i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL_STRING("root-moved", code_of(ask(ws, others[i], "{}")));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(ask(ws, "get_project_root", "{}"), "moved")));
}

/* Between the look and the call, what was opened is what is used. */
void test_workspace__a_root_that_is_replaced_meanwhile(void) {
    ws = open_project("");
    TEST_ASSERT_EQUAL(0, rename(project_path(""), base_path("moved")));
    plant_impostor();
    AUTO(node_close) struct node node = {0};
    struct place place;
    struct error error;
    char bytes[16] = "";
    struct text_ref path = {"a.txt", 5}, planted = {"planted", 7};
    TEST_ASSERT_EQUAL(AQFS_OK, workspace_open_path(ws, path, OPEN_FILE, &place, &node, &error));
    TEST_ASSERT_EQUAL(5, node.backend->read(&node, bytes, sizeof bytes, 0));
    TEST_ASSERT_EQUAL_STRING("mine\n", bytes);
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, workspace_locate(ws, planted, 0, &place, &error));
}

void test_workspace__a_root_that_is_replaced_by_a_link(void) {
    ws = open_project("");
    TEST_ASSERT_EQUAL(0, rename(project_path(""), base_path("moved")));
    make_link(project_path(""), "moved");
    says_moved("a.txt", base_path("moved"));
}

void test_workspace__a_root_that_is_removed(void) {
    ws = open_project("");
    remove_all(project_path(""));
    says_moved("a.txt", "is gone");
    plant_impostor();
    says_moved("a.txt", "another one has its name");
    says_moved("planted", "another one has its name");
}

/* -- allowed paths that do not stay (threat 81) ----------------------------------------------- */

void test_workspace__an_allowed_path_that_is_replaced(void) {
    make_file(base_path("lib/f"), "lib\n");
    make_link(base_path("l"), "lib");
    ws = open_project("\"allowed_paths\": [\"%s/l\"]");
    TEST_ASSERT_EQUAL_STRING("lib\n", content_of(ws, base_path("l/f")));
    TEST_ASSERT_EQUAL(0, unlink(base_path("l")));
    make_link(base_path("l"), "outside");
    TEST_ASSERT_EQUAL_STRING("lib\n", content_of(ws, base_path("l/f")));
    TEST_ASSERT_EQUAL(0, rename(base_path("lib"), base_path("gone")));
    make_link(base_path("lib"), "outside");
    TEST_ASSERT_EQUAL_STRING("lib\n", content_of(ws, base_path("lib/f")));
    remove_all(base_path("gone"));
    TEST_ASSERT_EQUAL_STRING("not-found", content_of(ws, base_path("lib/f")));
    TEST_ASSERT_EQUAL_STRING("outside-root", content_of(ws, base_path("gone/f")));
}

/* -- rules ------------------------------------------------------------------------------------ */

static bool hides(const char *path) {
    return workspace_hides(ws, &ws->roots[0], path, strlen(path));
}

void test_workspace__a_rule_binds_what_is_not_there_yet(void) {
    ws = open_project("\"restricted_paths\": [\"later//x/./y\", \"none/../soon\", \"dang\"]");
    TEST_ASSERT_TRUE(hides("later/x/y"));
    TEST_ASSERT_TRUE(hides("soon/z"));
    TEST_ASSERT_FALSE(hides("later/x"));
    make_file(project_path("later/x/y/z"), "x");
    make_file(project_path("soon"), "x");
    make_link(project_path("dang"), "a.txt");
    TEST_ASSERT_EQUAL_STRING("restricted", content_of(ws, "later/x/y/z"));
    TEST_ASSERT_EQUAL_STRING("restricted", content_of(ws, "soon"));
    TEST_ASSERT_EQUAL_STRING("restricted", content_of(ws, "dang"));
    TEST_ASSERT_EQUAL_STRING("mine\n", content_of(ws, "a.txt"));
    const json_t *reply = ask(ws, "list_directory", "{\"depth\": 4}");
    TEST_ASSERT_EQUAL_STRING("a.txt later later/x sub sub/b.txt",
                             names_in(reply, "entries", "path"));
}

void test_workspace__a_rule_holds_for_its_spelling_and_its_meaning(void) {
    make_link(project_path("l"), "sub");
    ws = open_project("\"restricted_paths\": [\"./l\"]");
    TEST_ASSERT_TRUE(hides("l"));
    TEST_ASSERT_TRUE(hides("sub"));
    TEST_ASSERT_TRUE(hides("sub/b.txt"));
    TEST_ASSERT_FALSE(hides("a.txt"));
}

/* The longest root, and below it the longest path that a walk asks about. */
void test_workspace__paths_of_any_length_are_judged(void) {
    ws = open_project("\"restricted_paths\": [\"sub\"]");
    static char root[PATH_BYTES_MAX + 1], path[PATH_BYTES_MAX + NAME_BYTES_MAX + 2];
    memset(root, 'r', PATH_BYTES_MAX);
    root[0] = '/';
    memset(path, 'p', sizeof path - 1);
    const struct root deep = {.path = root, .len = PATH_BYTES_MAX};
    TEST_ASSERT_FALSE(workspace_hides(ws, &deep, path, sizeof path - 1));
    TEST_ASSERT_FALSE(workspace_hides(ws, &deep, path, 0));
}

/* -- how places are shown --------------------------------------------------------------------- */

static void shows(const struct root *root, const char *path, const char *as) {
    AUTO(buf_free) struct buf out = {0};
    place_show(ws, root, path, strlen(path), &out);
    TEST_ASSERT_EQUAL_STRING(as, out.data);
}

void test_workspace__places_are_shown_relative_to_the_project(void) {
    ws = open_project("\"allowed_paths\": [\"%s/outside\"], \"mode\": \"unrestricted\"");
    shows(&ws->roots[0], "", ".");
    shows(&ws->roots[0], "a/b", "a/b");
    shows(&ws->roots[1], "", base_path("outside"));
    shows(&ws->roots[1], "f", base_path("outside/f"));
    shows(&ws->roots[2], "", "/");
    shows(&ws->roots[2], "etc", "/etc");
}

/* -- words ------------------------------------------------------------------------------------ */

static const char *message(const char *path) {
    return text_in(ask_path(ws, "read_file", path), "message");
}

/* The path is shown as it was given: a quote or tilde at its beginning is syntax, and not escaped.
 */
void test_workspace__messages_name_the_path_as_given(void) {
    ws = open_project("\"home\": \"%s\"");
    TEST_ASSERT_EQUAL_STRING("Path 'none' does not exist", message("none"));
    TEST_ASSERT_EQUAL_STRING("Path './/none' does not exist", message(".//none"));
    TEST_ASSERT_EQUAL_STRING("Path '~/project/none' does not exist", message("~/project/none"));
    TEST_ASSERT_EQUAL_STRING("Path '\"n\\377\"' does not exist", message("\"n\\377\""));
    TEST_ASSERT_EQUAL_STRING("Path '\"a\\nb\"' does not exist", message("a\nb"));
    TEST_ASSERT_NOT_NULL(strstr(message("~/x\x1b[2J"), "\\033"));
    TEST_ASSERT_NULL(strstr(message("~/x\x1b[2J"), "\x1b"));
}

/* Threat 133. */
void test_workspace__messages_are_bounded(void) {
    ws = open_project("");
    TEST_ASSERT_TRUE(strlen(message(repeated("d/", 2000))) < 1024);
    const char override[] = {(char)0xE2, (char)0x80, (char)0xAE, '/', '\0'}; /* U+202E */
    TEST_ASSERT_TRUE(strlen(message(repeated(override, 1000))) < 1024);
}

void test_workspace__outside_is_never_described(void) {
    ws = open_project("");
    char expected[1000];
    (void)snprintf(expected, sizeof expected, "Path 'lo' is outside project root (%s/)",
                   project_path(""));
    static const char *const targets[] = {"../outside/f", "../outside/none", "../outside", "/",
                                          "/proc/1/root", "../outside/f/x"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        remove_all(project_path("lo"));
        make_link(project_path("lo"), targets[i]);
        TEST_ASSERT_EQUAL_STRING(expected, message("lo"));
    }
}

/* -- a tree that keeps changing --------------------------------------------------------------- */

static int locates, opens;
static enum code open_answer;

static int say_file(struct aqfs_workspace *w, const char *path, size_t n, unsigned flags,
                    struct place *out, struct buf *names, struct error *error) {
    (void)path, (void)n, (void)flags, (void)names, (void)error;
    locates++;
    *out = (struct place){.root = &w->roots[0], .type = NODE_FILE, .len = 5, .path = "a.txt"};
    return AQFS_OK;
}

static int say_raced(struct aqfs_workspace *w, const char *path, size_t n, unsigned flags,
                     struct place *out, struct buf *names, struct error *error) {
    (void)w, (void)path, (void)n, (void)flags, (void)names, (void)out;
    locates++;
    return fail_path(error, AQFS_RACED, FAULT_BY_CODE, "It changed");
}

static int refuse(struct aqfs_workspace *w, const struct root *root, const char *path,
                  enum open_kind kind, struct node *out, struct error *error) {
    (void)w, (void)root, (void)path, (void)kind, (void)out;
    opens++;
    return fail_path(error, open_answer, FAULT_BY_CODE, "It was refused");
}

static int open_with(struct backend *backend) {
    struct place place;
    struct node node;
    locates = opens = 0;
    ws->backend = backend;
    return workspace_open_path(ws, (struct text_ref){"a.txt", 5}, OPEN_FILE, &place, &node, &e);
}

void test_workspace__what_keeps_changing_is_raced(void) {
    ws = open_project("");
    static struct backend backend; /* until the workspace is closed */
    backend = host_backend;
    backend.locate = say_file;
    backend.open = refuse;
    static const enum code changes[] = {AQFS_RACED, AQFS_NOT_FOUND, AQFS_NOT_REGULAR,
                                        AQFS_IS_DIRECTORY, AQFS_OUTSIDE_ROOT};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        open_answer = changes[i];
        TEST_ASSERT_TRUE(open_with(&backend) != AQFS_OK);
        TEST_ASSERT_EQUAL(64, opens);
        TEST_ASSERT_EQUAL(64, locates);
    }
    open_answer = AQFS_RACED;
    TEST_ASSERT_EQUAL(AQFS_RACED, open_with(&backend));
    TEST_ASSERT_EQUAL_STRING("Path 'a.txt' kept changing while it was looked at", e.message);
    open_answer = AQFS_PERMISSION; /* no change: not tried again */
    TEST_ASSERT_EQUAL(AQFS_PERMISSION, open_with(&backend));
    TEST_ASSERT_EQUAL(1, opens);
    backend.locate = say_raced;
    TEST_ASSERT_EQUAL(AQFS_RACED, open_with(&backend));
    TEST_ASSERT_EQUAL(64, locates);
    TEST_ASSERT_EQUAL(0, opens);
    struct place place;
    TEST_ASSERT_EQUAL(AQFS_RACED,
                      workspace_locate(ws, (struct text_ref){"a.txt", 5}, 0, &place, &e));
    TEST_ASSERT_EQUAL(128, locates);
}

static int refuse_in_words(struct aqfs_workspace *w, const struct root *root, const char *path,
                           enum open_kind kind, struct node *out, struct error *error) {
    (void)w, (void)root, (void)path, (void)kind, (void)out;
    (void)fail(error, open_answer, "mount");
    error_hint(error, "Ask the daemon");
    return (int)open_answer;
}

/* A message that is complete where the fault is found is the one that the caller gets, whatever its
 * code and its text are. */
void test_workspace__complete_messages_stay(void) {
    ws = open_project("");
    static struct backend backend; /* until the workspace is closed */
    backend = host_backend;
    backend.open = refuse_in_words;
    static const enum code codes[] = {
#define X(constant, ...) AQFS_##constant,
        ERROR_CODES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        open_answer = codes[i];
        TEST_ASSERT_EQUAL(open_answer, open_with(&backend));
        TEST_ASSERT_EQUAL_STRING_MESSAGE("mount", e.message, code_name(open_answer));
        TEST_ASSERT_EQUAL_STRING_MESSAGE("Ask the daemon", e.hint, code_name(open_answer));
    }
}

/* The rules judge the backend's place, not the caller's spelling. */
void test_workspace__judges_the_place_that_was_found(void) {
    ws = open_project("\"restricted_paths\": [\"a.txt\"]");
    static struct backend backend; /* until the workspace is closed */
    backend = host_backend;
    struct place place;
    backend.locate = say_file;
    ws->backend = &backend;
    TEST_ASSERT_EQUAL(AQFS_RESTRICTED,
                      workspace_locate(ws, (struct text_ref){"harmless", 8}, 0, &place, &e));
    TEST_ASSERT_EQUAL_STRING("Path 'harmless' is restricted", e.message);
}

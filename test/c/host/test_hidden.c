/* SPDX-License-Identifier: MIT */
#include "host.h"

#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET "TOPSECRET"
#define RULES "\"restricted_paths\":[\"secret\",\".env\"]"

void setUp(void) {
    support_start();
    make_file(project_path("open/a"), "open\n");
    make_file(project_path("secret/deep/key"), SECRET "\n");
    make_file(project_path("secret/key"), SECRET "\n");
    make_file(project_path(".env"), SECRET "\n");
    make_link(base_path("link"), "project/secret");
    ws = open_project(RULES);
}

static const char *answer(const char *op, const char *format, const char *path) {
    char arguments[PATH_BYTES_MAX + 200];
    (void)snprintf(arguments, sizeof arguments, format, path);
    const json_t *reply = ask(ws, op, arguments);
    char *text = json_dumps(reply, 0);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, SECRET), text);
    free(text);
    return code_of(reply);
}

/* Every operation answers that PATH is restricted, and none shows the bytes. */
static void is_refused(const char *path) {
    static const char *const one[] = {"read_file", "read_bytes", "get_file_info", "delete_file"};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE("restricted", answer(one[i], "{\"path\":\"%s\"}", path),
                                         path);
    TEST_ASSERT_EQUAL_STRING("restricted",
                             answer("write_file", "{\"path\":\"%s\",\"content\":\"x\"}", path));
    TEST_ASSERT_EQUAL_STRING(
        "restricted", answer("copy_file", "{\"source\":\"%s\",\"destination\":\"n\"}", path));
    TEST_ASSERT_EQUAL_STRING(
        "restricted", answer("move_file", "{\"source\":\"%s\",\"destination\":\"n\"}", path));
    (void)answer("grep_files", "{\"path\":\"%s\",\"pattern\":\"TOP\"}", path);
    (void)answer("grep_files", "{\"pattern\":\"%s\"}", "TOP");
}

static void is_read(const char *path) {
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(ask_path(ws, "read_file", path)), path);
}

/* -- hard links -------------------------------------------------------------------------------- */

/* Threat 142. */
void test_hidden__another_name_of_a_restricted_file(void) {
    make_second_name(project_path(".env"), project_path("open/other"));
    is_refused("open/other");
    is_read("open/a");
}

void test_hidden__another_name_of_a_file_below(void) {
    make_second_name(project_path("secret/key"), project_path("open/k"));
    make_second_name(project_path("secret/deep/key"), project_path("open/d"));
    is_refused("open/k");
    is_refused("open/d");
}

/* The name is newer than what was found below the first time. */
void test_hidden__a_later_name(void) {
    make_second_name(project_path("open/a"), project_path("open/twin"));
    is_read("open/twin");
    make_second_name(project_path("secret/key"), project_path("open/k"));
    is_refused("open/k");
    make_file(project_path("secret/new"), SECRET "\n");
    make_second_name(project_path("secret/new"), project_path("open/n"));
    is_refused("open/n");
    is_read("open/a");
}

/* The restricted name leads to another file by now. */
void test_hidden__a_replaced_file(void) {
    make_file(project_path("new"), SECRET "\n");
    make_second_name(project_path("new"), project_path("open/new"));
    is_read("open/a");
    TEST_ASSERT_EQUAL(0, rename(project_path("new"), project_path(".env")));
    is_refused("open/new");
}

void test_hidden__names_elsewhere_are_free(void) {
    make_second_name(project_path("open/a"), project_path("open/twin"));
    is_read("open/a");
    is_read("open/twin");
}

void test_hidden__names_in_what_is_allowed_below(void) {
    make_file(project_path("secret/shown/f"), "shown\n");
    make_link(project_path("l"), "secret/shown");
    reopen(RULES ",\"allowed_paths\":[\"secret/shown\"]");
    make_second_name(project_path("secret/shown/f"), project_path("open/f"));
    is_read("open/f");
    is_read("secret/shown/f");
    is_read("l/f");
    make_second_name(project_path("secret/key"), project_path("secret/shown/key"));
    is_refused("secret/shown/key");
}

/* More levels are restricted than are looked at: then a file of several names is refused. */
void test_hidden__too_many_to_know(void) {
    char *deep = path_of("%s/%s", project_path("secret"), repeated("d/", 80));
    make_directory(deep);
    free(deep);
    make_second_name(project_path("open/a"), project_path("open/twin"));
    const json_t *reply = ask_path(ws, "read_file", "open/twin");
    TEST_ASSERT_EQUAL_STRING("restricted", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "it has several names"));
    make_file(project_path("open/single"), "x\n");
    is_read("open/single");
}

/* -- our own state ----------------------------------------------------------------------------- */

/* Writes over what holds a secret, so that our state keeps its bytes. */
static void keep_a_secret(const char *members) {
    make_file(project_path("plain"), SECRET "\n");
    reopen(members);
    put_file(ws, "plain", "new");
}

/* Threat 160: the state directory of a home that is the project. */
void test_hidden__our_own_state(void) {
    keep_a_secret(RULES ",\"state_dir\":\"%s/project/var/state/\"");
    TEST_ASSERT_EQUAL(0, access(project_path("var/state/kept"), R_OK));
    make_link(project_path("way"), "var");
    make_second_name(project_path("open/a"), project_path("var/state/kept/same"));
    is_refused("var/state");
    is_refused("var/state/kept");
    is_refused("way/state/journal/x");
    is_refused("var/state/kept/same");
    TEST_ASSERT_EQUAL_STRING("restricted", answer("list_dir", "{\"path\":\"%s\"}", "var/state"));
    TEST_ASSERT_EQUAL_STRING("restricted",
                             answer("delete_file", "{\"path\":\"%s\",\"recursive\":true}", "var"));
    TEST_ASSERT_EQUAL(0, access(project_path("var/state/kept"), R_OK));
    /* A large file that is replaced is there as well for a moment. */
    is_read("open/a");
}

void test_hidden__our_own_state_on_the_whole_machine(void) {
    char state[PATH_BYTES_MAX + 1];
    keep_a_secret(RULES ",\"mode\":\"unrestricted\",\"state_dir\":\"%s/state\"");
    (void)snprintf(state, sizeof state, "%s", base_path("state/kept"));
    is_refused(state);
    is_read("plain");
}

/* -- mounts ------------------------------------------------------------------------------------ */

static int mounted_twice(void) {
    make_directory(project_path("again"));
    make_file(project_path("file"), "");
    if (!own_mounts() ||
        mount(project_path("secret"), project_path("again"), NULL, MS_BIND, NULL) != 0 ||
        mount(project_path(".env"), project_path("file"), NULL, MS_BIND, NULL) != 0)
        return CHILD_SKIP;
    reopen(RULES ",\"cross_mounts\":true");
    CHILD_CHECK(strcmp(answer("read_file", "{\"path\":\"%s\"}", "again/key"), "restricted") == 0);
    CHILD_CHECK(strcmp(answer("read_file", "{\"path\":\"%s\"}", "file"), "restricted") == 0);
    CHILD_CHECK(strcmp(answer("list_dir", "{\"path\":\"%s\"}", "again/deep"), "restricted") == 0);
    CHILD_CHECK(strcmp(answer("list_dir", "{\"path\":\"%s\"}", "again"), "restricted") == 0);
    (void)answer("grep_files", "{\"pattern\":\"%s\"}", "TOP");
    return 0;
}

/* Threat 142. */
void test_hidden__mounted_under_another_name(void) {
    run_child(mounted_twice, "mounts of one's own are not permitted here");
}

/* -- letter case ------------------------------------------------------------------------------- */

static int other_cases(void) {
    if (!mount_folding(base_path("image"), base_path("folding"), project_path("")))
        return CHILD_SKIP;
    make_file(project_path("secret/key"), SECRET "\n");
    make_file(project_path(".env"), SECRET "\n");
    make_file(project_path("open"), "open\n");
    reopen("\"restricted_paths\":[\"secret\",\".env\",\"later\"],\"protected_paths\":[\"ci\"]");
    static const char *const paths[] = {"SECRET/key", "Secret/KEY", ".ENV",  "secret/key",
                                        "LATER",      "Later/x",    "sECRET"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHILD_CHECK(strcmp(answer("read_file", "{\"path\":\"%s\"}", paths[i]), "restricted") == 0);
    CHILD_CHECK(strcmp(answer("list_dir", "{\"path\":\"%s\"}", "SECRET"), "restricted") == 0);
    CHILD_CHECK(strcmp(answer("make_directory", "{\"path\":\"%s\"}", "Later"), "restricted") == 0);
    (void)answer("grep_files", "{\"path\":\"%s\",\"pattern\":\"TOP\"}", "SECRET");
    CHILD_CHECK(strcmp(answer("read_file", "{\"path\":\"%s\"}", "OPEN"), "ok") == 0);
    CHILD_CHECK(workspace_protects(ws, &ws->roots[0], "CI/x"));
    return 0;
}

/* Threat 143. */
void test_hidden__letter_case_where_it_is_folded(void) {
    run_child(other_cases, "no file system that folds letter case can be mounted here");
}

/* The names are two where the file system says so. */
void test_hidden__letter_case_elsewhere(void) {
    make_file(project_path("SECRET/key"), "open\n");
    is_read("SECRET/key");
}

/* -- what is counted --------------------------------------------------------------------------- */

void test_hidden__links_of_a_directory(void) {
    make_directory(project_path("d/shown"));
    long long before = number_in(ask_path(ws, "get_file_info", "d"), "links");
    make_directory(project_path("d/private"));
    reopen("\"restricted_paths\":[\"d/private\",\"secret\",\"../link\"]");
    TEST_ASSERT_EQUAL(before, number_in(ask_path(ws, "get_file_info", "d"), "links"));
    struct stat s;
    TEST_ASSERT_EQUAL(0, stat(project_path(""), &s));
    long long fewer = s.st_nlink > 2 ? 1 : 0;
    TEST_ASSERT_EQUAL((long long)s.st_nlink - fewer,
                      number_in(ask_path(ws, "get_file_info", "."), "links"));
}

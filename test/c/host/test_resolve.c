/* SPDX-License-Identifier: MIT */
#include "host.h"

#include "cleanup.h"
#include "clock.h"
#include "fixture.h"

#include "unity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct place place;
static struct error e;

void setUp(void) {
    support_start();
    make_file(project_path("a/b/f"), "f\n");
    make_file(project_path("top"), "top\n");
    make_file(base_path("outside/f"), "outside\n");
    ws = open_project("");
}

static int locate(const char *path, unsigned flags) {
    memset(&place, 0x55, sizeof place);
    return host_locate(ws, path, strlen(path), flags, &place, NULL, &e);
}

static void leads(const char *path, unsigned flags, const char *to, enum node_type type) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, locate(path, flags), path);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(to, place.path, path);
    TEST_ASSERT_EQUAL_MESSAGE(strlen(to), place.len, path);
    TEST_ASSERT_EQUAL_MESSAGE(type, place.type, path);
    TEST_ASSERT_EQUAL_PTR(&ws->roots[0], place.root);
}

static void fails(const char *path, unsigned flags, enum code code) {
    TEST_ASSERT_EQUAL_STRING_MESSAGE(code_name(code), code_name((enum code)locate(path, flags)),
                                     path);
}

static void leads_out(const char *path) {
    fails(path, 0, AQFS_OUTSIDE_ROOT);
    fails(path, LOCATE_MISSING, AQFS_OUTSIDE_ROOT);
}

/* -- spellings -------------------------------------------------------------------------------- */

void test_resolve__spellings_of_one_place(void) {
    static const char *const files[] = {"a/b/f",      "./a/b/f",    "a//b/f",       "a/./b/./f",
                                        "a/../a/b/f", "a/b/../b/f", "a/b/./../b//f"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        leads(files[i], 0, "a/b/f", NODE_FILE);
    static const char *const directories[] = {"a/b", "a/b/", "a/b/.", "a/b//", "a/b/./", "a/b/./."};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        leads(directories[i], 0, "a/b", NODE_DIRECTORY);
    static const char *const roots[] = {".", "./", "a/..", "a/b/../..", ".//.", "./.", "a/../."};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        leads(roots[i], 0, "", NODE_DIRECTORY);
}

void test_resolve__a_slash_at_the_end_is_remembered(void) {
    leads("a/b/", 0, "a/b", NODE_DIRECTORY);
    TEST_ASSERT_TRUE(place.must_be_dir);
    leads("a/b/.", 0, "a/b", NODE_DIRECTORY);
    TEST_ASSERT_TRUE(place.must_be_dir);
    leads("a/b", 0, "a/b", NODE_DIRECTORY);
    TEST_ASSERT_FALSE(place.must_be_dir);
    leads("none/", LOCATE_MISSING, "none", NODE_MISSING);
    TEST_ASSERT_TRUE(place.must_be_dir);
}

void test_resolve__absolute_paths(void) {
    leads(project_path("a/b/f"), 0, "a/b/f", NODE_FILE);
    leads(project_path(""), 0, "", NODE_DIRECTORY);
    leads(project_path("a/.."), 0, "", NODE_DIRECTORY);
    leads(base_path("project/../project/top"), 0, "top", NODE_FILE);
    leads_out(base_path(""));
    leads_out(base_path("outside/f"));
    leads_out(base_path("project/../outside/f"));
    leads_out("/");
    leads_out("//");
    leads_out("/..");
    leads_out("/etc/passwd");
}

/* Threat 2. */
void test_resolve__siblings_with_the_same_beginning(void) {
    make_file(base_path("project-evil/f"), "x");
    make_file(base_path("proj"), "x");
    leads_out(base_path("project-evil/f"));
    leads_out(base_path("proj"));
    leads_out("../project-evil/f");
    leads_out("../proj");
}

/* Threat 3. */
void test_resolve__the_callers_name_of_the_root(void) {
    make_link(base_path("link"), "project");
    leads_out(base_path("link/top"));
    aqfs_free(ws);
    char options[8300];
    (void)snprintf(options, sizeof options, "{\"root\": \"%s\"}", base_path("link"));
    aqfs_reply_free(aqfs_open(options, strlen(options), AQFS_JSON, &ws));
    leads(base_path("link/top"), 0, "top", NODE_FILE);
    leads(base_path("project/top"), 0, "top", NODE_FILE);
    leads(base_path("link/../project/top"), 0, "top", NODE_FILE);
    leads_out(base_path("link2/top"));
}

/* -- missing files ---------------------------------------------------------------------------- */

void test_resolve__missing_names(void) {
    fails("none", 0, AQFS_NOT_FOUND);
    fails("none/x", 0, AQFS_NOT_FOUND);
    fails("a/none", 0, AQFS_NOT_FOUND);
    leads("none", LOCATE_MISSING, "none", NODE_MISSING);
    leads("none/x/y", LOCATE_MISSING, "none/x/y", NODE_MISSING);
    leads("a//none/./x", LOCATE_MISSING, "a/none/x", NODE_MISSING);
    fails("none/..", LOCATE_MISSING, AQFS_NOT_FOUND);
    fails("none/../top", LOCATE_MISSING, AQFS_NOT_FOUND);
    fails("none/x/../y", LOCATE_MISSING, AQFS_NOT_FOUND);
    leads("none..x", LOCATE_MISSING, "none..x", NODE_MISSING);
    leads("none/...", LOCATE_MISSING, "none/...", NODE_MISSING);
}

void test_resolve__files_are_no_directories(void) {
    static const char *const paths[] = {"top/x",      "top/",    "top/.", "top/..",
                                        "top/../top", "top/x/y", "top//"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        fails(paths[i], 0, AQFS_NOT_A_DIRECTORY);
        fails(paths[i], LOCATE_MISSING, AQFS_NOT_A_DIRECTORY);
    }
}

/* -- links ------------------------------------------------------------------------------------ */

void test_resolve__links_that_stay_inside(void) {
    make_link(project_path("relative"), "a/b/f");
    make_link(project_path("absolute"), project_path("a/b/f"));
    make_link(project_path("a/up"), "..");
    make_link(project_path("a/b/back"), "../../relative");
    make_link(project_path("around"), "../project/a/b");
    make_link(project_path("slashes"), "a//b/");
    make_link(project_path("self"), ".");
    leads("relative", 0, "a/b/f", NODE_FILE);
    leads("absolute", 0, "a/b/f", NODE_FILE);
    leads("a/up/top", 0, "top", NODE_FILE);
    leads("a/b/back", 0, "a/b/f", NODE_FILE);
    leads("around/f", 0, "a/b/f", NODE_FILE);
    leads("around", 0, "a/b", NODE_DIRECTORY);
    leads("around/", 0, "a/b", NODE_DIRECTORY);
    leads("slashes/f", 0, "a/b/f", NODE_FILE);
    leads("self/self/a/up/self/top", 0, "top", NODE_FILE);
}

/* The text of the last link of a chain says what the whole of it leads to. */
void test_resolve__a_slash_at_the_end_of_a_link(void) {
    make_link(project_path("one"), "top/");
    make_link(project_path("two"), "one");
    make_link(project_path("three"), "two");
    static const char *const names[] = {"one", "two", "three"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fails(names[i], 0, AQFS_NOT_A_DIRECTORY);
        fails(names[i], LOCATE_MISSING, AQFS_NOT_A_DIRECTORY);
    }
}

/* Threat 7: the directory that a link leads to has its own parent. */
void test_resolve__dotdot_behind_a_link(void) {
    make_file(project_path("b/f"), "wrong\n");
    make_link(project_path("dirl"), "a/b");
    leads("dirl/../b/f", 0, "a/b/f", NODE_FILE);
    leads("dirl/..", 0, "a", NODE_DIRECTORY);
    make_link(project_path("dang"), "none");
    fails("dang/../top", 0, AQFS_NOT_FOUND);
    fails("dang/../top", LOCATE_MISSING, AQFS_NOT_FOUND);
}

/* Threats 10, 11 and 13. */
void test_resolve__links_that_lead_out(void) {
    make_link(project_path("out"), "../outside");
    make_link(project_path("out-file"), "../outside/f");
    make_link(project_path("absolute"), base_path("outside"));
    make_link(project_path("dangling"), "../outside/none");
    make_link(project_path("all"), "/");
    make_link(project_path("hop1"), "a/hop2");
    make_link(project_path("a/hop2"), "b/hop3");
    make_link(project_path("a/b/hop3"), "../../../outside/f");
    static const char *const paths[] = {
        "out",        "out/",     "out/.", "out//",   "out/f", "out/none", "out-file", "absolute",
        "absolute/f", "dangling", "all",   "all/etc", "hop1",  "a/hop2",   "out/../f", "out/./f"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        leads_out(paths[i]);
}

/* Even where it would come back, nothing outside is opened: only text can lead back. */
void test_resolve__out_and_back(void) {
    make_link(project_path("out"), "../outside");
    make_link(base_path("outside/back"), "../project/top");
    leads("../project/top", 0, "top", NODE_FILE);
    leads("a/../../project/a/b/f", 0, "a/b/f", NODE_FILE);
    leads_out("out/back");
    leads_out("out/../project/top");
    leads_out("../outside/../project/top");
    leads_out("../none/../project/top");
    leads_out("../../../../../../../../../../etc/passwd");
}

void test_resolve__the_link_itself(void) {
    make_link(project_path("in"), "a");
    make_link(project_path("out"), "../outside");
    make_link(project_path("loop"), "loop");
    leads("in", LOCATE_LINK, "in", NODE_SYMLINK);
    leads("out", LOCATE_LINK, "out", NODE_SYMLINK);
    leads("loop", LOCATE_LINK, "loop", NODE_SYMLINK);
    leads("a/../out", LOCATE_LINK, "out", NODE_SYMLINK);
    leads("in/", LOCATE_LINK, "a", NODE_DIRECTORY); /* a slash asks for what it leads to */
    leads("in/b", LOCATE_LINK, "a/b", NODE_DIRECTORY);
    fails("out/", LOCATE_LINK, AQFS_OUTSIDE_ROOT);
    fails("out/.", LOCATE_LINK, AQFS_OUTSIDE_ROOT);
    fails("out/f", LOCATE_LINK, AQFS_OUTSIDE_ROOT);
}

/* Threat 12. */
void test_resolve__dangling_links(void) {
    make_link(project_path("d"), "a/none");
    fails("d", 0, AQFS_NOT_FOUND);
    leads("d", LOCATE_MISSING, "a/none", NODE_MISSING);
    leads("d/x", LOCATE_MISSING, "a/none/x", NODE_MISSING);
    leads("d", LOCATE_LINK | LOCATE_MISSING, "d", NODE_SYMLINK);
}

void test_resolve__a_link_to_a_file_with_a_slash(void) {
    make_link(project_path("l"), "top/");
    make_link(project_path("dot"), "top/.");
    make_link(project_path("d"), "a/");
    fails("l", 0, AQFS_NOT_A_DIRECTORY);
    fails("dot", 0, AQFS_NOT_A_DIRECTORY);
    leads("d", 0, "a", NODE_DIRECTORY);
    leads("d/b/f", 0, "a/b/f", NODE_FILE); /* the slash is the link's, not the path's */
}

/* Threat 14. */
void test_resolve__loops_and_chains(void) {
    char from[20], to[20];
    make_link(project_path("self"), "self");
    make_link(project_path("x"), "y");
    make_link(project_path("y"), "x");
    make_link(project_path("down"), "down/down");
    for (int i = 1; i <= 41; i++) {
        (void)snprintf(from, sizeof from, "c%d", i);
        (void)snprintf(to, sizeof to, i < 41 ? "c%d" : "top", i + 1);
        make_link(project_path(from), to);
    }
    int64_t start = clock_now_ns();
    fails("self", 0, AQFS_LOOP);
    fails("x", 0, AQFS_LOOP);
    fails("y/z", 0, AQFS_LOOP);
    fails("down", 0, AQFS_LOOP);
    fails("c1", 0, AQFS_LOOP);
    leads("c2", 0, "top", NODE_FILE);
    TEST_ASSERT_TRUE(clock_now_ns() - start < INT64_C(10000000000));
}

/* Threat 16. */
void test_resolve__links_into_proc(void) {
    static const char *const targets[] = {"/proc/self/root", "/proc/self/fd/0", "/proc/self/cwd",
                                          "/dev/stdin", "/proc/self/exe"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        remove_all(project_path("l"));
        make_link(project_path("l"), targets[i]);
        leads_out("l");
        leads_out("l/etc/passwd");
    }
    /* Where /proc itself may be read, its links still lead nowhere. */
    reopen("\"mode\": \"unrestricted\"");
    fails("/proc/self/fd/0", 0, AQFS_OUTSIDE_ROOT);
    fails("/proc/self/cwd/top", 0, AQFS_OUTSIDE_ROOT);
    fails("l", 0, AQFS_OUTSIDE_ROOT);
    TEST_ASSERT_EQUAL(AQFS_OK, locate("/proc/1/status", 0));
}

/* -- restricted places ------------------------------------------------------------------------ */

/* Threats 79 and 133: walking through a restricted place reveals nothing of what is there. */
void test_resolve__nothing_passes_through_restricted_places(void) {
    make_file(project_path("secret/deep/k"), "k\n");
    make_link(project_path("secret/back"), "../top");
    make_link(project_path("secret/loop"), "loop");
    reopen("\"restricted_paths\": [\"secret\"]");
    static const char *const paths[] = {
        "secret/../top",       "secret/deep/../../top", "secret/none/../../top", "secret/back",
        "secret/none/x/../..", "secret/deep/k/x",       "secret/deep/k/",        "secret/loop",
        "secret/loop/x",       "secret/back/x"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        fails(paths[i], 0, AQFS_RESTRICTED);
        fails(paths[i], LOCATE_MISSING, AQFS_RESTRICTED);
    }
    leads("a/../top", 0, "top", NODE_FILE);
}

void test_resolve__an_allowed_place_in_a_restricted_one(void) {
    make_file(project_path("secret/open/k"), "k\n");
    reopen("\"restricted_paths\": [\"secret\"], \"allowed_paths\": [\"secret/open\"]");
    TEST_ASSERT_EQUAL(AQFS_OK, locate("secret/open/k", 0));
    TEST_ASSERT_EQUAL_PTR(&ws->roots[1], place.root);
    TEST_ASSERT_EQUAL_STRING("k", place.path);
    TEST_ASSERT_EQUAL(AQFS_OK, locate("secret/open/../open/k", 0));
    fails("secret/open/../../top", 0, AQFS_RESTRICTED);
}

/* -- several roots ---------------------------------------------------------------------------- */

void test_resolve__the_deepest_root_names_a_place(void) {
    reopen("\"allowed_paths\": [\"%s\", \"a/b\"]");
    TEST_ASSERT_EQUAL(AQFS_OK, locate("a/b/f", 0));
    TEST_ASSERT_EQUAL_PTR(&ws->roots[2], place.root);
    TEST_ASSERT_EQUAL_STRING("f", place.path);
    TEST_ASSERT_EQUAL(AQFS_OK, locate(base_path("project/a/b/f"), 0));
    TEST_ASSERT_EQUAL_PTR(&ws->roots[2], place.root);
    TEST_ASSERT_EQUAL(AQFS_OK, locate("../outside/f", 0));
    TEST_ASSERT_EQUAL_PTR(&ws->roots[1], place.root);
    TEST_ASSERT_EQUAL_STRING("outside/f", place.path);
    TEST_ASSERT_EQUAL(AQFS_OK, locate("..", 0));
    TEST_ASSERT_EQUAL_STRING("", place.path);
    leads_out("../..");
}

void test_resolve__dotdot_into_a_root_far_above(void) {
    make_file(base_path("x/y/f"), "f\n");
    reopen("\"mode\": \"unrestricted\"");
    TEST_ASSERT_EQUAL(AQFS_OK, locate("../x/y/f", 0));
    TEST_ASSERT_EQUAL_PTR(&ws->roots[1], place.root);
    TEST_ASSERT_EQUAL_STRING(base_path("x/y/f") + 1, place.path);
    leads("../x/../project/top", 0, "top", NODE_FILE);
    TEST_ASSERT_EQUAL(AQFS_OK, locate("../../../../../../..", 0));
    TEST_ASSERT_EQUAL_STRING("", place.path);
    make_link(project_path("l"), base_path("x"));
    TEST_ASSERT_EQUAL(AQFS_OK, locate("l/y/../y/f", 0));
    TEST_ASSERT_EQUAL_STRING(base_path("x/y/f") + 1, place.path);
}

/* -- long paths ------------------------------------------------------------------------------- */

/* Threat 6: a path of 4,095 bytes, all of whose names exist. */
void test_resolve__paths_of_4095_bytes(void) {
    char path[PATH_BYTES_MAX + 1], deep[402];
    (void)snprintf(deep, sizeof deep, "%s", repeated("d/", 201));
    deep[401] = '\0'; /* without the last slash */
    make_directory(project_path(deep));
    (void)snprintf(path, sizeof path, "%s/%s.//", deep, repeated("./", 1845));
    TEST_ASSERT_EQUAL(PATH_BYTES_MAX, strlen(path));
    leads(path, 0, deep, NODE_DIRECTORY);
}

void test_resolve__links_that_make_a_path_too_long(void) {
    make_link(project_path("l"), repeated("./", 2000));
    leads("l/top", 0, "top", NODE_FILE);
    leads(repeated("l/", 30), 0, "", NODE_DIRECTORY);
    make_link(project_path("m"), "m/m/m/m/m/m/m/m");
    fails("m", 0, AQFS_LOOP);
    make_directory(project_path("d"));
    make_link(project_path("d/l"), repeated("x/", 2000));
    fails(repeated("d/l/", 1000), 0, AQFS_NOT_FOUND);
}

/* -- races, in small; test/race has them in full ---------------------------------------------- */

static atomic_bool stop;

static void *swap_links(void *data) {
    char spare[400], swapped[400];
    (void)snprintf(spare, sizeof spare, "%s", project_path("spare"));
    (void)snprintf(swapped, sizeof swapped, "%s", project_path("swapped"));
    bool worked = true;
    while (worked && !atomic_load(&stop))
        worked = symlink("../outside", spare) == 0 && rename(spare, swapped) == 0 &&
                 symlink("a/b", spare) == 0 && rename(spare, swapped) == 0;
    return worked ? NULL : data;
}

static void *swap_directory(void *data) {
    char inner[400], outer[400];
    (void)snprintf(inner, sizeof inner, "%s", project_path("c"));
    (void)snprintf(outer, sizeof outer, "%s", project_path("elsewhere/c"));
    bool worked = true;
    while (worked && !atomic_load(&stop))
        worked = rename(inner, outer) == 0 && rename(outer, inner) == 0;
    return worked ? NULL : data;
}

static void start_renaming(pthread_t *renamer, void *(*body)(void *)) {
    atomic_store(&stop, false);
    TEST_ASSERT_EQUAL(0, pthread_create(renamer, NULL, body, "failed"));
}

static void stop_renaming(pthread_t renamer) {
    void *failed;
    atomic_store(&stop, true);
    TEST_ASSERT_EQUAL(0, pthread_join(renamer, &failed));
    TEST_ASSERT_NULL(failed);
}

/* Threat 86: the place that is opened was judged, whatever the link led to before. */
void test_resolve__a_link_that_changes_its_mind(void) {
    pthread_t renamer;
    int good = 0, wrong = 0;
    make_link(project_path("swapped"), "a/b");
    start_renaming(&renamer, swap_links);
    int64_t end = clock_now_ns() + INT64_C(20000000000);
    for (int i = 0; i < 3000 || (good < 30 && clock_now_ns() < end); i++) {
        int code = locate("swapped/f", 0);
        bool inside = code == AQFS_OK && strcmp("a/b/f", place.path) == 0;
        good += inside;
        wrong += !inside && code != AQFS_OUTSIDE_ROOT && code != AQFS_RACED;
    }
    stop_renaming(renamer);
    TEST_ASSERT_EQUAL(0, wrong);
    TEST_ASSERT_TRUE(good >= 30);
}

/* Threat 19. */
void test_resolve__dotdot_while_the_directory_moves(void) {
    pthread_t renamer;
    char path[300];
    int wrong = 0;
    make_directory(project_path("c"));
    make_directory(project_path("elsewhere"));
    (void)snprintf(path, sizeof path, "%sa/b/f", repeated("c/../", 16));
    start_renaming(&renamer, swap_directory);
    for (int i = 0; i < 2000; i++) {
        int code = locate(path, 0); /* mostly it has been moved at one of the 16 looks */
        wrong += code == AQFS_OK && strcmp("a/b/f", place.path) != 0;
    }
    stop_renaming(renamer);
    TEST_ASSERT_EQUAL(0, wrong);
    leads(path, 0, "a/b/f", NODE_FILE);
}

/* -- names of links ---------------------------------------------------------------------------- */

static void passes(const char *path, enum protection level, const char *names) {
    AUTO(buf_free) struct buf passed = {0};
    struct text_ref given = {path, strlen(path)};
    TEST_ASSERT_EQUAL_MESSAGE(
        AQFS_OK, workspace_locate_named(ws, given, LOCATE_MISSING, &place, &passed, &e), path);
    for (size_t i = 0; i < passed.len; i++)
        if (passed.data[i] == '\0')
            passed.data[i] = ' ';
    buf_str(&passed, "");
    TEST_ASSERT_EQUAL_STRING_MESSAGE(names, passed.data, path);
    TEST_ASSERT_EQUAL_MESSAGE(level, place.passed, path);
}

/* Threat 140. */
void test_resolve__the_names_of_links_are_judged(void) {
    make_link(project_path(".envrc"), "top");
    make_link(project_path(".git"), "a");
    make_link(project_path("l"), ".envrc");
    make_link(project_path("up"), "a/..");
    passes("top", PROTECT_NONE, "");
    passes("a/b/f", PROTECT_NONE, "");
    passes(".envrc", PROTECT_DANGEROUS, ".envrc ");
    passes("l", PROTECT_DANGEROUS, "l .envrc ");
    passes("up/l", PROTECT_DANGEROUS, "up/l l .envrc ");
    passes("./up//./l", PROTECT_DANGEROUS, "up/l l .envrc ");
    passes(".git/b/f", PROTECT_REFUSE, ".git/b/f ");
    passes(".git/new/x", PROTECT_REFUSE, ".git/new/x ");
    passes("up/.git/b", PROTECT_REFUSE, "up/.git/b .git/b ");
    passes(".git/b/../b/f", PROTECT_REFUSE, ".git/b ");
    passes("up/../project/top", PROTECT_NONE, "up ");
}

/* Threats 79 and 140: the rule is of a name that became a link when the workspace was open. */
void test_resolve__a_link_newer_than_the_rules(void) {
    reopen("\"restricted_paths\":[\"ci/key\"],\"protected_paths\":[\"ci/deploy\"]");
    make_file(project_path("shared/key"), "TOPSECRET");
    make_link(project_path("ci"), "shared");
    TEST_ASSERT_EQUAL_STRING("restricted", code_of(ask_path(ws, "read_file", "ci/key")));
    TEST_ASSERT_EQUAL_STRING("restricted", code_of(ask_path(ws, "read_file", "ci/key/../key")));
    passes("ci/deploy", PROTECT_DANGEROUS, "ci/deploy ");
    passes("ci/other", PROTECT_NONE, "ci/other ");
}

/* -- without /proc, and on mounts ------------------------------------------------------------- */

static int without_proc(void) {
    if (!own_mounts() || mount("none", "/proc", "tmpfs", 0, "size=64k") != 0)
        return CHILD_SKIP;
    aqfs_workspace *own = open_project("\"restricted_paths\": [\"secret\"]");
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "l/f")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "lo/f")), "outside-root") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "secret/x")), "restricted") == 0);
    CHILD_CHECK(strcmp(code_of(ask(own, "directory_tree", "{}")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "get_file_info", "top")), "ok") == 0);
    aqfs_free(own);
    return 0;
}

/* Threat 91: nothing here asks /proc. */
void test_resolve__works_without_proc(void) {
    make_link(project_path("l"), "a/b");
    make_link(project_path("lo"), "../outside");
    run_child(without_proc, "mounts of one's own are not permitted here");
}

static int root_on_a_mount(void) {
    make_directory(project_path("mnt"));
    if (!own_mounts() || mount("none", project_path("mnt"), "tmpfs", 0, "size=64k") != 0)
        return CHILD_SKIP;
    make_file(project_path("mnt/p/f"), "f\n");
    aqfs_workspace *own = open_project("\"allowed_paths\": [\"mnt/p\"]");
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", project_path("mnt/p/f"))), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "mnt/p/f")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "mnt/p/../../top")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "list_dir", "mnt")), "outside-root") == 0);
    aqfs_free(own);
    return 0;
}

/* Threat 83: a root may lie on a mount inside another one. */
void test_resolve__a_root_on_a_mount_inside_a_root(void) {
    run_child(root_on_a_mount, "mounts of one's own are not permitted here");
}

static int root_is_a_mount(void) {
    if (!own_mounts() || mount("none", project_path(""), "tmpfs", 0, "size=64k") != 0)
        return CHILD_SKIP;
    make_file(project_path("f"), "f\n");
    make_link(project_path("lo"), "../outside/f");
    aqfs_workspace *own = open_project("");
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "f")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "../project/f")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "lo")), "outside-root") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "../outside/f")), "outside-root") == 0);
    aqfs_free(own);
    return 0;
}

/* Threat 83. */
void test_resolve__a_root_that_is_a_mount(void) {
    run_child(root_is_a_mount, "mounts of one's own are not permitted here");
}

static int mount_message(void) {
    make_directory(project_path("mnt"));
    if (!own_mounts() || mount("none", project_path("mnt"), "tmpfs", 0, "size=64k") != 0)
        return CHILD_SKIP;
    make_file(project_path("mnt/f"), "f\n");
    aqfs_workspace *own = open_project("");
    const json_t *reply = ask_path(own, "read_file", "mnt/f");
    CHILD_CHECK(strcmp(code_of(reply), "outside-root") == 0);
    CHILD_CHECK(strstr(text_in(reply, "message"), "another file system") != NULL);
    aqfs_free(own);
    own = open_project("\"cross_mounts\": true");
    CHILD_CHECK(strcmp(code_of(ask_path(own, "read_file", "mnt/f")), "ok") == 0);
    aqfs_free(own);
    return 0;
}

/* Threat 32. */
void test_resolve__mounts_are_refused_by_name(void) {
    run_child(mount_message, "mounts of one's own are not permitted here");
}

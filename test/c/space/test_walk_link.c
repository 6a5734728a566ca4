/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include "cleanup.h"
#include "die.h"
#include "support.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static aqfs_workspace *ws;
static struct walk walk;
static struct place start;
static struct error e;

void setUp(void) {
    support_start();
    ws = open_project("");
}

static void forget(void) {
    walk_free(&walk);
    aqfs_free(ws);
    ws = NULL;
}

void tearDown(void) {
    forget();
    support_end();
}

static bool shows_all(const void *data, struct walk_ref ref) {
    (void)data, (void)ref;
    return true;
}

/* Walks PATH of the first root, and of the files leaves out those that match EXCEPT. */
static void walk_links(const char *path, const char *except) {
    static struct budget budget;
    const size_t n = strlen(except);
    AUTO(glob_set_free) struct glob_set exclude = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, glob_set_compile(&exclude, &except, &n, 1, &e));
    const struct walk_options options = {
        .order = WALK_BY_PATH, .exclude = &exclude, .link_texts = true, .shows = shows_all};
    start = (struct place){
        .root = &ws->roots[0], .type = NODE_DIRECTORY, .len = strlen(path), .path = ""};
    memcpy(start.path, path, start.len + 1);
    walk_free(&walk);
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, walk_run(ws, &start, &options, &budget, &walk, &e),
                              e.message);
}

static void walk_again(const char *members) {
    forget();
    ws = open_project(members);
    walk_links("", "excluded");
}

/* The entry at PATH, which is relative to the start of the walk. */
static struct walk_ref ref_of(const char *path) {
    const struct walk_dir *dir = walk.start;
    for (;;) {
        const size_t n = strcspn(path, "/");
        struct walk_entry *found = NULL;
        for (size_t i = 0; i < dir->n; i++)
            if (dir->entries[i].name_len == n && memcmp(dir->entries[i].name, path, n) == 0)
                found = &dir->entries[i];
        if (!found)
            die("there is no %s", path);
        if (path[n] == '\0')
            return (struct walk_ref){(struct walk_dir *)dir, found};
        dir = found->dir;
        path += n + 1;
    }
}

static const struct walk_entry *followed(const char *link) {
    return walk_follow(&walk, ref_of(link));
}

static enum node_type led_to(const char *link) {
    return walk_leads_to(ws, &start, &walk, ref_of(link));
}

/* -- what the walk itself can say ---------------------------------------------------------- */

static void make_tree(void) {
    make_file(project_path("f"), "");
    make_file(project_path("d/g"), "");
    make_file(project_path("d/e/h"), "");
    make_file(project_path("d-/x"), "");
    make_file(project_path("d.x"), "");
}

/* LINK, with the text TEXT, leads to the entry that is at TARGET. */
static void check_followed(const char *link, const char *text, const char *target) {
    make_link(project_path(link), text);
    walk_links("", "excluded");
    TEST_ASSERT_EQUAL_PTR_MESSAGE(ref_of(target).entry, followed(link), text);
    TEST_ASSERT_EQUAL_MESSAGE(ref_of(target).entry->type, led_to(link), text);
}

void test_walk_link__a_text_that_stays_in_the_tree(void) {
    make_tree();
    check_followed("l1", "f", "f");
    check_followed("l2", "d", "d");
    check_followed("l3", "d/g", "d/g");
    check_followed("l4", "./d//e/./h", "d/e/h");
    check_followed("d/l5", "../f", "f");
    check_followed("d/e/l6", "../../d/../d-/x", "d-/x");
    check_followed("d/e/l7", "../g", "d/g");
    check_followed("l8", "d.x", "d.x");
    check_followed("l9", "d-", "d-");
}

/* In each order of entries a directory is found among names that begin as its own does. */
void test_walk_link__among_names_with_one_beginning(void) {
    char name[40], link[40];
    for (int i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof name, "common-prefix%c%02d%s", "-./0a"[i % 5], i / 5,
                       i % 3 ? "" : "/f");
        make_file(project_path(name), "");
        (void)snprintf(link, sizeof link, "l%d", i);
        make_link(project_path(link), name);
    }
    walk_links("", "excluded");
    for (int i = 0; i < 40; i++) {
        (void)snprintf(link, sizeof link, "l%d", i);
        TEST_ASSERT_NOT_NULL_MESSAGE(followed(link), link);
        TEST_ASSERT_EQUAL_MESSAGE(NODE_FILE, followed(link)->type, link);
    }
}

void test_walk_link__a_chain(void) {
    make_tree();
    make_link(project_path("d/1"), "../2");
    make_link(project_path("2"), "d/3");
    make_link(project_path("d/3"), "e/h");
    walk_links("", "excluded");
    TEST_ASSERT_EQUAL_PTR(ref_of("d/e/h").entry, followed("d/1"));
}

/* -- what it leaves to the resolver --------------------------------------------------------- */

/* The walk cannot say where a link with the text TEXT leads; it leads to something of TYPE. */
static void check_left(const char *text, enum node_type type) {
    (void)unlink(project_path("d/link"));
    make_link(project_path("d/link"), text);
    walk_links("", "excluded");
    TEST_ASSERT_NULL_MESSAGE(followed("d/link"), text);
    TEST_ASSERT_EQUAL_MESSAGE(type, led_to("d/link"), text);
}

/* Threats 9 to 13. */
void test_walk_link__what_the_walk_cannot_say(void) {
    char absolute[400];
    make_tree();
    make_file(base_path("outside/f"), "");
    make_link(project_path("to-d"), "d");
    make_file(project_path("excluded"), "");
    check_left("none", NODE_MISSING);
    check_left("g/", NODE_MISSING);
    check_left("g/.", NODE_MISSING);
    check_left("g/..", NODE_MISSING);
    check_left("g/../g", NODE_MISSING);
    check_left("e/", NODE_DIRECTORY);
    check_left("..", NODE_DIRECTORY);
    check_left("../to-d/g", NODE_FILE);
    check_left("../to-d/../f", NODE_FILE);
    check_left("../excluded", NODE_FILE);
    check_left("../../outside/f", NODE_MISSING);
    check_left("../../project/f", NODE_FILE);
    check_left("link", NODE_MISSING);
    check_left("/etc/passwd", NODE_MISSING);
    (void)snprintf(absolute, sizeof absolute, "%s", project_path("d/g"));
    check_left(absolute, NODE_FILE);
    (void)snprintf(absolute, sizeof absolute, "%s", base_path("outside/f"));
    check_left(absolute, NODE_MISSING);
}

/* The start of the walk is below the root, and the names of the root mean something else there. */
void test_walk_link__from_a_directory_below(void) {
    make_tree();
    make_file(project_path("d/f/not-a-file"), "");
    make_link(project_path("d/up"), "../f");
    make_link(project_path("d/odd"), "~/../excluded");
    make_file(project_path("d/excluded"), "");
    make_directory(project_path("d/~"));
    walk_links("d", "excluded");
    TEST_ASSERT_NULL(followed("up"));
    TEST_ASSERT_EQUAL(NODE_FILE, led_to("up"));
    TEST_ASSERT_NULL(followed("odd"));
    TEST_ASSERT_EQUAL(NODE_FILE, led_to("odd"));
}

/* Threat 79: neither the walk nor the resolver goes through what is restricted. */
void test_walk_link__what_is_restricted(void) {
    make_tree();
    make_file(project_path("secret/k"), "");
    make_link(project_path("to-file"), "secret/k");
    make_link(project_path("through"), "secret/../f");
    make_link(project_path("beside"), "secret/none");
    walk_again("\"restricted_paths\": [\"secret\"]");
    TEST_ASSERT_EQUAL(NODE_MISSING, led_to("to-file"));
    TEST_ASSERT_EQUAL(NODE_MISSING, led_to("through"));
    TEST_ASSERT_EQUAL(NODE_MISSING, led_to("beside"));
}

/* Makes a chain of N links that ends at TARGET, every second one in a directory of its own that the
 * walk leaves out, so that the walk and the resolver meet in it. */
static void make_chain(int n, bool excluded, const char *target) {
    char name[60], next[60];
    for (int i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "%s/l%d", excluded && i % 2 ? "excluded" : "chain", i);
        (void)snprintf(next, sizeof next, "../%s/l%d",
                       excluded && i % 2 == 0 ? "excluded" : "chain", i + 1);
        (void)unlink(project_path(name));
        make_link(project_path(name), i + 1 < n ? next : target);
    }
}

/* Threat 14. */
void test_walk_link__as_many_links_as_the_resolver_follows(void) {
    make_tree();
    for (int excluded = 0; excluded < 2; excluded++) {
        make_chain(40, excluded, "../f");
        walk_links("", "excluded");
        TEST_ASSERT_EQUAL(NODE_FILE, led_to("chain/l0"));
        make_chain(41, excluded, "../f");
        walk_links("", "excluded");
        TEST_ASSERT_EQUAL(NODE_MISSING, led_to("chain/l0"));
    }
}

/* Threat 16: on /proc the text of a link need not be what it leads to. */
void test_walk_link__links_of_processes(void) {
    forget();
    ws = open_elsewhere("\"root\": \"/proc/self/ns\"");
    walk_links("", "excluded");
    TEST_ASSERT_EQUAL(NODE_SYMLINK, ref_of("mnt").entry->type);
    TEST_ASSERT_FALSE(ref_of("mnt").entry->has_text);
    TEST_ASSERT_EQUAL(NODE_MISSING, led_to("mnt"));
}

static int links_on_mounts(void) {
    make_file(project_path("mnt/f"), "");
    make_link(project_path("in"), "mnt/mnt");
    if (!own_mounts() || mount("/proc/self/ns", project_path("mnt"), "none", MS_BIND, "") != 0)
        return CHILD_SKIP;
    walk_again("\"cross_mounts\": true");
    CHILD_CHECK(ref_of("in").entry->has_text);
    CHILD_CHECK(!ref_of("mnt/mnt").entry->has_text);
    CHILD_CHECK(led_to("in") == NODE_MISSING);
    CHILD_CHECK(led_to("mnt/mnt") == NODE_MISSING);
    forget();
    return 0;
}

/* Threat 16, where such a file system is mounted in the project. */
void test_walk_link__links_of_processes_on_a_mount(void) {
    run_child(links_on_mounts, "mounts of one's own are not permitted here");
}

void test_walk_link__a_link_that_has_gone_has_no_text(void) {
    make_tree();
    make_link(project_path("l"), "f");
    walk_links("", "excluded");
    TEST_ASSERT_EQUAL(0, unlink(project_path("f")));
    TEST_ASSERT_EQUAL(NODE_FILE, led_to("l")); /* as the walk saw it */
    TEST_ASSERT_EQUAL(0, unlink(project_path("l")));
    ref_of("l").entry->has_text = false;
    TEST_ASSERT_EQUAL(NODE_MISSING, led_to("l"));
}

/* -- agreement with the resolver ------------------------------------------------------------ */

static uint32_t chance = 1;

static uint32_t below(uint32_t n) {
    chance = chance * 1664525U + 1013904223U;
    return (chance >> 8) % n;
}

/* A text of up to four pieces, most of which mean something in the tree. */
static void make_random_link(int number) {
    static const char *const pieces[] = {
        "..", "..", ".",   "a",     "b",    "c",        "f",        "l1",     "l2",  "l3",
        "",   "f",  "a/f", "a/b/f", "../f", "../a/b/f", "excluded", "secret", "none"};
    static const char *const places[] = {"", "a/", "a/b/", "c/"};
    char text[400] = "", path[60];
    if (below(12) == 0)
        (void)snprintf(text, sizeof text, "%s/",
                       below(3) ? project_path("") : base_path("outside"));
    for (uint32_t n = 1 + below(4); n > 0; n--)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                       pieces[below(sizeof pieces / sizeof *pieces)], n > 1 ? "/" : "");
    (void)snprintf(path, sizeof path, "%sl%d", places[below(4)], number);
    make_link(project_path(path), *text ? text : ".");
}

static void check_agrees(struct walk_ref ref) {
    char path[WALK_PATH_MAX];
    struct place place;
    const struct text_ref given = {path, walk_path(ref.dir, ref.entry, path)};
    int code = workspace_locate(ws, given, 0, &place, &e);
    const enum node_type type = walk_leads_to(ws, &start, &walk, ref);
    if (type != (code ? NODE_MISSING : place.type))
        TEST_FAIL_MESSAGE(path);
}

static int agree_each(void *count, struct walk_ref ref) {
    if (ref.entry->type == NODE_SYMLINK) {
        check_agrees(ref);
        *(int *)count += walk_follow(&walk, ref) != NULL;
    }
    return AQFS_OK;
}

/* Threats 10, 11, 14 and 79: whatever a link says, the walk and the resolver agree. */
void test_walk_link__agrees_with_the_resolver(void) {
    int said = 0;
    for (int round = 0; round < 60; round++) {
        remove_all(project_path(""));
        make_file(project_path("a/b/f"), "");
        make_file(project_path("a/f"), "");
        make_file(project_path("c/excluded"), "");
        make_file(project_path("excluded/f"), "");
        make_file(project_path("secret/f"), "");
        make_file(project_path("f"), "");
        make_file(base_path("outside/f"), "");
        for (int i = 0; i < 40; i++)
            make_random_link(i);
        walk_again("\"restricted_paths\": [\"secret\"]");
        (void)walk_each(&walk, agree_each, &said);
    }
    TEST_ASSERT_GREATER_THAN(100, said);
}

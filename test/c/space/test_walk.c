/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include "cleanup.h"
#include "support.h"

#include "unity.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static aqfs_workspace *ws;
static struct walk walk;
static struct budget budget;
static struct error e;

void setUp(void) {
    support_start();
    ws = open_project("");
    budget = (struct budget){0};
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

static void reopen(const char *members) {
    forget();
    ws = open_project(members);
}

static int run_at(const char *path, const struct walk_options *options) {
    struct place place = {.root = &ws->roots[0], .type = NODE_DIRECTORY, .len = strlen(path)};
    memcpy(place.path, path, place.len + 1);
    walk_free(&walk);
    return walk_run(ws, &place, options, &budget, &walk, &e);
}

static void run(const struct walk_options *options) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, run_at("", options), e.message);
}

static int add_path(void *data, struct walk_ref ref) {
    char path[WALK_PATH_MAX];
    size_t n = walk_path(ref.dir, ref.entry, path);
    TEST_ASSERT_EQUAL(strlen(path), n);
    buf_printf(data, "%s ", path);
    return AQFS_OK;
}

/* All paths in the walk's order: "a a/b ". */
static const char *paths(void) {
    static struct buf out;
    buf_clear(&out);
    buf_str(&out, "");
    TEST_ASSERT_EQUAL(AQFS_OK, walk_each(&walk, add_path, &out));
    static char copy[65536];
    TEST_ASSERT_TRUE(out.len < sizeof copy);
    memcpy(copy, out.data, out.len + 1);
    buf_free(&out);
    return copy;
}

static void make_files(const char *names) {
    char name[200];
    while (sscanf(names, "%199s", name) == 1) {
        make_file(project_path(name), "x");
        names += strspn(names, " ") + strlen(name);
    }
}

static const struct walk_entry *entry_of(const char *name) {
    for (size_t i = 0; i < walk.start->n; i++)
        if (strcmp(walk.start->entries[i].name, name) == 0)
            return &walk.start->entries[i];
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

/* -- order and extent ------------------------------------------------------------------------- */

void test_walk__by_name(void) {
    make_files("b/x b.x b-x a/z a/b/c B");
    run(&(struct walk_options){.order = WALK_BY_NAME});
    TEST_ASSERT_EQUAL_STRING("B a a/b a/b/c a/z b b/x b-x b.x ", paths());
    TEST_ASSERT_EQUAL(6, walk.files);
    TEST_ASSERT_EQUAL(3, walk.directories);
    TEST_ASSERT_FALSE(walk.cut);
}

/* The files among them come in the bytewise order of whole paths. */
void test_walk__by_path(void) {
    make_files("b/x b.x b-x b0 a/z a/b/c a/b-c B");
    run(&(struct walk_options){.order = WALK_BY_PATH});
    TEST_ASSERT_EQUAL_STRING("B a a/b-c a/b a/b/c a/z b-x b.x b b/x b0 ", paths());
}

void test_walk__depth(void) {
    make_files("1/2/3/4 x");
    run(&(struct walk_options){.max_depth = 1});
    TEST_ASSERT_EQUAL_STRING("1 x ", paths());
    TEST_ASSERT_FALSE(walk.cut);
    TEST_ASSERT_NULL(entry_of("1")->dir);
    run(&(struct walk_options){.max_depth = 3});
    TEST_ASSERT_EQUAL_STRING("1 1/2 1/2/3 x ", paths());
    TEST_ASSERT_FALSE(walk.cut);
    TEST_ASSERT_EQUAL(AQFS_OK, run_at("1/2", &(struct walk_options){0}));
    TEST_ASSERT_EQUAL_STRING("3 3/4 ", paths());
    reopen("\"limits\": {\"walk_depth\": 2}");
    run(&(struct walk_options){0});
    TEST_ASSERT_EQUAL_STRING("1 1/2 x ", paths());
    TEST_ASSERT_TRUE(walk.cut);
    run(&(struct walk_options){.max_depth = 9});
    TEST_ASSERT_TRUE(walk.cut);
    run(&(struct walk_options){.max_depth = 2});
    TEST_ASSERT_FALSE(walk.cut);
}

void test_walk__an_empty_directory(void) {
    run(&(struct walk_options){0});
    TEST_ASSERT_EQUAL(0, walk.start->n);
    TEST_ASSERT_EQUAL_STRING("", walk.start->path);
    TEST_ASSERT_EQUAL(0, walk.files + walk.directories + walk.others + walk.unreadable);
}

void test_walk__exclusions_and_dotfiles(void) {
    static const char *const patterns[] = {"*.o", "skip"};
    static const size_t lengths[] = {3, 4};
    AUTO(glob_set_free) struct glob_set set = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, glob_set_compile(&set, patterns, lengths, 2, &e));
    make_files("a a.o skip/x d/skip/y d/b.o d/c .h/x d/.h");
    run(&(struct walk_options){.exclude = &set});
    TEST_ASSERT_EQUAL_STRING(".h .h/x a d d/.h d/c ", paths());
    run(&(struct walk_options){.exclude = &set, .hide_dotfiles = true});
    TEST_ASSERT_EQUAL_STRING("a d d/c ", paths());
    TEST_ASSERT_EQUAL(2, walk.files);
}

static bool shows_objects(const void *data, struct walk_ref ref) {
    (void)data;
    return ref.entry->type != NODE_DIRECTORY && strstr(ref.entry->name, ".o");
}

/* Left out entries are counted all the same; a link that is shown has none beside it. */
void test_walk__only_what_is_shown(void) {
    make_files("a a.o d/b d/b.o e/f/c");
    make_link(project_path("e/l"), "b.o");
    const struct walk_options options = {.shows = shows_objects, .shown_only = true};
    run(&options);
    TEST_ASSERT_EQUAL_STRING("a.o d d/b.o e e/f ", paths());
    TEST_ASSERT_EQUAL(5, walk.files);
    TEST_ASSERT_EQUAL(3, walk.directories);
    TEST_ASSERT_EQUAL(1, walk.others);
    TEST_ASSERT_EQUAL(2, walk.shown);
    TEST_ASSERT_EQUAL(sizeof "/a.o" + sizeof "d/b.o" - 2, walk.shown_bytes);
    make_link(project_path("d/l.o"), "b");
    run(&options);
    TEST_ASSERT_EQUAL_STRING("a.o d d/b d/b.o d/l.o e e/f ", paths());
}

/* -- the members of an entry ------------------------------------------------------------------ */

void test_walk__types_and_links(void) {
    make_file(project_path("run"), "12345");
    TEST_ASSERT_EQUAL(0, chmod(project_path("run"), 0755));
    make_file(base_path("outside/secret"), "x");
    make_link(project_path("out"), "../outside");
    make_link(project_path("loop"), ".");
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("fifo"), 0600));
    make_directory(project_path("d"));
    run(&(struct walk_options){.stat = true});
    TEST_ASSERT_EQUAL_STRING("d fifo loop out run ", paths());
    TEST_ASSERT_EQUAL(NODE_SYMLINK, entry_of("out")->type);
    TEST_ASSERT_NULL(entry_of("out")->dir);
    TEST_ASSERT_NULL(entry_of("loop")->dir);
    TEST_ASSERT_EQUAL(NODE_OTHER, entry_of("fifo")->type);
    TEST_ASSERT_EQUAL(NODE_DIRECTORY, entry_of("d")->type);
    TEST_ASSERT_NOT_NULL(entry_of("d")->dir);
    TEST_ASSERT_EQUAL_INT64(5, entry_of("run")->size);
    TEST_ASSERT_TRUE(entry_of("run")->executable);
    TEST_ASSERT_TRUE(entry_of("run")->modified_ns > 0);
    TEST_ASSERT_FALSE(entry_of("d")->executable);
    TEST_ASSERT_EQUAL(1, walk.files);
    TEST_ASSERT_EQUAL(1, walk.directories);
    TEST_ASSERT_EQUAL(3, walk.others);
}

void test_walk__without_stat_nothing_is_known_of_sizes(void) {
    make_files("a d/b");
    run(&(struct walk_options){0});
    TEST_ASSERT_EQUAL_INT64(-1, entry_of("a")->size);
    TEST_ASSERT_EQUAL_INT64(TIME_UNKNOWN, entry_of("a")->modified_ns);
}

/* Threat 22: walk_stat looks at entries through their open directory; the size of one that has gone
 * is unknown. */
void test_walk__stat_afterwards(void) {
    const struct place place = {.root = &ws->roots[0]};
    make_files("a b d/c");
    run(&(struct walk_options){0});
    struct walk_entry *entries = walk.start->entries;
    struct walk_ref refs[] = {{walk.start, &entries[0]},
                              {walk.start, &entries[1]},
                              {entries[2].dir, &entries[2].dir->entries[0]}};
    TEST_ASSERT_EQUAL(0, unlink(project_path("b")));
    TEST_ASSERT_EQUAL(0, rename(project_path("d"), project_path("e")));
    make_file(base_path("outside/c"), "outside, and longer");
    make_link(project_path("d"), "../outside");
    const int32_t cancelled = 1;
    budget.cancelled = &cancelled;
    TEST_ASSERT_EQUAL(AQFS_CANCELLED, walk_stat(ws, &place, refs, 3, &budget, &e));
    budget.cancelled = NULL;
    TEST_ASSERT_EQUAL(AQFS_OK, walk_stat(ws, &place, refs, 3, &budget, &e));
    TEST_ASSERT_EQUAL_INT64(1, entries[0].size);
    TEST_ASSERT_EQUAL_INT64(-1, entries[1].size);
    TEST_ASSERT_EQUAL_INT64(-1, refs[2].entry->size);
}

/* -- restricted places ------------------------------------------------------------------------ */

/* Threat 79. */
void test_walk__what_is_restricted_is_not_there(void) {
    make_files("a secret/k d/secret/k d/b secret2");
    reopen("\"restricted_paths\": [\"secret\", \"d/b\"]");
    run(&(struct walk_options){0});
    TEST_ASSERT_EQUAL_STRING("a d d/secret d/secret/k secret2 ", paths());
    TEST_ASSERT_EQUAL(AQFS_OK, run_at("d", &(struct walk_options){0}));
    TEST_ASSERT_EQUAL_STRING("secret secret/k ", paths());
}

/* -- bounds ----------------------------------------------------------------------------------- */

void test_walk__no_more_entries_than_the_limit(void) {
    make_files("a b c d/e d/f d/g");
    reopen("\"limits\": {\"walk_entries\": 5}");
    run(&(struct walk_options){0});
    TEST_ASSERT_TRUE(walk.cut);
    TEST_ASSERT_EQUAL(5, walk.files + walk.directories);
    reopen("\"limits\": {\"walk_entries\": 7}");
    run(&(struct walk_options){0});
    TEST_ASSERT_FALSE(walk.cut);
    TEST_ASSERT_EQUAL(7, walk.files + walk.directories);
}

void test_walk__ends_with_the_budget(void) {
    make_files("a d/b d/e/c");
    const int32_t cancelled = 1;
    budget.cancelled = &cancelled;
    TEST_ASSERT_EQUAL(AQFS_CANCELLED, run_at("", &(struct walk_options){0}));
    budget = (struct budget){.deadline_ns = 1};
    TEST_ASSERT_EQUAL(AQFS_LIMIT, run_at("", &(struct walk_options){0}));
    budget = (struct budget){.stop = true};
    TEST_ASSERT_EQUAL(AQFS_CANCELLED, run_at("", &(struct walk_options){0}));
    budget = (struct budget){0};
    TEST_ASSERT_EQUAL(AQFS_OK, run_at("", &(struct walk_options){0}));
}

/* Makes LEVELS directories NAME in each other, further down than a path can say. */
static void make_deep(const char *name, int levels) {
    int at = open(project_path(""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < levels; i++) {
        TEST_ASSERT_EQUAL(0, mkdirat(at, name, 0755));
        int below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
    }
    close(at);
}

/* Threat 30. */
void test_walk__deeper_than_a_path_can_say(void) {
    char name[201];
    (void)snprintf(name, sizeof name, "%s", repeated("n", 200));
    make_deep(name, 100);
    run(&(struct walk_options){.stat = true});
    TEST_ASSERT_EQUAL(21, walk.directories); /* 20 of 201 bytes can be opened */
    TEST_ASSERT_EQUAL(1, walk.unreadable);
    const json_t *reply = ask(ws, "directory_tree", "{}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(1, number_in(reply, "unreadable"));
    reply = ask(ws, "search_files", "{\"pattern\": \"**/x\"}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
}

/* The longest path that can be listed, with the longest name in it, judged by a rule. */
void test_walk__the_longest_paths_are_judged(void) {
    char name[256];
    make_deep(repeated("n", 254), 16); /* 15 of 255 bytes, and one more */
    reopen("\"restricted_paths\": [\"none\"]");
    int at = open(project_path(""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)snprintf(name, sizeof name, "%s", repeated("n", 254));
    for (int i = 0; i < 16; i++) {
        int below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
    }
    TEST_ASSERT_EQUAL(0, mkdirat(at, repeated("m", 255), 0755));
    close(at);
    run(&(struct walk_options){.stat = true});
    TEST_ASSERT_EQUAL(17, walk.directories);
    TEST_ASSERT_EQUAL(1, walk.unreadable); /* 16 times 255 and 255 more is too long */
}

static int deep_with_few_descriptors(void) {
    const struct rlimit few = {.rlim_cur = 64, .rlim_max = 64};
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        return CHILD_SKIP;
    int before = open_descriptors();
    for (int i = 0; i < 3; i++) {
        const json_t *reply = ask(ws, "directory_tree", "{}");
        CHILD_CHECK(strcmp(code_of(reply), "ok") == 0);
        CHILD_CHECK(number_in(reply, "directories") == 256);
        CHILD_CHECK(json_is_true(json_object_get(reply, "truncated")));
    }
    CHILD_CHECK(strcmp(code_of(ask(ws, "search_files", "{\"pattern\": \"**/x\"}")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask(ws, "grep_files", "{\"pattern\": \"x\"}")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "list_dir", repeated("d/", 2000))), "ok") == 0);
    CHILD_CHECK(open_descriptors() == before);
    return 0;
}

/* Threat 30. */
void test_walk__five_thousand_levels_with_64_descriptors(void) {
    make_deep("d", 5000);
    run_child(deep_with_few_descriptors, "that limit cannot be set here");
}

static int without_descriptors(void) {
    int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
    close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = (rlim_t)next};
    if (setrlimit(RLIMIT_NOFILE, &none) != 0)
        return CHILD_SKIP;
    const json_t *reply = ask(ws, "list_dir", "{}");
    CHILD_CHECK(strcmp(code_of(reply), "limit") == 0);
    reply = ask(ws, "search_files", "{\"pattern\": \"**\"}");
    CHILD_CHECK(strcmp(code_of(reply), "limit") == 0);
    return 0;
}

void test_walk__no_descriptor_left(void) {
    make_files("a d/b");
    run_child(without_descriptors, "that limit cannot be set here");
}

/* -- unreadable directories ------------------------------------------------------------------- */

static int walk_as_nobody(void) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return CHILD_SKIP;
    struct walk_options options = {.stat = true};
    CHILD_CHECK(run_at("", &options) == AQFS_OK);
    CHILD_CHECK(walk.unreadable == 2);
    CHILD_CHECK(strcmp(paths(), "a hidden locked open open/y ") == 0);
    CHILD_CHECK(entry_of("locked")->dir->error == AQFS_PERMISSION);
    CHILD_CHECK(entry_of("hidden")->dir->error == AQFS_PERMISSION);
    CHILD_CHECK(entry_of("open")->dir->error == AQFS_OK);
    return 0;
}

/* Threat 89. */
void test_walk__unreadable_directories_are_counted_and_passed_by(void) {
    make_files("a locked/x hidden/x open/y");
    TEST_ASSERT_EQUAL(0, chmod(base_path(""), 0755));
    TEST_ASSERT_EQUAL(0, chmod(project_path("locked"), 0));
    TEST_ASSERT_EQUAL(0, chmod(project_path("hidden"), 0111));
    run_child(walk_as_nobody, "cannot become another user");
}

/* -- threads ---------------------------------------------------------------------------------- */

/* Threat 112: the same whatever the threads do. */
void test_walk__the_same_with_any_number_of_threads(void) {
    char name[60], first[65536];
    for (int i = 0; i < 600; i++) {
        (void)snprintf(name, sizeof name, "%d/%d/%d/f%d", i % 3, i % 7, i % 11, i);
        make_file(project_path(name), "x");
    }
    for (int threads = 1; threads <= 16; threads *= 2) {
        (void)snprintf(name, sizeof name, "\"limits\": {\"threads\": %d}", threads);
        reopen(name);
        run(&(struct walk_options){.order = WALK_BY_PATH, .stat = true});
        TEST_ASSERT_EQUAL(600, walk.files);
        if (threads == 1)
            (void)snprintf(first, sizeof first, "%s", paths());
        else
            TEST_ASSERT_EQUAL_STRING(first, paths());
    }
}

static pthread_t progress_thread;
static int progress_calls;
static bool progress_elsewhere;

static void note_progress(void *data, int64_t entries) {
    (void)data, (void)entries;
    progress_elsewhere |= progress_calls++ > 0 && !pthread_equal(progress_thread, pthread_self());
    progress_thread = pthread_self();
}

void test_walk__progress_comes_from_one_thread(void) {
    char name[40];
    for (int i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof name, "d%d/f", i);
        make_file(project_path(name), "x");
    }
    progress_elsewhere = false;
    reopen("\"limits\": {\"threads\": 1}");
    progress_calls = 0;
    run(&(struct walk_options){.progress = note_progress});
    TEST_ASSERT_EQUAL(201, progress_calls);
    reopen("\"limits\": {\"threads\": 8}");
    for (int i = 0; i < 20; i++)
        run(&(struct walk_options){.progress = note_progress});
    TEST_ASSERT_FALSE(progress_elsewhere);
}

static atomic_bool stop;

static void *add_and_remove(void *data) {
    char file[400], dir[400];
    bool worked = true;
    for (unsigned i = 0; worked && !atomic_load(&stop); i++) {
        (void)snprintf(file, sizeof file, "%s/busy/f%u", (char *)data, i % 3000);
        (void)snprintf(dir, sizeof dir, "%s/busy/d%u", (char *)data, i % 3000);
        int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        worked = fd >= 0 && close(fd) == 0 && mkdir(dir, 0700) == 0;
        if (i % 3 && worked)
            worked = unlink(file) == 0;
        worked = worked && rmdir(dir) == 0;
    }
    return worked ? NULL : data;
}

/* Threat 87: a directory to which entries are added while it is read comes to an end. */
void test_walk__while_entries_come_and_go(void) {
    pthread_t thread;
    char root[400];
    void *failed;
    make_files("busy/a calm/b");
    (void)snprintf(root, sizeof root, "%s", project_path(""));
    atomic_store(&stop, false);
    TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, add_and_remove, root));
    int wrong = 0;
    for (int i = 0; i < 60; i++) {
        wrong += run_at("", &(struct walk_options){.stat = true}) != AQFS_OK;
        wrong += walk.start->n != 2 || walk.start->entries[1].dir->n != 1;
    }
    atomic_store(&stop, true);
    pthread_join(thread, &failed);
    TEST_ASSERT_NULL(failed);
    TEST_ASSERT_EQUAL(0, wrong);
}

/* -- mounts ----------------------------------------------------------------------------------- */

static int walk_over_mounts(void) {
    make_directory(project_path("mnt"));
    make_directory(project_path("bound"));
    make_file(base_path("outside/secret"), "x");
    make_file(project_path("z"), "x");
    if (!own_mounts() || mount("none", project_path("mnt"), "tmpfs", 0, "size=64k") != 0 ||
        mount(base_path("outside"), project_path("bound"), "none", MS_BIND, "") != 0)
        return CHILD_SKIP;
    make_file(project_path("mnt/f"), "x");
    reopen("");
    struct walk_options options = {.stat = true};
    CHILD_CHECK(run_at("", &options) == AQFS_OK);
    CHILD_CHECK(strcmp(paths(), "bound mnt z ") == 0);
    CHILD_CHECK(walk.unreadable == 0);
    CHILD_CHECK(entry_of("mnt")->dir->error == AQFS_OUTSIDE_ROOT);
    reopen("\"cross_mounts\": true");
    CHILD_CHECK(run_at("", &options) == AQFS_OK);
    CHILD_CHECK(strcmp(paths(), "bound bound/secret mnt mnt/f z ") == 0);
    forget();
    return 0;
}

/* Threat 32. */
void test_walk__mounts_are_listed_and_not_entered(void) {
    run_child(walk_over_mounts, "mounts of one's own are not permitted here");
}

static int walk_in_circles(void) {
    make_directory(project_path("self"));
    if (!own_mounts() ||
        mount(project_path(""), project_path("self"), "none", MS_BIND | MS_REC, "") != 0)
        return CHILD_SKIP;
    reopen("\"cross_mounts\": true");
    struct walk_options options = {.stat = true};
    CHILD_CHECK(run_at("", &options) == AQFS_OK);
    CHILD_CHECK(walk.directories <= 256);
    forget();
    return 0;
}

/* Threat 32: a directory that is mounted inside itself. */
void test_walk__a_mount_of_itself_comes_to_an_end(void) {
    run_child(walk_in_circles, "mounts of one's own are not permitted here");
}

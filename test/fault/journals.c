/* SPDX-License-Identifier: MIT */
/* journals.c -- what a workspace does with journals that are not as they should be.
 *
 *     journals
 *
 * Journals that were torn, forged or written for another project: what is in the project and
 * outside stays, and edits work.
 */
#include "parts/recovery.h"

#include "buf.h"
#include "select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP(kind, path, more)                                                                     \
    "{\"state\":\"applying\",\"steps\":[{\"kind\":\"" kind "\",\"root\":0,\"path\":\"" path        \
    "\",\"from_root\":0,\"temp\":\"" TEMP "\"" more "}]}\n"

static const char *const forged[] = {
    "",
    "\n",
    "\n\n\n",
    "{}\n",
    "[]\n",
    "nonsense\n",
    "{\"state\":\"applying\"",
    "{\"state\":\"applying\",\"steps\":{}}\n",
    "{\"state\":7,\"steps\":[7,null,[],{}]}\n",
    "{\"state\":\"done\"}\n",
    "nonsense\n{\"state\":\"done\"}\n",
    "[]\n{\"state\":\"done\"}\n",
    "{\"state\":\"done\"}\n{\"state\":\"done\"}\n",
    "{\"state\":\"staging\",\"steps\":7}\n{\"state\":\"done\"}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"write\",\"root\":99,\"path\":\"a\"}]}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"write\",\"root\":-1,\"from_root\":-1,"
    "\"path\":\"a\",\"temp\":\"" TEMP "\"}]}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"delete\",\"root\":0,\"from_root\":0,"
    "\"path\":\"x\",\"temp\":\"a\"}]}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"delete\",\"root\":0,\"from_root\":0,"
    "\"path\":\"x\",\"temp\":\"../outside/twin\"}]}\n",
    STEP("delete", "../outside/x", ""),
    STEP("delete", "/etc/x", ""),
    STEP("delete", "d/../../outside/x", ""),
    STEP("delete", "d/../restricted/x", ""),
    STEP("delete", "./restricted/x", ""),
    STEP("delete", "/restricted/x", ""),
    STEP("delete", "out/x", ""),
    STEP("delete", "restricted/x", ""),
    STEP("write", "out/twin", ",\"inode\":1"),
    STEP("create", "a", ",\"inode\":18446744073709551615999"),
    STEP("create", "", ""),
    STEP("mkdir", "d", ""),
    STEP("mkdir", "out", ""),
    STEP("mkdir", "", ""),
    STEP("mkdir", "a", ""),
    STEP("move", "a", ",\"from\":\"../outside/y\",\"moved\":0"),
    STEP("move", "a", ",\"from\":\"out/y\",\"moved\":0"),
    STEP("nonsense", "a", ""),
};

static bool survives(const char *text, const char *resolver) {
    char *state = die_with_journal(); /* for its name */
    start_over();
    must(mkdir("state", 0700) == 0 && mkdir("state/journal", 0700) == 0, "state");
    char *before = picture_of("root", false, true), *outside = picture_of("outside", true, true);
    make_file_as(state, text, 0600);
    aqfs_workspace *ws = open_with(resolver, ",\"restricted_paths\":[\"restricted\"]");
    char *now = picture_of("root", false, true), *out = picture_of("outside", true, true);
    bool ok = strcmp(before, now) == 0 && strcmp(outside, out) == 0 && edits(ws);
    aqfs_free(ws);
    free(before), free(outside), free(now), free(out), free(state);
    return ok;
}

static void test_forged(void) {
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        char name[64];
        snprintf(name, sizeof name, "forged journal %zu", i);
        count_case(name, survives(forged[i], "auto"));
        snprintf(name, sizeof name, "forged journal %zu, without openat2", i);
        count_case(name, survives(forged[i], "fallback"));
    }
}

static char *read_journal(const char *path) {
    struct buf text = {0};
    read_whole(path, &text);
    buf_str(&text, "");
    return text.data;
}

/* As the first versions wrote numbers: as text. */
static void quote_numbers(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    must(f != NULL, path);
    for (const char *c = text; *c; c++) {
        size_t digits = c > text && c[-1] == ' ' ? strspn(c, "0123456789") : 0;
        fprintf(f, digits ? "\"%.*s\"" : "%.*s", digits ? (int)digits : 1, c);
        c += digits ? digits - 1 : 0;
    }
    fclose(f);
}

static void append(const char *path, const void *bytes, size_t n) {
    FILE *f = fopen(path, "a");
    must(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, path);
}

#define PATCH                                                                                      \
    "{\"patch\":\"--- a/a\\n+++ b/a\\n@@ -1,2 +1,2 @@\\n-one\\n+1\\n two\\n"                       \
    "--- a/d/b\\n+++ b/d/b\\n@@ -1 +1 @@\\n-b\\n+B\\n\"}"

static void patch(aqfs_workspace *ws) {
    (void)error_of(ws, "apply_patch", PATCH);
}

/* All is as it was after a patch that was killed while it renamed, though the journal is spoiled
 * so: what was written of its last line does not count. */
static bool is_undone(void (*spoil)(const char *path)) {
    int points = 0;
    bool ok = true;
    for (long at = 1; ok && points < 12; at++) {
        start_over();
        char *before = picture_of("root", false, true);
        die_in(patch, at);
        char *path = find_journal();
        char *text = path ? read_journal(path) : NULL;
        if (text && strstr(text, "applying") && !strstr(text, "done")) {
            points++;
            spoil(path);
            aqfs_free(open_again());
            char *now = picture_of("root", false, true);
            ok = strcmp(before, now) == 0 && access(path, F_OK) != 0;
            free(now);
        }
        free(text), free(before), free(path);
        must(at < 1000, "a patch makes fewer calls");
    }
    return ok;
}

static void leave_it(const char *path) {
    (void)path;
}

static void tear(const char *path) {
    append(path, "{\"state\":\"do", 12);
}

static void add_zeros(const char *path) {
    append(path, "\0\0\0\0\n", 5);
}

static void add_garbage(const char *path) {
    append(path, "{\"state\": \"done\", \"st\n\n", 25);
}

static void make_old(const char *path) {
    char *text = read_journal(path);
    quote_numbers(path, text);
    free(text);
}

static void test_spoiled_journals(void) {
    count_case("a patch that was killed", is_undone(leave_it));
    count_case("a line that was torn", is_undone(tear));
    count_case("a line of zeros", is_undone(add_zeros));
    count_case("a line of garbage", is_undone(add_garbage));
    count_case("a journal of the first versions", is_undone(make_old));
}

/* Nobody reads it, and nobody throws it away. */
static void test_large_journal(void) {
    char *path = die_with_journal();
    must(truncate(path, (64 << 20) + 1) == 0, path);
    aqfs_workspace *ws = open_again();
    count_case("a journal that is too large", edits(ws) && access(path, F_OK) == 0);
    aqfs_free(ws);
    free(path);
}

/* It is not a file, or one with a second name. */
static void test_odd_journals(void) {
    for (int kind = 0; kind < 3; kind++) {
        char *path = die_with_journal();
        must(remove(path) == 0, path);
        int made = kind == 0   ? mkfifo(path, 0600)
                   : kind == 1 ? mkdir(path, 0700)
                               : symlink("../../outside/twin", path);
        must(made == 0, path);
        aqfs_workspace *ws = open_again();
        count_case("a journal that is no file", edits(ws));
        aqfs_free(ws);
        free(path);
    }
}

/* A journal that another project's process has left is that one's. */
static void test_other_project(void) {
    char *path = die_with_journal();
    must(rename("root", "moved") == 0 && mkdir("root", 0755) == 0, "root");
    aqfs_workspace *ws = open_with("auto", ",\"allowed_paths\":[\"../outside\"]");
    aqfs_free(ws);
    count_case("a journal of another project", access(path, F_OK) == 0);
    remove_all("root");
    must(rename("moved", "root") == 0, "root");
    aqfs_free(open_again());
    char *now = picture_of("root", false, false);
    count_case("and it is its own again", !strstr(now, "root/.aqfs-") && access(path, F_OK) != 0);
    free(now), free(path);
}

/* -- names in the state directory that are links ------------------------------------------------
 */

/* The files outside are all there, no others are, and they are as they were. */
static bool is_same_outside(const char *before) {
    char *now = picture_of("outside", true, true);
    bool same = strcmp(before, now) == 0;
    free(now);
    return same;
}

/* The journal of a dead process, whole, but behind a link: nothing is done that it says. */
static void test_linked_journal(void) {
    char *path = die_with_journal(), *target = path_of("%s/outside/journal", base);
    char *second = path_of("%s-", path); /* so that there is something to recover */
    must(rename(path, target) == 0 && symlink(target, path) == 0, path);
    make_file_as(second, "", 0600);
    char *before = picture_of("root", false, true), *outside = picture_of("outside", true, true);
    aqfs_workspace *ws = open_again();
    char *now = picture_of("root", false, true);
    struct stat s;
    count_case("a journal behind a link", strcmp(before, now) == 0 && lstat(path, &s) == 0 &&
                                              lstat(second, &s) != 0 && is_same_outside(outside));
    aqfs_free(ws);
    must(remove(target) == 0, target);
    free(path), free(second), free(target), free(before), free(outside), free(now);
}

/* The path of the lock of the project's commits. */
static char *find_lock_file(void) {
    char *found = NULL;
    struct names names = names_below("state/journal");
    for (size_t i = 0; i < names.n && !found; i++)
        if (strstr(names.names[i], ".lock"))
            found = path_of("state/journal/%s", names.names[i]);
    free_names(&names);
    must(found != NULL, "lock");
    return found;
}

/* Somebody has put a link to what is outside in place of PATH: no change is made. */
static void test_link_instead_of(const char *name, const char *path, const char *target) {
    remove_all(path);
    must(symlink(target, path) == 0, path);
    char *outside = picture_of("outside", true, true);
    aqfs_workspace *ws = open_again();
    count_case(name, !edits(ws) && is_same_outside(outside));
    aqfs_free(ws);
    must(remove(path) == 0, path);
    ws = open_again();
    count_case("and when it is gone", edits(ws));
    aqfs_free(ws);
    free(outside);
}

static void test_linked_state(void) {
    start_over();
    aqfs_workspace *ws = open_again();
    must(edits(ws), "an edit");
    aqfs_free(ws);
    char *lock = find_lock_file();
    start_over();
    make_directory("state/journal");
    test_link_instead_of("a lock that is a link out", lock, "../../outside/lock");
    start_over();
    make_directory("state");
    test_link_instead_of("journals in a directory that is a link", "state/journal", "../outside");
    free(lock);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"linked-journal", test_linked_journal},
    {"linked-state", test_linked_state},
    {"forged", test_forged},
    {"odd", test_odd_journals},
    {"spoiled", test_spoiled_journals},
    {"large", test_large_journal},
    {"other-project", test_other_project},
};

int main(void) {
    start_recovery();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (is_selected("journals/%s", tests[i].name))
            tests[i].run();
    return end_recovery();
}

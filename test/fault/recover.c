/* SPDX-License-Identifier: MIT */
/* recover.c -- what a workspace does with state directories, names and disks that are not as they
 * should be, and when power is lost after an answer.
 *
 *     recover
 *
 * A state directory that is none, or goes away; a temporary name that is taken; a move to another
 * disk.  The project and all outside stay, and edits work.
 */
#include "parts/recovery.h"

#include "buf.h"
#include "select.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- the state directory ---------------------------------------------------------------------- */

static void test_state_directory(void) {
    start_over();
    make_file_as("state", "a file\n", 0600);
    aqfs_workspace *ws = open_again();
    char *before = picture_of("root", true, true);
    const char *error = error_of(ws, "edit_file", EDIT);
    char *now = picture_of("root", true, true);
    count_case("a state directory that is a file", *error && strcmp(before, now) == 0);
    must(remove("state") == 0, "state");
    count_case("and then is none", edits(ws));
    aqfs_free(ws);
    free(before), free(now);
    start_over();
    ws = open_again();
    bool first = edits(ws);
    remove_all("state");
    error = error_of(ws, "edit_file", "{\"path\":\"a\",\"old_str\":\"2\",\"new_str\":\"3\"}");
    count_case("a state directory that goes away", first && !*error);
    aqfs_free(ws);
}

/* -- names and disks -------------------------------------------------------------------------- */

static void test_taken_name(void) {
    start_over();
    make_file_as("root/" TEMP, "mine\n", 0600);
    char *before = picture_of("root", true, true);
    aqfs_workspace *ws = open_again();
    machine.same_random = true;
    bool refused = *error_of(ws, "edit_file", EDIT) != '\0';
    bool refused_too = *error_of(ws, "delete_file", "{\"path\":\"a\"}") != '\0';
    machine.same_random = false;
    char *now = picture_of("root", true, true);
    count_case("a temporary name that is taken",
               refused && refused_too && strcmp(before, now) == 0);
    count_case("and the next is not", edits(ws));
    aqfs_free(ws);
    free(before), free(now);
}

static void test_other_disk(void) {
    char *other = make_temporary_in("/tmp", "aqfs-fault"), options[128], args[256];
    struct stat here = {0}, there = {0};
    must(stat(other, &there) == 0 && stat(".", &here) == 0, other);
    if (here.st_dev == there.st_dev) {
        printf("RECOVER no second disk to move to\n");
        must(rmdir(other) == 0, other);
        free(other);
        return;
    }
    start_over();
    snprintf(options, sizeof options, ",\"allowed_paths\":[\"%s\"]", other);
    snprintf(args, sizeof args, "{\"source\":\"d\",\"destination\":\"%s/p/q/d\"}", other);
    char *before = picture_of("root", false, true), *empty = picture_of(other, false, true);
    aqfs_workspace *ws = open_with("auto", options);
    bool refused = *error_of(ws, "move_file", args) != '\0';
    char *now = picture_of("root", false, true), *then = picture_of(other, false, true);
    count_case("a move to another disk",
               refused && strcmp(before, now) == 0 && strcmp(empty, then) == 0 && edits(ws));
    aqfs_free(ws);
    free(before), free(empty), free(now), free(then);
    remove_all(other);
    free(other);
}

/* Names in which everything means something else. */
static const char *const odd_names[] = {"~", "\"q", "w\\n\xFF", " x ", "-rf"};

static void move_directory(aqfs_workspace *ws) {
    (void)error_of(ws, "move_file", "{\"source\":\"d\",\"destination\":\"p/d\"}");
}

static void test_odd_names(void) {
    bool ok = true;
    for (size_t i = 0; i < sizeof odd_names / sizeof *odd_names; i++) {
        for (long at = 40; at < 90; at++) {
            start_over();
            char *path = path_of("root/d/%s/f", odd_names[i]);
            make_file(path, "f\n");
            char *before = picture_of("root", false, true);
            die_in(move_directory, at);
            aqfs_free(open_again());
            char *now = picture_of("root", false, true);
            bool is_old = strcmp(before, now) == 0;
            ok = ok && (is_old || (access("root/p/d", F_OK) == 0 && access("root/d", F_OK) != 0));
            free(before), free(now), free(path);
        }
    }
    count_case("odd names", ok);
}

/* -- what was answered --------------------------------------------------------------------------
 */

static char *journal_text; /* its last state before it was ended */
static char *journal_name;

static void keep_journal(void) {
    struct buf text = {0};
    char *path = find_journal();
    if (path) {
        read_whole(path, &text);
        buf_str(&text, "");
    }
    if (text.len == 0 || strstr(text.data, "\"done\"")) {
        buf_free(&text);
        free(path);
        return;
    }
    free(journal_text), free(journal_name);
    journal_text = text.data;
    journal_name = path;
}

/* Power is lost just after one step was answered: the disk has it, but of the journal only what
 * came before its end, and maybe still what was replaced. */
static void test_answered(const char *op, const char *args, const char *old) {
    start_over();
    aqfs_workspace *ws = open_again();
    fault_between = keep_journal;
    if (old)
        must(link(old, "kept") == 0, "link");
    fault_arm((struct fault){.effect = EFFECT_BETWEEN});
    bool did = !*error_of(ws, op, args);
    fault.armed = false;
    char *after = picture_of("root", false, true);
    aqfs_free(ws);
    for (int left = 0; did && left <= (old ? 1 : 0); left++) {
        const char *temp = strstr(journal_text, ".aqfs-");
        char path[128], name[128];
        snprintf(path, sizeof path, "root/%.42s", temp ? temp : "");
        if (left)
            must(rename("kept", path) == 0, path);
        make_file_as(journal_name, journal_text, 0600);
        aqfs_free(open_again());
        char *now = picture_of("root", false, true);
        snprintf(name, sizeof name, "%s, answered%s", op, left ? ", with what it replaced" : "");
        count_case(name, strcmp(after, now) == 0 && access(journal_name, F_OK) != 0);
        free(now);
    }
    count_case("it was answered", did);
    (void)remove("kept");
    free(after);
}

static void create_below(aqfs_workspace *ws) {
    (void)error_of(ws, "create_file", "{\"path\":\"p/n\",\"content\":\"new\"}");
}

/* Says that PATH was last changed so many seconds from now. */
static void date(const char *path, int seconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    must(clock_gettime(CLOCK_REALTIME, &times[1]) == 0, "clock");
    times[1].tv_sec += seconds;
    must(utimensat(AT_FDCWD, path, times, 0) == 0, path);
}

/* Puts another directory in the place of `p`, and dates both. */
static void make_another(int seconds_of_journal, int seconds) {
    char *journal = find_journal();
    if (!journal)
        die("there is no journal");
    make_directory("root/other");
    remove_all("root/p");
    must(rename("root/other", "root/p") == 0, "p");
    date("root/p", seconds);
    date(journal, seconds_of_journal);
    free(journal);
}

static bool stays_if_dated(int seconds_of_journal, int seconds) {
    bool stays = true;
    for (long at = 30; at < 130; at++) {
        start_over();
        die_in(create_below, at);
        if (access("root/p", F_OK) != 0 || access("root/p/n", F_OK) == 0)
            continue;
        make_another(seconds_of_journal, seconds);
        aqfs_free(open_again());
        stays = stays && access("root/p", F_OK) == 0;
    }
    return stays;
}

/* A directory that somebody makes after the crash, where the commit had made one. */
static void test_new_directory(void) {
    count_case("a directory made after the crash", stays_if_dated(0, 10));
    count_case("a directory made between the crash and the opening", stays_if_dated(-10, -5));
}

/* Does the journal tell of what was made for a commit that has not begun to rename? */
static bool has_staged(const char *journal) {
    const char *text = journal ? text_of(journal) : "";
    const char *first = strchr(text, '\n');
    return first && first[1] && !strstr(text, "\"applying\"");
}

/* A directory that the commit made is known by its inode, however long ago the journal was written
 * on a slow machine. */
static void test_slow_machine(void) {
    bool gone = true;
    int met = 0;
    for (long at = 30; at < 130; at++) {
        start_over();
        die_in(create_below, at);
        char *journal = find_journal();
        if (has_staged(journal) && access("root/p", F_OK) == 0) {
            met++;
            date(journal, -10);
            aqfs_free(open_again());
            gone = gone && access("root/p", F_OK) != 0;
        }
        free(journal);
    }
    count_case("a directory made on a slow machine", gone && met > 0);
}

/* -- a replaced file that is about to be kept ----------------------------------------------------
 */

/* So large that it is linked, and not copied, to be kept. */
static void make_large_file(void) {
    static char text[160000];
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "one\ntwo\n", 8);
    make_file_as("root/large", text, 0640);
}

static void edit_large(aqfs_workspace *ws) {
    (void)error_of(ws, "edit_file", "{\"path\":\"large\",\"old_str\":\"two\",\"new_str\":\"2\"}");
}

/* The process is killed at AT within the commit, and then another program deletes the new file.
 * A file that comes back has the permissions that it had.  LINKED counts the moments in
 * which the replaced file had a name as a part of a record, and the one in the project. */
static bool delete_after_crash(long at, int *linked) {
    struct stat old = {0}, now = {0};
    start_over();
    make_large_file();
    int fd = open("root/large", O_RDONLY | O_CLOEXEC);
    die_in(edit_large, at);
    must(fd >= 0 && fstat(fd, &old) == 0 && stat("root/large", &now) == 0, "large");
    close(fd);
    if (now.st_ino == old.st_ino)
        return true;
    *linked += old.st_nlink == 2 && (old.st_mode & 07777) == 0600;
    must(remove("root/large") == 0, "large");
    aqfs_free(open_again());
    return stat("root/large", &now) != 0 || (now.st_mode & 07777) == 0640;
}

static void test_deleted_after_crash(void) {
    bool right = true;
    int linked = 0;
    for (long at = 60; at < 140; at++)
        right = delete_after_crash(at, &linked) && right;
    count_case("a file that was to be kept, and is put back", right && linked > 0);
}

/* -- all -------------------------------------------------------------------------------------- */

static const struct {
    const char *op, *args, *old;
} answers[] = {
    {"edit_file", EDIT, "root/a"},
    {"create_file", "{\"path\":\"n\",\"content\":\"new\"}", NULL},
    {"delete_file", "{\"path\":\"a\"}", "root/a"},
    {"move_file", "{\"source\":\"d\",\"destination\":\"e\"}", NULL},
    {"move_file", "{\"source\":\"d/b\",\"destination\":\"a\",\"allow_overwrite\":true}", "root/a"},
    {"make_directory", "{\"path\":\"n\"}", NULL},
};

static void test_answers(void) {
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        test_answered(answers[i].op, answers[i].args, answers[i].old);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"state-directory", test_state_directory},
    {"taken-name", test_taken_name},
    {"other-disk", test_other_disk},
    {"odd-names", test_odd_names},
    {"answers", test_answers},
    {"new-directory", test_new_directory},
    {"slow-machine", test_slow_machine},
    {"deleted", test_deleted_after_crash},
};

int main(void) {
    start_recovery();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (is_selected("recover/%s", tests[i].name))
            tests[i].run();
    free(journal_text), free(journal_name);
    return end_recovery();
}

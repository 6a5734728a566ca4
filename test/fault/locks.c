/* SPDX-License-Identifier: MIT */
/* locks.c -- what a process may do while another one, which is alive, is in the middle of a change.
 *
 *     locks short|full
 *
 * A process is stopped at one of its calls.  Another one opens the project meanwhile, and changes
 * it: while the first has begun its commit, that takes the time it was given and changes nothing.
 * The journal of a living process is its own.
 */
#include "parts/recovery.h"

#include "buf.h"
#include "request.h"
#include "select.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATCH                                                                                      \
    "{\"patch\":\"--- a/a\\n+++ b/a\\n@@ -1,2 +1,2 @@\\n-one\\n+1\\n two\\n"                       \
    "--- a/d/b\\n+++ b/d/b\\n@@ -1 +1 @@\\n-b\\n+B\\n"                                             \
    "--- /dev/null\\n+++ b/n\\n@@ -0,0 +1 @@\\n+n\\n\"}"
#define PATCH_EDITED                                                                               \
    "{\"patch\":\"--- a/a\\n+++ b/a\\n@@ -1,2 +1,2 @@\\n-one\\n+1\\n 2\\n"                         \
    "--- a/d/b\\n+++ b/d/b\\n@@ -1 +1 @@\\n-b\\n+B\\n\"}"
#define OTHER "{\"path\":\"empty/x\",\"content\":\"x\"}"

static long stop_at;

static void stop_here(void) {
    if (fault.seen == stop_at)
        must(raise(SIGSTOP) == 0, "stop");
}

/* Has the child been stopped?  Otherwise it has ended. */
static bool is_stopped(pid_t child, int *status) {
    must(waitpid(child, status, WUNTRACED) == child, "waitpid");
    return WIFSTOPPED(*status);
}

static void go_on(pid_t child) {
    must(kill(child, SIGCONT) == 0, "continue");
}

/* Has a commit begun that has not ended?  Its journal says so. */
static bool is_committing(void) {
    char *path = find_journal();
    struct buf text = {0};
    if (path)
        read_whole(path, &text);
    buf_str(&text, "");
    const char *last = text.data;
    for (const char *line; (line = strstr(last, "\n{")) != NULL;)
        last = line + 1;
    bool begun = strstr(last, "\"staging\"") || strstr(last, "\"applying\"");
    buf_free(&text);
    free(path);
    return begun;
}

/* -- a commit that stands still ---------------------------------------------------------------- */

static pid_t start_patch(long at) {
    pid_t child = start_child();
    if (child > 0)
        return child;
    stop_at = at;
    fault_between = stop_here;
    aqfs_workspace *ws = open_again();
    fault_arm((struct fault){.effect = EFFECT_BETWEEN});
    bool patched = !*error_of(ws, "apply_patch", PATCH);
    fault.armed = false;
    _exit(patched ? 0 : 1);
}

/* The other process gives up when its time is over, and has changed nothing. */
static bool is_held_off(void) {
    char *before = picture_of("root", true, true);
    aqfs_workspace *ws = open_with("auto", ",\"limits\":{\"time_ms\":20}");
    bool limit = strcmp(error_of(ws, "create_file", OTHER), "limit") == 0;
    aqfs_free(ws);
    char *now = picture_of("root", true, true);
    bool same = strcmp(before, now) == 0;
    free(before), free(now);
    return limit && same;
}

static void test_stopped_commit(bool full) {
    bool ok = true, ends = false;
    int held = 0;
    for (long at = 1; !ends; at += full ? 1 : 7) {
        int status;
        start_over();
        pid_t child = start_patch(at);
        ends = !is_stopped(child, &status);
        if (!ends) {
            bool committing = is_committing();
            held += committing;
            ok = ok && (!committing || is_held_off());
            go_on(child);
            status = end_child(child);
        }
        ok = ok && status == 0;
        aqfs_workspace *ws = open_again();
        ok = ok && !*error_of(ws, "create_file", OTHER) && access("root/n", F_OK) == 0;
        aqfs_free(ws);
    }
    count_case("another process waits for a commit", ok);
    count_case("and there were commits to wait for", held > 3);
}

/* -- a process that has made a change and stays ------------------------------------------------ */

/* Makes an edit, stops, and is killed at its AT-th call in a patch. */
static pid_t start_editor(long at) {
    pid_t child = start_child();
    if (child > 0)
        return child;
    aqfs_workspace *ws = open_again();
    if (!edits(ws))
        _exit(1);
    must(raise(SIGSTOP) == 0, "stop");
    fault_arm((struct fault){.effect = EFFECT_KILL, .at = at});
    (void)error_of(ws, "apply_patch", PATCH_EDITED);
    _exit(0);
}

/* The file is as before the patch, or as after it. */
static bool is_whole(void) {
    char *now = picture_of("root", false, true);
    bool old = strstr(now, "one\n2\n") && strstr(now, "\nb\n");
    bool new = strstr(now, "1\n2\n") && strstr(now, "\nB\n");
    bool clean = !strstr(now, "root/.aqfs-") && !strstr(now, "root/d/.aqfs-");
    free(now);
    return old != new &&clean;
}

static void test_living_journal(bool full) {
    bool stays = true, whole = true, killed = true;
    for (long at = 1; killed; at += full ? 1 : 7) {
        int status;
        start_over();
        pid_t child = start_editor(at);
        must(is_stopped(child, &status), "the editor stops");
        char *journal = find_journal();
        aqfs_workspace *ws = open_again();
        stays = stays && journal && access(journal, F_OK) == 0;
        stays = stays && !*error_of(ws, "create_file", OTHER) && access(journal, F_OK) == 0;
        aqfs_free(ws);
        go_on(child);
        killed = was_killed(end_child(child));
        aqfs_free(open_again());
        whole = whole && is_whole();
        free(journal);
    }
    count_case("the journal of a living process stays", stays);
    count_case("and its next commit can be recovered", whole);
}

int main(int argc, char **argv) {
    bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    start_recovery();
    if (is_selected("locks/stopped-commit"))
        test_stopped_commit(full);
    if (is_selected("locks/living-journal"))
        test_living_journal(full);
    return end_recovery();
}

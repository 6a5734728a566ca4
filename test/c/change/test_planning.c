/* The system calls of planning, as strace sees them: nothing is made, locked, written or waited
 * for.
 *
 * The program runs itself in front of strace.  Between two calls that serve as marks, it plans a
 * call of every operation that changes something.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buf.h"
#include "cleanup.h"
#include "snapshots.h"
#include "table.h"

#include "unity.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define BEGIN "/planning/begins"
#define END "/planning/ends"

/* Set for the process that strace runs. */
#define TRACED "AQFS_TEST_PLANNING"

static aqfs_workspace *ws;

void setUp(void) {
    support_start();
}

void tearDown(void) {
    support_end();
}

/* -- what is traced ---------------------------------------------------------------------------- */

#define BEGIN_PATCH "{\"patch\":\"*** Begin Patch\\n"
#define END_PATCH "*** End Patch\"}"

static const struct {
    const char *op, *args;
} calls[] = {
    {"edit_file", "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}"},
    {"edit_form", "{\"path\":\"f.lisp\",\"name\":\"f\",\"content\":\"(defun f () 2)\"}"},
    {"replace_in_files", "{\"pattern\":\"two\",\"replacement\":\"2\"}"},
    {"insert_at_line", "{\"path\":\"a.txt\",\"content\":\"zero\\n\",\"line\":1}"},
    {"apply_patch", BEGIN_PATCH "*** Delete File: a.txt\\n*** Add File: x/y\\n+x\\n" END_PATCH},
    {"apply_patch_json",
     "{\"patch\":\"--- a/a.txt\\n+++ b/a.txt\\n@@ -1,2 +1,2 @@\\n ONE\\n-two\\n+2\\n\"}"},
    {"apply_patch_freeform", BEGIN_PATCH "*** Update File: a.txt\\n@@\\n-two\\n+2\\n" END_PATCH},
    {"create_file", "{\"path\":\"new/er/file\",\"content\":\"x\"}"},
    {"write_file", "{\"path\":\"a.txt\",\"content\":\"x\"}"},
    {"write_bytes", "{\"path\":\"a.txt\",\"content\":\"eA==\"}"},
    {"make_directory", "{\"path\":\"new/er\"}"},
    {"move_file", "{\"source\":\"dir\",\"destination\":\"elsewhere/dir\"}"},
    {"copy_file", "{\"source\":\"a.txt\",\"destination\":\"dir/b.txt\",\"allow_overwrite\":true}"},
    {"delete_file", "{\"path\":\"dir\",\"recursive\":true}"},
    {"snapshot_create", "{}"},
    {"snapshot_restore", NULL}, /* of the one that there is */
    {"snapshot_prune", "{\"keep\":1}"},
    {"changes_undo", "{\"calls\":[],\"hunks\":[]}"},
    {"changes_accept", "{}"},
    {"changes_forget", "{}"},
};

static const char *args_for(const char *op, const char *id) {
    static char args[128];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].op, op) == 0 && calls[i].args)
            return calls[i].args;
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", id);
    return args;
}

/* Strace runs this test.  Otherwise it has nothing to do. */
void test_planning__in_front_of_strace(void) {
    const json_t *replies[100] = {NULL};
    if (!getenv(TRACED))
        return;
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    make_file(project_path("dir/b.txt"), "bee\n");
    make_file(project_path("f.lisp"), "(defun f () 1)\n");
    ws = open_project(STATE ",\"limits\":{\"time_ms\":60000}");
    json_t *taken = change(ws, "snapshot_create", "{}");
    const char *id = text_in(taken, "id");
    make_file(project_path("a.txt"), "ONE\ntwo\nthree\n");
    AUTO_FREE char *store = path_of("%s/lock", text_in(taken, "git_dir"));
    int held = open(store, O_RDWR | O_CLOEXEC);
    TEST_ASSERT_EQUAL(0, flock(held, LOCK_EX | LOCK_NB));
    (void)access(BEGIN, F_OK);
    for (size_t i = 0; i < op_count(); i++)
        if (op_at(i)->plan)
            replies[i] = preview(ws, op_at(i)->name, args_for(op_at(i)->name, id));
    (void)ask(ws, "snapshot_list", "{}");
    (void)ask(ws, "snapshot_diff", args_for("snapshot_diff", id));
    (void)access(END, F_OK);
    for (size_t i = 0; i < op_count(); i++)
        if (op_at(i)->plan)
            TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(replies[i]), op_at(i)->name);
    close(held);
    aqfs_free(ws);
}

/* -- what strace saw --------------------------------------------------------------------------- */

#define TRACE                                                                                      \
    "trace=%file,flock,fcntl,ftruncate,fallocate,fchmod,fchown,fsetxattr,fsync,fdatasync,sync,"    \
    "syncfs,nanosleep,clock_nanosleep"

/* Parts of a line that only a change, a lock or a wait has. */
static const char *const forbidden[] = {
    "O_CREAT",  "O_WRONLY",   "O_RDWR", "O_TRUNC",    "O_TMPFILE", "flock(",    "F_SETLK",
    "F_OFD_",   "F_SETLEASE", "rename", "unlink",     "rmdir",     "mkdir",     "mknod",
    "link(",    "linkat(",    "chmod",  "chown",      "truncate",  "fallocate", "utime",
    "setxattr", "sync(",      "creat(", "nanosleep(", "syncfs(",
};

/* Readlink and its like change nothing, and ThreadSanitizer has a thread of its own that sleeps. */
static bool is_harmless(const char *line) {
#ifdef __SANITIZE_THREAD__
    if (strstr(line, "nanosleep"))
        return true;
#endif
    return strstr(line, "readlink") != NULL;
}

/* Runs this program in front of strace, and adds what that writes to TRACE.  The status of the
 * program, or -1 where there is no strace, or it may not trace. */
static int trace_self(const char *out, struct buf *trace) {
    char self[4096] = "";
    TEST_ASSERT_GREATER_THAN(0, readlink("/proc/self/exe", self, sizeof self - 1));
    pid_t child = start_child();
    if (child == 0) {
        (void)setenv(TRACED, "1", 1);
        (void)setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* which cannot work below strace */
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        (void)dup2(null, STDERR_FILENO);
        (void)dup2(null, STDOUT_FILENO);
        (void)execlp("strace", "strace", "-f", "-qq", "-s", "4096", "-o", out, "-e", TRACE, self,
                     "in_front_of_strace", (char *)NULL);
        _exit(127);
    }
    int status = end_child(child);
    if (access(out, F_OK) == 0)
        read_whole(out, trace);
    return trace->data && strstr(trace->data, BEGIN) ? status : -1;
}

void test_planning__touches_nothing(void) {
    AUTO(buf_free) struct buf trace = {0};
    if (getenv(TRACED))
        return;
    int status = trace_self(base_path("trace"), &trace);
    if (status < 0 || !trace.data) {
        TEST_IGNORE_MESSAGE("strace is missing, or may not trace here");
        return;
    }
    const char *from = strstr(trace.data, BEGIN), *end = strstr(from, END);
    TEST_ASSERT_NOT_NULL(end);
    size_t opened = 0;
    for (char *rest = (char *)from, *line; (line = strsep(&rest, "\n")) && line < end;) {
        opened += strstr(line, "open") != NULL;
        for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
            TEST_ASSERT_FALSE_MESSAGE(strstr(line, forbidden[i]) && !is_harmless(line), line);
    }
    TEST_ASSERT_GREATER_THAN(10, opened); /* or the trace was of something else */
    TEST_ASSERT_EQUAL_MESSAGE(0, status, "a plan failed");
}

/* -- opening a workspace ------------------------------------------------------------------------
 */

/* How many names end in ".lock" among the journals; they are removed. */
static int take_lock_files(void) {
    DIR *journals = opendir(base_path("state/journal"));
    int n = 0;
    for (const struct dirent *entry; journals && (entry = readdir(journals)) != NULL;) {
        size_t len = strlen(entry->d_name);
        if (len > 5 && strcmp(entry->d_name + len - 5, ".lock") == 0)
            n += unlinkat(dirfd(journals), entry->d_name, 0) == 0;
    }
    if (journals)
        closedir(journals);
    return n;
}

/* Opening looks for commits to recover.  Where there are none, it waits for no commit of another
 * process, and makes nothing. */
void test_planning__opening_takes_no_lock(void) {
    ws = open_project(STATE);
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "create_file", "{\"path\":\"new\",\"content\":\"x\"}")));
    aqfs_free(ws);
    TEST_ASSERT_EQUAL(1, take_lock_files());
    ws = open_project(STATE);
    aqfs_free(ws);
    TEST_ASSERT_EQUAL(0, take_lock_files());
}

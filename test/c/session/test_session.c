/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "changes.h"
#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 4321

/* The temporary directory is BASE. */
#define SESSION "\"backend\": \"session\", \"temp_dir\": \"%s\""

void setUp(void) {
    support_start();
    make_file(project_path("docs/a.md"), "alpha\n");
    make_file(base_path("outside/f"), "theirs\n");
    ws = open_elsewhere(SESSION);
}

/* How many directories of sessions there are in BASE. */
static int sessions(void) {
    int n = 0;
    DIR *stream = opendir(base_path(""));
    for (const struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
        n += is_session_name(entry->d_name);
    if (stream)
        closedir(stream);
    return n;
}

static const char *root(void) {
    return ws->roots[0].path;
}

static const char *in_root(const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", root(), name);
    return path;
}

/* -- the directory ---------------------------------------------------------------------------- */

void test_session__made_at_first_use_and_gone_at_close(void) {
    struct stat s;
    TEST_ASSERT_EQUAL(0, sessions());
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_path(ws, "list_directory", ".")));
    TEST_ASSERT_EQUAL(1, sessions());
    TEST_ASSERT_EQUAL(0, stat(root(), &s));
    TEST_ASSERT_EQUAL_HEX(S_IFDIR | 0700, s.st_mode);
    TEST_ASSERT_EQUAL(geteuid(), s.st_uid);
    put_file(ws, "a/b.txt", "one");
    TEST_ASSERT_EQUAL_STRING("one", text_of(in_root("a/b.txt")));
    aqfs_close(ws);
    TEST_ASSERT_EQUAL(0, sessions());
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(ask_path(ws, "list_directory", ".")));
    TEST_ASSERT_EQUAL(0, sessions());
}

void test_session__names_are_not_guessed(void) {
    aqfs_workspace *other = open_elsewhere(SESSION);
    TEST_ASSERT_TRUE(strcmp(root(), other->roots[0].path) != 0);
    aqfs_free(other);
}

void test_session__made_anew_when_it_has_gone(void) {
    put_file(ws, "a", "one");
    remove_all(root());
    TEST_ASSERT_EQUAL_STRING("not-found", content_of(ws, "a"));
    put_file(ws, "b", "two");
    TEST_ASSERT_EQUAL_STRING("two", text_of(in_root("b")));
    TEST_ASSERT_EQUAL(1, sessions());
}

/* threat 82: a link that takes the name of a session's removed directory is not followed. */
void test_session__an_impostor_is_refused(void) {
    put_file(ws, "a", "one");
    remove_all(root());
    make_link(root(), base_path("outside"));
    TEST_ASSERT_TRUE(strcmp("ok", code_of(change(ws, "write_file",
                                                 "{\"path\": \"f\", \"content\": "
                                                 "\"mine\"}"))) != 0);
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(base_path("outside/f")));
    TEST_ASSERT_EQUAL(0, unlink(root()));
}

/* threat 82: a session's directory that was moved away stays its own. */
void test_session__moved_away(void) {
    put_file(ws, "a", "one");
    TEST_ASSERT_EQUAL(0, rename(root(), base_path("moved")));
    make_directory(root());
    TEST_ASSERT_EQUAL_STRING("one", content_of(ws, "a"));
    put_file(ws, "b", "two");
    TEST_ASSERT_EQUAL_STRING("two", text_of(base_path("moved/b")));
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(in_root("b")));
}

void test_session__reset(void) {
    aqfs_free(ws);
    ws = open_elsewhere("\"mounts\": [{\"host_path\": \"docs\"}], \"allowed_host_roots\": "
                        "[\"%s/project\"], \"backend\": \"session\", \"temp_dir\": \"/tmp\"");
    TEST_ASSERT_EQUAL_STRING("alpha\n", content_of(ws, "docs/a.md"));
    put_file(ws, "docs/a.md", "changed");
    put_file(ws, "new", "x");
    make_file(project_path("docs/a.md"), "later\n");
    aqfs_reply_free(aqfs_reset(ws, AQFS_JSON));
    TEST_ASSERT_TRUE(access(root(), F_OK) != 0);
    TEST_ASSERT_EQUAL_STRING("alpha\n", content_of(ws, "docs/a.md")); /* as it was copied */
    TEST_ASSERT_EQUAL_STRING("not-found", content_of(ws, "new"));
}

void test_session__a_directory_of_this_machine_is_not_reset(void) {
    aqfs_workspace *project = open_project("");
    aqfs_reply *reply = aqfs_reset(project, AQFS_JSON);
    TEST_ASSERT_EQUAL_STRING("invalid-argument", aqfs_reply_error(reply));
    aqfs_reply_free(reply);
    aqfs_free(project);
    TEST_ASSERT_EQUAL_STRING("alpha\n", text_of(project_path("docs/a.md")));
}

/* -- abandoned directories -------------------------------------------------------------------- */

/* A process that is killed in the middle of a session. */
static pid_t start_and_stop(void) {
    int ready[2];
    TEST_ASSERT_EQUAL(0, pipe(ready));
    pid_t child = start_child();
    if (child == 0) {
        aqfs_workspace *own = NULL;
        char options[8192];
        int n = snprintf(options, sizeof options,
                         "{\"backend\": \"session\", \"temp_dir\": \"%s\"}", base_path(""));
        aqfs_reply_free(aqfs_open(options, (size_t)n, AQFS_JSON, &own));
        static const char look[] = "{\"op\": \"write_file\", \"authority\": \"dangerous\", "
                                   "\"args\": {\"path\": \"a/b\", \"content\": \"x\"}}";
        aqfs_reply_free(aqfs_call(own, look, sizeof look - 1, NULL));
        (void)!write(ready[1], "", 1);
        for (;;)
            (void)pause();
    }
    char byte;
    (void)close(ready[1]);
    TEST_ASSERT_EQUAL(1, read(ready[0], &byte, 1));
    (void)close(ready[0]);
    return child;
}

static void end(pid_t child) {
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

void test_session__swept_after_a_crash(void) {
    end(start_and_stop());
    TEST_ASSERT_EQUAL(1, sessions());
    aqfs_free(ws);
    ws = open_elsewhere(SESSION);
    TEST_ASSERT_EQUAL(0, sessions());
}

/* threat 129 */
void test_session__one_that_is_alive_is_not_swept(void) {
    pid_t child = start_and_stop();
    put_file(ws, "mine", "x");
    aqfs_workspace *third = open_elsewhere(SESSION);
    TEST_ASSERT_EQUAL(2, sessions());
    TEST_ASSERT_EQUAL_STRING("x", content_of(ws, "mine"));
    aqfs_free(third);
    end(child);
}

/* A directory whose name only resembles a session's, and a link that has such a name, stay. */
void test_session__only_sessions_are_swept(void) {
    static const char hex[] = "0123456789abcdef0123456789abcdef";
    char name[128], link[128];
    (void)snprintf(name, sizeof name, "agent-q-fs-session-%sX/f", hex);
    make_file(base_path(name), "stays\n");
    (void)snprintf(link, sizeof link, "agent-q-fs-session-%s", hex);
    make_link(base_path(link), base_path("outside"));
    session_sweep(ws->session->temp);
    TEST_ASSERT_EQUAL_STRING("stays\n", text_of(base_path(name)));
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(base_path("outside/f")));
}

/* As root, permissions would not keep us from removing what is another user's. */
void test_session__those_of_others_are_not_swept(void) {
    static const char name[] = "agent-q-fs-session-0123456789abcdef0123456789abcdef";
    char file[64];
    (void)snprintf(file, sizeof file, "%s/f", name);
    make_file(base_path(file), "theirs\n");
    if (chown(base_path(name), OTHER_USER, (gid_t)-1) != 0)
        TEST_IGNORE_MESSAGE("only root can give directories away");
    session_sweep(ws->session->temp);
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(base_path(file)));
    TEST_ASSERT_EQUAL(0, chown(base_path(name), geteuid(), (gid_t)-1));
    session_sweep(ws->session->temp);
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(base_path(file)));
}

static int leaves_what_is_mounted(void) {
    if (!own_mounts())
        return CHILD_SKIP;
    aqfs_free(ws); /* which knows the mounts of before */
    ws = open_elsewhere(SESSION);
    put_file(ws, "a/b", "x");
    make_directory(in_root("mounted"));
    if (mount("tmpfs", in_root("mounted"), "tmpfs", 0, NULL) != 0)
        return CHILD_SKIP;
    make_file(in_root("mounted/f"), "stays\n");
    make_file(in_root("mounted/d/f"), "stays\n");
    char file[4096], below[4096];
    (void)snprintf(file, sizeof file, "%s", in_root("mounted/f"));
    (void)snprintf(below, sizeof below, "%s", in_root("mounted/d/f"));
    aqfs_close(ws);
    CHILD_CHECK(strcmp(text_of(file), "stays\n") == 0);
    CHILD_CHECK(strcmp(text_of(below), "stays\n") == 0);
    return 0;
}

void test_session__what_is_mounted_in_it_is_not_removed(void) {
    run_child(leaves_what_is_mounted, "mounting is not permitted");
}

/* Threat 161: it has the device of the session's directory. */
static int leaves_a_mounted_directory(void) {
    if (!own_mounts())
        return CHILD_SKIP;
    aqfs_free(ws);
    ws = open_elsewhere(SESSION);
    put_file(ws, "a/b", "x");
    make_directory(in_root("deep/mounted"));
    if (mount(base_path("outside"), in_root("deep/mounted"), NULL, MS_BIND, NULL) != 0)
        return CHILD_SKIP;
    aqfs_close(ws);
    CHILD_CHECK(strcmp(text_of(base_path("outside/f")), "theirs\n") == 0);
    return 0;
}

void test_session__a_directory_that_is_mounted_in_it_is_not_emptied(void) {
    run_child(leaves_a_mounted_directory, "mounting is not permitted");
}

void test_session__removed_whatever_is_in_it(void) {
    put_file(ws, "a/b", "x");
    make_link(in_root("a/l"), base_path("outside"));
    make_link(in_root("a/self"), ".");
    make_directory(in_root("locked/in"));
    TEST_ASSERT_EQUAL(0, mkfifo(in_root("p"), 0600));
    TEST_ASSERT_EQUAL(0, chmod(in_root("locked/in"), 0));
    TEST_ASSERT_EQUAL(0, chmod(in_root("locked"), 0));
    int dir = open(root(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 1000; i++) { /* deeper than a path can say */
        TEST_ASSERT_EQUAL(0, mkdirat(dir, "deeper", 0700));
        int next = openat(dir, "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        (void)close(dir);
        dir = next;
    }
    (void)close(dir);
    aqfs_close(ws);
    TEST_ASSERT_EQUAL(0, sessions());
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(base_path("outside/f")));
}

/* -- versions and times ----------------------------------------------------------------------- */

static long long revision(const char *path) {
    return number_in(ask_path(ws, "get_file_info", path), "revision");
}

void test_session__revisions(void) {
    char created[32];
    put_file(ws, "a", "1");
    TEST_ASSERT_EQUAL(1, revision("a"));
    (void)snprintf(created, sizeof created, "%s",
                   text_in(ask_path(ws, "get_file_info", "a"), "created"));
    pause_ms(5);
    put_file(ws, "a", "2");
    put_file(ws, "a", "3");
    TEST_ASSERT_EQUAL(3, revision("a"));
    TEST_ASSERT_EQUAL_STRING(created, text_in(ask_path(ws, "get_file_info", "a"), "created"));
    (void)change(ws, "move_file", "{\"source\": \"a\", \"destination\": \"b\"}");
    TEST_ASSERT_EQUAL(3, revision("b"));
    (void)change(ws, "copy_file", "{\"source\": \"b\", \"destination\": \"c\"}");
    TEST_ASSERT_EQUAL(1, revision("c"));
    put_file(ws, "b", "4");
    TEST_ASSERT_EQUAL(4, revision("b"));
}

/* A container that writes to the file counts, too. */
void test_session__revisions_of_others(void) {
    put_file(ws, "a", "1");
    pause_ms(20);
    make_file(in_root("a"), "theirs\n");
    TEST_ASSERT_EQUAL(2, revision("a"));
    TEST_ASSERT_EQUAL(2, revision("a"));
    put_file(ws, "a", "mine");
    TEST_ASSERT_EQUAL(3, revision("a"));
}

/* A write that is refused leaves no count behind. */
void test_session__revisions_of_refused_writes(void) {
    put_file(ws, "a", "1");
    TEST_ASSERT_EQUAL_STRING("exists", code_of(change(ws, "write_file",
                                                      "{\"path\": \"a\", \"content\": \"2\", "
                                                      "\"mode\": \"create\"}")));
    TEST_ASSERT_EQUAL(1, revision("a"));
}

/* -- no journal ------------------------------------------------------------------------------- */

void test_session__keeps_no_journal(void) {
    aqfs_free(ws);
    ws = open_elsewhere("\"backend\": \"session\", \"temp_dir\": \"/tmp\", \"state_dir\": "
                        "\"%s/state\"");
    put_file(ws, "a", "1");
    put_file(ws, "a", "2");
    TEST_ASSERT_TRUE(access(base_path("state"), F_OK) != 0);
}

/* SPDX-License-Identifier: MIT */
#include "host.h"

#include "buf.h"
#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_repository(project_path(".git"));
    make_directory(project_path(".git/hooks"));
    make_file(project_path("tools/hook"), "old\n");
    make_file(project_path("tools/sub/f"), "old\n");
    make_file(project_path("src/f"), "old\n");
    ws = open_project("");
}

static void configure(const char *text) {
    make_file(project_path(".git/config"), text);
}

/* The nature of an edit of PATH that only asks: "protected", "free", or the code of an error. */
static const char *edited(const char *path) {
    char arguments[PATH_BYTES_MAX + 100];
    (void)snprintf(arguments, sizeof arguments,
                   "{\"path\":\"%s\",\"old_str\":\"old\",\"new_str\":\"new\"}", path);
    const json_t *reply = preview(ws, "edit_file", arguments);
    if (strcmp(code_of(reply), "ok") != 0)
        return code_of(reply);
    const json_t *target = json_array_get(json_object_get(reply, "targets"), 0);
    return json_is_true(json_object_get(target, "protected")) ? "protected" : "free";
}

static void is_edited(const char *expected, const char *path) {
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, edited(path), path);
}

/* CALL is dangerous, and tells that git obeys it. */
static void is_asked(const char *op, const char *arguments) {
    const json_t *reply = change_as(ws, "cautious", op, arguments);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("approval-required", code_of(reply), op);
    char *text = json_dumps(reply, 0);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "\"protected\": true"), text);
    free(text);
}

/* -- links ------------------------------------------------------------------------------------- */

/* Threat 156. */
void test_git_reach__a_hook_that_is_a_link(void) {
    make_link(project_path(".git/hooks/pre-commit"), "../../tools/hook");
    is_edited("protected", "tools/hook");
    is_edited("free", "tools/sub/f");
    is_edited("free", "src/f");
}

void test_git_reach__hooks_that_are_a_link(void) {
    TEST_ASSERT_EQUAL(0, rmdir(project_path(".git/hooks")));
    make_link(project_path(".git/hooks"), "../tools");
    is_edited("protected", "tools/hook");
    is_edited("protected", "tools/sub/f");
    is_edited("free", "src/f");
    is_asked("create_file", "{\"path\":\"tools/post-checkout\",\"content\":\"x\"}");
}

/* The hooks are a link, and one of them is a link again. */
void test_git_reach__links_behind_links(void) {
    TEST_ASSERT_EQUAL(0, rmdir(project_path(".git/hooks")));
    make_link(project_path(".git/hooks"), "../tools");
    make_link(project_path("tools/pre-push"), "../l/../src/f");
    make_link(project_path("l"), "tools/sub");
    make_file(project_path("tools/src/f"), "old\n");
    is_edited("protected", "tools/src/f");
    is_edited("free", "src/f");
}

/* A program would make the hook by making the file. */
void test_git_reach__a_link_to_nothing(void) {
    make_link(project_path(".git/hooks/post-checkout"), "../../later/hook");
    is_asked("create_file", "{\"path\":\"later/hook\",\"content\":\"x\",\"create_parents\":true}");
    is_asked("move_file", "{\"source\":\"src\",\"destination\":\"later\"}");
    is_asked("move_file", "{\"source\":\"tools\",\"destination\":\"later\"}");
}

void test_git_reach__what_is_above_a_hook(void) {
    make_link(project_path(".git/hooks/pre-commit"), "../../tools/hook");
    is_asked("delete_file", "{\"path\":\"tools\",\"recursive\":true}");
    is_asked("move_file", "{\"source\":\"tools\",\"destination\":\"src/tools\"}");
}

void test_git_reach__configuration_that_is_a_link(void) {
    make_link(project_path(".git/config"), "../src/f");
    is_edited("protected", "src/f");
}

/* In one call, of several files in one directory only the hook is told of. */
void test_git_reach__one_of_several_targets(void) {
    make_file(project_path("tools/other"), "old\n");
    make_link(project_path(".git/hooks/pre-commit"), "../../tools/hook");
    const json_t *reply = preview(
        ws, "replace_in_files", "{\"pattern\":\"old\",\"replacement\":\"new\",\"path\":\"tools\"}");
    const json_t *targets = json_object_get(reply, "targets"), *target;
    size_t i;
    TEST_ASSERT_EQUAL(3, json_array_size(targets));
    json_array_foreach(targets, i, target) {
        bool hook = strcmp(text_in(target, "path"), "tools/hook") == 0;
        TEST_ASSERT_EQUAL(hook, json_is_true(json_object_get(target, "protected")));
    }
}

/* Opens a directory of the project as a root. */
static void reopen_in(const char *directory) {
    char members[PATH_BYTES_MAX + 100];
    (void)snprintf(members, sizeof members, "\"root\":\"%s\"", project_path(directory));
    aqfs_free(ws);
    ws = open_elsewhere(members);
}

/* -- where the repository is ------------------------------------------------------------------- */

void test_git_reach__a_repository_above_the_root(void) {
    make_link(project_path(".git/hooks/pre-commit"), "../../tools/hook");
    reopen_in("tools");
    is_edited("protected", "hook");
    is_edited("free", "sub/f");
}

void test_git_reach__a_worktree(void) {
    make_repository(base_path("main"));
    make_worktree_store(base_path("main/worktrees/w"));
    make_file(project_path("w/.git"), "gitdir: ../../main/worktrees/w\n");
    make_file(project_path("w/f"), "old\n");
    make_file(project_path("w/g"), "old\n");
    make_directory(base_path("main/hooks"));
    make_link(base_path("main/hooks/pre-commit"), project_path("w/f"));
    is_edited("protected", "w/f");
    is_edited("free", "w/g");
}

/* The store of a submodule lies in the repository of the whole. */
void test_git_reach__a_submodule(void) {
    make_repository(project_path(".git/modules/a/b"));
    make_directory(project_path(".git/modules/a/b/hooks"));
    make_link(project_path(".git/modules/a/b/hooks/pre-commit"), "../../../../../tools/hook");
    is_edited("protected", "tools/hook");
    is_edited("free", "src/f");
}

/* Git runs in the working tree of the submodule, wherever its store lies. */
void test_git_reach__what_a_submodule_names(void) {
    make_repository(project_path(".git/modules/a"));
    make_file(project_path(".git/modules/a/config"),
              "[core]\n\tworktree = ../../../lib/a\n\thooksPath = ../../tools/sub\n");
    make_directory(project_path("lib/a"));
    is_edited("protected", "tools/sub/f");
    is_edited("free", "tools/hook");
}

/* So it does in the linked working trees, by the configuration of all and by that of one. */
void test_git_reach__what_a_linked_tree_obeys(void) {
    configure("[core]\n\thooksPath = ../tools/sub\n");
    make_worktree_store(project_path(".git/worktrees/w"));
    make_file(project_path(".git/worktrees/w/gitdir"), "../../../w/.git\n");
    make_file(project_path(".git/worktrees/w/config.worktree"), "[core]\n\thooksPath = ../src\n");
    make_file(project_path("w/.git"), "gitdir: ../.git/worktrees/w\n");
    is_edited("protected", "tools/sub/f");
    is_edited("protected", "src/f");
    is_edited("free", "tools/hook");
}

/* The hooks of a push run in the repository's own directory. */
void test_git_reach__hooks_of_a_push(void) {
    configure("[core]\n\thooksPath = ../tools/sub\n");
    is_edited("protected", "tools/sub/f");
    is_edited("free", "tools/hook");
}

/* A directory that git takes for no repository leads nowhere; nor do files that nobody obeys. */
void test_git_reach__what_git_does_not_obey(void) {
    make_link(project_path(".git/note"), "../src/f");
    is_edited("free", "src/f");
    TEST_ASSERT_EQUAL(0, unlink(project_path(".git/HEAD")));
    make_link(project_path(".git/hooks/pre-commit"), "../../tools/hook");
    reopen("");
    is_edited("free", "tools/hook");
}

/* A working tree beside its repository, in the directory of which it lies. */
void test_git_reach__a_working_tree_in_its_repository(void) {
    make_repository(project_path("r"));
    make_worktree_store(project_path("r/worktrees/w"));
    make_file(project_path("r/w/.git"), "gitdir: ../worktrees/w\n");
    make_file(project_path("r/w/f"), "old\n");
    make_link(project_path("r/current"), "w");
    is_edited("free", "r/w/f");
}

/* -- many of them ------------------------------------------------------------------------------ */

#define MANY 1500

/* Each has a hook that leads to a file beside it.  One call changes two files of each. */
void test_git_reach__many_nested_repositories(void) {
    int protected = 0;
    size_t i;
    for (int n = 0; n < MANY; n++) {
        char path[64];
        (void)snprintf(path, sizeof path, "many/%d/.git", n);
        make_repository(project_path(path));
        (void)snprintf(path, sizeof path, "many/%d/.git/hooks/pre-commit", n);
        make_parents(project_path(path));
        make_link(project_path(path), "../../hook");
        (void)snprintf(path, sizeof path, "many/%d/hook", n);
        make_file(project_path(path), "old\n");
        (void)snprintf(path, sizeof path, "many/%d/f", n);
        make_file(project_path(path), "old\n");
    }
    const json_t *reply = preview(
        ws, "replace_in_files", "{\"pattern\":\"old\",\"replacement\":\"new\",\"path\":\"many\"}");
    const json_t *targets = json_object_get(reply, "targets"), *target;
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(2 * MANY, json_array_size(targets));
    json_array_foreach(targets, i, target) {
        bool hook = strstr(text_in(target, "path"), "/hook") != NULL;
        TEST_ASSERT_EQUAL(hook, json_is_true(json_object_get(target, "protected")));
        protected += hook;
    }
    TEST_ASSERT_EQUAL(MANY, protected);
    is_edited("protected", "many/0/hook");
    is_edited("free", "many/1499/f");
}

/* -- the configuration ------------------------------------------------------------------------- */

void test_git_reach__hooks_that_the_configuration_names(void) {
    configure("[core]\n\thooksPath = ./tools\n");
    is_edited("protected", "tools/sub/f");
    is_edited("free", "src/f");
}

/* The included file names the hooks, relative to the working tree. */
void test_git_reach__configuration_that_is_included(void) {
    configure("[include]\n\tpath = ../src/gitconfig\n");
    make_file(project_path("src/gitconfig"), "old\n[CORE] HooksPath=\"tools/s\\u\\b\" ; x\n");
    is_edited("protected", "src/gitconfig");
    is_edited("free", "src/f");
    make_file(project_path("src/gitconfig"), "old\n[CORE] HooksPath=\"tools/sub\" ; x\n");
    reopen("");
    is_edited("protected", "tools/sub/f");
    is_edited("free", "tools/hook");
}

/* A shell gets the command, with its words. */
void test_git_reach__a_command_with_words(void) {
    configure("[core]\n\tfsmonitor = sh 'tools/hook' -v src/f\n");
    is_edited("protected", "tools/hook");
    is_edited("protected", "src/f");
    is_edited("free", "tools/sub/f");
}

void test_git_reach__commands_of_the_configuration(void) {
    configure("[filter \"x\"]\n\tsmudge = tools/hook %f\n"
              "[alias]\n\tgo = \"!f() { src/f $1; }; f\"\n"
              "\tst = tools/sub/f\n");
    is_edited("protected", "tools/hook");
    is_edited("protected", "src/f");
    is_edited("free", "tools/sub/f");
}

/* More than can be looked at leads perhaps anywhere, and the look ends. */
void test_git_reach__a_configuration_without_end(void) {
    struct buf text = {0};
    buf_str(&text, "[alias]\n");
    for (int line = 0; line < 120; line++) {
        buf_str(&text, "\tx = !");
        for (int word = 0; word < 1000; word++)
            buf_str(&text, "a ");
        buf_char(&text, '\n');
    }
    configure(text.data);
    buf_free(&text);
    is_edited("protected", "src/f");
}

/* A loop of includes, and what is no file, end. */
void test_git_reach__configurations_without_end(void) {
    configure("[include]\n\tpath = config\n");
    TEST_ASSERT_EQUAL(0, mkfifo(project_path(".git/config.worktree"), 0600));
    is_edited("protected", "src/f"); /* nobody knows all that it names */
}

/* -- mounts ------------------------------------------------------------------------------------ */

static bool bind(const char *from, const char *to) {
    char source[PATH_BYTES_MAX + 1];
    (void)snprintf(source, sizeof source, "%s", project_path(from));
    return mount(source, project_path(to), NULL, MS_BIND, NULL) == 0;
}

static int hooks_mounted(void) {
    if (!own_mounts() || !bind("tools", ".git/hooks"))
        return CHILD_SKIP;
    CHILD_CHECK(strcmp(edited("tools/hook"), "restricted") == 0);
    CHILD_CHECK(strcmp(edited("tools/sub/f"), "restricted") == 0);
    CHILD_CHECK(strcmp(edited("src/f"), "free") == 0);
    return 0;
}

/* Threat 156. */
void test_git_reach__a_directory_mounted_on_the_hooks(void) {
    run_child(hooks_mounted, "mounts of one's own are not permitted here");
}

static int shown_inside(void) {
    make_file(project_path(".git/hooks/pre-commit"), "old\n");
    make_directory(project_path("docs"));
    if (!own_mounts() || !bind(".git/hooks", "docs"))
        return CHILD_SKIP;
    reopen("\"cross_mounts\":true");
    CHILD_CHECK(strcmp(edited("docs/pre-commit"), "restricted") == 0);
    CHILD_CHECK(strcmp(edited("src/f"), "free") == 0);
    return 0;
}

void test_git_reach__hooks_mounted_in_the_project(void) {
    run_child(shown_inside, "mounts of one's own are not permitted here");
}

/* The hooks of a repository elsewhere, whose directory is not called .git. */
static int shown_from_elsewhere(const char *repository) {
    char hooks[PATH_BYTES_MAX + 1];
    (void)snprintf(hooks, sizeof hooks, "%s/hooks", base_path(repository));
    make_repository(base_path(repository));
    make_directory(hooks);
    make_directory(project_path("my docs"));
    if (!own_mounts() || mount(hooks, project_path("my docs"), NULL, MS_BIND, NULL) != 0)
        return CHILD_SKIP;
    make_file(project_path("my docs/pre-commit"), "old\n");
    make_file(project_path("my docs/deep/f"), "old\n");
    reopen_in("my docs");
    CHILD_CHECK(strcmp(edited("pre-commit"), "restricted") == 0);
    CHILD_CHECK(strcmp(edited("deep/f"), "restricted") == 0);
    return 0;
}

static int git_elsewhere(void) {
    return shown_from_elsewhere("other/.git");
}

static int bare_elsewhere(void) {
    return shown_from_elsewhere("other.git");
}

void test_git_reach__a_root_that_is_hooks_mounted_alone(void) {
    run_child(git_elsewhere, "mounts of one's own are not permitted here");
    run_child(bare_elsewhere, "mounts of one's own are not permitted here");
}

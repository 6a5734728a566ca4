/* SPDX-License-Identifier: MIT */
#include "protect.h"

#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_directory(project_path(""));
    ws = open_project("");
}

static enum protection level(const char *path) {
    return protect_level(ws, &ws->roots[0], path);
}

static void check(enum protection wanted, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        TEST_ASSERT_EQUAL_MESSAGE(wanted, level(names[i]), names[i]);
}

#define CHECK(wanted, ...)                                                                         \
    do {                                                                                           \
        static const char *const names[] = {__VA_ARGS__};                                          \
        check(wanted, names, sizeof names / sizeof *names);                                        \
    } while (0)

/* Threat 71. */
void test_protect__configuration_of_tools(void) {
    CHECK(PROTECT_DANGEROUS, ".envrc", "d/.envrc", ".dir-locals.el", "d/e/.dir-locals-2.el",
          ".emacs", ".emacs.d/lisp/x.el", ".sbclrc", ".eclrc", ".gitmodules", ".gitattributes",
          ".ssh/config", ".vscode/settings.json", ".husky/pre-commit", ".agent-q-fs",
          ".agent-q-fs/policy");
}

void test_protect__nothing_else(void) {
    CHECK(PROTECT_NONE, "", "a", "envrc", "dir-locals.el", ".emacs.d.txt", "x.envrc", ".gitignore",
          ".github/workflows/x.yml", "git", "git/config", ".gitx/config", "...", ".config/x");
}

/* .git itself may be made or moved with an approval; the files inside it belong to git. */
void test_protect__inside_git_nothing_is_written(void) {
    CHECK(PROTECT_DANGEROUS, ".git", "sub/.git", ".GIT");
    CHECK(PROTECT_REFUSE, ".git/config", "sub/.git/hooks/x", ".git/modules/m/config");
}

/* Threat 58: as another file system, or a careless reader, would see it. */
void test_protect__other_spellings(void) {
    CHECK(PROTECT_REFUSE, ".GIT/config", ".g\xE2\x80\x8Cit/config", ".git./x", ".git /x", "GIT~1/x",
          ".git::$INDEX_ALLOCATION/x", ".g\xC4\xB1t/x", "\xEF\xBB\xBF.git/x");
    CHECK(PROTECT_DANGEROUS, ".ENVRC", ".envrc.", ".envrc ", ".Dir-Locals.el", ".emac\xC5\xBF");
    CHECK(PROTECT_DANGEROUS,
          ".en\xE2\x80\xAEvrc"); // NOLINT(misc-misleading-bidirectional): it is one
    CHECK(PROTECT_NONE, ".g\xC3\xADt/x", ". git/x");
}

/* A common name is protected only where a program looks for it. */
void test_protect__init_files_where_they_are_loaded(void) {
    CHECK(PROTECT_DANGEROUS, "init.el", "early-init.el", "INIT.EL", "dotfiles/emacs/init.el",
          ".config/emacs/init.el", ".emacs.d/init.el");
    CHECK(PROTECT_NONE, "lisp/init.el", "test/resources/init.el", "init.el.txt",
          "src/early-init.el");
}

void test_protect__configuration_directories(void) {
    CHECK(PROTECT_DANGEROUS, ".config/emacs", ".config/emacs/lisp/x", "home/.config/agent-q-fs/x",
          ".config/common-lisp/source-registry.conf", ".config/git/config", ".CONFIG/GIT/config");
    CHECK(PROTECT_NONE, "agent-q-fs/module/x.c", "agent-q-fs", "config/emacs/x", "emacs/lisp.el",
          ".config/x/emacs/y", "git/config");
}

/* A root in such a directory is judged by its own name as well. */
void test_protect__roots_name(void) {
    make_directory(base_path("d/.config"));
    make_directory(base_path("emacs"));
    aqfs_workspace *other = open_project("\"allowed_paths\":[\"%s/d/.config\"]");
    TEST_ASSERT_EQUAL(2, other->root_count);
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(other, &other->roots[1], "emacs/x"));
    TEST_ASSERT_EQUAL(PROTECT_NONE, protect_level(other, &other->roots[1], "x/emacs"));
    aqfs_free(other);
}

void test_protect__what_the_caller_names(void) {
    aqfs_workspace *other = open_project("\"protected_paths\":[\"deploy\"]");
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(other, &other->roots[0], "deploy/x"));
    TEST_ASSERT_EQUAL(PROTECT_NONE, protect_level(other, &other->roots[0], "deployed"));
    aqfs_free(other);
}

/* Journals may be kept in a project: then writes there must be asked for. */
void test_protect__our_own_state(void) {
    make_directory(project_path("var/state"));
    aqfs_workspace *other = open_project("\"state_dir\":\"%s/project/var/state/\"");
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(other, &other->roots[0], "var/state"));
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS,
                      protect_level(other, &other->roots[0], "var/state/journal/x"));
    TEST_ASSERT_EQUAL(PROTECT_NONE, protect_level(other, &other->roots[0], "var/x"));
    TEST_ASSERT_EQUAL(PROTECT_NONE, protect_level(other, &other->roots[0], "var/state2"));
    aqfs_free(other);
}

/* SPDX-License-Identifier: MIT */
#include "protect.h"

#include "buf.h"
#include "die.h"
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
          ".gitignore", ".ssh/config", ".vscode/settings.json", ".husky/pre-commit", ".agent-q-fs",
          ".agent-q-fs/policy");
}

/* Every name that is promised, written out here: the core's own list cannot vouch for itself.  Each
 * holds at the top and below, for the file or directory and for what is in it. */
static const char *const promised[] = {
    ".envrc",         ".dir-locals.el", ".dir-locals-2.el", ".emacs",
    ".emacs.el",      ".emacs.d",       ".sbclrc",          ".eclrc",
    ".abclrc",        ".clasprc",       ".roswell",         ".cmucl-init.lisp",
    ".ccl-init.lisp", ".swank.lisp",    ".slynkrc",         ".slime",
    ".sly",           ".gitmodules",    ".gitconfig",       ".gitattributes",
    ".bashrc",        ".bash_profile",  ".profile",         ".zshrc",
    ".zshenv",        ".ssh",           ".vscode",          ".idea",
    ".husky",         ".agent-q-fs",    ".npmrc",
};

static const char *const promised_below[] = {
    ".config/emacs",  ".config/agent-q-fs", ".config/common-lisp", ".config/git",
    ".config/direnv", "emacs/init.el",      "emacs/early-init.el",
};

static void check_everywhere(const char *name) {
    static const char *const around[][2] = {{"", ""}, {"", "/x"}, {"a/b/", ""}, {"a/b/", "/x/y"}};
    char path[256];
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        (void)snprintf(path, sizeof path, "%s%s%s", around[i][0], name, around[i][1]);
        TEST_ASSERT_EQUAL_MESSAGE(PROTECT_DANGEROUS, level(path), path);
    }
}

void test_protect__every_name_that_is_promised(void) {
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
        check_everywhere(promised[i]);
    for (size_t i = 0; i < sizeof promised_below / sizeof *promised_below; i++)
        check_everywhere(promised_below[i]);
}

/* The manual names some of them, up to the semicolon; a star there stands for any text. */
void test_protect__the_names_in_the_manual(void) {
    struct buf manual = {0};
    read_whole("doc/manual.org", &manual);
    buf_char(&manual, '\0');
    char *from = strstr(manual.data, "Some names are always\n");
    char *to = from ? strchr(from, ';') : NULL;
    if (!to)
        die("doc/manual.org tells of protected names in other words now");
    *to = '\0';
    int names = 0;
    for (char *name, *end; (name = strchr(from, '=')) != NULL; names++, from = end + 1) {
        end = strchr(name + 1, '=');
        if (!end)
            die("doc/manual.org: there is no second = in %s", name);
        *end = '\0';
        if (name[1] == '*')
            name[1] = 'x';
        check_everywhere(name + 1);
    }
    buf_free(&manual);
    TEST_ASSERT_GREATER_THAN(5, names);
}

void test_protect__nothing_else(void) {
    CHECK(PROTECT_NONE, "", "a", "envrc", "dir-locals.el", ".emacs.d.txt", "x.envrc", "gitignore",
          ".github/x.yml", "git", "git/config", ".gitx/config", "...", ".config/x");
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

/* A root inside a .git, or below .ssh, is judged by all the names above it. */
void test_protect__names_above_the_root(void) {
    make_directory(base_path("d/.git/hooks"));
    make_directory(base_path(".ssh/a/b"));
    aqfs_workspace *other =
        open_project("\"allowed_paths\":[\"../d/.git\",\"../d/.git/hooks\",\"../.ssh/a/b\"]");
    TEST_ASSERT_EQUAL(4, other->root_count);
    TEST_ASSERT_EQUAL(PROTECT_REFUSE, protect_level(other, &other->roots[1], "x"));
    TEST_ASSERT_EQUAL(PROTECT_REFUSE, protect_level(other, &other->roots[2], "pre-commit"));
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(other, &other->roots[1], ""));
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(other, &other->roots[3], "x/y"));
    aqfs_free(other);
}

void test_protect__what_the_caller_names(void) {
    aqfs_workspace *other = open_project("\"protected_paths\":[\"deploy\"]");
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(other, &other->roots[0], "deploy/x"));
    TEST_ASSERT_EQUAL(PROTECT_NONE, protect_level(other, &other->roots[0], "deployed"));
    aqfs_free(other);
}

/* A list of which one element is wrong opens nothing, and names that element. */
static void is_no_list(const char *option, const char *list, const char *element) {
    char options[2 * PATH_BYTES_MAX], expected[PATH_BYTES_MAX];
    (void)snprintf(options, sizeof options, "{\"root\":\"%s\",\"%s\":%s}", project_path(""), option,
                   list);
    (void)snprintf(expected, sizeof expected, "%s: %s", option, element);
    const json_t *reply = fail_to_open(options);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("invalid-argument", code_of(reply), list);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text_in(reply, "message"), expected),
                                 text_in(reply, "message"));
}

void test_protect__lists_with_a_broken_element(void) {
    static const char *const options[] = {"protected_paths", "restricted_paths"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        is_no_list(options[i], "[\"a\",\"\"]", "element 2, : expected a path: the path is empty");
        is_no_list(options[i], "[\"\\\"a\"]", "element 1, ");
        is_no_list(options[i], "[\"a\",\"conf/*.pem\"]",
                   "element 2, conf/*.pem: expected a path: * ");
        is_no_list(options[i], "[\"key?\",\"a\"]", "element 1, key?: expected a path: * and ?");
        is_no_list(options[i], "[\"~bob/x\"]", "element 1, ~bob/x: expected a path: only ~/");
        is_no_list(options[i], "[\"a\",7]", "expected a list of strings, but element 2");
    }
}

/* Such characters are names where there is such a file, and where the path is in quotes. */
void test_protect__names_that_look_like_globs(void) {
    make_file(project_path("why?"), "x");
    aqfs_workspace *other = open_project(
        "\"protected_paths\":[\"why?\",\"\\\"all*\\\"\",\"[id].js\",\"\\\"~bob\\\"\"]");
    static const char *const paths[] = {"why?", "all*/x", "[id].js", "~bob"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        TEST_ASSERT_EQUAL_MESSAGE(PROTECT_DANGEROUS,
                                  protect_level(other, &other->roots[0], paths[i]), paths[i]);
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

/* An ending protects a name of any length. */
void test_protect__long_names(void) {
    char path[300];
    memset(path, 'x', sizeof path);
    memcpy(path + 200, ".elc", 5);
    TEST_ASSERT_EQUAL(PROTECT_DANGEROUS, protect_level(ws, &ws->roots[0], path));
}

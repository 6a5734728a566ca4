/* SPDX-License-Identifier: MIT */
#include "protected_names.h"

#include "fixture.h"
#include "protect.h"

#include "unity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_directory(project_path(""));
    ws = open_project("");
}

static void check(enum protection wanted, const char *path) {
    TEST_ASSERT_EQUAL_MESSAGE(wanted, protect_level(ws, &ws->roots[0], path), path);
}

/* The search needs the order, and compares with names that are folded. */
void test_protected_names__in_order_and_folded(void) {
    for (size_t i = 0; i < protected_name_count; i++) {
        const struct protected_name *row = &protected_names[i], *last = i > 0 ? row - 1 : NULL;
        int order = last ? strcmp(last->name, row->name) : -1;
        TEST_ASSERT_TRUE_MESSAGE(order < 0 || (order == 0 && last->above && row->above &&
                                               strcmp(last->above, row->above) < 0),
                                 row->name);
        for (const char *c = row->name; *c; c++)
            TEST_ASSERT_FALSE_MESSAGE(*c >= 'A' && *c <= 'Z', row->name);
    }
}

/* Each row, in the directory in which it counts, in capitals, and with something below it. */
void test_protected_names__each_is_found(void) {
    for (size_t i = 0; i < protected_name_count; i++) {
        const struct protected_name *row = &protected_names[i];
        bool top = row->above && strcmp(row->above, PROTECTED_ON_TOP) == 0;
        char path[128], below[160];
        (void)snprintf(path, sizeof path, "%s%s%s%s", top ? "" : "d/",
                       row->above && !top ? row->above : "", row->above && !top ? "/" : "",
                       row->name);
        check(PROTECT_DANGEROUS, path);
        (void)snprintf(below, sizeof below, "%s/x/y", path);
        check(PROTECT_DANGEROUS, below);
        for (char *c = path; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        check(PROTECT_DANGEROUS, path);
        if (!row->above)
            continue;
        (void)snprintf(path, sizeof path, "d/elsewhere/%s", row->name);
        check(PROTECT_NONE, path);
    }
    for (size_t i = 0; i < protected_ending_count; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "d/NAME%s", protected_endings[i].name);
        check(PROTECT_DANGEROUS, path);
        (void)snprintf(path, sizeof path, "d/name%s.txt", protected_endings[i].name);
        check(PROTECT_NONE, path);
    }
}

/* The names that other tools for agents protect, and those that an attack found unasked. */
void test_protected_names__known_to_be_obeyed(void) {
    static const char *const names[] = {
        ".zprofile",
        ".ripgreprc",
        ".mcp.json",
        ".claude/settings.json",
        ".claude.json",
        ".codex/config.toml",
        ".agents/x",
        "x.elc",
        ".emacs.elc",
        "x.eln",
        "x-autoloads.el",
        ".bash_login",
        ".zlogin",
        ".bash_aliases",
        ".cshrc",
        ".config/fish/config.fish",
        ".config/systemd/user/x.service",
        ".config/autostart/x.desktop",
        ".config/environment.d/x.conf",
        ".gnus",
        ".spacemacs",
        ".doom.d/init.el",
        ".config/doom/init.el",
        ".emacs.desktop",
        ".clisprc.lisp",
        ".lispworks",
        ".clinit.cl",
        ".stumpwmrc",
        ".lem/init.lisp",
        ".config/nyxt/config.lisp",
        ".vimrc",
        ".exrc",
        ".nvim.lua",
        ".gdbinit",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        ".mise.toml",
        ".cargo/config.toml",
        ".bazelrc",
        ".githooks/pre-commit",
        ".hg/hgrc",
        ".jj/config.toml",
        ".devcontainer/devcontainer.json",
        ".github/workflows/ci.yml",
        ".pre-commit-config.yaml",
        ".Rprofile",
        ".netrc",
        ".pypirc",
        /* A file beside a source that is loaded first, as an .elc is. */
        "x.so",
        "lisp/x.fasl",
        "__pycache__/x.cpython-311.pyc",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(PROTECT_DANGEROUS, names[i]);
}

/* These are run because somebody asks for a build or a test, and are edited all day. */
void test_protected_names__not_what_is_asked_to_run(void) {
    static const char *const names[] = {
        "Makefile",
        "GNUmakefile",
        "package.json",
        "x.asd",
        "conftest.py",
        "setup.py",
        "Cargo.toml",
        "build.rs",
        "configure.ac",
        "CMakeLists.txt",
        "Eldev",
        "Cask",
        "pyproject.toml",
        "Dockerfile",
        "workflows/x",
        "github/workflows/x",
        "elc",
        "so",
        "x.el",
        ".github/CODEOWNERS",
        ".config/x",
        "config/pip",
        "README.md",
        "AGENTS.md",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(PROTECT_NONE, names[i]);
}

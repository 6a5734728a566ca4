/* SPDX-License-Identifier: MIT */
#include "git_config.h"

#include "support.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static char told[4096];

void setUp(void) {
    told[0] = '\0';
}

void tearDown(void) {
}

/* DATA: after how many paths it answers 7. */
static int tell(void *data, enum git_config_kind kind, const char *path) {
    static const char *const words[] = {[GIT_CONFIG_INCLUDE] = "i:",
                                        [GIT_CONFIG_TREE] = "t:",
                                        [GIT_CONFIG_WORK] = "w:",
                                        [GIT_CONFIG_COMMAND] = "c:"};
    int *left = data;
    size_t n = strlen(told);
    (void)snprintf(told + n, sizeof told - n, "%s%s%s", n > 0 ? " " : "", words[kind], path);
    return --*left == 0 ? 7 : 0;
}

static void names(const char *expected, const char *text) {
    int left = 100;
    told[0] = '\0';
    TEST_ASSERT_EQUAL(0, git_config_read(text, strlen(text), tell, &left));
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, told, text);
}

void test_git_config__what_is_told(void) {
    names("w:h", "[core]\nhooksPath = h\n");
    names("w:a c:f -x", "[core]\n\tattributesFile=a\n\tfsmonitor = f -x");
    names("t:../..", "[core]\n\tworktree = ../..\n");
    names("c:./t -x c:g", "[filter \"a\"]\n\tclean = ./t -x\n[gpg]\nprogram=g\n");
    names("c:t c:d", "[diff.lisp]\n\ttextconv = t\n[MERGE \"x.y\"]\ndriver = d\n");
    names("c:!./t", "[alias]\n\tst = status\n\tgo = !./t\n");
    names("c:k c:t", "[gpg \"ssh\"]\n\tdefaultKeyCommand = k\n[tar \"tar.x\"]\n\tcommand = t\n");
    names("c:u c:r", "[remote \"origin\"]\n\turl = v\n\tuploadpack = u\n\treceivepack = r\n");
    names("c:m c:b", "[mergetool \"x\"]\n\tpath = m\n[browser \"x\"]\n\tcmd = b\n");
    names("c:c c:h", "[sendemail]\n\tccCmd = c\n[hook \"x\"]\n\tcommand = h\n");
    names("i:x", "[include]\n\tpath = x\n");
    names("i:x", "[includeIf \"gitdir:~/w]/\"]\n\tpath = x\n");
    names("i:x w:h", "[include] path = x\n[core] ; y\nhookspath = h");
}

void test_git_config__what_is_not(void) {
    names("", "");
    names("", "[core]\nbare = false\n[remote \"path\"]\n\tpath = x\n[x]hooksPath = h\n");
    names("", "[core]\n# hooksPath = h\n; hooksPath = h\nhooksPath\nhooksPath =\n");
    names("", "[core \"sub\"]\n[x]\nhooksPath = h");
    names("", "hooksPath = h\n[include");
}

/* As git reads a value: git config --get says the same of each. */
void test_git_config__values(void) {
    names("w:a b", "[core]hooksPath =   a b  \t # c\n");
    names("w:a ; b ", "[core]\nHOOKSPATH=\"a ; b \"\r\n");
    names("w:a\"b\\c", "[core]\nhooksPath = a\\\"b\\\\c\n");
    names("w:ab c:c", "[core]\nhooksPath = a\\\nb\nfsmonitor = c\n");
    names("w:h", "\xEF\xBB\xBF[core]\nhooksPath = h\n");
}

void test_git_config__values_that_are_no_paths(void) {
    char text[PATH_BYTES_MAX + 100];
    (void)snprintf(text, sizeof text, "[core]\nhooksPath = %s\nfsmonitor = f\n",
                   repeated("x", PATH_BYTES_MAX + 1));
    names("c:f", text);
}

void test_git_config__the_answer_ends_it(void) {
    static const char text[] = "[core]\nhooksPath = h\nfsmonitor = f\n";
    int left = 1;
    TEST_ASSERT_EQUAL(7, git_config_read(text, strlen(text), tell, &left));
    TEST_ASSERT_EQUAL_STRING("w:h", told);
}

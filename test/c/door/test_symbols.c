/* Tests, by nm, which symbols the shared object exports and which functions it can call at all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unity.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 20000

struct names {
    char *names[NAMES_MAX];
    size_t n;
};

static struct names found, wanted;

static void forget(struct names *names) {
    for (size_t i = 0; i < names->n; i++)
        free(names->names[i]);
    names->n = 0;
}

void tearDown(void) {
    forget(&found);
    forget(&wanted);
}

static void add(struct names *names, const char *name, size_t n) {
    TEST_ASSERT_TRUE(names->n < NAMES_MAX);
    names->names[names->n++] = strndup(name, n);
}

static bool has(const struct names *names, const char *name) {
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->names[i], name) == 0)
            return true;
    return false;
}

static const char *built(const char *file) {
    static char path[4096];
    const char *build = getenv("BUILD");
    (void)snprintf(path, sizeof path, "%s/%s", build ? build : "build", file);
    return path;
}

/* The last word of each line that nm prints: a symbol without its version. */
static void ask_nm(const char *options, const char *file) {
    char command[5000], line[5000];
    (void)snprintf(command, sizeof command, "nm %s '%s'", options, file);
    FILE *nm = popen(command, "r"); // NOLINT(cert-env33-c): a test, not the core
    TEST_ASSERT_NOT_NULL(nm);
    while (fgets(line, sizeof line, nm)) {
        size_t end = strcspn(line, "\n"), start = end;
        while (start > 0 && line[start - 1] != ' ')
            start--;
        size_t n = strcspn(line + start, "@\n");
        if (n > 0 && line[end - 1] != ':')
            add(&found, line + start, n);
    }
    TEST_ASSERT_EQUAL_MESSAGE(0, pclose(nm), command);
    TEST_ASSERT_TRUE_MESSAGE(found.n > 0, command);
}

/* Every name( behind an AQFS_API. */
static void read_header(void) {
    char line[500];
    FILE *header = fopen("module/include/aqfs.h", "r");
    TEST_ASSERT_NOT_NULL_MESSAGE(header, "run from the top of the tree");
    while (fgets(line, sizeof line, header)) {
        const char *name = strstr(line, "AQFS_API ") == line ? strstr(line, "aqfs_") : NULL;
        for (; name; name = strstr(name + 1, "aqfs_")) {
            size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
            if (name[n] == '(')
                add(&wanted, name, n);
        }
    }
    (void)fclose(header);
    TEST_ASSERT_TRUE(wanted.n >= 10);
}

/* Symbols that the compiler's own tools add, such as a sanitizer. */
static bool is_added(const char *name) {
    static const char *const prefixes[] = {"__odr_asan", "__asan", "__sanitizer", "__start_",
                                           "__stop_",    "__gcov", "__llvm",      "_init",
                                           "_fini",      "_edata", "_end",        "__bss_start"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

void test_symbols__exactly_the_interface_is_exported(void) {
    read_header();
    add(&wanted, "emacs_module_init", strlen("emacs_module_init"));
    add(&wanted, "plugin_is_GPL_compatible", strlen("plugin_is_GPL_compatible"));
    add(&wanted, "aqfs_module_identity", strlen("aqfs_module_identity")); /* read from the file */
    ask_nm("-D --defined-only", built("agent-q-fs-module.so"));
    for (size_t i = 0; i < found.n; i++)
        TEST_ASSERT_TRUE_MESSAGE(has(&wanted, found.names[i]) || is_added(found.names[i]),
                                 found.names[i]);
    for (size_t i = 0; i < wanted.n; i++)
        TEST_ASSERT_TRUE_MESSAGE(has(&found, wanted.names[i]), wanted.names[i]);
}

/* Functions that start a process, end this one, or change the state of the whole process. */
static const char *const forbidden[] = {
    "fork",          "vfork",         "_Fork",          "clone",    "clone3",       "execve",
    "execv",         "execvp",        "execvpe",        "execl",    "execlp",       "execle",
    "fexecve",       "execveat",      "posix_spawn",    "system",   "posix_spawnp", "popen",
    "dlopen",        "dlmopen",       "abort",          "exit",     "_exit",        "_Exit",
    "quick_exit",    "__assert_fail", "atexit",         "chdir",    "fchdir",       "chroot",
    "umask",         "setenv",        "putenv",         "unsetenv", "clearenv",     "getenv",
    "secure_getenv", "environ",       "setlocale",      "signal",   "sigaction",    "__sysv_signal",
    "printf",        "puts",          "perror",         "syslog",   "stdout",       "stderr",
    "__printf_chk",  "__fprintf_chk", "__vfprintf_chk", "mmap",     "mmap64",       "alarm",
    "setrlimit",     "tmpnam",        "mktemp",         "strtok",   "rand",         "srand",
    "gmtime_r",      "localtime_r",   "tzset",          "strftime", "strerror",     "mktime",
};

static void check_forbidden(void) {
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        TEST_ASSERT_FALSE_MESSAGE(has(&found, forbidden[i]), forbidden[i]);
}

/* That holds for the Emacs door too. */
void test_symbols__the_shared_object_starts_no_process(void) {
    ask_nm("-D --undefined-only", built("agent-q-fs-module.so"));
    TEST_ASSERT_TRUE_MESSAGE(has(&found, "readlinkat"), "nm shows nothing of what is used");
    check_forbidden();
}

void test_symbols__no_object_of_the_core_starts_a_process(void) {
    if (access(built("libaqfs.a"), R_OK) != 0)
        TEST_IGNORE_MESSAGE("the library is not part of nobody's copy of the tree");
    ask_nm("--undefined-only", built("libaqfs.a"));
    TEST_ASSERT_TRUE_MESSAGE(has(&found, "readlinkat"), "nm shows nothing of what is used");
    check_forbidden();
}

/* The core knows nothing of Emacs. */
void test_symbols__no_object_of_the_core_knows_emacs(void) {
    if (access(built("libaqfs.a"), R_OK) != 0)
        TEST_IGNORE_MESSAGE("the library is not part of nobody's copy of the tree");
    ask_nm("", built("libaqfs.a"));
    for (size_t i = 0; i < found.n; i++)
        TEST_ASSERT_NULL_MESSAGE(strstr(found.names[i], "emacs"), found.names[i]);
}

/* There is no global state: only the linker's own data can be written to. */
void test_symbols__no_object_of_the_core_has_writable_data(void) {
    if (access(built("libaqfs.a"), R_OK) != 0)
        TEST_IGNORE_MESSAGE("the library is not part of nobody's copy of the tree");
    char command[5000], line[5000];
    (void)snprintf(command, sizeof command, "nm --defined-only '%s'", built("libaqfs.a"));
    FILE *nm = popen(command, "r"); // NOLINT(cert-env33-c): a test, not the core
    TEST_ASSERT_NOT_NULL(nm);
    while (fgets(line, sizeof line, nm)) {
        char type = '\0', name[500] = "";
        if (sscanf(line, "%*s %c %499s", &type, name) == 2 && strchr("BbCG", type) &&
            !is_added(name))
            TEST_FAIL_MESSAGE(name);
    }
    TEST_ASSERT_EQUAL(0, pclose(nm));
}

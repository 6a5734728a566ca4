/* SPDX-License-Identifier: MIT */
#include "patch_check.h"
#include "utf8.h"

/* threat 107 */
void test_patch_names__prefixes(void) {
    parse("diff --git a/x b/x\n--- a/x\n+++ b/x\n" HUNK "diff --git a/a/x b/a/x\n--- a/a/x\n"
          "+++ b/a/x\n" HUNK);
    check_file(0, PATCH_MODIFY, "x", "x");
    check_file(1, PATCH_MODIFY, "a/x", "a/x");
    parse("diff --git a/x a/x\n--- a/x\n+++ a/x\n" HUNK "diff --git b/x b/x\nnew file mode 100644\n"
          "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
    check_file(0, PATCH_MODIFY, "a/x", "a/x");
    check_file(1, PATCH_ADD, NULL, "b/x");
    parse("diff --git x x\n--- x\n+++ x\n" HUNK "--- a/y\n+++ a/y\n" HUNK);
    check_file(0, PATCH_MODIFY, "x", "x");
    check_file(1, PATCH_MODIFY, "a/y", "a/y");
    /* Without prefixes, between directories called a and b; and with prefixes. */
    parse("diff --git a/x b/x\nrename from a/x\nrename to b/x\n");
    check_file(0, PATCH_RENAME, "a/x", "b/x");
    parse("diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n" HUNK);
    check_file(0, PATCH_RENAME, "x", "y");
    parse("diff --git b/x a/x\n--- b/x\n+++ a/x\n" HUNK
          "diff --git i/y w/y\n--- i/y\n+++ w/y\n" HUNK);
    check_file(0, PATCH_MODIFY, "x", "x");
    check_file(1, PATCH_MODIFY, "y", "y");
    refuse("diff --git a/ b/\n--- a/\n+++ b/\n" HUNK, 1, "do not agree");
    refuse("diff --git a/a b/b\n--- a/a\n+++ b/b\n" HUNK, 1, "do not agree");
}

void test_patch_names__prefixes_that_one_section_cannot_tell(void) {
    const char *add = "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+a\n";
    char text[200];
    refuse(add, 1, "b/y: it is unclear whether b/ is git's prefix");
    TEST_ASSERT_EQUAL_STRING("write \"diff --git a/y b/y\" before the two names", error.hint);
    refuse("--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 1, "whether a/ is");
    (void)snprintf(text, sizeof text, "%s%s", add, SECTION);
    parse(text);
    check_file(0, PATCH_ADD, NULL, "y");
    check_file(1, PATCH_MODIFY, "x", "x");
    (void)snprintf(text, sizeof text, "%s%s", add, "--- x\n+++ x\n" HUNK);
    parse(text);
    check_file(0, PATCH_ADD, NULL, "b/y");
    (void)snprintf(text, sizeof text, "%s%s", add, "--- z\n+++ z\n" HUNK SECTION);
    refuse(text, 1, "is unclear");
    parse("--- /dev/null\n+++ c/y\n@@ -0,0 +1 @@\n+a\n");
    check_file(0, PATCH_ADD, NULL, "c/y");
}

void test_patch_names__names(void) {
    parse("--- a/x y\t2024-01-01 10:00:00 +0100\n+++ b/x y\t\n" HUNK);
    check_file(0, PATCH_MODIFY, "x y", "x y");
    parse("diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n" HUNK);
    check_file(0, PATCH_MODIFY, "x y", "x y");
    parse(
        "diff --git \"a/\\303\\251\\t\\\"\" \"b/\\303\\251\\t\\\"\"\n--- \"a/\\303\\251\\t\\\"\"\n"
        "+++ \"b/\\303\\251\\t\\\"\"\t\n" HUNK);
    check_file(0, PATCH_MODIFY, "é\t\"", "é\t\"");
    parse("diff --git a/plain \"b/q\\\"\"\nrename from plain\nrename to \"q\\\"\"\n");
    check_file(0, PATCH_RENAME, "plain", "q\"");
    parse("diff --git \"a/q\\\"\" b/plain\nrename from \"q\\\"\"\nrename to plain\n");
    check_file(0, PATCH_RENAME, "q\"", "plain");
    parse("--- a/dev/null\n+++ b/dev/null\n" HUNK);
    check_file(0, PATCH_MODIFY, "dev/null", "dev/null");
    parse("--- ~/x\n+++ ~/x\n" HUNK);
    check_file(0, PATCH_MODIFY, "~/x", "~/x");
    parse("--- a/\377\n+++ b/\377\n" HUNK);
    check_file(0, PATCH_MODIFY, "\377", "\377");
}

/* Threat 44: characters that a path may not contain.  Others judge where it may lead. */
void test_patch_names__refuses_names(void) {
    refuse("--- \"a/x\\000\"\n+++ \"b/x\\000\"\n" HUNK, 1, "NUL");
    refuse("--- \"a/x\\n\"\n+++ \"b/x\\n\"\n" HUNK, 1, "newline");
    refuse("--- \"a/x\n+++ \"b/x\n" HUNK, 1, "quoted form");
    refuse("--- \"a/x\" y\n+++ \"b/x\" y\n" HUNK, 1, "after the quoted path");
    refuse("--- \"a/\\x\"\n+++ b/x\n" HUNK, 1, "quoted form");
    refuse("--- \n+++ \n" HUNK, 1, "empty");
    refuse("--- a/x\r\n+++ b/x\r\n" HUNK, 1, "control character");
    refuse("--- a/\033x\n+++ b/\033x\n" HUNK, 1, "control character");
    refuse("diff --git a/x b/y\nrename from x\nrename to y\tz\n", 3, "control character");
    char name[300] = "", text[700];
    memset(name, 'n', sizeof name - 1);
    (void)snprintf(text, sizeof text, "--- a/%s\n+++ b/x\n" HUNK, name);
    refuse(text, 1, "longer than 255");
    parse("--- a/../x\n+++ b/../x\n" HUNK "--- /abs\n+++ /abs\n" HUNK);
    check_file(0, PATCH_MODIFY, "../x", "../x");
    check_file(1, PATCH_MODIFY, "/abs", "/abs");
    parse("--- \"a/\\056\\056/x\"\n+++ \"b/../x\"\n" HUNK);
    check_file(0, PATCH_MODIFY, "../x", "../x");
}

/* A message that is too long is cut between code points, wherever the cut would be. */
void test_patch_names__long_names_in_messages(void) {
    for (int n = 150; n < 192; n++) {
        char name[300] = "", text[700];
        memset(name, '\xFE', (size_t)n);
        for (int i = n + n % 2; i < 250; i += 2)
            memcpy(name + i, "é", 2);
        memset(name + n, 'x', (size_t)(n % 2));
        memset(name, 'x', (size_t)(n / 2 % 2));
        (void)snprintf(text, sizeof text, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+a\n", name);
        refuse(text, 1, "\\376");
        TEST_ASSERT_TRUE(utf8_is_valid(error.message, strlen(error.message)));
        TEST_ASSERT_TRUE(utf8_is_valid(error.hint, strlen(error.hint)));
    }
}

/* threat 49 */
void test_patch_names__the_same_file_twice(void) {
    refuse(SECTION "--- a/y\n+++ b/y\n" HUNK SECTION, 11,
           "x is changed a second time, first at line 1");
    refuse(SECTION "diff --git a/x b/x\ndeleted file mode 100644\n", 6, "second time");
    refuse(
        "diff --git a/x b/x\ndeleted file mode 100644\ndiff --git a/x b/x\nnew file mode 100644\n",
        3, "second time");
    refuse("diff --git a/x b/y\nrename from x\nrename to y\n" GIT SECTION, 4, "second time");
    refuse("diff --git a/x b/y\nrename from x\nrename to y\ndiff --git a/y b/y\n" HUNK, 4,
           "y is changed a second time");
    refuse("diff --git a/x b/z\nrename from x\nrename to z\ndiff --git a/y b/z\nrename from y\n"
           "rename to z\n",
           4, "second time");
    /* Names can be swapped, reused and copied from. */
    parse("diff --git a/x b/y\nrename from x\nrename to y\ndiff --git a/y b/x\nrename from y\n"
          "rename to x\n");
    parse("diff --git a/x b/y\nrename from x\nrename to y\ndiff --git a/x b/x\n"
          "new file mode 100644\n");
    parse("diff --git a/x b/y\ncopy from x\ncopy to y\ndiff --git a/x b/z\ncopy from x\ncopy to "
          "z\n" GIT SECTION);
    parse("diff --git a/x b/X\nrename from x\nrename to X\n");
}

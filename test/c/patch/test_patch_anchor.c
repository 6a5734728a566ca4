/* SPDX-License-Identifier: MIT */
#include "patched_check.h"

static const char classes[] = "class A:\n"
                              "    def f(self):\n"
                              "        pass\n"
                              "\n"
                              "    def g(self):\n"
                              "        pass\n"
                              "\n"
                              "class B(A):\n"
                              "    def f(self):\n"
                              "        pass\n"
                              "\n"
                              "class Bad:\n"
                              "    pass\n";

/* Applies a hunk that replaces `        pass` with `        return` after ANCHORS.  Returns the
 * line that changed. */
static size_t line_behind(const char *anchors, const char *old) {
    char text[1000];
    (void)snprintf(text, sizeof text, UPDATE "%s-        pass\n+        return\n" END, anchors);
    if (apply(text, old, strlen(old)) != AQFS_OK)
        return 0;
    TEST_ASSERT_EQUAL_UINT(1, patched.change_count);
    return patched.changes[0].old_start;
}

void test_patch_anchor__anchors(void) {
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@\n", classes));
    TEST_ASSERT_EQUAL_UINT(3, line_behind("@@ class A\n@@ def f\n", classes));
    TEST_ASSERT_EQUAL_UINT(3, line_behind("@@ class A:\n@@     def f(self):\n", classes));
    TEST_ASSERT_EQUAL_UINT(6, line_behind("@@ class A\n@@ def g\n", classes));
    TEST_ASSERT_EQUAL_UINT(6, line_behind("@@ def g\n", classes));
    TEST_ASSERT_EQUAL_UINT(10, line_behind("@@ class B\n@@ def f\n", classes));
    TEST_ASSERT_EQUAL_UINT(10, line_behind("@@ class B\n", classes));
    /* Two of them in class A: the first counts.  But there are two functions f. */
    TEST_ASSERT_EQUAL_UINT(3, line_behind("@@ class A\n", classes));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ def f\n", classes));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "at line 3 and at line 6"));
    /* Not there. */
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ class C\n", classes));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "no line begins with the anchor \"class C\""));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ class B\n@@ def g\n", classes));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "no line within the last begins with the anchor"));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ class Bad\n", classes));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "after its anchor; the nearest are at line 13"));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ lass A\n", classes));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ class A\n@@ pass\n", "class A\nclass B\n pass\n"));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "no line within the last begins with the anchor"));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ class A(\n", classes));
}

void test_patch_anchor__anchor_regions(void) {
    /* A region ends at a line that begins with the same word and is not indented deeper. */
    TEST_ASSERT_EQUAL_UINT(2,
                           line_behind("@@ f one\n", "f one\n        pass\nf two\n        pass\n"));
    TEST_ASSERT_EQUAL_UINT(
        3, line_behind("@@ f one\n", "f one\n f two\n        pass\n        pass\n"));
    TEST_ASSERT_EQUAL_UINT(2,
                           line_behind("@@ f one\n", "f one\n        pass\ng two\n        pass\n"));
    TEST_ASSERT_EQUAL_UINT(2, line_behind("@@ f(1)\n", "f(1)\n        pass\nf(2)\n        pass\n"));
    TEST_ASSERT_EQUAL_UINT(2, line_behind("@@ (f 1\n", "(f 1\n        pass\n(f 2\n        pass\n"));
    TEST_ASSERT_EQUAL_UINT(
        3, line_behind("@@ ## 1\n", "## 1\n# c\n        pass\n## 2\n        pass\n"));
    TEST_ASSERT_EQUAL_UINT(0, line_behind("@@ f one\n", "f one\nf two\n        pass\n"));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "are not after its anchor, line 1, but at line 3"));
    /* The next anchor must stand after the last one, even if it is the same. */
    check(UPDATE "@@ f\n@@ f\n+x\n" END, "f 1\n  f 2\nend\n", "f 1\n  f 2\nx\nend\n");
    /* The anchor may also be a context line. */
    check(UPDATE "@@ f\n f\n-a\n" END, "f\na\n", "f\n");
    check(UPDATE "@@ f\n-f\n" END, "f\na\n", "a\n");
    /* One anchor for several hunks. */
    check(UPDATE "@@ f 1\n-a\n@@ f 1\n-b\n@@ f 2\n-a\n" END, "f 1\na\nb\nf 2\na\nb\n",
          "f 1\nf 2\nb\n");
}

/* An anchor after a hunk is searched from there on, and where it is not, anywhere. */
void test_patch_anchor__anchors_behind_a_hunk(void) {
    check(UPDATE "@@\n-b\n@@ f\n-c\n+C\n" END, "f\nc\nb\nf\nc\nf\nc\n", "f\nc\nf\nC\nf\nc\n");
    check(UPDATE "@@\n-b\n@@ f\n+x\n" END, "f\nb\nf\nc\nf\n", "f\nf\nx\nc\nf\n");
    check(UPDATE "@@ g\n-a\n@@ g\n-a\n" END, "g\na\nb\na\na\n", "g\nb\na\n");
    /* The first hunk has nothing before it that is certain. */
    refuse(UPDATE "@@ f\n-c\n" END, "f\nc\nf\nc\n", "are at line 2 and at line 4");
}

/* One anchor for all hunks, whose region is very long. */
void test_patch_anchor__many_hunks_behind_one_anchor(void) {
    const size_t count = 50000;
    char *end, *old = many(count, "f", "\nx\n", &end), *text = malloc(count * 40 + 100);
    TEST_ASSERT_NOT_NULL(text);
    char *at = text + sprintf(text, UPDATE);
    for (size_t i = 1; i < count; i++)
        at += sprintf(at, "@@ f0\n f%zu\n-x\n", i);
    (void)sprintf(at, END);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, apply(text, old, (size_t)(end - old)));
    check_counts(0, count - 1);
    free(old);
    free(text);
}

/* SPDX-License-Identifier: MIT */
#include "patched_check.h"

void test_patch_apply__unified(void) {
    check(NAMES "@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n@@ -6 +6,2 @@\n f\n+F\n@@ -8 +8,0 @@\n-h\n",
          "a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nb\nC\nd\ne\nf\nF\ng\ni\n");
    check_counts(2, 2);
    TEST_ASSERT_EQUAL_UINT(3, patched.change_count);
    check_change(0, 3, 1, 3, 1);
    check_change(1, 7, 0, 7, 1);
    check_change(2, 8, 1, 9, 0);
    check(NAMES "@@ -1,5 +1,5 @@\n-a\n b\n-c\n+C\n d\n+D\n e\n", "a\nb\nc\nd\ne\n",
          "b\nC\nd\nD\ne\n");
    check_change(0, 1, 4, 1, 4);
    check(NAMES "@@ -1 +1,0 @@\n-a\n", "a\n", "");
    check_change(0, 1, 1, 1, 0);
}

void test_patch_apply__unified_new_and_empty_files(void) {
    check("--- /dev/null\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n", "", "a\nb\n");
    check_counts(2, 0);
    check_change(0, 1, 0, 1, 2);
    check("--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+a\n" NONE, "", "a");
    check(NAMES "@@ -0,0 +1 @@\n+a\n", "", "a\n");
    check("diff --git a/x b/x\nnew file mode 100644\n", "", "");
    check("diff --git a/x b/y\nrename from x\nrename to y\n", "a\r\nb", "a\r\nb");
    TEST_ASSERT_EQUAL_UINT(0, patched.change_count);
    refuse("--- /dev/null\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n", "c\n", "no context line to show");
}

void test_patch_apply__unified_deleted_files(void) {
    check("--- x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "a\nb\n", "");
    check_counts(0, 2);
    check("--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" NONE, "a", "");
    check("diff --git a/x b/x\ndeleted file mode 100644\n", "", "");
    check("--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", MARK "a\n", "");
    check("--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "a\r\n", "");
    refuse("--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "a\nb\n",
           "shows 1 of its lines, but it has 1 more");
    refuse("diff --git a/x b/x\ndeleted file mode 100644\n", "a\n", "has 1 more");
}

/* threat 48: no offset, no fuzz */
void test_patch_apply__unified_is_strict(void) {
    const char *text = NAMES "@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n";
    refuse(text, "b\nc\nd\n",
           "x: hunk 1, line 3 of the patch: line 2 is \"c\", and the patch has "
           "\"b\"");
    check_hint("are at line 1");
    refuse(text, "0\na\nb\nc\nd\n", "line 2 is \"a\"");
    check_hint("are at line 3");
    refuse(text, "0\na\nb\nc\nd\nb\nc\nd\n", "line 2 is \"a\"");
    check_hint("are at line 3 and at line 6");
    refuse(text, "a\nb\nc\nD\n", "line 4 is \"D\", and the patch has \"d\"");
    TEST_ASSERT_EQUAL_STRING("", error.hint);
    refuse(text, "a\nb\nc \nd\n", "line 3 is \"c \", and the patch has \"c\"");
    refuse(text, "a\nb\nc\n", "has \"d\" as line 4, but the text ends before it");
    refuse(text, "", "has \"b\" as line 2, but the text ends before it");
    refuse(NAMES "@@ -1 +1 @@\n-a\n+b\n@@ -3 +3 @@\n-c\n+d\n", "a\nb\nx\n", "x: hunk 2, line 6");
    refuse(NAMES "@@ -2147483647 +1 @@\n-a\n+b\n", "a\n", "as line 2147483647");
    check_hint("are at line 1");
    refuse(NAMES "@@ -1,0 +2 @@\n+b\n", "a\n", "no context line to show that it belongs at line 2");
    refuse(NAMES "@@ -1,0 +2 @@\n+b\n", "", "after line 1, but the text is empty");
}

void test_patch_apply__unified_final_newline(void) {
    check(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n" NONE "+c\n" NONE, "a\nb", "a\nc");
    check(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n" NONE "+b\n", "a\nb", "a\nb\n");
    check(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+b\n" NONE, "a\nb\n", "a\nb");
    check(NAMES "@@ -1,2 +1,2 @@\n-a\n+A\n b\n" NONE, "a\nb", "A\nb");
    check(NAMES "@@ -1,2 +1 @@\n a\n-b\n" NONE, "a\nb", "a\n");
    check(NAMES "@@ -1 +1 @@\n-a\n+b\n", "a\nb", "b\nb");
    refuse(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nb",
           "line 2, \"b\", is the last one and has no newline");
    check_hint("put \"\\ No newline at end of file\" after");
    refuse(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n" NONE "+c\n", "a\nb\n",
           "line 2, \"b\", ends in a newline");
    refuse(NAMES "@@ -1 +1 @@\n-a\n" NONE "+c\n", "a\nb\n", "line 1, \"a\", ends in a newline");
    /* The text goes on after the line that the patch takes for its end. */
    refuse(NAMES "@@ -1 +1,2 @@\n-a\n+b\n+c\n" NONE, "a\nd\n", "is not the last line");
}

void test_patch_apply__envelope_final_newline(void) {
    /* The format cannot express it: the last line has a newline if it had one before. */
    check(UPDATE "@@\n-b\n+c\n" END, "a\nb", "a\nc");
    check(UPDATE "@@\n b\n+c\n" END, "a\nb", "a\nb\nc");
    check(UPDATE "@@\n+c\n*** End of File\n" END, "a\nb", "a\nb\nc");
    check(UPDATE "@@\n-a\n+c\n" END, "a\nb", "c\nb");
    check(UPDATE "@@\n-b\n" END, "a\nb", "a\n");
    check(UPDATE "@@\n-b\n+c\n" END, "a\nb\n", "a\nc\n");
    check(UPDATE "@@\n b\n+c\n" END, "a\r\nb", "a\r\nb\r\nc");
    check(UPDATE "@@\n-b\n" NONE "+c\n" END, "a\nb", "a\nc\n");
    check(UPDATE "@@\n-b\n+c\n" NONE END, "a\nb\n", "a\nc");
    check(UPDATE "@@\n-b\n+c\n" NONE END, "a\nb", "a\nc");
    refuse(UPDATE "@@\n-b\n" NONE "+c\n" END, "a\nb\n", "ends in a newline");
    refuse(UPDATE "@@\n-a\n+c\n" NONE END, "a\nb\n", "is not the last line");
}

void test_patch_apply__crlf(void) {
    /* The form shown to a model, without CR. */
    check(NAMES "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n");
    check(UPDATE "@@\n a\n-b\n+B\n+C\n" END, "a\r\nb\r\nc", "a\r\nB\r\nC\r\nc");
    check(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n" NONE "+B\n" NONE, "a\r\nb", "a\r\nB");
    check(UPDATE "@@\n-a\n+A\n" END, "a\r\n\r\n", "A\r\n\r\n");
    /* The form that git writes. */
    check(NAMES "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n");
    check(NAMES "@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n", "a\r\nb\r\n", "a\nb\n");
    check(NAMES "@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n", "a\nb\n", "a\r\nb\r\n");
    /* A patch in which every line ends in CRLF. */
    check("--- x\r\n+++ x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "a\r\n", "b\r\n");
    check("--- x\r\n+++ x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "a\n", "b\n");
    refuse(NAMES "@@ -1,2 +1,2 @@\n a\r\n-b\n+c\n", "a\r\nb\r\n", "line 2 is \"b\\x0D\"");
    refuse(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+c\r\n", "a\r\nb\r\n", "its added lines end in CR");
}

/* A patch with CRs is of exact bytes. */
void test_patch_apply__mixed_endings_are_exact(void) {
    check(NAMES "@@ -1,3 +1,3 @@\n a\r\n-b\n+c\n d\r\n", "a\r\nb\nd\r\n", "a\r\nc\nd\r\n");
    refuse(NAMES "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "a\r\nb\n", "line 2 is \"b\"");
    check(NAMES "@@ -2 +2 @@\n-b\n+b\r\n", "a\r\nb\n", "a\r\nb\r\n");
}

/* In a patch without CRs, each line keeps its own ending. */
void test_patch_apply__mixed_endings_as_shown(void) {
    check(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\r\nb\n", "a\r\nc\n");
    check(UPDATE "@@\n-b\n+c\n" END, "a\r\nb\n", "a\r\nc\n");
    check(UPDATE "@@\n-a\n-b\n-c\n+A\n+B\n+C\n+D\n d\n" END, "a\nb\r\nc\nd\r\n",
          "A\nB\r\nC\nD\nd\r\n");
    check(UPDATE "@@\n-a\n+A\n b\n-c\n+C\n+D\n" END, "a\nb\nc\r\n", "A\nb\nC\r\nD\r\n");
    /* An added line follows the one before it, or the first one of the hunk. */
    check(UPDATE "@@\n b\n+x\n c\n" END, "a\nb\r\nc\n", "a\nb\r\nx\r\nc\n");
    check(UPDATE "@@\n+x\n b\n" END, "a\r\nb\nc\r\n", "a\r\nx\nb\nc\r\n");
    check(UPDATE "@@ b\n+x\n" END, "a\nb\r\nc\n", "a\nb\r\nx\r\nc\n");
    check(UPDATE "@@\n+x\n*** End of File\n" END, "a\r\nb\nc", "a\r\nb\nc\nx");
    check(UPDATE "@@\n-c\n+x\n+y\n" END, "a\nb\r\nc", "a\nb\r\nx\r\ny");
    refuse(UPDATE "@@\n-a\n+b\n" END, "a\r\na\n", "are at line 1 and at line 2");
}

void test_patch_apply__byte_order_mark(void) {
    check(NAMES "@@ -1 +1 @@\n-a\n+b\n", MARK "a\n", MARK "b\n");
    check(UPDATE "@@\n-a\n+b\n" END, MARK "a\r\nc\r\n", MARK "b\r\nc\r\n");
    check(NAMES "@@ -1 +1 @@\n-" MARK "a\n+" MARK "b\n", MARK "a\n", MARK "b\n");
    check(NAMES "@@ -1 +1 @@\n-" MARK "a\n+a\n", MARK "a\n", "a\n");
    check(NAMES "@@ -1 +1 @@\n-a\n+" MARK "a\n", "a\n", MARK "a\n");
    check(NAMES "@@ -2 +2 @@\n-b\n+c\n", MARK "a\nb\n", MARK "a\nc\n");
    check(NAMES "@@ -0,0 +1 @@\n+a\n", MARK, MARK "a\n");
    check_change(0, 1, 0, 1, 1);
}

void test_patch_apply__odd_line_breaks_are_content(void) {
    check(NAMES "@@ -1,3 +1,3 @@\n a\fb\n-c\rd\n+e\rf\n g\342\200\250h\n",
          "a\fb\nc\rd\ng\342\200\250h\n", "a\fb\ne\rf\ng\342\200\250h\n");
    check(UPDATE "@@\n a\fb\n-c\rd\n+e\rf\n g\342\200\250h\n" END, "a\fb\nc\rd\ng\342\200\250h\n",
          "a\fb\ne\rf\ng\342\200\250h\n");
    check(UPDATE "@@\n-\f\n+\v\n" END, "\f\n\t\n", "\v\n\t\n");
}

/* threat 106 */

void test_patch_apply__many_hunks(void) {
    const size_t count = 100000;
    char *end, *text = malloc(count * 60 + 100), *at = text;
    char *old = many(count, "a", "\nb\nc\n", &end);
    size_t old_n = (size_t)(end - old);
    TEST_ASSERT_NOT_NULL(text);
    at += sprintf(at, NAMES);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "@@ -%zu,2 +%zu,2 @@\n a%zu\n-b\n+B\n", 3 * i + 1, 3 * i + 1, i);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, apply(text, old, old_n));
    check_counts(count, count);
    TEST_ASSERT_EQUAL_UINT(old_n, patched.text.len);
    at = text + sprintf(text, UPDATE);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "@@\n a%zu\n-b\n+B\n", i);
    (void)sprintf(at, END);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, apply(text, old, old_n));
    check_counts(count, count);
    at = text + sprintf(text, UPDATE);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "@@ a%zu\n b\n-c\n", i);
    (void)sprintf(at, END);
    /* Here no region ends, so each hunk is in all regions that begin before it. */
    TEST_ASSERT_EQUAL_INT(AQFS_OK, apply(text, old, old_n));
    check_counts(0, count);
    free(old);
    old = many(count, "f a", "\nb\nc\n", &end);
    at = text + sprintf(text, UPDATE);
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "@@ f a%zu\n b\n-c\n", i);
    (void)sprintf(at, END);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, apply(text, old, (size_t)(end - old)));
    check_counts(0, count);
    free(old);
    free(text);
}

void test_patch_apply__long_lines(void) {
    const size_t n = 10000000;
    char *old = malloc(n + 10), *text = malloc(2 * n + 200);
    TEST_ASSERT_NOT_NULL(old);
    TEST_ASSERT_NOT_NULL(text);
    memset(old, 'x', n);
    memcpy(old + n, "\nb\n", 4);
    for (int envelope = 0; envelope < 2; envelope++) {
        char *at = text + sprintf(text, envelope ? UPDATE "@@\n-" : NAMES "@@ -1 +1 @@\n-");
        memset(at, 'x', n);
        (void)sprintf(at + n, "\n+y\n%s", envelope ? END : "");
        TEST_ASSERT_EQUAL_INT(AQFS_OK, apply(text, old, n + 3));
        TEST_ASSERT_EQUAL_STRING("y\nb\n", patched.text.data);
        at[n - 1] = 'y';
        TEST_ASSERT_EQUAL_INT(AQFS_PATCH_APPLY, apply(text, old, n + 3));
    }
    free(old);
    free(text);
}

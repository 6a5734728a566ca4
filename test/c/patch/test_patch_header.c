/* SPDX-License-Identifier: MIT */
#include "patch_check.h"

void test_patch_header__adds_and_deletes(void) {
    parse("diff --git a/new b/new\nnew file mode 100755\nindex 000..123\n--- /dev/null\n+++ b/new\n"
          "@@ -0,0 +1,2 @@\n+a\n+b\n"
          "diff --git a/old b/old\ndeleted file mode 100644\nindex 123..000\n--- a/old\n"
          "+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
          "diff --git a/empty b/empty\nnew file mode 100644\nindex 000..e69\n"
          "diff --git a/gone b/gone\ndeleted file mode 100755\nindex e69..000\n");
    TEST_ASSERT_EQUAL_UINT(4, patch.file_count);
    check_file(0, PATCH_ADD, NULL, "new");
    check_file(1, PATCH_DELETE, "old", NULL);
    check_file(2, PATCH_ADD, NULL, "empty");
    check_file(3, PATCH_DELETE, "gone", NULL);
    TEST_ASSERT_EQUAL_HEX(0100755, patch.files[0].new_mode);
    TEST_ASSERT_EQUAL_HEX(0, patch.files[0].old_mode);
    TEST_ASSERT_EQUAL_HEX(0100644, patch.files[1].old_mode);
    TEST_ASSERT_EQUAL_HEX(0, patch.files[1].new_mode);
    TEST_ASSERT_EQUAL_UINT(0, patch.files[2].hunk_count);
}

void test_patch_header__adds_and_deletes_without_git(void) {
    parse("--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+a\n--- old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
    check_file(0, PATCH_ADD, NULL, "new");
    check_file(1, PATCH_DELETE, "old", NULL);
    parse(GIT "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
    check_file(0, PATCH_ADD, NULL, "x");
}

void test_patch_header__renames_and_copies(void) {
    parse("diff --git a/p q b/r s t\nsimilarity index 100%\nrename from p q\nrename to r s t\n"
          "diff --git a/c b/d\nsimilarity index 50%\ncopy from c\ncopy to d\nindex 1..2 100644\n"
          "--- a/c\n+++ b/d\n" HUNK
          "diff --git a/run b/go\nold mode 100644\nnew mode 100755\nsimilarity index 90%\n"
          "rename from run\nrename to go\n");
    check_file(0, PATCH_RENAME, "p q", "r s t");
    check_file(1, PATCH_COPY, "c", "d");
    check_file(2, PATCH_RENAME, "run", "go");
    TEST_ASSERT_EQUAL_UINT(1, patch.files[1].hunk_count);
    TEST_ASSERT_EQUAL_HEX(0100755, patch.files[2].new_mode);
}

void test_patch_header__modes(void) {
    parse(GIT "old mode 100644\nnew mode 100755\n");
    check_file(0, PATCH_MODIFY, "x", "x");
    TEST_ASSERT_EQUAL_HEX(0100644, patch.files[0].old_mode);
    TEST_ASSERT_EQUAL_HEX(0100755, patch.files[0].new_mode);
    parse(GIT "index 1..2 100664\n" SECTION);
    TEST_ASSERT_EQUAL_HEX(0100644, patch.files[0].old_mode);
    TEST_ASSERT_EQUAL_HEX(0100644, patch.files[0].new_mode);
}

/* threat 45 */
void test_patch_header__refuses_links_submodules_and_setuid(void) {
    refuse(GIT "new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", 2,
           "symbolic links");
    refuse(GIT "deleted file mode 120000\n", 2, "symbolic links");
    refuse(GIT "index 1..2 120000\n" SECTION, 2, "symbolic links");
    refuse(GIT "new file mode 160000\n", 2, "submodules");
    refuse(GIT "old mode 100644\nnew mode 104755\n", 3, "104755");
    refuse(GIT "old mode 100644\nnew mode 102755\n", 3, "102755");
    refuse(GIT "old mode 100644\nnew mode 101755\n", 3, "101755");
    refuse(GIT "old mode 100644\nnew mode 100777\n", 3, "100777");
    refuse(GIT "old mode 100644\nnew mode 040000\n", 3, "040000");
    refuse(GIT "old mode 100644\nnew mode 1007550\n", 3, "six octal digits");
    refuse(GIT "old mode 100644\nnew mode 10075\n", 3, "six octal digits");
    refuse(GIT "old mode 100644\nnew mode 10075x\n", 3, "six octal digits");
    refuse(GIT "old mode 100644\nnew mode \n", 3, "six octal digits");
}

void test_patch_header__refuses_contradictions(void) {
    refuse(GIT "old mode 100644\n", 1, "only half of a pair");
    refuse("diff --git a/x b/y\nrename from x\n", 1, "only half of a pair");
    refuse("diff --git a/x b/y\ncopy to y\n", 1, "only half of a pair");
    refuse(GIT "old mode 100644\nold mode 100644\n", 3, "second time");
    refuse(GIT "new file mode 100644\ndeleted file mode 100644\n", 1, "contradicts");
    refuse(GIT "new file mode 100644\nold mode 100644\nnew mode 100755\n", 1, "contradicts");
    refuse(GIT "new file mode 100644\nindex 1..2 100755\n", 3, "second time");
    refuse("diff --git a/x b/y\nrename from x\nrename to y\ncopy from x\ncopy to y\n", 1,
           "contradicts");
    refuse("diff --git a/x b/y\nrename from x\nrename to y\nnew file mode 100644\n", 1,
           "contradicts");
    refuse(GIT "new file mode 100644\n" SECTION, 1, "contradicts");
    refuse(GIT "deleted file mode 100644\n" SECTION, 1, "contradicts");
    refuse(GIT "--- a/y\n+++ b/x\n" HUNK, 1, "do not agree");
    refuse(GIT "--- a/x\n+++ b/y\n" HUNK, 1, "do not agree");
    refuse("diff --git a/x b/y\nrename from x\nrename to z\n", 1, "do not agree");
    refuse("diff --git a/x b/y\nrename from y\nrename to x\n", 1, "do not agree");
    refuse("diff --git a/x b/x\nrename from x\nrename to x\n", 1, "do not agree");
    refuse("diff --git a/x b/y\n--- a/x\n+++ b/y\n" HUNK, 1, "do not agree");
    refuse("diff --git src/x lib/x\n--- src/x\n+++ lib/x\n" HUNK, 1, "do not agree");
    refuse("diff --git ax\n" SECTION, 1, "do not agree");
    refuse("diff --git \n" SECTION, 1, "do not agree");
    refuse("--- a/x\n+++ b/y\n" HUNK, 1, "do not agree");
    refuse("--- x.orig\n+++ x\n" HUNK, 1, "do not agree");
    refuse("--- /dev/null\n+++ /dev/null\n" HUNK, 2, "both names are /dev/null");
}

void test_patch_header__refuses_what_is_no_diff_of_text(void) {
    const char *binary = "binary patches are not supported";
    refuse(GIT "index 1..2 100644\nBinary files a/x and b/x differ\n", 3, binary);
    refuse(GIT "index 1..2 100644\nGIT binary patch\nliteral 3\nabc\n", 3, binary);
    refuse("Binary files x and y differ\n" SECTION, 1, binary);
    refuse(SECTION "Binary files x and y differ\n", 6, binary);
    refuse(SECTION "Files x and y differ\n", 6, binary);
    refuse("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
           1, "combined diffs");
    refuse("diff --combined x\n", 1, "combined diffs");
    refuse("*** a/x\n--- b/x\n***************\n*** 1 ****\n", 3, "context diffs");
    refuse("*** Begin Patch\n*** Delete File: x\n*** End Patch\n", 1, "an envelope");
    refuse(SECTION "*** Begin Patch\n", 6, "an envelope");
}

/* SPDX-License-Identifier: MIT */
#include "patch_check.h"

void test_patch_wrap__wrapped(void) {
    parse("<<'EOF'\n" SECTION "EOF\n");
    TEST_ASSERT_EQUAL_UINT(2, patch.files[0].line);
    parse("\n  git apply <<EOF\n" SECTION "EOF");
    parse("```diff\n" SECTION "```\n\n");
    parse("```\n<<\"END\"\n" SECTION "END\n```\n");
    parse("apply_patch <<'EOF'\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\nEOF\r\n");
    TEST_ASSERT_EQUAL_STRING("-a$+b$", lines(0, 0));
    /* Removing the wrapping removes no line of a hunk. */
    parse("```\n" NAMES "@@ -1,2 +1,2 @@\n-a\n+b\n\n```\n");
    TEST_ASSERT_EQUAL_STRING("-a$+b$ $", lines(0, 0));
    refuse("<<'EOF'\n" SECTION, 1, "not closed");
    refuse("<<'EOF'\n" SECTION "EOT\n", 1, "not closed");
    refuse("\n```diff\n" SECTION, 2, "not closed");
    refuse("```diff\n" SECTION "```\nThat was it.\n", 1, "not closed");
    refuse("git apply -R <<'EOF'\n" SECTION "EOF\n", 7, "belongs to no hunk");
    refuse("<<'E O F'\n" SECTION "E O F\n", 7, "belongs to no hunk");
    refuse("<<\n" SECTION "\n<<\n", 8, "belongs to no hunk");
    refuse("```diff\n```\n", 0, "changes no file");
}

void test_patch_wrap__detects(void) {
    static const struct {
        const char *text;
        enum patch_format format;
    } cases[] = {
        {SECTION, PATCH_UNIFIED},
        {GIT, PATCH_UNIFIED},
        {"", PATCH_UNIFIED},
        {"*** Begin Patch\n*** End Patch\n", PATCH_ENVELOPE},
        {"<<'EOF'\n  *** Begin Patch \n", PATCH_ENVELOPE},
        {"Here it is:\n*** Begin Patch\r\n", PATCH_ENVELOPE},
        {"*** Update File: x\n@@\n-a\n+b\n", PATCH_ENVELOPE},
        {"*** a/x\n--- b/x\n", PATCH_UNIFIED},
        {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n*** Begin Patch\n", PATCH_UNIFIED},
        {"*** Begin Patch\n--- a/x\n", PATCH_ENVELOPE},
        {"words\n@@ -1 +1 @@\n*** Begin Patch\n", PATCH_UNIFIED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        TEST_ASSERT_EQUAL_INT_MESSAGE(
            cases[i].format, patch_detect(cases[i].text, strlen(cases[i].text)), cases[i].text);
    TEST_ASSERT_EQUAL_INT(AQFS_OK,
                          patch_read(SECTION, strlen(SECTION), PATCH_AUTO, &patch, &error));
    TEST_ASSERT_EQUAL_INT(PATCH_UNIFIED, patch.format);
}

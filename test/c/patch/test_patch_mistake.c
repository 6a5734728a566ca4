/* SPDX-License-Identifier: MIT */
/* test_patch_mistake.c -- what models write into patches that no file has: nothing is made of it,
 * and the hint says what to send. */
#include "patch.h"
#include "patch_apply.h"
#include "patch_mistake.h"

#include "unity.h"

#include <string.h>

#define BEGIN "*** Begin Patch\n"
#define END "*** End Patch\n"
#define UPDATE BEGIN "*** Update File: f.py\n"
#define NAMES "--- a/f.py\n+++ b/f.py\n"

static const char FILE_TEXT[] = "def a():\n    return 1\n\ndef b():\n    x = 1\n    y = 2\n"
                                "    return x\n";

static struct error error;

/* Reads PATCH_TEXT and applies it to the file; returns the code, and the text in OUT. */
static int apply(const char *patch_text, struct patched *out) {
    struct patch patch;
    *out = (struct patched){0};
    error = (struct error){0};
    int code = patch_read(patch_text, strlen(patch_text), PATCH_AUTO, &patch, &error);
    if (code)
        return code;
    code = patch_apply(&patch, &patch.files[0], FILE_TEXT, strlen(FILE_TEXT), out, &error);
    patch_free(&patch);
    return code;
}

static void check_hint(enum code expected, const char *patch_text, const char *hint) {
    struct patched out;
    int code = apply(patch_text, &out);
    TEST_ASSERT_EQUAL_MESSAGE(expected, code, patch_text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.hint, hint), error.hint);
    patched_free(&out);
}

void test_patch_mistake__lines_that_stand_for_others(void) {
    static const char *const stand[] = {"...",
                                        "    ...",
                                        "…",
                                        "# ... existing code ...",
                                        "// ...",
                                        "/* ... */",
                                        "  <!-- ... -->",
                                        ";; … the rest",
                                        "[...]",
                                        "...."};
    static const char *const are_code[] = {"..",   "...args", "..., x",          "a ...", "",
                                           "    ", "#",       "printf(\"...\")", "…x",    "-- .."};
    for (size_t i = 0; i < sizeof stand / sizeof *stand; i++)
        TEST_ASSERT_TRUE_MESSAGE(patch_stands_for_lines(stand[i], strlen(stand[i])), stand[i]);
    for (size_t i = 0; i < sizeof are_code / sizeof *are_code; i++)
        TEST_ASSERT_FALSE_MESSAGE(patch_stands_for_lines(are_code[i], strlen(are_code[i])),
                                  are_code[i]);
}

void test_patch_mistake__lines_that_say_so(void) {
    static const char *const say[] = {"    # ... existing code ...", "// … rest of the file",
                                      "... (unchanged) ...", "/* ... other code ... */",
                                      "<!-- ... Remaining rows ... -->"};
    static const char *const do_not[] = {"...",
                                         "# ...",
                                         "    ...existing,",
                                         "...existing code",
                                         "... and the rest of us",
                                         "# existing code",
                                         "// ... or"};
    for (size_t i = 0; i < sizeof say / sizeof *say; i++)
        TEST_ASSERT_TRUE_MESSAGE(patch_says_left_out(say[i], strlen(say[i])), say[i]);
    for (size_t i = 0; i < sizeof do_not / sizeof *do_not; i++)
        TEST_ASSERT_FALSE_MESSAGE(patch_says_left_out(do_not[i], strlen(do_not[i])), do_not[i]);
}

void test_patch_mistake__left_out_old_lines(void) {
    const char *hint = "stands for lines that were left out";
    check_hint(AQFS_PATCH_APPLY, UPDATE "@@\n def b():\n ...\n-    return x\n+    return y\n" END,
               hint);
    check_hint(AQFS_PATCH_APPLY,
               UPDATE "@@\n def b():\n     # … existing code …\n-    return x\n+    return y\n" END,
               "\"# … existing code …\" stands");
    check_hint(AQFS_PATCH_PARSE, UPDATE "@@\n def b():\n...\n-    return x\n+    return y\n" END,
               hint);
    check_hint(AQFS_PATCH_PARSE,
               NAMES "@@ -4,4 +4,4 @@\n def b():\n ...\n-    return x\n+    return y\n", hint);
    check_hint(AQFS_PATCH_PARSE,
               NAMES "@@ -4,4 +4,4 @@\n def b():\n...\n-    return x\n+    return y\n", hint);
}

void test_patch_mistake__left_out_new_lines(void) {
    const char *hint = "write that text itself";
    check_hint(AQFS_PATCH_APPLY,
               UPDATE "@@\n def b():\n-    x = 1\n+    x = 2\n+    # ... rest unchanged ...\n" END,
               hint);
    check_hint(AQFS_PATCH_APPLY,
               NAMES "@@ -5 +5,2 @@\n-    x = 1\n+    x = 2\n+    # ... rest of the code\n", hint);
    check_hint(AQFS_PATCH_APPLY,
               BEGIN "*** Add File: g.py\n+import a\n+# ... existing imports ...\n" END, hint);
    /* An ellipsis is code in some languages, and documents show code that is left out. */
    struct patched out;
    TEST_ASSERT_EQUAL(AQFS_OK, apply(UPDATE "@@\n def b():\n-    x = 1\n+    ...\n" END, &out));
    patched_free(&out);
    TEST_ASSERT_EQUAL(
        AQFS_OK,
        apply(BEGIN "*** Update File: f.md\n@@\n def b():\n+// ... existing code ...\n" END, &out));
    patched_free(&out);
}

void test_patch_mistake__line_numbers(void) {
    const char *hint = "leave out the line numbers";
    check_hint(AQFS_PATCH_APPLY, UPDATE "@@\n 4\tdef b():\n-5\t    x = 1\n+5\t    x = 9\n" END,
               hint);
    check_hint(AQFS_PATCH_APPLY, UPDATE "@@\n   4| def b():\n-  5|     x = 1\n+    x = 9\n" END,
               hint);
    check_hint(AQFS_PATCH_APPLY, NAMES "@@ -4,2 +4,2 @@\n 4: def b():\n-5:     x = 1\n+    x = 9\n",
               hint);
    check_hint(AQFS_PATCH_PARSE, UPDATE "@@\n4  def b():\n5 -    x = 1\n5 +    x = 9\n" END, hint);
}

void test_patch_mistake__white_space(void) {
    check_hint(AQFS_PATCH_APPLY, UPDATE "@@\n def b():\n-  x = 1\n+  x = 9\n" END,
               "white space alone");
    check_hint(AQFS_PATCH_APPLY, UPDATE "@@\n def b(): \n-    x = 1\n+    x = 9\n" END,
               "white space alone");
}

#define GOOD "@@\n def b():\n-    x = 1\n+    x = 9\n"

void test_patch_mistake__the_whole_patch(void) {
    check_hint(AQFS_PATCH_PARSE, UPDATE GOOD, "may have been cut");
    check_hint(AQFS_PATCH_PARSE, "Here it is:\n```\n" UPDATE GOOD END "```\n", "alone, without");
    check_hint(AQFS_PATCH_PARSE, "cd src && apply_patch <<'EOF'\n" UPDATE GOOD END "EOF\n",
               "alone, without");
    check_hint(AQFS_PATCH_PARSE, "*** Update File: f.py\n" GOOD END, "put *** Begin Patch above");
    check_hint(AQFS_PATCH_PARSE, UPDATE "@@\ndef b():\n-    x = 1\n+    x = 9\n" END,
               "begin every line of a hunk with");
    check_hint(AQFS_PATCH_PARSE, BEGIN "*** Add File: g.py\nimport a\n" END,
               "those of an added file with +");
    check_hint(AQFS_PATCH_PARSE, "*** Begin Patch\\n*** Update File: f.py\\n@@\\n-a\\n+b",
               "in place of line breaks");
    check_hint(AQFS_PATCH_PARSE,
               "    *** Begin Patch\n    *** Update File: f.py\n    @@\n    -a\n    +b\n"
               "    *** End Patch\n",
               "at the margin");
    check_hint(AQFS_PATCH_PARSE, NAMES GOOD, "send an envelope");
    check_hint(AQFS_PATCH_PARSE, "f.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
               "those of the second with +");
    check_hint(AQFS_PATCH_PARSE, "please change x", "expected a unified diff");
    check_hint(AQFS_PATCH_PARSE, "", "expected a unified diff");
}

/* A hunk without old lines is placed by its header only in the text that its author saw. */
void test_patch_mistake__stated_places(void) {
    static const char text[] = "1\n2\n3\n";
    static const char insertions[] =
        NAMES "@@ -0,0 +1 @@\n+0\n@@ -2,0 +4 @@\n+x\n@@ -3,0 +6 @@\n+e\n";
    struct patch patch;
    struct patched out;
    TEST_ASSERT_EQUAL(AQFS_OK,
                      patch_read(insertions, strlen(insertions), PATCH_AUTO, &patch, &error));
    TEST_ASSERT_EQUAL(AQFS_PATCH_APPLY,
                      patch_apply(&patch, &patch.files[0], text, strlen(text), &out, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.hint, "give the version"));
    patched_free(&out);
    patch.placed = true;
    TEST_ASSERT_EQUAL(AQFS_OK,
                      patch_apply(&patch, &patch.files[0], text, strlen(text), &out, &error));
    TEST_ASSERT_EQUAL_STRING("0\n1\n2\nx\n3\ne\n", out.text.data);
    patched_free(&out);
    TEST_ASSERT_EQUAL(AQFS_PATCH_APPLY,
                      patch_apply(&patch, &patch.files[0], "1\n2\n", 4, &out, &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "it belongs after line 3, but the text has 2"));
    patched_free(&out);
    patch_free(&patch);
}

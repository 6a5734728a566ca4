/* SPDX-License-Identifier: MIT */
#include "patched_check.h"
#include "sample.h"

void test_patch_locate__envelope(void) {
    check(UPDATE "@@\n b\n-c\n+C\n d\n@@\n-f\n@@\n g\n+G\n" END, "a\nb\nc\nd\ne\nf\ng\n",
          "a\nb\nC\nd\ne\ng\nG\n");
    check_counts(2, 2);
    check_change(0, 3, 1, 3, 1);
    check_change(1, 6, 1, 6, 0);
    check_change(2, 8, 0, 7, 1);
    check(BEGIN "*** Add File: x\n+a\n+b\n" END, "", "a\nb\n");
    check_counts(2, 0);
    check(BEGIN "*** Add File: x\n" END, "", "");
    check(BEGIN "*** Delete File: x\n" END, "a\nb", "");
    check_counts(0, 2);
    check(UPDATE "*** Move to: y\n" END, "a\nb", "a\nb");
    check(UPDATE "@@\n-a\n" END, "a\n", "");
}

/* Threat 48: a hunk that fits two places is refused, and the message names both. */
void test_patch_locate__envelope_ambiguous(void) {
    refuse(UPDATE "@@\n-b\n+c\n" END, "a\nb\nc\nb\n", "are at line 2 and at line 4");
    check_hint("add lines of context, or an anchor");
    check(UPDATE "@@\n a\n-b\n+c\n" END, "a\nb\nc\nb\n", "a\nc\nc\nb\n");
    refuse(UPDATE "@@\n a\n a\n+b\n" END, "a\na\na\n", "are at line 1 and at line 2");
    refuse(UPDATE "@@\n-\n" END, "\n\n\n", "are at line 1 and at line 2");
    /* A hunk does not apply before the previous hunk. */
    check(UPDATE "@@\n-c\n@@\n-b\n+B\n" END, "b\nc\nb\n", "b\nB\n");
    refuse(UPDATE "@@\n-c\n@@\n-b\n+B\n" END, "b\nc\n", "are not after those of the hunk before");
    check(UPDATE "@@\n a\n-a\n@@\n a\n+b\n" END, "a\na\nx\na\n", "a\nx\na\nb\n");
}

/* A hunk of context alone is an anchor, and after it the first match counts. */
void test_patch_locate__hunks_of_context(void) {
    check(UPDATE "@@\n f {\n@@\n }\n+x\n" END, "}\nf {\n}\ng {\n}\n", "}\nf {\n}\nx\ng {\n}\n");
    check_counts(1, 0);
    TEST_ASSERT_EQUAL_UINT(1, patched.change_count);
    check_change(0, 4, 0, 4, 1);
    check(UPDATE "@@\n a\n b\n@@\n-c\n@@\n d\n" END, "a\nc\na\nb\nc\nd\n", "a\nc\na\nb\nd\n");
    check(UPDATE "@@\n g {\n@@\n-}\n+]\n@@\n-}\n+)\n" END, "g {\n}\nx\n}\n}\n",
          "g {\n]\nx\n)\n}\n");
    /* All of them must be there, in this order. */
    refuse(UPDATE "@@\n f\n@@\n-a\n" END, "a\nf\n",
           "hunk 2, line 5 of the patch: its lines are not after");
    refuse(UPDATE "@@\n-a\n@@\n f\n" END, "f\na\n", "not after those of the hunk before");
    refuse(UPDATE "@@\n g\n@@\n-a\n" END, "a\nf\n",
           "hunk 1, line 3 of the patch: its lines are not in the file");
    /* One that stands twice does not make the next place certain. */
    check(UPDATE "@@\n f\n@@\n-a\n+A\n" END, "f\nb\nf\na\n", "f\nb\nf\nA\n");
    refuse(UPDATE "@@\n f\n@@\n-a\n+A\n" END, "f\na\nf\na\n",
           "hunk 2, line 5 of the patch: its lines are at line 2 and at line 4");
    check(UPDATE "@@\n f\n@@\n g\n@@\n-a\n" END, "f\nf\ng\na\na\n", "f\nf\ng\na\n");
    /* Lines without context of their own may have been meant for the end of the file. */
    refuse(UPDATE "@@\n f\n@@\n+a\n" END, "f\ng\n", "no context or anchor to show where");
}

/* Each section begins at the top of what the one before it leaves. */
void test_patch_locate__several_sections(void) {
    check(UPDATE "@@\n-c\n+C\n*** Update File: x\n@@\n-a\n+A\n" END, "a\nb\nc\n", "A\nb\nC\n");
    check_counts(2, 2);
    check(UPDATE "@@\n-a\n+b\n*** Update File: x\n@@\n-b\n+c\n" END, "a\n", "c\n");
    check(UPDATE "@@\n-a\n+b\n+a\n*** Update File: x\n@@\n-a\n+c\n" END, "a\nz", "b\nc\nz");
    check(UPDATE "@@\n-a\n+A\n*** End of File\n*** Update File: x\n@@\n-A\n+c\n*** Update File: "
                 "x\n+d\n*** End of File\n" END,
          "b\r\na", "b\r\nc\r\nd");
    refuse(UPDATE "@@\n-a\n+b\n*** Update File: x\n@@\n-a\n+c\n" END, "a\n",
           "x: hunk 1, line 7 of the patch: its lines are not in the file");
    /* The place of a section says nothing about that of the next one. */
    refuse(UPDATE "@@\n-a\n+b\n*** Update File: x\n@@\n-c\n" END, "a\nc\nc\n",
           "are at line 2 and at line 3");
}

void test_patch_locate__envelope_missing(void) {
    refuse(UPDATE "@@\n-x\n+y\n" END, "a\nb\n",
           "x: hunk 1, line 3 of the patch: its lines are not in the file");
    refuse(UPDATE "@@\n-x\n+y\n" END, "", "are not in the file");
    refuse(UPDATE "@@\n one\n two\n-three\n+3\n four\n" END, "zero\none\ntwo\nThree\nfour\n",
           "the nearest are at line 2, where line 4 is \"Three\", and the patch has \"three\"");
    refuse(UPDATE "@@\n one\n-\ttwo\n" END, "zero\none\n        two\n",
           "line 3 is \"        two\", and the patch has \"\\ttwo\"");
    refuse(UPDATE "@@\n one\n-two\n" END, "one\ntwo\302\240\n", "line 2 is \"two\\u{A0}\"");
    refuse(UPDATE "@@\n one\n-two\n" END, "one\ntwo\343\205\244\n", "line 2 is \"two\\u{3164}\"");
    refuse(UPDATE "@@\n one\n-two\n" END, "one\n", "has \"two\" as line 2, but the text ends");
    refuse(UPDATE "@@\n-b\n@@\n-a\n" END, "a\nb\n",
           "are not after those of the hunk before it, but at line 1");
    refuse(UPDATE "@@\n-a\n b\n@@\n b\n-c\n" END, "a\nb\nc\n", "but at line 2");
    refuse(UPDATE "@@\n-\n" END, "a\n", "are not in the file");
}

void test_patch_locate__shows_what_cannot_be_seen(void) {
    char old[300], text[400];
    memset(old, 0x7F, sizeof old - 1);
    old[sizeof old - 1] = '\0';
    (void)snprintf(text, sizeof text, NAMES "@@ -1 +1 @@\n-%.200s\n+\n", old);
    refuse(text, old, "x7F\\x7F…\", and the patch has \"\\x7F");
    refuse(NAMES "@@ -1 +1 @@\n-a\u202eb\u200b\n+\n", "\xff \tc\r\r\n\x01\n",
           "line 1 is \"\\xFF \\tc\\x0D\", and the patch has \"a\\u{202E}b\\u{200B}\"");
}

void test_patch_locate__envelope_end_of_file(void) {
    check(UPDATE "@@\n-a\n+b\n*** End of File\n" END, "a\nx\na\n", "a\nx\nb\n");
    check(UPDATE "@@\n+b\n*** End of File\n" END, "a\n", "a\nb\n");
    check(UPDATE "@@\n+b\n*** End of File\n" END, "", "b\n");
    refuse(UPDATE "@@\n-a\n+b\n*** End of File\n" END, "a\nx\n",
           "are not at the end of the file, but at line 1");
    refuse(UPDATE "@@\n a\n a\n-a\n*** End of File\n" END, "a\na\n", "at the end of the file");
    refuse(UPDATE "@@\n a\n-b\n@@\n b\n+c\n*** End of File\n" END, "a\nb\n",
           "at the end of the file");
    check(UPDATE "@@\n-a\n@@\n b\n+c\n*** End of File\n" END, "a\nb\n", "b\nc\n");
    check(UPDATE "@@\n a\n+b\n\n*** End of File\n" END, "a\n\n", "a\nb\n\n");
}

void test_patch_locate__insertions(void) {
    check(UPDATE "@@ b\n+x\n" END, "a\nb\nc\n", "a\nb\nx\nc\n");
    check_change(0, 3, 0, 3, 1);
    check(UPDATE "@@ class A\n@@ def g\n+        x\n" END,
          "class A\n def g\n  1\nclass B\n def g\n",
          "class A\n def g\n        x\n  1\nclass B\n def g\n");
    check(UPDATE "@@ b\n+x\n@@ b\n+y\n" END, "a\nb\nc\n", "a\nb\nx\ny\nc\n");
    check(UPDATE "+x\n" END, "", "x\n");
    refuse(UPDATE "@@\n+x\n" END, "a\n", "no context or anchor to show where its lines belong");
    check_hint("*** End of File to append");
    refuse(UPDATE "@@ a\n+x\n" END, "a\nb\na\n", "its anchor is at line 1 and at line 3");
    refuse(UPDATE "@@\n-b\n@@ a\n+x\n" END, "a\nb\nc\n", "belongs at line 2, before the hunk");
    refuse(UPDATE "@@ x\n+x\n*** End of File\n" END, "a\n", "no line begins with the anchor");
}

/* When all lines are alike, finding a hunk ends with a message instead of taking long. */
void test_patch_locate__lines_that_are_alike(void) {
    const size_t count = 2000000;
    char *end, *old = malloc(2 * count + 10), *text = malloc(3 * count + 1000);
    TEST_ASSERT_NOT_NULL(old);
    TEST_ASSERT_NOT_NULL(text);
    for (size_t i = 0; i < count; i++)
        memcpy(old + 2 * i, i % 1000 ? "a\n" : "b\n", 2);
    end = text + sprintf(text, UPDATE "@@\n");
    for (size_t i = 0; i < count / 2; i++)
        end += sprintf(end, " a\n");
    (void)sprintf(end, "-a\n" END);
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, apply(text, old, 2 * count));
    free(old);
    free(text);
}

/* Checked against a definition: an envelope's hunk applies where its lines stand, if that is one
 * place only. */

static size_t count_places(const char *old, const char *lines, const char **place) {
    size_t count = 0;
    for (const char *at = old; lines && (at = strstr(at, lines)); at++) {
        if (at == old || at[-1] == '\n') {
            count++;
            *place = at;
        }
    }
    return count;
}

/* A line of an old text or a hunk.  There are only a few different ones, so that many places are
 * alike. */
static const char *sample_line(uint64_t *state) {
    static const char *const lines[] = {"a\n", "b\n", "\n"};
    return lines[sample_below(state, 3)];
}

void test_patch_locate__random_places(void) {
    uint64_t state = 7;
    size_t once = 0, refused = 0;
    for (int round = 0; round < 3000; round++) {
        struct buf old = {0}, lines = {0}, text = {0}, expected = {0};
        const char *last = "", *place = NULL;
        buf_str(&old, "");
        for (uint32_t n = sample_below(&state, 30); n > 0; n--)
            buf_str(&old, sample_line(&state));
        buf_str(&text, UPDATE "@@\n");
        for (uint32_t n = 1 + sample_below(&state, 5); n > 0; n--) {
            last = sample_line(&state);
            buf_str(&lines, last);
            buf_printf(&text, "%c%s", n == 1 ? '-' : ' ', last);
        }
        buf_str(&text, "+x\n" END);
        int code = apply(text.data, old.data, old.len);
        if (count_places(old.data, lines.data, &place) == 1) {
            size_t kept = (size_t)(place - old.data) + lines.len - strlen(last);
            buf_printf(&expected, "%.*sx\n%s", (int)kept, old.data, place + lines.len);
            TEST_ASSERT_EQUAL_INT(AQFS_OK, code);
            TEST_ASSERT_EQUAL_STRING(expected.data, patched.text.data);
            once++;
        } else {
            TEST_ASSERT_EQUAL_INT(AQFS_PATCH_APPLY, code);
            refused++;
        }
        buf_free(&old);
        buf_free(&lines);
        buf_free(&text);
        buf_free(&expected);
    }
    TEST_ASSERT_GREATER_THAN_UINT(300, once);
    TEST_ASSERT_GREATER_THAN_UINT(300, refused);
}

/* SPDX-License-Identifier: MIT */
#include "diff.h"

#include "diff_changes.h"
#include "lines.h"
#include "sample.h"
#include "unity.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error error;
static struct diff_stats stats;

void setUp(void) {
    git_libgit2_init(); /* otherwise each diff would do it again, which takes milliseconds */
}

void tearDown(void) {
    git_libgit2_shutdown();
}

static struct text_ref ref(const char *s) {
    return (struct text_ref){s, s ? strlen(s) : 0};
}

static void diff(struct buf *out, struct text_ref old, const char *old_path, struct text_ref new,
                 const char *new_path, size_t limit) {
    const struct diff_side before = {old, ref(old_path)}, after = {new, ref(new_path)};
    buf_clear(out);
    TEST_ASSERT_EQUAL_MESSAGE(
        AQFS_OK, diff_unified(NULL, &before, &after, limit, out, &stats, &error), error.message);
}

/* -- small ones ------------------------------------------------------------------------------- */

static void check(const char *expected, size_t added, size_t removed, const char *old,
                  const char *new) {
    struct buf out = {0};
    diff(&out, ref(old), "a.c", ref(new), "a.c", 10000);
    buf_str(&out, "");
    TEST_ASSERT_EQUAL_STRING(expected, out.data);
    TEST_ASSERT_EQUAL_UINT64(added, stats.added);
    TEST_ASSERT_EQUAL_UINT64(removed, stats.removed);
    TEST_ASSERT_FALSE(stats.cut);
    buf_free(&out);
}

#define NAMES "--- a/a.c\n+++ b/a.c\n"

void test_diff__equal_texts_have_none(void) {
    check("", 0, 0, "", "");
    check("", 0, 0, "a\nb", "a\nb");
}

void test_diff__changes_stand_among_three_lines(void) {
    check(NAMES "@@ -1 +1 @@\n-a\n+b\n", 1, 1, "a\n", "b\n");
    check(NAMES "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n", 1, 1,
          "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n");
    check(NAMES "@@ -1,2 +1,3 @@\n a\n+x\n b\n", 1, 0, "a\nb\n", "a\nx\nb\n");
    check(NAMES "@@ -1,3 +1,2 @@\n a\n-x\n b\n", 0, 1, "a\nx\nb\n", "a\nb\n");
}

void test_diff__a_text_may_come_from_nothing_and_go_to_it(void) {
    check(NAMES "@@ -0,0 +1,2 @@\n+a\n+b\n", 2, 0, "", "a\nb\n");
    check(NAMES "@@ -1,2 +0,0 @@\n-a\n-b\n", 0, 2, "a\nb\n", "");
}

void test_diff__a_missing_newline_is_told(void) {
    check(NAMES "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", 1, 1, "a", "a\n");
    check(NAMES "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", 1, 1, "a\n", "a");
    check(NAMES "@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n", 1, 1, "a\nc",
          "b\nc");
    check(NAMES "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
          1, 1, "a", "b");
    check(NAMES "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n", 2, 1, "a", "a\nb\n");
}

void test_diff__a_hunk_tells_what_it_is_in(void) {
    check(NAMES "@@ -3,4 +3,4 @@ int f(void)\n 1\n 2\n 3\n-4\n+x\n", 1, 1,
          "int f(void)  \n{\n1\n2\n3\n4\n", "int f(void)  \n{\n1\n2\n3\nx\n");
}

/* The names tell that it is Lisp, where text in the first column is documentation. */
void test_diff__a_hunk_of_lisp_tells_which_form_it_is_in(void) {
    const char *old =
        "(defun a (x)\n  \"Do it.\nIndeed.\"\n  1\n  2\n  3\n  4)\n\n(defun b ()\n  5)\n";
    struct buf out = {0};
    diff(&out, ref(old), "a.el",
         ref("(defun a (x)\n  \"Do it.\nIndeed.\"\n  1\n  2\n  3\n  x)\n\n(defun b ()\n  5)\n"),
         "a.el", 10000);
    TEST_ASSERT_NOT_NULL(strstr(out.data, "@@ -4,7 +4,7 @@ (defun a (x)\n"));
    diff(&out, ref(old), "a.el",
         ref("(defun a (x)\n  \"Do it.\nIndeed.\"\n  1\n  2\n  3\n  4)\n\n(defun b ()\n  x)\n"),
         "a.el", 10000);
    TEST_ASSERT_NOT_NULL(strstr(out.data, "@@ -7,4 +7,4 @@ (defun b ()\n"));
    buf_free(&out);
}

void test_diff__lone_returns_and_form_feeds_end_no_line(void) {
    check(NAMES "@@ -1 +1 @@\n-a\rb\fc\n+a\rb\fd\n", 1, 1, "a\rb\fc\n", "a\rb\fd\n");
}

/* -- names ------------------------------------------------------------------------------------ */

static void check_names(const char *expected, const char *old_path, const char *new_path) {
    struct buf out = {0};
    diff(&out, ref(old_path ? "a\n" : ""), old_path, ref(new_path ? "b\n" : ""), new_path, 10000);
    TEST_ASSERT_EQUAL_STRING_LEN(expected, out.data, strlen(expected));
    TEST_ASSERT_EQUAL_STRING_LEN("@@", out.data + strlen(expected), 2);
    buf_free(&out);
}

void test_diff__names_are_quoted_where_they_must_be(void) {
    check_names("--- a/x/y.c\n+++ b/z.c\n", "x/y.c", "z.c");
    check_names("--- /dev/null\n+++ b/z.c\n", NULL, "z.c");
    check_names("--- a/z.c\n+++ /dev/null\n", "z.c", NULL);
    check_names("--- a/two words\t\n+++ b/two words\t\n", "two words", "two words");
    check_names("--- a/\u00E9\n+++ b/\u00E9\n", "\u00E9", "\u00E9");
    check_names("--- \"a/x\\ny\"\n+++ \"b/\\377\"\n", "x\ny", "\377");
    check_names("--- \"a/\\342\\200\\213x\"\n+++ b/x\n", "\u200Bx", "x");
}

void test_diff__a_file_without_lines_has_its_names(void) {
    struct buf out = {0};
    diff(&out, ref(""), NULL, ref(""), "a", 100);
    TEST_ASSERT_EQUAL_STRING("--- /dev/null\n+++ b/a\n", out.data);
    diff(&out, (struct text_ref){NULL, 0}, "a", (struct text_ref){NULL, 0}, NULL, 100);
    TEST_ASSERT_EQUAL_STRING("--- a/a\n+++ /dev/null\n", out.data);
    buf_free(&out);
}

/* -- limits ----------------------------------------------------------------------------------- */

void test_diff__what_does_not_fit_is_counted(void) {
    struct buf old = {0}, new = {0}, out = {0};
    for (int i = 0; i < 200; i++) {
        buf_printf(&old, "old line %d\n", i);
        buf_printf(&new, "new line %d\n", i);
    }
    diff(&out, (struct text_ref){old.data, old.len}, "a", (struct text_ref){new.data, new.len}, "a",
         1000);
    TEST_ASSERT_TRUE(out.len <= 1000);
    TEST_ASSERT_TRUE(stats.cut);
    TEST_ASSERT_EQUAL_UINT64(200, stats.added);
    size_t shown = linewise_count(out.data, out.len) - 4;
    char mark[80];
    (void)snprintf(mark, sizeof mark, "\n[diff truncated: %zu of 400 changed lines shown]\n",
                   shown);
    TEST_ASSERT_EQUAL_STRING(mark, out.data + out.len - strlen(mark));
    buf_free(&old);
    buf_free(&new);
    buf_free(&out);
}

/* Texts of LINES lines, each a random line of ALPHABET. */
static struct buf random_lines(uint64_t *state, size_t lines, uint32_t alphabet) {
    struct buf b = {0};
    for (size_t i = 0; i < lines; i++)
        buf_printf(&b, "%u\n", sample_below(state, alphabet));
    return b;
}

void test_diff__large_texts_with_nothing_in_common_take_no_time(void) {
    static const uint32_t alphabets[] = {2, 100, 1000000};
    uint64_t state = 5;
    struct buf out = {0};
    for (size_t i = 0; i < 3; i++) {
        struct buf old = random_lines(&state, 300000, alphabets[i]);
        struct buf new = random_lines(&state, 300000, alphabets[i]);
        diff(&out, (struct text_ref){old.data, old.len}, "a", (struct text_ref){new.data, new.len},
             "a", 10000);
        TEST_ASSERT_TRUE(stats.cut);
        TEST_ASSERT_EQUAL_UINT64(stats.added, stats.removed); /* 300,000 of each */
        buf_free(&old);
        buf_free(&new);
    }
    buf_free(&out);
}

void test_diff__a_change_in_a_line_larger_than_any_window_is_found(void) {
    enum { LONG = 2 << 20, LINES = 100, LINE = 5000 };
    struct buf old = {0}, new = {0}, out = {0};
    for (int i = 0; i < LINES; i++)
        buf_printf(&old, "%0*d\n", LINE, i);
    buf_printf(&old, "%0*d\n%0*d\nlast\n", LONG, 1, LINE, 2);
    buf_add(&new, old.data, old.len);
    new.data[LINES * (LINE + 1) + LONG / 2] = 'x';
    diff(&out, (struct text_ref){old.data, old.len}, "a", (struct text_ref){new.data, new.len}, "a",
         SIZE_MAX);
    TEST_ASSERT_EQUAL_UINT64(1, stats.added);
    TEST_ASSERT_EQUAL_UINT64(1, stats.removed);
    TEST_ASSERT_EQUAL_STRING_LEN("@@ -98,6 +98,6 @@", strchr(out.data, '@'), 17);
    buf_free(&old);
    buf_free(&new);
    buf_free(&out);
}

/* Longer than the first window, in which libgit2 would find nothing. */
void test_diff__what_both_begin_with_may_be_long(void) {
    struct buf old = {0}, new = {0}, out = {0};
    for (int i = 0; i < 10000; i++) {
        buf_printf(&old, "line %d\n", i);
        buf_printf(&new, i == 9000 || i == 9900 ? "other %d\n" : "line %d\n", i);
    }
    diff(&out, (struct text_ref){old.data, old.len}, "a", (struct text_ref){new.data, new.len}, "a",
         SIZE_MAX);
    TEST_ASSERT_EQUAL_UINT64(2, stats.added);
    TEST_ASSERT_EQUAL_UINT64(2, stats.removed);
    buf_free(&old);
    buf_free(&new);
    buf_free(&out);
}

/* -- random ones, against git ----------------------------------------------------------------- */

/* A random text in which many lines are equal. */
static void random_text(uint64_t *state, size_t lines, struct buf *out) {
    static const char *const words[] = {"",         "{", "}", "  return x;", "int f(void)",
                                        "\tx = 1;", "//"};
    buf_clear(out);
    for (size_t i = 0; i < lines; i++)
        if (sample_below(state, 3))
            buf_printf(out, "%s\n", words[sample_below(state, 7)]);
        else
            buf_printf(out, "line %u\n", sample_below(state, 1000));
    if (sample_below(state, 4) == 0)
        buf_str(out, "unfinished");
}

/* OUT is TEXT after EDITS: some lines removed, some added. */
static void random_edits(uint64_t *state, const struct buf *text, size_t edits, struct buf *out) {
    buf_clear(out);
    size_t at = 0;
    for (size_t i = 0; i < edits; i++) {
        size_t to = at + sample_below(state, (uint32_t)((text->len - at) / (edits - i) + 1));
        to = linewise_start(text->data, to);
        to = to < at ? at : to;
        buf_add(out, text->data + at, to - at);
        at = linewise_below(text->data, text->len, to, sample_below(state, 4));
        for (uint32_t k = sample_below(state, 4); k > 0; k--)
            buf_str(out, sample_below(state, 2) ? "}\n" : "added\n");
    }
    buf_add(out, text->data + at, text->len - at);
}

static char directory[64];

static void write_file(const char *side, int number, const struct buf *text) {
    char name[128];
    (void)snprintf(name, sizeof name, "%s/%s/%03d", directory, side, number);
    FILE *file = fopen(name, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_UINT64(text->len, fwrite(text->data, 1, text->len, file));
    (void)fclose(file);
}

/* The output of COMMAND, run in the directory. */
static void run(const char *command, struct buf *out) {
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "cd %s && %s", directory, command);
    FILE *pipe = popen(whole, "r"); // NOLINT(cert-env33-c): the test compares with git
    TEST_ASSERT_NOT_NULL(pipe);
    char bytes[4096];
    buf_clear(out);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, pipe)) > 0;)
        buf_add(out, bytes, n);
    (void)pclose(pipe);
}

static void make_directory(void) {
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%.40s/diff.XXXXXX", tmp ? tmp : "/tmp");
    TEST_ASSERT_NOT_NULL(mkdtemp(directory));
    struct buf out = {0};
    run("mkdir a b c", &out);
    buf_free(&out);
}

static void remove_directory(void) {
    struct buf out = {0};
    run("rm -rf a b c patch && cd .. && rmdir \"$OLDPWD\"", &out);
    buf_free(&out);
}

enum { PAIRS = 120 };

/* Fills the directories a and b with pairs of files; OURS becomes their diffs. */
static void make_pairs(struct buf *ours, size_t lines) {
    struct buf old = {0}, new = {0}, one = {0};
    uint64_t state = lines;
    for (int i = 0; i < PAIRS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%03d", i);
        random_text(&state, sample_below(&state, (uint32_t)lines), &old);
        buf_str(&old, "");
        if (i % 10 == 9)
            random_text(&state, sample_below(&state, (uint32_t)lines), &new);
        else
            random_edits(&state, &old, 1 + sample_below(&state, i % 2 ? 1 : 8), &new);
        write_file("a", i, &old);
        write_file("b", i, &new);
        diff(&one, (struct text_ref){old.data, old.len}, name, (struct text_ref){new.data, new.len},
             name, SIZE_MAX);
        buf_add(ours, one.data, one.len);
    }
    buf_free(&old);
    buf_free(&new);
    buf_free(&one);
}

static void check_against_git(size_t lines, bool equal) {
    struct buf ours = {0}, theirs = {0};
    make_directory();
    run("git --version", &theirs);
    if (theirs.len == 0) {
        remove_directory();
        TEST_IGNORE_MESSAGE("there is no git");
    }
    make_pairs(&ours, lines);
    if (equal) {
        run("git diff --no-index --no-ext-diff --no-renames --diff-algorithm=myers a b | "
            "sed -E '/^(diff --git|index) /d; s,^(---|\\+\\+\\+) ([ab])/[ab]/,\\1 \\2/,'",
            &theirs);
        TEST_ASSERT_EQUAL_UINT64(theirs.len, ours.len);
        TEST_ASSERT_EQUAL_STRING(theirs.data, ours.data);
    }
    write_file(".", 0, &ours);
    run("mv 000 patch && cp a/* c && cd c && git apply --whitespace=nowarn ../patch 2>&1; cd .. && "
        "diff -r b c | head",
        &theirs);
    TEST_ASSERT_EQUAL_STRING("", theirs.data ? theirs.data : "");
    remove_directory();
    buf_free(&ours);
    buf_free(&theirs);
}

void test_diff__small_ones_are_those_of_git_and_apply(void) {
    check_against_git(40, true);
}

void test_diff__large_ones_apply(void) {
    check_against_git(6000, false);
}

/* A single change in a large text is found as if the whole text were compared at once, whatever
 * surrounds it. */
void test_diff__one_change_is_placed_as_in_all_of_the_text(void) {
    struct buf old = {0}, new = {0}, all = {0}, ours = {0};
    uint64_t state = 77;
    for (int i = 0; i < 60; i++) {
        random_text(&state, 6000 + sample_below(&state, 1000), &old);
        random_edits(&state, &old, 1, &new);
        if (old.len == new.len && memcmp(old.data, new.data, old.len) == 0)
            continue;
        git_diff_options options;
        git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
        options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
        git_patch *patch;
        git_buf text = {0};
        TEST_ASSERT_EQUAL(0, git_patch_from_buffers(&patch, old.data, old.len, "x", new.data,
                                                    new.len, "x", &options));
        TEST_ASSERT_EQUAL(0, git_patch_to_buf(&text, patch));
        diff(&ours, (struct text_ref){old.data, old.len}, "x", (struct text_ref){new.data, new.len},
             "x", SIZE_MAX);
        /* libgit2 writes two more lines before them. */
        TEST_ASSERT_EQUAL_STRING(strstr(text.ptr, "\n--- ") + 1, ours.data);
        git_buf_dispose(&text);
        git_patch_free(patch);
    }
    buf_free(&old);
    buf_free(&new);
    buf_free(&all);
    buf_free(&ours);
}

/* SPDX-License-Identifier: MIT */
/* operations.c -- random operations, as requests: see operations.h. */
#include "operations.h"

#include "aqfs.h"
#include "sample.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t roll(struct dice *dice, size_t n) {
    return n > 0 ? sample_below(&dice->state, (uint32_t)n) : 0;
}

#define PICK(dice, list) (list)[roll(dice, sizeof(list) / sizeof *(list))]

void operation_free(struct operation *operation) {
    free(operation->request);
}

/* -- what they are about ---------------------------------------------------------------------- */

/* Few names, so that they meet; among them one that is restricted, one that is protected and one
 * that looks it. */
static json_t *random_path(struct dice *dice) {
    static const char *const segments[] = {"a",     "b",    "c",    "s",     "later",
                                           "x.txt", "y.md", ".git", ".envrc"};
    char path[80] = "";
    size_t depth = roll(dice, 3) + 1, n = 0;
    if (roll(dice, 30) == 0)
        return json_string(".");
    for (size_t i = 0; i < depth; i++)
        n += (size_t)snprintf(path + n, sizeof path - n, "%s%s", i ? "/" : "",
                              segments[roll(dice, roll(dice, 4) ? 6 : 9)]);
    if (roll(dice, 25) == 0)
        (void)snprintf(path + n, sizeof path - n, "/");
    return json_string(path);
}

static json_t *random_text(struct dice *dice) {
    static const char *const texts[] = {
        "",          "one\n",        "one\ntwo\nthree\n", "one\r\ntwo\r\n", "no newline",
        "one\ntwo",  "h\u00e9llo\n", "aaa\naaa\n",        "\n\n",           "two\n",
        "tab\there", "\ufeffmark\n", "one\r\ntwo\n",      "ONE\n",          "one two one\n"};
    return json_string(PICK(dice, texts));
}

static json_t *piece_of(struct dice *dice) {
    static const char *const pieces[] = {"one", "two", "aa", "\n", "three\n", "newline", "h", ""};
    return json_string(PICK(dice, pieces));
}

static json_t *bytes_of(struct dice *dice) {
    static const char *const bytes[] = {"", "AAEC", "b25lCg==", "/w==", "not base64", "AA=="};
    return json_string(PICK(dice, bytes));
}

static json_t *flag_of(struct dice *dice) {
    return json_boolean(roll(dice, 2));
}

static json_t *number_of(struct dice *dice) {
    return json_integer((json_int_t)roll(dice, 7) - 1);
}

static json_t *mode_of(struct dice *dice) {
    static const char *const modes[] = {"create", "overwrite", "append"};
    return json_string(PICK(dice, modes));
}

static json_t *glob_of(struct dice *dice) {
    static const char *const globs[] = {"**", "*", "**/*.txt", "a/**", "?", "{a,b}"};
    return json_string(PICK(dice, globs));
}

static json_t *regex_of(struct dice *dice) {
    static const char *const regexes[] = {"one", "^t", "o.e", "(", "\\d", "a+"};
    return json_string(PICK(dice, regexes));
}

static json_t *patch_of(struct dice *dice) {
    json_t *path = random_path(dice), *to = random_path(dice), *made;
    const char *a = json_string_value(path), *b = json_string_value(to);
    switch (roll(dice, 4)) {
    case 0:
        made = json_sprintf("*** Begin Patch\n*** Add File: %s\n+one\n+new\n*** End Patch\n", a);
        break;
    case 1:
        made = json_sprintf("*** Begin Patch\n*** Delete File: %s\n*** Add File: %s\n+one\n"
                            "*** End Patch\n",
                            a, b);
        break;
    case 2:
        made = json_sprintf("*** Begin Patch\n*** Update File: %s\n*** Move to: %s\n@@\n-one\n"
                            "+1\n*** End Patch\n",
                            a, b);
        break;
    default:
        made = json_sprintf("--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-one\n+eins\n", a, a);
    }
    json_decref(path);
    json_decref(to);
    return made;
}

/* -- the operations --------------------------------------------------------------------------- */

struct argument {
    const char *name;
    json_t *(*value)(struct dice *dice);
    bool optional;
};

#define GIVEN(n, f)                                                                                \
    { .name = (n), .value = (f) }

#define MAYBE(n, f)                                                                                \
    { .name = (n), .value = (f), .optional = true }

#define SHAPE(n, w, ...)                                                                           \
    {                                                                                              \
        .name = (n), .weight = (w), .arguments = { __VA_ARGS__ }                                   \
    }

static const struct shape {
    const char *name;
    int weight;
    struct argument arguments[5];
} shapes[] = {
    SHAPE("write_file", 10, GIVEN("path", random_path), GIVEN("content", random_text),
          MAYBE("mode", mode_of), MAYBE("create_parents", flag_of)),
    SHAPE("create_file", 10, GIVEN("path", random_path), GIVEN("content", random_text),
          MAYBE("allow_overwrite", flag_of), MAYBE("create_parents", flag_of)),
    SHAPE("write_bytes", 4, GIVEN("path", random_path), GIVEN("content", bytes_of),
          MAYBE("mode", mode_of)),
    SHAPE("make_directory", 6, GIVEN("path", random_path), MAYBE("parents", flag_of),
          MAYBE("exist_ok", flag_of)),
    SHAPE("edit_file", 6, GIVEN("path", random_path), GIVEN("old_str", piece_of),
          GIVEN("new_str", piece_of)),
    SHAPE("insert_at_line", 5, GIVEN("path", random_path), GIVEN("content", random_text),
          GIVEN("line", number_of)),
    SHAPE("move_file", 7, GIVEN("source", random_path), GIVEN("destination", random_path),
          MAYBE("allow_overwrite", flag_of), MAYBE("create_parents", flag_of)),
    SHAPE("copy_file", 6, GIVEN("source", random_path), GIVEN("destination", random_path),
          MAYBE("allow_overwrite", flag_of), MAYBE("create_parents", flag_of)),
    SHAPE("delete_file", 5, GIVEN("path", random_path), MAYBE("recursive", flag_of)),
    SHAPE("apply_patch", 6, GIVEN("patch", patch_of)),
    SHAPE("read_file", 3, GIVEN("path", random_path), MAYBE("start_line", number_of)),
    SHAPE("read_bytes", 2, GIVEN("path", random_path)),
    SHAPE("get_file_info", 3, GIVEN("path", random_path)),
    SHAPE("file_exists", 2, GIVEN("path", random_path)),
    SHAPE("list_directory", 3, MAYBE("path", random_path), MAYBE("show_hidden", flag_of)),
    SHAPE("list_dir", 2, MAYBE("path", random_path), MAYBE("depth", number_of)),
    SHAPE("directory_tree", 3, MAYBE("path", random_path)),
    SHAPE("search_files", 3, GIVEN("pattern", glob_of), MAYBE("path", random_path)),
    SHAPE("grep_files", 3, GIVEN("pattern", regex_of), MAYBE("path", random_path)),
};

/* Among the first COUNT. */
static const struct shape *random_shape(struct dice *dice, size_t count) {
    int total = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        total += shapes[i].weight;
    int chosen = (int)roll(dice, (size_t)total);
    size_t i = 0;
    while ((at += shapes[i].weight) <= chosen)
        i++;
    return &shapes[i];
}

#define BUILDING 3 /* so many shapes make files */

struct operation random_operation(struct dice *dice, bool building) {
    static const char *const authorities[] = {"dangerous", "dangerous", "dangerous",
                                              "dangerous", "cautious",  "safe"};
    const struct shape *shape =
        random_shape(dice, building ? BUILDING : sizeof shapes / sizeof *shapes);
    json_t *args = json_object();
    for (const struct argument *a = shape->arguments; a->name; a++)
        if (!a->optional || roll(dice, 2))
            json_object_set_new(args, a->name, a->value(dice));
    json_t *request = json_pack("{s:s, s:o, s:s}", "op", shape->name, "args", args, "authority",
                                building ? "dangerous" : PICK(dice, authorities));
    if (!building && roll(dice, 12) == 0)
        json_object_set_new(request, "verb", json_string("plan"));
    struct operation made = {shape->name, json_dumps(request, 0)};
    json_decref(request);
    return made;
}

/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "catalogue.h"
#include "replies.h"
#include "reply.h"
#include "support.h"

#include "unity.h"

#include <ctype.h>
#include <string.h>

static struct error e;

/* The rows of the design, word by word: names and defaults of their parameters. */
static const struct {
    const char *name, *params;
    enum tier tier;
} designed[] = {
    {"get_project_root", "", TIER_SAFE},
    {"list_directory",
     "path(\".\") depth(1) offset(0) limit(200) show_hidden(true) "
     "sort_by(\"name\") exclude_patterns([\".git\"]) ",
     TIER_SAFE},
    {"list_dir", "path(\".\") depth(2) offset(0) limit(200) ", TIER_SAFE},
    {"directory_tree",
     "path(\".\") exclude_patterns([\".git\"]) ignored(false) max_depth(0) limit(2000) ",
     TIER_SAFE},
    {"get_file_info", "path! ", TIER_SAFE},
    {"file_exists", "path! ", TIER_SAFE},
    {"read_file",
     "path! paths start_line end_line offset limit mode(\"slice\") line_numbers(false) "
     "ranges version(false) since encoding ",
     TIER_SAFE},
    {"read_bytes", "path! offset(0) limit ", TIER_SAFE},
    {"search_files",
     "pattern! path(\".\") exclude_patterns([\".git\"]) ignored(false) limit(1000) ", TIER_SAFE},
    {"grep_files",
     "pattern! path(\".\") paths include exclude_patterns([\".git\"]) ignored(false) limit(200) "
     "ignore_case(false) literal(false) context(0) before after multiline(false) file_types "
     "output(\"content\") sort_by(\"path\") ",
     TIER_SAFE},
    {"edit_file",
     "path! old_str new_str replace_all(false) expected_replacements edits accept "
     "allow_unbalanced(false) description version ",
     TIER_CAUTIOUS},
    {"insert_at_line", "path! content! line! allow_unbalanced(false) version ", TIER_CAUTIOUS},
    {"apply_patch", "patch! format(\"auto\") accept allow_unbalanced(false) version ", TIER_CAUTIOUS},
    {"apply_patch_json", "patch! accept allow_unbalanced(false) version ", TIER_CAUTIOUS},
    {"apply_patch_freeform", "patch! accept allow_unbalanced(false) version ", TIER_CAUTIOUS},
    {"create_file",
     "path! content! allow_overwrite(false) allow_unbalanced(false) create_parents(true) "
     "description ",
     TIER_DANGEROUS},
    {"write_file",
     "path! content! mode(\"overwrite\") allow_unbalanced(false) create_parents(true) ",
     TIER_DANGEROUS},
    {"write_bytes", "path! content! mode(\"overwrite\") create_parents(true) ", TIER_DANGEROUS},
    {"make_directory", "path! parents(true) exist_ok(true) ", TIER_DANGEROUS},
    {"move_file", "source! destination! allow_overwrite(false) create_parents(true) description ",
     TIER_DANGEROUS},
    {"copy_file", "source! destination! allow_overwrite(false) create_parents(true) description ",
     TIER_DANGEROUS},
    {"delete_file", "path! recursive(false) description ", TIER_DANGEROUS},
};

static void spell_params(const struct op *op, struct buf *out) {
    buf_str(out, "");
    for (size_t i = 0; i < op->param_count; i++) {
        const struct param *p = &op->params[i];
        buf_printf(out, "%s%s", p->name, p->required ? "!" : "");
        if (p->standard)
            buf_printf(out, "(%s)", p->standard);
        buf_char(out, ' ');
    }
}

void test_table__the_rows_of_the_design(void) {
    for (size_t i = 0; i < sizeof designed / sizeof *designed; i++) {
        struct buf params = {0};
        const struct op *op = op_find(designed[i].name);
        TEST_ASSERT_NOT_NULL_MESSAGE(op, designed[i].name);
        spell_params(op, &params);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(designed[i].params, params.data, op->name);
        TEST_ASSERT_EQUAL_MESSAGE(designed[i].tier, op->tier, op->name);
        buf_free(&params);
    }
}

static bool is_snake_case(const char *name) {
    return islower((unsigned char)name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name);
}

static bool is_sentence(const char *doc) {
    size_t n = doc ? strlen(doc) : 0;
    return n > 10 && n < 200 && doc[n - 1] == '.' && !strchr(doc, '\n');
}

/* A description that a model can act on has several sentences, but not too many. */
static bool is_description(const char *doc) {
    size_t n = doc ? strlen(doc) : 0;
    return n > 200 && n < 1000 && doc[n - 1] == '.' && strstr(doc, ". ") && !strchr(doc, '\n');
}

void test_table__every_row_is_complete(void) {
    for (size_t i = 0; i < op_count(); i++) {
        TEST_ASSERT_TRUE_MESSAGE(is_snake_case(op_at(i)->name), op_at(i)->name);
        TEST_ASSERT_TRUE_MESSAGE(is_description(op_at(i)->doc), op_at(i)->name);
        TEST_ASSERT_TRUE_MESSAGE(isupper((unsigned char)op_at(i)->title[0]), op_at(i)->name);
        /* A row has either `run`, or `plan` and `report`: so no change is made unplanned. */
        TEST_ASSERT_MESSAGE(!op_at(i)->run == (op_at(i)->plan && op_at(i)->report), op_at(i)->name);
        TEST_ASSERT_MESSAGE(!op_at(i)->run == (op_at(i)->tier != TIER_SAFE), op_at(i)->name);
        TEST_ASSERT_EQUAL_PTR_MESSAGE(op_at(i), op_find(op_at(i)->name), "a name twice");
        for (size_t k = 0; k < op_at(i)->param_count; k++) {
            const struct param *p = &op_at(i)->params[k];
            TEST_ASSERT_TRUE_MESSAGE(is_snake_case(p->name), p->name);
            TEST_ASSERT_TRUE_MESSAGE(is_sentence(p->doc), p->name);
            TEST_ASSERT_FALSE_MESSAGE(p->required && p->standard, p->name);
            TEST_ASSERT_EQUAL_MESSAGE(p->type == PARAM_CHOICE, p->choices != NULL, p->name);
            TEST_ASSERT_TRUE_MESSAGE(p->type != PARAM_INTEGER || p->least < p->most, p->name);
            for (size_t other = 0; other < k; other++)
                TEST_ASSERT_TRUE(strcmp(p->name, op_at(i)->params[other].name) != 0);
        }
    }
}

static void check_member(const char *reply, const struct member *m);

static void check_members(const char *reply, const struct member *members) {
    for (const struct member *m = members; m->name; m++) {
        size_t n = strspn(m->name, "abcdefghijklmnopqrstuvwxyz_-0123456789");
        TEST_ASSERT_TRUE_MESSAGE(n > 0 && m->name[n] == '\0', m->name);
        TEST_ASSERT_TRUE_MESSAGE(is_sentence(m->doc), m->name);
        for (const struct member *other = members; other < m; other++)
            TEST_ASSERT_TRUE_MESSAGE(strcmp(m->name, other->name) != 0, m->name);
        check_member(reply, m);
    }
}

static bool is_known_reply(const char *name) {
    for (size_t i = 0; i < known_reply_count; i++)
        if (strcmp(known_replies[i].name, name) == 0)
            return true;
    return false;
}

static void check_member(const char *reply, const struct member *m) {
    TEST_ASSERT_TRUE_MESSAGE(m->type != MEMBER_KEYWORD || m->choices, reply);
    TEST_ASSERT_EQUAL_MESSAGE(m->type == MEMBER_LIST, m->of != NULL, reply);
    TEST_ASSERT_EQUAL_MESSAGE(m->type == MEMBER_MAP, m->members || m->like, reply);
    TEST_ASSERT_TRUE_MESSAGE(!m->like || is_known_reply(m->like), reply);
    if (m->members)
        check_members(reply, m->members);
    if (m->of)
        check_member(reply, m->of);
}

void test_table__every_reply_is_declared(void) {
    for (size_t i = 0; i < op_count(); i++) {
        TEST_ASSERT_NOT_NULL_MESSAGE(op_at(i)->reply, op_at(i)->name);
        check_members(op_at(i)->name, op_at(i)->reply);
    }
    for (size_t i = 0; i < known_reply_count; i++)
        check_members(known_replies[i].name, known_replies[i].members);
}

/* Does it read what is in a file that it is given, which may be a secret? */
static bool shows_contents(const struct op *op) {
    return strcmp(op->name, "read_file") == 0 || strcmp(op->name, "read_bytes") == 0 ||
           strcmp(op->name, "grep_files") == 0 || strcmp(op->name, "list_forms") == 0 ||
           strcmp(op->name, "read_form") == 0;
}

/* The hints that a client sees must follow from what the row does. */
void test_table__hints(void) {
    for (size_t i = 0; i < op_count(); i++) {
        const struct op *op = op_at(i);
        bool reads = op->tier == TIER_SAFE;
        TEST_ASSERT_FALSE_MESSAGE(reads && (op->destructive || op->idempotent), op->name);
        bool asks = (op->errors & ERROR_BIT(APPROVAL_REQUIRED)) != 0;
        TEST_ASSERT_EQUAL_MESSAGE(!reads || shows_contents(op), asks, op->name);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, op->errors & ERRORS_OF_EVERY_CALL, op->name);
    }
}

/* A default must pass the check that an argument passes. */
void test_table__every_default_is_valid(void) {
    for (size_t i = 0; i < op_count(); i++) {
        for (size_t k = 0; k < op_at(i)->param_count; k++) {
            struct param optional = op_at(i)->params[k];
            struct value value;
            optional.required = false;
            TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, args_decode(&optional, 1, NULL, &value, &e),
                                      e.message);
            TEST_ASSERT_EQUAL(optional.standard != NULL, value.known);
            args_free(&value, 1);
        }
    }
}

void test_table__names_are_found_exactly(void) {
    TEST_ASSERT_NULL(op_find(""));
    TEST_ASSERT_NULL(op_find("read_fil"));
    TEST_ASSERT_NULL(op_find("read_file "));
    TEST_ASSERT_NULL(op_find("READ_FILE"));
    TEST_ASSERT_EQUAL_STRING("read_file", op_find("read_file")->name);
}

void test_table__tiers_have_names(void) {
    TEST_ASSERT_EQUAL_STRING("safe", tier_name(TIER_SAFE));
    TEST_ASSERT_EQUAL_STRING("cautious", tier_name(TIER_CAUTIOUS));
    TEST_ASSERT_EQUAL_STRING("dangerous", tier_name(TIER_DANGEROUS));
}

static void check_param(const struct param *p, const json_t *shown) {
    TEST_ASSERT_EQUAL_STRING(p->name, text_in(shown, "name"));
    TEST_ASSERT_EQUAL_STRING(p->doc, text_in(shown, "doc"));
    TEST_ASSERT_EQUAL(p->required, json_is_true(json_object_get(shown, "required")));
    if (p->standard)
        TEST_ASSERT_EQUAL_STRING(p->standard, text_in(shown, "default"));
    else
        TEST_ASSERT_TRUE(json_is_null(json_object_get(shown, "default")));
    TEST_ASSERT_EQUAL(p->type == PARAM_INTEGER, json_is_integer(json_object_get(shown, "least")));
    if (p->type == PARAM_INTEGER)
        TEST_ASSERT_EQUAL_INT64(p->most, number_in(shown, "most"));
    TEST_ASSERT_EQUAL(p->type == PARAM_CHOICE,
                      json_array_size(json_object_get(shown, "choices")) > 0);
}

void test_table__the_table_tells_all_of_itself(void) {
    struct reply r = {.format = AQFS_JSON};
    catalogue_describe_operations(&r);
    json_t *table = json_loadb(r.out.data, r.out.len, JSON_REJECT_DUPLICATES, NULL);
    buf_free(&r.out);
    TEST_ASSERT_EQUAL(op_count(), json_array_size(table));
    for (size_t i = 0; i < op_count(); i++) {
        const json_t *row = json_array_get(table, i), *params = json_object_get(row, "params");
        TEST_ASSERT_EQUAL_STRING(op_at(i)->name, text_in(row, "name"));
        TEST_ASSERT_EQUAL_STRING(tier_name(op_at(i)->tier), text_in(row, "tier"));
        TEST_ASSERT_EQUAL_STRING(op_at(i)->doc, text_in(row, "doc"));
        TEST_ASSERT_EQUAL(op_at(i)->slow, json_is_true(json_object_get(row, "slow")));
        TEST_ASSERT_EQUAL(op_at(i)->param_count, json_array_size(params));
        for (size_t k = 0; k < op_at(i)->param_count; k++)
            check_param(&op_at(i)->params[k], json_array_get(params, k));
    }
    json_decref(table);
}

void test_table__choices_are_told_one_by_one(void) {
    struct reply r = {.format = AQFS_SEXP};
    catalogue_describe_operations(&r);
    TEST_ASSERT_NOT_NULL(strstr(r.out.data, ":choices (\"name\" \"size\" \"modified\")"));
    TEST_ASSERT_NOT_NULL(strstr(r.out.data, "(:name \"list_directory\" :tier :safe :slow t"));
    TEST_ASSERT_NOT_NULL(strstr(r.out.data, ":default \"[\\\".git\\\"]\""));
    buf_free(&r.out);
}

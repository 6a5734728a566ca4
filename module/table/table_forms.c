/* table_forms.c -- rows of the table: Lisp by form.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lisp_ops.h"
#include "table_rows.h"

#define DIALECT_PARAM                                                                              \
    PARAM("dialect", CHOICE, .choices = "common-lisp|emacs-lisp|scheme|clojure",                   \
          .doc = "The Lisp, where neither mode line nor file name tells.")
#define WISH_PARAMS                                                                                \
    PARAM("name", STRING, .doc = "What the form defines, such as parse-line or (setf color)."),    \
        PARAM("kind", STRING, .doc = "The word it begins with, such as defun."),                   \
        PARAM("package", STRING, .doc = "The package that in-package has named before the form."), \
        PARAM("qualifiers", STRING, .doc = "Of a method, such as :around; \"\" is none."),         \
        PARAM("specializers", STRING, .doc = "Of a method: its classes, such as \"square t\"."),   \
        PARAM("line", INTEGER, .least = 1, .most = INT64_MAX,                                      \
              .doc = "A line inside the form or its comment, beside a name or alone.")

/* -- list_forms ---------------------------------------------------------------------------------
 */

static const struct param list_forms_params[] = {
    PARAM("path", PATH, .required = true, .unless = "paths", .doc = "A Lisp file, or a directory."),
    PARAM("paths", STRINGS, .doc = "Several of them, instead of path."),
    FLAG("nested", "Also list what is defined inside: local functions, slots."),
    DIALECT_PARAM,
    EXCLUDE,
    NUMBER("offset", "0", 0, MANY, "Forms to skip before the first one shown."),
    NUMBER("limit", "500", 1, MANY, "The most forms to show."),
};

#define FORM_MEMBERS                                                                               \
    MEMBER(KIND, STRING, .nullable = true, .doc = "The word it begins with, such as defun."),      \
        MEMBER(NAME, STRING, .nullable = true, .doc = "What it defines."),                         \
        MEMBER(QUALIFIERS, STRING, .optional = true, .doc = "Of a method, such as :around."),      \
        MEMBER(SPECIALIZERS, STRING, .optional = true, .doc = "Of a method: its lambda list."),    \
        MEMBER(START_LINE, INTEGER, .doc = "The line it begins in."),                              \
        MEMBER(END_LINE, INTEGER, .doc = "The line it ends in."),                                  \
        MEMBER(DOC, STRING, .nullable = true, .doc = "The first line of its documentation.")

static const struct member nested_members[] = {
    FORM_MEMBERS,
    MEMBER(DEPTH, INTEGER, .doc = "1 for what is defined in the form itself, and so on."),
    LAST_MEMBER,
};

static const struct member listed_members[] = {
    FORM_MEMBERS,
    MEMBER(PATH, PATH, .optional = true, .doc = "The file, where several may be listed."),
    MEMBER(CHILDREN, LIST, LIST_OF_MAPS(nested_members), .optional = true,
           .doc = "With nested: what is defined inside, in order."),
    LAST_MEMBER,
};

static const struct member list_forms_reply[] = {
    MEMBER(FORMS, LIST, LIST_OF_MAPS(listed_members), .doc = "The top-level forms, in order."),
    MEMBER(TOTAL, INTEGER, .doc = "How many forms there are in all."),
    MEMBER(FILES, INTEGER, .doc = "How many files they are in."),
    MEMBER(OFFSET, INTEGER, .doc = "The forms skipped before the first one shown."),
    TRUNCATED,
    MEMBER(SECRET, INTEGER, .optional = true,
           .doc = "How many files were left out, in a model's listing, because they are secret."),
    UNREADABLE,
    CUT,
    LAST_MEMBER,
};

/* -- read_form ----------------------------------------------------------------------------------
 */

static const struct param read_form_params[] = {
    REQUIRED("path", PATH, "The Lisp file."),
    WISH_PARAMS,
    DIALECT_PARAM,
};

static const struct member read_form_reply[] = {
    SHOWN_PATH,
    MEMBER(KIND, STRING, .nullable = true, .doc = "The word it begins with, such as defun."),
    MEMBER(NAME, STRING, .nullable = true, .doc = "What it defines."),
    MEMBER(START_LINE, INTEGER, .doc = "The first line of content: of the comment above, if any."),
    MEMBER(LINE, INTEGER, .doc = "The line that the form itself begins in."),
    MEMBER(END_LINE, INTEGER, .doc = "The line it ends in."),
    MEMBER(CONTENT, STRING, .doc = "The form, exactly, with the comment directly above it."),
    TRUNCATED,
    MEMBER(VERSION, DIGEST, .nullable = true,
           .doc = "A hash of the file's contents: give it to a later edit."),
    LAST_MEMBER,
};

/* -- edit_form ----------------------------------------------------------------------------------
 */

/* The parts of an edit, in the order of enum form_edit_part. */
#define PART_PARAMS                                                                                \
    WISH_PARAMS,                                                                                   \
        PARAM("action", CHOICE,                                                                    \
              .choices = "replace|insert_before|insert_after|delete|rename|replace_within",        \
              .doc = "Without it, as the other arguments say."),                                   \
        PARAM("content", STRING, .doc = "The new form, or the one to insert."),                    \
        PARAM("new_name", STRING,                                                                  \
              .doc = "The name that the definition gets; its callers keep theirs."),               \
        PARAM("old_str", STRING, .doc = "A text that is once in the form, to be replaced."),       \
        PARAM("new_str", STRING, .doc = EDIT_NEW_STR_WORDS)

static const struct param form_edit_params[] = {PART_PARAMS};

static const struct param edit_form_params[] = {
    REQUIRED("path", PATH, "The Lisp file to edit."),
    PART_PARAMS,
    PARAM("edits", EDITS, .members = form_edit_params, .member_n = COUNT(form_edit_params),
          .doc = "Instead, several edits, made one after the other; all or none."),
    PARAM("accept", STRING,
          .doc = "Alone beside path: does what a refusal has offered under this digest."),
    ALLOW_UNBALANCED,
    DIALECT_PARAM,
    DESCRIPTION,
    KNOWN_VERSION,
};

#define ERRORS_OF_FORMS                                                                            \
    (ERROR_BIT(BINARY) | ERROR_BIT(ENCODING) | ERROR_BIT(TOO_LARGE) | ERROR_BIT(NO_MATCH) |        \
     ERROR_BIT(MULTIPLE_MATCHES))

static const struct op rows[] = {
    {.name = "list_forms",
     .title = "List the forms of Lisp files",
     .slow = true,
     .doc = "Lists the top-level forms of a Lisp file in order: what each defines, its lines and "
            "the first line of its documentation. Use it, for a tenth of the file's size, before "
            "read_form. Of a directory it lists all Lisp files below. It reads Common Lisp, Emacs "
            "Lisp, Scheme and Clojure, evaluates nothing, and says where a file is not balanced "
            "or may change the reader. It refuses a file that is not known as Lisp unless you "
            "give dialect.",
     .run = op_list_forms,
     .reply = list_forms_reply,
     .errors = ERRORS_OF_READS | ERROR_BIT(BINARY) | ERROR_BIT(ENCODING) | ERROR_BIT(TOO_LARGE),
     PARAMS(list_forms_params)},
    {.name = "read_form",
     .title = "Read a form of a Lisp file",
     .doc = "Shows one top-level form of a Lisp file, exactly, with the comment directly "
            "above it. Use it before you change a definition. Name what the form defines; "
            "if several have that name, add kind, package, or a method's qualifiers and "
            "specializers, or give a line inside it. It answers the text, its lines and "
            "the file's version. It refuses a name that nothing has, with names like it, "
            "and one that several forms have, with the lines of each.",
     .run = op_read_form,
     .reply = read_form_reply,
     .errors = ERRORS_OF_READS | ERRORS_OF_FORMS,
     PARAMS(read_form_params)},
    {.name = "edit_form",
     .title = "Edit a form of a Lisp file",
     .tier = TIER_CAUTIOUS,
     .destructive = true,
     .doc = "Changes one top-level form of a Lisp file, found as by read_form. Give "
            "content to replace it, content and an action insert_before or insert_after "
            "to put a new one beside it, new_name to rename the definition, old_str and "
            "new_str to replace a text inside it, or the action delete. Use it rather "
            "than edit_file for Lisp: nothing of the form has to be repeated, and all "
            "outside of it stays as it is. A comment directly above stays unless content "
            "begins with a comment or the form is deleted. It refuses a name that nothing "
            "or several forms have, and a text with which the parentheses would not "
            "balance (unbalanced, with the likely correction).",
     .plan = plan_edit_form,
     .report = report_edit,
     .reply = edit_reply,
     .errors = ERRORS_OF_WRITES | ERRORS_OF_FORMS | ERROR_BIT(UNBALANCED),
     PARAMS(edit_form_params)},
};

const struct op_rows forms_rows = {rows, COUNT(rows)};

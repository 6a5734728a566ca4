/* replies.c -- the replies that belong to no single operation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replies.h"

#include "plan.h"
#include "table_rows.h"

#define NAME(text) MEMBER(NAME, STRING, .doc = text)
#define WORDS(text) MEMBER(DOC, STRING, .doc = text)

/* -- what every reply has ---------------------------------------------------------------------- */

#define TEXT MEMBER(TEXT, STRING, .doc = "The words for a model.")

const struct member text_member = TEXT;

/* -- plans ------------------------------------------------------------------------------------- */

#define X(constant, name) "|" name
static const char risks[] = RISKS(X);
#undef X

static const struct member target_members[] = {
    SHOWN_PATH,
    MEMBER(GIVEN, STRING, .optional = true, .doc = "The path as it was written in the call."),
    MEMBER(ACTION, KEYWORD, .choices = "write|copy|make|move|delete|read", .doc = "What is done."),
    MEMBER(TYPE, KEYWORD, .choices = NODE_TYPES "|missing", .doc = "What is there now."),
    MEMBER(PROTECTED, BOOLEAN, .doc = "Whether the path is one of the protected ones."),
    MEMBER(SECRET, STRING, .optional = true, .doc = "Why a model may not read it unasked."),
    MEMBER(RISKS, LIST, .of = &(const struct member){.type = MEMBER_KEYWORD, .choices = risks + 1},
           .doc = "Why the change is dangerous; [] where it only edits."),
    MEMBER(FROM, PATH, .optional = true, .doc = "What is moved or copied there."),
    MEMBER(PASSED, LIST, LIST_OF(PATH), .optional = true,
           .doc = "The names that the call's paths had before their links were followed."),
    MEMBER(LINKS, INTEGER, .optional = true,
           .doc = "How many names the file has, where it has more than one."),
    LAST_MEMBER,
};

#define X(constant, name) "|" name
static const char tiers[] = TIERS(X);
#undef X

#define TIER(...)                                                                                  \
    MEMBER(TIER, KEYWORD, .choices = tiers + 1, .doc = "How much authority it needs.", __VA_ARGS__)
#define PLAN_MEMBERS(...)                                                                          \
    TIER(__VA_ARGS__), MEMBER(SUMMARY, STRING, .doc = "What is done, in a line.", __VA_ARGS__),    \
        MEMBER(TARGETS, LIST, LIST_OF_MAPS(target_members),                                        \
               .doc = "The files and directories that are changed.", __VA_ARGS__),                 \
        MEMBER(DIFF, STRING, .doc = "A unified diff of the text.", __VA_ARGS__),                   \
        MEMBER(DIGEST, DIGEST, .doc = "What identifies the plan when it is committed.",            \
               __VA_ARGS__)

static const struct member plan_reply[] = {
    PLAN_MEMBERS(.optional = false),
    MEMBER(ALLOWED, BOOLEAN, .doc = "Whether the authority given is enough to commit it."),
    TEXT,
    LAST_MEMBER,
};

/* -- errors ------------------------------------------------------------------------------------ */

#define X(constant, name, doc) "|" name
static const char error_names[] = ERROR_CODES(X);
#undef X

static const struct member error_reply[] = {
    MEMBER(ERROR, KEYWORD, .choices = error_names + 1, .doc = "Which error it is."),
    MEMBER(MESSAGE, STRING, .doc = "What is wrong, in words that a model can act on."),
    MEMBER(PATH, STRING, .nullable = true, .doc = "The path as it was given."),
    MEMBER(HINT, STRING, .nullable = true, .doc = "What to do about it."),
    TEXT,
    /* With approval-required: what would be done.  With an offer: its diff. */
    PLAN_MEMBERS(.optional = true),
    MEMBER(ACCEPT, DIGEST, .optional = true,
           .doc = "The argument accept of a call that makes the edit of the diff instead."),
    LAST_MEMBER,
};

/* -- beside the operations --------------------------------------------------------------------- */

static const struct member version_reply[] = {
    MEMBER(VERSION, STRING, .doc = "The version of the core."),
    MEMBER(ABI, INTEGER, .doc = "The version of the binary interface."),
    MEMBER(PCRE2, STRING, .doc = "The version of PCRE2."),
    MEMBER(LIBMAGIC, STRING, .doc = "The version of libmagic."),
    MEMBER(LIBGIT2, STRING, .doc = "The version of libgit2."),
    MEMBER(JANSSON, STRING, .doc = "The version of jansson."),
    LAST_MEMBER,
};

static const struct member items_reply[] = {
    MEMBER(ITEMS, LIST, LIST_OF(ANY), .doc = "Results as they are found, as in the reply."),
    LAST_MEMBER,
};

static const struct member progress_reply[] = {
    MEMBER(PROGRESS, INTEGER, .doc = "How many files or names were looked at."),
    LAST_MEMBER,
};

/* -- the catalogue itself ---------------------------------------------------------------------- */

#define X(constant, name) "|" name
static const char param_types[] = PARAM_TYPES(X);
static const char member_types[] = MEMBER_TYPES(X);
#undef X

static const struct member code_members[] = {
    NAME("What the error is called."),
    WORDS("What it says."),
    MEMBER(MESSAGE, STRING, .nullable = true,
           .doc = "A message of it that front ends give as well, with %s for what is named."),
    MEMBER(COMMON, BOOLEAN, .doc = "Whether every call may fail with it."),
    LAST_MEMBER,
};

static const struct member set_members[] = {
    NAME("What the set is called."),
    WORDS("What it is for."),
    MEMBER(BYTES, INTEGER, .doc = "The most bytes that its specifications have for a model."),
    MEMBER(TOOLS, LIST, LIST_OF(STRING), .doc = "Its operations, in the order for a model."),
    LAST_MEMBER,
};

static const struct member protected_members[] = {
    MEMBER(TITLE, STRING, .doc = "Which programs obey these names."),
    WORDS("What they do with them."),
    MEMBER(NAMES, LIST, LIST_OF(STRING),
           .doc = "The names; above/name counts in such a directory, /name at the top of a root."),
    LAST_MEMBER,
};

static const struct member secret_members[] = {
    MEMBER(TITLE, STRING, .doc = "What these files are."),
    WORDS("What is in them."),
    MEMBER(NAMES, LIST, LIST_OF(STRING),
           .doc = "The names, in which * matches; a slash at the end stands for all below, and "
                  "! exempts."),
    LAST_MEMBER,
};

static const struct member param_members[] = {
    NAME("What it is called, with underscores."),
    MEMBER(TYPE, KEYWORD, .choices = param_types + 1, .doc = "What is expected."),
    MEMBER(REQUIRED, BOOLEAN, .doc = "Whether it must be given."),
    MEMBER(UNLESS, STRING, .nullable = true,
           .doc = "The parameter that may be given in place of a required one."),
    MEMBER(DEFAULT, STRING, .nullable = true, .doc = "What it is if not given, as JSON text."),
    MEMBER(LEAST, INTEGER, .optional = true, .doc = "The smallest integer allowed."),
    MEMBER(MOST, INTEGER, .optional = true, .doc = "The largest integer allowed."),
    MEMBER(CHOICES, LIST, LIST_OF(STRING), .doc = "The words allowed."),
    WORDS("What it is for."),
    MEMBER(MEMBERS, LIST, LIST_OF_LIKE("parameter"), .optional = true,
           .doc = "The members of each element of a list of edits."),
    LAST_MEMBER,
};

static const struct member member_members[] = {
    MEMBER(NAME, STRING, .nullable = true, .doc = "What it is called, with underscores."),
    MEMBER(TYPE, KEYWORD, .choices = member_types + 1, .doc = "What its value is."),
    MEMBER(OPTIONAL, BOOLEAN, .doc = "Whether it is absent where it does not apply."),
    MEMBER(NULLABLE, BOOLEAN, .doc = "Whether its value may be null."),
    MEMBER(CHOICES, LIST, LIST_OF(STRING), .doc = "The words its value is one of."),
    MEMBER(OF, MAP, .nullable = true, .like = "member", .doc = "What a list holds."),
    MEMBER(MEMBERS, LIST, LIST_OF_LIKE("member"), .doc = "What a map has."),
    MEMBER(LIKE, STRING, .nullable = true,
           .doc = "The reply whose members a map has, if they are not listed here."),
    MEMBER(DOC, STRING, .nullable = true, .doc = "What it means."),
    LAST_MEMBER,
};

static const struct member hint_members[] = {
    MEMBER(READ_ONLY, BOOLEAN, .doc = "Whether it changes nothing."),
    MEMBER(DESTRUCTIVE, BOOLEAN, .doc = "Whether it may do more than add."),
    MEMBER(IDEMPOTENT, BOOLEAN, .doc = "Whether doing it twice is as good as once."),
    MEMBER(OPEN_WORLD, BOOLEAN, .doc = "Whether it reaches beyond the workspace."),
    LAST_MEMBER,
};

static const struct member operation_members[] = {
    NAME("What it is called."),
    TIER(.optional = false),
    MEMBER(SLOW, BOOLEAN, .doc = "Whether it may take long."),
    WORDS("When to use it, what it answers and what it refuses."),
    MEMBER(TITLE, STRING, .doc = "What it is called for people."),
    MEMBER(HINTS, MAP, .members = hint_members, .doc = "Hints for clients."),
    MEMBER(SETS, LIST, LIST_OF(STRING), .doc = "The sets of tools it is in."),
    MEMBER(PARAMS, LIST, LIST_OF_LIKE("parameter"), .doc = "Its arguments."),
    MEMBER(REPLY, LIST, LIST_OF_LIKE("member"), .doc = "The members of its reply."),
    MEMBER(ERRORS, LIST, LIST_OF(STRING), .doc = "What it may fail with, beside what is common."),
    LAST_MEMBER,
};

static const struct member reply_members[] = {
    NAME("What the reply is called."),
    WORDS("When it comes."),
    MEMBER(MEMBERS, LIST, LIST_OF_LIKE("member"), .doc = "What it has."),
    LAST_MEMBER,
};

static const struct member catalogue_reply[] = {
    MEMBER(VERSION, STRING, .doc = "The version of the core."),
    MEMBER(ABI, INTEGER, .doc = "The version of the binary interface."),
    MEMBER(ERRORS, LIST, LIST_OF_MAPS(code_members), .doc = "The error codes."),
    MEMBER(OPTIONS, LIST, LIST_OF_LIKE("parameter"), .doc = "The options of a workspace."),
    MEMBER(LIMITS, LIST, LIST_OF_LIKE("parameter"), .doc = "The members of limits."),
    MEMBER(MOUNTS, LIST, LIST_OF_LIKE("parameter"), .doc = "The members of each of mounts."),
    MEMBER(SETS, LIST, LIST_OF_MAPS(set_members), .doc = "The sets of tools."),
    MEMBER(PROTECTED, LIST, LIST_OF_MAPS(protected_members),
           .doc = "The names that other programs obey."),
    MEMBER(SECRETS, LIST, LIST_OF_MAPS(secret_members),
           .doc = "The names of files that hold secrets, unless secret_paths says otherwise."),
    MEMBER(OPERATIONS, LIST, LIST_OF_MAPS(operation_members), .doc = "The operations."),
    MEMBER(REPLIES, LIST, LIST_OF_MAPS(reply_members),
           .doc = "Replies that belong to no single operation."),
    LAST_MEMBER,
};

/* -- all of them ------------------------------------------------------------------------------- */

const struct known_reply known_replies[] = {
    {"error", error_reply, "Instead of any other reply: the call failed."},
    {"plan", plan_reply, "What a call would change."},
    {"open", opened_reply, "A workspace was opened, or put back to what it was opened with."},
    {"version", version_reply, "Versions of the core and of the libraries below it."},
    {"items", items_reply, "While a call runs: what was found."},
    {"progress", progress_reply, "While a call runs: how far it is."},
    {"catalogue", catalogue_reply, "This catalogue."},
    {"parameter", param_members, "A parameter, as the catalogue has it."},
    {"member", member_members, "A member of a reply, as the catalogue has it."},
    {"tree_node", tree_node_members, "A file or directory of a tree."},
};

const size_t known_reply_count = COUNT(known_replies);

/* table_look.c -- rows of the table: listings and facts about files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "limit.h"
#include "table_rows.h"

/* -- get_project_root -------------------------------------------------------------------------- */

static const struct member mount_members[] = {
    MEMBER(PATH, PATH, .doc = "Where the copy is now."),
    MEMBER(FILES, INTEGER, .doc = "How many files were copied."),
    MEMBER(BYTES, INTEGER, .doc = "How many bytes were copied."),
    MEMBER(SKIPPED, INTEGER, .doc = "How many links, devices and the like were left out."),
    LAST_MEMBER,
};

#define WORKSPACE_MEMBERS                                                                          \
    MEMBER(ROOT, PATH, .doc = "The project root, absolute, with a slash at its end."),             \
        MEMBER(METHOD, KEYWORD, .choices = "explicit|git|asdf|sly|cwd|memory|session",             \
               .doc = "How the root was found."),                                                  \
        MEMBER(MODE, KEYWORD, .choices = "restricted|unrestricted",                                \
               .doc = "unrestricted allows any absolute path."),                                   \
        MEMBER(BACKEND, KEYWORD, .choices = "host|memory|session",                                 \
               .doc = "host is a directory of this machine."),                                     \
        MEMBER(READ_ONLY, BOOLEAN,                                                                 \
               .doc = "Whether the workspace refuses everything that writes."),                    \
        MEMBER(MOUNTS, LIST, LIST_OF_MAPS(mount_members),                                          \
               .doc = "What was copied in when the workspace was opened.")

static const struct member get_project_root_reply[] = {
    WORKSPACE_MEMBERS,
    MEMBER(MOVED, BOOLEAN,
           .doc = "Whether the directory was moved or replaced since the workspace was opened."),
    LAST_MEMBER,
};

#define X(field, value, least, most, words) {.name = #field, .type = MEMBER_INTEGER, .doc = words},
static const struct member limit_members[] = {LIMITS(X) LAST_MEMBER};
#undef X

const struct member opened_reply[] = {
    WORKSPACE_MEMBERS,
    MEMBER(LIMITS, MAP, .members = limit_members, .doc = "The limits of the workspace."),
    LAST_MEMBER,
};

/* -- listings ---------------------------------------------------------------------------------- */

static const struct member entry_members[] = {
    MEMBER(NAME, PATH, .doc = "The name without directories."),
    SHOWN_PATH,
    NODE_TYPE,
    MEMBER(SIZE, INTEGER, .nullable = true, .doc = "The bytes of a file; null for the rest."),
    MEMBER(MODIFIED, TIME, .nullable = true, .doc = "When it was last changed."),
    MEMBER(TARGET, PATH, .optional = true, .doc = "Where a symbolic link points."),
    LAST_MEMBER,
};

static const struct member listing_reply[] = {
    SHOWN_PATH,
    MEMBER(ENTRIES, LIST, LIST_OF_MAPS(entry_members), .doc = "The entries."),
    MEMBER(TOTAL, INTEGER, .doc = "How many entries there are in all."),
    MEMBER(OFFSET, INTEGER, .doc = "The entries skipped before the first one shown."),
    TRUNCATED,
    UNREADABLE,
    CUT,
    LAST_MEMBER,
};

static const struct param list_directory_params[] = {
    BASE("The directory, relative to the project root."),
    NUMBER("depth", "1", 1, 256, "Levels to list: 1 is the directory itself."),
    NUMBER("offset", "0", 0, MANY, "Entries to skip before the first one shown."),
    NUMBER("limit", "200", 1, MANY, "The most entries to show."),
    YES("show_hidden", "Show names that begin with a dot."),
    PARAM("sort_by", CHOICE, .standard = "\"name\"", .choices = "name|size|modified",
          .doc = "By name, largest first, or newest first."),
    EXCLUDE,
};

static const struct param list_dir_params[] = {
    BASE("The directory, relative to the project root."),
    NUMBER("depth", "2", 1, 256, "Levels to list: 1 is the directory itself."),
    NUMBER("offset", "0", 0, MANY, "Entries to skip before the first one shown."),
    NUMBER("limit", "200", 1, MANY, "The most entries to show."),
};

/* -- directory_tree ---------------------------------------------------------------------------- */

static const struct param directory_tree_params[] = {
    BASE("The directory, relative to the project root."),
    EXCLUDE,
    WITH_IGNORED,
    NUMBER("max_depth", "0", 0, 256, "Levels to show; 0 shows all."),
    NUMBER("limit", "2000", 0, MANY, "The most entries to show; 0 shows all."),
};

/* The children of a directory have these members too. */
const struct member tree_node_members[] = {
    MEMBER(NAME, PATH, .doc = "The name without directories."),
    NODE_TYPE,
    MEMBER(SIZE, INTEGER, .optional = true, .doc = "The bytes of a file."),
    MEMBER(CHILDREN, LIST, .optional = true, LIST_OF_LIKE("tree_node"),
           .doc = "What is in the directory, each like this one."),
    MEMBER(MORE, INTEGER, .optional = true,
           .doc = "The entries that are not shown of a directory that was cut."),
    LAST_MEMBER,
};

static const struct member directory_tree_reply[] = {
    SHOWN_PATH,
    MEMBER(TREE, MAP, .like = "tree_node", .doc = "The directory itself."),
    MEMBER(FILES, INTEGER, .doc = "How many files there are, with links and the like."),
    MEMBER(DIRECTORIES, INTEGER, .doc = "How many directories there are."),
    TRUNCATED,
    UNREADABLE,
    CUT,
    IGNORED_COUNT,
    LAST_MEMBER,
};

/* -- one file ---------------------------------------------------------------------------------- */

static const struct param path_params[] = {
    REQUIRED("path", PATH, "The file or directory to look at."),
};

static const struct member get_file_info_reply[] = {
    SHOWN_PATH,
    MEMBER(ABSOLUTE, PATH, .doc = "The absolute path."),
    NODE_TYPE,
    MEMBER(SIZE, INTEGER, .doc = "How many bytes it has."),
    MEMBER(CREATED, TIME, .nullable = true,
           .doc = "When it was made; null where the file system does not know."),
    MEMBER(MODIFIED, TIME, .nullable = true, .doc = "When it was last changed."),
    MEMBER(ACCESSED, TIME, .nullable = true, .doc = "When it was last read."),
    MEMBER(PERMISSIONS, STRING, .nullable = true, .doc = "The permissions as ls shows them."),
    MEMBER(MODE, STRING, .nullable = true, .doc = "The permissions in octal."),
    MEMBER(READABLE, BOOLEAN, .doc = "Whether it can be read."),
    MEMBER(WRITABLE, BOOLEAN, .doc = "Whether it can be written."),
    MEMBER(MIME_TYPE, STRING, .nullable = true, .doc = "The MIME type, by libmagic."),
    MEMBER(ENCODING, STRING, .nullable = true,
           .doc = "The charset of a text, such as utf-8 or iso-8859-1."),
    MEMBER(LINE_ENDINGS, STRING, .nullable = true, .choices = "lf|crlf|mixed|cr|none",
           .doc = "How the lines of a text end."),
    MEMBER(LINKS, INTEGER, .nullable = true, .doc = "How many names the file has."),
    MEMBER(REVISION, INTEGER, .nullable = true,
           .doc = "How often it was written, in memory or in a session."),
    MEMBER(TARGET, PATH, .nullable = true,
           .doc = "Where a symbolic link that was followed points."),
    MEMBER(VERSION, DIGEST, .nullable = true,
           .doc = "A hash of the contents: give it to a later edit."),
    CHANGED,
    LAST_MEMBER,
};

static const struct member file_exists_reply[] = {
    SHOWN_PATH,
    MEMBER(EXISTS, BOOLEAN, .doc = "Whether there is something of that name."),
    MEMBER(TYPE, KEYWORD, .nullable = true, .choices = NODE_TYPES,
           .doc = "What it is; null where there is nothing."),
    LAST_MEMBER,
};

static const struct op rows[] = {
    {.name = "get_project_root",
     .anywhere = true,
     .title = "Get the project root",
     .doc = "Names the project root: the directory that every path is relative to and that no "
            "call leaves. Use it first when you do not know where you work, and after an "
            "outside-root error. It answers the absolute path, how the root was found, whether "
            "the workspace is read-only, and whether the directory was moved or replaced since "
            "it was opened. It takes no arguments and looks at no file.",
     .run = op_get_project_root,
     .reply = get_project_root_reply},
    {.name = "list_directory",
     .title = "List a directory",
     .slow = true,
     .doc = "Lists the entries of one directory with type, size and time of each, one a line, "
            "directories with a slash. Use it to see what is in a directory, what is largest or "
            "what changed last, and with a greater depth what is below it. A long listing is cut "
            "at limit entries and says with which offset to go on. It refuses a path that is not a "
            "directory.",
     .run = op_list_directory,
     .reply = listing_reply,
     .errors = ERRORS_OF_PATHS,
     PARAMS(list_directory_params)},
    {.name = "list_dir",
     .title = "List a directory by name",
     .slow = true,
     .doc = "Lists a directory breadth first, one path a line, marked / for a directory, @ for a "
            "link and * for an executable file. Use it for a quick look at two or three levels "
            "where sizes and times do not matter; list_directory has those. Hidden names are "
            "shown, .git is not. A long listing is cut at limit entries and says with which "
            "offset to go on. It refuses a path that is not a directory.",
     .run = op_list_dir,
     .reply = listing_reply,
     .errors = ERRORS_OF_PATHS,
     PARAMS(list_dir_params)},
    {.name = "directory_tree",
     .title = "Show a directory tree",
     .slow = true,
     .doc = "Shows a directory and everything below it as an indented tree with the sizes of "
            "files, and counts both; what git ignores is left out. Use it for an overview of a "
            "project or a part of it. Where "
            "there are more entries than limit, the upper levels are shown and each directory "
            "that was cut says how many more it has: then name a directory below, or give "
            "max_depth. It refuses a path that is not a directory.",
     .run = op_directory_tree,
     .reply = directory_tree_reply,
     .errors = ERRORS_OF_PATHS,
     PARAMS(directory_tree_params)},
    {.name = "get_file_info",
     .title = "Get facts about a file",
     .doc = "Gives information about one file or directory without showing its contents: type, "
            "size, times, permissions, whether it can be read and written, MIME type, encoding, "
            "line endings, the target of a link, and the version that a later edit can be "
            "checked against. Of a link to nothing, or out of the project root, it describes the "
            "link. Use it before you read a file that may be large or binary. It "
            "answers not-found where there is nothing, which tells whether a path exists, too.",
     .run = op_get_file_info,
     .reply = get_file_info_reply,
     .errors = ERRORS_OF_PATHS,
     PARAMS(path_params)},
    {.name = "file_exists",
     .title = "Ask whether a path exists",
     .doc = "Tells whether a path exists, and whether it is a file, a directory, a symbolic link "
            "to nothing or something else. Use it before you create or move a file where you are "
            "not sure. If there is nothing, that is an answer and not an error; a path outside the "
            "project root or under a restricted path is refused.",
     .run = op_file_exists,
     .reply = file_exists_reply,
     /* With these errors it answers that the path does not exist. */
     .errors =
         ERRORS_OF_PATHS & ~(ERROR_BIT(NOT_FOUND) | ERROR_BIT(NOT_A_DIRECTORY) | ERROR_BIT(LOOP)),
     PARAMS(path_params)},
};

const struct op_rows look_rows = {rows, COUNT(rows)};

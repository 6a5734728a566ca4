/* table_read.c -- rows of the table: reading and searching.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_rows.h"

/* -- reading ----------------------------------------------------------------------------------- */

static const struct param read_file_params[] = {
    PARAM("path", PATH, .required = true, .unless = "paths", .doc = "The text file to look at."),
    PARAM("paths", STRINGS, .doc = "Several files, instead of path and lines."),
    PARAM("start_line", INTEGER, .least = INT64_MIN, .most = INT64_MAX,
          .doc = "The first line, from 1; -20 shows the last 20."),
    PARAM("end_line", INTEGER, .least = INT64_MIN, .most = INT64_MAX,
          .doc = "The last line; -1 is the end."),
    PARAM("offset", INTEGER, .least = 0, .most = MANY,
          .doc = "Lines to skip, instead of start_line."),
    PARAM("limit", INTEGER, .least = 1, .most = MANY,
          .doc = "The most lines, instead of end_line."),
    PARAM("mode", CHOICE, .standard = "\"slice\"", .choices = "slice|indentation",
          .doc = "indentation shows each line's indentation in columns before it."),
    FLAG("line_numbers", "Show line numbers in the text."),
    PARAM("ranges", STRINGS, .doc = "Several ranges: [\"1-40\", \"200-\", \"-20\"]."),
    FLAG("version", "Show the version, for an edit or a later since."),
    PARAM("since", STRING, .doc = "A version you were shown: the reply is what changed since."),
    PARAM("encoding", STRING, .doc = "The charset, where detection would err."),
};

static const struct member range_members[] = {
    MEMBER(CONTENT, STRING, .optional = true, .doc = "The lines, exactly."),
    MEMBER(START_LINE, INTEGER, .doc = "The first line shown."),
    MEMBER(END_LINE, INTEGER, .doc = "The last line shown."),
    LAST_MEMBER,
};

/* Of a file that was read, in a call for it alone or for several. */
#define FACTS_OF_TEXT(...)                                                                         \
    MEMBER(START_LINE, INTEGER, __VA_ARGS__.doc = "The first line shown."),                        \
        MEMBER(END_LINE, INTEGER, __VA_ARGS__.doc = "The last line shown."),                       \
        MEMBER(TOTAL_LINES, INTEGER, __VA_ARGS__.nullable = true,                                  \
               .doc = "How many lines the file has; null where it was not read to its end."),      \
        MEMBER(OFFSET, INTEGER,                                                                    \
               __VA_ARGS__.doc = "The lines skipped before the first one shown."),                 \
        MEMBER(LIMIT, INTEGER, __VA_ARGS__.doc = "The most lines that were to be shown."),         \
        MEMBER(VERSION, DIGEST, __VA_ARGS__.nullable = true,                                       \
               .doc = "A hash of the contents: give it to a later edit."),                         \
        MEMBER(ENCODING, STRING, __VA_ARGS__.doc = "The charset, such as utf-8 or iso-8859-1."),   \
        MEMBER(LINE_ENDINGS, STRING, __VA_ARGS__.choices = "lf|crlf|mixed|cr|none",                \
               .doc = "How lines end."),                                                           \
        MEMBER(BOM, BOOLEAN,                                                                       \
               __VA_ARGS__.doc = "Whether the file begins with a byte order mark, "                \
                                 "which content leaves out."),                                     \
        MEMBER(LINKS, INTEGER, __VA_ARGS__.nullable = true,                                        \
               .doc = "How many names the file has, where it has more than one."),                 \
        CHANGED

static const struct member read_files_members[] = {
    SHOWN_PATH,
    MEMBER(ERROR, STRING, .optional = true, .doc = "Why it could not be read: the error's name."),
    MEMBER(MESSAGE, STRING, .optional = true, .doc = "The same in words."),
    MEMBER(HINT, STRING, .optional = true, .nullable = true, .doc = "What to try next."),
    MEMBER(CONTENT, STRING, .optional = true, .doc = "The lines, exactly."),
    MEMBER(TRUNCATED, BOOLEAN, .optional = true, .doc = "Whether there is more than is shown."),
    FACTS_OF_TEXT(.optional = true, ),
    LAST_MEMBER,
};

static const struct member read_file_reply[] = {
    MEMBER(PATH, PATH, .optional = true,
           .doc =
               "The canonical path, relative to the root; absent with paths, like all others but "
               "files and truncated."),
    MEMBER(FILES, LIST, .optional = true, LIST_OF_MAPS(read_files_members),
           .doc = "With paths: each of the files, in their order."),
    MEMBER(CONTENT, STRING, .optional = true,
           .doc = "The lines, exactly; absent where only the words were asked for."),
    MEMBER(RANGES, LIST, .optional = true, LIST_OF_MAPS(range_members),
           .doc = "With ranges: each of them, in place of content."),
    MEMBER(UNCHANGED, BOOLEAN, .optional = true,
           .doc = "With since: whether the file is as it was; if not, there is a diff."),
    MEMBER(DIFF, STRING, .optional = true, .doc = "With since: the hunks of a unified diff."),
    TRUNCATED,
    FACTS_OF_TEXT(.optional = true, ),
    LAST_MEMBER,
};

static const struct param read_bytes_params[] = {
    REQUIRED("path", PATH, "The file to look at."),
    NUMBER("offset", "0", 0, INT64_MAX, "Bytes to skip before the first one read."),
    PARAM("limit", INTEGER, .least = 1, .most = MANY, .doc = "The most bytes to read."),
};

static const struct member read_bytes_reply[] = {
    SHOWN_PATH,
    MEMBER(CONTENT, STRING, .doc = "The bytes, as base64."),
    MEMBER(SIZE, INTEGER, .doc = "The bytes of the whole file."),
    MEMBER(OFFSET, INTEGER, .doc = "The bytes skipped before the first one read."),
    MEMBER(LIMIT, INTEGER, .doc = "The most bytes that were to be read."),
    TRUNCATED,
    MEMBER(VERSION, DIGEST, .nullable = true,
           .doc = "A hash of the contents: give it to a later edit."),
    CHANGED,
    LAST_MEMBER,
};

/* -- searching --------------------------------------------------------------------------------- */

static const struct param search_files_params[] = {
    REQUIRED("pattern", STRING, "A glob: * within a name, ** across directories, ? one character."),
    BASE("The directory to search, relative to the project root."),
    EXCLUDE,
    WITH_IGNORED,
    NUMBER("limit", "1000", 1, MANY, "The most paths to show."),
};

static const struct member search_files_reply[] = {
    MEMBER(PATHS, LIST, LIST_OF(PATH),
           .doc = "The paths, sorted; empty where they came as they were found."),
    MEMBER(TOTAL, INTEGER, .doc = "How many files match in all."),
    TRUNCATED,
    UNREADABLE,
    CUT,
    IGNORED_COUNT,
    MEMBER(HINT, STRING, .optional = true,
           .doc = "What the pattern may have been meant to be, where nothing matched."),
    LAST_MEMBER,
};

static const struct param grep_files_params[] = {
    REQUIRED("pattern", STRING, "A regular expression (PCRE)."),
    BASE("The directory or file to search."),
    PARAM("paths", STRINGS, .lone = true, .doc = "Several of them, instead of path."),
    PARAM("include", STRINGS, .lone = true,
          .doc = "Only files matching one of these globs; without a slash, by name."),
    EXCLUDE,
    WITH_IGNORED,
    NUMBER("limit", "200", 1, MANY, "The most lines (or files) to show."),
    FLAG("ignore_case", "Ignore case."),
    FLAG("literal", "The pattern is plain text."),
    NUMBER("context", "0", 0, 100, "Lines to show around each match."),
    PARAM("before", INTEGER, .least = 0, .most = 100, .doc = "Lines before, instead of context."),
    PARAM("after", INTEGER, .least = 0, .most = 100, .doc = "Lines after, instead of context."),
    FLAG("multiline", "Let matches span lines; (?s) lets . match \\n."),
    PARAM("file_types", STRINGS, .lone = true,
          .doc = "Only files of these types: c, py, js, elisp, md ..."),
    PARAM("output", CHOICE, .standard = "\"content\"", .choices = "content|files|count",
          .doc = "Matching lines, files, or counts by file and extension."),
    PARAM("sort_by", CHOICE, .standard = "\"path\"", .choices = "path|count",
          .doc = "With output count: most first."),
};

static const struct member match_members[] = {
    SHOWN_PATH,
    MEMBER(LINE, INTEGER, .doc = "The number of the line, from 1."),
    MEMBER(END_LINE, INTEGER, .optional = true,
           .doc = "With multiline: the number of the last line of the match."),
    MEMBER(TEXT, STRING, .doc = "The line as it is; with multiline all lines of the match."),
    MEMBER(START, INTEGER,
           .doc = "Where the first match in the line begins, in characters from 0."),
    MEMBER(END, INTEGER, .doc = "Where the first match in the line ends, in characters from 0."),
    MEMBER(BEFORE, LIST, .optional = true, LIST_OF(STRING),
           .doc = "The lines before the match, as many as context asks for."),
    MEMBER(AFTER, LIST, .optional = true, LIST_OF(STRING),
           .doc = "The lines behind the match, as many as context asks for."),
    LAST_MEMBER,
};

static const struct member count_members[] = {
    SHOWN_PATH,
    MEMBER(COUNT, INTEGER, .doc = "How many lines of the file match."),
    LAST_MEMBER,
};

static const struct member grep_files_reply[] = {
    MEMBER(MATCHES, LIST, .optional = true, LIST_OF_MAPS(match_members),
           .doc = "With output content: the matching lines."),
    MEMBER(PATHS, LIST, .optional = true, LIST_OF(PATH),
           .doc = "With output files: the files that match."),
    MEMBER(COUNTS, LIST, .optional = true, LIST_OF_MAPS(count_members),
           .doc = "With output count: the files that match."),
    MEMBER(TOTAL, INTEGER, .doc = "How many lines (or files) were found, as far as was searched."),
    MEMBER(FILES, INTEGER, .doc = "How many files they are in."),
    TRUNCATED,
    MEMBER(SEARCHED, INTEGER, .optional = true,
           .doc = "How many files were searched, where the search came to its end."),
    MEMBER(BINARY, INTEGER, .optional = true,
           .doc = "How many files were left out because they are not text."),
    MEMBER(SECRET, INTEGER, .optional = true,
           .doc = "How many files were left out, in a model's search, because they are secret."),
    MEMBER(HINT, STRING, .optional = true,
           .doc = "What the pattern may have been meant to be, where nothing matched."),
    MEMBER(STOPPED, STRING, .optional = true, .choices = "limit",
           .doc = "Why the search ended early."),
    UNREADABLE,
    IGNORED_COUNT,
    MEMBER(UNDECIDED, INTEGER, .optional = true,
           .doc = "How many lines were too long or too complex to be searched as a whole."),
    LAST_MEMBER,
};

static const struct op rows[] = {
    {.name = "read_file",
     .title = "Read a file",
     .doc = "Shows a text file, or some lines of it, decoded to UTF-8. Use it before you edit a "
            "file: what an edit replaces must be copied from here, without line numbers. "
            "Without a range it shows the first 2000 lines, and says with which start_line to go "
            "on. With paths it shows several files, each under its name, or its own error. An edit "
            "that is given the version fails when the file has changed since; a read that is given "
            "it as since answers only what has changed. It refuses directories, devices, binary "
            "files, and a start behind the end of the file.",
     .run = op_read_file,
     .reply = read_file_reply,
     .errors = ERRORS_OF_READS | ERROR_BIT(BINARY) | ERROR_BIT(ENCODING) | ERROR_BIT(TOO_LARGE),
     PARAMS(read_file_params)},
    {.name = "read_bytes",
     .title = "Read bytes of a file",
     .doc = "Shows bytes of any file as base64. Use it for images, archives and other files that "
            "read_file refuses as binary, or to see the exact bytes of a text. A long file comes "
            "in pieces: the reply says with which offset to go on. It refuses directories, "
            "devices, and an offset behind the end of the file.",
     .run = op_read_bytes,
     .reply = read_bytes_reply,
     .errors = ERRORS_OF_READS,
     PARAMS(read_bytes_params)},
    {.name = "search_files",
     .title = "Find files by name",
     .slow = true,
     .doc =
         "Finds files whose path below a directory matches a glob, and answers their paths, "
         "sorted, relative to the project root. Use it when you know a part of the name: "
         "**/*.lisp finds at any depth, *.lisp in the directory itself only, src/**/test-* "
         "below src. Where three or more files of one directory follow each other, their names "
         "stand below its own, behind a space. It finds files and links to files, not directories, "
         "and "
         "leaves out what git ignores unless you give ignored. To search the contents of files use "
         "grep_files. If nothing matches, it answers an empty list and a hint, and not an error.",
     .run = op_search_files,
     .reply = search_files_reply,
     .errors = ERRORS_OF_PATHS,
     PARAMS(search_files_params)},
    {.name = "grep_files",
     .title = "Search the contents of files",
     .slow = true,
     .doc = "Searches the text files below a directory, or one file, for a regular expression, and "
            "answers each matching line with path and line number. Use it to find where a name is "
            "defined or used, before you read whole files; ^ with output files lists names. Each "
            "line is matched alone unless multiline is given. Binary files and what git ignores "
            "are left out and counted. It refuses a pattern that is not a regular expression.",
     .run = op_grep_files,
     .reply = grep_files_reply,
     .errors = ERRORS_OF_READS,
     PARAMS(grep_files_params)},
};

const struct op_rows read_rows = {rows, COUNT(rows)};

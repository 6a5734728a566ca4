/* SPDX-License-Identifier: MIT */
/* subjects.c -- the operations that are swept, and the project they change: see subjects.h. */
#include "subjects.h"

#include "world.h"

#include "records.h"
#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* -- the project ------------------------------------------------------------------------------ */

#define LINES "one\ntwo\nthree\nfour\nfive\n"

/* user::rw- user:1:r-- group::r-- mask::r-- other::--- */
static const unsigned char acl[] = {2,  0, 0, 0,                         //
                                    1,  0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    2,  0, 4, 0, 1,    0,    0,    0,    //
                                    4,  0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    16, 0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    32, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};

static void make_outside(void) {
    make_directory("outside");
    make_file_as("outside/secret", "outside\n", 0600);
    make_file_as("outside/twin", LINES, 0644);
}

static void make_project(void) {
    make_directory("root");
    make_file_as("root/a.txt", LINES, 0640);
    /* Where the file system or the user may not, there is that much less to keep. */
    (void)setxattr("root/a.txt", "user.k", "value", 5, 0);
    (void)setxattr("root/a.txt", "system.posix_acl_access", acl, sizeof acl, 0);
    make_file_as("root/b.txt", "b\n" LINES, 0755);
    (void)!chown("root/b.txt", 1234, 1235);
    make_file_as("root/c.txt", "c\n" LINES, 0644);
    make_file_as("root/bin", "\1\2\3", 0600);
    make_directory("root/d");
    make_file_as("root/d/x", "x\n", 0644);
    make_directory("root/d/sub");
    make_file_as("root/d/sub/y", "y\n", 0644);
    make_directory("root/d/sub/empty");
    make_link("root/d/up", "../a.txt");
    make_link("root/link", "a.txt");
    make_link("root/out", "../outside");
    must(link("outside/twin", "root/twin") == 0, "link");
}

/* So large that it is linked, and not copied, to be kept. */
static void make_large(void) {
    static char text[160000] = LINES;
    if (!text[sizeof LINES - 1])
        memset(text + sizeof LINES - 1, 'x', sizeof text - sizeof LINES);
    make_file_as("root/large.txt", text, 0640);
}

void reset(void) {
    world_clear();
    make_project();
}

/* -- the operations --------------------------------------------------------------------------- */

#define UNIFIED                                                                                    \
    "--- a/a.txt\\n+++ b/a.txt\\n@@ -1,3 +1,3 @@\\n one\\n-two\\n+2\\n three\\n"                   \
    "--- /dev/null\\n+++ b/new/dir/n.txt\\n@@ -0,0 +1 @@\\n+new\\n"                                \
    "diff --git a/b.txt b/b.txt\\ndeleted file mode 100755\\n--- a/b.txt\\n+++ /dev/null\\n"       \
    "@@ -1,6 +0,0 @@\\n-b\\n-one\\n-two\\n-three\\n-four\\n-five\\n"                               \
    "diff --git a/c.txt b/ren/c2.txt\\nrename from c.txt\\nrename to ren/c2.txt\\n"                \
    "--- a/c.txt\\n+++ b/ren/c2.txt\\n@@ -1,2 +1,2 @@\\n-c\\n+C\\n one\\n"

#define ENVELOPE                                                                                   \
    "*** Begin Patch\\n*** Update File: d/sub/y\\n@@\\n-y\\n+Y\\n*** Add File: d/n\\n+n\\n"        \
    "*** Delete File: d/x\\n*** Update File: c.txt\\n*** Move to: d/c\\n@@\\n-c\\n+C\\n"           \
    "*** End Patch\\n"

/* Patches that add so many files and change one: on disk as a whole; and in more than one window,
 * by several threads. */
#define MANY 18
#define WINDOWS 40
static char many[4096], windows[8192];

static void make_patch(char *out, size_t room, int files) {
    int n =
        snprintf(out, room, "{\"patch\":\"--- a/c.txt\\n+++ b/c.txt\\n@@ -1 +1 @@\\n-c\\n+C\\n");
    for (int i = 0; i < files; i++)
        n += snprintf(out + n, room - (size_t)n,
                      "--- /dev/null\\n+++ b/d/n%d/%d\\n@@ -0,0 +1 @@\\n+new\\n", i % 3, i);
    n += snprintf(out + n, room - (size_t)n, "\"}");
    must((size_t)n < room, "patch");
}

#define ALL "{\"calls\":[$all]}"
#define LAST "{\"calls\":[$last]}"

const struct subject subjects[] = {
    {"edit_file", "edit_file", "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}", NULL,
     true},
    {"edit_file-edits", "edit_file",
     "{\"path\":\"link\",\"edits\":[{\"old_str\":\"two\",\"new_str\":\"2\"},"
     "{\"old_str\":\"2\\nthree\",\"new_str\":\"23\"}]}",
     NULL, false},
    {"edit_file-hard-link", "edit_file",
     "{\"path\":\"twin\",\"old_str\":\"two\",\"new_str\":\"2\"}", NULL, false},
    {"edit_file-large", "edit_file",
     "{\"path\":\"large.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}", NULL, false},
    {"edit_form", "edit_form",
     "{\"path\":\"a.txt\",\"dialect\":\"scheme\",\"name\":\"two\",\"content\":\"2\"}", NULL, true},
    {"replace_in_files", "replace_in_files",
     "{\"pattern\":\"two\",\"replacement\":\"2\",\"include\":[\"*.txt\"]}", NULL, false},
    {"insert_at_line", "insert_at_line", "{\"path\":\"d/x\",\"content\":\"new\\n\",\"line\":1}",
     "{\"path\":\"d/x\",\"content\":\"new\\n\",\"line\":1}", false},
    {"create_file", "create_file", "{\"path\":\"p/q/r.txt\",\"content\":\"new\\n\"}", NULL, true},
    {"create_file-overwrite", "create_file",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"allow_overwrite\":true}",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"allow_overwrite\":true}", false},
    {"write_file-append", "write_file",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"mode\":\"append\"}",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"mode\":\"append\"}", false},
    {"write_bytes", "write_bytes", "{\"path\":\"bin\",\"content\":\"AAEC/w==\"}",
     "{\"path\":\"bin\",\"content\":\"AAEC/w==\"}", false},
    {"make_directory", "make_directory", "{\"path\":\"p/q/r\"}", "{\"path\":\"p/q/r\"}", false},
    {"move_file", "move_file", "{\"source\":\"b.txt\",\"destination\":\"p/b\"}", NULL, true},
    {"move_file-directory", "move_file", "{\"source\":\"d\",\"destination\":\"p/q/d\"}", NULL,
     false},
    {"move_file-overwrite", "move_file",
     "{\"source\":\"d/x\",\"destination\":\"c.txt\",\"allow_overwrite\":true}", NULL, true},
    {"copy_file", "copy_file", "{\"source\":\"a.txt\",\"destination\":\"p/a\"}", NULL, false},
    {"copy_file-overwrite", "copy_file",
     "{\"source\":\"b.txt\",\"destination\":\"a.txt\",\"allow_overwrite\":true}",
     "{\"source\":\"b.txt\",\"destination\":\"a.txt\",\"allow_overwrite\":true}", false},
    {"delete_file", "delete_file", "{\"path\":\"b.txt\"}", NULL, false},
    {"delete_file-link", "delete_file", "{\"path\":\"out\"}", NULL, false},
    {"delete_file-recursive", "delete_file", "{\"path\":\"d\",\"recursive\":true}", NULL, true},
    {"apply_patch", "apply_patch", "{\"patch\":\"" UNIFIED "\"}", NULL, true},
    {"apply_patch-envelope", "apply_patch", "{\"patch\":\"" ENVELOPE "\"}", NULL, false},
    {"apply_patch-many", "apply_patch", many, NULL, false},
    {"apply_patch-windows", "apply_patch", windows, NULL, false},
    {"changes_undo", "changes_undo", ALL, ALL, true},
    {"changes_undo-tree", "changes_undo", ALL, ALL, true},
    {"changes_undo-edits", "changes_undo", ALL, ALL, false},
    {"changes_undo-large", "changes_undo", ALL, ALL, false},
    {"changes_undo-undo", "changes_undo", LAST, NULL, false},
};

const size_t subject_count = sizeof subjects / sizeof *subjects;

/* The calls, in that order, before a subject begins. */
static const struct {
    const char *subject, *op, *args;
} earlier[] = {
    {"changes_undo", "apply_patch", "{\"patch\":\"" UNIFIED "\"}"},
    {"changes_undo-tree", "delete_file", "{\"path\":\"d\",\"recursive\":true}"},
    {"changes_undo-edits", "edit_file",
     "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}"},
    {"changes_undo-edits", "edit_file",
     "{\"path\":\"a.txt\",\"old_str\":\"four\",\"new_str\":\"4\"}"},
    {"changes_undo-large", "edit_file",
     "{\"path\":\"large.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}"},
    {"changes_undo-undo", "move_file", "{\"source\":\"d\",\"destination\":\"p/q/d\"}"},
    {"changes_undo-undo", "changes_undo", LAST},
    {"changes_accept", "write_file", "{\"path\":\"c.txt\",\"content\":\"new\\n\"}"},
    {"changes_forget", "write_file", "{\"path\":\"c.txt\",\"content\":\"new\\n\"}"},
};

static void do_earlier(aqfs_workspace *ws, const char *op, const char *args) {
    aqfs_reply *r = ask_as(ws, op, arguments(args), AQFS_SEXP);
    must(r && !aqfs_reply_error(r), r ? aqfs_reply_text(r, NULL) : op);
    aqfs_reply_free(r);
}

void reset_for(const char *subject) {
    reset();
    if (strstr(subject, "-large"))
        make_large();
    aqfs_workspace *ws = NULL;
    for (size_t i = 0; i < sizeof earlier / sizeof *earlier; i++)
        if (strcmp(earlier[i].subject, subject) == 0) {
            ws = ws ? ws : open_workspace("auto");
            do_earlier(ws, earlier[i].op, earlier[i].args);
        }
    aqfs_free(ws);
}

const char *arguments(const char *args) {
    static char *text;
    free(text);
    text = with_records(args, "state");
    return text;
}

void start_subjects(void) {
    make_outside();
    make_project();
    make_patch(many, sizeof many, MANY);
    make_patch(windows, sizeof windows, WINDOWS);
}

long step_of(const struct subject *subject) {
    return subject->args == many ? 7 : subject->args == windows ? 31 : 1;
}

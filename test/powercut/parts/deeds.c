/* deeds.c -- what is done until power is lost: see deeds.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "deeds.h"

#include "../../fault/parts/subjects.h"
#include "../../fault/parts/world.h"
#include "recorder.h"

#include "buf.h"
#include "records.h"
#include "request.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- patches ------------------------------------------------------------------------------------
 */

/* The file of that number, which begin_deed makes. */
static char *name_of_file(int number, bool apart) {
    return path_of(apart ? "several/%d/f" : "several/%d", number);
}

/* Changes so many of these files. */
static const char *patch_of(int files, bool apart) {
    static char texts[4][16384];
    static size_t n;
    struct buf out = {.data = texts[n++], .cap = sizeof *texts};
    buf_str(&out, "{\"patch\":\"");
    for (int i = 0; i < files; i++) {
        char *name = name_of_file(i, apart);
        buf_printf(&out, "--- a/%s\\n+++ b/%s\\n@@ -1,2 +1,2 @@\\n-old %d\\n+new %d\\n same\\n",
                   name, name, i, i);
        free(name);
    }
    buf_str(&out, "\"}");
    must(out.len < sizeof *texts, "a short patch");
    return out.data;
}

static void make_several(const struct deed *deed) {
    for (int i = 0; i < deed->several; i++) {
        char *name = name_of_file(i, deed->apart), *path = path_of("root/%s", name);
        char *text = path_of("old %d\nsame\n", i);
        make_file_as(path, text, 0644);
        free(path), free(text), free(name);
    }
}

/* -- deeds that are not subjects of the other campaigns ------------------------------------------
 */

#define EDIT(path, old, new)                                                                       \
    { "edit_file", "{\"path\":\"" path "\",\"old_str\":\"" old "\",\"new_str\":\"" new "\"}" }
#define CREATE(path, text)                                                                         \
    { "create_file", "{\"path\":\"" path "\",\"content\":\"" text "\"}" }
#define DELETE(path)                                                                               \
    { "delete_file", "{\"path\":\"" path "\",\"recursive\":true}" }
#define MOVE(from, to)                                                                             \
    { "move_file", "{\"source\":\"" from "\",\"destination\":\"" to "\"}" }

#define MOVE_ONTO(from, to)                                                                        \
    { "move_file", "{\"source\":\"" from "\",\"destination\":\"" to "\",\"allow_overwrite\":true}" }
#define PATCH                                                                                      \
    {                                                                                              \
        "apply_patch",                                                                             \
            "{\"patch\":\"--- a/c.txt\\n+++ b/c.txt\\n@@ -1,2 +1,2 @@\\n-c\\n+C\\n one\\n"         \
            "--- a/d/x\\n+++ b/d/x\\n@@ -1 +1 @@\\n-x\\n+X\\n\"}"                                  \
    }
#define UNDO                                                                                       \
    { "changes_undo", "{\"calls\":[$last]}" }
#define ONE(...) .requests = {__VA_ARGS__}, .requests_n = 1
#define TWO(...) .requests = {__VA_ARGS__}, .requests_n = 2

static const struct deed further[] = {
    {.name = "edit_file-long", ONE(EDIT("long.txt", "line 70\\n", "70\\n"))},
    {.name = "edit-twice", TWO(EDIT("a.txt", "two", "2"), EDIT("a.txt", "three", "3"))},
    {.name = "create-then-edit", TWO(CREATE("n", "new\\n"), EDIT("n", "new", "old"))},
    {.name = "delete-then-create", TWO(DELETE("b.txt"), CREATE("b.txt", "new\\n"))},
    {.name = "move-and-back", TWO(MOVE("c.txt", "d/c"), MOVE("d/c", "c.txt"))},
    {.name = "edit-then-move", TWO(EDIT("a.txt", "two", "2"), MOVE_ONTO("d/x", "c.txt"))},
    {.name = "patch-then-edit", TWO(PATCH, EDIT("a.txt", "two", "2"))},
    {.name = "edit-then-undo", TWO(EDIT("a.txt", "two", "2"), UNDO)},
    {.name = "move-then-undo", TWO(MOVE("d", "p/q/d"), UNDO)},
    {.name = "changes_accept", ONE({"changes_accept", "{\"calls\":[$all]}"})},
    {.name = "changes_forget", ONE({"changes_forget", "{\"calls\":[$all]}"})},
    {.name = "snapshot_create", ONE({"snapshot_create", "{}"})},
    {.name = "snapshot_create-second", ONE({"snapshot_create", "{}"}), .snapshots = 1},
    {.name = "snapshot_restore", ONE({"snapshot_restore", "{\"id\":\"$0\"}"}), .snapshots = 1},
    {.name = "snapshot_restore-undo",
     ONE({"snapshot_restore", "{\"id\":\"$0..$1\"}"}),
     .snapshots = 2},
    {.name = "snapshot_prune",
     ONE({"snapshot_prune", "{\"keep\":1}"}),
     .snapshots = 3,
     .forgotten = 2},
};

#define FURTHER (sizeof further / sizeof *further)
#define DEEDS_MOST 64

struct deed deeds[DEEDS_MOST];
size_t deeds_n;

static void add_deed(const char *name, const char *after, struct deed deed) {
    must(deeds_n < DEEDS_MOST, "room for deeds");
    snprintf(deed.name, sizeof deed.name, "%s%s", name, after);
    deeds[deeds_n++] = deed;
}

static void add_patch(const char *name, int files, bool apart) {
    struct deed deed = {.requests = {{"apply_patch", patch_of(files, apart)}},
                        .requests_n = 1,
                        .several = files,
                        .apart = apart};
    add_deed(name, "", deed);
    deed.busy = true;
    if (files > 3 && !apart)
        add_deed(name, "-one-by-one", deed);
}

void start_deeds(void) {
    start_subjects();
    for (size_t i = 0; i < subject_count; i++) {
        struct deed deed = {.subject = subjects[i].name,
                            .requests = {{subjects[i].op, subjects[i].args}},
                            .requests_n = 1};
        add_deed(subjects[i].name, "", deed);
        deed.plain = true;
        if (subjects[i].plain)
            add_deed(subjects[i].name, "-plain", deed);
    }
    add_patch("patch-1", 1, false);
    add_patch("patch-3", 3, false);
    add_patch("patch-40", 40, false);
    add_patch("patch-65-directories", 65, true);
    for (size_t i = 0; i < FURTHER; i++)
        add_deed(further[i].name, "", further[i]);
}

/* -- snapshots ----------------------------------------------------------------------------------
 */

struct snapshots snapshots;

void note_snapshot(const char *reply, const char *key, const char *held) {
    json_t *json = reply ? json_loads(reply, 0, NULL) : NULL;
    const char *id = json_string_value(json_object_get(json, key));
    if (id) {
        must(snapshots.n < SNAPSHOTS_MOST, "room for snapshots");
        snprintf(snapshots.ids[snapshots.n], sizeof *snapshots.ids, "%s", id);
        snapshots.held[snapshots.n++] = path_of("%s", held);
    }
    json_decref(json);
}

void forget_snapshots(void) {
    for (size_t i = 0; i < snapshots.n; i++)
        free(snapshots.held[i]);
    snapshots.n = 0;
}

static void change_project(int turn) {
    make_file_as("root/a.txt", turn % 2 ? "back\n" : "changed\n", 0640);
    remove_all("root/d");
    make_file_as("root/since", "since\n", 0600);
}

static void take_snapshots(int n) {
    aqfs_workspace *ws = n > 0 ? open_workspace("auto") : NULL;
    for (int i = 0; i < n; i++) {
        char *held = picture_of("root", false, true);
        aqfs_reply *reply = ask_as(ws, "snapshot_create", "{}", AQFS_JSON);
        note_snapshot(aqfs_reply_text(reply, NULL), "id", held);
        aqfs_reply_free(reply);
        free(held);
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* the next is younger */
        if (i < n - 1 || n == 1)
            change_project(i);
    }
    aqfs_free(ws);
}

/* The file has been there for some hours. */
static void make_older(const char *path) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 7200}};
    struct names names = names_below(path);
    for (size_t i = 0; i < names.n; i++) {
        char *below = path_of("%s/%s", path, names.names[i]);
        struct stat s;
        must(lstat(below, &s) == 0 && utimensat(AT_FDCWD, below, times, AT_SYMLINK_NOFOLLOW) == 0,
             below);
        if (S_ISDIR(s.st_mode))
            make_older(below);
        free(below);
    }
    free_names(&names);
}

/* -- beginning ----------------------------------------------------------------------------------
 */

void begin_deed(const struct deed *deed) {
    char text[2048];
    size_t n = 0;
    forget_snapshots();
    reset_for(deed->subject ? deed->subject : deed->name);
    for (int i = 0; i < 150; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "line %d\n", i);
    make_file_as("root/long.txt", text, 0644);
    make_several(deed);
    if (access("root/d", F_OK) == 0)
        must(chmod("root/d", 0750) == 0 && chmod("root/d/sub/empty", 0711) == 0, "chmod");
    take_snapshots(deed->snapshots);
    make_older("root");
    make_older("state");
    powercut_machine.much_waits = deed->busy;
    powercut_machine.plain_renames = deed->plain;
}

char *arguments_of(const struct request *request) {
    struct buf out = {0};
    char *args = with_records(request->args, "state");
    buf_str(&out, "");
    for (const char *c = args; *c; c++) {
        size_t snapshot = *c == '$' ? (size_t)(c[1] - '0') : SNAPSHOTS_MOST;
        if (snapshot < snapshots.n) {
            buf_str(&out, snapshots.ids[snapshot]);
            c++;
        } else {
            buf_char(&out, *c);
        }
    }
    free(args);
    return out.data;
}

/* SPDX-License-Identifier: MIT */
/* race.c -- reading and writing while another process swaps directories.
 *
 *     race ROUNDS
 *
 * The root holds a directory `d`, and what takes its place (place.h): a link to a directory
 * outside, one to a restricted directory inside, and one to `.git`; a bare repository; and a
 * directory of the repository that `d` is a working tree in, by a pointer file.  A renaming process
 * exchanges `d` with one of them without pause, while every reading operation looks at `d` ROUNDS
 * times in all.  At any moment, a reply may show what is in `d` or an error, never a word of
 * what is outside or restricted.  Readers may look into repositories, and do without them.
 *
 * Then the same with every operation that changes something: nothing outside, in a repository's
 * own directory or restricted may have changed, nor come into the root or into the records of what
 * was replaced, and nothing temporary may be left (threats 139 and 154).
 *
 * A test that cannot fail proves nothing: three readers with a known hole
 * (mutants.h) must each be caught within 100,000 rounds, and a run in which
 * fewer than one call in a hundred succeeded counts as failed.
 */
#include "parts/mutants.h"
#include "parts/place.h"

#include "aqfs.h"
#include "die.h"
#include "files.h"
#include "picture.h"
#include "records.h"
#include "request.h"
#include "select.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tens of thousands on one busy processor, hundreds on two free ones. */
#define MUTANT_ROUNDS 100000
/* How often a subject is raced that gave no answer. */
#define TRIES 40
#define MOST_REFUSALS 16 /* of one step, then the next one is tried */
#define STEPS 4
#define LINGER 80
#define REPLY_KEPT 65536

/* A subject of the race: a request, or a reader with a hole. */
struct subject {
    const char *name;
    const char *request;
    const char *leak; /* what else in a reply would be one, or NULL */
    /* Puts the content of ROOT/PATH or ":error" into REPLY. */
    void (*mutant)(const char *root, const char *path, char *reply, size_t room);
    const char *link; /* the swap that a mutant falls for */
};

static const char *const resolvers[] = {"openat2", "fallback"};
#define RESOLVERS (sizeof resolvers / sizeof *resolvers)
static int passed, failed;
static long raced;

/* -- what is raced ---------------------------------------------------------------------------- */

static aqfs_workspace *open_workspace(const char *resolver) {
    char *options =
        path_of("{\"root\":\"%s/root\",\"restricted_paths\":[\"restricted\"],\"resolver\":\"%s\","
                "\"state_dir\":\"%s/state\",\"limits\":{\"threads\":1,\"kept_calls\":9}}",
                base, resolver, base);
    aqfs_workspace *ws = open_options(options);
    free(options);
    return ws;
}

static void call_operation(aqfs_workspace *ws, const char *request, char *reply, size_t room) {
    char *filled = with_records(request, "state");
    aqfs_reply *r = aqfs_call(ws, filled, strlen(filled), NULL);
    must(r != NULL, "aqfs_call");
    snprintf(reply, room, "%s", aqfs_reply_text(r, NULL));
    aqfs_reply_free(r);
    free(filled);
}

static bool leaks(const struct subject *s, const char *reply) {
    static const char *const signs[] = {
        MARK_OUTSIDE,    "T1VUU0lERS1NQVJL", "rw----r--", /* as text, base64 and mode */
        MARK_RESTRICTED, "UkVTVFJJQ1QtTVJL", "rw-r-----",
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(reply, signs[i]))
            return true;
    return s->leak && strstr(reply, s->leak);
}

struct counts {
    long rounds, successes, leaks, first_leak;
};

/* Rounds until ROUNDS, or until a mutant has leaked. */
static struct counts race(const struct subject *s, aqfs_workspace *ws, const char *link,
                          long rounds, unsigned longest) {
    static char reply[REPLY_KEPT];
    struct counts c = {.first_leak = -1};
    char *root = path_of("%s/root", base);
    pid_t renamer = start_renamer(link, longest);
    while (c.rounds < rounds && !(s->mutant && c.leaks > 0)) {
        if (s->mutant)
            s->mutant(root, "d/f", reply, sizeof reply);
        else
            call_operation(ws, s->request, reply, sizeof reply);
        if (leaks(s, reply))
            c.first_leak = c.leaks++ ? c.first_leak : c.rounds;
        else if (!strstr(reply, ":error"))
            c.successes++;
        c.rounds++;
    }
    stop_renamer(renamer, link);
    raced += c.rounds;
    free(root);
    return c;
}

static void count(bool ok) {
    *(ok ? &passed : &failed) += 1;
}

/* On a busy machine the renamer may not have run beside the rounds: that says nothing yet. */
static bool enough(const struct counts *c) {
    return c->leaks > 0 || c->successes * 100 >= c->rounds;
}

/* Of ROUNDS, those of one of the ways: N swaps, and two ways to open a path. */
static long rounds_of(long rounds, size_t n) {
    long ways = (long)(n * RESOLVERS);
    return (rounds + ways - 1) / ways;
}

static void race_operation(const struct subject *s, const char *resolver, const char *link,
                           long rounds) {
    aqfs_workspace *ws = open_workspace(resolver);
    struct counts c = race(s, ws, link, rounds, 0);
    /* A call that looks several times may always meet a swap: then these come a little less often.
     */
    for (unsigned i = 1; i < TRIES && !enough(&c); i++)
        c = race(s, ws, link, rounds, i % 5 * LINGER / 5);
    bool ok = c.leaks == 0 && enough(&c);
    aqfs_free(ws);
    printf("RACE %-14s %-8s %-6s rounds %ld successes %ld leaks %ld %s\n", s->name, resolver, link,
           c.rounds, c.successes, c.leaks, ok ? "ok" : "FAILED");
    count(ok);
}

static void race_mutant(const struct subject *s) {
    struct counts c = race(s, NULL, s->link, MUTANT_ROUNDS, 0);
    for (int i = 1; i < TRIES && c.leaks == 0; i++)
        c = race(s, NULL, s->link, MUTANT_ROUNDS, 0);
    printf("MUTANT %-28s %-6s %s in round %ld\n", s->name, s->link,
           c.leaks ? "caught" : "NOT CAUGHT", c.first_leak);
    count(c.leaks > 0);
}

#define CALL(op, path, rest) "{\"op\":\"" op "\",\"args\":{\"path\":\"" path "\"" rest "}}"

static const struct subject operations[] = {
    {.name = "list_directory", .request = CALL("list_directory", "d", ",\"depth\":3")},
    {.name = "list_dir", .request = CALL("list_dir", "d", "")},
    {.name = "directory_tree", .request = CALL("directory_tree", "d", "")},
    {.name = "get_file_info", .request = CALL("get_file_info", "d/f", "")},
    {.name = "file_exists", .request = CALL("file_exists", "d/only", ""), .leak = ":exists t"},
    {.name = "read_file", .request = CALL("read_file", "d/sub/f", "")},
    {.name = "read_bytes", .request = CALL("read_bytes", "d/f", "")},
    {.name = "search_files", .request = CALL("search_files", "d", ",\"pattern\":\"**/*\"")},
    {.name = "grep_files", .request = CALL("grep_files", "d", ",\"pattern\":\"common\"")},
    {.name = "list_forms", .request = CALL("list_forms", "d/sub/f", ",\"dialect\":\"scheme\"")},
    {.name = "read_form",
     .request = CALL("read_form", "d/sub/f", ",\"dialect\":\"scheme\",\"line\":1")},
};

static const struct subject mutants[] = {
    {.name = "realpath-then-open", .mutant = realpath_then_open, .link = "out"},
    {.name = "beneath-on-original-path", .mutant = beneath_on_original, .link = "hidden"},
    {.name = "fallback-without-nofollow", .mutant = steps_without_nofollow, .link = "out"},
    {.name = "fallback-without-nofollow", .mutant = steps_without_nofollow, .link = "hidden"},
};

/* -- changes ---------------------------------------------------------------------------------- */

#define CHANGE(op, args) "{\"op\":\"" op "\",\"authority\":\"dangerous\",\"args\":{" args "}}"
#define REPLACE(old, new)                                                                          \
    CHANGE("edit_file", "\"path\":\"d/f\",\"old_str\":\"" old "\",\"new_str\":\"" new "\"")
#define REPLACE_FORM(old, new)                                                                     \
    CHANGE("edit_form",                                                                            \
           "\"path\":\"d/f\",\"dialect\":\"scheme\",\"name\":\"" old "\",\"content\":\"" new "\"")
#define RENAME(old, new)                                                                           \
    CHANGE("replace_in_files", "\"path\":\"d\",\"include\":[\"f\"],\"expected_replacements\":2,"   \
                               "\"pattern\":\"" old "\",\"replacement\":\"" new "\"")
#define MOVE(op, from, to)                                                                         \
    CHANGE(op, "\"source\":\"" from "\",\"destination\":\"" to "\",\"allow_overwrite\":true")
#define WRITE(op, path, content, more)                                                             \
    CHANGE(op, "\"path\":\"" path "\",\"content\":\"" content "\"" more)
#define REMOVE(path) CHANGE("delete_file", "\"path\":\"" path "\",\"recursive\":true")
#define UNDO CHANGE("changes_undo", "\"calls\":[$last]")
#define PATCH(from, to, more)                                                                      \
    CHANGE("apply_patch",                                                                          \
           "\"patch\":\"--- a/d/sub/f\\n+++ b/d/sub/f\\n@@ -1 +1 @@\\n-INSIDE--MARK " from         \
           "\\n+INSIDE--MARK " to "\\n" more "\"")

/* One after another, each when the one before it has succeeded: the last leads back to the first.
 */
struct changing {
    const char *name;
    const char *requests[STEPS];
};

/* More files than one thread puts into place: that takes long, as long must nobody disturb it now
 * and then. */
#define MANY 40
#define LONGER 100
static char add_many[8192], remove_many[8192];

static void make_patch(char *out, size_t room, const char *section) {
    int n = snprintf(out, room,
                     "{\"op\":\"apply_patch\",\"authority\":\"dangerous\","
                     "\"args\":{\"patch\":\"");
    for (int i = 0; i < MANY; i++)
        n += snprintf(out + n, room - (size_t)n, section, i);
    n += snprintf(out + n, room - (size_t)n, "\"}}");
    must((size_t)n < room, "patch");
}

static const struct changing changes[] = {
    {"edit_file", {REPLACE("common", "COMMON"), REPLACE("COMMON", "common")}},
    {"edit_form", {REPLACE_FORM("common", "COMMON"), REPLACE_FORM("COMMON", "common")}},
    {"replace_in_files", {RENAME("common", "COMMON"), RENAME("COMMON", "common")}},
    {"insert_at_line",
     {WRITE("insert_at_line", "d/f", "new\\n", ",\"line\":0"), REPLACE("new\\n", "")}},
    {"create_file",
     {WRITE("create_file", "d/new/n", "n", ""), WRITE("create_file", "d/only", "n", ""),
      REMOVE("d/new"), REMOVE("d/only")}},
    {"write_file",
     {WRITE("write_file", "d/f", "more\\n", ",\"mode\":\"append\""),
      WRITE("write_file", "d/f", "INSIDE--MARK common\\n", "")}},
    {"write_bytes",
     {WRITE("write_bytes", "d/f", "AAEC", ""),
      WRITE("write_bytes", "d/f", "SU5TSURFLS1NQVJLIGNvbW1vbgo=", "")}},
    {"make_directory", {CHANGE("make_directory", "\"path\":\"d/p/q\""), REMOVE("d/p")}},
    {"move_file", {MOVE("move_file", "d/f", "g"), MOVE("move_file", "g", "d/f")}},
    {"move_file-in", {MOVE("move_file", "d/f", "d/sub/g"), MOVE("move_file", "d/sub/g", "d/f")}},
    {"move_file-over", {MOVE("copy_file", "d/f", "h"), MOVE("move_file", "h", "d/f")}},
    {"move_file-tree", {MOVE("move_file", "d/sub", "s"), MOVE("move_file", "s", "d/sub")}},
    {"copy_file", {MOVE("copy_file", "d/f", "g"), MOVE("copy_file", "g", "d/f")}},
    {"delete_file",
     {REMOVE("d/sub/f"), WRITE("create_file", "d/sub/f", "INSIDE--MARK common\\n", "")}},
    {"delete_file-tree",
     {REMOVE("d/sub"), WRITE("create_file", "d/sub/f", "INSIDE--MARK common\\n", ""),
      WRITE("create_file", "d/sub/" MARK_INSIDE, "INSIDE--MARK common\\n", "")}},
    {"apply_patch",
     {PATCH("common", "COMMON", "--- /dev/null\\n+++ b/d/only\\n@@ -0,0 +1 @@\\n+new\\n"),
      PATCH("COMMON", "common", "--- a/d/only\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-new\\n")}},
    {"apply_patch-many", {add_many, remove_many}},
    {"changes_undo", {REPLACE("common", "COMMON"), UNDO}},
    {"changes_undo-new", {WRITE("create_file", "d/new/n", "n", ""), UNDO, REMOVE("d/new")}},
    {"changes_undo-tree", {REMOVE("d/sub"), UNDO}},
    {"changes_undo-move", {MOVE("move_file", "d/sub", "d/p/q"), UNDO, UNDO, UNDO}},
};

static bool takes_long(const struct changing *s) {
    return s->requests[0] == add_many;
}

static size_t step_after(const struct changing *s, size_t step) {
    return step + 1 < STEPS && s->requests[step + 1] ? step + 1 : 0;
}

static struct counts race_change(const struct changing *s, aqfs_workspace *ws, const char *link,
                                 long rounds, const char *before) {
    static char reply[REPLY_KEPT];
    struct counts c = {.first_leak = -1};
    size_t step = 0, refused = 0;
    pid_t renamer = start_renamer(link, takes_long(s) ? LONGER * LINGER : LINGER);
    for (; c.rounds < rounds && !c.leaks; c.rounds++) {
        call_operation(ws, s->requests[step], reply, sizeof reply);
        /* Where the directory could not be opened once more to sync it, the change is made. */
        if (!strstr(reply, ":error") || strstr(reply, ":durability-unknown")) {
            c.successes++;
            refused = 0;
            step = step_after(s, step);
        } else {
            /* An undo may have found that nothing is left while `d` was away: then the file is
             * there already when it is to be created. */
            if (++refused % MOST_REFUSALS == 0)
                step = step_after(s, step);
            (void)sched_yield(); /* where there are few processors, the renamer may be waiting */
        }
        bool look = c.rounds % 256 == 255 || c.rounds + 1 == rounds;
        char *now = look ? untouchable() : NULL;
        if (leaks(&(struct subject){0}, reply) || (look && strcmp(now, before) != 0)) {
            c.leaks++;
            c.first_leak = c.rounds;
            printf("  round %ld: %.300s\n", c.rounds, reply);
        }
        free(now);
    }
    stop_renamer(renamer, link);
    raced += c.rounds;
    return c;
}

/* A writer that asks where a path leads and then goes there must be caught. */
static void race_path_writer(const char *link) {
    char *path = path_of("%s/root/d/f", base), *before = untouchable();
    pid_t renamer = start_renamer(link, LINGER);
    long round = 0;
    bool caught = false;
    for (; !caught && round < TRIES * MUTANT_ROUNDS; round++) {
        char *real = realpath(path, NULL);
        if (round > MUTANT_ROUNDS / 5)
            (void)sched_yield(); /* both may have to share one processor */
        int fd = real && strstr(real, "/root/d/") ? open(path, O_WRONLY | O_CLOEXEC) : -1;
        if (fd >= 0) {
            char *now;
            must(pwrite(fd, "R", 1, 0) == 1 && close(fd) == 0, "pwrite");
            now = untouchable();
            caught = strcmp(now, before) != 0;
            free(now);
        }
        free(real);
    }
    stop_renamer(renamer, link);
    printf("MUTANT %-28s %-6s %s in round %ld\n", "realpath-then-write", link,
           caught ? "caught" : "NOT CAUGHT", round);
    count(caught);
    free(path), free(before);
    restore_place();
}

static void race_changing(const struct changing *s, const char *resolver, const char *link,
                          long rounds) {
    aqfs_workspace *ws = open_workspace(resolver);
    char *before = untouchable();
    if (takes_long(s))
        rounds = rounds / MANY + 1;
    struct counts c = race_change(s, ws, link, rounds, before);
    for (int i = 1; i < TRIES && !enough(&c); i++) {
        restore_place();
        c = race_change(s, ws, link, rounds, before);
    }
    c.leaks += has_come_in(MARK_OUTSIDE) || has_come_in(MARK_RESTRICTED);
    c.leaks += was_kept(MARK_OUTSIDE) || was_kept(MARK_RESTRICTED);
    aqfs_free(ws);
    aqfs_free(open_workspace(resolver)); /* puts back what a commit could not */
    bool clean = !has_come_in(".aqfs-");
    bool ok = c.leaks == 0 && clean && enough(&c);
    printf("RACE %-16s %-8s %-6s rounds %ld successes %ld effects %ld%s %s\n", s->name, resolver,
           link, c.rounds, c.successes, c.leaks, clean ? "" : ", a temporary name is left",
           ok ? "ok" : "FAILED");
    count(ok);
    free(before);
    restore_place();
}

/* The operations, and the mutants among readers, are tried before anything is changed. */
static void race_readers(long rounds) {
    long each = rounds_of(rounds, SWAPS_OF_READERS);
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++)
        if (is_selected("mutant/%s", mutants[i].name))
            race_mutant(&mutants[i]);
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t i = 0;
             i < RESOLVERS * SWAPS_OF_READERS && is_selected("race/%s", operations[o].name); i++)
            race_operation(&operations[o], resolvers[i / SWAPS_OF_READERS],
                           swaps[i % SWAPS_OF_READERS], each);
}

/* Does it put something beside `d`?  There nothing is written where the root is a repository. */
static bool leaves_d(const struct changing *s) {
    static const char word[] = "\"destination\":\"";
    const char *to = strstr(s->requests[0], word);
    return to && strncmp(to + sizeof word - 1, "d/", 2) != 0;
}

static void race_one_writer(const struct changing *s, const char *resolver, long rounds) {
    size_t n = leaves_d(s) ? SWAPS - 1 : SWAPS;
    for (size_t i = 0; i < n; i++)
        race_changing(s, resolver, swaps[i], rounds_of(rounds, n));
}

static void race_writers(long rounds) {
    for (size_t i = 0; i < 2 && is_selected("mutant/realpath-then-write"); i++)
        race_path_writer(swaps[i]);
    for (size_t o = 0; o < sizeof changes / sizeof *changes; o++)
        for (size_t i = 0; i < RESOLVERS && is_selected("race/%s", changes[o].name); i++)
            race_one_writer(&changes[o], resolvers[i], rounds);
}

int main(int argc, char **argv) {
    long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (rounds <= 0) {
        fprintf(stderr, "usage: race ROUNDS\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_place();
    make_patch(add_many, sizeof add_many,
               "diff --git a/d/sub/%1$d b/d/sub/%1$d\\nnew file mode 100644\\n"
               "--- /dev/null\\n+++ b/d/sub/%1$d\\n@@ -0,0 +1 @@\\n+new\\n");
    make_patch(remove_many, sizeof remove_many,
               "diff --git a/d/sub/%1$d b/d/sub/%1$d\\ndeleted file mode 100644\\n"
               "--- a/d/sub/%1$d\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-new\\n");
    race_readers(rounds);
    race_writers(rounds);
    remove_place();
    printf("rounds: %ld\n%d passed, %d failed\n", raced, passed, failed);
    return failed > 0;
}

/* race.c -- reading while another process swaps directories.
 *
 *     race ROUNDS
 *
 * The root holds a plain directory `d`, a link `out` to a directory outside and
 * a link `hidden` to a restricted directory inside.  A renaming process
 * exchanges `d` with one of the links without pause, while every reading
 * operation looks at `d` ROUNDS times.  Whatever the moment, a reply may show
 * what is in `d` or an error, never a word of what is outside or restricted.
 *
 * A test that cannot fail proves nothing: three readers with a known hole
 * (mutants.h) must each be caught within 20,000 rounds, and a run in which
 * fewer than one call in a hundred succeeded counts as failed.
 */
#include "aqfs.h"
#include "mutants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUTANT_ROUNDS 20000
#define REPLY_KEPT 65536

/* Twelve bytes each, at the start of every file of its directory, and a name there. */
#define MARK_INSIDE "INSIDE--MARK"
#define MARK_OUTSIDE "OUTSIDE-MARK"
#define MARK_RESTRICTED "RESTRICT-MRK"

/* What is raced: a request, or a reader with a hole. */
struct subject {
    const char *name;
    const char *request;
    const char *leak; /* what else in a reply would be one, or NULL */
    /* Puts the content of ROOT/PATH or ":error" into REPLY. */
    void (*mutant)(const char *root, const char *path, char *reply, size_t room);
    const char *link; /* the swap that a mutant falls for */
};

static char base[] = "/tmp/aqfs-race-XXXXXX";
static int passed, failed;

static void must(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "race: %s: %s\n", what, strerror(errno));
    exit(2);
}

static char *join(const char *directory, const char *name) {
    char *path = NULL;
    must(asprintf(&path, "%s/%s", directory, name) >= 0, "memory");
    return path;
}

/* -- the tree --------------------------------------------------------------------------------- */

static void make_directory(const char *path) {
    must(mkdir(path, 0755) == 0, path);
}

static void make_file(const char *directory, const char *name, const char *content) {
    char *path = join(directory, name);
    FILE *f = fopen(path, "w");
    must(f != NULL, path);
    must(fputs(content, f) >= 0, path);
    must(fclose(f) == 0, path);
    free(path);
}

/* The same names everywhere, so that a swap is never betrayed by a missing file; marked are the
 * contents, one name, and the files' MODE. */
static void fill(const char *directory, const char *mark, mode_t mode) {
    char *below = join(directory, "sub"), *f = join(directory, "f");
    char content[64];
    snprintf(content, sizeof content, "%s common\n", mark);
    make_directory(directory);
    make_directory(below);
    make_file(directory, "f", content);
    make_file(directory, mark, content);
    make_file(below, "f", content);
    make_file(below, mark, content);
    must(chmod(f, mode) == 0, f);
    free(below), free(f);
}

static void make_tree(void) {
    must(mkdtemp(base) != NULL, "mkdtemp");
    char *root = join(base, "root"), *outside = join(base, "outside");
    char *d = join(root, "d"), *restricted = join(root, "restricted");
    char *out = join(root, "out"), *hidden = join(root, "hidden");
    make_directory(root);
    fill(d, MARK_INSIDE, 0644);
    fill(outside, MARK_OUTSIDE, 0604);
    fill(restricted, MARK_RESTRICTED, 0640);
    make_file(outside, "only", "");
    make_file(restricted, "only", "");
    must(symlink("../outside", out) == 0, out);
    must(symlink("restricted", hidden) == 0, hidden);
    free(root), free(outside), free(d), free(restricted), free(out), free(hidden);
}

/* -- the renaming process --------------------------------------------------------------------- */

static void rename_for_ever(const char *link) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    must(chdir(base) == 0 && chdir("root") == 0, "chdir");
    for (;;)
        (void)renameat2(AT_FDCWD, "d", AT_FDCWD, link, RENAME_EXCHANGE);
}

static pid_t start_renamer(const char *link) {
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0)
        rename_for_ever(link);
    return child;
}

/* Stops it, and leaves `d` a directory again. */
static void stop_renamer(pid_t child, const char *link) {
    struct stat s;
    char *root = join(base, "root"), *d = join(root, "d"), *other = join(root, link);
    kill(child, SIGKILL);
    must(waitpid(child, NULL, 0) == child && lstat(d, &s) == 0, "waitpid");
    if (!S_ISDIR(s.st_mode))
        must(renameat2(AT_FDCWD, d, AT_FDCWD, other, RENAME_EXCHANGE) == 0, "rename back");
    free(root), free(d), free(other);
}

/* -- what is raced ---------------------------------------------------------------------------- */

static aqfs_workspace *open_workspace(const char *resolver) {
    char options[512];
    aqfs_workspace *ws;
    snprintf(options, sizeof options,
             "{\"root\":\"%s/root\",\"restricted_paths\":[\"restricted\"],\"resolver\":\"%s\","
             "\"limits\":{\"threads\":1}}",
             base, resolver);
    aqfs_reply *reply = aqfs_open(options, strlen(options), AQFS_SEXP, &ws);
    if (!ws)
        fprintf(stderr, "race: %s\n", reply ? aqfs_reply_text(reply, NULL) : "no memory");
    must(ws != NULL, "aqfs_open");
    aqfs_reply_free(reply);
    return ws;
}

static void call_operation(aqfs_workspace *ws, const char *request, char *reply, size_t room) {
    aqfs_reply *r = aqfs_call(ws, request, strlen(request), NULL);
    must(r != NULL, "aqfs_call");
    snprintf(reply, room, "%s", aqfs_reply_text(r, NULL));
    aqfs_reply_free(r);
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
                          long rounds) {
    static char reply[REPLY_KEPT];
    struct counts c = {.first_leak = -1};
    char *root = join(base, "root");
    pid_t renamer = start_renamer(link);
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
    free(root);
    return c;
}

static void count(bool ok) {
    if (ok)
        passed++;
    else
        failed++;
}

static void race_operation(const struct subject *s, const char *resolver, const char *link,
                           long rounds) {
    aqfs_workspace *ws = open_workspace(resolver);
    struct counts c = race(s, ws, link, rounds);
    bool ok = c.leaks == 0 && c.successes * 100 >= c.rounds;
    aqfs_free(ws);
    printf("RACE %-14s %-8s %-6s rounds %ld successes %ld leaks %ld %s\n", s->name, resolver, link,
           c.rounds, c.successes, c.leaks, ok ? "ok" : "FAILED");
    count(ok);
}

static void race_mutant(const struct subject *s) {
    struct counts c = race(s, NULL, s->link, MUTANT_ROUNDS);
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
};

static const struct subject mutants[] = {
    {.name = "realpath-then-open", .mutant = realpath_then_open, .link = "out"},
    {.name = "beneath-on-original-path", .mutant = beneath_on_original, .link = "hidden"},
    {.name = "fallback-without-nofollow", .mutant = steps_without_nofollow, .link = "out"},
    {.name = "fallback-without-nofollow", .mutant = steps_without_nofollow, .link = "hidden"},
};

static void remove_tree(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    if (system(command) != 0)
        fprintf(stderr, "race: %s is left behind\n", base);
}

int main(int argc, char **argv) {
    static const char *const resolvers[] = {"openat2", "fallback"};
    static const char *const links[] = {"out", "hidden"};
    long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    if (rounds <= 0) {
        fprintf(stderr, "usage: race ROUNDS\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_tree();
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++)
        race_mutant(&mutants[i]);
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t i = 0; i < 4; i++)
            race_operation(&operations[o], resolvers[i / 2], links[i % 2], rounds);
    remove_tree();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

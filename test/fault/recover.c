/* recover.c -- what a workspace does with journals, state directories and disks that are not as
 * they should be.
 *
 *     recover
 *
 * Journals that were torn, forged or written for another project; a state
 * directory that is none, or goes away; a temporary name that is taken; a move
 * to another disk.  What is in the project and outside stays, and edits work.
 */
#include "shim.h"
#include "world.h"

#include <git2.h>
#include <sys/wait.h>

static int passed, failed;

static void count(const char *name, bool ok) {
    printf("RECOVER %-40s %s\n", name, ok ? "ok" : "FAILED");
    if (ok)
        passed++;
    else
        failed++;
}

static void reset(void) {
    world_remove("root");
    world_remove("state");
    must(mkdir("root", 0755) == 0 && mkdir("root/d", 0755) == 0, "root");
    must(mkdir("root/restricted", 0755) == 0, "restricted");
    must(mkdir("root/empty", 0755) == 0, "empty");
    must(symlink("../outside", "root/out") == 0, "out");
    put_file("root/a", "one\ntwo\n", 0644);
    put_file("root/d/b", "b\n", 0644);
    put_file("root/restricted/.aqfs-11111111111111111111111111111111.tmp", "kept\n", 0600);
}

static aqfs_workspace *open_again(void) {
    return open_with("auto", ",\"restricted_paths\":[\"restricted\"]");
}

/* The error of one request, "" for none. */
static const char *ask(aqfs_workspace *ws, const char *op, const char *args) {
    static char error[64];
    char request[2048];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"%s\",\"args\":%s,\"authority\":\"dangerous\"}", op, args);
    aqfs_reply *r = aqfs_call(ws, request, (size_t)n, NULL);
    must(r != NULL, "aqfs_call");
    snprintf(error, sizeof error, "%s", aqfs_reply_error(r) ? aqfs_reply_error(r) : "");
    aqfs_reply_free(r);
    return error;
}

#define EDIT "{\"path\":\"a\",\"old_str\":\"two\",\"new_str\":\"2\"}"

static bool edits(aqfs_workspace *ws) {
    return strcmp(ask(ws, "edit_file", EDIT), "") == 0;
}

#define PATCH                                                                                      \
    "{\"patch\":\"--- a/a\\n+++ b/a\\n@@ -1,2 +1,2 @@\\n-one\\n+1\\n two\\n"                       \
    "--- a/d/b\\n+++ b/d/b\\n@@ -1 +1 @@\\n-b\\n+B\\n\"}"

static bool patches(aqfs_workspace *ws) {
    return strcmp(ask(ws, "apply_patch", PATCH), "") == 0;
}

/* A process that acts and is killed when it makes its AT-th system call. */
static void die_in(bool (*act)(aqfs_workspace *), long at) {
    fflush(stdout);
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        aqfs_workspace *ws = open_again();
        fault_arm((struct fault){.effect = EFFECT_KILL, .at = at});
        (void)act(ws);
        _exit(0);
    }
    must(waitpid(child, NULL, 0) == child, "waitpid");
}

/* The name of the one journal there is. */
static bool find_journal(char path[PATH_MAX]) {
    char *names[16];
    bool found = false;
    if (access("state/journal", F_OK) != 0)
        return false;
    for (size_t n = names_in("state/journal", names, 16); n > 0; free(names[n]))
        if (!strstr(names[--n], ".lock")) {
            snprintf(path, PATH_MAX, "state/journal/%s", names[n]);
            found = true;
        }
    return found;
}

/* An edit that is killed when it has just begun its journal. */
static void die_with_journal(void) {
    static long at = 1;
    char path[PATH_MAX];
    for (;; at++) {
        reset();
        die_in(edits, at);
        if (find_journal(path))
            return;
    }
}

/* -- journals --------------------------------------------------------------------------------- */

#define TEMP ".aqfs-11111111111111111111111111111111.tmp"
#define STEP(kind, path, more)                                                                     \
    "{\"state\":\"applying\",\"steps\":[{\"kind\":\"" kind "\",\"root\":0,\"path\":\"" path        \
    "\",\"from_root\":0,\"temp\":\"" TEMP "\"" more "}]}\n"

static const char *const forged[] = {
    "",
    "\n",
    "\n\n\n",
    "{}\n",
    "[]\n",
    "nonsense\n",
    "{\"state\":\"applying\"",
    "{\"state\":\"applying\",\"steps\":{}}\n",
    "{\"state\":7,\"steps\":[7,null,[],{}]}\n",
    "{\"state\":\"done\"}\n",
    "nonsense\n{\"state\":\"done\"}\n",
    "[]\n{\"state\":\"done\"}\n",
    "{\"state\":\"done\"}\n{\"state\":\"done\"}\n",
    "{\"state\":\"staging\",\"steps\":7}\n{\"state\":\"done\"}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"write\",\"root\":99,\"path\":\"a\"}]}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"write\",\"root\":-1,\"from_root\":-1,"
    "\"path\":\"a\",\"temp\":\"" TEMP "\"}]}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"delete\",\"root\":0,\"from_root\":0,"
    "\"path\":\"x\",\"temp\":\"a\"}]}\n",
    "{\"state\":\"done\",\"steps\":[{\"kind\":\"delete\",\"root\":0,\"from_root\":0,"
    "\"path\":\"x\",\"temp\":\"../outside/twin\"}]}\n",
    STEP("delete", "../outside/x", ""),
    STEP("delete", "/etc/x", ""),
    STEP("delete", "out/x", ""),
    STEP("delete", "restricted/x", ""),
    STEP("write", "out/twin", ",\"inode\":1"),
    STEP("create", "a", ",\"inode\":18446744073709551615999"),
    STEP("create", "", ""),
    STEP("mkdir", "d", ""),
    STEP("mkdir", "out", ""),
    STEP("mkdir", "", ""),
    STEP("mkdir", "a", ""),
    STEP("move", "a", ",\"from\":\"../outside/y\",\"moved\":0"),
    STEP("move", "a", ",\"from\":\"out/y\",\"moved\":0"),
    STEP("nonsense", "a", ""),
};

static bool survives(const char *text) {
    char path[PATH_MAX];
    die_with_journal(); /* for its name */
    must(find_journal(path), "journal");
    world_remove("root");
    char *state = strdup(path);
    int keep = rename(path, "journal-name");
    reset();
    must(keep == 0 && state && remove("journal-name") == 0, "journal");
    must(mkdir("state", 0700) == 0 && mkdir("state/journal", 0700) == 0, "state");
    char *before = picture_of("root", false, true), *outside = picture_of("outside", true, true);
    put_file(state, text, 0600);
    aqfs_workspace *ws = open_again();
    char *now = picture_of("root", false, true), *out = picture_of("outside", true, true);
    bool ok = strcmp(before, now) == 0 && strcmp(outside, out) == 0 && edits(ws);
    aqfs_free(ws);
    free(before), free(outside), free(now), free(out), free(state);
    return ok;
}

static void test_forged(void) {
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        char name[64];
        snprintf(name, sizeof name, "forged journal %zu", i);
        count(name, survives(forged[i]));
    }
}

static char *read_journal(const char *path) {
    char *text = calloc(1, 65536);
    FILE *f = fopen(path, "r");
    must(text && f, path);
    (void)!fread(text, 1, 65535, f);
    fclose(f);
    return text;
}

/* As the first versions wrote numbers: as text. */
static void quote_numbers(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    must(f != NULL, path);
    for (const char *c = text; *c; c++) {
        size_t digits = c > text && c[-1] == ' ' ? strspn(c, "0123456789") : 0;
        fprintf(f, digits ? "\"%.*s\"" : "%.*s", digits ? (int)digits : 1, c);
        c += digits ? digits - 1 : 0;
    }
    fclose(f);
}

static void append(const char *path, const void *bytes, size_t n) {
    FILE *f = fopen(path, "a");
    must(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, path);
}

/* All is as it was after a patch that was killed while it renamed, though the journal is spoiled
 * so: what was written of its last line does not count. */
static bool is_undone(void (*spoil)(const char *path)) {
    int points = 0;
    bool ok = true;
    for (long at = 1; ok && points < 12; at++) {
        char path[PATH_MAX];
        reset();
        char *before = picture_of("root", false, true);
        die_in(patches, at);
        char *text = find_journal(path) ? read_journal(path) : calloc(1, 1);
        if (strstr(text, "applying") && !strstr(text, "done")) {
            points++;
            spoil(path);
            aqfs_free(open_again());
            char *now = picture_of("root", false, true);
            ok = strcmp(before, now) == 0 && access(path, F_OK) != 0;
            free(now);
        }
        free(text), free(before);
        must(at < 1000, "a patch makes fewer calls");
    }
    return ok;
}

static void leave_it(const char *path) {
    (void)path;
}

static void tear(const char *path) {
    append(path, "{\"state\":\"do", 12);
}

static void add_zeros(const char *path) {
    append(path, "\0\0\0\0\n", 5);
}

static void add_garbage(const char *path) {
    append(path, "{\"state\": \"done\", \"st\n\n", 25);
}

static void make_old(const char *path) {
    char *text = read_journal(path);
    quote_numbers(path, text);
    free(text);
}

static void test_spoiled_journals(void) {
    count("a patch that was killed", is_undone(leave_it));
    count("a line that was torn", is_undone(tear));
    count("a line of zeros", is_undone(add_zeros));
    count("a line of garbage", is_undone(add_garbage));
    count("a journal of the first versions", is_undone(make_old));
}

/* Nobody reads it, and nobody throws it away. */
static void test_large_journal(void) {
    char path[PATH_MAX];
    die_with_journal();
    must(find_journal(path) && truncate(path, (64 << 20) + 1) == 0, "journal");
    aqfs_workspace *ws = open_again();
    count("a journal that is too large", edits(ws) && access(path, F_OK) == 0);
    aqfs_free(ws);
}

/* It is not a file, or one with a second name. */
static void test_odd_journals(void) {
    char path[PATH_MAX];
    for (int kind = 0; kind < 3; kind++) {
        die_with_journal();
        must(find_journal(path) && remove(path) == 0, "journal");
        int made = kind == 0   ? mkfifo(path, 0600)
                   : kind == 1 ? mkdir(path, 0700)
                               : symlink("../../outside/twin", path);
        must(made == 0, path);
        aqfs_workspace *ws = open_again();
        count("a journal that is no file", edits(ws));
        aqfs_free(ws);
    }
}

/* What another project's process has left is that one's. */
static void test_other_project(void) {
    char path[PATH_MAX];
    die_with_journal();
    bool left = find_journal(path);
    must(rename("root", "moved") == 0 && mkdir("root", 0755) == 0, "root");
    aqfs_workspace *ws = open_with("auto", ",\"allowed_paths\":[\"../outside\"]");
    aqfs_free(ws);
    count("a journal of another project", left && access(path, F_OK) == 0);
    world_remove("root");
    must(rename("moved", "root") == 0, "root");
    aqfs_free(open_again());
    char *now = picture_of("root", false, false);
    count("and it is its own again", !strstr(now, "root/.aqfs-") && access(path, F_OK) != 0);
    free(now);
}

/* -- the state directory ---------------------------------------------------------------------- */

static void test_state_directory(void) {
    reset();
    put_file("state", "a file\n", 0600);
    aqfs_workspace *ws = open_again();
    char *before = picture_of("root", true, true);
    const char *error = ask(ws, "edit_file", EDIT);
    char *now = picture_of("root", true, true);
    count("a state directory that is a file", *error && strcmp(before, now) == 0);
    must(remove("state") == 0, "state");
    count("and then is none", edits(ws));
    aqfs_free(ws);
    free(before), free(now);
    reset();
    ws = open_again();
    bool first = edits(ws);
    world_remove("state");
    error = ask(ws, "edit_file", "{\"path\":\"a\",\"old_str\":\"2\",\"new_str\":\"3\"}");
    count("a state directory that goes away", first && !*error);
    aqfs_free(ws);
}

/* -- names and disks -------------------------------------------------------------------------- */

static void test_taken_name(void) {
    reset();
    put_file("root/" TEMP, "mine\n", 0600);
    char *before = picture_of("root", true, true);
    aqfs_workspace *ws = open_again();
    same_random = true;
    bool refused = *ask(ws, "edit_file", EDIT) != '\0';
    bool refused_too = *ask(ws, "delete_file", "{\"path\":\"a\"}") != '\0';
    same_random = false;
    char *now = picture_of("root", true, true);
    count("a temporary name that is taken", refused && refused_too && strcmp(before, now) == 0);
    count("and the next is not", edits(ws));
    aqfs_free(ws);
    free(before), free(now);
}

static void test_other_disk(void) {
    char other[] = "/tmp/aqfs-fault-XXXXXX", options[128], args[256];
    struct stat here, there;
    must(mkdtemp(other) != NULL && stat(other, &there) == 0 && stat(".", &here) == 0, other);
    if (here.st_dev == there.st_dev) {
        printf("RECOVER no second disk to move to\n");
        must(rmdir(other) == 0, other);
        return;
    }
    reset();
    snprintf(options, sizeof options, ",\"allowed_paths\":[\"%s\"]", other);
    snprintf(args, sizeof args, "{\"source\":\"d\",\"destination\":\"%s/p/q/d\"}", other);
    char *before = picture_of("root", false, true), *empty = picture_of(other, false, true);
    aqfs_workspace *ws = open_with("auto", options);
    bool refused = *ask(ws, "move_file", args) != '\0';
    char *now = picture_of("root", false, true), *then = picture_of(other, false, true);
    count("a move to another disk",
          refused && strcmp(before, now) == 0 && strcmp(empty, then) == 0 && edits(ws));
    aqfs_free(ws);
    free(before), free(empty), free(now), free(then);
    world_remove(other);
}

/* Names in which everything means something else. */
static void test_odd_names(void) {
    static const char *const names[] = {"~", "\"q", "w\\n\xFF", " x ", "-rf"};
    bool ok = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (long at = 40; at < 90; at++) {
            char path[64], args[128];
            reset();
            snprintf(path, sizeof path, "root/d/%s", names[i]);
            must(mkdir(path, 0755) == 0, path);
            snprintf(args, sizeof args, "root/d/%s/f", names[i]);
            put_file(args, "f\n", 0644);
            char *before = picture_of("root", false, true);
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) {
                aqfs_workspace *ws = open_again();
                fault_arm((struct fault){.effect = EFFECT_KILL, .at = at});
                (void)ask(ws, "move_file", "{\"source\":\"d\",\"destination\":\"p/d\"}");
                _exit(0);
            }
            must(waitpid(child, NULL, 0) == child, "waitpid");
            aqfs_free(open_again());
            char *now = picture_of("root", false, true);
            bool is_old = strcmp(before, now) == 0;
            ok = ok && (is_old || (access("root/p/d", F_OK) == 0 && access("root/d", F_OK) != 0));
            free(before), free(now);
        }
    }
    count("odd names", ok);
}

/* -- what was answered --------------------------------------------------------------------------
 */

static char *journal_text; /* its last state before it was ended */
static char journal_name[PATH_MAX];

static void keep_journal(void) {
    char path[PATH_MAX], block[8192];
    if (!find_journal(path))
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, block, sizeof block - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    block[n] = '\0';
    if (strstr(block, "\"done\""))
        return;
    free(journal_text);
    journal_text = strdup(block);
    snprintf(journal_name, sizeof journal_name, "%s", path);
}

/* Power is lost just after one step was answered: the disk has it, but of the journal only what
 * came before its end, and maybe still what was replaced. */
static void test_answered(const char *op, const char *args, const char *old) {
    reset();
    aqfs_workspace *ws = open_again();
    fault_between = keep_journal;
    if (old)
        must(link(old, "kept") == 0, "link");
    fault_arm((struct fault){.effect = EFFECT_BETWEEN});
    bool did = !*ask(ws, op, args);
    fault.armed = false;
    char *after = picture_of("root", false, true);
    aqfs_free(ws);
    for (int left = 0; did && left <= (old ? 1 : 0); left++) {
        const char *temp = strstr(journal_text, ".aqfs-");
        char path[128], name[128];
        snprintf(path, sizeof path, "root/%.42s", temp ? temp : "");
        if (left)
            must(rename("kept", path) == 0, path);
        put_file(journal_name, journal_text, 0600);
        aqfs_free(open_again());
        char *now = picture_of("root", false, true);
        snprintf(name, sizeof name, "%s, answered%s", op, left ? ", with what it replaced" : "");
        count(name, strcmp(after, now) == 0 && access(journal_name, F_OK) != 0);
        free(now);
    }
    count("it was answered", did);
    (void)remove("kept");
    free(after);
}

/* A directory that somebody makes after the crash, where the commit had made one. */
static void test_new_directory(void) {
    bool stays = true;
    for (long at = 30; at < 130; at++) {
        reset();
        fflush(stdout);
        pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            aqfs_workspace *ws = open_again();
            fault_arm((struct fault){.effect = EFFECT_KILL, .at = at});
            (void)ask(ws, "create_file", "{\"path\":\"p/n\",\"content\":\"new\"}");
            _exit(0);
        }
        must(waitpid(child, NULL, 0) == child, "waitpid");
        if (access("root/p", F_OK) != 0 || access("root/p/n", F_OK) == 0)
            continue;
        struct timespec later[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
        must(clock_gettime(CLOCK_REALTIME, &later[1]) == 0, "clock");
        later[1].tv_sec += 10;
        must(mkdir("root/other", 0755) == 0, "other");
        world_remove("root/p");
        must(rename("root/other", "root/p") == 0, "p");
        must(utimensat(AT_FDCWD, "root/p", later, 0) == 0, "times");
        aqfs_free(open_again());
        stays = stays && access("root/p", F_OK) == 0;
    }
    count("a directory made after the crash", stays);
}

int main(void) {
    shim_start();
    must(git_libgit2_init() > 0, "libgit2");
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    must(mkdir("outside", 0755) == 0, "outside");
    put_file("outside/twin", "outside\n", 0644);
    put_file("outside/" TEMP, "outside\n", 0644);
    test_forged();
    test_odd_journals();
    test_spoiled_journals();
    test_large_journal();
    test_other_project();
    test_state_directory();
    test_taken_name();
    test_other_disk();
    test_odd_names();
    test_answered("edit_file", EDIT, "root/a");
    test_answered("create_file", "{\"path\":\"n\",\"content\":\"new\"}", NULL);
    test_answered("delete_file", "{\"path\":\"a\"}", "root/a");
    test_answered("move_file", "{\"source\":\"d\",\"destination\":\"e\"}", NULL);
    test_answered("move_file",
                  "{\"source\":\"d/b\",\"destination\":\"a\",\"allow_overwrite\":true}", "root/a");
    test_answered("make_directory", "{\"path\":\"n\"}", NULL);
    test_new_directory();
    world_end();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}

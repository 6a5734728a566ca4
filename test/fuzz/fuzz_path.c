/* SPDX-License-Identifier: MIT */
/* fuzz_path.c -- no spelling of a path leads out of the root or into what is restricted. */
#include "fuzz.h"
#include "workspace.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/aqfs-fuzz-XXXXXX";
static aqfs_workspace *workspaces[2];

static void make_link(const char *target, const char *name) {
    PROMISE(symlink(target, name) == 0);
}

static void leave_nothing(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    (void)!system(command);
}

static void make_tree(void) {
    PROMISE(mkdtemp(root) && chdir(root) == 0);
    atexit(leave_nothing);
    PROMISE(mkdir("a", 0755) == 0 && mkdir("a/b", 0755) == 0 && mkdir("r", 0755) == 0);
    PROMISE(fclose(fopen("a/f", "w")) == 0 && fclose(fopen("r/f", "w")) == 0);
    PROMISE(mkfifo("p", 0644) == 0);
    make_link("..", "u");
    make_link("/", "s");
    make_link("a/b", "l");
    make_link("../r", "a/r");
    make_link("m", "n");
    make_link("n", "m");
    make_link("/etc/passwd", "e");
    make_link("/proc/self/root", "o");
    make_link("../../a/./b/", "a/b/x");
    make_link("missing", "d");
}

static void open_workspaces(void) {
    static const char *const resolvers[] = {"openat2", "fallback"};
    for (int i = 0; i < 2; i++) {
        char options[256];
        snprintf(options, sizeof options,
                 "{\"root\":\"%s\",\"restricted_paths\":[\"r\",\"a/no\"],\"resolver\":\"%s\","
                 "\"home\":\"%s/a\"}",
                 root, resolvers[i], root);
        aqfs_reply_free(aqfs_open(options, strlen(options), AQFS_SEXP, &workspaces[i]));
        PROMISE(workspaces[i]);
    }
}

static void check_place(const struct place *place) {
    const char *path = place->path;
    PROMISE(strlen(path) == place->len && path[0] != '/');
    PROMISE(strcmp(path, "r") != 0 && strncmp(path, "r/", 2) != 0);
    PROMISE(strcmp(path, "a/no") != 0 && strncmp(path, "a/no/", 5) != 0);
    for (const char *at = path; *at;) {
        size_t n = strcspn(at, "/");
        PROMISE(n > 0 && !(n == 1 && at[0] == '.') && !(n == 2 && at[0] == '.' && at[1] == '.'));
        at += n + (at[n] == '/');
    }
}

/* Checks the place that the kernel says was opened. */
static void check_opened(const struct node *node) {
    char link[64], real[8192];
    snprintf(link, sizeof link, "/proc/self/fd/%d", node->fd);
    ssize_t n = readlink(link, real, sizeof real - 1);
    PROMISE(n > 0);
    real[n] = '\0';
    size_t root_n = strlen(root);
    PROMISE(strncmp(real, root, root_n) == 0 && (real[root_n] == '/' || !real[root_n]));
    PROMISE(strncmp(real + root_n, "/r/", 3) != 0 && strcmp(real + root_n, "/r") != 0);
}

static int open_as(aqfs_workspace *ws, struct text_ref path, enum open_kind kind,
                   struct place *place) {
    struct node node;
    struct error e;
    int code = workspace_open_path(ws, path, kind, place, &node, &e);
    if (code)
        return code;
    check_place(place);
    check_opened(&node);
    node_close(&node);
    return AQFS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!workspaces[0]) {
        make_tree();
        open_workspaces();
    }
    /* Half of the inputs are spelled from pieces that mean something. */
    static const char *const pieces[] = {"a", "/", "..", ".",  "b",  "f",   "r",
                                         "u", "s", "l",  "e",  "o",  "x",   "d",
                                         "n", "p", "~/", "//", "no", "tmp", root};
    char path[512];
    size_t n = 0;
    for (size_t i = 1; i < size && n + 64 < sizeof path; i++) {
        if (data[0] & 1) {
            path[n++] = (char)data[i];
            continue;
        }
        const char *piece = pieces[data[i] % (sizeof pieces / sizeof *pieces)];
        memcpy(path + n, piece, strlen(piece));
        n += strlen(piece);
    }
    struct place a, b;
    enum open_kind kind = size ? data[0] / 2 % 3 : OPEN_ANY;
    int first = open_as(workspaces[0], (struct text_ref){path, n}, kind, &a);
    int second = open_as(workspaces[1], (struct text_ref){path, n}, kind, &b);
    PROMISE(first == second);
    PROMISE(first || strcmp(a.path, b.path) == 0);
    return 0;
}

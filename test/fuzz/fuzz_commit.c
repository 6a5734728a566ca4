/* SPDX-License-Identifier: MIT */
/* fuzz_commit.c -- after any sequence of changes, refused, previewed, stale or made, the tree is
 * what a model of it says, and nothing else lies in it.
 *
 * An input is a sequence of operations on a few paths.  Each is asked for in one of several ways,
 * and sometimes somebody else writes to a file between preview and commit.
 */
#include "parts/model.h"
#include "parts/wish.h"

#include "aqfs.h"

#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS_MOST = 8 };

static char base[64];
static int root = -1;
static aqfs_workspace *ws;
static struct model model;

/* -- asking -------------------------------------------------------------------------------------
 */

struct answer {
    char error[40]; /* "" for none */
    char digest[80], tier[16];
};

static struct answer ask(const struct wish *w, const char *authority, const char *digest,
                         bool preview) {
    struct answer answer = {.error = ""};
    aqfs_context json = {.format = AQFS_JSON};
    json_t *request =
        json_pack("{s:s, s:O, s:s, s:s*, s:s*}", "op", w->op, "args", w->args, "authority",
                  authority, "verb", preview ? "plan" : NULL, "digest", digest);
    char *text = json_dumps(request, JSON_COMPACT);
    aqfs_reply *reply = aqfs_call(ws, text, strlen(text), &json);
    size_t n;
    const char *said = aqfs_reply_text(reply, &n);
    json_t *data = json_loadb(said, n, JSON_REJECT_DUPLICATES, NULL);
    PROMISE(json_is_object(data));
    if (aqfs_reply_error(reply))
        snprintf(answer.error, sizeof answer.error, "%s", aqfs_reply_error(reply));
    const char *value = json_string_value(json_object_get(data, "digest"));
    snprintf(answer.digest, sizeof answer.digest, "%s", value ? value : "");
    value = json_string_value(json_object_get(data, "tier"));
    snprintf(answer.tier, sizeof answer.tier, "%s", value ? value : "");
    json_decref(data);
    json_decref(request);
    aqfs_reply_free(reply);
    free(text);
    return answer;
}

/* Writes to a file in place as another program would: its name, inode and mode stay. */
static const char *meddle(struct model *m) {
    const char *path = take_path();
    struct entry *entry = find_file(m, path);
    if (!entry || entry->n + 1 > TEXT_MOST)
        return NULL;
    int fd = openat(root, path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    PROMISE(fd >= 0 && write(fd, "!", 1) == 1 && close(fd) == 0);
    entry->text[entry->n++] = '!';
    return path;
}

/* Below a directory that is moved or deleted counts as well. */
static bool concerns(const struct wish *w, const char *path) {
    bool below = strcmp(w->op, "move_file") == 0 || strcmp(w->op, "delete_file") == 0;
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->touched[i], path) == 0 || (below && is_below(path, w->touched[i])))
            return true;
    return false;
}

/* The answer must be what the model says, and the tree what the answer says. */
static void judge(const struct wish *w, const struct answer *answer, const struct model *after) {
    bool did = !answer->error[0];
    if (did ? w->must == MUST_FAIL : w->must == MUST_DO) {
        char *args = json_dumps(w->args, 0);
        fprintf(stderr, "%s %s: %s\n", w->op, args, answer->error);
        free(args);
    }
    PROMISE(did ? w->must != MUST_FAIL : w->must != MUST_DO);
    if (did)
        model = *after;
    check_tree(&model, root);
}

static void ask_plainly(const struct wish *w, struct model *after) {
    struct answer answer = ask(w, "dangerous", NULL, false);
    judge(w, &answer, after);
}

/* A call above the authority is refused, and the refusal carries a digest that commits it. */
static void ask_humbly(const struct wish *w, struct model *after) {
    struct answer answer = ask(w, "cautious", NULL, false);
    if (strcmp(answer.error, "approval-required") != 0) {
        PROMISE(answer.error[0] || !w->dangerous || strcmp(w->op, "make_directory") == 0);
        judge(w, &answer, after);
        return;
    }
    PROMISE(w->must != MUST_FAIL && answer.digest[0] && strcmp(answer.tier, "dangerous") == 0);
    check_tree(&model, root);
    answer = ask(w, "dangerous", answer.digest, false);
    PROMISE(!answer.error[0]);
    judge(w, &answer, after);
}

static void ask_twice(const struct wish *w, struct model *after) {
    struct answer shown = ask(w, "safe", NULL, true);
    check_tree(&model, root);
    struct answer answer = ask(w, "dangerous", shown.error[0] ? NULL : shown.digest, false);
    PROMISE(strcmp(shown.error, answer.error) == 0);
    judge(w, &answer, after);
}

/* Between preview and commit somebody writes. */
static void ask_late(struct wish *w, struct model *after) {
    struct answer shown = ask(w, "safe", NULL, true);
    const char *path = meddle(&model);
    if (!path || shown.error[0]) {
        check_tree(&model, root);
        return;
    }
    struct answer answer = ask(w, "dangerous", shown.digest, false);
    if (concerns(w, path)) {
        PROMISE(answer.error[0]);
        w->must = MUST_FAIL;
    } else {
        struct entry *entry = find_file(after, path);
        PROMISE(entry);
        entry->text[entry->n++] = '!';
    }
    judge(w, &answer, after);
}

static void ask_wrongly(struct wish *w, struct model *after) {
    struct answer answer = ask(w, "dangerous", "0123456789abcdef", false);
    PROMISE(w->must != MUST_DO || strcmp(answer.error, "stale") == 0);
    w->must = MUST_FAIL;
    judge(w, &answer, after);
}

/* -- the target ---------------------------------------------------------------------------------
 */

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)s, (void)type;
    return where->level > 0 ? remove(path) : 0;
}

static void leave_nothing(void) {
    (void)nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    (void)rmdir(base);
}

static void start(void) {
    char path[96], options[256];
    snprintf(base, sizeof base, "%s/aqfs-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    PROMISE(mkdtemp(base));
    atexit(leave_nothing);
    snprintf(path, sizeof path, "%s/project", base);
    PROMISE(mkdir(path, 0755) == 0);
    root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int n = snprintf(options, sizeof options,
                     "{\"root\":\"%s\",\"state_dir\":\"%s/state\",\"limits\":{\"threads\":1}}",
                     path, base);
    aqfs_reply_free(aqfs_open(options, (size_t)n, AQFS_JSON, &ws));
    PROMISE(root >= 0 && ws);
}

static void begin(void) {
    char path[96];
    snprintf(path, sizeof path, "%s/project", base);
    PROMISE(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
    model.count = 0;
    static const char *const names[] = {"a", "d/a", "d/e/a"};
    for (size_t i = 0; i < 3; i++) {
        char text[] = "aab\nb\n";
        text[0] = (char)('a' + i);
        PROMISE(model_write(&model, names[i], text, 6, false, false, true));
        (void)mkdirat(root, i == 2 ? "d/e" : "d", 0755);
        int fd = openat(root, names[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        PROMISE(fd >= 0 && write(fd, text, 6) == 6 && close(fd) == 0);
    }
}

static void step(void) {
    static void (*const wishes[])(struct wish *, struct model *) = {
        wish_create, wish_write, wish_edit,   wish_edits, wish_insert, wish_directory,
        wish_move,   wish_move,  wish_delete, wish_patch, wish_patch};
    static struct model after;
    struct wish w = {.dangerous = true};
    after = model;
    unsigned way = take(8);
    wishes[take(sizeof wishes / sizeof *wishes)](&w, &after);
    PROMISE(w.args);
    switch (way) {
    case 0:
        ask_humbly(&w, &after);
        break;
    case 1:
        ask_twice(&w, &after);
        break;
    case 2:
        ask_late(&w, &after);
        break;
    case 3:
        ask_wrongly(&w, &after);
        break;
    default:
        ask_plainly(&w, &after);
    }
    json_decref(w.args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!ws)
        start();
    begin();
    input = data;
    input_end = data + size;
    for (int steps = 0; input < input_end && steps < STEPS_MOST; steps++)
        step();
    return 0;
}

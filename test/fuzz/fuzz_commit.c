/* fuzz_commit.c -- after any sequence of changes, refused, previewed, stale or made, the tree is
 * what a model of it says, and nothing else lies in it.
 *
 * An input is a sequence of operations on a few paths.  Each is asked for in one of several ways,
 * and sometimes somebody else writes to a file between preview and commit.
 */
#include "aqfs.h"
#include "model.h"

#include <ftw.h>
#include <jansson.h>

enum { STEPS_MOST = 8, SECTIONS_MOST = 3, PIECES_MOST = 5 };

static char base[64];
static int root = -1;
static aqfs_workspace *ws;
static struct model model;

/* -- the input -------------------------------------------------------------------------------- */

static const uint8_t *input, *input_end;

static unsigned take(unsigned limit) {
    return input < input_end ? *input++ % limit : 0;
}

static const char *take_path(void) {
    static const char *const paths[] = {"a",     "b.txt", "d", "d/a", "d/b.txt", "d/e",
                                        "d/e/a", "f/g/h", "f", "f/g", "f/a"};
    return paths[take(sizeof paths / sizeof *paths)];
}

struct text {
    char data[64];
    size_t n;
};

static struct text take_text(void) {
    static const char *const pieces[] = {"a",        "aa",    "b", "\n", "a\n",
                                         "\xC3\xA9", "\tb\n", "-", "c"};
    struct text text = {.n = 0};
    for (unsigned i = take(PIECES_MOST); i > 0; i--) {
        const char *piece = pieces[take(sizeof pieces / sizeof *pieces)];
        memcpy(text.data + text.n, piece, strlen(piece));
        text.n += strlen(piece);
    }
    text.data[text.n] = '\0';
    return text;
}

/* -- an operation, and what it ought to do ------------------------------------------------------
 */

enum must { MUST_FAIL, MAY_FAIL, MUST_DO };

struct wish {
    const char *op;
    json_t *args;
    bool dangerous; /* whatever the state is */
    enum must must;
    const char *touched[2 * SECTIONS_MOST]; /* paths it reads or writes */
    size_t count;
};

static void touch(struct wish *w, const char *path) {
    w->touched[w->count++] = path;
}

static void decide(struct wish *w, bool does) {
    w->must = does ? MUST_DO : MUST_FAIL;
}

static void write_base64(const struct text *text, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < text->n; i += 3) {
        unsigned bits = 0, have = 0;
        for (; have < 3 && i + have < text->n; have++)
            bits |= (unsigned)(unsigned char)text->data[i + have] << (16 - 8 * have);
        for (unsigned k = 0; k < 4; k++)
            *out++ = k <= have ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    *out = '\0';
}

static void wish_create(struct wish *w, struct model *m) {
    const char *path = take_path();
    struct text text = take_text();
    int overwrite = (int)take(2), above = take(4) != 0;
    w->op = "create_file";
    w->args = json_pack("{s:s, s:s, s:b, s:b}", "path", path, "content", text.data,
                        "allow_overwrite", overwrite, "create_parents", above);
    touch(w, path);
    decide(w, model_write(m, path, text.data, text.n, overwrite, false, above));
}

static void wish_write(struct wish *w, struct model *m) {
    static const char *const modes[] = {"create", "overwrite", "append"};
    const char *path = take_path();
    struct text text = take_text();
    char coded[128];
    unsigned mode = take(3), bytes = take(2);
    int above = take(4) != 0;
    write_base64(&text, coded);
    w->op = bytes ? "write_bytes" : "write_file";
    w->args = json_pack("{s:s, s:s, s:s, s:b}", "path", path, "content", bytes ? coded : text.data,
                        "mode", modes[mode], "create_parents", above);
    touch(w, path);
    decide(w, model_write(m, path, text.data, text.n, mode != 0, mode == 2, above));
}

static void wish_edit(struct wish *w, struct model *m) {
    const char *path = take_path();
    struct text old = take_text(), new = take_text();
    w->op = "edit_file";
    w->dangerous = false;
    w->args = json_pack("{s:s, s:s, s:s}", "path", path, "old_str", old.data, "new_str", new.data);
    touch(w, path);
    decide(w, model_edit(m, path, old.data, old.n, new.data, new.n));
}

/* All or none, each in what the one before left. */
static void wish_edits(struct wish *w, struct model *m) {
    const char *path = take_path();
    json_t *edits = json_array();
    bool does = true;
    for (unsigned i = 1 + take(3); i > 0; i--) {
        struct text old = take_text(), new = take_text();
        json_array_append_new(edits,
                              json_pack("{s:s, s:s}", "old_str", old.data, "new_str", new.data));
        does = does && model_edit(m, path, old.data, old.n, new.data, new.n);
    }
    w->op = "edit_file";
    w->dangerous = false;
    w->args = json_pack("{s:s, s:o}", "path", path, "edits", edits);
    touch(w, path);
    decide(w, does);
}

static void wish_insert(struct wish *w, struct model *m) {
    const char *path = take_path();
    struct text text = take_text();
    int line = (int)take(6) - 1;
    w->op = "insert_at_line";
    w->dangerous = false;
    w->args = json_pack("{s:s, s:s, s:i}", "path", path, "content", text.data, "line", line);
    touch(w, path);
    decide(w, model_insert(m, path, line, text.data, text.n));
}

static void wish_directory(struct wish *w, struct model *m) {
    const char *path = take_path();
    int above = take(4) != 0, exist_ok = take(2) != 0;
    w->op = "make_directory";
    w->args = json_pack("{s:s, s:b, s:b}", "path", path, "parents", above, "exist_ok", exist_ok);
    touch(w, path);
    decide(w, model_make_directory(m, path, above, exist_ok));
}

static void wish_move(struct wish *w, struct model *m) {
    const char *from = take_path(), *to = take_path();
    bool copy = take(2);
    int overwrite = (int)take(2), above = take(4) != 0;
    w->op = copy ? "copy_file" : "move_file";
    w->args = json_pack("{s:s, s:s, s:b, s:b}", "source", from, "destination", to,
                        "allow_overwrite", overwrite, "create_parents", above);
    touch(w, from);
    touch(w, to);
    decide(w, copy ? model_copy(m, from, to, overwrite, above)
                   : model_move(m, from, to, overwrite, above));
}

static void wish_delete(struct wish *w, struct model *m) {
    const char *path = take_path();
    int recursive = (int)take(2);
    w->op = "delete_file";
    w->args = json_pack("{s:s, s:b}", "path", path, "recursive", recursive);
    touch(w, path);
    decide(w, model_delete(m, path, recursive));
}

/* -- patches: every section is judged by the tree before any of them ----------------------------
 */

struct patch_wish {
    struct wish *wish;
    struct model before, taken; /* TAKEN: without what sections take away */
    struct {
        const char *path;
        struct text text;
    } puts[SECTIONS_MOST];
    size_t puts_n;
    char text[8192];
    size_t n;
};

static void say(struct patch_wish *p, char op, const char *text, size_t n) {
    for (size_t at = 0; at < n;) {
        const char *newline = memchr(text + at, '\n', n - at);
        size_t length = newline ? (size_t)(newline - text) - at : n - at;
        p->n += (size_t)snprintf(p->text + p->n, sizeof p->text - p->n, "%c%.*s\n", op, (int)length,
                                 text + at);
        at += length + 1;
        PROMISE(p->n < sizeof p->text);
    }
}

static void say_marker(struct patch_wish *p, const char *marker, const char *path) {
    p->n += (size_t)snprintf(p->text + p->n, sizeof p->text - p->n, "*** %s%s\n", marker, path);
    PROMISE(p->n < sizeof p->text);
}

static struct text take_lines(void) {
    struct text text = take_text();
    text.data[text.n++] = 'z';
    text.data[text.n++] = '\n';
    text.data[text.n] = '\0';
    return text;
}

static bool is_touched(const struct wish *w, const char *path) {
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->touched[i], path) == 0)
            return true;
    return false;
}

static void put(struct patch_wish *p, const char *path, const struct text *text) {
    p->puts[p->puts_n].path = path;
    p->puts[p->puts_n++].text = *text;
}

/* Takes PATH's file away; false where the section must fail for it. */
static bool take_away(struct patch_wish *p, const char *path) {
    struct entry *entry = find_file(&p->taken, path);
    if (entry)
        remove_entry(&p->taken, entry);
    return entry;
}

static bool say_update(struct patch_wish *p, const char *path, const char *to) {
    struct entry *entry = find_file(&p->before, path);
    struct text text = take_lines();
    say_marker(p, "Update File: ", path);
    if (to)
        say_marker(p, "Move to: ", to);
    say(p, '-', entry ? entry->text : "no such\n", entry ? entry->n : 8);
    say(p, '+', text.data, text.n);
    put(p, to ? to : path, &text);
    return take_away(p, path);
}

static bool say_section(struct patch_wish *p) {
    const char *path = take_path(), *to = take_path();
    struct entry *entry = find_file(&p->before, path);
    unsigned kind = take(4);
    bool whole = !entry || (entry->n > 0 && entry->text[entry->n - 1] == '\n');
    if (is_touched(p->wish, path) || (kind >= 2 && !whole) ||
        (kind == 3 && (is_touched(p->wish, to) || strcmp(path, to) == 0)))
        return true;
    touch(p->wish, path);
    if (kind == 3)
        touch(p->wish, to);
    struct text text = take_lines();
    if (kind == 0) {
        say_marker(p, "Add File: ", path);
        say(p, '+', text.data, text.n);
        put(p, path, &text);
        return !find(&p->before, path);
    }
    if (kind == 1) {
        say_marker(p, "Delete File: ", path);
        return take_away(p, path);
    }
    return say_update(p, path, kind == 3 ? to : NULL) && (kind == 2 || !find(&p->before, to));
}

/* One directory that a section needs may be a file that another takes away: that is refused, or is
 * done right. */
static void wish_patch(struct wish *w, struct model *m) {
    static struct patch_wish p;
    p = (struct patch_wish){.wish = w, .before = *m, .taken = *m};
    bool possible = true, simple = true;
    say_marker(&p, "Begin Patch", "");
    for (unsigned i = 1 + take(SECTIONS_MOST); i > 0; i--)
        possible = say_section(&p) && possible;
    say_marker(&p, "End Patch", "");
    *m = p.taken;
    for (size_t i = 0; i < p.puts_n; i++) {
        const struct text *text = &p.puts[i].text;
        simple = simple && make_above(&p.before, p.puts[i].path, true);
        possible =
            model_write(m, p.puts[i].path, text->data, text->n, false, false, true) && possible;
    }
    w->op = "apply_patch";
    w->dangerous = false;
    w->args = json_pack("{s:s}", "patch", p.text);
    w->must = !possible || w->count == 0 ? MUST_FAIL : simple ? MUST_DO : MAY_FAIL;
}

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
    json_t *request = json_pack("{s:s, s:O, s:s, s:b, s:s*}", "op", w->op, "args", w->args,
                                "authority", authority, "preview", preview, "digest", digest);
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

/* What is above the authority is not done, and what is said of it is enough to do it. */
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

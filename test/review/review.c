/* SPDX-License-Identifier: MIT */
/* review.c -- is what agents did told apart from what a person did, and taken back exactly?
 *
 *     review HISTORIES [SEED]
 *
 * In each history an agent and a person change the files of a project by turns.
 * The oracle is git: what the person does is done, by `git merge-file`, to a
 * second tree as well, which the agent does not touch.  At the end
 *
 *     - taking back all that the agent did makes the project that second tree,
 *       except for files in which git finds a conflict, too;
 *     - taking that back again makes the project what it was;
 *     - taking back some hunks does what `git apply --reverse` does with them;
 *     - accepting the others leaves every byte as it is, and nothing to review.
 *
 * The last line is `3 passed, 0 failed`.  T=17 does the history with the number 17 alone.
 */
#include "buf.h"
#include "die.h"
#include "files.h"
#include "request.h"
#include "sample.h"
#include "trees.h"
#include "workspace.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS 12
#define FILES 6
#define TEXT_MOST 8192

/* One file: its name now, and its name in the tree of the person alone. */
struct tracked {
    char now[32], alone[32]; /* "" where there is none */
    bool clash;              /* both have changed the same lines */
    struct buf left;         /* what the agent left, if a person has edited since */
    bool edited;
};

struct history {
    char *base;
    aqfs_workspace *ws;
    struct tracked files[FILES];
    int number, lines; /* how many different lines there are */
    long refused_more; /* files that git merges and we refuse */
    long told_apart;   /* files that both changed */
};

static unsigned long long state;

static unsigned draw(unsigned n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % n;
}

/* -- calls ------------------------------------------------------------------------------------- */

static json_t *call_core(struct history *h, const char *op, json_t *args, const char *origin) {
    json_t *request = json_pack("{s:s, s:o, s:s, s:s}", "op", op, "args", args, "authority",
                                "dangerous", "origin", origin);
    char *text = json_dumps(request, 0);
    const aqfs_context context = {.format = AQFS_JSON};
    aqfs_reply *reply = aqfs_call(h->ws, text, strlen(text), &context);
    size_t n;
    const char *answer = aqfs_reply_text(reply, &n);
    json_t *out = json_loadb(answer, n, 0, NULL);
    must(out != NULL, "a reply is no JSON");
    aqfs_reply_free(reply);
    free(text);
    json_decref(request);
    return out;
}

static const char *error_of(const json_t *reply) {
    return json_string_value(json_object_get(reply, "error"));
}

/* An agent's call, which must succeed. */
static void agent_does(struct history *h, const char *op, json_t *args) {
    json_t *reply = call_core(h, op, args, "model");
    if (error_of(reply))
        die("history %d: %s: %s", h->number, op,
            json_string_value(json_object_get(reply, "message")));
    json_decref(reply);
}

/* -- texts ------------------------------------------------------------------------------------- */

static char *in_project(const struct history *h, const char *name) {
    return path_of("%s/p/%s", h->base, name);
}

static char *in_alone(const struct history *h, const char *name) {
    return path_of("%s/alone/%s", h->base, name);
}

static void add_line(struct history *h, struct buf *out) {
    static const char *const ends[] = {"\n", "\n", "\n", "\n", "\r\n"};
    if (draw(6) == 0)
        buf_str(out, "}");
    else
        buf_printf(out, "line %d", h->lines++);
    buf_str(out, ends[draw(5)]);
}

static void make_text(struct history *h, struct buf *out) {
    for (unsigned n = 4 + draw(14); n > 0; n--)
        add_line(h, out);
    if (draw(5) == 0 && out->len > 0) /* no newline at the end */
        out->len--;
}

/* Changes some lines of TEXT: a few of them, in one or two places. */
static void change_text(struct history *h, const struct buf *text, struct buf *out) {
    unsigned lines = 1;
    for (size_t i = 0; i < text->len; i++)
        lines += text->data[i] == '\n';
    unsigned first = draw(lines), second = draw(3) == 0 ? draw(lines) : lines, at = 0;
    const char *line = text->data, *end = text->data + text->len;
    while (line < end || (at <= first && at < lines)) {
        const char *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        const char *next = newline ? newline + 1 : end;
        bool changes = at == first || at == second;
        unsigned how = changes ? draw(3) : 3;
        if (how != 3 && how != 1) /* inserted or replaced; else deleted */
            add_line(h, out);
        if (how == 3 || how == 0)
            buf_add(out, line, (size_t)(next - line));
        if (line >= end)
            break;
        line = next;
        at++;
    }
}

static void write_text(char *path, const struct buf *text) {
    make_bytes(path, text->data ? text->data : "", text->len);
    free(path);
}

static void read_text(char *path, struct buf *out) {
    buf_str(out, "");
    read_whole(path, out);
    free(path);
}

/* -- what happens ------------------------------------------------------------------------------ */

static int git(const char *format, const char *a, const char *b) {
    char command[600];
    (void)snprintf(command, sizeof command, format, a, b);
    int status = system(command); // NOLINT(cert-env33-c): names of our own
    return status < 0 ? -1 : (status >> 8) & 0xFF;
}

/* Does to the person's own tree what the person has done since the agent's last change: as a whole,
 * because that is all that anybody sees of it. */
static void follow_alone(struct history *h, struct tracked *file) {
    struct buf mine = {0}, after = {0};
    if (!file->edited)
        return;
    file->edited = false;
    file->clash = file->clash || !file->alone[0];
    if (file->clash)
        return;
    read_text(in_project(h, file->now), &after);
    write_text(path_of("%s/before", h->base), &file->left);
    write_text(path_of("%s/after", h->base), &after);
    read_text(in_alone(h, file->alone), &mine);
    write_text(path_of("%s/mine", h->base), &mine);
    buf_free(&mine);
    int code =
        git("cd %s && git merge-file -q -p mine before after >merged 2>%s", h->base, "/dev/null");
    must(code >= 0 && code < 128, "git merge-file");
    file->clash = code > 0;
    if (code == 0) {
        read_text(path_of("%s/merged", h->base), &mine);
        write_text(in_alone(h, file->alone), &mine);
    }
    buf_free(&mine);
    buf_free(&after);
}

static void person_edits(struct history *h, struct tracked *file) {
    struct buf before = {0}, after = {0};
    read_text(in_project(h, file->now), &before);
    change_text(h, &before, &after);
    write_text(in_project(h, file->now), &after);
    buf_free(&after);
    h->told_apart++;
    if (file->edited) {
        buf_free(&before);
        return;
    }
    buf_free(&file->left);
    file->left = before;
    file->edited = true;
}

static void agent_writes(struct history *h, const struct tracked *file) {
    struct buf before = {0}, after = {0};
    read_text(in_project(h, file->now), &before);
    change_text(h, &before, &after);
    agent_does(h, "write_file",
               json_pack("{s:s, s:s#}", "path", file->now, "content", after.data ? after.data : "",
                         after.len));
    buf_free(&before);
    buf_free(&after);
}

static void agent_inserts(struct history *h, const struct tracked *file) {
    char line[40];
    (void)snprintf(line, sizeof line, "line %d\n", h->lines++);
    agent_does(h, "insert_at_line",
               json_pack("{s:s, s:s, s:i}", "path", file->now, "content", line, "line",
                         draw(3) == 0 ? -1 : 0));
}

static void agent_moves(struct history *h, struct tracked *file) {
    char name[32];
    (void)snprintf(name, sizeof name, "%sm%d", draw(2) ? "dir/" : "", h->lines++);
    agent_does(h, "move_file", json_pack("{s:s, s:s}", "source", file->now, "destination", name));
    memcpy(file->now, name, sizeof name);
}

static void agent_creates(struct history *h, struct tracked *file) {
    struct buf text = {0};
    make_text(h, &text);
    (void)snprintf(file->now, sizeof file->now, "%sn%d", draw(2) ? "new/" : "", h->lines++);
    agent_does(h, "create_file",
               json_pack("{s:s, s:s#}", "path", file->now, "content", text.data, text.len));
    buf_free(&text);
}

static void step(struct history *h) {
    struct tracked *file = &h->files[draw(FILES)];
    unsigned what = draw(12);
    if (what < 6 || what > 9)
        follow_alone(h, file);
    if (!file->now[0]) {
        if (!file->alone[0] && what < 6)
            agent_creates(h, file);
    } else if (what < 5) {
        agent_writes(h, file);
    } else if (what < 6) {
        agent_inserts(h, file);
    } else if (what < 10) {
        person_edits(h, file);
    } else if (what == 10) {
        agent_moves(h, file);
    } else {
        agent_does(h, "delete_file", json_pack("{s:s}", "path", file->now));
        file->now[0] = '\0';
    }
}

static void begin(struct history *h) {
    mkdir(path_of("%s/p", h->base), 0755);
    mkdir(path_of("%s/alone", h->base), 0755);
    for (int i = 0; i < FILES; i++) {
        struct tracked *file = &h->files[i];
        struct buf text = {0};
        *file = (struct tracked){0};
        if (i == FILES - 1) /* made by the agent, if at all */
            break;
        make_text(h, &text);
        (void)snprintf(file->now, sizeof file->now, "%sf%d", i % 2 ? "sub/" : "", i);
        memcpy(file->alone, file->now, sizeof file->now);
        write_text(in_project(h, file->now), &text);
        write_text(in_alone(h, file->alone), &text);
        buf_free(&text);
    }
}

/* -- what must hold ---------------------------------------------------------------------------- */

static void tree_text(const struct history *h, const char *name, struct buf *out) {
    char *path = path_of("%s/%s", h->base, name);
    buf_str(out, "");
    tree_of_directory(out, path, "");
    free(path);
}

static bool is_equal(const struct buf *a, const struct buf *b) {
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static bool complain(const struct history *h, const char *what) {
    printf("history %d: %s; the project is %s/p\n", h->number, what, h->base);
    return false;
}

static bool is_mixed(const json_t *file) {
    size_t i;
    const json_t *hunk;
    if (json_is_true(json_object_get(file, "mixed")))
        return true;
    json_array_foreach(json_object_get(file, "hunks"), i, hunk) {
        if (json_is_true(json_object_get(hunk, "mixed")))
            return true;
    }
    return false;
}

static struct tracked *tracked_at(struct history *h, const char *now) {
    for (int i = 0; i < FILES; i++)
        if (strcmp(h->files[i].now, now) == 0)
            return &h->files[i];
    return NULL;
}

/* The ids of all files that can be taken back; those that cannot are those in which git has found a
 * conflict. */
static json_t *reversible(struct history *h, const json_t *files, bool *all, bool *good) {
    json_t *ids = json_array();
    size_t i;
    const json_t *file;
    *all = *good = true;
    json_array_foreach(files, i, file) {
        const struct tracked *t = tracked_at(h, json_string_value(json_object_get(file, "path")));
        if (!is_mixed(file)) {
            json_array_append(ids, json_object_get(file, "id"));
            if (t && t->clash && t->alone[0])
                *good = complain(h, "a conflict was not noticed");
        } else {
            *all = false;
            h->refused_more += t && !t->clash;
        }
    }
    return ids;
}

static bool take_back_all(struct history *h) {
    bool all, good;
    struct buf before = {0}, after = {0}, again = {0}, alone = {0};
    json_t *diff = call_core(h, "changes_diff", json_object(), "person");
    json_t *ids = reversible(h, json_object_get(diff, "files"), &all, &good);
    tree_text(h, "p", &before);
    json_t *reply = call_core(h, "changes_undo", json_pack("{s:O}", "hunks", ids), "person");
    if (error_of(reply) && json_array_size(ids) > 0)
        good = complain(h, json_string_value(json_object_get(reply, "message")));
    tree_text(h, "p", &after);
    tree_text(h, "alone", &alone);
    if (good && all && !is_equal(&after, &alone))
        good = complain(h, "taking back all did not leave what the person did");
    json_decref(reply);
    /* The latest call is the one that took it back. */
    json_t *list = call_core(h, "changes_list", json_pack("{s:i}", "limit", 1), "person");
    json_t *last = json_array_get(json_object_get(list, "calls"), 0);
    if (good && json_array_size(ids) > 0) {
        reply = call_core(h, "changes_undo",
                          json_pack("{s:[O]}", "calls", json_object_get(last, "id")), "person");
        if (error_of(reply))
            good = complain(h, json_string_value(json_object_get(reply, "message")));
        json_decref(reply);
        tree_text(h, "p", &again);
        if (good && !is_equal(&before, &again))
            good = complain(h, "taking back what took all back did not restore it");
    }
    json_decref(list);
    json_decref(ids);
    json_decref(diff);
    buf_free(&before);
    buf_free(&after);
    buf_free(&again);
    buf_free(&alone);
    return good;
}

/* Chooses hunks of modified files, and has git take them back in a copy. */
static json_t *choose(struct history *h, const json_t *files) {
    json_t *ids = json_array();
    size_t i, j;
    const json_t *file, *hunk;
    json_array_foreach(files, i, file) {
        const char *path = json_string_value(json_object_get(file, "path"));
        struct buf patch = {0};
        if (strcmp(json_string_value(json_object_get(file, "action")), "modified") != 0)
            continue;
        buf_printf(&patch, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n", path, path, path, path);
        size_t before = json_array_size(ids);
        json_array_foreach(json_object_get(file, "hunks"), j, hunk) {
            if (json_is_true(json_object_get(hunk, "mixed")) || draw(2))
                continue;
            json_array_append(ids, json_object_get(hunk, "id"));
            buf_str(&patch, json_string_value(json_object_get(hunk, "diff")));
        }
        write_text(path_of("%s/patch", h->base), &patch);
        buf_free(&patch);
        if (json_array_size(ids) > before &&
            git("cd %s/copy && git apply -R --unidiff-zero --whitespace=nowarn %s", h->base,
                "../patch"))
            (void)complain(h, "git does not apply what is shown");
    }
    return ids;
}

static bool take_back_some(struct history *h) {
    bool good = true;
    struct buf here = {0}, copy = {0};
    char *from = path_of("%s/p", h->base), *to = path_of("%s/copy", h->base);
    copy_tree(from, to);
    json_t *diff = call_core(h, "changes_diff", json_object(), "person");
    json_t *ids = choose(h, json_object_get(diff, "files"));
    if (json_array_size(ids) > 0) {
        json_t *reply = call_core(h, "changes_undo", json_pack("{s:O}", "hunks", ids), "person");
        if (error_of(reply))
            good = complain(h, json_string_value(json_object_get(reply, "message")));
        json_decref(reply);
    }
    tree_text(h, "p", &here);
    tree_text(h, "copy", &copy);
    if (good && !is_equal(&here, &copy))
        good = complain(h, "taking back some hunks is not what git does");
    remove_all(to);
    free(from);
    free(to);
    buf_free(&here);
    buf_free(&copy);
    json_decref(ids);
    json_decref(diff);
    return good;
}

/* Accepts one hunk, and then the rest. */
static bool accept(struct history *h) {
    struct buf before = {0}, after = {0};
    bool good = true;
    tree_text(h, "p", &before);
    json_t *diff = call_core(h, "changes_diff", json_object(), "person");
    json_int_t left = json_integer_value(json_object_get(diff, "hunks_total"));
    json_t *file = json_array_get(json_object_get(diff, "files"), 0);
    json_t *hunk = json_array_get(json_object_get(file, "hunks"), 0);
    if (hunk && !json_is_true(json_object_get(file, "whole"))) {
        json_decref(call_core(h, "changes_accept",
                              json_pack("{s:[O]}", "hunks", json_object_get(hunk, "id")),
                              "person"));
        json_t *rest = call_core(h, "changes_diff", json_object(), "person");
        if (json_integer_value(json_object_get(rest, "hunks_total")) != left - 1)
            good = complain(h, "one hunk was accepted, and not one is gone");
        json_decref(rest);
    }
    json_decref(diff);
    json_decref(call_core(h, "changes_accept", json_object(), "person"));
    diff = call_core(h, "changes_diff", json_object(), "person");
    if (json_integer_value(json_object_get(diff, "total")) != 0)
        good = complain(h, "all was accepted, and something is left");
    json_decref(diff);
    tree_text(h, "p", &after);
    if (!is_equal(&before, &after))
        good = complain(h, "accepting changed the project");
    buf_free(&before);
    buf_free(&after);
    return good;
}

static bool run(struct history *h) {
    char *options;
    begin(h);
    options = path_of("{\"root\": \"%s/p\", \"state_dir\": \"%s/state\"}", h->base, h->base);
    h->ws = open_options(options);
    free(options);
    for (int i = 0; i < STEPS; i++)
        step(h);
    for (int i = 0; i < FILES; i++) {
        follow_alone(h, &h->files[i]);
        buf_free(&h->files[i].left);
    }
    bool good = take_back_all(h);
    good = take_back_some(h) && good;
    /* Again, after more of both. */
    good = accept(h) && good;
    aqfs_free(h->ws);
    return good;
}

int main(int argc, char **argv) {
    int histories = argc > 1 ? atoi(argv[1]) : 60;
    unsigned long long seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *only = getenv("T");
    long passed = 0, failed = 0, refused = 0, apart = 0;
    for (int i = 0; i < histories; i++) {
        struct history h = {.base = make_temporary("aqfs-review"), .number = i};
        if (only && *only && atoi(only) != i) {
            remove_all(h.base);
            continue;
        }
        state = seed * 1000003ULL + (unsigned long long)i * 7919ULL;
        bool good = run(&h);
        passed += good;
        failed += !good;
        refused += h.refused_more;
        apart += h.told_apart;
        if (good || !only)
            remove_all(h.base);
        free(h.base);
    }
    printf("%ld edits of a person were told apart; of files that git merges, %ld are not taken "
           "back\n",
           apart, refused);
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed > 0 || passed == 0;
}

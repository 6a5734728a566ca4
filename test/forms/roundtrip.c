/* SPDX-License-Identifier: MIT */
/* roundtrip.c -- roundtrip COUNT [SEED] <list-of-files: edit_form leaves nothing behind.
 *
 * Each of COUNT forms of copies of the files is replaced by itself, which must be no change;
 * changed and changed back; and renamed and renamed back.  Then the file must hold the bytes that
 * it held before, whatever its encoding and the ends of its lines. */
#include "aqfs.h"
#include "definition.h"
#include "files.h"
#include "parts/text_file.h"
#include "request.h"
#include "sample.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 100000, FORMS_A_FILE = 10 };

#define NEW_NAME "aqfs-was-renamed"

static uint64_t state = 1;
static char *base;
static aqfs_workspace *ws;
static struct { size_t forms, renamed, failed, shared, refused; } tally;

struct sample {
    const char *name; /* where the file comes from */
    char path[20];    /* in the project */
    char *full;
    struct buf before;
    int64_t line;
};

/* -- asking -------------------------------------------------------------------------------------
 */

/* The reply to OP with ARGS beside path and line, and in ERROR its code or "". */
static json_t *ask(const struct sample *s, const char *op, json_t *args, char error[40]) {
    (void)json_object_set_new(args, "path", json_string(s->path));
    (void)json_object_set_new(args, "line", json_integer(s->line));
    char *text = json_dumps(args, JSON_COMPACT);
    aqfs_reply *reply = ask_as(ws, op, text, AQFS_JSON);
    size_t n;
    const char *said = aqfs_reply_text(reply, &n), *code = aqfs_reply_error(reply);
    json_t *data = json_loadb(said, n, 0, NULL);
    (void)snprintf(error, 40, "%s", code ? code : "");
    aqfs_reply_free(reply);
    json_decref(args);
    free(text);
    return data;
}

static bool fail(const struct sample *s, const char *why) {
    printf("FAIL %s:%lld: %s\n", s->name, (long long)s->line, why);
    return false;
}

/* Makes the edit, which must leave other bytes than before unless BACK, and the same if it does. */
static bool edit(const struct sample *s, json_t *args, bool back) {
    char error[40];
    struct buf now = {0};
    json_t *reply = ask(s, "edit_form", args, error);
    const char *message = json_string_value(json_object_get(reply, "message"));
    bool ok = !error[0] || fail(s, message ? message : error);
    json_decref(reply);
    if (ok && !text_file_read(s->full, &now))
        ok = fail(s, "it cannot be read");
    bool same = now.len == s->before.len && memcmp(now.data, s->before.data, now.len) == 0;
    buf_free(&now);
    if (ok && same != back)
        ok = fail(s, back ? "it is not what it was" : "nothing was edited");
    return ok;
}

/* -- one form -----------------------------------------------------------------------------------
 */

static bool replace_by_itself(const struct sample *s, const char *content) {
    char error[40];
    json_t *reply = ask(s, "edit_form", json_pack("{s:s}", "content", content), error);
    const char *message = json_string_value(json_object_get(reply, "message"));
    bool good = message && strstr(message, "changes nothing");
    json_decref(reply);
    return good || fail(s, "replacing it by itself is a change");
}

/* One part more, and away again. */
static bool change_and_back(const struct sample *s, const char *content) {
    size_t n = strlen(content);
    while (n > 0 && !strchr(")]}", content[n - 1]))
        n--;
    if (n == 0)
        return true;
    char *more = path_of("%.*s aqfs-more%s", (int)n - 1, content, content + n - 1);
    bool ok = edit(s, json_pack("{s:s}", "content", more), false) &&
              edit(s, json_pack("{s:s}", "content", content), true);
    free(more);
    return ok;
}

static bool rename_and_back(const struct sample *s, const char *name) {
    tally.renamed++;
    return edit(s, json_pack("{s:s, s:s}", "action", "rename", "new_name", NEW_NAME), false) &&
           edit(s, json_pack("{s:s, s:s}", "action", "rename", "new_name", name), true);
}

/* False where the line holds several forms, or the file cannot be edited. */
static bool try_form(const struct sample *s) {
    char error[40];
    json_t *reply = ask(s, "read_form", json_object(), error);
    const char *content = json_string_value(json_object_get(reply, "content"));
    const char *name = json_string_value(json_object_get(reply, "name"));
    const char *kind = json_string_value(json_object_get(reply, "kind")); /* an atom has none */
    bool shared = strcmp(error, "multiple-matches") == 0;
    tally.shared += shared;
    tally.refused += error[0] && !shared;
    if (!error[0]) {
        tally.forms++;
        bool ok = content && replace_by_itself(s, content) && change_and_back(s, content);
        if (ok && kind && name && *name)
            ok = rename_and_back(s, name);
        tally.failed += !ok;
    }
    json_decref(reply);
    return !error[0] || shared;
}

/* -- one file -----------------------------------------------------------------------------------
 */

static int64_t first_line(const struct buf *text, size_t at) {
    int64_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text->data[i] == '\n';
    return line;
}

static void try_forms(struct sample *s, enum dialect dialect, const struct forms *forms,
                      size_t wanted) {
    for (size_t i = 0; i < FORMS_A_FILE && tally.forms < wanted; i++) {
        const struct form *form = &forms->all[sample_number(&state) % forms->n];
        struct definition d = definition_of(dialect, s->before.data, form);
        s->line = first_line(&s->before, form->start);
        if (d.kind.len > 0 && !try_form(s))
            return;
    }
}

static void try_file(const char *name, size_t number, size_t wanted) {
    struct sample s = {.name = name};
    struct forms forms = {0};
    const char *ending = strrchr(name, '.');
    (void)snprintf(s.path, sizeof s.path, "%zu%s", number, ending ? ending : "");
    bool ok = text_file_read(name, &s.before) && s.before.len > 0 && s.before.len <= TEXT_MOST;
    enum dialect dialect =
        ok ? dialect_of(name, strlen(name), s.before.data, s.before.len) : DIALECT_NONE;
    if (dialect && forms_read(dialect, s.before.data, s.before.len, &forms) && forms.n > 0 &&
        !forms.fault.kind && !forms.unsure) {
        s.full = path_of("%s/project/%s", base, s.path);
        make_bytes(s.full, s.before.data, s.before.len);
        try_forms(&s, dialect, &forms, wanted);
        (void)remove(s.full);
        free(s.full);
    }
    forms_free(&forms);
    buf_free(&s.before);
}

static void open_project(void) {
    base = make_temporary_in(temporary_place(), "aqfs-forms");
    char *project = path_of("%s/project", base);
    char *options = path_of("{\"root\":\"%s\",\"state_dir\":\"%s/state\","
                            "\"limits\":{\"read_lines\":1000000}}",
                            project, base);
    make_directory(project);
    ws = open_options(options);
    free(project);
    free(options);
}

int main(int argc, char **argv) {
    size_t wanted = argc > 1 ? (size_t)atol(argv[1]) : 1000;
    state = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
    struct file_list list = file_list_read(stdin);
    open_project();
    for (size_t i = 0; list.n > 0 && tally.forms < wanted && i < 4 * wanted; i++)
        try_file(list.names[sample_number(&state) % list.n], i, wanted);
    printf("ROUNDTRIP %zu forms, %zu of them renamed; besides, %zu lines with several forms, and "
           "%zu files refused\n",
           tally.forms, tally.renamed, tally.shared, tally.refused);
    printf("%zu passed, %zu failed\n", tally.forms - tally.failed, tally.failed);
    aqfs_free(ws);
    remove_all(base);
    free(base);
    file_list_free(&list);
    return tally.forms == 0 || tally.failed > 0;
}

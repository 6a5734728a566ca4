/* SPDX-License-Identifier: MIT */
/* wish.c -- an operation that an input of fuzz_commit.c asks for, and what it ought to do: see
 * wish.h. */
#include "wish.h"

#include <stdio.h>
#include <string.h>

/* -- the input -------------------------------------------------------------------------------- */

const uint8_t *input, *input_end;

unsigned take(unsigned limit) {
    return input < input_end ? *input++ % limit : 0;
}

const char *take_path(void) {
    static const char *const paths[] = {"a",     "b.txt", "d", "d/a", "d/b.txt", "d/e",
                                        "d/e/a", "f/g/h", "f", "f/g", "f/a"};
    return paths[take(sizeof paths / sizeof *paths)];
}

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

void wish_create(struct wish *w, struct model *m) {
    const char *path = take_path();
    struct text text = take_text();
    int overwrite = (int)take(2), above = take(4) != 0;
    w->op = "create_file";
    w->args = json_pack("{s:s, s:s, s:b, s:b}", "path", path, "content", text.data,
                        "allow_overwrite", overwrite, "create_parents", above);
    touch(w, path);
    decide(w, model_write(m, path, text.data, text.n, overwrite, false, above));
}

void wish_write(struct wish *w, struct model *m) {
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

void wish_edit(struct wish *w, struct model *m) {
    const char *path = take_path();
    struct text old = take_text(), new = take_text();
    w->op = "edit_file";
    w->dangerous = false;
    w->args = json_pack("{s:s, s:s, s:s}", "path", path, "old_str", old.data, "new_str", new.data);
    touch(w, path);
    decide(w, model_edit(m, path, old.data, old.n, new.data, new.n));
}

void wish_edits(struct wish *w, struct model *m) {
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

void wish_insert(struct wish *w, struct model *m) {
    const char *path = take_path();
    struct text text = take_text();
    int line = (int)take(6) - 1;
    w->op = "insert_at_line";
    w->dangerous = false;
    w->args = json_pack("{s:s, s:s, s:i}", "path", path, "content", text.data, "line", line);
    touch(w, path);
    decide(w, model_insert(m, path, line, text.data, text.n));
}

void wish_directory(struct wish *w, struct model *m) {
    const char *path = take_path();
    int above = take(4) != 0, exist_ok = take(2) != 0;
    w->op = "make_directory";
    w->args = json_pack("{s:s, s:b, s:b}", "path", path, "parents", above, "exist_ok", exist_ok);
    touch(w, path);
    decide(w, model_make_directory(m, path, above, exist_ok));
}

void wish_move(struct wish *w, struct model *m) {
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

void wish_delete(struct wish *w, struct model *m) {
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

void wish_patch(struct wish *w, struct model *m) {
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

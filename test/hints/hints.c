/* SPDX-License-Identifier: MIT */
/* hints.c -- does a hint name the right line?
 *
 *     hints COUNT [SEED] [-v] <list-of-files
 *
 * Takes COUNT strings that occur once in real files, spoils each in one way that
 * models and people do, and asks what comes nearest.  Prints
 *
 *     HINTS kind tried right-line% right-lines% kind-named%
 *
 * and last the number of kinds for which at least 95 of 100 name the line that
 * was spoiled.  A spoiled string that was replaced all the same is a failure.
 *
 * T in the environment is a part of the names of the kinds to try.
 *
 * Each is also given to edit_file, with a copy of its file: the answer must be no-match with the
 * same words, and the file as it was.
 */
#include "parts/spoil.h"

#include "aqfs.h"
#include "die.h"
#include "files.h"
#include "lines.h"
#include "nearmiss.h"
#include "replace.h"
#include "request.h"
#include "select.h"
#include "utf8.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES_MOST = 100000,
    FILE_LEAST = 500,
    FILE_MOST = 1 << 20,
    LINES_MOST = 8,
    INK_LEAST = 12, /* of a shorter string nothing is left when it is spoiled */
    TRIES = 4000,
    PERCENT = 95,
};

/* -- strings from files ----------------------------------------------------------------------- */

static struct {
    char *names[FILES_MOST];
    size_t count;
    bool verbose;
    char *project, *copy;
    aqfs_workspace *ws;
} world;

static void read_names(void) {
    char name[4096];
    while (world.count < FILES_MOST && fgets(name, sizeof name, stdin)) {
        name[strcspn(name, "\n")] = '\0';
        world.names[world.count++] = strdup(name);
    }
}

/* A whole text file, or nothing. */
static bool read_file(const char *name, struct buf *out) {
    buf_clear(out);
    FILE *file = fopen(name, "rb");
    if (!file)
        return false;
    if (buf_reserve(out, FILE_MOST))
        out->len = fread(out->data, 1, FILE_MOST, file);
    (void)fclose(file);
    return out->len >= FILE_LEAST && out->len < FILE_MOST && utf8_is_valid(out->data, out->len) &&
           !memchr(out->data, '\0', out->len) && !memchr(out->data, '\r', out->len);
}

static bool occurs_once(struct text_ref text, struct text_ref part) {
    const char *at = memmem(text.data, text.len, part.data, part.len);
    const char *end = text.data + text.len;
    return at && !memmem(at + 1, (size_t)(end - at) - 1, part.data, part.len);
}

/* A string of FILE: some lines, of which the first and the last may not be whole. */
static bool pick(struct text_ref file, struct span *out) {
    const size_t lines = linewise_count(file.data, file.len);
    const size_t first = below(lines), count = 1 + below(LINES_MOST);
    size_t at = linewise_below(file.data, file.len, 0, first);
    size_t end = linewise_below(file.data, file.len, at, count);
    if (end > at && below(2))
        end--; /* without the last newline */
    if (below(4) == 0 && end - at > 20) {
        at += below(10);
        end -= below(10);
    }
    at = utf8_cut(file.data, file.len, at);
    end = utf8_cut(file.data, file.len, end);
    *out = (struct span){at, end - at};
    const struct text_ref part = {file.data + at, end - at};
    return ink(part) >= INK_LEAST && occurs_once(file, part);
}

/* -- the operation ----------------------------------------------------------------------------- */

static void open_project(void) {
    world.project = make_temporary_in(temporary_place(), "aqfs-hints");
    world.copy = path_of("%s/copy.txt", world.project);
    char *options = path_of("{\"root\":\"%s\"}", world.project);
    world.ws = open_options(options);
    free(options);
}

static void close_project(void) {
    aqfs_free(world.ws);
    remove_all(world.project);
    free(world.project), free(world.copy);
}

static bool copy_holds(struct text_ref text) {
    struct buf now = {0};
    read_whole(world.copy, &now);
    bool same = now.len == text.len && memcmp(now.data, text.data, now.len) == 0;
    buf_free(&now);
    return same;
}

/* Does edit_file refuse it with what NEAR says, its numbers of lines among that, and nothing else?
 */
static bool is_refused(struct text_ref text, const struct edit *edit, const struct nearmiss *near) {
    aqfs_context json = {.format = AQFS_JSON};
    make_bytes(world.copy, text.data, text.len);
    json_t *request =
        json_pack("{s:s, s:{s:s, s:s%, s:s%}, s:s}", "op", "edit_file", "args", "path", "copy.txt",
                  "old_str", edit->old_str.data, edit->old_str.len, "new_str", edit->new_str.data,
                  edit->new_str.len, "authority", "dangerous");
    char *given = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!given)
        return false;
    aqfs_reply *reply = aqfs_call(world.ws, given, strlen(given), &json);
    json_t *said = json_loads(aqfs_reply_text(reply, NULL), 0, NULL);
    const char *message = json_string_value(json_object_get(said, "message"));
    const char *error = aqfs_reply_error(reply);
    struct error expected;
    (void)fail(&expected, AQFS_NO_MATCH, "%s", near->words.data);
    bool ok = error && strcmp(error, "no-match") == 0 && message &&
              strcmp(message, expected.message) == 0 && copy_holds(text);
    json_decref(said);
    aqfs_reply_free(reply);
    free(given);
    return ok;
}

/* -- trials ----------------------------------------------------------------------------------- */

static struct way {
    const char *name;
    size_t (*spoil)(struct text_ref text, struct buf *out);
    unsigned kinds; /* one of these must be named */
    size_t tried, line, lines, kind, applied, refused;
} ways[] = {
    {.name = "tabs", .spoil = tabs, .kinds = NEAR_TABS},
    {.name = "nbsp", .spoil = nbsp, .kinds = NEAR_UNICODE_SPACES},
    {.name = "case", .spoil = letter_case, .kinds = NEAR_CASE},
    {.name = "crlf", .spoil = crlf, .kinds = NEAR_ENDINGS},
    {.name = "word", .spoil = word, .kinds = NEAR_WORDS | NEAR_LINE},
    {.name = "dropped-line", .spoil = dropped_line, .kinds = NEAR_LACKING},
    {.name = "old-version", .spoil = old_version, .kinds = NEAR_WORDS | NEAR_LINE},
    {.name = "indentation", .spoil = indentation, .kinds = NEAR_INDENTATION},
    {.name = "trailing", .spoil = trailing, .kinds = NEAR_TRAILING},
    {.name = "inner-spaces", .spoil = inner_spaces, .kinds = NEAR_SPACES},
    {.name = "look-alikes", .spoil = look_alike, .kinds = NEAR_LOOKALIKES},
    {.name = "added-line", .spoil = added_line, .kinds = NEAR_EXTRA},
    {.name = "line-numbers", .spoil = numbers, .kinds = NEAR_NUMBERS},
    {.name = "escapes", .spoil = escapes, .kinds = NEAR_ESCAPES},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void show_miss(const struct way *way, const char *name, size_t line, bool right,
                      struct text_ref old, const struct nearmiss *near) {
    if (world.verbose)
        printf("-- %s%s, %s:%zu\n%.*s\n=> %s\n", way->name, right ? " (lines)" : "", name, line,
               (int)old.len, old.data, near->words.data);
}

/* Asks for OLD, which was spoiled at offset AT of what is at PART of TEXT. */
static void judge(struct way *way, const char *name, struct text_ref text, struct span part,
                  size_t at, struct text_ref old) {
    const struct edit edit = {.old_str = old, .new_str = {"what is never to be seen", 24}};
    struct error e;
    size_t found;
    way->tried++;
    way->applied += replace_find(text, &edit, &found, &e) == AQFS_OK;
    struct nearmiss near;
    if (!nearmiss_find(text, old, edit.new_str, &near))
        abort();
    const size_t line = 1 + lines_count(text.data, part.at + at);
    const size_t first = 1 + lines_count(text.data, part.at);
    const size_t last = first + lines_count(text.data + part.at, part.len - 1);
    const bool right = near.line == line;
    way->line += right;
    const bool all = near.first == first && near.last == last;
    way->lines += all;
    way->kind += (near.kinds & way->kinds) != 0;
    way->refused += is_refused(text, &edit, &near);
    if (!right || !all)
        show_miss(way, name, line, right, old, &near);
    nearmiss_free(&near);
}

/* One trial; false when the file that was picked does not do. */
static bool try_one(struct way *way, struct buf *file, struct buf *spoiled) {
    const char *name = world.names[below(world.count)];
    if (!read_file(name, file))
        return false;
    const struct text_ref text = {file->data, file->len};
    struct span part;
    if (!pick(text, &part))
        return false;
    const struct text_ref string = {text.data + part.at, part.len};
    buf_clear(spoiled);
    const size_t at = way->spoil(string, spoiled);
    if (at == CANNOT || memmem(text.data, text.len, spoiled->data, spoiled->len))
        return false;
    judge(way, name, text, part, at, (struct text_ref){spoiled->data, spoiled->len});
    return true;
}

static double percent(size_t part, size_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Prints the table, and how many of its rows are good enough; how many are not. */
static int report(void) {
    int good = 0, bad = 0;
    size_t tried = 0, line = 0, applied = 0;
    printf("HINTS %-13s %6s %10s %11s %10s %8s\n", "kind", "tried", "right-line", "right-lines",
           "kind-named", "refused");
    for (size_t i = 0; i < WAYS; i++) {
        const struct way *w = &ways[i];
        if (!is_selected("%s", w->name))
            continue;
        printf("HINTS %-13s %6zu %9.1f%% %10.1f%% %9.1f%% %8zu\n", w->name, w->tried,
               percent(w->line, w->tried), percent(w->lines, w->tried), percent(w->kind, w->tried),
               w->refused);
        if (percent(w->line, w->tried) < PERCENT || w->applied > 0 || w->refused < w->tried)
            bad++;
        else
            good++;
        tried += w->tried;
        line += w->line;
        applied += w->applied;
    }
    printf("HINTS %-13s %6zu %9.1f%%; %zu applied\n", "all", tried, percent(line, tried), applied);
    printf("%d passed, %d failed\n", good, bad);
    return bad;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    const size_t count = (size_t)strtoul(argv[1], NULL, 10);
    spoil_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    spoil_state = spoil_state ? spoil_state : 1; /* from 0 all that follows would be 0 */
    world.verbose = argc > 3;
    read_names();
    open_project();
    struct buf file = {0}, spoiled = {0};
    for (size_t i = 0; i < count && world.count > 0; i++)
        if (is_selected("%s", ways[i % WAYS].name))
            for (int tries = 0; tries < TRIES && !try_one(&ways[i % WAYS], &file, &spoiled);)
                tries++;
    buf_free(&file);
    buf_free(&spoiled);
    for (size_t i = 0; i < world.count; i++)
        free(world.names[i]);
    close_project();
    return report() > 0;
}

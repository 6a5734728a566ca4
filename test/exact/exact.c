/* SPDX-License-Identifier: MIT */
/* exact.c -- exact COUNT [SEED] <list-of-files: an edit that is edited back leaves nothing behind.
 *
 * Copies COUNT of the files into a project of its own, as they are or converted (convert.h), with
 * all sorts of permissions and attributes.  In each, a string that occurs once is changed through
 * edit_file and changed back: then bytes, mode, owner and attributes must be what they were, and in
 * between all bytes outside of the edit.
 *
 * Two kinds of changes cannot be undone by an edit, and are not tried: those that take away the
 * last newline of a kind, or the last character that tells the encoding.  So new_str keeps the
 * newlines and all characters but ASCII of old_str, loses others, and gets a word that is nowhere.
 */
#include "parts/convert.h"
#include "parts/disk.h"

#include "aqfs.h"
#include "files.h"
#include "request.h"
#include "utf8.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FILES_MOST = 200000,
    FILE_MOST = 400000,
    STRING_MOST = 300,
    TRIES = 200,
    PER_DIRECTORY = 50
};

static struct {
    char *base;
    aqfs_workspace *ws;
    char *names[FILES_MOST];
    size_t count;
} world;

static struct {
    size_t edited, failed, refused, without, attributes, owners, modes;
    size_t traits[TRAITS];
} tally;

/* -- asking -------------------------------------------------------------------------------------
 */

/* The reply, and in ERROR its code or "". */
static json_t *ask(const char *op, json_t *args, char error[40]) {
    aqfs_context json = {.format = AQFS_JSON};
    json_t *request = json_pack("{s:s, s:o, s:s}", "op", op, "args", args, "authority", "cautious");
    char *text = json_dumps(request, JSON_COMPACT);
    aqfs_reply *reply = aqfs_call(world.ws, text, strlen(text), &json);
    size_t n;
    const char *said = aqfs_reply_text(reply, &n), *code = aqfs_reply_error(reply);
    json_t *data = json_loadb(said, n, 0, NULL);
    (void)snprintf(error, 40, "%s", code ? code : "");
    aqfs_reply_free(reply);
    json_decref(request);
    free(text);
    return data;
}

static json_t *json_text(const struct buf *b) {
    return json_stringn(b->data ? b->data : "", b->len);
}

/* A string may end anywhere, so the parentheses of a Lisp file need not balance. */
static bool edit(const char *path, const struct buf *old, const struct buf *new) {
    char error[40];
    json_t *reply = ask("edit_file",
                        json_pack("{s:s, s:o, s:o, s:b}", "path", path, "old_str", json_text(old),
                                  "new_str", json_text(new), "allow_unbalanced", true),
                        error);
    if (error[0])
        printf("FAIL %s: %s\n", path, json_string_value(json_object_get(reply, "message")));
    json_decref(reply);
    return !error[0];
}

/* -- what to change ------------------------------------------------------------------------------
 */

/* In a file of mixed line endings, those that an edit gives stand for any. */
static void add_plain_endings(struct buf *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] != '\r' || (i + 1 < n && text[i + 1] != '\n'))
            buf_char(out, text[i]);
}

/* PLAIN is the whole text with plain endings. */
static bool occurs_once(const struct buf *plain, const char *part, size_t n) {
    struct buf sought = {0};
    add_plain_endings(&sought, part, n);
    const char *end = plain->data + plain->len;
    const char *at = sought.len ? memmem(plain->data, plain->len, sought.data, sought.len) : NULL;
    bool once = at && !memmem(at + 1, (size_t)(end - at) - 1, sought.data, sought.len);
    buf_free(&sought);
    return once;
}

static bool pick(const struct buf *text, struct buf *old) {
    struct buf plain = {0};
    bool picked = false;
    add_plain_endings(&plain, text->data, text->len);
    for (int tries = 0; tries < TRIES && text->len > 0 && !picked; tries++) {
        size_t at = below(text->len), n = 1 + below(STRING_MOST);
        size_t end = at + n < text->len ? at + n : text->len;
        at = utf8_cut(text->data, text->len, at);
        end = utf8_cut(text->data, text->len, end);
        picked = end != at && occurs_once(&plain, text->data + at, end - at);
        if (picked) {
            buf_clear(old);
            buf_add(old, text->data + at, end - at);
        }
    }
    buf_free(&plain);
    return picked;
}

static void change(const struct buf *text, const struct buf *old, struct buf *new) {
    char word[40];
    do {
        (void)snprintf(word, sizeof word, "<%zx%s>", below((size_t)1 << 30), below(2) ? "\n" : "");
    } while (memmem(text->data, text->len, word, strlen(word)));
    size_t place = utf8_cut(old->data, old->len, below(old->len));
    bool drop = below(2);
    for (size_t i = 0; i < old->len; i++) {
        char c = old->data[i];
        if (i == place)
            buf_str(new, word);
        if (!drop || (c & 0x80) || c == '\n' || c == '\r' || below(3))
            buf_char(new, c);
    }
}

/* -- one file ------------------------------------------------------------------------------------
 */

static bool fail(const char *path, const char *name, const char *why) {
    printf("FAIL %s (%s): %s\n", path, name, why);
    return false;
}

/* Only the bytes of the edit may change. */
static bool is_local(const struct buf *a, const struct buf *b, size_t most) {
    size_t n = a->len < b->len ? a->len : b->len, head = 0, tail = 0;
    while (head < n && a->data[head] == b->data[head])
        head++;
    // cppcheck-suppress knownConditionTrueFalse ; it does not see that head may be less than n
    while (tail < n - head && a->data[a->len - 1 - tail] == b->data[b->len - 1 - tail])
        tail++;
    return a->len - head - tail <= most && b->len - head - tail <= most;
}

static bool try_both_ways(const char *path, const char *full, const char *name,
                          const struct on_disk *before, const struct buf *old,
                          const struct buf *new) {
    struct on_disk between = {0}, after = {0};
    /* In UTF-16 or with CRLF a byte is two, with both four. */
    size_t most = 4 * (old->len > new->len ? old->len : new->len);
    bool ok = edit(path, old, new) && disk_take(full, &between);
    const char *why = ok ? disk_difference(before, &between, false) : "it was not edited";
    if (!why && same_bytes(&before->bytes, &between.bytes))
        why = "nothing was edited";
    if (!why && !is_local(&before->bytes, &between.bytes, most))
        why = "more than the edit was changed";
    if (!why && (!edit(path, new, old) || !disk_take(full, &after)))
        why = "it was not edited back";
    if (!why)
        why = disk_difference(before, &after, true);
    disk_free(&between);
    disk_free(&after);
    return why ? fail(path, name, why) : true;
}

static void count(const struct on_disk *s) {
    unsigned traits = traits_of(&s->bytes);
    for (unsigned i = 0; i < TRAITS; i++)
        tally.traits[i] += traits >> i & 1;
    tally.attributes += s->attribute_count > 0;
    tally.owners += s->stat.st_uid != geteuid();
    tally.modes += (s->stat.st_mode & 07777) != 0644;
    tally.edited++;
}

/* A file that cannot be read as text cannot be edited, and stays what it is. */
static bool check_refused(const char *path, const char *full, const char *name, const char *error,
                          const struct on_disk *before) {
    struct on_disk after = {0};
    tally.refused++;
    bool known = strcmp(error, "binary") == 0 || strcmp(error, "encoding") == 0;
    bool same = disk_take(full, &after) && !disk_difference(before, &after, true);
    disk_free(&after);
    return known && same ? true : fail(path, name, error);
}

static bool check(const char *path, const char *full, const char *name) {
    struct on_disk before = {0};
    struct buf old = {0}, new = {0}, text = {0};
    char error[40];
    bool ok = true;
    if (!disk_take(full, &before))
        return fail(path, name, "it cannot be read");
    json_t *reply = ask("read_file", json_pack("{s:s}", "path", path), error);
    const json_t *content = json_object_get(reply, "content");
    buf_add(&text, json_string_value(content) ? json_string_value(content) : "",
            json_string_length(content));
    if (error[0]) {
        ok = check_refused(path, full, name, error, &before);
    } else if (!pick(&text, &old)) {
        tally.without++;
    } else {
        change(&text, &old, &new);
        ok = try_both_ways(path, full, name, &before, &old, &new);
        if (ok)
            count(&before);
    }
    json_decref(reply);
    disk_free(&before);
    buf_free(&old);
    buf_free(&new);
    buf_free(&text);
    return ok;
}

/* -- all files -----------------------------------------------------------------------------------
 */

/* Puts a copy of file NAME at FULL; false where it is not to be had, or does not suit the form. */
static bool copy(const char *name, const char *full, enum form form, size_t number) {
    struct buf in = {0}, out = {0};
    int from = open(name, O_RDONLY | O_CLOEXEC);
    bool ok =
        from >= 0 && read_fd(from, &in, FILE_MOST) && in.len > 0 &&
        (form == AS_IT_IS || (utf8_is_valid(in.data, in.len) && !memchr(in.data, '\0', in.len)));
    if (from >= 0)
        (void)close(from);
    if (ok)
        convert(&in, form, &out);
    int to = ok ? open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    ok = to >= 0 && write(to, out.data, out.len) == (ssize_t)out.len && dress(to, number);
    if (to >= 0)
        (void)close(to);
    buf_free(&in);
    buf_free(&out);
    return ok;
}

static void try_file(const char *name, size_t number) {
    char path[64], full[400];
    enum form form = number % 2 ? AS_IT_IS : (enum form)(number / 2 % FORMS);
    (void)snprintf(path, sizeof path, "%zu/%zu", number / PER_DIRECTORY, number);
    (void)snprintf(full, sizeof full, "%s/project/%zu", world.base, number / PER_DIRECTORY);
    (void)mkdir(full, 0755);
    (void)snprintf(full, sizeof full, "%s/project/%s", world.base, path);
    if (!copy(name, full, form, number))
        return;
    tally.failed += !check(path, full, name);
}

static void read_names(void) {
    char name[4096];
    while (world.count < FILES_MOST && fgets(name, sizeof name, stdin)) {
        name[strcspn(name, "\n")] = '\0';
        world.names[world.count++] = strdup(name);
    }
}

static void start(void) {
    world.base = make_temporary_in(temporary_place(), "aqfs-exact");
    char *project = path_of("%s/project", world.base);
    char *options = path_of("{\"root\":\"%s\",\"state_dir\":\"%s/state\","
                            "\"limits\":{\"read_lines\":1000000}}",
                            project, world.base);
    make_directory(project);
    world.ws = open_options(options);
    free(project), free(options);
}

static void report(void) {
    printf("EXACT %zu files edited and edited back; %zu refused as binary or in an encoding that "
           "cannot be told, unchanged; %zu without a string that occurs once\n",
           tally.edited, tally.refused, tally.without);
    for (size_t i = 0; i < TRAITS; i++)
        printf("EXACT %6zu with %s\n", tally.traits[i], trait_names[i]);
    printf("EXACT %6zu with attributes or an ACL, %zu of another owner, %zu of a mode other than "
           "644\n",
           tally.attributes, tally.owners, tally.modes);
}

/* Every kind of file must have been among them, if they were not chosen by T. */
static size_t missing(void) {
    size_t none = 0;
    if (getenv("T"))
        return 0;
    for (size_t i = 0; i < TRAITS; i++)
        none += tally.traits[i] == 0;
    return none;
}

int main(int argc, char **argv) {
    const size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) + 1 : 1;
    read_names();
    start();
    /* Files are taken in random order, each at most once. */
    for (size_t i = 0; i < world.count && tally.edited + tally.failed < wanted; i++) {
        size_t other = i + below(world.count - i);
        char *name = world.names[other];
        world.names[other] = world.names[i];
        world.names[i] = name;
        try_file(name, i);
    }
    report();
    aqfs_free(world.ws);
    remove_all(world.base);
    free(world.base);
    for (size_t i = 0; i < world.count; i++)
        free(world.names[i]);
    const size_t none = missing();
    if (none > 0)
        printf("FAIL: %zu kinds of files were not among them\n", none);
    printf("%zu passed, %zu failed\n", tally.edited, tally.failed + none);
    return tally.failed + none > 0;
}

/* SPDX-License-Identifier: MIT */
/* corpus.c -- writes the tree that the benchmarks search.
 *
 *     corpus DIR        writes DIR
 *     corpus --version  what a tree written by this program is stamped with
 *
 * The same bytes every time: all chance comes from two seeded generators.  SHAPE
 * decides how many files there are and how large, and starts every part from the
 * same seed, so that the eight parts have equal numbers of files and very nearly
 * equal bytes; WORDS fills them and is seeded by the part.  The parts are nested
 *
 *     DIR/half/quarter/eighth/part0   DIR/half/quarter/part1
 *     DIR/half/part2 part3            DIR/part4 ... part7
 *
 * so that DIR/half is a half of the corpus and so on, without links and copies.
 */
#include "parts/prose.h"

#include "child.h"
#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CORPUS_VERSION "agent-q-fs corpus 1"

/* -- Files and directories -- */

static int make_directory(int parent, const char *name) {
    if (mkdirat(parent, name, 0777) != 0 && errno != EEXIST)
        die("%s: not written", name);
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die("%s: not written", name);
    return fd;
}

/* A directory named by chance and not there yet. */
static int new_directory(part *p, int parent) {
    char name[64];
    do
        snprintf(name, sizeof name, "%s-%s", some_word(p), some_word(p));
    while (faccessat(parent, name, F_OK, 0) == 0);
    return make_directory(parent, name);
}

static bool write_text(int parent, const char *name, const text *t) {
    int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return false;
    if (fd < 0)
        die("%s: not written", name);
    for (size_t done = 0; done < t->length;) {
        ssize_t n = write(fd, t->bytes + done, t->length - done);
        if (n < 0)
            die("%s: not written", name);
        done += (size_t)n;
    }
    close(fd);
    return true;
}

/* Writes the text that has been put together under NAME.  Where the name is
 * taken it gets a number, so that both the files and their count stay. */
static void finish(part *p, int parent, const char *name) {
    char numbered[96];
    if (p->script == LATIN1)
        to_latin1(&p->text);
    bool done = write_text(parent, name, &p->text);
    for (unsigned i = 2; !done; i++) {
        snprintf(numbered, sizeof numbered, "%u-%s", i, name);
        done = write_text(parent, numbered, &p->text);
    }
    p->text.length = 0;
}

static void finish_text(part *p, int parent, const char *name) {
    if (one_in(&p->shape, 33))
        to_crlf(&p->text);
    finish(p, parent, name);
}

static void start(part *p) {
    static const script mostly_ascii[64] = {ACCENTED, ACCENTED, UNICODE, UNICODE, UNICODE, LATIN1};
    p->script = mostly_ascii[below(&p->shape, 64)];
    for (unsigned i = 0; i < TOPICS; i++)
        p->topic[i] = any_word(&p->words);
    p->text.length = 0;
}

static void code_file(part *p, int parent, const char *name, language code, size_t size) {
    start(p);
    put_code(p, code, size);
    finish_text(p, parent, name);
}

static void json_file(part *p, int parent, const char *name, size_t size) {
    start(p);
    put_json(p, size);
    finish_text(p, parent, name);
}

static void map_file(part *p, int parent, const char *name, size_t size) {
    start(p);
    put_source_map(p, size);
    finish(p, parent, name);
}

static void minified_file(part *p, int parent, const char *name, size_t size) {
    start(p);
    put_minified(p, size);
    finish(p, parent, name);
}

static void image_file(part *p, int parent, const char *name, size_t size) {
    start(p);
    p->script = ASCII;
    put_image(p, size);
    finish(p, parent, name);
}

static const char *file_name(part *p, const char *suffix) {
    static char name[64];
    snprintf(name, sizeof name, "%s%s%s%s", some_word(p), one_in(&p->words, 2) ? "-" : "",
             some_word(p), suffix);
    return name;
}

/* -- Trees -- */

/* The output of a compiler for one module: code, and often types and a map. */
static void compiled_module(part *p, int directory) {
    char stem[32], name[48];
    snprintf(stem, sizeof stem, "%s%u", some_word(p), below(&p->words, 100));
    snprintf(name, sizeof name, "%s.js", stem);
    code_file(p, directory, name, languages[JAVASCRIPT], some_size(&p->shape, 384));
    if (one_in(&p->shape, 2)) {
        snprintf(name, sizeof name, "%s.d.ts", stem);
        code_file(p, directory, name, languages[TYPESCRIPT], some_size(&p->shape, 192));
    }
    if (one_in(&p->shape, 3)) {
        snprintf(name, sizeof name, "%s.js.map", stem);
        map_file(p, directory, name, some_size(&p->shape, 640));
    }
}

static void compiled_modules(part *p, int parent, const char *name) {
    int directory = make_directory(parent, name);
    for (unsigned n = 3 + below(&p->shape, 22); n > 0; n--)
        compiled_module(p, directory);
    if (one_in(&p->shape, 4)) {
        int deeper = new_directory(p, directory);
        for (unsigned n = 1 + below(&p->shape, 5); n > 0; n--)
            compiled_module(p, deeper);
        close(deeper);
    }
    close(directory);
}

static void package_files(part *p, int package) {
    json_file(p, package, "package.json", some_size(&p->shape, 256));
    code_file(p, package, "README.md", languages[MARKDOWN], some_size(&p->shape, 512));
    if (!one_in(&p->shape, 4))
        code_file(p, package, "LICENSE", languages[MARKDOWN], 1100);
    if (one_in(&p->shape, 4))
        code_file(p, package, "CHANGELOG.md", languages[MARKDOWN], some_size(&p->shape, 2048));
    if (one_in(&p->shape, 12))
        minified_file(p, package, "index.min.js", some_size(&p->shape, 8192));
    code_file(p, package, "index.js", languages[JAVASCRIPT], some_size(&p->shape, 128));
    code_file(p, package, "index.d.ts", languages[TYPESCRIPT], some_size(&p->shape, 128));
}

static void packages(part *p, int parent, unsigned count, unsigned depth);

static void package(part *p, int modules, unsigned depth) {
    bool scoped = one_in(&p->shape, 4);
    int scope = modules;
    if (scoped) {
        static const char *const scopes[] = {"@types", "@babel", "@core", "@tools", "@ui"};
        scope = make_directory(modules, scopes[below(&p->shape, LENGTH(scopes))]);
    }
    int directory = new_directory(p, scope);
    package_files(p, directory);
    compiled_modules(p, directory, "lib");
    if (one_in(&p->shape, 3))
        compiled_modules(p, directory, "esm");
    if (one_in(&p->shape, 5))
        compiled_modules(p, directory, ".internal");
    if (depth < 3 && one_in(&p->shape, 5))
        packages(p, directory, 1 + below(&p->shape, 3), depth + 1);
    close(directory);
    if (scoped)
        close(scope);
}

static void packages(part *p, int parent, unsigned count, unsigned depth) {
    int modules = make_directory(parent, "node_modules");
    while (count-- > 0)
        package(p, modules, depth);
    close(modules);
}

/* A tree such as a kernel's or a compiler's: subsystems within subsystems. */
static void source_tree(part *p, int directory, language code, const char *suffix, size_t low,
                        unsigned depth) {
    for (unsigned n = 4 + below(&p->shape, 12); n > 0; n--)
        code_file(p, directory, file_name(p, suffix), code, some_size(&p->shape, low));
    if (depth == 0)
        return;
    for (unsigned n = 2 + below(&p->shape, 3); n > 0; n--) {
        int deeper = new_directory(p, directory);
        source_tree(p, deeper, code, suffix, low, depth - 1);
        close(deeper);
    }
}

static void named_source_tree(part *p, int root, const char *name, language code,
                              const char *suffix, size_t low, unsigned depth) {
    int directory = make_directory(root, name);
    source_tree(p, directory, code, suffix, low, depth);
    close(directory);
}

static void wide_directory(part *p, int root) {
    int directory = make_directory(root, "locale-data");
    for (unsigned n = 600; n > 0; n--)
        json_file(p, directory, file_name(p, ".json"), some_size(&p->shape, 64));
    close(directory);
}

static void deep_directory(part *p, int root) {
    int directory = make_directory(root, "com");
    for (unsigned depth = 40; depth > 0; depth--) {
        code_file(p, directory, file_name(p, ".md"), languages[MARKDOWN], 900);
        int deeper = new_directory(p, directory);
        close(directory);
        directory = deeper;
    }
    code_file(p, directory, "leaf.md", languages[MARKDOWN], 900);
    close(directory);
}

static void assets(part *p, int root) {
    int directory = make_directory(root, "assets");
    for (unsigned n = 80; n > 0; n--)
        image_file(p, directory, file_name(p, ".png"), some_size(&p->shape, 1024));
    for (unsigned n = 3; n > 0; n--)
        minified_file(p, directory, file_name(p, ".min.js"), 600000 + n * 400000);
    close(directory);
}

static void write_part(int root, unsigned number) {
    char name[16];
    snprintf(name, sizeof name, "part%u", number);
    int directory = make_directory(root, name);
    part p = {.shape = {1}, .words = {1000 + number}};
    start(&p);
    p.text.bytes = malloc(TEXT_SIZE);
    if (!p.text.bytes)
        die("memory");
    packages(&p, directory, PACKAGES, 0);
    named_source_tree(&p, directory, "kernel", languages[C_CODE], ".c", 1024, 3);
    named_source_tree(&p, directory, "include", languages[C_CODE], ".h", 256, 2);
    named_source_tree(&p, directory, "lisp", languages[LISP_CODE], ".lisp", 512, 3);
    named_source_tree(&p, directory, "doc", languages[MARKDOWN], ".md", 512, 1);
    wide_directory(&p, directory);
    deep_directory(&p, directory);
    assets(&p, directory);
    free(p.text.bytes);
    close(directory);
}

/* The parts FIRST, FIRST + 2 and so on. */
static void write_every_second(const int home[PARTS], unsigned first) {
    for (unsigned number = first; number < PARTS; number += 2)
        write_part(home[number], number);
}

static void write_corpus(const char *path) {
    int whole = make_directory(AT_FDCWD, path);
    int half = make_directory(whole, "half");
    int quarter = make_directory(half, "quarter");
    int eighth = make_directory(quarter, "eighth");
    const int home[PARTS] = {eighth, quarter, half, half, whole, whole, whole, whole};
    pid_t child = start_child();
    write_every_second(home, child == 0 ? 0 : 1);
    if (child == 0)
        _exit(0);
    if (end_child(child) != 0)
        die("the other half");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: corpus DIR | corpus --version\n");
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts(CORPUS_VERSION);
        return 0;
    }
    invent_words();
    share_slots();
    write_corpus(argv[1]);
    return 0;
}

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
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vocabulary.h"

#define CORPUS_VERSION "agent-q-fs corpus 1"

#define LENGTH(array) ((unsigned)(sizeof(array) / sizeof *(array)))

enum {
    PARTS = 8,
    PACKAGES = 84,      /* in node_modules of a part */
    RARE_WORDS = 32768, /* invented, each in a handful of files */
    WORDS = 4096,       /* in daily use; the frequencies are Zipf's */
    ZIPF_SLOTS = 65536,
    TOPICS = 48,
    IDIOMS = 7, /* templates used by one file: files differ in style as in subject */
    WORD_SIZE = 16,
    TEXT_SIZE = 8 << 20, /* no file is larger */
};

typedef struct {
    uint64_t state;
} chance;

typedef struct {
    char *bytes;
    size_t length;
} text;

/* How a file departs from plain ASCII with LF. */
typedef enum { ASCII, ACCENTED, UNICODE, LATIN1 } script;

typedef struct {
    const char *const *head; /* templates of a file's first lines */
    const char *const *body;
    unsigned heads;
    unsigned bodies;
} language;

typedef struct {
    chance shape;
    chance words;
    script script;
    const char *topic[TOPICS]; /* the words that the file is about */
    text text;
} part;

#define LANGUAGE(name)                                                                             \
    (language) {                                                                                   \
        name##_head, name, LENGTH(name##_head), LENGTH(name)                                       \
    }

static char word[WORDS][WORD_SIZE];
static char rare[RARE_WORDS][WORD_SIZE];
static uint16_t zipf[ZIPF_SLOTS];

static void die(const char *what) {
    fprintf(stderr, "corpus: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* -- Chance -- */

static uint64_t draw(chance *c) { /* splitmix64 */
    uint64_t z = (c->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static unsigned below(chance *c, unsigned n) {
    return (unsigned)(((draw(c) >> 32) * n) >> 32);
}

static bool one_in(chance *c, unsigned n) {
    return below(c, n) == 0;
}

/* A size between LOW and 64 LOW or so, most of them near the geometric middle,
 * as the sizes of source files are. */
static size_t some_size(chance *c, size_t low) {
    size_t size = low << (below(c, 4) + below(c, 4));
    return size + below(c, (unsigned)size);
}

/* -- Words -- */

static void invent_word(chance *c, char *out) {
    static const char *const onsets[] = {"b", "br", "c", "d", "f",  "g", "h", "k", "l",  "m",
                                         "n", "p",  "r", "s", "st", "t", "v", "z", "tr", "pl"};
    static const char *const rhymes[] = {"a",  "e",  "i",  "o",  "u",   "an", "er",
                                         "in", "on", "al", "ar", "ing", "ate"};
    unsigned syllables = 2 + below(c, 2);
    for (size_t at = 0; syllables > 0; syllables--) {
        const char *onset = onsets[below(c, LENGTH(onsets))];
        const char *rhyme = rhymes[below(c, LENGTH(rhymes))];
        at += (size_t)snprintf(out + at, WORD_SIZE - at, "%s%s", onset, rhyme);
    }
}

static void invent_words(void) {
    chance c = {7};
    for (unsigned i = 0; i < WORDS; i++) {
        if (i < LENGTH(common_words))
            snprintf(word[i], WORD_SIZE, "%s", common_words[i]);
        else
            invent_word(&c, word[i]);
    }
    for (unsigned i = 0; i < RARE_WORDS; i++)
        invent_word(&c, rare[i]);
}

/* Gives word K a share of the slots in proportion to 1 / (K + 4). */
static void share_slots(void) {
    double total = 0;
    for (unsigned k = 0; k < WORDS; k++)
        total += 1.0 / (k + 4);
    double sum = 0;
    unsigned slot = 0;
    for (unsigned k = 0; k < WORDS; k++) {
        sum += 1.0 / (k + 4);
        while (slot < ZIPF_SLOTS && slot < sum / total * ZIPF_SLOTS)
            zipf[slot++] = (uint16_t)k;
    }
    while (slot < ZIPF_SLOTS)
        zipf[slot++] = 0;
}

static const char *any_word(chance *c) {
    uint64_t bits = draw(c);
    if ((bits >> 32) % 97 == 0)
        return rare[(bits >> 40) % RARE_WORDS];
    return word[zipf[bits % ZIPF_SLOTS]];
}

/* Real files keep to their subject: a word is in few files, and often there. */
static const char *some_word(part *p) {
    unsigned n = below(&p->words, 256);
    return n < 4 * TOPICS ? p->topic[n / 4] : word[n - 4 * TOPICS];
}

static const char *prose_word(part *p) {
    if (p->script != ASCII && one_in(&p->words, 12))
        return p->script == UNICODE ? unicode_words[below(&p->words, LENGTH(unicode_words))]
                                    : foreign_words[below(&p->words, LENGTH(foreign_words))];
    return some_word(p);
}

/* -- Text -- */

static void put(text *t, const char *s) {
    size_t n = strlen(s);
    memcpy(t->bytes + t->length, s, n);
    t->length += n;
}

static void put_char(text *t, char c) {
    t->bytes[t->length++] = c;
}

static void put_number(text *t, unsigned n) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", n);
    put(t, digits);
}

static void put_capitalised(text *t, const char *s) {
    size_t at = t->length;
    put(t, s);
    t->bytes[at] = (char)toupper((unsigned char)t->bytes[at]);
}

static void put_camel(part *p, bool capital) {
    unsigned more = below(&p->words, 3);
    if (capital)
        put_capitalised(&p->text, some_word(p));
    else
        put(&p->text, some_word(p));
    while (more-- > 0)
        put_capitalised(&p->text, some_word(p));
}

static void put_joined(part *p, char separator, bool upper) {
    size_t at = p->text.length;
    put(&p->text, some_word(p));
    for (unsigned more = below(&p->words, 3); more > 0; more--) {
        put_char(&p->text, separator);
        put(&p->text, some_word(p));
    }
    for (; upper && at < p->text.length; at++)
        p->text.bytes[at] = (char)toupper((unsigned char)p->text.bytes[at]);
}

static void put_prose(part *p) {
    put(&p->text, prose_word(p));
    for (unsigned more = 3 + below(&p->words, 10); more > 0; more--) {
        put_char(&p->text, ' ');
        put(&p->text, prose_word(p));
    }
}

static void put_digits(part *p, const char *alphabet, unsigned count) {
    uint64_t bits = draw(&p->words);
    while (count-- > 0) {
        put_char(&p->text, alphabet[bits & 15]);
        bits = bits >> 4 | bits << 60;
    }
}

static void put_version(part *p) {
    put_number(&p->text, below(&p->words, 12));
    put_char(&p->text, '.');
    put_number(&p->text, below(&p->words, 20));
    put_char(&p->text, '.');
    put_number(&p->text, below(&p->words, 20));
}

static void put_hole(part *p, char hole) {
    switch (hole) {
    case 'i':
        put_camel(p, false);
        break;
    case 'I':
        put_camel(p, true);
        break;
    case 's':
        put_joined(p, '_', false);
        break;
    case 'S':
        put_joined(p, '_', true);
        break;
    case 'k':
        put_joined(p, '-', false);
        break;
    case 'w':
        put(&p->text, some_word(p));
        break;
    case 'p':
        put_prose(p);
        break;
    case 'v':
        put_version(p);
        break;
    case 'n':
        put_number(&p->text, below(&p->words, 1024));
        break;
    case 'x':
        put_digits(p, "0123456789abcdef", 16);
        break;
    case 'm':
        put_digits(p, "AgQwxYz7Kk+/CEIS", 22);
        break;
    default:
        put_char(&p->text, hole);
    }
}

static void put_template(part *p, const char *template) {
    for (const char *s = template; *s; s++) {
        if (*s == '%')
            put_hole(p, *++s);
        else
            put_char(&p->text, *s);
    }
}

static void put_code(part *p, language code, size_t size) {
    for (unsigned n = below(&p->words, 8); n > 0 && p->text.length < size / 2; n--)
        put_template(p, code.head[below(&p->words, code.heads)]);
    unsigned first = below(&p->words, code.bodies);
    while (p->text.length < size)
        put_template(p, code.body[(first + below(&p->words, IDIOMS)) % code.bodies]);
}

static void put_json(part *p, size_t size) {
    put_template(p, "{\n  \"name\": \"%k\",\n  \"version\": \"%v\",\n");
    put_code(p, LANGUAGE(json), size);
    put(&p->text, "  \"private\": false\n}\n");
}

/* One line, however long, as the compilers of JavaScript write it. */
static void put_source_map(part *p, size_t size) {
    put_template(
        p, "{\"version\":3,\"file\":\"%k.js\",\"sourceRoot\":\"\",\"sources\":[\"../src/%k.ts\"],"
           "\"names\":[\"%i\",\"%i\",\"%i\",\"%i\"],\"mappings\":\"");
    while (p->text.length < size) {
        put_digits(p, "ACEIKMQSUWYcgkoq", 4);
        put_char(&p->text, one_in(&p->words, 8) ? ';' : ',');
    }
    put(&p->text, "\"}\n");
}

static void put_minified(part *p, size_t size) {
    put_template(p, "/*! %w v%v | MIT */\n");
    put_code(p, LANGUAGE(minified), size);
    put(&p->text, "\n//# sourceMappingURL=index.min.js.map\n");
}

/* Bytes that begin like a PNG, with a NUL among the first, as every image has. */
static void put_image(part *p, size_t size) {
    static const char magic[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\b\6\0\0\0";
    memcpy(p->text.bytes, magic, sizeof magic);
    p->text.length = sizeof magic;
    while (p->text.length < size) {
        uint64_t bits = draw(&p->words);
        memcpy(p->text.bytes + p->text.length, &bits, sizeof bits);
        p->text.length += sizeof bits;
    }
}

/* The accented letters used lie in U+00C0 ... U+00FF: two bytes of UTF-8, the
 * first of them C3. */
static void to_latin1(text *t) {
    size_t to = 0;
    for (size_t from = 0; from < t->length; from++) {
        if (t->bytes[from] == '\xc3' && from + 1 < t->length)
            t->bytes[to++] = (char)(t->bytes[++from] | 0x40);
        else
            t->bytes[to++] = t->bytes[from];
    }
    t->length = to;
}

static void to_crlf(text *t) {
    size_t newlines = 0;
    for (size_t i = 0; i < t->length; i++)
        newlines += t->bytes[i] == '\n';
    size_t to = t->length + newlines;
    for (size_t from = t->length; from-- > 0;) {
        t->bytes[--to] = t->bytes[from];
        if (t->bytes[from] == '\n')
            t->bytes[--to] = '\r';
    }
    t->length += newlines;
}

/* -- Files and directories -- */

static int make_directory(int parent, const char *name) {
    if (mkdirat(parent, name, 0777) != 0 && errno != EEXIST)
        die(name);
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die(name);
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
        die(name);
    for (size_t done = 0; done < t->length;) {
        ssize_t n = write(fd, t->bytes + done, t->length - done);
        if (n < 0)
            die(name);
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

/* What a compiler leaves of one module: code, and often types and a map. */
static void compiled_module(part *p, int directory) {
    char stem[32], name[48];
    snprintf(stem, sizeof stem, "%s%u", some_word(p), below(&p->words, 100));
    snprintf(name, sizeof name, "%s.js", stem);
    code_file(p, directory, name, LANGUAGE(javascript), some_size(&p->shape, 384));
    if (one_in(&p->shape, 2)) {
        snprintf(name, sizeof name, "%s.d.ts", stem);
        code_file(p, directory, name, LANGUAGE(typescript), some_size(&p->shape, 192));
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
    code_file(p, package, "README.md", LANGUAGE(markdown), some_size(&p->shape, 512));
    if (!one_in(&p->shape, 4))
        code_file(p, package, "LICENSE", LANGUAGE(markdown), 1100);
    if (one_in(&p->shape, 4))
        code_file(p, package, "CHANGELOG.md", LANGUAGE(markdown), some_size(&p->shape, 2048));
    if (one_in(&p->shape, 12))
        minified_file(p, package, "index.min.js", some_size(&p->shape, 8192));
    code_file(p, package, "index.js", LANGUAGE(javascript), some_size(&p->shape, 128));
    code_file(p, package, "index.d.ts", LANGUAGE(typescript), some_size(&p->shape, 128));
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
        code_file(p, directory, file_name(p, ".md"), LANGUAGE(markdown), 900);
        int deeper = new_directory(p, directory);
        close(directory);
        directory = deeper;
    }
    code_file(p, directory, "leaf.md", LANGUAGE(markdown), 900);
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
    named_source_tree(&p, directory, "kernel", LANGUAGE(c_code), ".c", 1024, 3);
    named_source_tree(&p, directory, "include", LANGUAGE(c_code), ".h", 256, 2);
    named_source_tree(&p, directory, "lisp", LANGUAGE(lisp_code), ".lisp", 512, 3);
    named_source_tree(&p, directory, "doc", LANGUAGE(markdown), ".md", 512, 1);
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
    pid_t child = fork();
    if (child < 0)
        die("fork");
    write_every_second(home, child == 0 ? 0 : 1);
    if (child == 0)
        _exit(0);
    int status;
    if (waitpid(child, &status, 0) < 0 || status != 0)
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

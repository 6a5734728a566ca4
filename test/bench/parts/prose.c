/* SPDX-License-Identifier: MIT */
/* prose.c -- what the files of the corpus say: words, code, JSON, all by chance: see prose.h. */
#include "prose.h"

#include "vocabulary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Of templates in vocabulary.h. */
#define TEMPLATES(name)                                                                            \
    { name##_head, name, LENGTH(name##_head), LENGTH(name) }

const language languages[LANGUAGES] = {
    [JAVASCRIPT] = TEMPLATES(javascript), [TYPESCRIPT] = TEMPLATES(typescript),
    [MARKDOWN] = TEMPLATES(markdown),     [C_CODE] = TEMPLATES(c_code),
    [LISP_CODE] = TEMPLATES(lisp_code),
};

static char word[WORDS][WORD_SIZE];

static char rare[RARE_WORDS][WORD_SIZE];

static uint16_t zipf[ZIPF_SLOTS];

/* -- Chance -- */

static uint64_t draw(chance *c) { /* splitmix64 */
    uint64_t z = (c->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

unsigned below(chance *c, unsigned n) {
    return (unsigned)(((draw(c) >> 32) * n) >> 32);
}

bool one_in(chance *c, unsigned n) {
    return below(c, n) == 0;
}

size_t some_size(chance *c, size_t low) {
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

void invent_words(void) {
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

void share_slots(void) {
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

const char *any_word(chance *c) {
    uint64_t bits = draw(c);
    if ((bits >> 32) % 97 == 0)
        return rare[(bits >> 40) % RARE_WORDS];
    return word[zipf[bits % ZIPF_SLOTS]];
}

const char *some_word(part *p) {
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

void put_code(part *p, language code, size_t size) {
    for (unsigned n = below(&p->words, 8); n > 0 && p->text.length < size / 2; n--)
        put_template(p, code.head[below(&p->words, code.heads)]);
    unsigned first = below(&p->words, code.bodies);
    while (p->text.length < size)
        put_template(p, code.body[(first + below(&p->words, IDIOMS)) % code.bodies]);
}

void put_json(part *p, size_t size) {
    put_template(p, "{\n  \"name\": \"%k\",\n  \"version\": \"%v\",\n");
    put_code(p, (language)TEMPLATES(json), size);
    put(&p->text, "  \"private\": false\n}\n");
}

void put_source_map(part *p, size_t size) {
    put_template(
        p, "{\"version\":3,\"file\":\"%k.js\",\"sourceRoot\":\"\",\"sources\":[\"../src/%k.ts\"],"
           "\"names\":[\"%i\",\"%i\",\"%i\",\"%i\"],\"mappings\":\"");
    while (p->text.length < size) {
        put_digits(p, "ACEIKMQSUWYcgkoq", 4);
        put_char(&p->text, one_in(&p->words, 8) ? ';' : ',');
    }
    put(&p->text, "\"}\n");
}

void put_minified(part *p, size_t size) {
    put_template(p, "/*! %w v%v | MIT */\n");
    put_code(p, (language)TEMPLATES(minified), size);
    put(&p->text, "\n//# sourceMappingURL=index.min.js.map\n");
}

void put_image(part *p, size_t size) {
    static const char magic[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\b\6\0\0\0";
    memcpy(p->text.bytes, magic, sizeof magic);
    p->text.length = sizeof magic;
    while (p->text.length < size) {
        uint64_t bits = draw(&p->words);
        memcpy(p->text.bytes + p->text.length, &bits, sizeof bits);
        p->text.length += sizeof bits;
    }
}

void to_latin1(text *t) {
    size_t to = 0;
    for (size_t from = 0; from < t->length; from++) {
        if (t->bytes[from] == '\xc3' && from + 1 < t->length)
            t->bytes[to++] = (char)(t->bytes[++from] | 0x40);
        else
            t->bytes[to++] = t->bytes[from];
    }
    t->length = to;
}

void to_crlf(text *t) {
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

/* SPDX-License-Identifier: MIT */
/* fuzz_replace.c -- edits of a text in memory do what their definition says, and errors are short,
 * valid text and leave nothing. */
#include "fuzz.h"
#include "replace.h"
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

enum { EDITS_MOST = 3 };

/* Bytes as pieces that text is made of, so that strings are found and nearly found. */
static size_t spell(const uint8_t *data, size_t size, char *out) {
    static const char *const pieces[] = {
        "a",        "b",      "ab",           "\n",      "\t",  " ",   "  ",       "\r\n",
        "\xC2\xA0", "A",      "  x = 1;\n",   "if",      "(",   ")",   "\"",       "\\",
        "\\n",      "12: ",   "\xE2\x80\x9C", "return ", "}\n", "\f",  "// one\n", "// two\n",
        "abcd\n",   "efgh\n", "ijkl\n",       "mnop\n",  "3: ", "\\\""};
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        const char *piece = pieces[data[i] % (sizeof pieces / sizeof *pieces)];
        memcpy(out + n, piece, strlen(piece));
        n += strlen(piece);
    }
    return n;
}

/* Occurrences, the overlapping ones too, tried at every place. */
static size_t count(struct text_ref text, struct text_ref part, size_t *at) {
    size_t found = 0;
    for (size_t i = 0; part.len > 0 && i + part.len <= text.len; i++) {
        if (memcmp(text.data + i, part.data, part.len) != 0)
            continue;
        found++;
        *at = i;
    }
    return found;
}

static bool same(struct text_ref a, struct text_ref b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Replaces from the beginning on whatever is the old text there. */
static int defined_everywhere(struct text_ref text, const struct edit *edit, struct buf *out) {
    const struct text_ref part = edit->old_str;
    size_t found = 0;
    for (size_t i = 0; i < text.len;) {
        bool here = i + part.len <= text.len && memcmp(text.data + i, part.data, part.len) == 0;
        buf_add(out, here ? edit->new_str.data : text.data + i, here ? edit->new_str.len : 1);
        i += here ? part.len : 1;
        found += here;
    }
    if (found == 0)
        return AQFS_NO_MATCH;
    return edit->expected > 0 && edit->expected != found ? AQFS_MULTIPLE_MATCHES : AQFS_OK;
}

static int defined(struct text_ref text, const struct edit *edit, struct buf *out) {
    size_t at = 0, found = count(text, edit->old_str, &at);
    if (edit->old_str.len == 0 || same(edit->old_str, edit->new_str))
        return AQFS_INVALID_ARGUMENT;
    if (edit->all)
        return defined_everywhere(text, edit, out);
    if (found != 1)
        return found ? AQFS_MULTIPLE_MATCHES : AQFS_NO_MATCH;
    const size_t rest = at + edit->old_str.len;
    buf_add(out, text.data, at);
    buf_add(out, edit->new_str.data, edit->new_str.len);
    buf_add(out, text.data + rest, text.len - rest);
    return AQFS_OK;
}

static int defined_all(struct text_ref text, const struct edit *edits, size_t n, struct buf *out) {
    struct buf now = {0};
    for (size_t i = 0; i < n; i++)
        if (edits[i].old_str.len == 0 || same(edits[i].old_str, edits[i].new_str))
            return AQFS_INVALID_ARGUMENT;
    for (size_t i = 0; i < n; i++) {
        struct text_ref from = i ? (struct text_ref){now.data ? now.data : "", now.len} : text;
        buf_clear(out);
        int code = defined(from, &edits[i], out);
        if (code) {
            buf_free(&now);
            return code;
        }
        buf_clear(&now);
        buf_add(&now, out->data ? out->data : "", out->len);
    }
    buf_free(&now);
    return AQFS_OK;
}

static void check_error(const struct error *e, int code) {
    PROMISE(e->code == (enum code)code && e->message[0]);
    PROMISE(utf8_is_valid(e->message, strlen(e->message)));
    PROMISE(utf8_is_valid(e->hint, strlen(e->hint)));
}

/* The text outside of the spans is the old one, in order. */
static void check_spans(const struct buf *out, const struct span *spans, size_t n) {
    size_t end = 0;
    for (size_t i = 0; i < n; i++) {
        PROMISE(spans[i].at >= end && spans[i].at + spans[i].len <= out->len);
        PROMISE(i == 0 || spans[i].at > end); /* those that touch are one */
        end = spans[i].at + spans[i].len;
    }
}

static void check_replace(struct text_ref text, const struct edit *edits, size_t n) {
    struct replaced made = {0};
    struct buf expected = {0};
    struct error e;
    int wanted = defined_all(text, edits, n, &expected);
    int code = replace_apply(text, edits, n, &made, &e);
    PROMISE(code == wanted);
    if (code) {
        check_error(&e, code);
        PROMISE(made.text.len == 0);
    } else {
        PROMISE(made.text.len == expected.len &&
                (made.text.len == 0 || memcmp(made.text.data, expected.data, made.text.len) == 0));
        PROMISE(made.spans.n > 0 && made.spans.n <= made.count && made.count >= n);
        check_spans(&made.text, made.spans.all, made.spans.n);
    }
    replaced_free(&made);
    buf_free(&expected);
}

/* An edit that is made nearly changes one place, and is the same when it is made again. */
static void check_nearly(struct text_ref text, struct edit edit) {
    struct replaced made = {0}, again = {0};
    struct error e;
    edit.nearly = true;
    edit.all = false;
    int code = replace_apply(text, &edit, 1, &made, &e);
    PROMISE(replace_apply(text, &edit, 1, &again, &e) == code);
    if (code) {
        check_error(&e, code);
    } else {
        const size_t less = made.text.len < text.len ? made.text.len : text.len;
        PROMISE(made.count == 1 && made.spans.n <= 1);
        PROMISE(made.text.len == again.text.len);
        PROMISE(less == 0 || memcmp(made.text.data, again.text.data, made.text.len) == 0);
        PROMISE(made.text.len != text.len || less == 0 ||
                memcmp(made.text.data, text.data, less) != 0);
        check_spans(&made.text, made.spans.all, made.spans.n);
    }
    replaced_free(&made);
    replaced_free(&again);
}

/* Without what was inserted, at most one newline more than before. */
static void check_insert(struct text_ref text, int64_t line, struct text_ref content) {
    struct buf out = {0};
    struct span span;
    struct error e;
    const size_t lines = linewise_count(text.data, text.len);
    int code = replace_insert(text, line, content, &out, &span, &e);
    bool fine = content.len > 0 && line >= -1 && (line <= 0 || (size_t)line <= lines);
    PROMISE((code == AQFS_OK) == fine);
    if (code) {
        check_error(&e, code);
    } else {
        PROMISE(span.at + span.len <= out.len && span.len - content.len <= 1);
        PROMISE(memcmp(out.data + span.at, content.data, content.len) == 0);
        const size_t more = out.len - span.len - text.len;
        PROMISE(more <= 1 && (more == 0 || out.data[span.at - 1] == '\n'));
        const size_t before = span.at - more;
        PROMISE(before == 0 || memcmp(out.data, text.data, before) == 0);
        PROMISE(before == text.len ||
                memcmp(out.data + span.at + span.len, text.data + before, text.len - before) == 0);
        PROMISE(span.at == 0 || out.data[span.at - 1] == '\n');
    }
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char room[2 * EDITS_MOST + 1][16 * 256];
    struct text_ref parts[2 * EDITS_MOST + 1];
    for (size_t i = 0; i < 2 * EDITS_MOST + 1; i++)
        parts[i] = (struct text_ref){"", 0};
    if (size < 8 || size > 256)
        return 0;
    const size_t n = 1 + data[0] % EDITS_MOST;
    const int64_t line = (int64_t)(data[1] % 16 % 12) - 2;
    const bool raw = data[1] & 128; /* any bytes */
    const uint8_t *at = data + 2, *end = data + size;
    for (size_t i = 0; i < 2 * n + 1; i++) {
        const bool is_text = i == 2 * n;
        size_t part = is_text ? (size_t)(end - at) : at < end ? *at++ % 12 : 0;
        if (part > (size_t)(end - at))
            part = (size_t)(end - at);
        size_t len = part;
        if (raw)
            memcpy(room[i], at, part);
        else
            len = spell(at, part, room[i]);
        parts[i] = (struct text_ref){room[i], len};
        at += part;
    }
    struct edit edits[EDITS_MOST];
    for (size_t i = 0; i < n; i++)
        edits[i] = (struct edit){.old_str = parts[2 * i],
                                 .new_str = parts[2 * i + 1],
                                 .all = data[0] >> (2 + i) & 1,
                                 .expected = data[1] >> 4 & 3};
    check_replace(parts[2 * n], edits, n);
    check_nearly(parts[2 * n], edits[0]);
    check_insert(parts[2 * n], line, parts[1]);
    return 0;
}

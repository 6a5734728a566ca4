/* scan.c -- one pass over a file: see scan.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scan.h"

#include "cleanup.h"
#include "filetype.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK ((size_t)256 * 1024)
#define BLOCK_LEAST ((size_t)4096)

/* -- reading ---------------------------------------------------------------------------------- */

struct file_reader {
    const struct node *file;
    struct budget *budget;
    char *block;
    size_t size; /* the block's capacity */
    int64_t at;  /* the offset in the file of the next read */
    bool hashing;
    struct hash hash;
};

static void reader_close(struct file_reader *r) {
    free(r->block);
}

/* The block of a small file has one byte more than the file, so that the first read also shows
 * where it ends. */
static int reader_open(struct file_reader *r, struct error *e) {
    int64_t size = r->file->info.size;
    r->size = size < (int64_t)BLOCK ? (size_t)size + 1 : BLOCK;
    if (r->size < BLOCK_LEAST)
        r->size = BLOCK_LEAST;
    r->block = malloc(r->size);
    hash_start(&r->hash);
    return r->block ? AQFS_OK : fail_memory(e);
}

/* Reads on, behind the HELD bytes that are in the block already.  *N is the number of bytes in the
 * block afterwards; *LAST says that the file ends with them. */
static int reader_next(struct file_reader *r, size_t held, size_t *n, bool *last, struct error *e) {
    int code = budget_check(r->budget);
    if (code)
        return fail_budget(e, code);
    size_t room = r->size - held;
    ssize_t got = r->file->backend->read(r->file, r->block + held, room, r->at);
    if (got < 0)
        return fail_errno(e, (int)-got, "read");
    if (r->hashing)
        hash_add(&r->hash, r->block + held, (size_t)got);
    r->at += got;
    *n = held + (size_t)got;
    *last = (size_t)got < room;
    return AQFS_OK;
}

/* Sets *CHANGED when the file was written to since it was opened, and VERSION to the hash of the
 * bytes read when they are the whole file and of one version; else to "". */
static int reader_end(struct file_reader *r, bool complete, char version[HASH_HEX], bool *changed,
                      struct error *e) {
    const struct info *then = &r->file->info;
    struct info now;
    int code = r->file->backend->stat(r->file, &now, e);
    if (code)
        return code;
    *changed = now.size != then->size || now.modified_ns != then->modified_ns ||
               now.changed_ns != then->changed_ns;
    version[0] = '\0';
    if (r->hashing && complete && !*changed)
        hash_end(&r->hash, version);
    return AQFS_OK;
}

/* -- text ------------------------------------------------------------------------------------- */

struct pass {
    struct aqfs_workspace *ws;
    struct text_scan *scan;
    struct file_reader reader;
    struct decoder decoder;
    bool presumed;  /* the text is taken for UTF-8, as nothing has said otherwise yet */
    bool full;      /* everything asked for is kept */
    size_t line_at; /* the offset in scan->text at which the line being kept begins */
};

static void pass_close(struct pass *p) {
    decoder_close(&p->decoder);
    reader_close(&p->reader);
}

static void shorten(struct buf *b, size_t len) {
    b->len = len;
    if (b->data)
        b->data[len] = '\0';
}

/* The line at MORE does not fit.  Keeps only the whole lines before it; where there are none, the
 * beginning of this one. */
static void cut(struct pass *p, const char *more, size_t n) {
    struct text_scan *s = p->scan;
    p->full = true;
    if (p->line_at > 0) {
        shorten(&s->text, p->line_at);
        return;
    }
    buf_add(&s->text, more, utf8_cut(more, n, s->most - s->text.len));
    p->line_at = s->text.len;
    s->kept = 1;
    s->cut = true;
}

/* Keeps the N bytes at AT, which begin in line number LINE, without looking at each line, where all
 * lines are asked for and fit.  The newlines are counted already. */
static bool keep_all_lines(struct pass *p, int64_t line, const char *at, size_t n) {
    struct text_scan *s = p->scan;
    if (s->endings.newlines >= s->last || n > s->most - s->text.len)
        return false;
    const char *newline = n > 0 ? memrchr(at, '\n', n) : NULL;
    buf_add(&s->text, at, n);
    if (newline)
        p->line_at = s->text.len - (size_t)(at + n - newline - 1);
    s->kept += s->endings.newlines + 1 - line;
    return true;
}

static void keep_text_lines(struct pass *p, int64_t line, const char *at, const char *end) {
    struct text_scan *s = p->scan;
    if (keep_all_lines(p, line, at, (size_t)(end - at)))
        return;
    while (at < end && !p->full) {
        const char *next = text_next_line(at, end);
        size_t n = (size_t)(next - at);
        if (n > s->most - s->text.len) {
            cut(p, at, n);
        } else {
            buf_add(&s->text, at, n);
            if (next[-1] == '\n') {
                p->line_at = s->text.len;
                s->kept++;
                p->full = line++ == s->last;
            }
        }
        at = next;
    }
}

/* Counts the lines of the text, and keeps those asked for. */
static void take_scanned_text(struct pass *p, const char *at, size_t n) {
    struct text_scan *s = p->scan;
    int64_t line = s->endings.newlines + 1;
    endings_add(&s->endings, at, n);
    if (p->full || s->endings.newlines + 1 < s->first)
        return;
    const char *end = at + n;
    for (; line < s->first; line++)
        at = text_next_line(at, end);
    keep_text_lines(p, line, at, end);
}

static bool is_keeping(const struct pass *p) {
    return !p->full && p->scan->endings.newlines + 1 >= p->scan->first;
}

/* Are the first N bytes of the file, which are valid UTF-8, all ASCII? */
static bool is_ascii_before(const struct pass *p, int64_t n) {
    AUTO_FREE char *piece = malloc(FILETYPE_SAMPLE);
    const struct node *file = p->reader.file;
    for (int64_t at = 0; piece && at < n && !budget_check(p->reader.budget);) {
        size_t most = n - at < FILETYPE_SAMPLE ? (size_t)(n - at) : FILETYPE_SAMPLE;
        ssize_t got = file->backend->read(file, piece, most, at);
        if (got <= 0 || utf8_count(piece, (size_t)got) < (size_t)got)
            return false;
        at += got;
    }
    return piece && !budget_check(p->reader.budget);
}

/* Called when the next byte is not UTF-8: may the line with it be skipped?  A file that was UTF-8
 * up to there for at least FILETYPE_SAMPLE bytes, and not only ASCII, is UTF-8 with damage: lines
 * without damage can still be kept.  Otherwise it may be in another encoding. */
static bool may_pass_over(struct pass *p) {
    int64_t bad = p->decoder.at;
    if (p->decoder.iconv)
        return false;
    if (p->presumed && (bad < FILETYPE_SAMPLE || is_ascii_before(p, bad)))
        return false;
    p->presumed = false;
    return !is_keeping(p);
}

/* Decodes the block's bytes from FROM to N and takes their text.  The last *HELD bytes, the
 * beginning of a character, are moved to the block's start for the next read to complete. */
static int take_block(struct pass *p, size_t from, size_t n, bool last, size_t *held,
                      struct error *e) {
    const char *at = p->reader.block + from, *end = p->reader.block + n;
    for (;;) {
        struct text_ref text;
        size_t used;
        int code = decoder_run(&p->decoder, at, (size_t)(end - at), last, &text, &used, e);
        if (code && code != AQFS_ENCODING)
            return code;
        take_scanned_text(p, text.data, text.len);
        at += used;
        if (!code || (p->full && p->scan->brief))
            break;
        if (!may_pass_over(p))
            return code;
        const char *next = text_next_line(at, end);
        endings_add(&p->scan->endings, at, (size_t)(next - at));
        p->decoder.at += next - at;
        at = next;
    }
    *held = (size_t)(end - at);
    memmove(p->reader.block, at, *held);
    return AQFS_OK;
}

static int fail_too_large(const struct pass *p, struct error *e) {
    (void)fail(e, AQFS_TOO_LARGE, "Path '%s' has more than %" PRId64 " bytes", p->scan->label,
               p->ws->limits.read_bytes);
    error_hint(e, "Give start_line and end_line (or offset and limit), or use grep_files");
    return AQFS_TOO_LARGE;
}

/* Reads a sample for libmagic from offset AT. */
static int read_sample(const struct pass *p, int64_t at, struct buf *out, struct error *e) {
    if (!buf_reserve(out, FILETYPE_SAMPLE))
        return fail_memory(e);
    const struct node *file = p->reader.file;
    ssize_t got = file->backend->read(file, out->data, FILETYPE_SAMPLE, at);
    if (got < 0)
        return fail_errno(e, (int)-got, "read");
    out->len = (size_t)got;
    return AQFS_OK;
}

static int fail_binary_file(const struct pass *p, struct error *e) {
    AUTO(buf_free) struct buf sample = {0};
    int code = read_sample(p, 0, &sample, e);
    return code ? code : fail_binary(&p->ws->libraries, p->scan->label, sample.data, sample.len, e);
}

/* Chooses the encoding of a file from its first N bytes and opens the decoder.  *FROM is the offset
 * of the text, behind a byte order mark. */
static int begin_text(struct pass *p, const char *bytes, size_t n, size_t *from, struct error *e) {
    struct encoding *encoding = &p->scan->encoding;
    struct text_ref charset = p->scan->charset;
    bool guessed = encoding->name[0];
    if (!guessed && charset.len > 0) {
        int code = encoding_of_name(charset, bytes, n, encoding, e);
        if (code)
            return code;
    } else if (!guessed) {
        p->presumed = !encoding_of_mark(bytes, n, encoding);
    }
    *from = encoding->mark;
    return decoder_open(&p->decoder, encoding, e);
}

static int run_pass(struct pass *p, struct error *e) {
    struct text_scan *s = p->scan;
    size_t held = 0, n = 0, from = 0;
    bool last = false;
    for (bool first = true; !last; first = false, from = 0) {
        int code = reader_next(&p->reader, held, &n, &last, e);
        if (!code && first)
            code = begin_text(p, p->reader.block, n, &from, e);
        if (code)
            return code;
        if (!s->brief && p->reader.at > p->ws->limits.read_bytes)
            return fail_too_large(p, e);
        bool binary = first && p->presumed && encoding_is_binary(p->reader.block, n);
        if (binary && !s->brief)
            return fail_binary_file(p, e);
        code = take_block(p, from, n, last, &held, e);
        if (code)
            return code;
        if (p->full && s->brief)
            return AQFS_OK; /* later bytes, which were not looked at, cannot make the kept lines
                               wrong */
        if (binary)
            return fail_binary_file(p, e);
    }
    s->complete = true;
    return AQFS_OK;
}

static int start_pass(struct pass *p, struct error *e) {
    struct text_scan *s = p->scan;
    s->endings = (struct endings){0};
    buf_clear(&s->text);
    s->kept = 0;
    s->cut = s->complete = false;
    p->presumed = false;
    p->full = s->last < s->first;
    p->line_at = 0;
    p->reader.at = 0;
    hash_start(&p->reader.hash);
    decoder_close(&p->decoder);
    return run_pass(p, e);
}

/* Makes a second pass with a guessed encoding, after the first showed that the file is not UTF-8.
 */
static int try_again(struct pass *p, struct error *e) {
    int64_t bad = p->decoder.at;
    AUTO(buf_free) struct buf sample = {0};
    int code = read_sample(p, bad < FILETYPE_SAMPLE ? 0 : bad, &sample, e);
    if (!code)
        code = encoding_guess(&p->ws->libraries, p->scan->label, sample.data, sample.len,
                              &p->scan->encoding, e);
    return code ? code : start_pass(p, e);
}

static int finish_text_scan(struct pass *p, struct error *e) {
    struct text_scan *s = p->scan;
    if (s->text.failed)
        return fail_memory(e);
    if (s->text.len > 0 && memchr(s->text.data, '\0', s->text.len))
        return fail_binary_file(p, e);
    s->kept += s->text.len > p->line_at; /* a last line that has no newline */
    if (endings_are_crlf(&s->endings))
        shorten(&s->text, text_crlf_to_lf(s->text.data, s->text.len));
    return reader_end(&p->reader, s->complete, s->version, &s->changed, e);
}

int scan_text(struct aqfs_workspace *ws, const struct node *file, struct budget *budget,
              struct text_scan *scan, struct error *e) {
    AUTO(pass_close)
    struct pass p = {
        .ws = ws,
        .scan = scan,
        .reader = {.file = file, .budget = budget, .hashing = !scan->brief},
    };
    if (!scan->brief && file->info.size > ws->limits.read_bytes)
        return fail_too_large(&p, e);
    int code = reader_open(&p.reader, e);
    if (!code)
        code = start_pass(&p, e);
    if (code == AQFS_ENCODING && p.presumed)
        code = try_again(&p, e);
    return code ? code : finish_text_scan(&p, e);
}

void text_scan_free(struct text_scan *scan) {
    buf_free(&scan->text);
}

/* -- bytes ------------------------------------------------------------------------------------ */

/* A file of at most limits.read_bytes is read whole, since its version needs all bytes; of a larger
 * one only the bytes asked for are read. */
int scan_bytes(struct aqfs_workspace *ws, const struct node *file, struct budget *budget,
               struct byte_scan *scan, struct error *e) {
    int64_t most = ws->limits.read_bytes;
    bool whole = file->info.size <= most;
    AUTO(reader_close)
    struct file_reader r = {.file = file,
                            .budget = budget,
                            .hashing = whole && !scan->unversioned,
                            .at = whole ? 0 : scan->offset};
    int code = reader_open(&r, e);
    bool last = false;
    while (!code && !last && (whole ? r.at <= most : scan->bytes.len < scan->most)) {
        size_t n = 0;
        int64_t at = r.at;
        code = reader_next(&r, 0, &n, &last, e);
        const size_t before = at < scan->offset ? (size_t)(scan->offset - at) : 0;
        const size_t room = scan->most - scan->bytes.len;
        if (!code && before < n) /* it holds bytes that were asked for */
            buf_add(&scan->bytes, r.block + before, n - before < room ? n - before : room);
    }
    if (!code && scan->bytes.failed)
        code = fail_memory(e);
    return code ? code : reader_end(&r, last, scan->version, &scan->changed, e);
}

void byte_scan_free(struct byte_scan *scan) {
    buf_free(&scan->bytes);
}

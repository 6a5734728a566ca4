/* grep_sink.c -- writing what was found to the reply, in order: see grep.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "grep.h"

#include "cleanup.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

static const char *const list_names[] = {
    [GREP_CONTENT] = KEY_MATCHES, [GREP_FILES] = KEY_PATHS, [GREP_COUNT] = KEY_COUNTS};

void grep_sink_open(struct grep_sink *s) {
    (void)pthread_mutex_init(&s->lock, NULL);
    s->path.format = s->piece.format = s->call->reply.format;
    reply_key(&s->call->reply, list_names[s->options->output]);
    reply_list(&s->call->reply);
}

bool grep_sink_add(struct grep_sink *s, size_t n) {
    struct grep_batch *all = calloc(s->batch_count + n + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < s->batch_count; i++) {
        all[i].found = s->batches[i].found;
        atomic_init(&all[i].done, atomic_load(&s->batches[i].done));
    }
    free(s->batches);
    s->batches = all;
    s->batch_count += n;
    return true;
}

void grep_sink_free(struct grep_sink *s) {
    (void)pthread_mutex_destroy(&s->lock);
    for (size_t i = 0; s->batches && i < s->batch_count; i++)
        grep_found_free(s->batches[i].found);
    free(s->batches);
    buf_free(&s->path.out);
    buf_free(&s->piece.out);
    buf_free(&s->label);
    buf_free(&s->counts);
    buf_free(&s->unseen.words);
}

static void emit_entries(struct grep_sink *s) {
    call_emit_items(s->call, &s->piece.out);
    buf_clear(&s->piece.out);
    s->piece.separate = false;
}

/* ---- Data */

/* Where entries are written: to the reply, or to the listener's piece, and then not to the reply.
 */
static struct reply *entries(struct grep_sink *s) {
    return call_streams(s->call) ? &s->piece : &s->call->reply;
}

static void end_entry(struct grep_sink *s) {
    s->shown++;
    if (s->piece.out.len >= PIECE_BYTES)
        emit_entries(s);
}

static void write_entry_path(const struct grep_sink *s, struct reply *r) {
    reply_key(r, KEY_PATH);
    reply_raw(r, s->path.out.data, s->path.out.len);
}

static void write_lines(struct reply *r, const char *key, const struct grep_found *found,
                        const struct grep_line *from, const struct grep_line *to) {
    reply_key(r, key);
    reply_list(r);
    for (; from < to; from++)
        reply_string(r, found->text.data + from->text, from->len);
    reply_end_list(r);
}

static bool has_context(const struct grep_options *o) {
    return o->before > 0 || o->after > 0;
}

/* Writes the entry of the matching line LINE.  Its file's recorded lines are FIRST to LAST. */
static void write_match(struct grep_sink *s, const struct grep_found *found,
                        const struct grep_line *line, const struct grep_line *first,
                        const struct grep_line *last) {
    const struct grep_options *options = s->options;
    struct reply *r = entries(s);
    reply_map(r);
    write_entry_path(s, r);
    reply_kv_int(r, KEY_LINE, line->number);
    if (options->multiline)
        reply_kv_int(r, KEY_END_LINE, line->last);
    reply_kv_string(r, KEY_TEXT, found->text.data + line->text, line->len);
    reply_kv_int(r, KEY_START, (int64_t)line->start);
    reply_kv_int(r, KEY_END, (int64_t)line->end);
    if (has_context(options)) {
        const struct grep_line *from = line, *to = line + 1;
        while (from > first && from[-1].last >= line->number - options->before)
            from--;
        while (to < last && to->number <= line->last + options->after)
            to++;
        write_lines(r, KEY_BEFORE, found, from, line);
        write_lines(r, KEY_AFTER, found, line + 1, to);
    }
    reply_end_map(r);
    end_entry(s);
}

/* ---- Words */

static bool wants_words(const struct grep_sink *s) {
    return s->call->text.len <= (size_t)s->call->work.ws->limits.text_bytes;
}

static void say_one_line(struct grep_sink *s, bool matched, int64_t number, const char *text,
                         size_t n) {
    struct buf *out = &s->call->text;
    buf_add(out, s->label.data, s->label.len);
    buf_char(out, matched ? ':' : '-');
    buf_int(out, number);
    buf_char(out, matched ? ':' : '-');
    buf_add(out, text, n);
    buf_char(out, '\n');
    if (n > 0 && unseen_may_be_in(text, n)) {
        buf_str(&s->label, "");
        unseen_note_line(&s->unseen, s->label.data, number, text, n);
    }
}

/* Shows LINE, or all lines of a match that spans several. */
static void say_line(struct grep_sink *s, const struct grep_found *found,
                     const struct grep_line *line) {
    const char *text = found->text.data ? found->text.data + line->text : "";
    if (line->last == line->number) {
        say_one_line(s, line->matched, line->number, text, line->len);
        return;
    }
    int64_t number = line->number;
    for (const char *end = text + line->len; text <= end; number++) {
        const char *newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        const char *next = newline ? newline : end;
        say_one_line(s, true, number, text, (size_t)(next - text));
        text = next + 1;
    }
    if (number <= line->last)
        buf_printf(&s->call->text, "[the match goes on to line %lld]\n", (long long)line->last);
}

/* Adds the lines from FIRST to LAST to the words, with -- where lines between them are left out. */
static void say_lines(struct grep_sink *s, const struct grep_found *found,
                      const struct grep_line *first, const struct grep_line *last) {
    for (const struct grep_line *line = first; line < last && wants_words(s); line++) {
        bool adjacent = line > first && line[-1].last + 1 == line->number;
        if (has_context(s->options) && !adjacent && s->call->text.len > 0)
            buf_str(&s->call->text, "--\n");
        say_line(s, found, line);
    }
}

/* ---- Files */

/* Whether to stop writing: the caller has cancelled, or set_full has.  Asked for every entry
 * because writing a long reply takes a while. */
static bool is_grep_cancelled(const struct grep_sink *s) {
    return budget_check(&s->call->work.budget) == AQFS_CANCELLED;
}

static bool has_reply_room(const struct grep_sink *s) {
    return s->shown < s->options->limit && s->call->reply.out.len < s->options->most;
}

/* Notes that the reply cannot show all, and stops the search unless it counts all matches. */
static void set_full(struct grep_sink *s) {
    atomic_store(&s->full, true);
    if (s->options->output != GREP_COUNT)
        atomic_store(&s->call->work.budget.stop, true);
}

static void write_content(struct grep_sink *s, const struct grep_found *found,
                          const struct grep_file *file) {
    const struct grep_line *first = (const struct grep_line *)(const void *)found->lines.data;
    first += file->line;
    const struct grep_line *last = first + file->line_count, *end = first;
    for (const struct grep_line *line = first; line < last && !is_grep_cancelled(s); line++) {
        if (!line->matched)
            continue;
        if (has_reply_room(s)) {
            write_match(s, found, line, first, last);
            end = line + 1;
        } else {
            set_full(s);
        }
    }
    while (end > first && end < last && !end->matched && end->number == end[-1].last + 1)
        end++;
    say_lines(s, found, first, end);
}

static void write_file_entry(struct grep_sink *s, const struct grep_file *file) {
    bool counts = s->options->output == GREP_COUNT;
    struct reply *r = entries(s);
    if (counts) {
        reply_map(r);
        write_entry_path(s, r);
        reply_kv_int(r, KEY_COUNT, file->count);
        reply_end_map(r);
    } else {
        reply_raw(r, s->path.out.data, s->path.out.len);
    }
    end_entry(s);
    if (!wants_words(s))
        return;
    buf_add(&s->call->text, s->label.data, s->label.len);
    if (counts)
        buf_printf(&s->call->text, ":%lld", (long long)file->count);
    buf_char(&s->call->text, '\n');
}

/* Spells the file's path, once for all its lines. */
static void take_file_path(struct grep_sink *s, size_t index) {
    AUTO(buf_free) struct buf path = {0};
    s->show_path(s->files, index, &path);
    buf_clear(&s->path.out);
    buf_clear(&s->label);
    s->path.separate = false;
    reply_path(&s->path, path.data, path.len);
    path_show_safe(&s->label, path.data, path.len);
}

/* FOUND is NULL, known no more, where files were sorted by their counts. */
static void show_file(struct grep_sink *s, const struct grep_found *found,
                      const struct grep_file *file) {
    if (!has_reply_room(s)) {
        set_full(s);
        return;
    }
    s->files_shown++;
    take_file_path(s, file->index);
    if (found && s->options->output == GREP_CONTENT)
        write_content(s, found, file);
    else
        write_file_entry(s, file);
}

static void write_file(struct grep_sink *s, const struct grep_found *found,
                       const struct grep_file *file) {
    s->files_matched++;
    s->lines_matched += file->count;
    if (s->options->output == GREP_COUNT) {
        take_file_path(s, file->index);
        const struct text_ref path = {s->label.data ? s->label.data : "", s->label.len};
        grep_extensions_add(&s->extensions, path, file->count);
    }
    if (s->options->by_count) {
        buf_add(&s->counts, (const char *)file, sizeof *file);
        return;
    }
    show_file(s, found, file);
}

static int compare_files_by_count(const void *a, const void *b) {
    const struct grep_file *x = a, *y = b;
    return x->count == y->count ? (x->index > y->index) - (x->index < y->index)
                                : (x->count < y->count) - (x->count > y->count);
}

/* Writes the files that were kept until all were counted. */
static void write_counts(struct grep_sink *s) {
    const size_t n = s->counts.len / sizeof(struct grep_file);
    struct grep_file *files = (struct grep_file *)(void *)s->counts.data;
    if (s->counts.failed)
        s->call->reply.out.failed = true;
    if (n == 0 || s->counts.failed)
        return;
    qsort(files, n, sizeof *files, compare_files_by_count);
    for (size_t i = 0; i < n && !is_grep_cancelled(s); i++)
        show_file(s, NULL, &files[i]);
}

static void write_found(struct grep_sink *s, const struct grep_found *found) {
    const struct grep_file *file = (const struct grep_file *)(const void *)found->files.data;
    const struct grep_file *end = file + found->files.len / sizeof *file;
    for (; file < end && !is_grep_cancelled(s); file++)
        write_file(s, found, file);
    if (found->cut)
        set_full(s);
}

/* ---- Batches */

/* Writes the batches that are next in order, up to the first one that is not searched yet.  Holds
 * the lock, or is alone. */
static void write_ready(struct grep_sink *s) {
    while (s->next < s->batch_count && atomic_load(&s->batches[s->next].done)) {
        struct grep_batch *batch = &s->batches[s->next++];
        if (batch->found)
            write_found(s, batch->found);
        grep_found_free(batch->found);
        batch->found = NULL;
    }
}

/* If another thread holds the lock, it is writing: this one goes back to searching instead of
 * waiting.  The writer may have passed our batch by then; the next thread that gets the lock, or
 * grep_sink_close, writes it. */
void grep_sink_put(struct grep_sink *s, size_t i, struct grep_found *found, int64_t searched) {
    s->batches[i].found = found;
    atomic_store(&s->batches[i].done, true);
    if (pthread_mutex_trylock(&s->lock) != 0)
        return;
    write_ready(s);
    call_emit_progress(s->call, searched);
    pthread_mutex_unlock(&s->lock);
}

void grep_sink_close(struct grep_sink *s) {
    /* A search that ended early may have left out a batch before others that were searched. */
    while (s->next < s->batch_count) {
        atomic_store(&s->batches[s->next].done, true);
        write_ready(s);
    }
    write_counts(s);
    emit_entries(s);
    reply_end_list(&s->call->reply);
}

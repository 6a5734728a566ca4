/* grep_files.c -- grep_files: its arguments, and what the reply says about the search.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "grep.h"
#include "ops.h"

#include "cleanup.h"
#include "file_types.h"
#include "listing.h"
#include "path.h"
#include "secret.h"

#include <string.h>

/* ---- The reply, behind the entries */

static void say_truncated(const struct grep_search *g) {
    struct buf *out = &g->call->text;
    const struct grep_sink *s = &g->sink;
    bool lines = g->options.output == GREP_CONTENT;
    buf_str(out, "[truncated: the first ");
    buf_count(out, s->shown, lines ? "matching line" : "file", lines ? "matching lines" : "files");
    buf_str(out, " shown; ");
    if (s->shown < g->options.limit)
        buf_str(out, "there is no room for more: ");
    buf_str(out, "narrow the pattern, path or include");
    buf_str(out, s->shown < g->options.limit ? "]\n" : ", or raise limit]\n");
}

static void write_count_note(struct call *c, const char *key, int64_t n, const char *one,
                             const char *many) {
    if (n == 0)
        return;
    reply_kv_int(&c->reply, key, n);
    buf_char(&c->text, '[');
    buf_count(&c->text, n, one, many);
    buf_str(&c->text, "]\n");
}

/* A reason why nothing was found, or NULL. */
static const char *find_hint(const struct grep_search *g, const struct grep_places *places) {
    const struct value *include = call_arg(g->call, "include");
    const bool no_file = grep_places_files(places) == 0;
    if (include->count > 0 && no_file) {
        const char *mistaken = NULL;
        for (size_t i = 0; i < include->count && !mistaken; i++)
            mistaken = glob_mistaken_syntax(include->list[i].data, include->list[i].len);
        return mistaken ? mistaken : "include matches no file below that path";
    }
    if (call_arg(g->call, "file_types")->count > 0 && no_file)
        return "no file below that path is of these file_types";
    if (regex_wants_newline(g->regex) && !g->options.multiline)
        return "The pattern is matched against each line alone, so that it never spans lines: "
               "give multiline, or search for a part of one line, with context";
    return NULL;
}

static void say_no_matches(struct grep_search *g, const struct grep_places *places) {
    struct call *c = g->call;
    struct text_ref pattern = call_text(c, "pattern");
    const char *hint = find_hint(g, places);
    buf_str(&c->text, "No matches for ");
    path_show_safe(&c->text, pattern.data, pattern.len);
    buf_printf(&c->text, " (%lld %s searched)\n", (long long)g->searched,
               g->searched == 1 ? "file" : "files");
    if (g->binary > 0)
        buf_printf(&c->text, "[%lld binary %s not searched]\n", (long long)g->binary,
                   g->binary == 1 ? "file" : "files");
    if (g->options.secrets && secret_twins_are_cut(g->options.secrets))
        buf_str(&c->text, "[files of several names (hard links) were left out: the project has too "
                          "many files to tell whether they are secret]\n");
    if (hint) {
        reply_kv_cstring(&c->reply, KEY_HINT, hint);
        buf_printf(&c->text, "%s\n", hint);
    }
}

/* Fewer matches are counted at a glance. */
#define WORTH_COUNTING 10

/* "[41 matching lines in 6 files]" below what is shown whole: a line may hold several matches. */
static void say_total(const struct grep_search *g) {
    const struct grep_sink *s = &g->sink;
    bool counts = g->options.output == GREP_COUNT;
    int64_t lines = counts ? s->lines_matched : s->shown;
    int64_t files = counts ? s->files_matched : s->files_shown;
    if (g->options.output == GREP_FILES || s->full || s->shown == 0 ||
        (counts ? files < 2 : lines < WORTH_COUNTING))
        return;
    buf_char(&g->call->text, '[');
    if (g->options.multiline)
        buf_count(&g->call->text, lines, "match", "matches");
    else
        buf_count(&g->call->text, lines, "matching line", "matching lines");
    buf_str(&g->call->text, " in ");
    buf_count(&g->call->text, files, "file", "files");
    buf_str(&g->call->text, "]\n");
}

static void write_grep_results(struct grep_search *g, const struct grep_places *places) {
    struct call *c = g->call;
    const struct walk *walk = grep_places_walks(places);
    const struct grep_sink *s = &g->sink;
    bool counts = g->options.output == GREP_COUNT;
    bool stopped = g->stopped && (counts || !s->full);
    bool cut = walk->cut;
    reply_kv_int(&c->reply, KEY_TOTAL, counts ? s->lines_matched : s->shown);
    reply_kv_int(&c->reply, KEY_FILES, counts ? s->files_matched : s->files_shown);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, s->full || stopped || cut || g->undecided > 0);
    if (!s->full || counts) { /* a full reply stops the threads anywhere: the counts would vary */
        reply_kv_int(&c->reply, KEY_SEARCHED, g->searched);
        reply_kv_int(&c->reply, KEY_BINARY, g->binary);
    }
    if (s->shown == 0)
        say_no_matches(g, places);
    say_total(g);
    if (counts && s->files_matched >= WORTH_COUNTING)
        grep_extensions_say(&g->sink.extensions, &c->text);
    if (s->full)
        say_truncated(g);
    if (stopped) {
        reply_kv_cstring(&c->reply, KEY_STOPPED, "limit");
        buf_str(&c->text, "[stopped: the search reached its limit of time or work; narrow the "
                          "pattern, path or include]\n");
    }
    write_count_note(c, KEY_UNREADABLE, g->unreadable + walk->unreadable,
                     "file or directory could not be read",
                     "files or directories could not be read");
    write_count_note(c, KEY_UNDECIDED, g->undecided,
                     "line was too long or too complex to be searched as a whole",
                     "lines were too long or too complex to be searched as a whole");
    write_count_note(c, KEY_SECRET, grep_places_secret(places), "secret file was not searched",
                     "secret files were not searched");
    listing_write_ignored(c, walk, s->shown > 0);
    unseen_note_end(&g->sink.unseen, &c->text);
    if (cut)
        buf_str(&c->text, "[the tree is larger or deeper than one call may look at]\n");
}

/* ---- The operation */

static bool names_cr(struct text_ref pattern) {
    return memmem(pattern.data, pattern.len, "\\r", 2) ||
           memmem(pattern.data, pattern.len, "\\x", 2) || text_has_cr(pattern);
}

/* Does the pattern speak of the ends of lines, and not of the carriage returns before some? */
static bool wants_line_ends(struct text_ref pattern, bool literal) {
    return !literal && memchr(pattern.data, '$', pattern.len) && !names_cr(pattern);
}

static int64_t context_of(const struct call *c, const char *side) {
    const struct value *own = call_arg(c, side);
    return own->known ? own->integer : call_int(c, "context");
}

static void read_options(struct grep_search *g) {
    struct call *c = g->call;
    const struct limits *limits = &c->work.ws->limits;
    g->options = (struct grep_options){
        .output = call_choice_is(c, "output", "files")   ? GREP_FILES
                  : call_choice_is(c, "output", "count") ? GREP_COUNT
                                                         : GREP_CONTENT,
        .limit = call_int(c, "limit"),
        .before = context_of(c, "before"),
        .after = context_of(c, "after"),
        .most = (size_t)limits->reply_bytes,
        .multiline = call_bool(c, "multiline"),
        .by_count = call_choice_is(c, "sort_by", "count"),
        .ends_in_lf = call_bool(c, "multiline")
                          ? !names_cr(call_text(c, "pattern"))
                          : wants_line_ends(call_text(c, "pattern"), call_bool(c, "literal")),
    };
    if (!call_arg(c, "limit")->given && g->options.limit > limits->grep_matches)
        g->options.limit = limits->grep_matches;
}

static int compile_patterns(struct grep_search *g, struct regex **regex, struct glob_set *include) {
    struct call *c = g->call;
    struct text_ref pattern = call_text(c, "pattern");
    const struct regex_options options = {.literal = call_bool(c, "literal"),
                                          .ignore_case = call_bool(c, "ignore_case"),
                                          .multiline = call_bool(c, "multiline")};
    if (g->options.by_count && g->options.output != GREP_COUNT)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "sort_by: expected path, because only output count can be sorted by count");
    int code = file_types_check(call_arg(c, "file_types"), &c->work.error);
    code = code ? code : listing_compile(c, call_arg(c, "include"), include);
    code = code ? code : regex_compile(pattern.data, pattern.len, &options, regex, &c->work.error);
    g->regex = *regex;
    return code;
}

static int finish_search(struct grep_search *s, const struct grep_places *places) {
    struct call *c = s->call;
    grep_sink_close(&s->sink);
    bool done = s->sink.full && s->options.output != GREP_COUNT;
    if (s->no_memory)
        return fail_memory(&c->work.error);
    if (!done && budget_check(&c->work.budget) == AQFS_CANCELLED)
        return fail_budget(&c->work.error, AQFS_CANCELLED);
    write_grep_results(s, places);
    return AQFS_OK;
}

int op_grep_files(struct call *c) {
    struct grep_search search = {.call = c};
    AUTO(glob_set_free) struct glob_set include = {0};
    struct regex *regex = NULL;
    struct grep_places *places = NULL;
    read_options(&search);
    int code = compile_patterns(&search, &regex, &include);
    code = code ? code : grep_search_places(&search, &include, &places);
    code = code ? code : finish_search(&search, places);
    grep_sink_free(&search.sink);
    grep_places_free(places);
    regex_free(regex);
    return code;
}

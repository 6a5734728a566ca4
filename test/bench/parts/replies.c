/* SPDX-License-Identifier: MIT */
/* replies.c -- how many bytes a model reads as an answer: see replies.h. */
#include "replies.h"

#include "buf.h"
#include "mcp.h"
#include "side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Twenty questions about the sources of this project, each as both are asked it.  `@` stands for
 * the project's directory, because the server takes absolute paths. */
static const struct question {
    const char *op, *ours;
    const char *tool, *theirs;
} questions[] = {
    {"list_dir", "{'path':'module','depth':1}", "list_directory", "{'path':'@/module'}"},
    {"list_dir", "{'path':'doc','depth':1}", "list_directory", "{'path':'@/doc'}"},
    {"list_directory", "{'path':'module/base'}", "list_directory_with_sizes",
     "{'path':'@/module/base'}"},
    {"directory_tree", "{'path':'module'}", "directory_tree", "{'path':'@/module'}"},
    {"directory_tree", "{'path':'test/c'}", "directory_tree", "{'path':'@/test/c'}"},
    {"directory_tree", "{'path':'lisp'}", "directory_tree", "{'path':'@/lisp'}"},
    {"search_files", "{'path':'module','pattern':'**/ignore*'}", "search_files",
     "{'path':'@/module','pattern':'**/ignore*'}"},
    {"search_files", "{'path':'test','pattern':'**/*.sexp'}", "search_files",
     "{'path':'@/test','pattern':'**/*.sexp'}"},
    {"search_files", "{'path':'module','pattern':'**/*.h'}", "search_files",
     "{'path':'@/module','pattern':'**/*.h'}"},
    {"read_file", "{'path':'doc/glossary.org','end_line':20}", "read_text_file",
     "{'path':'@/doc/glossary.org','head':20}"},
    {"read_file", "{'path':'NEWS.org','start_line':-10}", "read_text_file",
     "{'path':'@/NEWS.org','tail':10}"},
    /* A call that has no question of its own there takes the whole file. */
    {"read_file", "{'path':'Makefile','start_line':100,'end_line':140}", "read_text_file",
     "{'path':'@/Makefile'}"},
    {"read_file", "{'path':'module/base/buf.c','ranges':['1-20','60-80']}", "read_text_file",
     "{'path':'@/module/base/buf.c'}"},
    {"read_file", "{'path':'module/wire/key.h','start_line':20,'end_line':40}", "read_text_file",
     "{'path':'@/module/wire/key.h'}"},
    {"grep_files", "{'path':'doc/design.org','pattern':'openat2'}", "read_text_file",
     "{'path':'@/doc/design.org'}"},
    {"grep_files", "{'path':'module/base/buf.h','pattern':'buf_reserve'}", "read_text_file",
     "{'path':'@/module/base/buf.h'}"},
    {"grep_files", "{'path':'doc/manual.org','pattern':'^\\\\* '}", "read_text_file",
     "{'path':'@/doc/manual.org'}"},
    {"grep_files", "{'path':'NEWS.org','pattern':'^- ','output':'count'}", "read_text_file",
     "{'path':'@/NEWS.org'}"},
    {"file_exists", "{'path':'module/base/buf.c'}", "get_file_info",
     "{'path':'@/module/base/buf.c'}"},
    {"get_file_info", "{'path':'README.org'}", "get_file_info", "{'path':'@/README.org'}"},
};
#define QUESTIONS (sizeof questions / sizeof *questions)

/* The object that TEXT spells with other quotes, and with DIRECTORY for `@`. */
static json_t *arguments_of(const char *text, const char *directory) {
    struct buf out = {0};
    for (; *text; text++) {
        if (*text == '@')
            buf_str(&out, directory);
        else
            buf_char(&out, *text == '\'' ? '"' : *text);
    }
    json_t *made = parse(out.data, out.len);
    buf_free(&out);
    return made;
}

static double our_bytes(const struct question *q, const char *directory) {
    json_t *request = json_pack("{s:s, s:o, s:b}", "op", q->op, "args",
                                arguments_of(q->ours, directory), "words", 1);
    char *text = have(json_dumps(request, JSON_COMPACT));
    json_t *reply = our_reply(directory, text);
    double n = (double)strlen(member(reply, "text"));
    json_decref(reply);
    json_decref(request);
    free(text);
    return n;
}

void reply_rows(const char *directory) {
    double ours[QUESTIONS], ratios[QUESTIONS], all_ours = 0, all_theirs = 0;
    if (!wanted("replies/median") || !settings.mcp) {
        if (wanted("replies/median"))
            skip("replies/median", "@modelcontextprotocol/server-filesystem is not installed");
        return;
    }
    server mcp = start_mcp(directory);
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *q = &questions[i];
        double theirs = mcp_answer_bytes(&mcp, q->tool, arguments_of(q->theirs, directory));
        ours[i] = our_bytes(q, directory);
        ratios[i] = ours[i] / theirs;
        all_ours += ours[i];
        all_theirs += theirs;
        printf("NOTE bytes of %s %s: %.0f, mcp-server %.0f, ratio %.3f\n", q->op, q->ours, ours[i],
               theirs, ratios[i]);
    }
    stop_server(&mcp);
    double ratio = median(ratios, (int)QUESTIONS);
    printf("BENCH replies/median %.0f mcp-server %.0f %.3f 0.35 %s\n", all_ours, all_theirs, ratio,
           ratio <= 0.35 ? "ok" : "SHORT");
    fflush(stdout);
}

/* program.c -- the program `agent-q-fs mcp` as agents use it, against the MCP filesystem server:
 *
 *     program LABEL BOUND DIR CORPUS COMMAND...
 *
 * COMMAND is our server, for the directory in which it is started.  DIR is emptied for the files
 * that are read and edited; CORPUS is looked through.  Both servers are asked through pipes, in
 * turns.
 *
 *     LABEL/read, edit, list, tree, search     one call
 *     LABEL/held, LABEL/held-emacs             MiB after 10,000 calls, against those after 5,000
 *     LABEL/first-answer                       from the start of the server to its list of tools
 *     LABEL/start                              to the answer to initialize, against 20 ms
 *     LABEL/idle-rss                           MiB after that, against 10
 *
 * The last three are measured where COMMAND has no --emacs, held-emacs where BENCH_EMACS is the
 * process of the Emacs behind it.  Prints the lines that bench.c describes.  Heeds BENCH_ROWS,
 * BENCH_RUNS and BENCH_MCP.
 *
 * SPDX-License-Identifier: MIT
 */
#include "parts/mcp.h"

#include "buf.h"
#include "die.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const *command; /* ours */
static const char *label;
static double bound;

static const char greeting[] =
    "{\"jsonrpc\": \"2.0\", \"id\": 0, \"method\": \"initialize\", \"params\": "
    "{\"protocolVersion\": "
    "\"2025-06-18\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"bench\", \"version\": "
    "\"1\"}}}";
static const char greeted[] = "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}";

static server start_ours(const char *directory) {
    server s = start_server(command, directory);
    free_run(ask(&s, greeting));
    say(&s, greeted);
    return s;
}

/* Asks, and returns the milliseconds; clears *RIGHT for an error or a part of an answer. */
static double time_call(server *s, const char *request, bool *right) {
    run r = ask(s, request);
    double ms = r.ms;
    *right = *right && !strstr(r.out, "\"isError\": true") && !strstr(r.out, "\"isError\":true") &&
             !strstr(r.out, "\"error\":") && !strstr(r.out, "[truncated");
    if (!*right)
        (void)fprintf(stderr, "%s\n%.600s\n", request, r.out);
    free_run(r);
    return ms;
}

static char *call_request(const char *tool, const char *arguments) {
    static int id;
    return path_of("{\"jsonrpc\": \"2.0\", \"id\": %d, \"method\": \"tools/call\", \"params\": "
                   "{\"name\": \"%s\", \"arguments\": %s}}",
                   ++id, tool, arguments);
}

/* The requests of a row for one side: BACK undoes THERE, or is NULL. */
struct asked {
    server *server;
    char *there, *back;
};

static void compare_servers(const char *name, const struct asked sides[2]) {
    double ms[2][MOST_RUNS];
    bool right = true;
    char *row = path_of("%s/%s", label, name);
    for (int i = -1; wanted(row) && i < settings.runs; i++)
        for (int k = 0; k < 2 && right; k++) {
            const struct asked *a = &sides[k];
            double took = time_call(a->server, a->there, &right);
            if (a->back)
                (void)time_call(a->server, a->back, &right);
            if (i >= 0) /* the first warms up */
                ms[k][i] = took;
        }
    if (wanted(row) && right)
        print_row(row, median(ms[0], settings.runs), "mcp-server", median(ms[1], settings.runs),
                  bound, true);
    else if (wanted(row))
        print_row(row, 1, "mcp-server", 1, bound, false);
    for (int k = 0; k < 2; k++) {
        free(sides[k].there);
        free(sides[k].back);
    }
    free(row);
}

/* -- files ------------------------------------------------------------------------------------- */

static void make_text(const char *directory) {
    struct buf text = {0};
    for (int i = 0; text.len < 65536; i++)
        buf_printf(&text, "%d: a line of a text that somebody reads\n", i);
    char *name = path_of("%s/text.txt", directory);
    make_file(name, text.data);
    free(name);
    buf_free(&text);
}

static void file_rows(const char *directory) {
    char *here = path_of("%s/ours", directory), *there = path_of("%s/theirs", directory);
    remove_all(directory);
    make_directory(directory);
    make_directory(here);
    make_directory(there);
    make_text(here);
    make_text(there);
    server ours = start_ours(here), theirs = start_mcp(there);
    char *path = path_of("{\"path\": \"%s/text.txt\"}", there);
    compare_servers(
        "read",
        (const struct asked[]){{&ours, call_request("read_file", "{\"path\": \"text.txt\"}"), NULL},
                               {&theirs, call_request("read_text_file", path), NULL}});
    free(path);
    static const char our_edit[] =
        "{\"path\": \"text.txt\", \"old_str\": \"700: a %s\", \"new_str\": \"700: a %s\"}";
    static const char their_edit[] = "{\"path\": \"%s/text.txt\", \"edits\": [{\"oldText\": "
                                     "\"700: a %s\", \"newText\": \"700: a %s\"}]}";
    char *edits[] = {path_of(our_edit, "line", "word"), path_of(our_edit, "word", "line"),
                     path_of(their_edit, there, "line", "word"),
                     path_of(their_edit, there, "word", "line")};
    compare_servers("edit", (const struct asked[]){{&ours, call_request("edit_file", edits[0]),
                                                    call_request("edit_file", edits[1])},
                                                   {&theirs, call_request("edit_file", edits[2]),
                                                    call_request("edit_file", edits[3])}});
    for (size_t i = 0; i < 4; i++)
        free(edits[i]);
    stop_server(&ours);
    stop_server(&theirs);
    free(here);
    free(there);
}

/* -- a corpus ---------------------------------------------------------------------------------- */

static void corpus_rows(const char *corpus) {
    static const char all[] = "\"ignored\": true, \"exclude_patterns\": []";
    server ours = start_ours(corpus), theirs = start_mcp(corpus);
    char *theirs_path = path_of("{\"path\": \"%s\"}", corpus);
    char *our_list = path_of("{\"path\": \".\"}");
    char *our_tree = path_of("{\"limit\": 0, %s}", all);
    char *our_search = path_of("{\"pattern\": \"**/*.d.ts\", \"limit\": 100000000, %s}", all);
    char *their_search = path_of("{\"path\": \"%s\", \"pattern\": \"**/*.d.ts\"}", corpus);
    compare_servers("list", (const struct asked[]){
                                {&ours, call_request("list_directory", our_list), NULL},
                                {&theirs, call_request("list_directory", theirs_path), NULL}});
    compare_servers("tree", (const struct asked[]){
                                {&ours, call_request("directory_tree", our_tree), NULL},
                                {&theirs, call_request("directory_tree", theirs_path), NULL}});
    compare_servers("search", (const struct asked[]){
                                  {&ours, call_request("search_files", our_search), NULL},
                                  {&theirs, call_request("search_files", their_search), NULL}});
    char *const texts[] = {theirs_path, our_list, our_tree, our_search, their_search};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    stop_server(&ours);
    stop_server(&theirs);
}

/* -- what is held ------------------------------------------------------------------------------ */

static double resident_mib(pid_t pid) {
    char name[64];
    unsigned long whole = 0, resident = 0;
    (void)snprintf(name, sizeof name, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(name, "r");
    if (!f || fscanf(f, "%lu %lu", &whole, &resident) != 2)
        die_of(name);
    (void)fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576.0;
}

static void read_often(server *s, int calls, bool *right) {
    char *request = call_request("read_file", "{\"path\": \"text.txt\"}");
    for (int i = 0; i < calls && *right; i++)
        (void)time_call(s, request, right);
    free(request);
}

static void print_held(const char *name, const double mib[2], bool right) {
    char *row = path_of("%s/%s", label, name);
    print_row(row, right ? mib[1] : 1, "after-5000", right ? mib[0] : 1, 1.05, right);
    free(row);
}

/* Memory that grows with the calls shows between the two looks. */
static void held_rows(const char *directory) {
    const char *number = getenv("BENCH_EMACS");
    pid_t emacs = number ? (pid_t)strtol(number, NULL, 10) : 0;
    char *row = path_of("%s/held", label), *here = path_of("%s/ours", directory);
    double mib[2][2] = {{0}};
    bool right = true;
    if (wanted(row)) {
        server s = start_ours(here);
        for (int i = 0; i < 2; i++) {
            read_often(&s, 5000, &right);
            mib[0][i] = resident_mib(s.pid);
            mib[1][i] = emacs ? resident_mib(emacs) : 0;
        }
        print_held("held", mib[0], right);
        if (emacs)
            print_held("held-emacs", mib[1], right);
        stop_server(&s);
    }
    free(row);
    free(here);
}

/* -- the start --------------------------------------------------------------------------------- */

/* The milliseconds until the answer to initialize, and in *LISTED until the list of tools. */
static double time_start(const char *const argv[], const char *directory, double *listed) {
    double began = now_ms();
    server s = start_server(argv, directory);
    free_run(ask(&s, greeting));
    double answered = now_ms() - began;
    say(&s, greeted);
    free_run(ask(&s, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}"));
    *listed = now_ms() - began;
    stop_server(&s);
    return answered;
}

static void start_rows(const char *directory) {
    const char *const peer[] = {"node", settings.mcp, directory, NULL};
    double ours[MOST_RUNS], theirs[MOST_RUNS], answered[MOST_RUNS];
    char *row = path_of("%s/first-answer", label);
    for (int i = 0; i < settings.runs; i++) {
        answered[i] = time_start(command, directory, &ours[i]);
        (void)time_start(peer, directory, &theirs[i]);
    }
    if (wanted(row))
        print_row(row, median(ours, settings.runs), "mcp-server", median(theirs, settings.runs),
                  0.2, true);
    free(row);
    row = path_of("%s/start", label);
    if (wanted(row))
        print_row(row, median(answered, settings.runs), "20-ms", 20, 1, true);
    free(row);
    server s = start_ours(directory);
    row = path_of("%s/idle-rss", label);
    if (wanted(row))
        print_row(row, resident_mib(s.pid), "10-MiB", 10, 1, true);
    free(row);
    stop_server(&s);
}

static bool has_emacs(void) {
    const char *const *word = command;
    while (*word && strcmp(*word, "--emacs") != 0)
        word++;
    return *word != NULL;
}

int main(int argc, char **argv) {
    if (argc < 6)
        die("usage: program LABEL BOUND DIR CORPUS COMMAND...");
    read_settings();
    label = argv[1];
    bound = strtod(argv[2], NULL);
    command = (const char *const *)argv + 5;
    if (!settings.mcp) {
        skip(label, "@modelcontextprotocol/server-filesystem is not installed");
        return 0;
    }
    file_rows(argv[3]);
    held_rows(argv[3]);
    corpus_rows(argv[4]);
    if (!has_emacs())
        start_rows(argv[3]);
    return settings.differed;
}

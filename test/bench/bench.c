/* SPDX-License-Identifier: MIT */
/* bench.c -- measures the core with what people use today.
 *
 * Each side is used as it is used: Emacs and Lisp have the core loaded and call it,
 * so a process that has it loaded is asked; so is the MCP server; the other peers
 * are started for each question.
 *
 *     bench tree LABEL DIR BOUND    walk, find, tree and grep against fd, rg, ugrep, git grep
 *                                   and the MCP server
 *     bench grep LABEL DIR BOUND    grep alone
 *     bench links LABEL DIR         walk and find alone: for a tree with many links
 *     bench ignoring LABEL DIR      find and grep where git ignores most, against plain fd and rg
 *     bench replies DIR             the bytes of answers, for the sources of this project
 *     bench cold LABEL DIR BOUND    walk and grep with nothing in the page cache, as root
 *     bench growth DIR              a corpus of corpus.c: is the time a file the same throughout?
 *                                   (on one processor)
 *     bench memory DIR BIG MILLION  a corpus, the directories of a 5 GB file and of many entries
 *
 * First the two sides' answers are compared as sets; only then are they timed,
 * in turns, so that what disturbs the machine disturbs both.  Prints
 *
 *     BENCH name ours_ms peer peer_ms ratio bound ok|SHORT|DIFFERS
 *     GROWTH name t1/8 t1/4 t1/2 t1 worst-deviation ok|SHORT
 *     MEMORY name rss_mib bound ok|SHORT
 *     SKIP name why
 *
 * and exits with 1 when an answer differed.  From the environment: BENCH_ROWS, a
 * wildcard for the names of the rows to run; BENCH_RUNS, how many runs a median
 * is taken of; BENCH_PROCESS, to have our side be a process a run too, and of each
 * row the milliseconds of processor time, `CPU name ours peer ratio`; BENCH_MCP,
 * where the MCP server's index.js is.
 */
#include "parts/mcp.h"
#include "parts/replies.h"
#include "parts/side.h"
#include "parts/trees.h"

#include "die.h"
#include "files.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- Rows of our side alone: growth, memory -- */

/* What `aqfs-call --measure` says last of LABEL. */
static double measurement(run r, const char *label) {
    const char *last = NULL;
    for (const char *at = r.err; (at = strstr(at, label)); at += strlen(label))
        last = at;
    if (!last)
        die("aqfs-call did not say \"%s\": %s", label, r.err);
    return strtod(last + strlen(label), NULL);
}

static run run_measured(const char *times, const char *directory, const char *request) {
    const char *argv[] = {tools.aqfs_call, "--measure", "--times", times, directory, request, NULL};
    return run_process(argv, directory);
}

static json_int_t total_of(const char *directory, const char *request) {
    json_t *reply = our_reply(directory, request);
    json_int_t total = json_integer_value(json_object_get(reply, "total"));
    json_decref(reply);
    return total;
}

enum { FRACTIONS = 4 };

static const char *const fraction[FRACTIONS] = {"half/quarter/eighth", "half/quarter", "half", "."};

static void time_fractions(char *const directory[], const char *request, double out[]) {
    double ms[FRACTIONS][MOST_RUNS] = {{0}};
    for (int i = 0; i < settings.runs; i++) {
        for (int f = 0; f < FRACTIONS; f++) {
            run r = run_measured("3", directory[f], request);
            ms[f][i] = measurement(r, "ms ");
            free_run(r);
        }
    }
    for (int f = 0; f < FRACTIONS; f++)
        out[f] = median(ms[f], settings.runs);
}

/* Times are those of a call, not of a process, and of the third in it: what a process does once,
 * starting and filling its memory, does not grow with the tree. */
static void growth_row(const char *row, char *const directory[], const json_int_t files[],
                       char *request) {
    double ms[FRACTIONS], worst = 0;
    time_fractions(directory, request, ms);
    double whole = ms[FRACTIONS - 1] / (double)files[FRACTIONS - 1];
    for (int f = 0; f < FRACTIONS; f++) {
        double deviation = fabs(ms[f] / (double)files[f] / whole - 1);
        worst = deviation > worst ? deviation : worst;
    }
    printf("GROWTH %s %.1f %.1f %.1f %.1f %.1f%% %s\n", row, ms[0], ms[1], ms[2], ms[3],
           100 * worst, worst <= 0.15 ? "ok" : "SHORT");
    fflush(stdout);
    free(request);
}

/* The gain by two processors depends also on how evenly its directories divide: one of 600
 * files at the end of a small tree keeps one waiting for the other. */
static void stay_on_one_processor(void) {
    cpu_set_t allowed, one;
    size_t first = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        die("sched_getaffinity: %s", strerror(errno));
    while (!CPU_ISSET(first, &allowed))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        die("sched_setaffinity: %s", strerror(errno));
}

static void growth_rows(const char *corpus) {
    char *directory[FRACTIONS];
    json_int_t files[FRACTIONS];
    char *all = search_request("**", true);
    for (int f = 0; f < FRACTIONS; f++) {
        directory[f] = path_of("%s/%s", corpus, fraction[f]);
        files[f] = total_of(directory[f], all);
    }
    growth_row("find", directory, files, search_request("**/*.d.ts", true));
    growth_row("tree", directory, files, tree_request());
    growth_row("grep", directory, files, grep_request("deprecated", false, true));
    for (int f = 0; f < FRACTIONS; f++)
        free(directory[f]);
    free(all);
}

static double memory_row(const char *name, const char *directory, const char *request,
                         double bound) {
    run r = run_measured("1", directory, request);
    double mib = measurement(r, "rss-kib ") / 1024, ms = measurement(r, "ms ");
    printf("MEMORY %s %.1f %.0f %s\n", name, mib, bound, mib < bound ? "ok" : "SHORT");
    fflush(stdout);
    free_run(r);
    return ms;
}

static void free_memory_row(const char *name, const char *directory, char *request, double bound) {
    memory_row(name, directory, request, bound);
    free(request);
}

/* BIG holds numbers.txt, 5 GB of lines `1`, `2` and so on. */
static void big_file_row(const char *big) {
    const char *request = "{\"op\":\"read_file\",\"args\":{\"path\":\"numbers.txt\",\"start_line\":"
                          "10,\"end_line\":50}}";
    json_t *reply = our_reply(big, request);
    const char *content = member(reply, "content");
    if (strncmp(content, "10\n11\n", 6) != 0 || !strstr(content, "\n50")) {
        fprintf(stderr, "  read-5gb: not lines 10 to 50: %.80s\n", content);
        settings.differed = true;
    }
    json_decref(reply);
    printf("NOTE read_file of lines 10-50 of 5 GB: %.1f ms\n",
           memory_row("read-5gb", big, request, 64));
}

static void million_row(const char *million) {
    const char *request =
        "{\"op\":\"list_directory\",\"args\":{\"path\":\".\",\"exclude_patterns\":[]}}";
    json_t *reply = our_reply(million, request);
    size_t entries = json_array_size(json_object_get(reply, "entries"));
    json_int_t total = json_integer_value(json_object_get(reply, "total"));
    if (entries != 200 || !json_is_true(json_object_get(reply, "truncated"))) {
        fprintf(stderr, "  list-million: %zu entries, not 200 and truncated\n", entries);
        settings.differed = true;
    }
    json_decref(reply);
    double ms = memory_row("list-million", million, request, 200);
    printf("NOTE list_directory of a million entries: %.1f ms, %zu of %lld\n", ms, entries,
           (long long)total);
}

static void memory_rows(const char *corpus, const char *big, const char *million) {
    free_memory_row("find", corpus, search_request("**", true), 200);
    free_memory_row("grep-word", corpus, grep_request("deprecated", false, true), 200);
    free_memory_row("grep-re", corpus, grep_request("function\\s+\\w+\\(", false, true), 200);
    if (*big)
        big_file_row(big);
    else
        skip("read-5gb", "the disk has no room for 5 GB");
    million_row(million);
}

/* -- Setting up -- */

/* NAME, if the path leads to a program of that name, or NULL. */
static const char *program(const char *name) {
    const char *search = getenv("PATH");
    char *path = have(strdup(search ? search : "")), *rest = path;
    const char *found = NULL;
    for (char *directory; !found && (directory = strsep(&rest, ":"));) {
        char *file = path_of("%s/%s", directory, name);
        if (access(file, X_OK) == 0)
            found = name;
        free(file);
    }
    free(path);
    return found;
}

static void set_up(char *self) {
    char *own_path = have(realpath(self, NULL));
    tools.aqfs_call = path_of("%s/aqfs-call", dirname(own_path));
    free(own_path);
    tools.fd = program("fd") ? "fd" : program("fdfind");
    tools.rg = program("rg");
    tools.ugrep = program("ugrep");
    tools.git = program("git");
    tools.process = getenv("BENCH_PROCESS");
    read_settings();
}

/* Absolute, as a workspace's root has to be; an empty one stays empty. */
static const char *directory_of(const char *argument) {
    if (!*argument)
        return argument;
    const char *path = realpath(argument, NULL);
    if (!path)
        die("%s: %s", argument, strerror(errno));
    return path;
}

int main(int argc, char **argv) {
    set_up(argv[0]);
    if (argc == 5 && strcmp(argv[1], "tree") == 0) {
        const char *directory = directory_of(argv[3]);
        fd_rows(argv[2], directory, "d.ts");
        grep_rows(argv[2], directory, strtod(argv[4], NULL));
        mcp_rows(argv[2], directory);
    } else if (argc == 5 && strcmp(argv[1], "grep") == 0) {
        grep_rows(argv[2], directory_of(argv[3]), strtod(argv[4], NULL));
    } else if (argc == 4 && strcmp(argv[1], "links") == 0) {
        fd_rows(argv[2], directory_of(argv[3]), "svg");
    } else if (argc == 4 && strcmp(argv[1], "ignoring") == 0) {
        ignoring_rows(argv[2], directory_of(argv[3]));
    } else if (argc == 3 && strcmp(argv[1], "replies") == 0) {
        reply_rows(directory_of(argv[2]));
    } else if (argc == 5 && strcmp(argv[1], "cold") == 0) {
        cold_rows(argv[2], directory_of(argv[3]), strtod(argv[4], NULL));
    } else if (argc == 3 && strcmp(argv[1], "growth") == 0) {
        stay_on_one_processor();
        growth_rows(directory_of(argv[2]));
    } else if (argc == 5 && strcmp(argv[1], "memory") == 0) {
        memory_rows(directory_of(argv[2]), directory_of(argv[3]), directory_of(argv[4]));
    } else {
        die("usage: bench tree|grep|cold LABEL DIR BOUND, links|ignoring LABEL DIR, "
            "growth|replies DIR, "
            "memory DIR BIG MILLION");
    }
    return settings.differed;
}

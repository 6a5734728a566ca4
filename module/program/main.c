/* main.c -- the program agent-q-fs: one command of several.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command_line.h"
#include "serve.h"
#include "server.h"

#include "aqfs.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: agent-q-fs mcp --root DIRECTORY [OPTION...]\n"
    "       agent-q-fs mcp --emacs [SOCKET] [OPTION...]\n"
    "       agent-q-fs serve\n"
    "       agent-q-fs --version | --help\n"
    "\n"
    "serve opens projects of this machine for a client at the other end of a connection.  It\n"
    "speaks in frames on standard input and output, and ends with them.\n"
    "\n"
    "mcp serves the files of one project to an agent, by the Model Context Protocol on\n"
    "standard input and output.  Its options:\n"
    "\n";

static int show_help(FILE *to) {
    (void)fputs(usage, to);
    command_line_help(to);
    return to == stdout ? 0 : 2;
}

static int run_mcp(int argc, char **argv) {
    struct parsed parsed;
    int status = command_line_read(argc, argv, &parsed);
    if (parsed.help)
        status = show_help(stdout);
    else if (status == 0)
        status = server_run(&parsed.settings, STDIN_FILENO, STDOUT_FILENO);
    command_line_free(&parsed);
    return status;
}

/* For a client at the other end of a connection: it says in its first frame what it wants. */
static int run_serve(int argc, char **argv) {
    if (argc == 1 && strcmp(argv[0], "--help") == 0)
        return show_help(stdout);
    if (argc > 0) {
        (void)fputs("agent-q-fs serve: it takes no arguments\n", stderr);
        return 2;
    }
    char *state = command_line_state_directory();
    const struct serve_place place = {.home = getenv("HOME"), .state_dir = state};
    int status = serve_run(&place, STDIN_FILENO, STDOUT_FILENO);
    free(state);
    return status;
}

/* The C library gives memory back to the system after each call, and asks for it again in the next:
 * half of the time that a read of 64 KB takes.  Each of the few threads keeps so much instead. */
static void keep_memory_between_calls(void) {
#ifdef __GLIBC__
    enum { KEPT = 4 << 20, ASKED_FOR_AT_ONCE = 256 << 10 };
    (void)mallopt(M_MMAP_THRESHOLD, KEPT);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
    (void)mallopt(M_TOP_PAD, ASKED_FOR_AT_ONCE);
#endif
}

int main(int argc, char **argv) {
    keep_memory_between_calls();
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "mcp") == 0)
        return run_mcp(argc - 2, argv + 2);
    if (strcmp(command, "serve") == 0)
        return run_serve(argc - 2, argv + 2);
    if (strcmp(command, "--help") == 0 || strcmp(command, "help") == 0)
        return show_help(stdout);
    if (strcmp(command, "--version") == 0) {
        (void)printf("agent-q-fs %s\n", AQFS_VERSION);
        return 0;
    }
    (void)fprintf(stderr, "agent-q-fs: %s; expected mcp, serve, --version or --help\n",
                  argc > 1 ? "there is no such command" : "a command is missing");
    return show_help(stderr);
}

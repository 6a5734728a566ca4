/* main.c -- the program agent-q-fs-run: runs one command, and ends all that it started.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fence.h"
#include "guard.h"
#include "leader.h"

#include "aqfs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char words[] =
    "usage: agent-q-fs-run\n"
    "       agent-q-fs-run --version | --landlock | --help\n"
    "\n"
    "Reads a command as records on standard input, runs it, and writes records about it to\n"
    "standard output.  Emacs starts it; it is of no use by hand.\n";

int main(int argc, char **argv) {
    if (argc == 1)
        return guard_run(STDIN_FILENO, STDOUT_FILENO, leader_run);
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("agent-q-fs-run %s\n", AQFS_VERSION) < 0;
    if (argc == 2 && strcmp(argv[1], "--landlock") == 0)
        return printf("%d\n", fence_level()) < 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(words, stdout) < 0;
    (void)fputs(words, stderr);
    return 2;
}

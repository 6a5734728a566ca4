/* SPDX-License-Identifier: MIT */
/* process.h -- programs that are run, and servers that are asked, each with what that took. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ALLOCATED, unless there was no memory. */
void *have(void *allocated);

typedef struct {
    double ms;
    double cpu_ms; /* of all threads: what the load of the machine does not change much */
    char *out;
    size_t out_length;
    char *err;
} run;

void free_run(run r);

/* Runs ARGV in DIRECTORY.  Both sides write into memory: a pipe would have the
 * reader compete with them for the processors. */
run run_process(const char *const argv[], const char *directory);

typedef struct {
    FILE *to;
    FILE *from;
    pid_t pid;
} server;

server start_server(const char *const argv[], const char *directory);
void stop_server(server *s);
void say(server *s, const char *message);
run ask(server *s, const char *message);

#endif

/* log.c -- what was asked of the disks, call by call: see log.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "log.h"

#include "die.h"

#include <stdio.h>
#include <stdlib.h>

void log_add(struct log *log, const struct event *event) {
    if (log->n == log->room) {
        log->room = log->room ? log->room * 2 : 64;
        log->events = realloc(log->events, log->room * sizeof *log->events);
        if (!log->events)
            die("no memory");
    }
    log->events[log->n++] = *event;
}

void log_tell(const struct log *log) {
    for (size_t i = 0; i < log->n; i++) {
        const struct event *event = &log->events[i];
        printf("    %3zu %-15s", i + 1, event->call);
        for (size_t j = 0; j < event->names_n; j++)
            printf(" %s=%llu", event->names[j].name, (unsigned long long)event->names[j].inode);
        if (event->names_n == 0 && event->inode)
            printf(" %llu", (unsigned long long)event->inode);
        if (event->kind == EVENT_WRITE)
            printf(" %zu at %lld", event->n, (long long)event->offset);
        printf("%s\n", event->failed ? " failed" : "");
    }
}

void log_free(struct log *log) {
    for (size_t i = 0; i < log->n; i++) {
        struct event *event = &log->events[i];
        for (size_t j = 0; j < event->names_n; j++)
            free(event->names[j].name);
        free(event->bytes);
        free(event->attribute);
    }
    free(log->events);
    *log = (struct log){0};
}

/* processes.c -- looks at a process from outside: see processes.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VmHWM and not ru_maxrss, which remembers the process that spawned this one. */
long process_peak_kb(pid_t pid) {
    char path[60], line[200];
    long kb = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (file)
        (void)fclose(file);
    return kb;
}

bool process_is_asleep(pid_t pid) {
    char path[400], line[400];
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    bool asleep = tasks != NULL;
    for (struct dirent *task; asleep && (task = readdir(tasks)) != NULL;) {
        (void)snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, task->d_name);
        FILE *stat = task->d_name[0] == '.' ? NULL : fopen(path, "re");
        if (stat && fgets(line, sizeof line, stat))
            asleep = strstr(line, ") S ") != NULL;
        if (stat)
            (void)fclose(stat);
    }
    if (tasks)
        (void)closedir(tasks);
    return asleep;
}

/* SPDX-License-Identifier: MIT */
/* world.c -- the directories that a fault test plays with: see world.h. */
#include "world.h"

#include "die.h"
#include "request.h"
#include "select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *base;
struct score score;

void world_start(void) {
    base = make_temporary("aqfs-fault");
    must(chdir(base) == 0, base);
    /* shim.c gives this for /proc/meminfo. */
    make_file("meminfo-little", "MemTotal: 1 kB\nDirty: 0 kB\nWriteback: 0 kB\n");
    make_file("meminfo-much", "MemTotal: 1 kB\nDirty: 1000000 kB\nWriteback: 0 kB\n");
}

void world_end(void) {
    must(chdir("/") == 0, "chdir");
    remove_all(base);
    free(base);
}

void world_clear(void) {
    remove_all("root");
    remove_all("state");
}

aqfs_workspace *open_with(const char *resolver, const char *more) {
    char *options =
        path_of("{\"root\":\"%s/root\",\"state_dir\":\"%s/state\",\"resolver\":\"%s\"%s}", base,
                base, resolver, more);
    aqfs_workspace *ws = open_options(options);
    free(options);
    return ws;
}

aqfs_workspace *open_workspace(const char *resolver) {
    return open_with(resolver, "");
}

char *find_journal(void) {
    char *found = NULL;
    struct names names = names_below("state/journal");
    for (size_t i = 0; i < names.n && !found; i++)
        if (!strstr(names.names[i], ".lock"))
            found = path_of("state/journal/%s", names.names[i]);
    free_names(&names);
    return found;
}

void count_result(bool passed) {
    score.passed += passed;
    score.failed += !passed;
    if (!passed && stops_at_failure())
        die("stopped at the first failure");
}

int report_score(void) {
    printf("%d passed, %d failed\n", score.passed, score.failed);
    return score.failed > 0;
}

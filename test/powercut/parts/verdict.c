/* verdict.c -- whether what is left by a loss of power is what was promised: see trial.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trial.h"

#include "../../fault/parts/world.h"
#include "build.h"
#include "recorder.h"

#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINES_TOLD 5

struct verdict {
    bool holds, tells;
};

__attribute__((format(printf, 2, 3))) static void object(struct verdict *v, const char *format,
                                                         ...) {
    va_list args;
    v->holds = false;
    if (!v->tells)
        return;
    va_start(args, format);
    printf("    found: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

/* -- the project --------------------------------------------------------------------------------
 */

/* Prints the lines of A that B lacks. */
static void tell_lines(const char *a, const char *b, const char *sign) {
    int told = 0;
    for (const char *line = a, *end; (end = strchr(line, '\n')) && told < LINES_TOLD;
         line = end + 1) {
        char *text = path_of("%.*s", (int)(end + 1 - line), line);
        if (!strstr(b, text))
            told += printf("      %s %.90s%s", sign, text, strlen(text) > 90 ? "\n" : "") > 0;
        free(text);
    }
}

static void check_project(struct verdict *v, const char *const *allowed, size_t n) {
    char *now = picture_of("root", false, true);
    bool is_allowed = false;
    for (size_t i = 0; i < n; i++)
        is_allowed = is_allowed || strcmp(now, allowed[i]) == 0;
    if (!is_allowed) {
        object(v, "a project that is not what was answered (+ too much, - missing)");
        if (v->tells && n > 0) {
            tell_lines(now, allowed[n - 1], "+");
            tell_lines(allowed[n - 1], now, "-");
        }
    }
    free(now);
}

/* Each file is as in one of the pictures, of which its own is a part. */
static void check_each(struct verdict *v, const char *path, const char *const *allowed, size_t n) {
    struct stat s;
    struct names names = names_below(path);
    for (size_t i = 0; i < names.n; i++) {
        char *below = path_of("%s/%s", path, names.names[i]), *own = NULL;
        if (lstat(below, &s) == 0 && S_ISDIR(s.st_mode))
            check_each(v, below, allowed, n);
        else
            own = picture_of(below, false, true);
        bool is_allowed = own == NULL;
        for (size_t j = 0; j < n; j++)
            is_allowed = is_allowed || strstr(allowed[j], own) != NULL;
        if (!is_allowed)
            object(v, "%s is neither old nor new", below);
        free(own), free(below);
    }
    free_names(&names);
}

static size_t allowed_at(const struct trial *t, size_t point, const char *out[2]) {
    size_t answered = answers_at(&t->log, point), all = answers_at(&t->log, t->log.n), n = 0;
    if (answered == all) {
        for (; n < t->ends_n; n++)
            out[n] = t->ends[n];
        return n;
    }
    for (; n < 2 && answered + n <= REQUESTS_MOST && t->pictures[answered + n]; n++)
        out[n] = t->pictures[answered + n];
    return n;
}

/* -- the state directory ------------------------------------------------------------------------
 */

static void check_no_temporary(struct verdict *v, const char *path) {
    struct stat s;
    struct names names = names_below(path);
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.names[i];
        char *below = path_of("%s/%s", path, name);
        if (strstr(name, ".aqfs-") || strncmp(name, "tmp_pack_", 9) == 0)
            object(v, "a temporary name, %s", below);
        if (lstat(below, &s) == 0 && S_ISDIR(s.st_mode))
            check_no_temporary(v, below);
        free(below);
    }
    free_names(&names);
}

static void check_reply(struct verdict *v, const aqfs_reply *reply, const char *what) {
    if (!reply || aqfs_reply_error(reply))
        object(v, "%s: %.200s", what, reply ? aqfs_reply_text(reply, NULL) : "no memory");
}

/* A restore leaves the permissions of a directory alone that is there; UNSURE: they may be others.
 */
static void check_snapshots(struct verdict *v, aqfs_workspace *ws, size_t from, size_t to,
                            bool unsure) {
    aqfs_reply *reply = ask_as(ws, "snapshot_create", "{}", AQFS_JSON);
    check_reply(v, reply, "another snapshot");
    aqfs_reply_free(reply);
    reply = ask_as(ws, "snapshot_list", "{}", AQFS_JSON);
    const char *text = reply ? aqfs_reply_text(reply, NULL) : "";
    if (!strstr(text, "\"damaged\": 0"))
        object(v, "snapshots: %.200s", text);
    aqfs_reply_free(reply);
    for (size_t i = from; i < to; i++) {
        char *args = path_of("{\"id\":\"%s\"}", snapshots.ids[i]);
        reply = ask_as(ws, "snapshot_restore", args, AQFS_JSON);
        check_reply(v, reply, "a snapshot that was reported");
        char *now = picture_of("root", false, true);
        if (!unsure && strcmp(now, snapshots.held[i]) != 0 && reply && !aqfs_reply_error(reply))
            object(v, "a snapshot that holds something else");
        aqfs_reply_free(reply);
        free(now), free(args);
    }
}

/* -- the whole ----------------------------------------------------------------------------------
 */

static void check_goes_on(struct verdict *v, aqfs_workspace *ws) {
    static const char args[] = "{\"path\":\"then/after\",\"content\":\"after\\n\"}";
    aqfs_reply *reply = ask_as(ws, "create_file", args, AQFS_JSON);
    check_reply(v, reply, "a change");
    if (strcmp(text_of("root/then/after"), "after\n") != 0)
        object(v, "nothing of that change");
    aqfs_reply_free(reply);
}

bool trial_holds(const struct trial *t, const struct disk *disk, size_t point, bool tell) {
    struct verdict v = {.holds = true, .tells = tell};
    const char *allowed[2] = {"", ""};
    size_t n = allowed_at(t, point, allowed), answered = answers_at(&t->log, point);
    build(disk);
    powercut_machine.started_since = true;
    aqfs_workspace *ws = open_workspace("auto");
    if (t->unsure && answered == answers_at(&t->log, t->log.n))
        check_each(&v, "root", allowed, n);
    else
        check_project(&v, allowed, n);
    char *journal = find_journal();
    if (journal)
        object(&v, "a journal that nobody undoes or ends");
    free(journal);
    check_goes_on(&v, ws);
    /* Those who write to the state directory first remove what others have left there. */
    if (t->snapshots[answered] > 0 || strncmp(t->deed->name, "snapshot", 8) == 0)
        check_snapshots(&v, ws, t->deed->forgotten, t->snapshots[answered], t->unsure);
    aqfs_free(ws);
    powercut_machine.started_since = false;
    check_no_temporary(&v, "state");
    forget_inodes();
    return v.holds;
}

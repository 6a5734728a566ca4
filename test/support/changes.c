/* changes.c -- asking for changes in a test: with an authority, as a preview, with a digest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"

#include "own_file.h"
#include "unity.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *ask_with(aqfs_workspace *ws, const char *members, const char *op, const char *args) {
    char *request = NULL;
    int n = asprintf(&request, "{\"op\":\"%s\",\"args\":%s%s}", op, args, members);
    json_t *reply = n < 0 ? NULL : ask_raw(ws, request, (size_t)n, NULL);
    free(request);
    return reply;
}

json_t *change_as(aqfs_workspace *ws, const char *word, const char *op, const char *args) {
    char members[64];
    (void)snprintf(members, sizeof members, ",\"authority\":\"%s\"", word);
    return ask_with(ws, members, op, args);
}

json_t *change(aqfs_workspace *ws, const char *op, const char *args) {
    return change_as(ws, "dangerous", op, args);
}

json_t *preview(aqfs_workspace *ws, const char *op, const char *args) {
    return ask_with(ws, ",\"verb\":\"plan\"", op, args);
}

json_t *change_approved(aqfs_workspace *ws, const char *digest, const char *op, const char *args) {
    char members[128];
    (void)snprintf(members, sizeof members, ",\"authority\":\"dangerous\",\"digest\":\"%s\"",
                   digest);
    return ask_with(ws, members, op, args);
}

void put_file(aqfs_workspace *ws, const char *path, const char *text) {
    char args[1024];
    (void)snprintf(args, sizeof args, "{\"path\":\"%s\",\"content\":\"%s\"}", path, text);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "write_file", args)));
}

const char *content_of(aqfs_workspace *ws, const char *path) {
    const json_t *reply = ask_path(ws, "read_file", path);
    return strcmp(code_of(reply), "ok") == 0 ? text_in(reply, "content") : code_of(reply);
}

void check_text(const char *name, const char *text) {
    TEST_ASSERT_EQUAL_STRING(text, text_of(project_path(name)));
}

static int found;

static int look(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)s, (void)type;
    found += is_temporary_name(path + where->base);
    return 0;
}

int temporary_files(void) {
    found = 0;
    (void)nftw(project_path(""), look, 16, FTW_PHYS);
    return found;
}

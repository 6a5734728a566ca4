/* snapshots.c -- asking for snapshots in a test.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *snapshot(aqfs_workspace *ws) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return text_in(reply, "id");
}

json_t *on_snapshot(aqfs_workspace *ws, const char *op, const char *id) {
    char args[200];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", id);
    return change(ws, op, args);
}

json_t *go_back(aqfs_workspace *ws, const char *id) {
    json_t *reply = on_snapshot(ws, "snapshot_restore", id);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    if (!strstr(id, ".."))
        TEST_ASSERT_EQUAL_STRING("",
                                 names_in(on_snapshot(ws, "snapshot_diff", id), "files", "path"));
    TEST_ASSERT_EQUAL(0, temporary_files());
    return reply;
}

void check_stays(aqfs_workspace *ws, const char *id, const char *code) {
    json_t *reply = on_snapshot(ws, "snapshot_restore", id);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(code, code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

int mode_of(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0 ? (int)(s.st_mode & 07777) : -1;
}

char type_of(const char *path) {
    struct stat s;
    if (lstat(path, &s) != 0)
        return '-';
    return S_ISREG(s.st_mode)    ? 'f'
           : S_ISDIR(s.st_mode)  ? 'd'
           : S_ISLNK(s.st_mode)  ? 'l'
           : S_ISFIFO(s.st_mode) ? 'p'
                                 : '?';
}

/* SPDX-License-Identifier: MIT */
/* fuzz_call.c -- any bytes as a request get one well-formed reply, and so do any options. */
#include "aqfs.h"
#include "fuzz.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/aqfs-fuzz-XXXXXX";
static aqfs_workspace *ws;

static void leave_nothing(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    (void)!system(command);
}

static void start(void) {
    char options[128];
    PROMISE(mkdtemp(root) && chdir(root) == 0 && mkdir("d", 0755) == 0);
    atexit(leave_nothing);
    FILE *f = fopen("d/f.txt", "w");
    PROMISE(f && fputs("one\ntwo\n", f) >= 0 && fclose(f) == 0);
    int n = snprintf(options, sizeof options, "{\"root\":\"%s\",\"limits\":{\"threads\":1}}", root);
    aqfs_reply_free(aqfs_open(options, (size_t)n, AQFS_SEXP, &ws));
    PROMISE(ws);
}

static void check_reply(aqfs_reply *r) {
    size_t n;
    PROMISE(r);
    const char *text = aqfs_reply_text(r, &n);
    json_t *v = json_loadb(text, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    PROMISE(v && json_is_object(v));
    PROMISE(!aqfs_reply_error(r) == !json_object_get(v, "error"));
    json_decref(v);
    aqfs_reply_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {
        "get_project_root", "list_directory", "list_dir",   "directory_tree", "get_file_info",
        "file_exists",      "read_file",      "read_bytes", "search_files",   "grep_files"};
    aqfs_context json = {.format = AQFS_JSON};
    aqfs_workspace *other = NULL;
    char request[4096];
    if (!ws)
        start();
    if (size == 0)
        return 0;
    const char *rest = (const char *)data + 1;
    int n = snprintf(request, sizeof request, "{\"op\":\"%s\",\"args\":%.*s}", names[data[0] % 10],
                     (int)(size - 1), rest);
    if (n < (int)sizeof request)
        check_reply(aqfs_call(ws, request, (size_t)n, &json));
    check_reply(aqfs_call(ws, rest, size - 1, &json));
    check_reply(aqfs_open(rest, size - 1, AQFS_JSON, &other));
    aqfs_free(other);
    return 0;
}

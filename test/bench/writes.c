/* SPDX-License-Identifier: MIT */
/* writes.c -- measures edits and patches: writes DIR
 *
 * Peers: the same done in plain C, durably, as little as that can be (read, copy, write beside it,
 * fsync, rename, fsync of the directory); the MCP filesystem server's edit_file; git apply.  The
 * two last do not wait for the disk; each has a second row, `-durable`, where what it wrote is
 * synced.
 *
 * Each side has files of its own in DIR, changes them there and back, in turns.  First their files
 * are compared after a change; then times are taken.  Of what a patch changes each side has a tree
 * a run, and all of it is on disk before.  Prints the lines that bench.c describes, and heeds
 * BENCH_ROWS, BENCH_RUNS and BENCH_MCP as it does.
 */
#include "parts/mcp.h"
#include "parts/patches.h"
#include "parts/turns.h"

#include "die.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- edits ----------------------------------------------------------------------------------------
 */

static void theirs_plain(const struct row *row, bool back) {
    plain_edit(sides.theirs, row->file, back);
}

static void edit_row(const char *name, const char *file, double bound) {
    struct row row = {.name = name,
                      .peer = "plain-C",
                      .file = file,
                      .bound = bound,
                      .ours = ours_by_request,
                      .theirs = theirs_plain,
                      .there = edit_request(file, marker, changed),
                      .back = edit_request(file, changed, marker)};
    compare(&row);
    free_row(&row);
}

/* Nothing is changed, and what comes nearest is told. */
static void hint_row(void) {
    char *request = edit_request("10mb.c", "the line to change is  this one: 1\n", changed);
    if (wanted("write/hint-10mb")) {
        call(request, "no-match");
        bool same = same_on_both("10mb.c");
        double ours[MOST_RUNS];
        for (int i = 0; i < settings.runs; i++) {
            double start = now_ms();
            call(request, "no-match");
            ours[i] = now_ms() - start;
        }
        print_row("write/hint-10mb", median(ours, settings.runs), "limit", 100, 1, same);
    }
    free(request);
}

/* -- what is replaced is kept -------------------------------------------------------------------
 *
 * Against the same core with nothing to keep. */

static aqfs_workspace *unkept;

static void theirs_unkept(const struct row *row, bool back) {
    const char *request = back ? row->back : row->there;
    aqfs_reply *reply = aqfs_call(unkept, request, strlen(request), NULL);
    if (aqfs_reply_error(reply))
        die("%s", aqfs_reply_text(reply, NULL));
    aqfs_reply_free(reply);
}

static void keep_row(const char *name, const char *file, char *there, char *back) {
    struct row row = {.name = name,
                      .peer = "keeping-nothing",
                      .file = file,
                      .bound = 1.2,
                      .ours = ours_by_request,
                      .theirs = theirs_unkept,
                      .there = there,
                      .back = back};
    compare(&row);
    free_row(&row);
}

static void keep_rows(void) {
    char options[3 * NAME];
    (void)snprintf(options, sizeof options,
                   "{\"root\":\"%s\",\"state_dir\":\"%s-state\",\"limits\":{\"kept_calls\":0}}",
                   sides.theirs, sides.theirs);
    unkept = open_options(options);
    keep_row("keep/edit-4kb", "4kb.c", edit_request("4kb.c", marker, changed),
             edit_request("4kb.c", changed, marker));
    keep_row("keep/edit-10mb", "10mb.c", edit_request("10mb.c", marker, changed),
             edit_request("10mb.c", changed, marker));
    keep_row(
        "keep/copy-and-delete-4kb", "4kb.c",
        request_of("copy_file", json_pack("{s:s, s:s}", "source", "4kb.c", "destination", "x.c")),
        request_of("delete_file", json_pack("{s:s}", "path", "x.c")));
    aqfs_free(unkept);
}

/* -- the MCP server ------------------------------------------------------------------------------
 */

static server mcp;

static void theirs_mcp(const struct row *row, bool back) {
    json_t *message =
        json_pack("{s:s, s:i, s:s, s:{s:s, s:{s:s, s:[{s:s, s:s}]}}}", "jsonrpc", "2.0", "id", 1,
                  "method", "tools/call", "params", "name", "edit_file", "arguments", "path",
                  in(sides.theirs, row->file), "edits", "oldText", back ? changed : marker,
                  "newText", back ? marker : changed);
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    run answered = ask(&mcp, text);
    if (strstr(answered.out, "\"isError\":true"))
        die("%s", answered.out);
    free_run(answered);
    free(text);
}

static void theirs_mcp_durable(const struct row *row, bool back) {
    theirs_mcp(row, back);
    sync_path(in(sides.theirs, row->file));
    sync_path(sides.theirs);
}

static void mcp_row(const char *name, const char *file, bool durable) {
    struct row row = {.name = name,
                      .peer = durable ? "mcp-server+fsync" : "mcp-server",
                      .file = file,
                      .bound = 1,
                      .ours = ours_by_request,
                      .theirs = durable ? theirs_mcp_durable : theirs_mcp,
                      .there = edit_request(file, marker, changed),
                      .back = edit_request(file, changed, marker)};
    if (wanted(name) && !settings.mcp)
        skip(name, "@modelcontextprotocol/server-filesystem is not installed");
    else if (wanted(name)) {
        mcp = start_mcp(sides.theirs);
        compare(&row);
        stop_server(&mcp);
    }
    free_row(&row);
}

/* -- the whole ------------------------------------------------------------------------------------
 */

/* Without a journal ext4 does not give away again the inodes of files deleted in the last minutes,
 * and looks at each of them for every new file: it is told that the trees in DIRECTORY have nothing
 * to do with each other, and puts them apart.  Other file systems need not be told. */
static void spread_trees(const char *directory) {
    unsigned flags = 0;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die_of(directory);
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_TOPDIR_FL;
        (void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
    (void)close(fd);
}

static void make_files(const char *directory) {
    if (mkdir(directory, 0755) != 0)
        die_of(directory);
    spread_trees(directory);
    make_source(directory, "10mb.c", 10000000);
    make_source(directory, "4kb.c", 4096);
}

static void set_up(const char *directory) {
    char options[3 * NAME], real[NAME - 16];
    if (strlen(directory) > sizeof real - 16 || (mkdir(directory, 0755) != 0 && errno != EEXIST))
        die_of(directory);
    char *path = realpath(directory, NULL);
    if (!path)
        die_of(directory);
    (void)snprintf(real, sizeof real, "%s", path);
    free(path);
    read_settings();
    (void)snprintf(sides.ours, sizeof sides.ours, "%s/ours", real);
    (void)snprintf(sides.theirs, sizeof sides.theirs, "%s/theirs", real);
    (void)setenv("GIT_CEILING_DIRECTORIES", real, 1); /* no repository: paths are as they are */
    make_files(sides.ours);
    make_files(sides.theirs);
    (void)snprintf(options, sizeof options, "{\"root\":\"%s\",\"state_dir\":\"%s/state\"}",
                   sides.ours, real);
    sides.ws = open_options(options);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: writes DIR\n");
        return 2;
    }
    set_up(argv[1]);
    edit_row("write/edit-10mb", "10mb.c", 2);
    edit_row("write/edit-4kb", "4kb.c", 1.3);
    keep_rows();
    hint_row();
    patch_rows();
    mcp_row("write/edit-4kb-mcp", "4kb.c", false);
    mcp_row("write/edit-4kb-mcp-durable", "4kb.c", true);
    mcp_row("write/edit-10mb-mcp", "10mb.c", false);
    mcp_row("write/edit-10mb-mcp-durable", "10mb.c", true);
    aqfs_free(sides.ws);
    return settings.differed;
}

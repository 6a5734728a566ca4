/* SPDX-License-Identifier: MIT */
/* replay.c -- replay GIT-DIR N: the last N changes of a repository, given to apply_patch one after
 * the other, make directories in which git finds the very trees of its commits.
 *
 * Changes that are not of text alone must be refused by name; then git makes the next tree.
 */
#include "parts/operation.h"
#include "parts/stream.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    size_t passed, failed, refused, foreign;
    size_t added, deleted, renamed, copied, modes;
} tally;

/* Runs git, which must succeed. */
static void git(const char *command) {
    if (system(command) != 0) { // NOLINT(cert-env33-c): a test, and git
        fprintf(stderr, "failed: %s\n", command);
        exit(2);
    }
}

/* All that COMMAND prints. */
static void output_of(const char *command, struct buf *out) {
    char block[65536];
    size_t n;
    FILE *file = popen(command, "r"); // NOLINT(cert-env33-c): a test, and git
    buf_clear(out);
    buf_str(out, "");
    while (file && (n = fread(block, 1, sizeof block, file)) > 0)
        buf_add(out, block, n);
    if (!file || pclose(file) != 0) {
        fprintf(stderr, "failed: %s\n", command);
        exit(2);
    }
}

/* Only the directory that GIT_DIR names and the project are git's to look at. */
static void prepare(const struct operation *o, const char *repository) {
    char command[900];
    (void)snprintf(command, sizeof command,
                   "git clone --quiet --local --shared --bare '%s' '%s/git'", repository, o->base);
    git(command);
    (void)snprintf(command, sizeof command, "%s/git", o->base);
    setenv("GIT_DIR", command, 1);
    setenv("GIT_WORK_TREE", o->project, 1);
    git("git config core.bare false");
    /* Bytes as they are: what a repository says of its line endings must not matter. */
    (void)snprintf(command, sizeof command,
                   "echo '* -text -ident -filter' >'%s/git/info/attributes'", o->base);
    git(command);
}

static void check_out(const char *commit) {
    char command[200];
    (void)snprintf(command, sizeof command, "git read-tree -u --reset %s", commit);
    git(command);
}

static bool has_tree_of(const char *commit, struct buf *made) {
    char command[200];
    struct buf wanted = {0};
    (void)snprintf(command, sizeof command, "git rev-parse '%s^{tree}'", commit);
    output_of(command, &wanted);
    output_of("git add -A -f . && git write-tree", made);
    bool same = wanted.len == made->len && memcmp(wanted.data, made->data, made->len) == 0;
    buf_free(&wanted);
    return same;
}

static size_t lines_beginning(const struct buf *patch, const char *with) {
    size_t count = 0, n = strlen(with);
    for (const char *at = patch->data, *end = at + patch->len; at && at < end;) {
        count += (size_t)(end - at) >= n && memcmp(at, with, n) == 0;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : end;
    }
    return count;
}

static bool is_refused_by_name(const struct operation *o) {
    return strstr(o->message, "binary patches") || strstr(o->message, "symbolic links") ||
           strstr(o->message, "submodules");
}

static void check(struct operation *o, const char *from, const char *to) {
    char command[300];
    struct buf patch = {0}, tree = {0};
    (void)snprintf(command, sizeof command,
                   "git diff-tree -r -p -M -C --no-ext-diff --no-textconv %s %s", from, to);
    output_of(command, &patch);
    bool done = patch.len == 0 || operation_apply(o, &patch);
    if (done && has_tree_of(to, &tree)) {
        tally.passed++;
        tally.added += lines_beginning(&patch, "new file mode");
        tally.deleted += lines_beginning(&patch, "deleted file mode");
        tally.renamed += lines_beginning(&patch, "rename from");
        tally.copied += lines_beginning(&patch, "copy from");
        tally.modes += lines_beginning(&patch, "new mode");
    } else {
        /* A file in several encodings is no text, and a patch that is no UTF-8 no argument. */
        bool foreign = strcmp(o->error, "not-utf-8") == 0 || strcmp(o->error, "encoding") == 0;
        bool refused = !done && is_refused_by_name(o);
        tally.foreign += foreign;
        tally.refused += refused;
        tally.failed += !foreign && !refused;
        if (!foreign && !refused)
            printf("FAIL: %s: %s\n", to, done ? "another tree" : o->message);
        check_out(to);
    }
    buf_free(&patch);
    buf_free(&tree);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: replay GIT-DIR N\n");
        return 2;
    }
    struct operation o = {0};
    struct buf commits = {0};
    char command[200], last[ID_LENGTH + 1] = "";
    size_t wanted = strtoul(argv[2], NULL, 10);
    (void)umask(022);
    operation_start(&o);
    prepare(&o, argv[1]);
    /* Twice as many as are wanted: some are not of text alone. */
    (void)snprintf(command, sizeof command, "git rev-list --first-parent --reverse -n %zu HEAD",
                   2 * wanted + 1);
    output_of(command, &commits);
    for (const char *at = commits.data; *at && tally.passed + tally.failed < wanted;
         at += ID_LENGTH + 1) {
        char id[ID_LENGTH + 1];
        (void)snprintf(id, sizeof id, "%.*s", ID_LENGTH, at);
        if (last[0])
            check(&o, last, id);
        else
            check_out(id);
        memcpy(last, id, sizeof last);
    }
    printf("%zu files added, %zu deleted, %zu renamed, %zu copied, %zu modes changed; %zu changes "
           "refused by name, %zu not UTF-8\n",
           tally.added, tally.deleted, tally.renamed, tally.copied, tally.modes, tally.refused,
           tally.foreign);
    printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
    buf_free(&commits);
    operation_end(&o);
    return tally.failed > 0 || tally.passed == 0;
}

/* SPDX-License-Identifier: MIT */
/* import.c -- random trees as the commits of a repository, from the first to the last: see
 * import.h. */
#include "import.h"

#include "die.h"
#include "trees.h"

#include <stdio.h>
#include <stdlib.h>

static void write_commit(FILE *out, const struct tree *t, size_t number) {
    fprintf(out, "commit refs/heads/main\ncommitter t <t@t> %zu +0000\ndata 0\ndeleteall\n",
            number);
    for (size_t i = 0; i < t->count; i++) {
        const struct file *f = &t->files[i];
        fprintf(out, "M %o inline \"", f->mode);
        for (const char *c = f->path; *c; c++)
            fprintf(out, "\\%03o", (unsigned char)*c);
        fprintf(out, "\"\ndata %zu\n", f->text.len);
        fwrite(f->text.data, 1, f->text.len, out);
        fprintf(out, "\n");
    }
}

void write_history(const char *git_dir, const struct tree *trees, size_t count) {
    char command[600];
    (void)snprintf(command, sizeof command,
                   "git init --quiet --bare %s && git --git-dir=%s fast-import --quiet", git_dir,
                   git_dir);
    FILE *out = popen(command, "w"); // NOLINT(cert-env33-c): a test, and git
    for (size_t i = 0; out && i < count; i++)
        write_commit(out, &trees[i], i);
    if (!out || pclose(out) != 0)
        die("git fast-import failed");
}

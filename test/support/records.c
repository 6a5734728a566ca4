/* records.c -- records of what calls have replaced: see records.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "records.h"

#include "buf.h"

#include <stdlib.h>
#include <string.h>

/* Leaves out what is being written, and parts: both have a dot in their names. */
static void drop_others(struct names *ids) {
    size_t n = 0;
    for (size_t i = 0; i < ids->n; i++)
        if (strchr(ids->names[i], '.'))
            free(ids->names[i]);
        else
            ids->names[n++] = ids->names[i];
    ids->n = n;
}

struct names records_below(const char *state) {
    char *kept = path_of("%s/kept", state);
    struct names projects = names_below(kept), ids = {0};
    if (projects.n > 0) {
        char *project = path_of("%s/%s", kept, projects.names[0]);
        ids = names_below(project);
        drop_others(&ids);
        free(project);
    }
    free_names(&projects);
    free(kept);
    return ids;
}

static void add_ids(struct buf *out, const struct names *ids, size_t first) {
    for (size_t i = first; i < ids->n; i++)
        buf_printf(out, "%s\"%s\"", i > first ? "," : "", ids->names[i]);
}

char *with_records(const char *text, const char *state) {
    struct names ids = records_below(state);
    struct buf out = {0};
    buf_str(&out, "");
    while (*text) {
        bool all = strncmp(text, "$all", 4) == 0, last = strncmp(text, "$last", 5) == 0;
        if (all || last)
            add_ids(&out, &ids, all || ids.n == 0 ? 0 : ids.n - 1);
        else
            buf_char(&out, *text);
        text += all ? 4 : last ? 5 : 1;
    }
    free_names(&ids);
    return out.data;
}

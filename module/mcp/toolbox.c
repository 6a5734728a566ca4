/* toolbox.c -- the tools that a server offers: see toolbox.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "toolbox.h"

#include "path.h"
#include "schema.h"
#include "table.h"
#include "tool_sets.h"

#include <stdlib.h>
#include <string.h>

static void add_tool(struct toolbox *box, const struct op *op) {
    for (size_t i = 0; i < box->n; i++)
        if (box->tools[i] == op)
            return;
    box->tools[box->n++] = op;
}

static int fail_unknown_tools(const char *name, size_t n, struct error *e) {
    char label[PATH_LABEL], sets[200] = "";
    for (size_t i = 0; i < tool_set_count; i++)
        (void)snprintf(sets + strlen(sets), sizeof sets - strlen(sets), "%s%s", i ? ", " : "",
                       tool_sets[i].name);
    return fail(e, AQFS_INVALID_ARGUMENT,
                "There is no tool and no set of tools called %s.  The sets are %s",
                path_label(name, n, label), sets);
}

/* Adds the tools of the set, or the tool, that is called NAME. */
static int add_named(struct toolbox *box, const char *name, size_t n, struct error *e) {
    for (size_t i = 0; i < tool_set_count; i++) {
        if (strlen(tool_sets[i].name) != n || memcmp(tool_sets[i].name, name, n) != 0)
            continue;
        for (size_t at = 0; tool_set_at(&tool_sets[i], at); at++)
            add_tool(box, op_find(tool_set_at(&tool_sets[i], at)));
        return AQFS_OK;
    }
    for (size_t i = 0; op_at(i); i++) {
        if (strlen(op_at(i)->name) != n || memcmp(op_at(i)->name, name, n) != 0)
            continue;
        add_tool(box, op_at(i));
        return AQFS_OK;
    }
    return fail_unknown_tools(name, n, e);
}

static void print_list(struct toolbox *box, bool structured) {
    struct reply r = {.format = AQFS_JSON};
    reply_list(&r);
    for (size_t i = 0; i < box->n; i++)
        schema_tool(&r, box->tools[i], structured);
    reply_end_list(&r);
    box->list = r.out;
}

int toolbox_open(struct toolbox *box, const char *names, bool structured, struct error *e) {
    *box = (struct toolbox){.tools = calloc(op_count(), sizeof *box->tools)};
    int code = box->tools ? AQFS_OK : fail_memory(e);
    while (!code && names) {
        size_t n = strcspn(names, ",");
        code = add_named(box, names, n, e);
        if (!names[n])
            break;
        names += n + 1;
    }
    if (code)
        return code;
    print_list(box, structured);
    return box->list.failed ? fail_memory(e) : AQFS_OK;
}

void toolbox_close(struct toolbox *box) {
    free(box->tools);
    buf_free(&box->list);
}

const struct op *toolbox_find(const struct toolbox *box, const json_t *name) {
    for (size_t i = 0; i < box->n; i++)
        if (strlen(box->tools[i]->name) == json_string_length(name) &&
            strcmp(box->tools[i]->name, json_string_value(name)) == 0)
            return box->tools[i];
    return NULL;
}

void toolbox_names(const struct toolbox *box, struct buf *out) {
    for (size_t i = 0; i < box->n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", box->tools[i]->name);
}

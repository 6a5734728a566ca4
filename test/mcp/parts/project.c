/* project.c -- a project for each case, a server of it, and what the case found wrong: see
 * project.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "project.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void project_make(struct project *p) {
    *p = (struct project){.base = make_temporary("mcp")};
    p->root = path_of("%s/project", p->base);
    p->state = path_of("%s/state", p->base);
    make_file(project_file(p, "a.txt"), "one\ntwo\n");
}

void project_remove(struct project *p) {
    remove_all(p->base);
    free(p->base);
    free(p->root);
    free(p->state);
}

const char *project_file(const struct project *p, const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", p->root, name);
    return path;
}

struct mcp *serve(const struct project *p, const char *const more[]) {
    const char *args[48] = {"--root", p->root, "--state-dir", p->state};
    for (size_t n = 4; more && *more && n < 47; more++)
        args[n++] = *more;
    return mcp_start(args, -1);
}

struct mcp *serve_legacy(const struct project *p, bool asks) {
    struct mcp *m = serve(p, NULL);
    json_decref(mcp_initialize(m, "2025-11-25", asks ? "{\"elicitation\": {}}" : "{}"));
    return m;
}

struct mcp *serve_modern(const struct project *p, bool asks) {
    struct mcp *m = serve(p, NULL);
    mcp_be_modern(m, asks);
    return m;
}

bool expect_at(struct project *p, bool ok, int line, const char *what) {
    if (!ok) {
        printf("  line %d: not so: %s\n", line, what);
        p->faults++;
    }
    return ok;
}

bool expect_text(struct project *p, const char *wanted, const char *got, int line) {
    if (wanted == got || (wanted && got && strcmp(wanted, got) == 0))
        return true;
    printf("  line %d: expected: %s\n           came: %s\n", line, wanted ? wanted : "nothing",
           got ? got : "nothing");
    p->faults++;
    return false;
}

bool expect_part(struct project *p, const char *part, const char *got, int line) {
    if (got && strstr(got, part))
        return true;
    printf("  line %d: expected a text with: %s\n           came: %s\n", line, part,
           got ? got : "nothing");
    p->faults++;
    return false;
}

const json_t *at_path(const json_t *v, const char *path) {
    char name[200];
    while (v && path) {
        const char *dot = strchr(path, '.');
        size_t n = dot ? (size_t)(dot - path) : strlen(path);
        (void)snprintf(name, sizeof name, "%.*s", (int)n, path);
        v = json_is_array(v) ? json_array_get(v, (size_t)strtol(name, NULL, 10))
                             : json_object_get(v, name);
        path = dot ? dot + 1 : NULL;
    }
    return v;
}

const char *text_at(const json_t *v, const char *path) {
    return json_string_value(at_path(v, path));
}

long long number_at(const json_t *v, const char *path) {
    return json_integer_value(at_path(v, path));
}

bool flag_at(const json_t *v, const char *path) {
    return json_is_true(at_path(v, path));
}

const char *words_of(const json_t *answer) {
    return text_at(answer, "result.content.0.text");
}

bool is_error(const json_t *answer) {
    return flag_at(answer, "result.isError");
}
